-- The watchdog: a collective that did not finish within the group's timeout. It fires a whole timeout after the fault, on the
-- ranks that waited; the rank that it names is the one that reported. Who is late is in the Flight Recorder dumps, in the
-- desync report (a hint: a rank whose key is absent is called "never joined"), or in the last-enqueued numbers.
-- Sources: torch ProcessGroupNCCL.cpp (texts W1, W2, D4 by release), FlightRecorder; Gloo transport texts.
signature {
  id      = "torch.watchdog_timeout",
  stream  = "app",
  needles = { "Watchdog caught collective operation timeout" },
  pattern = [[Watchdog caught collective operation timeout: Work\w+\((?:SeqNum=(?<seq>\d+), )?OpType=(?<op>\w+)(?:, (?:NumelIn=(?<numel_in>\d+)|TensorShape=\[(?<numel_in>[\d, ]*)\]))?(?:, NumelOut=(?<numel_out>\d+))?, Timeout\(ms\)=(?<timeout_ms>\d+)\) ran for (?<ran_ms>\d+) milliseconds]],
  fields  = { seq = "int", op = "text", numel_in = "text", numel_out = "text", timeout_ms = "int", ran_ms = "int" },
  match   = { "[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=12000) ran for 12099 milliseconds before timing out.",
              "[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(OpType=BROADCAST, Timeout(ms)=1800000) ran for 1800412 milliseconds before timing out.",
              "[Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=81, OpType=ALLREDUCE, TensorShape=[64, 1024], Timeout(ms)=1800000) ran for 1804313 milliseconds before timing out." },
  ignore  = { "Watchdog caught collective operation timeout soon" },
  tells   = "the watchdog ends {op} #{seq} after {ran_ms} ms",
}
signature {
  id      = "torch.work_failed",
  stream  = "app",
  needles = { "failure detected by watchdog at work sequence id" },
  pattern = [[failure detected by watchdog at work sequence id: (?<seq>-?\d+) PG status: last enqueued work: (?<enqueued>-?\d+), last completed work: (?<completed>-?\d+)]],
  fields  = { seq = "int", enqueued = "int", completed = "int" },
  match   = { "[PG ID 0 PG GUID 0(default_pg) Rank 0]  failure detected by watchdog at work sequence id: 12 PG status: last enqueued work: 12, last completed work: 11" },
  ignore  = { "failure detected by watchdog" },
}
signature {
  id      = "torch.work_counts",
  stream  = "app",
  needles = { "last enqueued NCCL work: " },
  pattern = [[(?:Timeout at NCCL work: (?<seq>-?\d+), |detected by watchdog at work: (?<seq>-?\d+), )last enqueued NCCL work: (?<enqueued>-?\d+), last completed NCCL work: (?<completed>-?\d+)]],
  fields  = { seq = "int", enqueued = "int", completed = "int" },
  match   = { "[PG 0 Rank 2] Timeout at NCCL work: 19, last enqueued NCCL work: 19, last completed NCCL work: 18.",
              "[PG 0 (default_pg) Rank 3] Exception (either an error or timeout) detected by watchdog at work: 12, last enqueued NCCL work: 14, last completed NCCL work: 11." },
  ignore  = { "NCCL Work update periodically: last enqueued NCCL work: 3, last completed NCCL work: 3" },
}
-- The heartbeat monitor ends a process whose watchdog thread itself stands still: inside a CUDA or NCCL call.
signature {
  id      = "torch.watchdog_stuck",
  stream  = "app",
  needles = { "watchdog got stuck for", "Heartbeat monitor timed out" },
  pattern = [[(?:watchdog got stuck for (?<seconds>\d+) seconds without making progress|Heartbeat monitor timed out! Process will be terminated)]],
  fields  = { seconds = "int" },
  match   = { "[PG ID 0 PG GUID 0(default_pg) Rank 0] ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress in monitoring enqueued collectives. This typically indicates a NCCL/CUDA API (e.g., CudaEventDestroy) hang blocking the watchdog",
              "[Rank 3] Heartbeat monitor timed out! Process will be terminated after dumping debug info. workMetaList_.size()=2" },
  ignore  = { "watchdog got stuck for a while" },
  tells   = "the watchdog thread itself stood still",
}
-- Gloo's barrier that names who did not come.
signature {
  id      = "gloo.barrier_missing",
  stream  = "app",
  needles = { "failed to pass monitoredBarrier", "Rank 0 successfully reached monitoredBarrier" },
  pattern = [[Ranks? (?<ranks>\d+(?:, \d+)*) failed to pass monitoredBarrier in (?<ms>\d+) ms|Rank 0 successfully reached monitoredBarrier, but received errors while waiting for send/recv from rank (?<ranks>\d+)\b]],
  fields  = { ranks = "text", ms = "int" },
  match   = { "[Rank 0]: Rank 3 failed to pass monitoredBarrier in 1800000 ms", "[Rank 0]: Ranks 1, 3 failed to pass monitoredBarrier in 60000 ms",
              "Rank 0 successfully reached monitoredBarrier, but received errors while waiting for send/recv from rank 9. Please check rank 9 logs for faulty rank." },
  ignore  = { "Rank 2 successfully reached monitoredBarrier, but received errors while waiting for send/recv from rank 0." },
}
signature {
  id      = "gloo.timed_out",
  stream  = "app",
  needles = { "ms for recv operation to complete", "ms for send operation to complete" },
  pattern = [[Timed out waiting (?<ms>\d+)ms for (?<way>recv|send) operation to complete]],
  fields  = { ms = "int", way = "text" },
  match   = { "[/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:81] Timed out waiting 1800000ms for recv operation to complete" },
  ignore  = { "Timed out waiting for recv operation" },
}
-- TORCH_DISTRIBUTED_DEBUG=DETAIL compares before it runs.
signature {
  id      = "torch.fingerprint_mismatch",
  stream  = "app",
  needles = { "Detected mismatch between collectives on ranks" },
  pattern = [=[Detected mismatch between collectives on ranks\. Rank (?<one>\d+) is running collective: CollectiveFingerPrint\((?:SequenceNumber=(?<seq>\d+),? ?)?OpType=(?<op>\w+)(?:, TensorShape=\[(?<shape>[^\]]*)\])?.*?but Rank (?<two>\d+) is running collective: CollectiveFingerPrint\((?:SequenceNumber=(?<seq_two>\d+),? ?)?OpType=(?<op_two>\w+)(?:, TensorShape=\[(?<shape_two>[^\]]*)\])?]=],
  fields  = { one = "int", two = "int", seq = "int", seq_two = "int", op = "text", op_two = "text", shape = "text", shape_two = "text" },
  match   = { "RuntimeError: Detected mismatch between collectives on ranks. Rank 0 is running collective: CollectiveFingerPrint(SequenceNumber=5, OpType=ALLREDUCE, TensorShape=[4], TensorDtypes=Float, TensorDeviceTypes=TensorOptions(dtype=float (default), device=cuda)), but Rank 1 is running collective: CollectiveFingerPrint(SequenceNumber=5, OpType=BROADCAST, TensorShape=[4], TensorDtypes=Float)." },
  ignore  = { "Detected mismatch between collectives on ranks" },
}
signature {
  id      = "torch.ddp_mismatch",
  stream  = "app",
  needles = { "DDP expects same model across all ranks", "appears not to match sizes of the same param" },
  pattern = [[DDP expects same model across all ranks, but Rank (?<one>\d+) has (?<n>\d+) params, while rank (?<two>\d+) has inconsistent (?<m>\d+) params|\[(?<one>\d+)\]: params\[\d+\] in this process with sizes .* appears not to match sizes of the same param in process (?<two>\d+)]],
  fields  = { one = "int", two = "int", n = "int", m = "int" },
  match   = { "DDP expects same model across all ranks, but Rank 1 has 4 params, while rank 0 has inconsistent 6 params.", "[1]: params[0] in this process with sizes [5, 4] appears not to match sizes of the same param in process 0." },
  ignore  = { "DDP expects same model across all ranks" },
}
signature {
  id      = "torch.dump_signal",
  stream  = "app",
  needles = { "Received a dump signal due to a collective timeout from" },
  pattern = [[Received a dump signal due to a collective timeout from +(?:this local rank|rank (?<from>\d+)) and we will try our best to dump the debug info\. Last enqueued NCCL work: (?<enqueued>-?\d+), last completed NCCL work: (?<completed>-?\d+)]],
  fields  = { from = "int", enqueued = "int", completed = "int" },
  match   = { "[PG ID 0 PG GUID 0(default_pg) Rank 1] Received a dump signal due to a collective timeout from  rank 0 and we will try our best to dump the debug info. Last enqueued NCCL work: 11, last completed NCCL work: 11.This is most likely",
              "[PG ID 0 PG GUID 0 Rank 1] Received a dump signal due to a collective timeout from this local rank and we will try our best to dump the debug info. Last enqueued NCCL work: 4, last completed NCCL work: 3." },
  ignore  = { "Observed flight recorder dump signal from another rank via TCPStore." },
}

