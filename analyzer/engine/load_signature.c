/* signature{...}: data only; no Lua runs while logs are scanned. */
#include "engine_private.h"

#include <stdlib.h>
#include <string.h>

#define NEEDLE_LEAST 4 /* a shorter literal stands in every other line */
#define NEEDLE_MOST 200
#define NEEDLES 64

static bool type_from_name(ff_bytes name, ff_field_type *out)
{
    for (int t = 0; t < FF_FIELD_TYPES; t++) {
        if (ff_equal(name, ff_str(ff_field_type_name((ff_field_type)t)))) {
            *out = (ff_field_type)t;
            return true;
        }
    }
    return false;
}

/* A quote, a backslash, a tab or a line end is written differently when a line is wrapped in JSON, and so is what is
 * not ASCII: such a needle would miss its line there. */
static const char *needle_fault(ff_bytes needle)
{
    if (needle.n < NEEDLE_LEAST)
        return "is shorter than 4 bytes";
    if (needle.n > NEEDLE_MOST)
        return "is longer than 200 bytes";
    for (size_t i = 0; i < needle.n; i++) {
        unsigned char c = (unsigned char)needle.p[i];
        if (c < ' ' || c > '~' || c == '"' || c == '\\')
            return "holds a quote, a backslash, a control byte or a byte that is not ASCII";
    }
    return NULL;
}

static void read_needles(ff_form *f, ff_signature *s)
{
    ff_form_texts(f, "needles", true, &s->needles, &s->n_needles);
    if (s->n_needles > NEEDLES)
        ff_form_refuse(f, "needles: more than %d", NEEDLES);
    for (uint32_t i = 0; i < s->n_needles; i++) {
        const char *fault = needle_fault(s->needles[i]);
        if (fault)
            ff_form_refuse(f, "needle \"%.*s\" %s", (int)s->needles[i].n, s->needles[i].p, fault);
    }
}

static int compare_decl(const void *a, const void *b)
{
    const ff_field_decl *x = a, *y = b;
    return ff_compare(x->name, y->name);
}

static void read_field(ff_form *part, ff_signature *s)
{
    if (lua_type(part->L, -2) != LUA_TSTRING || lua_type(part->L, -1) != LUA_TSTRING) {
        ff_form_refuse(part, "fields: each is name = \"type\"");
        return;
    }
    ff_bytes name = { 0 }, type = { 0 };
    name.p = lua_tolstring(part->L, -2, &name.n);
    type.p = lua_tolstring(part->L, -1, &type.n);
    ff_field_decl *d = &s->fields[s->n_fields];
    d->name = ff_arena_copy(&part->book->arena, name);
    if (type_from_name(type, &d->type))
        s->n_fields++;
    else
        ff_form_refuse(part, "field \"%.*s\": unknown type \"%.*s\"", (int)name.n, name.p, (int)type.n, type.p);
}

static void read_fields(ff_form *f, ff_signature *s)
{
    ff_form part;
    if (!ff_form_open_part(f, "fields", "fields.", &part))
        return;
    s->fields = FF_NEW_N(&f->book->arena, ff_field_decl, FF_MATCH_FIELDS);
    uint32_t seen = 0;
    lua_pushnil(part.L);
    while (lua_next(part.L, part.table)) {
        if (seen++ < FF_MATCH_FIELDS)
            read_field(&part, s);
        lua_pop(part.L, 1);
    }
    if (seen > FF_MATCH_FIELDS)
        ff_form_refuse(&part, "more than %d fields", FF_MATCH_FIELDS);
    qsort(s->fields, s->n_fields, sizeof *s->fields, compare_decl);
    ff_form_close_part(f, &part);
}

static bool has_field(const ff_signature *s, ff_bytes name)
{
    for (uint32_t i = 0; i < s->n_fields; i++)
        if (ff_equal(s->fields[i].name, name))
            return true;
    return false;
}

static void read_fold(ff_form *f, ff_signature *s)
{
    s->folds = ff_form_has(f, "fold");
    ff_form_texts(f, "fold", false, &s->fold, &s->n_fold);
    for (uint32_t i = 0; i < s->n_fold; i++)
        if (!has_field(s, s->fold[i]))
            ff_form_refuse(f, "fold: \"%.*s\" is not one of fields", (int)s->fold[i].n, s->fold[i].p);
}

