/* Files of a cgroup, v1 and v2, as people print them together.
 *     memory.max 274877906944                            grep . memory.*: memory.max:274877906944
 *     /a.slice memory.max max memory.events oom 1        all on one line, the cgroup in front
 *     ==> /sys/fs/cgroup/a.slice/memory.max <==          head, tail; the value on the next line
 *     low 0 / high 0 / max 12 / oom 3 / oom_kill 2       memory.events alone
 *     anon 8543211520 / file 12288 / ...                 memory.stat alone
 * Formats: kernel Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst. A file that holds one bare number
 * is known by its name only: small_files.c. */
#include "tools.h"

#include <string.h>

#define NO_LIMIT_V1 UINT64_C(9000000000000000000) /* v1 prints LONG_MAX rounded down to a page */

static const tool_name bytes_files[] = { { "memory.max", "limit_kib" },
                                         { "memory.limit_in_bytes", "limit_kib" },
                                         { "memory.high", "high_kib" },
                                         { "memory.current", "usage_kib" },
                                         { "memory.usage_in_bytes", "usage_kib" },
                                         { "memory.peak", "peak_kib" },
                                         { "memory.max_usage_in_bytes", "peak_kib" },
                                         { "memory.swap.max", "swap_limit_kib" },
                                         { "memory.swap.current", "swap_usage_kib" } };
static const tool_name count_files[] = { { "memory.failcnt", "limit_hits" },
                                         { "memory.oom.group", "oom_group" },
                                         { "pids.max", "pids_limit" },
                                         { "pids.current", "pids" },
                                         { "pids.peak", "pids_peak" } };
static const tool_name stat_keys[] = { { "anon", "anon_kib" },
                                       { "file", "file_kib" },
                                       { "kernel", "kernel_kib" },
                                       { "shmem", "shmem_kib" },
                                       { "unevictable", "unevictable_kib" },
                                       { "total_rss", "anon_kib" },
                                       { "total_cache", "file_kib" },
                                       { "total_shmem", "shmem_kib" },
                                       { "total_unevictable", "unevictable_kib" } };
static const tool_name event_keys[] = {
    { "max", "limit_hits" }, { "oom", "ooms" }, { "oom_kill", "oom_kills" }, { "oom_group_kill", "oom_group_kills" }
};

static bool add_once(tool_cgroup *g, const char *name, uint64_t value)
{
    g->known++;
    for (uint32_t i = 0; i < g->fields.n; i++)
        if (ff_equal(g->fields.at[i].name, ff_str(name)))
            return true;
    tool_add(&g->fields, name, value);
    return true;
}

bool tool_cgroup_is_file(ff_bytes name)
{
    static const char *const lists[] = { "memory.events", "memory.events.local", "memory.stat",
                                         "pids.events",   "memory.oom_control",  NULL };
    return tool_field_of(bytes_files, FF_COUNT(bytes_files), name) ||
           tool_field_of(count_files, FF_COUNT(count_files), name) || ff_is_one_of(name, lists);
}

bool tool_cgroup_value(tool_cgroup *g, ff_bytes file, ff_bytes value)
{
    uint64_t n = 0;
    const char *bytes = tool_field_of(bytes_files, FF_COUNT(bytes_files), file);
    const char *count = tool_field_of(count_files, FF_COUNT(count_files), file);
    bool none = ff_equal(value, FF_LIT("max"));
    if ((!bytes && !count) || (!none && !tool_number(value, &n)))
        return false;
    bool limit = ff_equal(file, FF_LIT("memory.max")) || ff_equal(file, FF_LIT("memory.limit_in_bytes"));
    if (limit && (none || n >= NO_LIMIT_V1))
        return add_once(g, "unlimited", 1);
    if (none || (bytes && n >= NO_LIMIT_V1)) {
        g->known++;
        return true;
    }
    return add_once(g, bytes ? bytes : count, bytes ? n / 1024 : n);
}

