/* Flight Recorder dumps, from whatever syntax carried them, to rows.
 *
 *     {"entries":[{"collective_seq_id":12,"profiling_name":"nccl:all_reduce","state":"started",...}],
 *      "pg_config":{"0":{"desc":"default_pg","name":"0","ranks":"[0, 1]"}},"version":"2.10"}
 *
 * Format: PyTorch torch/csrc/distributed/c10d/FlightRecorder.hpp and its forerunner TraceUtils.h, dump versions 1.x
 * to 2.10, of the NCCL, Gloo and XCCL recorders and of forks that keep the keys. A dump of version 2.2's forerunner
 * is a bare list of entries. Not understood: the communicator state tables that some vendors add.
 *
 * The dump holds no rank. It is taken from the member's name: the last run of digits of the base name. */
#include "recorder.h"

#include <stdlib.h>
#include <string.h>
#include "intern.h"

#define CAP_ENTRIES 1000000u /* entries of one dump; the default ring has 2,000 */
#define CAP_SIZES 480u       /* bytes of one list of sizes as text */
#define CAP_FRAMES 64u       /* frames looked at for the innermost one outside torch */
#define UNKNOWN_COUNTER (INT64_C(1) << 40)
#define FRAME_CACHE 256u
#define KEY_CACHE 64u

typedef struct group_key {
    ff_bytes name;
    int64_t pg_id;
    bool configured;
} group_key;

typedef struct reading {
    const ff_tree *t;
    ff_arena *arena;
    ff_intern texts;
    ff_dump *d;
    FF_VEC(ff_fr_group) groups;
    FF_VEC(group_key) keys; /* same order as groups */
    uint64_t line_at;       /* where line counting stands */
    uint32_t line;
    struct {
        uint32_t node;
        ff_bytes frame;
        bool torch;
    } frames[FRAME_CACHE];
    struct {
        uint32_t node;
        int field;
    } known[KEY_CACHE];
} reading;

typedef enum field {
    F_OTHER,
    F_RECORD_ID,
    F_PG_ID,
    F_PROCESS_GROUP,
    F_COLLECTIVE_SEQ,
    F_P2P_SEQ,
    F_OP_ID,
    F_NAME,
    F_CREATED,
    F_CREATED_US,
    F_DURATION,
    F_IN_SIZES,
    F_OUT_SIZES,
    F_IN_DTYPES,
    F_OUT_DTYPES,
    F_STATE,
    F_STARTED,
    F_COMPLETED,
    F_RETIRED,
    F_TIMEOUT,
    F_IS_P2P,
    F_FRAMES
} field;

static const struct {
    const char *name;
    size_t n;
    field field;
} fields[] = {
#define ROW(text, id)                                                                                                \
    {                                                                                                                \
        text, sizeof(text) - 1, id                                                                                   \
    }
    ROW("record_id", F_RECORD_ID),
    ROW("pg_id", F_PG_ID),
    ROW("process_group", F_PROCESS_GROUP),
    ROW("collective_seq_id", F_COLLECTIVE_SEQ),
    ROW("seq_id", F_COLLECTIVE_SEQ),
    ROW("p2p_seq_id", F_P2P_SEQ),
    ROW("op_id", F_OP_ID),
    ROW("profiling_name", F_NAME),
    ROW("time_created_ns", F_CREATED),
    ROW("time_created_us", F_CREATED_US),
    ROW("duration_ms", F_DURATION),
    ROW("input_sizes", F_IN_SIZES),
    ROW("output_sizes", F_OUT_SIZES),
    ROW("input_dtypes", F_IN_DTYPES),
    ROW("output_dtypes", F_OUT_DTYPES),
    ROW("state", F_STATE),
    ROW("time_discovered_started_ns", F_STARTED),
    ROW("time_discovered_completed_ns", F_COMPLETED),
    ROW("retired", F_RETIRED),
    ROW("timeout_ms", F_TIMEOUT),
    ROW("is_p2p", F_IS_P2P),
    ROW("frames", F_FRAMES),
#undef ROW
};

