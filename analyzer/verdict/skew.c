/* Clocks of hosts against each other. Hosts that meet in a communicator, or in a collective, bound what their clocks
 * differ by: nobody leaves before everybody has come. So of two hosts each leaves after the other came, and the two
 * stamps give an interval. A time service says it outright. Where the interval leaves no doubt that a clock is wrong,
 * its times are moved to those of the others, with the interval as error: order across hosts is claimed only as far
 * as that allows. */
#include "../../parsers/recorder.h"
#include "verdict_private.h"

#include <stdlib.h>

#define CLEARLY_OFF FF_SECONDS(1) /* less is what clocks of machines differ by anyway */
#define TOLD_WITHIN FF_SECONDS(1) /* a time service's own estimate */
#define CAP_MEETINGS 200000u
#define CAP_HOSTS 1024u
#define TRUE_TIME 0u /* number of the host that is none: what a time service follows */

typedef struct meeting { /* one host comes to something, or leaves it */
    ff_bytes key;
    uint32_t host;
    bool leaves;
    int64_t from, to; /* its stamp lies between these */
    ff_record at;
} meeting;

typedef struct bound { /* clock of b - clock of a lies between low and high */
    uint32_t a, b, n;
    int64_t low, high;
    ff_record left, right;
} bound;

typedef struct skews {
    const ff_evidence *evidence;
    ff_arena *arena;
    ff_bytes hosts[CAP_HOSTS];
    uint32_t n_hosts;
    FF_VEC(meeting) meetings;
    FF_VEC(bound) bounds;
} skews;

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t earlier(int64_t a, int64_t b) { return a < b ? a : b; }

/* FF_NONE: more hosts than are compared. */
static uint32_t number_of(skews *s, ff_bytes host)
{
    for (uint32_t i = 1; i < s->n_hosts; i++)
        if (ff_equal(s->hosts[i], host))
            return i;
    if (s->n_hosts == CAP_HOSTS)
        return FF_NONE;
    s->hosts[s->n_hosts] = host;
    return s->n_hosts++;
}

/* ---- who came when ---- */
static void add_meeting(skews *s, meeting m)
{
    if (m.host != FF_NONE && m.key.n && s->meetings.n < CAP_MEETINGS)
        FF_PUSH(&s->meetings, m);
}

/* "System time : 7200.1 seconds fast of NTP time" */
static void add_told(skews *s, const ff_signal *line, bool ahead)
{
    const ff_field *seconds = ff_signal_field(line, "seconds");
    uint32_t host = number_of(s, ff_short_host(line->who.host));
    if (!seconds || !seconds->is_float || seconds->f < 0 || seconds->f > 1e8 || host == FF_NONE)
        return;
    int64_t ns = (int64_t)(seconds->f * 1e9) * (ahead ? 1 : -1);
    bound b = { .a = TRUE_TIME,
                .b = host,
                .n = 1,
                .low = ns - TOLD_WITHIN,
                .high = ns + TOLD_WITHIN,
                .left = line->at,
                .right = line->at };
    FF_PUSH(&s->bounds, b);
}

static void add_signal(skews *s, const ff_rulebook *rules, const ff_signal *line)
{
    const ff_signature *signature = ff_kind_signature(rules, line->kind);
    if (!signature || signature->meets == FF_MEET_NONE || !line->who.host.n)
        return;
    bool leaves = signature->meets == FF_MEET_LEAVES;
    if (signature->meets == FF_MEET_AHEAD || signature->meets == FF_MEET_BEHIND) {
        add_told(s, line, signature->meets == FF_MEET_AHEAD);
        return;
    }
    const ff_field *key = ff_signal_field(line, "commid");
    if (key && line->has_utc)
        add_meeting(s, (meeting){ .key = key->s,
                                  .host = number_of(s, ff_short_host(line->who.host)),
                                  .leaves = leaves,
                                  .from = line->utc - line->utc_err,
                                  .to = line->utc + line->utc_err,
                                  .at = line->at });
}

/* Operations in which every member waits for every other. */
static bool waits_for_all(ff_bytes op)
{
    return ff_starts(op, FF_LIT("all_")) || ff_starts(op, FF_LIT("reduce_scatter")) ||
           ff_equal(op, FF_LIT("barrier"));
}

