/* Which root is the verdict's. Not simply the earliest of the bundle: last week's error is no answer to today's
 * failure. First the time is found, by the failure that the job itself shows; then the best root at that time. */
#include "verdict_private.h"

#include <stdlib.h>

#define SAME_TIME FF_HOURS(1)   /* of the failure that the job shows */
#define SAME_DAY FF_HOURS(24)   /* where nothing shows it: what lies this close is looked at together */
#define LONG_AFTER FF_HOURS(24) /* a failure this much later is another story, and the one that is asked about */
#define SOON FF_MINUTES(10)
#define NOT_REACHED 9u
#define IS_SEEN 2u                  /* the root is such a failure itself */
#define CLEARLY_LATER FF_MINUTES(1) /* clocks that are a little off must not acquit a cause */

static const ff_group *root_of(const ff_case *c, const ff_tree_of *t) { return &c->groups[t->roots[0]]; }

/* a stands later than b, as far as the clocks say; where they say nothing, what has a time stands later. */
static bool is_later(const ff_case *c, const ff_signal *a, const ff_signal *b)
{
    ff_order order = ff_signal_order(a, b);
    bool older = ff_is_of_later_run(c, a, b);
    if (older || ff_is_of_later_run(c, b, a))
        return !older;
    if (order == FF_ORDER_BEFORE || order == FF_ORDER_AFTER)
        return order == FF_ORDER_AFTER;
    return a->has_utc != b->has_utc ? a->has_utc : a->ref > b->ref;
}

/* The last sign of a tree's failures (where it has none: of its warnings). NULL: nothing of the kind. */
static const ff_signal *latest_failure(const ff_case *c, const ff_tree_of *t, bool visible)
{
    const ff_signal *latest = NULL;
    for (uint32_t i = 0; i < t->n_groups; i++) {
        const ff_group *g = &c->groups[t->groups[i]];
        if ((t->failures && g->severity < FF_SEV_ERROR) || (visible && !g->visible))
            continue;
        for (uint32_t k = 0; k < g->onset.n_latest; k++) {
            const ff_signal *s = ff_case_signal(c, g->onset.latest[k]);
            if (!latest || is_later(c, s, latest))
                latest = s;
        }
    }
    return latest;
}

bool ff_tree_shows_failure(const ff_case *c, const ff_tree_of *t)
{
    for (uint32_t i = 0; i < t->n_groups; i++)
        if (c->groups[t->groups[i]].severity >= FF_SEV_ERROR && c->groups[t->groups[i]].visible)
            return true;
    return false;
}

/* The tree with the latest failure among the candidates. FF_NONE: there is none. */
static uint32_t latest_of(const ff_case *c, const ff_tree_of *trees, uint32_t n, bool visible, bool any)
{
    uint32_t best = FF_NONE;
    const ff_signal *latest = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (!any && (visible ? !ff_tree_shows_failure(c, &trees[i]) : !trees[i].failures))
            continue;
        const ff_signal *s = latest_failure(c, &trees[i], visible);
        if (!s || (latest && !is_later(c, s, latest)))
            continue;
        best = i;
        latest = s;
    }
    return best;
}

/* The tree that stands for the failure that is asked about. */
static uint32_t find_anchor(const ff_case *c, const ff_tree_of *trees, uint32_t n)
{
    uint32_t visible = latest_of(c, trees, n, true, false), last = latest_of(c, trees, n, false, false);
    if (visible == FF_NONE)
        return last != FF_NONE ? last : latest_of(c, trees, n, false, true);
    if (last == FF_NONE) /* what is visible is an echo of a mere warning */
        return visible;
    const ff_signal *seen = latest_failure(c, &trees[visible], true), *later = latest_failure(c, &trees[last], false);
    int64_t gap = 0;
    bool long_after =
        ff_signal_order(seen, later) == FF_ORDER_BEFORE && ff_signal_gap(seen, later, &gap) && gap > LONG_AFTER;
    return long_after ? last : visible;
}

static bool is_other_attempt(const ff_case *c, const ff_tree_of *a, const ff_tree_of *b)
{
    /* a machine stays as it is in the next attempt */
    return root_of(c, a)->visible && root_of(c, b)->visible && ff_attempts_differ(c, &a->onset, &b->onset);
}

static bool is_same_time(const ff_case *c, const ff_tree_of *a, const ff_tree_of *b, int64_t window)
{
    int64_t apart = 0;
    if (ff_onset_apart(c->evidence, &a->onset, &b->onset, &apart) && apart > window)
        return false;
    return !is_other_attempt(c, a, b);
}

