/* Distinct strings of bytes, numbered from 1 in the order in which they came: words, or whatever can be told apart by
 * its bytes. 0 is the empty one. */
#ifndef FF_DISTINCT_H
#define FF_DISTINCT_H

#include "../analyzer/base/arena.h"

typedef struct ff_distinct {
    ff_arena *arena;       /* holds the bytes, aligned for any type */
    FF_VEC(ff_bytes) all;  /* by number less 1 */
    uint32_t *slots, room; /* open addressing over all */
} ff_distinct;

void ff_distinct_init(ff_distinct *d, ff_arena *arena);
void ff_distinct_done(ff_distinct *d); /* the table only; the bytes live as long as the arena */
uint32_t ff_distinct_add(ff_distinct *d, ff_bytes bytes);

static inline ff_bytes ff_distinct_at(const ff_distinct *d, uint32_t number)
{
    return number ? d->all.at[number - 1] : (ff_bytes){ 0 };
}

#endif
