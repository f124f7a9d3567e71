/* Who waits for whom, over all process groups. A rank is held up by the oldest operation of its dump that did not
 * end; that leads to the ranks that never came to it, and so on. Where the way ends at a rank that waits for nobody,
 * that rank is the head; where it ends at a rank without a dump, nobody can say; where it never ends, ranks wait for
 * each other in a circle. */
#include "align_private.h"

/* ---- what holds a rank up ---- */

static void take_hold(hold *h, uint32_t number, const seat *s, const team *t)
{
    const turn *open = ff_turn_open(s);
    const p2p_op *op = ff_p2p_open(s);
    if (open && (h->team == FF_NONE || open->first < h->entry))
        *h = (hold){ .team = number, .entry = open->first, .seq = open->seq, .peer = FF_NO_NUMBER };
    if (op && (h->team == FF_NONE || op->entry < h->entry))
        *h = (hold){ .team = number,
                     .entry = op->entry,
                     .seq = entry_of(s, op->entry)->p2p_seq,
                     .peer = ff_p2p_peer(t, s, op),
                     .p2p = true };
}

static const sheet *sheet_of(const teams *t, int32_t rank)
{
    uint32_t low = 0, high = t->n_sheets;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (t->sheets[mid].dump->rank < rank)
            low = mid + 1;
        else
            high = mid;
    }
    return low < t->n_sheets && t->sheets[low].dump->rank == rank ? &t->sheets[low] : NULL;
}

/* ---- where the waiting ends ---- */

typedef struct ground { /* one of the two ways to look at it */
    bool *sheets, *teams;
    bool silent; /* a member without a dump may be the end of the way */
} ground;

static bool ends_here(const chain *c, const ground *g, uint32_t i)
{
    const hold *h = &c->holds[i];
    if (h->team == FF_NONE)
        return true;
    if (!h->p2p)
        return g->teams[h->team];
    const sheet *peer = h->peer == FF_NO_NUMBER ? NULL : sheet_of(c->t, h->peer);
    return !peer || peer->dump->truncated || g->sheets[peer - c->t->sheets];
}

/* All came to f's turn; a rank that waits there, but in something older first. NULL: none. */
static const hold *held_elsewhere(const chain *c, const finding *f)
{
    for (uint32_t i = 0; i < f->n_waiting; i++) {
        const hold *h = hold_of(c, f->t->seats[f->waiting[i]]);
        if (h->team != FF_NONE && &c->all[h->team] != f)
            return h;
    }
    return NULL;
}

static bool team_ends_here(const chain *c, const ground *g, const finding *f)
{
    bool silent = f->t->n_absent || f->n_unknown, elsewhere = held_elsewhere(c, f) != NULL;
    if ((silent && (g->silent || (!f->n_missing && !elsewhere))) || !f->n_waiting || !f->t->ranks)
        return true;
    const uint32_t *seats = f->n_missing ? f->missing : f->waiting;
    for (uint32_t i = 0; i < (f->n_missing ? f->n_missing : f->n_waiting); i++) {
        const seat *s = f->t->seats[seats[i]];
        const hold *h = hold_of(c, s);
        bool here = !f->n_missing && (h->team == FF_NONE || &c->all[h->team] == f);
        if (!here && g->sheets[s->sheet - c->t->sheets])
            return true;
    }
    return !f->n_missing && !elsewhere;
}

/* From the ends backwards, until nothing changes. */
static void find_ground(const chain *c, ground *g)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < c->t->n_sheets; i++) {
            if (!g->sheets[i] && ends_here(c, g, i))
                changed = g->sheets[i] = true;
        }
        for (uint32_t i = 0; i < c->t->n; i++) {
            if (!g->teams[i] && team_ends_here(c, g, &c->all[i]))
                changed = g->teams[i] = true;
        }
    }
}

chain ff_align_link(const teams *t, const finding *all, ff_arena *arena)
{
    uint32_t n = t->n_sheets ? t->n_sheets : 1;
    chain c = { .t = t,
                .all = all,
                .holds = FF_NEW_N(arena, hold, n),
                .grounded = FF_NEW_N(arena, bool, n),
                .team_grounded = FF_NEW_N(arena, bool, t->n ? t->n : 1) };
    for (uint32_t i = 0; i < n; i++)
        c.holds[i] = (hold){ .team = FF_NONE, .seq = -1, .peer = FF_NO_NUMBER };
    for (uint32_t i = 0; i < t->n; i++)
        for (uint32_t k = 0; k < t->at[i].n_seats; k++)
            take_hold(&c.holds[t->at[i].seats[k]->sheet - t->sheets], i, t->at[i].seats[k], &t->at[i]);
    c.team_ends = FF_NEW_N(arena, bool, t->n ? t->n : 1);
    ground strict = { .sheets = c.grounded, .teams = c.team_grounded, .silent = true };
    ground loose = { .sheets = FF_NEW_N(arena, bool, n), .teams = c.team_ends };
    find_ground(&c, &strict);
    find_ground(&c, &loose);
    c.is_locked = ff_chain_is_locked(&c, arena);
    return c;
}

