/* LOCAL and NO_YEAR tracks on clocks: one clock for a host as long as its logs do not name different zones, and one
 * for each member where the host is not known. */
#include "clock_private.h"

#include <stdlib.h>

#define ONE_ZONE (10 * FF_MINUTE)
#define EXACT_ZONE (2 * FF_MINUTE) /* dmesg -T is this far off at most before it tells nothing of the zone */
#define JULY (182 * FF_DAY)
#define HALF_YEAR (183 * FF_DAY)

typedef struct group { /* tracks of one host, kind, class; undated ones by themselves */
    uint32_t *at;
    uint32_t n;
} group;

static bool is_wall(const ff_track *track)
{
    return track->kind == FF_STAMP_LOCAL || track->kind == FF_STAMP_NO_YEAR;
}

static bool is_dated(const ff_track *track) { return track->kind != FF_STAMP_NO_YEAR || track->year; }

/* Its records carry both times, but disagree by hours: writers with different zones in one file, or a clock that was
 * set. No offset holds for all of it. */
static bool is_confused(const ff_track *track) { return track->tie == FF_TIE_NONE && track->n_anchors > 0; }

typedef struct row {
    const ff_track *track;
    uint32_t index;
} row;

static int same_group(const ff_track *x, const ff_track *y)
{
    int by = ff_compare(x->host, y->host);
    if (by)
        return by;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    if (is_dated(x) != is_dated(y))
        return is_dated(x) ? -1 : 1;
    return (int)is_confused(x) - (int)is_confused(y);
}

static int by_group(const void *a, const void *b)
{
    const row *x = a, *y = b;
    int by = same_group(x->track, y->track);
    return by ? by : (x->index > y->index) - (x->index < y->index);
}

static uint32_t add_dial(ff_times *t, const ff_track *track, uint32_t member)
{
    uint32_t dial = ff_dial_add(t, track->kind, track->host, (ff_bytes){ 0 }, member);
    t->dials.at[dial].class = track->class;
    t->dials.at[dial].dated = is_dated(track);
    t->dials.at[dial].year_why = track->year_why;
    t->dials.at[dial].base_year = INT64_MAX;
    return dial;
}

static void put(ff_times *t, uint32_t track, uint32_t dial)
{
    ff_track *it = &t->tracks.at[track];
    ff_dial *d = &t->dials.at[dial];
    int64_t year = it->year ? it->year : it->season;
    it->clock = dial;
    d->base_year = year < d->base_year ? year : d->base_year;
    if (d->is.member != it->member)
        d->is.member = FF_NONE;
}

/* Logs without a year that lie around a New Year: those of the first half year come behind. False: they are spread so
 * wide that their order cannot be told. */
static bool find_seasons(ff_times *t, const group *g)
{
    int64_t low = INT64_MAX, high = INT64_MIN, early = INT64_MIN, late = INT64_MAX;
    for (uint32_t i = 0; i < g->n; i++) {
        int64_t from = 0, to = 0;
        ff_track_range(t, &t->tracks.at[g->at[i]], &from, &to);
        low = from < low ? from : low;
        high = to > high ? to : high;
        bool first_half = from - INT64_C(730) * FF_DAY < JULY;
        early = first_half && to > early ? to : early;
        late = !first_half && from < late ? from : late;
    }
    if (high - low <= HALF_YEAR)
        return true;
    if (early == INT64_MIN || late == INT64_MAX || early + 366 * FF_DAY - late > HALF_YEAR)
        return false;
    for (uint32_t i = 0; i < g->n; i++) {
        int64_t from = 0, to = 0;
        ff_track *track = &t->tracks.at[g->at[i]];
        ff_track_range(t, track, &from, &to);
        track->season = from - INT64_C(730) * FF_DAY < JULY ? 1973 : 1972;
    }
    return true;
}

/* The track whose zone rests on most records. */
static const ff_track *best_tie(const ff_times *t, const group *g)
{
    const ff_track *best = NULL;
    for (uint32_t i = 0; i < g->n; i++) {
        const ff_track *track = &t->tracks.at[g->at[i]];
        if (track->tie == FF_TIE_NONE)
            continue;
        if (!best || (track->tie == FF_TIE_TWICE && best->tie == FF_TIE_NEAR) ||
            (track->tie == best->tie && track->n_anchors > best->n_anchors))
            best = track;
    }
    return best;
}

static bool all_agree(const ff_times *t, const group *g, const ff_track *best)
{
    for (uint32_t i = 0; i < g->n; i++) {
        const ff_track *track = &t->tracks.at[g->at[i]];
        if (track->tie != FF_TIE_NONE && ff_distance(track->to_utc, best->to_utc) > ONE_ZONE)
            return false;
    }
    return true;
}

