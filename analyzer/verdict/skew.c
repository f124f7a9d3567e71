/* Clocks of hosts against each other. Where the intervals of skew_meet.c leave no doubt that a clock is wrong, its
 * times are moved to those of the others, with the interval as error: order across hosts is claimed only as far as
 * that allows. Where they show that it is off by less than a second, which late printing may do as well, the times
 * stay and their error grows by as much. A host whose zone nobody names has a scale of its own: its times get one
 * that it shares with those whom it met. */
#include "../clock/clock.h"
#include "skew_private.h"

#include <stdlib.h>

#define CLEARLY_OFF FF_SECONDS(1) /* less may be a line that was printed late */

/* ---- one scale for those that are bound to each other ---- */
typedef struct place { /* of a host's clock: what is added to true time, between low and high */
    uint32_t group;    /* 0: bound to nobody */
    int64_t low, high;
    const ff_bound *by;
    uint32_t from;
} place;

/* Breadth first, so that the fewest bounds are added up. */
static void follow(const ff_skews *s, place *at, uint32_t start, uint32_t group)
{
    uint32_t *queue = ff_alloc(sizeof *queue * s->n_hosts), n = 0;
    at[start] = (place){ .group = group };
    queue[n++] = start;
    for (uint32_t next = 0; next < n; next++)
        for (uint32_t i = 0; i < s->bounds.n; i++) {
            const ff_bound *b = &s->bounds.at[i];
            uint32_t here = queue[next], to = b->a == here ? b->b : b->b == here ? b->a : FF_NONE;
            if (to == FF_NONE || at[to].group)
                continue;
            bool forward = b->a == here;
            at[to] = (place){ .group = group, .by = b, .from = here };
            at[to].low = at[here].low + (forward ? b->low : -b->high);
            at[to].high = at[here].high + (forward ? b->high : -b->low);
            queue[n++] = to;
        }
    ff_free(queue);
}

static int64_t middle(const place *p) { return p->low + (p->high - p->low) / 2; }

static bool is_utc(const ff_skews *s, uint32_t clock) { return s->frames[clock] == FF_FRAME_OF_UTC; }

/* Others of the group, of its kind, with which it may be in step. */
static uint32_t count_agreeing(const ff_skews *s, const place *at, uint32_t h)
{
    uint32_t agree = 0;
    for (uint32_t k = 0; k < s->n_hosts; k++)
        agree += at[k].group == at[h].group && is_utc(s, k) == is_utc(s, h) &&
                 at[k].low - at[h].high <= CLEARLY_OFF && at[h].low - at[k].high <= CLEARLY_OFF;
    return agree;
}

/* True time where somebody knows it; else of the clocks that are known to UTC the one that most others may agree
 * with, then the slower one; where none is, any does: only the scale is needed. */
static uint32_t choose_reference(const ff_skews *s, const place *at, uint32_t group)
{
    uint32_t best = FF_NONE, most = 0;
    for (uint32_t h = 0; h < s->n_hosts; h++) {
        bool utc = is_utc(s, h);
        if (at[h].group != group || (best != FF_NONE && is_utc(s, best) && !utc))
            continue;
        if (h == FF_TRUE_TIME)
            return h;
        uint32_t agree = count_agreeing(s, at, h);
        if (best == FF_NONE || (utc && !is_utc(s, best)) || agree > most ||
            (agree == most && middle(&at[h]) < middle(&at[best]))) {
            best = h;
            most = agree;
        }
    }
    return best;
}

/* ---- moving what a wrong clock stamped ---- */
typedef struct move {
    ff_bytes host;
    int64_t by, err;
    ff_bytes why;
    bool ties;          /* it had a scale of its own */
    uint32_t to;        /* frame of the reference */
    uint32_t utc_clock; /* for stamps that say UTC; FF_NONE until there is one */
} move;

static bool is_stamped_by(const ff_evidence *e, const ff_signal *line, ff_bytes host)
{
    const ff_member *m = &e->members[line->at.member];
    ff_bytes there = m->who.host.n ? m->who.host : line->who.host;
    return !m->document && ff_equal(ff_short_host(there), host);
}

