-- What NCCL prints at INFO and goes on: a value that it would not take, a peer of its RAS service that is slow to answer. Side notes all: healthy jobs print these, too. (The many remarks with a text of their own are in messages.lua.)
-- Sources: NCCL src/misc/param.cc, src/init.cc, src/misc/argcheck.cc; src/ras/peers.cc.
signature {
  id      = "nccl.value_refused",
  stream  = { "nccl", "app" },
  needles = { "is not valid, leaving", "is not a valid value", "is too big. Limiting", "is too high, capping", "is too low, leaving", "INFO Invalid ", "Unable to recognize NCCL_", "INFO Unknown CTA policy",
              "invalid for family" },
  pattern = [[NCCL INFO (?<text>\S.*(?:is not valid, leaving it set|is not a valid value|is too big\. Limiting value|is too high, capping|is too low, leaving it set|is invalid for family).*|Invalid value .* for .*, using default .*|Invalid \S+ -?\d+ \((?:maximum|minimum|must be).*|Unable to recognize NCCL_.*|Unknown CTA policy .*)$]],
  fields  = { text = "text" },
  match   = { "NCCL INFO Invalid value abc for NCCL_NET_GDR_LEVEL, using default 3.", "NCCL INFO NCCL_MIN_CTAS 128 is too low, leaving it set at 32", "NCCL INFO Unable to recognize NCCL_NETDEVS_POLICY=BIG, using NCCL_NETDEVS_POLICY_AUTO instead.",
              "NCCL INFO splitShare 3 is not a valid value 0/1, set it to 0", "NCCL INFO Invalid maxCTAs 99 (maximum 64).", "NCCL INFO NET/IB: Ip address 'fe80::1' is invalid for family AF_INET, ignoring address" },
  ignore  = { "NCCL INFO NCCL_MIN_CTAS set by environment to 8.", "NCCL INFO Invalid rank" },
}
signature {
  id      = "nccl.ras_slow_peer",
  stream  = { "nccl", "app" },
  needles = { "RAS init timeout error (", "-- giving up on" },
  pattern = [[NCCL INFO (?<text>RAS (?:init timeout error|collective \S+ timeout error) \(.*)$]],
  fields  = { text = "text" },
  fold    = {},
  match   = { "NCCL INFO RAS init timeout error (30s) on incoming socket connection from 10.0.0.3<28028>", "NCCL INFO RAS collective 10.0.0.3<28028>:3 timeout error (5s) -- giving up on 3 missing responses" },
  ignore  = { "NCCL INFO RAS client listening socket at 127.0.0.1<28028>" },
}
correlate {
  id    = "nccl.remarks.more",
  group = "host",
  uses  = { "nccl.value_refused", "nccl.ras_slow_peer" },
  judge = function(case)
    local on, found, seen = case.signals, {}, {}
    for _, s in ipairs(on["nccl.value_refused"]) do
      if not seen[s.fields.text] and #found < 20 then
        seen[s.fields.text] = true
        found[#found + 1] = { cause = "comm.env_mismatch", severity = "note", confidence = "certain", evidence = { s }, confidence_why = "NCCL says that it changed or ignored the value",
          summary = "NCCL would not take a value: " .. string.sub(s.fields.text, 1, 200) }
      end
    end
    local function note(cause, list, why, text)
      if #list > 0 then
        found[#found + 1] = { cause = cause, severity = "note", confidence = "possible", evidence = { first(list) }, count = first(list).count, confidence_why = why, summary = text }
      end
    end
    note("net.peer_reset", on["nccl.ras_slow_peer"], "RAS gives up early; a busy process answers late", "NCCL's RAS service waited in vain for a peer")
    return found
  end,
}
