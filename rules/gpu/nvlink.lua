-- NVLink: faults of switches (SXid, up to NVLink 4) and the Xids of NVLink 5 (144 to 150). One broken link makes every
-- partner complain; who is to blame stands in the code, and not in the order of the clocks of many hosts.
-- Sources: open kernel modules common_nvswitch.h and intr_nvswitch.h; NVIDIA's Xid catalogue, NVLink 5 sheet.
local NEAR, DOMAIN = minutes(2), minutes(5)

signature {
  id      = "kernel.sxid",
  stream  = "kernel",
  needles = { ": SXid (PCI:" },
  pattern = [[^nvidia-nvswitch(?<switch>\d+): SXid \(PCI:(?<device>[0-9a-fA-F:.]+)\): (?<sxid>\d{5}), (?<level>Correctable|Non-fatal|Fatal), (?:Link (?<link>\d+) )?(?<text>.*)$]],
  fields  = { switch = "int", device = "text", sxid = "int", level = "text", link = "int", text = "text" },
  match   = { "nvidia-nvswitch1: SXid (PCI:0000:a1:00.0): 12028, Non-fatal, Link 17 egress non-posted PRIV error (First)",
              "nvidia-nvswitch2: SXid (PCI:0000:a2:00.0): 20034, Fatal, Link 04 LTSSM Fault Up",
              "nvidia-nvswitch0: SXid (PCI:0000:a2:00.0): 10003, Fatal, unhandled interrupt in host(120)" },
  ignore  = { "nvidia-nvswitch2: SXid (PCI:0000:a2:00.0): 24007, Data {0x00000000, 0x00000001}",
              "nvidia-nvswitch2: SXid (PCI:0000:a2:00.0): 24007, Severity 1 Engine instance 03 Sub-engine instance 00" },
  fold    = { "switch", "sxid", "level", "link" },
  tells   = "NVSwitch {switch}: SXid {sxid}, {level}, link {link}: {text}",
}
signature {
  id      = "gpu.fm_switch_error",
  stream  = "gpu",
  needles = { "detected NVSwitch" },
  pattern = [[detected NVSwitch (?<level>fatal|non-fatal) error (?<sxid>\d{5}) on fid \d+ on NVSwitch pci bus id (?<device>[0-9a-fA-F:.]+)]],
  fields  = { level = "text", sxid = "int", device = "text" },
  match   = { "detected NVSwitch fatal error 20034 on fid 0 on NVSwitch pci bus id 00000000:A2:00.0 physical id 1 port 4" },
  ignore  = { "detected number of NVSwitches don't match with any supported system topology, aborting fabric manager" },
}

-- Thermal events and a guest that restarts do not break a link; single bit errors are corrected.
local MILD = { [10004] = true, [10005] = true, [11012] = true, [11021] = true, [11022] = true, [11023] = true, [12021] = true,
  [12023] = true, [12028] = true, [15008] = true, [15011] = true, [22013] = true, [24001] = true, [24002] = true, [24003] = true }