static void mark_same_time(const ff_case *c, ff_tree_of *trees, uint32_t n, uint32_t anchor)
{
    int64_t window = ff_tree_shows_failure(c, &trees[anchor]) ? SAME_TIME : SAME_DAY;
    uint32_t *queue = ff_alloc((size_t)n * sizeof *queue), n_queue = 0;
    trees[anchor].same_time = true;
    queue[n_queue++] = anchor;
    for (uint32_t next = 0; next < n_queue; next++)
        for (uint32_t i = 0; i < n; i++) {
            if (trees[i].same_time || !is_same_time(c, &trees[queue[next]], &trees[i], window))
                continue;
            trees[i].same_time = true;
            queue[n_queue++] = i;
        }
    ff_free(queue);
}

/* Did t begin only when the failure that another tree shows had clearly happened? */
static bool is_too_late(const ff_case *c, const ff_tree_of *t, const ff_tree_of *shown)
{
    const ff_group *root = root_of(c, t);
    for (uint32_t i = 0; i < shown->n_groups; i++) {
        const ff_group *g = &c->groups[shown->groups[i]];
        int64_t gap = 0;
        if (g->visible && g->severity >= FF_SEV_ERROR &&
            ff_onset_order(c->evidence, &root->onset, &g->onset) == FF_ORDER_AFTER &&
            ff_onset_gap(c->evidence, &root->onset, &g->onset, &gap) && gap > CLEARLY_LATER)
            return true;
    }
    return false;
}

/* Among rivals at one place the first fault is the better answer: what came later did not bring it about. Only where
 * the clocks prove it, and only against one that explains as much. */
static bool is_preceded(const ff_case *c, const ff_tree_of *t, const ff_tree_of *by)
{
    const ff_group *late = root_of(c, t), *early = root_of(c, by);
    ff_answer host = ff_place_same(&early->place, &late->place, FF_SAME_HOST);
    bool nowhere = !early->place.hosts.n && !late->place.hosts.n;
    if (by->failures < t->failures || by->n_groups < t->n_groups || early->severity < FF_SEV_ERROR ||
        early->cause == c->unknown || (host != FF_YES && !nowhere))
        return false;
    return ff_onset_order(c->evidence, &early->onset, &late->onset) == FF_ORDER_BEFORE &&
           ff_onset_order(c->evidence, &late->onset, &early->onset) == FF_ORDER_AFTER;
}

/* ---- how near a root comes to a failure that was seen ---- */

/* Whoever hits the very process, rank, container or GPU that then fails is nearer than a fault somewhere in the job,
 * and what comes minutes before it is nearer than what was survived for hours. */
static uint32_t reach_of(const ff_edge *e)
{
    bool narrow =
        e->same == FF_SAME_PROCESS || e->same == FF_SAME_RANK || e->same == FF_SAME_CGROUP || e->same == FF_SAME_GPU;
    uint32_t scope = e->sure && narrow ? 0 : e->sure && e->same == FF_SAME_HOST ? 1 : 2;
    uint32_t time = e->has_gap && e->gap_ns <= SOON ? 0 : e->has_gap && e->gap_ns <= SAME_TIME ? 1 : 2;
    return scope * 3 + time;
}

static bool is_seen_failure(const ff_group *g) { return g->visible && g->severity >= FF_SEV_ERROR; }

static void find_reach(const ff_case *c, ff_tree_of *trees, uint32_t n)
{
    uint32_t *best = ff_alloc(((size_t)c->n_groups + 1) * sizeof *best);
    for (uint32_t g = 0; g < c->n_groups; g++)
        best[g] = NOT_REACHED;
    for (uint32_t i = 0; i < c->n_edges; i++) {
        const ff_edge *e = &c->edges[i];
        if (!e->cut && is_seen_failure(&c->groups[e->to]) && reach_of(e) < best[e->from])
            best[e->from] = reach_of(e);
    }
    for (uint32_t i = 0; i < n; i++) {
        trees[i].reach = is_seen_failure(&c->groups[trees[i].roots[0]]) ? IS_SEEN : NOT_REACHED;
        for (uint32_t k = 0; k < trees[i].n_roots; k++)
            if (best[trees[i].roots[k]] < trees[i].reach)
                trees[i].reach = best[trees[i].roots[k]];
    }
    ff_free(best);
}

