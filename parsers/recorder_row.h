/* One entry of a dump while it is read, and what the reader knows a place in the source again by. */
#ifndef FF_RECORDER_ROW_H
#define FF_RECORDER_ROW_H

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
    ff_fr_times times;
    ff_row_call call;
    int64_t record_id, pg_id, started_ns, completed_ns;
    uint32_t group_name, group_desc;
    bool grouped; /* it names its group */
    bool known;   /* its call and its group are in the entry already */
    bool seldom;  /* hardly anybody asked for the same yet */
} ff_row;

static inline void ff_row_init(ff_row *row, uint32_t offset)
{
    *row = (ff_row){ .entry = { .seq = -1, .p2p_seq = -1, .state = FF_FR_UNKNOWN, .offset = offset },
                     .times = { .ended_ms = -1, .duration_ms = -1 },
                     .call = { .timeout_ms = -1 },
                     .record_id = -1,
                     .pg_id = -1 };
}

static inline int32_t ff_row_seq(int64_t said) { return said >= 0 && said < INT32_MAX ? (int32_t)said : -1; }
static inline float ff_row_ms(double said) { return said >= 0 && said < 1e18 ? (float)said : -1; }

#endif
