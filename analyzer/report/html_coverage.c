/* What was read and what was not: a verdict is worth no more than this. */
#include "html_private.h"

#include <inttypes.h>

#define HOSTS 200u

typedef struct cover { /* one host, one kind of evidence */
    uint32_t members;
    uint64_t lines;
    bool has_utc;
    int64_t from, to;
} cover;

typedef struct cover_row {
    ff_bytes host;
    cover at[FF_STREAMS];
} cover_row;

static bool was_read(const ff_member *m) { return m->parser && !m->unread; }

static cover_row *row_of(cover_row *rows, uint32_t *n, ff_bytes host)
{
    for (uint32_t i = 0; i < *n; i++)
        if (ff_equal(rows[i].host, host))
            return &rows[i];
    if (*n == HOSTS)
        return NULL;
    rows[*n].host = host;
    return &rows[(*n)++];
}

static void add_cover(cover *c, const ff_member *m)
{
    c->members++;
    c->lines += m->lines;
    if (!m->has_utc)
        return;
    c->from = c->has_utc && c->from < m->first_utc ? c->from : m->first_utc;
    c->to = c->has_utc && c->to > m->last_utc ? c->to : m->last_utc;
    c->has_utc = true;
}

static uint32_t build_map(ff_html *h, cover_row *rows)
{
    uint32_t n = 0;
    const ff_evidence *e = h->r->evidence;
    for (uint32_t i = 0; i < e->n_members; i++) {
        const ff_member *m = &e->members[i];
        cover_row *row = was_read(m) ? row_of(rows, &n, m->who.host) : NULL;
        /* A mask of everything only says that nobody could tell. */
        for (unsigned k = 0; row && k < FF_STREAMS && m->streams != FF_STREAM_ANY; k++)
            if (m->streams >> k & 1u)
                add_cover(&row->at[k], m);
    }
    return n;
}

static void map_cell(ff_html *h, const cover *c)
{
    if (!c->members) {
        ff_html_raw(h, "<td class=\"hasnot\">none</td>");
        return;
    }
    ff_html_raw(h, "<td class=\"has\">");
    ff_say_count(h->out, c->members);
    ff_html_raw(h, c->members == 1 ? " file" : " files");
    if (c->has_utc) {
        ff_html_raw(h, "<br><span class=\"dim\">");
        ff_text t;
        ff_text_init(&t, 0);
        ff_say_utc(&t, c->from);
        ff_html_text(h, ff_first_n(ff_skip_n(ff_text_view(&t), 11), 8));
        ff_html_raw(h, " to ");
        t.n = 0;
        ff_say_utc(&t, c->to);
        ff_html_text(h, ff_first_n(ff_skip_n(ff_text_view(&t), 11), 8));
        ff_html_raw(h, "</span>");
        ff_text_done(&t);
    }
    ff_html_raw(h, "</td>");
}

static void map(ff_html *h)
{
    const char *names[FF_STREAMS + 1] = { "Host" };
    cover_row *rows = FF_NEW_N(&h->arena, cover_row, HOSTS);
    uint32_t n = build_map(h, rows);
    if (!n)
        return;
    for (unsigned k = 0; k < FF_STREAMS; k++)
        names[k + 1] = ff_stream_name(k);
    ff_html_table(h, "coverage-map", "Kinds of evidence by host, with the time they cover (UTC)", names,
                  FF_STREAMS + 1);
    for (uint32_t i = 0; i < n; i++) {
        ff_html_raw(h, "<tr><th scope=\"row\">");
        if (ff_is_empty(rows[i].host))
            ff_html_raw(h, "<span class=\"dim\">host not known</span>");
        else
            ff_html_cut(h, rows[i].host, FF_HTML_CONTEXT);
        ff_html_raw(h, "</th>");
        for (unsigned k = 0; k < FF_STREAMS; k++)
            map_cell(h, &rows[i].at[k]);
        ff_html_raw(h, "</tr>\n");
    }
    ff_html_table_end(h);
}

static void member_problems(ff_html *h, const ff_member *m)
{
    bool any = false;
    if (m->unread) {
        ff_html_raw(h, "<span class=\"bad\">not read:</span> ");
        ff_html_text(h, ff_str(m->unread));
        any = true;
    }
    if (m->truncated) {
        ff_html_raw(h, any ? "; the end is missing" : "the end is missing");
        any = true;
    }
    if (m->gap_ns > 0) {
        ff_html_raw(h, any ? "; longest silence " : "longest silence ");
        ff_text_add_span(h->out, m->gap_ns);
        any = true;
    }
    for (uint32_t i = 0; i < m->n_skips && i < FF_SKIP_KINDS; i++) {
        ff_html_raw(h, any ? "; skipped " : "skipped ");
        ff_say_count(h->out, m->skips[i].count);
        ff_html_raw(h, ": ");
        ff_html_text(h, ff_str(m->skips[i].reason));
        ff_html_f(h, " (from line %" PRIu32 ")", m->skips[i].first_line);
        any = true;
    }
}

