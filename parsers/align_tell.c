/* What was found, as facts. */
#include "align_private.h"

#define CAP_TOLD 64u /* facts about missing ranks of one turn; the text of all ranks stands in each */

/* ---- who waits where ---- */

chain ff_align_link(const teams *t, const finding *all, ff_arena *arena)
{
    uint32_t n = t->n_sheets ? t->n_sheets : 1;
    chain c = { .all = all,
                .n = t->n,
                .sheets = t->sheets,
                .first = FF_NEW_N(arena, uint32_t, n),
                .second = FF_NEW_N(arena, uint32_t, n) };
    for (uint32_t i = 0; i < n; i++)
        c.first[i] = c.second[i] = FF_NONE;
    for (uint32_t i = 0; i < t->n; i++) {
        for (uint32_t k = 0; k < all[i].n_waiting; k++) {
            size_t at = (size_t)(all[i].t->seats[all[i].waiting[k]]->sheet - t->sheets);
            uint32_t *slot = c.first[at] == FF_NONE ? &c.first[at] : &c.second[at];
            *slot = *slot == FF_NONE ? i : *slot;
        }
    }
    return c;
}

/* The finding of another group in which a rank waits; NULL: it waits nowhere else. */
static const finding *waits_elsewhere(const chain *c, const finding *here, const seat *s)
{
    size_t at = (size_t)(s->sheet - c->sheets);
    uint32_t i = c->first[at] != FF_NONE && &c->all[c->first[at]] == here ? c->second[at] : c->first[at];
    return i == FF_NONE ? NULL : &c->all[i];
}

/* ---- telling ---- */

static ff_bytes ranks_of(const finding *f, const uint32_t *seats, uint32_t n, ff_arena *arena)
{
    int32_t *ranks = FF_NEW_N(arena, int32_t, n ? n : 1);
    for (uint32_t i = 0; i < n; i++)
        ranks[i] = rank_of(f->t->seats[seats[i]]);
    return ff_ranks_text(arena, ranks, n);
}

static ff_bytes absent_ranks(const team *t, ff_arena *arena)
{
    int32_t *ranks = FF_NEW_N(arena, int32_t, t->n_absent ? t->n_absent : 1);
    for (uint32_t i = 0; i < t->n_absent; i++)
        ranks[i] = t->ranks[t->absent[i]];
    return ff_ranks_text(arena, ranks, t->n_absent);
}

static void add_group(ff_fields *f, const team *t, int64_t seq)
{
    ff_fields_text(f, "group", FF_FIELD_TEXT, t->name);
    ff_fields_text(f, "desc", FF_FIELD_TEXT, t->desc);
    ff_fields_int(f, "seq", FF_FIELD_INT, seq);
    if (t->n_ranks)
        ff_fields_int(f, "members", FF_FIELD_INT, t->n_ranks);
}

/* How long the waiting ranks are known to have waited: what their dumps show to have happened later. */
static void add_wait(ff_fields *f, const finding *of, int64_t seq)
{
    int64_t waited = 0, timeout = -1;
    for (uint32_t i = 0; i < of->n_waiting; i++) {
        const seat *s = of->t->seats[of->waiting[i]];
        const turn *t = ff_seat_turn(s, seq);
        if (!t)
            continue;
        const ff_fr_entry *e = entry_of(s, t->last);
        timeout = timeout < 0 ? e->timeout_ms : timeout;
        if (e->created_ns > 0 && s->sheet->newest_ns - e->created_ns > waited)
            waited = s->sheet->newest_ns - e->created_ns;
    }
    if (timeout >= 0)
        ff_fields_int(f, "timeout_ms", FF_FIELD_INT, timeout);
    ff_fields_int(f, "wait_ms", FF_FIELD_INT, waited / 1000000);
}

static void add_waiting(ff_fields *f, const finding *of, ff_arena *arena)
{
    const seat *s = of->t->seats[of->waiting[0]];
    const turn *t = ff_seat_turn(s, of->seq);
    ff_fields_text(f, "op", FF_FIELD_TEXT, ff_turn_op(s, t, arena));
    ff_fields_text(f, "waiting", FF_FIELD_TEXT, ranks_of(of, of->waiting, of->n_waiting, arena));
    ff_fields_int(f, "n_waiting", FF_FIELD_INT, of->n_waiting);
    ff_fields_text(f, "waiting_frame", FF_FIELD_TEXT, entry_of(s, t->first)->frame);
    add_wait(f, of, of->seq);
}

