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
  return nil
end

correlate {
  id    = "comm.op_mismatch.asked",
  group = "job",
  uses  = { "coll.op_mismatch" },
  judge = function(case)
    local all = case.signals["coll.op_mismatch"]
    local f = first(all).fields
    local odd, rest = side(f)
    return { { cause = "comm.op_mismatch", confidence = "certain", scope = "job", ranks = who(f), evidence = all,
      confidence_why = "the ranks' own NCCL logs show what each asked for at this number",
      summary = string.format("Operation %d of communicator %s: %s asked for %s, %s for %s", f.seq or 0, f.group or "?", odd, f.op or "?", rest, f.majority_op or "?"),
      facts = { communicator = f.group, seq = f.seq, op = f.op, majority_op = f.majority_op } } }
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
    return { { cause = "comm.shape_mismatch", confidence = "certain", scope = "job", ranks = who(f), evidence = all,
      confidence_why = "the ranks' own NCCL logs show what each asked for at this number",
      summary = string.format("%s %d of communicator %s: %s passed %s, %s passed %s", f.op or "Operation", f.seq or 0, f.group or "?", odd, f.sizes or "?", rest, f.majority_sizes or "?"),
      facts = { communicator = f.group, seq = f.seq, op = f.op, sizes = f.sizes, majority_sizes = f.majority_sizes } } }
  end,
}
