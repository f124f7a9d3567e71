-- Errors between two hosts are votes: each names a pair of which one end, or what lies between, is bad. Several pairs together tell more than each
-- alone, and the smallest thing that has a part in all of them is the suspect, whoever complains: one end (its port, where only that fails), two ends, one
-- rail (the adapter of one name on every host, which share switches), what joins two subnets, or something between them. Where two of these have
-- as many votes nothing is accused, and the finding says what would decide.
-- A host is known by the addresses that it said it uses, or that ip printed. Whether a pair works that says nothing is not known, so a small number of
-- pairs that agree proves little: each answer has its least number. An address that no source maps to a host may be any of them, the ones that
-- complain, too: pairs with such an end tell of it alone what is in all of them, and never that they have no end in common.
local LEAST, TWO_ENDS, BOUNDARY = 3, 3, 4 -- pairs: of anything, of each of two ends that the other has no part in, across subnets
local DECIDES = "; ib_write_bw between these hosts, pair by pair and adapter by adapter, decides"

local function device(s) return s.fields.device or s.fields.hca end
local function host_of(text) return match(text, [[^([^/<]+)]]) or text end

-- host of each address, and address of each host
local function addresses(on)
  local of, at = {}, {}
  for _, s in ipairs(join(on["nccl.bootstrap_using"], on["net.interface"])) do
    if s.fields.address and s.host then
      local address = host_of(s.fields.address)
      of[address], at[s.host] = s.host, at[s.host] or address
    end
  end
  return of, at
end

