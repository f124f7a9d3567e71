-- CPU and memory of the node: machine checks, DIMM errors, heat. Corrected errors are repaired and cost nothing; an uncorrected one
-- kills the process that touched the page, with SIGBUS, which looks like a lack of shared memory.
-- Sources: kernel arch/x86/kernel/cpu/mce, mm/memory-failure.c, drivers/edac, drivers/acpi/apei; thermal_throt.c.
signature {
  id      = "kernel.mce",
  stream  = "kernel",
  needles = { "Machine Check", "Uncorrected hardware memory error" },
  pattern = [=[^(?:mce: \[Hardware Error\]|EDAC \w+ MC\d+): CPU (?<cpu>\d+): Machine Check(?: Exception| Event)?: (?<status>\w+) Bank (?<bank>\d+): (?<code>[0-9a-f]+)|^mce: (?:(?<text>Uncorrected hardware memory error in user-access) at (?<address>[0-9a-f]+))]=],
  fields  = { cpu = "int", status = "text", bank = "int", code = "text", text = "text", address = "text" },
  match   = { "mce: [Hardware Error]: CPU 12: Machine Check: 0 Bank 7: be00000000800400", "EDAC skx MC3: CPU 10: Machine Check Event: 0 Bank 8: fc00010001010092", "mce: Uncorrected hardware memory error in user-access at e16677000" },
  ignore  = { "mce: [Hardware Error]: Machine check events logged", "mce: CPU12: Core temperature above threshold, cpu clock throttled (total events = 3)" },
  tells   = "machine check",
}
signature {
  id      = "kernel.mce_announced",
  stream  = "kernel",
  needles = { "Machine check events logged" },
  pattern = [[^mce: \[Hardware Error\]: Machine check events logged]],
  match   = { "mce: [Hardware Error]: Machine check events logged" },
  ignore  = { "mce: [Hardware Error]: CPU 12: Machine Check: 0 Bank 7: be00000000800400" },
  tells   = "machine checks were logged",
}
signature {
  id      = "kernel.memory_failure",
  stream  = "kernel",
  needles = { "Memory failure: 0x" },
  pattern = [[^Memory failure: (?<page>0x[0-9a-f]+): (?:(?:Sending SIGBUS to|Killing) (?<process>.+?):(?<pid>\d+) due to hardware memory corruption|recovery action for (?<what>.+?): (?<result>\w+))]],
  fields  = { page = "text", process = "process", pid = "pid", what = "text", result = "text" },
  match   = { "Memory failure: 0x12345: Sending SIGBUS to python3:41234 due to hardware memory corruption", "Memory failure: 0xe16677: Killing dataloader:20911 due to hardware memory corruption",
              "Memory failure: 0xe16677: recovery action for dirty LRU page: Recovered" },
  ignore  = { "Memory failure: 0xe16677: already hardware poisoned" },
  tells   = "memory page {page} is broken",
}
signature {
  id      = "kernel.edac",
  stream  = "kernel",
  needles = { "EDAC MC", "EDAC sbridge", "EDAC skx", "EDAC i10nm" },
  pattern = [[^EDAC MC(?<controller>\d+): (?<count>\d+) (?<kind>CE|UE) (?<text>.*?)(?: on (?<dimm>\S+))? \(]],
  fields  = { controller = "int", count = "int", kind = "text", text = "text", dimm = "text" },
  fold    = { "kind", "dimm" },
  match   = { "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#0_DIMM#0 (channel:0 slot:0 page:0x3f offset:0x40 grain:32 syndrome:0x0 - err_code:0x0001:0x0090 )" },
  ignore  = { "EDAC skx MC0: HANDLING MCE MEMORY ERROR", "EDAC MC: Ver: 3.0.0" },
  tells   = "memory controller: {kind} at {dimm}",
}
signature {
  id      = "kernel.cpu_hot",
  stream  = "kernel",
  needles = { "temperature above threshold" },
  pattern = [[CPU(?<cpu>\d+): (?<what>Core|Package) temperature above threshold, cpu clock throttled \(total events = (?<events>\d+)\)]],
  fields  = { cpu = "int", what = "text", events = "int" },
  fold    = { "what" },
  match   = { "mce: CPU12: Core temperature above threshold, cpu clock throttled (total events = 3)" },
  ignore  = { "CPU12: Core temperature/speed normal" },
  tells   = "a CPU is too hot",
}

correlate {
  id    = "host.mce",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.mce", "kernel.memory_failure", "kernel.edac", "kernel.apei_event", "kernel.apei_source" },
  reach = { "app.shm_bus_error", "app.traceback", "kernel.mce_announced" },
  judge = function(case)
    local on, found = case.signals, {}
    local killed = keep(on["kernel.memory_failure"], function(s) return s.pid ~= nil end)
    local broken = keep(on["kernel.edac"], function(s) return s.fields.kind == "UE" end)
    local sections = keep(on["kernel.apei_event"], function(s) return s.fields.section == "memory" or s.fields.section == "general processor" end)
    -- the record of the firmware, by its number: severity, part
    local firmware, part, bad = {}, nil, false
    for _, section in ipairs(sections) do
      local record = keep(join(on["kernel.apei_source"], on["kernel.apei_event"]), function(s)
        return s.fields.number == section.fields.number and s.member == section.member and math.abs(s.line - section.line) <= 16
      end)
      for _, s in ipairs(record) do
        part = part or s.fields.part
        if s.fields.severity == "recoverable" or s.fields.severity == "fatal" then
          bad = true
          firmware = join(firmware, record)
        end
      end
    end
    -- machine checks whose status word has the uncorrected bit (61), or words that say so
    local checks = keep(on["kernel.mce"], function(s)
      return s.fields.text ~= nil or match(s.fields.code or "", [[^[bf2367aecd][0-9a-f]{15}$]]) ~= nil
    end)
    checks = keep(checks, function(s)
      if s.fields.text then return true end
      local high = tonumber(string.sub(s.fields.code, 1, 1), 16) or 0
      return high // 2 % 2 == 1 -- bits 63 to 60: VAL OVER UC EN
    end)
    local all = join(killed, broken, firmware, checks)
    -- the line that announces a record stands right above it
    local announced = keep(on["kernel.mce_announced"], function(s)
      return #all > 0 and s.member == all[1].member and s.line <= all[1].line and all[1].line - s.line <= 4
    end)
    if #all > 0 then
      local victim = first(killed)
      found[#found + 1] = {
        cause = "host.mce", confidence = "certain", scope = "host", evidence = join(announced, all, on["kernel.memory_failure"]),
        -- SIGBUS looks like a lack of shared memory to those who see it
        symptoms = victim and join(on["app.shm_bus_error"], keep(on["app.traceback"], function(s) return match(s.fields.message or "", [[Bus error|SIGBUS]]) ~= nil end)) or {},
        pid = victim and victim.pid, process = victim and victim.process,
        confidence_why = "the hardware reported an uncorrected error",
        summary = string.format("Uncorrected memory or CPU error%s%s", part and " (" .. part .. ")" or "",
          victim and string.format("; process %s (pid %s) touched the broken page", victim.process or "?", tostring(victim.pid)) or ""),
        facts = { part = part, process = victim and victim.process, pid = victim and victim.pid },
      }
    else
      local corrected = join(on["kernel.edac"], sections)
      if #corrected > 0 then
        found[#found + 1] = { cause = "host.mce", severity = "note", confidence = "likely", scope = "host", evidence = corrected,
          confidence_why = "corrected errors cost nothing; many of them announce a failing part", summary = "Corrected memory errors" .. (part and " (" .. part .. ")" or "") }
      end
    end
    return found
  end,
}

-- The event log of the board's controller (BMC), as ipmitool sel list and elist print it. Its clock is its own and often wrong by hours: what it says is told
-- with its own time, and never set before or after what the machine logged. Sources: ipmitool lib/ipmi_sel.c; IPMI 2.0, table 42-3.
signature {
  id      = "host.sel_event",
  stream  = "host",
  needles = { "| Asserted" },
  pattern = [[^ *[0-9a-f]+ \| *(?<date>\d\d/\d\d/\d{2,4}|Pre-Init) *\| *(?<time>[\d:]+(?: [A-Z]{2,5})?) *\| (?<sensor>[^|]+?) *\| (?<event>[^|]+?) *\| Asserted]],
  fields  = { date = "text", time = "text", sensor = "text", event = "text" },
  fold    = { "sensor", "event" },
  match   = { "   1 | 01/01/2026 | 00:00:00 | Memory #0x02 | Uncorrectable ECC (@DIMM_A1) | Asserted", "  3a | 01/01/26 | 00:00:00 UTC | Critical Interrupt PCIe | Bus Fatal Error | Asserted" },
  ignore  = { "   2 | 01/01/2026 | 00:00:03 | Power Supply #0x51 | Failure detected | Deasserted" },
  tells   = "BMC ({date} {time} by its own clock): {sensor}: {event}",
}
correlate {
  id    = "host.sel",
  group = "host",
  uses  = { "host.sel_event" },
  judge = function(case)
    local KINDS = { { "host.mce", [[Uncorrectable ECC|Uncorrectable machine check|Machine [Cc]heck|IERR|CATERR]] }, { "pcie.aer", [[PCI PERR|PCI SERR|Bus Fatal Error|Bus Uncorrectable|Fatal NMI]] },
                    { "gpu.thermal_or_power", [[Upper (?:Critical|Non-recoverable) going high|Thermal Trip|Over-?temp|Power Supply AC lost|Failure detected]] },
                    { "host.reboot", [[Hard reset|Power cycle|Power off/down|Watchdog]] } }
    local found = {}
    for _, kind in ipairs(KINDS) do
      local said = keep(case.signals["host.sel_event"], function(s) return match(s.fields.sensor .. ": " .. s.fields.event, kind[2]) ~= nil end)
      if #said > 0 then
        local f = last(said).fields
        found[#found + 1] = { cause = kind[1], severity = "note", confidence = "possible", scope = "host", evidence = said,
          confidence_why = "the BMC's own log, by its own clock: whether it was at the time of the failure is not shown",
          summary = string.format("The BMC of %s logged %s: %s (%s %s by its own clock)", case.host or "the host", f.sensor, f.event, f.date, f.time) }
      end
    end
    return found
  end,
}
