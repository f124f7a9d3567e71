/* Records that are not lines: what formats share whose objects or entries take several lines each. */
#ifndef FF_PARSERS_OBJECTS_H
#define FF_PARSERS_OBJECTS_H

#include "parser.h"

/* Bytes of the record that a run begins with; SIZE_MAX: its end is not in the run. */
typedef size_t (*record_length)(ff_bytes run);
size_t records_whole(ff_bytes run, record_length length);           /* ff_parser.whole */
ff_bytes records_at(ff_bytes run, size_t at, record_length length); /* ff_parser.record */

/* The same where a record is a JSON object and the line end after it. A brace at the start of a line begins one,
 * whatever is still open: what came before was torn. */
size_t objects_whole(ff_bytes run);
ff_bytes objects_record(ff_bytes run, size_t at);
/* The first object of a member that holds one behind the other, or an array of them, over several lines. False: the
 * first one ends where its line does, or does not end. */
bool object_first(ff_bytes head, ff_bytes *object);

#endif
