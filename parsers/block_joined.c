/* Text that the lines of a file hold in another form than it was written in, so that no literal of it is found there.
 *     2026-01-01T00:00:00.1Z stdout P first half            a runtime cuts long lines (CRI-O at every 8 KiB it reads,
 *     2026-01-01T00:00:00.1Z stdout F , second half         containerd at 16 KiB) and marks all but the last piece
 *     {"log":"first half","stream":"stdout",...}            docker, at 16 KiB: only the last piece ends with a newline
 *     CONTAINER_PARTIAL_MESSAGE=true                        docker's journald driver, at 16 KiB
 *     {"MESSAGE":[27,91,51,49,109,66], ...}                 the journal's JSON, for text with control bytes */
#include "lines.h"

#include <string.h>

#define MOST_PIECES 64

static bool parts_opens(const ff_event *ev) { return ev->goes_on; }

static ff_block_say parts_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    (void)n;
    if (next->part != lines[0].ev.part || !ff_equal(next->who.container, lines[0].ev.who.container))
        return FF_BLOCK_NOT_MINE;
    return next->goes_on ? FF_BLOCK_MINE : FF_BLOCK_LAST;
}

static void parts_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    ff_event ev = lines[0].ev;
    size_t size = 0, at = 0;
    (void)cut;
    for (uint32_t i = 0; i < n; i++)
        size += lines[i].ev.text.n;
    char *text = FF_NEW_N(ev.scratch, char, size + 1);
    for (uint32_t i = 0; i < n; i++) {
        if (lines[i].ev.text.n)
            memcpy(text + at, lines[i].ev.text.p, lines[i].ev.text.n);
        at += lines[i].ev.text.n;
    }
    ev.text = (ff_bytes){ text, size };
    ev.goes_on = false;
    out->event(out->owner, &ev, lines[0].line, lines[0].offset, lines[0].quote);
}

static const char *const parts_needles[] = { " stdout P", " stderr P", "CONTAINER_PARTIAL_MESSAGE", NULL };

const ff_block ff_block_parts = { .name = "parts",
                                  .streams = FF_STREAM_ANY,
                                  .joins = true,
                                  .needles = parts_needles,
                                  .max_lines = MOST_PIECES,
                                  .opens = parts_opens,
                                  .take = parts_take,
                                  .read = parts_read };

static bool numbers_opens(const ff_event *ev) { return ev->text.n > 0; }

static const char *const numbers_needles[] = { "\"MESSAGE\":[", "\"MESSAGE\" : [", "\"MESSAGE\": [", NULL };

const ff_block ff_block_numbers = { .name = "numbers",
                                    .streams = FF_STREAM_ANY,
                                    .joins = true,
                                    .needles = numbers_needles,
                                    .opens = numbers_opens,
                                    .read = parts_read };
