-- Something does not go on: a file server that stays silent, tasks that wait in the kernel, a CPU that spins. The stack says
-- what a task waits for. A file server that is back within seconds is everyday; only silence that lasts is a stall.
-- Sources: kernel net/sunrpc/clnt.c, fs/smb, hung_task.c, watchdog.c, rcu; Lustre client messages; GPFS mmfs.log; libceph; BeeGFS.
local LIFTED = minutes(5)

signature {
  id      = "kernel.fs_silent",
  stream  = { "kernel", "host" },
  needles = { "not responding, still trying", "not responding, timed out", "has not responded in", "in progress operations using this service" },
  pattern = [[^(?:nfs4?: server (?<server>\S+) not responding, (?:still trying|timed out)|CIFS: VFS: (?<server>\S+) has not responded in (?<seconds>\d+) seconds|Lustre(?:Error)?: .*?(?:Connection to (?<server>[\w.-]+)(?: \(at (?<address>[^)]+)\))? was lost|This client was evicted by (?<server>[\w.-]+));)]],
  fields  = { server = "text", seconds = "int", address = "text" },
  fold    = { "server" },
  match   = { "nfs: server store2 not responding, still trying", "CIFS: VFS: \\\\10.40.2.9 has not responded in 180 seconds. Reconnecting...",
              "Lustre: fs-OST0001-osc-ffff9a: Connection to fs-OST0001 (at 10.0.0.9@o2ib) was lost; in progress operations using this service will wait for recovery to complete",
              "LustreError: 167-0: fs-OST0001-osc-ffff: This client was evicted by fs-OST0001; in progress operations using this service will fail." },
  ignore  = { "nfs: server store2 OK", "Lustre: fs-OST0001-osc-ffff9a: Connection restored to fs-OST0001 (at 10.0.0.9@o2ib)" },
  tells   = "file server {server} does not answer",
}
signature {
  id      = "kernel.fs_lost",
  stream  = { "kernel", "host" },
  needles = { "Disk lease period expired", "Lost membership in cluster", "Retries exhausted; Communication error", "socket closed (con state", " hung",
              "unmounted by the system with return code" },
  pattern = [[^(?:(?:.*\[[NWEX]\] +|.*mmfsd?.*: )?(?:Disk lease period expired.*? in cluster (?<server>[\w.-]+\w)|Lost membership in cluster (?<server>[\w.-]+\w)|File System (?<server>\S+) unmounted by the system with return code \d+)|beegfs: .*Retries exhausted; Communication error|(?:libceph|ceph): (?<server>(?:osd|mds|mon)\d+) (?:\S+ socket closed \(con state (?:(?<open>OPEN)|\w+)\)|hung))]],
  fields  = { server = "text", open = "text" },
  fold    = { "server", "open" },
  match   = { "[E] Disk lease period expired 12.3 seconds ago in cluster gpfs.site. Attempting to reacquire the lease.",
              "2026-01-20_22:19:33.101+0100: [E] Lost membership in cluster hpc.gss. Unmounting file systems.",
              "2026-01-20_22:19:33.390+0100: [X] File System gpfs1 unmounted by the system with return code 212 reason code 0", "libceph: osd12 (1)10.0.0.9:6800 socket closed (con state OPEN)", "ceph: mds0 hung" },
  ignore  = { "ceph: mds0 caps stale", "[I] mmfsd ready" },
  tells   = "file system {server} is lost",
}
-- The client of BeeGFS keeps a log of its own (or, with logType = syslog, writes into the kernel's), and tells nothing else before it gives up.
-- Source: BeeGFS client_module net/message/MessagingTk.c, the logger's frame "(level) MonDD hh:mm:ss task(pid) [context] >> text".
signature {
  id      = "host.beegfs_silent",
  stream  = { "kernel", "host", "app" },
  needles = { "Receive timed out from", "Unable to connect to: beegfs-" },
  pattern = [[^(?:\(\d\) \w{3} ?\d{1,2} [\d:]{8} .*>> |beegfs: \S+\(\d+\)[: ].*?)(?:Receive timed out from:?|(?<gave_up>Unable to connect to:)) (?<server>beegfs-(?:storage|meta|mgmtd) \S+)]],
  fields  = { server = "text", gave_up = "text" },
  fold    = { "server", "gave_up" },
  match   = { "(0) Mar11 14:21:47 python3(24123) [Messaging (RPC)] >> Receive timed out from beegfs-storage s05 [ID: 5] @ 10.20.0.5:8003. Message type: 2035. Retrying...",
              "beegfs: python3(24123): Messaging (RPC): Receive timed out from beegfs-storage s05 [ID: 5] @ 10.20.0.5:8003. Message type: 2035. Retrying..." },
  ignore  = { "(2) Mar11 14:22:50 python3(24123) [NodeConn (acquire stream)] >> Connected: beegfs-storage s05 [ID: 5]@10.20.0.5:8003 (protocol: TCP)" },
  tells   = "file server {server} does not answer",
}
signature {
  id      = "kernel.fs_refused",
  stream  = { "kernel", "host" },
  needles = { ": operation ", "NFS: state manager: ", "The TCP connection to IP address ", "Attempting reconnect", "Timed out RDMA with ", "@@@ Request sent has " },
  pattern = [=[^(?:LustreError: 11-0: (?<server>[\w.-]+?)-(?:osc|mdc|lwp)-\w+: operation \w+ to node (?<address>\S+) failed: rc = -(?<code>\d+)|NFS: state manager: .*?failed on NFSv4 server (?<server>\S+) with error (?<code>\d+)|LNetError: .*Timed out RDMA with (?<address>\S+)|Lustre: .*@@@ Request sent has (?:timed out for|failed due to network error).*->(?<server>[\w.-]+?)-(?:osc|mdc|lwp)-\w+@(?<address>[^:\s]+)|.*\[[WE]\] (?<gpfs>The TCP connection to IP address \S+ \S+ .*state is unexpected|Close connection to \S+ \S+ .*Attempting reconnect))]=],
  fields  = { server = "text", address = "text", code = "int", gpfs = "text" },
  fold    = { "server", "address" },
  match   = { "LNetError: 1234:0:(o2iblnd_cb.c:3370:kiblnd_check_conns()) Timed out RDMA with 10.0.0.9@o2ib (50): c: 7, oc: 0, rc: 8", "NFS: state manager: check lease failed on NFSv4 server fs01 with error 13",
              "2026-07-14_04:22:10.312+0000: [W] The TCP connection to IP address 10.9.0.2 gss01 <c0n1>:[1] (socket 71) state is unexpected: state=1 ca_state=4 snd_cwnd=1",
              "Lustre: 2210:0:(client.c:2289:ptlrpc_expire_one_request()) @@@ Request sent has timed out for slow reply: [sent 1767225500/real 1767225500]  req@ffff9a x1 o4->fs-OST0001-osc-ffff9a@10.0.0.9@o2ib:6/4 lens 488/448 e 0 to 1",
              "LustreError: 11-0: fs-OST0007-osc-ffff9a1b: operation ost_write to node 10.0.0.9@o2ib failed: rc = -107" },
  ignore  = { "LustreError: 167-0: fs-OST0001-osc-ffff: This client was evicted by fs-OST0001; in progress operations using this service will fail." },
  tells   = "an operation on {server} fails",
}
-- The server gives other files the numbers of those that are open: it was restored, or exports something else now.
signature {
  id      = "kernel.fs_changed",
  stream  = { "kernel", "host" },
  needles = { "error: fileid changed" },
  pattern = [[^NFS: server (?<server>\S+) error: fileid changed]],
  fields  = { server = "text" },
  fold    = { "server" },
  match   = { "NFS: server nas2 error: fileid changed" },
  ignore  = { "nfs: server nas2 OK" },
  tells   = "file server {server} has lost the identity of its files",
}
signature {
  id      = "kernel.fs_back",
  stream  = { "kernel", "host" },
  needles = { "nfs: server ", "nfs4: server ", "Connection restored to", " recovery completed", " came back", " reconnect success", "libceph: osd" },
  pattern = [[^(?:nfs4?: server (?<server>\S+) OK$|Lustre: (?:\S+ )?(?:(?<server>[\w.-]+?)-(?:osc|mdc|lwp)-\w+: Connection restored to |.*Connection restored to (?<server>[\w.-]+))|(?:lib)?ceph: (?<server>(?:mds|osd)\d+) (?:recovery completed|came back|reconnect success|up)$)]],
  fields  = { server = "text" },
  match   = { "nfs: server store2 OK", "ceph: mds0 recovery completed", "libceph: osd12 up", "Lustre: fs-OST0001-osc-ffff9a: Connection restored to fs-OST0001 (at 10.0.0.9@o2ib)",
              "Lustre: fs-OST0001-osc-ffff9a: Connection restored to  (at 10.0.0.9@o2ib)", "Lustre: MGC10.0.0.1@o2ib: Connection restored to MGS (at 10.0.0.1@o2ib)" },
  ignore  = { "nfs: server store2 not responding, still trying" },
  tells   = "file server {server} is back",
}
signature {
  id      = "kernel.storage_lost",
  stream  = "kernel",
  needles = { "controller is down; will reset", "Removing after probe failure", "Remounting filesystem read-only", "Shutting down filesystem", "EXT4-fs error (device",
              "I/O error, dev ", "Buffer I/O error on dev", "Aborting journal on device", "xfs_do_force_shutdown", "timeout, reset controller", "Metadata corruption detected" },
  pattern = [[^(?:nvme (?<device>nvme\d+): (?:controller is down; will reset|Removing after probe failure|I/O .*timeout, (?<reset>reset controller))|EXT4-fs error \(device (?<device>[\w-]+)\)|(?:EXT4-fs|XFS) \((?<device>[\w-]+)\): .*?(?<text>Remounting filesystem read-only|Shutting down filesystem|xfs_do_force_shutdown|Metadata corruption detected)|(?:(?:blk_update_request: )?I/O error, dev|Buffer I/O error on dev|Aborting journal on device) (?<device>(?:nvme|sd|dm-)[\w-]+?)(?:-\d+\.$|, (?:sector|logical block)))]],
  fields  = { device = "text", text = "text", reset = "text" },
  fold    = { "device", "reset" },
  match   = { "nvme nvme0: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0xffff", "EXT4-fs (sda1): Remounting filesystem read-only",
              "XFS (nvme0n1p1): Log I/O Error (0x2) detected at xlog_ioend_work+0x6c/0x70 [xfs] (fs/xfs/xfs_log.c:1378).  Shutting down filesystem.",
              "I/O error, dev nvme0n1, sector 123 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2", "Buffer I/O error on dev sda1, logical block 1, lost async page write",
              "Aborting journal on device dm-0-8.", "XFS (nvme0n1p1): xfs_do_force_shutdown(0x2) called from line 1272 of file fs/xfs/xfs_log.c. Return address = 0xffffffffc0a1",
              "nvme nvme0: I/O 12 QID 3 timeout, reset controller" },
  ignore  = { "nvme nvme0: I/O 12 (I/O Cmd) QID 3 timeout, aborting", "EXT4-fs (dm-0): recovery complete" },
  tells   = "storage {device} fails",
}
signature {
  id      = "kernel.tx_timeout",
  stream  = "kernel",
  needles = { "TX timeout", "transmit queue" },
  pattern = [[^(?:(?<driver>\w+) (?<device>[0-9a-fA-F:.]+) (?<port>\S+): (?:TX timeout (?:detected|on queue)|NETDEV WATCHDOG: CPU: \d+: transmit queue \d+ timed out)|NETDEV WATCHDOG: .*?(?<port>\S+) \((?<driver>\w+)\): transmit queue \d+ timed out)]],
  fields  = { driver = "text", device = "text", port = "text" },
  fold    = { "port" },
  match   = { "mlx5_core 0000:c1:00.1 eth1: TX timeout detected", "NETDEV WATCHDOG: eth1 (mlx5_core): transmit queue 23 timed out",
              "mlx5_core 0000:c1:00.1 eth1: NETDEV WATCHDOG: CPU: 12: transmit queue 23 timed out 5004 ms" },
  ignore  = { "mlx5_core 0000:c1:00.1 eth1: Link up" },
  tells   = "network card {port} does not send",
}

-- A check in a driver that failed; what it held then stays held, and everybody who needs it hangs.
signature {
  id      = "kernel.driver_warning",
  stream  = "kernel",
  needles = { "WARNING: CPU: " },
  pattern = [=[^WARNING: CPU: \d+ PID: (?<pid>\d+) at \S+ (?<symbol>[\w.]+)\+0x[0-9a-f]+/0x[0-9a-f]+ \[(?<driver>\w+)\]]=],
  fields  = { pid = "pid", symbol = "text", driver = "text" },
  match   = { "WARNING: CPU: 41 PID: 1180322 at /var/lib/dkms/nvidia/build/nvidia/nv.c:5461 nvidia_dev_put_uuid+0xb8/0xe0 [nvidia]" },
  ignore  = { "WARNING: CPU: 3 PID: 5 at kernel/rcu/tree.c:2618 rcu_do_batch+0x5b1/0x7d0" },
  fold    = { "driver", "symbol" },
  tells   = "a check of driver {driver} failed in {symbol}",
}

local FS = [=[\bnfs4?_|\[nfs|rpc_wait_bit|\[sunrpc\]|\[lustre\]|\[ptlrpc\]|\[osc\]|\[mdc\]|\[cifs\]|\[ceph\]|\[mmfs|\[beegfs\]|fuse_|\[wekafs(?:io|gw)\]]=]
local function here(list, host) return keep(list, function(s) return s.host == host end) end

correlate {
  id    = "host.fs_stall",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.fs_silent", "kernel.fs_back", "kernel.fs_lost", "host.beegfs_silent", "kernel.fs_changed", "kernel.stuck", "kernel.fs_refused" },
  reach = { "app.traceback", "app.run_completed" },
  judge = function(case)
    local on, found = case.signals, {}
    if #on["kernel.fs_silent"] + #on["kernel.fs_lost"] + #on["kernel.fs_changed"] + #on["host.beegfs_silent"] == 0 then
      local refused = on["kernel.fs_refused"]
      if #refused == 0 or #keep(on["kernel.stuck"], function(s) return s.fields.kind == "hung_task" and match(s.fields.stack or "", FS) ~= nil end) > 0 then return {} end
      return { { cause = "host.fs_stall", severity = "note", confidence = "possible", scope = "host", evidence = refused,
        confidence_why = "an operation failed or was late; the client never says that it lost the server", summary = string.format("Operations on %s fail or are late", refused[1].fields.server or refused[1].fields.address or "a file server") } }
    end
    for _, changed in ipairs(on["kernel.fs_changed"]) do
      local stale = keep(on["app.traceback"], function(s)
        return match(s.fields.message or "", [=[Stale file handle|\[Errno 116\]]=]) ~= nil and order(s, changed) ~= "before"
      end)
      found[#found + 1] = { cause = "host.fs_stall", severity = #stale > 0 and "error" or "note", confidence = "certain", scope = "host", evidence = { changed }, symptoms = stale,
        confidence_why = #stale > 0 and "the client says that the server's files changed their identity, and programs hold stale handles" or "the client says that the server's files changed their identity",
        summary = string.format("File server %s has lost the identity of its files", changed.fields.server), facts = { server = changed.fields.server } }
    end
    for _, silent in ipairs(join(on["kernel.fs_silent"], on["kernel.fs_lost"], on["host.beegfs_silent"])) do
      local server = silent.fields.server
      local stuck = keep(on["kernel.stuck"], function(s)
        return s.fields.kind == "hung_task" and match(s.fields.stack or "", FS) ~= nil and order(s, silent) ~= "before"
      end)
      local back = keep(on["kernel.fs_back"], function(s) return s.fields.server == server and order(silent, s) ~= "after" end)
      -- the last complaint of a folded run, against the line that lifts it
      local lasted = true
      for _, s in ipairs(back) do
        local from = silent.last_at or silent.at
        if s.clock == silent.clock and s.at and from then
          if s.at >= from and s.at - (silent.at or from) <= LIFTED then lasted = false end
        elseif is_near(silent, s, LIFTED) then
          lasted = false
        end
      end
      -- an operation in flight that was lost with the connection is an error of the program that asked, however short it was
      local cut = keep(on["app.traceback"], function(s)
        return (s.host == case.host or s.host == nil) and match(s.fields.message or "", [=[\[Errno (?:107|108)\]|endpoint]=]) ~= nil and order(s, silent) ~= "before"
      end)
      lasted = lasted or #stuck + #cut > 0
      if #cut == 0 and ended_well(on["app.run_completed"], silent) then lasted = false end
      -- Ceph's servers close a connection on which nothing was asked for a while, and the client opens it anew with the next request
      if silent.fields.open and #stuck + #cut == 0 then lasted = false end
      -- BeeGFS tries again after a receive that timed out; only what it could not reach at all, or who hangs in it, makes a stall of that
      if silent.id == "host.beegfs_silent" and #stuck + #cut == 0 and #keep(on["host.beegfs_silent"], function(s) return s.fields.server == server and s.fields.gave_up ~= nil end) == 0 then lasted = false end
      local refused = keep(on["kernel.fs_refused"], function(s)
        local distance, known = gap(s, silent)
        local same = s.fields.server == server or (s.fields.address ~= nil and s.fields.address == silent.fields.address)
        return (same or (s.fields.gpfs ~= nil and s.member == silent.member)) and order(s, silent) ~= "after" and known and distance <= minutes(10)
      end)
      found[#found + 1] = {
        cause = "host.fs_stall", severity = lasted and "error" or "note", confidence = (#stuck > 0 or #back == 0) and lasted and "certain" or "likely",
        scope = "host", evidence = join(refused, { silent }), symptoms = join(stuck, cut), count = silent.count,
        confidence_why = lasted and (#stuck > 0 and "tasks hang in this file system" or "the client complains, and never says that the server is back") or "the server was back within minutes, or the job ran past it",
        summary = string.format("%s %s%s", server and "File server " .. server or "A file server", lasted and "stopped answering" or "was silent for a moment",
          #stuck > 0 and string.format("; %d report%s of tasks that hang in it", #stuck, #stuck == 1 and "" or "s") or ""),
        facts = { server = server },
      }
    end
    return found
  end,
}

-- The disk behind a partition or a name space: nvme3n1p2 is of nvme3, sda1 of sda.
local function disk_of(s)
  local device = s.fields.device or "?"
  return match(device, [[^(nvme\d+)]]) or match(device, [[^(sd[a-z]+)]]) or device
end
correlate {
  id    = "host.storage_lost",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.storage_lost" },
  reach = { "app.run_completed" },
  judge = function(case)
    local found = {}
    for _, list in ipairs(group_by(case.signals["kernel.storage_lost"], disk_of)) do
      local errors, says, well = 0, {}, true
      local gone = keep(list, function(s) return match(s.fields.device or "", [[^nvme\d+$]]) ~= nil and s.fields.reset == nil end)
      local closed = keep(list, function(s) return s.fields.text ~= nil end)
      for _, s in ipairs(list) do
        errors = errors + s.count
        well = well and ended_well(case.signals["app.run_completed"], s)
      end
      if #gone > 0 then says[#says + 1] = "its controller is gone" end
      if #closed > 0 then says[#says + 1] = "the file system on it: " .. string.lower(closed[1].fields.text) end
      local grave = #gone + #closed > 0 or errors >= 10
      found[#found + 1] = { cause = "host.fs_stall", severity = well and "note" or grave and "error" or "warning", confidence = "likely", scope = "host", evidence = list, count = errors,
        confidence_why = "the kernel reports errors of this disk or file system",
        summary = string.format("Storage %s fails (%d error%s)%s", disk_of(list[1]), errors, errors == 1 and "" or "s", #says > 0 and ": " .. table.concat(says, ", ") or ""), facts = { device = disk_of(list[1]) } }
    end
    return found
  end,
}

-- Tasks and CPUs that are stuck. A lockup is a fault of its own; a hung task follows from what it waits for.
correlate {
  id    = "host.hung_task",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.stuck" },
  reach = { "kernel.fs_silent", "kernel.fs_lost", "host.beegfs_silent", "kernel.tx_timeout", "kernel.driver_warning", "kernel.fs_refused", "kernel.panic", "app.run_completed" },
  judge = function(case)
    local on, found = case.signals, {}
    local function warned(run, driver) -- hung tasks are reported two minutes and more after they stopped
      return keep(here(on["kernel.driver_warning"], case.host), function(s)
        local distance, known = gap(s, first(run))
        return driver and match(s.fields.driver, "^" .. driver) ~= nil and order(s, first(run)) ~= "after" and known and distance <= minutes(15)
      end)
    end
    local lockups = keep(on["kernel.stuck"], function(s) return s.fields.kind ~= "hung_task" end)
    local tasks = keep(on["kernel.stuck"], function(s) return s.fields.kind == "hung_task" end)
    local silent = here(join(on["kernel.fs_silent"], on["kernel.fs_lost"], on["host.beegfs_silent"]), case.host)
    for _, run in ipairs(episodes(hours(24), lockups)) do
      local head = first(run)
      local f = head.fields
      local driver = match(f.stack or "", [=[\[(mlx5_core|nvidia\w*|bnxt_en|lustre|nfs\w*|i40e|ice|ena|gve)\]]=])
      local spark = keep(here(on["kernel.tx_timeout"], case.host), function(s)
        local distance, known = gap(s, head)
        return s.fields.driver == driver and order(s, head) ~= "after" and known and distance <= minutes(5)
      end)
      local follow = keep(join(silent, tasks), function(s) return order(head, s) ~= "after" end)
      -- a machine that is told to panic when a CPU is stuck is gone, not slow
      local fatal = keep(here(on["kernel.panic"], case.host), function(s) return match(s.fields.text, [[softlockup|hard LOCKUP|RCU]]) ~= nil and order(head, s) ~= "after" and is_near(last(run), s, minutes(5)) end)
      found[#found + 1] = {
        cause = "host.hung_task", class = #fatal > 0 and "lost" or nil, severity = ended_well(on["app.run_completed"], last(run)) and "note" or nil, confidence = "certain", scope = "host", evidence = join(spark, warned(run, driver), run), symptoms = follow,
        confidence_why = "the kernel's own watchdog says so",
        summary = string.format("%s%s%s", f.kind == "rcu_stall" and "RCU stall" or string.format("CPU %s is stuck in the kernel", tostring(f.cpu or "?")),
          last(run).fields.seconds and string.format(" for %d s", last(run).fields.seconds) or "", driver and ", in the driver " .. driver or ""),
        facts = { kind = f.kind, cpu = f.cpu, driver = driver, stack = string.sub(f.stack or "", 1, 300) },
      }
    end
    for _, run in ipairs(episodes(hours(1), tasks)) do
      local head = first(run)
      local f = head.fields
      local fs = keep(run, function(s) return match(s.fields.stack or "", FS) ~= nil end)
      local gpu = match(f.stack or "", [=[\[nvidia\w*\]]=]) ~= nil
      local known_fs = keep(silent, function(s) return order(s, head) ~= "after" end)
      local by_fs = #fs > 0 and #known_fs == 0 and #lockups == 0
      -- the job that ran to its end did not wait for it for ever
      local survived = ended_well(on["app.run_completed"], head) and not gpu
      local refused = by_fs and keep(here(on["kernel.fs_refused"], case.host), function(s)
        local distance, known = gap(s, head)
        return order(s, head) ~= "after" and known and distance <= minutes(15)
      end) or {}
      found[#found + 1] = {
        cause = by_fs and "host.fs_stall" or "host.hung_task", confidence = by_fs and "likely" or "certain", scope = "host",
        severity = survived and "note" or nil, evidence = join(gpu and warned(run, "nvidia") or {}, refused, run), pid = f.pid,
        confidence_why = by_fs and "the stack of the stuck task lies in a network file system" or "the kernel says so",
        summary = string.format("Task %s (pid %s) and others hang in the kernel (%d report%s)%s", f.process or "?", tostring(f.pid or "?"), #run, #run == 1 and "" or "s",
          by_fs and ", waiting for a network file system" or gpu and ", waiting for the GPU driver" or ""),
        facts = { process = f.process, seconds = last(run).fields.seconds, stack = string.sub(f.stack or "", 1, 300) },
      }
    end
    return found
  end,
}

-- A shell or launcher that finds its directory stale. Programs that raise an exception for it are read as such.
signature {
  id      = "app.stale_directory",
  stream  = { "app", "slurm" },
  needles = { ": Stale file handle" },
  pattern = [[^(?:slurmstepd: )?(?:error: )?(?:couldn't chdir to .*|shell-init: .*|ls: .*|cd: .*|bash: .*|df: .*|stat: .*)?: Stale file handle]],
  fold    = {},
  match   = { "slurmstepd: error: couldn't chdir to `/home/u/run': Stale file handle: going to /tmp instead", "ls: cannot access '/mnt/data': Stale file handle" },
  ignore  = { "OSError: [Errno 116] Stale file handle: '/mnt/data/x.bin'" },
  tells   = "a directory of the file server is stale",
}
correlate {
  id    = "host.fs_stall.stale_directory",
  group = "job",
  uses  = { "app.stale_directory" },
  reach = { "app.good_end", "app.progress", "srun.ended", "app.exit_line" },
  judge = function(case)
    local on = case.signals
    if #on["app.good_end"] + #on["app.progress"] > 0 then return {} end
    local said = on["app.stale_directory"]
    return { { cause = "host.fs_stall", severity = "error", confidence = "likely", scope = "job", host = said[1].host, evidence = said, ranks = {}, symptoms = join(on["srun.ended"], on["app.exit_line"]),
      confidence_why = "the handle of a directory is stale: the server exports something else now, or was restored", summary = "A directory that the job starts in is stale on the file server" } }
  end,
}
