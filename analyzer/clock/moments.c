/* Every time of the bundle in one table, sorted, and cut into tracks: one kind, one host, one boot, one member. */
#include "clock_private.h"

#include "../base/sorted.h"
#include "../base/text.h"

#include <stdlib.h>

#define LONGEST_UPTIME (100 * 366 * FF_DAY)
#define LAST_WALL (INT64_C(9215) * 1000000 * FF_SECOND) /* in 2262, with room for a zone */
#define NEW_BOOT (10 * FF_SECOND)                       /* lines of several CPUs are out of order by far less */
#define NOVEMBER (305 * FF_DAY) /* in the leap year that dates without a year are counted in */
#define APRIL (91 * FF_DAY)
#define MOST_YEARS 50 /* a hostile log that goes round and round */
#define LAST_YEAR 2261
#define LEAST_FALLS 4u /* fewer may be boots; a New Year is one rise among many falls */
#define JOB_STREAMS ((uint32_t)(FF_STREAM_APP | FF_STREAM_NCCL | FF_STREAM_RECORDER))

typedef struct speaker { /* a host that the frames of a member name */
    uint32_t member;
    ff_bytes host;
} speaker;

typedef FF_VEC(speaker) speakers;

static bool is_address(ff_bytes host)
{
    for (size_t i = 0; i < host.n; i++)
        if (!(host.p[i] >= '0' && host.p[i] <= '9') && host.p[i] != '.')
            return false;
    return true;
}

/* "GPU-A01.example.com" and "gpu-a01" are one host: logs of one machine differ in this. */
static ff_bytes short_host(ff_times *t, ff_bytes host)
{
    if (!is_address(host)) {
        size_t dot = ff_find(host, FF_LIT("."));
        host = dot && dot < host.n ? ff_first_n(host, dot) : host;
    }
    bool upper = false;
    for (size_t i = 0; i < host.n; i++)
        upper = upper || (host.p[i] >= 'A' && host.p[i] <= 'Z');
    if (!upper)
        return host;
    if (ff_equal(host, t->upper_host))
        return t->lower_host;
    char *p = ff_arena_str(t->arena, host);
    for (size_t i = 0; i < host.n; i++)
        if (p[i] >= 'A' && p[i] <= 'Z')
            p[i] = (char)(p[i] - 'A' + 'a');
    t->upper_host = host;
    t->lower_host = (ff_bytes){ p, host.n };
    return t->lower_host;
}

static int by_member_host(const void *a, const void *b)
{
    const speaker *x = a, *y = b;
    if (x->member != y->member)
        return x->member < y->member ? -1 : 1;
    return ff_compare(x->host, y->host);
}

static speakers list_speakers(ff_times *t)
{
    speakers all = { 0 };
    const ff_evidence *e = t->evidence;
    for (uint32_t i = 0; i < e->n_samples; i++) {
        speaker s = { e->samples[i].member, short_host(t, e->samples[i].host) };
        if (!ff_is_empty(s.host) && (!all.n || by_member_host(&all.at[all.n - 1], &s) != 0))
            FF_PUSH(&all, s);
    }
    if (!all.n)
        return all;
    qsort(all.at, all.n, sizeof *all.at, by_member_host);
    uint32_t n = 1;
    for (uint32_t i = 1; i < all.n; i++)
        if (by_member_host(&all.at[n - 1], &all.at[i]) != 0)
            all.at[n++] = all.at[i];
    all.n = n;
    return all;
}

static uint32_t first_of_member(const speakers *all, uint32_t member)
{
    speaker first = { .member = member };
    return ff_sorted_slot(&first, all->at, all->n, sizeof first, by_member_host);
}

/* Whose clock a signal was stamped by. Its who may name a host that the line is about (a controller on its nodes), so
 * it counts only where the frames of the member name that host too. */
