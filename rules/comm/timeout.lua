-- The watchdog: a collective that did not finish within the group's timeout. It fires a whole timeout after the fault, on the
-- ranks that waited; the rank that it names is the one that reported. Who is late is in the Flight Recorder dumps, in the
-- desync report (a hint: a rank whose key is absent is called "never joined"), or in the last-enqueued numbers.
-- Sources: torch ProcessGroupNCCL.cpp (texts W1, W2, D4 by release), FlightRecorder; Gloo transport texts.
signature {
  id      = "torch.watchdog_timeout",
  stream  = "app",
  needles = { "Watchdog caught collective operation timeout" },
  pattern = [[Watchdog caught collective operation timeout: WorkNCCL\((?:SeqNum=(?<seq>\d+), )?OpType=(?<op>\w+)(?:, NumelIn=(?<numel_in>\d+))?(?:, NumelOut=(?<numel_out>\d+))?, Timeout\(ms\)=(?<timeout_ms>\d+)\) ran for (?<ran_ms>\d+) milliseconds]],
  fields  = { seq = "int", op = "text", numel_in = "text", numel_out = "text", timeout_ms = "int", ran_ms = "int" },
  match   = { "[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=12000) ran for 12099 milliseconds before timing out.",
              "[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(OpType=BROADCAST, Timeout(ms)=1800000) ran for 1800412 milliseconds before timing out." },
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
  id      = "torch.dump_signal",
  stream  = "app",
  needles = { "Received a dump signal due to a collective timeout from" },
  pattern = [[Received a dump signal due to a collective timeout from (?:this local rank| rank (?<from>\d+)) and we will try our best to dump the debug info\. Last enqueued NCCL work: (?<enqueued>-?\d+), last completed NCCL work: (?<completed>-?\d+)]],
  fields  = { from = "int", enqueued = "int", completed = "int" },
  match   = { "[PG ID 0 PG GUID 0(default_pg) Rank 1] Received a dump signal due to a collective timeout from  rank 0 and we will try our best to dump the debug info. Last enqueued NCCL work: 11, last completed NCCL work: 11.This is most likely" },
  ignore  = { "Observed flight recorder dump signal from another rank via TCPStore." },
}

