/* Framing by itself: every parser of lines on every record, and the cutting of runs into records that span lines. The
 * first byte picks the parser. What a frame gives lies in the record or in the scratch; records lie in their run,
 * around the offset that was asked for; a frame says the same of the same record twice. */
#include "fuzz.h"

#include "../../parsers/parser.h"

static bool lies_in(ff_bytes inner, ff_bytes outer)
{
    return inner.n == 0 || (inner.p >= outer.p && inner.p + inner.n <= outer.p + outer.n);
}

static void try_frame(const ff_parser *parser, ff_bytes record, ff_arena *scratch)
{
    ff_event one = { .stream = parser->streams, .text = record, .who = FF_WHO_NOBODY, .scratch = scratch }, two = one;
    bool framed = parser->frame(record, &one);
    if (framed != parser->frame(record, &two) || !ff_equal(one.text, two.text) || one.said.ns != two.said.ns)
        __builtin_trap();
    if (one.said.kind > FF_STAMP_NO_YEAR || one.also.kind > FF_STAMP_NO_YEAR)
        __builtin_trap();
    (void)ff_undress(&one);
    ff_arena_reset(scratch);
}

static void try_records(const ff_parser *parser, ff_bytes run, ff_arena *scratch)
{
    size_t whole = parser->whole(run);
    if (whole > run.n)
        __builtin_trap();
    for (size_t at = 0; at < whole;) {
        ff_bytes record = parser->record(ff_first_n(run, whole), at);
        if (!lies_in(record, run) || !record.n || record.p > run.p + at || record.p + record.n <= run.p + at)
            __builtin_trap();
        try_frame(parser, record, scratch);
        at = (size_t)(record.p + record.n - run.p);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    ff_bytes text = { (const char *)data + 1, size - 1 }, line;
    const ff_parser *parser = ff_parsers[data[0] % ff_n_parsers];
    ff_arena scratch;
    ff_arena_init(&scratch);
    if (parser->frame && parser->whole)
        try_records(parser, text, &scratch);
    while (parser->frame && ff_take_line(&text, &line))
        try_frame(parser, line, &scratch);
    ff_arena_done(&scratch);
    return 0;
}
