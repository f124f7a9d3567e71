/* One process group: the first turn at which its ranks differ, the first that does not end, and who is not there. */
#include "align_private.h"

#include <stdlib.h>

/* ---- which turn ---- */

/* Sorts the seats that show turn seq into classes that did the same. by_op: sizes are not looked at. One that may be
 * cut is like any that ends the same, so it has no voice. */
static verdict classify(const lanes *w, int64_t seq, bool by_op, split *out)
{
    verdict worst = SAME;
    out->n = 0;
    for (uint32_t i = 0; i < w->t->n_seats; i++) {
        const turn *t = turn_at(w, i, seq);
        out->class_of[i] = FF_NONE;
        if (t && ff_turn_may_be_cut(w->t->seats[i], t))
            continue;
        for (uint32_t c = 0; t && c < out->n && out->class_of[i] == FF_NONE; c++) {
            uint32_t k = out->first[c];
            verdict v = ff_turns_compare(w->t->seats[k], turn_at(w, k, seq), w->t->seats[i], t);
            worst = v == OTHER_OP || worst == SAME ? v == SAME ? worst : v : worst;
            if (v == SAME || (by_op && v == OTHER_SHAPE))
                out->class_of[i] = c;
        }
        if (!t || (out->class_of[i] == FF_NONE && out->n == FF_FR_CLASSES))
            continue;
        if (out->class_of[i] == FF_NONE) {
            out->first[out->n] = i;
            out->sizes[out->n] = 0;
            out->class_of[i] = out->n++;
        }
        out->sizes[out->class_of[i]]++;
    }
    return worst;
}

/* Whom the vote makes odd: not those who could be the majority if the members without a voice were asked too. */
static void find_majority(const lanes *w, split *s)
{
    uint32_t voters = 0, keeps = 0, keeper = FF_NONE;
    s->majority = FF_NONE;
    for (uint32_t c = 0; c < s->n; c++)
        voters += s->sizes[c];
    uint32_t silent = w->t->n_ranks > voters ? w->t->n_ranks - voters : 0;
    for (uint32_t c = 0; c < s->n; c++)
        if (s->sizes[c] > voters / 2 && s->sizes[c] >= voters - s->sizes[c] + silent)
            s->majority = c;
    if (s->majority != FF_NONE || s->kind != OTHER_SHAPE || !w->t->n_ranks)
        return;
    /* A tie about sizes: the operation's own rule may show which side is wrong. */
    for (uint32_t c = 0; c < s->n; c++) {
        const seat *first = w->t->seats[s->first[c]];
        int rule = ff_turn_keeps_rule(first, turn_at(w, s->first[c], s->seq), w->t->n_ranks);
        if (rule < 0)
            return;
        keeps += rule == 1;
        keeper = rule == 1 ? c : keeper;
    }
    if (keeps == 1)
        s->majority = keeper;
}

/* Two members of a gather or scatter that both hold what only the root holds. Of the others the dumps do not say whom
 * they took for the root. */
static bool look_for_roots(const lanes *w, int64_t seq, split *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->t->n_seats; i++) {
        const turn *t = turn_at(w, i, seq);
        s->class_of[i] = FF_NONE;
        if (!t || ff_turn_is_root(w->t->seats[i], t, w->t->n_ranks) != 1)
            continue;
        uint32_t c = n ? 1 : 0;
        if (n < 2)
            s->first[c] = i;
        s->class_of[i] = c;
        n++;
    }
    s->n = 2;
    s->sizes[0] = 1;
    s->sizes[1] = n ? n - 1 : 0;
    s->why = WHY_ROOTS;
    s->majority = FF_NONE;
    return n > 1;
}

/* Members of an exchange that is looked at part by part; lists of more are cut in the dumps. */
#define MOST_PARTS 64u

typedef struct parts { /* by member: what goes to each, what comes from each */
    uint64_t sends[MOST_PARTS][MOST_PARTS], takes[MOST_PARTS][MOST_PARTS];
    uint32_t seat[MOST_PARTS]; /* FF_NONE: not known */
    uint32_t bad[MOST_PARTS];  /* pairs with this member that do not fit */
    uint32_t n_bad, one, two;  /* such pairs, and the first of them */
} parts;

