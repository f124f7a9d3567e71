/* Edges between groups. Two sources: a rule that lists a signal as symptom explains every finding that has this
 * signal as evidence; and each cause says, as data, what it can bring about, where, and how late. */
#include "verdict_private.h"

#define CAP_EDGES 400000u

const ff_cause *ff_case_cause(const ff_case *c, uint32_t cause)
{
    return cause < c->rules->n_causes ? &c->rules->causes[cause] : NULL;
}

const ff_signal *ff_case_signal(const ff_case *c, uint32_t ref)
{
    return ref < c->evidence->n_signals ? &c->evidence->signals[ref] : NULL;
}

ff_bytes ff_case_title(const ff_case *c, uint32_t cause)
{
    const ff_cause *k = ff_case_cause(c, cause);
    return !k ? (ff_bytes){ 0 } : k->title.n ? k->title : k->id;
}

/* ---- what can lead to what, as a table of bits: c->leads[row of the entry][effect] ---- */
static void mark_led(const ff_case *c, ff_bytes pattern, uint8_t *row)
{
    bool all = ff_equal(pattern, FF_LIT("*")), any = all || ff_ends(pattern, FF_LIT(".*"));
    ff_bytes stem = all ? (ff_bytes){ 0 } : any ? ff_first_n(pattern, pattern.n - 1) : pattern;
    for (uint32_t i = 0; i < c->rules->n_causes; i++) {
        ff_bytes id = c->rules->causes[i].id;
        row[i] = i != c->healthy && (any ? ff_starts(id, stem) : ff_equal(id, stem));
    }
}

void ff_case_compile(ff_case *c)
{
    uint32_t n = c->rules->n_causes, rows = 0;
    c->lead_rows = FF_NEW_N(c->arena, uint32_t, (size_t)n + 1);
    for (uint32_t a = 0; a < n; a++) {
        c->lead_rows[a] = rows;
        rows += c->rules->causes[a].n_leads_to;
    }
    c->leads = ff_arena_take(c->arena, (size_t)rows * n + 1);
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t k = 0; k < c->rules->causes[a].n_leads_to; k++)
            mark_led(c, c->rules->causes[a].leads_to[k].cause, &c->leads[(size_t)(c->lead_rows[a] + k) * n]);
}

bool ff_case_leads(const ff_case *c, uint32_t a, uint32_t b, uint32_t *entry)
{
    const ff_cause *cause = ff_case_cause(c, a);
    for (; cause && b < c->rules->n_causes && *entry < cause->n_leads_to; (*entry)++)
        if (c->leads[(size_t)(c->lead_rows[a] + *entry) * c->rules->n_causes + b])
            return true;
    return false;
}

/* ---- edges ---- */
typedef FF_VEC(ff_edge) edges;

static void add_edge(edges *all, ff_edge e)
{
    if (all->n < CAP_EDGES)
        FF_PUSH(all, e);
}

/* Best entry for a pair: the first whose scope both sides confirm, else the first that neither denies. */
static bool choose_entry(const ff_case *c, const ff_group *a, const ff_group *b, bool has_gap, int64_t gap,
                         const ff_leads_to **best, ff_answer *where)
{
    const ff_cause *cause = ff_case_cause(c, a->cause);
    *where = FF_NO;
    for (uint32_t k = 0; ff_case_leads(c, a->cause, b->cause, &k) && *where != FF_YES; k++) {
        const ff_leads_to *to = &cause->leads_to[k];
        ff_answer answer = has_gap && gap > to->within_ns ? FF_NO : ff_place_same(&a->place, &b->place, to->same);
        if (answer <= *where)
            continue;
        *where = answer;
        *best = to;
    }
    return *where != FF_NO;
}

ff_refusal ff_link_judge(const ff_case *c, uint32_t from, uint32_t to, ff_edge *e)
{
    const ff_group *a = &c->groups[from], *b = &c->groups[to];
    const ff_leads_to *best = NULL;
    ff_answer where = FF_NO;
    *e = (ff_edge){ .from = from, .to = to, .signal = FF_NONE };
    if (!choose_entry(c, a, b, false, 0, &best, &where)) /* before the clocks are asked, which takes longer */
        return FF_REFUSED_PLACE;
    e->role = best->role;
    e->same = best->same;
    ff_onset cause = a->onset;
    if (best->role == FF_ROLE_TEARDOWN)
        cause.lag_ns = 0; /* what is cleaned up follows the report, not the fault that it reports */
    ff_order order = ff_onset_order(c->evidence, &cause, &b->onset);
    if (order == FF_ORDER_AFTER)
        return FF_REFUSED_ORDER;
    e->has_gap = ff_onset_gap(c->evidence, &a->onset, &b->onset, &e->gap_ns);
    if (!choose_entry(c, a, b, e->has_gap, e->gap_ns, &best, &where))
        return FF_REFUSED_DELAY;
    e->role = best->role;
    e->same = best->same;
    e->sure = where == FF_YES;
    e->proven = order == FF_ORDER_BEFORE && e->sure;
    if (a->visible && ff_dies_with_attempt(best->same) && ff_attempt_ends_between(c, &a->onset, &b->onset))
        return FF_REFUSED_ATTEMPT;
    if (a->visible && !cause.lag_ns && ff_attempt_ends_between(c, &b->onset, &a->onset))
        return FF_REFUSED_RUN; /* what an earlier run wrote is older, though no clock says so */
    return FF_REFUSED_NOT;
}

