-- Settings that are worth a word by themselves: nothing reads them, the name is old or unknown, the value is out of range or no number, a
-- diagnosis was left on, a list of interfaces lets virtual bridges in. Side notes all, and never a cause.
-- Sources: NCCL src/misc/param.cc (numbers go through strtoll with base 0) and the uses of each variable, release by release; torch
-- ProcessGroupNCCL.hpp; NCCL src/misc/socket.cc and src/transport/net_ib (lists of interfaces and adapters).

-- What NCCL, its plugins and PyTorch read: what values fit, and behind "@" the first release. "lo..hi" numbers, "n" any number, "power" of 2, "A|B"
-- words, "bool" what PyTorch and libfabric take for yes and no, nothing: a text of its own. -1 and -2 mean "as if not set" for every number.
local KNOWN = {
    NCCL_AGG_ALLOC_MODE = "@2.10.3", NCCL_AGG_CHANNEL_SIZE = "n@2.10.3", NCCL_ALGO = "@2.5.6", NCCL_ALLGATHERV_ENABLE = "0..1@2.29.2",
    NCCL_ALLOC_P2P_NET_LL_BUFFERS = "0..1@2.14.3", NCCL_BUFFSIZE = "n", NCCL_CGA_CLUSTER_SIZE = "0..8@2.15.1",
    NCCL_CHECK_MODE = "DEFAULT|DEBUG_LOCAL|DEBUG_GLOBAL@2.29.7", NCCL_CHECK_POINTERS = "0..1", NCCL_CHUNK_SIZE = "n@2.12.7",
    NCCL_COLLNET_ENABLE = "0..1@2.6.4", NCCL_COLLNET_NODE_THRESHOLD = "n@2.9.9", NCCL_COMM_BLOCKING = "0..1@2.14.3", NCCL_COMM_ID = "",
    NCCL_COMM_SHRINK_SHARE_RESOURCES = "0..1@2.27.3", NCCL_COMM_SPLIT_SHARE_RESOURCES = "0..1@2.18.1", NCCL_CONF_FILE = "@2.23.4",
    NCCL_CONNECT_ROUND_MAX_PEERS = "1..@2.19.4", NCCL_CREATE_THREAD_CONTEXT = "0..1@2.13.4", NCCL_CROSS_NIC = "0..2@2.5.6",
    NCCL_CTA_POLICY = "@2.27.3", NCCL_CUDA_PATH = "@2.13.4", NCCL_CUMEM_ENABLE = "0..1@2.18.1", NCCL_CUMEM_HOST_ENABLE = "0..1@2.23.4",
    NCCL_DEBUG = "VERSION|WARN|INFO|ABORT|TRACE", NCCL_DEBUG_FILE = "", NCCL_DEBUG_SUBSYS = "", NCCL_DEBUG_TIMESTAMP_FORMAT = "@2.26.2",
    NCCL_DEBUG_TIMESTAMP_LEVELS = "@2.26.2", NCCL_DEV_API_JIT = "0..1@2.30.7", NCCL_DISABLE_MEM_MANAGER = "0..1@2.29.7",
    NCCL_DMABUF_ENABLE = "0..1@2.13.4", NCCL_ELASTIC_BUFFER_REGISTER = "0..1@2.30.3", NCCL_ENABLE_VERSION_CHECK = "0..1@2.29.2",
    NCCL_ENV_PLUGIN = "@2.28.7", NCCL_FASTRAK_IFNAME = "", NCCL_GDAKI_USE_RELIABLE_DB = "n@2.29.7", NCCL_GDRCOPY_ENABLE = "0..1@2.9.6",
    NCCL_GDRCOPY_FIFO_ENABLE = "0..1@2.9.6", NCCL_GDRCOPY_FLUSH_ENABLE = "0..1@2.9.6", NCCL_GDRCOPY_SYNC_ENABLE = "0..1@2.12.7",
    NCCL_GDRCOPY_TAIL_ENABLE = "0..1@2.9.6", NCCL_GDR_FLUSH_DISABLE = "0..1", NCCL_GIN_COUNTER_POOL_SIZE = "n@2.28.7",
    NCCL_GIN_ENABLE = "0..1@2.28.7", NCCL_GIN_ERROR_QUERY_SEC = "n@2.28.7", NCCL_GIN_EXCLUSIVE_CONTEXTS = "n@2.29.7",
    NCCL_GIN_GDAKI_MAX_DEST_RD_ATOMIC = "n@2.30.3", NCCL_GIN_GDAKI_MAX_QP_RD_ATOMIC = "n@2.30.3", NCCL_GIN_GDAKI_NIC_HANDLER = "n@2.28.7",
    NCCL_GIN_GDAKI_QP_DEPTH = "n@2.28.7", NCCL_GIN_IB_TC = "0..255@2.30.7", NCCL_GIN_NCONNECTIONS = "n@2.29.7",
    NCCL_GIN_NCONTEXTS = "n@2.28.7", NCCL_GIN_PLUGIN = "@2.29.7", NCCL_GIN_PLUGIN_REF_COUNT = "0..1@2.29.7",
    NCCL_GIN_PROXY_QUEUE_SIZE = "n@2.28.7", NCCL_GIN_SIGNAL_POOL_SIZE = "n@2.28.7", NCCL_GIN_TYPE = "n@2.28.7",
    NCCL_GPUDIRECTTCPX_SOCKET_IFNAME = "", NCCL_GRAPH = "@2.5.6", NCCL_GRAPH_DUMP_FILE = "@2.6.4", NCCL_GRAPH_DUMP_FILE_RANK = "n@2.6.4",
    NCCL_GRAPH_FILE = "@2.6.4", NCCL_GRAPH_HELPER_DISABLE = "0..1@2.11.4", NCCL_GRAPH_MIXING_SUPPORT = "0..1@2.13.4",
    NCCL_GRAPH_REGISTER = "0..1@2.11.4", NCCL_GRAPH_STREAM_ORDERING = "0..1@2.30.7", NCCL_GROUP_CUDA_STREAM = "0..2",
    NCCL_HOSTID = "@2.5.6", NCCL_IBEXT_DISABLE = "", NCCL_IBVERBS_LIB = "@2.30.3", NCCL_IB_ADAPTIVE_ROUTING = "0..1@2.16.2",
    NCCL_IB_ADDR_FAMILY = "AF_INET|AF_INET6@2.21.5", NCCL_IB_ADDR_RANGE = "@2.21.5", NCCL_IB_AR_THRESHOLD = "n@2.6.4",
    NCCL_IB_CUDA_SUPPORT = "0..1", NCCL_IB_DATA_DIRECT = "0..1@2.27.3", NCCL_IB_DEVICE_PCI_ORDER = "0..1@2.29.7",
    NCCL_IB_DISABLE = "0..1", NCCL_IB_ECE_ENABLE = "0..1@2.23.4", NCCL_IB_FIFO_TC = "0..255@2.22.3", NCCL_IB_GDR_LEVEL = "",
    NCCL_IB_GID_INDEX = "-1..255", NCCL_IB_HCA = "", NCCL_IB_IS_GLOBAL = "", NCCL_IB_MERGE_NICS = "0..1@2.20.3",
    NCCL_IB_MERGE_VFS = "0..1@2.18.1", NCCL_IB_MQP_RETRY_ALL = "0..1@2.24.3", NCCL_IB_MQP_RETRY_CNT = "0..@2.24.3",
    NCCL_IB_MQP_RETRY_SLEEP_MSEC = "n@2.24.3", NCCL_IB_OOO_RQ = "0..1@2.30.3", NCCL_IB_PCI_RELAXED_ORDERING = "0..2@2.12.7",
    NCCL_IB_PKEY = "n@2.8.3", NCCL_IB_PREPOST_RECEIVE_WORK_REQUESTS = "0..1@2.29.7", NCCL_IB_QPS_PER_CONNECTION = "1..128@2.10.3",
    NCCL_IB_QUERY_PORT_SPEED = "0..1@2.30.7", NCCL_IB_RECEIVER_SIDE_MATCHING_SCHEME = "n@2.29.7",
    NCCL_IB_RESILIENCY_PORT_FAILOVER = "0..1@2.29.7", NCCL_IB_RESILIENCY_PORT_FAILOVER_MAX_ATTEMPTS = "0..@2.29.7",
    NCCL_IB_RESILIENCY_PORT_FAILOVER_PROBE_DELAY = "n@2.29.7", NCCL_IB_RESILIENCY_PORT_RECOVERY = "0..1@2.30.3",
    NCCL_IB_RESILIENCY_PORT_RECOVERY_ACK_TIMEOUT = "n@2.30.3", NCCL_IB_RESILIENCY_PORT_RECOVERY_ALIVE_MSG_BATCH_INTERVAL = "n@2.30.3",
    NCCL_IB_RESILIENCY_PORT_RECOVERY_ALIVE_MSG_BATCH_SIZE = "n@2.30.3",
    NCCL_IB_RESILIENCY_PORT_RECOVERY_ALIVE_MSG_SEQUENCE_SIZE = "n@2.30.3",
    NCCL_IB_RESILIENCY_PORT_RECOVERY_ALIVE_MSG_TIMEOUT = "n@2.30.3", NCCL_IB_RESILIENCY_PORT_RECOVERY_ATTEMPTS_MAX = "n@2.30.3",
    NCCL_IB_RESILIENCY_PORT_RECOVERY_START_DELAY = "n@2.30.3", NCCL_IB_RETRY_CNT = "0..7", NCCL_IB_RETURN_ASYNC_EVENTS = "0..1@2.23.4",
    NCCL_IB_ROCE_VERSION_NUM = "1..2@2.21.5", NCCL_IB_ROUTABLE_FLID_GID_INDEX = "n@2.22.3", NCCL_IB_SL = "0..15",
    NCCL_IB_SPLIT_DATA_ON_QPS = "0..1@2.18.1", NCCL_IB_SUBNET_AWARE_ROUTING = "0..1@2.30.7", NCCL_IB_SUBNET_PREFIX_LEN = "1..32@2.30.7",
    NCCL_IB_TC = "0..255", NCCL_IB_TIMEOUT = "0..31", NCCL_IB_USE_INLINE = "0..1@2.8.3", NCCL_IB_WARN_RAIL_LOCAL = "0..1@2.24.3",
    NCCL_IGNORE_COLLNET_MISMATCH = "0..1@2.30.3", NCCL_IGNORE_CPU_AFFINITY = "0..1@2.4.6", NCCL_IGNORE_DISABLED_P2P = "0..1@2.12.7",
    NCCL_IGNORE_NET_MISMATCH = "0..1@2.30.3", NCCL_INSPECTOR_COLL_POOL_SIZE = "", NCCL_INSPECTOR_COMM_POOL_SIZE = "",
    NCCL_INSPECTOR_DUMP_COLL_RING_SIZE = "", NCCL_INSPECTOR_DUMP_DIR = "", NCCL_INSPECTOR_DUMP_MIN_SIZE_BYTES = "",
    NCCL_INSPECTOR_DUMP_P2P_RING_SIZE = "", NCCL_INSPECTOR_DUMP_THREAD_ENABLE = "", NCCL_INSPECTOR_DUMP_THREAD_INTERVAL_MICROSECONDS = "",
    NCCL_INSPECTOR_DUMP_VERBOSE = "", NCCL_INSPECTOR_ENABLE = "", NCCL_INSPECTOR_ENABLE_P2P = "", NCCL_INSPECTOR_P2P_POOL_SIZE = "",
    NCCL_INSPECTOR_POOL_GROW = "", NCCL_INSPECTOR_PROM_DUMP = "", NCCL_INSPECTOR_REQUIRE_KERNEL_TIMING = "",
    NCCL_IPC_USE_ABSTRACT_SOCKET = "0..1@2.29.2", NCCL_L1_SHARED_MEMORY_CARVEOUT = "0..100@2.12.10", NCCL_LAUNCH_MODE = "PARALLEL|GROUP",
    NCCL_LAUNCH_ORDER_IMPLICIT = "0..1@2.26.2", NCCL_LAUNCH_RACE_FATAL = "0..1@2.26.2", NCCL_LEGACY_CUDA_REGISTER = "0..1@2.24.3",
    NCCL_LL128_BUFFSIZE = "n@2.7.3", NCCL_LL128_C2C = "0..1@2.27.3", NCCL_LL128_NTHREADS = "64..640@2.5.6", NCCL_LL_BUFFSIZE = "n@2.7.3",
    NCCL_LL_THRESHOLD = "n", NCCL_LOCAL_REGISTER = "0..2@2.19.1", NCCL_LSA_TEAM_SIZE = "0..@2.29.7", NCCL_MAX_CTAS = "1..64@2.17.1",
    NCCL_MAX_NCHANNELS = "1..@2.5.6", NCCL_MAX_NRINGS = "1..", NCCL_MAX_P2P_NCHANNELS = "1..@2.7.3", NCCL_MEM_SYNC_DOMAIN = "0..1@2.16.2",
    NCCL_MIN_CTAS = "1..64@2.17.1", NCCL_MIN_NCHANNELS = "1..@2.5.6", NCCL_MIN_NRINGS = "1..", NCCL_MIN_P2P_NCHANNELS = "1..@2.7.3",
    NCCL_MLOPART_RDMA_ENABLE = "0..1@2.30.7", NCCL_MNNVL = "0..1@2.20.3", NCCL_MNNVL_CLIQUE_ID = "@2.23.4",
    NCCL_MNNVL_CROSS_CLIQUE = "0..1@2.30.3", NCCL_MNNVL_ENABLE = "0..2@2.21.5", NCCL_MNNVL_RAIL_PER_HOST = "0..1@2.28.7",
    NCCL_MNNVL_SCATTER_NETS_ENABLE = "0..1@2.27.5", NCCL_MNNVL_UUID = "@2.25.1", NCCL_MULTI_RANK_GPU_ENABLE = "0..1@2.30.3",
    NCCL_MULTI_SEGMENT_REGISTER = "0..1@2.29.2", NCCL_NCCL_ALLOC_P2P_NET_LL_BUFFERS = "0..1@2.14.3",
    NCCL_NCHANNELS_PER_NET_PEER = "1..@2.12.7", NCCL_NET = "@2.10.3", NCCL_NETDEVS_POLICY = "@2.28.3",
    NCCL_NET_DISABLE_INTRA = "0..1@2.12.7", NCCL_NET_FORCE_FLUSH = "0..1@2.15.1", NCCL_NET_FORCE_MERGE = "@2.24.3",
    NCCL_NET_GDR_C2C = "0..1@2.26.2", NCCL_NET_GDR_LEVEL = "@2.4.2", NCCL_NET_GDR_MLOPART = "0..1@2.30.7", NCCL_NET_GDR_READ = "0..1",
    NCCL_NET_MERGE_LEVEL = "LOC|PORT|PIX|PXB|PHB|SYS@2.24.3", NCCL_NET_MERGE_POLICY = "ALL|RAIL@2.30.7",
    NCCL_NET_OPTIONAL_RECV_COMPLETION = "0..1@2.24.3", NCCL_NET_OVERHEAD = "n@2.18.1", NCCL_NET_PLUGIN = "@2.11.4",
    NCCL_NET_PLUGIN_REF_COUNT = "0..1@2.26.2", NCCL_NET_SHARED_BUFFERS = "0..1@2.8.3", NCCL_NET_SHARED_COMMS = "0..1@2.12.7",
    NCCL_NO_CACHE = "@2.29.7", NCCL_NSOCKS_PERTHREAD = "1..@2.4.8", NCCL_NTHREADS = "64|128|256|512", NCCL_NUM_RMA_CTX = "0..@2.29.2",
    NCCL_NVB_DISABLE = "0..1@2.9.9", NCCL_NVB_PRECONNECT = "0..1@2.9.9", NCCL_NVLINK_UTIL_CENTRIC_SCHED_ENABLE = "0..1@2.27.3",
    NCCL_NVLSTREE_MAX_CHUNKSIZE = "n@2.20.3", NCCL_NVLS_CHUNKSIZE = "n@2.21.5", NCCL_NVLS_ENABLE = "0..2@2.17.1",
    NCCL_NVLS_NCHANNELS = "1..@2.17.1", NCCL_NVTX_DISABLE = "0..1@2.28.3", NCCL_OOB_NET_ENABLE = "0..1@2.23.4",
    NCCL_OOB_NET_IFNAME = "@2.23.4", NCCL_P2P_DIRECT_DISABLE = "0..1@2.12.12", NCCL_P2P_DISABLE = "0..1",
    NCCL_P2P_EPOCH_ENABLE = "0..1@2.29.2", NCCL_P2P_LEVEL = "", NCCL_P2P_LL_THRESHOLD = "n@2.14.3", NCCL_P2P_MAX_PEERS = "1..@2.30.3",
    NCCL_P2P_NET_CHUNKSIZE = "n@2.14.3", NCCL_P2P_NVL_CHUNKSIZE = "n@2.16.2", NCCL_P2P_PCI_CHUNKSIZE = "n@2.16.2",
    NCCL_P2P_PER_CHANNEL_NET_BW = "n@2.29.2", NCCL_P2P_PXN_LEVEL = "0..2@2.12.7", NCCL_P2P_READ_ENABLE = "0..1@2.7.3",
    NCCL_P2P_SCHEDULE_GROUP_SIZE = "1..@2.28.7", NCCL_P2P_USE_CUDA_MEMCPY = "0..1@2.13.4", NCCL_PARAM_DUMP_ALL = "0..1@2.30.3",
    NCCL_PAT_ENABLE = "0..2@2.23.4", NCCL_PLUGIN_P2P = "", NCCL_PROFILER_CE_POLLER_INTERVAL_MICROSECONDS = "",
    NCCL_PROFILER_CE_TIMING = "", NCCL_PROFILER_PLUGIN = "@2.23.4", NCCL_PROFILE_CE_BATCH_POOL_SIZE = "",
    NCCL_PROFILE_CE_COLL_POOL_SIZE = "", NCCL_PROFILE_CE_SYNC_POOL_SIZE = "", NCCL_PROFILE_COLL_API_POOL_SIZE = "",
    NCCL_PROFILE_COLL_POOL_SIZE = "", NCCL_PROFILE_DUMP_FILE = "", NCCL_PROFILE_EVENT_MASK = "", NCCL_PROFILE_GROUP_API_POOL_SIZE = "",
    NCCL_PROFILE_GROUP_POOL_SIZE = "", NCCL_PROFILE_KERNEL_LAUNCH_POOL_SIZE = "", NCCL_PROFILE_P2P_API_POOL_SIZE = "",
    NCCL_PROFILE_P2P_POOL_SIZE = "", NCCL_PROFILE_PROXY_CTRL_POOL_SIZE = "", NCCL_PROFILE_PROXY_DETACH_POOL_SIZE = "",
    NCCL_PROGRESS_APPENDOP_FREQ = "1..@2.16.5", NCCL_PROTO = "@2.5.6", NCCL_PROXY_APPEND_BATCH_SIZE = "1..@2.16.2",
    NCCL_PROXY_CPUSET = "@2.28.3", NCCL_PROXY_DUMP_SIGNAL = "@2.14.3", NCCL_PROXY_PROFILE = "@2.12.7", NCCL_PXN_C2C = "0..1@2.27.3",
    NCCL_PXN_DISABLE = "0..1@2.12.7", NCCL_RAS_ADDR = "@2.24.3", NCCL_RAS_ENABLE = "0..1@2.24.3", NCCL_RAS_TIMEOUT_FACTOR = "1..@2.24.3",
    NCCL_REPORT_CONNECT_PROGRESS = "0..1@2.19.4", NCCL_RINGS = "", NCCL_RMA_DISABLE = "0..1@2.30.7", NCCL_RMA_PLUGIN = "@2.30.7",
    NCCL_RMA_PLUGIN_REF_COUNT = "0..1@2.30.7", NCCL_RMA_PROXY_DUMP_SIGNAL = "@2.29.2", NCCL_RMA_PROXY_QUEUE_SIZE = "n@2.29.2",
    NCCL_RUNTIME_CONNECT = "0..1@2.22.3", NCCL_SET_CPU_STACK_SIZE = "0..1@2.28.3", NCCL_SET_STACK_SIZE = "0..1@2.9.6",
    NCCL_SET_THREAD_NAME = "0..1@2.12.7", NCCL_SHADOW_MEMPOOL_MAX_SIZE = "n@2.30.7", NCCL_SHARED_BUFF_COUNT = "n@2.8.3",
    NCCL_SHARP_COLL_TRACE = "", NCCL_SHARP_DISABLE = "", NCCL_SHARP_DISABLE_ALLGATHER = "", NCCL_SHARP_DISABLE_REDUCE_SCATTER = "",
    NCCL_SHARP_GROUP_SIZE_THRESH = "", NCCL_SHARP_MAX_COMMS = "", NCCL_SHARP_V3_DATATYPES = "",
    NCCL_SHIMNET_GUEST_CONFIG_CHECKER_CONFIG_FILE = "", NCCL_SHM_DISABLE = "0..1", NCCL_SHM_LOCALITY = "@2.13.4",
    NCCL_SHM_MEMCPY_MODE = "1..3@2.13.4", NCCL_SHM_USE_CUDA_MEMCPY = "0..1@2.13.4", NCCL_SINGLE_PROC_MEM_REG_ENABLE = "0..1@2.28.3",
    NCCL_SOCKET_FAMILY = "AF_INET|AF_INET6", NCCL_SOCKET_IFNAME = "", NCCL_SOCKET_INLINE = "n@2.27.3", NCCL_SOCKET_MAGIC = "@2.30.7",
    NCCL_SOCKET_MIN_TASKSIZE = "n@2.27.3", NCCL_SOCKET_NTHREADS = "1..16@2.4.8", NCCL_SOCKET_POLL_TIMEOUT_MSEC = "0..@2.29.2",
    NCCL_SOCKET_RCVBUF = "n@2.27.3", NCCL_SOCKET_RETRY_CNT = "1..@2.24.3", NCCL_SOCKET_RETRY_SLEEP_MSEC = "1..@2.24.3",
    NCCL_SOCKET_SNDBUF = "n@2.27.3", NCCL_SYM_CE_THRESHOLD = "n@2.29.2", NCCL_SYM_CTAS = "0..@2.27.3",
    NCCL_SYM_GIN_KERNELS_ENABLE = "0..1@2.29.7", NCCL_SYM_KERNEL = "@2.27.3", NCCL_SYM_NOWIN_ENABLE = "0..1@2.29.2",
    NCCL_SYM_REUSE_SYSMEM_HANDLES = "0..1@2.30.4", NCCL_SYM_RS_GIN_CHUNK_SIZE = "n@2.30.7", NCCL_SYM_TMA_ENABLE = "0..1@2.30.3",
    NCCL_TESTS_ALLTOALLV_MATRIX_FILE = "", NCCL_TESTS_ALLTOALLV_MATRIX_SCALE = "", NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY = "",
    NCCL_TESTS_ALLTOALLV_SPREAD = "", NCCL_TESTS_DEVICE = "", NCCL_TESTS_MIN_BW = "", NCCL_TESTS_SPLIT = "", NCCL_TESTS_SPLIT_MASK = "",
    NCCL_THREAD_THRESHOLD = "n", NCCL_THREAD_THRESHOLDS = "@2.5.6", NCCL_TOPO_DUMP_FILE = "@2.6.4", NCCL_TOPO_DUMP_FILE_RANK = "n@2.6.4",
    NCCL_TOPO_FILE = "@2.6.4", NCCL_TOPO_SPLIT_MLOPART = "0..1@2.30.7", NCCL_TREE_THRESHOLD = "n@2.4.2", NCCL_TUNER_CONFIG_FILE = "",
    NCCL_TUNER_PLUGIN = "@2.19.1", NCCL_UCX_CUDA_DISABLE = "", NCCL_UCX_DISABLE = "", NCCL_UCX_RMA_DISABLE = "", NCCL_UCX_TLS = "",
    NCCL_UCX_ZCOPY_THRESH = "", NCCL_UID_STAGGER_RATE = "1..@2.23.4", NCCL_UID_STAGGER_THRESHOLD = "1..@2.23.4",
    NCCL_UNPACK_DOUBLE_NCHANNELS = "0..1@2.22.3", NCCL_WARN_ENABLE_DEBUG_INFO = "0..1@2.19.4", NCCL_WIN_ENABLE = "0..1@2.27.3",
    NCCL_WIN_STRIDE = "n@2.27.3", NCCL_WORK_ARGS_BYTES = "n@2.22.3", NCCL_WORK_FIFO_BYTES = "power@2.22.3",
    NCCL_WORK_FIFO_DEPTH = "power@2.13.4",
    -- PyTorch
    ENABLE_NCCL_HEALTH_CHECK = "bool", GLOO_SOCKET_IFNAME = "", NCCL_USE_TENSOR_REGISTER_ALLOCATOR_HOOK = "bool",
    TORCH_FR_BUFFER_SIZE = "0..", TORCH_FR_CPP_STACK = "bool", TORCH_FR_DUMP_DYNAMIC_FILE_NAME = "bool", TORCH_FR_DUMP_ON_TIMEOUT = "bool",
    TORCH_FR_DUMP_TEMP_FILE = "", TORCH_FR_WAIT_TIMEOUT_DUMP_MILSEC = "0..", TORCH_INCLUDE_ONLY_ACTIVE = "bool",
    TORCH_INCLUDE_STACK_TRACE = "bool", TORCH_NCCL_ABORT_IN_DESTROY_PG = "bool", TORCH_NCCL_AVOID_RECORD_STREAMS = "bool",
    TORCH_NCCL_BCAST_UNIQUEID = "bool", TORCH_NCCL_COORD_CHECK_MILSEC = "1..", TORCH_NCCL_CUDA_EVENT_CACHE = "bool",
    TORCH_NCCL_DEBUG_INFO_PIPE_FILE = "", TORCH_NCCL_DESYNC_DEBUG = "bool", TORCH_NCCL_DUMP_ON_TIMEOUT = "bool",
    TORCH_NCCL_ENABLE_TIMING = "bool", TORCH_NCCL_EXTRA_DUMP_ON_EXEC = "bool", TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC = "1..",
    TORCH_NCCL_HIGH_PRIORITY = "bool", TORCH_NCCL_LOG_CPP_STACK_ON_UNCLEAN_SHUTDOWN = "bool", TORCH_NCCL_NAN_CHECK = "bool",
    TORCH_NCCL_NONBLOCKING_TIMEOUT = "0..", TORCH_NCCL_PROPAGATE_ERROR = "bool", TORCH_NCCL_RANKS_PER_ROOT = "0..",
    TORCH_NCCL_RETHROW_CUDA_ERRORS = "bool", TORCH_NCCL_SHOW_EAGER_INIT_P2P_SERIALIZATION_WARNING = "bool",
    TORCH_NCCL_TRACE_BUFFER_SIZE = "0..", TORCH_NCCL_TRACE_CPP_STACK = "bool", TORCH_NCCL_USE_COMM_NONBLOCKING = "bool",
    TORCH_NCCL_USE_TENSOR_REGISTER_ALLOCATOR_HOOK = "bool", TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC = "0..", TORCH_SHOW_CPP_STACKTRACES = "",
    TP_SOCKET_IFNAME = "",
    TORCH_NCCL_ASYNC_ERROR_HANDLING = "0..3", TORCH_NCCL_BLOCKING_WAIT = "bool", TORCH_NCCL_DEBUG_INFO_TEMP_FILE = "", TORCH_NCCL_ENABLE_MONITORING = "bool",
    TORCH_DISTRIBUTED_DEBUG = "OFF|INFO|DETAIL", USE_LIBUV = "bool",
    -- libfabric, its plugin, SHARP's, RCCL
    FI_EFA_FORK_SAFE = "bool", FI_EFA_USE_DEVICE_RDMA = "bool", FI_PROVIDER = "", HSA_FORCE_FINE_GRAIN_PCIE = "bool", NPKIT_DUMP_DIR = "",
    OFI_NCCL_ABORT_ON_ERROR = "bool", OFI_NCCL_CM_NUM_RX_BUFFERS = "0..", OFI_NCCL_CQ_READ_COUNT = "0..", OFI_NCCL_CQ_SIZE = "0..",
    OFI_NCCL_CUDA_FLUSH_ENABLE = "bool", OFI_NCCL_DISABLE_CLOSE_MESSAGE = "bool", OFI_NCCL_DISABLE_DMABUF = "bool",
    OFI_NCCL_DISABLE_GDR_REQUIRED_CHECK = "bool", OFI_NCCL_DISABLE_NATIVE_RDMA_CHECK = "bool", OFI_NCCL_EAGER_MAX_SIZE = "n",
    OFI_NCCL_EARLY_COMPLETION = "bool", OFI_NCCL_ENDPOINT_PER_COMM = "bool", OFI_NCCL_ERRORCHECK_MUTEX = "bool",
    OFI_NCCL_EXCLUDE_TCP_IF = "", OFI_NCCL_FORCE_NUM_RAILS = "0..", OFI_NCCL_GDR_FLUSH_DISABLE = "bool", OFI_NCCL_MIN_STRIPE_SIZE = "n",
    OFI_NCCL_MR_CACHE_DISABLE = "bool", OFI_NCCL_MR_KEY_SIZE = "n", OFI_NCCL_NET_LATENCY = "0..", OFI_NCCL_NIC_DUP_CONNS = "0..",
    OFI_NCCL_PLATFORM = "", OFI_NCCL_PROGRESS_MODEL = "UNSPEC|AUTO|MANUAL", OFI_NCCL_PROTOCOL = "SENDRECV|RDMA",
    OFI_NCCL_RDMA_MAX_POSTED_BOUNCE_BUFFERS = "0..", OFI_NCCL_RDMA_MAX_POSTED_CONTROL_BUFFERS = "0..",
    OFI_NCCL_RDMA_MAX_POSTED_EAGER_BUFFERS = "0..", OFI_NCCL_RDMA_MIN_POSTED_BOUNCE_BUFFERS = "0..",
    OFI_NCCL_RDMA_MIN_POSTED_CONTROL_BUFFERS = "0..", OFI_NCCL_RDMA_MIN_POSTED_EAGER_BUFFERS = "0..", OFI_NCCL_RR_CTRL_MSG = "bool",
    OFI_NCCL_SCHED_MAX_SMALL_RR_SIZE = "n", OFI_NCCL_TOPO_FILE_TEMPLATE = "", OFI_NCCL_TOPO_FILE_WRITE_ENABLE = "bool",
    OFI_NCCL_TUNER_NUM_CHANNELS = "0..", OFI_NCCL_TUNER_TYPE = "INTERNAL|REGION|MODEL", OFI_NCCL_USE_IPV6_TCP = "bool",
    OFI_NCCL_USE_LOW_LATENCY_TC = "bool", RCCL_CLIQUE_ALLREDUCE_BYTE_LIMIT = "n", RCCL_CLIQUE_ALLREDUCE_NCHANNELS = "n",
    RCCL_CLIQUE_IGNORE_TOPO = "n", RCCL_DUMP_ROME_MODEL_FILE = "", RCCL_ENABLE_CLIQUE = "n", RCCL_ENABLE_INTRANET = "n",
    RCCL_ENABLE_SIGNALHANDLER = "n", RCCL_FORCE_ENABLE_GDRDMA = "n", RCCL_INTRANET_THRESHOLD = "n", RCCL_KERNEL_COLL_TRACE_ENABLE = "n",
    RCCL_LL128_FORCE_ENABLE = "n", RCCL_MODEL_MATCHING_DISABLE = "n", RCCL_MSCCLPP_ENABLE = "n", RCCL_MSCCLPP_THRESHOLD = "n",
    RCCL_MSCCL_ENABLE = "n", RCCL_MSCCL_ENABLE_SINGLE_PROCESS = "n", RCCL_MSCCL_FORCE_ENABLE = "n", RCCL_MSCCL_FORCE_FULLOPS = "n",
    RCCL_MSCCL_WORK_FIFO_DEPTH = "n", RCCL_NET_CONTIGUOUS_MEM = "n", RCCL_P2P_NET_DISABLE = "n", RCCL_P2P_NET_THRESHOLD = "n",
    RCCL_PIVOT_ALLTOALL_ENABLE = "n", RCCL_ROCR_PATH = "", RCCL_STACK_SIZE_OVERRIDE = "n", RCCL_TREES = "", RCCL_USE_ROCM_SMI_LIB = "n",
    SHARP_COLLNET_OVERLAP_AG = "", FI_EFA_ENABLE_SHM_TRANSFER = "bool", FI_EFA_USE_HUGE_PAGE = "bool", FI_LOG_LEVEL = "", FI_HMEM_DISABLE_P2P = "bool",
    -- UCX, that Open MPI and NCCL's own plugin bring, and PyTorch for Intel's GPUs
    UCX_TLS = "", UCX_NET_DEVICES = "", UCX_IB_GID_INDEX = "", UCX_IB_TRAFFIC_CLASS = "", UCX_IB_SL = "", UCX_LOG_LEVEL = "", UCX_MAX_RNDV_RAILS = "", UCX_RNDV_THRESH = "", UCX_MEMTYPE_CACHE = "",
    TORCH_XCCL_BLOCKING_WAIT = "bool", TORCH_XCCL_ENABLE_TIMING = "bool", TORCH_XCCL_COORD_CHECK_MILSEC = "1..", TORCH_XCCL_NAN_CHECK = "bool", TORCH_XCCL_HIGH_PRIORITY = "bool",
    TORCH_XCCL_XPU_EVENT_CACHE = "bool",
}

