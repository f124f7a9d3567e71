/* One dump a rank, its turns, and the process groups that all dumps together describe.
 *
 * Two names of one group: the official name ("0", "7", a hash) and its set of ranks. Names alone repeat after
 * split_group; version 1 has no names at all, only numbers that each process counts for itself. */
#include "align_private.h"

#include <stdlib.h>
#include <string.h>

/* ---- which dumps ---- */

static int64_t last_created(const ff_dump *d)
{
    int64_t newest = 0;
    for (uint32_t i = 0; i < d->n_entries; i++)
        newest = d->entries[i].created_ns > newest ? d->entries[i].created_ns : newest;
    return newest;
}

static int64_t first_created(const ff_dump *d)
{
    for (uint32_t i = 0; i < d->n_entries; i++)
        if (d->entries[i].created_ns)
            return d->entries[i].created_ns;
    return 0;
}

typedef struct candidate {
    const ff_dump *dump;
    int64_t first_ns, last_ns;
    uint32_t frames, order; /* entries with a frame; place in the table of dumps */
} candidate;

static int compare_candidates(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->dump->rank != y->dump->rank)
        return x->dump->rank < y->dump->rank ? -1 : 1;
    if (x->last_ns != y->last_ns)
        return x->last_ns > y->last_ns ? -1 : 1;
    if (x->frames != y->frames)
        return x->frames > y->frames ? -1 : 1;
    if (x->dump->n_entries != y->dump->n_entries)
        return x->dump->n_entries > y->dump->n_entries ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* A bundle may hold the dumps of an earlier attempt. If one rank shows that everything it did there ended before its
 * newer dump begins, then a rank that only has a dump of the earlier attempt must not be aligned with the newer ones.
 */
static int64_t attempt_began(const candidate *all, uint32_t n)
{
    int64_t began = INT64_MIN;
    for (uint32_t i = 0; i + 1 < n; i++) {
        const candidate *newer = &all[i], *older = &all[i + 1];
        if (newer->dump->rank == older->dump->rank && older->last_ns && older->last_ns < newer->first_ns &&
            (i == 0 || all[i - 1].dump->rank != newer->dump->rank) && older->last_ns > began)
            began = older->last_ns;
    }
    return began;
}

static uint32_t choose(const ff_dump_table *dumps, ff_arena *arena, const ff_dump ***out)
{
    candidate *all = FF_NEW_N(arena, candidate, dumps->n ? dumps->n : 1);
    uint32_t n = 0, chosen = 0;
    for (uint32_t i = 0; i < dumps->n; i++) {
        const ff_dump *d = dumps->at[i];
        if (d->rank < 0)
            continue;
        candidate c = { .dump = d, .first_ns = first_created(d), .last_ns = last_created(d), .order = i };
        for (uint32_t k = 0; k < d->n_entries; k++)
            c.frames += !ff_is_empty(d->entries[k].frame);
        all[n++] = c;
    }
    if (n)
        qsort(all, n, sizeof *all, compare_candidates);
    int64_t began = attempt_began(all, n);
    *out = FF_NEW_N(arena, const ff_dump *, n ? n : 1);
    for (uint32_t i = 0; i < n; i++) {
        if (i && all[i].dump->rank == all[i - 1].dump->rank)
            continue;
        if (!all[i].last_ns || all[i].last_ns > began)
            (*out)[chosen++] = all[i].dump;
    }
    return chosen;
}

/* ---- turns ---- */

static bool is_eventless(const ff_dump *d)
{
    return !ff_equal(d->backend, FF_LIT("nccl")) && !ff_equal(d->backend, FF_LIT("xccl")) && !d->timing;
}

/* Without events an operation stays "scheduled" for ever, and being retired is all there is to know. An operation
 * that is "completed" but was never retired and took longer than its timeout was released by the abort. */
