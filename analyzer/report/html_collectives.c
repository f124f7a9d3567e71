/* Where each rank stood in each process group when its Flight Recorder was dumped: the rank that is behind the others
 * is the one they wait for. */
#include "html_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../parsers/recorder.h"

typedef struct seat {
    const ff_dump *dump;
    const ff_fr_group *group;
} seat;

static int by_group_then_rank(const void *left, const void *right)
{
    const seat *a = left, *b = right;
    int order = ff_compare(a->group->name, b->group->name);
    if (order == 0)
        order = (a->dump->rank > b->dump->rank) - (a->dump->rank < b->dump->rank);
    return order ? order : (a->dump->member > b->dump->member) - (a->dump->member < b->dump->member);
}

static uint32_t take_seats(const ff_dump_table *dumps, seat **out, ff_arena *arena)
{
    uint32_t n = 0, at = 0;
    for (uint32_t i = 0; i < dumps->n; i++)
        n += dumps->at[i]->n_groups;
    *out = FF_NEW_N(arena, seat, n + 1);
    for (uint32_t i = 0; i < dumps->n; i++)
        for (uint32_t g = 0; g < dumps->at[i]->n_groups; g++)
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
}

void ff_html_collectives(ff_html *h)
{
    const ff_dump_table *dumps = h->r->evidence->dumps;
    seat *seats = NULL;
    uint32_t n = dumps ? take_seats(dumps, &seats, &h->arena) : 0, number = 0;
    if (!n)
        return;
    ff_html_open(h, "collectives", "Where each rank stood");
    for (uint32_t from = 0; from < n && number < FF_HTML_GROUP; number++) {
        uint32_t to = from + 1;
        while (to < n && ff_equal(seats[to].group->name, seats[from].group->name))
            to++;
        one_group(h, seats + from, to - from, number + 1);
        from = to;
    }
    ff_html_close(h);
}
