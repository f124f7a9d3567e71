/* Part of the build: compiles each rule file to the chunk that is embedded beside its text.
 *     compile_rules ROOT OUT ROOT/rules/gpu/xid.lua ...      writes OUT/rules/gpu/xid.lua.chunk
 * Lines and names stay in: a fault in a rule is told with its place. */
#include <lauxlib.h>
#include <lua.h>
#include <stdio.h>
#include <string.h>

static int write_piece(lua_State *L, const void *p, size_t n, void *file)
{
    (void)L;
    return fwrite(p, 1, n, file) != n;
}

static int fail(const char *what, const char *why)
{
    (void)fprintf(stderr, "compile_rules: %s: %s\n", what, why);
    return 1;
}

static int compile(const char *root, const char *out, const char *path)
{
    char title[4096], to[4096];
    size_t n = strlen(root);
    if (strncmp(path, root, n) != 0 || path[n] != '/')
        return fail(path, "not below the root");
    int title_n = snprintf(title, sizeof title, "=%s", path + n + 1);
    int to_n = snprintf(to, sizeof to, "%s/%s.chunk", out, path + n + 1);
    if (title_n < 0 || to_n < 0 || (size_t)title_n >= sizeof title || (size_t)to_n >= sizeof to)
        return fail(path, "the name is too long");
    lua_State *L = luaL_newstate();
    if (!L)
        return fail(path, "out of memory");
    int status = 1;
    FILE *f = NULL;
    /* luaL_loadfilex would take the path of this machine for the name */
    static char text[1 << 20];
    FILE *in = fopen(path, "rb");
    size_t got = in ? fread(text, 1, sizeof text, in) : 0;
    if (in)
        (void)fclose(in);
    if (!in || got == sizeof text)
        status = fail(path, "cannot be read");
    else if (luaL_loadbufferx(L, text, got, title, "t") != LUA_OK)
        status = fail(path, lua_tostring(L, -1));
    else if ((f = fopen(to, "wb")) == NULL || lua_dump(L, write_piece, f, 0) != 0)
        status = fail(to, "cannot be written");
    else
        status = 0;
    if (f && fclose(f) != 0)
        status = fail(to, "cannot be written");
    lua_close(L);
    return status;
}

int main(int argc, char **argv)
{
    for (int i = 3; i < argc; i++)
        if (compile(argv[1], argv[2], argv[i]) != 0)
            return 1;
    return argc < 3;
}
