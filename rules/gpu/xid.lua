-- Xid: what the NVIDIA driver reports of a GPU. The number decides, the words behind it vary between drivers and firmware.
-- Class says what a number can stand for: app (a fault of the program on the GPU), hardware, driver, either (program or
-- hardware), follower (only ever a consequence), info. Numbers that are not used on Ampere and newer are left out.
-- Source: NVIDIA's Xid catalogue (2025-10) and nverror.h of the open kernel modules up to 595.
-- Line shapes: with and without "PCI:", pid, name (which may hold blanks), MIG parts in the brackets, "caused by previous Xid".
local XID = {
  -- class, cause, NVIDIA's action, meaning
  [8] = { "either", "gpu.hardware_other", "RESTART_APP", "channel idle timeout, GPU stopped processing" },
  [11] = { "app", "gpu.app_fault", "RESTART_APP", "bad push buffer (missing hw method)" },
  [13] = { "app", "gpu.app_fault", "RESTART_APP", "SM / graphics engine exception (illegal address, illegal instruction, trap)" },
  [14] = { "info", nil, "IGNORE", "test injection" },
  [16] = { "driver", nil, "CONTACT_SUPPORT", "display vblank timeout" },
  [25] = { "app", "gpu.app_fault", "RESTART_APP", "illegal push buffer notify" },
  [31] = { "app", "gpu.app_fault", "RESTART_APP", "MMU fault: page fault of a GPU virtual address" },
  [32] = { "either", "gpu.app_fault", "RESTART_APP", "PBDMA: invalid push buffer" },
  [37] = { "driver", nil, "IGNORE", "FECS: unimplemented firmware method" },
  [38] = { "driver", "gpu.hardware_other", "IGNORE", "FECS watchdog timeout" },
  [43] = { "app", "gpu.app_fault", "IGNORE", "channel reset, GPU stopped processing for that context" },
  [44] = { "driver", "gpu.hardware_other", "IGNORE", "fault during context switch" },
  [45] = { "follower", "gpu.app_fault", "WORKFLOW_XID_45", "preemptive removal of channels" },
  [46] = { "hardware", "gpu.hardware_other", "RESET_GPU", "GPU engine timeout" },
  [48] = { "hardware", "gpu.ecc_uncorrectable", "WORKFLOW_XID_48", "double bit ECC error (uncorrectable)" },
  [54] = { "hardware", "gpu.thermal_or_power", "CHECK_MECHANICALS", "auxiliary power not connected" },
  [56] = { "driver", nil, "CONTACT_SUPPORT", "display channel exception" },
  [57] = { "hardware", "gpu.hardware_other", "CONTACT_SUPPORT", "framebuffer link training failed (legacy)" },
  [58] = { "hardware", "gpu.hardware_other", "CONTACT_SUPPORT", "unstable video memory interface, EDC error (legacy)" },
  [59] = { "driver", "gpu.hardware_other", "CONTACT_SUPPORT", "PMU error (legacy)" },
  [60] = { "either", "gpu.hardware_other", "RESTART_APP", "SEC2 / video processor exception" },
  [61] = { "driver", "gpu.hardware_other", "CONTACT_SUPPORT", "PMU breakpoint, micro-controller warning" },
  [62] = { "hardware", "gpu.hardware_other", "RESET_GPU", "PMU halted" },
  [63] = { "hardware", "gpu.ecc_uncorrectable", "IGNORE", "row remap or page retirement recorded" },
  [64] = { "hardware", "gpu.ecc_uncorrectable", "RESET_GPU", "row remap or page retirement failed to be recorded" },
  [65] = { "either", nil, "CONTACT_SUPPORT", "NVENC1 exception (legacy)" },
  [66] = { "driver", "gpu.hardware_other", "IGNORE", "FECS: illegal register access" },
  [67] = { "driver", "gpu.hardware_other", "IGNORE", "FECS: verification violation" },
  [68] = { "either", "gpu.app_fault", "RESTART_APP", "NVDEC0 exception" },
  [69] = { "app", "gpu.app_fault", "RESTART_APP", "graphics class error" },
  [74] = { "hardware", "gpu.nvlink_error", "WORKFLOW_NVLINK_ERR", "NVLink error (up to NVLink 4)" },
  [78] = { "driver", "gpu.driver_mismatch", "UPDATE_SWFW", "vGPU start error" },
  [79] = { "hardware", "gpu.fell_off_bus", "RESTART_BM", "GPU has fallen off the bus" },
  [80] = { "either", "gpu.app_fault", "RESTART_APP", "push buffer CRC mismatch" },
  [81] = { "hardware", nil, "CONTACT_SUPPORT", "VGA subsystem error (legacy)" },
  [86] = { "either", "gpu.hardware_other", "RESTART_APP", "OFA0 exception" },
  [92] = { "hardware", "gpu.ecc_uncorrectable", "IGNORE", "high rate of single bit ECC errors" },
  [93] = { "driver", nil, "IGNORE", "InfoROM erase limit exceeded" },
  [94] = { "hardware", "gpu.ecc_uncorrectable", "RESTART_APP", "contained uncorrectable memory error" },
  [95] = { "hardware", "gpu.ecc_uncorrectable", "RESET_GPU", "uncontained uncorrectable memory error" },
  [106] = { "info", nil, "IGNORE", "SMBPBI test message" },
  [107] = { "info", nil, "IGNORE", "SMBPBI test message, silent" },
  [108] = { "follower", "gpu.nvlink_error", "IGNORE", "NVLink remote translation error" },
  [109] = { "either", "gpu.hardware_other", "RESET_GPU", "context switch timeout" },
  [110] = { "hardware", "gpu.fell_off_bus", "RESET_GPU", "security fault" },
  [119] = { "driver", "gpu.gsp_timeout", "RESET_GPU", "GSP RPC timeout" },
  [120] = { "driver", "gpu.gsp_timeout", "RESET_GPU", "GSP firmware error or crash" },
  [121] = { "hardware", "gpu.hardware_other", "IGNORE", "NVLink-C2C correctable event (Grace)" },
  [122] = { "driver", nil, "CONTACT_SUPPORT", "SPI read through PMU failed" },
  [123] = { "driver", nil, "CONTACT_SUPPORT", "SPI write through PMU failed" },
  [124] = { "driver", nil, "CONTACT_SUPPORT", "SPI erase through PMU failed" },
  [125] = { "hardware", nil, "CONTACT_SUPPORT", "InfoROM file system error" },
  [136] = { "hardware", "gpu.nvlink_error", "RESET_GPU", "NVLink link training (ALI) failed" },
  [137] = { "follower", "gpu.nvlink_error", "IGNORE", "NVLink privilege error (FLA)" },
  [138] = { "info", nil, "CONTACT_SUPPORT", "DLA error" },
  [139] = { "either", "gpu.hardware_other", "RESTART_APP", "OFA1 exception" },
  [140] = { "hardware", "gpu.ecc_uncorrectable", "RESET_GPU", "uncorrectable ECC error escaped firmware handling" },
  [141] = { "driver", nil, "IGNORE", "CUDA fast path error" },
  [142] = { "either", nil, "CONTACT_SUPPORT", "NVENC3 exception" },
  [143] = { "hardware", "gpu.hardware_other", "RESET_GPU", "GPU initialisation error" },
  [144] = { "hardware", "gpu.nvlink_error", "WORKFLOW_NVLINK5_ERR", "NVLink5 SAW" },
  [145] = { "hardware", "gpu.nvlink_error", "WORKFLOW_NVLINK5_ERR", "NVLink5 RLW" },
  [146] = { "hardware", "gpu.nvlink_error", "WORKFLOW_NVLINK5_ERR", "NVLink5 TLW" },
  [147] = { "hardware", "gpu.nvlink_error", "WORKFLOW_NVLINK5_ERR", "NVLink5 TREX" },
  [148] = { "hardware", "gpu.nvlink_error", "WORKFLOW_NVLINK5_ERR", "NVLink5 NVLPW_CTRL" },
  [149] = { "hardware", "gpu.nvlink_error", "WORKFLOW_NVLINK5_ERR", "NVLink5 NETIR (link down, BER, firmware)" },
  [150] = { "hardware", "gpu.nvlink_error", "WORKFLOW_NVLINK5_ERR", "NVLink5 MSE watchdog" },
  [151] = { "driver", "gpu.hardware_other", "RESTART_VM", "key rotation error (confidential computing)" },
  [152] = { "info", nil, "IGNORE", "DLA SMMU error (reserved in the open module)" },
  [153] = { "info", nil, "IGNORE", "DLA timeout (reserved in the open module)" },
  [154] = { "info", nil, "XID_154", "GPU recovery action changed" },
  [155] = { "either", "gpu.nvlink_error", "RESET_GPU", "NVLink software defined error" },
  [156] = { "hardware", "gpu.hardware_other", "RESET_GPU", "resource retirement event" },
  [157] = { "hardware", "gpu.hardware_other", "IGNORE", "resource retirement failed" },
  [158] = { "hardware", "gpu.hardware_other", "RESET_GPU", "GPU fatal timeout" },
  [159] = { "hardware", "gpu.hardware_other", "CHECK_UVM", "CHI non-data error (Grace)" },
  [160] = { "hardware", "gpu.hardware_other", "IGNORE", "memory channel retirement event" },
  [161] = { "hardware", "gpu.hardware_other", "IGNORE", "memory channel retirement failed" },
  [162] = { "info", nil, "", "power smoothing re-engaged" },
  [163] = { "info", nil, "", "power smoothing disengaged" },
  [164] = { "info", nil, "", "power smoothing hardware: low lifetime" },
  [165] = { "info", nil, "", "power smoothing hardware: lifetime used up" },
  [166] = { "driver", "gpu.nvlink_error", "", "NVLink encryption error (confidential computing)" },
  [167] = { "hardware", "gpu.fell_off_bus", "", "PCIe fatal timeout" },
  [168] = { "hardware", "gpu.hardware_other", "", "reduced GPU memory capacity" },
  [169] = { "hardware", "gpu.hardware_other", "", "SEC2 halted" },
  [170] = { "driver", "gpu.nvlink_error", "", "NVLink secure-mode interrupt" },
  [171] = { "hardware", "gpu.ecc_uncorrectable", "", "uncorrectable DRAM error (detail of 48)" },
  [172] = { "hardware", "gpu.ecc_uncorrectable", "", "uncorrectable SRAM error (detail of 48)" },
  [173] = { "hardware", "gpu.hardware_other", "", "NVLink-C2C fatal link failure" },
  [174] = { "follower", "gpu.app_fault", "", "channel reset, process killed silently" },
  [175] = { "hardware", "gpu.hardware_other", "", "memory subsystem error" },
  [176] = { "hardware", "pcie.aer", "", "PCIe correctable error fault" },
}

