/* A dump as a whole: its groups, whose it is, and the copy that outlives its member.
 *
 *     {"entries":[{"collective_seq_id":12,"profiling_name":"nccl:all_reduce","state":"started",...}],
 *      "pg_config":{"0":{"desc":"default_pg","name":"0","ranks":"[0, 1]"}},"version":"2.10"}
 *
 * Format: PyTorch torch/csrc/distributed/c10d/FlightRecorder.hpp and its forerunner TraceUtils.h, dump versions 1.x
 * to 2.10, of the NCCL, Gloo and XCCL recorders and of forks that keep the keys. A dump of version 2.2's forerunner
 * is a bare list of entries. Not understood: the communicator state tables that some vendors add.
 *
 * PyTorch's dump holds no rank; tools that rewrite one may add it. Else it is taken from the member's name: the last
 * run of digits of the base name. */
#include "recorder_rows.h"

#include <stdlib.h>
#include <string.h>

#define UNKNOWN_COUNTER (INT64_C(1) << 40)

/* ---- groups ---- */

/* The newest group of that name; older ones of the same name were overwritten in the table of groups. */
static uint32_t find_unconfigured(const ff_rows *r, uint32_t name, uint32_t of)
{
    uint32_t found = FF_NONE;
    for (uint32_t i = 0; i < of; i++)
        if (!r->keys.at[i].configured && r->keys.at[i].name == name &&
            (found == FF_NONE || r->keys.at[i].pg_id > r->keys.at[found].pg_id))
            found = i;
    return found;
}

static void configure(ff_rows *r, uint32_t group, const ff_row_config *c)
{
    r->keys.at[group].configured = true;
    r->groups.at[group].ranks = c->ranks;
    r->groups.at[group].n_ranks = c->n_ranks;
}

/* Groups that no entry names are kept too: a member that never issued anything there says so this way. What cannot be
 * joined by name (Gloo writes the table before the group has one) is joined when only one of each side is left. */
static void join_configs(ff_rows *r)
{
    uint32_t left = FF_NONE, n_left = 0, bare = FF_NONE, n_bare = 0, had = r->keys.n;
    for (uint32_t i = 0; i < r->configs.n; i++) {
        const ff_row_config *c = &r->configs.at[i];
        uint32_t group = find_unconfigured(r, c->name, had);
        if (group != FF_NONE) {
            configure(r, group, c);
        } else if (!c->name) {
            left = i;
            n_left++;
        } else {
            configure(r, ff_rows_group(r, c->name, c->desc, -1), c);
        }
    }
    for (uint32_t i = 0; i < had; i++) {
        if (!r->keys.at[i].configured) {
            bare = i;
            n_bare++;
        }
    }
    if (n_left == 1 && n_bare == 1)
        configure(r, bare, &r->configs.at[left]);
}

static int64_t counter(int64_t value) { return value < 0 || value >= UNKNOWN_COUNTER ? -1 : value; }

/* The keys of this table are the process's own numbers. */
static void join_statuses(ff_rows *r)
{
    for (uint32_t i = 0; i < r->statuses.n; i++) {
        const ff_row_status *s = &r->statuses.at[i];
        ff_bytes key = ff_rows_text(r, s->key);
        uint64_t id = 0;
        uint32_t group = FF_NONE;
        if (ff_take_uint(&key, &id) && !key.n)
            for (uint32_t k = 0; k < r->keys.n && group == FF_NONE; k++)
                group = r->keys.at[k].pg_id == (int64_t)id ? k : FF_NONE;
        if (group == FF_NONE && r->statuses.n == 1 && r->keys.n == 1)
            group = 0;
        if (group == FF_NONE)
            continue;
        r->groups.at[group].last_enqueued = counter(s->enqueued);
        r->groups.at[group].last_started = counter(s->started);
        r->groups.at[group].last_completed = counter(s->completed);
    }
}

/* ---- whose it is ---- */

static ff_bytes base_name(ff_bytes path) { return ff_after_last(ff_after_last(ff_after_last(path, '/'), '!'), '\\'); }

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

/* "baseline/rank0", "dumps_known_good_3": the words that nccl-tests runs are told by, too. */
bool ff_names_baseline(ff_bytes path)
{
    static const char *const words[] = { "baseline", "reference", "expected",   "acceptance", "golden",
                                         "healthy",  "before",    "known-good", "known_good", "knowngood" };
    for (size_t at = 0; at < path.n; at++) {
        for (size_t i = 0; i < FF_COUNT(words) && (!at || !ff_is_letter(path.p[at - 1])); i++) {
            ff_bytes word = ff_str(words[i]), here = ff_skip_n(path, at);
            if (ff_equal_nocase(ff_first_n(here, word.n), word) &&
                (here.n == word.n || !ff_is_letter(here.p[word.n])))
                return true;
        }
    }
    return false;
}

static bool is_member(const ff_dump *d, int32_t rank)
{
    bool known = false;
    for (uint32_t i = 0; i < d->n_groups; i++) {
        const ff_fr_group *g = &d->groups[i];
        known = known || g->n_ranks;
        if (g->n_ranks && bsearch(&rank, g->ranks, g->n_ranks, sizeof rank, ff_compare_i32))
            return true;
    }
    return !known;
}

/* What the content says, then the name, unless the groups contradict; else neighbours may say it (layout). */
static int32_t find_rank(const ff_rows *r, ff_bytes member_name)
{
    bool says = r->said_rank >= 0 && r->said_rank < INT32_MAX;
    int32_t said = says ? (int32_t)r->said_rank : FF_NO_NUMBER, named = rank_of_name(member_name);
    if (says && is_member(r->d, said))
        return said;
    return named != FF_NO_NUMBER && is_member(r->d, named) ? named : said;
}

/* ---- the dump ---- */

static bool is_dump(const ff_rows *r) { return r->grouped || r->named || (r->listed && !ff_is_empty(r->d->version)); }

static ff_bytes first_line(ff_bytes source)
{
    ff_bytes line = { 0 };
    while (ff_take_line(&source, &line) && ff_trim(line).n < 3)
        ;
    return ff_first_n(line, 160);
}

ff_dump *ff_rows_end(ff_rows *r, ff_bytes member_name, bool truncated)
{
    ff_dump *d = r->d;
    if (!is_dump(r))
        return NULL;
    join_configs(r);
    join_statuses(r);
    d->truncated = truncated;
    d->binary = r->binary;
    d->quote = r->binary ? d->version : ff_rows_text(r, ff_rows_word(r, first_line(r->source)));
    d->n_groups = r->groups.n;
    d->groups = FF_NEW_N(r->arena, ff_fr_group, r->groups.n + 1);
    if (r->groups.n)
        memcpy(d->groups, r->groups.at, r->groups.n * sizeof *d->groups);
    d->n_entries = r->entries.n;
    d->entries = r->entries.at;
    d->times = r->times.at;
    d->records = r->records.n ? r->records.at : NULL;
    d->lines = r->lines.n ? r->lines.at : NULL;
    d->calls = r->store->calls.all.at;
    d->n_calls = r->store->calls.all.n;
    d->rank = find_rank(r, member_name);
    return d;
}
