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