-- Who reads names that begin so; of these the lists above are whole. libfabric's and UCX's are open: there only a slip of the pen is told.
local READERS = { OFI_NCCL_ = "the libfabric plugin", RCCL_ = "RCCL", TORCH_XCCL_ = "PyTorch for XPU" }
local OPEN = { "FI_", "UCX_" }

-- Nothing reads these, or what read them is gone.
local NOT_READ = {
  NCCL_ALGORITHM = "meant NCCL_ALGO",
  NCCL_BUFFER_SIZE = "meant NCCL_BUFFSIZE",
  NCCL_BUFF_SIZE = "meant NCCL_BUFFSIZE",
  NCCL_CHECKS_DISABLE = "deprecated in 2.2.12 and not in the code of any version from 2.3: no effect",
  NCCL_COLLECTIVE_TIMEOUT = "no such variable",
  NCCL_COMM_PORT = "no such variable",
  NCCL_COMM_TIMEOUT = "no such variable",
  NCCL_CONNECT_TIMEOUT = "no such variable",
  NCCL_DEBUG_LEVEL = "meant NCCL_DEBUG",
  NCCL_DEBUG_SUBSYSTEM = "meant NCCL_DEBUG_SUBSYS",
  NCCL_DUMP_ON_TIMEOUT = "prefix missing: TORCH_NCCL_DUMP_ON_TIMEOUT",
  NCCL_GDR_ENABLE = "no such variable; NCCL_NET_GDR_LEVEL",
  NCCL_GDR_LEVEL = "meant NCCL_NET_GDR_LEVEL",
  NCCL_HCA = "meant NCCL_IB_HCA",
  NCCL_HEARTBEAT_TIMEOUT_SEC = "prefix missing: TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC",
  NCCL_HIGH_PRIORITY = "prefix missing: TORCH_NCCL_HIGH_PRIORITY",
  NCCL_IB_DEVICE = "meant NCCL_IB_HCA",
  NCCL_IB_DEVICES = "meant NCCL_IB_HCA",
  NCCL_IB_ENABLE = "no such variable; NCCL_IB_DISABLE=0 is the default",
  NCCL_IB_GID = "meant NCCL_IB_GID_INDEX",
  NCCL_IB_IFNAME = "meant NCCL_IB_HCA",
  NCCL_IB_MTU = "no such variable; MTU comes from the port",
  NCCL_IB_QPS = "meant NCCL_IB_QPS_PER_CONNECTION",
  NCCL_IB_RETRY = "meant NCCL_IB_RETRY_CNT",
  NCCL_IB_RETRY_COUNT = "meant NCCL_IB_RETRY_CNT",
  NCCL_IB_TRAFFIC_CLASS = "meant NCCL_IB_TC",
  NCCL_IFNAME = "meant NCCL_SOCKET_IFNAME",
  NCCL_INIT_TIMEOUT = "no such variable",
  NCCL_INTERFACE = "meant NCCL_SOCKET_IFNAME",
  NCCL_LAUNCH_TIMEOUT = "no such variable",
  NCCL_LOG_FILE = "meant NCCL_DEBUG_FILE",
  NCCL_LOG_LEVEL = "meant NCCL_DEBUG",
  NCCL_MAX_CGA_CLUSTER_SIZE = "text used in messages of 2.28.7-; the variable is NCCL_CGA_CLUSTER_SIZE",
  NCCL_MAX_CHANNELS = "meant NCCL_MAX_NCHANNELS or NCCL_MAX_CTAS",
  NCCL_MAX_P2P_PEERS = "text used in messages of 2.30; the variable is NCCL_P2P_MAX_PEERS",
  NCCL_MIN_CHANNELS = "meant NCCL_MIN_NCHANNELS or NCCL_MIN_CTAS",
  NCCL_MNNVL_DISABLE = "no such variable; NCCL_MNNVL_ENABLE=0",
  NCCL_NCHANNELS = "meant NCCL_MIN/MAX_NCHANNELS",
  NCCL_NET_GDR_DISABLE = "no such variable; NCCL_NET_GDR_LEVEL=LOC",
  NCCL_NET_GDR_ENABLE = "no such variable; NCCL_NET_GDR_LEVEL",
  NCCL_NET_IFNAME = "meant NCCL_SOCKET_IFNAME",
  NCCL_NRINGS = "meant NCCL_MIN/MAX_NRINGS",
  NCCL_NSOCKS = "meant NCCL_NSOCKS_PERTHREAD",
  NCCL_NUM_CHANNELS = "meant NCCL_MIN/MAX_CTAS",
  NCCL_NVLINK_DISABLE = "no such variable; NCCL_P2P_LEVEL/NCCL_P2P_DISABLE",
  NCCL_NVLS_DISABLE = "no such variable; NCCL_NVLS_ENABLE=0",
  NCCL_P2P_ENABLE = "no such variable; NCCL_P2P_DISABLE",
  NCCL_PORT_RANGE = "no such variable; ports come from the system range (ip_local_port_range)",
  NCCL_PROTOCOL = "meant NCCL_PROTO",
  NCCL_RAS_PORT = "no such variable; NCCL_RAS_ADDR=host:port",
  NCCL_SHARP_ENABLE = "no such variable; NCCL_COLLNET_ENABLE",
  NCCL_SHM_ENABLE = "no such variable; NCCL_SHM_DISABLE",
  NCCL_SINGLE_RING_THRESHOLD = "removed in 2.3: no effect",
  NCCL_SOCKET_IFACE = "meant NCCL_SOCKET_IFNAME",
  NCCL_SOCKET_NSOCKS = "meant NCCL_NSOCKS_PERTHREAD",
  NCCL_SOCKET_NSOCKS_PERTHREAD = "meant NCCL_NSOCKS_PERTHREAD",
  NCCL_SOCKET_TIMEOUT = "no such variable; see NCCL_SOCKET_RETRY_CNT",
  NCCL_TIMEOUT = "no such variable; the collective timeout is the process group timeout argument (10 min default for NCCL), RDMA is NCCL_IB_TIMEOUT",
  NCCL_TOPOLOGY = "meant NCCL_TOPO_FILE or NCCL_ALGO",
  NCCL_TRACE = "meant NCCL_DEBUG=TRACE (needs a trace build)",
  NCCL_TRACE_BUFFER_SIZE = "prefix missing: TORCH_NCCL_TRACE_BUFFER_SIZE",
  NCCL_TREE_ENABLE = "no such variable; NCCL_ALGO",
  ENABLE_NCCL_HEALTH_CHECK = "gone since PyTorch 2.2",
  OFI_NCCL_ENDPOINT_PER_COMM = "gone from the libfabric plugin",
  OFI_NCCL_RDMA_MAX_POSTED_BOUNCE_BUFFERS = "gone: newer releases of the libfabric plugin refuse to start with it",
  OFI_NCCL_RDMA_MIN_POSTED_BOUNCE_BUFFERS = "gone: newer releases of the libfabric plugin refuse to start with it",
  TORCH_DISTRIBUTED_TIMEOUT = "the timeout is an argument of init_process_group",
  TORCH_NCCL_TIMEOUT = "the timeout is an argument of init_process_group",
}
local REMOVED = {
    NCCL_AGG_ALLOC_MODE = "2.13.4", NCCL_AGG_CHANNEL_SIZE = "2.20.3", NCCL_CREATE_THREAD_CONTEXT = "2.30.7", NCCL_CUDA_PATH = "2.21.5",
    NCCL_GDRCOPY_TAIL_ENABLE = "2.12.7", NCCL_GIN_COUNTER_POOL_SIZE = "2.30.3", NCCL_GIN_EXCLUSIVE_CONTEXTS = "2.30.3",
    NCCL_GIN_NCONTEXTS = "2.30.3", NCCL_GIN_SIGNAL_POOL_SIZE = "2.30.3", NCCL_GRAPH = "2.6.4", NCCL_IB_CUDA_SUPPORT = "2.4.2",
    NCCL_IB_GDR_LEVEL = "2.4.2", NCCL_LL_THRESHOLD = "2.5.6", NCCL_MNNVL = "2.21.5", NCCL_NCCL_ALLOC_P2P_NET_LL_BUFFERS = "2.16.5",
    NCCL_PROXY_PROFILE = "2.23.4", NCCL_RINGS = "2.5.6", NCCL_SHARED_BUFF_COUNT = "2.9.6", NCCL_SHM_MEMCPY_MODE = "2.30.7",
    NCCL_SHM_USE_CUDA_MEMCPY = "2.30.7", NCCL_THREAD_THRESHOLD = "2.5.6", NCCL_TREE_THRESHOLD = "2.5.6", NCCL_WORK_FIFO_DEPTH = "2.22.3",
}

