/* Versions and variables with their differences, names of one thing, and what the clocks rest on. */
#include "html_private.h"

#include <inttypes.h>

static void settings_table(ff_html *h, const char *id, const char *caption, const ff_setting *list, uint32_t n)
{
    static const char *const heads[] = { "Name", "Value", "Host", "#Rank", "Where it says so" };
    if (!n)
        return;
    ff_html_table(h, id, caption, heads, FF_COUNT(heads));
    uint32_t shown = 0;
    /* What differs comes first: that is what this table is looked at for. */
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < n && shown < FF_HTML_ROWS; i++) {
            const ff_setting *s = &list[i];
            if (s->differs != (pass == 0))
                continue;
            shown++;
            ff_html_f(h, "<tr%s><th scope=\"row\">", s->differs ? " class=\"differs\"" : "");
            ff_html_cut(h, s->name, FF_HTML_CONTEXT);
            ff_html_raw(h, "</th><td><code>");
            ff_html_or_dash(h, s->value);
            ff_html_raw(h, s->differs ? "</code> <span class=\"badge sev-warning\">differs</span></td><td>"
                                      : "</code></td><td>");
            ff_html_or_dash(h, s->host);
            ff_html_raw(h, "</td><td class=\"num\">");
            if (s->rank != FF_NO_NUMBER)
                ff_html_f(h, "%" PRId32, s->rank);
            ff_html_raw(h, "</td><td>");
            const ff_signal *from = ff_view_signal(h->r, s->signal);
            if (from) {
                ff_text place;
                ff_text_init(&place, FF_CAP_PATH);
                ff_say_place(&place, h->r, from->at);
                ff_html_raw(h, "<span class=\"place\">");
                ff_html_text(h, ff_text_view(&place));
                ff_html_raw(h, "</span>");
                ff_text_done(&place);
            }
            ff_html_raw(h, "</td></tr>\n");
        }
    }
    ff_html_table_end(h);
    ff_html_more(h, shown, n, "settings");
}

/* ---- each value with who has it: what the eye looks for where something differs ---- */
#define HOLDERS 64u

static void holder(ff_text *t, const ff_setting *s)
{
    if (s->rank != FF_NO_NUMBER)
        ff_text_addf(t, "rank %" PRId32, s->rank);
    if (!ff_is_empty(s->host)) {
        ff_text_adds(t, t->n ? " on " : "");
        ff_text_add(t, s->host);
    }
    if (!t->n)
        ff_text_adds(t, "host not known");
}

static bool has_value(const ff_setting *s, const ff_setting *of)
{
    return s->differs && ff_equal(s->name, of->name) && ff_equal(s->value, of->value);
}

static void holders(ff_html *h, const ff_setting *list, uint32_t n, const ff_setting *of)
{
    int32_t ranks[HOLDERS];
    uint32_t n_ranks = 0, all = 0;
    ff_text t;
    ff_text_init(&t, 400);
    for (uint32_t i = 0; i < n; i++) {
        if (!has_value(&list[i], of))
            continue;
        all++;
        if (list[i].rank != FF_NO_NUMBER && n_ranks < HOLDERS && (!n_ranks || ranks[n_ranks - 1] < list[i].rank))
            ranks[n_ranks++] = list[i].rank;
    }
    if (n_ranks == all) {
        ff_text_adds(&t, all == 1 ? "rank " : "ranks ");
        ff_say_ranks(&t, ranks, n_ranks);
    } else {
        for (uint32_t i = 0, shown = 0; i < n && shown < 12; i++) {
            if (!has_value(&list[i], of))
                continue;
            ff_text one;
            ff_text_init(&one, 200);
            holder(&one, &list[i]);
            ff_text_adds(&t, shown++ ? ", " : "");
            ff_text_add(&t, ff_text_view(&one));
            ff_text_done(&one);
        }
        if (all > 12)
            ff_text_addf(&t, " and %" PRIu32 " more", all - 12);
    }
    ff_html_text(h, ff_text_view(&t));
    ff_text_done(&t);
}

static bool said_before(const ff_setting *list, uint32_t i, bool value)
{
    for (uint32_t k = 0; k < i; k++)
        if (list[k].differs && ff_equal(list[k].name, list[i].name) &&
            (!value || ff_equal(list[k].value, list[i].value)))
            return true;
    return false;
}

static void differences(ff_html *h, const char *id, const ff_setting *list, uint32_t n)
{
    static const char *const heads[] = { "Name", "Value", "Who has it" };
    uint32_t shown = 0;
    n = n < 2000 ? n : 2000;
    for (uint32_t i = 0; i < n && shown < FF_HTML_GROUP; i++) {
        if (!list[i].differs || said_before(list, i, false))
            continue;
        if (!shown++)
            ff_html_table(h, id, "What differs", heads, FF_COUNT(heads));
        for (uint32_t k = i; k < n; k++) {
            if (!list[k].differs || !ff_equal(list[k].name, list[i].name) || said_before(list, k, true))
                continue;
            ff_html_raw(h, "<tr class=\"differs\"><th scope=\"row\">");
            ff_html_cut(h, list[k].name, FF_HTML_CONTEXT);
            ff_html_raw(h, "</th><td><code>");
            ff_html_or_dash(h, list[k].value);
            ff_html_raw(h, "</code></td><td>");
            holders(h, list, n, &list[k]);
            ff_html_raw(h, "</td></tr>\n");
        }
    }
    if (shown)
        ff_html_table_end(h);
}

static uint32_t differing(const ff_setting *list, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += list[i].differs;
    return count;
}

