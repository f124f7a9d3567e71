/* Error counters of network ports under one name each, whoever printed them: perfquery, ethtool -S, sysfs. */
#include "tools.h"

static const tool_name names[] = { /* perfquery */
                                   { "SymbolErrorCounter", "symbol_errors" },
                                   { "LinkErrorRecoveryCounter", "link_recoveries" },
                                   { "LinkDownedCounter", "link_downs" },
                                   { "PortRcvErrors", "receive_errors" },
                                   { "PortXmitDiscards", "transmit_discards" },
                                   { "LocalLinkIntegrityErrors", "integrity_errors" },
                                   { "ExcessiveBufferOverrunErrors", "buffer_overruns" },
                                   { "VL15Dropped", "vl15_dropped" },
                                   { "PortXmitWait", "transmit_wait" },
                                   /* sysfs: ports/N/counters and hw_counters */
                                   { "symbol_error", "symbol_errors" },
                                   { "link_error_recovery", "link_recoveries" },
                                   { "link_downed", "link_downs" },
                                   { "port_rcv_errors", "receive_errors" },
                                   { "port_xmit_discards", "transmit_discards" },
                                   { "local_link_integrity_errors", "integrity_errors" },
                                   { "excessive_buffer_overrun_errors", "buffer_overruns" },
                                   { "port_xmit_wait", "transmit_wait" },
                                   { "out_of_sequence", "out_of_sequence" },
                                   { "packet_seq_err", "sequence_errors" },
                                   { "local_ack_timeout_err", "ack_timeouts" },
                                   { "rnr_nak_retry_err", "rnr_retries" },
                                   { "out_of_buffer", "out_of_buffer" },
                                   { "req_cqe_error", "request_errors" },
                                   { "resp_cqe_error", "response_errors" },
                                   /* sysfs hw_counters of EFA */
                                   { "rx_drops", "receive_dropped" },
                                   { "no_completion_cmds", "unanswered_commands" },
                                   { "rdma_read_wr_err", "request_errors" },
                                   { "rdma_write_wr_err", "request_errors" },
                                   { "retrans_pkts", "retransmissions" },
                                   { "retrans_timeout_events", "ack_timeouts" },
                                   { "unresponsive_remote_events", "unresponsive_peers" },
                                   /* ethtool -S of mlx5 */
                                   { "link_down_events_phy", "link_downs" },
                                   { "rx_symbol_err_phy", "symbol_errors" },
                                   { "rx_pcs_symbol_err_phy", "pcs_symbol_errors" },
                                   { "rx_crc_errors_phy", "crc_errors" },
                                   { "rx_discards_phy", "receive_discards" },
                                   { "tx_discards_phy", "transmit_discards" },
                                   { "tx_errors_phy", "transmit_errors" },
                                   { "rx_out_of_buffer", "out_of_buffer" },
                                   { "rx_prio0_discards", "priority_discards" },
                                   { "rx_prio1_discards", "priority_discards" },
                                   { "rx_prio2_discards", "priority_discards" },
                                   { "rx_prio3_discards", "priority_discards" },
                                   { "rx_prio4_discards", "priority_discards" },
                                   { "rx_prio5_discards", "priority_discards" },
                                   { "rx_prio6_discards", "priority_discards" },
                                   { "rx_prio7_discards", "priority_discards" },
                                   { "rx_prio3_pause", "pauses_received" },
                                   { "tx_prio3_pause", "pauses_sent" },
                                   { "roce_adp_retrans", "retransmissions" },
                                   { "np_cnp_sent", "congestion_notices_sent" },
                                   { "rp_cnp_handled", "congestion_notices" },
                                   { "outbound_pci_stalled_wr", "pci_stalled_writes" },
                                   { "module_unplug", "module_unplugs" },
                                   { "module_bus_stuck", "module_bus_stuck" },
                                   { "module_high_temp", "module_high_temperature" }
};

bool tool_count(tool_counters *c, ff_bytes printed, uint64_t value)
{
    const char *name = tool_field_of(names, FF_COUNT(names), printed);
    if (!name)
        return false;
    unsigned i = 0;
    while (i < c->n && !ff_equal(ff_str(c->name[i]), ff_str(name)))
        i++;
    if (i == TOOL_COUNTERS)
        return false;
    if (i == c->n) {
        c->name[c->n++] = name;
        c->value[i] = 0;
    }
    c->value[i] = value > UINT64_MAX - c->value[i] ? UINT64_MAX : c->value[i] + value;
    return true;
}

void tool_add_counters(ff_fields *f, const tool_counters *c)
{
    for (unsigned i = 0; i < c->n; i++)
        tool_add(f, c->name[i], c->value[i]);
}
