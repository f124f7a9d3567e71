-- What nccl-tests concluded: wrong results, a bandwidth below the limit that was asked for, a test that did not end.
-- Source: nccl-tests src/common.cu, versions 2.0 to 2.19.
signature {
  id      = "nccltests.wrong",
  stream  = "app",
  needles = { "# Out of bounds values : " },
  pattern = [[^# Out of bounds values : (?<wrong>\d+) (?<said>OK|FAILED)]],
  fields  = { wrong = "int", said = "text" },
  match   = { "# Out of bounds values : 0 OK", "# Out of bounds values : 12 FAILED" },
  ignore  = { "# Out of bounds values" },
}
signature {
  id      = "nccltests.bandwidth",
  stream  = "app",
  needles = { "# Avg bus bandwidth" },
  pattern = [[^# Avg bus bandwidth    : (?<busbw>[0-9.eE+-]+) *(?<said>OK|FAILED)?]],
  fields  = { busbw = "float", said = "text" },
  match   = { "# Avg bus bandwidth    : 13.9427 ", "# Avg bus bandwidth    : 3.1 FAILED" },
  ignore  = { "# Avg bus bandwidth" },
}
signature {
  id      = "nccltests.timeout",
  stream  = "app",
  needles = { "Test timeout (" },
  pattern = [[^(?<host>\S+): Test timeout \((?<seconds>\d+)s\)]],
  fields  = { host = "host", seconds = "int" },
  match   = { "gx-a: Test timeout (120s) common.cu:512" },
  ignore  = { "Test timeout (soon)" },
}
correlate {
  id    = "nccltests.result",
  group = "job",
  uses  = { "nccltests.wrong", "nccltests.bandwidth", "nccltests.timeout" },
  judge = function(case)
    local on, found = case.signals, {}
    local wrong = keep(on["nccltests.wrong"], function(s) return s.fields.wrong > 0 end)
    local slow = keep(on["nccltests.bandwidth"], function(s) return s.fields.said == "FAILED" end)
    if #wrong > 0 then
      found[1] = { cause = "unknown", severity = "critical", confidence = "certain", scope = "job", evidence = wrong,
        confidence_why = "nccl-tests compares the results; what corrupts them is not in its table",
        summary = string.format("nccl-tests found %d wrong values: data is corrupted on the way", wrong[1].fields.wrong) }
    end
    if #slow > 0 then
      found[#found + 1] = { cause = "comm.slow", confidence = "certain", scope = "job", evidence = slow,
        confidence_why = "the bandwidth is below the limit that the test was given", summary = string.format("nccl-tests reached %.1f GB/s of bus bandwidth, less than the limit it was given", slow[1].fields.busbw) }
    end
    if #on["nccltests.timeout"] > 0 then
      found[#found + 1] = { cause = "comm.timeout", confidence = "certain", scope = "job", evidence = on["nccltests.timeout"], confidence_why = "nccl-tests gave up waiting",
        summary = string.format("nccl-tests timed out after %d s", first(on["nccltests.timeout"]).fields.seconds) }
    end
    return found
  end,
}
