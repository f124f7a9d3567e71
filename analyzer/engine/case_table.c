/* A group of signals -> the table that judge(case) gets. Signals cross as copies: numbers and short texts, no
 * pointers and no log text beyond captures; a finding names them by ref. */
#include "engine_private.h"

static void set_text(lua_State *L, const char *key, ff_bytes value)
{
    if (value.n == 0)
        return;
    lua_pushlstring(L, value.p, value.n < FF_LUA_STRING ? value.n : FF_LUA_STRING);
    lua_setfield(L, -2, key);
}

static void set_int(lua_State *L, const char *key, int64_t value)
{
    lua_pushinteger(L, value);
    lua_setfield(L, -2, key);
}

static void set_number(lua_State *L, const char *key, int32_t value)
{
    if (value != FF_NO_NUMBER)
        set_int(L, key, value);
}

static void set_who(lua_State *L, const ff_who *who)
{
    set_text(L, "host", who->host);
    set_text(L, "boot", who->boot);
    set_text(L, "unit", who->unit);
    set_text(L, "pod", who->pod);
    set_text(L, "pod_uid", who->pod_uid);
    set_text(L, "container", who->container);
    set_text(L, "cgroup", who->cgroup);
    set_text(L, "gpu", who->gpu);
    set_text(L, "gpu_uuid", who->gpu_uuid);
    set_text(L, "process", who->process);
    set_number(L, "pid", who->pid);
    set_number(L, "rank", who->rank);
    set_number(L, "local_rank", who->local_rank);
    set_number(L, "gpu_index", who->gpu_index);
}

static void set_time(lua_State *L, const ff_signal *s)
{
    if (s->clock != FF_NONE)
        set_int(L, "clock", s->clock);
    if (s->frame != 0)
        set_int(L, "frame", s->frame);
    if (s->said.kind != FF_STAMP_NONE) {
        set_int(L, "at", s->said.ns);
        set_int(L, "last_at", s->count > 1 ? s->last_said.ns : s->said.ns);
    }
    if (!s->has_utc)
        return;
    set_int(L, "utc", s->utc);
    set_int(L, "err", s->utc_err);
    set_int(L, "last_utc", s->count > 1 ? s->last_utc : s->utc);
}

static void set_stream(lua_State *L, uint32_t stream)
{
    for (unsigned i = 0; i < FF_STREAMS; i++)
        if (stream == 1u << i)
            set_text(L, "stream", ff_str(ff_stream_name(i)));
}

static void set_fields(lua_State *L, const ff_signal *s)
{
    lua_createtable(L, 0, (int)s->n_fields);
    for (uint32_t i = 0; i < s->n_fields; i++) {
        const ff_field *f = &s->fields[i];
        lua_pushlstring(L, f->name.p, f->name.n);
        switch (f->type) {
        case FF_FIELD_INT:
        case FF_FIELD_HEX:
        case FF_FIELD_PID:
        case FF_FIELD_RANK:
        case FF_FIELD_LOCAL_RANK:
        case FF_FIELD_GPU:
            lua_pushinteger(L, f->i);
            break;
        case FF_FIELD_FLOAT:
            lua_pushnumber(L, f->f);
            break;
        default:
            lua_pushlstring(L, f->s.p ? f->s.p : "", f->s.n < FF_LUA_STRING ? f->s.n : FF_LUA_STRING);
            break;
        }
        lua_rawset(L, -3);
    }
    lua_setfield(L, -2, "fields");
}

static void push_signal(lua_State *L, const ff_session *session, uint32_t ref)
{
    const ff_evidence *e = session->evidence;
    const ff_signal *s = &e->signals[ref];
    lua_createtable(L, 0, 16);
    set_int(L, "ref", ref);
    set_text(L, "id", ff_kind_name(session->book, s->kind));
    set_int(L, "count", s->count);
    set_int(L, "line", s->at.line);
    if (s->at.member < e->n_members)
        set_text(L, "member", e->members[s->at.member].name);
    set_stream(L, s->stream);
    set_time(L, s);
    set_who(L, &s->who);
    set_fields(L, s);
}

/* ---- lists ---- */

static bool take_room(ff_case *c, uint32_t in_list)
{
    if (in_list < FF_LUA_LIST && c->room > 0) {
        c->room--;
        return true;
    }
    c->cut = true;
    return false;
}

/* The same table for every group of a correlation: a gang of 1,000 GPUs would otherwise copy the whole job 1,000
 * times. */
static void push_shared(lua_State *L, const ff_case *c, uint32_t ref)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, c->reach);
    if (lua_rawgeti(L, -1, ref) == LUA_TNIL) {
        lua_pop(L, 1);
        push_signal(L, c->session, ref);
        lua_pushvalue(L, -1);
        lua_rawseti(L, -3, ref);
    }
    lua_remove(L, -2);
}

static void push_list(lua_State *L, ff_case *c, uint32_t kind, const uint32_t *refs, uint32_t n, bool shared)
{
    ff_session *s = c->session;
    lua_newtable(L);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (s->evidence->signals[refs[i]].kind != kind)
            continue;
        if (!take_room(c, kept))
            break;
        s->given[refs[i]] = s->call;
        if (shared)
            push_shared(L, c, refs[i]);
        else
            push_signal(L, s, refs[i]);
        lua_rawseti(L, -2, ++kept);
    }
}

