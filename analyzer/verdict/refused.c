/* Links that were considered and do not hold: what a cause declares, and the places, the clocks or another link
 * disprove. Who reads a verdict asks "why not that one?", and this is the answer. */
#include "verdict_private.h"

#include <stdlib.h>

#define ROOTS_READ 8u    /* groups of one root that are asked about */
#define CANDIDATES 4096u /* links of one incident that are compared; further ones are counted */
#define NAMES_TOLD 3u    /* hosts, GPUs ... of one place */

const char *ff_refusal_name(ff_refusal r)
{
    static const char *const names[] = {
        "", "place", "job", "order", "delay", "attempt", "run", "opposite", "circle"
    };
    return names[r];
}

typedef struct candidate {
    ff_edge edge;
    ff_refusal why;
    uint32_t order; /* lower is told first */
} candidate;

typedef struct search {
    const ff_case *c;
    const uint32_t *owner;
    uint32_t own;
    FF_VEC(candidate) found;
    uint32_t n_all;
} search;

/* ---- what disproves it, in words ---- */
static void add_names(ff_text *t, const char *kind, const ff_set *s)
{
    for (uint32_t i = 0; i < s->n && i < NAMES_TOLD; i++) {
        ff_text_adds(t, i ? ", " : kind);
        ff_text_add(t, s->at[i]);
    }
    if (s->n > NAMES_TOLD)
        ff_text_addf(t, " and %u more", s->n - NAMES_TOLD);
}

static void add_ranks(ff_text *t, const ff_number_set *ranks)
{
    for (uint32_t i = 0; i < ranks->n && i < NAMES_TOLD; i++)
        ff_text_addf(t, i ? ", %d" : ", rank %d", (int)ranks->at[i]);
    if (ranks->n > NAMES_TOLD)
        ff_text_addf(t, " and %u more", ranks->n - NAMES_TOLD);
}

static void add_place(ff_text *t, const ff_place *p, ff_same same)
{
    if (p->hosts.n)
        add_names(t, "", &p->hosts);
    else
        ff_text_adds(t, "a host that is not named");
    if (same == FF_SAME_GPU)
        add_names(t, ", GPU ", p->gpus.n ? &p->gpus : &p->uuids);
    else if (same == FF_SAME_CGROUP)
        add_names(t, ", ", p->pods.n ? &p->pods : p->cgroups.n ? &p->cgroups : &p->containers);
    else if (same != FF_SAME_HOST)
        add_ranks(t, &p->ranks);
}

/* The declaration that comes nearest: of those that a place does not deny the slowest, else the first. */
static const ff_leads_to *nearest_entry(const ff_case *c, const ff_group *a, const ff_group *b)
{
    const ff_cause *cause = ff_case_cause(c, a->cause);
    const ff_leads_to *best = NULL;
    bool denied = true;
    for (uint32_t k = 0; ff_case_leads(c, a->cause, b->cause, &k); k++) {
        const ff_leads_to *to = &cause->leads_to[k];
        bool no = ff_place_same(&a->place, &b->place, to->same) == FF_NO;
        if (!best || (denied && !no) || (denied == no && !no && to->within_ns > best->within_ns)) {
            best = to;
            denied = no;
        }
    }
    return best;
}

static void add_line(const ff_case *c, ff_text *t, uint32_t ref)
{
    const ff_signal *s = ff_case_signal(c, ref);
    if (!s)
        return;
    ff_text_add(t, c->evidence->members[s->at.member].name);
    ff_text_addf(t, ":%u", s->at.line);
}

static void tell_place(ff_text *t, const ff_group *a, const ff_group *b, const ff_leads_to *to)
{
    if (to->same == FF_SAME_OTHER_RANK)
        ff_text_adds(t, ", but in another rank than its own: ");
    else
        ff_text_addf(t, ", but only on the %s: ", ff_same_name(to->same));
    add_place(t, &a->place, to->same);
    ff_text_adds(t, " against ");
    add_place(t, &b->place, to->same);
}

