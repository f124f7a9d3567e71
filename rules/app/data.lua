-- A rank that ran out of data, or has less of it than the others: it leaves the loop, the others wait for it in the next collective.
-- Sources: texts of data loaders and training loops (PyTorch Lightning, Accelerate, Megatron, own loops); no single format.
signature {
  id      = "app.out_of_data",
  stream  = "app",
  needles = { "exhausted", "out of data", "out of batches", "StopIteration", "no more batches", "no more data", "end of dataset", "End of dataset" },
  pattern = [[(?i)(?:^|\brank[ _:=\[]?(?<rank>\d+)\b.*)(?:iterator (?:is )?exhausted|data(?:set|loader)? (?:is )?exhausted|(?:ran |running |is )?out of (?:data|batches)|no more (?:data|batches)|end of dataset|StopIteration)]],
  fields  = { rank = "rank" },
  match   = { "rank0: train iterator exhausted after 9 batches, on_train_epoch_end", "[rank 3] dataloader exhausted", "rank 2 ran out of batches" },
  ignore  = { "retries exhausted", "memory exhausted on rank 3" },
  tells   = "rank {rank} has no more data",
}
signature {
  id      = "app.shard_size",
  stream  = "app",
  needles = { "0 batches", "1 batches", "2 batches", "3 batches", "4 batches", "5 batches", "6 batches", "7 batches", "8 batches", "9 batches",
              "0 samples", "1 samples", "2 samples", "3 samples", "4 samples", "5 samples", "6 samples", "7 samples", "8 samples", "9 samples",
              "0 steps", "1 steps", "2 steps", "3 steps", "4 steps", "5 steps", "6 steps", "7 steps", "8 steps", "9 steps",
              "umber of batches", "umber of samples", "umber of steps", "um_batches", "um_samples", "len(train_loader)", "len(loader)", "len(dataloader)" },
  pattern = [[(?i)^\[?rank[ _:=]{0,3}(?<rank>\d+)\b\]?[:,]?(?: .*?\b(?:has|have|got|with|:|=)\s*(?<n>\d+) (?:batches|samples|steps)\b(?!/)|.{0,60}?\b(?:number of |num_)(?:train(?:ing)?[ _])?(?:batches|samples|steps)\b\W{1,3}(?<n>\d+)\b|.{0,60}?\blen\((?:train_?|data_?)?loader\)\W{1,3}(?<n>\d+)\b)]],
  fields  = { rank = "rank", n = "int" },
  match   = { "rank0: iterable shard has 9 batches", "Rank = 2, Number of batches 8", "rank 3: num_batches=125", "rank 1 len(train_loader) = 41" },
  ignore  = { "rank 0: 120 samples/s", "Number of batches 8" },
  tells   = "rank {rank} has {n} pieces of data",
}

-- Ranks with unequal numbers of batches: who has fewer has left its loop when the others wait. It needs the counts of both sides, and that all
-- who wait are of those with more.
correlate {
  id    = "comm.missing_rank.uneven",
  group = "job",
  uses  = { "app.shard_size" },
  reach = { "torch.watchdog_timeout", "gloo.timed_out", "app.out_of_data", "app.good_end" },
  judge = function(case)
    local on, size, least = case.signals, {}, nil
    local waits = join(on["torch.watchdog_timeout"], on["gloo.timed_out"])
    local waiting = distinct(waits, "rank")
    if #waiting == 0 or #on["app.out_of_data"] + #on["app.good_end"] > 0 then return {} end
    for _, s in ipairs(on["app.shard_size"]) do
      if s.rank then
        if size[s.rank] and size[s.rank] ~= s.fields.n then return {} end -- two counts of one rank: of which loop is not told
        size[s.rank] = s.fields.n
        least = math.min(least or s.fields.n, s.fields.n)
      end
    end
    for _, rank in ipairs(waiting) do
      if not size[rank] or size[rank] <= least then return {} end
    end
    local short = keep(on["app.shard_size"], function(s) return s.rank ~= nil and size[s.rank] == least end)
    if #short == 0 then return {} end
    local ranks = distinct(short, "rank")
    table.sort(ranks)
    return { { cause = "comm.missing_rank", confidence = "likely", scope = "job", rank = #ranks == 1 and ranks[1] or nil, ranks = ranks, evidence = on["app.shard_size"], symptoms = waits,
      confidence_why = "the ranks print how much data they have; only those with more are in the collective that timed out",
      summary = string.format("rank%s %s had only %d batches and left the loop; rank%s %s went on to a further step and waited", #ranks == 1 and "" or "s", table.concat(ranks, ", "), least,
        #waiting == 1 and "" or "s", table.concat(waiting, ", ")) } }
  end,
}
