-- What NCCL, RCCL and their plugins print when something goes wrong, as a table: one signature takes every warning, and the longest
-- literal of the table that stands in its text says what it means. So a thousand texts cost one pattern.
-- A row: cause (false: a consequence or context, says nothing by itself), meaning, what to check, and the literals with that meaning; behind "@" the
-- releases whose texts follow, up to the next "@". Which text it is its words say, of whatever release: of another one than the log names, that is said.
-- Sources: the texts of all NCCL releases from 2.3 to 2.30, aws-ofi-nccl, nccl-rdma-sharp-plugins, RCCL; errno texts: glibc.
local MESSAGES = {
  -- comm.env_mismatch
  { "comm.env_mismatch", "a variable or config field is out of range and was changed or ignored; harmless if equal on all ranks", "compare this line across ranks",
    "(maximum ", "(minimum ", "(must be a multiple of", "is not a valid value 0/1, set it to 0", "is too big. Limiting value to", "@2.8.4-2.26.6",
    "User asked for a maximum of", "User asked for a minimum of", "@2.13.4-", "is being ignored because it is not a power of 2.", "@2.13.4-2.21.5",
    "' is too small. Minimum value is", "@2.17.1-2.24.3", "is larger than #channels upper limit", "is larger than maxCTAs", "@2.28.3-",
    "Invalid number of network devices =", "Unknown netDevs policy", "@2.28.7-2.29.3", "NCCL_GIN_COUNTER_POOL_SIZE has invalid value.",
    "NCCL_GIN_SIGNAL_POOL_SIZE has invalid value.", "@2.29.2-", "Both NCCL_CTA_POLICY_ZERO and NCCL_CTA_POLICY_EFFICIENCY are set in CTAPolicy (" },
  { "comm.env_mismatch", "settings clash", "OFI_NCCL_*",
    "Conflicted configuration of EARLY_COMPLETION" },
  { "comm.env_mismatch", "setting out of range", "OFI_NCCL_EAGER_MAX_SIZE",
    "Invalid value for EAGER_MAX_SIZE" },
  { "comm.env_mismatch", "setting ignored on this machine", false,
    "NCCL_MIN_NCHANNELS set by environment is ignored" },
  { "comm.env_mismatch", "setting not supported here", "OFI_NCCL_NIC_DUP_CONNS",
    "NCCL_OFI_NIC_DUP_CONNS set on platform" },
  { "comm.env_mismatch", "unknown plugin flavour", "ib, ucx, ucx_uct, ucx_uct_read",
    "for NCCL_PLUGIN_P2P, using default" },
  -- comm.init_failed
  { "comm.init_failed", "CUDA error 209: this NCCL build has no code for the GPU architecture", "NCCL build options against GPU generation",
    "'no kernel image is available for execution on the device" },
  { "comm.init_failed", "ranks on this host could not be grouped (hostHash/pidHash): same host id for different hosts, or nranks wrong", "NCCL_HOSTID, host names, container /etc/machine-id and boot id",
    "@2.10.3-", "Failed to determine intra proc ranks rank", "@2.10.3-2.11.4", "Failed to determine intra node ranks rank", "@2.12.7-",
    "Failed to determine local ranks rank" },
  { "comm.init_failed", "no transport connects the two ranks: P2P and SHM disabled or unusable and no network between them", "NCCL_P2P_DISABLE/NCCL_SHM_DISABLE/NCCL_NET, hostHash (same host name in different containers, NCCL_HOSTID), NET lines of both ranks",
    "@2.3-2.11.4", "No transport found !", "@2.12.7-", "No transport found for rank" },
  { "comm.init_failed", "proxy thread of the local rank could not finish Setup/Connect/Register asked by rank: the WARN of that thread before it is the reason", "lines of the same pid with another tid just before",
    "@2.12.7-", "] Failed to execute operation", "@2.12.7-2.17.1", "Proxy Call to rank" },
  { "comm.init_failed", "handle exchange between local processes over a Unix domain socket failed: abstract socket/PID/network namespace not shared between the ranks, or peer died", "containers of one host must share the network namespace; NCCL_IPC_USE_ABSTRACT_SOCKET (2.29+), NCCL_CUMEM_ENABLE=0 as a test",
    "@2.17.1-", "UDS: Binding to socket", "UDS: Cannot bind provided name to socket. Name too large",
    "UDS: Cannot connect to provided name for socket. Name too large", "UDS: Receiving data over socket", "UDS: Receiving data over socket failed",
    "UDS: Receiving data over socket failed :", "UDS: Sending data over socket", "UDS: Socket creation error :", "@2.17.1",
    "ncclProxyCallAsync() - Saw abortFlag while waiting for proxyThread response", "@2.18.1-2.18.6",
    "ncclProxyClientConvertFd call to top parent rank", "@2.19.1-2.19.4", "ncclProxyClientGetFd call to rank", "@2.20.3-",
    "[Proxy Service UDS] Get listenSock fd fails", "[Proxy Service UDS] Poll failed:", "ncclProxyCallBlockingUDS call to tpRank",
    "ncclProxyClientGetFd call to tpRank", "@2.23.4-", "ncclProxyClientQueryFdBlocking call to tpRank" },
  { "comm.init_failed", "proxy service failed an operation (Connect, Setup, Register ...), res is an ncclResult", "WARN just before on the same tid",
    "@2.17.1-", "[Service thread] Error encountered progressing operation=" },
  -- comm.init_stuck
  { "comm.init_stuck", "clique message queue", "old RCCL clique mode",
    "Message Queue timed out waiting for all ranks" },
  -- comm.misuse
  { "comm.misuse", "NCCL_IB_ADDR_RANGE cannot be parsed for NCCL_IB_ADDR_FAMILY", "the two variables",
    "' is invalid for family", "NET/IB: Ip address mask '" },
  { "comm.misuse", "CUDA error 46: GPU in exclusive mode, in use, or faulty", "compute mode, MIG/MPS, Xid",
    "'CUDA-capable device(s) is/are busy or unavailable" },
  { "comm.misuse", "CUDA error 46: GPU in exclusive mode or used by another process, or driver fault", "compute mode, other processes; Xid",
    "'all CUDA-capable devices are busy or unavailable" },
  { "comm.misuse", "CUDA error 1: bad pointer or handle: wrong device, freed buffer, IPC of memory that cannot be exported", "allocator (expandable segments), device set per rank, NCCL_CUMEM_ENABLE",
    "'invalid argument" },
  { "comm.misuse", "CUDA error 101: device index beyond the visible GPUs", "LOCAL_RANK against number of GPUs; a GPU may be missing (gpu.missing)",
    "'invalid device ordinal" },
  { "comm.misuse", "CUDA error 400: stream or handle of another device or already destroyed", "device set before the call",
    "'invalid resource handle" },
  { "comm.misuse", "CUDA error 901: capture was already invalid", "first error",
    "'operation failed due to a previous error during capture" },
  { "comm.misuse", "CUDA error 900: CUDA graph capture rules broken", "application",
    "'operation not permitted when stream is capturing" },
  { "comm.misuse", "CUDA error 906: CUDA graph capture rules broken", "application",
    "'operation would make the legacy stream depend on a capturing blocking stream" },
  { "comm.misuse", "argument of a collective out of range", "application call",
    "(root should be in the 0..", ": invalid reduction operation", ": invalid type", "@2.11.4-",
    "Data type supplied to user-created ncclRedOp_t does not match type given to reduction operation", "ncclRedOpDestroy :  operator is garbage.",
    "ncclRedOpDestroy : operator is a NCCL builtin.", "ncclRedOpDestroy : operator unknown to this communicator.", "unknown to this communicator",
    "@2.17.1-", "ncclRedOpDestroy : invalid communicator passed." },
  { "comm.misuse", "child communicator wants other network or traffic class than the parent", "config of split/shrink, NCCL_NET",
    "@2.18.1-", "Split shares resources, but parent comm netName", "@2.28.7-", ") does not match the parent (" },
  { "comm.misuse", "window or symmetric memory registration invalid", "application: alignment, allocator (ncclMemAlloc), equal on all ranks",
    "@2.19.1-2.19.4", "register fails, buffer", "@2.27.3-2.27.7", ") does not satisfy symmetric registration requirements", "@2.28.3-",
    "Communicator does not support symmetric memory!", "Window address must be suitably aligned.",
    "ncclSymmetricTaskScheduler ran out of channel space (nMaxChannels=", "@2.29.2-",
    "Cannot create device communicator: ncclDevCommRequirements_t argument must be initialized via NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER",
    "Cannot get communicator properties: ncclCommProperties_t argument must be initialized via NCCL_COMM_PROPERTIES_INITIALIZER",
    "is not in the valid lsaSize of [0,", "is not within valid range of ranks", "window has a NULL user pointer", "@2.29.2-2.29.7",
    "Window registration of addresses that span multiple physical segments is currently not supported.", "@2.30.3-",
    "ncclDevrWorldToLsaRank: world rank",
    "} contains CPU-backed physical segments, but NCCL_ELASTIC_BUFFER_REGISTER is set to 0. Please set NCCL_ELASTIC_BUFFER_REGISTER=1 and retry window registration",
    "@2.30.4-", ". Symmetric memory currently only supports CU_MEM_LOCATION_TYPE_HOST_NUMA and CU_MEM_LOCATION_TYPE_DEVICE." },
  { "comm.misuse", "failover asked for but only one device is in the connection, so there is nothing to fail over to", "NCCL_IB_MERGE_NICS, NCCL_NET_MERGE_LEVEL",
    "@2.29.7-", ") with a single device. This does not make sense since there is no other device to fail over to." },
  { "comm.misuse", "GIN (device-initiated network) asked for but not possible in this configuration", "all ranks must support GIN: NICs, driver, NCCL_GIN_ENABLE",
    "@2.28.7-", "- GIN Symmetric register failed: buff", "GIN is disabled.", "GIN not supported.", "No GIN-capable devices found.", "@2.28.7-2.29.3",
    "GIN-capable device type mismatch.", "@2.28.7-2.30.4", "ncclGinIbProxyIPutSignal: Unsupported signalOp", "@2.29.2-2.30.4",
    "Cannot get gin type: ncclGin is not null but net device type (", "Gin connect : min local net count is zero", "@2.29.7",
    "). Use NCCL_GIN_NCONTEXTS to increase the limit",
    "User requested GIN connection type NCCL_GIN_CONNECTION_FULL but the communicator is already connected with NCCL_GIN_CONNECTION_RAIL",
    "requested) as all have been allocated for exclusive use. Use NCCL_GIN_NCONTEXTS to increase the limit", "@2.29.7-",
    "User requested GIN but not all ranks in the communicator support GIN",
    "User requested GIN connection type NCCL_GIN_CONNECTION_FULL but the communicator supports only NCCL_GIN_CONNECTION_RAIL",
    "User requested GIN resources but did not request GIN to be enabled!", "@2.29.7-2.30.4", "GIN_IB_PROXY does not support specifying qp depth",
    "@2.30.3", "Window registration of addresses that contain CPU-backed physical segments is currently not supported with GIN.", "@2.30.7-",
    "Cannot create worldGinBarrier with NCCL_GIN_CONNECTION_RAIL.", "Cannot get backend version for invalid GIN type",
    "GIN Proxy: RMA backend not found", "Invalid GIN gdaki backend version", "Invalid GIN proxy backend version" },
  { "comm.misuse", "NCCL_TOPO_FILE/NCCL_GRAPH_FILE unreadable or malformed (or too many nodes)", "the file named; VM images ship one in /var/run/nvidia-topologyd",
    ", not dumping topology.", "Could not open XML topology file", "@2.6.4-", "Attribute ", "Could not open XML graph file",
    "Error : too many XML nodes (max", "KV Convert to str : could not find value", "XML Export Channel : rank", "XML Graph has wrong version",
    "XML Import Channel : dev", "XML Mismatch : ", "XML Parse : Expected (double) quote.", "XML Parse : Unexpected EOF",
    "XML Parse : expected >, got '", "XML Parse : unterminated", "XML Parse error : expecting '<', got '", "XML Parse error : unterminated comment",
    "XML Topology has wrong version", "@2.8.4-", "XML Parse : Unexpected value with name", "@2.8.4-2.20.5",
    "Error : XML parser is limited to 1024 nodes", "@2.21.5-", "Error : XML parser is limited to", "Error : too many XML subnodes (max", "@2.30.7-",
    "ncclTopoGetSystemFromXml: system node not found in XML" },
  { "comm.misuse", "one-sided RMA call invalid or not supported here", "application arguments; driver; NCCL_RMA_DISABLE",
    "@2.29.2-", "RMA CE is not initialized", "RMA CE: peerBuff is NULL after ncclDevrGetLsaRankPtr", "RMA proxy is not connected",
    "ncclPutSignal: peerWin is NULL", "ncclPutSignal: srcBuff is NULL", "ncclPutSignal: srcWinHost is not in a valid symmetric window",
    "ncclSignal: count must be 0", "ncclWaitSignal: descriptor", "ncclWaitSignal: invalid arguments", "@2.29.2-2.29.3",
    "One sided RMA: RMA proxy is not supported in this communicator.", "One sided RMA: symmetric registration is not supported in this communicator.",
    "@2.29.2-2.30.4", "RMA proxy backend type mismatch.", "@2.29.7-", "One sided RMA: host RMA is not supported in this communicator.", "@2.30.3-",
    "One-sided RMA requires CUDA driver 12.5 or later (found",
    "ncclPutSignal currently does not support VAs backed by multiple physical cuMem segments",
    "ncclPutSignal currently does not support VAs with host-backed cuMem segments", "@2.30.7-", "- RMA Symmetric register failed: buff",
    "No RMA-capable devices found.", "RMA not supported.", "RMA proxy completed request with no inflight credit",
    "RMA proxy iput/iputSignal returned success with NULL request", "RMA: trying to send to non-connected peer",
    "Rma Proxy create context: invalid rank stride", "Rma connect : min local net count is zero", "ncclRmaIbProxyIPutSignal: Unsupported signalOp",
    "ncclRmaProxyEnqueueDesc: unknown desc type", "ncclRmaProxyEnqueueFull: unknown desc type",
    "ncclRmaProxyPutDoneParams: descriptor is not a put-signal type (", "ncclRmaProxyPutGroupDoneParams: descriptor is not a put-signal-group type (",
    "ncclRmaProxyPutGroupStartParams: descriptor is not a put-signal-group type (",
    "ncclRmaProxyPutStartParams: descriptor is not a put-signal type (", "ncclRmaProxyWaitParams: descriptor is not a wait-signal type (" },
  { "comm.misuse", "NIC fusion failed", "NCCL_NET_MERGE_LEVEL, NCCL_NET_FORCE_MERGE, NIC count",
    "@2.24.3-", "TOPO/NET : Can't find busId of child 0", "TOPO/NET : Couldn't generate unique busId after", "TOPO/NET : Only matched",
    "@2.24.3-2.25.1", "TOPO/NET : Tried merging multiple devices together and failed. Try setting NCCL_NET_MERGE_LEVEL=LOC", "@2.24.3-2.27.7",
    "NET/TOPO : Couldn't find net with name", "@2.26.2-", ". Please specify a valid NCCL_NET_FORCE_MERGE string." },
  { "comm.misuse", "out-of-order receive queue forced with NCCL_IB_OOO_RQ but not possible on this device or on the peer", "NCCL_IB_OOO_RQ, adaptive routing setting on both hosts",
    "@2.30.3-", "is less than the required recv work request size", "@2.30.3-2.30.4",
    ": OOO RQ is force enabled but AR is not enabled, which is required for OOO RQ (device=",
    ": OOO RQ is force enabled but not supported on both sides of the connection (device=", "@2.30.7-",
    "NET/IB: OOO RQ is force enabled but AR is not enabled, which is required for OOO RQ (device=",
    "NET/IB: OOO RQ is force enabled but not supported on both sides of the connection (device=" },
  { "comm.misuse", "communicator used after destroy/abort/revoke, or while a non-blocking call is unfinished", "order of calls in the application; often follows an abort",
    "@2.4.6-", "has already been destroyed", "@2.14.3-", "Attempt to use communicator before the previous operation returned ncclSuccess", "@2.21.5-",
    "Error: corrupted comm object detected", "@2.28.7-", ": communicator was revoked" },
  { "comm.misuse", "window or buffer registration with a pointer that is not a CUDA allocation of that size", "application",
    "@2.29.2-2.30.4", ": invalid pointer", "@2.30.7-", "invalid pointer" },
  { "comm.misuse", "NCCL_ALGO or NCCL_PROTO cannot be parsed; from 2.24 this is an error", "the variable",
    "@2.24.3-", "All entries except the first must have a prefix:", "Unrecognized element token", "Unrecognized prefix token" },
  { "comm.misuse", "device object or window space not found or exhausted", "NCCL_WIN_STRIDE; application",
    "@2.28.3-", "Allocation failed. No suitable space found to accommodate size=0x", "Device object does not exist in shadow pool.",
    "No allocation found at offset=0x", "extends beyond allocation." },
  { "comm.misuse", "group or CUDA graph rules broken by the caller", "application",
    "@2.3-2.12.12", "Error : mixing different streams within a group call is not supported.", "@2.7.5-", "ncclGroupEnd: not in a group call.",
    "@2.9.6-2.12.12", "Illegal to have some communicators in graph mode while others not", "@2.11.4-2.12.12", "CUDA Graph helper resource is null",
    "@2.13.4-", "Either none or all communicators in a ncclGroup() can be CUDA graph captured.",
    "Streams given to a communicator within a NCCL group must either be all uncaptured or all captured by the same graph.", "@2.13.4-2.25.1",
    "Stream is not being captured by the expected graph.", "@2.14.3-", "Blocking and nonblocking communicators are not allowed in the same group.",
    "@2.30.7-",
    "graphStreamOrdering=0 with graphUsageMode=2 (graph mixing) is not supported; falling back to graphStreamOrdering=1 for this communicator" },
  { "comm.misuse", "rank index outside the root range", "rank numbering",
    "@2.29.2-", "Bootstrap Root : localId" },
  { "comm.misuse", "processes disagree on nranks (or number of roots): wrong world size, stale rendezvous store, two jobs mixed", "nranks in Init START of every rank with this commId",
    "@2.3-2.22.3", "Bootstrap Root : mismatch in rank count from procs", "@2.23.4-", "Bootstrap Root : mismatch in info from procs, nranks" },
  { "comm.misuse", "tag space used up", "number of communicators",
    "Cannot open more connection for device ID" },
  { "comm.misuse", "window does not belong to a live communicator", "application",
    "@2.29.2-", "Could not find communicator matching window" },
  { "comm.misuse", "ncclCommDeregister with an unknown handle", "application",
    "@2.20.3-", "Deregister: Could not find handle" },
  { "comm.misuse", "device communicator destroyed twice", "application",
    "@2.30.3-", "Dev comm not found" },
  { "comm.misuse", "two ranks of one communicator use the same GPU (bus id in hex without leading zeros)", "CUDA_VISIBLE_DEVICES, LOCAL_RANK, torch.cuda.set_device",
    "@2.8.4-2.29.7", "Duplicate GPU detected : rank", "@2.30.3-2.30.4",
    "Multiple ranks detected using the same GPU on this node. Set NCCL_MULTI_RANK_GPU_ENABLE=1 to enable this configuration.", "@2.30.7-",
    "Multiple Ranks are using the same GPU/Partition. Set NCCL_MULTI_RANK_GPU_ENABLE=1 to enable this configuration." },
  { "comm.misuse", "topology or graph XML malformed", "NCCL_TOPO_FILE, NCCL_GRAPH_FILE",
    "@2.6.4-", "Error : name ", "@2.8.4-", "XML Parse error : unexpected trailing", "@2.27.3-", "Error : value " },
  { "comm.misuse", "NCCL_ALGO/NCCL_PROTO leave nothing usable for this function and type (e.g. NVLS not available, TREE for AllGather)", "NCCL_ALGO/NCCL_PROTO/tuner; differs by version: before 2.24 RING stayed as fallback",
    "@2.5.6-2.23.4", "Error : no algorithm/protocol available", "@2.24.3-2.29.7", "Error : no algorithm/protocol available for function", "@2.30.3-",
    "No algorithm/protocol available for function" },
  { "comm.misuse", "NCCL_SYM_KERNEL names a kernel not usable", "the variable",
    "@2.28.3-2.28.9", "Error: no symmetric kernel available for function" },
  { "comm.misuse", "fp8 reduction asked for on a GPU below sm90", "dtype used by the application",
    "@2.24.3-", "FP8 reduction support begins with sm90 capable devices." },
  { "comm.misuse", "two threads launched on one communicator at the same time (NCCL_LAUNCH_RACE_FATAL)", "application threads",
    "@2.26.2-", "Fatal: host threads racing to launch NCCL on same device" },
  { "comm.misuse", "argument of grow/shrink/group out of range", "application",
    "@2.14.3-2.16.5", "Invalid NCCL_COMM_BLOCKING value", "@2.28.7-", "Group creation failed:", "should be a diviser of the number of ranks in node",
    "@2.29.2-", "is less than current ranks", "ncclCommGrow: existing ranks must pass rank=-1, got",
    "ncclCommGrow: magic mismatch computed by the root, got", "ncclCommGrow: new rank", "ncclCommGrow: new ranks must pass non-NULL uniqueId",
    "ncclCommGrow: new ranks must pass valid rank >= 0, got", "ncclCommGrow: total ranks must be positive, got" },
  { "comm.misuse", "copy-engine collective not available for this function", "NCCL_CTA_POLICY",
    "@2.30.7-", "Hierarchical CE collective not supported for" },
  { "comm.misuse", "NCCL_SHM_LOCALITY out of range", "value 1 or 2",
    "@2.13.4-", "Ignoring SHM locality, must be 1 (sender side) or 2 (receiver side, default)" },
  { "comm.misuse", "NCCL_COMM_ID is not host:port", "the variable",
    "Invalid NCCL_COMM_ID, please use format: <ipv4>:", "Net : No valid <IPv4_or_hostname>:", "Net : No valid [IPv6]:port pair found",
    "Net : string is null" },
  { "comm.misuse", "config struct not initialised or field out of range", "application/framework build",
    "@2.14.3-", "Invalid config blocking attribute value", "ncclConfig_t argument not initialized via NCCL_CONFIG_INITIALIZER", "@2.17.1-",
    "Invalid config cgaClusterSize attribute value", "Invalid config min/max channels attribute value", "@2.18.1-",
    "Invalid config splitShare attribute value", "@2.22.3-", "ncclSimInfo_t argument not initialized via NCCL_SIM_INFO_INITIALIZER", "@2.27.3-",
    "Invalid config collnetEnable attribute value", "Invalid config nvlsCTAs attribute value", "Invalid config policy attribute value",
    "Invalid config shrinkShare attribute value", "@2.28.3-", "Invalid config nChannelsPerNetPeer attribute value",
    "Invalid config nvlinkCentricSched attribute value", "@2.29.2-", "Invalid config numRmaCtx attribute value",
    "Invalig config graphUsageMode attribute value", "@2.30.3-", "Invalid config maxP2pPeers attribute value", "@2.30.7-",
    "Invalid config graphStreamOrdering attribute value" },
  { "comm.misuse", "rank, nranks or device list invalid", "launcher variables",
    "Invalid device count requested :", "Invalid rank requested :", "exceeds ndev=", "invalid device count (", "@2.23.4-", "Invalid device",
    "improper usage of ncclCommInitRank: nId =" },
  { "comm.misuse", "bootstrap message of an unexpected size: ranks disagree about nranks, NCCL version or the order of init calls, or two jobs share one id", "nranks of each Init START with the same commId; versions",
    "@2.3-2.3.7,2.8.4-", "Message truncated : received" },
  { "comm.misuse", "NVLS forced on although several ranks share one GPU", "NCCL_NVLS_ENABLE, rank to GPU placement",
    "@2.30.3-2.30.4",
    "Multiple ranks detected using the same GPU on this node and NCCL_NVLS_ENABLE has been set to \"1\". At this time multiple ranks per gpu is incompatible with NVLS.",
    "@2.30.7-",
    "NCCL_NVLS_ENABLE has been set to \"1\" and communicator has multiple ranks using the same NVML device. This is not compatible with NCCL_NVLS_ENABLE=1." },
  { "comm.misuse", "rail/plane setting of the NIC out of range", "NCCL_IB_HCA rail:plane suffix, NCCL_IB_SUBNET_* , NCCL_NET_MERGE_POLICY",
    "@2.30.7-", "NCCL cannot use a plane ID that is", "NCCL cannot use more than", "NCCL_NET_MERGE_POLICY: unknown value '",
    "NET/IB: NCCL_IB_SUBNET_PREFIX_LEN=" },
  { "comm.misuse", "virtual NIC index or count out of range", "NCCL_NET_FORCE_MERGE, topology file",
    "@2.24.3-", "NET/IB : Can't make virtual NIC with 0 devices", "NET/IB : Cannot allocate any more virtual devices (",
    "NET/IB : Cannot use physical device", "NET/IB : Requested properties for vNic", "@2.24.3-2.25.1",
    "NET/IB : Trying to use non-existant virtual device", "@2.26.2-", "NET/IB : Trying to use non-existent virtual device", "@2.29.2-",
    "NET/IB : Requested properties for GIN GDAKI NIC" },
  { "comm.misuse", "device merging is disabled but a merged NIC was asked for", "NCCL_IB_MERGE_NICS, NCCL_NET_MERGE_LEVEL, NCCL_NET_FORCE_MERGE",
    "@2.24.3-2.26.6",
    "NET/IB : Trying to merge multiple devices together when NCCL_IB_MERGE_NICS=0. Please enable it or disable device merging in NCCL." },
  { "comm.misuse", "Socket transport setting out of range or internal misuse", "NCCL_SOCKET_NTHREADS, NCCL_NSOCKS_PERTHREAD",
    "@2.4.2-", "NET/Socket : test called with NULL request", "@2.4.8-",
    "NET/Socket : NCCL_SOCKET_NTHREADS is greater than the maximum allowed, setting to",
    "NET/Socket : the total number of sockets is greater than the maximum allowed, setting NCCL_NSOCKS_PERTHREAD to", "@2.24.3-",
    "NET/Socket : ncclNetSocketListen dev=" },
  { "comm.misuse", "operation not offloadable", false,
    "SHARP: unsupported" },
  { "comm.misuse", "too many operations in one group for this version", "application, newer NCCL",
    "@2.3-2.12.12", "Too many async operations in progress, max is", "@2.7.3-2.12.12", "Too many aggregated operations on channel", "@2.8.3-2.12.12",
    "Trying to launch too many work elements, max is" },
  { "comm.misuse", "send and recv to self do not pair up in the group", "application P2P calls",
    "@2.12.7-", "Trying to recv to self without a matching send", "Trying to send to self without a matching recv" },
  { "comm.misuse", "proxy connection table full", "many communicators; leak",
    "@2.12.7-", "[Proxy service] Too many connections (" },
  { "comm.misuse", "pointer check: buffer not device memory, NULL, or on another device than the communicator", "application buffers; NCCL_CHECK_POINTERS",
    "argument is NULL", "is not a valid pointer", "mismatchs with NCCL device" },
  { "comm.misuse", "wrong use of unique id or grow handle", "application",
    "@2.29.2-", "bcastGrowHandle: parent comm and handle must be provided", "bootstrapInit: handles and parent are NULL",
    "ncclCommGetUniqueId should not be called when NCCL_COMM_ID is set" },
  { "comm.misuse", "two processes claim the same rank with one unique id", "RANK/WORLD_SIZE assignment of the launcher",
    "@2.3.7-", "ranks has already checked in" },
  { "comm.misuse", "build lacks that collective", "RCCL build",
    "unsupported collective. Please ensure the collective has been enabled in build" },
  -- comm.shape_mismatch
  { "comm.shape_mismatch", "receiver expected another size: collectives of the two ranks differ (size, dtype, order) or NCCL_PROTO/NCCL_ALGO/chunk env differ, else corruption", "compare COLL lines and env of the two ranks",
    "@2.10.3-2.12.7", "message truncated : receiving", "@2.12.10-2.26.6",
    "there may be a mismatch in collective sizes or environment settings (e.g. NCCL_PROTO, NCCL_ALGO) between ranks", "@2.27.3-",
    ". If you believe your socket network is in a healthy state, there may be a mismatch in collective sizes or environment settings (e.g. NCCL_PROTO, NCCL_ALGO) between ranks" },
  { "comm.shape_mismatch", "ranks registered a buffer with different physical segments", "allocator use on the ranks named",
    "@2.30.4-", "; all ranks must have identical segment configurations", "segments; all ranks must have identical segment configurations" },
  { "comm.shape_mismatch", "CollNet sizes differ from what was posted", "collective sizes of the ranks",
    "@2.20.3-", "CollNet sizes: want=" },
  { "comm.shape_mismatch", "the receiver posted a buffer smaller than what the sender sends: ranks run different sizes, or NCCL_PROTO/NCCL_ALGO/chunk settings differ", "compare count/dtype of both ranks at this point; then NCCL_* env of both",
    "@2.10.3-2.12.7", "collective mismatch error local size", "@2.12.10-2.19.4", "collective mismatch error, local size" },
  { "comm.shape_mismatch", "the kernel of one rank waits for data while its neighbour is at the next operation: they were called with different sizes, or not the same ones", "compare COLL lines of the ranks around the one named",
    "@2.4.2-2.6.4", "Mismatched collective detected, please check your collective calls at and around rank" },
  { "comm.shape_mismatch", "receive slot content is not plausible (size, address, rkey): mismatch of sizes or env between ranks, or memory corruption", "compare env and NCCL version of both ranks",
    "@2.12.10-", "posted incorrect receive info: size" },
  { "comm.shape_mismatch", "NCCL_CHECK_MODE found windows or offsets that differ between ranks", "buffers passed by the named rank",
    "@2.29.7-", "symmetric registration check failed on rank" },
  -- comm.slow
  { "comm.slow", "variable missing: low performance or hang over PCIe", "environment",
    "Missing \"HSA_FORCE_FINE_GRAIN_PCIE=1\" from environment" },
  { "comm.slow", "kernel.numa_balancing=1 disturbs performance", "sysctl",
    "NUMA auto balancing enabled" },
  -- comm.timeout
  { "comm.timeout", "dump of pending proxy operations (watchdog)", "status field per op",
    "ncclCommDump() ProxyTrace:" },
  -- comm.version_mismatch
  { "comm.version_mismatch", "header used to build the application is newer than the loaded library (device API)", "LD_LIBRARY_PATH, pip nvidia-nccl package against system NCCL",
    "@2.29.2-2.29.7", "NCCL library version is too old. This application was compiled with NCCL version", "@2.29.7-",
    ". Because of its use of GIN device kernels, it needs to be recompiled, preferably with the same NCCL version that it will be running with.",
    "@2.29.7", "The application was compiled with too old version of NCCL. It was compiled with NCCL version", "@2.30.3-",
    "NCCL library is not backwards compatible. This application was compiled with NCCL version",
    "NCCL library is too old. This application was compiled with NCCL version" },
  { "comm.version_mismatch", "two ranks run different NCCL versions (version codes)", "container images / LD_LIBRARY_PATH of the two ranks",
    "@2.23.4-", "Mismatched NCCL version detected : rank" },
  { "comm.version_mismatch", "RAS peer runs another NCCL version; can also be another job using the same RAS address", "versions of the ranks; several jobs on one host",
    "@2.24.3-", "NCCL version mismatch with remote peer" },
  { "comm.version_mismatch", "size of a proxy request differs from what this build expects: mixed NCCL builds in one job or internal error", "NCCL library loaded by each local rank",
    "@2.12.7-", "recvProxyConnect: reqSize is", "recvProxyConnect: respSize is", "sendProxyConnect: reqSize is", "sendProxyConnect: respSize is" },
  -- gpu.app_fault
  { "gpu.app_fault", "CUDA error 715: kernel fault; on healthy code a hardware hint", "Xid 13, repeat on another GPU",
    "'an illegal instruction was encountered" },
  { "gpu.app_fault", "CUDA error 700: some kernel (mostly of the application) used a bad address; sticky, NCCL only reports it", "Xid 13/31 with the pid, CUDA_LAUNCH_BLOCKING, which rank first",
    "'an illegal memory access was encountered" },
  { "gpu.app_fault", "CUDA error 710: assert in a kernel of the application (index out of range)", "stderr of that rank above this line",
    "'device-side assert triggered" },
  { "gpu.app_fault", "CUDA error 714: kernel fault", "Xid 13",
    "'hardware stack error" },
  { "gpu.app_fault", "CUDA error 718: kernel fault", "Xid 13",
    "'invalid program counter" },
  { "gpu.app_fault", "CUDA error 716: kernel fault of the application", "Xid 13",
    "'misaligned address" },
  { "gpu.app_fault", "CUDA error 717: kernel fault", "Xid 13",
    "'operation not supported on global/shared address space" },
  { "gpu.app_fault", "CUDA error 702: kernel watchdog (display GPU)", "Xid 8",
    "'the launch timed out and was terminated" },
  { "gpu.app_fault", "CUDA error 719: kernel fault or the GPU fell off the bus", "Xid at that time: 79 -> gpu.fell_off_bus, 13/31 -> application",
    "'unspecified launch failure" },
  -- gpu.device_oom
  { "gpu.device_oom", "CUDA error 2: device memory exhausted while NCCL allocates buffers, loads kernels or registers memory", "memory held by the framework on that GPU, other processes on it; also comes from cudaHostAlloc when host memory or cgroup is short",
    "'out of memory" },
  { "gpu.device_oom", "allocation by NCCL failed, size in bytes; the Cuda failure line before it has the reason (device: out of memory; host: pinned memory)", "free GPU memory on that device; host.memlock or cgroup for host alloc",
    "@2.14.3-", "Failed to CUDA calloc", "Failed to CUDA calloc async", "Failed to CUDA host alloc", "Failed to CUDA malloc" },
  -- gpu.driver_mismatch
  { "gpu.driver_mismatch", "CUDA error 36: driver too old for the call", "driver version",
    "'API call is not supported in the installed CUDA driver" },
  { "gpu.driver_mismatch", "CUDA error 34: link-time stub libcuda in LD_LIBRARY_PATH", "container library path",
    "'CUDA driver is a stub library" },
  { "gpu.driver_mismatch", "CUDA error 35: driver older than the CUDA of this NCCL build", "nvidia-smi driver version against the +cuda suffix of the NCCL version line",
    "'CUDA driver version is insufficient for CUDA runtime version" },
  { "gpu.driver_mismatch", "CUDA error 200: binary does not fit driver or GPU", "driver and NCCL build",
    "'device kernel image is invalid" },
  { "gpu.driver_mismatch", "CUDA error 804: CUDA compat package on a GPU type it does not support", "remove compat library from LD_LIBRARY_PATH",
    "'forward compatibility was attempted on non supported HW" },
  { "gpu.driver_mismatch", "CUDA error 3: CUDA cannot initialise: fork after CUDA init, driver trouble, device nodes missing in the container", "fork start method of DataLoader; /dev/nvidia*; dmesg NVRM",
    "'initialization error" },
  { "gpu.driver_mismatch", "CUDA error 500: symbol missing in driver or module", "driver version",
    "'named symbol not found" },
  { "gpu.driver_mismatch", "CUDA error 803: kernel module and libcuda differ (or compat package)", "/proc/driver/nvidia/version against libcuda",
    "'system has unsupported display driver / cuda driver combination" },
  { "gpu.driver_mismatch", "CUDA error 222: driver older than the toolchain", "driver version",
    "'the provided PTX was compiled with an unsupported toolchain" },
  { "gpu.driver_mismatch", "NVML call failed, text decides: Driver/library version mismatch, GPU is lost (gpu.fell_off_bus), Insufficient Permissions, Not Found", "nvidia-smi on the host, Xid 79",
    "@2.3-2.11.4", "NVML failure '", "nvmlDeviceGetHandleByPciBusId() failed:", "nvmlDeviceGetIndex() failed:", "nvmlInit() failed:",
    "nvmlShutdown() failed:", "@2.5.6-2.11.4", "nvmlDeviceGetCudaComputeCapability() failed:", "@2.12.7-", ",NVML_P2P_CAPS_INDEX_READ) failed:",
    "nvmlDeviceGetCount", "nvmlDeviceGetCudaComputeCapability(", "nvmlDeviceGetHandleByIndex(", "nvmlInit" },
  { "gpu.driver_mismatch", "libcuda cannot be used: missing in the container, too old, or forward-compat package mismatched", "nvidia container toolkit, driver version against CUDA version",
    "@2.13.4-", "CUDA some PFN functions not found in the library", "Retrieve cu", "@2.13.4-2.15.5", "Failed to find CUDA library in",
    "@2.13.4-2.20.5", "Failed to load CUDA missing symbol cuDriverGetVersion", "Failed to load CUDA missing symbol cuGetProcAddress",
    "Failed to load CUDA missing symbol cuInit", "cuDriverGetVersion failed with", "@2.16.2-2.16.5", "Failed to find CUDA library (NCCL_CUDA_PATH='",
    "@2.17.1-2.20.5", "Failed to find CUDA library" },
  { "gpu.driver_mismatch", "cuMem API needs a newer CUDA than NCCL was built with", "NCCL build, NCCL_CUMEM_ENABLE",
    "@2.18.1-", "CUMEM not supported prior to CUDA 11.3", "@2.23.4-", "CUMEM Host is not supported prior to CUDA 12.2" },
  { "gpu.driver_mismatch", "NVML library not in the container", "nvidia container toolkit capability utility",
    "@2.3-2.29.7", "Failed to open libnvidia-ml.so.1", "@2.30.3-", "Failed to open libnvidia-ml.so.1:" },
  { "gpu.driver_mismatch", "driver or CUDA runtime too old for CUDA graphs", "driver version",
    "@2.9.6-2.12.12", "NCCL does not support this CUDA version for CUDA graph feature", "@2.9.9-2.15.1",
    "The installed CUDA driver is older than the minimum version (R465) required for NCCL's CUDA Graphs support", "@2.15.5-",
    "NCCL cannot be captured in a graph if either it wasn't built with CUDA runtime >= 11.3 or if the installed CUDA driver < R465." },
  { "gpu.driver_mismatch", "a needed symbol is absent from a library (libnvidia-ml, libgdrapi): library older than NCCL expects", "version of the library in the image",
    "@2.3-2.29.7", "dlsym failed on" },
  { "gpu.driver_mismatch", "nvidia module not loaded", "lsmod, dmesg",
    "@2.12.7-", "failed: Driver Not Loaded" },
  { "gpu.driver_mismatch", "kernel module and user library differ (driver upgraded without reload)", "reboot or reload; container toolkit",
    "@2.12.7-", "failed: Driver/library version mismatch" },
  { "gpu.driver_mismatch", "same condition, older text", "driver upgrade",
    "@2.12.7-", "failed: RM has detected an NVML/RM version mismatch" },
  { "gpu.driver_mismatch", "wrapper library used before it could be loaded", "earlier load message",
    "lib wrapper not initialized." },
  { "gpu.driver_mismatch", "device handle failed; WARN when it is fatal, INFO when optional", "error text rows (GPU is lost, version mismatch)",
    "@2.12.7-", "nvmlDeviceGetHandleByIndex" },
  { "gpu.driver_mismatch", "GPU not known to NVML (MIG, VM, lost GPU) failed; WARN when it is fatal, INFO when optional", "error text rows (GPU is lost, version mismatch)",
    "@2.12.7-", "nvmlDeviceGetHandleByPciBusId" },
  -- gpu.ecc_uncorrectable
  { "gpu.ecc_uncorrectable", "CUDA error 214: double bit error on the GPU", "Xid 48/63/94/95, row remapping of that GPU",
    "'uncorrectable ECC error encountered" },
  -- gpu.fabric_not_ready
  { "gpu.fabric_not_ready", "CUDA error 800: fabric/IPC handle import refused (IMEX channel, container), or stream in capture", "IMEX channel devices",
    "'operation not permitted" },
  { "gpu.fabric_not_ready", "CUDA error 802: NVSwitch fabric not initialised", "nvidia-fabricmanager running and of the driver version, fabric state in nvidia-smi -q",
    "'system not yet initialized" },
  { "gpu.fabric_not_ready", "multi-node NVLink seen but memory export over it fails: IMEX daemon or channel missing, or state/clique of the trays differ", "nvidia-imex-ctl -N, /dev/nvidia-caps-imex-channels, fabric state and cliqueId of each rank",
    "@2.20.3-2.24.3", "MNNVL is not supported on this system", "@2.25.1-2.26.6",
    ") is available but not supported on this system. Check the IMEX configuration.", "@2.27.3-",
    ") is available but not working on this system. Check the IMEX channel configuration (/dev/nvidia-caps-imex-channels). Set NCCL_MNNVL_ENABLE=0 to ignore this issue.",
    ") is available but not working on this system. Check the IMEX configuration (nvidia-imex-ctl -N). Set NCCL_MNNVL_ENABLE=0 to ignore this issue.",
    "@2.30.3-",
    "} contains CPU-backed physical segments, but the LSA team does not support multi-node IPC on CPU-backed buffers. Please retry by setting NCCL_MNNVL_ENABLE=0" },
  { "gpu.fabric_not_ready", "multicast asked for but this system has none", "NVSwitch/fabric state; GPU type",
    "@2.28.3-", "Multicast support requested for team but none available on system.", "@2.29.2-",
    "Multimem pointer requested but system does not support multimem.", "needs to be valid." },
  { "gpu.fabric_not_ready", "binding multicast (NVLS) memory failed: fabric manager or NVSwitch state, exhausted multicast resources", "nvidia-fabricmanager version/state, nvidia-smi -q fabric; NCCL_NVLS_ENABLE=0 as test",
    "@2.27.3-", "This is usually caused by a system or configuration error in the Fabric Manager or NVSwitches." },
  -- gpu.fell_off_bus
  { "gpu.fell_off_bus", "NVML says the GPU fell off the bus", "Xid 79, PCIe AER",
    "@2.12.7-", "failed: GPU is lost" },
  { "gpu.fell_off_bus", "reset needed", "Xid",
    "@2.12.7-", "failed: GPU requires restart" },
  -- gpu.hardware_other
  { "gpu.hardware_other", "CUDA error 805: MPS server gone", "MPS log",
    "'MPS client failed to connect to the MPS control daemon or the MPS server" },
  { "gpu.hardware_other", "CUDA error 806: MPS server fault", "MPS log, Xid",
    "'the remote procedural call between the MPS server and the MPS client failed" },
  { "gpu.hardware_other", "NVML cannot talk to the GPU; after cgroup/systemd reload in containers it means device access was lost", "dmesg, device cgroup of the container",
    "@2.12.7-", "failed: Unknown Error" },
  -- gpu.missing
  { "gpu.missing", "CUDA error 100: no GPU visible to the process", "CUDA_VISIBLE_DEVICES, device plugin, dmesg",
    "'no CUDA-capable device is detected" },
  { "gpu.missing", "KFD topology unreadable in the container", "/sys/class/kfd mounted",
    "Could not read node #" },
  -- gpu.nvlink_error
  { "gpu.nvlink_error", "CUDA error 220: NVLink failed under load", "Xid 74/144-150, nvlink -e, fabric manager log",
    "'uncorrectable NVLink error detected during the execution" },
  -- host.fd_limit
  { "host.fd_limit", "accept failed; Too many open files (EMFILE) is the usual reason", "errno text rows",
    "Call to accept failed" },
  { "host.fd_limit", "open failed: missing file or EMFILE", "errno text rows",
    "Call to open failed" },
  { "host.fd_limit", "pipe failed, EMFILE", "errno text rows",
    "@2.24.3-", "Call to pipe failed" },
  { "host.fd_limit", "socket() failed, mostly EMFILE", "errno text rows",
    "@2.24.3-", "Call to socket failed" },
  { "host.fd_limit", "socket() failed, most often Too many open files", "errno text, ulimit -n",
    "@2.3-2.15.5", "Net : Socket creation failed :", "@2.16.2-2.23.4", "ncclSocketInit: Socket creation failed :" },
  -- host.global_oom
  { "host.global_oom", "host memory allocation failed", "memory cgroup and host memory at that time",
    "Failed to malloc", "@2.13.4-", "Unrecoverable error detected: malloc(size=", "@2.29.2-", "Intrusive address map initialization failed: calloc(",
    "@2.29.2-2.30.4", "Allocation failed at", "@2.30.7-", "Allocation failed" },
  -- host.memlock_limit
  { "host.memlock_limit", "creating an mlx5 QP failed (%m is the errno text); ENOMEM means locked memory or QP quota", "ulimit -l, device QP limits, firmware",
    "@2.30.3-2.30.4", ": mlx5dv_create_qp failed to create QP:", "@2.30.7-", "NET/IB: mlx5dv_create_qp failed to create QP:" },
  { "host.memlock_limit", "protection domain refused: memory lock or device limit", "errno text; ulimit -l; dmesg mlx5",
    "Call to ibv_alloc_pd failed" },
  { "host.memlock_limit", "completion queue: ENOMEM means locked memory limit", "errno text; ulimit -l; dmesg mlx5",
    "Call to ibv_create_cq failed" },
  { "host.memlock_limit", "queue pair: ENOMEM means locked memory limit or HCA QP limit", "errno text; ulimit -l; dmesg mlx5",
    "Call to ibv_create_qp failed" },
  { "host.memlock_limit", "memory registration refused: ENOMEM means RLIMIT_MEMLOCK or cgroup; EFAULT/EINVAL on GPU memory means nvidia_peermem missing (net.gdr_disabled)", "errno text; ulimit -l; dmesg mlx5",
    "Call to ibv_reg_mr failed" },
  { "host.memlock_limit", "same as ibv_reg_mr (relaxed ordering path); on GPU memory EFAULT means GPUDirect not available", "errno text; ulimit -l; dmesg mlx5",
    "@2.12.7-", "Call to ibv_reg_mr_iova2 failed" },
  { "host.memlock_limit", "endpoint setup failed", "memlock, device",
    "Couldn't create completion queue" },
  { "host.memlock_limit", "memory registration failed", "same",
    "Couldn't register memory region" },
  { "host.memlock_limit", "memory registration failed", "memlock, GPU memory, page count limit",
    "Unable to register memory" },
  -- host.pin_failed
  { "host.pin_failed", "CUDA error 205: cannot map memory", "dmesg NVRM",
    "'mapping of buffer object failed" },
  -- host.shm_exhausted
  { "host.shm_exhausted", "mapping the segment failed", "errno text rows",
    "@2.4.2-2.11.4", "Call to mmap failed" },
  { "host.shm_exhausted", "/dev/shm too small: No space left on device", "errno text rows",
    "@2.4.2-2.11.4", "Call to posix_fallocate failed" },
  { "host.shm_exhausted", "shared memory object could not be opened: /dev/shm full, missing, or the creator is gone", "errno text rows",
    "@2.4.2-2.11.4", "Call to shm_open failed" },
  { "host.shm_exhausted", "clique shared memory failed", "/dev/shm",
    "Call to shm_open in" },
  { "host.shm_exhausted", "mmap of the segment failed", "errno text; memory cgroup",
    "@2.12.7-2.21.5", "Could not map /", "@2.22.3-", "Error: Could not map " },
  { "host.shm_exhausted", "file in /dev/shm could not be created (full, read only, fd limit)", "errno text",
    "@2.22.3-", "Error: failed to create shared memory file" },
  { "host.shm_exhausted", "fallocate of the segment in /dev/shm failed: no space left", "df /dev/shm, docker --shm-size, k8s emptyDir medium Memory",
    "@2.12.7-", "Error: failed to extend" },
  { "host.shm_exhausted", "opening or growing the shared memory segment failed; creating: /dev/shm full or too small; attaching: the creator died or is in another IPC namespace", "df /dev/shm, size limit of the container (64 MiB default), hostIPC, leftovers /dev/shm/nccl-*",
    "@2.8.4-", "shared memory segment" },
  -- host.thread_limit
  { "host.thread_limit", "thread could not be created: pids cgroup or ulimit -u", "errno text rows",
    "@2.19.1-2.28.9", "Call to pthread_create failed" },
  { "host.thread_limit", "thread could not be created", "pids cgroup, ulimit -u",
    "@2.29.2-", "Thread creation failed:" },
  -- net.bootstrap_unreachable
  { "net.bootstrap_unreachable", "connect kept failing: refused (nobody listens: peer not started, died, or wrong address) or timed out (firewall, wrong interface, no route)", "strerror in the line; is the peer process alive; interface chosen by the peer in its Bootstrap line",
    "@2.16.2-2.23.4", "socketPollConnect: exceeded retries (", "socketPollConnect: exceeded timeouts (", "socketStartConnect: exceeded retries (",
    "socketStartConnect: exceeded timeouts (", "@2.24.3-2.26.6", ", exceeded error retry count (", "socketTryAccept: exceeded error retry count (",
    "@2.27.3-", ", exceeded error retry count after", "@2.27.3-2.28.9", "socketTryAccept: exceeded error retry count after", "@2.29.2-",
    "ncclOsSocketTryAccept: exceeded error retry count after" },
  { "net.bootstrap_unreachable", "TCP connect to the peer failed", "errno text; firewall between the hosts, wrong NCCL_SOCKET_IFNAME, peer exited",
    "@2.10.3-2.15.5", "Net : Connect to", "@2.16.2-2.23.4", "socketStartConnect: Connect to", "@2.16.5-2.26.6",
    "socketPollConnect poll() failed with error", "@2.20.3-2.23.4", "socketPollConnect: Connect to", "@2.23.4-2.26.6",
    "socketPollConnect poll() returned", "@2.24.3-2.26.6", ": Connect to ", "@2.27.3-", ": connect to ", "@2.27.3-2.28.9", "socketPollConnect to",
    "@2.29.2-", "ncclOsSocketPollConnect to" },
  { "net.bootstrap_unreachable", "connection manager failed", "peer",
    "CM connect failed" },
  { "net.bootstrap_unreachable", "bind failed: address not local any more, or port in use", "errno text rows",
    "Call to bind failed" },
  { "net.bootstrap_unreachable", "connect to bootstrap/peer failed: refused, timed out, no route", "errno text rows",
    "@2.3-2.11.4", "Call to connect failed" },
  { "net.bootstrap_unreachable", "listen failed", "errno text rows",
    "Call to listen failed" },
  { "net.bootstrap_unreachable", "host name in NCCL_COMM_ID cannot be resolved", "DNS, /etc/hosts",
    "Net : error encountered when getting address info :" },
  { "net.bootstrap_unreachable", "accept on a listening socket failed; Too many open files means fd limit", "errno text, ulimit -n",
    "[Service thread] Accept failed ", "@2.16.2-2.17.1", "that is not EAGAIN or EWOULDBLOCK", "@2.18.1-2.28.9", "socketTryAccept: Accept failed:",
    "@2.29.2-", "ncclOsSocketTryAccept: Accept failed:" },
  { "net.bootstrap_unreachable", "EFA peer unreachable, security group must allow all traffic to itself", "security group",
    "security group" },
  { "net.bootstrap_unreachable", "something else connected to an NCCL port (port scanner, health check, other job, other NCCL build) or a stale peer", "security scanners; reuse of ports; NCCL_SOCKET_MAGIC equal on all ranks",
    "@2.16.2-2.26.6", "socketFinalizeAccept: wrong magic", "socketFinalizeAccept: wrong type", "@2.27.3-2.30.4", "socketFinalizeAccept from" },
  -- net.gdr_disabled
  { "net.gdr_disabled", "DMA-BUF registration of GPU memory failed", "errno text; ulimit -l; dmesg mlx5",
    "@2.13.4-", "Call to ibv_reg_dmabuf_mr failed" },
  { "net.gdr_disabled", "Data Direct registration failed", "driver, NCCL_IB_DATA_DIRECT=0",
    "@2.27.3-", "Call to mlx5dv_reg_dmabuf_mr failed" },
  { "net.gdr_disabled", "libfabric cannot honour the CUDA call rule", "libfabric version",
    "FI_OPT_CUDA_API_PERMITTED" },
  { "net.gdr_disabled", "GPUDirect setup failed on an endpoint", "driver, libfabric build",
    "GDR support reported to NCCL but then couldn't be configured" },
  { "net.gdr_disabled", "DMA-BUF registration of GPU memory not possible, falls back or refuses", "kernel, driver open-kernel-module, nvidia_peermem",
    "@2.29.7-", "Unable to use GIN: Peermem is not supported, and device", "@2.30.3-",
    "Window registration of addresses that span multiple physical segments requires DMABUF support with GIN." },
  -- net.gid_or_pkey
  { "net.gid_or_pkey", "ibv event 18: GID table changed: address or bond change", "ip addr, NetworkManager",
    ": GID table change" },
  { "net.gid_or_pkey", "ibv event 12: partition table changed", "UFM/opensm",
    ": P_Key change" },
  { "net.gid_or_pkey", "state change refused: 110 address of peer not resolved, 22 wrong GID/MTU/pkey", "errno text; ulimit -l; dmesg mlx5",
    "@2.3-2.23.4", "Call to ibv_modify_qp failed" },
  { "net.gid_or_pkey", "QP state change refused; errno 110 ETIMEDOUT: peer address could not be resolved (wrong rail, wrong GID, VLAN, dead route); 22 EINVAL: GID index has no usable entry, MTU or pkey differ; 19 ENODEV", "GID and GID index in the message against show_gids on both hosts, NCCL_IB_GID_INDEX, PKEY, RoCE version, ping between the two NIC addresses",
    "@2.24.3-", "Call to ibv_modify_qp failed with" },
  { "net.gid_or_pkey", "GID index not readable", "errno text; ulimit -l; dmesg mlx5",
    "Call to ibv_query_gid failed" },
  { "net.gid_or_pkey", "the GID table of the port changed while the job ran (address added or removed, bond/VLAN change, link flap)", "ip addr changes, NetworkManager, bond events; restart with NCCL_IB_GID_INDEX unset",
    "@2.28.3-", "GID table changed" },
  { "net.gid_or_pkey", "sysfs gid_attrs/types could not be read, so the RoCE version of a GID is unknown (container without full /sys, or empty GID slot)", "mount of /sys in the container; NCCL_IB_GID_INDEX",
    "@2.23.4-", "NET/IB: open failed in ncclIbRoceGetVersionNum:", "NET/IB: read failed in ncclIbRoceGetVersionNum:" },
  { "net.gid_or_pkey", "IB ports are on different subnets but the remote has no FLID: router setup incomplete", "IB router configuration, NCCL_IB_ROUTABLE_FLID_GID_INDEX",
    "@2.22.3-", "Warning: remote FLID configured as zero even when endpoints are on different subnets, using dlid as fallback" },
  -- net.ib_link_down
  { "net.ib_link_down", "failover found no working NIC", "all rails of that host",
    "@2.29.7-2.30.4", ") is not on a functional device (state=", ": Could not find a functional device to post the probe for request",
    ": Could not find a replacement QP for the failed QP with qpIndex=", "@2.30.7-", "NET/IB: Cannot replace QP with qpIndex=",
    "NET/IB: Could not find a functional device to post the probe for request",
    "NET/IB: Could not find a replacement QP for the failed QP with qpIndex=" },
  { "net.ib_link_down", "more than one NIC of the virtual device failed", "switch or host wide outage",
    "@2.30.3-", "). No support for more than a single failed device." },
  { "net.ib_link_down", "ibv event 11: subnet manager gave a new LID: SM failover or recabling", "opensm/UFM log",
    ": LID change" },
  { "net.ib_link_down", "ibv event 13: subnet manager failover", "opensm log",
    ": SM change" },
  { "net.ib_link_down", "ibv event 17: SM asks clients to register again: SM restart", "opensm log",
    ": client reregistration" },
  { "net.ib_link_down", "ibv event 6: automatic path migration happened", "port state",
    ": path migrated" },
  { "net.ib_link_down", "ibv event 7: path migration failed", "port state",
    ": path migration request error" },
  { "net.ib_link_down", "ibv event 9: link came back after being down: a flap happened", "time since port error",
    ": port active" },
  { "net.ib_link_down", "ibv event 10: link went down: cable, transceiver, switch port, peer reboot", "dmesg Link down, switch log; followed by port active or status 12",
    ": port error" },
  { "net.ib_link_down", "port query failed, device being reset", "errno text; ulimit -l; dmesg mlx5",
    "Call to ibv_query_port failed" },
  { "net.ib_link_down", "asynchronous event treated as non fatal (port error, path migration and the like), number is the ibv event type", "same second in dmesg: link down, module unplugged, switch reboot",
    "@2.28.7-", "Got non-fatal async event:" },
  { "net.ib_link_down", "port query failed, HCA being reset", "dmesg mlx5",
    "@2.3-2.19.4", "NET/IB : Unable to query port", "@2.20.3-", "NET/IB : Unable to query port_num" },
  { "net.ib_link_down", "failover marked one NIC of the virtual device as failed and moves traffic", "the NIC and cable behind devIndex; job continues at lower bandwidth (comm.slow)",
    "@2.29.7", "marked as failed. (", "@2.30.3-", "marked as failed. Initiating recovery?" },
  -- net.ib_transport_error
  { "net.ib_transport_error", "internal bookkeeping of IB requests does not match the completion", "usually a consequence of an earlier error; else NCCL or driver bug",
    "@2.29.2-2.30.4", "). Cannot retrieve request.", "@2.29.7-", "comm could not retreive a request found for a successful completion (comm=",
    "@2.29.7-2.30.4", ": No format specified for opcode=", ": Receiver expected a 'recv' request but got '",
    ": Sender expected a 'send' request but got '", ": Unknown completion (req=", "@2.30.7-", "NET/IB: Invalid request index",
    "NET/IB: No format specified for opcode=", "NET/IB: Receiver expected a 'recv' request but got '",
    "NET/IB: Sender expected a 'send' request but got '", "NET/IB: Unknown completion (req=" },
  { "net.ib_transport_error", "internal state check of the IB failover code", "the first completion error of the same comm",
    "@2.29.7-", "). Unable to retrieve a request on the receiver side (comm=", "@2.29.7",
    ": Resiliency requires pre-posted receive work requests. Enabling pre-posting.", "@2.29.7-2.30.4",
    ": Attempting to free a non-existent failed request (slot=", ": Attempting to initiate a failed request using a '",
    ": Attempting to initiate a replay using an old request (req=", ": Attempting to repost an unused request (id=",
    ": Encountered a stale CQE with error for slot=", ": Unrecognized request type. request->type=",
    ": Unrecognized request. It might be a CTS message for which the request was already completed. Continue.", ": Unsupported completion status",
    ": Unsupported type of request reposting (type=", "@2.30.3-", "outstanding recovery operations on the resiliency context (comm=",
    "@2.30.3-2.30.4", ": Failed to allocate failure queue node (comm=", ": Requested alive message batch size",
    ": Resiliency context is NULL. Nothing to destroy.", ": Unexpected GoToPrevState result in AliveMessages state for device", "@2.30.7-",
    "NET/IB: Attempting to free a non-existent failed request (slot=", "NET/IB: Attempting to initiate a failed request using a '",
    "NET/IB: Attempting to initiate a replay using an old request (req=", "NET/IB: Attempting to repost an unused request (id=",
    "NET/IB: Encountered a stale CQE with error for slot=", "NET/IB: Failed to allocate failure queue node (comm=",
    "NET/IB: Requested alive message batch size", "NET/IB: Resiliency context is NULL. Nothing to destroy.",
    "NET/IB: Unexpected GoToPrevState result in AliveMessages state for device", "NET/IB: Unrecognized request type. request->type=",
    "NET/IB: Unrecognized request. It might be a CTS message for which the request was already completed. Continue.",
    "NET/IB: Unsupported completion status", "NET/IB: Unsupported type of request reposting (type=" },
  { "net.ib_transport_error", "ibv event 0: completion queue overrun or device failure", "dmesg mlx5",
    ": CQ error" },
  { "net.ib_transport_error", "step of port recovery failed", "status and NIC before it",
    "@2.29.7-2.30.4", ": Failed to initialize a resiliency send request (req=", "@2.30.7-",
    "NET/IB: Failed to initialize a resiliency send request (req=" },
  { "net.ib_transport_error", "failed completion handed to the port-failover code (NCCL_IB_RESILIENCY_PORT_FAILOVER)", "look for Device N marked as failed or The error is fatal",
    "@2.29.7-2.30.4", ": Got CQE with error (devIndex=", "@2.30.7-", "NET/IB: Got CQE with error (devIndex=" },
  { "net.ib_transport_error", "failover probe budget used up", "NCCL_IB_RESILIENCY_PORT_FAILOVER_MAX_ATTEMPTS",
    "@2.29.7-2.30.4", ": Maximum number of probing attempts (", "@2.30.7-", "NET/IB: Maximum number of probing attempts (" },
  { "net.ib_transport_error", "ibv event 14: not used by NCCL", false,
    ": SRQ catastrophic error" },
  { "net.ib_transport_error", "port failover gave up, text in brackets is the reason", "completion error before it",
    "@2.29.7-2.30.4", ": The error is fatal (", "@2.30.7-", "NET/IB: The error is fatal (" },
  { "net.ib_transport_error", "ibv event 19: receive queue fatal", "dmesg mlx5",
    ": WQ fatal" },
  { "net.ib_transport_error", "ibv event 2: remote sent a request this QP cannot take", "peer versions/sizes",
    ": invalid request local work queue error" },
  { "net.ib_transport_error", "ibv event 3: remote accessed memory it must not: stale key, restarted peer", "peer state",
    ": local access violation work queue error" },
  { "net.ib_transport_error", "ibv event 8: the HCA died (DEVICE_FATAL)", "dmesg mlx5 health, firmware reset",
    ": local catastrophic error" },
  { "net.ib_transport_error", "ibv event 1: send/receive queue of a QP failed", "dmesg mlx5, PCIe AER",
    ": local work queue catastrophic error" },
  { "net.ib_transport_error", "verbs call failed", "errno text; ulimit -l; dmesg mlx5",
    "Call to ibv_close_device failed", "Call to ibv_dealloc_pd failed", "Call to ibv_dereg_mr failed", "Call to ibv_destroy_cq failed",
    "Call to ibv_destroy_qp failed", "Call to ibv_query_qp failed", "@2.19.1-", "Call to ibv_query_ece failed", "Call to ibv_set_ece failed",
    "@2.30.7-", "Call to ibv_query_port_speed failed" },
  { "net.ib_transport_error", "polling the completion queue failed: device gone", "dmesg mlx5",
    "Call to ibv_poll_cq() returned" },
  { "net.ib_transport_error", "error on a device-initiated network context", "completion WARN before it",
    "@2.28.7-2.29.3", "GIN Error on gin context", "@2.29.7-", "GIN Error detected", "@2.30.3-", "Error on GFD test" },
  { "net.ib_transport_error", "post failed", "provider text",
    "Error posting RDMA" },
  { "net.ib_transport_error", "receive buffer failed, fatal", "earlier text",
    "Fatal: rx buffer recv completed with error" },
  { "net.ib_transport_error", "asynchronous RDMA event text from libibverbs; port error means the link went down, port active means it came back", "map the text with the async rows; port error: check mlx5_core lines in dmesg at the same second",
    "@2.3-2.19.4", "NET/IB : Got async event :", "@2.20.3-2.22.3", "Got async event :", "@2.23.4-2.28.3", "Got async error event:" },
  { "net.ib_transport_error", "work completion with an error status on an RDMA QP; status says which kind (see the ibv rows), peer is the TCP out-of-band address of the other process, not the NIC; opcode and length are undefined for failed completions and must be ignored", "map status; find the local NIC in hca (or the Using list); compare both ends, port counters, switch log, and whether the peer process died first",
    "@2.10.3-2.21.5", "NET/IB : Got completion from peer", "@2.22.3-", "NET/IB: Got completion from peer", "@2.28.7-",
    "NET/IB/GIN: Got completion from peer" },
  { "net.ib_transport_error", "same for remote write", "same",
    "Remote write completed with error" },
  { "net.ib_transport_error", "CQ unreadable", "earlier error",
    "Unable to read from fi_cq_readerr" },
  { "net.ib_transport_error", "CQ error", "provider text",
    "Unable to retrieve completion queue entries" },
  { "net.ib_transport_error", "completion queue error raised by the device, usually an overrun or a dead device; later operations return a remote error", "dmesg mlx5 health/CQ error; firmware",
    "@2.23.4-", "async fatal event on CQ (" },
  { "net.ib_transport_error", "QP level fatal event (local work queue, access violation, request error)", "event text; previous completion error on the same NIC",
    "@2.23.4-", "async fatal event on QP (" },
  { "net.ib_transport_error", "SRQ event, NCCL has no SRQ, so another library in the process or a driver fault", "driver log",
    "@2.23.4-", "async fatal event on SRQ, unused for now (" },
  { "net.ib_transport_error", "device fatal event: the HCA reset or died", "dmesg mlx5 health, device reset, firmware assert",
    "@2.23.4-", "async fatal event:" },
  { "net.ib_transport_error", "a fatal async event was recorded on the NIC, every next call on this comm now fails", "the earlier async fatal event line is the cause",
    "@2.23.4-", "communicator encountered a fatal error (detected in" },
  { "net.ib_transport_error", "libfabric completion error: unreachable peer, memory error, remote gone", "provider text: Unresponsive receiver, LLP retry, security group",
    "completed with error. RC:" },
  { "net.ib_transport_error", "posting a work request failed (queue full or QP in error state)", "earlier completion error on the QP",
    "ibv_post_recv() failed with error", "@2.9.6-", "ibv_post_send() failed with error" },
  { "net.ib_transport_error", "ibv status 7 (bad response error): unexpected transport response", "firmware, mixed versions",
    "@2.28.7-", "status=IBV_WC_BAD_RESP_ERR(7)" },
  { "net.ib_transport_error", "ibv status 19 (fatal error): device fatal: HCA reset or gone", "dmesg mlx5 health",
    "@2.3-2.19.4", "with error 19, opcode", "@2.20.3-2.28.3", "with status=19 opcode", "@2.28.7-", "status=IBV_WC_FATAL_ERR(19)" },
  { "net.ib_transport_error", "ibv status 21 (general error): other transport error", "dmesg mlx5",
    "@2.3-2.19.4", "with error 21, opcode", "@2.20.3-2.28.3", "with status=21 opcode", "@2.28.7-", "status=IBV_WC_GENERAL_ERR(21)" },
  { "net.ib_transport_error", "ibv status 17 (invalid EE context number): not expected", false,
    "@2.28.7-", "status=IBV_WC_INV_EECN_ERR(17)" },
  { "net.ib_transport_error", "ibv status 18 (invalid EE context state): not expected", false,
    "@2.28.7-", "status=IBV_WC_INV_EEC_STATE_ERR(18)" },
  { "net.ib_transport_error", "ibv status 8 (local access error): local access violation on receive", "memory registration",
    "@2.3-2.19.4", "with error 8, opcode", "@2.20.3-2.28.3", "with status=8 opcode", "@2.28.7-", "status=IBV_WC_LOC_ACCESS_ERR(8)" },
  { "net.ib_transport_error", "ibv status 3 (local EE context operation error): reliable datagram only, not expected", false,
    "@2.28.7-", "status=IBV_WC_LOC_EEC_OP_ERR(3)" },
  { "net.ib_transport_error", "ibv status 1 (local length error): posted buffer size does not fit the message: program error or mismatch", "sizes of both ranks, NCCL version of both",
    "@2.3-2.19.4", "with error 1, opcode", "@2.20.3-2.28.3", "with status=1 opcode", "@2.28.7-", "status=IBV_WC_LOC_LEN_ERR(1)" },
  { "net.ib_transport_error", "ibv status 4 (local protection error): local memory key does not cover the buffer: registration invalid, GPU memory freed or remapped, GDR mapping (peer memory, ACS, IOMMU) broken; vendor_err 81 is usual", "buffer lifetime, nvidia_peermem/DMA-BUF, NCCL_NET_GDR_LEVEL=0 as test, GPU reset/Xid",
    "@2.3-2.19.4", "with error 4, opcode", "@2.20.3-2.28.3", "with status=4 opcode", "@2.28.7-", "status=IBV_WC_LOC_PROT_ERR(4)" },
  { "net.ib_transport_error", "ibv status 2 (local QP operation error): QP inconsistency on the local HCA: firmware or driver", "dmesg mlx5, firmware",
    "@2.3-2.19.4", "with error 2, opcode", "@2.20.3-2.28.3", "with status=2 opcode", "@2.28.7-", "status=IBV_WC_LOC_QP_OP_ERR(2)" },
  { "net.ib_transport_error", "ibv status 14 (local RDD violation error): not expected", false,
    "@2.28.7-", "status=IBV_WC_LOC_RDD_VIOL_ERR(14)" },
  { "net.ib_transport_error", "ibv status 6 (memory management operation error): memory window error, not used by NCCL", false,
    "@2.28.7-", "status=IBV_WC_MW_BIND_ERR(6)" },
  { "net.ib_transport_error", "ibv status 16 (aborted error): remote aborted", "remote side",
    "@2.28.7-", "status=IBV_WC_REM_ABORT_ERR(16)" },
  { "net.ib_transport_error", "ibv status 10 (remote access error): remote key/address invalid: remote buffer gone, other process restarted, corruption", "remote rank state, versions; vendor_err 136",
    "@2.3-2.19.4", "with error 10, opcode", "@2.20.3-2.28.3", "with status=10 opcode", "@2.28.7-", "status=IBV_WC_REM_ACCESS_ERR(10)" },
  { "net.ib_transport_error", "ibv status 15 (remote invalid RD request): not expected", false,
    "@2.28.7-", "status=IBV_WC_REM_INV_RD_REQ_ERR(15)" },
  { "net.ib_transport_error", "ibv status 9 (remote invalid request error): remote side refused the request: buffer too small or operation not allowed; sizes differ between ranks, QP depth", "sizes/env of both ranks (comm.shape_mismatch), vendor_err 138",
    "@2.3-2.19.4", "with error 9, opcode", "@2.20.3-2.28.3", "with status=9 opcode", "@2.28.7-", "status=IBV_WC_REM_INV_REQ_ERR(9)" },
  { "net.ib_transport_error", "ibv status 11 (remote operation error): remote HCA could not complete the operation (its memory access failed: PCIe, IOMMU, GPU lost)", "remote host dmesg: mlx5, Xid, AER; vendor_err 137",
    "@2.3-2.19.4", "with error 11, opcode", "@2.20.3-2.28.3", "with status=11 opcode", "@2.28.7-", "status=IBV_WC_REM_OP_ERR(11)" },
  { "net.ib_transport_error", "ibv status 20 (response timeout error): response timed out", "fabric",
    "@2.3-2.19.4", "with error 20, opcode", "@2.20.3-2.28.3", "with status=20 opcode", "@2.28.7-", "status=IBV_WC_RESP_TIMEOUT_ERR(20)" },
  { "net.ib_transport_error", "ibv status 12 (transport retry counter exceeded): no ACK from the remote NIC after all retries: link down, switch fault, wrong route/GID/VLAN/MTU, PFC deadlock, or the remote host/process died; vendor_err 129", "is the peer alive; port state and counters both ends; several peers fail with one NIC -> that NIC; NCCL_IB_TIMEOUT/RETRY_CNT only hide it",
    "@2.3-2.19.4", "with error 12, opcode", "@2.20.3-2.28.3", "with status=12 opcode", "@2.28.7-", "status=IBV_WC_RETRY_EXC_ERR(12)" },
  { "net.ib_transport_error", "ibv status 13 (RNR retry counter exceeded): receiver posted no buffer: remote process stuck or overloaded; vendor_err 135", "remote rank progress thread, CPU starvation",
    "@2.3-2.19.4", "with error 13, opcode", "@2.20.3-2.28.3", "with status=13 opcode", "@2.28.7-", "status=IBV_WC_RNR_RETRY_EXC_ERR(13)" },
  { "net.ib_transport_error", "ibv status 5 (Work Request Flushed Error): QP was already in error state: secondary. The first failure is another status on this or the remote side, or a fatal event", "earlier completion error or async event on the same NIC or peer; peer exit",
    "@2.3-2.19.4", "with error 5, opcode", "@2.20.3-2.28.3", "with status=5 opcode", "@2.28.7-", "status=IBV_WC_WR_FLUSH_ERR(5)" },
  { "net.ib_transport_error", "libibverbs event number this NCCL does not know (newer rdma-core)", "treat as hint only",
    "@2.23.4-", "unknown event type (" },
  { "net.ib_transport_error", "mlx5 syndrome 0x81: transport retry counter exceeded; with status 12", "status decides; vendor code only refines",
    "@2.3-2.28.3", "vendor err 129", "@2.28.7-", "vendor_err=129" },
  { "net.ib_transport_error", "mlx5 syndrome 0x87: RNR retry exceeded; with status 13", "status decides; vendor code only refines",
    "@2.3-2.28.3", "vendor err 135", "@2.28.7-", "vendor_err=135" },
  { "net.ib_transport_error", "mlx5 syndrome 0x88 seen with remote access errors; with status 10", "status decides; vendor code only refines",
    "@2.3-2.28.3", "vendor err 136", "@2.28.7-", "vendor_err=136" },
  { "net.ib_transport_error", "mlx5 syndrome 0x89 seen with remote operation errors; with status 11", "status decides; vendor code only refines",
    "@2.3-2.28.3", "vendor err 137", "@2.28.7-", "vendor_err=137" },
  { "net.ib_transport_error", "mlx5 syndrome 0x8a seen with remote invalid request; with status 9", "status decides; vendor code only refines",
    "@2.3-2.28.3", "vendor err 138", "@2.28.7-", "vendor_err=138" },
  { "net.ib_transport_error", "mlx5 flush syndrome 0xf4: secondary; with status 5", "status decides; vendor code only refines",
    "@2.3-2.28.3", "vendor err 244", "@2.28.7-", "vendor_err=244" },
  { "net.ib_transport_error", "mlx5 flush syndrome 0xf5: secondary; with status 5", "status decides; vendor code only refines",
    "@2.3-2.28.3", "vendor err 245", "@2.28.7-", "vendor_err=245" },
  { "net.ib_transport_error", "mlx5 flush syndrome 0xf9: secondary; as first error seen with ACS/BIOS trouble; with status 5", "status decides; vendor code only refines",
    "@2.3-2.28.3", "vendor err 249", "@2.28.7-", "vendor_err=249" },
  { "net.ib_transport_error", "mlx5 syndrome 0x51 seen with local protection errors; with status 4", "status decides; vendor code only refines",
    "@2.3-2.28.3", "vendor err 81", "@2.28.7-", "vendor_err=81" },
  -- net.no_interface
  { "net.no_interface", "NCCL_SOCKET_IFNAME (or NCCL_OOB_NET_IFNAME) matches no interface that is up on this host, or the host has no usable one", "ip addr of this host against NCCL_SOCKET_IFNAME (prefix match, ^ excludes, = exact)",
    "NET/Socket : no interface found", "@2.4.2-", "NET/Socket : No usable listening interface found", "@2.4.8-",
    "Bootstrap : no socket interface found", "@2.23.4", "no device found matching NCCL_OOB_NET_IFNAME=", "@2.24.3-", ", verify NCCL_OOB_NET_IFNAME",
    "no device found after excluding" },
  { "net.no_interface", "interface list not readable (container netlink restrictions)", "errno text rows",
    "@2.27.3-", "Call to getifaddrs failed" },
  { "net.no_interface", "IB plugin needs an IP interface for out-of-band and found none", "NCCL_SOCKET_IFNAME, interfaces up",
    "NET/IB : No IP interface found." },
  { "net.no_interface", "interface address is neither IPv4 nor IPv6, or NCCL_SOCKET_FAMILY does not fit", "NCCL_SOCKET_FAMILY",
    "Net : Unsupported address family type", "Net : unsupported IP family", "@2.10.3-2.15.5", "Net : connecting to address", "@2.16.2-",
    "ncclSocketInit: connecting to address" },
  -- net.peer_reset
  { "net.peer_reset", "recv failed", "errno text rows",
    "@2.3-2.3.7", "Call to recv failed" },
  { "net.peer_reset", "Socket transport thread failed, its earlier WARN says why", "preceding line of the process",
    "@2.4.8-", "NET/Socket : socket progress error" },
  { "net.peer_reset", "send or receive on a TCP socket of NCCL failed: reset by peer or broken pipe mean the other process ended; timed out means the network", "errno text; peer process",
    "@2.10.3-2.15.5", "Net : Call to recv from", "@2.16.2-2.23.4", "socketProgressOpt: Call to recv from", "@2.24.3-2.28.9",
    "socketProgressOpt: Call to", "@2.29.2-", "ncclOsSocketProgressOpt: Call to" },
  { "net.peer_reset", "the process at the other end closed or died; this rank only reports it. The name is resolved by reverse DNS", "find that host/rank: what stopped it first? OOM, crash, exception, kill",
    "@2.10.3-2.15.5", "Net : Connection closed by remote peer", "@2.16.2-", "socketProgress: Connection closed by remote peer" },
  { "net.peer_reset", "proxy connection to a local rank broke: that process died", "exit reason of that local rank",
    "@2.12.7-", "[Service thread] Could not receive type from localRank" },
  -- net.plugin
  { "net.plugin", "SHARP collective offload failed or not usable; NCCL continues without", "aggregation manager (sharp_am), sharpd on the hosts",
    "@2.18.1-", ") fails to share parent comms (nRanks" },
  { "net.plugin", "device-initiated networking or RMA plugin state", "only if the application needs GIN/RMA",
    "@2.28.3-2.30.4", ": failed to set the number of devices for netPlugin[",
    ": trying to access the number of devices of an uninitialized netPlugin[", "@2.29.7", "GIN plugin v11 does not support specifying queue depth",
    "@2.29.7-2.30.4", ": trying to access the number of devices of an uninitialized ginPlugin[",
    "GIN plugin v11 does not support multiple connections", "GIN plugin v11 does not support multiple contexts", "@2.30.3-",
    "GIN plugin does not support FLUSH", "GIN plugin does not support GET", "@2.30.3-2.30.4", "GIN plugin v12 does not support multiple connections",
    "GIN plugin v12 does not support multiple contexts", "@2.30.7-", ") requires GIN PROXY type, got netDeviceType",
    "GIN VA signals are required, but the GIN plugin does not support them.",
    "GIN strong signals are required, but the GIN plugin does not support them.", "failed to set the number of devices for netPlugin[",
    "returned invalid context for connection", "trying to access the number of devices of an uninitialized ginPlugin[",
    "trying to access the number of devices of an uninitialized netPlugin[",
    "trying to access the number of devices of an uninitialized rmaPlugin[" },
  { "net.plugin", "plugin C++ exception", "text",
    "Caught exception in plugin" },
  { "net.plugin", "plugin could not find its address in the handle list", "plugin bug",
    "Could not determine my rank" },
  { "net.plugin", "setup failed", "device",
    "Couldn't allocate endpoint", "Couldn't create domain", "Couldn't enable endpoint", "Couldn't open a fabric" },
  { "net.plugin", "device-initiated IB (GDAKI/DOCA) setup failed", "NIC firmware/driver support for GDAKI, NCCL_GIN_TYPE",
    "@2.28.7-", "Not enough space to get elements", "@2.28.7-2.28.9", "IB device ", "No network devices that support GDAKI found", "@2.30.3-",
    "DOCA Error ", "DOCA failure " },
  { "net.plugin", "libfabric too old", "image",
    "EFA provider requires at least libfabric version" },
  { "net.plugin", "NCCL_NET (or config netName) names a network that did not load or has no device: the process fails with invalid usage", "plugin library in LD_LIBRARY_PATH, name spelling: Socket, IB, AWS Libfabric ...",
    "@2.10.3-2.26.6", "Error: network" },
  { "net.plugin", "no network could be initialised: communicator init fails", "NET lines before it; NCCL_NET, NCCL_NET_PLUGIN",
    "@2.27.3-", "Failed to initialize any NET plugin" },
  { "net.plugin", "UCX based P2P plugin call failed", "UCX text",
    "Failed: " },
  { "net.plugin", "key pool empty", "OFI_NCCL_MR_KEY_SIZE",
    "MR key allocation failed" },
  { "net.plugin", "device side network plugin version does not fit this NCCL", "plugin and NCCL release",
    "@2.19.1-", "NCCL_DEVICE_UNPACK plugin has incompatible version", "Unknown device code index" },
  { "net.plugin", "offloaded operation failed", "same",
    "SHARP Allgather failed" },
  { "net.plugin", "offloaded operation failed: collective fails", "aggregation manager, switch",
    "SHARP allreduce failed" },
  { "net.plugin", "SHARP session could not be created; NCCL continues without CollNet", "sharp_am and sharpd, job id, fabric support",
    "SHARP coll init error" },
  { "net.plugin", "SHARP group resources refused", "quota in the aggregation manager",
    "SHARP group create" },
  { "net.plugin", "offloaded operation failed (also spelled reduce_scater)", "same",
    "SHARP reduce_scat" },
  { "net.plugin", "memory registration with SHARP failed", "memlock, GDR",
    "SHARP regmr failed" },
  { "net.plugin", "tuner plugin not found or unsupported; internal tuning is used", "only if a tuner plugin is expected",
    "@2.19.1-2.20.5", "Tuner plugin refcount is 0, yet tunerPluginLib ptr is NULL" },
  { "net.plugin", "neither RDMA nor SENDRECV protocol usable", "provider line above",
    "Unable to find a protocol that worked.  Failing initialization." },
  { "net.plugin", "plugin could not start; NCCL falls back to Socket", "libfabric provider, EFA devices in the container",
    "aws-ofi-nccl initialization failed" },
  { "net.plugin", "plugin reports an impossible maximum size", "plugin version",
    "@2.24.3-", "recvProxySetup: net plugin returned invalid value for maxP2pBytes",
    "sendProxySetup: collnet plugin returned invalid value for maxCollBytes", "sendProxySetup: net plugin returned invalid value for maxP2pBytes" },
  { "net.plugin", "capability query failed", "sharp library version",
    "sharp_coll_caps_query failed" },
  -- net.rdma_absent
  { "net.rdma_absent", "device node not accessible in the container", "errno text; ulimit -l; dmesg mlx5",
    "Call to ibv_open_device failed" },
  { "net.rdma_absent", "device query failed", "errno text; ulimit -l; dmesg mlx5",
    "Call to ibv_query_device failed" },
  { "net.rdma_absent", "libibverbs.so.1 not in the image: no RDMA", "container image lacks rdma-core",
    "Failed to open libibverbs.so[.1]" },
  { "net.rdma_absent", "libibverbs lists the HCA but cannot open it (device nodes not mapped into the container, permissions, driver state)", "/dev/infiniband/uverbsN in the container, cgroup device rules",
    "NET/IB : Unable to open device" },
  { "net.rdma_absent", "device query failed", "driver state, SR-IOV VF",
    "NET/IB : Unable to query device" },
  { "net.rdma_absent", "no libfabric provider (EFA device missing or filtered)", "/dev/infiniband/uverbs*, FI_PROVIDER",
    "No eligible providers were found" },
  -- net.wrong_interface
  { "net.wrong_interface", "one side uses an InfiniBand port, the other an Ethernet port, or both kinds are merged into one virtual NIC", "NCCL_IB_HCA so that only one link type is left on every host",
    "@2.20.3-2.23.4", "NET/IB : Can't merge net devices with different link_layer. i=", "@2.24.3-2.25.1",
    "NET/IB : Can't connect net devices with different link_layer. i=",
    "NET/IB : Trying to merge multiple devices together with different link_layer properties", "@2.26.2-",
    ". Try selecting NICs of only one link type using NCCL_IB_HCA" },
  { "net.wrong_interface", "no local interface shares the subnet of the root given by NCCL_COMM_ID", "NCCL_SOCKET_IFNAME, routing",
    "@2.3-2.26.6", "Net : No interface found in the same subnet as remote address" },
  -- pcie.p2p_blocked
  { "pcie.p2p_blocked", "CUDA error 217: P2P between the GPUs not possible", "topo -p2p, ACS, IOMMU",
    "'peer access is not supported between these two devices" },
  { "pcie.p2p_blocked", "CUDA error 711: hardware limit of peer mappings (8 per GPU without NVSwitch)", "number of GPUs, NCCL_P2P_LEVEL",
    "'peer mapping resources exhausted" },
  { "pcie.p2p_blocked", "GPUs share NVLink but CUDA says P2P is off: link or fabric fault", "nvidia-smi nvlink -s, fabric manager, Xid 74",
    "@2.12.7-",
    ". This should not be the case given their connectivity, and is probably due to a hardware issue. If you still want to proceed, you can set NCCL_IGNORE_DISABLED_P2P=1." },
  { "pcie.p2p_blocked", "IOMMU not in passthrough mode: slow or unstable P2P", "kernel command line",
    "Missing \"iommu=pt\" from kernel command line" },
  { "pcie.p2p_blocked", "HIP could not share memory between processes: P2P through IPC is not possible here", "IOMMU mode, container --ipc and device access, ROCm version",
    "hipIpcGetMemHandle failed", "hipIpcOpenMemHandle failed" },
  { "pcie.p2p_blocked", "legacy CUDA IPC not possible (allocator with expandable segments, container without ipc, driver)", "IPC namespace, PYTORCH_CUDA_ALLOC_CONF, NCCL_CUMEM_ENABLE",
    "@2.12.7-", "cudaIpcGetMemHandle failed :" },
  { "pcie.p2p_blocked", "cudaDeviceEnablePeerAccess failed", "IOMMU/ACS, number of peers over 8, MIG, driver",
    "@2.3-2.3.7,2.5.6-", "failed to peer with device" },
  -- topo.drift
  { "topo.drift", "topology of the node could not be built or searched: a GPU or NIC expected by the graph is missing, or the topology file is wrong", "NCCL_TOPO_DUMP_FILE; number of GPUs/NICs against other hosts",
    "does not contain rank", "does not loop back to start (", "@2.5.6-", "Error : could not find CPU close to GPU", "@2.6.4-",
    "GetXmlFromCpu : could not find CPU numa ID.", "@2.8.4-", "Error : tried to create too many nodes of type", "Internal error : tree already has",
    "@2.8.4-2.30.4", "Add NVLink error : could not find GPU", "@2.12.7-2.20.5", "but that NIC is not available for rank", "@2.18.1-",
    "No path computed to go from", "@2.18.1-2.18.3", "yet have different netMasks of", "@2.21.5-", "Error : too many Topo links (max", "@2.21.5",
    "TopoFuseXmls : could not find CPU numa ID.", "@2.22.3-", "Add PCI Link error : could not find PCI SW", "P2p schedule creation has bugs.",
    "@2.24.3-", "TOPO/NET : Tried to merge too many NICs.", "which has too many devices (", "@2.25.1-",
    "Error : ran out of room to store found nodes in ncclTopoGetLocal. Filled", "@2.30.3-", "Add NVLink error : could not find DEV for GPU",
    "@2.30.7-", ", cannot encode MLOPart partition index without collision", "Add C2c error : could not find DEV for GPU",
    "Fusing NET devices from different NUMA domains is not supported.", "getXmlFromCpu: Unknown CPU architecture",
    "ncclTopoFillNet: parent is NULL even after fallback for", "ncclTopoGetDevNodes : too many DEV nodes for busId", "out of range (max" },
  { "topo.drift", "XGMI peer not visible", "visible devices",
    "Add XGMI error : could not find GPU" },
  { "topo.drift", "topology graph search missed a GPU or NIC that the plan needs", "NCCL_TOPO_DUMP_FILE, number of GPUs and NICs against other hosts, NCCL_TOPO_FILE",
    "@2.5.6-", "Could not find id", "@2.6.4-", "Failed to find reverse path from remNode", "@2.8.4-", "Could not find gpu rank",
    "Could not find net id", "Could not find node of type", "Could not find rev link for", "@2.12.7-",
    "Could not find intermediate GPU between GPU rank", "@2.12.7-2.19.1", "Could not find local GPU with rank", "@2.21.5-",
    "Could not find NET with id", "@2.25.1-", "Could not find any local path from gpu" },
  { "topo.drift", "no ring/tree layout found for that pattern, a simple rank order is used: bandwidth will be low", "missing NVLink or NIC, topology file",
    "Could not find a path for pattern" },
  { "topo.drift", "number of NICs seen differs between ranks (min/max)", "host with fewer NICs: cable, driver, NCCL_IB_HCA; NCCL_IGNORE_NET_MISMATCH",
    "@2.30.3-", "Detected mixed local CollNet device counts across ranks (min", "Detected mixed local Net device counts across ranks (min" },
  { "topo.drift", "NIC/GPU topology could not be built", "hwloc, sysfs in the container",
    "Failed to create NCCL OFI topology" },
  { "topo.drift", "NIC grouping failed", "OFI_NCCL_TOPO*, NIC count",
    "Topology reported unexpected number of devices" },
  { "topo.drift", "peer has another number of NIC rails: instance types or NIC count differ", "NICs on both hosts",
    "Unexpected number of remote rails" },
  { "topo.drift", "local merged NIC has another number of ports than the remote one: hosts are wired or configured differently", "ports down on one host, NCCL_IB_HCA differing per host",
    "@2.20.3-2.23.4", "has a different number of devices=" },
  { "topo.drift", "rank to GPU map of the topology is inconsistent", "number of ranks and GPUs on that host, NCCL_HOSTID",
    "@2.27.3-", "ncclTopoRankToIndex could not find rank", "@2.27.5-", "not found in the list of system hostHashes", "@2.30.3-",
    "ncclTopoDevToRank could not find rank for nvml dev", "@2.30.3-2.30.4", "ncclCheckMultiRank exceeded number of local ranks" },
  -- unknown
  { "unknown", "CUDA error 304: a system call of the driver failed: IMEX channel/fabric handle permission, memory registration, missing capability in the container", "/dev/nvidia-caps-imex-channels, seccomp, memlock; errno in dmesg",
    "'OS call failed or operation not supported on this OS" },
  { "unknown", "CUDA error 201: context destroyed or wrong thread", "application teardown order",
    "'invalid device context" },
  { "unknown", "CUDA error 801: feature missing on this device or VM (multicast, cuMem export, IPC)", "NCCL_CUMEM_ENABLE, NCCL_NVLS_ENABLE, virtualisation",
    "'operation not supported" },
  { "unknown", "CUDA error 712: host range registered twice", "other library registering the same memory",
    "'part or all of the requested memory range is already mapped" },
  { "unknown", "CUDA error 713: unregister of unknown memory", "teardown order",
    "'pointer does not correspond to a registered memory region" },
  { "unknown", "CUDA error 720: launch does not fit", "build",
    "'too many blocks in cooperative launch" },
  { "unknown", "CUDA error 701: launch configuration does not fit", "build",
    "'too many resources requested for launch" },
  { "unknown", "CUDA error 999: no detail, often after a GPU fault", "dmesg NVRM/Xid",
    "'unknown error" },
  { "unknown", "internal or API argument check", "application or NCCL bug",
    "@2.5.6-", "Unknown pattern for collective", "@2.8.4-2.19.4,2.22.3-", "Unknown pattern", "@2.19.1-2.19.4", "Invalid arguments comm",
    "Invalid handle", "@2.19.1-2.23.4", "Invalid regBufType", "@2.27.3-2.27.7", "is not power of 2", "@2.29.2-", "(must be 0 < keySize <=",
    "Intrusive address map pointer is NULL", "Intrusive address map resize failed: malloc(", "Object pointer is NULL",
    "Output object pointer is NULL", "is invalid (must be 0)", "@2.29.7-", "getRandomData: buffer is NULL",
    "getRandomData: std::random_device failed:" },
  { "unknown", "NVML reports more GPUs than NCCL supports", "number of GPUs/MIG",
    "@2.12.7-", ") than the internal maximum (ncclNvmlMaxDevices=" },
  { "unknown", "suspend/resume of communicator memory failed or not possible", "application use of ncclCommSuspend/ncclCommResume; CUDA error before it",
    "@2.29.7-", "- not found in tracked entries. Only dynamic memory (scratch/offload) needs export tracking for suspend/resume.",
    "- this is an imported buffer, not a local one", "MemManager: AllGather counts failed", "MemManager: Already suspended",
    "MemManager: Barrier failed during resume", "MemManager: Cannot mark export for ptr=", "MemManager: Cannot re-import peer buffer from rank",
    "MemManager: Cannot track allocation ptr=", "MemManager: Cannot untrack allocation ptr=",
    "MemManager: Could not find matching handle info for ptr=", "MemManager: FABRIC handle not valid for entry ptr=",
    "MemManager: Failed to allocate CPU backup for offload", "MemManager: Failed to allocate allCounts",
    "MemManager: Failed to allocate memory entry", "MemManager: Failed to copy to CPU backup:", "MemManager: Failed to get FD from rank",
    "MemManager: Failed to grow exportedPeerRanks array for ptr=", "MemManager: Failed to restore from CPU backup:",
    "MemManager: Final barrier failed during resume", "MemManager: MemStats not supported, memory manager is disabled",
    "MemManager: Not in suspended state", "MemManager: Resume failed, memory manager is disabled",
    "MemManager: Resume not supported, memory manager is disabled", "MemManager: Suspend failed, memory manager is disabled",
    "MemManager: Suspend not supported, memory manager is disabled", "MemManager: Unknown handle type",
    "MemManager: cuMemExportToShareableHandle (FABRIC) failed for ptr=", "MemManager: cuMemImportFromShareableHandle failed for ptr=",
    "MemManager: ncclCuMemMapAndSetAccess failed for re-imported ptr=", "Memory resume not supported with split_share communicators (refCount=",
    "Memory suspend not supported with split_share communicators (refCount=", "already exported to peer rank",
    "failed - handle exchange incomplete" },
  { "unknown", "proxy thread internal error or failed system call", "errno text; WARN just before; process limits",
    "@2.8.4-2.11.4", "Active list loop at element", "Free list loop at element", "has been lost", "@2.9.6-", "Proxy append mismatch", "@2.9.6-2.11.4",
    "Proxy append out of bound", "@2.12.7-", "Inactive op has next set!", "List loop at element", "Proxy append on running operation",
    "Proxy append out of bounds", "Unable to post incomplete proxy op chain", "[Proxy Service] proxyDestroy failed",
    "[Service thread] Unknown command", "[Service thread] shm close failed", "@2.12.7-2.14.3", "[Proxy Service] Poll failed with error",
    "@2.12.7-2.15.5", "[Service thread] shm unlink failed", "@2.12.7-2.21.5", "P2p operation is neither send or recv", "@2.15.1-",
    "[Proxy Service] Poll failed:", "@2.16.2-", "[Service thread] proxy ops shm unlink failed", "@2.16.2-2.29.7",
    "[Proxy Service] Get listenSock fd fails", "[Service thread] Get peers[", "[Service thread] Initialize peers[", "@2.17.1-",
    "Attempting to dequeue nonexistent async opId=", "Attempting to dequeue null operation", "Couldn't find opId=",
    "Mismatched response size for opId=", "Socket recv failed while polling for opId=", "Storing response for already completed opId=",
    "doesn't match any expected response", "@2.30.3-", "[Proxy Service] WSAPoll failed: error=" },
  { "unknown", "topology search failure", "topology dump",
    "@2.18.1-", "Could not find NIC for rank" },
  { "unknown", "proxy thread bookkeeping error", "NCCL bug or consequence of an abort",
    "@2.12.7-", "Could not find pool of op" },
  { "unknown", "a CUDA call of NCCL failed; the text decides (see the CUDA rows). Errors of earlier kernels of the application surface here too (sticky)", "CUDA text; Xid in dmesg at the same time; first failing rank",
    "Cuda failure ", "Cuda failure '" },
  { "unknown", "internal connection state error", "NCCL bug or retry after failure",
    "@2.12.7-", "Error: trying to connect already connected sendComm", "Listencomm in unknown state" },
  { "unknown", "Windows only", false,
    "@2.29.2-", "Failed to allocate memory for adapter addresses" },
  { "unknown", "helper thread could not set its CUDA device/context, GPU in a bad state or out of memory", "CUDA error text just before; Xid",
    "@2.12.7-", "[Proxy Service] Failed to set CUDA device", "@2.13.4-", "[Proxy Progress] Failed to set CUDA device", "@2.13.4-2.17.1",
    "[Proxy Progress] Failed to set CUDA context on device", "[Proxy Service] Failed to set CUDA context on device", "@2.13.4-2.29.7",
    "Failed to create CUDA context on device", "Failed to set CUDA context on device",
    "Unable to create thread context due to old driver, disabling.", "@2.20.3-", "[Proxy Service UDS] Failed to set CUDA device" },
  { "unknown", "host side of a launch failed; text is an ncclResult string", "WARN just before",
    "@2.9.6-2.12.12", "Failure in host setup :", "@2.13.4-", "hostStreamPlanCallback() failed :" },
  { "unknown", "HIP call failed; same texts as CUDA where shared (out of memory -> gpu.device_oom)", "amdgpu in dmesg",
    "HIP failure" },
  { "unknown", "internal argument check in the SHM transport", "NCCL bug",
    "@2.23.4-", "Invalid argument comm", "Invalid argument desc" },
  { "unknown", "internal planning error", "NCCL bug; sizes of send/recv",
    "@2.11.4-2.12.12", "Invalid intra-node rank", "@2.12.7-2.12.12", "Sendrecv schedule not aligned for self", "@2.13.4-2.21.5",
    "Sendrecv plan not aligned for self" },
  { "unknown", "request table of the transport exhausted", "NCCL bug or leaked requests after an error",
    "NET/IB : unable to allocate requests", "@2.4.8-", "NET/Socket : unable to allocate requests", "NET/Socket : unable to allocate subtasks" },
  { "unknown", "memory region not in the registration cache", "plugin/NCCL bug",
    "@2.12.7-", "NET/IB: could not find mr" },
  { "unknown", "internal IB transport state error", "earlier error on the same comm; else NCCL bug",
    "@2.17.1-2.19.4", "NET/IB: ncclIbIrecv() called when comm->ready == 0", "NET/IB: ncclIbIsend() called when comm->ready == 0", "@2.20.3-",
    "NET/IB: ncclIbIrecv() called when comm->base.ready == 0", "NET/IB: ncclIbIsend() called when comm->base.ready == 0", "NET/IB: sendReq(",
    "@2.20.3-2.29.3", "NET/IB: wc->opcode == IBV_WC_RECV_RDMA_WITH_IMM and req->type=" },
  { "unknown", "internal", "NCCL bug",
    "@2.12.7-", "PXN should not use host buffers for data" },
  { "unknown", "HSA runtime call failed", "amdgpu in dmesg",
    "ROCr failure '" },
  { "unknown", "bootstrap closed with messages nobody read: ranks left init at different points", "other rank's error",
    "@2.8.4-", "Unexpected connections are not empty" },
  { "unknown", "newer RCCL prints fatal errors at an extra level that is on by default; no NCCL word in the line", "HIP text, amdgpu lines in dmesg",
    "[FATAL ERROR]: " },
  { "unknown", "memory helper thread of old NCCL failed", "CUDA error on that rank",
    "@2.8.3-2.11.4", "[Rem Allocator] Allocation failed (segment", "[Rem Allocator] Poll failed with error", "[Rem Allocator] cudaFree",
    "[Rem Allocator] cudaIpcGetMemHandle failed :", "@2.8.4-2.11.4", "[Rem Allocator] Failed to set CUDA device" },
  { "unknown", "closing a descriptor failed", false,
    "@2.30.7-", "close failed: " },
  { "unknown", "kernel needs more shared memory than the device gives", "GPU type, carve-out",
    "exceeds device/fn maxSharedMem" },
  { "unknown", "no connector for that peer and channel: channel count differs between ranks", "NCCL_MIN/MAX_NCHANNELS and other env equal on all ranks (comm.env_mismatch)",
    "@2.9.6-", "has no transport for" },
  { "unknown", "internal IPC index check", "NCCL bug",
    "@2.30.7-", "invalid IPC peerIndex", "invalid IPC peerRank" },
  { "unknown", "socket object missing, internal, usually after an earlier failure in the same process", "first WARN of this process",
    "@2.16.2-", "ncclSocketAccept: pass NULL socket", "ncclSocketConnect: pass NULL socket", "ncclSocketGetAddr: pass NULL socket",
    "ncclSocketGetFd: pass NULL socket", "ncclSocketListen: pass NULL socket", "ncclSocketPollConnect: pass NULL socket",
    "ncclSocketProgress: pass NULL socket", "ncclSocketRecv: pass NULL socket", "ncclSocketSend: pass NULL socket",
    "ncclSocketTryRecv: pass NULL socket", "ncclSocketWait: pass NULL socket", "@2.29.2-", "ncclIpcSocketGetFd: pass NULL socket",
    "ncclSocketSetFd: pass NULL socket" },
  { "unknown", "socket used in a wrong internal state, usually after an earlier failure in the same process", "first WARN of this process",
    "@2.16.2-", "ncclSocketAccept: wrong socket state", "ncclSocketConnect: wrong socket state", "ncclSocketReady: unexpected socket state",
    "ncclSocketRecv: socket state (", "ncclSocketSend: socket state (", "@2.16.2-2.28.9", "ncclSocketConnect: file descriptor is -1",
    "ncclSocketListen: file descriptor is -1", "@2.21.5-", "ncclSocketSendRecv: invalid socket", "ncclSocketSendRecv: socket state (", "@2.28.7-",
    "ncclSocketMultiOp: invalid arguments ops=", "ncclSocketMultiOp: invalid socket at index", "@2.29.2-", "ncclOsSocketSetFlags: invalid socket",
    "ncclSocketConnect: socket is invalid", "ncclSocketListen: socket is invalid" },
  { "unknown", "internal index check while connecting to a local proxy", "NCCL bug",
    "@2.30.7-", "ncclProxyConnect: peerIndex", "ncclProxyConnect: proxyRank", "ncclProxyConnect: tpRank" },
  { "unknown", "too many grouped receives for the immediate field", "NCCL bug",
    "@2.13.4-2.19.4", "requests in a 32-bits field" },
  { "unknown", "CUDA graph bookkeeping error", "application graph use",
    "@2.15.5-2.25.1", "was not at head of strong stream's internal list." },
  -- says nothing by itself: a consequence, an optional part, or context
  { false, "the proxy thread ends: consequence of the warning before it", "the warning before it",
    "[Proxy thread error]" },
  { false, "CUDA error 709: consequence of teardown", "who ended first",
    "'context is destroyed" },
  { false, "CUDA error 4: process is exiting while NCCL still runs: consequence", "what ended the process",
    "'driver shutting down" },
  { false, "CUDA error 704: benign double enable", false,
    "'peer access is already enabled" },
  { false, "a consequence: reports that an asynchronous job or teardown ended with the given result", "first WARN of the process",
    "@2.8.4-2.22.3", "Error waiting for pthread_join :", "@2.14.3-", "failed in destroy/abort, error", "ncclAsyncJobComplete: job",
    "ncclCommSetAsyncError: error comm", "@2.14.3-2.21.5", "commReclaim: comm", "@2.16.2-", ") destroys proxy resource error", "@2.22.3-",
    ") in commDestroySync, error", "@2.23.4-", "Legacy IPC cleanup callback failed comm", "commDestroySync: comm", "sync deviceStream error",
    "@2.23.4-2.28.9", "Error waiting for pthread_join:", "@2.29.2-", "Thread join failed:", "asyncJobLaunch: failed to join thread for job" },
  { false, "CollNet (SHARP) not used or failed to set up; falls back to the normal network", "SHARP plugin and aggregation manager; comm.slow if expected",
    "- COLLNET failed to register userbuff", "@2.6.4-2.11.4", "CollNet does not support LL128", "@2.9.6-",
    "Cannot initialize CollNet, using point-to-point network instead", "@2.9.6-2.11.4", "CollNet currently only supports up to 8 GPUs per node",
    "@2.12.7-2.13.4", "CollNet does not support LL/LL128", "@2.12.7-2.22.3", "CollNet currently only supports up to", "@2.20.3-2.21.5",
    "Unknown collnet pattern", "@2.24.3-", "deregister COLLNET buffer handle" },
  { false, "ibv event 15: not used by NCCL", false,
    ": SRQ limit reached" },
  { false, "ibv event 4: first packet before RTS, harmless", false,
    ": communication established" },
  { false, "ibv event 16: QP shutdown", false,
    ": last WQE reached" },
  { false, "ibv event 5: harmless", false,
    ": send queue drained" },
  { false, "OFI_NCCL_ABORT_ON_ERROR stops the process: consequence", "first OFI WARN",
    "Aborting due to call failure with return" },
  { false, "confidential computing is on without multi-GPU protection", "informational",
    "@2.22.3-2.23.4", "CC On, Multi-GPU CC Off (No inter-GPU communication protection)" },
  { false, "system call failed, rarely a root cause", "errno text rows",
    "Call to getrlimit failed", "Call to getsockname failed", "Call to setrlimit failed", "Call to setsockopt failed", "@2.4.2-2.9.9",
    "Call to sched_setaffinity failed", "@2.4.2-2.28.9", "Call to sched_getaffinity failed", "@2.5.6-", "Call to stat failed", "@2.12.7-",
    "Call to fcntl failed", "Call to getsockopt failed", "@2.19.1-", "Call to pthread_attr_destroy failed", "Call to pthread_attr_init failed",
    "@2.19.1-2.19.3", "Call to pthread_attr_setdetachstate failed", "@2.24.3-", "Call to dup2 failed", "@2.24.3-2.29.3",
    "Call to clock_gettime failed", "@2.27.3-", "Call to setsockopt SO_RCVBUF failed", "Call to setsockopt SO_SNDBUF failed",
    "Call to setsockopt TCP NODELAY failed", "Call to shutdown failed", "@2.28.3-", "Call to pthread_attr_getstacksize failed",
    "Call to pthread_attr_setstacksize failed", "Call to pthread_setattr_default_np failed" },
  { false, "close failed", "errno text rows",
    "Call to close failed" },
  { false, "fork support not available", "errno text; ulimit -l; dmesg mlx5",
    "Call to ibv_fork_init failed" },
  { false, "event thread could not read the event (device closing)", "errno text; ulimit -l; dmesg mlx5",
    "Call to ibv_get_async_event failed" },
  { false, "poll failed", "errno text rows",
    "@2.12.7-2.16.2", "Call to poll failed" },
  { false, "thread detach failed", "errno text rows",
    "@2.23.4-2.28.9", "Call to pthread_detach failed" },
  { false, "thread join failed", "errno text rows",
    "@2.14.3-2.28.9", "Call to pthread_join failed" },
  { false, "read failed", "errno text rows",
    "Call to read failed" },
  { false, "clean-up of a segment failed", "errno text rows",
    "@2.3-2.11.4", "Call to shm_unlink failed", "@2.12.7-2.15.5", "Call to unlink failed" },
  { false, "write failed", "errno text rows",
    "Call to write failed" },
  { false, "CollNet not usable, setting ignored", "SHARP plugin",
    "@2.8.3-2.19.4", "CollNet is not supported or fails to initialize, ignoring NCCL_ALGO=COLLNET" },
  { false, "sysfs path of a NIC or GPU bus could not be resolved; the all-f bus id is printed for an unknown remote and is harmless", false,
    "Could not find real path of" },
  { false, "gdrcopy call failed or library missing; only matters with NCCL_GDRCOPY_ENABLE", "gdrdrv module, libgdrapi version",
    "@2.9.6-", "Failed to open libgdrapi", "gdr_close() failed:", "gdr_copy_from_mapping(handle", "gdr_copy_to_mapping(handle", "gdr_get_info(handle",
    "gdr_map(handle", "gdr_pin_buffer(addr", "gdr_unmap(handle", "gdr_unpin_buffer(handle", "@2.30.3-",
    "gdr_pin_buffer_v2 not available; GDRCopy >= 2.5 required", "gdr_pin_buffer_v2(addr" },
  { false, "gdrcopy not usable; only matters with NCCL_GDRCOPY_ENABLE", "gdrdrv module, libgdrapi version",
    "@2.9.6-", "GDRCOPY failure", "GDRCOPY lib wrapper not initialized." },
  { false, "profiler plugin state; does not affect the job", false,
    "@2.23.4-2.27.7", "Profiler init failed with error (", "@2.28.3-2.29.2", "Inspector Init Failed",
    "Inspector: Failed to allocate memory for collective info structure", "NCCL Inspector unnatural return: inspectorPluginRecordEventState",
    "NCCL Inspector unnatural return: inspectorPluginStopEvent:ncclProfileKernelCh" },
  { false, "RAS internal note", false,
    "@2.24.3-", "Invalid client status", "RAS received unknown message type (", "RAS received unknown notification type", "@2.24.3-2.25.1",
    "fatal error - RAS thread terminating" },
  { false, "MSCCL algorithm files missing", "install",
    "MSCCL Internal Scheduler:" },
  { false, "MSCCL++ not available", false,
    "MSCCL++:" },
  { false, "optional mlx5 direct verbs symbol or feature missing; harmless in most images", "only if Data Direct is required",
    "dlvsym failed on", "@2.28.3-", "NET/IB: Error in mlx5dv_get_data_direct_sysfs_path with device", "NET/MLX5: Call to",
    "NET/MLX5: lib wrapper not initialized." },
  { false, "plugin loaded", "version against NCCL and libfabric",
    "NET/OFI Initializing aws-ofi-nccl" },
  { false, "flush method not supported on this CPU", "informational",
    "@2.9.6-2.30.4", "NET: GDR Flush only supported on x86_64" },
  { false, "user buffer registration failed; NCCL falls back to copies", "memory limits if it comes with ENOMEM (host.memlock_limit)",
    "failed to IPC register userbuff", "failed to NET register userbuff", "failed to NVLS register sendbuff", "@2.12.7-2.12.12",
    "Unable to register user buffers", "@2.24.3-", "Net registration invalid algorithm", "deregister IPC buffer", "deregister NET buffer handle",
    "deregister NVLS buffer" },
  { false, "NVLink detection skipped for a device without NVML handle", "only expected in virtual machines or containers without the utility capability",
    "No NVML device handle. Skipping nvlink detection." },
  { false, "parameter registry note", false,
    "@2.30.3-", "PARAM: Duplicate registration for key", "@2.30.7-", "PARAM: Duplicate option name" },
  { false, "relaxed ordering not available", false,
    "PCI relaxed order memory access requested but not supported" },
  { false, "old sharp library: these types are not offloaded", "library version",
    "SHARP int8,uint8,bfloat16 Datatypes not supported" },
  { false, "CPU affinity could not be set or is empty (cgroup cpuset)", "comm.slow: cpuset of the container against GPU NUMA node",
    "@2.6.4-2.22.3", "Set CPU affinity : unable to find GPU/CPU for rank", "@2.29.2-", "sched_getaffinity failed with error:",
    "sched_setaffinity failed with error:" },
  { false, "clean-up of the segment failed; ENOENT when systemd RemoveIPC or a cleaner removed it", "rarely a cause",
    "unlink shared memory", "@2.3-2.15.5", "munmap of shared memory failed", "@2.16.2-", "munmap of shared memory", "@2.16.2-2.17.1",
    "attaching memory should only reduce refcount by 1 but" },
  { false, "NVML call refused in a container", "rarely a cause",
    "@2.12.7-", "failed: Insufficient Permissions" },
  { false, "call not supported by this GPU or VM, harmless", false,
    "@2.12.7-", "failed: Not Supported" },
  { false, "communicator is being aborted, consequence", "who aborted first",
    "@2.17.1-", "is in abort state" },
  { false, "library or symbol missing; mostly optional", "only if the feature is required",
    "@2.30.3-", "ncclOsDlsym failed on" },
  { false, "compute capability failed; WARN when it is fatal, INFO when optional", "error text rows (GPU is lost, version mismatch)",
    "@2.12.7-", "nvmlDeviceGetCudaComputeCapability" },
  { false, "PCIe link query failed; WARN when it is fatal, INFO when optional", "error text rows (GPU is lost, version mismatch)",
    "@2.12.7-", "nvmlDeviceGetCurrPcieLink", "nvmlDeviceGetPcieLinkMaxSpeed" },
  { false, "field query failed; WARN when it is fatal, INFO when optional", "error text rows (GPU is lost, version mismatch)",
    "@2.12.7-", "nvmlDeviceGetFieldValues" },
  { false, "fabric (MNNVL) info query failed; WARN when it is fatal, INFO when optional", "error text rows (GPU is lost, version mismatch)",
    "@2.12.7-", "nvmlDeviceGetGpuFabricInfo" },
  { false, "NVLink capability query failed; WARN when it is fatal, INFO when optional", "error text rows (GPU is lost, version mismatch)",
    "@2.12.7-", "nvmlDeviceGetNvLinkCapability" },
  { false, "NVLink remote query failed; WARN when it is fatal, INFO when optional", "error text rows (GPU is lost, version mismatch)",
    "@2.12.7-", "nvmlDeviceGetNvLinkRemotePciInfo" },
  { false, "NVLink state query failed; WARN when it is fatal, INFO when optional", "error text rows (GPU is lost, version mismatch)",
    "@2.12.7-", "nvmlDeviceGetNvLinkState" },
  { false, "P2P status query failed; WARN when it is fatal, INFO when optional", "error text rows (GPU is lost, version mismatch)",
    "@2.12.7-", "nvmlDeviceGetP2PStatus" },
  { false, "PCI info query failed; WARN when it is fatal, INFO when optional", "error text rows (GPU is lost, version mismatch)",
    "@2.12.7-", "nvmlDeviceGetPciInfo" },
  { false, "platform info query failed; WARN when it is fatal, INFO when optional", "error text rows (GPU is lost, version mismatch)",
    "@2.12.7-", "nvmlDeviceGetPlatformInfo" },
  { false, "confidential computing query failed; WARN when it is fatal, INFO when optional", "error text rows (GPU is lost, version mismatch)",
    "@2.12.7-", "nvmlSystemGetConfCompute" },
  { false, "profiler hook failed, harmless", false,
    "rocprofiler-register failed" },
  { false, "ibv status 0 (success): no error", false,
    "@2.28.7-", "status=IBV_WC_SUCCESS(0)" },
}

