/* The Lua state that rule files run in: source text only, words from an allow-list, a memory cap and an instruction
 * budget. A rule pack comes from somebody else, so whatever it does ends its own call and nothing more: there is no
 * pcall in the language, and therefore no way to go on after a limit. */
#include "engine_private.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_AN_INSTRUCTION 64 /* what memory costs of the budget: filling it takes time too */
#define GRACE                                                                                                        \
    100000 /* instructions below zero at which memory is refused; the hook comes first, and knows the line */

ff_lua *ff_lua_of(lua_State *L)
{
    ff_lua *h;
    memcpy(&h, lua_getextraspace(L), sizeof h);
    return h;
}

/* For a new block, Lua says in `old` what it is for. */
static bool may_grow(ff_lua *h, bool is_string, size_t old, size_t n)
{
    if (h->used - old + n > FF_LUA_MEMORY) {
        h->refusal = "memory limit of 32 MiB reached";
        return false;
    }
    if (is_string && n > FF_LUA_STRING + 64) {
        h->refusal = "a string is longer than 64 KiB";
        return false;
    }
    h->budget -= (int64_t)((n - old) / BYTES_AN_INSTRUCTION);
    if (h->budget >= -GRACE)
        return true;
    h->refusal = "instruction budget used up";
    return false;
}

static void *allocate(void *data, void *p, size_t old, size_t n)
{
    ff_lua *h = data;
    bool is_string = p == NULL && old == LUA_TSTRING;
    size_t had = p ? old : 0;
    if (n == 0) {
        free(p);
        h->used -= had;
        return NULL;
    }
    if (h->guarded && n > had && !may_grow(h, is_string, had, n))
        return NULL;
    void *grown = realloc(p, n);
    if (grown)
        h->used = h->used - had + n;
    return grown;
}

static void out_of_budget(lua_State *L)
{
    ff_lua *h = ff_lua_of(L);
    h->refusal = "instruction budget used up";
    h->budget = 10000; /* for the message; nobody can catch the error */
    lua_pushstring(L, h->refusal);
    lua_error(L);
}

static void count_hook(lua_State *L, lua_Debug *event)
{
    (void)event;
    ff_lua *h = ff_lua_of(L);
    h->budget -= FF_LUA_HOOK;
    if (h->budget < 0)
        out_of_budget(L);
}

void ff_lua_charge(lua_State *L, size_t n)
{
    ff_lua *h = ff_lua_of(L);
    if (n > (size_t)FF_LUA_LOAD)
        n = FF_LUA_LOAD;
    h->budget -= (int64_t)n;
    if (h->budget < 0)
        out_of_budget(L);
}

/* The innermost line of the rule's own file: an error may come from a word that it has called. */
static uint32_t line_of_rule(lua_State *L, ff_bytes file)
{
    lua_Debug at;
    for (int level = 0; lua_getstack(L, level, &at); level++)
        if (lua_getinfo(L, "Sl", &at) && at.source[0] == '=' && ff_equal(ff_str(at.source + 1), file))
            return at.currentline > 0 ? (uint32_t)at.currentline : 0;
    return 0;
}

static int handle_error(lua_State *L)
{
    ff_lua *h = ff_lua_of(L);
    h->line = line_of_rule(L, h->file);
    if (lua_type(L, 1) != LUA_TSTRING)
        lua_pushfstring(L, "error object is a %s", luaL_typename(L, 1));
    return 1;
}

/* "file:12: text" -> text; the number goes to line when it is of the rule's own file (a syntax error has no frame).
 */
static ff_bytes without_place(ff_bytes message, ff_bytes file, uint32_t *line)
{
    ff_bytes rest = message, place = { 0 };
    uint64_t number = 0;
    if (!ff_take_until(&rest, ':', &place) || !ff_take_uint(&rest, &number) || !ff_take_lit(&rest, FF_LIT(": ")) ||
        number > UINT32_MAX)
        return message;
    if (ff_equal(place, ff_first_n(file, LUA_IDSIZE - 1)) && *line == 0) /* Lua cuts long names */
        *line = (uint32_t)number;
    return rest;
}

