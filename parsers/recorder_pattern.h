/* Entries of the dumps of one job, known again by what they mean. A job issues the same few operations on every rank,
 * so of an entry that was read its values are kept as a pattern: keys, texts and containers as what the reader made
 * of them, numbers as they are, and holes where an entry has numbers and times of its own. An entry of any dump that
 * says the same fits, wherever its memo holds the values and whether it is the first to say them. What does not fit
 * is read in the usual way, so this is only ever faster. */
#ifndef FF_RECORDER_PATTERN_H
#define FF_RECORDER_PATTERN_H

#include "distinct.h"
#include "pickle.h"
#include "recorder_row.h"

struct ff_rows; /* recorder_rows.h */

typedef struct ff_patterns {
    FF_VEC(struct ff_pattern) all;
    uint32_t first[1024]; /* by call */
    uint32_t last;        /* the one of the entry before; FF_NONE: none */
    ff_arena *arena;
} ff_patterns;

#define FF_ENTRY_HOLES 16u
#define FF_ENTRY_ANY 4u
typedef struct ff_entry_holes { /* where an entry has what is its own; places count from its begin */
    uint32_t n;
    struct {
        uint32_t at;
        uint8_t width, field;
    } hole[FF_ENTRY_HOLES]; /* numbers */
    uint32_t group[2];      /* the name and the description of its group come from the memo; FF_NONE: they do not */
    uint32_t any[FF_ENTRY_ANY],
        n_any; /* values of the memo that nobody needs; more than there is room for: unknown */
} ff_entry_holes;

void ff_patterns_init(ff_patterns *s, ff_arena *arena);
void ff_patterns_done(ff_patterns *s);
void ff_patterns_begin(ff_patterns *s); /* another dump begins */
/* Takes the next entry if it fits what may follow; row is written only then, but for what its call and group are in
 * this dump; row.known: it says what its call is, too. Else nothing is taken. */
bool ff_patterns_take(ff_patterns *s, ff_pickle *c, struct ff_rows *rows, ff_row *row, ff_entry_holes *holes);
/* The entry that began at from was read as row, and c stands behind it; row says what its call became. What is seldom
 * asked for, as exchanges of uneven size are, becomes one that leaves the sizes open. holes: as above; false: they
 * are not known. */
bool ff_patterns_learn(ff_patterns *s, ff_pickle *c, struct ff_rows *rows, const uint8_t *from, const ff_row *row,
                       ff_entry_holes *holes);

/* ---- what the memo holds (recorder_memo.c); false, 0: nothing, or no text ---- */
/* Behind the text that stands at p; NULL: none does. */
const uint8_t *ff_memo_text_at(const ff_pickle *c, const uint8_t *p, ff_bytes *text);
bool ff_memo_text(const ff_pickle *c, uint32_t slot, ff_bytes *text);
uint8_t ff_memo_opcode(const ff_pickle *c, uint32_t slot);
bool ff_memo_word(ff_pickle *c, ff_distinct *words, uint32_t slot, uint32_t *word);

/* ---- what stencils do in the same way (recorder_hole.c) ---- */
/* Can entries be taken by their bytes here? */
static inline bool ff_entry_is_plain(const ff_pickle *c) { return !c->again && !c->problem && !c->rewritten; }

/* next: the n that followed one, the latest first. */
static inline void ff_next_put(uint32_t *next, uint32_t n, uint32_t number)
{
    uint32_t k = 0;
    while (k < n - 1 && next[k] != number)
        k++;
    for (; k > 0; k--)
        next[k] = next[k - 1];
    next[0] = number;
}

bool ff_hole_takes(uint32_t field); /* a number of the entry's own */
/* op: the number's opcode. false: no number for that field. */
bool ff_hole_put(ff_row *row, uint32_t field, uint8_t op, int64_t value);

/* Width of the number at p, which has ten bytes to read; 0: none that a hole takes. none: it says that there is no
 * value. */
static inline uint32_t ff_hole_number(const uint8_t *p, int64_t *value, bool *none)
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

#endif
