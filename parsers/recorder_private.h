/* Reading of one Flight Recorder dump: a reader for each syntax, and what they end in. */
#ifndef FF_RECORDER_PRIVATE_H
#define FF_RECORDER_PRIVATE_H

#include "recorder_rows.h"

ff_status ff_recorder_pickle(const ff_doc *doc, ff_sink *out);
ff_status ff_recorder_json(const ff_doc *doc, ff_sink *out);
/* What was readable, with its facts and notes, to the sink. problem: NULL, or why it is not all. FF_BAD: no dump. */
ff_status ff_recorder_give(ff_rows *rows, const char *problem, const ff_doc *doc, ff_sink *out);

#endif