static void put_apart(ff_times *t, const group *g, bool disputed)
{
    uint32_t first = t->dials.n;
    for (uint32_t i = 0; i < g->n; i++) {
        const ff_track *track = &t->tracks.at[g->at[i]];
        uint32_t dial = FF_NONE;
        for (uint32_t k = first; k < t->dials.n && disputed && track->tie != FF_TIE_NONE && dial == FF_NONE; k++)
            if (t->dials.at[k].has_utc_link && ff_distance(t->dials.at[k].offset, track->to_utc) <= ONE_ZONE)
                dial = k;
        if (dial == FF_NONE) {
            dial = add_dial(t, track, track->member);
            t->dials.at[dial].disputed = disputed && track->tie == FF_TIE_NONE;
            t->dials.at[dial].has_utc_link = track->tie != FF_TIE_NONE;
            t->dials.at[dial].offset = track->to_utc;
        }
        put(t, g->at[i], dial);
    }
    for (uint32_t k = first; k < t->dials.n; k++)
        t->dials.at[k].has_utc_link = false; /* was only a note for this loop */
}

static void put_together(ff_times *t, const group *g)
{
    const ff_track *first = &t->tracks.at[g->at[0]];
    uint32_t dial = add_dial(t, first, first->member);
    for (uint32_t i = 0; i < g->n; i++)
        put(t, g->at[i], dial);
}

static bool dated_kin(const ff_times *t, const ff_track *track)
{
    for (uint32_t i = 1; i < t->dials.n; i++) {
        const ff_dial *d = &t->dials.at[i];
        if (d->is.kind == track->kind && d->class == track->class && d->dated && ff_equal(d->is.host, track->host))
            return true;
    }
    return false;
}

static void put_group(ff_times *t, const group *g)
{
    const ff_track *first = &t->tracks.at[g->at[0]];
    if (ff_is_empty(first->host) || is_confused(first))
        put_apart(t, g, is_confused(first));
    else if (!is_dated(first))
        !dated_kin(t, first) && find_seasons(t, g) ? put_together(t, g) : put_apart(t, g, false);
    else if (all_agree(t, g, best_tie(t, g)))
        put_together(t, g);
    else
        put_apart(t, g, true);
}

static ff_bytes count_text(ff_times *t, uint32_t n, const char *one, const char *many)
{
    return ff_arena_format(t->arena, "%u %s", n, n == 1 ? one : many);
}

/* One tie for a dial out of those of its tracks: records with both times count together, neighbours only without
 * them. */
static void link_to_utc(ff_times *t, uint32_t dial, const row *rows, uint32_t n_rows)
{
    ff_numbers v = { 0 };
    uint32_t n = 0, near = 0;
    int64_t err = 0, beside = 0;
    for (uint32_t i = 0; i < n_rows; i++) {
        const ff_track *track = rows[i].track;
        if (track->tie == FF_TIE_NEAR) {
            beside = track->to_utc;
            near += track->n_anchors;
        } else if (track->tie == FF_TIE_TWICE) {
            FF_PUSH(&v, track->to_utc);
            n += track->n_anchors;
            err = track->err > err ? track->err : err;
        }
    }
    int64_t median = 0, spread = 0;
    if (v.n) {
        ff_spread(v.at, v.n, &median, &spread);
        ff_link_add(t, dial, FF_DIAL_UTC, median, ff_add_capped(err, spread), n,
                    count_text(t, n, "line carries both times", "lines carry both times"));
    } else if (near) {
        ff_link_add(t, dial, FF_DIAL_UTC, beside, 0, near,
                    count_text(t, near, "line stands next to one with UTC", "lines stand next to ones with UTC"));
    }
    ff_free(v.at);
}

