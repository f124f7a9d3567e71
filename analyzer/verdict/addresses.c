/* Hosts that are called by their address: a peer in a warning, a folder, a node of the fabric. What a host says of
 * its own interfaces (NCCL's bootstrap, ip addr, a node's object in Kubernetes) tells its name, wherever in the
 * bundle that stands. An address that two hosts have (a bridge of containers, a loopback) tells none. */
#include "identity_private.h"

#include "../base/sorted.h"

#include <stdlib.h>

typedef struct claim { /* a host says that an address is its own */
    ff_bytes address, host;
    uint32_t signal;
} claim;

typedef FF_VEC(claim) claims;

static int by_address(const void *left, const void *right)
{
    const claim *a = left, *b = right;
    int order = ff_compare(a->address, b->address);
    order = order ? order : ff_compare(a->host, b->host);
    return order ? order : (a->signal > b->signal) - (a->signal < b->signal);
}

static claims read_claims(const ff_evidence *e)
{
    claims all = { 0 };
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const ff_signal *s = &e->signals[i];
        claim c = { .address = ff_record_own_address(s), .host = ff_short_host(s->who.host), .signal = i };
        if (ff_is_address(c.address) && c.host.n && !ff_is_address(c.host))
            FF_PUSH(&all, c);
    }
    if (all.n)
        qsort(all.at, all.n, sizeof *all.at, by_address);
    return all;
}

/* NULL: nobody has that address, or several do. */
static const claim *owner_of(const claims *all, ff_bytes address)
{
    claim key = { .address = address };
    uint32_t first = ff_sorted_slot(&key, all->at, all->n, sizeof key, by_address);
    if (first == all->n || !ff_equal(all->at[first].address, address))
        return NULL;
    for (uint32_t i = first + 1; i < all->n && ff_equal(all->at[i].address, address); i++)
        if (!ff_equal(all->at[i].host, all->at[first].host))
            return NULL;
    return &all->at[first];
}

void ff_addresses_move(ff_evidence *e, ff_arena *arena)
{
    claims all = read_claims(e);
    for (uint32_t i = 0; i < e->n_signals && all.n; i++) {
        ff_who *who = &e->signals[i].who;
        const claim *owner = ff_is_address(who->host) ? owner_of(&all, who->host) : NULL;
        who->host = owner ? owner->host : who->host;
    }
    for (uint32_t i = 0; i < e->n_members && all.n; i++) {
        ff_member *m = &e->members[i];
        const claim *owner = ff_is_address(m->who.host) ? owner_of(&all, m->who.host) : NULL;
        if (!owner)
            continue;
        const ff_record *at = &e->signals[owner->signal].at;
        m->host_why = ff_arena_format(arena, "%.*s%sits address, by %.*s:%u", FF_SHOW(m->host_why),
                                      m->host_why.n ? "; " : "", FF_SHOW(e->members[at->member].name), at->line);
        m->who.host = owner->host;
    }
    ff_free(all.at);
}