static void add_dump(skews *s, const ff_dump *d)
{
    ff_bytes name = ff_short_host(s->evidence->members[d->member].who.host);
    uint32_t host = name.n && !d->from_log ? number_of(s, name) : FF_NONE;
    for (uint32_t i = 0; host != FF_NONE && i < d->n_entries; i++) {
        const ff_fr_entry *e = &d->entries[i];
        const ff_fr_times *t = &d->times[i];
        if (!waits_for_all(e->call->op) || e->call->is_p2p || e->seq < 0 || !t->created_ns || t->ended_ms < 0 ||
            e->group >= d->n_groups)
            continue;
        meeting m = { .host = host,
                      .from = t->created_ns,
                      .to = t->created_ns,
                      .at = { .member = d->member, .line = ff_fr_line(d, e), .offset = ff_fr_offset(d, e) } };
        m.key = ff_arena_format(s->arena, "%.*s/%lld", FF_SHOW(d->groups[e->group].name), (long long)e->seq);
        add_meeting(s, m);
        m.from = m.to = ff_fr_completed_ns(t);
        m.leaves = true;
        add_meeting(s, m);
    }
}

/* ---- what that bounds ---- */
static int by_key(const void *left, const void *right)
{
    const meeting *a = left, *b = right;
    int order = ff_compare(a->key, b->key);
    if (order)
        return order;
    return (a->host > b->host) - (a->host < b->host);
}

typedef struct stay { /* of one host at one meeting: its last arrival, its first departure */
    uint32_t host;
    int64_t came, left;
    bool has_came, has_left;
    ff_record at;
} stay;

static stay stay_of(const meeting *m, uint32_t n)
{
    stay s = { .host = m[0].host, .at = m[0].at };
    for (uint32_t i = 0; i < n; i++) {
        if (m[i].leaves) {
            s.left = s.has_left ? earlier(s.left, m[i].to) : m[i].to;
            s.has_left = true;
        } else {
            s.came = s.has_came ? later(s.came, m[i].from) : m[i].from;
            s.has_came = true;
            s.at = m[i].at;
        }
    }
    return s;
}

static void bound_by(skews *s, const stay *a, const stay *b)
{
    if (!a->has_came || !a->has_left || !b->has_came || !b->has_left)
        return;
    bound one = { .a = a->host,
                  .b = b->host,
                  .n = 1,
                  .low = b->came - a->left,
                  .high = b->left - a->came,
                  .left = a->at,
                  .right = b->at };
    if (one.low <= one.high)
        FF_PUSH(&s->bounds, one);
}

/* Everybody at one meeting is held against the first of them: that bounds all. */
static void bound_meeting(skews *s, const meeting *m, uint32_t n)
{
    stay first = { 0 };
    for (uint32_t from = 0, to = 0; from < n; from = to) {
        for (to = from; to < n && m[to].host == m[from].host;)
            to++;
        stay here = stay_of(m + from, to - from);
        if (from == 0)
            first = here;
        else
            bound_by(s, &first, &here);
    }
}

static void bound_all(skews *s)
{
    if (s->meetings.n)
        qsort(s->meetings.at, s->meetings.n, sizeof *s->meetings.at, by_key);
    for (uint32_t from = 0, to = 0; from < s->meetings.n; from = to) {
        for (to = from; to < s->meetings.n && ff_equal(s->meetings.at[to].key, s->meetings.at[from].key);)
            to++;
        bound_meeting(s, s->meetings.at + from, to - from);
    }
}

static int by_hosts(const void *left, const void *right)
{
    const bound *a = left, *b = right;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    if (a->b != b->b)
        return a->b < b->b ? -1 : 1;
    return (a->low > b->low) - (a->low < b->low);
}

/* All bounds of a pair hold together. Where they cannot, a clock was set meanwhile, and nothing is said. */
static void merge_bounds(skews *s)
{
    uint32_t n = 0;
    if (s->bounds.n)
        qsort(s->bounds.at, s->bounds.n, sizeof *s->bounds.at, by_hosts);
    for (uint32_t from = 0, to = 0; from < s->bounds.n; from = to) {
        bound one = s->bounds.at[from];
        for (to = from + 1; to < s->bounds.n && s->bounds.at[to].a == one.a && s->bounds.at[to].b == one.b; to++) {
            one.low = later(one.low, s->bounds.at[to].low);
            one.high = earlier(one.high, s->bounds.at[to].high);
            one.n++;
        }
        if (one.low <= one.high)
            s->bounds.at[n++] = one;
    }
    s->bounds.n = n;
}