static bool is_done(const ff_dump *d, const ff_fr_entry *e)
{
    if (e->state == FF_FR_COMPLETED) {
        bool overdue = e->timeout_ms > 0 && e->completed_ns > e->created_ns &&
                       (e->completed_ns - e->created_ns) / 1000000 > e->timeout_ms;
        return e->retired || !overdue || !e->created_ns;
    }
    return e->retired && e->state != FF_FR_STARTED && is_eventless(d);
}

static bool has_sizes(ff_bytes sizes) { return sizes.n > 2; }

static bool is_closing(const ff_fr_entry *e)
{
    return ff_ends(e->op, FF_LIT("coalesced")) && !has_sizes(e->in_sizes) && !has_sizes(e->out_sizes);
}

static bool is_p2p(const ff_fr_entry *e) { return e->is_p2p || e->src >= 0; }

typedef struct cutting { /* of one group, while its dump is walked */
    FF_VEC(turn) turns;
    FF_VEC(p2p_op) p2p;
    uint32_t batch;    /* index of the first p2p operation of the open batch */
    int64_t batch_seq; /* its p2p_seq; -1: none is open */
    bool seen;         /* something of this group was met */
} cutting;

static void close_batch(cutting *c, bool done)
{
    for (uint32_t i = c->batch; i < c->p2p.n; i++) {
        c->p2p.at[i].done = done;
        c->p2p.at[i].batched = true;
    }
    c->batch_seq = -1;
}

static void cut_p2p(cutting *c, const ff_dump *d, uint32_t i)
{
    const ff_fr_entry *e = &d->entries[i];
    if (c->batch_seq != e->p2p_seq) {
        c->batch = c->p2p.n;
        c->batch_seq = e->p2p_seq;
    }
    p2p_op op = { .entry = i, .from = e->src, .to = e->dst, .done = is_done(d, e) };
    FF_PUSH(&c->p2p, op);
}

static void cut_turn(cutting *c, const ff_dump *d, uint32_t i)
{
    const ff_fr_entry *e = &d->entries[i];
    turn *top = c->turns.n ? &c->turns.at[c->turns.n - 1] : NULL;
    if (e->seq < 0)
        return;
    if (top && top->seq == e->seq) {
        top->last = i;
        top->n++;
        top->done = is_done(d, e);
        return;
    }
    if (top && e->seq < top->seq)
        c->turns.n = 0; /* the count began anew: what lies before belongs to another life of the group */
    turn t = { .seq = e->seq, .first = i, .last = i, .n = 1, .done = is_done(d, e) };
    FF_PUSH(&c->turns, t);
}

static void cut_entry(cutting *c, const ff_dump *d, uint32_t i)
{
    const ff_fr_entry *e = &d->entries[i];
    bool first = !c->seen;
    c->seen = true;
    if (is_p2p(e)) {
        cut_p2p(c, d, i);
        return;
    }
    if (is_closing(e)) {
        /* The closing entry of a batch carries the number of the collective before it, and says it is not p2p. */
        if (c->batch_seq >= 0 && c->batch_seq == e->p2p_seq) {
            close_batch(c, is_done(d, e));
            return;
        }
        if (first && e->record_id != 0)
            return; /* of what it closes, nothing is left in the ring */
    }
    c->batch_seq = -1;
    cut_turn(c, d, i);
}

static uint64_t pair_key(const p2p_op *op) { return (uint64_t)(uint32_t)op->from << 32 | (uint32_t)op->to; }

typedef struct ranked {
    uint64_t pair;
    uint32_t index;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->pair != y->pair)
        return x->pair < y->pair ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static void number_pairs(p2p_op *ops, uint32_t n)
{
    ranked *order = ff_alloc((size_t)n * sizeof *order);
    for (uint32_t i = 0; i < n; i++)
        order[i] = (ranked){ pair_key(&ops[i]), i };
    if (n)
        qsort(order, n, sizeof *order, compare_ranked);
    for (uint32_t i = 0; i < n; i++) {
        bool again = i && order[i].pair == order[i - 1].pair;
        ops[order[i].index].order = again ? ops[order[i - 1].index].order + 1 : 0;
    }
    ff_free(order);
}