-- one for each pair that complained, whichever end did
local function edges_of(on, of)
  local edges, by_key = {}, {}
  for _, s in ipairs(keep(on["net.nccl_completion"], function(x) return x.fields.status == 12 and x.fields.peer ~= nil and x.host ~= nil end)) do
    local a, b = s.host, of[s.fields.peer] or s.fields.peer
    local key = a < b and a .. "|" .. b or b .. "|" .. a
    if a ~= b then
      local edge = by_key[key] or { a = a, b = b, said = {}, open = of[s.fields.peer] == nil and s.fields.peer or nil }
      edge.said[#edge.said + 1] = s
      if not by_key[key] then edges[#edges + 1] = edge end
      by_key[key] = edge
    end
  end
  return edges
end

local function touches(edge, host) return edge.a == host or edge.b == host end
local function said_of(edges)
  local lists = {}
  for _, edge in ipairs(edges) do lists[#lists + 1] = edge.said end
  return join(table.unpack(lists))
end
local function ends_of(edges)
  local names, seen = {}, {}
  for _, edge in ipairs(edges) do
    for _, name in ipairs({ edge.a, edge.b }) do
      if not seen[name] then names[#names + 1] = name end
      seen[name] = true
    end
  end
  table.sort(names)
  return names
end

-- addresses of ends that no source maps to a host
local function open_ends(edges)
  local list, seen = {}, {}
  for _, edge in ipairs(edges) do
    if edge.open and not seen[edge.open] then list[#list + 1] = edge.open end
    seen[edge.open or ""] = true
  end
  table.sort(list)
  return list
end

-- the host that is an end of all
local function common_end(edges, names)
  for _, name in ipairs(names) do
    if #keep(edges, function(e) return touches(e, name) end) == #edges then return name end
  end
end

-- two hosts one of which is an end of each pair, and each of enough pairs that the other has no part in
local function common_two(edges, names)
  local strong = keep(names, function(n) return #keep(edges, function(e) return touches(e, n) end) >= TWO_ENDS end)
  local best, n = nil, 0
  for i = 1, #strong do
    for k = i + 1, #strong do
      local x, y = strong[i], strong[k]
      local only_x = keep(edges, function(e) return touches(e, x) and not touches(e, y) end)
      local only_y = keep(edges, function(e) return touches(e, y) and not touches(e, x) end)
      local both = keep(edges, function(e) return touches(e, x) and touches(e, y) end)
      if #only_x >= TWO_ENDS and #only_y >= TWO_ENDS and #only_x + #only_y + #both == #edges then best, n = { x, y }, n + 1 end
    end
  end
  return n == 1 and best or nil
end

-- the one adapter name that all complaints are about, where the job uses others, too
local function common_device(said, using)
  local name = device(said[1])
  local several = keep(using, function(s) return match(s.fields.list, [=[\[1\]]=]) ~= nil end)
  if name and #several > 0 and #keep(said, function(s) return device(s) ~= name end) == 0 then return name end
end

-- the two subnets that every pair joins, where each has pairs of its own that do not complain
local function boundary(edges, at)
  local function net(host) return match(at[host] or host, [[^(\d+\.\d+\.\d+)\.\d+$]]) end
  local hosts = {}
  for _, address in pairs(at) do
    local own = match(address, [[^(\d+\.\d+\.\d+)\.\d+$]])
    if own then hosts[own] = (hosts[own] or 0) + 1 end
  end
  local left, right
  for _, edge in ipairs(edges) do
    local a, b = net(edge.a), net(edge.b)
    if not a or not b or a == b or (hosts[a] or 0) < 2 or (hosts[b] or 0) < 2 then return nil end
    if b < a then a, b = b, a end
    left, right = left or a, right or b
    if a ~= left or b ~= right then return nil end
  end
  return left and #edges >= BOUNDARY and left .. ".x and " .. right .. ".x" or nil
end

-- accuses no host, and none of those who speak in the evidence
local function finding(edges, where, why, summary)
  local said = said_of(edges)
  return { cause = "net.ib_transport_error", confidence = "certain", scope = "job", hosts = {}, ranks = {}, evidence = said, count = #said, symptoms = said, -- what each end saw follows from it
    confidence_why = why, summary = summary, facts = { pairs = #edges, suspect = where, hosts = table.concat(ends_of(edges), " ", 1, math.min(#ends_of(edges), 16)) } }
end

local function bad_end(edges, host, rail)
  local one = finding(edges, rail and "port" or "host", "every pair that fails has this end in common",
    string.format("RDMA fails between %d pairs of hosts, and %s is an end of each: %s", #edges, host,
      rail and "its " .. rail .. ", as only that adapter fails and others are in use, with its cable and port, is the suspect" or "that host's card, cable or port is the suspect"))
  one.scope, one.host, one.hosts, one.ranks, one.facts.shared, one.facts.device = "host", host, nil, nil, host, rail
  return one
end

local function bad_two(edges, two)
  local one = finding(edges, "two hosts", "every pair that fails has one of these two ends, and each of them has pairs of its own",
    string.format("RDMA fails between %d pairs of hosts, and %s or %s is an end of each: the card, cable or port of these two are the suspects", #edges, two[1], two[2]))
  one.hosts, one.facts.shared = two, table.concat(two, " ")
  return one
end

-- Of two ends that complain of each other the clocks make one the first, and that is no reason to accuse it. Where one complains alone its own line says what is known.
local function of_one_pair(edges)
  if #distinct(edges[1].said, "host") < 2 then return {} end
  local both = ends_of(edges)
  local one = finding(edges, "cannot tell", "each completion names its pair, and each of the two names the other",
    string.format("RDMA fails between %s and %s, and each complains of the other: either end or what lies between%s", both[1], both[2], DECIDES))
  one.hosts = both
  return { one }
end

local function judge_edges(edges, using, at)
  local names, n = ends_of(edges), #edges
  local host, rail, sides = common_end(edges, names), common_device(said_of(edges), using), boundary(edges, at)
  local fails = string.format("RDMA fails between %d pairs of hosts", n)
  if host and n >= LEAST then return { bad_end(edges, host, rail) } end
  local open = open_ends(edges)
  if #open > 0 then
    return { finding(edges, "cannot tell", "of the RDMA errors only, not of where the fault is: whose the addresses of some ends are no file tells, so they may be of the very hosts that complain",
      string.format("%s or fewer: no file tells whose %s %s, so whether one host is an end of all cannot be told; ip addr of each host would tell%s", fails,
        table.concat(open, ", ", 1, math.min(#open, 4)), #open == 1 and "is" or "are", DECIDES)) }
  end
  if n < LEAST or #names < 4 then
    return { finding(edges, "cannot tell", "of the RDMA errors only, not of where the fault is: so few pairs do not tell",
      string.format("%s (%s): one bad end, or what lies between: these few cannot tell%s", fails, table.concat(names, ", "), DECIDES)) }
  end
  local two = common_two(edges, names)
  if two and not rail and not sides then return { bad_two(edges, two) } end
  if (two and 1 or 0) + (rail and 1 or 0) + (sides and 1 or 0) > 1 then
    local ways = {}
    if two then ways[#ways + 1] = "two bad ends (" .. two[1] .. ", " .. two[2] .. ")" end
    if rail then ways[#ways + 1] = "the rail of " .. rail end
    if sides then ways[#ways + 1] = "what joins " .. sides end
    return { finding(edges, "cannot tell", "each completion names its pair; which of the suspects is bad these pairs do not tell",
      string.format("%s, and each of these has a part in all: %s. The votes are equal: nothing is accused%s", fails, table.concat(ways, "; "), DECIDES)) }
  end
  if rail then
    local one = finding(edges, "rail", "every complaint is about this adapter, on hosts that use others without complaint",
      string.format("%s without a common end, and all of them over %s while other adapters are in use: the suspect is that rail (its switches and their links), not a host", fails, rail))
    one.facts.device = rail
    return { one }
  end
  if sides then
    return { finding(edges, "boundary", "every pair that fails crosses between these subnets, and none within one of them fails",
      string.format("%s without a common end, and each of them joins %s, while no pair within either fails: the suspect is what joins these (an uplink, a spine, a route), not a host", fails, sides)) }
  end
  return { finding(edges, "between", "the pairs that fail have no end in common",
    string.format("%s without a common end: the suspect lies between them (switch, routing, a rail), not in a host", fails)) }
end

correlate {
  id    = "net.votes",
  group = "job",
  uses  = { "net.nccl_completion" },
  reach = { "nccl.bootstrap_using", "net.interface", "nccl.ib_using" },
  judge = function(case)
    local of, at = addresses(case.signals)
    local edges = edges_of(case.signals, of)
    if #edges == 1 then return of_one_pair(edges) end
    if #edges == 0 then return {} end
    return judge_edges(edges, case.signals["nccl.ib_using"], at)
  end,
}
