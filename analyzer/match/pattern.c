/* PCRE2: does this line really match, and what are its parts; the only file that includes pcre2.h.
 *
 * Log text is hostile and rule packs are other people's: each match runs under limits, invalid UTF-8 is taken as text
 * that simply does not match there, and no pattern can reach outside its subject. JIT is used where the system allows
 * it. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "match_private.h"

#include <pcre2.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define MATCH_LIMIT 300000u  /* backtracking steps: a few milliseconds; a 64 KiB line needs about its length */
#define DEPTH_LIMIT 5000u    /* nested backtracking points of the interpreter */
#define HEAP_LIMIT_KIB 8192u /* of the interpreter */
#define JIT_STACK_FROM (32u << 10)
#define JIT_STACK_TO (512u << 10)
#define PATTERN_BYTES (16u << 10)
#define GROUPS 64u   /* capture groups of one pattern, the whole match among them */
#define SAME_NAME 4u /* groups that may share a name: one in each branch of an alternation */

typedef struct compiled {
    pcre2_code *code;                           /* NULL: refused; never matches */
    uint8_t groups[FF_MATCH_FIELDS][SAME_NAME]; /* of each field; 0 ends the list */
} compiled;

struct ff_patterns {
    const ff_signature *signatures;
    uint32_t n;
    _Atomic(compiled *) *at; /* filled on first use */
    pthread_mutex_t lock;
};

struct ff_pattern_scratch {
    pcre2_match_data *data;
    pcre2_match_context *context;
    pcre2_jit_stack *stack;
    ff_arena arena; /* normalised texts of the last match */
};

/* ---- compiling ---- */

static void explain(int code, size_t at, ff_error *error)
{
    PCRE2_UCHAR text[256];
    if (pcre2_get_error_message(code, text, sizeof text) < 0)
        text[0] = 0;
    ff_fail(error, "pattern is not valid at offset %zu: %s", at, (const char *)text);
}

static pcre2_code *compile(ff_bytes pattern, bool nocase, bool jit, ff_error *error)
{
    if (pattern.n == 0 || pattern.n > PATTERN_BYTES) {
        ff_fail(error, "pattern is %s", pattern.n == 0 ? "empty" : "longer than 16 KiB");
        return NULL;
    }
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    if (!context) {
        ff_fail(error, "pattern: out of memory");
        return NULL;
    }
    /* A progress bar writes "\r" in the middle of a line: what follows it begins a line for ^. */
    (void)pcre2_set_newline(context, PCRE2_NEWLINE_ANYCRLF);
    uint32_t options =
        PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_MULTILINE | PCRE2_DUPNAMES | PCRE2_NEVER_BACKSLASH_C;
    int code = 0;
    PCRE2_SIZE at = 0;
    pcre2_code *p =
        pcre2_compile((PCRE2_SPTR)pattern.p, pattern.n, options | (nocase ? PCRE2_CASELESS : 0), &code, &at, context);
    pcre2_compile_context_free(context);
    if (!p) {
        explain(code, at, error);
        return NULL;
    }
    uint32_t groups = 0;
    (void)pcre2_pattern_info(p, PCRE2_INFO_CAPTURECOUNT, &groups);
    if (groups >= GROUPS) {
        ff_fail(error, "pattern has %u groups, at most %u are allowed; use (?:...)", groups, GROUPS - 1);
        pcre2_code_free(p);
        return NULL;
    }
    if (jit)
        (void)pcre2_jit_compile(p, PCRE2_JIT_COMPLETE); /* no executable memory to be had: the interpreter does it */
    return p;
}

typedef struct name_table {
    const unsigned char *at;
    uint32_t n, entry;
} name_table;

static name_table names_of(const pcre2_code *code)
{
    name_table t = { 0 };
    (void)pcre2_pattern_info(code, PCRE2_INFO_NAMECOUNT, &t.n);
    (void)pcre2_pattern_info(code, PCRE2_INFO_NAMEENTRYSIZE, &t.entry);
    (void)pcre2_pattern_info(code, PCRE2_INFO_NAMETABLE, &t.at);
    return t;
}