static void link_pair(const ff_case *c, uint32_t from, uint32_t to, edges *all)
{
    ff_edge e;
    if (ff_link_judge(c, from, to, &e) == FF_REFUSED_NOT)
        add_edge(all, e);
}

/* ---- edges that a rule names ---- */
typedef struct holders { /* which findings have a signal as evidence: findings[from[s]] .. findings[from[s + 1]] */
    uint32_t *from, *findings;
} holders;

static holders holders_of(const ff_case *c)
{
    uint32_t n = c->evidence->n_signals;
    size_t total = 0;
    holders h = { .from = ff_alloc(((size_t)n + 2) * sizeof *h.from) };
    for (uint32_t s = 0; s < n + 2; s++)
        h.from[s] = 0;
    for (uint32_t i = 0; i < c->n_findings; i++)
        for (uint32_t k = 0; c->group_of[i] != FF_NONE && k < c->findings[i].n_evidence; k++, total++)
            h.from[c->findings[i].evidence[k] + 2]++;
    for (uint32_t s = 2; s < n + 2; s++)
        h.from[s] += h.from[s - 1];
    h.findings = ff_alloc((total + 1) * sizeof *h.findings);
    for (uint32_t i = 0; i < c->n_findings; i++)
        for (uint32_t k = 0; c->group_of[i] != FF_NONE && k < c->findings[i].n_evidence; k++)
            h.findings[h.from[c->findings[i].evidence[k] + 1]++] = i;
    return h;
}

static void link_named(const ff_case *c, uint32_t from, uint32_t to, uint32_t signal, edges *all)
{
    const ff_group *a = &c->groups[from], *b = &c->groups[to];
    if (ff_places_of_two_jobs(&a->place, &b->place))
        return;
    for (uint32_t i = all->n; i > 0 && all->at[i - 1].from == from; i--)
        if (all->at[i - 1].to == to)
            return;
    ff_edge e = {
        .from = from, .to = to, .signal = signal, .named = true, .role = FF_ROLE_SYMPTOM, .same = FF_SAME_JOB
    };
    const ff_leads_to *best = NULL;
    ff_answer where = FF_NO;
    if (choose_entry(c, a, b, false, 0, &best, &where)) {
        e.role = best->role;
        e.same = best->same;
        e.sure = where == FF_YES;
    }
    e.proven = ff_onset_order(c->evidence, &a->onset, &b->onset) == FF_ORDER_BEFORE;
    e.has_gap = ff_onset_gap(c->evidence, &a->onset, &b->onset, &e.gap_ns);
    add_edge(all, e);
}

static void link_symptoms(const ff_case *c, uint32_t group, const holders *h, edges *all)
{
    for (uint32_t m = 0; m < c->groups[group].n_members; m++) {
        const ff_finding *f = &c->findings[c->groups[group].members[m]];
        for (uint32_t k = 0; k < f->n_symptoms; k++)
            for (uint32_t i = h->from[f->symptoms[k]]; i < h->from[f->symptoms[k] + 1]; i++) {
                uint32_t to = c->group_of[h->findings[i]];
                if (to != group)
                    link_named(c, group, to, f->symptoms[k], all);
            }
        for (uint32_t k = 0; k < f->n_evidence; k++) /* an echo says the same in other words */
            for (uint32_t i = h->from[f->evidence[k]]; i < h->from[f->evidence[k] + 1]; i++) {
                uint32_t to = c->group_of[h->findings[i]];
                if (to != group && c->groups[to].echo)
                    link_named(c, group, to, f->evidence[k], all);
            }
    }
}

/* Of two edges in opposite directions, the one that a rule names wins, then the one that the clocks prove. */
static void drop_weaker(edges *all, uint32_t n_groups)
{
    uint32_t *start = ff_alloc(((size_t)n_groups + 1) * sizeof *start);
    for (uint32_t g = 0, i = 0; g <= n_groups; g++) {
        while (i < all->n && all->at[i].from < g)
            i++;
        start[g] = i;
    }
    for (uint32_t i = 0; i < all->n; i++) {
        ff_edge *a = &all->at[i];
        for (uint32_t k = start[a->to]; k < start[a->to + 1]; k++) {
            ff_edge *b = &all->at[k];
            if (b->to == a->from && (a->named != b->named ? a->named : a->proven && !b->proven))
                b->cut = true;
        }
    }
    ff_free(start);
}

void ff_link_groups(ff_case *c)
{
    edges all = { 0 };
    holders h = holders_of(c);
    bool *named = ff_alloc((size_t)c->n_groups + 1);
    for (uint32_t a = 0; a < c->n_groups; a++) {
        if (c->groups[a].echo)
            continue;
        uint32_t before = all.n;
        link_symptoms(c, a, &h, &all);
        for (uint32_t b = 0; b < c->n_groups; b++)
            named[b] = false;
        for (uint32_t i = before; i < all.n; i++)
            named[all.at[i].to] = true;
        for (uint32_t b = 0; b < c->n_groups; b++)
            if (a != b && !named[b])
                link_pair(c, a, b, &all);
    }
    drop_weaker(&all, c->n_groups);
    c->edges = FF_NEW_N(c->arena, ff_edge, (size_t)all.n + 1);
    for (uint32_t i = 0; i < all.n; i++)
        c->edges[i] = all.at[i];
    c->n_edges = all.n;
    ff_free(named);
    ff_free(all.at);
    ff_free(h.from);
    ff_free(h.findings);
}
