-- DCGM's own tests of the GPUs. What fails is a fact about the GPU at the time of the test; that the job met it is not in it. A test that was
-- refused (driver, library, configuration) says nothing of the GPU.
-- Source: NVIDIA DCGM, dcgmi diag -j; error ids of dcgm_errors.h.
local CAUSE = {
  memory      = { "gpu.ecc_uncorrectable", "its memory" },
  nvlink      = { "gpu.nvlink_error", "NVLink" },
  pcie        = { "pcie.link_degraded", "its PCIe link" },
  thermal     = { "gpu.thermal_or_power", "its temperature" },
  power       = { "gpu.thermal_or_power", "its power" },
  hardware    = { "gpu.hardware_other", "its hardware" },
  xid         = { "gpu.hardware_other", "an Xid during the test" },
}

correlate {
  id    = "gpu.diag.failed",
  group = "host",
  uses  = { "gpu.diag" },
  reach = { "app.good_end" },
  judge = function(case)
    local found, seen = {}, {}
    local well = #case.signals["app.good_end"] > 0
    for _, s in ipairs(case.signals["gpu.diag"]) do
      local f = s.fields
      -- before 4.0 a result says no kind; the test then tells what was tested
      local what = CAUSE[f.kind or (f.test == "memory" or f.test == "memtest") and "memory" or ""]
      local key = string.format("%s/%s", f.kind or "", f.index or "")
      if f.status == "fail" and what and f.action ~= "config" and f.action ~= "monitor" and not seen[key] then
        seen[key] = true
        local slow = f.kind == "pcie" or f.kind == "thermal" or f.kind == "power"
        local sure = f.action == "isolate" or f.action == "reset"
        found[#found + 1] = { cause = what[1], severity = well and "note" or slow and "warning" or "error", confidence = sure and not well and "likely" or "possible", scope = "gpu",
          host = s.host, evidence = { s },
          confidence_why = sure and "DCGM tested the GPU and wants it " .. (f.action == "reset" and "reset" or "isolated") .. "; whether the job met this fault is not in it" or
            "a failed test of DCGM; whether the job met this fault is not in it",
          summary = string.format("DCGM's test %s failed%s: %s%s", f.test or "?", f.index and string.format(" on GPU %d", f.index) or "", what[2],
            f.warning and " (" .. string.sub(f.warning, 1, 160) .. ")" or ""),
          facts = { gpu_index = f.index, test = f.test, error_id = f.error_id } }
      end
    end
    return found
  end,
}
