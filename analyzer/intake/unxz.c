/* xz as a source: all streams behind each other, and what came out before a damage. Its blocks, where it was packed
 * in several, are unpacked by several threads. */
#include "intake_private.h"

#include <lzma.h>
#include <string.h>

#define PAGE 4096u
#define MOST_DICTIONARY ((uint64_t)256 << 20) /* xz -9 wants 65 MiB; a header may ask for 4 GiB */
#define FOR_THREADS ((uint64_t)128 << 20)     /* blocks are held whole, 24 MiB each as xz -T makes them by default */
#define MOST_THREADS 8u

struct ff_xz {
    ff_source source;
    ff_source *below;
    char *in; /* FF_WINDOW_BODY bytes */
    bool ended, below_ended;
    lzma_stream state;
};

bool ff_is_xz(ff_bytes head)
{
    static const char magic[] = { '\xfd', '7', 'z', 'X', 'Z', '\0' };
    return head.n >= sizeof magic && memcmp(head.p, magic, sizeof magic) == 0;
}

static void refill(ff_xz *z)
{
    if (z->state.avail_in || z->below_ended)
        return;
    size_t n = ff_source_fill(z->below, z->in, FF_WINDOW_BODY);
    z->below_ended = n < FF_WINDOW_BODY;
    z->state.next_in = (uint8_t *)z->in;
    z->state.avail_in = n;
}

static const char *why_broken(const ff_xz *z, lzma_ret status)
{
    switch (status) {
    case LZMA_BUF_ERROR: /* all of the input is taken and its end has not come */
        return z->below->problem.n ? "cut by a damage around it" : "truncated xz input";
    case LZMA_MEMLIMIT_ERROR:
        return "xz data that wants too large a dictionary";
    case LZMA_MEM_ERROR:
        return "no memory to unpack xz data";
    default:
        return "damaged xz data";
    }
}

static int64_t xz_read(ff_source *s, char *to, size_t n)
{
    ff_xz *z = (ff_xz *)s;
    z->state.next_out = (uint8_t *)to;
    z->state.avail_out = n;
    while (!z->ended && z->state.avail_out == n) {
        refill(z);
        lzma_ret status = lzma_code(&z->state, z->below_ended ? LZMA_FINISH : LZMA_RUN);
        z->ended = status != LZMA_OK;
        if (z->ended && status != LZMA_STREAM_END)
            s->problem = ff_str(why_broken(z, status));
    }
    int64_t got = (int64_t)(n - z->state.avail_out);
    return got == 0 && s->problem.n ? -1 : got;
}

static lzma_ret begin(lzma_stream *state, unsigned threads)
{
    if (threads <= 1)
        return lzma_stream_decoder(state, MOST_DICTIONARY, LZMA_CONCATENATED);
    lzma_mt way = { .flags = LZMA_CONCATENATED,
                    .threads = threads < MOST_THREADS ? threads : MOST_THREADS,
                    .memlimit_threading = FOR_THREADS,
                    .memlimit_stop = MOST_DICTIONARY };
    return lzma_stream_decoder_mt(state, &way);
}

ff_source *ff_xz_open(ff_source *below, ff_bytes head, unsigned threads)
{
    ff_xz *z = ff_alloc(sizeof *z);
    *z = (ff_xz){ .source.read = xz_read, .below = below, .state = LZMA_STREAM_INIT };
    z->in = ff_alloc_aligned(PAGE, FF_WINDOW_BODY);
    memcpy(z->in, head.p, head.n);
    lzma_ret status = begin(&z->state, threads);
    z->ended = status != LZMA_OK;
    z->source.problem = z->ended ? ff_str(why_broken(z, status)) : z->source.problem;
    z->state.next_in = (uint8_t *)z->in;
    z->state.avail_in = head.n;
    return &z->source;
}

void ff_xz_close(ff_source *s)
{
    ff_xz *z = (ff_xz *)s;
    lzma_end(&z->state);
    ff_free(z->in);
    ff_free(z);
}
