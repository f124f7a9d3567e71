/* Findings into groups: what happened once, though several rules or several lines say so. */
#include "verdict_private.h"

#include <stdlib.h>

#define TOGETHER FF_MINUTES(10) /* findings of one cause on one host this close are one thing that happened */
#define LOOK_BACK 64u           /* groups of the same cause that a finding is compared with */

#define VISIBLE                                                                                                      \
    ((uint32_t)(FF_STREAM_APP | FF_STREAM_NCCL | FF_STREAM_RECORDER | FF_STREAM_SLURM | FF_STREAM_K8S |              \
                FF_STREAM_RUNTIME))

#define WORDS_READ 16u /* findings of a group whose words are compared with another's */

typedef struct draft { /* a group while it grows */
    ff_group group;
    ff_numbers members;
} draft;
typedef FF_VEC(draft) drafts;

static bool is_visible(const ff_case *c, const ff_finding *f)
{
    for (uint32_t i = 0; i < f->n_evidence; i++)
        if (c->evidence->signals[f->evidence[i]].stream & VISIBLE)
            return true;
    return false;
}

static draft draft_of(const ff_case *c, uint32_t finding)
{
    const ff_finding *f = &c->findings[finding];
    draft d = { .group = { .cause = f->cause, .echo = f->echo, .first = FF_NONE, .first_evidence = FF_NONE } };
    d.group.visible = is_visible(c, f);
    ff_place_add(&d.group.place, c->evidence, c->identity, f, c->arena);
    ff_onset_add(&d.group.onset, c->evidence, f);
    return d;
}

/* The same but for numbers: pids, sizes and request ids differ from attempt to attempt. */
static bool says_the_same(ff_bytes a, ff_bytes b)
{
    size_t i = 0, k = 0;
    for (;; i++, k++) {
        while (i < a.n && ff_is_digit(a.p[i]))
            i++;
        while (k < b.n && ff_is_digit(b.p[k]))
            k++;
        if (i == a.n || k == b.n || a.p[i] != b.p[k])
            return i == a.n && k == b.n;
    }
}

/* What a program did in one attempt is not what it did in the next, unless both say the same: then it came back. */
static bool is_of_other_attempt(const ff_case *c, const draft *into, const draft *one, const ff_finding *f)
{
    if (!ff_case_cause(c, f->cause)->varied || !into->group.visible || !one->group.visible)
        return false;
    for (uint32_t i = 0; i < into->members.n && i < WORDS_READ; i++)
        if (says_the_same(c->findings[into->members.at[i]].summary, f->summary))
            return false;
    return ff_attempts_differ(c, &into->group.onset, &one->group.onset);
}

static bool belongs(const ff_case *c, const draft *into, const draft *one, const ff_finding *f)
{
    ff_answer host = ff_place_same(&into->group.place, &one->group.place, FF_SAME_HOST);
    bool nowhere = !into->group.place.hosts.n && !one->group.place.hosts.n;
    int64_t apart = 0;
    if (into->group.cause != one->group.cause || into->group.echo != one->group.echo ||
        (host != FF_YES && !nowhere) || ff_places_of_two_jobs(&into->group.place, &one->group.place))
        return false;
    return (!ff_onset_apart(c->evidence, &into->group.onset, &one->group.onset, &apart) || apart <= TOGETHER) &&
           !is_of_other_attempt(c, into, one, f);
}

static void add(ff_case *c, draft *into, uint32_t finding)
{
    const ff_finding *f = &c->findings[finding];
    ff_group *g = &into->group;
    if (into->members.n) {
        ff_place_add(&g->place, c->evidence, c->identity, f, c->arena);
        ff_onset_add(&g->onset, c->evidence, f);
    }
    FF_PUSH(&into->members, finding);
    if (f->severity > g->severity)
        g->severity = f->severity;
    if (f->confidence > g->confidence)
        g->confidence = f->confidence;
    g->visible = g->visible || is_visible(c, f);
}

static bool holds(const ff_finding *f, uint32_t signal)
{
    for (uint32_t k = 0; k < f->n_evidence; k++)
        if (f->evidence[k] == signal)
            return true;
    for (uint32_t k = 0; k < f->n_symptoms; k++)
        if (f->symptoms[k] == signal)
            return true;
    return false;
}

/* Two signatures may know one line: it is the line that both rest on. */
static bool holds_line(const ff_case *c, const ff_finding *f, uint32_t signal)
{
    const ff_record *at = &c->evidence->signals[signal].at;
    for (uint32_t k = 0; k < f->n_evidence; k++) {
        const ff_record *own = &c->evidence->signals[f->evidence[k]].at;
        if (own->member == at->member && own->line == at->line && own->offset == at->offset)
            return true;
    }
    return holds(f, signal);
}

static bool overlaps(const ff_case *c, const ff_finding *a, const ff_finding *b)
{
    for (uint32_t k = 0; k < a->n_evidence; k++)
        if (holds_line(c, b, a->evidence[k]))
            return true;
    for (uint32_t k = 0; k < a->n_symptoms; k++)
        if (holds(b, a->symptoms[k]))
            return true;
    return false;
}

/* Which of two findings about one thing speaks for it: the surer one, then the one with more evidence. */
static bool speaks_better(const ff_finding *a, const ff_finding *b)
{
    if (a->confidence != b->confidence)
        return a->confidence > b->confidence;
    return a->n_evidence > b->n_evidence;
}