static field field_of(reading *r, uint32_t key_node)
{
    uint32_t slot = key_node % KEY_CACHE;
    if (r->known[slot].node == key_node + 1)
        return (field)r->known[slot].field;
    ff_bytes key = ff_node_text(r->t, key_node);
    field found = F_OTHER;
    for (size_t i = 0; i < FF_COUNT(fields) && found == F_OTHER; i++)
        if (fields[i].n == key.n && memcmp(fields[i].name, key.p, key.n) == 0)
            found = fields[i].field;
    r->known[slot].node = key_node + 1;
    r->known[slot].field = (int)found;
    return found;
}

static int64_t int_or(const ff_tree *t, uint32_t node, int64_t otherwise)
{
    int64_t value = otherwise;
    (void)ff_node_int(t, node, &value);
    return value;
}

/* ---- sizes, types, frames ---- */

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
    char digits[24];
    size_t at = sizeof digits;
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do
        digits[--at] = (char)('0' + left % 10);
    while ((left /= 10) != 0);
    if (value < 0)
        digits[--at] = '-';
    put(b, (ff_bytes){ digits + at, sizeof digits - at });
}

/* A list of ints, or of lists of ints, in Python's spelling. numel: elements of the first tensor; -1: none. */
static ff_bytes read_sizes(reading *r, uint32_t node, int64_t *numel)
{
    const ff_tree *t = r->t;
    buffer b = { .n = 0 };
    *numel = -1;
    put(&b, FF_LIT("["));
    for (uint32_t i = 0; i < ff_node_count(t, node) && !b.full; i++) {
        uint32_t dims = ff_node_item(t, node, i);
        int64_t product = 1;
        put(&b, i ? FF_LIT(", [") : FF_LIT("["));
        for (uint32_t k = 0; k < ff_node_count(t, dims) && !b.full; k++) {
            int64_t dim = int_or(t, ff_node_item(t, dims, k), -1);
            if (k)
                put(&b, FF_LIT(", "));
            put_int(&b, dim);
            product = dim < 0 || product < 0 || (dim && product > INT64_MAX / dim) ? -1 : product * dim;
        }
        put(&b, FF_LIT("]"));
        if (i == 0)
            *numel = product;
    }
    bool cut = b.full;
    b.full = false;
    if (cut) {
        b.n = b.n > CAP_SIZES - 40 ? CAP_SIZES - 40 : b.n;
        put(&b, FF_LIT("... of "));
        put_int(&b, ff_node_count(t, node));
    }
    put(&b, FF_LIT("]"));
    return ff_intern_text(&r->texts, (ff_bytes){ b.text, b.n });
}

/* Distinct types, inputs first: "Float", "Float,Half". */
static void add_dtypes(const ff_tree *t, uint32_t node, buffer *b)
{
    for (uint32_t i = 0; i < ff_node_count(t, node) && i < 64; i++) {
        ff_bytes type = ff_node_text(t, ff_node_item(t, node, i)), seen = { b->text, b->n }, one;
        bool known = !type.n || type.n > 32;
        while (!known && seen.n) {
            if (!ff_take_until(&seen, ',', &one)) {
                one = seen;
                seen.n = 0;
            }
            known = ff_equal(one, type);
        }
        if (known)
            continue;
        if (b->n)
            put(b, FF_LIT(","));
        put(b, type);
    }
}

static ff_bytes base_name(ff_bytes path)
{
    for (size_t i = path.n; i > 0; i--)
        if (path.p[i - 1] == '/' || path.p[i - 1] == '!' || path.p[i - 1] == '\\')
            return ff_skip_n(path, i);
    return path;
}

static bool is_torch_file(ff_bytes file)
{
    return ff_contains(file, FF_LIT("/torch/")) || ff_starts(file, FF_LIT("torch/")) || ff_starts(file, FF_LIT("<"));
}

