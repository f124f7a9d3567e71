/* Who met whom, and how far that lets their clocks be apart. Nobody leaves a communicator's set-up, a collective or a
 * rendezvous before everybody has come: so of two hosts each leaves after the other came, and the stamps give an
 * interval. A time service says outright how far its host is from true time. */
#include "../../parsers/recorder.h"
#include "skew_private.h"

#include <stdlib.h>

#define TOLD_WITHIN FF_SECONDS(1) /* a time service's own estimate */
#define CAP_MEETINGS 200000u
#define CAP_BEGUN 4096u
#define CHOSEN_PORTS 32768 /* and up: the system's choice, on Linux */

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t earlier(int64_t a, int64_t b) { return a < b ? a : b; }

/* FF_NONE: more clocks than are compared. */
static uint32_t number_of(ff_skews *s, ff_bytes host, uint32_t frame)
{
    for (uint32_t i = 1; i < s->n_hosts; i++)
        if (s->frames[i] == frame && (frame != FF_FRAME_OF_UTC || ff_equal(s->hosts[i], host)))
            return i;
    if (s->n_hosts == FF_SKEW_HOSTS)
        return FF_NONE;
    s->hosts[s->n_hosts] = host;
    s->frames[s->n_hosts] = frame;
    return s->n_hosts++;
}

/* ---- who came when ---- */
static void add_meeting(ff_skews *s, ff_meeting m)
{
    if (m.host != FF_NONE && m.key.n && s->meetings.n < CAP_MEETINGS)
        FF_PUSH(&s->meetings, m);
}

static void add_bound(ff_skews *s, ff_bound b)
{
    if (b.a > b.b)
        b = (ff_bound){
            .a = b.b, .b = b.a, .n = b.n, .low = -b.high, .high = -b.low, .left = b.right, .right = b.left
        };
    if (b.a != b.b && b.low <= b.high && s->bounds.n < CAP_MEETINGS)
        FF_PUSH(&s->bounds, b);
}

static double number_in(const ff_signal *line, const char *name)
{
    double value = ff_signal_number(line, name, 0);
    return value > 0 && value < 1e9 ? value : 0;
}

/* "System time : 7200.1 seconds fast of NTP time"; systemd writes "1h 2min 3.4s", ntpq milliseconds. */
static void add_told(ff_skews *s, const ff_signal *line, bool ahead)
{
    uint32_t host = number_of(s, ff_short_host(line->who.host), FF_FRAME_OF_UTC);
    double seconds = number_in(line, "hours") * 3600 + number_in(line, "minutes") * 60 + number_in(line, "seconds") +
                     number_in(line, "millis") / 1e3;
    if (host == FF_NONE || seconds > 1e8)
        return;
    int64_t ns = (int64_t)(seconds * 1e9) * (ahead ? 1 : -1);
    add_bound(s, (ff_bound){ .a = FF_TRUE_TIME,
                             .b = host,
                             .n = 1,
                             .low = ns - TOLD_WITHIN,
                             .high = ns + TOLD_WITHIN,
                             .left = line->at,
                             .right = line->at });
}

static ff_meeting meeting_of(ff_skews *s, const ff_signal *line, bool leaves)
{
    return (ff_meeting){ .host = number_of(s, ff_short_host(line->who.host), line->frame),
                         .leaves = leaves,
                         .from = line->at_ns - line->at_err,
                         .to = line->at_ns + line->at_err,
                         .at = line->at };
}

/* torchrun's agents all come before one of them is told the result. Where they meet is named by the port, which is of
 * this attempt alone where the system chose it; what they came with is the last start of the launcher's log. */
static void add_rendezvous(ff_skews *s, const ff_signal *line)
{
    int64_t port = ff_signal_int(line, "master_port", 0);
    const ff_signal *came = NULL;
    for (uint32_t i = 0; i < s->begun.n; i++) {
        const ff_signal *one = &s->evidence->signals[s->begun.at[i]];
        if (one->at.member == line->at.member && one->at.line < line->at.line &&
            (!came || came->at.line < one->at.line))
            came = one;
    }
    if (port < CHOSEN_PORTS || !line->frame)
        return;
    ff_bytes key = ff_arena_format(s->arena, "rendezvous/%.*s:%lld", FF_SHOW(ff_signal_text(line, "master_addr")),
                                   (long long)port);
    ff_meeting left = meeting_of(s, line, true);
    left.key = key;
    add_meeting(s, left);
    if (!came || came->frame != line->frame)
        return;
    ff_meeting arrived = meeting_of(s, came, false);
    arrived.key = key;
    add_meeting(s, arrived);
}