static bool read_parts(const lanes *w, int64_t seq, parts *p)
{
    bool open = false;
    for (uint32_t m = 0, i = 0; m < w->t->n_ranks; m++) {
        p->seat[m] = FF_NONE;
        p->bad[m] = 0;
        while (i < w->t->n_seats && rank_of(w->t->seats[i]) < w->t->ranks[m])
            i++;
        if (i == w->t->n_seats || rank_of(w->t->seats[i]) != w->t->ranks[m])
            continue;
        const turn *t = turn_at(w, i, seq);
        if (t && ff_turn_parts(w->t->seats[i], t, w->t->n_ranks, p->sends[m], p->takes[m]))
            p->seat[m] = i;
        open = open || (t && !t->done);
    }
    return open;
}

static void compare_parts(parts *p, uint32_t n)
{
    p->n_bad = 0;
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = 0; b < n; b++) {
            if (p->seat[a] == FF_NONE || p->seat[b] == FF_NONE || p->sends[a][b] == p->takes[b][a])
                continue;
            if (!p->n_bad++) {
                p->one = a;
                p->two = b;
            }
            p->bad[a]++;
            p->bad[b] += a != b;
        }
    }
}

/* In an exchange with a tensor for each member, what a sends to b is what b takes from a. Who is part of all pairs
 * that do not fit is odd, if there are several, or if it does not even fit itself. */
static bool look_for_pairs(const lanes *w, int64_t seq, split *s)
{
    uint32_t n = w->t->n_ranks, odd = FF_NONE, n_odd = 0;
    if (n < 2 || n > MOST_PARTS || !w->t->ranks)
        return false;
    parts *p = ff_alloc(sizeof *p);
    if (read_parts(w, seq, p))
        compare_parts(p, n);
    else
        p->n_bad = 0;
    for (uint32_t m = 0; m < n && p->n_bad; m++) {
        if (p->bad[m] == p->n_bad) {
            odd = m;
            n_odd++;
        }
    }
    bool found = p->n_bad != 0, sure = n_odd == 1;
    if (found) {
        uint32_t usual = p->one == odd ? p->two : p->one, other = sure ? odd : p->two;
        for (uint32_t m = 0; usual == other && m < n; m++)
            usual = m != other && p->seat[m] != FF_NONE ? m : usual;
        s->first[0] = p->seat[usual];
        s->first[1] = p->seat[other];
        for (uint32_t i = 0; i < w->t->n_seats; i++)
            s->class_of[i] = sure && turn_at(w, i, seq) ? 0 : FF_NONE;
        s->class_of[s->first[0]] = 0;
        s->class_of[s->first[1]] = usual == other ? 0 : 1;
        s->n = usual == other ? 1 : 2;
        s->sizes[0] = s->sizes[1] = 1;
        s->why = WHY_PAIRS;
        s->majority = sure && usual != other ? 0 : FF_NONE;
    }
    ff_free(p);
    return found;
}

/* What all members of an exchange send must be what all receive. */
static bool look_for_sums(const lanes *w, int64_t seq, split *s)
{
    uint64_t in = 0, out = 0, one_in = 0, one_out = 0;
    if (w->t->n_seats != w->t->n_ranks)
        return false;
    for (uint32_t i = 0; i < w->t->n_seats; i++) {
        const turn *t = turn_at(w, i, seq);
        if (!t || !ff_turn_exchange(w->t->seats[i], t, &one_in, &one_out))
            return false;
        in += one_in;
        out += one_out;
        s->class_of[i] = 0;
    }
    s->n = 1;
    s->first[0] = 0;
    s->sizes[0] = w->t->n_seats;
    s->why = WHY_SUMS;
    s->majority = FF_NONE;
    return in != out;
}

/* Did all that show the turn do the same, as far as comparing two by two shows it? shown: a seat that shows it. */
static bool is_same(const lanes *w, int64_t seq, uint32_t *shown)
{
    *shown = FF_NONE;
    for (uint32_t k = 0; k < w->n; k++) {
        const turn *t = lane_turn(w, k, seq);
        if (t && *shown == FF_NONE)
            *shown = w->first[k];
        else if (t &&
                 ff_turns_compare(w->t->seats[*shown], turn_at(w, *shown, seq), w->t->seats[w->first[k]], t) != SAME)
            return false;
    }
    return true;
}

static void look_for_split(const lanes *w, int64_t seq, split *s)
{
    uint32_t shown = FF_NONE;
    s->why = WHY_PLAIN;
    if (is_same(w, seq, &shown)) {
        if (shown == FF_NONE || !ff_turn_has_parts(w->t->seats[shown], turn_at(w, shown, seq)))
            return;
        if (look_for_roots(w, seq, s) || look_for_pairs(w, seq, s) || look_for_sums(w, seq, s)) {
            s->kind = OTHER_SHAPE;
            s->seq = seq;
        }
        return;
    }
    verdict v = classify(w, seq, false, s);
    if (v == OTHER_OP)
        (void)classify(w, seq, true, s);
    s->kind = v;
    s->seq = seq;
    find_majority(w, s);
}

