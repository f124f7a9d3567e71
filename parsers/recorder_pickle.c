/* Flight Recorder dumps as pickles, as the watchdog writes them and as Python does again. */
#include "pickle.h"
#include "recorder_private.h"

#include <string.h>

typedef ff_pickle puller;
typedef ff_pickle_items puller_items;
#define PULL(name) ff_pickle_##name
#include "recorder_read.h"

ff_status ff_recorder_pickle(const ff_doc *doc, ff_sink *out)
{
    reader r;
    memset(r.here, 0, sizeof r.here);
    ff_pickle_open(&r.c, doc->bytes);
    ff_rows_init(&r.rows, doc->bytes, true, out->scratch);
    read_dump(&r);
    if (!r.c.problem && ff_pickle_peek(&r.c) != '.')
        ff_pickle_fail(&r.c, "the pickle ends before its last opcode", r.c.p);
    ff_status status = ff_recorder_give(&r.rows, r.c.problem, doc, out);
    ff_pickle_done(&r.c);
    ff_rows_done(&r.rows);
    return status;
}
