-- Counters of ports, looked at twice. A number that is not zero says nothing, for it counts since the machine or the port was reset, maybe for months; that it
-- grew between two looks does. Counters only grow, so the smaller number is the earlier look, whatever the files are called.
-- Sources: perfquery, ethtool -S (mlx5), sysfs ports/N/counters and hw_counters, ip -s link.
local LINK = { "symbol_errors", "link_recoveries", "link_downs", "receive_errors", "transmit_errors", "integrity_errors", "buffer_overruns", "crc_errors", "pcs_symbol_errors",
               "module_unplugs", "module_bus_stuck", "carrier_errors" }
local FLOW = { "ack_timeouts", "out_of_sequence", "sequence_errors", "rnr_retries", "receive_discards", "transmit_discards", "priority_discards", "out_of_buffer", "request_errors",
               "unanswered_commands", "unresponsive_peers", "response_errors", "receive_dropped", "transmit_dropped", "receive_missed" }
local DOWN = { link_downs = true, link_recoveries = true, module_unplugs = true }
local WORDS = { link_downs = "went down %d times", link_recoveries = "recovered its link %d times", symbol_errors = "%d symbol errors", ack_timeouts = "%d acknowledge time-outs",
                out_of_sequence = "%d packets out of sequence", priority_discards = "%d packets of a lossless priority dropped", receive_discards = "%d packets dropped on arrival",
                transmit_discards = "%d packets dropped on sending" }

local function key_of(s)
  local name = s.fields.device or s.fields.interface or (s.fields.lid and "lid " .. s.fields.lid)
  if name == nil or (s.host == nil and s.member == nil) then return nil end
  return string.format("%s/%s/%s", s.host or s.member, name, s.fields.port or "")
end

