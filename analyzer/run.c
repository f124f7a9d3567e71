#include "run.h"

#include <string.h>

ff_status ff_kit_open(const ff_kit_options *options, ff_kit *out, ff_error *error)
{
    ff_kit kit = { 0 };
    ff_status status = ff_rulebook_load(options->rule_folders, options->n_rule_folders, false, &kit.rules, error);
    if (status != FF_OK)
        return status;
    ff_match_options match = { .prefilter_off = options->prefilter_off, .cache_dir = options->cache_dir };
    uint32_t n = 0;
    const ff_needle *needles = ff_intake_needles(kit.rules->n_signatures, &kit.rules->arena, &n);
    kit.matcher = ff_matcher_open(kit.rules->signatures, kit.rules->n_signatures, needles, n, &match, error);
    if (!kit.matcher) {
        ff_rulebook_free(kit.rules);
        return FF_FATAL;
    }
    *out = kit;
    return FF_OK;
}

void ff_kit_close(ff_kit *kit)
{
    ff_matcher_close(kit->matcher);
    ff_rulebook_free(kit->rules);
    *kit = (ff_kit){ 0 };
}

ff_status ff_run_read(const ff_kit *kit, const ff_run_options *options, ff_run *run, ff_error *error)
{
    *run = (ff_run){ 0 };
    ff_arena_init(&run->arena);
    ff_intake_options intake = { .inputs = options->inputs,
                                 .n_inputs = options->n_inputs,
                                 .jobs = options->jobs,
                                 .most_bytes = options->most_bytes,
                                 .first_signature_kind = FF_KIND_OF_SIGNATURE(0),
                                 .progress = options->progress,
                                 .progress_owner = options->progress_owner };
    ff_status status = ff_intake(&intake, kit->matcher, kit->rules->signatures, kit->rules->n_signatures, &run->arena,
                                 &run->evidence, error);
    if (status == FF_FATAL)
        return status;
    /* Hosts come first, as a clock belongs to one; clocks come before identity, as they sort and number the signals.
     */
    ff_layout_assign(&run->evidence, &run->arena);
    run->clocks = ff_clocks_resolve(&run->evidence, &run->arena);
    ff_skew_correct(&run->evidence, &run->clocks, kit->rules, &run->arena);
    return FF_OK;
}

ff_status ff_run_bundle(const ff_kit *kit, const ff_run_options *options, ff_run *run, ff_error *error)
{
    ff_status status = ff_run_read(kit, options, run, error);
    if (status != FF_OK)
        return status;
    ff_identity identity = ff_identify(&run->evidence, &run->arena);
    ff_sources sources = ff_sources_index(&run->evidence, &run->arena);
    ff_judged judged = ff_judge(kit->rules, &run->evidence, &run->clocks, ff_sources_present, &sources, &run->arena);
    run->report = ff_conclude(&run->evidence, &run->clocks, kit->rules, judged, identity, &run->arena);
    return FF_OK;
}

void ff_run_done(ff_run *run) { ff_arena_done(&run->arena); }