static ff_bytes speaker_of(ff_times *t, const speakers *all, const ff_signal *s)
{
    uint32_t first = first_of_member(all, s->at.member), n = 0;
    ff_bytes host = short_host(t, s->who.host);
    while (first + n < all->n && all->at[first + n].member == s->at.member) {
        if (ff_equal(all->at[first + n].host, host))
            return host;
        n++;
    }
    if (n == 1)
        return all->at[first].host;
    return n ? (ff_bytes){ 0 } : short_host(t, t->evidence->members[s->at.member].who.host);
}

static bool is_sane(ff_stamp s)
{
    switch (s.kind) {
    case FF_STAMP_UTC:
    case FF_STAMP_LOCAL:
        return s.ns > -FF_DAY && s.ns < LAST_WALL;
    case FF_STAMP_SINCE_BOOT:
        return s.ns >= 0 && s.ns < LONGEST_UPTIME;
    case FF_STAMP_NO_YEAR:
        return s.ns >= 0 && s.ns < 366 * FF_DAY;
    case FF_STAMP_NONE:
        return false;
    }
    return false;
}

static void add_moment(ff_times *t, ff_moment like, ff_stamp stamp, ff_part part)
{
    if (!is_sane(stamp))
        return;
    like.kind = stamp.kind;
    like.part = part;
    like.ns = stamp.ns;
    like.grain = stamp.grain_ns < 1 ? 1 : stamp.grain_ns > FF_DAY ? FF_DAY : stamp.grain_ns;
    like.twin = FF_NONE;
    if (stamp.kind != FF_STAMP_SINCE_BOOT)
        like.boot = (ff_bytes){ 0 };
    if (stamp.kind == FF_STAMP_UTC)
        like.host = (ff_bytes){ 0 }; /* one clock for all */
    t->moments[t->n_moments++] = like;
}

static void add_samples(ff_times *t)
{
    const ff_evidence *e = t->evidence;
    for (uint32_t i = 0; i < e->n_samples; i++) {
        const ff_sample *s = &e->samples[i];
        const ff_who *who = &e->members[s->member].who;
        ff_moment m = { .member = s->member, .line = s->line, .signal = FF_NONE, .record = i, .boot = s->boot };
        m.collected = s->collected;
        m.host = short_host(t, ff_is_empty(s->host) ? who->host : s->host);
        add_moment(t, m, s->said, FF_PART_SAID);
        add_moment(t, m, s->also, FF_PART_ALSO);
    }
}

static void add_signals(ff_times *t, const speakers *all)
{
    const ff_evidence *e = t->evidence;
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const ff_signal *s = &e->signals[i];
        ff_moment m = { .member = s->at.member, .line = s->at.line, .offset = s->at.offset, .signal = i };
        m.record = e->n_samples + i;
        m.host = speaker_of(t, all, s);
        m.boot = s->who.boot;
        add_moment(t, m, s->said, FF_PART_SAID);
        add_moment(t, m, s->also, FF_PART_ALSO);
        if (s->count < 2 || s->last_at.line <= s->at.line)
            continue;
        m.line = s->last_at.line;
        m.offset = s->last_at.offset;
        add_moment(t, m, s->last_said, FF_PART_LAST);
    }
}

#define COMPARE(x, y)                                                                                                \
    do {                                                                                                             \
        if ((x) != (y))                                                                                              \
            return (x) < (y) ? -1 : 1;                                                                               \
    } while (0)

static int same_track(const ff_moment *x, const ff_moment *y)
{
    COMPARE(x->member, y->member);
    COMPARE(x->kind, y->kind);
    int by = ff_compare(x->host, y->host);
    return by ? by : ff_compare(x->boot, y->boot);
}

static int by_track_and_line(const void *a, const void *b)
{
    const ff_moment *x = a, *y = b;
    int by = same_track(x, y);
    if (by)
        return by;
    COMPARE(x->line, y->line);
    COMPARE(x->offset, y->offset);
    COMPARE(x->ns, y->ns);
    COMPARE(x->part, y->part);
    COMPARE(x->record, y->record);
    return 0;
}