-- The same for lines at INFO: NCCL went on, so they are side notes.
local REMARKS = {
  { "host.shm_exhausted", "cuMem host memory refused (container without NUMA/SYS_NICE), falls back to /dev/shm", false,
    "cuMem host allocations do not appear to be working; falling back to a /dev/shm/ based implementation. This could be due to the container runtime disabling NUMA support. To disable this warning, set NCCL_CUMEM_HOST_ENABLE=0" },
  { "host.shm_exhausted", "fallocate of the segment in /dev/shm failed: no space left", false,
    "fallocate: Failed to extend" },
  { "host.shm_exhausted", "file in /dev/shm could not be created (full, read only, fd limit)", false,
    "mkstemp: Failed to create" },
  { "gpu.fabric_not_ready", "binding multicast (NVLS) memory failed: fabric manager or NVSwitch state, exhausted multicast resources", false,
    "Failed to bind NVLink SHARP (NVLS) Multicast memory of size",
    "Failed to multicast-bind user buffer: CUDA error" },
  { "pcie.p2p_blocked", "CUDA says P2P off between PCIe connected GPUs; NCCL uses SHM or NET", false,
    ". You can repress this message with NCCL_IGNORE_DISABLED_P2P=1." },
  { "pcie.p2p_blocked", "peer access between the two GPUs not possible", false,
    "Could not enable P2P between dev",
    "P2P not supported between GPU",
    "peer query failed between dev" },
  { "pcie.p2p_blocked", "CUDA IPC unavailable", false,
    "Legacy IPC not supported" },
  { "topo.drift", "ranks run on different CPU vendors or architectures", false,
    "CPUs with mixed architecture were detected.",
    "CPUs with mixed vendors were detected." },
  { "topo.drift", "no ring/tree layout found for that pattern, a simple rank order is used: bandwidth will be low", false,
    "Could not find a path for pattern" },
  { "topo.drift", "number of NICs seen differs between ranks (min/max)", false,
    "Detected mixed local CollNet device counts across ranks (min",
    "Detected mixed local Net device counts across ranks (min" },
  { "topo.drift", "rail n of one host is connected to another rail of the peer (NCCL_IB_WARN_RAIL_LOCAL)", false,
    "NET/IB : There are mismatched physical devices between local (" },
  { "topo.drift", "topology of the node could not be built or searched: a GPU or NIC expected by the graph is missing, or the topology file is wrong", false,
    "ncclTopoGetXmlFromSys: could not get PCI parent for" },
  { "net.no_interface", "interface address is neither IPv4 nor IPv6, or NCCL_SOCKET_FAMILY does not fit", false,
    "Net : Unsupported address family type" },
  { "net.bootstrap_unreachable", "something else connected to an NCCL port (port scanner, health check, other job, other NCCL build) or a stale peer", false,
    "-- peer connected to wrong NCCL socket), discarding peer connection",
    ": socket magic mismatch (peer 0x",
    "closed before magic handshake, discarding",
    "socketFinalizeAccept: handshake receive from" },
  { "net.bootstrap_unreachable", "accept on a listening socket failed; Too many open files means fd limit", false,
    "[Service thread] Accept failed " },
  { "net.ib_link_down", "port recovery handshake over the restored link timed out", false,
    ": ACK message timeout for device",
    ": Alive message sequence timeout for device" },
  { "net.ib_link_down", "the NIC came back: a flap, not a lasting fault", false,
    ": Marking device",
    ": Port recovery succeeded for devIndex=",
    "has been recovered for resiliency context (" },
  { "net.ib_link_down", "port recovery failed, NIC stays out", false,
    ": Port recovery attempt #",
    ": Port recovery failed for",
    ": Recovery for device",
    "as permanently failed (",
    "failed due to max attempts reached (",
    "will not be attempted to be recovered any more (" },
  { "net.ib_transport_error", "internal state check of the IB failover code", false,
    ": Attempting to initiate a replay protocol but the failed request was already handled (req=" },
  { "net.ib_transport_error", "step of port recovery failed", false,
    ": Failed to drain CQ and post recv WRs for device",
    ": Failed to init Flush QP on device",
    ": Failed to init QP index",
    ": Failed to initialize recovery context for device",
    ": Failed to modify to RTR Flush QP on device",
    ": Failed to modify to RTR QP index",
    ": Failed to modify to RTS Flush QP on device",
    ": Failed to modify to RTS QP index",
    ": Failed to poll CQ for device",
    ": Failed to poll recovery CQ",
    ": Failed to post ACK message for device",
    ": Failed to post ack for device",
    ": Failed to post ack message on device",
    ": Failed to post alive messages batch for device",
    ": Failed to post recv WQEs on QP index",
    ": Failed to post recv WR on recovery QP",
    ": Failed to reset Flush QP on device",
    ": Failed to reset QP index",
    ": Failed to set ECE for QP index",
    ": Failed to transition QPs to ERROR state for device",
    ": Receiver failed to post recv WR on data QP for device",
    ": Receiver failed to post recv WR on recovery QP for device",
    ": Receiver failed to restore QPs on device",
    ": Sender failed to post alive messages batch on device",
    ": Sender failed to post recv WR on recovery QP for device",
    ": Sender failed to restore QPs on device",
    ": Work completion error on recovery CQ" },
  { "net.ib_transport_error", "resiliency layer saw a failed completion; it may recover", false,
    ": Got completion with error (devIndex=" },
  { "net.ib_transport_error", "failover progress after a NIC error, shows traffic was moved", false,
    ": Ignoring error on flush request (req=",
    ": Ignoring flush error on a QP (comm=",
    ": Missing data from QP index",
    ": Removing recovery context for device",
    ": Retransmitting reqIndex=",
    ": Skipping retransmission on QP index",
    ": The error is not fatal. Trying to continue..." },
  { "net.ib_transport_error", "internal bookkeeping of IB requests does not match the completion", false,
    ": Receiver got a completion for a CTS but retrieved an 'unused' request (req=",
    ": Receiver got a completion for a data transfer but retrieved an 'unused' request (req=" },
  { "net.ib_transport_error", "a verbs call failed, <name> is the verbs function (see the ibv_ rows)", false,
    "skipped, internal_name doesn't exist" },
  { "net.peer_reset", "RAS considers a process dead: no answer for 60 s (times NCCL_RAS_TIMEOUT_FACTOR); it exited, is stopped, or the network is cut", false,
    "RAS already knew it was dead",
    "RAS connection from peer",
    "RAS dead peer",
    "RAS handling deadPeer (addr" },
  { "net.peer_reset", "RAS control connection has had no answer: process stopped, host overloaded, network trouble", false,
    "RAS keep-alive timeout error (",
    "RAS send stuck timeout error (",
    "RAS termination stuck timeout error (" },
  { "net.gdr_disabled", "DMA-BUF registration of GPU memory not possible, falls back or refuses", false,
    ") not registered as DMABuf is not available. Non-DMABuf registration currently does not support multiple segments.",
    "Failed to get DMA-BUF handle for address range with type PCIE, error=",
    "Failed to register memory with DMA-BUF and data direct, error=",
    "Failed to register memory with DMA-BUF, error=" },
  { "comm.env_mismatch", "setting out of range, adjusted", false,
    ": tuner chunk size",
    "No valid CTA policies found in NCCL_CTA_POLICY=",
    "Unknown CTA policy; the legacy usage of NCCL_CTA_POLICY only supports the value of 0 (DEFAULT), 1 (EFFICIENCY), or 2 (ZERO). Using DEFAULT instead." },
  { "comm.env_mismatch", "NCCL_SOCKET_MAGIC cannot be parsed, built-in value is used", false,
    "NCCL_SOCKET_MAGIC invalid value" },
  { "comm.misuse", "NCCL_IB_ADDR_RANGE cannot be parsed for NCCL_IB_ADDR_FAMILY", false,
    "NET/IB: Ip address mask '" },
  { "comm.misuse", "failover asked for but only one device is in the connection, so there is nothing to fail over to", false,
    ") with a single local device. In case of failure there will be no device to fail-over to." },
  { "comm.misuse", "NCCL_TOPO_FILE/NCCL_GRAPH_FILE unreadable or malformed (or too many nodes)", false,
    ", not dumping topology.",
    "Could not open XML topology file",
    "KV Convert to int : could not find value of '",
    "XML Parse : Ignoring extra attributes (max" },
  { "comm.misuse", "NIC fusion failed", false,
    ". Please provide a semicolon-delimited list of comma-delimited NIC groups.",
    "TOPO/NET : Tried merging multiple devices together and failed. vProps={ndevs=" },
  { "comm.misuse", "out-of-order receive queue forced with NCCL_IB_OOO_RQ but not possible on this device or on the peer", false,
    ": OOO RQ is enabled, Overriding pre-posting to true (1).",
    "NET/IB: OOO RQ is enabled, AR threshold will be ignored." },
  { "comm.misuse", "device merging is disabled but a merged NIC was asked for", false,
    "Detected a mix of single and multiple-port NICs. Force-disabling NCCL_IB_MERGE_NICS" },
  { "comm.misuse", "two ranks of one communicator use the same GPU (bus id in hex without leading zeros)", false,
    "Multiple ranks on the same GPU detected and allowed. Disabling NVLS." },
  { "comm.misuse", "NCCL_COMM_ID set together with several unique ids", false,
    "NCCL_COMM_ID cannot be used with more than one ncclUniqueId" },
  { "comm.misuse", "rail/plane setting of the NIC out of range", false,
    "NET/IB: Subnet-aware routing: overriding dev" },
  { "comm.misuse", "window or symmetric memory registration invalid", false,
    "Number of segments exceeded maximum number of supported physical segments for p2p (",
    "Skipping bind multicast for maxGlobalNumSegments =",
    "since it contains segments backed by CPU memory" },
  { "unknown", "suspend/resume of communicator memory failed or not possible", false,
    "MemManager: Untrack size mismatch ptr=" },
  { "unknown", "helper thread could not set its CUDA device/context, GPU in a bad state or out of memory", false,
    "] Failed to create CUDA context on device",
    "] Failed to set CUDA context on device",
    "] Unable to create thread context due to old driver, disabling cuda context." },
}

