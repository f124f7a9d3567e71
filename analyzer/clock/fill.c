/* Writes what was found: clocks, the times of signals and members; then brings the signals into time order. */
#include "clock_private.h"

#include "../base/text.h"

#include <stdlib.h>

#define TOO_VAGUE (10 * FF_MINUTE) /* a clock so uncertain is passed over if the record itself names UTC */

typedef struct instant {
    bool has_utc;
    uint32_t frame, clock;
    int64_t at, err;
} instant;

static instant instant_of(const ff_times *t, const ff_moment *m)
{
    uint32_t clock = t->tracks.at[m->track].clock;
    const ff_dial *d = &t->dials.at[clock];
    instant i = { .has_utc = d->frame == FF_FRAME_UTC, .frame = d->frame, .clock = clock - t->unused };
    i.at = ff_add_capped(ff_moment_middle(t, m), d->offset);
    i.err = ff_add_capped(d->err, m->grain / 2);
    return i;
}

/* NO_YEAR stamps of one clock count from the same January, so that they never fall over New Year. */
static int64_t said_ns(const ff_times *t, const ff_moment *m)
{
    if (m->kind != FF_STAMP_NO_YEAR)
        return m->ns;
    const ff_track *track = &t->tracks.at[m->track];
    int64_t start = ff_days_from_date(1972, 1, 1), base = t->dials.at[track->clock].base_year, year = 0;
    int64_t own = track->year ? track->year : track->season;
    unsigned month = 0, day = 0;
    ff_date_from_days(start + m->ns / FF_DAY, &year, &month, &day);
    int64_t later = own - base + m->wraps;
    later = later > 200 ? 200 : later;
    return (ff_days_from_date(1972 + later, month, day) - start) * FF_DAY + m->ns % FF_DAY;
}

/* ---- signals ---- */

static void fill_said(const ff_times *t, const ff_moment *m, ff_signal *s)
{
    instant i = instant_of(t, m);
    s->said.ns = said_ns(t, m);
    s->said.grain_ns = m->grain;
    s->clock = i.clock;
    s->frame = i.frame;
    s->at_ns = i.at;
    s->at_err = i.err;
    s->has_utc = i.has_utc;
    s->utc = i.has_utc ? i.at : 0;
    s->utc_err = i.has_utc ? i.err : 0;
    s->last_utc = s->utc;
    bool dated =
        m->kind == FF_STAMP_LOCAL || (m->kind == FF_STAMP_NO_YEAR && t->dials.at[t->tracks.at[m->track].clock].dated);
    s->wall_ns = dated && !i.has_utc ? ff_moment_wall(t, m) : 0;
}

/* The second time of a record, where the first leads nowhere. */
static void fill_also(const ff_times *t, const ff_moment *m, ff_signal *s)
{
    if (s->clock == FF_NONE) {
        s->said = s->also;
        fill_said(t, m, s);
    } else if (m->kind == FF_STAMP_UTC && (!s->has_utc || s->utc_err > TOO_VAGUE)) {
        ff_signal first = *s;
        fill_said(t, m, s);
        s->said = first.said;
        s->clock = first.clock;
    }
}

static void fill_last(const ff_times *t, const ff_moment *m, ff_signal *s)
{
    instant i = instant_of(t, m);
    s->last_said.ns = said_ns(t, m);
    if (i.has_utc && s->has_utc && i.at > s->utc)
        s->last_utc = i.at;
}

static void clear_signals(ff_evidence *e)
{
    for (uint32_t i = 0; i < e->n_signals; i++) {
        ff_signal *s = &e->signals[i];
        const ff_member *m = &e->members[s->at.member];
        s->clock = FF_NONE;
        s->frame = 0;
        s->has_utc = false;
        s->utc = s->utc_err = s->last_utc = s->at_ns = s->at_err = s->wall_ns = 0;
        s->unordered = m->document || m->collected;
    }
}

static void fill_signals(ff_times *t)
{
    static void (*const fill[])(const ff_times *, const ff_moment *, ff_signal *) = { fill_said, fill_also,
                                                                                      fill_last };
    clear_signals(t->evidence);
    for (unsigned part = FF_PART_SAID; part <= FF_PART_LAST; part++)
        for (uint32_t i = 0; i < t->n_moments; i++)
            if (t->moments[i].signal != FF_NONE && t->moments[i].part == part)
                fill[part](t, &t->moments[i], &t->evidence->signals[t->moments[i].signal]);
}

#define COMPARE(x, y)                                                                                                \
    do {                                                                                                             \
        if ((x) != (y))                                                                                              \
            return (x) < (y) ? -1 : 1;                                                                               \
    } while (0)

