/* Bump allocation that never returns NULL: out of memory ends the process here, with exit code 3, and nowhere else.
 * A stage allocates, nobody frees one by one, ff_arena_done drops it all. */
#ifndef FF_ARENA_H
#define FF_ARENA_H

#include "bytes.h"

typedef struct ff_arena {
    struct ff_arena_chunk *top;
    size_t used;  /* bytes handed out, for statistics */
} ff_arena;

void ff_arena_init(ff_arena *a);
void ff_arena_done(ff_arena *a);
/* Keeps the largest chunk and forgets all contents: for scratch space used again and again. */
void ff_arena_reset(ff_arena *a);
/* Moves everything of `from` into a, where it lives on at the same addresses; from is empty afterwards. */
void ff_arena_adopt(ff_arena *a, ff_arena *from);
void *ff_arena_take(ff_arena *a, size_t n);               /* zeroed, aligned for any type */
ff_bytes ff_arena_copy(ff_arena *a, ff_bytes b);          /* the copy is also NUL terminated (n does not count it) */
char *ff_arena_str(ff_arena *a, ff_bytes b);              /* NUL terminated copy */
ff_bytes ff_arena_format(ff_arena *a, const char *format, ...) FF_PRINTF(2, 3);
#define FF_NEW(arena, type) ((type *)ff_arena_take((arena), sizeof(type)))
#define FF_NEW_N(arena, type, n) ((type *)ff_arena_take((arena), sizeof(type) * (n)))

/* last is called before the process ends out of memory, on whichever thread; it may only do what a signal handler may. */
void ff_last_of_memory(void (*last)(void));

/* Call once, before there are threads: what is freed stays with the process and serves the next member. Otherwise each
 * buffer and table of a member comes fresh from the system, and its pages cost more than what is done with them. */
void ff_memory_stays(void);

/* malloc and realloc for the few places that own growing arrays; same promise, never NULL. n == 0 gives a valid pointer. */
void *ff_alloc(size_t n);
void *ff_realloc(void *p, size_t n);
void *ff_alloc_aligned(size_t align, size_t n);
void ff_free(void *p);

/* Growing array: `ff_vec_of(type)` is a struct { type *at; uint32_t n, cap; }. Free with ff_free(v.at). */
#define FF_VEC(type) struct { type *at; uint32_t n, cap; }
#define FF_PUSH(v, item)                                                                                              \
    do {                                                                                                              \
        if ((v)->n == (v)->cap) {                                                                                     \
            (v)->cap = (v)->cap ? (v)->cap * 2 : 16;                                                                  \
            (v)->at = ff_realloc((v)->at, (size_t)(v)->cap * sizeof *(v)->at);                                        \
        }                                                                                                             \
        (v)->at[(v)->n++] = (item);                                                                                   \
    } while (0)

#endif
