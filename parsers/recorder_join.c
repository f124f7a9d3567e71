/* Dumps that several threads read know the same call as several. Here each becomes one, so that ranks that ask for
 * the same are seen to, whoever read them. */
#include "recorder_store.h"

#include <string.h>

typedef struct joining {
    ff_distinct words, programs; /* programs: by the address of their entries */
    ff_calls calls;
    struct {
        const ff_fr_call *from, *to;
    } near[256]; /* met last */
} joining;

static ff_bytes word(joining *j, ff_bytes text)
{
    return ff_distinct_at(&j->words, ff_distinct_add(&j->words, text));
}

static const ff_fr_call *one_of(joining *j, const ff_fr_call *from)
{
    size_t i = (uintptr_t)from / sizeof *from % FF_COUNT(j->near);
    if (j->near[i].from != from) {
        ff_fr_call c = *from;
        c.op = word(j, c.op);
        c.in_sizes = word(j, c.in_sizes);
        c.out_sizes = word(j, c.out_sizes);
        c.dtypes = word(j, c.dtypes);
        c.frame = word(j, c.frame);
        j->near[i].from = from;
        j->near[i].to = ff_calls_add(&j->calls, &c);
    }
    return j->near[i].to;
}

void ff_dumps_join(ff_dump_table *dumps, ff_arena *arena)
{
    joining j;
    memset(j.near, 0, sizeof j.near);
    ff_distinct_init(&j.words, arena);
    ff_distinct_init(&j.programs, arena);
    ff_calls_init(&j.calls, arena);
    for (uint32_t i = 0, seen = 0; i < dumps->n; i++) {
        ff_dump *d = dumps->at[i];
        uint32_t number = ff_distinct_add(&j.programs, (ff_bytes){ (const char *)&d->entries, sizeof d->entries });
        if (number <= seen)
            continue; /* they are shared, and were met */
        seen = number;
        for (uint32_t k = 0; k < d->n_entries; k++)
            d->entries[k].call = one_of(&j, d->entries[k].call);
    }
    ff_distinct_done(&j.words);
    ff_distinct_done(&j.programs);
    ff_calls_done(&j.calls);
}
