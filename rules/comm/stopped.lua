-- A rank that somebody stopped: SIGSTOP, a debugger, a freezer of the shell. It answers nothing, writes no dump, and shows no error; the
-- others wait for it. ps says so where it was asked for the state and for where the process sleeps in the kernel.
-- Sources: ps(1), PROCESS STATE CODES; kernel/signal.c, do_signal_stop and ptrace_stop.
signature {
  id      = "ps.stopped",
  stream  = "any",
  needles = { "do_signal_stop", "ptrace_stop" },
  pattern = [[^\s*(?:[a-z_][\w.+-]*\s+)?(?<pid>\d+)\s(?:.*\s)?[Tt][sl<NLX+]*\s+(?:.*\s)?(?<where>do_signal_stop|ptrace_stop)\b]],
  fields  = { pid = "pid", where = "text" },
  match   = { "   5012    4980 Tl   do_signal_stop                   python3 train.py", "root 5012 0.3 Tl do_signal_stop python3 train.py" },
  ignore  = { "   5013    4980 Sl   futex_wait_queue                 python3 train.py", "[<0>] do_signal_stop+0x1b2/0x280", "   5014    4980 R    -                                grep do_signal_stop" },
  tells   = "process {pid} is stopped",
}

correlate {
  id    = "app.hang_outside.stopped",
  group = "job",
  uses  = { "ps.stopped" },
  reach = { "torch.watchdog_timeout", "gloo.timed_out", "fr.missing_rank", "fr.incomplete", "ras.missing_rank", "torch.desync_report" },
  judge = function(case)
    local on = case.signals
    local waits = join(on["torch.watchdog_timeout"], on["gloo.timed_out"], on["fr.missing_rank"], on["fr.incomplete"], on["ras.missing_rank"], on["torch.desync_report"])
    local stopped = keep(on["ps.stopped"], function(s) return s.rank ~= nil end)
    if #stopped == 0 or #waits == 0 then return {} end
    local ranks = distinct(stopped, "rank")
    local s = first(stopped)
    return { { cause = "app.hang_outside", confidence = "likely", scope = "rank", rank = #ranks == 1 and ranks[1] or nil, ranks = ranks, evidence = stopped,
      symptoms = join(on["fr.missing_rank"], on["fr.incomplete"], on["ras.missing_rank"]),
      confidence_why = "ps shows the rank's process stopped; that it was stopped when the others began to wait it does not show",
      summary = string.format("Rank%s %s %s stopped (process %s, %s)", #ranks == 1 and "" or "s", table.concat(ranks, ", "), #ranks == 1 and "is" or "are", tostring(s.pid or "?"),
        s.fields.where == "ptrace_stop" and "by a debugger" or "by a signal") } }
  end,
}
