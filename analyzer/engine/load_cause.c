/* cause{...}: what a cause is called, what it can bring about, what would show it, what to do. */
#include "engine_private.h"

#define LINKS 128

bool ff_class_from_name(ff_bytes name, ff_bytes *out)
{
    static const char *const classes[] = { "init", "desync", "stall", "slow", "lost" };
    if (ff_equal(name, FF_LIT("n/a")))
        return true;
    for (size_t i = 0; i < FF_COUNT(classes); i++) {
        if (ff_equal(name, ff_str(classes[i]))) {
            *out = ff_str(classes[i]);
            return true;
        }
    }
    return false;
}

static bool same_from_name(ff_bytes name, ff_same *out)
{
    static const char *const names[] = { "job", "host", "cgroup", "process", "rank", "gpu", "other_rank" };
    for (size_t i = 0; i < FF_COUNT(names); i++) {
        if (ff_equal(name, ff_str(names[i]))) {
            *out = (ff_same)i;
            return true;
        }
    }
    return false;
}

static bool role_from_name(ff_bytes name, ff_role *out)
{
    static const struct {
        const char *name;
        ff_role role;
    } roles[] = { { "symptom", FF_ROLE_SYMPTOM }, { "victim", FF_ROLE_VICTIM }, { "teardown", FF_ROLE_TEARDOWN } };
    for (size_t i = 0; i < FF_COUNT(roles); i++) {
        if (ff_equal(name, ff_str(roles[i].name))) {
            *out = roles[i].role;
            return true;
        }
    }
    return false;
}

/* Element i of the list on top of the stack as a form of its own; false: refused. */
static bool open_element(ff_form *f, int list, lua_Integer i, const char *key, const char *path, ff_form *part)
{
    if (lua_rawgeti(f->L, list, i) == LUA_TTABLE) {
        *part = *f;
        part->table = lua_gettop(f->L);
        part->path = path;
        return true;
    }
    ff_form_refuse(f, "%s: element %d is a %s; a table is wanted", key, (int)i, luaL_typename(f->L, -1));
    lua_pop(f->L, 1);
    return false;
}

static ff_bytes positional(ff_form *part)
{
    ff_bytes b = { 0 };
    if (lua_rawgeti(part->L, part->table, 1) == LUA_TSTRING)
        b.p = lua_tolstring(part->L, -1, &b.n);
    b = ff_arena_copy(&part->book->arena, b);
    lua_pop(part->L, 1);
    return b;
}

static void take_positional_away(ff_form *part)
{
    lua_pushnil(part->L);
    lua_rawseti(part->L, part->table, 1);
}

static void read_link(ff_form *part, ff_leads_to *link)
{
    static const char *const keys[] = { "same", "within", "role", NULL };
    *link = (ff_leads_to){ .role = FF_ROLE_SYMPTOM, .cause = positional(part) };
    if (link->cause.n == 0)
        ff_form_refuse(part, "leads_to: each begins with the id of a cause, or class.*");
    take_positional_away(part); /* what is left must be keys */
    ff_form_keys(part, keys);
    FF_FORM_WORD(part, "same", true, same_from_name, &link->same);
    (void)ff_form_int(part, "within", true, 0, INT64_MAX, &link->within_ns);
    FF_FORM_WORD(part, "role", false, role_from_name, &link->role);
}

const char *const ff_request_names[] = { "host", "from", "to",        "pod",  "container", "pid", "cgroup",
                                         "pci",  "port", "interface", "peer", "job",       NULL };

static void check_names(ff_form *part, ff_bytes command)
{
    ff_bytes names[16], unknown = { 0 };
    uint32_t n = 0;
    for (const char *const *name = ff_request_names; *name; name++)
        names[n++] = ff_str(*name);
    if (ff_template_unknown(command, names, n, &unknown))
        ff_form_refuse(part, "%scommand: {%.*s} is nothing that a request can be told", part->path, (int)unknown.n,
                       unknown.p);
}

static void read_request(ff_form *part, ff_request *r)
{
    static const char *const keys[] = { "stream", "command", "why", NULL };
    ff_form_keys(part, keys);
    ff_form_streams(part, "stream", true, &r->stream);
    ff_form_text(part, "command", true, &r->command);
    ff_form_text(part, "why", true, &r->why);
    check_names(part, r->command);
}

