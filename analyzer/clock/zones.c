/* How far a LOCAL or NO_YEAR track is from UTC: from records that carry both, or from UTC lines that stand before and
 * behind its lines in the same member. Nothing here assumes that a log without a zone is in UTC. */
#include "clock_private.h"

#include <stdlib.h>

#define MOST_SPREAD (10 * FF_MINUTE) /* records that carry both times but disagree by more have no one zone */
#define SLACK (2 * FF_MINUTE)        /* lines of several writers in one file are out of order by this at most */
#define CLOSE (5 * FF_MINUTE)
#define CLOSE_TO_UTC (10 * FF_MINUTE)
#define ADJACENT 5u /* lines */

typedef struct bound { /* where the distance to UTC must lie, from neighbours of which one is UTC */
    bool low_known, high_known;
    int64_t low, high;
    uint32_t n;       /* neighbours seen */
    uint32_t nearest; /* lines between the nearest two */
} bound;

static bool is_wall(const ff_track *track)
{
    return track->kind == FF_STAMP_LOCAL || (track->kind == FF_STAMP_NO_YEAR && track->year);
}

/* UTC of the same record, directly or by way of a boot clock that is tied to UTC. */
static bool utc_twin(const ff_times *t, const ff_moment *m, int64_t *utc, int64_t *err)
{
    if (m->twin == FF_NONE)
        return false;
    const ff_moment *other = &t->moments[m->twin];
    *utc = ff_moment_middle(t, other);
    *err = (other->grain + m->grain) / 2;
    if (other->kind == FF_STAMP_UTC)
        return true;
    uint32_t dial = other->kind == FF_STAMP_SINCE_BOOT ? t->tracks.at[other->track].clock : FF_NONE;
    if (dial == FF_NONE || !t->dials.at[dial].is.anchored)
        return false;
    *utc = ff_add_capped(*utc, t->dials.at[dial].is.offset_ns);
    *err = ff_add_capped(*err, t->dials.at[dial].is.err_ns);
    return true;
}

static void from_twins(ff_times *t, ff_track *track)
{
    ff_numbers v = { 0 };
    int64_t floor = 0;
    for (uint32_t i = track->first; i < track->first + track->n; i++) {
        const ff_moment *m = &t->moments[i];
        int64_t utc = 0, err = 0;
        if (!utc_twin(t, m, &utc, &err))
            continue;
        floor = err > floor ? err : floor;
        FF_PUSH(&v, ff_add_capped(utc, -ff_moment_middle(t, m)));
    }
    if (v.n) {
        int64_t spread = 0;
        ff_spread(v.at, v.n, &track->to_utc, &spread);
        track->err = spread > floor ? spread : floor;
        track->n_anchors = v.n;
        track->tie = spread <= MOST_SPREAD ? FF_TIE_TWICE : FF_TIE_NONE;
    }
    ff_free(v.at);
}

static void add_neighbours(const ff_times *t, bound *b, const ff_moment *first, const ff_moment *second)
{
    bool utc_first = first->kind == FF_STAMP_UTC;
    const ff_moment *utc = utc_first ? first : second, *wall = utc_first ? second : first;
    int64_t slack = (utc->grain + wall->grain) / 2;
    int64_t far = ff_add_capped(ff_moment_middle(t, utc), -ff_moment_middle(t, wall));
    uint32_t lines = second->line - first->line;
    b->nearest = !b->n || lines < b->nearest ? lines : b->nearest;
    b->n++;
    if (utc_first) { /* the wall line came later */
        b->low = !b->low_known || far - slack > b->low ? far - slack : b->low;
        b->low_known = true;
    } else {
        b->high = !b->high_known || far + slack < b->high ? far + slack : b->high;
        b->high_known = true;
    }
}

/* With UTC lines on one side only, what looks like a zone may be a pause: UTC itself is believed
 * more easily than another zone. */
static bool zone_beside(const bound *b, int64_t far, int64_t *zone)
{
    int64_t rest = 0;
    if (!ff_zone_near(far, zone, &rest))
        return false;
    if (*zone == 0)
        return rest <= CLOSE_TO_UTC;
    return rest <= CLOSE && (b->n > 1 || b->nearest <= ADJACENT);
}

static bool zone_from(const bound *b, int64_t *zone)
{
    if (b->low_known && b->high_known)
        return ff_zones_between(b->low - SLACK, b->high + SLACK, zone) == 1;
    if (b->low_known)
        return zone_beside(b, b->low, zone);
    return b->high_known && zone_beside(b, b->high, zone);
}

static int by_line(const void *a, const void *b)
{
    const ff_moment *x = *(const ff_moment *const *)a, *y = *(const ff_moment *const *)b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x > y) - (x < y);
}

/* at: moments of one track and of UTC in line order. */
static void from_neighbours(ff_times *t, ff_track *track, const ff_moment **at, uint32_t n)
{
    bound b = { 0 };
    for (uint32_t i = 1; i < n; i++)
        if (at[i - 1]->kind != at[i]->kind && at[i - 1]->line != at[i]->line)
            add_neighbours(t, &b, at[i - 1], at[i]);
    int64_t zone = 0;
    if (!b.n || !zone_from(&b, &zone))
        return;
    track->tie = FF_TIE_NEAR;
    track->to_utc = zone;
    track->err = 0;
    track->n_anchors = b.n;
}

static void member_neighbours(ff_times *t, uint32_t from, uint32_t to)
{
    const ff_track *utc = NULL;
    for (uint32_t i = from; i < to; i++)
        utc = t->tracks.at[i].kind == FF_STAMP_UTC ? &t->tracks.at[i] : utc;
    if (!utc || t->evidence->members[utc->member].document)
        return;
    for (uint32_t i = from; i < to; i++) {
        ff_track *track = &t->tracks.at[i];
        if (!is_wall(track) || track->tie != FF_TIE_NONE || track->n_anchors)
            continue;
        const ff_moment **at = ff_alloc(sizeof *at * ((size_t)track->n + utc->n));
        uint32_t n = 0;
        for (uint32_t k = 0; k < track->n; k++)
            if (!t->moments[track->first + k].collected)
                at[n++] = &t->moments[track->first + k];
        for (uint32_t k = 0; k < utc->n; k++)
            if (!t->moments[utc->first + k].collected)
                at[n++] = &t->moments[utc->first + k];
        qsort(at, n, sizeof *at, by_line);
        from_neighbours(t, track, at, n);
        ff_free(at);
    }
}

void ff_zones_find(ff_times *t)
{
    for (uint32_t i = 0; i < t->tracks.n; i++)
        if (is_wall(&t->tracks.at[i]))
            from_twins(t, &t->tracks.at[i]);
    for (uint32_t from = 0, to = 0; from < t->tracks.n; from = to) {
        for (to = from; to < t->tracks.n && t->tracks.at[to].member == t->tracks.at[from].member;)
            to++;
        member_neighbours(t, from, to);
    }
}
