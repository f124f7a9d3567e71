-- Partitions of an InfiniBand fabric. A queue pair is made with the key at one index of its port's table (0 unless NCCL_IB_PKEY says
-- another), and packets pass only between ports that are of one partition, at least one of them as a full member. Where that does not
-- hold the set-up works all the same and nothing arrives: retries run out.
-- Sources: InfiniBand architecture 10.9; NCCL transport/net_ib (NCCL_IB_PKEY); kernel sysfs pkeys.
correlate {
  id    = "net.pkey",
  group = "job",
  uses  = { "net.pkey" },
  reach = { "net.modify_qp_failed", "net.nccl_completion", "ucx.completion", "nccl.env" },
  judge = function(case)
    local on = case.signals
    local hurt = join(on["net.modify_qp_failed"], keep(on["net.nccl_completion"], function(s) return s.fields.status == 12 end), on["ucx.completion"])
    local asked = keep(on["nccl.env"], function(s) return s.fields.variable == "NCCL_IB_PKEY" and tonumber(s.fields.value or "") ~= nil end)
    local index = #asked > 0 and tonumber(asked[1].fields.value) or 0
    local used = keep(on["net.pkey"], function(s) return s.fields.index == index and s.host ~= nil end)
    local hosts = distinct(used, "host")
    if #hosts < 2 or #hurt == 0 then return {} end
    local partitions = distinct(used, function(s) return s.fields.partition end)
    local full = keep(used, function(s) return s.fields.full == 1 end)
    local function of_all(text, why, evidence, host)
      return { { cause = "net.gid_or_pkey", confidence = "likely", scope = host and "host" or "job", host = host, ranks = not host and {} or nil, evidence = join(asked, evidence), symptoms = hurt,
        confidence_why = why, summary = text, facts = { index = index } } }
    end
    if #partitions == 1 and #full == 0 then
      return of_all(string.format("All ports are limited members of the partition at index %d, so none can talk to another (NCCL_IB_PKEY should name a full member's index)", index),
        "the tables of both ends show it, and queue pairs get no answer", used)
    end
    -- the host that stands alone, where there is a majority
    local groups = group_by(used, function(s) return s.fields.partition end)
    if #groups ~= 2 then return {} end
    local a, b = distinct(groups[1], "host"), distinct(groups[2], "host")
    local odd = #a < #b and groups[1] or #b < #a and groups[2] or nil
    local whom = odd and #distinct(odd, "host") == 1 and odd[1].host or nil
    return of_all(string.format("Ports of %s and %s have different partition keys at index %d (0x%04x and 0x%04x)", a[1], b[1], index, groups[1][1].fields.partition, groups[2][1].fields.partition),
      "the tables of the two ends have no partition in common at the index in use, and queue pairs get no answer", odd or used, whom)
  end,
}