/* An entry: group number in two bytes, the higher one first, then the terminated name. */
static ff_bytes name_at(name_table t, uint32_t i, uint8_t *group)
{
    const unsigned char *entry = t.at + (size_t)i * t.entry;
    *group = entry[1]; /* below GROUPS */
    return ff_str((const char *)entry + 2);
}

static uint32_t field_find(const ff_signature *s, ff_bytes name)
{
    for (uint32_t i = 0; i < s->n_fields; i++)
        if (ff_equal(s->fields[i].name, name))
            return i;
    return FF_NONE;
}

static bool map_group(const ff_signature *s, compiled *c, ff_bytes name, uint8_t group, ff_error *error)
{
    uint32_t field = field_find(s, name);
    if (field == FF_NONE) {
        ff_fail(error, "group \"%.*s\" of the pattern is not in fields", (int)name.n, name.p);
        return false;
    }
    for (uint32_t k = 0; k < SAME_NAME; k++) {
        if (c->groups[field][k] == 0) {
            c->groups[field][k] = group;
            return true;
        }
    }
    ff_fail(error, "more than %u groups of the pattern are named \"%.*s\"", SAME_NAME, (int)name.n, name.p);
    return false;
}

static bool map_fields(const ff_signature *s, compiled *c, ff_error *error)
{
    if (s->n_fields > FF_MATCH_FIELDS) {
        ff_fail(error, "more than %d fields", FF_MATCH_FIELDS);
        return false;
    }
    name_table names = names_of(c->code);
    for (uint32_t i = 0; i < names.n; i++) {
        uint8_t group = 0;
        ff_bytes name = name_at(names, i, &group);
        if (!map_group(s, c, name, group, error))
            return false;
    }
    for (uint32_t i = 0; i < s->n_fields; i++) {
        if (c->groups[i][0] == 0) {
            ff_fail(error, "field \"%.*s\" is not a named group of the pattern", (int)s->fields[i].name.n,
                    s->fields[i].name.p);
            return false;
        }
    }
    return true;
}

static bool compile_signature(const ff_signature *s, bool jit, compiled *c, ff_error *error)
{
    *c = (compiled){ .code = compile(s->pattern, s->nocase, jit, error) };
    if (!c->code)
        return false;
    if (map_fields(s, c, error))
        return true;
    pcre2_code_free(c->code);
    c->code = NULL;
    return false;
}

bool ff_signature_compiles(const ff_signature *s, ff_error *error)
{
    compiled c;
    if (!compile_signature(s, false, &c, error))
        return false;
    pcre2_code_free(c.code);
    return true;
}

/* ---- the patterns of all signatures ---- */

ff_patterns *ff_patterns_open(const ff_signature *signatures, uint32_t n)
{
    ff_patterns *p = ff_alloc(sizeof *p);
    *p = (ff_patterns){ .signatures = signatures, .n = n };
    p->at = ff_alloc(sizeof *p->at * ((size_t)n + 1));
    for (uint32_t i = 0; i < n; i++)
        atomic_init(&p->at[i], NULL);
    pthread_mutex_init(&p->lock, NULL);
    return p;
}

void ff_patterns_close(ff_patterns *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->n; i++) {
        compiled *c = atomic_load(&p->at[i]);
        if (c)
            pcre2_code_free(c->code);
        ff_free(c);
    }
    pthread_mutex_destroy(&p->lock);
    ff_free(p->at);
    ff_free(p);
}

static const compiled *pattern_get(ff_patterns *p, uint32_t sig)
{
    compiled *c = atomic_load_explicit(&p->at[sig], memory_order_acquire);
    if (c)
        return c;
    pthread_mutex_lock(&p->lock);
    c = atomic_load_explicit(&p->at[sig], memory_order_relaxed);
    if (!c) {
        c = ff_alloc(sizeof *c);
        (void)compile_signature(&p->signatures[sig], true, c, NULL); /* the rulebook has refused bad ones before */
        atomic_store_explicit(&p->at[sig], c, memory_order_release);
    }
    pthread_mutex_unlock(&p->lock);
    return c;
}

