-- A node that came up again without having been shut down: power loss, crash, reset. A log of one boot begins with "Linux version",
-- so that line counts only where the same log shows life before it. An ordered shutdown says so first.
-- Sources: kernel init/version.c, systemd unit and shutdown texts, journald, util-linux last, IPMI SEL as ipmitool prints it.
local ORDERED = minutes(15)

signature {
  id      = "kernel.boot",
  stream  = "kernel",
  needles = { "Linux version " },
  pattern = [[^Linux version (?<kernel>\d+\.\d+\S*) \(]],
  fields  = { kernel = "text" },
  match   = { "Linux version 5.15.0-118-generic (buildd@lcy02) (gcc 11.4.0) #128-Ubuntu SMP Fri Jul 5 09:28:59 UTC 2024" },
  ignore  = { "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.144" },
  tells   = "the kernel starts",
}
-- Between the boots of a journal that was printed over several of them.
signature {
  id      = "host.boot_marker",
  stream  = "any",
  needles = { "-- Boot ", "-- Reboot --" },
  pattern = [[^-- (?:Boot (?<boot>[0-9a-f]{32})|Reboot) --$]],
  fields  = { boot = "text" },
  match   = { "-- Boot 7a1cfe1f266d4c92be79acbebd303d25 --", "-- Reboot --" },
  ignore  = { "-- Journal begins at Thu 2026-01-01 00:00:00 UTC, ends at Thu 2026-01-01 12:00:00 UTC. --" },
  tells   = "another boot begins",
}
-- Reports that collect the output of several commands put a title over each: the line behind it is the first of a log.
signature {
  id      = "host.log_title",
  stream  = "any",
  needles = { "dmesg", "journalctl", "kern.log", "messages", "syslog" },
  pattern = [[^(?:[-#$>*=+_\[]+ *)?(?:(?:Output of|output of|cmd|command|Command)[: ]+)?["'`]?(?:sudo )?(?:/\S*/)?(?:dmesg|journalctl|kern\.log|messages|syslog)(?:\.\d+)?(?: -[-\w=,./ ]*)?["'`]?\]?:?(?: *[-<#=*+_]+)?$]],
  match   = { "dmesg:", "$ sudo dmesg -T", "/bin/dmesg", "==> /var/log/kern.log <==", "# /usr/bin/journalctl -k -b", "----- dmesg -----", "*** /var/log/messages" },
  ignore  = { "dmesg: read kernel buffer failed: Operation not permitted", "systemd-journald: Dropped 12 messages" },
  tells   = "another log begins",
}
signature {
  id      = "host.shutdown",
  stream  = { "host", "kernel", "k8s" },
  needles = { "Shutting down.", "Restarting system", "System is rebooting", "System is powering down", "Reached target ",
              "detected new shutdown event", "Power Button", "ower-off requested", "reboot: Power down" },
  pattern = [[^(?:Shutting down\.$|reboot: (?:Restarting system|Power down)|System is (?:rebooting|powering down)|Reached target (?:reboot\.target|.*(?:Reboot|Power[ -]Off|Shutdown|Halt))|ACPI: Power Button|.*detected new shutdown event)]],
  match   = { "Shutting down.", "reboot: Restarting system", "Reached target reboot.target - System Reboot.", "System is rebooting." },
  ignore  = { "Shutting down workers", "Power Button [PWRF]" },
  tells   = "an ordered shutdown",
}
signature {
  id      = "host.unclean",
  stream  = { "host", "kernel", "app" },
  needles = { "corrupted or uncleanly shut down", " - crash " },
  pattern = [[(?:corrupted or uncleanly shut down|^\S+ +\S+ +\S+ +.* - crash +\()]],
  fold    = {},
  match   = { "systemd-journald: File /var/log/journal/d704/system.journal corrupted or uncleanly shut down, renaming and replacing.",
              "ops      pts/0        10.20.4.19       Thu Aug 22 08:51 - crash  (00:26)" },
  ignore  = { "reboot   system boot  5.15.0-118-gener Thu Aug 22 09:17   still running" },
}
signature {
  id      = "host.power_event",
  stream  = "any",
  needles = { "Power Supply", "Power Unit", "| Asserted" },
  pattern = [[\| (?<sensor>Power (?:Supply|Unit)[^|]*?) *\| (?<event>[^|]*(?:AC lost|Redundancy [Ll]ost|Power off/down|Failure detected)[^|]*?) *\| Asserted]],
  fields  = { sensor = "text", event = "text" },
  match   = { "  1a5 | 08/22/2024 | 09:14:59 | Power Supply PS2 Status | Power Supply AC lost | Asserted" },
  ignore  = { "  1a7 | 08/22/2024 | 09:17:31 | System Boot Initiated | Initiated by power up | Asserted" },
  tells   = "{sensor}: {event}",
}

-- A marker counts where no banner of the kernel stands behind it.
local function unmatched(on)
  return keep(on["host.boot_marker"], function(m)
    return #keep(on["kernel.boot"], function(b) return b.member == m.member and b.line > m.line and b.line - m.line <= 50 end) == 0
  end)
end

correlate {
  id    = "host.reboot",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.boot", "host.boot_marker" },
  reach = { "host.log_title", "host.shutdown", "host.unclean", "host.power_event" },
  judge = function(case)
    local on, found = case.signals, {}
    local function here(list) return keep(list, function(s) return s.host == case.host or s.host == nil end) end
    local unclean, power = here(on["host.unclean"]), here(on["host.power_event"])
    -- some consoles and collectors print the banner again and again: one boot has one minute of them
    for _, banners in ipairs(episodes(minutes(1), on["kernel.boot"], unmatched(on))) do
      local boot = first(banners)
      -- life before it in the same log; the first line of a kernel buffer is no reboot
      local title = keep(on["host.log_title"], function(s) return s.member == boot.member and s.line < boot.line and boot.line - s.line <= 3 end)
      local alive = boot.line > 3 and #title == 0
      local ordered = keep(here(on["host.shutdown"]), function(s)
        local distance, known = gap(s, boot)
        return (s.member == boot.member and s.line < boot.line and boot.line - s.line < 2000) or (order(s, boot) ~= "after" and known and distance <= ORDERED)
      end)
      if alive and #ordered == 0 then
        local signs = keep(join(unclean), function(s)
          return s.utc == nil or is_near(boot, s, minutes(10))
        end)
        found[#found + 1] = {
          cause = "host.reboot", confidence = #signs + #power > 0 and "certain" or "likely", scope = "host", evidence = join({ boot }, signs, power),
          confidence_why = (boot.id == "kernel.boot" and "the kernel starts in the middle of the log" or "the journal goes over to another boot") .. ", and no shutdown was ordered before" .. (#power > 0 and "; the BMC logged a loss of power" or ""),
          summary = string.format("Node %s came up again without an ordered shutdown%s", case.host or "?", #power > 0 and ": " .. (power[1].fields.sensor .. ", " .. power[1].fields.event) or ""),
          facts = { kernel = boot.fields.kernel, power = #power > 0 and power[1].fields.event or nil },
        }
      end
    end
    return found
  end,
}