bool tool_cgroup_pair(tool_cgroup *g, ff_bytes file, ff_bytes key, ff_bytes value)
{
    uint64_t n = 0;
    if (!tool_number(value, &n))
        return false;
    const char *name;
    if (ff_equal(file, FF_LIT("memory.stat"))) {
        name = tool_field_of(stat_keys, FF_COUNT(stat_keys), key);
        return name ? add_once(g, name, n / 1024) : true;
    }
    if (ff_equal(file, FF_LIT("pids.events")))
        return ff_equal(key, FF_LIT("max")) && add_once(g, "pids_rejected", n);
    /* the .local form counts what this cgroup's own limit did, the other what any below did */
    if (ff_equal(file, FF_LIT("memory.events.local")))
        return ff_equal(key, FF_LIT("oom_kill")) ? add_once(g, "own_oom_kills", n) : true;
    name = tool_field_of(event_keys, FF_COUNT(event_keys), key);
    return name ? add_once(g, name, n) : true;
}

/* ---- lines ---- */

/* "/sys/fs/cgroup/memory/a/b/memory.max" -> file memory.max, path /a/b; "memory.max" -> no path */
static bool cut_path(ff_bytes word, ff_bytes *file, ff_bytes *path)
{
    size_t slash = word.n;
    while (slash && word.p[slash - 1] != '/')
        slash--;
    *file = ff_skip_n(word, slash);
    *path = slash > 1 ? ff_first_n(word, slash - 1) : (ff_bytes){ 0 };
    size_t root = ff_find(*path, FF_LIT("sys/fs/cgroup"));
    if (root < path->n) {
        *path = ff_skip_n(*path, root + strlen("sys/fs/cgroup"));
        if (ff_equal(*path, FF_LIT("/memory")) || ff_equal(*path, FF_LIT("/pids")))
            *path = (ff_bytes){ 0 };
        else if (ff_starts(*path, FF_LIT("/memory/")))
            *path = ff_skip_n(*path, strlen("/memory"));
        else if (ff_starts(*path, FF_LIT("/pids/")))
            *path = ff_skip_n(*path, strlen("/pids"));
    }
    return tool_cgroup_is_file(*file);
}

/* The next word without the ':' that separates a file from its value. */
static bool take_part(ff_bytes *rest, ff_bytes *part)
{
    (void)ff_take_spaces(rest);
    if (!ff_take_word(rest, part))
        return false;
    size_t colon = ff_find(*part, FF_LIT(":"));
    if (colon < part->n) {
        rest->n += part->n - colon - 1;
        rest->p -= part->n - colon - 1;
        part->n = colon;
    }
    return true;
}

/* Reads "[CGROUP] FILE VALUE|KEY VALUE...". *open: a list whose keys go on, or a file whose value is on the next
 * line. False: no line of this kind. */
static bool read_named(tool_cgroup *g, ff_bytes text, ff_bytes *open)
{
    ff_bytes rest = ff_trim(text), part, value, path, file = { 0 };
    uint32_t before = g->known;
    *open = (ff_bytes){ 0 };
    (void)ff_take_lit(&rest, FF_LIT("==> "));
    (void)ff_take_lit(&rest, FF_LIT("$ cat "));
    (void)ff_take_lit(&rest, FF_LIT("# cat "));
    for (unsigned i = 0; i < 64 && take_part(&rest, &part); i++) {
        ff_bytes name;
        if (cut_path(part, &name, &path)) {
            file = *open = name;
            if (path.n)
                g->path = path;
            ff_bytes ahead = rest;
            if (take_part(&ahead, &value) && tool_cgroup_value(g, file, value)) {
                rest = ahead;
                *open = (ff_bytes){ 0 };
            }
        } else if (!file.n && i == 0 && part.n > 1 && part.p[0] == '/') {
            g->path = part;
        } else if (file.n && ff_equal(part, FF_LIT("<=="))) {
            return true;
        } else if (!file.n || !take_part(&rest, &value) || !tool_cgroup_pair(g, file, part, value)) {
            return false;
        }
    }
    return file.n && (g->known > before || open->n);
}

static bool take_pair(ff_bytes text, ff_bytes *key, ff_bytes *value)
{
    ff_bytes rest = ff_trim(text);
    uint64_t n = 0;
    return ff_take_word(&rest, key) && ff_take_char(&rest, ' ') && ff_take_word(&rest, value) && !rest.n &&
           tool_number(*value, &n);
}