-- Engines of one kind, a number each. What they run is the program's, and a fault of theirs can be either's.
local function engines(name, from, numbers)
  for i, number in ipairs(numbers) do
    XID[number] = { "either", "gpu.hardware_other", "RESTART_APP", string.format("%s%d exception", name, from + i - 1) }
  end
end
engines("copy engine ", 0, { 39, 40, 41, 70, 71, 72, 75, 76, 77, 85, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135 })
engines("NVDEC", 1, { 83, 84, 88, 89, 96, 97, 98 })
engines("NVJPG", 0, { 82, 99, 100, 101, 102, 103, 104, 105 })

-- One fault makes hundreds of lines (one for each channel or SM), and of one signature only so many are kept of a member. So what
-- comes in floods has signatures of its own, and never pushes out the line that matters.
local HEAD = [[NVRM: Xid \((?:PCI:)?(?<gpu>[0-9a-fA-F]{2,8}:[0-9a-fA-F:.]+)(?<mig> GPU-I:\d+(?: GPU-CI:\d+)?)?\): ]]
local TAIL = [[, ?(?:pid='?(?:(?<pid>\d+)|<unknown>)'?(?:, name=(?:<unknown>|(?<name>[^,]*)))?, ?)?(?<text>.*?)(?: caused by previous Xid (?<previous>\d+))?$]]
local FIELDS = { gpu = "pci", mig = "text", xid = "int", pid = "pid", name = "process", text = "text", previous = "int" }
local TELLS = "Xid {xid} on GPU {gpu}: {text}"

