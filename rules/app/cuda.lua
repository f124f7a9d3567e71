-- CUDA's own words for broken hardware, wherever a program prints them: "worker TP2: CUDA error: uncorrectable NVLink error ...".
-- Source: CUDA runtime, cudaGetErrorString of 214 and 220. The kernel's Xid says which GPU, and when.
local WHY = "CUDA gives this error for broken hardware only; the kernel log would name the GPU and the moment"

signature {
  id      = "app.cuda_ecc",
  stream  = "app",
  needles = { "uncorrectable ECC error" },
  pattern = [[(?:CUDA|cuda).{0,80}uncorrectable ECC error encountered]],
  fields  = {},
  fold    = {},
  match   = { "ERROR worker 3: CUDA error: uncorrectable ECC error encountered" },
  ignore  = { "no uncorrectable ECC error encountered so far" },
}
signature {
  id      = "app.cuda_nvlink",
  stream  = "app",
  needles = { "uncorrectable NVLink error", "Invalid access of peer GPU memory over nvlink" },
  pattern = [[(?:CUDA|cuda).{0,80}uncorrectable NVLink error detected|Invalid access of peer GPU memory over nvlink or a hardware error]],
  fields  = {},
  fold    = {},
  match   = { "11:05:02 ERROR worker TP2: CUDA error: uncorrectable NVLink error detected during the execution",
              "cuMemFreeAsync failed to free 1073741824: CUDA_ERROR_CONTAINED: Invalid access of peer GPU memory over nvlink or a hardware error" },
  ignore  = { "watching for an uncorrectable NVLink error detected by the fabric" },
}

for id, row in pairs({
  ["app.cuda_ecc"] = { "gpu.ecc_uncorrectable", "CUDA reports an uncorrectable memory error of a GPU" },
  ["app.cuda_nvlink"] = { "gpu.nvlink_error", "CUDA reports an uncorrectable NVLink error" },
}) do
  correlate {
    id    = id .. ".told",
    group = "host",
    uses  = { id },
    reach = { "launcher.worker_failed", "srun.ended" },
    judge = function(case)
      local ranks = distinct(keep(case.signals[id], function(s) return s.rank ~= nil end), "rank")
      local alone = #ranks == 0 and failed_alone(join(case.signals["launcher.worker_failed"], case.signals["srun.ended"]), case.signals[id][1])
      if alone then ranks = { alone } end
      return { { cause = row[1], confidence = "likely", confidence_why = WHY, rank = #ranks == 1 and ranks[1] or nil, ranks = #ranks > 0 and ranks or nil, evidence = case.signals[id], summary = row[2] } }
    end,
  }
end

-- Direct access between GPUs that a program's own all-reduce asks for and CUDA refuses. That a library says beforehand which pairs lack it is advice: it may do without.
-- Source: CUDA error 217, cudaErrorPeerAccessUnsupported; TensorRT-LLM runtime/ipcUtils.cpp.
signature {
  id      = "app.peer_refused",
  stream  = "app",
  needles = { "peer access is not supported between these two devices" },
  pattern = [[^(?!.*NCCL (?:WARN|INFO)).*(?:CUDA|cuda).*: peer access is not supported between these two devices]],
  fields  = {},
  fold    = {},
  match   = { "[ERROR] CUDA runtime error in cudaIpcOpenMemHandle(&p, handles[i], cudaIpcMemLazyEnablePeerAccess): peer access is not supported between these two devices (/src/ipc.cpp:77)" },
  ignore  = { "h1:1:2 [0] p2p.cc:1 NCCL WARN Cuda failure 217 'peer access is not supported between these two devices'", "[WARNING] Device 2 peer access Device 5 is not available." },
  tells   = "CUDA refuses direct access between two GPUs",
}
signature {
  id      = "app.peer_lacking",
  stream  = "app",
  needles = { " peer access Device " },
  pattern = [[Device (?<a>\d+) peer access Device (?<b>\d+) is not available]],
  fields  = { a = "int", b = "int" },
  fold    = {},
  match   = { "[TensorRT-LLM][WARNING] Device 2 peer access Device 5 is not available." },
  ignore  = { "Device 2 peer access Device 5 enabled" },
  tells   = "GPU {a} cannot reach GPU {b} directly",
}
correlate {
  id    = "pcie.p2p_blocked.told",
  group = "host",
  uses  = { "app.peer_refused" },
  reach = { "app.peer_lacking", "app.good_end", "app.progress" },
  judge = function(case)
    local on = case.signals
    local said = on["app.peer_refused"]
    local calm = #on["app.good_end"] > 0 or #keep(on["app.progress"], function(p) return p.member == said[1].member and p.line > said[1].line end) > 0
    local before = keep(on["app.peer_lacking"], function(s) return s.host == nil or case.host == nil or s.host == case.host end)
    return { { cause = "pcie.p2p_blocked", class = "init", severity = calm and "note" or "error", confidence = "likely", evidence = join(before, said), ranks = {},
      confidence_why = "CUDA's own words; whether access control, an IOMMU, a virtual machine or the board is in the way they do not say",
      summary = "The program needs direct access between GPUs, and CUDA refuses it" } }
  end,
}
