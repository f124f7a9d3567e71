-- What a framework or a peer says when something else has failed: a worker that could not start, a child that is gone, a connection that
-- was closed. True each time, a cause never: these findings are echoes. They complete the picture of an incident and never begin one.
-- Sources: vLLM v1/executor, v1/engine; SGLang managers; torch distributed_c10d.py, ProcessGroupGloo.cpp; NCCL src/misc/socket.cc, proxy.cc.
signature {
  id      = "app.start_failed",
  stream  = "app",
  needles = { "WorkerProc failed to start", "Engine core initialization failed", "EngineCore failed to start", "Engine process failed to start", "executing method init_device",
              "connectFullMesh failed", "api.RendezvousTimeoutError", "ProcessGroupNCCL is only supported with GPUs", "Failed to initialize clique" },
  pattern = [[WorkerProc failed to start|Engine core initialization failed|EngineCore failed to start|Engine process failed to start|Error executing method init_device|Gloo connectFullMesh failed|^torch\.distributed\.elastic\.rendezvous\.api\.RendezvousTimeoutError\s*$|ProcessGroupNCCL is only supported with GPUs|Failed to initialize clique]],
  fields  = {},
  fold    = {},
  match   = { "WorkerProc failed to start.", "torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError", "RuntimeError: ProcessGroupNCCL is only supported with GPUs, no GPUs found!", "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}" },
  ignore  = { "WorkerProc started" },
  tells   = "a worker could not start",
}
-- The result of an NCCL call as torch prints it, in a line of its own.
signature {
  id      = "app.nccl_result",
  stream  = "app",
  needles = { "ncclSystemError: ", "ncclInternalError: ", "ncclInvalidUsage: ", "ncclInvalidArgument: ", "ncclUnhandledCudaError: ", "ncclRemoteError: " },
  pattern = [[^(?:rank\d+: )?(?<result>nccl[A-Z]\w+): ]],
  fields  = { result = "text" },
  fold    = { "result" },
  match   = { "ncclInvalidUsage: This usually reflects invalid usage of NCCL library.", "rank0: ncclSystemError: System call (e.g. socket, malloc) or external library call failed" },
  ignore  = { "RuntimeError: ncclInvalidUsage: no" },
}
signature {
  id      = "app.no_gpu_found",
  stream  = "app",
  needles = { "no GPUs found", "Unexpected error from cudaGetDeviceCount" },
  pattern = [[only supported with GPUs, no GPUs found|Unexpected error from cudaGetDeviceCount]],
  fields  = {},
  fold    = {},
  match   = { "RuntimeError: ProcessGroupNCCL is only supported with GPUs, no GPUs found!" },
  ignore  = { "no GPUs found in the config" },
}
signature {
  id      = "app.child_crashed",
  stream  = "app",
  needles = { "exitcode=-", "is killed by signal: ", "exit code: -", "exited with code -" },
  pattern = [[(?:Child process unexpectedly failed with exitcode=-(?:4|6|7|8|11)\b(?:.* pid=(?<pid>\d+))?|DataLoader worker \(pid\(?s?\)? ?(?<pid>\d+)\) is killed by signal: (?:Bus error|Segmentation fault|Aborted)|process .*exit(?:ed with)? code:? -(?:4|6|7|8|11)\b)]],
  fields  = { pid = "pid" },
  match   = { "[2026-07-02 19:15:36] Child process unexpectedly failed with exitcode=-6. pid=600445",
              "RuntimeError: DataLoader worker (pid 71802) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory." },
  ignore  = { "Child process unexpectedly failed with exitcode=-9. pid=12", "DataLoader worker (pid 31) is killed by signal: Killed." },
  tells   = "a child process crashed (pid {pid})",
}
-- Who came and was let down; the one that did not come is named by rank 0 alone.
signature {
  id      = "gloo.barrier_victim",
  stream  = "app",
  needles = { "successfully reached monitoredBarrier" },
  pattern = [[Rank (?<own>[1-9]\d*) successfully reached monitoredBarrier, but received errors while waiting for send/recv from rank 0\b]],
  fields  = { own = "int" },
  fold    = {},
  match   = { "Rank 3 successfully reached monitoredBarrier, but received errors while waiting for send/recv from rank 0. Please check rank 0 logs for faulty rank." },
  ignore  = { "Rank 0 successfully reached monitoredBarrier, but received errors while waiting for send/recv from rank 9." },
}
signature {
  id      = "nccl.peer_closed",
  stream  = { "nccl", "app" },
  needles = { "Connection closed by localRank", "Connection closed by remote peer", "Socket recv failed while polling for opId" },
  pattern = [[NCCL (?<level>INFO|WARN) (?:\S+:\d+ )?.*(?:Connection closed by (?:localRank (?<local>\d+)|remote peer)|Socket recv failed while polling for opId)]],
  fields  = { level = "text", ["local"] = "int" },
  fold    = { "level" },
  match   = { "NCCL INFO [Service thread] Connection closed by localRank 0", "NCCL WARN Socket recv failed while polling for opId=0x7f9d3c0a11e8" },
  ignore  = { "NCCL INFO Connection refused" },
}

