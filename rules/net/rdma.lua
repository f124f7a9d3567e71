-- RDMA that somebody promised and nobody has. A node label or a device plugin is control-plane text; the proof is the device.
-- Without it one node still works and several fall back to sockets, so this is a side note unless its cost is shown.
-- Sources: NCCL src/transport/net_ib ("No device found"), NFD label names, coreutils ls.
signature {
  id = "nccl.ib_no_device", stream = "nccl", needles = { "NET/IB : No device found" },
  pattern = [[NCCL INFO NET/IB : No device found]], fold = {},
  match = { "NCCL INFO NET/IB : No device found." }, ignore = { "NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [RO]; OOB eth0:10.0.0.1<0>" },
}
signature {
  id = "nccl.network", stream = "nccl", needles = { "Using network " },
  pattern = [[NCCL INFO Using network (?<network>\S.*)$]], fields = { network = "text" }, fold = { "network" },
  match = { "NCCL INFO Using network Socket" }, ignore = { "NCCL INFO NET/Socket : Using [0]eth0:10.61.7.33<0>" },
}
signature {
  id = "host.no_infiniband", stream = { "net", "host", "app" }, needles = { "/dev/infiniband", "/sys/class/infiniband" },
  pattern = [[cannot access '?(?<path>/dev/infiniband|/sys/class/infiniband)[^':]*'?: No such file]], fields = { path = "text" },
  match = { "ls: cannot access '/dev/infiniband': No such file or directory" }, ignore = { "crw-rw-rw- 1 root root 231, 192 /dev/infiniband/uverbs0" },
}
correlate {
  id    = "net.rdma_absent.note",
  group = "job",
  uses  = { "k8s.node_label", "nccl.ib_no_device", "host.no_infiniband" },
  judge = function(case)
    local on = case.signals
    local promised = keep(on["k8s.node_label"], function(s)
      return s.fields.rdma == 1 and s.fields.value ~= "false" and s.fields.value ~= "0"
    end)
    local absent = join(on["host.no_infiniband"], on["nccl.ib_no_device"])
    if #promised == 0 or #absent == 0 then return {} end
    return { { cause = "net.rdma_absent", severity = "note", confidence = "likely", scope = "host", evidence = { first(promised), first(absent) },
      confidence_why = "a label promises RDMA, and no device was found",
      summary = string.format("The node label %s=%s promises RDMA, but " .. (#on["host.no_infiniband"] > 0 and "no RDMA device is there" or "NCCL found none that it can use") .. "; on one node this costs nothing, several nodes fall back to sockets",
        first(promised).fields.label or "?", first(promised).fields.value or "?"),
      facts = { contradicts = #on["host.no_infiniband"] > 0 and "the label promises RDMA, the machine has no device" or "the label promises RDMA, and NCCL found no device that it can use" } } }
  end,
}

-- The plugin that offers RDMA to the cluster finds no card it may offer. On machines without one it says so every day: somebody must have wanted it.
-- Source: Mellanox k8s-rdma-shared-dev-plugin, resources_manager.go.
signature {
  id      = "k8s.rdma_plugin_empty",
  stream  = { "k8s", "app", "host" },
  needles = { "creating empty resource server for", "DiscoverHostDevices(): no PCI network device found" },
  pattern = [[(?<text>no devices in device pool, creating empty resource server) for (?<resource>\S+)|(?<text>DiscoverHostDevices\(\): no PCI network device found)]],
  fields  = { text = "text", resource = "text" },
  fold    = { "resource" },
  match   = { "Warning: no devices in device pool, creating empty resource server for hca_shared_devices_a", "DiscoverHostDevices(): no PCI network device found" },
  ignore  = { "exposing \"63\" devices" },
  tells   = "the RDMA device plugin offers nothing: {resource}",
}
correlate {
  id    = "net.rdma_absent.plugin",
  group = "job",
  uses  = { "k8s.rdma_plugin_empty" },
  reach = { "k8s.event", "k8s.pod_condition", "k8s.node_label" },
  judge = function(case)
    local on = case.signals
    local said = on["k8s.rdma_plugin_empty"]
    local resource
    for _, s in ipairs(said) do resource = resource or s.fields.resource end
    local function lacks(text) return match(text or "", [[Insufficient (\S*rdma/[^\s,.]+|\S*hca[^\s,.]*)]]) ~= nil end
    local wanted = join(keep(on["k8s.event"], function(s) return s.fields.reason == "FailedScheduling" and lacks(s.fields.message) end),
      keep(on["k8s.pod_condition"], function(s) return lacks(s.fields.message) end))
    local promised = keep(on["k8s.node_label"], function(s) return s.fields.rdma == 1 and s.fields.of == "node" and s.fields.value ~= "false" and s.fields.value ~= "0" end)
    if #wanted + #promised == 0 then return {} end
    return { { cause = "net.rdma_absent", class = #wanted > 0 and "init" or nil, severity = #wanted > 0 and "error" or "note", confidence = "likely", scope = "host", host = said[1].host, evidence = said, symptoms = wanted,
      confidence_why = #wanted > 0 and "the plugin that offers RDMA to the cluster found no card, and pods that ask for it cannot be placed" or "a label promises RDMA, and the plugin found no card to offer",
      summary = string.format("The RDMA device plugin offers no device%s", resource and " of " .. resource or "") } }
  end,
}

-- What NCCL says when none of the networks that it may use can be had.
local GAVE_UP = [[^(?:Failed to initialize any NET plugin|Error: network \S+ not found)]]

-- ---- what it costs ----
-- What somebody expected, in words beside the measurement: a note, a ticket, a log of an earlier run.
signature {
  id      = "app.bandwidth_expected",
  stream  = "any",
  needles = { "GB/s" },
  pattern = [=[(?i)\b(?:expect(?:ed|s)?|baseline|normally|usually|should (?:be|reach|get)|target|healthy|good (?:pair|node|run)|reference|last (?:week|month)|before the (?:upgrade|update|change|reboot))\b[^|#]{0,120}?(?<gbps>\d+(?:\.\d+)?) ?GB/s]=],
  fields  = { gbps = "float" },
  match   = { "expected all_reduce busbw at 1 GiB on this pair: 92 GB/s (measured 2026-01-10)", "baseline busbw: 180.4 GB/s", "should reach about 45 GB/s per direction" },
  ignore  = { "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)", "Link 0: 26.562 GB/s" },
  tells   = "{gbps} GB/s were expected",
}
local LESS = 1.5 -- times below what was expected: runs differ by tenths

-- { measured, expected, signals } where somebody said what it should be; or two runs of which one is far slower.
local function shortfall(on)
  local measured = keep(on["nccltests.bandwidth"], function(s) return s.fields.busbw and s.fields.busbw > 0 end)
  local expected = keep(on["app.bandwidth_expected"], function(s) return s.fields.gbps > 0 end)
  local worst, best
  for _, s in ipairs(measured) do
    if not worst or s.fields.busbw < worst.fields.busbw then worst = s end
    if not best or s.fields.busbw > best.fields.busbw then best = s end
  end
  if not worst then return nil end
  if #expected > 0 then
    local want = expected[1]
    if want.fields.gbps >= worst.fields.busbw * LESS then return worst, want.fields.gbps, want end
  elseif best ~= worst and best.fields.busbw >= worst.fields.busbw * LESS then
    return worst, best.fields.busbw, best
  end
  return nil
end

correlate {
  id    = "comm.slow.expected",
  group = "job",
  uses  = { "nccltests.bandwidth" },
  reach = { "app.bandwidth_expected" },
  judge = function(case)
    local on = case.signals
    if #on["app.bandwidth_expected"] == 0 then return {} end
    local worst, want, by = shortfall(on)
    if not worst then return {} end
    return { { cause = "comm.slow", confidence = "likely", scope = "job", evidence = { worst }, symptoms = {},
      confidence_why = "a note in the bundle says what the same test should reach", summary = string.format("nccl-tests reached %.1f GB/s of bus bandwidth where %.1f were expected", worst.fields.busbw, want),
      facts = { measured = worst.fields.busbw, expected = want } } }
  end,
}

-- How fast a program says that it runs. Only the same unit is compared.
-- Sources: DeepSpeed ThroughputTimer, Megatron, Hugging Face and TorchVision loops.
signature {
  id      = "app.rate",
  stream  = "app",
  needles = { "SamplesPerSec=", " samples/s", " tokens/s", " images/s", " img/sec" },
  pattern = [[(?<unit>SamplesPerSec)=(?<rate>\d+(?:\.\d+)?)|(?<rate>\d+(?:\.\d+)?) (?<unit>samples/s|tokens/s|images/s|img/sec)]],
  fields  = { rate = "float", unit = "text" },
  fold    = { "unit" },
  match   = { "[2026-01-08 09:12:40,119] [INFO] [timer.py:157:stop] 0/10, SamplesPerSec=1.70", "rank 0: 120 samples/s" },
  ignore  = { "SamplesPerSec is not known", "up to many samples/s" },
}

-- An adapter that is there by name and cannot be opened: a container without /dev/infiniband, or without the right to it. Between hosts the
-- job falls back to sockets, and goes on. It is more than a note where two logs show what that cost.
local COST = 3 -- times
local function rates_of(list, member)
  return first(keep(list, function(s) return s.member == member and s.fields.rate > 0 and s.count >= 3 end))
end
correlate {
  id    = "net.rdma_absent.unopened",
  group = "job",
  uses  = { "nccl.ib_not_opened" },
  reach = { "nccl.ib_no_device", "nccl.network", "host.no_infiniband", "app.rate", "nccltests.bandwidth", "app.bandwidth_expected" },
  judge = function(case)
    local on = case.signals
    local sockets = keep(on["nccl.network"], function(s) return s.fields.network == "Socket" end)
    local said = on["nccl.ib_not_opened"]
    local hosts = distinct(keep(said, function(s) return s.host ~= nil end), "host")
    if #sockets == 0 or #on["nccl.ib_no_device"] == 0 then return {} end
    local worst, want, by = shortfall(on)
    local slow = rates_of(on["app.rate"], sockets[1].member)
    local fast
    for _, s in ipairs(on["app.rate"]) do
      if slow and s.member ~= slow.member and s.fields.unit == slow.fields.unit and s.count >= 3 and s.fields.rate >= slow.fields.rate * COST then fast = fast or s end
    end
    if fast then worst, want, by = slow, fast.fields.rate, fast end
    local is_felt = worst ~= nil and #hosts ~= 1
    return { { cause = "net.rdma_absent", class = "slow", severity = is_felt and "warning" or "note", confidence = is_felt and "likely" or "possible", scope = "host", host = said[1].host, rank = said[1].rank, ranks = said[1].rank and { said[1].rank } or nil,
      evidence = said, symptoms = join(on["host.no_infiniband"], is_felt and { worst, by } or {}),
      confidence_why = is_felt and "the adapter is there by name and cannot be opened, plain sockets are used, and another run was several times as fast" or
        "the adapter is there by name and cannot be opened, and plain sockets are used; that it cost anything is not shown",
      summary = string.format("%s cannot be opened%s: the job runs over TCP%s", said[1].fields.device, #on["host.no_infiniband"] > 0 and " (" .. on["host.no_infiniband"][1].fields.path .. " is not there)" or "",
        is_felt and string.format(", at %.1f where another run has %.1f", fast and slow.fields.rate or worst.fields.busbw, want) or "") } }
  end,
}

-- A plugin that is not there is a choice. One that is there and lacks a library or a symbol of its own was meant to be used; NCCL says so once,
-- at INFO, and goes on without it. Sources: NCCL src/plugin/plugin_open.cc, src/net.cc; glibc dl-load.c, dl-lookup.c.
signature {
  id      = "nccl.plugin_broken",
  stream  = { "nccl", "app" },
  needles = { "cannot open shared object file", "undefined symbol", "not found (required by" },
  pattern = [[NCCL INFO NET/Plugin ?: .*?(?:(?<![\w.+-])(?<library>(?!lib(?:nccl|rccl)-(?:net|tuner))[\w.+-]+\.so[\w.]*): cannot open shared object file|(?<library>[\w./+-]+\.so[\w.]*): undefined symbol: (?<lacks>\S+)|version `(?<lacks>[^']+)' not found \(required by (?<library>[^)]+)\))]],
  fields  = { library = "text", lacks = "text" },
  fold    = { "library", "lacks" },
  match   = { "NCCL INFO NET/Plugin : Plugin load (libnccl-net.so) returned 2 : libfabric.so.1: cannot open shared object file: No such file or directory",
              "NCCL INFO NET/Plugin: Could not find: /opt/hpcx/lib/libnccl-net.so. /opt/hpcx/lib/libnccl-net.so: undefined symbol: ucp_worker_fence",
              "NCCL INFO NET/Plugin: Plugin load returned 2 : /lib64/libc.so.6: version `GLIBC_2.34' not found (required by /opt/ofi/lib/libnccl-net.so) : when loading libnccl-net.so" },
  ignore  = { "NCCL INFO NET/Plugin : Plugin load (libnccl-net.so) returned 2 : libnccl-net.so: cannot open shared object file: No such file or directory",
              "NCCL INFO NET/Plugin : dlerror=libnccl-net.so: cannot open shared object file: No such file or directory No plugin found (libnccl-net.so), using internal implementation",
              "NCCL INFO NET/Plugin: Plugin load returned 2 : librccl-net.so: cannot open shared object file: No such file or directory : when loading librccl-net.so" },
  tells   = "the network plugin cannot be loaded: {library} {lacks}",
}
correlate {
  id    = "net.plugin.broken",
  group = "job",
  uses  = { "nccl.plugin_broken" },
  reach = { "nccl.network", "nccl.warn", "nccltests.bandwidth", "app.bandwidth_expected" },
  judge = function(case)
    local on = case.signals
    local said = on["nccl.plugin_broken"]
    local refused = keep(on["nccl.warn"], function(s) return match(s.fields.text, GAVE_UP) ~= nil end)
    local worst, want
    if #keep(on["nccl.network"], function(s) return s.fields.network == "Socket" end) > 0 then worst, want = shortfall(on) end
    local f, failed = first(said).fields, #refused > 0
    return { { cause = "net.plugin", class = worst and not failed and "slow" or nil, severity = not (failed or worst) and "note" or nil, confidence = (failed or worst) and "likely" or "possible", scope = "job",
      evidence = said, symptoms = failed and refused or worst and { worst } or nil,
      confidence_why = failed and "the plugin was asked for, and what it lacks is named" or worst and "what the plugin lacks is named, plain sockets are used, and the bandwidth is far below what it should be" or
        "what the plugin lacks is named; that its absence cost anything is not shown",
      summary = string.format("The network plugin cannot be loaded: %s%s%s", f.library, f.lacks and " lacks " .. f.lacks or " is not there", worst and string.format("; %.1f GB/s where %.1f were expected", worst.fields.busbw, want) or "") } }
  end,
}

signature {
  id      = "nccl.gdr_off",
  stream  = "nccl",
  needles = { "GPU Direct RDMA Disabled for", "GPU Direct RDMA disabled" },
  pattern = [[NCCL INFO (?:NET/\w+ ?: )?GPU Direct RDMA [Dd]isabled (?:for (?:HCA|GPU) )?(?<hca>\d+)?(?: '(?<device>[^']+)')?]],
  fields  = { hca = "int", device = "text" },
  fold    = { "device" },
  match   = { "h1:25668:27396 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'" },
  ignore  = { "h1:1:2 [0] NCCL INFO NET/IB : GPU Direct RDMA Enabled for HCA 0 'mlx5_0' (distance 3 < 4), read 1 mode Default" },
  tells   = "NCCL copies through host memory: no GPUDirect RDMA to {device}",
}
signature {
  id      = "host.peermem",
  stream  = "any",
  needles = { "nvidia_peermem", "nv_peer_mem", "nvidia-peermem", "dma-buf attach failed: ", "ib_register_peer_memory_client" },
  pattern = [[^(?:nvidia_peermem|nv_peer_mem) +\d+ +\d+|(?<gone>(?:^(?:nvidia_peermem|nv_peer_mem): Unknown symbol ib_register_peer_memory_client|FATAL: Module nvidia-peermem not found|modprobe: ERROR: .*nvidia.peermem|nvidia-peermem \S+ ERROR .*(?:registering|nvidia_p2p_get_pages)|NVRM: (?:GPU \S+ )?dma-buf attach failed: ))]],
  fields  = { gone = "text" },
  match   = { "nvidia_peermem         12288  0", "modprobe: FATAL: Module nvidia-peermem not found in directory /lib/modules/6.8.0",
              "nvidia-peermem nv_dma_map:120 ERROR error -12 while calling nvidia_p2p_get_pages()", "NVRM: dma-buf attach failed: topology not supported for mapping type FORCE_PCIE" },
  ignore  = { "nvidia-peermem nv_get_p2p_free_callback:127 ERROR detected invalid context, skipping further processing",
              "ib_core               491520  9 rdma_cm,ib_ipoib,nvidia_peermem,iw_cm" },
}
correlate {
  id    = "net.gdr_disabled",
  group = "job",
  uses  = { "nccl.gdr_off" },
  reach = { "host.peermem", "host.modules", "nccltests.bandwidth", "app.bandwidth_expected" },
  judge = function(case)
    local on = case.signals
    local said = on["nccl.gdr_off"]
    local worst, want = shortfall(on)
    -- lsmod with its heading: what is not in it is not loaded
    local without = keep(on["host.modules"], function(s)
      return s.fields.nvidia == 1 and s.fields.nvidia_peermem == 0 and s.fields.nv_peer_mem == 0 and (s.host == nil or said[1].host == nil or s.host == said[1].host)
    end)
    local gone = keep(on["host.peermem"], function(s) return s.fields.gone ~= nil end)
    return { { cause = "net.gdr_disabled", severity = worst and "warning" or "note", confidence = worst and "likely" or "possible", scope = "host", host = said[1].host, evidence = join(gone, said),
      symptoms = join(worst and { worst } or {}, without),
      confidence_why = worst and "NCCL says so, and the bandwidth is far below what it should be" or "NCCL says so; that it cost anything is not shown",
      summary = string.format("GPUDirect RDMA is off for %d adapter%s%s%s", #said, #said == 1 and "" or "s", #without > 0 and " (nvidia_peermem is not loaded)" or "", worst and string.format("; %.1f GB/s where %.1f were expected", worst.fields.busbw, want) or ""),
      facts = worst and { measured = worst.fields.busbw, expected = want } or nil } }
  end,
}

-- The kernel's side of GPUDirect RDMA, where NCCL says nothing of it: a note, for NCCL may copy through host memory all the same.
correlate {
  id    = "net.gdr_refused",
  group = "host",
  uses  = { "host.peermem" },
  reach = { "nccl.gdr_off" },
  judge = function(case)
    local gone = keep(case.signals["host.peermem"], function(s) return s.fields.gone ~= nil end)
    if #gone == 0 or #case.signals["nccl.gdr_off"] > 0 then return {} end
    return { { cause = "net.gdr_disabled", severity = "note", confidence = "possible", scope = "host", evidence = gone,
      confidence_why = "a module says so; that a job missed it is not shown", summary = "GPUDirect RDMA could not be set up: " .. gone[1].fields.gone } }
  end,
}

-- libfabric without the adapter that it is told to use: the plugin takes TCP and says so once.
signature {
  id      = "nccl.ofi_provider",
  stream  = { "nccl", "app" },
  needles = { "Selected Provider is", "fi_getinfo() call failed", "provider efa output empty list", "fi_getinfo: -" },
  pattern = [[NET/OFI .*Selected Provider is (?<provider>[\w;_-]+)|(?<absent>NET/OFI .*fi_getinfo\(\) call failed: No data available|provider efa output empty list|^fi_getinfo: -(?:61|\d+))]],
  fields  = { provider = "text", absent = "text" },
  fold    = { "provider", "absent" },
  match   = { "NCCL INFO NET/OFI Selected Provider is tcp (found 1 nics)", "nccl_net_ofi_rdma_init:7978 NCCL WARN NET/OFI OFI fi_getinfo() call failed: No data available",
              "libfabric:85:1747438790::core:core:fi_getinfo_():1392<warn> fi_getinfo: provider efa output empty list" },
  ignore  = { "NCCL INFO NET/OFI Using Libfabric version 1.22" },
  tells   = "libfabric: {provider}{absent}",
}
signature {
  id      = "env.fabric",
  stream  = "any",
  needles = { "FI_PROVIDER", "FI_EFA_USE_DEVICE_RDMA", "NCCL_IB_HCA", "NCCL_NET" },
  pattern = [[\b(?<variable>FI_PROVIDER|FI_EFA_USE_DEVICE_RDMA|NCCL_IB_HCA|NCCL_NET)(?:=| set (?:by environment )?to )"?(?<value>[\w^=:,.;-]*[\w^=:,;-])]],
  fields  = { variable = "text", value = "text" },
  fold    = { "variable", "value" },
  match   = { "export FI_PROVIDER=efa", "NCCL INFO NCCL_IB_HCA set to mlx5", "FI_EFA_USE_DEVICE_RDMA=1", "NCCL INFO NCCL_NET set by environment to IB." },
  ignore  = { "unset FI_PROVIDER" },
}
correlate {
  id    = "net.rdma_absent.fabric",
  group = "job",
  uses  = { "nccl.ofi_provider", "nccl.ib_no_device", "host.no_infiniband" },
  reach = { "env.fabric", "k8s.env", "nccltests.bandwidth", "app.bandwidth_expected", "nccl.network", "app.nccl_error", "nccl.warn" },
  judge = function(case)
    local on = case.signals
    local wanted = keep(join(on["env.fabric"], on["k8s.env"]), function(s)
      local v, value = s.fields.variable, s.fields.value
      return (v == "FI_PROVIDER" and value == "efa") or (v == "FI_EFA_USE_DEVICE_RDMA" and value == "1") or (v == "NCCL_IB_HCA" and match(value, [[^\^]]) == nil) or (v == "NCCL_NET" and match(value, [[^"?(?:IB$|AWS Libfabric)]]) ~= nil)
    end)
    local tcp = keep(on["nccl.ofi_provider"], function(s) return s.fields.absent ~= nil or match(s.fields.provider or "", [[^(?:tcp|sockets)]]) ~= nil end)
    local sockets = keep(on["nccl.network"], function(s) return s.fields.network == "Socket" end)
    local absent = join(tcp, on["nccl.ib_no_device"])
    if #absent == 0 or #wanted == 0 or (#tcp == 0 and #sockets == 0) then return {} end
    local measured = #on["nccltests.bandwidth"] > 0
    local failed = #on["app.nccl_error"] > 0
    -- a network that is named leaves NCCL nothing to fall back to
    local refused = keep(on["nccl.warn"], function(s)
      return #tcp > 0 and (s.host or s.member) == (tcp[1].host or tcp[1].member) and match(s.fields.text, GAVE_UP) ~= nil
    end)
    if #refused > 0 then
      return { { cause = "net.rdma_absent", class = "init", severity = "error", confidence = "likely", scope = "host", host = tcp[1].host, evidence = tcp, symptoms = join(refused, on["nccl.ib_no_device"], on["host.no_infiniband"]),
        confidence_why = "RDMA was asked for (" .. wanted[1].fields.variable .. "), libfabric has no such device, and NCCL gave up for that",
        summary = string.format("%s=%s asks for RDMA, and libfabric finds no device for it: NCCL has no network left", wanted[1].fields.variable, wanted[1].fields.value) } }
    end
    return { { cause = "net.rdma_absent", severity = (measured or failed) and "warning" or "note", confidence = "likely", scope = "host", host = absent[1].host, evidence = absent, symptoms = on["host.no_infiniband"],
      confidence_why = "RDMA was asked for (" .. wanted[1].fields.variable .. "), no device was found, and plain sockets are used",
      summary = string.format("%s=%s asks for RDMA, but no such device was found: the job runs over TCP%s", wanted[1].fields.variable, wanted[1].fields.value,
        measured and string.format(" (%.2f GB/s)", first(on["nccltests.bandwidth"]).fields.busbw) or "") } }
  end,
}

-- NCCL takes active ports only, so that "No device found" is also what a port says that is there and not up.
local function idle_port(on, host)
  for _, s in ipairs(join(on["net.port"], on["net.rdma_link"])) do
    local state = string.lower(s.fields.state or "active")
    if (s.host == nil or host == nil or s.host == host) and state ~= "active" then return string.format(" (%s is there, in state %s)", s.fields.device or "a port", state) end
  end
  return ""
end

-- Where only InfiniBand may be used, NCCL has nothing to fall back to: without a device the communicator cannot be made.
correlate {
  id    = "net.rdma_absent.forced",
  group = "job",
  uses  = { "nccl.ib_no_device" },
  reach = { "nccl.warn", "env.fabric", "k8s.env", "host.no_infiniband", "host.no_verbs", "net.port", "net.rdma_link" },
  judge = function(case)
    local on = case.signals
    local forced = keep(join(on["env.fabric"], on["k8s.env"]), function(s) return s.fields.variable == "NCCL_NET" and s.fields.value == "IB" end)
    local refused = keep(on["nccl.warn"], function(s) return match(s.fields.text, GAVE_UP) ~= nil end)
    if #forced == 0 or #refused == 0 then return {} end
    local found = {}
    for _, absent in ipairs(group_by(on["nccl.ib_no_device"], function(s) return s.host or s.member end)) do
      local here = absent[1]
      local mine = keep(refused, function(s) return (s.host or s.member) == (here.host or here.member) end)
      if #mine > 0 then
        found[#found + 1] = { cause = "net.rdma_absent", class = "init", severity = "error", confidence = "likely", scope = "host", host = here.host, evidence = absent,
          symptoms = join(mine, keep(join(on["host.no_infiniband"], on["host.no_verbs"]), function(s) return s.host == nil or s.host == here.host end)),
          confidence_why = "NCCL_NET allows InfiniBand only, no device was found, and NCCL gave up for that",
          summary = "NCCL_NET=IB allows nothing but RDMA, and NCCL found no device that it can use" .. idle_port(on, here.host) }
      end
    end
    return found
  end,
}

local function join_text(s) return (s.fields.type or "") .. " " .. (s.fields.message or s.fields.text or "") end
-- The driver of an adapter that gives up at start: what the ranks miss later.
-- Sources: kernel drivers/base/dd.c ("probe of ... failed"); mlx5 main.c (load_one, handle_hca_cap); NCCL asks nobody why a device is not there.
signature {
  id      = "kernel.adapter_refused",
  stream  = "kernel",
  needles = { " failed with error", "handle_hca_cap failed", ": Failed to init function" },
  pattern = [[^(?<driver>mlx5_core|bnxt_en|bnxt_re|irdma|efa)(?:: probe of (?<device>[0-9a-f:.]+) failed with error -?\d+| (?<device>[0-9a-f]{4}:[0-9a-f:.]+): (?:probe with driver \S+ failed with error -?\d+|\w*load_one failed with error code -?\d+|handle_hca_cap failed|Failed to init function|probe_one:\d+:\(pid \d+\): \w+ failed with error code -?\d+))]],
  fields  = { driver = "text", device = "pci" },
  fold    = { "driver", "device" },
  match   = { "mlx5_core: probe of 0000:03:00.0 failed with error -22", "mlx5_core 0000:03:00.0: handle_hca_cap failed", "mlx5_core 0000:03:00.0: mlx5_load_one failed with error code -22" },
  ignore  = { "mlx5_core 0000:03:00.0: firmware version: 14.32.1010", "mlx5_core 0000:03:00.0: mlx5_cmd_out_err:838:(pid 1): ACCESS_REG(0x805) op_mod(0x1) failed, status bad operation(0x2)" },
  tells   = "the driver {driver} gives up on its device {device}",
}
-- The ranks of one job do not agree: some run over RDMA, and those of another host found no device and took sockets.
correlate {
  id    = "net.rdma_absent.mixed",
  group = "job",
  uses  = { "nccl.ib_no_device" },
  reach = { "nccl.network", "host.no_verbs", "kernel.adapter_refused", "app.nccl_error", "app.traceback", "app.exception_line" },
  judge = function(case)
    local on = case.signals
    -- one side sends what the other does not understand: the communicator cannot be made
    local unmade = keep(join(on["app.nccl_error"], on["app.traceback"], on["app.exception_line"]), function(s)
      return match(join_text(s), [[(?i)NCCL error.*internal error|ncclInternalError]]) ~= nil
    end)
    local rdma = keep(on["nccl.network"], function(s) return match(s.fields.network, [[^IB]]) ~= nil end)
    local found = {}
    for _, host in ipairs(distinct(on["nccl.ib_no_device"], "host")) do
      local mine = keep(on["nccl.ib_no_device"], function(s) return s.host == host end)
      local sockets = keep(on["nccl.network"], function(s) return s.host == host and match(s.fields.network, [[^Socket]]) ~= nil end)
      local others = keep(rdma, function(s) return s.host ~= nil and s.host ~= host end)
      if #sockets > 0 and #others > 0 and #keep(rdma, function(s) return s.host == host end) == 0 then
        found[#found + 1] = { cause = "net.rdma_absent", class = "slow", severity = "error", confidence = "likely", scope = "host", host = host,
          evidence = join(keep(on["kernel.adapter_refused"], function(s) return s.host == host end), mine), symptoms = join(sockets, keep(on["host.no_verbs"], function(s) return s.host == host end), unmade),
          confidence_why = "other hosts of the job use RDMA, and this one found no device", summary = string.format("NCCL found no RDMA device to use on host %s, while %d other host%s of the job use%s RDMA", host,
            #distinct(others, "host"), #distinct(others, "host") == 1 and "" or "s", #distinct(others, "host") == 1 and "s" or "") }
      end
    end
    return found
  end,
}
signature {
  id = "host.no_verbs", stream = { "net", "host", "app" }, needles = { "No IB devices found", "Failed to get IB devices list", "libibverbs: Warning: no userspace device-specific driver", "No device found for ibv" },
  pattern = [[^(?:No IB devices found|Failed to get IB devices list(?:: .*)?)$]], fold = {},
  match = { "No IB devices found", "Failed to get IB devices list: Function not implemented" }, ignore = { "NCCL INFO NET/IB : No device found." },
}