/* ---- matching ---- */

ff_pattern_scratch *ff_pattern_scratch_open(void)
{
    ff_pattern_scratch *s = ff_alloc(sizeof *s);
    *s = (ff_pattern_scratch){ .data = pcre2_match_data_create(GROUPS, NULL),
                               .context = pcre2_match_context_create(NULL),
                               .stack = pcre2_jit_stack_create(JIT_STACK_FROM, JIT_STACK_TO, NULL) };
    ff_arena_init(&s->arena);
    if (!s->data || !s->context) {
        ff_pattern_scratch_close(s);
        return NULL;
    }
    (void)pcre2_set_match_limit(s->context, MATCH_LIMIT);
    (void)pcre2_set_depth_limit(s->context, DEPTH_LIMIT);
    (void)pcre2_set_heap_limit(s->context, HEAP_LIMIT_KIB);
    if (s->stack)
        pcre2_jit_stack_assign(s->context, NULL, s->stack);
    return s;
}

void ff_pattern_scratch_close(ff_pattern_scratch *s)
{
    if (!s)
        return;
    pcre2_match_data_free(s->data);
    pcre2_match_context_free(s->context);
    pcre2_jit_stack_free(s->stack);
    ff_arena_done(&s->arena);
    ff_free(s);
}

typedef enum outcome { NO_MATCH, MATCH, GAVE_UP } outcome;

static outcome run(const pcre2_code *code, ff_pattern_scratch *s, ff_bytes text)
{
    const char *p = text.p ? text.p : "";
    int rc = pcre2_match(code, (PCRE2_SPTR)p, text.n, 0, 0, s->data, s->context);
    if (rc > 0)
        return MATCH;
    bool limit = rc == PCRE2_ERROR_MATCHLIMIT || rc == PCRE2_ERROR_DEPTHLIMIT || rc == PCRE2_ERROR_HEAPLIMIT ||
                 rc == PCRE2_ERROR_JIT_STACKLIMIT || rc == PCRE2_ERROR_NOMEMORY || rc == PCRE2_ERROR_RECURSELOOP;
    return limit ? GAVE_UP : NO_MATCH;
}

/* False: the group took no part. \K and look-behind can put a start behind its end. */
static bool group_text(ff_pattern_scratch *s, uint32_t group, ff_bytes text, ff_bytes *out)
{
    if (group >= GROUPS)
        return false;
    const PCRE2_SIZE *at = pcre2_get_ovector_pointer(s->data);
    PCRE2_SIZE from = at[2 * group], to = at[2 * group + 1];
    if (from == PCRE2_UNSET || to == PCRE2_UNSET || from > to || to > text.n)
        return false;
    *out = (ff_bytes){ text.p ? text.p + from : "", to - from };
    return true;
}

static bool field_text(const compiled *c, uint32_t field, ff_pattern_scratch *s, ff_bytes text, ff_bytes *out)
{
    for (uint32_t k = 0; k < SAME_NAME && c->groups[field][k] != 0; k++)
        if (group_text(s, c->groups[field][k], text, out))
            return true;
    return false;
}

bool ff_patterns_match(ff_patterns *p, ff_pattern_scratch *s, uint32_t sig, ff_bytes text, ff_field *fields,
                       uint32_t *n, bool *limit_hit, ff_bytes *unfit)
{
    const compiled *c = pattern_get(p, sig);
    outcome got = c->code ? run(c->code, s, text) : NO_MATCH;
    if (limit_hit)
        *limit_hit = got == GAVE_UP;
    if (got != MATCH)
        return false;
    ff_arena_reset(&s->arena);
    const ff_signature *signature = &p->signatures[sig];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < signature->n_fields; i++) {
        ff_bytes part;
        if (!field_text(c, i, s, text, &part))
            continue;
        fields[kept].name = signature->fields[i].name;
        if (ff_field_read(signature->fields[i].type, part, &s->arena, &fields[kept]))
            kept++;
        else if (unfit && unfit->n == 0)
            *unfit = signature->fields[i].name;
    }
    *n = kept;
    return true;
}

