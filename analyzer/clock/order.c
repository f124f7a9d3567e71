/* What the clocks allow to be said of two signals, and no more. */
#include "clock_private.h"

#define EASTMOST (14 * 60 * FF_MINUTE) /* of all zones: UTC+14 */
#define WESTMOST (12 * 60 * FF_MINUTE) /* UTC-12 */

typedef struct span { /* an instant lies in [from, to] */
    int64_t from, to;
} span;

static span span_around(int64_t at, int64_t err) { return (span){ ff_add_capped(at, -err), ff_add_capped(at, err) }; }

static span span_said(const ff_signal *s)
{
    int64_t grain = s->said.grain_ns > 1 ? s->said.grain_ns : 1;
    return (span){ s->said.ns, ff_add_capped(s->said.ns, grain - 1) };
}

static bool same_clock(const ff_signal *a, const ff_signal *b)
{
    return a->clock == b->clock && a->clock != FF_NONE && a->said.kind == b->said.kind &&
           a->said.kind != FF_STAMP_NONE;
}

/* The stamp's own bounds, on the scale where leap days are minded. */
static span span_dated(const ff_signal *s)
{
    int64_t grain = s->said.grain_ns > 1 ? s->said.grain_ns : 1;
    int64_t from = ff_add_capped(s->utc, -(grain / 2));
    return (span){ from, ff_add_capped(from, grain - 1) };
}

/* A date whose zone is not known lies within the zones of the world, and so do most clocks that are set wrong. */
static bool find_wide_span(const ff_signal *s, span *out)
{
    int64_t grain = s->said.grain_ns > 1 ? s->said.grain_ns : 1;
    if (s->has_utc)
        *out = span_around(s->utc, s->utc_err);
    else if (s->wall_ns)
        *out = (span){ ff_add_capped(s->wall_ns, -EASTMOST), ff_add_capped(s->wall_ns, WESTMOST + grain - 1) };
    return s->has_utc || s->wall_ns;
}

/* Both on a scale on which they can be compared. */
static bool find_spans(const ff_signal *a, const ff_signal *b, span *x, span *y)
{
    if (same_clock(a, b) && a->said.kind == FF_STAMP_NO_YEAR && a->has_utc && b->has_utc) {
        *x = span_dated(a);
        *y = span_dated(b);
        return true;
    }
    if (same_clock(a, b)) {
        *x = span_said(a);
        *y = span_said(b);
        return true;
    }
    if (a->has_utc && b->has_utc) {
        *x = span_around(a->utc, a->utc_err);
        *y = span_around(b->utc, b->utc_err);
        return true;
    }
    if (a->frame && a->frame == b->frame && !a->has_utc && !b->has_utc) {
        *x = span_around(a->at_ns, a->at_err);
        *y = span_around(b->at_ns, b->at_err);
        return true;
    }
    return find_wide_span(a, x) && find_wide_span(b, y);
}

/* Wall clocks of two hosts are never exactly one, even where both print UTC. */
static int64_t skew(const ff_signal *a, const ff_signal *b)
{
    bool one = ff_is_empty(a->who.host) || ff_is_empty(b->who.host) || ff_equal_nocase(a->who.host, b->who.host);
    return one ? 0 : FF_HOST_SKEW_NS;
}

static ff_order by_line(const ff_signal *a, const ff_signal *b)
{
    if (a->at.member != b->at.member || a->unordered || b->unordered)
        return FF_ORDER_UNKNOWN;
    if (a->at.line == b->at.line)
        return FF_ORDER_SAME;
    return a->at.line < b->at.line ? FF_ORDER_BEFORE : FF_ORDER_AFTER;
}

static bool has_time(const ff_signal *s) { return s->said.kind != FF_STAMP_NONE && s->clock != FF_NONE; }

static bool equal_stamps(const ff_signal *a, const ff_signal *b)
{
    return same_clock(a, b) && a->said.ns == b->said.ns && a->said.grain_ns == b->said.grain_ns;
}

ff_order ff_signal_order(const ff_signal *a, const ff_signal *b)
{
    span x, y;
    if (!find_spans(a, b, &x, &y))
        return has_time(a) && has_time(b) ? FF_ORDER_UNKNOWN : by_line(a, b);
    int64_t more = skew(a, b);
    if (ff_add_capped(x.to, more) < y.from)
        return FF_ORDER_BEFORE;
    if (ff_add_capped(y.to, more) < x.from)
        return FF_ORDER_AFTER;
    if (equal_stamps(a, b) && a->said.grain_ns < FF_SECOND)
        return more ? FF_ORDER_UNKNOWN : FF_ORDER_SAME;
    if (same_clock(a, b) && by_line(a, b) != FF_ORDER_UNKNOWN)
        return by_line(a, b);
    return equal_stamps(a, b) && !more ? FF_ORDER_SAME : FF_ORDER_UNKNOWN;
}

ff_signal ff_signal_last(const ff_signal *s)
{
    ff_signal last = *s;
    if (s->last_said.kind == FF_STAMP_NONE || s->last_said.kind != s->said.kind)
        return last;
    int64_t later = s->last_said.ns - s->said.ns;
    last.said = s->last_said;
    last.at = s->last_at;
    last.at_ns = ff_add_capped(s->at_ns, later);
    last.wall_ns = s->wall_ns ? ff_add_capped(s->wall_ns, later) : 0;
    if (s->has_utc)
        last.utc = s->last_utc > s->utc ? s->last_utc : s->utc;
    return last;
}

/* Without a year February may end a day earlier than the stamps allow for. */
static int64_t leap_day(const ff_signal *a, const ff_signal *b)
{
    bool no_year = a->said.kind == FF_STAMP_NO_YEAR && b->said.kind == FF_STAMP_NO_YEAR;
    bool around = (a->said.ns < 60 * FF_DAY) != (b->said.ns < 60 * FF_DAY);
    return no_year && around && !(a->has_utc && b->has_utc) ? FF_DAY : 0;
}

bool ff_signal_gap(const ff_signal *a, const ff_signal *b, int64_t *ns)
{
    span x, y;
    if (!find_spans(a, b, &x, &y))
        return false;
    int64_t gap = 0, more = skew(a, b) + leap_day(a, b);
    if (x.to < y.from)
        gap = ff_distance(y.from, x.to);
    else if (y.to < x.from)
        gap = ff_distance(x.from, y.to);
    *ns = gap > more ? gap - more : 0;
    return true;
}
