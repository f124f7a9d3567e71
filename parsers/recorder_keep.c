/* Dumps that outlive their members. */
#include "calls.h"
#include "intern.h"
#include "recorder.h"

#include <string.h>

struct ff_dump_store {
    ff_arena *arena;
    ff_intern texts;
    ff_calls calls;
    const ff_fr_call **now; /* calls of the dump that is being kept, by its own numbers */
    uint32_t room;
};

ff_dump_store *ff_dump_store_open(ff_arena *arena)
{
    ff_dump_store *s = ff_alloc(sizeof *s);
    *s = (ff_dump_store){ .arena = arena };
    ff_intern_init(&s->texts, arena);
    ff_calls_init(&s->calls, arena);
    return s;
}

void ff_dump_store_close(ff_dump_store *s)
{
    if (!s)
        return;
    ff_intern_done(&s->texts);
    ff_calls_done(&s->calls);
    ff_free(s->now);
    ff_free(s);
}

/* Every byte is written at once: no clearing before. */
static void *copy_of(ff_arena *arena, const void *from, size_t n)
{
    return ff_arena_str(arena, (ff_bytes){ from, n });
}

static ff_fr_group *keep_groups(ff_dump_store *s, const ff_dump *d)
{
    ff_fr_group *groups = copy_of(s->arena, d->groups, d->n_groups * sizeof *groups);
    for (uint32_t i = 0; i < d->n_groups; i++) {
        ff_fr_group *g = &groups[i];
        g->name = ff_intern_text(&s->texts, g->name);
        g->desc = ff_intern_text(&s->texts, g->desc);
        ff_bytes ranks = { (const char *)g->ranks, g->n_ranks * sizeof *g->ranks };
        g->ranks = (const int32_t *)(const void *)ff_intern_text(&s->texts, ranks).p;
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
        c.op = ff_intern_text(&s->texts, c.op);
        c.in_sizes = ff_intern_text(&s->texts, c.in_sizes);
        c.out_sizes = ff_intern_text(&s->texts, c.out_sizes);
        c.dtypes = ff_intern_text(&s->texts, c.dtypes);
        c.frame = ff_intern_text(&s->texts, c.frame);
        s->now[i] = ff_calls_add(&s->calls, &c);
    }
}

ff_dump *ff_dump_keep(ff_dump_store *s, const ff_dump *d)
{
    ff_dump *kept = copy_of(s->arena, d, sizeof *d);
    kept->version = ff_intern_text(&s->texts, d->version);
    kept->backend = ff_intern_text(&s->texts, d->backend);
    kept->comm_lib = ff_intern_text(&s->texts, d->comm_lib);
    kept->quote = ff_intern_text(&s->texts, d->quote);
    kept->groups = keep_groups(s, d);
    kept->calls = NULL;
    kept->n_calls = 0;
    learn_calls(s, d);
    kept->entries = copy_of(s->arena, d->entries, d->n_entries * sizeof *d->entries);
    if (d->records)
        kept->records = copy_of(s->arena, d->records, d->n_entries * sizeof *d->records);
    if (d->lines)
        kept->lines = copy_of(s->arena, d->lines, d->n_entries * sizeof *d->lines);
    if (d->n_quotes)
        kept->quotes = copy_of(s->arena, d->quotes, d->n_quotes * sizeof *d->quotes);
    for (uint32_t i = 0; i < d->n_quotes; i++)
        kept->quotes[i].text = ff_arena_copy(s->arena, d->quotes[i].text);
    for (uint32_t i = 0; i < d->n_entries; i++)
        kept->entries[i].call = s->now[d->entries[i].call->id];
    return kept;
}
