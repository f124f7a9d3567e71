/* The time line as a picture: one lane for each host and kind of source, a mark for each moment, a bar for how far
 * its clock may be off. Failures come in bursts with long silences between, so the axis keeps the order and shortens
 * the silences; the labels on it say the true offsets. */
#include "html_private.h"

#include <inttypes.h>
#include <math.h>

#define LEFT 230.0 /* room for the names of lanes */
#define RIGHT 970.0
#define TOP 18.0
#define LANE 30.0
#define MARKS 240u
#define LEAST 40u
#define WITHIN_NS (INT64_C(600) * 1000000000)
#define LABEL_ROOM 110.0

typedef struct mark {
    uint32_t moment, lane;
    int64_t at, err; /* ns from T0 */
    double x;
} mark;

typedef struct lane {
    ff_bytes host;
    uint32_t stream;
} lane;

typedef struct picture {
    ff_html *h;
    mark *marks;
    uint32_t n_marks;
    lane lanes[FF_HTML_LANES];
    uint32_t n_lanes, left_out;
    double unit;  /* ns up to which the axis is about linear */
    double scale; /* picture units for each unit of shrink() */
} picture;

static bool find_lane(picture *p, const ff_signal *s, uint32_t *out)
{
    for (uint32_t i = 0; i < p->n_lanes; i++) {
        if (p->lanes[i].stream == s->stream && ff_equal(p->lanes[i].host, s->who.host)) {
            *out = i;
            return true;
        }
    }
    if (p->n_lanes == FF_HTML_LANES)
        return false;
    p->lanes[p->n_lanes] = (lane){ s->who.host, s->stream };
    *out = p->n_lanes++;
    return true;
}

static bool part_of_incident(const ff_html *h, uint32_t moment)
{
    uint32_t finding = h->r->timeline[moment].finding;
    return finding < h->r->n_findings && h->role[finding];
}

/* The clock that the picture speaks in where nothing is tied to UTC: that of the incident's first moment, else of the
 * first one. */
static uint32_t own_clock(const ff_html *h, const uint32_t *moments, uint32_t n)
{
    uint32_t clock = FF_NONE;
    for (uint32_t i = 0; i < n; i++) {
        const ff_signal *s = ff_view_signal(h->r, h->r->timeline[moments[i]].signal);
        if (!s || s->clock >= h->r->clocks->n || s->said.kind == FF_STAMP_NONE)
            continue;
        if (part_of_incident(h, moments[i]))
            return s->clock;
        if (clock == FF_NONE)
            clock = s->clock;
    }
    return clock;
}

static void collect_one(picture *p, uint32_t moment, uint32_t clock)
{
    const ff_html *h = p->h;
    const ff_signal *s = ff_view_signal(h->r, h->r->timeline[moment].signal);
    bool usable = s && (h->has_t0 ? s->has_utc : s->said.kind != FF_STAMP_NONE && s->clock == clock);
    uint32_t row = 0;
    if (!usable || !find_lane(p, s, &row)) {
        p->left_out++;
        return;
    }
    int64_t at = h->has_t0 ? s->utc - h->t0_utc : s->said.ns - h->clock_t0[s->clock];
    int64_t err = h->has_t0 ? s->utc_err : 0;
    p->marks[p->n_marks++] = (mark){ .moment = moment, .lane = row, .at = at, .err = err > 0 ? err : 0 };
}

/* The incident's moments take their lanes first. */
static void collect(picture *p)
{
    uint32_t n = 0;
    const uint32_t *moments = ff_html_nearest_moments(p->h, LEAST, WITHIN_NS, MARKS, &n);
    uint32_t clock = p->h->has_t0 ? FF_NONE : own_clock(p->h, moments, n);
    p->left_out = p->h->r->n_timeline - n;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < n; i++)
            if (part_of_incident(p->h, moments[i]) == (pass == 0))
                collect_one(p, moments[i], clock);
}

static double shrink(const picture *p, int64_t gap) { return log1p((double)(gap > 0 ? gap : 0) / p->unit); }

static void sort_by_time(picture *p)
{
    for (uint32_t i = 1; i < p->n_marks; i++) {
        mark m = p->marks[i];
        uint32_t k = i;
        for (; k > 0 && p->marks[k - 1].at > m.at; k--)
            p->marks[k] = p->marks[k - 1];
        p->marks[k] = m;
    }
}

static void place(picture *p)
{
    int64_t span = p->marks[p->n_marks - 1].at - p->marks[0].at;
    p->unit = span > 0 ? (double)span / 200.0 : 1.0;
    double total = 0;
    for (uint32_t i = 1; i < p->n_marks; i++)
        total += shrink(p, p->marks[i].at - p->marks[i - 1].at);
    p->scale = total > 0 ? (RIGHT - LEFT - 40) / total : 0;
    p->marks[0].x = total > 0 ? LEFT + 20 : (LEFT + RIGHT) / 2;
    for (uint32_t i = 1; i < p->n_marks; i++)
        p->marks[i].x = p->marks[i - 1].x + shrink(p, p->marks[i].at - p->marks[i - 1].at) * p->scale;
}

