-- Every cause that a verdict can name: the closed list. What each can bring about (and over which scope and delay), which
-- sources would show it, what to do. The verdict links findings by this table and knows no cause by name.
-- A state that only some outputs of a source show (heat, compute mode, fabric) has no settled_by: that a source is there
-- does not rule it out.
-- rank: how deep in the stack a cause lies; where nothing else decides, the deeper one explains the higher one.

local function list(...) -- one list out of several
  local all = {}
  for _, part in ipairs({ ... }) do
    for _, item in ipairs(part) do all[#all + 1] = item end
  end
  return all
end

-- What everybody else in the job sees when one process is gone or stands still: nothing of this is a cause by itself.
local function peers_see(within)
  return {
    { "comm.timeout",        same = "job", within = within, role = "victim" },
    { "comm.missing_rank",   same = "job", within = within, role = "symptom" },
    { "comm.init_failed",    same = "job", within = within, role = "victim" },
    { "comm.init_stuck",     same = "job", within = within, role = "victim" },
    { "comm.deadlock_suspected", same = "job", within = within, role = "symptom" },
    { "comm.straggler",      same = "job", within = within, role = "symptom" },
    { "comm.slow",           same = "job", within = within, role = "symptom" },
    { "net.peer_reset",      same = "job", within = within, role = "victim" },
    { "net.bootstrap_unreachable", same = "job", within = within, role = "victim" },
    { "net.ib_transport_error", same = "job", within = within, role = "victim" },
    { "unknown",             same = "job", within = within, role = "symptom" },
  }
end

-- How a process ends when something else took it down, and how the platform cleans up behind it.
local function process_ends(within)
  return {
    { "app.killed",    same = "process", within = within, role = "symptom" },
    { "app.crash",     same = "process", within = within, role = "symptom" },
    { "app.exception", same = "process", within = within, role = "symptom" },
    { "app.killed",    same = "cgroup", within = within, role = "symptom" },
    { "app.crash",     same = "cgroup", within = within, role = "symptom" },
    { "app.killed",    same = "job", within = within, role = "teardown" },
    { "app.crash",     same = "other_rank", within = within, role = "victim" },
    { "app.exception", same = "other_rank", within = within, role = "victim" },
    { "k8s.probe_killed", same = "cgroup", within = within, role = "teardown" },
    { "gpu.app_fault", same = "process", within = within, role = "teardown" },
  }
end

local function node_lost(within)
  return list(process_ends(within), peers_see(within), {
    { "slurm.node_fail", same = "host", within = within, role = "symptom" },
    { "host.reboot",     same = "host", within = within, role = "symptom" },
    { "k8s.evicted",     same = "host", within = within, role = "teardown" },
    { "k8s.preempted",   same = "host", within = within, role = "teardown" },
  })
end

local KERNEL_LOG = { stream = "kernel", command = "journalctl -k -o short-iso-precise --utc --since '{from}' --until '{to}'   # on {host}; or: dmesg --time-format iso",
  why = "the kernel log of the node decides between a memory limit, a node out of memory, a GPU fault and an outside kill" }
local RUNTIME_LOG = { stream = "runtime", command = "journalctl -u containerd -o short-iso-precise --utc --since '{from}' --until '{to}'   # on {host}",
  why = "the container runtime logs TaskOOM events, exit codes and who asked for the stop" }
local KUBELET_LOG = { stream = "k8s", command = "journalctl -u kubelet -o short-iso-precise --utc --since '{from}' --until '{to}'   # on {host}",
  why = "kubelet says whether a probe, an eviction or a deletion ended the container" }
local GPU_QUERY = { stream = "gpu", command = "nvidia-smi -q; nvidia-smi topo -m; nvidia-smi topo -p2p r; nvidia-smi topo -p2p w   # on {host}",
  why = "ECC, row remapping, recovery action, link width and the P2P matrix decide whether a GPU is really at fault" }
local DUMPS = { stream = "recorder", command = "set TORCH_FR_BUFFER_SIZE=2000 TORCH_FR_DUMP_ON_TIMEOUT=1 and collect the Flight Recorder dump of every rank",
  why = "the dumps of all ranks show which rank never entered the collective, and where it was instead" }
local NCCL_LOG = { stream = "nccl", command = "rerun with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,BOOTSTRAP,ENV,NET NCCL_DEBUG_FILE=nccl.%h.%p.log and collect the files of every rank",
  why = "NCCL's own log names the interface, the transport and the first warning of each rank" }
local APP_LOG = { stream = "app", command = "collect stdout and stderr of every rank (torchrun --log-dir DIR --redirects 3), not only rank 0's",
  why = "the first exception of the first rank that failed is often in a file that nobody collected" }
local NET_STATE = { stream = "net", command = "ibstat; ibv_devinfo; rdma link; ip -s link; ethtool -S {interface}   # on {host}",
  why = "port state and error counters decide between a link, a peer and a configuration fault" }
local SOCKETS = { stream = "net", command = "ss -tnp; ip -br addr   # on {host}, while it hangs",
  why = "a connection in SYN-SENT names the address that does not answer" }
local PROCESSES = { stream = "host", command = "ps -eo pid,ppid,stat,wchan:32,etime,args | grep -i python; py-spy dump --pid {pid}   # on {host}, in the job's container if it has one, while it hangs",
  why = "what the processes do while the job stands still: stopped, asleep in the kernel, or busy in a loop" }

-- ---------------------------------------------------------------- host memory
cause {
  id = "host.memcg_oom", class = "lost", severity = "critical", rank = 20,
  title = "a memory cgroup hit its limit and the kernel killed in it",
  leads_to = list({
    { "host.pin_failed",        same = "host", within = minutes(10), role = "symptom" },
    { "host.page_alloc_failure", same = "host", within = minutes(10), role = "symptom" },
    { "gpu.device_oom",         same = "cgroup", within = minutes(2), role = "symptom" },
    { "host.shm_exhausted",     same = "cgroup", within = minutes(10), role = "symptom" },
    { "host.hung_task",         same = "host", within = minutes(30), role = "symptom" },
    { "k8s.evicted",            same = "cgroup", within = minutes(30), role = "teardown" },
  }, process_ends(hours(1)), peers_see(hours(2))),
  settled_by = { "kernel" }, ruled_out = "no memory cgroup OOM report",
  requests = { KERNEL_LOG, RUNTIME_LOG },
  act = {
    "Find what used the memory, from the OOM report's own table: anonymous memory per rank, shared memory (tmpfs, /dev/shm), page cache.",
    "Lower the peak first: caches per rank, data-loader workers x ranks, prefetch depth, pinned staging buffers, batch buffers; look for the same index or vocabulary loaded once per rank.",
    "Give every memory-backed emptyDir (/dev/shm) a sizeLimit: its files count against the container.",
    "Count the side cars in the same cgroup.",
    "Only then raise request and limit, and leave head room on the node.",
  },
  verify = {
    "Run a minimal collective test on the same node and container limits (nccl-tests: all_reduce_perf -b 8 -e 1G -f 2 -g <gpus>): all ranks finish, bandwidth is stable.",
    "Then run the same job with the same data and number of ranks, and watch memory.current, memory.peak and memory.events of the cgroup past the point where it died.",
    "A small batch that works proves nothing about hour six.",
  },
  avoid = {
    "Do not raise the limit first: a container OOM can become a node OOM that takes every pod with it.",
    "Do not raise NCCL or watchdog timeouts, and do not replace the GPU: neither has to do with this.",
  },
  save = {
    "NCCL_DEBUG=INFO logs in files by host and pid", "the first exception of each rank with its time",
    "working set, RSS, cache and shmem of each rank over time", "memory.events (or failcnt) and memory.peak of the cgroup",
    "the kubelet, container runtime and kernel logs of the same window", "GPU state: Xid, ECC, PCIe, P2P matrix",
  },
  recovery = "process group",
}
cause {
  id = "host.global_oom", class = "lost", severity = "critical", rank = 18,
  title = "the whole node ran out of memory",
  leads_to = list({
    { "host.pin_failed",         same = "host", within = minutes(30), role = "symptom" },
    { "host.page_alloc_failure", same = "host", within = minutes(30), role = "symptom" },
    { "host.hung_task",          same = "host", within = hours(1), role = "symptom" },
    { "host.fs_stall",           same = "host", within = minutes(10), role = "symptom" },
    { "slurm.node_fail",         same = "host", within = hours(1), role = "symptom" },
    { "k8s.evicted",             same = "host", within = hours(1), role = "teardown" },
  }, process_ends(hours(1)), peers_see(hours(2))),
  settled_by = { "kernel" }, ruled_out = "no node-wide OOM report",
  requests = { KERNEL_LOG },
  act = { "Find the largest process in the OOM report's table; it may not belong to the job.",
    "Give pods limits whose sum leaves room for the system, or reserve memory for the system (kubelet --system-reserved).",
    "Lower the job's peak: workers x ranks, caches, optimizer offload to host memory.",
    "Isolate the node only while the process that ate its memory still runs there." },
  verify = { "Run the same job and watch MemAvailable of the node past the point where it died." },
  avoid = { "Do not raise container limits: the node itself was full." }, recovery = "node",
}
cause {
  id = "host.pin_failed", class = "init", severity = "error", rank = 24,
  title = "the GPU driver could not pin host memory",
  leads_to = list({ { "gpu.device_oom", same = "process", within = minutes(5), role = "symptom" } },
    process_ends(minutes(30)), peers_see(hours(1))),
  settled_by = { "kernel" }, ruled_out = "no failed pinning of host memory",
  requests = { KERNEL_LOG },
  act = { "Compare the size that should be pinned (pages x page size) with what the container and the node had left.",
    "Look for a memory limit or fragmentation: memory.max of the cgroup, /proc/buddyinfo, MemAvailable, Mlocked.",
    "Register less at once: smaller pinned buffers, fewer prefetch slots." },
  verify = { "A small program that calls cudaHostAlloc with the same size in the same container must succeed." },
  avoid = { "Do not replace the GPU: pinning is host memory." }, recovery = "process group",
}
cause {
  id = "host.page_alloc_failure", class = "", severity = "warning", rank = 26,
  title = "the kernel could not allocate pages",
  leads_to = { { "host.pin_failed", same = "host", within = minutes(10), role = "symptom" }, { "host.memlock_limit", same = "host", within = minutes(10), role = "symptom" } },
  settled_by = { "kernel" }, ruled_out = "no failed page allocation",
  requests = { KERNEL_LOG, { stream = "host", command = "cat /proc/buddyinfo /proc/pagetypeinfo /proc/meminfo; sysctl vm.min_free_kbytes vm.zone_reclaim_mode   # as root, on {host}", why = "free blocks by order and zone: memory that is there, but in pieces too small for the driver" } },
  act = { "Check fragmentation and head room: /proc/buddyinfo, vm.min_free_kbytes.",
    "Isolate the node only if it has no free memory without the job; else the limit or the fragmentation is at fault, not the machine." },
  verify = { "The same load for an hour without the line, and order 4 and higher blocks free in /proc/buddyinfo." },
  avoid = { "Do not look for a faulty GPU or driver: the kernel had no block of that size at that moment." },
  recovery = "node",
}
cause {
  id = "host.shm_exhausted", class = "init", severity = "error", rank = 25,
  title = "/dev/shm is too small or full",
  leads_to = list(process_ends(hours(1)), peers_see(hours(2))),
  settled_by = { "nccl", "app" }, ruled_out = "no failed shared-memory segment",
  requests = { { stream = "host", command = "df -h /dev/shm; ls -la /dev/shm   # inside the container {container} on {host}", why = "size and leftovers of /dev/shm" } },
  act = { "Give the container more shared memory: docker --shm-size, --ipc=host, or an emptyDir with medium Memory and a sizeLimit mounted at /dev/shm.",
    "Remove leftovers of crashed runs (/dev/shm/nccl-*, torch_*).", "Fewer data-loader workers or smaller batches use less of it.",
    "The node need not be isolated: the size is a setting." },
  verify = { "df -h /dev/shm inside the container, then the same job past the point where it died." },
  avoid = { "NCCL_SHM_DISABLE=1 hides it and makes communication slow." }, recovery = "process group",
}
cause {
  id = "host.memlock_limit", class = "init", severity = "error", rank = 25,
  title = "the locked-memory limit stops RDMA registration",
  leads_to = list(process_ends(minutes(30)), peers_see(hours(1))),
  settled_by = { "nccl" }, ruled_out = "no failed memory registration",
  requests = { { stream = "host", command = "ulimit -l; cat /proc/{pid}/limits   # as the job's user, inside the job, on {host}", why = "RLIMIT_MEMLOCK as the ranks see it" }, KERNEL_LOG },
  act = { "Set memlock to unlimited where the job is started: LimitMEMLOCK=infinity of slurmd or containerd, docker --ulimit memlock=-1, /etc/security/limits.d.",
    "The node need not be isolated: it is a setting of the service that starts jobs; check it on every node." },
  verify = { "Start a job that prints ulimit -l on every rank; it must say unlimited." },
  avoid = { "Do not lower the number of queue pairs or switch to sockets to get by: the limit stays for the next job." },
  recovery = "process group",
}
cause {
  id = "host.fd_limit", class = "init", severity = "error", rank = 25,
  title = "out of file descriptors",
  leads_to = list(process_ends(minutes(30)), peers_see(hours(1))),
  settled_by = { "nccl", "app" }, ruled_out = "no 'Too many open files'",
  requests = { { stream = "host", command = "cat /proc/{pid}/limits; ls /proc/{pid}/fd | wc -l; sysctl fs.file-nr fs.nr_open   # inside the job, on {host}", why = "the limit as the rank sees it, and how many descriptors it holds" } },
  act = { "Raise the limit where the job is started (ulimit -n 1048576, LimitNOFILE=), and count sockets per rank: they grow with the number of nodes." },
  verify = { "cat /proc/<pid>/limits of a rank, then the same number of nodes." },
  avoid = { "Do not reboot or replace the node: the limit belongs to the process that starts the ranks." },
  recovery = "process group",
}
cause {
  id = "host.thread_limit", class = "init", severity = "error", rank = 25,
  title = "no more threads or processes allowed",
  leads_to = list(process_ends(minutes(30)), peers_see(hours(1))),
  settled_by = { "kernel", "app" }, ruled_out = "no refused fork or thread",
  requests = { KERNEL_LOG, { stream = "host", command = "cat /sys/fs/cgroup{cgroup}/pids.max /sys/fs/cgroup{cgroup}/pids.events; ulimit -u; sysctl kernel.pid_max kernel.threads-max   # on {host}", why = "which of the limits stopped the fork" } },
  act = { "Raise pids.max of the cgroup (kubelet --pod-max-pids, TasksMax=) or ulimit -u; lower threads x workers x ranks (OMP_NUM_THREADS).",
    "The node need not be isolated: the limit is a setting." },
  verify = { "pids.current against pids.max while the job starts." },
  avoid = { "Do not raise the limit before the threads were counted: a leak fills any limit." },
  recovery = "process group",
}
cause {
  id = "host.disk_full", class = "lost", severity = "error", rank = 22,
  title = "a file system is full",
  leads_to = list({ { "k8s.evicted", same = "host", within = hours(1), role = "symptom" },
      { "app.exception", same = "rank", within = hours(1), role = "symptom" } },
    process_ends(hours(1)), peers_see(hours(2))),
  settled_by = { "app" }, ruled_out = "no 'No space left on device'",
  requests = { { stream = "host", command = "df -h; df -i   # inside the container {container} on {host}", why = "which file system is full, and whether it is space or inodes" } },
  act = { "Free space or enlarge the volume that holds checkpoints, logs or temporary files; keep fewer checkpoints.",
    "Check that the last checkpoint is whole before restarting from it.",
    "The node need not be isolated when a shared file system is full; it must be when its own disk is, or the next pod is evicted again." },
  verify = { "Write a file of a checkpoint's size to the same volume." },
  avoid = { "Do not restart from the newest checkpoint unseen: it may be cut." },
  recovery = "process group",
}
cause {
  id = "host.fs_stall", class = "stall", severity = "error", rank = 22,
  title = "a file system or its disk stopped answering",
  leads_to = list({ { "host.hung_task", same = "host", within = hours(2), role = "symptom" },
      { "app.hang_outside", same = "job", within = hours(2), role = "symptom" },
      { "slurm.time_limit", same = "job", within = hours(48), role = "symptom" } },
    process_ends(hours(2)), peers_see(hours(2))),
  settled_by = { "kernel" }, ruled_out = "no file server reported as not responding",
  requests = { KERNEL_LOG },
  act = { "A network file system: look at the file server and its network first; processes in D state end only when it answers.",
    "A disk of the node (nvme, sd, and the ext4 or XFS on it): drain the node and replace the disk; no server is at fault.",
    "Unmount with -l or reboot the client only when the server is back.",
    "Isolating one node does not help: all clients of the server wait. Isolate it only if the others answer." },
  verify = { "Time a stat and a read on the mount from each node." },
  avoid = { "Do not raise the collective timeout." }, recovery = "cluster",
}
cause {
  id = "host.hung_task", class = "stall", severity = "error", rank = 23,
  title = "tasks or a CPU are stuck in the kernel",
  leads_to = list({ { "host.reboot", same = "host", within = minutes(30), role = "symptom" } }, process_ends(hours(2)), peers_see(hours(2))),
  settled_by = { "kernel" }, ruled_out = "no hung task, lockup or RCU stall",
  requests = { KERNEL_LOG },
  act = { "Read the stack of the stuck task: it names the file system, the device or the lock.", "Drain the node; a reboot may be needed.",
    "Isolate the node: a task stuck in the kernel keeps its device or mount until a reboot." },
  verify = { "No blocked task for an hour of the same load, and a stat on every mount of the node answers." },
  avoid = { "Do not kill -9 what is in D state, and do not start the next job there: it will hang in the same place." },
  recovery = "node",
}
cause {
  id = "host.mce", class = "lost", severity = "critical", rank = 8,
  title = "machine check: CPU or DRAM hardware error",
  leads_to = list({ { "host.kernel_panic", same = "host", within = minutes(30), role = "symptom" } }, node_lost(hours(2))),
  settled_by = { "kernel" }, ruled_out = "no machine check or memory error",
  requests = { KERNEL_LOG },
  act = { "Isolate the node; replace the DIMM or CPU that the record names (ipmitool sel list, edac-util)." },
  avoid = { "Do not put the node back after a mere reboot." },
  verify = { "A memory and CPU test over a night (stress-ng, dcgmi diag -r 3) without a new record in ipmitool sel elist." },
  recovery = "node",
}
cause {
  id = "host.kernel_panic", class = "lost", severity = "critical", rank = 12,
  title = "the kernel crashed",
  leads_to = node_lost(hours(2)),
  settled_by = { "kernel" }, ruled_out = "no panic or oops",
  requests = { KERNEL_LOG },
  act = { "Save vmcore and pstore, drain the node, look up the faulting module.",
    "Isolate the node until the faulting module is known; the same trace on several nodes is the kernel or a driver, and isolating helps nothing." },
  verify = { "Boots, runs the same load for a day, and pstore stays empty." },
  avoid = { "Do not put the node back only because it booted: save vmcore and pstore first, a second boot may overwrite them." },
  recovery = "node",
}
cause {
  id = "host.reboot", class = "lost", severity = "critical", rank = 14,
  title = "the node rebooted",
  leads_to = node_lost(hours(2)),
  settled_by = { "kernel" }, ruled_out = "one boot during the incident",
  requests = { { stream = "host", command = "journalctl --list-boots; last -x reboot shutdown; ipmitool sel elist   # on {host}", why = "whether the reboot was ordered, a crash, or a loss of power" } },
  act = { "Find out whether it was ordered, a crash or a loss of power: the last lines of the boot before, the BMC's event log, pstore.",
    "Isolate the node unless the reboot was ordered: power, heat and watchdogs come back." },
  verify = { "uptime grows over the length of a whole job, and the BMC's log shows no new power event." },
  avoid = { "Do not blame the job's last line: the machine was gone before it could say anything." },
  recovery = "node",
}
cause {
  id = "host.clock_skew", class = "", severity = "warning", rank = 40, title = "clocks of hosts disagree",
  leads_to = list({ { "slurm.node_fail", same = "host", within = hours(24), role = "symptom" } }, peers_see(hours(2))),
  requests = { { stream = "host", command = "chronyc -n tracking; chronyc -n sources; timedatectl show; date -u +%FT%T.%NZ   # on {host} and on a host that is right", why = "how far the clock is off, and whether anything steers it" }, { stream = "kernel", command = "journalctl -u chronyd -u ntpd -u systemd-timesyncd -o short-iso-precise --utc --since '{from}' --until '{to}'   # on {host}", why = "when the clock was stepped" } },
  act = { "Check chrony or NTP on the hosts named.",
    "The node need not be isolated; take what it logged with the shift that the report names." },
  verify = { "chronyc tracking on all hosts: offsets below a millisecond." },
  avoid = { "Do not order events of two hosts by their stamps until this is mended." },
  recovery = "node",
}

-- ---------------------------------------------------------------- GPU
local function gpu_gone(within)
  return list({
    { "gpu.app_fault",     same = "gpu", within = within, role = "symptom" },
    { "gpu.hardware_other", same = "gpu", within = within, role = "symptom" },
    { "gpu.gsp_timeout",   same = "gpu", within = within, role = "symptom" },
    { "gpu.nvlink_error",  same = "host", within = within, role = "symptom" },
    { "gpu.missing",       same = "host", within = hours(24), role = "symptom" },
    { "gpu.reset_required", same = "host", within = hours(24), role = "symptom" },
    { "gpu.app_fault",     same = "host", within = within, role = "victim" },
    { "k8s.image_or_mount", same = "host", within = hours(24), role = "symptom" },
    { "slurm.node_fail",   same = "host", within = within, role = "symptom" },
    { "host.hung_task",    same = "host", within = within, role = "symptom" },
    { "app.exception",     same = "host", within = within, role = "symptom" },
    { "app.crash",         same = "host", within = within, role = "symptom" },
  }, process_ends(within), peers_see(hours(2)))
end
cause {
  id = "gpu.fell_off_bus", class = "lost", severity = "critical", rank = 10,
  title = "a GPU has fallen off the bus",
  leads_to = list({ { "pcie.aer", same = "host", within = minutes(10), role = "symptom" } }, gpu_gone(hours(2))),
  settled_by = { "kernel" }, ruled_out = "no GPU lost (no Xid 79, no 'fallen off the bus')",
  requests = { KERNEL_LOG, GPU_QUERY },
  act = { "Drain the node. Cold-boot it (power off, not only reboot), then check seating, power cables, riser and temperature.",
    "Run dcgmi diag -r 3 on that GPU; if it falls again, replace it." },
  verify = { "dcgmi diag -r 3 passes, then nccl-tests on all GPUs of the node, then the job." },
  avoid = { "Do not just restart the job on the same node." }, recovery = "node",
}
cause {
  id = "gpu.ecc_uncorrectable", class = "lost", severity = "critical", rank = 9,
  title = "uncorrectable GPU memory error",
  leads_to = gpu_gone(hours(2)),
  settled_by = { "kernel" }, ruled_out = "no uncorrectable ECC error (no Xid 48, 63, 64, 92, 94, 95)",
  requests = { KERNEL_LOG, GPU_QUERY },
  act = { "Drain the node and reset the GPU so that the row remap takes effect; check 'Remapped Rows' and 'Recovery Action' in nvidia-smi -q.",
    "A remapping failure, or the same GPU again: replace it." },
  verify = { "nvidia-smi -q shows no pending remap; dcgmi diag -r 3 passes." },
  avoid = { "Do not restart the job on this GPU before the reset, and do not reset GPUs that show nothing." },
  recovery = "node",
}
cause {
  id = "gpu.nvlink_error", class = "stall", severity = "critical", rank = 10,
  title = "NVLink error",
  leads_to = list({ { "gpu.gsp_timeout", same = "host", within = hours(1), role = "symptom" } }, gpu_gone(hours(2))),
  settled_by = { "kernel" }, ruled_out = "no NVLink error (no Xid 74 or 144 to 150, no SXid)",
  requests = { KERNEL_LOG, { stream = "gpu", command = "nvidia-smi nvlink -e; nvidia-smi nvlink -s   # on {host}", why = "error counters and link state of each NVLink" } },
  act = { "Find the link and both its ends; the end that went first is the suspect. Reset the GPUs (and fabric manager) of the node or rack.",
    "If it comes back on the same link: check or replace the baseboard, cable or GPU." },
  verify = { "nvidia-smi nvlink -e stays at zero during nccl-tests." },
  avoid = { "Do not reset only the GPU that complains loudest: the other end of the link may be the bad one." },
  recovery = "node",
}
cause {
  id = "gpu.gsp_timeout", class = "lost", severity = "critical", rank = 13,
  title = "the GPU's system processor (GSP) stopped answering",
  leads_to = gpu_gone(hours(2)),
  settled_by = { "kernel" }, ruled_out = "no GSP timeout (no Xid 119, 120)",
  requests = { KERNEL_LOG, GPU_QUERY },
  act = { "Drain the node, reset the GPU or reboot; update driver and firmware if it recurs over several nodes.", "The same GPU again: replace it." },
  verify = { "dcgmi diag -r 3, then the job." },
  avoid = { "Do not treat it as a fault of the program, and do not reset the healthy GPUs of the node." },
  recovery = "node",
}
cause {
  id = "gpu.app_fault", class = "lost", severity = "error", rank = 44,
  title = "the program faulted on the GPU",
  leads_to = list({ { "app.exception", same = "host", within = minutes(30), role = "symptom" },
      { "app.crash", same = "host", within = minutes(30), role = "symptom" } },
    process_ends(hours(1)), peers_see(hours(2))),
  settled_by = { "kernel" }, ruled_out = "no fault of the program on a GPU (no Xid 13, 31, 43)",
  requests = { KERNEL_LOG },
  act = { "Treat it as a fault of the program first: rerun with CUDA_LAUNCH_BLOCKING=1 or compute-sanitizer to find the kernel.",
    "If the same program faults on one GPU only, run dcgmi diag -r 3 there.",
    "The node need not be isolated unless the same program faults on this GPU only." },
  avoid = { "Do not replace the GPU on this alone." },
  verify = { "The same program under compute-sanitizer without a finding, or the same kernels on another GPU without the fault." },
  recovery = "process group",
}
cause {
  id = "gpu.hardware_other", class = "lost", severity = "critical", rank = 12,
  title = "GPU hardware or driver error",
  leads_to = gpu_gone(hours(2)),
  settled_by = { "kernel" }, ruled_out = "no other hardware Xid",
  requests = { KERNEL_LOG, GPU_QUERY },
  act = { "Look up the Xid, drain the node, reset the GPU, run dcgmi diag -r 3." },
  verify = { "dcgmi diag -r 3 passes twice, then nccl-tests on all GPUs of the node, then the job." },
  avoid = { "Do not reset GPUs that show nothing, and do not put the node back after the reset alone." },
  recovery = "node",
}
cause {
  id = "gpu.device_oom", class = "lost", severity = "error", rank = 45,
  title = "CUDA out of memory",
  leads_to = list({ { "app.exception", same = "rank", within = minutes(10), role = "symptom" }, { "slurm.time_limit", same = "job", within = hours(48), role = "symptom" } },
    process_ends(hours(1)), peers_see(hours(2))),
  settled_by = { "app" }, ruled_out = "no 'CUDA out of memory'",
  requests = { { stream = "gpu", command = "nvidia-smi --query-compute-apps=gpu_uuid,pid,process_name,used_memory --format=csv; nvidia-smi --query-gpu=uuid,memory.used,memory.total --format=csv   # on {host}", why = "whether another process holds memory of the GPU" }, APP_LOG },
  act = { "Lower the peak on the device: batch, sequence length, activation checkpointing; look for another process on the same GPU (nvidia-smi).",
    "Fragmentation: PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.",
    "The node need not be isolated, unless a process that is not the job's holds the memory." },
  verify = { "torch.cuda.max_memory_allocated over the step that failed." },
  avoid = { "Do not call torch.cuda.empty_cache() in the loop as the repair: it hides the peak and costs time." },
  recovery = "process group",
}
cause {
  id = "gpu.thermal_or_power", class = "slow", severity = "error", rank = 15,
  title = "a GPU is slowed down by heat or power",
  leads_to = list({ { "gpu.fell_off_bus", same = "gpu", within = hours(2), role = "symptom" } }, peers_see(hours(24))),
  requests = { GPU_QUERY },
  act = { "Check fans, air flow, power supplies and power cap of the node; take it out of the group until it holds its clocks." },
  verify = { "nvidia-smi -q -d PERFORMANCE shows no HW slowdown under load." },
  avoid = { "Do not lower the whole group's clocks to match: one slow GPU is to be taken out." },
  recovery = "node",
}
cause {
  id = "gpu.driver_mismatch", class = "init", severity = "error", rank = 16,
  title = "GPU driver and library versions do not fit",
  leads_to = list({ { "gpu.missing", same = "host", within = hours(24), role = "symptom" },
      { "gpu.hardware_other", same = "host", within = hours(24), role = "symptom" },
      { "k8s.image_or_mount", same = "host", within = hours(24), role = "symptom" },
      { "app.exception", same = "host", within = hours(1), role = "symptom" } }, process_ends(hours(1)), peers_see(hours(2))),
  settled_by = { "gpu", "kernel" }, ruled_out = "driver and library versions agree",
  requests = { KERNEL_LOG, { stream = "gpu", command = "nvidia-smi; cat /proc/driver/nvidia/version; modinfo -F version nvidia; ldconfig -p | grep libcuda   # on {host}, and the last inside the container", why = "the version of the loaded module against that of the libraries" }, { stream = "host", command = "grep -E 'nvidia|cuda' /var/log/dpkg.log /var/log/apt/history.log /var/log/dnf.rpm.log; uptime -s   # on {host}", why = "an upgrade of the driver while the old module was loaded" } },
  act = { "Reload the driver modules or reboot after an upgrade; pin the driver packages so that unattended upgrades leave them alone.",
    "Isolate the node until driver and libraries are of one version." },
  verify = { "nvidia-smi works on the node and inside the container." },
  avoid = { "Do not reinstall the container image: the library on the host changed under a loaded module." },
  recovery = "node",
}
cause {
  id = "gpu.fabric_not_ready", class = "init", severity = "error", rank = 15,
  title = "the NVSwitch or IMEX fabric is not ready",
  leads_to = list({ { "app.exception", same = "host", within = hours(1), role = "symptom" },
      { "gpu.missing", same = "host", within = hours(24), role = "symptom" },
      { "gpu.nvlink_error", same = "host", within = hours(1), role = "symptom" } }, process_ends(hours(1)), peers_see(hours(2))),
  requests = { { stream = "gpu", command = "systemctl status nvidia-fabricmanager nvidia-imex; nvidia-smi -q | grep -A8 Fabric   # on {host}", why = "state of fabric manager and of each GPU's fabric registration" } },
  act = { "Start fabric manager of the very driver version; after it was restarted under load, reset the GPUs or reboot the node.",
    "On NVL72: check nvidia-imex on every node of the domain.",
    "Isolate the node until the fabric state is completed." },
  verify = { "nvidia-smi -q: Fabric State Completed, Status Success on every GPU." },
  avoid = { "Do not restart fabric manager under running jobs: the GPUs must then be reset as well." },
  recovery = "node",
}
cause {
  id = "gpu.reset_required", class = "init", severity = "error", rank = 17,
  title = "a GPU must be reset or drained before use",
  leads_to = list({ { "app.exception", same = "host", within = hours(1), role = "symptom" } }, process_ends(hours(1)), peers_see(hours(2))),
  presumes = { "kernel" }, -- it asks for the reset, and does not say what broke
  requests = { GPU_QUERY, KERNEL_LOG },
  act = { "Drain the node, stop all GPU processes, nvidia-smi --gpu-reset -i <id>; reboot if it refuses.",
    "Isolate the node until the reset is done and the kernel log says what broke." },
  verify = { "nvidia-smi -q: Recovery Action None on every GPU, then dcgmi diag -r 3." },
  avoid = { "Do not reset while processes hold the GPU, and do not reset its healthy neighbours." },
  recovery = "node",
}
cause {
  id = "gpu.compute_mode", class = "init", severity = "error", rank = 30,
  title = "the GPU's compute mode keeps a second process off",
  leads_to = list({ { "gpu.reset_required", same = "host", within = hours(24), role = "symptom" }, { "app.exception", same = "host", within = hours(1), role = "symptom" } }, process_ends(hours(1)), peers_see(hours(2))),
  requests = { { stream = "gpu", command = "nvidia-smi --query-gpu=index,uuid,compute_mode,mig.mode.current --format=csv; nvidia-smi --query-compute-apps=gpu_uuid,pid,process_name --format=csv   # on {host}", why = "the mode of each GPU, and who holds it" } },
  act = { "nvidia-smi -c DEFAULT, or end the process that holds the GPU.",
    "The node need not be isolated once the mode is set; the next boot may set it again." },
  verify = { "nvidia-smi -q -d COMPUTE: Default on every GPU, and two processes start." },
  avoid = { "Do not put one process a node to get by." },
  recovery = "node",
}
cause {
  id = "gpu.missing", class = "init", severity = "error", rank = 19,
  title = "fewer GPUs than expected",
  leads_to = list({ { "k8s.image_or_mount", same = "host", within = hours(24), role = "symptom" },
      { "slurm.node_fail", same = "host", within = hours(24), role = "symptom" },
      { "app.exception", same = "host", within = hours(1), role = "symptom" } }, process_ends(hours(1)), peers_see(hours(2))),
  settled_by = { "gpu" }, ruled_out = "all expected GPUs are listed",
  requests = { GPU_QUERY, KERNEL_LOG },
  act = { "Compare lspci with nvidia-smi -L; read the kernel log for the device that is missing.",
    "Isolate the node where lspci lacks the GPU; where only the container lacks it, it is the device plugin or the runtime." },
  verify = { "nvidia-smi -L lists all GPUs on the node and in the container, dcgmi diag -r 1 passes." },
  avoid = { "Do not start the job with fewer ranks without knowing where the GPU is." },
  recovery = "node",
}

-- ---------------------------------------------------------------- PCIe, topology
cause {
  id = "pcie.aer", class = "lost", severity = "critical", rank = 7,
  title = "PCIe errors",
  leads_to = list({ { "gpu.fell_off_bus", same = "host", within = minutes(30), role = "symptom" },
      { "net.ib_link_down", same = "host", within = minutes(30), role = "symptom" } }, gpu_gone(hours(2))),
  settled_by = { "kernel" }, ruled_out = "no AER error",
  requests = { KERNEL_LOG },
  act = { "Drain the node; check seating, riser, retimer and cables of the path named; look for the same port in older logs.",
    "Isolate the node: uncorrected errors on the path come back under load." },
  verify = { "No new AER line under load for an hour (dcgmi diag -r 3), LnkSta as LnkCap." },
  avoid = { "Do not mask AER or add pci=noaer: the errors stay." },
  recovery = "node",
}
cause {
  id = "pcie.link_degraded", class = "slow", severity = "warning", rank = 14,
  title = "a PCIe link runs below its speed or width",
  leads_to = list({ { "topo.drift", same = "host", within = hours(24), role = "symptom" } }, peers_see(hours(24))),
  settled_by = { "host" }, ruled_out = "PCIe links at full width",
  requests = { { stream = "host", command = "lspci -vvv -s {pci} | grep -E 'LnkCap|LnkSta|LnkCtl'   # as root, on {host}, with the GPU busy", why = "width and speed under load: an idle link is slow to save power" }, { stream = "gpu", command = "nvidia-smi --query-gpu=pci.bus_id,pstate,pcie.link.gen.current,pcie.link.gen.max,pcie.link.width.current,pcie.link.width.max,utilization.gpu --format=csv -l 1   # on {host}, with the GPU busy", why = "the same as the driver sees it, with the load beside it" }, KERNEL_LOG },
  act = { "Measure again under load (idle GPUs lower their link speed); then reseat, swap slot or card.",
    "Isolate the node until it reaches its peers' bandwidth: it slows the whole group." },
  verify = { "lspci -vv under load: LnkSta as LnkCap, and nvbandwidth as on the other nodes." },
  avoid = { "Do not judge by an idle GPU: it lowers its link to save power." },
  recovery = "node",
}
cause {
  id = "pcie.p2p_blocked", class = "slow", severity = "warning", rank = 28,
  title = "GPUs cannot reach each other directly",
  leads_to = peers_see(hours(24)),
  settled_by = { "gpu" }, ruled_out = "P2P reads and writes OK between all GPUs",
  requests = { GPU_QUERY },
  act = { "Look at ACS (lspci -vvv: ACSCtl), IOMMU (iommu=pt) and NCCL_P2P_DISABLE.",
    "Isolate the node if its likes reach each other directly; if all are set up like this, it is a setting of the platform." },
  verify = { "nvidia-smi topo -p2p r and w: OK everywhere; p2pBandwidthLatencyTest moves data without errors." },
  avoid = { "Do not leave NCCL_P2P_DISABLE=1 as the repair: it hides a hang and makes every step slower." },
  recovery = "node",
}
cause {
  id = "topo.drift", compares = true, class = "slow", severity = "warning", rank = 34,
  title = "this machine differs from its peers or its baseline",
  leads_to = peers_see(hours(24)),
  verify = { "A report over this node and a peer shows equal fingerprints, and nccl-tests is as fast as there." },
  avoid = { "Do not bring the other nodes to this one's state." },
  recovery = "node",
  requests = { GPU_QUERY, NCCL_LOG, { stream = "host", command = "lspci -tv; lstopo --of txt; cat /sys/class/infiniband/*/device/numa_node   # on {host} and on a host that is right", why = "the tree of devices of a machine that differs, beside one that does not" } },
  act = { "Bring driver, firmware, NIC and topology back to what the other nodes have.",
    "Isolate the node from groups that expect its likes until it is the same again." },
}

-- ---------------------------------------------------------------- network
cause {
  id = "net.no_interface", class = "init", severity = "error", rank = 32,
  title = "the interface setting matches no network interface",
  leads_to = list({ { "app.exception", same = "job", within = hours(1), role = "symptom" } }, process_ends(hours(1)), peers_see(hours(2))),
  settled_by = { "nccl" }, ruled_out = "an interface was found by every rank",
  requests = { { stream = "net", command = "ip -br link; ip -br addr; rdma link; env | grep -E 'IFNAME|NCCL_IB'   # inside the job, on {host}", why = "the names that are there, beside those that the setting asks for" }, NCCL_LOG },
  act = { "Correct NCCL_SOCKET_IFNAME / GLOO_SOCKET_IFNAME on every node (ip -br addr); a prefix such as 'eth' or '^docker0,lo' is safer than a list.",
    "The node need not be isolated: the name is a setting." },
  verify = { "NCCL INFO 'Bootstrap: Using' names the same kind of interface on every rank." },
  avoid = { "Do not fix it on one rank: the variable must fit every node." },
  recovery = "process group",
}
cause {
  id = "net.wrong_interface", class = "init", severity = "error", rank = 32,
  title = "ranks use a virtual or wrong network interface",
  leads_to = list({ { "app.exception", same = "job", within = hours(1), role = "symptom" } }, process_ends(hours(1)), peers_see(hours(2))),
  settled_by = { "nccl" }, ruled_out = "every rank uses the same kind of interface",
  requests = { { stream = "net", command = "ip -br addr; ip route get {peer}; env | grep IFNAME   # inside the job, on {host} and on a peer", why = "which interface reaches the peers, and which one is virtual" }, NCCL_LOG },
  act = { "Set NCCL_SOCKET_IFNAME (and GLOO_SOCKET_IFNAME) to the data network on every node.",
    "The node need not be isolated: the choice is a setting." },
  verify = { "NCCL INFO 'Bootstrap: Using' and 'NET/' name the data network on every rank." },
  avoid = { "Do not delete virtual interfaces to force the choice: name the right one." },
  recovery = "process group",
}
cause {
  id = "net.bootstrap_unreachable", class = "init", severity = "error", rank = 46,
  title = "the rendezvous or bootstrap address cannot be reached",
  leads_to = list({ { "app.exception", same = "job", within = hours(1), role = "symptom" } }, process_ends(hours(1)),
    { { "comm.timeout", same = "job", within = hours(2), role = "victim" }, { "comm.init_failed", same = "job", within = hours(2), role = "symptom" },
      { "comm.init_stuck", same = "job", within = hours(2), role = "symptom" }, { "net.peer_reset", same = "job", within = hours(2), role = "victim" },
      { "unknown", same = "job", within = hours(2), role = "symptom" } }),
  settled_by = { "app", "nccl" }, ruled_out = "no refused or timed-out connect",
  requests = { APP_LOG },
  act = { "Is rank 0 running and listening? Does the name resolve to the address that the other nodes can reach? Is a firewall or network policy between?",
    "Isolate a node only if others reach the address and it does not." },
  verify = { "nc -vz MASTER_ADDR MASTER_PORT from every node while rank 0 listens." },
  avoid = { "Do not raise the rendezvous timeout before the address was tried by hand." },
  recovery = "process group",
}
cause {
  id = "net.port_in_use", class = "init", severity = "error", rank = 31,
  title = "the port is already taken",
  leads_to = list({ { "app.exception", same = "job", within = hours(1), role = "symptom" },
      { "net.bootstrap_unreachable", same = "job", within = hours(1), role = "victim" } }, process_ends(hours(1)), peers_see(hours(2))),
  settled_by = { "app" }, ruled_out = "no 'Address already in use'",
  requests = { { stream = "net", command = "ss -tlnp 'sport = :{port}'; ss -tan state time-wait 'sport = :{port}'   # as root, on {host}", why = "who holds the port" }, PROCESSES, APP_LOG },
  act = { "Find who holds the port (ss -ltnp), end the leftover of the last run, or choose a free port.",
    "The node need not be isolated: the port is free when its holder has ended." },
  verify = { "ss -ltn shows the port free before the start, and the job starts twice in a row." },
  avoid = { "Do not set SO_REUSEADDR or pick random ports over a leftover that still computes." },
  recovery = "process group",
}
cause {
  id = "net.ib_link_down", class = "stall", severity = "critical", rank = 11,
  title = "an RDMA port went down or flaps",
  leads_to = list({ { "net.ib_transport_error", same = "job", within = hours(1), role = "symptom" },
      { "net.peer_reset", same = "job", within = hours(1), role = "victim" },
      { "net.rdma_absent", same = "host", within = hours(24), role = "symptom" },
      { "net.gid_or_pkey", same = "host", within = hours(1), role = "symptom" } },
    process_ends(hours(1)), peers_see(hours(2))),
  settled_by = { "kernel" }, ruled_out = "no port down, no link flap",
  requests = { KERNEL_LOG, NET_STATE },
  act = { "Check cable, transceiver and switch port of the link named; swap the cable; look at the switch's log for the same minute.",
    "Isolate the node if it is its cable or port; several nodes of one switch at once are the switch." },
  verify = { "ibstat Active/LinkUp, error counters still during ib_write_bw and nccl-tests." },
  avoid = { "Do not raise NCCL_IB_TIMEOUT or NCCL_IB_RETRY_CNT as the repair." },
  recovery = "node",
}
cause {
  id = "net.ib_transport_error", class = "stall", severity = "error", rank = 36,
  title = "RDMA transport error",
  leads_to = list({ { "app.exception", same = "job", within = hours(1), role = "symptom" } }, process_ends(hours(1)), peers_see(hours(2))),
  settled_by = { "nccl" }, ruled_out = "no RDMA completion error",
  requests = { NET_STATE, KERNEL_LOG },
  act = { "Check both ends of the pair named: port state, counters, and whether the peer process was alive.",
    "'Retry exceeded' names a peer that did not answer: it may be innocent (dead node behind it, a rail that does not route).",
    "Isolate a node only after a test of pairs says which end is bad; a bad middle is none of them." },
  verify = { "ib_write_bw between the two hosts over the same devices." },
  avoid = { "Do not raise NCCL_IB_TIMEOUT as the repair." }, recovery = "process group",
}
cause {
  id = "net.rdma_absent", class = "slow", severity = "note", rank = 33,
  title = "RDMA is expected, and no device can be used",
  leads_to = { { "comm.slow", same = "job", within = hours(24), role = "symptom" } },
  settled_by = { "nccl" }, ruled_out = "RDMA devices were found and used",
  requests = { { stream = "net", command = "ls -l /dev/infiniband /sys/class/infiniband; rdma link; ibv_devinfo; ibstat   # inside the container and on {host}", why = "whether the machine has no device, the container was not given it, or its ports are not active" }, { stream = "host", command = "lspci | grep -iE 'mellanox|infiniband|efa'; lsmod | grep -E 'ib_uverbs|mlx5_ib|efa'; ldconfig -p | grep -E 'ibverbs|mlx5'   # on {host}", why = "hardware, module and library: the first of them that is missing" } },
  act = { "Check /dev/infiniband and /sys/class/infiniband on the host and in the container, and the device plugin; a node label proves nothing.",
    "Not unhealthy as such; keep it out of groups that expect RDMA.",
    "Isolate the node from multi-node RDMA jobs only." },
  verify = { "NCCL INFO shows NET/IB on every rank, and all_reduce_perf between two nodes reaches the RDMA baseline." },
  avoid = { "Do not believe the node's label or the device plugin's count: only the device itself and NCCL's choice prove it." },
  recovery = "node",
}
cause {
  id = "net.gid_or_pkey", class = "init", severity = "error", rank = 33,
  title = "wrong GID, P_Key, subnet or MTU",
  leads_to = list({ { "net.ib_transport_error", same = "job", within = hours(1), role = "symptom" },
      { "app.exception", same = "job", within = hours(1), role = "symptom" } }, process_ends(hours(1)), peers_see(hours(2))),
  settled_by = { "nccl" }, ruled_out = "no failed queue-pair transition",
  requests = { NET_STATE },
  act = { "show_gids: choose the RoCE v2 index with an IPv4-mapped address on both ends (NCCL_IB_GID_INDEX), compare MTU and P_Key.",
    "The node need not be isolated, unless it alone lacks the entry that the others have." },
  verify = { "ib_write_bw with the same GID index between the two hosts, both ways." },
  avoid = { "Do not let each node choose its own index: numbers differ between nodes." },
  recovery = "process group",
}
cause {
  id = "net.peer_reset", class = "lost", severity = "error", rank = 62,
  title = "a connection was closed by its peer",
  leads_to = { { "comm.timeout", same = "job", within = hours(2), role = "victim" }, { "comm.init_failed", same = "job", within = hours(1), role = "symptom" },
    { "app.exception", same = "job", within = hours(1), role = "symptom" }, { "app.crash", same = "job", within = hours(1), role = "victim" },
    { "app.killed", same = "job", within = hours(1), role = "teardown" }, { "unknown", same = "job", within = hours(1), role = "symptom" } },
  settled_by = { "nccl", "app" }, ruled_out = "no connection closed by a peer",
  requests = { APP_LOG, KERNEL_LOG },
  act = { "Find the peer that closed: its own log, its host's kernel log. The one that complains is the survivor.",
    "Isolate nothing for this: the fault is where the peer ended." },
  verify = { "The whole group restarted with all logs kept: the first rank to end is known." },
  avoid = { "Do not blame the rank that complains, and do not restart one rank only." },
  recovery = "process group",
}
cause {
  id = "net.gdr_disabled", class = "slow", severity = "note", rank = 35, title = "GPUDirect RDMA is not available",
  leads_to = { { "comm.slow", same = "job", within = hours(24), role = "symptom" } },
  requests = { { stream = "host", command = "lsmod | grep -E 'nvidia_peermem|gdrdrv'; uname -r; cat /sys/kernel/mm/memory_peers/nv_mem/version   # on {host}", why = "whether a module lets the card read GPU memory" }, { stream = "gpu", command = "nvidia-smi topo -m; nvidia-smi -q | grep -i 'addressing mode'   # on {host}", why = "how far GPU and card are apart: NCCL does not use GPUDirect over the socket's interconnect" }, NCCL_LOG },
  act = { "Load nvidia_peermem or use a kernel with DMA-BUF; check GPU and NIC distance.",
    "The node need not be isolated: it works, slower than its likes." },
  verify = { "NCCL INFO says GDRDMA (or DMA-BUF) on the channels, and bandwidth is at the baseline." },
  avoid = { "Do not force NCCL_NET_GDR_LEVEL over a missing module." },
  recovery = "node",
}
cause {
  id = "net.plugin", class = "init", severity = "error", rank = 31, title = "an NCCL network or tuner plugin failed",
  leads_to = list({ { "app.exception", same = "job", within = hours(1), role = "symptom" }, { "comm.misuse", same = "job", within = hours(1), role = "symptom" } }, process_ends(hours(1)), peers_see(hours(2))),
  settled_by = { "nccl" }, ruled_out = "no failed NCCL plugin",
  requests = { NCCL_LOG, { stream = "host", command = "ldd <plugin>.so; ldconfig -p | grep -E 'nccl-net|fabric|ibverbs|ucx'; env | grep -E 'NCCL_NET|LD_LIBRARY_PATH|FI_'   # inside the container, on {host}", why = "the library that the plugin misses, or another plugin than was meant" } },
  act = { "Match plugin, NCCL and libfabric versions, or run without it (NCCL_NET_PLUGIN=none) to compare.",
    "The node need not be isolated, unless its library is another than that of the others." },
  verify = { "NCCL INFO names the plugin and its version on every rank, and nccl-tests reaches the baseline." },
  avoid = { "Do not mix plugins or NCCL versions between ranks to test." },
  recovery = "process group",
}

-- ---------------------------------------------------------------- collectives
local function waiters(within)
  return {
    { "comm.timeout", same = "job", within = within, role = "symptom" },
    { "comm.deadlock_suspected", same = "job", within = within, role = "symptom" },
    { "comm.init_stuck", same = "job", within = within, role = "symptom" },
    { "net.peer_reset", same = "job", within = within, role = "victim" },
    { "app.exception", same = "other_rank", within = within, role = "victim" },
    { "app.crash", same = "job", within = within, role = "teardown" },
    { "app.killed", same = "job", within = within, role = "teardown" },
    { "unknown", same = "job", within = within, role = "symptom" },
  }
end
cause {
  id = "comm.missing_rank", compares = true, class = "desync", severity = "error", rank = 64,
  title = "a rank never entered a collective that the others wait in",
  leads_to = waiters(hours(2)),
  settled_by = { "recorder" }, ruled_out = "every rank entered the last collective",
  requests = { APP_LOG, KERNEL_LOG, DUMPS, PROCESSES },
  act = { "Look at what the missing rank did instead: its log, its stack (py-spy dump), its host's kernel log.",
    "Rebuild the whole process group; one replaced rank does not heal the others' communicators." },
  avoid = { "Do not raise the timeout as a repair, and do not blame the rank that reported it." },
  verify = { "TORCH_FR_DUMP_ON_TIMEOUT dumps of all ranks in the next run agree on the last collective." },
  recovery = "process group",
}
cause {
  id = "comm.op_mismatch", compares = true, class = "desync", severity = "error", rank = 58,
  title = "ranks issued different collectives",
  leads_to = list({ { "comm.missing_rank", same = "job", within = hours(2), role = "symptom" }, { "comm.shape_mismatch", same = "job", within = hours(2), role = "symptom" },
    { "comm.init_failed", same = "job", within = hours(2), role = "symptom" } }, waiters(hours(2))),
  settled_by = { "recorder" }, ruled_out = "all ranks issued the same operations",
  requests = { DUMPS },
  act = { "Compare the code paths at the two lines named: a branch, an early exit or an uneven data set makes ranks diverge.",
    "The node need not be isolated: the program diverged." },
  verify = { "TORCH_DISTRIBUTED_DEBUG=DETAIL stops at the first mismatch." },
  avoid = { "Do not raise the timeout: ranks that do different things wait for ever." },
  recovery = "process group",
}
cause {
  id = "comm.shape_mismatch", compares = true, class = "desync", severity = "error", rank = 59,
  title = "ranks passed different sizes or types to one collective",
  leads_to = list({ { "comm.missing_rank", same = "job", within = hours(2), role = "symptom" } }, waiters(hours(2))),
  settled_by = { "recorder" }, ruled_out = "sizes and types agree between ranks",
  requests = { DUMPS },
  act = { "Compare the sizes at the operation named: uneven batches, a padded last batch, experts without tokens.",
    "The node need not be isolated: the data or the program diverged." },
  verify = { "TORCH_DISTRIBUTED_DEBUG=DETAIL stops at the first mismatch." },
  avoid = { "Do not pad silently on one rank: find why sizes differ." },
  recovery = "process group",
}
cause {
  id = "comm.env_mismatch", compares = true, class = "init", severity = "error", rank = 57, title = "settings differ between ranks where they must agree",
  leads_to = list({ { "comm.init_failed", same = "job", within = hours(2), role = "symptom" } }, waiters(hours(2))),
  requests = { { stream = "nccl", command = "rerun with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV NCCL_DEBUG_FILE=nccl.%h.%p.log and collect the files of every rank", why = "each rank prints the settings that it took from its environment and its files" }, { stream = "app", command = "env | grep -E '^(NCCL|TORCH|UCX|FI|CUDA)_' | sort   # by every rank, into its own file", why = "the settings of all ranks, to be compared" } },
  act = { "Set the variable once, in the job's template, and compare the environment of all ranks.",
    "The node need not be isolated: the variable is a setting." },
  verify = { "firstfault env shows one value for all ranks." },
  avoid = { "Do not export it by hand on one node." },
  recovery = "process group",
}
cause {
  id = "comm.version_mismatch", compares = true, class = "init", severity = "error", rank = 56, title = "library or driver versions differ between ranks",
  leads_to = list({ { "comm.init_failed", same = "job", within = hours(2), role = "symptom" },
    { "net.peer_reset", same = "job", within = hours(2), role = "symptom" } }, process_ends(hours(1)), waiters(hours(2))),
  settled_by = { "nccl" }, ruled_out = "all ranks load the same NCCL",
  requests = { { stream = "nccl", command = "rerun with NCCL_DEBUG=VERSION and collect the output of every rank", why = "the NCCL that each rank really loaded" }, { stream = "gpu", command = "nvidia-smi --query-gpu=driver_version --format=csv,noheader; ldconfig -p | grep -E 'libnccl|libcudart'; python3 -c 'import torch; print(torch.__version__, torch.cuda.nccl.version())'   # by every rank, on {host}", why = "driver and libraries of each host" } },
  act = { "Use one image; check which libnccl each rank loads (LD_LIBRARY_PATH, pip packages).",
    "The node need not be isolated: the library comes with the job." },
  verify = { "NCCL INFO prints one version on all ranks." },
  avoid = { "Do not mix images to test." },
  recovery = "process group",
}
cause {
  id = "comm.init_stuck", class = "init", severity = "error", rank = 72, title = "communicator initialisation never finished",
  leads_to = waiters(hours(2)),
  settled_by = { "nccl" }, ruled_out = "every communicator finished its initialisation",
  requests = { NCCL_LOG, KERNEL_LOG, APP_LOG, SOCKETS },
  act = { "Find the rank that lacks 'Init START' or 'Init COMPLETE': it or its network is the suspect.",
    "Isolate a node only if its rank is the one that never came, twice." },
  verify = { "all_reduce_perf over the same nodes starts within its usual time." },
  avoid = { "Do not raise the timeout, and do not restart one rank: the others hold the old communicator." },
  recovery = "process group",
}
cause {
  id = "comm.init_failed", class = "init", severity = "error", rank = 74, title = "communicator initialisation failed",
  leads_to = { { "app.exception", same = "job", within = hours(1), role = "symptom" }, { "app.killed", same = "job", within = hours(1), role = "teardown" },
    { "app.crash", same = "job", within = hours(1), role = "symptom" }, { "net.peer_reset", same = "job", within = hours(1), role = "victim" },
    { "comm.timeout", same = "job", within = hours(2), role = "victim" }, { "unknown", same = "job", within = hours(1), role = "symptom" } },
  settled_by = { "nccl", "app" }, ruled_out = "no failed communicator initialisation",
  requests = { KERNEL_LOG, NCCL_LOG, RUNTIME_LOG, GPU_QUERY },
  act = { "The place of the error is a boundary, not the cause: look for the earliest abnormal line in the kernel, runtime and kubelet logs of every rank's host." },
  verify = { "nccl-tests on the same nodes and in the same container, then the job." },
  avoid = { "Do not raise timeouts and do not replace a GPU before the kernel log was read." }, recovery = "process group",
}
cause {
  id = "comm.timeout", class = "stall", severity = "error", rank = 76, title = "a collective timed out",
  leads_to = { { "app.exception", same = "job", within = hours(1), role = "symptom" }, { "app.crash", same = "job", within = hours(1), role = "teardown" },
    { "app.killed", same = "job", within = hours(1), role = "teardown" }, { "net.peer_reset", same = "job", within = hours(1), role = "victim" },
    { "unknown", same = "job", within = hours(1), role = "symptom" } },
  settled_by = { "app", "recorder" }, ruled_out = "no collective timed out",
  requests = { DUMPS, APP_LOG, KERNEL_LOG, NCCL_LOG, PROCESSES },
  act = { "The watchdog fires a whole timeout after the fault: look at what happened that much earlier, on the ranks that did not report.",
    "Collect the Flight Recorder dump of every rank and the log of every rank.",
    "Isolate nothing for a timeout alone: it does not say who was late." },
  avoid = { "Do not raise the timeout as a repair." },
  verify = { "The same job past the collective at which it stopped, after a minimal collective test over the same nodes." },
  recovery = "process group",
}
cause {
  id = "comm.timeout_short", class = "slow", severity = "error", rank = 66, title = "a timeout ended work that was still progressing",
  leads_to = waiters(hours(2)),
  requests = { APP_LOG, DUMPS },
  act = { "Set the group's timeout above the longest legitimate step (checkpoint, first compile, evaluation), or move that step out of the collective's shadow.",
    "The node need not be isolated: the timeout is a setting." },
  verify = { "The longest step of a run, measured, is well below the timeout." },
  avoid = { "Do not raise the timeout of groups that never had a long step." },
  recovery = "process group",
}
cause {
  id = "comm.slow", class = "slow", severity = "warning", rank = 78, title = "collectives are far below their baseline",
  requests = { NET_STATE, GPU_QUERY, NCCL_LOG },
  act = { "Compare transport, algorithm and path with a good run (NCCL INFO), then test pairs and groups of nodes with nccl-tests.",
    "Isolate a node only after pairs and groups were tested, and the same one is slow in each." },
  verify = { "nccl-tests at real message sizes over pairs, then the whole group, at the baseline of this hardware." },
  avoid = { "Do not conclude from one node's own bandwidth: nodes that are each well can be slow together." },
  recovery = "process group",
}
cause {
  id = "comm.straggler", compares = true, class = "slow", severity = "warning", rank = 68, title = "one rank is always late",
  leads_to = { { "comm.slow", same = "job", within = hours(24), role = "symptom" } },
  requests = { DUMPS, { stream = "gpu", command = "nvidia-smi --query-gpu=timestamp,index,utilization.gpu,clocks.sm,clocks_event_reasons.active,temperature.gpu,power.draw --format=csv -l 5   # on {host} and on a host that is not late", why = "a GPU that is slowed down by heat, power or its link, beside one that is not" }, PROCESSES },
  act = { "Look at that rank's host: data loading, CPU, clocks, PCIe, neighbours.",
    "Isolate the node if the lateness stays with it, not with the rank's data." },
  verify = { "The late rank changes with the host when ranks are placed anew, or is gone." },
  avoid = { "Do not raise the timeout, and do not blame the collective: the others only wait." },
  recovery = "node",
}
cause {
  id = "comm.deadlock_suspected", class = "stall", severity = "error", rank = 77, title = "GPUs stand still without any error",
  leads_to = { { "comm.timeout", same = "job", within = hours(2), role = "symptom" }, { "app.killed", same = "job", within = hours(24), role = "teardown" },
    { "slurm.time_limit", same = "job", within = hours(48), role = "symptom" } },
  requests = { DUMPS, NCCL_LOG, KERNEL_LOG,
    { stream = "host", command = "lspci -vvv | grep -E 'ACSCtl|LnkSta'; cat /proc/cmdline   # on {host}", why = "ACS or an IOMMU between GPUs makes P2P hang without any error" } },
  act = { "Save state first (ncclras -v, py-spy dump of every rank, ss -tnp), then end the job politely and restart from the checkpoint.",
    "Isolate nothing before the state is saved; a node only if its rank is the one that does not answer." },
  verify = { "py-spy dump and ncclras of all ranks in the next hang name one place." },
  avoid = { "Do not kill the job before its state was saved." },
  recovery = "process group",
}
cause {
  id = "comm.misuse", class = "init", severity = "error", rank = 55, title = "NCCL was called in a way that cannot work",
  leads_to = list({ { "comm.init_failed", same = "job", within = hours(1), role = "symptom" }, { "app.exception", same = "job", within = hours(1), role = "symptom" },
    { "net.bootstrap_unreachable", same = "job", within = hours(1), role = "victim" } }, process_ends(hours(1)), waiters(hours(2))),
  settled_by = { "nccl", "app" }, ruled_out = "no invalid use reported by NCCL",
  requests = { NCCL_LOG, APP_LOG },
  act = { "Fix the launch: one GPU a rank (LOCAL_RANK, CUDA_VISIBLE_DEVICES), matching world size, valid arguments.",
    "The node need not be isolated: the launch is at fault." },
  verify = { "The same launch with two ranks finishes an all_reduce." },
  avoid = { "Do not switch checks off to get past it." },
  recovery = "process group",
}

-- ---------------------------------------------------------------- process, platform
cause {
  id = "app.exception", varied = true, class = "lost", severity = "error", rank = 50, title = "a rank raised an exception",
  leads_to = list({ { "app.killed", same = "job", within = hours(1), role = "teardown" }, { "app.crash", same = "process", within = hours(1), role = "symptom" },
    { "app.crash", same = "other_rank", within = hours(1), role = "victim" } }, peers_see(hours(2))),
  settled_by = { "app" }, ruled_out = "no uncaught exception",
  requests = { APP_LOG },
  act = { "Fix the program or its data at the line named; restart the whole process group.",
    "The node need not be isolated: the same exception comes on any." },
  verify = { "The step that failed, with the same data and seed, on one node." },
  avoid = { "Do not look at NCCL's errors of other ranks: they follow." },
  recovery = "process group",
}
cause {
  id = "app.crash", class = "lost", severity = "error", rank = 48, title = "a process crashed",
  leads_to = list({ { "app.killed", same = "job", within = hours(1), role = "teardown" }, { "app.exception", same = "other_rank", within = hours(1), role = "victim" },
    { "gpu.app_fault", same = "host", within = minutes(10), role = "teardown" } }, peers_see(hours(2))),
  settled_by = { "kernel", "app" }, ruled_out = "no crash of a process",
  requests = { KERNEL_LOG, APP_LOG },
  act = { "Get the native stack (core dump, coredumpctl gdb, faulthandler): it names the library.",
    "The node need not be isolated, unless the same program crashes there only." },
  verify = { "The same step under the same load with a core dump enabled, without a crash." },
  avoid = { "Do not read the desync report as the cause: the others lost a peer." },
  recovery = "process group",
}
cause {
  id = "app.killed", class = "lost", severity = "error", rank = 52, title = "a process was killed from outside",
  leads_to = list({ { "app.killed", same = "job", within = hours(1), role = "teardown" }, { "app.exception", same = "other_rank", within = hours(1), role = "victim" },
    { "app.crash", same = "other_rank", within = hours(1), role = "victim" }, { "gpu.app_fault", same = "host", within = minutes(10), role = "teardown" } }, peers_see(hours(2))),
  settled_by = { "app", "runtime" }, ruled_out = "no process was killed", presumes = { "kernel" }, -- the kernel kills too
  requests = { KERNEL_LOG, RUNTIME_LOG, KUBELET_LOG,
    { stream = "host", command = "journalctl -o short-iso-precise --utc --since '{from}' --until '{to}'   # on {host}", why = "earlyoom, systemd-oomd, a monitor or an operator that kills writes so to the host's own log" } },
  act = { "Find the sender before anything else: kernel log (OOM), kubelet (eviction, probe, deletion), scheduler, a watching program, a person." },
  verify = { "The next run ends by itself, with memory and the senders of signals watched." },
  avoid = { "Do not replace hardware for an exit code: 137 only says that somebody sent SIGKILL." },
  recovery = "process group",
}
cause {
  id = "app.hang_outside", class = "desync", severity = "error", rank = 54, title = "a rank is stuck outside collectives",
  leads_to = list({ { "comm.missing_rank", same = "job", within = hours(2), role = "symptom" }, { "slurm.time_limit", same = "job", within = hours(48), role = "symptom" } }, waiters(hours(2))),
  requests = { DUMPS },
  act = { "py-spy dump the rank; data loading, checkpoint and compilation are the usual places.",
    "The node need not be isolated, unless its disk or file system is what the rank waits for." },
  verify = { "The stack of the rank (py-spy dump) moves on past the place where it stood." },
  avoid = { "Do not raise the collective timeout: the rank is not in the collective." },
  recovery = "process group",
}
cause {
  id = "k8s.evicted", class = "lost", severity = "error", rank = 30, title = "kubelet evicted the pod",
  leads_to = list(process_ends(hours(1)), peers_see(hours(2))),
  settled_by = { "k8s" }, ruled_out = "no eviction", requests = { KUBELET_LOG },
  act = { "See which resource ran short (memory, ephemeral-storage, pids) and who used it; set requests that match.",
    "The node need not be isolated, unless what ran short is used by nobody's pod." },
  verify = { "kubectl top and the node's pressure conditions stay quiet over a whole run." },
  avoid = { "Do not only restart: the same node evicts again." },
  recovery = "process group",
}
cause {
  id = "k8s.preempted", class = "lost", severity = "error", rank = 30, title = "the job was preempted or its node drained",
  leads_to = list({ { "k8s.evicted", same = "job", within = hours(1), role = "symptom" } }, process_ends(hours(1)), peers_see(hours(2))),
  settled_by = { "k8s", "slurm" }, ruled_out = "no preemption or drain",
  requests = { { stream = "k8s", command = "kubectl get events -A --field-selector reason=Preempted -o yaml; kubectl describe pod {pod}; kubectl describe node {host}", why = "who made room for whom, and with which priority" }, KUBELET_LOG },
  act = { "Raise the job's priority class, use a disruption budget, or checkpoint on SIGTERM.",
    "The node need not be isolated." },
  verify = { "The job survives a drain of one node (checkpoint on SIGTERM, then resume)." },
  avoid = { "Do not treat it as a fault of node or program." },
  recovery = "process group",
}
cause {
  id = "k8s.probe_killed", class = "lost", severity = "error", rank = 30, title = "a failed probe killed the container",
  leads_to = list(process_ends(hours(1)), peers_see(hours(2))),
  settled_by = { "k8s" }, ruled_out = "no container was killed by a probe", requests = { KUBELET_LOG },
  act = { "Give the container a startup probe longer than its load time; a liveness probe must not depend on the collective.",
    "The node need not be isolated: the probe is a setting." },
  verify = { "The pod stays Ready through start-up and through a long collective." },
  avoid = { "Do not remove the probe altogether: a hang would go unseen." },
  recovery = "instance",
}
cause {
  id = "k8s.image_or_mount", class = "init", severity = "error", rank = 30, title = "the container could not be started",
  leads_to = list({ { "net.bootstrap_unreachable", same = "job", within = hours(1), role = "victim" } }, peers_see(hours(2))),
  settled_by = { "k8s" }, ruled_out = "no failed image pull, mount or device allocation",
  requests = { { stream = "k8s", command = "kubectl describe pod {pod}; kubectl get pvc,volumeattachment -A -o wide", why = "the event that names the image or the volume" }, KUBELET_LOG, RUNTIME_LOG },
  act = { "Fix image, volume, secret or device plugin as kubelet names it.",
    "Isolate the node only if the same image or volume works on others." },
  verify = { "A pod with the same image, mounts and GPUs starts on each node of the pool." },
  avoid = { "Do not delete the pod before its events were saved." },
  recovery = "instance",
}
cause {
  id = "slurm.time_limit", class = "lost", severity = "error", rank = 40, title = "the job reached its time limit",
  leads_to = list(process_ends(hours(1)), peers_see(hours(1))),
  settled_by = { "slurm" }, ruled_out = "no time limit reached",
  requests = { APP_LOG, { stream = "slurm", command = "sacct -j {job} -o JobID,State,ExitCode,Start,End,Elapsed,Timelimit,NodeList -P; scontrol show job {job}", why = "the limit, and when each step began and ended" }, DUMPS },
  act = { "Ask whether the job progressed until the end: if it did, ask for more time or checkpoint; if it stood still, this is only where the wait ended.",
    "The node need not be isolated." },
  verify = { "The rate of steps times the steps left fits into the limit asked for." },
  avoid = { "Do not ask for more time before knowing whether it progressed." },
  recovery = "process group",
}
cause {
  id = "slurm.node_fail", class = "lost", severity = "error", rank = 29, title = "Slurm lost or drained a node",
  leads_to = list(process_ends(hours(1)), peers_see(hours(2))),
  settled_by = { "slurm" }, ruled_out = "no failed node", requests = { KERNEL_LOG },
  act = { "Read the kernel log and BMC log of the node that failed.",
    "Isolate the node until the kernel's or the BMC's log says why it was lost." },
  verify = { "scontrol show node: IDLE, and a collective test over it and a neighbour passes." },
  avoid = { "Do not resume the node only to free the queue." },
  recovery = "node",
}

-- ---------------------------------------------------------------- none
cause { id = "unknown", varied = true, class = "", severity = "error", rank = 99, title = "a failure that no rule explains",
  requests = { APP_LOG, KERNEL_LOG, NCCL_LOG, RUNTIME_LOG, DUMPS, GPU_QUERY } }
cause { id = "healthy", class = "", severity = "note", rank = 99, title = "nothing wrong was found" }
