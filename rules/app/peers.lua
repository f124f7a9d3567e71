-- Whom a survivor lost, by the name or address that its own message gives. Nobody is accused by it: the verdict names the files of that peer that
-- the bundle lacks, and asks for them (analyzer/verdict/peers.c reads the field lost_peer of any signal of the job's output).
-- Sources: NCCL src/misc/socket.cc, src/transport/net_ib; gloo transport/tcp/pair.cc; torch TCPStore.cpp, socket.cpp; Open MPI btl_tcp_frag.c.
signature {
  id      = "app.lost_peer_nccl",
  stream  = { "nccl", "app" },
  needles = { "Connection closed by remote peer ", "Got completion from peer ", "Call to recv from ", "Call to send to ", "socketPollConnect: connect to ", "socketStartConnect: Connect to " },
  pattern = [=[(?:Connection closed by remote peer|Got completion from peer|Call to recv from|Call to send to|socket(?:PollConnect: c|StartConnect: C)onnect to) (?<lost_peer>[A-Za-z0-9._%-]+|[0-9a-fA-F:]{3,45}(?:%\w+)?)<\d+>(?! returned .*, retrying)]=],
  fields  = { lost_peer = "text" },
  fold    = { "lost_peer" },
  match   = { "NCCL WARN socketProgress: Connection closed by remote peer node-b.cluster<41234>", "NET/IB: Got completion from peer 10.0.0.2<53112> with status=12 opcode=0 len=0 vendor err 129 (Recv)",
              "misc/socket.cc:50 NCCL WARN Call to recv from fd00::12<41234> failed : Connection reset by peer" },
  ignore  = { "socketPollConnect: connect to 10.0.0.2<53112> returned Connection refused, retrying (3/34) after sleep for 100 msec", "NCCL INFO [Service thread] Connection closed by localRank 0" },
}
signature {
  id      = "app.lost_peer_gloo",
  stream  = "app",
  needles = { "transport/tcp/" },
  pattern = [=[transport/tcp/(?:tls/)?\w+\.(?:cc|h):\d+\] (?:(?<closed>Connection closed by peer|Read error|Write error|writev|Socket unexpectedly closed)|connect\b|(?:Error|[Tt]imed out) connecting|Read timeout|[Cc]onnect timeout|.*\bSO_ERROR\b).*?\[(?<lost_peer>[A-Za-z0-9._:%-]+)\]:\d+]=],
  fields  = { lost_peer = "text", closed = "text" },
  fold    = { "lost_peer" },
  match   = { "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.2]:37011",
              "[../third_party/gloo/gloo/transport/tcp/pair.cc:525] Read error [10.0.0.2]:37011: Connection reset by peer",
              "  what():  [/src/gloo/transport/tcp/pair.cc:804] connect [10.0.0.2]:9011: Connection timed out" },
  ignore  = { "[../third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:81] Timed out waiting 1800000ms for recv operation to complete" },
}
signature {
  id      = "app.lost_peer_store",
  stream  = "app",
  needles = { "remote=[" },
  pattern = [=[(?:failed|poll for socket|Broken pipe|timed out|Connection reset).*SocketImpl\(fd=\d+, addr=\[[^\]]*\]:\d+, remote=\[(?:::ffff:)?(?<lost_peer>[A-Za-z0-9._:%-]+)\]:\d+\)]=],
  fields  = { lost_peer = "text" },
  fold    = { "lost_peer" },
  match   = { "[c10d] recvValue failed on SocketImpl(fd=44, addr=[node-b]:51234, remote=[node-a]:29500): Connection reset by peer",
              "[c10d] waitForInput: poll for socket SocketImpl(fd=29, addr=[node-b]:51234, remote=[::ffff:10.0.0.1]:29500) returned 0, likely a timeout" },
  ignore  = { "[c10d] The client socket SocketImpl(fd=29, addr=[node-b]:51234, remote=[node-a]:29500) has connected" },
}
signature {
  id      = "app.lost_peer_mpi",
  stream  = "app",
  needles = { "btl_tcp_" },
  pattern = [=[btl_tcp_\w+\.c:\d+:.*?peer: (?<lost_peer>[A-Za-z0-9._-]+)\s.*(?:(?<closed>Connection reset|Broken pipe|closed)|failed)]=],
  fields  = { lost_peer = "text", closed = "text" },
  fold    = { "lost_peer" },
  match   = { "[node-a][[51234,1],0][btl_tcp_frag.c:241:mca_btl_tcp_frag_recv] peer: node-b mca_btl_tcp_frag_recv: readv failed: Connection reset by peer (104)" },
  ignore  = { "[node-a][[51234,1],0][btl_tcp_component.c:120:init] listening" },
}
