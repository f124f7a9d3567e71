-- What a job prints of itself at its start: which rank speaks, and on which device. No failure, only names; a field called `own` is the
-- rank of whoever wrote the line. Sources: ESPnet, fairseq and Detectron prints, torch and JAX examples, environment dumps, XLA's calls.
signature {
  id      = "app.own_rank",
  stream  = { "app", "host" },
  needles = { "dist_rank", "RANK=", "process_index", "PROCESS_ID=", "PROCID=", "(&comm, " },
  pattern = [=[(?:^|[\s.])dist_rank[:=] ?(?<own>\d+)\b|^(?:export |declare -x )?(?:OMPI_COMM_WORLD_RANK|PMI_RANK|PMIX_RANK|SLURM_PROCID|(?:JAX_)?PROCESS_ID|RANK)=[\x22']?(?<own>\d+)[\x22']?$|process_index(?:\(\))?[:=] ?(?<own>\d+)\b|ncclCommInitRank(?:Config|Scalable)?\(&comm, \d+, id, (?<own>\d+)[,)]]=],
  fields  = { own = "rank" },
  fold    = { "own" },
  match   = { "self.dist_rank: 1", "RANK=3", "OMPI_COMM_WORLD_RANK=12", 'declare -x RANK="3"', "export SLURM_PROCID=7", "process_index=4",
              "INTERNAL: ncclCommInitRankConfig(&comm, 64, id, 0, &config) failed: invalid usage" },
  ignore  = { "LOCAL_RANK=3", "NODE_RANK=1", "ncclCommInitRank failed" },
}
signature {
  id      = "app.own_local_rank",
  stream  = { "app", "host" },
  needles = { "LOCAL_RANK=", "SLURM_LOCALID=", "MPI_LOCALRANKID=" },
  pattern = [[^(?:export |declare -x )?(?:LOCAL_RANK|OMPI_COMM_WORLD_LOCAL_RANK|SLURM_LOCALID|MPI_LOCALRANKID)=[\x22\x27]?(?<own_local>\d+)[\x22\x27]?$]],
  fields  = { own_local = "local_rank" },
  fold    = { "own_local" },
  match   = { "LOCAL_RANK=3", 'declare -x SLURM_LOCALID="2"', "OMPI_COMM_WORLD_LOCAL_RANK=0" },
  ignore  = { "LOCAL_RANK=$SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_SIZE=8" },
}
-- The GPUs that a process was given, in the order in which CUDA counts them (analyzer/verdict/devices.c). Lightning and DeepSpeed print it.
signature {
  id      = "app.visible_devices",
  stream  = "app",
  needles = { "CUDA_VISIBLE_DEVICES: [", "etting CUDA_VISIBLE_DEVICES=" },
  pattern = [=[LOCAL_RANK: (?<local_rank>\d+) - CUDA_VISIBLE_DEVICES: \[(?<visible>[\w,/ -]+)\]|[Ss]etting CUDA_VISIBLE_DEVICES=(?<visible>[\w,/-]+)]=],
  fields  = { local_rank = "local_rank", visible = "text" },
  match   = { "LOCAL_RANK: 1 - CUDA_VISIBLE_DEVICES: [0,1,2,3]", "[INFO] [launch.py:256:main] Setting CUDA_VISIBLE_DEVICES=4,5,6,7" },
  ignore  = { "CUDA_VISIBLE_DEVICES: not set", "setting CUDA_VISIBLE_DEVICES failed" },
}
-- TensorFlow numbers the workers of a job; a job of one process calls itself localhost.
signature {
  id      = "tf.own_task",
  stream  = { "app", "host" },
  needles = { "reated device /job:", "TF_CONFIG=" },
  pattern = [=[^Created device /job:\w*worker/replica:\d+/task:(?<own>\d+)/device:GPU:|^(?:export |declare -x )?TF_CONFIG=.*"task\\?" ?: ?\{(?=[^}]*"worker\\?")[^}]*"index\\?" ?: ?(?:\\?")?(?<own>\d+)]=],
  fields  = { own = "rank" },
  fold    = { "own" },
  match   = { 'TF_CONFIG={"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 1}}', "Created device /job:worker/replica:0/task:1/device:GPU:0 with 78911 MB memory:  -> device: 0, name: NVIDIA H100 80GB HBM3, pci bus id: 0000:1b:00.0" },
  ignore  = { 'TF_CONFIG={"cluster": {"ps": ["c:1"]}, "task": {"type": "ps", "index": 0}}', "Created device /job:localhost/replica:0/task:0/device:GPU:0 with 78911 MB memory" },
}
signature {
  id      = "app.rank_on_device",
  stream  = "app",
  needles = { "cuda:", "CUDA device", "device cuda", "GPU 0", "GPU 1", "GPU 2", "GPU 3", "GPU 4", "GPU 5", "GPU 6", "GPU 7", "GPU 8", "GPU 9" },
  pattern = [[(?i)\brank[ :=]+(?<own>\d+)\b[^0-9]{1,24}(?:cuda:|cuda device |gpu )(?<gpu>\d{1,2})\b(?!.*\brank[ :=]+\d)]],
  fields  = { own = "rank", gpu = "gpu" },
  match   = { "=> rank 0 on cuda:0", "Rank 3 using CUDA device 3" },
  ignore  = { "rank 2 and rank 0 are both on CUDA device 1000 (bus id)", "RuntimeError on cuda:0" },
}
