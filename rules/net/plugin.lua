-- A topology file that a network plugin sets for its machine type describes all GPUs and NICs of it. A job with fewer of them makes NCCL
-- stop at a node of the file that has no attributes. The file is the plugin's, so is the fault.
-- Sources: aws-ofi-nccl platform-aws.c; NCCL src/graph/xml.h, topo.cc.
signature {
  id      = "plugin.sets_topology",
  stream  = { "nccl", "app" },
  needles = { "NCCL_TOPO_FILE environment variable" },
  pattern = [[NET/OFI .*Setting NCCL_TOPO_FILE environment variable to (?<file>\S+)]],
  fields  = { file = "text" },
  match   = { "NCCL INFO NET/OFI Running on p5.48xlarge platform, Setting NCCL_TOPO_FILE environment variable to /opt/aws-ofi-nccl/share/xml/p5.48xl-topo.xml" },
  ignore  = { "NCCL INFO NCCL_TOPO_FILE set by environment to /opt/topo.xml" },
}
correlate {
  id    = "net.plugin.topology_file",
  group = "job",
  uses  = { "nccl.warn" },
  reach = { "plugin.sets_topology", "app.good_end" },
  judge = function(case)
    local on = case.signals
    local broken = keep(on["nccl.warn"], function(s) return match(s.fields.text, [[Attribute \S+ of node \S+ not found|could not find CPU numa ID|XML|xml]]) end)
    if #broken == 0 or #on["plugin.sets_topology"] == 0 or #on["app.good_end"] > 0 then return {} end
    local s = first(broken)
    return { { cause = "net.plugin", confidence = "likely", scope = "job", host = s.host, rank = s.rank, ranks = s.rank and { s.rank } or nil, evidence = broken,
      confidence_why = "the network plugin set the topology file, and NCCL could not use it",
      summary = string.format("NCCL stops at the topology file that the network plugin set (%s): %s", first(on["plugin.sets_topology"]).fields.file, s.fields.text) } }
  end,
}

-- Hosts that took different networks for one communicator: one found a plugin, and the other goes its own way. Both may drive the same adapters,
-- and yet neither understands what the other sends while they connect. NCCL prints what it takes and compares nothing. Source: NCCL src/plugin/net.cc.
local OWN = [[^(?:IB|Socket)$]]
local function open_groups(on)
  local groups = {}
  for _, starts in ipairs(group_by(on["nccl.init_start"], function(s) return s.fields.commid end)) do
    local id = starts[1].fields.commid
    local done = keep(on["nccl.init_complete"], function(c) return c.fields.commid == id end)
    if id and #done == 0 then groups[#groups + 1] = starts end
  end
  return groups
end
correlate {
  id    = "net.plugin.differs",
  group = "job",
  uses  = { "nccl.network" },
  reach = { "nccl.init_start", "nccl.init_complete", "app.progress", "app.good_end", "nccl.warn" },
  judge = function(case)
    local on = case.signals
    local used = keep(on["nccl.network"], function(s) return s.host ~= nil end)
    local plugged = keep(used, function(s) return match(s.fields.network, OWN) == nil end)
    local bare = keep(used, function(s) return match(s.fields.network, OWN) ~= nil and #keep(plugged, function(p) return p.host == s.host end) == 0 end)
    if #plugged == 0 or #bare == 0 or #on["app.progress"] + #on["app.good_end"] > 0 then return {} end
    for _, starts in ipairs(open_groups(on)) do
      local function is_in(s) return #keep(starts, function(b) return b.host == s.host end) > 0 end
      local one, other = first(keep(bare, is_in)), first(keep(plugged, is_in))
      if one and other then
        return { { cause = "net.plugin", confidence = "likely", scope = "host", host = one.host, evidence = { one, other }, ranks = {},
          confidence_why = "the communicator began on both hosts, no rank finished it, and their networks do not speak to each other" .. (#on["nccl.warn"] > 0 and "; NCCL warned of more" or ""),
          summary = string.format("%s uses NCCL's own network (%s), %s that of a plugin (%s): they cannot connect", one.host, one.fields.network, other.host, other.fields.network),
          facts = { network = one.fields.network, other = other.fields.network } } }
      end
    end
    return {}
  end,
}
