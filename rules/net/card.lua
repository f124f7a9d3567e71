-- Commands that an adapter refuses. Each carries the words of its firmware; what they mean follows the command. A card that has no more
-- keys or queue pairs says so ("limits exceeded", "no resources"), and the caller sees "Cannot allocate memory", which reads like
-- RLIMIT_MEMLOCK. A refused change of a queue pair's state ("bad resource state") follows from what happened to that pair before, and
-- refused registers of management functions and refused clean-up are noise.
-- Source: kernel drivers/net/ethernet/mellanox/mlx5/core/cmd.c (mlx5_cmd_check, mlx5_cmd_out_err; status words in cmd_status_str).
local SOON = minutes(2)

signature {
  id      = "kernel.mlx5_refused",
  stream  = "kernel",
  needles = { " failed, status " },
  pattern = [[^mlx5_core (?<device>[0-9a-fA-F:.]+)(?: \S+)?: (?:\w+:\d+:\(pid (?<pid>\d+)\): )?(?<command>CREATE_(?:MKEY|QP|CQ|SRQ|XRC_SRQ|XRQ|UMEM|RQ|SQ|DCT)|ALLOC_(?:PD|UAR|XRCD|TRANSPORT_DOMAIN)|(?:RST|INIT|RTR|RTS|SQD|SQERR)2\w+_QP|MODIFY_(?:CQ|RQ|SQ|DCT))\(0x[0-9a-fA-F]+\)[^,]*? failed, status (?<status>[a-zA-Z ()]+)\(0x(?<code>[0-9a-fA-F]+)\)]],
  fields  = { device = "text", pid = "pid", command = "text", status = "text", code = "hex" },
  fold    = { "device", "command", "code" },
  match   = { "mlx5_core 0000:5e:00.0: mlx5_cmd_check:824:(pid 46096): CREATE_QP(0x500) op_mod(0x0) failed, status limits exceeded(0x8), syndrome (0x19c6d6)",
              "mlx5_core 0000:5e:00.0: mlx5_cmd_out_err:838:(pid 4121): RTR2RTS_QP(0x504) op_mod(0x0) failed, status bad resource state(0x9), syndrome (0x12345), err(-22)" },
  ignore  = { "mlx5_core 0000:05:00.0: mlx5_cmd_out_err:838:(pid 18360): ACCESS_REG(0x805) op_mod(0x1) failed, status bad operation(0x2), syndrome (0x9a6171), err(-22)",
              "mlx5_core 0000:5e:00.0: mlx5_cmd_out_err:838:(pid 4121): DESTROY_QP(0x501) op_mod(0x0) failed, status bad resource state(0x9), syndrome (0x12345), err(-22)",
              "mlx5_core 0000:5e:00.0: wait_func:1132:(pid 141181): CREATE_MKEY(0x200) timeout. Will cause a leak of a command resource" },
  tells   = "network card {device} refuses {command}: {status}",
}

correlate {
  id    = "net.card_refused",
  needs = { "kernel" },
  group = "host",
  uses  = { "kernel.mlx5_refused" },
  reach = { "nccl.warn", "ucx.no_memory", "app.nccl_error" },
  judge = function(case)
    local on = case.signals
    local refused = on["kernel.mlx5_refused"]
    local full = keep(refused, function(s) return (s.fields.code == 0x8 or s.fields.code == 0xf) and match(s.fields.command, [[^(?:CREATE|ALLOC)_]]) ~= nil end)
    local head = first(full) or first(refused)
    -- who asked for it: the same host, soon after the card's answer
    local asked = keep(join(on["ucx.no_memory"], keep(on["nccl.warn"], function(s) return match(s.fields.text, [[(?:ibv_(?:reg_|create_|alloc_)|mlx5dv_)\w* failed]]) ~= nil end)), function(s)
      return (s.host == nil or case.host == nil or s.host == case.host) and order(s, head) ~= "before" and is_near(s, head, SOON)
    end)
    local f = head.fields
    if #full > 0 and #asked > 0 then
      return { { cause = "host.pin_failed", confidence = "likely", scope = "host", evidence = full, symptoms = asked,
        confidence_why = "the card's own answer to the call that failed: it has no more of them, whatever RLIMIT_MEMLOCK says",
        summary = string.format("Network card %s refuses %s: %s", f.device, f.command, f.status), facts = { device = f.device, command = f.command, status = f.status } } }
    end
    return { { cause = "net.ib_transport_error", severity = "note", confidence = "possible", scope = "host", evidence = refused,
      confidence_why = "the card refused a command; that somebody missed it is not shown, or it follows from what came before",
      summary = string.format("Network card %s refused %s: %s", f.device, f.command, f.status), facts = { device = f.device, command = f.command, status = f.status } } }
  end,
}

-- A completion with an error, as the kernel's driver dumps it: of a file system or a network over InfiniBand, for a program's own are dumped
-- by its library. The last row holds the card's syndrome. Source: kernel drivers/infiniband/hw/mlx5/cq.c (dump_cqe, mlx5_handle_error_cqe).
signature {
  id      = "kernel.cqe_error",
  stream  = "kernel",
  needles = { "dump error cqe", "WC error: ", "00000030: " },
  pattern = [[^infiniband (?<device>\S+): (?:dump_cqe|mlx5_handle_error_cqe):\d+:\(pid \d+\): (?:(?<dump>dump error cqe)|WC error: (?<error>\d+))|^(?:\S+ \S+: \w+:\d+:\(pid \d+\): )?00000030: (?:[0-9a-f]{2} ){6}(?<vendor>[0-9a-f]{2}) (?<syndrome>[0-9a-f]{2})\b]],
  fields  = { device = "text", dump = "text", error = "int", vendor = "hex", syndrome = "hex" },
  fold    = { "device", "syndrome" },
  match   = { "infiniband mlx5_0: dump_cqe:272:(pid 4): dump error cqe", "infiniband mlx5_0: mlx5_handle_error_cqe:331:(pid 0): WC error: 12, Message: transport retry counter exceeded", "00000030: 00 00 00 00 00 00 88 15 08 00 01 2a 00 01 5d d2" },
  ignore  = { "00000020: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00" },
  tells   = "a completion with an error on {device}",
}
local SYNDROME = { [0x01] = "local length", [0x02] = "local queue-pair operation", [0x04] = "local protection", [0x05] = "flushed", [0x10] = "bad response", [0x11] = "local access", [0x12] = "remote invalid request",
  [0x13] = "remote access", [0x14] = "remote operation", [0x15] = "retries exceeded: no answer", [0x16] = "the peer was not ready", [0x22] = "aborted" }
correlate {
  id    = "net.cqe_error",
  group = "host",
  uses  = { "kernel.cqe_error" },
  judge = function(case)
    local heads = keep(case.signals["kernel.cqe_error"], function(s) return s.fields.device ~= nil end) -- the rows alone may be any hex dump
    if #heads == 0 then return {} end
    local rows = keep(case.signals["kernel.cqe_error"], function(s) return s.fields.syndrome ~= nil and s.member == heads[1].member and s.line > heads[1].line and s.line - heads[1].line <= 8 end)
    local what = #rows > 0 and SYNDROME[rows[1].fields.syndrome] or nil
    return { { cause = "net.ib_transport_error", severity = "note", confidence = "possible", scope = "host", evidence = join(heads, rows),
      confidence_why = "the kernel's own use of RDMA met it; that the job did is not shown",
      summary = string.format("A completion with an error on %s%s", heads[1].fields.device, what and " (" .. what .. ")" or ""), facts = { device = heads[1].fields.device } } }
  end,
}
