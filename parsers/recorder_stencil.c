#include "recorder_stencil.h"

#include <string.h>

#define MOST_STENCILS 512u
#define MOST_HOLES 16u
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
    uint32_t other; /* of a call with the same remainder; FF_NONE: none */
    hole holes[MOST_HOLES];
    ff_row row;
} stencil;

void ff_stencils_init(ff_stencils *s)
{
    *s = (ff_stencils){ .last = FF_NONE };
    for (size_t i = 0; i < FF_COUNT(s->first); i++)
        s->first[i] = FF_NONE;
}

void ff_stencils_done(ff_stencils *s) { ff_free(s->at); }

/* ---- laying it on ---- */

/* Both have eight bytes to read behind them. */
static inline bool is_same(const uint8_t *a, const uint8_t *b, uint32_t n)
{
    for (; n >= 8; n -= 8, a += 8, b += 8)
        if (ff_pickle_u64(a) != ff_pickle_u64(b))
            return false;
    return n == 0 || (ff_pickle_u64(a) ^ ff_pickle_u64(b)) << (64 - 8 * n) == 0;
}

/* Width of the number at p; 0: none that a hole takes. none: it says that there is no value. */
static inline uint32_t take_number(const uint8_t *p, int64_t *value, bool *none)
{
    switch (*p) {
    case 'K':
        *value = p[1];
        return 2;
    case 'M':
        *value = p[1] | p[2] << 8;
        return 3;
    case 'J':
        *value = (int32_t)ff_pickle_u32(p + 1);
        return 5;
    case 0x8a:
        *value = (int64_t)ff_pickle_u64(p + 2);
        return p[1] == 8 ? 10 : 0;
    case 'G':
        *value = 0;
        for (int i = 1; i <= 8; i++)
            *value = (int64_t)((uint64_t)*value << 8 | p[i]);
        return 9;
    case 'N':
        *none = true;
        return 1;
    default:
        return 0;
    }
}

static bool put(ff_row *row, const hole *h, uint8_t op, int64_t value, bool none)
{
    ff_fr_entry *e = &row->entry;
    if (op == 'G' && h->field != FF_ROW_DURATION)
        return false;
    switch (h->field) {
    case FF_ROW_RECORD_ID:
        row->record_id = none ? -1 : value;
        return true;
    case FF_ROW_COLLECTIVE_SEQ:
        e->seq = none ? -1 : ff_row_seq(value);
        return true;
    case FF_ROW_P2P_SEQ:
        e->p2p_seq = none ? -1 : ff_row_seq(value);
        return true;
    case FF_ROW_CREATED:
        e->created_ns = none ? 0 : value;
        return true;
    case FF_ROW_STARTED:
        row->started_ns = none ? 0 : value;
        return true;
    case FF_ROW_COMPLETED:
        row->completed_ns = none ? 0 : value;
        return true;
    case FF_ROW_DURATION: {
        double ms = (double)value;
        if (op == 'G')
            memcpy(&ms, &value, sizeof ms);
        e->duration_ms = none ? -1 : ff_row_ms(ms);
        return true;
    }
    default:
        return true; /* op_id: a number that nobody needs */
    }
}

static bool lay(const stencil *t, const ff_pickle *c, ff_row *row, const uint8_t **end)
{
    const uint8_t *p = c->p, *q = t->from;
    int64_t values[MOST_HOLES];
    const uint8_t *at[MOST_HOLES];
    if ((size_t)(c->end - p) < t->most + 8u)
        return false;
    for (uint32_t i = 0; i < t->n; i++) {
        const hole *h = &t->holes[i];
        bool none = false;
        if (!is_same(p, q, h->fixed))
            return false;
        at[i] = p += h->fixed;
        uint32_t width = take_number(p, &values[i], &none);
        if (!width)
            return false;
        p += width;
        q += h->fixed + h->width;
    }
    if (!is_same(p, q, t->fixed))
        return false;
    *row = t->row;
    for (uint32_t i = 0; i < t->n; i++)
        if (!put(row, &t->holes[i], *at[i], values[i], *at[i] == 'N'))
            return false;
    row->entry.offset = (uint32_t)(c->p - c->from);
    *end = p + t->fixed;
    return true;
}

/* The latest first. */
static void follow(ff_stencils *s, uint32_t before, uint32_t number)
{
    if (before != FF_NONE) {
        uint32_t *next = s->at[before].next, k = 0;
        while (k < NEXT - 1 && next[k] != number)
            k++;
        for (; k > 0; k--)
            next[k] = next[k - 1];
        next[0] = number;
    }
    s->last = number;
}

bool ff_stencils_take(ff_stencils *s, ff_pickle *c, ff_row *row)
{
    const uint8_t *end = NULL;
    if (s->last == FF_NONE || c->again || c->problem || c->rewritten)
        return false;
    for (uint32_t k = 0; k < NEXT; k++) {
        uint32_t number = s->at[s->last].next[k];
        if (number == FF_NONE || !lay(&s->at[number], c, row, &end))
            continue;
        c->p = end;
        follow(s, s->last, number);
        return true;
    }
    return false;
}