static ff_bytes frame_text(reading *r, uint32_t node, bool *torch)
{
    uint32_t slot = node % FRAME_CACHE;
    if (r->frames[slot].node != node + 1) {
        ff_bytes file = ff_node_text(r->t, ff_node_get(r->t, node, "filename"));
        ff_bytes name = ff_node_text(r->t, ff_node_get(r->t, node, "name"));
        int64_t line = int_or(r->t, ff_node_get(r->t, node, "line"), 0);
        r->frames[slot].node = node + 1;
        r->frames[slot].torch = !file.n || is_torch_file(file);
        buffer b = { .n = 0 };
        put(&b, ff_first_n(name, 200));
        put(&b, FF_LIT(" at "));
        put(&b, ff_first_n(base_name(file), 200));
        put(&b, FF_LIT(":"));
        put_int(&b, line);
        r->frames[slot].frame = ff_intern_text(&r->texts, (ff_bytes){ b.text, b.n });
    }
    *torch = r->frames[slot].torch;
    return r->frames[slot].frame;
}

static ff_bytes read_frames(reading *r, uint32_t node)
{
    uint32_t n = ff_node_count(r->t, node);
    for (uint32_t i = 0; i < n && i < CAP_FRAMES; i++) {
        bool torch = true;
        ff_bytes frame = frame_text(r, ff_node_item(r->t, node, i), &torch);
        if (!torch)
            return frame;
    }
    return (ff_bytes){ 0 };
}

/* ---- entries ---- */

static uint32_t group_of(reading *r, ff_bytes name, ff_bytes desc, int64_t pg_id)
{
    for (uint32_t i = r->keys.n; i-- > 0;)
        if (r->keys.at[i].pg_id == pg_id && ff_equal(r->keys.at[i].name, name))
            return i;
    if (r->keys.n == 65536)
        return 0;
    ff_fr_group g = { .name = ff_intern_text(&r->texts, name),
                      .desc = ff_intern_text(&r->texts, desc),
                      .last_enqueued = -1,
                      .last_started = -1,
                      .last_completed = -1 };
    group_key key = { .name = g.name, .pg_id = pg_id };
    FF_PUSH(&r->groups, g);
    FF_PUSH(&r->keys, key);
    return r->groups.n - 1;
}

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
static void read_name(reading *r, uint32_t node, ff_fr_entry *e)
{
    ff_bytes name = ff_node_text(r->t, node), backend = { 0 }, op = name;
    if (ff_take_until(&op, ':', &backend) && ff_is_empty(r->d->backend))
        r->d->backend = ff_intern_text(&r->texts, backend);
    ff_bytes word = op, pair = { 0 };
    if (ff_take_until(&op, ' ', &word))
        pair = op;
    e->op = ff_intern_text(&r->texts, word);
    if (!take_pair(pair, "->", &e->src, &e->dst))
        (void)take_pair(pair, "<-", &e->dst, &e->src);
    const char *from = r->t->source.p;
    if (word.n && word.p >= from && word.p < from + r->t->source.n)
        e->offset = (uint64_t)(word.p - from);
}

static ff_fr_state state_of(ff_bytes s)
{
    if (ff_equal(s, FF_LIT("completed")))
        return FF_FR_COMPLETED;
    if (ff_equal(s, FF_LIT("started")))
        return FF_FR_STARTED;
    return ff_equal(s, FF_LIT("scheduled")) ? FF_FR_SCHEDULED : FF_FR_UNKNOWN;
}

typedef struct raw_entry { /* nodes of an entry that are read once all keys are seen */
    uint32_t process_group, in_dtypes, out_dtypes, is_p2p;
    int64_t pg_id;
} raw_entry;

