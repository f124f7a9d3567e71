-- What the operations of a process group take by themselves, against the same operations of an earlier, good run, or of the groups that
-- lie alike in this one. The rank that came last is the measure (parsers/align_kinds.c), so nobody's lateness is in it: what differs is the
-- way between the ranks. A group is only compared with groups of as many ranks, as far apart from each other: a group inside of a machine
-- says nothing about one between machines.
local LOW <const>, FAR <const> = 0.7, 0.4 -- share of what the others reach; share at which the loss is beyond doubt
local LEAST_MS <const> = 1 -- by which it has to be slower: below that it is the start of a kernel that is measured
local PEERS <const> = 3 -- groups that have to agree

local function kind_of(s)
  local f = s.fields
  return table.concat({ f.op or "?", f.sizes or "?", tostring(f.members or 0), f.layout or "" }, "|")
end

local function speed(f)
  if f.busbw then return string.format("%.2f ms (%.1f GB/s of bus bandwidth)", f.usual_ms, f.busbw) end
  return string.format("%.2f ms", f.usual_ms)
end

-- One finding for a group: that of the kind in which most is lost.
local function worst_of(kinds, measure_of)
  local worst, groups = {}, {}
  for _, of in ipairs(kinds) do
    local against = measure_of(of)
    for _, s in ipairs(of) do
      local share = against and against / s.fields.usual_ms
      if share and share < LOW and s.fields.usual_ms - against >= LEAST_MS then
        local group = tostring(s.fields.group) .. "|" .. (s.fields.desc or "")
        if not worst[group] then groups[#groups + 1] = group end
        if not worst[group] or share < worst[group].share then worst[group] = { s = s, share = share, against = against } end
      end
    end
  end
  local out = {}
  for _, group in ipairs(groups) do out[#out + 1] = worst[group] end
  return out
end

local function finding(w, what, why)
  local f = w.s.fields
  return { cause = "comm.slow", confidence = w.share < FAR and "likely" or "possible", scope = "job", ranks = numbers(f.ranks or ""), evidence = { w.s }, confidence_why = why,
    summary = string.format("%s of %s in group %s (ranks %s) takes %s, %s %.2f ms", f.op or "An operation", f.sizes or "?", f.group or "?", f.ranks or "?", speed(f), what, w.against),
    facts = { group = f.group, op = f.op, usual_ms = f.usual_ms, against_ms = w.against, busbw = f.busbw, turns = f.turns } }
end

local function middle(list)
  local times = {}
  for _, s in ipairs(list) do times[#times + 1] = s.fields.usual_ms end
  table.sort(times)
  return times[(#times + 1) // 2]
end

correlate {
  id    = "comm.slow.groups",
  group = "job",
  uses  = { "fr.pace" },
  judge = function(case)
    local own = keep(case.signals["fr.pace"], function(s) return not s.fields.baseline end)
    local good = keep(case.signals["fr.pace"], function(s) return s.fields.baseline end)
    local kinds, found = group_by(own, kind_of), {}
    if #good > 0 then
      local measures = {}
      for _, of in ipairs(group_by(good, kind_of)) do measures[kind_of(of[1])] = middle(of) end
      for _, w in ipairs(worst_of(kinds, function(of) return measures[kind_of(of[1])] end)) do
        found[#found + 1] = finding(w, "and in the baseline", "the same operation with the same sizes in a group that lies alike was faster in the run that the bundle calls good; nobody's lateness is in it")
      end
      return found
    end
    for _, w in ipairs(worst_of(kinds, function(of) return #of > PEERS and middle(of) end)) do
      found[#found + 1] = finding(w, "and in the other groups that lie alike", "groups of the same shape do the same faster in the same run; nobody's lateness is in it, but that they lie alike on the machines is taken from the numbers of the ranks")
    end
    return found
  end,
}
