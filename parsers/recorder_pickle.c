/* Flight Recorder dumps as pickles, as the watchdog writes them and as Python does again. */
#include "pickle.h"
#include "recorder_private.h"

#include <string.h>

typedef ff_pickle puller;
typedef ff_pickle_items puller_items;
#define PULL(name) ff_pickle_##name
#include "recorder_read.h"

/* Like one of any dump: byte for byte but for its numbers, or in what it means. */
static bool take_again(reader *r, ff_row *row)
{
    ff_dump_store *s = r->rows.store;
    ff_entry_holes holes;
    const uint8_t *from = r->c.p;
    uint32_t pattern;
    if (ff_stencils_take(&s->stencils, &r->c, &r->rows, row, &pattern)) {
        s->patterns.last = pattern;
        return true;
    }
    if (!ff_patterns_take(&s->patterns, &r->c, &r->rows, row, &holes))
        return false;
    if (!row->known)
        return true;
    ff_rows_place(&r->rows, row);
    ff_stencils_learn(&s->stencils, &r->c, &r->rows, from, row, &holes, s->patterns.last);
    return true;
}

static void learn(reader *r, size_t at, const ff_row *row, bool again)
{
    ff_dump_store *s = r->rows.store;
    ff_entry_holes holes;
    const uint8_t *from = r->c.from + at;
    if (again && row->seldom)
        return; /* one that leaves its sizes open has taken it */
    if (ff_patterns_learn(&s->patterns, &r->c, &r->rows, from, row, &holes) && !row->seldom)
        ff_stencils_learn(&s->stencils, &r->c, &r->rows, from, row, &holes, s->patterns.last);
}

ff_status ff_recorder_pickle(const ff_doc *doc, ff_sink *out)
{
    reader r;
    memset(r.here, 0, sizeof r.here);
    ff_pickle_open(&r.c, doc->bytes);
    ff_rows_init(&r.rows, doc->bytes, true, out->scratch, out->dumps);
    ff_patterns_begin(&r.rows.store->patterns);
    ff_stencils_begin(&r.rows.store->stencils);
    read_dump(&r);
    if (!r.c.problem && ff_pickle_peek(&r.c) != '.')
        ff_pickle_fail(&r.c, "the pickle ends before its last opcode", r.c.p);
    ff_status status = ff_recorder_give(&r.rows, r.c.problem, doc, out);
    ff_pickle_done(&r.c);
    ff_rows_done(&r.rows);
    return status;
}
