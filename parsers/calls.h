/* The distinct calls of a dump. A job repeats the same few collectives from the same few lines of code, so an entry
 * points to what it asked for instead of holding it. */
#ifndef FF_CALLS_H
#define FF_CALLS_H

#include "recorder.h"

typedef struct ff_calls {
    ff_arena *arena; /* holds the calls */
    FF_VEC(ff_fr_call *) all;
    uint32_t *slots; /* open addressing over all, number + 1; room is a power of two */
    uint32_t room;
} ff_calls;

void ff_calls_init(ff_calls *c, ff_arena *arena);
/* The call of that content, made when it is new. Its texts are interned: equal ones are at one address. */
const ff_fr_call *ff_calls_add(ff_calls *c, const ff_fr_call *like);
void ff_calls_give(ff_calls *c, ff_dump *d);
void ff_calls_done(ff_calls *c); /* the table only; the calls live as long as the arena */

#endif
