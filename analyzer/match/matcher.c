/* Prefilter and patterns under one handle. */
#include "match_private.h"

#include <stdio.h>
#include <string.h>

struct ff_matcher {
    ff_prefilter *prefilter;
    ff_patterns *patterns;
    uint32_t n_signatures;
};

struct ff_scanner {
    ff_matcher *matcher;
    ff_prefilter_scratch *prefilter;
    ff_pattern_scratch *pattern;
};

typedef FF_VEC(ff_needle) needle_list;

static void add_signature_needles(const ff_signature *signatures, uint32_t n, needle_list *list)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < signatures[i].n_needles; k++) {
            ff_needle needle = { .literal = signatures[i].needles[k],
                                 .nocase = signatures[i].nocase,
                                 .streams = signatures[i].streams,
                                 .owner = i };
            FF_PUSH(list, needle);
        }
    }
}

ff_matcher *ff_matcher_open(const ff_signature *signatures, uint32_t n, const ff_needle *others, uint32_t n_others,
                            const ff_match_options *options, ff_error *error)
{
    needle_list list = { 0 };
    add_signature_needles(signatures, n, &list);
    for (uint32_t i = 0; i < n_others; i++)
        FF_PUSH(&list, others[i]);
    ff_prefilter *prefilter = ff_prefilter_open(list.at, list.n, options, error);
    ff_free(list.at);
    if (!prefilter)
        return NULL;
    ff_matcher *m = ff_alloc(sizeof *m);
    *m = (ff_matcher){ .prefilter = prefilter, .patterns = ff_patterns_open(signatures, n), .n_signatures = n };
    return m;
}

void ff_matcher_close(ff_matcher *m)
{
    if (!m)
        return;
    ff_prefilter_close(m->prefilter);
    ff_patterns_close(m->patterns);
    ff_free(m);
}

ff_status ff_matcher_prepare(ff_matcher *m, uint32_t streams, ff_error *error)
{
    return ff_prefilter_prepare(m->prefilter, streams, error);
}

ff_scanner *ff_scanner_open(ff_matcher *m, ff_error *error)
{
    ff_pattern_scratch *pattern = ff_pattern_scratch_open();
    if (!pattern) {
        ff_fail(error, "opening a scanner: no memory for match data");
        return NULL;
    }
    ff_scanner *s = ff_alloc(sizeof *s);
    *s = (ff_scanner){ .matcher = m, .prefilter = ff_prefilter_scratch_open(m->prefilter), .pattern = pattern };
    return s;
}

void ff_scanner_close(ff_scanner *s)
{
    if (!s)
        return;
    ff_prefilter_scratch_close(s->prefilter);
    ff_pattern_scratch_close(s->pattern);
    ff_free(s);
}

ff_status ff_scan_run(ff_scanner *s, uint32_t streams, ff_bytes run, const ff_hit **hits, uint32_t *n)
{
    return ff_prefilter_scan(s->prefilter, streams, run, hits, n);
}

bool ff_match_strict(ff_scanner *s, uint32_t sig, ff_bytes text, ff_field *fields, uint32_t *n, bool *limit_hit,
                     ff_bytes *unfit)
{
    if (limit_hit)
        *limit_hit = false;
    if (sig >= s->matcher->n_signatures)
        return false;
    return ff_patterns_match(s->matcher->patterns, s->pattern, sig, text, fields, n, limit_hit, unfit);
}

bool ff_match_one(ff_scanner *s, uint32_t sig, ff_bytes text, ff_field *fields, uint32_t *n, bool *limit_hit)
{
    return ff_match_strict(s, sig, text, fields, n, limit_hit, NULL);
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool contains_nocase(ff_bytes hay, ff_bytes needle)
{
    for (size_t i = 0; i + needle.n <= hay.n; i++) {
        size_t k = 0;
        while (k < needle.n && lower(hay.p[i + k]) == lower(needle.p[k]))
            k++;
        if (k == needle.n)
            return true;
    }
    return false;
}

bool ff_signature_has_needle(const ff_signature *s, ff_bytes text)
{
    for (uint32_t i = 0; i < s->n_needles; i++)
        if (s->nocase ? contains_nocase(text, s->needles[i]) : ff_contains(text, s->needles[i]))
            return true;
    return false;
}

const char *ff_match_library_version(void)
{
    static _Thread_local char text[96]; /* built from two libraries' own words; the same bytes at every call */
    ff_bytes scanner = ff_str(ff_prefilter_version()), number = { 0 };
    if (!ff_take_word(&scanner, &number)) /* the date of the build follows */
        number = FF_LIT("?");
    (void)snprintf(text, sizeof text, "vectorscan %.*s, pcre2 %s", (int)(number.n < 40 ? number.n : 40), number.p,
                   ff_patterns_version());
    return text;
}
