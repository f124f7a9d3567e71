-- Settings, as NCCL echoes them, as pods declare them and as env dumps and command lines show them: which differ between ranks where they
-- must agree. What a setting by itself is worth a word is in env_lint.lua. NCCL echoes a variable at its first use and once per process, so a missing echo
-- says little: values are compared, and an echo that is missing counts only where NCCL complains that ranks cut one message differently.
-- Sources: NCCL src/misc/param.cc and the uses of each variable, release by release; torch ProcessGroupNCCL.hpp.

-- All ranks of a communicator need the same value of these: they choose algorithm, protocol, chunk, transport or the way of their first meeting by it.
local MUST_AGREE = {
    NCCL_AGG_ALLOC_MODE = true, NCCL_AGG_CHANNEL_SIZE = true, NCCL_ALGO = true, NCCL_ALLGATHERV_ENABLE = true,
    NCCL_ALLOC_P2P_NET_LL_BUFFERS = true, NCCL_BUFFSIZE = true, NCCL_CGA_CLUSTER_SIZE = true, NCCL_CHECK_MODE = true,
    NCCL_CHUNK_SIZE = true, NCCL_COLLNET_ENABLE = true, NCCL_COLLNET_NODE_THRESHOLD = true, NCCL_COMM_SHRINK_SHARE_RESOURCES = true,
    NCCL_COMM_SPLIT_SHARE_RESOURCES = true, NCCL_CONNECT_ROUND_MAX_PEERS = true, NCCL_CROSS_NIC = true, NCCL_CTA_POLICY = true,
    NCCL_CUMEM_ENABLE = true, NCCL_CUMEM_HOST_ENABLE = true, NCCL_DEV_API_JIT = true, NCCL_DISABLE_MEM_MANAGER = true,
    NCCL_ELASTIC_BUFFER_REGISTER = true, NCCL_GDAKI_USE_RELIABLE_DB = true, NCCL_GDRCOPY_ENABLE = true, NCCL_GDRCOPY_FIFO_ENABLE = true,
    NCCL_GDRCOPY_SYNC_ENABLE = true, NCCL_GDRCOPY_TAIL_ENABLE = true, NCCL_GIN_COUNTER_POOL_SIZE = true, NCCL_GIN_ENABLE = true,
    NCCL_GIN_ERROR_QUERY_SEC = true, NCCL_GIN_EXCLUSIVE_CONTEXTS = true, NCCL_GIN_GDAKI_MAX_DEST_RD_ATOMIC = true,
    NCCL_GIN_GDAKI_MAX_QP_RD_ATOMIC = true, NCCL_GIN_GDAKI_NIC_HANDLER = true, NCCL_GIN_GDAKI_QP_DEPTH = true, NCCL_GIN_IB_TC = true,
    NCCL_GIN_NCONNECTIONS = true, NCCL_GIN_NCONTEXTS = true, NCCL_GIN_PLUGIN = true, NCCL_GIN_PROXY_QUEUE_SIZE = true,
    NCCL_GIN_SIGNAL_POOL_SIZE = true, NCCL_GIN_TYPE = true, NCCL_GRAPH = true, NCCL_GRAPH_FILE = true, NCCL_GRAPH_MIXING_SUPPORT = true,
    NCCL_GRAPH_REGISTER = true, NCCL_GRAPH_STREAM_ORDERING = true, NCCL_IB_ADAPTIVE_ROUTING = true, NCCL_IB_ADDR_FAMILY = true,
    NCCL_IB_AR_THRESHOLD = true, NCCL_IB_CUDA_SUPPORT = true, NCCL_IB_DEVICE_PCI_ORDER = true, NCCL_IB_DISABLE = true,
    NCCL_IB_FIFO_TC = true, NCCL_IB_GDR_LEVEL = true, NCCL_IB_MERGE_NICS = true, NCCL_IB_MERGE_VFS = true, NCCL_IB_OOO_RQ = true,
    NCCL_IB_PREPOST_RECEIVE_WORK_REQUESTS = true, NCCL_IB_QPS_PER_CONNECTION = true, NCCL_IB_RECEIVER_SIDE_MATCHING_SCHEME = true,
    NCCL_IB_RESILIENCY_PORT_FAILOVER = true, NCCL_IB_RESILIENCY_PORT_RECOVERY = true, NCCL_IB_ROCE_VERSION_NUM = true, NCCL_IB_SL = true,
    NCCL_IB_SPLIT_DATA_ON_QPS = true, NCCL_IB_SUBNET_AWARE_ROUTING = true, NCCL_IB_SUBNET_PREFIX_LEN = true, NCCL_IB_TC = true,
    NCCL_IPC_USE_ABSTRACT_SOCKET = true, NCCL_LEGACY_CUDA_REGISTER = true, NCCL_LL128_BUFFSIZE = true, NCCL_LL128_C2C = true,
    NCCL_LL128_NTHREADS = true, NCCL_LL_BUFFSIZE = true, NCCL_LL_THRESHOLD = true, NCCL_LOCAL_REGISTER = true, NCCL_LSA_TEAM_SIZE = true,
    NCCL_MAX_CTAS = true, NCCL_MAX_NCHANNELS = true, NCCL_MAX_NRINGS = true, NCCL_MAX_P2P_NCHANNELS = true, NCCL_MIN_CTAS = true,
    NCCL_MIN_NCHANNELS = true, NCCL_MIN_NRINGS = true, NCCL_MIN_P2P_NCHANNELS = true, NCCL_MLOPART_RDMA_ENABLE = true, NCCL_MNNVL = true,
    NCCL_MNNVL_CROSS_CLIQUE = true, NCCL_MNNVL_ENABLE = true, NCCL_MNNVL_RAIL_PER_HOST = true, NCCL_MNNVL_SCATTER_NETS_ENABLE = true,
    NCCL_MNNVL_UUID = true, NCCL_MULTI_RANK_GPU_ENABLE = true, NCCL_MULTI_SEGMENT_REGISTER = true,
    NCCL_NCCL_ALLOC_P2P_NET_LL_BUFFERS = true, NCCL_NCHANNELS_PER_NET_PEER = true, NCCL_NET = true, NCCL_NETDEVS_POLICY = true,
    NCCL_NET_DISABLE_INTRA = true, NCCL_NET_FORCE_MERGE = true, NCCL_NET_GDR_C2C = true, NCCL_NET_GDR_LEVEL = true,
    NCCL_NET_GDR_MLOPART = true, NCCL_NET_GDR_READ = true, NCCL_NET_MERGE_LEVEL = true, NCCL_NET_MERGE_POLICY = true,
    NCCL_NET_OPTIONAL_RECV_COMPLETION = true, NCCL_NET_OVERHEAD = true, NCCL_NET_PLUGIN = true, NCCL_NET_SHARED_BUFFERS = true,
    NCCL_NET_SHARED_COMMS = true, NCCL_NSOCKS_PERTHREAD = true, NCCL_NTHREADS = true, NCCL_NUM_RMA_CTX = true, NCCL_NVB_DISABLE = true,
    NCCL_NVB_PRECONNECT = true, NCCL_NVLINK_UTIL_CENTRIC_SCHED_ENABLE = true, NCCL_NVLSTREE_MAX_CHUNKSIZE = true,
    NCCL_NVLS_CHUNKSIZE = true, NCCL_NVLS_ENABLE = true, NCCL_NVLS_NCHANNELS = true, NCCL_OOB_NET_ENABLE = true,
    NCCL_P2P_DIRECT_DISABLE = true, NCCL_P2P_DISABLE = true, NCCL_P2P_EPOCH_ENABLE = true, NCCL_P2P_LEVEL = true,
    NCCL_P2P_LL_THRESHOLD = true, NCCL_P2P_MAX_PEERS = true, NCCL_P2P_NET_CHUNKSIZE = true, NCCL_P2P_NVL_CHUNKSIZE = true,
    NCCL_P2P_PCI_CHUNKSIZE = true, NCCL_P2P_PER_CHANNEL_NET_BW = true, NCCL_P2P_PXN_LEVEL = true, NCCL_P2P_READ_ENABLE = true,
    NCCL_P2P_SCHEDULE_GROUP_SIZE = true, NCCL_P2P_USE_CUDA_MEMCPY = true, NCCL_PAT_ENABLE = true, NCCL_PROTO = true, NCCL_PXN_C2C = true,
    NCCL_PXN_DISABLE = true, NCCL_RAS_ENABLE = true, NCCL_RAS_TIMEOUT_FACTOR = true, NCCL_RINGS = true, NCCL_RMA_DISABLE = true,
    NCCL_RMA_PLUGIN = true, NCCL_RMA_PROXY_QUEUE_SIZE = true, NCCL_RUNTIME_CONNECT = true, NCCL_SHARED_BUFF_COUNT = true,
    NCCL_SHM_DISABLE = true, NCCL_SHM_LOCALITY = true, NCCL_SHM_MEMCPY_MODE = true, NCCL_SHM_USE_CUDA_MEMCPY = true,
    NCCL_SINGLE_PROC_MEM_REG_ENABLE = true, NCCL_SOCKET_FAMILY = true, NCCL_SOCKET_INLINE = true, NCCL_SOCKET_MAGIC = true,
    NCCL_SOCKET_MIN_TASKSIZE = true, NCCL_SOCKET_NTHREADS = true, NCCL_SYM_CE_THRESHOLD = true, NCCL_SYM_CTAS = true,
    NCCL_SYM_GIN_KERNELS_ENABLE = true, NCCL_SYM_KERNEL = true, NCCL_SYM_NOWIN_ENABLE = true, NCCL_SYM_REUSE_SYSMEM_HANDLES = true,
    NCCL_SYM_RS_GIN_CHUNK_SIZE = true, NCCL_SYM_TMA_ENABLE = true, NCCL_THREAD_THRESHOLD = true, NCCL_THREAD_THRESHOLDS = true,
    NCCL_TOPO_FILE = true, NCCL_TOPO_SPLIT_MLOPART = true, NCCL_TREE_THRESHOLD = true, NCCL_TUNER_PLUGIN = true,
    NCCL_UID_STAGGER_RATE = true, NCCL_UID_STAGGER_THRESHOLD = true, NCCL_UNPACK_DOUBLE_NCHANNELS = true, NCCL_WIN_ENABLE = true,
    NCCL_WIN_STRIDE = true, NCCL_WORK_ARGS_BYTES = true,
    -- plugins, RCCL, PyTorch
    FI_PROVIDER = true, NCCL_COMM_ID = true, NCCL_IBEXT_DISABLE = true, NCCL_IB_IS_GLOBAL = true, NCCL_PLUGIN_P2P = true,
    NCCL_SHARP_DISABLE = true, NCCL_SHARP_DISABLE_ALLGATHER = true, NCCL_SHARP_DISABLE_REDUCE_SCATTER = true,
    NCCL_SHARP_GROUP_SIZE_THRESH = true, NCCL_SHARP_MAX_COMMS = true, NCCL_SHARP_V3_DATATYPES = true, NCCL_UCX_DISABLE = true,
    NCCL_UCX_RMA_DISABLE = true, NCCL_UCX_TLS = true, OFI_NCCL_EAGER_MAX_SIZE = true, OFI_NCCL_EARLY_COMPLETION = true,
    OFI_NCCL_FORCE_NUM_RAILS = true, OFI_NCCL_MIN_STRIPE_SIZE = true, OFI_NCCL_PROTOCOL = true, RCCL_CLIQUE_ALLREDUCE_BYTE_LIMIT = true,
    RCCL_CLIQUE_ALLREDUCE_NCHANNELS = true, RCCL_CLIQUE_IGNORE_TOPO = true, RCCL_ENABLE_CLIQUE = true, RCCL_ENABLE_INTRANET = true,
    RCCL_FORCE_ENABLE_GDRDMA = true, RCCL_INTRANET_THRESHOLD = true, RCCL_LL128_FORCE_ENABLE = true, RCCL_MODEL_MATCHING_DISABLE = true,
    RCCL_MSCCLPP_ENABLE = true, RCCL_MSCCLPP_THRESHOLD = true, RCCL_MSCCL_ENABLE = true, RCCL_MSCCL_ENABLE_SINGLE_PROCESS = true,
    RCCL_MSCCL_FORCE_ENABLE = true, RCCL_MSCCL_FORCE_FULLOPS = true, RCCL_MSCCL_WORK_FIFO_DEPTH = true, RCCL_NET_CONTIGUOUS_MEM = true,
    RCCL_P2P_NET_DISABLE = true, RCCL_P2P_NET_THRESHOLD = true, RCCL_PIVOT_ALLTOALL_ENABLE = true, RCCL_TREES = true,
    SHARP_COLLNET_OVERLAP_AG = true, TORCH_DISTRIBUTED_DEBUG = true, TORCH_NCCL_BCAST_UNIQUEID = true, TORCH_NCCL_RANKS_PER_ROOT = true,
}

