/* Sheets and cells. The format has limits that a log can reach, and an escape of its own that a log can imitate. */
#include "as_xlsx_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define NS_PER_DAY 86400e9
#define DAYS_BEFORE_1970 25569.0 /* the format counts days from 1899-12-30 */

ff_sheet ff_sheet_open(ff_book *b, lxw_worksheet *sheet, const ff_column *columns, uint16_t n)
{
    ff_sheet s = { .book = b, .sheet = sheet, .columns = n };
    for (uint16_t i = 0; i < n; i++) {
        (void)worksheet_set_column(sheet, i, i, columns[i].width, NULL);
        (void)worksheet_write_string(sheet, 0, i, columns[i].title, b->head);
    }
    worksheet_freeze_panes(sheet, 1, 0);
    return s;
}

bool ff_sheet_next(ff_sheet *s)
{
    /* The last row is kept for the note about what was left out. */
    if (s->row + 2 >= s->book->rows) {
        s->left_out++;
        s->book->cut = true;
        return false;
    }
    s->row++;
    return true;
}

void ff_sheet_close(ff_sheet *s)
{
    (void)worksheet_autofilter(s->sheet, 0, 0, s->row, (lxw_col_t)(s->columns - 1));
    if (!s->left_out)
        return;
    char words[96];
    (void)snprintf(words, sizeof words, "%" PRIu32 " more rows are in report.json: a sheet holds no more",
                   s->left_out);
    (void)worksheet_write_string(s->sheet, ++s->row, 0, words, s->book->note);
}

void ff_sheet_mark(ff_sheet *s, uint16_t column, const char *word, lxw_format *format)
{
    char text[32];
    if (!s->row)
        return;
    (void)snprintf(text, sizeof text, "%s", word);
    lxw_conditional_format rule = { .type = LXW_CONDITIONAL_TYPE_TEXT,
                                    .criteria = LXW_CONDITIONAL_CRITERIA_TEXT_CONTAINING,
                                    .value_string = text,
                                    .format = format };
    (void)worksheet_conditional_format_range(s->sheet, 1, column, s->row, column, &rule);
}

void ff_sheet_colour(ff_sheet *s, uint16_t column)
{
    const struct {
        const char *word;
        lxw_format *format;
    } all[] = { { "critical", s->book->worst },
                { "error", s->book->bad },
                { "warning", s->book->warn },
                { "note", s->book->quiet } };
    for (size_t i = 0; i < FF_COUNT(all); i++)
        ff_sheet_mark(s, column, all[i].word, all[i].format);
}


/* "_x000D_" in a cell means a carriage return to spreadsheets: a log that has these letters gets its "_" escaped. */
static bool is_escape(ff_bytes b)
{
    return b.n >= 7 && b.p[0] == '_' && b.p[1] == 'x' && ff_is_hex(b.p[2]) && ff_is_hex(b.p[3]) && ff_is_hex(b.p[4]) &&
           ff_is_hex(b.p[5]) && b.p[6] == '_';
}

static size_t length_of(unsigned char lead) { return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4; }

/* Copies clean UTF-8 into out as far as a cell holds. Returns the bytes of b that went in. */
static size_t copy_within(ff_text *out, ff_bytes b, size_t units)
{
    if (b.n <= units && !ff_contains(b, FF_LIT("_x"))) { /* no character takes more units than bytes */
        ff_text_add(out, b);
        return b.n;
    }
    size_t i = 0;
    while (i < b.n) {
        size_t len = length_of((unsigned char)b.p[i]);
        bool escape = is_escape(ff_skip_n(b, i));
        size_t cost = escape ? 7 : len == 4 ? 2 : 1;
        if (cost > units)
            break;
        units -= cost;
        if (escape)
            ff_text_adds(out, "_x005F_");
        else
            ff_text_add(out, ff_first_n(ff_skip_n(b, i), len));
        i += len;
    }
    return i;
}

