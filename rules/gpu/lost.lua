-- A GPU that is gone without an Xid 79: the driver prints the words alone when its caller suppresses the Xid, at probe time
-- over three lines, and afterwards nothing can be asked any more. And GPUs that the driver could not start.
-- Sources: open kernel modules osinit.c (osHandleGpuLost, RmInitAdapter), nv.c, nv-pci.c; nvidia-smi.
local SAME = minutes(1)

signature {
  id      = "kernel.gpu_lost",
  stream  = "kernel",
  needles = { "has fallen off the bus" },
  pattern = [[^NVRM: GPU (?:at )?(?:PCI:)?(?<gpu>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-7])?):?(?: GPU)? has fallen off the bus]],
  fields  = { gpu = "pci" },
  fold    = { "gpu" },
  match   = { "NVRM: GPU 0000:3b:00.0: GPU has fallen off the bus.", "NVRM: GPU at 0000:02:00.0 has fallen off the bus." },
  ignore  = { "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.", "NVRM: fallen off the bus and is not responding to commands." },
  tells   = "GPU {gpu} has fallen off the bus",
}
signature {
  id      = "kernel.gpu_named",
  stream  = "kernel",
  needles = { "NVRM: The NVIDIA GPU " },
  pattern = [[NVRM: The NVIDIA GPU (?<gpu>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])(?:[\s\S]*(?<fallen>fallen off the bus))?]],
  fields  = { gpu = "pci", fallen = "text" },
  match   = { "NVRM: The NVIDIA GPU 0000:3b:00.0", "NVRM: The NVIDIA GPU 0000:3b:00.0 (PCI ID: 10de:2330)#012NVRM: installed in this system has#012NVRM: fallen off the bus and is not responding to commands." },
  ignore  = { "NVRM: The NVIDIA probe routine was not called for 1 device(s)." },
}
signature {
  id      = "kernel.gpu_not_responding",
  stream  = "kernel",
  needles = { "fallen off the bus and is not responding" },
  pattern = [[^\s*NVRM: fallen off the bus and is not responding to commands]],
  match   = { "NVRM: fallen off the bus and is not responding to commands." },
  ignore  = { "NVRM: GPU 0000:3b:00.0: GPU has fallen off the bus." },
}
signature {
  id      = "kernel.rminit_failed",
  stream  = "kernel",
  needles = { "RmInitAdapter failed!" },
  pattern = [[^NVRM: GPU (?<gpu>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]): RmInitAdapter failed! \(0x(?<stage>[0-9a-fA-F]+):0x(?<status>[0-9a-fA-F]+):\d+\)]],
  fields  = { gpu = "pci", stage = "hex", status = "hex" },
  fold    = { "gpu", "stage", "status" },
  match   = { "NVRM: GPU 0000:07:00.0: RmInitAdapter failed! (0x61:0x56:1770)" },
  ignore  = { "NVRM: GPU 0000:07:00.0: rm_init_adapter failed, device minor number 0" },
  tells   = "the driver cannot start GPU {gpu} (stage {stage}, status {status})",
}
-- Behind RmInitAdapter's line, and alone where that was lost or left out.
signature {
  id      = "kernel.init_given_up",
  stream  = "kernel",
  needles = { ": rm_init_adapter failed" },
  pattern = [[^NVRM: GPU (?<gpu>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]): rm_init_adapter failed]],
  fields  = { gpu = "pci" },
  fold    = { "gpu" },
  match   = { "NVRM: GPU 0000:07:00.0: rm_init_adapter failed, device minor number 0" },
  ignore  = { "NVRM: GPU 0000:07:00.0: RmInitAdapter failed! (0x61:0x56:1770)" },
}
signature {
  id      = "kernel.probe_failed",
  stream  = "kernel",
  needles = { "NVRM: The NVIDIA probe routine", "NVRM: No NVIDIA GPU found", "NVRM: No NVIDIA devices probed", "NVRM: None of the NVIDIA devices",
              " is already bound to " },
  pattern = [[^NVRM: (?<text>The NVIDIA probe routine (?:was not called|failed) for (?<count>\d+) device|No NVIDIA GPU found|No NVIDIA devices probed|None of the NVIDIA devices were initialized|GPU (?<gpu>[0-9a-fA-F:.]+) is already bound to (?<driver>\S+))]],
  fields  = { text = "text", count = "int", gpu = "pci", driver = "text" },
  fold    = { "text", "gpu" },
  match   = { "NVRM: The NVIDIA probe routine was not called for 1 device(s).", "NVRM: No NVIDIA GPU found.", "NVRM: GPU 0000:3b:00.0 is already bound to vfio-pci." },
  ignore  = { "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.144" },
}
signature {
  id      = "kernel.bar_invalid",
  stream  = "kernel",
  needles = { "This PCI I/O region assigned to your NVIDIA device" },
  pattern = [[NVRM: This PCI I/O region assigned to your NVIDIA device is invalid]],
  match   = { "NVRM: This PCI I/O region assigned to your NVIDIA device is invalid:" },
  ignore  = { "NVRM: BAR1 is 65536M @ 0x0 (PCI:0000:3b:00.0)" },
  tells   = "the driver refuses a GPU: its address window is not usable",
}
signature {
  id      = "kernel.bar_unassigned",
  stream  = "kernel",
  needles = { ": no space for [mem", ": failed to assign [mem", ": can't assign; no space" },
  pattern = [=[^pci (?<device>[0-9a-fA-F:.]+): BAR \d+(?: \[mem [^\]]*\])?: (?:(?:no space for|failed to assign) \[mem|can't assign; no space)(?: size 0x(?<size>[0-9a-fA-F]+))?]=],
  fields  = { device = "pci", size = "hex" },
  fold    = { "device" },
  match   = { "pci 0000:17:00.0: BAR 1: no space for [mem size 0x2000000000 64bit pref]", "pci 0000:17:00.0: BAR 1: failed to assign [mem size 0x2000000000 64bit pref]" },
  ignore  = { "pci 0000:17:00.0: BAR 1: assigned [mem 0x387000000000-0x387fffffffff 64bit pref]" },
  tells   = "no address window for {device}",
}
-- Small windows of bridges and option ROMs fail to be assigned on every machine: only the driver's refusal makes it a fault.
correlate {
  id    = "gpu.bar_invalid",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.bar_invalid" },
  reach = { "kernel.bar_unassigned", "kernel.probe_failed" },
  judge = function(case)
    local on = case.signals
    local function here(list) return keep(list, function(s) return s.host == case.host end) end
    local before = keep(here(on["kernel.bar_unassigned"]), function(s) return (s.fields.size or 0) >= 0x1000000 and order(s, first(on["kernel.bar_invalid"])) ~= "after" end)
    return { { cause = "gpu.missing", confidence = "certain", scope = "host", evidence = join(before, on["kernel.bar_invalid"]), symptoms = here(on["kernel.probe_failed"]), class = "init",
      confidence_why = "the driver says so", summary = "the BIOS gave a GPU no usable address window (BAR), so the driver cannot use it" } }
  end,
}
signature {
  id      = "kernel.reset_required",
  stream  = "kernel",
  needles = { "NV_ERR_RESET_REQUIRED", "tatus=0x00000062" },
  pattern = [[^NVRM: .*(?:\[NV_ERR_RESET_REQUIRED\]|\bstatus=0x00000062)]],
  fold    = {},
  match   = { "NVRM: nvAssertOkFailedNoLog: Assertion failed: Reset required [NV_ERR_RESET_REQUIRED] (0x00000062) returned from status @ kernel_channel.c:2874",
              "NVRM: rpcRmApiAlloc_GSP: GspRmAlloc failed: hClient=0xc1d1a6b5; hClass=0x0000c86f; paramsSize=0x00000170; paramsStatus=0x00000062; status=0x00000062" },
  ignore  = { "NVRM: nvCheckOkFailedNoLog: Check failed: Call timed out [NV_ERR_TIMEOUT] (0x00000065) returned from rpcRmApiAlloc_GSP @ alloc_free.c:1220" },
  tells   = "the driver refuses work: the GPU must be reset first",
}
signature {
  id      = "kernel.uvm_fatal",
  stream  = "kernel",
  needles = { "uvm encountered global fatal error" },
  pattern = [[uvm encountered global fatal error (?<code>0x[0-9a-f]+), requiring os reboot]],
  fields  = { code = "text" },
  fold    = {},
  match   = { "nvidia-uvm: uvm encountered global fatal error 0x60, requiring os reboot to recover." },
  ignore  = { "nvidia-uvm: Loaded the UVM driver, major device number 508." },
  tells   = "the UVM driver gives up ({code}): only a reboot helps",
}

-- A device that is taken out from under its users: a slot that lost its link, or somebody who wrote to its "remove" in sysfs.
signature {
  id      = "kernel.gpu_removed",
  stream  = "kernel",
  needles = { "with non-zero usage count" },
  pattern = [[^NVRM: Attempting to remove (?:device|minor device) (?<gpu>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-7])?)? ?.*with non-zero usage count]],
  fields  = { gpu = "pci" },
  fold    = { "gpu" },
  match   = { "NVRM: Attempting to remove device 0000:3b:00.0 with non-zero usage count!" },
  ignore  = { "NVRM: removing GPU 0000:3b:00.0" },
  tells   = "GPU {gpu} is removed while programs use it",
}
correlate {
  id    = "gpu.removed",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.gpu_removed" },
  reach = { "kernel.xid", "kernel.gpu_lost", "kernel.dpc" },
  judge = function(case)
    local on, found = case.signals, {}
    for _, s in ipairs(on["kernel.gpu_removed"]) do
      local told = keep(join(on["kernel.xid"], on["kernel.gpu_lost"], on["kernel.dpc"]), function(x) return x.host == case.host and (x.gpu == nil or x.gpu == s.gpu) and order(x, s) ~= "after" and is_near(x, s, minutes(10)) end)
      if #told == 0 then
        found[#found + 1] = { cause = "gpu.fell_off_bus", confidence = "likely", scope = s.gpu and "gpu" or "host", gpu = s.gpu, evidence = { s },
          confidence_why = "the device was removed while programs had it open; whether its slot lost it or somebody removed it is not in the log",
          summary = string.format("GPU %s was removed from the bus while programs used it", s.gpu or "?") }
      end
    end
    return found
  end,
}

-- UVM gives up after what the driver reported before; where that is not in the log, it is all there is: nothing can use CUDA on the node any more.
correlate {
  id    = "gpu.uvm_fatal",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.uvm_fatal", "kernel.xid" },
  reach = { "app.good_end" },
  judge = function(case)
    local on = case.signals
    local said = on["kernel.uvm_fatal"]
    if #said == 0 then return {} end
    local told = keep(on["kernel.xid"], function(s) return order(s, said[1]) ~= "after" end)
    local alone = #told == 0 and not ended_well(on["app.good_end"], said[1])
    return { { cause = "gpu.reset_required", severity = alone and "error" or "note", confidence = alone and "likely" or "possible", scope = "host", evidence = said,
      confidence_why = alone and "the UVM driver says so itself; what broke it is not in the log" or "the UVM driver says so itself, after faults that the driver named",
      summary = string.format("The UVM driver of %s gave up (%s): no program can use CUDA there before a reboot", case.host or "the node", said[1].fields.code) } }
  end,
}

correlate {
  id    = "gpu.lost_without_xid",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.gpu_lost", "kernel.gpu_named", "kernel.gpu_not_responding" },
  reach = { "kernel.xid" },
  judge = function(case)
    local on, found = case.signals, {}
    local function has_79(s)
      return #keep(on["kernel.xid"], function(x)
        return x.fields.xid == 79 and x.host == s.host and x.gpu == s.gpu and is_near(x, s, SAME)
      end) > 0
    end
    for _, s in ipairs(on["kernel.gpu_lost"]) do
      if not has_79(s) then
        found[#found + 1] = { cause = "gpu.fell_off_bus", confidence = "certain", scope = "gpu", gpu = s.gpu, evidence = { s },
          confidence_why = "the driver's own words, though no Xid 79 stands beside them",
          summary = string.format("GPU %s has fallen off the bus", s.gpu or "?") }
      end
    end
    -- three lines of one message: which GPU, its id, and what became of it; where only the last is left, nobody says which
    local nameless = keep(on["kernel.gpu_not_responding"], function(w)
      return #keep(on["kernel.gpu_named"], function(s) return s.member == w.member and w.line > s.line and w.line - s.line <= 4 end) == 0
        and #keep(on["kernel.xid"], function(x) return x.fields.xid == 79 and x.host == w.host and is_near(x, w, SAME) end) == 0
    end)
    if #nameless > 0 and #found == 0 then
      found[#found + 1] = { cause = "gpu.fell_off_bus", confidence = "likely", scope = "host", evidence = nameless,
        confidence_why = "the driver's own words; the line that names the GPU is not in the log", summary = "A GPU had fallen off the bus when the driver looked for it" }
    end
    for _, s in ipairs(on["kernel.gpu_named"]) do
      local words = keep(on["kernel.gpu_not_responding"], function(w)
        return w.member == s.member and w.line > s.line and w.line - s.line <= 4
      end)
      if (#words > 0 or s.fields.fallen) and not has_79(s) then
        found[#found + 1] = { cause = "gpu.fell_off_bus", confidence = "certain", scope = "gpu", gpu = s.gpu, evidence = join({ s }, words),
          confidence_why = "the driver says at start that the GPU does not answer",
          summary = string.format("GPU %s had fallen off the bus when the driver looked for it", s.gpu or "?") }
      end
    end
    return found
  end,
}

signature {
  id      = "kernel.gsp_boot",
  stream  = "kernel",
  needles = { "GFW_BOOT", "GFW boot", "Cannot initialize GSP firmware RM", "Timeout waiting for GSP target mask", "WPR2 already up",
              "failed to start GSP-RM", "GSP Failure ", "failed to execute FWSEC", "failed to prepare interface data for FWSEC", "cannot bootstrap riscv", "Booter failed with" },
  pattern = [[^NVRM:? (?:\w+: )?(?:\w+: )?(?<text>failed to wait for GFW.?[Bb][Oo][Oo][Tt]|Cannot initialize GSP firmware RM|Timeout waiting for GSP target mask release|unexpected WPR2 already up|failed to start GSP-RM|\*+ GSP Failure|failed to execute FWSEC|failed to prepare interface data for FWSEC|cannot bootstrap riscv|Booter failed with)]],
  fields  = { text = "text" },
  fold    = { "text" },
  match   = { "NVRM: gpuWaitForGfwBootComplete_TU102: failed to wait for GFW_BOOT: (progress 0x3)", "NVRM: RmInitAdapter: Cannot initialize GSP firmware RM",
              "NVRM kgspBootstrapRiscvOSEarly_GH100: Timeout waiting for GSP target mask release. This error may be caused by several reasons",
              "NVRM: kgspBootstrap_GH100: failed to start GSP-RM: 0x1f", "NVRM: s_executeBooterUcode_TU102: Booter failed with non-zero error code: 0xa" },
  ignore  = { "NVRM: Failed to load gsp_log_ga10x.bin, no GSP-RM logs will be printed (non-fatal)" },
  tells   = "the GPU's firmware does not come up",
}

-- Second number of RmInitAdapter: an NV_STATUS. Only some name the reason by themselves.
local STATUS = {
  [0x0f] = { "gpu.fell_off_bus", "the GPU is lost" }, [0x0b] = { "gpu.ecc_uncorrectable", "an ECC error" },
  [0x62] = { "gpu.reset_required", "the GPU must be reset" }, [0x6a] = { "gpu.driver_mismatch", "driver and library versions differ" },
  [0x7a] = { "gpu.fabric_not_ready", "no fabric manager" }, [0x81] = { "gpu.fabric_not_ready", "the NVLink fabric is not ready" },
  [0x82] = { "gpu.fabric_not_ready", "the NVLink fabric failed" }, [0x1c] = { "gpu.thermal_or_power", "insufficient power" },
  [0x74] = { "gpu.nvlink_error", "NVLink could not be set up" }, [0x77] = { "gpu.nvlink_error", "NVLink training failed" },
}
-- First number: how far the start came. The numbers moved between branches, but this one; where no firmware is found the status is but "not supported".
local STAGE = { [0x61] = { "gpu.driver_mismatch", "the firmware that belongs to the driver was not found" } }

correlate {
  id    = "gpu.init_failed",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.rminit_failed", "kernel.init_given_up", "kernel.probe_failed", "kernel.gsp_boot" },
  reach = { "kernel.xid", "kernel.api_mismatch", "kernel.firmware_missing", "kernel.gpu_lost" },
  judge = function(case)
    local on, found = case.signals, {}
    local function here(list) return keep(list, function(x) return x.host == case.host end) end
    local mismatch = join(here(on["kernel.api_mismatch"]), here(on["kernel.firmware_missing"]))
    local untold = keep(on["kernel.init_given_up"], function(s) return #keep(on["kernel.rminit_failed"], function(x) return x.gpu == s.gpu end) == 0 end)
    local failed = join(on["kernel.rminit_failed"], untold)
    for _, gpu in ipairs(distinct(failed, "gpu")) do
      local mine = keep(failed, function(s) return s.gpu == gpu end)
      local head = first(mine)
      local known = STATUS[head.fields.status] or STAGE[head.fields.stage]
      -- the firmware that did not come up says so right before the driver gives up
      local why = keep(on["kernel.gsp_boot"], function(w) return w.member == head.member and w.line < head.line and head.line - w.line <= 60 end)
      -- a GPU that broke before cannot be started again: the Xid in front says why
      local broken = keep(here(on["kernel.xid"]), function(x)
        return x.gpu == gpu and x.fields.xid ~= 45 and x.fields.xid ~= 43 and x.fields.xid ~= 154 and x.fields.xid ~= 13
          and x.fields.xid ~= 31 and order(x, head) ~= "after"
      end)
      broken = join(broken, keep(here(on["kernel.gpu_lost"]), function(x) return x.gpu == gpu and order(x, head) ~= "after" end))
      -- firmware of an earlier start still runs: the first failure on record is already the second
      local warm = #why > 0 and match(first(why).fields.text, [[WPR2]]) ~= nil
      if warm and not known then known = { "gpu.reset_required", "its firmware still runs from an earlier start: the GPU must be reset" } end
      if #mismatch == 0 and #broken == 0 then
        found[#found + 1] = {
          cause = known and known[1] or "gpu.hardware_other", confidence = known and "likely" or "possible", scope = "gpu", gpu = gpu,
          evidence = join(why, mine), severity = "error", class = "init",
          confidence_why = known and "the driver's numbers name it" or head.fields.stage and "the driver could not start the GPU; its numbers do not say why" or "the driver could not start the GPU; why is not in the log",
          summary = string.format("The driver could not start GPU %s%s", gpu, head.fields.stage and string.format(" (RmInitAdapter 0x%x:0x%x%s)", head.fields.stage,
            head.fields.status or 0, known and ", " .. known[2] or "") or known and " (" .. known[2] .. ")" or ""),
          facts = { stage = head.fields.stage, status = head.fields.status },
        }
      end
    end
    -- the firmware alone, and nothing that says what became of the GPU
    local boot = on["kernel.gsp_boot"]
    if #failed == 0 and #boot > 0 and #mismatch == 0 and #keep(join(here(on["kernel.xid"]), here(on["kernel.gpu_lost"])), function(x) return order(x, boot[1]) ~= "after" end) == 0 then
      local warm = keep(boot, function(s) return match(s.fields.text, [[WPR2]]) ~= nil end)
      found[#found + 1] = { cause = #warm > 0 and "gpu.reset_required" or "gpu.hardware_other", confidence = "possible", severity = "error", class = "init", scope = "host", evidence = boot,
        confidence_why = #warm > 0 and "firmware of an earlier start still runs, so that the GPU must be reset; which GPU is not said" or "the driver could not start a GPU's firmware; which GPU and why is not said",
        summary = "The firmware (GSP) of a GPU does not come up: " .. first(boot).fields.text }
    end
    local probe = on["kernel.probe_failed"]
    if #probe > 0 and #mismatch == 0 and #on["kernel.rminit_failed"] == 0 then
      found[#found + 1] = { cause = "gpu.missing", confidence = "likely", scope = "host", evidence = probe, severity = "error",
        confidence_why = "the driver took over fewer devices than the bus has", summary = "The NVIDIA driver: " .. (first(probe).fields.text or "no device") }
    end
    return found
  end,
}

correlate {
  id    = "gpu.reset_required.kernel",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.reset_required" },
  reach = { "gpu.state" },
  judge = function(case)
    local on = case.signals
    local said = on["kernel.reset_required"]
    local asks = keep(on["gpu.state"], function(s)
      local action = s.fields.recovery_action
      return s.host == case.host and action ~= nil and action ~= "None" and action ~= "none"
    end)
    -- an Xid that broke the GPU before explains the demand; then it is a symptom, which the table of causes links
    return { { cause = "gpu.reset_required", confidence = "likely", scope = #asks > 0 and asks[1].gpu and "gpu" or "host", evidence = said, symptoms = asks,
      gpu = #asks > 0 and asks[1].gpu or nil,
      confidence_why = "the driver refuses allocations with NV_ERR_RESET_REQUIRED" .. (#asks > 0 and ", and the GPU's recovery action asks for it" or ""),
      summary = string.format("A GPU%s refuses work until it is reset (%d refusals in the kernel log)",
        #asks > 0 and " (" .. (asks[1].gpu or "?") .. ")" or "", first(said).count) } }
  end,
}

-- lspci reads nothing but ones from a device that is gone.
correlate {
  id    = "gpu.gone_in_lspci",
  group = "host",
  uses  = { "host.pci_link" },
  judge = function(case)
    local found = {}
    for _, s in ipairs(case.signals["host.pci_link"]) do
      if s.gpu and s.fields.gone == 1 then
        found[#found + 1] = { cause = "gpu.fell_off_bus", confidence = "likely", scope = "gpu", gpu = s.gpu, evidence = { s },
          confidence_why = "the device answers only ones on the bus; the kernel log would say when that began",
          summary = string.format("lspci: GPU %s no longer answers on the bus", s.gpu) }
      end
    end
    return found
  end,
}

-- The recovery action changed, and no Xid says why: the GPU is not to be used until that is done.
correlate {
  id    = "gpu.reset_required.action",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.xid", "kernel.xid_program", "kernel.xid_nvlink5" },
  judge = function(case)
    local asks, explained, gpus, found = {}, {}, {}, {}
    for _, list in ipairs({ case.signals["kernel.xid"], case.signals["kernel.xid_program"], case.signals["kernel.xid_nvlink5"] }) do
      for _, s in ipairs(list) do
        local gpu = s.gpu or "?"
        if s.fields.xid == 154 then
          if match(s.fields.text or "", [=[to 0x[1-9a-f]]=]) then
            if not asks[gpu] then
              asks[gpu] = {}
              gpus[#gpus + 1] = gpu
            end
            table.insert(asks[gpu], s)
          end
        elseif s.fields.xid ~= 45 and s.fields.xid ~= 43 then
          explained[gpu] = true
        end
      end
    end
    for _, gpu in ipairs(gpus) do
      if not explained[gpu] then
        local action = match(last(asks[gpu]).fields.text, [[to 0x[0-9a-f]+ \(([^)]+)\)]])
        found[#found + 1] = { cause = "gpu.reset_required", confidence = "likely", scope = "gpu", gpu = asks[gpu][1].gpu, evidence = asks[gpu],
          confidence_why = "the driver changed the recovery action; what broke is not in this log",
          summary = string.format("GPU %s: %s", gpu, action or "recovery action changed") }
      end
    end
    return found
  end,
}
