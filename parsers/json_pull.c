/* The less frequent parts of the pull parser for JSON. */
#include "json_pull.h"

#include "lines.h"

void ff_json_pull_open(ff_json_pull *c, ff_bytes source, ff_arena *arena)
{
    *c = (ff_json_pull){ .from = source.p, .p = source.p, .end = source.p, .arena = arena };
    if (source.n)
        c->end += source.n;
    if (source.n >= 3 && memcmp(c->p, "\xef\xbb\xbf", 3) == 0)
        c->p += 3;
}

void ff_json_pull_fail(ff_json_pull *c, const char *why, const char *at)
{
    if (!c->problem) {
        c->problem = why;
        c->problem_at = (size_t)(at - c->from);
    }
    c->p = c->end;
}

/* ---- texts ---- */

/* The closing quote of the text at p; NULL: it is not there. */
static const char *closing_quote(const ff_json_pull *c, const char *p, bool *escaped)
{
    *escaped = false;
    for (p++; p < c->end; p++) {
        if (*p == '"')
            return p;
        if (*p != '\\')
            continue;
        *escaped = true;
        p++;
    }
    return NULL;
}

static uint32_t slot_for(const char *p, size_t n)
{
    uint64_t one = 0, two = 0;
    size_t some = n < 8 ? n : 8;
    memcpy(&one, p, some);
    memcpy(&two, p + n - some, some);
    one = (one ^ two * UINT64_C(0x9e3779b97f4a7c15) ^ n) * UINT64_C(0xff51afd7ed558ccd);
    return (uint32_t)(one >> 40) % FF_JSON_SEEN;
}

/* The slot of a text, taken over from another one if need be. */
static uint32_t see(ff_json_pull *c, const char *p, size_t n)
{
    uint32_t slot = slot_for(p, n);
    ff_json_seen *s = &c->seen[slot];
    if (s->n != n || memcmp(s->p, p, n) != 0)
        *s = (ff_json_seen){ .p = p, .n = (uint32_t)n };
    c->seen[c->last].next = slot;
    c->last = slot;
    return slot;
}

bool ff_json_pull_known_far(ff_json_pull *c, uint32_t role, uint32_t mask, uint32_t *made)
{
    bool escaped;
    const char *end = closing_quote(c, c->p, &escaped);
    if (!end)
        return false;
    size_t n = (size_t)(end - c->p) + 1;
    uint32_t slot = slot_for(c->p, n);
    const ff_json_seen *s = &c->seen[slot];
    if (s->n != n || (s->made & ~mask) != role || memcmp(s->p, c->p, n) != 0)
        return false;
    *made = s->made;
    c->p += n;
    c->seen[c->last].next = slot;
    c->last = slot;
    return true;
}

bool ff_json_pull_text(ff_json_pull *c, ff_bytes *out, uint32_t *slot)
{
    bool escaped;
    *slot = FF_NONE;
    if (ff_json_pull_peek(c) != '"')
        return false;
    const char *from = c->p, *end = closing_quote(c, from, &escaped);
    if (!end) {
        ff_json_pull_fail(c, "the document ends inside a string", from);
        return false;
    }
    *out = (ff_bytes){ from + 1, (size_t)(end - from) - 1 };
    if (escaped)
        (void)ff_json_unescape(c->arena, (ff_bytes){ from, (size_t)(end - from) + 1 }, out);
    *slot = see(c, from, (size_t)(end - from) + 1);
    c->p = end + 1;
    return true;
}

/* ---- numbers and words ---- */

static ff_bytes number_text(ff_json_pull *c)
{
    const char *p = c->p;
    while (p < c->end && ((*p >= '0' && *p <= '9') || *p == '-' || *p == '+' || *p == '.' || *p == 'e' || *p == 'E'))
        p++;
    return (ff_bytes){ c->p, (size_t)(p - c->p) };
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* What is no plain number: 1.0, a number too wide, true, False, null, NaN. */
bool ff_json_pull_word(ff_json_pull *c, int64_t *out)
{
    char first = ff_json_pull_peek(c);
    if ((first >= '0' && first <= '9') || first == '-') {
        ff_bytes text = number_text(c);
        double value = ff_json_float(text);
        c->p += text.n;
        if (c->p == c->end) { /* more digits may be lost */
            ff_json_pull_fail(c, "the document ends before its last bracket", c->p);
            return false;
        }
        if (value > -9e18 && value < 9e18)
            *out = (int64_t)value;
        return text.n > 0;
    }
    if (!is_letter(first))
        return false;
    if (first == 't' || first == 'T' || first == 'f' || first == 'F')
        *out = first == 't' || first == 'T';
    while (c->p < c->end && is_letter(*c->p))
        c->p++;
    return true;
}

bool ff_json_pull_number(ff_json_pull *c, double *out)
{
    char first = ff_json_pull_peek(c);
    int64_t whole = -1;
    if ((first >= '0' && first <= '9') || first == '-') {
        ff_bytes text = number_text(c);
        *out = ff_json_float(text);
        c->p += text.n;
        return true;
    }
    return ff_json_pull_word(c, &whole);
}

/* ---- containers ---- */

bool ff_json_pull_over(ff_json_pull *c, ff_json_items *items)
{
    char first = ff_json_pull_peek(c);
    if (!first)
        ff_json_pull_fail(c, "the document ends before its last bracket", c->p);
    else if (first != items->closer)
        ff_json_pull_fail(c, "a bracket that closes nothing", c->p);
    else
        c->p++;
    return false;
}

bool ff_json_pull_pair(ff_json_pull *c, ff_bytes *one, ff_bytes *two)
{
    ff_json_items items;
    ff_bytes texts[2] = { { 0 }, { 0 } };
    uint32_t slot;
    if (!ff_json_pull_list(c, &items))
        return false;
    for (int i = 0; ff_json_pull_next(c, &items); i++)
        if (i > 1 || !ff_json_pull_text(c, &texts[i], &slot))
            ff_json_pull_skip(c);
    *one = texts[0];
    *two = texts[1];
    return true;
}

static void skip_container(ff_json_pull *c)
{
    const char *from = c->p;
    size_t depth = 0;
    bool escaped;
    for (; c->p < c->end; c->p++) {
        if (*c->p == '"') {
            const char *end = closing_quote(c, c->p, &escaped);
            if (!end)
                break;
            c->p = end;
        } else if (*c->p == '{' || *c->p == '[') {
            depth++;
        } else if ((*c->p == '}' || *c->p == ']') && --depth == 0) {
            c->p++;
            return;
        }
    }
    ff_json_pull_fail(c, "the document ends before its last bracket", from);
}

void ff_json_pull_skip(ff_json_pull *c)
{
    int64_t number;
    ff_bytes text;
    uint32_t slot;
    char first = ff_json_pull_peek(c);
    if (first == '{' || first == '[')
        skip_container(c);
    else if (!c->problem && !ff_json_pull_text(c, &text, &slot) && !ff_json_pull_int(c, &number))
        ff_json_pull_fail(c, first ? "text that is not JSON" : "the document ends before its last bracket", c->p);
}
