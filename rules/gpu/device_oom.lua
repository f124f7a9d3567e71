-- The GPU's own memory is full. The traceback says it with rank and place; this line stands alone where no traceback was kept.
-- Sources: torch c10/cuda/CUDACachingAllocator.cpp (texts before and since 2.1); XLA and TensorFlow bfc_allocator.cc.
signature {
  id      = "app.cuda_oom",
  stream  = "app",
  needles = { "CUDA out of memory. Tried to allocate", "ran out of memory trying to allocate", "CUDA_ERROR_OUT_OF_MEMORY: out of memory" },
  pattern = [[failed to allocate (?<want>[\d.]+ ?[KMG]i?B) \(\d+ bytes\) from (?<allocator>device): CUDA_ERROR_OUT_OF_MEMORY|Allocator \((?<allocator>GPU_(?<gpu>\d+)_bfc)\) ran out of memory trying to allocate (?<want>[\d.]+ ?[KMG]i?B)|CUDA out of memory\. Tried to allocate (?<want>[\d.]+ [KMG]?i?B|\d+ bytes)(?:\. GPU (?<gpu>\d+) has a total capaci?ty of (?<total>[\d.]+ [KMG]iB) of which (?<free>[\d.]+ [KMG]iB) is free)?]],
  fields  = { allocator = "text", want = "text", gpu = "gpu", total = "text", free = "text" },
  match   = { "failed to allocate 2.00GiB (2147483648 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory", "Allocator (GPU_0_bfc) ran out of memory trying to allocate 18.25GiB (rounded to 19595788288)requested by op ", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 200.00 GiB. GPU 1 has a total capacity of 139.80 GiB of which 138.35 GiB is free. Including non-PyTorch memory" },
  ignore  = { "CUDA error: out of memory" },
}
correlate {
  id    = "gpu.device_oom.line",
  group = "rank",
  uses  = { "app.cuda_oom" },
  reach = { "app.traceback", "app.nccl_error", "slurm.cancelled", "slurm.time_limit" },
  judge = function(case)
    local said = case.signals["app.cuda_oom"]
    local told = keep(case.signals["app.traceback"], function(s)
      return match(s.fields.message or "", [[out of memory|Out of memory|OOM when allocating]]) ~= nil and (s.rank == nil or s.rank == first(said).rank)
    end)
    -- NCCL needs memory of the device too: its call fails where the allocator took the last of it
    local starved = keep(case.signals["app.nccl_error"], function(e)
      local e_gap, known = gap(first(said), e)
      return match(e.fields.result, [[cuda error]]) ~= nil and e.member == first(said).member and order(e, first(said)) ~= "before" and known and e_gap <= minutes(1)
    end)
    -- an engine logs the exception before it lets it go: the first words stand a little above the traceback
    local above = keep(said, function(s)
      return s.fields.allocator == nil and #keep(told, function(t) return t.member == s.member and s.line < t.line and t.line - s.line <= 60 end) > 0
    end)
    if #above > 0 then
      local f = first(above).fields
      return { { cause = "gpu.device_oom", confidence = "certain", scope = "rank", evidence = above, symptoms = told, confidence_why = "the allocator's own words",
        summary = string.format("CUDA out of memory: %s wanted%s", f.want, f.free and string.format(", %s of %s free", f.free, f.total) or "") } }
    end
    -- the allocator speaks before the exception, and may try again smaller: alone it is no end
    if #told > 0 and #keep(said, function(s) return s.fields.allocator ~= nil end) == 0 then return {} end
    local f = first(said).fields
    if #told + #starved == 0 and f.allocator then return {} end
    return { { cause = "gpu.device_oom", confidence = "certain", scope = "rank", evidence = said, confidence_why = "the allocator's own words",
      -- a communicator that is stuck after it holds the job until its time limit
      symptoms = join(starved, keep(join(case.signals["slurm.cancelled"], case.signals["slurm.time_limit"]), function(s)
        return order(s, first(said)) ~= "before" and (s.fields.reason == nil or s.fields.reason == "TIME LIMIT")
      end)),
      summary = string.format("CUDA out of memory: %s wanted%s", f.want, f.free and string.format(", %s of %s free", f.free, f.total) or "") } }
  end,
}
