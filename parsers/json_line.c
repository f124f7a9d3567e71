/* One-line JSON objects, key by key, without a tree: journal and docker write one for each log line. */
#include "lines.h"

#define HEX_DIGITS "0123456789abcdef"

static void skip_space(ff_bytes *in)
{
    while (in->n && (in->p[0] == ' ' || in->p[0] == '\t' || in->p[0] == '\r' || in->p[0] == '\n'))
        *in = ff_skip_n(*in, 1);
}

static bool take_string(ff_bytes *in, ff_bytes *quoted)
{
    if (in->n == 0 || in->p[0] != '"')
        return false;
    for (size_t i = 1; i < in->n; i++) {
        if (in->p[i] == '\\') {
            i++;
        } else if (in->p[i] == '"') {
            *quoted = ff_first_n(*in, i + 1);
            *in = ff_skip_n(*in, i + 1);
            return true;
        }
    }
    return false;
}

/* An array or object: to the bracket that closes it, strings passed over. */
static bool take_nested(ff_bytes *in, ff_bytes *value)
{
    int64_t depth = 0;
    ff_bytes rest = *in, skipped;
    while (rest.n) {
        if (rest.p[0] == '"') {
            if (!take_string(&rest, &skipped))
                return false;
            continue;
        }
        char c = rest.p[0];
        rest = ff_skip_n(rest, 1);
        depth += (c == '[' || c == '{') - (c == ']' || c == '}');
        if (depth == 0) {
            *value = ff_first_n(*in, in->n - rest.n);
            *in = rest;
            return true;
        }
    }
    return false;
}

static bool take_bare(ff_bytes *in, ff_bytes *value)
{
    size_t n = 0;
    while (n < in->n && in->p[n] != ',' && in->p[n] != '}' && in->p[n] != ' ' && in->p[n] != '\n')
        n++;
    if (n == 0)
        return false;
    *value = ff_first_n(*in, n);
    *in = ff_skip_n(*in, n);
    return true;
}

static bool take_value(ff_bytes *in, ff_bytes *value)
{
    if (in->n == 0)
        return false;
    if (in->p[0] == '"')
        return take_string(in, value);
    return in->p[0] == '[' || in->p[0] == '{' ? take_nested(in, value) : take_bare(in, value);
}

bool ff_take_json_pair(ff_bytes *in, ff_bytes *key, ff_bytes *value)
{
    ff_bytes rest = *in, quoted, found;
    skip_space(&rest);
    ff_take_char(&rest, ',');
    skip_space(&rest);
    if (!take_string(&rest, &quoted))
        return false;
    skip_space(&rest);
    if (!ff_take_char(&rest, ':'))
        return false;
    skip_space(&rest);
    if (!take_value(&rest, &found))
        return false;
    *key = (ff_bytes){ quoted.p + 1, quoted.n - 2 };
    *value = found;
    *in = rest;
    return true;
}

static size_t put_utf8(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3f));
        out[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3f));
    out[2] = (char)(0x80 | (c >> 6 & 0x3f));
    out[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

static int digit_of(char c)
{
    for (int i = 0; i < 16; i++)
        if (HEX_DIGITS[i] == c || (c >= 'A' && c <= 'F' && HEX_DIGITS[i] == c - 'A' + 'a'))
            return i;
    return -1;
}

static bool take_hex_digits(ff_bytes *in, unsigned n, uint32_t *out)
{
    uint32_t value = 0;
    if (in->n < n)
        return false;
    for (unsigned i = 0; i < n; i++) {
        int digit = digit_of(in->p[i]);
        if (digit < 0)
            return false;
        value = value << 4 | (uint32_t)digit;
    }
    *out = value;
    *in = ff_skip_n(*in, n);
    return true;
}

/* \uD83D\uDE00 is one character in two escapes; half of one becomes U+FFFD. */
static bool take_code_point(ff_bytes *in, uint32_t *out)
{
    uint32_t low = 0;
    ff_bytes rest = *in;
    if (!take_hex_digits(&rest, 4, out))
        return false;
    if (*out >= 0xd800 && *out < 0xdc00 && ff_take_lit(&rest, FF_LIT("\\u")) && take_hex_digits(&rest, 4, &low) &&
        low >= 0xdc00 && low < 0xe000)
        *out = 0x10000 + ((*out - 0xd800) << 10) + (low - 0xdc00);
    else if (*out >= 0xd800 && *out < 0xe000)
        *out = 0xfffd;
    *in = rest;
    return true;
}

static size_t put_escape(ff_bytes *in, char *out)
{
    static const char from[] = "nrtbfav0", to[] = "\n\r\t\b\f\a\v";
    uint32_t code = 0;
    char c = in->p[0];
    *in = ff_skip_n(*in, 1);
    if (c == 'u' && take_code_point(in, &code))
        return put_utf8(out, code);
    if (c == 'x' && take_hex_digits(in, 2, &code)) { /* Go and C print single bytes so */
        out[0] = (char)code;
        return 1;
    }
    for (size_t i = 0; from[i]; i++)
        if (c == from[i]) {
            out[0] = to[i];
            return 1;
        }
    out[0] = c;
    return 1;
}

bool ff_json_unescape(ff_arena *scratch, ff_bytes quoted, ff_bytes *out)
{
    if (quoted.n < 2 || quoted.p[0] != '"' || quoted.p[quoted.n - 1] != '"')
        return false;
    ff_bytes rest = { quoted.p + 1, quoted.n - 2 };
    if (!ff_contains(rest, FF_LIT("\\")) || !scratch) {
        *out = rest;
        return true;
    }
    char *text = FF_NEW_N(scratch, char, rest.n + 4); /* no escape is shorter than what it stands for */
    size_t n = 0;
    while (rest.n) {
        if (rest.p[0] == '\\' && rest.n > 1) {
            rest = ff_skip_n(rest, 1);
            n += put_escape(&rest, text + n);
        } else {
            text[n++] = rest.p[0];
            rest = ff_skip_n(rest, 1);
        }
    }
    *out = (ff_bytes){ text, n };
    return true;
}

static ff_bytes bytes_of_numbers(ff_arena *scratch, ff_bytes list)
{
    char *text = FF_NEW_N(scratch, char, list.n);
    size_t n = 0;
    uint64_t value = 0;
    while (list.n) {
        if (ff_take_uint(&list, &value))
            text[n++] = (char)(unsigned char)value;
        else
            list = ff_skip_n(list, 1);
    }
    return (ff_bytes){ text, n };
}

ff_bytes ff_json_plain(ff_arena *scratch, ff_bytes value)
{
    ff_bytes out = value;
    if (ff_json_unescape(scratch, value, &out))
        return out;
    if (!ff_take_char(&value, '['))
        return ff_equal(out, FF_LIT("null")) ? (ff_bytes){ 0 } : out;
    skip_space(&value);
    if (value.n && value.p[0] == '"') {
        ff_bytes first;
        return take_string(&value, &first) && ff_json_unescape(scratch, first, &out) ? out : (ff_bytes){ 0 };
    }
    return scratch ? bytes_of_numbers(scratch, value) : value;
}
