/* What the files of this folder share. Nobody else includes it. */
#ifndef FF_MATCH_PRIVATE_H
#define FF_MATCH_PRIVATE_H

#include "match.h"

/* ---- prefilter.c: literals -> databases -> hits ---- */
typedef struct ff_prefilter ff_prefilter;                 /* shared; databases are added under a lock */
typedef struct ff_prefilter_scratch ff_prefilter_scratch; /* one a thread */

/* Copies everything it needs out of needles. NULL: error is filled. */
ff_prefilter *ff_prefilter_open(const ff_needle *needles, uint32_t n, const ff_match_options *options,
                                ff_error *error);
void ff_prefilter_close(ff_prefilter *f);
ff_status ff_prefilter_prepare(ff_prefilter *f, uint32_t streams, ff_error *error);
ff_prefilter_scratch *ff_prefilter_scratch_open(ff_prefilter *f);
void ff_prefilter_scratch_close(ff_prefilter_scratch *s);
ff_status ff_prefilter_scan(ff_prefilter_scratch *s, uint32_t streams, ff_bytes run, const ff_hit **hits,
                            uint32_t *n);
const char *ff_prefilter_version(void); /* "5.4.9 2026-01-01" as the library says it */

/* ---- cache.c: blobs by key in a folder; whatever goes wrong means "not there" ---- */
/* out: owned by the caller, ff_free. Only a regular file of our own that nobody else may write is taken, and only
 * when its own digest fits. */
bool ff_cache_read(const char *dir, const char *key, char **out, size_t *n);
void ff_cache_write(const char *dir, const char *key, ff_bytes blob);

/* ---- pattern.c: PCRE2 ---- */
typedef struct ff_patterns ff_patterns;               /* shared; compiled on first use, under a lock */
typedef struct ff_pattern_scratch ff_pattern_scratch; /* one a thread */

ff_patterns *ff_patterns_open(const ff_signature *signatures, uint32_t n);
void ff_patterns_close(ff_patterns *p);
ff_pattern_scratch *ff_pattern_scratch_open(void);
void ff_pattern_scratch_close(ff_pattern_scratch *s);
/* unfit: NULL, or where to put the name of the first field whose text does not fit its type. */
bool ff_patterns_match(ff_patterns *p, ff_pattern_scratch *s, uint32_t sig, ff_bytes text, ff_field *fields,
                       uint32_t *n, bool *limit_hit, ff_bytes *unfit);
const char *ff_patterns_version(void);

#endif
