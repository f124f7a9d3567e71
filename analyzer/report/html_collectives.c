/* Where each rank stood in each process group when its Flight Recorder was dumped: the rank that is behind the others
 * is the one they wait for. */
#include "svg_ranks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef ff_seat seat;

static int by_group_then_rank(const void *left, const void *right)
{
    const seat *a = left, *b = right;
    int order = ff_compare(a->group->name, b->group->name);
    if (order == 0)
        order = ff_compare(a->group->desc, b->group->desc);
    if (order == 0)
        order = (a->dump->rank > b->dump->rank) - (a->dump->rank < b->dump->rank);
    return order ? order : (a->dump->member > b->dump->member) - (a->dump->member < b->dump->member);
}

static uint32_t take_seats(const ff_dump_table *dumps, seat **out, ff_arena *arena)
{
    uint32_t n = 0, at = 0;
    for (uint32_t i = 0; i < dumps->n; i++)
        n += dumps->at[i]->from_log ? 0 : dumps->at[i]->n_groups;
    *out = FF_NEW_N(arena, seat, n + 1);
    for (uint32_t i = 0; i < dumps->n; i++)
        for (uint32_t g = 0; g < dumps->at[i]->n_groups && !dumps->at[i]->from_log; g++)
            (*out)[at++] = (seat){ dumps->at[i], &dumps->at[i]->groups[g] };
    qsort(*out, n, sizeof **out, by_group_then_rank);
    return n;
}

static void sequence(ff_html *h, int64_t n)
{
    ff_html_raw(h, "<td class=\"num\">");
    if (n < 0)
        ff_html_raw(h, "\xE2\x80\x93");
    else
        ff_html_f(h, "%" PRId64, n);
    ff_html_raw(h, "</td>");
}

static void state(ff_html *h, const ff_fr_group *g, int64_t furthest)
{
    if (g->last_enqueued >= 0 && g->last_enqueued < furthest)
        ff_html_f(h, "<span class=\"badge sev-error\">behind by %" PRId64 "</span>", furthest - g->last_enqueued);
    else if (g->last_enqueued > g->last_completed)
        ff_html_raw(h, "waiting");
    else
        ff_html_raw(h, "<span class=\"dim\">nothing open</span>");
}

static void seat_row(ff_html *h, const seat *s, int64_t furthest)
{
    bool late = s->group->last_enqueued >= 0 && s->group->last_enqueued < furthest;
    ff_html_raw(h, late ? "<tr class=\"is-root\"><th scope=\"row\">" : "<tr><th scope=\"row\">");
    if (s->dump->rank == FF_NO_NUMBER)
        ff_html_raw(h, "rank not known");
    else
        ff_html_f(h, "rank %" PRId32, s->dump->rank);
    ff_html_raw(h, "</th>");
    sequence(h, s->group->last_enqueued);
    sequence(h, s->group->last_started);
    sequence(h, s->group->last_completed);
    ff_html_raw(h, "<td>");
    state(h, s->group, furthest);
    ff_html_raw(h, s->dump->truncated ? "; dump is cut</td><td>" : "</td><td>");
    ff_html_or_dash(h, ff_view_no_path(ff_view_member_name(h->r, s->dump->member)));
    ff_html_raw(h, "</td></tr>\n");
}

static void one_group(ff_html *h, const seat *seats, uint32_t n, uint32_t number)
{
    static const char *const heads[] = { "Rank", "#Last queued", "#Last started", "#Last finished", "State", "Dump" };
    int64_t furthest = -1;
    for (uint32_t i = 0; i < n; i++)
        if (seats[i].group->last_enqueued > furthest)
            furthest = seats[i].group->last_enqueued;
    char id[32];
    (void)snprintf(id, sizeof id, "group-%" PRIu32, number);
    ff_html_raw(h, "<h3>Process group <code>");
    ff_html_cut(h, seats[0].group->name, FF_HTML_CONTEXT);
    ff_html_raw(h, "</code> <span class=\"dim\">");
    ff_html_cut(h, seats[0].group->desc, FF_HTML_CONTEXT);
    ff_html_raw(h, "</span></h3>\n");
    ff_svg_ranks(h, seats, n, number);
    ff_html_raw(h, "<details><summary>The numbers of each rank</summary>\n");
    ff_html_table(h, id, "Sequence numbers of collectives", heads, FF_COUNT(heads));
    /* Those behind first: they are what the others wait for. */
    uint32_t shown = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < n && shown < FF_HTML_ROWS; i++) {
            bool late = seats[i].group->last_enqueued >= 0 && seats[i].group->last_enqueued < furthest;
            if (late != (pass == 0))
                continue;
            seat_row(h, &seats[i], furthest);
            shown++;
        }
    }
    ff_html_table_end(h);
    ff_html_more(h, shown, n, "ranks");
    ff_html_raw(h, "</details>\n");
}

