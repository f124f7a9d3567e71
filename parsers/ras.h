/* What both readers of NCCL's RAS service share: the text of STATUS (ras.c) and the JSON (ras_json.c). */
#ifndef FF_RAS_H
#define FF_RAS_H

#include "doc_private.h"

typedef struct ras_teller { /* where a reader stands */
    doc_lines lines;
    const ff_sink *out;
    ff_bytes comm, trouble; /* "2f6bb4d6772a7cf3", "INCOMPLETE" */
    ff_stamp said;          /* when it was asked; only its JSON says it */
} ras_teller;

/* A fact at a byte of the member, with comm and trouble. */
void ras_put(ras_teller *t, ff_fact_id id, uint64_t at, ff_fields *f);
/* A rank of the job, or where the communicator is smaller than the job (of_all false) only of that. */
void ras_add_rank(ff_fields *f, int64_t rank, int64_t size, bool of_all);
/* The answer is cut: what it would have told behind at is not known. */
void ras_tell_cut(ras_teller *t, uint64_t at);

#endif
