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
