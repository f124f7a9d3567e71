/* Literals -> lines worth a look, through Vectorscan; the only file that includes hs.h.
 *
 * One database for each set of streams that is asked for: a log of one kind is then not slowed by, nor falsely hit
 * for, the literals of the others. Block mode over a run of many lines is twice as fast as a call a line. Several
 * owners share one literal (a hundred Xid signatures all begin with the same words), so the database holds it once.
 */
#include "match_private.h"

#include <hs.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../base/digest.h"
#include "../base/text.h"

typedef struct want { /* an owner that waits for a literal */
    uint32_t slot, streams;
} want;

typedef struct literal {
    ff_bytes text; /* lower case when nocase */
    bool nocase;
    uint32_t streams;  /* of all that want it */
    uint32_t first, n; /* of wants */
} literal;

typedef struct database {
    uint32_t streams;
    hs_database_t *hs; /* NULL: no literal wants these streams */
    struct database *next;
} database;

struct ff_prefilter {
    ff_arena arena;
    literal *literals;
    want *wants;
    uint32_t *owners;        /* slot -> number, ascending */
    uint32_t *owner_streams; /* slot -> streams */
    uint32_t n_literals, n_owners;
    bool off;
    const char *cache_dir;
    database *databases; /* newest first; only ever added to, under lock */
    pthread_mutex_t lock;
};

struct ff_prefilter_scratch {
    ff_prefilter *filter;
    hs_scratch_t *hs;
    FF_VEC(const database *) known; /* found before: no lock, and scratch space is large enough */
    FF_VEC(ff_hit) hits;
    uint32_t *seen; /* slot -> number of the line it was last reported for */
    /* the line of the latest hit: */
    uint32_t line;
    size_t line_from, line_to;
    bool unsorted;
    ff_bytes run;
    uint32_t streams;
};

/* ---- set up ---- */

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static int compare_needle(const void *a, const void *b)
{
    const ff_needle *x = a, *y = b;
    if (x->nocase != y->nocase)
        return x->nocase ? 1 : -1;
    int by_text = ff_compare(x->literal, y->literal);
    return by_text != 0 ? by_text : (x->owner > y->owner) - (x->owner < y->owner);
}

static ff_needle *sorted_needles(ff_prefilter *f, const ff_needle *needles, uint32_t n)
{
    ff_needle *copy = FF_NEW_N(&f->arena, ff_needle, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        copy[i] = needles[i];
        char *p = ff_arena_take(&f->arena, needles[i].literal.n + 1);
        for (size_t k = 0; k < needles[i].literal.n; k++)
            p[k] = needles[i].nocase ? lower(needles[i].literal.p[k]) : needles[i].literal.p[k];
        copy[i].literal.p = p;
    }
    qsort(copy, n, sizeof *copy, compare_needle);
    return copy;
}

static void list_owners(ff_prefilter *f, const ff_needle *needles, uint32_t n)
{
    f->owners = FF_NEW_N(&f->arena, uint32_t, n + 1);
    f->owner_streams = FF_NEW_N(&f->arena, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++)
        f->owners[i] = needles[i].owner;
    qsort(f->owners, n, sizeof *f->owners, ff_compare_u32);
    for (uint32_t i = 0; i < n; i++)
        if (f->n_owners == 0 || f->owners[f->n_owners - 1] != f->owners[i])
            f->owners[f->n_owners++] = f->owners[i];
}

static uint32_t slot_of(const ff_prefilter *f, uint32_t owner)
{
    const uint32_t *at = bsearch(&owner, f->owners, f->n_owners, sizeof owner, ff_compare_u32);
    return (uint32_t)(at - f->owners);
}

static bool starts_literal(const ff_needle *sorted, uint32_t i)
{
    return i == 0 || sorted[i - 1].nocase != sorted[i].nocase || !ff_equal(sorted[i - 1].literal, sorted[i].literal);
}