/* ---- patterns of rule code ---- */

#define SHELF 64u
#define RULE_PATTERN_BYTES 4096u

typedef struct shelved {
    uint64_t hash;
    ff_bytes text; /* own copy */
    pcre2_code *code;
} shelved;

struct ff_pattern_shelf {
    shelved at[SHELF];
    uint32_t n, next; /* next: the place that is used again when all are taken */
    ff_pattern_scratch *scratch;
};

ff_pattern_shelf *ff_pattern_shelf_open(void)
{
    ff_pattern_shelf *s = ff_alloc(sizeof *s);
    memset(s, 0, sizeof *s);
    s->scratch = ff_pattern_scratch_open();
    if (s->scratch)
        return s;
    ff_free(s);
    return NULL;
}

static void shelved_done(shelved *s)
{
    pcre2_code_free(s->code);
    char *own = NULL;
    memcpy(&own, &s->text.p, sizeof own);
    ff_free(own);
}

void ff_pattern_shelf_close(ff_pattern_shelf *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->n; i++)
        shelved_done(&s->at[i]);
    ff_pattern_scratch_close(s->scratch);
    ff_free(s);
}

static const pcre2_code *shelf_get(ff_pattern_shelf *s, ff_bytes pattern, ff_error *error)
{
    uint64_t hash = ff_hash(pattern);
    for (uint32_t i = 0; i < s->n; i++)
        if (s->at[i].hash == hash && ff_equal(s->at[i].text, pattern))
            return s->at[i].code;
    pcre2_code *code = compile(pattern, false, true, error);
    if (!code)
        return NULL;
    uint32_t place = s->n < SHELF ? s->n++ : s->next++ % SHELF;
    shelved_done(&s->at[place]);
    char *copy = ff_alloc(pattern.n);
    memcpy(copy, pattern.p, pattern.n);
    s->at[place] = (shelved){ .hash = hash, .text = { copy, pattern.n }, .code = code };
    return code;
}

ff_status ff_pattern_try(ff_pattern_shelf *shelf, ff_bytes pattern, ff_bytes text, ff_capture *captures, uint32_t max,
                         uint32_t *n, ff_error *error)
{
    if (pattern.n > RULE_PATTERN_BYTES) {
        ff_fail(error, "pattern is longer than %u bytes", RULE_PATTERN_BYTES);
        return FF_BAD;
    }
    const pcre2_code *code = shelf_get(shelf, pattern, error);
    if (!code)
        return FF_BAD;
    outcome got = run(code, shelf->scratch, text);
    if (got == GAVE_UP) {
        ff_fail(error, "pattern gave up at its limit");
        return FF_BAD;
    }
    uint32_t groups = 0;
    (void)pcre2_pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &groups);
    uint32_t count = got == MATCH ? (groups + 1 < max ? groups + 1 : max) : 0;
    for (uint32_t i = 0; i < count; i++) {
        ff_bytes part = { 0 };
        captures[i].set = group_text(shelf->scratch, i, text, &part);
        captures[i].from = captures[i].set && text.p ? (size_t)(part.p - text.p) : 0;
        captures[i].to = captures[i].from + part.n;
    }
    *n = count;
    return FF_OK;
}

const char *ff_patterns_version(void)
{
#define TEXT_OF(x) #x
#define VERSION_TEXT(major, minor) TEXT_OF(major) "." TEXT_OF(minor)
    return VERSION_TEXT(PCRE2_MAJOR, PCRE2_MINOR);
}