static void describe(ff_lua *h, int status, ff_arena *arena, ff_lua_fault *fault)
{
    size_t n = 0;
    const char *p = NULL;
    fault->line = h->line;
    if (status == LUA_ERRMEM)
        fault->text = ff_str(h->refusal ? h->refusal : "out of memory");
    else if (lua_type(h->L, -1) == LUA_TSTRING && (p = lua_tolstring(h->L, -1, &n)) != NULL)
        fault->text = ff_arena_copy(arena, ff_first_n(without_place((ff_bytes){ p, n }, h->file, &fault->line), 400));
    else
        fault->text = FF_LIT("error without a text");
}

bool ff_lua_protect(ff_lua *h, lua_CFunction f, void *data, const ff_lua_limits *limits, ff_arena *arena,
                    ff_lua_fault *fault)
{
    lua_State *L = h->L;
    int top = lua_gettop(L);
    h->budget = limits->budget;
    h->file = limits->file;
    h->line = 0;
    h->refusal = NULL;
    lua_pushcfunction(L, handle_error);
    lua_pushcfunction(L, f);
    lua_pushlightuserdata(L, data);
    h->guarded = true;
    int status = lua_pcall(L, 1, 0, top + 1);
    h->guarded = false;
    if (status != LUA_OK) {
        describe(h, status, arena, fault);
        lua_settop(L, top);
        lua_gc(L, LUA_GCCOLLECT, 0); /* what the broken call left must not count against the next one */
        return false;
    }
    lua_settop(L, top);
    return true;
}

static void set_environment(lua_State *L, int env)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, env);
    (void)lua_setupvalue(L, -2, 1); /* _ENV is the only upvalue of a main chunk */
}

void ff_lua_load(lua_State *L, ff_bytes chunk, const char *name, int env)
{
    if (ff_starts(chunk, FF_LIT("\xef\xbb\xbf")))
        chunk = ff_skip_n(chunk, 3);
    const char *title = lua_pushfstring(L, "=%s", name);
    if (luaL_loadbufferx(L, chunk.p ? chunk.p : "", chunk.n, title, "t") != LUA_OK)
        lua_error(L);
    lua_remove(L, -2);
    set_environment(L, env);
}

/* What the build compiled: nothing else is ever loaded in that form, for it is not checked. */
bool ff_lua_load_chunk(lua_State *L, ff_bytes chunk, const char *name, int env)
{
    if (luaL_loadbufferx(L, chunk.p, chunk.n, name, "b") != LUA_OK) {
        lua_pop(L, 1);
        return false;
    }
    set_environment(L, env);
    return true;
}

static int build(lua_State *L)
{
    ff_lua_build_words(L);
    return 0;
}

ff_lua *ff_lua_open(ff_error *error)
{
    ff_lua *h = ff_alloc(sizeof *h);
    *h = (ff_lua){ .words = LUA_NOREF, .env = LUA_NOREF, .shelf = ff_pattern_shelf_open() };
    h->L = h->shelf ? lua_newstate(allocate, h) : NULL;
    if (!h->L) {
        ff_fail(error, "starting the rule engine: out of memory");
        ff_lua_close(h);
        return NULL;
    }
    memcpy(lua_getextraspace(h->L), &h, sizeof h);
    lua_sethook(h->L, count_hook, LUA_MASKCOUNT, FF_LUA_HOOK);
    ff_arena scratch;
    ff_arena_init(&scratch);
    ff_lua_fault fault = { 0 };
    bool built = ff_lua_protect(h, build, NULL, &(ff_lua_limits){ .budget = FF_LUA_LOAD }, &scratch, &fault);
    if (!built)
        ff_fail(error, "starting the rule engine: %.*s", (int)fault.text.n, fault.text.p);
    ff_arena_done(&scratch);
    if (built)
        return h;
    ff_lua_close(h);
    return NULL;
}

void ff_lua_close(ff_lua *h)
{
    if (!h)
        return;
    if (h->L)
        lua_close(h->L);
    ff_pattern_shelf_close(h->shelf);
    ff_free(h->problems.at);
    ff_free(h->by_id);
    ff_free(h->by_cause);
    ff_free(h);
}
