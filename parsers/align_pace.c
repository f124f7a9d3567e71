/* Slow, not stuck. How long an operation takes on a rank is how long that rank waited for the last one plus what the
 * operation itself needs; so the last one to come is the one whose operation is the shortest, whatever the clocks of
 * its host say. A rank that is last again and again, while the others wait, holds up the job; unless it waits itself
 * in another group, and is only passing on what it waits for. */
#include "align_private.h"

#include <stdlib.h>

#define LEAST_TURNS 8u
#define LEAST_WAIT_NS (INT64_C(5) * 1000000)
#define COARSE_WAIT_NS (INT64_C(200) * 1000000) /* without device times: a watchdog looks every 100 ms */
#define TAIL_TIMES 5
#define TAIL_NS (INT64_C(10) * 1000000)
#define CAP_KINDS 2048u /* facts about kinds of operations, of all teams */

typedef struct pace { /* of one team */
    const team *t;
    uint32_t n;    /* turns that could be compared */
    uint32_t last; /* seat that was last most often */
    uint32_t n_last;
    int64_t caused_ns; /* what the median rank waited for it, in all */
    int64_t span_ns;   /* from the first of these turns to the last */
    const turn *shown; /* the last turn in which it was last */
    int64_t *pure;     /* by turn of seat 0: what the operation itself took; -1 not known */
} pace;

/* -1: it is not said how long it stayed there. */
static inline int64_t stay_ns(const ff_fr_times *took, bool *coarse)
{
    if (took->duration_ms >= 0 && took->duration_ms < 1e9)
        return (int64_t)((double)took->duration_ms * 1e6);
    *coarse = true;
    return took->ended_ms > 0 ? (int64_t)((double)took->ended_ms * 1e6) : -1;
}

typedef struct tally { /* scratch of one team, by seat */
    int64_t *stays, *sorted, *caused, *waited;
    uint32_t *last;
    const turn **shown;
} tally;

/* Did all come to that turn and end it, so that their times can be compared? */
static bool all_ended(const lanes *w, int64_t seq)
{
    for (uint32_t k = 0; k < w->n; k++) {
        const turn *t = lane_turn(w, k, seq);
        if (!t || t->n != 1 || entry_of(w->t->seats[w->first[k]], last_of_turn(t))->state != FF_FR_COMPLETED)
            return false;
    }
    return true;
}

/* Somebody is last only where the next one came clearly before, and the usual one waited long. */
static void count_last(tally *y, uint32_t n, uint32_t least, const turn *shown, int64_t long_ns)
{
    for (uint32_t i = 0; i < n; i++)
        y->sorted[i] = y->stays[i];
    qsort(y->sorted, n, sizeof *y->sorted, ff_compare_i64);
    int64_t usual = y->sorted[n > 2 ? n / 2 : n - 1] - y->sorted[0], gap = y->sorted[1] - y->sorted[0];
    if (usual < long_ns || gap * 2 < usual)
        return;
    y->last[least]++;
    y->caused[least] += usual;
    y->shown[least] = shown;
}

/* One turn that all members ended. Returns what the operation itself took; -1: not all of it is known. */
static int64_t count_turn(const lanes *w, int64_t seq, tally *y)
{
    const team *t = w->t;
    uint32_t n = t->n_seats, least = 0, most = 0;
    bool coarse = false;
    if (!all_ended(w, seq))
        return -1;
    for (uint32_t i = 0; i < n; i++) {
        y->stays[i] = stay_ns(times_of(t->seats[i], last_of_turn(turn_at(w, i, seq))), &coarse);
        if (y->stays[i] < 0)
            return -1;
        least = y->stays[i] < y->stays[least] ? i : least;
        most = y->stays[i] > y->stays[most] ? i : most;
    }
    int64_t shortest = y->stays[least], long_ns = coarse ? COARSE_WAIT_NS : LEAST_WAIT_NS;
    if (y->stays[most] - shortest >= long_ns)
        count_last(y, n, least, turn_at(w, least, seq), long_ns);
    for (uint32_t i = 0; i < n; i++)
        y->waited[i] += y->stays[i] - shortest;
    return shortest;
}

