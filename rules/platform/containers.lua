-- What the container runtime and kubelet did, for the time line and for exit codes. An exit code 137 is SIGKILL: by the kernel,
-- by kubelet after the grace period, or by a person; the line does not say.
-- Sources: containerd 1.6 to 2.x (CRI plugin), kubelet 1.24 to 1.32.
signature {
  id = "runtime.sandbox_created", stream = "runtime", needles = { "RunPodSandbox for" },
  pattern = [[RunPodSandbox for (?:&PodSandboxMetadata\{Name:(?<name>[^,]+),Uid:(?<pod_uid>[0-9a-f-]+),Namespace:(?<ns>[^,]+),|name:"(?<name2>[^"]+)"\s+uid:"(?<pod_uid2>[0-9a-f-]+)").* returns sandbox id]],
  fields = { name = "text", pod_uid = "pod_uid", ns = "text", name2 = "text", pod_uid2 = "pod_uid" },
  match = { 'RunPodSandbox for &PodSandboxMetadata{Name:train-0,Uid:4c1de0a2-8b57-4f39-9d0e-6a2f71c3b8e4,Namespace:ml,Attempt:0,} returns sandbox id "70b8"' },
  ignore = { 'RunPodSandbox for &PodSandboxMetadata{Name:train-0,Uid:4c1de0a2-8b57-4f39-9d0e-6a2f71c3b8e4,Namespace:ml,Attempt:0,}' },
  tells = "pod sandbox created",
}
signature {
  id = "runtime.container_started", stream = "runtime", needles = { "StartContainer for" },
  pattern = [[StartContainer for "(?<container>[0-9a-f]{64})" returns successfully]], fields = { container = "container" },
  match = { 'StartContainer for "9b9706ba89a43cb58e7afeb928d7cce4e36d8ac3760d08d77f6355ad4618fdfa" returns successfully' },
  ignore = { 'StartContainer for "9b97"' }, tells = "container started",
}
signature {
  id = "runtime.container_exit", stream = "runtime", needles = { "exit event", "TaskExit event" },
  pattern = [[(?:received (?:container )?exit event|TaskExit event)[^\n]*?(?:container_id:"|ContainerID:)(?<container>[0-9a-f]{64}).*?(?:exit_status:|ExitStatus:)(?<code>\d+)]],
  fields = { container = "container", code = "int" },
  match = { 'received container exit event container_id:"9b9706ba89a43cb58e7afeb928d7cce4e36d8ac3760d08d77f6355ad4618fdfa"  id:"9b97"  pid:41234  exit_status:137  exited_at:{seconds:1767225600  nanos:123456789}' },
  ignore = { "received exit event from nobody" }, tells = "container exits with code {code}",
}
signature {
  id = "k8s.container_finished", stream = "k8s", needles = { "container finished" },
  pattern = [["Generic \(PLEG\): container finished" podID="(?<pod_uid>[0-9a-f-]+)" containerID="(?<container>[0-9a-f]{64})" exitCode=(?<code>\d+)]],
  fields = { pod_uid = "pod_uid", container = "container", code = "int" },
  match = { '"Generic (PLEG): container finished" podID="4c1de0a2-8b57-4f39-9d0e-6a2f71c3b8e4" containerID="9b9706ba89a43cb58e7afeb928d7cce4e36d8ac3760d08d77f6355ad4618fdfa" exitCode=137' },
  ignore = { '"Generic (PLEG): container finished"' }, tells = "kubelet sees the container finish with code {code}",
}
signature {
  id = "k8s.pleg", stream = "k8s", needles = { "SyncLoop (PLEG): event for pod" },
  pattern = [[SyncLoop \(PLEG\): event for pod" pod="(?<pod>[^"]+)" event=\{"ID":"(?<pod_uid>[0-9a-f-]+)","Type":"(?<type>\w+)","Data":"(?<container>[0-9a-f]{64})"\}]],
  fields = { pod = "pod", pod_uid = "pod_uid", type = "text", container = "container" },
  match = { '"SyncLoop (PLEG): event for pod" pod="ml/train-0" event={"ID":"4c1de0a2-8b57-4f39-9d0e-6a2f71c3b8e4","Type":"ContainerDied","Data":"9b9706ba89a43cb58e7afeb928d7cce4e36d8ac3760d08d77f6355ad4618fdfa"}' },
  ignore = { '"SyncLoop (PLEG): event for pod" pod="ml/train-0"' },
}
correlate {
  id    = "platform.exit_137",
  group = "container",
  uses  = { "runtime.container_exit", "k8s.container_finished", "k8s.container" },
  reach = { "kubelet.sync_delete", "kubelet.grace_kill" },
  judge = function(case)
    local on = case.signals
    local exits = keep(join(on["runtime.container_exit"], on["k8s.container_finished"], on["k8s.container"]), function(s)
      return (s.fields.code or s.fields.exit_code) == 137
    end)
    if #exits == 0 then return {} end
    -- kubelet stopped it because the API server asked for the pod's end: the SIGKILL is the end of the grace period
    local ended = first(exits)
    local function is_just_before(s)
      local distance, known = gap(s, ended)
      return order(s, ended) ~= "after" and known and distance <= minutes(15)
    end
    local stops = keep(on["kubelet.grace_kill"], function(s) return s.container == ended.container and is_just_before(s) end)
    local asked = #stops > 0 and keep(on["kubelet.sync_delete"], function(s) return s.pod ~= nil and s.pod == stops[1].pod and is_just_before(s) end) or {}
    return { { cause = "app.killed", confidence = "likely", scope = "container", evidence = join(asked, stops, exits),
      confidence_why = #asked > 0 and "the API server asked for the pod's end, and the SIGKILL is the end of its grace period; who asked is in the audit log" or "exit code 137 is SIGKILL; who sent it is not in it",
      summary = #asked > 0 and "the pod was deleted through the API; its container did not end in time and was killed (exit code 137)" or "the container ended with exit code 137 (SIGKILL)" } }
  end,
}

-- What the pod's status keeps of a container that ended badly: 139 and 135 name a crash, another code says only that it failed.
correlate {
  id    = "platform.exit_code",
  group = "container",
  uses  = { "k8s.container" },
  reach = { "app.good_end" },
  judge = function(case)
    local on, found = case.signals, {}
    local ended = keep(on["k8s.container"], function(s)
      local code = s.fields.exit_code or 0
      return code > 0 and code ~= 137 and code ~= 143 and s.fields.reason ~= "OOMKilled" and s.fields.last_state_reason ~= "OOMKilled" and s.fields.reason ~= "Completed"
        and match((s.fields.reason or "") .. (s.fields.last_state_reason or ""), [[StartError|ContainerCannotRun]]) == nil
    end)
    if #ended == 0 or #on["app.good_end"] > 0 then return {} end
    local crashed = keep(ended, function(s) return s.fields.exit_code == 139 or s.fields.exit_code == 135 end)
    if #crashed > 0 then
      local bus = first(crashed).fields.exit_code == 135
      return { { cause = "app.crash", confidence = "likely", scope = "container", evidence = crashed, confidence_why = "the exit code names the signal",
        summary = "The container ended by " .. (bus and "SIGBUS" or "SIGSEGV") } }
    end
    -- one that was started again and runs outlived it
    ended = keep(ended, function(s) return s.fields.state ~= "running" end)
    if #ended == 0 then return {} end
    return { { cause = "unknown", confidence = "certain", scope = "container", evidence = ended, confidence_why = "an exit code is a fact; why is not in it",
      summary = string.format("The container ended with exit code %d", first(ended).fields.exit_code) } }
  end,
}

-- docker stop, or whatever asked the daemon to: SIGTERM first, SIGKILL when its patience ends. Source: moby daemon/stop.go.
signature {
  id      = "docker.stop_forced",
  stream  = { "runtime", "host" },
  needles = { "failed to exit within " },
  pattern = [[Container (?:(?<id>[0-9a-f]{12,64}) )?failed to exit within (?<seconds>\d+)(?: ?s| seconds) of signal (?<signal>\d+) - using the force(?:.*\bcontainer=(?<id>[0-9a-f]{12,64}))?]],
  fields  = { id = "text", seconds = "int", signal = "int" },
  match   = { 'level=info msg="Container 0f9d3fb4e2b6 failed to exit within 10 seconds of signal 15 - using the force"', 'msg="Container failed to exit within 10s of signal 15 - using the force" container=0f9d3fb4e2b6aa' },
  ignore  = { 'msg="Container 0f9d3fb4e2b6 exited within 10 seconds of signal 15"' },
  tells   = "docker was told to stop the container, which did not end in {seconds} s",
}
-- docker or podman inspect: how the container ended, as its runtime kept it. OOMKilled is the cgroup's own counter.
correlate {
  id    = "container.inspect",
  group = "container",
  uses  = { "container.inspect" },
  reach = { "oom.report", "docker.stop_forced" },
  judge = function(case)
    local found = {}
    local KIND = { [137] = { "app.killed", "SIGKILL" }, [139] = { "app.crash", "SIGSEGV" }, [135] = { "app.crash", "SIGBUS" }, [143] = { "app.killed", "SIGTERM" } }
    for _, s in ipairs(case.signals["container.inspect"]) do
      local f = s.fields
      local told = keep(case.signals["oom.report"], function(r) return (r.fields.killed or 0) > 0 and (r.container == nil or s.container == nil or r.container == s.container) end)
      local who = f.name or (s.container and string.sub(s.container, 1, 12)) or "?"
      if f.oom_killed == 1 then
        if #told == 0 then
          found[#found + 1] = { cause = "host.memcg_oom", confidence = "likely", scope = "container", evidence = { s },
            confidence_why = "the container runtime counted an OOM kill in the container; the kernel log would name size and victim",
            summary = string.format("Container %s was killed for memory%s", who, f.memory_limit_kib and " (limit " .. size_text(f.memory_limit_kib) .. ")" or "") }
        end
      elseif KIND[f.exit_code] and f.status ~= "running" then
        local stops = f.exit_code == 137 and keep(case.signals["docker.stop_forced"], function(d)
          return d.fields.id ~= nil and s.container ~= nil and string.sub(d.fields.id, 1, 12) == string.sub(s.container, 1, 12)
        end) or {}
        found[#found + 1] = { cause = KIND[f.exit_code][1], severity = f.exit_code == 143 and "warning" or "error", confidence = "likely", scope = "container", evidence = join(stops, { s }),
          confidence_why = #stops > 0 and "the daemon was told to stop it, and sent SIGKILL when it did not end; who told it is not in its log" or "the exit code names the signal; who sent it is not in it", summary = string.format("Container %s ended by %s", who, KIND[f.exit_code][2]) }
      end
    end
    return found
  end,
}
