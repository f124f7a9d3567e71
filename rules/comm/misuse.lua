-- NCCL refuses a call that cannot work. Source: NCCL src/init.cc, src/misc/argcheck.cc (texts by release in their comments).
signature {
  id      = "nccl.duplicate_gpu",
  stream  = { "nccl", "app" },
  needles = { "Duplicate GPU detected" },
  pattern = [[Duplicate GPU detected : rank (?<rank>\d+) and rank (?<other>\d+) both on CUDA device (?<device>[0-9a-f]+)]],
  fields  = { rank = "rank", other = "int", device = "text" },
  match   = { "NCCL WARN Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 60" },
  ignore  = { "NCCL INFO Check P2P Type isAllDirectP2p 1" },
  says    = { cause = "comm.misuse", confidence = "certain", scope = "job",
              summary = "two ranks use one GPU: rank {rank} and rank {other} are both on CUDA device {device} (bus id)" },
}
signature {
  id      = "nccl.invalid_argument",
  stream  = "nccl",
  needles = { "Invalid rank requested", "must be positive", "invalid argument", "is invalid for" },
  pattern = [[NCCL WARN (?<text>Invalid rank requested : \d+/\d+|\w+ : \w+ argument must be .*|\w+ : invalid (?:operation|type|root|reduction) .*)]],
  fields  = { text = "text" },
  match   = { "NCCL WARN Invalid rank requested : 8/8" },
  ignore  = { "NCCL INFO Invalid rank requested : 8/8" },
  says    = { cause = "comm.misuse", confidence = "certain", scope = "job", summary = "NCCL refuses the call: {text}" },
}
