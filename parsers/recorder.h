/* Flight Recorder dumps in the shape that alignment needs: one row an entry, strings interned per table. */
#ifndef FF_RECORDER_H
#define FF_RECORDER_H

#include "parser.h"

typedef enum ff_fr_state { FF_FR_SCHEDULED, FF_FR_STARTED, FF_FR_COMPLETED, FF_FR_UNKNOWN } ff_fr_state;

typedef struct ff_fr_entry {
    uint32_t group;        /* index into dump.groups */
    int64_t record_id, seq, p2p_seq, op_id; /* -1 unknown */
    ff_bytes op;           /* "all_reduce": without backend; "send", "recv", "coalesced" */
    int32_t src, dst;      /* point-to-point, group-local; -1 */
    ff_fr_state state;
    bool retired, is_p2p;
    int64_t created_ns, started_ns, completed_ns; /* UTC; 0 = not known */
    double duration_ms;    /* < 0 unknown */
    int64_t timeout_ms;    /* -1 unknown */
    ff_bytes in_sizes, out_sizes; /* as text "[[4, 16]]", normalised */
    ff_bytes dtypes;       /* "Float" or "Float,Half" */
    int64_t in_numel, out_numel;  /* of the first tensor; -1 unknown */
    ff_bytes frame;        /* "main at run.py:68": innermost frame outside torch; empty */
    uint32_t line;         /* in the dump, 1 for pickle */
    uint64_t offset;
} ff_fr_entry;

typedef struct ff_fr_group {
    ff_bytes name, desc;
    int32_t *ranks;        /* global ranks, ascending; n_ranks 0 = the dump does not say */
    uint32_t n_ranks;
    int64_t last_enqueued, last_started, last_completed; /* -1 unknown */
} ff_fr_group;

typedef struct ff_dump {
    uint32_t member;
    int32_t rank;          /* FF_NO_NUMBER when neither name nor content says */
    ff_bytes version, backend, comm_lib; /* "2.10", "nccl", "2.28.9" */
    bool timing;           /* start events were recorded, so "scheduled" means not started */
    bool truncated;
    bool from_log;         /* made of the COLL lines of a log: what was asked for, nothing about its end */
    ff_fr_group *groups;
    uint32_t n_groups;
    ff_fr_entry *entries;  /* oldest first */
    uint32_t n_entries;
    ff_bytes quote;        /* what to quote for the dump as a whole */
} ff_dump;

typedef struct ff_dump_table {
    ff_dump **at;          /* by member name */
    uint32_t n;
} ff_dump_table;

/* Tree of a dump (pickle or JSON) to rows; all in arena, nothing points into the source. NULL: not a dump. */
ff_dump *ff_recorder_read(const ff_tree *t, ff_bytes member_name, ff_arena *arena);

/* A deep copy in arena: what a sink does with a dump that has to outlive its member. */
ff_dump *ff_dump_copy(const ff_dump *d, ff_arena *arena);

/* Aligns all dumps per group and gives what does not fit: facts with the dump's member and place. Deterministic.
 * Called once, when every member is read. */
void ff_recorder_align(const ff_dump_table *dumps, ff_arena *arena,
                       void (*fact)(void *owner, uint32_t member, const ff_fact *f), void *owner);

#endif
