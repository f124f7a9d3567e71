/* What one dump leaves behind for the next: dumps of one job ask for the same, from the same lines of code. So texts
 * and calls are kept once for all, and what was made of sizes, of calls and of whole entries is known again. */
#ifndef FF_RECORDER_STORE_H
#define FF_RECORDER_STORE_H

#include "calls.h"
#include "distinct.h"
#include "recorder.h"
#include "recorder_stencil.h"

typedef FF_VEC(ff_fr_entry) ff_entry_list;
typedef FF_VEC(ff_fr_times) ff_times_list;

typedef struct ff_fr_recipe { /* what was made of a recipe, and how often it was met */
    const ff_fr_call *call;
    uint32_t met;
} ff_fr_recipe;

#define FF_FR_PROGRAMS 16u
typedef struct ff_fr_program { /* what a rank asked for, entry by entry */
    ff_fr_entry *entries;
    uint32_t n;
} ff_fr_program;

struct ff_dump_store {
    ff_arena *arena; /* holds what is kept */
    ff_distinct words;
    ff_calls calls;         /* their texts are words */
    const ff_fr_call **now; /* calls of a dump that came from elsewhere, by its own numbers */
    uint32_t room;
    ff_fr_program programs[FF_FR_PROGRAMS]; /* kept last, the latest first */
    uint32_t n_programs;
    ff_entry_list entries; /* room for the dump that is read */
    ff_times_list times;
    ff_arena reading;             /* holds what helps to read, and is forgotten when it grows large */
    ff_distinct shapes, recipes;  /* the numbers of ff_shape; ff_row_call as it is */
    FF_VEC(uint32_t) shape_words; /* by number of the shape, less 1 */
    FF_VEC(ff_fr_recipe) made;    /* by number of the recipe, less 1 */
    ff_patterns patterns;
    ff_stencils stencils;
};

/* Before a dump is read: forgets what helps to read where that has grown beyond its cap. */
void ff_dump_store_tidy(ff_dump_store *s);
/* Room for the entries of one dump, empty; it comes back when the dump was kept. */
void ff_dump_store_lend(ff_dump_store *s, ff_entry_list *entries, ff_times_list *times);
void ff_dump_store_return(ff_dump_store *s, ff_entry_list *entries, ff_times_list *times);

#endif
