/* What is said where dumps are missing or cut: who waits, and who may be waited for. */
#include "align_private.h"

#include <stdlib.h>

uint32_t ff_list_unknown(const finding *f, ff_arena *arena, int32_t **out)
{
    const team *t = f->t;
    uint32_t n = 0, a = 0, u = 0;
    *out = FF_NEW_N(arena, int32_t, t->n_absent + f->n_unknown + 1);
    while (a < t->n_absent || u < f->n_unknown) {
        int32_t absent = a < t->n_absent ? t->ranks[t->absent[a]] : INT32_MAX;
        int32_t unknown = u < f->n_unknown ? rank_of(t->seats[f->unknown[u]]) : INT32_MAX;
        (*out)[n++] = absent < unknown ? absent : unknown;
        a += absent < unknown;
        u += absent >= unknown;
    }
    return n;
}

static ff_fr_state state_at(const seat *s, int64_t seq)
{
    const turn *t = ff_seat_turn(s, seq);
    return t ? entry_of(s, last_of_turn(t))->state : FF_FR_UNKNOWN;
}

/* Did the rank's call return, as far as its dump can show? Gloo's calls wait for nobody. */
static bool is_queued(const seat *s, int64_t seq)
{
    if (s->inside)
        return false;
    return state_at(s, seq) == FF_FR_STARTED || ff_equal(s->sheet->dump->backend, FF_LIT("gloo")) ||
           (s->group != FF_NONE && !s->n_p2p && s->sheet->dump->groups[s->group].last_enqueued >= seq);
}

/* Writes those of the waiting that are behind the rest: their call has not returned, or their GPU has not begun where
 * the dumps show that others have, and nothing older holds them up. Gives how many are known to have queued it. */
static uint32_t count_queued(const chain *c, const finding *f, uint32_t *odd, uint32_t *n_odd)
{
    uint32_t queued = 0, started = 0, timed = 0;
    for (uint32_t i = 0; i < f->n_waiting; i++) {
        const seat *s = f->t->seats[f->waiting[i]];
        queued += is_queued(s, f->seq);
        started += state_at(s, f->seq) == FF_FR_STARTED;
        timed += s->sheet->dump->timing;
    }
    for (uint32_t i = 0; i < f->n_waiting; i++) {
        const seat *s = f->t->seats[f->waiting[i]];
        bool late = timed == f->n_waiting && started && state_at(s, f->seq) == FF_FR_SCHEDULED;
        const hold *h = hold_of(c, s);
        if ((s->inside || late) && h->team != FF_NONE && &c->all[h->team] == f)
            odd[(*n_odd)++] = f->waiting[i];
    }
    /* Of what each member passes a share of its own to, nothing shows that they agree. */
    const seat *s = f->t->seats[f->waiting[0]];
    ff_bytes op = entry_of(s, last_of_turn(ff_seat_turn(s, f->seq)))->call->op;
    bool own =
        ff_starts(op, FF_LIT("all_to_all")) || ff_starts(op, FF_LIT("gather")) || ff_starts(op, FF_LIT("scatter"));
    return own ? 0 : queued;
}

/* What a rank waits in first may stand in no dump any more: then whoever it waits for may be anybody. */
static uint32_t count_overwritten(const chain *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->t->n_sheets; i++)
        n += c->t->sheets[i].lost_open;
    return n;
}

