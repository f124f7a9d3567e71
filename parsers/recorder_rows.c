/* What entries of a dump have in common, found by number: texts, sizes, calls, groups. */
#include "recorder_rows.h"

#include <stdlib.h>
#include <string.h>

#define CAP_ENTRIES 1000000u /* entries of one dump; the default ring has 2,000 */
#define CAP_SIZES 480u       /* bytes of one list of sizes as text */
#define CAP_RANKS 1000000u   /* members of one group */
#define OFTEN 32u            /* what is met so often is worth knowing by itself */

uint32_t ff_rows_word(ff_rows *r, ff_bytes text) { return ff_distinct_add(&r->store->words, text); }

static const struct {
    const char *name;
    size_t n;
    ff_row_field field;
} fields[] = {
#define ROW(text, id)                                                                                                \
    {                                                                                                                \
        text, sizeof(text) - 1, id                                                                                   \
    }
    ROW("record_id", FF_ROW_RECORD_ID),
    ROW("pg_id", FF_ROW_PG_ID),
    ROW("process_group", FF_ROW_PROCESS_GROUP),
    ROW("collective_seq_id", FF_ROW_COLLECTIVE_SEQ),
    ROW("seq_id", FF_ROW_COLLECTIVE_SEQ),
    ROW("p2p_seq_id", FF_ROW_P2P_SEQ),
    ROW("op_id", FF_ROW_PASSED),
    ROW("thread_id", FF_ROW_PASSED),
    ROW("thread_name", FF_ROW_PASSED),
    ROW("profiling_name", FF_ROW_NAME),
    ROW("time_created_ns", FF_ROW_CREATED),
    ROW("time_created_us", FF_ROW_CREATED_US),
    ROW("duration_ms", FF_ROW_DURATION),
    ROW("input_sizes", FF_ROW_IN_SIZES),
    ROW("output_sizes", FF_ROW_OUT_SIZES),
    ROW("input_dtypes", FF_ROW_IN_TYPES),
    ROW("output_dtypes", FF_ROW_OUT_TYPES),
    ROW("state", FF_ROW_STATE),
    ROW("time_discovered_started_ns", FF_ROW_STARTED),
    ROW("time_discovered_completed_ns", FF_ROW_COMPLETED),
    ROW("retired", FF_ROW_RETIRED),
    ROW("timeout_ms", FF_ROW_TIMEOUT),
    ROW("is_p2p", FF_ROW_IS_P2P),
    ROW("frames", FF_ROW_FRAMES),
#undef ROW
};

ff_row_field ff_rows_field(ff_bytes key)
{
    for (size_t i = 0; i < FF_COUNT(fields); i++)
        if (fields[i].n == key.n && fields[i].name[0] == key.p[0] && memcmp(fields[i].name, key.p, key.n) == 0)
            return fields[i].field;
    return FF_ROW_OTHER;
}

ff_fr_state ff_rows_state(ff_bytes s)
{
    if (ff_equal(s, FF_LIT("completed")))
        return FF_FR_COMPLETED;
    if (ff_equal(s, FF_LIT("started")))
        return FF_FR_STARTED;
    return ff_equal(s, FF_LIT("scheduled")) ? FF_FR_SCHEDULED : FF_FR_UNKNOWN;
}

/* ---- texts that are made ---- */

typedef struct buffer {
    char text[CAP_SIZES + 64];
    size_t n;
    bool full;
} buffer;

static void put(buffer *b, ff_bytes s)
{
    if (b->full || b->n + s.n > CAP_SIZES) {
        b->full = true;
        return;
    }
    if (s.n)
        memcpy(b->text + b->n, s.p, s.n);
    b->n += s.n;
}

static void put_int(buffer *b, int64_t value)
{
    char text[24];
    size_t from = sizeof text;
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do
        text[--from] = (char)('0' + left % 10);
    while ((left /= 10) != 0);
    if (value < 0)
        text[--from] = '-';
    put(b, (ff_bytes){ text + from, sizeof text - from });
}

/* In Python's spelling: "[[4, 16], [16]]". */
static uint32_t write_shape(ff_rows *r, const ff_shape *s)
{
    buffer b;
    b.n = 0;
    b.full = false;
    put(&b, FF_LIT("["));
    for (uint32_t i = 1; i < s->n && !b.full;) {
        int64_t dims = s->at[i];
        put(&b, i > 1 ? FF_LIT(", [") : FF_LIT("["));
        for (i++; dims > 0 && !b.full; i++, dims--) {
            put_int(&b, s->at[i]);
            put(&b, dims > 1 ? FF_LIT(", ") : FF_LIT(""));
        }
        put(&b, FF_LIT("]"));
    }
    if (b.full || s->n == FF_SHAPE_VALUES) {
        b.full = false;
        b.n = b.n > CAP_SIZES - 40 ? CAP_SIZES - 40 : b.n;
        put(&b, FF_LIT("... of "));
        put_int(&b, s->at[0]);
    }
    put(&b, FF_LIT("]"));
    return ff_rows_word(r, (ff_bytes){ b.text, b.n });
}

