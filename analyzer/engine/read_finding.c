/* What judge(case) returned -> findings. A finding that does not hold (unknown cause, a signal that was not given, no
 * evidence) is refused alone, with a problem; the others of the call stand. */
#include "engine_private.h"

#include <stdlib.h>

#define FACTS 24
#define RANKS 100000

static int compare_fact(const void *a, const void *b)
{
    const ff_field *x = a, *y = b;
    return ff_compare(x->name, y->name);
}

/* ---- signals, by ref alone ---- */

static bool take_ref(ff_form *f, const ff_session *s, const char *key, lua_Integer i, uint32_t *out)
{
    int whole = 0;
    lua_Integer ref = -1;
    if (lua_istable(f->L, -1)) {
        lua_getfield(f->L, -1, "ref");
        ref = lua_tointegerx(f->L, -1, &whole);
        lua_pop(f->L, 1);
    }
    bool good = whole && ref >= 0 && ref < (lua_Integer)s->evidence->n_signals && s->given[ref] == s->call;
    if (good)
        *out = (uint32_t)ref;
    else
        ff_form_refuse(f, "%s%s: element %d is not a signal of this case", f->path, key, (int)i);
    return good;
}

static void read_refs(ff_form *f, const ff_session *s, const char *key, uint32_t **out, uint32_t *n)
{
    ff_form list;
    if (!ff_form_open_part(f, key, f->path, &list))
        return;
    lua_Integer length = (lua_Integer)lua_rawlen(f->L, list.table);
    if (length > (lua_Integer)FF_LUA_CASE) {
        ff_form_refuse(f, "%s%s: more than %u signals", f->path, key, FF_LUA_CASE);
        length = 0;
    }
    uint32_t *refs = FF_NEW_N(f->arena, uint32_t, (size_t)length + 1);
    uint32_t kept = 0;
    for (lua_Integer i = 1; i <= length; i++) {
        (void)lua_rawgeti(f->L, list.table, i);
        bool good = take_ref(f, s, key, i, &refs[kept]);
        lua_pop(f->L, 1);
        if (!good)
            break;
        kept++;
    }
    qsort(refs, kept, sizeof *refs, ff_compare_u32);
    *n = 0;
    for (uint32_t i = 0; i < kept; i++)
        if (*n == 0 || refs[*n - 1] != refs[i])
            refs[(*n)++] = refs[i];
    *out = refs;
    ff_form_close_part(f, &list);
}

/* ---- facts and ranks ---- */

static void read_fact(ff_form *f, ff_finding *out)
{
    ff_bytes name = { 0 }, text = { 0 };
    name.p = lua_tolstring(f->L, -2, &name.n);
    ff_field *fact = &out->facts[out->n_facts++];
    *fact = (ff_field){ .name = ff_arena_copy(f->arena, name), .type = FF_FIELD_TEXT };
    switch (lua_type(f->L, -1)) {
    case LUA_TSTRING:
        text.p = lua_tolstring(f->L, -1, &text.n);
        fact->s = ff_arena_copy(f->arena, ff_first_n(text, FF_CAP_EVIDENCE_TEXT));
        break;
    case LUA_TBOOLEAN:
        fact->s = lua_toboolean(f->L, -1) ? FF_LIT("true") : FF_LIT("false");
        break;
    case LUA_TNUMBER:
        if (lua_isinteger(f->L, -1)) {
            fact->type = FF_FIELD_INT;
            fact->i = lua_tointeger(f->L, -1);
            fact->s = ff_arena_format(f->arena, "%lld", (long long)fact->i);
        } else {
            fact->type = FF_FIELD_FLOAT;
            fact->is_float = true;
            fact->f = lua_tonumber(f->L, -1);
            fact->s = ff_arena_format(f->arena, "%.6g", fact->f);
        }
        break;
    default:
        ff_form_refuse(f, "%sfacts: a value is a %s", f->path, luaL_typename(f->L, -1));
        break;
    }
}

static void read_facts(ff_form *f, ff_finding *out)
{
    ff_form part;
    if (!ff_form_open_part(f, "facts", f->path, &part))
        return;
    out->facts = FF_NEW_N(f->arena, ff_field, FACTS);
    lua_pushnil(f->L);
    while (lua_next(f->L, part.table)) {
        if (lua_type(f->L, -2) != LUA_TSTRING || out->n_facts == FACTS) {
            ff_form_refuse(f, "%sfacts: at most %d names with values are wanted", f->path, FACTS);
            break;
        }
        read_fact(f, out);
        lua_pop(f->L, 1);
    }
    qsort(out->facts, out->n_facts, sizeof *out->facts, compare_fact);
    ff_form_close_part(f, &part);
}

