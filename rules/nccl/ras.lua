-- What NCCL's RAS service knew when it was asked: who does not answer, and whose launches lag behind. A process that does not answer is
-- dead, stopped, or cut off; a count is a launch on the host, so small differences of a running job mean nothing.
-- Source: NCCL src/ras/client_support.cc, src/ras/ras.cc.

-- Who it is, as far as RAS says: the rank where its communicator is the job's, else the process.
local function name_of(s)
  local f = s.fields
  if s.rank then return "rank " .. s.rank end
  if f.member_rank then
    return string.format("rank %d of a communicator of %d (process %s on %s)", f.member_rank, f.size or 0, tostring(f.pid or "?"), f.node or "?")
  end
  return string.format("process %s on %s", tostring(f.pid or "?"), f.node or "?")
end

local function names_of(list)
  return table.concat(distinct(list, name_of), ", ")
end

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
    return { { cause = "comm.missing_rank", confidence = waited and "certain" or "likely", scope = #ranks > 0 and "rank" or "process", ranks = ranks, rank = ranks[1],
      pid = #ranks == 0 and first(gone).fields.pid or nil, evidence = join(gone, on["ras.process"]),
      confidence_why = waited and "RAS has no answer of it, and the others timed out" or "RAS has no answer of it: dead, stopped, or cut off",
      summary = string.format("%s did not answer NCCL's RAS service%s", names_of(gone), dead and " and counts as dead" or "") } }
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

-- RAS itself waited in vain for parts of its own network: what it does not tell is not known to be well.
correlate {
  id    = "ras.timeouts",
  group = "job",
  uses  = { "ras.timeouts" },
  judge = function(case)
    local s = first(case.signals["ras.timeouts"])
    return { { cause = "comm.missing_rank", severity = "note", confidence = "possible", scope = "job", evidence = { s }, ranks = {},
      confidence_why = "RAS tells of it itself; whom it did not reach is only told where it is few",
      summary = string.format("NCCL's RAS service met %d communication timeout%s while it gathered data: its picture may lack processes", s.fields.timeouts, s.fields.timeouts == 1 and "" or "s") } }
  end,
}

