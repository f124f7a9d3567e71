/* Reports that span many lines. A block that is open sees every record; several may be open at once, since other CPUs
 * and ranks write in between. */
#include "intake_private.h"

#define BLOCK_TEXT 8192u /* bytes kept of one line of a block */
#define BLOCK_IDLE 4096u /* records without one of its own after which a block is over */

static ff_block_line copy_line(ff_arena *arena, const ff_event *ev, const ff_place *at, size_t most)
{
    ff_block_line line = { .ev = *ev, .line = at->line, .offset = at->offset };
    line.ev.scratch = arena;
    line.ev.text = ff_arena_copy(arena, ff_first_n(ev->text, most));
    line.ev.ident = ff_arena_copy(arena, ff_first_n(ev->ident, BLOCK_TEXT));
    line.ev.who = ff_who_copy(&ev->who, arena);
    line.quote = ff_arena_copy(arena, ff_cut_quote(at->text));
    return line;
}

static void add_line(ff_open_block *b, const ff_event *ev, const ff_place *at)
{
    ff_block_line line = copy_line(&b->arena, ev, at, b->kind->joins ? FF_CAP_LINE : BLOCK_TEXT);
    FF_PUSH(&b->lines, line);
}

static ff_block_say keep_line(ff_open_block *b, const ff_event *ev, const ff_place *at)
{
    ff_block_line line = { .ev = *ev, .quote = ff_cut_quote(at->text), .line = at->line, .offset = at->offset };
    return b->kind->keep(&b->state, &line, &b->arena) ? FF_BLOCK_MINE : FF_BLOCK_NOT_MINE;
}

/* What an open block says of the next line. */
static ff_block_say say_of(ff_open_block *b, const ff_event *ev, const ff_place *at)
{
    if (b->kind->keep)
        return keep_line(b, ev, at);
    return b->kind->take ? b->kind->take(b->lines.at, b->lines.n, ev) : FF_BLOCK_END;
}

/* The block stays where it is, as its lines know its arena; the order is what moves. */
static ff_open_block *move_to_end(ff_scan *s, unsigned i)
{
    ff_open_block *b = s->blocks[i];
    for (; i + 1 < FF_OPEN_BLOCKS; i++)
        s->blocks[i] = s->blocks[i + 1];
    s->blocks[i] = b;
    return b;
}

/* Reads and forgets block i; the ones behind it move up. Text that it joins may open further ones meanwhile. */
static void close_block(ff_scan *s, unsigned i, bool cut)
{
    ff_open_block *b = move_to_end(s, i);
    s->n_blocks--;
    s->n_reading++;
    s->joining = b->kind->joins ? b->lines.at : NULL;
    if (b->kind->keep)
        b->kind->give(b->state, cut, &s->sink);
    else
        b->kind->read(b->lines.at, b->lines.n, cut, &s->sink);
    s->joining = NULL;
    s->n_reading--;
    ff_arena_reset(&b->arena);
    b->state = NULL;
    b->lines.n = 0;
}

static uint32_t most_lines(const ff_block *kind)
{
    return kind->max_lines && kind->max_lines < FF_CAP_BLOCK_LINES ? kind->max_lines : FF_CAP_BLOCK_LINES;
}

uint32_t ff_block_number(const ff_block *kind)
{
    uint32_t i = 0;
    while (ff_blocks[i] != kind)
        i++;
    return i;
}

bool ff_blocks_feed(ff_scan *s, const ff_event *ev, const ff_place *at, bool *claimed)
{
    bool joined = false;
    for (unsigned i = 0; i < s->n_blocks;) {
        ff_open_block *b = s->blocks[i];
        ff_block_say say = say_of(b, ev, at);
        bool mine = say == FF_BLOCK_MINE || say == FF_BLOCK_LAST;
        if (mine) {
            claimed[ff_block_number(b->kind)] = true;
            b->idle = 0;
            if (!b->kind->keep)
                add_line(b, ev, at);
            joined = joined || b->kind->joins;
        }
        bool full = b->lines.n >= most_lines(b->kind);
        bool over = say == FF_BLOCK_LAST || say == FF_BLOCK_END || (!mine && ++b->idle > BLOCK_IDLE);
        b->over = over || full;
        if (b->over && !b->kind->joins)
            close_block(s, i, full && !over);
        else
            i++;
    }
    return joined;
}

/* What joins is matched when the event at hand is done with: both use the scratch space. */
void ff_blocks_join(ff_scan *s)
{
    for (unsigned i = 0; i < s->n_blocks;)
        if (s->blocks[i]->kind->joins && s->blocks[i]->over)
            close_block(s, i, false);
        else
            i++;
}

/* The contract of needles, also when the prefilter is off and every line comes here. */
static bool has_needle(const ff_scan *s, const ff_block *kind, ff_bytes line)
{
    if (s->pieces && kind == &ff_block_parts)
        return true;
    for (const char *const *needle = kind->needles; *needle; needle++)
        if (ff_contains(line, ff_str(*needle)))
            return true;
    return false;
}

void ff_blocks_try(ff_scan *s, uint32_t block, const ff_event *ev, const ff_place *at)
{
    const ff_block *kind = ff_blocks[block];
    if (kind->joins && s->joining) /* once is enough: what joined text says is text */
        return;
    if (!(ev->stream & kind->streams) || !has_needle(s, kind, s->run.n && !s->joining ? at->text : ev->text) ||
        !kind->opens(ev))
        return;
    if (s->n_blocks + s->n_reading == FF_OPEN_BLOCKS) {
        ff_keep_skip(s, at->line, "too many reports open at once");
        return;
    }
    ff_open_block *b = s->blocks[s->n_blocks++];
    b->kind = kind;
    b->lines.n = 0;
    b->state = NULL;
    b->idle = 0;
    if (kind->keep)
        (void)keep_line(b, ev, at);
    else
        add_line(b, ev, at);
    b->over = !kind->take && !kind->keep;
}

void ff_blocks_end(ff_scan *s, bool cut)
{
    while (s->n_blocks)
        close_block(s, 0, cut);
}