-- Ranks should have the same value, and each may have its own: how it reports, waits and ends.
local SHOULD_AGREE = {
    FI_EFA_USE_DEVICE_RDMA = true, HSA_FORCE_FINE_GRAIN_PCIE = true, NCCL_ASYNC_ERROR_HANDLING = true, NCCL_BLOCKING_WAIT = true,
    NCCL_DESYNC_DEBUG = true, NCCL_IGNORE_COLLNET_MISMATCH = true, NCCL_IGNORE_NET_MISMATCH = true, NCCL_SHARP_COLL_TRACE = true,
    NCCL_TUNER_CONFIG_FILE = true, NCCL_UCX_CUDA_DISABLE = true, NCCL_UCX_ZCOPY_THRESH = true,
    NCCL_USE_TENSOR_REGISTER_ALLOCATOR_HOOK = true, RCCL_DUMP_ROME_MODEL_FILE = true, RCCL_ENABLE_SIGNALHANDLER = true,
    RCCL_KERNEL_COLL_TRACE_ENABLE = true, RCCL_ROCR_PATH = true, RCCL_STACK_SIZE_OVERRIDE = true, RCCL_USE_ROCM_SMI_LIB = true,
    TORCH_NCCL_ASYNC_ERROR_HANDLING = true, TORCH_NCCL_BLOCKING_WAIT = true, TORCH_NCCL_DESYNC_DEBUG = true,
    TORCH_NCCL_ENABLE_MONITORING = true, TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC = true, TORCH_NCCL_PROPAGATE_ERROR = true,
    TORCH_NCCL_USE_COMM_NONBLOCKING = true, TORCH_NCCL_USE_TENSOR_REGISTER_ALLOCATOR_HOOK = true,
}

