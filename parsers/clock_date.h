/* Outputs of `date` and its kin: what a machine's own clock and zone said when it was looked at. */
#ifndef FF_CLOCK_DATE_H
#define FF_CLOCK_DATE_H

#include "lines.h"

/* text: trimmed, all of it. False: no such output, or its zone is not known. */
bool ff_read_date(ff_bytes text, ff_stamp *local, ff_stamp *utc);
/* The date in the head of an nvidia-bug-report: when it was collected, which is not when the lines around it were
 * written. line: from 1. */
bool ff_date_of_report(ff_bytes head, uint32_t *line, ff_stamp *local, ff_stamp *utc);

#endif
