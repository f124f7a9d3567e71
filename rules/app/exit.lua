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
  needles = { "death signal, shutting down", "KeyboardInterrupt: terminated" },
  -- vLLM's servers raise a KeyboardInterrupt of this text when they get SIGTERM
  pattern = [[Received (?:Signals\.SIG[A-Z]+\.?|(?<signal>\d+)) death signal, shutting down workers|^KeyboardInterrupt: (?<word>terminated)$]],
  fields  = { signal = "int", word = "text" },
  match   = { "Received 15 death signal, shutting down workers", "KeyboardInterrupt: terminated" },
  ignore  = { "Sending process 2675 closing signal SIGTERM", "KeyboardInterrupt" },
  tells   = "the launcher or server itself was told to end",
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
-- A shell that runs one command says no more than this. From a rank's own output it is that rank.
signature {
  id      = "shell.ended_bare",
  stream  = "app",
  needles = { "Killed", "Segmentation fault", "Bus error" },
  pattern = [[^(?<how>Killed|Segmentation fault|Bus error)(?: \(core dumped\))?\s*$]],
  fields  = { how = "text" },
  match   = { "Killed", "Segmentation fault (core dumped)", "Bus error (core dumped)" },
  ignore  = { "Killed process 611854 (train_dlrm) total-vm:175442880kB", "Aborted (core dumped)", "Error: Segmentation fault in parser" },
  tells   = "a process ends: {how}",
}
signature {
  id      = "app.exit_line",
  stream  = "app",
  needles = { "exit", "terminated with code " },
  pattern = [[(?:(?:\[rank: (?<local_rank>\d+)\] )?Child process with PID|^Worker \S+ pid) (?<pid>\d+) (?:terminated with code|died, exit code:) (?<code>-?\d{1,3})(?:\.|$)|^Process (?<rank>\d+) exit with status code (?<code>\d{1,3})\.?$|^(?:ERROR:[\w.]+:)?(?:Global rank (?<rank>\d+) \(PID (?<pid>\d+)\) exited with code|Rank (?<rank>\d+) (?:crashed with exit code|scheduler died(?: during initialization)? \(exit code:)) (?<code>-?\d{1,3})(?:\)|\.?$)|^(?:rank (?<rank>\d+) pid (?<pid>\d+) )?exit(?:ed)?(?: with)?(?: code| status)?:? (?<code>-?\d{1,3})(?: \d{4}-\S+)?$]],
  fields  = { rank = "rank", local_rank = "local_rank", pid = "pid", code = "int" },
  match   = { "Global rank 5 (PID 905) exited with code -9", "ERROR:composer.cli.launcher:Rank 5 crashed with exit code -9.", "rank 0 pid 573 exit 134 2026-11-30T06:52:36+00:00", "exit 1", "exit 0", "Process 3 exit with status code 137.",
              "[rank: 0] Child process with PID 4245 terminated with code -9. Forcefully terminating all other processes to avoid zombies", "Worker VllmWorkerProcess pid 907 died, exit code: -15",
              "Rank 0 scheduler died during initialization (exit code: -9). If exit code is -9 (SIGKILL), a common cause is the OS OOM killer." },
  ignore  = { "exit barrier. Elapsed: 12 seconds", "exit 4294967295" },
  tells   = "exit {code}",
}

signature {
  id      = "app.exit_told",
  stream  = "app",
  needles = { "exit code", "exit status", "exited with" },
  pattern = [[\b(?:[Jj]ob|[Ww]orker|[Rr]ank|[Tt]ask|[Pp]rocess|[Cc]ommand|[Ss]cript)\b.{0,60}?\b(?:exit (?:code|status)|exited with(?: non-zero)?(?: exit)?(?: code| status)?)[ :=]+(?<code>[1-9]\d{0,2})\b]],
  fields  = { code = "int" },
  match   = { "2026-03-11 07:41:55 job 41 finished with status FAILED (worker 5 exit code 1)", "command terminated with exit code 3", "worker 2 exited with code 1" },
  ignore  = { "job 41 finished with exit code 0", "waiting for task 3", "exit code of the last probe: 1" },
  fold    = { "code" },
  tells   = "somebody ended with exit code {code}",
}

