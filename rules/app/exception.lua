-- An uncaught exception ends a rank; the launcher then ends the others. But many exceptions only repeat what happened
-- elsewhere: a peer that went away, a watchdog, the launcher's own ChildFailedError. The table below says what an exception
-- stands for; only what is left is app.exception. Order of lines is no causality: the rank that raised first is the root.
-- Sources: PyTorch c10d and elastic texts, CPython errno texts, CUDA error names.
local TABLE = {
  -- pattern on "Type: message", cause (false: says nothing of its own), confidence, note
  { [[ChildFailedError|SignalException|KeyboardInterrupt|^SystemExit|ProcessExitedException|ProcessRaisedException]], false },
  -- the engine and its client say that a worker is gone, the loader that others have not come: what stopped those is told elsewhere
  { [[EngineDeadError|other ranks that didn't finish loading|successfully reached monitoredBarrier, but received errors]], false },
  -- what a queue, a pool, a future or a remote call tells its caller when whoever was behind it is gone
  { [[^_?(?:queue|asyncio\.\w+|concurrent\.futures\.\w+)\.(?:Empty|Full|CancelledError|BrokenProcessPool):|NCCL communicator was aborted on rank]], false },
  { [[^(?:ray\.exceptions\.)?(?:WorkerCrashedError|NodeDiedError|(?:Ray)?Actor(?:Died)?Error: The actor died unexpectedly)]], false },
  { [[died with <Signals\.SIG|exit codes of the workers are \{SIG]], false }, -- read by its own rule (exit.lua)
  -- whoever says so was told; what happened stands before it, or in another rank's output
  { [[HorovodInternalError: .*(?:Horovod has been shut down|Shut down)]], false },
  { [[RendezvousClosedError|RendezvousGracefulExitError]], false }, -- another agent closed it; read by its own rule (store.lua)
  { [[Duplicate GPU detected|Invalid rank requested]], "comm.misuse" },
  { [[using env:// rendezvous: environment variable \w+ expected]], "comm.misuse", "likely" },
  { [[ray\.exceptions\.OutOfMemoryError|killed due to the node running low on memory]], "app.killed", "likely" },
  -- what NCCL says of itself is read by its own table (rules/nccl/messages.lua)
  { [[Last error: +\S|may be unrelated\) '[^']|NCCL error(?: in)?:.*(?:unhandled (?:cuda|system) error|internal error)|ncclSystemError|ncclInternalError|ncclUnhandledCudaError|NCCL operation .*failed: (?:unhandled|internal)|NCCL Error \d: (?:unhandled|internal)|nccl[A-Z]\w+ failed: (?:unhandled|internal)]], false },
  { [[ncclInvalidUsage|ncclInvalidArgument|invalid usage \(run with]], "comm.misuse", "likely" },
  { [[Barrier timed out\. (?:Barrier_id|Id): |cluster registration failed]], false }, -- read by its own rule (launchers.lua)
  { [[Collective ops is aborted by: NCCL: ]], false },
  { [[OOM when allocating tensor|CUDA out of memory|HIP out of memory|torch\.(?:cuda\.)?OutOfMemoryError|CUDA error: out of memory|CUDA_ERROR_OUT_OF_MEMORY|cudaErrorMemoryAllocation|RESOURCE_EXHAUSTED: Out of memory]], "gpu.device_oom" },
  { [[CUBLAS_STATUS_ALLOC_FAILED]], "gpu.device_oom", "possible" },
  -- servers that count before they start: the model leaves too little of the card
  { [[No available memory for the cache blocks|Not enough memory\. Please try to (?:increase|decrease)|Free memory on device .*is less than desired GPU memory utilization]], "gpu.device_oom", "likely" },
  -- malloc and mmap fail at the node's limit of commitment, or of the process; a size that nobody has is the program's fault
  { [[DefaultCPUAllocator: (?:can't allocate|not enough) memory|^MemoryError|_ArrayMemoryError: Unable to allocate|^std::bad_alloc|(?:\[Errno 12\] |unable to mmap \d+ bytes from file .*: )Cannot allocate memory]], "host.global_oom", "possible" },
  { [[unable to open (?:shared memory object|file) <[^>]*>.*: Too many open files]], "host.fd_limit" },
  { [[(?:torch_\d+_|/dev/shm|shared memory|shm_open|sem_).*No space left on device|No space left on device.*(?:/dev/shm|shared memory)]], "host.shm_exhausted" },
  { [[DataLoader process \(pid +\d+|DataLoader workers? .*exited unexpectedly]], false },
  { [[DataLoader worker .*Bus error|insufficient shared memory|out of shared memory|unable to (?:open|resize|allocate|write to) (?:shared memory|file </torch_)]], "host.shm_exhausted" },
  { [[No space left on device|\[Errno 28\]|ENOSPC|Disk quota exceeded]], "host.disk_full" },
  { [=[Stale file handle|\[Errno 116\]|Transport endpoint is not connected: '/|Cannot send after transport endpoint shutdown|\[Errno 108\]|\[Errno 121\] Remote I/O error|\[Errno 110\] Connection timed out: '/]=], "host.fs_stall", "likely" },
  { [=[\[Errno 5\] Input/output error: '/]=], "host.fs_stall", "possible" },
  { [[Address already in use|EADDRINUSE|errno: 98]], "net.port_in_use" },
  { [[ncclRemoteError|remote process exited or there was a network error|Connection closed by (?:remote )?peer|Connection reset by peer|Broken pipe|Connection was likely closed|failed to recv, got 0 bytes|Connection was closed before receiving data|Read error \[|Socket closed|unexpectedly closed|Stop_waiting response is expected]], "net.peer_reset" },
  { [[NIXL_ERR_REMOTE_DISCONNECT|nixlRemoteDisconnectError]], "net.peer_reset" },
  { [[initializing process group in store based barrier on rank: \d+]], false }, -- read by its own rule (store.lua)
  { [[wait timeout after \d+ ?ms, keys: \S*(?://cuda//|/nccl|store_based_barrier)]], "comm.init_failed" },
  { [=[Gloo connectFullMesh failed with \[[^\]]*\] no error]=], "comm.init_failed" },
  { [[Ping failed, invalid value returned from server]], "net.bootstrap_unreachable", "likely" }, -- something else answers on the store's port
  { [[Detected mismatch between collectives on ranks\. Rank \d+|DDP expects same model across all ranks, but Rank \d+ has [1-9]\d{0,5} params, while rank \d+ has inconsistent [1-9]\d{0,5} params|failed to pass monitoredBarrier]], false },
  { [[ncclCommInitRank|setting up NCCL communicator]], "comm.init_failed" },
  { [[[Ww]atchdog|collective operation timeout|Timed out waiting \d+ms for (?:recv|send)|timed out in blocking wait|failed to pass monitoredBarrier|wait timeout after|^RuntimeError: Socket Timeout$|Application timeout caused pair closure]], "comm.timeout" },
  { [[was not reachable via ssh|Command '(?:\[')?ssh\b.* returned non-zero exit status 255]], "net.bootstrap_unreachable", "likely" },
  { [[Unable to find interface for: ]], "net.no_interface", "likely" },
  { [[[Uu]nable to connect to (?:GCS|Redis) at|^ConnectionError: ray client connection timeout]], "net.bootstrap_unreachable", "likely" },
  { [[Check failed: !(?:ip|interface)\.empty\(\) failed to get (?:ip|the interface)]], "net.no_interface", "likely" }, -- ps-lite (van.cc), of DMLC_INTERFACE
  -- gRPC honours http_proxy: what answers is no peer
  { [[Trying to connect an http1\.x server|HTTP proxy returned response code]], "net.bootstrap_unreachable", "likely" },
  { [[failed to connect to all addresses]], "net.bootstrap_unreachable", "possible" },
  { [[client socket has (?:timed out|failed to connect)|connect\(\) timed out|^RuntimeError: Connection timed out$|RendezvousTimeoutError|RendezvousConnectionError|Connection refused|No route to host|Name or service not known|cannot be retrieved \(gai]], "net.bootstrap_unreachable" },
  { [[Detected mismatch between collectives on ranks]], "comm.op_mismatch" },
  { [[system not yet initialized|cudaErrorSystemNotReady|CUDA error 802|error 802]], "gpu.fabric_not_ready" },
  { [[CUDA driver version is insufficient|cudaErrorInsufficientDriver|cudaErrorSystemDriverMismatch|cudaErrorUnsupportedPtxVersion|provided PTX was compiled with an unsupported toolchain|system has unsupported display driver|forward compatibility was attempted|Driver/library version mismatch|NVMLError_(?:LibRmVersionMismatch|DriverNotLoaded)|NVIDIA driver on your system is too old]], "gpu.driver_mismatch" },
  { [[Found no NVIDIA driver on your system]], "gpu.driver_mismatch", "likely" },
  { [[NVMLError_GpuIsLost|GPU is lost\b]], "gpu.fell_off_bus", "likely" },
  { [[lib(?:cuda|nvidia-ml)\.so\.1: cannot open shared object file]], "gpu.driver_mismatch", "likely" },
  { [[uncorrectable ECC error|cudaErrorECCUncorrectable]], "gpu.ecc_uncorrectable", "likely" },
  { [[uncorrectable NVLink error|cudaErrorNvlinkUncorrectable|Invalid access of peer GPU memory over nvlink]], "gpu.nvlink_error", "likely" },
  { [[busy or unavailable]], "gpu.reset_required", "possible" },
  { [[CUDA call failed lazily at initialization with error: device >= 0]], "gpu.missing", "possible" },
  { [[no CUDA-capable device|cudaErrorNoDevice|invalid device ordinal|No CUDA GPUs are available]], "gpu.missing", "likely" },
  { [[illegal memory access|cudaErrorIllegalAddress|cudaErrorMisalignedAddress|cudaErrorIllegalInstruction|cudaErrorAssert\b|device-side assert(?!ion)|misaligned address|illegal instruction|hardware stack error|invalid program counter|the launch timed out and was terminated]], "gpu.app_fault", "likely" },
  { [[unspecified launch failure|cudaErrorLaunchFailure|CUDA unknown error - this may be due|CUDA error: unknown error|cudaErrorUnknown|NVMLError_Unknown]], "unknown", "possible" }, -- CUDA's 719 is said of a fault of the program, and of a GPU that is gone; 999 of anything
  { [=[can't start new thread|Resource temporarily unavailable|BlockingIOError: \[Errno 11\]]=], "host.thread_limit", "likely" },
  { [=[Too many open files|\[Errno 24\]]=], "host.fd_limit" },
  -- a receiver with no descriptor left gets the message without those that came with it (recvmsg, MSG_CTRUNC)
  { [[received 0 items of ancdata]], "host.fd_limit", "likely" },
  { [[DataLoader worker .* (?:killed by signal: Bus error|exited unexpectedly).*shm|insufficient shared memory|unable to (?:open|resize|allocate) shared memory|Bus error\. It is possible that dataloader's workers are out of shared memory]], "host.shm_exhausted", "likely" },
  { [[DataLoader worker .* killed by signal: Killed]], "app.killed", "likely" },
  { [[^Fatal Python error: Segmentation fault]], "app.crash" },
  { [[^Fatal Python error: Bus error]], "app.crash" },
  { [[^Fatal Python error: Aborted]], "unknown" }, -- the watchdog's or the C++ runtime's doing: an end without its reason
}

-- The store's host says that others did not come: where one of those says that it could not connect, this only repeats it.
local WAITED = [[Timed out after \d+ seconds waiting for clients]]

local function classify(text)
  for _, row in ipairs(TABLE) do
    if match(text, row[1]) then return row[2], row[3] or "certain" end
  end
  return "app.exception", "certain"
end

-- The same, of the many ranks that say the same but for a number: a row of the table asks for certain numbers only beside these words.
local NUMBERED = [[error|rrno|status|Signals|params|got 0|\.so\.|device >= ]]
local RANK, NUMBER = [[^((?s).*?\b[Rr]ank[ :=]?)\d+((?s).*)$]], [[^(\D*)\d+((?s).*)$]]
local function alike(text)
  if match(text, NUMBERED) then
    local before, behind = match(text, RANK)
    return before and before .. "0" .. behind or text
  end
  local out, rest = {}, text
  local before, behind = match(rest, NUMBER)
  while before and #out < 40 do
    out[#out + 1], rest = before .. "0", behind
    before, behind = match(rest, NUMBER)
  end
  return table.concat(out) .. rest
end
local function classifier()
  local known = {}
  return function(text)
    local key = alike(text)
    local was = known[key] or { classify(text) }
    known[key] = was
    return was[1], was[2]
  end
end

local WHY = {
  certain = "the exception names it",
  likely = "the exception's text says so; another source would make it certain",
  possible = "the exception's text can mean this",
}

signature {
  id      = "app.shm_bus_error",
  stream  = "app",
  needles = { "insufficient shared memory (shm)", "out of shared memory" },
  pattern = [[(?i)Unexpected bus error encountered in (?:DataLoader )?worker|dataloader's workers are out of shared memory]],
  fields  = {},
  fold    = {},
  match   = { "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).",
              "ERROR: Unexpected BUS error encountered in DataLoader worker. This might be caused by insufficient shared memory (shm), please check whether use_shared_memory is set" },
  ignore  = { "CUDA error: out of shared memory" },
}
local ROOM = 16 * 1048576 -- KiB: no data loader fills this on a machine that is otherwise well
-- PyTorch's word for SIGBUS is a guess. Where shared memory is large and mostly free, it was something else.
-- What a job used is gone with it, so only the size says that there was room.
local function has_room(rows)
  return #keep(rows, function(s) return s.fields.mount == "/dev/shm" and (s.fields.used_pct or 100) <= 50 and (s.fields.size_kib or 0) >= ROOM end) > 0
end
correlate {
  id    = "app.shm_bus_error.told",
  group = "job",
  uses  = { "app.shm_bus_error" },
  reach = { "app.no_space", "host.disk" },
  judge = function(case)
    local on = case.signals
    local said = on["app.shm_bus_error"]
    local full = keep(on["host.disk"], function(d) return d.fields.mount == "/dev/shm" and (d.fields.used_pct or 0) >= 99 end)
    if #on["app.no_space"] + #full == 0 and has_room(on["host.disk"]) then return {} end
    -- an errno without a file beside it is the same shortage
    return { { cause = "host.shm_exhausted", confidence = "likely", scope = "job", class = "lost", evidence = said, symptoms = join(on["app.no_space"], full),
      confidence_why = #full > 0 and "the framework names shared memory, and df shows that /dev/shm is full" or
        "the framework names shared memory as what a worker of its data loader died of; a file cut under mmap gives SIGBUS too",
      summary = "A data-loader worker died of SIGBUS: shared memory (/dev/shm) is too small" } }
  end,
}

-- An exception that stands for something else, or says nothing of its own, still ended its process: an echo, one for each host and place.
local function add_echo(found, echoes, s, text, f)
  local key = (f.type or "") .. "|" .. (f.user_file or "") .. ":" .. tostring(f.user_line or 0) .. "|" .. (s.host or "")
  local one = echoes[key]
  if not one then
    if #found > 500 then return end
    one = { cause = "app.exception", echo = true, confidence = "certain", scope = s.rank and "rank" or "process", rank = s.rank, ranks = {}, evidence = {},
      confidence_why = "the traceback ends with it; what it stands for is a finding of its own", summary = (s.rank and string.format("rank %d", s.rank) or "a process") .. " raised " .. string.sub(text, 1, 240) }
    echoes[key] = one
    found[#found + 1] = one
  end
  one.evidence[#one.evidence + 1] = s
  if s.rank then one.ranks[#one.ranks + 1] = s.rank end
end

-- An exception whose traceback is not there: a cut log, or a launcher that prints only the last line.
signature {
  id      = "app.exception_line",
  stream  = "app",
  needles = { "Error: ", "Exception: ", "Interrupt: " },
  pattern = [[^(?<type>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*(?:Error|Exception)): (?<message>\S.{10,})$]],
  fields  = { type = "text", message = "text" },
  match   = { "torch.distributed.DistNetworkError: The client socket has timed out after 60000ms while trying to connect to (10.0.0.1, 29500)." },
  ignore  = { "Error: something failed here for once", "the RuntimeError: is not at the front of it" },
}
-- The same from C++: what an exception that nobody caught says, what ended PyTorch's watchdog thread, and the check macro of CUDA's samples.
signature {
  id      = "app.cpp_error",
  stream  = "app",
  needles = { "what():  ", "watchdog thread terminated with exception: CUDA", "CUDA error at " },
  pattern = [[^(?:\s*what\(\):\s+.*?(?<message>CUDA (?:driver )?error: .+)|.*watchdog thread terminated with exception: (?<message>CUDA (?:driver )?error: .+)|CUDA error at \S+:\d+ code=\d+\((?<message>cudaError\w+)\).*)$]],
  fields  = { message = "text" },
  match   = { "  what():  [PG ID 0 PG GUID 0(default_pg) Rank 5] Process group watchdog thread terminated with exception: CUDA error: an illegal memory access was encountered",
              "[PG ID 0 PG GUID 0 Rank 5] Process group watchdog thread terminated with exception: CUDA error: an illegal memory access was encountered",
              'CUDA error at /src/solve.cu:212 code=700(cudaErrorIllegalAddress) "cudaStreamSynchronize(s)"' },
  ignore  = { "  what():  std::bad_alloc", "CUDA error at start is retried" },
}
-- An old release keeps the errno of an opening to itself: it takes a descriptor, and no room yet. The same log says what is lacking.
local OPENING = [[unable to open shared memory object <[^>]*> in \S+ mode]]
local function lacks_descriptor(s, text, on)
  return match(text, OPENING) ~= nil and #on["app.no_space"] == 0 and #keep(on["app.no_file"], function(n) return n.member == s.member end) > 0
end
-- Only what stands for a cause of its own is taken from such a line: a bare exception may have been caught. What ended a C++ thread was not.
correlate {
  id    = "app.exception_line",
  group = "job",
  uses  = { "app.exception_line", "app.cpp_error" },
  reach = { "launcher.worker_failed", "srun.ended", "app.traceback", "app.good_end", "nccl.warn", "app.nccl_last_error", "host.disk", "app.no_space", "app.no_file" },
  judge = function(case)
    local on, found, by_key, echoes = case.signals, {}, {}, {}
    local room = #on["app.no_space"] == 0 and has_room(on["host.disk"])
    if #on["app.good_end"] > 0 then return {} end
    local explained = #on["nccl.warn"] + #on["app.nccl_last_error"] > 0 -- NCCL's own words say why a call was refused
    local classify, raised = classifier(), {}
    for _, list in ipairs(group_by(on["app.traceback"], "member")) do raised[list[1].member] = list end
    for _, s in ipairs(join(on["app.exception_line"], on["app.cpp_error"])) do
      -- what C++ threw aborts the process, and the stack that Python leaves of that says nothing more
      local told = keep(raised[s.member], function(t)
        return t.line >= s.line and t.line <= s.line + 300 and (s.id ~= "app.cpp_error" or t.fields.type ~= "Fatal Python error")
      end)
      local text = (s.fields.type and s.fields.type .. ": " or "") .. s.fields.message
      local cause, confidence = classify(text)
      if #told == 0 then add_echo(found, echoes, s, text, s.fields) end
      if explained and cause == "comm.misuse" and match(text, [[NCCL error]]) then cause = nil end
      if cause == "host.shm_exhausted" and lacks_descriptor(s, text, on) then cause, confidence = "host.fd_limit", "likely" end
      if cause == "host.shm_exhausted" and room then cause = nil end
      local caught = cause == "app.exception" and s.id ~= "app.cpp_error"
      if #told == 0 and cause and not caught and cause ~= "net.peer_reset" then
        local key = cause .. (s.host or "")
        if not by_key[key] then
          local rank = s.rank or failed_alone(join(on["launcher.worker_failed"], on["srun.ended"]), s)
          by_key[key] = { cause = cause, confidence = confidence == "certain" and "likely" or confidence, scope = rank and "rank" or "job", rank = rank, ranks = rank and { rank } or {}, evidence = {},
            confidence_why = "the exception's text says so; its traceback is not in the log", summary = string.sub(text, 1, 280) }
          found[#found + 1] = by_key[key]
        end
        table.insert(by_key[key].evidence, s)
      end
    end
    return found
  end,
}

-- A writer that failed says that it failed, and the exception chained to it says why.
local WRITER = [[PytorchStreamWriter|inline_container|File \S.* cannot be opened\.?$|file write failed|failed writing|error writing|write error]]
local WRITER_SHORT = [[basic_ios::clear: iostream error|inline_container\.cc:\d+\] \. (?:unexpected pos|PytorchStreamWriter failed writing file)|PytorchStreamWriter failed writing file]]
local WRITER_WHY = "PyTorch's writer of archives lost bytes, and keeps the error of the file system to itself; a full volume or a quota is the usual one, df and the quota would tell"
local function is_told_by_chain(s, text, all, bare)
  if not match(text, WRITER) then return false end
  for _, o in ipairs(join(all, bare)) do
    local near = o.member == s.member and o.rank == s.rank and o.pid == s.pid and math.abs(o.line - s.line) <= 200
    if o ~= s and near and classify((o.fields.type or "") .. ": " .. (o.fields.message or "")) == "host.disk_full" then return true end
  end
  return false
end

-- What is wrong with the program, or with what it was given, is so whatever the network does. Where another process saw its connection refused or
-- closed, and does not prove that it was first, that process lost this one. A process that had trouble before may be in its cleanup.
local OWN_FAULT = [[^(?:[\w.]+\.)?(?:ModuleNotFound|Import|Syntax|Indentation|Name|UnboundLocal|Attribute|Type|Key|Index|Value|FileNotFound|Permission|ZeroDivision|UnicodeDecode|NotImplemented)Error: ]]
local LOST_PEER = [[[Cc]onnect(?: to |ion (?:closed|refused|reset|was likely closed))|[Cc]onnection (?:abort|timed out)|Broken pipe|failed to connect]]
local function speaks_of_peer(o)
  local words = o.fields.text or o.fields.message
  return words == nil or match(words, LOST_PEER) ~= nil
end
-- told: whatever tells of trouble; lost: of it, what speaks of a peer.
local function lost_by(s, text, told, lost)
  if not match(text, OWN_FAULT) and not match(text, [[cannot open shared object file]]) then return {} end
  local function is_same(o) return o.member == s.member and (o.rank == s.rank or o.rank == nil or s.rank == nil) end
  if #keep(told, function(o) return o ~= s and is_same(o) and o.line < s.line end) > 0 then return {} end
  return keep(lost, function(o)
    local elsewhere = not is_same(o) and (o.member ~= s.member or o.line > s.line)
    return elsewhere and order(s, o) ~= "after"
  end)
end

-- TensorFlow's exception says "Graph execution error:" and gives its reason below, behind the graph's own trace.
local GRAPH = [[Graph execution error:$]]
signature {
  id      = "tf.reason",
  stream  = "app",
  needles = { "Collective ops is aborted by: ", "OOM when allocating tensor", "Out of memory while trying to allocate", "NCCL: unhandled" },
  pattern = [[^(?:\w+_ERROR: |\w+_EXHAUSTED: )?(?:\(\d\) \w+: +)?(?<text>(?:Collective ops is aborted by: |OOM when allocating tensor|Out of memory while trying to allocate|NCCL: unhandled ).*)$]],
  fields  = { text = "text" },
  match   = { "Collective ops is aborted by: NCCL: unhandled cuda error. Set NCCL_DEBUG=WARN for detail.", "OOM when allocating tensor with shape[4096,4096] and type float on /job:worker/replica:0/task:1/device:GPU:0 by allocator GPU_0_bfc",
              "(0) RESOURCE_EXHAUSTED:  OOM when allocating tensor with shape[8,8] and type float" },
  ignore  = { "BaseCollectiveExecutor::StartAbort INTERNAL: NCCL: unhandled cuda error. Set NCCL_DEBUG=WARN for detail." },
}

-- Two lists or more of GPUs, and each is as long as the others.
local function has_all_gpus(listed)
  local sizes, kinds, members = {}, 0, distinct(listed, "member")
  for _, member in ipairs(members) do
    local n = #keep(listed, function(s) return s.member == member end)
    kinds = kinds + (sizes[n] and 0 or 1)
    sizes[n] = true
  end
  return #members >= 2 and kinds == 1
end

-- Who sees its connection end is the survivor: not he is meant, but whom he names, where that is a host.
local function spare_survivor(one, s, on)
  local named = keep(join(on["app.lost_peer_gloo"], on["app.lost_peer_nccl"], on["app.lost_peer_store"]), function(p) return p.member == s.member and p.line == s.line end)
  local peer = #named > 0 and named[1].fields.lost_peer or "-"
  one.rank, one.ranks, one.scope = nil, {}, "job"
  one.host = match(peer, [[^(?!localhost\b)[A-Za-z][A-Za-z0-9.-]*$]])
end

-- A key for each rank that raises the same at the same place; what more than MANY of them raise is one thing from there on.
local MANY = 64
local function counter()
  local n, seen = {}, {}
  return function(key, who)
    local full = key .. "|" .. who
    if not seen[full] and (n[key] or 0) < MANY then n[key], seen[full] = (n[key] or 0) + 1, true end
    return seen[full] and full or key
  end
end

-- Equal exceptions of several ranks are one finding; each keeps its own line as evidence.
correlate {
  id    = "app.exception",
  group = "job",
  uses  = { "app.traceback" },
  reach = { "app.shm_bus_error", "app.good_end", "launcher.worker_failed", "srun.ended", "app.exception_line", "host.disk", "app.no_space", "app.no_file", "tf.reason",
            "nccl.warn", "torch.store_unreachable", "torch.store_gone", "torch.store_waited", "gpu.listed", "app.cpp_error", "app.lost_peer_gloo", "app.lost_peer_nccl", "app.lost_peer_store" },
  judge = function(case)
    local found, by_key, echoes, one_of = {}, {}, {}, counter()
    local heard = join(case.signals["nccl.warn"], case.signals["torch.store_unreachable"], case.signals["torch.store_gone"], case.signals["torch.store_waited"], case.signals["app.traceback"])
    local lost = keep(heard, speaks_of_peer)
    local equal = has_all_gpus(case.signals["gpu.listed"])
    local well = #case.signals["app.good_end"] > 0
    local room = #case.signals["app.no_space"] == 0 and has_room(case.signals["host.disk"])
    local shm = #keep(case.signals["app.shm_bus_error"], function() return true end) > 0
    local refused, classify = false, classifier()
    for _, s in ipairs(case.signals["app.traceback"]) do
      if match(s.fields.message or "", [[client socket has (?:timed out|failed)|Connection refused|No route to host]]) then refused = true end
      local what = (s.fields.type or "") .. ": " .. (s.fields.message or "")
      if classify(what) == "host.shm_exhausted" and not lacks_descriptor(s, what, case.signals) then shm = true end
    end
    for _, s in ipairs(case.signals["app.traceback"]) do
      local f = s.fields
      local text = (f.type or "") .. ": " .. (f.message or "")
      local inner = match(text, GRAPH) and first(keep(case.signals["tf.reason"], function(r) return r.member == s.member and r.line > s.line and r.line <= s.line + 200 end))
      if inner then text = text .. " " .. inner.fields.text end
      local cause, confidence = classify(text)
      local why
      if cause == "app.exception" and is_told_by_chain(s, text, case.signals["app.traceback"], case.signals["app.exception_line"]) then cause, confidence = "host.disk_full", "certain" end
      -- the writer of archives keeps the errno to itself: a volume that is full says it
      local volumes = cause == "app.exception" and match(text, WRITER) and keep(case.signals["host.disk"], function(d)
        return (d.fields.used_pct or d.fields.inodes_pct or 0) >= 99 and (d.host == s.host or d.host == nil or s.host == nil) and match(d.fields.mount or "", [[^/(?:dev/shm|snap|var/lib/snapd|boot)]]) == nil
      end) or {}
      if #volumes > 0 then cause, confidence = "host.disk_full", "likely" end
      -- where nothing tells of the volumes, a full one or a quota is what is most often behind those words
      if cause == "app.exception" and #case.signals["host.disk"] == 0 and match(text, WRITER_SHORT) then cause, confidence, why = "host.disk_full", "possible", WRITER_WHY end
      if cause == "host.shm_exhausted" and lacks_descriptor(s, text, case.signals) then cause, confidence = "host.fd_limit", "likely" end
      if cause == "host.shm_exhausted" and room then cause, confidence = "app.crash", "likely" end
      -- an index beyond the GPUs is the program's where the hosts list equally many
      if cause == "gpu.missing" and equal and match(text, [[invalid device ordinal]]) then cause, confidence = "app.exception", "likely" end
      if match(text, WAITED) then cause, confidence = refused and "comm.init_failed" or "net.bootstrap_unreachable", "likely" end
      -- a bare errno does not name the file system: where shared memory is short, that is what is full
      if cause == "host.disk_full" and shm and not f.user_file and not match(f.message or "", [[/|checkpoint]]) then cause, confidence = "host.shm_exhausted", "likely" end
      if cause ~= "app.exception" and not well then add_echo(found, echoes, s, text, f) end
      if cause then
        -- exceptions of different ranks are only one thing when they say the same at the same place
        local key = cause .. "|" .. (f.type or "") .. "|" .. (f.user_file or "") .. ":" .. tostring(f.user_line or 0) .. "|" .. (s.host or "")
        if cause == "app.exception" or cause == "gpu.device_oom" then key = one_of(key, tostring(s.rank or s.member)) end
        local one = by_key[key]
        if not one then
          local place = f.user_file and string.format(" at %s:%d", f.user_file, f.user_line or 0) or ""
          local who = s.rank and string.format("rank %d", s.rank) or "a process"
          one = { cause = cause, confidence = confidence, confidence_why = why or WHY[confidence], scope = s.rank and "rank" or "process",
                  evidence = {}, ranks = {}, rank = s.rank,
                  symptoms = (cause == "app.exception" or cause == "gpu.driver_mismatch") and lost_by(s, text, heard, lost) or nil,
                  summary = string.format("%s raised %s%s: %s", who, f.type or "an exception", place, string.sub(f.message or "", 1, 240)),
                  facts = { type = f.type, message = f.message, file = f.user_file, line = f.user_line } }
          if cause == "net.peer_reset" then spare_survivor(one, s, case.signals) end
          -- no program asks for an exabyte: a size that never arrived, after a collective that failed
          one.echo = cause == "gpu.device_oom" and match(f.message or "", [[more than \d+EB]]) ~= nil or nil
          -- PyTorch names its segments by the process that made them, and the launcher knows which rank that was
          local pid = not s.rank and cause == "host.shm_exhausted" and tonumber(match(f.message or "", [[</torch_(\d+)_\d+]]) or "")
          local of = pid and first(keep(case.signals["launcher.worker_failed"], function(w) return w.pid == pid or w.fields.pid == pid end))
          if of and of.rank then one.rank, one.ranks, one.pid, one.scope = of.rank, { of.rank }, pid, "rank" end
          -- the watchdog of the same process meets the same error of CUDA, and knows its rank
          local met = not one.rank and match(f.message or "", [[^CUDA (?:driver )?error: [^\n]{8,80}]])
          local ranks = met and distinct(keep(join(case.signals["app.cpp_error"], case.signals["app.exception_line"]), function(w)
            return w.rank ~= nil and w.member == s.member and w.line > s.line and string.find(w.fields.message or "", met, 1, true) ~= nil
          end), "rank") or {}
          if #ranks == 1 then one.rank, one.ranks, one.scope = ranks[1], { ranks[1] }, "rank" end
          local alone = not one.rank and cause ~= "net.peer_reset" and failed_alone(join(case.signals["launcher.worker_failed"], case.signals["srun.ended"]), s)
          if alone then one.rank, one.ranks, one.scope = alone, { alone }, "rank" end
          by_key[key] = one
          found[#found + 1] = one
        end
        one.evidence[#one.evidence + 1] = s
        if s.rank and cause ~= "net.peer_reset" then one.ranks[#one.ranks + 1] = s.rank end
      end
    end
    return found
  end,
}
