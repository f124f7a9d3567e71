#include "intern.h"

void ff_intern_init(ff_intern *in, ff_arena *arena) { *in = (ff_intern){ .arena = arena }; }

void ff_intern_done(ff_intern *in)
{
    ff_free(in->slots);
    *in = (ff_intern){ 0 };
}

static ff_bytes *slot_of(const ff_intern *in, ff_bytes text)
{
    uint32_t i = (uint32_t)ff_hash(text) & (in->cap - 1);
    while (in->slots[i].p && !ff_equal(in->slots[i], text))
        i = (i + 1) & (in->cap - 1);
    return &in->slots[i];
}

static void grow(ff_intern *in)
{
    ff_intern wider = { .arena = in->arena, .n = in->n, .cap = in->cap ? in->cap * 2 : 64 };
    wider.slots = ff_alloc((size_t)wider.cap * sizeof *wider.slots);
    for (uint32_t i = 0; i < wider.cap; i++)
        wider.slots[i] = (ff_bytes){ 0 };
    for (uint32_t i = 0; i < in->cap; i++)
        if (in->slots[i].p)
            *slot_of(&wider, in->slots[i]) = in->slots[i];
    ff_free(in->slots);
    *in = wider;
}

ff_bytes ff_intern_text(ff_intern *in, ff_bytes text)
{
    if (!text.n)
        return (ff_bytes){ 0 };
    if (in->n >= in->cap / 2)
        grow(in);
    ff_bytes *slot = slot_of(in, text);
    if (!slot->p) {
        *slot = ff_arena_copy(in->arena, text);
        in->n++;
    }
    return *slot;
}
