/* What skew_meet.c tells skew.c: how far the clocks of hosts may be apart. */
#ifndef FF_SKEW_PRIVATE_H
#define FF_SKEW_PRIVATE_H

#include "verdict_private.h"

#define FF_SKEW_HOSTS 1024u
#define FF_TRUE_TIME 0u /* number of the host that is none: what a time service follows */
#define FF_FRAME_OF_UTC 1u
#define FF_UNBOUNDED (INT64_MAX / 4) /* some of them can be added up */

typedef struct ff_meeting { /* one host comes to something, or leaves it */
    ff_bytes key;
    uint32_t host;
    bool leaves;
    bool once;        /* a second one on the same side is of another time: then neither counts */
    int64_t from, to; /* its stamp lies between these */
    ff_record at;
} ff_meeting;

typedef struct ff_bound { /* clock of b - clock of a lies between low and high, in ns */
    uint32_t a, b, n;
    int64_t low, high;
    ff_record left, right;
} ff_bound;

typedef struct ff_skews {
    const ff_evidence *evidence;
    ff_arena *arena;
    /* Clocks: of a host, where its times are known to UTC; else a frame, see ff_signal. The first is true time. */
    ff_bytes hosts[FF_SKEW_HOSTS]; /* short names, of a frame that of who was seen with it first */
    uint32_t frames[FF_SKEW_HOSTS];
    uint32_t n_hosts;
    FF_VEC(ff_meeting) meetings;
    FF_VEC(uint32_t) begun; /* signals that come to what the next line of their member names */
    FF_VEC(ff_bound) bounds;
} ff_skews;

/* Reads who met whom and what time services say: one bound for each pair of hosts, closed on both sides. */
void ff_skew_bounds(ff_skews *s, const ff_rulebook *rules);
void ff_skew_done(ff_skews *s);

#endif
