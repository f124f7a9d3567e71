#include "json.h"

#include <assert.h>
#include <string.h>

void ff_json_init(ff_json *j, ff_text *out) { *j = (ff_json){ .out = out }; }

static void new_line(ff_json *j)
{
    if (j->compact)
        return;
    ff_text_addc(j->out, '\n');
    ff_text_fill(j->out, ' ', j->depth);
}

static bool is_simple_byte(unsigned char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; }

/* Eight bytes at once. Doubt counts as no: the answer may only be wrong that way. */
static bool are_simple(uint64_t w)
{
    const uint64_t ones = UINT64_MAX / 255, top = ones << 7;
    uint64_t quote = w ^ (ones * '"'), slash = w ^ (ones * '\\'), last = w ^ (ones * 0x7F);
    return ((w | (w - ones * 0x20) | (quote - ones) | (slash - ones) | (last - ones)) & top) == 0;
}

/* Most strings are: nothing in them has to be written in another way. */
static bool is_simple(ff_bytes s)
{
    size_t i = 0;
    for (uint64_t w; s.n - i >= sizeof w; i += sizeof w) {
        memcpy(&w, s.p + i, sizeof w);
        for (size_t k = i; !are_simple(w) && k < i + sizeof w; k++)
            if (!is_simple_byte((unsigned char)s.p[k]))
                return false;
    }
    for (; i < s.n; i++)
        if (!is_simple_byte((unsigned char)s.p[i]))
            return false;
    return true;
}

static void add_string(ff_json *j, ff_bytes s)
{
    if (is_simple(s)) {
        ff_text_addc(j->out, '"');
        ff_text_add(j->out, s);
        ff_text_addc(j->out, '"');
        return;
    }
    ff_text clean;
    ff_text_init(&clean, 0);
    ff_text_add_clean(&clean, s);
    ff_text_addc(j->out, '"');
    size_t from = 0;
    for (size_t i = 0; i < clean.n; i++) {
        char c = clean.p[i];
        if (c != '"' && c != '\\' && c != '\t')
            continue;
        ff_text_add(j->out, (ff_bytes){ clean.p + from, i - from });
        ff_text_addc(j->out, '\\');
        ff_text_addc(j->out, c == '\t' ? 't' : c);
        from = i + 1;
    }
    ff_text_add(j->out, (ff_bytes){ clean.p + from, clean.n - from });
    ff_text_addc(j->out, '"');
    ff_text_done(&clean);
}

void ff_json_key(ff_json *j, ff_bytes key)
{
    uint64_t bit = UINT64_C(1) << j->depth;
    if (j->has_item & bit)
        ff_text_addc(j->out, ',');
    j->has_item |= bit;
    if (j->depth)
        new_line(j);
    add_string(j, key);
    ff_text_adds(j->out, j->compact ? ":" : ": ");
    j->after_key = true;
}

/* What stands in front of a value: its key, or the comma between array items. */
static void lead(ff_json *j, const char *key)
{
    if (key)
        ff_json_key(j, ff_str(key));
    if (j->after_key) {
        j->after_key = false;
        return;
    }
    uint64_t bit = UINT64_C(1) << j->depth;
    if (j->has_item & bit)
        ff_text_addc(j->out, ',');
    j->has_item |= bit;
    if (j->depth)
        new_line(j);
}

void ff_json_open(ff_json *j, const char *key, char bracket)
{
    lead(j, key);
    ff_text_addc(j->out, bracket);
    j->depth++;
    assert(j->depth < 64);
    j->has_item &= ~(UINT64_C(1) << j->depth);
}

void ff_json_close(ff_json *j, char bracket)
{
    assert(j->depth > 0);
    bool had = (j->has_item & UINT64_C(1) << j->depth) != 0;
    j->depth--;
    if (had)
        new_line(j);
    ff_text_addc(j->out, bracket);
}

void ff_json_bytes(ff_json *j, const char *key, ff_bytes value)
{
    lead(j, key);
    add_string(j, value);
}

void ff_json_str(ff_json *j, const char *key, const char *value)
{
    if (value)
        ff_json_bytes(j, key, ff_str(value));
    else
        ff_json_null(j, key);
}

void ff_json_int(ff_json *j, const char *key, int64_t value)
{
    lead(j, key);
    ff_text_add_int(j->out, value);
}

void ff_json_big(ff_json *j, const char *key, int64_t value)
{
    lead(j, key);
    ff_text_addc(j->out, '"');
    ff_text_add_int(j->out, value);
    ff_text_addc(j->out, '"');
}

void ff_json_bool(ff_json *j, const char *key, bool value)
{
    lead(j, key);
    ff_text_adds(j->out, value ? "true" : "false");
}

void ff_json_null(ff_json *j, const char *key)
{
    lead(j, key);
    ff_text_adds(j->out, "null");
}

void ff_json_utc(ff_json *j, const char *key, bool known, int64_t ns)
{
    if (!known) {
        ff_json_null(j, key);
        return;
    }
    lead(j, key);
    ff_text_addc(j->out, '"');
    ff_text_add_utc(j->out, ns);
    ff_text_addc(j->out, '"');
}
