-- Driver and libraries of different versions: an upgrade replaced the user space while the old kernel module stays loaded.
-- Programs that already run go on; every new one finds no GPU. Firmware that the new package removed is the same story.
-- Sources: open kernel modules nv.c (API mismatch, one message over four lines), kernel firmware loader, NVML texts, apt and dpkg logs.
signature {
  id      = "kernel.api_mismatch",
  stream  = "kernel",
  needles = { "NVRM: API mismatch: the client" },
  pattern = [[NVRM: API mismatch: the client(?: '(?<process>[^']*)' \(pid (?<pid>\d+)\))?(?:[\s\S]*?has the version (?<client>[\d.]*\d))?(?:[\s\S]*?kernel module has[\s\S]*?the version (?<module>[\d.]*\d))?]],
  fields  = { client = "text", module = "text", process = "process", pid = "pid" },
  match   = { "NVRM: API mismatch: the client has the version 570.153.02, but",
              "NVRM: API mismatch: the client 'python3' (pid 1005)",
              "NVRM: API mismatch: the client has the version 570.153.02, but#012NVRM: this kernel module has the version 570.144.  Please#012NVRM: make sure" },
  ignore  = { "NVRM: this kernel module has the version 570.144.  Please" },
  fold    = { "client" },
  tells   = "driver module and client library have different versions",
}
signature {
  id      = "kernel.module_version",
  stream  = "kernel",
  needles = { "NVRM: this kernel module has the version", "NVRM: the version ", "NVRM: has the version " },
  pattern = [[^\s*NVRM: (?:this kernel module has the version (?<module>[\d.]*\d)|the version (?<module>[\d.]*\d)\.?\s+Please|has the version (?<client>[\d.]*\d), but)]],
  fields  = { module = "text", client = "text" },
  match   = { "NVRM: this kernel module has the version 570.144.  Please", "NVRM: the version 580.65.06. Please make sure that this", "NVRM: has the version 570.153.02, but this kernel module has" },
  ignore  = { "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.144  Release Build" },
  fold    = { "module", "client" },
}
signature {
  id      = "kernel.firmware_missing",
  stream  = "kernel",
  needles = { "Direct firmware load for nvidia/", "RmFetchGspRmImages: No firmware" },
  pattern = [[^(?:nvidia (?<gpu>[0-9a-fA-F:.]+): Direct firmware load for nvidia/(?<module>[\d.]*\d)/\S+ failed with error (?<error>-\d+)|NVRM: RmFetchGspRmImages: No firmware image found)]],
  fields  = { gpu = "pci", module = "text", error = "int" },
  match   = { "nvidia 0000:07:00.0: Direct firmware load for nvidia/570.144/gsp_ga10x.bin failed with error -2", "NVRM: RmFetchGspRmImages: No firmware image found" },
  ignore  = { "NVRM: Failed to load gsp_log_ga10x.bin, no GSP-RM logs will be printed (non-fatal)" },
  fold    = { "gpu", "module" },
}
signature {
  id      = "host.driver_upgrade",
  stream  = { "host", "app" },
  needles = { "libnvidia-compute", "nvidia-driver", "nvidia-utils", "nvidia-kernel", "kmod-nvidia", "xorg-x11-drv-nvidia" },
  pattern = [[^(?:Upgrade|Install): .*?(?<package>(?:lib)?nvidia-(?:compute|driver|utils|kernel)[\w.+-]*)(?::\w+)? \((?<from>[\d.]+)[^,)]*, (?<to>[\d.]+)|^(?:[\d-]+ [\d:]+ )?upgrade (?<package>(?:lib)?nvidia-(?:compute|driver|utils|kernel)[\w.+-]*)(?::\w+)? (?<from>[\d.]+)\S* (?<to>[\d.]+)|(?:Upgraded|Upgrade): +(?<package>(?:kmod-nvidia|nvidia-driver|xorg-x11-drv-nvidia)[\w.:-]*?)-(?:\d:)?(?<to>\d{3}\.[\d.]+)]],
  fields  = { package = "text", from = "text", to = "text" },
  match   = { "Upgrade: libnvidia-common-460:amd64 (460.56-0ubuntu0.20.04.1, 460.73.01-0ubuntu0.20.04.1), libnvidia-compute-460:amd64 (460.56-0ubuntu0.20.04.1, 460.73.01-0ubuntu0.20.04.1)",
              "2026-01-01 06:50:54 upgrade libnvidia-compute-580:amd64 580.65.06-0ubuntu1 580.82.07-0ubuntu1",
              "Upgraded: nvidia-driver-3:580.82.07-1.el9.x86_64" },
  ignore  = { "ii  nvidia-driver-570-server-open          570.148.08-0ubuntu0.22.04.1             amd64        NVIDIA driver (open kernel) metapackage",
              "Upgrade: libcurl4:amd64 (7.68.0-1ubuntu2.4, 7.68.0-1ubuntu2.5)" },
  tells   = "driver packages are upgraded to {to}",
}
signature {
  id      = "host.package_run",
  stream  = { "host", "app" },
  needles = { "Start-Date: " },
  pattern = [[^Start-Date: (?<when>\d{4}-\d\d-\d\d +\d\d:\d\d:\d\d)]],
  fields  = { when = "text" },
  match   = { "Start-Date: 2021-04-24  06:50:54" },
  ignore  = { "End-Date: 2021-04-24  06:50:54" },
}
-- A kernel for which no driver module was built: it is the usual end of a kernel update without DKMS.
signature {
  id      = "host.module_missing",
  stream  = { "host", "kernel", "app" },
  needles = { "disagrees about version of symbol", "Module nvidia", "Failed to find module 'nvidia", "Error! Bad return status for module build on kernel", "could not insert 'nvidia", "Failed to insert module 'nvidia" },
  pattern = [=[(?:^nvidia(?:[-_]\w+)?: disagrees about version of symbol|FATAL: Module (?<module>nvidia(?:[-_]\w+)?) not found in directory (?<tree>\S+)|Failed to find module '(?<module>nvidia(?:[-_]\w+)?)'|Bad return status for module build on kernel: (?<tree>\S+)|could not insert '(?<module>nvidia(?:[-_]\w+)?)': (?:No such device|Unknown symbol|Invalid argument|Exec format error|Key was rejected|Required key)|Failed to insert module '(?<module>nvidia(?:[-_]\w+)?)': (?:Key was rejected|Required key|Invalid argument|Exec format error))]=],
  fields  = { module = "text", tree = "text" },
  fold    = { "module" },
  match   = { "modprobe: FATAL: Module nvidia not found in directory /lib/modules/5.15.0-171-generic", "Failed to find module 'nvidia-uvm'", "nvidia: disagrees about version of symbol module_layout",
              "modprobe: ERROR: could not insert 'nvidia': Key was rejected by service", "Failed to insert module 'nvidia': Key was rejected by service", "Error! Bad return status for module build on kernel: 6.8.0-60-generic (x86_64)" },
  ignore  = { "modprobe: FATAL: Module nvidiafb not found in directory /lib/modules/5.15.0-171-generic", "Failed to find module 'nvidiafb'", "modprobe: FATAL: Module nouveau not found in directory /lib/modules/5.15.0-171-generic" },
  tells   = "the driver module {module} is not there for this kernel",
}
signature {
  id      = "gpu.version_mismatch_line",
  stream  = "any",
  needles = { "Driver/library version mismatch", "driver/library version mismatch" },
  pattern = [[[Dd]river/library version mismatch]],
  match   = { "Failed to initialize NVML: Driver/library version mismatch" },
  ignore  = { "Failed to initialize NVML: Unknown Error" },
  fold    = {},
}
-- The hook that brings GPUs into a container asks the driver first; what it says ends the start of the container.
signature {
  id      = "runtime.container_cli",
  stream  = "any",
  needles = { "nvidia-container-cli: ", "nvidia-container-runtime" },
  pattern = [=[(?:nvidia-container-cli(?:\.real)?: )(?<stage>initialization|detection|device|mount|requirement|container|ldcache) error: (?<text>nvml error: driver/library version mismatch|nvml error: driver not loaded|driver rpc error: [^:\n]{3,40}|load library failed: \S+: cannot open shared object file|unsatisfied condition: [^,\n]{3,60}|nvml error: [\w /]{3,40}|(?:\S+: )?unknown device|cuda error: [\w ]{3,40}|[^\n]{3,80})]=],
  fields  = { stage = "text", text = "text" },
  fold    = { "stage", "text" },
  match   = { "nvidia-container-cli: initialization error: nvml error: driver/library version mismatch: unknown", "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.4, please update your driver to a newer version",
              "nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file: no such file or directory",
              "nvidia-container-cli: device error: GPU-5ed17c9d-e4ba-4709-2f34-eddc5538ab28: unknown device: unknown" },
  ignore  = { "nvidia-container-cli: info" },
  tells   = "the container hook fails: {text}",
}
signature {
  id      = "app.no_gpu",
  stream  = "app",
  needles = { "no GPUs found!", "No CUDA GPUs are available", "no CUDA-capable device is detected" },
  pattern = [[no GPUs found!|No CUDA GPUs are available|no CUDA-capable device is detected]],
  match   = { "RuntimeError: ProcessGroupNCCL is only supported with GPUs, no GPUs found!", "RuntimeError: No CUDA GPUs are available" },
  ignore  = { "found 2 CUDA devices:" },
}

correlate {
  id    = "gpu.driver_mismatch",
  group = "host",
  uses  = { "kernel.api_mismatch", "gpu.version_mismatch_line", "host.driver_upgrade", "kernel.firmware_missing" },
  reach = { "host.package_run", "kernel.module_version", "kernel.rminit_failed", "app.traceback", "app.no_gpu", "app.run_completed" },
  judge = function(case)
    local on = case.signals
    local kernel, library = on["kernel.api_mismatch"], on["gpu.version_mismatch_line"]
    if #kernel == 0 and #library == 0 then
      local gone = on["kernel.firmware_missing"]
      local wanted = keep(gone, function(s) return s.fields.module ~= nil end)
      if #gone == 0 or #on["host.driver_upgrade"] > 0 then return {} end
      return { { cause = "gpu.driver_mismatch", confidence = "likely", class = "init", scope = "host", evidence = gone, symptoms = keep(on["kernel.rminit_failed"], function(s) return s.host == case.host end),
        confidence_why = "the kernel finds no firmware of the version that the driver module asks for: the package was replaced or is not whole",
        summary = string.format("The firmware (GSP) for the loaded driver%s is not on this machine", #wanted > 0 and " " .. wanted[1].fields.module or "") } }
    end
    local function here(list) return keep(list, function(s) return s.host == case.host or s.host == nil end) end
    local head = first(kernel)
    local client, module = head and head.fields.client, head and head.fields.module
    for _, s in ipairs(here(on["kernel.module_version"])) do
      client, module = client or s.fields.client, module or s.fields.module
    end
    local upgrade = on["host.driver_upgrade"]
    if #upgrade > 0 then
      client = client or last(upgrade).fields.to
      module = module or last(upgrade).fields.from
    end
    -- apt writes the time of a run a few lines above its packages
    local runs = keep(on["host.package_run"], function(s)
      for _, u in ipairs(upgrade) do
        if u.member == s.member and u.line > s.line and u.line - s.line <= 4 then return true end
      end
      return false
    end)
    local lost = keep(here(on["app.traceback"]), function(s)
      return match(s.fields.message or "", [=[no GPUs found|No CUDA GPUs|CUDA-capable device|Driver/library|error 80[34]]=]) ~= nil
    end)
    -- some other client met it (a monitor in an old container): a job that ended well behind it had the right libraries
    local outlived = #lost + #here(on["app.no_gpu"]) == 0 and ended_well(on["app.run_completed"], last(join(kernel, library)))
    return { {
      cause = "gpu.driver_mismatch", severity = outlived and "note" or nil, confidence = "certain", scope = "host",
      evidence = #upgrade > 0 and join(runs, upgrade) or join(kernel, library, here(on["kernel.firmware_missing"])),
      symptoms = join(#upgrade > 0 and join(kernel, library, here(on["kernel.firmware_missing"])) or {}, here(on["kernel.rminit_failed"]), lost, here(on["app.no_gpu"])),
      confidence_why = #kernel > 0 and "the driver names both versions" or "NVML refuses to work for this reason",
      summary = string.format("GPU driver and libraries do not fit: kernel module %s, libraries %s%s", module or "of another version",
        client or "of another version", #upgrade > 0 and "; an upgrade replaced the packages while the old module stayed loaded" or ""),
      facts = { module = module, client = client },
    } }
  end,
}

-- A program that finds no GPU says so; why is not in it.
correlate {
  id    = "gpu.missing.app",
  group = "host",
  uses  = { "app.no_gpu" },
  reach = { "app.traceback", "gpu.version_mismatch_line", "kernel.api_mismatch", "gpu.nvml_unknown" },
  judge = function(case)
    local on = case.signals
    local told = keep(on["app.traceback"], function(s) return match(s.fields.message or "", [[no GPUs found|No CUDA GPUs|CUDA-capable device]]) ~= nil end)
    if #on["gpu.version_mismatch_line"] + #on["kernel.api_mismatch"] + #on["gpu.nvml_unknown"] + #told > 0 then return {} end
    return { { cause = "gpu.missing", confidence = "likely", scope = "host", evidence = on["app.no_gpu"],
      confidence_why = "the program's own words; why it sees no GPU is not in them", summary = "A program found no usable GPU" } }
  end,
}

-- What the hook says decides whose fault it is: versions, a driver that is not there, a device that is gone.
correlate {
  id    = "gpu.container_cli",
  group = "host",
  uses  = { "runtime.container_cli" },
  reach = { "k8s.event", "k8s.container", "host.module_missing" },
  judge = function(case)
    local on, found = case.signals, {}
    local missing = keep(on["host.module_missing"], function(s) return s.host == case.host or s.host == nil or case.host == nil end)
    for _, s in ipairs(on["runtime.container_cli"]) do
      local text = s.fields.text
      local cause = match(text, [[version mismatch|driver not loaded|unsatisfied condition|cuda error|libnvidia-ml|libcuda]]) and "gpu.driver_mismatch" or match(text, [[unknown device|no device]]) and "gpu.missing"
        or match(text, [[is lost]]) and "gpu.fell_off_bus" or "k8s.image_or_mount"
      local told = keep(join(on["k8s.event"], on["k8s.container"]), function(e) return match(e.fields.message or "", [[nvidia-container-cli]]) ~= nil end)
      local unloaded = match(text, [[driver not loaded]]) ~= nil and missing or {}
      found[#found + 1] = { cause = cause, confidence = "certain", scope = "host", host = s.host, evidence = join(unloaded, { s }), symptoms = told, count = s.count,
        confidence_why = #unloaded > 0 and "the kernel finds no driver module, and the container hook no driver" or "the hook that prepares the container names the reason", summary = "The container gets no GPU: " .. s.fields.stage .. " error: " .. text }
    end
    return found
  end,
}

-- Secure boot takes only modules that are signed with a key it knows. The kernel does not say which module it was.
-- Source: kernel kernel/module/signing.c (mod_verify_sig and its reasons).
signature {
  id      = "kernel.module_unsigned",
  stream  = "kernel",
  needles = { "Loading of " },
  pattern = [[^Loading of (?:module with unavailable key|unsigned module|module with unsupported crypto) is rejected]],
  match   = { "Loading of module with unavailable key is rejected", "Loading of unsigned module is rejected" },
  ignore  = { "nvidia: module verification failed: signature and/or required key missing - tainting kernel" },
  tells   = "the kernel refuses a module that is not signed with a key it knows",
}
-- No module for this kernel: nothing on this machine can reach a GPU. On a machine that is to have none it is idle talk, so it takes
-- somebody who asked for a GPU.
correlate {
  id    = "gpu.module_missing",
  group = "host",
  uses  = { "host.module_missing" },
  reach = { "runtime.container_cli", "app.no_gpu", "gpu.state", "app.traceback", "kernel.driver_loaded", "kernel.module_unsigned" },
  judge = function(case)
    local on = case.signals
    local said = on["host.module_missing"]
    local keyless = keep(on["kernel.module_unsigned"], function(s) return s.host == case.host and #keep(said, function(m) return order(m, s) ~= "before" end) > 0 end)
    local function here(list) return keep(list, function(s) return s.host == case.host or s.host == nil end) end
    local loaded = keep(here(on["kernel.driver_loaded"]), function(s) return order(said[1], s) == "before" end)
    local hurt = join(here(on["app.no_gpu"]), keep(here(on["gpu.state"]), function(s) return match(s.fields.failure or "", [[couldn't communicate|NVIDIA-SMI has failed]]) ~= nil end),
      keep(here(on["app.traceback"]), function(s) return match(s.fields.message or "", [=[No CUDA GPUs|CUDA-capable device|no NVIDIA driver]=]) ~= nil end))
    if #here(on["runtime.container_cli"]) > 0 or #loaded > 0 or #hurt == 0 then return {} end
    local kept_out = #keyless > 0 and "The kernel refuses the NVIDIA driver module: it is not signed with a key that secure boot knows%s" or "The NVIDIA driver module is not there for the kernel that runs%s"
    return { { cause = "gpu.driver_mismatch", confidence = "likely", scope = "host", evidence = join(keyless, said), symptoms = hurt,
      confidence_why = "the kernel that runs has no driver module, and a program found no GPU",
      summary = string.format(kept_out, said[1].fields.tree and " (" .. said[1].fields.tree .. ")" or "") } }
  end,
}