/* ---- the order ---- */
/* What is said of an incident that stands behind the verdict's because of that key. */
static const char *const key_words[] = {
    "it is of another time than the failure that is asked about",
    "it is another job's than the failure that is asked about",
    "it neither is nor explains a failure",
    "it began after the failure that was seen",
    "the job went on after it",
    "its cause is not known",
    "it is itself no failure",
    "its root is farther from the failure that was seen",
    "it explains fewer failures",
    "it explains fewer findings",
    "a rival at the same place is proven earlier and explains as much",
    "its cause lies higher in the stack",
    "it is less sure",
    "it began later",
};

typedef struct place_in_order { /* all that decides, most telling first; lower is better */
    ff_tree_of tree;
    int64_t keys[FF_COUNT(key_words)];
} place_in_order;

static const char *what_decided(const place_in_order *first, const place_in_order *other)
{
    for (unsigned i = 0; i < FF_COUNT(first->keys); i++)
        if (first->keys[i] != other->keys[i])
            return i == 0 && other->tree.other_attempt
                       ? "it is of another attempt than the failure that is asked about"
                       : key_words[first->tree.same_time && other->tree.same_time ? i : 0];
    return key_words[FF_COUNT(key_words) - 1];
}

static int by_keys(const void *left, const void *right)
{
    const place_in_order *a = left, *b = right;
    for (unsigned i = 0; i < FF_COUNT(a->keys); i++)
        if (a->keys[i] != b->keys[i])
            return a->keys[i] < b->keys[i] ? -1 : 1;
    return 0;
}

static uint32_t explained_failures(const ff_case *c, const ff_tree_of *t)
{
    uint32_t n = t->failures;
    for (uint32_t i = 0; i < t->n_roots; i++)
        n -= c->groups[t->roots[i]].severity >= FF_SEV_ERROR;
    return n;
}

static place_in_order place_of(const ff_case *c, const ff_tree_of *t)
{
    const ff_group *root = root_of(c, t);
    place_in_order p = { .tree = *t };
    unsigned k = 0;
    p.keys[k++] = !t->same_time;
    if (t->same_time) {
        p.keys[k++] = t->other_job;
        p.keys[k++] = t->failures == 0;
        p.keys[k++] = t->late;
        p.keys[k++] = t->survived;
        p.keys[k++] = root->cause == c->unknown;
        p.keys[k++] = root->severity < FF_SEV_ERROR;
        p.keys[k++] = t->reach;
        p.keys[k++] = -(int64_t)explained_failures(c, t);
        p.keys[k++] = -((int64_t)t->n_groups - t->n_roots);
        p.keys[k++] = t->preceded;
        p.keys[k++] = c->rules->causes[root->cause].rank;
        p.keys[k++] = -(int64_t)c->findings[root->members[0]].confidence;
    }
    p.keys[k++] = t->roots[0]; /* groups are numbered in time order */
    return p;
}

/* What makes a job slow is not over because the job goes on. */
static bool is_slow(const ff_case *c, const ff_tree_of *t)
{
    return ff_equal(c->rules->causes[root_of(c, t)->cause].fault_class, FF_LIT("slow"));
}

void ff_trees_rank(const ff_case *c, ff_tree_of *trees, uint32_t n)
{
    if (!n)
        return;
    uint32_t anchor = find_anchor(c, trees, n);
    mark_same_time(c, trees, n, anchor);
    find_reach(c, trees, n);
    for (uint32_t i = 0; i < n; i++) {
        bool shown = ff_tree_shows_failure(c, &trees[i]);
        trees[i].other_job = ff_places_of_two_jobs(&root_of(c, &trees[i])->place, &root_of(c, &trees[anchor])->place);
        trees[i].other_attempt = !trees[i].same_time && is_other_attempt(c, &trees[anchor], &trees[i]);
        trees[i].survived = trees[i].same_time && !is_slow(c, &trees[i]) && ff_was_survived(c, root_of(c, &trees[i]));
        for (uint32_t k = 0; k < n && trees[i].same_time; k++) {
            if (k == i || !trees[k].same_time)
                continue;
            trees[i].late = trees[i].late || (!shown && is_too_late(c, &trees[i], &trees[k]));
            trees[i].preceded = trees[i].preceded || is_preceded(c, &trees[i], &trees[k]);
        }
    }
    place_in_order *all = ff_alloc((size_t)n * sizeof *all);
    for (uint32_t i = 0; i < n; i++)
        all[i] = place_of(c, &trees[i]);
    qsort(all, n, sizeof *all, by_keys);
    for (uint32_t i = 0; i < n; i++) {
        trees[i] = all[i].tree;
        trees[i].behind = i ? what_decided(&all[0], &all[i]) : NULL;
    }
    ff_free(all);
}
