/* Flight Recorder dumps as JSON, as the control plane and tools write them. */
#include "json_pull.h"
#include "recorder_private.h"

#include <string.h>

typedef ff_json_pull puller;
typedef ff_json_items puller_items;
#define PULL(name) ff_json_pull_##name
#include "recorder_read.h"

static bool take_again(reader *r, ff_row *row)
{
    (void)r;
    (void)row;
    return false;
}
static void learn(reader *r, size_t at, const ff_row *row, bool again)
{
    (void)r;
    (void)at;
    (void)row;
    (void)again;
}

ff_status ff_recorder_json(const ff_doc *doc, ff_sink *out)
{
    reader r;
    memset(r.here, 0, sizeof r.here);
    ff_json_pull_open(&r.c, doc->bytes, out->scratch);
    ff_rows_init(&r.rows, doc->bytes, false, out->scratch, out->dumps);
    read_dump(&r);
    ff_status status = ff_recorder_give(&r.rows, r.c.problem, doc, out);
    ff_rows_done(&r.rows);
    return status;
}