/* The host's own clock is corrected; one that all share is left, and the host gets another. */
static uint32_t moved_clock(ff_clocks *clocks, uint32_t clock, move *m, ff_arena *arena)
{
    ff_clock *c = &clocks->at[clock];
    if (c->kind != FF_STAMP_UTC)
        return clock;
    if (m->utc_clock != FF_NONE)
        return m->utc_clock;
    ff_clock *more = FF_NEW_N(arena, ff_clock, (size_t)clocks->n + 1);
    for (uint32_t i = 0; i < clocks->n; i++)
        more[i] = clocks->at[i];
    more[clocks->n] = (ff_clock){ .kind = FF_STAMP_UTC,
                                  .host = m->host,
                                  .member = FF_NONE,
                                  .anchored = true,
                                  .offset_ns = -m->by,
                                  .err_ns = m->err,
                                  .n_anchors = 1,
                                  .why = m->why };
    clocks->at = more;
    m->utc_clock = clocks->n++;
    return m->utc_clock;
}

static void move_host(ff_evidence *e, ff_clocks *clocks, move *m, ff_arena *arena)
{
    for (uint32_t i = 0; i < clocks->n; i++) {
        ff_clock *c = &clocks->at[i];
        if (!c->anchored || c->kind == FF_STAMP_UTC || !ff_equal(ff_short_host(c->host), m->host))
            continue;
        c->offset_ns -= m->by;
        c->err_ns += m->err;
        c->why = ff_arena_format(arena, "%.*s; %.*s", FF_SHOW(c->why), FF_SHOW(m->why));
    }
    for (uint32_t i = 0; i < e->n_signals; i++) {
        ff_signal *s = &e->signals[i];
        if (!s->has_utc || s->clock >= clocks->n || !is_stamped_by(e, s, m->host))
            continue;
        s->utc -= m->by;
        s->last_utc -= m->by;
        s->utc_err += m->err;
        s->at_ns = s->utc;
        s->at_err = s->utc_err;
        s->clock = moved_clock(clocks, s->clock, m, arena);
    }
    for (uint32_t i = 0; i < e->n_members; i++) {
        ff_member *one = &e->members[i];
        if (!one->has_utc || one->document || one->clock >= clocks->n ||
            !ff_equal(ff_short_host(one->who.host), m->host))
            continue;
        one->first_utc -= m->by;
        one->last_utc -= m->by;
        one->utc_err += m->err;
        one->clock = moved_clock(clocks, one->clock, m, arena);
    }
}

/* A scale of its own becomes that of the reference: from then on there is order between the two. */
static void tie_clock(ff_clock *c, const ff_signal *s, const move *m, ff_arena *arena)
{
    bool utc = m->to == FF_FRAME_OF_UTC && c->kind == FF_STAMP_LOCAL;
    if (c->anchored || ff_contains(c->why, m->why))
        return;
    c->why = ff_arena_format(arena, "%.*s; %.*s", FF_SHOW(c->why), FF_SHOW(m->why));
    c->anchored = utc;
    c->offset_ns = utc ? s->at_ns - s->said.grain_ns / 2 - s->said.ns : 0;
    c->err_ns = utc ? m->err : 0;
    c->n_anchors = utc ? 1 : 0;
}

static void tie_frame(ff_evidence *e, ff_clocks *clocks, uint32_t frame, const move *m, ff_arena *arena)
{
    for (uint32_t i = 0; i < e->n_signals; i++) {
        ff_signal *s = &e->signals[i];
        if (s->frame != frame || s->has_utc || s->clock >= clocks->n)
            continue;
        s->frame = m->to;
        s->at_ns -= m->by;
        s->at_err += m->err;
        tie_clock(&clocks->at[s->clock], s, m, arena);
        if (m->to != FF_FRAME_OF_UTC)
            continue;
        bool lasts = s->last_said.kind == s->said.kind && s->last_said.ns > s->said.ns;
        s->has_utc = true;
        s->utc = s->at_ns;
        s->utc_err = s->at_err;
        s->last_utc = s->utc + (lasts ? s->last_said.ns - s->said.ns : 0);
        s->wall_ns = 0;
    }
}