static void read_field(reading *r, field id, uint32_t value, ff_fr_entry *e, raw_entry *raw)
{
    const ff_tree *t = r->t;
    const ff_node *n = ff_node_at(t, value);
    switch (id) {
    case F_RECORD_ID:
        e->record_id = int_or(t, value, -1);
        break;
    case F_PG_ID:
        raw->pg_id = int_or(t, value, -1);
        break;
    case F_PROCESS_GROUP:
        raw->process_group = value;
        break;
    case F_COLLECTIVE_SEQ:
        e->seq = int_or(t, value, -1);
        break;
    case F_P2P_SEQ:
        e->p2p_seq = int_or(t, value, -1);
        break;
    case F_OP_ID:
        e->op_id = int_or(t, value, -1);
        break;
    case F_NAME:
        read_name(r, value, e);
        break;
    case F_CREATED:
        e->created_ns = int_or(t, value, 0);
        break;
    case F_CREATED_US:
        e->created_ns = int_or(t, value, 0) % (INT64_MAX / 1000) * 1000;
        break;
    case F_DURATION:
        e->duration_ms = n->kind == FF_NODE_FLOAT ? n->v.f : (double)int_or(t, value, -1);
        r->d->timing = r->d->timing || e->duration_ms >= 0;
        break;
    case F_IN_SIZES:
        e->in_sizes = read_sizes(r, value, &e->in_numel);
        break;
    case F_OUT_SIZES:
        e->out_sizes = read_sizes(r, value, &e->out_numel);
        break;
    case F_IN_DTYPES:
        raw->in_dtypes = value;
        break;
    case F_OUT_DTYPES:
        raw->out_dtypes = value;
        break;
    case F_STATE:
        e->state = state_of(ff_node_text(t, value));
        r->d->timing = r->d->timing || e->state == FF_FR_STARTED;
        break;
    case F_STARTED:
        e->started_ns = int_or(t, value, 0);
        break;
    case F_COMPLETED:
        e->completed_ns = int_or(t, value, 0);
        break;
    case F_RETIRED:
        e->retired = ff_node_true(t, value);
        break;
    case F_TIMEOUT:
        e->timeout_ms = int_or(t, value, -1);
        break;
    case F_IS_P2P:
        raw->is_p2p = value;
        break;
    case F_FRAMES:
        e->frame = read_frames(r, value);
        break;
    case F_OTHER:
        break;
    }
}