void ff_cell_text(ff_sheet *s, uint16_t column, ff_bytes text)
{
    ff_book *b = s->book;
    if (ff_is_empty(text))
        return;
    b->clean.n = b->cell.n = 0;
    ff_text_add_clean(&b->clean, text);
    ff_bytes clean = ff_text_view(&b->clean);
    size_t done = copy_within(&b->cell, clean, FF_XLSX_CELL - 64);
    if (done < clean.n) {
        b->cut = true;
        ff_text_addf(&b->cell, " [cut: %zu more bytes]", clean.n - done);
    }
    (void)worksheet_write_string(s->sheet, s->row, column, b->cell.p, b->wrap);
}

void ff_cell_str(ff_sheet *s, uint16_t column, const char *ours) { ff_cell_text(s, column, ff_str(ours)); }

void ff_cell_said(ff_sheet *s, uint16_t column, void (*say)(ff_text *, const ff_who *), const ff_who *who)
{
    s->book->text.n = 0;
    say(&s->book->text, who);
    ff_cell_text(s, column, ff_text_view(&s->book->text));
}

void ff_cell_count(ff_sheet *s, uint16_t column, uint64_t n)
{
    (void)worksheet_write_number(s->sheet, s->row, column, (double)n, s->book->count);
}

void ff_cell_number(ff_sheet *s, uint16_t column, int32_t n)
{
    if (n != FF_NO_NUMBER)
        (void)worksheet_write_number(s->sheet, s->row, column, n, s->book->plain);
}

void ff_cell_seconds(ff_sheet *s, uint16_t column, int64_t ns)
{
    (void)worksheet_write_number(s->sheet, s->row, column, (double)ns / 1e9, s->book->seconds);
}

void ff_cell_when(ff_sheet *s, uint16_t column, bool has_utc, int64_t ns, ff_stamp said)
{
    /* Dates before 1900 do not exist in the format. */
    if (has_utc && (double)ns / NS_PER_DAY > -DAYS_BEFORE_1970 + 61) {
        /* Half a microsecond keeps programs that cut instead of rounding from showing one millisecond less. */
        double day = (floor((double)ns / 1e6) * 1e6 + 500) / NS_PER_DAY + DAYS_BEFORE_1970;
        (void)worksheet_write_number(s->sheet, s->row, column, day, s->book->when);
        return;
    }
    if (said.kind == FF_STAMP_NONE)
        return;
    s->book->text.n = 0;
    ff_say_stamp(&s->book->text, said);
    ff_cell_text(s, column, ff_text_view(&s->book->text));
}

void ff_cell_offset(ff_sheet *s, uint16_t column, const ff_signal *signal)
{
    const ff_html *h = &s->book->h;
    if (signal->has_utc && h->has_t0)
        ff_cell_seconds(s, column, signal->utc - h->t0_utc);
    else if (!signal->has_utc && signal->clock < h->r->clocks->n && h->clock_has_t0[signal->clock])
        ff_cell_seconds(s, column, signal->said.ns - h->clock_t0[signal->clock]);
}

void ff_cell_link(ff_sheet *s, uint16_t column, const char *sheet, uint32_t row, const char *words)
{
    if (!row || s->links >= FF_XLSX_LINKS) {
        ff_cell_str(s, column, words);
        return;
    }
    char target[64];
    (void)snprintf(target, sizeof target, "internal:'%s'!A%" PRIu32, sheet, row);
    (void)worksheet_write_url_opt(s->sheet, s->row, column, target, s->book->link, words, NULL);
    s->links++;
}

void ff_cell_list(ff_sheet *s, uint16_t column, const ff_bytes *items, uint32_t n)
{
    ff_text *t = &s->book->text;
    t->n = 0;
    for (uint32_t i = 0; i < n && t->n <= FF_XLSX_CELL; i++) {
        ff_text_adds(t, i ? "; " : "");
        ff_text_add(t, items[i]);
    }
    if (n)
        ff_cell_text(s, column, ff_text_view(t));
}

void ff_cell_ranks(ff_sheet *s, uint16_t column, const int32_t *ranks, uint32_t n)
{
    s->book->text.n = 0;
    ff_say_ranks(&s->book->text, ranks, n);
    if (n)
        ff_cell_text(s, column, ff_text_view(&s->book->text));
}

void ff_cell_place(ff_sheet *s, uint16_t column, ff_record at)
{
    s->book->text.n = 0;
    ff_say_place(&s->book->text, s->book->h.r, at);
    ff_cell_text(s, column, ff_text_view(&s->book->text));
}