static void read_ranks(ff_form *f, ff_finding *out)
{
    ff_form list;
    if (!ff_form_open_part(f, "ranks", f->path, &list))
        return;
    size_t n = (size_t)lua_rawlen(f->L, list.table);
    if (n > RANKS) {
        ff_form_refuse(f, "%sranks: more than %d", f->path, RANKS);
        n = 0;
    }
    out->ranks = FF_NEW_N(f->arena, int32_t, n + 1);
    for (size_t i = 0; i < n; i++) {
        int whole = 0;
        (void)lua_rawgeti(f->L, list.table, (lua_Integer)i + 1);
        lua_Integer rank = lua_tointegerx(f->L, -1, &whole);
        lua_pop(f->L, 1);
        if (whole && rank >= 0 && rank <= INT32_MAX)
            out->ranks[out->n_ranks++] = (int32_t)rank;
        else
            ff_form_refuse(f, "%sranks: element %zu is not a rank", f->path, i + 1);
    }
    qsort(out->ranks, out->n_ranks, sizeof *out->ranks, ff_compare_i32);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < out->n_ranks; i++)
        if (kept == 0 || out->ranks[kept - 1] != out->ranks[i])
            out->ranks[kept++] = out->ranks[i];
    out->n_ranks = kept;
    ff_form_close_part(f, &list);
}

/* ---- who ---- */

static bool agrees_text(ff_bytes said, ff_bytes signal) { return said.n == 0 || ff_equal(said, signal); }
static bool agrees_number(int32_t said, int32_t signal) { return said == FF_NO_NUMBER || said == signal; }

static bool agrees(const ff_who *said, const ff_who *signal)
{
    return agrees_text(said->host, signal->host) && agrees_text(said->gpu, signal->gpu) &&
           agrees_text(said->pod, signal->pod) && agrees_text(said->container, signal->container) &&
           agrees_number(said->rank, signal->rank) && agrees_number(said->pid, signal->pid);
}

static void override(ff_who *who, const ff_who *said)
{
    if (said->host.n > 0)
        who->host = said->host;
    if (said->gpu.n > 0)
        who->gpu = said->gpu;
    if (said->pod.n > 0)
        who->pod = said->pod;
    if (said->container.n > 0)
        who->container = said->container;
    if (said->process.n > 0)
        who->process = said->process;
    if (said->rank != FF_NO_NUMBER)
        who->rank = said->rank;
    if (said->pid != FF_NO_NUMBER)
        who->pid = said->pid;
}

/* The rest of who comes from the first signal that speaks of the same one: rank 0's log may say that rank 4 is
 * missing, and then rank 0's host is not the suspect. Without anything said, it is the first evidence. */
static ff_who who_of(const ff_session *s, const ff_finding *f, const ff_who *said)
{
    ff_who who = FF_WHO_NOBODY;
    for (uint32_t i = 0; i < f->n_evidence + f->n_symptoms; i++) {
        uint32_t ref = i < f->n_evidence ? f->evidence[i] : f->symptoms[i - f->n_evidence];
        if (!agrees(said, &s->evidence->signals[ref].who))
            continue;
        who = s->evidence->signals[ref].who;
        break;
    }
    override(&who, said);
    return who;
}

static ff_who read_who(ff_form *f)
{
    ff_who said = FF_WHO_NOBODY;
    int64_t number = 0;
    ff_form_text(f, "host", false, &said.host);
    ff_form_text(f, "gpu", false, &said.gpu);
    ff_form_text(f, "pod", false, &said.pod);
    ff_form_text(f, "container", false, &said.container);
    ff_form_text(f, "process", false, &said.process);
    if (ff_form_int(f, "rank", false, 0, INT32_MAX, &number))
        said.rank = (int32_t)number;
    if (ff_form_int(f, "pid", false, 0, INT32_MAX, &number))
        said.pid = (int32_t)number;
    return said;
}

/* ---- a finding ---- */

static void read_cause(ff_form *f, const ff_session *s, ff_finding *out)
{
    ff_bytes name = { 0 };
    ff_form_text(f, "cause", true, &name);
    if (name.n == 0)
        return;
    out->cause = ff_cause_find(s->book, name);
    if (out->cause == FF_NONE)
        ff_form_refuse(f, "%scause: unknown cause \"%.*s\"", f->path, (int)name.n, name.p);
    else
        out->severity = s->book->causes[out->cause].severity;
}

