#include "distinct.h"

#include <string.h>

static uint64_t hash(ff_bytes b)
{
    uint64_t h = b.n, one = 0;
    while (b.n >= 8) {
        memcpy(&one, b.p, 8);
        h = ff_mix(h, one);
        b = ff_skip_n(b, 8);
    }
    one = 0;
    if (b.n)
        memcpy(&one, b.p, b.n);
    return ff_mix(h, one);
}

static uint32_t *slot_of(const ff_distinct *d, ff_bytes bytes)
{
    uint32_t i = (uint32_t)hash(bytes) & (d->room - 1);
    while (d->slots[i] && !ff_equal(d->all.at[d->slots[i] - 1], bytes))
        i = (i + 1) & (d->room - 1);
    return &d->slots[i];
}

static void make_room(ff_distinct *d)
{
    d->room = d->room ? d->room * 2 : 256;
    ff_free(d->slots);
    d->slots = ff_alloc(d->room * sizeof *d->slots);
    memset(d->slots, 0, d->room * sizeof *d->slots);
    for (uint32_t i = 0; i < d->all.n; i++)
        *slot_of(d, d->all.at[i]) = i + 1;
}

uint32_t ff_distinct_add(ff_distinct *d, ff_bytes bytes)
{
    if (!bytes.n)
        return 0;
    if (d->all.n >= d->room / 2)
        make_room(d);
    uint32_t *slot = slot_of(d, bytes);
    if (!*slot) {
        FF_PUSH(&d->all, ff_arena_copy(d->arena, bytes));
        *slot = d->all.n;
    }
    return *slot;
}

void ff_distinct_init(ff_distinct *d, ff_arena *arena) { *d = (ff_distinct){ .arena = arena }; }

void ff_distinct_done(ff_distinct *d)
{
    ff_free(d->all.at);
    ff_free(d->slots);
    *d = (ff_distinct){ 0 };
}