-- Read by PyTorch, by now under a new name.
local RENAMED = {
  NCCL_ASYNC_ERROR_HANDLING = "TORCH_NCCL_ASYNC_ERROR_HANDLING", NCCL_BLOCKING_WAIT = "TORCH_NCCL_BLOCKING_WAIT",
  NCCL_DESYNC_DEBUG = "TORCH_NCCL_DESYNC_DEBUG", NCCL_ENABLE_TIMING = "TORCH_NCCL_ENABLE_TIMING",
  TORCH_NCCL_TRACE_BUFFER_SIZE = "TORCH_FR_BUFFER_SIZE", TORCH_NCCL_DEBUG_INFO_TEMP_FILE = "TORCH_FR_DUMP_TEMP_FILE",
  NCCL_USE_TENSOR_REGISTER_ALLOCATOR_HOOK = "TORCH_NCCL_USE_TENSOR_REGISTER_ALLOCATOR_HOOK", TORCH_NCCL_TRACE_CPP_STACK = "TORCH_FR_CPP_STACK",
  TORCH_NCCL_DUMP_ON_TIMEOUT = "TORCH_FR_DUMP_ON_TIMEOUT", TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC = "TORCH_FR_WAIT_TIMEOUT_DUMP_MILSEC",
  PYTORCH_CUDA_ALLOC_CONF = "PYTORCH_ALLOC_CONF",
}

