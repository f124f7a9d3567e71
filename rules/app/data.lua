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
              "0 steps", "1 steps", "2 steps", "3 steps", "4 steps", "5 steps", "6 steps", "7 steps", "8 steps", "9 steps" },
  pattern = [[(?i)^\[?rank[ _:=]?(?<rank>\d+)\]?:? .*?\b(?:has|have|got|with|:|=)\s*(?<n>\d+) (?:batches|samples|steps)\b]],
  fields  = { rank = "rank", n = "int" },
  match   = { "rank0: iterable shard has 9 batches" },
  ignore  = { "rank 0: 120 samples/s" },
}
