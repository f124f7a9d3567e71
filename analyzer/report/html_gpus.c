/* What each GPU did over the time it was watched: utilisation and power in one lane, with the incident's window.
 * Beside it the numbers, for those who do not see the picture. */
#include "html_private.h"

#include "../base/node.h"
#include "../engine/engine.h"

#include <inttypes.h>
#include <stdlib.h>

#define LEFT 230.0
#define RIGHT 970.0
#define LANE 40.0
#define TOP 8.0
#define TALL 28.0 /* of a full lane */
#define LANES 32u
#define STEPS 200u

typedef struct lane {
    const ff_signal *from; /* the samples */
    int64_t start, step;   /* ns on the picture's clock */
    uint32_t n, n_power;
    double utilization[STEPS], power[STEPS]; /* below 0: no sample */
    double most_power;
} lane;

typedef struct picture {
    ff_html *h;
    lane *lanes;
    uint32_t n, left_out;
    bool utc;
    uint32_t clock; /* where nothing is tied to UTC */
    int64_t begin, end;
} picture;

static uint32_t read_course(ff_bytes text, double *out)
{
    uint32_t n = 0;
    ff_bytes cell;
    while (text.n && n < STEPS) {
        if (!ff_take_until(&text, ',', &cell)) {
            cell = text;
            text.n = 0;
        }
        uint64_t value = 0;
        out[n++] = ff_take_uint(&cell, &value) && value < 1000000 ? (double)value : -1;
    }
    return n;
}

/* Lanes share one axis: UTC, else the clock of the first lane. */
static bool has_place(picture *p, const ff_signal *s, int64_t *start)
{
    if (!p->n && !p->left_out) {
        p->utc = s->has_utc;
        p->clock = s->clock;
    }
    *start = p->utc ? s->utc : s->said.ns;
    return p->utc ? s->has_utc : s->clock == p->clock && s->said.kind != FF_STAMP_NONE;
}

static void add_lane(picture *p, const ff_signal *s)
{
    int64_t start = 0, step = ff_signal_int(s, "step_s", 0);
    if (step < 1 || step > 1000000000 || p->n == LANES || !has_place(p, s, &start)) {
        p->left_out++;
        return;
    }
    lane *l = &p->lanes[p->n];
    *l = (lane){ .from = s, .start = start, .step = step * 1000000000 };
    l->n = read_course(ff_signal_text(s, "utilization_course"), l->utilization);
    l->n_power = read_course(ff_signal_text(s, "power_course"), l->power);
    for (uint32_t i = 0; i < l->n_power; i++)
        l->most_power = l->power[i] > l->most_power ? l->power[i] : l->most_power;
    uint32_t steps = l->n > l->n_power ? l->n : l->n_power;
    if (steps < 2)
        return;
    int64_t end = start + l->step * steps;
    p->begin = p->n && p->begin < start ? p->begin : start;
    p->end = p->n && p->end > end ? p->end : end;
    p->n++;
}

static bool is_course(const ff_signal *s)
{
    return s->kind == FF_FACT_GPU_SAMPLES && ff_signal_field(s, "step_s") != NULL;
}

static double x_of(const picture *p, int64_t at)
{
    at = at < p->begin ? p->begin : at > p->end ? p->end : at;
    return LEFT + (RIGHT - LEFT) * (double)(at - p->begin) / (double)(p->end - p->begin);
}

static void say_gpu(ff_html *h, const ff_signal *s)
{
    const ff_who *w = &s->who;
    ff_text t;
    ff_text_init(&t, 96);
    ff_text_add(&t, ff_is_empty(w->host) ? FF_LIT("host not known") : ff_first_n(w->host, 18));
    if (w->gpu_index != FF_NO_NUMBER)
        ff_text_addf(&t, " GPU %" PRId32, w->gpu_index);
    else if (!ff_is_empty(w->gpu)) {
        ff_text_addc(&t, ' ');
        ff_text_add(&t, w->gpu);
    }
    if (w->rank != FF_NO_NUMBER)
        ff_text_addf(&t, ", rank %" PRId32, w->rank);
    ff_html_text(h, ff_text_view(&t));
    ff_text_done(&t);
}

