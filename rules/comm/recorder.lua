-- What the Flight Recorder dumps of all ranks show side by side: who never came, who did something else, who waits for whom.
-- The comparison is made by parsers/align*.c; here stands what it means. A dump does not say when it was taken, so that somebody
-- waits is a failure only where the wait was long or a watchdog ended it: a dump of a running job shows short waits too.
local SHORT_MS = 1000

-- "0-2,9" gives { 0, 1, 2, 9 }.
local function expand(text)
  local out, rest = {}, text or ""
  while rest ~= "" and #out < 100000 do
    local a, b, more = match(rest, [[^(\d+)(?:-(\d+))?,?(.*)$]])
    if not a then break end
    for rank = tonumber(a), tonumber(b or a) do out[#out + 1] = rank end
    rest = more or ""
  end
  return out
end

-- The other way round, as parsers/align_tell.c writes it.
local function ranks_text(ranks)
  local out, i = {}, 1
  while i <= #ranks do
    local last = i
    while ranks[last + 1] == ranks[last] + 1 do last = last + 1 end
    if last - i < 2 then last = i end
    out[#out + 1] = last > i and ranks[i] .. "-" .. ranks[last] or tostring(ranks[i])
    i = last + 1
  end
  return table.concat(out, ",")
end

local function s_of(n) return n == 1 and "" or "s" end
local function name(ranks, text) return "rank" .. s_of(#ranks) .. " " .. (text or table.concat(ranks, ", ")) end

local function turn_of(s)
  return tostring(s.fields.group) .. "#" .. tostring(s.fields.seq) .. (s.fields.p2p and "p" or "")
end

-- The ranks that a field of several signals names, ascending, without those of skip.
local function union(signals, key, skip)
  local seen, out = {}, {}
  for _, rank in ipairs(skip or {}) do seen[rank] = true end
  for _, s in ipairs(signals) do
    for _, rank in ipairs(expand(s.fields[key])) do
      if not seen[rank] then
        seen[rank] = true
        out[#out + 1] = rank
      end
    end
  end
  table.sort(out)
  return out
end

local function merge(...)
  local texts = {}
  for i = 1, select("#", ...) do texts[i] = { fields = { ranks = ranks_text((select(i, ...))) } } end
  return union(texts, "ranks")
end

local WATCHDOG = { "torch.watchdog_timeout", "torch.work_failed", "gloo.timed_out", "torch.watchdog_stuck" }
local function was_ended(on)
  for _, id in ipairs(WATCHDOG) do
    if #on[id] > 0 then return true end
  end
  return false
end
local function is_long(f, on)
  return was_ended(on) or (f.wait_ms or 0) >= SHORT_MS
end

-- What holds a rank up begins behind its last sign, and at the latest when the others give up.
local function lead_of(list)
  local ms = 600000
  for _, s in ipairs(list) do ms = math.max(ms, s.fields.timeout_ms or 0) end
  return math.min(ms, 7200000) * 1000000
end

-- Ranks that their own dump shows not to have issued what the others wait in.
correlate {
  id    = "comm.missing_rank.dumps",
  group = "job",
  uses  = { "fr.missing_rank" },
  reach = WATCHDOG,
  judge = function(case)
    local found = {}
    for _, all in ipairs(group_by(case.signals["fr.missing_rank"], turn_of)) do
      local ranks = {}
      for _, s in ipairs(all) do ranks[#ranks + 1] = s.fields.rank or s.rank end
      local f = first(all).fields
      local was = f.last_op and "; its last was " .. f.last_op .. (f.last_seq and " #" .. f.last_seq or "") or ""
      local waits = string.format("%s #%d, in which %d rank%s wait%s", f.op or "the collective", f.seq or 0, f.n_waiting or 1, s_of(f.n_waiting or 1), (f.n_waiting or 1) == 1 and "s" or "")
      -- It went on issuing operations for most of the time that the others waited: not stuck, but longer than they may wait.
      if (f.progress or 0) >= 3 and (f.timeout_ms or 0) > 0 and (f.progress_ms or 0) * 2 >= f.timeout_ms and #ranks == 1 then
        found[#found + 1] = { cause = "comm.timeout_short", confidence = "likely", scope = "rank", ranks = ranks, rank = ranks[1], evidence = all,
          confidence_why = "its own dump shows that it went on issuing operations while the others waited for it",
          summary = string.format("%s did %d operations during %d s in which the others already waited in %s; their timeout is %d s", name(ranks), f.progress,
            f.progress_ms // 1000, f.op or "a collective", f.timeout_ms // 1000),
          facts = { group = f.group, seq = f.seq, op = f.op, progress = f.progress, progress_ms = f.progress_ms, timeout_ms = f.timeout_ms } }
      else
        local long = is_long(f, case.signals)
        found[#found + 1] = { cause = "comm.missing_rank", confidence = not long and "possible" or f.p2p and "likely" or "certain", scope = "rank", ranks = ranks, rank = ranks[1], evidence = all, lead = lead_of(all),
          confidence_why = not long and "the dumps do not show that the others waited for long: a job that runs looks the same for a moment"
            or "the rank's own Flight Recorder dump ends before the operation that the others wait in",
          summary = name(ranks) .. " never entered " .. waits .. was,
          facts = { group = f.group, seq = f.seq, op = f.op, waiting = f.waiting, last_frame = f.last_frame, waiting_frame = f.waiting_frame } }
      end
    end
    return found
  end,
}

-- What a job's own log shows of its course: with it, short waits mean nothing.
local function runs_on(on) return #on["app.good_end"] + #on["app.progress"] > 0 end

-- Others wait, and these left no dump, or one that is cut. It may be they, or the operation itself does not move, or one of those
-- that wait did something else than the rest: that is out of the question only where more of them agree, and are known to have
-- queued it, than there are without a dump. Of several groups that stand so, each such rank may be the one that holds up the rest.
-- So all that come into question are named, or nobody is. A bundle of dumps alone does not show that a job failed, but nobody
-- collects dumps of a job that is well.
correlate {
  id    = "comm.missing_rank.no_dump",
  group = "job",
  uses  = { "fr.incomplete" },
  reach = { "torch.watchdog_timeout", "torch.work_failed", "gloo.timed_out", "torch.watchdog_stuck", "torch.desync_report", "torch.dump_signal", "fr.missing_rank",
            "fr.op_mismatch", "fr.shape_mismatch", "fr.stalled", "app.good_end", "app.progress", "kernel.segfault" },
  judge = function(case)
    local on = case.signals
    if #on["fr.missing_rank"] + #on["fr.op_mismatch"] + #on["fr.shape_mismatch"] + #on["torch.desync_report"] + #on["torch.dump_signal"] > 0 then return {} end
    local open = on["fr.incomplete"]
    local long = #keep(open, function(s) return is_long(s.fields, on) end) > 0
    if not long and runs_on(on) then return {} end
    local silent = union(open, "ranks")
    local waiting = union(open, "waiting", silent)
    local undecided = keep(open, function(s) return (s.fields.n_ranks or 0) >= (s.fields.n_queued or 0) and (s.fields.n_missing or 0) == 0 end)
    local slow = keep(on["fr.stalled"], function(s) return not s.fields.waits_in and (s.fields.lag == "started" or s.fields.lag == "enqueued") end)
    local ranks = merge(silent, union(open, "without"), union(open, "alone"), union(undecided, "waiting"), union(join(open, slow), "behind"))
    -- members that nobody knows, ranks that may wait for each other in a circle, rings that lost what their ranks wait in: it may be anybody
    local anybody = #silent == 0 or #keep(open, function(s) return s.fields.members == nil or s.fields.circle == 1 or (s.fields.n_overwritten or 0) > 0 end) > 0
    local few = not anybody and #ranks <= 8 and #silent <= #waiting
    if not few and was_ended(on) then return {} end -- the timeout says as much
    local f = first(open).fields
    -- a rank without a dump that the kernel saw crash: its absence says the same again, and the crash is no clean-up
    local is_silent = {}
    for _, rank in ipairs(silent) do is_silent[rank] = true end
    local crashed = keep(on["kernel.segfault"], function(s) return s.rank ~= nil and is_silent[s.rank] end)
    local rest = #silent == 0 and "the dumps do not say who the others of the group are" or name(silent, ranks_text(silent)) .. " left no whole dump"
    return { { cause = few and "comm.missing_rank" or "unknown", confidence = "possible", scope = few and #ranks == 1 and "rank" or "job", ranks = few and ranks or {}, rank = few and #ranks == 1 and ranks[1] or nil, evidence = join(open, crashed), lead = lead_of(open), echo = #crashed > 0 or nil,
      confidence_why = not long and "the dumps do not show that the others waited for long; and what ranks without a whole dump did nobody can say"
        or #ranks > #silent and "of those that left a dump, one may have done something else than the rest, or be behind them"
        or "all others wait, but without a whole dump of " .. (#silent == 1 and "this rank" or "these ranks") .. " it may be the operation itself that does not move",
      summary = string.format("%d rank%s wait%s in %s #%d%s, and %s", #waiting, s_of(#waiting), #waiting == 1 and "s" or "",
        f.op or "a collective", f.seq or 0, #distinct(open, turn_of) > 1 and " and elsewhere" or "", rest),
      facts = { group = f.group, seq = f.seq, op = f.op, waiting = f.waiting, waiting_frame = f.waiting_frame } } }
  end,
}

local KINDS = {
  order = "in another order", skipped = "without one that the others have", extra = "with one more than the others", shifted = "one apart", count = "another number of operations",
}

correlate {
  id    = "comm.op_mismatch.dumps",
  group = "job",
  uses  = { "fr.op_mismatch" },
  judge = function(case)
    local found = {}
    for _, all in ipairs(group_by(case.signals["fr.op_mismatch"], turn_of)) do
      local f = first(all).fields
      local ranks = expand(f.ranks)
      if f.kind == "order" and f.p2p == 1 then
        -- Sends and receives in a circle: of a pipeline that stands still, the one that stopped is not known.
        found[#found + 1] = { cause = "comm.deadlock_suspected", confidence = "possible", scope = "job", ranks = {}, evidence = all,
          confidence_why = "each of these ranks waits for the next, but sends and receives may be under way in any order",
          summary = string.format("%s wait for each other in a circle, from %s #%d on", name(ranks, f.ranks), f.op or "a send", f.seq or 0),
          facts = { group = f.group, seq = f.seq, op = f.op, circle = f.circle } }
      else
        local sure = f.majority == 1
        local how = f.kind == "members" and string.format("%s and %s do not agree on who is in group %s: the ones say ranks %s, the others %s", name(expand(f.odd_ranks), f.odd_ranks),
            name(expand(f.majority_ranks), f.majority_ranks), f.group or "?", f.odd_list or "?", f.majority_list or "?")
          or f.other_group and string.format("%s entered groups %s and %s in different orders", name(ranks, f.ranks), f.group or "?", f.other_group)
          or sure and string.format("at #%d %s issued %s where the others issued %s", f.seq or 0, name(ranks, f.ranks), f.op or "?", f.majority_op or "?")
          or string.format("at #%d %s issued %s and %s issued %s", f.seq or 0, name(expand(f.odd_ranks), f.odd_ranks), f.op or "?", name(expand(f.majority_ranks), f.majority_ranks), f.majority_op or "?")
        if KINDS[f.kind] and not f.other_group then how = how .. ": " .. KINDS[f.kind] end
        found[#found + 1] = { cause = "comm.op_mismatch", confidence = (f.dumps_missing or 0) > 0 and "likely" or "certain", scope = sure and "rank" or "job", ranks = sure and ranks or {},
          rank = sure and #ranks == 1 and ranks[1] or nil, evidence = all,
          confidence_why = sure and "the Flight Recorder dumps of both sides show different operations under one sequence number"
            or "the dumps of both sides show it; which of them is wrong they do not say, for neither has a majority",
          summary = how,
          facts = { group = f.group, seq = f.seq, op = f.op, majority_op = f.majority_op, frame = f.frame, majority_frame = f.majority_frame, kind = f.kind } }
      end
    end
    return found
  end,
}

local WHAT = { dtype = "different types", count = "a different number of tensors", root = "different roots", sum = "sizes that do not add up", exchange = "parts that do not fit each other" }

correlate {
  id    = "comm.shape_mismatch.dumps",
  group = "job",
  uses  = { "fr.shape_mismatch" },
  judge = function(case)
    local all = case.signals["fr.shape_mismatch"]
    local sure = #keep(all, function(s) return s.fields.majority ~= 1 end) == 0
    local ranks = union(all, "ranks")
    local f = first(all).fields
    local sides = f.sizes and f.majority_sizes and f.odd_ranks and string.format(": %s %s, %s %s", name(expand(f.odd_ranks), f.odd_ranks), f.sizes, name(expand(f.majority_ranks), f.majority_ranks), f.majority_sizes) or ""
    return { { cause = "comm.shape_mismatch", confidence = (f.dumps_missing or 0) > 0 and "likely" or "certain", scope = sure and #ranks == 1 and "rank" or "job", ranks = sure and ranks or {},
      rank = sure and #ranks == 1 and ranks[1] or nil, evidence = all,
      confidence_why = sure and "the Flight Recorder dumps of both sides show it under one sequence number"
        or "the dumps of both sides show it; which of them is wrong they do not say",
      summary = string.format("ranks passed %s to %s #%d%s", WHAT[f.kind] or "different sizes", f.op or "a collective", f.seq or 0, sides),
      facts = { group = f.group, seq = f.seq, op = f.op, kind = f.kind, frame = f.frame, majority_frame = f.majority_frame } } }
  end,
}

-- Everybody came, and it does not end. Some may be behind the others: their call has not returned, or their GPU has not begun.
-- With dumps alone, short waits are told as possible: a job that runs looks so for a moment, one that hangs for ever.
correlate {
  id    = "comm.stalled.dumps",
  group = "job",
  uses  = { "fr.stalled" },
  reach = { "torch.watchdog_timeout", "torch.work_failed", "gloo.timed_out", "torch.watchdog_stuck", "fr.missing_rank", "fr.op_mismatch", "fr.shape_mismatch",
            "fr.incomplete", "app.good_end", "app.progress" },
  judge = function(case)
    local on = case.signals
    if #on["fr.missing_rank"] + #on["fr.op_mismatch"] + #on["fr.shape_mismatch"] > 0 then return {} end
    local open = keep(on["fr.stalled"], function(s) return not s.fields.waits_in end)
    local stalled = keep(open, function(s)
      return was_ended(on) or (s.fields.wait_ms or 0) * 2 >= math.max(s.fields.timeout_ms or 0, 2 * SHORT_MS)
    end)
    local long = #stalled > 0
    if not long and (#open == 0 or runs_on(on) or #on["fr.incomplete"] > 0) then return {} end
    if not long then stalled = open end
    local function is_behind(s)
      local f, behind = s.fields, expand(s.fields.behind)
      return #behind > 0 and (f.n_overwritten or 0) == 0 and #behind * 2 < (f.members or 0) and (f.lag == "started" or f.lag == "enqueued")
    end
    local late = keep(stalled, is_behind)
    if #late > 0 then
      local f, behind = first(late).fields, union(late, "behind")
      local why = f.lag == "started" and "its GPU never began it, while those of the others did" or "its call into the library never returned, while those of the others did"
      return { { cause = "comm.missing_rank", confidence = long and "likely" or "possible", scope = "rank", ranks = behind, rank = behind[1], evidence = late, lead = lead_of(late),
        confidence_why = long and "the dumps of all ranks show it; what the rank is busy with they do not" or "the dumps do not show that it took long: a job that runs looks the same for a moment",
        summary = string.format("%s is behind in %s #%d: %s", name(behind, ranks_text(behind)), f.op or "a collective", f.seq or 0, why),
        facts = { group = f.group, seq = f.seq, op = f.op, lag = f.lag } } }
    end
    if #on["fr.incomplete"] > 0 then return {} end
    local f = first(stalled).fields
    local behind = (f.n_overwritten or 0) == 0 and expand(f.behind) or {} -- else what holds them up may be gone from their rings
    return { { cause = long and "comm.deadlock_suspected" or "unknown", confidence = "possible", scope = "job", ranks = #behind * 2 < (f.members or 0) and behind or {}, evidence = stalled, lead = lead_of(stalled),
      confidence_why = long and "the dumps of all ranks show that all entered it; why it does not end they do not"
        or "the dumps do not show that it took long: a job that runs looks the same for a moment; a second set of dumps would decide",
      summary = string.format("All %d ranks of group %s %s %s #%d%s", f.members or 0, f.group or "?", long and "entered" or "are in", f.op or "a collective", f.seq or 0,
        not long and "" or (f.n_done or 0) > 0 and string.format(", and on %d it never ended", f.n_waiting or 0) or ", and it never ended"),
      facts = { group = f.group, seq = f.seq, op = f.op, lag = f.lag } } }
  end,
}

-- Slow, not stuck.
correlate {
  id    = "comm.straggler.dumps",
  group = "job",
  uses  = { "fr.straggler", "fr.slow_tail" },
  judge = function(case)
    local found = {}
    for _, s in ipairs(case.signals["fr.straggler"]) do
      local f = s.fields
      found[#found + 1] = { cause = "comm.straggler", confidence = "likely", scope = "rank", rank = f.rank, ranks = { f.rank }, evidence = { s },
        confidence_why = "its operations are the shortest: it comes last, and waits for nobody; why it is late the dumps do not say",
        summary = string.format("rank %d was the last to enter %d of %d collectives of group %s; the others waited %d ms for it each time", f.rank, f.last_in or 0, f.turns or 0, f.group or "?", f.behind_ms or 0),
        facts = { group = f.group, last_in = f.last_in, turns = f.turns, behind_ms = f.behind_ms, caused_ms = f.caused_ms, span_ms = f.span_ms } }
    end
    local slow = case.signals["fr.slow_tail"]
    if #slow > 0 then
      local f = first(slow).fields
      found[#found + 1] = { cause = "comm.slow", confidence = "likely", scope = "job", evidence = slow,
        confidence_why = "the same operation with the same sizes took a fraction of that before, and no rank came late to it",
        summary = string.format("%s of group %s took %.0f ms from #%d on, and %.1f ms before", f.op or "A collective", f.group or "?", f.slow_ms or 0, f.seq or 0, f.steady_ms or 0),
        facts = { group = f.group, op = f.op, steady_ms = f.steady_ms, slow_ms = f.slow_ms } }
    end
    return found
  end,
}
