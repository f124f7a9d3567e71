-- A detector that compares the ranks of a running job and names those that are slower. The job goes on, so it is a cost and no failure.
-- Sources: nvidia-resiliency-ext straggler reports; Megatron-LM --log-straggler.
signature {
  id      = "straggler.named",
  stream  = "app",
  needles = { "STRAGGLER", "traggler" },
  pattern = [[(?i)STRAGGLER(?: DETECTION)? (?:WARNING|REPORT|DETECTED)\b.*?ranks?[ :=]+[\[{(]?(?<ranks>\d+(?:, ?\d+)*)]],
  fields  = { ranks = "text" },
  fold    = { "ranks" },
  match   = { "STRAGGLER DETECTION WARNING: Some GPUs have worse relative performance. Affected ranks: 13", "Straggler detected: ranks [3, 7]" },
  ignore  = { "straggler detection is enabled", "STRAGGLER DETECTION WARNING: Some GPUs have worse relative performance." },
  tells   = "a detector calls ranks {ranks} slow",
}
correlate {
  id    = "comm.straggler.named",
  group = "job",
  uses  = { "straggler.named" },
  judge = function(case)
    local said, count, by_ranks = case.signals["straggler.named"], 0, {}
    for _, s in ipairs(said) do
      count = count + s.count
      for _, r in ipairs(numbers(s.fields.ranks)) do by_ranks[r] = (by_ranks[r] or 0) + s.count end
    end
    -- once may be noise: who is named in at least half of two or more reports
    local ranks = {}
    for r in pairs(by_ranks) do
      if count >= 2 and by_ranks[r] * 2 >= count then ranks[#ranks + 1] = r end
    end
    local steady = #ranks > 0 and #ranks <= 4
    return { { cause = "comm.straggler", severity = steady and "warning" or "note", confidence = steady and "likely" or "possible", scope = steady and "rank" or "job", rank = ranks[1], ranks = ranks, evidence = said, count = count,
      confidence_why = steady and "the detector names them again and again" or "the detector names no rank steadily",
      summary = steady and string.format("rank%s %s named as slower than the others in %d reports", #ranks == 1 and "" or "s", table.concat(ranks, ", "), count) or string.format("%d reports of slow ranks, no rank steadily", count) } }
  end,
}
