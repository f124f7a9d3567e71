/* How alignment says that ranks did not do the same. */
#include "align_private.h"

static uint32_t members_of(const finding *f, bool inside, uint32_t class, uint32_t *seats)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->t->n_seats; i++)
        if (f->split.class_of[i] != FF_NONE && (f->split.class_of[i] == class) == inside)
            seats[n++] = i;
    return n;
}

void ff_add_side(ff_fields *f, const seat *s, const turn *t, bool majority, bool shape, ff_arena *arena)
{
    ff_fields_text(f, majority ? "majority_op" : "op", FF_FIELD_TEXT, ff_turn_op(s, t, arena));
    ff_fields_text(f, majority ? "majority_frame" : "frame", FF_FIELD_TEXT, entry_of(s, t->first)->call->frame);
    if (shape)
        ff_fields_text(f, majority ? "majority_sizes" : "sizes", FF_FIELD_TEXT,
                       ff_call_shape(entry_of(s, t->first)->call, arena));
}

/* ---- in which way ---- */

static bool alike(const seat *a, const turn *x, const seat *b, const turn *y)
{
    return x && y && ff_turns_compare(a, x, b, y) == SAME;
}

static bool alike_or_open(const seat *a, const turn *x, const seat *b, const turn *y)
{
    return !x || !y || ff_turns_compare(a, x, b, y) == SAME;
}

/* One operation more or less shifts all that follow; two exchanged ones do not. */
static const char *kind_of_op(const seat *odd, const seat *usual, int64_t seq, bool sure)
{
    const turn *o[3], *u[3];
    for (int i = 0; i < 3; i++) {
        o[i] = ff_seat_turn(odd, seq + i);
        u[i] = ff_seat_turn(usual, seq + i);
    }
    bool early = alike(odd, o[0], usual, u[1]), late = alike(odd, o[1], usual, u[0]);
    if (early && late)
        return "order";
    if (early && alike_or_open(odd, o[1], usual, u[2]))
        return sure ? "skipped" : "shifted";
    if (late && alike_or_open(odd, o[2], usual, u[1]))
        return sure ? "extra" : "shifted";
    if (o[0]->n != u[0]->n && ff_equal(entry_of(odd, o[0]->first)->call->op, entry_of(usual, u[0]->first)->call->op))
        return "count";
    return "operation";
}

static uint32_t count_tensors(ff_bytes sizes)
{
    uint32_t n = 0;
    for (size_t i = 1; i < sizes.n; i++)
        n += sizes.p[i] == '[';
    return n;
}

static const char *kind_of_shape(const seat *odd, const turn *t, const seat *usual, const turn *u, split_why why)
{
    const ff_fr_entry *e = entry_of(odd, t->first), *f = entry_of(usual, u->first);
    if (why != WHY_PLAIN)
        return why == WHY_ROOTS ? "root" : why == WHY_PAIRS ? "exchange" : "sum";
    if (!ff_is_empty(e->call->dtypes) && !ff_is_empty(f->call->dtypes) && !ff_equal(e->call->dtypes, f->call->dtypes))
        return "dtype";
    return count_tensors(e->call->in_sizes) != count_tensors(f->call->in_sizes) ? "count" : "size";
}

/* With a majority, ranks are the odd ones. Without, ranks are all that differ, and the two sides are only told apart.
 */
void ff_align_tell_split(const finding *f, const teller *out)
{
    const split *s = &f->split;
    uint32_t *seats = FF_NEW_N(out->arena, uint32_t, f->t->n_seats),
             *rest = FF_NEW_N(out->arena, uint32_t, f->t->n_seats);
    uint32_t one = s->majority != FF_NONE ? s->majority : 0, other = s->n < 2 ? 0 : one == 0 ? 1 : 0;
    uint32_t n_rest = members_of(f, true, one, rest), n = members_of(f, false, one, seats);
    const seat *odd = f->t->seats[s->first[other]], *usual = f->t->seats[s->first[one]];
    const turn *t = ff_seat_turn(odd, s->seq), *u = ff_seat_turn(usual, s->seq);
    bool sure = s->majority != FF_NONE, shape = s->kind == OTHER_SHAPE;
    int32_t rank = sure && n == 1 ? rank_of(f->t->seats[seats[0]]) : FF_NO_NUMBER;
    ff_fields fields = { .n = 0 };
    ff_add_group(&fields, f->t, s->seq);
    if (rank != FF_NO_NUMBER)
        ff_fields_int(&fields, "rank", FF_FIELD_RANK, rank);
    ff_add_side(&fields, odd, t, false, shape, out->arena);
    ff_add_side(&fields, usual, u, true, shape, out->arena);
    ff_bytes odd_ranks = ff_seat_ranks(f, seats, n, out->arena),
             usual_ranks = ff_seat_ranks(f, rest, n_rest, out->arena);
    ff_bytes both = !n ? usual_ranks
                       : ff_arena_format(out->arena, "%.*s,%.*s", (int)usual_ranks.n, usual_ranks.p, (int)odd_ranks.n,
                                         odd_ranks.p);
    const char *kind = shape ? kind_of_shape(odd, t, usual, u, s->why) : kind_of_op(odd, usual, s->seq, sure);
    ff_fields_text(&fields, "kind", FF_FIELD_TEXT, ff_str(kind));
    ff_fields_text(&fields, "ranks", FF_FIELD_TEXT, sure ? odd_ranks : both);
    ff_fields_text(&fields, "odd_ranks", FF_FIELD_TEXT, odd_ranks);
    ff_fields_text(&fields, "majority_ranks", FF_FIELD_TEXT, usual_ranks);
    ff_fields_int(&fields, "n_odd", FF_FIELD_INT, n);
    ff_fields_int(&fields, "n_majority", FF_FIELD_INT, n_rest);
    ff_fields_int(&fields, "majority", FF_FIELD_INT, sure);
    ff_fields_int(&fields, "dumps_missing", FF_FIELD_INT, f->t->n_absent);
    ff_add_wait(&fields, f, s->seq);
    ff_tell(out, shape ? FF_FACT_FR_SHAPE_MISMATCH : FF_FACT_FR_OP_MISMATCH, odd, t->first, rank, &fields);
}