static void find_twins(ff_times *t)
{
    uint32_t n = t->evidence->n_samples + t->evidence->n_signals;
    uint32_t *first = FF_NEW_N(&t->scratch, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++)
        first[i] = FF_NONE;
    for (uint32_t i = 0; i < t->n_moments; i++) {
        ff_moment *m = &t->moments[i];
        if (m->part == FF_PART_LAST)
            continue;
        if (first[m->record] == FF_NONE) {
            first[m->record] = i;
        } else {
            m->twin = first[m->record];
            t->moments[m->twin].twin = i;
        }
    }
}

static ff_track_class class_of(const ff_times *t, const ff_member *m, const ff_moment *first)
{
    if (first->kind == FF_STAMP_LOCAL && first->grain >= FF_SECOND && m->streams == (uint32_t)FF_STREAM_KERNEL)
        return FF_TRACK_KERNEL;
    bool job = (m->streams && !(m->streams & ~JOB_STREAMS)) || !ff_is_empty(m->who.pod) ||
               !ff_is_empty(m->who.pod_uid) || !ff_is_empty(m->who.container);
    return t->containers && job ? FF_TRACK_JOB : FF_TRACK_HOST;
}

static bool names_linux_version(const ff_times *t, const ff_moment *m)
{
    return m->signal != FF_NONE && m->ns < 2 * FF_SECOND &&
           ff_contains(t->evidence->signals[m->signal].quote, FF_LIT("Linux version "));
}

/* Where a log without boot ids falls back in time, another boot begins: files of several boots get concatenated. */
static bool begins_boot(const ff_times *t, const ff_moment *before, const ff_moment *m)
{
    if (m->kind != FF_STAMP_SINCE_BOOT || !ff_is_empty(m->boot) || m->ns >= before->ns)
        return false;
    return before->ns - m->ns > NEW_BOOT || (m->ns < FF_SECOND && before->ns >= 2 * FF_SECOND) ||
           names_linux_version(t, m);
}

static int32_t years_after(const ff_moment *before, const ff_moment *m, bool backwards)
{
    if (m->kind != FF_STAMP_NO_YEAR)
        return 0;
    if (backwards && before->ns < APRIL && m->ns >= NOVEMBER && before->wraps > -MOST_YEARS)
        return before->wraps - 1;
    if (backwards)
        return before->wraps;
    if (before->ns >= NOVEMBER && m->ns < APRIL && before->wraps < MOST_YEARS)
        return before->wraps + 1;
    if (before->ns < APRIL && m->ns >= NOVEMBER && before->wraps > 0)
        return before->wraps - 1; /* a line of the old year that comes late */
    return before->wraps;
}

static void open_track(ff_times *t, uint32_t at)
{
    const ff_moment *m = &t->moments[at];
    const ff_member *member = &t->evidence->members[m->member];
    ff_track track = { .kind = m->kind, .host = m->host, .boot = m->boot, .member = m->member, .first = at };
    track.class = class_of(t, member, m);
    track.last_boot = true;
    track.season = 1972;
    track.clock = FF_NONE;
    FF_PUSH(&t->tracks, track);
}

static bool is_leap_day(const ff_moment *m)
{
    return m->kind == FF_STAMP_NO_YEAR && m->ns >= 59 * FF_DAY && m->ns < 60 * FF_DAY;
}

/* The newest line first, as journalctl -r and log portals print: nearly every line falls back. */
static bool runs_backwards(const ff_times *t, uint32_t from)
{
    uint32_t rises = 0, falls = 0;
    for (uint32_t i = from + 1; i < t->n_moments && same_track(&t->moments[from], &t->moments[i]) == 0; i++) {
        rises += t->moments[i].ns > t->moments[i - 1].ns;
        falls += t->moments[i].ns < t->moments[i - 1].ns;
    }
    return falls >= LEAST_FALLS && rises <= falls / LEAST_FALLS;
}

