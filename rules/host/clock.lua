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
  pattern = [[(?i)slurm_unpack_received_msg: \[\[(?<peer>[\w.-]+)\]:\d+\] (?:(?<told>REQUEST_(?:PING|NODE_REGISTRATION_STATUS|BATCH_JOB_LAUNCH|LAUNCH_\w+|TERMINATE_\w+|KILL_TIMELIMIT|HEALTH_CHECK|SIGNAL_TASKS)\b))?.*(?:expired|rewound) credential|(?:munge|auth).{0,80}(?:expired|rewound) credential|^(?:info|notice|warning|error): +(?:expired|rewound) credential|^STATUS: +(?:expired|rewound) credential|Job credential expired|check for out of sync clocks|certificate has expired or is not yet valid: current time \S+ is before|Clock skew too great]],
  fields  = { peer = "host", told = "text" },
  match   = { "slurmd: error: Munge decode failed: Expired credential", "STATUS:           Expired credential (15)", "Info:      Rewound credential",
              "error: slurm_unpack_received_msg: [[gpu-a02]:40112] MESSAGE_NODE_REGISTRATION_STATUS has authentication error: Rewound credential", "srun: error: Task launch for StepId=36.0 failed on node cn131: Job credential expired", "error: Check for out of sync clocks",
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

-- The two times of a credential, behind the line that refuses it: when its sender's clock made it, and when the reader's clock opened it. One
-- that could not be opened at all says 1970. Sources: slurm plugins/auth/munge (_print_cred), munge unmunge.c.
signature {
  id      = "host.credential_time",
  stream  = { "slurm", "host", "app" },
  needles = { "ENCODED: ", "DECODED: ", "ENCODE_TIME: ", "DECODE_TIME: " },
  pattern = [[(?<which>ENCODED|DECODED): \w{3} \w{3} {1,2}(?<day>\d{1,2}) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d) (?<year>\d{4})$|^(?<which>ENCODE|DECODE)_TIME: .*\((?<epoch>\d{1,12})\)$]],
  fields  = { which = "text", day = "int", hour = "int", minute = "int", second = "int", year = "int", epoch = "int" },
  match   = { "auth/munge: _print_cred: ENCODED: Thu Jan 01 00:10:00 2026", "DECODED: Thu Jan  1 00:00:00 2026", "ENCODE_TIME:      2026-01-01 00:00:00 +0000 (1767225600)" },
  ignore  = { "ENCODED: base64" },
}
local DAY = 86400
local function second_of(s)
  local f = s.fields
  if f.epoch then return f.epoch > DAY and f.epoch or nil end
  return f.year > 1970 and f.hour * 3600 + f.minute * 60 + f.second or nil
end
-- How far the sender's clock was ahead of the reader's, in seconds; nil where the times do not say it. Over midnight the shorter way counts.
local function ahead_of(made, opened)
  local a, b = second_of(made), second_of(opened)
  if not a or not b then return nil end
  if made.fields.epoch or made.fields.day == opened.fields.day then return a - b end
  local apart = (a - b) % DAY
  return apart > DAY // 2 and apart - DAY or apart
end
-- The pair that stands right behind a refusal, within FAR lines of it.
local FAR = 4
local function pair_behind(refusal, times)
  local made, opened
  for _, s in ipairs(times) do
    if s.member == refusal.member and s.line > refusal.line and s.line - refusal.line <= FAR then
      if string.sub(s.fields.which, 1, 2) == "EN" then made = made or s else opened = opened or s end
    end
  end
  if made and opened then return made, opened end
end

local REAL = 5 -- seconds; less than that no credential notices

correlate {
  id    = "host.clock_skew",
  group = "job",
  uses  = { "host.clock_off", "host.clock_refused" },
  reach = { "srun.launch_failed", "host.credential_time" },
  judge = function(case)
    local on = case.signals
    local off = keep(on["host.clock_off"], function(s) return s.fields.seconds == nil or math.abs(s.fields.seconds) >= REAL end)
    local refused = on["host.clock_refused"]
    if #off + #refused == 0 then return {} end
    local launches = keep(on["srun.launch_failed"], function(s) return match(s.fields.why, [[redential]]) ~= nil end)
    -- whoever is refused by all others, or refuses all others, is off; of two alone it cannot be said, and the one that is spoken of is named
    local peers = distinct(refused, function(s) return s.fields.peer end)
    -- a node hears its controller alone: that one node refuses it may be the fault of either
    local heard = keep(refused, function(s) return s.fields.told ~= nil end)
    local either = #heard > 0 and #distinct(heard, "member") == 1
    local writer = refused[1] and refused[1].fields.peer == nil and refused[1].host or nil
    local host = #off > 0 and off[1].host or #launches > 0 and launches[1].host or #peers == 1 and not either and peers[1] or #peers == 0 and writer or nil
    local seconds_off, times, apart = #off > 0 and off[1].fields.seconds, {}, nil
    for _, s in ipairs(refused) do
      local made, opened = pair_behind(s, on["host.credential_time"])
      apart = made and ahead_of(made, opened)
      if apart then
        times = { made, opened }
        break
      end
    end
    local by = seconds_off or apart
    return { { cause = "host.clock_skew", severity = #refused > 0 and "error" or "note", confidence = #off > 0 and #refused > 0 and "certain" or "likely", scope = host and "host" or "job", host = host, hosts = not host and {} or nil, ranks = {},
      evidence = join(off, refused, times), symptoms = launches,
      confidence_why = #refused > 0 and (#off > 0 and "the time daemon says how far the clock is off, and credentials are refused for it" or apart and "credentials are refused for their time, and the time they were made at and the time they were read at stand beside it" or "credentials are refused for their time") or "a clock was set; nothing was refused for it",
      summary = apart and not seconds_off and string.format("The clock of %s differs by %d s from that of the machine it talks to%s; credentials are refused", host or "a host", math.abs(apart), apart > 0 and " (whoever sent them is ahead)" or " (whoever sent them is behind)")
        or string.format("The clock of %s is off%s%s", host or "a host", by and string.format(" by %.0f s", math.abs(by)) or "", #refused > 0 and "; credentials are refused" or ""),
      facts = { seconds = by or nil } } }
  end,
}
