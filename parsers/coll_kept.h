/* What is kept of the operations that the processes of a log asked NCCL for: the first and the last of the log, and
 * of all of them how many there were and what they were, as a running digest. It does not grow with the log. */
#ifndef FF_COLL_KEPT_H
#define FF_COLL_KEPT_H

#include "recorder.h"

typedef struct ff_coll_comm { /* a communicator of one process, as an init line tells it */
    int32_t pid;
    uint64_t pointer;
    ff_bytes id; /* commId, as its text */
    int64_t rank, nranks;
} ff_coll_comm;

typedef struct ff_coll_op { /* one line */
    uint8_t name;           /* see ff_coll_name_of */
    uint64_t comm;          /* pointer */
    int64_t count, datatype, root;
} ff_coll_op;

/* Operations for which every rank passes the same count, then send and receive. False: another one. */
bool ff_coll_name_of(ff_bytes name, uint8_t *out);

typedef struct ff_coll_kept ff_coll_kept;
ff_coll_kept *ff_coll_new(ff_arena *arena);
/* arena: where the list was made; it may have moved since. */
void ff_coll_see_comm(ff_coll_kept *k, ff_arena *arena, const ff_coll_comm *c);
void ff_coll_see_op(ff_coll_kept *k, ff_arena *arena, const ff_block_line *line, const ff_coll_op *op);
/* A dump for each process that says its rank. cut: the log goes on behind what was read. */
void ff_coll_give(ff_coll_kept *k, bool cut, ff_sink *out);

#endif