/* ---- who waits for whom ---- */
static bool is_same_text(const ff_signal *a, const ff_signal *b, const char *name)
{
    return ff_equal(ff_signal_text(a, name), ff_signal_text(b, name));
}

/* There is one fact for each rank that is waited for; those of one turn that wait alike are one row. */
static bool is_same_wait(const ff_signal *a, const ff_signal *b)
{
    return a->kind == b->kind && is_same_text(a, b, "group") && is_same_text(a, b, "desc") &&
           is_same_text(a, b, "seq") && is_same_text(a, b, "waiting") && is_same_text(a, b, "waits_in") &&
           is_same_text(a, b, "last_op") && is_same_text(a, b, "last_seq");
}

static void wait_op(ff_html *h, const ff_signal *s, const char *seq, const char *op)
{
    if (!ff_is_empty(ff_signal_text(s, op))) {
        ff_html_cut(h, ff_signal_text(s, op), 120);
        ff_html_raw(h, " ");
    }
    ff_html_raw(h, "no. ");
    ff_html_or_dash(h, ff_signal_text(s, seq));
}

static void wait_left(ff_html *h, const ff_signal *s)
{
    ff_html_raw(h, "<li class=\"wait\"><div class=\"pane\"><b>");
    ff_html_raw(h, ff_find(ff_signal_text(s, "waiting"), FF_LIT(",")) < ff_signal_text(s, "waiting").n ? "Ranks "
                                                                                                       : "Rank ");
    ff_html_or_dash(h, ff_signal_text(s, "waiting"));
    ff_html_raw(h, "</b><br><span class=\"dim\">");
    ff_html_cut(h, ff_signal_text(s, "waiting_frame"), 160);
    ff_html_raw(h, "</span></div><div class=\"arrow\">wait in ");
    wait_op(h, s, "seq", "op");
    const ff_field *ms = ff_signal_field(s, "wait_ms");
    if (ms && ms->i > 0) {
        ff_html_raw(h, ", for at least ");
        ff_text_add_span(h->out, ms->i * INT64_C(1000000));
    }
    ff_html_raw(h, "<span aria-hidden=\"true\"> \xE2\x9F\xB6</span><span class=\"off\"> for </span></div>");
}

static void wait_right(ff_html *h, const ff_signal *s)
{
    bool missing = s->kind == FF_FACT_FR_MISSING, dumped = s->kind != FF_FACT_FR_INCOMPLETE;
    ff_bytes who = ff_signal_text(s, dumped ? "missing" : "ranks");
    if (ff_is_empty(who))
        who = ff_signal_text(s, "rank");
    ff_html_f(h, "<div class=\"pane %s\"><b>", missing ? "head" : "in");
    ff_html_raw(h, ff_find(who, FF_LIT(",")) < who.n ? "Ranks " : "Rank ");
    ff_html_or_dash(h, who);
    ff_html_raw(h, "</b><br>");
    if (!dumped) {
        ff_html_raw(h, "no dump: what it did is not known");
    } else if (!ff_is_empty(ff_signal_text(s, "waits_in"))) {
        ff_html_raw(h, "waits itself, in group ");
        ff_html_cut(h, ff_signal_text(s, "waits_in"), 120);
        ff_html_raw(h, " at no. ");
        ff_html_or_dash(h, ff_signal_text(s, "waits_seq"));
    } else if (!ff_is_empty(ff_signal_text(s, "last_op"))) {
        ff_html_raw(h, "did ");
        wait_op(h, s, "last_seq", "last_op");
        ff_html_raw(h, " last");
    }
    ff_html_raw(h, " <span class=\"dim\">");
    ff_html_cut(h, ff_signal_text(s, "last_frame"), 160);
    ff_html_raw(h, "</span></div></li>\n");
}

/* ---- nobody is missing, and it does not end, or is slow ---- */
static void of_group(ff_html *h, const ff_signal *s)
{
    ff_html_raw(h, " of group ");
    ff_html_cut(h, ff_signal_text(s, "group"), 120);
}

