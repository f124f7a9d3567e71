-- A communicator could not be made. Needs CUDA contexts, topology, shared memory, transports, memory registration and all
-- peers, so it fails wherever one of these failed before: a boundary, hardly ever the cause.
-- Sources: NCCL src/init.cc, include/checks.h; TensorFlow nccl_manager; torch NCCLUtils.
signature {
  id      = "nccl.init_start",
  meets   = "comes",
  stream  = "nccl",
  needles = { "Init START" },
  pattern = [[NCCL INFO (?:\[Rank \d+\] )?(?:(?<call>\w+) )?comm (?<comm>0x[0-9a-f]+) rank (?<rank>\d+) n[rR]anks (?<nranks>\d+) cudaDev (?<gpu>\d+)(?: nvmlDev (?<nvml>\d+))? busId (?<bus>[0-9a-f]+)(?:.*? commId (?<commid>0x[0-9a-f]+))?.*- Init START]],
  fields  = { call = "text", comm = "text", rank = "rank", nranks = "int", gpu = "gpu", nvml = "int", bus = "text", commid = "text" },
  match   = { "NCCL INFO ncclCommInitRank comm 0x55d10c3e7a10 rank 4 nranks 8 cudaDev 4 nvmlDev 4 busId a1000 commId 0x91f0c11d - Init START" },
  ignore  = { "NCCL INFO comm 0x5 rank 4 nranks 8 cudaDev 4 busId a1000 commId 0x91f0c11d - Init COMPLETE" },
  tells   = "rank {rank} of {nranks} begins to join a communicator",
}
signature {
  id      = "nccl.init_complete",
  meets   = "leaves",
  stream  = "nccl",
  needles = { "Init COMPLETE" },
  pattern = [[NCCL INFO (?:\[Rank \d+\] )?(?:(?<call>\w+) )?comm (?<comm>0x[0-9a-f]+) rank (?<rank>\d+) n[rR]anks (?<nranks>\d+) cudaDev (?<gpu>\d+)(?: nvmlDev \d+)? busId (?<bus>[0-9a-f]+)(?:.*? commId (?<commid>0x[0-9a-f]+))?.*- Init COMPLETE]],
  fields  = { call = "text", comm = "text", rank = "rank", nranks = "int", gpu = "gpu", bus = "text", commid = "text" },
  match   = { "NCCL INFO ncclCommInitRankConfig comm 0xef4f9e0 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 60 commId 0x247cab092a9ca48b - Init COMPLETE" },
  ignore  = { "NCCL INFO comm 0x5 rank 4 nranks 8 cudaDev 4 busId a1000 commId 0x91f0c11d - Init START" },
}
-- PyTorch says which of its groups the communicator at that address is (TORCH_CPP_LOG_LEVEL=INFO). Before the bracket of releases since
-- 2.5 stands the order of creation, then the name of the group, and what it is for. Source: torch ProcessGroupNCCL.cpp, createNCCLComm.
signature {
  id      = "torch.comm_made",
  stream  = { "app", "nccl" },
  needles = { "created ncclComm_ 0x" },
  pattern = [[\[PG (?:ID \d+ PG GUID )?(?<group>[^\s()]+?) ?(?:\((?<group_desc>[^)]*)\) )?Rank (?<position>\d+)\] ProcessGroupNCCL created ncclComm_ (?<made>0x[0-9a-f]+)]],
  fields  = { group = "text", group_desc = "text", position = "int", made = "text" },
  match   = { "[PG ID 1 PG GUID 7(mesh_tp) Rank 2] ProcessGroupNCCL created ncclComm_ 0x5581e0c0 on CUDA device: ", "[PG 0 (default_pg) Rank 5] ProcessGroupNCCL created ncclComm_ 0x55cc10 on CUDA device: ",
              "[PG ID 2 PG GUID 2 Rank 0] ProcessGroupNCCL created ncclComm_ 0x7f10 on CUDA device: 3" },
  ignore  = { "Aborting ncclComm_ 0x26e858b0 with reason: No abort reason provided." },
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