/* Where any instant lies on the shortened axis: between two marks in proportion, outside as far as there is room. */
static double x_of(const picture *p, int64_t at)
{
    const mark *m = p->marks;
    uint32_t last = p->n_marks - 1;
    if (at < m[0].at)
        return fmax(LEFT + 4, m[0].x - shrink(p, m[0].at - at) * p->scale);
    if (at > m[last].at)
        return fmin(RIGHT - 4, m[last].x + shrink(p, at - m[last].at) * p->scale);
    for (uint32_t i = 0; i < last; i++) {
        if (at > m[i + 1].at)
            continue;
        double part = m[i + 1].at > m[i].at ? (double)(at - m[i].at) / (double)(m[i + 1].at - m[i].at) : 0;
        return m[i].x + part * (m[i + 1].x - m[i].x);
    }
    return m[last].x;
}

static double y_of(uint32_t row) { return TOP + LANE * row + LANE / 2; }

static void draw_lanes(const picture *p)
{
    for (uint32_t i = 0; i < p->n_lanes; i++) {
        ff_html_f(p->h, "<line class=\"axis\" x1=\"%.0f\" x2=\"%.0f\" y1=\"%.0f\" y2=\"%.0f\"/>", LEFT, RIGHT,
                  y_of(i), y_of(i));
        ff_html_f(p->h, "<text x=\"8\" y=\"%.0f\" font-size=\"13\">", y_of(i) + 4.5);
        ff_bytes host = p->lanes[i].host;
        ff_html_text(p->h, ff_is_empty(host) ? FF_LIT("host not known") : ff_first_n(host, 18));
        if (host.n > 18)
            ff_html_raw(p->h, "\xE2\x80\xA6");
        ff_html_raw(p->h, " <tspan class=\"t-dim\">");
        ff_text names;
        ff_text_init(&names, 16);
        ff_say_source(&names, p->lanes[i].stream);
        ff_html_text(p->h, ff_text_view(&names));
        ff_html_raw(p->h, names.cut ? "\xE2\x80\xA6</tspan></text>\n" : "</tspan></text>\n");
        ff_text_done(&names);
    }
}

static void draw_axis(const picture *p, double bottom)
{
    double next = 0;
    ff_html_f(p->h, "<line class=\"frame\" x1=\"%.0f\" x2=\"%.0f\" y1=\"%.0f\" y2=\"%.0f\"/>", LEFT, RIGHT, bottom,
              bottom);
    for (uint32_t i = 0; i < p->n_marks; i++) {
        if (p->marks[i].x < next)
            continue;
        next = p->marks[i].x + LABEL_ROOM;
        ff_html_f(p->h, "<line class=\"frame\" x1=\"%.0f\" x2=\"%.0f\" y1=\"%.0f\" y2=\"%.0f\"/>", p->marks[i].x,
                  p->marks[i].x, bottom, bottom + 5);
        ff_html_f(p->h, "<text class=\"t-dim\" font-size=\"12\" text-anchor=\"middle\" x=\"%.0f\" y=\"%.0f\">",
                  p->marks[i].x, bottom + 19);
        ff_say_offset_ns(p->h->out, p->marks[i].at);
        ff_html_raw(p->h, "</text>\n");
    }
}

static void draw_shape(ff_html *h, uint8_t role, double x, double y)
{
    if (role == FF_ROLE_ROOT + 1)
        ff_html_f(h, "<path class=\"m-root\" d=\"M%.1f %.1fl8 8l-8 8l-8 -8z\">", x, y - 8);
    else if (role == FF_ROLE_SYMPTOM + 1)
        ff_html_f(h, "<circle class=\"m-sym\" cx=\"%.1f\" cy=\"%.1f\" r=\"6\">", x, y);
    else if (role == FF_ROLE_VICTIM + 1)
        ff_html_f(h, "<circle class=\"m-vic\" cx=\"%.1f\" cy=\"%.1f\" r=\"5.5\">", x, y);
    else if (role == FF_ROLE_CONTRIBUTING + 1)
        ff_html_f(h, "<path class=\"m-add\" d=\"M%.1f %.1fl8 13h-16z\">", x, y - 8);
    else
        ff_html_f(h, "<rect class=\"m-none\" x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\">", x - 3.5, y - 3.5);
}

static const char *shape_end(uint8_t role)
{
    if (role == FF_ROLE_ROOT + 1 || role == FF_ROLE_CONTRIBUTING + 1)
        return "</path>";
    return role == FF_ROLE_SYMPTOM + 1 || role == FF_ROLE_VICTIM + 1 ? "</circle>" : "</rect>";
}

