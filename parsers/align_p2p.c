/* Sends and receives. The k-th send of rank a to rank b belongs to the k-th receive of b from a. That holds only
 * while both dumps reach back to their first entry, so dumps that lost their oldest entries are not compared. */
#include "align_private.h"

#include <stdlib.h>

/* Global rank of a group-local one; FF_NO_NUMBER where the members are not known. */
static int32_t global_rank(const team *t, int32_t local)
{
    return t->ranks && local >= 0 && (uint32_t)local < t->n_ranks ? t->ranks[local] : FF_NO_NUMBER;
}

const seat *ff_team_seat(const team *t, int32_t rank)
{
    for (uint32_t low = 0, high = t->n_seats; low < high;) {
        uint32_t mid = low + (high - low) / 2;
        if (rank_of(t->seats[mid]) == rank)
            return t->seats[mid];
        if (rank_of(t->seats[mid]) < rank)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

static bool reaches_back(const seat *s)
{
    return s->sheet->whole && !s->sheet->filtered && !s->sheet->dump->truncated;
}

static const p2p_op *find_partner(const seat *peer, const p2p_op *op)
{
    for (uint32_t i = 0; i < peer->n_p2p; i++)
        if (peer->p2p[i].from == op->from && peer->p2p[i].to == op->to && peer->p2p[i].order == op->order)
            return &peer->p2p[i];
    return NULL;
}

static void add_common(ff_fields *f, const team *t, const seat *s, const p2p_op *op, int32_t peer)
{
    const ff_fr_entry *e = entry_of(s, op->entry);
    int64_t created_ns = times_of(s, op->entry)->created_ns, newest_ns = s->sheet->newest_ns;
    int64_t waited = created_ns > 0 && newest_ns > created_ns ? newest_ns - created_ns : 0;
    ff_add_group(f, t, e->p2p_seq);
    ff_fields_text(f, "op", FF_FIELD_TEXT, e->call->op);
    ff_fields_int(f, "p2p", FF_FIELD_INT, 1);
    ff_fields_int(f, "peer", FF_FIELD_INT, peer);
    ff_fields_int(f, "timeout_ms", FF_FIELD_INT, e->call->timeout_ms);
    ff_fields_int(f, "wait_ms", FF_FIELD_INT, waited / 1000000);
    ff_fields_text(f, "waiting_frame", FF_FIELD_TEXT, e->call->frame);
}

static void tell_no_dump(const chain *c, const team *t, const seat *s, const p2p_op *op, int32_t peer,
                         const teller *out)
{
    ff_fields f = { .n = 0 };
    int32_t me = rank_of(s);
    add_common(&f, t, s, op, peer);
    ff_fields_int(&f, "rank", FF_FIELD_RANK, peer);
    ff_fields_text(&f, "ranks", FF_FIELD_TEXT, ff_ranks_text(out->arena, &peer, 1));
    ff_fields_int(&f, "n_ranks", FF_FIELD_INT, 1);
    ff_fields_text(&f, "waiting", FF_FIELD_TEXT, ff_ranks_text(out->arena, &me, 1));
    ff_fields_int(&f, "n_waiting", FF_FIELD_INT, 1);
    ff_fields_int(&f, "n_queued", FF_FIELD_INT, 0);
    ff_add_without(&f, c, out->arena);
    if (c->is_locked)
        ff_fields_int(&f, "circle", FF_FIELD_INT, 1);
    ff_add_alone(&f, c, out->arena);
    ff_tell(out, FF_FACT_FR_INCOMPLETE, s, op->entry, peer, &f);
}

/* The peer never came to its side of the operation. Where something is open in its own dump, it is held up there. */
static void tell_missing(const chain *c, const team *t, const seat *s, const p2p_op *op, const seat *peer,
                         const teller *out)
{
    ff_fields f = { .n = 0 };
    int32_t me = rank_of(s);
    const hold *h = hold_of(c, peer);
    bool held = h->team != FF_NONE;
    uint32_t last = peer->sheet->dump->n_entries ? peer->sheet->dump->n_entries - 1 : FF_NONE;
    add_common(&f, t, s, op, rank_of(peer));
    ff_fields_int(&f, "rank", FF_FIELD_RANK, rank_of(peer));
    ff_fields_int(&f, "n_missing", FF_FIELD_INT, 1);
    ff_fields_text(&f, "waiting", FF_FIELD_TEXT, ff_ranks_text(out->arena, &me, 1));
    ff_fields_int(&f, "n_waiting", FF_FIELD_INT, 1);
    if (last != FF_NONE) {
        ff_fields_text(&f, "last_op", FF_FIELD_TEXT, entry_of(peer, last)->call->op);
        ff_fields_text(&f, "last_frame", FF_FIELD_TEXT, entry_of(peer, last)->call->frame);
    }
    ff_fields_int(&f, "dump_missing", FF_FIELD_INT, 0);
    ff_fields_int(&f, "head", FF_FIELD_INT, !held);
    if (held) {
        ff_fields_text(&f, "waits_in", FF_FIELD_TEXT, c->t->at[h->team].name);
        ff_fields_int(&f, "waits_seq", FF_FIELD_INT, h->seq);
        if (h->p2p && h->peer != FF_NO_NUMBER)
            ff_fields_int(&f, "waits_for", FF_FIELD_INT, h->peer);
    }
    ff_tell(out, held ? FF_FACT_FR_WAITS : FF_FACT_FR_MISSING, peer, last, rank_of(peer), &f);
}

/* Sends and receives that wait for each other: a waits for b, b for c, c for a, and no collective is in between, nor
 * anything open that a ring has lost. */
static void tell_circle(const chain *c, const team *t, const seat *s, const p2p_op *op, const teller *out)
{
    int32_t ranks[64];
    uint32_t n = 0;
    const sheet *sheets = c->t->sheets;
    uint32_t from = (uint32_t)(s->sheet - sheets), at = from;
    do {
        const hold *h = &c->holds[at];
        if (h->team == FF_NONE || !h->p2p || h->peer == FF_NO_NUMBER || c->grounded[at] || n == FF_COUNT(ranks) ||
            sheets[at].lost_open)
            return;
        ranks[n++] = sheets[at].dump->rank;
        uint32_t next = 0;
        while (next < c->t->n_sheets && sheets[next].dump->rank != h->peer)
            next++;
        if (next == c->t->n_sheets || next < from)
            return; /* the lowest rank tells it */
        at = next;
    } while (at != from);
    ff_fields f = { .n = 0 };
    add_common(&f, t, s, op, c->holds[from].peer);
    ff_fields_text(&f, "kind", FF_FIELD_TEXT, FF_LIT("order"));
    ff_fields_text(&f, "ranks", FF_FIELD_TEXT, ff_ranks_text(out->arena, ranks, n));
    ff_fields_int(&f, "majority", FF_FIELD_INT, 0);
    ff_tell(out, FF_FACT_FR_OP_MISMATCH, s, op->entry, FF_NO_NUMBER, &f);
}

/* Two sides and no third: nobody is odd. */
static void tell_sizes(const team *t, const seat *s, const p2p_op *op, const seat *peer, const p2p_op *other,
                       const teller *out)
{
    ff_fields f = { .n = 0 };
    int32_t both[2] = { rank_of(s), rank_of(peer) };
    const ff_fr_entry *e = entry_of(s, op->entry), *o = entry_of(peer, other->entry);
    if (peer->sheet < s->sheet && !other->done)
        return; /* the lower rank tells it */
    add_common(&f, t, s, op, rank_of(peer));
    ff_fields_text(&f, "kind", FF_FIELD_TEXT, FF_LIT("size"));
    ff_fields_text(&f, "ranks", FF_FIELD_TEXT, ff_ranks_text(out->arena, both, 2));
    ff_fields_text(&f, "odd_ranks", FF_FIELD_TEXT, ff_ranks_text(out->arena, both, 1));
    ff_fields_text(&f, "majority_ranks", FF_FIELD_TEXT, ff_ranks_text(out->arena, both + 1, 1));
    ff_fields_text(&f, "sizes", FF_FIELD_TEXT, e->call->in_sizes);
    ff_fields_text(&f, "frame", FF_FIELD_TEXT, e->call->frame);
    ff_fields_text(&f, "majority_sizes", FF_FIELD_TEXT, o->call->in_sizes);
    ff_fields_text(&f, "majority_op", FF_FIELD_TEXT, o->call->op);
    ff_fields_text(&f, "majority_frame", FF_FIELD_TEXT, o->call->frame);
    ff_fields_int(&f, "majority", FF_FIELD_INT, 0);
    ff_tell(out, FF_FACT_FR_SHAPE_MISMATCH, s, op->entry, FF_NO_NUMBER, &f);
}

int32_t ff_p2p_peer(const team *t, const seat *s, const p2p_op *op)
{
    uint32_t place = ff_team_place(t, rank_of(s));
    int32_t me = (int32_t)place;
    if (place == FF_NONE || (op->from != me && op->to != me))
        return FF_NO_NUMBER;
    return global_rank(t, op->from == me ? op->to : op->from);
}

/* An operation of the same pair that is open at the peer too: both came. */
static bool is_open_there(const seat *peer, const p2p_op *op)
{
    for (uint32_t i = 0; i < peer->n_p2p; i++)
        if (!peer->p2p[i].done && peer->p2p[i].from == op->from && peer->p2p[i].to == op->to)
            return true;
    return false;
}

/* With both dumps back to their beginning, operations of a pair are counted. Without, one thing still shows: a
 * receive that nothing open at the sender answers. The sender may have been done with it already, so this names
 * nobody. */
static bool judge_op(const chain *c, const team *t, const seat *s, const p2p_op *op, const teller *out)
{
    int32_t peer_rank = ff_p2p_peer(t, s, op);
    if (peer_rank == FF_NO_NUMBER)
        return false;
    const seat *peer = ff_team_seat(t, peer_rank);
    if (!peer || peer->sheet->dump->truncated) {
        tell_no_dump(c, t, s, op, peer_rank, out);
        return true;
    }
    if (!reaches_back(s) || !reaches_back(peer) || !peer->issued_exact) {
        bool open = is_open_there(peer, op), held = hold_of(c, peer)->team != FF_NONE;
        if (!open && held)
            tell_missing(c, t, s, op, peer, out);
        else if (!open)
            tell_no_dump(c, t, s, op, peer_rank, out);
        return !open;
    }
    const p2p_op *other = peer->group == FF_NONE ? NULL : find_partner(peer, op);
    if (!other) {
        tell_missing(c, t, s, op, peer, out);
        return true;
    }
    const ff_fr_entry *e = entry_of(s, op->entry), *o = entry_of(peer, other->entry);
    if (e->call->in_numel >= 0 && o->call->in_numel >= 0 && e->call->in_numel != o->call->in_numel) {
        tell_sizes(t, s, op, peer, other, out);
        return true;
    }
    return false;
}

/* The first operation that is not done says what a rank waits for; in a batch each of its operations may. */
bool ff_align_p2p(const chain *c, const team *t, const teller *out)
{
    bool told = false;
    for (uint32_t i = 0; t->ranks && i < t->n_seats; i++) {
        const seat *s = t->seats[i];
        const p2p_op *open = ff_p2p_open(s);
        if (!open)
            continue;
        uint32_t k = (uint32_t)(open - s->p2p);
        int64_t batch = entry_of(s, open->entry)->p2p_seq;
        bool found = false;
        if (hold_of(c, s)->entry == open->entry)
            tell_circle(c, t, s, open, out);
        for (uint32_t n = 0; k < s->n_p2p && n < 64 && !found; k++, n++) {
            if (entry_of(s, s->p2p[k].entry)->p2p_seq != batch)
                break;
            found = judge_op(c, t, s, &s->p2p[k], out);
        }
        told = told || found;
    }
    return told;
}
