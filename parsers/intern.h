/* One copy of each distinct text, for tables whose rows repeat the same few words. */
#ifndef FF_INTERN_H
#define FF_INTERN_H

#include "../analyzer/base/arena.h"

typedef struct ff_intern {
    ff_arena *arena; /* holds the texts */
    ff_bytes *slots; /* open addressing, cap a power of two */
    uint32_t n, cap;
} ff_intern;

void ff_intern_init(ff_intern *in, ff_arena *arena);
void ff_intern_done(ff_intern *in); /* the table only; the texts live as long as the arena */
ff_bytes ff_intern_text(ff_intern *in, ff_bytes text);

#endif
