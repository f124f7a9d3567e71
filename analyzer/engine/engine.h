/* Rules: Lua files in, findings out. The only stage that knows Lua. */
#ifndef FF_ENGINE_H
#define FF_ENGINE_H

#include "../cause.h"
#include "../match/match.h"
#include "../../parsers/parser.h"

typedef struct ff_pack { /* one set of rules: the built-in one, or a folder of the user's */
    ff_bytes name, version;
    uint8_t sha256[32];
    uint32_t n_signatures, n_correlations, n_causes;
} ff_pack;

typedef struct ff_rule_problem { /* a rule that was refused or that failed while judging; the others go on */
    ff_bytes file, rule, text;
    uint32_t line;
} ff_rule_problem;

typedef struct ff_correlation {
    ff_bytes id, file;
    uint32_t line;
    uint32_t needs;        /* streams without which a rule that has no signal is "not judged" */
    ff_scope group;
    uint32_t *uses, *reach; /* kinds */
    uint32_t n_uses, n_reach;
    int judge;             /* reference inside the Lua state */
} ff_correlation;

typedef struct ff_rulebook {
    ff_arena arena;
    struct ff_lua *lua;
    ff_signature *signatures;   uint32_t n_signatures;
    ff_correlation *correlations; uint32_t n_correlations;
    ff_cause *causes;           uint32_t n_causes;
    ff_pack *packs;             uint32_t n_packs;
    ff_rule_problem *problems;  uint32_t n_problems;
} ff_rulebook;

/* Signal kinds: 0 .. FF_FACTS-1 are facts, then the signatures. */
#define FF_KIND_OF_SIGNATURE(i) ((uint32_t)FF_FACTS + (i))
ff_bytes ff_kind_name(const ff_rulebook *b, uint32_t kind);
uint32_t ff_kind_find(const ff_rulebook *b, ff_bytes name);   /* FF_NONE when there is none */
const ff_signature *ff_kind_signature(const ff_rulebook *b, uint32_t kind); /* NULL for a fact */
uint32_t ff_cause_find(const ff_rulebook *b, ff_bytes id);    /* FF_NONE when there is none */

/* Loads the built-in pack, then each folder (all *.lua below it, in name order). A broken rule of a user's pack is a
 * problem in the list; strict: FF_FATAL, and the samples of users' packs are tried as well. Broken built-in rules, and a
 * folder that cannot be read, are FF_FATAL. */
ff_status ff_rulebook_load(const char *const *folders, uint32_t n_folders, bool strict, ff_rulebook **out,
                           ff_error *error);
void ff_rulebook_free(ff_rulebook *b);
/* The same with other built-in rules (a list that a NULL name ends, with its own rules/prelude.lua): for tests. */
struct ff_embedded;
ff_status ff_rulebook_load_from(const struct ff_embedded *builtin, const char *const *folders, uint32_t n_folders,
                                bool strict, ff_rulebook **out, ff_error *error);

/* Checks every match and ignore sample of every signature: needles, pattern, captures, types. Problems are added to the
 * list. Returns how many were found. */
uint32_t ff_rulebook_check(ff_rulebook *b);

/* Tells of each needle that stands in a line that logs are full of while all is well, and that its pattern then refuses:
 * each such line is taken apart for nothing. */
typedef void (*ff_slow_teller)(void *owner, const ff_signature *sig, ff_bytes needle, ff_bytes line);
void ff_rulebook_slow(const ff_rulebook *b, ff_slow_teller tell, void *owner);

typedef struct ff_judged {
    ff_finding *findings;
    uint32_t n;
    struct ff_not_judged { ff_bytes rule, group; uint32_t missing; } *not_judged; /* missing: streams */
    uint32_t n_not_judged;
} ff_judged;

/* Signals in ref order, clocks and who resolved. present(ctx, host, streams): does the bundle hold a source of one of
 * these streams for that host (empty host: for any)? Everything returned lives in arena. */
ff_judged ff_judge(ff_rulebook *b, const ff_evidence *evidence, const ff_clocks *clocks,
                   bool (*present)(const void *ctx, ff_bytes host, uint32_t streams), const void *ctx,
                   ff_arena *arena);

/* "{usage_kib} of {limit_kib}" with the fields of a signal. {name:kib} prints a KiB number as a size,
 * {name:span} nanoseconds as a duration; a name that is not among the fields gives "?". */
ff_bytes ff_fill_template(ff_bytes text, const ff_field *fields, uint32_t n, ff_arena *arena);

#endif
