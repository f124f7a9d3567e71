/* Buffers, and the little that every source of bytes shares. */
#include "intake_private.h"

#include <string.h>

/* Reading into memory that begins a few bytes behind a page start costs up to four times as much, hence whole pages.
 */
#define PAGE 4096u

ff_buffer *ff_buffer_open(void)
{
    ff_buffer *b = ff_alloc(sizeof *b);
    *b = (ff_buffer){ .base = ff_alloc_aligned(PAGE, FF_WINDOW_HEAD + FF_WINDOW_BODY) };
    b->bytes = b->base + FF_WINDOW_HEAD;
    return b;
}

void ff_buffer_close(ff_buffer *b)
{
    if (!b)
        return;
    ff_free(b->base);
    ff_free(b);
}

size_t ff_source_fill(ff_source *s, char *to, size_t n)
{
    size_t have = 0;
    while (have < n) {
        int64_t got = s->read(s, to + have, n - have);
        if (got <= 0)
            break;
        have += (size_t)got;
    }
    return have;
}

size_t ff_count_newlines(const char *p, size_t n)
{
    /* Counting in bytes, at most 255 rounds at a time, is a shape that compilers turn into vector code. */
    enum { LANES = 32 };
    size_t total = 0;
    while (n >= LANES) {
        uint8_t lane[LANES] = { 0 };
        size_t rounds = n / LANES > 255 ? 255 : n / LANES;
        for (size_t r = 0; r < rounds; r++, p += LANES)
            for (size_t i = 0; i < LANES; i++)
                lane[i] = (uint8_t)(lane[i] + (p[i] == '\n'));
        for (size_t i = 0; i < LANES; i++)
            total += lane[i];
        n -= rounds * LANES;
    }
    for (; n; n--, p++)
        total += *p == '\n';
    return total;
}

size_t ff_line_start(ff_bytes run, size_t at)
{
    enum { LANES = 32 };
    for (; at >= LANES; at -= LANES) {
        uint8_t any = 0;
        for (size_t i = 0; i < LANES; i++)
            any |= (uint8_t)(run.p[at - LANES + i] == '\n');
        if (any)
            break;
    }
    while (at > 0 && run.p[at - 1] != '\n')
        at--;
    return at;
}
