/* A rule's table, read strictly. */
#include "engine_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN_KEYS 8

static uint32_t caller_line(lua_State *L)
{
    lua_Debug at;
    if (!lua_getstack(L, 1, &at) || !lua_getinfo(L, "l", &at) || at.currentline < 0)
        return 0;
    return (uint32_t)at.currentline;
}

ff_form ff_form_open(lua_State *L, const char *word)
{
    ff_loader *l = ff_lua_of(L)->loader;
    if (!l)
        luaL_error(L, "%s{...} has a meaning only while rules are loaded", word);
    if (lua_type(L, 1) != LUA_TTABLE)
        luaL_error(L, "%s wants a table", word);
    lua_settop(L, 1);
    luaL_checkstack(L, 40, NULL);
    return (ff_form){ .L = L,
                      .table = 1,
                      .book = l->book,
                      .arena = &l->book->arena,
                      .file = l->file,
                      .line = caller_line(L),
                      .path = "" };
}

void ff_form_refuse(ff_form *f, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ff_problem_add(f->book, f->file, f->rule, f->line, "%s", text);
    f->bad = true;
}

static bool is_allowed(const char *const *allowed, const char *name)
{
    for (; *allowed; allowed++)
        if (strcmp(*allowed, name) == 0)
            return true;
    return false;
}

