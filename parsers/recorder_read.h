/* The reader of a dump, for one syntax: a file that includes this says PULL(name), the functions of its pull parser,
 * and names the types puller and puller_items. Each syntax gets a reader of its own that the compiler can see
 * through.
 */
#include "recorder_rows.h"

#define MOST_FRAMES 64u /* looked at for the innermost one outside torch */
#define MOST_TYPES 64u

typedef struct reader {
    puller c;
    ff_rows rows;
    struct {
        ff_bytes text;
        uint32_t word;
    } here[64]; /* words by their place in the source */
} reader;

static inline uint32_t remember(reader *r, uint32_t slot, uint32_t role, uint32_t made)
{
    if (slot != FF_NONE && made <= FF_MADE_MASK)
        PULL(remember)(&r->c, slot, role | made);
    return made;
}

/* ---- values ---- */

static inline int64_t take_int(reader *r, int64_t otherwise)
{
    if (!PULL(int)(&r->c, &otherwise))
        PULL(skip)(&r->c);
    return otherwise;
}

/* A number, or its text. */
static int64_t take_number_text(reader *r, int64_t otherwise)
{
    ff_bytes text = { 0 };
    uint32_t slot;
    if (!PULL(text)(&r->c, &text, &slot))
        return take_int(r, otherwise);
    return ff_take_int(&text, &otherwise) && !text.n ? otherwise : -1;
}

static inline uint32_t take_word(reader *r)
{
    uint32_t made = 0, slot;
    ff_bytes text = { 0 };
    if (PULL(known)(&r->c, FF_MADE_WORD, FF_MADE_MASK, &made))
        return made & FF_MADE_MASK;
    if (PULL(text)(&r->c, &text, &slot))
        return remember(r, slot, FF_MADE_WORD, ff_rows_word(&r->rows, text));
    PULL(skip)(&r->c);
    return 0;
}

static inline uint8_t take_state(reader *r)
{
    uint32_t made = 0, slot;
    ff_bytes text = { 0 };
    if (PULL(known)(&r->c, FF_MADE_STATE, FF_MADE_MASK, &made))
        return (uint8_t)(made & FF_MADE_MASK);
    if (PULL(text)(&r->c, &text, &slot))
        return (uint8_t)remember(r, slot, FF_MADE_STATE, (uint32_t)ff_rows_state(text));
    PULL(skip)(&r->c);
    return FF_FR_UNKNOWN;
}

static inline ff_row_field take_field(reader *r)
{
    uint32_t made = 0, slot;
    ff_bytes text = { 0 };
    if (PULL(known)(&r->c, FF_MADE_KEY, FF_MADE_MASK, &made))
        return (ff_row_field)(made & FF_MADE_MASK);
    if (PULL(text)(&r->c, &text, &slot))
        return (ff_row_field)remember(r, slot, FF_MADE_KEY, (uint32_t)ff_rows_field(text));
    PULL(skip)(&r->c);
    return FF_ROW_OTHER;
}

static inline void take_passed(reader *r)
{
    int64_t number;
    ff_bytes text;
    uint32_t slot;
    if (!PULL(int)(&r->c, &number) && !PULL(text)(&r->c, &text, &slot))
        PULL(skip)(&r->c);
}

static inline void take_sizes_of_tensor(reader *r, ff_shape *s)
{
    puller_items sizes;
    ff_shape_tensor(s);
    if (!PULL(list)(&r->c, &sizes)) {
        PULL(skip)(&r->c);
        return;
    }
    while (PULL(next)(&r->c, &sizes))
        ff_shape_size(s, take_int(r, -1));
}

static inline uint32_t take_shape(reader *r)
{
    uint32_t made = 0, slot = PULL(slot_of)(&r->c);
    puller_items tensors;
    ff_shape s;
    ff_shape_init(&s);
    if (PULL(known)(&r->c, FF_MADE_SHAPE, FF_MADE_MASK, &made))
        return made & FF_MADE_MASK;
    if (!PULL(list)(&r->c, &tensors)) {
        PULL(skip)(&r->c);
        return 0;
    }
    while (PULL(next)(&r->c, &tensors))
        take_sizes_of_tensor(r, &s);
    return remember(r, slot, FF_MADE_SHAPE, ff_rows_shape(&r->rows, &s));
}

