-- PCIe errors as the kernel reports them (AER, DPC, hot-plug, firmware first). A corrected error is repaired by the link, and a
-- few a day are everyday; an uncorrected one, or a storm of corrected ones right before a GPU is gone, is the link giving up.
-- What counts is whose path it is: errors of a wireless card explain no GPU.
-- Sources: kernel drivers/pci/pcie/aer.c and dpc.c from 4.x (id=0018) to 6.x ("message received from"), and the newest
-- spelling Correctable/Uncorrectable; drivers/acpi/apei; pciutils lspci -t.
local BEFORE, SAME = minutes(15), seconds(120)
local PILE, STORM, RATE = 5, 1000, 1 -- corrected errors before a loss; a storm without one: so many, so many a second

signature {
  id      = "kernel.aer_uncorrected",
  stream  = "kernel",
  needles = { "severity=Uncorrect" },
  pattern = [[^(?:nvidia (?<gpu>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])|(?<driver>[\w-]+) (?<device>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])): (?:AER: )?PCIe Bus Error: severity=Uncorrect(?:ed|able) \((?<level>Fatal|Non-Fatal)\)(?:, type=(?<type>[A-Za-z ]+))?]],
  fields  = { gpu = "pci", driver = "text", device = "text", level = "text", type = "text" },
  match   = { "pcieport 0000:00:02.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, id=0010(Receiver ID)",
              "nvidia 0000:3b:00.0: AER: PCIe Bus Error: severity=Uncorrectable (Non-Fatal), type=Transaction Layer, (Requester ID)" },
  ignore  = { "pcieport 0000:00:02.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, id=0010(Transmitter ID)" },
  tells   = "uncorrected PCIe error ({level}) at {device}{gpu}",
}
signature {
  id      = "kernel.aer_corrected",
  stream  = "kernel",
  needles = { "severity=Correct" },
  pattern = [[^(?:nvidia (?<gpu>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])|(?<driver>[\w-]+) (?<device>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])): (?:AER: )?PCIe Bus Error: severity=Correct(?:ed|able)(?:, type=(?<type>[A-Za-z ]+))?]],
  fields  = { gpu = "pci", driver = "text", device = "text", type = "text" },
  fold    = { "gpu", "device" },
  match   = { "pcieport 0000:00:03.1: PCIe Bus Error: severity=Correctable, type=Data Link Layer, (Transmitter ID)",
              "ath9k 0000:2d:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)" },
  ignore  = { "pcieport 0000:00:02.0: AER: Corrected error received: id=0010" },
  tells   = "corrected PCIe errors at {device}{gpu}",
}
signature {
  id      = "kernel.dpc",
  stream  = "kernel",
  needles = { "DPC: containment event", "DPC: unmasked uncorrectable error", "DPC: ERR_FATAL", "DPC: RP PIO error", "pciehp: Slot(" },
  pattern = [[^pcieport (?<device>[0-9a-fA-F:.]+): (?<text>DPC: (?:containment event|unmasked uncorrectable error detected|ERR_FATAL detected|RP PIO error detected)|pciehp: Slot\([^)]*\): (?:Link Down|Card not present))]],
  fields  = { device = "text", text = "text" },
  fold    = { "device", "text" },
  match   = { "pcieport 0000:3a:00.0: DPC: containment event, status:0x1f01 source:0x0000", "pcieport 0000:3a:00.0: pciehp: Slot(3): Link Down" },
  ignore  = { "pcieport 0000:3a:00.0: pciehp: Slot(3): Card present" },
  tells   = "PCIe port {device}: {text}",
}
-- What the port above received. The details of it follow from the device itself, unless they are rate-limited, or the device cannot be read any more.
signature {
  id      = "kernel.aer_received",
  stream  = "kernel",
  needles = { "AER: Uncorrect", "AER: Multiple Uncorrect" },
  pattern = [[^pcieport (?<port>[0-9a-fA-F:.]+): AER: (?:Multiple )?Uncorrect(?:ed|able) \((?<level>Fatal|Non-Fatal)\) error (?:message )?received(?: from|:) (?<device>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])]],
  fields  = { port = "text", level = "text", device = "text" },
  fold    = { "device", "level" },
  match   = { "pcieport 0000:3a:00.0: AER: Multiple Uncorrected (Non-Fatal) error received: 0000:3b:00.0",
              "pcieport 0000:3a:00.0: AER: Uncorrectable (Fatal) error message received from 0000:3b:00.0" },
  ignore  = { "pcieport 0000:00:03.0: AER: Corrected error received: 0000:3b:00.0" },
  tells   = "uncorrected PCIe error ({level}) received from {device}",
}
-- How the kernel's attempt to recover from an uncorrected error ended. NVIDIA's driver has no part in it, so that "can't recover" is
-- what every such error of a GPU brings.
signature {
  id      = "kernel.aer_unrecovered",
  stream  = "kernel",
  needles = { "device recovery failed", "subordinate device reset failed", "after bus reset; giving up", "after FLR; giving up", "after DPC; giving up", "after resume; giving up" },
  pattern = [[^(?:nvidia (?<gpu>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])|(?<driver>[\w-]+) (?<device>[0-9a-fA-F:.]+)): (?<text>(?:AER: )?(?:device recovery failed|subordinate device reset failed)|not ready (?<millis>\d+)ms after [\w ]+; giving up)]],
  fields  = { gpu = "pci", driver = "text", device = "text", text = "text", millis = "int" },
  fold    = { "gpu", "device", "text" },
  match   = { "pcieport 0000:3a:00.0: AER: device recovery failed", "nvidia 0000:3b:00.0: not ready 65535ms after bus reset; giving up", "pci 0000:3b:00.0: not ready 65535ms after FLR; giving up" },
  ignore  = { "pcieport 0000:3a:00.0: AER: device recovery successful", "pci 0000:3b:00.0: not ready 1023ms after bus reset; waiting" },
  tells   = "PCIe device {device}{gpu}: {text}",
}
signature {
  id      = "kernel.pci_bridge",
  stream  = "kernel",
  needles = { "PCI bridge to [bus " },
  pattern = [=[^pci (?<port>[0-9a-fA-F:.]+): PCI bridge to \[bus (?<first>[0-9a-fA-F]{2})(?:-(?<last>[0-9a-fA-F]{2}))?\]]=],
  fields  = { port = "text", first = "hex", last = "hex" },
  match   = { "pci 0000:00:03.1: PCI bridge to [bus 0a]", "pci 0000:3a:00.0: PCI bridge to [bus 3b-3f]" },
  ignore  = { "pci 0000:07:00.0: [10de:2684] type 00 class 0x030000 PCIe Legacy Endpoint" },
  fold    = { "port" },
}
signature {
  id      = "host.pci_tree",
  stream  = "host",
  needles = { "]--+", "]---", "]-+-" },
  pattern = [=[-(?<port>[0-9a-f]{2}\.[0-7])-\[(?<first>[0-9a-f]{2})(?:-(?<last>[0-9a-f]{2}))?\]-[-+]]=],
  fields  = { port = "text", first = "hex", last = "hex" },
  match   = { "           +-03.1-[0a]--+-00.0  NVIDIA Corporation TU116 [GeForce GTX 1660]", "           \\-08.1-[0c-0f]----00.3  Advanced Micro Devices" },
  ignore  = { "-[0000:00]-+-00.0  Advanced Micro Devices, Inc. [AMD] Family 17h Root Complex" },
}
signature {
  id      = "kernel.apei_event",
  stream  = "kernel",
  needles = { "[Hardware Error]: " },
  pattern = [=[^\{(?<number>\d+)\}\[Hardware Error\]:\s+(?:event severity: (?<severity>\w+)|section_type: (?<section>[\w ]+?)(?: error)?$|device_id: (?<device>[0-9a-fA-F:.]+)|fru_text: (?<part>.+)|DIMM location: (?<part>.+))]=],
  fields  = { number = "int", severity = "text", section = "text", device = "text", part = "text" },
  match   = { "{1}[Hardware Error]: event severity: recoverable", "{1}[Hardware Error]:   section_type: memory error", "{2}[Hardware Error]:   device_id: 0000:3b:00.0",
              "{1}[Hardware Error]:  fru_text: Card01, ChnA, DIMM0" },
  ignore  = { "{1}[Hardware Error]:   error_status: 0x0000000000000000", "mce: [Hardware Error]: Machine check events logged" },
}
signature {
  id      = "kernel.apei_source",
  stream  = "kernel",
  needles = { "Hardware error from APEI" },
  pattern = [=[^\{(?<number>\d+)\}\[Hardware Error\]: Hardware error from APEI]=],
  fields  = { number = "int" },
  match   = { "{1}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 4" },
  ignore  = { "{1}[Hardware Error]: event severity: recoverable" },
}
-- Intel, AMD and Arm. On Arm the older kernel prints the kind of event as a number, with its words on lines of hex behind it: 0x10 is a
-- translation that is not there, 0x13 one without permission; the other numbers are mistakes of set-up.
signature {
  id      = "kernel.iommu_fault",
  stream  = "kernel",
  needles = { "DMAR: [DMA ", "IO_PAGE_FAULT", "arm-smmu" },
  pattern = [=[(?:DMAR: \[DMA (?<how>Read|Write)[^\]]*\] Request device \[(?<device>[0-9a-fA-F:.]+)\]|(?:nvidia (?<gpu>[0-9a-fA-F:.]+): )?AMD-Vi: Event logged \[IO_PAGE_FAULT (?:device=(?<device>[0-9a-fA-F:.]+) )?|^arm-smmu(?:-v3)? \S+: (?:event (?<event>0x1[0-3]) received:|event: F_(?:TRANSLATION|ADDR_SIZE|ACCESS|PERMISSION) client: (?<device>[0-9a-fA-F:.]+|\(unassigned sid\))|Unhandled context fault: ))]=],
  fields  = { how = "text", device = "text", gpu = "pci", event = "text" },
  fold    = { "device", "gpu" },
  match   = { "DMAR: [DMA Write NO_PASID] Request device [3b:00.0] fault addr 0x7f21c0000 [fault reason 0x05] PTE Write access is not set",
              "nvidia 0000:3b:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x0012 address=0xd0000000 flags=0x0020]",
              "arm-smmu-v3 arm-smmu-v3.16.auto: event 0x10 received:", "arm-smmu-v3 arm-smmu-v3.16.auto: event: F_TRANSLATION client: 0009:01:00.0 sid: 0x10100 ssid: 0x0 iova: 0xfffb1000 ipa: 0x0" },
  ignore  = { "DMAR: DRHD: handling fault status reg 3", "arm-smmu-v3 arm-smmu-v3.16.auto: event 0x0a received:", "arm-smmu-v3 arm-smmu-v3.16.auto: \t0x0001010000000010" },
  tells   = "IOMMU fault of device {device}{gpu}",
}

