/* What the operations of each process group take by themselves. Equal operations stand below each other, the slowest
 * first, so that a group which is slower than those that do the same is seen at a glance. */
#include "html_private.h"

#include <inttypes.h>
#include <stdlib.h>

#define ROWS 120u

static double usual_of(const ff_signal *s) { return ff_signal_number(s, "usual_ms", 0); }

static int by_kind_then_time(const void *left, const void *right)
{
    static const char *const kind[] = { "op", "sizes", "members", "layout" };
    const ff_signal *a = *(const ff_signal *const *)left, *b = *(const ff_signal *const *)right;
    for (size_t i = 0; i < FF_COUNT(kind); i++) {
        int order = ff_compare(ff_signal_text(a, kind[i]), ff_signal_text(b, kind[i]));
        if (order)
            return order;
    }
    double x = usual_of(a), y = usual_of(b);
    return x != y ? (x < y) - (x > y) : (a->ref > b->ref) - (a->ref < b->ref);
}

static void number(ff_html *h, const ff_signal *s, const char *field, int decimals)
{
    double value = ff_signal_number(s, field, -1);
    ff_html_raw(h, "<td class=\"num\">");
    if (value < 0)
        ff_html_raw(h, "\xE2\x80\x93");
    else
        ff_html_f(h, "%.*f", decimals, value);
    ff_html_raw(h, "</td>");
}

static void cell(ff_html *h, const ff_signal *s, const char *field)
{
    ff_html_raw(h, "<td>");
    ff_html_cut(h, ff_signal_text(s, field), 160);
    ff_html_raw(h, "</td>");
}

static void row(ff_html *h, const ff_signal *s)
{
    ff_html_raw(h, "<tr>");
    cell(h, s, "op");
    cell(h, s, "sizes");
    ff_html_raw(h, "<th scope=\"row\">");
    ff_html_cut(h, ff_signal_text(s, "group"), 120);
    ff_html_raw(h, " <span class=\"dim\">");
    ff_html_cut(h, ff_signal_text(s, "desc"), 120);
    ff_html_raw(h, ff_signal_field(s, "baseline") ? "; baseline</span></th>" : "</span></th>");
    cell(h, s, "ranks");
    number(h, s, "turns", 0);
    number(h, s, "usual_ms", 2);
    number(h, s, "worst_ms", 2);
    number(h, s, "busbw", 1);
    ff_html_raw(h, "</tr>\n");
}

void ff_html_operations(ff_html *h)
{
    static const char *const heads[] = { "Operation", "Sizes",       "Group",       "Ranks",
                                         "#Times",    "#Usual (ms)", "#Worst (ms)", "#Bus bandwidth (GB/s)" };
    const ff_evidence *e = h->r->evidence;
    const ff_signal **at = FF_NEW_N(&h->arena, const ff_signal *, e->n_signals + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->n_signals; i++)
        if (e->signals[i].kind == FF_FACT_FR_PACE)
            at[n++] = &e->signals[i];
    if (!n)
        return;
    qsort(at, n, sizeof *at, by_kind_then_time);
    ff_html_raw(h, "<h3>What operations take</h3>\n<p class=\"dim\">Measured at the rank that came last, so nobody's "
                   "lateness is in it.</p>\n");
    ff_html_table(h, "operations", "Time and bandwidth of operations, by process group", heads, FF_COUNT(heads));
    for (uint32_t i = 0; i < n && i < ROWS; i++)
        row(h, at[i]);
    ff_html_table_end(h);
    ff_html_more(h, n < ROWS ? n : ROWS, n, "operations");
}
