-- A communicator could not be made. Needs CUDA contexts, topology, shared memory, transports, memory registration and all
-- peers, so it fails wherever one of these failed before: a boundary, hardly ever the cause.
-- Sources: NCCL src/init.cc, include/checks.h; TensorFlow nccl_manager; torch NCCLUtils.
signature {
  id      = "nccl.init_start",
  stream  = "nccl",
  needles = { "Init START" },
  pattern = [[NCCL INFO (?:\[Rank \d+\] )?(?:(?<call>\w+) )?comm (?<comm>0x[0-9a-f]+) rank (?<rank>\d+) n[rR]anks (?<nranks>\d+) cudaDev (?<gpu>\d+)(?: nvmlDev \d+)? busId (?<bus>[0-9a-f]+)(?:.*? commId (?<commid>0x[0-9a-f]+))?.*- Init START]],
  fields  = { call = "text", comm = "text", rank = "rank", nranks = "int", gpu = "gpu", bus = "text", commid = "text" },
  match   = { "NCCL INFO ncclCommInitRank comm 0x55d10c3e7a10 rank 4 nranks 8 cudaDev 4 nvmlDev 4 busId a1000 commId 0x91f0c11d - Init START" },
  ignore  = { "NCCL INFO comm 0x5 rank 4 nranks 8 cudaDev 4 busId a1000 commId 0x91f0c11d - Init COMPLETE" },
  tells   = "rank {rank} of {nranks} begins to join a communicator",
}
signature {
  id      = "nccl.init_complete",
  stream  = "nccl",
  needles = { "Init COMPLETE" },
  pattern = [[NCCL INFO (?:\[Rank \d+\] )?(?:(?<call>\w+) )?comm (?<comm>0x[0-9a-f]+) rank (?<rank>\d+) n[rR]anks (?<nranks>\d+) cudaDev (?<gpu>\d+)(?: nvmlDev \d+)? busId (?<bus>[0-9a-f]+)(?:.*? commId (?<commid>0x[0-9a-f]+))?.*- Init COMPLETE]],
  fields  = { call = "text", comm = "text", rank = "rank", nranks = "int", gpu = "gpu", bus = "text", commid = "text" },
  match   = { "NCCL INFO ncclCommInitRankConfig comm 0xef4f9e0 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 60 commId 0x247cab092a9ca48b - Init COMPLETE" },
  ignore  = { "NCCL INFO comm 0x5 rank 4 nranks 8 cudaDev 4 busId a1000 commId 0x91f0c11d - Init START" },
}
signature {
  id      = "nccl.version",
  stream  = "nccl",
  needles = { "NCCL version " },
  pattern = [[(?<component>NCCL) version (?<version>\d+\.\d+[0-9a-z.+]*)]],
  fields  = { component = "text", version = "text" },
  fold    = { "version" },
  match   = { "NCCL INFO NCCL version 2.28.9+cuda13.0", "NCCL version 2.21.5+cuda12.4" },
  ignore  = { "NCCL error in: /x/NCCLUtils.cpp:93, NCCL version" },
}
signature {
  id      = "nccl.cuda_failure",
  stream  = "nccl",
  needles = { "Cuda failure" },
  pattern = [[NCCL WARN (?:\S+:\d+ )?Cuda failure (?:(?<code>\d+) )?'(?<text>[^']*)']],
  fields  = { code = "int", text = "text" },
  match   = { "NCCL WARN Cuda failure 304 'OS call failed or operation not supported on this OS'", "NCCL WARN Cuda failure 'out of memory'" },
  ignore  = { "NCCL INFO Cuda failure 'peer access is not supported between these two devices'" },
}
-- What a framework prints when ncclCommInitRank fails, whatever the reason.
signature {
  id      = "app.nccl_init_failed",
  stream  = { "app", "nccl" },
  needles = { "ncclCommInitRank", "setting up NCCL communicator" },
  pattern = [[ncclCommInitRank\w*(?:\([^)]*\))?(?: failed)?(?::| failed) ?(?<text>(?:unhandled|internal|invalid|remote|unknown|system)[^(\[]{3,80})|setting up NCCL communicator and retrieving ncclUniqueId]],
  fields  = { text = "text" },
  match   = { "ncclCommInitRank: unhandled cuda error (run with NCCL_DEBUG=INFO for details)", "UNKNOWN: ncclCommInitRank failed: unhandled cuda error (run with NCCL_DEBUG=INFO for details)" },
  ignore  = { "ncclCommInitRank comm 0x55d10c3e7a10 rank 4 nranks 8 - Init START", "ncclCommInitRank(0x7f, 8, 0xab, 0, 0)" },
  tells   = "ncclCommInitRank fails",
}

correlate {
  id    = "comm.init_failed",
  group = "job",
  uses  = { "app.nccl_init_failed" },
  reach = { "nccl.cuda_failure", "nccl.init_start", "nccl.init_complete" },
  judge = function(case)
    local on = case.signals
    local said, ranks, seen = on["app.nccl_init_failed"], {}, {}
    for _, s in ipairs(said) do
      if s.rank and not seen[s.rank] then
        seen[s.rank] = true
        ranks[#ranks + 1] = s.rank
      end
    end
    local worded = keep(said, function(s) return s.fields.text ~= nil end)
    local text = #worded > 0 and first(worded).fields.text or "ncclUniqueId could not be exchanged"
    local who = #ranks > 0 and string.format("on %d rank%s", #ranks, #ranks == 1 and "" or "s") or "on at least one rank"
    return { {
      cause = "comm.init_failed", confidence = "certain", scope = "job", ranks = ranks,
      evidence = join(said, on["nccl.cuda_failure"]),
      confidence_why = "the framework names the call; what made it fail is not in this line",
      summary = string.format("ncclCommInitRank failed %s: %s", who, text),
    } }
  end,
}
