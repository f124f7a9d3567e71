#include "calls.h"

#include <string.h>

/* Interned texts are equal when they are at the same address. */
static bool same_call(const ff_fr_call *a, const ff_fr_call *b)
{
    return a->op.p == b->op.p && a->in_sizes.p == b->in_sizes.p && a->out_sizes.p == b->out_sizes.p &&
           a->dtypes.p == b->dtypes.p && a->frame.p == b->frame.p && a->src == b->src && a->dst == b->dst &&
           a->is_p2p == b->is_p2p && a->timeout_ms == b->timeout_ms && a->in_numel == b->in_numel &&
           a->out_numel == b->out_numel;
}

static uint32_t hash_call(const ff_fr_call *c)
{
    uint64_t h = ff_mix((uintptr_t)c->op.p, (uintptr_t)c->in_sizes.p);
    h = ff_mix(ff_mix(h, (uintptr_t)c->out_sizes.p), (uintptr_t)c->dtypes.p);
    h = ff_mix(ff_mix(h, (uintptr_t)c->frame.p), (uint64_t)(uint32_t)c->src << 32 | (uint32_t)c->dst);
    return (uint32_t)(h ^ h >> 32);
}

static uint32_t *slot_of(const ff_calls *in, const ff_fr_call *c)
{
    uint32_t i = hash_call(c) & (in->room - 1);
    while (in->slots[i] && !same_call(in->all.at[in->slots[i] - 1], c))
        i = (i + 1) & (in->room - 1);
    return &in->slots[i];
}

static void make_room(ff_calls *in)
{
    if (in->all.n < in->room / 2)
        return;
    in->room = in->room ? in->room * 2 : 256;
    ff_free(in->slots);
    in->slots = ff_alloc(in->room * sizeof *in->slots);
    for (uint32_t i = 0; i < in->room; i++)
        in->slots[i] = 0;
    for (uint32_t i = 0; i < in->all.n; i++)
        *slot_of(in, in->all.at[i]) = i + 1;
}

const ff_fr_call *ff_calls_add(ff_calls *in, const ff_fr_call *like)
{
    make_room(in);
    uint32_t *slot = slot_of(in, like);
    if (!*slot) {
        ff_fr_call *c = FF_NEW(in->arena, ff_fr_call);
        *c = *like;
        c->id = in->all.n;
        FF_PUSH(&in->all, c);
        *slot = in->all.n;
    }
    return in->all.at[*slot - 1];
}

void ff_calls_init(ff_calls *c, ff_arena *arena) { *c = (ff_calls){ .arena = arena }; }

void ff_calls_give(ff_calls *c, ff_dump *d)
{
    d->n_calls = c->all.n;
    d->calls = FF_NEW_N(c->arena, ff_fr_call *, c->all.n ? c->all.n : 1);
    if (c->all.n)
        memcpy(d->calls, c->all.at, c->all.n * sizeof *d->calls);
}

void ff_calls_done(ff_calls *c)
{
    ff_free(c->all.at);
    ff_free(c->slots);
    *c = (ff_calls){ 0 };
}