static void *keep(ff_arena *arena, const void *at, size_t n)
{
    void *copy = ff_arena_take(arena, n ? n : 1);
    return n ? memcpy(copy, at, n) : copy;
}

static void seat_issued(seat *s)
{
    const ff_fr_group *g = &s->sheet->dump->groups[s->group];
    bool whole = s->sheet->whole && !s->sheet->filtered && !s->sheet->dump->truncated;
    bool counted = g->last_enqueued >= 0 && !s->n_p2p;
    s->issued = s->n_turns ? s->turns[s->n_turns - 1].seq : -1;
    if (counted && g->last_enqueued > s->issued)
        s->issued = g->last_enqueued;
    /* A ring that lost its oldest entries still holds the newest: only a cut or filtered dump hides those. A group
     * without any entry in such a ring may have had some. */
    bool newest = !s->sheet->filtered && !s->sheet->dump->truncated;
    s->issued_exact = counted || whole || (newest && s->n_turns);
}

static void cut_dump(sheet *sh, const ff_dump *d, ff_arena *arena)
{
    *sh = (sheet){ .dump = d, .whole = !d->n_entries || d->entries[0].record_id <= 0 };
    cutting *cuts = ff_alloc((d->n_groups ? d->n_groups : 1) * sizeof *cuts);
    for (uint32_t g = 0; g < d->n_groups; g++)
        cuts[g] = (cutting){ .batch_seq = -1 };
    for (uint32_t i = 0; i < d->n_entries; i++) {
        const ff_fr_entry *e = &d->entries[i];
        int64_t newest = e->completed_ns > e->started_ns ? e->completed_ns : e->started_ns;
        newest = e->created_ns > newest ? e->created_ns : newest;
        sh->newest_ns = newest > sh->newest_ns ? newest : sh->newest_ns;
        if (i && e->record_id > d->entries[i - 1].record_id + 1)
            sh->filtered = true;
        if (e->group < d->n_groups)
            cut_entry(&cuts[e->group], d, i);
    }
    sh->seats = FF_NEW_N(arena, seat, d->n_groups ? d->n_groups : 1);
    for (uint32_t g = 0; g < d->n_groups; g++) {
        seat *s = &sh->seats[g];
        *s = (seat){ .sheet = sh, .group = g, .n_turns = cuts[g].turns.n, .n_p2p = cuts[g].p2p.n };
        s->turns = keep(arena, cuts[g].turns.at, s->n_turns * sizeof *s->turns);
        s->p2p = keep(arena, cuts[g].p2p.at, s->n_p2p * sizeof *s->p2p);
        number_pairs(s->p2p, s->n_p2p);
        seat_issued(s);
        ff_free(cuts[g].turns.at);
        ff_free(cuts[g].p2p.at);
    }
    ff_free(cuts);
}

const turn *ff_seat_turn(const seat *s, int64_t seq)
{
    uint32_t low = 0, high = s->n_turns;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (s->turns[mid].seq < seq)
            low = mid + 1;
        else
            high = mid;
    }
    return low < s->n_turns && s->turns[low].seq == seq ? &s->turns[low] : NULL;
}

/* ---- teams ---- */

typedef struct claim { /* a group as one dump describes it */
    const ff_fr_group *g;
    seat *seat;
    ff_bytes name;    /* empty where names count for one process only */
    uint32_t ordinal; /* of equal groups of one dump */
} claim;

