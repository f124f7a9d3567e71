/* The words that rule files have. What is not listed here does not exist for them: no files, no processes, no clock,
 * no random numbers, no loading of code, no metatables, no coroutines, no pcall, no addresses. What depends on hash
 * order or on memory layout in stock Lua (pairs, next, tostring of a table) is replaced or left out. */
#include "engine_private.h"

#include <lualib.h>
#include <stdlib.h>
#include <string.h>

#include "../base/text.h"

/* ---- pairs in sorted order ---- */

typedef struct key {
    bool is_text;
    bool is_integer;
    lua_Integer i;
    lua_Number f;
    ff_bytes s; /* stays in place as long as the table holds the key */
} key;

static int compare_key(const void *a, const void *b)
{
    const key *x = a, *y = b;
    if (x->is_text != y->is_text)
        return x->is_text ? 1 : -1;
    if (x->is_text)
        return ff_compare(x->s, y->s);
    if (x->is_integer && y->is_integer)
        return (x->i > y->i) - (x->i < y->i);
    if (x->f != y->f)
        return x->f < y->f ? -1 : 1;
    return (int)y->is_integer - (int)x->is_integer;
}

static key read_key(lua_State *L, int index)
{
    if (lua_type(L, index) == LUA_TSTRING) {
        size_t n = 0;
        const char *p = lua_tolstring(L, index, &n);
        return (key){ .is_text = true, .s = { p, n } };
    }
    if (lua_type(L, index) != LUA_TNUMBER)
        luaL_error(L, "pairs: a key is a %s; only numbers and strings have an order", luaL_typename(L, index));
    key k = { .is_integer = lua_isinteger(L, index), .f = lua_tonumber(L, index) };
    k.i = k.is_integer ? lua_tointeger(L, index) : 0;
    return k;
}

static size_t count_keys(lua_State *L, int table)
{
    size_t n = 0;
    lua_pushnil(L);
    while (lua_next(L, table)) {
        lua_pop(L, 1);
        n++;
    }
    return n;
}

static void push_key(lua_State *L, const key *k)
{
    if (k->is_text)
        lua_pushlstring(L, k->s.p, k->s.n);
    else if (k->is_integer)
        lua_pushinteger(L, k->i);
    else
        lua_pushnumber(L, k->f);
}

/* Upvalues: table, list of its keys, how far we are. */
static int next_pair(lua_State *L)
{
    lua_Integer i = lua_tointeger(L, lua_upvalueindex(3));
    for (;;) {
        i++;
        if (lua_rawgeti(L, lua_upvalueindex(2), i) == LUA_TNIL)
            return 1;
        lua_pushvalue(L, -1);
        if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
            break;
        lua_pop(L, 2); /* taken out since */
    }
    lua_pushinteger(L, i);
    lua_replace(L, lua_upvalueindex(3));
    return 2;
}

int ff_word_pairs(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    (void)luaL_callmeta(L, 1, "__pairs"); /* a table that is filled on demand */
    lua_settop(L, 1);
    size_t n = count_keys(L, 1);
    ff_lua_charge(L, 10 + n * 8);
    key *keys = lua_newuserdatauv(L, (n + 1) * sizeof *keys, 0);
    size_t i = 0;
    lua_pushnil(L);
    while (i < n && lua_next(L, 1)) {
        keys[i++] = read_key(L, -2);
        lua_pop(L, 1);
    }
    lua_settop(L, 2);
    qsort(keys, i, sizeof *keys, compare_key);
    lua_pushvalue(L, 1);
    lua_createtable(L, (int)i, 0);
    for (size_t k = 0; k < i; k++) {
        push_key(L, &keys[k]);
        lua_rawseti(L, -2, (lua_Integer)k + 1);
    }
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, next_pair, 3);
    return 1;
}

/* ---- small words ---- */

void ff_lua_push_plain(lua_State *L, int index)
{
    switch (lua_type(L, index)) {
    case LUA_TSTRING:
        lua_pushvalue(L, index);
        break;
    case LUA_TNUMBER: /* a copy, as tolstring changes what it looks at */
        lua_pushvalue(L, index);
        (void)lua_tolstring(L, -1, NULL);
        break;
    case LUA_TBOOLEAN:
        lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false");
        break;
    default:
        lua_pushstring(L, luaL_typename(L, index));
        break; /* an address would differ from run to run */
    }
}

static int word_tostring(lua_State *L)
{
    luaL_checkany(L, 1);
    ff_lua_push_plain(L, 1);
    return 1;
}

static ff_bytes check_text(lua_State *L, int index)
{
    ff_bytes b = { 0 };
    b.p = luaL_checklstring(L, index, &b.n);
    return b;
}

#define MATCH_CAPTURES 32

/* match(text, pattern): nil, or the captures, or the whole match when the pattern has none. */
static int word_match(lua_State *L)
{
    ff_bytes text = check_text(L, 1), pattern = check_text(L, 2);
    ff_lua_charge(L, 200 + text.n / 4 + pattern.n);
    ff_capture captures[MATCH_CAPTURES];
    uint32_t n = 0;
    ff_error error = { { 0 } };
    if (ff_pattern_try(ff_lua_of(L)->shelf, pattern, text, captures, MATCH_CAPTURES, &n, &error) != FF_OK) {
        ff_lua_charge(L, 1000000); /* it ran to its limit */
        return luaL_error(L, "match: %s", error.text);
    }
    if (n == 0) {
        lua_pushnil(L);
        return 1;
    }
    luaL_checkstack(L, MATCH_CAPTURES, NULL);
    for (uint32_t i = n > 1 ? 1 : 0; i < n; i++) {
        if (captures[i].set)
            lua_pushlstring(L, text.p + captures[i].from, captures[i].to - captures[i].from);
        else
            lua_pushnil(L);
    }
    return n > 1 ? (int)n - 1 : 1;
}