static pace measure(const chain *c, const team *t, ff_arena *arena, int64_t *waited)
{
    pace p = { .t = t, .last = FF_NONE };
    uint32_t n = t->n_seats;
    if (n < 2 || !t->ranks || t->n_absent)
        return p;
    tally y = { .stays = FF_NEW_N(arena, int64_t, n),
                .sorted = FF_NEW_N(arena, int64_t, n),
                .caused = FF_NEW_N(arena, int64_t, n),
                .waited = FF_NEW_N(arena, int64_t, n),
                .last = FF_NEW_N(arena, uint32_t, n),
                .shown = FF_NEW_N(arena, const turn *, n) };
    const seat *first = t->seats[0];
    lanes w = ff_team_lanes(t, arena);
    int64_t from = 0, to = 0;
    p.pure = FF_NEW_N(arena, int64_t, first->n_turns ? first->n_turns : 1);
    for (uint32_t k = 0; k < first->n_turns; k++) {
        ff_lanes_pass(&w, first->turns[k].seq - INT64_C(1));
        p.pure[k] = count_turn(&w, first->turns[k].seq, &y);
        if (p.pure[k] < 0)
            continue;
        to = times_of(first, first->turns[k].first)->created_ns;
        from = p.n++ ? from : to;
    }
    p.span_ns = to - from;
    for (uint32_t i = 0; i < n; i++) {
        waited[t->seats[i]->sheet - c->t->sheets] += y.waited[i];
        if (p.last == FF_NONE || y.caused[i] > y.caused[p.last])
            p.last = i;
    }
    p.n_last = y.last[p.last];
    p.caused_ns = y.caused[p.last];
    p.shown = y.shown[p.last];
    return p;
}

static bool is_straggler(const pace *p)
{
    return p->last != FF_NONE && p->n >= LEAST_TURNS && p->n_last * 4 >= p->n * 3 && p->caused_ns * 5 >= p->span_ns;
}

static void tell_straggler(const pace *p, const teller *out)
{
    const seat *s = p->t->seats[p->last];
    ff_fields f = { .n = 0 };
    ff_add_group(&f, p->t, p->shown->seq);
    ff_fields_int(&f, "rank", FF_FIELD_RANK, rank_of(s));
    ff_fields_text(&f, "op", FF_FIELD_TEXT, ff_turn_op(s, p->shown, out->arena));
    ff_fields_text(&f, "frame", FF_FIELD_TEXT, entry_of(s, p->shown->first)->call->frame);
    ff_fields_int(&f, "turns", FF_FIELD_INT, p->n);
    ff_fields_int(&f, "last_in", FF_FIELD_INT, p->n_last);
    ff_fields_int(&f, "behind_ms", FF_FIELD_INT, p->caused_ns / p->n_last / 1000000);
    ff_fields_int(&f, "caused_ms", FF_FIELD_INT, p->caused_ns / 1000000);
    ff_fields_int(&f, "span_ms", FF_FIELD_INT, p->span_ns / 1000000);
    ff_tell(out, FF_FACT_FR_STRAGGLER, s, p->shown->first, rank_of(s), &f);
}

/* ---- the operation itself became slower ---- */

static bool is_like(const seat *s, uint32_t a, uint32_t b)
{
    const ff_fr_entry *x = entry_of(s, s->turns[a].first), *y = entry_of(s, s->turns[b].first);
    return ff_equal(x->call->op, y->call->op) && ff_equal(x->call->in_sizes, y->call->in_sizes) &&
           ff_equal(x->call->dtypes, y->call->dtypes);
}

