-- Stacks of a job that stands still, as py-spy prints them: by hand into a file for each process, or by SGLang's watchdog into the log. Ranks
-- of one group that wait in different collectives wait for ever. Sources: py-spy dump.rs, SGLang utils/watchdog.py, torch distributed_c10d.py.
signature {
  id      = "pyspy.process",
  stream  = "any",
  needles = { "Process " },
  pattern = [[^Process (?<pid>\d+): (?<name>\S.*)$]],
  fields  = { pid = "pid", name = "text" },
  match   = { "Process 5203: sglang::scheduler_TP3", "Process 71422: /opt/venv/bin/python -u train.py --config run.yaml" },
  ignore  = { "Process group 3: created", "  Process name: [[41022,1],1]" },
}
signature {
  id      = "pyspy.collective",
  stream  = "any",
  needles = { "distributed_c10d.py:" },
  pattern = [[^\s+(?<op>all_reduce|all_gather|broadcast|reduce_scatter|barrier|all_to_all)\w* \(\S*distributed_c10d\.py:\d+\)$]],
  fields  = { op = "text" },
  match   = { "    all_gather_into_tensor (torch/distributed/distributed_c10d.py:3842)", "    broadcast (torch/distributed/distributed_c10d.py:2712)" },
  ignore  = { '  File "/opt/torch/distributed/distributed_c10d.py", line 2712, in broadcast', "    wrapper (torch/distributed/c10d_logger.py:81)" },
  tells   = "a stack stands in {op}",
}

local FRAMES = 60 -- lines of one stack's threads that are looked through

local function rank_of(head)
  local name = head.fields.name
  return tonumber(match(name, [[(?:_|::|-)TP(\d+)\b]]) or match(name, [[(?i)\brank[ =_-]?(\d+)\b]]) or match(head.member or "", [[(?i)rank[_-]?(\d+)]])) or head.rank
end