/* What is met at. A job of Slurm is begun and ended once, unless it is started anew: then neither time is used. */
static const struct {
    const char *field;
    bool once_comes, once_leaves;
} keys[] = { { "commid", false, false }, { "launch_of", true, false }, { "end_of", true, true } };

static void add_signal(ff_skews *s, const ff_rulebook *rules, const ff_signal *line)
{
    const ff_signature *signature = ff_kind_signature(rules, line->kind);
    if (!signature || signature->meets == FF_MEET_NONE || !line->who.host.n)
        return;
    if (signature->meets == FF_MEET_AHEAD || signature->meets == FF_MEET_BEHIND) {
        add_told(s, line, signature->meets == FF_MEET_AHEAD);
        return;
    }
    bool named = false;
    for (size_t i = 0; i < FF_COUNT(keys) && line->frame; i++) {
        ff_bytes key = ff_signal_text(line, keys[i].field);
        named = named || ff_signal_field(line, keys[i].field);
        ff_meeting m = meeting_of(s, line, signature->meets == FF_MEET_LEAVES);
        m.once = m.leaves ? keys[i].once_leaves : keys[i].once_comes;
        if (key.n)
            m.key = ff_arena_format(s->arena, "%s/%.*s", keys[i].field, FF_SHOW(key));
        add_meeting(s, m);
    }
    if (!named && line->frame && signature->meets == FF_MEET_COMES && s->begun.n < CAP_BEGUN)
        FF_PUSH(&s->begun, line->ref);
}

/* Operations in which every member waits for every other. */
static bool waits_for_all(ff_bytes op)
{
    return ff_starts(op, FF_LIT("all_")) || ff_starts(op, FF_LIT("reduce_scatter")) ||
           ff_equal(op, FF_LIT("barrier"));
}