static void cut_tracks(ff_times *t)
{
    bool backwards = false;
    for (uint32_t i = 0; i < t->n_moments; i++) {
        ff_moment *m = &t->moments[i], *before = i ? m - 1 : NULL;
        bool same = before && same_track(before, m) == 0;
        if (!same)
            backwards = runs_backwards(t, i);
        if (same && (before->stretch != m->stretch || (!backwards && begins_boot(t, before, m)))) {
            t->tracks.at[t->tracks.n - 1].last_boot = false;
            same = false;
        }
        if (!same)
            open_track(t, i);
        else
            m->wraps = years_after(before, m, backwards);
        ff_track *track = &t->tracks.at[t->tracks.n - 1];
        m->track = t->tracks.n - 1;
        track->leap_day = track->leap_day || is_leap_day(m);
        track->n++;
    }
}

/* The boot id of a whole member holds for its last boot only. */
static void give_member_boots(ff_times *t)
{
    for (uint32_t i = 0; i < t->tracks.n; i++) {
        ff_track *track = &t->tracks.at[i];
        if (track->kind == FF_STAMP_SINCE_BOOT && ff_is_empty(track->boot) && track->last_boot)
            track->boot = t->evidence->members[track->member].who.boot;
    }
}

static bool is_container(const ff_who *who, uint32_t streams)
{
    bool only = streams && !(streams & ~(uint32_t)(FF_STREAM_K8S | FF_STREAM_RUNTIME));
    return only || !ff_is_empty(who->container) || !ff_is_empty(who->pod) || !ff_is_empty(who->pod_uid);
}

static bool knows_containers(const ff_evidence *e)
{
    for (uint32_t i = 0; i < e->n_members; i++)
        if (is_container(&e->members[i].who, e->members[i].streams))
            return true;
    for (uint32_t i = 0; i < e->n_signals; i++)
        if (is_container(&e->signals[i].who, e->signals[i].stream))
            return true;
    return false;
}

void ff_moments_gather(ff_times *t)
{
    const ff_evidence *e = t->evidence;
    t->containers = knows_containers(e);
    t->moments = FF_NEW_N(&t->scratch, ff_moment, 2 * (size_t)e->n_samples + 3 * (size_t)e->n_signals + 1);
    speakers all = list_speakers(t);
    add_samples(t);
    add_signals(t, &all);
    ff_free(all.at);
    ff_markers_see(t);
    if (t->n_moments > 1)
        qsort(t->moments, t->n_moments, sizeof *t->moments, by_track_and_line);
    find_twins(t);
    cut_tracks(t);
    give_member_boots(t);
}

int64_t ff_moment_wall(const ff_times *t, const ff_moment *m)
{
    if (m->kind != FF_STAMP_NO_YEAR)
        return m->ns;
    const ff_track *track = &t->tracks.at[m->track];
    int64_t year = 0;
    unsigned month = 0, day = 0;
    ff_date_from_days(ff_days_from_date(1972, 1, 1) + m->ns / FF_DAY, &year, &month, &day);
    year = (track->year ? track->year : track->season) + m->wraps;
    year = year > LAST_YEAR ? LAST_YEAR : year;
    return ff_days_from_date(year, month, day) * FF_DAY + m->ns % FF_DAY;
}

int64_t ff_moment_middle(const ff_times *t, const ff_moment *m) { return ff_moment_wall(t, m) + m->grain / 2; }

void ff_track_range(const ff_times *t, const ff_track *track, int64_t *low, int64_t *high)
{
    *low = INT64_MAX;
    *high = INT64_MIN;
    for (uint32_t i = track->first; i < track->first + track->n; i++) {
        int64_t wall = ff_moment_wall(t, &t->moments[i]);
        *low = wall < *low ? wall : *low;
        *high = wall > *high ? wall : *high;
    }
}