/* What the rank did last: in the group if it did anything there, else anywhere. */
static uint32_t last_entry(const seat *s)
{
    if (s->n_turns)
        return s->turns[s->n_turns - 1].last;
    return s->sheet->dump->n_entries ? s->sheet->dump->n_entries - 1 : FF_NONE;
}

static void add_last(ff_fields *f, const seat *s)
{
    uint32_t group = last_entry(s), any = s->sheet->dump->n_entries ? s->sheet->dump->n_entries - 1 : FF_NONE;
    if (s->n_turns)
        ff_fields_int(f, "last_seq", FF_FIELD_INT, s->turns[s->n_turns - 1].seq);
    if (group != FF_NONE)
        ff_fields_text(f, "last_op", FF_FIELD_TEXT, entry_of(s, group)->op);
    if (any != FF_NONE)
        ff_fields_text(f, "last_frame", FF_FIELD_TEXT, entry_of(s, any)->frame);
}

/* A rank that waits in another group is held up itself: it is told as waiting, and the group it waits in has its own
 * finding. Only a rank that waits nowhere is missing. */
static void tell_missing(const chain *c, const finding *f, const teller *out)
{
    for (uint32_t i = 0; i < f->n_missing && i < CAP_TOLD; i++) {
        const seat *s = f->t->seats[f->missing[i]];
        const finding *other = waits_elsewhere(c, f, s);
        ff_fields fields = { .n = 0 };
        add_group(&fields, f->t, f->seq);
        ff_fields_int(&fields, "rank", FF_FIELD_RANK, rank_of(s));
        add_waiting(&fields, f, out->arena);
        add_last(&fields, s);
        ff_fields_text(&fields, "missing", FF_FIELD_TEXT, ranks_of(f, f->missing, f->n_missing, out->arena));
        ff_fields_int(&fields, "n_missing", FF_FIELD_INT, f->n_missing);
        ff_fields_int(&fields, "dump_missing", FF_FIELD_INT, f->t->n_absent > 0);
        ff_fields_int(&fields, "head", FF_FIELD_INT, other == NULL);
        if (other) {
            ff_fields_text(&fields, "waits_in", FF_FIELD_TEXT, other->t->name);
            ff_fields_int(&fields, "waits_seq", FF_FIELD_INT, other->seq);
        }
        ff_tell(out, other ? FF_FACT_FR_WAITS : FF_FACT_FR_MISSING, s, last_entry(s), rank_of(s), &fields);
    }
}

/* The operation that came late stands last in the dump: where the rank was instead is the one before. */
static void tell_late(const finding *f, const teller *out)
{
    uint32_t n_others = 0, *others = FF_NEW_N(out->arena, uint32_t, f->t->n_seats ? f->t->n_seats : 1);
    for (uint32_t i = 0, k = 0; i < f->t->n_seats; i++) {
        if (k < f->n_late && f->late[k] == i)
            k++;
        else
            others[n_others++] = i;
    }
    for (uint32_t i = 0; i < f->n_late && i < CAP_TOLD; i++) {
        const seat *s = f->t->seats[f->late[i]], *first = f->t->seats[others[0]];
        const turn *t = ff_seat_turn(s, f->late_seq), *theirs = ff_seat_turn(first, f->late_seq);
        const ff_fr_entry *mine = entry_of(s, t->first), *waited = entry_of(first, theirs->first);
        ff_fields fields = { .n = 0 };
        add_group(&fields, f->t, f->late_seq);
        ff_fields_text(&fields, "op", FF_FIELD_TEXT, ff_turn_op(first, theirs, out->arena));
        ff_fields_int(&fields, "rank", FF_FIELD_RANK, rank_of(s));
        ff_fields_text(&fields, "waiting", FF_FIELD_TEXT, ranks_of(f, others, n_others, out->arena));
        ff_fields_int(&fields, "n_waiting", FF_FIELD_INT, n_others);
        ff_fields_text(&fields, "waiting_frame", FF_FIELD_TEXT, waited->frame);
        ff_fields_int(&fields, "timeout_ms", FF_FIELD_INT, waited->timeout_ms);
        ff_fields_int(&fields, "wait_ms", FF_FIELD_INT, f->late_ns / 1000000);
        ff_fields_int(&fields, "late_ms", FF_FIELD_INT, f->late_ns / 1000000);
        if (t > s->turns) {
            ff_fields_int(&fields, "last_seq", FF_FIELD_INT, t[-1].seq);
            ff_fields_text(&fields, "last_op", FF_FIELD_TEXT, ff_turn_op(s, t - 1, out->arena));
            ff_fields_text(&fields, "last_frame", FF_FIELD_TEXT, entry_of(s, t[-1].first)->frame);
        }
        ff_fields_text(&fields, "missing", FF_FIELD_TEXT, ranks_of(f, f->late, f->n_late, out->arena));
        ff_fields_int(&fields, "n_missing", FF_FIELD_INT, f->n_late);
        ff_fields_int(&fields, "dump_missing", FF_FIELD_INT, f->t->n_absent > 0);
        ff_fields_int(&fields, "head", FF_FIELD_INT, 1);
        ff_fields_text(&fields, "frame", FF_FIELD_TEXT, mine->frame);
        ff_tell(out, FF_FACT_FR_MISSING, s, t > s->turns ? t[-1].last : t->first, rank_of(s), &fields);
    }
}

