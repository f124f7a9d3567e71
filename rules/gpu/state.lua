-- What nvidia-smi says of a GPU at the moment of collection. That is after the fact: a GPU that asks for a reset was broken by
-- something, and a link that is slow at idle is saving power. So a state is judged only where it cannot be harmless.
-- Sources: nvidia-smi -q, -x, --query-gpu and table forms of driver 535 to 590; NVML enumeration names.
local function num(x) return type(x) == "number" and x or nil end

signature {
  id      = "gpu.nvml_unknown",
  stream  = "any",
  needles = { "Failed to initialize NVML: Unknown Error" },
  pattern = [[Failed to initialize NVML: Unknown Error]],
  fold    = {},
  match   = { "metrics sidecar: Failed to initialize NVML: Unknown Error" },
  ignore  = { "Failed to initialize NVML: Driver/library version mismatch" },
  tells   = "NVML cannot be initialised: the container may have lost its devices",
}
signature {
  id      = "host.daemon_reload",
  stream  = "host",
  needles = { "Reloading requested from client", "Reloading..." },
  pattern = [[^Reloading(?: requested from client PID (?<pid>\d+).*|\.\.\.)$]],
  fields  = { pid = "pid" },
  match   = { "Reloading requested from client PID 881203 ('systemctl') (unit apt-daily-upgrade.service)...", "Reloading..." },
  ignore  = { "Reloading finished in 811 ms." },
  tells   = "systemd reloads its units",
}

-- A fault that the kernel log names explains what nvidia-smi finds afterwards.
local function broken(list, host, gpu)
  return keep(list, function(x)
    local n = x.fields.xid
    return x.host == host and (gpu == nil or x.gpu == gpu)
      and (n == 79 or n == 119 or n == 120 or n == 110 or n == 62 or n == 48 or n == 94 or n == 95 or n == 64 or n == 140 or n == 143 or n == 158 or n == 167)
  end)
end