static int compare_names(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

/* Lua gives keys in hash order; problems come in name order. Names stay valid as the table holds them. */
void ff_form_keys(ff_form *f, const char *const *allowed)
{
    const char *unknown[UNKNOWN_KEYS];
    size_t n = 0;
    bool other = false;
    lua_pushnil(f->L);
    while (lua_next(f->L, f->table)) {
        lua_pop(f->L, 1);
        const char *name = lua_type(f->L, -1) == LUA_TSTRING ? lua_tostring(f->L, -1) : NULL;
        if (!name)
            other = true;
        else if (!is_allowed(allowed, name) && n < UNKNOWN_KEYS)
            unknown[n++] = name;
    }
    qsort(unknown, n, sizeof unknown[0], compare_names);
    for (size_t i = 0; i < n; i++)
        ff_form_refuse(f, "unknown key \"%s%.60s\"", f->path, unknown[i]);
    if (other)
        ff_form_refuse(f, "%s has a value without a key", f->path[0] ? f->path : "the table");
}

bool ff_form_has(ff_form *f, const char *key)
{
    bool has = lua_getfield(f->L, f->table, key) != LUA_TNIL;
    lua_pop(f->L, 1);
    return has;
}

static ff_bytes text_at(ff_form *f, int index)
{
    ff_bytes b = { 0 };
    b.p = lua_tolstring(f->L, index, &b.n);
    return ff_arena_copy(f->arena, b);
}

void ff_form_text(ff_form *f, const char *key, bool required, ff_bytes *out)
{
    int type = lua_getfield(f->L, f->table, key);
    if (type == LUA_TSTRING)
        *out = text_at(f, -1);
    else if (type != LUA_TNIL)
        ff_form_refuse(f, "%s%s is a %s; a string is wanted", f->path, key, lua_typename(f->L, type));
    if (required && (type == LUA_TNIL || (type == LUA_TSTRING && out->n == 0)))
        ff_form_refuse(f, "%s%s is missing", f->path, key);
    lua_pop(f->L, 1);
}

static bool is_id_char(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.'; }

static bool is_id(ff_bytes id, bool dotted)
{
    size_t dots = 0;
    for (size_t i = 0; i < id.n; i++) {
        if (!is_id_char(id.p[i]) || (id.p[i] == '.' && (i == 0 || i + 1 == id.n || id.p[i - 1] == '.')))
            return false;
        dots += id.p[i] == '.';
    }
    return id.n > 0 && id.n <= 100 && (!dotted || dots > 0);
}

void ff_form_id(ff_form *f, bool dotted, ff_bytes *out)
{
    ff_form_text(f, "id", true, out);
    f->rule = *out;
    if (out->n > 0 && !is_id(*out, dotted))
        ff_form_refuse(f, "id is made of a-z, 0-9, _ and .%s", dotted ? ", with a dot between class and name" : "");
}

static void texts_of_list(ff_form *f, const char *key, ff_bytes **out, uint32_t *n)
{
    size_t length = (size_t)lua_rawlen(f->L, -1), keys = 0;
    lua_pushnil(f->L);
    while (lua_next(f->L, -2)) {
        lua_pop(f->L, 1);
        keys++;
    }
    if (keys != length || length > FF_RULE_LIST) {
        ff_form_refuse(f, "%s%s is not a list of at most %u strings", f->path, key, FF_RULE_LIST);
        return;
    }
    ff_bytes *list = FF_NEW_N(f->arena, ff_bytes, length + 1);
    for (size_t i = 0; i < length; i++) {
        if (lua_rawgeti(f->L, -1, (lua_Integer)i + 1) == LUA_TSTRING)
            list[i] = text_at(f, -1);
        else
            ff_form_refuse(f, "%s%s: element %zu is a %s; a string is wanted", f->path, key, i + 1,
                           luaL_typename(f->L, -1));
        lua_pop(f->L, 1);
    }
    *out = list;
    *n = (uint32_t)length;
}

void ff_form_texts(ff_form *f, const char *key, bool required, ff_bytes **out, uint32_t *n)
{
    int type = lua_getfield(f->L, f->table, key);
    if (type == LUA_TSTRING) {
        *out = FF_NEW(f->arena, ff_bytes);
        **out = text_at(f, -1);
        *n = 1;
    } else if (type == LUA_TTABLE) {
        texts_of_list(f, key, out, n);
        if (required && *n == 0)
            ff_form_refuse(f, "%s%s is empty", f->path, key);
    } else if (type != LUA_TNIL) {
        ff_form_refuse(f, "%s%s is a %s; a list of strings is wanted", f->path, key, lua_typename(f->L, type));
    } else if (required) {
        ff_form_refuse(f, "%s%s is missing", f->path, key);
    }
    lua_pop(f->L, 1);
}

void ff_form_flag(ff_form *f, const char *key, bool *out)
{
    int type = lua_getfield(f->L, f->table, key);
    if (type == LUA_TBOOLEAN)
        *out = lua_toboolean(f->L, -1);
    else if (type != LUA_TNIL)
        ff_form_refuse(f, "%s%s is a %s; true or false is wanted", f->path, key, lua_typename(f->L, type));
    lua_pop(f->L, 1);
}

bool ff_form_int(ff_form *f, const char *key, bool required, int64_t low, int64_t high, int64_t *out)
{
    int type = lua_getfield(f->L, f->table, key), whole = 0;
    lua_Integer value = type == LUA_TNUMBER ? lua_tointegerx(f->L, -1, &whole) : 0;
    lua_pop(f->L, 1);
    if (type == LUA_TNIL && !required)
        return false;
    if (type == LUA_TNIL) {
        ff_form_refuse(f, "%s%s is missing", f->path, key);
        return false;
    }
    if (!whole || value < low || value > high) {
        ff_form_refuse(f, "%s%s is not a whole number from %lld to %lld", f->path, key, (long long)low,
                       (long long)high);
        return false;
    }
    *out = value;
    return true;
}

void ff_form_streams(ff_form *f, const char *key, bool required, uint32_t *out)
{
    ff_bytes *names = NULL;
    uint32_t n = 0, all = 0;
    ff_form_texts(f, key, required, &names, &n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t mask = 0;
        if (ff_stream_from_name(names[i], &mask))
            all |= mask;
        else if (names[i].n > 0 || required)
            ff_form_refuse(f, "%s%s: unknown stream \"%.*s\"", f->path, key, (int)names[i].n, names[i].p);
    }
    *out = all;
}

bool ff_form_open_part(ff_form *f, const char *key, const char *path, ff_form *part)
{
    int type = lua_getfield(f->L, f->table, key);
    if (type == LUA_TTABLE) {
        *part = *f;
        part->table = lua_gettop(f->L);
        part->path = path;
        return true;
    }
    if (type != LUA_TNIL)
        ff_form_refuse(f, "%s%s is a %s; a table is wanted", f->path, key, lua_typename(f->L, type));
    lua_pop(f->L, 1);
    return false;
}

void ff_form_close_part(ff_form *f, const ff_form *part)
{
    f->bad = f->bad || part->bad;
    lua_settop(f->L, part->table - 1);
}
