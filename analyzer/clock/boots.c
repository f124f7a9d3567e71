/* Which SINCE_BOOT tracks run on the same boot of a host. Two logs share a clock only where something says so: a boot
 * id, the same offset to another time, the same record in both, or that both are the present boot of their host. */
#include "clock_private.h"

#include <stdlib.h>

#define SAME_BOOT (10 * FF_SECOND)   /* offsets of one boot wander by seconds; two boots are farther apart */
#define LATE_ENOUGH (60 * FF_SECOND) /* equal stamps in the first minute of two boots happen by chance */
#define MOST_COMPARED 256u           /* tracks of a host that each is compared with */

typedef struct offset {
    bool known;
    int64_t at, err;
} offset;

typedef struct boot { /* a track, or all tracks that were joined under this root */
    uint32_t root, track;
    ff_bytes id;
    offset to[FF_STAMP_NO_YEAR + 1]; /* by kind of the other time */
    bool present;                    /* the last boot of a log that nothing calls old */
} boot;

typedef struct boots {
    boot *at;
    uint32_t n;
} boots;

typedef struct sighting {
    ff_bytes host;
    int64_t ns;
    uint32_t boot;
} sighting;

static uint32_t root_of(boots *b, uint32_t i)
{
    while (b->at[i].root != i) {
        b->at[i].root = b->at[b->at[i].root].root;
        i = b->at[i].root;
    }
    return i;
}

/* Dates without a year may be a New Year apart. */
static int64_t apart(int64_t x, int64_t y, bool no_year)
{
    int64_t far = ff_distance(x, y);
    if (no_year && far > 300 * FF_DAY) {
        int64_t common = ff_distance(far, 365 * FF_DAY), leap = ff_distance(far, 366 * FF_DAY);
        far = common < leap ? common : leap;
    }
    return far;
}

static bool contradict(const boot *a, const boot *b)
{
    if (!ff_is_empty(a->id) && !ff_is_empty(b->id) && !ff_equal(a->id, b->id))
        return true;
    for (size_t k = 0; k < FF_COUNT(a->to); k++) {
        const offset *x = &a->to[k], *y = &b->to[k];
        if (x->known && y->known && apart(x->at, y->at, k == FF_STAMP_NO_YEAR) > SAME_BOOT + x->err + y->err)
            return true;
    }
    return false;
}

static bool agree(const boot *a, const boot *b)
{
    if (!ff_is_empty(a->id) && ff_equal(a->id, b->id))
        return true;
    for (size_t k = 0; k < FF_COUNT(a->to); k++)
        if (a->to[k].known && b->to[k].known)
            return true; /* contradict() has seen that they are equal */
    return false;
}

static void join(boots *b, uint32_t i, uint32_t k)
{
    uint32_t x = root_of(b, i), y = root_of(b, k);
    if (x == y || contradict(&b->at[x], &b->at[y]))
        return;
    boot *keep = &b->at[x < y ? x : y], *gone = &b->at[x < y ? y : x];
    gone->root = keep->root;
    keep->id = ff_is_empty(keep->id) ? gone->id : keep->id;
    for (size_t kind = 0; kind < FF_COUNT(keep->to); kind++)
        if (!keep->to[kind].known)
            keep->to[kind] = gone->to[kind];
}

static ff_bytes base_name(ff_bytes name)
{
    for (size_t i = name.n; i > 0; i--)
        if (name.p[i - 1] == '/' || name.p[i - 1] == '!')
            return ff_skip_n(name, i);
    return name;
}

/* dmesg.0, kern.log.2.gz, journalctl --boot -1, pstore, vmcore-dmesg: these tell of a boot that is over, or may be.
 */
static bool is_old_log(ff_bytes name)
{
    static const char *const words[] = { "pstore",   "vmcore", "dmesg-erst", "dmesg-efi", "dmesg-ramoops",
                                         "previous", "boot_-", ".old",       "/crash/" };
    for (size_t i = 0; i < FF_COUNT(words); i++)
        if (ff_contains(name, ff_str(words[i])))
            return true;
    ff_bytes base = base_name(name);
    for (size_t i = 0; i + 1 < base.n; i++)
        if (base.p[i] == '.' && base.p[i + 1] >= '0' && base.p[i + 1] <= '9') {
            ff_bytes rest = ff_skip_n(base, i + 1);
            uint64_t number = 0;
            if (ff_take_uint(&rest, &number) && number < 100 && (!rest.n || rest.p[0] == '.'))
                return true;
        }
    return false;
}

static offset offset_to(const ff_times *t, const ff_track *track, ff_stamp_kind kind)
{
    ff_numbers v = { 0 };
    offset found = { 0 };
    for (uint32_t i = track->first; i < track->first + track->n; i++) {
        const ff_moment *m = &t->moments[i];
        if (m->twin == FF_NONE || t->moments[m->twin].kind != kind)
            continue;
        const ff_moment *other = &t->moments[m->twin];
        FF_PUSH(&v, ff_moment_middle(t, other) - ff_moment_middle(t, m));
        found.err = other->grain > found.err ? other->grain : found.err;
    }
    found.known = v.n > 0;
    if (v.n) {
        int64_t spread = 0, grain = found.err;
        ff_spread(v.at, v.n, &found.at, &spread);
        found.err = spread > FF_MINUTE ? FF_MINUTE : spread > grain ? spread : grain;
    }
    ff_free(v.at);
    return found;
}