signature {
  id      = "kernel.xid",
  stream  = "kernel",
  needles = { "NVRM: Xid" },
  pattern = HEAD .. [[(?<xid>(?!(?:13|31|43|45|14[4-9]|150),)\d+)]] .. TAIL,
  fields  = FIELDS,
  match   = { "NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
              "NVRM: Xid (PCI:0000:05:00): 79, GPU has fallen off the bus.",
              "NVRM: Xid (PCI:0000:3b:00): 94, pid=2, name=ray::Worker [x], Contained: SM (0x1, 0x1). RST: No, D-RST: No" },
  ignore  = { "NVRM: GPU at PCI:0000:3b:00: GPU-5fe9d2f6-0000-0000-0000-000000000000", "nvidia-nvswitch1: SXid (PCI:0000:a1:00.0): 12028, Non-fatal, Link 17",
              "NVRM: Xid (0000:01:00): 13, 0005 00000000 0000502d 00000104 00000000 00000100" },
  tells   = TELLS,
}
signature {
  id      = "kernel.xid_program", -- faults of programs: a line for each SM, or for each process
  stream  = "kernel",
  needles = { "NVRM: Xid" },
  pattern = HEAD .. [[(?<xid>13|31)]] .. TAIL,
  fields  = FIELDS,
  match   = { "NVRM: Xid (0000:01:00): 13, 0005 00000000 0000502d 00000104 00000000 00000100",
              "NVRM: Xid (PCI:0000:9a:00 GPU-I:05 GPU-CI:00): 31, pid=4121, name=pt_main_thread, Ch 0000003b, intr 10000000. MMU Fault" },
  ignore  = { "NVRM: Xid (PCI:0000:3b:00): 131, copy engine", "NVRM: Xid (PCI:0000:3b:00): 45, pid=4121, name=python3, Ch 00000010" },
  tells   = TELLS,
}
signature {
  id      = "kernel.xid_cleanup", -- channels that are torn down: never a cause
  stream  = "kernel",
  needles = { "NVRM: Xid" },
  pattern = HEAD .. [[(?<xid>43|45)]] .. TAIL,
  fields  = FIELDS,
  fold    = { "gpu", "xid", "pid" },
  match   = { "NVRM: Xid (PCI:0000:3b:00): 45, pid=4121, name=python3, Ch 00000010 caused by previous Xid 31" },
  ignore  = { "NVRM: Xid (PCI:0000:3b:00): 143, GPU initialisation" },
  tells   = TELLS,
}
signature {
  id      = "kernel.xid_nvlink5", -- every partner of a broken link
  stream  = "kernel",
  needles = { "NVRM: Xid" },
  pattern = HEAD .. [[(?<xid>14[4-9]|150)]] .. TAIL,
  fields  = FIELDS,
  match   = { "NVRM: Xid (PCI:0009:07:00): 149, NETIR_LINK_EVT  Fatal   XC0 i0 Link 01 (0x021425c6 0x00000000)" },
  ignore  = { "NVRM: Xid (PCI:0000:3b:00): 143, GPU initialisation", "NVRM: Xid (PCI:0000:3b:00): 151, key rotation" },
  tells   = TELLS,
}
signature {
  id      = "kernel.gsp_report",
  stream  = "kernel",
  needles = { "GSP-CrashCat Report" },
  pattern = [[^NVRM: \w+: \*+ GSP-CrashCat Report]],
  match   = { "NVRM: kgspHealthCheck_TU102: ****************************** GSP-CrashCat Report *******************************" },
  ignore  = { "NVRM: kgspHealthCheck_TU102: **********************************************************************************" },
  tells   = "the GPU's firmware reports its own crash",
}
-- The driver misses the firmware's heartbeat seconds before channels time out: the channels' Xids are its effects.
signature {
  id      = "kernel.gsp_silent",
  stream  = "kernel",
  needles = { "GSP RM heartbeat timed out", "GSP core unresponsive", "GSP-RM unresponsive", "Rate limiting GSP RPC error prints" },
  pattern = [[^NVRM: .*(?:GSP RM heartbeat timed out|=+ GSP core unresponsive =+|=+ GSP-RM unresponsive =+|Rate limiting GSP RPC error prints for GPU at PCI:(?<gpu>[0-9a-fA-F:.]+))]],
  fields  = { gpu = "pci" },
  fold    = { "gpu" },
  match   = { "NVRM: _kgspRpcRecvPoll: GSP RM heartbeat timed out. timestamp: 8420113 diff: 8011 timeout: 5200", "NVRM: ================ GSP core unresponsive ===============",
              "NVRM: Rate limiting GSP RPC error prints for GPU at PCI:0000:3b:00 (printing 1 of every 30).  The GPU likely needs to be reset." },
  ignore  = { "NVRM: =================== GSP-RM is slow ===================" },
  tells   = "the GPU's firmware does not answer any more",
}
signature {
  id      = "kernel.gpu_uuid",
  stream  = "kernel",
  needles = { "NVRM: GPU at PCI:" },
  pattern = [[NVRM: GPU at PCI:(?<gpu>[0-9a-fA-F]{2,8}:[0-9a-fA-F:.]+): (?<uuid>GPU-[0-9a-f-]{36})]],
  fields  = { gpu = "pci", uuid = "uuid" },
  match   = { "NVRM: GPU at PCI:0000:02:00: GPU-93321c6a-7cef-3477-e43b-a55bf1f29aac" },
  ignore  = { "NVRM: GPU Board Serial Number: 0322716036227" },
}

