/* The year of dates that were written without one: from the same record, from the dates around it, from the file's
 * own date; and never from today. */
#include "clock_private.h"

#include "../base/text.h"

#include <stdlib.h>

#define NEAR (3 * FF_DAY)
#define BEFORE_FILE (62 * 60 * FF_MINUTE) /* 48 hours, and the zone is not known yet */
#define AFTER_FILE (14 * 60 * FF_MINUTE)
#define MOST_INTERVALS 1000u

typedef struct interval { /* days that something dated speaks of */
    ff_bytes host;
    int64_t low, high;
} interval;

typedef FF_VEC(interval) intervals;

typedef struct ends { /* earliest and latest moment of a track */
    const ff_moment *low, *high;
} ends;

static ends ends_of(const ff_times *t, const ff_track *track)
{
    ends e = { &t->moments[track->first], &t->moments[track->first] };
    for (uint32_t i = track->first; i < track->first + track->n; i++) {
        const ff_moment *m = &t->moments[i];
        if (ff_moment_wall(t, m) < ff_moment_wall(t, e.low))
            e.low = m;
        if (ff_moment_wall(t, m) > ff_moment_wall(t, e.high))
            e.high = m;
    }
    return e;
}

static int64_t year_of(int64_t ns)
{
    int64_t year = 0;
    unsigned month = 0, day = 0;
    ff_date_from_days(ns / FF_DAY - (ns % FF_DAY < 0), &year, &month, &day);
    return year;
}