static void list_literals(ff_prefilter *f, const ff_needle *sorted, uint32_t n)
{
    f->literals = FF_NEW_N(&f->arena, literal, n + 1);
    f->wants = FF_NEW_N(&f->arena, want, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        if (starts_literal(sorted, i))
            f->literals[f->n_literals++] =
                (literal){ .text = sorted[i].literal, .nocase = sorted[i].nocase, .first = i };
        literal *l = &f->literals[f->n_literals - 1];
        uint32_t slot = slot_of(f, sorted[i].owner);
        f->wants[i] = (want){ .slot = slot, .streams = sorted[i].streams };
        f->owner_streams[slot] |= sorted[i].streams;
        l->streams |= sorted[i].streams;
        l->n++;
    }
}

ff_prefilter *ff_prefilter_open(const ff_needle *needles, uint32_t n, const ff_match_options *options,
                                ff_error *error)
{
    if (hs_valid_platform() != HS_SUCCESS) {
        ff_fail(error, "searching for literals: this processor lacks the instructions that Vectorscan needs");
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (needles[i].literal.n == 0) {
            ff_fail(error, "searching for literals: owner %u has an empty needle", (unsigned)needles[i].owner);
            return NULL;
        }
    }
    ff_prefilter *f = ff_alloc(sizeof *f);
    *f = (ff_prefilter){ .off = options && options->prefilter_off };
    ff_arena_init(&f->arena);
    pthread_mutex_init(&f->lock, NULL);
    if (options && options->cache_dir)
        f->cache_dir = ff_arena_str(&f->arena, ff_str(options->cache_dir));
    list_owners(f, needles, n);
    list_literals(f, sorted_needles(f, needles, n), n);
    return f;
}

void ff_prefilter_close(ff_prefilter *f)
{
    if (!f)
        return;
    for (database *d = f->databases; d; d = d->next)
        hs_free_database(d->hs);
    pthread_mutex_destroy(&f->lock);
    ff_arena_done(&f->arena);
    ff_free(f);
}

/* ---- databases ---- */

typedef struct lit_set { /* the arguments of the compiler */
    const char **texts;
    unsigned *flags, *ids;
    size_t *lengths;
    unsigned n;
} lit_set;

static lit_set choose(ff_prefilter *f, uint32_t streams, ff_arena *arena)
{
    lit_set set = { .texts = FF_NEW_N(arena, const char *, f->n_literals + 1),
                    .flags = FF_NEW_N(arena, unsigned, f->n_literals + 1),
                    .ids = FF_NEW_N(arena, unsigned, f->n_literals + 1),
                    .lengths = FF_NEW_N(arena, size_t, f->n_literals + 1) };
    for (uint32_t i = 0; i < f->n_literals; i++) {
        if (!(f->literals[i].streams & streams))
            continue;
        set.texts[set.n] = f->literals[i].text.p;
        set.lengths[set.n] = f->literals[i].text.n;
        set.flags[set.n] = f->literals[i].nocase ? HS_FLAG_CASELESS : 0;
        set.ids[set.n++] = i;
    }
    return set;
}

/* A database is bound to the library and to the instructions of this processor; ids are numbers in the whole list, so
 * they belong to the key as well. */
static void cache_key(const lit_set *set, char *key, size_t size)
{
    hs_platform_info_t platform;
    memset(&platform, 0, sizeof platform);
    (void)hs_populate_platform(&platform);
    ff_text t;
    ff_text_init(&t, 0);
    ff_text_addf(&t, "firstfault prefilter 1\n%s\n%u %llu\n", hs_version(), platform.tune,
                 (unsigned long long)platform.cpu_features);
    for (unsigned i = 0; i < set->n; i++) {
        ff_text_addf(&t, "%u %u %zu ", set->ids[i], set->flags[i], set->lengths[i]);
        ff_text_add(&t, (ff_bytes){ set->texts[i], set->lengths[i] });
        ff_text_addc(&t, '\n');
    }
    uint8_t digest[32];
    char hex[65];
    ff_sha256(ff_text_view(&t), digest);
    ff_hex(digest, sizeof digest, hex);
    ff_text_done(&t);
    size_t n = size - 1 < 64 ? size - 1 : 64;
    memcpy(key, hex, n);
    key[n] = 0;
}

