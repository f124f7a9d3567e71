/* Members of one group that do not agree on who they are. Groups of one name may well be several (split_group gives
 * the halves one name), but then no rank is in two of them. Where a rank stands in the list of others, and its own
 * dump has another list under that name, they do not mean the same group, and what they do there never meets. */
#include "align_private.h"

#define MOST_PAIRS 16u

/* Has the rank's own dump this very list? A seat may also stand for a rank that does not know the group. */
static bool claims(const team *t, const seat *s)
{
    return s->group != FF_NONE && s->sheet->dump->groups[s->group].n_ranks == t->n_ranks;
}

/* Ranks with a's list of members. */
static uint32_t claimants(const team *a, ff_arena *arena, int32_t **out)
{
    uint32_t n = 0;
    *out = FF_NEW_N(arena, int32_t, a->n_seats ? a->n_seats : 1);
    for (uint32_t i = 0; i < a->n_seats; i++)
        if (claims(a, a->seats[i]))
            (*out)[n++] = rank_of(a->seats[i]);
    return n;
}

/* Is there a rank with b's list that a's list has too, and that does not have a's list besides? */
static bool disagree(const team *a, const team *b)
{
    for (uint32_t i = 0; i < b->n_seats; i++) {
        if (!claims(b, b->seats[i]) || ff_team_place(a, rank_of(b->seats[i])) == FF_NONE)
            continue;
        const seat *there = ff_team_seat(a, rank_of(b->seats[i]));
        if (!there || !claims(a, there))
            return true;
    }
    return false;
}

static const seat *first_claimant(const team *a)
{
    for (uint32_t i = 0; i < a->n_seats; i++)
        if (claims(a, a->seats[i]))
            return a->seats[i];
    return NULL;
}

static void tell_pair(const finding *a, const finding *b, const teller *out)
{
    int32_t *usual = NULL, *odd = NULL;
    uint32_t n_usual = claimants(a->t, out->arena, &usual), n_odd = claimants(b->t, out->arena, &odd);
    bool sure = n_usual > n_odd + a->t->n_absent && n_usual > 1;
    const seat *s = first_claimant(b->t), *r = first_claimant(a->t);
    const finding *waits = b->n_waiting ? b : a;
    const turn *open = ff_turn_open(s);
    ff_bytes x = ff_ranks_text(out->arena, odd, n_odd), y = ff_ranks_text(out->arena, usual, n_usual);
    ff_fields f = { .n = 0 };
    ff_add_group(&f, b->t, waits->seq);
    if (sure && n_odd == 1)
        ff_fields_int(&f, "rank", FF_FIELD_RANK, odd[0]);
    ff_fields_text(&f, "kind", FF_FIELD_TEXT, FF_LIT("members"));
    ff_fields_text(&f, "ranks", FF_FIELD_TEXT,
                   sure ? x : ff_arena_format(out->arena, "%.*s,%.*s", (int)y.n, y.p, (int)x.n, x.p));
    ff_fields_text(&f, "odd_ranks", FF_FIELD_TEXT, x);
    ff_fields_text(&f, "majority_ranks", FF_FIELD_TEXT, y);
    ff_fields_text(&f, "odd_list", FF_FIELD_TEXT, ff_ranks_text(out->arena, b->t->ranks, b->t->n_ranks));
    ff_fields_text(&f, "majority_list", FF_FIELD_TEXT, ff_ranks_text(out->arena, a->t->ranks, a->t->n_ranks));
    ff_fields_int(&f, "majority", FF_FIELD_INT, sure);
    ff_fields_int(&f, "dumps_missing", FF_FIELD_INT, a->t->n_absent);
    if (open)
        ff_add_side(&f, s, open, false, false, out->arena);
    if (ff_turn_open(r))
        ff_add_side(&f, r, ff_turn_open(r), true, false, out->arena);
    ff_add_wait(&f, waits, waits->seq);
    ff_tell(out, FF_FACT_FR_OP_MISMATCH, s, open ? open->first : FF_NONE, sure && n_odd == 1 ? odd[0] : FF_NO_NUMBER,
            &f);
}

/* Teams of one name stand together, the largest list first. Only where somebody waits there is it told. */
void ff_align_members(const chain *c, const teller *out)
{
    const team *all = c->t->at;
    uint32_t told = 0;
    for (uint32_t i = 0; i < c->t->n; i++) {
        for (uint32_t k = i + 1; k < c->t->n && ff_equal(all[i].name, all[k].name) && told < MOST_PAIRS; k++) {
            bool named = all[i].name.n && !all[i].own_numbers && !all[k].own_numbers && all[i].ranks &&
                         all[k].ranks && (c->all[i].seq >= 0 || c->all[k].seq >= 0);
            if (!named || (!disagree(&all[i], &all[k]) && !disagree(&all[k], &all[i])))
                continue;
            int32_t *ranks = NULL;
            uint32_t ours = claimants(&all[i], out->arena, &ranks), theirs = claimants(&all[k], out->arena, &ranks);
            if (!ours || !theirs) /* a list that only ranks outside of it have: their dumps are misnamed */
                continue;
            bool more = ours >= theirs;
            tell_pair(&c->all[more ? i : k], &c->all[more ? k : i], out);
            told++;
        }
    }
}
