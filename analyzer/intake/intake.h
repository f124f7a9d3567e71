/* Inputs -> members -> evidence. */
#ifndef FF_INTAKE_H
#define FF_INTAKE_H

#include "../base/arena.h"
#include "../match/match.h"
#include "../../parsers/parser.h"

/* Sees the bytes of each member as they are unpacked, instead of their being looked at: the members of the result
 * have names, sizes and nothing more. With one thread, members come one after the other. A false answer ends the run.
 */
typedef struct ff_tap {
    bool (*begin)(void *owner, const ff_member *member, ff_bytes input); /* input: what the user called it */
    bool (*bytes)(void *owner, ff_bytes bytes);
    bool (*end)(void *owner);
    void *owner;
} ff_tap;

typedef struct ff_intake_options {
    const char *const *inputs; /* paths; "-" is standard input */
    uint32_t n_inputs;
    unsigned jobs;                 /* threads; 0 = as many as there are cores */
    uint32_t first_signature_kind; /* signal kind of signature 0 */
    void (*progress)(void *owner, uint64_t bytes,
                     ff_bytes member); /* NULL, or told the bytes since the last call; one call at a time */
    void *progress_owner;
    const ff_tap *tap;     /* NULL, or jobs is 1 */
    uint32_t most_signals; /* kept of all members; 0 = FF_CAP_SIGNALS */
    uint32_t most_members; /* 0 = FF_CAP_MEMBERS */
    uint64_t most_bytes;   /* unpacked in all; 0 = FF_CAP_TOTAL */
} ff_intake_options;

/* What the blocks of all parsers look for, with owner numbers from n_signatures on: the matcher that is given to
 * ff_intake must have been opened with these as its `others`. In arena. */
const ff_needle *ff_intake_needles(uint32_t n_signatures, ff_arena *arena, uint32_t *n);

/* Reads everything. FF_FATAL when no input could be opened at all; a damaged one is noted. The result does not depend
 * on member order, packaging or thread count. Everything lives in arena. */
ff_status ff_intake(const ff_intake_options *options, ff_matcher *matcher, const ff_signature *signatures,
                    uint32_t n_signatures, ff_arena *arena, ff_evidence *out, ff_error *error);

/* Says which host (and rank) each member belongs to: folder names, content, the only host there is. */
void ff_layout_assign(ff_evidence *evidence, ff_arena *arena);

#endif
