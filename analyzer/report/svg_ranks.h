/* Pictures of one process group, from its Flight Recorder dumps. */
#ifndef FF_SVG_RANKS_H
#define FF_SVG_RANKS_H

#include "html_private.h"

#include "../../parsers/recorder.h"

typedef struct ff_seat { /* one rank's dump, as far as it speaks of one group */
    const ff_dump *dump;
    const ff_fr_group *group;
} ff_seat;

/* Ranks by sequence numbers, state by colour and sign; of many ranks, those that look alike share a row, and a map
 * has one square for each. number: tells the pictures of a page apart. */
void ff_svg_ranks(ff_html *h, const ff_seat *seats, uint32_t n, uint32_t number);

#endif
