/* Who torchrun's agents started where: the result of a rendezvous lists the local ranks of a node, and which ranks of
 * the job they are. Another rendezvous may give a node other ranks: then neither is used. */
#include "identity_private.h"

#define MOST_WORKERS 64u

static uint32_t numbers(ff_bytes list, int32_t *out)
{
    uint32_t n = 0;
    uint64_t value = 0;
    while (n < MOST_WORKERS && ff_take_uint(&list, &value) && value < INT32_MAX) {
        out[n++] = (int32_t)value;
        if (!ff_take_char(&list, ','))
            return list.n ? 0 : n;
        ff_take_spaces(&list);
    }
    return list.n ? 0 : n; /* a list that is cut, or longer than that, says nothing */
}

static void join_worker(ff_pairs *p, const ff_signal *s, int32_t local, int32_t rank)
{
    ff_bytes host = ff_short_host(s->who.host), none = { 0 };
    ff_name left = { .kind = FF_NAME_RANK, .scope = s->who.job, .number = rank };
    ff_name rights[] = { { .kind = FF_NAME_HOST, .scope = none, .text = host },
                         { .kind = FF_NAME_LOCAL_RANK, .scope = host, .number = local } };
    for (size_t i = 0; i < FF_COUNT(rights); i++) {
        ff_pair pair = { .left = left,
                         .right = rights[i],
                         .signal = s->ref,
                         .member = s->at.member,
                         .weight = INT32_MAX,
                         .device = FF_NO_NUMBER,
                         .why = FF_LIT("the launcher's agent says what it starts, in") };
        ff_pairs_add_one(p, &pair);
    }
}

void ff_agents_join(ff_pairs *p, const ff_evidence *e)
{
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const ff_signal *s = &e->signals[i];
        int32_t local[MOST_WORKERS], ranks[MOST_WORKERS];
        if (s->kind != FF_FACT_RENDEZVOUS || !s->who.host.n)
            continue;
        uint32_t n = numbers(ff_signal_text(s, "local_ranks"), local);
        if (!n || numbers(ff_signal_text(s, "global_ranks"), ranks) != n)
            continue;
        for (uint32_t k = 0; k < n; k++)
            join_worker(p, s, local[k], ranks[k]);
    }
}
