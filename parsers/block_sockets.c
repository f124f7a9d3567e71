/* TCP sockets as ss -t prints them below its heading, with or without -a, -n, -p, and as netstat -t does.
 *     State      Recv-Q Send-Q Local Address:Port  Peer Address:Port Process
 *     ESTAB      0      0      10.0.0.1:43210      10.0.0.2:29500     users:(("python3",pid=41234,fd=57))
 *     Proto Recv-Q Send-Q Local Address   Foreign Address State       PID/Program name
 *     tcp        0      1 10.0.0.1:43210  10.0.0.2:29500  SYN_SENT    41234/python3
 * Formats: iproute2 misc/ss.c, net-tools netstat.c. SYN-SENT: nobody answers there; CLOSE-WAIT: the other end has
 * closed and this one has not noticed; a filled Send-Q: the other end does not read. Not understood: either without
 * its heading. */
#include "tools.h"

#define SINGLE_FACTS 64u

typedef struct socket_row {
    ff_bytes state, local, peer, process;
    uint64_t recv_q, send_q, pid;
    bool has_pid;
} socket_row;

static const char *const states[] = { "ESTAB",      "SYN-SENT", "SYN-RECV", "FIN-WAIT-1", "FIN-WAIT-2", "TIME-WAIT",
                                      "CLOSE-WAIT", "LAST-ACK", "LISTEN",   "CLOSING",    "UNCONN",     NULL };

/* netstat's words for what ss calls otherwise. */
static const tool_name of_netstat[] = { { "ESTABLISHED", "ESTAB" },     { "SYN_SENT", "SYN-SENT" },
                                        { "SYN_RECV", "SYN-RECV" },     { "FIN_WAIT1", "FIN-WAIT-1" },
                                        { "FIN_WAIT2", "FIN-WAIT-2" },  { "TIME_WAIT", "TIME-WAIT" },
                                        { "CLOSE_WAIT", "CLOSE-WAIT" }, { "LAST_ACK", "LAST-ACK" },
                                        { "LISTEN", "LISTEN" },         { "CLOSING", "CLOSING" } };

static void read_process(ff_bytes rest, socket_row *r)
{
    ff_bytes from = ff_skip_n(rest, ff_find(rest, FF_LIT("((\"")));
    if (ff_take_lit(&from, FF_LIT("((\"")) && ff_take_until(&from, '"', &r->process)) {
        from = ff_skip_n(from, ff_find(from, FF_LIT("pid=")));
        r->has_pid = ff_take_lit(&from, FF_LIT("pid=")) && ff_take_uint(&from, &r->pid) && r->pid <= INT32_MAX;
    }
}

/* "41234/python3"; "-" where it belongs to somebody else. */
static void read_program(ff_bytes word, socket_row *r)
{
    if (!ff_take_uint(&word, &r->pid) || r->pid > INT32_MAX || !ff_take_char(&word, '/'))
        return;
    r->has_pid = true;
    r->process = word;
}

static bool take_netstat_row(ff_bytes text, socket_row *r)
{
    ff_bytes rest = text, word, recv_q, send_q, state;
    *r = (socket_row){ .pid = 0 };
    if (!ff_take_cell(&rest, &word) || !(ff_equal(word, FF_LIT("tcp")) || ff_equal(word, FF_LIT("tcp6"))) ||
        !ff_take_cell(&rest, &recv_q) || !ff_take_cell(&rest, &send_q) || !tool_number(recv_q, &r->recv_q) ||
        !tool_number(send_q, &r->send_q) || !ff_take_cell(&rest, &r->local) || !ff_take_cell(&rest, &r->peer) ||
        !ff_take_cell(&rest, &state))
        return false;
    const char *name = tool_field_of(of_netstat, FF_COUNT(of_netstat), state);
    if (!name)
        return false;
    r->state = ff_str(name);
    if (ff_take_cell(&rest, &word))
        read_program(word, r);
    return true;
}

static bool take_row(ff_bytes text, socket_row *r)
{
    ff_bytes rest = text, recv_q, send_q, word;
    if (take_netstat_row(text, r))
        return true;
    *r = (socket_row){ .pid = 0 };
    if (!ff_take_cell(&rest, &r->state))
        return false;
    if (ff_equal(r->state, FF_LIT("tcp")) && !ff_take_cell(&rest, &r->state)) /* ss -a names the protocol first */
        return false;
    if (!ff_is_one_of(r->state, states) || !ff_take_cell(&rest, &recv_q) || !ff_take_cell(&rest, &send_q) ||
        !tool_number(recv_q, &r->recv_q) || !tool_number(send_q, &r->send_q) || !ff_take_cell(&rest, &word) ||
        !ff_take_cell(&rest, &r->peer))
        return false;
    r->local = word;
    read_process(rest, r);
    return true;
}

