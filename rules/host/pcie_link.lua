-- What the kernel prints of a link that came up with less than its device can do, when it finds the device. That is before a driver lowers
-- an idle GPU's link, but many cards start at the lowest speed by themselves: so of a GPU only lost lanes count, and only where other GPUs
-- of the host have theirs; and of a network card what others of its kind on the host do not lack. A riser or a slot that has no more is how
-- the machine is built.
-- Source: kernel drivers/pci/pci.c (__pcie_print_link_status), drivers/pci/probe.c (pcie_report_downtraining).
signature {
  id      = "kernel.link_limited",
  stream  = "kernel",
  needles = { "available PCIe bandwidth, limited by" },
  pattern = [[^(?<driver>[\w-]+) (?<device>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]): (?<gbps>[\d.]+) Gb/s available PCIe bandwidth, limited by (?<speed>[\d.]+) GT/s PCIe x(?<width>\d+) link at (?<port>[0-9a-fA-F:.]+) \(capable of (?<gbps_max>[\d.]+) Gb/s with (?<speed_max>[\d.]+) GT/s PCIe x(?<width_max>\d+) link\)]],
  fields  = { driver = "text", device = "text", gbps = "float", speed = "float", width = "int", port = "text", gbps_max = "float", speed_max = "float", width_max = "int" },
  fold    = { "driver", "device" },
  match   = { "pci 0000:3b:00.0: 63.008 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x8 link at 0000:3a:00.0 (capable of 504.112 Gb/s with 32.0 GT/s PCIe x16 link)" },
  ignore  = { "mlx5_core 0000:5e:00.0: 252.048 Gb/s available PCIe bandwidth (16.0 GT/s PCIe x16 link)" },
  tells   = "link of {device}: {speed} GT/s x{width} of {speed_max} GT/s x{width_max}",
}
signature {
  id      = "kernel.link_whole",
  stream  = "kernel",
  needles = { "available PCIe bandwidth (" },
  pattern = [[^(?<driver>[\w-]+) (?<device>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]): (?<gbps>[\d.]+) Gb/s available PCIe bandwidth \(]],
  fields  = { driver = "text", device = "text", gbps = "float" },
  fold    = { "driver", "device" },
  match   = { "mlx5_core 0000:5e:00.0: 252.048 Gb/s available PCIe bandwidth (16.0 GT/s PCIe x16 link)" },
  ignore  = { "pci 0000:3b:00.0: 63.008 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x8 link at 0000:3a:00.0 (capable of 504.112 Gb/s with 32.0 GT/s PCIe x16 link)" },
}

local function bare(address) return match(string.lower(address), [[^(.+)\.[0-7]$]]) or address end -- as GPUs are named

correlate {
  id    = "pcie.link_degraded.kernel",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.link_limited" },
  reach = { "kernel.link_whole", "kernel.gpu_uuid", "gpu.state", "host.pci_link", "app.good_end" },
  judge = function(case)
    local on, found = case.signals, {}
    local function here(list) return keep(list, function(s) return s.host == case.host end) end
    local limited = on["kernel.link_limited"]
    local gpus = distinct(join(here(on["kernel.gpu_uuid"]), here(on["gpu.state"])), "gpu")
    local survived = ended_well(on["app.good_end"], last(limited))
    local function of_device(address) return keep(limited, function(s) return bare(s.fields.device) == address end) end
    local function is_narrow(s) return s.fields.width < s.fields.width_max end
    local function add(s, what, whose)
      local f = s.fields
      -- what a tool read later is nearer to the job
      local later = keep(here(on["host.pci_link"]), function(l) return bare(f.device) == (l.gpu or l.fields.device) end)
      if #keep(later, function(l) return (l.fields.width or 0) >= f.width_max end) > 0 then return end
      found[#found + 1] = { cause = "pcie.link_degraded", severity = survived and "note" or nil, confidence = "likely", scope = whose and "gpu" or "host", gpu = whose, evidence = { s },
        confidence_why = "the kernel names what holds the link back, and others of its kind on this host are not held back",
        summary = string.format("PCIe link of %s %s runs at %g GT/s x%d of %g GT/s x%d since the machine started (held back at %s)", what, f.device, f.speed, f.width, f.speed_max, f.width_max, f.port),
        facts = { device = f.device, width = f.width, width_max = f.width_max, speed = f.speed, speed_max = f.speed_max } }
    end
    local whole = 0
    for _, gpu in ipairs(gpus) do
      if #keep(of_device(gpu), is_narrow) == 0 then whole = whole + 1 end
    end
    for _, gpu in ipairs(gpus) do
      local narrow = keep(of_device(gpu), is_narrow)
      if #narrow > 0 and whole > 0 then add(narrow[1], "GPU", gpu) end
    end
    -- network cards: both lines are printed by their driver, with the same words
    local cards = keep(here(on["kernel.link_whole"]), function(s) return match(s.fields.driver, [[^(?:mlx[45]_core|bnxt_en|ice|irdma)$]]) ~= nil end)
    for _, s in ipairs(limited) do
      local better = keep(cards, function(c) return c.fields.driver == s.fields.driver and c.fields.device ~= s.fields.device and c.fields.gbps >= s.fields.gbps_max end)
      if #better > 0 then add(s, "network card", nil) end
    end
    if #found == 0 then
      local narrow = keep(limited, is_narrow)
      local worst = #narrow > 0 and narrow[1] or limited[1]
      local f = worst.fields
      found[1] = { cause = "pcie.link_degraded", severity = "note", confidence = "possible", scope = "host", evidence = #narrow > 0 and narrow or { worst },
        confidence_why = "the slot may have no more, or the card starts at its lowest speed; nothing of its kind on this host shows that it can be more",
        summary = string.format("The link of %s came up with %g GT/s x%d of %g GT/s x%d", f.device, f.speed, f.width, f.speed_max, f.width_max) }
    end
    return found
  end,
}
