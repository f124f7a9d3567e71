/* Network interfaces as ip prints them: ip addr, ip link, ip -s link, with or without -o.
 *     2: eno2: <NO-CARRIER,BROADCAST,MULTICAST,UP> mtu 1500 qdisc mq state DOWN group default qlen 1000
 *         link/ether ac:1f:6b:4e:22:9b brd ff:ff:ff:ff:ff:ff
 *         inet 10.44.7.17/22 brd 10.44.7.255 scope global eno2
 *         RX:  bytes packets errors dropped  missed   mcast
 *              81234     512      0       0       0       3
 * Format: iproute2 ip/ipaddress.c, ip/iplink. Of ip -br: block_links_brief.c. */
#include "tools.h"

typedef struct link_head {
    ff_bytes name, flags, rest;
    uint64_t index;
} link_head;

static bool take_head(ff_bytes text, link_head *h)
{
    ff_bytes rest = text;
    if (!ff_take_uint(&rest, &h->index) || !ff_take_lit(&rest, FF_LIT(": ")) ||
        !ff_take_until(&rest, ':', &h->name) || !h->name.n || h->name.n > 80 || !ff_take_lit(&rest, FF_LIT(" <")) ||
        !ff_take_until(&rest, '>', &h->flags) || !ff_starts(rest, FF_LIT(" mtu ")))
        return false;
    h->name = ff_first_n(h->name, ff_find(h->name, FF_LIT("@")));
    h->rest = rest;
    return true;
}

static bool links_opens(const ff_event *ev)
{
    link_head h;
    return take_head(ev->text, &h);
}

static ff_block_say links_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    link_head h;
    (void)lines;
    (void)n;
    return ff_starts(next->text, FF_LIT("    ")) || take_head(next->text, &h) ? FF_BLOCK_MINE : FF_BLOCK_END;
}

/* The word behind key in "... key WORD ..." */
static ff_bytes word_behind(ff_bytes text, const char *key)
{
    ff_bytes word = { 0 };
    if (ff_take_past(&text, ff_str(key)))
        (void)ff_take_word(&text, &word);
    return word;
}

/* "RX: bytes packets errors dropped missed mcast" and the numbers below. */
static void add_counts(ff_fields *f, ff_bytes heads, ff_bytes cells, bool received)
{
    static const tool_name rx[] = { { "errors", "receive_errors" },
                                    { "dropped", "receive_dropped" },
                                    { "missed", "receive_missed" },
                                    { "overrun", "receive_missed" } };
    static const tool_name tx[] = { { "errors", "transmit_errors" },
                                    { "dropped", "transmit_dropped" },
                                    { "carrier", "carrier_errors" } };
    ff_bytes head, cell;
    for (;;) {
        uint64_t value = 0;
        if (!ff_take_cell(&heads, &head) || !ff_take_cell(&cells, &cell) || !tool_number(cell, &value))
            return;
        const char *name = received ? tool_field_of(rx, FF_COUNT(rx), head) : tool_field_of(tx, FF_COUNT(tx), head);
        if (name)
            tool_add(f, name, value);
    }
}

static void read_link(const ff_block_line *lines, uint32_t n, ff_sink *out)
{
    link_head h = { .index = 0 };
    ff_fields f = { .n = 0 };
    uint64_t mtu = 0;
    ff_bytes kind = { 0 }, address = { 0 }, line;
    if (!take_head(lines[0].ev.text, &h))
        return;
    ff_fields_text(&f, "interface", FF_FIELD_TEXT, h.name);
    if (tool_number(word_behind(h.rest, " mtu "), &mtu))
        tool_add(&f, "mtu", mtu);
    ff_fields_text(&f, "state", FF_FIELD_TEXT, tool_lower(word_behind(h.rest, " state "), out->scratch));
    tool_add(&f, "up", tool_has_item(h.flags, "UP"));
    tool_add(&f, "carrier", tool_has_item(h.flags, "LOWER_UP"));
    for (uint32_t i = 0; i < n; i++) {
        ff_bytes text = i ? lines[i].ev.text : h.rest;
        if (!kind.n)
            kind = word_behind(text, " link/");
        if (!address.n)
            address = word_behind(text, " inet ");
        line = ff_trim(text);
        bool received = ff_take_lit(&line, FF_LIT("RX:"));
        if ((received || ff_take_lit(&line, FF_LIT("TX:"))) && i + 1 < n)
            add_counts(&f, line, lines[i + 1].ev.text, received);
    }
    ff_fields_text(&f, "kind", FF_FIELD_TEXT, kind);
    ff_fields_text(&f, "address", FF_FIELD_TEXT, address);
    tool_fact(out, &lines[0], FF_FACT_NET_INTERFACE, &f);
}

static void links_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    link_head h;
    (void)cut;
    for (uint32_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && !take_head(lines[next].ev.text, &h); next++)
            ;
        read_link(&lines[i], next - i, out);
    }
}

static const char *const links_needles[] = { "> mtu ", NULL };

const ff_block ff_block_links = { .name = "links",
                                  .streams = FF_STREAM_NET,
                                  .needles = links_needles,
                                  .max_lines = FF_CAP_BLOCK_LINES,
                                  .opens = links_opens,
                                  .take = links_take,
                                  .read = links_read };
