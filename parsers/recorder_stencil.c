#include "recorder_stencil.h"

#include <string.h>

#define MOST_STENCILS 512u
#define MOST_BYTES 4096u /* of an entry */
#define WIDEST 10u       /* bytes of a number */
#define NEXT 3u          /* stencils that followed one, the latest first */

typedef struct hole { /* a number between bytes that are fixed */
    uint16_t fixed;   /* bytes before it */
    uint8_t width;    /* of the number that stands in the pattern */
    uint8_t field;    /* ff_row_field */
} hole;

typedef struct ff_stencil {
    const uint8_t *from; /* of the entry it was made of, in the source */
    uint16_t fixed;      /* bytes behind the last hole */
    uint16_t n;          /* holes */
    uint32_t most;       /* bytes of the longest entry that fits */
    uint32_t next[NEXT];
    uint32_t other;   /* of a call with the same remainder; FF_NONE: none */
    uint32_t pattern; /* number of the same in the store */
    hole holes[FF_ENTRY_HOLES];
    ff_row row;
} stencil;

void ff_stencils_init(ff_stencils *s)
{
    *s = (ff_stencils){ .last = FF_NONE };
    for (size_t i = 0; i < FF_COUNT(s->first); i++)
        s->first[i] = FF_NONE;
}

void ff_stencils_done(ff_stencils *s) { ff_free(s->all.at); }

/* ---- laying it on ---- */

/* Both have eight bytes to read behind them. */
static inline bool is_same(const uint8_t *a, const uint8_t *b, uint32_t n)
{
    for (; n >= 8; n -= 8, a += 8, b += 8)
        if (ff_pickle_u64(a) != ff_pickle_u64(b))
            return false;
    return n == 0 || (ff_pickle_u64(a) ^ ff_pickle_u64(b)) << (64 - 8 * n) == 0;
}

static bool lay(const stencil *t, const ff_pickle *c, ff_row *row, const uint8_t **end)
{
    const uint8_t *p = c->p, *q = t->from;
    int64_t values[FF_ENTRY_HOLES];
    const uint8_t *at[FF_ENTRY_HOLES];
    if ((size_t)(c->end - p) < t->most + 8u)
        return false;
    for (uint32_t i = 0; i < t->n; i++) {
        const hole *h = &t->holes[i];
        bool none = false;
        if (!is_same(p, q, h->fixed))
            return false;
        at[i] = p += h->fixed;
        uint32_t width = ff_hole_number(p, &values[i], &none);
        if (!width)
            return false;
        p += width;
        q += h->fixed + h->width;
    }
    if (!is_same(p, q, t->fixed))
        return false;
    *row = t->row;
    for (uint32_t i = 0; i < t->n; i++)
        if (!ff_hole_put(row, t->holes[i].field, *at[i], values[i]))
            return false;
    row->entry.offset = (uint32_t)(c->p - c->from);
    *end = p + t->fixed;
    return true;
}

static void follow(ff_stencils *s, uint32_t number)
{
    if (s->last != FF_NONE)
        ff_next_put(s->all.at[s->last].next, NEXT, number);
    s->last = number;
}

bool ff_stencils_take(ff_stencils *s, ff_pickle *c, ff_row *row, uint32_t *pattern)
{
    const uint8_t *end = NULL;
    if (s->last == FF_NONE || !ff_entry_is_plain(c))
        return false;
    for (uint32_t k = 0; k < NEXT; k++) {
        uint32_t number = s->all.at[s->last].next[k];
        if (number == FF_NONE || !lay(&s->all.at[number], c, row, &end))
            continue;
        c->p = end;
        *pattern = s->all.at[number].pattern;
        follow(s, number);
        return true;
    }
    return false;
}

/* ---- making one ---- */

static void cut_out(stencil *t, const ff_pickle *c, const uint8_t *from, const ff_entry_holes *holes)
{
    uint32_t behind = 0;
    for (uint32_t i = 0; i < holes->n; i++) {
        t->holes[i] = (hole){ .fixed = (uint16_t)(holes->hole[i].at - behind),
                              .width = holes->hole[i].width,
                              .field = holes->hole[i].field };
        behind = holes->hole[i].at + holes->hole[i].width;
    }
    t->n = (uint16_t)holes->n;
    t->fixed = (uint16_t)(c->p - from - behind);
    t->most = (uint32_t)(c->p - from) + WIDEST * t->n;
}

void ff_stencils_learn(ff_stencils *s, const ff_pickle *c, const uint8_t *from, const ff_row *row,
                       const ff_entry_holes *holes, uint32_t pattern)
{
    stencil t = { .from = from, .next = { FF_NONE, FF_NONE, FF_NONE }, .pattern = pattern, .row = *row };
    ff_row again;
    const uint8_t *end = NULL;
    ff_pickle here = *c;
    here.p = from;
    /* Room behind it to read eight bytes at once, and less than what a place in it can say. */
    if (holes->fresh || (size_t)(c->end - c->p) < 16 + WIDEST * FF_ENTRY_HOLES || (size_t)(c->p - from) > MOST_BYTES)
        return;
    uint32_t *first = &s->first[row->entry.call->id % FF_COUNT(s->first)];
    for (uint32_t i = *first; i != FF_NONE; i = s->all.at[i].other) { /* it may be there, and not have followed yet */
        if (s->all.at[i].row.entry.call == row->entry.call && lay(&s->all.at[i], &here, &again, &end) &&
            end == c->p) {
            follow(s, i);
            return;
        }
    }
    if (s->all.n == MOST_STENCILS)
        return;
    cut_out(&t, c, from, holes);
    t.other = *first;
    *first = s->all.n;
    FF_PUSH(&s->all, t);
    follow(s, *first);
}