static void add_dump(ff_skews *s, const ff_dump *d)
{
    ff_bytes name = ff_short_host(s->evidence->members[d->member].who.host);
    uint32_t host = name.n && !d->from_log ? number_of(s, name, FF_FRAME_OF_UTC) : FF_NONE;
    for (uint32_t i = 0; host != FF_NONE && i < d->n_entries; i++) {
        const ff_fr_entry *e = &d->entries[i];
        const ff_fr_times *t = &d->times[i];
        if (!waits_for_all(e->call->op) || e->call->is_p2p || e->seq < 0 || !t->created_ns || t->ended_ms < 0 ||
            e->group >= d->n_groups)
            continue;
        ff_meeting m = { .host = host,
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
    const ff_meeting *a = left, *b = right;
    int order = ff_compare(a->key, b->key);
    if (order)
        return order;
    return (a->host > b->host) - (a->host < b->host);
}

typedef struct stay { /* of one host at one meeting: its last arrival, its first departure */
    uint32_t host, n_came, n_left;
    int64_t came, left;
    ff_record at;
} stay;

static stay stay_of(const ff_meeting *m, uint32_t n)
{
    stay s = { .host = m[0].host, .at = m[0].at };
    bool once_comes = false, once_leaves = false;
    for (uint32_t i = 0; i < n; i++) {
        if (m[i].leaves) {
            s.left = s.n_left ? earlier(s.left, m[i].to) : m[i].to;
            s.n_left++;
            once_leaves = once_leaves || m[i].once;
        } else {
            s.came = s.n_came ? later(s.came, m[i].from) : m[i].from;
            s.n_came++;
            once_comes = once_comes || m[i].once;
            s.at = m[i].at;
        }
    }
    s.n_came = once_comes && s.n_came > 1 ? 0 : s.n_came;
    s.n_left = once_leaves && s.n_left > 1 ? 0 : s.n_left;
    return s;
}

/* Each side of the interval has a departure of one and an arrival of the other. */
static void bound_by(ff_skews *s, const stay *a, const stay *b)
{
    ff_bound one = { .a = a->host, .b = b->host, .n = 1, .low = -FF_UNBOUNDED, .high = FF_UNBOUNDED };
    one.left = a->at;
    one.right = b->at;
    if (a->n_left && b->n_came)
        one.low = b->came - a->left;
    if (a->n_came && b->n_left)
        one.high = b->left - a->came;
    if (one.low > -FF_UNBOUNDED || one.high < FF_UNBOUNDED)
        add_bound(s, one);
}

static uint32_t end_of_host(const ff_meeting *m, uint32_t n, uint32_t from)
{
    uint32_t to = from;
    while (to < n && m[to].host == m[from].host)
        to++;
    return to;
}

static unsigned sides(const stay *s) { return (s->n_came ? 2u : 0u) + (s->n_left ? 1u : 0u); }

/* Everybody at one meeting is held against one of them, that came and left: that bounds all. */
static void bound_meeting(ff_skews *s, const ff_meeting *m, uint32_t n)
{
    stay pivot = { 0 };
    for (uint32_t from = 0, to = 0; from < n; from = to) {
        to = end_of_host(m, n, from);
        stay here = stay_of(m + from, to - from);
        pivot = from == 0 || sides(&here) > sides(&pivot) ? here : pivot;
    }
    for (uint32_t from = 0, to = 0; from < n; from = to) {
        to = end_of_host(m, n, from);
        stay here = stay_of(m + from, to - from);
        if (here.host != pivot.host)
            bound_by(s, &pivot, &here);
    }
}

static void bound_all(ff_skews *s)
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
    const ff_bound *a = left, *b = right;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    if (a->b != b->b)
        return a->b < b->b ? -1 : 1;
    return (a->low > b->low) - (a->low < b->low);
}

/* All bounds of a pair hold together. Where they cannot, a clock was set meanwhile, and nothing is said. */
static void merge_bounds(ff_skews *s)
{
    uint32_t n = 0;
    if (s->bounds.n)
        qsort(s->bounds.at, s->bounds.n, sizeof *s->bounds.at, by_hosts);
    for (uint32_t from = 0, to = 0; from < s->bounds.n; from = to) {
        ff_bound one = s->bounds.at[from];
        for (to = from + 1; to < s->bounds.n && s->bounds.at[to].a == one.a && s->bounds.at[to].b == one.b; to++) {
            one.low = later(one.low, s->bounds.at[to].low);
            one.high = earlier(one.high, s->bounds.at[to].high);
            one.n++;
        }
        if (one.low <= one.high && one.low > -FF_UNBOUNDED && one.high < FF_UNBOUNDED)
            s->bounds.at[n++] = one;
    }
    s->bounds.n = n;
}

static const ff_bound *told_of(const ff_skews *s, uint32_t host)
{
    for (uint32_t i = 0; i < s->bounds.n && s->bounds.at[i].a == FF_TRUE_TIME; i++)
        if (s->bounds.at[i].b == host)
            return &s->bounds.at[i];
    return NULL;
}

/* A time service is asked when the bundle is made. Where what two hosts are told does not go with how they met, a
 * clock was set in between, and what is told says nothing of the times before. Bounds with true time stand first. */
static void drop_told_since(ff_skews *s)
{
    uint32_t n = 0;
    bool *since = ff_alloc(((size_t)s->n_hosts + 1) * sizeof *since);
    for (uint32_t i = 0; i < s->n_hosts; i++)
        since[i] = false;
    for (uint32_t i = 0; i < s->bounds.n; i++) {
        const ff_bound *b = &s->bounds.at[i];
        const ff_bound *x = b->a == FF_TRUE_TIME ? NULL : told_of(s, b->a), *y = x ? told_of(s, b->b) : NULL;
        if (!y || (y->low - x->high <= b->high && y->high - x->low >= b->low))
            continue;
        since[b->a] = since[b->b] = true;
    }
    for (uint32_t i = 0; i < s->bounds.n; i++)
        if (s->bounds.at[i].a != FF_TRUE_TIME || !since[s->bounds.at[i].b])
            s->bounds.at[n++] = s->bounds.at[i];
    s->bounds.n = n;
    ff_free(since);
}

void ff_skew_bounds(ff_skews *s, const ff_rulebook *rules)
{
    const ff_evidence *e = s->evidence;
    for (uint32_t i = 0; i < e->n_signals; i++)
        add_signal(s, rules, &e->signals[i]);
    for (uint32_t i = 0; i < e->n_signals; i++)
        if (e->signals[i].kind == FF_FACT_RENDEZVOUS && e->signals[i].who.host.n)
            add_rendezvous(s, &e->signals[i]);
    for (uint32_t i = 0; e->dumps && i < e->dumps->n; i++)
        add_dump(s, e->dumps->at[i]);
    bound_all(s);
    merge_bounds(s);
    drop_told_since(s);
}

void ff_skew_done(ff_skews *s)
{
    ff_free(s->meetings.at);
    ff_free(s->begun.at);
    ff_free(s->bounds.at);
}