-- What stands in front of the first Xid of a finding and says the same, of this GPU or of one that is not named.
local PREFACE = {
  [119] = { "kernel.gsp_report", "kernel.gsp_silent" }, [120] = { "kernel.gsp_report", "kernel.gsp_silent" },
  [62] = { "kernel.pmu_halted" }, [79] = { "kernel.config_gone", "kernel.reads_ones" },
}
local function preface_of(on, one)
  local out, s = {}, one.all[1]
  for _, id in ipairs(PREFACE[s.fields.xid] or {}) do
    out = join(out, keep(on[id], function(p) return (p.gpu == nil or p.gpu == s.gpu) and order(p, s) ~= "after" and is_near(p, s, seconds(10)) end))
  end
  return out
end

-- Severity by class and number. 63 alone records a remap that waits for a reset, 92 is a warning level; the others are for NVIDIA's
-- catalogue nothing to act on.
local MILD = { [38] = "warning", [44] = "warning", [63] = "warning", [66] = "warning", [67] = "warning", [92] = "warning", [121] = "note", [160] = "warning", [161] = "warning", [176] = "warning" }
-- What the program did, as far as the driver can tell; a context switch timeout or a copy engine fault right behind it is
-- its aftermath. NVLink 5 codes (144 to 150) are decoded in nvlink.lua.
local AFTERMATH = { [8] = true, [109] = true, [32] = true, [69] = true, [137] = true }
local NEAR, AFTER, LONG_AGO, JUST_BEFORE = minutes(2), minutes(5), hours(1), seconds(10)

