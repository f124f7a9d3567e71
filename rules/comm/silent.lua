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
  reach = { "vllm.ready", "app.good_end" },
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

-- GPUs that stand still while the job's processes do not: five samples and more in which all GPUs do nothing, or all spin at the power of an
-- idle GPU, to the end of the series. An idle machine looks the same to nvidia-smi, so a sign of waiting has to be beside it: a process that
-- burns a CPU, or sockets whose other end has gone or does not read. Where anything says what went wrong, that is told instead.
local STUCK_ROWS = 5
local WAITING_W = 300 -- more than a waiting kernel draws on any board; told where nothing says what the board allows
local function is_tail_of(s)
  local f = s.fields
  if (f.rows or 0) < STUCK_ROWS then return nil end
  if (f.idle_tail_rows or 0) >= STUCK_ROWS or (f.idle_tail_rows == nil and f.utilization_max == 0) then return "idle" end
  local low, high = f.spin_power_min, f.spin_power_max
  local tail = (f.spin_tail_rows or 0) >= STUCK_ROWS
  if not tail and f.utilization_memory_max == nil and (f.utilization_min or 0) >= 98 and f.power_max ~= nil and f.power_max > 0 then low, high, tail = f.power_min or f.power_max, f.power_max, true end
  -- work of a steady load draws what the board allows: a waiting kernel does not
  local cool = (high or 0) < (f.power_limit_w and f.power_limit_w * 0.6 or WAITING_W)
  if tail and cool and (high == nil or high - (low or high) <= 15) then return "spin" end
  return nil
end

-- A sign that the job moved on behind the moment from which all stood still. Where no clock knows both, their faces are compared: it only clears.
local function moved_since(s, p)
  local still = seconds((s.fields.seconds or 0) - (s.fields.still_s or s.fields.seconds or 0))
  if s.utc and (p.last_utc or p.utc) then return (p.last_utc or p.utc) > s.utc + still + (s.err or 0) + (p.err or 0) end
  return s.at ~= nil and (p.last_at or p.at or s.at) > s.at + still
end

local function names(list)
  local s = list[1]
  return string.format("%s%s at %.0f %% of a CPU", s.fields.process or "a process", s.pid and " (pid " .. s.pid .. ")" or "", s.fields.cpu_pct or 0)
end

correlate {
  id    = "comm.deadlock.samples",
  group = "job",
  uses  = { "gpu.samples" },
  reach = { "nccl.init_complete", "app.progress", "app.good_end", "torch.watchdog_timeout", "app.traceback", "app.nccl_error", "fr.missing_rank", "fr.stalled", "fr.op_mismatch",
            "fr.shape_mismatch", "host.process", "net.sockets", "gpu.process" },
  judge = function(case)
    local on, kinds, still = case.signals, {}, {}
    for _, s in ipairs(on["gpu.samples"]) do
      local kind = is_tail_of(s)
      if kind then
        kinds[kind] = (kinds[kind] or 0) + 1
        still[#still + 1] = s
      end
    end
    local told = #on["torch.watchdog_timeout"] + #on["app.traceback"] + #on["app.nccl_error"] + #on["fr.missing_rank"] + #on["fr.stalled"] + #on["fr.op_mismatch"] + #on["fr.shape_mismatch"]
    if #still == 0 or #still < #on["gpu.samples"] or told > 0 or #on["app.good_end"] > 0 then return {} end
    if #keep(on["app.progress"], function(p) return moved_since(still[1], p) end) > 0 then return {} end
    local busy = keep(on["host.process"], function(p)
      return (p.fields.cpu_pct or 0) >= 80 and match((p.fields.process or "") .. " " .. (p.fields.command or ""), [[(?i)python|torch|ray::|train|mpi|vllm|sglang|_perf\b|java|julia]]) ~= nil
    end)
    local closing = keep(on["net.sockets"], function(n) return (n.fields.close_wait or 0) > 0 or (n.fields.receive_queues or 0) + (n.fields.send_queues or 0) > 0 end)
    local job = #on["nccl.init_complete"] + #on["gpu.process"] + #on["app.progress"] > 0
    local idle = (kinds.idle or 0) > 0
    -- at 0 % only a process that is busy tells a hang from a machine that nobody uses
    if idle and not (#busy > 0 and (#closing > 0 or job)) then return {} end
    if not idle and not (job or #busy > 0) then return {} end
    local sure = #busy > 0 and #closing > 0
    local what = idle and (kinds.spin and "do nothing, or spin at constant power," or "are at 0 %") or "spin at full utilisation and constant low power"
    local rows = 0
    for _, s in ipairs(still) do
      local n = math.max(s.fields.idle_tail_rows or 0, s.fields.spin_tail_rows or 0)
      if n == 0 then n = s.fields.rows end
      if rows == 0 or n < rows then rows = n end
    end
    return { { cause = "comm.deadlock_suspected", confidence = sure and "likely" or "possible", scope = "job", evidence = still, symptoms = join(busy, closing), ranks = {},
      confidence_why = sure and "GPUs stand still, a process burns its CPU and sockets wait for an end that is gone or does not read"
        or idle and "GPUs stand still and a process burns its CPU; loading or compiling looks so, too"
        or "a kernel that waits looks so, an even load of little power could too",
      summary = string.format("All %d GPU%s %s in the last %d samples%s%s, and nothing shows progress", #still, #still == 1 and "" or "s", what, rows,
        #busy > 0 and ", with " .. names(busy) or "", #closing > 0 and string.format(", %d socket%s in CLOSE-WAIT", closing[#closing].fields.close_wait or 0, closing[#closing].fields.close_wait == 1 and "" or "s") or ""),
      facts = { samples = rows, gpus = #still } } }
  end,
}
