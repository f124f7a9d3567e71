-- An assertion in a kernel of the program: it is printed by the device, before any call of CUDA returns an error, so it is the first sign.
-- Source: CUDA programming guide, assert(); PyTorch ATen/native/cuda kernels.
signature {
  id      = "cuda.device_assert",
  stream  = "app",
  needles = { "Assertion `" },
  pattern = [[block: \[\d+,\d+,\d+\], thread: \[\d+,\d+,\d+\] Assertion `(?<text>[^`']*)[`'] failed]],
  fields  = { text = "text" },
  fold    = { "text" },
  match   = { "../aten/src/ATen/native/cuda/Indexing.cu:1289: indexSelectLargeIndex: block: [411,0,0], thread: [96,0,0] Assertion `srcIndex < srcSelectDimSize` failed." },
  ignore  = { "train.c:12: main: Assertion `n > 0' failed." },
  tells   = "an assertion of a GPU kernel fails: {text}",
}
correlate {
  id    = "gpu.app_fault.asserted",
  group = "job",
  uses  = { "cuda.device_assert" },
  reach = { "app.traceback" },
  judge = function(case)
    local on = case.signals
    local said = on["cuda.device_assert"]
    local raised = keep(on["app.traceback"], function(t) return match(t.fields.message or "", [[device-side assert]]) ~= nil end)
    local s, ranks = first(said), distinct(raised, "rank")
    local rank = s.rank or (#ranks == 1 and ranks[1]) or nil
    return { { cause = "gpu.app_fault", confidence = "certain", scope = rank and "rank" or "job", rank = rank, ranks = rank and { rank } or {}, evidence = said, symptoms = raised,
      confidence_why = "the kernel's own assertion names the condition", summary = "An assertion of a GPU kernel failed: " .. (s.fields.text or "?") } }
  end,
}