/* ---- making one ---- */

static bool is_hole(uint32_t field)
{
    return field == FF_ROW_RECORD_ID || field == FF_ROW_COLLECTIVE_SEQ || field == FF_ROW_P2P_SEQ ||
           field == FF_ROW_CREATED || field == FF_ROW_STARTED || field == FF_ROW_COMPLETED ||
           field == FF_ROW_DURATION || field == FF_ROW_PASSED;
}

/* Bytes of what may stand in a list: marks, what comes from the memo, numbers. 0: something else. */
static uint32_t width_in_list(const uint8_t *p)
{
    switch (*p) {
    case '(':
    case 'e':
    case ']':
        return 1;
    case 'h':
    case 'K':
        return 2;
    case 'M':
        return 3;
    case 'j':
    case 'J':
        return 5;
    case 0x8a:
        return p[1] == 8 ? 10 : 0;
    default:
        return 0;
    }
}

/* Behind a list; p: at its mark. NULL: something stands in it that is not looked into here. */
static const uint8_t *behind_list(const uint8_t *p, const uint8_t *end)
{
    uint32_t depth = 0, width;
    for (; p < end && (width = width_in_list(p)) != 0; p += width) {
        depth += *p == '(';
        depth -= *p == 'e';
        if (depth == 0)
            return p + 1;
    }
    return NULL;
}

static const uint8_t *behind_get(const uint8_t *p) { return *p == 'h' ? p + 2 : *p == 'j' ? p + 5 : NULL; }

static uint32_t field_at(const ff_pickle *c, const uint8_t *p)
{
    uint32_t slot = *p == 'h' ? p[1] : ff_pickle_u32(p + 1);
    uint32_t made = slot < c->memo.n ? c->memo.at[slot].made : 0;
    return (made & ~FF_MADE_MASK) == FF_MADE_KEY ? made & FF_MADE_MASK : (uint32_t)FF_ROW_OTHER;
}

/* Behind a value; NULL: it is not of the few shapes that an entry of the watchdog has. */
static const uint8_t *behind_value(const uint8_t *p, const uint8_t *end)
{
    int64_t number;
    bool none = false;
    if (*p == ']' && p[1] == '(')
        return behind_list(p + 1, end);
    if (*p == 0x88 || *p == 0x89)
        return p + 1;
    const uint8_t *q = behind_get(p);
    if (q && behind_get(q) && *behind_get(q) == 0x86)
        return behind_get(q) + 1;
    uint32_t width = q ? 0 : take_number(p, &number, &none);
    return q ? q : width ? p + width : NULL;
}

/* }( key value key value ... u, where nothing is put into the memo. */
static bool cut_out(stencil *t, const ff_pickle *c, const uint8_t *from)
{
    const uint8_t *p = from + 2, *end = c->p, *fixed = from;
    int64_t number;
    bool none = false;
    if (from[0] != '}' || from[1] != '(')
        return false;
    while (p < end && *p != 'u') {
        const uint8_t *value = behind_get(p), *behind = value && value < end ? behind_value(value, end) : NULL;
        if (!behind || behind >= end)
            return false;
        if (is_hole(field_at(c, p)) && take_number(value, &number, &none)) {
            if (t->n == MOST_HOLES)
                return false;
            t->holes[t->n++] = (hole){ .fixed = (uint16_t)(value - fixed),
                                       .width = (uint8_t)(behind - value),
                                       .field = (uint8_t)field_at(c, p) };
            fixed = behind;
        }
        p = behind;
    }
    t->fixed = (uint16_t)(end - fixed);
    t->most = (uint32_t)(end - from) + WIDEST * t->n;
    return p + 1 == end;
}

void ff_stencils_learn(ff_stencils *s, const ff_pickle *c, const uint8_t *from, const ff_row *row)
{
    stencil t = { .from = from, .next = { FF_NONE, FF_NONE, FF_NONE }, .row = *row };
    ff_row again;
    const uint8_t *end = NULL;
    ff_pickle here = *c;
    here.p = from;
    uint32_t before = s->last;
    s->last = FF_NONE;
    /* Room behind it to read eight bytes at once, and less than what a place in it can say. */
    if (!row->known || c->problem || c->rewritten || (size_t)(c->end - c->p) < 16 + WIDEST * MOST_HOLES ||
        (size_t)(c->p - from) > MOST_BYTES)
        return;
    uint32_t *first = &s->first[row->entry.call->id % FF_COUNT(s->first)];
    for (uint32_t i = *first; i != FF_NONE; i = s->at[i].other) { /* it may be there, and not have followed yet */
        if (s->at[i].row.entry.call == row->entry.call && lay(&s->at[i], &here, &again, &end) && end == c->p) {
            follow(s, before, i);
            return;
        }
    }
    if (s->n == MOST_STENCILS || !cut_out(&t, c, from))
        return;
    if (s->n == s->room) {
        s->room = s->room ? 2 * s->room : 16;
        s->at = ff_realloc(s->at, s->room * sizeof *s->at);
    }
    t.other = *first;
    *first = s->n;
    s->at[s->n] = t;
    follow(s, before, s->n++);
}
