/* What the operations of a group take by themselves, kind by kind: the bandwidth that a group gets out of its links.
 * One kind is one operation with one size and type; what it took is the share of the rank that came last, so nobody's
 * lateness is in it. Groups of the same shape that do the same are each other's measure, and so is an earlier, good
 * run: that comparison is for rules.
 *
 * Bus bandwidth is counted as nccl-tests does (doc/PERFORMANCE.md there): bytes moved, times what a rank has to send
 * for each of them, by the time. */
#include "align_private.h"

#include <stdlib.h>

#define LEAST_TURNS 8u
#define MOST_KINDS 8u /* told of a group: the ones that take most time */
#define MOST_SEEN 64u
#define NO_KIND 255u

typedef struct kind {
    const ff_fr_call *call; /* of its first turn */
    const turn *first;
    int64_t *took; /* ascending, once all are in */
    uint32_t n;
    int64_t all_ns;
} kind;

static bool is_same(const ff_fr_call *a, const ff_fr_call *b)
{
    return a == b || (ff_equal(a->op, b->op) && ff_equal(a->in_sizes, b->in_sizes) &&
                      ff_equal(a->out_sizes, b->out_sizes) && ff_equal(a->dtypes, b->dtypes));
}

static kind *find(kind *all, uint32_t n, const ff_fr_call *call)
{
    for (uint32_t i = 0; i < n; i++)
        if (is_same(all[i].call, call))
            return &all[i];
    return NULL;
}

static int by_time(const void *a, const void *b)
{
    const kind *x = a, *y = b;
    if (x->all_ns != y->all_ns)
        return x->all_ns > y->all_ns ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* Which kind each turn of seat 0 is of whose pure time is known from device clocks; NO_KIND: it does not count. A
 * program has few kinds; the first MOST_SEEN count. */
static uint32_t sort_out(const seat *s, const int64_t *pure, kind *all, uint8_t *of)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->n_turns; k++) {
        const ff_fr_entry *e = entry_of(s, s->turns[k].first);
        of[k] = NO_KIND;
        if (pure[k] <= 0 || times_of(s, s->turns[k].first)->duration_ms < 0)
            continue;
        kind *at = find(all, n, e->call);
        if (!at && n == MOST_SEEN)
            continue;
        if (!at) {
            at = &all[n++];
            *at = (kind){ .call = e->call, .first = &s->turns[k] };
        }
        at->n++;
        of[k] = (uint8_t)(at - all);
    }
    return n;
}

static void collect(const seat *s, const int64_t *pure, kind *all, uint32_t n, const uint8_t *of, ff_arena *arena)
{
    for (uint32_t i = 0; i < n; i++) {
        all[i].took = FF_NEW_N(arena, int64_t, all[i].n);
        all[i].n = 0;
    }
    for (uint32_t k = 0; k < s->n_turns; k++) {
        if (of[k] == NO_KIND)
            continue;
        kind *at = &all[of[k]];
        at->took[at->n++] = pure[k];
        at->all_ns += pure[k];
    }
}

/* Ranks less the first: groups with the same one lie alike on machines of one kind. */
static ff_bytes layout_of(const team *t, ff_arena *arena)
{
    int32_t *steps = FF_NEW_N(arena, int32_t, t->n_ranks);
    for (uint32_t i = 0; i < t->n_ranks; i++)
        steps[i] = t->ranks[i] - t->ranks[0];
    return ff_ranks_text(arena, steps, t->n_ranks);
}

static void tell(const team *t, kind *k, bool baseline, ff_bytes layout, const teller *out)
{
    const seat *s = t->seats[0];
    double factor = 0;
    uint64_t bytes = ff_call_bytes(k->call, t->n_ranks, &factor);
    qsort(k->took, k->n, sizeof *k->took, ff_compare_i64);
    int64_t usual = k->took[k->n / 2];
    ff_fields f = { .n = 0 };
    ff_add_group(&f, t, k->first->seq);
    ff_fields_text(&f, "ranks", FF_FIELD_TEXT, ff_ranks_text(out->arena, t->ranks, t->n_ranks));
    ff_fields_text(&f, "layout", FF_FIELD_TEXT, layout);
    ff_fields_text(&f, "op", FF_FIELD_TEXT, k->call->op);
    ff_fields_text(&f, "sizes", FF_FIELD_TEXT, ff_call_shape(k->call, out->arena));
    ff_fields_int(&f, "turns", FF_FIELD_INT, k->n);
    ff_fields_float(&f, "usual_ms", (double)usual / 1e6);
    ff_fields_float(&f, "worst_ms", (double)k->took[k->n - 1] / 1e6);
    if (bytes) {
        ff_fields_int(&f, "bytes", FF_FIELD_INT, (int64_t)(bytes < INT64_MAX ? bytes : INT64_MAX));
        ff_fields_float(&f, "busbw", (double)bytes * factor / (double)usual);
    }
    if (baseline)
        ff_fields_int(&f, "baseline", FF_FIELD_INT, 1);
    ff_tell(out, FF_FACT_FR_PACE, s, k->first->first, FF_NO_NUMBER, &f);
}

uint32_t ff_align_kinds(const team *t, const int64_t *pure, bool baseline, uint32_t room, const teller *out)
{
    const seat *s = t->seats[0];
    kind all[MOST_SEEN];
    uint32_t told = 0;
    uint8_t *of = ff_alloc((size_t)s->n_turns + 1);
    uint32_t n = sort_out(s, pure, all, of);
    collect(s, pure, all, n, of, out->arena);
    ff_free(of);
    if (!n)
        return 0;
    qsort(all, n, sizeof *all, by_time);
    ff_bytes layout = layout_of(t, out->arena);
    for (uint32_t i = 0; i < n && told < MOST_KINDS && told < room; i++) {
        if (all[i].n < LEAST_TURNS)
            continue;
        tell(t, &all[i], baseline, layout, out);
        told++;
    }
    return told;
}