local function severity_of(number, class)
  if MILD[number] then return MILD[number] end
  return class == "hardware" and "critical" or "error"
end

-- A remap that was recorded is done when the driver is loaded again; what fails after that does not come from it.
signature {
  id      = "kernel.driver_loaded",
  stream  = "kernel",
  needles = { "NVRM: loading NVIDIA UNIX" },
  pattern = [[^NVRM: loading NVIDIA UNIX]],
  fold    = {},
  match   = { "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build" },
  ignore  = { "nvidia-uvm: Loaded the UVM driver, major device number 508." },
  tells   = "the driver is loaded",
}
local function row_of(s) return XID[s.fields.xid] end
local function is_deep(s) -- the GPU or its driver itself
  local class = row_of(s)[1]
  return (class == "hardware" or class == "driver") and not MILD[s.fields.xid]
end
local function is_program(s) return s.fields.xid == 13 or s.fields.xid == 31 end

-- What can explain others, in time order: faults of the GPU or its driver (of all GPUs, and of each), and of programs on each GPU. A node
-- that is going down prints hundreds of Xids, so nothing here may look at every pair of them: on one clock each list is walked once, behind
-- a mark of what is too old for all that follow.
local function reasons_in(all)
  local out = { deep = {}, of_gpu = {}, program = {}, one_clock = true }
  local function file(by_gpu, s)
    local key = s.gpu or "?"
    by_gpu[key] = by_gpu[key] or {}
    table.insert(by_gpu[key], s)
  end
  for _, s in ipairs(all) do
    out.one_clock = out.one_clock and s.clock ~= nil and s.clock == all[1].clock
    if is_deep(s) then
      table.insert(out.deep, s)
      file(out.of_gpu, s)
    elseif is_program(s) then
      file(out.program, s)
    end
  end
  return out
end

-- The first of list that is near enough in front of s, and fits.
local function first_near(list, s, window, one_clock, fits)
  for i = list and list.from or 1, list and #list or 0 do
    local r, how = list[i], order(list[i], s)
    local distance, known = gap(r, s)
    if how == "after" then
      if one_clock then return nil end
    elseif known and distance > window then
      if one_clock then list.from = i + 1 end
    elseif r.ref ~= s.ref and (not fits or fits(r, how)) then
      return r
    end
  end
end

-- Which of all explains s: a fault of this GPU or of a partner shortly before, or the program's own fault on this GPU.
local function reason_of(s, reasons)
  if is_deep(s) then return nil end
  local gpu, known, one = s.gpu or "?", row_of(s)[1] == "either", reasons.one_clock
  local deep = first_near(s.fields.xid == 31 and reasons.deep or reasons.of_gpu[gpu], s, NEAR, one)
  local program = (known or AFTERMATH[s.fields.xid]) and first_near(reasons.program[gpu], s, AFTER, one, function(r, how)
    return known and how ~= "unknown" or AFTERMATH[s.fields.xid] and r.ref < s.ref
  end) or nil
  if deep and program then return deep.ref < program.ref and deep or program end
  return deep or program
end

-- A fault of a program long before the GPU broke is another story: programs of last week are gone.
local function is_history(run, reasons)
  local latest = last(run)
  for i = #reasons.deep, 1, -1 do
    local r = reasons.deep[i]
    local distance, known = gap(latest, r)
    if order(latest, r) == "before" then
      if known and distance > LONG_AGO then return true end
    elseif reasons.one_clock then
      return false
    end
  end
  return false
end