static boots list_boots(ff_times *t)
{
    boots b = { .at = FF_NEW_N(&t->scratch, boot, t->tracks.n + 1) };
    for (uint32_t i = 0; i < t->tracks.n; i++) {
        ff_track *track = &t->tracks.at[i];
        if (track->kind != FF_STAMP_SINCE_BOOT)
            continue;
        boot *new = &b.at[b.n];
        *new = (boot){ .root = b.n, .track = i, .id = track->boot };
        for (unsigned k = FF_STAMP_UTC; k <= FF_STAMP_NO_YEAR; k++)
            new->to[k] = offset_to(t, track, (ff_stamp_kind)k);
        new->present = track->last_boot && !is_old_log(t->evidence->members[track->member].name);
        track->clock = b.n++; /* until dials exist */
    }
    return b;
}

static int by_sighting(const void *a, const void *b)
{
    const sighting *x = a, *y = b;
    int by = ff_compare(x->host, y->host);
    if (by)
        return by;
    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return (x->boot > y->boot) - (x->boot < y->boot);
}

/* The same stamp, to the microsecond, in two logs of a host: the same record. */
static void join_by_record(ff_times *t, boots *b)
{
    FF_VEC(sighting) seen = { 0 };
    for (uint32_t i = 0; i < t->n_moments; i++) {
        const ff_moment *m = &t->moments[i];
        if (m->kind != FF_STAMP_SINCE_BOOT || m->ns < LATE_ENOUGH || m->grain > FF_SECOND / 100000 ||
            ff_is_empty(m->host))
            continue;
        sighting s = { .host = m->host, .ns = m->ns, .boot = t->tracks.at[m->track].clock };
        FF_PUSH(&seen, s);
    }
    if (seen.n)
        qsort(seen.at, seen.n, sizeof *seen.at, by_sighting);
    for (uint32_t i = 1; i < seen.n; i++)
        if (seen.at[i].ns == seen.at[i - 1].ns && ff_equal(seen.at[i].host, seen.at[i - 1].host))
            join(b, seen.at[i - 1].boot, seen.at[i].boot);
    ff_free(seen.at);
}

static ff_bytes host_of(const ff_times *t, const boot *b) { return t->tracks.at[b->track].host; }

/* Logs that say the same offset or boot id; then, where no log of the host has a boot id, all present boots are one.
 */
static void join_by_word(boots *b, const uint32_t *order, uint32_t n, bool ids_known)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i + 1; k < n && k - i < MOST_COMPARED; k++)
            if (agree(&b->at[root_of(b, order[i])], &b->at[root_of(b, order[k])]))
                join(b, order[i], order[k]);
    uint32_t first = FF_NONE;
    for (uint32_t i = 0; i < n && !ids_known; i++) {
        if (!b->at[order[i]].present)
            continue;
        if (first == FF_NONE)
            first = order[i];
        else
            join(b, first, order[i]);
    }
}

typedef struct order_entry {
    ff_bytes host;
    uint32_t boot;
} order_entry;

static int by_host(const void *a, const void *b)
{
    const order_entry *x = a, *y = b;
    int by = ff_compare(x->host, y->host);
    return by ? by : (x->boot > y->boot) - (x->boot < y->boot);
}

static void join_hosts(ff_times *t, boots *b)
{
    order_entry *all = FF_NEW_N(&t->scratch, order_entry, b->n + 1);
    uint32_t *order = FF_NEW_N(&t->scratch, uint32_t, b->n + 1);
    for (uint32_t i = 0; i < b->n; i++)
        all[i] = (order_entry){ host_of(t, &b->at[i]), i };
    if (b->n > 1)
        qsort(all, b->n, sizeof *all, by_host);
    for (uint32_t from = 0, to = 0; from < b->n; from = to) {
        bool ids_known = false;
        for (to = from; to < b->n && ff_equal(all[to].host, all[from].host); to++) {
            order[to] = all[to].boot;
            ids_known = ids_known || !ff_is_empty(b->at[all[to].boot].id);
        }
        if (!ff_is_empty(all[from].host))
            join_by_word(b, order + from, to - from, ids_known);
    }
}

static void make_dials(ff_times *t, boots *b)
{
    uint32_t *dial = FF_NEW_N(&t->scratch, uint32_t, b->n + 1);
    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t root = root_of(b, i);
        ff_track *track = &t->tracks.at[b->at[i].track];
        if (root == i)
            dial[i] = ff_dial_add(t, FF_STAMP_SINCE_BOOT, track->host, b->at[i].id, track->member);
        ff_dial *d = &t->dials.at[dial[root]];
        if (d->is.member != track->member)
            d->is.member = FF_NONE;
        track->clock = dial[root];
    }
}

void ff_boots_join(ff_times *t)
{
    boots b = list_boots(t);
    join_by_record(t, &b);
    join_hosts(t, &b);
    make_dials(t, &b);
    ff_twins_link(t, FF_STAMP_UTC);
    for (uint32_t i = 0; i < t->links.n; i++) {
        const ff_link *link = &t->links.at[i];
        ff_clock *clock = &t->dials.at[link->a].is;
        clock->anchored = link->b == FF_DIAL_UTC;
        clock->offset_ns = link->delta;
        clock->err_ns = link->err;
    }
}