-- RAS was asked, and its answer ends early or never came. It gathers from all processes before it tells anything, so that one of them may hold it
-- up; but whoever asked may as well have given up, or there was no job any more. It shows nothing, and that is said.
correlate {
  id    = "ras.torn",
  group = "job",
  uses  = { "ras.torn" },
  judge = function(case)
    local found = {}
    for _, s in ipairs(case.signals["ras.torn"]) do
      found[#found + 1] = { cause = "comm.missing_rank", severity = "note", confidence = "possible", scope = "job", evidence = { s }, ranks = {},
        confidence_why = "what an answer does not hold cannot be judged",
        summary = string.format("The answer of NCCL's RAS service %s, so nothing is judged by it: ask again, from a node of the job, with a longer time-out (ncclras -v -t 60)", s.fields.why) }
    end
    return found
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

local function key_of(s)
  local f = s.fields
  return table.concat({ f.comm or "", tostring(s.rank or f.member_rank or ""), tostring(f.pid or ""), f["function"] or "" }, "|")
end

-- Of several answers of RAS: "still" where a count stood in all that name it, "moved" where it grew, so that the job ran; nil of one.
local function course(list)
  local one, other = list[1], nil
  for _, s in ipairs(list) do
    if s.member ~= one.member then other = s end
  end
  if not other then return nil end
  return other.fields.launched == one.fields.launched and other.fields.usual == one.fields.usual and "still" or "moved"
end

correlate {
  id    = "ras.behind",
  group = "job",
  uses  = { "ras.rank_differs" },
  reach = { "ras.missing_rank", "app.good_end" },
  judge = function(case)
    local on, found = case.signals, {}
    local behind, still = {}, {}
    for _, list in ipairs(group_by(keep(on["ras.rank_differs"], function(s) return s.fields.launched ~= nil and s.fields.usual ~= nil and s.fields.launched < s.fields.usual end), key_of)) do
      local how = course(list)
      if how == "still" then still = join(still, list) elseif how == nil then behind = join(behind, list) end
    end
    local sure = #still > 0
    if sure then behind = still end
    local failed = keep(on["ras.rank_differs"], function(s) return s.fields.error ~= nil or s.fields.result ~= nil end)
    if #behind > 0 and #on["ras.missing_rank"] == 0 then
      local ranks, f = distinct(behind, "rank"), first(behind).fields
      found[1] = { cause = "comm.missing_rank", severity = #on["app.good_end"] > 0 and "note" or nil, confidence = sure and "likely" or "possible", scope = #ranks > 0 and "rank" or "process",
        ranks = ranks, rank = ranks[1], pid = #ranks == 0 and f.pid or nil, evidence = behind,
        confidence_why = sure and "two answers of RAS show the same counts, so nobody moved in between"
          or "a count is a launch on the host: a running job shows small differences too; a second status would decide",
        summary = string.format("%s launched %d %s operations where the others launched %d", names_of(behind), f.launched, f["function"] or "collective", f.usual) }
    end
    if #failed > 0 then
      found[#found + 1] = { cause = "unknown", confidence = "certain", scope = "job", evidence = failed, ranks = distinct(failed, "rank"),
        confidence_why = "RAS gives the result, not its reason", summary = "NCCL recorded an error on " .. names_of(failed) }
    end
    return found
  end,
}

-- A rank that RAS finds in an earlier state of a communicator than the others: it has not made it, or is not done with that; or that closes it
-- while the others go on. A job that starts or ends looks so for a moment.
correlate {
  id    = "ras.states",
  group = "job",
  uses  = { "ras.rank_differs" },
  reach = { "ras.missing_rank", "app.good_end", "torch.watchdog_timeout" },
  judge = function(case)
    local on, found = case.signals, {}
    if #on["ras.missing_rank"] + #on["app.good_end"] > 0 then return {} end
    local SAYS = {
      NOCOMM = { "comm.missing_rank", "has not begun to make the communicator that the others %s" },
      INIT = { "comm.init_stuck", "has not finished to make the communicator that the others %s" },
      FINALIZE = { "comm.missing_rank", "closes the communicator that the others %s" },
    }
    local OTHERS = { RUNNING = "use", INIT = "make" }
    for _, list in ipairs(group_by(on["ras.rank_differs"], function(s) return s.fields.status and s.fields.usual_status and s.fields.status .. "|" .. s.fields.usual_status end)) do
      local f = first(list).fields
      local says, others = SAYS[f.status], OTHERS[f.usual_status]
      if says and others and f.status ~= f.usual_status then
        local ranks = distinct(list, "rank")
        found[#found + 1] = { cause = says[1], confidence = #on["torch.watchdog_timeout"] > 0 and "likely" or "possible", scope = #ranks > 0 and "rank" or "process", ranks = ranks, rank = ranks[1],
          pid = #ranks == 0 and f.pid or nil, evidence = list,
          confidence_why = "RAS shows its state; a job that starts or ends looks so for a moment", summary = names_of(list) .. " " .. string.format(says[2], others) }
      end
    end
    return found
  end,
}

-- A node with another number of processes than the rest of the job.
correlate {
  id    = "ras.nodes",
  group = "job",
  uses  = { "ras.node" },
  judge = function(case)
    local list = case.signals["ras.node"]
    return { { cause = "topo.drift", severity = "note", confidence = "likely", scope = "job", evidence = list, ranks = {},
      confidence_why = "RAS counts the processes of each node; a job may be laid out so on purpose",
      summary = "Not all nodes of the job run as many processes: " .. table.concat(distinct(list, function(s) return string.format("%s runs %d", s.fields.node, s.fields.processes) end), ", ") } }
  end,
}