static int by_place(const ff_signal *x, const ff_signal *y)
{
    COMPARE(x->at.member, y->at.member);
    COMPARE(x->at.line, y->at.line);
    COMPARE(x->at.offset, y->at.offset);
    COMPARE(x->kind, y->kind);
    COMPARE(x->n_fields, y->n_fields);
    for (uint32_t i = 0; i < x->n_fields; i++) {
        int by = ff_compare(x->fields[i].s, y->fields[i].s);
        if (by)
            return by;
        COMPARE(x->fields[i].i, y->fields[i].i);
    }
    return ff_compare(x->quote, y->quote);
}

static int by_time(const void *a, const void *b)
{
    const ff_signal *x = *(const ff_signal *const *)a, *y = *(const ff_signal *const *)b;
    COMPARE(y->has_utc, x->has_utc);
    COMPARE(x->frame == 0, y->frame == 0);
    COMPARE(x->frame, y->frame);
    COMPARE(x->at_ns, y->at_ns);
    int by = by_place(x, y);
    if (by)
        return by;
    return (x > y) - (x < y);
}

/* Moves what stands at order[i] to i, in place: a signal is large, and there may be many. */
static void permute(ff_signal *at, uint32_t *from, uint32_t n)
{
    for (uint32_t start = 0; start < n; start++) {
        if (from[start] == start)
            continue;
        ff_signal first = at[start];
        uint32_t to = start;
        while (from[to] != start) {
            uint32_t next = from[to];
            at[to] = at[next];
            from[to] = to;
            to = next;
        }
        at[to] = first;
        from[to] = to;
    }
}

void ff_signals_sort(ff_evidence *e)
{
    const ff_signal **order = ff_alloc(sizeof *order * e->n_signals);
    uint32_t *from = ff_alloc(sizeof *from * e->n_signals);
    for (uint32_t i = 0; i < e->n_signals; i++)
        order[i] = &e->signals[i];
    if (e->n_signals > 1)
        qsort(order, e->n_signals, sizeof *order, by_time);
    for (uint32_t i = 0; i < e->n_signals; i++)
        from[i] = (uint32_t)(order[i] - e->signals);
    permute(e->signals, from, e->n_signals);
    for (uint32_t i = 0; i < e->n_signals; i++)
        e->signals[i].ref = i;
    ff_free(order);
    ff_free(from);
}

/* ---- members ---- */

/* The clock that most of the member's times are on; the second time of a record does not count.
 * said: room for a number for each dial, all zero, and so again afterwards. */
static uint32_t main_clock(const ff_times *t, const ff_track *tracks, uint32_t n, uint32_t *said)
{
    uint32_t best = FF_NONE;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t clock = tracks[i].clock;
        for (uint32_t k = tracks[i].first; k < tracks[i].first + tracks[i].n; k++)
            said[clock] += t->moments[k].part != FF_PART_ALSO;
        bool more = best == FF_NONE || said[clock] > said[best] || (said[clock] == said[best] && clock < best);
        best = more ? clock : best;
    }
    for (uint32_t i = 0; i < n; i++)
        said[tracks[i].clock] = 0;
    return best;
}

static void widen_said(const ff_times *t, const ff_moment *m, ff_member *member)
{
    ff_stamp said = { .kind = m->kind, .ns = said_ns(t, m), .grain_ns = m->grain };
    if (member->first_said.kind == FF_STAMP_NONE || said.ns < member->first_said.ns)
        member->first_said = said;
    if (member->last_said.kind == FF_STAMP_NONE || said.ns > member->last_said.ns)
        member->last_said = said;
}

static void widen_utc(const ff_times *t, const ff_moment *m, ff_member *member)
{
    instant i = instant_of(t, m);
    if (!i.has_utc)
        return;
    if (!member->has_utc || i.at < member->first_utc)
        member->first_utc = i.at;
    if (!member->has_utc || i.at > member->last_utc)
        member->last_utc = i.at;
    member->utc_err = i.err > member->utc_err ? i.err : member->utc_err;
    member->has_utc = true;
}

static int64_t longest_gap(int64_t *at, uint32_t n)
{
    int64_t gap = 0;
    ff_numbers_sort(at, n);
    for (uint32_t i = 1; i < n; i++)
        if (ff_distance(at[i], at[i - 1]) > gap)
            gap = ff_distance(at[i], at[i - 1]);
    return gap;
}

static void fill_member(ff_times *t, const ff_track *tracks, uint32_t n, uint32_t *said)
{
    ff_member *member = &t->evidence->members[tracks[0].member];
    uint32_t clock = main_clock(t, tracks, n, said);
    member->clock = clock - t->unused;
    ff_numbers at = { 0 };
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = tracks[i].first; k < tracks[i].first + tracks[i].n; k++) {
            const ff_moment *m = &t->moments[k];
            widen_utc(t, m, member);
            if (tracks[i].clock != clock)
                continue;
            widen_said(t, m, member);
            FF_PUSH(&at, ff_moment_wall(t, m));
        }
    }
    member->gap_ns = at.n ? longest_gap(at.at, at.n) : 0;
    ff_free(at.at);
}