-- The innermost collective of each rank's last stack: rank -> signal.
local function places(heads, frames)
  local at, ranks = {}, {}
  for _, head in ipairs(heads) do
    local rank = rank_of(head)
    local following = first(keep(heads, function(h) return h.member == head.member and h.line > head.line end))
    local last_line = math.min(head.line + FRAMES, following and following.line or head.line + FRAMES)
    local frame = first(keep(frames, function(f) return f.member == head.member and f.line > head.line and f.line <= last_line end))
    if rank then
      if not at[rank] then ranks[#ranks + 1] = rank end
      at[rank] = frame or false
    end
  end
  table.sort(ranks)
  return at, ranks
end

correlate {
  id    = "comm.op_mismatch.stacks",
  group = "job",
  uses  = { "pyspy.collective" },
  reach = { "pyspy.process", "sglang.watchdog", "torch.watchdog_timeout", "vllm.shm_wait", "app.good_end" },
  judge = function(case)
    local on, sides, kinds = case.signals, {}, {}
    -- of a job that moves, two stacks are never of one moment: only where something says that it stood
    local stood = join(on["sglang.watchdog"], on["torch.watchdog_timeout"], on["vllm.shm_wait"])
    if #stood == 0 or #on["app.good_end"] > 0 then return {} end
    local at, ranks = places(on["pyspy.process"], on["pyspy.collective"])
    for _, rank in ipairs(ranks) do
      local frame = at[rank]
      if not frame then return {} end -- a rank that stands in none may be what the others wait for: another matter
      local op = frame.fields.op
      if not sides[op] then
        sides[op] = { op = op, ranks = {}, frames = {} }
        kinds[#kinds + 1] = sides[op]
      end
      table.insert(sides[op].ranks, rank)
      table.insert(sides[op].frames, frame)
    end
    if #kinds ~= 2 then return {} end
    local odd, usual = kinds[1], kinds[2]
    if #odd.ranks > #usual.ranks then odd, usual = usual, odd end
    local sure = #odd.ranks < #usual.ranks
    return { { cause = "comm.op_mismatch", confidence = "possible", scope = sure and "rank" or "job", rank = sure and odd.ranks[1] or nil, ranks = sure and odd.ranks or {},
      evidence = sure and odd.frames or join(odd.frames, usual.frames), symptoms = stood,
      confidence_why = "the stacks stand in different collectives while the job stands still; groups of their own could look the same",
      summary = string.format("rank%s %s stood in %s, rank%s %s in %s", #odd.ranks == 1 and "" or "s", table.concat(odd.ranks, ", "), odd.op, #usual.ranks == 1 and "" or "s", table.concat(usual.ranks, ", "), usual.op) } }
  end,
}

-- Work of a rank alone, seen in its stack: a lock or a build of an extension, a checkpoint, the data (what recomputes activations is
-- called a checkpoint, too, and is the model itself). Where the others timed out and it did not,
-- this is what they waited for.
signature {
  id      = "pyspy.outside",
  stream  = "any",
  needles = { "file_baton.py:", "cpp_extension.py:", "torch/serialization.py:", "utils/data/dataloader.py:", "datasets/arrow_", "checkpoint/", "checkpoint.py:", "checkpoints.py:", "checkpointer.py:", "checkpointing.py:", "checkpoint_", "safetensors/", "filesystem.py:" },
  pattern = [[^\s+(?<func>[\w<>.]+) \((?<file>(?!\S*(?:torch/utils/checkpoint|checkpoint_wrapper|checkpoint_activations|(?:activation|gradient)_checkpoint\w*(?:/\w+)?)\.py)\S*(?:file_baton|cpp_extension|torch/serialization|utils/data/dataloader|datasets/arrow_\w+|safetensors/\w+|checkpoint(?:s|er|ing|_\w+)?|checkpoint/\w+)\.py):\d+\)$]],
  fields  = { func = "text", file = "text" },
  match   = { "    wait (torch/utils/file_baton.py:42)", "    _save (torch/serialization.py:865)", "    save_checkpoint (megatron/training/checkpointing.py:410)" },
  ignore  = { '  File "/opt/torch/serialization.py", line 865, in _save', "    forward (torch/utils/checkpoints/model.cpp:12)",
              "    checkpoint (torch/utils/checkpoint.py:489)", "    forward (deepspeed/runtime/activation_checkpointing/checkpointing.py:560)" },
  tells   = "a stack stands in {func}",
}
correlate {
  id    = "app.hang_outside.stack",
  group = "job",
  uses  = { "pyspy.outside" },
  reach = { "pyspy.process", "pyspy.collective", "torch.watchdog_timeout", "gloo.timed_out", "app.good_end" },
  judge = function(case)
    local on, found, waiting = case.signals, {}, {}
    local waits = join(on["torch.watchdog_timeout"], on["gloo.timed_out"])
    if #waits == 0 or #on["app.good_end"] > 0 then return {} end
    for _, w in ipairs(waits) do
      if w.rank then waiting[w.rank] = true end
    end
    local at = places(on["pyspy.process"], on["pyspy.collective"])
    local outside, ranks = places(on["pyspy.process"], on["pyspy.outside"])
    for _, rank in ipairs(ranks) do
      local frame = outside[rank]
      if frame and not at[rank] and not waiting[rank] then
        found[#found + 1] = { cause = "app.hang_outside", confidence = "likely", scope = "rank", rank = rank, ranks = { rank }, host = frame.host, evidence = { frame }, symptoms = waits,
          confidence_why = "its stack stands in work of its own, and it is not among those that timed out",
          summary = string.format("rank %d stood in %s (%s) while the others waited for it", rank, frame.fields.func, frame.fields.file) }
      end
    end
    return found
  end,
}
-- Nobody timed out, and somebody took the stack all the same: the log's last word is that a checkpoint began, and the stack stands in its writer.
correlate {
  id    = "app.hang_outside.stack_of_begun",
  group = "job",
  uses  = { "pyspy.outside" },
  reach = { "pyspy.process", "app.outside_begins", "app.outside_ends", "app.outside_work", "app.progress", "torch.watchdog_timeout", "gloo.timed_out", "app.good_end" },
  judge = function(case)
    local on = case.signals
    if #on["torch.watchdog_timeout"] + #on["gloo.timed_out"] + #on["app.good_end"] > 0 then return {} end
    local frame = first(keep(on["pyspy.outside"], function(f) return match(f.fields.file, [[checkpoint|serialization]]) ~= nil end))
    local begun = last(keep(on["app.outside_begins"], function(b) return match(b.fields.what, [[(?i)^saving]]) ~= nil end))
    if not frame or not begun then return {} end
    local function came_after(list) return #keep(list, function(o) return o.member == begun.member and o.line > begun.line end) > 0 end
    if came_after(on["app.outside_ends"]) or came_after(on["app.progress"]) or came_after(on["app.outside_work"]) then return {} end
    local head = last(keep(on["pyspy.process"], function(h) return h.member == frame.member and h.line < frame.line end))
    local rank = head and rank_of(head)
    return { { cause = "app.hang_outside", confidence = "possible", scope = rank and "rank" or "job", rank = rank, ranks = rank and { rank } or {}, evidence = { begun, frame },
      confidence_why = "the log ends where the checkpoint begins, and a stack taken of the process stands in its writer; how long it stood there nobody says",
      summary = string.format("%s stood in %s (%s), and nothing shows that the checkpoint ended", rank and "rank " .. rank or "a process", frame.fields.func, frame.fields.file) } }
  end,
}
