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
