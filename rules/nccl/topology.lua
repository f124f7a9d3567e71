-- How NCCL lays a communicator out: rings, trees, and what carries the data. Healthy jobs print these too, so nothing here becomes a
-- finding; `firstfault comms` shows them. Every rank prints rings and transports for each channel: equal ones fold into one, and the literals are rare.
-- A file keeps few folded kinds, and so what differs from rank to rank folds only where a rank repeats it.
-- P2P between GPUs is pcie.via_p2p, the network nccl.network, the interface nccl.bootstrap_using.
-- Numbers are ranks of the communicator, not of the job, so no field is typed as a rank: they must not name anybody.
-- Sources: NCCL src/graph/rings.cc (rank 0 only), src/init.cc (Ring, Trees, Destroy, Abort), src/transport/{shm,net,coll_net}.cc.
signature {
  id      = "nccl.ring_order",
  stream  = "nccl",
  needles = { " : 0 ", " :  " }, -- the order begins at rank 0; how wide its numbers are depends on the release
  pattern = [[NCCL INFO Channel \d+/(?<channels>\d+) :(?<order>(?: +\d+)+)\s*$]],
  fields  = { channels = "int", order = "text" },
  fold    = { "channels", "order" },
  match   = { "NCCL INFO Channel 00/24 : 0 1", "hx-n07:14820:14910 [0] NCCL INFO Channel 01/02 :    0   1   2   3 " },
  ignore  = { "NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM", "NCCL INFO Channel 00/24 :  " },
}
signature {
  id      = "nccl.ring",
  stream  = "nccl",
  needles = { " INFO Ring " },
  pattern = [[NCCL INFO Ring \d+ : (?<before>\d+) -> (?<position>\d+) -> (?<after>\d+)]],
  fields  = { before = "int", position = "int", after = "int" },
  fold    = { "before", "position", "after" },
  match   = { "NCCL INFO Ring 00 : 1 -> 0 -> 1" },
  ignore  = { "NCCL INFO Channel 00/24 :  0 1" },
}
signature {
  id      = "nccl.trees",
  stream  = "nccl",
  needles = { " INFO Trees [" },
  pattern = [[NCCL INFO Trees (?<trees>\[\d+\] [-\d]+/[-\d]+/[-\d>]+(?: \[\d+\] [-\d]+/[-\d]+/[-\d>]+)*)]],
  fields  = { trees = "text" },
  match   = { "NCCL INFO Trees [0] 1/-1/-1->0->-1 [1] 1/-1/-1->0->-1" },
  ignore  = { "NCCL INFO Tree 0 : -1 -> 0 -> 1/-1/-1" },
}
signature {
  id      = "nccl.via",
  stream  = "nccl",
  needles = { " via SHM/", " via NET/", " via COLLNET/" },
  pattern = [[NCCL INFO Channel \d+(?:/\d+)? : (?<from>\d+)(?:\[\w+\])? -> (?<to>\d+)(?:\[\w+\])? (?:\[(?:send|receive)\] )?via (?<kind>(?:SHM|NET|COLLNET)/[^/\s]+)(?:/(?<device>\d+)(?:\(\d+\))?)?(?<how>(?:/[A-Za-z]+)*)]],
  fields  = { from = "int", to = "int", kind = "text", device = "int", how = "text" },
  fold    = { "kind", "how" },
  match   = { "NCCL INFO Channel 00/0 : 3[0] -> 0[0] [send] via NET/IB/0/GDRDMA", "NCCL INFO Channel 00 : 0[0] -> 1[1] via SHM/direct/direct",
              "NCCL INFO Channel 00/1 : 1[1] -> 0[0] [receive] via NET/Socket/0/Shared" },
  ignore  = { "NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM" },
}
signature {
  id      = "nccl.comm_end",
  stream  = "nccl",
  needles = { "Destroy COMPLETE", "Abort START", "Abort COMPLETE" },
  pattern = [[NCCL INFO comm (?<comm>0x[0-9a-f]+) rank (?<position>\d+) n[rR]anks (?<nranks>\d+) .*- (?<how>Destroy|Abort) (?<phase>START|COMPLETE)]],
  fields  = { comm = "text", position = "int", nranks = "int", how = "text", phase = "text" },
  match   = { "NCCL INFO comm 0x2fd24830 rank 0 nranks 2 cudaDev 0 busId 60 - Destroy COMPLETE",
              "NCCL INFO comm 0x4200c170 rank 1 nRanks 2 cudaDev 1 busId 70 - Abort START" },
  ignore  = { "NCCL INFO comm 0x5 rank 4 nranks 8 cudaDev 4 busId a1000 commId 0x91f0c11d - Init COMPLETE" },
}
