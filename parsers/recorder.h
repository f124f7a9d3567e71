/* Flight Recorder dumps in the shape that alignment needs: one row an entry, strings interned per table. */
#ifndef FF_RECORDER_H
#define FF_RECORDER_H

#include "parser.h"

typedef enum ff_fr_state { FF_FR_SCHEDULED, FF_FR_STARTED, FF_FR_COMPLETED, FF_FR_UNKNOWN } ff_fr_state;

typedef struct ff_fr_call {       /* what was asked for, and from where: many entries of a dump share one */
    ff_bytes op;                  /* "all_reduce": without backend; "send", "recv", "coalesced" */
    ff_bytes in_sizes, out_sizes; /* as text "[[4, 16]]", normalised */
    ff_bytes dtypes;              /* "Float" or "Float,Half" */
    ff_bytes frame;               /* "main at run.py:68": innermost frame outside torch; empty */
    int64_t in_numel, out_numel;  /* of the first tensor; -1 unknown */
    int32_t src, dst;             /* point-to-point, group-local; -1 */
    bool is_p2p;
    uint32_t id; /* its place in dump.calls */
} ff_fr_call;

typedef struct ff_fr_entry {
    int64_t created_ns, completed_ns; /* UTC; 0 = not known */
    int64_t seq, p2p_seq;                         /* -1 unknown */
    const ff_fr_call *call;
    float duration_ms;  /* < 0 unknown */
    int32_t timeout_ms; /* -1 unknown */
    uint32_t record;    /* its record_id less dump.first_record; FF_NONE unknown */
    uint32_t line;      /* in the member, 1 for pickle */
    uint32_t offset;    /* from dump.begins */
    uint16_t group;     /* index into dump.groups */
    uint8_t state;      /* ff_fr_state */
    bool retired;
} ff_fr_entry;

typedef struct ff_fr_group {
    ff_bytes name, desc;
    int32_t *ranks; /* global ranks, ascending; n_ranks 0 = the dump does not say */
    uint32_t n_ranks;
    int64_t last_enqueued, last_started, last_completed; /* -1 unknown */
} ff_fr_group;

typedef struct ff_dump {
    uint32_t member;
    int32_t rank;                        /* FF_NO_NUMBER when neither name nor content says */
    ff_bytes version, backend, comm_lib; /* "2.10", "nccl", "2.28.9" */
    bool timing;                         /* start events were recorded, so "scheduled" means not started */
    bool truncated;
    bool binary;   /* it has no lines: its place is told by record */
    bool from_log; /* made of the COLL lines of a log: what was asked for, nothing about its end */
    ff_fr_group *groups;
    uint32_t n_groups;
    ff_fr_call **calls; /* each distinct one once */
    uint32_t n_calls;
    ff_fr_entry *entries; /* oldest first */
    uint32_t n_entries;
    int64_t oldest_ns, newest_ns; /* created: of the oldest entry that says it, and the latest; 0 none says it */
    int64_t seen_ns; /* the latest time that stands in it; 0 none */
    uint32_t n_frames;            /* entries that say where they were called from */
    int64_t first_record;         /* record_id of the oldest entry; -1 unknown */
    uint64_t begins;              /* offset in the member that entries count from */
    ff_bytes quote;               /* what to quote for the dump as a whole */
} ff_dump;

typedef struct ff_dump_table {
    ff_dump **at; /* by member name */
    uint32_t n;
} ff_dump_table;

static inline int64_t ff_fr_record_id(const ff_dump *d, const ff_fr_entry *e) /* -1 unknown */
{
    return e->record == FF_NONE ? -1 : d->first_record + e->record;
}

/* A deep copy in arena: what a sink does with a dump that has to outlive its member. */
ff_dump *ff_dump_copy(const ff_dump *d, ff_arena *arena);

/* Aligns all dumps per group and gives what does not fit: facts with the dump's member and place. Deterministic.
 * Called once, when every member is read. */
void ff_recorder_align(const ff_dump_table *dumps, ff_arena *arena,
                       void (*fact)(void *owner, uint32_t member, const ff_fact *f), void *owner);

#endif
