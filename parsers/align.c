/* Flight Recorder dumps of all ranks side by side: who did not come, who did something else.
 *
 * For each process group the ranks' turns are compared by sequence number, never by the order of files: where they
 * differ, the majority decides who is odd, and without one nobody is. A rank is called missing only when its own dump
 * shows that it had not issued the operation that others wait in; a rank without a dump is reported as that. Turns
 * older than a rank's ring are unknown. That two ranks saw one operation in different states means nothing: the dumps
 * were taken at different times. */
#include "align_private.h"

#include <stdlib.h>

#define CAP_TOLD 64u /* facts about missing ranks of one turn; the text of all ranks stands in each */
#define CAP_CLASSES 8u

typedef struct split { /* the first turn at which ranks differ */
    verdict kind;      /* SAME: none */
    int64_t seq;
    uint32_t *class_of;                                 /* by seat; FF_NONE: the seat does not show this turn */
    uint32_t sizes[CAP_CLASSES], first[CAP_CLASSES], n; /* classes: members and first seat */
    uint32_t majority;                                  /* FF_NONE: none */
} split;

typedef struct finding {
    const team *t;
    split split;
    int64_t seq;                                       /* earliest turn that some rank waits in; -1: none waits */
    uint32_t *waiting, n_waiting, *missing, n_missing; /* seats */
    int64_t late_seq; /* turn that ranks joined after the others' timeout; -1: none */
    uint32_t *late, n_late;
    int64_t late_ns; /* of the latest one */
} finding;

/* ---- which turn ---- */

typedef struct walk { /* all seats of a team in step, by sequence number */
    const team *t;
    uint32_t *at; /* next turn of each seat */
} walk;

static bool next_seq(const walk *w, int64_t *seq)
{
    bool any = false;
    for (uint32_t i = 0; i < w->t->n_seats; i++) {
        const seat *s = w->t->seats[i];
        if (w->at[i] == s->n_turns)
            continue;
        int64_t here = s->turns[w->at[i]].seq;
        *seq = !any || here < *seq ? here : *seq;
        any = true;
    }
    return any;
}

static const turn *turn_at(const walk *w, uint32_t i, int64_t seq)
{
    const seat *s = w->t->seats[i];
    return w->at[i] < s->n_turns && s->turns[w->at[i]].seq == seq ? &s->turns[w->at[i]] : NULL;
}

/* Sorts the seats that show turn seq into classes that did the same. by_op: sizes are not looked at. */
static verdict classify(const walk *w, int64_t seq, bool by_op, split *out)
{
    verdict worst = SAME;
    out->n = 0;
    for (uint32_t i = 0; i < w->t->n_seats; i++) {
        const turn *t = turn_at(w, i, seq);
        out->class_of[i] = FF_NONE;
        for (uint32_t c = 0; t && c < out->n && out->class_of[i] == FF_NONE; c++) {
            uint32_t k = out->first[c];
            verdict v = ff_turns_compare(w->t->seats[k], turn_at(w, k, seq), w->t->seats[i], t);
            worst = v == OTHER_OP || worst == SAME ? v == SAME ? worst : v : worst;
            if (v == SAME || (by_op && v == OTHER_SHAPE))
                out->class_of[i] = c;
        }
        if (!t || (out->class_of[i] == FF_NONE && out->n == CAP_CLASSES))
            continue;
        if (out->class_of[i] == FF_NONE) {
            out->first[out->n] = i;
            out->sizes[out->n] = 0;
            out->class_of[i] = out->n++;
        }
        out->sizes[out->class_of[i]]++;
    }
    return worst;
}

static void find_majority(const walk *w, split *s)
{
    uint32_t voters = 0, keeps = 0, keeper = FF_NONE;
    s->majority = FF_NONE;
    for (uint32_t c = 0; c < s->n; c++)
        voters += s->sizes[c];
    for (uint32_t c = 0; c < s->n; c++)
        if (s->sizes[c] > voters / 2)
            s->majority = c;
    if (s->majority != FF_NONE || s->kind != OTHER_SHAPE || !w->t->n_ranks)
        return;
    /* A tie about sizes: the operation's own rule may show which side is wrong. */
    for (uint32_t c = 0; c < s->n; c++) {
        const seat *first = w->t->seats[s->first[c]];
        int rule = ff_turn_keeps_rule(first, turn_at(w, s->first[c], s->seq), w->t->n_ranks);
        if (rule < 0)
            return;
        keeps += rule == 1;
        keeper = rule == 1 ? c : keeper;
    }
    if (keeps == 1)
        s->majority = keeper;
}

static void look_for_split(const walk *w, int64_t seq, split *s)
{
    verdict v = classify(w, seq, false, s);
    if (v == SAME)
        return;
    if (v == OTHER_OP)
        (void)classify(w, seq, true, s);
    s->kind = v;
    s->seq = seq;
    find_majority(w, s);
}

/* ---- who came too late ---- */

static int64_t created(const walk *w, uint32_t i, int64_t seq)
{
    const turn *t = turn_at(w, i, seq);
    return t ? entry_of(w->t->seats[i], t->first)->created_ns : 0;
}

