/* Versions and variables as each rank or host says them: signals with the fields component and version, or variable
 * and value. */
#include "verdict_private.h"

#include <stdlib.h>

typedef FF_VEC(ff_setting) settings;

static ff_bytes field_text(const ff_signal *s, ff_bytes name, ff_arena *arena)
{
    for (uint32_t i = 0; i < s->n_fields; i++) {
        const ff_field *f = &s->fields[i];
        if (!ff_equal(f->name, name))
            continue;
        return f->s.n || f->is_float ? f->s : ff_arena_format(arena, "%lld", (long long)f->i);
    }
    return (ff_bytes){ 0 };
}

static bool has_field(const ff_signal *s, ff_bytes name)
{
    for (uint32_t i = 0; i < s->n_fields; i++)
        if (ff_equal(s->fields[i].name, name))
            return true;
    return false;
}

static int compare_settings(const void *left, const void *right)
{
    const ff_setting *a = left, *b = right;
    int order = ff_compare(a->name, b->name);
    order = order ? order : ff_compare(a->host, b->host);
    order = order ? order : (a->rank > b->rank) - (a->rank < b->rank);
    order = order ? order : ff_compare(a->value, b->value);
    return order ? order : (a->signal > b->signal) - (a->signal < b->signal);
}

static bool says_the_same(const ff_setting *a, const ff_setting *b)
{
    return a->rank == b->rank && ff_equal(a->name, b->name) && ff_equal(a->host, b->host) &&
           ff_equal(a->value, b->value);
}

static bool is_elsewhere(const ff_setting *a, const ff_setting *b)
{
    return a->rank != b->rank || !ff_equal(a->host, b->host);
}

/* "2.28.9" is also what names "2.28.9+cuda13.0" where the build is not said. */
static bool same_version(ff_bytes a, ff_bytes b)
{
    ff_bytes longer = a.n > b.n ? a : b, shorter = a.n > b.n ? b : a;
    return ff_starts(longer, shorter) && (longer.n == shorter.n || (shorter.n && longer.p[shorter.n] == '+'));
}

static bool same_value(ff_bytes a, ff_bytes b) { return ff_equal(a, b); }

/* One name's settings: does another place have another value? */
static void compare_places(ff_setting *at, uint32_t n, bool (*same)(ff_bytes, ff_bytes))
{
    bool one_value = true;
    for (uint32_t i = 1; i < n; i++)
        one_value = one_value && ff_equal(at[0].value, at[i].value);
    for (uint32_t i = 0; i < n && !one_value; i++)
        for (uint32_t k = 0; k < n && !at[i].differs; k++)
            at[i].differs = is_elsewhere(&at[i], &at[k]) && !same(at[i].value, at[k].value);
}

static ff_setting *finish(settings *all, uint32_t *n, bool (*same)(ff_bytes, ff_bytes), ff_arena *arena)
{
    ff_setting *at = FF_NEW_N(arena, ff_setting, (size_t)all->n + 1);
    if (all->n)
        qsort(all->at, all->n, sizeof *all->at, compare_settings);
    for (uint32_t i = 0; i < all->n && *n < FF_CAP_SETTINGS; i++)
        if (i == 0 || !says_the_same(&all->at[i - 1], &all->at[i]))
            at[(*n)++] = all->at[i];
    for (uint32_t i = 0, end = 0; i < *n; i = end) {
        while (end < *n && ff_equal(at[end].name, at[i].name))
            end++;
        compare_places(at + i, end - i, same);
    }
    ff_free(all->at);
    return at;
}

void ff_environment_build(const ff_case *c, ff_report *r)
{
    settings versions = { 0 }, variables = { 0 };
    for (uint32_t i = 0; i < c->evidence->n_signals; i++) {
        const ff_signal *s = &c->evidence->signals[i];
        ff_setting one = { .host = s->who.host, .rank = s->who.rank, .signal = i };
        if (has_field(s, FF_LIT("component")) && has_field(s, FF_LIT("version"))) {
            one.name = field_text(s, FF_LIT("component"), c->arena);
            one.value = field_text(s, FF_LIT("version"), c->arena);
            FF_PUSH(&versions, one);
        }
        if (has_field(s, FF_LIT("variable")) && has_field(s, FF_LIT("value"))) {
            one.name = field_text(s, FF_LIT("variable"), c->arena);
            one.value = field_text(s, FF_LIT("value"), c->arena);
            FF_PUSH(&variables, one);
        }
    }
    r->versions = finish(&versions, &r->n_versions, same_version, c->arena);
    r->variables = finish(&variables, &r->n_variables, same_value, c->arena);
}
