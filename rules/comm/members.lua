-- PyTorch Lightning prints each process that comes to the group, and once more when all have come. Where a process announces a number that
-- another has too, the launcher started each node as a job of its own; where numbers lack, those processes never came.
-- Source: pytorch_lightning strategies/ddp.py, setup_distributed; plugins/training_type/ddp.py before 1.6.
signature {
  id      = "lightning.member",
  stream  = "app",
  needles = { "GLOBAL_RANK: " },
  pattern = [[nitializing (?:ddp|distributed|ddp_sharded|deepspeed): GLOBAL_RANK: (?<own>\d+), MEMBER: (?<n>\d+)/(?<of>\d+)]],
  fields  = { own = "rank", n = "int", of = "int" },
  match   = { "initializing ddp: GLOBAL_RANK: 1, MEMBER: 2/4", "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/8" },
  ignore  = { "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0,1]" },
  tells   = "rank {own} of {of} comes to the group",
}
signature {
  id      = "lightning.all_came",
  stream  = "app",
  needles = { "All distributed processes registered", "All DDP processes registered" },
  pattern = [[All (?:distributed|DDP) processes registered\. Starting (?:with|ddp with) (?<of>\d+) processes]],
  fields  = { of = "int" },
  match   = { "All distributed processes registered. Starting with 8 processes", "All DDP processes registered. Starting ddp with 4 processes" },
  ignore  = { "All processes registered" },
  tells   = "all {of} processes came",
}
correlate {
  id    = "comm.members",
  group = "job",
  uses  = { "lightning.member" },
  reach = { "lightning.all_came", "app.progress", "app.good_end", "app.traceback", "app.exception_line", "nccl.warn", "slurm.cancelled" },
  judge = function(case)
    local on, times, lacking, of, twice = case.signals, {}, {}, 0, {}
    local told = #on["app.traceback"] + #on["app.exception_line"] + #on["nccl.warn"] -- another reason why it did not go on
    if #on["lightning.all_came"] + #on["app.progress"] + #on["app.good_end"] + told > 0 then return {} end
    local came = on["lightning.member"]
    for _, s in ipairs(came) do
      of = math.max(of, s.fields.of)
      times[s.fields.own] = (times[s.fields.own] or 0) + s.count
    end
    if of > 4096 then return {} end
    for r = 0, of - 1 do
      if not times[r] then lacking[#lacking + 1] = r elseif times[r] > 1 then twice[#twice + 1] = r end
    end
    if #lacking == 0 then return {} end
    if #twice > 0 then
      return { { cause = "comm.misuse", class = "init", confidence = "likely", scope = "job", ranks = twice, evidence = came, symptoms = on["slurm.cancelled"],
        confidence_why = "two processes call themselves by one number, while others of the same size are missing; two runs in one log could look so",
        summary = string.format("Of %d processes %d numbers came twice and %d never: each node was started as a job of its own", of, #twice, #lacking) } }
    end
    -- rank 0 alone would say that all have come
    if not times[0] then return {} end
    if #keep(group_by(came, "member"), function(list) return #distinct(list, "rank") > 1 end) == 0 then
      return { { cause = "comm.missing_rank", class = "init", confidence = "possible", scope = "job", ranks = {}, hosts = {}, evidence = came, symptoms = on["slurm.cancelled"],
        confidence_why = "rank 0 never says that all have come; each rank writes a log of its own, and who came may be in one that is not in the bundle",
        summary = string.format("Not all of %d processes came to the group: %d are known to have", of, of - #lacking) } }
    end
    return { { cause = "comm.missing_rank", class = "init", confidence = "likely", scope = "job", rank = lacking[1], ranks = lacking, evidence = came, symptoms = on["slurm.cancelled"],
      confidence_why = "who comes says so, and nobody says that all have come; the output of the others may not be in the bundle",
      summary = string.format("%d of %d processes never came to the group", #lacking, of) } }
  end,
}