static void member_span(ff_html *h, const ff_member *m)
{
    if (m->has_utc) {
        ff_html_utc(h, true, m->first_utc);
        ff_html_raw(h, "<br>");
        ff_html_utc(h, true, m->last_utc);
    } else if (m->first_said.kind != FF_STAMP_NONE) {
        ff_say_stamp(h->out, m->first_said);
        ff_html_raw(h, "<br>");
        ff_say_stamp(h->out, m->last_said);
    } else {
        ff_html_raw(h, "<span class=\"dim\">no time</span>");
    }
}

static void member_row(ff_html *h, const ff_member *m)
{
    ff_html_raw(h, m->unread ? "<tr class=\"differs\"><th class=\"path\" scope=\"row\">"
                             : "<tr><th class=\"path\" scope=\"row\">");
    ff_html_cut(h, ff_view_no_path(m->name), FF_HTML_CONTEXT);
    ff_html_raw(h, "</th><td>");
    ff_html_or_dash(h, m->who.host);
    ff_html_raw(h, "</td><td>");
    ff_html_or_dash(h, ff_str(m->parser));
    ff_html_raw(h, "</td><td class=\"num\">");
    ff_say_bytes(h->out, m->bytes);
    ff_html_raw(h, "</td><td class=\"num\">");
    ff_say_count(h->out, m->lines);
    ff_html_raw(h, "</td><td class=\"num\">");
    ff_say_count(h->out, m->signals);
    ff_html_raw(h, "</td><td class=\"when\">");
    member_span(h, m);
    ff_html_raw(h, "</td><td>");
    member_problems(h, m);
    ff_html_raw(h, "</td></tr>\n");
}

/* Unread members come first: they are what a reader has to know. */
static void members(ff_html *h)
{
    static const char *const heads[] = { "File",   "Host",     "Read as",        "#Size",
                                         "#Lines", "#Signals", "First and last", "What is missing" };
    const ff_evidence *e = h->r->evidence;
    uint32_t shown = 0;
    ff_html_raw(h, "<div class=\"coverage-files\">\n");
    ff_html_filter(h, "members", "", "file, host, parser");
    ff_html_table(h, "members", "Files of the bundle; those not read come first", heads, FF_COUNT(heads));
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < e->n_members && shown < FF_HTML_ROWS; i++) {
            if (was_read(&e->members[i]) == (pass == 0))
                continue;
            member_row(h, &e->members[i]);
            shown++;
        }
    }
    ff_html_table_end(h);
    ff_html_more(h, shown, e->n_members, "files");
    ff_html_raw(h, "</div>\n");
}

static void not_judged(ff_html *h)
{
    const ff_report *r = h->r;
    if (!r->n_not_judged)
        return;
    ff_html_raw(h, "<details><summary>Rules that could not be judged everywhere: ");
    ff_say_count(h->out, r->n_not_judged);
    ff_html_raw(h, "</summary>\n<ul>\n");
    for (uint32_t i = 0; i < r->n_not_judged && i < FF_HTML_ROWS; i++) {
        const struct ff_not_judged *n = &r->not_judged[i];
        ff_html_raw(h, "<li><code>");
        ff_html_text(h, n->rule);
        ff_html_raw(h, "</code>");
        if (!ff_is_empty(n->group)) {
            ff_html_raw(h, " for ");
            ff_html_cut(h, n->group, FF_HTML_CONTEXT);
        }
        ff_html_raw(h, ": missing ");
        ff_view_add_streams(h->out, n->missing);
        ff_html_raw(h, "</li>\n");
    }
    ff_html_raw(h, "</ul>\n");
    ff_html_more(h, FF_HTML_ROWS, r->n_not_judged, "such rules");
    ff_html_raw(h, "</details>\n");
}

void ff_html_coverage(ff_html *h)
{
    ff_html_open(h, "coverage", "What was read, and what was not");
    ff_svg_coverage(h);
    map(h);
    not_judged(h);
    members(h);
    ff_html_close(h);
}

void ff_html_limits(ff_html *h)
{
    static const char *const heads[] = { "Limit", "Where", "#Times" };
    const ff_evidence *e = h->r->evidence;
    if (!e->n_limits)
        return;
    ff_html_open(h, "limits", "Limits that were reached");
    ff_html_table(h, "limit-table", "What passed a cap was not looked at", heads, FF_COUNT(heads));
    for (uint32_t i = 0; i < e->n_limits && i < FF_HTML_ROWS; i++) {
        ff_html_raw(h, "<tr><th scope=\"row\">");
        ff_html_text(h, ff_str(e->limits[i].cap));
        ff_html_raw(h, "</th><td>");
        ff_html_or_dash(h, ff_view_no_path(e->limits[i].where));
        ff_html_raw(h, "</td><td class=\"num\">");
        ff_say_count(h->out, e->limits[i].count);
        ff_html_raw(h, "</td></tr>\n");
    }
    ff_html_table_end(h);
    ff_html_more(h, FF_HTML_ROWS, e->n_limits, "limits");
    ff_html_close(h);
}
