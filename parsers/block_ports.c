/* Ports of RDMA devices as ibstat, ibstatus and ibv_devinfo print them. (rdma link has all on one line: a signature.)
 *     CA 'mlx5_0'                                    Infiniband device 'mlx5_0' port 1 status:
 *     	Port 1:                                       	state:		 4: ACTIVE
 *     		State: Active                             	phys state:	 5: LinkUp
 *     		Physical state: LinkUp                    hca_id:	mlx5_0
 *     		SM lid: 1                                 		port:	1
 *     		Link layer: InfiniBand                    			state:			PORT_ACTIVE
 * (4) Formats: rdma-core infiniband-diags/ibstat.c and ibstatus, libibverbs/examples/devinfo.c. Words are kept in
 * lower case and without their numbers. */
#include "lines.h"

#include <string.h>

static bool is_head(ff_bytes text)
{
    return ff_starts(text, FF_LIT("CA '")) || ff_starts(text, FF_LIT("Infiniband device '")) ||
           ff_starts(text, FF_LIT("hca_id:"));
}

static bool ports_opens(const ff_event *ev) { return is_head(ev->text); }

static ff_block_say ports_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    (void)lines;
    (void)n;
    if (!ff_trim(next->text).n)
        return FF_BLOCK_NOT_MINE;
    bool inside = next->text.p[0] == '\t' || next->text.p[0] == ' ';
    return inside ? FF_BLOCK_MINE : FF_BLOCK_END;
}

typedef struct port {
    ff_bytes device, number, state, physical, rate, lid, sm_lid, layer, firmware, mtu, max_mtu;
    const ff_block_line *line; /* of the state */
} port;

static ff_bytes lower(ff_bytes in, ff_arena *arena)
{
    char *out = FF_NEW_N(arena, char, in.n + 1);
    for (size_t i = 0; i < in.n; i++)
        out[i] = in.p[i] >= 'A' && in.p[i] <= 'Z' ? (char)(in.p[i] + 32) : in.p[i];
    return (ff_bytes){ out, in.n };
}

/* "4: ACTIVE", "PORT_ACTIVE (4)", "Active" -> "active" */
static ff_bytes state_word(ff_bytes value, ff_arena *arena)
{
    uint64_t n = 0;
    ff_bytes rest = value, word = value;
    if (ff_take_uint(&rest, &n) && ff_take_char(&rest, ':'))
        word = rest;
    word = ff_trim(ff_first_n(word, ff_find(word, FF_LIT("("))));
    (void)ff_take_lit(&word, FF_LIT("PORT_"));
    return lower(word, arena);
}

/* "4096 (5)": the number in brackets is verbs' own. */
static void add_mtu(ff_fields *f, const char *name, ff_bytes value)
{
    uint64_t n = 0;
    if (ff_take_uint(&value, &n) && n <= 65536)
        ff_fields_int(f, name, FF_FIELD_INT, (int64_t)n);
}

static void give(const port *p, ff_sink *out)
{
    if (!p->line || !p->device.n)
        return;
    ff_fields f = { .n = 0 };
    ff_fields_text(&f, "device", FF_FIELD_TEXT, p->device);
    ff_fields_text(&f, "port", FF_FIELD_TEXT, p->number);
    ff_fields_text(&f, "state", FF_FIELD_TEXT, state_word(p->state, out->scratch));
    ff_fields_text(&f, "physical", FF_FIELD_TEXT, state_word(p->physical, out->scratch));
    ff_fields_text(&f, "rate", FF_FIELD_TEXT, p->rate);
    ff_fields_text(&f, "lid", FF_FIELD_TEXT, p->lid);
    ff_fields_text(&f, "sm_lid", FF_FIELD_TEXT, p->sm_lid);
    ff_fields_text(&f, "layer", FF_FIELD_TEXT, lower(p->layer, out->scratch));
    ff_fields_text(&f, "firmware", FF_FIELD_TEXT, p->firmware);
    add_mtu(&f, "mtu", p->mtu);
    add_mtu(&f, "max_mtu", p->max_mtu);
    ff_fact fact = { .id = FF_FACT_PORT,
                     .line = p->line->line,
                     .offset = p->line->offset,
                     .quote = p->line->quote,
                     .said = p->line->ev.said,
                     .who = p->line->ev.who,
                     .fields = f.at,
                     .n_fields = f.n };
    out->fact(out->owner, &fact);
}

static ff_bytes quoted(ff_bytes text)
{
    ff_bytes name;
    return ff_take_until(&text, '\'', &name) && ff_take_until(&text, '\'', &name) ? name : (ff_bytes){ 0 };
}

static void read_head(port *p, ff_bytes text)
{
    *p = (port){ .device = quoted(text) };
    size_t at = ff_find(text, FF_LIT(" port "));
    ff_bytes rest = ff_skip_n(text, at + 6);
    if (ff_take_lit(&text, FF_LIT("hca_id:")))
        p->device = ff_trim(text);
    else if (at < text.n)
        (void)ff_take_word(&rest, &p->number);
}

static void next_port(port *p, ff_bytes number, ff_sink *out)
{
    give(p, out);
    *p = (port){ .device = p->device, .firmware = p->firmware, .number = number };
}

static void read_line(port *p, const ff_block_line *line, ff_sink *out)
{
    static const struct {
        const char *key;
        size_t at;
    } keys[] = { { "physical state", offsetof(port, physical) },
                 { "phys state", offsetof(port, physical) },
                 { "phys_state", offsetof(port, physical) },
                 { "rate", offsetof(port, rate) },
                 { "base lid", offsetof(port, lid) },
                 { "port_lid", offsetof(port, lid) },
                 { "sm lid", offsetof(port, sm_lid) },
                 { "sm_lid", offsetof(port, sm_lid) },
                 { "link layer", offsetof(port, layer) },
                 { "link_layer", offsetof(port, layer) },
                 { "active_mtu", offsetof(port, mtu) },
                 { "max_mtu", offsetof(port, max_mtu) },
                 { "firmware version", offsetof(port, firmware) },
                 { "fw_ver", offsetof(port, firmware) } };
    ff_bytes rest = ff_trim(line->ev.text), key;
    if (!ff_take_until(&rest, ':', &key))
        return;
    ff_bytes value = ff_trim(rest), number = key;
    if (ff_take_lit(&number, FF_LIT("Port ")) && !value.n) {
        next_port(p, ff_trim(number), out);
    } else if (ff_equal(key, FF_LIT("port"))) {
        next_port(p, value, out);
    } else if (ff_equal_nocase(key, FF_LIT("state"))) {
        p->state = value;
        p->line = line;
    }
    for (size_t i = 0; i < FF_COUNT(keys); i++)
        if (ff_equal_nocase(key, ff_str(keys[i].key)))
            memcpy((char *)p + keys[i].at, &value, sizeof value);
}

static void ports_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    port p = { .line = NULL };
    (void)cut;
    read_head(&p, lines[0].ev.text);
    for (uint32_t i = 1; i < n; i++)
        read_line(&p, &lines[i], out);
    give(&p, out);
}

static const char *const ports_needles[] = { "CA '", "Infiniband device '", "hca_id:", NULL };

const ff_block ff_block_ports = { .name = "ports",
                                  .streams = FF_STREAM_NET,
                                  .needles = ports_needles,
                                  .max_lines = 600,
                                  .opens = ports_opens,
                                  .take = ports_take,
                                  .read = ports_read };
