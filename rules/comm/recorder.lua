-- What the Flight Recorder dumps of all ranks show side by side: who never came, who did something else, who waits for whom.
-- The comparison is made by parsers/align*.c; here stands what it means.
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
