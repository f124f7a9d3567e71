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

signature {
  id      = "nccltests.cuda_failure",
  stream  = "app",
  needles = { "Test CUDA failure " },
  pattern = [[^(?<host>\S+): Test CUDA failure \S+:\d+ '(?<text>[^']*)']],
  fields  = { host = "host", text = "text" },
  match   = { "gx-a: Test CUDA failure common.cu:892 'system not yet initialized'" },
  ignore  = { "gx-a: Test NCCL failure common.cu:892 'unhandled cuda error / '" },
}
signature {
  id      = "nccltests.few_gpus",
  stream  = "app",
  needles = { "Invalid number of GPUs: " },
  pattern = [[^Invalid number of GPUs: (?<wanted>\d+) requested but only (?<found>\d+) were found|^Invalid number of GPUs: .*only (?<found>\d+)]],
  fields  = { wanted = "int", found = "int" },
  match   = { "Invalid number of GPUs: 8 requested but only 7 were found." },
  ignore  = { "Invalid number of GPUs: unknown" },
}
correlate {
  id    = "nccltests.refused",
  group = "job",
  uses  = { "nccltests.cuda_failure", "nccltests.few_gpus" },
  judge = function(case)
    local on, found = case.signals, {}
    local MEANS = {
      { [[out of memory]], "gpu.device_oom" }, { [[system not yet initialized]], "gpu.fabric_not_ready" },
      { [[driver version is insufficient|unsupported display driver|forward compatibility]], "gpu.driver_mismatch" },
      { [[invalid device ordinal|no CUDA-capable device]], "gpu.missing" }, { [[ECC error]], "gpu.ecc_uncorrectable" },
      { [[busy or unavailable]], "gpu.reset_required" }, { [[illegal memory access|launch failure|illegal instruction]], "gpu.app_fault" },
    }
    for _, s in ipairs(on["nccltests.cuda_failure"]) do
      local cause = "unknown"
      for _, m in ipairs(MEANS) do
        if match(s.fields.text, m[1]) then
          cause = m[2]
          break
        end
      end
      found[#found + 1] = { cause = cause, confidence = cause == "unknown" and "certain" or "likely", scope = "host", host = s.fields.host, evidence = { s }, confidence_why = "CUDA's own text says so", summary = "nccl-tests could not use CUDA: " .. s.fields.text }
      if #found >= 50 then break end
    end
    if #on["nccltests.few_gpus"] > 0 then
      local s = first(on["nccltests.few_gpus"])
      found[#found + 1] = { cause = "gpu.missing", confidence = "likely", scope = "host", host = s.host, evidence = on["nccltests.few_gpus"], confidence_why = "the test asked for more than CUDA shows; a wrong -g looks the same",
        summary = string.format("nccl-tests was asked for more GPUs than the %d that are there", s.fields.found or 0) }
    end
    return found
  end,
}

-- ---- bandwidth against a baseline, or against equal machines ----
-- Only rows of the same test are comparable: collective, number of ranks and hosts, size, type and operation. What small messages reach is
-- noise, so of each run the largest size counts that both have, if it moves data for a while (BULK).
-- A run is a baseline when its file says so. Without one, three and more runs of different hosts are each other's.
local BULK, LOW, FAR = 1048576, 0.7, 0.4 -- bytes; share of the baseline; share at which the loss is beyond doubt

local function run_of(s) return (s.member or "") .. "|" .. (s.fields.collective or "") .. "|" .. (s.fields.test_host or "") end
local function kind_of(f)
  return table.concat({ f.collective or "?", tostring(f.ranks or 0), tostring(f.hosts or 0), tostring(f.size), f.type or "", f.redop or "" }, " ")
end
local BASELINE = [[(?i)(?:^|[^a-z])(?:baseline|reference|expected|acceptance|golden|healthy|known[-_]?good|before)(?:[^a-z]|$)]]
local function is_baseline(s) return match(s.member or "", BASELINE) ~= nil end

-- The best row of each run and kind: a file may hold several cycles.
local function best_rows(rows)
  local best, order_of = {}, {}
  for _, s in ipairs(rows) do
    local f = s.fields
    if (f.size or 0) >= BULK and (f.busbw or 0) > 0 then
      local key = run_of(s) .. "|" .. kind_of(f)
      if not best[key] then order_of[#order_of + 1] = key end
      if not best[key] or f.busbw > best[key].fields.busbw then best[key] = s end
    end
  end
  local out = {}
  for _, key in ipairs(order_of) do out[#out + 1] = best[key] end
  return out
end

local function size_of(bytes)
  if bytes >= 1073741824 then return string.format("%g GiB", bytes / 1073741824) end
  return string.format("%g MiB", bytes / 1048576)
end

-- A machine where only one machine was tested, else the file.
local function names_of(s, other)
  local function own(x) return x.fields.hosts == 1 and x.fields.test_host or nil end
  if own(s) and own(other) and own(s) ~= own(other) then return own(s), own(other) end
  return s.member or "a run", other.member or "another"
end

-- The row that is compared with has a finding of its own, a note: it is not where the trouble shows.
local function loss(found, s, against, what)
  local f = s.fields
  local share = f.busbw / against.fields.busbw
  if share >= LOW then return end
  local here, there = names_of(s, against)
  found[#found + 1] = { cause = "comm.slow", confidence = share < FAR and "certain" or "likely", scope = "job", evidence = { s }, ranks = {},
    confidence_why = "the same test, with the same number of ranks and bytes, reached more " .. what,
    summary = string.format("%s of %s: %s reaches %.1f GB/s of bus bandwidth, %.0f %% of %.1f GB/s %s (%s)", f.collective or "the test", size_of(f.size), here, f.busbw, share * 100, against.fields.busbw, what, there),
    facts = { busbw = f.busbw, baseline = against.fields.busbw, size = f.size, share = share, machine = f.hosts == 1 and f.test_host or nil } }
  found[#found + 1] = { cause = "comm.slow", severity = "note", confidence = "certain", scope = "job", evidence = { against }, ranks = {}, confidence_why = "what the slower run is measured by",
    summary = string.format("%s of %s: %s reaches %.1f GB/s of bus bandwidth", f.collective or "the test", size_of(f.size), there, against.fields.busbw) }
end

local function largest_common(list, kinds)
  local best
  for _, s in ipairs(list) do
    if kinds[kind_of(s.fields)] and (not best or s.fields.size > best.fields.size) then best = s end
  end
  return best
end

-- Two runs of one test, one far below the other: the same ranks, bytes and operation should not differ so. A run that was told to leave out a
-- transport is slow on purpose. Where a table does not say which collective it was, or how many ranks, only an abyss counts.
local ABYSS = 0.25
local function of_two(rows, settings)
  local by_kind, order_of, widest = {}, {}, nil
  for _, s in ipairs(rows) do
    local kind = kind_of(s.fields)
    if not by_kind[kind] then
      by_kind[kind] = {}
      order_of[#order_of + 1] = kind
    end
    table.insert(by_kind[kind], s)
  end
  for _, kind in ipairs(order_of) do
    local list = by_kind[kind]
    if #list == 2 and list[1].member ~= list[2].member and (not widest or list[1].fields.size > widest[1].fields.size) then widest = list end
  end
  if not widest then return {} end
  local slow, fast = widest[1], widest[2]
  if slow.fields.busbw > fast.fields.busbw then slow, fast = fast, slow end
  local sure = slow.fields.collective ~= nil and (slow.fields.ranks or 0) > 0
  local told = keep(settings, function(s) return s.member == slow.member and match(s.fields.variable or "", [[DISABLE|_LEVEL$|NCCL_NET$|NCCL_ALGO|NCCL_PROTO|CHANNELS|CTAS]]) ~= nil end)
  if #told > 0 or slow.fields.busbw > fast.fields.busbw * (sure and FAR or ABYSS) then return {} end
  local found = {}
  loss(found, slow, fast, "in the other run")
  return found
end

correlate {
  id    = "comm.slow.tests",
  group = "job",
  uses  = { "nccltests.row" },
  reach = { "nccl.env" },
  judge = function(case)
    local rows, base, found = best_rows(case.signals["nccltests.row"]), {}, {}
    local has_base = false
    for _, s in ipairs(keep(rows, is_baseline)) do
      local kind = kind_of(s.fields)
      if not base[kind] or s.fields.busbw > base[kind].fields.busbw then base[kind] = s end
      has_base = true
    end
    if has_base then
      for _, run in ipairs(group_by(keep(rows, function(s) return not is_baseline(s) end), run_of)) do
        local s = largest_common(run, base)
        if s then loss(found, s, base[kind_of(s.fields)], "in the baseline") end
      end
      return found
    end
    -- peers: one row of each run at the largest size that a kind has in three runs of different hosts
    local widest
    for _, list in ipairs(group_by(rows, function(s) return kind_of(s.fields) end)) do
      if #distinct(list, function(s) return s.fields.test_host or s.member end) >= 3 and (not widest or list[1].fields.size > widest[1].fields.size) then widest = list end
    end
    if not widest then return of_two(rows, case.signals["nccl.env"]) end
    table.sort(widest, function(a, b) return a.fields.busbw < b.fields.busbw end)
    local middle = widest[#widest // 2 + 1]
    for _, s in ipairs(widest) do
      if s ~= middle then loss(found, s, middle, "on equal machines") end
    end
    return found
  end,
}

-- Sums that are wrong, row by row: data is damaged on the way, or in a memory.
correlate {
  id    = "nccltests.wrong_rows",
  group = "job",
  uses  = { "nccltests.row" },
  reach = { "nccltests.wrong" },
  judge = function(case)
    local on = case.signals
    local wrong = keep(on["nccltests.row"], function(s) return (s.fields.wrong or 0) > 0 end)
    if #wrong == 0 or #keep(on["nccltests.wrong"], function(s) return s.fields.wrong > 0 end) > 0 then return {} end
    local f = first(wrong).fields
    return { { cause = "unknown", severity = "critical", confidence = "certain", scope = "job", evidence = wrong,
      confidence_why = "nccl-tests compares the results; what corrupts them is not in its table",
      summary = string.format("nccl-tests found %.0f wrong values at %s: data is corrupted on the way", f.wrong, size_of(f.size)) } }
  end,
}

-- Between hosts over sockets, where somebody named RDMA adapters: the price of RDMA that is not there, as the test shows it.
correlate {
  id    = "net.rdma_absent.tests",
  group = "job",
  uses  = { "nccltests.row" },
  reach = { "nccl.ib_no_device", "nccl.network", "nccl.env", "k8s.env", "env.dump", "k8s.node_label", "host.no_infiniband" },
  judge = function(case)
    local on = case.signals
    local absent = join(on["nccl.ib_no_device"], on["host.no_infiniband"])
    local sockets = keep(on["nccl.network"], function(s) return match(s.fields.network, [[^Socket]]) ~= nil end)
    local across = keep(on["nccltests.row"], function(s) return (s.fields.hosts or 0) > 1 and (s.fields.size or 0) >= BULK end)
    local asked = keep(join(on["nccl.env"], on["k8s.env"], on["env.dump"]), function(s) return s.fields.variable == "NCCL_IB_HCA" end)
    local promised = keep(on["k8s.node_label"], function(s) return s.fields.rdma == 1 and s.fields.value ~= "false" and s.fields.value ~= "0" end)
    if #absent == 0 or #sockets == 0 or #across == 0 or #asked + #promised == 0 then return {} end
    local best = across[1]
    for _, s in ipairs(across) do
      if s.fields.busbw > best.fields.busbw then best = s end
    end
    local by = first(#asked > 0 and asked or promised)
    return { { cause = "net.rdma_absent", severity = "warning", confidence = "likely", scope = "job", evidence = absent, symptoms = { best }, ranks = {},
      confidence_why = (#asked > 0 and "NCCL_IB_HCA names adapters" or "a label promises RDMA") .. ", NCCL finds none and uses sockets",
      summary = string.format("RDMA was asked for (%s) and no device is there: between %d hosts over sockets the best is %.1f GB/s", by.fields.value or by.fields.label or "?", best.fields.hosts, best.fields.busbw),
      facts = { busbw = best.fields.busbw, size = best.fields.size } } }
  end,
}
