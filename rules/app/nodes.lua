-- A node that its launcher lost: the daemon there answers no more. Why is not in the launcher's words: the machine may have crashed, may have
-- been taken away, or the network between may be gone, so this is never more than possible, and what those machines say comes first.
-- Sources: Open MPI orte/prte help-errmgr texts; Ray gcs_health_check_manager and actor death causes; MPICH hydra.
signature {
  id      = "mpi.lost_daemon",
  stream  = { "app", "slurm" },
  needles = { "Remote daemon: [", "ORTE has lost communication", "PRTE has lost communication" },
  pattern = [[^\s*Remote daemon: \[\S+\](?: on node (?<node>[\w.-]+))?|(?:ORTE|PRTE) has lost communication with a remote daemon]],
  fields  = { node = "text" },
  match   = { "ORTE has lost communication with a remote daemon.", "  Remote daemon: [[35531,0],3] on node gpu04" },
  ignore  = { "  HNP daemon   : [[35531,0],0] on node gpu01" },
  tells   = "mpirun lost its daemon on {node}",
}
signature {
  id      = "mpi.no_daemon",
  stream  = { "app", "slurm" },
  needles = { "unable to reliably start one or more daemons", "daemon has unexpectedly failed after launch", "daemon failed to launch" },
  pattern = [[(?:ORTE|PRTE|PRRTE) was unable to reliably start one or more daemons|An? (?:ORTE|PRTE|PRRTE) daemon has unexpectedly failed after launch]],
  fields  = {},
  match   = { "ORTE was unable to reliably start one or more daemons.", "An ORTE daemon has unexpectedly failed after launch and before" },
  ignore  = { "ORTE has lost communication with a remote daemon." },
  tells   = "mpirun could not start its daemons",
}
signature {
  id      = "ray.node_dead",
  stream  = "any",
  needles = { "has been marked dead because the detector has missed too many heartbeats", "because its node has died" },
  pattern = [[The node with node id: (?<id>\w+) and (?:ip|address): (?<node>[\w.:-]+).*? has been marked dead|(?<actor>actor is dead because its node has died)\. Node Id: (?<id>\w+)]],
  fields  = { id = "text", node = "text", actor = "text" },
  fold    = { "id", "actor" },
  match   = { "The node with node id: 9d8f1ce0a1b5 and address: 10.1.140.199 and node name: 10.1.140.199 has been marked dead because the detector has missed too many heartbeats from it. This can happen when a",
              "The actor is dead because its node has died. Node Id: 9d8f1ce0a1b5" },
  ignore  = { "Exiting because this node manager has mistakenly been marked as dead by the GCS" },
  tells   = "Ray counts node {node} as dead",
}
-- The other side of it: the node's own daemon learns that it was counted as dead, and ends itself with all that ran there.
signature {
  id      = "ray.self_dead",
  stream  = "any",
  needles = { "mistakenly been marked as dead by the GCS", "mistakenly been marked dead by the", "This node has beem marked as dead", "This node has been marked as dead" },
  pattern = [[Exiting because this node manager has mistakenly been marked (?:as )?dead by the (?:GCS|monitor)|This node has bee[nm] marked as dead]],
  fields  = {},
  fold    = {},
  match   = { "[Timeout] Exiting because this node manager has mistakenly been marked as dead by the GCS: GCS failed to check the health of this node for 5 times.", "node_manager.cc:170: This node has beem marked as dead." },
  ignore  = { "If heartbeat keeps lagging, this node can be marked as dead mistakenly." },
  tells   = "a node's raylet was counted as dead and ends itself",
}
correlate {
  id    = "job.node_counted_dead",
  group = "job",
  uses  = { "ray.self_dead" },
  reach = { "app.good_end", "ray.node_dead" },
  judge = function(case)
    local on = case.signals
    if #on["app.good_end"] > 0 then return {} end
    local s = first(on["ray.self_dead"])
    return { { cause = "unknown", confidence = "certain", scope = s.host and "host" or "job", host = s.host, ranks = {}, evidence = join(on["ray.node_dead"], on["ray.self_dead"]),
      confidence_why = "the node was alive, and its heartbeats did not come through: overload, or the network between; neither is in these lines",
      summary = "Ray counted a living node as dead, and its raylet ended itself" } }
  end,
}
correlate {
  id    = "job.node_lost",
  group = "job",
  uses  = { "mpi.lost_daemon", "ray.node_dead" },
  reach = { "app.good_end", "app.traceback", "torch.watchdog_timeout", "ray.worker_died" },
  judge = function(case)
    local on, found = case.signals, {}
    if #on["app.good_end"] > 0 then return {} end
    local mpi, ray = on["mpi.lost_daemon"], on["ray.node_dead"]
    local actors = keep(ray, function(s) return s.fields.actor ~= nil end)
    -- an elastic cluster drops idle nodes all day: only a node with an actor of the job on it was needed
    local needed = #actors + #on["app.traceback"] + #on["torch.watchdog_timeout"] + #on["ray.worker_died"] > 0
    local function lost(list, who)
      local names = distinct(list, "node")
      found[#found + 1] = { cause = "net.peer_reset", confidence = "possible", scope = #names == 1 and "host" or "job", host = #names == 1 and names[1] or nil, ranks = {}, evidence = list,
        confidence_why = who .. " lost the node; whether it crashed, was taken away or was cut off is in that node's own logs",
        summary = string.format("%s lost node%s %s", who, #names == 1 and "" or "s", #names > 0 and table.concat(names, ", ") or "?"), facts = { nodes = table.concat(names, ",") } }
    end
    if #mpi > 0 then lost(mpi, "mpirun") end
    if #ray > 0 and needed then lost(ray, "Ray") end
    return found
  end,
}

-- Ray's head does not answer: its store of addresses, later its control service, on the port that was given, or, in old releases, on one of its own
-- choice. Each line is a try; what counts is who gave up before he did any work. Sources: Ray _private/utils.py, gcs_rpc_client.h, redis_context.cc.
signature {
  id      = "ray.head_unreachable",
  stream  = "any",
  needles = { "onnect to GCS at ", "onnect to Redis at ", "establish connection to redis " },
  pattern = [[(?:Failed to connect to GCS at address|[Uu]nable to connect to (?:GCS|Redis) at|(?<end>Could not establish connection to redis)) (?<head>[\w.-]+:\d+)]],
  fields  = { head = "text", ["end"] = "text" },
  fold    = { "head", "end" },
  match   = { "[2025-04-02 10:11:12,345 W 77 77] gcs_rpc_client.h:151: Failed to connect to GCS at address 10.5.0.2:6379 within 5 seconds.",
              "2023-04-02 10:11:12,345 WARNING utils.py:1242 -- Unable to connect to GCS at 10.5.0.2:6379. Check that (1) Ray GCS with matching version started successfully at the specified address",
              "F0402 10:11:12.345678 77 77 redis_context.cc:298] Could not establish connection to redis 10.5.0.2:14311 (context.err = 1)" },
  ignore  = { "Connected to GCS at 10.5.0.2:6379", "RedisClient connected." },
  tells   = "Ray's head at {head} does not answer",
}
signature {
  id      = "ray.joined",
  stream  = "any",
  needles = { "onnected to Ray cluster", "Ray runtime started" },
  pattern = [[Connected to Ray cluster|Ray runtime started]],
  fields  = {},
  match   = { "2025-04-02 10:11:30,002 INFO worker.py:1852 -- Connected to Ray cluster.", "2020-11-19 08:22:19,440 INFO scripts.py:640 -- Ray runtime started." },
  ignore  = { "Connecting to existing Ray cluster at address: 10.5.0.2:6379..." },
}
correlate {
  id    = "ray.head_unreachable.told",
  group = "job",
  uses  = { "ray.head_unreachable" },
  reach = { "ray.joined", "app.traceback", "app.last_words", "app.progress", "app.good_end" },
  judge = function(case)
    local on = case.signals
    -- who joined later had come before his head was up; who had joined before lost it, and why is in the head's logs
    local tries = keep(on["ray.head_unreachable"], function(t)
      return #keep(on["ray.joined"], function(j) return j.member == t.member end) == 0
    end)
    if #tries == 0 or #on["app.good_end"] + #on["app.progress"] > 0 then return {} end
    local s = last(tries)
    local function follows(o) return o.member == s.member and o.line >= s.line and o.line <= s.line + 60 end
    local said = keep(on["app.traceback"], function(t) return follows(t) and match((t.fields.type or "") .. ": " .. (t.fields.message or ""), [[(?i)connect|GCS|redis|timed? ?out]]) ~= nil end)
    local ended = join(said, keep(on["app.last_words"], function(w) return follows(w) and #on["app.traceback"] == 0 end))
    local count = 0
    for _, t in ipairs(tries) do count = count + (t.count or 1) end
    local gave_up = #ended > 0 or #keep(tries, function(t) return t.fields["end"] ~= nil end) > 0
    if not gave_up and count < 3 then return {} end
    return { { cause = "net.bootstrap_unreachable", severity = not gave_up and "warning" or nil, confidence = gave_up and "likely" or "possible", scope = "job", host = s.host, ranks = {}, evidence = tries, symptoms = ended,
      confidence_why = gave_up and "Ray names the address that did not answer, and gave up" or "Ray tries again and again; that it gave up is not in the log",
      summary = string.format("Ray's head at %s cannot be reached", s.fields.head), facts = { head = s.fields.head } } }
  end,
}

-- How launchers reach the nodes: mpirun, pdsh and Horovod log in by ssh, and what ssh says is the reason. A line alone may be a node that was
-- not up yet: it counts where the launcher gave up, and no work was done. Sources: OpenSSH sshconnect.c, ssh.c, sshconnect2.c; pdsh.
signature {
  id      = "ssh.refused",
  stream  = { "app", "slurm" },
  needles = { "Host key verification failed", "Permission denied (", "ssh: connect to host ", "ssh: Could not resolve hostname " },
  pattern = [[^(?:pdsh@\S+: )?(?:(?:(?<node>[\w.-]+): )?(?<key>Host key verification failed)\.|(?:[\w.-]+: )?[\w.-]+@(?<node>[\w.-]+): (?<login>Permission denied) \([a-z][\w,-]+\)\.|ssh: connect to host (?<node>\S+) port \d+: (?<text>\S.*?)|ssh: (?<text>Could not resolve hostname) (?<node>[^\s:]+):.*)\s*$]],
  fields  = { node = "text", key = "text", login = "text", text = "text" },
  fold    = { "node", "key", "login", "text" },
  match   = { "Host key verification failed.", "root@gx-w1: Permission denied (publickey,password).", "ssh: connect to host gx-w1 port 22: Connection refused",
              "ssh: Could not resolve hostname gx-w1.gx: Name or service not known", "gx-w1: Host key verification failed." },
  ignore  = { "Permission denied (13)", "OSError: Permission denied (publickey)", "Warning: Permanently added 'gx-w1' (ED25519) to the list of known hosts." },
  tells   = "ssh to {node} fails: {key}{login}{text}",
}
signature {
  id      = "pdsh.gave_up",
  stream  = { "app", "slurm" },
  needles = { "ssh exited with exit code 255" },
  pattern = [[^pdsh@\S+: (?<node>[\w.-]+): ssh exited with exit code 255]],
  fields  = { node = "text" },
  fold    = { "node" },
  match   = { "pdsh@gx-h0: gx-w1: ssh exited with exit code 255" },
  ignore  = { "pdsh@gx-h0: gx-w1: ssh exited with exit code 1" },
}
correlate {
  id    = "job.no_daemon",
  group = "job",
  uses  = { "mpi.no_daemon", "pdsh.gave_up" },
  reach = { "ssh.refused", "app.progress", "app.good_end" },
  judge = function(case)
    local on = case.signals
    local said, why = join(on["mpi.no_daemon"], on["pdsh.gave_up"]), on["ssh.refused"]
    -- 255 is also what ssh leaves behind when a connection that was made is cut
    if #on["mpi.no_daemon"] == 0 and (#why == 0 or #on["app.progress"] > 0) then return {} end
    if #on["app.good_end"] > 0 then return {} end
    local names = distinct(#why > 0 and join(why, on["pdsh.gave_up"]) or {}, "node")
    local f = #why > 0 and first(why).fields
    return { { cause = "net.bootstrap_unreachable", confidence = f and "likely" or "possible", scope = #names == 1 and "host" or "job", host = #names == 1 and names[1] or nil, ranks = {},
      evidence = join(why, said),
      confidence_why = f and "the launcher reaches its nodes by ssh, and ssh says why it could not" or
        "mpirun could not start its daemons: a node that does not answer, a library that is missing there, or no way back to the head node",
      summary = f and string.format("The launcher could not log in%s%s by ssh: %s", #names > 0 and " to " or "", table.concat(names, ", "), f.key or f.login or f.text) or "mpirun could not start its daemons on the nodes" } }
  end,
}

-- Ray has no place for the workers: the cluster that the driver found has fewer GPUs than were asked for. Of those that wait for machines to come,
-- only what gave up counts. Sources: ray/train placement groups, verl ResourcePoolManager, vLLM ray_utils.py.
signature {
  id      = "ray.too_few_gpus",
  stream  = "app",
  needles = { "Placement group creation timed out", "is less than total desired GPUs", "exceeds the total number of available GPUs in the placement group" },
  pattern = [=[Placement group creation timed out\..*resources available: \{(?<there>[^{}]*)\}, resources requested by the placement group: \[(?<asked>[^\[\]]*)\]|Total available GPUs (?<have>\d+)(?:\.\d+)? is less than total desired GPUs (?<want>\d+)|number of required \w* ?GPUs exceeds the total number of available \w* ?GPUs in the placement group]=],
  fields  = { there = "text", asked = "text", have = "int", want = "int" },
  fold    = { "have", "want", "asked" },
  match   = { "TimeoutError: Placement group creation timed out. Make sure your cluster has enough resources. Current resources available: {'CPU': 8.0, 'GPU': 2.0}, resources requested by the placement group: [{'GPU': 1.0}, {'GPU': 2.0}]",
              "ValueError: Total available GPUs 2 is less than total desired GPUs 16", "ValueError: The number of required GPUs exceeds the total number of available GPUs in the placement group." },
  ignore  = { "Total available GPUs: 16", "Placement group has started." },
  tells   = "Ray has fewer GPUs than were asked for",
}
-- The GPUs in what Ray prints of resources: "'GPU': 4.0" for each bundle.
local function gpus_in(text)
  local sum = 0
  for i, part in ipairs(string.split(text or "", "'GPU': ")) do
    if i > 1 then sum = sum + (tonumber(match(part, [[^\d+]]) or "") or 0) end
  end
  return sum
end
correlate {
  id    = "gpu.missing.ray",
  group = "job",
  uses  = { "ray.too_few_gpus" },
  reach = { "app.progress", "app.good_end", "app.traceback" },
  judge = function(case)
    local on, short = case.signals, {}
    for _, s in ipairs(on["ray.too_few_gpus"]) do
      local f = s.fields
      local have, want = f.have, f.want
      if f.asked then have, want = gpus_in(f.there), gpus_in(f.asked) end
      if not have or have < want then short[#short + 1] = { s = s, have = have, want = want } end
    end
    if #short == 0 then return {} end
    local one, said = short[1], {}
    for _, x in ipairs(short) do said[#said + 1] = x.s end
    -- asked again later, with more machines
    local ran = #on["app.good_end"] > 0 or #keep(on["app.progress"], function(p) return p.member == one.s.member and p.line > one.s.line end) > 0
    return { { cause = "gpu.missing", severity = ran and "note" or "error", confidence = "likely", scope = "job", ranks = {}, evidence = said,
      symptoms = keep(on["app.traceback"], function(t) return match((t.fields.type or "") .. ": " .. (t.fields.message or ""), [[Placement group creation timed out|total desired GPUs|GPUs in the placement group]]) ~= nil end),
      confidence_why = "Ray's own count; whether a machine did not join or too many were asked for, the head's log says",
      summary = one.have and string.format("%d GPUs were asked for, and the Ray cluster has %d free", one.want, one.have) or "More GPUs were asked for than the Ray cluster has",
      facts = { have = one.have, want = one.want } } }
  end,
}
