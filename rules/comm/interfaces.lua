-- Which network interface each process took for its bootstrap. A bridge of containers or the loopback cannot be reached from another
-- host; ranks on different subnets may not reach each other. One host needs no network at all, so a single host is never accused.
-- Sources: NCCL src/bootstrap.cc, src/misc/socket.cc (order of choice); torch ProcessGroupGloo.cpp; Docker, libvirt and CNI names.
signature {
  id      = "nccl.bootstrap_using",
  stream  = { "nccl", "app" },
  needles = { "Bootstrap : Using", "Bootstrap: Using" },
  pattern = [[NCCL INFO Bootstrap ?: Using ?(?:\[\d+\])?(?<interface>[^\s:]+):(?<address>\[?[0-9a-fA-F.:]+\]?)(?:%[\w.-]+)?<]],
  fields  = { interface = "text", address = "text" },
  match   = { "NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>", "NCCL INFO Bootstrap: Using [0]ens3f0:10.21.4.31<0>", "NCCL INFO Bootstrap : Using ib3:fe80::1a2b:c03:d4:e5f6%ib3<0>" },
  ignore  = { "NCCL INFO NET/Socket : Using [0]eth0:10.61.7.33<0>" },
  tells   = "bootstrap goes over {interface}",
}
-- Up to 2.3 there is no line of the bootstrap: every interface found is listed, and the first of a process is the one that it offers.
signature {
  id      = "nccl.net_interface",
  stream  = { "nccl", "app" },
  needles = { "NET : Using interface " },
  pattern = [[INFO NET : Using interface (?<interface>[^\s:]+):(?<address>\[?[0-9a-fA-F.:]+\]?)(?:%[\w.-]+)?<]],
  fields  = { interface = "text", address = "text" },
  match   = { "NCCL INFO NET : Using interface ib2:10.44.9.3<0>", "INFO NET : Using interface enp3s0:10.7.7.8<0>" },
  ignore  = { "NCCL INFO NET/IB : Using interface ib2 for sideband communication" },
  tells   = "the sockets may go over {interface}",
}
signature {
  id      = "gloo.loopback_fallback",
  stream  = "app",
  needles = { "Using the loopback address as fallback" },
  pattern = [[Unable to resolve hostname to a \(local\) address\. Using the loopback address as fallback]],
  fields  = {},
  match   = { "Warning: Unable to resolve hostname to a (local) address. Using the loopback address as fallback. Manually set the network interface to bind to with GLOO_SOCKET_IFNAME. (function operator())" },
  ignore  = { "Using the loopback address as fallback" },
}
signature {
  id      = "gloo.no_address",
  stream  = "app",
  needles = { "Unable to find address for" },
  pattern = [[Unable to find address for: (?<interface>\S+)]],
  fields  = { interface = "text" },
  match   = { "RuntimeError: [enforce fail at gloo/transport/tcp/device.cc:83] . Unable to find address for: eth7" },
  ignore  = { "Unable to find address" },
  says    = { cause = "net.no_interface", confidence = "certain", scope = "job", summary = "Gloo finds no address for the interface {interface}: GLOO_SOCKET_IFNAME names one that is not there" },
}
-- The name of the host was resolved to an address that none of its interfaces has. Source: gloo transport/tcp/device.cc.
signature {
  id      = "gloo.no_local_address",
  stream  = "app",
  needles = { "Unable to find interface for" },
  pattern = [=[Unable to find interface for: \[(?<address>[0-9a-fA-F.:]+)\]]=],
  fields  = { address = "text" },
  match   = { "[enforce fail at gloo/transport/tcp/device.cc:84] ifa != nullptr. Unable to find interface for: [0.0.7.11]" },
  ignore  = { "Unable to find interface for: eth7" },
  says    = { cause = "net.no_interface", confidence = "likely", scope = "job", summary = "Gloo finds no interface with the address {address}: the host's own name resolves to one that it does not have" },
}
signature {
  id      = "gloo.connect_failed",
  stream  = "app",
  needles = { "connectFullMesh failed", "SO_ERROR: ", "] connect [" },
  pattern = [[connectFullMesh failed(?:.*remote=\[(?<remote>[0-9a-fA-F.:]+)\]:(?<port>\d+))?|SO_ERROR: .*remote=\[(?<remote>[0-9a-fA-F.:]+)\]:(?<port>\d+)|gloo/transport/tcp/pair\.(?:cc|h):\d+\] connect \[(?<remote>[0-9a-fA-F.:]+)\]:(?<port>\d+): (?:Connection (?:refused|timed out)|No route)]],
  fields  = { remote = "text", port = "int" },
  match   = { "Gloo connectFullMesh failed with [../third_party/gloo/gloo/transport/tcp/pair.cc:144] timed out connecting: SO_ERROR: Connection refused, remote=[127.0.0.1]:14215",
              "Gloo connectFullMesh failed with [../third_party/gloo/gloo/transport/tcp/pair.cc:144] no error",
              "RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:799] connect [10.31.71.170]:13195: Connection refused" },
  ignore  = { "Gloo connectFullMesh ok", "[../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.2.0.4]:38032" },
}