-- What an errno text adds to a call that failed: the call says where, the errno says why. false: the literal's own cause is not shown.
-- Order counts: the first pair that fits.
local BY_ERRNO = {
  { call = [[shm|shared memory|fallocate|Could not map]], errno = [[Too many open files]], cause = "host.fd_limit" },
  { call = [[shm|shared memory|fallocate|Could not map]], errno = [[No space left on device|Cannot allocate memory]], cause = "host.shm_exhausted" },
  { call = [[shm|shared memory|fallocate|Could not map]], errno = [[No such file or directory|Permission denied|Operation not permitted|Invalid argument]], cause = "comm.init_failed" },
  { call = [[ibv_reg_mr|ibv_create_|ibv_alloc_pd|mlx5dv_create|register memory]], errno = [[Bad address|Operation not supported]], cause = "net.gdr_disabled" },
  { call = [[ibv_reg_mr]], errno = [[Invalid argument]], cause = "net.gdr_disabled" }, -- of memory that the adapter's driver has no hand on: no limit says it
  { call = [[ibv_reg_mr|ibv_create_|ibv_alloc_pd|mlx5dv_create|register memory]], errno = [[No such device]], cause = "net.rdma_absent" },
  { call = [[ibv_reg_mr|ibv_create_|ibv_alloc_pd|mlx5dv_create|register memory]], errno = [[Input/output error]], cause = "net.ib_transport_error" },
  { call = [[pthread_create|Thread creation failed]], errno = [[.]], cause = "host.thread_limit" },
  { call = [[.]], errno = [[Too many open files]], cause = "host.fd_limit" },
  { call = [[bind|listen]], errno = [[Address already in use]], cause = "net.port_in_use" },
  { call = [[.]], errno = [[Cannot assign requested address]], cause = "net.wrong_interface" },
  -- who receives or sends has a connection: what ends it is no address that could not be reached
  { call = [[Call to (?:recv|send)\b]], errno = [[Connection timed out|No route to host|Network is unreachable|Host is down]], cause = "net.peer_reset" },
  { call = [[Call to (?:accept|open|pipe|socket) failed|Socket creation failed]], errno = [[.]], cause = "unknown" },
}