static void tell_order(const ff_case *c, ff_text *t, ff_refused *r, const ff_group *a, const ff_group *b)
{
    int64_t ns = 0;
    r->left = a->first;
    r->right = ff_onset_alibi(c->evidence, &a->onset, &b->onset);
    if (r->right == FF_NONE) { /* without the lag of the report, for what is cleaned up */
        ff_onset cause = a->onset;
        cause.lag_ns = 0;
        r->right = ff_onset_alibi(c->evidence, &cause, &b->onset);
    }
    ff_text_adds(t, ", but ");
    add_line(c, t, r->right);
    const ff_signal *left = ff_case_signal(c, r->left), *right = ff_case_signal(c, r->right);
    ff_text_adds(t, " is proven older than every sign of it");
    if (!left || !right || !ff_signal_gap(right, left, &ns) || ns <= 0)
        return;
    ff_text_adds(t, ": the first, ");
    add_line(c, t, r->left);
    ff_text_adds(t, ", comes at least ");
    ff_text_add_span(t, ns);
    ff_text_adds(t, " later");
}

static void tell_delay(const ff_case *c, ff_text *t, ff_refused *r, const ff_group *a, const ff_group *b,
                       const ff_leads_to *to)
{
    ff_nearest near = ff_onset_nearest(c->evidence, &a->onset, &b->onset);
    r->left = near.cause;
    r->right = near.effect;
    ff_text_adds(t, " within ");
    ff_text_add_span(t, to->within_ns);
    ff_text_adds(t, ", but ");
    add_line(c, t, r->left);
    ff_text_adds(t, " and ");
    add_line(c, t, r->right);
    ff_text_adds(t, " are at least ");
    ff_text_add_span(t, near.ns);
    ff_text_adds(t, " apart");
}

static void tell_rest(ff_text *t, ff_refusal why)
{
    ff_text_adds(t, why == FF_REFUSED_JOB       ? ", but only in its own job, and this is another"
                    : why == FF_REFUSED_ATTEMPT ? ", but the job was started anew between them"
                    : why == FF_REFUSED_RUN     ? ", but this was written by an earlier run"
                    : why == FF_REFUSED_OPPOSITE
                        ? ", but it is the other way round: a rule names that, or the clocks prove it"
                        : ", but each would explain the other, and this one came first or lies deeper");
}

/* "F3 (a GPU has fallen off the bus) can bring about F5 (...), but only on the same host: gpu-a01 against gpu-b02" */
static ff_refused tell(const ff_case *c, const candidate *at)
{
    const ff_group *a = &c->groups[at->edge.from], *b = &c->groups[at->edge.to];
    const ff_leads_to *to = nearest_entry(c, a, b);
    ff_refused r = {
        .by = a->members[0], .finding = b->members[0], .why = at->why, .left = a->first, .right = b->first_evidence
    };
    ff_text t;
    ff_text_init(&t, 2048);
    ff_text_addf(&t, "F%u (", r.by + 1);
    ff_text_add(&t, ff_case_title(c, a->cause));
    ff_text_addf(&t, ") can bring about F%u (", r.finding + 1);
    ff_text_add(&t, ff_case_title(c, b->cause));
    ff_text_adds(&t, ")");
    if (at->why == FF_REFUSED_PLACE && to)
        tell_place(&t, a, b, to);
    else if (at->why == FF_REFUSED_ORDER)
        tell_order(c, &t, &r, a, b);
    else if (at->why == FF_REFUSED_DELAY && to)
        tell_delay(c, &t, &r, a, b, to);
    else
        tell_rest(&t, at->why);
    r.because = ff_arena_copy(c->arena, ff_text_view(&t));
    ff_text_done(&t);
    return r;
}

/* ---- which are told ---- */
static void add(search *s, const ff_edge *e, ff_refusal why, uint32_t order)
{
    s->n_all++;
    /* that it was elsewhere is what a reader expects; the clocks are what he cannot see */
    bool plain = why == FF_REFUSED_PLACE || why == FF_REFUSED_JOB;
    candidate found = { .edge = *e, .why = why, .order = order * 2 + plain };
    if (s->found.n < CANDIDATES)
        FF_PUSH(&s->found, found);
}

/* To the root: first what is not of its incident, then what follows from it. From it: failures of other incidents.
 * One cause on several hosts is one root already. */
static uint32_t order_of(const search *s, uint32_t from, uint32_t to, bool to_root)
{
    const ff_case *c = s->c;
    bool own_kind = c->groups[from].cause == c->groups[to].cause && s->owner[from] == s->owner[to];
    if (c->groups[from].echo || own_kind)
        return FF_NONE;
    if (to_root)
        return s->owner[from] == s->own ? 2 : 0;
    return s->owner[to] != s->own && c->groups[to].severity >= FF_SEV_ERROR && !c->groups[to].echo ? 1 : FF_NONE;
}