local VIRTUAL = [[^(?:docker\d*|br-[0-9a-f]+|virbr\d*|cni\d*|flannel|cilium|veth|vxlan|kube-|cali|lxc|lxdbr|podman|tunl)]]

signature {
  id      = "nccl.virtual_listed",
  stream  = { "nccl", "app" },
  needles = { "]veth", "]docker", "]br-", "]virbr", "]cni", "]flannel", "]cali", "]vxlan", "]tunl", "]ip6tnl", "]lxc" },
  pattern = [[NCCL INFO (?:Bootstrap ?|NET/Socket ?): ?Using.*\[\d+\](?<interface>(?:veth|docker|br-|virbr|cni|flannel|cali|vxlan|tunl|ip6tnl|lxc)[\w.-]*):]],
  fields  = { interface = "text" },
  match   = { "NCCL INFO Bootstrap : Using [0]eno1:172.28.40.41<0> [1]veth25f2e72:fe80::380d:bfff:fe5b:54d2%veth25f2e72<0>" },
  ignore  = { "NCCL INFO Bootstrap : Using [0]eno1:172.28.40.41<0>" },
}
-- A final failure to reach an address that no other host has: link-local, loopback, or Docker's bridge.
correlate {
  id    = "net.wrong_interface.unroutable",
  group = "job",
  uses  = { "nccl.warn" },
  reach = { "nccl.virtual_listed", "nccl.bootstrap_using", "nccl.connect_retry", "app.good_end" },
  judge = function(case)
    local on = case.signals
    local gave_up = keep(on["nccl.warn"], function(s)
      return match(s.fields.text, [=[[Cc]onnect(?:ing)?(?:ion)? to (?:address )?(?:fe80:|169\.254\.|127\.|::1[<\]]|172\.17\.).*(?:refused|timed out|No route|unreachable|connection abort|exceeded)]=]) ~= nil
    end)
    -- a rank that took such an interface says so itself, and is the one to name
    local took = keep(on["nccl.bootstrap_using"], function(u) return match(u.fields.interface, VIRTUAL) ~= nil or u.fields.interface == "lo" end)
    if #gave_up == 0 or #took > 0 or #on["app.good_end"] > 0 then return {} end
    local s = first(gave_up)
    local address = match(s.fields.text, [[[Cc]onnect(?:ing)?(?:ion)? to (?:address )?([^<\s]+)]])
    local listed = keep(on["nccl.virtual_listed"], function(l) return l.host == nil or s.host == nil or l.host == s.host end)
    local tried = keep(on["nccl.connect_retry"], function(r) return r.member == s.member and r.line < s.line end)
    -- whoever offers that address said so when it chose its interface
    local offered = keep(on["nccl.bootstrap_using"], function(u) return u.fields.address == address end)
    return { { cause = "net.wrong_interface", confidence = "likely", scope = "job", host = s.host, rank = s.rank, ranks = s.rank and { s.rank } or nil,
      evidence = join(offered, listed, gave_up), symptoms = tried,
      confidence_why = "a peer offers an address that is valid on its own host only",
      summary = string.format("NCCL tried to reach a peer at %s, which no other host has%s", address or "?",
        #listed > 0 and ": virtual interface " .. first(listed).fields.interface .. " is among those it may use" or ""),
      facts = { address = address, interface = #listed > 0 and first(listed).fields.interface or nil } } }
  end,
}


-- The first three numbers of an IPv4 address: two nodes of one network hardly ever differ in all of them.
local function net_of(address) return match(address or "", [[^(\d+\.\d+)\.]]) end

-- What an old release listed first on each host, where it does not tell its bootstrap.
local function first_listed(on)
  local found = {}
  if #on["nccl.bootstrap_using"] > 0 then return found end
  for _, listed in ipairs(group_by(on["nccl.net_interface"], function(s) return s.host or s.member end)) do found[#found + 1] = first(listed) end
  return found
end

correlate {
  id    = "net.wrong_interface",
  group = "job",
  uses  = { "nccl.bootstrap_using", "nccl.net_interface" },
  reach = { "nccl.warn", "app.nccl_error", "torch.watchdog_timeout", "nccl.init_start", "nccl.init_complete", "app.progress", "app.good_end", "nccl.comm_size", "slurm.cancelled" },
  judge = function(case)
    local on = case.signals
    local used = join(on["nccl.bootstrap_using"], first_listed(on))
    local hosts = distinct(used, "host")
    local several = #hosts > 1
    for _, s in ipairs(on["nccl.comm_size"]) do
      if s.fields.nodes > 1 then several = true end
    end
    if not several then return {} end
    local odd = keep(used, function(s) return match(s.fields.interface, VIRTUAL) or s.fields.interface == "lo" end)
    -- an address that every link has of its own: beside hosts that offer another kind, nobody reaches it
    local function is_link_local(s) return match(s.fields.address, [=[^\[?(?:fe80:|169\.254\.)]=]) ~= nil end
    if #odd == 0 and #keep(used, function(s) return not is_link_local(s) end) > 0 then odd = keep(used, is_link_local) end
    local nets = distinct(used, function(s) return net_of(s.fields.address) end)
    local split = {}
    if #odd == 0 and #nets > 1 then
      -- the interface of the smaller group is the odd one, if its name differs too
      local names = distinct(used, function(s) return s.fields.interface end)
      if #names > 1 then
        local count = {}
        for _, s in ipairs(used) do count[s.fields.interface] = (count[s.fields.interface] or 0) + 1 end
        local fewest
        for _, name in ipairs(names) do
          if not fewest or count[name] < count[fewest] then fewest = name end
        end
        split = keep(used, function(s) return s.fields.interface == fewest end)
      end
    end
    local bad = #odd > 0 and odd or split
    if #bad == 0 then return {} end
    local failed = #on["nccl.warn"] + #on["app.nccl_error"] + #on["torch.watchdog_timeout"] > 0
    local joined = #on["nccl.init_complete"] > 0 and #on["nccl.init_complete"] >= #on["nccl.init_start"]
    local fine = not failed and (joined or #on["app.good_end"] > 0 or #on["app.progress"] > 0)
    local s = first(bad)
    local others = distinct(keep(used, function(u) return u.fields.interface ~= s.fields.interface end), function(u) return u.fields.interface end)
    return { { cause = "net.wrong_interface", severity = (fine or joined) and "note" or nil, confidence = (failed or not joined) and #odd > 0 and "likely" or "possible", scope = "host",
      host = s.host, evidence = bad, ranks = s.rank and { s.rank } or nil,
      -- a job that stood in its set-up until its time was over
      symptoms = not joined and not fine and #on["app.progress"] == 0 and keep(on["slurm.cancelled"], function(c) return c.fields.reason == "TIME LIMIT" end) or {},
      confidence_why = #odd > 0 and (is_link_local(odd[1]) and "several hosts, and an address of one link alone" or "several hosts, and a virtual interface that other hosts cannot reach") or "hosts use interfaces of different networks",
      summary = string.format("%s uses %s (%s) for the bootstrap%s", s.host or "a rank", s.fields.interface, s.fields.address,
        #others > 0 and ", others use " .. table.concat(others, ", ") or "") } }
  end,
}

correlate {
  id    = "net.wrong_interface.gloo",
  group = "job",
  uses  = { "gloo.loopback_fallback" },
  reach = { "gloo.connect_failed", "app.traceback" },
  judge = function(case)
    local on = case.signals
    local fell = on["gloo.loopback_fallback"]
    local refused = keep(on["gloo.connect_failed"], function(s) return s.fields.remote == nil or match(s.fields.remote, [[^(?:127\.|::1)]]) end)
    local hurt = keep(on["app.traceback"], function(s) return match(s.fields.message or "", [=[127\.0\.0\.1|\[::1\]]=]) end)
    local s = first(fell)
    if #refused + #hurt == 0 then
      return { { cause = "net.wrong_interface", severity = "note", confidence = "possible", evidence = fell, scope = "job",
        confidence_why = "one host alone works over the loopback", summary = "Gloo found no address for its host name and fell back to the loopback" } }
    end
    local named = #hurt + #keep(refused, function(r) return r.fields.remote ~= nil end) > 0
    return { { cause = "net.wrong_interface", confidence = named and "certain" or "likely", scope = "job", host = s.host, rank = s.rank, ranks = s.rank and { s.rank } or nil,
      evidence = fell, symptoms = join(refused, hurt),
      confidence_why = named and "a rank offers 127.0.0.1 to ranks of other hosts, and connects to that address are refused"
        or "a rank fell back to the loopback address, and Gloo could not connect its ranks",
      summary = "Gloo fell back to the loopback address, which no other host can reach: the host name does not resolve and GLOO_SOCKET_IFNAME is not set" } }
  end,
}

correlate {
  id    = "gloo.unreachable",
  group = "job",
  uses  = { "gloo.connect_failed" },
  judge = function(case)
    local all = keep(case.signals["gloo.connect_failed"], function(s) return s.fields.remote ~= nil end)
    if #all == 0 then return {} end
    local loopback = keep(all, function(s) return match(s.fields.remote, [[^(?:127\.|::1)]]) ~= nil end)
    local f = first(all).fields
    -- no rank can be reached at the loopback address from another host: a host name that resolves to it
    if #loopback > 0 then
      return { { cause = "net.wrong_interface", confidence = "likely", scope = "job", evidence = loopback,
        confidence_why = "a peer offers its loopback address; ranks of one host alone would have reached it",
        summary = string.format("Gloo was told to reach a peer at %s: the peer's host name resolves to its loopback address", first(loopback).fields.remote) } }
    end
    return { { cause = "net.bootstrap_unreachable", confidence = "likely", scope = "job", evidence = all,
      confidence_why = "Gloo names the address that it could not reach",
      summary = string.format("Gloo could not connect its ranks: %s:%d does not answer", f.remote, f.port) } }
  end,
}

-- One failed connect is retried and means nothing; with a final failure in the same process it is where the trouble began.
signature {
  id      = "nccl.connect_retry",
  stream  = { "nccl", "app" },
  needles = { "Call to connect returned", "connect returned", "after sleep for" },
  pattern = [[NCCL INFO (?:Call to |\w+: )?connect(?:ion to \S+)? (?:returned|failed).*?(?<text>Connection refused|Connection timed out|No route to host|Network is unreachable)]],
  fields  = { text = "text" },
  fold    = { "text" },
  match   = { "NCCL INFO Call to connect returned Connection refused, retrying" },
  ignore  = { "NCCL INFO Call to connect returned Operation now in progress, retrying" },
}
correlate {
  id    = "net.bootstrap_unreachable.retries",
  group = "job",
  uses  = { "nccl.connect_retry" },
  reach = { "nccl.warn", "app.good_end" },
  judge = function(case)
    local on = case.signals
    local gave_up = keep(on["nccl.warn"], function(s) return match(s.fields.text, [[Connection refused|Connection timed out|No route to host|exceeded (?:retries|timeouts|error retry count)]]) end)
    if #gave_up == 0 or #on["app.good_end"] > 0 then return {} end
    local began = keep(on["nccl.connect_retry"], function(r)
      return #keep(gave_up, function(w) return w.member == r.member and w.line > r.line end) > 0
    end)
    if #began == 0 then return {} end
    local address = match(first(gave_up).fields.text, [[(?:[Cc]onnect(?:ing)? to |peer )(?:address )?(\S+?<\d+>)]])
    local s = first(began)
    return { { cause = "net.bootstrap_unreachable", confidence = "likely", scope = "job", host = s.host, rank = s.rank, ranks = s.rank and { s.rank } or nil, evidence = join(began, gave_up),
      confidence_why = "NCCL tried again and again and gave up",
      summary = string.format("NCCL could not connect%s: %s", address and " to " .. address or "", s.fields.text) } }
  end,
}

-- systemd removes a user's shared memory when his last session ends (RemoveIPC): segments of NCCL vanish under a running job.
signature {
  id      = "logind.session_removed",
  stream  = { "host", "kernel", "app", "slurm" },
  needles = { "Removed session", "Stopped User Manager for UID" },
  pattern = [[(?:^|systemd-logind.*: )Removed session (?<session>\S+?)\.?$|Stopped User Manager for UID (?<uid>\d+)]],
  fields  = { session = "text", uid = "int" },
  match   = { "Removed session 412.", "Stopped User Manager for UID 1044." },
  ignore  = { "Started Session 412 of User u1044." },
}
correlate {
  id    = "comm.init_failed.segments_removed",
  group = "job",
  uses  = { "nccl.warn" },
  reach = { "logind.session_removed" },
  judge = function(case)
    local on = case.signals
    local gone = keep(on["nccl.warn"], function(s) return match(s.fields.text, [[(?:/dev/shm/nccl-|shared memory).*No such file or directory]]) end)
    local s = first(gone)
    local left = keep(on["logind.session_removed"], function(r) return s and (r.host == nil or s.host == nil or r.host == s.host) end)
    if #gone == 0 or #left == 0 then return {} end
    return { { cause = "comm.init_failed", confidence = "likely", scope = "host", host = s.host, rank = s.rank, ranks = s.rank and { s.rank } or nil, evidence = { first(left) }, symptoms = gone,
      confidence_why = "a session of a user ended, and shared memory of NCCL was gone",
      summary = "Shared memory of NCCL vanished while it was in use: systemd removes it when the user's last session ends (RemoveIPC=yes)" } }
  end,
}
