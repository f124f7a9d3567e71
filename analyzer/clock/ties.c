/* Links between clocks, followed until every clock that can be reached from UTC is tied to it. What cannot be reached
 * still gets a frame with those it is linked to, so that order is known among them. */
#include "clock_private.h"

#include <stdlib.h>

static int by_dials(const void *a, const void *b)
{
    const ff_twin *x = a, *y = b;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    if (x->b != y->b)
        return x->b < y->b ? -1 : 1;
    return (x->delta > y->delta) - (x->delta < y->delta);
}

static void tie_pair(ff_times *t, const ff_twin *at, uint32_t n, int64_t widest,
                     ff_bytes (*why)(ff_times *t, uint32_t n))
{
    int64_t *v = ff_alloc(sizeof *v * n), median = 0, spread = 0, floor = 0;
    for (uint32_t i = 0; i < n; i++) {
        v[i] = at[i].delta;
        floor = at[i].err > floor ? at[i].err : floor;
    }
    ff_spread(v, n, &median, &spread);
    ff_free(v);
    if (spread <= widest)
        ff_link_add(t, at[0].a, at[0].b, median, spread > floor ? spread : floor, n, why(t, n));
}

void ff_twins_tie(ff_times *t, ff_twins *all, int64_t widest, ff_bytes (*why)(ff_times *t, uint32_t n))
{
    if (all->n)
        qsort(all->at, all->n, sizeof *all->at, by_dials);
    for (uint32_t from = 0, to = 0; from < all->n; from = to) {
        for (to = from; to < all->n && all->at[to].a == all->at[from].a && all->at[to].b == all->at[from].b;)
            to++;
        tie_pair(t, all->at + from, to - from, widest, why);
    }
    ff_free(all->at);
}

static ff_bytes both_text(ff_times *t, uint32_t n)
{
    return ff_arena_format(t->arena, "%u %s both times", n, n == 1 ? "line carries" : "lines carry");
}

static ff_bytes local_text(ff_times *t, uint32_t n)
{
    return ff_arena_format(t->arena, "%u %s both boot time and local time", n,
                           n == 1 ? "line carries" : "lines carry");
}

void ff_twins_link(ff_times *t, ff_stamp_kind kind)
{
    ff_twins all = { 0 };
    for (uint32_t i = 0; i < t->n_moments; i++) {
        const ff_moment *m = &t->moments[i];
        if (m->kind != FF_STAMP_SINCE_BOOT || m->twin == FF_NONE || t->moments[m->twin].kind != kind)
            continue;
        const ff_moment *other = &t->moments[m->twin];
        ff_twin p = { .a = t->tracks.at[m->track].clock, .b = t->tracks.at[other->track].clock };
        p.delta = ff_add_capped(ff_moment_middle(t, other), -ff_moment_middle(t, m));
        p.err = (other->grain + m->grain) / 2;
        FF_PUSH(&all, p);
    }
    ff_twins_tie(t, &all, INT64_MAX, kind == FF_STAMP_UTC ? both_text : local_text);
}

/* ---- following them ---- */

typedef struct edges { /* links by dial: those of dial d are list[first[d]] .. list[first[d + 1]] */
    uint32_t *first, *list;
} edges;

static edges list_edges(ff_times *t)
{
    edges e = { FF_NEW_N(&t->scratch, uint32_t, t->dials.n + 2),
                FF_NEW_N(&t->scratch, uint32_t, 2 * (size_t)t->links.n + 1) };
    for (uint32_t i = 0; i < t->links.n; i++) {
        e.first[t->links.at[i].a + 1]++;
        e.first[t->links.at[i].b + 1]++;
    }
    for (uint32_t d = 0; d < t->dials.n; d++)
        e.first[d + 1] += e.first[d];
    uint32_t *next = FF_NEW_N(&t->scratch, uint32_t, t->dials.n + 1);
    for (uint32_t d = 0; d < t->dials.n; d++)
        next[d] = e.first[d];
    for (uint32_t i = 0; i < t->links.n; i++) {
        e.list[next[t->links.at[i].a]++] = i;
        e.list[next[t->links.at[i].b]++] = i;
    }
    return e;
}

static ff_bytes why_of(ff_times *t, const ff_link *link, uint32_t from)
{
    const ff_dial *by = &t->dials.at[from];
    if (from == FF_DIAL_UTC || by->frame != FF_FRAME_UTC)
        return link->why;
    return ff_arena_format(t->arena, "%.*s; of that, %.*s", (int)link->why.n, link->why.p, (int)by->is.why.n,
                           by->is.why.p);
}

/* Reaches the dial at the other end of a link, if that is new or better. */
static bool follow(ff_times *t, const ff_link *link, uint32_t from, uint32_t *to)
{
    bool forward = link->a == from;
    const ff_dial *here = &t->dials.at[from];
    *to = forward ? link->b : link->a;
    ff_dial *there = &t->dials.at[*to];
    int64_t err = ff_add_capped(here->err, link->err);
    if (*to == FF_DIAL_UTC || (there->frame == here->frame && there->err <= err))
        return false;
    /* instant in frame = wall here + offset here, and wall on b = wall on a + delta */
    there->offset = ff_add_capped(here->offset, forward ? -link->delta : link->delta);
    there->err = err;
    there->frame = here->frame;
    there->is.n_anchors = link->n;
    there->is.why = why_of(t, link, from);
    return true;
}

static void spread_frame(ff_times *t, const edges *e, uint32_t start, uint32_t *queue, bool *waits)
{
    uint32_t head = 0, n = 0, room = t->dials.n;
    queue[n++] = start;
    while (n) {
        uint32_t from = queue[head];
        head = (head + 1) % room;
        n--;
        waits[from] = false;
        for (uint32_t i = e->first[from]; i < e->first[from + 1]; i++) {
            uint32_t to = 0;
            if (!follow(t, &t->links.at[e->list[i]], from, &to) || waits[to])
                continue;
            waits[to] = true;
            queue[(head + n++) % room] = to;
        }
    }
}

void ff_dials_tie(ff_times *t)
{
    edges e = list_edges(t);
    uint32_t *queue = FF_NEW_N(&t->scratch, uint32_t, t->dials.n + 1);
    bool *waits = FF_NEW_N(&t->scratch, bool, t->dials.n + 1);
    for (uint32_t d = 0; d < t->dials.n; d++) {
        t->dials.at[d].frame = 0;
        t->dials.at[d].offset = t->dials.at[d].err = 0;
        t->dials.at[d].is.n_anchors = 0;
        t->dials.at[d].is.why = (ff_bytes){ 0 };
    }
    uint32_t frame = FF_FRAME_UTC;
    for (uint32_t d = 0; d < t->dials.n; d++) {
        if (t->dials.at[d].frame)
            continue;
        t->dials.at[d].frame = frame++;
        spread_frame(t, &e, d, queue, waits);
    }
}
