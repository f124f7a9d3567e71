/* Packs -> one rulebook. */
#include "engine_private.h"

#include <stdio.h>
#include <string.h>

/* ---- look-ups ---- */

ff_bytes ff_kind_name(const ff_rulebook *b, uint32_t kind)
{
    if (kind < FF_FACTS)
        return ff_str(ff_fact_name(kind));
    const ff_signature *s = ff_kind_signature(b, kind);
    return s ? s->id : (ff_bytes){ 0 };
}

const ff_signature *ff_kind_signature(const ff_rulebook *b, uint32_t kind)
{
    if (kind < FF_FACTS || kind - FF_FACTS >= b->n_signatures)
        return NULL;
    return &b->signatures[kind - FF_FACTS];
}

uint32_t ff_kind_find(const ff_rulebook *b, ff_bytes name)
{
    for (uint32_t i = 0; i < FF_FACTS; i++)
        if (ff_equal(ff_str(ff_fact_name(i)), name))
            return i;
    uint32_t low = 0, high = b->n_signatures;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, at = b->lua->by_id[middle];
        int order = ff_compare(b->signatures[at].id, name);
        if (order == 0)
            return FF_KIND_OF_SIGNATURE(at);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return FF_NONE;
}

uint32_t ff_cause_find(const ff_rulebook *b, ff_bytes id)
{
    uint32_t low = 0, high = b->n_causes;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, at = b->lua->by_cause[middle];
        int order = ff_compare(b->causes[at].id, id);
        if (order == 0)
            return at;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return FF_NONE;
}

/* ---- problems ---- */

void ff_problem_add(ff_rulebook *b, ff_bytes file, ff_bytes rule, uint32_t line, const char *format, ...)
{
    ff_lua *h = b->lua;
    if (h->loader && h->loader->pack == 0)
        h->builtin_broken = true;
    if (h->problems.n >= FF_PROBLEMS)
        return;
    char text[640];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ff_rule_problem p = { .file = file, .rule = rule, .line = line, .text = ff_arena_copy(&b->arena, ff_str(text)) };
    FF_PUSH(&h->problems, p);
    b->problems = h->problems.at;
    b->n_problems = h->problems.n;
}

/* ---- files ---- */

typedef struct file_run {
    ff_rule_file file;
    const char *title;
    int env;
} file_run;

static int run_file(lua_State *L)
{
    const file_run *r = lua_touserdata(L, 1);
    if (!r->file.chunk.n || !ff_lua_load_chunk(L, r->file.chunk, r->title, r->env))
        ff_lua_load(L, r->file.bytes, r->title, r->env);
    lua_call(L, 0, 0);
    return 0;
}

static void run(ff_loader *l, ff_rule_file file, int env)
{
    ff_rulebook *b = l->book;
    file_run r = { .file = file, .title = ff_arena_str(&b->arena, file.name), .env = env };
    ff_lua_limits limits = { .budget = FF_LUA_LOAD, .file = file.name };
    ff_lua_fault fault = { 0 };
    l->file = file.name;
    l->compiled = file.chunk.n > 0;
    if (!ff_lua_protect(b->lua, run_file, &r, &limits, &b->arena, &fault))
        ff_problem_add(b, file.name, (ff_bytes){ 0 }, fault.line, "%.*s", (int)fault.text.n, fault.text.p);
}

static void load_pack(ff_loader *l, ff_bytes name, const char *version, const ff_rule_file_list *files)
{
    ff_pack pack = { .name = name, .version = ff_str(version) };
    l->pack = l->packs.n;
    l->named = false;
    FF_PUSH(&l->packs, pack);
    for (uint32_t i = 0; i < files->n; i++)
        run(l, files->at[i], l->book->lua->env);
}

static bool is_prelude(ff_bytes name) { return ff_ends(name, FF_LIT("/prelude.lua")); }

