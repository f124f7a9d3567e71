/* One log may hold a thousand lines of a kind, and a bundle ten thousand such logs. What is kept then must not depend
 * on which member came first: every member keeps the same number of each kind, the largest one with which all of them
 * together stay under the cap. The sums for each such number grow as members are read; as soon as one is over the cap
 * it is sure not to be the answer, so that later members can keep less at once. What earlier ones kept too much of is
 * cut when all are read. */
#include "intake_private.h"

#define FIRST_SHARE (1u << (FF_SHARES - 1))
_Static_assert(FIRST_SHARE >= FF_FACTS_EACH && FIRST_SHARE >= FF_CAP_SIGNALS_EACH, "the first share cuts nothing");

static uint64_t most_signals(const ff_shared *sh)
{
    return sh->options->most_signals ? sh->options->most_signals : FF_CAP_SIGNALS;
}

uint32_t ff_share_now(const ff_shared *sh) { return FIRST_SHARE >> atomic_load(&sh->share); }

/* Adds up what the member would keep with each share. */
static void add_wanted(ff_scan *s)
{
    uint64_t wanted[FF_SHARES] = { 0 };
    for (uint32_t i = 0; i < s->touched.n; i++) {
        uint32_t row = s->touched.at[i], n = s->n_seen[row];
        bool plain = row < s->shared->n_signatures && !s->shared->signatures[row].folds;
        uint32_t cap = plain ? FF_CAP_SIGNALS_EACH : FF_FACTS_EACH;
        n = n < cap ? n : cap;
        for (unsigned k = 0; k < FF_SHARES; k++)
            wanted[k] += n < FIRST_SHARE >> k ? n : FIRST_SHARE >> k;
    }
    for (unsigned k = 0; k < FF_SHARES; k++)
        (void)atomic_fetch_add(&s->shared->wanted[k], wanted[k]);
}

static void lower_share(ff_shared *sh)
{
    unsigned k = atomic_load(&sh->share);
    while (k + 1 < FF_SHARES && atomic_load(&sh->wanted[k]) > most_signals(sh))
        if (atomic_compare_exchange_weak(&sh->share, &k, k + 1))
            k++;
}

static uint32_t row_of(const ff_shared *sh, uint32_t kind)
{
    uint32_t first = sh->options->first_signature_kind;
    return kind >= first ? kind - first : sh->n_signatures + kind;
}

void ff_share_count(ff_scan *s)
{
    if (s->touched.n == 0)
        return;
    add_wanted(s);
    lower_share(s->shared);
    for (uint32_t i = 0; i < s->touched.n; i++)
        s->n_seen[s->touched.at[i]] = 0;
    for (uint32_t i = 0; i < s->signals.n; i++)
        s->signals.at[i].ref = s->n_seen[row_of(s->shared, s->signals.at[i].kind)]++;
}

/* The last one that stays stands for those that go, as it does for those that were never kept. */
static void stand_for(ff_signal *kept, const ff_signal *gone)
{
    kept->count += gone->count;
    kept->last_at = gone->last_at;
    if (gone->last_said.kind != FF_STAMP_NONE)
        kept->last_said = gone->last_said;
}

uint64_t ff_share_cut(const ff_shared *sh, ff_result *r, uint32_t *by_kind)
{
    uint32_t share = ff_share_now(sh), n = 0;
    uint64_t gone = r->over_share;
    if (share == FIRST_SHARE)
        return gone;
    for (uint32_t i = 0; i < r->n_signals; i++)
        if (r->signals[i].ref + 1 == share)
            by_kind[r->signals[i].kind] = i;
    for (uint32_t i = 0; i < r->n_signals; i++) {
        const ff_signal *s = &r->signals[i];
        bool counted = s->kind >= sh->options->first_signature_kind; /* facts stand for themselves */
        if (s->ref >= share)
            gone++;
        if (s->ref >= share && counted)
            stand_for(&r->signals[by_kind[s->kind]], s);
    }
    for (uint32_t i = 0; i < r->n_signals; i++)
        if (r->signals[i].ref < share)
            r->signals[n++] = r->signals[i];
    r->n_signals = n;
    return gone;
}
