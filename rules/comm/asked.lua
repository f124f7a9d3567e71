-- What ranks asked NCCL for, as its COLL lines show it: the same operation number of one communicator with another operation or another size.
-- NCCL does not check sizes: ranks may run on with wrong data, and nothing hangs. So this stands even where the job ended well.
-- Source: NCCL src/enqueue.cc; the comparison is the Flight Recorder's (parsers/align.c).
local function side(f)
  local odd = f.odd_ranks and f.odd_ranks ~= "" and ("rank" .. (match(f.odd_ranks, "[,-]") and "s " or " ") .. f.odd_ranks) or "one side"
  local rest = f.majority_ranks and f.majority_ranks ~= "" and ("rank" .. (match(f.majority_ranks, "[,-]") and "s " or " ") .. f.majority_ranks) or "the others"
  return odd, rest
end

-- Without a majority nobody is odd: with two ranks both sides are named in the text, and none is accused.
local function who(f)
  if f.majority == 1 and f.odd_ranks then return numbers(f.odd_ranks) end
  return {}
end

correlate {
  id    = "comm.op_mismatch.asked",
  group = "job",
  uses  = { "coll.op_mismatch" },
  reach = { "app.good_end" },
  judge = function(case)
    local all = keep(case.signals["coll.op_mismatch"], function(s) return s.fields.other_group == nil end)
    if #all == 0 then return {} end
    local f = first(all).fields
    local odd, rest = side(f)
    if f.kind == "between" then
      -- a digest shows that they differ, not how: with a good end it is nothing that anybody suffered from
      return { { cause = "comm.op_mismatch", severity = ended_well(case.signals["app.good_end"], first(all)) and "note" or nil, confidence = "possible", scope = "job", ranks = who(f), evidence = all,
        confidence_why = "digests of what each asked for agree up to there and then no more; whether it was another operation or another size is not among the lines kept of so long a log",
        summary = string.format("%s asked for something else than %s between operation %d and %d of communicator %s", odd, rest, f.seq or 0, f["until"] or 0, f.group or "?"),
        facts = { communicator = f.group, seq = f.seq, ["until"] = f["until"] } } }
    end
    return { { cause = "comm.op_mismatch", confidence = "certain", scope = "job", ranks = who(f), evidence = all,
      confidence_why = "the ranks' own NCCL logs show what each asked for at this number",
      summary = string.format("Operation %d of communicator %s: %s asked for %s, %s for %s", f.seq or 0, f.group or "?", odd, f.op or "?", rest, f.majority_op or "?"),
      facts = { communicator = f.group, seq = f.seq, op = f.op, majority_op = f.majority_op } } }
  end,
}
-- The logs end with the same two operations of two communicators, in opposite order. Where all streams run at once nothing comes of it,
-- so it counts only where the job did not end well.
correlate {
  id    = "comm.op_mismatch.order",
  group = "job",
  uses  = { "coll.op_mismatch" },
  reach = { "app.good_end" },
  judge = function(case)
    local all = keep(case.signals["coll.op_mismatch"], function(s) return s.fields.other_group ~= nil end)
    if #all == 0 or #case.signals["app.good_end"] > 0 then return {} end
    local f = first(all).fields
    local odd, rest = side(f)
    return { { cause = "comm.op_mismatch", confidence = "likely", scope = "job", ranks = who(f), evidence = all,
      confidence_why = "the logs end there; that the ranks wait in these operations they do not show",
      summary = string.format("%s asked for operation %d of communicator %s before operation %d of %s, %s the other way round, and nothing follows", odd, f.seq or 0, f.group or "?",
        f.other_seq or 0, f.other_group, rest),
      facts = { communicator = f.group, other = f.other_group, seq = f.seq, op = f.op } } }
  end,
}
correlate {
  id    = "comm.shape_mismatch.asked",
  group = "job",
  uses  = { "coll.shape_mismatch" },
  judge = function(case)
    local all = case.signals["coll.shape_mismatch"]
    local f = first(all).fields
    local odd, rest = side(f)
    if f.p2p == 1 then
      return { { cause = "comm.shape_mismatch", confidence = "certain", scope = "job", ranks = {}, evidence = all,
        confidence_why = "the sender's and the receiver's NCCL logs show what each asked for; which of them is wrong they do not",
        summary = string.format("Send %d of communicator %s: %s sends %s, %s receives %s", f.seq or 0, f.group or "?", odd, f.sizes or "?", rest, f.majority_sizes or "?"),
        facts = { communicator = f.group, seq = f.seq, sizes = f.sizes, majority_sizes = f.majority_sizes } } }
    end
    return { { cause = "comm.shape_mismatch", confidence = "certain", scope = "job", ranks = who(f), evidence = all,
      confidence_why = "the ranks' own NCCL logs show what each asked for at this number",
      summary = string.format("%s %d of communicator %s: %s passed %s, %s passed %s", f.op or "Operation", f.seq or 0, f.group or "?", odd, f.sizes or "?", rest, f.majority_sizes or "?"),
      facts = { communicator = f.group, seq = f.seq, op = f.op, sizes = f.sizes, majority_sizes = f.majority_sizes } } }
  end,
}