signature {
  id      = "nccl.comm_size",
  stream  = "nccl",
  needles = { " nRanks " },
  pattern = [[NCCL INFO comm (?<comm>0x[0-9a-f]+) rank (?<rank>\d+) nRanks (?<nranks>\d+) nNodes (?<nodes>\d+) localRanks (?<local_ranks>\d+)]],
  fields  = { comm = "text", rank = "rank", nranks = "int", nodes = "int", local_ranks = "int" },
  match   = { "NCCL INFO comm 0x55d10c3e7a10 rank 3 nRanks 4 nNodes 1 localRanks 4 localRank 3 MNNVL 0" },
  ignore  = { "NCCL INFO comm 0x5 rank 4 nranks 8 cudaDev 4 busId a1000 commId 0x91f0c11d - Init COMPLETE" },
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

-- The life of a communicator, rank by rank: who began, who finished. commId is one number on all ranks; a split has none and is left out.
-- Ranks whose logs are not in the bundle are no finding: only a rank that began and did not finish is.
local function communicators(on)
  local by_id, ids = {}, {}
  local function at(s)
    local id = s.fields.commid
    if not id then return nil end
    if not by_id[id] then
      by_id[id] = { id = id, start = {}, done = {}, starts = {}, n_start = 0, n_done = 0, sizes = {} }
      ids[#ids + 1] = by_id[id]
    end
    return by_id[id]
  end
  for _, s in ipairs(on["nccl.init_start"]) do
    local c = at(s)
    if c and s.fields.rank then
      c.sizes[s.fields.nranks] = c.sizes[s.fields.nranks] or s
      if not c.start[s.fields.rank] then c.n_start = c.n_start + 1 end
      c.start[s.fields.rank] = c.start[s.fields.rank] or s
      c.starts[#c.starts + 1] = s
    end
  end
  for _, s in ipairs(on["nccl.init_complete"]) do
    local c = at(s)
    if c and s.fields.rank then
      c.sizes[s.fields.nranks] = c.sizes[s.fields.nranks] or s
      if not c.done[s.fields.rank] then c.n_done = c.n_done + 1 end
      c.done[s.fields.rank] = c.done[s.fields.rank] or s
    end
  end
  return ids
end

local function rank_list(ranks)
  table.sort(ranks)
  local text = {}
  for i, r in ipairs(ranks) do
    if i > 12 then
      text[#text + 1] = "..."
      break
    end
    text[#text + 1] = tostring(r)
  end
  return table.concat(text, ", ")
end

-- Initialisation that a call of NCCL gave up: the unwinding of init.cc, bootstrap.cc or group.cc, and no COMPLETE.
correlate {
  id    = "comm.init_failed.unwound",
  group = "job",
  uses  = { "nccl.init_start" },
  reach = { "nccl.init_complete", "nccl.unwind", "nccl.warn" },
  judge = function(case)
    local on, evidence, ranks = case.signals, {}, {}
    local gave_up = keep(on["nccl.unwind"], function(u) return u.fields.thread ~= nil or match(u.fields.file, [[^(?:init|bootstrap)\.c[cu]$]]) end)
    if #gave_up == 0 or #on["nccl.warn"] == 0 then return {} end
    for _, c in ipairs(communicators(on)) do
      for rank, s in pairs(c.start) do
        if not c.done[rank] and c.n_done == 0 then
          evidence[#evidence + 1] = s
          ranks[#ranks + 1] = rank
        end
      end
    end
    if #evidence == 0 then return {} end
    return { { cause = "comm.init_failed", confidence = "certain", scope = "job", evidence = gave_up, ranks = ranks,
      confidence_why = "a communicator began, no rank finished it, and NCCL unwound",
      summary = "The communicator was never completed: rank" .. (#ranks == 1 and " " or "s ") .. rank_list(ranks) .. " began and gave up" } }
  end,
}

-- Did some ranks end by something of their own after a communicator of nranks began? A rank that gave up waiting did not, and where all of
-- them ended, somebody ended the job that stood.
local GAVE_UP = [[(?i)timeout|timed out|not (?:ready|respond|joined)|did not (?:start|join|initiali[sz]e)|(?:start|initiali[sz]ation|init) failed|failed to (?:start|initiali[sz]e)|KeyboardInterrupt|SystemExit|SignalException|ChildFailedError]]
local BY_SIGNAL = { [-9] = true, [137] = true, [-11] = true, [139] = true, [-7] = true, [135] = true }
local function ended_alone(on, c, began, nranks)
  local who, n = {}, 0
  local function add(s)
    local key = s.rank or s.pid or s.member or ""
    if not who[key] and (s.rank == nil or not c.done[s.rank]) and order(s, began) ~= "before" then
      who[key] = true
      n = n + 1
    end
  end
  for _, s in ipairs(on["app.traceback"]) do
    if not match((s.fields.type or "") .. ": " .. (s.fields.message or ""), GAVE_UP) then add(s) end
  end
  for _, s in ipairs(join(on["launcher.worker_failed"], on["launcher.exitcode"], on["app.exit_line"])) do
    if BY_SIGNAL[s.fields.exitcode or s.fields.code] then add(s) end
  end
  for _, s in ipairs(join(on["mpi.signal"], on["mpi.exit"])) do
    if BY_SIGNAL[-(s.fields.signal or 0)] then add(s) end
  end
  for _, s in ipairs(on["absl.signal"]) do
    if match(s.fields.name, [[^(?:SEGV|BUS)$]]) then add(s) end
  end
  return n > 0 and n < nranks
end

-- Initialisation that neither ended nor failed.
correlate {
  id    = "comm.init_stuck",
  group = "job",
  needs = { "nccl" },
  uses  = { "nccl.init_start" },
  reach = { "nccl.init_complete", "nccl.warn", "app.progress", "app.good_end", "app.nccl_error", "app.traceback", "launcher.worker_failed", "launcher.exitcode", "app.exit_line",
            "mpi.signal", "mpi.exit", "absl.signal", "app.own_rank", "nccl.env", "nccl.version" },
  judge = function(case)
    local on, found = case.signals, {}
    local signs = join(on["app.own_rank"], on["nccl.env"], on["nccl.version"])
    local waited = keep(on["app.traceback"], function(s) return match((s.fields.type or "") .. ": " .. (s.fields.message or ""), GAVE_UP) ~= nil end)
    if #on["app.good_end"] > 0 or #on["nccl.warn"] > 0 or #on["app.nccl_error"] > 0 then return {} end
    for _, c in ipairs(communicators(on)) do
      local stuck, ranks, nranks = {}, {}, nil
      for rank, s in pairs(c.start) do
        nranks = s.fields.nranks
        if not c.done[rank] then
          stuck[#stuck + 1] = s
          ranks[#ranks + 1] = rank
        end
      end
      local later = keep(on["app.progress"], function(p) return #stuck > 0 and order(stuck[1], p) == "before" end)
      local whole = nranks and c.n_start >= nranks
      if #stuck > 0 and #later == 0 then
        local absent = {}
        if not whole then
          for r = 0, math.min(nranks - 1, 4095) do
            if not c.start[r] then absent[#absent + 1] = r end
          end
        end
        local alone = ended_alone(on, c, first(stuck), nranks)
        -- whose output is here, and holds no line of this communicator
        local silent = c.n_done == 0 and keep(silent_ranks(stuck, signs), function(s) return s.rank < (nranks or 0) end) or {}
        local named = #silent > 0 and #silent * 2 <= c.n_start and distinct(silent, "rank") or nil
        found[#found + 1] = { cause = "comm.init_stuck", confidence = "possible", scope = "job", ranks = named or whole and c.n_done > 0 and ranks or nil, evidence = join(stuck, named and silent), symptoms = waited,
          -- the line that began it is the last sign of whom the others wait for
          echo = alone or nil, lead = alone and hours(2) or nil,
          confidence_why = "the log ends while the communicator is being made; a log that was cut would look the same",
          summary = string.format("Communicator %s of %d ranks: %d began, %d finished", c.id, nranks or 0, c.n_start, c.n_done)
            .. (named and "; rank" .. (#named == 1 and " " or "s ") .. rank_list(named) .. " wrote a log and never began" or #absent > 0 and "; no line of rank" .. (#absent == 1 and " " or "s ") .. rank_list(absent) or "; not finished: " .. rank_list(ranks)) }
      end
    end
    return found
  end,
}

-- One communicator, two sizes or one rank twice: the launch is wrong.
correlate {
  id    = "comm.misuse.communicator",
  group = "job",
  uses  = { "nccl.init_start" },
  reach = { "nccl.init_complete" },
  judge = function(case)
    local on, found = case.signals, {}
    for _, c in ipairs(communicators(on)) do
      local sizes, evidence = {}, {}
      for n, s in pairs(c.sizes) do
        sizes[#sizes + 1] = tostring(n)
        evidence[#evidence + 1] = s
      end
      if #sizes > 1 then
        found[#found + 1] = { cause = "comm.misuse", confidence = "certain", scope = "job", evidence = evidence,
          confidence_why = "ranks of one communicator name different sizes",
          summary = "Ranks of communicator " .. c.id .. " were given different world sizes: " .. table.concat(sizes, ", ") }
      end
      local seen, twice = {}, {}
      for _, s in ipairs(c.starts) do
        local before = seen[s.fields.rank]
        if before and s.pid and before.pid and (s.pid ~= before.pid or s.host ~= before.host) and s.host and before.host and c.n_done == 0 then
          twice[#twice + 1] = before
          twice[#twice + 1] = s
        end
        seen[s.fields.rank] = before or s
      end
      if #twice > 0 then
        found[#found + 1] = { cause = "comm.misuse", confidence = "likely", scope = "job", evidence = twice,
          confidence_why = "two processes name the same rank of one communicator",
          summary = string.format("Two processes joined communicator %s as rank %d", c.id, twice[1].fields.rank) }
      end
    end
    return found
  end,
}
