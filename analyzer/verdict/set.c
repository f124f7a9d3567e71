#include "verdict_private.h"

#include <string.h>

/* Where item stands, or would stand. */
static uint32_t text_slot(const ff_set *s, ff_bytes item)
{
    uint32_t low = 0, high = s->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ff_compare(s->at[middle], item) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t number_slot(const ff_number_set *s, int32_t number)
{
    uint32_t low = 0, high = s->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->at[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* at with room for one item more, the n old ones copied. */
static void *grown(const void *at, uint32_t n, uint32_t *cap, size_t size, ff_arena *arena)
{
    *cap = *cap ? *cap * 4 : 4;
    void *room = ff_arena_take(arena, *cap * size);
    if (n)
        memcpy(room, at, n * size);
    return room;
}

bool ff_set_has(const ff_set *s, ff_bytes item)
{
    uint32_t i = text_slot(s, item);
    return i < s->n && ff_equal(s->at[i], item);
}

void ff_set_add(ff_set *s, ff_bytes item, ff_arena *arena)
{
    uint32_t i = text_slot(s, item);
    if (!item.n || (i < s->n && ff_equal(s->at[i], item)))
        return;
    if (s->n == FF_CAP_SUSPECTS) {
        s->more = true;
        return;
    }
    if (s->n == s->cap)
        s->at = grown(s->at, s->n, &s->cap, sizeof *s->at, arena);
    memmove(s->at + i + 1, s->at + i, (s->n - i) * sizeof *s->at);
    s->at[i] = item;
    s->n++;
}

bool ff_number_set_has(const ff_number_set *s, int32_t number)
{
    uint32_t i = number_slot(s, number);
    return i < s->n && s->at[i] == number;
}

void ff_number_set_add(ff_number_set *s, int32_t number, ff_arena *arena)
{
    uint32_t i = number_slot(s, number);
    if (number < 0 || (i < s->n && s->at[i] == number))
        return;
    if (s->n == FF_CAP_NUMBERS) {
        s->more = true;
        return;
    }
    if (s->n == s->cap)
        s->at = grown(s->at, s->n, &s->cap, sizeof *s->at, arena);
    memmove(s->at + i + 1, s->at + i, (s->n - i) * sizeof *s->at);
    s->at[i] = number;
    s->n++;
}

ff_bytes ff_short_host(ff_bytes host)
{
    bool address = true; /* 10.0.0.1, or anything with a colon */
    size_t dot = host.n;
    for (size_t i = 0; i < host.n; i++) {
        char c = host.p[i];
        if (c == '.' && dot == host.n)
            dot = i;
        if (c == ':')
            return host;
        address = address && (c == '.' || (c >= '0' && c <= '9'));
    }
    return address || dot == 0 ? host : ff_first_n(host, dot);
}
