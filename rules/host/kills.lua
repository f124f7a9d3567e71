-- Who killed it: programs that watch memory and kill before the kernel does (earlyoom, systemd-oomd, nohang), and what systemd says
-- of a unit that ended by a signal. The kernel's log is clean then, so a SIGKILL without an OOM report has an owner here.
-- Sources: earlyoom 1.x, systemd-oomd and service result texts, nohang.
signature {
  id      = "host.oom_guard",
  stream  = "any",
  needles = { "sending SIGKILL to process", "sending SIGTERM to process", "due to memory pressure for", "due to memory used", "Sending SIGKILL to ", "Sending SIGTERM to " },
  pattern = [[(?:[Ss]ending (?<signal>SIGKILL|SIGTERM) to (?:process )?(?<pid>\d+)(?: uid \d+)?[ ,]+"?(?<process>[^":,]+)"?(?=[":, ].*(?:VmRSS|oom_score|badness))|Killed (?<cgroup>/\S+) due to memory (?:pressure for|used))]],
  fields  = { signal = "text", pid = "pid", process = "process", cgroup = "cgroup" },
  match   = { 'sending SIGKILL to process 40211 uid 1000 "VLLM::EngineCor": oom_score 1311, VmRSS 6120 MiB, cmdline "VLLM::EngineCore"',
              'sending SIGTERM to process 2047 uid 1000 "python3": badness 1200, VmRSS 80120 MiB',
              "Killed /user.slice/user-1000.slice/user@1000.service/app.slice due to memory pressure for /user.slice being 70.12% > 60.00% for > 20s with reclaim activity" },
  ignore  = { "Sending process 2675 closing signal SIGTERM", "process 40211 exited after 0.9 seconds" },
  tells   = "a memory guard kills process {process} (pid {pid})",
}
signature {
  id      = "host.low_memory",
  stream  = "any",
  needles = { "low memory! at or below" },
  pattern = [[^low memory! at or below (?<signal>SIG\w+) limits]],
  fields  = { signal = "text" },
  match   = { "low memory! at or below SIGKILL limits: mem  3.00%, swap  5.00%" },
  ignore  = { "mem avail:  3921 of 122542 MiB ( 3.20%), swap free:    0 of    0 MiB ( 0.00%)" },
  tells   = "a memory guard sees too little memory",
}
signature {
  id      = "host.unit_killed",
  stream  = "host",
  needles = { "code=killed, status=", "code=dumped, status=", "Failed with result 'oom-kill'", "killed by the OOM killer" },
  pattern = [[^(?<unit>\S+\.(?:service|scope)): (?:Main process exited, code=(?<how>killed|dumped), status=(?<number>\d+)/(?<signal>\w+)|Failed with result '(?<result>oom-kill)'|A process of this unit has been (?<result>killed by the OOM killer))]],
  fields  = { unit = "text", how = "text", number = "int", signal = "text", result = "text" },
  match   = { "vllm-head.service: Main process exited, code=killed, status=9/KILL", "slurmd.service: A process of this unit has been killed by the OOM killer.",
              "trainer.service: Failed with result 'oom-kill'." },
  ignore  = { "vllm-head.service: Main process exited, code=exited, status=1/FAILURE", "nvidia-fabricmanager.service: Failed with result 'exit-code'." },
  tells   = "unit {unit} ended by a signal",
}

