/* Pickle (protocols 2 to 5) in: a pull parser for data. It builds nothing and can run nothing: the caller asks for
 * the next value as what it expects it to be, and what it does not want is passed over. Of what the memo holds only
 * the place is kept, so a value that many others share costs four bytes, and is read again where it stands.
 *
 * Values are asked for in the order in which they stand. A call that returns false has taken nothing: the next value
 * is something else, or the pickle is over or broken (problem is set, and nothing more will be given). */
#ifndef FF_PICKLE_H
#define FF_PICKLE_H

#include "../analyzer/base/arena.h"
#include "pickle_op.h"

typedef struct ff_pickle_slot { /* of the memo */
    uint32_t at;                /* where the value begins; of a tuple: its last opcode */
    uint32_t made;              /* what the caller made of it; 0 nothing yet; of a tuple: where it begins */
} ff_pickle_slot;

typedef struct ff_pickle {
    const uint8_t *from, *p, *end;
    FF_VEC(ff_pickle_slot) memo;
    bool rewritten;      /* a number of the memo was given twice: what stood under it means something else now */
    uint32_t again;      /* how deep in values that the memo holds: their opcodes put nothing anew */
    uint64_t looked;     /* bytes looked at ahead */
    const char *problem; /* NULL, or why the reading ended: a constant */
    size_t problem_at;
} ff_pickle;

typedef struct ff_pickle_items {
    uint32_t at, n;               /* where the container begins; items given */
    bool map, marked, one, tuple; /* items stand behind a mark; the last one stands alone; the mark makes a tuple */
    const uint8_t *back,
        *stop; /* where reading goes on behind a container that the memo holds; end of a tuple there */
} ff_pickle_items;

void ff_pickle_open(ff_pickle *c, ff_bytes source);
void ff_pickle_done(ff_pickle *c);
void ff_pickle_fail(ff_pickle *c, const char *why,
                    const uint8_t *at); /* the first note stays; nothing more is given */

void ff_pickle_skip(ff_pickle *c);                /* passes over the next value, whatever it is */
bool ff_pickle_number(ff_pickle *c, double *out); /* as ff_pickle_int, with fractions */
/* A view of the source. slot: where the memo holds it, FF_NONE if nowhere. */
bool ff_pickle_text(ff_pickle *c, ff_bytes *out, uint32_t *slot);
bool ff_pickle_pair(ff_pickle *c, ff_bytes *one, ff_bytes *two); /* two texts: a tuple, or a list of two */
void ff_pickle_close(ff_pickle *c, ff_pickle_items *items);      /* before next() said false: passes over the rest */

/* ---- what pickle.c does for the functions below ---- */
void ff_pickle_frame(ff_pickle *c);
void ff_pickle_put(ff_pickle *c, uint32_t at);
void ff_pickle_enter(ff_pickle *c, ff_pickle_items *items, bool map);
bool ff_pickle_more(ff_pickle *c, ff_pickle_items *items);
bool ff_pickle_wide(ff_pickle *c, int64_t *out);

/* ---- what happens for each value ---- */

/* The next opcode; 0: there is none. */
static inline uint8_t ff_pickle_peek(ff_pickle *c)
{
    while (c->p < c->end && *c->p == 0x95)
        ff_pickle_frame(c);
    return c->p < c->end ? *c->p : 0;
}

static inline size_t ff_pickle_left(const ff_pickle *c) { return (size_t)(c->end - c->p); }

/* Takes the opcode that gets a value from the memo. */
static inline bool ff_pickle_get(ff_pickle *c, uint32_t *slot)
{
    uint8_t op = ff_pickle_peek(c);
    if (op == 'h' && ff_pickle_left(c) >= 2 && c->p[1] < c->memo.n) {
        *slot = c->p[1];
        c->p += 2;
        return true;
    }
    if (op == 'j' && ff_pickle_left(c) >= 5 && ff_pickle_u32(c->p + 1) < c->memo.n) {
        *slot = ff_pickle_u32(c->p + 1);
        c->p += 5;
        return true;
    }
    return false;
}

