/* Results of nccl-tests: bus bandwidth over size, a line for each run. */
#include "html_private.h"

#include "../base/node.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define LEFT 70.0
#define RIGHT 760.0
#define TOP 14.0
#define BOTTOM 300.0
#define RUNS 8u
#define POINTS 256u

typedef struct run {
    ff_bytes collective, host;
    uint32_t member, n;
    const ff_signal *at[POINTS];
} run;

typedef struct picture {
    ff_html *h;
    run *runs;
    uint32_t n, left_out;
    double least, most, top; /* log2 of sizes, GB/s */
} picture;

static double size_of(const ff_signal *s) { return ff_signal_number(s, "size", 0); }
static double busbw_of(const ff_signal *s) { return ff_signal_number(s, "busbw", -1); }

static bool is_row(const ff_signal *s) { return s->kind == FF_FACT_TEST_ROW && size_of(s) > 0 && busbw_of(s) >= 0; }

/* A table is one run; where the sizes begin again in the same file, another. */
static run *run_of(picture *p, const ff_signal *s)
{
    ff_bytes collective = ff_signal_text(s, "collective"), host = ff_signal_text(s, "test_host");
    for (uint32_t i = p->n; i-- > 0;) {
        run *r = &p->runs[i];
        if (r->member == s->at.member && ff_equal(r->collective, collective) && ff_equal(r->host, host) &&
            size_of(r->at[r->n - 1]) < size_of(s))
            return r->n < POINTS ? r : NULL;
    }
    if (p->n == RUNS)
        return NULL;
    p->runs[p->n] = (run){ .collective = collective, .host = host, .member = s->at.member };
    return &p->runs[p->n++];
}