static hs_database_t *load(const char *dir, const char *key)
{
    char *blob = NULL;
    size_t n = 0;
    if (!ff_cache_read(dir, key, &blob, &n))
        return NULL;
    hs_database_t *hs = NULL;
    if (hs_deserialize_database(blob, n, &hs) != HS_SUCCESS)
        hs = NULL;
    ff_free(blob);
    return hs;
}

static void store(const char *dir, const char *key, const hs_database_t *hs)
{
    char *blob = NULL;
    size_t n = 0;
    if (hs_serialize_database(hs, &blob, &n) != HS_SUCCESS)
        return;
    ff_cache_write(dir, key, (ff_bytes){ blob, n });
    free(blob); /* the library's own allocation */
}

static ff_status compile(ff_prefilter *f, const lit_set *set, hs_database_t **out, ff_error *error)
{
    char key[65];
    if (f->cache_dir) {
        cache_key(set, key, sizeof key);
        *out = load(f->cache_dir, key);
        if (*out)
            return FF_OK;
    }
    hs_compile_error_t *why = NULL;
    if (hs_compile_lit_multi(set->texts, set->flags, set->ids, set->lengths, set->n, HS_MODE_BLOCK, NULL, out,
                             &why) != HS_SUCCESS) {
        ff_fail(error, "compiling %u literals: %s", set->n, why && why->message ? why->message : "no reason given");
        hs_free_compile_error(why);
        return FF_FATAL;
    }
    if (f->cache_dir)
        store(f->cache_dir, key, *out);
    return FF_OK;
}

static const database *database_find(ff_prefilter *f, uint32_t streams, ff_error *error)
{
    for (const database *d = f->databases; d; d = d->next)
        if (d->streams == streams)
            return d;
    ff_arena scratch;
    ff_arena_init(&scratch);
    lit_set set = choose(f, streams, &scratch);
    hs_database_t *hs = NULL;
    ff_status status = set.n > 0 ? compile(f, &set, &hs, error) : FF_OK;
    ff_arena_done(&scratch);
    if (status != FF_OK)
        return NULL;
    database *d = FF_NEW(&f->arena, database);
    *d = (database){ .streams = streams, .hs = hs, .next = f->databases };
    f->databases = d;
    return d;
}

static const database *database_get(ff_prefilter *f, uint32_t streams, ff_error *error)
{
    pthread_mutex_lock(&f->lock);
    const database *d = database_find(f, streams, error);
    pthread_mutex_unlock(&f->lock);
    return d;
}

ff_status ff_prefilter_prepare(ff_prefilter *f, uint32_t streams, ff_error *error)
{
    return f->off || database_get(f, streams, error) ? FF_OK : FF_FATAL;
}

/* ---- scanning ---- */

ff_prefilter_scratch *ff_prefilter_scratch_open(ff_prefilter *f)
{
    ff_prefilter_scratch *s = ff_alloc(sizeof *s);
    *s = (ff_prefilter_scratch){ .filter = f };
    s->seen = ff_alloc(sizeof *s->seen * ((size_t)f->n_owners + 1));
    memset(s->seen, 0, sizeof *s->seen * ((size_t)f->n_owners + 1));
    return s;
}

void ff_prefilter_scratch_close(ff_prefilter_scratch *s)
{
    if (!s)
        return;
    hs_free_scratch(s->hs);
    ff_free(s->known.at);
    ff_free(s->hits.at);
    ff_free(s->seen);
    ff_free(s);
}

static const database *database_known(ff_prefilter_scratch *s, uint32_t streams)
{
    for (uint32_t i = 0; i < s->known.n; i++)
        if (s->known.at[i]->streams == streams)
            return s->known.at[i];
    const database *d = database_get(s->filter, streams, NULL);
    if (!d || (d->hs && hs_alloc_scratch(d->hs, &s->hs) != HS_SUCCESS))
        return NULL;
    FF_PUSH(&s->known, d);
    return d;
}