/* Slot of the memo that the next value comes from; FF_NONE: it stands here. */
static inline uint32_t ff_pickle_slot_of(ff_pickle *c)
{
    const uint8_t *from = c->p;
    uint32_t slot = FF_NONE;
    if (ff_pickle_get(c, &slot))
        c->p = from;
    return slot;
}

/* Slot of the memo that the value which began at `at` was put into last of all; FF_NONE: none. */
static inline uint32_t ff_pickle_put_of(ff_pickle *c, size_t at)
{
    return c->memo.n && !c->again && c->memo.at[c->memo.n - 1].at == at ? c->memo.n - 1 : FF_NONE;
}

static inline void ff_pickle_remember(ff_pickle *c, uint32_t slot, uint32_t made)
{
    uint8_t op = slot < c->memo.n && c->memo.at[slot].at != FF_NONE ? c->from[c->memo.at[slot].at] : 't';
    if (op != 't' && (op < 0x85 || op > 0x87)) /* of a tuple the memo tells where it begins */
        c->memo.at[slot].made = made;
}

/* Passes over a value that comes from the memo; false: it stands here. */
static inline bool ff_pickle_pass(ff_pickle *c)
{
    uint32_t slot;
    return ff_pickle_get(c, &slot);
}

static inline size_t ff_pickle_at(ff_pickle *c)
{
    (void)ff_pickle_peek(c);
    return (size_t)(c->p - c->from);
}

/* What the caller made of the next value when it met it before (made & ~mask is role): taken with it. */
static inline bool ff_pickle_known(ff_pickle *c, uint32_t role, uint32_t mask, uint32_t *made)
{
    const uint8_t *from = c->p;
    uint32_t slot = 0;
    if (!ff_pickle_get(c, &slot))
        return false;
    *made = c->memo.at[slot].made;
    if ((*made & ~mask) == role)
        return true;
    c->p = from;
    return false;
}

/* Also true and false; none leaves out as it is. */
static inline bool ff_pickle_int(ff_pickle *c, int64_t *out)
{
    uint8_t op = ff_pickle_peek(c);
    size_t left = ff_pickle_left(c);
    const uint8_t *p = c->p;
    if (op == 'K' && left >= 2) {
        *out = p[1];
        c->p += 2;
    } else if (op == 0x8a && left >= 10 && p[1] == 8) {
        *out = (int64_t)ff_pickle_u64(p + 2);
        c->p += 10;
    } else if (op == 'M' && left >= 3) {
        *out = p[1] | p[2] << 8;
        c->p += 3;
    } else if (op == 'J' && left >= 5) {
        *out = (int32_t)ff_pickle_u32(p + 1);
        c->p += 5;
    } else if (op == 0x88 || op == 0x89) {
        *out = op == 0x88;
        c->p++;
    } else {
        return ff_pickle_wide(c, out);
    }
    return true;
}

static inline bool ff_pickle_list(ff_pickle *c, ff_pickle_items *items)
{
    uint8_t op = ff_pickle_peek(c);
    if (op != ']' && op != ')' && op != 'h' && op != 'j' && op != '(')
        return false;
    items->at = FF_NONE;
    ff_pickle_enter(c, items, false);
    return items->at != FF_NONE;
}

static inline bool ff_pickle_map(ff_pickle *c, ff_pickle_items *items)
{
    uint8_t op = ff_pickle_peek(c);
    if (op != '}' && op != 'h' && op != 'j')
        return false;
    items->at = FF_NONE;
    ff_pickle_enter(c, items, true);
    return items->at != FF_NONE;
}

/* An item, or a key with its value, follows. False: the container is over, and left. */
static inline bool ff_pickle_next(ff_pickle *c, ff_pickle_items *items)
{
    uint8_t op = ff_pickle_peek(c);
    if (items->marked && op && op != 'e' && op != 'u' && op != 't') {
        items->n++;
        return true;
    }
    return ff_pickle_more(c, items);
}

#endif
