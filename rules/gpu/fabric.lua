-- The NVSwitch fabric: fabric manager must run before GPUs can be used, and GPUs must be reset when it was restarted under
-- them. On machines without NVSwitch it has nothing to do, and says so in words that look like a failure: harmless.
-- Sources: fabricmanager.log and nvidia-imex.log of driver 535 to 580, systemd unit texts, nvidia-smi -q (Fabric), CUDA error 802.
signature {
  id      = "gpu.fm_precheck",
  stream  = { "gpu", "host" },
  needles = { "fabric manager cannot be started", "aborting fabric manager", "failed to find the GPU handle" },
  pattern = [[(?<text>Kernel module "(?<module>\w+)" has not been loaded, fabric manager cannot be started|detected number of NVSwitches don't match with any supported system topology, aborting fabric manager|failed to find the GPU handle \d+ in the multicast team)]],
  fields  = { text = "text", module = "text" },
  fold    = { "text" },
  match   = { 'Kernel module "ib_umad" has not been loaded, fabric manager cannot be started',
              "failed to find the GPU handle 12884901888 in the multicast team request setup 4321.",
              "detected number of NVSwitches don't match with any supported system topology, aborting fabric manager" },
  ignore  = { "request to query NVSwitch device information from NVSwitch driver failed with error:WARNING Nothing to do [NV_WARN_NOTHING_TO_DO]" },
  tells   = "fabric manager: {text}",
}
signature {
  id      = "gpu.fm_unit",
  stream  = "any",
  needles = { "abricmanager.service: Control", "abricmanager.service: Main", "abricmanager.service: Failed", "abricmanager.service could not",
              "ed nvidia-fabricmanager.service", "ing nvidia-fabricmanager.service", "start nvidia-fabricmanager.service", "abric manager service" },
  pattern = [[(?<failed>nvidia-fabricmanager\.service: (?:Control process exited, code=exited, status=[1-9]\S*|Main process exited, code=(?:exited, status=[1-9]\S*|killed\S*|dumped\S*)|Failed with result '\S+')|Failed to start .*[Ff]abric ?manager)|(?<absent>Unit nvidia-fabricmanager\.service could not be found)|(?<stopped>Stopp(?:ed|ing) .*[Ff]abric ?manager)|(?<started>Started .*[Ff]abric ?manager)]],
  fields  = { failed = "text", absent = "text", stopped = "text", started = "text" },
  match   = { "nvidia-fabricmanager.service: Control process exited, code=exited, status=1/FAILURE", "Unit nvidia-fabricmanager.service could not be found.",
              "Stopped NVIDIA fabric manager service.", "Started nvidia-fabricmanager.service - NVIDIA fabric manager service." },
  ignore  = { "Starting NVIDIA fabric manager service...", "nvidia-fabricmanager.service: Succeeded." },
}
signature {
  id      = "gpu.fm_nothing_to_do",
  stream  = { "gpu", "host" },
  needles = { "NV_WARN_NOTHING_TO_DO" },
  pattern = [[NV_WARN_NOTHING_TO_DO]],
  fold    = {},
  match   = { "request to query NVSwitch device information from NVSwitch driver failed with error:WARNING Nothing to do [NV_WARN_NOTHING_TO_DO]" },
  ignore  = { "multicast group 0 is allocated." },
}
signature {
  id      = "app.cuda_802",
  stream  = "app",
  needles = { "system not yet initialized" },
  pattern = [[(?:[Ee]rror 802: |error code |CUDA error: |cudaErrorSystemNotReady.*)?system not yet initialized]],
  fold    = {},
  match   = { "Failed to allocate device vector A (error code system not yet initialized)!", "RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 802: system not yet initialized" },
  ignore  = { "system is initialized" },
  tells   = "CUDA says that the system is not yet initialised (802)",
}
signature {
  id      = "gpu.nvls_failed",
  stream  = "nccl",
  needles = { "transport/nvls.cc:" },
  pattern = [=[NCCL INFO transport/nvls\.cc:\d+ -> [1-9]]=],
  match   = { "NCCL INFO transport/nvls.cc:394 -> 1" },
  ignore  = { "NCCL INFO NVLS multicast support is available on dev 0" },
}
signature {
  id      = "gpu.imex",
  stream  = { "gpu", "app", "k8s", "host" },
  needles = { "Node disconnect event detected", "Node configuration mapping mismatch", "Failed to allocate Imex session", "Failed to initialize IMEX", "No matching network interface found for any IP" },
  pattern = [[(?<text>Node disconnect event detected for node (?<node>\d+)(?: with address (?<address>[\d.]+))?|Node configuration mapping mismatch|Failed to allocate Imex session.*|Failed to initialize IMEX.*|No matching network interface found for any IP addresses in the node configuration file)]],
  fields  = { text = "text", node = "int", address = "text" },
  fold    = { "node" },
  match   = { "Node disconnect event detected for node 7 with address 10.0.0.7, attempting to reconnect", "[ERROR] [tid 39] Failed to allocate Imex session, error NV_ERR_IN_USE" },
  ignore  = { "Response not received for unimport event with id 4711 sent to node id 7" },
}

-- nvidia-imex-ctl -N: the state of the domain, and of each node that is asked. Source: NVIDIA IMEX guide.
signature {
  id      = "gpu.imex_domain",
  stream  = "any",
  needles = { "Domain State: ", "Node #" },
  pattern = [[^Domain State: (?<state>DOWN|DEGRADED)|^Node #(?<node>\d+) +[-*] (?<address>\S+) +- (?<status>(?!READY)[A-Z_]+) +- Version: ]],
  fields  = { state = "text", node = "int", address = "text", status = "text" },
  fold    = { "node", "state" },
  match   = { "Domain State: DOWN", "Node #1   * 10.0.0.2     - UNAVAILABLE          - Version: 570.172" },
  ignore  = { "Domain State: UP", "Node #0   - 10.0.0.1     - READY                - Version: 570.172" },
  tells   = "IMEX: domain {state} node {node} {status}",
}
-- A domain that is down is everyday where no job spans nodes over NVLink; NCCL says when it misses it.
correlate {
  id    = "gpu.imex_domain",
  group = "job",
  uses  = { "gpu.imex_domain" },
  reach = { "nccl.warn", "gpu.imex" },
  judge = function(case)
    local said = case.signals["gpu.imex_domain"]
    local missed = keep(case.signals["nccl.warn"], function(s) return match(s.fields.text or "", [[(?i)\bIMEX\b|MNNVL]]) ~= nil end)
    local hurt = #missed > 0
    local function word(s)
      local f = s.fields
      return f.state and "domain " .. f.state or string.format("node %d (%s) %s", f.node, f.address, f.status)
    end
    local words = {} -- every node of the domain tells the same of all
    for _, alike in ipairs(group_by(said, word)) do words[#words + 1] = word(alike[1]) end
    return { { cause = "gpu.fabric_not_ready", severity = hurt and "error" or "note", confidence = hurt and "likely" or "possible", scope = "job", host = said[1].host,
      evidence = hurt and missed or said, symptoms = hurt and join(said, case.signals["gpu.imex"]) or {},
      confidence_why = hurt and "the domain is not up, and NCCL misses it" or "the domain is not up; that anybody needs it is not shown",
      summary = "IMEX: " .. table.concat(words, ", ") } }
  end,
}

-- In progress: registration never ended; Completed with another status than Success is a failure as well.
local function is_unready(s)
  local state, status = s.fields.fabric_state, s.fields.fabric_status
  if state == "In Progress" or state == "Not Started" then return true end
  return state == "Completed" and status ~= nil and status ~= "Success"
end

-- What the GPU says of its fabric while registered: routes that are being recovered, bandwidth below what it should be.
-- Source: nvml.h (nvmlGpuFabricInfoV_t, healthSummary), nvidia-smi -q of 575 on.
correlate {
  id    = "gpu.fabric_health",
  group = "host",
  uses  = { "gpu.state" },
  judge = function(case)
    local ill = keep(case.signals["gpu.state"], function(s) return s.fields.fabric_health == "Unhealthy" or s.fields.fabric_health == "Limited Capacity" end)
    if #ill == 0 then return {} end
    local gpus = distinct(ill, function(s) return s.gpu or s.gpu_uuid or s.member end)
    return { { cause = "gpu.nvlink_error", severity = "note", confidence = "possible", scope = #gpus == 1 and "gpu" or "host", gpu = #gpus == 1 and ill[1].gpu or nil, evidence = ill,
      confidence_why = "the GPU's own summary at the moment of a look; when it began, and that the job felt it, is not in it",
      summary = string.format("%d GPU%s call%s the health of the NVLink fabric %s", #gpus, #gpus == 1 and "" or "s", #gpus == 1 and "s" or "", string.lower(ill[1].fields.fabric_health)) } }
  end,
}

-- Fabric manager is of another version than the driver: it refuses to start, or the switches' driver refuses it.
-- Sources: fabricmanager.log of 460 to 590; open kernel modules linux_nvswitch.c.
signature {
  id      = "gpu.fm_version",
  stream  = { "gpu", "host", "app", "k8s" },
  needles = { "GPU driver interface version" },
  pattern = [[fabric manager NVIDIA GPU driver interface version (?<user>[\d.]*\d) do(?:es)?n\W{1,3}t match with(?: the)? driver version (?<module>[\d.]*\d)]],
  fields  = { user = "text", module = "text" },
  fold    = { "user", "module" },
  match   = { "fabric manager NVIDIA GPU driver interface version 535.104.05 don't match with driver version 535.129.03. Please update with matching NVIDIA driver package." },
  ignore  = { "Fabric Manager version is : 535.129.03" },
  tells   = "fabric manager is of version {user}, the driver of {module}",
}
signature {
  id      = "kernel.nvswitch_version",
  stream  = "kernel",
  needles = { "Version mismatch, kernel version" },
  pattern = [[^nvidia-nvswitch\d*: Version mismatch, kernel version (?<module>[\d.]*\d) user version (?<user>[\d.]*\d)]],
  fields  = { user = "text", module = "text" },
  fold    = { "user", "module" },
  match   = { "nvidia-nvswitch0: Version mismatch, kernel version 535.129.03 user version 535.104.05" },
  ignore  = { "nvidia-nvswitch0: open (major=509)" },
  tells   = "the NVSwitch driver is of version {module}, who asks it of {user}",
}

correlate {
  id    = "gpu.fabric_not_ready",
  group = "host",
  uses  = { "gpu.fm_precheck", "gpu.fm_unit", "gpu.state", "app.cuda_802", "gpu.fm_version", "kernel.nvswitch_version" },
  reach = { "gpu.fm_nothing_to_do", "app.traceback" },
  judge = function(case)
    local on = case.signals
    local states = keep(on["gpu.state"], is_unready)
    local failed = keep(on["gpu.fm_unit"], function(s) return s.fields.failed ~= nil or s.fields.absent ~= nil end)
    local versions = join(on["gpu.fm_version"], on["kernel.nvswitch_version"])
    local words, asked = join(on["gpu.fm_precheck"], versions), on["app.cuda_802"]
    -- without NVSwitch fabric manager ends at once, and nobody misses it
    local idle = #keep(on["gpu.fm_nothing_to_do"], function(s) return s.host == case.host end) > 0
    local shown = #states + #asked
    if shown == 0 and (#words == 0 or idle) then return {} end
    -- what was asked after the fact goes behind what the logs say
    local logged = join(words, keep(failed, function(s) return s.fields.failed ~= nil end), asked)
    local found_later = join(states, keep(failed, function(s) return s.fields.absent ~= nil end))
    local evidence = #logged > 0 and logged or join(states, failed)
    local says = {}
    if #on["gpu.fm_precheck"] > 0 then says[#says + 1] = first(on["gpu.fm_precheck"]).fields.text end
    if #versions > 0 then says[#says + 1] = string.format("fabric manager is of version %s and the driver of %s", versions[1].fields.user, versions[1].fields.module) end
    if #failed > 0 and #words == 0 then says[#says + 1] = first(failed).fields.absent and "fabric manager is not installed" or "fabric manager failed to start" end
    if #states > 0 then says[#says + 1] = string.format("%d GPU(s) in fabric state %s", #distinct(states, function(s) return s.gpu or s.member end), states[1].fields.fabric_state) end
    if #asked > 0 then says[#says + 1] = "CUDA error 802 (system not yet initialized)" end
    local proof = (#words + #failed > 0) and shown > 0 or (#states > 0 and #asked > 0)
    return { {
      cause = "gpu.fabric_not_ready", confidence = proof and "certain" or "likely", scope = "host", evidence = evidence,
      symptoms = join(#logged > 0 and found_later or {}, keep(on["app.traceback"], function(s)
        return (s.host == case.host or s.host == nil) and match(s.fields.message or "", [[not yet initialized|802]]) ~= nil
      end)),
      confidence_why = proof and "the daemon, the GPUs' registration and CUDA agree" or "one source says so",
      summary = "The NVSwitch fabric is not ready: " .. table.concat(says, "; "),
    } }
  end,
}

-- Fabric manager was stopped and started while the GPUs kept their old registration: multicast (NVLS) then fails.
correlate {
  id    = "gpu.fabric_restarted",
  group = "host",
  uses  = { "gpu.fm_unit", "gpu.nvls_failed" },
  reach = { "nccl.cuda_failure", "app.nccl_init_failed", "kernel.boot" },
  judge = function(case)
    local on, found = case.signals, {}
    local failures = on["gpu.nvls_failed"]
    if #failures == 0 then return {} end
    for _, stop in ipairs(keep(on["gpu.fm_unit"], function(s) return s.fields.stopped ~= nil end)) do
      local start = keep(on["gpu.fm_unit"], function(s) return s.fields.started ~= nil and order(stop, s) ~= "after" and s.ref > stop.ref end)
      local boots = keep(on["kernel.boot"], function(s) return s.host == case.host and order(stop, s) == "before" end)
      if #start > 0 and #boots == 0 then
        found[#found + 1] = {
          cause = "gpu.fabric_not_ready", confidence = "likely", scope = "host", evidence = join({ stop }, { first(start) }),
          symptoms = join(failures, keep(on["nccl.cuda_failure"], function(s) return s.host == case.host end), on["app.nccl_init_failed"]),
          confidence_why = "fabric manager was restarted without a reset of the GPUs, and multicast set-up fails since",
          summary = string.format("Fabric manager was restarted under running GPUs; NVLink multicast fails on %d process%s",
            #failures, #failures == 1 and "" or "es"),
        }
        break
      end
    end
    return found
  end,
}

correlate {
  id    = "gpu.imex",
  group = "host",
  uses  = { "gpu.imex" },
  reach = { "k8s.event" },
  judge = function(case)
    local said = case.signals["gpu.imex"]
    -- pods of the domain wait for it
    local waiting = keep(case.signals["k8s.event"], function(s)
      return s.fields.reason == "FailedPrepareDynamicResources" and match(s.fields.message or "", [[(?i)ComputeDomain|compute-domain|imex]]) ~= nil
    end)
    local f = first(said).fields
    local fault = f.node == nil
    return { { cause = "gpu.fabric_not_ready", severity = fault and "error" or "warning", confidence = "likely", scope = "host", evidence = said, symptoms = waiting,
      confidence_why = fault and "the IMEX daemon says that it cannot work" or "a node of the domain went away: look at that node first",
      summary = "IMEX: " .. f.text } }
  end,
}
