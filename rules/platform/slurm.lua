-- Slurm: who ended a job. The daemons print local times, and slurmstepd prints its verdict when the step ends, minutes after the
-- deed. A time limit is an end, not a cause, where ranks had failed long before. Preemption is filed under k8s.preempted, whatever
-- scheduler did it. Sources: slurm src/slurmd/slurmstepd, src/slurmctld (job_mgr, node_mgr, ping_nodes), src/sacct.
signature {
  id      = "slurm.cancelled",
  stream  = { "slurm", "app" },
  needles = { " CANCELLED AT ", " FAILED AT ", " DUE TO JOB NOT ENDING" },
  pattern = [[\*\*\* (?<what>STEP|JOB) (?<job>\d+)(?<step>[.+]\S+)? ON (?<node>[\w.-]+) (?:CANCELLED|FAILED)(?: AT (?<when>\S+))?(?: D(?:UE|ue) [Tt][Oo] (?<reason>TIME LIMIT|PREEMPTION|NODE FAILURE|JOB REQUEUE|TASK FAILURE|SIGNAL \w+|.*?))?(?:, SEE .*)? \*\*\*]],
  fields  = { what = "text", job = "text", step = "text", node = "host", when = "text", reason = "text" },
  match   = { "slurmstepd: error: *** STEP 123.0 ON gpu-a01 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***",
              "error: *** JOB 551207 ON nvl06-01 CANCELLED AT 2026-09-04T05:12:40 DUE TO PREEMPTION ***",
              "slurmstepd: error: *** STEP 123.0 ON gpu-a01 CANCELLED AT 2026-01-01T00:00:00 DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
              "slurmstepd: error: *** STEP 123.0 ON gpu-a01 CANCELLED AT 2026-01-01T00:00:00 ***" },
  ignore  = { "srun: Job step aborted: Waiting up to 32 seconds for job step to finish." },
  tells   = "Slurm cancels job {job}: {reason}",
}
signature {
  id      = "slurm.node_down",
  stream  = { "slurm", "app" },
  needles = { "not responding, setting DOWN", "due to failure of node", "on failed node", "Node failure on", "Removing failed node" },
  pattern = [[(?:error: Nodes? (?<nodes>\S+) not responding, setting DOWN|(?:requeue|requeuing) job JobId=(?<job>\S+) due to failure of node (?<node>[\w.-]+)|Killing JobId=(?<job>\S+) on failed node (?<node>[\w.-]+)|Node failure on (?<node>[\w.-]+)|Removing failed node (?<node>[\w.-]+) from JobId=(?<job>\S+))]],
  fields  = { nodes = "text", job = "text", node = "host" },
  match   = { "error: Nodes c023 not responding, setting DOWN", "requeue job JobId=141 due to failure of node c023", "srun: error: Node failure on c023" },
  ignore  = { "error: Nodes c023 not responding", "node gpu-a02 returned to service" },
  tells   = "Slurm gives up node {nodes}{node}",
}
signature {
  id      = "slurm.not_responding",
  stream  = "slurm",
  needles = { " not responding" },
  pattern = [[error: Nodes? (?<nodes>\S+) not responding$]],
  fields  = { nodes = "text" },
  match   = { "error: Nodes gpu-a[02-03] not responding" },
  ignore  = { "error: Nodes c023 not responding, setting DOWN" },
}
signature {
  id      = "slurm.rebooted",
  stream  = "slurm",
  needles = { "unexpectedly rebooted" },
  pattern = [[Node (?<node>[\w.-]+) unexpectedly rebooted(?: boot_time=(?<booted>\d+) last response=(?<answered>\d+))?]],
  fields  = { node = "host", booted = "int", answered = "int" },
  match   = { "Node gpu-a02 unexpectedly rebooted boot_time=1767225600 last response=1767225000" },
  ignore  = { "Node gpu-a02 rebooted 45 secs ago" },
  tells   = "Slurm sees that node {node} booted anew, unasked",
}
signature {
  id      = "slurm.time_limit",
  stream  = "slurm",
  needles = { "Time limit exhausted for" },
  pattern = [[Time limit exhausted for JobId=(?<job>\S+)]],
  fields  = { job = "text" },
  match   = { "Time limit exhausted for JobId=123" },
  ignore  = { "_job_complete: JobId=123 WEXITSTATUS 1" },
  tells   = "the time limit of job {job} is over",
}
signature {
  id      = "slurm.job_complete",
  meets   = "leaves", -- behind what the batch script's node says of its end, below
  stream  = "slurm",
  needles = { "_job_complete: JobId=" },
  pattern = [[_job_complete: JobId=(?<job>(?<end_of>\d+)?\S*) (?<how>WTERMSIG|WEXITSTATUS) (?<number>\d+)]],
  fields  = { job = "text", end_of = "text", how = "text", number = "int" },
  match   = { "_job_complete: JobId=127441 WTERMSIG 9", "_job_complete: JobId=123 WEXITSTATUS 0" },
  ignore  = { "_job_complete: JobId=127441 done" },
  tells   = "job {job} ends: {how} {number}",
}
signature {
  id      = "slurm.preempted",
  stream  = "slurm",
  needles = { "preempted ", "preemption grace time for " },
  pattern = [[^(?:\w+: +)*(?:[Pp]reempted (?:job )?(?:JobId=)?(?<job>\d\S*)(?: (?:has been \w+|suspended by gang scheduler) to reclaim resources for (?:job |JobId=)(?<other>\d\S*)| had to be killed)|setting \d+ sec preemption grace time for JobId=(?<job>\d\S*) to reclaim resources for JobId=(?<other>\d\S*)|JobId=(?<job>\d\S*) preempted\b)]],
  fields  = { job = "text", other = "text" },
  match   = { "preempted JobId=551207 has been requeued to reclaim resources for JobId=551300", "preempted JobId=551207 has been killed to reclaim resources for JobId=551300",
              "_preempt_jobs: preempted JobId=551207 had to be killed", "debug:  setting 120 sec preemption grace time for JobId=551207 to reclaim resources for JobId=551300",
              "preempted job 551207 has been killed to reclaim resources for job 551300" },
  ignore  = { "slurmctld: debug:  preempt/partition_prio loaded", "_preempt_jobs: preempted JobId=551207 kill failure Invalid job id specified" },
  tells   = "Slurm takes job {job} away for job {other}",
}
-- Somebody asked for it: scancel, or another program by its API. The same request carries other signals (scancel -s USR1), so that
-- only the end that follows makes it one. Source: slurmctld proc_req.c, _slurm_rpc_kill_job.
signature {
  id      = "slurm.asked_to_end",
  stream  = "slurm",
  needles = { "REQUEST_KILL_JOB JobId=" },
  pattern = [[^(?:_slurm_rpc_kill_job: )?REQUEST_KILL_JOB JobId=(?<job>\S+) uid (?<by>\d+)]],
  fields  = { job = "text", by = "text" },
  match   = { "_slurm_rpc_kill_job: REQUEST_KILL_JOB JobId=551207 uid 2113" },
  ignore  = { "error: Security violation, REQUEST_KILL_JOB RPC for JobId=551207 from uid 2113" },
  tells   = "user {by} asks Slurm to end or signal job {job}",
}
signature {
  id      = "slurm.drained",
  stream  = "slurm",
  needles = { "reason set to:", "Kill task failed" },
  pattern = [[update_node: node (?<node>[\w.-]+) reason set to: (?<text>.+)|(?<text>Kill task failed)]],
  fields  = { node = "host", text = "text" },
  match   = { "update_node: node gpu-a02 reason set to: Kill task failed" },
  ignore  = { "update_node: node gpu-a02 state set to DRAINED" },
  tells   = "node {node} is drained: {text}",
}
-- Which nodes the controller gave to which job: who is not among them is no bystander of that job. Source: slurmctld job_scheduler.c, backfill.c.
signature {
  id      = "slurm.allocated",
  meets   = "comes", -- before any node starts anything of the job, below
  stream  = "slurm",
  needles = { "Allocate JobId=", "Started JobId=" },
  pattern = [[^(?:sched(?:/backfill)?: )?(?:_start_job: )?(?:Allocate|Started) JobId=(?<job>(?<launch_of>\d+)(?:\+\d+|_\d+(?:\(\d+\))?)?)(?: in \S+ on | NodeList=)(?<nodes>[\w.,\[\]-]+)]],
  fields  = { job = "text", launch_of = "text", nodes = "text" },
  match   = { "sched: Allocate JobId=123 NodeList=gpu-a[01-04] #CPUs=512 Partition=gpu", "sched/backfill: _start_job: Started JobId=124 in gpu on gpu-a[05-08]" },
  ignore  = { "sched: Allocate JobId=123", "_slurm_rpc_submit_batch_job: JobId=123 InitPrio=4294901758 usec=412" },
  tells   = "Slurm gives job {job} the nodes {nodes}",
}
-- A node's own log of the job's begin and of the batch script's end: between the controller's two lines, which bounds the clocks of both
-- (analyzer/verdict/skew.c). Source: slurmd req.c, _rpc_launch_tasks and _rpc_batch_job; slurmstepd mgr.c, _send_complete_batch_script_msg.
signature {
  id      = "slurmd.launch",
  meets   = "leaves",
  stream  = "slurm",
  needles = { "launch task StepId=", "aunching batch job " },
  pattern = [[(?:launch task StepId=(?<launch_of>\d+)\.\S+ request from UID|[Ll]aunching batch job (?<launch_of>\d+) for UID)]],
  fields  = { launch_of = "text" },
  match   = { "launch task StepId=123.0 request from UID:1400 GID:1400 HOST:10.20.0.4 PORT:40112", "_rpc_batch_job: Launching batch job 123 for UID 1400", "Launching batch job 123 for UID 1400" },
  ignore  = { "launch task 123.0 failed", "error: Task launch for StepId=36.0 failed on node cn131: Job credential expired" },
}
signature {
  id      = "slurmd.batch_end",
  meets   = "comes",
  stream  = "slurm",
  needles = { "REQUEST_COMPLETE_BATCH_SCRIPT" },
  pattern = [[\[(?<end_of>\d+)\.batch\] sending REQUEST_COMPLETE_BATCH_SCRIPT]],
  fields  = { end_of = "text" },
  match   = { "[123.batch] sending REQUEST_COMPLETE_BATCH_SCRIPT, error:0 status:9" },
  ignore  = { "error: REQUEST_COMPLETE_BATCH_SCRIPT: Connection refused" },
}
signature {
  id      = "slurm.memory_poll",
  stream  = { "slurm", "app" },
  needles = { "Exceeded job memory limit", "exceeded memory limit (" },
  pattern = [[Exceeded job memory limit|(?:Job|Step) (?<job>\S+) exceeded memory limit \((?<used>[^)]+)\), being killed]],
  fields  = { job = "text", used = "text" },
  match   = { "slurmstepd: error: Exceeded job memory limit", "slurmstepd: error: Job 123 exceeded memory limit (68719476736 > 64424509440), being killed" },
  ignore  = { "StepId=123.0 hit memory limit at least once during execution. This may or may not result in some failure." },
  says    = { cause = "host.memcg_oom", confidence = "certain", scope = "job", summary = "Slurm killed the job for its memory use (accounting poll, not the kernel)" },
}
-- How srun says that a task ended: the task number is the rank where every rank is a task (analyzer/verdict/tasks.c takes it off elsewhere).
signature {
  id      = "srun.ended",
  stream  = { "app", "slurm" },
  needles = { ": task ", ": tasks " },
  pattern = [[^(?:srun: )?error: (?<node>[\w.-]+): (?:task (?<task>\d+)|tasks (?<tasks>[\d,-]+)): (?<how>Out Of Memory|Killed|Segmentation fault|Aborted|Bus error|Terminated|Exited with exit code (?<code>\d+))]],
  fields  = { node = "host", task = "rank", tasks = "text", how = "text", code = "int" },
  match   = { "srun: error: cn101: task 12: Aborted (core dumped)", "srun: error: gn14: task 0: Out Of Memory", "error: gpu-a01: tasks 0-7: Exited with exit code 1" },
  ignore  = { "srun: error: gn14: tasks are missing", "srun: Terminating StepId=123.0" },
  tells   = "srun sees task {task}{tasks} end: {how}",
}

