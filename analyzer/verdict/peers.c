/* Peers that survivors name and of which the bundle holds no file. A process that is told that its peer closed the
 * connection knows whom it lost, by name or address, and nothing of why: that is in the peer's own output, and in the
 * kernel log of its machine. */
#include "verdict_private.h"

#include "../base/sorted.h"

#include <stdlib.h>

/* The kernel log alone is named where nothing better is known: what the peer printed may say why it went. */
static ff_bytes files_missing(const ff_peer_seen *p, bool unsure)
{
    if (p->output)
        return p->kernel || !unsure ? (ff_bytes){ 0 } : FF_LIT("kernel log");
    return p->kernel ? FF_LIT("job output") : FF_LIT("job output and kernel log");
}

static bool is_known(const ff_lost_peer *found, uint32_t n, ff_bytes name)
{
    for (uint32_t i = 0; i < n; i++)
        if (ff_equal(found[i].name, name))
            return true;
    return false;
}

/* Does anybody else speak, who may be the one behind an address whose host nobody tells? */
static bool others_speak(const ff_case *c, const ff_signal *survivor)
{
    for (uint32_t i = 0; i < c->evidence->n_signals; i++) {
        const ff_signal *s = &c->evidence->signals[i];
        if ((s->stream & FF_STREAMS_PRINTED) &&
            (s->at.member != survivor->at.member || s->who.rank != survivor->who.rank))
            return true;
    }
    return false;
}

typedef FF_VEC(uint64_t) lines; /* member and line in one number; ascending */

static uint64_t line_of(const ff_case *c, uint32_t signal)
{
    const ff_record *at = &c->evidence->signals[signal].at;
    return (uint64_t)at->member << 32 | at->line;
}

static int by_number(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* What the root rests on, and findings of its cause: a survivor's line there is the root, or says the same of
 * another. */
static lines complaints_of(const ff_case *c, uint32_t cause)
{
    lines all = { 0 };
    for (uint32_t i = 0; i < c->n_findings; i++)
        for (uint32_t k = 0; c->findings[i].cause == cause && k < c->findings[i].n_evidence; k++)
            FF_PUSH(&all, line_of(c, c->findings[i].evidence[k]));
    if (all.n)
        qsort(all.at, all.n, sizeof *all.at, by_number);
    return all;
}

static bool is_complaint(const lines *all, uint64_t line)
{
    uint32_t at = ff_sorted_slot(&line, all->at, all->n, sizeof line, by_number);
    return at < all->n && all->at[at] == line;
}

static ff_lost_peer lost_peer(const ff_case *c, const ff_peer_seen *p, uint32_t signal)
{
    return (ff_lost_peer){ .name = p->name,
                           .host = ff_equal(p->host, p->name) ? (ff_bytes){ 0 } : p->host,
                           .signal = signal,
                           .may_be_here = ff_is_address(p->host) && others_speak(c, &c->evidence->signals[signal]) };
}

uint32_t ff_peers_lost(const ff_case *c, const ff_incident *in, ff_lost_peer *found)
{
    uint32_t n = 0;
    bool unsure = !in || in->confidence == FF_POSSIBLE;
    lines complaints = { 0 };
    if (!unsure && c->n_peers_named)
        complaints = complaints_of(c, c->findings[in->root].cause);
    for (uint32_t i = 0; i < c->n_peers_named && n < FF_PEERS_NAMED; i++) {
        uint32_t signal = c->peers_named[i].signal;
        const ff_peer_seen *p = &c->peers[c->peers_named[i].peer];
        ff_bytes files = files_missing(p, unsure);
        if (!files.n || ff_equal(p->host, ff_short_host(c->evidence->signals[signal].who.host)) ||
            is_known(found, n, p->name))
            continue;
        bool decides = unsure || is_complaint(&complaints, line_of(c, signal));
        if (!decides && in->confidence == FF_CERTAIN)
            continue;
        found[n] = lost_peer(c, p, signal);
        found[n].files = files;
        found[n++].decides = decides;
    }
    ff_free(complaints.at);
    return n;
}

ff_bytes ff_lost_peer_text(const ff_case *c, const ff_lost_peer *p)
{
    const ff_signal *s = &c->evidence->signals[p->signal];
    ff_text t;
    ff_text_init(&t, 512);
    ff_text_addf(&t, "%.*s of the peer %.*s", FF_SHOW(p->files), FF_SHOW(p->name));
    if (p->host.n)
        ff_text_addf(&t, " (host %.*s)", FF_SHOW(p->host));
    if (s->who.rank >= 0)
        ff_text_addf(&t, ", whom rank %d lost", (int)s->who.rank);
    else if (s->who.host.n)
        ff_text_addf(&t, ", whom %.*s lost", FF_SHOW(ff_short_host(s->who.host)));
    if (p->may_be_here)
        ff_text_addf(&t, " (nothing says whose address that is: its output may be among what is here)");
    ff_bytes copy = ff_arena_copy(c->arena, ff_text_view(&t));
    ff_text_done(&t);
    return copy;
}
