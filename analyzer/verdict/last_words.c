/* How the job's output ends counts where nothing else does: beside a failure that is known it would say the same once
 * more in words that nobody understood, and a line that another finding knows, were it a note, is understood. */
#include "verdict_private.h"

static bool is_last_words(const ff_finding *f, uint32_t unknown) { return f->echo && f->cause == unknown; }

static bool stands_in(const ff_evidence *e, const uint32_t *refs, uint32_t n, const ff_signal *s)
{
    for (uint32_t i = 0; i < n; i++) {
        const ff_signal *other = &e->signals[refs[i]];
        if (other->at.member == s->at.member && other->at.line <= s->at.line && s->at.line <= other->last_at.line &&
            (other->at.line == s->at.line || other->last_at.line == s->at.line))
            return true;
    }
    return false;
}

static bool is_known_line(const ff_evidence *e, const ff_judged *judged, uint32_t unknown, const ff_signal *s)
{
    for (uint32_t i = 0; i < judged->n; i++) {
        const ff_finding *f = &judged->findings[i];
        if (!is_last_words(f, unknown) &&
            (stands_in(e, f->evidence, f->n_evidence, s) || stands_in(e, f->symptoms, f->n_symptoms, s)))
            return true;
    }
    return false;
}

void ff_drop_last_words(const ff_evidence *e, uint32_t unknown, uint32_t healthy, ff_judged *judged)
{
    bool explained = false;
    for (uint32_t i = 0; i < judged->n; i++) {
        const ff_finding *f = &judged->findings[i];
        explained = explained || (f->severity > FF_SEV_NOTE && f->cause != healthy && !is_last_words(f, unknown));
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < judged->n; i++) {
        const ff_finding *f = &judged->findings[i];
        bool known = is_last_words(f, unknown) && explained;
        for (uint32_t k = 0; k < f->n_evidence && !known && is_last_words(f, unknown); k++)
            known = is_known_line(e, judged, unknown, &e->signals[f->evidence[k]]);
        if (!known)
            judged->findings[kept++] = *f;
    }
    judged->n = kept;
}