static int compare_int64(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Some operations end as "retired" even when they timed out, and a rank that slept issues them in the end. Then only
 * the times show it: it issued this turn later than the others by more than the timeout, measured against how far
 * apart the ranks' clocks and pace were one turn before. */
static void look_for_late(const walk *w, int64_t seq, int64_t *before, int64_t *scratch, finding *f)
{
    uint32_t n = 0, open = 0;
    int64_t timeout_ns = 0;
    for (uint32_t i = 0; i < w->t->n_seats; i++) {
        const turn *t = turn_at(w, i, seq);
        int64_t ns = created(w, i, seq);
        if (!t || ns <= 0) {
            n = 0;
            break;
        }
        const ff_fr_entry *e = entry_of(w->t->seats[i], t->last);
        timeout_ns = e->timeout_ms > 0 && e->timeout_ms < INT64_MAX / 1000000 ? e->timeout_ms * 1000000 : timeout_ns;
        open += e->state != FF_FR_COMPLETED || !t->done;
        scratch[n++] = ns;
    }
    if (n < 2) {
        before[0] = 0;
        return;
    }
    qsort(scratch, n, sizeof *scratch, compare_int64);
    int64_t usual = scratch[(n - 1) / 2];
    bool late = before[0] != 0 && timeout_ns > 0 && open > 0 && scratch[n - 1] - usual > timeout_ns;
    for (uint32_t i = 0; i < w->t->n_seats; i++) {
        int64_t behind = created(w, i, seq) - usual;
        if (late && behind - before[i + 1] > timeout_ns) {
            f->late[f->n_late++] = i;
            f->late_seq = seq;
            f->late_ns = behind - before[i + 1] > f->late_ns ? behind - before[i + 1] : f->late_ns;
        }
        before[i + 1] = behind;
    }
    before[0] = 1;
}

/* ---- who waits, who is missing ---- */

/* A group's operations end in order, so what lies before a finished one is finished too, whatever its state says. */
static const turn *first_open(const seat *s)
{
    uint32_t k = s->n_turns;
    while (k && !s->turns[k - 1].done)
        k--;
    return k < s->n_turns ? &s->turns[k] : NULL;
}

static void look_for_missing(finding *f)
{
    const team *t = f->t;
    f->seq = -1;
    for (uint32_t i = 0; i < t->n_seats; i++) {
        const turn *open = first_open(t->seats[i]);
        if (open)
            f->seq = f->seq < 0 || open->seq < f->seq ? open->seq : f->seq;
    }
    for (uint32_t i = 0; i < t->n_seats && f->seq >= 0; i++) {
        const turn *here = ff_seat_turn(t->seats[i], f->seq);
        const turn *open = first_open(t->seats[i]);
        if (here && open && here >= open)
            f->waiting[f->n_waiting++] = i;
        else if (!here && t->seats[i]->issued < f->seq && t->seats[i]->issued_exact)
            f->missing[f->n_missing++] = i;
    }
}

static void judge_team(finding *f, const team *t, ff_arena *arena)
{
    uint32_t n = t->n_seats ? t->n_seats : 1;
    *f = (finding){ .t = t, .late_seq = -1 };
    f->split.class_of = FF_NEW_N(arena, uint32_t, n);
    f->waiting = FF_NEW_N(arena, uint32_t, n);
    f->missing = FF_NEW_N(arena, uint32_t, n);
    f->late = FF_NEW_N(arena, uint32_t, n);
    walk w = { .t = t, .at = FF_NEW_N(arena, uint32_t, n) };
    int64_t *before = FF_NEW_N(arena, int64_t, (size_t)n + 1), *scratch = FF_NEW_N(arena, int64_t, n), seq = 0;
    while (f->split.kind == SAME && next_seq(&w, &seq)) {
        look_for_split(&w, seq, &f->split);
        if (f->split.kind == SAME && f->late_seq < 0)
            look_for_late(&w, seq, before, scratch, f);
        for (uint32_t i = 0; i < t->n_seats; i++)
            w.at[i] += turn_at(&w, i, seq) != NULL;
    }
    look_for_missing(f);
}

/* ---- who waits where ---- */

typedef struct chain { /* all findings, and for each sheet the first two in which its rank waits */
    const finding *all;
    uint32_t n;
    const sheet *sheets;
    uint32_t *first, *second;
} chain;

static chain link_waits(const teams *t, const finding *all, ff_arena *arena)
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

static void tell_team(const chain *c, const finding *f, const teller *out)
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

void ff_recorder_align(const ff_dump_table *dumps, ff_arena *arena,
                       void (*fact)(void *owner, uint32_t member, const ff_fact *f), void *owner)
{
    teams all = ff_align_teams(dumps, arena);
    teller out = { .arena = arena, .fact = fact, .owner = owner };
    finding *findings = FF_NEW_N(arena, finding, all.n ? all.n : 1);
    for (uint32_t i = 0; i < all.n; i++)
        judge_team(&findings[i], &all.at[i], arena);
    chain c = link_waits(&all, findings, arena);
    for (uint32_t i = 0; i < all.n; i++) {
        tell_team(&c, &findings[i], &out);
        (void)ff_align_p2p(&all.at[i], &out);
    }
}