static void fill_members(ff_times *t)
{
    for (uint32_t i = 0; i < t->evidence->n_members; i++) {
        ff_member *m = &t->evidence->members[i];
        m->first_said = m->last_said = (ff_stamp){ 0 };
        m->clock = FF_NONE;
        m->has_utc = false;
        m->first_utc = m->last_utc = m->utc_err = m->gap_ns = 0;
    }
    uint32_t *said = FF_NEW_N(&t->scratch, uint32_t, t->dials.n);
    for (uint32_t from = 0, to = 0; from < t->tracks.n; from = to) {
        for (to = from; to < t->tracks.n && t->tracks.at[to].member == t->tracks.at[from].member;)
            to++;
        fill_member(t, &t->tracks.at[from], to - from, said);
    }
}

/* ---- clocks ---- */

static const char *why_wall_not(const ff_dial *d)
{
    if (d->disputed)
        return "its records, or the logs of its host, name different zones";
    return d->dated ? "no zone is named anywhere" : "no line names the year";
}

/* wall: a clock of local time that the boot clock is linked to, or NULL. */
static ff_bytes why_not(ff_times *t, const ff_dial *d, const ff_dial *wall)
{
    if (d->is.kind != FF_STAMP_SINCE_BOOT)
        return ff_str(why_wall_not(d));
    if (!wall)
        return ff_str("no line carries a second time");
    return ff_arena_format(t->arena, "lines also carry local time, but for that %s", why_wall_not(wall));
}

/* Of each boot clock: the first wall clock that it is linked to. */
static const ff_dial **list_walls(ff_times *t)
{
    const ff_dial **walls = FF_NEW_N(&t->scratch, const ff_dial *, t->dials.n);
    for (uint32_t i = t->links.n; i > 0; i--) {
        const ff_link *link = &t->links.at[i - 1];
        const ff_dial *b = &t->dials.at[link->b];
        if (t->dials.at[link->a].is.kind == FF_STAMP_SINCE_BOOT && b->is.kind != FF_STAMP_UTC)
            walls[link->a] = b;
    }
    return walls;
}

static ff_bytes why_anchored(ff_times *t, const ff_dial *d)
{
    if (d->is.kind != FF_STAMP_NO_YEAR || !d->year_why)
        return d->is.why;
    return ff_arena_format(t->arena, "%.*s; the year is from %s", (int)d->is.why.n, d->is.why.p, d->year_why);
}

/* To be added to said.ns. Of a NO_YEAR clock it holds for its first stamp: a leap day may lie between that and
 * others, which is minded in the utc of each signal. */
static int64_t *list_offsets(ff_times *t)
{
    int64_t *offsets = FF_NEW_N(&t->scratch, int64_t, t->dials.n);
    for (uint32_t i = 0; i < t->dials.n; i++)
        offsets[i] = t->dials.at[i].offset;
    for (uint32_t i = t->tracks.n; i > 0; i--) {
        const ff_track *track = &t->tracks.at[i - 1];
        const ff_moment *m = &t->moments[track->first];
        if (track->kind == FF_STAMP_NO_YEAR)
            offsets[track->clock] = ff_add_capped(instant_of(t, m).at, -said_ns(t, m) - m->grain / 2);
    }
    return offsets;
}

static void fill_clock(ff_times *t, uint32_t i, int64_t offset_ns, const ff_dial *wall, ff_clock *out)
{
    ff_dial *d = &t->dials.at[i];
    bool tied = d->frame == FF_FRAME_UTC;
    *out = d->is;
    out->anchored = tied;
    out->offset_ns = tied ? offset_ns : 0;
    out->err_ns = tied ? d->err : 0;
    out->n_anchors = tied ? d->is.n_anchors : 0;
    if (i == FF_DIAL_UTC)
        out->why = ff_str("the lines name their zone");
    else
        out->why = tied ? why_anchored(t, d) : why_not(t, d, wall);
}

ff_clocks ff_times_fill(ff_times *t)
{
    bool utc_used = false;
    for (uint32_t i = 0; i < t->tracks.n; i++)
        utc_used = utc_used || t->tracks.at[i].clock == FF_DIAL_UTC;
    t->unused = utc_used ? 0 : 1;
    ff_clocks clocks = { .n = t->dials.n - t->unused };
    clocks.at = FF_NEW_N(t->arena, ff_clock, clocks.n);
    const int64_t *offsets = list_offsets(t);
    const ff_dial **walls = list_walls(t);
    for (uint32_t i = 0; i < clocks.n; i++)
        fill_clock(t, i + t->unused, offsets[i + t->unused], walls[i + t->unused], &clocks.at[i]);
    fill_signals(t);
    fill_members(t);
    ff_signals_sort(t->evidence);
    return clocks;
}
