-- Errors between two hosts are votes: each names a pair of which one end, or what lies between, is bad. Several pairs together tell more than each
-- alone: an end that all of them share is bad, whoever complains; where none is shared, it is the middle (switch, routing, a rail).
-- A host is known by the addresses that it said it uses, or that ip printed.
local AT_LEAST = 3 -- pairs: two may share an end by chance

local function addresses(on)
  local of = {}
  for _, s in ipairs(join(on["nccl.bootstrap_using"], on["net.interface"])) do
    if s.fields.address and s.host then of[match(s.fields.address, [[^([^/<]+)]]) or s.fields.address] = s.host end
  end
  return of
end

correlate {
  id    = "net.votes",
  group = "job",
  uses  = { "net.nccl_completion" },
  reach = { "nccl.bootstrap_using", "net.interface" },
  judge = function(case)
    local on = case.signals
    local of, seen, pairs_, degree, said = addresses(on), {}, 0, {}, {}
    for _, s in ipairs(keep(on["net.nccl_completion"], function(x) return x.fields.status == 12 and x.fields.peer ~= nil and x.host ~= nil end)) do
      local a, b = s.host, of[s.fields.peer] or s.fields.peer
      local key = a < b and a .. "|" .. b or b .. "|" .. a
      if a ~= b then said[#said + 1] = s end
      if a ~= b and not seen[key] then
        seen[key], pairs_ = true, pairs_ + 1
        degree[a], degree[b] = (degree[a] or 0) + 1, (degree[b] or 0) + 1
      end
    end
    if pairs_ < AT_LEAST then return {} end
    local shared
    for name, n in pairs(degree) do
      if n == pairs_ then shared = name end
    end
    local one = { cause = "net.ib_transport_error", confidence = "certain", scope = shared and "host" or "job", evidence = said, count = #said,
      symptoms = said, facts = { pairs = pairs_, shared = shared } } -- what each end saw follows from it
    if shared then
      one.host = shared
      one.confidence_why = "every pair that fails has this end in common"
      one.summary = string.format("RDMA fails between %d pairs of hosts, and %s is an end of each: that host's card, cable or port is the suspect", pairs_, shared)
    else
      one.confidence_why = "the pairs that fail have no end in common"
      one.summary = string.format("RDMA fails between %d pairs of hosts without a common end: the suspect lies between them (switch, routing, a rail), not in a host", pairs_)
    end
    return { one }
  end,
}
