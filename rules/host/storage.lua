-- File systems seen from elsewhere than the client's kernel: what GPFS itself waits for, a Lustre server that gives up a client, and a client that
-- could not write out what programs had been told was written. What the client's kernel says is in rules/host/stall.lua.
-- Sources: GPFS mmdiag and mmfs.log (deadlock detection); Lustre ldlm_lockd.c, pinger.c; WekaFS client messages.
signature {
  id      = "host.gpfs_waiter",
  stream  = { "kernel", "host", "app" },
  needles = { " sec since ", "ong waiter detected: ", "] Deadlock detected: " },
  pattern = [[(?:Waiting (?<seconds>\d+\.\d+) sec since [\d:_-]+, monitored, thread \d+ (?<thread>\w+)|\[[A-Z]\] (?:Unexpected long waiter|Deadlock) detected: [\d-]+ [\d:.]+: waiting (?<seconds>\d+\.\d+) seconds on node (?<host>[\w.-]+): (?<thread>\w+) \d+): (?<what>(?:on|for) .*?(?:on node (?<server>[\w.:]+)\b.*)?)$]],
  fields  = { seconds = "float", thread = "text", what = "text", server = "text", host = "host" },
  match   = { "Waiting 912.4567 sec since 2026-01-01_00:00:12, monitored, thread 12345 SharedHashTabFetchHandlerThread: on ThCond 0x7F2A1C0 (MsgRecordCondvar), reason 'RPC wait' for tmMsgTellAcquire1 on node 10.9.0.2 <c0n1>",
              "Waiting 0.0123 sec since 00:15:24, monitored, thread 23456 NSDThread: for I/O completion",
              "2026-01-01_00:10:12.101+0000: [A] Unexpected long waiter detected: 2026-01-01 00:05:00.563: waiting 335.949 seconds on node gpu-a02: NSDThread 48400: for I/O completion" },
  ignore  = { "Waiting 6861.7395 sec since 11:04:20, ignored, thread 19428 FsckClientReaperThread: on ThCond 0x7F138008 (FsckReaperCondvar), reason 'Waiting to reap fsck pointer'", "=== mmdiag: waiters ===" },
  tells   = "a thread of the file system has waited {seconds} s: {what}",
}
signature {
  id      = "host.lustre_evicts",
  stream  = { "kernel", "host" },
  needles = { "evicting client at ", "and I am evicting it" },
  pattern = [[^(?:LustreError|Lustre): (?:.*lock callback timer expired after (?<seconds>\d+)s: evicting client at (?<client>\S+)|(?<server>[\w-]+): haven't heard from client \S+ \(at (?<client>[^)]+)\) in (?<seconds>\d+) seconds\. I think it's dead, and I am evicting it)]],
  fields  = { seconds = "int", client = "text", server = "text" },
  match   = { "LustreError: 0:0:(ldlm_lockd.c:259:expired_lock_main()) ### lock callback timer expired after 151s: evicting client at 10.0.1.88@o2ib  ns: filter-fs-OST0001_UUID lock: ffff9c/0x1",
              "Lustre: fs-OST0001: haven't heard from client 0a1b2c3d (at 10.0.1.88@o2ib) in 227 seconds. I think it's dead, and I am evicting it. exp ffff9c, cur 1767225911" },
  ignore  = { "LustreError: 167-0: fs-OST0001-osc-ffff: This client was evicted by fs-OST0001; in progress operations using this service will fail." },
  tells   = "the file server evicts the client {client}",
}
signature {
  id      = "kernel.write_back_lost",
  stream  = "kernel",
  needles = { "wekafsio: " },
  pattern = [[^wekafsio: .*\bENOSPC\((?<errors>[1-9]\d*)\).* => -28\b]],
  fields  = { errors = "int" },
  fold    = {},
  match   = { "wekafsio: F[0x1a] N[run.log] total-sync-errs(ENOSPC(1), OTHER(0)) sync => -28" },
  ignore  = { "wekafsio: F[0x1a] N[run.log] total-errors(ENOSPC(0), OTHER(1)) => -5" },
  tells   = "the file system is full: what was written is lost",
}

