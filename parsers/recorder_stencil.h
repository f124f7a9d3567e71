/* Entries of a dump that repeat. A job issues the same few operations over and over, so an entry differs from an
 * earlier one in its numbers and times only: every other byte, above all the places in the memo, is the same. Of an
 * entry that the reader has read its bytes become a stencil: what is fixed, and where the numbers stand between. The
 * next entry is laid against the stencil that followed last time; where it fits, its numbers are all there is to
 * read. What does not fit is read in the usual way, so this is only ever faster. */
#ifndef FF_RECORDER_STENCIL_H
#define FF_RECORDER_STENCIL_H

#include "recorder_pattern.h"

typedef struct ff_stencils {
    FF_VEC(struct ff_stencil) all;
    uint32_t first[128]; /* by call */
    uint32_t last;       /* the one of the entry before; FF_NONE: none */
} ff_stencils;

void ff_stencils_init(ff_stencils *s);
void ff_stencils_done(ff_stencils *s);
/* Takes the next entry if it fits; row is written only then. pattern: what was said of it when it was learned. */
bool ff_stencils_take(ff_stencils *s, ff_pickle *c, ff_row *row, uint32_t *pattern);
/* The entry that began at from was read as row, and c stands behind it; row says what its call and group became. */
void ff_stencils_learn(ff_stencils *s, const ff_pickle *c, const uint8_t *from, const ff_row *row,
                       const ff_entry_holes *holes, uint32_t pattern);

#endif
