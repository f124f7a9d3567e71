-- How processes ended, as launchers and shells say it. An exit by signal is a fact, its sender is not in it: SIGKILL alone is
-- "killed from outside". SIGTERM is the launcher closing the peers; SIGABRT is nearly always the watchdog or the C++ runtime
-- after an error that is printed elsewhere. Sources: torchrun's failure table, elastic agent, POSIX shells.
signature {
  id      = "launcher.exitcode",
  stream  = "app",
  needles = { "failed (exitcode:" },
  pattern = [[failed \(exitcode: (?<code>-?\d+)\) local_rank: (?<local_rank>\d+) \(pid: (?<pid>\d+)\) of]],
  fields  = { code = "int", local_rank = "local_rank", pid = "pid" },
  match   = { "failed (exitcode: -9) local_rank: 0 (pid: 2674) of binary: /opt/conda/bin/python3" },
  ignore  = { "train.py FAILED" },
  tells   = "the launcher sees local rank {local_rank} (pid {pid}) end with code {code}",
}
signature {
  id      = "launcher.sends_sigterm",
  stream  = "app",
  needles = { "closing signal SIGTERM", "via signal SIGTERM" },
  pattern = [[(?:Sending process|Closing process) (?<pid>\d+) (?:closing signal|via signal) SIGTERM]],
  fields  = { pid = "pid" },
  match   = { "Sending process 2675 closing signal SIGTERM", "Closing process 2675 via signal SIGTERM" },
  ignore  = { "Received 15 death signal, shutting down workers" },
  tells   = "the launcher ends pid {pid}",
}
signature {
  id      = "launcher.got_signal",
  stream  = "app",
  needles = { "death signal, shutting down" },
  pattern = [[Received (?:Signals\.SIG[A-Z]+\.?|(?<signal>\d+)) death signal, shutting down workers]],
  fields  = { signal = "int" },
  match   = { "Received 15 death signal, shutting down workers" },
  ignore  = { "Sending process 2675 closing signal SIGTERM" },
  tells   = "the launcher itself received signal {signal}",
}
signature {
  id      = "shell.ended_by_signal",
  stream  = "app",
  needles = { " Killed ", " Aborted ", "Segmentation fault", " Bus error ", "core dumped" },
  pattern = [[line \d+:\s+(?<pid>\d+) (?<how>Killed|Aborted|Segmentation fault|Bus error|Terminated)\b]],
  fields  = { pid = "pid", how = "text" },
  match   = { "./launch.sh: line 10:   573 Aborted                 python3 run.py", "run.sh: line 3:  4711 Segmentation fault (core dumped) python3 train.py" },
  ignore  = { "Killed process 611854 (train_dlrm) total-vm:175442880kB" },
}
signature {
  id      = "app.exit_line",
  stream  = "app",
  needles = { "exit" },
  pattern = [[^(?:rank (?<rank>\d+) pid (?<pid>\d+) )?exit(?:ed)?(?: with)?(?: code| status)?:? (?<code>-?\d{1,3})(?: \d{4}-\S+)?$]],
  fields  = { rank = "rank", pid = "pid", code = "int" },
  match   = { "rank 0 pid 573 exit 134 2026-11-30T06:52:36+00:00", "exit 1", "exit 0" },
  ignore  = { "exit barrier. Elapsed: 12 seconds", "exit 4294967295" },
  tells   = "exit {code}",
}

signature {
  id      = "app.exit_told",
  stream  = "app",
  needles = { "exit code", "exit status", "exited with" },
  pattern = [[(?i)\b(?:job|worker|rank|task|process|command|script)\b.{0,60}?\b(?:exit(?:ed)?|terminated|returned)\b(?: with| non-zero)?(?: exit)?(?: code| status)?[ :=]+(?<code>[1-9]\d{0,2})\b]],
  fields  = { code = "int" },
  match   = { "2026-03-11 07:41:55 job 41 finished with status FAILED (worker 5 exit code 1)", "command terminated with exit code 3", "worker 2 exited with code 1" },
  ignore  = { "job 41 finished with exit code 0", "waiting for task 3", "exit code of the last probe: 1" },
  fold    = { "code" },
  tells   = "somebody ended with exit code {code}",
}

