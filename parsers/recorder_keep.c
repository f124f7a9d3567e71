/* Dumps that outlive their members. */
#include "recorder_store.h"

#include <string.h>

#define CAP_READING ((size_t)16 << 20) /* bytes of what helps to read */
#define CAP_ROOM 32768u                /* entries for which room is kept from one dump to the next */
#define MOST_SHIFTS 64u

static void open_reading(ff_dump_store *s)
{
    ff_distinct_init(&s->shapes, &s->reading);
    ff_distinct_init(&s->recipes, &s->reading);
    ff_patterns_init(&s->patterns, &s->reading);
    ff_stencils_init(&s->stencils, &s->reading);
}

static void close_reading(ff_dump_store *s)
{
    ff_distinct_done(&s->shapes);
    ff_distinct_done(&s->recipes);
    ff_patterns_done(&s->patterns);
    ff_stencils_done(&s->stencils);
    ff_free(s->shape_words.at);
    ff_free(s->made.at);
    s->shape_words.at = NULL;
    s->made.at = NULL;
    s->shape_words.n = s->shape_words.cap = s->made.n = s->made.cap = 0;
    ff_arena_done(&s->reading);
}

void ff_dump_store_tidy(ff_dump_store *s)
{
    if (s->reading.used < CAP_READING)
        return;
    close_reading(s);
    ff_arena_init(&s->reading);
    open_reading(s);
}

ff_dump_store *ff_dump_store_open(ff_arena *arena)
{
    ff_dump_store *s = ff_alloc(sizeof *s);
    *s = (ff_dump_store){ .arena = arena };
    ff_distinct_init(&s->words, arena);
    ff_calls_init(&s->calls, arena);
    ff_arena_init(&s->reading);
    open_reading(s);
    return s;
}

void ff_dump_store_close(ff_dump_store *s)
{
    if (!s)
        return;
    close_reading(s);
    ff_distinct_done(&s->words);
    ff_calls_done(&s->calls);
    ff_free(s->now);
    ff_free(s->entries.at);
    ff_free(s->times.at);
    ff_free(s);
}

void ff_dump_store_lend(ff_dump_store *s, ff_entry_list *entries, ff_times_list *times)
{
    *entries = s->entries;
    *times = s->times;
    entries->n = times->n = 0;
    s->entries = (ff_entry_list){ 0 };
    s->times = (ff_times_list){ 0 };
}

void ff_dump_store_return(ff_dump_store *s, ff_entry_list *entries, ff_times_list *times)
{
    bool large = entries->cap > CAP_ROOM || s->entries.at;
    if (large) {
        ff_free(entries->at);
        ff_free(times->at);
    } else {
        s->entries = *entries;
        s->times = *times;
    }
    *entries = (ff_entry_list){ 0 };
    *times = (ff_times_list){ 0 };
}

/* Every byte is written at once: no clearing before. */
static void *copy_of(ff_arena *arena, const void *from, size_t n)
{
    return ff_arena_str(arena, (ff_bytes){ from, n });
}

static ff_bytes word(ff_dump_store *s, ff_bytes text)
{
    return ff_distinct_at(&s->words, ff_distinct_add(&s->words, text));
}

static ff_fr_group *keep_groups(ff_dump_store *s, const ff_dump *d)
{
    ff_fr_group *groups = copy_of(s->arena, d->groups, d->n_groups * sizeof *groups);
    for (uint32_t i = 0; i < d->n_groups; i++) {
        ff_fr_group *g = &groups[i];
        g->name = word(s, g->name);
        g->desc = word(s, g->desc);
        ff_bytes ranks = { (const char *)g->ranks, g->n_ranks * sizeof *g->ranks };
        g->ranks = (const int32_t *)(const void *)word(s, ranks).p;
        if (g->n_marks)
            g->marks = copy_of(s->arena, g->marks, g->n_marks * sizeof *g->marks);
    }
    return groups;
}

static void learn_calls(ff_dump_store *s, const ff_dump *d)
{
    if (s->room < d->n_calls) {
        s->room = d->n_calls;
        s->now = ff_realloc(s->now, s->room * sizeof *s->now);
    }
    for (uint32_t i = 0; i < d->n_calls; i++) {
        ff_fr_call c = *d->calls[i];
        c.op = word(s, c.op);
        c.in_sizes = word(s, c.in_sizes);
        c.out_sizes = word(s, c.out_sizes);
        c.dtypes = word(s, c.dtypes);
        c.frame = word(s, c.frame);
        s->now[i] = ff_calls_add(&s->calls, &c);
    }
}

