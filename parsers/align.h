/* Where the ranks of each process group stand, for those who show it. */
#ifndef FF_ALIGN_H
#define FF_ALIGN_H

#include "recorder.h"

typedef enum ff_standing {
    FF_STANDS_IDLE,    /* nothing of the group is open anywhere */
    FF_STANDS_WAITING, /* issued the group's turn, and it did not end */
    FF_STANDS_PASSED,  /* it ended there */
    FF_STANDS_MISSING, /* never issued it */
    FF_STANDS_UNKNOWN, /* its dump does not say */
    FF_STANDS_NO_DUMP,
    FF_STANDS_LATE, /* came when the others had given up */
    FF_STANDS_ODD   /* did something else than most */
} ff_standing;

typedef struct ff_stand { /* one rank in one group */
    int32_t rank;
    ff_standing standing;
    bool inside;                        /* its call has not returned */
    int64_t issued, started, completed; /* sequence numbers of collectives as the entries show them; -1 none */
    uint32_t open_p2p;                  /* sends and receives that did not end */
    ff_bytes waits_in;                  /* another group that holds the rank up; empty */
} ff_stand;

typedef struct ff_group_view {
    ff_bytes name, desc;
    uint32_t n_members; /* 0: not known */
    int64_t seq;        /* the turn that ranks wait in; -1: nobody waits */
    ff_bytes op, frame; /* of that turn, at the first rank that waits */
    ff_stand *ranks;    /* ascending */
    uint32_t n_ranks, n_dumps;
} ff_group_view;

typedef struct ff_group_views {
    ff_group_view *at;
    uint32_t n;
} ff_group_views;

/* All in arena; views into the dumps. */
ff_group_views ff_align_view(const ff_dump_table *dumps, ff_arena *arena);

#endif
