/* What is said of ranks that wait for each other in a circle: groups were entered in different orders. */
#include "align_private.h"

static ff_bytes name_groups(const chain *c, const uint32_t *circle, uint32_t n, ff_arena *arena)
{
    ff_bytes groups = c->t->at[circle[0]].name;
    for (uint32_t i = 1; i < n && i < 16; i++) {
        ff_bytes name = c->t->at[circle[i]].name;
        groups = ff_arena_format(arena, "%.*s,%.*s", (int)groups.n, groups.p, (int)name.n, name.p);
    }
    return groups;
}

void ff_add_orders(ff_fields *f, ff_bytes odd, ff_bytes usual, bool sure, ff_arena *arena)
{
    ff_bytes both = ff_arena_format(arena, "%.*s,%.*s", (int)odd.n, odd.p, (int)usual.n, usual.p);
    ff_fields_text(f, "ranks", FF_FIELD_TEXT, sure ? odd : both);
    ff_fields_text(f, "odd_ranks", FF_FIELD_TEXT, odd);
    ff_fields_text(f, "majority_ranks", FF_FIELD_TEXT, usual);
    ff_fields_int(f, "majority", FF_FIELD_INT, sure);
}

/* Two groups: of the ranks that are in both, those that entered them in the order of the few are odd. */
static void add_orders(ff_fields *f, const finding *a, const finding *b, ff_arena *arena, int32_t *rank)
{
    sides s;
    ff_chain_orders(a, b, arena, &s);
    bool one_odd = s.n_one < s.n_two, sure = s.n_one != s.n_two && s.n_one && s.n_two;
    bool whole = !a->t->n_absent && !b->t->n_absent && !a->n_unknown && !b->n_unknown;
    const int32_t *odd = one_odd ? s.one : s.two, *usual = one_odd ? s.two : s.one;
    uint32_t n_odd = one_odd ? s.n_one : s.n_two, n_usual = one_odd ? s.n_two : s.n_one;
    ff_bytes x = ff_ranks_text(arena, odd, n_odd), y = ff_ranks_text(arena, usual, n_usual);
    sure = sure && whole;
    *rank = sure && n_odd == 1 ? odd[0] : FF_NO_NUMBER;
    if (!n_odd || !n_usual) { /* no rank is in both: each waits for the next */
        x = ff_seat_ranks(a, a->waiting, a->n_waiting, arena);
        y = ff_seat_ranks(b, b->waiting, b->n_waiting, arena);
    }
    if (*rank != FF_NO_NUMBER)
        ff_fields_int(f, "rank", FF_FIELD_RANK, *rank);
    ff_add_orders(f, x, y, sure, arena);
}

/* The missing ranks of each group wait in the next: groups were entered in different orders. With sends and receives
 * in the circle it may be the way of a pipeline, of which the one that stands still is not known. */
void ff_align_tell_circle(const chain *c, const finding *f, const uint32_t *circle, uint32_t n, bool p2p,
                          const teller *out)
{
    const finding *other = &c->all[circle[n > 1 ? 1 : 0]];
    const seat *mine = f->t->seats[f->waiting[0]], *theirs = other->t->seats[other->waiting[0]];
    int32_t rank = FF_NO_NUMBER;
    ff_fields fields = { .n = 0 };
    ff_add_group(&fields, f->t, f->seq);
    ff_fields_text(&fields, "kind", FF_FIELD_TEXT, FF_LIT("order"));
    ff_fields_text(&fields, "other_group", FF_FIELD_TEXT, other->t->name);
    ff_fields_int(&fields, "other_seq", FF_FIELD_INT, other->seq);
    ff_fields_text(&fields, "circle", FF_FIELD_TEXT, name_groups(c, circle, n, out->arena));
    ff_fields_int(&fields, "p2p", FF_FIELD_INT, p2p);
    ff_add_side(&fields, mine, ff_seat_turn(mine, f->seq), false, false, out->arena);
    ff_add_side(&fields, theirs, ff_seat_turn(theirs, other->seq), true, false, out->arena);
    add_orders(&fields, f, other, out->arena, &rank);
    ff_add_wait(&fields, f, f->seq);
    ff_tell(out, FF_FACT_FR_OP_MISMATCH, mine, ff_seat_turn(mine, f->seq)->first, rank, &fields);
}
