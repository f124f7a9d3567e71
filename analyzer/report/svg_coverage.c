/* Who says something when: one lane for each host and kind of source, one bar for each file from its first to its
 * last time. White between bars is what nobody saw. */
#include "html_private.h"

#include <inttypes.h>
#include <stdlib.h>

#define LEFT 230.0
#define RIGHT 970.0
#define LANE 20.0
#define TOP 6.0
#define LANES 48u
#define BARS 600u
#define AROUND                                                                                                       \
    (INT64_C(30) * 60 * 1000000000) /* shown on both sides of the incident, where the logs go on for days */

typedef struct lane {
    ff_bytes host;
    uint32_t stream; /* one bit, or 0: not known */
} lane;

typedef struct picture {
    ff_html *h;
    lane *lanes;
    uint32_t n_lanes, bars, left_out;
    int64_t from, to;
} picture;

static int by_name(const void *left, const void *right)
{
    const lane *a = left, *b = right;
    int order = ff_compare(a->host, b->host);
    return order ? order : (a->stream > b->stream) - (a->stream < b->stream);
}

static bool is_usable(const ff_member *m) { return m->parser && !m->unread && m->has_utc; }

static uint32_t streams_of(const ff_member *m) { return m->streams == FF_STREAM_ANY ? 0 : m->streams; }

static void add_lane(picture *p, lane l)
{
    for (uint32_t i = 0; i < p->n_lanes; i++)
        if (by_name(&p->lanes[i], &l) == 0)
            return;
    if (p->n_lanes == LANES)
        p->left_out++;
    else
        p->lanes[p->n_lanes++] = l;
}

static void take_lanes(picture *p)
{
    const ff_evidence *e = p->h->r->evidence;
    for (uint32_t i = 0; i < e->n_members; i++) {
        const ff_member *m = &e->members[i];
        if (!is_usable(m))
            continue;
        uint32_t streams = streams_of(m);
        if (!streams)
            add_lane(p, (lane){ m->who.host, 0 });
        for (unsigned k = 0; k < FF_STREAMS; k++)
            if (streams >> k & 1u)
                add_lane(p, (lane){ m->who.host, 1u << k });
    }
    qsort(p->lanes, p->n_lanes, sizeof *p->lanes, by_name);
}

static bool take_span(picture *p)
{
    const ff_evidence *e = p->h->r->evidence;
    bool any = false;
    for (uint32_t i = 0; i < e->n_members; i++) {
        const ff_member *m = &e->members[i];
        if (!is_usable(m))
            continue;
        p->from = any && p->from < m->first_utc ? p->from : m->first_utc;
        p->to = any && p->to > m->last_utc ? p->to : m->last_utc;
        any = true;
    }
    const ff_incident *in = p->h->main;
    if (any && in && in->has_time) {
        p->from = p->from < in->began_utc - AROUND ? in->began_utc - AROUND : p->from;
        p->to = p->to > in->ended_utc + AROUND ? in->ended_utc + AROUND : p->to;
    }
    return any && p->to > p->from;
}

static double x_of(const picture *p, int64_t at)
{
    double part = (double)(at - p->from) / (double)(p->to - p->from);
    return LEFT + (part < 0 ? 0 : part > 1 ? 1 : part) * (RIGHT - LEFT);
}

static void draw_bar(picture *p, const ff_member *m, double y)
{
    double from = x_of(p, m->first_utc), to = x_of(p, m->last_utc);
    if (p->bars++ >= BARS || m->last_utc < p->from || m->first_utc > p->to)
        return;
    ff_html *h = p->h;
    ff_html_f(h, "<rect class=\"bar%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"10\"><title>",
              m->truncated ? " cut" : "", from, y + 5, to - from < 3 ? 3 : to - from);
    ff_html_text(h, ff_first_n(ff_view_no_path(m->name), 120));
    ff_html_raw(h, ", ");
    ff_say_utc(h->out, m->first_utc);
    ff_html_raw(h, " to ");
    ff_say_utc(h->out, m->last_utc);
    if (m->gap_ns > 0) {
        ff_html_raw(h, ", longest silence ");
        ff_text_add_span(h->out, m->gap_ns);
    }
    ff_html_raw(h, m->truncated ? ", the end is missing</title></rect>" : "</title></rect>");
    if (m->truncated)
        ff_html_f(h, "<text class=\"t-bad\" x=\"%.1f\" y=\"%.1f\" font-size=\"12\">\xE2\x9C\x82</text>",
                  to - from < 3 ? from + 4 : to + 2, y + 14);
    ff_html_raw(h, "\n");
}