/* Compares the last ones of one kind with those before; kind: as turn `like` of seat 0. */
static bool tell_tail(const pace *p, uint32_t like, const teller *out)
{
    const seat *s = p->t->seats[0];
    uint32_t n = 0, *at = FF_NEW_N(out->arena, uint32_t, s->n_turns);
    for (uint32_t k = 0; k < s->n_turns; k++)
        if (p->pure[k] >= 0 && is_like(s, like, k))
            at[n++] = k;
    uint32_t tail = n / 8 < 3 ? 3 : n / 8;
    if (n < 16)
        return false;
    int64_t *sorted = FF_NEW_N(out->arena, int64_t, n);
    for (uint32_t i = 0; i < n; i++)
        sorted[i] = p->pure[at[i]];
    qsort(sorted, n - tail, sizeof *sorted, ff_compare_i64);
    qsort(sorted + (n - tail), tail, sizeof *sorted, ff_compare_i64);
    int64_t steady = sorted[(n - tail) / 2], slow = sorted[n - tail], worst = sorted[n - tail - 1];
    if (slow < TAIL_TIMES * steady || slow < worst || slow - steady < TAIL_NS)
        return false;
    const turn *from = &s->turns[at[n - tail]];
    ff_fields f = { .n = 0 };
    ff_add_group(&f, p->t, from->seq);
    ff_fields_text(&f, "op", FF_FIELD_TEXT, ff_turn_op(s, from, out->arena));
    ff_fields_text(&f, "sizes", FF_FIELD_TEXT, ff_call_shape(entry_of(s, from->first)->call, out->arena));
    ff_fields_int(&f, "turns", FF_FIELD_INT, n);
    ff_fields_int(&f, "slow_turns", FF_FIELD_INT, tail);
    ff_fields_float(&f, "steady_ms", (double)steady / 1e6);
    ff_fields_float(&f, "slow_ms", (double)slow / 1e6);
    ff_tell(out, FF_FACT_FR_SLOW_TAIL, s, from->first, FF_NO_NUMBER, &f);
    return true;
}

static void look_for_tail(const pace *p, const teller *out)
{
    const seat *s = p->t->seats[0];
    /* The last turns are of few kinds; each is tried once. */
    for (uint32_t k = s->n_turns, tried = 0; k-- > 0 && tried < 4;) {
        bool again = p->pure[k] < 0;
        for (uint32_t later = k + 1; later < s->n_turns && later < k + 8 && !again; later++)
            again = p->pure[later] >= 0 && is_like(s, k, later);
        if (again)
            continue;
        tried++;
        if (tell_tail(p, k, out))
            return;
    }
}

void ff_align_pace(const chain *c, bool baseline, const teller *out)
{
    uint32_t room = CAP_KINDS;
    pace *all = FF_NEW_N(out->arena, pace, c->t->n ? c->t->n : 1);
    int64_t *waited = FF_NEW_N(out->arena, int64_t, c->t->n_sheets ? c->t->n_sheets : 1);
    uint32_t *best = FF_NEW_N(out->arena, uint32_t, c->t->n_sheets ? c->t->n_sheets : 1);
    for (uint32_t i = 0; i < c->t->n; i++) {
        all[i] = measure(c, &c->t->at[i], out->arena, waited);
        room -= all[i].n ? ff_align_kinds(all[i].t, all[i].pure, baseline, room, out) : 0;
    }
    if (baseline)
        return;
    for (uint32_t i = 0; i < c->t->n_sheets; i++)
        best[i] = FF_NONE;
    for (uint32_t i = 0; i < c->t->n; i++) {
        if (!is_straggler(&all[i]))
            continue;
        size_t at = (size_t)(all[i].t->seats[all[i].last]->sheet - c->t->sheets);
        if (waited[at] * 2 < all[i].caused_ns && (best[at] == FF_NONE || all[i].caused_ns > all[best[at]].caused_ns))
            best[at] = i;
    }
    for (uint32_t i = 0; i < c->t->n_sheets; i++)
        if (best[i] != FF_NONE)
            tell_straggler(&all[best[i]], out);
    for (uint32_t i = 0; i < c->t->n; i++)
        if (all[i].n >= 16)
            look_for_tail(&all[i], out);
}
