/* Dumps that several threads read know the same call as several. Here each becomes one, so that ranks that ask for
 * the same are seen to, whoever read them. */
#include "distinct.h"
#include "recorder.h"

#include <string.h>

typedef struct joining {
    ff_distinct programs; /* by the address of their entries */
    FF_VEC(const ff_fr_call *) all;
    uint32_t *slots, room; /* open addressing over all, number + 1; room is a power of two */
    struct {
        const ff_fr_call *from, *to;
    } near[4096]; /* met last */
} joining;

static uint64_t hash_text(uint64_t h, ff_bytes text)
{
    uint64_t one = 0;
    h = ff_mix(h, text.n);
    for (; text.n >= sizeof one; text = ff_skip_n(text, sizeof one)) {
        memcpy(&one, text.p, sizeof one);
        h = ff_mix(h, one);
    }
    one = 0;
    if (text.n)
        memcpy(&one, text.p, text.n);
    return ff_mix(h, one);
}

static uint64_t hash_call(const ff_fr_call *c)
{
    uint64_t h = ff_mix((uint64_t)(uint32_t)c->src << 32 | (uint32_t)c->dst, (uint32_t)c->timeout_ms);
    h = hash_text(hash_text(h, c->op), c->in_sizes);
    return hash_text(hash_text(hash_text(h, c->out_sizes), c->dtypes), c->frame);
}

static bool same_call(const ff_fr_call *a, const ff_fr_call *b)
{
    return a->src == b->src && a->dst == b->dst && a->is_p2p == b->is_p2p && a->timeout_ms == b->timeout_ms &&
           a->in_numel == b->in_numel && a->out_numel == b->out_numel && ff_equal(a->op, b->op) &&
           ff_equal(a->in_sizes, b->in_sizes) && ff_equal(a->out_sizes, b->out_sizes) &&
           ff_equal(a->dtypes, b->dtypes) && ff_equal(a->frame, b->frame);
}

static uint32_t *slot_of(const joining *j, const ff_fr_call *c)
{
    uint64_t h = hash_call(c);
    uint32_t i = (uint32_t)(h ^ h >> 32) & (j->room - 1);
    while (j->slots[i] && !same_call(j->all.at[j->slots[i] - 1], c))
        i = (i + 1) & (j->room - 1);
    return &j->slots[i];
}

static void make_room(joining *j)
{
    if (j->all.n < j->room / 2)
        return;
    j->room = j->room ? j->room * 2 : 1024;
    ff_free(j->slots);
    j->slots = ff_alloc(j->room * sizeof *j->slots);
    memset(j->slots, 0, j->room * sizeof *j->slots);
    for (uint32_t i = 0; i < j->all.n; i++)
        *slot_of(j, j->all.at[i]) = i + 1;
}

static const ff_fr_call *one_of(joining *j, const ff_fr_call *from)
{
    size_t i = (uintptr_t)from / sizeof *from % FF_COUNT(j->near);
    if (j->near[i].from != from) {
        make_room(j);
        uint32_t *slot = slot_of(j, from);
        if (!*slot) {
            FF_PUSH(&j->all, from);
            *slot = j->all.n;
        }
        j->near[i].from = from;
        j->near[i].to = j->all.at[*slot - 1];
    }
    return j->near[i].to;
}

static bool one_keeper(const ff_dump_table *dumps)
{
    for (uint32_t i = 1; i < dumps->n; i++)
        if (dumps->at[i]->keeper != dumps->at[0]->keeper)
            return false;
    return true;
}

void ff_dumps_join(ff_dump_table *dumps, ff_arena *arena)
{
    if (one_keeper(dumps))
        return;
    joining *j = ff_alloc(sizeof *j);
    memset(j, 0, sizeof *j);
    ff_distinct_init(&j->programs, arena);
    for (uint32_t i = 0, seen = 0; i < dumps->n; i++) {
        ff_dump *d = dumps->at[i];
        uint32_t number = ff_distinct_add(&j->programs, (ff_bytes){ (const char *)&d->entries, sizeof d->entries });
        if (number <= seen)
            continue; /* they are shared, and were met */
        seen = number;
        for (uint32_t k = 0; k < d->n_entries; k++)
            d->entries[k].call = one_of(j, d->entries[k].call);
    }
    ff_distinct_done(&j->programs);
    ff_free(j->all.at);
    ff_free(j->slots);
    ff_free(j);
}
