-- The words of rule files, loaded before any of them. What is written in C stands in analyzer/engine/lua_words.c: pairs,
-- match, order, gap, size_text, span_text. A new word earns its place by its third use; docs/rules.md explains each.

local SECOND = 1000000000

local function to_ns(n, unit, word)
  if math.type(n) == "integer" then return n * unit end
  if math.type(n) ~= "float" then error(word .. " wants a number", 3) end
  return math.tointeger(math.floor(n * unit + 0.5)) or error(word .. ": number is out of range", 3)
end

-- Spans of time in nanoseconds, as order, gap, episodes and leads_to count them.
function seconds(n) return to_ns(n, SECOND, "seconds") end
function minutes(n) return to_ns(n, 60 * SECOND, "minutes") end
function hours(n) return to_ns(n, 3600 * SECOND, "hours") end

-- 671088640 -> "640 GiB"; always in GiB, with one decimal where it is needed. size_text chooses the unit by itself.
function gib(kib)
  local tenths = math.floor(kib * 10 / 1048576 + 0.5)
  if tenths % 10 == 0 then return string.format("%d GiB", tenths // 10) end
  return string.format("%.1f GiB", tenths / 10)
end

local function by_ref(a, b) return a.ref < b.ref end

-- Those of list for which fn says true. No list is an empty list, here and below.
function keep(list, fn)
  local out = {}
  for _, s in ipairs(list or {}) do
    if fn(s) then out[#out + 1] = s end
  end
  return out
end

-- Those of list that are of signature or fact id.
function only(list, id)
  return keep(list, function(s) return s.id == id end)
end

-- All signals of all lists, each once, in time order as far as the clocks know it.
function join(...)
  local out, seen = {}, {}
  for i = 1, select("#", ...) do
    for _, s in ipairs((select(i, ...)) or {}) do
      if not seen[s.ref] then
        seen[s.ref] = true
        out[#out + 1] = s
      end
    end
  end
  table.sort(out, by_ref)
  return out
end

-- All whole numbers in a text, in order, runs written out: "[1, 5]" gives { 1, 5 }, "0-2,9" gives { 0, 1, 2, 9 }.
local NUMBER = [[(\d{1,15})(?:-(\d{1,15}))?((?s).*)]]
function numbers(text)
  local found = {}
  local from, to, rest = match(text or "", NUMBER)
  while from and #found < 10000 do
    from, to = tonumber(from), tonumber(to)
    local last = to and to > from and to - from < 10000 and to or from
    for n = from, last do found[#found + 1] = n end
    if to and last == from then found[#found + 1] = to end
    from, to, rest = match(rest, NUMBER)
  end
  return found
end

-- The earliest and the latest; nil of an empty list.
function first(list)
  local out
  for _, s in ipairs(list or {}) do
    if not out or s.ref < out.ref then out = s end
  end
  return out
end

function last(list)
  local out
  for _, s in ipairs(list or {}) do
    if not out or s.ref > out.ref then out = s end
  end
  return out
end

-- The different values of key, sorted: key is a name of the signal ("rank"), else of its fields, or a function. Signals
-- without the value are passed over.
function distinct(list, key)
  local seen, out = {}, {}
  for _, s in ipairs(list or {}) do
    local value
    if type(key) == "function" then value = key(s) else value = s[key] end
    if value == nil and type(key) ~= "function" then value = s.fields[key] end
    if value ~= nil then seen[value] = true end
  end
  for value in pairs(seen) do out[#out + 1] = value end
  return out
end

-- Lists of those that agree on key, which is as in distinct; the lists in the order of their first signal. Signals without
-- the value are passed over.
function group_by(list, key)
  local by_value, out = {}, {}
  for _, s in ipairs(list or {}) do
    local value
    if type(key) == "function" then value = key(s) else value = s[key] end
    if value == nil and type(key) ~= "function" then value = s.fields[key] end
    if value ~= nil then
      if not by_value[value] then
        by_value[value] = {}
        out[#out + 1] = by_value[value]
      end
      table.insert(by_value[value], s)
    end
  end
  return out
end

-- Signals whose times can be compared have the same key: all with UTC, else those whose clocks hang together, else those
-- of one clock, else of one member.
local function time_key(s)
  if s.utc then return "utc" end
  if s.frame then return "frame " .. s.frame end
  if s.clock then return s.clock end
  return "member " .. (s.member or "")
end

-- The latest episode that holds a signal of the same host, else of the same member.
local function neighbour(s, by_host, by_member)
  return s.host and by_host[s.host] or s.member and by_member[s.member] or nil
end

-- Do the clocks allow that the two are no further apart than window? Where they say nothing at all, they do.
function is_near(a, b, window)
  local distance, known = gap(a, b)
  return not known or distance <= window
end

-- Does any of ends, signals that the job came to a good end, not stand before s? What the job ran past cost it nothing.
function ended_well(ends, s)
  return #keep(ends, function(e) return order(s, e) ~= "after" end) > 0
end

-- Lists merged in time order and cut where the gap to the next one is wider than window. Times that cannot be compared
-- do not cut: such a signal stays with the latest episode of its host or member, and begins one where there is none.
function episodes(window, ...)
  local out, latest, by_host, by_member = {}, {}, {}, {}
  for _, s in ipairs(join(...)) do
    local key = time_key(s)
    local before, run = latest[key], nil
    if before then
      local ns, known = gap(before.signal, s)
      if not known or ns <= window then run = before.run end
    else
      run = neighbour(s, by_host, by_member)
    end
    if not run then
      run = {}
      out[#out + 1] = run
    end
    run[#run + 1] = s
    latest[key] = { signal = s, run = run }
    if s.host then by_host[s.host] = run end
    if s.member then by_member[s.member] = run end
  end
  return out
end

-- The last part of a member's name with every number in it alike: logs of several ranks or hosts are of one kind.
local function kind_of(member)
  local out, rest = {}, match(member or "", [[([^/]*)$]]) or ""
  local head, more = match(rest, [[^(\D*)\d+(.*)$]])
  while head and #out < 100 do
    out[#out + 1], rest = head .. "#", more
    head, more = match(rest, [[^(\D*)\d+(.*)$]])
  end
  return table.concat(out) .. rest
end

-- Signs of ranks that alone lack a report: one sign, the last, of each rank that is in no report though its own output, a log of the kind that reports
-- stand in, is here. Of a rank whose output is missing nothing is said. Folded lines of a log that several ranks share count for none.
function silent_ranks(reports, signs)
  local reported, kinds, writers, last_of, out = {}, {}, {}, {}, {}
  for _, s in ipairs(reports) do
    if s.rank then reported[s.rank] = true end
    kinds[kind_of(s.member)] = true
  end
  for _, s in ipairs(join(reports, signs)) do
    if s.rank and s.member then
      if writers[s.member] == nil then writers[s.member] = s.rank elseif writers[s.member] ~= s.rank then writers[s.member] = false end
    end
  end
  for _, s in ipairs(signs) do
    if s.rank and not reported[s.rank] and s.member and kinds[kind_of(s.member)] and (s.count == 1 or writers[s.member] == s.rank) then last_of[s.rank] = s end
  end
  for _, s in pairs(last_of) do out[#out + 1] = s end
  return out
end

-- The one rank that its launcher saw end by itself with code 1, as Python does after an exception, in the log of s. nil where several did.
function failed_alone(ended, s)
  local ranks = distinct(keep(ended, function(e) return e.member == s.member and (e.fields.exitcode or e.fields.code) == 1 end), function(e) return e.rank or -1 end)
  return #ranks == 1 and ranks[1] >= 0 and ranks[1] or nil
end
