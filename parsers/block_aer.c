/* The kernel's counters of PCIe errors, since the machine started, as files and as grep prints them.
 *     sys/bus/pci/devices/0000:3b:00.0/aer_dev_correctable                     a file of that name:
 *         RxErr 0
 *         BadTLP 812
 *         TOTAL_ERR_COR 812
 *     /sys/bus/pci/devices/0000:3b:00.0/aer_dev_fatal:TOTAL_ERR_FATAL 2        grep . of several
 * Format: kernel drivers/pci/pcie/aer.c. One file a device and kind: aer_dev_correctable, _fatal, _nonfatal. */
#include "doc_private.h"
#include "tools.h"

#define MOST_BYTES 1200u

static const char FILES[] = "aer_dev_";

typedef struct counts {
    ff_bytes device, kind, most;
    uint64_t total, most_n;
    bool whole;
} counts;

/* "...0000:3b:00.0/aer_dev_fatal" -> device, kind; *rest: what stands behind */
static bool take_path(ff_bytes text, counts *c, ff_bytes *rest)
{
    size_t at = ff_find(text, ff_str(FILES));
    if (at >= text.n || at < 2 || text.p[at - 1] != '/')
        return false;
    c->device = ff_after_last(ff_first_n(text, at - 1), '/');
    ff_bytes kind = ff_skip_n(text, at + sizeof FILES - 1);
    size_t n = 0;
    while (n < kind.n && kind.p[n] >= 'a' && kind.p[n] <= 'z')
        n++;
    c->kind = ff_first_n(kind, n);
    *rest = ff_skip_n(kind, n);
    static const char *const kinds[] = { "correctable", "fatal", "nonfatal", NULL };
    return c->device.n >= 7 && c->device.n <= 12 && ff_is_one_of(c->kind, kinds);
}

static bool add_row(counts *c, ff_bytes row)
{
    ff_bytes rest = ff_trim(row), name, value;
    uint64_t n = 0;
    if (!ff_take_word(&rest, &name) || !ff_take_cell(&rest, &value) || ff_trim(rest).n || !tool_number(value, &n))
        return false;
    if (ff_starts(name, FF_LIT("TOTAL_ERR_"))) {
        c->total = n;
        c->whole = true;
    } else if (n > c->most_n) {
        c->most = name;
        c->most_n = n;
    }
    return true;
}

static bool add_fields(const counts *c, ff_fields *f)
{
    if (!c->whole)
        return false;
    ff_fields_text(f, "device", FF_FIELD_TEXT, c->device);
    ff_fields_text(f, "kind", FF_FIELD_TEXT, c->kind);
    tool_add(f, "errors", c->total);
    ff_fields_text(f, "most", FF_FIELD_TEXT, c->most);
    return true;
}

/* ---- lines ---- */
static bool aer_opens(const ff_event *ev)
{
    counts c = { .total = 0 };
    ff_bytes rest;
    return ev->text.n < 1024 && take_path(ev->text, &c, &rest) && ff_take_char(&rest, ':') && add_row(&c, rest);
}

static ff_block_say aer_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    (void)lines;
    (void)n;
    return aer_opens(next) ? FF_BLOCK_MINE : FF_BLOCK_END;
}

static void aer_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    counts c = { .total = 0 };
    (void)cut;
    for (uint32_t i = 0; i < n; i++) {
        counts here = { .total = 0 };
        ff_fields f = { .n = 0 };
        ff_bytes rest;
        if (!take_path(lines[i].ev.text, &here, &rest) || !ff_take_char(&rest, ':'))
            continue;
        if (!ff_equal(c.device, here.device) || !ff_equal(c.kind, here.kind))
            c = here;
        if (add_row(&c, rest) && add_fields(&c, &f)) {
            tool_fact(out, &lines[i], FF_FACT_AER_COUNTERS, &f);
            c = (counts){ .total = 0 };
        }
    }
}

static const char *const aer_needles[] = { "/aer_dev_", NULL };

const ff_block ff_block_aer = { .name = "aer",
                                .streams = FF_STREAM_HOST,
                                .needles = aer_needles,
                                .max_lines = FF_CAP_BLOCK_LINES,
                                .opens = aer_opens,
                                .take = aer_take,
                                .read = aer_read };

/* ---- a file ---- */
static bool read_file(ff_bytes name, ff_bytes text, counts *c)
{
    ff_bytes rest, line;
    *c = (counts){ .total = 0 };
    if (!take_path(name, c, &rest) || rest.n)
        return false;
    while (ff_take_line(&text, &line))
        if (!add_row(c, line))
            return false;
    return c->whole;
}

static int aer_probe(const ff_probe *in)
{
    counts c;
    return in->whole && in->head.n <= MOST_BYTES && read_file(in->name, in->head, &c) ? 64 : 0;
}

static ff_status aer_parse(const ff_doc *doc, ff_sink *out)
{
    counts c;
    ff_fields f = { .n = 0 };
    doc_lines lines;
    doc_lines_init(&lines, doc->bytes);
    ff_fact fact = { .id = FF_FACT_AER_COUNTERS, .who = FF_WHO_NOBODY };
    if (read_file(doc->name, doc->bytes, &c) && add_fields(&c, &f))
        doc_fact(out, &lines, ff_find(doc->bytes, FF_LIT("TOTAL_ERR_")), &fact, &f);
    return FF_OK;
}

const ff_parser ff_parser_aer_file = {
    .name = "aer_file", .streams = FF_STREAM_HOST, .collected = true, .probe = aer_probe, .parse = aer_parse
};
