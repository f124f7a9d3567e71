-- What happens around a job, before its first line and behind its last: the prolog that every node runs before it takes a job, the epilog
-- behind it, and what a job prints of its place. A prolog that fails takes its node out of service and sends the job back; an epilog
-- that fails costs the job nothing. Sources: slurm src/slurmd/slurmd/req.c, src/slurmctld/{proc_req,job_mgr}.c, src/common/slurm_errno.c.
signature {
  id      = "slurm.prolog_failed",
  stream  = { "slurm", "app" },
  needles = { "prolog failed", "Prolog failed", "Prolog failure", "Prolog launch failure", "Prolog hung on node", "prolog exit status" },
  pattern = [[(?i)^(?:\w+: )?(?:error: )?(?:\w+: )?(?:Task launch for (?:StepId=)?(?<step>\S+) failed on node (?<node>[\w.-]+): Job prolog failed|slurmd error running JobId=(?<job>\S+) on node\(s\)=(?<node>[\w.-]+): (?:Job )?prolog failed|Prolog (?:failure|hung) on node (?<node>[\w.-]+)|(?:Prolog launch failure, |Prolog failed for )JobId=(?<job>\S+)|\[job (?<job>\d+)\] prolog failed status=(?!0:0)\d+:\d+|prolog_slurmctld JobId=(?<job>\S+) prolog exit status (?!0:0)\d+:\d+)]],
  fields  = { step = "text", node = "host", job = "text" },
  match   = { "srun: error: Task launch for StepId=23.0 failed on node gpu-a02: Job prolog failed", "salloc: Prolog failure on node gpu-a02", "error: Prolog launch failure, JobId=123",
              "error: [job 123] prolog failed status=1:0", "error: _rpc_prolog: [job 123] prolog failed status=230:0", "slurmstepd: error: Prolog hung on node gpu-a02",
              "error: slurmd error running JobId=123 on node(s)=gpu-a02: Job prolog failed" },
  ignore  = { "[job 123] prolog failed status=0:0", "debug:  [job 123] attempting to run prolog [/etc/slurm/prolog.sh]", "srun: error: Application launch failed: Job prolog failed",
              "srun: error: Task launch for StepId=36.0 failed on node cn131: Job credential expired", "error: epilog failed status=1:0" },
  tells   = "the prolog of job {job} fails on {node}",
}
signature {
  id      = "slurm.epilog_failed",
  stream  = "slurm",
  needles = { "epilog failed status=", "Epilog error on ", "epilog error on ", " epilog error " },
  pattern = [[^error: (?:\w+: )?(?:\[job (?<job>\d+)\] epilog failed status=(?:[1-9]\d*:\d+|0:[1-9]\d*)|JobId=(?<job>\S+) epilog error on (?<node>[\w.-]+)|[Ee]pilog error on (?<node>[\w.-]+)|epilog error JobId=(?<job>\S+) Node=(?<node>[\w.-]+))]],
  fields  = { job = "text", node = "host" },
  match   = { "error: [job 123] epilog failed status=1:0", "error: Epilog error on gpu-a02, setting DOWN", "error: _slurm_rpc_epilog_complete: epilog error JobId=123 Node=gpu-a02 Err=Job epilog failed" },
  ignore  = { "error: [job 123] epilog failed status=0:0", "debug2: _slurm_rpc_epilog_complete: JobId=123 Node=gpu-a02" },
  tells   = "the epilog of job {job} fails on {node}",
}