local function bus_of(gpu)
  local bus = match(gpu or "", [[^[0-9a-fA-F]{4,8}:([0-9a-fA-F]{2}):]])
  return bus and tonumber(bus, 16)
end

-- Which buses lie below a port: from "PCI bridge to [bus ..]" of the kernel, and from lspci -t, which names a port of the root
-- without its bus. nil: nobody says.
local function leads_below(port, bus, bridges, tree)
  local known
  for _, b in ipairs(bridges) do
    if b.fields.port == port then
      known = known or false
      if bus >= b.fields.first and bus <= (b.fields.last or b.fields.first) then return true end
    end
  end
  local short = match(port or "", [[:([0-9a-fA-F]{2}\.[0-7])$]])
  for _, t in ipairs(tree) do
    if t.fields.port == short then
      known = known or false
      if bus >= t.fields.first and bus <= (t.fields.last or t.fields.first) then return true end
    end
  end
  return known
end

-- The GPU of the path, or else of the loss behind it.
local function hit(gpu, after) return gpu or #after > 0 and after[1].gpu or nil end

correlate {
  id    = "pcie.aer",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.aer_uncorrected", "kernel.aer_corrected", "kernel.dpc", "kernel.aer_received", "kernel.aer_unrecovered" },
  reach = { "kernel.xid", "kernel.gpu_lost", "kernel.pci_bridge", "host.pci_tree", "gpu.state" },
  judge = function(case)
    local on, found = case.signals, {}
    local function here(list) return keep(list, function(s) return s.host == case.host end) end
    local bridges, tree = here(on["kernel.pci_bridge"]), here(on["host.pci_tree"])
    local losses = join(keep(here(on["kernel.xid"]), function(x) return x.fields.xid == 79 or x.fields.xid == 167 or x.fields.xid == 119 end), here(on["kernel.gpu_lost"]))
    local gpus = distinct(join(losses, here(on["kernel.xid"]), here(on["gpu.state"])), "gpu")

    -- Whose path s is on. A GPU: sure; nil with "other": of another device; nil: not known.
    local function path_of(s)
      if s.gpu then return s.gpu end
      for _, gpu in ipairs(gpus) do
        if s.fields.port and match(s.fields.device, [[^(.+)\.[0-7]$]]) == gpu then return gpu end
      end
      if s.fields.driver and s.fields.driver ~= "pcieport" then return nil, "other" end
      local none = #gpus > 0
      for _, gpu in ipairs(gpus) do
        local below = leads_below(s.fields.device, bus_of(gpu) or -1, bridges, tree)
        if below then return gpu end
        if below == nil then none = false end
      end
      return nil, none and "other" or nil
    end

    -- uncorrected: fatal ones, or any right before a GPU is gone
    local untold = keep(on["kernel.aer_received"], function(r)
      return #keep(on["kernel.aer_uncorrected"], function(u) return is_near(r, u, seconds(10)) end) == 0
    end)
    local hard = join(on["kernel.aer_uncorrected"], on["kernel.dpc"], untold)
    for _, run in ipairs(episodes(minutes(10), hard)) do
      local head, gpu, other, fatal = first(run), nil, true, false
      for _, s in ipairs(run) do
        local mine, whose = path_of(s)
        gpu = gpu or mine
        other = other and whose == "other"
        fatal = fatal or s.fields.level == "Fatal" or match(s.fields.text or "", [[^DPC]]) ~= nil
      end
      local after = keep(losses, function(x) return (gpu == nil or x.gpu == gpu) and order(head, x) ~= "after" and is_near(head, x, SAME) end)
      local before = keep(losses, function(x) return (gpu == nil or x.gpu == gpu) and order(x, head) == "before" and is_near(head, x, minutes(10)) end)
      local nic = match(head.fields.driver or "", [[mlx5_core|mlx4_core|bnxt_en|nvme]]) ~= nil
      if not other or nic then
        -- a GPU that fell makes errors of its own: then they follow
        local severity = (#after > 0 or (fatal and #before == 0)) and "critical" or gpu and #before == 0 and "error" or "note"
        local earlier = keep(on["kernel.aer_corrected"], function(c)
          return c.count >= PILE and c.fields.device == head.fields.device and order(c, head) ~= "after" and is_near(c, head, BEFORE)
        end)
        local whom = hit(gpu, after)
        found[#found + 1] = {
          cause = "pcie.aer", severity = severity, scope = whom and "gpu" or "host", gpu = whom,
          evidence = join(run, #after > 0 and earlier or {}), symptoms = after,
          confidence = (gpu or #after > 0) and "certain" or "likely",
          confidence_why = #after > 0 and "an uncorrected PCIe error, and the GPU is gone right behind it" or "the kernel reports an uncorrected PCIe error",
          summary = string.format("Uncorrected PCIe error%s at %s%s", head.fields.level and " (" .. string.lower(head.fields.level) .. ")" or "",
            head.fields.device or head.gpu or "?", #after > 0 and string.format(", then GPU %s was gone", after[1].gpu or "?") or ""),
          facts = { device = head.fields.device, level = head.fields.level, type = head.fields.type },
        }
      end
    end

    -- a reset after which the device never came back, or a recovery that failed, of which the errors in front are not in the log
    local told = join(hard, losses)
    for _, s in ipairs(on["kernel.aer_unrecovered"]) do
      local gpu, whose = path_of(s)
      if whose ~= "other" and #keep(told, function(x) return is_near(x, s, minutes(10)) end) == 0 then
        local gone = s.fields.millis ~= nil and gpu ~= nil
        found[#found + 1] = { cause = gone and "gpu.fell_off_bus" or "pcie.aer", severity = gone and "critical" or "note", confidence = gone and "likely" or "possible", scope = gpu and "gpu" or "host", gpu = gpu, evidence = { s },
          confidence_why = gone and "it did not answer after a reset; why it was reset is not in the log" or "the kernel could not bring a device back; which error it had is not in the log",
          summary = string.format("PCIe device %s: %s", s.gpu or s.fields.device, s.fields.text) }
      end
    end

    -- corrected: a pile of them on the path of a GPU that is then gone, or a storm
    for _, s in ipairs(on["kernel.aer_corrected"]) do
      local gpu, whose = path_of(s)
      local after = keep(losses, function(x)
        local began = order(s, x) ~= "after"
        return (gpu == nil or x.gpu == gpu) and began and is_near(s, x, hours(1))
      end)
      local told = #found > 0 and #keep(on["kernel.aer_uncorrected"], function(u) return u.fields.device == s.fields.device end) > 0
      local span = (s.last_at and s.at and s.last_at > s.at) and (s.last_at - s.at) or seconds(1)
      local storm = s.count >= STORM and s.count * seconds(1) >= RATE * span
      if whose ~= "other" and not told and ((#after > 0 and s.count >= PILE) or (storm and gpu)) then
        local whom = hit(gpu, after)
        found[#found + 1] = {
          cause = "pcie.aer", severity = #after > 0 and "critical" or "warning", scope = whom and "gpu" or "host", gpu = whom,
          evidence = { s }, symptoms = after, count = s.count,
          confidence = gpu and #after > 0 and "likely" or "possible",
          confidence_why = #after > 0 and (gpu and "link errors pile up on the port above the GPU until it is gone" or
            "link errors pile up until a GPU is gone; that the port leads to it is not shown") or "corrected errors cost no data, but so many cost speed",
          summary = string.format("%d corrected PCIe errors at %s%s", s.count, s.fields.device or s.gpu or "?",
            #after > 0 and string.format(", then GPU %s was gone", after[1].gpu or "?") or ""),
          facts = { device = s.fields.device, errors = s.count },
        }
      end
    end
    return found
  end,
}

correlate {
  id    = "pcie.apei",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.apei_event" },
  judge = function(case)
    local found = {}
    for _, section in ipairs(keep(case.signals["kernel.apei_event"], function(s) return s.fields.section == "PCIe" end)) do
      local same = keep(case.signals["kernel.apei_event"], function(s)
        return s.fields.number == section.fields.number and s.member == section.member and math.abs(s.line - section.line) <= 12
      end)
      local severity, device
      for _, s in ipairs(same) do
        severity = severity or s.fields.severity
        device = device or s.fields.device
      end
      if severity == "fatal" or severity == "recoverable" then
        found[#found + 1] = { cause = "pcie.aer", confidence = "certain", scope = "host", evidence = same, severity = severity == "fatal" and "critical" or "error",
          confidence_why = "the firmware reports it", summary = string.format("PCIe error (%s) of %s, reported by the firmware", severity, device or "a device") }
      end
    end
    return found
  end,
}

correlate {
  id    = "pcie.iommu_fault",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.iommu_fault" },
  reach = { "kernel.xid_program", "pcie.via_p2p", "app.progress", "app.good_end", "nccltests.wrong" },
  judge = function(case)
    local on = case.signals
    local said = on["kernel.iommu_fault"]
    local f = first(said)
    local faults, gpus = 0, distinct(said, "gpu")
    for _, s in ipairs(said) do faults = faults + s.count end
    -- NCCL copies between the GPUs directly, the IOMMU refuses, and no step is ever done: that is where it stands
    local through = on["pcie.via_p2p"]
    -- on Intel the fault names an address only; what sits on the root bus itself is no GPU of the job
    local cards = keep(said, function(s) return s.gpu ~= nil or (s.fields.device ~= nil and match(s.fields.device, [=[^(?:0000:)?00:]=]) == nil) end)
    -- or the copies count as done, and the test of the results finds what never arrived
    local corrupt = #gpus > 0 and keep(on["nccltests.wrong"], function(w) return w.fields.wrong > 0 and (w.host == nil or w.host == case.host) end) or {}
    local stuck = #corrupt == 0 and #cards > 0 and faults >= 3 and #through > 0 and #on["app.progress"] + #on["app.good_end"] == 0
    -- faults of a device that nobody here uses, or once at start, cost nothing
    local hurt = keep(case.signals["kernel.xid_program"], function(x) return x.host == case.host and x.fields.xid == 31 and order(f, x) ~= "after" and is_near(f, x, minutes(5)) end)
    local cost = stuck or #hurt + #corrupt > 0
    return { { cause = "pcie.p2p_blocked", severity = cost and "error" or "note", confidence = cost and "likely" or "possible", class = stuck and "stall" or #hurt > 0 and "lost" or nil,
      scope = "host", evidence = said, symptoms = join(hurt, corrupt),
      confidence_why = #corrupt > 0 and "the IOMMU refuses the GPUs' accesses, and nccl-tests finds values that are wrong" or
        stuck and "the IOMMU refuses the GPUs' accesses while NCCL copies between them directly" or "the IOMMU refused a device's access to memory",
      summary = string.format("IOMMU faults of device%s %s (%d)%s", #gpus > 1 and "s" or "", #gpus > 0 and table.concat(gpus, ", ") or f.fields.device or "(not named)", faults,
        (stuck or #corrupt > 0) and ": direct copies between GPUs do not arrive" or "") } }
  end,
}

-- ACS sends traffic between two GPUs up to the root complex: where P2P is used all the same, it hangs or is slow.
correlate {
  id    = "pcie.acs",
  group = "host",
  uses  = { "host.pci_acs" },
  reach = { "gpu.p2p_bad", "gpu.link", "pcie.p2p_off", "pcie.via_p2p", "gpu.state", "app.p2p_lacking", "torch.watchdog_timeout", "nccl.init_complete", "app.progress", "app.good_end" },
  judge = function(case)
    local on = case.signals
    local bad = keep(on["host.pci_acs"], function(s)
      return s.fields.class == "PCI bridge" and match(s.fields.acs or "", [[ReqRedir\+]]) ~= nil and match(s.fields.acs, [[DirectTrans-]]) ~= nil
    end)
    if #bad == 0 then return {} end
    local refused = join(keep(on["gpu.p2p_bad"], function(s) return s.host == case.host end), on["pcie.p2p_off"], on["app.p2p_lacking"])
    local used = on["pcie.via_p2p"]
    -- NVLink goes another way
    local nvlink = #keep(on["gpu.link"], function(s) return match(s.fields.code or s.fields.link or "", [[^NV\d]]) ~= nil end) > 0
    local spinning = keep(on["gpu.state"], function(s)
      return s.host == case.host and (s.fields.utilization_pct or 0) >= 99 and s.fields.power_w and s.fields.power_limit_w and s.fields.power_w < s.fields.power_limit_w / 2
    end)
    -- all of a communicator came, over direct access, and stand in its very first operations: no rank is missing, the data does not move
    local stuck = keep(on["torch.watchdog_timeout"], function(w) return (w.fields.seq or 9) <= 2 and (w.host == nil or case.host == nil or w.host == case.host) end)
    local joined = #distinct(keep(on["nccl.init_complete"], function(c) return c.rank ~= nil end), "rank")
    if #on["app.progress"] > 0 or joined < 2 or #distinct(keep(stuck, function(w) return w.rank ~= nil end), "rank") < joined then stuck = {} end
    local hurt = #refused > 0 or (#used > 0 and #spinning + #stuck > 0)
    if nvlink or (#used == 0 and #refused == 0) then hurt = false end
    local idle = #spinning > 0 and #on["app.progress"] + #on["app.good_end"] == 0
    return { { cause = "pcie.p2p_blocked", severity = hurt and "error" or "note", confidence = hurt and #refused + #spinning > 0 and "likely" or "possible", scope = "host",
      class = hurt and (#stuck > 0 or idle) and "stall" or nil, evidence = join(bad, spinning), symptoms = join(refused, hurt and stuck or {}),
      confidence_why = hurt and "access control redirects requests on the ports above the GPUs, and direct access between GPUs is in trouble"
        or "access control is on; that it cost anything is not shown",
      summary = string.format("PCIe access control (ACS) redirects peer traffic on %d bridge%s%s", #bad, #bad == 1 and "" or "s",
        #spinning > 0 and string.format("; %d GPUs spin at full load with little power", #spinning) or "") } }
  end,
}
signature {
  id      = "pcie.via_p2p",
  stream  = "nccl",
  needles = { "] via P2P/" },
  pattern = [[NCCL INFO Channel \d+(?:/\d+)? : \d+\[\w+\] -> \d+\[\w+\] via P2P/(?<kind>\S+)]],
  fields  = { kind = "text" },
  fold    = { "kind" },
  match   = { "ws-ada2:6120:6210 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM" },
  ignore  = { "NCCL INFO Channel 00/0 : 0[0] -> 1[1] via SHM/direct/direct" },
}
signature {
  id      = "pcie.p2p_off",
  stream  = "nccl",
  needles = { "P2P is disabled between" },
  pattern = [[NCCL (?:INFO|WARN) P2P is disabled between (?:connected )?GPUs (?<a>\d+) and (?<b>\d+)]],
  fields  = { a = "int", b = "int" },
  fold    = {},
  match   = { "NCCL INFO P2P is disabled between connected GPUs 1 and 0. You can repress this message with NCCL_IGNORE_DISABLED_P2P=1." },
  ignore  = { "NCCL INFO P2P Chunksize set to 524288" },
}
signature {
  id      = "app.p2p_lacking",
  stream  = "app",
  needles = { "lacks GPU P2P capability" },
  pattern = [[lacks GPU P2P capability or P2P test failed]],
  fold    = {},
  match   = { "Custom allreduce is disabled because your platform lacks GPU P2P capability or P2P test failed. To silence this warning, specify disable_custom_all_reduce=True" },
  ignore  = { "Custom allreduce is disabled because it's not supported on more than two PCIe-only GPUs" },
}

-- What the kernel counted since the machine started (sysfs aer_dev_*). It does not say when: errors that came with the loss of a GPU, or at a hot reset months ago,
-- look the same. Source: kernel drivers/pci/pcie/aer.c.
correlate {
  id    = "pcie.aer_counted",
  group = "host",
  uses  = { "host.aer_counters", "kernel.aer_uncorrected" },
  judge = function(case)
    local on = case.signals
    local hard = keep(on["host.aer_counters"], function(s) return s.fields.kind ~= "correctable" and (s.fields.errors or 0) > 0 end)
    if #hard == 0 or #on["kernel.aer_uncorrected"] > 0 then return {} end -- the log says when
    local f = hard[1].fields
    return { { cause = "pcie.aer", severity = "note", confidence = "possible", scope = "host", evidence = hard,
      confidence_why = "counted since the machine started; no line says when",
      summary = string.format("%d %s PCIe errors counted at %s%s%s", f.errors, f.kind == "fatal" and "fatal" or "non-fatal", f.device, f.most and ", mostly " .. f.most or "",
        #hard > 1 and string.format(", and at %d more places", #hard - 1) or ""), facts = { device = f.device, errors = f.errors } } }
  end,
}