void ff_add_without(ff_fields *f, const chain *c, ff_arena *arena)
{
    uint32_t n = 0, kept = 0, room = c->t->n_sheets;
    for (uint32_t i = 0; i < c->t->n; i++)
        room += c->t->at[i].n_absent;
    int32_t *all = FF_NEW_N(arena, int32_t, room ? room : 1);
    for (uint32_t i = 0; i < c->t->n; i++)
        for (uint32_t k = 0; k < c->t->at[i].n_absent; k++)
            all[n++] = c->t->at[i].ranks[c->t->at[i].absent[k]];
    for (uint32_t i = 0; i < c->t->n_sheets; i++)
        if (c->t->sheets[i].dump->truncated)
            all[n++] = c->t->sheets[i].dump->rank;
    if (n)
        qsort(all, n, sizeof *all, ff_compare_i32);
    for (uint32_t i = 0; i < n; i++)
        if (!kept || all[kept - 1] != all[i])
            all[kept++] = all[i];
    ff_fields_text(f, "without", FF_FIELD_TEXT, ff_ranks_text(arena, all, kept));
}

static const seat *only_whole(const team *t)
{
    const seat *found = NULL;
    for (uint32_t i = 0; i < t->n_seats; i++) {
        if (t->seats[i]->sheet->dump->truncated)
            continue;
        if (found)
            return NULL;
        found = t->seats[i];
    }
    return found && (found->n_turns || found->n_p2p) && t->n_ranks > 1 ? found : NULL;
}

void ff_add_alone(ff_fields *f, const chain *c, ff_arena *arena)
{
    int32_t *ranks = FF_NEW_N(arena, int32_t, c->t->n + 1);
    uint32_t n = 0, kept = 0;
    for (uint32_t i = 0; i < c->t->n; i++) {
        const seat *s = only_whole(&c->t->at[i]);
        if (s && hold_of(c, s)->team != i)
            ranks[n++] = rank_of(s);
    }
    if (n)
        qsort(ranks, n, sizeof *ranks, ff_compare_i32);
    for (uint32_t i = 0; i < n; i++)
        if (!kept || ranks[kept - 1] != ranks[i])
            ranks[kept++] = ranks[i];
    if (kept)
        ff_fields_text(f, "alone", FF_FIELD_TEXT, ff_ranks_text(arena, ranks, kept));
}

/* Others wait, and of these nobody can say whether they came. */
void ff_align_tell_silent(const chain *c, const finding *f, const teller *out)
{
    uint32_t *odd = FF_NEW_N(out->arena, uint32_t, f->n_waiting), n_odd = 0, queued = count_queued(c, f, odd, &n_odd);
    uint32_t n_overwritten = count_overwritten(c);
    const seat *s = f->t->seats[f->waiting[0]];
    ff_fields fields = { .n = 0 };
    int32_t *ranks = NULL;
    uint32_t n = ff_list_unknown(f, out->arena, &ranks);
    int32_t only = n == 1 ? ranks[0] : FF_NO_NUMBER;
    ff_add_group(&fields, f->t, f->seq);
    if (only != FF_NO_NUMBER)
        ff_fields_int(&fields, "rank", FF_FIELD_RANK, only);
    ff_fields_text(&fields, "ranks", FF_FIELD_TEXT, ff_ranks_text(out->arena, ranks, n));
    ff_fields_int(&fields, "n_ranks", FF_FIELD_INT, n);
    ff_add_without(&fields, c, out->arena);
    ff_fields_int(&fields, "n_cut", FF_FIELD_INT, f->n_unknown);
    ff_fields_int(&fields, "n_queued", FF_FIELD_INT, queued);
    ff_fields_text(&fields, "behind", FF_FIELD_TEXT, ff_seat_ranks(f, odd, n_odd, out->arena));
    ff_fields_int(&fields, "circle", FF_FIELD_INT, c->is_locked || !c->team_ends[f - c->all]);
    ff_add_alone(&fields, c, out->arena);
    if (n_overwritten)
        ff_fields_int(&fields, "n_overwritten", FF_FIELD_INT, n_overwritten);
    ff_fields_int(&fields, "n_missing", FF_FIELD_INT, f->n_missing);
    ff_add_waiting(&fields, f, out->arena);
    ff_tell(out, FF_FACT_FR_INCOMPLETE, s, last_of_turn(ff_seat_turn(s, f->seq)), only, &fields);
}
