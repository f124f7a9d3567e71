/* A Flight Recorder dump outlives the document that it was read from, so everything in it is copied. Most texts come
 * again and again (operation, sizes, frame), so a text that equals the one before it is shared. */
#include "intake_private.h"

static ff_bytes copy_text(ff_bytes text, ff_bytes *last, ff_arena *arena)
{
    if (!ff_equal(text, *last))
        *last = ff_arena_copy(arena, text);
    return *last;
}

static ff_fr_group copy_group(const ff_fr_group *g, ff_arena *arena)
{
    ff_fr_group out = *g;
    out.name = ff_arena_copy(arena, g->name);
    out.desc = ff_arena_copy(arena, g->desc);
    out.ranks = g->n_ranks ? FF_NEW_N(arena, int32_t, g->n_ranks) : NULL;
    for (uint32_t i = 0; i < g->n_ranks; i++)
        out.ranks[i] = g->ranks[i];
    return out;
}

ff_dump *ff_dump_copy(const ff_dump *d, ff_arena *arena)
{
    ff_dump *out = FF_NEW(arena, ff_dump);
    *out = *d;
    out->version = ff_arena_copy(arena, d->version);
    out->backend = ff_arena_copy(arena, d->backend);
    out->comm_lib = ff_arena_copy(arena, d->comm_lib);
    out->quote = ff_arena_copy(arena, ff_cut_quote(d->quote));
    out->groups = FF_NEW_N(arena, ff_fr_group, d->n_groups + 1);
    for (uint32_t i = 0; i < d->n_groups; i++)
        out->groups[i] = copy_group(&d->groups[i], arena);
    out->entries = FF_NEW_N(arena, ff_fr_entry, (size_t)d->n_entries + 1);
    ff_fr_entry last = { 0 };
    for (uint32_t i = 0; i < d->n_entries; i++) {
        ff_fr_entry *e = &out->entries[i];
        *e = d->entries[i];
        e->op = copy_text(e->op, &last.op, arena);
        e->in_sizes = copy_text(e->in_sizes, &last.in_sizes, arena);
        e->out_sizes = copy_text(e->out_sizes, &last.out_sizes, arena);
        e->dtypes = copy_text(e->dtypes, &last.dtypes, arena);
        e->frame = copy_text(e->frame, &last.frame, arena);
    }
    return out;
}
