#include "text_private.h"

#define WASTE 12 /* columns that a cut line may leave unused */

static const char *const ink_on[] = { "", "\033[1m", "\033[1;31m", "\033[1;33m", "\033[1;32m", "\033[2m" };

static size_t step(ff_bytes text, size_t at, uint32_t *cp)
{
    static const uint8_t first_mask[5] = { 0, 0x7F, 0x1F, 0x0F, 0x07 };
    const unsigned char *p = (const unsigned char *)text.p + at;
    size_t n = p[0] < 0x80 ? 1 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    if (n > text.n - at)
        n = text.n - at;
    *cp = p[0] & first_mask[n];
    for (size_t i = 1; i < n; i++)
        *cp = *cp << 6 | (p[i] & 0x3Fu);
    return n;
}

static unsigned width_of(uint32_t cp)
{
    static const struct {
        uint32_t from, to;
    } none[] = { { 0x300, 0x36F },   { 0x483, 0x489 },   { 0x591, 0x5BD },   { 0x64B, 0x65F },
                 { 0x1AB0, 0x1AFF }, { 0x20D0, 0x20FF }, { 0xFE00, 0xFE0F }, { 0xFE20, 0xFE2F } },
      two[] = { { 0x1100, 0x115F },   { 0x2E80, 0x303E },   { 0x3041, 0xA4CF },   { 0xAC00, 0xD7A3 },
                { 0xF900, 0xFAFF },   { 0xFE30, 0xFE6F },   { 0xFF00, 0xFF60 },   { 0xFFE0, 0xFFE6 },
                { 0x1F300, 0x1F64F }, { 0x1F680, 0x1F6FF }, { 0x1F900, 0x1F9FF }, { 0x20000, 0x3FFFD } };
    for (size_t i = 0; i < FF_COUNT(none); i++)
        if (cp >= none[i].from && cp <= none[i].to)
            return 0;
    for (size_t i = 0; i < FF_COUNT(two); i++)
        if (cp >= two[i].from && cp <= two[i].to)
            return 2;
    return 1;
}

size_t ff_columns(ff_bytes text)
{
    size_t columns = 0;
    for (size_t at = 0; at < text.n;) {
        uint32_t cp = 0;
        at += step(text, at, &cp);
        columns += width_of(cp);
    }
    return columns;
}

/* Longest prefix that takes at most `room` columns; at least one character, so that a loop over it ends. */
static ff_bytes fitting(ff_bytes text, size_t room)
{
    size_t columns = 0, at = 0;
    while (at < text.n) {
        uint32_t cp = 0;
        size_t n = step(text, at, &cp);
        if (at > 0 && columns + width_of(cp) > room)
            break;
        columns += width_of(cp);
        at += n;
    }
    return ff_first_n(text, at);
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

/* Takes what goes on one line of `room` columns: whole words where possible, a piece of a word that is longer. */
static ff_bytes take_row(ff_bytes *rest, size_t room)
{
    size_t end = 0, columns = 0, at = 0;
    while (at < rest->n) {
        uint32_t cp = 0;
        size_t n = step(*rest, at, &cp);
        if (at && is_blank(rest->p[at]) && !is_blank(rest->p[at - 1]))
            end = at;
        columns += width_of(cp);
        if (columns > room)
            break;
        at += n;
    }
    end = at < rest->n ? end : at;
    ff_bytes row = end ? ff_first_n(*rest, end) : fitting(*rest, room);
    *rest = ff_trim(ff_skip_n(*rest, row.n));
    return row;
}

static void add_row(const ff_page *p, ff_ink ink, ff_bytes row, bool cut, size_t room)
{
    if (p->colour)
        ff_text_adds(p->out, ink_on[ink]);
    ff_text_add(p->out, cut && ff_columns(row) >= room ? fitting(row, room - 1) : row);
    if (cut)
        ff_text_adds(p->out, "\xE2\x80\xA6");
    if (p->colour && ink != FF_INK_PLAIN)
        ff_text_adds(p->out, "\033[0m");
    ff_text_addc(p->out, '\n');
}

void ff_page_flow(const ff_page *p, ff_ink ink, const char *lead, unsigned hang, ff_bytes text, unsigned max_lines)
{
    ff_text head, clean;
    ff_text_init(&head, 0);
    ff_text_init(&clean, 0);
    ff_text_add_clean(&head, ff_str(lead));
    ff_text_add_clean(&clean, text);
    /* A tab has no width of its own on a page; one blank keeps the columns right. */
    for (size_t i = 0; i < clean.n; i++)
        if (clean.p[i] == '\t')
            clean.p[i] = ' ';
    ff_bytes rest = ff_trim(ff_text_view(&clean));
    size_t taken = ff_columns(ff_text_view(&head));
    ff_text_add(p->out, ff_text_view(&head));
    for (unsigned line = 1;; line++) {
        size_t room = p->width > taken + 10 ? p->width - taken : 10;
        bool last = max_lines && line == max_lines;
        ff_bytes before = rest, row = take_row(&rest, room);
        /* Half a word says more than a line that is left half empty. */
        if (last && rest.n && ff_columns(row) + WASTE < room)
            row = fitting(before, room);
        add_row(p, ink, row, last && rest.n, room);
        if (!rest.n || last)
            break;
        for (unsigned i = 0; i < hang; i++)
            ff_text_addc(p->out, ' ');
        taken = hang;
    }
    ff_text_done(&head);
    ff_text_done(&clean);
}

void ff_page_blank(const ff_page *p) { ff_text_addc(p->out, '\n'); }
