/* The whole flow as two calls: what to look for is made once, then used for one bundle after the other. */
#ifndef FF_RUN_H
#define FF_RUN_H

#include "clock/clock.h"
#include "intake/intake.h"
#include "verdict/verdict.h"

typedef struct ff_kit_options {
    const char *const *rule_folders; /* after the built-in rules */
    uint32_t n_rule_folders;
    bool prefilter_off;    /* every line is looked at by every signature: slow, to test the needles */
    const char *cache_dir; /* of compiled literals; NULL = no cache */
} ff_kit_options;

typedef struct ff_kit { /* what to look for */
    ff_rulebook *rules;
    ff_matcher *matcher;
} ff_kit;

/* FF_FATAL: error is filled and nothing has to be closed. A rule of the user's that was refused is in
 * rules->problems. */
ff_status ff_kit_open(const ff_kit_options *options, ff_kit *out, ff_error *error);
void ff_kit_close(ff_kit *kit);

typedef struct ff_run_options {
    const char *const *inputs; /* one incident's evidence: folders, files, archives, "-" */
    uint32_t n_inputs;
    unsigned jobs;       /* threads; 0 = as many as there are cores */
    uint64_t most_bytes; /* unpacked in all; 0 = FF_CAP_TOTAL */
    void (*progress)(void *owner, uint64_t bytes,
                     ff_bytes member); /* may be NULL; one call at a time; bytes since the last */
    void *progress_owner;
} ff_run_options;

typedef struct ff_run { /* stays where it is: the report points into it */
    ff_arena arena;     /* everything below lives here */
    ff_evidence evidence;
    ff_clocks clocks;
    ff_report report;
} ff_run;

/* Reads the bundle and resolves its clocks; report stays empty. FF_FATAL: error is filled. ff_run_done in any case.
 */
ff_status ff_run_read(const ff_kit *kit, const ff_run_options *options, ff_run *run, ff_error *error);
/* The same, and then judges: fills the report. */
ff_status ff_run_bundle(const ff_kit *kit, const ff_run_options *options, ff_run *run, ff_error *error);
void ff_run_done(ff_run *run);

#endif
