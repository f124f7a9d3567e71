/* Logs of what ranks asked for end where the ranks stand. Two ranks whose last two operations are the same two of two
 * communicators, in opposite order, may each wait in the first of theirs for the other. Only the ends are compared:
 * what lies before was gone through, so its order did no harm. */
#include "align_private.h"

#include <stdlib.h>

typedef struct tail { /* the last two operations of a rank */
    uint32_t team[2]; /* the one before the last, the last */
    int64_t seq[2];
    uint32_t entry[2];
    const seat *seats[2];
    bool turned; /* the last one is of the lower team: then both are told the other way round for comparing */
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
    return rank_of(x->seats[0]) < rank_of(y->seats[0]) ? -1 : rank_of(x->seats[0]) > rank_of(y->seats[0]);
}

static bool is_same_pair(const tail *x, const tail *y)
{
    int k = x->turned, m = y->turned;
    return x->team[k] == y->team[m] && x->team[1 - k] == y->team[1 - m] && x->seq[k] == y->seq[m] &&
           x->seq[1 - k] == y->seq[1 - m];
}

/* Team of each group of each sheet, and the seat there. */
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
                uint32_t entry = d->n_entries - 2 + last;
                if (d->entries[entry].group != s->group)
                    continue;
                mine->team[last] = k;
                mine->seq[last] = d->entries[entry].seq;
                mine->entry[last] = entry;
                mine->seats[last] = s;
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
        ranks[i] = rank_of(at[i].seats[0]);
    return ff_ranks_text(arena, ranks, n);
}

static void tell_pair(const teams *t, const tail *one, uint32_t n_one, const tail *two, uint32_t n_two,
                      const teller *out)
{
    bool sure = n_one != n_two && t->at[one->team[0]].n_absent + t->at[one->team[1]].n_absent == 0;
    const tail *odd = n_one < n_two ? one : two, *usual = n_one < n_two ? two : one;
    uint32_t n_odd = n_one < n_two ? n_one : n_two, n_usual = n_one < n_two ? n_two : n_one;
    ff_bytes x = ranks_text(odd, n_odd, out->arena), y = ranks_text(usual, n_usual, out->arena);
    const ff_fr_entry *e = &odd->seats[0]->sheet->dump->entries[odd->entry[0]];
    const ff_fr_entry *o = &usual->seats[0]->sheet->dump->entries[usual->entry[0]];
    ff_fields f = { .n = 0 };
    ff_add_group(&f, &t->at[odd->team[0]], odd->seq[0]);
    ff_fields_text(&f, "kind", FF_FIELD_TEXT, FF_LIT("order"));
    ff_fields_text(&f, "other_group", FF_FIELD_TEXT, t->at[odd->team[1]].name);
    ff_fields_int(&f, "other_seq", FF_FIELD_INT, odd->seq[1]);
    ff_fields_text(&f, "op", FF_FIELD_TEXT, e->call->op);
    ff_fields_text(&f, "majority_op", FF_FIELD_TEXT, o->call->op);
    ff_fields_text(&f, "ranks", FF_FIELD_TEXT,
                   sure ? x : ff_arena_format(out->arena, "%.*s,%.*s", (int)x.n, x.p, (int)y.n, y.p));
    ff_fields_text(&f, "odd_ranks", FF_FIELD_TEXT, x);
    ff_fields_text(&f, "majority_ranks", FF_FIELD_TEXT, y);
    ff_fields_int(&f, "majority", FF_FIELD_INT, sure);
    ff_tell(out, FF_FACT_FR_OP_MISMATCH, odd->seats[0], odd->entry[0], FF_NO_NUMBER, &f);
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