/* ---- held up in the past ---- */

static const seat *seat_in(const team *t, const sheet *sh)
{
    for (uint32_t i = 0; i < t->n_seats; i++)
        if (t->seats[i]->sheet == sh)
            return t->seats[i];
    return NULL;
}

/* Did everybody come to an operation long before ns? Then nobody was held up in it. */
static bool all_came_before(const chain *c, const seat *s, const ff_fr_entry *e, int64_t ns)
{
    for (uint32_t k = 0; k < c->t->n; k++) {
        const team *t = &c->t->at[k];
        const seat *mine = seat_in(t, s->sheet);
        if (!mine || mine->group != e->group)
            continue;
        for (uint32_t i = 0; i < t->n_seats; i++) {
            const turn *here = ff_seat_turn(t->seats[i], e->seq);
            if (!here || times_of(t->seats[i], here->first)->created_ns > ns)
                return false;
        }
        return t->ranks && !t->n_absent;
    }
    return false;
}

uint32_t ff_late_held(const chain *c, const seat *s, const turn *t, int64_t late_ns)
{
    int64_t came = times_of(s, t->first)->created_ns, half = came - late_ns / 2;
    for (uint32_t i = t->first; i-- > 0;) {
        const ff_fr_entry *e = entry_of(s, i);
        if (times_of(s, i)->created_ns > half)
            continue;
        bool other = e->group != s->group || e->call->src >= 0;
        int64_t completed_ns = ff_fr_completed_ns(times_of(s, i));
        if (completed_ns > half && completed_ns <= came + late_ns / 2 && other)
            return i;
        if (completed_ns > 0 || !other)
            break; /* what lies before ended earlier still */
        return e->call->src < 0 && all_came_before(c, s, e, half) ? FF_NONE : i;
    }
    return FF_NONE;
}

/* ---- circles ---- */

/* The group in which the first missing rank of f, or the first that waits elsewhere first, is held up, through sends
 * and receives if need be. */
static uint32_t next_team(const chain *c, const finding *f, bool *p2p)
{
    const hold *h = f->n_missing ? hold_of(c, f->t->seats[f->missing[0]]) : held_elsewhere(c, f);
    for (uint32_t i = 0; h && i <= c->t->n_sheets && h->team != FF_NONE; i++) {
        if (!h->p2p)
            return h->team;
        *p2p = true;
        const sheet *peer = h->peer == FF_NO_NUMBER ? NULL : sheet_of(c->t, h->peer);
        if (!peer)
            return FF_NONE;
        h = &c->holds[peer - c->t->sheets];
    }
    return FF_NONE;
}

uint32_t ff_chain_circle(const chain *c, const finding *f, uint32_t *circle, uint32_t most, bool *p2p)
{
    uint32_t from = (uint32_t)(f - c->all), n = 0;
    *p2p = false;
    for (uint32_t at = from; at != FF_NONE && n < c->t->n;) {
        if (c->team_grounded[at] || at < from)
            return 0; /* a circle is told by its first group only */
        if (n < most)
            circle[n] = at;
        n++;
        at = next_team(c, &c->all[at], p2p);
        if (at == from)
            return n < most ? n : most;
    }
    return 0;
}

/* ---- in which order two operations were entered ---- */

/* Entry of a seat's turn seq; FF_NONE: it is not there. */
static uint32_t entry_at(const seat *s, int64_t seq)
{
    const turn *t = s ? ff_seat_turn(s, seq) : NULL;
    return t ? t->first : FF_NONE;
}

void ff_chain_orders(const finding *f, const finding *g, ff_arena *arena, sides *out)
{
    uint32_t k = 0;
    *out = (sides){ .one = FF_NEW_N(arena, int32_t, f->t->n_seats + 1),
                    .two = FF_NEW_N(arena, int32_t, f->t->n_seats + 1) };
    for (uint32_t i = 0; i < f->t->n_seats; i++) {
        const seat *s = f->t->seats[i];
        while (k < g->t->n_seats && rank_of(g->t->seats[k]) < rank_of(s))
            k++;
        if (k == g->t->n_seats || rank_of(g->t->seats[k]) != rank_of(s))
            continue;
        uint32_t here = entry_at(s, f->seq), there = entry_at(g->t->seats[k], g->seq);
        if (here < there)
            out->one[out->n_one++] = rank_of(s);
        else if (there < here)
            out->two[out->n_two++] = rank_of(s);
    }
}
