/* Roots, and what hangs on each of them, become incidents. */
#include "verdict_private.h"

#include <stdlib.h>

#define ELSEWHERE_TOO FF_MINUTES(10) /* one cause on several hosts this close is one incident */

/* Edges by what they lead to: edges[into[g]] .. edges[into[g + 1] - 1], and by where they start. */
typedef struct net {
    const ff_case *c;
    uint32_t *from, *into, *by_target;
} net;

static int by_target(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static net net_open(const ff_case *c)
{
    net n = { .c = c,
              .from = ff_alloc(((size_t)c->n_groups + 2) * sizeof(uint32_t)),
              .into = ff_alloc(((size_t)c->n_groups + 2) * sizeof(uint32_t)),
              .by_target = ff_alloc((size_t)c->n_edges * sizeof(uint32_t)) };
    uint64_t *sorted = ff_alloc((size_t)c->n_edges * sizeof *sorted);
    for (uint32_t i = 0; i < c->n_edges; i++)
        sorted[i] = (uint64_t)c->edges[i].to << 32 | i;
    qsort(sorted, c->n_edges, sizeof *sorted, by_target);
    for (uint32_t i = 0; i < c->n_edges; i++)
        n.by_target[i] = (uint32_t)sorted[i];
    for (uint32_t g = 0, i = 0, k = 0; g <= c->n_groups; g++) {
        while (i < c->n_edges && c->edges[i].from < g)
            i++;
        while (k < c->n_edges && c->edges[n.by_target[k]].to < g)
            k++;
        n.from[g] = i;
        n.into[g] = k;
    }
    ff_free(sorted);
    return n;
}

static void net_close(net *n)
{
    ff_free(n->from);
    ff_free(n->into);
    ff_free(n->by_target);
}

static bool is_root(const net *n, uint32_t group)
{
    for (uint32_t i = n->into[group]; i < n->into[group + 1]; i++)
        if (!n->c->edges[n->by_target[i]].cut)
            return false;
    return true;
}

/* ---- trees ---- */
typedef FF_VEC(ff_tree_of) trees;

static bool joins_root(const ff_case *c, const ff_tree_of *t, uint32_t group)
{
    int64_t apart = 0;
    const ff_group *a = &c->groups[t->roots[0]], *b = &c->groups[group];
    if (ff_case_cause(c, a->cause)->varied && a->visible && b->visible && ff_attempts_differ(c, &a->onset, &b->onset))
        return false; /* groups that say the same are one already */
    return a->cause == b->cause && !ff_places_of_two_jobs(&a->place, &b->place) &&
           (!ff_onset_apart(c->evidence, &a->onset, &b->onset, &apart) || apart <= ELSEWHERE_TOO);
}

static void add_root(const ff_case *c, trees *all, uint32_t group)
{
    for (uint32_t i = all->n; i > 0; i--) {
        ff_tree_of *t = &all->at[i - 1];
        if (!joins_root(c, t, group))
            continue;
        uint32_t *roots = FF_NEW_N(c->arena, uint32_t, t->n_roots + 1);
        for (uint32_t k = 0; k < t->n_roots; k++)
            roots[k] = t->roots[k];
        roots[t->n_roots++] = group;
        t->roots = roots;
        return;
    }
    ff_tree_of t = { .roots = FF_NEW(c->arena, uint32_t), .n_roots = 1 };
    t.roots[0] = group;
    FF_PUSH(all, t);
}

/* An echo that nothing explains stays a finding: it says that something else failed, which the bundle does not hold.
 */
static void add_all_roots(const net *n, trees *all)
{
    for (uint32_t g = 0; g < n->c->n_groups; g++)
        if (is_root(n, g) && !n->c->groups[g].echo)
            add_root(n->c, all, g);
}

/* All that can be reached from the roots of a tree. */
static void grow(const net *n, ff_tree_of *t)
{
    const ff_case *c = n->c;
    bool *seen = ff_alloc((size_t)c->n_groups + 1);
    uint32_t *queue = ff_alloc(((size_t)c->n_groups + 1) * sizeof *queue), n_queue = 0;
    for (uint32_t g = 0; g < c->n_groups; g++)
        seen[g] = false;
    for (uint32_t i = 0; i < t->n_roots; i++) {
        seen[t->roots[i]] = true;
        queue[n_queue++] = t->roots[i];
    }
    for (uint32_t next = 0; next < n_queue; next++)
        for (uint32_t i = n->from[queue[next]]; i < n->from[queue[next] + 1]; i++) {
            const ff_edge *e = &c->edges[i];
            if (e->cut || seen[e->to])
                continue;
            seen[e->to] = true;
            queue[n_queue++] = e->to;
        }
    t->groups = FF_NEW_N(c->arena, uint32_t, n_queue);
    for (uint32_t g = 0; g < c->n_groups; g++) {
        if (!seen[g])
            continue;
        t->groups[t->n_groups++] = g;
        t->failures += c->groups[g].severity >= FF_SEV_ERROR && !c->groups[g].echo;
        ff_onset_merge(&t->onset, c->evidence, &c->groups[g].onset);
    }
    ff_free(queue);
    ff_free(seen);
}

/* ---- chains ---- */
typedef FF_VEC(ff_link) links;

/* The very container or process is meant, not only the job. */
static bool is_narrow(const ff_edge *e) { return e->sure && e->same != FF_SAME_JOB && e->same != FF_SAME_OTHER_RANK; }

/* Who explains a group best: what a rule names, then what the clocks prove, then who is at the same place, then the
 * nearest in the stack and in time. */
static bool explains_better(const ff_case *c, const ff_edge *a, const ff_edge *b)
{
    uint32_t rank_a = c->rules->causes[c->groups[a->from].cause].rank;
    uint32_t rank_b = c->rules->causes[c->groups[b->from].cause].rank;
    if (a->named != b->named)
        return a->named;
    if (a->proven != b->proven)
        return a->proven;
    if (is_narrow(a) != is_narrow(b))
        return is_narrow(a);
    if (rank_a != rank_b)
        return rank_a > rank_b;
    return a->has_gap && (!b->has_gap || a->gap_ns < b->gap_ns);
}

static const ff_edge *best_edge(const net *n, const uint32_t *owner, uint32_t group)
{
    const ff_edge *best = NULL;
    for (uint32_t i = n->into[group]; i < n->into[group + 1]; i++) {
        const ff_edge *e = &n->c->edges[n->by_target[i]];
        if (!e->cut && owner[e->from] == owner[group] && (!best || explains_better(n->c, e, best)))
            best = e;
    }
    return best;
}

static ff_role role_of(const net *n, const uint32_t *owner, const ff_edge *e)
{
    ff_role role = e->role;
    for (const ff_edge *up = best_edge(n, owner, e->from); up; up = best_edge(n, owner, up->from))
        role = ff_role_below(up->role, role);
    return role;
}

static void add_group(const net *n, const uint32_t *owner, uint32_t group, links *chain)
{
    const ff_case *c = n->c;
    const ff_group *g = &c->groups[group];
    const ff_edge *e = best_edge(n, owner, group);
    if (!e)
        return;
    ff_link link = { .role = role_of(n, owner, e),
                     .because = ff_role_because(c, e),
                     .proven = e->proven,
                     .by = c->groups[e->from].members[0] };
    for (uint32_t i = 0; i < g->n_members; i++) {
        link.finding = g->members[i];
        FF_PUSH(chain, link);
    }
}

static void add_again(const ff_case *c, uint32_t root, uint32_t other, bool elsewhere, links *chain)
{
    ff_role role = ff_role_again(c, root, other);
    const char *why =
        elsewhere ? "the same cause at the same time on another host" : "the same cause at the same place and time";
    ff_link link = {
        .finding = other, .role = role, .because = ff_str(why), .proven = role != FF_ROLE_CONTRIBUTING, .by = root
    };
    FF_PUSH(chain, link);
}

static void add_roots(const ff_case *c, const ff_tree_of *t, links *chain)
{
    uint32_t root = c->groups[t->roots[0]].members[0];
    ff_link first = { .finding = root,
                      .role = FF_ROLE_ROOT,
                      .because = FF_LIT("no other finding explains it"),
                      .proven = true,
                      .by = FF_NONE };
    FF_PUSH(chain, first);
    for (uint32_t i = 0; i < t->n_roots; i++)
        for (uint32_t k = i == 0; k < c->groups[t->roots[i]].n_members; k++)
            add_again(c, root, c->groups[t->roots[i]].members[k], i > 0, chain);
}

static int by_finding(const void *left, const void *right)
{
    const ff_link *a = left, *b = right;
    if ((a->role == FF_ROLE_ROOT) != (b->role == FF_ROLE_ROOT))
        return a->role == FF_ROLE_ROOT ? -1 : 1;
    return (a->finding > b->finding) - (a->finding < b->finding);
}

/* Nobody stands in front of the finding that explains it, whatever the order of findings whose times are not known:
 * who reads a chain goes from cause to effect. Else the order stays. */
static void causes_first(const ff_case *c, const links *chain, ff_link *out)
{
    uint32_t *place = FF_NEW_N(c->arena, uint32_t, (size_t)c->n_findings + 1); /* in the chain, from 1 */
    uint32_t *above = FF_NEW_N(c->arena, uint32_t, chain->n);
    bool *taken = FF_NEW_N(c->arena, bool, chain->n);
    uint32_t n = 0;
    for (uint32_t i = 0; i < chain->n; i++)
        place[chain->at[i].finding] = i + 1;
    for (uint32_t i = 0; i < chain->n; i++) {
        uint32_t depth = 0;
        for (uint32_t k = i + 1; k > 0 && !taken[k - 1];) {
            taken[k - 1] = true;
            above[depth++] = k - 1;
            uint32_t by = chain->at[k - 1].by;
            k = by < c->n_findings ? place[by] : 0;
        }
        while (depth > 0)
            out[n++] = chain->at[above[--depth]];
    }
}

static void build_chain(const net *n, const ff_tree_of *t, const uint32_t *owner, uint32_t own, ff_incident *in)
{
    const ff_case *c = n->c;
    links chain = { 0 };
    add_roots(c, t, &chain);
    for (uint32_t i = 0; i < t->n_groups; i++)
        if (owner[t->groups[i]] == own)
            add_group(n, owner, t->groups[i], &chain);
    qsort(chain.at, chain.n, sizeof *chain.at, by_finding);
    in->root = chain.at[0].finding;
    in->chain = FF_NEW_N(c->arena, ff_link, chain.n);
    in->n_chain = chain.n;
    causes_first(c, &chain, in->chain);
    ff_free(chain.at);
}

/* ---- time and confidence ---- */
static void widen(const ff_case *c, uint32_t ref, ff_incident *in)
{
    const ff_signal *s = ff_case_signal(c, ref);
    if (!s || !s->has_utc)
        return;
    int64_t last = s->last_utc > s->utc ? s->last_utc : s->utc;
    if (!in->has_time || s->utc < in->began_utc) {
        in->began_utc = s->utc;
        in->err_ns = s->utc_err;
    }
    if (!in->has_time || last > in->ended_utc)
        in->ended_utc = last;
    in->has_time = true;
}

static void widen_by(const ff_case *c, uint32_t finding, ff_incident *in)
{
    const ff_finding *f = &c->findings[finding];
    for (uint32_t k = 0; k < f->n_evidence; k++)
        widen(c, f->evidence[k], in);
    for (uint32_t k = 0; k < f->n_symptoms; k++)
        widen(c, f->symptoms[k], in);
}

/* A root whose report comes late began no later than what it brought about. */
static void move_by_lag(const ff_case *c, int64_t lag_ns, ff_incident *in)
{
    int64_t told = in->began_utc;
    for (uint32_t i = 1; i < in->n_chain && lag_ns; i++) {
        const ff_finding *f = &c->findings[in->chain[i].finding];
        for (uint32_t k = 0; k < f->n_evidence; k++) {
            const ff_signal *s = &c->evidence->signals[f->evidence[k]];
            if (!s->has_utc || s->utc >= in->began_utc || told - s->utc > lag_ns)
                continue;
            in->began_utc = s->utc;
            in->err_ns = s->utc_err;
        }
    }
}

/* It begins with the root's first sign, evidence or symptom, and ends with the last thing that hangs on it. Where the
 * root carries no time, the earliest of the others is the nearest that can be said. */
static void find_time(const ff_case *c, const ff_tree_of *t, ff_incident *in)
{
    for (uint32_t i = 0; i < in->n_chain; i++)
        widen_by(c, in->chain[i].finding, in);
    const ff_signal *first = ff_case_signal(c, c->groups[t->roots[0]].first);
    if (!first || !first->has_utc)
        return;
    in->began_utc = first->utc;
    in->err_ns = first->utc_err;
    move_by_lag(c, c->groups[t->roots[0]].onset.lag_ns, in);
}

static ff_bytes confidence_why(const ff_case *c, const ff_finding *f)
{
    if (f->confidence_why.n)
        return f->confidence_why;
    return ff_arena_format(c->arena, "rule %.*s gives %s on %u %s of evidence", FF_SHOW(f->rule),
                           ff_confidence_name(f->confidence), f->n_evidence, f->n_evidence == 1 ? "line" : "lines");
}

static void build_incident(const net *n, const ff_tree_of *t, const uint32_t *owner, uint32_t own, ff_incident *in)
{
    const ff_case *c = n->c;
    in->id = own;
    in->behind = t->behind;
    build_chain(n, t, owner, own, in);
    in->confidence = c->findings[in->root].confidence;
    in->confidence_why = confidence_why(c, &c->findings[in->root]);
    in->began_signal = c->groups[t->roots[0]].first_evidence;
    in->first_sign = c->groups[t->roots[0]].first;
    find_time(c, t, in);
    in->suspects = ff_suspects_find(c, in);
    ff_weaken(c, in);
    in->fault_class = ff_class_find(c, in);
    in->after = ff_what_came_after(c, t, in->fault_class);
}

void ff_incidents_build(ff_case *c, ff_report *r)
{
    net n = net_open(c);
    trees all = { 0 };
    add_all_roots(&n, &all);
    for (uint32_t i = 0; i < all.n; i++)
        grow(&n, &all.at[i]);
    ff_trees_rank(c, all.at, all.n);
    uint32_t *owner = ff_alloc(((size_t)c->n_groups + 1) * sizeof *owner);
    for (uint32_t g = 0; g < c->n_groups; g++)
        owner[g] = FF_NONE;
    for (uint32_t i = 0; i < all.n; i++) /* the better root claims what several could explain */
        for (uint32_t k = 0; k < all.at[i].n_groups; k++)
            if (owner[all.at[i].groups[k]] == FF_NONE)
                owner[all.at[i].groups[k]] = i;
    r->n_incidents = all.n < FF_CAP_INCIDENTS ? all.n : FF_CAP_INCIDENTS;
    r->incidents = FF_NEW_N(c->arena, ff_incident, (size_t)r->n_incidents + 1);
    for (uint32_t i = 0; i < r->n_incidents; i++) {
        build_incident(&n, &all.at[i], owner, i, &r->incidents[i]);
        ff_rivals_find(c, &r->incidents[i], all.at, all.n, i);
    }
    for (uint32_t i = 0; i < r->n_incidents && i < FF_CAP_DETAILED; i++) {
        ff_tell_recurrence(c, r->incidents, r->n_incidents, i);
        ff_refused_find(c, &all.at[i], owner, i, &r->incidents[i]);
        ff_rulings_find(c, &r->incidents[i]);
        ff_asks_find(c, &r->incidents[i]);
    }
    ff_free(owner);
    ff_free(all.at);
    net_close(&n);
}