/* Pushes the list of one id; false: the rule did not declare it, and nothing is pushed. */
static bool push_list_of(lua_State *L, ff_case *c, ff_bytes id)
{
    const ff_correlation *cor = c->cor;
    const ff_session *s = c->session;
    for (uint32_t i = 0; i < cor->n_uses; i++)
        if (ff_equal(ff_kind_name(s->book, cor->uses[i]), id)) {
            push_list(L, c, cor->uses[i], c->group->refs, c->group->n, false);
            return true;
        }
    for (uint32_t i = 0; i < cor->n_reach; i++)
        if (ff_equal(ff_kind_name(s->book, cor->reach[i]), id)) {
            uint32_t from = s->first[cor->reach[i]];
            push_list(L, c, cor->reach[i], s->refs + from, s->first[cor->reach[i] + 1] - from, true);
            return true;
        }
    return false;
}

/* The case that the running call judges; a table of an earlier call that a rule kept is refused. */
static ff_case *case_at_hand(lua_State *L)
{
    ff_session *s = ff_lua_of(L)->session;
    if (!s || !s->at_hand || lua_tointeger(L, lua_upvalueindex(1)) != (lua_Integer)s->call)
        luaL_error(L, "the signals of a case that is over");
    return s->at_hand;
}

/* signals[id], when it is asked for the first time: what a rule does not look at costs nothing, and with thousands of
 * groups the lists of `reach` are most of the cost. */
static int list_on_demand(lua_State *L)
{
    ff_case *c = case_at_hand(L);
    ff_bytes id = { 0 };
    if (lua_type(L, 2) == LUA_TSTRING)
        id.p = lua_tolstring(L, 2, &id.n);
    if (!push_list_of(L, c, id)) {
        ff_lua_push_plain(L, 2);
        return luaL_error(L, "\"%s\" is named neither in uses nor in reach", lua_tostring(L, -1));
    }
    lua_pushvalue(L, 2);
    lua_pushvalue(L, -2);
    lua_rawset(L, 1);
    return 1;
}

/* pairs(signals) sees all of them. */
static int fill_lists(lua_State *L)
{
    const ff_case *c = case_at_hand(L);
    const ff_correlation *cor = c->cor;
    for (uint32_t i = 0; i < cor->n_uses + cor->n_reach; i++) {
        ff_bytes id = ff_kind_name(c->session->book, i < cor->n_uses ? cor->uses[i] : cor->reach[i - cor->n_uses]);
        lua_pushlstring(L, id.p, id.n);
        lua_gettable(L, 1);
        lua_settop(L, 1);
    }
    return 0;
}

static void set_method(lua_State *L, const char *name, lua_CFunction f, uint32_t call)
{
    lua_pushinteger(L, call);
    lua_pushcclosure(L, f, 1);
    lua_setfield(L, -2, name);
}

static void push_signals(lua_State *L, ff_case *c)
{
    c->room = FF_LUA_CASE;
    lua_createtable(L, 0, (int)(c->cor->n_uses + c->cor->n_reach));
    lua_createtable(L, 0, 2);
    set_method(L, "__index", list_on_demand, c->session->call);
    set_method(L, "__pairs", fill_lists, c->session->call);
    lua_setmetatable(L, -2);
}

void ff_case_push(lua_State *L, ff_case *c)
{
    const ff_group *g = c->group;
    lua_createtable(L, 0, 8);
    set_text(L, "scope", ff_str(ff_scope_name(c->cor->group)));
    lua_pushlstring(L, c->label.p ? c->label.p : "", c->label.n);
    lua_setfield(L, -2, "key");
    set_text(L, "host", g->host);
    if (c->cor->group == FF_SCOPE_GPU)
        set_text(L, "gpu", g->text);
    if (c->cor->group == FF_SCOPE_CONTAINER)
        set_text(L, "container", g->text);
    if (g->number != FF_NO_NUMBER)
        set_int(L, c->cor->group == FF_SCOPE_RANK ? "rank" : "pid", g->number);
    push_signals(L, c);
    lua_setfield(L, -2, "signals");
}

/* ---- order and gap ---- */

static const ff_signal *check_signal(lua_State *L, int index)
{
    const ff_session *s = ff_lua_of(L)->session;
    if (!s)
        luaL_error(L, "order and gap have a meaning only while judging");
    luaL_checktype(L, index, LUA_TTABLE);
    int whole = 0;
    lua_getfield(L, index, "ref");
    lua_Integer ref = lua_tointegerx(L, -1, &whole);
    lua_pop(L, 1);
    if (!whole || ref < 0 || ref >= (lua_Integer)s->evidence->n_signals || s->given[ref] != s->call)
        luaL_argerror(L, index, "not a signal of this case");
    return &s->evidence->signals[ref];
}

int ff_word_order(lua_State *L)
{
    const ff_signal *a = check_signal(L, 1), *b = check_signal(L, 2);
    ff_lua_charge(L, 20);
    switch (ff_signal_order(a, b)) {
    case FF_ORDER_BEFORE:
        lua_pushliteral(L, "before");
        break;
    case FF_ORDER_SAME:
        lua_pushliteral(L, "same");
        break;
    case FF_ORDER_AFTER:
        lua_pushliteral(L, "after");
        break;
    case FF_ORDER_UNKNOWN:
        lua_pushliteral(L, "unknown");
        break;
    }
    return 1;
}

/* gap(a, b): least distance in ns that the clocks allow, and whether they say anything at all. */
int ff_word_gap(lua_State *L)
{
    const ff_signal *a = check_signal(L, 1), *b = check_signal(L, 2);
    ff_lua_charge(L, 20);
    int64_t ns = 0;
    bool known = ff_signal_gap(a, b, &ns);
    lua_pushinteger(L, known ? ns : 0);
    lua_pushboolean(L, known);
    return 2;
}
