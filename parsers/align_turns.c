/* One dump a rank, and that dump cut into turns: collectives by sequence number, coalesced groups as one, sends and
 * receives apart. */
#include "align_private.h"

#include <stdlib.h>
#include <string.h>

/* ---- which dumps ---- */

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

uint32_t ff_align_choose(const ff_dump_table *dumps, ff_arena *arena, const ff_dump ***out)
{
    candidate *all = FF_NEW_N(arena, candidate, dumps->n ? dumps->n : 1);
    uint32_t n = 0, chosen = 0;
    for (uint32_t i = 0; i < dumps->n; i++) {
        const ff_dump *d = dumps->at[i];
        if (d->rank < 0)
            continue;
        all[n++] = (candidate){
            .dump = d, .first_ns = d->oldest_ns, .last_ns = d->newest_ns, .frames = d->n_frames, .order = i
        };
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
        const ff_fr_times *t = ff_fr_times_of(d, e);
        return e->retired || !t->created_ns || e->call->timeout_ms <= 0 ||
               t->ended_ms < (float)e->call->timeout_ms + 1;
    }
    return e->retired && e->state != FF_FR_STARTED && is_eventless(d);
}

static bool has_done(const ff_dump *d)
{
    for (uint32_t i = 0; i < d->n_entries; i++)
        if (is_done(d, &d->entries[i]))
            return true;
    return false;
}

static bool has_sizes(ff_bytes sizes) { return sizes.n > 2; }

static bool is_closing(const ff_fr_entry *e)
{
    return ff_ends(e->call->op, FF_LIT("coalesced")) && !has_sizes(e->call->in_sizes) &&
           !has_sizes(e->call->out_sizes);
}

static bool is_p2p(const ff_fr_entry *e) { return e->call->is_p2p || e->call->src >= 0; }

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
    p2p_op op = { .entry = i, .from = e->call->src, .to = e->call->dst, .done = is_done(d, e) };
    FF_PUSH(&c->p2p, op);
}

static void cut_turn(cutting *c, const ff_dump *d, uint32_t i)
{
    const ff_fr_entry *e = &d->entries[i];
    turn *top = c->turns.n ? &c->turns.at[c->turns.n - 1] : NULL;
    if (e->seq < 0)
        return;
    if (top && top->seq == e->seq) {
        top->span = (i - top->first) & FF_TURN_SPAN;
        if (top->n < FF_TURN_MOST)
            top->n++;
        top->done = is_done(d, e);
        return;
    }
    if (top && e->seq < top->seq)
        c->turns.n = 0; /* the count began anew: what lies before belongs to another life of the group */
    turn t = { .seq = e->seq, .first = i, .n = 1, .done = is_done(d, e) };
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
        if (first && ff_fr_record_id(d, e) != 0)
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
    /* Those of one pair end in order. */
    for (uint32_t i = n; i-- > 1;)
        if (order[i].pair == order[i - 1].pair && ops[order[i].index].done)
            ops[order[i - 1].index].done = true;
    ff_free(order);
}

static void *keep(ff_arena *arena, const void *at, size_t n) { return ff_arena_str(arena, (ff_bytes){ at, n }); }

/* An empty dump of a process that counted operations leaves them out; else it did none. */
bool ff_dump_shows_all(const sheet *sh)
{
    const ff_dump *d = sh->dump;
    for (uint32_t g = 0; g < d->n_groups && !d->n_entries; g++)
        if (d->groups[g].last_enqueued >= 0)
            return false;
    return sh->whole && !sh->filtered && !d->truncated;
}

/* A ring that lost its oldest entries still holds the newest. A dump of only the active entries holds the newest one
 * that is open, and none behind it can have ended. A cut dump may have lost just what decides. */
static void seat_issued(seat *s)
{
    const sheet *sh = s->sheet;
    const ff_fr_group *g = &sh->dump->groups[s->group];
    const turn *last = s->n_turns ? &s->turns[s->n_turns - 1] : NULL;
    bool counted = g->last_enqueued >= 0 && !s->n_p2p;
    s->issued = last ? last->seq : -1;
    s->inside = counted && last && !last->done && g->last_enqueued < last->seq;
    if (counted && g->last_enqueued > s->issued)
        s->issued = g->last_enqueued;
    if (sh->dump->truncated)
        s->issued_exact = false;
    else if (last)
        s->issued_exact = !sh->filtered || !last->done;
    else
        s->issued_exact = counted || ff_dump_shows_all(sh);
}

/* The parts of a coalesced group never end by themselves, and a dump of only the active entries leaves out the entry
 * that closed them. There the process's own count says what ended. */
static void close_counted(seat *s)
{
    const sheet *sh = s->sheet;
    int64_t completed = sh->dump->groups[s->group].last_completed;
    for (uint32_t i = 0; i < s->n_turns && sh->filtered && !s->n_p2p; i++)
        if (s->turns[i].seq <= completed && s->turns[i].n > 1)
            s->turns[i].done = 1;
}

