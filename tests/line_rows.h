/* One line in, one event out: a row says what a frame and its coats make of a line. */
#ifndef FF_TEST_LINE_ROWS_H
#define FF_TEST_LINE_ROWS_H

#include "check.h"
#include "../parsers/parser.h"

#define NS INT64_C(1000000000)
#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define Y2026 INT64_C(1767225600)    /* 2026-01-01T00:00:00Z */
#define NOV30 (INT64_C(334) * 86400) /* of a leap year, from January 1 */
#define AT(seconds, rest) ((seconds)*NS + (rest))
#define NOBODY (-1)

typedef struct expected {
    const char *parser; /* NULL: a line of a mixed file */
    const char *line;
    uint32_t stream;
    const char *text;
    ff_stamp said;
    ff_stamp_kind also;
    const char *host; /* NULL: none */
    int pid, rank;    /* 0 stands for none in pid, NOBODY in rank */
} expected;

#define K FF_STREAM_KERNEL
#define UTC FF_STAMP_UTC
#define BOOT FF_STAMP_SINCE_BOOT
#define LOCAL FF_STAMP_LOCAL
#define NO_YEAR FF_STAMP_NO_YEAR
#define NONE FF_STAMP_NONE

static const char *failing; /* the line of the row in hand */

#define CHECK_ROW(condition)                                                                                         \
    do {                                                                                                             \
        if (condition) {                                                                                             \
            check_passed++;                                                                                          \
        } else {                                                                                                     \
            check_failed++;                                                                                          \
            fprintf(stderr, "%s:%d: not true: %s\n  in: %s\n", __FILE__, __LINE__, #condition, failing);             \
        }                                                                                                            \
    } while (0)

static inline const ff_parser *parser_named(const char *name)
{
    for (unsigned i = 0; i < ff_n_parsers; i++)
        if (strcmp(ff_parsers[i]->name, name) == 0)
            return ff_parsers[i];
    return NULL;
}

static inline void check_stamp(ff_stamp got, ff_stamp want)
{
    CHECK_ROW(got.kind == want.kind);
    CHECK_ROW(got.kind == NONE || got.ns == want.ns);
    CHECK_ROW(got.kind == NONE || got.grain_ns == want.grain_ns);
}

/* A coat must say all that it can begin with, or it would never be asked. */
static inline void check_begins(const char *line, ff_arena *arena)
{
    ff_event ev = { .stream = FF_STREAM_ANY, .text = ff_str(line), .who = FF_WHO_NOBODY, .scratch = arena };
    bool taken = true;
    for (unsigned depth = 0; depth < 6 && taken; depth++) {
        ff_event outer = ev;
        bool escaped = outer.text.n && memchr(outer.text.p, '\x1b', outer.text.n);
        unsigned first = ff_first_of(outer.text) | (escaped ? (unsigned)FF_FIRST_ESCAPED : 0);
        taken = false;
        for (unsigned i = 0; i < ff_n_coats; i++) {
            ff_event inner = outer;
            if (!ff_coats[i]->take(&inner))
                continue;
            CHECK_ROW(ff_coats[i]->begins & first);
            ev = taken ? ev : inner;
            taken = true;
        }
    }
}

static inline void check_line(const expected *want)
{
    ff_arena arena;
    ff_arena_init(&arena);
    failing = want->line;
    check_begins(want->line, &arena);
    const ff_parser *parser = parser_named(want->parser ? want->parser : "plain");
    ff_event ev = { .stream = parser->streams, .who = FF_WHO_NOBODY, .scratch = &arena };
    bool framed = parser->frame(ff_str(want->line), &ev);
    CHECK_ROW(framed);
    ff_undress(&ev);
    CHECK_ROW(ev.stream == want->stream);
    CHECK_TEXT(ev.text, want->text);
    check_stamp(ev.said, want->said);
    CHECK_ROW(ev.also.kind == want->also);
    CHECK_TEXT(ev.who.host, want->host ? want->host : "");
    CHECK_ROW(ev.who.pid == (want->pid ? want->pid : FF_NO_NUMBER));
    CHECK_ROW(ev.who.rank == want->rank);
    ff_arena_done(&arena);
}

static inline void check_lines(const expected *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        check_line(&rows[i]);
}

#define BOOT_STAMP                                                                                                   \
    {                                                                                                                \
        BOOT, AT(12345, 678901 * US), US                                                                             \
    }

#define SYSLOG_MASK                                                                                                  \
    (FF_STREAM_NCCL | FF_STREAM_APP | FF_STREAM_K8S | FF_STREAM_RUNTIME | FF_STREAM_SLURM | FF_STREAM_GPU |          \
     FF_STREAM_NET | FF_STREAM_HOST)
#define A FF_STREAM_APP
#define N FF_STREAM_NCCL
#define NO_TIME                                                                                                      \
    {                                                                                                                \
        NONE, 0, 0                                                                                                   \
    }
#define NOV30_NOON                                                                                                   \
    {                                                                                                                \
        NO_YEAR, AT(NOV30 + 12 * 3600 + 5, 0), NS                                                                    \
    }

#endif