/* ---- ranks that ask for the same ---- */

/* All but where it stands. */
static inline bool same_entry(const ff_fr_entry *a, const ff_fr_entry *b)
{
    return a->call == b->call && a->seq == b->seq && a->p2p_seq == b->p2p_seq && a->group == b->group &&
           a->state == b->state && a->retired == b->retired;
}

/* shifts: by how much b's entries lie further on than a's. False: they are not the same, or differ too often. */
static bool same_program(const ff_fr_program *a, const ff_dump *b, ff_fr_shift *shifts, uint32_t *n_shifts)
{
    uint32_t by = 0;
    *n_shifts = 0;
    if (a->n != b->n_entries || (a->n && !same_entry(&a->entries[a->n - 1], &b->entries[a->n - 1])))
        return false;
    for (uint32_t i = 0; i < a->n; i++) {
        const ff_fr_entry *x = &a->entries[i], *y = &b->entries[i];
        if (!same_entry(x, y))
            return false;
        if (y->offset - x->offset == by)
            continue;
        if (*n_shifts == MOST_SHIFTS)
            return false;
        by = y->offset - x->offset;
        shifts[(*n_shifts)++] = (ff_fr_shift){ i, by };
    }
    return true;
}

static void use_program(ff_dump_store *s, uint32_t k, ff_fr_program p)
{
    for (; k > 0; k--)
        s->programs[k] = s->programs[k - 1];
    s->programs[0] = p;
}

/* The entries of a dump that was read with this store, those of an earlier one if they are the same. */
static void keep_program(ff_dump_store *s, ff_dump *kept, const ff_dump *d)
{
    ff_fr_shift shifts[MOST_SHIFTS];
    uint32_t k = 0;
    while (k < s->n_programs && !same_program(&s->programs[k], d, shifts, &kept->n_shifts))
        k++;
    if (k < s->n_programs) {
        kept->entries = s->programs[k].entries;
        kept->shifts = copy_of(s->arena, shifts, kept->n_shifts * sizeof *shifts);
        use_program(s, k, s->programs[k]);
        return;
    }
    kept->n_shifts = 0;
    kept->entries = copy_of(s->arena, d->entries, d->n_entries * sizeof *d->entries);
    s->n_programs += s->n_programs < FF_FR_PROGRAMS;
    use_program(s, s->n_programs - 1, (ff_fr_program){ kept->entries, d->n_entries });
}

ff_dump *ff_dump_keep(ff_dump_store *s, const ff_dump *d)
{
    ff_dump *kept = copy_of(s->arena, d, sizeof *d);
    kept->version = word(s, d->version);
    kept->backend = word(s, d->backend);
    kept->comm_lib = word(s, d->comm_lib);
    kept->quote = word(s, d->quote);
    kept->groups = keep_groups(s, d);
    kept->keeper = s;
    kept->calls = NULL;
    kept->n_calls = 0;
    kept->times = copy_of(s->arena, d->times, d->n_entries * sizeof *d->times);
    if (d->records)
        kept->records = copy_of(s->arena, d->records, d->n_entries * sizeof *d->records);
    if (d->lines)
        kept->lines = copy_of(s->arena, d->lines, d->n_entries * sizeof *d->lines);
    if (d->n_quotes)
        kept->quotes = copy_of(s->arena, d->quotes, d->n_quotes * sizeof *d->quotes);
    for (uint32_t i = 0; i < d->n_quotes; i++)
        kept->quotes[i].text = ff_arena_copy(s->arena, d->quotes[i].text);
    if (d->calls == s->calls.all.at) { /* it was read with this store */
        keep_program(s, kept, d);
        return kept;
    }
    kept->entries = copy_of(s->arena, d->entries, d->n_entries * sizeof *d->entries);
    learn_calls(s, d);
    for (uint32_t i = 0; i < d->n_entries; i++)
        kept->entries[i].call = s->now[d->entries[i].call->id];
    return kept;
}
