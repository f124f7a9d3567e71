-- What NCCL's RAS service knew when it was asked: who does not answer, and whose launches lag behind. A process that does not answer is
-- dead, stopped, or cut off; a count is a launch on the host, so small differences of a running job mean nothing.
-- Source: NCCL src/ras/client_support.cc, src/ras/ras.cc.
correlate {
  id    = "ras.missing",
  group = "job",
  uses  = { "ras.missing_rank" },
  reach = { "torch.watchdog_timeout", "torch.desync_report", "app.good_end", "ras.process" },
  judge = function(case)
    local on = case.signals
    local gone = on["ras.missing_rank"]
    local ranks = distinct(gone, "rank")
    local dead = #keep(gone, function(s) return s.fields.dead == 1 or s.fields.trouble == "DEAD" end) > 0
    local waited = #on["torch.watchdog_timeout"] > 0
    return { { cause = "comm.missing_rank", confidence = waited and "certain" or "likely", scope = "rank", ranks = ranks, rank = ranks[1], evidence = join(gone, on["ras.process"]),
      confidence_why = waited and "RAS has no answer of it, and the others timed out" or "RAS has no answer of it: dead, stopped, or cut off",
      summary = string.format("Rank%s %s did not answer NCCL's RAS service%s", #ranks == 1 and "" or "s", table.concat(ranks, ", "), dead and " and counts as dead" or "") } }
  end,
}

correlate {
  id    = "ras.behind",
  group = "job",
  uses  = { "ras.rank_differs" },
  reach = { "ras.missing_rank", "app.good_end", "torch.watchdog_timeout" },
  judge = function(case)
    local on, found = case.signals, {}
    local behind = keep(on["ras.rank_differs"], function(s) return s.fields.launched ~= nil and s.fields.usual ~= nil and s.fields.launched < s.fields.usual end)
    local failed = keep(on["ras.rank_differs"], function(s) return s.fields.error ~= nil or s.fields.result ~= nil end)
    if #behind > 0 and #on["ras.missing_rank"] == 0 then
      local ranks, f = distinct(behind, "rank"), first(behind).fields
      found[1] = { cause = "comm.missing_rank", severity = #on["app.good_end"] > 0 and "note" or nil, confidence = "possible", scope = "rank", ranks = ranks, rank = ranks[1], evidence = behind,
        confidence_why = "a count is a launch on the host: a running job shows small differences too; a second status would decide",
        summary = string.format("Rank%s %s launched %d %s operations where the others launched %d", #ranks == 1 and "" or "s", table.concat(ranks, ", "), f.launched, f["function"] or "collective", f.usual) }
    end
    if #failed > 0 then
      found[#found + 1] = { cause = "unknown", confidence = "certain", scope = "job", evidence = failed, ranks = distinct(failed, "rank"),
        confidence_why = "RAS gives the result, not its reason", summary = "NCCL recorded an asynchronous error on rank " .. table.concat(distinct(failed, "rank"), ", ") }
    end
    return found
  end,
}