signature {
  id      = "nccl.env",
  stream  = { "nccl", "app" },
  needles = { "set by environment to ", "NCCL_IB_HCA set to ", "_IFNAME set to " },
  pattern = [[NCCL INFO (?<variable>[A-Z][A-Z0-9_]+) set (?:by environment )?to (?<value>.*?)\.?$]],
  fields  = { variable = "text", value = "text" },
  match   = { "NCCL INFO NCCL_SOCKET_IFNAME set by environment to eth0", "NCCL INFO NCCL_SHM_DISABLE set by environment to 1.", "NCCL INFO NCCL_IB_HCA set to mlx5" },
  ignore  = { "NCCL INFO Comm config Blocking set to 1" },
}
signature {
  id      = "env.dump",
  stream  = { "app", "host" },
  needles = { "NCCL_", "RCCL_", "GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME", "MASTER_ADDR=", "MASTER_PORT=", "TORCH_FR_", "TORCH_XCCL_", "UCX_", "TORCH_DISTRIBUTED_", "TORCH_CPP_LOG_LEVEL=",
              "CUDA_LAUNCH_BLOCKING=", "_VISIBLE_DEVICES=", "CUDA_DEVICE_ORDER=", "SLURM_STEP_GPUS=", "SLURM_JOB_GPUS=", "FI_EFA_", "FI_PRO", "FI_HMEM_", "FI_LOG_", "HSA_FORCE_FINE_GRAIN_PCIE=", "PYTORCH_ALLOC_CONF=", "PYTORCH_CUDA_ALLOC_CONF=" },
  pattern = [[^(?:export |declare -x |\s*-e |-x )?(?<variable>(?:TORCH_|OFI_)?[NR]CCL_[A-Z0-9_]+|ENABLE_NCCL_HEALTH_CHECK|(?:GLOO|TP)_SOCKET_IFNAME|MASTER_ADDR|MASTER_PORT|TORCH_(?:FR_|DISTRIBUTED_|XCCL_)[A-Z_]+|UCX_[A-Z0-9_]+|TORCH_CPP_LOG_LEVEL|CUDA_LAUNCH_BLOCKING|CUDA_DEVICE_ORDER|(?:CUDA|NVIDIA)_VISIBLE_DEVICES|SLURM_(?:STEP|JOB)_GPUS|FI_(?:EFA_|PRO|HMEM_|LOG_)[A-Z0-9_]+|HSA_FORCE_FINE_GRAIN_PCIE|PYTORCH_(?:CUDA_)?ALLOC_CONF)="?(?<value>[^"\s]*)"?$]],
  fields  = { variable = "text", value = "text" },
  match   = { "NCCL_SOCKET_IFNAME==enp97s0np0", "export NCCL_DEBUG=WARN", "MASTER_ADDR=10.0.0.1", "OFI_NCCL_PROTOCOL=RDMA", "FI_PROVIDER=efa", "RCCL_MSCCL_ENABLE=0", "UCX_TLS=rc,cuda_copy", "TORCH_XCCL_NAN_CHECK=1" },
  ignore  = { "launching with NCCL_DEBUG=INFO and more", "OTHER_NCCL_DEBUG=1" },
}