local function reasons(list, word) return keep(list, function(s) return s.fields.reason == word end) end
-- The numbers of the jobs whose output is here: they say them, or the names of their logs bear them. nil where none says its own.
local NUMBER = [[(\d+)((?s).*)]]
local function jobs_here(on)
  local here = {}
  if #on["slurm.own_job"] == 0 then return nil end
  for _, s in ipairs(on["slurm.own_job"]) do here[s.fields.own_job] = true end
  for _, name in ipairs(distinct(join(on["app.progress"], on["app.traceback"]), "member")) do
    local number, rest = match(name, NUMBER)
    while number do
      here[number] = true
      number, rest = match(rest, NUMBER)
    end
  end
  return here
end
-- Is it another job's than of those? A controller's log tells of all jobs. A task of an array, or a part of a job of several, has a number of its own in
-- brackets, 40_3(43), and calls itself by that; where it is not said, nobody can tell.
local function is_anothers(here, job)
  local number = match(job or "", [[\((\d+)\)]]) or match(job or "", [[^(\d+)(?:\.\S*)?$]])
  return here ~= nil and number ~= nil and not here[number]
end
-- Those that tell of the jobs that are here, where there are any.
local function of_own(here, list)
  local ours = keep(list, function(s) return not is_anothers(here, s.fields.job) end)
  return #ours > 0 and ours or list
