-- Tables of the kernel that are full: connection tracking and neighbours (ARP). From then on the node drops new connections, and
-- programs see time-outs and "No route to host". The kernel prints it rate-limited, so its count is a lower bound, and it prints it
-- for neighbours of any pod; it stands for a failure only beside somebody who could not connect.
-- Sources: kernel net/netfilter/nf_conntrack_core.c, net/core/neighbour.c.
signature {
  id      = "kernel.table_full",
  stream  = "kernel",
  needles = { "table full, dropping packet", "neighbor table overflow", "eighbour table overflow" },
  pattern = [[^(?:(?:nf_conntrack|ip_conntrack): )+(?<table>table full), dropping packet|^(?:neighbour: )?(?:arp_cache|ndisc_cache): (?<table>neighbou?r table overflow)|^(?<table>Neighbour table overflow)]],
  fields  = { table = "text" },
  fold    = { "table" },
  match   = { "nf_conntrack: nf_conntrack: table full, dropping packet", "nf_conntrack: table full, dropping packet.", "neighbour: arp_cache: neighbor table overflow!" },
  ignore  = { "nf_conntrack version 0.5.0 (262144 buckets, 1048576 max)", "net_ratelimit: 5988 callbacks suppressed" },
  tells   = "a table of the kernel is full: {table}",
}

correlate {
  id    = "net.table_full",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.table_full" },
  reach = { "torch.store_unreachable", "torch.store_waited", "nccl.warn", "nccl.connect_retry", "app.traceback", "app.good_end" },
  judge = function(case)
    local on = case.signals
    local full = on["kernel.table_full"]
    if #on["app.good_end"] > 0 then return {} end
    local NO_WAY = [[Connection timed out|No route to host|timed out after|ETIMEDOUT|EHOSTUNREACH]]
    local hurt = keep(join(on["torch.store_unreachable"], on["torch.store_waited"], on["nccl.connect_retry"],
      keep(on["nccl.warn"], function(s) return match(s.fields.text, NO_WAY) ~= nil end),
      keep(on["app.traceback"], function(s) return match(s.fields.message or "", NO_WAY) ~= nil end)), function(s)
      return order(first(full), s) ~= "after" and is_near(first(full), s, hours(1))
    end)
    local neighbours = match(first(full).fields.table, [[(?i)neighbou?r]]) ~= nil
    return { { cause = "net.bootstrap_unreachable", severity = #hurt > 0 and "critical" or "note", confidence = "likely", scope = "host", ranks = {}, evidence = full, symptoms = hurt,
      confidence_why = #hurt > 0 and "the kernel drops new connections, and the job cannot make any" or "the kernel drops new connections; that the job felt it is not shown",
      summary = neighbours and string.format("The neighbour (ARP) table of %s is full: some peers cannot be reached (net.ipv4.neigh.default.gc_thresh3)", case.host or "a host")
        or string.format("The connection-tracking table of %s is full: new connections are dropped (net.netfilter.nf_conntrack_max)", case.host or "a host"),
      facts = { table = first(full).fields.table } } }
  end,
}