-- Left on after a diagnosis, these cost speed or hide faults.
local DIAGNOSTIC = {
  NCCL_DEBUG = [[^(?i:TRACE)$]], CUDA_LAUNCH_BLOCKING = [[^1$]], NCCL_P2P_DISABLE = [[^1$]], NCCL_SHM_DISABLE = [[^1$]],
  NCCL_IB_DISABLE = [[^1$]], NCCL_IGNORE_NET_MISMATCH = [[^1$]], NCCL_IGNORE_DISABLED_P2P = [[^1$]], NCCL_CHECKS_DISABLE = [[^1$]],
  TORCH_NCCL_ASYNC_ERROR_HANDLING = [[^0$]], TORCH_DISTRIBUTED_DEBUG = [[^DETAIL$]], TORCH_NCCL_ENABLE_MONITORING = [[^0$]],
  TORCH_NCCL_BLOCKING_WAIT = [[^1$]], TORCH_CPP_LOG_LEVEL = [[^(?i:INFO)$]], NCCL_CHECK_POINTERS = [[^1$]], NCCL_RAS_ENABLE = [[^0$]],
  NCCL_NET_GDR_LEVEL = [[^(?:LOC|0)$]], NCCL_NVLS_ENABLE = [[^0$]],
}

local function parts(spec)
  local at = string.find(spec, "@")
  if not at then return spec, nil end
  return string.sub(spec, 1, at - 1), string.sub(spec, at + 1)