end
local function rows(list, state) return keep(list, function(s) return s.fields.state == state end) end

correlate {
  id    = "slurm.time_limit",
  group = "job",
  uses  = { "slurm.cancelled", "slurm.time_limit", "slurm.job" },
  reach = { "app.traceback", "app.cuda_oom", "app.progress", "slurm.own_job" },
  judge = function(case)
    local on, here = case.signals, jobs_here(case.signals)
    local deadline = rows(on["slurm.job"], "DEADLINE") -- salloc, sbatch --deadline: the same end, by the clock
    local all = join(reasons(on["slurm.cancelled"], "TIME LIMIT"), on["slurm.time_limit"], rows(on["slurm.job"], "TIMEOUT"), deadline)
    if #all == 0 then return {} end
    all = of_own(here, all)
    -- ranks that had failed before: the limit only ended what was over
    local failed = keep(join(on["app.traceback"], on["app.cuda_oom"]), function(s) return order(s, first(all)) ~= "after" end)
    return { { cause = "slurm.time_limit", severity = is_anothers(here, first(all).fields.job) and "note" or #failed > 0 and "warning" or "error", confidence = "certain", scope = "job", evidence = all, confidence_why = "Slurm's own words",
      summary = string.format("Slurm ended job %s at its %s", first(all).fields.job or "?", #rows(all, "DEADLINE") == #all and "deadline" or "time limit"), facts = { job = first(all).fields.job } } }
  end,
}

correlate {
  id    = "slurm.preempted",
  group = "job",
  uses  = { "slurm.cancelled", "slurm.preempted", "slurm.job" },
  reach = { "slurm.own_job", "app.progress", "app.traceback" },
  judge = function(case)
    local on, here = case.signals, jobs_here(case.signals)
    local all = of_own(here, join(reasons(on["slurm.cancelled"], "PREEMPTION"), on["slurm.preempted"], rows(on["slurm.job"], "PREEMPTED")))
    if #all == 0 then return {} end
    local job, other = first(all).fields.job, nil
    for _, s in ipairs(on["slurm.preempted"]) do
      if s.fields.job == job then other = other or s.fields.other end
    end
    -- the grace period begins with a cancelled step that names no reason yet
    all = join(keep(on["slurm.cancelled"], function(s) return s.fields.reason == nil and s.fields.job == job end), all)
    return { { cause = "k8s.preempted", severity = is_anothers(here, job) and "note" or "error", confidence = "certain", scope = "job", evidence = all, confidence_why = "Slurm's own words",
      summary = string.format("Slurm preempted job %s for %s", job or "?", other and "job " .. other or "another one"), facts = { job = job } } }
  end,
}

-- The controller compares boot times when the daemon registers again: it noticed the silence before, and learns only then what it was.
correlate {
  id    = "host.reboot.slurm",
  group = "job",
  uses  = { "slurm.rebooted" },
  reach = { "slurm.not_responding", "slurm.node_down" },
  judge = function(case)
    local on, found = case.signals, {}
    for _, said in ipairs(group_by(on["slurm.rebooted"], function(s) return s.fields.node end)) do
      local node, f = said[1].fields.node, said[1].fields
      local silent = f.booted and f.answered and f.answered > 0 and f.booted > f.answered and f.booted - f.answered
      found[#found + 1] = { cause = "host.reboot", confidence = "likely", scope = "host", host = node, evidence = said,
        symptoms = keep(join(on["slurm.not_responding"], on["slurm.node_down"]), function(s)
          return (s.fields.node or s.fields.nodes) == node and is_near(s, said[1], hours(1))
        end),
        confidence_why = "Slurm compared the node's boot time with when it last answered; why it booted is not in that", summary = string.format("Slurm: node %s unexpectedly rebooted%s", node, silent and string.format("; it answered for the last time %d min %d s before it booted", silent // 60, silent % 60) or ""),
        facts = { node = node } }
    end
    return found
  end,
}

correlate {
  id    = "slurm.node_fail",
  group = "job",
  uses  = { "slurm.node_down", "slurm.cancelled", "slurm.job", "slurm.not_responding" },
  reach = { "host.unit_killed", "host.service_failed", "kernel.segfault" },
  judge = function(case)
    local on = case.signals
    local function node_of(s)
      local name = s.fields.node or s.fields.nodes
      return name and match(name, [[^[\w.-]+$]]) and name or nil
    end
    local failed = join(on["slurm.node_down"], rows(on["slurm.job"], "NODE_FAIL"), rows(on["slurm.job"], "BOOT_FAIL"))
    local cancelled = reasons(on["slurm.cancelled"], "NODE FAILURE")
    if #failed + #cancelled == 0 then return {} end
    local logged = on["slurm.node_down"]
    local nodes = distinct(failed, node_of)
    -- the complaint that came first: the controller asks again before it gives a node up
    local signs = keep(on["slurm.not_responding"], function(s)
      for _, node in ipairs(nodes) do
        if s.fields.nodes == node then return true end
      end
      return #nodes == 0
    end)
    -- a node whose slurmd died is well and silent
    local told = first(join(signs, failed, cancelled))
    local daemon = keep(join(keep(on["kernel.segfault"], function(s) return s.process == "slurmd" end), keep(join(on["host.unit_killed"], on["host.service_failed"]), function(s) return s.fields.unit == "slurmd.service" end)), function(s)
      local node = #nodes == 0
      for _, name in ipairs(nodes) do node = node or name == s.host end
      return node and order(s, told) ~= "after" and is_near(s, told, hours(1))
    end)
    return { { cause = "slurm.node_fail", confidence = "certain", scope = #nodes == 1 and "host" or "job", host = #nodes == 1 and nodes[1] or nil,
      evidence = join(daemon, signs, logged, #logged == 0 and failed or {}, cancelled), symptoms = #logged > 0 and rows(on["slurm.job"], "NODE_FAIL") or {},
      confidence_why = #daemon > 0 and "slurmd of the node died, and Slurm lost contact with it" or "Slurm lost contact with the node; why is only in the node's own logs",
      summary = #nodes > 0 and string.format("Slurm lost node %s and gave up the jobs on it", table.concat(nodes, ", ")) or string.format("Slurm lost a node of job %s%s and gave it up", first(join(failed, cancelled)).fields.job or "?", first(join(failed, cancelled)).fields.nodes and " (" .. first(join(failed, cancelled)).fields.nodes .. ")" or ""), facts = { nodes = table.concat(nodes, ",") } } }
  end,
}

-- A table of many jobs is a history: the last of them is the one that is asked about.
local function latest_job(list)
  local latest = last(list)
  for _, s in ipairs(list) do
    if s.member == latest.member and s.line > latest.line then latest = s end
  end
  return latest and latest.fields.job
end
-- Signals that end a batch script when somebody asked for it: SIGTERM, and SIGKILL behind it.
local function ended_by_signal(list) return keep(list, function(s) return s.fields.how == "WTERMSIG" and (s.fields.number == 15 or s.fields.number == 9) end) end
-- Who asked for the end of a job that then ended so.
local function asked_for(asked, ends)
  return keep(asked, function(a)
    for _, s in ipairs(ends) do
      if s.fields.job == a.fields.job and order(a, s) ~= "after" and gap(a, s) <= minutes(10) then return true end
    end
    return false
  end)
end

-- Cancelled without a reason: by a person, or by whoever cleans up after a failure that other lines show. slurmctld and accounting know who
-- asked. People cancel what stands or went wrong before, so that it is no failure of its own where another is found.
local OF_SLURM = [[^(?:TIME LIMIT|PREEMPTION|NODE FAILURE|TASK FAILURE)]]
correlate {
  id    = "slurm.cancelled",
  group = "job",
  uses  = { "slurm.cancelled", "slurm.asked_to_end", "slurm.job", "slurm.job_complete" },
  reach = { "srun.ended", "torch.watchdog_timeout", "app.good_end", "slurm.own_job", "app.progress", "app.traceback" },
  judge = function(case)
    local on, here = case.signals, jobs_here(case.signals)
    local said = on["slurm.cancelled"]
    local latest = latest_job(on["slurm.job"])
    local accounted = keep(on["slurm.job"], function(s) return s.fields.by ~= nil and s.fields.step == nil and s.fields.job == latest end)
    if #keep(said, function(s) return s.fields.reason ~= nil and match(s.fields.reason, OF_SLURM) ~= nil end) > 0 then return {} end
    local asked = asked_for(on["slurm.asked_to_end"], join(said, accounted, ended_by_signal(on["slurm.job_complete"])))
    local all = of_own(here, join(asked, said, accounted))
    if #all == 0 then return {} end
    asked, said, accounted = only(all, "slurm.asked_to_end"), only(all, "slurm.cancelled"), only(all, "slurm.job")
    -- A task that ended by itself first: srun then cancels the step for the others. Codes above 128 are signals, perhaps of the cancelling. Or a watchdog
    -- that had fired: what stands still is cancelled, by srun or by a person. The nodes' daemons tell of the same end in logs of their own, so each is asked.
    local own_end = keep(on["srun.ended"], function(e)
      return e.fields.how ~= "Terminated" and e.fields.how ~= "Killed" and (e.fields.code or 1) < 128 or (e.fields.code or 0) == 255
    end)
    local before = keep(join(own_end, on["torch.watchdog_timeout"]), function(e)
      for _, s in ipairs(said) do
        if e.member == s.member and e.line < s.line or e.member ~= s.member and order(e, s) == "before" then return true end
      end
      return false
    end)
    local by = #asked > 0 and asked[1].fields.by or #accounted > 0 and accounted[1].fields.by or nil
    local requeued = #reasons(said, "JOB REQUEUE") > 0
    return { { cause = "app.killed", severity = (#before > 0 or #on["app.good_end"] > 0 or is_anothers(here, first(all).fields.job)) and "note" or "warning", confidence = by and "likely" or "possible", scope = "job", evidence = all,
      symptoms = keep(ended_by_signal(on["slurm.job_complete"]), function(s) return by ~= nil and s.fields.job == first(all).fields.job end),
      confidence_why = by and "Slurm names who asked for the end; why they did is not in it" or requeued and "Slurm's own words; who sent it back is not in them" or "Slurm names no reason: scancel, or the clean-up after a failure",
      summary = string.format("Job %s was %s%s", first(all).fields.job or "?", requeued and "sent back to the queue" or "cancelled", by and (by == "0" and " by root" or match(by, [[^\d]]) and " by the user with uid " .. by or " by " .. by) or "") } }
  end,
}

-- Ended by signal 9, and nobody of Slurm says that it was him.
correlate {
  id    = "slurm.killed",
  group = "job",
  uses  = { "slurm.job_complete", "slurm.job", "slurm.cancelled" },
  reach = { "slurm.oom_kill", "slurm.node_down", "slurm.asked_to_end", "slurm.preempted", "slurm.own_job", "app.progress", "app.traceback" },
  judge = function(case)
    local on, here = case.signals, jobs_here(case.signals)
    local function is_taken(job) return #keep(on["slurm.preempted"], function(p) return p.fields.job == job end) > 0 end
    local by = keep(on["slurm.cancelled"], function(s) return s.fields.reason ~= nil end)
    local killed = keep(on["slurm.job_complete"], function(s) return s.fields.how == "WTERMSIG" and s.fields.number == 9 and not is_taken(s.fields.job) end)
    local steps = keep(on["slurm.job"], function(s) return s.fields.signal == 9 and s.fields.state == "FAILED" end)
    local others = keep(on["slurm.job"], function(s)
      local state = s.fields.state
      return state == "TIMEOUT" or state == "PREEMPTED" or state == "NODE_FAIL" or state == "OUT_OF_MEMORY"
    end)
    if #killed + #steps == 0 or #by > 0 or #others > 0 or #on["slurm.oom_kill"] > 0 or #on["slurm.node_down"] > 0 or #asked_for(on["slurm.asked_to_end"], killed) > 0 then return {} end
    local all = of_own(here, #killed > 0 and killed or steps)
    local job = first(all).fields.job
    return { { cause = "app.killed", severity = is_anothers(here, job) and "note" or nil, confidence = "likely", scope = "job", evidence = all,
      confidence_why = "the job ended by SIGKILL; no log of Slurm says who sent it",
      summary = string.format("Job %s was killed by SIGKILL; the sender is not in the logs", job or "?"), facts = { job = job } } }
  end,
}
-- Accounting alone: that the job failed is a fact, why is not in it.
correlate {
  id    = "slurm.failed",
  group = "job",
  uses  = { "slurm.job", "slurm.job_complete" },
  reach = { "app.good_end", "slurm.asked_to_end", "slurm.own_job", "app.progress", "app.traceback" },
  judge = function(case)
    local on, here = case.signals, jobs_here(case.signals)
    local latest = latest_job(on["slurm.job"])
    local rows_failed = keep(on["slurm.job"], function(s) return s.fields.job == latest and s.fields.state == "FAILED" and (s.fields.signal or 0) ~= 9 and ((s.fields.code or 0) > 0 or (s.fields.signal or 0) > 0) end)
    local ended = keep(on["slurm.job_complete"], function(s) return s.fields.how == "WEXITSTATUS" and s.fields.number > 0 or s.fields.how == "WTERMSIG" and s.fields.number ~= 9 end)
    ended = keep(ended, function(s) return s.fields.number ~= 15 or #asked_for(on["slurm.asked_to_end"], { s }) == 0 end)
    local all = of_own(here, join(ended, rows_failed))
    if #all == 0 or #on["app.good_end"] > 0 then return {} end
    local f = first(all).fields
    local signal = (f.signal or 0) > 0 and f.signal or f.how == "WTERMSIG" and f.number or nil
    return { { cause = "unknown", severity = is_anothers(here, f.job) and "note" or nil, confidence = "certain", scope = "job", evidence = all, ranks = {},
      confidence_why = "an exit status is a fact; why is not in it",
      summary = string.format("Slurm saw job %s fail with %s %d", f.job or "?", signal and "signal" or "exit code", signal or f.code or f.number or 0) } }
  end,
}
correlate {
  id    = "slurm.out_of_memory",
  group = "job",
  uses  = { "slurm.job" },
  reach = { "oom.report", "slurm.oom_kill" },
  judge = function(case)
    local on = case.signals
    local all = keep(on["slurm.job"], function(s) return s.fields.state == "OUT_OF_MEMORY" end)
    if #all == 0 or #on["slurm.oom_kill"] > 0 or #keep(on["oom.report"], function(s) return (s.fields.killed or 0) > 0 end) > 0 then return {} end
    return { { cause = "host.memcg_oom", confidence = "likely", scope = "job", evidence = all,
      confidence_why = "Slurm's accounting says OUT_OF_MEMORY; the kernel's report would name size and victim",
      summary = string.format("Slurm: job %s ended OUT_OF_MEMORY", first(all).fields.job or "?") } }
  end,
}

-- The end of a task as srun saw it. Terminated is srun itself, closing the others; an exit code or an abort says nothing of why.
correlate {
  id    = "srun.ended",
  group = "job",
  uses  = { "srun.ended" },
  judge = function(case)
    local found, CAUSE = {}, { ["Out Of Memory"] = "host.memcg_oom", Killed = "app.killed", ["Segmentation fault"] = "app.crash", ["Bus error"] = "app.crash" }
    local WORDS = { ["Out Of Memory"] = "was killed for memory", Killed = "was killed by SIGKILL", ["Segmentation fault"] = "crashed with SIGSEGV", ["Bus error"] = "crashed with SIGBUS" }
    local function tasks(list)
      local ranks, seen = {}, {}
      for _, s in ipairs(list) do
        for _, r in ipairs(s.rank and { s.rank } or numbers(s.fields.tasks or "")) do
          if not seen[r] then ranks[#ranks + 1] = r end
          seen[r] = true
        end
      end
      return ranks
    end
    for how, cause in pairs(CAUSE) do
      local ended = keep(case.signals["srun.ended"], function(s) return s.fields.how == how end)
      if #ended > 0 then
        local s = first(ended)
        found[#found + 1] = { cause = cause, confidence = "likely", scope = s.rank and "rank" or "host", host = s.host, rank = s.rank, ranks = tasks(ended), evidence = ended,
          lag = cause == "host.memcg_oom" and hours(24) or nil,
          confidence_why = "srun names how the task ended; who or what did it is in the node's kernel log",
          summary = string.format("Slurm task %s on %s %s", s.fields.task or s.fields.tasks or s.fields.launchers or "?", s.host or "?", WORDS[how]) }
      end
    end
    local aborted = keep(case.signals["srun.ended"], function(s) return s.fields.how == "Aborted" end)
    if #aborted > 0 then
      local s = first(aborted)
      found[#found + 1] = { cause = "app.crash", echo = true, confidence = "certain", scope = s.rank and "rank" or "host", host = s.host, rank = s.rank, ranks = distinct(aborted, "rank"), evidence = aborted,
        confidence_why = "srun names how the task ended; an abort follows an error that is printed elsewhere", summary = string.format("Slurm task %s on %s aborted", s.fields.task or s.fields.tasks or s.fields.launchers or "?", s.host or "?") }
    end
    local odd = keep(case.signals["srun.ended"], function(s) return s.fields.how == "Aborted" or (s.fields.code or 0) > 0 end)
    if #odd > 0 then
      local s = first(odd)
      found[#found + 1] = { cause = "unknown", confidence = "certain", scope = "job", evidence = odd, ranks = distinct(odd, "rank"),
        confidence_why = "how a task ended is a fact; why is not in it",
        summary = string.format("Slurm task %s on %s ended: %s", s.fields.task or s.fields.tasks or s.fields.launchers or "?", s.host or "?", s.fields.how) }
    end
    return found
  end,
}

-- A node that Slurm took out of service, and why it says so. When the question was asked is not when it happened: a drained node is news of
-- the machine, and a cause only where nothing else explains the job.
signature {
  id      = "slurm.set_aside",
  stream  = "slurm",
  needles = { "state to INVAL", "state set to D" },
  pattern = [[(?:Setting node (?<node>[\w.-]+) state to (?<state>\w+) with reason: ?(?<reason>.+)|(?:drain_nodes|update_node): node (?<node>[\w.-]+) state set to (?<state>DRAIN\w*|DOWN))]],
  fields  = { node = "host", state = "text", reason = "text" },
  match   = { "error: Setting node nodegpu1 state to INVAL with reason:gres/gpu count reported lower than configured (7 < 8)", "drain_nodes: node nodegpu1 state set to DRAIN", "update_node: node gpu-a02 state set to DOWN" },
  ignore  = { "update_node: node gpu-a02 state set to IDLE", "node gpu-a02 returned to service" },
  tells   = "Slurm sets node {node} aside: {state} {reason}",
}
-- What node health checks write as their reason: LBNL's NHC and scripts like it.
local HEALTH = [[(?i)^(?:nhc|hc|health\w*)[:_ -]|health ?check|\bxid\b|\becc\b|fallen off|nvidia-smi|dcgm]]
correlate {
  id    = "slurm.set_aside",
  group = "host",
  uses  = { "slurm.set_aside", "slurm.drained", "slurm.node" },
  reach = { "slurm.node_down", "srun.ended", "slurm.cancelled", "launcher.worker_failed", "app.traceback", "slurm.gres_lower", "slurm.job_complete" },
  judge = function(case)
    local on = case.signals
    local asked = keep(on["slurm.node"], function(s) return match(s.fields.state or "", [[DOWN|DRAIN|FAIL|NOT_RESPONDING|INVAL|OUT_OF_SERVICE]]) ~= nil end)
    local logged = join(on["slurm.set_aside"], keep(on["slurm.drained"], function(s) return s.host ~= nil end))
    local all = #logged > 0 and logged or asked
    if #all == 0 or #keep(on["slurm.node_down"], function(s) return s.host == case.host end) > 0 then return {} end
    local reason
    for _, s in ipairs(join(logged, asked)) do reason = reason or s.fields.reason or s.fields.text end
    local gone = match(reason or "", [[[Nn]ot responding]]) ~= nil
    -- drained because what it was told to end did not end, or its epilog failed: that comes behind whatever ended the job
    local unended = match(reason or "", [[Kill task failed|NOT ENDING WITH SIGNALS|^[Ee]pilog (?:error|failed)]]) ~= nil
    -- nodes are drained for what is planned, too, while jobs go on: only what a check of the node's health says makes it a suspect of a mere exit code
    local ended = keep(on["slurm.job_complete"], function(s) return s.fields.number > 0 and match(reason or "", HEALTH) ~= nil and order(all[1], s) ~= "after" and is_near(all[1], s, hours(1)) end)
    local failed = #on["srun.ended"] + #on["slurm.cancelled"] + #on["launcher.worker_failed"] + #on["app.traceback"] + #ended > 0
    return { { cause = "slurm.node_fail", severity = (gone or (failed and not unended) or #on["slurm.gres_lower"] > 0) and "warning" or "note", confidence = gone and "likely" or "possible", scope = "host", host = case.host, evidence = all, symptoms = #logged > 0 and asked or {},
      confidence_why = "Slurm's own record of the node; whether it hit this job is not in it",
      summary = string.format("Slurm took node %s out of service%s", case.host or "?", reason and ": " .. reason or ""), facts = { reason = reason } } }
  end,
}

-- slurmstepd gives up on a process that SIGKILL does not end: it hangs in the kernel. That comes behind whatever ended the step, and may be why it stood.
signature {
  id      = "slurm.not_ending",
  stream  = { "slurm", "app" },
  needles = { "STEPD TERMINATED ON" },
  pattern = [[\*\*\* (?:STEP|JOB) (?<step>\S+) STEPD TERMINATED ON (?<node>[\w.-]+) AT \S+ DUE TO JOB NOT ENDING WITH SIGNALS \*\*\*]],
  fields  = { step = "text", node = "host" },
  match   = { "slurmstepd: error: *** STEP 123.0 STEPD TERMINATED ON gpu-a01 AT 2026-01-01T00:00:00 DUE TO JOB NOT ENDING WITH SIGNALS ***" },
  ignore  = { "slurmstepd: error: *** STEP 123.0 ON gpu-a01 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***" },
  tells   = "a process of step {step} on {node} does not end",
}
correlate {
  id    = "host.hung_task.not_ending",
  group = "host",
  uses  = { "slurm.not_ending" },
  reach = { "kernel.stuck", "kernel.xid", "kernel.gsp_silent" },
  judge = function(case)
    local on = case.signals
    local said = on["slurm.not_ending"]
    if #keep(join(on["kernel.stuck"], on["kernel.xid"], on["kernel.gsp_silent"]), function(s) return s.host == case.host end) > 0 then return {} end
    return { { cause = "host.hung_task", severity = "note", confidence = "possible", scope = "host", host = case.host, evidence = said,
      confidence_why = "only a process that hangs in the kernel outlives SIGKILL; whether it hung before the step was ended is not in it",
      summary = string.format("A process of step %s on %s did not end with SIGKILL", said[1].fields.step, case.host or "?") } }
  end,
}

-- Containers that Slurm or a shell starts: the image cannot be had or started. Sources: NVIDIA pyxis (importer, spank), enroot, docker, apptainer.
signature {
  id      = "slurm.container_failed",
  stream  = { "slurm", "app" },
  needles = { "pyxis: failed to ", "pyxis: couldn't ", "pyxis: container start failed", "docker: Error response from daemon", "Unable to find image '", "FATAL:   Unable to ", "could not open image " },
  pattern = [[pyxis: (?<text>failed to import docker image|failed to create container filesystem|failed to stop container|couldn't start container|container start failed with error code: \d+)|docker: Error response from daemon: (?<text>(?:manifest for|pull access denied|failed to create (?:shim )?task|Head |Get |toomanyrequests|error parsing|failed to register layer|could not select device driver)[^\n]{0,160})|FATAL: +(?<text>Unable to (?:handle docker|pull|build from)[^\n]{0,120}|could not open image [^\n]{0,120})]],
  fields  = { text = "text" },
  match   = { "slurmstepd: error: pyxis: failed to import docker image", "slurmstepd: error: pyxis: container start failed with error code: 1",
              "docker: Error response from daemon: manifest for nvcr.io/nvidia/pytorch:99.01 not found: manifest unknown.", "FATAL:   could not open image /images/train.sif: failed to retrieve path" },
  ignore  = { "pyxis: importing docker image: nvcr.io#nvidia/pytorch:26.03-py3", "slurmstepd: error: pyxis: printing enroot log file:" },
  tells   = "the container was not started: {text}",
}
correlate {
  id    = "slurm.container_failed",
  group = "job",
  uses  = { "slurm.container_failed" },
  reach = { "app.progress", "app.good_end", "srun.ended", "runtime.container_cli" },
  judge = function(case)
    local on = case.signals
    if #on["app.good_end"] + #on["app.progress"] > 0 then return {} end
    local said = on["slurm.container_failed"]
    local driver = #on["runtime.container_cli"] > 0 -- the hook for GPUs says why
    return { { cause = "k8s.image_or_mount", severity = driver and "warning" or "error", confidence = "certain", scope = "job", host = said[1].host, evidence = said, symptoms = on["srun.ended"], ranks = {},
      confidence_why = "the container could not be started, by the words of whoever starts it", summary = "The container could not be started: " .. first(said).fields.text } }
  end,
}

-- submitit's handler of the signal that Slurm sends before it ends a job: from the time that is left it tells a time limit from a preemption.
-- Source: submitit core/job_environment.py, SignalHandler.
signature {
  id      = "submitit.told_to_end",
  stream  = { "app", "slurm" },
  needles = { ": this job is timed-out", ": this job is preempted" },
  pattern = [[Caught signal (?<signal>SIG\w+) on (?<node>[\w.-]+): this job is (?<why>timed-out|preempted)]],
  fields  = { signal = "text", node = "host", why = "text" },
  match   = { "submitit WARNING (2026-01-01 00:10:00,402) - Caught signal SIGUSR2 on gpu-a02: this job is timed-out." },
  ignore  = { "submitit WARNING (2026-01-01 00:10:31,002) - Bypassing signal SIGTERM" },
  tells   = "submitit gets {signal}: the job is {why}",
}
correlate {
  id    = "submitit.told_to_end",
  group = "job",
  uses  = { "submitit.told_to_end" },
  reach = { "app.good_end", "app.progress", "app.traceback" },
  judge = function(case)
    local on, found = case.signals, {}
    for _, one in ipairs(group_by(on["submitit.told_to_end"], function(s) return s.fields.why end)) do
      local s, out = last(one), one[1].fields.why == "timed-out"
      local went_on = #on["app.good_end"] > 0 or #keep(on["app.progress"], function(p) return p.member == s.member and p.line > s.line end) > 0
      local failed = keep(on["app.traceback"], function(t) return order(t, one[1]) == "before" end)
      found[#found + 1] = { cause = out and "slurm.time_limit" or "k8s.preempted", severity = went_on and "note" or #failed > 0 and "warning" or "error", confidence = "likely", scope = "job", ranks = {}, evidence = one,
        confidence_why = went_on and "submitit got the signal, and the job went on" or "submitit got Slurm's signal and compared the time that was left; Slurm's own words are in its accounting",
        summary = out and "The job was told to end before its time limit" or "The job was told to end: preempted" }
    end
    return found
  end,
}
