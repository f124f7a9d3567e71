/* correlate{...}: a function over the signals of one group, and pack{...}: the name of a set of rules. */
#include "engine_private.h"

static int take_judge(ff_form *f)
{
    if (lua_getfield(f->L, f->table, "judge") == LUA_TFUNCTION && !lua_iscfunction(f->L, -1))
        return luaL_ref(f->L, LUA_REGISTRYINDEX);
    ff_form_refuse(f, "judge is %s; a function is wanted", lua_isnil(f->L, -1) ? "missing" : luaL_typename(f->L, -1));
    lua_pop(f->L, 1);
    return LUA_NOREF;
}

static bool is_in(const ff_bytes *list, uint32_t n, ff_bytes name)
{
    for (uint32_t i = 0; i < n; i++)
        if (ff_equal(list[i], name))
            return true;
    return false;
}

static void check_twice(ff_form *f, const ff_loaded_correlation *c)
{
    for (uint32_t i = 0; i < c->n_uses; i++)
        if (is_in(c->uses, i, c->uses[i]) || is_in(c->reach, c->n_reach, c->uses[i]))
            ff_form_refuse(f, "\"%.*s\" is named twice in uses and reach", (int)c->uses[i].n, c->uses[i].p);
    for (uint32_t i = 0; i < c->n_reach; i++)
        if (is_in(c->reach, i, c->reach[i]))
            ff_form_refuse(f, "\"%.*s\" is named twice in uses and reach", (int)c->reach[i].n, c->reach[i].p);
}

int ff_word_correlate(lua_State *L)
{
    static const char *const keys[] = { "id", "needs", "group", "uses", "reach", "judge", NULL };
    ff_form f = ff_form_open(L, "correlate");
    ff_loader *l = ff_lua_of(L)->loader;
    ff_loaded_correlation c = { .pack = l->pack, .cor = { .file = f.file, .line = f.line, .judge = LUA_NOREF } };
    ff_form_id(&f, true, &c.cor.id);
    ff_form_keys(&f, keys);
    ff_form_streams(&f, "needs", false, &c.cor.needs);
    FF_FORM_WORD(&f, "group", true, ff_scope_from_name, &c.cor.group);
    ff_form_texts(&f, "uses", true, &c.uses, &c.n_uses);
    ff_form_texts(&f, "reach", false, &c.reach, &c.n_reach);
    check_twice(&f, &c);
    c.cor.judge = take_judge(&f);
    c.refused = f.bad;
    FF_PUSH(&l->correlations, c);
    return 0;
}

int ff_word_pack(lua_State *L)
{
    static const char *const keys[] = { "name", "version", NULL };
    ff_form f = ff_form_open(L, "pack");
    ff_loader *l = ff_lua_of(L)->loader;
    ff_bytes name = { 0 }, version = { 0 };
    f.rule = FF_LIT("pack");
    ff_form_keys(&f, keys);
    ff_form_text(&f, "name", true, &name);
    ff_form_text(&f, "version", true, &version);
    if (l->named)
        ff_form_refuse(&f, "pack{...} stands twice in this pack");
    l->named = true;
    if (f.bad)
        return 0;
    l->packs.at[l->pack].name = name;
    l->packs.at[l->pack].version = version;
    return 0;
}
