/* Logs of what ranks asked for end where the ranks stand. Two ranks whose last two operations are the same two of two
 * communicators, in opposite order, may each wait in the first of theirs for the other. Only the ends are compared:
 * what lies before was gone through, so its order did no harm. */
#include "align_private.h"

#include <stdlib.h>

typedef struct tail { /* the last two operations of a rank */
    uint32_t team[2]; /* the one before the last, the last */
    int64_t seq[2];
    const seat *seat; /* in the team of the one before the last */
    bool turned;      /* the last one is of the lower team: then both are told the other way round for comparing */
} tail;

static int compare_tails(const void *a, const void *b)
{
    const tail *x = a, *y = b;
    for (int i = 0; i < 2; i++) {
        int k = x->turned ? 1 - i : i, m = y->turned ? 1 - i : i;
        if (x->team[k] != y->team[m])
            return x->team[k] < y->team[m] ? -1 : 1;
        if (x->seq[k] != y->seq[m])
            return x->seq[k] < y->seq[m] ? -1 : 1;
    }
    if (x->turned != y->turned)
        return x->turned ? 1 : -1;
    return rank_of(x->seat) < rank_of(y->seat) ? -1 : rank_of(x->seat) > rank_of(y->seat);
}

static bool is_same_pair(const tail *x, const tail *y)
{
    int k = x->turned, m = y->turned;
    return x->team[k] == y->team[m] && x->team[1 - k] == y->team[1 - m] && x->seq[k] == y->seq[m] &&
           x->seq[1 - k] == y->seq[1 - m];
}

static uint32_t one_before_last(const ff_dump *d) { return d->n_entries - 2; }

/* One of each sheet whose last two operations are of two teams. */
static uint32_t take_tails(const teams *t, ff_arena *arena, tail **out)
{
    uint32_t n = 0;
    tail *all = FF_NEW_N(arena, tail, t->n_sheets ? t->n_sheets : 1);
    for (uint32_t i = 0; i < t->n_sheets; i++)
        all[i] = (tail){ .team = { FF_NONE, FF_NONE } };
    for (uint32_t k = 0; k < t->n; k++) {
        for (uint32_t i = 0; i < t->at[k].n_seats; i++) {
            const seat *s = t->at[k].seats[i];
            const ff_dump *d = s->sheet->dump;
            tail *mine = &all[s->sheet - t->sheets];
            for (uint32_t last = 0; last < 2 && d->n_entries > 1 && s->group != FF_NONE; last++) {
                const ff_fr_entry *e = &d->entries[one_before_last(d) + last];
                if (e->group != s->group)
                    continue;
                mine->team[last] = k;
                mine->seq[last] = e->seq;
                if (!last)
                    mine->seat = s;
            }
        }
    }
    for (uint32_t i = 0; i < t->n_sheets; i++) {
        tail *x = &all[i];
        if (x->team[0] == FF_NONE || x->team[1] == FF_NONE || x->team[0] == x->team[1] ||
            t->sheets[i].dump->truncated)
            continue;
        x->turned = x->team[1] < x->team[0];
        all[n++] = *x;
    }
    *out = all;
    return n;
}

static ff_bytes ranks_text(const tail *at, uint32_t n, ff_arena *arena)
{
    int32_t *ranks = FF_NEW_N(arena, int32_t, n);
    for (uint32_t i = 0; i < n; i++)
        ranks[i] = rank_of(at[i].seat);
    return ff_ranks_text(arena, ranks, n);
}

static void tell_pair(const teams *t, const tail *one, uint32_t n_one, const tail *two, uint32_t n_two,
                      const teller *out)
{
    bool sure = n_one != n_two && t->at[one->team[0]].n_absent + t->at[one->team[1]].n_absent == 0;
    const tail *odd = n_one < n_two ? one : two, *usual = n_one < n_two ? two : one;
    uint32_t n_odd = n_one < n_two ? n_one : n_two, n_usual = n_one < n_two ? n_two : n_one;
    ff_bytes x = ranks_text(odd, n_odd, out->arena), y = ranks_text(usual, n_usual, out->arena);
    uint32_t entry = one_before_last(odd->seat->sheet->dump);
    const ff_fr_entry *e = entry_of(odd->seat, entry);
    const ff_fr_entry *o = entry_of(usual->seat, one_before_last(usual->seat->sheet->dump));
    ff_fields f = { .n = 0 };
    ff_add_group(&f, &t->at[odd->team[0]], odd->seq[0]);
    ff_fields_text(&f, "kind", FF_FIELD_TEXT, FF_LIT("order"));
    ff_fields_text(&f, "other_group", FF_FIELD_TEXT, t->at[odd->team[1]].name);
    ff_fields_int(&f, "other_seq", FF_FIELD_INT, odd->seq[1]);
    ff_fields_text(&f, "op", FF_FIELD_TEXT, e->call->op);
    ff_fields_text(&f, "majority_op", FF_FIELD_TEXT, o->call->op);
    ff_add_orders(&f, x, y, sure, out->arena);
    ff_tell(out, FF_FACT_FR_OP_MISMATCH, odd->seat, entry, FF_NO_NUMBER, &f);
}

void ff_align_last(const teams *t, const teller *out)
{
    tail *all = NULL;
    uint32_t n = take_tails(t, out->arena, &all), told = 0;
    if (n)
        qsort(all, n, sizeof *all, compare_tails);
    for (uint32_t from = 0, to; from < n && told < 16; from = to) {
        uint32_t half = from;
        for (to = from; to < n && is_same_pair(&all[from], &all[to]); to++)
            half += !all[to].turned;
        if (half > from && half < to) {
            tell_pair(t, &all[from], half - from, &all[half], to - half, out);
            told++;
        }
    }
}
