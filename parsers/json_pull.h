/* JSON in, pulled: as pickle.h, for the documents that are large and of one kind. Nothing is built; the caller asks
 * for the next value as what it expects it to be. Tolerant: commas and colons are passed over wherever they stand,
 * Python's words are understood. A call that returns false has taken nothing.
 *
 * Texts come again and again in the same order, so the next one is guessed before it is read. */
#ifndef FF_JSON_PULL_H
#define FF_JSON_PULL_H

#include "../analyzer/base/arena.h"

#include <string.h>

#define FF_JSON_SEEN 256u

typedef struct ff_json_seen { /* a text with its quotes, as it stands in the source */
    const char *p;
    uint32_t n, made; /* made: by the caller, 0 nothing */
    uint32_t next;    /* the text that came behind it last time */
} ff_json_seen;

typedef struct ff_json_pull {
    const char *from, *p, *end;
    ff_arena *arena; /* for texts with escapes */
    ff_json_seen seen[FF_JSON_SEEN];
    uint32_t last;
    const char *problem; /* NULL, or why the reading ended: a constant */
    size_t problem_at;
} ff_json_pull;

typedef struct ff_json_items {
    uint32_t n; /* items given */
    char closer;
} ff_json_items;

void ff_json_pull_open(ff_json_pull *c, ff_bytes source, ff_arena *arena);
void ff_json_pull_fail(ff_json_pull *c, const char *why, const char *at);
void ff_json_pull_skip(ff_json_pull *c);
bool ff_json_pull_number(ff_json_pull *c, double *out);
bool ff_json_pull_text(ff_json_pull *c, ff_bytes *out, uint32_t *slot);
bool ff_json_pull_pair(ff_json_pull *c, ff_bytes *one, ff_bytes *two);
/* ---- what json_pull.c does for the functions below ---- */
bool ff_json_pull_word(ff_json_pull *c, int64_t *out);
bool ff_json_pull_known_far(ff_json_pull *c, uint32_t role, uint32_t mask, uint32_t *made);
bool ff_json_pull_over(ff_json_pull *c, ff_json_items *items);

/* The byte that the next value begins with; 0: there is none. */
static inline char ff_json_pull_peek(ff_json_pull *c)
{
    while (c->p < c->end &&
           (*c->p == ',' || *c->p == ':' || *c->p == ' ' || *c->p == '\n' || *c->p == '\r' || *c->p == '\t'))
        c->p++;
    return c->p < c->end ? *c->p : '\0';
}

static inline uint32_t ff_json_pull_slot_of(ff_json_pull *c)
{
    (void)c;
    return FF_NONE;
}

static inline uint32_t ff_json_pull_put_of(ff_json_pull *c, size_t at)
{
    (void)c;
    (void)at;
    return FF_NONE;
}

static inline bool ff_json_pull_pass(ff_json_pull *c)
{
    (void)c;
    return false;
}

static inline size_t ff_json_pull_at(ff_json_pull *c)
{
    (void)ff_json_pull_peek(c);
    return (size_t)(c->p - c->from);
}

static inline void ff_json_pull_remember(ff_json_pull *c, uint32_t slot, uint32_t made)
{
    c->seen[slot % FF_JSON_SEEN].made = made;
}

/* What the caller made of the next text when it met it before (made & ~mask is role): taken with it. */
static inline bool ff_json_pull_known(ff_json_pull *c, uint32_t role, uint32_t mask, uint32_t *made)
{
    if (ff_json_pull_peek(c) != '"')
        return false;
    uint32_t guess = c->seen[c->last].next;
    const ff_json_seen *s = &c->seen[guess];
    if (s->n && (size_t)(c->end - c->p) >= s->n && (s->made & ~mask) == role && memcmp(c->p, s->p, s->n) == 0) {
        *made = s->made;
        c->p += s->n;
        c->last = guess;
        return true;
    }
    return ff_json_pull_known_far(c, role, mask, made);
}

/* Also true and false; null leaves out as it is. */
static inline bool ff_json_pull_int(ff_json_pull *c, int64_t *out)
{
    char first = ff_json_pull_peek(c);
    const char *p = c->p + (first == '-');
    uint64_t value = 0;
    while (p < c->end && p - c->p < 19 && *p >= '0' && *p <= '9')
        value = value * 10 + (uint64_t)(*p++ - '0');
    if (p - c->p <= (first == '-') || p == c->end || value > INT64_MAX || (*p >= '0' && *p <= '9') || *p == '.' ||
        *p == 'e' || *p == 'E')
        return ff_json_pull_word(c, out);
    *out = first == '-' ? -(int64_t)value : (int64_t)value;
    c->p = p;
    return true;
}

static inline bool ff_json_pull_list(ff_json_pull *c, ff_json_items *items)
{
    if (ff_json_pull_peek(c) != '[')
        return false;
    *items = (ff_json_items){ .closer = ']' };
    c->p++;
    return true;
}

static inline bool ff_json_pull_map(ff_json_pull *c, ff_json_items *items)
{
    if (ff_json_pull_peek(c) != '{')
        return false;
    *items = (ff_json_items){ .closer = '}' };
    c->p++;
    return true;
}

/* An item, or a key with its value, follows. False: the container is over, and left. */
static inline bool ff_json_pull_next(ff_json_pull *c, ff_json_items *items)
{
    char first = ff_json_pull_peek(c);
    if (!first || first == ']' || first == '}')
        return ff_json_pull_over(c, items);
    items->n++;
    return true;
}

#endif