static void check_template(ff_form *f, const char *key, ff_bytes text, const ff_signature *s, bool with_who)
{
    ff_bytes names[FF_MATCH_FIELDS + 16], unknown = { 0 };
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_fields; i++)
        names[n++] = s->fields[i].name;
    for (const char *const *w = ff_who_names; with_who && *w; w++)
        names[n++] = ff_str(*w);
    if (ff_template_unknown(text, names, n, &unknown))
        ff_form_refuse(f, "%s%s: {%.*s} is no field of this signature", f->path, key, (int)unknown.n, unknown.p);
}

static void read_says(ff_form *f, ff_signature *s, ff_bytes *cause)
{
    static const char *const keys[] = { "cause", "confidence", "scope", "severity", "summary", NULL };
    ff_form part;
    if (!ff_form_open_part(f, "says", "says.", &part))
        return;
    ff_form_keys(&part, keys);
    ff_form_text(&part, "cause", true, cause);
    FF_FORM_WORD(&part, "confidence", true, ff_confidence_from_name, &s->confidence);
    FF_FORM_WORD(&part, "scope", true, ff_scope_from_name, &s->scope);
    s->has_severity = ff_form_has(&part, "severity");
    FF_FORM_WORD(&part, "severity", false, ff_severity_from_name, &s->severity);
    ff_form_text(&part, "summary", false, &s->summary);
    check_template(&part, "summary", s->summary, s, true);
    ff_form_close_part(f, &part);
}

/* Those that were compiled into the program are tried when their samples are, not at each start. */
static void check_pattern(ff_form *f, const ff_signature *s, bool tried)
{
    ff_error error = { { 0 } };
    if (!tried && !f->bad && !ff_signature_compiles(s, &error))
        ff_form_refuse(f, "%s", error.text);
}

static bool meet_from_name(ff_bytes name, ff_meet *out)
{
    static const char *const names[] = { "", "comes", "leaves", "ahead", "behind" };
    for (unsigned i = 1; i < FF_COUNT(names); i++)
        if (ff_equal(name, ff_str(names[i]))) {
            *out = (ff_meet)i;
            return true;
        }
    return false;
}

static bool mark_from_name(ff_bytes name, ff_mark *out)
{
    if (ff_equal(name, FF_LIT("progress")))
        *out = FF_MARK_PROGRESS;
    else if (ff_equal(name, FF_LIT("start")))
        *out = FF_MARK_START;
    else if (ff_equal(name, FF_LIT("end")))
        *out = FF_MARK_END;
    else
        return false;
    return true;
}

int ff_word_signature(lua_State *L)
{
    static const char *const keys[] = { "id",     "stream", "needles", "nocase", "pattern", "fields", "match",
                                        "ignore", "says",   "fold",    "tells",  "marks",   "meets",  NULL };
    ff_form f = ff_form_open(L, "signature");
    ff_loader *l = ff_lua_of(L)->loader;
    ff_loaded_signature s = { .pack = l->pack, .sig = { .cause = FF_NONE, .file = f.file, .line = f.line } };
    ff_form_id(&f, true, &s.sig.id);
    ff_form_keys(&f, keys);
    ff_form_streams(&f, "stream", true, &s.sig.streams);
    read_needles(&f, &s.sig);
    ff_form_flag(&f, "nocase", &s.sig.nocase);
    FF_FORM_WORD(&f, "meets", false, meet_from_name, &s.sig.meets);
    FF_FORM_WORD(&f, "marks", false, mark_from_name, &s.sig.marks);
    ff_form_text(&f, "pattern", true, &s.sig.pattern);
    read_fields(&f, &s.sig);
    ff_form_texts(&f, "match", true, &s.sig.match, &s.sig.n_match);
    ff_form_texts(&f, "ignore", false, &s.sig.ignore, &s.sig.n_ignore);
    read_fold(&f, &s.sig);
    ff_form_text(&f, "tells", false, &s.sig.tells);
    check_template(&f, "tells", s.sig.tells, &s.sig, false);
    read_says(&f, &s.sig, &s.cause);
    check_pattern(&f, &s.sig, l->compiled);
    s.refused = f.bad;
    FF_PUSH(&l->signatures, s);
    return 0;
}
