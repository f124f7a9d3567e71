#include "verdict_private.h"

static const char *const same_names[] = { "same job",  "same host", "same container", "same process",
                                          "same rank", "same GPU",  "another rank" };

const char *ff_same_name(ff_same same) { return same_names[same]; }

/* What follows from a victim is a victim, and nothing that follows from the cleaning up is more than that. */
ff_role ff_role_below(ff_role above, ff_role own) { return above > own && above != FF_ROLE_ROOT ? above : own; }

static ff_bytes text_of(const ff_case *c, ff_text *t)
{
    ff_bytes copy = ff_arena_copy(c->arena, ff_text_view(t));
    ff_text_done(t);
    return copy;
}

/* "F1 (a GPU has fallen off the bus) can bring it about (same job); begins 12 s later" */
ff_bytes ff_role_because(const ff_case *c, const ff_edge *e)
{
    const ff_group *from = &c->groups[e->from];
    const ff_finding *f = &c->findings[from->members[0]];
    ff_text t;
    ff_text_init(&t, 1024);
    ff_text_addf(&t, "F%u (", f->id + 1);
    ff_text_add(&t, ff_case_title(c, from->cause));
    if (e->named) {
        const ff_signal *s = ff_case_signal(c, e->signal);
        ff_text_adds(&t, ") names ");
        ff_text_add(&t, c->evidence->members[s->at.member].name);
        ff_text_addf(&t, ":%u as its symptom", s->at.line);
    } else {
        ff_text_addf(&t, ") can bring it about (%s)", same_names[e->same]);
    }
    if (e->proven && e->has_gap) {
        ff_text_adds(&t, e->gap_ns < FF_SECONDS(1) ? "; it began before, less than a second apart" : "; begins ");
        if (e->gap_ns >= FF_SECONDS(1)) {
            ff_text_add_span(&t, e->gap_ns);
            ff_text_adds(&t, " later");
        }
    } else if (!e->proven) {
        ff_text_adds(&t, "; the clocks allow it");
    }
    return text_of(c, &t);
}

static bool is_proven_after(const ff_case *c, uint32_t first, uint32_t other)
{
    ff_onset a = { 0 }, b = { 0 };
    ff_onset_add(&a, c->evidence, &c->findings[first]);
    ff_onset_add(&b, c->evidence, &c->findings[other]);
    return ff_onset_order(c->evidence, &a, &b) == FF_ORDER_BEFORE;
}

ff_role ff_role_again(const ff_case *c, uint32_t root, uint32_t other)
{
    uint32_t cause = c->findings[root].cause, entry = 0;
    if (!ff_case_leads(c, cause, cause, &entry) || !is_proven_after(c, root, other))
        return FF_ROLE_CONTRIBUTING;
    return c->rules->causes[cause].leads_to[entry].role;
}
