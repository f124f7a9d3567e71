/* table.*: the stock ones, with their cost taken off the budget, and a sort that is stable: equal elements keep their
 * order, and an inconsistent comparison gives some order instead of an error. */
#include "engine_private.h"

#define UNPACKED 200

static lua_Integer length_of(lua_State *L, int index)
{
    luaL_checktype(L, index, LUA_TTABLE);
    return (lua_Integer)lua_rawlen(L, index);
}

/* insert(list, [position,] value) */
static int list_insert(lua_State *L)
{
    lua_Integer n = length_of(L, 1), at = n + 1;
    luaL_argcheck(L, lua_gettop(L) == 2 || lua_gettop(L) == 3, 1, "insert takes two or three arguments");
    if (lua_gettop(L) == 3)
        at = luaL_checkinteger(L, 2);
    luaL_argcheck(L, at >= 1 && at <= n + 1, 2, "position is out of the list");
    ff_lua_charge(L, 10 + (size_t)(n + 1 - at) / 4);
    for (lua_Integer i = n; i >= at; i--) {
        lua_geti(L, 1, i);
        lua_seti(L, 1, i + 1);
    }
    lua_settop(L, lua_gettop(L) == 3 ? 3 : 2);
    lua_seti(L, 1, at);
    return 0;
}

/* remove(list [, position]): the element, or nil */
static int list_remove(lua_State *L)
{
    lua_Integer n = length_of(L, 1), at = luaL_optinteger(L, 2, n);
    if (n == 0)
        return 0;
    luaL_argcheck(L, at >= 1 && at <= n, 2, "position is out of the list");
    ff_lua_charge(L, 10 + (size_t)(n - at) / 4);
    lua_geti(L, 1, at);
    for (lua_Integer i = at; i < n; i++) {
        lua_geti(L, 1, i + 1);
        lua_seti(L, 1, i);
    }
    lua_pushnil(L);
    lua_seti(L, 1, n);
    return 1;
}

static int list_concat(lua_State *L)
{
    lua_Integer n = length_of(L, 1);
    size_t between = 0, total = 0;
    const char *separator = luaL_optlstring(L, 2, "", &between);
    ff_lua_charge(L, 10 + (size_t)n);
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    for (lua_Integer i = 1; i <= n; i++) {
        lua_geti(L, 1, i);
        size_t part = 0;
        if (!lua_isstring(L, -1))
            return luaL_error(L, "concat: element %d is a %s", (int)i, luaL_typename(L, -1));
        (void)lua_tolstring(L, -1, &part);
        total += part + between;
        if (total > FF_LUA_STRING)
            return luaL_error(L, "concat: a string is longer than 64 KiB");
        luaL_addvalue(&b);
        if (i < n)
            luaL_addlstring(&b, separator, between);
    }
    luaL_pushresult(&b);
    return 1;
}

static int list_unpack(lua_State *L)
{
    lua_Integer from = luaL_optinteger(L, 2, 1), to = luaL_optinteger(L, 3, length_of(L, 1));
    if (from > to)
        return 0;
    luaL_argcheck(L, from >= 1 && to - from < UNPACKED, 2, "at most 200 values");
    luaL_checkstack(L, UNPACKED, NULL);
    for (lua_Integer i = from; i <= to; i++)
        lua_geti(L, 1, i);
    return (int)(to - from + 1);
}

/* ---- sort: 1 list, 2 comparison or nil, 3 work space ---- */

static bool is_less(lua_State *L, int a, int b)
{
    if (lua_isnil(L, 2))
        return lua_compare(L, a, b, LUA_OPLT) != 0;
    lua_pushvalue(L, 2);
    lua_pushvalue(L, a);
    lua_pushvalue(L, b);
    lua_call(L, 2, 1);
    bool less = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return less;
}

/* Merges [low, middle) and [middle, high) of table `from` into table `to`. */
static void merge(lua_State *L, int from, int to, lua_Integer low, lua_Integer middle, lua_Integer high)
{
    lua_Integer a = low, b = middle;
    for (lua_Integer out = low; out < high; out++) {
        bool take_b = a >= middle;
        if (!take_b && b < high) {
            lua_rawgeti(L, from, b);
            lua_rawgeti(L, from, a);
            int top = lua_gettop(L);
            take_b = is_less(L, top - 1, top);
            lua_settop(L, top - 2);
        }
        lua_rawgeti(L, from, take_b ? b++ : a++);
        lua_rawseti(L, to, out);
    }
}

static int list_sort(lua_State *L)
{
    lua_Integer n = length_of(L, 1);
    lua_settop(L, 2);
    if (!lua_isnil(L, 2))
        luaL_checktype(L, 2, LUA_TFUNCTION);
    if (n < 2) /* also what a protected table says of itself */
        return 0;
    lua_createtable(L, n < 65536 ? (int)n : 65536, 0);
    int from = 1, to = 3;
    for (lua_Integer width = 1; width < n; width *= 2) {
        ff_lua_charge(L, (size_t)n * 4);
        for (lua_Integer low = 1; low <= n; low += 2 * width) {
            lua_Integer middle = low + width < n + 1 ? low + width : n + 1;
            lua_Integer high = low + 2 * width < n + 1 ? low + 2 * width : n + 1;
            merge(L, from, to, low, middle, high);
        }
        int other = from;
        from = to;
        to = other;
    }
    for (lua_Integer i = 1; from != 1 && i <= n; i++) {
        lua_rawgeti(L, from, i);
        lua_rawseti(L, 1, i);
    }
    return 0;
}

const luaL_Reg ff_list_words[] = { { "insert", list_insert }, { "remove", list_remove }, { "concat", list_concat },
                                   { "unpack", list_unpack }, { "sort", list_sort },     { NULL, NULL } };