/* ---- one scale for those that are bound to each other ---- */
typedef struct place { /* of a host's clock: what is added to true time, between low and high */
    uint32_t group;    /* 0: bound to nobody */
    int64_t low, high;
    const bound *by;
    uint32_t from;
} place;

/* Breadth first, so that the fewest bounds are added up. */
static void follow(const skews *s, place *at, uint32_t start, uint32_t group)
{
    uint32_t *queue = ff_alloc(sizeof *queue * s->n_hosts), n = 0;
    at[start] = (place){ .group = group };
    queue[n++] = start;
    for (uint32_t next = 0; next < n; next++)
        for (uint32_t i = 0; i < s->bounds.n; i++) {
            const bound *b = &s->bounds.at[i];
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

/* True time where somebody knows it; else the clock that most others may agree with, then the slower one. */
static uint32_t choose_reference(const skews *s, const place *at, uint32_t group)
{
    uint32_t best = FF_NONE, most = 0;
    for (uint32_t h = 0; h < s->n_hosts; h++) {
        uint32_t agree = 0;
        if (at[h].group != group)
            continue;
        if (h == TRUE_TIME)
            return h;
        for (uint32_t k = 0; k < s->n_hosts; k++)
            agree += at[k].group == group && at[k].low - at[h].high <= CLEARLY_OFF &&
                     at[h].low - at[k].high <= CLEARLY_OFF;
        if (best == FF_NONE || agree > most || (agree == most && middle(&at[h]) < middle(&at[best]))) {
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

static ff_bytes words(const skews *s, const place *p, uint32_t reference, int64_t by, int64_t err)
{
    ff_text t;
    ff_text_init(&t, 512);
    ff_text_adds(&t, "runs ");
    ff_text_add_span(&t, by < 0 ? -by : by);
    ff_text_adds(&t, by < 0 ? " behind " : " ahead of ");
    ff_text_add(&t, reference == TRUE_TIME ? FF_LIT("true time") : s->hosts[reference]);
    ff_text_adds(&t, " within ");
    ff_text_add_span(&t, err);
    const ff_member *m = &s->evidence->members[p->by->right.member];
    ff_text_addf(&t, ", by what both saw (%.*s:%u)", FF_SHOW(m->name), p->by->right.line);
    ff_bytes copy = ff_arena_copy(s->arena, ff_text_view(&t));
    ff_text_done(&t);
    return copy;
}

static bool correct_group(skews *s, const place *at, uint32_t group, ff_evidence *e, ff_clocks *clocks)
{
    uint32_t reference = choose_reference(s, at, group);
    bool any = false;
    for (uint32_t h = 1; h < s->n_hosts; h++) {
        if (at[h].group != group || h == reference)
            continue;
        int64_t low = at[h].low - at[reference].high, high = at[h].high - at[reference].low;
        if (low <= CLEARLY_OFF && high >= -CLEARLY_OFF)
            continue;
        move m = {
            .host = s->hosts[h], .by = low + (high - low) / 2, .err = (high - low) / 2 + 1, .utc_clock = FF_NONE
        };
        const place *via = at[h].by ? &at[h] : &at[reference];
        m.why = words(s, via, reference, m.by, m.err);
        move_host(e, clocks, &m, s->arena);
        any = true;
    }
    return any;
}

void ff_skew_correct(ff_evidence *e, ff_clocks *clocks, const ff_rulebook *rules, ff_arena *arena)
{
    skews *s = FF_NEW(arena, skews);
    *s = (skews){ .evidence = e, .arena = arena, .n_hosts = 1 };
    for (uint32_t i = 0; i < e->n_signals; i++)
        add_signal(s, rules, &e->signals[i]);
    for (uint32_t i = 0; e->dumps && i < e->dumps->n; i++)
        add_dump(s, e->dumps->at[i]);
    bound_all(s);
    merge_bounds(s);
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
    ff_free(s->meetings.at);
    ff_free(s->bounds.at);
}
