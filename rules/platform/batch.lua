-- Schedulers beside Slurm: what LSF, PBS and Moab leave at the end of a job's own output when they ended it. They write no time beside it. LSF names its
-- reason in a summary behind a ruled line; PBS writes to the job's stderr, often behind a line that has no end yet. A limit of memory is that of the batch
-- system, held by its own accounting or by a cgroup. Sources: LSF lsbatch.h (termination reasons), OpenPBS src/resmom (mom_main, mom_mach), Torque resmom.
signature {
  id      = "batch.memory_limit",
  stream  = { "app", "slurm" },
  needles = { "TERM_MEMLIMIT: job killed after", "PBS: job killed: ", "exceeded MEM usage hard limit" },
  pattern = [[(?:\bTERM_MEMLIMIT: job killed after reaching LSF memory usage limit|=>> PBS: job killed: p?v?mem (?<used>\d+\w*) exceeded limit (?<limit>\d+\w*)|\bjob (?<job>\d+) exceeded MEM usage hard limit)]],
  fields  = { used = "text", limit = "text", job = "text" },
  match   = { "TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.", "=>> PBS: job killed: mem 8392704kb exceeded limit 8388608kb",
              "job 1842 exceeded MEM usage hard limit (9011 > 8601)" },
  ignore  = { "=>> PBS: job killed: walltime 122 exceeded limit 120", "    Max Memory :                                 8192 MB" },
  says    = { cause = "host.memcg_oom", confidence = "certain", scope = "job", summary = "The batch system killed the job for its memory use" },
}
signature {
  id      = "batch.time_limit",
  stream  = { "app", "slurm" },
  needles = { "TERM_RUNLIMIT: job killed after", "TERM_DEADLINE: job killed after", "PBS: job killed: walltime", "job exceeded wallclock limit" },
  pattern = [[(?:\bTERM_(?:RUNLIMIT: job killed after reaching LSF run time limit|DEADLINE: job killed after deadline)|=>> PBS: job killed: walltime (?<used>\d+) exceeded limit (?<limit>\d+)|\bMOAB_INFO:\s+job exceeded wallclock limit)]],
  fields  = { used = "int", limit = "int" },
  match   = { "TERM_RUNLIMIT: job killed after reaching LSF run time limit.", "loss 2.71=>> PBS: job killed: walltime 122 exceeded limit 120", "MOAB_INFO:  job exceeded wallclock limit" },
  ignore  = { "=>> PBS: job killed: mem 8392704kb exceeded limit 8388608kb", "TERM_OWNER: job killed by owner." },
  tells   = "the batch system ends the job at its time limit",
}
signature {
  id      = "batch.preempted",
  stream  = { "app", "slurm" },
  needles = { "TERM_PREEMPT: job killed after" },
  pattern = [[\bTERM_PREEMPT: job killed after preemption]],
  match   = { "TERM_PREEMPT: job killed after preemption." },
  ignore  = { "TERM_OWNER: job killed by owner." },
  says    = { cause = "k8s.preempted", confidence = "certain", scope = "job", summary = "The batch system took the job's place for another one" },
}
signature {
  id      = "batch.exited",
  stream  = { "app", "slurm" },
  needles = { "Subject: Job " },
  pattern = [[^Subject: Job (?<job>\d+(?:\[\d+\])?): <.*> in cluster <\S+> Exited$]],
  fields  = { job = "text" },
  match   = { "Subject: Job 40718: <train> in cluster <c1> Exited" },
  ignore  = { "Subject: Job 40718: <train> in cluster <c1> Done" },
  says    = { cause = "unknown", confidence = "certain", scope = "job", summary = "LSF says that the job failed, not why" },
}

correlate {
  id    = "batch.time_limit",
  group = "job",
  uses  = { "batch.time_limit" },
  reach = { "app.traceback", "app.cuda_oom" },
  judge = function(case)
    local on = case.signals
    local all = on["batch.time_limit"]
    if #all == 0 then return {} end
    local head = first(all)
    -- ranks that had failed before: the limit only ended what was over
    local failed = keep(join(on["app.traceback"], on["app.cuda_oom"]), function(s) return order(s, head) ~= "after" end)
    return { { cause = "slurm.time_limit", severity = #failed > 0 and "warning" or "error", confidence = "certain", scope = "job", evidence = all, confidence_why = "the batch system's own words",
      summary = "The batch system ended the job at its time limit", facts = { used_s = head.fields.used, limit_s = head.fields.limit } } }
  end,
}
