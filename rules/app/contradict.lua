-- Two sources that cannot both be right. None of it is a cause; the report shows both, for people who read only one of them draw the wrong
-- conclusion. See analyzer/verdict/contradiction.c: a note that carries the fact `contradicts`.
local NEAR = minutes(30)

local function note(cause, evidence, words)
  return { cause = cause, severity = "note", confidence = "certain", scope = "job", evidence = evidence, confidence_why = "both stand in the bundle",
    summary = words, facts = { contradicts = words } }
end

-- The first two that are not proven far apart.
local function pair(list, other)
  for _, a in ipairs(list) do
    for _, b in ipairs(other) do
      if is_near(a, b, NEAR) then return { a, b } end
    end
  end
end

-- RAS answers for every rank, and the watchdog gives up on a collective: RAS knows that processes live, not that their collectives move.
correlate {
  id    = "says.ras_well_watchdog_fires",
  group = "job",
  uses  = { "ras.comm" },
  reach = { "torch.watchdog_timeout", "ras.missing_rank", "ras.rank_differs", "ras.process" },
  judge = function(case)
    local on = case.signals
    if #on["ras.missing_rank"] + #on["ras.rank_differs"] + #on["ras.process"] > 0 then return {} end
    local well = keep(on["ras.comm"], function(s) return (s.fields.errors or "OK") == "OK" and (s.fields.size == nil or s.fields.ranks == nil or s.fields.ranks >= s.fields.size) end)
    local both = pair(well, on["torch.watchdog_timeout"])
    if not both then return {} end
    return { note("comm.timeout", both, "RAS says that every rank of the communicator answers, and the watchdog of a rank gave up on a collective: processes live, their work does not move") }
  end,
}

-- The launcher names the rank that it saw end first; the kernel names whom it killed before.
correlate {
  id    = "says.launcher_root_kernel_root",
  group = "job",
  uses  = { "launcher.worker_failed" },
  reach = { "oom.report" },
  judge = function(case)
    local on = case.signals
    local killed = keep(on["oom.report"], function(s) return (s.fields.killed or 0) > 0 and s.rank ~= nil end)
    local blamed = keep(on["launcher.worker_failed"], function(s)
      return s.rank ~= nil and s.fields.root == 1
        and #keep(killed, function(k) return k.rank == s.rank end) == 0
    end)
    local both = pair(blamed, killed)
    if not both then return {} end
    return { note("app.exception", both, string.format("The launcher calls rank %d the root cause, and the kernel killed rank %d", both[1].rank, both[2].rank)) }
  end,
}

-- A process that the kernel killed ends by signal 9. One that the launcher saw exit by itself is another, or an earlier one.
correlate {
  id    = "says.exit_code_kernel",
  group = "job",
  uses  = { "launcher.worker_failed" },
  reach = { "oom.report" },
  judge = function(case)
    local on = case.signals
    for _, s in ipairs(on["launcher.worker_failed"]) do
      local killed = keep(on["oom.report"], function(k) return (k.fields.killed or 0) > 0 and s.rank ~= nil and k.rank == s.rank and is_near(k, s, NEAR) end)
      if (s.fields.exitcode or -9) >= 0 and #killed > 0 then
        return { note("app.exception", { s, killed[1] }, string.format("The launcher saw rank %d exit with code %d, and the kernel killed that rank", s.rank, s.fields.exitcode)) }
      end
    end
    return {}
  end,
}
