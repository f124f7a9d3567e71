-- GPUs as the cluster sees them: what the device plugin heard of a GPU, what it offers, and what kubelet can hand out. The kernel log of
-- the node says why; these stand where it is not there. Sources: NVIDIA k8s-device-plugin 0.9 to 0.18, kubelet device manager.
signature {
  id      = "kubelet.allocate_failed",
  stream  = "k8s",
  needles = { "Allocate failed due to", "no healthy devices present", "previously allocated devices are no longer healthy" },
  pattern = [[Allocate failed due to requested number of devices unavailable for (?<resource>\S+)\. Requested: (?<want>\d+), Available: (?<have>\d+)|no healthy devices present; cannot allocate unhealthy devices (?<resource>[\w.-]+/[\w.-]+)|previously allocated devices are no longer healthy]],
  fields  = { resource = "text", want = "int", have = "int" },
  match   = { "Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. Requested: 8, Available: 7, which is unexpected" },
  ignore  = { '"Endpoint became unhealthy" resourceName="nvidia.com/gpu"' },
  tells   = "kubelet has fewer healthy devices than asked for",
}
correlate {
  id    = "gpu.missing.allocate",
  group = "host",
  uses  = { "kubelet.allocate_failed" },
  judge = function(case)
    local said = case.signals["kubelet.allocate_failed"]
    local f = first(keep(said, function(s) return s.fields.want ~= nil end)) or first(keep(said, function(s) return s.fields.resource ~= nil end)) or said[1]
    f = f.fields
    return { { cause = "gpu.missing", confidence = "certain", scope = "host", evidence = said, confidence_why = "kubelet refuses the pod for it",
      summary = string.format("kubelet has fewer healthy devices%s than the pod asks for%s", f.resource and " of " .. f.resource or "", f.want and string.format(" (%d of %d)", f.have, f.want) or "") } }
  end,
}
signature {
  id      = "k8s.device_unhealthy",
  stream  = "k8s",
  needles = { "XidCriticalError", "marked unhealthy" },
  pattern = [[XidCriticalError: Xid=(?<xid>\d+)(?: on Device=(?<uuid>GPU-[0-9a-f-]{36}))?|device marked unhealthy: (?<uuid>GPU-[0-9a-f-]{36})]],
  fields  = { xid = "int", uuid = "uuid" },
  match   = { "XidCriticalError: Xid=94 on Device=GPU-5ed17c9d-e4ba-4709-2f34-eddc5538ab28; marking device as unhealthy." },
  ignore  = { "Processing event {Device:{Handle:0xc0001} EventType:8 EventData:94}" },
  tells   = "the device plugin marks GPU {uuid} unhealthy (Xid {xid})",
}

signature {
  id      = "k8s.device_event",
  stream  = "k8s",
  needles = { "EventData:" },
  pattern = [[[Pp]rocessing event \{Device:\S+ EventType:8 EventData:(?<xid>\d+)\b]],
  fields  = { xid = "int" },
  match   = { "Processing event {Device:{Handle:0x7f0dcf40bdf8} EventType:8 EventData:94 GpuInstanceId:4294967295 ComputeInstanceId:4294967295}" },
  ignore  = { "Skipping non-nvmlEventTypeXidCriticalError event: {Device:{Handle:0x7f0d} EventType:2 EventData:0 GpuInstanceId:4294967295}" },
}
-- What the device plugin saw of a GPU, where the kernel log itself is not there.
local XID_CAUSE = { [79] = "gpu.fell_off_bus", [48] = "gpu.ecc_uncorrectable", [63] = "gpu.ecc_uncorrectable", [64] = "gpu.ecc_uncorrectable", [92] = "gpu.ecc_uncorrectable",
  [94] = "gpu.ecc_uncorrectable", [95] = "gpu.ecc_uncorrectable", [140] = "gpu.ecc_uncorrectable", [74] = "gpu.nvlink_error", [119] = "gpu.gsp_timeout", [120] = "gpu.gsp_timeout" }
correlate {
  id    = "k8s.device_unhealthy",
  group = "host",
  uses  = { "k8s.device_unhealthy", "k8s.device_event" },
  reach = { "kernel.xid" },
  judge = function(case)
    local on, found, seen = case.signals, {}, {}
    for _, s in ipairs(on["k8s.device_unhealthy"]) do
      local xid = s.fields.xid
      local told = keep(on["kernel.xid"], function(x) return x.fields.xid == xid and (x.host == s.host or s.host == nil) end)
      if xid and not seen[xid] and #told == 0 and xid ~= 45 and xid ~= 43 and xid ~= 13 and xid ~= 31 then
        seen[xid] = true
        local events = keep(on["k8s.device_event"], function(e) return e.fields.xid == xid end)
        found[#found + 1] = { cause = (xid >= 144 and xid <= 150) and "gpu.nvlink_error" or XID_CAUSE[xid] or "gpu.hardware_other", confidence = "likely", scope = "gpu", gpu = s.gpu,
          evidence = join(events, keep(on["k8s.device_unhealthy"], function(u) return u.fields.xid == xid end)),
          confidence_why = "the device plugin heard it from NVML; the kernel log would show what came before it",
          summary = string.format("The device plugin marks GPU %s unhealthy: Xid %d", s.gpu_uuid or s.fields.uuid or "?", xid), facts = { xid = xid } }
      end
    end
    return found
  end,
}

-- The device plugin sees no driver library: it runs outside the NVIDIA runtime, or the driver is not there. On machines without GPUs
-- it says the same every day, so somebody must have wanted a GPU and got none.
signature {
  id      = "k8s.plugin_no_devices",
  stream  = "k8s",
  needles = { "Incompatible strategy detected", "Incompatible platform detected", "No devices found. Waiting indefinitely", "could not load NVML library" },
  pattern = [[(?<text>Incompatible (?:strategy|platform) detected(?: auto)?|No devices found\. Waiting indefinitely|Failed to initialize NVML: could not load NVML library)]],
  fields  = { text = "text" },
  fold    = { "text" },
  match   = { "Incompatible strategy detected auto", "No devices found. Waiting indefinitely.", "Failed to initialize NVML: could not load NVML library." },
  ignore  = { "Registered device plugin for 'nvidia.com/gpu' with Kubelet" },
  tells   = "the GPU device plugin offers nothing: {text}",
}
correlate {
  id    = "k8s.plugin_no_devices",
  group = "job",
  uses  = { "k8s.plugin_no_devices" },
  reach = { "k8s.event", "gpu.listed", "k8s.pod_condition" },
  judge = function(case)
    local on = case.signals
    local said = on["k8s.plugin_no_devices"]
    local WANT = [[Insufficient (?:nvidia\.com/gpu|nvidia\.com/mig)]]
    local wanted = join(keep(on["k8s.event"], function(s) return s.fields.reason == "FailedScheduling" and match(s.fields.message or "", WANT) ~= nil end),
      keep(on["k8s.pod_condition"], function(s) return match(s.fields.message or "", WANT) ~= nil end))
    local there = keep(on["gpu.listed"], function(s) return s.host == said[1].host end)
    local hurt = #wanted > 0
    return { { cause = "gpu.missing", severity = hurt and "error" or "note", confidence = hurt and #there > 0 and "certain" or "likely", scope = "host", host = said[1].host, evidence = said, symptoms = wanted,
      confidence_why = #there > 0 and "the machine has GPUs, and the plugin that offers them to the cluster sees none" or "the plugin that offers GPUs to the cluster sees none",
      summary = "The GPU device plugin offers no GPU: " .. first(said).fields.text .. " (is the NVIDIA container runtime configured?)" } }
  end,
}