static void load_builtin(ff_loader *l, const ff_embedded *builtin)
{
    ff_rule_file_list files = { 0 }, prelude = { 0 };
    for (const ff_embedded *e = builtin; e->name; e++) {
        ff_rule_file f = { .name = ff_str(e->name), .bytes = { e->bytes, e->n }, .chunk = { e->chunk, e->chunk_n } };
        if (is_prelude(f.name))
            FF_PUSH(&prelude, f);
        else
            FF_PUSH(&files, f);
    }
    for (uint32_t i = 0; i < prelude.n; i++)
        run(l, prelude.at[i], l->book->lua->words);
    ff_rule_files_sort(&files);
    load_pack(l, FF_LIT("firstfault"), FF_VERSION, &files);
    for (uint32_t i = 0; i < prelude.n; i++) /* part of what the pack's digest stands for */
        FF_PUSH(&files, prelude.at[i]);
    if (builtin == ff_embedded_rules)
        memcpy(l->packs.at[0].sha256, ff_embedded_rules_sha256, sizeof l->packs.at[0].sha256);
    else
        ff_rule_files_digest(&files, l->packs.at[0].sha256);
    ff_free(files.at);
    ff_free(prelude.at);
}

static ff_status load_folder(ff_loader *l, const char *folder, ff_error *error)
{
    ff_rule_file_list files = { 0 };
    ff_bytes name = { 0 };
    ff_status status = ff_rule_files_read(folder, &l->book->arena, &files, &name, error);
    if (status == FF_OK) {
        load_pack(l, name, "0", &files);
        ff_rule_files_digest(&files, l->packs.at[l->pack].sha256);
    }
    ff_free(files.at);
    return status;
}

/* ---- load ---- */

static ff_status fail_with_problem(const ff_rulebook *b, const char *what, ff_error *error)
{
    const ff_rule_problem *p = &b->problems[0];
    return ff_fail(error, "%s: %.*s:%u: %.*s%s%.*s (%u problem%s in all)", what, (int)p->file.n, p->file.p,
                   (unsigned)p->line, (int)p->rule.n, p->rule.p, p->rule.n ? ": " : "", (int)p->text.n, p->text.p,
                   (unsigned)b->n_problems, b->n_problems == 1 ? "" : "s");
}

static ff_status load_all(ff_loader *l, const ff_embedded *builtin, const char *const *folders, uint32_t n_folders,
                          bool strict, ff_error *error)
{
    ff_rulebook *b = l->book;
    lua_gc(b->lua->L, LUA_GCSTOP, 0); /* nearly all that our own rules make stays in use */
    load_builtin(l, builtin);
    lua_gc(b->lua->L, LUA_GCRESTART, 0);
    for (uint32_t i = 0; i < n_folders; i++)
        if (load_folder(l, folders[i], error) != FF_OK)
            return FF_FATAL;
    ff_loader_resolve(l);
    b->packs = FF_NEW_N(&b->arena, ff_pack, l->packs.n);
    memcpy(b->packs, l->packs.at, sizeof *b->packs * l->packs.n);
    b->n_packs = l->packs.n;
    b->lua->loader = NULL;
    if (b->lua->builtin_broken)
        return fail_with_problem(b, "loading the built-in rules", error);
    if (strict)
        (void)ff_rules_check_samples(b, b->lua->n_builtin);
    return strict && b->n_problems > 0 ? fail_with_problem(b, "loading rules", error) : FF_OK;
}

ff_status ff_rulebook_load_from(const ff_embedded *builtin, const char *const *folders, uint32_t n_folders,
                                bool strict, ff_rulebook **out, ff_error *error)
{
    ff_rulebook *b = ff_alloc(sizeof *b);
    *b = (ff_rulebook){ 0 };
    ff_arena_init(&b->arena);
    b->lua = ff_lua_open(error);
    ff_loader l = { .book = b };
    ff_status status = FF_FATAL;
    if (!b->lua)
        goto out;
    b->lua->loader = &l;
    status = load_all(&l, builtin, folders, n_folders, strict, error);
    b->lua->loader = NULL;
out:
    ff_free(l.signatures.at);
    ff_free(l.correlations.at);
    ff_free(l.causes.at);
    ff_free(l.packs.at);
    if (status == FF_OK)
        *out = b;
    else
        ff_rulebook_free(b);
    return status;
}

ff_status ff_rulebook_load(const char *const *folders, uint32_t n_folders, bool strict, ff_rulebook **out,
                           ff_error *error)
{
    return ff_rulebook_load_from(ff_embedded_rules, folders, n_folders, strict, out, error);
}

void ff_rulebook_free(ff_rulebook *b)
{
    if (!b)
        return;
    ff_lua_close(b->lua);
    ff_arena_done(&b->arena);
    ff_free(b);
}
