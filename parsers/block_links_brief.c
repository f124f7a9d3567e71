/* Network interfaces in two short forms, a fact a row or a report.
 *     ens3f0np0        UP             ac:1f:6b:4e:22:9b <BROADCAST,MULTICAST,UP,LOWER_UP>     ip -br link
 *     ens3f0np0        UP             10.0.0.1/24 fe80::ae1f:6bff:fe4e:229b/64                ip -br addr
 *     Settings for ens3f0np0:                                                                 ethtool
 *     	Speed: 400000Mb/s
 *     	Link detected: yes
 * Formats: iproute2 ip/ipaddress.c (print_brief), ethtool. ip -br says no MTU; without flags only the state. */
#include "tools.h"

/* ---- ip -br ---- */
typedef struct brief {
    ff_bytes name, state, flags, address;
} brief;

static bool is_state(ff_bytes word)
{
    static const char *const states[] = { "UP", "DOWN", "UNKNOWN", "DORMANT", "LOWERLAYERDOWN", "NOTPRESENT", NULL };
    return ff_is_one_of(word, states);
}

static bool take_brief(ff_bytes text, brief *b)
{
    ff_bytes rest = text, word;
    *b = (brief){ .name = { 0 } };
    if (!text.n || text.p[0] == ' ' || !ff_take_word(&rest, &b->name) || b->name.n > 80 ||
        !ff_take_cell(&rest, &b->state) || !is_state(b->state))
        return false;
    while (ff_take_cell(&rest, &word)) {
        ff_bytes inside = word;
        if (ff_take_char(&inside, '<') && ff_ends(inside, FF_LIT(">")))
            b->flags = ff_first_n(inside, inside.n - 1);
        else if (ff_contains(word, FF_LIT("/")) && ff_contains(word, FF_LIT(".")) && !b->address.n)
            b->address = word;
        else if (!ff_contains(word, FF_LIT(":")))
            return false;
    }
    b->name = ff_first_n(b->name, ff_find(b->name, FF_LIT("@")));
    return b->flags.n || b->address.n;
}

static bool brief_opens(const ff_event *ev)
{
    brief b;
    return take_brief(ev->text, &b);
}

static void brief_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    brief b;
    ff_fields f = { .n = 0 };
    (void)n;
    (void)cut;
    if (!take_brief(lines[0].ev.text, &b))
        return;
    ff_fields_text(&f, "interface", FF_FIELD_TEXT, b.name);
    ff_fields_text(&f, "state", FF_FIELD_TEXT, tool_lower(b.state, out->scratch));
    if (b.flags.n) {
        tool_add(&f, "up", tool_has_item(b.flags, "UP"));
        tool_add(&f, "carrier", tool_has_item(b.flags, "LOWER_UP"));
    } else if (ff_equal(b.state, FF_LIT("UP"))) {
        tool_add(&f, "up", 1);
        tool_add(&f, "carrier", 1);
    }
    ff_fields_text(&f, "address", FF_FIELD_TEXT, b.address);
    tool_fact(out, &lines[0], FF_FACT_NET_INTERFACE, &f);
}

/* The state stands in a column of its own, 14 wide. */
static const char *const brief_needles[] = { " UP             ", " DOWN           ", " UNKNOWN        ",
                                             " DORMANT        ", " LOWERLAYERDOWN ", NULL };

const ff_block ff_block_links_brief = { .name = "links_brief",
                                        .streams = FF_STREAM_NET,
                                        .needles = brief_needles,
                                        .opens = brief_opens,
                                        .read = brief_read };

/* ---- ethtool ---- */
static bool take_settings(ff_bytes text, ff_bytes *name)
{
    return ff_take_lit(&text, FF_LIT("Settings for ")) && ff_take_until(&text, ':', name) && name->n &&
           name->n <= 80 && !ff_trim(text).n;
}

static bool settings_opens(const ff_event *ev)
{
    ff_bytes name;
    return take_settings(ev->text, &name);
}

static ff_block_say settings_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    (void)lines;
    (void)n;
    return next->text.n && (next->text.p[0] == '\t' || next->text.p[0] == ' ') ? FF_BLOCK_MINE : FF_BLOCK_END;
}

static void settings_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    const ff_block_line *at = &lines[0];
    ff_fields f = { .n = 0 };
    ff_bytes name, key;
    uint64_t speed = 0;
    (void)cut;
    if (!take_settings(lines[0].ev.text, &name))
        return;
    ff_fields_text(&f, "interface", FF_FIELD_TEXT, name);
    for (uint32_t i = 1; i < n; i++) {
        ff_bytes rest = ff_trim(lines[i].ev.text);
        if (!ff_take_until(&rest, ':', &key))
            continue;
        rest = ff_trim(rest);
        if (ff_equal(key, FF_LIT("Speed")) && ff_take_uint(&rest, &speed) && ff_equal(rest, FF_LIT("Mb/s"))) {
            tool_add(&f, "speed_mbps", speed);
        } else if (ff_equal(key, FF_LIT("Link detected"))) {
            tool_add(&f, "carrier", ff_starts(rest, FF_LIT("yes")));
            at = &lines[i];
        }
    }
    if (f.n > 1)
        tool_fact(out, at, FF_FACT_NET_INTERFACE, &f);
}

static const char *const settings_needles[] = { "Settings for ", NULL };

const ff_block ff_block_ethtool = { .name = "ethtool",
                                    .streams = FF_STREAM_NET,
                                    .needles = settings_needles,
                                    .max_lines = 200,
                                    .opens = settings_opens,
                                    .take = settings_take,
                                    .read = settings_read };
