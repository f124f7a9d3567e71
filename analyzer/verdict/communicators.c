/* Seats of communicators and groups of PyTorch: NCCL's init line says which process has which rank of which commId,
 * and PyTorch's "ProcessGroupNCCL created ncclComm_ 0x55..." names the group of the communicator at that address. An
 * address means something in one process only; the line names none, so that it counts where the host has one
 * communicator there. */
#include "identity_private.h"

#include "../base/sorted.h"

#include <stdlib.h>

typedef struct birth { /* of a communicator, in one process */
    ff_bytes host, address, commid;
    uint32_t signal, member;
} birth;

typedef FF_VEC(birth) births;

static int by_address(const void *left, const void *right)
{
    const birth *a = left, *b = right;
    int order = ff_compare(a->host, b->host);
    order = order ? order : ff_compare(a->address, b->address);
    order = order ? order : ff_compare(a->commid, b->commid);
    return order ? order : (a->signal > b->signal) - (a->signal < b->signal);
}

static births read_births(const ff_evidence *e)
{
    births all = { 0 };
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const ff_signal *s = &e->signals[i];
        birth b = { .host = ff_short_host(s->who.host), .signal = i, .member = s->at.member };
        b.address = ff_signal_text(s, "comm");
        b.commid = ff_record_communicator(s);
        if ((s->stream & FF_STREAM_NCCL) && b.address.n && b.commid.n)
            FF_PUSH(&all, b);
    }
    if (all.n)
        qsort(all.at, all.n, sizeof *all.at, by_address);
    return all;
}

/* The only communicator that the host has at that address, and where it was said in this member, if anywhere. */
static const birth *born_at(const births *all, ff_bytes host, ff_bytes address, uint32_t member)
{
    birth key = { .host = host, .address = address };
    const birth *found = NULL;
    for (uint32_t i = ff_sorted_slot(&key, all->at, all->n, sizeof key, by_address); i < all->n; i++) {
        const birth *one = &all->at[i];
        if (!ff_equal(one->host, host) || !ff_equal(one->address, address))
            break;
        if (found && !ff_equal(found->commid, one->commid))
            return NULL;
        found = !found || (found->member != member && one->member == member) ? one : found;
    }
    return found;
}

static ff_name group_name(const ff_signal *s, ff_arena *arena)
{
    ff_bytes uid = ff_signal_text(s, "group"), desc = ff_signal_text(s, "group_desc");
    ff_name n = { .kind = FF_NAME_GROUP, .scope = s->who.job, .text = uid };
    if (desc.n)
        n.text = ff_arena_format(arena, "%.*s (%.*s)", FF_SHOW(uid), FF_SHOW(desc));
    return n;
}

static void join_group(ff_pairs *p, const births *all, const ff_signal *s, ff_arena *arena)
{
    const birth *b = born_at(all, ff_short_host(s->who.host), ff_signal_text(s, "made"), s->at.member);
    if (!b)
        return;
    ff_pair pair = { .left = group_name(s, arena),
                     .right = { .kind = FF_NAME_COMMUNICATOR, .text = b->commid },
                     .signal = s->ref,
                     .member = s->at.member,
                     .weight = INT32_MAX,
                     .device = FF_NO_NUMBER,
                     .inferred = b->member != s->at.member };
    pair.why = ff_arena_format(arena, "NCCL names the communicator at %.*s, and so does",
                               FF_SHOW(ff_signal_text(s, "made")));
    ff_pairs_add_one(p, &pair);
}

/* In the widest communicator the seat is the rank. */
static void join_seat(ff_pairs *p, const ff_signal *s, ff_bytes pid_scope, int64_t widest)
{
    ff_bytes commid = ff_record_communicator(s);
    const ff_field *rank = ff_signal_field(s, "rank");
    if (!(s->stream & FF_STREAM_NCCL) || !commid.n || !rank || rank->type != FF_FIELD_RANK || rank->i < 0 ||
        rank->i >= INT32_MAX || s->who.pid < 0 || ff_record_world(s) >= widest)
        return;
    ff_pair pair = { .left = { .kind = FF_NAME_SEAT, .scope = commid, .number = (int32_t)rank->i },
                     .right = { .kind = FF_NAME_PID, .scope = pid_scope, .number = s->who.pid },
                     .signal = s->ref,
                     .member = s->at.member,
                     .weight = INT32_MAX,
                     .device = FF_NO_NUMBER };
    ff_pairs_add_one(p, &pair);
}

void ff_communicators_join(ff_pairs *p, const ff_evidence *e, const ff_bytes *scopes, ff_arena *arena)
{
    births all = read_births(e);
    int64_t widest = ff_record_widest(e);
    for (uint32_t i = 0; i < e->n_signals && all.n; i++) {
        const ff_signal *s = &e->signals[i];
        if (ff_signal_text(s, "made").n)
            join_group(p, &all, s, arena);
        join_seat(p, s, scopes[i], widest);
    }
    ff_free(all.at);
}
