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
-- Somebody told the runtime to stop a container: kubelet, as a rule. SIGTERM first, SIGKILL when the time is over.
-- Sources: cri-o server/container_stop.go, containerd internal/cri/server/container_stop.go.
signature {
  id = "runtime.stop", stream = "runtime", needles = { "Stopping container", "StopContainer for ", "Kill container " },
  pattern = [[^(?:Stopping container:? (?<container>[0-9a-f]{64})(?: \(timeout: \d+s\)| with stop signal (?<forced>timed out))|StopContainer for "(?<container>[0-9a-f]{64})" with timeout \d+ \(s\)|(?<forced>Kill container) "(?<container>[0-9a-f]{64})")]],
  fields = { container = "container", forced = "text" },
  match = { "Stopping container: 9b9706ba89a43cb58e7afeb928d7cce4e36d8ac3760d08d77f6355ad4618fdfa (timeout: 30s)",
            'StopContainer for "9b9706ba89a43cb58e7afeb928d7cce4e36d8ac3760d08d77f6355ad4618fdfa" with timeout 30 (s)' },
  ignore = { 'StopContainer for "9b9706ba89a43cb58e7afeb928d7cce4e36d8ac3760d08d77f6355ad4618fdfa" returns successfully', "Stopped container 9b9706ba: ml/train-0/trainer" },
  tells = "the runtime is told to stop a container",
}
local function is_shortly_before(s, ended)
  local distance, known = gap(s, ended)
  return order(s, ended) ~= "after" and known and distance <= minutes(15)
end
-- Only a stop that had to be forced: a program that leaves in time is no news. Whose container it was the line does not tell, so that it stands behind
-- what the job says of itself; where the end itself is told, too, that line speaks of it.
correlate {
  id    = "app.killed.stopped",
  group = "host",
  uses  = { "runtime.stop", "docker.stop_forced" },
  reach = { "runtime.conmon", "runtime.container_exit", "k8s.container", "k8s.container_finished", "container.inspect", "app.good_end" },
  judge = function(case)
    local on = case.signals
    local function id_of(s) return s.container or s.fields.id end
    local forced = join(keep(on["runtime.stop"], function(s) return s.fields.forced ~= nil end), #on["container.inspect"] == 0 and on["docker.stop_forced"] or {})
    local found = {}
    for _, list in ipairs(group_by(forced, function(s) return id_of(s) or "?" end)) do
      local head, id = list[1], id_of(list[1])
      local told = keep(join(on["runtime.container_exit"], on["k8s.container"], on["k8s.container_finished"]), function(s) return s.container ~= nil and s.container == id end)
      local stops = keep(join(on["runtime.stop"], list), function(s) return id_of(s) == id and is_shortly_before(s, head) end)
      if #told == 0 then
        found[#found + 1] = { cause = "app.killed", severity = #on["app.good_end"] > 0 and "note" or "warning", confidence = "likely", scope = "container", host = head.host, container = head.container, evidence = stops,
          symptoms = keep(on["runtime.conmon"], function(s) return s.fields.code == 137 and id ~= nil and string.sub(id, 1, #s.fields.id) == s.fields.id end),
          confidence_why = "the runtime was told to stop it, and used SIGKILL when the time to end was over; who told it is not in it",
          summary = (id and "Container " .. string.sub(id, 1, 12) or "A container") .. " was stopped from outside and did not end in time" }
      end
    end
    return found
  end,
}
correlate {
  id    = "platform.exit_137",
  group = "container",
  uses  = { "runtime.container_exit", "k8s.container_finished", "k8s.container" },
  reach = { "kubelet.sync_delete", "kubelet.grace_kill", "runtime.stop" },
  judge = function(case)
    local on = case.signals
    local exits = keep(join(on["runtime.container_exit"], on["k8s.container_finished"], on["k8s.container"]), function(s)
      -- a container that kubelet could not find any more has 137 for want of a code
      return (s.fields.code or s.fields.exit_code) == 137 and s.fields.reason ~= "ContainerStatusUnknown"
    end)
    if #exits == 0 then return {} end
    -- kubelet stopped it because the API server asked for the pod's end: the SIGKILL is the end of the grace period
    local ended = first(exits)
    local function is_just_before(s) return is_shortly_before(s, ended) end
    local stops = keep(on["kubelet.grace_kill"], function(s) return s.container == ended.container and is_just_before(s) end)
    local asked = #stops > 0 and keep(on["kubelet.sync_delete"], function(s) return s.pod ~= nil and s.pod == stops[1].pod and is_just_before(s) end) or {}
    local runtime = keep(on["runtime.stop"], function(s) return s.container ~= nil and s.container == ended.container and is_just_before(s) end)
    return { { cause = "app.killed", confidence = "likely", scope = "container", evidence = join(asked, stops, runtime, exits),
      confidence_why = #asked > 0 and "the API server asked for the pod's end, and the SIGKILL is the end of its grace period; who asked is in the audit log" or #runtime > 0 and "the runtime was told to stop it before; who told it is in kubelet's log, or nowhere" or "exit code 137 is SIGKILL; who sent it is not in it",
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
    -- one that waits to be started again keeps how it ended as its last state
    local function waits(s) return s.fields.state == "waiting" and s.fields.reason == "CrashLoopBackOff" end
    local function code_of(s) return s.fields.exit_code or waits(s) and s.fields.last_exit_code or 0 end
    local ended = keep(on["k8s.container"], function(s)
      local code = code_of(s)
      return code > 0 and code ~= 137 and code ~= 143 and s.fields.reason ~= "OOMKilled" and s.fields.last_state_reason ~= "OOMKilled" and s.fields.reason ~= "Completed"
        and match((s.fields.reason or "") .. (s.fields.last_state_reason or ""), [[StartError|ContainerCannotRun]]) == nil
    end)
    if #ended == 0 or #on["app.good_end"] > 0 then return {} end
    local crashed = keep(ended, function(s) return code_of(s) == 139 or code_of(s) == 135 end)
    if #crashed > 0 then
      local bus = code_of(first(crashed)) == 135
      return { { cause = "app.crash", confidence = "likely", scope = "container", evidence = crashed, confidence_why = "the exit code names the signal",
        summary = "The container ended by " .. (bus and "SIGBUS" or "SIGSEGV") } }
    end
    -- one that was started again and runs outlived it
    ended = keep(ended, function(s) return s.fields.state ~= "running" end)
    if #ended == 0 then return {} end
    return { { cause = "unknown", confidence = "certain", scope = "container", evidence = ended, confidence_why = "an exit code is a fact; why is not in it",
      summary = string.format("The container ended with exit code %d%s", code_of(first(ended)), waits(first(ended)) and string.format(", and again each time that it was started (%d restarts)", first(ended).fields.restart_count or 0) or "") } }
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
