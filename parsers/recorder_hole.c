/* The numbers and times that each entry of a dump has of its own. */
#include "recorder_pattern.h"

#include <string.h>

bool ff_hole_takes(uint32_t field)
{
    return field == FF_ROW_RECORD_ID || field == FF_ROW_COLLECTIVE_SEQ || field == FF_ROW_P2P_SEQ ||
           field == FF_ROW_CREATED || field == FF_ROW_STARTED || field == FF_ROW_COMPLETED ||
           field == FF_ROW_DURATION || field == FF_ROW_PASSED;
}

bool ff_hole_put(ff_row *row, uint32_t field, uint8_t op, int64_t value)
{
    ff_fr_entry *e = &row->entry;
    bool none = op == 'N';
    if (op == 'G' && field != FF_ROW_DURATION)
        return false;
    switch (field) {
    case FF_ROW_RECORD_ID:
        row->record_id = none ? -1 : value;
        return true;
    case FF_ROW_COLLECTIVE_SEQ:
        e->seq = none ? -1 : ff_row_seq(value);
        return true;
    case FF_ROW_P2P_SEQ:
        e->p2p_seq = none ? -1 : ff_row_seq(value);
        return true;
    case FF_ROW_CREATED:
        row->times.created_ns = none ? 0 : value;
        return true;
    case FF_ROW_STARTED:
        row->started_ns = none ? 0 : value;
        return true;
    case FF_ROW_COMPLETED:
        row->completed_ns = none ? 0 : value;
        return true;
    case FF_ROW_DURATION: {
        double ms = (double)value;
        if (op == 'G')
            memcpy(&ms, &value, sizeof ms);
        row->times.duration_ms = none ? -1 : ff_row_ms(ms);
        return true;
    }
    default:
        return true; /* a number that nobody needs */
    }
}