static int by_clock(const void *a, const void *b)
{
    const row *x = a, *y = b;
    if (x->track->clock != y->track->clock)
        return x->track->clock < y->track->clock ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static void link_walls(ff_times *t, row *rows, uint32_t n)
{
    if (n > 1)
        qsort(rows, n, sizeof *rows, by_clock);
    for (uint32_t from = 0, to = 0; from < n; from = to) {
        uint32_t dial = rows[from].track->clock;
        for (to = from; to < n && rows[to].track->clock == dial;)
            to++;
        if (t->dials.at[dial].dated)
            link_to_utc(t, dial, rows + from, to - from);
    }
}

void ff_walls_join(ff_times *t)
{
    uint32_t n = 0;
    row *rows = FF_NEW_N(&t->scratch, row, t->tracks.n + 1);
    uint32_t *index = FF_NEW_N(&t->scratch, uint32_t, t->tracks.n + 1);
    for (uint32_t i = 0; i < t->tracks.n; i++)
        if (is_wall(&t->tracks.at[i]))
            rows[n++] = (row){ &t->tracks.at[i], i };
    if (n > 1)
        qsort(rows, n, sizeof *rows, by_group);
    for (uint32_t i = 0; i < n; i++)
        index[i] = rows[i].index;
    for (uint32_t from = 0, to = 0; from < n; from = to) {
        for (to = from; to < n && same_group(rows[to].track, rows[from].track) == 0;)
            to++;
        group g = { index + from, to - from };
        put_group(t, &g);
    }
    link_walls(t, rows, n);
}

/* ---- what logs of one host, and lines of one file, lend each other ---- */

typedef struct lender { /* the zone that logs of one side of a host agree on */
    bool known, disputed;
    int64_t zone;
} lender;

static bool is_job(const ff_dial *d) { return d->class == FF_TRACK_JOB; }

static void lend(lender *side, int64_t to_utc)
{
    int64_t zone = 0, rest = 0;
    if (!ff_zone_near(to_utc, &zone, &rest) || rest > EXACT_ZONE)
        return;
    side->disputed = side->disputed || (side->known && side->zone != zone);
    side->known = true;
    side->zone = zone;
}

/* dials: those of one host, or of one member whose host is not known; LOCAL and NO_YEAR. */
static void share_zone(ff_times *t, const uint32_t *dials, uint32_t n)
{
    lender host = { 0 }, job = { 0 };
    for (uint32_t i = 0; i < n; i++) {
        const ff_dial *d = &t->dials.at[dials[i]];
        if (d->has_utc_link)
            lend(is_job(d) ? &job : &host, d->offset);
    }
    uint32_t first[2] = { FF_NONE, FF_NONE };
    for (uint32_t i = 0; i < n; i++) {
        const ff_dial *d = &t->dials.at[dials[i]];
        if (d->has_utc_link || !d->dated || d->disputed)
            continue;
        /* A container may keep UTC on a host that does not, so its zone says nothing about the host; and what the
         * host keeps holds for a container only if it is UTC. */
        lender from = is_job(d) && !job.known && host.known && host.zone == 0 ? host : is_job(d) ? job : host;
        int64_t drift = d->class == FF_TRACK_KERNEL ? FF_KERNEL_DRIFT : 0;
        uint32_t *hub = &first[is_job(d)];
        if (from.known && !from.disputed)
            ff_link_add(t, dials[i], FF_DIAL_UTC, from.zone, drift, 1,
                        ff_str(ff_is_empty(d->is.host) ? "the zone is known from other lines of the file"
                                                       : "the zone is known from another log of this host"));
        else if (from.disputed)
            t->dials.at[dials[i]].disputed = true;
        else if (*hub == FF_NONE)
            *hub = dials[i];
        else
            ff_link_add(t, dials[i], *hub, 0,
                        drift + (t->dials.at[*hub].class == FF_TRACK_KERNEL ? FF_KERNEL_DRIFT : 0), 1,
                        ff_str("same host, same zone"));
    }
}

typedef struct dial_row {
    ff_bytes host;
    uint32_t member; /* where the host is not known; otherwise FF_NONE */
    uint32_t dial;
} dial_row;

static int same_place(const dial_row *x, const dial_row *y)
{
    int by = ff_compare(x->host, y->host);
    return by ? by : (x->member > y->member) - (x->member < y->member);
}

static int by_place(const void *a, const void *b)
{
    const dial_row *x = a, *y = b;
    int by = same_place(x, y);
    return by ? by : (x->dial > y->dial) - (x->dial < y->dial);
}

static void note_utc_links(ff_times *t)
{
    for (uint32_t i = 0; i < t->links.n; i++) {
        const ff_link *link = &t->links.at[i];
        if (link->b != FF_DIAL_UTC)
            continue;
        t->dials.at[link->a].has_utc_link = true;
        t->dials.at[link->a].offset = link->delta;
    }
}

void ff_zones_share(ff_times *t)
{
    note_utc_links(t);
    dial_row *rows = FF_NEW_N(&t->scratch, dial_row, t->dials.n + 1);
    uint32_t *dials = FF_NEW_N(&t->scratch, uint32_t, t->dials.n + 1), n = 0;
    for (uint32_t i = 1; i < t->dials.n; i++) {
        const ff_clock *clock = &t->dials.at[i].is;
        if (clock->kind != FF_STAMP_SINCE_BOOT)
            rows[n++] = (dial_row){ clock->host, ff_is_empty(clock->host) ? clock->member : FF_NONE, i };
    }
    if (n > 1)
        qsort(rows, n, sizeof *rows, by_place);
    for (uint32_t i = 0; i < n; i++)
        dials[i] = rows[i].dial;
    for (uint32_t from = 0, to = 0; from < n; from = to) {
        for (to = from; to < n && same_place(&rows[to], &rows[from]) == 0;)
            to++;
        share_zone(t, dials + from, to - from);
    }
}