static int compare_claims(const void *a, const void *b)
{
    const claim *x = a, *y = b;
    uint64_t m = 0, n = 0;
    ff_bytes p = x->name, q = y->name;
    bool numbers = ff_take_uint(&p, &m) && !p.n && ff_take_uint(&q, &n) && !q.n;
    if (numbers && m != n)
        return m < n ? -1 : 1;
    int order = ff_compare(x->name, y->name);
    if (order)
        return order;
    if (x->g->n_ranks != y->g->n_ranks)
        return x->g->n_ranks > y->g->n_ranks ? -1 : 1;
    order = x->g->n_ranks ? memcmp(x->g->ranks, y->g->ranks, x->g->n_ranks * sizeof *x->g->ranks) : 0;
    if (order)
        return order;
    if (x->ordinal != y->ordinal)
        return x->ordinal < y->ordinal ? -1 : 1;
    int32_t r = rank_of(x->seat), s = rank_of(y->seat);
    return (r > s) - (r < s);
}

static bool same_team(const claim *a, const claim *b)
{
    return ff_equal(a->name, b->name) && a->g->n_ranks == b->g->n_ranks && a->ordinal == b->ordinal &&
           (!a->g->n_ranks || memcmp(a->g->ranks, b->g->ranks, a->g->n_ranks * sizeof *a->g->ranks) == 0);
}

static int compare_int32(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static bool has_rank(const team *t, int32_t rank)
{
    return t->ranks && bsearch(&rank, t->ranks, t->n_ranks, sizeof rank, compare_int32);
}

static int compare_seats(const void *a, const void *b)
{
    int32_t x = rank_of(*(seat *const *)a), y = rank_of(*(seat *const *)b);
    return (x > y) - (x < y);
}

static uint32_t same_before(const ff_dump *d, uint32_t g)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g && g < 64; i++)
        n += d->groups[i].n_ranks == d->groups[g].n_ranks &&
             (!d->groups[g].n_ranks ||
              memcmp(d->groups[i].ranks, d->groups[g].ranks, d->groups[g].n_ranks * sizeof *d->groups[g].ranks) == 0);
    return n;
}

static uint32_t collect_claims(sheet *sheets, uint32_t n_sheets, ff_arena *arena, claim **out)
{
    uint32_t n = 0, at = 0;
    for (uint32_t i = 0; i < n_sheets; i++)
        n += sheets[i].dump->n_groups;
    *out = FF_NEW_N(arena, claim, n ? n : 1);
    for (uint32_t i = 0; i < n_sheets; i++) {
        const ff_dump *d = sheets[i].dump;
        bool unnamed = ff_starts(d->version, FF_LIT("1."));
        for (uint32_t g = 0; g < d->n_groups; g++)
            (*out)[at++] = (claim){ .g = &d->groups[g],
                                    .seat = &sheets[i].seats[g],
                                    .name = unnamed ? (ff_bytes){ 0 } : d->groups[g].name,
                                    .ordinal = unnamed ? same_before(d, g) : 0 };
    }
    if (n)
        qsort(*out, n, sizeof **out, compare_claims);
    return n;
}

/* Where a claim without ranks belongs: to the only team of its name that has its rank, else to those that do not know
 * their ranks either. Teams of one name stand together at the end of the table, those with ranks first. */
static uint32_t find_team(const teams *all, const claim *c)
{
    uint32_t found = FF_NONE, n_found = 0;
    for (uint32_t k = all->n; k-- > 0 && ff_equal(all->at[k].name, c->g->name);) {
        if (!all->at[k].ranks)
            return k;
        if (has_rank(&all->at[k], rank_of(c->seat))) {
            found = k;
            n_found++;
        }
    }
    return n_found == 1 ? found : FF_NONE;
}

static uint32_t place_claim(teams *all, const claim *c, bool same_as_last)
{
    const ff_fr_group *g = c->g;
    uint32_t found = same_as_last && g->n_ranks ? all->n - 1 : g->n_ranks ? FF_NONE : find_team(all, c);
    if (found != FF_NONE)
        return found;
    all->at[all->n] =
        (team){ .name = g->name, .desc = g->desc, .ranks = g->n_ranks ? g->ranks : NULL, .n_ranks = g->n_ranks };
    return all->n++;
}

