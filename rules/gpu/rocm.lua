-- AMD GPUs: what the ROCm runtime prints when a kernel of the program touches what it must not. It ends the process by SIGABRT at once, and
-- neither Python nor RCCL says anything of their own. Sources: ROCR-Runtime core/runtime/runtime.cpp (VM fault handler), HIP/rocclr queue errors.
signature {
  id      = "rocm.fault",
  stream  = "app",
  needles = { "Memory access fault by GPU", "HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION", "HSA_STATUS_ERROR_EXCEPTION", "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION", "HSA_STATUS_ERROR_MEMORY_FAULT" },
  pattern = [[Memory access fault by GPU node-(?<node>\d+)(?: \(Agent handle: \w+\))? on address (?<address>\S+)\. Reason: (?<reason>[^.]+?)\s*(?:\.|$)|(?<reason>HSA_STATUS_ERROR_(?:MEMORY_APERTURE_VIOLATION|EXCEPTION|ILLEGAL_INSTRUCTION|MEMORY_FAULT))]],
  fields  = { node = "int", address = "text", reason = "text" },
  match   = { "Memory access fault by GPU node-7 (Agent handle: 0x55fea5592860) on address 0x7fc133800000. Reason: Page not present or supervisor privilege.", "Memory access fault by GPU node-1 on address 0x1e4000. Reason: Unknown.",
              ":0:rocdevice.cpp:2660: Callback: Queue 0x7f aborting with error : HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION: The agent attempted to access memory beyond the largest legal address. code: 0x29" },
  ignore  = { "HSA_STATUS_ERROR_OUT_OF_RESOURCES: The runtime failed to allocate the necessary resources.", "no memory access fault so far" },
  tells   = "the ROCm runtime stops the process: {reason}",
}
correlate {
  id    = "gpu.app_fault.rocm",
  group = "job",
  uses  = { "rocm.fault" },
  reach = { "launcher.worker_failed", "launcher.exitcode" },
  judge = function(case)
    local on = case.signals
    local said = on["rocm.fault"]
    local s = first(said)
    -- the runtime aborts its process: where one rank alone ended so, it is that one
    local ended = keep(join(on["launcher.worker_failed"], on["launcher.exitcode"]), function(e)
      local code = e.fields.exitcode or e.fields.code
      return e.member == s.member and (code == -6 or code == 134)
    end)
    local ranks = distinct(ended, "rank")
    local rank = s.rank or (#ranks == 1 and ranks[1]) or nil
    return { { cause = "gpu.app_fault", confidence = "likely", scope = rank and "rank" or "job", rank = rank, ranks = rank and { rank } or {}, evidence = said, symptoms = ended,
      confidence_why = "the ROCm runtime names an access that the kernel of the program made; a GPU that is broken can look the same, and the kernel log would show it",
      summary = string.format("A kernel on a GPU%s touched memory that it must not: %s", s.fields.node and string.format(" (node %d)", s.fields.node) or "", s.fields.reason or "?") } }
  end,
}

-- A GPU that hangs: the runtime aborts every process that uses it, and the driver resets the GPU, with all that are tied to it. What the hardware
-- reported in the seconds before belongs to it. Errors that were corrected, alone, are no failure.
-- Sources: ROCR-Runtime runtime.cpp (HwExceptionHandler); kernel drivers/gpu/drm/amd/amdgpu (amdgpu_device.c, amdgpu_ras.c, amdgpu_job.c).
local CLOSE = seconds(30)
signature {
  id      = "rocm.hw_exception",
  stream  = "app",
  needles = { "HW Exception by GPU node-" },
  pattern = [[HW Exception by GPU node-(?<node>\d+)(?: \(Agent handle: \w+\))? reason ?:\s?(?<reason>[^\n]+?)\s*$]],
  fields  = { node = "int", reason = "text" },
  match   = { "HW Exception by GPU node-6 (Agent handle: 0x5578b60) reason :GPU Hang", "HW Exception by GPU node-2 reason: ECC" },
  ignore  = { "Memory access fault by GPU node-7 (Agent handle: 0x55fea5592860) on address 0x7fc133800000. Reason: Unknown." },
  tells   = "the ROCm runtime stops the process: {reason} of GPU node {node}",
}
signature {
  id      = "kernel.amdgpu_reset",
  stream  = "kernel",
  needles = { "GPU reset begin", " timeout, signaled seq=" },
  pattern = [[^(?:amdgpu (?<gpu>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d): (?:amdgpu: )?(?:GPU reset begin|ring (?<ring>\S+) timeout, signaled seq=)|\[drm:amdgpu_job_timedout \[amdgpu\]\] \*ERROR\* ring (?<ring>\S+) timeout, signaled seq=)]],
  fields  = { gpu = "pci", ring = "text" },
  match   = { "amdgpu 0000:dd:00.0: amdgpu: GPU reset begin!", "[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring sdma0 timeout, signaled seq=16060, emitted seq=16062" },
  ignore  = { "amdgpu 0000:dd:00.0: amdgpu: GPU reset succeeded, trying to resume" },
  tells   = "the driver resets the GPU {gpu}",
}
signature {
  id      = "kernel.amdgpu_ras",
  stream  = "kernel",
  needles = { "hardware errors detected in", "Accelerator Check Architecture events logged" },
  pattern = [[^amdgpu (?<gpu>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d): (?:amdgpu: )?(?:\{\d+\})?(?:\[Hardware Error\]: Accelerator Check Architecture events logged|socket: \d+, die: \d+, (?<count>[1-9]\d*) new (?<kind>uncorrectable|correctable|deferred) hardware errors detected in (?<block>\w+) block|(?<count>[1-9]\d*) (?<kind>uncorrectable) hardware errors detected in (?<block>\w+) block)]],
  fields  = { gpu = "pci", count = "int", kind = "text", block = "text" },
  match   = { "amdgpu 0000:9d:00.0: {1}socket: 6, die: 1, 1533 new correctable hardware errors detected in xgmi_wafl block", "amdgpu 0000:9d:00.0: {1}[Hardware Error]: Accelerator Check Architecture events logged",
              "amdgpu 0000:c1:00.0: amdgpu: 1 uncorrectable hardware errors detected in umc block" },
  ignore  = { "amdgpu 0000:9d:00.0: {1}socket: 6, die: 1, 1533 correctable hardware errors detected in total in xgmi_wafl block", "amdgpu 0000:c1:00.0: amdgpu: 0 uncorrectable hardware errors detected in umc block" },
  tells   = "the GPU {gpu} reports {kind} errors in {block}",
}
correlate {
  id    = "gpu.hardware_other.amdgpu",
  group = "job",
  uses  = { "rocm.hw_exception", "kernel.amdgpu_reset", "kernel.amdgpu_ras" },
  reach = { "launcher.worker_failed", "launcher.exitcode", "app.run_completed", "rocm.fault" },
  judge = function(case)
    local on = case.signals
    local hung, reset = on["rocm.hw_exception"], on["kernel.amdgpu_reset"]
    local broken = keep(on["kernel.amdgpu_ras"], function(s) return s.fields.kind == "uncorrectable" end)
    local head = first(join(reset, hung, broken))
    if not head then return {} end
    local signs = keep(on["kernel.amdgpu_ras"], function(s) return order(s, reset[1] or head) ~= "after" and is_near(s, reset[1] or head, CLOSE) end)
    local memory = #keep(broken, function(s) return s.fields.block == "umc" end) > 0
    local ended = #hung > 0 and keep(join(on["launcher.worker_failed"], on["launcher.exitcode"]), function(e)
      local code = e.fields.exitcode or e.fields.code
      return code == -6 or code == 134
    end) or {}
    -- a queue that a program wedged is reset too: without a word of the hardware, and behind a fault of the program, it is the program's
    if #on["rocm.fault"] > 0 and #signs + #broken == 0 then return {} end
    local over = ended_well(on["app.run_completed"], head)
    local gpus = distinct(#signs > 0 and signs or reset, "gpu")
    return { { cause = memory and "gpu.ecc_uncorrectable" or "gpu.hardware_other", severity = over and "note" or #hung + #broken > 0 and "error" or "warning", confidence = (#signs > 0 and #reset > 0 or memory) and "likely" or "possible",
      scope = #gpus == 1 and "gpu" or "job", gpu = #gpus == 1 and gpus[1] or nil, host = head.host, evidence = join(signs, broken, reset, hung), symptoms = ended, ranks = {},
      confidence_why = #signs + #broken > 0 and "the hardware reported errors just before the GPU was reset" or "the GPU hung; a program that wedges its queue can look the same",
      summary = string.format("An AMD GPU %s%s", memory and "has uncorrectable memory errors" or "hung and was reset", #hung > 0 and ": " .. first(hung).fields.reason or "") } }
  end,
}