correlate {
  id    = "gpu.state.failure",
  group = "host",
  uses  = { "gpu.state" },
  reach = { "kernel.xid", "kernel.gpu_lost", "kernel.probe_failed", "kernel.api_mismatch", "kernel.aer_corrected", "kernel.aer_uncorrected", "kernel.reset_required", "app.traceback", "app.exception_line", "app.cpp_error" },
  judge = function(case)
    local on, found = case.signals, {}
    local function add(list, cause, severity, confidence, why, summary)
      found[#found + 1] = { cause = cause, severity = severity, confidence = confidence, confidence_why = why, scope = "gpu", gpu = list[1].gpu,
        evidence = list, summary = summary }
    end
    local refused = keep(on["kernel.reset_required"], function(x) return x.host == case.host end)
    local by_gpu = {}
    for _, s in ipairs(on["gpu.state"]) do
      local f = s.fields
      local key = s.gpu or s.gpu_uuid or (s.gpu_index and "index " .. s.gpu_index) or ""
      by_gpu[key] = by_gpu[key] or { lost = {}, vague = {}, remap = {}, pending = {}, reset = {}, mode = {}, silent = {}, none = {} }
      local one = by_gpu[key]
      local failure = f.failure or ""
      if match(failure, [[GPU is lost|is lost\.]]) then table.insert(one.lost, s)
      elseif match(failure, [[couldn't communicate with the NVIDIA driver|NVIDIA-SMI has failed]]) then table.insert(one.silent, s)
      elseif match(failure, [[No devices were found|GPU access blocked]]) then table.insert(one.none, s)
      elseif match(failure, [[GPU requires reset]]) then table.insert(one.reset, s)
      elseif match(failure, [=[Unable to determine the device handle|ERR!|Unknown Error\]]=]) then table.insert(one.vague, s) end
      if f.remap_failure == "Yes" then table.insert(one.remap, s) end
      if f.remap_pending == "Yes" or f.channel_repair_pending == "Yes" or f.unrepairable_memory == "Yes" or f.sram_threshold_exceeded == "Yes" then table.insert(one.pending, s) end
      local action = f.recovery_action
      if (action and action ~= "None" and action ~= "none" and action ~= "N/A") or f.reset_required == "Yes" then table.insert(one.reset, s) end
      if f.compute_mode == "Prohibited" then table.insert(one.mode, s) end
    end
    for key in pairs(by_gpu) do
      local one, gpu = by_gpu[key], nil
      for _, list in pairs(one) do if #list > 0 then gpu = gpu or list[1].gpu end end
      local before = join(broken(on["kernel.xid"], case.host, gpu), keep(on["kernel.gpu_lost"], function(x) return x.host == case.host and (gpu == nil or x.gpu == gpu) end))
      local other = #keep(on["kernel.api_mismatch"], function(x) return x.host == case.host end) > 0
      if #one.lost > 0 and #before == 0 then
        add(one.lost, "gpu.fell_off_bus", "critical", "likely", "nvidia-smi says that the GPU is lost; the kernel log would say when",
          string.format("nvidia-smi: GPU %s is lost", gpu or "?"))
      end
      if #one.vague > 0 and #before == 0 and #one.lost == 0 and not other and #one.reset == 0 then
        local errors = keep(join(on["kernel.aer_corrected"], on["kernel.aer_uncorrected"]), function(x) return x.host == case.host end)
        -- link errors on the same machine, and no other reason: then they belong to it
        local many = 0
        for _, x in ipairs(errors) do many = many + x.count end
        local summary = string.format("nvidia-smi cannot reach GPU %s: %s", gpu or "?", one.vague[1].fields.failure or "error")
        if many >= 5 then
          found[#found + 1] = { cause = "gpu.fell_off_bus", severity = "critical", confidence = "likely", scope = "gpu", gpu = gpu, evidence = join(errors, one.vague),
            confidence_why = "the GPU cannot be opened any more, after PCIe link errors", summary = summary }
        else -- a card off its bus, firmware that hangs and a reset that is due all look like this
          add(one.vague, "unknown", "critical", "certain", "nvidia-smi says so itself; why the GPU cannot be opened only the kernel log tells", summary)
          found[#found].symptoms = keep(join(on["app.traceback"], on["app.exception_line"], on["app.cpp_error"]), function(x)
            return (x.host == nil or x.host == case.host) and match(x.fields.message or "", [[CUDA (?:driver )?error|cudaError|CUDA_ERROR_]]) ~= nil
          end)
          add(one.vague, "gpu.missing", "note", "possible", "a GPU that cannot be opened is none that the job can use", summary)
        end
      end
      local unbound = keep(on["kernel.probe_failed"], function(x) return x.host == case.host end)
      if #one.silent > 0 and #before == 0 and #unbound == 0 and not other then
        found[#found + 1] = { cause = "gpu.driver_mismatch", severity = "error", confidence = "likely", scope = "host", evidence = one.silent,
          confidence_why = "nvidia-smi finds no driver to talk to: it is not loaded, or of another version", summary = "nvidia-smi cannot talk to the NVIDIA driver" }
      end
      if #one.none > 0 and #before == 0 and not other then
        found[#found + 1] = { cause = "gpu.missing", severity = "error", confidence = "likely", scope = "host", evidence = one.none,
          confidence_why = "the driver is loaded and shows no GPU", summary = "nvidia-smi: " .. (match(one.none[1].fields.failure, [[blocked]]) and "access to the GPUs is blocked by the operating system" or "no devices were found") }
      end
      if #one.remap > 0 then
        add(one.remap, "gpu.ecc_uncorrectable", "critical", "certain", "row remapping failed: this GPU must be replaced",
          string.format("GPU %s: a row remap failed%s", gpu or "?", one.remap[1].fields.remapped_uncorrectable and
            string.format(" (%d rows remapped for uncorrectable errors)", one.remap[1].fields.remapped_uncorrectable) or ""))
      elseif #one.pending > 0 then
        add(one.pending, "gpu.ecc_uncorrectable", "warning", "likely", "a repair waits for a reset; whether the job was hit is not said",
          string.format("GPU %s: %s", gpu or "?", one.pending[1].fields.sram_threshold_exceeded == "Yes" and "its SRAM has passed the threshold of uncorrectable errors" or "a row remap or repair waits for a reset"))
      end
      if #one.reset > 0 and #refused == 0 then
        local s = one.reset[1]
        add(one.reset, "gpu.reset_required", "error", "likely", "the GPU's own recovery action; what broke it is not in it",
          string.format("GPU %s asks for: %s", gpu or "?", s.fields.recovery_action or "reset"))
      end
      if #one.mode > 0 then
        add(one.mode, "gpu.compute_mode", "error", "likely", "compute mode Prohibited keeps every program off",
          string.format("GPU %s is in compute mode Prohibited", gpu or "?"))
      end
    end
    return found
  end,
}

-- Exclusive mode hurts only where a second process was turned away.
correlate {
  id    = "gpu.compute_mode.exclusive",
  group = "host",
  uses  = { "gpu.state" },
  reach = { "app.traceback", "app.gpu_busy" },
  judge = function(case)
    local on = case.signals
    local modes = keep(on["gpu.state"], function(s) return s.fields.compute_mode == "Exclusive_Process" or s.fields.compute_mode == "E. Process" end)
    local turned = join(on["app.gpu_busy"], keep(on["app.traceback"], function(s) return match(s.fields.message or "", [[busy or unavailable]]) ~= nil end))
    if #modes == 0 or #turned == 0 then return {} end
    return { { cause = "gpu.compute_mode", confidence = "likely", scope = "host", evidence = join(modes, turned),
      confidence_why = "the GPU takes one process, and another was turned away", summary = "A GPU in compute mode Exclusive_Process turned a second process away" } }
  end,
}
signature {
  id      = "app.gpu_busy",
  stream  = "app",
  needles = { "busy or unavailable" },
  pattern = [[CUDA-capable device\(s\) is/are busy or unavailable]],
  fold    = {},
  match   = { "Test CUDA failure common.cu:1007 'CUDA-capable device(s) is/are busy or unavailable'" },
  ignore  = { "resource temporarily unavailable" },
}

-- Said by a program of its own (Kokkos, nccl-tests), not by an exception: those are read with their traceback.
correlate {
  id    = "gpu.reset_required.told",
  group = "host",
  uses  = { "app.gpu_busy" },
  reach = { "gpu.state", "app.traceback", "app.exception_line", "app.run_completed", "srun.ended" },
  judge = function(case)
    local on = case.signals
    local said = on["app.gpu_busy"]
    local function repeats(t) return match(t.fields.message or "", [[busy or unavailable]]) ~= nil end
    local exclusive = keep(on["gpu.state"], function(s) return s.host == case.host and match(s.fields.compute_mode or "", [[^(?:Exclusive_Process|E\. Process|Prohibited)$]]) ~= nil end)
    if #exclusive + #keep(on["app.traceback"], repeats) + #keep(on["app.exception_line"], repeats) > 0 or ended_well(on["app.run_completed"], last(said)) then return {} end
    local s = first(said)
    return { { cause = "gpu.reset_required", confidence = "possible", scope = s.rank and "rank" or "host", host = s.host, rank = s.rank, ranks = s.rank and { s.rank } or nil, evidence = said,
      symptoms = keep(on["srun.ended"], function(e) return s.rank ~= nil and e.rank == s.rank end),
      confidence_why = "CUDA says so of a GPU that answers and takes no context: one that must be reset, or one that another process holds alone",
      summary = "A GPU turned a process away: busy or unavailable" } }
  end,
}

-- A container that loses its device permissions: NVML fails inside it, while the host's nvidia-smi is fine.
correlate {
  id    = "gpu.devices_lost_in_container",
  group = "host",
  uses  = { "gpu.nvml_unknown" },
  reach = { "gpu.listed", "gpu.state", "host.daemon_reload", "app.no_gpu", "app.traceback", "kernel.xid" },
  judge = function(case)
    local on = case.signals
    local said = on["gpu.nvml_unknown"]
    if #broken(on["kernel.xid"], case.host) > 0 then return {} end
    local alive = join(keep(on["gpu.listed"], function(s) return s.host == case.host end),
      keep(on["gpu.state"], function(s) return s.host == case.host and s.fields.failure == nil end))
    local reloads = keep(on["host.daemon_reload"], function(s)
      return s.host == case.host and order(s, said[1]) ~= "after" and is_near(s, said[1], minutes(10))
    end)
    return { {
      cause = "gpu.missing", class = "lost", confidence = #alive > 0 and "likely" or "possible", scope = "host", evidence = #reloads > 0 and reloads or said,
      symptoms = join(#reloads > 0 and said or {}, on["app.no_gpu"], keep(on["app.traceback"], function(s) return match(s.fields.message or "", [[No CUDA GPUs]]) ~= nil end)),
      confidence_why = #alive > 0 and "the host still sees its GPUs, the container does not" or "NVML's unknown error in a container is usually lost device permission",
      summary = "A container lost access to its GPUs" .. (#reloads > 0 and " when systemd reloaded its units (device rules of the scope were rewritten)" or ""),
    } }
  end,
}

-- Fewer GPUs than the others of its kind have.
correlate {
  id    = "gpu.missing.node",
  group = "job",
  uses  = { "k8s.node" },
  judge = function(case)
    local nodes = keep(case.signals["k8s.node"], function(s) return num(s.fields.gpus) ~= nil and s.fields.gpus > 0 end)
    local most, found = 0, {}
    for _, s in ipairs(nodes) do most = math.max(most, s.fields.gpus) end
    for _, s in ipairs(nodes) do
      local usable = num(s.fields.gpus_allocatable) or s.fields.gpus
      local odd = (s.fields.gpus < most and most >= 4 and s.fields.gpus >= most - 2) or usable < s.fields.gpus
      if odd then
        found[#found + 1] = { cause = "gpu.missing", confidence = "likely", scope = "host", host = s.host, evidence = { s },
          confidence_why = usable < s.fields.gpus and "the device plugin withholds an unhealthy GPU" or "other nodes of the pool have more",
          summary = string.format("Node %s offers %d GPUs, others have %d", s.host or "?", math.min(usable, s.fields.gpus), most),
          facts = { gpus = s.fields.gpus, usable = usable, expected = most } }
      end
    end
    return found
  end,
}
signature {
  id      = "slurm.gres_lower",
  stream  = "slurm",
  needles = { "count reported lower than configured" },
  pattern = [[gres/gpu(?::\w+)? count (?:reported lower than configured|.*lower than configured) \((?<have>\d+) < (?<want>\d+)\)]],
  fields  = { have = "int", want = "int" },
  match   = { "error: _slurm_rpc_node_registration node=gpu-a02: gres/gpu count reported lower than configured (7 < 8)" },
  ignore  = { "gres/gpu: count changed for node gpu-a02 from 0 to 8" },
  says    = { cause = "gpu.missing", confidence = "certain", scope = "host", summary = "Slurm finds {have} GPUs where {want} are configured" },
}
