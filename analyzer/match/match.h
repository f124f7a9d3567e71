/* Signatures against text. Vectorscan (prefilter.c) proposes lines, PCRE2 (pattern.c) confirms and captures. */
#ifndef FF_MATCH_H
#define FF_MATCH_H

#include "../base/arena.h"
#include "../model.h"

typedef struct ff_field_decl {
    ff_bytes name;      /* a named group of the pattern */
    ff_field_type type;
} ff_field_decl;

/* Data of a `signature` in a rule file. Strings live as long as the rulebook. */
typedef enum ff_meet { /* what a line tells of the clock of its host, in the field commid or seconds */
    FF_MEET_NONE,
    FF_MEET_COMES,  /* to something that nobody leaves before all have come */
    FF_MEET_LEAVES,
    FF_MEET_AHEAD,  /* of true time, by seconds */
    FF_MEET_BEHIND
} ff_meet;
typedef enum ff_mark { FF_MARK_NONE, FF_MARK_PROGRESS, FF_MARK_START, FF_MARK_END } ff_mark; /* the job moves on; it starts (again); it ends well */

typedef struct ff_signature {
    ff_bytes id;
    uint32_t streams;
    ff_bytes *needles;  /* at least one of them stands in every line that can match; no quotes, backslashes, tabs, newlines */
    uint32_t n_needles;
    bool nocase;        /* needles and pattern ignore ASCII case */
    ff_bytes pattern;   /* PCRE2, on the payload of one record; ^ and $ are its ends (multi-line records: of any line) */
    ff_field_decl *fields;
    uint32_t n_fields;
    ff_bytes *fold;     /* capture names: lines that agree on all of them are kept as first, last and count */
    uint32_t n_fold;
    ff_meet meets;      /* what they tell of clocks */
    ff_mark marks;      /* what its lines say about the course of the job */
    bool folds;         /* fold was given (maybe empty: all lines are one) */
    ff_bytes tells;     /* time line text with {field}; empty: not on the time line by itself */
    /* says: */
    uint32_t cause;     /* FF_NONE: only material for correlations */
    ff_confidence confidence;
    ff_severity severity;
    bool has_severity;
    ff_scope scope;
    ff_bytes summary;   /* with {field} */
    ff_bytes *match, *ignore; /* samples */
    uint32_t n_match, n_ignore;
    ff_bytes file;
    uint32_t line;
} ff_signature;

typedef struct ff_needle { /* somebody who wants to see each line that holds a literal */
    ff_bytes literal;
    bool nocase;
    uint32_t streams;
    uint32_t owner;        /* number given back with the hit */
} ff_needle;

typedef struct ff_matcher ff_matcher;   /* shared, read-only after open */
typedef struct ff_scanner ff_scanner;   /* one a thread: scratch space, match data */

typedef struct ff_match_options {
    bool prefilter_off;    /* every line is a candidate of everybody: for tests of the needles */
    const char *cache_dir; /* NULL: no cache of compiled databases */
} ff_match_options;

/* Compiles the needles of signatures and of others (blocks). Signature i has owner number i; `others` bring their own
 * numbers, which must be >= n. Patterns are compiled on first use. NULL: error is filled. */
ff_matcher *ff_matcher_open(const ff_signature *signatures, uint32_t n, const ff_needle *others, uint32_t n_others,
                            const ff_match_options *options, ff_error *error);
void ff_matcher_close(ff_matcher *m);
/* Compiles the database for this set of streams now instead of at the first scan: for a clear error, and for time
 * measurements. Any thread. */
ff_status ff_matcher_prepare(ff_matcher *m, uint32_t streams, ff_error *error);
ff_scanner *ff_scanner_open(ff_matcher *m, ff_error *error);
void ff_scanner_close(ff_scanner *s);

typedef struct ff_hit {
    uint32_t owner;
    uint32_t end; /* offset behind the literal, in the run */
} ff_hit;
int ff_hit_order(const void *a, const void *b); /* two ff_hit, by end, then owner */

/* Literal hits of the owners that want any of `streams`, in a run of whole lines of at most 4 GiB; ordered by end, then
 * owner. An owner gets each line once, at the first of its literals there. With the prefilter off: one hit at the end of
 * each line that is not empty, for each owner.
 * hits: owned by the scanner until the next call. FF_BAD: the run could not be scanned (never for valid input). */
ff_status ff_scan_run(ff_scanner *s, uint32_t streams, ff_bytes run, const ff_hit **hits, uint32_t *n);

/* Tries signature sig on one payload. true: it matches; fields: n_fields of the declaration, in order, views into text
 * (a group that did not take part is left out: *n counts those present), except that a normalised one belongs to the
 * scanner until its next match. Captures that do not fit their type are left out. limit_hit: PCRE2 gave up at a limit. */
bool ff_match_one(ff_scanner *s, uint32_t sig, ff_bytes text, ff_field *fields, uint32_t *n, bool *limit_hit);
#define FF_MATCH_FIELDS 24 /* most fields of one signature */
/* The same; unfit (empty on entry) becomes the name of the first field whose text does not fit its type. */
bool ff_match_strict(ff_scanner *s, uint32_t sig, ff_bytes text, ff_field *fields, uint32_t *n, bool *limit_hit,
                     ff_bytes *unfit);

/* Is the pattern valid, and are its named groups exactly the declared fields? False: error is filled. */
bool ff_signature_compiles(const ff_signature *s, ff_error *error);
bool ff_signature_has_needle(const ff_signature *s, ff_bytes text);

/* Free-standing patterns for rule code: match(text, pattern). Compiled ones are kept on a small shelf, which belongs to
 * one thread. Captures by number, 0 is the whole match; at most max; *n = 0: no match. FF_BAD: the pattern is not valid
 * or gave up at its limit, and error says so. */
typedef struct ff_pattern_shelf ff_pattern_shelf;
ff_pattern_shelf *ff_pattern_shelf_open(void); /* NULL: out of memory */
void ff_pattern_shelf_close(ff_pattern_shelf *s);
typedef struct ff_capture { bool set; size_t from, to; } ff_capture;
ff_status ff_pattern_try(ff_pattern_shelf *shelf, ff_bytes pattern, ff_bytes text, ff_capture *captures, uint32_t max,
                         uint32_t *n, ff_error *error);

/* Fills value, text and type of one field from captured text; false: it does not fit the type. PCI addresses become
 * dddd:bb:dd; pod UIDs get dashes; container ids lose their scheme. out->s may be a new text in arena. */
bool ff_field_read(ff_field_type type, ff_bytes text, ff_arena *arena, ff_field *out);
/* Copies a who-typed field into who. */
void ff_field_into_who(const ff_field *f, ff_who *who);

const char *ff_match_library_version(void); /* "vectorscan 5.4.8, pcre2 10.42" */

#endif