/* Steps as a stair; an empty one is a gap. */
static void stair(const picture *p, const lane *l, const double *at, uint32_t n, double full, double floor,
                  bool closed)
{
    bool open = false;
    for (uint32_t i = 0; i < n; i++) {
        double from = x_of(p, l->start + l->step * i), to = x_of(p, l->start + l->step * (i + 1));
        if (at[i] < 0) {
            if (open && closed)
                ff_html_f(p->h, "V%.1fz", floor);
            open = false;
            continue;
        }
        double y = floor - TALL * (at[i] < full ? at[i] / full : 1);
        if (!open && closed)
            ff_html_f(p->h, "M%.1f %.1fV%.1fH%.1f", from, floor, y, to);
        else if (!open)
            ff_html_f(p->h, "M%.1f %.1fH%.1f", from, y, to);
        else
            ff_html_f(p->h, "V%.1fH%.1f", y, to);
        open = true;
    }
    if (open && closed)
        ff_html_f(p->h, "V%.1fz", floor);
}

static void draw_lane(const picture *p, uint32_t i)
{
    ff_html *h = p->h;
    const lane *l = &p->lanes[i];
    double floor = TOP + LANE * i + TALL;
    ff_html_f(h, "<text x=\"8\" y=\"%.0f\" font-size=\"13\">", floor - 8);
    say_gpu(h, l->from);
    ff_html_f(h, "</text>\n<line class=\"axis\" x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/>\n", LEFT, RIGHT,
              floor, floor);
    if (l->n) {
        ff_html_raw(h, "<path class=\"use\" d=\"");
        stair(p, l, l->utilization, l->n, 100, floor, true);
        ff_html_raw(h, "\"/>\n");
    }
    if (l->n_power && l->most_power > 0) {
        ff_html_raw(h, "<path class=\"power\" d=\"");
        stair(p, l, l->power, l->n_power, l->most_power, floor, false);
        ff_html_raw(h, "\"/>\n");
    }
}

static void draw_axis(const picture *p, double bottom)
{
    ff_html *h = p->h;
    const ff_incident *in = h->main;
    if (p->utc && in && in->has_time && in->began_utc <= p->end && in->ended_utc >= p->begin) {
        double from = x_of(p, in->began_utc), to = x_of(p, in->ended_utc);
        ff_html_f(h,
                  "<rect class=\"band\" x=\"%.1f\" y=\"0\" width=\"%.1f\" height=\"%.1f\"><title>the incident</title>"
                  "</rect>\n",
                  from, to - from < 2 ? 2 : to - from, bottom);
    }
    for (int i = 0; i <= 4; i++) {
        int64_t at = p->begin + (p->end - p->begin) / 4 * i;
        ff_html_f(h, "<text class=\"t-dim\" font-size=\"12\" text-anchor=\"%s\" x=\"%.0f\" y=\"%.0f\">",
                  i == 4 ? "end"
                  : i    ? "middle"
                         : "start",
                  x_of(p, at), bottom + 15);
        ff_say_offset_ns(h->out, at - (p->utc && h->has_t0 ? h->t0_utc : p->begin));
        ff_html_raw(h, "</text>\n");
    }
}