uint32_t ff_rows_shape(ff_rows *r, const ff_shape *s)
{
    uint32_t number = ff_distinct_add(&r->store->shapes, (ff_bytes){ (const char *)s->at, s->n * sizeof *s->at });
    if (number > r->store->shape_words.n)
        FF_PUSH(&r->store->shape_words, write_shape(r, s));
    return r->store->shape_words.at[number - 1];
}

static bool is_torch_file(ff_bytes file)
{
    return ff_contains(file, FF_LIT("/torch/")) || ff_starts(file, FF_LIT("torch/")) || ff_starts(file, FF_LIT("<"));
}

static ff_bytes base_name(ff_bytes path) { return ff_after_last(ff_after_last(path, '/'), '\\'); }

uint32_t ff_rows_frame(ff_rows *r, ff_bytes name, ff_bytes file, int64_t line)
{
    buffer b;
    if (!file.n || is_torch_file(file))
        return 0;
    b.n = 0;
    b.full = false;
    put(&b, ff_first_n(name, 200));
    put(&b, FF_LIT(" at "));
    put(&b, ff_first_n(base_name(file), 200));
    put(&b, FF_LIT(":"));
    put_int(&b, line);
    return ff_rows_word(r, (ff_bytes){ b.text, b.n });
}

static bool holds_type(const buffer *b, ff_bytes type)
{
    ff_bytes seen = { b->text, b->n }, one;
    while (seen.n) {
        if (!ff_take_until(&seen, ',', &one)) {
            one = seen;
            seen.n = 0;
        }
        if (ff_equal(one, type))
            return true;
    }
    return false;
}

/* types: one, or several with commas between. */
static void add_types(buffer *b, ff_bytes types)
{
    ff_bytes one;
    while (types.n) {
        if (!ff_take_until(&types, ',', &one)) {
            one = types;
            types.n = 0;
        }
        if (!one.n || one.n > 32 || holds_type(b, one))
            continue;
        put(b, b->n ? FF_LIT(",") : FF_LIT(""));
        put(b, one);
    }
}

uint32_t ff_rows_types(ff_rows *r, const uint32_t *words, uint32_t n)
{
    buffer b;
    b.n = 0;
    b.full = false;
    for (uint32_t i = 0; i < n; i++)
        add_types(&b, ff_rows_text(r, words[i]));
    return ff_rows_word(r, (ff_bytes){ b.text, b.n });
}

/* ---- calls ---- */

static bool take_pair(ff_bytes text, const char *arrow, int32_t *me, int32_t *peer)
{
    uint64_t a = 0, b = 0;
    if (!ff_take_uint(&text, &a) || !ff_take_lit(&text, ff_str(arrow)) || !ff_take_uint(&text, &b) || a > INT32_MAX ||
        b > INT32_MAX)
        return false;
    *me = (int32_t)a;
    *peer = (int32_t)b;
    return true;
}

/* "nccl:send 0->1": the operation without backend, and who sends to whom. */
static void read_name(ff_rows *r, ff_bytes name, ff_fr_call *c)
{
    ff_bytes backend = { 0 }, op = name;
    (void)ff_take_until(&op, ':', &backend);
    ff_bytes word = op, pair = { 0 };
    if (ff_take_until(&op, ' ', &word))
        pair = op;
    c->op = ff_rows_text(r, ff_rows_word(r, word));
    c->src = c->dst = -1;
    if (!take_pair(pair, "->", &c->src, &c->dst))
        (void)take_pair(pair, "<-", &c->dst, &c->src);
}

/* Elements of the first tensor of "[[4, 16], [16]]"; -1: there is none. */
static int64_t numel_of(ff_bytes sizes)
{
    int64_t product = 1, size = 0;
    if (!ff_take_lit(&sizes, FF_LIT("[[")))
        return -1;
    while (sizes.n && *sizes.p != ']') {
        if (!ff_take_int(&sizes, &size))
            return -1;
        product = size < 0 || (size && product > INT64_MAX / size) ? -1 : product * size;
        if (product < 0)
            return -1;
        (void)ff_take_lit(&sizes, FF_LIT(", "));
    }
    return product;
}

