/* How alignment says what it found. */
#include "align_private.h"

#include <inttypes.h>

#include "../analyzer/base/sorted.h"
#include "../analyzer/base/text.h"

ff_bytes ff_ranks_text(ff_arena *arena, const int32_t *ranks, uint32_t n)
{
    ff_text text;
    ff_text_init(&text, 1500);
    for (uint32_t i = 0; i < n;) {
        uint32_t end = i + ff_sorted_run(ranks + i, n - i);
        if (end - i < 3)
            end = i + 1;
        if (i)
            ff_text_addc(&text, ',');
        ff_text_addf(&text, "%d", ranks[i]);
        if (end - i > 1)
            ff_text_addf(&text, "-%d", ranks[end - 1]);
        i = end;
    }
    ff_bytes out = ff_arena_copy(arena, ff_text_view(&text));
    ff_text_done(&text);
    return out;
}

/* A log's line, where it was kept. A pickle has no lines to quote: the record leads to the entry, in any program that
 * loads the dump. */
static ff_bytes quote_of(const ff_dump *d, const ff_fr_entry *e, ff_arena *arena)
{
    const ff_fr_call *c = e->call;
    for (uint32_t i = 0; i < d->n_quotes; i++)
        if (&d->entries[d->quotes[i].entry] == e)
            return d->quotes[i].text;
    int64_t record = ff_fr_record_id(d, e), seq = c->src >= 0 || e->seq < 0 ? e->p2p_seq : e->seq;
    if (!d->binary)
        return c->op;
    if (record < 0)
        return ff_arena_format(arena, "%.*s #%" PRId64, (int)c->op.n, c->op.n ? c->op.p : "", seq);
    return ff_arena_format(arena, "record %" PRId64 ": %.*s #%" PRId64, record, (int)c->op.n, c->op.n ? c->op.p : "",
                           seq);
}

void ff_tell(const teller *t, ff_fact_id id, const seat *where, uint32_t entry, int32_t rank, const ff_fields *fields)
{
    const ff_dump *d = where->sheet->dump;
    ff_fact f = {
        .id = id, .line = 1, .quote = d->quote, .who = FF_WHO_NOBODY, .fields = fields->at, .n_fields = fields->n
    };
    f.who.rank = rank;
    if (entry < d->n_entries) {
        const ff_fr_entry *e = &d->entries[entry];
        f.line = ff_fr_line(d, e);
        f.offset = ff_fr_offset(d, e);
        f.quote = quote_of(d, e, t->arena);
        int64_t created_ns = d->times[entry].created_ns;
        if (created_ns > 0)
            f.said = (ff_stamp){ .kind = FF_STAMP_UTC, .ns = created_ns, .grain_ns = 1 };
    }
    t->fact(t->owner, d->member, &f);
}
