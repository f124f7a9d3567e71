/* Points that matter, in time order: evidence and symptoms of findings, and signals whose signature has words for
 * them. */
#include "verdict_private.h"

#include <stdlib.h>

#define QUOTE 200u /* bytes of a line shown where nothing better tells it */

typedef struct mark { /* best claim of a finding on a signal */
    uint32_t finding;
    bool evidence, first;
} mark;

/* Evidence beats symptom, what is no note beats a note, then the lower number. */
static void claim(const ff_case *c, mark *marks, uint32_t signal, mark own)
{
    mark *old = &marks[signal];
    if (old->finding != FF_NONE) {
        bool own_note = c->findings[own.finding].severity == FF_SEV_NOTE;
        bool old_note = c->findings[old->finding].severity == FF_SEV_NOTE;
        if (own_note != old_note ? own_note : own.evidence != old->evidence ? !own.evidence : own.first <= old->first)
            return;
    }
    *old = own;
}

static mark *mark_signals(const ff_case *c)
{
    mark *marks = ff_alloc(((size_t)c->evidence->n_signals + 1) * sizeof *marks);
    for (uint32_t s = 0; s < c->evidence->n_signals; s++)
        marks[s] = (mark){ .finding = FF_NONE };
    for (uint32_t i = 0; i < c->n_findings; i++) {
        const ff_finding *f = &c->findings[i];
        for (uint32_t k = 0; k < f->n_evidence; k++)
            claim(c, marks, f->evidence[k], (mark){ i, true, k == 0 });
        for (uint32_t k = 0; k < f->n_symptoms; k++)
            claim(c, marks, f->symptoms[k], (mark){ i, false, false });
    }
    return marks;
}

static ff_bytes told(const ff_case *c, const ff_signal *s)
{
    const ff_signature *signature = ff_kind_signature(c->rules, s->kind);
    if (!signature || !signature->tells.n)
        return (ff_bytes){ 0 };
    return ff_fill_template(signature->tells, s->fields, s->n_fields, c->arena);
}

static ff_bytes text_of(const ff_case *c, const ff_signal *s, const mark *m)
{
    if (m->finding != FF_NONE && m->first && c->findings[m->finding].summary.n)
        return c->findings[m->finding].summary;
    ff_bytes text = told(c, s);
    return text.n ? text : ff_first_n(ff_trim(s->quote), QUOTE);
}

static bool tells(const ff_case *c, const ff_signal *s)
{
    const ff_signature *signature = ff_kind_signature(c->rules, s->kind);
    return signature && signature->tells.n;
}

/* Takes signals in time order until the cap: what findings rest on in the first pass, the others in the second. */
static void choose(const ff_case *c, const mark *marks, bool *chosen)
{
    uint32_t n = 0;
    for (uint32_t s = 0; s < c->evidence->n_signals; s++) {
        chosen[s] = marks[s].finding != FF_NONE && n < FF_CAP_MOMENTS;
        n += chosen[s];
    }
    for (uint32_t s = 0; s < c->evidence->n_signals && n < FF_CAP_MOMENTS; s++) {
        if (chosen[s] || !tells(c, &c->evidence->signals[s]))
            continue;
        chosen[s] = true;
        n++;
    }
}

void ff_timeline_build(const ff_case *c, ff_report *r)
{
    uint32_t n = c->evidence->n_signals;
    mark *marks = mark_signals(c);
    bool *chosen = ff_alloc((size_t)n + 1);
    choose(c, marks, chosen);
    r->timeline = FF_NEW_N(c->arena, ff_moment, FF_CAP_MOMENTS);
    for (uint32_t s = 0; s < n; s++)
        if (chosen[s])
            r->timeline[r->n_timeline++] = (ff_moment){ .signal = s,
                                                        .finding = marks[s].finding,
                                                        .text = text_of(c, &c->evidence->signals[s], &marks[s]) };
    ff_free(chosen);
    ff_free(marks);
}