end

local function in_words(value, words)
  for _, w in ipairs(string.split(words, "|")) do
    if string.lower(w) == string.lower(value) then return true end
  end
  return false
end

-- What is wrong with a value, or nil.
local function bad_value(spec, value)
  if spec == "" or value == "" then return nil end
  if spec == "bool" then return match(value, [[^(?i:[01]|y|yes|n|no|t|true|f|false|on|off)$]]) == nil and "neither yes nor no" or nil end
  local lo, hi = match(spec, [[^(-?\d+)\.\.(\d*)$]])
  local numeric = lo ~= nil or spec == "n" or spec == "power" or match(spec, [[^\d+(?:\|\d+)+$]]) ~= nil
  if not numeric then return not in_words(value, spec) and "no such value; it knows " .. table.concat(string.split(spec, "|"), ", ") or nil end
  local digits = match(value, [[^[+-]?(?:0[xX][0-9a-fA-F]+|\d+)]])
  if not digits then return "no number: it is read as 0" end
  if #digits < #value then return "only " .. digits .. " of it is read: a number has no unit" end
  if match(digits, [=[^[+-]?0[0-9]]=]) then return "a leading 0 makes it octal" end
  local n = tonumber(digits)
  if not n or n == -1 or n == -2 then return nil end
  if spec == "power" and (n <= 0 or n & (n - 1) ~= 0) then return "no power of 2" end
  if match(spec, [[\|]]) and not in_words(digits, spec) then return "none of " .. table.concat(string.split(spec, "|"), ", ") end
  if lo and n < tonumber(lo) then return "out of range: " .. spec end
  if lo and hi ~= "" and n > tonumber(hi) then return "out of range: " .. spec end
  return nil