static ff_bytes words(const ff_skews *s, const place *p, uint32_t reference, const move *m)
{
    int64_t by = m->by ? m->by : m->err;
    ff_text t;
    ff_text_init(&t, 512);
    if (m->ties) {
        ff_text_adds(&t, "tied to ");
    } else {
        ff_text_adds(&t, m->by ? "runs " : "is not in step: up to ");
        ff_text_add_span(&t, by < 0 ? -by : by);
        ff_text_adds(&t, !m->by ? " from " : by < 0 ? " behind " : " ahead of ");
    }
    ff_text_add(&t, reference == FF_TRUE_TIME ? FF_LIT("true time") : s->hosts[reference]);
    if (m->by || m->ties) {
        ff_text_adds(&t, " within ");
        ff_text_add_span(&t, m->err);
    }
    const ff_member *member = &s->evidence->members[p->by->right.member];
    ff_text_addf(&t, ", by what both saw (%.*s:%u)", FF_SHOW(member->name), p->by->right.line);
    ff_bytes copy = ff_arena_copy(s->arena, ff_text_view(&t));
    ff_text_done(&t);
    return copy;
}

/* Nothing to move by, and no more error, where the interval has room for clocks in step. */
static move move_of(const ff_skews *s, uint32_t host, int64_t low, int64_t high)
{
    move m = { .host = s->hosts[host], .utc_clock = FF_NONE, .ties = !is_utc(s, host) };
    if (m.ties || low > CLEARLY_OFF || high < -CLEARLY_OFF) {
        m.by = low + (high - low) / 2;
        m.err = (high - low) / 2 + 1;
    } else if (low > FF_HOST_SKEW_NS || high < -FF_HOST_SKEW_NS) {
        m.err = low > 0 ? high : -low;
    }
    return m;
}

static bool correct_group(ff_skews *s, const place *at, uint32_t group, ff_evidence *e, ff_clocks *clocks)
{
    uint32_t reference = choose_reference(s, at, group);
    bool any = false;
    for (uint32_t h = 1; h < s->n_hosts; h++) {
        if (at[h].group != group || h == reference)
            continue;
        move m = move_of(s, h, at[h].low - at[reference].high, at[h].high - at[reference].low);
        if (!m.by && !m.err)
            continue;
        m.why = words(s, at[h].by ? &at[h] : &at[reference], reference, &m);
        m.to = s->frames[reference];
        if (m.ties)
            tie_frame(e, clocks, s->frames[h], &m, s->arena);
        else
            move_host(e, clocks, &m, s->arena);
        any = true;
    }
    return any;
}

/* For `firstfault clocks`: also of those that agree. */
static void tell_bounds(const ff_skews *s, ff_clocks *clocks)
{
    clocks->pairs = FF_NEW_N(s->arena, ff_clock_pair, (size_t)s->bounds.n + 1);
    for (uint32_t i = 0; i < s->bounds.n; i++) {
        const ff_bound *b = &s->bounds.at[i];
        clocks->pairs[clocks->n_pairs++] = (ff_clock_pair){ .a = s->hosts[b->a],
                                                            .b = s->hosts[b->b],
                                                            .low_ns = b->low,
                                                            .high_ns = b->high,
                                                            .n = b->n,
                                                            .left = b->left,
                                                            .right = b->right };
    }
}

void ff_skew_correct(ff_evidence *e, ff_clocks *clocks, const ff_rulebook *rules, ff_arena *arena)
{
    ff_skews *s = FF_NEW(arena, ff_skews);
    *s = (ff_skews){ .evidence = e, .arena = arena, .n_hosts = 1 };
    s->frames[FF_TRUE_TIME] = FF_FRAME_OF_UTC;
    ff_skew_bounds(s, rules);
    tell_bounds(s, clocks);
    place *at = FF_NEW_N(arena, place, s->n_hosts);
    bool any = false;
    for (uint32_t h = 0, group = 1; h < s->n_hosts; h++) {
        if (at[h].group)
            continue;
        follow(s, at, h, group);
        any = correct_group(s, at, group++, e, clocks) || any;
    }
    if (any)
        ff_signals_sort(e);
    ff_skew_done(s);
}
