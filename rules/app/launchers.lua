-- How other launchers and frameworks say that a process ended, or that a peer is gone.
-- Sources: DeepSpeed launcher/launch.py; mpirun; UCX and Open MPI signal handlers; srun; absl failure handler; XLA coordination service and rendezvous; Ray; vLLM.
signature {
  id      = "deepspeed.exit",
  stream  = "app",
  needles = { "exits with return code = " },
  pattern = [[\[(?<command>.*)\] exits with return code = (?<code>-?\d+)]],
  fields  = { code = "int" , command = "text" },
  match   = { "['/opt/py/bin/python', '-u', 'sft.py', '--local_rank=7', '--deepspeed', 'ds_z3_offload.json'] exits with return code = -9" },
  ignore  = { "exits with return code = unknown" },
  tells   = "a worker ends with code {code}",
}
signature {
  id      = "deepspeed.host_memory",
  stream  = "app",
  needles = { "CPU Virtual Memory:" },
  pattern = [[CPU Virtual Memory:\s+used = (?<used>[\d.]+) GB, percent = (?<percent>[\d.]+)%]],
  fields  = { used = "float", percent = "float" },
  match   = { "CPU Virtual Memory:  used = 445.0 GB, percent = 88.4%" },
  ignore  = { "MA 0.24 GB         Max_MA 0.49 GB" },
}
signature {
  id      = "mpi.exit",
  stream  = { "app", "slurm" },
  needles = { "exited with non-zero status", "exited on signal" },
  pattern = [[(?:mpirun|mpiexec|orterun|prterun) (?:detected that one or more processes exited with non-zero status|noticed that process rank (?<rank>\d+) with PID \d+ on node (?<node>\S+) exited on signal (?<signal>\d+))]],
  fields  = { rank = "rank", node = "host", signal = "int" },
  match   = { "prterun noticed that process rank 1 with PID 4711 on node node-b exited on signal 9 (Killed).", "mpirun noticed that process rank 3 with PID 12041 on node trn-a17 exited on signal 9 (Killed).", "mpirun detected that one or more processes exited with non-zero status, thus causing the job to be terminated." },
  ignore  = { "mpirun exited" },
}
signature {
  id      = "absl.signal",
  stream  = "app",
  needles = { " received at time=" },
  pattern = [[^\*\*\* SIG(?<name>[A-Z]+) received at time=(?<at>\d+)]],
  fields  = { name = "text", at = "int" },
  match   = { "*** SIGSEGV received at time=1775970849 on cpu 19 ***" },
  ignore  = { "SIGSEGV received at time=now" },
  tells   = "the process receives SIG{name}",
}
signature {
  id      = "mpi.signal",
  stream  = "app",
  needles = { "Caught signal ", "] Signal: " },
  pattern = [[^\[(?<node>[\w.-]+):(?<pid>\d+)\s*(?::\d+:\d+)?\] (?:Caught signal (?<signal>\d+) \(|Signal: [A-Z][\w ]+ \((?<signal>\d+)\)$)]],
  fields  = { node = "host", pid = "pid", signal = "int" },
  match   = { "[gx-w0:5670 :0:5782] Caught signal 11 (Segmentation fault: address not mapped to object at address 0x18)", "[gx-a1:22011] Signal: Segmentation fault (11)" },
  ignore  = { "[gx-a1:22011] Signal code: Address not mapped (1)", "Caught signal 15, shutting down (cleanly)" },
  tells   = "pid {pid} receives signal {signal}",
}
-- Processes that MPI_Init could not join to one job, each of them rank 0 of 1: what they compute is wrong, and nothing fails.
-- Source: Open MPI 5 (ompi_rte, the help text of a PMI without PMIx).
signature {
  id      = "mpi.singletons",
  stream  = { "app", "slurm" },
  needles = { "singletons will be started" },
  pattern = [[\b(?<n>\d+) singletons will be started]],
  fields  = { n = "int" },
  match   = { "If srun is being used to launch application, 4 singletons will be started." },
  ignore  = { "singletons will be started as needed" },
  tells   = "{n} processes start as jobs of their own",
}
correlate {
  id    = "comm.misuse.singletons",
  group = "job",
  uses  = { "mpi.singletons" },
  reach = { "nccltests.bandwidth" },
  judge = function(case)
    local said = keep(case.signals["mpi.singletons"], function(s) return s.fields.n > 1 end)
    if #said == 0 then return {} end
    -- a communicator of one rank moves nothing: its bus bandwidth is 0, and more than one such result is one of each process
    local zero = keep(case.signals["nccltests.bandwidth"], function(s) return s.fields.busbw == 0 end)
    local proven = #zero > 1
    return { { cause = "comm.misuse", severity = not proven and "warning" or nil, confidence = proven and "certain" or "likely", scope = "job", evidence = join(said, proven and zero or nil),
      confidence_why = proven and "Open MPI says so, and each process measured itself alone" or "Open MPI says so",
      summary = string.format("The launcher and MPI did not find each other: %d processes ran as jobs of their own, rank 0 of 1 each (srun --mpi=pmix)", first(said).fields.n) } }
  end,
}
local CRASH_SIGNALS = { [4] = "ILL", [7] = "BUS", [8] = "FPE", [11] = "SEGV" }
correlate {
  id    = "app.signal_handler",
  group = "job",
  uses  = { "absl.signal", "mpi.signal" },
  judge = function(case)
    local found = {}
    for _, s in ipairs(case.signals["mpi.signal"]) do
      local name = CRASH_SIGNALS[s.fields.signal]
      if name then
        found[#found + 1] = { cause = "app.crash", confidence = "certain", scope = s.rank and "rank" or "process", evidence = { s }, rank = s.rank, ranks = s.rank and { s.rank } or nil, host = s.host, pid = s.pid,
          confidence_why = "the handler of the process's own communication library names the signal", summary = "A process crashed with SIG" .. name }
      end
    end
    for _, s in ipairs(case.signals["absl.signal"]) do
      if match(s.fields.name, [[^(?:SEGV|BUS|ILL|FPE)$]]) then
        found[#found + 1] = { cause = "app.crash", confidence = "certain", scope = "process", evidence = { s }, rank = s.rank,
          confidence_why = "the process's own handler names the signal", summary = "A process crashed with SIG" .. s.fields.name }
      elseif s.fields.name == "ABRT" then
        found[#found + 1] = { cause = "unknown", confidence = "certain", scope = "process", evidence = { s }, rank = s.rank,
          confidence_why = "the process's own handler names the signal; a program raises it of itself, and why is not in it", summary = "A process aborted (SIGABRT)" }
      end
    end
    return found
  end,
}
correlate {
  id    = "app.ended.launcher",
  group = "job",
  uses  = { "deepspeed.exit", "mpi.exit" },
  reach = { "deepspeed.host_memory" },
  judge = function(case)
    local on, found = case.signals, {}
    local killed = keep(on["deepspeed.exit"], function(s) return s.fields.code == -9 end)
    local killed_mpi = keep(on["mpi.exit"], function(s) return s.fields.signal == 9 end)
    if #killed + #killed_mpi > 0 then
      local full = keep(on["deepspeed.host_memory"], function(s) return s.fields.percent >= 80 end)
      local s = first(join(killed, killed_mpi))
      local rank = s.rank or tonumber(match(s.fields.command or "", [[--local_rank=(\d+)]]) or "")
      found[1] = { cause = "app.killed", confidence = "likely", scope = "job", evidence = join(full, killed, killed_mpi), rank = rank, ranks = rank and { rank } or nil,
        confidence_why = "the exit status says SIGKILL; who sent it is not in it" .. (#full > 0 and "; host memory was nearly full, so the kernel is a suspect" or ""),
        summary = "A worker was killed by SIGKILL" .. (#full > 0 and string.format("; host memory stood at %.0f %% before", full[#full].fields.percent) or "") }
    end
    local crashed = keep(join(on["mpi.exit"], on["deepspeed.exit"]), function(s) return CRASH_SIGNALS[s.fields.signal or -(s.fields.code or 0)] ~= nil end)
    if #crashed > 0 then
      local s = first(crashed)
      local rank = s.rank or tonumber(match(s.fields.command or "", [[--local_rank=(\d+)]]) or "")
      found[#found + 1] = { cause = "app.crash", confidence = "likely", scope = "process", evidence = crashed, rank = rank, ranks = rank and { rank } or nil,
        confidence_why = "the launcher names the signal", summary = string.format("A process ended by signal %d", s.fields.signal or -s.fields.code) }
    end
    local bad = keep(on["deepspeed.exit"], function(s) return s.fields.code ~= 0 and s.fields.code ~= -9 and not CRASH_SIGNALS[-s.fields.code] end)
    if #bad > 0 or #keep(on["mpi.exit"], function(s) return s.fields.signal == nil end) > 0 then
      found[#found + 1] = { cause = "unknown", confidence = "certain", scope = "job", evidence = join(bad, on["mpi.exit"]),
        confidence_why = "an exit code is a fact; why is not in it", summary = "A worker ended with an error" }
    end
    return found
  end,
}

-- ---- JAX, XLA, TensorFlow ----
signature {
  id      = "xla.heartbeat_lost",
  stream  = "app",
  needles = { "heartbeat timeout", "stopped sending heartbeats" },
  pattern = [[Task (?<task>/job:\S+/task:(?<number>\d+)) heartbeat timeout]],
  fields  = { task = "text", number = "int" },
  match   = { "UNAVAILABLE: Task /job:jax_worker/replica:0/task:0 heartbeat timeout. This indicates that the remote task has failed, got preempted, or crashed unexpectedly." },
  ignore  = { "heartbeat timeout set to 100s" },
  tells   = "the coordinator misses heartbeats of task {number}",
}
signature {
  id      = "xla.barrier_timeout",
  stream  = "app",
  needles = { "Barrier timed out" },
  pattern = [[DEADLINE_EXCEEDED: Barrier timed out\. (?:Barrier_id|Id): (?<id>\S+?)\.?(?: |$)]],
  fields  = { id = "text" },
  match   = { "Shutdown barrier in coordination service has failed: DEADLINE_EXCEEDED: Barrier timed out. Id: [Init]Shutdown::0. This usually happens because a task triggered the barrier too early or too slowly." },
  ignore  = { "Barrier timed out" },
}
-- The client ends itself because the service told it of another's end; the task that is named went first.
signature {
  id      = "xla.told_to_end",
  stream  = "app",
  needles = { "distributed service detected fatal errors", "tasks are unhealthy (stopped sending heartbeats)" },
  pattern = [[Terminating process because the (?:JAX )?distributed service detected fatal errors|The following tasks are unhealthy \(stopped sending heartbeats\)]],
  fields  = {},
  fold    = {},
  match   = { "Terminating process because the JAX distributed service detected fatal errors. This most likely indicates that another task died; see the other task logs for more details.",
              "Error reported to Coordinator: UNAVAILABLE: The following tasks are unhealthy (stopped sending heartbeats):" },
  ignore  = { "the distributed service detected 8 tasks" },
  tells   = "the coordination service ends this task: another one died",
}
-- Behind "Timed out task names:", one a line.
signature {
  id      = "xla.task_named",
  stream  = "app",
  needles = { "/task:" },
  pattern = [[^/job:\S+/replica:\d+/task:(?<number>\d+)\s*$]],
  fields  = { number = "int" },
  fold    = { "number" },
  match   = { "/job:jax_worker/replica:0/task:5" },
  ignore  = { "The first task at the barrier: /job:jax_worker/replica:0/task:3. Some timed out task names:", "Created device /job:worker/replica:0/task:1/device:GPU:0 with 78911 MB memory" },
}
signature {
  id      = "xla.unreachable",
  stream  = "app",
  needles = { "failed to connect to all addresses" },
  pattern = [[failed to connect to all addresses; last error: .*?\bipv[46]:(?<address>\S+): (?<why>\S.*?)(?:; | ?$)]],
  fields  = { address = "text", why = "text" },
  fold    = { "address" },
  match   = { "Coordination service agent in error status: UNAVAILABLE: failed to connect to all addresses; last error: UNKNOWN: ipv4:10.0.0.5:2222: Failed to connect to remote host: Connection refused" },
  ignore  = { "failed to connect to all addresses" },
  tells   = "{address} does not answer",
}
signature {
  id      = "xla.stuck",
  stream  = "app",
  needles = { "may be stuck", "Termination timeout for" },
  pattern = [[(?:This thread has been waiting for `(?<name>[^`]*)` for (?<seconds>[\d.]+) seconds and may be stuck|Termination timeout for `(?<name>[^`]*)` of (?<seconds>[\d.]+) seconds exceeded)]],
  fields  = { name = "text", seconds = "float" },
  match   = { "[id=0] This thread has been waiting for `initialize clique for rank 3` for 10 seconds and may be stuck. Expected 8 threads to join the rendezvous, but not all of them arrived on time." },
  ignore  = { "Thread is unstuck! Warning above was a false-positive." },
}
signature {
  id      = "xla.unstuck",
  stream  = "app",
  needles = { "Thread is unstuck" },
  pattern = [[Thread is unstuck!]],
  fields  = {},
  match   = { "[id=0] Thread is unstuck! Warning above was a false-positive. Perhaps the timeout is too short." },
  ignore  = { "may be stuck" },
}
signature {
  id      = "app.process_count",
  stream  = "app",
  needles = { "process_count()=", "process_count=" },
  pattern = [[process_count(?:\(\))?=(?<n>\d+)]],
  fields  = { n = "int" },
  match   = { "INFO:main: jax.process_count()=1 local devices=8" },
  ignore  = { "process_count unknown" },
}
-- What a program says that it begins, when nothing of the collectives comes after it: where the process was.
signature {
  id      = "app.long_step",
  stream  = "app",
  needles = { "pinned_host", "checkpoint", "saving", "Saving", "compil", "Compil", "loading", "Loading", "pinned memory" },
  pattern = [[(?i)(?<what>(?:device_put to |placing .*in )pinned_host|pinned memory|(?:saving|writing) (?:a )?(?:checkpoint|state dict|optimizer)\S*|compiling \S+|loading (?:checkpoint|weights|dataset)\S*)(?! (?:done|finished|took))]],
  fields  = { what = "text" },
  match   = { "INFO:main: 15:44:09 device_put to pinned_host started", "INFO: saving state dict with optimizer state sharding at step 1500" },
  ignore  = { "loading weights took 3.1 s" },
}
local REGISTER = [[Wait_for_all_tasks_to_register|PjRT_Client_Connect|Connect\b]]
correlate {
  id    = "xla.coordination",
  group = "job",
  uses  = { "xla.heartbeat_lost", "xla.barrier_timeout", "xla.stuck", "xla.unreachable", "xla.told_to_end" },
  reach = { "xla.task_named", "app.process_count", "app.long_step", "xla.unstuck", "app.progress", "app.run_completed" },
  judge = function(case)
    local on, found = case.signals, {}
    local lost = on["xla.heartbeat_lost"]
    if #lost > 0 then
      local f = first(lost).fields
      -- a job of one task that reports its own heartbeat as lost is alive: it was only busy
      local alone = #keep(on["app.process_count"], function(s) return s.fields.n == 1 end) > 0
      local doing = keep(on["app.long_step"], function(s) return s.member == first(lost).member and s.line < first(lost).line end)
      if alone then
        found[#found + 1] = { cause = "app.hang_outside", class = #on["app.progress"] == 0 and "init" or nil, confidence = #doing > 0 and "likely" or "possible", scope = "job", rank = f.number, ranks = { f.number }, evidence = #doing > 0 and { doing[#doing] } or lost, symptoms = lost,
          confidence_why = "the only task of the job lost its own heartbeat, so it was alive and busy elsewhere",
          summary = "The task was too busy to send heartbeats" .. (#doing > 0 and ": " .. doing[#doing].fields.what or "") }
        found[#found + 1] = { cause = "comm.timeout", confidence = "certain", scope = "job", evidence = lost, confidence_why = "the coordinator says so", summary = "The coordination service ended the job: no heartbeat of task " .. f.number }
      else
        found[#found + 1] = { cause = "net.peer_reset", confidence = "possible", scope = "job", evidence = lost, rank = f.number, ranks = { f.number },
          confidence_why = "a missing heartbeat does not say whether the task died, stood still or was cut off",
          summary = string.format("The coordinator got no heartbeat of task %d", f.number) }
      end
    end
    local told = on["xla.told_to_end"]
    if #told > 0 and #lost == 0 and #on["app.run_completed"] == 0 then -- tasks of a run that is over end in any order
      local named = keep(on["xla.task_named"], function(t)
        return #keep(told, function(b) return b.member == t.member and t.line > b.line and t.line <= b.line + 200 end) > 0
      end)
      local ranks = distinct(named, "number")
      found[#found + 1] = { cause = "net.peer_reset", confidence = "possible", scope = "job", evidence = join(told, named), rank = ranks[1], ranks = ranks,
        confidence_why = "whoever is told of another task's end survived it; why that one ended is in its own log",
        summary = "The coordination service ended tasks because another died" .. (#ranks > 0 and #ranks <= 16 and ": " .. table.concat(ranks, ", ") or "") }
    end
    local barrier = on["xla.barrier_timeout"]
    if #barrier > 0 then
      local named = keep(on["xla.task_named"], function(t)
        return #keep(barrier, function(b) return b.member == t.member and t.line > b.line and t.line <= b.line + 200 end) > 0
      end)
      local id, ranks = first(barrier).fields.id, distinct(named, "number")
      -- the id of a barrier at the end carries that of the one at the start: [Init]Wait_for_all_tasks_to_register::Shutdown::0
      local ending = match(id, [[Shutdown]]) ~= nil
      local init = not ending and match(id, REGISTER) ~= nil
      local who = #ranks > 0 and string.format("; task%s %s did not come", #ranks == 1 and "" or "s", table.concat(ranks, ", ")) or ""
      -- at the end of a run whoever failed before does not come, so the barrier is an effect
      local cause = init and "comm.init_stuck" or (#ranks > 0 and not ending) and "comm.missing_rank" or "comm.timeout"
      found[#found + 1] = { cause = cause, confidence = cause == "comm.timeout" and "certain" or "likely", scope = "job", evidence = join(barrier, named),
        ranks = cause ~= "comm.timeout" and ranks or nil, rank = cause ~= "comm.timeout" and ranks[1] or nil,
        confidence_why = #ranks > 0 and "the coordination service names who did not come; why is in their logs" or "the coordination service says so",
        summary = (init and "The job's tasks did not all register with the coordination service" or "A barrier of the coordination service timed out: " .. id) .. who }
    end
    local away = keep(on["xla.unreachable"], function(s) return #keep(on["app.progress"], function(p) return p.member == s.member end) == 0 end)
    if #away > 0 then
      local s = first(away)
      found[#found + 1] = { cause = "net.bootstrap_unreachable", confidence = "likely", scope = "job", rank = s.rank, ranks = s.rank and { s.rank } or {}, evidence = away,
        confidence_why = "gRPC names the address that it could not reach, and nothing was computed", summary = string.format("The coordinator at %s could not be reached: %s", s.fields.address, s.fields.why) }
    end
    local stuck = keep(on["xla.stuck"], function(s) return s.fields.seconds ~= nil end)
    if #stuck > 0 and #on["xla.unstuck"] == 0 and #keep(on["app.progress"], function(p) return order(stuck[1], p) == "before" end) == 0 then
      found[#found + 1] = { cause = "comm.init_stuck", confidence = "possible", scope = "job", evidence = stuck,
        confidence_why = "threads wait at a rendezvous, and nothing says that they went on", summary = "A rendezvous of XLA never completed: " .. (stuck[#stuck].fields.name or "?") }
    end
    return found
  end,
}