int ff_hit_order(const void *a, const void *b)
{
    const ff_hit *x = a, *y = b;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return (x->owner > y->owner) - (x->owner < y->owner);
}

static void next_line_number(ff_prefilter_scratch *s)
{
    if (++s->line != 0)
        return;
    memset(s->seen, 0, sizeof *s->seen * ((size_t)s->filter->n_owners + 1)); /* wrapped round */
    s->line = 1;
}

/* Hits come in order of their ends, so looking for line ends costs one pass over the run at most. */
static void find_line(ff_prefilter_scratch *s, size_t last)
{
    size_t floor = last >= s->line_to ? s->line_to : 0;
    size_t from = last;
    while (from > floor && s->run.p[from - 1] != '\n')
        from--;
    const char *stop = memchr(s->run.p + last, '\n', s->run.n - last);
    s->line_from = from;
    s->line_to = stop ? (size_t)(stop - s->run.p) : s->run.n;
    next_line_number(s);
}

static int on_literal(unsigned id, unsigned long long from, unsigned long long to, unsigned flags, void *context)
{
    (void)from;
    (void)flags;
    ff_prefilter_scratch *s = context;
    const literal *l = &s->filter->literals[id];
    size_t last = (size_t)to - 1;
    if (last < s->line_from || last >= s->line_to)
        find_line(s, last);
    for (uint32_t i = 0; i < l->n; i++) {
        const want *w = &s->filter->wants[l->first + i];
        if (!(w->streams & s->streams) || s->seen[w->slot] == s->line)
            continue;
        s->seen[w->slot] = s->line;
        ff_hit hit = { .owner = s->filter->owners[w->slot], .end = (uint32_t)to };
        s->unsorted = s->unsorted || (s->hits.n > 0 && ff_hit_order(&s->hits.at[s->hits.n - 1], &hit) > 0);
        FF_PUSH(&s->hits, hit);
    }
    return 0;
}

static void hit_every_line(ff_prefilter_scratch *s)
{
    const ff_prefilter *f = s->filter;
    for (size_t at = 0; at < s->run.n;) {
        const char *stop = memchr(s->run.p + at, '\n', s->run.n - at);
        size_t end = stop ? (size_t)(stop - s->run.p) : s->run.n;
        for (uint32_t i = 0; end > at && i < f->n_owners; i++) {
            if (!(f->owner_streams[i] & s->streams))
                continue;
            ff_hit hit = { .owner = f->owners[i], .end = (uint32_t)end };
            FF_PUSH(&s->hits, hit);
        }
        at = end + 1;
    }
}

static ff_status scan_literals(ff_prefilter_scratch *s)
{
    const database *d = database_known(s, s->streams);
    if (!d)
        return FF_BAD;
    if (!d->hs)
        return FF_OK;
    s->line_from = s->line_to = 0;
    next_line_number(s);
    s->unsorted = false;
    if (hs_scan(d->hs, s->run.p, (unsigned)s->run.n, 0, s->hs, on_literal, s) != HS_SUCCESS)
        return FF_BAD;
    if (s->unsorted)
        qsort(s->hits.at, s->hits.n, sizeof *s->hits.at, ff_hit_order);
    return FF_OK;
}

ff_status ff_prefilter_scan(ff_prefilter_scratch *s, uint32_t streams, ff_bytes run, const ff_hit **hits, uint32_t *n)
{
    if (run.n > UINT32_MAX)
        return FF_BAD;
    s->hits.n = 0;
    s->run = run;
    s->streams = streams;
    ff_status status = FF_OK;
    if (run.n > 0 && s->filter->off)
        hit_every_line(s);
    else if (run.n > 0)
        status = scan_literals(s);
    if (status != FF_OK)
        return status;
    *hits = s->hits.at;
    *n = s->hits.n;
    return FF_OK;
}

const char *ff_prefilter_version(void) { return hs_version(); }
