/* Roots of the same time and place that do not explain each other: named as rivals, with what would decide. */
#include "verdict_private.h"

#define MOST 16u

static bool is_rival(const ff_case *c, const ff_tree_of *own, const ff_tree_of *other)
{
    if (!own->same_time || !other->same_time || (own->failures && !other->failures))
        return false;
    const ff_place *a = &c->groups[own->roots[0]].place, *b = &c->groups[other->roots[0]].place;
    if (ff_places_of_two_jobs(a, b))
        return false;
    return ff_place_same(a, b, FF_SAME_HOST) != FF_NO || ff_place_same(a, b, FF_SAME_RANK) == FF_YES;
}

/* Sources that would show one of the causes, and that are missing where it would have been. */
static void add_missing(const ff_case *c, const ff_group *g, ff_set *missing)
{
    uint32_t streams = c->rules->causes[g->cause].settled_by;
    const ff_signal *first = ff_case_signal(c, g->first);
    ff_when at = first ? ff_when_of(first) : (ff_when){ 0 };
    for (unsigned bit = 0; bit < FF_STREAMS; bit++) {
        uint32_t stream = UINT32_C(1) << bit;
        if (!(streams & stream))
            continue;
        if (!g->place.hosts.n)
            ff_set_add(missing, ff_missing_text(c, (ff_bytes){ 0 }, stream, &at), c->arena);
        for (uint32_t h = 0; h < g->place.hosts.n && h < MOST; h++)
            ff_set_add(missing, ff_missing_text(c, g->place.hosts.at[h], stream, &at), c->arena);
    }
}

static bool is_ordered(const ff_case *c, const ff_group *a, const ff_group *b)
{
    return ff_onset_order(c->evidence, &a->onset, &b->onset) != FF_ORDER_UNKNOWN ||
           ff_onset_order(c->evidence, &b->onset, &a->onset) != FF_ORDER_UNKNOWN;
}

static ff_bytes decide(const ff_case *c, const ff_set *missing, bool ordered)
{
    if (!missing->n)
        return ordered
                   ? FF_LIT(
                         "nothing that could be collected: each has its own evidence and neither explains the other")
                   : FF_LIT("their order: logs of both with absolute times (journalctl -o short-iso-precise --utc)");
    ff_text t;
    ff_text_init(&t, 2048);
    for (uint32_t i = 0; i < missing->n; i++) {
        ff_text_adds(&t, i ? ", " : "");
        ff_text_add(&t, missing->at[i]);
    }
    ff_bytes copy = ff_arena_copy(c->arena, ff_text_view(&t));
    ff_text_done(&t);
    return copy;
}

void ff_rivals_find(const ff_case *c, ff_incident *in, const ff_tree_of *trees, uint32_t n, uint32_t own)
{
    ff_set missing = { 0 };
    bool ordered = true;
    const ff_group *root = &c->groups[trees[own].roots[0]];
    in->other_roots = FF_NEW_N(c->arena, uint32_t, MOST);
    for (uint32_t i = 0; i < n && in->n_other_roots < MOST; i++) {
        const ff_group *other = &c->groups[trees[i].roots[0]];
        if (i == own || !is_rival(c, &trees[own], &trees[i]))
            continue;
        in->other_roots[in->n_other_roots++] = other->members[0];
        ordered = ordered && is_ordered(c, root, other);
        add_missing(c, other, &missing);
    }
    if (!in->n_other_roots)
        return;
    add_missing(c, root, &missing);
    in->decide = decide(c, &missing, ordered);
}
