/* Reads a text member the plain way, every line in turn: frame, coats, reader, blocks. What intake does with
 * candidates only, so that parsers can be tested without it. */
#ifndef FF_LINE_FEED_H
#define FF_LINE_FEED_H

#include "../analyzer/base/text.h"
#include "../parsers/parser.h"

#define FEED_BLOCKS 8
#define FEED_IDLE 4096

typedef struct feed_block {
    const ff_block *kind;
    FF_VEC(ff_block_line) lines;
    void *state; /* of a kind that keeps */
    uint32_t idle;
} feed_block;

typedef struct feed {
    const ff_parser *parser;
    ff_arena *arena; /* lives as long as the feed: lines of blocks and what the last framed record said */
    ff_sink *sink;   /* facts and skips of blocks */
    void (*event)(void *owner, const ff_event *ev, uint32_t line); /* may be NULL */
    void *owner;
    ff_who who; /* of the last record with a frame */
    ff_stamp said;
    bool has_frame;
    feed_block open[FEED_BLOCKS];
    unsigned n_open;
} feed;

static void feed_who_fill(ff_who *who, const ff_who *from)
{
    ff_bytes *to[] = { &who->host, &who->boot, &who->unit, &who->pod, &who->container };
    const ff_bytes *with[] = { &from->host, &from->boot, &from->unit, &from->pod, &from->container };
    for (size_t i = 0; i < FF_COUNT(to); i++)
        if (ff_is_empty(*to[i]))
            *to[i] = *with[i];
    if (who->pid == FF_NO_NUMBER)
        who->pid = from->pid;
    if (who->rank == FF_NO_NUMBER)
        who->rank = from->rank;
}

/* Frames one record as intake does: true when it has a frame of its own. */
static bool feed_frame(feed *f, ff_bytes record, ff_event *ev)
{
    bool mixed = f->parser->streams == FF_STREAM_ANY;
    bool loose = (f->parser->streams & (f->parser->streams - 1)) != 0;
    ff_event fresh = { .stream = f->parser->streams, .text = record, .who = FF_WHO_NOBODY, .scratch = f->arena };
    *ev = fresh;
    bool framed = f->parser->frame(record, ev);
    if (!framed)
        *ev = fresh;
    bool dressed = (framed || loose) && ff_undress(ev);
    return mixed ? dressed : framed;
}

static void feed_close(feed *f, unsigned i, bool cut)
{
    feed_block b = f->open[i];
    f->n_open--;
    for (unsigned k = i; k < f->n_open; k++)
        f->open[k] = f->open[k + 1];
    if (b.kind->keep)
        b.kind->give(b.state, cut, f->sink);
    else
        b.kind->read(b.lines.at, b.lines.n, cut, f->sink);
    ff_free(b.lines.at);
}

/* What the block says of a line; its own lines go in. */
static ff_block_say feed_line(feed *f, feed_block *b, const ff_block_line *line)
{
    if (b->kind->keep)
        return b->kind->keep(&b->state, line, f->arena) ? FF_BLOCK_MINE : FF_BLOCK_NOT_MINE;
    ff_block_say say = b->kind->take ? b->kind->take(b->lines.at, b->lines.n, &line->ev) : FF_BLOCK_END;
    if (say == FF_BLOCK_MINE || say == FF_BLOCK_LAST)
        FF_PUSH(&b->lines, *line);
    return say;
}

static bool feed_blocks(feed *f, const ff_block_line *line, const ff_block *of)
{
    bool claimed = false;
    for (unsigned i = 0; i < f->n_open;) {
        feed_block *b = &f->open[i];
        if (b->kind != of) {
            i++;
            continue;
        }
        ff_block_say say = feed_line(f, b, line);
        if (say == FF_BLOCK_MINE || say == FF_BLOCK_LAST) {
            b->idle = 0;
            claimed = true;
        } else {
            b->idle++;
        }
        bool full = of->take && b->lines.n >= of->max_lines;
        if (say == FF_BLOCK_LAST || say == FF_BLOCK_END || full || b->idle > FEED_IDLE)
            feed_close(f, i, full);
        else
            i++;
    }
    return claimed;
}

static bool feed_has_needle(const ff_block *kind, ff_bytes record)
{
    for (const char *const *needle = kind->needles; *needle; needle++)
        if (ff_contains(record, ff_str(*needle)))
            return true;
    return false;
}

static void feed_offer(feed *f, const ff_block_line *line, ff_bytes record)
{
    for (unsigned i = 0; i < ff_n_blocks; i++) {
        const ff_block *kind = ff_blocks[i];
        bool claimed = feed_blocks(f, line, kind);
        if (claimed || !(line->ev.stream & kind->streams) || !feed_has_needle(kind, record) ||
            !kind->opens(&line->ev) || f->n_open == FEED_BLOCKS)
            continue;
        feed_block *b = &f->open[f->n_open++];
        *b = (feed_block){ .kind = kind };
        if (kind->keep)
            (void)feed_line(f, b, line);
        else
            FF_PUSH(&b->lines, *line);
    }
}

static void feed_record(feed *f, ff_bytes record, uint32_t number, uint64_t offset)
{
    ff_block_line line = { .line = number, .offset = offset, .quote = record };
    bool mixed = f->parser->streams == FF_STREAM_ANY;
    if (feed_frame(f, record, &line.ev)) {
        f->who = line.ev.who;
        f->said = line.ev.said;
        f->has_frame = true;
    } else {
        line.ev.continued = true;
        if (!mixed && f->has_frame) {
            feed_who_fill(&line.ev.who, &f->who);
            line.ev.said = f->said;
        }
    }
    if (f->event)
        f->event(f->owner, &line.ev, number);
    feed_offer(f, &line, record);
}

/* All of a member's bytes at once; they must outlive the feed. */
static void feed_all(feed *f, ff_bytes bytes)
{
    size_t at = 0;
    uint32_t number = 1;
    while (at < bytes.n) {
        ff_bytes rest = ff_skip_n(bytes, at), record = rest;
        if (f->parser->record) {
            record = f->parser->record(rest, 0);
        } else {
            ff_take_line(&rest, &record);
        }
        size_t n = f->parser->record ? record.n : (size_t)(rest.p - (bytes.p + at));
        if (!f->parser->record && rest.n == 0)
            n = bytes.n - at;
        if (n == 0)
            break;
        feed_record(f, record, number, at);
        for (size_t i = at; i < at + n; i++)
            number += bytes.p[i] == '\n';
        at += n;
    }
    while (f->n_open)
        feed_close(f, 0, false);
}

#endif