-- A prolog's reason in the node's record: set by slurmctld itself, in its own words.
local REASON = [[^[Pp]rolog (?:error|failed|failure)]]
correlate {
  id    = "slurm.prolog_failed",
  group = "job",
  uses  = { "slurm.prolog_failed" },
  reach = { "slurm.drained", "slurm.set_aside", "slurm.node", "srun.ended", "slurm.epilog_failed", "app.progress", "app.good_end" },
  judge = function(case)
    local on = case.signals
    local said = on["slurm.prolog_failed"]
    local drained = keep(join(on["slurm.drained"], on["slurm.set_aside"], on["slurm.node"]), function(s)
      return match(s.fields.text or s.fields.reason or "", REASON) ~= nil and is_near(s, said[1], hours(1))
    end)
    local nodes = distinct(join(said, drained), function(s) return s.fields.node end)
    local node = #nodes == 1 and nodes[1] or nil
    -- sent back to the queue, it may have run elsewhere
    local ran = #on["app.progress"] + #on["app.good_end"] > 0
    local aside = keep(on["slurm.set_aside"], function(s) return s.fields.node ~= nil and s.fields.node == node and is_near(s, said[1], minutes(5)) end)
    return { { cause = "slurm.node_fail", class = "init", severity = ran and "note" or "error", confidence = "likely", scope = node and "host" or "job", host = node, ranks = {},
      evidence = said, symptoms = join(drained, aside, on["srun.ended"]),
      confidence_why = ran and "Slurm's own words; the job ran all the same" or "Slurm's own words: the node's prolog failed, so the job was not started there; why it failed is in the prolog's own log",
      summary = string.format("The prolog failed%s, and %s", node and " on " .. node or #nodes > 1 and " on " .. table.concat(nodes, ", ") or "", ran and "the job ran elsewhere or later" or "the job was not started"),
      facts = { nodes = table.concat(nodes, ",") } } }
  end,
}
-- Behind the job's end: the node is taken out of service, and nobody's job ended for it.
correlate {
  id    = "slurm.epilog_failed",
  group = "job",
  uses  = { "slurm.epilog_failed" },
  reach = { "slurm.set_aside", "slurm.drained" },
  judge = function(case)
    local on = case.signals
    local said = on["slurm.epilog_failed"]
    local node
    for _, s in ipairs(said) do node = node or s.fields.node end
    return { { cause = "slurm.node_fail", severity = "note", confidence = "likely", scope = node and "host" or "job", host = node, ranks = {}, evidence = said,
      symptoms = keep(join(on["slurm.set_aside"], on["slurm.drained"]), function(s) return s.fields.node ~= nil and s.fields.node == node and is_near(s, said[1], minutes(5)) end),
      confidence_why = "an epilog runs behind the job's end", summary = string.format("The epilog failed%s: the node is taken out of service behind the job's end", node and " on " .. node or "") } }
  end,
}

-- What a job prints of its own place, or an environment dump of it: which job it is, and which nodes it was given.
signature {
  id      = "slurm.own_job",
  stream  = { "app", "host", "slurm" },
  needles = { "SLURM_JOB_ID", "SLURM_JOBID" },
  pattern = [[^(?:export |declare -x )?SLURM_JOB_?ID ?[=:] ?["\x27]?(?<own_job>\d+)["\x27]?\s*$]],
  fields  = { own_job = "text" },
  fold    = { "own_job" },
  match   = { "SLURM_JOB_ID=88", 'declare -x SLURM_JOBID="88"', "SLURM_JOB_ID: 88" },
  ignore  = { "SLURM_JOB_ID=$SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID=88" },
}
signature {
  id      = "slurm.own_nodes",
  stream  = { "app", "host", "slurm" },
  needles = { "SLURM_JOB_NODELIST", "SLURM_NODELIST" },
  pattern = [[^(?:export |declare -x )?SLURM_(?:JOB_)?NODELIST ?[=:] ?["\x27]?(?<own_nodes>[A-Za-z][\w.,\[\]-]*)["\x27]?\s*$]],
  fields  = { own_nodes = "text" },
  fold    = { "own_nodes" },
  match   = { "SLURM_JOB_NODELIST=gpu-a[01-04,07]", 'declare -x SLURM_NODELIST="n1,n2"', "SLURM_JOB_NODELIST: n[1-4]" },
  ignore  = { "SLURM_JOB_NODELIST=$SLURM_JOB_NODELIST", "SLURM_STEP_NODELIST=n1" },
  tells   = "the job was given the nodes {own_nodes}",
}
-- How many tasks srun was to start: fewer than there are ranks, and each of them is a launcher (analyzer/verdict/tasks.c).
signature {
  id      = "slurm.own_tasks",
  stream  = { "app", "host", "slurm" },
  needles = { "SLURM_NTASKS", "SLURM_NPROCS", "SLURM_STEP_NUM_TASKS" },
  pattern = [[^(?:export |declare -x )?SLURM_(?:NTASKS|NPROCS|STEP_NUM_TASKS) ?[=:] ?["\x27]?(?<own_tasks>\d+)["\x27]?\s*$]],
  fields  = { own_tasks = "int" },
  fold    = { "own_tasks" },
  match   = { "SLURM_NTASKS=4", 'declare -x SLURM_NPROCS="16"', "SLURM_NTASKS: 2" },
  ignore  = { "SLURM_NTASKS=$SLURM_NTASKS", "SLURM_NTASKS_PER_NODE=8" },
  tells   = "srun starts {own_tasks} tasks",
}

-- srun could not start the tasks: the node's daemon did not answer, or refused. A refused credential (rules/host/clock.lua) and a failed prolog
-- have rules of their own; what is left is a failure before the first line of the job, whose reason the node's slurmd.log tells.
correlate {
  id    = "slurm.launch_failed",
  group = "job",
  uses  = { "srun.launch_failed" },
  reach = { "app.progress", "app.good_end" },
  judge = function(case)
    local on = case.signals
    local said = keep(on["srun.launch_failed"], function(s) return match(s.fields.why, [[redential|prolog failed|clock]]) == nil end)
    if #said == 0 then return {} end
    local nodes = distinct(said, function(s) return s.fields.node end)
    local node = #nodes == 1 and nodes[1] or nil
    local ran = #on["app.good_end"] > 0 or #keep(on["app.progress"], function(p) return p.member == said[1].member and p.line > said[1].line end) > 0
    return { { cause = "unknown", class = "init", severity = ran and "note" or "error", confidence = "likely", scope = node and "host" or "job", host = node, ranks = {}, evidence = said,
      confidence_why = ran and "srun's own words; the job ran all the same" or "srun's own words; why the node's daemon did not take the tasks is in its slurmd.log",
      summary = string.format("srun could not start its tasks on %s: %s", table.concat(nodes, ", "), said[1].fields.why), facts = { nodes = table.concat(nodes, ","), why = said[1].fields.why } } }
  end,
}