/* The list that begins with this line when no name stands before it. */
static ff_bytes list_of(ff_bytes text)
{
    ff_bytes key, value;
    if (!take_pair(text, &key, &value))
        return (ff_bytes){ 0 };
    if (ff_equal(key, FF_LIT("low")))
        return FF_LIT("memory.events");
    bool stat = ff_equal(key, FF_LIT("anon")) || ff_equal(key, FF_LIT("total_cache"));
    return stat ? FF_LIT("memory.stat") : (ff_bytes){ 0 };
}

static bool is_named(ff_bytes text)
{
    tool_cgroup g = { .known = 0 };
    ff_bytes open;
    return text.n < 1024 && read_named(&g, text, &open);
}

/* A value of its own, or a pair: what follows a name. */
static bool is_value(ff_bytes text)
{
    ff_bytes key, value, word = ff_trim(text);
    uint64_t n = 0;
    return tool_number(word, &n) || ff_equal(word, FF_LIT("max")) || take_pair(text, &key, &value);
}

static bool cgroup_opens(const ff_event *ev) { return is_named(ev->text) || list_of(ev->text).n; }

static ff_block_say cgroup_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    (void)n;
    if (!ff_trim(next->text).n)
        return list_of(lines[0].ev.text).n ? FF_BLOCK_END : FF_BLOCK_NOT_MINE;
    return is_value(next->text) || is_named(next->text) ? FF_BLOCK_MINE : FF_BLOCK_END;
}

static void give(tool_cgroup *g, const ff_block_line *line, ff_sink *out)
{
    if (!g->known || !g->fields.n)
        return;
    ff_fields_text(&g->fields, "cgroup", FF_FIELD_TEXT, g->path);
    tool_fact(out, line, FF_FACT_HOST_CGROUP, &g->fields);
}

/* Two values of one file, or two names: the line is about another cgroup than those before. */
static bool is_other(const tool_cgroup *g, const tool_cgroup *next)
{
    if (!g->known || !ff_equal(g->path, next->path))
        return g->known > 0;
    for (uint32_t i = 0; i < g->fields.n; i++)
        for (uint32_t k = 0; k < next->fields.n; k++)
            if (ff_equal(g->fields.at[i].name, next->fields.at[k].name) && g->fields.at[i].i != next->fields.at[k].i)
                return true;
    return false;
}

static void cgroup_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    tool_cgroup *g = FF_NEW_N(out->scratch, tool_cgroup, 1);
    const ff_block_line *first = &lines[0];
    ff_bytes open = list_of(lines[0].ev.text);
    (void)cut;
    *g = (tool_cgroup){ .known = 0 };
    for (uint32_t i = 0; i < n; i++) {
        ff_bytes text = lines[i].ev.text, key, value;
        tool_cgroup probe = { .known = 0 };
        ff_bytes ahead;
        if (read_named(&probe, text, &ahead)) {
            if (is_other(g, &probe)) {
                give(g, first, out);
                *g = (tool_cgroup){ .known = 0 };
            }
            if (!g->known)
                first = &lines[i];
            (void)read_named(g, text, &open);
        } else if (take_pair(text, &key, &value)) {
            if (list_of(text).n)
                open = list_of(text);
            (void)tool_cgroup_pair(g, open, key, value);
        } else {
            (void)tool_cgroup_value(g, open, ff_trim(text));
        }
    }
    give(g, first, out);
}

static const char *const cgroup_needles[] = { "memory.max",   "memory.current",
                                              "memory.peak",  "memory.limit_in_bytes",
                                              "memory.usage", "memory.events",
                                              "memory.stat",  "memory.failcnt",
                                              "pids.max",     "pids.current",
                                              "low 0",        "anon ",
                                              "total_cache ", NULL };

const ff_block ff_block_cgroup = { .name = "cgroup",
                                   .streams = FF_STREAM_HOST,
                                   .needles = cgroup_needles,
                                   .max_lines = 1000,
                                   .opens = cgroup_opens,
                                   .take = cgroup_take,
                                   .read = cgroup_read };