local WHY = {
  hardware = "the driver's own report names the hardware fault",
  driver = "the driver's own report",
  app = "this Xid is nearly always a fault of the program",
  either = "this Xid can come from the program or from hardware",
}

-- The line's own words, unless they only repeat the table's.
local function told_by(f)
  if f.text == "" then return " (no text)" end
  local said, known = f.text:lower(), XID[f.xid][4]:lower()
  return (said == known or said == known .. ".") and "" or " (" .. f.text .. ")"
end

local function told_plainly(f) return (f.text or "") ~= "" and " (" .. f.text .. ")" or "" end

local function finding_of(one, symptoms)
  local numbers, seen, total = {}, {}, 0
  for _, s in ipairs(one.all) do
    total = total + s.count
    if not seen[s.fields.xid] then
      seen[s.fields.xid] = true
      numbers[#numbers + 1] = tostring(s.fields.xid)
    end
  end
  local graver = keep(one.all, function(s) return not MILD[s.fields.xid] end)
  local f, gpu = (first(graver) or first(one.all)).fields, first(one.all).gpu
  return {
    cause = one.cause, severity = one.severity, scope = "gpu", evidence = one.all, count = total, gpu = gpu, symptoms = symptoms,
    confidence = #graver == 0 and "possible" or (one.class == "hardware" or one.class == "driver") and "certain" or "likely",
    confidence_why = #graver == 0 and "the driver records it, and calls for nothing; that a program was hit is not in it" or WHY[one.class],
    summary = string.format("Xid %s on GPU %s%s: %s%s", table.concat(numbers, ", "), gpu or "?",
      total > 1 and string.format(", %d times", total) or "", XID[f.xid][4], told_by(f)),
    facts = { xid = table.concat(numbers, ","), action = XID[f.xid][3] },
  }
end

-- What is wrong with the program's own code or input is raised on the CPU, before and without any fault on a GPU: the Xid of a process that
-- nothing of the job names is a neighbour's then. Anything that speaks of the GPU or of peers, and it may be the job's.
local OWN_CODE = [[^(?:[\w.]+\.)?(?:ModuleNotFound|Import|Syntax|Indentation|Name|UnboundLocal|Attribute|Type|Key|Index|Value|FileNotFound|Permission|ZeroDivision|UnicodeDecode|NotImplemented)Error: ]]
local OF_GPU = [[(?i)cuda|nccl|cublas|cudnn|\bgpu|device|nan\b|inf\b|distributed|connection|collective]]
local function died_of_its_own(on)
  if #on["app.traceback"] == 0 or #on["app.cpp_error"] + #on["nccl.warn"] > 0 then return false end
  return #keep(on["app.traceback"], function(s)
    local text = (s.fields.type or "") .. ": " .. (s.fields.message or "")
    return match(text, OWN_CODE) == nil or match(text, OF_GPU) ~= nil
  end) == 0
end

