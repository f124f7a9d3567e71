/* Reading of one Flight Recorder dump: what recorder.c and recorder_entry.c share. */
#ifndef FF_RECORDER_PRIVATE_H
#define FF_RECORDER_PRIVATE_H

#include "calls.h"
#include "intern.h"

#define FF_FR_FRAMES 256u /* frames remembered by their node: one call site is named by thousands of entries */
#define FF_FR_KEYS 64u    /* keys remembered by their node */

typedef struct group_key {
    ff_bytes name;
    int64_t pg_id;
    bool configured;
} group_key;

typedef struct reading {
    const ff_tree *t;
    ff_arena *arena;
    ff_intern texts;
    ff_dump *d;
    FF_VEC(ff_fr_group) groups;
    ff_calls calls;
    FF_VEC(group_key) keys; /* same order as groups */
    uint64_t line_at;       /* where line counting stands */
    uint32_t line;
    struct {
        uint32_t node;
        ff_bytes frame;
        bool torch;
    } frames[FF_FR_FRAMES];
    struct {
        uint32_t node;
        int field;
    } known[FF_FR_KEYS];
} reading;

typedef struct number_text { /* a number as text, on the caller's stack */
    char text[24];
    size_t from;
} number_text;
ff_bytes ff_fr_number(number_text *n, int64_t value);
int64_t ff_fr_int(const ff_tree *t, uint32_t node, int64_t otherwise);
ff_bytes ff_fr_base_name(ff_bytes path);
/* The group of that name and local number, made when it is new; index into r->groups. */
uint32_t ff_fr_group_of(reading *r, ff_bytes name, ff_bytes desc, int64_t pg_id);
/* Fills r->d->entries from a list. */
void ff_fr_read_entries(reading *r, uint32_t list, bool pickle);

#endif