/* Entries come in the order of the source, so lines are counted only once over the whole dump. */
static uint32_t line_of(reading *r, uint64_t at)
{
    const char *p = r->t->source.p;
    if (at > r->t->source.n)
        at = r->t->source.n;
    if (at < r->line_at) {
        r->line_at = 0;
        r->line = 1;
    }
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

static void name_group(reading *r, const raw_entry *raw, ff_fr_entry *e)
{
    const ff_tree *t = r->t;
    ff_bytes name = ff_node_text(t, ff_node_item(t, raw->process_group, 0));
    ff_bytes desc = ff_node_text(t, ff_node_item(t, raw->process_group, 1));
    buffer b = { .n = 0 };
    if (raw->process_group == FF_NONE && raw->pg_id >= 0) {
        put_int(&b, raw->pg_id);
        name = (ff_bytes){ b.text, b.n };
    }
    e->group = group_of(r, name, desc, raw->pg_id);
}

static bool read_entry(reading *r, uint32_t node, bool pickle, ff_fr_entry *e)
{
    const ff_tree *t = r->t;
    const ff_node *map = ff_node_at(t, node);
    if (!map || map->kind != FF_NODE_MAP || !map->count)
        return false;
    *e = (ff_fr_entry){ .record_id = -1,
                        .seq = -1,
                        .p2p_seq = -1,
                        .op_id = -1,
                        .src = -1,
                        .dst = -1,
                        .duration_ms = -1,
                        .timeout_ms = -1,
                        .in_numel = -1,
                        .out_numel = -1,
                        .state = FF_FR_UNKNOWN,
                        .offset = map->at };
    raw_entry raw = { FF_NONE, FF_NONE, FF_NONE, FF_NONE, -1 };
    for (uint32_t i = 0; i < map->count; i++) {
        const uint32_t *pair = t->kids + map->first + (size_t)2 * i;
        read_field(r, field_of(r, pair[0]), pair[1], e, &raw);
    }
    if (ff_is_empty(e->op) && e->seq < 0)
        return false;
    buffer b = { .n = 0 };
    add_dtypes(t, raw.in_dtypes, &b);
    add_dtypes(t, raw.out_dtypes, &b);
    e->dtypes = ff_intern_text(&r->texts, (ff_bytes){ b.text, b.n });
    e->is_p2p = raw.is_p2p != FF_NONE ? ff_node_true(t, raw.is_p2p)
                                      : ff_equal(e->op, FF_LIT("send")) || ff_equal(e->op, FF_LIT("recv"));
    name_group(r, &raw, e);
    e->line = pickle ? 1 : line_of(r, e->offset);
    return true;
}

static void read_entries(reading *r, uint32_t list, bool pickle)
{
    uint32_t n = ff_node_count(r->t, list);
    n = n > CAP_ENTRIES ? CAP_ENTRIES : n;
    r->d->entries = FF_NEW_N(r->arena, ff_fr_entry, n ? n : 1);
    for (uint32_t i = 0; i < n; i++)
        r->d->n_entries += read_entry(r, ff_node_item(r->t, list, i), pickle, &r->d->entries[r->d->n_entries]);
}

/* ---- groups ---- */

static int compare_ranks(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* "[0, 1, 2]" or a list of ints; ascending, each once. */
static void read_ranks(reading *r, uint32_t node, ff_fr_group *g)
{
    FF_VEC(int32_t) ranks = { 0 };
    ff_bytes text = ff_node_text(r->t, node);
    for (uint32_t i = 0; i < ff_node_count(r->t, node) && i < 1000000; i++) {
        int64_t rank = int_or(r->t, ff_node_item(r->t, node, i), -1);
        if (rank >= 0 && rank < INT32_MAX)
            FF_PUSH(&ranks, (int32_t)rank);
    }
    while (text.n && ranks.n < 1000000) {
        uint64_t rank = 0;
        if (!ff_take_uint(&text, &rank))
            text = ff_skip_n(text, 1);
        else if (rank < INT32_MAX)
            FF_PUSH(&ranks, (int32_t)rank);
    }
    if (ranks.n)
        qsort(ranks.at, ranks.n, sizeof *ranks.at, compare_ranks);
    g->ranks = FF_NEW_N(r->arena, int32_t, ranks.n ? ranks.n : 1);
    g->n_ranks = 0;
    for (uint32_t i = 0; i < ranks.n; i++)
        if (!g->n_ranks || g->ranks[g->n_ranks - 1] != ranks.at[i])
            g->ranks[g->n_ranks++] = ranks.at[i];
    ff_free(ranks.at);
}

/* The newest group of that name; older ones of the same name were overwritten in the table of groups. */
static uint32_t find_unconfigured(const reading *r, ff_bytes name)
{
    uint32_t found = FF_NONE;
    for (uint32_t i = 0; i < r->keys.n; i++)
        if (!r->keys.at[i].configured && ff_equal(r->keys.at[i].name, name) &&
            (found == FF_NONE || r->keys.at[i].pg_id > r->keys.at[found].pg_id))
            found = i;
    return found;
}

static void configure(reading *r, uint32_t group, uint32_t config)
{
    bool list = ff_node_at(r->t, config)->kind == FF_NODE_LIST; /* version 1.4: {pg_id: [ranks]} */
    r->keys.at[group].configured = true;
    read_ranks(r, list ? config : ff_node_get(r->t, config, "ranks"), &r->groups.at[group]);
}

static ff_bytes key_text(reading *r, uint32_t map, uint32_t i)
{
    const ff_node *m = ff_node_at(r->t, map);
    uint32_t key = r->t->kids[(size_t)m->first + (size_t)2 * i];
    int64_t number = 0;
    buffer b = { .n = 0 };
    if (ff_node_at(r->t, key)->kind == FF_NODE_TEXT || !ff_node_int(r->t, key, &number))
        return ff_node_text(r->t, key);
    put_int(&b, number);
    return ff_intern_text(&r->texts, (ff_bytes){ b.text, b.n });
}

/* Groups that no entry names are kept too: a member that never issued anything there says so this way. What cannot be
 * joined by name (Gloo writes the table before the group has one) is joined when only one of each side is left. */
static void read_config(reading *r, uint32_t map)
{
    uint32_t left = FF_NONE, n_left = 0, bare = FF_NONE, n_bare = 0, had = r->keys.n;
    const ff_node *m = ff_node_at(r->t, map);
    uint32_t n = m && m->kind == FF_NODE_MAP ? m->count : 0;
    for (uint32_t i = 0; i < n; i++) {
        ff_bytes name = key_text(r, map, i);
        uint32_t group = find_unconfigured(r, name);
        if (group != FF_NONE && group < had) {
            configure(r, group, ff_node_item(r->t, map, i));
        } else if (!name.n) {
            left = ff_node_item(r->t, map, i);
            n_left++;
        } else {
            ff_bytes desc = ff_node_text(r->t, ff_node_get(r->t, ff_node_item(r->t, map, i), "desc"));
            configure(r, group_of(r, name, desc, -1), ff_node_item(r->t, map, i));
        }
    }
    for (uint32_t i = 0; i < had; i++) {
        if (!r->keys.at[i].configured) {
            bare = i;
            n_bare++;
        }
    }
    if (n_left == 1 && n_bare == 1)
        configure(r, bare, left);
}

static int64_t counter(reading *r, uint32_t map, const char *key)
{
    int64_t value = int_or(r->t, ff_node_get(r->t, map, key), -1);
    return value < 0 || value >= UNKNOWN_COUNTER ? -1 : value;
}

static void read_status(reading *r, uint32_t map)
{
    const ff_node *m = ff_node_at(r->t, map);
    uint32_t n = m && m->kind == FF_NODE_MAP ? m->count : 0;
    for (uint32_t i = 0; i < n; i++) {
        ff_bytes key = key_text(r, map, i);
        uint64_t id = 0;
        uint32_t status = ff_node_item(r->t, map, i), group = FF_NONE;
        if (ff_take_uint(&key, &id) && !key.n)
            for (uint32_t k = 0; k < r->keys.n && group == FF_NONE; k++)
                group = r->keys.at[k].pg_id == (int64_t)id ? k : FF_NONE;
        if (group == FF_NONE && n == 1 && r->keys.n == 1)
            group = 0;
        if (group == FF_NONE)
            continue;
        r->groups.at[group].last_enqueued = counter(r, status, "last_enqueued_collective");
        r->groups.at[group].last_started = counter(r, status, "last_started_collective");
        r->groups.at[group].last_completed = counter(r, status, "last_completed_collective");
    }
}

/* ---- the dump as a whole ---- */

static bool cut_suffix(ff_bytes *name, ff_bytes suffix)
{
    if (!ff_ends(*name, suffix))
        return false;
    name->n -= suffix.n;
    return true;
}

static int32_t rank_of_name(ff_bytes path)
{
    static const char *const suffixes[] = { ".gz", ".zst", ".xz", ".json", ".pickle", ".pkl" };
    ff_bytes name = base_name(path);
    for (size_t i = 0; i < FF_COUNT(suffixes); i++)
        (void)cut_suffix(&name, ff_str(suffixes[i]));
    size_t end = name.n;
    while (end && !(name.p[end - 1] >= '0' && name.p[end - 1] <= '9'))
        end--;
    size_t from = end;
    while (from && name.p[from - 1] >= '0' && name.p[from - 1] <= '9')
        from--;
    /* "..._rank_-1" is written when no group had set the rank yet; eight digits and more are a date. */
    if (from == end || end - from > 7 || (from > 1 && name.p[from - 1] == '-' && name.p[from - 2] == '_'))
        return FF_NO_NUMBER;
    ff_bytes digits = { name.p + from, end - from };
    uint64_t rank = 0;
    return ff_take_uint(&digits, &rank) ? (int32_t)rank : FF_NO_NUMBER;
}

static bool is_member(const ff_dump *d, int32_t rank)
{
    bool known = false;
    for (uint32_t i = 0; i < d->n_groups; i++) {
        const ff_fr_group *g = &d->groups[i];
        known = known || g->n_ranks;
        if (g->n_ranks && bsearch(&rank, g->ranks, g->n_ranks, sizeof rank, compare_ranks))
            return true;
    }
    return !known;
}

static bool looks_like_dump(const ff_tree *t)
{
    if (ff_node_get(t, 0, "entries") != FF_NONE)
        return ff_node_get(t, 0, "version") != FF_NONE || ff_node_get(t, 0, "pg_config") != FF_NONE ||
               ff_node_path(t, 0, "entries.0.profiling_name") != FF_NONE;
    if (ff_node_get(t, 0, "pg_config") != FF_NONE || ff_node_get(t, 0, "pg_status") != FF_NONE)
        return true;
    return ff_node_path(t, 0, "0.profiling_name") != FF_NONE;
}

static ff_bytes first_line(ff_bytes source)
{
    ff_bytes line = { 0 };
    while (ff_take_line(&source, &line) && ff_trim(line).n < 3)
        ;
    return ff_first_n(line, 160);
}

static void read_head(reading *r, bool pickle)
{
    const ff_tree *t = r->t;
    ff_bytes version = ff_node_text(t, ff_node_get(t, 0, "version"));
    ff_bytes lib = ff_node_text(t, ff_node_get(t, 0, "comm_lib_version"));
    if (!lib.n)
        lib = ff_node_text(t, ff_node_get(t, 0, "nccl_version"));
    r->d->version = ff_intern_text(&r->texts, version);
    r->d->comm_lib = ff_intern_text(&r->texts, lib);
    r->d->quote = ff_intern_text(&r->texts, pickle ? ff_first_n(version, 160) : first_line(t->source));
}

ff_dump *ff_recorder_read(const ff_tree *t, ff_bytes member_name, ff_arena *arena)
{
    if (!t->n_nodes || !looks_like_dump(t))
        return NULL;
    reading r = { .t = t, .arena = arena, .line = 1, .d = FF_NEW(arena, ff_dump) };
    bool pickle = t->source.n && (uint8_t)t->source.p[0] == 0x80;
    ff_intern_init(&r.texts, arena);
    r.d->truncated = t->truncated;
    read_head(&r, pickle);
    read_entries(&r, ff_node_at(t, 0)->kind == FF_NODE_LIST ? 0 : ff_node_get(t, 0, "entries"), pickle);
    read_config(&r, ff_node_get(t, 0, "pg_config"));
    read_status(&r, ff_node_get(t, 0, "pg_status"));
    r.d->n_groups = r.groups.n;
    r.d->groups = FF_NEW_N(arena, ff_fr_group, r.groups.n ? r.groups.n : 1);
    if (r.groups.n)
        memcpy(r.d->groups, r.groups.at, r.groups.n * sizeof *r.groups.at);
    int64_t said = int_or(t, ff_node_get(t, 0, "rank"), FF_NO_NUMBER);
    r.d->rank = rank_of_name(member_name);
    if (r.d->rank == FF_NO_NUMBER || !is_member(r.d, r.d->rank))
        r.d->rank = said >= 0 && said < INT32_MAX ? (int32_t)said : FF_NO_NUMBER;
    ff_free(r.groups.at);
    ff_free(r.keys.at);
    ff_intern_done(&r.texts);
    return r.d;
}

static void copy_entries(ff_dump *d, ff_intern *texts)
{
    for (uint32_t i = 0; i < d->n_entries; i++) {
        ff_fr_entry *e = &d->entries[i];
        e->op = ff_intern_text(texts, e->op);
        e->in_sizes = ff_intern_text(texts, e->in_sizes);
        e->out_sizes = ff_intern_text(texts, e->out_sizes);
        e->dtypes = ff_intern_text(texts, e->dtypes);
        e->frame = ff_intern_text(texts, e->frame);
    }
}

static void *copy_of(ff_arena *arena, const void *from, size_t n)
{
    void *to = ff_arena_take(arena, n ? n : 1);
    return n ? memcpy(to, from, n) : to;
}

ff_dump *ff_dump_copy(const ff_dump *d, ff_arena *arena)
{
    ff_intern texts;
    ff_intern_init(&texts, arena);
    ff_dump *copy = copy_of(arena, d, sizeof *d);
    copy->version = ff_intern_text(&texts, d->version);
    copy->backend = ff_intern_text(&texts, d->backend);
    copy->comm_lib = ff_intern_text(&texts, d->comm_lib);
    copy->quote = ff_intern_text(&texts, d->quote);
    copy->entries = copy_of(arena, d->entries, d->n_entries * sizeof *d->entries);
    copy->groups = copy_of(arena, d->groups, d->n_groups * sizeof *d->groups);
    for (uint32_t i = 0; i < d->n_groups; i++) {
        ff_fr_group *g = &copy->groups[i];
        g->name = ff_intern_text(&texts, g->name);
        g->desc = ff_intern_text(&texts, g->desc);
        g->ranks = copy_of(arena, g->ranks, g->n_ranks * sizeof *g->ranks);
    }
    copy_entries(copy, &texts);
    ff_intern_done(&texts);
    return copy;
}