-- Python names the signal that ended a child: torch's spawn by the child's number, subprocess by the command, joblib by a set of codes.
-- Sources: torch/multiprocessing/spawn.py, CPython subprocess.CalledProcessError, joblib/externals/loky/process_executor.py.
signature {
  id      = "app.child_signal",
  stream  = "app",
  needles = { "terminated with signal SIG", "died with <Signals.SIG", "The exit codes of the workers are {" },
  pattern = [[\bprocess (?<local_rank>\d+) terminated with signal (?<how>SIG[A-Z]+)|\bdied with <Signals\.(?<how>SIG[A-Z]+): \d+>|The exit codes of the workers are \{(?<how>SIG[A-Z]+)\(-\d+\)]],
  fields  = { local_rank = "local_rank", how = "text" },
  match   = { "torch.multiprocessing.spawn.ProcessExitedException: process 1 terminated with signal SIGKILL", "subprocess.CalledProcessError: Command '['/usr/bin/python3', 'train.py']' died with <Signals.SIGSEGV: 11>.",
              "The exit codes of the workers are {SIGKILL(-9)}" },
  ignore  = { "torch.multiprocessing.spawn.ProcessExitedException: process 1 terminated with exit code 1", "The exit codes of the workers are {EXIT(1)}" },
  tells   = "a child process is ended by {how}",
}

-- One finding for each process that SIGKILL or a crash ended.
correlate {
  id    = "app.ended_by_signal",
  group = "job",
  uses  = { "launcher.worker_failed", "launcher.exitcode", "shell.ended_by_signal", "shell.ended_bare", "app.exit_line", "app.child_signal" },
  reach = { "host.disk", "app.progress", "app.own_rank", "app.traceback", "nccl.init_start" },
  judge = function(case)
    local on, found, by_who = case.signals, {}, {}
    -- a full /dev/shm gives no error: the first touch of a page that cannot be had is SIGBUS
    local shm = keep(on["host.disk"], function(d) return d.fields.mount == "/dev/shm" and (d.fields.used_pct or 0) >= 99 end)
    local places = distinct(join(on["app.child_signal"], on["app.progress"], on["app.own_rank"], on["app.traceback"], on["nccl.init_start"]), function(s) return s.host or s.member end)
    local spawned = #distinct(on["app.child_signal"], "member") == 1 and #places < 2 and #on["launcher.worker_failed"] + #on["launcher.exitcode"] == 0
    local function add(s, kind)
      local who = (s.rank and "rank " .. s.rank) or (s.pid and "pid " .. s.pid) or (s.local_rank and "local rank " .. s.local_rank) or s.member
      local key = kind .. who
      local one = by_who[key]
      if not one then
        local words = kind == "killed" and "was killed by SIGKILL" or kind == "segv" and "crashed with SIGSEGV" or "crashed with SIGBUS"
        -- of the processes that one parent spawned, and that are the whole job, the number is the rank
        local rank = s.rank or s.id == "app.child_signal" and spawned and s.local_rank or nil
        one = { cause = kind == "killed" and "app.killed" or "app.crash", confidence = "likely", rank = rank, ranks = rank and { rank } or nil,
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
    local HOW = { Killed = "killed", ["Segmentation fault"] = "segv", ["Bus error"] = "bus", SIGKILL = "killed", SIGSEGV = "segv", SIGBUS = "bus" }
    for _, s in ipairs(join(on["shell.ended_by_signal"], on["shell.ended_bare"], on["app.child_signal"])) do
      local kind = HOW[s.fields.how]
      if kind then add(s, kind) end
    end
    return found
  end,
}

-- A rank that ended by itself, with a code and no exception, while the others went on to wait for it: its exit is the failure, the timeouts
-- that follow are not. What a training loop says when it gives up is its last word.
signature {
  id      = "app.gave_up",
  stream  = "app",
  needles = { "stopping training", "topping.", "borting", "xiting" },
  pattern = [[(?i)\b(?:(?:loss|gradient|grad norm|output)s? (?:is|are|was|became) (?:nan|inf)\w*\b.{0,80}|(?:nan|inf) (?:loss|detected|found).{0,80})\b(?:stopping|aborting|exiting)]],
  fields  = {},
  match   = { "step 78: Loss is nan, stopping training", "NaN detected in gradients of layer 3, aborting" },
  ignore  = { "loss is nan, skipping the step", "Exiting the warm-up phase" },
  tells   = "the training loop gives up",
}
correlate {
  id    = "app.exit_first",
  group = "job",
  uses  = { "launcher.worker_failed", "launcher.exitcode", "app.exit_line" },
  reach = { "torch.watchdog_timeout", "gloo.timed_out", "app.traceback", "app.exception_line", "app.gave_up", "app.usage_error", "nccl.warn", "app.nccl_error" },
  judge = function(case)
    local on, found, seen = case.signals, {}, {}
    local waits = join(on["torch.watchdog_timeout"], on["gloo.timed_out"])
    if #waits == 0 then return {} end
    local told = join(on["app.traceback"], on["app.exception_line"], on["app.usage_error"], on["nccl.warn"], on["app.nccl_error"])
    for _, s in ipairs(join(on["launcher.worker_failed"], on["launcher.exitcode"], on["app.exit_line"])) do
      local code = s.fields.exitcode or s.fields.code
      local function is_mine(o) return o.member == s.member and (o.rank == nil or s.rank == nil or o.rank == s.rank) end
      local who = s.rank or s.pid or s.member
      if code and code > 0 and code < 126 and not seen[who] and #keep(told, is_mine) == 0 and #keep(waits, is_mine) == 0 and order(s, waits[1]) ~= "after" then
        local proven = order(s, waits[1]) == "before"
        local words = keep(on["app.gave_up"], is_mine)
        -- a rank that the others missed ends by itself, too, once they are gone: the clocks or its own words must say that it went first
        if not proven and #words == 0 then goto next end
        seen[who] = true
        found[#found + 1] = { cause = "app.exception", confidence = "likely", scope = s.rank and "rank" or "process", rank = s.rank, ranks = s.rank and { s.rank } or nil, evidence = join(words, { s }), symptoms = waits,
          confidence_why = #words > 0 and "it ended by itself and said why, while the others waited" or "it ended by itself before the others gave up waiting; it left no exception behind",
          summary = string.format("%s ended by itself with code %d, and the others waited for it", s.rank and string.format("rank %d", s.rank) or "a process", code) }
      end
      ::next::
    end
    return found
  end,
}

-- A program that never began: wrong arguments, a file, a module or a library that is not there, or one too old. Python's argparse and the
-- interpreter end with code 2, a shell and the dynamic linker with 127. Sources: argparse.ArgumentParser.error, CPython pymain, POSIX shells.
signature {
  id      = "app.usage_error",
  stream  = "app",
  needles = { ": error: ", "can't open file", "No module named", "command not found", ": symbol lookup error: ", ": error while loading shared libraries: ", "' not found (required by " },
  pattern = [[^(?:(?<program>(?!\w+Error:)[^\s:]+): (?:(?:symbol lookup error: \S+|(?<older>/\S+)): (?<text>undefined symbol: \S+|version [`']\S+ not found \(required by \S+\)$)|error while loading shared libraries: (?<text>\S+: .+))|(?<program>[\w./-]+\.py|torchrun|[\w-]+): error: (?<text>(?:unrecognized arguments|the following arguments are required|argument |ambiguous option|invalid choice|expected ).*)|\S*python[\d.]*: (?<text>can't open file .*|No module named \S+|Error while finding module specification for .*)|(?:\S+: )?(?:line \d+: )?(?<program>(?:\S*/)?(?:python[\d.]*|torchrun|deepspeed|accelerate|mpirun|srun|horovodrun|ray|vllm)): command not found)$]],
  fields  = { program = "text", text = "text", older = "text" },
  fold    = { "program", "text" },
  match   = { "pretrain.py: error: unrecognized arguments: --local-rank=0", "/usr/bin/python3: can't open file '/srv/app/train.py': [Errno 2] No such file or directory", "/usr/bin/python3: No module named torch",
              "bash: line 1: torchrun: command not found", "train.py: error: the following arguments are required: --config",
              "/opt/t/build/all_reduce_perf: symbol lookup error: /opt/t/build/all_reduce_perf: undefined symbol: ncclCommWindowRegister",
              "./all_reduce_perf: error while loading shared libraries: libnccl.so.2: cannot open shared object file: No such file or directory",
              "python3: /lib64/libc.so.6: version `GLIBC_2.99' not found (required by /opt/t/libextra.so)" },
  ignore  = { "ImportError: /lib64/libc.so.6: version `GLIBC_2.99' not found (required by /opt/t/_ext.so)", "bash: line 1: numactl: command not found", "gcc: error: unrecognized command-line option", "srun: error: gx07: task 3: Killed", "ModuleNotFoundError: No module named 'flash_attn'" },
  tells   = "{program}: {text}",
}
correlate {
  id    = "app.never_began",
  group = "job",
  uses  = { "app.usage_error" },
  reach = { "app.good_end", "app.progress", "app.traceback", "torch.store_gone", "launcher.worker_failed", "launcher.exitcode" },
  judge = function(case)
    local on, found, hosts = case.signals, {}, {}
    if #on["app.good_end"] > 0 then return {} end
    for _, s in ipairs(on["app.usage_error"]) do
      -- the loader says so of any tool that a job script calls: one that the job went on without was not the job
      local began = keep(join(on["app.progress"], s.fields.older and on["app.traceback"] or {}), function(p) return p.member == s.member and (p.line < s.line or s.fields.older ~= nil) end)
      local ended = keep(join(on["launcher.worker_failed"], on["launcher.exitcode"]), function(e)
        local code = e.fields.exitcode or e.fields.code
        return e.member == s.member and (code == 1 or code == 2 or code == 127)
      end)
      local key = s.host or s.member
      if #began == 0 and not hosts[key] then
        hosts[key] = true
        found[#found + 1] = { cause = "app.exception", confidence = #ended > 0 and "certain" or "likely", scope = s.rank and "rank" or s.host and "host" or "job", host = s.host, rank = s.rank, ranks = s.rank and { s.rank } or {},
          evidence = keep(on["app.usage_error"], function(o) return (o.host or o.member) == key end), symptoms = join(ended, on["torch.store_gone"]),
          confidence_why = #ended > 0 and "the program refused to start, and the launcher saw it end" or "the program refused to start",
          summary = string.format("%s did not start: %s", s.fields.program or "the program", s.fields.text or "command not found") }
      end
    end
    return found
  end,
}

-- A process that is gone, by the words of its own last breath or of its parent, and no reason with it. Segfault handlers name the signal.
-- Sources: glog, libstdc++ terminate handler, PyTorch's and Paddle's segfault handlers, vLLM v1 core_client.py, POSIX shells.
signature {
  id      = "app.last_words",
  stream  = "app",
  needles = { "*** Check failure stack trace: ***", "terminate called ", "died unexpectedly, shutting down", "got fatal signal from worker", "Segfault encountered", "Aborted ", "MPI_ABORT was invoked on rank ", "*** An error occurred in MPI_" },
  pattern = [[^(?:(?:\[[\w.-]+:\d+\] )?(?<text>\*\*\* An error occurred in MPI_\w+)|(?<text>\*\*\* Check failure stack trace: \*\*\*|terminate called (?:after throwing|without an active)|MPI_ABORT was invoked on rank \d+|!+ ?(?<segv>Segfault) encountered)|(?:\S+: )?line \d+:\s+\d+ (?<text>Aborted) +\(core dumped\))|(?<text>(?:Engine core|Worker) proc (?:VllmWorker-(?<rank>\d+)|\S+) died unexpectedly, shutting down|Mul(?:it|ti)procExecutor got fatal signal from worker processes)]],
  fields  = { text = "text", segv = "text", rank = "rank" },
  match   = { "*** Check failure stack trace: ***", "terminate called after throwing an instance of 'c10::Error'", "!!!!!!! Segfault encountered !!!!!!!", "MPI_ABORT was invoked on rank 0 in communicator MPI_COMM_WORLD",
              "Worker proc VllmWorker-1 died unexpectedly, shutting down executor.", "MulitprocExecutor got fatal signal from worker processes, shutting down.",
              "Engine core proc EngineCore_DP0 died unexpectedly, shutting down client.", "/opt/run.sh: line 109:  2944 Aborted                 (core dumped) ./trainer",
              "[gx7:2201] *** An error occurred in MPI_Allreduce" },
  ignore  = { "the run was Aborted (by the user)", "2 Segfaults encountered in the last test" },
  tells   = "a process ends: {text}",
}
correlate {
  id    = "app.last_words",
  group = "job",
  uses  = { "app.last_words" },
  reach = { "app.good_end", "app.cpp_error", "gloo.connect_failed", "gloo.timed_out", "app.lost_peer_gloo", "torch.watchdog_timeout", "app.nccl_error" },
  judge = function(case)
    local on, found = case.signals, {}
    if #on["app.good_end"] > 0 then return {} end
    local crashed = keep(on["app.last_words"], function(s) return s.fields.segv ~= nil end)
    if #crashed > 0 then
      local s = first(crashed)
      found[1] = { cause = "app.crash", confidence = "certain", scope = s.rank and "rank" or "process", rank = s.rank, ranks = distinct(crashed, "rank"), evidence = crashed,
        confidence_why = "the process's own handler names the signal", summary = "A process crashed with SIGSEGV" }
    end
    -- "terminate called" stands before the line that says what was thrown: where that is understood, the first says no more
    local what = join(on["app.cpp_error"], on["gloo.connect_failed"], on["gloo.timed_out"], on["app.lost_peer_gloo"], on["torch.watchdog_timeout"], on["app.nccl_error"])
    local said = {}
    for _, list in ipairs(group_by(what, "member")) do said[list[1].member] = list end
    local gone = keep(on["app.last_words"], function(s)
      local thrown = match(s.fields.text or "", [[^terminate called after]])
      return s.fields.segv == nil and not (thrown and #keep(said[s.member], function(w) return w.line > s.line and w.line <= s.line + 3 end) > 0)
    end)
    if #gone > 0 then
      found[#found + 1] = { cause = "unknown", confidence = "certain", scope = "job", evidence = gone, ranks = distinct(gone, "rank"),
        confidence_why = "that a process ended is a fact; why is not in its line", summary = "A process ended: " .. (first(gone).fields.text or "?") }
    end
    return found
  end,
}

-- The launcher was told to end: from outside, or by a launcher above it that saw another node fail.
correlate {
  id    = "app.killed.launcher",
  group = "job",
  uses  = { "launcher.got_signal" },
  reach = { "app.good_end" },
  judge = function(case)
    local on = case.signals
    if #on["app.good_end"] > 0 then return {} end
    local s = first(on["launcher.got_signal"])
    return { { cause = "app.killed", severity = "warning", confidence = "possible", scope = s.host and "host" or "job", host = s.host, evidence = on["launcher.got_signal"], ranks = {},
      confidence_why = s.fields.word and "it says so itself; who told it is in the logs of whoever started it" or "the launcher names the signal; who sent it is in the logs of whoever started it", summary = string.format("The %s was told to end%s", s.fields.word and "server" or "launcher", s.fields.signal and " by signal " .. s.fields.signal or "") } }
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
    local found, by_who = {}, {}
    for _, s in ipairs(bad) do
      local key = (s.host or s.member) .. "|" .. tostring(s.pid or s.rank or s.local_rank or "")
      local one = by_who[key]
      if not one then
        -- of very many processes one finding tells enough
        if #found == 64 then break end
        local code = s.fields.exitcode or s.fields.code
        one = { cause = "unknown", confidence = "certain", scope = "job", evidence = {}, confidence_why = "an exit code is a fact; why is not in it",
          summary = string.format("A process ended with exit code %d%s", code, EXIT_WORDS[code] and " (" .. EXIT_WORDS[code] .. ")" or "") }
        by_who[key] = one
        found[#found + 1] = one
      end
      one.evidence[#one.evidence + 1] = s
    end
    return found
  end,
}