-- wait() itself gives up where TORCH_NCCL_BLOCKING_WAIT is set: there is no watchdog then.
signature {
  id      = "torch.blocking_timeout",
  stream  = "app",
  needles = { "timed out in blocking wait" },
  pattern = [[Work WorkNCCL\((?:SeqNum=(?<seq>\d+), )?OpType=(?<op>\w+).*?, Timeout\(ms\)=(?<timeout_ms>\d+)\) timed out in blocking wait]],
  fields  = { seq = "int", op = "text", timeout_ms = "int" },
  match   = { "[Rank 2] Work WorkNCCL(SeqNum=12, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=600000) timed out in blocking wait.",
              "Work WorkNCCL(OpType=BROADCAST, Timeout(ms)=1800000) timed out in blocking wait (NCCL_BLOCKING_WAIT=1)." },
  ignore  = { "timed out in blocking wait" },
  tells   = "{op} #{seq} times out in wait()",
}
-- The monitor's last line before it aborts the process, and the signal of another rank (TORCH_NCCL_PROPAGATE_ERROR).
signature {
  id      = "torch.monitor_ends",
  stream  = "app",
  needles = { "Terminating the process after attempting to dump debug info" },
  pattern = [[Terminating the process after attempting to dump debug info, due to (?<why>collective timeout or exception|ProcessGroupNCCL watchdog hang)]],
  fields  = { why = "text" },
  match   = { "[PG ID 0 PG GUID 0(default_pg) Rank 2] [PG ID 0 PG GUID 0(default_pg) Rank 2] Terminating the process after attempting to dump debug info, due to ProcessGroupNCCL watchdog hang." },
  ignore  = { "Terminating the process after attempting to dump debug info" },
}
signature {
  id      = "torch.remote_error",
  stream  = "app",
  needles = { "remote error detected from rank" },
  pattern = [[remote error detected from rank: (?<from>\d+)]],
  fields  = { from = "int" },
  fold    = { "from" },
  match   = { "[PG ID 0 PG GUID 0(default_pg) Rank 2]  remote error detected from rank: 5" },
  ignore  = { "remote error detected from rank: unknown" },
  tells   = "rank {from} told its group of an error",
}

