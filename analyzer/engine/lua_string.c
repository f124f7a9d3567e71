/* string.* beyond the stock ones: plain text search instead of Lua patterns (which run inside C, where no budget
 * stops them; match() is there for patterns), and a format without addresses or unbounded widths. */
#include "engine_private.h"

#include <stdio.h>
#include <string.h>

#define PIECES 4096

static ff_bytes check_text(lua_State *L, int index)
{
    ff_bytes b = { 0 };
    b.p = luaL_checklstring(L, index, &b.n);
    return b;
}

/* Plain search compares n * m bytes at worst. */
static void charge_search(lua_State *L, ff_bytes hay, ff_bytes needle)
{
    ff_lua_charge(L, 10 + hay.n / 64 * (needle.n + 1));
}

/* find(text, what [, init]): first and last position, or nil. what is plain text. */
static int string_find(lua_State *L)
{
    ff_bytes hay = check_text(L, 1), needle = check_text(L, 2);
    lua_Integer init = luaL_optinteger(L, 3, 1);
    if (init < 0)
        init = (lua_Integer)hay.n + init + 1;
    if (init < 1)
        init = 1;
    if (init > (lua_Integer)hay.n + 1) {
        lua_pushnil(L);
        return 1;
    }
    size_t skip = (size_t)init - 1;
    charge_search(L, hay, needle);
    ff_bytes rest = ff_skip_n(hay, skip);
    size_t at = needle.n == 0 ? 0 : ff_find(rest, needle);
    if (at > rest.n) {
        lua_pushnil(L);
        return 1;
    }
    lua_pushinteger(L, (lua_Integer)(skip + at + 1));
    lua_pushinteger(L, (lua_Integer)(skip + at + needle.n));
    return 2;
}

/* split(text, separator): the pieces between separators, empty ones too. */
static int string_split(lua_State *L)
{
    ff_bytes rest = check_text(L, 1), separator = check_text(L, 2);
    luaL_argcheck(L, separator.n > 0, 2, "separator is empty");
    charge_search(L, rest, separator);
    lua_newtable(L);
    for (lua_Integer i = 1;; i++) {
        luaL_argcheck(L, i <= PIECES, 1, "more than 4096 pieces");
        size_t at = ff_find(rest, separator);
        bool last = at > rest.n;
        lua_pushlstring(L, rest.p, last ? rest.n : at);
        lua_rawseti(L, -2, i);
        if (last)
            return 1;
        rest = ff_skip_n(rest, at + separator.n);
    }
}

/* ---- format ---- */

typedef struct spec {
    char text[16]; /* "%-08.3" and, in the end, the conversion with its length */
    size_t n;
    char conversion;
} spec;

static void take_digits(lua_State *L, ff_bytes *in, spec *s)
{
    size_t digits = 0;
    while (in->n > 0 && in->p[0] >= '0' && in->p[0] <= '9') {
        if (++digits > 2)
            luaL_error(L, "format: width or precision has more than two digits");
        s->text[s->n++] = in->p[0];
        *in = ff_skip_n(*in, 1);
    }
}

/* in: behind the '%'. */
static spec take_spec(lua_State *L, ff_bytes *in)
{
    spec s = { .text = "%", .n = 1 };
    for (size_t flags = 0; in->n > 0 && strchr("-+ #0", in->p[0]) && in->p[0] != 0; flags++) {
        if (flags == 5)
            luaL_error(L, "format: too many flags");
        s.text[s.n++] = in->p[0];
        *in = ff_skip_n(*in, 1);
    }
    take_digits(L, in, &s);
    if (ff_take_char(in, '.')) {
        s.text[s.n++] = '.';
        take_digits(L, in, &s);
    }
    if (in->n == 0)
        luaL_error(L, "format: ends in the middle of a %%");
    s.conversion = in->p[0];
    *in = ff_skip_n(*in, 1);
    return s;
}

static void add_number(lua_State *L, luaL_Buffer *b, spec *s, int arg)
{
    char out[512]; /* %.99f of the largest double has 309 + 1 + 99 characters */
    int n;
    if (strchr("dixX", s->conversion)) {
        memcpy(s->text + s->n, "ll", 2);
        s->text[s->n + 2] = s->conversion == 'i' ? 'd' : s->conversion;
        s->text[s->n + 3] = 0;
        n = snprintf(out, sizeof out, s->text, (long long)luaL_checkinteger(L, arg));
    } else {
        s->text[s->n] = s->conversion;
        s->text[s->n + 1] = 0;
        n = snprintf(out, sizeof out, s->text, luaL_checknumber(L, arg));
    }
    if (n > 0 && (size_t)n < sizeof out)
        luaL_addlstring(b, out, (size_t)n);
}

/* "%s", with a width and a precision, on bytes. */
static void add_string(luaL_Buffer *b, const spec *s, const char *p, size_t n)
{
    unsigned width = 0, precision = 0;
    bool left = strchr(s->text, '-') != NULL;
    const char *dot = strchr(s->text, '.');
    (void)sscanf(s->text + strspn(s->text, "%-+ #0"), "%2u", &width);
    if (dot) {
        (void)sscanf(dot + 1, "%2u", &precision);
        n = n < precision ? n : precision;
    }
    for (size_t i = n; !left && i < width; i++)
        luaL_addchar(b, ' ');
    luaL_addlstring(b, p, n);
    for (size_t i = n; left && i < width; i++)
        luaL_addchar(b, ' ');
}

static int string_format(lua_State *L)
{
    ff_bytes rest = check_text(L, 1);
    int n_args = lua_gettop(L), arg = 1;
    ff_lua_charge(L, 20 + rest.n / 4);
    luaL_checkstack(L, n_args + 8, NULL);
    for (int i = 2; i <= n_args; i++) { /* texts first: the buffer below must stay on top of the stack */
        if (lua_type(L, i) == LUA_TNUMBER)
            continue;
        ff_lua_push_plain(L, i);
        lua_replace(L, i);
    }
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    while (rest.n > 0) {
        ff_bytes plain = { 0 };
        if (!ff_take_until(&rest, '%', &plain)) {
            luaL_addlstring(&b, rest.p, rest.n);
            break;
        }
        luaL_addlstring(&b, plain.p, plain.n);
        spec s = take_spec(L, &rest);
        if (s.conversion == '%') {
            luaL_addchar(&b, '%');
            continue;
        }
        if (!strchr("dixXfgeGEs", s.conversion) || s.conversion == 0)
            return luaL_error(L, "format: \"%%%c\" is not known here", s.conversion);
        luaL_argcheck(L, ++arg <= n_args, arg, "no value");
        if (s.conversion != 's') {
            add_number(L, &b, &s, arg);
            continue;
        }
        char number[64];
        size_t n = 0;
        const char *p = number;
        if (lua_type(L, arg) == LUA_TSTRING)
            p = lua_tolstring(L, arg, &n);
        else if (lua_isinteger(L, arg))
            n = (size_t)snprintf(number, sizeof number, "%lld", (long long)lua_tointeger(L, arg));
        else
            n = (size_t)snprintf(number, sizeof number, "%.14g", lua_tonumber(L, arg));
        add_string(&b, &s, p, n);
    }
    luaL_pushresult(&b);
    return 1;
}

const luaL_Reg ff_string_words[] = {
    { "find", string_find }, { "split", string_split }, { "format", string_format }, { NULL, NULL }
};
