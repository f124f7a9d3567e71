/* Playing a pickle's stack ahead of the reader, with places instead of values on it: where a value ends that is told
 * by an opcode behind it, and whether something fills the container before it. */
#ifndef FF_PICKLE_PLAY_H
#define FF_PICKLE_PLAY_H

#include "pickle.h"

typedef enum ff_pickle_effect {
    FF_PLAY_ENDS, /* the pickle, or our understanding of it */
    FF_PLAY_PUSH,
    FF_PLAY_MARK,
    FF_PLAY_FILL,
    FF_PLAY_COLLECT,
    FF_PLAY_APPEND,
    FF_PLAY_SETITEM,
    FF_PLAY_TUPLE,
    FF_PLAY_POP,
    FF_PLAY_POP_MARK,
    FF_PLAY_DUP,
    FF_PLAY_PUT,
    FF_PLAY_NOTHING
} ff_pickle_effect;
ff_pickle_effect ff_pickle_effect_of(uint8_t op);

/* Behind the opcode at p and its argument; NULL: the source ends before. One that means nothing here is a byte. */
const uint8_t *ff_pickle_behind(const ff_pickle *c, const uint8_t *p);

typedef struct ff_pickle_play { /* cells is freed by the caller */
    FF_VEC(uint32_t) cells;     /* where each value on the stack begins */
    uint32_t marks[FF_CAP_NESTING], n_marks;
    const uint8_t *p, *second; /* where the second value above the ground begins */
    bool puts, cut, too_much;
} ff_pickle_play;

/* Plays from c->p up to stop, or until an opcode reaches below what lay on the stack here. put: memo opcodes count.
 */
void ff_pickle_walk(ff_pickle *c, ff_pickle_play *w, const uint8_t *stop, bool put);

/* ---- what pickle.c does for it ---- */
/* Takes one opcode that puts the value which began at `at`; FF_NONE: there is none. */
uint32_t ff_pickle_take_put(ff_pickle *c, uint32_t at, uint32_t made);

#endif