-- One finding for each host of what is said there.
local function by_host(list)
  local hosts, out = {}, {}
  for _, s in ipairs(list) do
    local key = s.host or ""
    if not hosts[key] then
      hosts[key] = {}
      out[#out + 1] = hosts[key]
    end
    table.insert(hosts[key], s)
  end
  return out
end

local function echo(found, cause, list, why, summary, severity)
  for _, here in ipairs(by_host(list)) do
    found[#found + 1] = { cause = cause, echo = true, severity = severity, confidence = "certain", scope = here[1].host and "host" or "job", evidence = here, ranks = distinct(here, "rank"),
      confidence_why = why, summary = summary, count = #here }
  end
end

correlate {
  id    = "app.echo",
  group = "job",
  uses  = { "app.start_failed", "app.nccl_result", "app.no_gpu_found", "app.child_crashed", "nccl.peer_closed", "gloo.barrier_victim", "app.lost_peer_gloo", "app.lost_peer_mpi" },
  reach = { "app.good_end", "app.progress", "nccl.init_complete" },
  judge = function(case)
    local on, found = case.signals, {}
    if #on["app.good_end"] > 0 then return {} end
    local began = #on["app.progress"] + #on["nccl.init_complete"] > 0
    local unmade = join(on["app.start_failed"], began and {} or on["app.nccl_result"])
    if #unmade > 0 then echo(found, "comm.init_failed", unmade, "the framework says that it gave up; why is not in its line", "The framework could not set up its workers or communicators") end
    if #on["app.no_gpu_found"] > 0 then echo(found, "gpu.missing", on["app.no_gpu_found"], "the framework asked CUDA", "The framework found no GPU to use") end
    if #on["app.child_crashed"] > 0 then echo(found, "app.crash", on["app.child_crashed"], "the parent saw the signal that ended its child", "A child process was ended by a crash") end
    if #on["gloo.barrier_victim"] > 0 then echo(found, "comm.timeout", on["gloo.barrier_victim"], "whoever says it came to the barrier; who did not is in rank 0's log", "A barrier failed for ranks that had come to it: rank 0's output names who did not") end
    -- NCCL says so at INFO when processes of one host end in their turn, too: by itself that is no failure
    local closed = join(on["nccl.peer_closed"], keep(join(on["app.lost_peer_gloo"], on["app.lost_peer_mpi"]), function(s) return s.fields.closed ~= nil end))
    local warned = #keep(closed, function(s) return s.fields.level ~= "INFO" end) > 0
    if #closed > 0 then echo(found, "net.peer_reset", closed, "whoever complains survived", "Connections were closed by a peer that went away", not warned and "warning" or nil) end
    return found
  end,
}
