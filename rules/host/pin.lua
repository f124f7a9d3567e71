-- The GPU driver could not pin host memory: cudaHostRegister and NCCL's buffers end in os_lock_user_pages, and when the pages
-- are not to be had the driver tries the range as device memory and prints "Cannot map memory". It says that pinning
-- failed, not why: a full memory cgroup, a node out of memory or fragmentation are the reasons, and are found elsewhere.
-- Sources: NVIDIA kernel-open/nvidia/os-mlock.c (os_lock_user_pages, os_lookup_user_io_memory); sizes are hex pages.
signature {
  id      = "kernel.cannot_map",
  stream  = "kernel",
  needles = { "Cannot map memory with base addr" },
  pattern = [[Cannot map memory with base addr (?<addr>0x[0-9a-fA-F]+|\S+) and size of (?<pages>0x[0-9a-fA-F]+) pages]],
  fields  = { addr = "text", pages = "hex" },
  match   = { "Cannot map memory with base addr 0x7f21c0000000 and size of 0x100000 pages",
              "NVRM: Cannot map memory with base addr 0x7f21c0000000 and size of 0x400000 pages" },
  ignore  = { "NVRM: failed to allocate page table!" },
  tells   = "the GPU driver cannot pin {pages} pages of host memory",
}
signature {
  id      = "kernel.lock_user_pages",
  stream  = "kernel",
  needles = { "os_lock_user_pages" },
  pattern = [[^ ?(?:\? )?os_lock_user_pages\+0x]],
  match   = { " os_lock_user_pages+0xb5/0x170 [nvidia]" },
  ignore  = { "NVRM: os_lock_user_pages(): invalid context!" },
}
signature {
  id      = "kernel.page_alloc_failure",
  stream  = "kernel",
  needles = { "page allocation failure" },
  pattern = [[^(?<process>.{1,64}?): page allocation failure: order:(?<order>\d+), mode:(?<mode>0x[0-9a-f]+(?:\([A-Z_|]+\))?)]],
  fields  = { process = "process", order = "int", mode = "text" },
  match   = { "train_dlrm: page allocation failure: order:0, mode:0x1100cca(GFP_HIGHUSER_MOVABLE), nodemask=(null),cpuset=x,mems_allowed=0-1",
              "python3: page allocation failure: order:4, mode:0x40cc0(GFP_KERNEL|__GFP_COMP), nodemask=(null)" },
  ignore  = { "vmalloc error: size 4096, page order 0, failed to allocate pages" },
}

local TOGETHER = seconds(120)

correlate {
  id    = "host.pin_failed",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.cannot_map", "kernel.lock_user_pages" },
  reach = { "kernel.page_alloc_failure", "oom.report", "kernel.xid_program" },
  judge = function(case)
    local on, found = case.signals, {}
    for _, run in ipairs(episodes(TOGETHER, on["kernel.cannot_map"], on["kernel.lock_user_pages"])) do
      local maps = only(run, "kernel.cannot_map")
      -- the driver's frame inside an OOM report or an allocation failure is their place, and no failure of its own
      if #maps > 0 then
        -- a page is 4 KiB unless a report of that host shows another size
        local page_kib, sizes, seen = 4, {}, {}
        for _, r in ipairs(on["oom.report"]) do
          if r.host == case.key and r.fields.page_kib then page_kib = r.fields.page_kib end
        end
        for _, s in ipairs(maps) do
          local size = size_text((s.fields.pages or 0) * page_kib)
          if s.fields.pages and not seen[size] then
            seen[size] = true
            sizes[#sizes + 1] = size
          end
        end
        -- a bad range (wrong device, freed memory) cannot be pinned either: then the program faults on the GPU right behind
        local faults = keep(on["kernel.xid_program"], function(x)
          local distance, known = gap(x, maps[#maps])
          return x.host == maps[1].host and (x.fields.xid == 31 or x.fields.xid == 13) and known and distance <= seconds(10)
        end)
        local lacking = #keep(join(on["kernel.page_alloc_failure"], on["oom.report"]), function(x)
          return x.host == maps[1].host and is_near(x, maps[1], minutes(10))
        end) > 0
        found[#found + 1] = {
          severity = #faults > 0 and not lacking and "note" or nil,
          cause = "host.pin_failed", confidence = "certain", scope = "host", evidence = run,
          -- the allocation that failed inside the pinning call: the same failure, seen one floor below
          symptoms = keep(on["kernel.page_alloc_failure"], function(s)
            local distance, known = gap(s, maps[1])
            return s.host == maps[1].host and known and distance <= seconds(10)
          end),
          confidence_why = "the driver's own line names range and size",
          summary = string.format("The GPU driver failed to pin host memory: %d request%s of %s (pages of %d KiB)",
            #maps, #maps == 1 and "" or "s", table.concat(sizes, " and "), page_kib),
          facts = { requests = #maps, sizes = table.concat(sizes, ", "), page_kib = page_kib },
        }
      end
    end
    return found
  end,
}

correlate {
  id    = "host.page_alloc_failure",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.page_alloc_failure" },
  reach = { "app.good_end" },
  judge = function(case)
    -- GFP_ATOMIC failures of network drivers fall back and are harmless
    local hard = keep(case.signals["kernel.page_alloc_failure"], function(s)
      return not match(s.fields.mode or "", [[GFP_ATOMIC|GFP_NOWAIT|__GFP_NORETRY|0x[0-9a-f]*20\b]])
    end)
    local found = {}
    for _, run in ipairs(episodes(minutes(10), hard)) do
      -- what the kernel asks for itself in large blocks it may be refused: whoever asks takes smaller ones then
      local own = #keep(run, function(s)
        return (s.fields.order or 0) > 3 and match(s.process or "", [[^(?:kworker/|ksoftirqd/|swapper/|napi/|irq/|khugepaged|kcompactd|kswapd)]]) ~= nil
      end) == #run
      local fell_back = own or ended_well(case.signals["app.good_end"], last(run))
      found[#found + 1] = {
        cause = "host.page_alloc_failure", confidence = "certain", scope = "host", evidence = run,
        confidence_why = "the kernel says so", severity = fell_back and "note" or "warning",
        summary = string.format("The kernel failed to allocate pages %d time%s (order %d, %s)", #run, #run == 1 and "" or "s",
          first(run).fields.order, first(run).process or "?"),
      }
    end
    return found
  end,
}
