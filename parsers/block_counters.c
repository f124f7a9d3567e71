/* Counters of a port as perfquery, ethtool -S and rdma statistic print them.
 *     # Port counters: Lid 12 port 1 (CapMask: 0x5300)        NIC statistics:
 *     SymbolErrorCounter:..............0                           rx_discards_phy: 0
 *     link rdmap0s6/1 tx_bytes 811 tx_pkts 12 rx_drops 0 ... (one line)
 * Formats: rdma-core infiniband-diags/perfquery.c, ethtool, iproute2 rdma/stat.c. ethtool does not say which device
 * it asked: the command does, where it stands in front of its output, or in the name of the file
 * (ethtool_-S_ens3f0np0). */
#include "doc_private.h"
#include "tools.h"

static bool is_perfquery(ff_bytes text)
{
    return ff_starts(text, FF_LIT("# Port ")) && ff_contains(text, FF_LIT(" counters: Lid "));
}

/* "# ethtool -S ens3f0np0" */
static bool is_command(ff_bytes text, ff_bytes *device)
{
    size_t at = ff_find(text, FF_LIT("ethtool -S "));
    ff_bytes rest = ff_skip_n(text, at + 11);
    return at < text.n && ff_take_name(&rest, device) && !ff_trim(rest).n;
}

static bool is_ethtool(ff_bytes text) { return ff_equal(ff_trim(text), FF_LIT("NIC statistics:")); }

static bool counter_row(ff_bytes text, ff_bytes *name, uint64_t *value)
{
    ff_bytes rest = ff_trim(text);
    if (!ff_take_until(&rest, ':', name) || !name->n || ff_contains(*name, FF_LIT(" ")))
        return false;
    while (ff_take_char(&rest, '.'))
        ;
    return tool_number(ff_trim(rest), value);
}

/* "link DEVICE/PORT name value name value ..." */
static bool take_statistic(ff_bytes *rest, ff_bytes *device, ff_bytes *port)
{
    ff_bytes in = *rest, name;
    if (!ff_take_lit(&in, FF_LIT("link ")) || !ff_take_until(&in, '/', device) || ff_contains(*device, FF_LIT(" ")) ||
        !ff_take_cell(&in, port))
        return false;
    *rest = in;
    uint64_t value;
    ff_bytes word;
    return ff_take_cell(&in, &name) && ff_take_cell(&in, &word) && tool_number(word, &value);
}

static void count_statistic(ff_bytes rest, tool_counters *c)
{
    ff_bytes name, word;
    uint64_t value = 0;
    while (ff_take_cell(&rest, &name) && ff_take_cell(&rest, &word))
        if (tool_number(word, &value))
            (void)tool_count(c, name, value);
}

static bool is_statistic(ff_bytes text)
{
    ff_bytes device, port;
    return take_statistic(&text, &device, &port);
}

static bool counters_opens(const ff_event *ev)
{
    ff_bytes device;
    return is_statistic(ev->text) || is_perfquery(ev->text) || is_ethtool(ev->text) || is_command(ev->text, &device);
}

static ff_block_say counters_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    ff_bytes name, rest = ff_trim(next->text);
    uint64_t value;
    if (is_statistic(lines[0].ev.text))
        return FF_BLOCK_END;
    if (n == 1 && is_command(lines[0].ev.text, &name))
        return is_ethtool(next->text) ? FF_BLOCK_MINE : FF_BLOCK_END;
    if (counter_row(next->text, &name, &value))
        return FF_BLOCK_MINE;
    /* perfquery has rows that are no counter: PortSelect, CounterSelect:......0x0000 */
    bool other = is_perfquery(lines[0].ev.text) && ff_contains(rest, FF_LIT(":....")) && rest.p[0] != '#';
    return other ? FF_BLOCK_NOT_MINE : FF_BLOCK_END;
}

static void counters_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    tool_counters c = { .n = 0 };
    ff_fields f = { .n = 0 };
    ff_bytes head = lines[0].ev.text, lid, port, device;
    (void)cut;
    if (is_command(head, &device))
        ff_fields_text(&f, "device", FF_FIELD_TEXT, device);
    ff_bytes pairs = head;
    if (take_statistic(&pairs, &device, &port)) {
        ff_fields_text(&f, "device", FF_FIELD_TEXT, device);
        ff_fields_text(&f, "port", FF_FIELD_TEXT, port);
        count_statistic(pairs, &c);
    }
    ff_bytes rest = ff_skip_n(head, ff_find(head, FF_LIT(" Lid ")) + 5);
    if (is_perfquery(head) && ff_take_word(&rest, &lid) && ff_take_lit(&rest, FF_LIT(" port ")) &&
        ff_take_word(&rest, &port)) {
        ff_fields_text(&f, "lid", FF_FIELD_TEXT, lid);
        ff_fields_text(&f, "port", FF_FIELD_TEXT, port);
    }
    for (uint32_t i = 1; i < n; i++) {
        ff_bytes name;
        uint64_t value = 0;
        if (counter_row(lines[i].ev.text, &name, &value))
            (void)tool_count(&c, name, value);
    }
    tool_add_counters(&f, &c);
    if (c.n)
        tool_fact(out, &lines[0], FF_FACT_NET_COUNTERS, &f);
}

static const char *const counters_needles[] = { " counters: Lid ",     "NIC statistics:", "ethtool -S ",
                                                " rx_write_requests ", " tx_bytes ",      NULL };

const ff_block ff_block_counters = { .name = "counters",
                                     .streams = FF_STREAM_NET,
                                     .needles = counters_needles,
                                     .max_lines = FF_CAP_BLOCK_LINES,
                                     .opens = counters_opens,
                                     .take = counters_take,
                                     .read = counters_read };

/* ---- a file of ethtool's output alone ---- */
static int ethtool_probe(const ff_probe *in)
{
    ff_bytes head = in->head, line;
    return in->whole && ff_take_line(&head, &line) && is_ethtool(line) ? 64 : 0;
}

/* "ens3f0np0.txt"; "eth0.100" is a VLAN. */
static ff_bytes without_ending(ff_bytes name)
{
    size_t n = name.n;
    while (n && ((name.p[n - 1] >= 'a' && name.p[n - 1] <= 'z')))
        n--;
    return n > 1 && n < name.n && name.p[n - 1] == '.' ? ff_first_n(name, n - 1) : name;
}

static ff_status ethtool_parse(const ff_doc *doc, ff_sink *out)
{
    ff_bytes rest = doc->bytes, head, line, name, device = { 0 }, after;
    ff_fields f = { .n = 0 };
    tool_counters c = { .n = 0 };
    uint64_t value = 0;
    size_t at = ff_find(doc->name, FF_LIT("ethtool_-S_"));
    after = ff_skip_n(doc->name, at + 11);
    if (at < doc->name.n && ff_take_name(&after, &device))
        ff_fields_text(&f, "device", FF_FIELD_TEXT, without_ending(device));
    (void)ff_take_line(&rest, &head);
    while (ff_take_line(&rest, &line))
        if (counter_row(line, &name, &value))
            (void)tool_count(&c, name, value);
    tool_add_counters(&f, &c);
    doc_lines lines;
    doc_lines_init(&lines, doc->bytes);
    ff_fact fact = { .id = FF_FACT_NET_COUNTERS, .who = FF_WHO_NOBODY };
    if (c.n)
        doc_fact(out, &lines, 0, &fact, &f);
    return FF_OK;
}

const ff_parser ff_parser_ethtool = {
    .name = "ethtool", .streams = FF_STREAM_NET, .collected = true, .probe = ethtool_probe, .parse = ethtool_parse
};
