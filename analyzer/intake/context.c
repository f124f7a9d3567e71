/* The lines around a signal. Those before it are still in the run, or were saved at the end of the one before; those
 * after it may come with the next run, so the signal waits for them. */
#include "intake_private.h"

#include <string.h>

#define CONTEXT_BYTES 512u

static ff_bytes keep_line(ff_scan *s, ff_bytes line, uint64_t offset)
{
    ff_kept_line *slot = &s->line_cache[offset % FF_COUNT(s->line_cache)];
    if (slot->offset != offset || !slot->text.p)
        *slot = (ff_kept_line){ offset, ff_arena_copy(&s->arena, ff_first_n(line, CONTEXT_BYTES)) };
    return slot->text;
}

void ff_keep_before(ff_scan *s, ff_bytes line, uint64_t offset)
{
    char *room = s->before_room[0];
    if (s->n_before == FF_CONTEXT_LINES) {
        memmove(&s->before[0], &s->before[1], (FF_CONTEXT_LINES - 1) * sizeof s->before[0]);
        memmove(&s->before_room[0], &s->before_room[1], (FF_CONTEXT_LINES - 1) * sizeof s->before_room[0]);
        s->before_room[FF_CONTEXT_LINES - 1] = room;
        s->n_before--;
    }
    room = s->before_room[s->n_before];
    line = ff_cut_quote(line);
    if (line.n)
        memcpy(room, line.p, line.n);
    s->before[s->n_before++] = (ff_kept_line){ offset, { room, line.n } };
}

static void context_before(ff_scan *s, ff_context *c, const ff_place *at)
{
    ff_bytes found[FF_CONTEXT_LINES];
    uint8_t n = 0;
    for (size_t from = at->from; s->run.n && from > 0 && n < FF_CONTEXT_LINES;) {
        ff_place place = ff_place_at(s, from - 1);
        found[n++] = keep_line(s, place.text, place.offset);
        from = place.from;
    }
    for (unsigned i = s->n_before; i > 0 && n < FF_CONTEXT_LINES; i--)
        found[n++] = keep_line(s, s->before[i - 1].text, s->before[i - 1].offset);
    for (c->n_before = 0; n > 0; n--)
        c->before[c->n_before++] = found[n - 1];
}

static void context_after(ff_scan *s, ff_context *c, const ff_place *at)
{
    for (size_t next = at->next; next < s->run.n && c->n_after < FF_CONTEXT_LINES;) {
        ff_place place = ff_place_at(s, next);
        c->after[c->n_after++] = keep_line(s, place.text, place.offset);
        next = place.next;
    }
}

void ff_keep_after(ff_scan *s, ff_bytes line, uint64_t offset)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < s->waiting.n; i++) {
        uint32_t signal = s->waiting.at[i];
        ff_context *c = s->signals.at[signal].context;
        c->after[c->n_after++] = keep_line(s, line, offset);
        if (c->n_after < FF_CONTEXT_LINES)
            s->waiting.at[left++] = signal;
    }
    s->waiting.n = left;
}

void ff_keep_context(ff_scan *s, uint32_t signal, const ff_place *at)
{
    if (s->parser->record)
        return;
    ff_context *c = FF_NEW(&s->arena, ff_context);
    s->signals.at[signal].context = c;
    context_before(s, c, at);
    if (s->run.n)
        context_after(s, c, at);
    if (c->n_after < FF_CONTEXT_LINES)
        FF_PUSH(&s->waiting, signal);
}