void ff_html_environment(ff_html *h)
{
    const ff_report *r = h->r;
    if (!r->n_versions && !r->n_variables)
        return;
    uint32_t n = differing(r->versions, r->n_versions) + differing(r->variables, r->n_variables);
    ff_html_open(h, "environment", "Environment");
    if (n)
        ff_html_f(
            h, "<p><b>Different between ranks or hosts: %" PRIu32 ".</b> These come first and are marked.</p>\n", n);
    else
        ff_html_raw(h, "<p>No value differs between the ranks and hosts that say theirs.</p>\n");
    differences(h, "versions-differ", r->versions, r->n_versions);
    differences(h, "variables-differ", r->variables, r->n_variables);
    settings_table(h, "versions", "Versions", r->versions, r->n_versions);
    settings_table(h, "variables", "Variables", r->variables, r->n_variables);
    ff_html_close(h);
}

void ff_html_identity(ff_html *h)
{
    static const char *const heads[] = { "This", "is the same as", "What it rests on" };
    const ff_identity *id = &h->r->identity;
    if (!id->n_joins)
        return;
    ff_html_open(h, "identity", "Which names belong together");
    ff_html_table(h, "joins", "Joins between ranks, processes, GPUs, pods and hosts", heads, FF_COUNT(heads));
    for (uint32_t i = 0; i < id->n_joins && i < FF_HTML_ROWS; i++) {
        const ff_join *j = &id->joins[i];
        ff_html_raw(h, j->conflict ? "<tr class=\"differs\"><td>" : "<tr><td>");
        ff_html_text(h, j->left_kind);
        ff_html_raw(h, " <code>");
        ff_html_cut(h, j->left, FF_HTML_CONTEXT);
        ff_html_raw(h, "</code></td><td>");
        ff_html_text(h, j->right_kind);
        ff_html_raw(h, " <code>");
        ff_html_cut(h, j->right, FF_HTML_CONTEXT);
        ff_html_raw(h, "</code></td><td>");
        ff_html_or_dash(h, j->rests_on);
        if (j->conflict)
            ff_html_raw(h, " <span class=\"badge sev-warning\">contradicts another</span>");
        ff_html_raw(h, "</td></tr>\n");
    }
    ff_html_table_end(h);
    ff_html_more(h, FF_HTML_ROWS, id->n_joins, "joins");
    ff_html_close(h);
}

static void clock_owner(ff_html *h, const ff_clock *c)
{
    if (!ff_is_empty(c->host)) {
        ff_html_cut(h, c->host, FF_HTML_CONTEXT);
        if (!ff_is_empty(c->boot)) {
            ff_html_raw(h, "<br><span class=\"dim\">boot ");
            ff_html_cut(h, c->boot, 64);
            ff_html_raw(h, "</span>");
        }
        return;
    }
    ff_html_or_dash(h, ff_view_no_path(ff_view_member_name(h->r, c->member)));
}

static const char *kind_words(ff_stamp_kind kind)
{
    static const char *const words[] = { "none", "UTC", "since boot", "local time, no zone", "date without year" };
    return words[kind];
}

/* For a clock without year the offset is where its year begins, less a day once a leap day is behind. */
static void say_year(ff_html *h, int64_t offset_ns)
{
    int64_t year = 0;
    unsigned month = 0, day = 0;
    ff_date_from_days(offset_ns / INT64_C(86400000000000) + 183, &year, &month, &day);
    ff_html_f(h, "year %" PRId64, year);
}

static void clock_row(ff_html *h, const ff_clock *c)
{
    ff_html_raw(h, "<tr><th scope=\"row\">");
    clock_owner(h, c);
    ff_html_f(h, "</th><td>%s</td><td class=\"when\">", kind_words(c->kind));
    if (c->anchored && c->kind == FF_STAMP_SINCE_BOOT) {
        ff_html_raw(h, "booted ");
        ff_say_utc(h->out, c->offset_ns);
    } else if (c->anchored && c->kind == FF_STAMP_NO_YEAR) {
        say_year(h, c->offset_ns);
    } else if (c->anchored) {
        ff_html_raw(h, c->offset_ns < 0 ? "-" : "+");
        ff_text_add_span(h->out, c->offset_ns < 0 ? -c->offset_ns : c->offset_ns);
    } else {
        ff_html_raw(h, "<span class=\"dim\">not tied to UTC</span>");
    }
    ff_html_raw(h, "</td><td class=\"num\">");
    if (c->anchored) {
        ff_html_raw(h, "\xC2\xB1 ");
        ff_text_add_span(h->out, c->err_ns);
    }
    ff_html_f(h, "</td><td class=\"num\">%" PRIu32 "</td><td>", c->n_anchors);
    ff_html_or_dash(h, c->why);
    ff_html_raw(h, "</td></tr>\n");
}

void ff_html_clocks(ff_html *h)
{
    static const char *const heads[] = { "Clock of", "Says", "Offset to UTC", "#Error", "#Anchors", "Why" };
    if (!h->r->clocks->n)
        return;
    ff_html_open(h, "clocks", "Clocks");
    ff_html_table(h, "clock-table", "How each clock was tied to UTC", heads, FF_COUNT(heads));
    for (uint32_t i = 0; i < h->r->clocks->n && i < FF_HTML_ROWS; i++)
        clock_row(h, &h->r->clocks->at[i]);
    ff_html_table_end(h);
    ff_html_more(h, FF_HTML_ROWS, h->r->clocks->n, "clocks");
    ff_html_close(h);
}
