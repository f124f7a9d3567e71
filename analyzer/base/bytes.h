/* Borrowed views of bytes, and the take_* cursor that all text parsing uses.
 * A take_* function moves its cursor only when the whole thing fits; on false nothing moved and nothing was set. */
#ifndef FF_BYTES_H
#define FF_BYTES_H

#include <string.h>

#include "base.h"

typedef struct ff_bytes {
    const char *p; /* borrowed, not terminated, may hold any byte; may be NULL when n == 0 */
    size_t n;
} ff_bytes;

#define FF_LIT(s) ((ff_bytes){ (s), sizeof(s) - 1 })

/* The smallest ones stand here, where the compiler can melt them into their callers: every line goes through them. */
/* View of a C string; NULL gives the empty view. */
static inline ff_bytes ff_str(const char *s) { return (ff_bytes){ s, s ? strlen(s) : 0 }; }
static inline bool ff_is_empty(ff_bytes b) { return b.n == 0; }
static inline bool ff_equal(ff_bytes a, ff_bytes b)
{
    return a.n == b.n && (a.n == 0 || b.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}
/* View without the first n bytes; n is cut to b.n. */
static inline ff_bytes ff_skip_n(ff_bytes b, size_t n)
{
    n = n < b.n ? n : b.n;
    return n ? (ff_bytes){ b.p + n, b.n - n } : b;
}
static inline ff_bytes ff_first_n(ff_bytes b, size_t n) { return (ff_bytes){ b.p, n < b.n ? n : b.n }; }
static inline bool ff_starts(ff_bytes b, ff_bytes prefix)
{
    return b.n >= prefix.n && (prefix.n == 0 || memcmp(b.p, prefix.p, prefix.n) == 0);
}

/* ASCII, whatever the locale says. */
static inline bool ff_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool ff_is_hex(char c) { return ff_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
static inline bool ff_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static inline bool ff_is_alnum(char c) { return ff_is_digit(c) || ff_is_letter(c); }
bool ff_is_digits(ff_bytes b); /* one or more, and nothing else */

bool ff_equal_nocase(ff_bytes a, ff_bytes b); /* ASCII only */
int ff_compare(ff_bytes a, ff_bytes b);       /* byte order; a prefix sorts first */
/* For qsort and bsearch: two numbers of that type. */
int ff_compare_u32(const void *a, const void *b);
int ff_compare_i32(const void *a, const void *b);
int ff_compare_i64(const void *a, const void *b);
bool ff_ends(ff_bytes b, ff_bytes suffix);
/* Offset of needle in hay, or hay.n + 1 (> hay.n) when absent. */
size_t ff_find(ff_bytes hay, ff_bytes needle);
bool ff_contains(ff_bytes hay, ff_bytes needle);
ff_bytes ff_after_last(ff_bytes b, char c); /* what stands behind the last c; all of it if there is none */
ff_bytes ff_base_name(ff_bytes path);       /* its last part, without slashes at its end; empty for "/" */
ff_bytes ff_trim(ff_bytes b);               /* blanks, tabs, \r, \n at both ends */
uint64_t ff_hash(ff_bytes b);               /* stable over runs and machines */

/* A number more into a hash or a digest. */
static inline uint64_t ff_mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

/* Takes the next line and moves past it. "\r\n" counts as one ending, a last line without "\n" is a line.
 * line: a view into in, without the ending. False: in was empty. */
bool ff_take_line(ff_bytes *in, ff_bytes *line);
static inline bool ff_take_lit(ff_bytes *in, ff_bytes lit)
{
    if (!ff_starts(*in, lit))
        return false;
    *in = ff_skip_n(*in, lit.n);
    return true;
}
static inline bool ff_take_char(ff_bytes *in, char c)
{
    if (in->n == 0 || in->p[0] != c)
        return false;
    *in = ff_skip_n(*in, 1);
    return true;
}
/* Zero or more blanks or tabs; always true. */
static inline bool ff_take_spaces(ff_bytes *in)
{
    while (in->n && (in->p[0] == ' ' || in->p[0] == '\t'))
        *in = ff_skip_n(*in, 1);
    return true;
}
/* Up to stop, and past it; false: no stop in in. */
static inline bool ff_take_until(ff_bytes *in, char stop, ff_bytes *out)
{
    const char *end = in->n ? (const char *)memchr(in->p, stop, in->n) : NULL;
    if (!end)
        return false;
    size_t n = (size_t)(end - in->p);
    *out = ff_first_n(*in, n);
    *in = ff_skip_n(*in, n + 1);
    return true;
}
bool ff_take_past(ff_bytes *in, ff_bytes key);  /* to behind the first key; false: it is not there, unmoved */
bool ff_take_word(ff_bytes *in, ff_bytes *out); /* one or more bytes that are not white space */
bool ff_take_name(ff_bytes *in, ff_bytes *out); /* one or more of [A-Za-z0-9_.-] */
bool ff_take_uint(ff_bytes *in, uint64_t *out); /* decimal; false on overflow or no digit */
bool ff_take_int(ff_bytes *in, int64_t *out);   /* decimal with optional '-' */
bool ff_take_hex(ff_bytes *in, uint64_t *out);  /* with or without 0x */
/* Exactly n decimal digits. */
static inline bool ff_take_digits(ff_bytes *in, unsigned n, int64_t *out)
{
    if (in->n < n || n == 0 || n > 18)
        return false;
    int64_t value = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned digit = (unsigned)(unsigned char)in->p[i] - '0';
        if (digit > 9)
            return false;
        value = value * 10 + (int64_t)digit;
    }
    *out = value;
    *in = ff_skip_n(*in, n);
    return true;
}
/* Digits "." digits, as nanoseconds; more than 9 fraction digits are cut; no fraction is allowed. */
bool ff_take_seconds(ff_bytes *in, int64_t *ns);
/* Optional "." or "," and digits, as nanoseconds (0 when absent); grain_ns: the weight of the last digit, 1 s when
 * absent. */
void ff_take_fraction(ff_bytes *in, int64_t *ns, int64_t *grain_ns);

#endif