static inline uint32_t take_types(reader *r)
{
    uint32_t words[MOST_TYPES], n = 0, made = 0, slot = PULL(slot_of)(&r->c);
    puller_items types;
    if (PULL(known)(&r->c, FF_MADE_TYPES, FF_MADE_MASK, &made))
        return made & FF_MADE_MASK;
    if (!PULL(list)(&r->c, &types)) {
        PULL(skip)(&r->c);
        return 0;
    }
    while (PULL(next)(&r->c, &types)) {
        uint32_t word = take_word(r);
        if (n < MOST_TYPES && (!n || words[n - 1] != word))
            words[n++] = word;
    }
    return remember(r, slot, FF_MADE_TYPES, n == 1 ? words[0] : n ? ff_rows_types(&r->rows, words, n) : 0);
}

/* ---- frames ---- */

static uint32_t read_frame(reader *r)
{
    ff_bytes name = { 0 }, file = { 0 }, key = { 0 };
    int64_t line = 0;
    uint32_t slot;
    puller_items items;
    if (!PULL(map)(&r->c, &items)) {
        PULL(skip)(&r->c);
        return 0;
    }
    while (PULL(next)(&r->c, &items)) {
        if (!PULL(text)(&r->c, &key, &slot))
            PULL(skip)(&r->c);
        if (ff_equal(key, FF_LIT("line")))
            line = take_int(r, 0);
        else if (!PULL(text)(&r->c,
                             ff_equal(key, FF_LIT("name"))       ? &name
                             : ff_equal(key, FF_LIT("filename")) ? &file
                                                                 : &key,
                             &slot))
            PULL(skip)(&r->c);
    }
    return ff_rows_frame(&r->rows, name, file, line);
}

static inline uint32_t take_frame(reader *r)
{
    uint32_t made = 0, slot = PULL(slot_of)(&r->c);
    size_t at = PULL(at)(&r->c);
    if (PULL(known)(&r->c, FF_MADE_FRAME, FF_MADE_MASK, &made))
        return made & FF_MADE_MASK;
    made = read_frame(r);
    return remember(r, slot == FF_NONE ? PULL(put_of)(&r->c, at) : slot, FF_MADE_FRAME, made);
}

/* The innermost frame outside torch. */
static inline uint32_t take_stack(reader *r)
{
    uint32_t found = 0, made = 0, slot = PULL(slot_of)(&r->c);
    puller_items frames;
    if (PULL(known)(&r->c, FF_MADE_STACK, FF_MADE_MASK, &made))
        return made & FF_MADE_MASK;
    if (!PULL(list)(&r->c, &frames)) {
        PULL(skip)(&r->c);
        return 0;
    }
    while (PULL(next)(&r->c, &frames)) {
        if (!found && frames.n <= MOST_FRAMES)
            found = take_frame(r);
        else if (!PULL(pass)(&r->c))
            PULL(skip)(&r->c);
    }
    return remember(r, slot, FF_MADE_STACK, found);
}

/* ---- entries ---- */

/* Where there is text, the operation's word is what an entry is quoted by. */
static inline void take_name(reader *r, ff_row *row)
{
    size_t at = PULL(at)(&r->c);
    row->call.name = take_word(r);
    ff_bytes backend = { 0 }, name = ff_rows_text(&r->rows, row->call.name);
    if (!r->rows.binary)
        row->entry.offset = (uint32_t)at + 1 + (ff_take_until(&name, ':', &backend) ? (uint32_t)backend.n + 1 : 0);
}

/* Number of a text of the source: one that the memo holds is met at the same place each time. */
static uint32_t word_here(reader *r, ff_bytes text)
{
    size_t i = (uintptr_t)text.p % FF_COUNT(r->here);
    if (!text.n)
        return 0;
    if (r->here[i].text.p != text.p || r->here[i].text.n != text.n) {
        r->here[i].word = ff_rows_word(&r->rows, text);
        r->here[i].text = text;
    }
    return r->here[i].word;
}

static void take_group(reader *r, ff_row *row)
{
    ff_bytes name = { 0 }, desc = { 0 };
    if (!PULL(pair)(&r->c, &name, &desc)) {
        PULL(skip)(&r->c);
        return;
    }
    row->grouped = true;
    row->group_name = word_here(r, name);
    row->group_desc = word_here(r, desc);
}

static inline int32_t within(int64_t value)
{
    return value < -1 ? -1 : value < INT32_MAX ? (int32_t)value : INT32_MAX;
}

