/* Every parser on any bytes: probes, frames, coats, readers, blocks and whole documents. The first byte picks the
 * parser, so that one corpus reaches all of them; the same bytes also go through detection. */
#include "fuzz.h"

#include "../line_feed.h"

static void on_fact(void *owner, const ff_fact *fact)
{
    (void)owner;
    (void)fact;
}

static void on_inner(void *owner, const ff_event *ev, uint32_t line, uint64_t offset, ff_bytes quote)
{
    ff_event inner = *ev;
    (void)owner, (void)line, (void)offset, (void)quote;
    (void)ff_undress(&inner);
}

static void on_event(void *owner, const ff_event *ev, uint32_t line) { (void)owner, (void)ev, (void)line; }
static void on_skip(void *owner, uint32_t line, const char *reason) { (void)owner, (void)line, (void)reason; }
static void on_who(void *owner, const ff_who *who) { (void)owner, (void)who; }
static void on_dump(void *owner, struct ff_dump *dump) { (void)owner, (void)dump; }

static void read_with(const ff_parser *parser, ff_bytes bytes, ff_arena *arena)
{
    ff_sink sink = {
        .fact = on_fact, .event = on_inner, .skip = on_skip, .member_who = on_who, .dump = on_dump, .scratch = arena
    };
    if (parser->parse) {
        ff_doc doc = { .name = FF_LIT("dir/nccl_trace_rank_3"), .bytes = bytes };
        (void)parser->parse(&doc, &sink);
        return;
    }
    feed f = { .parser = parser, .arena = arena, .sink = &sink, .event = on_event };
    feed_all(&f, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    ff_arena arena;
    ff_arena_init(&arena);
    ff_bytes bytes = { (const char *)data + 1, size - 1 };
    ff_probe probe = { .name = FF_LIT("node/dmesg.txt"), .head = ff_first_n(bytes, 65536), .whole = true };
    const char *second = NULL;
    const ff_parser *found = ff_detect(&probe, &second);
    read_with(ff_parsers[data[0] % ff_n_parsers], bytes, &arena);
    if (found)
        read_with(found, bytes, &arena);
    ff_arena_done(&arena);
    return 0;
}
