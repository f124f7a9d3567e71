/* One finding for what happened at once. A rule that collects all lines of a
 * GPU or a host may put last week's beside today's: each time is a finding of
 * its own, so that what came before is not taken for the beginning of this. */
#include "verdict_private.h"

#define ANOTHER_TIME FF_HOURS(12) /* a silence this long between two lines of one finding */
#define MOST_PARTS 32u

static bool may_split(const ff_rulebook *rules, const ff_finding *f)
{
    bool slow = f->cause < rules->n_causes && ff_equal(rules->causes[f->cause].fault_class, FF_LIT("slow"));
    return f->severity >= FF_SEV_ERROR && f->n_evidence > 1 && !slow;
}

static bool is_another_time(const ff_evidence *e, uint32_t before, uint32_t after)
{
    int64_t gap = 0;
    ff_signal last = ff_signal_last(&e->signals[before]); /* of folded lines the last one counts */
    return ff_signal_gap(&last, &e->signals[after], &gap) && gap > ANOTHER_TIME;
}

/* A symptom belongs to the times that it may be near to. */
static bool is_near(const ff_evidence *e, const ff_finding *part, uint32_t symptom)
{
    for (uint32_t i = 0; i < part->n_evidence; i++) {
        int64_t gap = 0;
        if (!ff_signal_gap(&e->signals[part->evidence[i]], &e->signals[symptom], &gap) || gap <= ANOTHER_TIME)
            return true;
    }
    return false;
}

static ff_finding part_of(const ff_evidence *e, const ff_finding *f, uint32_t from, uint32_t to, ff_arena *arena)
{
    ff_finding part = *f;
    ff_text t;
    part.evidence = f->evidence + from;
    part.n_evidence = to - from;
    part.count = part.n_evidence;
    part.symptoms = FF_NEW_N(arena, uint32_t, (size_t)f->n_symptoms + 1);
    part.n_symptoms = 0;
    for (uint32_t i = 0; i < f->n_symptoms; i++)
        if (is_near(e, &part, f->symptoms[i]))
            part.symptoms[part.n_symptoms++] = f->symptoms[i];
    ff_text_init(&t, 2048);
    ff_text_add(&t, f->summary);
    ff_text_addf(&t, "; %u of %u lines, at another time than the others", part.n_evidence, f->n_evidence);
    part.summary = ff_arena_copy(arena, ff_text_view(&t));
    ff_text_done(&t);
    return part;
}

ff_judged ff_findings_split(const ff_evidence *e, const ff_rulebook *rules, ff_judged judged, ff_arena *arena)
{
    FF_VEC(ff_finding) all = { 0 };
    for (uint32_t i = 0; i < judged.n; i++) {
        const ff_finding *f = &judged.findings[i];
        uint32_t from = 0, parts = 0;
        for (uint32_t k = 1; k < f->n_evidence && may_split(rules, f) && parts + 1 < MOST_PARTS; k++) {
            if (!is_another_time(e, f->evidence[k - 1], f->evidence[k]))
                continue;
            FF_PUSH(&all, part_of(e, f, from, k, arena));
            from = k;
            parts++;
        }
        if (parts)
            FF_PUSH(&all, part_of(e, f, from, f->n_evidence, arena));
        else
            FF_PUSH(&all, *f);
    }
    judged.findings = FF_NEW_N(arena, ff_finding, (size_t)all.n + 1);
    judged.n = all.n;
    for (uint32_t i = 0; i < all.n; i++)
        judged.findings[i] = all.at[i];
    ff_free(all.at);
    return judged;
}
