/* Partition keys of RDMA ports: what sysfs has, a file an index, or all of them as grep prints them.
 *     sys/class/infiniband/mlx5_0/ports/1/pkeys/0                           0xffff
 *     /sys/class/infiniband/mlx5_0/ports/1/pkeys/1:0x8001
 * Bit 15 says full member; two limited members of one partition cannot talk to each other. 0x0000 is an empty entry.
 * Format: kernel drivers/infiniband/core/sysfs.c (show_port_pkey). */
#include "doc_private.h"
#include "tools.h"

typedef struct pkey {
    ff_bytes device, port;
    uint64_t index, key;
} pkey;

static const char FOLDER[] = "/pkeys/";

/* ".../mlx5_0/ports/1/pkeys/0"; *rest: what stands behind */
static bool take_path(ff_bytes text, pkey *k, ff_bytes *rest)
{
    size_t at = ff_find(text, ff_str(FOLDER));
    if (at >= text.n)
        return false;
    ff_bytes folder = ff_first_n(text, at);
    k->port = ff_after_last(folder, '/');
    folder = ff_first_n(folder, folder.n - k->port.n);
    if (folder.n < 7 || !ff_equal(ff_skip_n(folder, folder.n - 7), FF_LIT("/ports/")))
        return false;
    k->device = ff_after_last(ff_first_n(folder, folder.n - 7), '/');
    *rest = ff_skip_n(text, at + sizeof FOLDER - 1);
    return k->port.n && k->port.n <= 3 && k->device.n && k->device.n <= 32 && ff_take_uint(rest, &k->index);
}

static bool read_key(ff_bytes text, pkey *k)
{
    return text.n == 6 && ff_take_lit(&text, FF_LIT("0x")) && ff_take_hex(&text, &k->key) && !text.n;
}

static bool read_line(ff_bytes text, pkey *k)
{
    ff_bytes rest;
    return text.n < 512 && take_path(text, k, &rest) && ff_take_char(&rest, ':') && read_key(ff_trim(rest), k);
}

static bool add_fields(const pkey *k, ff_fields *f)
{
    if (!k->key)
        return false;
    ff_fields_text(f, "device", FF_FIELD_TEXT, k->device);
    ff_fields_text(f, "port", FF_FIELD_TEXT, k->port);
    tool_add(f, "index", k->index);
    tool_add(f, "partition", k->key & 0x7fff);
    tool_add(f, "full", k->key >> 15);
    return true;
}

/* ---- lines ---- */
static bool pkeys_opens(const ff_event *ev)
{
    pkey k = { .index = 0 };
    return read_line(ev->text, &k);
}

static void pkeys_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    pkey k = { .index = 0 };
    ff_fields f = { .n = 0 };
    (void)n;
    (void)cut;
    if (read_line(lines[0].ev.text, &k) && add_fields(&k, &f))
        tool_fact(out, &lines[0], FF_FACT_NET_PKEY, &f);
}

static const char *const pkeys_needles[] = { "/pkeys/", NULL };

const ff_block ff_block_pkeys = {
    .name = "pkeys", .streams = FF_STREAM_NET, .needles = pkeys_needles, .opens = pkeys_opens, .read = pkeys_read
};

/* ---- a file ---- */
static bool read_file(ff_bytes name, ff_bytes text, pkey *k)
{
    ff_bytes rest;
    return take_path(name, k, &rest) && !rest.n && read_key(ff_trim(text), k);
}

static int pkey_probe(const ff_probe *in)
{
    pkey k = { .index = 0 };
    return in->whole && in->head.n <= 16 && read_file(in->name, in->head, &k) ? 48 : 0;
}

static ff_status pkey_parse(const ff_doc *doc, ff_sink *out)
{
    pkey k = { .index = 0 };
    ff_fields f = { .n = 0 };
    doc_lines lines;
    doc_lines_init(&lines, doc->bytes);
    ff_fact fact = { .id = FF_FACT_NET_PKEY, .who = FF_WHO_NOBODY };
    if (read_file(doc->name, doc->bytes, &k) && add_fields(&k, &f))
        doc_fact(out, &lines, 0, &fact, &f);
    return FF_OK;
}

const ff_parser ff_parser_pkey_file = {
    .name = "pkey_file", .streams = FF_STREAM_NET, .collected = true, .probe = pkey_probe, .parse = pkey_parse
};
