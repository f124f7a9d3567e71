-- What NCCL's RAS service knew when it was asked: who does not answer, and whose launches lag behind. A process that does not answer is
-- dead, stopped, or cut off; a count is a launch on the host, so small differences of a running job mean nothing.
-- Source: NCCL src/ras/client_support.cc, src/ras/ras.cc.
correlate {
  id    = "ras.missing",
  group = "job",
  uses  = { "ras.missing_rank" },
  reach = { "torch.watchdog_timeout", "ras.process" },
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

-- What NCCL's RAS monitor (2.29 and later) saw while it watched.
signature {
  id      = "ras.event",
  stream  = { "nccl", "app", "host" },
  needles = { "PEER_DEAD", "PEER_TIMEOUT_DEAD", "PEER_UNRESPONSIVE", "PEER_KEEPALIVE_TIMEOUT", "PEER_SEND_STUCK", "PEER_RECOVERED" },
  pattern = [[(?<event>PEER_(?:DEAD|UNRESPONSIVE|KEEPALIVE_TIMEOUT|TIMEOUT_DEAD|SEND_STUCK|RECOVERED)): Process (?<pid>\d+) on node (?<node>\S+)]],
  fields  = { event = "text", pid = "pid", node = "text" },
  match   = { "[2026-11-30 08:40:41] PEER_DEAD: Process 4711 on node 10.0.0.3 managing GPU 2" },
  ignore  = { "[2026-11-30 08:40:41] PEER_NEW: Process 4711 on node 10.0.0.3 managing GPU 2" },
  tells   = "RAS: {event}, process {pid} on {node}",
}
correlate {
  id    = "ras.events",
  group = "job",
  uses  = { "ras.event" },
  reach = { "ras.missing_rank", "app.good_end" },
  judge = function(case)
    local on, gone, back = case.signals, {}, {}
    for _, s in ipairs(on["ras.event"]) do
      if s.fields.event == "PEER_RECOVERED" then back[s.fields.node .. "|" .. s.fields.pid] = s end
    end
    for _, s in ipairs(on["ras.event"]) do
      local b = back[s.fields.node .. "|" .. s.fields.pid]
      if s.fields.event ~= "PEER_RECOVERED" and not (b and order(s, b) ~= "after") then gone[#gone + 1] = s end
    end
    if #gone == 0 or #on["ras.missing_rank"] > 0 or #on["app.good_end"] > 0 then return {} end
    local s, ranks = gone[1], distinct(gone, "rank")
    return { { cause = "comm.missing_rank", confidence = "likely", scope = "process", rank = ranks[1], ranks = ranks, pid = s.fields.pid, evidence = gone,
      confidence_why = "NCCL's RAS monitor lost it: dead, stopped, or cut off",
      summary = string.format("NCCL's RAS service lost process %d on %s (%s)", s.fields.pid, s.fields.node, s.fields.event) } }
  end,
}

-- RAS and a watchdog look at the same job with different eyes: where they disagree, that is said.
correlate {
  id    = "ras.contradicts",
  group = "job",
  uses  = { "ras.comm", "ras.missing_rank" },
  reach = { "torch.watchdog_timeout", "torch.desync_report", "ras.rank_differs" },
  judge = function(case)
    local on, found = case.signals, {}
    local timed_out = on["torch.watchdog_timeout"]
    if #timed_out == 0 then return {} end
    local function note(evidence, text)
      found[#found + 1] = { cause = "comm.timeout", severity = "note", confidence = "certain", scope = "job", evidence = evidence, ranks = {},
        confidence_why = "both say it, each of what it can see", summary = text, facts = { contradicts = text } }
    end
    local whole = keep(on["ras.comm"], function(s) return (s.fields.errors == nil or s.fields.errors == "OK") and (s.fields.status == nil or s.fields.status == "RUNNING") and (s.fields.ranks or 0) >= (s.fields.size or 0) end)
    if #on["ras.comm"] > 0 and #whole == #on["ras.comm"] and #on["ras.missing_rank"] + #on["ras.rank_differs"] == 0 then
      note({ whole[1], timed_out[1] }, string.format("RAS found all %d ranks there with equal numbers of launches, and a watchdog says that %s did not end: nobody is missing, the operation itself stands",
        whole[1].fields.size or 0, timed_out[1].fields.op or "a collective"))
    end
    for _, m in ipairs(on["ras.missing_rank"]) do
      local own = keep(timed_out, function(w) return m.rank ~= nil and w.rank == m.rank end)
      if #own > 0 then
        note({ m, own[1] }, string.format("RAS has no answer of rank %d, whose own watchdog reported a timeout: it was alive and waiting then", m.rank))
        break
      end
    end
    for _, d in ipairs(on["torch.desync_report"]) do
      local behind = keep(on["ras.rank_differs"], function(s) return s.fields.launched ~= nil and s.fields.usual ~= nil and s.fields.launched < s.fields.usual end)
      local named, other = {}, nil
      for _, r in ipairs(numbers(d.fields.lagging or "")) do named[r] = true end
      for _, b in ipairs(behind) do
        if b.rank and not named[b.rank] then other = other or b end
      end
      if other and d.fields.lagging then
        note({ d, other }, string.format("The desync report names rank %s, RAS shows rank %d behind (%d of %d %s)", d.fields.lagging, other.rank, other.fields.launched, other.fields.usual, other.fields["function"] or "operations"))
        break
      end
    end
    return found
  end,
}

correlate {
  id    = "ras.behind",
  group = "job",
  uses  = { "ras.rank_differs" },
  reach = { "ras.missing_rank", "app.good_end" },
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