static void finish(const ff_case *c, const ff_who *said, ff_bytes summary, ff_finding *f)
{
    const ff_session *s = c->session;
    f->who = who_of(s, f, said);
    if (f->hosts && !said->host.n)
        f->who.host = (ff_bytes){ 0 };
    if (ff_finding_names_nobody(f) && said->rank == FF_NO_NUMBER)
        f->who.rank = FF_NO_NUMBER;
    if (f->n_ranks == 0 && f->who.rank != FF_NO_NUMBER && f->scope != FF_SCOPE_JOB && f->scope != FF_SCOPE_HOST) {
        f->ranks = FF_NEW(s->arena, int32_t);
        f->ranks[f->n_ranks++] = f->who.rank;
    }
    if (f->confidence_why.n == 0)
        f->confidence_why = ff_arena_format(s->arena, "%s by rule %.*s", ff_confidence_name(f->confidence),
                                            (int)f->rule.n, f->rule.p);
    f->summary = ff_summary_fill(s, summary.n > 0 ? summary : s->book->causes[f->cause].title, f->evidence[0], f);
}

static void read_finding(ff_form *f, const ff_case *c)
{
    static const char *const keys[] = { "cause", "confidence", "confidence_why", "severity", "scope",   "host",
                                        "hosts", "rank",       "ranks",          "gpu",      "pod",     "container",
                                        "pid",   "process",    "evidence",       "symptoms", "summary", "facts",
                                        "count", "lag",        "lead",           "echo",     "class",   NULL };
    ff_session *s = c->session;
    ff_finding out = { .rule = c->cor->id, .cause = FF_NONE, .scope = c->cor->group, .count = 1 };
    ff_bytes summary = { 0 };
    int64_t count = 1;
    ff_form_keys(f, keys);
    read_cause(f, s, &out);
    FF_FORM_WORD(f, "confidence", true, ff_confidence_from_name, &out.confidence);
    ff_form_text(f, "confidence_why", false, &out.confidence_why);
    FF_FORM_WORD(f, "severity", false, ff_severity_from_name, &out.severity);
    FF_FORM_WORD(f, "class", false, ff_class_from_name, &out.fault_class);
    ff_form_flag(f, "echo", &out.echo);
    FF_FORM_WORD(f, "scope", false, ff_scope_from_name, &out.scope);
    ff_who said = read_who(f);
    read_ranks(f, &out);
    ff_form_texts(f, "hosts", false, &out.hosts, &out.n_hosts);
    read_refs(f, s, "evidence", &out.evidence, &out.n_evidence);
    read_refs(f, s, "symptoms", &out.symptoms, &out.n_symptoms);
    ff_form_text(f, "summary", false, &summary);
    read_facts(f, &out);
    if (ff_form_int(f, "count", false, 1, UINT32_MAX, &count))
        out.count = (uint32_t)count;
    (void)ff_form_int(f, "lag", false, 0, INT64_MAX, &out.lag_ns);
    (void)ff_form_int(f, "lead", false, 0, INT64_MAX, &out.lead_ns);
    if (!f->bad && out.n_evidence == 0)
        ff_form_refuse(f, "%sevidence is empty", f->path);
    if (f->bad)
        return;
    finish(c, &said, summary, &out);
    ff_finding_add(s, &out);
}

void ff_finding_read(lua_State *L, const ff_case *c)
{
    ff_session *s = c->session;
    if (lua_isnil(L, -1))
        return; /* nothing found */
    ff_form f = { .L = L,
                  .book = s->book,
                  .arena = s->arena,
                  .file = c->cor->file,
                  .rule = c->cor->id,
                  .line = c->cor->line,
                  .path = "finding: " };
    if (!lua_istable(L, -1)) {
        ff_form_refuse(&f, "judge returned a %s; a list of findings is wanted", luaL_typename(L, -1));
        return;
    }
    luaL_checkstack(L, 40, NULL);
    int list = lua_gettop(L);
    lua_Integer n = (lua_Integer)lua_rawlen(L, list);
    if (n == 0 && (lua_pushnil(L), lua_next(L, list))) {
        lua_settop(L, list);
        ff_form_refuse(&f, "judge returned one table with keys; a list of findings is wanted");
        return;
    }
    if (n > (lua_Integer)FF_LUA_FINDINGS) {
        ff_form_refuse(&f, "judge returned more than %u findings for one group", FF_LUA_FINDINGS);
        n = FF_LUA_FINDINGS;
    }
    for (lua_Integer i = 1; i <= n; i++) {
        f.bad = false;
        f.table = list + 1;
        if (lua_rawgeti(L, list, i) == LUA_TTABLE)
            read_finding(&f, c);
        else
            ff_form_refuse(&f, "finding %d is a %s; a table is wanted", (int)i, luaL_typename(L, -1));
        lua_settop(L, list);
    }
}