static int by_place(const void *left, const void *right)
{
    const ff_record *a = &(*(const ff_signal *const *)left)->at, *b = &(*(const ff_signal *const *)right)->at;
    if (a->member != b->member)
        return a->member < b->member ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

static void collect(picture *p)
{
    const ff_evidence *e = p->h->r->evidence;
    const ff_signal **rows = FF_NEW_N(&p->h->arena, const ff_signal *, e->n_signals + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->n_signals; i++)
        if (is_row(&e->signals[i]))
            rows[n++] = &e->signals[i];
    qsort(rows, n, sizeof *rows, by_place);
    for (uint32_t i = 0; i < n; i++) {
        run *r = run_of(p, rows[i]);
        if (!r) {
            p->left_out++;
            continue;
        }
        r->at[r->n++] = rows[i];
        double size = log2(size_of(rows[i]));
        p->least = p->least > 0 && p->least < size ? p->least : size;
        p->most = p->most > size ? p->most : size;
        p->top = p->top > busbw_of(rows[i]) ? p->top : busbw_of(rows[i]);
    }
}

static double x_at(const picture *p, double size_log)
{
    return LEFT + (p->most > p->least ? (size_log - p->least) / (p->most - p->least) : 0.5) * (RIGHT - LEFT);
}

static double x_of(const picture *p, const ff_signal *s) { return x_at(p, log2(size_of(s))); }

static double y_of(const picture *p, double busbw) { return BOTTOM - busbw / p->top * (BOTTOM - TOP); }

/* 1, 2 or 5 times a power of ten, so that there are three to seven lines. */
static double step_of(double top)
{
    double step = pow(10, floor(log10(top)));
    if (top / step < 2)
        return step / 5;
    return top / step < 5 ? step / 2 : step;
}

static void draw_axes(const picture *p)
{
    double step = step_of(p->top);
    for (int i = 0; i * step <= p->top && i < 12; i++) {
        ff_html_f(p->h, "<line class=\"axis\" x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT, RIGHT,
                  y_of(p, i * step), y_of(p, i * step));
        ff_html_f(p->h,
                  "<text class=\"t-dim\" font-size=\"12\" text-anchor=\"end\" x=\"%.0f\" y=\"%.1f\">%g</text>\n",
                  LEFT - 8, y_of(p, i * step) + 4, i * step);
    }
    ff_html_f(p->h, "<text class=\"t-dim\" font-size=\"12\" x=\"4\" y=\"%.0f\">GB/s</text>\n", BOTTOM + 18);
    /* Sizes are powers of two, so the marks are. */
    for (double at = ceil(p->least), by = fmax(1, ceil((p->most - p->least) / 6)); at <= p->most + 0.01; at += by) {
        ff_html_f(p->h, "<text class=\"t-dim\" font-size=\"12\" text-anchor=\"middle\" x=\"%.0f\" y=\"%.0f\">",
                  x_at(p, at), BOTTOM + 18);
        ff_say_bytes(p->h->out, at < 60 ? (uint64_t)1 << (unsigned)at : UINT64_MAX);
        ff_html_raw(p->h, "</text>\n");
    }
}

/* Lines differ by dashes and marks too, not by colour alone. */
static void draw_run(const picture *p, uint32_t i)
{
    const run *r = &p->runs[i];
    ff_html_f(p->h, "<path class=\"run run-%" PRIu32 "\" d=\"", i);
    for (uint32_t k = 0; k < r->n; k++)
        ff_html_f(p->h, "%s%.1f %.1f", k ? "L" : "M", x_of(p, r->at[k]), y_of(p, busbw_of(r->at[k])));
    ff_html_raw(p->h, "\"/>\n");
    for (uint32_t k = 0; k < r->n; k++) {
        ff_html_f(p->h, "<circle class=\"dot run-%" PRIu32 "\" r=\"3\" cx=\"%.1f\" cy=\"%.1f\"><title>", i,
                  x_of(p, r->at[k]), y_of(p, busbw_of(r->at[k])));
        ff_say_bytes(p->h->out, (uint64_t)size_of(r->at[k]));
        ff_html_f(p->h, ": %.4g GB/s</title></circle>\n", busbw_of(r->at[k]));
    }
}

static void legend(const picture *p)
{
    ff_html_raw(p->h, "<ul class=\"legend\">\n");
    for (uint32_t i = 0; i < p->n; i++) {
        const run *r = &p->runs[i];
        const ff_signal *last = r->at[r->n - 1];
        ff_html_f(p->h,
                  "<li><svg viewBox=\"0 0 20 20\" aria-hidden=\"true\"><path class=\"run run-%" PRIu32 "\" d=\"M0 "
                  "10H20\"/></svg>",
                  i);
        ff_html_cut(p->h, ff_is_empty(r->collective) ? FF_LIT("test not named") : r->collective, 40);
        if (!ff_is_empty(r->host)) {
            ff_html_raw(p->h, " on ");
            ff_html_cut(p->h, r->host, 80);
        }
        ff_html_raw(p->h, ", ");
        ff_html_place(p->h, r->at[0]->at);
        ff_html_f(p->h, ": <b>%.4g GB/s</b> at ", busbw_of(last));
        ff_say_bytes(p->h->out, (uint64_t)size_of(last));
        ff_html_raw(p->h, "</li>\n");
    }
    ff_html_raw(p->h, "</ul>\n");
}

static void numbers(const picture *p)
{
    static const char *const heads[] = { "Test", "#Size", "#Bus bandwidth (GB/s)", "#Time (\xC2\xB5s)", "#Wrong" };
    ff_html *h = p->h;
    ff_html_raw(h, "<details><summary>The numbers</summary>\n");
    ff_html_table(h, "bandwidth-table", "Rows of nccl-tests", heads, FF_COUNT(heads));
    uint32_t shown = 0, all = 0;
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t k = 0; k < p->runs[i].n; k++) {
            const ff_signal *s = p->runs[i].at[k];
            if (all++ >= FF_HTML_ROWS)
                continue;
            shown++;
            ff_html_raw(h, "<tr><th scope=\"row\">");
            ff_html_or_dash(h, p->runs[i].collective);
            ff_html_raw(h, "</th><td class=\"num\">");
            ff_say_bytes(h->out, (uint64_t)size_of(s));
            ff_html_f(h, "</td><td class=\"num\">%.4g</td><td class=\"num\">", busbw_of(s));
            if (ff_signal_field(s, "time_us"))
                ff_html_f(h, "%.6g", ff_signal_number(s, "time_us", 0));
            ff_html_raw(h, "</td><td class=\"num\">");
            if (ff_signal_field(s, "wrong"))
                ff_html_f(h, "%.0f", ff_signal_number(s, "wrong", 0));
            ff_html_raw(h, "</td></tr>\n");
        }
    ff_html_table_end(h);
    ff_html_more(h, shown, all, "rows");
    ff_html_raw(h, "</details>\n");
}

void ff_html_bandwidth(ff_html *h)
{
    picture p = { .h = h, .runs = FF_NEW_N(&h->arena, run, RUNS) };
    collect(&p);
    if (!p.n || p.top <= 0)
        return;
    ff_html_open(h, "bandwidth", "Bus bandwidth in tests");
    ff_html_f(h,
              "<div class=\"picture\" role=\"region\" tabindex=\"0\" aria-label=\"Picture of bus bandwidth\">\n<svg "
              "viewBox=\"0 0 800 330\" role=\"img\" aria-label=\"Bus bandwidth over size of %" PRIu32
              " runs; the table below says the same in numbers\">\n",
              p.n);
    draw_axes(&p);
    for (uint32_t i = 0; i < p.n; i++)
        draw_run(&p, i);
    ff_html_raw(h, "</svg>\n</div>\n");
    legend(&p);
    if (p.left_out)
        ff_html_f(h, "<p class=\"note\">Not drawn, for want of room: %" PRIu32 " rows.</p>\n", p.left_out);
    numbers(&p);
    ff_html_close(h);
}