-- { counter = how much it grew }, the two looks with the largest growth, and its text.
local function growth(looks, names)
  local grown, text, low, high, most = {}, {}, nil, nil, 0
  for _, name in ipairs(names) do
    local least, top
    for _, s in ipairs(looks) do
      local n = s.fields[name]
      if n ~= nil and (least == nil or n < least.fields[name]) then least = s end
      if n ~= nil and (top == nil or n > top.fields[name]) then top = s end
    end
    if least and top.fields[name] > least.fields[name] then
      grown[name] = top.fields[name] - least.fields[name]
      text[#text + 1] = string.format(WORDS[name] or "%d " .. table.concat(string.split(name, "_"), " "), grown[name])
      if grown[name] > most then low, high, most = least, top, grown[name] end
    end
  end
  return grown, text, low, high
end

correlate {
  id    = "net.counters.rise",
  group = "job",
  uses  = { "net.counters", "net.interface" },
  reach = { "net.nccl_completion", "net.nccl_port_event", "ucx.completion", "app.good_end" },
  judge = function(case)
    local on, found = case.signals, {}
    local complaints = join(on["net.nccl_completion"], on["net.nccl_port_event"], on["ucx.completion"])
    for _, looks in ipairs(group_by(join(on["net.counters"], on["net.interface"]), key_of)) do
      local link, link_text, low, high = growth(looks, LINK)
      local flow, flow_text, low2, high2 = growth(looks, FLOW)
      local down = false
      for name in pairs(link) do down = down or DOWN[name] or false end
      local host, name = looks[1].host, looks[1].fields.device or looks[1].fields.interface or "a port"
      local hurt = keep(complaints, function(c) return c.host == nil or host == nil or c.host == host end)
      if #link_text + #flow_text > 0 then
        local told = #hurt > 0 and #on["app.good_end"] == 0
        found[#found + 1] = { cause = down and "net.ib_link_down" or "net.ib_transport_error", severity = told and (down and "error" or "warning") or "note",
          confidence = told and down and "likely" or "possible", scope = "host", host = host,
          evidence = join(low and { low, high } or {}, low2 and { low2, high2 } or {}), symptoms = told and hurt or {},
          confidence_why = told and "the counters grew between two looks, and the job complains of RDMA" or "the counters grew between two looks; that the job felt it is not shown",
          summary = string.format("%s%s, between two looks: %s", name, host and " of " .. host or "", table.concat(#link_text > 0 and link_text or flow_text, ", ")),
          facts = { downs = link.link_downs, symbol_errors = link.symbol_errors, discards = flow.priority_discards or flow.receive_discards, timeouts = flow.ack_timeouts } }
      end
    end
    return found
  end,
}

-- Those of list, all of which have the field, with its least and its greatest value; of equal ones the first.
local function extremes(list, field)
  local least, most = list[1], list[1]
  for _, s in ipairs(list) do
    if s.fields[field] < least.fields[field] then least = s end
    if s.fields[field] > most.fields[field] then most = s end
  end
  return least, most
end

-- The interface that NCCL took has no other end, or another MTU or speed than on the other hosts: packets above the smaller MTU vanish, small
-- ones pass.
correlate {
  id    = "net.interface.used",
  group = "job",
  uses  = { "net.interface" },
  reach = { "nccl.bootstrap_using", "net.nccl_completion", "app.nccl_init_failed", "app.good_end", "net.netdev", "nccl.ib_using" },
  judge = function(case)
    local on, found = case.signals, {}
    local failed = #on["app.good_end"] == 0 and join(on["net.nccl_completion"], on["app.nccl_init_failed"]) or {}
    local used = {}
    for _, s in ipairs(on["nccl.bootstrap_using"]) do used[s.fields.interface or ""] = true end
    -- the interface behind an adapter of RoCE counts as used
    if #on["nccl.ib_using"] > 0 then
      for _, s in ipairs(on["net.netdev"]) do used[s.fields.interface or ""] = true end
    end
    local taken = keep(on["net.interface"], function(s) return used[s.fields.interface] and s.host ~= nil and s.fields.up ~= 0 end)
    local mine = keep(taken, function(s) return s.fields.mtu ~= nil and s.fields.up == 1 end)
    for _, same in ipairs(group_by(mine, function(s) return s.fields.interface end)) do
      local least, most = extremes(same, "mtu")
      if least.fields.mtu < most.fields.mtu and least.host ~= most.host then
        found[#found + 1] = { cause = "net.gid_or_pkey", severity = #failed > 0 and "warning" or "note", confidence = "possible", scope = "host", host = least.host, evidence = { least, most },
          symptoms = failed, confidence_why = "the interface that the job uses has two sizes of packets; whether what lies between joins them is not seen",
          summary = string.format("%s has an MTU of %d on %s, and %d on %s", least.fields.interface, least.fields.mtu, least.host, most.fields.mtu, most.host),
          facts = { interface = least.fields.interface, mtu = least.fields.mtu, other_mtu = most.fields.mtu } }
      end
    end
    -- ip and ethtool say the same of one interface: it is told once
    for _, same in ipairs(group_by(keep(taken, function(x) return x.fields.carrier == 0 end), function(s) return s.host .. "/" .. s.fields.interface end)) do
      local s = first(same)
      found[#found + 1] = { cause = "net.ib_link_down", severity = #failed > 0 and "error" or "note", confidence = "possible", scope = "host", host = s.host, evidence = same, symptoms = failed,
        confidence_why = "the interface that the job uses has no other end now; when it lost it is not in it",
        summary = string.format("%s of %s has no carrier", s.fields.interface, s.host) }
    end
    -- a link that came up slower than that of the others: a bad cable or module does that
    local rated = keep(taken, function(s) return (s.fields.speed_mbps or 0) > 0 end)
    for _, same in ipairs(group_by(rated, function(s) return s.fields.interface end)) do
      local least, most = extremes(same, "speed_mbps")
      if least.fields.speed_mbps < most.fields.speed_mbps and least.host ~= most.host then
        found[#found + 1] = { cause = "topo.drift", severity = "note", confidence = "possible", scope = "host", host = least.host, evidence = { least, most },
          confidence_why = "the interface that the job uses has two speeds; that the job was slow for it is not shown",
          summary = string.format("%s runs at %d Gbit/s on %s, and at %d on %s", least.fields.interface, least.fields.speed_mbps // 1000, least.host, most.fields.speed_mbps // 1000, most.host),
          facts = { interface = least.fields.interface, speed_mbps = least.fields.speed_mbps, other_speed_mbps = most.fields.speed_mbps } }
      end
    end
    return found
  end,
}

-- A process of the job that waits for an answer to its first packet. One look: a connection is in this state for a moment each time.
correlate {
  id    = "net.sockets.unanswered",
  group = "host",
  uses  = { "net.socket" },
  reach = { "app.progress", "app.good_end", "app.start", "nccl.bootstrap_using" },
  judge = function(case)
    local on = case.signals
    local asking = keep(on["net.socket"], function(s) return s.fields.state == "syn-sent" and match(s.fields.process or "", [[(?i)python|torch|nccl|mpi|pt_main]]) ~= nil end)
    local peers = distinct(asking, "peer")
    if #asking == 0 or #on["app.progress"] > 0 or #on["app.good_end"] > 0 then return {} end
    -- without the job's own output nobody can say that it never got on
    local seen = #on["app.start"] + #on["nccl.bootstrap_using"] > 0
    return { { cause = "net.bootstrap_unreachable", severity = seen and "warning" or "note", confidence = seen and #asking > 1 and "likely" or "possible", scope = "host", evidence = asking,
      confidence_why = "a process of the job gets no answer to its first packet, and the job never got on: a firewall, a wrong address, or nobody there",
      summary = string.format("%d connection%s of %s get%s no answer (SYN-SENT) from %s", #asking, #asking == 1 and "" or "s", asking[1].fields.process or "?", #asking == 1 and "s" or "",
        peers[1] or "?"), facts = { peer = peers[1], peers = #peers } } }
  end,
}