-- The settings of all sources, one entry for each variable and place: { variable, value, signal }.
local function settings(on)
  local all = {}
  for _, s in ipairs(join(on["nccl.env"], on["env.dump"], on["env.set"], on["k8s.env"])) do
    local variable, value = s.fields.variable or s.fields.name, s.fields.value
    if variable and value then all[#all + 1] = { variable = variable, value = tostring(value), s = s } end
  end
  return all
end

local function values_of(v)
  local all = {}
  for _, signals in pairs(v.values) do all = join(all, signals) end
  return all
end

-- Processes that print what NCCL does (INFO) and not this variable, where the one that has it prints it too.
local function without(started, told, printed, name)
  local has = {}
  local is_printed = false
  for _, s in ipairs(printed) do
    if (s.fields.variable or s.fields.name) == name then
      has[(s.host or s.member) .. "|" .. tostring(s.pid or "")] = true
      is_printed = is_printed or s.ref == told.ref
    end
  end
  if not is_printed then return {} end
  return keep(started, function(s) return s.pid ~= nil and not has[(s.host or s.member) .. "|" .. tostring(s.pid)] end)
end

correlate {
  id    = "comm.env_mismatch",
  group = "job",
  uses  = { "nccl.env", "env.dump", "env.set", "k8s.env" },
  reach = { "nccl.warn", "app.nccl_error", "torch.watchdog_timeout", "app.good_end", "nccl.network" },
  judge = function(case)
    local on, by, order_of, found = case.signals, {}, {}, {}
    for _, e in ipairs(settings(on)) do
      if MUST_AGREE[e.variable] or SHOULD_AGREE[e.variable] then
        if not by[e.variable] then
          by[e.variable] = { values = {}, n = 0 }
          order_of[#order_of + 1] = e.variable
        end
        local v = by[e.variable]
        if not v.values[e.value] then
          v.values[e.value] = {}
          v.n = v.n + 1
        end
        table.insert(v.values[e.value], e.s)
      end
    end
    -- NCCL's own complaint that two ranks cut the same message differently is what such a difference looks like
    local torn = keep(on["nccl.warn"], function(s) return match(s.fields.text, [[collective mismatch error|[Mm]essage truncated|incorrect receive info|receiving \d+ bytes instead]]) ~= nil end)
    local hurt = #on["torch.watchdog_timeout"] + #on["app.nccl_error"] + #torn > 0
    local fine = not hurt or #on["app.good_end"] > 0
    for _, name in ipairs(order_of) do
      local v = by[name]
      local bare = #torn > 0 and v.n == 1 and MUST_AGREE[name] and without(on["nccl.network"], first(values_of(v)), on["nccl.env"], name) or {}
      if #bare > 0 then
        local set = values_of(v)
        local value
        for one in pairs(v.values) do value = one end
        found[#found + 1] = { cause = "comm.env_mismatch", confidence = "likely", scope = "job", evidence = set, symptoms = torn, host = set[1].host, rank = set[1].rank, ranks = set[1].rank and { set[1].rank } or nil,
          confidence_why = "the variable is set in some processes only, others print their start and not this, and NCCL complains that ranks cut one message differently",
          summary = string.format("%s is set to %s on %s, and not set on %s", name, value, set[1].host or "some ranks", bare[1].host or "others"), facts = { variable = name } }
      elseif v.n > 1 then
        local list, evidence, fewest, places = {}, {}, nil, {}
        for value, signals in pairs(v.values) do
          list[#list + 1] = value
          evidence[#evidence + 1] = first(signals)
          if not fewest or #signals < #v.values[fewest] then fewest = value end
          for _, s in ipairs(signals) do places[(s.host or s.member) .. "|" .. tostring(s.pid or "")] = true end
        end
        local n_places = 0
        for _ in pairs(places) do n_places = n_places + 1 end
        if n_places > 1 then
          local odd, note = first(v.values[fewest]), fine or not MUST_AGREE[name]
          found[#found + 1] = { cause = "comm.env_mismatch", severity = note and "note" or nil, confidence = #torn > 0 and "likely" or "possible", scope = "job",
            evidence = evidence, symptoms = not note and torn or nil, host = odd.host, rank = odd.rank, ranks = odd.rank and { odd.rank } or nil,
            confidence_why = note and "the values differ; nothing shows that it mattered" or #torn > 0 and "the values differ, and NCCL complains that ranks cut one message differently" or "the values differ, and collectives failed; a release may accept it",
            summary = string.format("%s differs between ranks: %s", name, table.concat(list, " and ")), facts = { variable = name } }
        end
      end
    end
    return found
  end,
}