correlate {
  id    = "gpu.nvswitch",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.sxid", "gpu.fm_switch_error", "kernel.xid" },
  judge = function(case)
    local on, found = case.signals, {}
    if #on["kernel.sxid"] + #on["gpu.fm_switch_error"] == 0 then return {} end
    local links = keep(on["kernel.xid"], function(x) return x.fields.xid == 74 end)
    local function is_fatal(s) return (s.fields.level == "Fatal" or s.fields.level == "fatal") and not MILD[s.fields.sxid] end
    local function near(s, list)
      return keep(list, function(x) return is_near(s, x, NEAR) end)
    end
    local fatal = keep(join(on["kernel.sxid"], on["gpu.fm_switch_error"]), is_fatal)
    for _, run in ipairs(episodes(minutes(10), fatal)) do
      local f, hit = first(run).fields, near(first(run), links)
      -- a link goes down with fault 20034 also when the GPU behind it was reset: alone it is no proof
      local plain = #keep(run, function(s) return s.fields.sxid ~= 20034 end) == 0 and #hit == 0
      -- what the same link complained of in the hours before
      local signs = keep(on["kernel.sxid"], function(s)
        local distance, known = gap(s, first(run))
        return f.link ~= nil and s.fields.link == f.link and s.fields.switch == f.switch and not is_fatal(s) and order(s, first(run)) == "before" and known and distance <= hours(24)
      end)
      found[#found + 1] = {
        cause = "gpu.nvlink_error", scope = "host", evidence = run, symptoms = hit, gpu = #hit > 0 and hit[1].gpu or nil,
        confidence = plain and "possible" or "certain", severity = plain and "warning" or "critical",
        confidence_why = plain and "the switch saw a link go down, which a GPU's reset does as well" or "the NVSwitch driver reports a fatal error",
        summary = string.format("NVSwitch %s reports fatal SXid %d%s: %s%s", f.switch or f.device or "?", f.sxid,
          f.link and string.format(" on link %d", f.link) or "", f.text or "link fault",
          #signs > 0 and string.format("; %s before, the link reported SXid %d", span_text((gap(signs[1], first(run)))), signs[1].fields.sxid) or ""),
        facts = { sxid = f.sxid, switch = f.switch, link = f.link },
      }
    end
    local mild = keep(on["kernel.sxid"], function(s) return not is_fatal(s) end)
    if #fatal == 0 and #mild > 0 then
      local f = first(mild).fields
      found[#found + 1] = { cause = "gpu.nvlink_error", severity = "note", confidence = "possible", scope = "host", evidence = mild,
        confidence_why = "the switch's driver calls it " .. string.lower(f.level),
        summary = string.format("NVSwitch %d reports SXid %d (%s)%s; nothing came of it", f.switch, f.sxid, f.level,
          f.link and string.format(" on link %d", f.link) or "") }
    end
    return found
  end,
}

-- Words of an NVLink 5 Xid: unit, severity, link, reason (bits 25 to 20 of the first word), error status (the second word).
local function decode(s)
  local unit, level, link, word, status = match(s.fields.text or "", [[^([A-Z0-9_/]+)\s+(Nonfatal|Fatal)\s+XC[01]\s+i\d+\s+Link\s+(-?\d+)\s+\(0x([0-9a-fA-F]+)(?:\s+0x([0-9a-fA-F]+))?]])
  if not unit then return nil end
  local number = tonumber(word, 16) or 0
  return { unit = unit, fatal = level == "Fatal", link = tonumber(link), reason = (number // 1048576) % 64, status = status and tonumber(status, 16) }
end

-- What an error status of a unit says, where it is not the line's own severity. ecc: a memory error that Xid 48, 94 or 95 tells better;
-- noise: NVIDIA's catalogue says ignore.
local SAYS = {
  SAW_MVB          = { [0x1] = "ecc", [0x8] = "ecc", [0x4] = "noise", [0x20] = "noise" },
  RLW_REMAP        = { [0x100] = "noise", [0x200] = "noise" },
  RLW_RSPCOL       = { [0x2] = "fatal", others = "noise" },
  RLW_SRC_TRACK    = { [0x2] = "noise" },
  RLW_TAGSTATE     = { [0x2] = "fatal", [0x20000] = "fatal", [0x100000] = "fatal", others = "noise" },
  TLW_TX_PIPE0     = { [0x2] = "ecc" },
  TLW_TX_PIPE1     = { [0x2] = "ecc" },
  NETIR_MFDE_EVENT = { [0x3] = "noise" },
}
local function says(d)
  local unit = d and not d.fatal and d.status and SAYS[d.unit]
  return unit and (unit[d.status] or unit.others) or nil
end

-- 149 is the end where the link went down, unless its reason says that the peer went first (32 to 37), or it only counts bit errors. 145 is
-- what the partners see of a peer that no longer answers.
local function stands(s, d)
  local xid, said = s.fields.xid, says(d)
  if said == "noise" or said == "ecc" then return said end
  if d and d.unit == "NETIR_BER_EVENT" and not d.fatal then return "noise" end
  if xid == 149 then
    if not d then return "root" end
    if d.reason >= 32 and d.reason <= 37 then return "victim" end
    return "root"
  end
  if xid == 145 then return d and d.fatal and "root" or "victim" end
  return (not d or d.fatal or xid == 150) and "root" or "victim"
end

-- Codes that NVIDIA says to ignore, and bit errors that were corrected: said, and no failure.
local function note_of(noise, by_ref)
  local head, d = noise[1], by_ref[noise[1].ref] or {}
  return { cause = "gpu.nvlink_error", severity = "note", confidence = "likely", scope = "gpu", gpu = head.gpu, host = head.host, evidence = noise,
    confidence_why = "a code that is no failure by itself", summary = string.format("NVLink of GPU %s: Xid %d %s, which is no failure by itself", head.gpu or "?", head.fields.xid, d.unit or "") }
end

correlate {
  id    = "gpu.nvlink5",
  needs = { "kernel" },
  group = "job",
  uses  = { "kernel.xid_nvlink5" },
  reach = { "kernel.xid", "app.run_completed", "app.good_end", "app.traceback", "torch.watchdog_timeout" },
  judge = function(case)
    local by_ref, heard, found = {}, join(case.signals["kernel.xid_nvlink5"]), {}
    for _, s in ipairs(heard) do by_ref[s.ref] = decode(s) or false end
    local function is_ecc_told(s)
      return #keep(case.signals["kernel.xid"], function(x)
        return (x.fields.xid == 48 or x.fields.xid == 94 or x.fields.xid == 95) and x.gpu == s.gpu and x.host == s.host and is_near(x, s, DOMAIN)
      end) > 0
    end
    local noise = keep(heard, function(s) return stands(s, by_ref[s.ref] or nil) == "noise" end)
    if #noise > 0 then found[1] = note_of(noise, by_ref) end
    local all = keep(heard, function(s)
      local kind = stands(s, by_ref[s.ref] or nil)
      return kind ~= "noise" and not (kind == "ecc" and is_ecc_told(s))
    end)
    if #all == 0 then return found end
    -- link down events first; other roots only where none is; last, whoever complained
    local function of(kind, only_149)
      return keep(all, function(s) return stands(s, by_ref[s.ref] or nil) == kind and (not only_149 or s.fields.xid == 149) end)
    end
    local roots, sure = of("root", true), true
    if #roots == 0 then roots = of("root", false) end
    if #roots == 0 then roots, sure = all, false end
    local is_root = {}
    for _, s in ipairs(roots) do is_root[s.ref] = true end
    local by_gpu = {}
    for _, s in ipairs(roots) do
      local key = (s.host or "") .. (s.gpu or "?")
      if not by_gpu[key] then
        by_gpu[key] = { list = {} }
        by_gpu[#by_gpu + 1] = by_gpu[key]
      end
      table.insert(by_gpu[key].list, s)
    end
    -- what the driver itself calls nonfatal, on a GPU whose channels it left alone, under a job that came to its end
    local on = case.signals
    local calm = #on["app.traceback"] + #on["torch.watchdog_timeout"] == 0 and ended_well(join(on["app.run_completed"], on["app.good_end"]), last(all))
      and #keep(all, function(s) return not by_ref[s.ref] or by_ref[s.ref].fatal end) == 0
    local function is_untouched(s) return #keep(on["kernel.xid"], function(x) return x.gpu == s.gpu and x.host == s.host and is_near(x, s, DOMAIN) end) == 0 end
    for _, one in ipairs(by_gpu) do
      local head = one.list[1]
      local d = by_ref[head.ref]
      local mild = calm and is_untouched(head)
      local victims = keep(all, function(s)
        return not is_root[s.ref] and is_near(head, s, DOMAIN)
      end)
      local partners = #distinct(victims, function(s) return (s.host or "") .. (s.gpu or "?") end)
      found[#found + 1] = {
        cause = "gpu.nvlink_error", severity = mild and "note" or nil, class = d and d.fatal and partners > 0 and "lost" or nil, scope = "gpu", gpu = head.gpu, host = head.host, evidence = one.list, symptoms = victims,
        confidence = sure and "certain" or "likely",
        confidence_why = mild and "the driver calls it nonfatal and ended nothing for it, and the job came to its end" or sure and "the code says that the link went down at this end" or "only the ends that noticed it have spoken",
        summary = string.format("NVLink error on GPU %s: Xid %d%s%s", head.gpu or "?", head.fields.xid,
          d and string.format(" %s on link %d", d.unit, d.link) or "",
          partners > 0 and string.format("; %d other GPU%s only saw the link fail", partners, partners == 1 and "" or "s") or ""),
        facts = { xid = head.fields.xid, link = d and d.link or nil, unit = d and d.unit or nil },
      }
    end
    return found
  end,
}

-- Links that are not there: a GPU whose links are inactive, beside siblings that have all of theirs. Bridges join cards in pairs, and
-- a pair without a bridge is a way to build a machine: an odd number of GPUs without links is not.
correlate {
  id    = "gpu.nvlink_inactive",
  group = "host",
  uses  = { "gpu.nvlink" },
  reach = { "nccltests.bandwidth", "kernel.xid", "kernel.xid_nvlink5", "kernel.gpu_lost" },
  judge = function(case)
    local on = case.signals
    local counted = keep(on["gpu.nvlink"], function(s) return (s.fields.links or 0) >= 4 end)
    local full = keep(counted, function(s) return s.fields.active == s.fields.links end)
    local torn = keep(counted, function(s) return s.fields.active < s.fields.links and #full > 0 and s.fields.links == full[1].fields.links end)
    if #torn == 0 or #full <= 2 * #torn then return {} end
    local whole = keep(torn, function(s) return s.fields.active == 0 end)
    if #whole == #torn and #torn % 2 == 0 then return {} end
    local before = keep(join(on["kernel.xid"], on["kernel.xid_nvlink5"], on["kernel.gpu_lost"]), function(x)
      return x.host == case.host and (x.fields.xid == nil or x.fields.xid == 74 or x.fields.xid == 79 or (x.fields.xid >= 144 and x.fields.xid <= 150))
    end)
    if #before > 0 then return {} end
    local f = torn[1].fields
    local measured = #on["nccltests.bandwidth"] > 0
    return { { cause = "gpu.nvlink_error", class = measured and "slow" or nil, severity = "error", confidence = "likely", scope = "gpu", gpu = torn[1].gpu, evidence = torn,
      symptoms = on["nccltests.bandwidth"],
      confidence_why = "the other GPUs of this machine have all their links; the kernel log would say when these were lost",
      summary = string.format("%d of %d NVLinks of GPU %s are inactive%s; its siblings have all", f.links - f.active, f.links, tostring(torn[1].gpu or torn[1].gpu_index or "?"),
        #torn > 1 and string.format(" (and of %d more)", #torn - 1) or ""),
      facts = { links = f.links, active = f.active } } }
  end,
}

-- Error counters of nvlink -e. They count since the driver was loaded: a number alone is a note; that it grew between two looks names the link.
correlate {
  id    = "gpu.nvlink_counters",
  group = "host",
  uses  = { "gpu.nvlink" },
  reach = { "kernel.xid", "kernel.xid_nvlink5", "app.good_end", "app.nccl_error", "nccltests.bandwidth" },
  judge = function(case)
    local on, found = case.signals, {}
    local told = keep(join(on["kernel.xid"], on["kernel.xid_nvlink5"]), function(x) return x.host == case.host and (x.fields.xid == 74 or (x.fields.xid >= 144 and x.fields.xid <= 150)) end)
    if #told > 0 then return {} end -- the kernel's log says more
    local function total(s) return (s.fields.replays or 0) + (s.fields.recoveries or 0) + (s.fields.crc_errors or 0) + (s.fields.other_errors or 0) end
    for _, looks in ipairs(group_by(keep(on["gpu.nvlink"], function(s) return s.fields.links == nil end), function(s) return s.gpu_uuid or s.gpu or tostring(s.gpu_index) end)) do
      local least, most = looks[1], looks[1]
      for _, s in ipairs(looks) do
        if total(s) < total(least) then least = s end
        if total(s) > total(most) then most = s end
      end
      local grew = total(most) > total(least)
      -- a replay now and then is everyday; a link that has to recover, or thousands of replays, is not
      local bad = (most.fields.recoveries or 0) > (least.fields.recoveries or 0) or total(most) - total(least) >= 1000
      local hurt = grew and bad and #on["app.good_end"] == 0 and join(on["app.nccl_error"], on["nccltests.bandwidth"]) or {}
      if total(most) > 0 then
        local f = most.fields
        found[#found + 1] = { cause = "gpu.nvlink_error", severity = #hurt > 0 and "warning" or "note", confidence = #hurt > 0 and "likely" or "possible", scope = "gpu", gpu = most.gpu, evidence = grew and { least, most } or { most }, symptoms = hurt,
          confidence_why = grew and "the counters grew between two looks" or "counted since the driver was loaded; nothing says when",
          summary = string.format("NVLink of GPU %s counts %d replays, %d recoveries, %d CRC errors%s", tostring(most.gpu or most.gpu_index or "?"), f.replays or 0, f.recoveries or 0, f.crc_errors or 0,
            grew and " and rising" or "") }
      end
    end
    return found
  end,
}
