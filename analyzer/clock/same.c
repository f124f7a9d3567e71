/* Clocks that nothing else ties, tied by what they saw together. Two ways: the same line of the kernel log, printed
 * once with boot time and once with wall time; and the same container, pod or process spoken of at moments that
 * differ by a whole zone. */
#include "clock_private.h"

#include <stdlib.h>

#define AT_ONCE (2 * FF_SECOND)      /* one event as two daemons log it */
#define ONE_PAIR (5 * FF_SECOND)     /* enough, when it says that the zone is UTC */
#define MOST_EACH 24u                /* signals of one container, pod or process that are compared */
#define MOST_VOTES 500000u           /* 48 bytes each */
#define SHORTEST_LINE 16u            /* bytes of a kernel line that can be told from others */
#define LINE_SPREAD (30 * FF_SECOND) /* equal lines of two prints of one log agree within this, or are chance */

typedef struct sight { /* an instant at which something was spoken of */
    ff_bytes host, key;
    uint32_t kind, dial, moment;
    int64_t at; /* UTC, or wall time of its dial */
} sight;

typedef struct vote {
    uint32_t dial;
    int64_t zone, wall, utc;
    uint32_t wall_member, utc_member;
} vote;

typedef FF_VEC(sight) sights;
typedef FF_VEC(vote) votes;

static int by_key(const void *a, const void *b)
{
    const sight *x = a, *y = b;
    int by = ff_compare(x->host, y->host);
    by = by ? by : ff_compare(x->key, y->key);
    if (by)
        return by;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->dial != y->dial)
        return x->dial < y->dial ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->moment > y->moment) - (x->moment < y->moment);
}

static bool same_key(const sight *x, const sight *y)
{
    return x->kind == y->kind && ff_equal(x->key, y->key) && ff_equal(x->host, y->host);
}

static void sort_sights(sights *s)
{
    if (s->n)
        qsort(s->at, s->n, sizeof *s->at, by_key);
}

static bool is_open(const ff_dial *d)
{
    return d->frame != FF_FRAME_UTC && d->dated && !d->disputed && d->is.kind != FF_STAMP_SINCE_BOOT;
}

/* ---- the same container, pod or process ---- */

static void add_sight(sights *all, sight s, ff_bytes key)
{
    if (ff_is_empty(key))
        return;
    s.key = key;
    FF_PUSH(all, s);
}

static void list_sights(ff_times *t, sights *all)
{
    for (uint32_t i = 0; i < t->n_moments; i++) {
        const ff_moment *m = &t->moments[i];
        if (m->signal == FF_NONE || m->part == FF_PART_LAST)
            continue;
        const ff_dial *d = &t->dials.at[t->tracks.at[m->track].clock];
        if (d->frame != FF_FRAME_UTC && !is_open(d))
            continue;
        const ff_who *who = &t->evidence->signals[m->signal].who;
        sight s = { .moment = i, .dial = FF_DIAL_UTC, .at = ff_moment_middle(t, m) };
        if (d->frame == FF_FRAME_UTC)
            s.at = ff_add_capped(s.at, d->offset);
        else
            s.dial = t->tracks.at[m->track].clock;
        add_sight(all, s, who->container);
        s.kind = 1;
        add_sight(all, s, who->pod_uid);
        s.kind = 2;
        s.host = ff_is_empty(m->host) ? t->evidence->members[m->member].who.host : m->host;
        if (who->pid > 1 && !ff_is_empty(s.host))
            add_sight(all, s, ff_arena_format(&t->scratch, "%d", (int)who->pid));
    }
}

static void vote_on(const ff_times *t, votes *all, const sight *wall, const sight *utc)
{
    int64_t zone = 0, rest = 0, grain = t->moments[wall->moment].grain + t->moments[utc->moment].grain;
    if (!ff_zone_near(ff_add_capped(utc->at, -wall->at), &zone, &rest))
        return;
    if (rest > (zone == 0 ? ONE_PAIR : AT_ONCE) + grain / 2)
        return;
    vote v = { .dial = wall->dial, .zone = zone, .wall = wall->at, .utc = utc->at };
    v.wall_member = t->moments[wall->moment].member;
    v.utc_member = t->moments[utc->moment].member;
    FF_PUSH(all, v);
}