static inline void take_value(reader *r, ff_row_field field, ff_row *row)
{
    ff_fr_entry *e = &row->entry;
    double number = -1;
    switch (field) {
    case FF_ROW_OTHER:
        PULL(skip)(&r->c);
        break;
    case FF_ROW_PASSED:
        take_passed(r);
        break;
    case FF_ROW_RECORD_ID:
        row->record_id = take_int(r, -1);
        break;
    case FF_ROW_PG_ID:
        row->pg_id = take_int(r, -1);
        break;
    case FF_ROW_PROCESS_GROUP:
        take_group(r, row);
        break;
    case FF_ROW_COLLECTIVE_SEQ:
        e->seq = ff_row_seq(take_int(r, -1));
        break;
    case FF_ROW_P2P_SEQ:
        e->p2p_seq = ff_row_seq(take_int(r, -1));
        break;
    case FF_ROW_NAME:
        take_name(r, row);
        break;
    case FF_ROW_CREATED:
        row->times.created_ns = take_int(r, 0);
        break;
    case FF_ROW_CREATED_US:
        row->times.created_ns = take_int(r, 0) % (INT64_MAX / 1000) * 1000;
        break;
    case FF_ROW_DURATION:
        if (!PULL(number)(&r->c, &number))
            PULL(skip)(&r->c);
        row->times.duration_ms = ff_row_ms(number);
        break;
    case FF_ROW_IN_SIZES:
        row->call.in_sizes = take_shape(r);
        break;
    case FF_ROW_OUT_SIZES:
        row->call.out_sizes = take_shape(r);
        break;
    case FF_ROW_IN_TYPES:
        row->call.in_types = take_types(r);
        break;
    case FF_ROW_OUT_TYPES:
        row->call.out_types = take_types(r);
        break;
    case FF_ROW_STATE:
        e->state = take_state(r);
        break;
    case FF_ROW_STARTED:
        row->started_ns = take_int(r, 0);
        break;
    case FF_ROW_COMPLETED:
        row->completed_ns = take_int(r, 0);
        break;
    case FF_ROW_RETIRED:
        e->retired = take_int(r, 0) > 0;
        break;
    case FF_ROW_TIMEOUT:
        row->call.timeout_ms = within(take_int(r, -1));
        break;
    case FF_ROW_IS_P2P:
        row->call.p2p = take_int(r, 0) > 0 ? 2 : 1;
        break;
    case FF_ROW_FRAMES:
        row->call.frame = take_stack(r);
        break;
    }
}

/* Defined by who includes this: entries that are like one before (row.known: in their call too), and one to know
 * others by. */
static bool take_again(reader *r, ff_row *row);
static void learn(reader *r, size_t at, const ff_row *row, bool again);

/* An entry counts when its end is there: of a torn one nobody knows what is missing. */
static void read_entries(reader *r)
{
    puller_items entries, items;
    if (!PULL(list)(&r->c, &entries)) {
        PULL(skip)(&r->c);
        return;
    }
    r->rows.listed = true;
    while (PULL(next)(&r->c, &entries)) {
        ff_row row;
        size_t at = PULL(at)(&r->c);
        bool again = take_again(r, &row), known = again && row.known;
        if (!again) {
            ff_row_init(&row, (uint32_t)at);
            if (!PULL(map)(&r->c, &items)) {
                PULL(skip)(&r->c);
                continue;
            }
            while (PULL(next)(&r->c, &items))
                take_value(r, take_field(r), &row);
        }
        if (r->c.problem || !ff_rows_add(&r->rows, &row))
            break;
        if (!known)
            learn(r, at, &row, again);
    }
    if (r->rows.over)
        PULL(fail)(&r->c, "more entries than the cap allows", r->c.p);
}

/* ---- groups ---- */

static uint32_t take_key(reader *r)
{
    ff_bytes text = { 0 };
    uint32_t slot;
    if (PULL(text)(&r->c, &text, &slot))
        return ff_rows_word(&r->rows, text);
    return ff_rows_number(&r->rows, take_int(r, -1)); /* version 1.4: numbers */
}

typedef FF_VEC(int32_t) rank_list;

static void read_ranks(reader *r, puller_items *items, rank_list *ranks)
{
    while (PULL(next)(&r->c, items)) {
        int64_t rank = take_int(r, -1);
        if (rank >= 0 && rank < INT32_MAX && ranks->n < FF_CAP_MEMBERS)
            FF_PUSH(ranks, (int32_t)rank);
    }
}