static int push_text(lua_State *L, ff_text *t)
{
    char copy[96];
    size_t n = t->n < sizeof copy ? t->n : sizeof copy;
    memcpy(copy, t->p, n);
    ff_text_done(t); /* before anything that can raise */
    lua_pushlstring(L, copy, n);
    return 1;
}

static lua_Integer check_whole(lua_State *L, int index)
{
    lua_Number f = luaL_checknumber(L, index);
    lua_Integer i = 0;
    if (lua_isinteger(L, index))
        return lua_tointeger(L, index);
    luaL_argcheck(L, lua_numbertointeger(f, &i), index, "number is out of range");
    return i;
}

static int word_size_text(lua_State *L)
{
    lua_Integer kib = check_whole(L, 1);
    luaL_argcheck(L, kib >= 0, 1, "a size is not negative");
    ff_lua_charge(L, 200);
    ff_text t;
    ff_text_init(&t, 0);
    ff_text_add_kib(&t, (uint64_t)kib);
    return push_text(L, &t);
}

static int word_span_text(lua_State *L)
{
    lua_Integer ns = check_whole(L, 1);
    ff_lua_charge(L, 200);
    ff_text t;
    ff_text_init(&t, 0);
    ff_text_add_span(&t, ns);
    return push_text(L, &t);
}

/* ---- the tables ---- */

static int refuse_write(lua_State *L)
{
    ff_lua_push_plain(L, 2);
    return luaL_error(L, "\"%s\" cannot be set here; use local", lua_tostring(L, -1));
}

/* Table on top -> an empty one in its place that shows its contents and takes no writes. */
static void protect_table(lua_State *L)
{
    lua_newtable(L);
    lua_createtable(L, 0, 3);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, refuse_write);
    lua_setfield(L, -2, "__newindex");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_remove(L, -2);
}

/* Copies the named members of the table at `from` into the table on top. */
static void copy_members(lua_State *L, int from, const char *const *names)
{
    for (; *names; names++) {
        lua_getfield(L, from, *names);
        lua_setfield(L, -2, *names);
    }
}

static void add_strings(lua_State *L, int words)
{
    static const char *const stock[] = {
        "sub", "upper", "lower", "len", "byte", NULL
    }; /* linear, bounded by their input */
    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 0);
    int from = lua_gettop(L);
    lua_newtable(L);
    copy_members(L, from, stock);
    luaL_setfuncs(L, ff_string_words, 0);
    protect_table(L);
    /* ("x"):rep(n) reaches the library through the metatable that luaopen_string has just set */
    lua_pushliteral(L, "");
    lua_createtable(L, 0, 2);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
    lua_setfield(L, words, "string");
    lua_settop(L, from - 1);
}

static void add_math(lua_State *L, int words)
{
    static const char *const stock[] = { "abs",       "ceil", "floor", "max", "min",        "sqrt",       "fmod",
                                         "tointeger", "type", "huge",  "pi",  "maxinteger", "mininteger", NULL };
    luaL_requiref(L, LUA_MATHLIBNAME, luaopen_math, 0);
    int from = lua_gettop(L);
    lua_newtable(L);
    copy_members(L, from, stock);
    protect_table(L);
    lua_setfield(L, words, "math");
    lua_settop(L, from - 1);
}

static void add_base(lua_State *L, int words)
{
    static const char *const stock[] = { "assert", "error", "ipairs", "select", "tonumber", "type", NULL };
    luaL_requiref(L, LUA_GNAME, luaopen_base, 0);
    int from = lua_gettop(L);
    lua_pushvalue(L, words);
    copy_members(L, from, stock);
    lua_settop(L, from - 1);
}

static void add_lists(lua_State *L, int words)
{
    lua_newtable(L);
    luaL_setfuncs(L, ff_list_words, 0);
    protect_table(L);
    lua_setfield(L, words, "table");
}

void ff_lua_build_words(lua_State *L)
{
    static const luaL_Reg own[] = {
        { "pairs", ff_word_pairs },      { "tostring", word_tostring },      { "match", word_match },
        { "size_text", word_size_text }, { "span_text", word_span_text },    { "order", ff_word_order },
        { "gap", ff_word_gap },          { "signature", ff_word_signature }, { "correlate", ff_word_correlate },
        { "cause", ff_word_cause },      { "pack", ff_word_pack },           { NULL, NULL }
    };
    ff_lua *h = ff_lua_of(L);
    lua_newtable(L);
    int words = lua_gettop(L);
    add_base(L, words);
    add_strings(L, words);
    add_math(L, words);
    add_lists(L, words);
    lua_pushvalue(L, words);
    luaL_setfuncs(L, own, 0);
    lua_pop(L, 1);
    lua_pushvalue(L, words);
    h->words = luaL_ref(L, LUA_REGISTRYINDEX);
    protect_table(L);
    h->env = luaL_ref(L, LUA_REGISTRYINDEX);
}
