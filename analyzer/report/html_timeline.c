/* The moments that matter: those of the incident and what lies nearest to it as rows, the others as data. */
#include "html_private.h"

#include <inttypes.h>

/* Rows that are there without a search. */
#define LEAST 100u
#define WITHIN_NS (INT64_C(1800) * 1000000000)

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
    if (m->finding < h->r->n_findings && ff_view_first_of(h->r, &h->r->findings[m->finding]) == s)
        ff_html_raw(h, " data-first"); /* enough for paper */
    if (s->has_utc && h->has_t0)
        ff_html_f(h, " data-ms=\"%.3f\"", (double)(s->utc - h->t0_utc) / 1e6);
}

static void when_cell(ff_html *h, const ff_signal *s)
{
    ff_html_when(h, s);
    ff_html_raw(h, "<br><span class=\"dim\">");
    if (s->has_utc)
        ff_html_utc(h, true, s->utc);
    else
        ff_say_stamp(h->out, s->said);
    ff_html_raw(h, "</span>");
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
    ff_html_f(h, " data-order=\"%" PRIu32 "\"><th scope=\"row\" class=\"num\">%" PRIu32 "</th><td class=\"when\">",
              i + 1, i + 1);
    when_cell(h, s);
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
    ff_html_f(h, "<br><span class=\"dim\">%s</span></td></tr>\n", role_word(h, m));
}

/* Cells, facets, then the place on the picture's axis and the order among all moments. */
static void data_row(ff_html_data *d, uint32_t i)
{
    ff_html *h = d->h;
    const ff_moment *m = &h->r->timeline[i];
    const ff_signal *s = ff_view_signal(h->r, m->signal);
    ff_text *t = &d->cell;
    ff_text_addf(t, "%" PRIu32, i + 1);
    ff_html_data_cell(d);
    if (!ff_say_offset(t, h, s))
        ff_text_adds(t, "no time");
    ff_html_data_cell(d);
    ff_text_add(t, ff_first_n(ff_is_empty(m->text) ? s->quote : m->text, 160));
    ff_html_data_cell(d);
    ff_text_add(t, ff_first_n(s->who.host, 80));
    ff_text_addc(t, ' ');
    ff_say_source(t, s->stream);
    ff_html_data_cell(d);
    if (m->finding < h->r->n_findings)
        ff_text_addf(t, "F%" PRIu32, m->finding + 1);
    ff_html_data_cell(d);
    ff_json_bytes(&d->j, NULL, ff_first_n(s->who.host, 80));
    ff_say_source(t, s->stream);
    ff_html_data_cell(d);
    ff_json_str(&d->j, NULL, role_word(h, m));
    if (s->has_utc && h->has_t0)
        ff_text_addf(t, "%.3f", (double)(s->utc - h->t0_utc) / 1e6);
    ff_html_data_cell(d);
    ff_html_data_row_end(d);
}

static void further(ff_html *h, const uint32_t *shown, uint32_t n)
{
    static const char *const facet_names[] = { "host", "source", "role" };
    ff_html_data d;
    ff_html_data_open(&d, h, FF_HTML_MOMENTS_BYTES, facet_names, FF_COUNT(facet_names));
    for (uint32_t i = 0, k = 0; i < h->r->n_timeline; i++) {
        if (k < n && shown[k] == i) {
            k++;
            continue;
        }
        if (!ff_view_signal(h->r, h->r->timeline[i].signal))
            continue;
        if (!ff_html_data_row(&d))
            break;
        data_row(&d, i);
    }
    ff_html_more(h, n + d.n, h->r->n_timeline, "moments");
    ff_html_data_close(&d, "moments", "moments");
}

static void note(ff_html *h)
{
    if (!h->has_t0) {
        ff_html_raw(
            h, "<p class=\"note\">No clock here could be tied to UTC. Each T+0 is the first sign of the incident "
               "or the first moment on its own clock, so times of different clocks cannot be compared.</p>\n");
        return;
    }
    ff_html_raw(h, "<p class=\"note\">T+0 is ");
    ff_html_utc(h, true, h->t0_utc);
    ff_html_f(h,
              FF_HTML_Z ", %s. \xC2\xB1 is how far the clock may be off. \xE2\x80\x9COwn clock\xE2\x80\x9D: it could "
                        "not be tied to UTC, so the time counts from the first moment on that clock.</p>\n",
              h->t0_is_start ? "the first sign of this incident" : "the first of these moments");
}

void ff_html_timeline(ff_html *h)
{
    static const char *const heads[] = { "#No.", "When", "What was said", "Host and source", "Finding" };
    const ff_report *r = h->r;
    if (!r->n_timeline)
        return;
    uint32_t n = 0;
    const uint32_t *shown = ff_html_nearest_moments(h, LEAST, WITHIN_NS, FF_HTML_MOMENTS, &n);
    ff_html_open(h, "timeline", "Time line");
    note(h);
    ff_svg_timeline(h);
    ff_html_filter(h, "moments", "host source role", "word, rank, finding");
    ff_html_raw(h, "<p class=\"note paper\">On paper: where each finding of this incident begins.</p>\n");
    ff_html_table(h, "moments", "Moments in order, with UTC", heads, FF_COUNT(heads));
    for (uint32_t i = 0; i < n; i++)
        moment_row(h, shown[i]);
    ff_html_table_end(h);
    further(h, shown, n);
    ff_html_close(h);
}
