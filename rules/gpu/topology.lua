-- Machines of one job that are wired differently: a GPU whose adapter is behind the other socket, an adapter less, links of another kind.
-- Nothing fails, the slowest sets the pace. So the difference is a note, unless the bundle shows what it cost.
-- Source: nvidia-smi topo -m (legend: PIX, PXB, PHB, NODE, SYS from near to far).
local NEAR = { PIX = 1, PXB = 2, C2C = 2, PHB = 3, NODE = 4, SYS = 5 }

-- What a host's matrix says, as one text a host; and the facts behind it.
local function shapes(on)
  local hosts, by_host = {}, {}
  local function of(s)
    local key = s.host or s.member
    if not by_host[key] then
      by_host[key] = { key = key, host = s.host, links = {}, facts = {} }
      hosts[#hosts + 1] = by_host[key]
    end
    return by_host[key]
  end
  for _, s in ipairs(on["gpu.nic_link"]) do
    local one = of(s)
    one.links[s.fields.a] = s
    one.facts[#one.facts + 1] = s
  end
  for _, s in ipairs(on["gpu.topology"]) do of(s).whole = s end
  return hosts
end

correlate {
  id    = "topo.drift.matrix",
  group = "job",
  uses  = { "gpu.nic_link", "gpu.topology" },
  reach = { "nccltests.bandwidth", "fr.straggler", "fr.slow_tail" },
  judge = function(case)
    local on, found = case.signals, {}
    local hosts = shapes(on)
    if #hosts < 2 then return {} end
    local cost = #on["nccltests.bandwidth"] + #on["fr.straggler"] + #on["fr.slow_tail"] > 0
    for _, one in ipairs(hosts) do
      local far = {}
      for gpu, s in pairs(one.links) do
        local others, nearer = 0, 0
        for _, other in ipairs(hosts) do
          local o = other ~= one and other.links[gpu]
          if o then
            others = others + 1
            if (NEAR[o.fields.link] or 9) < (NEAR[s.fields.link] or 9) then nearer = nearer + 1 end
          end
        end
        if others > 0 and nearer == others then far[#far + 1] = s end
      end
      local fewer = false
      for _, other in ipairs(hosts) do
        if one.whole and other.whole and (one.whole.fields.nics or 0) < (other.whole.fields.nics or 0) then fewer = other end
      end
      if #far > 0 or fewer then
        local s = far[1]
        found[#found + 1] = { cause = "topo.drift", severity = cost and "warning" or "note", confidence = cost and "likely" or "possible", scope = "host", host = one.host, evidence = #far > 0 and join(far) or { one.whole },
          symptoms = cost and on["nccltests.bandwidth"] or {},
          confidence_why = cost and "the other machines of this job are wired closer, and a measurement of the job is here" or "the machines differ; that it cost anything is not shown",
          summary = s and string.format("%s: the nearest adapter of %s is reached over %s, on the other hosts nearer", one.host or one.key, s.fields.a, s.fields.link)
            or string.format("%s has %d network adapters, %s has %d", one.host or one.key, one.whole.fields.nics or 0, fewer.host or fewer.key, fewer.whole.fields.nics or 0) }
      end
    end
    return found
  end,
}