/* The group is spoken for by the finding that owns its first signal, or by a better one that shares signals with
 * that. */
static void put_leader_first(const ff_case *c, ff_group *g)
{
    uint32_t owner = 0;
    while (owner + 1 < g->n_members && !holds(&c->findings[g->members[owner]], g->first))
        owner++;
    uint32_t leader = owner;
    for (uint32_t i = 0; i < g->n_members; i++)
        if (speaks_better(&c->findings[g->members[i]], &c->findings[g->members[leader]]) &&
            overlaps(c, &c->findings[g->members[i]], &c->findings[g->members[owner]]))
            leader = i;
    uint32_t finding = g->members[leader];
    for (; leader > 0; leader--)
        g->members[leader] = g->members[leader - 1];
    g->members[0] = finding;
}

static int by_first_signal(const void *left, const void *right)
{
    const ff_group *a = left, *b = right;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->members[0] > b->members[0]) - (a->members[0] < b->members[0]);
}

/* Of the earliest run among those that no clock tells apart. */
static uint32_t of_earliest_run(const ff_case *c, uint32_t ref, const uint32_t *list, uint32_t n)
{
    for (uint32_t i = 0; i < n && ref != FF_NONE; i++)
        if (ff_is_of_later_run(c, &c->evidence->signals[list[i]], &c->evidence->signals[ref]))
            ref = list[i];
    return ref;
}

static void take_over(ff_case *c, drafts *all)
{
    c->groups = FF_NEW_N(c->arena, ff_group, (size_t)all->n + 1);
    c->n_groups = all->n;
    for (uint32_t i = 0; i < all->n; i++) {
        ff_group *g = &c->groups[i];
        *g = all->at[i].group;
        g->n_members = all->at[i].members.n;
        g->members = FF_NEW_N(c->arena, uint32_t, g->n_members);
        for (uint32_t k = 0; k < g->n_members; k++)
            g->members[k] = all->at[i].members.at[k];
        const ff_onset *o = &g->onset;
        g->first = of_earliest_run(c, ff_onset_first(c->evidence, o), o->signs, o->n_signs);
        g->first_evidence = of_earliest_run(c, ff_onset_first_evidence(c->evidence, o), o->evidence, o->n_evidence);
        put_leader_first(c, g);
        ff_free(all->at[i].members.at);
    }
    ff_free(all->at);
    qsort(c->groups, c->n_groups, sizeof *c->groups, by_first_signal);
    for (uint32_t i = 0; i < c->n_groups; i++)
        for (uint32_t k = 0; k < c->groups[i].n_members; k++)
            c->group_of[c->groups[i].members[k]] = i;
}

/* Lines that another finding knows the meaning of are no unexplained failure. */
static bool *known_lines(const ff_case *c)
{
    bool *known = FF_NEW_N(c->arena, bool, (size_t)c->evidence->n_signals + 1);
    for (uint32_t i = 0; i < c->n_findings; i++) {
        const ff_finding *f = &c->findings[i];
        for (uint32_t k = 0; k < f->n_evidence && f->cause != c->unknown && f->severity > FF_SEV_NOTE && !f->echo;
             k++)
            known[f->evidence[k]] = true;
    }
    return known;
}

static bool is_said_elsewhere(const ff_case *c, const bool *known, const ff_finding *f)
{
    uint32_t i = 0;
    while (i < f->n_evidence && known[f->evidence[i]])
        i++;
    return f->cause == c->unknown && i == f->n_evidence;
}

static bool is_judged(const ff_case *c, const bool *known, const ff_finding *f)
{
    return f->severity > FF_SEV_NOTE && f->cause != c->healthy && f->n_evidence && !is_said_elsewhere(c, known, f);
}

static void place_finding(ff_case *c, drafts *all, uint32_t finding)
{
    draft one = draft_of(c, finding);
    uint32_t into = all->n, seen = 0;
    for (uint32_t k = all->n; k > 0 && seen < LOOK_BACK && into == all->n; k--) {
        if (all->at[k - 1].group.cause != one.group.cause || all->at[k - 1].group.echo != one.group.echo)
            continue;
        seen++;
        if (belongs(c, &all->at[k - 1], &one, &c->findings[finding]))
            into = k - 1;
    }
    if (into == all->n && all->n == FF_CAP_GROUPS)
        return;
    if (into == all->n)
        FF_PUSH(all, one);
    add(c, &all->at[into], finding);
}

void ff_group_findings(ff_case *c)
{
    drafts all = { 0 };
    const bool *known = known_lines(c);
    c->group_of = FF_NEW_N(c->arena, uint32_t, (size_t)c->n_findings + 1);
    for (uint32_t i = 0; i < c->n_findings; i++)
        c->group_of[i] = FF_NONE;
    for (uint32_t i = 0; i < c->n_findings; i++) /* failures first: warnings must not use up the cap */
        if (is_judged(c, known, &c->findings[i]) && c->findings[i].severity >= FF_SEV_ERROR)
            place_finding(c, &all, i);
    for (uint32_t i = 0; i < c->n_findings; i++)
        if (is_judged(c, known, &c->findings[i]) && c->findings[i].severity < FF_SEV_ERROR)
            place_finding(c, &all, i);
    take_over(c, &all);
}