/* s: sights of one key, UTC first. */
static void vote_on_key(const ff_times *t, votes *all, const sight *s, uint32_t n)
{
    uint32_t n_utc = 0;
    while (n_utc < n && s[n_utc].dial == FF_DIAL_UTC)
        n_utc++;
    for (uint32_t i = n_utc, same = 0; i < n; i++) {
        same = i > n_utc && s[i].dial == s[i - 1].dial ? same + 1 : 0;
        for (uint32_t k = 0; k < n_utc && k < MOST_EACH && same < MOST_EACH && all->n < MOST_VOTES; k++)
            vote_on(t, all, &s[i], &s[k]);
    }
}

static int by_vote(const void *a, const void *b)
{
    const vote *x = a, *y = b;
    if (x->dial != y->dial)
        return x->dial < y->dial ? -1 : 1;
    if (x->zone != y->zone)
        return x->zone < y->zone ? -1 : 1;
    if (x->wall != y->wall)
        return x->wall < y->wall ? -1 : 1;
    if (x->utc != y->utc)
        return x->utc < y->utc ? -1 : 1;
    if (x->wall_member != y->wall_member)
        return x->wall_member < y->wall_member ? -1 : 1;
    return (x->utc_member > y->utc_member) - (x->utc_member < y->utc_member);
}

/* Events that stand apart on both clocks: lines of one report are one event, however many there are. */
static uint32_t events_in(const vote *v, uint32_t n)
{
    uint32_t events = 1;
    const vote *last = &v[0];
    for (uint32_t i = 1; i < n; i++) {
        if (v[i].wall - last->wall <= ONE_PAIR || ff_distance(v[i].utc, last->utc) <= ONE_PAIR)
            continue;
        events++;
        last = &v[i];
    }
    return events;
}

/* One zone must stand out: what is logged every few seconds meets something in any zone. A single event is believed
 * only where it needs no shift at all. */
static void link_votes(ff_times *t, const vote *v, uint32_t n)
{
    const vote *best = NULL;
    uint32_t most = 0, second = 0;
    for (uint32_t from = 0, to = 0; from < n; from = to) {
        for (to = from; to < n && v[to].zone == v[from].zone;)
            to++;
        uint32_t events = events_in(v + from, to - from);
        second = events > most ? most : events > second ? events : second;
        best = events > most ? &v[from] : best;
        most = events > most ? events : most;
    }
    if (second > most / 2 || (most < 2 && best->zone != 0))
        return;
    ff_bytes x = t->evidence->members[best->wall_member].name, y = t->evidence->members[best->utc_member].name;
    int64_t err = t->dials.at[best->dial].class == FF_TRACK_KERNEL ? FF_KERNEL_DRIFT : 0;
    ff_link_add(t, best->dial, FF_DIAL_UTC, best->zone, err, most,
                ff_arena_format(t->arena, "same event seen by %.*s and %.*s", (int)x.n, x.p, (int)y.n, y.p));
}

static void link_events(ff_times *t)
{
    sights s = { 0 };
    votes v = { 0 };
    list_sights(t, &s);
    sort_sights(&s);
    for (uint32_t from = 0, to = 0; from < s.n; from = to) {
        for (to = from; to < s.n && same_key(&s.at[to], &s.at[from]);)
            to++;
        vote_on_key(t, &v, s.at + from, to - from);
    }
    if (v.n)
        qsort(v.at, v.n, sizeof *v.at, by_vote);
    for (uint32_t from = 0, to = 0; from < v.n; from = to) {
        for (to = from; to < v.n && v.at[to].dial == v.at[from].dial;)
            to++;
        link_votes(t, v.at + from, to - from);
    }
    ff_free(s.at);
    ff_free(v.at);
}

/* ---- the same line of the kernel log ---- */

