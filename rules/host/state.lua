-- What a machine looks like beside its logs: memory, settings, modules, file systems. None of this is a fault that a job died of by itself; it says why
-- another one could happen, so these are notes, unless the failure itself points there.
-- Sources: /proc/meminfo, free, sysctl, lsmod, df, /proc/mounts; the kernel's Documentation/admin-guide/sysctl.
local function not_a_file(s) return match(s.member or "", [[(?:^|/)etc/]]) == nil end -- what /etc wants need not be in force

correlate {
  id    = "host.memory.scarce",
  group = "host",
  uses  = { "host.memory" },
  reach = { "host.pressure" },
  judge = function(case)
    local on = case.signals
    local low = keep(on["host.memory"], function(s) return s.fields.available_pct ~= nil and s.fields.available_pct <= 3 end)
    local swapped = keep(on["host.memory"], function(s)
      local total, free = s.fields.swap_total_kib or 0, s.fields.swap_free_kib or 0
      return total > 0 and total - free >= 4 * 1048576 and (total - free) * 2 >= total
    end)
    local stalled = keep(on["host.pressure"], function(s) return s.host == case.host and s.fields.resource == "memory" and (s.fields.full_avg60 or 0) >= 10 end)
    local found = {}
    if #low > 0 then
      found[#found + 1] = { cause = "host.global_oom", severity = "note", confidence = "possible", scope = "host", evidence = join(low, stalled),
        confidence_why = "one look at the memory of the node; no kernel log says that it ran out",
        summary = string.format("Only %.1f %% of the node's memory could still be had%s", low[1].fields.available_pct, low[1].fields.total_kib and string.format(" (of %s)", size_text(low[1].fields.total_kib)) or "") }
    elseif #swapped > 0 then
      local f = swapped[1].fields
      found[#found + 1] = { cause = "comm.slow", class = "slow", severity = "note", confidence = "possible", scope = "host", evidence = join(swapped, stalled),
        confidence_why = "a rank whose pages are on disk comes late to everything; that one of this job's are is not shown",
        summary = string.format("%s of the node's memory lie on its swap", size_text(f.swap_total_kib - f.swap_free_kib)) }
    end
    return found
  end,
}

-- A kernel that was told to panic where it would kill, or to halt where it would warn.
correlate {
  id    = "host.setting.panics",
  group = "host",
  uses  = { "host.setting" },
  reach = { "kernel.panic" },
  judge = function(case)
    local on, found = case.signals, {}
    local WHEN = { ["vm.panic_on_oom"] = { "when memory runs out", [[(?i)out of memory|panic_on_oom]] }, ["kernel.hung_task_panic"] = { "when a task hangs", [[hung_task]] },
                   ["kernel.softlockup_panic"] = { "at a soft lockup", [[softlockup]] } }
    local panics = keep(on["kernel.panic"], function(s) return s.host == case.host end)
    for _, s in ipairs(keep(on["host.setting"], not_a_file)) do
      local when = WHEN[s.fields.setting]
      local hit = when and keep(panics, function(p) return match(p.fields.text or "", when[2]) ~= nil end) or {}
      if #hit > 0 and (s.fields.number or 0) > 0 then
        found[#found + 1] = { cause = "host.kernel_panic", severity = "note", confidence = "certain", scope = "host", evidence = { s }, symptoms = hit,
          confidence_why = "the setting asks for it, and the panic names it",
          summary = string.format("%s=%d: this kernel panics %s, where others go on", s.fields.setting, s.fields.number, when[1]) }
      end
    end
    return found
  end,
}

-- Pages that the kernel moves between NUMA nodes by itself, and zones that it reclaims before it asks a farther one: both cost a rank time at random. They are
-- the default of many machines, so they are told only where slowness was measured.
correlate {
  id    = "host.setting.numa",
  group = "host",
  uses  = { "host.setting" },
  reach = { "fr.straggler" },
  judge = function(case)
    local on = case.signals
    local set = keep(on["host.setting"], function(s)
      return not_a_file(s) and (s.fields.number or 0) > 0 and (s.fields.setting == "kernel.numa_balancing" or s.fields.setting == "vm.zone_reclaim_mode")
    end)
    local slow = keep(on["fr.straggler"], function(s) return s.host == nil or s.host == case.host end)
    if #set == 0 or #slow == 0 then return {} end
    return { { cause = "comm.straggler", severity = "note", confidence = "possible", scope = "host", ranks = {}, evidence = set, symptoms = {},
      confidence_why = "a known source of uneven steps; that it is this one is not shown", summary = string.format("%s is on (%s) on a machine whose rank comes late", set[1].fields.setting, set[1].fields.value) } }
  end,
}

-- /dev/shm as containers have it by default. NCCL and data loaders need more; what fails for it is told elsewhere (app.shm_bus_error.told).
local DEFAULT_SHM = 65536
correlate {
  id    = "host.shm_tiny",
  group = "host",
  uses  = { "host.disk", "host.mount", "container.inspect" },
  reach = { "app.shm_bus_error", "app.no_space", "app.good_end", "app.traceback" },
  judge = function(case)
    local on = case.signals
    -- a worker of a data loader that is gone without a word: SIGBUS, where its parent did not see the signal
    local gone = keep(on["app.traceback"], function(t) return match(t.fields.message or "", [[DataLoader worker.* (?:exited unexpectedly|killed by signal: Bus error)]]) ~= nil end)
    local tiny = keep(join(on["host.disk"], on["host.mount"]), function(s) return s.fields.mount == "/dev/shm" and s.fields.size_kib ~= nil and s.fields.size_kib <= DEFAULT_SHM end)
    local containers = keep(on["container.inspect"], function(s) return s.fields.shm_size_kib ~= nil and s.fields.shm_size_kib <= DEFAULT_SHM and s.fields.ipc_mode ~= "host" end)
    if #tiny + #containers == 0 or #on["app.good_end"] + #on["app.shm_bus_error"] + #on["app.no_space"] > 0 then return {} end
    return { { cause = "host.shm_exhausted", class = #gone > 0 and "lost" or nil, severity = #gone == 0 and "note" or nil, confidence = "possible", scope = "host", evidence = join(tiny, containers), symptoms = gone,
      confidence_why = #gone > 0 and "the default size of a container, and a worker of a data loader went without a word" or "the default size of a container; nothing shows that it was too little",
      summary = string.format("/dev/shm has only %s", size_text(#tiny > 0 and tiny[1].fields.size_kib or containers[1].fields.shm_size_kib)) } }
  end,
}

-- A file system that df shows as full, with nobody who says so: the writer may have said it to a log that could not be written.
local SYSTEM = [[^/(?:snap|var/lib/snapd|boot|run|sys|proc|dev)(?:/|$)|\.iso$]]
correlate {
  id    = "host.disk.full_unsaid",
  group = "host",
  uses  = { "host.disk" },
  reach = { "app.no_space" },
  judge = function(case)
    local on = case.signals
    local full = keep(on["host.disk"], function(s)
      return (s.fields.used_pct == 100 or s.fields.inodes_pct == 100) and match(s.fields.mount, SYSTEM) == nil and match(s.fields.type or "", [[squashfs|iso9660]]) == nil
    end)
    if #full == 0 or #on["app.no_space"] > 0 then return {} end
    local f = full[1].fields
    return { { cause = "host.disk_full", severity = "note", confidence = "possible", scope = "host", evidence = full,
      confidence_why = "df shows it; nothing says that a write failed", summary = string.format("%s (%s) is full%s", f.mount, f.device or "?", f.inodes_pct and ": no inode is left" or "") } }
  end,
}
