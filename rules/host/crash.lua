-- The kernel itself crashed, or a process did: panic, oops; segfaults and traps with the library in which they happened.
-- A segfault of some daemon explains no job, so only processes and libraries of the job count.
-- Sources: kernel panic.c, arch/x86/mm/fault.c (show_signal_msg), traps.c, audit; systemd-coredump.
signature {
  id      = "kernel.panic",
  stream  = "kernel",
  needles = { "Kernel panic - not syncing", "BUG: unable to handle", "BUG: kernel NULL pointer", "general protection fault, ", "kernel BUG at ", "Oops: " },
  pattern = [=[^(?<text>Kernel panic - not syncing: .*|BUG: unable to handle (?:page fault|kernel \w+).*|BUG: kernel NULL pointer dereference.*|general protection fault, (?:probably for|maybe for|0000).*|kernel BUG at .*|Oops: [0-9a-f]{4} \[#\d+\].*)]=],
  fields  = { text = "text" },
  match   = { "Kernel panic - not syncing: Fatal exception", "BUG: unable to handle page fault for address: ffffb0c0000", "Oops: 0000 [#1] SMP NOPTI" },
  ignore  = { "traps: python3[41234] general protection fault ip:7f sp:7f error:0 in libx.so", "---[ end Kernel panic - not syncing: Fatal exception ]---" },
  tells   = "{text}",
}
signature {
  id      = "kernel.segfault",
  stream  = "kernel",
  needles = { "]: segfault at ", "] trap ", "] general protection fault ip", "]: unhandled exception: " },
  pattern = [=[^(?:traps: )?(?<process>.{1,32}?)\[(?<pid>\d+)\](?:: (?<how>segfault) at (?<address>[0-9a-f]+) ip [0-9a-f]+ sp [0-9a-f]+ error (?<error>[0-9a-f]+)| (?<how>trap [\w ]+?|general protection fault) ip:[0-9a-f]+ sp:[0-9a-f]+ error:[0-9a-f]+|: (?<how>unhandled exception): .*?)(?:,? in (?<library>[^\[\s]+)\[.*)?(?: likely on CPU.*)?$]=],
  fields  = { process = "process", pid = "pid", how = "text", address = "text", error = "text", library = "text" },
  match   = { "python3[41234]: segfault at 7f12 ip 00007f0a sp 00007f0b error 4 in libnccl.so.2[7f0000+2e0000]",
              "llm-server[16980]: segfault at 20d803fdc ip 00007dbe270a3e47 sp 00007ffff184bf00 error 4 in libcuda.so.570.133.20[4a3e47,7dbe26d79000+d1c000] likely on CPU 29 (core 14, socket 0)",
              "traps: python3[41234] trap invalid opcode ip:7f01 sp:7f02 error:0 in libx.so[7f0000+1000]" },
  ignore  = { "systemd-rc-local-generator[846692]: /etc/rc.d/rc.local is not marked executable, skipping." },
  tells   = "process {process} (pid {pid}): {how} in {library}",
}
signature {
  id      = "kernel.seccomp",
  stream  = "kernel",
  needles = { "type=1326", "type=1701" },
  pattern = [[^audit: type=(?<type>1326|1701) audit\([\d.:]+\): .*?pid=(?<pid>\d+) comm="(?<process>[^"]*)" .*?sig=(?<signal>[1-9]\d*)(?:.*?syscall=(?<syscall>\d+))?]], -- without a signal the call was logged, and went on
  fields  = { type = "int", pid = "pid", process = "process", signal = "int", syscall = "int" },
  match   = { 'audit: type=1326 audit(1767225600.123:456): auid=1000 uid=1000 gid=1000 ses=1 subj=unconfined pid=41234 comm="python3" exe="/usr/bin/python3.11" sig=31 arch=c000003e syscall=442 compat=0 ip=0x7f code=0x80000000' },
  ignore  = { 'audit: type=1326 audit(1767225600.123:456): auid=1000 uid=1000 gid=1000 ses=1 subj=unconfined pid=41234 comm="python3" exe="/usr/bin/python3.11" sig=0 arch=c000003e syscall=442 compat=0 ip=0x7f code=0x7ffc0000',
              'audit: type=1400 audit(1725016221.624:57569): apparmor="STATUS" operation="profile_load" pid=32865 comm="apparmor_parser"' },
}
signature {
  id      = "host.coredump",
  stream  = "host",
  needles = { "dumped core" },
  pattern = [[^Process (?<pid>\d+) \((?<process>[^)]+)\) of user \d+ dumped core]],
  fields  = { pid = "pid", process = "process" },
  match   = { "Process 41234 (python3) of user 1000 dumped core." },
  ignore  = { "Segmentation fault (core dumped)" },
}

correlate {
  id    = "host.kernel_panic",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.panic" },
  reach = { "app.traceback", "slurm.node_down", "k8s.event" },
  judge = function(case)
    local found, on = {}, case.signals
    -- a process of this machine that lived to raise an exception of its own did not die with the kernel
    local lived = keep(on["app.traceback"], function(s)
      return s.host == case.host and match((s.fields.type or "") .. (s.fields.message or ""), [[DistBackend|DistNetwork|DistStore|NCCL|Connection|Broken pipe|CUDA|Errno|ChildFailed|Signal]]) == nil
    end)
    local missed = #on["slurm.node_down"] + #keep(on["k8s.event"], function(s) return s.fields.reason == "NodeNotReady" or s.fields.reason == "Rebooted" end)
    for _, run in ipairs(episodes(minutes(10), case.signals["kernel.panic"])) do
      local dead = keep(run, function(s) return match(s.fields.text, [[^Kernel panic]]) ~= nil end)
      local lockup = match(first(run).fields.text, [[hung_task: blocked tasks|softlockup|hard LOCKUP|Machine check|Memory failure]])
      local earlier = match(first(run).member or "", [=[(?:boot|-b)[_ -]+-?[1-9]\d*$|boot[_ -]-[1-9]]=]) ~= nil
      local past = earlier and #lived > 0 and missed == 0
      found[#found + 1] = { cause = "host.kernel_panic", severity = past and "note" or #dead > 0 and "critical" or "error", confidence = "certain", scope = "host", evidence = run,
        confidence_why = "the kernel's own last words", summary = "The kernel crashed: " .. string.sub(first(run).fields.text, 1, 160) .. (past and "; in an earlier boot, which the job outlived" or ""),
        facts = { text = first(run).fields.text, lockup = lockup } }
    end
    return found
  end,
}

local JOB_LIBRARY = [[libnccl|librccl|libcuda|libcudart|libtorch|libc10|libcublas|libcudnn|libpython|libgloo|libibverbs|libmlx5|libfabric|libnvshmem|libmpi|libucp|libuct]]
local JOB_PROCESS = [[^(?:python|pt_|train|torchrun|ray::|VLLM|vllm|sglang|trtllm|tritonserver|mpirun|caffe|all_reduce|llm|java|julia)|perf$]]

-- The kernel names a thread by its own number, which no log of the job knows. Where RAS misses exactly one rank of this host, it is that one's. RAS knows
-- hosts by address, so that the rank's own log or a list of processes tells where it ran.
local function rank_gone_here(gone, seen, host)
  local here = {}
  for _, g in ipairs(gone) do
    for _, s in ipairs(g.rank ~= nil and seen or {}) do
      if s.host == host and (s.rank == g.rank or s.rank == nil and s.pid ~= nil and s.pid == g.fields.pid) then here[#here + 1] = g end
    end
  end
  if #distinct(here, "rank") == 1 then return here[1].rank, { here[1] } end
  return nil, nil
end

correlate {
  id    = "app.crash.kernel",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.segfault", "kernel.seccomp", "host.coredump", "kernel.memory_failure" },
  reach = { "app.run_completed", "ras.missing_rank", "nccl.init_start", "host.process" },
  judge = function(case)
    local on, found, by_pid = case.signals, {}, {}
    local poisoned = keep(on["kernel.memory_failure"], function(s) return s.pid ~= nil end)
    for _, s in ipairs(join(on["kernel.segfault"], on["host.coredump"], on["kernel.seccomp"], poisoned)) do
      local key = tostring(s.pid)
      if not by_pid[key] then
        local job = s.id == "kernel.memory_failure" or s.rank ~= nil or match(s.fields.library or "", JOB_LIBRARY) ~= nil or match(s.process or "", JOB_PROCESS) ~= nil
        local words = s.id == "kernel.seccomp" and (s.fields.type == 1326 and string.format("was stopped by seccomp at system call %s", tostring(s.fields.syscall or "?"))
          or string.format("ended by signal %d", s.fields.signal)) or s.id == "host.coredump" and "dumped core" or s.id == "kernel.memory_failure" and "got SIGBUS: it touched a broken memory page"
          or string.format("crashed: %s%s", s.fields.how or "fault", s.fields.library and " in " .. s.fields.library or "")
        job = job and (s.rank ~= nil or not ended_well(on["app.run_completed"], s))
        local rank, missed = nil, nil
        if job and s.rank == nil and case.host then rank, missed = rank_gone_here(on["ras.missing_rank"], join(on["nccl.init_start"], on["host.process"]), case.host) end
        if rank then words = words .. string.format("; NCCL's RAS service has no answer of rank %d of this host", rank) end
        by_pid[key] = { cause = "app.crash", severity = job and "error" or "note", confidence = "certain", scope = "process", pid = s.pid, process = s.process, rank = rank, ranks = rank and { rank } or nil,
          evidence = {}, symptoms = missed,
          confidence_why = "the kernel reports the crash", summary = string.format("Process %s (pid %s) %s", s.process or "?", key, words),
          facts = { library = s.fields.library, process = s.process } }
        found[#found + 1] = by_pid[key]
      end
      table.insert(by_pid[key].evidence, s)
    end
    return found
  end,
}
