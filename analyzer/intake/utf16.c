/* UTF-16 text as a source of UTF-8: what PowerShell's ">" writes. Places in it count bytes of the UTF-8 text. */
#include "intake_private.h"

#include <string.h>

#define LOOK_UNITS 512u
#define REPLACEMENT 0xfffdu

struct ff_utf16 {
    ff_source source;
    ff_source *below;
    unsigned char *in; /* FF_WINDOW_BODY bytes */
    size_t at, n;
    bool big, below_ended;
    char left[4]; /* of a character that did not fit */
    size_t left_n;
};

static uint32_t unit_at(const unsigned char *p, bool big)
{
    return big ? (uint32_t)p[0] << 8 | p[1] : (uint32_t)p[1] << 8 | p[0];
}

/* A byte order mark alone would also fit some binaries: nearly all units of a log are printable ASCII. */
bool ff_is_utf16(ff_bytes head)
{
    const unsigned char *p = (const unsigned char *)head.p;
    if (head.n < 8 || !((p[0] == 0xff && p[1] == 0xfe) || (p[0] == 0xfe && p[1] == 0xff)))
        return false;
    bool big = p[0] == 0xfe;
    size_t units = head.n / 2 - 1, text = 0;
    units = units < LOOK_UNITS ? units : LOOK_UNITS;
    for (size_t i = 1; i <= units; i++) {
        uint32_t u = unit_at(p + 2 * i, big);
        text += (u >= 32 && u < 127) || u == '\n' || u == '\r' || u == '\t' || u == 27;
    }
    return text * 4 >= units * 3;
}

static bool next_unit(ff_utf16 *u, uint32_t *out)
{
    if (u->n - u->at < 2 && !u->below_ended) {
        size_t kept = u->n - u->at;
        memmove(u->in, u->in + u->at, kept);
        size_t got = ff_source_fill(u->below, (char *)u->in + kept, FF_WINDOW_BODY - kept);
        u->below_ended = got < FF_WINDOW_BODY - kept;
        u->at = 0;
        u->n = kept + got;
    }
    if (u->n - u->at < 2)
        return false;
    *out = unit_at(u->in + u->at, u->big);
    u->at += 2;
    return true;
}

/* Half a pair is one replacement, and what stands where the other half should be is read by itself. */
static bool next_char(ff_utf16 *u, uint32_t *out)
{
    uint32_t high, low;
    if (!next_unit(u, &high))
        return false;
    *out = high;
    if (high < 0xd800 || high > 0xdfff)
        return true;
    *out = REPLACEMENT;
    if (high > 0xdbff || !next_unit(u, &low))
        return true;
    if (low >= 0xdc00 && low <= 0xdfff)
        *out = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
    else
        u->at -= 2;
    return true;
}

static size_t put_utf8(char *to, uint32_t c)
{
    static const unsigned char lead[] = { 0, 0x00, 0xc0, 0xe0, 0xf0 };
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; c >>= 6)
        to[i] = (char)(0x80 | (c & 0x3f));
    to[0] = (char)(lead[n] | c);
    return n;
}

static int64_t utf16_read(ff_source *s, char *to, size_t n)
{
    ff_utf16 *u = (ff_utf16 *)s;
    size_t filled = 0;
    uint32_t c = 0;
    while (filled < n) {
        if (u->left_n == 0) {
            if (!next_char(u, &c))
                break;
            u->left_n = put_utf8(u->left, c);
        }
        size_t take = u->left_n < n - filled ? u->left_n : n - filled;
        memcpy(to + filled, u->left, take);
        memmove(u->left, u->left + take, u->left_n - take);
        u->left_n -= take;
        filled += take;
    }
    if (filled == 0 && u->below->problem.n) {
        u->source.problem = u->below->problem;
        return -1;
    }
    return (int64_t)filled;
}

ff_source *ff_utf16_open(ff_source *below, ff_bytes head)
{
    ff_utf16 *u = ff_alloc(sizeof *u);
    *u = (ff_utf16){ .source = { .read = utf16_read }, .below = below, .in = ff_alloc(FF_WINDOW_BODY) };
    memcpy(u->in, head.p, head.n);
    u->n = head.n;
    u->at = 2;
    u->big = (unsigned char)head.p[0] == 0xfe;
    return &u->source;
}

void ff_utf16_close(ff_source *s)
{
    ff_utf16 *u = (ff_utf16 *)s;
    ff_free(u->in);
    ff_free(u);
}