static void draw(const picture *p)
{
    ff_html *h = p->h;
    double bottom = TOP + LANE * p->n;
    ff_html_f(h,
              "<div class=\"picture\" id=\"gpu-picture\" role=\"region\" tabindex=\"0\" aria-label=\"Picture of GPU "
              "use\">\n"
              "<svg viewBox=\"0 0 1000 %.0f\" role=\"img\" aria-label=\"Utilisation and power of %" PRIu32
              " GPUs over time; the table below says the same in numbers\">\n",
              bottom + 22, p->n);
    draw_axis(p, bottom);
    for (uint32_t i = 0; i < p->n; i++)
        draw_lane(p, i);
    ff_html_raw(
        h, "</svg>\n</div>\n<ul class=\"legend\"><li><svg viewBox=\"0 0 20 20\" aria-hidden=\"true\"><rect "
           "class=\"use\" y=\"6\" width=\"20\" height=\"14\"/></svg>utilisation, full height is 100 %</li><li><svg "
           "viewBox=\"0 0 20 20\" aria-hidden=\"true\"><path class=\"power\" d=\"M0 12H20\"/></svg>power, full "
           "height is "
           "this GPU's highest</li><li><svg viewBox=\"0 0 20 20\" aria-hidden=\"true\"><rect class=\"band\" "
           "width=\"20\" "
           "height=\"20\"/></svg>the incident</li></ul>\n<p class=\"note\">A GPU that waits in a collective shows "
           "100 % at "
           "little power; one that nobody feeds shows 0 %.");
    if (!p->utc || !h->has_t0)
        ff_html_raw(h, " T+0 is the first sample.");
    if (p->left_out) {
        ff_html_raw(h, " Not drawn, for want of room or of a common clock: ");
        ff_say_count(h->out, p->left_out);
        ff_html_raw(h, ".");
    }
    ff_html_raw(h, "</p>\n");
}

static void range(ff_html *h, const ff_signal *s, const char *low, const char *mean, const char *high)
{
    ff_html_raw(h, "<td class=\"num\">");
    if (ff_signal_field(s, low))
        ff_html_f(h, "%.0f / %.0f / %.0f", ff_signal_number(s, low, 0), ff_signal_number(s, mean, 0),
                  ff_signal_number(s, high, 0));
    ff_html_raw(h, "</td>");
}

static void numbers(ff_html *h)
{
    static const char *const heads[] = { "GPU",
                                         "#Utilisation (%), least / mean / most",
                                         "#Power (W), least / mean / most",
                                         "#Longest at 0 %",
                                         "#Samples",
                                         "#Over",
                                         "Where it is said" };
    uint32_t shown = 0, all = 0;
    ff_html_raw(h, "<details><summary>The numbers of each GPU</summary>\n");
    ff_html_table(h, "gpu-use", "Use of each GPU while it was watched", heads, FF_COUNT(heads));
    for (uint32_t i = 0; i < h->r->evidence->n_signals; i++) {
        const ff_signal *s = &h->r->evidence->signals[i];
        if (!is_course(s) || all++ >= FF_HTML_ROWS)
            continue;
        shown++;
        ff_html_raw(h, "<tr><th scope=\"row\">");
        say_gpu(h, s);
        ff_html_raw(h, "</th>");
        range(h, s, "utilization_min", "utilization_mean", "utilization_max");
        range(h, s, "power_min", "power_mean", "power_max");
        ff_html_raw(h, "<td class=\"num\">");
        ff_text_add_span(h->out, ff_signal_int(s, "idle_longest_s", 0) * 1000000000);
        ff_html_raw(h, "</td><td class=\"num\">");
        ff_say_count(h->out, (uint64_t)ff_signal_int(s, "rows", 0));
        ff_html_raw(h, "</td><td class=\"num\">");
        ff_text_add_span(h->out, ff_signal_int(s, "seconds", 0) * 1000000000);
        ff_html_raw(h, "</td><td class=\"path\">");
        ff_html_place(h, s->at);
        ff_html_raw(h, "</td></tr>\n");
    }
    ff_html_table_end(h);
    ff_html_more(h, shown, all, "GPUs");
    ff_html_raw(h, "</details>\n");
}

void ff_html_gpus(ff_html *h)
{
    picture p = { .h = h, .lanes = FF_NEW_N(&h->arena, lane, LANES) };
    const ff_evidence *e = h->r->evidence;
    for (uint32_t i = 0; i < e->n_signals; i++)
        if (is_course(&e->signals[i]))
            add_lane(&p, &e->signals[i]);
    if (!p.n)
        return;
    ff_html_open(h, "gpus", "What the GPUs did");
    draw(&p);
    numbers(h);
    ff_html_close(h);
}