static const ff_fr_call *make_call(ff_rows *r, const ff_row_call *of)
{
    ff_fr_call c = { .in_sizes = ff_rows_text(r, of->in_sizes),
                     .out_sizes = ff_rows_text(r, of->out_sizes),
                     .frame = ff_rows_text(r, of->frame),
                     .timeout_ms = of->timeout_ms };
    uint32_t types[2] = { of->in_types, of->out_types };
    read_name(r, ff_rows_text(r, of->name), &c);
    c.dtypes = ff_rows_text(r, ff_rows_types(r, types, 2));
    c.in_numel = numel_of(c.in_sizes);
    c.out_numel = numel_of(c.out_sizes);
    c.is_p2p = of->p2p ? of->p2p == 2 : ff_equal(c.op, FF_LIT("send")) || ff_equal(c.op, FF_LIT("recv"));
    return ff_calls_add(&r->store->calls, &c);
}

static const ff_fr_call *call_of(ff_rows *r, const ff_row_call *of, bool *seldom)
{
    uint32_t number = ff_distinct_add(&r->store->recipes, (ff_bytes){ (const char *)of, sizeof *of });
    if (number > r->store->made.n)
        FF_PUSH(&r->store->made, ((ff_fr_recipe){ make_call(r, of), 0 }));
    ff_fr_recipe *made = &r->store->made.at[number - 1];
    *seldom = ++made->met < OFTEN;
    return made->call;
}

/* ---- groups ---- */

static uint32_t make_group(ff_rows *r, uint32_t name, uint32_t desc, int64_t pg_id)
{
    for (uint32_t i = r->keys.n; i-- > 0;)
        if (r->keys.at[i].pg_id == pg_id && r->keys.at[i].name == name)
            return i;
    if (r->keys.n == UINT16_MAX)
        return 0;
    FF_PUSH(&r->groups, ((ff_fr_group){ .name = ff_rows_text(r, name),
                                        .desc = ff_rows_text(r, desc),
                                        .last_enqueued = -1,
                                        .last_started = -1,
                                        .last_completed = -1 }));
    FF_PUSH(&r->keys, ((ff_row_group){ .name = name, .pg_id = pg_id }));
    return r->groups.n - 1;
}

uint32_t ff_rows_group(ff_rows *r, uint32_t name, uint32_t desc, int64_t pg_id)
{
    size_t i = (size_t)((uint64_t)pg_id + name) % FF_COUNT(r->near);
    if (!r->near[i].group || r->near[i].pg_id != pg_id || r->near[i].name != name) {
        r->near[i].group = make_group(r, name, desc, pg_id) + 1;
        r->near[i].pg_id = pg_id;
        r->near[i].name = name;
    }
    return r->near[i].group - 1;
}

uint32_t ff_rows_number(ff_rows *r, int64_t value)
{
    buffer b;
    b.n = 0;
    b.full = false;
    put_int(&b, value);
    return ff_rows_word(r, (ff_bytes){ b.text, b.n });
}

/* ---- rows ---- */

/* Entries come in the order of the source, so lines are counted only once over the whole dump. */
static uint32_t line_of(ff_rows *r, uint64_t at)
{
    const char *p = r->source.p;
    while (r->line_at < at) {
        const char *hit = memchr(p + r->line_at, '\n', (size_t)(at - r->line_at));
        if (!hit)
            break;
        r->line++;
        r->line_at = (uint64_t)(hit - p) + 1;
    }
    r->line_at = at > r->line_at ? at : r->line_at;
    return r->line;
}

/* Both columns are only there when they say something. */
static void add_record(ff_rows *r, int64_t said)
{
    int64_t first = r->d->first_record;
    bool known = first >= 0 && said >= first && said - first < FF_NONE;
    uint32_t record = known ? (uint32_t)(said - first) : FF_NONE, n = r->entries.n;
    if (first < 0 || (!r->records.n && record == n))
        return;
    for (uint32_t i = r->records.n; i < n; i++)
        FF_PUSH(&r->records, i);
    FF_PUSH(&r->records, record);
}

static void add_line(ff_rows *r, uint32_t line)
{
    uint32_t n = r->entries.n;
    if (!r->lines.n && line == 1)
        return;
    for (uint32_t i = r->lines.n; i < n; i++)
        FF_PUSH(&r->lines, 1);
    FF_PUSH(&r->lines, line);
}

/* The first one says what backend the dump is of. */
static void learn_backend(ff_rows *r, ff_bytes name)
{
    ff_bytes backend = { 0 };
    if (ff_take_until(&name, ':', &backend))
        r->d->backend = ff_rows_text(r, ff_rows_word(r, backend));
}

