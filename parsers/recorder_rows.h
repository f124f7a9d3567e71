/* The rows of a dump while it is read, whatever its syntax: recorder_read.h pulls values out of the source and hands
 * them in here. Texts are told by their number, 0 for none, so that a reader can remember what it made of a place in
 * the source instead of looking at it again. */
#ifndef FF_RECORDER_ROWS_H
#define FF_RECORDER_ROWS_H

#include "calls.h"
#include "distinct.h"
#include "recorder.h"

typedef enum ff_row_field {
    FF_ROW_OTHER,
    FF_ROW_PASSED, /* a number or text that is not needed */
    FF_ROW_RECORD_ID,
    FF_ROW_PG_ID,
    FF_ROW_PROCESS_GROUP,
    FF_ROW_COLLECTIVE_SEQ,
    FF_ROW_P2P_SEQ,
    FF_ROW_NAME,
    FF_ROW_CREATED,
    FF_ROW_CREATED_US,
    FF_ROW_DURATION,
    FF_ROW_IN_SIZES,
    FF_ROW_OUT_SIZES,
    FF_ROW_IN_TYPES,
    FF_ROW_OUT_TYPES,
    FF_ROW_STATE,
    FF_ROW_STARTED,
    FF_ROW_COMPLETED,
    FF_ROW_RETIRED,
    FF_ROW_TIMEOUT,
    FF_ROW_IS_P2P,
    FF_ROW_FRAMES
} ff_row_field;

/* What was made of a value that the memo of a pickle holds: the kind of thing above, its number below. */
#define FF_MADE_MASK UINT32_C(0x0fffffff)
enum ff_made {
    FF_MADE_KEY = 1 << 28,
    FF_MADE_WORD = 2 << 28,
    FF_MADE_STATE = 3 << 28,
    FF_MADE_FRAME = 4 << 28,
    FF_MADE_SHAPE = 5 << 28,
    FF_MADE_TYPES = 6 << 28,
    FF_MADE_STACK = 7 << 28
};

typedef struct ff_row_call { /* what a call is made of, as numbers of texts */
    uint32_t name, in_sizes, out_sizes, in_types, out_types, frame;
    uint32_t p2p; /* 0 not said, 1 no, 2 yes */
    int32_t timeout_ms;
} ff_row_call;

typedef struct ff_row { /* an entry while it is read */
    ff_fr_entry entry;
    ff_row_call call;
    int64_t record_id, pg_id, started_ns, completed_ns;
    uint32_t group_name, group_desc;
    bool grouped; /* it names its group */
    bool known;   /* its call and its group are in the entry already */
} ff_row;

#define FF_SHAPE_VALUES 250u
typedef struct ff_shape { /* the sizes of a list of tensors: how many tensors, then for each how many, then the sizes
                           */
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
    ff_calls calls;
    ff_distinct words;
    ff_distinct shapes, recipes;             /* the numbers of ff_shape; ff_row_call as it is */
    FF_VEC(uint32_t) shape_words;            /* by number of the shape, less 1 */
    FF_VEC(const ff_fr_call *) recipe_calls; /* by number of the recipe, less 1 */
    FF_VEC(ff_fr_group) groups;
    FF_VEC(ff_row_group) keys; /* same order as groups */
    FF_VEC(ff_row_config) configs;
    FF_VEC(ff_row_status) statuses;
    FF_VEC(ff_fr_entry) entries;
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

void ff_rows_init(ff_rows *r, ff_bytes source, bool binary, ff_arena *arena);
/* Number of a text; 0 for the empty one. */
uint32_t ff_rows_word(ff_rows *r, ff_bytes text);
static inline ff_bytes ff_rows_text(const ff_rows *r, uint32_t word) { return ff_distinct_at(&r->words, word); }
uint32_t ff_rows_number(ff_rows *r, int64_t value); /* of the text of a number */
ff_row_field ff_rows_field(ff_bytes key);
ff_fr_state ff_rows_state(ff_bytes text);
/* Number of "name at file:line"; 0: a frame inside torch, or none. */
uint32_t ff_rows_frame(ff_rows *r, ff_bytes name, ff_bytes file, int64_t line);
/* Several types as one text, each once. */
uint32_t ff_rows_types(ff_rows *r, const uint32_t *words, uint32_t n);
uint32_t ff_rows_shape(ff_rows *r, const ff_shape *s);
uint32_t ff_rows_group(ff_rows *r, uint32_t name, uint32_t desc, int64_t pg_id); /* index, made when it is new */
/* An entry whose end was seen. false: no more entries are kept. */
bool ff_rows_add(ff_rows *r, ff_row *row);
void ff_rows_config(ff_rows *r, uint32_t name, uint32_t desc, ff_bytes ranks, const int32_t *list, uint32_t n);
/* Closes the books; NULL: not a dump. Entries of the dump live until ff_rows_done. (recorder.c) */
ff_dump *ff_rows_end(ff_rows *r, ff_bytes member_name, bool truncated);
void ff_rows_done(ff_rows *r);

static inline void ff_row_init(ff_row *row, uint32_t offset)
{
    *row = (ff_row){ .entry = { .seq = -1,
                                .p2p_seq = -1,
                                .ended_ms = -1,
                                .duration_ms = -1,
                                .state = FF_FR_UNKNOWN,
                                .offset = offset },
                     .call = { .timeout_ms = -1 },
                     .record_id = -1,
                     .pg_id = -1 };
}

static inline int32_t ff_row_seq(int64_t said) { return said >= 0 && said < INT32_MAX ? (int32_t)said : -1; }
static inline float ff_row_ms(double said) { return said >= 0 && said < 1e18 ? (float)said : -1; }

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