static void tell_incomplete(const finding *f, const teller *out)
{
    const seat *s = f->t->seats[f->waiting[0]];
    ff_fields fields = { .n = 0 };
    int32_t only = f->t->n_absent == 1 ? f->t->ranks[f->t->absent[0]] : FF_NO_NUMBER;
    add_group(&fields, f->t, f->seq);
    if (only != FF_NO_NUMBER)
        ff_fields_int(&fields, "rank", FF_FIELD_RANK, only);
    ff_fields_text(&fields, "ranks", FF_FIELD_TEXT, absent_ranks(f->t, out->arena));
    ff_fields_int(&fields, "n_ranks", FF_FIELD_INT, f->t->n_absent);
    ff_fields_int(&fields, "n_missing", FF_FIELD_INT, f->n_missing);
    add_waiting(&fields, f, out->arena);
    ff_tell(out, FF_FACT_FR_INCOMPLETE, s, ff_seat_turn(s, f->seq)->last, only, &fields);
}

/* All members have a dump, all issued the same, and it does not end: nobody is missing, something does not move. */
static void tell_stalled(const finding *f, const teller *out)
{
    const seat *s = f->t->seats[f->waiting[0]];
    ff_fields fields = { .n = 0 };
    add_group(&fields, f->t, f->seq);
    add_waiting(&fields, f, out->arena);
    ff_fields_int(&fields, "n_done", FF_FIELD_INT, (int64_t)f->t->n_seats - f->n_waiting);
    ff_tell(out, FF_FACT_FR_STALLED, s, ff_seat_turn(s, f->seq)->last, FF_NO_NUMBER, &fields);
}

static uint32_t members_of(const finding *f, bool inside, uint32_t class, uint32_t *seats)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->t->n_seats; i++)
        if (f->split.class_of[i] != FF_NONE && (f->split.class_of[i] == class) == inside)
            seats[n++] = i;
    return n;
}

static void add_side(ff_fields *f, const seat *s, const turn *t, bool majority, bool shape, ff_arena *arena)
{
    ff_fields_text(f, majority ? "majority_op" : "op", FF_FIELD_TEXT, ff_turn_op(s, t, arena));
    ff_fields_text(f, majority ? "majority_frame" : "frame", FF_FIELD_TEXT, entry_of(s, t->first)->frame);
    if (shape)
        ff_fields_text(f, majority ? "majority_sizes" : "sizes", FF_FIELD_TEXT, ff_turn_shape(s, t, arena));
}

/* With a majority, ranks are the odd ones. Without, ranks are all that differ, and the two sides are only told apart.
 */
