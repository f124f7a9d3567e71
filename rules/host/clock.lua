-- Clocks that disagree between hosts. Credentials, certificates and leases carry a time: a host that is minutes off is refused, and the job
-- sees a launch that fails. A daemon that steps the clock at boot is everyday; only what was refused for it is a fault.
-- Sources: chronyd 4 reference.c, ntpd and ntpdate, systemd-timesyncd; munge 0.5 and Slurm auth/munge; Go crypto/x509; etcd rafthttp.
signature {
  id      = "host.clock_off",
  stream  = { "host", "app" },
  needles = { "System clock wrong by", "System clock was stepped by", "time reset ", "step time server", "clock difference against peer", "unset or jumped backwards", " of NTP time" },
  pattern = [[(?:System clock (?:wrong by|was stepped by)|time reset|step time server \S+ offset|System time +:) (?<seconds>[+-]?[\d.]+) ?s(?:ec|econds)?\b(?: (?:slow|fast) of NTP time)?|clock difference against peer .*too high \[(?<seconds>[\d.]+)s|System clock time unset or jumped backwards]],
  fields  = { seconds = "float" },
  match   = { "System clock wrong by -412.309112 seconds", "System clock was stepped by 3600.000112 seconds", "time reset +91.312040 s", "step time server 10.0.0.1 offset -312.441 sec",
              "the clock difference against peer 3f1a is too high [4.7s > 1s]", "System time     : 412.309112034 seconds slow of NTP time" },
  ignore  = { "Selected source 10.0.0.1 (ntp)", "Frequency -12.1 +/- 0.04 ppm read from /var/lib/chrony/drift" },
  tells   = "the clock is off by {seconds} s",
}
signature {
  id      = "host.clock_refused",
  stream  = { "slurm", "app", "host", "k8s" },
  needles = { "xpired credential", "ewound credential", "credential expired", "out of sync clocks", "is not yet valid", "Clock skew too great" },
  pattern = [[(?i)(?:munge|auth).{0,80}(?:expired|rewound) credential|Job credential expired|check for out of sync clocks|certificate has expired or is not yet valid: current time \S+ is before|Clock skew too great]],
  fields  = {},
  match   = { "slurmd: error: Munge decode failed: Expired credential", "srun: error: Task launch for StepId=36.0 failed on node cn131: Job credential expired", "error: Check for out of sync clocks",
              "x509: certificate has expired or is not yet valid: current time 2026-01-01T00:00:00Z is before 2026-03-01T00:00:00Z" },
  ignore  = { "credential expires in 86400 s", "x509: certificate has expired or is not yet valid: current time 2026-03-01T00:00:00Z is after 2026-01-01T00:00:00Z" },
  tells   = "a credential is refused for its time",
}
signature {
  id      = "srun.launch_failed",
  stream  = { "slurm", "app" },
  needles = { "Task launch for " },
  pattern = [[Task launch for (?:StepId=)?(?<step>\S+) failed on node (?<node>[\w.-]+): (?<why>.+)]],
  fields  = { step = "text", node = "host", why = "text" },
  match   = { "srun: error: Task launch for StepId=36.0 failed on node cn131: Job credential expired" },
  ignore  = { "srun: error: Application launch failed: Job credential expired" },
  tells   = "srun cannot start a task on {node}: {why}",
}

local REAL = 5 -- seconds; less than that no credential notices

correlate {
  id    = "host.clock_skew",
  group = "job",
  uses  = { "host.clock_off", "host.clock_refused" },
  reach = { "srun.launch_failed" },
  judge = function(case)
    local on = case.signals
    local off = keep(on["host.clock_off"], function(s) return s.fields.seconds == nil or math.abs(s.fields.seconds) >= REAL end)
    local refused = on["host.clock_refused"]
    if #off + #refused == 0 then return {} end
    local launches = keep(on["srun.launch_failed"], function(s) return match(s.fields.why, [[redential]]) ~= nil end)
    local host = #off > 0 and off[1].host or #launches > 0 and launches[1].host or refused[1] and refused[1].host
    local seconds_off = #off > 0 and off[1].fields.seconds
    return { { cause = "host.clock_skew", severity = #refused > 0 and "error" or "note", confidence = #off > 0 and #refused > 0 and "certain" or "likely", scope = "host", host = host,
      evidence = join(off, refused), symptoms = launches,
      confidence_why = #refused > 0 and (#off > 0 and "the time daemon says how far the clock is off, and credentials are refused for it" or "credentials are refused for their time") or "a clock was set; nothing was refused for it",
      summary = string.format("The clock of %s is off%s%s", host or "a host", seconds_off and string.format(" by %.0f s", math.abs(seconds_off)) or "", #refused > 0 and "; credentials are refused" or ""),
      facts = { seconds = seconds_off or nil } } }
  end,
}
