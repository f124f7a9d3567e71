/* The moments that matter, from the first of them on. */
#include "html_private.h"

#include <inttypes.h>

static const char *role_word(const ff_html *h, const ff_moment *m)
{
    if (m->finding >= h->r->n_findings || !h->role[m->finding])
        return "";
    return ff_say_role((ff_role)(h->role[m->finding] - 1));
}

/* What the rows can be narrowed by, and where they are on the picture. */
static void facets(ff_html *h, const ff_moment *m, const ff_signal *s)
{
    ff_html_raw(h, " data-host=\"");
    ff_html_text(h, ff_first_n(s->who.host, 80));
    ff_html_raw(h, "\" data-source=\"");
    ff_say_source(h->out, s->stream);
    ff_html_f(h, "\" data-role=\"%s\"", role_word(h, m));
    if (s->has_utc && h->has_t0)
        ff_html_f(h, " data-ms=\"%.3f\"", (double)(s->utc - h->t0_utc) / 1e6);
}

static void moment_row(ff_html *h, uint32_t i)
{
    const ff_moment *m = &h->r->timeline[i];
    const ff_signal *s = ff_view_signal(h->r, m->signal);
    if (!s)
        return;
    bool root = m->finding < h->r->n_findings && h->role[m->finding] == FF_ROLE_ROOT + 1;
    ff_html_raw(h, root ? "<tr class=\"is-root\"" : "<tr");
    facets(h, m, s);
    ff_html_f(h, "><th scope=\"row\" class=\"num\">%" PRIu32 "</th><td class=\"when\">", i + 1);
    ff_html_when(h, s);
    ff_html_raw(h, "</td><td class=\"text\">");
    ff_html_sentence(h, ff_is_empty(m->text) ? s->quote : m->text, FF_HTML_CONTEXT);
    if (s->count > 1) {
        ff_html_raw(h, " <span class=\"dim\">\xC3\x97 ");
        ff_say_count(h->out, s->count);
        ff_html_raw(h, "</span>");
    }
    ff_html_raw(h, "</td><td>");
    ff_html_or_dash(h, s->who.host);
    ff_html_raw(h, "<br><span class=\"dim\">");
    ff_say_source(h->out, s->stream);
    ff_html_raw(h, "</span></td><td class=\"when\">");
    ff_html_link(h, m->finding);
    ff_html_f(h, " <span class=\"dim\">%s</span></td><td class=\"when\">", role_word(h, m));
    if (s->has_utc) {
        ff_html_utc(h, true, s->utc);
    } else {
        ff_html_raw(h, "<span class=\"said\">");
        ff_say_stamp(h->out, s->said);
        ff_html_raw(h, "</span>");
    }
    ff_html_raw(h, "</td></tr>\n");
}

void ff_html_timeline(ff_html *h)
{
    static const char *const heads[] = { "#No.",    "From start",      "What was said", "Host and source",
                                         "Finding", "Clock time (UTC)" };
    const ff_report *r = h->r;
    if (!r->n_timeline)
        return;
    ff_html_open(h, "timeline", "Time line");
    if (h->has_t0) {
        ff_html_raw(h, "<p class=\"note\">T+0 is ");
        ff_html_utc(h, true, h->t0_utc);
        ff_html_raw(h, FF_HTML_Z
                    ", the first of these moments. \xC2\xB1 is how far the clock may be off. \xE2\x80\x9COwn "
                    "clock\xE2\x80\x9D counts from the first moment on a clock that could not be tied to UTC.</p>\n");
    } else {
        ff_html_raw(h,
                    "<p class=\"note\">No clock here could be tied to UTC. Each T+0 is the first moment on its own "
                    "clock, so times of different clocks cannot be compared.</p>\n");
    }
    ff_svg_timeline(h);
    ff_html_filter(h, "moments", "host source role", "word, rank, finding");
    ff_html_table(h, "moments", "Moments in order", heads, FF_COUNT(heads));
    for (uint32_t i = 0; i < r->n_timeline && i < FF_HTML_MOMENTS; i++)
        moment_row(h, i);
    ff_html_table_end(h);
    ff_html_more(h, FF_HTML_MOMENTS, r->n_timeline, "moments");
    ff_html_close(h);
}