/* ---- who came too late ---- */

/* When each seat issued the turn that lies `back` turns before the one it stands at. False: not all say it. */
static bool created_then(const lanes *w, uint32_t back, int64_t *ns)
{
    bool all = true;
    for (uint32_t i = 0; i < w->t->n_seats; i++) {
        const seat *s = w->t->seats[i];
        ns[i] = times_of(s, s->turns[w->at[w->of[i]] - back].first)->created_ns;
        all = all && ns[i] > 0;
    }
    return all;
}

/* Sorts what it is given. */
static int64_t usual(const int64_t *ns, uint32_t n, int64_t *sorted)
{
    for (uint32_t i = 0; i < n; i++)
        sorted[i] = ns[i];
    qsort(sorted, n, sizeof *sorted, ff_compare_i64);
    return sorted[(n - 1) / 2];
}

typedef struct lateness {
    bool before; /* all had the turn before */
    int64_t *now, *then, *sorted;
} lateness;

static void list_late(const lanes *w, int64_t seq, int64_t timeout_ns, lateness *l, finding *f)
{
    uint32_t n = w->t->n_seats;
    int64_t now = usual(l->now, n, l->sorted), then = usual(l->then, n, l->sorted);
    for (uint32_t i = 0; i < n; i++) {
        int64_t behind = (l->now[i] - now) - (l->then[i] - then);
        if (behind <= timeout_ns)
            continue;
        f->late[f->n_late++] = i;
        f->late_seq = seq;
        f->late_ns = behind > f->late_ns ? behind : f->late_ns;
    }
}

/* Longer than the operation's own timeout lies between the first and the last that issued it. */
static bool lies_apart(const lanes *w, int64_t seq, const int64_t *ns, int64_t *timeout_ns)
{
    int64_t first = INT64_MAX, last = 0;
    *timeout_ns = 0;
    for (uint32_t i = 0; i < w->t->n_seats; i++) {
        const ff_fr_entry *e = entry_of(w->t->seats[i], last_of_turn(turn_at(w, i, seq)));
        *timeout_ns = e->call->timeout_ms > 0 ? e->call->timeout_ms * INT64_C(1000000) : *timeout_ns;
        first = ns[i] < first ? ns[i] : first;
        last = ns[i] > last ? ns[i] : last;
    }
    return *timeout_ns > 0 && last - first > *timeout_ns;
}

/* Some operations end as "retired" even when they timed out, and a rank that slept issues them in the end. Then only
 * the times show it: it issued this turn later than the others by more than the timeout, measured against how far
 * apart the ranks' clocks and pace were one turn before. */
static void look_for_late(const lanes *w, int64_t seq, lateness *l, finding *f)
{
    bool all = w->t->n_seats > 1, open = false;
    int64_t timeout_ns = 0;
    for (uint32_t k = 0; k < w->n && all; k++) {
        const turn *t = lane_turn(w, k, seq);
        all = t != NULL;
        open = open ||
               (t && (!t->done || entry_of(w->t->seats[w->first[k]], last_of_turn(t))->state != FF_FR_COMPLETED));
    }
    if (all && open && l->before && created_then(w, 0, l->now) && created_then(w, 1, l->then) &&
        lies_apart(w, seq, l->now, &timeout_ns))
        list_late(w, seq, timeout_ns, l, f);
    l->before = all;
}

void ff_align_judge(finding *f, const team *t, ff_arena *arena)
{
    uint32_t n = t->n_seats ? t->n_seats : 1;
    *f = (finding){ .t = t, .late_seq = -1 };
    f->split.class_of = FF_NEW_N(arena, uint32_t, n);
    f->late = FF_NEW_N(arena, uint32_t, n);
    lanes w = ff_team_lanes(t, arena);
    lateness l = { .now = FF_NEW_N(arena, int64_t, n),
                   .then = FF_NEW_N(arena, int64_t, n),
                   .sorted = FF_NEW_N(arena, int64_t, n) };
    int64_t seq = 0;
    while (f->split.kind == SAME && ff_lanes_next(&w, &seq)) {
        look_for_split(&w, seq, &f->split);
        if (f->split.kind == SAME && f->late_seq < 0)
            look_for_late(&w, seq, &l, f);
        ff_lanes_pass(&w, seq);
    }
    ff_align_front(f, arena);
}
