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
    int32_t timeout_ms;           /* -1 unknown */
    int32_t src, dst;             /* point-to-point, group-local; -1 */
    bool is_p2p;
    uint32_t id; /* its place in dump.calls */
} ff_fr_call;

/* Thousands of ranks have thousands of entries each, and memory that is touched for the first time is what an
 * analysis of dumps pays most for. So what many have in common is kept with the call, and ranks that ask for the
 * same, entry by entry, share these; only the times are each one's own. */
typedef struct ff_fr_entry {
    const ff_fr_call *call;
    int32_t seq, p2p_seq; /* -1 unknown */
    uint32_t offset;      /* see ff_fr_offset */
    uint16_t group;       /* index into dump.groups */
    uint8_t state;        /* ff_fr_state */
    bool retired;
} ff_fr_entry;

typedef struct ff_fr_times {
    int64_t created_ns; /* UTC; 0 = not known */
    float ended_ms;     /* from its creation to where its end was seen; < 0 not known */
    float duration_ms;  /* < 0 unknown */
} ff_fr_times;

typedef struct ff_fr_shift { /* from this entry on, all lie so much further on than they say, modulo 2^32 */
    uint32_t entry, by;
} ff_fr_shift;

typedef struct ff_fr_mark { /* what a log asked for up to here, as a digest */
    int64_t seq;            /* of the operation behind it */
    uint64_t digest;
} ff_fr_mark;

typedef struct ff_fr_quote {
    uint32_t entry;
    ff_bytes text;
} ff_fr_quote;

typedef struct ff_fr_group {
    ff_bytes name, desc;
    const int32_t *ranks; /* global ranks, ascending; n_ranks 0 = the dump does not say */
    uint32_t n_ranks;
    int64_t last_enqueued, last_started, last_completed; /* -1 unknown */
    const ff_fr_mark *marks;                             /* of a log: ascending seq, at multiples of a power of two */
    uint32_t n_marks;
} ff_fr_group;

typedef struct ff_dump {
    uint32_t member;
    const void *keeper;                  /* the store that keeps it: of the calls of one store no two are the same */
    int32_t rank;                        /* FF_NO_NUMBER when neither name nor content says */
    ff_bytes version, backend, comm_lib; /* "2.10", "nccl", "2.28.9" */
    bool timing;                         /* start events were recorded, so "scheduled" means not started */
    bool truncated;
    bool binary;   /* it has no lines: its place is told by record */
    bool baseline; /* of a run to compare with: what gathers the dumps knows it, for it needs the member's whole name
                    */
    bool from_log; /* made of the COLL lines of a log: what was asked for, nothing about its end */
    ff_fr_group *groups;
    uint32_t n_groups;
    ff_fr_call **calls; /* each distinct one once, by id, while it is read; a kept dump shares them with others */
    uint32_t n_calls;
    ff_fr_entry *entries; /* oldest first; kept dumps that ask for the same share them */
    ff_fr_times *times;   /* by entry */
    uint32_t n_entries;
    const ff_fr_shift *shifts; /* where they lie in this member, if not where the entries say; ascending entry */
    uint32_t n_shifts;
    const uint32_t *records; /* by entry: record_id less first_record, FF_NONE unknown; NULL: one after the other */
    const uint32_t *lines;   /* by entry: in the member; NULL: all stand on its first line */
    int64_t oldest_ns, newest_ns; /* created: of the oldest entry that says it, and the latest; 0 none says it */
    int64_t seen_ns;              /* the latest time that stands in it; 0 none */
    uint32_t n_frames;            /* entries that say where they were called from */
    int64_t first_record;         /* record_id of the oldest entry; -1 unknown */
    uint64_t begins;              /* offset in the member that entries count from */
    ff_bytes quote;               /* what to quote for the dump as a whole */
    ff_fr_quote *quotes;          /* of a log: the lines of some entries, ascending; of others the name is quoted */
    uint32_t n_quotes;
} ff_dump;

typedef struct ff_dump_table {
    ff_dump **at; /* by member name */
    uint32_t n;
} ff_dump_table;

/* Does a folder or file of this path say that it is of a run to compare with? */
bool ff_names_baseline(ff_bytes path);
/* Takes out the dumps of a run to compare with, once they were aligned: to all others they are not of this job. A
 * bundle that has nothing else is about these, and keeps them. (align.c) */
void ff_dumps_drop_baseline(ff_dump_table *dumps);

static inline int64_t ff_fr_record_id(const ff_dump *d, const ff_fr_entry *e) /* -1 unknown */
{
    uint32_t i = (uint32_t)(e - d->entries), record = d->records ? d->records[i] : i;
    return record == FF_NONE || d->first_record < 0 ? -1 : d->first_record + record;
}

static inline uint32_t ff_fr_line(const ff_dump *d, const ff_fr_entry *e)
{
    return d->lines ? d->lines[e - d->entries] : 1;
}

static inline const ff_fr_times *ff_fr_times_of(const ff_dump *d, const ff_fr_entry *e)
{
    return &d->times[e - d->entries];
}

static inline int64_t ff_fr_completed_ns(const ff_fr_times *t) /* UTC, of ten minutes to 0.1 ms; 0 = not known */
{
    return t->ended_ms < 0 ? 0 : t->created_ns + (int64_t)((double)t->ended_ms * 1e6);
}

static inline uint64_t ff_fr_offset(const ff_dump *d, const ff_fr_entry *e) /* in the member */
{
    uint32_t by = 0;
    for (uint32_t i = 0; i < d->n_shifts && d->shifts[i].entry <= (uint32_t)(e - d->entries); i++)
        by = d->shifts[i].by;
    return d->begins + (uint32_t)(e->offset + by);
}

/* Dumps that outlive their members: what a sink does with them. Ranks of one job ask for the same and have the same
 * groups, so calls, texts and lists of members are kept once for all; a dump that is read into a store
 * (ff_sink.dumps) shares them from the beginning. */
typedef struct ff_dump_store ff_dump_store;
ff_dump_store *ff_dump_store_open(ff_arena *arena); /* holds the dumps */
ff_dump *ff_dump_keep(ff_dump_store *s, const ff_dump *d);
void ff_dump_store_close(ff_dump_store *s); /* the tables only; NULL is fine */

/* Makes calls of dumps out of several stores that are the same one and the same. (recorder_join.c) */
void ff_dumps_join(ff_dump_table *dumps, ff_arena *arena);

/* Aligns all dumps per group and gives what does not fit: facts with the dump's member and place. Deterministic.
 * Called once, when every member is read. */
void ff_recorder_align(const ff_dump_table *dumps, ff_arena *arena,
                       void (*fact)(void *owner, uint32_t member, const ff_fact *f), void *owner);

#endif