-- Threads that wait by trade: to be asked for something.
local IDLE = [[^(?:EventsExporter\w*|FsckClientReaperThread|\w*ReaperThread|Msg\w*Idle\w*)$]]
local function waits(s) return s.fields.seconds >= 60 and match(s.fields.thread, IDLE) == nil and match(s.fields.what, [[^for poll on sock]]) == nil end
local LONG = 300 -- seconds: what GPFS itself calls an unexpectedly long waiter

correlate {
  id    = "host.fs_stall.gpfs_waiters",
  group = "host",
  uses  = { "host.gpfs_waiter" },
  reach = { "app.run_completed", "kernel.fs_lost", "kernel.stuck" },
  judge = function(case)
    local on = case.signals
    local waiters = keep(on["host.gpfs_waiter"], waits)
    local longest
    for _, s in ipairs(waiters) do
      if not longest or s.fields.seconds > longest.fields.seconds then longest = s end
    end
    if not longest then return {} end
    local server
    for _, s in ipairs(waiters) do server = server or s.fields.server end
    local over = longest.fields.seconds >= LONG and not ended_well(on["app.run_completed"], longest)
    return { { cause = "host.fs_stall", severity = over and "error" or "note", confidence = "likely", scope = "host", host = case.host, evidence = waiters,
      lag = seconds(longest.fields.seconds),
      symptoms = keep(on["kernel.stuck"], function(s) return s.host == case.host and s.fields.kind == "hung_task" and match(s.fields.stack or "", [=[\[mmfs|\[mmfslinux\]]=]) ~= nil end),
      confidence_why = over and "threads of GPFS wait for minutes; it calls that unexpected itself" or "threads of GPFS waited for a while, or the job ran past it",
      summary = string.format("GPFS waits%s: %d thread%s, the longest for %.0f s", server and " for " .. server or "", #waiters, #waiters == 1 and "" or "s", longest.fields.seconds),
      facts = { server = server, seconds = longest.fields.seconds } } }
  end,
}
correlate {
  id    = "host.fs_stall.lustre_evicts",
  group = "host",
  uses  = { "host.lustre_evicts" },
  reach = { "app.traceback", "kernel.fs_silent", "app.run_completed" },
  judge = function(case)
    local on, found = case.signals, {}
    for _, said in ipairs(group_by(on["host.lustre_evicts"], function(s) return s.fields.client end)) do
      local head = first(said)
      local lost = keep(on["app.traceback"], function(s)
        return match(s.fields.message or "", [=[\[Errno (?:5|107|108)\]|endpoint shutdown]=]) ~= nil and order(s, head) ~= "before" and is_near(head, s, minutes(10))
      end)
      local client = keep(on["kernel.fs_silent"], function(s) return is_near(head, s, minutes(10)) end)
      -- a server evicts the clients of machines that were switched off every day
      local hurt = #lost > 0 and not ended_well(on["app.run_completed"], head)
      found[#found + 1] = { cause = "host.fs_stall", severity = hurt and "error" or "note", confidence = "likely", scope = "job", ranks = {}, evidence = said, symptoms = join(lost, client),
        confidence_why = hurt and "the server gave the client up, and a program's operation failed behind it" or "the server's own words; whether the job's client was meant, its own log says",
        summary = string.format("A Lustre server evicted the client at %s, which had not answered for %s s", head.fields.client, tostring(head.fields.seconds or "?")), facts = { client = head.fields.client } }
    end
    return found
  end,
}
correlate {
  id    = "host.disk_full.write_back",
  group = "host",
  uses  = { "kernel.write_back_lost" },
  reach = { "app.traceback", "app.run_completed" },
  judge = function(case)
    local on = case.signals
    local said = on["kernel.write_back_lost"]
    local over = ended_well(on["app.run_completed"], said[1])
    return { { cause = "host.disk_full", severity = over and "note" or "error", confidence = "certain", scope = "host", host = case.host, evidence = said, ranks = {},
      symptoms = keep(on["app.traceback"], function(s) return match(s.fields.message or "", [=[\[Errno 28\]|No space left|\[Errno 5\]]=]) ~= nil and order(s, said[1]) ~= "before" end),
      confidence_why = "the client's driver says errno 28 for pages that programs had written", summary = "The shared file system is full: what had been written could not be kept" } }
  end,
}