-- One finding for each process that SIGKILL or a crash ended.
correlate {
  id    = "app.ended_by_signal",
  group = "job",
  uses  = { "launcher.worker_failed", "launcher.exitcode", "shell.ended_by_signal", "app.exit_line" },
  reach = { "host.df_full" },
  judge = function(case)
    local on, found, by_who = case.signals, {}, {}
    -- a full /dev/shm gives no error: the first touch of a page that cannot be had is SIGBUS
    local shm = keep(on["host.df_full"], function(d) return d.fields.mount == "/dev/shm" end)
    local function add(s, kind)
      local who = (s.rank and "rank " .. s.rank) or (s.pid and "pid " .. s.pid) or (s.local_rank and "local rank " .. s.local_rank) or s.member
      local key = kind .. who
      local one = by_who[key]
      if not one then
        local words = kind == "killed" and "was killed by SIGKILL" or kind == "segv" and "crashed with SIGSEGV" or "crashed with SIGBUS"
        one = { cause = kind == "killed" and "app.killed" or "app.crash", confidence = "likely", rank = s.rank, ranks = s.rank and { s.rank } or nil,
                confidence_why = kind == "killed" and "the exit status says SIGKILL; who sent it is not in it" or "the exit status names the signal",
                scope = "process", evidence = {}, summary = string.format("%s %s", who, words) }
        if kind == "bus" and #shm > 0 then
          one.cause, one.confidence_why = "host.shm_exhausted", "SIGBUS, and df shows that /dev/shm is full"
          one.summary, one.symptoms = one.summary .. "; /dev/shm is full", shm
        end
        by_who[key] = one
        found[#found + 1] = one
      end
      one.evidence[#one.evidence + 1] = s
    end
    local KIND = { [-9] = "killed", [137] = "killed", [-11] = "segv", [139] = "segv", [-7] = "bus", [135] = "bus" }
    for _, s in ipairs(on["launcher.worker_failed"]) do
      local kind = KIND[s.fields.exitcode]
      if kind then add(s, kind) end
    end
    for _, s in ipairs(join(on["launcher.exitcode"], on["app.exit_line"])) do
      local kind = KIND[s.fields.code]
      if kind then add(s, kind) end
    end
    local HOW = { Killed = "killed", ["Segmentation fault"] = "segv", ["Bus error"] = "bus" }
    for _, s in ipairs(on["shell.ended_by_signal"]) do
      local kind = HOW[s.fields.how]
      if kind then add(s, kind) end
    end
    return found
  end,
}

-- What an exit status says by convention: a shell adds 128 to the signal, Python negates it, timeout(1) leaves 124.
local EXIT_WORDS = { [-6] = "SIGABRT", [134] = "SIGABRT", [-15] = "SIGTERM", [143] = "SIGTERM", [-2] = "SIGINT", [130] = "SIGINT",
  [124] = "the time limit of timeout" }

-- A failure that is seen but says nothing: a non-zero exit with nothing else. It stands only where nothing explains it.
correlate {
  id    = "app.exit_nonzero",
  group = "job",
  uses  = { "launcher.worker_failed", "launcher.exitcode", "app.exit_line", "app.exit_told" },
  reach = { "app.good_end" },
  judge = function(case)
    local on = case.signals
    local told = #on["app.good_end"] == 0 and on["app.exit_told"] or {}
    local bad = keep(join(on["launcher.worker_failed"], on["launcher.exitcode"], on["app.exit_line"], told), function(s)
      local code = s.fields.exitcode or s.fields.code
      return code ~= nil and code ~= 0 and code ~= -9 and code ~= 137 and code ~= -11 and code ~= 139 and code ~= -7 and code ~= 135
    end)
    if #bad == 0 then return {} end
    local f = first(bad).fields
    local code = f.exitcode or f.code
    return { { cause = "unknown", confidence = "certain", scope = "job", evidence = bad,
      confidence_why = "an exit code is a fact; why is not in it",
      summary = string.format("A process ended with exit code %d%s", code, EXIT_WORDS[code] and " (" .. EXIT_WORDS[code] .. ")" or "") } }
  end,
}
