/* What the document parsers share: places in the text, and a few notations. */
#include "doc_private.h"

#include <string.h>

void doc_lines_init(doc_lines *l, ff_bytes text) { *l = (doc_lines){ .text = text, .line = 1 }; }

uint32_t doc_line_at(doc_lines *l, uint64_t offset, ff_bytes *whole, uint64_t *begin)
{
    size_t at = offset < l->text.n ? (size_t)offset : l->text.n;
    if (at < l->at) {
        l->at = 0;
        l->line = 1;
    }
    const char *p = l->text.p;
    while (l->at < at) {
        const char *hit = memchr(p + l->at, '\n', at - l->at);
        if (!hit)
            break;
        l->at = (uint64_t)(hit - p) + 1;
        l->line++;
    }
    ff_bytes rest = ff_skip_n(l->text, l->at), line = { 0 };
    (void)ff_take_line(&rest, &line);
    /* A document that stands on one line is quoted around the place, not from its beginning. */
    size_t inside = at - (size_t)l->at;
    size_t from = line.n > FF_CAP_EVIDENCE_TEXT && inside > 64 ? inside - 64 : 0;
    *whole = ff_first_n(ff_skip_n(line, from), line.n > FF_CAP_EVIDENCE_TEXT ? 512 : line.n);
    *begin = l->at + from;
    return l->line;
}

void doc_fact(const ff_sink *out, doc_lines *l, uint64_t offset, ff_fact *f, const ff_fields *fields)
{
    f->line = doc_line_at(l, offset, &f->quote, &f->offset);
    f->fields = fields->at;
    f->n_fields = fields->n;
    out->fact(out->owner, f);
}

static bool take_hex_of(ff_bytes *in, uint64_t max, uint64_t *out)
{
    ff_bytes rest = *in;
    if (!rest.n || !ff_take_hex(&rest, out) || *out > max)
        return false;
    *in = rest;
    return true;
}

ff_bytes doc_pci(ff_bytes text, ff_arena *arena)
{
    uint64_t domain = 0, bus = 0, device = 0;
    ff_bytes in = ff_trim(text);
    if (!take_hex_of(&in, UINT32_MAX, &domain) || !ff_take_char(&in, ':') || !take_hex_of(&in, 0xff, &bus))
        return (ff_bytes){ 0 };
    if (ff_take_char(&in, ':')) {
        if (!take_hex_of(&in, 0x1f, &device))
            return (ff_bytes){ 0 };
    } else {
        device = bus;
        bus = domain;
        domain = 0;
        if (device > 0x1f || bus > 0xff)
            return (ff_bytes){ 0 };
    }
    return ff_arena_format(arena, "%04x:%02x:%02x", (unsigned)domain, (unsigned)bus, (unsigned)device);
}

bool doc_quantity_kib(ff_bytes text, int64_t *kib)
{
    static const struct {
        const char *unit;
        double bytes;
    } units[] = { { "", 1 },
                  { "Ki", 1024.0 },
                  { "Mi", 1048576.0 },
                  { "Gi", 1073741824.0 },
                  { "Ti", 1099511627776.0 },
                  { "k", 1e3 },
                  { "K", 1e3 },
                  { "M", 1e6 },
                  { "G", 1e9 },
                  { "T", 1e12 },
                  { "P", 1e15 },
                  { "Pi", 1125899906842624.0 },
                  { "m", 1e-3 },
                  { "E", 1e18 },
                  { "e3", 1e3 },
                  { "e6", 1e6 },
                  { "e9", 1e9 },
                  { "e12", 1e12 } };
    ff_bytes in = ff_trim(text);
    uint64_t whole = 0;
    int64_t part = 0, grain = 0;
    if (!ff_take_uint(&in, &whole))
        return false;
    ff_take_fraction(&in, &part, &grain);
    for (size_t i = 0; i < FF_COUNT(units); i++) {
        if (!ff_equal(in, ff_str(units[i].unit)))
            continue;
        double value = ((double)whole + (double)part / 1e9) * units[i].bytes / 1024;
        if (value >= 9e18)
            return false;
        *kib = (int64_t)value;
        return true;
    }
    return false;
}

ff_bytes doc_container_id(ff_bytes text)
{
    size_t at = ff_find(text, FF_LIT("://"));
    return at < text.n ? ff_skip_n(text, at + 3) : text;
}

int doc_count_found(ff_bytes head, const char *const *words)
{
    int bits = 0;
    for (; *words; words++)
        bits += ff_contains(head, ff_str(*words)) ? 8 * (int)ff_str(*words).n : 0;
    return bits;
}

bool doc_begins_json(ff_bytes head)
{
    head = ff_trim(head);
    return head.n && (*head.p == '{' || *head.p == '[');
}
