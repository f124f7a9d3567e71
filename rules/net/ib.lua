-- RDMA ports: the driver's own words about links, modules and firmware, and what the tools say of ports. A link that goes down once
-- at start or shutdown is everyday; so are ports that nobody plugged in. Refused register reads of management functions are noise.
-- Amazon's EFA has no port that goes down: its driver gives the card up when a command stays unanswered, and refuses all that follow.
-- Sources: kernel drivers/net/ethernet/mellanox/mlx5 (events.c, health.c, en_main.c), bnxt_en, hfi1, drivers/infiniband/hw/efa (efa_com.c); rdma-core; iproute2 rdma.
local FLAP, BRIEF, NEAR = minutes(60), seconds(10), minutes(10)

signature {
  id      = "kernel.link_change",
  stream  = "kernel",
  needles = { "Link down", "Link up", "Link is Down", "Link is Up", "link down", "link status definitely down", "logical state changed to PORT_" },
  pattern = [[^(?:(?<driver>mlx[45]_core|bnxt_en|irdma|ice|hfi1|qede|hns3) (?<device>[0-9a-fA-F:.]+)(?: (?<port>[\w.@-]+))?: (?:NIC )?(?:Link (?:is )?(?<state>[Dd]own|[Uu]p)|physical link (?<state>down|up))|hfi1 (?<device>[0-9a-fA-F:.]+): (?<port>hfi1_\d+): logical state changed to PORT_(?<state>DOWN|ACTIVE)|(?<port>bond\w*): \(slave (?<slave>\S+)\): link status definitely (?<state>down|up))]],
  fields  = { driver = "text", device = "text", port = "text", slave = "text", state = "text" },
  match   = { "mlx5_core 0107:00:00.0 ib7: Link down", "mlx5_core 0000:01:00.0 enp1s0f0np0: Link up", "mlx5_core 0000:01:00.0 enp1s0f0np0: NIC Link is Down",
              "bond0: (slave ens3f0np0): link status definitely down, disabling slave" },
  ignore  = { "e1000e: enp3s0 NIC Link is Down", "IPv6: ADDRCONF(NETDEV_UP): eth0: link is not ready" },
  tells   = "port {port} of {device}: link {state}",
}
signature {
  id      = "kernel.module_event",
  stream  = "kernel",
  needles = { "Port module event" },
  pattern = [=[^mlx5_core (?<device>[0-9a-fA-F:.]+)(?: \S+)?: (?:\w+:\d+:\(pid \d+\): )?Port module event(?<bad>\[error\])?: module (?<module>\d+), (?<text>.*)$]=],
  fields  = { device = "text", bad = "text", module = "int", text = "text" },
  match   = { "mlx5_core 0000:01:00.0: Port module event[error]: module 0, Cable error, High Temperature", "mlx5_core 0000:01:00.0: port_module:254:(pid 0): Port module event[error]: module 0, Cable error, Power budget exceeded",
              "mlx5_core 0000:4b:00.0: Port module event: module 0, Cable plugged" },
  ignore  = { "mlx5_core 0000:01:00.0 enp1s0f0np0: Link down" },
  tells   = "module {module} of {device}: {text}",
}
signature {
  id      = "kernel.card_lost",
  stream  = "kernel",
  needles = { "health compromised", "Fatal error ", "Health issue observed", "health recovery failed", "PCI reads still not working", "handling bad device here", "change power state from D3",
              "Wait for completion (polling) timeout", "The device didn't send any completion for admin cmd", "didn't receive any MSI-X interrupt for admin cmd", "Admin queue is closed",
              "Changing the admin queue running state" },
  pattern = [[^(?:mlx5_core (?<device>[0-9a-fA-F:.]+)(?: \S+)?: (?:\S+:\d+:\(pid \d+\): )?(?<text>device's health compromised.*|Fatal error \d+ detected|Health issue observed, .*|health recovery failed.*|health recovery flow aborted.*|handling bad device here.*|(?:can't|Unable to) change power state from D3\w+ to D0[ ,]+\(?(?:config space|device) inaccessible.*)|(?:efa (?<device>[0-9a-fA-F:.]+)(?: \S+)?|infiniband (?<device>efa_\d+)): (?<text>Wait for completion \(polling\) timeout|The device (?:didn't send any completion|sent a completion but the driver didn't receive any MSI-X interrupt) for admin cmd \w+|Admin queue is closed|comp_ctx is NULL\. Changing the admin queue running state).*)$]],
  fields  = { device = "text", text = "text" },
  match   = { "mlx5_core 0000:5e:00.0: poll_health:825:(pid 0): device's health compromised - reached miss count", "mlx5_core 0000:5e:00.0: poll_health:812:(pid 0): Fatal error 3 detected",
              "efa 0000:00:06.0 rdmap0s6: The device didn't send any completion for admin cmd CREATE_QP(1) status 0 (ctx 0x00000000c1a2b3d4, sq producer: 812, sq consumer: 811, cq consumer: 811)",
              "infiniband efa_0: Admin queue is closed" },
  ignore  = { "nvidia 0000:3b:00.0: Unable to change power state from D3cold to D0, device inaccessible",
              "mlx5_core 0000:05:00.0: mlx5_cmd_out_err:838:(pid 18360): ACCESS_REG(0x805) op_mod(0x1) failed, status bad operation(0x2), syndrome (0x9a6171), err(-22)",
              "efa 0000:00:06.0 rdmap0s6: Failed to process command CREATE_AH (opcode 5) comp_status 7 err -22" },
  tells   = "network card {device}: {text}",
}
-- The card's firmware does not answer a command. One command may be lost; many, or one in front of a lost card, are the card.
signature {
  id      = "kernel.mlx5_command",
  stream  = "kernel",
  needles = { "Will cause a leak of a command resource", "No done completion" },
  pattern = [[^mlx5_core (?<device>[0-9a-fA-F:.]+)(?: \S+)?: (?:\S+:\d+:\(pid \d+\): )?(?:cmd\[\d+\]: )?(?<command>[A-Z][A-Z0-9_]+)\(0x[0-9a-fA-F]+\) (?:timeout\. Will cause a leak|No done completion)]],
  fields  = { device = "text", command = "text" },
  match   = { "mlx5_core 0000:61:00.0: wait_func:1132:(pid 141181): CREATE_MKEY(0x200) timeout. Will cause a leak of a command resource",
              "mlx5_core 0000:61:00.0: wait_func_handle_exec_timeout:1104:(pid 141183): cmd[22]: CREATE_QP(0x500) No done completion" },
  ignore  = { "mlx5_core 0000:05:00.0: mlx5_cmd_out_err:838:(pid 18360): ACCESS_REG(0x805) op_mod(0x1) failed, status bad operation(0x2), syndrome (0x9a6171), err(-22)" },
  fold    = { "device" },
  tells   = "network card {device} does not answer a command ({command})",
}
-- Heat and power of the card itself. The warning about the slot's power comes at every start of a card that asks for more than the slot
-- offers, and then runs all the same.
signature {
  id      = "kernel.card_strained",
  stream  = "kernel",
  needles = { "High temperature on sensors", "Detected insufficient power on the PCIe slot", "Firmware over " },
  pattern = [[^mlx5_core (?<device>[0-9a-fA-F:.]+)(?: \S+)?: (?:\w+:\d+:\(pid \d+\): )?(?<text>High temperature on sensors|Detected insufficient power on the PCIe slot(?: \(\d+W\))?|(?<dead>Firmware over \d+ MS in (?:pre-)?initializing state, aborting))]],
  fields  = { device = "text", text = "text", dead = "text" },
  fold    = { "device", "text" },
  match   = { "mlx5_core 0000:5e:00.0: temp_warn:181:(pid 0): High temperature on sensors with bit set 0x0 0x1",
              "mlx5_core 0000:5e:00.0: mlx5_pcie_event:301:(pid 0): Detected insufficient power on the PCIe slot (25W).",
              "mlx5_core 0000:5e:00.0: mlx5_function_setup:1051:(pid 1): Firmware over 120000 MS in pre-initializing state, aborting" },
  ignore  = { "mlx5_core 0000:5e:00.0: mlx5_pcie_event:296:(pid 0): PCIe slot advertised sufficient power (75W).", "mlx5_core 0000:5e:00.0: wait_fw_init:199:(pid 1): Waiting for FW initialization, timeout abort in 100s" },
  tells   = "network card {device}: {text}",
}
signature {
  id      = "net.rdma_link",
  stream  = { "net", "host" },
  needles = { " physical_state " },
  pattern = [[^link (?<device>[\w-]+)/(?<port>\d+) (?:.*\blid (?<lid>\d+) )?(?:.*\bsm_lid (?<sm_lid>\d+) )?.*?state (?<state>[A-Z]+) physical_state (?<physical>[A-Z_]+)]],
  fields  = { device = "text", port = "int", lid = "int", sm_lid = "int", state = "text", physical = "text" },
  match   = { "link mlx5_7/1 subnet_prefix fe80:0000:0000:0000 lid 3403 sm_lid 1 lmc 0 state DOWN physical_state POLLING", "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens3f0np0" },
  ignore  = { "link/infiniband 00:00:10:29:fe:80 brd 00:ff:ff:ff:ff:12" },
}
signature {
  id      = "net.nccl_port_event",
  stream  = "nccl",
  needles = { "Got async " },
  pattern = [=[NCCL (?:WARN|INFO) NET/IB ?: (?:(?<device>\w+):(?:\d+) )?Got async (?:event ?:? ?|fatal event: |error event: )(?<text>port error|port active|device fatal error|local catastrophic error|GID table change|LID change|SM change)]=],
  fields  = { device = "text", text = "text" },
  match   = { "nd-vm-2:811:911 [0] transport/net_ib.cc:94 NCCL WARN NET/IB : Got async event : port error", "gx-31:771:900 [1] NCCL INFO NET/IB : mlx5_1:1 Got async event : port error",
              "gx-31:771:900 [1] transport/net_ib.cc:412 NCCL WARN NET/IB : mlx5_1:1 Got async error event: port error" },
  ignore  = { "nd-vm-2:811:911 [0] transport/net_ib.cc:94 NCCL WARN NET/IB : Got async event : client reregister" },
  tells   = "NCCL is told of an RDMA event: {text}",
}
signature {
  id      = "net.nccl_completion",
  stream  = "nccl",
  needles = { "Got completion" },
  pattern = [=[NET/IB ?: (?:(?<device>[\w-]+):\d+ )?.*?Got completion (?:from peer (?<peer>[\w.:-]+)(?:<\d+>)? )?with (?:status=|error )(?:\w+\()?(?<status>\d+)(?:.*?\bhca (?<hca>[\w-]+))?]=],
  fields  = { device = "text", peer = "text", status = "int", hca = "text" },
  match   = { "spark-a:71:402 [0] NCCL INFO NET/IB: rocep1s0f0:1 Got completion from peer 10.100.0.3<41022> with status=12 opcode=0 len=0 vendor err 129 (Send)",
              "cnt-e31-00-0041:700:760 [3] transport/net_ib.cu:801 NCCL WARN NET/IB : Got completion with error 12, opcode 1, len 8456, vendor err 129" },
  ignore  = { "NCCL INFO NET/IB : Using [0]mlx5_0:1/IB" },
  tells   = "RDMA completion error {status} (peer {peer})",
}

signature {
  id      = "net.mlx5_completion",
  stream  = { "app", "nccl", "host" },
  needles = { "got completion with error:" },
  -- the library's word where gethostname() failed is host_unknown
  pattern = [[^mlx[45]: (?:host_unknown|(?<host>\S+)): got completion with error:]],
  fields  = { host = "host" },
  fold    = { "host" },
  match   = { "mlx5: gx-a: got completion with error:", "mlx5: host_unknown: got completion with error:" },
  ignore  = { "00000000 00000000 00000000 00000000" },
}
correlate {
  id    = "net.completion.raw",
  group = "job",
  uses  = { "net.mlx5_completion" },
  reach = { "net.nccl_completion", "app.good_end" },
  judge = function(case)
    local on = case.signals
    if #on["net.nccl_completion"] > 0 or #on["app.good_end"] > 0 then return {} end
    local s = first(on["net.mlx5_completion"])
    local host = s.fields.host or s.host
    return { { cause = "net.ib_transport_error", confidence = "likely", scope = host and "host" or "job", host = host, evidence = on["net.mlx5_completion"], confidence_why = "the card's library prints the failed completion; its status is in the words below",
      summary = "An RDMA operation failed on " .. (host or "a host that it does not name") } }
  end,
}

local function here(list, host) return keep(list, function(s) return s.host == host end) end
local function is_down(s) return s.fields.state ~= nil and string.lower(s.fields.state) == "down" end

correlate {
  id    = "net.ib_link_down",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.link_change", "kernel.module_event", "kernel.card_lost", "kernel.mlx5_command", "net.rdma_link", "kernel.card_strained", "kernel.tx_timeout" },
  reach = { "host.shutdown", "net.nccl_port_event", "net.nccl_completion", "kernel.fs_silent", "app.run_completed" },
  judge = function(case)
    local on, found, by_device = case.signals, {}, {}
    local complaints = join(keep(on["net.nccl_port_event"], function(s) return s.fields.text ~= "port active" end), on["net.nccl_completion"])
    local function add(s, kind)
      local key = s.fields.device or s.fields.port or "?"
      by_device[key] = by_device[key] or { down = {}, up = {}, bad = {}, lost = {}, mute = {}, strained = {} }
      table.insert(by_device[key][kind], s)
    end
    for _, s in ipairs(on["kernel.link_change"]) do add(s, is_down(s) and "down" or "up") end
    for _, s in ipairs(on["kernel.module_event"]) do
      if s.fields.bad or match(s.fields.text, [[unplugged|disabled]]) then add(s, "bad") end
    end
    for _, s in ipairs(on["kernel.card_lost"]) do add(s, "lost") end
    for _, s in ipairs(on["kernel.mlx5_command"]) do add(s, "mute") end
    for _, s in ipairs(on["kernel.card_strained"]) do add(s, s.fields.dead and "lost" or "strained") end
    for _, s in ipairs(on["kernel.tx_timeout"]) do
      if match(s.fields.driver, [[^(?:mlx[45]_core|bnxt_en|ice|irdma)$]]) then add(s, "strained") end
    end
    -- a file system whose servers are reached over InfiniBand (address ...@o2ib) falls silent behind its port
    local served = keep(here(on["kernel.fs_silent"], case.host), function(s) return match(s.fields.address or "", [[@o2ib]]) ~= nil end)
    for device in pairs(by_device) do
      local one = by_device[device]
      local downs = keep(one.down, function(s) -- ordered shutdown takes links down, too
        return #keep(here(on["host.shutdown"], case.host), function(x)
          local distance, known = gap(x, s)
          return known and distance <= minutes(2)
        end) == 0
      end)
      local times = 0
      for _, s in ipairs(one.mute) do times = times + s.count end
      local mute = (#one.lost > 0 or times >= 3) and one.mute or {}
      local events = join(downs, one.bad, one.lost, mute)
      if #events == 0 and #one.mute > 0 then
        found[#found + 1] = { cause = "net.ib_link_down", severity = "note", confidence = "possible", scope = "host", evidence = one.mute,
          confidence_why = "one command may be lost; nothing else says that the card is", summary = string.format("Network card %s left a command unanswered (%s)", device, one.mute[1].fields.command), facts = { device = device } }
      end
      local strained = #events > 0 and keep(one.strained, function(s) return order(s, first(events)) ~= "after" and is_near(s, first(events), NEAR) end) or one.strained
      if #events == 0 and #strained > 0 then
        found[#found + 1] = { cause = "net.ib_link_down", severity = "note", confidence = "possible", scope = "host", evidence = strained,
          confidence_why = "the driver says so; no port of the card went down", summary = string.format("Network card %s: %s", device, strained[1].fields.text or "a queue that it does not empty"), facts = { device = device } }
      end
      if #events > 0 then
        local flaps, stays = 0, false
        for _, run in ipairs(episodes(FLAP, downs)) do flaps = math.max(flaps, #run) end
        local latest = last(downs)
        if latest then
          local back = keep(one.up, function(s) return s.ref > latest.ref end)
          local distance, known = gap(latest, first(back) or latest)
          stays = #back == 0 or (known and distance > BRIEF)
        end
        local hurt = keep(complaints, function(s)
          return order(first(events), s) ~= "after" and is_near(first(events), s, hours(1))
        end)
        if #downs > 0 then
          hurt = join(hurt, keep(served, function(s)
            local distance, known = gap(first(downs), s)
            return order(first(downs), s) == "before" and known and distance <= minutes(10)
          end))
        end
        local serious = #one.lost > 0 or flaps >= 2 or (#one.bad > 0 and (#downs > 0 or #hurt > 0)) or (stays and #hurt > 0) or (#mute > 0 and #hurt > 0)
        local survived = #hurt == 0 and ended_well(on["app.run_completed"], last(events))
        serious, stays = serious and not survived, stays and not survived
        local port
        for _, s in ipairs(downs) do port = port or s.fields.port end
        found[#found + 1] = {
          cause = "net.ib_link_down", severity = serious and "critical" or (stays and "warning" or "note"), scope = "host", evidence = join(strained, events), symptoms = hurt,
          confidence = serious and "certain" or "possible",
          confidence_why = serious and "the driver of the port says so" or "one short change of a link; that the job felt it is not shown",
          summary = string.format("RDMA port %s%s %s%s", port and port .. " of " or "", device,
            #one.lost > 0 and "lost its card: " .. one.lost[1].fields.text or #downs + #one.bad == 0 and string.format("does not work: the card leaves commands unanswered (%d times)", times) or flaps >= 2 and string.format("flaps: down %d times", flaps) or "went down",
            #one.bad > 0 and " (" .. one.bad[1].fields.text .. ")" or #strained > 0 and " (" .. (strained[1].fields.text or "a queue that it does not empty") .. ")" or ""),
          facts = { device = device, port = port, downs = #downs, module = #one.bad > 0 and one.bad[1].fields.text or nil },
        }
      end
    end
    -- rdma link, read several times: down in one reading, active in another
    local ports = {}
    for _, s in ipairs(on["net.rdma_link"]) do
      local key = s.fields.device .. "/" .. s.fields.port
      ports[key] = ports[key] or { down = {}, active = {} }
      table.insert(ports[key][s.fields.state == "ACTIVE" and "active" or "down"], s)
    end
    for key in pairs(ports) do
      local one = ports[key]
      local assigned = #keep(one.down, function(s) return (s.fields.lid or 0) > 0 and s.fields.lid < 65535 end) > 0
      -- a port that is down may be unused; one that the job complains of is not
      local device = match(key, [[^([\w-]+)]])
      local named = keep(complaints, function(s) return s.fields.device == device or s.fields.hca == device end)
      if #one.down > 0 and (#one.active > 0 or assigned or #named > 0) then
        found[#found + 1] = { cause = "net.ib_link_down", confidence = #one.active > 0 and "certain" or "likely", scope = "host", evidence = one.down,
          symptoms = complaints,
          confidence_why = #one.active > 0 and "the port was down in one reading and active in another" or #named > 0 and "the port is down, and the job complains of that very adapter" or "the port is down and still has its address",
          summary = string.format("RDMA port %s is %s (%s)%s", key, string.lower(one.down[1].fields.state), string.lower(one.down[1].fields.physical),
            #one.active > 0 and " in some readings: it flaps" or ""), facts = { port = key } }
      end
    end
    return found
  end,
}

-- What asks the subnet manager from a port that has none: the query goes to the LID that the port was told, and 0 is none. So a port is
-- there (without one the tools say that they cannot open it), and NCCL, which takes active ports only, says that it found no device.
-- Source: rdma-core infiniband-diags/src/sminfo.c, libibmad/rpc.c.
signature {
  id      = "net.sm_no_lid",
  stream  = { "net", "host", "app" },
  needles = { "_do_madrpc failed; dport (Lid 0)" },
  pattern = [[mad_rpc: _do_madrpc failed; dport \(Lid 0\)]],
  match   = { "ibwarn: [7714] mad_rpc: _do_madrpc failed; dport (Lid 0)" },
  ignore  = { "ibwarn: [7714] mad_rpc: _do_madrpc failed; dport (Lid 17)", "ibwarn: [7714] mad_rpc_open_port: can't open UMAD port ((null):0)" },
  tells   = "a query to the subnet manager had no LID to go to",
}
correlate {
  id    = "net.sm_no_lid.waits",
  group = "host",
  uses  = { "net.sm_no_lid" },
  reach = { "nccl.ib_no_device", "net.port", "net.rdma_link" },
  judge = function(case)
    local on = case.signals
    local asked = on["net.sm_no_lid"]
    local host = asked[1].host
    local function is_here(s) return host == nil or s.host == nil or s.host == host end
    local active = join(keep(on["net.port"], function(s) return s.fields.state == "active" and is_here(s) end),
      keep(on["net.rdma_link"], function(s) return s.fields.state == "ACTIVE" and is_here(s) end))
    local blind = keep(on["nccl.ib_no_device"], is_here)
    if #blind == 0 or #active > 0 then return {} end
    return { { cause = "net.ib_link_down", class = "init", confidence = host and "likely" or "possible", scope = "host", host = host, evidence = asked, symptoms = blind,
      confidence_why = "a port is there and was told no subnet manager, and NCCL takes none that is not active" .. (host and "" or "; whose port it is, is not said"),
      summary = "An InfiniBand port knows no subnet manager (LID 0), so NCCL finds no device to use" } }
  end,
}

-- A cable is in and the link is up, but nobody configured the subnet: no subnet manager. Ports that are plainly down may be unused.
correlate {
  id    = "net.port_state",
  group = "host",
  uses  = { "net.port" },
  reach = { "net.nccl_port_event", "net.nccl_completion", "nccl.ib_no_device" },
  judge = function(case)
    local on, found = case.signals, {}
    local complaints = join(on["net.nccl_port_event"], on["net.nccl_completion"], on["nccl.ib_no_device"])
    local waiting = keep(on["net.port"], function(s)
      return (s.fields.state == "initializing" or s.fields.state == "init" or s.fields.state == "armed") and s.fields.layer ~= "ethernet"
    end)
    if #waiting > 0 then
      found[#found + 1] = { cause = "net.ib_link_down", class = "init", confidence = "certain", scope = "host", evidence = waiting, symptoms = on["nccl.ib_no_device"],
        confidence_why = "the link is up physically and was never configured: that is the work of a subnet manager",
        summary = string.format("%d InfiniBand port%s (%s) wait%s for a subnet manager: state %s%s", #waiting, #waiting == 1 and "" or "s", waiting[1].fields.device or "?",
          #waiting == 1 and "s" or "", waiting[1].fields.state, waiting[1].fields.sm_lid == "0" and ", SM lid 0" or "") }
    end
    local down = keep(on["net.port"], function(s) return s.fields.state == "down" end)
    local all = #down > 0 and #down == #on["net.port"]
    local named = keep(down, function(s)
      return #keep(complaints, function(c) return s.fields.device ~= nil and (c.fields.device == s.fields.device or c.fields.hca == s.fields.device) end) > 0
    end)
    if #named > 0 and not all then
      found[#found + 1] = { cause = "net.ib_link_down", confidence = "likely", scope = "host", evidence = named, symptoms = complaints,
        confidence_why = "the port is down, and the job complains of that very adapter", summary = string.format("RDMA port of %s is down (%s)", named[1].fields.device, named[1].fields.physical or "?") }
    end
    if all and #complaints > 0 then
      found[#found + 1] = { cause = "net.ib_link_down", confidence = "likely", scope = "host", evidence = down, symptoms = complaints,
        confidence_why = "no RDMA port of this host is up", summary = string.format("All %d RDMA ports are down (%s)", #down, down[1].fields.physical or "?") }
    end
    return found
  end,
}

-- What the ends of a queue pair see. It names a peer that did not answer, which may be innocent.
local STATUS = { [12] = "retry exceeded: the peer did not answer", [13] = "the peer was not ready to receive", [10] = "remote access error",
  [4] = "local protection error", [5] = "flushed: the queue pair was in error before", [9] = "remote invalid request" }
correlate {
  id    = "net.completion",
  group = "host",
  uses  = { "net.nccl_completion" },
  judge = function(case)
    local said = keep(case.signals["net.nccl_completion"], function(s) return s.fields.status ~= 5 end)
    if #said == 0 then return {} end
    local f = first(said).fields
    return { { cause = "net.ib_transport_error", confidence = "certain", scope = "host", evidence = said, count = #said,
      confidence_why = "NCCL prints the completion status of the card",
      summary = string.format("RDMA completion error %d (%s)%s", f.status, STATUS[f.status] or "see ibv_wc_status", f.peer and ", peer " .. f.peer or ""),
      facts = { status = f.status, peer = f.peer } } }
  end,
}
