-- The node itself ran out of memory: constraint NONE (or CPUSET, MEMORY_POLICY), no memory cgroup named as full.
-- Source: kernel mm/oom_kill.c; "Out of memory: Killed process" has no "Memory cgroup" in front.
local NEAR = minutes(10)

correlate {
  id    = "host.global_oom.kernel",
  needs = { "kernel" },
  group = "host",
  uses  = { "oom.report", "kernel.panic" },
  reach = { "app.run_completed" },
  judge = function(case)
    local found = {}
    -- the kernel finds nobody whom it may kill (where it is set to panic instead of killing, the panic is the finding)
    for _, s in ipairs(case.signals["kernel.panic"]) do
      if match(s.fields.text, [[^Kernel panic - not syncing: System is deadlocked on memory]]) then
        local told = keep(case.signals["oom.report"], function(r) return (r.fields.killed or 0) == 0 and order(r, s) ~= "after" and is_near(r, s, NEAR) end)
        found[#found + 1] = { cause = "host.global_oom", confidence = "certain", scope = "host", evidence = join(told, { s }), symptoms = { s },
          confidence_why = "the kernel's own last words: it had no memory, and nobody to kill", summary = "The node ran out of memory, and the kernel stopped: " .. string.sub(s.fields.text, 1, 120) }
      end
    end
    local reports = keep(case.signals["oom.report"], function(s)
      return s.fields.memcg == nil and s.fields.constraint ~= "memcg" and s.fields.constraint ~= nil and (s.fields.killed or 0) > 0
    end)
    for _, run in ipairs(episodes(NEAR, reports)) do
      local f, ranks = first(run).fields, {}
      for _, s in ipairs(run) do if s.rank then ranks[#ranks + 1] = s.rank end end
      -- a program that is none of a job, and a job that ended well: it cost the job nothing
      local foreign = #ranks == 0 and match(f.process or "", [[(?i)python|torch|train|vllm|sglang|ray|mpi|nccl|java|julia|pt_]]) == nil
      local survived = foreign and ended_well(case.signals["app.run_completed"], last(run))
      found[#found + 1] = {
        cause = "host.global_oom", severity = survived and "note" or nil, confidence = "certain", scope = "host", evidence = run, ranks = ranks,
        confidence_why = "the kernel's own report says that the node, not a cgroup, was out of memory",
        summary = string.format("The node ran out of memory; the kernel killed %s", f.process or "a process"),
        facts = { process = f.process, pid = f.pid, cgroup = f.cgroup },
      }
    end
    return found
  end,
}
