-- A memory cgroup reached its limit and the kernel killed in it. The job sees NCCL fail, a socket close, or exit code 137;
-- the cause is the limit. Certain only with the kernel's own report. The container runtime (TaskOOM), the pod's status
-- (OOMKilled) and Slurm's step end say the same without who and how much; exit code 137 alone only says SIGKILL.
-- Sources: kernel mm/oom_kill.c, mm/memcontrol.c (report order and texts); containerd TaskOOM; kubelet OOMKilled;
-- Slurm oom_kill step message.
local NEAR, STRAIN = minutes(10), seconds(120)
local LATE = minutes(30) -- the runtime and kubelet report an OOM kill minutes after it

signature {
  id      = "runtime.task_oom",
  stream  = "runtime",
  needles = { "TaskOOM" },
  pattern = [[TaskOOM event .*?(?<container>[0-9a-f]{64})]],
  fields  = { container = "container" },
  match   = { 'TaskOOM event container_id:"9b9706ba89a43cb58e7afeb928d7cce4e36d8ac3760d08d77f6355ad4618fdfa"',
              'TaskOOM event &TaskOOM{ContainerID:9b9706ba89a43cb58e7afeb928d7cce4e36d8ac3760d08d77f6355ad4618fdfa,XXX_unrecognized:[],}' },
  ignore  = { "StopContainer for 9b9706ba89a43cb58e7afeb928d7cce4e36d8ac3760d08d77f6355ad4618fdfa returns successfully" },
  tells   = "the container runtime reports TaskOOM",
}
-- CRI-O's and podman's watcher of one container; it prints the first 20 digits of the id.
signature {
  id      = "runtime.conmon",
  stream  = "runtime",
  needles = { "conmon " },
  pattern = [[^conmon (?<id>[0-9a-f]{12,64}) <n\w+>: (?:(?<oom>OOM (?:event )?received)|container \d+ exited with status (?<code>\d+))]],
  fields  = { id = "text", oom = "text", code = "int" },
  match   = { "conmon 9b9706ba89a43cb58e7a <ninfo>: OOM received", "conmon 9b9706ba89a43cb58e7a <ninfo>: OOM event received", "conmon 9b9706ba89a43cb58e7a <ninfo>: container 1848 exited with status 137" },
  ignore  = { "conmon 9b9706ba89a43cb58e7a <ninfo>: terminal_ctrl_fd: 13" },
  tells   = "the watcher of container {id}: {oom}{code}",
}

signature {
  id      = "slurm.oom_kill",
  stream  = { "slurm", "app" },
  needles = { "oom_kill event", "oom-kill event" },
  pattern = [[Detected (?<kills>\d+) oom[_-]kill event(?:s|\(s\))? in (?:StepId=|step )(?<step>[0-9a-z_+]+(?:\.[0-9a-z_+]+)*)]],
  fields  = { kills = "int", step = "text" },
  match   = { "slurmstepd: error: Detected 1 oom_kill event in StepId=123.0. Some of the step tasks have been OOM Killed.",
              "slurmstepd: error: Detected 2 oom-kill event(s) in step 123.batch cgroup. Some of your processes may have been killed by the cgroup out-of-memory handler." },
  ignore  = { "StepId=123.0 hit memory limit at least once during execution. This may or may not result in some failure." },
  tells   = "Slurm reports {kills} OOM kill(s) in step {step}",
}

signature {
  id      = "host.memory_events",
  stream  = "host",
  needles = { "oom_kill " },
  pattern = [[^oom_kill (?<kills>[1-9]\d*)$]],
  fields  = { kills = "int" },
  match   = { "oom_kill 2" },
  ignore  = { "oom_kill 0", "oom_group_kill 2", "oom_kill_disable 0" },
}

-- Whose limit: a path above the pods is the node's reservation for pods, not the container's own limit.
local function level_of(cgroup)
  if not cgroup then return "memory cgroup" end
  if match(cgroup, [[(?:cri-containerd-|crio-|docker-|libpod-)[0-9a-f]{12,}|/[0-9a-f]{64}(?:/|$)]]) then return "container" end
  if match(cgroup, [[pod[0-9a-f]{8}[-_][0-9a-f]{4}]]) then return "pod" end
  if match(cgroup, [[job_\d+/step_]]) then return "Slurm step" end
  if match(cgroup, [[job_\d+]]) then return "Slurm job" end
  if match(cgroup, [[^/?kubepods|kubepods(?:-\w+)?\.slice$]]) then return "slice of all pods" end
  return "cgroup"
