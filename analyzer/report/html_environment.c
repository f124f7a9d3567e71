/* Versions and variables with their differences, names of one thing, and what the clocks rest on. */
#include "html_private.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- each value once, with all who have it ---- */
#define HOLDERS 4096u
#define HOSTS 6u

typedef struct holders {
    const ff_setting *first;
    int32_t *ranks; /* ascending */
    ff_bytes hosts[HOSTS];
    uint32_t n, n_ranks, n_hosts; /* n_hosts may pass HOSTS */
    bool differs;
} holders;

static int by_value(const void *left, const void *right)
{
    const ff_setting *const *a = left, *const *b = right;
    int order = ff_compare((*a)->name, (*b)->name);
    order = order ? order : ff_compare((*a)->value, (*b)->value);
    order = order ? order : ((*a)->rank > (*b)->rank) - ((*a)->rank < (*b)->rank);
    order = order ? order : ff_compare((*a)->host, (*b)->host);
    return order ? order : ((*a)->signal > (*b)->signal) - ((*a)->signal < (*b)->signal);
}

static void add_holder(holders *who, const ff_setting *s)
{
    who->n++;
    who->differs = who->differs || s->differs;
    if (s->rank != FF_NO_NUMBER && who->n_ranks < HOLDERS &&
        (!who->n_ranks || who->ranks[who->n_ranks - 1] != s->rank))
        who->ranks[who->n_ranks++] = s->rank;
    if (ff_is_empty(s->host))
        return;
    for (uint32_t i = 0; i < who->n_hosts && i < HOSTS; i++)
        if (ff_equal(who->hosts[i], s->host))
            return;
    if (who->n_hosts < HOSTS)
        who->hosts[who->n_hosts] = s->host;
    who->n_hosts++;
}

static void say_holders(ff_html *h, const holders *who)
{
    if (who->n_ranks) {
        ff_html_raw(h, who->n_ranks == 1 ? "rank " : "ranks ");
        ff_say_ranks(h->out, who->ranks, who->n_ranks);
        ff_html_raw(h, who->n_hosts ? " on " : "");
    }
    for (uint32_t i = 0; i < who->n_hosts && i < HOSTS; i++) {
        ff_html_raw(h, i ? ", " : "");
        ff_html_cut(h, who->hosts[i], 80);
    }
    if (who->n_hosts > HOSTS)
        ff_html_raw(h, " and others");
    if (!who->n_ranks && !who->n_hosts)
        ff_html_raw(h, "<span class=\"dim\">host not known</span>");
}

static void value_row(ff_html *h, const holders *who)
{
    const ff_setting *s = who->first;
    ff_html_f(h, "<tr%s><th scope=\"row\">", who->differs ? " class=\"differs\"" : "");
    ff_html_cut(h, s->name, FF_HTML_CONTEXT);
    ff_html_raw(h, "</th><td><code>");
    ff_html_or_dash(h, s->value);
    ff_html_raw(h, who->differs ? "</code> <span class=\"badge sev-warning\">differs</span></td><td>"
                                : "</code></td><td>");
    say_holders(h, who);
    ff_html_raw(h, "</td><td class=\"path\">");
    const ff_signal *from = ff_view_signal(h->r, s->signal);
    if (from)
        ff_html_place(h, from->at);
    if (who->n > 1) {
        ff_html_raw(h, " <span class=\"dim\">and ");
        ff_say_count(h->out, who->n - 1);
        ff_html_raw(h, " more</span>");
    }
    ff_html_raw(h, "</td></tr>\n");
}

static uint32_t fold(ff_html *h, const ff_setting *list, uint32_t n, holders *out)
{
    const ff_setting **order = FF_NEW_N(&h->arena, const ff_setting *, n);
    uint32_t n_out = 0;
    for (uint32_t i = 0; i < n; i++)
        order[i] = &list[i];
    qsort(order, n, sizeof *order, by_value);
    for (uint32_t i = 0, end = 0; i < n; i = end) {
        holders *who = &out[n_out++];
        *who = (holders){ .first = order[i] };
        while (end < n && ff_equal(order[end]->name, order[i]->name) && ff_equal(order[end]->value, order[i]->value))
            end++;
        who->ranks = FF_NEW_N(&h->arena, int32_t, end - i < HOLDERS ? end - i : HOLDERS);
        for (uint32_t k = i; k < end; k++)
            add_holder(who, order[k]);
    }
    return n_out;
}

/* What differs comes first: that is what this table is looked at for. */
static void settings_table(ff_html *h, const char *id, const char *caption, const ff_setting *list, uint32_t n)
{
    static const char *const heads[] = { "Name", "Value", "Who has it", "Where it is said" };
    if (!n)
        return;
    holders *values = FF_NEW_N(&h->arena, holders, n);
    uint32_t n_values = fold(h, list, n, values), shown = 0;
    ff_html_table(h, id, caption, heads, FF_COUNT(heads));
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < n_values && shown < FF_HTML_ROWS; i++)
            if (values[i].differs == (pass == 0)) {
                value_row(h, &values[i]);
                shown++;
            }
    ff_html_table_end(h);
    ff_html_more(h, shown, n_values, "values");
}

/* Names, not places: 64 ranks with another value are one difference. */
static uint32_t differing(const ff_setting *list, uint32_t n)
{
    uint32_t count = 0;
    bool counted = false;
    for (uint32_t i = 0; i < n; i++) {
        if (i && !ff_equal(list[i].name, list[i - 1].name))
            counted = false;
        count += list[i].differs && !counted;
        counted = counted || list[i].differs;
    }
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
        ff_html_f(h,
                  "<p><b>Different between ranks or hosts: %" PRIu32
                  " %s.</b> What differs comes first and is marked.</p>\n",
                  n, n == 1 ? "name" : "names");
    else
        ff_html_raw(h, "<p>No value differs between the ranks and hosts that say theirs.</p>\n");
    settings_table(h, "versions", "Versions", r->versions, r->n_versions);
    settings_table(h, "variables", "Variables", r->variables, r->n_variables);
    ff_html_close(h);
}

static const char *kind_of_name(ff_bytes kind)
{
    static const struct {
        const char *id, *words;
    } all[] = { { "cuda_index", "CUDA device" }, { "pod_uid", "pod UID" },       { "gpu_index", "GPU index" },
                { "gpu_uuid", "GPU UUID" },      { "local_rank", "local rank" }, { "gpu", "GPU" },
                { "slurm_job", "Slurm job" } };
    for (size_t i = 0; i < FF_COUNT(all); i++)
        if (ff_equal(kind, ff_str(all[i].id)))
            return all[i].words;
    return NULL;
}

static void one_name(ff_html *h, ff_bytes kind, ff_bytes name)
{
    const char *words = kind_of_name(kind);
    ff_html_text(h, words ? ff_str(words) : kind);
    ff_html_raw(h, " <code>");
    ff_html_cut(h, name, FF_HTML_CONTEXT);
    ff_html_raw(h, "</code>");
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
        one_name(h, j->left_kind, j->left);
        ff_html_raw(h, "</td><td>");
        one_name(h, j->right_kind, j->right);
        ff_html_raw(h, "</td><td>");
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
    if (c->member == FF_NONE)
        ff_html_raw(h, "<span class=\"dim\">lines that name a zone</span>");
    else
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