static bool sockets_opens(const ff_event *ev)
{
    ff_bytes head = ff_trim(ev->text);
    return (ff_starts(head, FF_LIT("State")) || ff_starts(head, FF_LIT("Netid")) ||
            ff_starts(head, FF_LIT("Proto"))) &&
           ff_contains(head, FF_LIT("Recv-Q")) && ff_contains(head, FF_LIT("Local Address"));
}

static ff_block_say sockets_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    socket_row r;
    (void)lines;
    (void)n;
    if (take_row(next->text, &r))
        return FF_BLOCK_MINE;
    /* -i and -o put details of a socket on a line that begins with a tab; -a lists other protocols between */
    ff_bytes text = next->text;
    bool other = ff_starts(text, FF_LIT("\t")) || ff_starts(text, FF_LIT("u_")) || ff_starts(text, FF_LIT("udp")) ||
                 ff_starts(text, FF_LIT("nl "));
    return other ? FF_BLOCK_NOT_MINE : FF_BLOCK_END;
}

static bool is_odd(const socket_row *r)
{
    if (ff_equal(r->state, FF_LIT("SYN-SENT")) || ff_equal(r->state, FF_LIT("CLOSE-WAIT")))
        return true;
    return ff_equal(r->state, FF_LIT("ESTAB")) && (r->recv_q || r->send_q);
}

static void give_row(const ff_block_line *line, const socket_row *r, ff_sink *out)
{
    ff_fields f = { .n = 0 };
    ff_fields_text(&f, "state", FF_FIELD_TEXT, tool_lower(r->state, out->scratch));
    tool_add(&f, "receive_queue", r->recv_q);
    tool_add(&f, "send_queue", r->send_q);
    ff_fields_text(&f, "local", FF_FIELD_TEXT, r->local);
    ff_fields_text(&f, "peer", FF_FIELD_TEXT, r->peer);
    ff_fields_text(&f, "process", FF_FIELD_PROCESS, r->process);
    if (r->has_pid)
        ff_fields_int(&f, "pid", FF_FIELD_PID, (int64_t)r->pid);
    tool_fact(out, line, FF_FACT_NET_SOCKET, &f);
}

static void sockets_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    static const tool_name counted[] = { { "ESTAB", "established" },
                                         { "SYN-SENT", "syn_sent" },
                                         { "CLOSE-WAIT", "close_wait" },
                                         { "LISTEN", "listening" },
                                         { "TIME-WAIT", "time_wait" } };
    uint64_t counts[FF_COUNT(counted)] = { 0 }, receive = 0, send = 0;
    unsigned odd = 0;
    for (uint32_t i = 1; i < n; i++) {
        socket_row r;
        if (!take_row(lines[i].ev.text, &r))
            continue;
        for (size_t k = 0; k < FF_COUNT(counted); k++)
            counts[k] += ff_equal(r.state, ff_str(counted[k].printed));
        bool established = ff_equal(r.state, FF_LIT("ESTAB"));
        receive += established && r.recv_q;
        send += established && r.send_q;
        if (is_odd(&r) && odd++ < SINGLE_FACTS)
            give_row(&lines[i], &r, out);
    }
    ff_fields f = { .n = 0 };
    for (size_t k = 0; k < FF_COUNT(counted); k++)
        tool_add(&f, counted[k].field, counts[k]);
    tool_add(&f, "receive_queues", receive);
    tool_add(&f, "send_queues", send);
    if (n > 1)
        tool_fact(out, &lines[0], FF_FACT_NET_SOCKETS, &f);
    if (cut)
        out->skip(out->owner, lines[n - 1].line, "table is longer than the cap");
}

static const char *const sockets_needles[] = { "Recv-Q", NULL };

const ff_block ff_block_sockets = { .name = "sockets",
                                    .streams = FF_STREAM_NET,
                                    .needles = sockets_needles,
                                    .max_lines = FF_CAP_BLOCK_LINES,
                                    .opens = sockets_opens,
                                    .take = sockets_take,
                                    .read = sockets_read };