static bool begins_open(const sheet *sh)
{
    const ff_dump *d = sh->dump;
    if (sh->whole || !d->n_entries || d->entries[0].group >= d->n_groups)
        return false;
    const seat *s = &sh->seats[d->entries[0].group];
    return (s->n_turns && s->turns[0].first == 0 && !s->turns[0].done) ||
           (s->n_p2p && s->p2p[0].entry == 0 && !s->p2p[0].done);
}

static void cut(sheet *sh, const ff_dump *d, ff_arena *arena)
{
    *sh = (sheet){ .dump = d, .newest_ns = d->seen_ns, .whole = !d->n_entries || d->first_record <= 0 };
    cutting *cuts = ff_alloc((d->n_groups ? d->n_groups : 1) * sizeof *cuts);
    for (uint32_t g = 0; g < d->n_groups; g++)
        cuts[g] = (cutting){ .batch_seq = -1 };
    for (uint32_t i = 0; i < d->n_entries; i++) {
        const ff_fr_entry *e = &d->entries[i];
        if (i && ff_fr_record_id(d, e) > ff_fr_record_id(d, e - 1) + 1)
            sh->filtered = true;
        if (e->group < d->n_groups)
            cut_entry(&cuts[e->group], d, i);
    }
    sh->filtered = sh->filtered || (!sh->whole && !is_eventless(d) && !has_done(d));
    sh->seats = FF_NEW_N(arena, seat, d->n_groups ? d->n_groups : 1);
    for (uint32_t g = 0; g < d->n_groups; g++) {
        seat *s = &sh->seats[g];
        *s = (seat){ .sheet = sh, .group = g, .n_turns = cuts[g].turns.n, .n_p2p = cuts[g].p2p.n };
        s->turns = keep(arena, cuts[g].turns.at, s->n_turns * sizeof *s->turns);
        s->p2p = keep(arena, cuts[g].p2p.at, s->n_p2p * sizeof *s->p2p);
        number_pairs(s->p2p, s->n_p2p);
        close_counted(s);
        seat_issued(s);
        ff_free(cuts[g].turns.at);
        ff_free(cuts[g].p2p.at);
    }
    ff_free(cuts);
    sh->lost_open = begins_open(sh);
}

/* ---- ranks that do the same ---- */

#define KINDS 16u /* of dumps that are remembered, the latest first */

/* Ranks that hold the same part of a model ask for the same, entry by entry: what they ask for makes the turns. */
static bool asks_alike(const ff_dump *a, const ff_dump *b)
{
    if (a->n_entries != b->n_entries || a->n_groups != b->n_groups || a->records || b->records ||
        a->first_record != b->first_record || a->timing != b->timing || !ff_equal(a->backend, b->backend))
        return false;
    for (uint32_t i = a->n_entries; i-- > 0;) { /* the last ones first: there they differ */
        const ff_fr_entry *x = &a->entries[i], *y = &b->entries[i];
        if (x != y && (x->call != y->call || x->seq != y->seq || x->p2p_seq != y->p2p_seq || x->group != y->group ||
                       x->state != y->state || x->retired != y->retired))
            return false;
        bool ended = x->retired && x->state == FF_FR_COMPLETED;
        if (!ended && is_done(a, x) != is_done(b, y))
            return false;
    }
    return true;
}

static void share_turns(sheet *sh, const ff_dump *d, const sheet *like, ff_arena *arena)
{
    *sh = (sheet){ .dump = d, .newest_ns = d->seen_ns, .whole = like->whole };
    sh->seats = FF_NEW_N(arena, seat, d->n_groups ? d->n_groups : 1);
    for (uint32_t g = 0; g < d->n_groups; g++) {
        const seat *of = &like->seats[g];
        seat *s = &sh->seats[g];
        *s = (seat){ .sheet = sh, .group = g, .n_turns = of->n_turns, .n_p2p = of->n_p2p };
        s->turns = of->turns;
        s->p2p = of->p2p;
        seat_issued(s);
    }
    sh->lost_open = begins_open(sh);
}

void ff_align_cut(sheet *sheets, const ff_dump *const *dumps, uint32_t n, ff_arena *arena)
{
    const sheet *kinds[KINDS];
    uint32_t n_kinds = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = 0;
        while (k < n_kinds && !asks_alike(kinds[k]->dump, dumps[i]))
            k++;
        const sheet *like = k < n_kinds ? kinds[k] : &sheets[i];
        if (like != &sheets[i])
            share_turns(&sheets[i], dumps[i], like, arena);
        else
            cut(&sheets[i], dumps[i], arena);
        if (like->filtered) /* what it counts as ended is its own */
            continue;
        n_kinds += k == n_kinds && n_kinds < KINDS;
        for (k = k < KINDS ? k : KINDS - 1; k > 0; k--)
            kinds[k] = kinds[k - 1];
        kinds[0] = like;
    }
}

const turn *ff_turn_open(const seat *s)
{
    uint32_t k = s->n_turns;
    while (k && !s->turns[k - 1].done)
        k--;
    return k < s->n_turns ? &s->turns[k] : NULL;
}

const p2p_op *ff_p2p_open(const seat *s)
{
    for (uint32_t k = 0; k < s->n_p2p; k++)
        if (!s->p2p[k].done)
            return &s->p2p[k];
    return NULL;
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
