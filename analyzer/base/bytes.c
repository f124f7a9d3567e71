#include "bytes.h"

#include <string.h>

static bool is_blank(char c) { return c == ' ' || c == '\t'; }
static bool is_space(char c) { return is_blank(c) || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }
static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c; }

bool ff_is_digits(ff_bytes b)
{
    for (size_t i = 0; i < b.n; i++)
        if (!ff_is_digit(b.p[i]))
            return false;
    return b.n > 0;
}

int ff_compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

int ff_compare_i32(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

int ff_compare_i64(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

bool ff_equal_nocase(ff_bytes a, ff_bytes b)
{
    if (a.n != b.n)
        return false;
    for (size_t i = 0; i < a.n; i++)
        if (lower(a.p[i]) != lower(b.p[i]))
            return false;
    return true;
}

int ff_compare(ff_bytes a, ff_bytes b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int c = n ? memcmp(a.p, b.p, n) : 0;
    if (c)
        return c < 0 ? -1 : 1;
    return a.n == b.n ? 0 : a.n < b.n ? -1 : 1;
}

bool ff_ends(ff_bytes b, ff_bytes suffix)
{
    return b.n >= suffix.n && ff_equal(ff_skip_n(b, b.n - suffix.n), suffix);
}

/* How often a byte stands in logs, roughly. */
static unsigned commonness(char c)
{
    if (c >= 'a' && c <= 'z')
        return 2;
    return ff_is_digit(c) ? 3 : c == ' ' ? 4 : 1;
}

/* The search is for the rarest of the first bytes: blanks and digits stop it at every word. */
static size_t anchor_of(ff_bytes needle)
{
    size_t best = 0;
    for (size_t i = 1; i < needle.n && i < 8 && commonness(needle.p[best]) > 1; i++)
        if (commonness(needle.p[i]) < commonness(needle.p[best]))
            best = i;
    return best;
}

enum { PLACES = 64, RARE_TRIES = 4 };

/* May the needle begin at one of PLACES places? By two of its bytes; a shape that compilers turn into vector code. */
static bool any_chance(const char *a, char first, const char *z, char last)
{
    uint8_t any = 0;
    for (size_t i = 0; i < PLACES; i++)
        any |= (uint8_t)((a[i] == first) & (z[i] == last));
    return any;
}

/* Where the anchor is no rare byte after all (the quotes of JSON): by two bytes at once. */
static size_t find_by_two(ff_bytes hay, ff_bytes needle, size_t anchor, size_t from)
{
    size_t end = hay.n - needle.n + 1;
    const char *a = hay.p + anchor, *z = hay.p + needle.n - 1;
    char first = needle.p[anchor], last = needle.p[needle.n - 1];
    while (from < end) {
        size_t stop = end - from > PLACES ? from + PLACES : end;
        if (stop - from == PLACES && !any_chance(a + from, first, z + from, last))
            from = stop;
        for (; from < stop; from++)
            if (a[from] == first && z[from] == last && memcmp(hay.p + from, needle.p, needle.n) == 0)
                return from;
    }
    return hay.n + 1;
}

size_t ff_find(ff_bytes hay, ff_bytes needle)
{
    if (needle.n == 0)
        return 0;
    if (needle.n > hay.n)
        return hay.n + 1;
    size_t anchor = anchor_of(needle);
    const char *from = hay.p + anchor, *end = from + (hay.n - needle.n) + 1;
    for (unsigned i = 0; i < RARE_TRIES; i++) {
        from = from < end ? memchr(from, needle.p[anchor], (size_t)(end - from)) : NULL;
        if (!from)
            return hay.n + 1;
        if (memcmp(from - anchor, needle.p, needle.n) == 0)
            return (size_t)(from - hay.p) - anchor;
        from++;
    }
    return find_by_two(hay, needle, anchor, (size_t)(from - hay.p) - anchor);
}

bool ff_take_past(ff_bytes *in, ff_bytes key)
{
    size_t at = ff_find(*in, key);
    if (at > in->n)
        return false;
    *in = ff_skip_n(*in, at + key.n);
    return true;
}

bool ff_contains(ff_bytes hay, ff_bytes needle) { return ff_find(hay, needle) <= hay.n; }

ff_bytes ff_after_last(ff_bytes b, char c)
{
    size_t from = b.n;
    while (from > 0 && b.p[from - 1] != c)
        from--;
    return ff_skip_n(b, from);
}

ff_bytes ff_base_name(ff_bytes path)
{
    while (path.n > 1 && path.p[path.n - 1] == '/')
        path.n--;
    return ff_after_last(path, '/');
}

ff_bytes ff_trim(ff_bytes b)
{
    while (b.n && is_space(b.p[0]))
        b = ff_skip_n(b, 1);
    while (b.n && is_space(b.p[b.n - 1]))
        b.n--;
    return b;
}

uint64_t ff_hash(ff_bytes b)
{
    uint64_t h = UINT64_C(14695981039346656037); /* FNV-1a */
    for (size_t i = 0; i < b.n; i++)
        h = (h ^ (unsigned char)b.p[i]) * UINT64_C(1099511628211);
    return h ^ (h >> 29);
}

bool ff_take_line(ff_bytes *in, ff_bytes *line)
{
    if (in->n == 0)
        return false;
    const char *end = memchr(in->p, '\n', in->n);
    size_t n = end ? (size_t)(end - in->p) : in->n;
    *line = ff_first_n(*in, n);
    *in = ff_skip_n(*in, end ? n + 1 : n);
    if (line->n && line->p[line->n - 1] == '\r')
        line->n--;
    return true;
}

static bool take_while(ff_bytes *in, bool (*fits)(char), ff_bytes *out)
{
    size_t n = 0;
    while (n < in->n && fits(in->p[n]))
        n++;
    if (n == 0)
        return false;
    *out = ff_first_n(*in, n);
    *in = ff_skip_n(*in, n);
    return true;
}

static bool is_word_byte(char c) { return !is_space(c); }
/* [A-Za-z0-9_.-], one bit each. */
static bool is_name_byte(char c)
{
    static const uint64_t names[4] = { UINT64_C(0x03ff600000000000), UINT64_C(0x07fffffe87fffffe) };
    return names[(unsigned char)c >> 6] >> ((unsigned char)c & 63) & 1;
}

bool ff_take_word(ff_bytes *in, ff_bytes *out) { return take_while(in, is_word_byte, out); }
bool ff_take_name(ff_bytes *in, ff_bytes *out) { return take_while(in, is_name_byte, out); }

bool ff_take_uint(ff_bytes *in, uint64_t *out)
{
    enum { ALWAYS_FIT = 19 };
    const char *p = in->p;
    size_t i = 0, n = in->n;
    uint64_t value = 0;
    for (unsigned d; i < n && (d = (unsigned)(unsigned char)p[i] - '0') <= 9; i++) {
        if (i >= ALWAYS_FIT && value > (UINT64_MAX - d) / 10)
            return false;
        value = value * 10 + d;
    }
    if (i == 0)
        return false;
    *out = value;
    *in = (ff_bytes){ p + i, n - i };
    return true;
}

bool ff_take_int(ff_bytes *in, int64_t *out)
{
    ff_bytes rest = *in;
    bool minus = ff_take_char(&rest, '-');
    uint64_t value = 0;
    if (!ff_take_uint(&rest, &value) || value > (uint64_t)INT64_MAX)
        return false;
    *out = minus ? -(int64_t)value : (int64_t)value;
    *in = rest;
    return true;
}

/* One more than the digit is worth; 0: it is none. */
static const uint8_t hex_digit[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

bool ff_take_hex(ff_bytes *in, uint64_t *out)
{
    ff_bytes rest = *in;
    if (rest.n > 2 && rest.p[0] == '0' && lower(rest.p[1]) == 'x' && hex_digit[(unsigned char)rest.p[2]])
        rest = ff_skip_n(rest, 2);
    const char *p = rest.p;
    uint64_t value = 0;
    size_t i = 0, n = rest.n;
    for (unsigned digit; i < n && (digit = hex_digit[(unsigned char)p[i]]) != 0; i++) {
        if (value >> 60)
            return false;
        value = value << 4 | (digit - 1);
    }
    if (i == 0)
        return false;
    *out = value;
    *in = ff_skip_n(rest, i);
    return true;
}

/* Fraction digits behind the point as nanoseconds; the weight of the last one as grain. */
static void read_fraction(ff_bytes digits, int64_t *ns, int64_t *grain_ns)
{
    int64_t value = 0, weight = 1000000000;
    for (size_t i = 0; i < digits.n && weight > 1; i++) {
        weight /= 10;
        value += (digits.p[i] - '0') * weight;
    }
    *ns = value;
    *grain_ns = weight;
}

void ff_take_fraction(ff_bytes *in, int64_t *ns, int64_t *grain_ns)
{
    ff_bytes digits, rest = *in;
    *ns = 0;
    *grain_ns = 1000000000;
    if ((!ff_take_char(&rest, '.') && !ff_take_char(&rest, ',')) || !take_while(&rest, ff_is_digit, &digits))
        return;
    read_fraction(digits, ns, grain_ns);
    *in = rest;
}

bool ff_take_seconds(ff_bytes *in, int64_t *ns)
{
    ff_bytes rest = *in, digits;
    uint64_t whole = 0;
    if (!ff_take_uint(&rest, &whole) || whole > (uint64_t)INT64_MAX / 1000000000 - 1)
        return false;
    int64_t fraction = 0, grain = 0;
    ff_bytes dot = rest;
    if (ff_take_char(&dot, '.') && take_while(&dot, ff_is_digit, &digits)) {
        read_fraction(digits, &fraction, &grain);
        rest = dot;
    }
    *ns = (int64_t)whole * 1000000000 + fraction;
    *in = rest;
    return true;
}
