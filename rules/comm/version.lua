-- Ranks that load different NCCL releases. Before 2.23.4 NCCL does not notice: the bootstrap message of one release looks broken to
-- another (a socket of family 0, a truncated message), or nothing happens at all. The version is in what NCCL and the frameworks print,
-- and in lists of installed packages. Sources: NCCL src/init.cc, src/misc/socket.cc; torch NCCLUtils; pip freeze.
signature {
  id      = "nccl.version_in_error",
  stream  = { "app", "nccl" },
  needles = { "NCCL version ", "nccl==", "nccl-cu" },
  pattern = [[NCCL error.*, (?<component>NCCL) version (?<version>\d+\.\d+\.\d+)|using (?<component>nccl)==(?<version>\d+\.\d+\.\d+)]],
  fields  = { component = "text", version = "text" },
  fold    = { "version" },
  match   = { "NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1691, internal error - please report this issue to the NCCL developers, NCCL version 2.19.3", "INFO 09-11 07:40:51 [pynccl.py:111] vLLM is using nccl==2.30.7" },
  ignore  = { "NCCL version 2.21.5+cuda12.4", "nvidia-nccl-cu12==2.19.3" },
}
signature {
  id      = "pip.nccl",
  stream  = { "app", "host" },
  needles = { "nvidia-nccl-cu" },
  pattern = [[^nvidia-nccl-cu(?<cuda>\d+)(?:==|\s+)(?<version>\d+\.\d+\.\d+)\s*$]],
  fields  = { cuda = "int", version = "text" },
  match   = { "nvidia-nccl-cu12==2.19.3", "nvidia-nccl-cu12          2.21.5" },
  ignore  = { "Collecting nvidia-nccl-cu12==2.19.3" },
}
signature {
  id      = "nccl.mismatch_said",
  stream  = { "nccl", "app" },
  needles = { "NCCL version mismatch", "different NCCL version", "Mismatched NCCL version" },
  pattern = [[(?:NCCL WARN )?.*(?:Mismatched NCCL version detected|NCCL version mismatch|different NCCL versions?)(?<text>.*)]],
  fields  = { text = "text" },
  match   = { "NCCL WARN Bootstrap Root : mismatch in NCCL version: Mismatched NCCL version detected : rank 1 has version 22705 while rank 0 has version 22809" },
  ignore  = { "Failed to initialize NVML: Driver/library version mismatch" },
  says    = { cause = "comm.version_mismatch", confidence = "certain", scope = "job", summary = "NCCL itself says that its version differs between ranks" },
}

-- "2.20.5+cuda12.4" -> "2.20.5". PyTorch before 1.12 took NCCL's number 21003 apart as that of old releases, and printed 21.0.3 for 2.10.3.
local function plain(version)
  local whole = match(version or "", [[^(\d+\.\d+(?:\.\d+)?)]])
  local major, minor, patch = match(whole or "", [[^(2\d)\.(\d)\.(\d+)$]])
  if not major then return whole end
  local code = tonumber(major) * 1000 + tonumber(minor) * 100 + tonumber(patch)
  return string.format("%d.%d.%d", code // 10000, code % 10000 // 100, code % 100)
end

correlate {
  id    = "comm.version_mismatch",
  group = "job",
  uses  = { "nccl.version", "nccl.version_in_error", "pip.nccl" },
  reach = { "nccl.warn", "app.nccl_error", "app.nccl_last_error" },
  judge = function(case)
    local on = case.signals
    local loaded, first_of = {}, {} -- version -> one signal: what a process really uses
    for _, s in ipairs(join(on["nccl.version"], on["nccl.version_in_error"])) do
      local v = plain(s.fields.version)
      if v and not loaded[v] then
        loaded[v] = s
        first_of[#first_of + 1] = v
      end
    end
    -- lists of packages: the same package with different versions
    local listed, odd = {}, nil
    for _, s in ipairs(on["pip.nccl"]) do
      local by = listed[s.fields.cuda] or { n = 0 }
      listed[s.fields.cuda] = by
      if not by[s.fields.version] then
        by.n = by.n + 1
        by[s.fields.version] = {}
      end
      table.insert(by[s.fields.version], s)
    end
    local lists = {}
    for _, by in pairs(listed) do
      if by.n > 1 then
        for version, list in pairs(by) do
          if version ~= "n" then
            lists[#lists + 1] = first(list)
            -- a single node with a version of its own is the odd one
            if #list == 1 then odd = list[1] end
          end
        end
      end
    end
    if #first_of < 2 and #lists < 2 then return {} end
    local broken = keep(join(on["nccl.warn"], on["app.nccl_last_error"]), function(s)
      return match(s.fields.text, [[neither AF_INET|[Mm]essage truncated|wrong magic|[Mm]ismatch|unexpected size|truncated]])
    end)
    local failed = #on["app.nccl_error"] > 0
    local evidence = {}
    for _, v in ipairs(first_of) do evidence[#evidence + 1] = loaded[v] end
    if #lists > 1 then
      table.sort(lists, function(a, b) return a.ref < b.ref end)
      -- the lists decide; what a process printed only repeats them
      evidence = odd and { odd } or lists
    end
    local versions = #first_of > 1 and first_of or distinct(lists, "version")
    if not failed and #broken == 0 then
      return { { cause = "comm.version_mismatch", severity = "note", confidence = "possible", scope = "job", evidence = evidence,
        confidence_why = "two versions are named, and nothing shows that it mattered",
        summary = "NCCL versions differ between processes: " .. table.concat(versions, ", ") } }
    end
    local who = first(keep(broken, function(s) return s.rank ~= nil end)) or first(broken)
    return { { cause = "comm.version_mismatch", confidence = #broken > 0 and "certain" or "likely", scope = "job", evidence = evidence,
      host = who and who.host, rank = who and who.rank, ranks = who and who.rank and { who.rank } or nil,
      confidence_why = #broken > 0 and "versions differ, and a bootstrap message was not understood" or "versions differ, and an NCCL call failed",
      summary = "NCCL versions differ between ranks: " .. table.concat(versions, ", ") } }
  end,
}
