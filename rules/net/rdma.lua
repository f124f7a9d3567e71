-- RDMA that somebody promised and nobody has. A node label or a device plugin is control-plane text; the proof is the device.
-- Without it one node still works and several fall back to sockets, so this is a side note unless its cost is shown.
-- Sources: NCCL src/transport/net_ib ("No device found"), NFD label names, coreutils ls.
signature {
  id = "nccl.ib_no_device", stream = "nccl", needles = { "NET/IB : No device found" },
  pattern = [[NCCL INFO NET/IB : No device found]], fold = {},
  match = { "NCCL INFO NET/IB : No device found." }, ignore = { "NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [RO]; OOB eth0:10.0.0.1<0>" },
}
signature {
  id = "nccl.network", stream = "nccl", needles = { "Using network " },
  pattern = [[NCCL INFO Using network (?<network>\S.*)$]], fields = { network = "text" }, fold = { "network" },
  match = { "NCCL INFO Using network Socket" }, ignore = { "NCCL INFO NET/Socket : Using [0]eth0:10.61.7.33<0>" },
}
signature {
  id = "host.no_infiniband", stream = { "net", "host", "app" }, needles = { "/dev/infiniband", "/sys/class/infiniband" },
  pattern = [[cannot access '?(?<path>/dev/infiniband|/sys/class/infiniband)[^':]*'?: No such file]], fields = { path = "text" },
  match = { "ls: cannot access '/dev/infiniband': No such file or directory" }, ignore = { "crw-rw-rw- 1 root root 231, 192 /dev/infiniband/uverbs0" },
}
correlate {
  id    = "net.rdma_absent.note",
  group = "job",
  uses  = { "k8s.node_label", "nccl.ib_no_device", "host.no_infiniband" },
  judge = function(case)
    local on = case.signals
    local promised = keep(on["k8s.node_label"], function(s)
      return s.fields.rdma == 1 and s.fields.value ~= "false" and s.fields.value ~= "0"
    end)
    local absent = join(on["host.no_infiniband"], on["nccl.ib_no_device"])
    if #promised == 0 or #absent == 0 then return {} end
    return { { cause = "net.rdma_absent", severity = "note", confidence = "likely", scope = "host", evidence = { first(promised), first(absent) },
      confidence_why = "a label promises RDMA, and no device was found",
      summary = string.format("The node label %s=%s promises RDMA, but no RDMA device is there; on one node this costs nothing, several nodes fall back to sockets",
        first(promised).fields.label or "?", first(promised).fields.value or "?"),
      facts = { contradicts = "the label promises RDMA, the machine has no device" } } }
  end,
}
