/* Entries of a Flight Recorder dump, one row each. Keys and call sites repeat thousands of times; in a pickle they
 * are even one node, so what was made of a node is remembered. */
#include "recorder_private.h"

#include <string.h>

#define CAP_ENTRIES 1000000u /* entries of one dump; the default ring has 2,000 */
#define CAP_SIZES 480u       /* bytes of one list of sizes as text */
#define CAP_FRAMES 64u       /* frames looked at for the innermost one outside torch */

typedef enum field {
    F_OTHER,
    F_RECORD_ID,
    F_PG_ID,
    F_PROCESS_GROUP,
    F_COLLECTIVE_SEQ,
    F_P2P_SEQ,
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
    uint32_t slot = key_node % FF_FR_KEYS;
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

int64_t ff_fr_int(const ff_tree *t, uint32_t node, int64_t otherwise)
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

/* The text itself is not cleared: three of these are made for each entry. */
static void clear(buffer *b)
{
    b->n = 0;
    b->full = false;
}

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

ff_bytes ff_fr_number(number_text *n, int64_t value)
{
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    n->from = sizeof n->text;
    do
        n->text[--n->from] = (char)('0' + left % 10);
    while ((left /= 10) != 0);
    if (value < 0)
        n->text[--n->from] = '-';
    return (ff_bytes){ n->text + n->from, sizeof n->text - n->from };
}

static void put_int(buffer *b, int64_t value) { put(b, ff_fr_number(&(number_text){ .from = 0 }, value)); }

/* A list of ints, or of lists of ints, in Python's spelling. numel: elements of the first tensor; -1: none. */
static ff_bytes read_sizes(reading *r, uint32_t node, int64_t *numel)
{
    const ff_tree *t = r->t;
    buffer b;
    clear(&b);
    *numel = -1;
    put(&b, FF_LIT("["));
    for (uint32_t i = 0; i < ff_node_count(t, node) && !b.full; i++) {
        uint32_t dims = ff_node_item(t, node, i);
        int64_t product = 1;
        put(&b, i ? FF_LIT(", [") : FF_LIT("["));
        for (uint32_t k = 0; k < ff_node_count(t, dims) && !b.full; k++) {
            int64_t dim = ff_fr_int(t, ff_node_item(t, dims, k), -1);
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

ff_bytes ff_fr_base_name(ff_bytes path)
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
    uint32_t slot = node % FF_FR_FRAMES;
    if (r->frames[slot].node != node + 1) {
        ff_bytes file = ff_node_text(r->t, ff_node_get(r->t, node, "filename"));
        ff_bytes name = ff_node_text(r->t, ff_node_get(r->t, node, "name"));
        int64_t line = ff_fr_int(r->t, ff_node_get(r->t, node, "line"), 0);
        r->frames[slot].node = node + 1;
        r->frames[slot].torch = !file.n || is_torch_file(file);
        buffer b;
        clear(&b);
        put(&b, ff_first_n(name, 200));
        put(&b, FF_LIT(" at "));
        put(&b, ff_first_n(ff_fr_base_name(file), 200));
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

uint32_t ff_fr_group_of(reading *r, ff_bytes name, ff_bytes desc, int64_t pg_id)
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
static void read_name(reading *r, uint32_t node, ff_fr_entry *e, ff_fr_call *c)
{
    ff_bytes name = ff_node_text(r->t, node), backend = { 0 }, op = name;
    if (ff_take_until(&op, ':', &backend) && ff_is_empty(r->d->backend))
        r->d->backend = ff_intern_text(&r->texts, backend);
    ff_bytes word = op, pair = { 0 };
    if (ff_take_until(&op, ' ', &word))
        pair = op;
    c->op = ff_intern_text(&r->texts, word);
    if (!take_pair(pair, "->", &c->src, &c->dst))
        (void)take_pair(pair, "<-", &c->dst, &c->src);
    const char *from = r->t->source.p;
    if (word.n && word.p >= from && word.p < from + r->t->source.n)
        e->offset = (uint32_t)(word.p - from);
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
    int64_t pg_id, record_id;
    ff_fr_call call;
} raw_entry;

static int64_t within(int64_t value, int64_t most) { return value < -1 ? -1 : value < most ? value : most; }

static void read_field(reading *r, field id, uint32_t value, ff_fr_entry *e, raw_entry *raw)
{
    ff_fr_call *c = &raw->call;
    const ff_tree *t = r->t;
    const ff_node *n = ff_node_at(t, value);
    switch (id) {
    case F_RECORD_ID:
        raw->record_id = ff_fr_int(t, value, -1);
        break;
    case F_PG_ID:
        raw->pg_id = ff_fr_int(t, value, -1);
        break;
    case F_PROCESS_GROUP:
        raw->process_group = value;
        break;
    case F_COLLECTIVE_SEQ:
        e->seq = ff_fr_int(t, value, -1);
        break;
    case F_P2P_SEQ:
        e->p2p_seq = ff_fr_int(t, value, -1);
        break;
    case F_NAME:
        read_name(r, value, e, c);
        break;
    case F_CREATED:
        e->created_ns = ff_fr_int(t, value, 0);
        break;
    case F_CREATED_US:
        e->created_ns = ff_fr_int(t, value, 0) % (INT64_MAX / 1000) * 1000;
        break;
    case F_DURATION:
        e->duration_ms = n->kind == FF_NODE_FLOAT ? (float)n->v.f : (float)ff_fr_int(t, value, -1);
        r->d->timing = r->d->timing || e->duration_ms >= 0;
        break;
    case F_IN_SIZES:
        c->in_sizes = read_sizes(r, value, &c->in_numel);
        break;
    case F_OUT_SIZES:
        c->out_sizes = read_sizes(r, value, &c->out_numel);
        break;
    case F_IN_DTYPES:
        raw->in_dtypes = value;
        break;
    case F_OUT_DTYPES:
        raw->out_dtypes = value;
        break;
    case F_STATE:
        e->state = (uint8_t)state_of(ff_node_text(t, value));
        r->d->timing = r->d->timing || e->state == FF_FR_STARTED;
        break;
    case F_STARTED:
        e->started_ns = ff_fr_int(t, value, 0);
        break;
    case F_COMPLETED:
        e->completed_ns = ff_fr_int(t, value, 0);
        break;
    case F_RETIRED:
        e->retired = ff_node_true(t, value);
        break;
    case F_TIMEOUT:
        e->timeout_ms = (int32_t)within(ff_fr_int(t, value, -1), INT32_MAX);
        break;
    case F_IS_P2P:
        raw->is_p2p = value;
        break;
    case F_FRAMES:
        c->frame = read_frames(r, value);
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
    number_text number;
    if (raw->process_group == FF_NONE && raw->pg_id >= 0)
        name = ff_fr_number(&number, raw->pg_id);
    e->group = (uint16_t)ff_fr_group_of(r, name, desc, raw->pg_id);
}

static bool read_entry(reading *r, uint32_t node, bool pickle, ff_fr_entry *e)
{
    const ff_tree *t = r->t;
    const ff_node *map = ff_node_at(t, node);
    if (!map || map->kind != FF_NODE_MAP || !map->count)
        return false;
    *e = (ff_fr_entry){ .seq = -1,
                        .p2p_seq = -1,
                        .duration_ms = -1,
                        .timeout_ms = -1,
                        .record = FF_NONE,
                        .state = FF_FR_UNKNOWN,
                        .offset = map->at };
    raw_entry raw = { .process_group = FF_NONE,
                      .in_dtypes = FF_NONE,
                      .out_dtypes = FF_NONE,
                      .is_p2p = FF_NONE,
                      .pg_id = -1,
                      .record_id = -1,
                      .call = { .in_numel = -1, .out_numel = -1, .src = -1, .dst = -1 } };
    ff_fr_call *c = &raw.call;
    for (uint32_t i = 0; i < map->count; i++) {
        const uint32_t *pair = t->kids + map->first + (size_t)2 * i;
        read_field(r, field_of(r, pair[0]), pair[1], e, &raw);
    }
    if (ff_is_empty(c->op) && e->seq < 0)
        return false;
    buffer b;
    clear(&b);
    add_dtypes(t, raw.in_dtypes, &b);
    add_dtypes(t, raw.out_dtypes, &b);
    c->dtypes = ff_intern_text(&r->texts, (ff_bytes){ b.text, b.n });
    c->is_p2p = raw.is_p2p != FF_NONE ? ff_node_true(t, raw.is_p2p)
                                      : ff_equal(c->op, FF_LIT("send")) || ff_equal(c->op, FF_LIT("recv"));
    e->call = ff_calls_add(&r->calls, c);
    if (!r->d->n_entries)
        r->d->first_record = raw.record_id;
    int64_t since = raw.record_id - r->d->first_record;
    if (raw.record_id >= 0 && r->d->first_record >= 0 && since >= 0 && since < FF_NONE)
        e->record = (uint32_t)since;
    name_group(r, &raw, e);
    e->line = pickle ? 1 : line_of(r, e->offset);
    return true;
}

/* The last entry of a cut dump may lack its end: then what it says of itself is not what was recorded. Between whole
 * entries only the duration may be there or not. */
static bool is_torn(const reading *r, uint32_t list, uint32_t n)
{
    if (!r->t->truncated || !n)
        return false;
    uint32_t keys = ff_node_count(r->t, ff_node_item(r->t, list, n - 1));
    uint32_t usual = n > 1 ? ff_node_count(r->t, ff_node_item(r->t, list, n - 2)) : keys;
    return keys + 1 < usual || r->d->entries[r->d->n_entries - 1].state == FF_FR_UNKNOWN ||
           ff_is_empty(r->d->entries[r->d->n_entries - 1].call->op);
}

void ff_fr_read_entries(reading *r, uint32_t list, bool pickle)
{
    uint32_t n = ff_node_count(r->t, list);
    n = n > CAP_ENTRIES ? CAP_ENTRIES : n;
    r->d->entries = FF_NEW_N(r->arena, ff_fr_entry, n ? n : 1);
    for (uint32_t i = 0; i < n; i++)
        r->d->n_entries += read_entry(r, ff_node_item(r->t, list, i), pickle, &r->d->entries[r->d->n_entries]);
    if (r->d->n_entries && is_torn(r, list, n))
        r->d->n_entries--;
}