correlate {
  id    = "app.killed.oom_guard",
  group = "host",
  uses  = { "host.oom_guard", "host.low_memory" },
  judge = function(case)
    local kills = case.signals["host.oom_guard"]
    if #kills == 0 then return {} end
    local signs = keep(case.signals["host.low_memory"], function(s)
      return order(s, kills[1]) ~= "after" and is_near(s, kills[1], minutes(5))
    end)
    local head = first(kills)
    return { { cause = "app.killed", confidence = "certain", scope = "host", evidence = join(signs, kills), pid = head.pid, process = head.process, count = #kills,
      confidence_why = "the program that sent the signal says so itself",
      summary = string.format("A memory guard in user space killed %s%s%s; the kernel's OOM killer had no part in it", head.process or head.fields.cgroup or "a process",
        head.pid and string.format(" (pid %d)", head.pid) or "", #kills > 1 and string.format(", %d times", #kills) or ""),
      facts = { kills = #kills, signal = head.fields.signal } } }
  end,
}

-- systemd saw the end of a unit. Which signal, not whose.
local OWN = [[^(?:user@|session-|systemd-|run-|init\.scope|getty|packagekit|snapd|apt-)]]
correlate {
  id    = "app.killed.unit",
  group = "host",
  uses  = { "host.unit_killed" },
  reach = { "oom.report", "host.oom_guard", "host.shutdown", "host.unit_stop" },
  judge = function(case)
    local on, found, seen = case.signals, {}, {}
    local reports = keep(on["oom.report"], function(s) return s.host == case.host end)
    for _, s in ipairs(on["host.unit_killed"]) do
      local f = s.fields
      local asked = keep(join(on["host.shutdown"], keep(on["host.unit_stop"], function(x) return x.fields.unit == f.unit end)), function(x)
        local distance, known = gap(x, s)
        return x.host == case.host and known and distance <= minutes(2)
      end)
      if not seen[f.unit] and match(f.unit, OWN) == nil and #asked == 0 then
        if f.result and #reports == 0 then
          seen[f.unit] = true
          found[#found + 1] = { cause = "host.memcg_oom", confidence = "possible", severity = "error", scope = "host", evidence = { s },
            confidence_why = "systemd counted an OOM kill in the unit; the kernel's report is not there, so neither the limit nor its level is known",
            summary = "systemd reports an OOM kill in " .. f.unit }
        elseif f.number == 9 and #on["host.oom_guard"] == 0 and #reports == 0 then
          seen[f.unit] = true
          found[#found + 1] = { cause = "app.killed", confidence = "likely", scope = "host", evidence = { s },
            confidence_why = "the unit ended by SIGKILL; who sent it is not in it", summary = string.format("%s was killed by SIGKILL", f.unit) }
        elseif f.number == 11 or f.number == 7 or f.number == 4 or f.number == 8 then
          seen[f.unit] = true
          found[#found + 1] = { cause = "app.crash", severity = "warning", confidence = "likely", scope = "host", evidence = { s },
            confidence_why = "the unit ended by a fault of its own", summary = string.format("%s ended by SIG%s", f.unit, f.signal) }
        end
      end
    end
    return found
  end,
}
signature {
  id      = "host.unit_stop",
  stream  = "host",
  needles = { "Stopping ", "State 'stop-sigterm' timed out", "Killing process" },
  pattern = [[^(?:Stopping (?<unit>\S+\.service)\b|(?<unit>\S+\.service): (?:State 'stop-sigterm' timed out|Killing process \d+ .* with signal SIGKILL))]],
  fields  = { unit = "text" },
  match   = { "Stopping vllm-head.service - vLLM...", "vllm-head.service: State 'stop-sigterm' timed out. Killing." },
  ignore  = { "Stopping NVIDIA fabric manager service..." },
}
signature {
  id      = "launcher.return_code",
  stream  = "app",
  needles = { "exits with return code = -" },
  pattern = [[exits with return code = -(?<signal>\d+)]],
  fields  = { signal = "int" },
  match   = { "[2023-08-30 09:14:40,001] [ERROR] [launch.py:321:sigkill_handler] ['/usr/bin/python', 'train.py'] exits with return code = -9" },
  ignore  = { "exits with return code = 1" },
  tells   = "the launcher sees a process end by signal {signal}",
}
correlate {
  id    = "app.killed.return_code",
  group = "job",
  uses  = { "launcher.return_code" },
  judge = function(case)
    local said = keep(case.signals["launcher.return_code"], function(s) return s.fields.signal == 9 end)
    if #said == 0 then return {} end
    return { { cause = "app.killed", confidence = "likely", scope = "process", evidence = said,
      confidence_why = "the return code says SIGKILL; who sent it is not in it", summary = "The launcher saw a process killed by SIGKILL" } }
  end,
}

-- A session that was closed, on a machine where logind ends what was started in it (KillUserProcesses): nohup does not help, the whole scope goes.
-- Source: systemd src/core/unit.c (unit_kill_context: "Killing process ... with signal ..."), src/login/logind-session.c.
signature {
  id      = "host.session_kill",
  stream  = "host",
  needles = { ".scope: Killing process " },
  pattern = [[^(?<session>session-\w+\.scope): Killing process (?<pid>\d+) \((?<process>[^)]+)\) with signal SIG(?<signal>TERM|KILL|HUP)]],
  fields  = { session = "text", pid = "pid", process = "process", signal = "text" },
  fold    = { "session", "signal" },
  match   = { "session-45.scope: Killing process 8420 (torchrun) with signal SIGTERM.", "session-c2.scope: Killing process 91 (python3) with signal SIGKILL." },
  ignore  = { "session-45.scope: Deactivated successfully.", "vllm.service: Killing process 91 (python3) with signal SIGKILL." },
  tells   = "systemd ends the processes of a closed session",
}
correlate {
  id    = "app.killed.session",
  group = "host",
  uses  = { "host.session_kill" },
  reach = { "launcher.got_signal", "app.run_completed" },
  judge = function(case)
    local on, found = case.signals, {}
    for _, kills in ipairs(group_by(on["host.session_kill"], function(s) return s.fields.session end)) do
      -- every logout ends a shell or two; it was the job's where a launcher was told to end in the same moment
      local told = keep(on["launcher.got_signal"], function(s) return (s.host == nil or s.host == case.host) and is_near(kills[1], s, minutes(2)) end)
      if #told > 0 then
        found[#found + 1] = { cause = "app.killed", severity = ended_well(on["app.run_completed"], kills[1]) and "note" or nil, confidence = "likely", scope = "host", host = case.host, evidence = kills, symptoms = told, ranks = {},
          confidence_why = "systemd ended the processes of a login session, and the launcher was told to end in that moment",
          summary = string.format("The session that the job was started in (%s) was closed, and its processes were ended with it", kills[1].fields.session) }
      end
    end
    return found
  end,
}
