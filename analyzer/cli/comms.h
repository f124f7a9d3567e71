/* What comms.c and comms_layout.c share: communicators, joined over ranks. */
#ifndef FF_COMMS_H
#define FF_COMMS_H

#include "cli.h"

typedef struct comm_seat { /* one rank of a communicator, as the log of its process tells */
    int64_t rank;
    const ff_signal *start, *done, *end; /* may be NULL; end: Destroy COMPLETE, Abort START or COMPLETE */
    const ff_signal *rival;              /* another process that joined as this rank; may be NULL */
} comm_seat;

typedef struct comm_view {
    ff_bytes id; /* commId; of a line without one, the address in its process */
    int64_t n_ranks;
    comm_seat *seats; /* in rank order */
    uint32_t n_seats;
    bool sizes_differ;
} comm_view;

typedef struct comm_list {
    comm_view *at;
    uint32_t n;
} comm_list;

typedef struct signal_list { /* of one kind, by member and line */
    const ff_signal **at;
    uint32_t n;
} signal_list;

bool comm_number(const ff_signal *s, const char *name, int64_t *out);
/* A name that no rule declares gives an empty list. */
signal_list comm_signals(const ff_report *r, const char *kind, ff_arena *arena);
/* The first of a member's signals; the list's end when it has none. */
uint32_t comm_first_of(const signal_list *l, uint32_t member);

/* Rings, trees and transports of each communicator: lines of its processes between its start and the next one's. */
typedef struct comm_layout comm_layout;
comm_layout *comm_layout_read(const ff_report *r, const comm_list *comms, ff_arena *arena);
void comm_layout_add(ff_text *out, const comm_layout *l, uint32_t comm, ff_arena *arena);
void comm_layout_add_shared(ff_text *out, const comm_layout *l); /* what several communicators may have said */

#endif