static void judge(search *s, uint32_t from, uint32_t to, bool to_root)
{
    const ff_case *c = s->c;
    const ff_group *a = &c->groups[from], *b = &c->groups[to];
    uint32_t entry = 0, order = order_of(s, from, to, to_root);
    if (order == FF_NONE || !ff_case_leads(c, a->cause, b->cause, &entry))
        return;
    ff_edge e;
    ff_refusal why = ff_link_judge(c, from, to, &e);
    const ff_leads_to *near = why == FF_REFUSED_PLACE ? nearest_entry(c, a, b) : NULL;
    if (near && ff_dies_with_attempt(near->same) && ff_places_of_two_jobs(&a->place, &b->place))
        why = FF_REFUSED_JOB;
    if (why != FF_REFUSED_NOT)
        add(s, &e, why, order);
}

/* How a group is joined to the root: TO and FROM by any edge, and TO_SURE and FROM_SURE by one that stands against
 * the opposite one. */
enum { TO = 1, FROM = 2, TO_SURE = 4, FROM_SURE = 8 };

static void find_joined(const ff_case *c, uint32_t root, uint8_t *joined)
{
    for (uint32_t g = 0; g < c->n_groups; g++)
        joined[g] = 0;
    for (uint32_t i = 0; i < c->n_edges; i++) {
        const ff_edge *e = &c->edges[i];
        bool sure = !e->cut && (e->named || e->proven);
        if (e->to == root)
            joined[e->from] |= (uint8_t)(TO | (sure ? TO_SURE : 0));
        else if (e->from == root)
            joined[e->to] |= (uint8_t)(FROM | (sure ? FROM_SURE : 0));
    }
}

/* Links that held, and were taken back in favour of others. */
static void add_cut(search *s, uint32_t root, const uint8_t *joined)
{
    const ff_case *c = s->c;
    for (uint32_t i = 0; i < c->n_edges; i++) {
        const ff_edge *e = &c->edges[i];
        if (!e->cut || (e->to != root && e->from != root))
            continue;
        bool to_root = e->to == root;
        uint32_t order = order_of(s, e->from, e->to, to_root);
        bool back = to_root ? joined[e->from] & FROM_SURE : joined[e->to] & TO_SURE;
        if (order != FF_NONE)
            add(s, e, back ? FF_REFUSED_OPPOSITE : FF_REFUSED_CIRCLE, order);
    }
}

static int by_order(const void *left, const void *right)
{
    const candidate *a = left, *b = right;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    if (a->edge.from != b->edge.from)
        return a->edge.from < b->edge.from ? -1 : 1;
    return (a->edge.to > b->edge.to) - (a->edge.to < b->edge.to);
}

/* What an edge joins to the root was judged already: a rule may even name what nobody declares. */
static void search_at(search *s, uint32_t root, uint8_t *joined)
{
    find_joined(s->c, root, joined);
    for (uint32_t g = 0; g < s->c->n_groups; g++) {
        if (g != root && !(joined[g] & TO))
            judge(s, g, root, true);
        if (g != root && !(joined[g] & FROM))
            judge(s, root, g, false);
    }
    add_cut(s, root, joined);
}

void ff_refused_find(const ff_case *c, const ff_tree_of *t, const uint32_t *owner, uint32_t own, ff_incident *in)
{
    search s = { .c = c, .owner = owner, .own = own };
    uint8_t *joined = ff_alloc((size_t)c->n_groups + 1);
    for (uint32_t i = 0; i < t->n_roots && i < ROOTS_READ; i++)
        search_at(&s, t->roots[i], joined);
    if (s.found.n)
        qsort(s.found.at, s.found.n, sizeof *s.found.at, by_order);
    in->n_refused = s.found.n < FF_CAP_REFUSED ? s.found.n : FF_CAP_REFUSED;
    in->n_refused_all = s.n_all;
    in->refused = FF_NEW_N(c->arena, ff_refused, (size_t)in->n_refused + 1);
    for (uint32_t i = 0; i < in->n_refused; i++)
        in->refused[i] = tell(c, &s.found.at[i]);
    ff_free(joined);
    ff_free(s.found.at);
}
