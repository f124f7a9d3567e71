/* Fields of a journal entry, however they are written: what the parsers of the journal's formats share. */
#ifndef FF_PARSERS_JOURNAL_H
#define FF_PARSERS_JOURNAL_H

#include "lines.h"

#define JOURNAL_STREAMS (FF_STREAM_ANY & ~(uint32_t)FF_STREAM_RECORDER)

typedef struct journal_entry {
    ff_bytes message, boot, host, ident, comm, transport, container;
    ff_bytes partial; /* CONTAINER_PARTIAL_MESSAGE: the text goes on in the container's next entry */
    uint64_t pid, realtime_us, source_realtime_us, monotonic_us, source_monotonic_us;
} journal_entry;

void journal_set(journal_entry *e, ff_bytes key, ff_bytes value); /* fields that nobody wants are passed over */
/* Fills the event. False: the entry says no time at all. */
bool journal_see(ff_event *ev, const journal_entry *e);
bool journal_json_frame(ff_bytes record, ff_event *ev); /* one entry as a JSON object */

#endif
