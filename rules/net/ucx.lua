-- What UCX, Open MPI and MVAPICH say of RDMA. The same two failures that NCCL tells in its own words: memory that may not be locked,
-- and a queue pair whose peer does not answer. A completion error names the first half of a broken path, not the broken half.
-- Sources: UCX src/uct/ib/base/ib_log.c, src/uct/ib/mlx5/ib_mlx5_log.c, ucp_context.c; Open MPI btl/openib help texts; MVAPICH2 rdma_iba_init.
signature {
  id      = "ucx.completion",
  stream  = { "app", "nccl", "slurm" },
  needles = { " (synd 0x" },
  pattern = [[(?<text>[A-Z][A-Za-z -]{4,60}?) on (?<device>[\w.-]+):(?<port>\d+)/(?<layer>IB|RoCE) \(synd 0x(?<synd>[0-9a-f]+) vend 0x(?<vendor>[0-9a-f]+)]],
  fields  = { text = "text", device = "text", port = "int", layer = "text", synd = "hex", vendor = "hex" },
  fold    = { "device", "synd" },
  match   = { "[cn101:2881 :0:2881] ib_mlx5_log.c:177  Transport retry count exceeded on mlx5_0:1/IB (synd 0x15 vend 0x81 hw_synd 0/0)",
              "[gx7:91:0:91] ib_mlx5_log.c:171  Remote access error on mlx5_2:1/RoCE (synd 0x13 vend 0x88 hw_synd 0/0)" },
  ignore  = { "RC QP 0x1aab wqe[1512]: RDMA_READ s-- [rva 0x7f1b2c rkey 0x20112] [va 0x2b31 len 65536 lkey 0x3011]" },
  tells   = "{text} on {device}",
}
signature {
  id      = "ucx.no_memory",
  stream  = { "app", "nccl", "slurm" },
  needles = { "failed: Cannot allocate memory", "failed to initialize while trying to allocate some locked memory", "cannot create cq", "registering send/recv buffers" },
  pattern = [[(?:(?<device>[\w.-]+): )?(?<call>ibv_\w+)\([^)]*\) failed: Cannot allocate memory(?:.*?\(current: (?<limit>unlimited|\d+)(?: kbytes)?\))?|failed to initialize while trying to allocate some locked memory|rdma_iba_hca_init\(\d+\)\.*: (?<call>cannot create cq)]],
  fields  = { device = "text", call = "text", limit = "text" },
  fold    = { "call" },
  match   = { "[1653412093.473099] [cn021:1188443:0]  ib_log.c:246  UCX  ERROR mlx5_0: ibv_create_cq(cqe=4096) failed: Cannot allocate memory. Please set max locked memory (ulimit -l) to 'unlimited' (current: 64 kbytes)",
              "UCX  ERROR ibv_reg_mr(address=0x7f21c0000000, length=1048576, access=0xf) failed: Cannot allocate memory",
              "The OpenFabrics (openib) BTL failed to initialize while trying to allocate some locked memory.", "rdma_iba_hca_init(1636)..: cannot create cq" },
  ignore  = { "NCCL WARN Call to ibv_create_cq failed with error Cannot allocate memory", "mmap failed: Cannot allocate memory" },
  tells   = "RDMA memory cannot be locked",
}
signature {
  id      = "ucx.no_device",
  stream  = { "app", "nccl", "slurm" },
  needles = { "is not available, please use one or more of" },
  pattern = [[network devices? (?<devices>'[^']+'(?:, *'[^']+')*) (?:is|are) not available, please use one or more of:? ?(?<there>.{0,200})]],
  fields  = { devices = "text", there = "text" },
  fold    = { "devices" },
  match   = { "ucp_context.c:1031 UCX  WARN  network device 'mlx5_9:1' is not available, please use one or more of: 'eth0'(tcp), 'lo'(tcp), 'mlx5_0:1'(ib)" },
  ignore  = { "UCX  WARN  transport 'rc' is not available, please use one or more of: posix, self" },
  tells   = "UCX is told to use {devices}, which is not there",
}