-- ---- what PyTorch's own analyzer printed (torchfrtrace) ----
signature {
  id      = "fr_trace.error",
  stream  = "app",
  needles = { "Error type: ", "missing ranks: " },
  pattern = [[Culprit rank (?<rank>\d+); Error type: (?<error>\w+)|^missing ranks: \{(?<missing>[\d, ]+)\}]],
  fields  = { rank = "rank", error = "text", missing = "text" },
  match   = { "error msg: Culprit rank 11; Error type: SIZE_OR_SYNTAX_MISMATCH, Expected input sizes: '[[1025]]' does not match found input sizes: '[[262144]]'", "missing ranks: {3, 5}" },
  ignore  = { "Collective 38 at entry 37 matched" },
}
signature {
  id      = "fr_trace.heading",
  stream  = "app",
  needles = { " errors", "Not all ranks joining collective" },
  pattern = [[^Collective (?<number>\d+) at entry (?<entry>\d+) errors$|^(?:INFO:.*)?Not all ranks joining collective,? (?:\w+ )*(?:sequence )?number:? (?<number>\d+)]],
  fields  = { number = "int", entry = "int" },
  match   = { "Collective 39 at entry 38 errors", "Not all ranks joining collective, sequence number: 12" },
  ignore  = { "Collective 38 at entry 37 matched" },
}
-- Its culprit is every rank that differs from the first file, so a lone wrong first rank makes all others culprits: it names the
-- operation for sure, the ranks only if they are few.
correlate {
  id    = "comm.mismatch.fr_trace",
  group = "job",
  uses  = { "fr_trace.error" },
  reach = { "fr_trace.heading" },
  judge = function(case)
    local on, found = case.signals, {}
    local KIND = { SIZE_OR_SYNTAX_MISMATCH = "comm.shape_mismatch", COLLECTIVE_DTYPE_MISMATCH = "comm.shape_mismatch", COLLECTIVE_TYPE_MISMATCH = "comm.op_mismatch" }
    local function heading_of(s)
      return last(keep(on["fr_trace.heading"], function(h) return h.member == s.member and h.line < s.line end))
    end
    local e = first(keep(on["fr_trace.error"], function(s) return KIND[s.fields.error or ""] ~= nil end))
    if e then
      local h = heading_of(e)
      found[1] = { cause = KIND[e.fields.error], confidence = "likely", scope = "job", rank = e.rank, ranks = e.rank and { e.rank } or nil, evidence = h and { h, e } or { e },
        confidence_why = "PyTorch's analyzer of the Flight Recorder dumps says so; which side is wrong it cannot tell",
        summary = string.format("The Flight Recorder analyzer reports %s%s for rank %s", e.fields.error, h and " at collective " .. h.fields.number or "", tostring(e.rank or "?")) }
    end
    local m = first(keep(on["fr_trace.error"], function(s) return s.fields.missing ~= nil end))
    if m and not e then
      local h, ranks = heading_of(m), numbers(m.fields.missing)
      found[#found + 1] = { cause = "comm.missing_rank", confidence = "likely", scope = "rank", ranks = ranks, rank = ranks[1], evidence = h and { h, m } or { m },
        confidence_why = "PyTorch's analyzer of the Flight Recorder dumps names them", summary = "Ranks " .. m.fields.missing .. " did not join the collective that the others wait in" }
    end
    return found
  end,
}
