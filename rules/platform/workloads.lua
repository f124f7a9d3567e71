-- What stands above and beside a pod: the deadline of its Job, the number of tries that the Job allows, a queue that takes the whole workload back, and
-- a node that does not report to the control plane any more. A count of failed pods says that they failed, and not why.
-- Sources: Kubernetes job controller (api/batch/v1), kubelet oom_watcher_linux.go, kubelet_node_status.go, nodelease; Kueue workload conditions.
signature {
  id      = "kubelet.system_oom",
  stream  = "k8s",
  needles = { "Got sys oom event", "System OOM encountered" },
  pattern = [[^(?!.*CONSTRAINT_MEMCG).*"?Got sys oom event"?:? (?:event=)?"?&?\{Pid:(?<pid>\d+) ProcessName:(?<process>\S+)|System OOM encountered, victim process: (?<process>[^,]+), pid: (?<pid>\d+)]],
  fields  = { pid = "pid", process = "process" },
  match   = { '"Got sys oom event" event="&{Pid:41234 ProcessName:python3 TimeOfDeath:2026-01-01 00:00:44.1 +0000 UTC ContainerName:/ VictimContainerName:/kubepods.slice/x Constraint:CONSTRAINT_NONE}"',
              "System OOM encountered, victim process: python3, pid: 41234" },
  ignore  = { '"OOM event received" containerID="ab12"' },
  tells   = "kubelet sees the node kill {process} (pid {pid}) for memory",
}
signature {
  id      = "kubelet.no_control_plane",
  stream  = "k8s",
  needles = { "Failed to ensure lease exists", "Failed to update lease", "Error updating node status, will retry", "Unable to update node status", "Unable to register node with API server" },
  pattern = [["?(?<what>Failed to ensure lease exists, will retry|Failed to update lease|Error updating node status, will retry|Unable to update node status|Unable to register node with API server)"?]],
  fields  = { what = "text" },
  fold    = {},
  match   = { '"Failed to ensure lease exists, will retry" err="Get \\"https://10.0.0.1:6443/apis\\": context deadline exceeded" interval="200ms"', '"Error updating node status, will retry" err="error getting node \\"gpu-a02\\""' },
  ignore  = { '"Successfully registered node" node="gpu-a02"' },
  tells   = "kubelet does not reach the API server",
}

local SYSTEM = [[^(?:kube-system|gpu-operator|calico-system|tigera-operator|monitoring|ingress)(?:/|$)]]
local function is_system(s) return match(s.fields.namespace or s.pod or "", SYSTEM) ~= nil end
local function short(pod) return pod and match(pod, [[([^/]+)$]]) or nil end

-- Could what is said of s, a workload or a pod, be said of pod? Pods begin with the name of their job; a queue's Workload has another name.
local function may_be_of(s, pod)
  local space, name = s.fields.namespace or match(s.pod or "", [[^([^/]+)/]]), s.id == "k8s.workload" and s.fields.kind ~= "Workload" and s.fields.name
  local of = match(pod, [[^([^/]+)/]])
  return (not space or not of or space == of) and (not name or string.sub(short(pod), 1, #name) == name)
end
-- Those that may be of the pods whose output is here; and whether they are all of others. A cluster's list tells of all its jobs. Output of which nobody
-- knows the pod may be anybody's.
local function of_own(on, list)
  local output = join(on["app.progress"], on["app.traceback"])
  local pods = distinct(output, "pod")
  if #pods == 0 or #keep(output, function(s) return s.pod == nil end) > 0 then return list, false end
  local ours = keep(list, function(s) return #keep(pods, function(pod) return may_be_of(s, pod) end) > 0 end)
  return #ours > 0 and ours or list, #ours == 0
end

-- The deadline is the job's own limit of time, whoever keeps it.
correlate {
  id    = "k8s.deadline",
  group = "job",
  uses  = { "k8s.workload", "k8s.pod", "k8s.event" },
  reach = { "app.traceback", "app.cuda_oom", "app.progress", "k8s.container", "kubelet.grace_kill", "k8s.container_finished", "runtime.container_exit" },
  judge = function(case)
    local on = case.signals
    local all = keep(join(keep(on["k8s.workload"], function(s) return s.fields.type == "Failed" or s.fields.type == "FailureTarget" end), on["k8s.pod"], on["k8s.event"]), function(s)
      return s.fields.reason == "DeadlineExceeded" and not is_system(s)
    end)
    if #all == 0 then return {} end
    local anothers
    all, anothers = of_own(on, all)
    local head = first(all)
    -- what had failed before was only ended by it
    local failed = keep(join(on["app.traceback"], on["app.cuda_oom"]), function(s) return order(s, head) ~= "after" and match((s.fields.type or ""), [[SystemExit|KeyboardInterrupt|SignalException]]) == nil end)
    local pods = distinct(all, function(s) return short(s.pod) end)
    local ends = keep(join(on["k8s.container"], on["kubelet.grace_kill"], on["k8s.container_finished"], on["runtime.container_exit"]), function(s)
      local code = s.fields.exit_code or s.fields.code
      return (code == nil or code == 137 or code == 143) and (#pods == 0 or s.pod == nil or short(s.pod) == pods[1])
    end)
    local name = head.fields.name or short(head.pod) or head.fields.object
    local span
    for _, s in ipairs(all) do span = span or s.fields.deadline_s end
    return { { cause = "slurm.time_limit", severity = anothers and "note" or #failed > 0 and "warning" or "error", confidence = "certain", scope = "job", ranks = {}, evidence = all, symptoms = ends,
      confidence_why = "Kubernetes' own words: the deadline of the job is over", facts = { name = name, deadline_s = span },
      summary = string.format("%s was ended at its deadline%s", name and (head.pod and "Pod " or "Job ") .. name or "The job", span and string.format(" of %d s", span) or "") } }
  end,
}
correlate {
  id    = "k8s.gave_up",
  group = "job",
  uses  = { "k8s.workload" },
  reach = { "app.good_end", "app.progress", "app.traceback" },
  judge = function(case)
    local on, found = case.signals, {}
    local evicted = keep(on["k8s.workload"], function(s) return s.fields.type == "Evicted" and match(s.fields.reason or "", [[^Preempted$]]) ~= nil end)
    if #evicted > 0 then
      local anothers
      evicted, anothers = of_own(on, evicted)
      found[1] = { cause = "k8s.preempted", severity = anothers and "note" or nil, confidence = "certain", scope = "job", ranks = {}, evidence = evicted, confidence_why = "the queue's own words",
        summary = string.format("The queue took workload %s back: %s", evicted[1].fields.name or "?", evicted[1].fields.message or "preempted") }
    end
    local failed = keep(on["k8s.workload"], function(s) return s.fields.type == "Failed" and s.fields.reason ~= "DeadlineExceeded" end)
    if #failed > 0 and #on["app.good_end"] == 0 then
      local anothers
      failed, anothers = of_own(on, failed)
      local f = failed[1].fields
      found[#found + 1] = { cause = "unknown", severity = anothers and "note" or nil, confidence = "certain", scope = "job", ranks = {}, evidence = failed, confidence_why = "that its pods failed is a fact; why is in their own logs and states",
        summary = string.format("%s %s failed: %s%s", f.kind or "Job", f.name or "?", f.message or f.reason or "?", f.failed and string.format(" (%d pod%s)", f.failed, f.failed == 1 and "" or "s") or "") }
    end
    return found
  end,
}

-- A node that does not report: pods on it are lost to the cluster, whatever became of the machine.
correlate {
  id    = "k8s.node_silent",
  group = "job",
  uses  = { "k8s.pod", "k8s.node_condition" },
  reach = { "app.good_end", "kubelet.no_control_plane", "kernel.panic", "kernel.boot" },
  judge = function(case)
    local on = case.signals
    local silent = keep(on["k8s.node_condition"], function(s) return s.fields.type == "Ready" and s.fields.status == "Unknown" end)
    local lost = keep(on["k8s.pod"], function(s) return s.fields.reason == "NodeLost" and not is_system(s) end)
    if #silent + #lost == 0 or #on["app.good_end"] > 0 then return {} end
    local node = lost[1] and (lost[1].fields.node or lost[1].host) or silent[1] and silent[1].fields.node
    local here = keep(on["k8s.pod"], function(s) return s.fields.node == node and not is_system(s) end)
    local told = keep(silent, function(s) return s.fields.node == node end)
    local signs = keep(on["kubelet.no_control_plane"], function(s) return s.host == node end)
    local hurt = #lost > 0 or #here > 0
    return { { cause = "unknown", severity = hurt and "error" or "note", confidence = "certain", scope = "host", host = node, ranks = {}, evidence = join(signs, told, lost),
      confidence_why = "that the node does not report is a fact; why is only in its own logs", symptoms = hurt and keep(here, function(s) return s.fields.reason == nil end) or {},
      summary = string.format("Node %s stopped reporting to the control plane%s", node or "?", #here > 0 and string.format("; pod %s was on it", here[1].pod or "?") or "") } }
  end,
}

-- A pod that no node was found for. What it lacks is in the scheduler's message: a volume that nobody could make is a fault of its own, and a cluster
-- without room is not.
local VOLUME = [[unbound immediate PersistentVolumeClaims|persistentvolumeclaim "?[\w.-]+"? not found|volume node affinity conflict|did not find available persistent volumes]]
local NO_VOLUME = { ProvisioningFailed = true, FailedBinding = true, VolumeResizeFailed = false }
correlate {
  id    = "k8s.not_placed",
  group = "job",
  uses  = { "k8s.event" },
  reach = { "app.progress", "app.good_end", "k8s.container", "k8s.plugin_no_devices" },
  judge = function(case)
    local on, found = case.signals, {}
    local events = keep(on["k8s.event"], function(s) return not is_system(s) end)
    local refused = keep(events, function(s) return s.fields.reason == "FailedScheduling" end)
    local unmade = keep(events, function(s) return NO_VOLUME[s.fields.reason] == true end)
    if #refused + #unmade == 0 then return {} end
    local function began(pod)
      return #keep(events, function(s) return match(s.fields.reason or "", [[^(?:Scheduled|Started|Pulled|Created)$]]) ~= nil and short(s.pod) == short(pod) end)
        + #keep(on["k8s.container"], function(s) return short(s.pod) == short(pod) and s.fields.state ~= "waiting" and s.fields.state ~= nil end) > 0
    end
    local waits = keep(refused, function(s) return s.pod ~= nil and not began(s.pod) end)
    local volume = keep(waits, function(s) return match(s.fields.message or "", VOLUME) ~= nil end)
    local ran = #on["app.progress"] + #on["app.good_end"] > 0
    local lasting = #keep(unmade, function(s) return (s.fields.count or 1) >= 3 end) + #volume > 0
    if #unmade + #volume > 0 then
      local head = first(join(unmade, volume))
      found[1] = { cause = "k8s.image_or_mount", severity = lasting and not ran and "error" or "note", confidence = "likely", scope = "container", pod = volume[1] and volume[1].pod or nil, ranks = {}, evidence = join(unmade, volume),
        confidence_why = lasting and "the pod's volume could not be made or found, so that it was not placed" or "tried once; it may have succeeded afterwards",
        summary = string.format("The volume of pod %s could not be had: %s", volume[1] and volume[1].pod or "?", head.fields.message or head.fields.reason) }
    elseif #waits > 0 and #on["k8s.plugin_no_devices"] == 0 and not ran then
      found[1] = { cause = "unknown", severity = "warning", confidence = "certain", scope = "container", pod = waits[1].pod, ranks = {}, evidence = waits,
        confidence_why = "the scheduler's own words; whether the cluster should have had room is not in them",
        summary = "Pod {pod} was not placed on any node: {message}" }
    end
    return found
  end,
}