void ff_rows_place(ff_rows *r, ff_row *row)
{
    if (ff_is_empty(r->d->backend))
        learn_backend(r, ff_rows_text(r, row->call.name));
    if (!row->grouped && row->pg_id >= 0)
        row->group_name = ff_rows_number(r, row->pg_id);
    row->entry.group = (uint16_t)ff_rows_group(r, row->group_name, row->group_desc, row->pg_id);
    row->known = true;
}

/* Nanoseconds since 1970; what is none (before it, or centuries on) is not known, and no sum of it overflows. */
static int64_t time_of(int64_t ns) { return ns > 0 && ns < INT64_MAX / 2 ? ns : 0; }

bool ff_rows_add(ff_rows *r, ff_row *row)
{
    ff_fr_entry *e = &row->entry;
    ff_fr_times *t = &row->times;
    ff_dump *d = r->d;
    if (!row->call.name && e->seq < 0)
        return true;
    if (r->entries.n == CAP_ENTRIES) {
        r->over = true;
        return false;
    }
    if (!row->known) {
        e->call = call_of(r, &row->call, &row->seldom);
        ff_rows_place(r, row);
    }
    if (!r->entries.n)
        d->first_record = row->record_id;
    add_record(r, row->record_id);
    if (!r->binary)
        add_line(r, line_of(r, e->offset));
    t->created_ns = time_of(t->created_ns);
    row->started_ns = time_of(row->started_ns);
    row->completed_ns = time_of(row->completed_ns);
    d->timing = d->timing || t->duration_ms >= 0 || e->state == FF_FR_STARTED;
    d->newest_ns = t->created_ns > d->newest_ns ? t->created_ns : d->newest_ns;
    d->seen_ns = row->completed_ns > d->seen_ns ? row->completed_ns : d->seen_ns;
    t->ended_ms = -1;
    if (row->completed_ns > 0 && t->created_ns > 0)
        t->ended_ms =
            row->completed_ns > t->created_ns ? (float)((double)(row->completed_ns - t->created_ns) / 1e6) : 0;
    d->seen_ns = row->started_ns > d->seen_ns ? row->started_ns : d->seen_ns;
    d->seen_ns = t->created_ns > d->seen_ns ? t->created_ns : d->seen_ns;
    d->oldest_ns = d->oldest_ns ? d->oldest_ns : t->created_ns;
    d->n_frames += row->call.frame != 0;
    r->named = r->named || row->call.name;
    FF_PUSH(&r->entries, *e);
    FF_PUSH(&r->times, *t);
    return true;
}

/* ranks: "[0, 1, 2]", or a list; kept ascending, each once. */
void ff_rows_config(ff_rows *r, uint32_t name, uint32_t desc, ff_bytes ranks, const int32_t *list, uint32_t n)
{
    FF_VEC(int32_t) all = { 0 };
    ff_row_config c = { .name = name, .desc = desc };
    for (uint32_t i = 0; i < n; i++)
        FF_PUSH(&all, list[i]);
    while (ranks.n && all.n < CAP_RANKS) {
        uint64_t rank = 0;
        if (!ff_take_uint(&ranks, &rank))
            ranks = ff_skip_n(ranks, 1);
        else if (rank < INT32_MAX)
            FF_PUSH(&all, (int32_t)rank);
    }
    if (all.n)
        qsort(all.at, all.n, sizeof *all.at, ff_compare_i32);
    c.ranks = FF_NEW_N(r->arena, int32_t, all.n + 1);
    for (uint32_t i = 0; i < all.n; i++)
        if (!c.n_ranks || c.ranks[c.n_ranks - 1] != all.at[i])
            c.ranks[c.n_ranks++] = all.at[i];
    ff_free(all.at);
    FF_PUSH(&r->configs, c);
}

void ff_rows_init(ff_rows *r, ff_bytes source, bool binary, ff_arena *arena, ff_dump_store *store)
{
    *r = (ff_rows){ .arena = arena, .source = source, .binary = binary, .line = 1, .said_rank = -1 };
    r->d = FF_NEW(arena, ff_dump);
    r->own = store ? NULL : ff_dump_store_open(arena);
    r->store = store ? store : r->own;
    ff_dump_store_tidy(r->store);
    ff_dump_store_lend(r->store, &r->entries, &r->times);
}

void ff_rows_done(ff_rows *r)
{
    ff_free(r->groups.at);
    ff_free(r->keys.at);
    ff_free(r->configs.at);
    ff_free(r->statuses.at);
    ff_free(r->records.at);
    ff_free(r->lines.at);
    ff_dump_store_return(r->store, &r->entries, &r->times);
    ff_dump_store_close(r->own);
}