-- What is left of a failure where the watchdog's own line is not: the counters, the dump signals, the monitor's end, another rank's word.
correlate {
  id    = "comm.timeout.signs",
  group = "job",
  uses  = { "torch.blocking_timeout", "torch.work_counts", "torch.work_failed", "torch.dump_signal", "torch.monitor_ends", "torch.remote_error" },
  reach = { "torch.watchdog_timeout", "torch.watchdog_stuck", "app.good_end" },
  judge = function(case)
    local on, found = case.signals, {}
    if #on["torch.watchdog_timeout"] + #on["app.good_end"] > 0 then return {} end
    local blocked = on["torch.blocking_timeout"]
    if #blocked > 0 then
      local f = first(blocked).fields
      found[1] = { cause = "comm.timeout", confidence = "certain", scope = "job", evidence = blocked, ranks = distinct(blocked, "rank"), lag = f.timeout_ms * 1000000,
        confidence_why = "wait() says so; who was late is not in its line", summary = string.format("%s%s timed out after %d s in wait()", f.op, f.seq and " #" .. f.seq or "", f.timeout_ms // 1000) }
      return found
    end
    local hung = keep(on["torch.monitor_ends"], function(s) return match(s.fields.why, "hang") ~= nil end)
    local ended = keep(on["torch.monitor_ends"], function(s) return match(s.fields.why, "timeout") ~= nil end)
    local timed = join(on["torch.dump_signal"], keep(on["torch.work_counts"], function(s) return s.fields.seq ~= nil end), on["torch.work_failed"], ended)
    if #timed > 0 then
      local named = distinct(on["torch.dump_signal"], function(s) return s.fields.from end)
      local certain = #on["torch.dump_signal"] > 0
      found[#found + 1] = { cause = "comm.timeout", echo = not certain or nil, confidence = certain and "certain" or "likely", scope = "job", evidence = timed, ranks = {},
        confidence_why = certain and "the dump signal says so; the watchdog's own line is in the log of the rank that sent it" or "the watchdog saw a failure or a timeout; its own line, that says which, is not here",
        summary = "A collective timed out" .. (#named > 0 and "; the first to report it was rank " .. table.concat(named, ", ") or certain and "" or ", or failed") .. ", whose output would say which" }
    end
    if #hung > 0 and #on["torch.watchdog_stuck"] == 0 then
      found[#found + 1] = { cause = "comm.deadlock_suspected", confidence = "likely", scope = "job", evidence = hung, ranks = distinct(hung, "rank"),
        confidence_why = "the heartbeat monitor ended the process because its watchdog did not move", summary = "The NCCL watchdog thread stood still, and the monitor ended the process" }
    end
    local told = on["torch.remote_error"]
    if #told > 0 then
      local ranks = distinct(told, "from")
      found[#found + 1] = { cause = "unknown", confidence = "certain", scope = #ranks == 1 and "rank" or "job", rank = #ranks == 1 and ranks[1] or nil, ranks = ranks, evidence = told,
        confidence_why = "that rank told its group of an error; which one is in its own log", summary = "rank" .. (#ranks == 1 and " " or "s ") .. table.concat(ranks, ", ") .. " told the others of an error" }
    end
    return found
  end,
}

correlate {
  id    = "comm.timeout",
  group = "job",
  uses  = { "torch.watchdog_timeout" },
  reach = { "torch.store_gone" },
  judge = function(case)
    local said, ranks, seen = case.signals["torch.watchdog_timeout"], {}, {}
    for _, s in ipairs(said) do
      if s.rank and not seen[s.rank] then
        seen[s.rank] = true
        ranks[#ranks + 1] = s.rank
      end
    end
    local f = first(said).fields
    -- the store lives with rank 0: when its watchdog ends it, whoever still runs finds the store closed
    local closed = seen[0] and keep(case.signals["torch.store_gone"], function(s) return s.rank ~= nil and not seen[s.rank] end) or {}
    return { { cause = "comm.timeout", confidence = "certain", scope = "job", evidence = said, symptoms = closed, ranks = ranks,
      lag = f.ran_ms * 1000000, -- the watchdog speaks a whole timeout after the fault
      confidence_why = "the watchdog says so; who was late is not in its line",
      summary = string.format("%s%s timed out after %d s; %d rank%s reported it", f.op, f.seq and " #" .. f.seq or "", f.ran_ms // 1000,
        math.max(#ranks, 1), #ranks > 1 and "s" or ""),
      facts = { op = f.op, seq = f.seq, timeout_ms = f.timeout_ms, ran_ms = f.ran_ms } } }
  end,
}

-- Non-blocking communicators have a limit of their own, and name the call.
signature {
  id      = "torch.nccl_timeout",
  stream  = "app",
  needles = { "NCCL timeout in" },
  pattern = [[NCCL timeout in(?:(?<init> communicator initialization)|: (?<where>\S.*))]],
  fields  = { init = "text", where = "text" },
  match   = { "RuntimeError: NCCL timeout in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:117, NCCL version 2.26.2", "NCCL timeout in communicator initialization." },
  ignore  = { "NCCL timeout is 600 s" },
}
correlate {
  id    = "comm.timeout.nonblocking",
  group = "job",
  uses  = { "torch.nccl_timeout" },
  judge = function(case)
    local all = case.signals["torch.nccl_timeout"]
    local init = keep(all, function(s) return s.fields.init ~= nil end)
    local list = #init > 0 and init or all
    return { { cause = #init > 0 and "comm.init_stuck" or "comm.timeout", confidence = "certain", scope = "job", evidence = list, ranks = distinct(list, "rank"),
      confidence_why = "PyTorch gave up waiting for a call of NCCL that does not block; for whom it waited is not in its line",
      summary = #init > 0 and "A communicator was not made within the limit of non-blocking calls" or "A call of NCCL did not end within the limit of non-blocking calls" } }
  end,
}

-- Did any rank time out? (A table has no length by its keys.)
local function next_is_waiting(reported)
  for _ in pairs(reported) do return true end
  return false
end

-- The few ranks that alone lack a report of one timeout that all the others have. A rank that says what it had enqueued was not away.
local function silent_of(on)
  local waits = on["torch.watchdog_timeout"]
  if #on["fr.incomplete"] + #on["torch.desync_report"] + #on["ras.missing_rank"] > 0 or #distinct(waits, function(s) return s.fields.seq or -1 end) ~= 1 then return {} end
  local reports = join(waits, on["torch.dump_signal"], on["torch.work_counts"])
  local silent = silent_ranks(reports, join(on["nccl.init_start"], on["nccl.init_complete"], on["app.own_rank"], on["app.progress"]))
  local n, others = #silent, #distinct(waits, "rank")
  if n == 0 or others == 0 or (n > 1 and n * 3 > others) then return {} end
  return silent
end

-- Without dumps of all ranks: what the waiting ranks say of the others.
correlate {
  id    = "comm.missing_rank.words",
  group = "job",
  uses  = { "torch.desync_report", "torch.dump_signal", "torch.work_counts", "torch.watchdog_timeout", "fr.incomplete", "gloo.barrier_missing" },
  reach = { "app.out_of_data", "fr.missing_rank", "fr.op_mismatch", "fr.shape_mismatch", "nccl.init_start", "nccl.init_complete", "app.own_rank", "app.progress", "app.good_end",
            "ras.missing_rank" },
  judge = function(case)
    local on = case.signals
    if #on["fr.missing_rank"] + #on["fr.op_mismatch"] + #on["fr.shape_mismatch"] > 0 then return {} end
    local ranks, seen, why, evidence = {}, {}, nil, {}
    local function name(rank, s, text)
      if rank and rank >= 0 and not seen[rank] then
        seen[rank] = true
        ranks[#ranks + 1] = rank
      end
      evidence[#evidence + 1] = s
      why = why or text
    end
    local waited, reported, ops = 0, {}, distinct(on["torch.watchdog_timeout"], "op")
    for _, s in ipairs(on["torch.watchdog_timeout"]) do
      waited = math.max(waited, s.fields.seq or 0)
      if s.rank then reported[s.rank] = s end
    end
    for _, s in ipairs(on["gloo.barrier_missing"]) do
      for _, rank in ipairs(numbers(s.fields.ranks)) do name(rank, s, "monitoredBarrier names who did not come") end
    end
    -- a rank that left its loop waits nowhere, and never times out
    if #ranks == 0 then
      for _, s in ipairs(on["app.out_of_data"]) do
        if s.rank and not reported[s.rank] and next_is_waiting(reported) then name(s.rank, s, "it had no more data and left the loop, and it is not among those that timed out") end
      end
    end
    -- a rank whose last enqueued work is older than what timed out never called it
    if #ranks == 0 then
      for _, s in ipairs(join(on["torch.dump_signal"], on["torch.work_counts"])) do
        if waited > 0 and s.fields.enqueued >= 0 and s.fields.enqueued < waited and s.rank and not reported[s.rank] then
          name(s.rank, s, "its last enqueued work is older than the one that timed out")
        end
      end
    end
    if #ranks == 0 then
      for _, s in ipairs(on["torch.desync_report"]) do
        if s.fields.lagging then
          for _, rank in ipairs(numbers(s.fields.lagging)) do name(rank, s, "the desync report of a waiting rank names it") end
        end
      end
    end
    if #ranks == 0 and #ops == 1 then
      local silent = silent_of(on)
      if #silent > 0 then
        return { { cause = "comm.missing_rank", confidence = "possible", scope = "rank", ranks = distinct(silent, "rank"), rank = #silent == 1 and silent[1].rank or nil, evidence = silent, symptoms = on["torch.watchdog_timeout"],
          lead = hours(2), -- the last sign of who is missing, however old
          confidence_why = "its own output is here and holds no watchdog's report, while all the others of whom there is output wait in one operation; it may have been ended before its turn",
          summary = string.format("rank%s %s alone did not report the timeout that the other %d did", #silent == 1 and "" or "s", table.concat(distinct(silent, "rank"), ", "), #distinct(on["torch.watchdog_timeout"], "rank")) } }
      end
    end
    if #ranks == 0 or (#ops > 1 and #on["gloo.barrier_missing"] == 0) then return {} end
    table.sort(ranks)
    -- what names the missing rank is printed after the others have given up: their watchdogs are what it explains
    return { { cause = "comm.missing_rank", confidence = "likely", scope = "rank", ranks = ranks, rank = ranks[1], evidence = evidence, symptoms = on["torch.watchdog_timeout"],
      confidence_why = why .. "; its own dump would make it certain",
      summary = string.format("rank%s %s did not enter the collective that the others wait in", #ranks == 1 and "" or "s", table.concat(ranks, ", ")) } }
  end,
}

-- Before 2.0 the watchdog names no number: then the waits that began together, one of each rank, stand for one number.
local TOGETHER_MS = 5000
local function began_together(waits)
  local least, most, seen, n = waits[1].fields.ran_ms, waits[1].fields.ran_ms, {}, 0
  for _, s in ipairs(waits) do
    local ran = s.fields.ran_ms
    -- an exception may quote the same wait once more, with or without its rank
    if s.fields.seq or s.rank and seen[s.rank] and seen[s.rank] ~= ran then return false end
    if s.rank then seen[s.rank], n = ran, n + (seen[s.rank] and 0 or 1) end
    least, most = math.min(least, ran), math.max(most, ran)
  end
  return n >= 3 and most - least <= TOGETHER_MS
end

-- Watchdogs of several ranks that name different operations, or sizes, under one number.
correlate {
  id    = "comm.op_mismatch.words",
  group = "job",
  uses  = { "torch.watchdog_timeout" },
  reach = { "fr.op_mismatch", "fr.shape_mismatch" },
  judge = function(case)
    local on, by_seq, seqs, found = case.signals, {}, {}, {}
    if #on["fr.op_mismatch"] + #on["fr.shape_mismatch"] > 0 then return {} end
    local together = began_together(on["torch.watchdog_timeout"])
    for _, s in ipairs(on["torch.watchdog_timeout"]) do
      local f = s.fields
      local seq = f.seq or together and -1
      if seq and s.rank and not match(f.op, [[^(?:SEND|RECV|COALESCED|UNKNOWN)]]) then
        if not by_seq[seq] then
          by_seq[seq] = {}
          seqs[#seqs + 1] = seq
        end
        table.insert(by_seq[seq], s)
      end
    end
    for _, seq in ipairs(seqs) do
      local sides, n, seen = {}, 0, {}
      for _, s in ipairs(by_seq[seq]) do
        if not seen[s.rank] then
          seen[s.rank] = true
          n = n + 1
          local f = s.fields
          local even = match(f.op, [[^(?:ALLREDUCE|BROADCAST|REDUCE|_?ALLGATHER|_?REDUCE_SCATTER)]])
          local key = f.op .. (even and f.numel_in and " of " .. f.numel_in .. " elements" or "")
          sides[key] = sides[key] or { key = key, op = f.op, list = {} }
          table.insert(sides[key].list, s)
        end
      end
      local odd, usual, kinds = nil, nil, 0
      for _, side in pairs(sides) do
        kinds = kinds + 1
        if not usual or #side.list > #usual.list then usual = side end
      end
      for _, side in pairs(sides) do
        if side ~= usual and (not odd or #side.list < #odd.list) then odd = side end
      end
      if kinds == 2 and n >= 2 then
        local sure = #usual.list > #odd.list
        local ranks = distinct(odd.list, "rank")
        found[#found + 1] = { cause = odd.op ~= usual.op and "comm.op_mismatch" or "comm.shape_mismatch", confidence = sure and seq >= 0 and "likely" or "possible",
          scope = sure and "rank" or "job", ranks = sure and ranks or nil, rank = sure and ranks[1] or nil, evidence = sure and odd.list or join(odd.list, usual.list), symptoms = usual.list,
          confidence_why = seq >= 0 and "the watchdogs of the ranks name different operations under one number; groups of one numbering each could look the same" or
            "the watchdogs of the ranks name different operations that began together; they name no number, and groups of their own could look the same",
          summary = string.format("%s rank%s %s waited in %s, %d other rank%s in %s", seq >= 0 and "At #" .. seq or "At one time", #ranks == 1 and "" or "s", table.concat(ranks, ", "), odd.key,
            #usual.list, #usual.list == 1 and "" or "s", usual.key) }
      end
    end
    return found
  end,
}

-- Horovod's coordinator compares what the ranks ask for under one name, and says what differs. Source: horovod/common/controller.cc.
signature {
  id      = "horovod.mismatch",
  stream  = "app",
  needles = { "Mismatched " },
  pattern = [[\bMismatched (?:(?<op>collective operations|[\w]+ root ranks)|(?<shape>data types|\w+ tensor shapes|\w+ CPU/GPU device selection)): One (?:or more ranks|rank) ]],
  fields  = { op = "text", shape = "text" },
  match   = { "Mismatched ALLREDUCE tensor shapes: One or more ranks sent tensors of shape [1, 324] while this rank sent [1, 256].", "Mismatched collective operations: One rank did an ALLREDUCE, but another rank did an ALLGATHER.",
              "FailedPreconditionError: Mismatched data types: One rank had type float32, but another rank had type float16." },
  ignore  = { "Mismatched tensor shapes in the checkpoint" },
}
correlate {
  id    = "comm.mismatch.checked",
  group = "job",
  uses  = { "torch.fingerprint_mismatch", "torch.ddp_mismatch", "horovod.mismatch" },
  judge = function(case)
    local on, found = case.signals, {}
    local said = on["torch.fingerprint_mismatch"]
    if #said > 0 then
      local f = first(said).fields
      -- one operation under two numbers: the ranks have not called equally often
      local shape = f.op == f.op_two and (f.seq == nil or f.seq_two == nil or f.seq == f.seq_two)
      found[#found + 1] = { cause = shape and "comm.shape_mismatch" or "comm.op_mismatch", confidence = "certain", scope = "job", evidence = said,
        confidence_why = "PyTorch compared the calls before it ran them",
        summary = string.format("At #%d rank %d called %s%s, rank %d %s%s", f.seq or 0, f.one, f.op, f.shape and " [" .. f.shape .. "]" or "", f.two, f.op_two, f.shape_two and " [" .. f.shape_two .. "]" or "") }
    end
    local ddp = keep(on["torch.ddp_mismatch"], function(s) return (s.fields.m or 1) > 0 and (s.fields.m or 1) < 1000000 end)
    if #ddp > 0 then
      local f = first(ddp).fields
      found[#found + 1] = { cause = "comm.shape_mismatch", confidence = "likely", scope = "job", evidence = ddp,
        confidence_why = "DDP compared the model's parameters; a collective that was aborted could give such numbers too",
        summary = string.format("The model differs between rank %d and rank %d", f.one, f.two) }
    end
    local compared = on["horovod.mismatch"]
    if #compared > 0 then
      local f = first(compared).fields
      found[#found + 1] = { cause = f.op and "comm.op_mismatch" or "comm.shape_mismatch", confidence = "certain", scope = "job", evidence = compared, ranks = {},
        confidence_why = "Horovod compared the calls before it ran them", summary = "The ranks' calls under one name differ in their " .. (f.op or f.shape) }
    end
    return found
  end,
}

-- The watchdog thread itself stood still, and no collective timed out: a call into CUDA or NCCL does not return.
correlate {
  id    = "comm.watchdog_stuck",
  group = "job",
  uses  = { "torch.watchdog_stuck", "gloo.timed_out" },
  reach = { "torch.watchdog_timeout" },
  judge = function(case)
    local on, found = case.signals, {}
    local stuck = on["torch.watchdog_stuck"]
    if #stuck > 0 and #on["torch.watchdog_timeout"] == 0 then
      found[#found + 1] = { cause = "comm.deadlock_suspected", confidence = "likely", scope = "job", evidence = stuck, ranks = distinct(stuck, "rank"),
        confidence_why = "the heartbeat monitor says that the watchdog did not move; on what it waited is in the stacks, if anywhere",
        summary = string.format("The NCCL watchdog thread stood still%s on %d rank%s", first(stuck).fields.seconds and string.format(" for %d s", first(stuck).fields.seconds) or "", math.max(#distinct(stuck, "rank"), 1), #distinct(stuck, "rank") > 1 and "s" or "") }
    end
    local gloo = on["gloo.timed_out"]
    if #gloo > 0 then
      found[#found + 1] = { cause = "comm.timeout", confidence = "certain", scope = "job", evidence = gloo,
        confidence_why = "Gloo says so; neither peer nor operation are in its line",
        summary = string.format("A Gloo operation timed out after %d s", first(gloo).fields.ms // 1000) }
    end
    return found
  end,
}

-- Two times that can be compared: the last line of p, and w. nil where no clock knows both.
local function times(p, w)
  if w.utc and (p.last_utc or p.utc) then return p.last_utc or p.utc, w.utc end
  if p.clock == w.clock and w.at and (p.last_at or p.at) then return p.last_at or p.at, w.at end
  return nil
end

-- A timeout that is shorter than honest work: while some ranks waited, another still made progress, up to the end.
correlate {
  id    = "comm.timeout_short",
  group = "job",
  uses  = { "torch.watchdog_timeout" },
  reach = { "app.progress", "app.out_of_data", "torch.work_failed", "fr.op_mismatch" },
  judge = function(case)
    local on, waiting = case.signals, {}
    -- Before 2.4 the watchdog's line has no time of its own, and that of the line before it may be as old as the wait. The text of
    -- work_failed is of 2.6 and later.
    if #on["app.out_of_data"] + #on["fr.op_mismatch"] > 0 or #on["torch.work_failed"] == 0 then return {} end
    for _, s in ipairs(on["torch.watchdog_timeout"]) do
      if s.rank then waiting[s.rank] = true end
    end
    local w = first(on["torch.watchdog_timeout"])
    local ran = w.fields.ran_ms * 1000000
    -- hosts enqueue a few steps ahead: only what goes on well into the wait counts. Folded lines may be of several ranks.
    local moving = keep(on["app.progress"], function(p)
      local at, ended = times(p, w)
      return at ~= nil and at > ended - ran + math.max(seconds(60), ran // 5) and at < ended and (p.count > 1 or p.rank == nil or not waiting[p.rank])
    end)
    if #moving == 0 then return {} end
    local p = first(moving)
    local rank = p.count == 1 and p.rank or nil
    return { { cause = "comm.timeout_short", confidence = "possible", scope = "job", evidence = { p }, symptoms = on["torch.watchdog_timeout"],
      rank = rank, ranks = rank and { rank } or {},
      confidence_why = "progress goes on well after the others began to wait; a log that mixes two runs could look so",
      summary = string.format("Work still progressed when %s timed out after %s", w.fields.op, span_text(ran)) } }
  end,
}