correlate {
  id    = "comm.timeout",
  group = "job",
  uses  = { "torch.watchdog_timeout" },
  judge = function(case)
    local said, ranks, seen = case.signals["torch.watchdog_timeout"], {}, {}
    for _, s in ipairs(said) do
      if s.rank and not seen[s.rank] then
        seen[s.rank] = true
        ranks[#ranks + 1] = s.rank
      end
    end
    local f = first(said).fields
    return { { cause = "comm.timeout", confidence = "certain", scope = "job", evidence = said, ranks = ranks,
      lag = f.ran_ms * 1000000, -- the watchdog speaks a whole timeout after the fault
      confidence_why = "the watchdog says so; who was late is not in its line",
      summary = string.format("%s%s timed out after %d s; %d rank%s reported it", f.op, f.seq and " #" .. f.seq or "", f.ran_ms // 1000,
        math.max(#ranks, 1), #ranks > 1 and "s" or ""),
      facts = { op = f.op, seq = f.seq, timeout_ms = f.timeout_ms, ran_ms = f.ran_ms } } }
  end,
}

-- Ranks that their own dump shows not to have issued what the others wait in.
correlate {
  id    = "comm.missing_rank.dumps",
  group = "job",
  uses  = { "fr.missing_rank" },
  judge = function(case)
    local by_key, keys = {}, {}
    for _, s in ipairs(case.signals["fr.missing_rank"]) do
      local key = tostring(s.fields.group) .. "#" .. tostring(s.fields.seq)
      if not by_key[key] then
        by_key[key] = {}
        keys[#keys + 1] = key
      end
      table.insert(by_key[key], s)
    end
    local found = {}
    for _, key in ipairs(keys) do
      local all, ranks = by_key[key], {}
      for _, s in ipairs(all) do ranks[#ranks + 1] = s.rank or s.fields.rank end
      local f = first(all).fields
      local was = f.last_op and string.format("; its last was %s #%d", f.last_op, f.last_seq or 0) or ""
      found[#found + 1] = { cause = "comm.missing_rank", confidence = "certain", scope = "rank", ranks = ranks, rank = ranks[1], evidence = all,
        confidence_why = "the rank's own Flight Recorder dump ends before the operation that the others wait in",
        summary = string.format("rank%s %s never entered %s #%d, in which %d rank%s wait%s%s", #ranks == 1 and "" or "s", table.concat(ranks, ", "), f.op or "the collective",
          f.seq or 0, f.n_waiting or 1, (f.n_waiting or 1) == 1 and "" or "s", (f.n_waiting or 1) == 1 and "s" or "", was),
        facts = { group = f.group, seq = f.seq, op = f.op, waiting = f.waiting, last_frame = f.last_frame, waiting_frame = f.waiting_frame } }
    end
    return found
  end,
}

-- Without dumps of all ranks: what the waiting ranks say of the others.
correlate {
  id    = "comm.missing_rank.words",
  group = "job",
  uses  = { "torch.desync_report", "torch.dump_signal", "torch.watchdog_timeout", "fr.incomplete" },
  reach = { "fr.missing_rank", "fr.op_mismatch", "fr.shape_mismatch", "fr.dump" },
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
    -- a rank whose last enqueued work is older than what timed out never called it
    local waited = 0
    for _, s in ipairs(on["torch.watchdog_timeout"]) do waited = math.max(waited, s.fields.seq or 0) end
    for _, s in ipairs(on["torch.dump_signal"]) do
      if waited > 0 and s.fields.enqueued >= 0 and s.fields.enqueued < waited and s.rank then
        name(s.rank, s, "its last enqueued work is older than the one that timed out")
      end
    end
    if #ranks == 0 then
      for _, s in ipairs(on["torch.desync_report"]) do
        if s.fields.lagging then
          for _, rank in ipairs(numbers(s.fields.lagging)) do name(rank, s, "the desync report of a waiting rank names it") end
        end
      end
    end
    if #ranks == 0 then return {} end
    table.sort(ranks)
    return { { cause = "comm.missing_rank", confidence = "likely", scope = "rank", ranks = ranks, rank = ranks[1], evidence = evidence,
      confidence_why = why .. "; its own dump would make it certain",
      summary = string.format("rank%s %s did not enter the collective that the others wait in", #ranks == 1 and "" or "s", table.concat(ranks, ", ")) } }
  end,
}

correlate {
  id    = "comm.op_mismatch.dumps",
  group = "job",
  uses  = { "fr.op_mismatch" },
  judge = function(case)
    local by_key, keys, found = {}, {}, {}
    for _, s in ipairs(case.signals["fr.op_mismatch"]) do
      local key = tostring(s.fields.group) .. "#" .. tostring(s.fields.seq)
      if not by_key[key] then
        by_key[key] = {}
        keys[#keys + 1] = key
      end
      table.insert(by_key[key], s)
    end
    for _, key in ipairs(keys) do
      local all, ranks = by_key[key], {}
      for _, s in ipairs(all) do if s.rank then ranks[#ranks + 1] = s.rank end end
      local f = first(all).fields
      found[#found + 1] = { cause = "comm.op_mismatch", confidence = "certain", scope = #ranks > 0 and "rank" or "job", ranks = ranks, rank = ranks[1], evidence = all,
        confidence_why = "the Flight Recorder dumps of both sides show different operations under one sequence number",
        summary = string.format("at #%d %s issued %s where the others issued %s", f.seq or 0,
          #ranks > 0 and ("rank" .. (#ranks > 1 and "s " or " ") .. table.concat(ranks, ", ")) or "ranks " .. (f.ranks or "?"), f.op or "?", f.majority_op or "?"),
        facts = { group = f.group, seq = f.seq, op = f.op, majority_op = f.majority_op, frame = f.frame, majority_frame = f.majority_frame } }
    end
    return found
  end,
}

correlate {
  id    = "comm.shape_mismatch.dumps",
  group = "job",
  uses  = { "fr.shape_mismatch" },
  judge = function(case)
    local all, ranks, seen = case.signals["fr.shape_mismatch"], {}, {}
    for _, s in ipairs(all) do
      if s.rank and not seen[s.rank] then
        seen[s.rank] = true
        ranks[#ranks + 1] = s.rank
      end
    end
    local f = first(all).fields
    return { { cause = "comm.shape_mismatch", confidence = "certain", scope = "job", ranks = ranks, evidence = all,
      confidence_why = "the Flight Recorder dumps show different sizes or types under one sequence number",
      summary = string.format("ranks passed different sizes to %s #%d", f.op or "a collective", f.seq or 0), facts = { group = f.group, seq = f.seq, op = f.op } } }
  end,
}
