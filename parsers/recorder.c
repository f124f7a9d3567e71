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
#include "recorder_private.h"

#include <stdlib.h>
#include <string.h>

#define UNKNOWN_COUNTER (INT64_C(1) << 40)

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
        int64_t rank = ff_fr_int(r->t, ff_node_item(r->t, node, i), -1);
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
    number_text text;
    if (ff_node_at(r->t, key)->kind == FF_NODE_TEXT || !ff_node_int(r->t, key, &number))
        return ff_node_text(r->t, key);
    return ff_intern_text(&r->texts, ff_fr_number(&text, number));
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
            configure(r, ff_fr_group_of(r, name, desc, -1), ff_node_item(r->t, map, i));
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
    int64_t value = ff_fr_int(r->t, ff_node_get(r->t, map, key), -1);
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
    ff_bytes name = ff_fr_base_name(path);
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
    ff_calls_init(&r.calls, arena);
    r.d->truncated = t->truncated;
    read_head(&r, pickle);
    ff_fr_read_entries(&r, ff_node_at(t, 0)->kind == FF_NODE_LIST ? 0 : ff_node_get(t, 0, "entries"), pickle);
    read_config(&r, ff_node_get(t, 0, "pg_config"));
    read_status(&r, ff_node_get(t, 0, "pg_status"));
    r.d->n_groups = r.groups.n;
    r.d->groups = FF_NEW_N(arena, ff_fr_group, r.groups.n ? r.groups.n : 1);
    if (r.groups.n)
        memcpy(r.d->groups, r.groups.at, r.groups.n * sizeof *r.groups.at);
    ff_calls_done(&r.calls, r.d);
    int64_t said = ff_fr_int(t, ff_node_get(t, 0, "rank"), FF_NO_NUMBER);
    r.d->rank = rank_of_name(member_name);
    if (r.d->rank == FF_NO_NUMBER || !is_member(r.d, r.d->rank))
        r.d->rank = said >= 0 && said < INT32_MAX ? (int32_t)said : FF_NO_NUMBER;
    ff_free(r.groups.at);
    ff_free(r.keys.at);
    ff_intern_done(&r.texts);
    return r.d;
}

static void *copy_of(ff_arena *arena, const void *from, size_t n)
{
    void *to = ff_arena_take(arena, n ? n : 1);
    return n ? memcpy(to, from, n) : to;
}

static void copy_calls(ff_dump *d, const ff_dump *from, ff_intern *texts, ff_arena *arena)
{
    ff_fr_call *calls = FF_NEW_N(arena, ff_fr_call, from->n_calls ? from->n_calls : 1);
    d->calls = FF_NEW_N(arena, ff_fr_call *, from->n_calls ? from->n_calls : 1);
    for (uint32_t i = 0; i < from->n_calls; i++) {
        ff_fr_call *c = d->calls[i] = &calls[i];
        *c = *from->calls[i];
        c->op = ff_intern_text(texts, c->op);
        c->in_sizes = ff_intern_text(texts, c->in_sizes);
        c->out_sizes = ff_intern_text(texts, c->out_sizes);
        c->dtypes = ff_intern_text(texts, c->dtypes);
        c->frame = ff_intern_text(texts, c->frame);
    }
    for (uint32_t i = 0; i < d->n_entries; i++)
        d->entries[i].call = &calls[d->entries[i].call->id];
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
    copy_calls(copy, d, &texts, arena);
    ff_intern_done(&texts);
    return copy;
}