/* {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}, or with a list of ranks; version 1.4: the list alone. */
static void read_config(reader *r, uint32_t name)
{
    puller_items items, list;
    ff_bytes key = { 0 }, ranks = { 0 };
    uint32_t desc = 0, slot;
    rank_list listed = { 0 };
    if (PULL(list)(&r->c, &items)) {
        read_ranks(r, &items, &listed);
    } else if (PULL(map)(&r->c, &items)) {
        while (PULL(next)(&r->c, &items)) {
            key.n = 0;
            if (!PULL(text)(&r->c, &key, &slot))
                PULL(skip)(&r->c);
            if (ff_equal(key, FF_LIT("desc")))
                desc = take_word(r);
            else if (!ff_equal(key, FF_LIT("ranks")))
                PULL(skip)(&r->c);
            else if (PULL(list)(&r->c, &list))
                read_ranks(r, &list, &listed);
            else if (!PULL(text)(&r->c, &ranks, &slot))
                PULL(skip)(&r->c);
        }
    } else {
        PULL(skip)(&r->c);
    }
    ff_rows_config(&r->rows, name, desc, ranks, listed.at, listed.n);
    ff_free(listed.at);
}

static void read_configs(reader *r)
{
    puller_items items;
    if (!PULL(map)(&r->c, &items)) {
        PULL(skip)(&r->c);
        return;
    }
    r->rows.grouped = true;
    while (PULL(next)(&r->c, &items))
        read_config(r, take_key(r));
}

static void read_status(reader *r, uint32_t key)
{
    puller_items items;
    ff_row_status s = { key, -1, -1, -1 };
    uint32_t slot;
    if (!PULL(map)(&r->c, &items)) {
        PULL(skip)(&r->c);
        return;
    }
    while (PULL(next)(&r->c, &items)) {
        ff_bytes name = { 0 };
        if (!PULL(text)(&r->c, &name, &slot))
            PULL(skip)(&r->c);
        if (ff_equal(name, FF_LIT("last_enqueued_collective")))
            s.enqueued = take_number_text(r, -1);
        else if (ff_equal(name, FF_LIT("last_started_collective")))
            s.started = take_number_text(r, -1);
        else if (ff_equal(name, FF_LIT("last_completed_collective")))
            s.completed = take_number_text(r, -1);
        else
            PULL(skip)(&r->c);
    }
    FF_PUSH(&r->rows.statuses, s);
}

static void read_statuses(reader *r)
{
    puller_items items;
    if (!PULL(map)(&r->c, &items)) {
        PULL(skip)(&r->c);
        return;
    }
    r->rows.grouped = true;
    while (PULL(next)(&r->c, &items))
        read_status(r, take_key(r));
}

/* ---- the dump ---- */

static void read_text(reader *r, ff_bytes *out)
{
    ff_bytes text = { 0 };
    uint32_t slot;
    if (PULL(text)(&r->c, &text, &slot))
        *out = ff_rows_text(&r->rows, ff_rows_word(&r->rows, text));
    else
        PULL(skip)(&r->c);
}

static void read_part(reader *r, ff_bytes key)
{
    ff_dump *d = r->rows.d;
    if (ff_equal(key, FF_LIT("entries")))
        read_entries(r);
    else if (ff_equal(key, FF_LIT("pg_config")))
        read_configs(r);
    else if (ff_equal(key, FF_LIT("pg_status")))
        read_statuses(r);
    else if (ff_equal(key, FF_LIT("version")))
        read_text(r, &d->version);
    else if (ff_equal(key, FF_LIT("comm_lib_version")) || ff_equal(key, FF_LIT("nccl_version")))
        read_text(r, &d->comm_lib);
    else if (ff_equal(key, FF_LIT("rank")))
        r->rows.said_rank = take_number_text(r, -1);
    else
        PULL(skip)(&r->c);
}

static void read_dump(reader *r)
{
    puller_items items;
    uint32_t slot;
    if (!PULL(map)(&r->c, &items)) {
        read_entries(r); /* the forerunner of version 1: the list alone */
        return;
    }
    while (PULL(next)(&r->c, &items)) {
        ff_bytes key = { 0 };
        if (!PULL(text)(&r->c, &key, &slot))
            PULL(skip)(&r->c);
        read_part(r, key);
    }
}
