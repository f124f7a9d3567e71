-- GPUs under load: clocks that fall with heat or power, links that run slow while busy, memory that corrects errors all the
-- time. Idle GPUs lower clocks and link speed to save power, so only rows with load count, and siblings are the measure.
-- Source: nvidia-smi --query-gpu in a loop (clocks_event_reasons, pcie.link.*, ecc.errors.*), nvidia-smi -q, lspci -vvv.
local function num(x) return type(x) == "number" and x or nil end
local function is_busy(s) return (num(s.fields.utilization_pct) or 0) >= 50 end
local HOT = [[hw_slowdown|hw_thermal_slowdown|hw_power_brake|sw_thermal_slowdown]]
local function is_hot(s) return s.fields.throttle ~= nil and match(s.fields.throttle, HOT) ~= nil end

local function name_of(s) return s.gpu or s.gpu_uuid or (s.gpu_index and "index " .. s.gpu_index) or "?" end
local function by_gpu(list)
  local groups, keys = {}, {}
  for _, s in ipairs(list) do
    local key = name_of(s)
    if not groups[key] then
      groups[key] = {}
      keys[#keys + 1] = key
    end
    table.insert(groups[key], s)
  end
  return groups, keys
end

correlate {
  id    = "gpu.thermal_or_power",
  group = "host",
  uses  = { "gpu.state" },
  judge = function(case)
    local found = {}
    local groups, keys = by_gpu(case.signals["gpu.state"])
    for _, key in ipairs(keys) do
      local hot, best, low, warm = {}, 0, nil, nil
      for _, s in ipairs(groups[key]) do
        local clock, busy = num(s.fields.clock_sm_mhz), is_busy(s)
        if busy and not is_hot(s) and clock then best = math.max(best, clock) end
        if is_hot(s) and (busy or num(s.fields.utilization_pct) == nil) then
          hot[#hot + 1] = s
          if clock and (not low or clock < low) then low = clock end
          local t = num(s.fields.temperature_c)
          if t and (not warm or t > warm) then warm = t end
        end
      end
      local max = #hot > 0 and num(hot[1].fields.clock_sm_max_mhz)
      local reference = best > 0 and best or max
      local slowed = reference and low and low < reference * 9 // 10
      if #hot > 0 and (slowed or #hot >= 3) then
        local power = match(hot[1].fields.throttle, [[power_brake]]) ~= nil
        found[#found + 1] = {
          cause = "gpu.thermal_or_power", confidence = slowed and "certain" or "likely", scope = "gpu", gpu = hot[1].gpu, evidence = hot,
          confidence_why = slowed and "the clock falls while the GPU itself names the reason" or "the GPU names the reason; how far its clock fell is not shown",
          summary = string.format("GPU %s slows down under load by %s%s%s", key, power and "power brake" or "heat",
            warm and string.format(" at %d C", warm) or "", slowed and string.format(": SM clock from %d to %d MHz", reference, low) or ""),
          facts = { throttle = hot[1].fields.throttle, clock_mhz = low, temperature_c = warm },
        }
      elseif #hot > 0 and match(hot[1].fields.throttle, [[hw_thermal_slowdown|hw_power_brake]]) ~= nil then
        found[#found + 1] = { cause = "gpu.thermal_or_power", severity = "note", confidence = "possible", scope = "gpu", gpu = hot[1].gpu, evidence = hot,
          confidence_why = "the GPU names the reason at the moment of a look; that the job ran then and was slower is not shown",
          summary = string.format("GPU %s slows its clock by itself (%s)%s", key, hot[1].fields.throttle, warm and string.format(" at %d C", warm) or "") }
      end
    end
    return found
  end,
}

-- Link generation below its maximum counts only while busy in a high performance state; a narrow link counts always, but not
-- where all GPUs of the host are alike: then it is how the board is built.
correlate {
  id    = "pcie.link_degraded.smi",
  group = "host",
  uses  = { "gpu.state" },
  reach = { "host.pci_link" },
  judge = function(case)
    local found = {}
    local groups, keys = by_gpu(case.signals["gpu.state"])
    local function of(s, key) return num(s.fields[key]) end
    local function slow_rows(list)
      return keep(list, function(s)
        local gen, gen_max = of(s, "link_gen"), of(s, "link_gen_max")
        local fast = match(s.fields.pstate or "P0", [[^P[0-2]$]]) ~= nil
        return gen ~= nil and gen_max ~= nil and gen < gen_max and is_busy(s) and fast
      end)
    end
    local function narrow_rows(list)
      return keep(list, function(s)
        local width, width_max = of(s, "link_width"), of(s, "link_width_max")
        return width ~= nil and width_max ~= nil and width < width_max
      end)
    end
    local good_speed, good_width = 0, 0
    for _, key in ipairs(keys) do
      local seen = keep(groups[key], function(s) return of(s, "link_gen") ~= nil end)
      if #seen > 0 and #slow_rows(seen) == 0 and #keep(seen, is_busy) > 0 then good_speed = good_speed + 1 end
      if #keep(seen, function(s) return of(s, "link_width") ~= nil end) > 0 and #narrow_rows(seen) == 0 then good_width = good_width + 1 end
    end
    for _, key in ipairs(keys) do
      local slow, narrow = slow_rows(groups[key]), narrow_rows(groups[key])
      local busy = #keep(groups[key], is_busy)
      local lspci = keep(case.signals["host.pci_link"], function(l)
        return l.host == case.host and l.gpu == groups[key][1].gpu and num(l.fields.speed) ~= nil
          and (l.fields.speed < l.fields.speed_max or l.fields.width < l.fields.width_max)
      end)
      -- all the time it was busy, not once while it woke up
      local steady = #slow > 0 and #slow * 4 >= busy * 3
      local all_alike = (#slow > 0 and good_speed == 0 and #keys > 1) or (#slow == 0 and good_width == 0)
      if (steady or #narrow > 0) and not all_alike then
        local list = #slow > 0 and slow or narrow
        local s = list[1].fields
        found[#found + 1] = {
          cause = "pcie.link_degraded", confidence = #slow > 1 and "certain" or "likely", scope = "gpu", gpu = list[1].gpu, evidence = join(list, lspci),
          confidence_why = #slow > 0 and "read under load, and other GPUs of this host run their links at full speed" or "other GPUs of this host have their full width",
          summary = string.format("PCIe link of GPU %s runs at generation %s x%s of %s x%s%s", key, tostring(s.link_gen or "?"), tostring(s.link_width or "?"),
            tostring(s.link_gen_max or "?"), tostring(s.link_width_max or "?"), #slow > 0 and " under load" or ""),
          facts = { link_gen = s.link_gen, link_gen_max = s.link_gen_max, link_width = s.link_width, link_width_max = s.link_width_max },
        }
      end
    end
    return found
  end,
}

-- lspci alone: speed falls at idle, so only a lost width counts, and only against siblings; or a link of a network card.
correlate {
  id    = "pcie.link_degraded.lspci",
  group = "host",
  uses  = { "host.pci_link" },
  reach = { "gpu.state" },
  judge = function(case)
    local found, widths, slow_nics, nic_speeds = {}, 0, {}, 0
    local links = keep(case.signals["host.pci_link"], function(l) return num(l.fields.width) ~= nil end)
    for _, l in ipairs(links) do
      if l.gpu and l.fields.width == l.fields.width_max then widths = widths + 1 end
      local nic = match(l.fields.name or "", [[Mellanox|ConnectX|NVIDIA.*BlueField]]) ~= nil and not l.gpu
      if nic and l.fields.speed < l.fields.speed_max or nic and l.fields.width < l.fields.width_max then slow_nics[#slow_nics + 1] = l
      elseif nic then nic_speeds = nic_speeds + 1 end
    end
    for _, l in ipairs(links) do
      local told = keep(case.signals["gpu.state"], function(s) return s.gpu == l.gpu and s.host == case.host and num(s.fields.link_width) ~= nil end)
      if l.gpu and l.fields.width < l.fields.width_max and widths > 0 and #told == 0 then
        found[#found + 1] = { cause = "pcie.link_degraded", confidence = "likely", scope = "gpu", gpu = l.gpu, evidence = { l },
          confidence_why = "other GPUs of this host have their full width",
          summary = string.format("PCIe link of GPU %s runs at x%d of x%d", l.gpu, l.fields.width, l.fields.width_max) }
      end
    end
    for _, l in ipairs(slow_nics) do
      if nic_speeds > 0 then
        found[#found + 1] = { cause = "pcie.link_degraded", confidence = "likely", scope = "host", evidence = { l },
          confidence_why = "network cards do not lower their link at idle, and others of this host run at full speed",
          summary = string.format("PCIe link of network card %s runs at %g GT/s x%d of %g GT/s x%d", l.fields.address or "?", l.fields.speed, l.fields.width,
            l.fields.speed_max, l.fields.width_max) }
      end
    end
    return found
  end,
}

-- Corrected errors are no failure; a hundred a second are a dying memory, and every health query then blocks.
local STORM = 100
correlate {
  id    = "gpu.corrected_storm",
  group = "host",
  uses  = { "gpu.samples" },
  judge = function(case)
    local found = {}
    for _, s in ipairs(case.signals["gpu.samples"]) do
      local grown, span = num(s.fields.ecc_corrected_growth), num(s.fields.seconds)
      if grown and span and span > 0 and grown / span >= STORM then
        found[#found + 1] = { cause = "gpu.hardware_other", class = "slow", severity = "error", confidence = "likely", scope = "gpu", gpu = s.gpu, evidence = { s },
          confidence_why = "the counter grows by the second; no healthy GPU does that",
          summary = string.format("GPU %s corrects about %d memory errors a second", name_of(s), math.floor(grown / span + 0.5)),
          facts = { errors = math.floor(grown), seconds = span } }
      end
      local lost = num(s.fields.ecc_uncorrected_growth)
      if lost and lost > 0 then
        found[#found + 1] = { cause = "gpu.ecc_uncorrectable", severity = "critical", confidence = "certain", scope = "gpu", gpu = s.gpu, evidence = { s },
          confidence_why = "the counter grew while it was watched", summary = string.format("GPU %s counted %d uncorrectable memory errors", name_of(s), math.floor(lost)) }
      end
    end
    return found
  end,
}