static uint32_t list_length(ff_form *f, const char *key)
{
    size_t n = (size_t)lua_rawlen(f->L, -1);
    if (n <= LINKS)
        return (uint32_t)n;
    ff_form_refuse(f, "%s: more than %d", key, LINKS);
    return 0;
}

static void read_links(ff_form *f, ff_cause *c)
{
    ff_form list, part;
    if (!ff_form_open_part(f, "leads_to", "leads_to.", &list))
        return;
    uint32_t n = list_length(&list, "leads_to");
    c->leads_to = FF_NEW_N(&f->book->arena, ff_leads_to, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        if (!open_element(&list, list.table, (lua_Integer)i + 1, "leads_to", "leads_to.", &part))
            continue;
        read_link(&part, &c->leads_to[c->n_leads_to++]);
        ff_form_close_part(&list, &part);
    }
    ff_form_close_part(f, &list);
}

static void read_requests(ff_form *f, ff_cause *c)
{
    ff_form list, part;
    if (!ff_form_open_part(f, "requests", "requests.", &list))
        return;
    uint32_t n = list_length(&list, "requests");
    c->requests = FF_NEW_N(&f->book->arena, ff_request, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        if (!open_element(&list, list.table, (lua_Integer)i + 1, "requests", "requests.", &part))
            continue;
        read_request(&part, &c->requests[c->n_requests++]);
        ff_form_close_part(&list, &part);
    }
    ff_form_close_part(f, &list);
}

/* "unknown" and "healthy" are the two verdicts that have no class of their own. */
static bool is_bare(ff_bytes id) { return ff_equal(id, FF_LIT("unknown")) || ff_equal(id, FF_LIT("healthy")); }

static void read_cause_id(ff_form *f, ff_bytes *id)
{
    ff_bytes bare = { 0 };
    if (lua_getfield(f->L, f->table, "id") == LUA_TSTRING)
        bare.p = lua_tolstring(f->L, -1, &bare.n);
    bool dotted = !is_bare(bare);
    lua_pop(f->L, 1);
    ff_form_id(f, dotted, id);
}

int ff_word_cause(lua_State *L)
{
    static const char *const keys[] = { "id",         "class",     "title",    "severity", "rank",     "leads_to",
                                        "settled_by", "ruled_out", "requests", "act",      "verify",   "avoid",
                                        "save",       "recovery",  "compares", "varied",   "presumes", NULL };
    ff_form f = ff_form_open(L, "cause");
    ff_loader *l = ff_lua_of(L)->loader;
    ff_loaded_cause c = { .pack = l->pack, .file = f.file, .line = f.line, .cause = { .severity = FF_SEV_ERROR } };
    int64_t rank = 50;
    read_cause_id(&f, &c.cause.id);
    ff_form_keys(&f, keys);
    FF_FORM_WORD(&f, "class", false, ff_class_from_name, &c.cause.fault_class);
    ff_form_flag(&f, "compares", &c.cause.compares);
    ff_form_flag(&f, "varied", &c.cause.varied);
    ff_form_text(&f, "title", true, &c.cause.title);
    FF_FORM_WORD(&f, "severity", false, ff_severity_from_name, &c.cause.severity);
    (void)ff_form_int(&f, "rank", false, 0, 99, &rank);
    c.cause.rank = (uint32_t)rank;
    read_links(&f, &c.cause);
    ff_form_streams(&f, "settled_by", false, &c.cause.settled_by);
    ff_form_streams(&f, "presumes", false, &c.cause.presumes);
    ff_form_text(&f, "ruled_out", false, &c.cause.ruled_out);
    read_requests(&f, &c.cause);
    ff_form_texts(&f, "act", false, &c.cause.act, &c.cause.n_act);
    ff_form_texts(&f, "verify", false, &c.cause.verify, &c.cause.n_verify);
    ff_form_texts(&f, "avoid", false, &c.cause.avoid, &c.cause.n_avoid);
    ff_form_texts(&f, "save", false, &c.cause.save, &c.cause.n_save);
    ff_form_text(&f, "recovery", false, &c.cause.recovery);
    c.refused = f.bad;
    FF_PUSH(&l->causes, c);
    return 0;
}