end

-- Do two names differ by one letter: another, one more, one less, or two that changed places?
local function is_slip(a, b)
  if a == b or math.abs(#a - #b) > 1 then return false end
  local i, j = 0, 0
  while i < math.min(#a, #b) and string.byte(a, i + 1) == string.byte(b, i + 1) do i = i + 1 end
  while j < math.min(#a, #b) - i and string.byte(a, #a - j) == string.byte(b, #b - j) do j = j + 1 end
  local x, y = string.sub(a, i + 1, #a - j), string.sub(b, i + 1, #b - j)
  return #x <= 1 and #y <= 1 or #x == 2 and #y == 2 and x == string.sub(y, 2, 2) .. string.sub(y, 1, 1)
end

local function slip_of(name, prefix)
  for known in pairs(KNOWN) do
    if string.sub(known, 1, #prefix) == prefix and is_slip(name, known) then return known end
  end
  return nil
end

-- What is wrong with a name that is not known: of a family whose names are all known, or a slip in one whose are not.
local function strange_name(name)
  for prefix, who in pairs(READERS) do
    if string.sub(name, 1, #prefix) == prefix then
      local meant = slip_of(name, prefix)
      return "no release of " .. who .. " that is known reads such a name" .. (meant and "; meant " .. meant .. "?" or "")
    end
  end
  for _, prefix in ipairs(OPEN) do
    local meant = string.sub(name, 1, #prefix) == prefix and slip_of(name, prefix)
    if meant then return "meant " .. meant .. "?" end
  end
  return nil
end

-- A name that is known and goes on where this one ends: a unit that was forgotten.
local function longer_name(name)
  for known in pairs(KNOWN) do
    if #known > #name and string.sub(known, 1, #name) == name then return known end
  end
  return nil
end

-- Which virtual interfaces a list of NCCL_SOCKET_IFNAME lets in: "^docker0,lo" all but what begins so, "eth" all that begins so, "=eth0" that one.
local VIRTUAL = { "docker", "br-", "virbr", "cni", "flannel", "cali", "cilium", "veth", "lxc", "podman", "kube", "vxlan", "tunl" }
local function admits(list, name)
  local no = string.sub(list, 1, 1) == "^"
  if no then list = string.sub(list, 2) end
  local exact = string.sub(list, 1, 1) == "="
  if exact then list = string.sub(list, 2) end
  for _, item in ipairs(string.split(list, ",")) do
    if item ~= "" and (exact and item == name or not exact and string.sub(name, 1, #item) == item) then return not no end
  end
  return no
end

local function interface_note(value, host, interfaces)
  local seen, up = {}, {}
  for _, i in ipairs(interfaces) do
    if (host == nil or i.host == nil or i.host == host) and i.fields.interface and admits(value, i.fields.interface) then
      for _, v in ipairs(VIRTUAL) do
        if string.sub(i.fields.interface, 1, #v) == v and not seen[i.fields.interface] then
          seen[i.fields.interface] = true
          up[#up + 1] = i
        end
      end
    end
  end
  if #up > 0 then return "it lets " .. up[1].fields.interface .. " in, a virtual interface of this host", up[1] end
  if string.sub(value, 1, 1) ~= "^" or #interfaces > 0 then return nil end
  local open = {}
  for _, v in ipairs({ "docker", "br-", "virbr", "cni", "veth" }) do
    if admits(value, v .. "0") then open[#open + 1] = v .. "*" end
  end
  if #open > 0 then return "it would let virtual interfaces in where a host has them: " .. table.concat(open, ", ") end
  return nil
end

-- "mlx5_1" is a prefix: it takes mlx5_10 to mlx5_19, too, where they are.
local function adapter_note(value, used)
  if match(value, [[^\^?=]]) then return nil end
  for _, item in ipairs(string.split(value, ",")) do
    local name = match(item, [[^[a-z]\w*\d$]])
    for _, u in ipairs(name and used or {}) do
      local more = match(u.fields.list, "\\](" .. name .. "\\d+):")
      if more then return item .. " is a prefix and takes " .. more .. ", too; \"=" .. value .. "\" would name it exactly", u end
    end
  end
  return nil
end

-- Is release a the release b or a later one?
local function is_newer(a, b)
  local x, y = numbers(match(a, [[^[0-9.]+]])), numbers(b)
  for i = 1, 3 do
    if (x[i] or 0) ~= (y[i] or 0) then return (x[i] or 0) > (y[i] or 0) end
  end
  return true
end

-- Settings that do nothing, or that somebody forgot: side notes.
correlate {
  id    = "comm.env_notes",
  group = "job",
  uses  = { "nccl.env", "env.dump", "env.set", "k8s.env" },
  reach = { "nccl.version", "net.interface", "nccl.ib_using" },
  judge = function(case)
    local found, seen, newest = {}, {}, nil
    for _, v in ipairs(case.signals["nccl.version"]) do
      if v.fields.component == "NCCL" then newest = newest or v.fields.version end
    end
    for _, s in ipairs(join(case.signals["nccl.env"], case.signals["env.dump"], case.signals["env.set"], case.signals["k8s.env"])) do
      local name, value = s.fields.variable, tostring(s.fields.value or "")
      local text, beside, spec = nil, nil, KNOWN[name or ""]
      local values, since = parts(spec or "")
      if name == nil then
        text = nil
      elseif NOT_READ[name] then
        text = "nothing reads it (" .. NOT_READ[name] .. ")"
      elseif RENAMED[name] and not s.fields.listed then
        text = "its name is " .. RENAMED[name] .. " now"
      elseif REMOVED[name] and newest and is_newer(newest, REMOVED[name]) then
        text = "NCCL does not read it since " .. REMOVED[name]
      elseif since and newest and not is_newer(newest, since) then
        text = string.format("NCCL %s does not read it yet, %s does", newest, since)
      elseif bad_value(values, value) then
        text = bad_value(values, value)
      elseif name == "NCCL_SOCKET_IFNAME" or name == "NCCL_OOB_NET_IFNAME" or name == "GLOO_SOCKET_IFNAME" then
        text, beside = interface_note(value, s.host, case.signals["net.interface"])
      elseif name == "NCCL_IB_HCA" then
        text, beside = adapter_note(value, case.signals["nccl.ib_using"])
      elseif string.sub(name, 1, 5) == "NCCL_" and not spec then
        local meant = slip_of(name, "NCCL_")
        text = "no release of NCCL that is known, and none of its plugins, reads such a name" .. (meant and "; meant " .. meant .. "?" or "")
      elseif match(name, [[^TORCH_(?:NCCL|FR)_]]) and not spec and not s.fields.listed then
        local meant = longer_name(name)
        text = "no release of PyTorch up to 2.11 reads such a name" .. (meant and "; meant " .. meant .. "?" or "")
      elseif not spec then
        text = strange_name(name)
      end
      if not text and name and DIAGNOSTIC[name] and match(value, DIAGNOSTIC[name]) then text = "a setting for diagnosis that was left on" end
      local key = text and name .. "=" .. value
      if key and not seen[key] then
        seen[key] = true
        found[#found + 1] = { cause = "comm.env_mismatch", severity = "note", confidence = "likely", scope = "job", evidence = beside and join({ s }, { beside }) or { s },
          confidence_why = "the list of variables that NCCL and PyTorch read",
          summary = string.format("%s=%s: %s", name, string.sub(value, 1, 60), text) }
      end
    end
    return found
  end,
}
