/* Entries whose bytes were met before. A job issues the same few operations over and over, on every rank, and writers
 * of dumps number what they repeat in order of appearance: so an entry differs from an earlier one, of its own dump
 * or of another rank's, in its numbers and times only. Of an entry that was read its bytes become a stencil: a mask
 * that leaves out the numbers, what the memo must hold for the bytes to mean the same, and what the entry puts into
 * it. The next entry is laid against the stencils that followed last time; where one fits, its numbers are all there
 * is to read. What does not fit is read in the usual way, so this is only ever faster. */
#ifndef FF_RECORDER_STENCIL_H
#define FF_RECORDER_STENCIL_H

#include "recorder_pattern.h"

#define FF_STENCIL_NEXT 4u /* those that followed one, the latest first */
struct ff_rows;            /* recorder_rows.h */

typedef struct ff_stencils {
    FF_VEC(struct ff_stencil) all;
    uint32_t first[1024];            /* by call */
    uint32_t begin[FF_STENCIL_NEXT]; /* those that dumps began with */
    uint32_t last;                   /* the one of the entry before; FF_NONE: none */
    uint32_t dump;                   /* number of the dump that is read */
    ff_arena *arena;
} ff_stencils;

void ff_stencils_init(ff_stencils *s, ff_arena *arena);
void ff_stencils_done(ff_stencils *s);
void ff_stencils_begin(ff_stencils *s); /* another dump begins */
/* Takes the next entry if it fits; row is written only then. pattern: what was said of it when it was learned. */
bool ff_stencils_take(ff_stencils *s, ff_pickle *c, struct ff_rows *rows, ff_row *row, uint32_t *pattern);
/* The entry that began at from was read as row, and c stands behind it; row says what its call and group became. */
void ff_stencils_learn(ff_stencils *s, const ff_pickle *c, struct ff_rows *rows, const uint8_t *from,
                       const ff_row *row, const ff_entry_holes *holes, uint32_t pattern);

#endif