correlate {
  id    = "ucx.completion",
  group = "host",
  uses  = { "ucx.completion" },
  reach = { "app.good_end", "srun.ended", "mpi.exit" },
  judge = function(case)
    local on = case.signals
    local first_said = first(on["ucx.completion"])
    local f = first_said.fields
    -- flushed requests follow from the first one that failed
    local real = keep(on["ucx.completion"], function(s) return s.fields.synd ~= 5 end)
    if #real == 0 then return {} end
    local calm = #on["app.good_end"] > 0
    local ended = join(on["srun.ended"], on["mpi.exit"])
    local rank = first_said.rank or (#ended > 0 and first(ended).rank) or nil
    return { { cause = "net.ib_transport_error", severity = calm and "note" or "error", confidence = "certain", scope = "host", evidence = real, rank = rank, ranks = rank and { rank } or nil,
      symptoms = calm and {} or ended, confidence_why = "the adapter's own completion status, as UCX prints it",
      summary = string.format("%s on %s (syndrome 0x%x)", first(real).fields.text, f.device, first(real).fields.synd or 0),
      facts = { device = f.device, syndrome = f.synd } } }
  end,
}
correlate {
  id    = "ucx.no_memory",
  group = "host",
  uses  = { "ucx.no_memory" },
  reach = { "host.limits", "host.memlock", "app.good_end" },
  judge = function(case)
    local on = case.signals
    local said = on["ucx.no_memory"]
    local told = keep(said, function(s) return s.fields.limit ~= nil end)
    local low = keep(on["host.limits"], function(s) return s.fields.memlock_kib ~= nil end)
    local free = #keep(told, function(s) return s.fields.limit == "unlimited" end) > 0
      or (#told == 0 and #low == 0 and #keep(on["host.memlock"], function(s) return s.fields.limit == "unlimited" end) > 0)
    local cause = free and "host.pin_failed" or "host.memlock_limit"
    local limit = #told > 0 and told[1].fields.limit .. " KiB" or #low > 0 and size_text(low[1].fields.memlock_kib) or nil
    return { { cause = cause, severity = #on["app.good_end"] > 0 and "note" or "error", confidence = (#told + #low > 0) and "certain" or "likely", scope = "host", evidence = said, symptoms = free and {} or low,
      confidence_why = free and "memory could not be locked although nothing limits it" or (limit and "errno ENOMEM, and the limit is said" or "errno ENOMEM of a call that locks memory"),
      summary = string.format("%s: locked memory cannot be had%s", first(said).fields.call or "RDMA set-up", free and " although the limit is unlimited" or limit and " (limit " .. limit .. ")" or "") } }
  end,
}
correlate {
  id    = "ucx.no_device",
  group = "host",
  uses  = { "ucx.no_device" },
  reach = { "app.good_end", "app.progress" },
  judge = function(case)
    local on = case.signals
    local f = first(on["ucx.no_device"]).fields
    local calm = #on["app.good_end"] + #on["app.progress"] > 0
    return { { cause = "net.no_interface", severity = calm and "note" or "error", confidence = "likely", scope = "host", evidence = on["ucx.no_device"],
      confidence_why = "UCX_NET_DEVICES names a device that UCX does not find", summary = string.format("UCX should use %s, which is not there (it finds %s)", f.devices, f.there or "nothing") } }
  end,
}
-- UCX over TCP takes any interface unless it is told which: a peer then offers an address that only its own host knows. Source: ucs/sys/sock.c.
signature {
  id      = "ucx.connect_failed",
  stream  = { "app", "nccl", "slurm" },
  needles = { "dest_addr=" },
  pattern = [[UCX +(?:ERROR|DIAG|WARN) +connect\(fd=\d+, dest_addr=(?<address>\[?[0-9a-fA-F.:]+?\]?):(?<port>\d+)\) failed: (?<text>.+)]],
  fields  = { address = "text", port = "int", text = "text" },
  fold    = { "address", "text" },
  match   = { "[1767225600.101010] [gx7:91:0]  sock.c:323  UCX  ERROR connect(fd=61, dest_addr=10.3.0.9:40113) failed: No route to host" },
  ignore  = { "UCX  DEBUG connect(fd=61, src_addr=10.3.0.8:2 dest_addr=10.3.0.9:40113): success" },
  tells   = "UCX cannot connect to {address}: {text}",
}
correlate {
  id    = "ucx.connect_failed",
  group = "job",
  uses  = { "ucx.connect_failed" },
  reach = { "app.good_end", "app.progress" },
  judge = function(case)
    local on = case.signals
    local said = on["ucx.connect_failed"]
    local own = keep(said, function(s) return match(s.fields.address, [=[^(?:127\.|169\.254\.|172\.17\.|\[?fe80:|\[?::1)]=]) ~= nil end)
    local s = first(#own > 0 and own or said)
    local calm = #on["app.good_end"] > 0 or #keep(on["app.progress"], function(p) return p.member == s.member and p.line > s.line end) > 0
    return { { cause = #own > 0 and "net.wrong_interface" or "net.bootstrap_unreachable", severity = calm and "note" or "error", confidence = "likely", scope = "job", host = s.host, ranks = {},
      evidence = #own > 0 and own or said,
      confidence_why = #own > 0 and "a peer offers an address that is valid on its own host only" or "UCX's own words of a connection that was not made",
      summary = string.format("UCX tried to reach a peer at %s: %s%s", s.fields.address, s.fields.text, #own > 0 and ", and no other host has that address" or ""),
      facts = { address = s.fields.address, port = s.fields.port } } }
  end,
}