/* What stands behind the frame of a kernel line, in dmesg, dmesg -T, dmesg --time-format iso, syslog and journal. */
static ff_bytes kernel_text(ff_bytes line)
{
    ff_bytes rest = line, skipped;
    size_t at = ff_find(ff_first_n(line, 120), FF_LIT("kernel: "));
    if (at <= line.n && at < 112)
        rest = ff_skip_n(line, at + 8);
    else if (line.n && line.p[0] >= '0' && line.p[0] <= '9')
        (void)ff_take_until(&rest, ' ', &skipped);
    while (ff_starts(rest, FF_LIT("[")) && ff_take_until(&rest, ']', &skipped))
        (void)ff_take_spaces(&rest);
    return ff_trim(rest);
}

/* Kernel lines of boots that are not tied yet, and the same lines elsewhere on their host. */
static void list_lines(ff_times *t, sights *all)
{
    for (uint32_t i = 0; i < t->n_moments; i++) {
        const ff_moment *m = &t->moments[i];
        if (m->signal == FF_NONE || m->part != FF_PART_SAID)
            continue;
        const ff_signal *signal = &t->evidence->signals[m->signal];
        const ff_bytes host = ff_is_empty(m->host) ? t->evidence->members[m->member].who.host : m->host;
        sight s = { .host = host, .kind = signal->kind, .moment = i, .dial = t->tracks.at[m->track].clock };
        const ff_dial *d = &t->dials.at[s.dial];
        s.at = ff_moment_middle(t, m);
        if (!(signal->stream & (uint32_t)FF_STREAM_KERNEL) || !d->dated || signal->count > 1)
            continue;
        s.key = kernel_text(signal->quote);
        if (s.key.n >= SHORTEST_LINE)
            FF_PUSH(all, s);
    }
}

/* The first of its dial, and any others there are at the same moment: two prints of one log. */
static bool once_on_dial(const sight *s, uint32_t i, uint32_t n)
{
    uint32_t last = i;
    while (last + 1 < n && s[last + 1].dial == s[i].dial)
        last++;
    return (i == 0 || s[i - 1].dial != s[i].dial) && s[last].at == s[i].at;
}

static void pair_lines(const ff_times *t, ff_twins *all, const sight *s, uint32_t n)
{
    for (uint32_t i = 0; i < n && n <= MOST_EACH; i++) {
        const ff_dial *boot = &t->dials.at[s[i].dial];
        if (boot->is.kind != FF_STAMP_SINCE_BOOT || boot->frame == FF_FRAME_UTC || !once_on_dial(s, i, n))
            continue;
        for (uint32_t k = 0; k < n; k++) {
            if (t->dials.at[s[k].dial].is.kind == FF_STAMP_SINCE_BOOT || !once_on_dial(s, k, n))
                continue;
            ff_twin l = { .a = s[i].dial, .b = s[k].dial, .delta = ff_add_capped(s[k].at, -s[i].at) };
            l.err = (t->moments[s[i].moment].grain + t->moments[s[k].moment].grain) / 2;
            FF_PUSH(all, l);
        }
    }
}

static ff_bytes lines_text(ff_times *t, uint32_t n)
{
    return ff_arena_format(t->arena, "%u %s in a log with boot time and in one with wall time", n,
                           n == 1 ? "line stands" : "lines stand");
}

static void link_kernel_lines(ff_times *t)
{
    sights s = { 0 };
    ff_twins all = { 0 };
    list_lines(t, &s);
    sort_sights(&s);
    for (uint32_t from = 0, to = 0; from < s.n; from = to) {
        for (to = from; to < s.n && same_key(&s.at[to], &s.at[from]);)
            to++;
        pair_lines(t, &all, s.at + from, to - from);
    }
    ff_twins_tie(t, &all, LINE_SPREAD, lines_text);
    ff_free(s.at);
}

bool ff_same_events_link(ff_times *t)
{
    uint32_t before = t->links.n;
    link_events(t);
    link_kernel_lines(t);
    ff_crashes_link(t);
    return t->links.n > before;
}