end

local function add_number(list, seen, n)
  if n and not seen[n] then
    seen[n] = true
    list[#list + 1] = n
  end
end

-- One finding for all reports of one cgroup within NEAR: kills come in bursts.
local function from_reports(reports, strained)
  local found = {}
  for _, run in ipairs(episodes(NEAR, reports)) do
    local groups, names = {}, {}
    for _, s in ipairs(run) do
      local key = s.fields.memcg or s.fields.cgroup or ""
      if not groups[key] then
        groups[key] = {}
        names[#names + 1] = key
      end
      groups[key][#groups[key] + 1] = s
    end
    for _, key in ipairs(names) do
      local here = groups[key]
      local f, killed, seen, ranks, seen_rank, top = here[1].fields, {}, {}, {}, {}, here[1]
      for _, s in ipairs(here) do
        add_number(killed, seen, s.fields.pid)
        for _, pid in ipairs(numbers(s.fields.killed_pids)) do add_number(killed, seen, pid) end -- of a group that goes together
        add_number(ranks, seen_rank, s.rank)
        if (s.fields.usage_kib or 0) > (top.fields.usage_kib or 0) then top = s end
      end
      f = top.fields
      -- a cause begins before the line that names it: reclaim stalls and pinning fails while the cgroup fills up
      local signs = keep(strained, function(s)
        local distance, known = gap(s, here[1])
        return known and distance <= STRAIN
      end)
      local size = ""
      if f.usage_kib and f.limit_kib then
        size = string.format("%s of %s used", size_text(f.usage_kib), size_text(f.limit_kib))
      end
      local level = level_of(f.memcg or f.cgroup)
      table.sort(ranks)
      local whom = f.process and (" of " .. f.process) or ""
      if #ranks > 0 and #ranks <= 16 then
        whom = whom .. string.format(" (rank%s %s)", #ranks == 1 and "" or "s", table.concat(ranks, ", "))
      end
      local what = #killed > 0 and string.format("; the kernel killed %d process%s%s", #killed, #killed == 1 and "" or "es", whom) or ""
      local made = ""
      if f.anon_kib and f.shmem_kib then
        made = string.format(" (anonymous %s, shared memory %s, file cache %s)", size_text(f.anon_kib), size_text(f.shmem_kib),
          size_text(f.file_kib and math.max(f.file_kib - f.shmem_kib, 0) or 0))
      end
      found[#found + 1] = {
        cause = "host.memcg_oom", confidence = "certain",
        confidence_why = "the kernel's own report names the cgroup, the limit and the process it killed",
        scope = "container", evidence = here, symptoms = signs, ranks = ranks,
        summary = string.format("The memory limit of the %s was reached%s%s%s", level, size ~= "" and ": " .. size or "", what, made),
        facts = { usage_kib = f.usage_kib, limit_kib = f.limit_kib, anon_kib = f.anon_kib, shmem_kib = f.shmem_kib, file_kib = f.file_kib,
                  cgroup = f.memcg or f.cgroup, level = level, killed = #killed, killed_pids = table.concat(killed, ","),
                  failcnt = f.failcnt, pod_uid = top.pod_uid, container = top.container, process = f.process },
      }
    end
  end
  return found
end

-- The daemon through which the scheduler sees the node stood in the same group: the scheduler then loses a node that is well.
signature {
  id      = "kernel.node_daemon_killed",
  stream  = "kernel",
  needles = { " (slurmd) ", " (slurmstepd) " },
  pattern = [[Killed process (?<pid>\d+) \((?<daemon>slurmd|slurmstepd)\) total-vm]],
  fields  = { pid = "pid", daemon = "text" },
  match   = { "Memory cgroup out of memory: Killed process 1190 (slurmd) total-vm:412044kB, anon-rss:20032kB, file-rss:10412kB, shmem-rss:0kB, UID:0 pgtables:220kB oom_score_adj:-997" },
  ignore  = { "Memory cgroup out of memory: Killed process 512233 (python3) total-vm:1823011044kB, anon-rss:1541104032kB", "[   1190]     0  1190   103011     5008   225280        0          -997 slurmd" },
  tells   = "the kernel killed {daemon}",
}

local function is_memcg(s) return s.fields.constraint == "memcg" or (s.fields.memcg ~= nil and s.fields.constraint ~= "none") end
local function was_killed(s) return (s.fields.killed or 0) > 0 end

-- A service of the machine with a limit of its own: jobs live below kubelet, a container runtime, Slurm or a session. What the fabric
-- and the driver need to work is a part of every job.
local function is_service(cgroup)
  local unit = match(cgroup or "", [=[^/?system\.slice/(?:[\w-]+\.slice/)*([\w@.-]+)\.service(?:/|$)]=])
  return unit ~= nil and match(unit, [[(?i)docker|containerd|crio|cri-|kube|k3s|rke2|podman|slurm|pbs|lsf|sge|condor|nomad|ray|train|infer|vllm|sglang|triton|python|job|nvidia|fabric|imex|opensm|ssh|user@]]) == nil
end

correlate {
  id    = "host.memcg_oom.kernel",
  needs = { "kernel" },
  group = "host",
  uses  = { "oom.report", "kernel.cannot_map", "kernel.page_alloc_failure" },
  reach = { "kernel.segfault", "app.fatal_python", "app.traceback", "app.run_completed", "nccl.warn", "kernel.node_daemon_killed", "slurm.not_responding", "slurm.node_down" },
  judge = function(case)
    local on = case.signals
    local reports = keep(on["oom.report"], function(s) return is_memcg(s) and was_killed(s) end)
    local found = from_reports(reports, join(on["kernel.cannot_map"], on["kernel.page_alloc_failure"]))
    -- a process of the job that lived on for half an hour and then crashed by itself: the limit was a neighbour's
    local crashed = keep(on["kernel.segfault"], function(s)
      return s.host == case.host and (match(s.fields.library or "", [[libnccl|libcuda|libtorch|libc10]]) ~= nil or (#on["app.fatal_python"] > 0 and match(s.process or "", [[python]]) ~= nil))
    end)
    -- a login session's own slice, and a program that is none of a job: an editor, a browser, a language server
    local own = keep(on["app.traceback"], function(s) return match((s.fields.type or "") .. (s.fields.message or ""), [[Dist|NCCL|Connection|Broken pipe|[Kk]illed|Signal|DataLoader]]) == nil end)
    for _, f in ipairs(found) do
      local daemon = keep(on["kernel.node_daemon_killed"], function(s) return s.host == case.host and s.fields.daemon == "slurmd" and is_near(last(f.evidence), s, STRAIN) end)
      if #daemon > 0 then
        f.symptoms = join(f.symptoms, daemon, keep(join(on["slurm.not_responding"], on["slurm.node_down"]), function(s) return order(s, daemon[1]) ~= "before" and is_near(s, daemon[1], hours(1)) end))
        f.summary = f.summary .. "; slurmd, in the same group, went with it"
      end
      local session = match(f.facts.cgroup or "", [=[^/?user\.slice(?:/user-\d+\.slice)?(?:/session-\w+\.scope)?$]=]) ~= nil
      local foreign = #f.ranks == 0 and match(f.facts.process or "", [[(?i)python|torch|train|vllm|sglang|ray|mpi|nccl|java|julia|pt_]]) == nil
      if foreign and ended_well(on["app.run_completed"], last(f.evidence)) then
        f.severity, f.summary = "note", f.summary .. "; the job ran past it to its end"
      elseif foreign and #on["app.traceback"] + #on["nccl.warn"] > 0 and is_service(f.facts.cgroup) then
        f.severity, f.summary = "note", f.summary .. "; the limit of a service of the machine, which runs no job"
      elseif session and #own > 0 and foreign then
        f.severity, f.summary = "note", f.summary .. "; a login session's, beside the job"
      end
      local later = keep(crashed, function(s)
        local distance, known = gap(last(f.evidence), s)
        return order(last(f.evidence), s) == "before" and known and distance > LATE and s.rank == nil
      end)
      if #later > 0 and #later == #crashed and #f.ranks == 0 then
        f.severity, f.summary = "note", f.summary .. "; a neighbour's: the job's own process crashed long after it"
      end
    end
    return found
  end,
}

-- Without the kernel's report: what the platform says of it.
correlate {
  id    = "host.memcg_oom.platform",
  group = "container",
  uses  = { "runtime.task_oom", "k8s.container" },
  reach = { "oom.report" },
  judge = function(case)
    local tasks = case.signals["runtime.task_oom"]
    local killed = keep(case.signals["k8s.container"], function(s)
      return s.fields.reason == "OOMKilled" or s.fields.last_state_reason == "OOMKilled"
    end)
    if #tasks == 0 and #killed == 0 then return {} end
    -- the kernel's report of the same container says more: it is the finding then, and these are its echo
    local said = keep(case.signals["oom.report"], function(s)
      if not (is_memcg(s) and was_killed(s)) then return false end
      local mine = first(tasks) or first(killed)
      return s.container == nil or mine.container == nil or s.container == mine.container
        or (s.pod_uid ~= nil and s.pod_uid == mine.pod_uid)
    end)
    if #said > 0 then return {} end
    local exits = keep(case.signals["k8s.container"], function(s) return s.fields.exit_code == 137 end)
    local words = {}
    if #tasks > 0 then words[#words + 1] = string.format("the container runtime reported TaskOOM %d time%s", #tasks, #tasks == 1 and "" or "s") end
    if #killed > 0 then words[#words + 1] = "the pod's status says OOMKilled" end
    if #exits > 0 then words[#words + 1] = "exit code 137" end
    return { {
      cause = "host.memcg_oom", confidence = "likely", scope = "container", evidence = join(tasks, killed, exits), lag = LATE,
      confidence_why = "the platform reports an OOM kill in the container; without the kernel log neither the size, the victim nor the level of the limit is known",
      summary = "A memory limit was probably reached: " .. table.concat(words, ", "),
    } }
  end,
}

-- The same of conmon, whose lines name a container by the beginning of its id. A status of 137 without the OOM is a SIGKILL of somebody.
correlate {
  id    = "host.memcg_oom.conmon",
  group = "host",
  uses  = { "runtime.conmon" },
  reach = { "oom.report", "k8s.container", "app.good_end", "runtime.stop" },
  judge = function(case)
    local on, found = case.signals, {}
    local function is_mine(s, id) return s.container == nil or string.sub(s.container, 1, #id) == id end
    for _, of in ipairs(group_by(on["runtime.conmon"], function(s) return s.fields.id end)) do
      local id = of[1].fields.id
      local ooms = keep(of, function(s) return s.fields.oom ~= nil end)
      local exits = keep(of, function(s) return s.fields.code == 137 end)
      local told = keep(on["oom.report"], function(s) return is_memcg(s) and was_killed(s) and is_mine(s, id) end)
      local object = keep(on["k8s.container"], function(s) return s.container ~= nil and is_mine(s, id) end)
      local well = #keep(of, function(s) return s.fields.code == 0 end) > 0 or #on["app.good_end"] > 0
      if #ooms > 0 and #told == 0 then
        found[#found + 1] = { cause = "host.memcg_oom", severity = well and "note" or nil, confidence = "likely", scope = "container", host = ooms[1].host, pod = #object > 0 and object[1].pod or nil, evidence = join(ooms, exits), lag = LATE,
          confidence_why = "the container's watcher was told of an OOM kill by the cgroup; without the kernel log neither the size, the victim nor the level of the limit is known",
          summary = string.format("A memory limit was reached: the watcher of container %s received an OOM event%s", id, #exits > 0 and ", and the container ended with status 137" or "") }
      elseif #exits > 0 and #told == 0 and #object == 0 and #keep(on["runtime.stop"], function(s) return s.fields.forced ~= nil and s.container ~= nil and is_mine(s, id) end) == 0 then
        found[#found + 1] = { cause = "app.killed", confidence = "likely", scope = "container", host = exits[1].host, evidence = exits,
          confidence_why = "status 137 is SIGKILL; who sent it is not in it", summary = string.format("Container %s ended with status 137 (SIGKILL)", id) }
      end
    end
    return found
  end,
}

correlate {
  id    = "host.memcg_oom.slurm",
  group = "job",
  uses  = { "slurm.oom_kill" },
  reach = { "oom.report", "srun.ended" },
  judge = function(case)
    if #keep(case.signals["oom.report"], was_killed) > 0 then return {} end
    local said = case.signals["slurm.oom_kill"]
    -- srun names the node and the task; the daemon's line stands in the output of whichever node's rank the file is
    local named = keep(case.signals["srun.ended"], function(s) return s.fields.how == "Out Of Memory" and s.host ~= nil end)
    if #named > 0 then
      local ranks, seen = {}, {}
      for _, s in ipairs(named) do
        for _, r in ipairs(s.rank and { s.rank } or numbers(s.fields.tasks or "")) do
          if not seen[r] then ranks[#ranks + 1] = r end
          seen[r] = true
        end
      end
      local s = first(named)
      return { { cause = "host.memcg_oom", confidence = "likely", scope = #ranks == 1 and "rank" or "host", host = s.host, rank = ranks[1], ranks = ranks, evidence = join(said, named), lag = hours(24),
        confidence_why = "Slurm counted OOM kills in the step's cgroup, and srun names whose tasks they were",
        summary = string.format("Slurm reports OOM kills in step %s, of task%s %s on %s", first(said).fields.step or "?", #ranks > 1 and "s" or "", #ranks > 0 and table.concat(ranks, ", ") or s.fields.task or s.fields.launchers or "?", s.host) } }
    end
    return { { cause = "host.memcg_oom", confidence = "likely", scope = "job", evidence = said, lag = hours(24),
      confidence_why = "Slurm counted OOM kills in the step's cgroup; it says so when the step ends, minutes after the kill",
      summary = string.format("Slurm reports OOM kills in step %s", first(said).fields.step) } }
  end,
}

correlate {
  id    = "host.memcg_oom.events_file",
  group = "host",
  uses  = { "host.memory_events", "host.cgroup" },
  reach = { "oom.report", "runtime.task_oom", "slurm.oom_kill" },
  judge = function(case)
    if #keep(case.signals["oom.report"], was_killed) + #case.signals["runtime.task_oom"] + #case.signals["slurm.oom_kill"] > 0 then return {} end
    -- one count stands in the list of its cgroup and as a line of its own: the list says whose it is
    local lists = keep(case.signals["host.cgroup"], function(s) return (s.fields.oom_kills or 0) > 0 end)
    local lines = keep(case.signals["host.memory_events"], function(s)
      return #keep(lists, function(l) return l.member == s.member and l.fields.oom_kills == s.fields.kills end) == 0
    end)
    -- `oom` counts in the cgroup whose limit was hit, `oom_kill` where the victim was
    local full = keep(lists, function(s) return (s.fields.ooms or 0) > 0 and s.fields.limit_kib ~= nil and (s.fields.peak_kib or 0) >= s.fields.limit_kib end)
    if #full > 0 then
      local f = first(full).fields
      return { { cause = "host.memcg_oom", confidence = "likely", scope = "host", evidence = full,
        confidence_why = "the cgroup's own counters: it came up to its limit, and the kernel killed for that; they do not say when, nor whom",
        summary = string.format("%s came up to its limit (%s), and its memory.events counts %d OOM kill(s)", f.cgroup or "A cgroup", size_text(f.limit_kib), f.oom_kills) } }
    end
    local said = join(lists, lines)
    if #said == 0 then return {} end
    local f = first(said).fields
    return { { cause = "host.memcg_oom", confidence = "possible", scope = "host", evidence = said,
      confidence_why = "memory.events counts kills since the cgroup was made; it does not say when",
      summary = string.format("memory.events counts %d OOM kill(s) in %s%s", f.oom_kills or f.kills, f.cgroup and "the cgroup " .. f.cgroup or "the cgroup",
        f.limit_kib and string.format(" (limit %s)", size_text(f.limit_kib)) or "") } }
  end,
}
