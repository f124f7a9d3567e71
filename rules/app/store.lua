-- The rendezvous of PyTorch: its store and sockets, as C++ logs them. A connect that failed is retried, so the single line means nothing;
-- what counts is the line that gives up. A store that went away is the host of rank 0 gone first: look there.
-- Sources: torch/csrc/distributed/c10d/socket.cpp, TCPStore.cpp, TCPStoreLibUvBackend.cpp.
signature {
  id      = "torch.bind_failed",
  stream  = "app",
  needles = { "failed to bind", "EADDRINUSE", "Address already in use" },
  pattern = [[(?:failed to bind to (?<address>\S+).*|EADDRINUSE.*|\bbind\b.*)(?:errno: 98|Address already in use)(?!.*ignoring the error)]],
  fields  = { address = "text" },
  match   = { "[c10d] The server socket has failed to bind to [::]:29500 (errno: 98 - Address already in use).",
              "DistNetworkError: The server socket has failed to listen on any local network address. port: 29500, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use (errno: 98)" },
  ignore  = { "The server socket on 29500 has failed to bind. TORCHELASTIC_USE_AGENT_STORE is enabled so ignoring the error." },
}
signature {
  id      = "torch.store_unreachable",
  stream  = "app",
  needles = { "client socket has timed out after", "cannot be retrieved (gai error", "TCP client failed to connect/validate", "failed to connect to any network address" },
  pattern = [[(?:client socket has (?:timed out after (?<wait>\S+) while trying to connect to|failed to connect to any network address of) \((?<store>[^,)]+), (?<port>\d+)\)|addresses of \((?<store>[^,)]+), (?<port>\d+)\) cannot be retrieved \(gai error: (?<gai>-?\d+)|TCP client failed to connect/validate to host (?<store>[^: ]+):(?<port>\d+) - timed out)]],
  fields  = { wait = "text", store = "text", port = "int", gai = "int" },
  fold    = { "store", "gai" },
  match   = { "[c10d] The client socket has timed out after 600s while trying to connect to (train-0.train, 29500).",
              "[c10d] The IPv6 network addresses of (train-0.train, 29500) cannot be retrieved (gai error: -2 - Name or service not known).",
              "[c10d] The client socket has failed to connect to any network address of (10.3.0.1, 29500)." },
  ignore  = { "[c10d] The client socket has failed to connect to [trn-01]:29500 (errno: 111 - Connection refused).", "TCP client failed to connect/validate to host 10.0.0.1:29500 - retrying (try=3, timeout=1800000ms, delay=3121ms): Connection refused" },
  tells   = "the store at {store}:{port} does not answer",
}
signature {
  id      = "torch.store_waited",
  stream  = "app",
  needles = { "waiting for clients" },
  pattern = [[Timed out after (?<seconds>\d+) seconds waiting for clients\. (?<here>\d+)/(?<all>\d+) clients joined]],
  fields  = { seconds = "int", here = "int", all = "int" },
  match   = { "Timed out after 601 seconds waiting for clients. 7/8 clients joined." },
  ignore  = { "waiting for clients" },
}
signature {
  id      = "torch.store_gone",
  stream  = "app",
  needles = { "recvValue failed on SocketImpl", "recvVector failed on SocketImpl", "sendBytes failed on SocketImpl", "Store is down while", "keep-alive heartbeat to the rendezvous" },
  pattern = [=[(?:(?:recvValue|recvVector|sendBytes) failed on SocketImpl\(.*remote=\[(?<store>[^\]]+)\]:(?<port>\d+)\)|Store is down while|has failed to send a keep-alive (?<heartbeat>heartbeat) to the rendezvous .* due to an error of type RendezvousConnectionError)]=],
  fields  = { store = "text", port = "int", heartbeat = "text" },
  fold    = { "store", "port", "heartbeat" },
  match   = { "The node 'gx-b_901_0' has failed to send a keep-alive heartbeat to the rendezvous 'run7' due to an error of type RendezvousConnectionError.",
              "[c10d] recvValue failed on SocketImpl(fd=101, addr=[lmx-node01]:51228, remote=[lmx-node01]:41133): Failed to recv, got 0 bytes. Connection was likely closed. Did the remote server shutdown or crash?" },
  ignore  = { "recvValue failed" },
}
-- The rendezvous was closed before this agent came, or came back: by agents that had ended, well or badly.
signature {
  id      = "torch.rendezvous_closed",
  stream  = "app",
  needles = { "was observed to be closed", "RendezvousClosedError" },
  pattern = [[Rendezvous for run_id=\S+ was observed to be closed|(?:^|rendezvous\.api\.)RendezvousClosedError]],
  fold    = {},
  match   = { "Rendezvous for run_id=run_ex20 was observed to be closed", "torch.distributed.elastic.rendezvous.api.RendezvousClosedError" },
  ignore  = { "Rendezvous complete for workers. Result:" },
  tells   = "the rendezvous is closed",
}
-- The barrier behind init_process_group, up to 2.x: everybody counts himself in and waits for the rest. Source: torch distributed_c10d.py.
signature {
  id      = "torch.store_barrier",
  stream  = "app",
  needles = { "initializing process group in store based barrier" },
  pattern = [[Timed out (?:after \S+ )?initializing process group in store based barrier on rank:? (?<rank>\d+),? (?:for )?key: \S+ \(world_size=(?<all>\d+), (?:worker_count|num_workers_joined)=(?<here>\d+)]],
  fields  = { rank = "rank", all = "int", here = "int" },
  match   = { "RuntimeError: Timed out initializing process group in store based barrier on rank: 3, for key: store_based_barrier_key:1 (world_size=8, worker_count=7, timeout=0:30:00)",
              "torch.distributed.DistStoreError: Timed out after 0:30:00 initializing process group in store based barrier on rank 0, for key: store_based_barrier_key:1 (world_size=8, num_workers_joined=7, timeout=0:30:00 error=wait timeout)" },
  ignore  = { "Waiting in store based barrier to initialize process group for rank: 3, key: store_based_barrier_key:1 (world_size=8, worker_count=7, timeout=0:30:00)" },
  tells   = "rank {rank} waited in vain: {here} of {all} came",
}
-- All who came complain, each with its number, and the count says that nobody else did: so the rest is known, whatever its logs.
correlate {
  id    = "comm.init_stuck.store_barrier",
  group = "job",
  uses  = { "torch.store_barrier" },
  reach = { "app.good_end" },
  judge = function(case)
    local said = case.signals["torch.store_barrier"]
    if #case.signals["app.good_end"] > 0 then return {} end
    local f, here, absent = first(said).fields, {}, {}
    for _, s in ipairs(said) do here[s.fields.rank] = true end
    local came = #distinct(said, function(s) return s.fields.rank end)
    for r = 0, math.min(f.all, 4096) - 1 do
      if came == f.here and not here[r] then absent[#absent + 1] = r end
    end
    local known = #absent > 0 and #absent <= came
    if f.here > f.all then
      return { { cause = "comm.misuse", confidence = "likely", scope = "job", evidence = said, ranks = {},
        confidence_why = "more counted themselves in than the group has members: a number of a rank that does not fit the world size, or a store that was used before",
        summary = string.format("%d processes joined a group of %d", f.here, f.all) } }
    end
    return { { cause = "comm.init_stuck", confidence = known and "likely" or "certain", scope = "job", evidence = said, ranks = known and absent or {}, rank = known and #absent == 1 and absent[1] or nil,
      confidence_why = known and "all who came waited in vain and say their numbers; why the rest did not come is in its logs" or "who came counts himself; why the others did not come is in their logs",
      summary = string.format("Only %d of %d processes reached the barrier of init_process_group", f.here, f.all) .. (known and "; not rank" .. (#absent == 1 and " " or "s ") .. table.concat(absent, ", ") or "") } }
  end,
}

-- Does the last line of what p stands for come after the last of s? What the clocks leave open, lines of one member decide.
local function is_later(p, s)
  if p.utc and s.utc then return (p.last_utc or p.utc) > (s.last_utc or s.utc) end
  if p.clock and p.clock == s.clock and p.at and s.at then return (p.last_at or p.at) > (s.last_at or s.at) end
  return p.member == s.member and p.line > s.line
end

correlate {
  id    = "app.rendezvous",
  group = "job",
  uses  = { "torch.bind_failed", "torch.store_unreachable", "torch.store_waited", "torch.store_gone", "torch.rendezvous_closed" },
  reach = { "app.progress", "app.good_end", "app.traceback", "app.exception_line", "launcher.worker_failed", "launcher.exitcode", "launcher.got_signal" },
  judge = function(case)
    local on, found = case.signals, {}
    if #on["app.good_end"] > 0 then return {} end
    -- one that came too late did no work and saw no failure of its own; after a failure the closing is its effect
    local closed = on["torch.rendezvous_closed"]
    local failed = join(on["launcher.worker_failed"], on["launcher.exitcode"], on["launcher.got_signal"], keep(on["app.traceback"], function(t) return match(t.fields.type or "", [[Rendezvous]]) == nil end))
    local worked = #closed > 0 and #keep(on["app.progress"], function(p) return p.member == closed[1].member end) > 0
    if #closed > 0 and #failed == 0 and not worked then
      found[#found + 1] = { cause = "net.bootstrap_unreachable", confidence = "possible", scope = "job", host = closed[1].host, evidence = closed, ranks = {},
        confidence_why = "this agent came when the rendezvous was over; whether it was late or the others ended early is in their logs",
        summary = "An agent came to a rendezvous that was closed already" }
    end
    local bind = on["torch.bind_failed"]
    if #bind > 0 then
      local s = first(bind)
      found[#found + 1] = { cause = "net.port_in_use", confidence = "likely", scope = "host", host = s.host, rank = s.rank, ranks = s.rank and { s.rank } or {}, evidence = bind,
        confidence_why = "errno 98 says so; a process of the same job may hold the port", summary = "The port is taken: " .. (s.fields.address or "Address already in use") }
    end
    local away = on["torch.store_unreachable"]
    local moved = keep(on["app.progress"], function(p) return #away > 0 and is_later(p, last(away)) end)
    local gave_up = keep(away, function(s) return s.fields.gai == nil end)
    if #away > 0 and (#gave_up > 0 or #moved == 0 and (away[#away].count >= 5 or #on["app.progress"] == 0)) then
      local s = first(away)
      found[#found + 1] = { cause = "net.bootstrap_unreachable", confidence = #gave_up > 0 and "certain" or "likely", scope = "job", rank = s.rank, ranks = s.rank and { s.rank } or {}, evidence = away,
        confidence_why = "the rank names the address that it could not reach",
        summary = string.format("The store at %s:%d %s", s.fields.store or "?", s.fields.port or 0, s.fields.gai and "has no address: its name does not resolve" or "could not be reached") }
    end
    local waited = on["torch.store_waited"]
    if #waited > 0 and #away == 0 then
      local f = first(waited).fields
      found[#found + 1] = { cause = "net.bootstrap_unreachable", confidence = "possible", scope = "job", evidence = waited, ranks = {},
        confidence_why = "the store counts who came; whether the others never started or could not connect is in their logs",
        summary = string.format("Only %d of %d processes reached the rendezvous within %d s", f.here, f.all, f.seconds) }
    elseif #waited > 0 then
      found[#found + 1] = { cause = "comm.init_failed", confidence = "certain", scope = "job", evidence = waited, ranks = {}, confidence_why = "the store counts who came", summary = "The rendezvous was not completed" }
    end
    local gone = on["torch.store_gone"]
    -- an agent that had its place in the rendezvous says so once more when it gives up; one whose heartbeat failed may find the store again
    local gave_up_too = keep(join(on["app.traceback"], on["app.exception_line"]), function(e)
      return #gone > 0 and match(e.fields.type or "", [[RendezvousConnectionError$]]) ~= nil and order(gone[1], e) ~= "after"
    end)
    gone = keep(gone, function(g) return g.fields.heartbeat == nil or #gave_up_too > 0 end)
    if #gone > 0 then
      found[#found + 1] = { cause = "net.peer_reset", confidence = "possible", scope = "job", evidence = gone, symptoms = gave_up_too, ranks = {},
        confidence_why = "whoever complains survived; the store's host went first", summary = string.format("The store%s closed its connections", first(gone).fields.store and " at " .. first(gone).fields.store or "") }
    end
    return found
  end,
}

-- ---- Horovod, SGLang, Ray ----
signature {
  id      = "horovod.missing",
  stream  = "app",
  needles = { "llreduce", "llgather", "roadcast.", "roadcast_", "roadcast/", "lltoall", "educescatter" },
  pattern = [=[(?:^|<std(?:err|out)>: ?)(?<missing>\d+): \[[\w./:]*(?:[Aa]ll(?:reduce|gather|toall)|[Bb]roadcast(?=[._/])|[Rr]educescatter)[^\]]*\]?$]=],
  fields  = { missing = "int" },
  fold    = { "missing" },
  match   = { "0: [HorovodAllreduce_grad_0, HorovodAllreduce_grad_1 ...]", "3: [DistributedAdam_Allreduce/cond_14/HorovodAllreduce_grads_14_0 ...]",
              "1: [allreduce.c_d1.bias, allreduce.c_d1.weight ...]", "0: [broadcast.bool.sz]", "2026-01-15 22:44:33 UTC master.0 -- [1,1]<stderr>:0: [HorovodAllreduce_grad_0, HorovodAllreduce_grad_1 ...]" },
  ignore  = { "Stalled ops: HorovodAllreduce_grad_0 [missing ranks: 3]", "0: [INFO] broadcast done" },
}
signature {
  id      = "horovod.stalled",
  stream  = "app",
  needles = { "waiting for remainder of ranks", "missing ranks:", "[ready ranks:" },
  pattern = [=[were submitted to be reduced, gathered or broadcasted by subset of ranks(?:.*?\[ready ranks: ?(?<ready>\d[\d, ]*)\])?|\[missing ranks: ?(?<ranks>\d[\d, ]*)\]|^(?:Stalled ops: ?)?\S+ \[ready ranks: ?(?<ready>\d[\d, ]*)\]]=],
  fields  = { ranks = "text", ready = "text" },
  match   = { "One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for remainder of ranks for more than 60 seconds.", "HorovodAllreduce_grad_0 [missing ranks: 1, 3]", "allreduce.conv1.weight [ready ranks: 5, 1, 4]", "Stalled ops: HorovodBroadcast_w_0 [ready ranks: 2, 0]" },
  ignore  = { "missing ranks: {3, 5}" },
}
signature {
  id      = "sglang.watchdog",
  stream  = "app",
  needles = { "Watchdog timeout (" },
  pattern = [[Watchdog timeout \((?:self\.)?watchdog_(?:last_forward_ct|timeout)=]],
  fields  = {},
  match   = { "Watchdog timeout (self.watchdog_last_forward_ct=120, self.cur_batch=None)", "[2025-06-26 07:25:31 DP4 TP4] Watchdog timeout (self.watchdog_timeout=300)" },
  ignore  = { "Watchdog timeout (600 s)" },
}
signature {
  id      = "ray.memory_monitor",
  stream  = "app",
  needles = { "killed due to memory pressure", "killed due to the node running low on memory", "Ray killed this worker" },
  pattern = [[(?:(?<n>[1-9]\d*) Workers \(tasks / actors\) killed due to memory pressure|(?:Task|Actor|Worker)s? (?:was|were) killed due to the node running low on memory|which exceeds the memory usage threshold of (?<threshold>[\d.]+)\. Ray killed this worker)]],
  fields  = { n = "int", threshold = "float" },
  match   = { "1 Workers (tasks / actors) killed due to memory pressure (OOM), 0 Workers crashed due to other reasons at node (ID: 7c11, IP: 10.4.0.9) over the last time period.",
              "ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory." },
  ignore  = { "0 Workers (tasks / actors) killed due to memory pressure (OOM), 1 Workers crashed due to other reasons" },
  tells   = "Ray's memory monitor kills a worker",
}
signature {
  id      = "ray.worker_died",
  stream  = "app",
  needles = { "worker process has died", "worker died or was killed", "Worker unexpectedly exits" },
  pattern = [[(?:its worker process has died|A worker died or was killed while executing a task|Worker unexpectedly exits)(?:.*?Worker IP address: (?<node>[0-9a-fA-F.:]+)\b)?(?:.*?Worker PID: (?<pid>\d+))?]],
  fields  = { node = "host", pid = "pid" },
  fold    = { "node", "pid" },
  match   = { "The actor is dead because its worker process has died. Worker exit type: SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits with a connection error code 2. End of file." },
  ignore  = { "worker died out" },
}
correlate {
  id    = "app.other_frameworks",
  group = "job",
  uses  = { "horovod.missing", "horovod.stalled", "sglang.watchdog", "ray.worker_died", "ray.memory_monitor" },
  reach = { "app.good_end" },
  judge = function(case)
    local on, found = case.signals, {}
    if #on["app.good_end"] > 0 then return {} end
    local stalled = on["horovod.stalled"]
    if #stalled > 0 then
      local ranks, seen = {}, {}
      for _, s in ipairs(on["horovod.missing"]) do
        if not seen[s.fields.missing] then
          seen[s.fields.missing] = true
          ranks[#ranks + 1] = s.fields.missing
        end
      end
      -- before 0.14 it names who is there: who is not, up to the highest that is
      local ready, most = {}, -1
      for _, s in ipairs(stalled) do
        for _, r in ipairs(numbers(s.fields.ready or "")) do
          ready[r] = true
          most = math.max(most, r)
        end
      end
      for r = 0, most do
        if not ready[r] and not seen[r] and #ranks < 64 then
          seen[r] = true
          ranks[#ranks + 1] = r
        end
      end
      for _, s in ipairs(stalled) do
        for _, r in ipairs(numbers(s.fields.ranks or "")) do
          if not seen[r] then
            seen[r] = true
            ranks[#ranks + 1] = r
          end
        end
      end
      table.sort(ranks)
      found[#found + 1] = { cause = "comm.missing_rank", confidence = "likely", scope = "job", ranks = ranks, rank = ranks[1], evidence = join(stalled, on["horovod.missing"]),
        confidence_why = #ranks == 0 and "Horovod's stall inspector says that some did not submit the tensors" or "Horovod's stall inspector names who did not submit the tensors",
        summary = "Some ranks wait for tensors that " .. (#ranks == 0 and "others" or (#ranks == 1 and "rank " or "ranks ") .. table.concat(ranks, ", ")) .. " did not submit" }
    end
    if #on["sglang.watchdog"] > 0 then
      found[#found + 1] = { cause = "comm.deadlock_suspected", confidence = "possible", scope = "job", evidence = on["sglang.watchdog"], ranks = {},
        confidence_why = "the server's watchdog saw no forward pass; where it stood is in the stacks", summary = "SGLang's watchdog saw no progress and ended the server" }
    end
    if #on["ray.memory_monitor"] > 0 then
      found[#found + 1] = { cause = "app.killed", confidence = "likely", scope = "job", evidence = on["ray.memory_monitor"], symptoms = on["ray.worker_died"], ranks = {},
        confidence_why = "Ray says that its own memory monitor ended the worker; the node was nearly out of memory, the kernel did not kill",
        summary = "Ray's memory monitor killed a worker because its node ran low on memory" }
    elseif #on["ray.worker_died"] > 0 then
      found[#found + 1] = { cause = "app.killed", confidence = "possible", scope = "job", evidence = on["ray.worker_died"], ranks = {},
        confidence_why = "Ray saw the process go and does not know why", summary = "A Ray worker process died without saying why" }
    end
    return found
  end,
}