correlate {
  id    = "gpu.xid",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.xid", "kernel.xid_program", "kernel.gsp_report", "kernel.gsp_silent", "kernel.pmu_halted", "kernel.config_gone", "kernel.reads_ones" },
  reach = { "kernel.driver_loaded", "app.run_completed", "app.traceback", "app.cpp_error", "nccl.warn" },
  judge = function(case)
    local beside = died_of_its_own(case.signals)
    -- followers and information never make a finding: 45 comes with every killed process, 154 with every other Xid
    local all = keep(join(case.signals["kernel.xid"], case.signals["kernel.xid_program"]), function(s)
      local row = row_of(s)
      return row and row[2] and row[1] ~= "follower" and row[1] ~= "info"
    end)
    local groups, order_of, symptoms, reasons = {}, {}, {}, reasons_in(all)
    local function group_of(s)
      local row = row_of(s)
      local severity = severity_of(s.fields.xid, row[1])
      local key = (s.gpu or "?") .. row[2] .. severity
      if not groups[key] then
        groups[key] = { cause = row[2], severity = severity, class = row[1], all = {} }
        order_of[#order_of + 1] = key
      end
      return groups[key], key
    end
    for _, s in ipairs(all) do
      local reason = reason_of(s, reasons)
      local error = s.fields.xid == 63 and keep(reasons.of_gpu[s.gpu or "?"] or {}, function(r) return row_of(r)[2] == "gpu.ecc_uncorrectable" and is_near(s, r, NEAR) end) or {}
      if #error > 0 then -- the remap that the error beside it asks for
        table.insert(group_of(error[1]).all, s)
      elseif reason then
        local _, key = group_of(reason)
        symptoms[key] = symptoms[key] or {}
        table.insert(symptoms[key], s)
      else
        table.insert(group_of(s).all, s)
      end
    end
    local found = {}
    for _, key in ipairs(order_of) do
      local one = groups[key]
      if #one.all > 0 then
        local f = finding_of(one, symptoms[key])
        f.evidence = join(one.all, preface_of(case.signals, one))
        -- a GPU that is breaking makes programs fault before its own report is out: no program takes a GPU off the bus
        local forerunners = one.class == "hardware" and f.severity == "critical" and keep(reasons.program[one.all[1].gpu or "?"] or {}, function(s)
          return order(s, one.all[1]) == "before" and is_near(s, one.all[1], JUST_BEFORE)
        end) or {}
        if #forerunners > 0 then
          f.lag, f.symptoms = JUST_BEFORE, join(f.symptoms or {}, forerunners)
        end
        local since = one.all[1].fields.xid == 63 and #distinct(one.all, "xid") == 1 and keep(case.signals["kernel.driver_loaded"], function(s)
          return s.host == last(one.all).host and order(last(one.all), s) == "before"
        end) or {}
        if #since > 0 then
          f.severity, f.summary = "note", f.summary .. "; the driver was loaded again since, which applied it"
        end
        if (one.class == "app" or one.severity == "warning") and ended_well(case.signals["app.run_completed"], last(one.all)) then
          f.severity, f.summary = "note", f.summary .. "; the job ran to its end"
        end
        if one.class == "app" and beside and #keep(one.all, function(s) return s.rank ~= nil end) == 0 then
          f.severity, f.summary = "note", f.summary .. "; the job ended by a fault of its own code, which says nothing of a GPU, and none of its processes is the one named"
        end
        if one.class == "app" and is_history(one.all, reasons) then
          f.severity, f.summary = "note", f.summary .. "; long before the GPU failed, by a program that was gone by then"
        end
        found[#found + 1] = f
      end
    end
    return found
  end,
}

-- A firmware that is silent, and no 119 or 120 that says so: the line names no GPU, the channels that time out behind it do.
correlate {
  id    = "gpu.gsp_silent",
  group = "host",
  uses  = { "kernel.gsp_silent" },
  reach = { "kernel.xid" },
  judge = function(case)
    local silent = case.signals["kernel.gsp_silent"]
    local here = keep(case.signals["kernel.xid"], function(x) return x.host == case.host and is_near(silent[1], x, NEAR) end)
    if #keep(here, function(x) return x.fields.xid == 119 or x.fields.xid == 120 end) > 0 then return {} end
    local behind = keep(here, function(x) return (AFTERMATH[x.fields.xid] or x.fields.xid == 154) and order(silent[1], x) ~= "after" end)
    local gpus = distinct(join(behind, silent), "gpu")
    return { { cause = "gpu.gsp_timeout", confidence = "likely", scope = #gpus == 1 and "gpu" or "host", gpu = #gpus == 1 and gpus[1] or nil, evidence = silent, symptoms = behind,
      confidence_why = "the driver misses the firmware's heartbeat" .. (#behind > 0 and ", and channels time out behind it" or ""),
      summary = "The firmware (GSP) of a GPU stopped answering" } }
  end,
}

-- The driver's watchdog feeds the GPU a small task every second, and says so when it does not come back. It names no GPU; a context switch that timed out
-- behind it does. Source: open-gpu-kernel-modules, src/nvidia/src/kernel/gpu/rc/kernel_rc_watchdog.c.
signature {
  id      = "kernel.rc_watchdog",
  stream  = "kernel",
  needles = { "RC watchdog: GPU is probably locked" },
  pattern = [[^NVRM: (?:GPU\S* )?(?:krcWatchdog\w*: )?RC watchdog: GPU is probably locked]],
  fold    = {},
  match   = { "NVRM: krcWatchdog_IMPL: RC watchdog: GPU is probably locked!  Notify Timeout Seconds: 7" },
  ignore  = { "NVRM: krcWatchdog_IMPL: RC watchdog: Trying to recover." },
  tells   = "the driver's watchdog gets no answer from a GPU",
}
correlate {
  id    = "gpu.rc_watchdog",
  group = "host",
  uses  = { "kernel.rc_watchdog" },
  reach = { "kernel.xid", "kernel.xid_program", "kernel.gpu_lost", "app.run_completed" },
  judge = function(case)
    local on = case.signals
    local said = on["kernel.rc_watchdog"]
    local function here(list) return keep(list, function(x) return x.host == case.host and is_near(said[1], x, NEAR) end) end
    local behind = here(on["kernel.xid"])
    -- another report tells what happened to the GPU; a context that did not switch only repeats it
    if #keep(behind, function(x) return not AFTERMATH[x.fields.xid] end) + #here(on["kernel.xid_program"]) + #here(on["kernel.gpu_lost"]) > 0 then return {} end
    local gpus = distinct(behind, "gpu")
    local over = ended_well(on["app.run_completed"], last(said))
    return { { cause = "gpu.hardware_other", severity = over and "note" or "error", confidence = "possible", scope = #gpus == 1 and "gpu" or "host", gpu = #gpus == 1 and gpus[1] or nil, evidence = join(said, behind),
      confidence_why = over and "the driver's own words; the job ran to its end" or "the driver's own words; whether the hardware, the driver or the program locked it they do not say",
      summary = "A GPU does not answer the driver's watchdog" .. (#behind > 0 and ", and its contexts do not switch" or "") } }
  end,
}

-- Channels that were torn down, and accesses that a partner no longer serves, say that a process ended or a GPU left, never why.
correlate {
  id    = "gpu.xid_cleanup",
  group = "host",
  uses  = { "kernel.xid_cleanup", "kernel.xid" },
  judge = function(case)
    local followers = keep(case.signals["kernel.xid"], function(s)
      local row = row_of(s)
      return row ~= nil and row[1] == "follower"
    end)
    local all, count = join(case.signals["kernel.xid_cleanup"], followers), 0
    if #all == 0 then return {} end
    for _, s in ipairs(all) do count = count + s.count end
    return { { cause = "gpu.app_fault", echo = true, confidence = "certain", scope = "host", evidence = all, count = count,
      confidence_why = "the driver prints it for every process that is ended while it uses the GPU",
      summary = string.format("Xid %d on %s: %s", all[1].fields.xid, case.host or "a host", #followers == #all and row_of(all[1])[4] or "the driver cleaned up behind processes that were ended") } }
  end,
}

-- Newer drivers say of a clean-up which Xid was before it. Where that line is not in the log, its number is all that is left of it.
correlate {
  id    = "gpu.xid_previous",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.xid_cleanup" },
  reach = { "kernel.xid", "kernel.xid_program", "kernel.xid_nvlink5", "app.run_completed" },
  judge = function(case)
    local on, found = case.signals, {}
    local told = join(on["kernel.xid"], on["kernel.xid_program"], on["kernel.xid_nvlink5"])
    local lost = keep(on["kernel.xid_cleanup"], function(s)
      local row = s.fields.previous and XID[s.fields.previous]
      return row and row[2] and row[1] ~= "follower" and row[1] ~= "info" and s.fields.previous ~= 43
        and #keep(told, function(x) return x.fields.xid == s.fields.previous and x.host == s.host and x.gpu == s.gpu end) == 0
    end)
    for _, all in ipairs(group_by(lost, function(s) return (s.gpu or "?") .. s.fields.previous end)) do
      local number, gpu = all[1].fields.previous, all[1].gpu
      local row = XID[number]
      local severity = severity_of(number, row[1])
      if row[1] == "app" and ended_well(on["app.run_completed"], last(all)) then severity = "note" end
      found[#found + 1] = { cause = row[2], severity = severity, confidence = "likely", scope = "gpu", gpu = gpu, evidence = all,
        confidence_why = "the driver names the Xid that came before; that line itself is not in the log",
        summary = string.format("Xid %d on GPU %s came before a clean-up (Xid 45): %s", number, gpu or "?", row[4]), facts = { xid = tostring(number), action = row[3] } }
    end
    return found
  end,
}

-- Numbers that nobody has a meaning for on a machine like this, or that NVIDIA only wants to hear of.
correlate {
  id    = "gpu.xid_other",
  group = "host",
  uses  = { "kernel.xid" },
  judge = function(case)
    local other = keep(case.signals["kernel.xid"], function(s)
      local row = row_of(s)
      return row == nil or (row[2] == nil and row[1] ~= "info")
    end)
    local found = {}
    for _, all in ipairs(group_by(other, function(s) return (s.gpu or "?") .. s.fields.xid end)) do
      local number, row = all[1].fields.xid, row_of(all[1])
      found[#found + 1] = { cause = "gpu.hardware_other", severity = "note", confidence = "possible", scope = "gpu", gpu = all[1].gpu, evidence = all, count = #all,
        confidence_why = row and "the driver's own report; that a job feels it is not known" or "the number is in no list of NVIDIA's that is known here",
        summary = string.format("Xid %d on GPU %s: %s", number, all[1].gpu or "?", row and row[4] or "a number without a known meaning" .. told_plainly(all[1].fields)) }
    end
    return found
  end,
}
