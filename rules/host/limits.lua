-- Limits of the platform that a process runs into: number of processes and threads, open files, disk space. They look like faults of
-- whoever asked last: a thread that cannot start ends in a segfault, a full disk in a watchdog time-out of the other ranks.
-- Sources: kernel kernel/cgroup/pids.c, fs/file_table.c; errno texts of glibc, CPython, OpenBLAS; df, pids.events, docker inspect.
signature {
  id      = "kernel.fork_rejected",
  stream  = "kernel",
  needles = { "fork rejected by pids controller" },
  pattern = [[^cgroup: fork rejected by pids controller in (?<cgroup>\S+)]],
  fields  = { cgroup = "cgroup" },
  match   = { "cgroup: fork rejected by pids controller in /kubepods.slice/kubepods-burstable.slice/cri-containerd-ac7bf3c2.scope" },
  ignore  = { "cgroup: new mount options do not match the existing superblock, will be ignored" },
  tells   = "the process limit of {cgroup} is reached",
}
signature {
  id      = "kernel.file_max",
  stream  = "kernel",
  needles = { "file-max limit" },
  pattern = [[^VFS: file-max limit (?<limit>\d+) reached]],
  fields  = { limit = "int" },
  match   = { "VFS: file-max limit 1048576 reached" },
  ignore  = { "VFS: Mounted root (ext4 filesystem) readonly on device 8:1." },
  says    = { cause = "host.fd_limit", confidence = "certain", scope = "host", summary = "the node's limit of {limit} open files is reached" },
}
signature {
  id      = "app.no_file",
  stream  = { "app", "nccl", "host", "k8s", "runtime" },
  needles = { "Too many open files", "Too may open files", "too many open files", "received 0 items of ancdata" },
  pattern = [[[Tt]oo ma(?:n)?y open files|received 0 items of ancdata]], -- the latter: descriptors sent over a socket, and none free to take them
  fields  = {},
  fold    = {},
  match   = { "tcp_server_posix.cc:213]    Failed accept4: Too many open files", "OSError: [Errno 24] Too many open files",
              "unable to create watcher for lockfile: inotify_init: too many open files", "RuntimeError: received 0 items of ancdata" },
  ignore  = { "open files                      (-n) 1024" },
  tells   = "no further file or socket can be opened",
}
signature {
  id      = "app.no_thread",
  stream  = { "app", "nccl" },
  needles = { "can't start new thread", "pthread_create failed", "Resource temporarily unavailable", "Failed to create proxy thread" },
  pattern = [=[can't start new thread|pthread_create failed for thread|(?:fork|clone|[Tt]hread|pthread|vfork|process)\w*:?.{0,60}Resource temporarily unavailable|BlockingIOError: \[Errno 11\]]=],
  match   = { "RuntimeError: can't start new thread", "OpenBLAS blas_thread_init: pthread_create failed for thread 21 of 64: Resource temporarily unavailable",
              "proxy.cc NCCL WARN Failed to create proxy thread: Resource temporarily unavailable", "bash: fork: retry: Resource temporarily unavailable" },
  ignore  = { "NCCL INFO recv: Resource temporarily unavailable" },
  fold    = {},
  tells   = "no further thread or process can be started",
}
signature {
  id      = "host.pids_events",
  stream  = { "host", "app" },
  needles = { "pids.events max", "pids.events: max" },
  pattern = [[^pids\.events:? max (?<rejected>\d+)]],
  fields  = { rejected = "int" },
  match   = { "pids.events max 119" },
  ignore  = { "pids.current 2048" },
}
signature {
  id      = "app.no_space",
  stream  = { "app", "nccl", "host", "slurm" },
  needles = { "No space left on device", "Disk quota exceeded" },
  pattern = [[^(?!.*(?:inotify|fsnotify|watch(?:es|er|ing)?\b))(?=(?:.*\b(?<segment>NCCL WARN Call to (?:posix_fallocate|shm_open)|shared memory segment)\b.{0,120}(?:No space left|Disk quota))?).*?(?<path>/dev/shm/\S+)?[^/]{0,60}?(?<text>No space left on device|Disk quota exceeded)]],
  fields  = { segment = "text", path = "text", text = "text" },
  match   = { "OSError: [Errno 28] No space left on device", "Error while creating shared memory segment /dev/shm/nccl-PZ30QF (size 9637888), error: No space left on device (28)",
              "gx-a:286:300 [0] include/shm.h:28 NCCL WARN Call to posix_fallocate failed : No space left on device" },
  ignore  = { "EXT4-fs warning (device sda1): ext4_da_write_begin: out of space",
              "OSError: inotify watch limit reached: [Errno 28] No space left on device" }, -- inotify runs out of watches, no disk is full
  tells   = "{text}",
}
local function near_job(list, head)
  return keep(list, function(s) return s.host == nil or head.host == nil or s.host == head.host end)
end

correlate {
  id    = "host.thread_limit",
  group = "host",
  uses  = { "kernel.fork_rejected", "app.no_thread", "host.pids_events" },
  reach = { "app.traceback", "app.fatal_python" },
  judge = function(case)
    local on = case.signals
    local kernel, app = on["kernel.fork_rejected"], on["app.no_thread"]
    local counted = keep(on["host.pids_events"], function(s) return s.fields.rejected > 0 end)
    if #kernel == 0 and #app == 0 then return {} end
    local head = first(join(kernel, app))
    local echoes = keep(near_job(on["app.traceback"], head), function(s) return match(s.fields.message or "", [[new thread|temporarily unavailable]]) ~= nil end)
    local f = #kernel > 0 and kernel[1].fields or {}
    return { {
      cause = "host.thread_limit", confidence = #kernel > 0 and "certain" or "likely", scope = #kernel > 0 and "container" or "host",
      evidence = join(kernel, app, counted), container = #kernel > 0 and kernel[1].container or nil,
      symptoms = join(echoes, #kernel > 0 and near_job(on["app.fatal_python"], head) or {}),
      confidence_why = #kernel > 0 and "the kernel says it once for each cgroup; the counter carries the rest" or "the errno says so; whether cgroup or ulimit is the limit is not in it",
      summary = string.format("No more processes or threads%s%s", f.cgroup and ": the pids limit of the cgroup is reached" or " could be started",
        #counted > 0 and string.format(" (%d refusals counted)", counted[1].fields.rejected) or ""),
      facts = { cgroup = f.cgroup, refused = #counted > 0 and counted[1].fields.rejected or nil },
    } }
  end,
}
signature {
  id      = "app.fatal_python",
  stream  = "app",
  needles = { "Fatal Python error: " },
  pattern = [[Fatal Python error: (?<text>Segmentation fault|Bus error|Aborted)]],
  fields  = { text = "text" },
  match   = { "worker 33: Fatal Python error: Segmentation fault" },
  ignore  = { "Fatal Python error: init_sys_streams: can't initialize sys standard streams" },
}

-- A full disk: the writer says so; df agrees or not. /dev/shm has a cause of its own.
correlate {
  id    = "host.disk_full",
  group = "host",
  uses  = { "app.no_space" },
  reach = { "host.disk", "slurm.container_failed" },
  judge = function(case)
    local on, found = case.signals, {}
    -- NCCL calls posix_fallocate and shm_open for its segments only
    local function is_shm(s) return s.fields.path ~= nil or s.fields.segment ~= nil end
    local said = keep(on["app.no_space"], function(s) return not is_shm(s) end)
    local shm = keep(on["app.no_space"], is_shm)
    local full = keep(on["host.disk"], function(s)
      return (s.fields.used_pct or s.fields.inodes_pct or 0) >= 99 and (s.host == case.host or s.host == nil) and match(s.fields.mount, [[^/(?:snap|var/lib/snapd|boot)]]) == nil
    end)
    local disks = keep(full, function(s) return s.fields.mount ~= "/dev/shm" end)
    local shm_full = keep(full, function(s) return s.fields.mount == "/dev/shm" end)
    if #shm > 0 or (#said > 0 and #shm_full > 0 and #disks == 0) then
      found[#found + 1] = { cause = "host.shm_exhausted", confidence = #shm > 0 and "certain" or "likely", scope = "host", evidence = #shm > 0 and shm or said, symptoms = shm_full,
        confidence_why = #shm > 0 and (shm[1].fields.path and "the error names a file in /dev/shm" or "the call that failed makes a segment in /dev/shm") or "df shows that /dev/shm is full, and no other file system",
        summary = "Shared memory (/dev/shm) is full" .. (#shm_full > 0 and shm_full[1].fields.size_kib and string.format(" (%s)", size_text(shm_full[1].fields.size_kib)) or "") }
    elseif #said > 0 then
      found[#found + 1] = { cause = "host.disk_full", confidence = "certain", scope = said[1].rank and "rank" or "host", rank = said[1].rank, evidence = said,
        symptoms = join(disks, keep(on["slurm.container_failed"], function(s) return s.host == said[1].host or s.member == said[1].member end)),
        confidence_why = #disks > 0 and "errno 28, and df shows a full file system" or "errno 28 says so",
        summary = string.format("%s%s", first(said).fields.text, #disks > 0 and string.format(": %s (%s) is at %d %%%s", disks[1].fields.mount, disks[1].fields.device,
          disks[1].fields.used_pct or disks[1].fields.inodes_pct, disks[1].fields.inodes_pct and " of its inodes" or "") or ""),
        facts = { mount = #disks > 0 and disks[1].fields.mount or nil } }
    end
    return found
  end,
}

signature {
  id      = "host.service_failed",
  stream  = "host",
  needles = { ".service: Failed with result 'exit-code'", ".service: Failed with result 'core-dump'" },
  pattern = [[^(?<unit>\S+\.service): Failed with result '(?:exit-code|core-dump)']],
  fields  = { unit = "text" },
  match   = { "kubelet.service: Failed with result 'exit-code'." },
  ignore  = { "kubelet.service: Main process exited, code=exited, status=255/EXCEPTION" },
  tells   = "service {unit} failed",
}
-- Whoever needs a descriptor next fails: a logger, a socket, the loader. Alone the line is likely; many programs survive one.
correlate {
  id    = "host.fd_limit.said",
  group = "host",
  uses  = { "app.no_file" },
  reach = { "host.limits", "app.traceback", "app.nccl_error", "app.good_end", "app.run_completed", "nccl.warn", "host.service_failed" },
  judge = function(case)
    local on = case.signals
    local said = on["app.no_file"]
    local low = keep(on["host.limits"], function(s) return s.fields.open_files ~= nil and s.fields.open_files <= 65536 end)
    -- a service that says it as its last word does not come up
    local service = keep(on["host.service_failed"], function(s)
      local distance, known = gap(said[1], s)
      return s.host == case.host and order(said[1], s) ~= "after" and known and distance <= minutes(1)
    end)
    local failed = #on["app.traceback"] + #on["app.nccl_error"] + #on["nccl.warn"] + #service > 0
    local survived = not failed and ended_well(on["app.run_completed"], last(said))
    return { { cause = "host.fd_limit", severity = survived and "note" or (not failed or #on["app.good_end"] > 0) and "warning" or "error", confidence = #low > 0 and "certain" or "likely", scope = "host", evidence = said, symptoms = low,
      confidence_why = #low > 0 and "errno EMFILE, and the limit is shown" or "errno EMFILE says so",
      summary = string.format("No more files or sockets could be opened%s", #low > 0 and string.format(" (limit %d)", low[1].fields.open_files) or "") } }
  end,
}
