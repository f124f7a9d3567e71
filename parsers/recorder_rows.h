/* The rows of a dump while it is read, whatever its syntax: recorder_read.h pulls values out of the source and hands
 * them in here. Texts are told by their number, 0 for none, so that a reader can remember what it made of a place in
 * the source instead of looking at it again. */
#ifndef FF_RECORDER_ROWS_H
#define FF_RECORDER_ROWS_H

#include "recorder_store.h"

#define FF_SHAPE_VALUES 250u
/* The sizes of a list of tensors: how many tensors, then for each how many, then the sizes. */
typedef struct ff_shape {
    int64_t at[FF_SHAPE_VALUES];
    uint32_t n, top; /* top: where the count of the last tensor stands */
} ff_shape;

typedef struct ff_row_group { /* how entries know a group */
    uint32_t name;
    int64_t pg_id;
    bool configured;
} ff_row_group;

typedef struct ff_row_config { /* a group as the table of groups has it */
    uint32_t name, desc;
    int32_t *ranks; /* in the arena, ascending */
    uint32_t n_ranks;
} ff_row_config;

typedef struct ff_row_status {
    uint32_t key;
    int64_t enqueued, started, completed;
} ff_row_status;

typedef struct ff_rows {
    ff_dump *d;
    ff_arena *arena;
    ff_dump_store *store;
    ff_dump_store *own; /* the same, where nobody gave one */
    FF_VEC(ff_fr_group) groups;
    FF_VEC(ff_row_group) keys; /* same order as groups */
    FF_VEC(ff_row_config) configs;
    FF_VEC(ff_row_status) statuses;
    ff_entry_list entries; /* these two are lent by the store */
    ff_times_list times;
    FF_VEC(uint32_t) records, lines; /* see ff_dump */
    struct {
        int64_t pg_id;
        uint32_t name, group; /* group: number + 1 */
    } near[64];               /* groups met last */
    ff_bytes source;
    uint64_t line_at; /* where the counting of lines stands */
    uint32_t line;
    bool binary;                            /* the source has no lines */
    bool listed, versioned, grouped, named; /* what a dump has was met: entries, a version, groups, operations */
    bool over;                              /* more entries than the cap allows */
    int64_t said_rank;
} ff_rows;

/* store: may be NULL. arena: holds the dump. */
void ff_rows_init(ff_rows *r, ff_bytes source, bool binary, ff_arena *arena, ff_dump_store *store);
/* Number of a text; 0 for the empty one. */
uint32_t ff_rows_word(ff_rows *r, ff_bytes text);
static inline ff_bytes ff_rows_text(const ff_rows *r, uint32_t word)
{
    return ff_distinct_at(&r->store->words, word);
}
uint32_t ff_rows_number(ff_rows *r, int64_t value); /* of the text of a number */
ff_row_field ff_rows_field(ff_bytes key);
ff_fr_state ff_rows_state(ff_bytes text);
/* Number of "name at file:line"; 0: a frame inside torch, or none. */
uint32_t ff_rows_frame(ff_rows *r, ff_bytes name, ff_bytes file, int64_t line);
/* Several types as one text, each once. */
uint32_t ff_rows_types(ff_rows *r, const uint32_t *words, uint32_t n);
uint32_t ff_rows_shape(ff_rows *r, const ff_shape *s);
uint32_t ff_rows_group(ff_rows *r, uint32_t name, uint32_t desc, int64_t pg_id); /* index, made when it is new */
/* Fills in which group of the dump the row is of. */
void ff_rows_place(ff_rows *r, ff_row *row);
/* An entry whose end was seen. false: no more entries are kept. */
bool ff_rows_add(ff_rows *r, ff_row *row);
void ff_rows_config(ff_rows *r, uint32_t name, uint32_t desc, ff_bytes ranks, const int32_t *list, uint32_t n);
/* Closes the books; NULL: not a dump. Entries of the dump live until ff_rows_done. (recorder.c) */
ff_dump *ff_rows_end(ff_rows *r, ff_bytes member_name, bool truncated);
void ff_rows_done(ff_rows *r);

static inline void ff_shape_init(ff_shape *s)
{
    s->at[0] = 0;
    s->n = 1;
}

static inline void ff_shape_tensor(ff_shape *s)
{
    s->at[0]++;
    s->top = s->n;
    if (s->n < FF_SHAPE_VALUES)
        s->at[s->n++] = 0;
}

static inline void ff_shape_size(ff_shape *s, int64_t size)
{
    if (s->n == FF_SHAPE_VALUES || !s->at[0])
        return;
    s->at[s->top]++;
    s->at[s->n++] = size;
}

#endif
