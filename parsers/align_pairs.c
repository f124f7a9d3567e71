/* Sends and receives of logs: what one rank sends to another for the n-th time is what that one receives from it for
 * the n-th time, and of the same size. That one side has more of them means nothing: logs end at different moments.
 */
#include "align_private.h"

#include <stdlib.h>

typedef struct half { /* one side of one exchange */
    int32_t from, to;
    int64_t order;
    bool sends;
    uint32_t seat, entry;
} half;

static int compare_halves(const void *a, const void *b)
{
    const half *x = a, *y = b;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return (int)y->sends - (int)x->sends;
}

static uint32_t collect(const team *t, half **out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n_seats; i++)
        n += t->seats[i]->n_p2p;
    half *all = ff_alloc((n ? n : 1) * sizeof *all);
    n = 0;
    for (uint32_t i = 0; i < t->n_seats; i++) {
        for (uint32_t k = 0; k < t->seats[i]->n_p2p; k++) {
            const p2p_op *op = &t->seats[i]->p2p[k];
            const ff_fr_entry *e = entry_of(t->seats[i], op->entry);
            all[n++] = (half){ .from = op->from,
                               .to = op->to,
                               .order = e->p2p_seq,
                               .sends = ff_equal(e->call->op, FF_LIT("Send")),
                               .seat = i,
                               .entry = op->entry };
        }
    }
    qsort(all, n, sizeof *all, compare_halves);
    *out = all;
    return n;
}

static bool is_pair(const half *a, const half *b)
{
    return a->from == b->from && a->to == b->to && a->order == b->order && a->sends && !b->sends;
}

static void tell(const team *t, const half *send, const half *take, const teller *out)
{
    const seat *one = t->seats[send->seat], *two = t->seats[take->seat];
    const ff_fr_entry *a = entry_of(one, send->entry), *b = entry_of(two, take->entry);
    int32_t ranks[2] = { rank_of(one), rank_of(two) };
    ff_fields f = { .n = 0 };
    ff_add_group(&f, t, send->order);
    ff_fields_text(&f, "kind", FF_FIELD_TEXT, FF_LIT("size"));
    ff_fields_text(&f, "op", FF_FIELD_TEXT, a->call->op);
    ff_fields_text(&f, "majority_op", FF_FIELD_TEXT, b->call->op);
    ff_fields_text(&f, "sizes", FF_FIELD_TEXT, ff_call_shape(a->call, out->arena));
    ff_fields_text(&f, "majority_sizes", FF_FIELD_TEXT, ff_call_shape(b->call, out->arena));
    ff_fields_text(&f, "odd_ranks", FF_FIELD_TEXT, ff_ranks_text(out->arena, &ranks[0], 1));
    ff_fields_text(&f, "majority_ranks", FF_FIELD_TEXT, ff_ranks_text(out->arena, &ranks[1], 1));
    ff_fields_int(&f, "majority", FF_FIELD_INT, 0);
    ff_fields_int(&f, "p2p", FF_FIELD_INT, 1);
    ff_fields_int(&f, "peer", FF_FIELD_RANK, ranks[1]);
    ff_tell(out, FF_FACT_FR_SHAPE_MISMATCH, one, send->entry, FF_NO_NUMBER, &f);
}

void ff_align_pairs(const team *t, const teller *out)
{
    half *all = NULL;
    uint32_t n = collect(t, &all);
    for (uint32_t i = 0; i + 1 < n; i++) {
        if (!is_pair(&all[i], &all[i + 1]))
            continue;
        const ff_fr_entry *a = entry_of(t->seats[all[i].seat], all[i].entry),
                          *b = entry_of(t->seats[all[i + 1].seat], all[i + 1].entry);
        /* bytes are sent as int8 and uint8 alike */
        if (a->call->in_numel != b->call->in_numel) {
            tell(t, &all[i], &all[i + 1], out);
            break;
        }
    }
    ff_free(all);
}
