/* Circles among the edges. Each is cut at its earliest group, so that something remains that nobody explains. */
#include "verdict_private.h"

typedef struct walk { /* Tarjan's strongly connected components, with its own stack: input decides the depth */
    const ff_case *c;
    uint32_t *first; /* edges of group g are first[g] .. first[g + 1] - 1; edges are ordered by `from` */
    uint32_t *index, *low, *component, *stack, *path, *next;
    uint32_t n_index, n_stack, n_path, n_components;
} walk;

static uint32_t *numbers(uint32_t n, uint32_t value)
{
    uint32_t *at = ff_alloc(((size_t)n + 2) * sizeof *at);
    for (uint32_t i = 0; i < n + 2; i++)
        at[i] = value;
    return at;
}

static walk walk_open(const ff_case *c)
{
    uint32_t n = c->n_groups;
    walk w = { .c = c,
               .first = numbers(n, 0),
               .index = numbers(n, FF_NONE),
               .low = numbers(n, 0),
               .component = numbers(n, FF_NONE),
               .stack = numbers(n, 0),
               .path = numbers(n, 0),
               .next = numbers(n, 0) };
    for (uint32_t g = 0, i = 0; g <= n; g++) {
        while (i < c->n_edges && c->edges[i].from < g)
            i++;
        w.first[g] = i;
    }
    return w;
}

static void walk_close(walk *w)
{
    uint32_t *all[] = { w->first, w->index, w->low, w->component, w->stack, w->path, w->next };
    for (unsigned i = 0; i < FF_COUNT(all); i++)
        ff_free(all[i]);
}

static void enter(walk *w, uint32_t g)
{
    w->index[g] = w->low[g] = w->n_index++;
    w->next[g] = w->first[g];
    w->stack[w->n_stack++] = g;
    w->path[w->n_path++] = g;
}

static void leave(walk *w, uint32_t g)
{
    w->n_path--;
    if (w->n_path && w->low[g] < w->low[w->path[w->n_path - 1]])
        w->low[w->path[w->n_path - 1]] = w->low[g];
    if (w->low[g] != w->index[g])
        return;
    uint32_t member = FF_NONE;
    while (member != g) {
        member = w->stack[--w->n_stack];
        w->component[member] = w->n_components;
    }
    w->n_components++;
}

static void step(walk *w)
{
    uint32_t g = w->path[w->n_path - 1];
    if (w->next[g] == w->first[g + 1]) {
        leave(w, g);
        return;
    }
    const ff_edge *e = &w->c->edges[w->next[g]++];
    if (e->cut)
        return;
    if (w->index[e->to] == FF_NONE)
        enter(w, e->to);
    else if (w->component[e->to] == FF_NONE && w->index[e->to] < w->low[g])
        w->low[g] = w->index[e->to];
}

static void find_components(walk *w)
{
    for (uint32_t g = 0; g < w->c->n_groups; g++) {
        if (w->index[g] != FF_NONE)
            continue;
        enter(w, g);
        while (w->n_path)
            step(w);
    }
}

/* a is cut rather than b: proven earlier, then deeper in the stack, then by number, which follows time. */
static bool is_earlier(const ff_case *c, uint32_t a, uint32_t b)
{
    const ff_signal *left = ff_case_signal(c, c->groups[a].first), *right = ff_case_signal(c, c->groups[b].first);
    ff_order order = left && right ? ff_signal_order(left, right) : FF_ORDER_UNKNOWN;
    if (order == FF_ORDER_BEFORE || order == FF_ORDER_AFTER)
        return order == FF_ORDER_BEFORE;
    uint32_t deep_a = c->rules->causes[c->groups[a].cause].rank, deep_b = c->rules->causes[c->groups[b].cause].rank;
    return deep_a != deep_b ? deep_a < deep_b : a < b;
}

/* Cuts what leads back into the earliest group of each circle. False: there was none. */
static bool cut_once(ff_case *c)
{
    walk w = walk_open(c);
    find_components(&w);
    uint32_t *earliest = numbers(c->n_groups, FF_NONE), *size = numbers(c->n_groups, 0);
    for (uint32_t g = 0; g < c->n_groups; g++) {
        uint32_t *best = &earliest[w.component[g]];
        size[w.component[g]]++;
        if (*best == FF_NONE || is_earlier(c, g, *best))
            *best = g;
    }
    bool cut = false;
    for (uint32_t i = 0; i < c->n_edges; i++) {
        ff_edge *e = &c->edges[i];
        uint32_t here = w.component[e->to];
        if (e->cut || w.component[e->from] != here || size[here] < 2 || earliest[here] != e->to)
            continue;
        e->cut = true;
        cut = true;
    }
    ff_free(earliest);
    ff_free(size);
    walk_close(&w);
    return cut;
}

void ff_cut_circles(ff_case *c)
{
    while (cut_once(c)) /* each turn takes at least one group out of its circle */
        ;
}
