-- What the driver and the kernel print of a GPU that is breaking, beside its Xids: a register that reads as all ones, a config space that
-- is not there any more, a halted power controller. Near an Xid that says the same they are its preface (xid.lua takes them); without
-- one they are all there is. A card that is woken too early, or by somebody who does not use it, prints the same once, so a job that shows
-- its own end must miss the GPU. A read that the GPU refused (0xbadf....) is no loss: drivers ask for registers that a card does not have.
-- Sources: open kernel modules gpu_access.c (gpuHandleSanityCheckRegReadError), kernel_gsp.c; kernel drivers/pci/pci.c (pci_power_up).
local NEAR = minutes(2)

signature {
  id      = "kernel.pmu_halted",
  stream  = "kernel",
  needles = { "that PMU has halted" },
  pattern = [[^NVRM: .*\bthat PMU has halted]],
  fold    = {},
  match   = { "NVRM: Received signal from GSP that PMU has halted.", "NVRM: _kgspRpcPmuHalted: Received signal from GSP that PMU has halted." },
  ignore  = { "NVRM: Xid (PCI:0000:3b:00): 62, 2c2a(1f34) 00000000 00000000" },
  tells   = "the GPU's power controller (PMU) has halted",
}
signature {
  id      = "kernel.reads_ones",
  stream  = "kernel",
  needles = { "Possible bad register read" },
  pattern = [[^NVRM: (?:\w+: )?Possible bad register read: addr: (?<address>0x[0-9a-fA-F]+), *regvalue: 0x[fF]{8}\b]],
  fields  = { address = "text" },
  fold    = {},
  match   = { "NVRM: gpuHandleSanityCheckRegReadError_GH100: Possible bad register read: addr: 0x110094,  regvalue: 0xffffffff,  error code: Unknown SYS_PRI_ERROR_CODE" },
  ignore  = { "NVRM: gpuHandleSanityCheckRegReadError_GM107: Possible bad register read: addr: 0x88e58,  regvalue: 0xbadf5040,  error code: NV_PPRIV_SYS_PRI_ERROR_CODE_FECS_PRI_CLIENT_ERR" },
  tells   = "registers of a GPU read as all ones",
}
signature {
  id      = "kernel.config_gone",
  stream  = "kernel",
  needles = { "change power state from D3" },
  pattern = [[^nvidia (?<gpu>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]): (?:can't change power state from D3\w+ to D0 \(config space inaccessible\)|Unable to change power state from D3\w+ to D0, device inaccessible)]],
  fields  = { gpu = "pci" },
  fold    = { "gpu" },
  match   = { "nvidia 0000:3b:00.0: can't change power state from D3cold to D0 (config space inaccessible)",
              "nvidia 0000:3b:00.0: Unable to change power state from D3cold to D0, device inaccessible" },
  ignore  = { "nvidia 0000:3b:00.0: enabling device (0000 -> 0002)", "xhci_hcd 0000:3b:00.2: can't change power state from D3cold to D0 (config space inaccessible)" },
  tells   = "GPU {gpu} does not answer on the bus when it is woken",
}

-- The numbers of Xids that say what such a line says, or of which it is an effect.
local function told_of(xids, s, numbers)
  return #keep(xids, function(x) return x.host == s.host and numbers[x.fields.xid] and (s.gpu == nil or x.gpu == s.gpu) and is_near(x, s, NEAR) end) > 0
end
local LOST = { [79] = true, [110] = true, [167] = true, [119] = true, [120] = true }
local OF_GPU = [[(?i)cuda|cublas|cudnn|nvml|\bgpu|unhandled system error]]

-- A job is there, and what it says has nothing to do with a GPU.
local function is_unmissed(on)
  local faults = keep(on["app.traceback"], function(s) return match((s.fields.type or "") .. ": " .. (s.fields.message or ""), OF_GPU) ~= nil end)
  if #faults + #on["app.cpp_error"] + #on["nccl.warn"] > 0 then return false end
  return #on["app.traceback"] + #on["app.progress"] + #on["app.good_end"] > 0
end
local HALTED = { [62] = true, [79] = true, [119] = true, [120] = true, [48] = true, [95] = true }

correlate {
  id    = "gpu.gone_by_signs",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.config_gone", "kernel.reads_ones" },
  reach = { "kernel.xid", "kernel.gpu_lost", "kernel.gpu_named", "host.shutdown", "app.traceback", "app.cpp_error", "nccl.warn", "app.progress", "app.good_end" },
  judge = function(case)
    local on, found = case.signals, {}
    local going_down = keep(on["host.shutdown"], function(s) return s.host == case.host end)
    local function is_known(s)
      return told_of(on["kernel.xid"], s, LOST) or #keep(going_down, function(x) return is_near(x, s, NEAR) end) > 0
        or #keep(join(on["kernel.gpu_lost"], on["kernel.gpu_named"]), function(x) return x.host == s.host and (s.gpu == nil or x.gpu == s.gpu) and is_near(x, s, NEAR) end) > 0
    end
    local unmissed = is_unmissed(on)
    local woken = keep(on["kernel.config_gone"], function(s) return not is_known(s) end)
    for _, s in ipairs(woken) do
      found[#found + 1] = { cause = "gpu.fell_off_bus", severity = unmissed and "note" or nil, confidence = unmissed and "possible" or "likely", scope = "gpu", gpu = s.gpu, evidence = { s },
        symptoms = keep(on["kernel.reads_ones"], function(r) return is_near(s, r, NEAR) end),
        confidence_why = unmissed and "the kernel read nothing from the GPU's config space; that the job missed the GPU is not shown" or
          "the kernel reads nothing from the GPU's config space, though no Xid 79 stands beside it",
        summary = string.format("GPU %s no longer answers on the bus (it cannot be woken from D3)", s.gpu or "?") }
    end
    local ones = #woken == 0 and keep(on["kernel.reads_ones"], function(s) return not is_known(s) end) or {}
    if #ones > 0 then
      found[#found + 1] = { cause = "gpu.fell_off_bus", severity = unmissed and "note" or nil, confidence = unmissed and "possible" or "likely", scope = "host", evidence = ones,
        confidence_why = "all ones are what the bus gives for a device that is not there; the line names no GPU",
        summary = string.format("The registers of a GPU of %s read as all ones: it no longer answers on the bus", case.host or "the host") }
    end
    return found
  end,
}

correlate {
  id    = "gpu.pmu_halted",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.pmu_halted" },
  reach = { "kernel.xid" },
  judge = function(case)
    local alone = keep(case.signals["kernel.pmu_halted"], function(s) return not told_of(case.signals["kernel.xid"], s, HALTED) end)
    if #alone == 0 then return {} end
    return { { cause = "gpu.hardware_other", confidence = "likely", scope = "host", evidence = alone,
      confidence_why = "the driver says what its Xid 62 says, and the line names no GPU",
      summary = string.format("The power controller (PMU) of a GPU of %s has halted", case.host or "the host") } }
  end,
}

-- The firmware answers, late: a warning, which may stand in front of a time-out (Xid 119) or of nothing.
signature {
  id      = "kernel.gsp_slow",
  stream  = "kernel",
  needles = { "Slow RPC response from GPU", "GSP-RM is slow" },
  pattern = [[^NVRM: (?:\w+: )?(?:Slow RPC response from GPU(?<number>\d+) GSP \((?<micros>\d+)us\)|=+ GSP-RM is slow =+)]],
  fields  = { number = "int", micros = "int" },
  fold    = { "number" },
  match   = { "NVRM: Slow RPC response from GPU0 GSP (4000000us). Function 76 (GSP_RM_CONTROL)", "NVRM: =================== GSP-RM is slow ===================" },
  ignore  = { "NVRM: ================ GSP core unresponsive ===============" },
  tells   = "the GPU's firmware answers late",
}
correlate {
  id    = "gpu.gsp_slow",
  group = "host",
  uses  = { "kernel.gsp_slow" },
  reach = { "kernel.xid", "kernel.gsp_silent" },
  judge = function(case)
    local slow = case.signals["kernel.gsp_slow"]
    local told = keep(join(case.signals["kernel.xid"], case.signals["kernel.gsp_silent"]), function(x)
      return x.host == case.host and (x.fields.xid == nil or x.fields.xid == 119 or x.fields.xid == 120) and is_near(x, slow[1], NEAR)
    end)
    if #told > 0 then return {} end
    return { { cause = "gpu.gsp_timeout", severity = "note", confidence = "possible", scope = "host", evidence = slow,
      confidence_why = "the firmware answered, late; nothing timed out", summary = "The firmware (GSP) of a GPU answers late" } }
  end,
}

-- What daemons say of GPUs. dcgm-exporter keeps the last Xid of a GPU until it is started again, so a value says that there was one, not
-- when; the persistence daemon finds no devices where the driver is not loaded yet, or not at all.
signature {
  id      = "gpu.exported_xid",
  stream  = "any",
  needles = { "DCGM_FI_DEV_XID_ERRORS{" },
  pattern = [[^DCGM_FI_DEV_XID_ERRORS\{(?=[^}]*\bgpu="(?<index>\d+)")(?=[^}]*\bUUID="(?<uuid>GPU-[0-9a-f-]+)")[^}]*\} (?<xid>[1-9]\d*)(?:\.0)?\b]],
  fields  = { index = "int", uuid = "uuid", xid = "int" },
  fold    = { "uuid", "xid" },
  match   = { 'DCGM_FI_DEV_XID_ERRORS{gpu="3",UUID="GPU-11111111-2222-3333-4444-555555555555",device="nvidia3",Hostname="gpu-a01",err_code="79"} 79' },
  ignore  = { 'DCGM_FI_DEV_XID_ERRORS{gpu="3",UUID="GPU-11111111-2222-3333-4444-555555555555",device="nvidia3",Hostname="gpu-a01"} 0', "# TYPE DCGM_FI_DEV_XID_ERRORS gauge" },
  tells   = "the exporter's last Xid of GPU {index}: {xid}",
}
signature {
  id      = "host.persistenced_blind",
  stream  = { "host", "gpu" },
  needles = { "Failed to query NVIDIA devices" },
  pattern = [[^Failed to query NVIDIA devices]],
  fold    = {},
  match   = { "Failed to query NVIDIA devices. Please ensure that the NVIDIA device files (/dev/nvidia*) exist, and that user 0 has read and write permissions for those files." },
  ignore  = { "device 0000:3b:00.0 - persistence mode enabled." },
  tells   = "the persistence daemon finds no GPU devices",
}
local WORN = { [13] = true, [31] = true, [43] = true, [45] = true, [154] = true }
correlate {
  id    = "gpu.exported_xid",
  group = "host",
  uses  = { "gpu.exported_xid" },
  reach = { "kernel.xid" },
  judge = function(case)
    local found = {}
    for _, s in ipairs(case.signals["gpu.exported_xid"]) do
      local number = s.fields.xid
      local told = keep(case.signals["kernel.xid"], function(x) return x.fields.xid == number and (x.host == case.host or x.host == nil or case.host == nil) end)
      if #told == 0 and not WORN[number] then -- those come with any program that ends
        found[#found + 1] = { cause = number == 79 and "gpu.fell_off_bus" or "gpu.hardware_other", severity = "note", confidence = "possible", scope = "gpu", evidence = { s },
          confidence_why = "the exporter keeps the last Xid of a GPU; when it came, the kernel log would say", summary = string.format("The last Xid of GPU %d that DCGM saw is %d", s.fields.index, number), facts = { xid = tostring(number) } }
      end
    end
    return found
  end,
}
correlate {
  id    = "host.persistenced_blind",
  group = "host",
  uses  = { "host.persistenced_blind" },
  judge = function(case)
    return { { cause = "gpu.missing", severity = "note", confidence = "possible", scope = "host", evidence = case.signals["host.persistenced_blind"],
      confidence_why = "at that moment there were no device files; the driver may have been loaded later", summary = "The NVIDIA persistence daemon found no GPU device files" } }
  end,
}