static bool is_leap(int64_t year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

static bool lacks_year(const ff_track *track) { return track->kind == FF_STAMP_NO_YEAR && !track->year; }

static bool can_be(const ff_track *track, int64_t year)
{
    return year >= 1970 && year <= 2261 && (!track->leap_day || is_leap(year) || is_leap(year + 1));
}

/* A dated instant for the same record, as near to local time as it gets. */
static bool dated_twin(const ff_times *t, const ff_moment *m, int64_t *ns)
{
    if (m->twin == FF_NONE)
        return false;
    const ff_moment *other = &t->moments[m->twin];
    if (other->kind == FF_STAMP_UTC || other->kind == FF_STAMP_LOCAL) {
        *ns = other->ns;
        return true;
    }
    uint32_t dial = other->kind == FF_STAMP_SINCE_BOOT ? t->tracks.at[other->track].clock : FF_NONE;
    if (dial == FF_NONE || !t->dials.at[dial].is.anchored)
        return false;
    *ns = ff_add_capped(other->ns, t->dials.at[dial].is.offset_ns);
    return true;
}

/* The year in which the moment lies nearest to ns; false when that is not near at all. */
static bool year_near(ff_times *t, const ff_moment *m, int64_t ns, int64_t *year)
{
    ff_track *track = &t->tracks.at[m->track];
    int64_t best = NEAR;
    bool found = false;
    for (int64_t y = year_of(ns) - 1; y <= year_of(ns) + 1; y++) {
        if (y - m->wraps < 1970 || y > 2261)
            continue;
        track->year = (int32_t)(y - m->wraps);
        int64_t far = ff_distance(ff_moment_wall(t, m), ns);
        if (far < best) {
            best = far;
            *year = y - m->wraps;
            found = true;
        }
    }
    track->year = 0;
    return found;
}

static void from_twins(ff_times *t, ff_track *track)
{
    ff_numbers votes = { 0 };
    for (uint32_t i = track->first; i < track->first + track->n; i++) {
        int64_t ns = 0, year = 0;
        if (dated_twin(t, &t->moments[i], &ns) && year_near(t, &t->moments[i], ns, &year))
            FF_PUSH(&votes, year);
    }
    ff_numbers_sort(votes.at, votes.n);
    int64_t year = votes.n ? votes.at[votes.n / 2] : 0;
    uint32_t same = 0;
    for (uint32_t i = 0; i < votes.n; i++)
        same += votes.at[i] == year;
    if (votes.n && same >= votes.n - votes.n / 10) {
        track->year = (int32_t)year;
        track->year_why = "lines that also carry the year";
    }
    ff_free(votes.at);
}

/* The one year in which the track overlaps any of the intervals, three days to spare. */
static void from_intervals(ff_times *t, ff_track *track, const interval *at, uint32_t n, const char *why)
{
    ends e = ends_of(t, track);
    int64_t only = 0;
    for (uint32_t i = 0; i < n && i < MOST_INTERVALS; i++) {
        for (int64_t y = year_of(at[i].low) - 1; y <= year_of(at[i].high) + 1; y++) {
            if (!can_be(track, y) || y == only)
                continue;
            track->year = (int32_t)y;
            bool fits =
                ff_moment_wall(t, e.low) <= at[i].high + NEAR && ff_moment_wall(t, e.high) >= at[i].low - NEAR;
            track->year = 0;
            if (fits && only)
                return; /* two years fit: nothing is known */
            only = fits ? y : only;
        }
    }
    if (only) {
        track->year = (int32_t)only;
        track->year_why = why;
    }
}

static ff_bytes host_of(const ff_times *t, const ff_track *track)
{
    return ff_is_empty(track->host) ? t->evidence->members[track->member].who.host : track->host;
}

static bool interval_of(const ff_times *t, const ff_track *track, interval *out)
{
    if (track->kind == FF_STAMP_SINCE_BOOT || lacks_year(track))
        return false;
    out->host = host_of(t, track);
    ff_track_range(t, track, &out->low, &out->high);
    return true;
}

static int by_host_and_start(const void *a, const void *b)
{
    const interval *x = a, *y = b;
    int by = ff_compare(x->host, y->host);
    return by ? by : (x->low > y->low) - (x->low < y->low);
}

/* Intervals of all dated tracks, those of a host sorted and melted together. */
static intervals list_intervals(const ff_times *t, bool by_host)
{
    intervals all = { 0 };
    for (uint32_t i = 0; i < t->tracks.n; i++) {
        interval next;
        if (!interval_of(t, &t->tracks.at[i], &next))
            continue;
        if (!by_host)
            next.host = (ff_bytes){ 0 };
        FF_PUSH(&all, next);
    }
    if (!all.n)
        return all;
    qsort(all.at, all.n, sizeof *all.at, by_host_and_start);
    uint32_t last = 0;
    for (uint32_t i = 1; i < all.n; i++) {
        interval *before = &all.at[last], *next = &all.at[i];
        if (!ff_equal(before->host, next->host) || next->low > before->high + NEAR)
            all.at[++last] = *next;
        else if (next->high > before->high)
            before->high = next->high;
    }
    all.n = last + 1;
    return all;
}

static void from_member(ff_times *t)
{
    for (uint32_t from = 0, to = 0; from < t->tracks.n; from = to) {
        intervals dated = { 0 };
        for (to = from; to < t->tracks.n && t->tracks.at[to].member == t->tracks.at[from].member; to++) {
            interval next;
            if (interval_of(t, &t->tracks.at[to], &next))
                FF_PUSH(&dated, next);
        }
        for (uint32_t i = from; i < to; i++)
            if (lacks_year(&t->tracks.at[i]))
                from_intervals(t, &t->tracks.at[i], dated.at, dated.n, "other lines of the file");
        ff_free(dated.at);
    }
}

static void from_others(ff_times *t, bool by_host)
{
    intervals all = list_intervals(t, by_host);
    for (uint32_t i = 0; i < t->tracks.n; i++) {
        ff_track *track = &t->tracks.at[i];
        ff_bytes host = by_host ? host_of(t, track) : (ff_bytes){ 0 };
        if (!lacks_year(track) || (by_host && ff_is_empty(host)))
            continue;
        uint32_t from = 0;
        while (from < all.n && ff_compare(all.at[from].host, host) < 0)
            from++;
        uint32_t to = from;
        while (to < all.n && ff_equal(all.at[to].host, host))
            to++;
        from_intervals(t, track, from < to ? &all.at[from] : NULL, to - from,
                       by_host ? "other logs of this host" : "other logs of the bundle");
    }
    ff_free(all.at);
}

static void from_file_date(ff_times *t)
{
    for (uint32_t i = 0; i < t->tracks.n; i++) {
        ff_track *track = &t->tracks.at[i];
        int64_t mtime_s = t->evidence->members[track->member].mtime_s;
        if (!lacks_year(track) || mtime_s <= 0 || mtime_s > INT64_MAX / FF_SECOND / 2)
            continue;
        int64_t date = mtime_s * FF_SECOND;
        ends e = ends_of(t, track);
        for (int64_t y = year_of(date) - 1 - e.high->wraps; y <= year_of(date) + 1 - e.high->wraps; y++) {
            if (!can_be(track, y))
                continue;
            track->year = (int32_t)y;
            int64_t ahead = date - ff_moment_wall(t, e.high);
            if (ahead <= BEFORE_FILE && ahead >= -AFTER_FILE) {
                track->year_why = "the file's own date";
                break;
            }
            track->year = 0;
        }
    }
}

void ff_years_find(ff_times *t)
{
    for (uint32_t i = 0; i < t->tracks.n; i++)
        if (lacks_year(&t->tracks.at[i]))
            from_twins(t, &t->tracks.at[i]);
    from_member(t);
    from_others(t, true);
    from_others(t, false);
    from_file_date(t);
    from_others(t, true);
    from_others(t, false);
}
