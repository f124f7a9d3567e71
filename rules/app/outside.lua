-- Work that one rank does alone while the others already wait for it: a data set that is tokenised, shards that are merged or saved, an
-- evaluation on rank 0. Such work counts, "40/191", and the counter of a training loop looks alike, so the word before it decides.
-- Sources: HF datasets and Transformers progress bars, checkpoint writers of NeMo, Megatron, DeepSpeed, Accelerate; tqdm.
signature {
  id      = "app.outside_work",
  stream  = "app",
  needles = { "okeniz", "onsolidat", "Map:", "Map (", "apping", "iltering", "Filter (", "reprocess", "re-process", "Pre-Process", "aving", "ownload", "Evaluat", "evaluat", "Generating ", "onvert", "erging", "acking",
              "uilding ", "pload", "uantiz", "checkpoint shards", "ndexing", "reparing ", "B/s]", "files/s]", "docs/s]", "lines/s]", "rows/s]", "examples/s]" },
  pattern = [[(?i)(?:(?:\brank[ :=\[]{1,2}(?<own>\d+)\b.{0,40}?)?\b(?<what>(?:running )?tokeniz(?:er|ing)(?: on \w+)?|consolidat(?:ing|ion)|map(?:ping)?(?= ?[:(])|filter(?:ing)?(?= ?[:(])|pre-?process(?:ing)?|saving(?: [\w-]+){0,3}|writing shards?|download(?:ing)?(?: \w+)?|load(?:ing)? (?:\w+ )?checkpoint shards|(?:building|generating|preparing)(?: \w+){1,3}|evaluat(?:ing|ion)|converting|merging|packing|uploading|quantiz(?:ing|ation)|indexing)\b(?!.*\|\s*(?:loss|lm loss))[^\n]{0,90}?\b(?<done>\d+)\s*/\s*(?<all>\d+)\b|\d%\|[^|]*\| *(?<done>\d+)/(?<all>\d+) \[[\d:]+<[\d:?]+, +[\d.]+(?<what>[kMGT]?i?B|files|docs|lines|rows|examples)/s\])]],
  fields  = { own = "rank", what = "text", done = "int", all = "int" },
  match   = { "Running tokenizer on dataset (num_proc=1):  11%|##        | 99000/900000 [01:00<11:10, 24.11 examples/s]", "Rank 0: consolidating shard 40/191", "Map: 42%|####  | 378000/900000 [04:00<14:10, 24.1 examples/s]",
              "INFO saving checkpoint-4000: writing shard 9/64 to /mnt/obj/ck",
              "Preparing test set...:  46%|####  | 31/67 [29:02<35:12, 58.67s/it]",
              " 35%|####      | 7381121/20814010 [30:01<57:14, 3911.81lines/s]", " 12%|#   | 120/1000 [00:10<01:20, 11.0MB/s]" },
  ignore  = { "Epoch 1:  35%|####      | 738/2081 [30:01<57:14, 2.4s/it]", "Loading weights 3/4 done in 2 s", "iteration 120/ 500000 | saving every 1000", "processed 40/191" },
  tells   = "{what}: {done} of {all}",
}
signature {
  id      = "app.store_waited_for",
  stream  = "app",
  needles = { "store->get(" },
  pattern = [[\[(?<waiter>\d+)\] is setting up NCCL communicator and retrieving ncclUniqueId from \[(?<from>\d+)\] via c10d key-value store by key '[^']*', but store->get\('[^']*'\) got error: (?:Socket Timeout|wait timeout)]],
  fields  = { waiter = "rank", from = "int" },
  match   = { "torch.distributed.DistBackendError: [3] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via c10d key-value store by key '0', but store->get('0') got error: Socket Timeout" },
  ignore  = { "[3] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via c10d key-value store by key '0', but store->get('0') got error: Connection reset by peer" },
}

-- A server that begins to compile a kernel between two requests. Its other ranks wait in the next collective.
-- Source: vLLM jit_monitor.py.
signature {
  id      = "app.jit_in_service",
  stream  = "app",
  needles = { "JIT compilation during inference" },
  pattern = [[\bJIT compilation during inference: (?<what>[\w.]+)]],
  fields  = { what = "text" },
  match   = { "Triton kernel JIT compilation during inference: _prepare_dflash_inputs_kernel. This causes a latency spike; consider extending warmup to cover this shape/config." },
  ignore  = { "JIT compilation of 12 kernels finished before inference" },
  tells   = "a kernel is compiled during service: {what}",
}
correlate {
  id    = "app.hang_outside.compiling",
  group = "job",
  uses  = { "app.jit_in_service" },
  reach = { "torch.watchdog_timeout", "app.progress", "app.good_end" },
  judge = function(case)
    local on, waiting = case.signals, {}
    local waits = on["torch.watchdog_timeout"]
    if #waits == 0 or #on["app.good_end"] > 0 then return {} end
    for _, s in ipairs(waits) do
      if s.rank then waiting[s.rank] = true end
    end
    -- the last of them, at the moment when the others began to wait, on a rank that is not among those
    local s = last(keep(on["app.jit_in_service"], function(j) return (j.rank == nil or not waiting[j.rank]) and order(j, waits[1]) ~= "after" end))
    if not s then return {} end
    local distance, known = gap(s, waits[1])
    local begun = waits[1].fields.ran_ms * 1000000
    local one = s.clock ~= nil and s.clock == waits[1].clock -- else the distance is only the least that is possible
    if known and (distance > begun + minutes(1) or one and distance < begun - minutes(1)) then return {} end
    return { { cause = "app.hang_outside", confidence = one and "likely" or "possible", scope = "job", rank = s.rank, ranks = s.rank and { s.rank } or {}, host = s.host, evidence = { s }, symptoms = waits,
      confidence_why = one and "it began to compile when the others began to wait" or "it began to compile and is not among those that waited; the clocks do not tell whether at that moment",
      summary = string.format("%s was compiling %s while the others waited for it", s.rank and "rank " .. s.rank or "a rank", s.fields.what) } }
  end,
}

-- A rank that tunes its kernels while the others are in the first collective already: one machine has a warm cache, the other has none.
-- Source: torch/_inductor/select_algorithm.py, 2.1 and later.
signature {
  id      = "app.autotuning",
  stream  = "app",
  needles = { "AUTOTUNE " },
  pattern = [[\bAUTOTUNE (?:benchmarking takes (?<seconds>[\d.]+) seconds|\w+\(\d+x\d+)]],
  fields  = { seconds = "float" },
  match   = { "SingleProcess AUTOTUNE benchmarking takes 0.5154 seconds and 2.9571 seconds precompiling for 20 choices", "AUTOTUNE mm(32768x768, 768x3072)" },
  ignore  = { "AUTOTUNE disabled" },
  tells   = "kernels are tuned",
}
correlate {
  id    = "app.hang_outside.autotuning",
  group = "job",
  uses  = { "app.autotuning" },
  reach = { "torch.watchdog_timeout", "app.progress", "app.good_end" },
  judge = function(case)
    local on, waiting, found = case.signals, {}, {}
    local waits = on["torch.watchdog_timeout"]
    if #waits == 0 or #on["app.good_end"] > 0 then return {} end
    for _, s in ipairs(waits) do
      if s.rank then waiting[s.rank] = true end
    end
    local others = keep(on["app.autotuning"], function(s) return s.rank ~= nil and not waiting[s.rank] end)
    for _, tuned in ipairs(group_by(others, "rank")) do
      local rank = tuned[1].rank
      local head, tail, took = first(tuned), last(tuned), 0
      for _, s in ipairs(tuned) do took = took + (s.fields.seconds or 0) end
      local moved = #keep(on["app.progress"], function(p) return p.member == tail.member and p.rank == rank and p.line > tail.line end) > 0
      -- tuning of every day is over in seconds; here it took a good part of what the others waited
      local length, known = gap(head, tail)
      local enough = took * 1000 >= waits[1].fields.ran_ms // 4 or known and head.clock ~= nil and head.clock == tail.clock and length >= waits[1].fields.ran_ms * 1000000 // 2
      if not moved and enough and order(head, waits[1]) ~= "after" then
        found[#found + 1] = { cause = "app.hang_outside", confidence = "likely", scope = "rank", rank = rank, ranks = { rank }, host = head.host, evidence = tuned, symptoms = waits,
          confidence_why = "it still tuned kernels and is not among those that waited; nothing in its output comes after the tuning",
          summary = string.format("rank %d was tuning kernels while the others waited for it", rank) }
      end
    end
    return found
  end,
}

-- Ranks 1, 2, 3 gave up and rank 0 did not: the one that others wait for, where nothing says whose the work is.
local function the_missing(waiting)
  local most = -1
  for r in pairs(waiting) do most = math.max(most, r) end
  if most < 1 or waiting[0] then return nil end
  for r = 1, most do
    if not waiting[r] then return nil end
  end
  return 0
end

correlate {
  id    = "app.hang_outside.working",
  group = "job",
  uses  = { "app.outside_work" },
  reach = { "torch.watchdog_timeout", "app.store_waited_for", "gloo.timed_out", "app.traceback", "app.exception_line", "app.progress", "app.good_end" },
  judge = function(case)
    local on, waiting = case.signals, {}
    local function is_wait(s) return match(s.fields.message or "", [[Timed out waiting \d+ms for (?:recv|send)|wait timeout after \d+ms|timed out in blocking wait]]) ~= nil end
    local raised = join(on["gloo.timed_out"], keep(on["app.traceback"], is_wait), keep(on["app.exception_line"], is_wait))
    local gave_up = join(on["torch.watchdog_timeout"], on["app.store_waited_for"], raised)
    if #gave_up == 0 or #on["app.good_end"] > 0 then return {} end
    local from
    for _, s in ipairs(join(on["torch.watchdog_timeout"], raised)) do
      if s.rank then waiting[s.rank] = true end
    end
    for _, s in ipairs(on["app.store_waited_for"]) do
      if s.fields.waiter then waiting[s.fields.waiter] = true end
      from = from or s.fields.from
    end
    local by_what, found = {}, {}
    for _, w in ipairs(on["app.outside_work"]) do
      local s = first(keep(gave_up, function(g) return g.member == w.member end))
      if s then
        by_what[w.fields.what] = by_what[w.fields.what] or { before = {}, after = {}, s = s }
        table.insert(by_what[w.fields.what][w.line < s.line and "before" or "after"], w)
      end
    end
    for what in pairs(by_what) do
      local one = by_what[what]
      local latest = last(one.before)
      -- a training step behind the last counter means that this work was over
      local moved = latest and #keep(on["app.progress"], function(p) return p.member == latest.member and p.count == 1 and p.line > latest.line and p.line < one.s.line end) > 0
      if latest and not moved and (#one.after > 0 or latest.fields.done < latest.fields.all) then
        local rank = latest.fields.own or latest.rank or from or the_missing(waiting)
        if rank == nil or not waiting[rank] then
          local f = (last(one.after) or latest).fields
          found[#found + 1] = { cause = "app.hang_outside", confidence = #one.after > 0 and "likely" or "possible", scope = "job", rank = rank, ranks = rank and { rank } or {},
            evidence = join(one.before, one.after), symptoms = gave_up,
            confidence_why = #one.after > 0 and "its counter goes on after the others gave up waiting" or "its counter had not reached the end when the others gave up waiting",
            summary = string.format("%s was still busy (%s, %d of %d) while the other ranks waited for it", rank and "rank " .. rank or "a rank", what, f.done or 0, f.all or 0) }
        end
      end
    end
    return found
  end,
}

-- A process of the job that somebody stopped (SIGSTOP, a debugger): it answers nobody, and the others wait.
correlate {
  id    = "app.hang_outside.stopped",
  group = "job",
  uses  = { "host.process" },
  reach = { "torch.watchdog_timeout", "gloo.timed_out", "nccl.init_complete", "fr.incomplete", "fr.missing_rank", "torch.desync_report", "ras.missing_rank", "app.good_end" },
  judge = function(case)
    local on = case.signals
    local stopped = keep(on["host.process"], function(p)
      return match(p.fields.state or "", [[^[Tt]$]]) ~= nil and match((p.fields.process or "") .. " " .. (p.fields.command or ""), [[(?i)python|torch|ray::|train|mpi|vllm|sglang|_perf\b]]) ~= nil
    end)
    local waits = join(on["torch.watchdog_timeout"], on["gloo.timed_out"], on["fr.incomplete"], on["fr.missing_rank"], on["torch.desync_report"], on["ras.missing_rank"])
    if #stopped == 0 or #on["app.good_end"] > 0 or #waits + #on["nccl.init_complete"] == 0 then return {} end
    local s = stopped[1]
    return { { cause = "app.hang_outside", confidence = #waits > 0 and "certain" or "likely", scope = s.rank and "rank" or "process", host = s.host, pid = s.pid, rank = s.rank, ranks = s.rank and { s.rank } or {}, evidence = stopped, symptoms = waits,
      confidence_why = "the list of processes shows it stopped (state T); who stopped it is not in it",
      summary = string.format("%s (pid %s) is stopped: it runs nothing until somebody continues it", s.fields.process or "a process", tostring(s.pid or "?")) } }
  end,
}

-- SGLang's ranks load their weights and meet at a barrier of eight minutes behind that. Whoever was there says only that others were not, and
-- guesses; who began and neither ended nor complained is who they waited for. Source: sglang srt/model_executor/model_runner.py, load_model.
signature {
  id      = "sglang.load_step",
  stream  = "app",
  needles = { "Load weight ", "could finish the model loading" },
  pattern = [=[(?:^|\] )Load weight (?<step>begin|end)\b|TP rank (?<tp>\d+) (?<step>could finish) the model loading, but there are other ranks]=],
  fields  = { tp = "int", step = "text" },
  match   = { "Load weight begin. avail mem=138.10 GB", "[2026-04-16 09:04:12 DP0 TP3 EP3] Load weight end. elapsed=240.1 s, type=DeepseekV3ForCausalLM, avail mem=30.10 GB",
              "ValueError: TP rank 1 could finish the model loading, but there are other ranks that didn't finish loading. It is likely due to unexpected failures (e.g., OOM) or a slow node." },
  ignore  = { "Load weight of the drafter" },
}
local function tp_of(s) return s.fields.tp or s.rank end
correlate {
  id    = "comm.missing_rank.loading",
  group = "job",
  uses  = { "sglang.load_step" },
  reach = { "gloo.barrier_missing", "gloo.timed_out", "app.traceback", "app.good_end" },
  judge = function(case)
    local on, ended, waited = case.signals, {}, {}
    local steps = on["sglang.load_step"]
    local said = keep(steps, function(s) return s.fields.step == "could finish" end)
    -- the barrier's own words, where rank 0 has them, are better
    if #said == 0 or #on["gloo.barrier_missing"] + #on["app.good_end"] > 0 then return {} end
    for _, s in ipairs(said) do waited[tp_of(s)] = true end
    local ends = keep(steps, function(s) return s.fields.step == "end" end)
    for _, s in ipairs(ends) do ended[tp_of(s) or -1] = true end
    local late = keep(steps, function(s) return s.fields.step == "begin" and tp_of(s) and not ended[tp_of(s)] and not waited[tp_of(s)] end)
    local ranks = distinct(late, tp_of)
    if #ranks == 0 or #ranks >= #distinct(said, tp_of) then return {} end
    table.sort(ranks)
    local shown = #ends > 0
    local echoes = keep(on["app.traceback"], function(t) return match(t.fields.message or "", [[other ranks that didn't finish loading|Timed out waiting \d+ms]]) ~= nil end)
    return { { cause = shown and "app.hang_outside" or "comm.missing_rank", confidence = "likely", scope = "job", rank = ranks[1], ranks = ranks, evidence = join(late, said), symptoms = join(on["gloo.timed_out"], echoes),
      confidence_why = shown and "it began to load and did not end, the others ended and waited" or "it began to load, and is not among those that waited at the barrier behind that",
      summary = string.format("rank%s %s did not come to the barrier after loading; the others waited and gave up", #ranks == 1 and "" or "s", table.concat(ranks, ", ")) } }
  end,
}

-- Work without a counter: what a rank says when it begins. It counts only where nothing shows that it ended, and where who did it is known.
-- Sources: Megatron data/*_dataset.py, fused_kernels; checkpoint writers of training loops; no single format.
signature {
  id      = "app.outside_begins",
  stream  = "app",
  needles = { "building the indices on rank ", " > building ", "> compiling and loading fused kernels", "aving " },
  pattern = [[(?i)^(?:.{0,200} )?(?:(?<what>building the (?:indices|index)) on rank (?<own>\d+)(?: \.\.\.)?|> (?<what>building [a-z]+ (?:index|mapping|dataset)[^\n]{0,40}) \.\.\.$|> (?<what>compiling and loading fused kernels)(?: \.\.\.)?|(?<what>saving (?:[a-z]+ ){0,3}(?:checkpoint|model|weights|optimizer state))\b(?![^\n]*\b(?:done|took|in [\d.]+ ?s|finished|every|interval|enabled|disabled)\b)[^\n]{0,300})$]],
  fields  = { own = "rank", what = "text" },
  match   = { " > WARNING: could not find index map file data_indexmap.npy, building the indices on rank 0 ...", " > building samples index mapping for train ...", "> compiling and loading fused kernels ...",
              "2026-02-18 10:28:25,496 - root - INFO - Saving latest checkpoint model trained for 3 complete epochs", "[rank 0] saving checkpoint to /ck/step_400" },
  ignore  = { "saving checkpoint done in 12 s", "Saving model every 500 steps", "saved checkpoint", "saving memory by recomputation" },
  tells   = "{what} begins",
}
signature {
  id      = "app.outside_ends",
  stream  = "app",
  needles = { ">>> done with", "elapsed time to build", "aved ", "done with compiling", "aving done", "uccessfully saved" },
  pattern = [[(?i)>>> done with|elapsed time to build|\bsaved\b.{0,80}|done with compiling|saving done]],
  fields  = {},
  fold    = {},
  match   = { ">>> done with compiling and loading fused kernels. Compilation time: 3.2 seconds", "Saved checkpoint to /ck/step_400", " > elapsed time to build and save samples mapping (seconds): 12.3" },
  ignore  = { "saving checkpoint" },
}
correlate {
  id    = "app.hang_outside.begun",
  group = "job",
  uses  = { "app.outside_begins" },
  reach = { "app.outside_ends", "app.outside_work", "torch.watchdog_timeout", "gloo.timed_out", "app.traceback", "app.progress", "app.good_end", "fr.incomplete", "fr.missing_rank", "fr.op_mismatch" },
  judge = function(case)
    local on, waiting = case.signals, {}
    local waits = join(on["torch.watchdog_timeout"], on["gloo.timed_out"])
    local socket = keep(on["app.traceback"], function(t) return match((t.fields.type or "") .. ": " .. (t.fields.message or ""), [[^RuntimeError: Socket Timeout$]]) ~= nil end)
    if #waits + #socket == 0 or #on["app.good_end"] + #on["fr.incomplete"] + #on["fr.missing_rank"] + #on["fr.op_mismatch"] > 0 then return {} end
    for _, w in ipairs(waits) do
      if w.rank then waiting[w.rank] = true end
    end
    local head = first(join(waits, socket))
    local begun = keep(on["app.outside_begins"], function(b) return b.member == head.member and b.line < head.line end)
    local s = last(begun)
    if not s then return {} end
    local function came_after(list) return #keep(list, function(o) return o.member == s.member and o.line > s.line and o.line < head.line end) > 0 end
    if came_after(on["app.outside_ends"]) or came_after(on["app.progress"]) or came_after(on["app.outside_work"]) then return {} end
    local named = first(keep(begun, function(b) return b.fields.own ~= nil end))
    local rank = s.fields.own or s.rank or named and named.fields.own or the_missing(waiting)
    if rank == nil or waiting[rank] then return {} end
    -- the work ended in an exception: that is why it did not come
    local raised = keep(on["app.traceback"], function(t) return t.rank == nil or t.rank == rank end)
    if came_after(raised) then return {} end
    -- where both have a time, the wait began when the work did
    local distance, known = gap(s, head)
    local timed = known and s.clock ~= nil and s.clock == head.clock and head.fields.ran_ms ~= nil
    if timed and math.abs(distance - head.fields.ran_ms * 1000000) > minutes(2) then return {} end
    return { { cause = "app.hang_outside", confidence = timed and "likely" or "possible", scope = "job", rank = rank, ranks = { rank }, evidence = { s }, symptoms = join(waits, socket),
      confidence_why = timed and "it began this work when the others began to wait, and nothing shows its end" or "it is the last that was begun before the others gave up, and nothing shows its end",
      summary = string.format("rank %d began work of its own (%s) and did not come to the collective that the others wait in", rank, s.fields.what) } }
  end,
}
