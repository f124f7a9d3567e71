/* Ranks that wait for each other whatever those without a dump did. A collective ends when all its members have come,
 * so a rank waits for each of them that has not: one that is held up in something it entered before, or never came at
 * all. Where that leads round, no dump that is missing is needed to explain why nothing moves. */
#include "align_private.h"

typedef struct locked { /* found to lead to no circle */
    const chain *c;
    bool *sheets, *teams;
} locked;

/* By its own dump, a member has not come to turn seq, or entered something before in which it is held up. */
static bool has_not_come(const chain *c, const seat *s, int64_t seq)
{
    const turn *t = ff_seat_turn(s, seq);
    const hold *h = hold_of(c, s);
    if (s->sheet->dump->truncated)
        return false;
    return t ? !t->done && h->team != FF_NONE && h->entry < t->first : s->issued < seq && s->issued_exact;
}

static bool team_is_free(const locked *l, uint32_t number)
{
    const finding *f = &l->c->all[number];
    for (uint32_t i = 0; i < f->t->n_seats; i++) {
        const seat *s = f->t->seats[i];
        if (!l->sheets[s->sheet - l->c->t->sheets] && has_not_come(l->c, s, f->seq))
            return false;
    }
    return true;
}

static bool sheet_is_free(const locked *l, uint32_t i)
{
    const hold *h = &l->c->holds[i];
    if (h->team == FF_NONE || h->p2p || h->seq != l->c->all[h->team].seq)
        return true;
    return l->teams[h->team];
}

bool ff_chain_is_locked(const chain *c, ff_arena *arena)
{
    locked l = { .c = c,
                 .sheets = FF_NEW_N(arena, bool, c->t->n_sheets + 1),
                 .teams = FF_NEW_N(arena, bool, c->t->n + 1) };
    bool all = false;
    for (bool changed = true; changed;) {
        changed = false;
        all = true;
        for (uint32_t i = 0; i < c->t->n_sheets; i++) {
            if (!l.sheets[i] && sheet_is_free(&l, i))
                changed = l.sheets[i] = true;
            all = all && l.sheets[i];
        }
        for (uint32_t i = 0; i < c->t->n; i++)
            if (!l.teams[i] && team_is_free(&l, i))
                changed = l.teams[i] = true;
    }
    return !all;
}