static void draw_lane(picture *p, const lane *l, double y)
{
    ff_html *h = p->h;
    const ff_evidence *e = h->r->evidence;
    ff_html_f(h, "<line class=\"axis\" x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT, RIGHT, y + 10,
              y + 10);
    ff_html_f(h, "<text x=\"8\" y=\"%.1f\" font-size=\"13\">", y + 14.5);
    ff_html_text(h, ff_is_empty(l->host) ? FF_LIT("host not known") : ff_first_n(l->host, 18));
    ff_html_raw(h, l->host.n > 18 ? "\xE2\x80\xA6 <tspan class=\"t-dim\">" : " <tspan class=\"t-dim\">");
    ff_say_source(h->out, l->stream);
    ff_html_raw(h, "</tspan></text>\n");
    for (uint32_t i = 0; i < e->n_members; i++) {
        const ff_member *m = &e->members[i];
        if (is_usable(m) && ff_equal(m->who.host, l->host) &&
            (l->stream ? (streams_of(m) & l->stream) != 0 : streams_of(m) == 0))
            draw_bar(p, m, y);
    }
}

static void draw_axis(const picture *p, double bottom)
{
    ff_html *h = p->h;
    const ff_incident *in = h->main;
    if (in && in->has_time) {
        double from = x_of(p, in->began_utc), to = x_of(p, in->ended_utc);
        ff_html_f(h,
                  "<rect class=\"band\" x=\"%.1f\" y=\"0\" width=\"%.1f\" height=\"%.1f\"><title>the "
                  "incident</title></rect>\n",
                  from, to - from < 2 ? 2 : to - from, bottom);
    }
    for (int i = 0; i <= 4; i++) {
        int64_t at = p->from + (p->to - p->from) / 4 * i;
        ff_text t;
        ff_text_init(&t, 0);
        ff_say_utc(&t, at);
        ff_html_f(h, "<text class=\"t-dim\" font-size=\"12\" text-anchor=\"%s\" x=\"%.0f\" y=\"%.0f\">",
                  i == 4 ? "end"
                  : i    ? "middle"
                         : "start",
                  x_of(p, at), bottom + 15);
        ff_html_text(h, ff_first_n(ff_skip_n(ff_text_view(&t), i ? 11 : 0), i ? 8 : 19));
        ff_html_raw(h, "</text>\n");
        ff_text_done(&t);
    }
}

void ff_svg_coverage(ff_html *h)
{
    picture p = { .h = h, .lanes = FF_NEW_N(&h->arena, lane, LANES) };
    take_lanes(&p);
    if (!p.n_lanes || !take_span(&p))
        return;
    double bottom = TOP + LANE * p.n_lanes + 4;
    ff_html_f(
        h,
        "<div class=\"picture\" role=\"region\" tabindex=\"0\" aria-label=\"Coverage picture\">\n<svg viewBox=\"0 0 "
        "1000 %.0f\" role=\"img\" aria-label=\"Times that each source covers, in %" PRIu32
        " lanes; the tables below say the same\">\n",
        bottom + 22, p.n_lanes);
    draw_axis(&p, bottom);
    for (uint32_t i = 0; i < p.n_lanes; i++)
        draw_lane(&p, &p.lanes[i], TOP + LANE * i);
    ff_html_raw(
        h, "</svg>\n</div>\n<p class=\"note\">A bar is a file from its first to its last time, in UTC; the shaded "
           "band is the incident. Where a lane is empty, nobody looked.");
    if (p.left_out || p.bars > BARS)
        ff_html_raw(h, " Not all are drawn: the table has the rest.");
    ff_html_raw(h, "</p>\n");
}