static void tell_split(const finding *f, const teller *out)
{
    const split *s = &f->split;
    uint32_t *seats = FF_NEW_N(out->arena, uint32_t, f->t->n_seats),
             *rest = FF_NEW_N(out->arena, uint32_t, f->t->n_seats);
    uint32_t one = s->majority != FF_NONE ? s->majority : 0, other = one == 0 ? 1 : 0;
    uint32_t n_rest = members_of(f, true, one, rest), n = members_of(f, false, one, seats);
    const seat *odd = f->t->seats[s->first[other]], *usual = f->t->seats[s->first[one]];
    const turn *t = ff_seat_turn(odd, s->seq), *u = ff_seat_turn(usual, s->seq);
    bool sure = s->majority != FF_NONE, shape = s->kind == OTHER_SHAPE;
    int32_t rank = sure && n == 1 ? rank_of(f->t->seats[seats[0]]) : FF_NO_NUMBER;
    ff_fields fields = { .n = 0 };
    add_group(&fields, f->t, s->seq);
    if (rank != FF_NO_NUMBER)
        ff_fields_int(&fields, "rank", FF_FIELD_RANK, rank);
    add_side(&fields, odd, t, false, shape, out->arena);
    add_side(&fields, usual, u, true, shape, out->arena);
    ff_bytes odd_ranks = ranks_of(f, seats, n, out->arena), usual_ranks = ranks_of(f, rest, n_rest, out->arena);
    ff_fields_text(&fields, "ranks", FF_FIELD_TEXT,
                   sure ? odd_ranks
                        : ff_arena_format(out->arena, "%.*s,%.*s", (int)usual_ranks.n, usual_ranks.p,
                                          (int)odd_ranks.n, odd_ranks.p));
    ff_fields_text(&fields, "odd_ranks", FF_FIELD_TEXT, odd_ranks);
    ff_fields_text(&fields, "majority_ranks", FF_FIELD_TEXT, usual_ranks);
    ff_fields_int(&fields, "n_odd", FF_FIELD_INT, n);
    ff_fields_int(&fields, "n_majority", FF_FIELD_INT, n_rest);
    ff_fields_int(&fields, "majority", FF_FIELD_INT, sure);
    ff_fields_int(&fields, "dumps_missing", FF_FIELD_INT, f->t->n_absent);
    add_wait(&fields, f, s->seq);
    ff_tell(out, shape ? FF_FACT_FR_SHAPE_MISMATCH : FF_FACT_FR_OP_MISMATCH, odd, t->first, rank, &fields);
}

/* Every missing rank waits in another group whose own missing ranks wait in turn: two groups were entered in
 * different orders. Told once, at the first group of the circle. */
static const finding *next_in_chain(const chain *c, const finding *f)
{
    return f->n_missing ? waits_elsewhere(c, f, f->t->seats[f->missing[0]]) : NULL;
}

static bool is_circle(const chain *c, const finding *from)
{
    const finding *f = from;
    for (uint32_t i = 0; i < c->n; i++) {
        f = next_in_chain(c, f);
        if (!f || f->t->n_absent || f < from)
            return false; /* a circle is told by its first group only */
        if (f == from)
            return true;
    }
    return false;
}

static void tell_circle(const chain *c, const finding *f, const teller *out)
{
    const finding *other = next_in_chain(c, f);
    const seat *mine = f->t->seats[f->waiting[0]], *theirs = other->t->seats[other->waiting[0]];
    const turn *t = ff_seat_turn(mine, f->seq), *u = ff_seat_turn(theirs, other->seq);
    ff_fields fields = { .n = 0 };
    add_group(&fields, f->t, f->seq);
    ff_fields_text(&fields, "kind", FF_FIELD_TEXT, FF_LIT("order"));
    ff_fields_text(&fields, "other_group", FF_FIELD_TEXT, other->t->name);
    ff_fields_int(&fields, "other_seq", FF_FIELD_INT, other->seq);
    add_side(&fields, mine, t, false, false, out->arena);
    add_side(&fields, theirs, u, true, false, out->arena);
    ff_bytes a = ranks_of(f, f->waiting, f->n_waiting, out->arena);
    ff_bytes b = ranks_of(other, other->waiting, other->n_waiting, out->arena);
    ff_fields_text(&fields, "ranks", FF_FIELD_TEXT,
                   ff_arena_format(out->arena, "%.*s,%.*s", (int)a.n, a.p, (int)b.n, b.p));
    ff_fields_text(&fields, "odd_ranks", FF_FIELD_TEXT, a);
    ff_fields_text(&fields, "majority_ranks", FF_FIELD_TEXT, b);
    ff_fields_int(&fields, "majority", FF_FIELD_INT, 0);
    add_wait(&fields, f, f->seq);
    ff_tell(out, FF_FACT_FR_OP_MISMATCH, mine, t->first, FF_NO_NUMBER, &fields);
}

void ff_align_tell(const chain *c, const finding *f, const teller *out)
{
    bool split_first = f->split.kind != SAME && (f->seq < 0 || f->split.seq <= f->seq);
    if (f->split.kind != SAME)
        tell_split(f, out);
    if (f->seq >= 0 && f->t->n_absent)
        tell_incomplete(f, out);
    if (split_first)
        return;
    if (f->seq >= 0 && f->n_missing) {
        if (is_circle(c, f))
            tell_circle(c, f, out);
        tell_missing(c, f, out);
    } else if (f->late_seq >= 0 && f->n_late * 2 < f->t->n_seats + 1 && f->n_late < f->t->n_seats) {
        tell_late(f, out);
    } else if (f->seq >= 0 && f->t->ranks && !f->t->n_absent) {
        tell_stalled(f, out);
    }
}