static void pace_item(ff_html *h, const ff_signal *s)
{
    ff_html_raw(h, "<li>");
    if (s->kind == FF_FACT_FR_STRAGGLER) {
        ff_html_raw(h, "<b>Rank ");
        ff_html_or_dash(h, ff_signal_text(s, "rank"));
        ff_html_raw(h, "</b> came last to ");
        ff_html_or_dash(h, ff_signal_text(s, "last_in"));
        ff_html_raw(h, " of ");
        ff_html_or_dash(h, ff_signal_text(s, "turns"));
        ff_html_raw(h, " collectives");
        of_group(h, s);
        ff_html_raw(h, "; the others waited ");
        ff_html_or_dash(h, ff_signal_text(s, "behind_ms"));
        ff_html_raw(h, " ms each time ");
    } else if (s->kind == FF_FACT_FR_SLOW_TAIL) {
        ff_html_raw(h, "<b>");
        ff_html_cut(h, ff_signal_text(s, "op"), 120);
        ff_html_raw(h, "</b>");
        of_group(h, s);
        ff_html_raw(h, " took ");
        ff_html_or_dash(h, ff_signal_text(s, "slow_ms"));
        ff_html_raw(h, " ms from no. ");
        ff_html_or_dash(h, ff_signal_text(s, "seq"));
        ff_html_raw(h, " on, ");
        ff_html_or_dash(h, ff_signal_text(s, "steady_ms"));
        ff_html_raw(h, " ms before ");
    } else {
        ff_html_raw(h, "<b>All entered</b> ");
        wait_op(h, s, "seq", "op");
        of_group(h, s);
        ff_html_raw(h, ", and it did not end");
        if (!ff_is_empty(ff_signal_text(s, "behind"))) {
            ff_html_raw(h, "; behind the others: ranks ");
            ff_html_or_dash(h, ff_signal_text(s, "behind"));
        }
        ff_html_raw(h, " ");
    }
    ff_html_raw(h, "<span class=\"dim\">");
    ff_html_cut(h, ff_signal_text(s, s->kind == FF_FACT_FR_STALLED ? "waiting_frame" : "frame"), 160);
    ff_html_raw(h, "</span></li>\n");
}

#define PACES 24u

static void paces(ff_html *h)
{
    static const uint32_t kinds[] = { FF_FACT_FR_STRAGGLER, FF_FACT_FR_SLOW_TAIL, FF_FACT_FR_STALLED };
    const ff_evidence *e = h->r->evidence;
    uint32_t n = 0;
    for (size_t k = 0; k < FF_COUNT(kinds); k++) {
        for (uint32_t i = 0; i < e->n_signals; i++) {
            if (e->signals[i].kind != kinds[k] || n++ >= PACES)
                continue;
            if (n == 1)
                ff_html_raw(h, "<h3>Slow, or without end</h3>\n<ul class=\"paces\">\n");
            pace_item(h, &e->signals[i]);
        }
    }
    if (!n)
        return;
    ff_html_raw(h, "</ul>\n");
    ff_html_more(h, n < PACES ? n : PACES, n, "of this kind");
}

#define WAITS 32u

/* The end of the chain comes first: who waits nowhere itself is the head. */
static void waits(ff_html *h)
{
    static const uint32_t kinds[] = { FF_FACT_FR_MISSING, FF_FACT_FR_WAITS, FF_FACT_FR_INCOMPLETE };
    const ff_evidence *e = h->r->evidence;
    const ff_signal *shown[WAITS];
    uint32_t n = 0, all = 0;
    for (size_t k = 0; k < FF_COUNT(kinds); k++) {
        for (uint32_t i = 0; i < e->n_signals; i++) {
            const ff_signal *s = &e->signals[i];
            bool again = s->kind != kinds[k];
            for (uint32_t w = 0; w < n && !again; w++)
                again = is_same_wait(shown[w], s);
            if (again)
                continue;
            all++;
            if (n < WAITS)
                shown[n++] = s;
        }
    }
    if (!n)
        return;
    ff_html_raw(h, "<h3>Who waits for whom</h3>\n<ol class=\"waits\">\n");
    for (uint32_t i = 0; i < n; i++) {
        wait_left(h, shown[i]);
        wait_right(h, shown[i]);
    }
    ff_html_raw(h, "</ol>\n");
    ff_html_more(h, n, all, "waits");
}

void ff_html_collectives(ff_html *h)
{
    const ff_dump_table *dumps = h->r->evidence->dumps;
    seat *seats = NULL;
    uint32_t n = dumps ? take_seats(dumps, &seats, &h->arena) : 0, number = 0;
    if (!n)
        return;
    ff_html_open(h, "collectives", "Where each rank stood");
    waits(h);
    paces(h);
    ff_html_operations(h);
    for (uint32_t from = 0; from < n && number < FF_HTML_GROUP; number++) {
        uint32_t to = from + 1;
        while (to < n && ff_equal(seats[to].group->name, seats[from].group->name) &&
               ff_equal(seats[to].group->desc, seats[from].group->desc))
            to++;
        one_group(h, seats + from, to - from, number + 1);
        from = to;
    }
    ff_html_close(h);
}