/* Claims of one team stand together. */
static void build_teams(teams *all, const claim *claims, uint32_t n, ff_arena *arena)
{
    uint32_t *team_of = FF_NEW_N(arena, uint32_t, n ? n : 1);
    all->at = FF_NEW_N(arena, team, n ? n : 1);
    for (uint32_t i = 0; i < n; i++) {
        team_of[i] = place_claim(all, &claims[i], i && same_team(&claims[i - 1], &claims[i]));
        all->at[team_of[i]].n_seats++;
    }
    for (uint32_t t = 0; t < all->n; t++) {
        all->at[t].seats = FF_NEW_N(arena, seat *, all->at[t].n_seats ? all->at[t].n_seats : 1);
        all->at[t].n_seats = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        team *t = &all->at[team_of[i]];
        if (ff_is_empty(t->desc))
            t->desc = claims[i].g->desc;
        t->seats[t->n_seats++] = claims[i].seat;
    }
}

static sheet *find_sheet(const teams *all, int32_t rank)
{
    uint32_t low = 0, high = all->n_sheets;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (all->sheets[mid].dump->rank < rank)
            low = mid + 1;
        else
            high = mid;
    }
    return low < all->n_sheets && all->sheets[low].dump->rank == rank ? &all->sheets[low] : NULL;
}

/* Groups enter the table of a dump when their communicator is made. So a member whose complete table lacks the group
 * has not issued anything there. Gloo fills the table wrongly, so its silence says nothing. */
static bool knows_its_groups(const sheet *sh)
{
    const ff_dump *d = sh->dump;
    if (d->truncated || sh->filtered || ff_equal(d->backend, FF_LIT("gloo")))
        return false;
    for (uint32_t g = 0; g < d->n_groups; g++)
        if (!d->groups[g].n_ranks)
            return false;
    return d->n_groups > 0;
}

static void seat_the_rest(teams *all, team *t, ff_arena *arena)
{
    seat **seats = FF_NEW_N(arena, seat *, (size_t)t->n_seats + t->n_ranks);
    t->absent = FF_NEW_N(arena, uint32_t, t->n_ranks ? t->n_ranks : 1);
    uint32_t at = 0, n = 0;
    for (uint32_t i = 0; i < t->n_ranks; i++) {
        while (at < t->n_seats && rank_of(t->seats[at]) < t->ranks[i])
            at++;
        if (at < t->n_seats && rank_of(t->seats[at]) == t->ranks[i]) {
            seats[n++] = t->seats[at];
            continue;
        }
        sheet *sh = find_sheet(all, t->ranks[i]);
        if (!sh) {
            t->absent[t->n_absent++] = i;
            continue;
        }
        seats[n] = FF_NEW(arena, seat);
        *seats[n++] = (seat){ .sheet = sh, .group = FF_NONE, .issued = -1, .issued_exact = knows_its_groups(sh) };
    }
    for (uint32_t i = 0; !t->ranks && i < t->n_seats; i++)
        if (!n || rank_of(seats[n - 1]) != rank_of(t->seats[i]))
            seats[n++] = t->seats[i];
    t->seats = seats;
    t->n_seats = n;
}

teams ff_align_teams(const ff_dump_table *dumps, ff_arena *arena)
{
    teams all = { 0 };
    const ff_dump **chosen = NULL;
    claim *claims = NULL;
    all.n_sheets = choose(dumps, arena, &chosen);
    all.sheets = FF_NEW_N(arena, sheet, all.n_sheets ? all.n_sheets : 1);
    for (uint32_t i = 0; i < all.n_sheets; i++)
        cut_dump(&all.sheets[i], chosen[i], arena);
    uint32_t n = collect_claims(all.sheets, all.n_sheets, arena, &claims);
    build_teams(&all, claims, n, arena);
    for (uint32_t t = 0; t < all.n; t++) {
        if (all.at[t].n_seats)
            qsort(all.at[t].seats, all.at[t].n_seats, sizeof *all.at[t].seats, compare_seats);
        seat_the_rest(&all, &all.at[t], arena);
    }
    return all;
}
