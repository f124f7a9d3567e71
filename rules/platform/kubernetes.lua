-- Kubernetes: who ended a pod. Exit code 137 is the end of a grace period as often as a memory limit, so the reason must be taken from
-- events, conditions and kubelet, in this order: preemption or drain, eviction, a failed probe. Events live one hour, and absence
-- proves nothing. Sources: kubelet 1.20 to 1.33 (old unquoted and new structured texts), API reasons, kubectl describe and get events.
signature {
  id      = "kubelet.probe_failed",
  stream  = "k8s",
  needles = { "Probe failed" },
  pattern = [["Probe failed" probeType="(?<probe>Liveness|Readiness|Startup)" pod="(?<pod>[^"]+)" podUID="?(?<pod_uid>[0-9a-f-]+)"? containerName="(?<name>[^"]+)" probeResult="failure"(?: output="(?<output>[^"]{0,200}))?]],
  fields  = { probe = "text", pod = "pod", pod_uid = "pod_uid", name = "text", output = "text" },
  fold    = { "probe", "pod_uid", "name" },
  match   = { '"Probe failed" probeType="Liveness" pod="ml/train-0" podUID="8b635512-c994-2862-95d8-cc5af6233c35" containerName="monitor" probeResult="failure" output="Get \"http' },
  ignore  = { '"SyncLoop (probe)" probe="liveness" status="unhealthy" pod="ml/train-0"' },
  tells   = "{probe} probe of {name} fails",
}
signature {
  id      = "kubelet.probe_kill",
  stream  = "k8s",
  needles = { "probe, will be restarted" },
  pattern = [[Container (?<name>[\w.-]+) failed (?<probe>liveness|startup) probe, will be restarted]],
  fields  = { name = "text", probe = "text" },
  match   = { '"Message for Container of pod" containerName="monitor" pod="gpu-ops/x" containerMessage="Container monitor failed liveness probe, will be restarted"',
              "Container vllm failed startup probe, will be restarted" },
  ignore  = { "Liveness probe failed: HTTP probe failed with statuscode: 500" },
  tells   = "kubelet restarts container {name}: its {probe} probe failed",
}
signature {
  id      = "kubelet.evicting",
  stream  = "k8s",
  needles = { "viction manager: " },
  pattern = [=[[Ee]viction manager: (?:must evict pod\(s\) to reclaim|attempting to reclaim)"?\s*(?:resourceName=)?"?(?<resource>[\w-]+)|[Ee]viction manager: (?:pod is evicted successfully" pod="(?<pod>[^"]+)"|pod (?<pod>\S+) is evicted successfully)]=],
  fields  = { resource = "text", pod = "pod" },
  match   = { '"Eviction manager: must evict pod(s) to reclaim" resourceName="ephemeral-storage"', "eviction manager: must evict pod(s) to reclaim ephemeral-storage",
              '"Eviction manager: pod is evicted successfully" pod="ml/train-0"' },
  ignore  = { '"Eviction manager: pods ranked for eviction" pods=["ml/train-0"]' },
  tells   = "kubelet evicts to reclaim {resource}",
}
signature {
  id      = "kubelet.sync_delete",
  stream  = "k8s",
  needles = { "SyncLoop DELETE" },
  pattern = [["SyncLoop DELETE" source="api" pods=\["?(?<pod>[\w./-]+)"?]],
  fields  = { pod = "pod" },
  match   = { '"SyncLoop DELETE" source="api" pods=["ml/train-0"]', '"SyncLoop DELETE" source="api" pods=[research/ddp-worker-1]' },
  ignore  = { '"SyncLoop UPDATE" source="api" pods=["ml/train-0"]' },
  tells   = "the API server asks to delete pod {pod}",
}
signature {
  id      = "kubelet.grace_kill",
  stream  = "k8s",
  needles = { "Killing container with a grace period" },
  pattern = [["Killing container with a grace period" pod="(?<pod>[^"]+)" podUID="?(?<pod_uid>[0-9a-f-]+)"? containerName="(?<name>[^"]+)" containerID="(?:\w[\w-]*://)?(?<container>[0-9a-f]{64})" gracePeriod=(?<grace>\d+)]],
  fields  = { pod = "pod", pod_uid = "pod_uid", name = "text", container = "container", grace = "int" },
  match   = { '"Killing container with a grace period" pod="research/ddp-worker-1" podUID=e79c8df4-6f81-5a12-0e26-5a23e4e069e0 containerName="pytorch" containerID="containerd://9656cad76ac0f9024e8be35078784df82c153f4bff957da9fea9c0be07e8d90f" gracePeriod=30' },
  ignore  = { '"Killing container with a grace period override" pod="ml/train-0"' },
  tells   = "kubelet stops container {name} (grace period {grace} s)",
}
signature {
  id      = "kubelet.pleg_unhealthy",
  stream  = "k8s",
  needles = { "PLEG is not healthy" },
  pattern = [[PLEG is not healthy: pleg was last seen active (?<since>[\w.]+) ago]],
  fields  = { since = "text" },
  fold    = {},
  match   = { '"Skipping pod synchronization" err="PLEG is not healthy: pleg was last seen active 3m5s ago; threshold is 3m0s"' },
  ignore  = { '"SyncLoop (PLEG): event for pod" pod="ml/train-0"' },
  tells   = "kubelet cannot list containers: runtime or disk is stuck",
}
-- What kubelet says while a pod does not start: it tries again and again.
signature {
  id      = "kubelet.start_failed",
  stream  = "k8s",
  needles = { "MountVolume.SetUp failed", "Unable to attach or mount volumes", "unattached volumes=", "Failed to create sandbox for pod", "CreatePodSandbox for pod failed", "ErrImagePull", "ImagePullBackOff", "RunContainerError", "CreateContainerConfigError", "CreateContainerError" },
  pattern = [[MountVolume\.SetUp failed for volume \\?"(?<what>[^"\\]+)\\?"(?:.*? pod \\?"(?<pod>[\w.-]+)\\?")?|(?<what>Unable to attach or mount volumes|unmounted volumes=\S+ unattached volumes=)(?:.*\bpod="(?<pod>[^"]+)")?|(?<what>Failed to create sandbox for pod|CreatePodSandbox for pod failed)"? (?:.*\bpod="(?<pod>[^"]+)")?|Error syncing pod, skipping" err="failed to \\"StartContainer\\" for .{0,80}(?<what>ErrImagePull|ImagePullBackOff|RunContainerError|CreateContainerConfigError|CreateContainerError).*\bpod="(?<pod>[^"]+)"]],
  fields  = { what = "text", pod = "pod" },
  fold    = { "what" },
  match   = { 'Operation for "{volumeName:kubernetes.io/csi/efs^fs-1 podName: nodeName:}" failed. No retries permitted until 2026-03-03 08:01:37.1 +0000 UTC m=+9123.1 (durationBeforeRetry 4s). Error: MountVolume.SetUp failed for volume "data" (UniqueName: "kubernetes.io/csi/efs^fs-1") pod "ddp-worker-3" (UID: "aaaabbbb-cccc-dddd-eeee-ffff00001111") : rpc error',
              '"Unable to attach or mount volumes for pod; skipping pod" err="unmounted volumes=[data], timed out waiting for the condition" pod="ml/ddp-worker-3"',
              '"Error syncing pod, skipping" err="unmounted volumes=[data], unattached volumes=[], failed to process volumes=[]: context deadline exceeded" pod="ml/ddp-worker-3" podUID="aaaabbbb"',
              '"Failed to create sandbox for pod" err="rpc error: code = Unknown desc = failed to setup network for sandbox" pod="ml/train-0"' },
  ignore  = { '"operationExecutor.MountVolume started for volume' },
  tells   = "kubelet cannot start pod {pod}: {what}",
}
-- What kuberuntime says of the same, one line in front of it.
signature {
  id      = "kubelet.container_failed",
  stream  = "k8s",
  needles = { "start failed in pod " },
  pattern = [[^container &Container\{.*\} start failed in pod (?<pod>[\w.-]+)_[\w-]+\([0-9a-f-]+\): (?<what>RunContainerError|CreateContainerConfigError|CreateContainerError):]],
  fields  = { what = "text", pod = "pod" },
  fold    = { "what" },
  match   = { 'container &Container{Name:trainer,} start failed in pod t5-worker-2_ml(11112222-3333-4444-5555-666677778888): CreateContainerError: failed to reserve container name "trainer_t5"' },
  ignore  = { "init container &Container{Name:init,} start failed in pod" },
  tells   = "kubelet cannot start a container of pod {pod}: {what}",
}
-- The runtime's own answer to the same try: it names the reason, and stands in front of kubelet's summary.
signature {
  id      = "kubelet.sandbox_failed",
  stream  = "k8s",
  needles = { "RunPodSandbox from runtime service failed" },
  pattern = [["RunPodSandbox from runtime service failed" err="rpc error: code = \w+ desc = (?<what>failed to setup network for sandbox|failed to (?:create|start) (?:containerd task|sandbox)|failed to reserve sandbox name)(?:.*?\[(?<pod>[\w.-]+/[\w.-]+)[:/])?]],
  fields  = { what = "text", pod = "pod" },
  fold    = { "what" },
  match   = { '"RunPodSandbox from runtime service failed" err="rpc error: code = Unknown desc = failed to setup network for sandbox \\"ab12\\": plugin type=\\"multus\\" failed (add): [ml/ddp-worker-7:rdma]: error adding container"' },
  ignore  = { '"Failed to create sandbox for pod" err="rpc error: code = Unknown desc = failed to setup network for sandbox" pod="ml/train-0"' },
  tells   = "the runtime cannot make the sandbox of pod {pod}: {what}",
}
-- The runtime has no description (CDI spec) of a device that the pod was given: no try will ever start the container.
-- Source: containerd and cri-o, tags.cncf.io/container-device-interface pkg/cdi InjectDevices.
signature {
  id      = "runtime.cdi_unresolved",
  stream  = "any",
  needles = { "unresolvable CDI devices " },
  pattern = [[(?:in pod (?<pod>[\w.-]+)\(.*)?failed to inject CDI devices: unresolvable CDI devices (?<device>[\w./=-]+)]],
  fields  = { pod = "pod", device = "text" },
  fold    = { "device" },
  match   = { "could not apply required modification to OCI specification: error modifying OCI spec: failed to inject CDI devices: unresolvable CDI devices nvidia.com/gpu=all: unknown",
              "docker: Error response from daemon: could not select device driver: failed to inject CDI devices: unresolvable CDI devices nvidia.com/gpu=0" },
  ignore  = { "Generated CDI spec with version 0.8.0" },
  tells   = "the runtime knows no device {device}",
}
correlate {
  id    = "runtime.cdi_unresolved",
  group = "job",
  uses  = { "runtime.cdi_unresolved" },
  reach = { "k8s.pleg", "kubelet.start_failed", "runtime.container_started", "app.good_end" },
  judge = function(case)
    local on = case.signals
    local said = on["runtime.cdi_unresolved"]
    local s, over = first(said), last(said)
    local began = keep(join(on["runtime.container_started"], keep(on["k8s.pleg"], function(p) return p.fields.type == "ContainerStarted" end)), function(p)
      return p.host == s.host and order(over, p) == "before"
    end)
    if #began + #on["app.good_end"] > 0 then return {} end
    return { { cause = "k8s.image_or_mount", confidence = "likely", scope = s.host and "host" or "job", host = s.host, pod = s.pod, evidence = said, symptoms = on["kubelet.start_failed"], ranks = {},
      confidence_why = "the runtime names the device that it cannot resolve, and no container was started behind it",
      summary = string.format("The container was not started: the runtime has no CDI spec for %s", s.fields.device) } }
  end,
}
correlate {
  id    = "kubelet.start_failed",
  group = "job",
  uses  = { "kubelet.start_failed", "kubelet.sandbox_failed", "kubelet.container_failed" },
  reach = { "k8s.event", "k8s.container", "k8s.pleg", "torch.store_waited" },
  judge = function(case)
    local on = case.signals
    local said = keep(join(on["kubelet.sandbox_failed"], on["kubelet.container_failed"], on["kubelet.start_failed"]), function(s) return s.pod == nil or match(s.pod, [[^(?:kube-system|gpu-operator|calico-system|tigera-operator|monitoring|ingress)/]]) == nil end)
    -- two lines of kubelet tell of one try
    local tries = { ["kubelet.start_failed"] = 0, ["kubelet.container_failed"] = 0, ["kubelet.sandbox_failed"] = 0 }
    for _, s in ipairs(said) do tries[s.id] = tries[s.id] + s.count end
    local times = math.max(tries["kubelet.start_failed"], tries["kubelet.container_failed"])
    local named
    for _, s in ipairs(said) do named = named or s.pod end
    local began = keep(on["k8s.pleg"], function(p)
      return p.fields.type == "ContainerStarted" and #said > 0 and order(p, said[1]) == "after"
        and (not named or not p.pod or match(p.pod, [[([^/]+)$]]) == match(named, [[([^/]+)$]]))
    end)
    -- the others of the job wait for somebody who never came
    local waited = on["torch.store_waited"]
    if (times < 3 and #waited == 0) or #said == 0 or #began > 0 then return {} end
    local s = first(said)
    return { { cause = "k8s.image_or_mount", confidence = "likely", scope = "container", evidence = said, pod = named, count = times, symptoms = waited,
      confidence_why = #waited > 0 and "no container was started behind it, and the others of the job waited for one that did not come" or "kubelet tried again and again, and no container was started behind it",
      summary = string.format("kubelet could not start pod %s: %s (%d times)", named or "?", s.fields.what or "?", times) } }
  end,
}

-- A pod of the job, as far as anything tells: kubelet lines and events are about every pod of the node.
local function same_pod(a, b)
  if a.pod_uid and b.pod_uid then return a.pod_uid == b.pod_uid end
  local x, y = a.pod and match(a.pod, [[([^/]+)$]]), b.pod and match(b.pod, [[([^/]+)$]])
  return x == nil or y == nil or x == y
end
local SYSTEM = [[^(?:kube-system|gpu-operator|calico-system|tigera-operator|monitoring|ingress)/]]
local function is_system(s) return s.pod ~= nil and match(s.pod, SYSTEM) ~= nil end
local function events(list, reason) return keep(list, function(s) return s.fields.reason == reason and not is_system(s) end) end
-- Queues and autoscalers have events of their own: Kueue's on Workload and Job, Volcano's and Karpenter's on the pod. Karpenter calls its deletion of a
-- pod "Evicted", as kubelet does; only the message tells them apart.
local function by_autoscaler(s) return s.fields.reason == "Evicted" and match(s.fields.message or "", [[^Evicted pod\b]]) ~= nil end
local function by_queue(s)
  local why = s.fields.message or ""
  return s.fields.reason == "EvictedDueToPreempted" or match(why, [[^Preempted to accommodate a workload]]) ~= nil
    or s.fields.reason == "Evict" and match(why, [[because of (?:preempt|reclaim)]]) ~= nil
end

correlate {
  id    = "k8s.preempted",
  group = "job",
  uses  = { "k8s.event", "k8s.pod_condition", "k8s.pod" },
  reach = { "kubelet.sync_delete", "kubelet.grace_kill", "k8s.container_finished", "k8s.container", "runtime.container_exit", "launcher.worker_failed", "launcher.exitcode",
    "host.shutdown", "kubelet.no_control_plane" },
  judge = function(case)
    local on, found = case.signals, {}
    local said = join(events(on["k8s.event"], "Preempted"), events(on["k8s.event"], "TaintManagerEviction"), events(on["k8s.event"], "Preempting"),
      keep(on["k8s.event"], function(s) return by_queue(s) or by_autoscaler(s) and not is_system(s) end),
      keep(on["k8s.event"], function(s) return s.fields.reason == "Killing" and match(s.fields.message or "", [[^(?:Preempted|Stopping due to preemption)]]) ~= nil end),
      keep(on["k8s.pod_condition"], function(s)
        return s.fields.type == "DisruptionTarget" and s.fields.status ~= "False"
          and match(s.fields.reason or "", [[^(?:PreemptionByScheduler|PreemptionByKubeScheduler|DeletionByTaintManager|EvictionByEvictionAPI|DeletionByPodGC)$]]) ~= nil
      end),
      keep(on["k8s.pod"], function(s) return match(s.fields.reason or "", [[^(?:Preempting|NodeShutdown|Terminated|Shutdown|Preempted)$]]) ~= nil end))
    local by_pod, order_of = {}, {}
    for _, s in ipairs(said) do
      local key = s.pod and match(s.pod, [[([^/]+)$]]) or s.pod_uid or "?"
      if not by_pod[key] then
        by_pod[key] = {}
        order_of[#order_of + 1] = key
      end
      table.insert(by_pod[key], s)
    end
    for _, key in ipairs(order_of) do
      -- an event tells what happened, a condition or phase what became of it
      local told = only(by_pod[key], "k8s.event")
      local list, states = #told > 0 and told or by_pod[key], #told > 0 and keep(by_pod[key], function(s) return s.id ~= "k8s.event" end) or {}
      local head = list[1]
      -- a node that was given up went silent first
      local silent = head.fields.reason == "TaintManagerEviction" and keep(on["k8s.event"], function(e) return e.fields.reason == "NodeNotReady" and order(e, head) ~= "after" end) or {}
      -- and its kubelet could not report before that
      silent = join(silent, #silent > 0 and keep(on["kubelet.no_control_plane"], function(x) return (x.host == nil or silent[1].host == nil or x.host == silent[1].host) and order(x, head) ~= "after" end) or {})
      -- a node that shuts down says so before kubelet ends its pods
      local ends_node = match(head.fields.reason or "", [[Shutdown|^Terminated$]]) ~= nil and keep(on["host.shutdown"], function(x)
        return (x.host == nil or head.host == nil or x.host == head.host) and order(x, head) ~= "after" and is_near(x, head, minutes(15))
      end) or {}
      list = join(silent, ends_node, list)
      local ends = keep(join(on["kubelet.grace_kill"], on["kubelet.sync_delete"], on["k8s.container_finished"], on["runtime.container_exit"], on["k8s.container"]), function(s)
        return same_pod(head, s) and (s.pod ~= nil or s.pod_uid ~= nil)
      end)
      -- the launcher of this very pod sees the signal: its file or its host carries the pod's name
      local seen = keep(join(on["launcher.worker_failed"], on["launcher.exitcode"]), function(s)
        local code = s.fields.exitcode or s.fields.code
        return code == -9 or code == -15 or code == 137 or code == 143
      end)
      found[#found + 1] = { cause = "k8s.preempted", confidence = "certain", scope = "container", evidence = list, symptoms = join(states, ends, seen), pod = head.pod, host = head.host,
        confidence_why = "the scheduler or the API server says so; the SIGKILL is the end of the grace period",
        summary = string.format("%s %s was taken away: %s", head.fields.kind ~= "Pod" and head.pod == nil and head.fields.kind or "Pod", head.pod or head.fields.object or key,
          #silent > 0 and "its node did not report any more" or head.fields.message or head.fields.reason or "disruption") }
    end
    return found
  end,
}

correlate {
  id    = "k8s.evicted",
  group = "job",
  uses  = { "k8s.event", "k8s.pod_condition", "k8s.pod", "kubelet.evicting" },
  reach = { "kubelet.grace_kill", "k8s.container_finished", "k8s.container", "runtime.container_exit" },
  judge = function(case)
    local on = case.signals
    local kubelet = on["kubelet.evicting"]
    local said = join(keep(events(on["k8s.event"], "Evicted"), function(s) return not by_autoscaler(s) end), keep(kubelet, function(s) return s.fields.pod == nil or not is_system(s) end),
      keep(on["k8s.pod"], function(s) return s.fields.reason == "Evicted" end),
      keep(on["k8s.pod_condition"], function(s) return s.fields.type == "DisruptionTarget" and s.fields.reason == "TerminationByKubelet" end))
    -- looking for something to reclaim is no eviction yet
    local pods = keep(said, function(s) return s.pod ~= nil or s.pod_uid ~= nil or s.fields.pod ~= nil end)
    if #pods == 0 then return {} end
    local head = first(pods)
    local text = ""
    for _, s in ipairs(said) do text = text .. " " .. (s.fields.message or s.fields.resource or "") end
    local disk = match(text, [[ephemeral.storage|DiskPressure|nodefs|imagefs|EmptyDir]]) ~= nil
    local ends = keep(join(on["kubelet.grace_kill"], on["k8s.container_finished"], on["runtime.container_exit"], on["k8s.container"]), function(s)
      return same_pod(head, s) and (s.pod ~= nil or s.pod_uid ~= nil)
    end)
    local found = { { cause = "k8s.evicted", confidence = "certain", scope = "container", evidence = said, symptoms = ends, pod = head.pod, host = head.host,
      confidence_why = "kubelet's own words", summary = string.format("Pod %s was evicted: %s", head.pod or "?", head.fields.message or (head.fields.resource and "to reclaim " .. head.fields.resource) or "node pressure") } }
    if disk then
      found[2] = { cause = "host.disk_full", confidence = "likely", scope = "host", evidence = keep(said, function(s) return s.fields.message ~= nil or s.fields.resource ~= nil end),
        symptoms = pods, host = head.host,
        confidence_why = "kubelet evicts for local storage", summary = string.format("Local storage of the node or pod ran out%s, and kubelet evicted pod %s", head.host and " on " .. head.host or "", head.pod or "?") }
    end
    return found
  end,
}

correlate {
  id    = "k8s.probe_killed",
  group = "job",
  uses  = { "kubelet.probe_kill", "k8s.event" },
  reach = { "kubelet.probe_failed", "k8s.container_finished", "k8s.container", "runtime.container_exit", "kubelet.grace_kill", "app.traceback" },
  judge = function(case)
    local on = case.signals
    local kills = join(on["kubelet.probe_kill"], keep(on["k8s.event"], function(s)
      return s.fields.reason == "Killing" and match(s.fields.message or "", [[failed (?:liveness|startup) probe]]) ~= nil
    end))
    if #kills == 0 then return {} end
    local head, found = first(kills), {}
    local name = head.fields.name or match(head.fields.message or "", [[Container ([\w.-]+) failed]])
    local failures = keep(join(on["kubelet.probe_failed"], events(on["k8s.event"], "Unhealthy")), function(s)
      return s.fields.name == nil or name == nil or s.fields.name == name or s.id == "k8s.event"
    end)
    failures = keep(failures, function(s) return s.fields.probe ~= "Readiness" and match(s.fields.message or "", [[^Readiness]]) == nil end)
    local probe = head.fields.probe or match(head.fields.message or "", [[failed (liveness|startup) probe]]) or "liveness"
    local times = 0
    for _, s in ipairs(kills) do times = math.max(times, s.fields.count or 1) end
    found[1] = { cause = "k8s.probe_killed", confidence = "certain", scope = "container", evidence = join(failures, kills), pod = head.pod, host = head.host,
      symptoms = join(keep(join(on["k8s.container_finished"], on["k8s.container"], on["runtime.container_exit"], on["kubelet.grace_kill"]), function(s)
        return same_pod(head, s) and head.pod ~= nil and (s.pod ~= nil or s.pod_uid ~= nil)
      end), keep(on["app.traceback"], function(s) return match((s.fields.type or "") .. (s.fields.message or ""), [[KeyboardInterrupt|SystemExit|terminated]]) ~= nil end)),
      confidence_why = "kubelet's own words: it restarts the container because a probe failed",
      summary = string.format("kubelet restarted container %s because its %s probe failed%s", name or "?", probe, times > 1 and string.format(" (%d times)", times) or ""),
      facts = { container = name, probe = probe, times = times } }
    return found
  end,
}

-- What keeps a pod from starting at all.
local START = { FailedMount = true, FailedAttachVolume = true, FailedCreatePodSandBox = true, ErrImagePull = true, ImagePullBackOff = true,
  CreateContainerConfigError = true, CreateContainerError = true, RunContainerError = true, StartError = true, FailedPrepareDynamicResources = true, ContainerCannotRun = true, UnexpectedAdmissionError = true }
-- kubelet refuses a pod that was placed on it: what was promised is not there or does not fit together. Its owner makes another one.
local REFUSED = [[^(?:UnexpectedAdmissionError|TopologyAffinityError|NodeAffinity|OutOf(?:cpu|memory|pods|ephemeral-storage|\S+/\S+))$]]
-- Events of the same pod that come only once its containers can be made.
local BEGAN = { Started = true, Created = true }
local function has_started(on, pod)
  local began = keep(on["k8s.event"], function(s) return BEGAN[s.fields.reason] and same_pod(s, { pod = pod }) end)
  local ran = keep(on["k8s.container"], function(s) return (s.fields.state == "running" or (s.fields.state == "terminated" and not START[s.fields.reason])) and same_pod(s, { pod = pod }) end)
  return #began + #ran + #on["app.progress"] > 0
end
-- A pod that was placed, and of which nothing but the failure is told.
local function never_began(on, s)
  if not s.pod or has_started(on, s.pod) then return false end
  -- an image that is not there or not ours will not come by trying again
  if s.fields.reason == "Failed" and match(s.fields.message or "", [[(?i)pull.*(?:not found|manifest unknown|denied|unauthorized|invalid reference format)]]) ~= nil then return true end
  local placed = keep(on["k8s.event"], function(e) return e.fields.reason == "Scheduled" and same_pod(e, s) end)
  return #placed > 0 and s.fields.reason ~= "FailedAttachVolume"
end
correlate {
  id    = "k8s.image_or_mount",
  group = "job",
  uses  = { "k8s.event", "k8s.container", "k8s.pod" },
  reach = { "app.progress", "app.good_end", "host.disk" },
  judge = function(case)
    local on = case.signals
    local said = join(keep(on["k8s.event"], function(s)
        return not is_system(s) and (START[s.fields.reason] or match(s.fields.reason or "", REFUSED) ~= nil or (s.fields.reason == "Failed" and match(s.fields.message or "", [[pull image|ErrImagePull|ImagePullBackOff|failed to (?:create|start) containerd task|OCI runtime create failed|failed to create shim]]) ~= nil))
      end),
      keep(on["k8s.container"], function(s) return (START[s.fields.reason] or START[s.fields.last_state_reason]) == true and not is_system(s) end),
      keep(on["k8s.pod"], function(s) return match(s.fields.reason or "", REFUSED) ~= nil and not is_system(s) end))
    -- one failed mount that was tried again is everyday: it counts while the pod has not started
    local lasting = keep(said, function(s)
      if match(s.fields.reason or "", REFUSED) ~= nil then return #on["app.progress"] + #on["app.good_end"] == 0 end
      return (s.fields.count or 1) >= 3 or s.id ~= "k8s.event" or never_began(on, s)
    end)
    if #said == 0 then return {} end
    local f = first(said).fields
    local full = keep(said, function(s) return match(s.fields.message or "", [[[Nn]o space left on device]]) ~= nil end)
    if #full > 0 then
      local others = keep(said, function(s) return match(s.fields.message or "", [[[Nn]o space left on device]]) == nil end)
      local behind = #others > 0 and { cause = "k8s.image_or_mount", severity = "warning", confidence = "likely", scope = "container", evidence = others, pod = first(others).pod,
        confidence_why = "the platform could not start the container", summary = string.format("Pod %s could not start: %s", first(others).pod or "?", first(others).fields.message or first(others).fields.reason or "?") } or nil
      return { { cause = "host.disk_full", class = "init", severity = "error", confidence = "certain", scope = "host", host = full[1].host, evidence = full,
        symptoms = join(others, keep(on["host.disk"], function(s) return s.fields.mount ~= "/dev/shm" and (s.fields.used_pct or 0) >= 99 and s.host == full[1].host end)),
        confidence_why = "the runtime could not write the image: errno 28", summary = string.format("The disk of the node is full: the image of pod %s could not be written", full[1].pod or "?") }, behind }
    end
    return { { cause = "k8s.image_or_mount", severity = #lasting > 0 and "error" or "note", confidence = "likely", scope = "container", evidence = said, pod = first(said).pod,
      confidence_why = #lasting > 0 and "the platform could not start the container" or "tried once; it may have succeeded afterwards",
      summary = string.format("Pod %s could not start: %s", first(said).pod or "?", f.message or f.reason or "?") } }
  end,
}

correlate {
  id    = "k8s.system_oom",
  group = "job",
  uses  = { "k8s.event", "kubelet.system_oom" },
  reach = { "oom.report" },
  judge = function(case)
    -- the event's own text is matched as a line, too
    local logged = case.signals["kubelet.system_oom"]
    local said = #logged > 0 and logged or keep(case.signals["k8s.event"], function(s) return s.fields.reason == "SystemOOM" end)
    if #said == 0 or #case.signals["oom.report"] > 0 then return {} end
    return { { cause = "host.global_oom", confidence = "likely", scope = "host", host = said[1].host, evidence = said,
      confidence_why = "kubelet reports an OOM kill of the node itself; the kernel's report would name size and limit", pid = said[1].pid, process = said[1].process,
      summary = said[1].process and string.format("The node ran out of memory: kubelet saw it kill %s", said[1].process) or said[1].fields.message or "The node ran out of memory" } }
  end,
}

-- A node that came back with another boot id: kubelet says so when it registers again.
correlate {
  id    = "host.reboot.kubelet",
  group = "job",
  uses  = { "k8s.event" },
  reach = { "host.shutdown", "kernel.boot" },
  judge = function(case)
    local on, found, seen = case.signals, {}, {}
    local function node_of(s) return s.fields.node or match(s.fields.message or "", [[^Node (\S+?),? (?:has been rebooted|status is now)]]) end
    for _, s in ipairs(keep(on["k8s.event"], function(e) return e.fields.reason == "Rebooted" end)) do
      local node = node_of(s) or "?"
      local ordered = keep(on["host.shutdown"], function(x)
        return x.host == node and is_near(x, s, minutes(30))
      end)
      local told = keep(on["kernel.boot"], function(x) return x.host == node end)
      if not seen[node] and #ordered == 0 and #told == 0 then
        seen[node] = true
        local signs = keep(on["k8s.event"], function(e) return e.fields.reason == "NodeNotReady" and e.fields.pod == nil and node_of(e) == node and order(e, s) ~= "after" end)
        found[#found + 1] = { cause = "host.reboot", confidence = "likely", scope = "host", host = node, evidence = join(signs, { s }),
          confidence_why = "kubelet registered with another boot id; whether it was ordered is in the node's journal",
          summary = string.format("Node %s was rebooted%s", node, #signs > 0 and "; it had gone silent before" or "") }
      end
    end
    return found
  end,
}

-- The provider takes a machine back, or an autoscaler empties it. The notice comes minutes before; the job sees SIGTERM.
signature {
  id      = "cloud.reclaim",
  stream  = "any",
  needles = { "SpotInterruption", "SPOT_ITN", "pot interruption", "Preempt", "preempted", "imminent node shutdown", "disrupting ", "instance-action", "action", "will be terminated soon" },
  pattern = [=[(?<spot>will be terminated soon \(reason: (?!idle)[\w-]*(?:preempt|spot|terminat|reclaim|evict)[\w-]*\)|SpotInterruptionKind|SPOT_ITN|[Ss]pot interruption (?:warning|notice)|"EventType": ?"(?:Preempt|Terminate)"|(?:[Ii]nstance|VM) (?:\S+ )?(?:was|has been|is being) preempted|compute\.instances\.preempted|[Pp]od was terminated in response to imminent node shutdown|\{"action": ?"(?:terminate|stop|hibernate)", ?"time")|(?<drain>disrupting (?:node\(s\)|nodeclaim\(s\)|via (?:consolidation|drift|expiration|emptiness)\b))]=],
  fields  = { spot = "text", drain = "text" },
  match   = { '"message":"initiating delete from interruption message","queue":"KQ","messageKind":"SpotInterruptionKind"', "Spot interruption warning was triggered for the node", '{"action": "terminate", "time": "2026-01-18T01:52:34Z"}',
              "Pod was terminated in response to imminent node shutdown.", '"message":"disrupting node(s)","command":"Underutilized/delete"', "Instance gke-pool-7 was preempted.",
              "(autoscaler +44m27s) Instance k-1a5e56fa0001 (node IP: 10.1.140.199) will be terminated soon (reason: kubernetes-pod-termination)." },
  ignore  = { "Preempted by pod on node x", "disrupting the flow", "Instance k-2 (node IP: 10.1.1.1) will be terminated soon (reason: idle_terminate).", '{"action": "opened", "time": 3}' },
  tells   = "the provider or an autoscaler takes the machine: {spot}{drain}",
}
correlate {
  id    = "k8s.preempted.cloud",
  group = "job",
  uses  = { "cloud.reclaim" },
  reach = { "launcher.got_signal", "launcher.worker_failed", "launcher.exitcode", "k8s.container", "app.traceback", "app.good_end", "ray.node_dead" },
  judge = function(case)
    local on = case.signals
    local spot = keep(on["cloud.reclaim"], function(s) return s.fields.spot ~= nil end)
    local said = #spot > 0 and spot or on["cloud.reclaim"]
    local function by_signal(code) return code == -15 or code == -9 or code == 143 or code == 137 end
    local ends = join(on["launcher.got_signal"], on["ray.node_dead"],
      keep(join(on["launcher.worker_failed"], on["launcher.exitcode"], on["k8s.container"]), function(s) return by_signal(s.fields.exitcode or s.fields.code or s.fields.exit_code) end),
      keep(on["app.traceback"], function(s) return match(s.fields.type or "", [[SignalException]]) ~= nil end))
    local near = keep(ends, function(s)
      return order(s, said[1]) ~= "before" and is_near(said[1], s, minutes(10))
    end)
    -- machines come and go in an autoscaled pool: without a process that was ended it is news of another one
    if #near == 0 and (#spot == 0 or #on["app.good_end"] > 0) then return {} end
    return { { cause = "k8s.preempted", severity = #near > 0 and "error" or "warning", confidence = #near > 0 and #spot > 0 and "certain" or "likely", scope = "job", host = said[1].host, evidence = said, symptoms = near,
      confidence_why = #near > 0 and "the notice, and processes that were asked to end right behind it" or "the notice alone; which processes it took is not said",
      summary = #spot > 0 and "The cloud provider took the machine back (spot or preemptible instance)" or "An autoscaler emptied the node" } }
  end,
}

-- A node is taken out of scheduling, and its pods are stopped behind it: a drain. Without a reason of their own, as probes and evictions
-- have one, the stops are the drain's.
correlate {
  id    = "k8s.drained",
  group = "job",
  uses  = { "k8s.event" },
  reach = { "app.good_end" },
  judge = function(case)
    local on = case.signals
    local closed = keep(on["k8s.event"], function(s) return s.fields.reason == "NodeNotSchedulable" end)
    if #closed == 0 or #on["app.good_end"] > 0 then return {} end
    local other = keep(on["k8s.event"], function(s)
      return match(s.fields.reason or "", [[^(?:Preempted|Evicted|TaintManagerEviction|NodeNotReady|Rebooted)$]]) ~= nil or match(s.fields.message or "", [[failed (?:liveness|startup) probe]]) ~= nil
    end)
    local stops = keep(events(on["k8s.event"], "Killing"), function(s)
      return match(s.fields.message or "", [[^Stopping container]]) ~= nil and order(closed[1], s) ~= "after" and is_near(closed[1], s, hours(1))
    end)
    if #stops == 0 or #other > 0 then return {} end
    return { { cause = "k8s.preempted", confidence = "likely", scope = "container", evidence = join(closed, stops), pod = stops[1].pod, host = stops[1].host,
      confidence_why = "the node was closed to new pods, and its pods were stopped behind it", summary = string.format("The node was drained, and pod %s with it", stops[1].pod or "?") } }
  end,
}
