-- Signs that a job moves on, or ended well: what happened before them did not stop it.
-- Sources: Megatron, DeepSpeed, tqdm, Lightning, fairseq-like and Horovod loops, vLLM and SGLang servers, nccl-tests, POSIX shells, Slurm.
signature {
  id      = "app.progress",
  marks   = "progress",
  stream  = "app",
  needles = { "teration ", "teration:", "teration=", "iter ", "iter:", "iter=", "Iter ", "step ", "step:", "step=", "step[", "Step ", "Step:", "Step=", "loss", "Loss", "it/s", "s/it", "it [",
              "samples/s", "tokens/s", "images/s", "epoch", "Epoch" },
  pattern = [[^(?!#? ?nThread)(?:.*?)(?:\b(?:[Ii]teration|iter)[ :=][ :=\[]*\d+|\bIter [ :=\[]*\d+|\b(?:(?:global_?)?step[ :=\[]|(?:[Gg]lobal_?)?Step[ :=])[ :=\[#]*\d+|\b[Ee]poch[ :=\[]+\d|\|.*\d+/\d+ \[.*(?:it/s|s/it)|\b[Ll]oss['"]?[ :=]+\d|\b\d+(?:\.\d+)? (?:samples|tokens|images)/s|\d+it \[)]],
  fields  = {},
  fold    = {},
  match   = { " iteration      120/  500000 | consumed samples:        61440 | elapsed time per iteration (ms): 1234.5", "{'loss': 1.7261, 'learning_rate': 2e-05, 'epoch': 0.3}",
              "ep 39 train, step 410, ctc_4 2.031", "iter 14020 | loss 2.03797 | grad norm 0.456 | 6.1 s", "1|40|Loss: 1.2044: 100%|##########| 40/40 [01:02<00:00]", "Iteration: 20 done", "Epoch 0: : 1it [00:04,  4.01s/it, v_num=12, train_loss=5.000]",
              "Engine 003: Avg prompt throughput: 1210.2 tokens/s, Avg generation throughput: 880.4 tokens/s" },
  ignore  = { "step: initialize the model", "loss function set", "Setting epoch length",
              "# nThread 1 nGpus 1 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0" },
}
-- The end that a job reports when all is well.
signature {
  id      = "app.good_end",
  marks   = "end",
  stream  = { "app", "slurm" },
  needles = { "Out of bounds values", "exit", "Training time", "Throughput", "training finished", "Training finished", "Finished training", "raining complete", "completed successfully",
              "worker group successfully finished", "`Trainer.fit` stopped: `max_" },
  pattern = [[(?:# Out of bounds values : 0 OK|^(?:rank \d+ pid \d+ )?exit(?:ed)?(?: with)?(?: code| status)?:? 0(?: \d{4}-\S+)?$|\bTraining time: [\d.]+ s|\bThroughput: [\d.]+ samples|[Tt]raining (?:finished|completed?\b)|Finished training|completed successfully|worker group successfully finished|`Trainer\.fit` stopped: `max_(?:epochs|steps|time)=\S+` reached)]],
  fields  = {},
  fold    = {},
  match   = { "# Out of bounds values : 0 OK", "rank 0 pid 573 exit 0 2026-11-30T06:52:36+00:00", "exit 0", "Process 0 - Throughput: 4711.20 samples/second",
              "[default] worker group successfully finished. Waiting 300 seconds for other agents to finish.", "Training completed. Do not forget to share your model", "`Trainer.fit` stopped: `max_epochs=3` reached." },
  ignore  = { "# Out of bounds values : 4 FAILED", "exit 1", "Training completeness check", "exit barrier. Elapsed: 12 seconds" },
}
-- A server that is up: what stood before it was outlived. What comes after may still be its end, so this is no good end.
signature {
  id      = "app.server_up",
  marks   = "end",
  stream  = "app",
  needles = { "Application startup complete", "fired up and ready to roll" },
  pattern = [[Application startup complete|The server is fired up and ready to roll]],
  fields  = {},
  fold    = {},
  match   = { "INFO:     Application startup complete.", "The server is fired up and ready to roll!" },
  ignore  = { "INFO:     Waiting for application startup." },
  tells   = "the server is up",
}
-- The end of the work itself: a server that is up, or one test of many that is right, may still meet its fault.
signature {
  id      = "app.run_completed",
  stream  = { "app", "slurm" },
  needles = { "raining finished", "raining complete", "Finished training", "worker group successfully finished", "`Trainer.fit` stopped: `max_", "{'train_runtime': ", "[after training is done]" },
  -- the Trainer of Transformers prints its totals, and Megatron a time, when the loop is over
  pattern = [[^\{'train_runtime': |\[after training is done\]|\b[Tt]raining (?:finished|completed?\b)|Finished training|worker group successfully finished|`Trainer\.fit` stopped: `max_(?:epochs|steps|time)=\S+` reached]],
  fields  = {},
  fold    = {},
  match   = { "[default] worker group successfully finished. Waiting 300 seconds for other agents to finish.", "Training completed, 1000 steps in 1:02:11", "2026-07-14T08:59:00Z Training finished in 5:02:10",
              "{'train_runtime': 812.4, 'train_samples_per_second': 4.1, 'train_loss': 1.81, 'epoch': 3.0}", "[after training is done] datetime: 2026-01-01 00:10:00" },
  ignore  = { "Training completeness check", "INFO:     Application startup complete." },
}
-- A limit as a shell shows it.
signature {
  id      = "host.memlock",
  stream  = { "host", "app" },
  needles = { "max locked memory", "Max locked memory", "unlimited", "ulimit -l", "RLIMIT_MEMLOCK is" },
  pattern = [[(?:[Mm]ax locked memory\s+(?:\(kbytes, -l\) )?|RLIMIT_MEMLOCK is |ulimit -l\)?[:=]? ?)(?<limit>unlimited|\d+)|^(?<limit>unlimited)$]],
  fields  = { limit = "text" },
  match   = { "max locked memory       (kbytes, -l) 8192", "Max locked memory         unlimited            unlimited            bytes", "unlimited",
              "libibverbs: Warning: RLIMIT_MEMLOCK is 32768 bytes.", "ulimit -l: 64" },
  ignore  = { "max memory size         (kbytes, -m) unlimited", "$ docker exec vllm sh -c 'ulimit -l'" },
}
-- A launcher that starts the ranks, or starts them again: what a program did before says nothing of what it does after.
-- Sources: torch.distributed.elastic agent and launcher, DeepSpeed launcher, Horovod elastic, Slurm requeue, Ray Train, Lightning's own restart.
signature {
  id      = "app.start",
  marks   = "start",
  meets   = "comes", -- to the rendezvous of which its log tells next
  stream  = { "app", "slurm" },
  needles = { "Starting elastic_operator", "worker group", "Restart count:", "restart_count=", "Attempt ", "attempt " },
  pattern = [[(?:Starting elastic_operator with launch configs|Rendezvous'ing worker group|(?:will r|R|r)estart(?:ing)? worker group|[Rr]estart[ _]count[:=] ?[1-9]\d*\b|^(?:=+|-+|#+) ?[Aa]ttempt #?\d+(?: of \d+|/\d+)?(?: starts?| starting| ?=+| ?-+| ?#+)?$|^[Aa]ttempt #?\d+(?: of \d+|/\d+)? (?:starts?|starting|started|begins?)\b)]],
  fields  = {},
  match   = { "[default] Starting elastic_operator with launch configs:", "[default] Rendezvous'ing worker group", "[default] Worker group FAILED. 3/3 attempts left; will restart worker group", "=== attempt 2 ===", "attempt 2/4 starts", "Restart count: 1" },
  ignore  = { "Worker group FAILED. No attempts left", "restart_count=0", "attempt to connect to 10.0.0.1 failed", "attempt 2/4", "Attempt 3", "Attempt 1 of 3 to fetch shard" },
  tells   = "the launcher starts the ranks",
}
