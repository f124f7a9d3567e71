/* Boot clocks that nothing else ties, tied by a process that both sides saw end: the kernel's line of its crash, with
 * boot time, and the line of whoever waited for it, which names the same pid on the same host. The second comes
 * later, by what a core dump and a launcher that looks now and then take: the error says so. */
#include "clock_private.h"

#define MOST_LATE (60 * FF_SECOND)
#define MOST_CRASHES 64u /* of a bundle; each is compared with every line that names its pid */

static bool says_any(const ff_signal *s, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ff_contains(s->quote, ff_str(words[i])))
            return true;
    return false;
}

static bool is_crash(const ff_signal *s)
{
    static const char *const words[] = { "segfault at ", " trap ", "general protection fault ip",
                                         "unhandled exception: ", "Killed process " };
    return s->who.pid > 1 && (s->stream & (uint32_t)FF_STREAM_KERNEL) && says_any(s, words, FF_COUNT(words));
}

static bool is_end(const ff_signal *s)
{
    static const char *const words[] = { "exit",    "signal", "SIGSEGV", "Segmentation fault",
                                         "SIGKILL", "Killed", "status=" };
    return !(s->stream & (uint32_t)FF_STREAM_KERNEL) && says_any(s, words, FF_COUNT(words));
}

static ff_bytes host_of(const ff_times *t, const ff_moment *m)
{
    return ff_is_empty(m->host) ? t->evidence->members[m->member].who.host : m->host;
}

/* UTC's moments have no host of their own: the signal's member has. */
static bool same_process(const ff_times *t, const ff_moment *crash, const ff_moment *end)
{
    const ff_signal *a = &t->evidence->signals[crash->signal], *b = &t->evidence->signals[end->signal];
    if (a->who.pid != b->who.pid)
        return false;
    ff_bytes host = host_of(t, crash), other = ff_is_empty(end->host) ? b->who.host : end->host;
    other = ff_is_empty(other) ? host_of(t, end) : other;
    return !ff_is_empty(host) && ff_equal(host, other) && ff_is_empty(b->who.container) && ff_is_empty(b->who.pod);
}

/* The first line that tells the end of a process, of those on clocks with a date. */
static const ff_moment *end_of(const ff_times *t, const ff_moment *crash)
{
    const ff_moment *best = NULL;
    for (uint32_t i = 0; i < t->n_moments; i++) {
        const ff_moment *m = &t->moments[i];
        if (m->signal == FF_NONE || m->part != FF_PART_SAID || m->kind == FF_STAMP_SINCE_BOOT)
            continue;
        const ff_dial *d = &t->dials.at[t->tracks.at[m->track].clock];
        if (!d->dated || d->disputed || !same_process(t, crash, m) || !is_end(&t->evidence->signals[m->signal]))
            continue;
        if (best && t->tracks.at[best->track].clock != t->tracks.at[m->track].clock)
            return NULL; /* two clocks tell it: which one is asked would be a guess */
        if (!best || ff_moment_wall(t, m) < ff_moment_wall(t, best))
            best = m;
    }
    return best;
}

/* By what two logs saw, or by another crash: one is enough. */
static bool is_tied(const ff_times *t, uint32_t dial)
{
    for (uint32_t i = 0; i < t->links.n; i++)
        if (t->links.at[i].a == dial || t->links.at[i].b == dial)
            return true;
    return false;
}

void ff_crashes_link(ff_times *t)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < t->n_moments && seen < MOST_CRASHES; i++) {
        const ff_moment *m = &t->moments[i];
        if (m->kind != FF_STAMP_SINCE_BOOT || m->signal == FF_NONE || m->part != FF_PART_SAID)
            continue;
        uint32_t dial = t->tracks.at[m->track].clock;
        if (t->dials.at[dial].frame == FF_FRAME_UTC || !is_crash(&t->evidence->signals[m->signal]) ||
            is_tied(t, dial))
            continue;
        seen++;
        const ff_moment *end = end_of(t, m);
        if (!end)
            continue;
        int64_t delta = ff_add_capped(ff_moment_middle(t, end), -ff_moment_middle(t, m));
        int64_t err = MOST_LATE / 2 + (end->grain + m->grain) / 2;
        ff_bytes x = t->evidence->members[m->member].name, y = t->evidence->members[end->member].name;
        ff_link_add(t, dial, t->tracks.at[end->track].clock, ff_add_capped(delta, -MOST_LATE / 2), err, 1,
                    ff_arena_format(t->arena, "the end of process %d, in %.*s and in %.*s",
                                    (int)t->evidence->signals[m->signal].who.pid, (int)x.n, x.p, (int)y.n, y.p));
    }
}