-- What an errno says where the call is none of the table: a connect of the bootstrap, hardly anything else.
local BARE_ERRNO = {
  { [[Connection refused|Connection timed out|No route to host|Network is unreachable]], "net.bootstrap_unreachable" },
  { [[Connection reset by peer|Broken pipe]], "net.peer_reset" },
}

-- 4 bytes of each literal, as a map to the literals that begin so: a text of 100 bytes is classified in 100 steps.
local function index_of(rows)
  local by_head = {}
  for _, row in ipairs(rows) do
    local releases = nil
    for i = 4, #row do
      if match(row[i], [[^@\d]]) then
        releases = string.sub(row[i], 2)
      else
        local head = string.sub(row[i], 1, 4)
        by_head[head] = by_head[head] or {}
        table.insert(by_head[head], { literal = row[i], cause = row[1], meaning = row[2], check = row[3], releases = releases })
      end
    end
  end
  return by_head
end

local WARNINGS, NOTES = index_of(MESSAGES), index_of(REMARKS)

local function lookup(by_head, text)
  local best
  for at = 1, #text - 3 do
    for _, row in ipairs(by_head[string.sub(text, at, at + 3)] or {}) do
      if (not best or #row.literal > #best.literal) and string.sub(text, at, at + #row.literal - 1) == row.literal then best = row end
    end
  end
  return best
end

-- Result: cause, meaning, what to check. cause false: nothing of its own; nil: no such text is known.
local function classify(text)
  -- of a call of CUDA or HIP that failed, the text in quotes is what counts, however short
  local quoted = match(text, [[^(?:Cuda|HIP) failure (?:\d+ )?('.*)$]])
  local row = quoted and lookup(WARNINGS, quoted) or lookup(WARNINGS, text)
  for _, pair in ipairs(BY_ERRNO) do
    if match(text, pair.errno) and match(text, pair.call) and (pair.errno ~= "." or row) then
      return pair.cause, row and row.meaning or "", row and row.check
    end
  end
  if not row or row.cause == "unknown" then
    for _, pair in ipairs(BARE_ERRNO) do
      if match(text, pair[1]) then return pair[2], row and row.meaning or "", row and row.check end
    end
  end
  if not row then
    -- up to 2.8 the text of CUDA stood bare behind its number
    local bare = match(text, [[ : \d+ ([a-z].*)$]])
    row = bare and lookup(WARNINGS, "'" .. bare)
    if not row then return nil end
  end
  return row.cause, row.meaning, row.check
end

signature {
  id      = "nccl.warn",
  stream  = { "nccl", "app" },
  needles = { "NCCL WARN", "[FATAL ERROR]: " },
  pattern = [[(?:NCCL WARN|(?<fatal>\[FATAL ERROR\]:)) +(?<text>\S.*)$]],
  fields  = { text = "text", fatal = "text" },
  match   = { "NCCL WARN Error: failed to extend /dev/shm/nccl-PZ30QF to 9637892 bytes, error: No space left on device (28)", "[FATAL ERROR]: HIP failure: 'out of memory'" },
  ignore  = { "NCCL INFO fallocate: Failed to extend /dev/shm/nccl-PZ30QF to 9637892 bytes, error: No space left on device (28) - retrying", "NCCL WARN " },
}
signature {
  id      = "nccl.remark",
  stream  = { "nccl", "app" },
  needles = { ") not registered as DMABuf is not available. Non-DMABuf regi",
              ") with a single local device. In case of failure there will ",
              ", not dumping topology.",
              "-- peer connected to wrong NCCL socket), discarding peer con",
              ". Please provide a semicolon-delimited list of comma-delimit",
              ". You can repress this message with NCCL_IGNORE_DISABLED_P2P",
              "CPUs with mixed architecture were detected.",
              "CPUs with mixed vendors were detected.",
              "Could not enable P2P between dev",
              "Could not find a path for pattern",
              "Could not open XML topology file",
              "Detected a mix of single and multiple-port NICs. Force-disab",
              "Detected mixed local CollNet device counts across ranks (min",
              "Detected mixed local Net device counts across ranks (min",
              "Failed to bind NVLink SHARP (NVLS) Multicast memory of size",
              "Failed to get DMA-BUF handle for address range with type PCI",
              "Failed to multicast-bind user buffer: CUDA error",
              "Failed to register memory with DMA-BUF and data direct, erro",
              "Failed to register memory with DMA-BUF, error=",
              "KV Convert to int : could not find value of '",
              "Legacy IPC not supported",
              "MemManager: Untrack size mismatch ptr=",
              "Multiple ranks on the same GPU detected and allowed. Disabli",
              "NCCL_COMM_ID cannot be used with more than one ncclUniqueId",
              "NCCL_SOCKET_MAGIC invalid value",
              "NET/IB : There are mismatched physical devices between local",
              "NET/IB: Ip address mask '",
              "NET/IB: OOO RQ is enabled, AR threshold will be ignored.",
              "NET/IB: Subnet-aware routing: overriding dev",
              "Net : Unsupported address family type",
              "No valid CTA policies found in NCCL_CTA_POLICY=",
              "Number of segments exceeded maximum number of supported phys",
              "P2P not supported between GPU",
              "Skipping bind multicast for maxGlobalNumSegments =",
              "TOPO/NET : Tried merging multiple devices together and faile",
              "Unknown CTA policy; the legacy usage of NCCL_CTA_POLICY only",
              "XML Parse : Ignoring extra attributes (max",
              "[Service thread] Accept failed ",
              "] Failed to create CUDA context on device",
              "] Failed to set CUDA context on device",
              "] Unable to create thread context due to old driver, disabli",
              "closed before magic handshake, discarding",
              "cuMem host allocations do not appear to be working; falling ",
              "fallocate: Failed to extend",
              "mkstemp: Failed to create",
              "ncclTopoGetXmlFromSys: could not get PCI parent for",
              "peer query failed between dev",
              "since it contains segments backed by CPU memory",
              "skipped, internal_name doesn't exist",
              "socketFinalizeAccept: handshake receive from" },
  pattern = [[NCCL INFO (?<text>.*(?:\Q) not registered as DMABuf is not available. Non-DMABuf regi\E|\Q) with a single local device. In case of failure there will \E|\Q, not dumping topology.\E|\Q-- peer connected to wrong NCCL socket), discarding peer con\E|\Q. Please provide a semicolon-delimited list of comma-delimit\E|\Q. You can repress this message with NCCL_IGNORE_DISABLED_P2P\E|\QCPUs with mixed architecture were detected.\E|\QCPUs with mixed vendors were detected.\E|\QCould not enable P2P between dev\E|\QCould not find a path for pattern\E|\QCould not open XML topology file\E|\QDetected a mix of single and multiple-port NICs. Force-disab\E|\QDetected mixed local CollNet device counts across ranks (min\E|\QDetected mixed local Net device counts across ranks (min\E|\QFailed to bind NVLink SHARP (NVLS) Multicast memory of size\E|\QFailed to get DMA-BUF handle for address range with type PCI\E|\QFailed to multicast-bind user buffer: CUDA error\E|\QFailed to register memory with DMA-BUF and data direct, erro\E|\QFailed to register memory with DMA-BUF, error=\E|\QKV Convert to int : could not find value of '\E|\QLegacy IPC not supported\E|\QMemManager: Untrack size mismatch ptr=\E|\QMultiple ranks on the same GPU detected and allowed. Disabli\E|\QNCCL_COMM_ID cannot be used with more than one ncclUniqueId\E|\QNCCL_SOCKET_MAGIC invalid value\E|\QNET/IB : There are mismatched physical devices between local\E|\QNET/IB: Ip address mask '\E|\QNET/IB: OOO RQ is enabled, AR threshold will be ignored.\E|\QNET/IB: Subnet-aware routing: overriding dev\E|\QNet : Unsupported address family type\E|\QNo valid CTA policies found in NCCL_CTA_POLICY=\E|\QNumber of segments exceeded maximum number of supported phys\E|\QP2P not supported between GPU\E|\QSkipping bind multicast for maxGlobalNumSegments =\E|\QTOPO/NET : Tried merging multiple devices together and faile\E|\QUnknown CTA policy; the legacy usage of NCCL_CTA_POLICY only\E|\QXML Parse : Ignoring extra attributes (max\E|\Q[Service thread] Accept failed \E|\Q] Failed to create CUDA context on device\E|\Q] Failed to set CUDA context on device\E|\Q] Unable to create thread context due to old driver, disabli\E|\Qclosed before magic handshake, discarding\E|\QcuMem host allocations do not appear to be working; falling \E|\Qfallocate: Failed to extend\E|\Qmkstemp: Failed to create\E|\QncclTopoGetXmlFromSys: could not get PCI parent for\E|\Qpeer query failed between dev\E|\Qsince it contains segments backed by CPU memory\E|\Qskipped, internal_name doesn't exist\E|\QsocketFinalizeAccept: handshake receive from\E).*)$]],
  fields  = { text = "text" },
  fold    = {},
  match   = { "NCCL INFO P2P is disabled between connected GPUs 1 and 0. You can repress this message with NCCL_IGNORE_DISABLED_P2P=1." },
  ignore  = { "NCCL INFO Connected all rings, use ring PXN 0 GDR 1" },
}
-- Of the recovery of RDMA ports, and of other parts.
signature {
  id      = "nccl.remark_recovery",
  stream  = { "nccl", "app" },
  needles = { ": ACK message timeout for device",
              ": Alive message sequence timeout for device",
              ": Attempting to initiate a replay protocol but the failed re",
              ": Failed to drain CQ and post recv WRs for device",
              ": Failed to init Flush QP on device",
              ": Failed to init QP index",
              ": Failed to initialize recovery context for device",
              ": Failed to modify to RTR Flush QP on device",
              ": Failed to modify to RTR QP index",
              ": Failed to modify to RTS Flush QP on device",
              ": Failed to modify to RTS QP index",
              ": Failed to poll CQ for device",
              ": Failed to poll recovery CQ",
              ": Failed to post ACK message for device",
              ": Failed to post ack for device",
              ": Failed to post ack message on device",
              ": Failed to post alive messages batch for device",
              ": Failed to post recv WQEs on QP index",
              ": Failed to post recv WR on recovery QP",
              ": Failed to reset Flush QP on device",
              ": Failed to reset QP index",
              ": Failed to set ECE for QP index",
              ": Failed to transition QPs to ERROR state for device",
              ": Got completion with error (devIndex=",
              ": Ignoring error on flush request (req=",
              ": Ignoring flush error on a QP (comm=",
              ": Marking device",
              ": Missing data from QP index",
              ": OOO RQ is enabled, Overriding pre-posting to true (1).",
              ": Port recovery attempt #",
              ": Port recovery failed for",
              ": Port recovery succeeded for devIndex=",
              ": Receiver failed to post recv WR on data QP for device",
              ": Receiver failed to post recv WR on recovery QP for device",
              ": Receiver failed to restore QPs on device",
              ": Receiver got a completion for a CTS but retrieved an 'unus",
              ": Receiver got a completion for a data transfer but retrieve",
              ": Recovery for device",
              ": Removing recovery context for device",
              ": Retransmitting reqIndex=",
              ": Sender failed to post alive messages batch on device",
              ": Sender failed to post recv WR on recovery QP for device",
              ": Sender failed to restore QPs on device",
              ": Skipping retransmission on QP index",
              ": The error is not fatal. Trying to continue...",
              ": Work completion error on recovery CQ",
              ": socket magic mismatch (peer 0x",
              ": tuner chunk size",
              "RAS already knew it was dead",
              "RAS connection from peer",
              "RAS dead peer",
              "RAS handling deadPeer (addr",
              "RAS keep-alive timeout error (",
              "RAS send stuck timeout error (",
              "RAS termination stuck timeout error (",
              "as permanently failed (",
              "failed due to max attempts reached (",
              "has been recovered for resiliency context (",
              "will not be attempted to be recovered any more (" },
  pattern = [[NCCL INFO (?<text>.*(?:\Q: ACK message timeout for device\E|\Q: Alive message sequence timeout for device\E|\Q: Attempting to initiate a replay protocol but the failed re\E|\Q: Failed to drain CQ and post recv WRs for device\E|\Q: Failed to init Flush QP on device\E|\Q: Failed to init QP index\E|\Q: Failed to initialize recovery context for device\E|\Q: Failed to modify to RTR Flush QP on device\E|\Q: Failed to modify to RTR QP index\E|\Q: Failed to modify to RTS Flush QP on device\E|\Q: Failed to modify to RTS QP index\E|\Q: Failed to poll CQ for device\E|\Q: Failed to poll recovery CQ\E|\Q: Failed to post ACK message for device\E|\Q: Failed to post ack for device\E|\Q: Failed to post ack message on device\E|\Q: Failed to post alive messages batch for device\E|\Q: Failed to post recv WQEs on QP index\E|\Q: Failed to post recv WR on recovery QP\E|\Q: Failed to reset Flush QP on device\E|\Q: Failed to reset QP index\E|\Q: Failed to set ECE for QP index\E|\Q: Failed to transition QPs to ERROR state for device\E|\Q: Got completion with error (devIndex=\E|\Q: Ignoring error on flush request (req=\E|\Q: Ignoring flush error on a QP (comm=\E|\Q: Marking device\E|\Q: Missing data from QP index\E|\Q: OOO RQ is enabled, Overriding pre-posting to true (1).\E|\Q: Port recovery attempt #\E|\Q: Port recovery failed for\E|\Q: Port recovery succeeded for devIndex=\E|\Q: Receiver failed to post recv WR on data QP for device\E|\Q: Receiver failed to post recv WR on recovery QP for device\E|\Q: Receiver failed to restore QPs on device\E|\Q: Receiver got a completion for a CTS but retrieved an 'unus\E|\Q: Receiver got a completion for a data transfer but retrieve\E|\Q: Recovery for device\E|\Q: Removing recovery context for device\E|\Q: Retransmitting reqIndex=\E|\Q: Sender failed to post alive messages batch on device\E|\Q: Sender failed to post recv WR on recovery QP for device\E|\Q: Sender failed to restore QPs on device\E|\Q: Skipping retransmission on QP index\E|\Q: The error is not fatal. Trying to continue...\E|\Q: Work completion error on recovery CQ\E|\Q: socket magic mismatch (peer 0x\E|\Q: tuner chunk size\E|\QRAS already knew it was dead\E|\QRAS connection from peer\E|\QRAS dead peer\E|\QRAS handling deadPeer (addr\E|\QRAS keep-alive timeout error (\E|\QRAS send stuck timeout error (\E|\QRAS termination stuck timeout error (\E|\Qas permanently failed (\E|\Qfailed due to max attempts reached (\E|\Qhas been recovered for resiliency context (\E|\Qwill not be attempted to be recovered any more (\E).*)$]],
  fields  = { text = "text" },
  fold    = {},
  match   = { "NCCL INFO NET/IB: net : Port recovery succeeded for devIndex=1" },
  ignore  = { "NCCL INFO Connected all rings, use ring PXN 0 GDR 1" },
}
-- Unwinding after a failed call. Alone it proves nothing: an abort at a clean end prints it too; with "Async thread" a call of the job failed.
signature {
  id      = "nccl.unwind",
  stream  = { "nccl", "app" },
  needles = { ".cc:", ".cu:" },
  pattern = [[NCCL INFO (?<file>\S+\.c[cu]):(?<at>\d+) (?:\(\w+\) )?-> (?<result>\d)(?<thread> \[Async thread\]|(?<=-> [1256]) \[(?:Proxy|Progress|GIN Progress) Thread\])?]],
  fields  = { file = "text", at = "int", result = "int", thread = "text" },
  match   = { "NCCL INFO transport/nvls.cc:394 -> 1", "NCCL INFO proxy.cc:694 -> 6 [Progress Thread]", "NCCL INFO group.cc:75 -> 1 [Async thread]", "NCCL INFO transport/net_ib/reg.cc:96 (wrap) -> 2" },
  ignore  = { "NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM" },
  fold    = { "file", "result" },
}
-- What frameworks print of a failed NCCL call: the result is a class, the reason is in NCCL's own log or in "Last error".
signature {
  id      = "app.nccl_error",
  stream  = { "app", "nccl" },
  needles = { "NCCL error", "NCCL operation ", "Test NCCL failure", "NCCL_ERROR_", "Set NCCL_DEBUG=WARN for detail", "Failed to create NCCL communicator", "NCCL failure",
              "NCCL communicator was aborted", "Check failed: nccl", "== ncclSuccess", "NCCL Error ", " failed: unhandled ", " failed: internal error" },
  pattern = [[(?:NCCL error(?<where> in)?:|NCCL Error \d+:|\bnccl[A-Z]\w+ failed:|Check failed: nccl\w+\(.*?\) ?:|Check failed: \w+ == ncclSuccess \(\d+ vs\. 0\)|NCCL operation .*?failed:|Test NCCL failure|NCCL_ERROR_\w+:|NCCL:|Failed to create NCCL communicator:|NCCL failure|NCCL communicator was (?=aborted on rank)).*?(?<result>aborted|unhandled (?:cuda|system) error|internal error|invalid (?:argument|usage)|remote process exited or there was a network error|unknown result code|timeout)(?:(?<version>, NCCL version)|.*may be unrelated\) '(?<last>(?:[^']|(?<=[ (])'[^']*')+)|[^/']* / (?<last>\S[^']*(?:'[^']*')*[^']*)'$)?]],
  fields  = { result = "text", last = "text", where = "text", version = "text" },
  match   = { "NCCL error: remote process exited or there was a network error, NCCL version 2.14.3", "RuntimeError: NCCL error in: /pytorch/torch/lib/c10d/ProcessGroupNCCL.cpp:410, unhandled system error, NCCL version 2.4.8",
              "RuntimeError: NCCL Error 2: unhandled system error (run with NCCL_DEBUG=INFO for details)", "horovod.common.exceptions.HorovodInternalError: ncclAllReduce failed: unhandled cuda error",
              "RuntimeError: NCCL communicator was aborted on rank 1.", "cuda_util.cpp:88] Check failed: ncclGroupEnd() : unhandled system error (2)", "parallel.cpp:174] Check failed: result == ncclSuccess (1 vs. 0)  unhandled cuda error",
              "hx-n07: Test NCCL failure common.cu:44 'unhandled system error (run with NCCL_DEBUG=INFO for details) / socketStartConnect: Connect to 10.0.0.3<41123> failed : Connection refused'",
              "hx-n07: Test NCCL failure common.cu:1005 'unhandled cuda error (run with NCCL_DEBUG=INFO for details) / '",
              "NCCL operation ncclCommInitRank(&comm, nranks, id, rank) failed: unhandled cuda error (run with NCCL_DEBUG=INFO for details). Last NCCL warning(error) log entry (may be unrelated) 'Cuda failure 2 'out of memory''.; current tracing scope: all-reduce-start",
              "NCCL operation failed: invalid usage (run with NCCL_DEBUG=WARN for details). Last NCCL warning(error) log entry (may be unrelated) 'Bootstrap : no socket interface found'." },
  ignore  = { "NCCL operation in progress", "NCCL error handling is on" },
  tells   = "an NCCL call fails: {result}",
}
-- The newest CUDA that the installed driver serves, as 1000 * major + 10 * minor.
signature {
  id      = "nccl.driver_serves",
  stream  = "nccl",
  needles = { "cudaDriverVersion " },
  pattern = [[NCCL INFO cudaDriverVersion (?<cuda>\d{4,6})$]],
  fields  = { cuda = "int" },
  match   = { "NCCL INFO cudaDriverVersion 12040" },
  ignore  = { "NCCL INFO cudaDriverVersion unknown" },
}
-- torch prints the last warning of the process on a line of its own; these texts are all that is left where NCCL_DEBUG was not set.
signature {
  id      = "app.nccl_last_error",
  stream  = { "app", "nccl" },
  needles = { "Error while creating shared memory", "Error: failed to extend", "no socket interface found", "Call to ibv_", "neither AF_INET", "Connection closed by remote peer",
              "Got completion ", "Cuda failure", "Net : ", "NET/IB :", "NET/IB:", "NET/OFI ", "ncclSocket", "Failed to open libibverbs", "Mismatched NCCL version", "failed to open CUDA IPC handle",
              "Duplicate GPU detected", "Message truncated : ", "collective mismatch error" },
  pattern = [[^(?:\[?rank\d+\]?: )?(?<text>(?:Mismatched NCCL version|Duplicate GPU detected|Message truncated : |failed to open CUDA IPC handle|Error while creating shared memory|Error: failed to extend|Bootstrap ?: no socket interface found|Call to ibv_|ncclSocketInit: connecting|socketProgress: Connection closed|ncclSocket\w+: |NET/IB ?: |NET/OFI |Net : |Cuda failure).*)$]],
  fields  = { text = "text" },
  match   = { "Error while creating shared memory segment /dev/shm/nccl-PZ30QF (size 9637888), error: No space left on device (28)", "Cuda failure 'out of memory'", "Mismatched NCCL version detected : rank 0 version 22703 rank 8 version 22602" },
  ignore  = { "NCCL INFO NET/IB : No device found.", "NCCL WARN Cuda failure 'out of memory'" },
}

local SYMPTOM = { ["net.peer_reset"] = true, ["comm.init_failed"] = true, ["comm.timeout"] = true, ["unknown"] = true, ["comm.missing_rank"] = true, ["comm.init_stuck"] = true }

local function process_of(s) return (s.host or s.member or "") .. "|" .. tostring(s.pid or "") end

-- RCCL prints these at every start, on machines that work, too: advice, which a failure of P2P itself may confirm.
local ADVICE = [[^Missing "|NUMA auto balancing|^Could not find iommu]]
-- These, and what RCCL calls fatal, end the call that they stand in, so the job failed though its own output is not here.
local FATAL = [[NET/OFI Request \S+ completed with error|Got completion .*with (?:error|status=)|collective mismatch error|[Mm]essage truncated|incorrect receive info|Proxy thread error]]

-- Did the job show that something failed? Without that, and with progress behind it, a warning is a side note.
local FAILURES = { "app.traceback", "app.cpp_error", "app.nccl_error", "torch.watchdog_timeout", "launcher.worker_failed", "launcher.exitcode", "shell.ended_by_signal", "mpi.signal", "mpi.exit" }

local function is_failure(s)
  local code = s.fields.exitcode or s.fields.code
  return (code == nil or code ~= 0) and s.fields.signal ~= 15 -- a process that was told to end
end

-- NVLS is set up by the NVSwitches: a CUDA call that fails there means the fabric, not the program.
local function is_in_nvls(s, unwinds)
  for _, u in ipairs(unwinds) do
    if u.fields.result == 1 and match(u.fields.file, [[nvls]]) and (u.host == s.host or u.member == s.member) then return true end
  end
  return false
end

-- RLIMIT_MEMLOCK as the bundle shows it: "unlimited", a number of KiB, or nil.
local function memlock(limits)
  local text
  for _, s in ipairs(limits) do
    if s.fields.limit == "unlimited" then text = text or "unlimited" else text = s.fields.limit end
  end
  return text
end

-- ENOMEM of a verbs call is mostly the limit, and sometimes pages that cannot be pinned or a quota of the device: only the limit itself tells.
local function sureness(cause, on)
  if cause == "host.memlock_limit" and memlock(on["host.memlock"]) == nil then
    return "possible", "NCCL's own text says that memory could not be locked, which is mostly RLIMIT_MEMLOCK; nothing in the bundle shows that limit"
  end
  return SYMPTOM[cause] and "possible" or "likely", "NCCL's own text says so, and the job failed"
end

-- Does NCCL's own log show a driver that is at least of the CUDA that this NCCL was built with?
local function driver_is_new_enough(on)
  local built, serves
  for _, s in ipairs(on["nccl.version"]) do
    local major, minor = match(s.fields.version, [[\+cuda(\d+)\.(\d+)]])
    local cuda = major and tonumber(major) * 1000 + tonumber(minor) * 10
    if cuda and (built == nil or cuda > built) then built = cuda end
  end
  for _, s in ipairs(on["nccl.driver_serves"]) do
    if serves == nil or s.fields.cuda < serves then serves = s.fields.cuda end
  end
  return built ~= nil and serves ~= nil and serves >= built
end

local function refine(s, cause, text, on)
  -- CUDA's 500 is said of a driver without an entry, and of a module without the kernel that is asked for
  if match(text, [[^Cuda failure (?:\d+ )?'named symbol not found]]) and driver_is_new_enough(on) then
    return "comm.init_failed", "the driver is new enough for this NCCL: its library has no kernels for this card (NVCC_GENCODE of its build), or parts of two builds are mixed"
  end
  if match(text, [[^Cuda failure]]) and (cause == nil or cause == "unknown" or cause == "comm.misuse") and is_in_nvls(s, on["nccl.unwind"]) then
    return "gpu.fabric_not_ready", "a CUDA call failed while NVLink SHARP (NVLS) was set up: the fabric manager or NVSwitch state"
  end
  -- no provider of that name is there: what that means is the fabric's rule (net/rdma.lua), and the plugin steps back
  if cause == nil and match(text, [[^NET/OFI .*fi_getinfo\(\) call failed: No data available]]) then return false end
  if cause == nil and match(text, [[^NET/OFI .*(?:[Ff]ailed to initialize|[Cc]ouldn't (?:open|init|create)|[Uu]nable to (?:init|open|create|insert remote address)|Creating new \w+ .*failed)]]) then
    return "net.plugin", "the libfabric plugin could not be set up"
  end
  if cause == "host.memlock_limit" and memlock(on["host.memlock"]) == "unlimited" then
    return "host.pin_failed", "the device could not lock memory although RLIMIT_MEMLOCK is unlimited: pages that cannot be pinned, or another limit"
  end
  -- an address of no family, or a message of another length, is what a bootstrap message of another release or another step looks like
  if match(text, [[family 0 is neither|[Mm]essage truncated : received]]) then
    return "comm.init_failed", "a message of the bootstrap that this rank did not expect: ranks disagree about the NCCL version, the number of ranks or the order of calls"
  end
  -- nobody set a file: it is what NCCL itself found on the machine
  if match(text, [[^Attribute \S+ of node \S+ not found]]) and #on["nccl.init_start"] > 0 and #keep(on["nccl.env"], function(e) return match(e.fields.variable, [[^NCCL_(?:TOPO|GRAPH)_FILE$]]) ~= nil end) == 0 then
    return "comm.init_failed", "NCCL's own topology detection stops at a device of this machine that lacks what others have; no topology file was set"
  end
  -- an asynchronous event: its own words say which
  if match(text, [[[Aa]sync (?:error )?event ?:? ?.*port error]]) then return "net.ib_link_down", "the link of the port went down" end
  if match(text, [[[Aa]sync (?:error )?event ?:? ?.*(?:port active|LID change|SM change|GID table change|client reregister|P_Key change)]]) then return false end
  if cause == "net.ib_transport_error" and match(text, [[ibv_modify_qp.*(?:timed out|Invalid argument|errno 22|errno 110)]]) then return "net.gid_or_pkey" end
  return cause
end

-- The local subnet that a failing queue pair wanted to leave; two /24s or two GID prefixes are two rails.
local function pair_of(text)
  local here, there = match(text, [[local GID \S*?([0-9.]+|[0-9a-f:]+), remote GID \S*?([0-9.]+|[0-9a-f:]+)$]])
  return here, there
end

-- What NCCL said, wherever it was printed: pairs of a signal and NCCL's own words, in time order.
local function texts_of(on)
  local said = {}
  local function add(s, words)
    if words then said[#said + 1] = { s, words } end
  end
  for _, s in ipairs(on["nccl.warn"]) do add(s, s.fields.text) end
  for _, s in ipairs(on["app.nccl_error"]) do add(s, s.fields.last) end
  for _, s in ipairs(on["app.traceback"]) do
    local message = s.fields.message or ""
    add(s, match(message, [[Last error: +(\S.*)]]) or match(message, [[may be unrelated\) '((?:[^']|(?<=[ (])'[^']*')+)]]))
  end
  for _, s in ipairs(on["app.nccl_last_error"]) do add(s, s.fields.text) end
  table.sort(said, function(a, b) return a[1].ref < b[1].ref end)
  return said
end

-- Who complains of a closed connection survived; the text names the other end. The one host that all who complain
-- name, and that does not complain itself, is where to look. Anything else may be one who followed.
local BREATH = seconds(10) -- processes of one machine fail so soon after each other, and print in any order
local function end_of(text) return match(text, [[(?:[Rr]emote peer|recv from|send to) ([\w.-]*[A-Za-z][\w.-]*|\d+\.\d+\.\d+\.\d+)<\d+>]]) end
-- A host's adapters have names that begin with its own: gpu04-ib0, gpu04-hsn1.
local function is_of(name, host) return name == host or (host ~= "" and match(string.sub(name, #host + 1), [[^-(?:ib|ipoib|hsn|roce|rdma|data)\w*$]]) ~= nil and string.sub(name, 1, #host) == host) end
local function closed_by(said)
  local peer, complains = nil, {}
  for _, pair in ipairs(said) do
    local text = pair[2]
    if classify(text) == "net.peer_reset" then
      local name = end_of(text)
      if not name then return nil end
      name = match(name, [[^\d+\.\d+\.\d+\.\d+$]]) or match(name, [[^[^.]+]])
      if peer and peer ~= name then return nil end
      peer = name
      complains[pair[1].host or ""] = true
    end
  end
  if not peer then return nil end
  for host in pairs(complains) do
    if is_of(peer, host) then return nil end
  end
  return peer
end
-- A connection lost to the machine that complains itself: its processes fail within a breath, and a common log prints their lines in any order. The one that
-- has a reason of its own is the peer that the others lost.
local function join_neighbours(found)
  for _, lost in ipairs(found) do
    for _, e in ipairs(lost.cause == "net.peer_reset" and lost.severity == nil and lost.evidence or {}) do
      local name = match(end_of(e.fields.text or "") or "", [[^[^.]+]])
      for _, one in ipairs(name and e.host and is_of(name, e.host) and found or {}) do
        local s = one.evidence[1]
        if not SYMPTOM[one.cause] and one.severity ~= "note" and s.host == e.host and s.member == e.member and process_of(s) ~= process_of(e) and is_near(s, e, BREATH) then
          one.symptoms[#one.symptoms + 1] = e
        end
      end
    end
  end
end

correlate {
  id    = "nccl.warnings",
  group = "job",
  uses  = { "nccl.warn", "app.nccl_error", "app.nccl_last_error", "app.traceback" },
  reach = { "nccl.unwind", "app.cpp_error", "torch.watchdog_timeout", "launcher.worker_failed", "launcher.exitcode", "shell.ended_by_signal", "mpi.signal", "mpi.exit",
            "app.progress", "app.good_end", "host.memlock", "nccl.init_start", "nccl.init_complete", "nccl.network", "nccl.env", "nccl.version", "nccl.driver_serves" },
  judge = function(case)
    local on, found, by_key, first_of, named = case.signals, {}, {}, {}, {}
    local failed = false
    for _, id in ipairs(FAILURES) do
      if #keep(on[id], is_failure) > 0 then failed = true end
    end
    -- the call of the program itself came back with an error: not a plugin's or a transport's that is tried and left
    local function is_call(u) return u.fields.thread ~= nil or (u.fields.result ~= 0 and match(u.fields.file, [[^(?:init|group|enqueue)\.cc$]]) ~= nil) end
    local setup = not failed and #on["app.good_end"] == 0 and #keep(on["nccl.unwind"], is_call) > 0
    -- what is tried and left goes on with another network, and says so: where a log ends in the unwinding, nothing went on
    local function goes_on(u) return #keep(on["nccl.network"], function(n) return n.member == u.member and n.line > u.line end) > 0 end
    if not failed and #on["app.good_end"] + #on["app.progress"] + #on["nccl.init_complete"] == 0 then
      setup = setup or #keep(on["nccl.unwind"], function(u) return u.fields.result ~= 0 and not goes_on(u) end) > 0
    end
    if setup then failed = true end
    if #keep(on["nccl.unwind"], function(u) return u.fields.thread ~= nil end) > 0 then failed = true end
    if #keep(on["nccl.warn"], function(w) return w.fields.fatal ~= nil or match(w.fields.text, FATAL) ~= nil end) > 0 then failed = true end
    local survived = #on["app.good_end"] > 0 and not failed
    local function went_on(s) -- the same output shows progress well behind the warning
      for _, p in ipairs(on["app.progress"]) do
        if p.last_utc and s.utc and p.last_utc > s.utc + seconds(60) then return true end
      end
      return false
    end
    local said = texts_of(on)
    local closer = closed_by(said)
    for _, pair in ipairs(said) do
      local s, text = pair[1], pair[2]
      local cause, meaning, check = classify(text)
      local better, why = refine(s, cause, text, on)
      if better ~= cause then cause, meaning = better, why or meaning end
      if cause == nil then cause, meaning = "unknown", "a warning of NCCL that the catalogue does not know" end
      if cause then
        local minor = not failed or survived or went_on(s) or match(text, ADVICE) ~= nil
        local key = cause .. "|" .. (s.host or "") .. (minor and "|note" or "")
        local one = by_key[key]
        if not one then
          local here, there = pair_of(text)
          -- without direct access data goes a longer way; a registration that fails ends the call
          local ends_call = cause == "net.gdr_disabled" and match(text, [[^Call to ibv_reg_]]) ~= nil
          one = { cause = cause, severity = minor and "note" or ends_call and "error" or nil, scope = s.host and "host" or "job", ranks = {}, evidence = {},
                  symptoms = ends_call and keep(on["app.nccl_error"], function(e) return order(e, s) ~= "before" or is_near(e, s, BREATH) end) or {},
                  class = (setup and cause == "net.peer_reset" or ends_call) and #on["app.progress"] == 0 and "init" or nil,
                  summary = "NCCL: " .. string.sub(text, 1, 200) .. (meaning ~= nil and meaning ~= "" and " (" .. meaning .. ")" or ""),
                  facts = { text = string.sub(text, 1, 300), check = check or nil, local_gid = here, remote_gid = there } }
          one.confidence, one.confidence_why = sureness(cause, on)
          if minor then one.confidence_why = "NCCL's own text says so; nothing shows that the job suffered from it" end
          if cause == "net.peer_reset" and (closer ~= nil or match(text, "[Rr]emote peer") ~= nil) then
            named[one], one.host, one.scope = true, closer, closer and "host" or "job"
          end
          -- the root of the bootstrap complains about another rank
          local claimed = tonumber(match(text, [[^Bootstrap Root : rank (\d+) of \d+ ranks has already checked in]]) or "")
          if claimed then one.rank, one.ranks, one.scope = claimed, { claimed }, "rank" end
          -- the watchdog of the same process meets the same error of CUDA, and knows its rank
          local met = not s.rank and match(text, [[^Cuda failure \d* ?'([^']{8,80})']])
          local met_by = met and distinct(keep(on["app.cpp_error"], function(w)
            return w.rank ~= nil and w.member == s.member and string.find(w.fields.message or "", met, 1, true) ~= nil
          end), "rank") or {}
          if #met_by == 1 then one.rank, one.ranks = met_by[1], { met_by[1] } end
          by_key[key] = one
          found[#found + 1] = one
        end
        one.evidence[#one.evidence + 1] = s
        -- all ranks of a host suffer alike: the one that said it first is enough
        if s.rank and #one.ranks == 0 and not named[one] then
          one.ranks[1] = s.rank
          one.rank = s.rank
        end
        -- what the same process says afterwards follows from its first warning that names a reason
        local process = process_of(s)
        local leader = first_of[process]
        if leader and leader.one ~= one and leader.member == s.member and leader.line < s.line then
          leader.one.symptoms[#leader.one.symptoms + 1] = s
        elseif not leader and not minor and not SYMPTOM[cause] then
          first_of[process] = { one = one, member = s.member, line = s.line }
        end
      end
    end
    join_neighbours(found)
    return found
  end,
}

-- Is a release among "2.19.1-2.20.5,2.30.3-"? One number alone is that release. A patch release more or less decides nothing: not all were looked at.
local function value_of(release)
  local n = numbers(release)
  return (n[1] or 0) * 1000 + (n[2] or 0)
end
local function is_of(release, releases)
  local at = value_of(release)
  for _, span in ipairs(string.split(releases, ",")) do
    local from, dash, to = match(span, [[^([0-9.]+)(-?)([0-9.]*)$]])
    if at >= value_of(from or "0") and (dash == "-" and to == "" or at <= value_of(to ~= "" and to or from or "0")) then return true end
  end
  return false
end

-- A text that the release of the log did not have: another library wrote it than the one that named itself, or a vendor's build.
correlate {
  id    = "nccl.other_release",
  group = "host",
  uses  = { "nccl.warn", "nccl.version" },
  judge = function(case)
    local on, found, seen = case.signals, {}, {}
    if #on["nccl.version"] == 0 then return {} end
    for _, s in ipairs(on["nccl.warn"]) do
      local row = lookup(WARNINGS, s.fields.text)
      local telling = row and row.releases and #row.literal >= 16 and not seen[row.literal] and #found < 8
      local own = telling and keep(on["nccl.version"], function(v) return v.fields.component == "NCCL" and v.member == s.member end) or {}
      if #own > 0 then
        seen[row.literal] = true
        local named = match(own[1].fields.version, [[^[0-9.]+]])
        if named and #keep(own, function(v) return is_of(match(v.fields.version, [[^[0-9.]+]]) or "0", row.releases) end) == 0 then
          found[#found + 1] = { cause = "comm.version_mismatch", severity = "note", confidence = "possible", scope = "host", evidence = { s, own[1] }, ranks = s.rank and { s.rank } or nil,
            confidence_why = "two libraries in one process would look so, and a vendor's build would, too",
            summary = string.format("A warning of NCCL %s in a log of %s: %s", row.releases, named, string.sub(s.fields.text, 1, 120)) }
        end
      end
    end
    return found
  end,
}

correlate {
  id    = "nccl.remarks",
  group = "host",
  uses  = { "nccl.remark", "nccl.remark_recovery" },
  judge = function(case)
    local found, seen = {}, {}
    for _, s in ipairs(join(case.signals["nccl.remark"], case.signals["nccl.remark_recovery"])) do
      local row = lookup(NOTES, s.fields.text)
      if row and not seen[row.cause] then
        seen[row.cause] = true
        found[#found + 1] = { cause = row.cause, severity = "note", confidence = "possible", evidence = { s }, count = s.count,
          confidence_why = "NCCL prints it at INFO and goes on",
          summary = "NCCL remarks: " .. string.sub(s.fields.text, 1, 200) .. " (" .. row.meaning .. ")" }
      end
    end
    return found
  end,
}

-- An NCCL call failed, and the framework says no more than the result. During setup that is a failed initialisation.
correlate {
  id    = "nccl.call_failed",
  group = "job",
  uses  = { "app.nccl_error", "app.traceback" },
  reach = { "app.progress", "nccl.init_start", "nccl.init_complete", "torch.watchdog_timeout" },
  judge = function(case)
    local on, said = case.signals, {}
    for _, s in ipairs(on["app.nccl_error"]) do said[#said + 1] = s end
    for _, s in ipairs(on["app.traceback"]) do
      if match(s.fields.message or "", [[NCCL (?:error|Error \d)|ncclSystemError|ncclInternalError|ncclUnhandledCudaError|NCCL operation|NCCL communicator]]) then said[#said + 1] = s end
    end
    if #said == 0 then return {} end
    said = join(said)
    local running = #on["torch.watchdog_timeout"] > 0
    for _, p in ipairs(on["app.progress"]) do
      if order(p, said[1]) ~= "after" then running = true end
    end
    if #on["nccl.init_complete"] > 0 and #on["nccl.init_complete"] >= #on["nccl.init_start"] then running = true end
    -- what is aborted was made, and so was what the watchdog asks for errors: "NCCL error: ..., NCCL version", without a place
    for _, s in ipairs(said) do
      local message = s.fields.message or ""
      if s.fields.result == "aborted" or (s.fields.version and not s.fields.where) or match(message, [[communicator was aborted|NCCL error: [^,]*, NCCL version]]) then running = true end
    end
    local ranks, seen = {}, {}
    for _, s in ipairs(said) do
      if s.rank and not seen[s.rank] then
        seen[s.rank] = true
        ranks[#ranks + 1] = s.rank
      end
    end
    local result = said[1].fields.result or match(said[1].fields.message or "", [[(unhandled (?:cuda|system) error|internal error|invalid (?:usage|argument)|remote process exited)]]) or "an error"
    return { { cause = running and "unknown" or "comm.init_failed", confidence = "certain", scope = "job", evidence = said, ranks = ranks,
      confidence_why = "the framework names the result; what made the call fail is not in it",
      summary = string.format(running and "An NCCL call failed (%s)" or "NCCL could not set up its communicator (%s)", result) } }
  end,
}
