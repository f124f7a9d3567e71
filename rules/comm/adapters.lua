-- RDMA adapters that each process opened. Ranks of one job with different lists place channels on adapters that the other side has not got;
-- NCCL 2.27 and later says so, unless it is told to ignore it, and then waits for ever.
-- Source: NCCL src/transport/net_ib/init.cc, src/init.cc.
signature {
  id      = "nccl.ib_using",
  stream  = { "nccl", "app" },
  needles = { "NET/IB : Using [" },
  pattern = [[NCCL INFO NET/IB : Using (?<list>\[0\]\S+(?: \[\d+\]\S+)*)]],
  fields  = { list = "text" },
  match   = { "NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [RO]; OOB eth0:10.0.0.1<0>" },
  ignore  = { "NCCL INFO NET/IB : Using [RO]; OOB eth0:10.0.0.1<0>" },
}
signature {
  id      = "nccl.ib_not_opened",
  stream  = { "nccl", "app" },
  needles = { "Unable to open device" },
  pattern = [[NCCL (?:WARN|INFO) NET/IB ?: Unable to open device (?<device>\S+)]],
  fields  = { device = "text" },
  match   = { "NCCL WARN NET/IB : Unable to open device erdma_1" },
  ignore  = { "NCCL INFO NET/IB : No device found." },
}

local function size(list)
  local n, rest = 0, list
  for _ in pairs(string.split(list, "[")) do n = n + 1 end
  return n - 1
end

correlate {
  id    = "topo.drift.adapters",
  group = "job",
  uses  = { "nccl.ib_using" },
  reach = { "nccl.ib_not_opened", "nccl.env", "app.progress", "app.good_end", "torch.watchdog_timeout", "gpu.samples", "app.nccl_error" },
  judge = function(case)
    local on = case.signals
    local used = on["nccl.ib_using"]
    local most, least
    for _, s in ipairs(used) do
      local n = size(s.fields.list)
      if not most or n > size(most.fields.list) then most = s end
      if not least or n < size(least.fields.list) then least = s end
    end
    if not most or size(most.fields.list) == size(least.fields.list) or most.host == least.host then return {} end
    local unopened = keep(on["nccl.ib_not_opened"], function(s) return s.host == least.host end)
    local ignored = keep(on["nccl.env"], function(s) return s.fields.variable == "NCCL_IGNORE_NET_MISMATCH" and s.fields.value ~= "0" end)
    local busy = keep(on["gpu.samples"], function(s) return (s.fields.utilization_min or 0) >= 95 and (s.fields.rows or 0) >= 5 end)
    local hurt = #on["torch.watchdog_timeout"] + #on["app.nccl_error"] + #busy > 0
    local fine = #on["app.good_end"] > 0 or (#on["app.progress"] > 0 and not hurt)
    return { { cause = "topo.drift", severity = (fine or not (hurt or #ignored > 0)) and "note" or "error", confidence = #ignored > 0 and "likely" or "possible", scope = "host",
      host = least.host, rank = least.rank, ranks = least.rank and { least.rank } or nil, evidence = #unopened > 0 and join(unopened, { least, most }) or { least, most },
      confidence_why = #ignored > 0 and "the adapters differ, and NCCL_IGNORE_NET_MISMATCH silences the check" or "the adapters differ between hosts",
      summary = string.format("%s opened %d RDMA adapter%s, %s %d%s", least.host or "one host", size(least.fields.list), size(least.fields.list) == 1 and "" or "s", most.host or "another", size(most.fields.list),
        #unopened > 0 and "; it could not open " .. unopened[1].fields.device or "") } }
  end,
}