static void draw_mark(const picture *p, const mark *m)
{
    ff_html *h = p->h;
    const ff_moment *moment = &h->r->timeline[m->moment];
    uint8_t role = moment->finding < h->r->n_findings ? h->role[moment->finding] : 0;
    double y = y_of(m->lane), from = x_of(p, m->at - m->err), to = x_of(p, m->at + m->err);
    ff_html_f(h,
              "<g class=\"mk\" data-x=\"%.2f\" data-y=\"%.0f\" data-from=\"%.2f\" data-to=\"%.2f\" data-ms=\"%.3f\"",
              m->x, y, from, to, (double)m->at / 1e6);
    if (moment->finding < h->r->n_findings && h->home[moment->finding] != FF_HOME_NONE)
        ff_html_f(h, " data-goto=\"f%" PRIu32 "\"", moment->finding + 1);
    ff_html_raw(h, ">");
    if (m->err > 0)
        ff_html_f(h, "<path class=\"err\" fill=\"none\" d=\"M%.1f %.1fv8m0 -4H%.1fm0 -4v8\"/>", from, y - 4, to);
    draw_shape(h, role, m->x, y);
    ff_html_f(h, "<title>No. %" PRIu32 ": ", m->moment + 1);
    ff_html_text(h, ff_first_n(moment->text, 160));
    ff_html_f(h, "</title>%s</g>\n", shape_end(role));
}

static void legend(ff_html *h)
{
    static const struct {
        uint8_t role;
        const char *words;
    } all[] = { { FF_ROLE_ROOT + 1, "root cause" },
                { FF_ROLE_CONTRIBUTING + 1, "contributing" },
                { FF_ROLE_SYMPTOM + 1, "symptom" },
                { FF_ROLE_VICTIM + 1, "victim" },
                { 0, "other" } };
    ff_html_raw(h, "<ul class=\"legend\">\n");
    for (size_t i = 0; i < FF_COUNT(all); i++) {
        ff_html_raw(h, "<li><svg viewBox=\"0 0 20 20\" aria-hidden=\"true\">");
        draw_shape(h, all[i].role, 10, 10);
        ff_html_f(h, "%s</svg>%s</li>\n", shape_end(all[i].role), all[i].words);
    }
    ff_html_raw(h, "<li><svg viewBox=\"0 0 20 20\" aria-hidden=\"true\"><path class=\"err\" fill=\"none\" d=\"M1 "
                   "6v8m0 -4H19m0 -4v8\"/></svg>how far the clock may be off</li>\n</ul>\n");
}

/* For the script, which shows them; without it the picture is whole and the times are UTC. */
static void controls(ff_html *h)
{
    ff_html_raw(h, "<div class=\"filter\" id=\"timeline-controls\" hidden");
    if (h->has_t0)
        ff_html_f(h, " data-t0=\"%" PRId64 "\"", h->t0_utc / 1000);
    ff_html_raw(h, "><button type=\"button\" data-zoom=\"in\">Zoom in</button> <button type=\"button\" "
                   "data-zoom=\"out\">Zoom out</button> <button type=\"button\" data-zoom=\"all\">All</button>\n");
    if (h->has_t0)
        ff_html_raw(h, "<span role=\"radiogroup\" aria-label=\"Times as\">Times as <label><input type=\"radio\" "
                       "name=\"times\" value=\"t\" checked> T+</label> <label><input type=\"radio\" name=\"times\" "
                       "value=\"utc\"> UTC</label> <label><input type=\"radio\" name=\"times\" value=\"local\"> "
                       "local</label></span>\n");
    ff_html_raw(h, "<output aria-live=\"polite\"></output></div>\n");
}

void ff_svg_timeline(ff_html *h)
{
    picture *p = FF_NEW(&h->arena, picture);
    p->h = h;
    p->marks = FF_NEW_N(&h->arena, mark, MARKS);
    collect(p);
    if (p->n_marks < 2)
        return;
    sort_by_time(p);
    place(p);
    double bottom = TOP + LANE * p->n_lanes + 6;
    controls(h);
    ff_html_f(
        h,
        "<div class=\"picture\" id=\"timeline-picture\" role=\"region\" tabindex=\"0\" aria-label=\"Time line "
        "picture\">\n"
        "<svg viewBox=\"0 0 1000 %.0f\" role=\"img\" data-left=\"%.0f\" data-right=\"%.0f\" data-bottom=\"%.0f\""
        " aria-label=\"%" PRIu32 " moments in %" PRIu32 " lanes; the table below says the same\">\n",
        bottom + 30, LEFT, RIGHT, bottom, p->n_marks, p->n_lanes);
    draw_lanes(p);
    ff_html_raw(h, "<g class=\"ticks\">");
    draw_axis(p, bottom);
    ff_html_raw(h, "</g>\n");
    for (uint32_t i = 0; i < p->n_marks; i++)
        draw_mark(p, &p->marks[i]);
    ff_html_raw(h, "</svg>\n</div>\n");
    legend(h);
    ff_html_raw(h, "<p class=\"note\">Long silences are drawn shorter than they were.");
    if (p->left_out)
        ff_html_f(h,
                  " Not in the picture: %" PRIu32
                  " moments further from the incident or on a clock that cannot be compared.",
                  p->left_out);
    ff_html_raw(h, "</p>\n");
}
