-- A hang without any error: GPUs all busy or all idle sample after sample, or workers that wait for each other minute after minute, and no
-- sign that anything moved on. Slow loading and compiling look the same while they last: only what is never followed by progress counts.
-- Sources: vLLM device_communicators/shm_broadcast.py; nvidia-smi.
signature {
  id      = "vllm.shm_wait",
  stream  = "app",
  needles = { "No available shared memory broadcast block found", "No available block found in" },
  pattern = [[No available (?:shared memory broadcast )?block found in (?<seconds>\d+) second]],
  fields  = { seconds = "int" },
  fold    = {},
  match   = { "No available shared memory broadcast block found in 60 seconds. This typically happens when some processes are hanging or doing some time-consuming work (e.g. compilation)." },
  ignore  = { "No available block" },
}
signature {
  id      = "vllm.ready",
  stream  = "app",
  needles = { "Application startup complete", "Uvicorn running", "Avg prompt throughput", "Loading weights took", "init engine", "GET /health", "fired up and ready" },
  pattern = [[Application startup complete|Uvicorn running|Avg prompt throughput|init engine \(profile|"GET /health HTTP|fired up and ready to roll]],
  fields  = {},
  fold    = {},
  match   = { "INFO:     Application startup complete.", "The server is fired up and ready to roll!" },
  ignore  = { "Loading weights took 3.11 seconds" },
}
correlate {
  id    = "comm.deadlock.waits",
  group = "job",
  uses  = { "vllm.shm_wait" },
  reach = { "vllm.ready", "app.good_end", "nccl.init_complete", "gpu.samples" },
  judge = function(case)
    local on = case.signals
    local waits = on["vllm.shm_wait"]
    local count = 0
    for _, s in ipairs(waits) do count = count + s.count end
    local s = first(waits)
    local later = keep(join(on["vllm.ready"], on["app.good_end"]), function(r) return r.member == s.member and r.line > s.line or order(s, r) == "before" end)
    if count < 5 or #later > 0 then return {} end
    return { { cause = "comm.deadlock_suspected", confidence = "possible", scope = "job", evidence = waits,
      confidence_why = "workers wait minute after minute, and the log ends without progress; loading or compiling could take as long",
      summary = string.format("Workers waited for each other %d times %d s, until the log ends", count, s.fields.seconds) } }
  end,
}
correlate {
  id    = "comm.deadlock.samples",
  group = "job",
  uses  = { "gpu.samples" },
  reach = { "nccl.init_complete", "app.progress", "app.good_end", "torch.watchdog_timeout", "app.traceback" },
  judge = function(case)
    local on = case.signals
    -- busy without work: full utilisation at the power of an idle GPU, in every sample
    local still = keep(on["gpu.samples"], function(s)
      local f = s.fields
      return (f.rows or 0) >= 5 and (f.utilization_min or 0) >= 98 and f.power_max ~= nil and f.power_max > 0 and f.power_max - (f.power_min or f.power_max) <= 10
    end)
    if #still == 0 or #still < #on["gpu.samples"] or #on["app.good_end"] > 0 or #on["nccl.init_complete"] == 0 then return {} end
    local moved = keep(on["app.progress"], function(p) return order(still[1], p) == "before" end)
    if #moved > 0 then return {} end
    return { { cause = "comm.deadlock_suspected", confidence = "possible", scope = "job", evidence = still,
      confidence_why = "all GPUs spin at constant power and nothing shows progress; a kernel that waits looks so, an even load could too",
      summary = "All GPUs are at full utilisation and constant power in every sample, and nothing shows progress" } }
  end,
}
