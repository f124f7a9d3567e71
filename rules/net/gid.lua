-- RoCE addresses: a GID index that is forced by NCCL_IB_GID_INDEX must name a RoCE v2 entry with an IPv4-mapped address. A link-local
-- entry (fe80::) is not routed, an entry of version 1 speaks another protocol: the queue pair then times out.
-- Sources: show_gids of Mellanox OFED, NCCL src/transport/net_ib and misc/ibvwrap.
signature {
  id      = "net.gid_forced",
  stream  = "nccl",
  needles = { "NCCL_IB_GID_INDEX set" },
  pattern = [[NCCL_IB_GID_INDEX set (?:by environment )?to (?<index>\d+)]],
  fields  = { index = "int" },
  match   = { "roce-a1:3312:3390 [0] NCCL INFO NCCL_IB_GID_INDEX set by environment to 1." },
  ignore  = { "NCCL INFO NCCL_IB_TC set by environment to 106." },
  tells   = "the GID index is forced to {index}",
}
signature {
  id      = "net.modify_qp_failed",
  stream  = "nccl",
  needles = { "ibv_modify_qp failed" },
  pattern = [[Call to ibv_modify_qp failed with (?:error )?(?<text>[A-Za-z ]+|\d+ [A-Za-z ]+)]],
  fields  = { text = "text" },
  match   = { "roce-a1:3312:3401 [0] misc/ibvwrap.cc:257 NCCL WARN Call to ibv_modify_qp failed with error Connection timed out" },
  ignore  = { "NCCL WARN Call to ibv_reg_mr failed" },
  tells   = "a queue pair cannot be connected: {text}",
}

correlate {
  id    = "net.gid_index",
  group = "host",
  uses  = { "net.modify_qp_failed", "net.gid_forced" },
  reach = { "net.gid", "app.nccl_init_failed" },
  judge = function(case)
    local on = case.signals
    local failed, forced = on["net.modify_qp_failed"], on["net.gid_forced"]
    if #failed == 0 then return {} end
    local table_of = keep(on["net.gid"], function(s) return s.host == case.host or s.host == nil end)
    local index = #forced > 0 and forced[1].fields.index or nil
    local chosen = keep(table_of, function(s) return s.fields.index == index end)
    local good = keep(table_of, function(s) return s.fields.version == "v2" and s.fields.ipv4 ~= nil end)
    local wrong = keep(chosen, function(s) return s.fields.version == "v1" or match(s.fields.gid, [[^fe80]]) ~= nil end)
    local proven = #wrong > 0 and #good > 0
    local note = index and not proven and { cause = "net.gid_or_pkey", severity = "note", confidence = "possible", scope = "host", evidence = forced,
      confidence_why = "the setting is in force; the table of GIDs that would judge it is not here", summary = string.format("NCCL_IB_GID_INDEX is forced to %d", index) } or nil
    return { {
      cause = "net.gid_or_pkey", confidence = proven and "certain" or "likely", scope = "host",
      evidence = proven and join(forced, wrong, failed) or failed, symptoms = on["app.nccl_init_failed"],
      confidence_why = proven and "the forced index names an address that is not routed, and another entry would be" or "a queue pair could not be connected: wrong GID, P_Key, MTU, or no route",
      summary = proven and string.format("NCCL_IB_GID_INDEX=%d is %s; index %d (RoCE v2, %s) would be routed", index,
          match(wrong[1].fields.gid, [[^fe80]]) and "a link-local GID" or "a RoCE v1 GID", good[1].fields.index, good[1].fields.ipv4)
        or string.format("A queue pair cannot be connected (%s)", first(failed).fields.text),
      facts = { index = index, text = first(failed).fields.text },
    }, note }
  end,
}

-- Two ends with different MTU: a queue pair takes the smaller one only where both know; a switch or a port left at its default shows as a
-- failed transition to RTR, or as retries without an answer.
correlate {
  id    = "net.mtu_mismatch",
  group = "job",
  uses  = { "net.port" },
  reach = { "net.modify_qp_failed", "net.nccl_completion", "ucx.completion" },
  judge = function(case)
    local on = case.signals
    local hurt = join(on["net.modify_qp_failed"], on["net.nccl_completion"], on["ucx.completion"])
    local ports = keep(on["net.port"], function(s) return s.fields.mtu ~= nil and s.fields.state == "active" and s.host ~= nil end)
    local found = {}
    if #hurt == 0 then return found end
    for _, s in ipairs(ports) do
      local others = keep(ports, function(o) return o.host ~= s.host and o.fields.device == s.fields.device and o.fields.layer == s.fields.layer end)
      local larger = keep(others, function(o) return o.fields.mtu > s.fields.mtu end)
      -- the odd one is the smaller one, where the others have more
      if #larger > 0 and #larger == #others then
        found[#found + 1] = { cause = "net.gid_or_pkey", confidence = "likely", scope = "host", host = s.host, evidence = { s }, symptoms = hurt,
          confidence_why = "the same adapter has another MTU on the other hosts, and queue pairs fail",
          summary = string.format("%s uses an MTU of %d on %s, and %d on %s", s.fields.device or "an adapter", s.fields.mtu, s.host, larger[1].fields.mtu, larger[1].host),
          facts = { device = s.fields.device, mtu = s.fields.mtu, other_mtu = larger[1].fields.mtu } }
      end
    end
    return found
  end,
}
