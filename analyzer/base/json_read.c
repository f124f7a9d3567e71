/* JSON in, without recursion: the containers that are open stand on a small stack, the children that wait for their
 * container in one vector. Strings without escapes stay views of the source. Broken text costs only its own piece:
 * what cannot be a value is passed over up to the next structural byte, and what is open at the end is closed there.
 */
#include "node.h"

#include <math.h>
#include <string.h>

typedef struct level {
    uint32_t node, base; /* base: where the children of node begin in reader.kids */
    bool map, has_key;   /* has_key: a key waits for its value */
} level;

typedef struct reader {
    ff_tree *t;
    const char *begin, *p, *end;
    level levels[FF_CAP_NESTING];
    unsigned depth;
    bool stop; /* a cap was reached: close and leave */
    FF_VEC(uint32_t) kids;
} reader;

static size_t place(const reader *r, const char *p) { return (size_t)(p - r->begin); }

static void push(reader *r, uint32_t node)
{
    if (node == FF_NONE) {
        r->stop = true;
        return;
    }
    if (!r->depth)
        return;
    FF_PUSH(&r->kids, node);
    r->levels[r->depth - 1].has_key = false;
}

static void close_top(reader *r)
{
    level *top = &r->levels[--r->depth];
    uint32_t n = r->kids.n - top->base;
    ff_tree_own(r->t, top->node, r->kids.at ? r->kids.at + top->base : NULL, n);
    r->kids.n = top->base;
}

/* ---- strings ---- */

static unsigned hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    unsigned lower = (unsigned char)c | 0x20u;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 16;
}

static bool take_hex4(const char **p, const char *end, uint32_t *out)
{
    uint32_t value = 0;
    if (end - *p < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        unsigned d = hex_digit((*p)[i]);
        if (d > 15)
            return false;
        value = value * 16 + d;
    }
    *p += 4;
    *out = value;
    return true;
}

static char *put_utf8(char *out, uint32_t c)
{
    if (c < 0x80) {
        *out++ = (char)c;
    } else if (c < 0x800) {
        *out++ = (char)(0xc0 | (c >> 6));
        *out++ = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *out++ = (char)(0xe0 | (c >> 12));
        *out++ = (char)(0x80 | ((c >> 6) & 0x3f));
        *out++ = (char)(0x80 | (c & 0x3f));
    } else {
        *out++ = (char)(0xf0 | (c >> 18));
        *out++ = (char)(0x80 | ((c >> 12) & 0x3f));
        *out++ = (char)(0x80 | ((c >> 6) & 0x3f));
        *out++ = (char)(0x80 | (c & 0x3f));
    }
    return out;
}

/* Behind "\u": four digits, or two such escapes that make one character. A half of a pair becomes U+FFFD. */
static char *unescape_unicode(const char **p, const char *end, char *out)
{
    uint32_t c = 0, low = 0;
    if (!take_hex4(p, end, &c)) {
        *out++ = '\\';
        *out++ = 'u';
        return out;
    }
    if (c >= 0xd800 && c < 0xdc00) {
        const char *next = *p;
        if (end - next >= 6 && next[0] == '\\' && next[1] == 'u') {
            next += 2;
            if (take_hex4(&next, end, &low) && low >= 0xdc00 && low < 0xe000) {
                *p = next;
                return put_utf8(out, 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00));
            }
        }
        c = 0xfffd;
    } else if (c >= 0xdc00 && c < 0xe000) {
        c = 0xfffd;
    }
    return put_utf8(out, c);
}

/* raw holds at least one backslash. No escape is longer decoded than written, so raw.n bytes suffice. */
static ff_bytes unescape(ff_arena *arena, ff_bytes raw)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char *text = ff_arena_take(arena, raw.n + 1), *out = text;
    const char *p = raw.p, *end = raw.p + raw.n;
    while (p < end) {
        if (*p != '\\' || p + 1 == end) {
            *out++ = *p++;
            continue;
        }
        char c = p[1];
        p += 2;
        const char *known = c ? strchr(from, c) : NULL;
        if (known) {
            *out++ = to[known - from];
        } else if (c == 'u') {
            out = unescape_unicode(&p, end, out);
        } else {
            *out++ = '\\';
            *out++ = c;
        }
    }
    return (ff_bytes){ text, (size_t)(out - text) };
}

static uint32_t read_string(reader *r)
{
    const char *from = r->p + 1, *p = from;
    bool escaped = false;
    while (p < r->end && *p != '"') {
        if (*p == '\\') {
            escaped = true;
            p += p + 1 < r->end;
        }
        p++;
    }
    if (p == r->end)
        ff_tree_break(r->t, "the document ends inside a string", place(r, r->p));
    ff_bytes raw = { from, (size_t)(p - from) };
    uint32_t node = ff_tree_add(r->t, FF_NODE_TEXT, place(r, r->p));
    r->p = p < r->end ? p + 1 : p;
    if (node != FF_NONE)
        r->t->nodes[node].v.s = escaped ? unescape(&r->t->text, raw) : raw;
    return node;
}

/* ---- numbers and words ---- */

static bool is_number_byte(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

static double scale(double value, int exponent)
{
    static const double ten[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    bool down = exponent < 0;
    unsigned left = (unsigned)(down ? -exponent : exponent);
    for (left = left > 700 ? 700 : left; left; left -= left > 22 ? 22 : left)
        value = down ? value / ten[left > 22 ? 22 : left] : value * ten[left > 22 ? 22 : left];
    return value;
}

/* What stands in s has the bytes of a number; a shape that is none reads as far as it goes. */
double ff_json_float(ff_bytes s)
{
    bool negative = ff_take_char(&s, '-');
    uint64_t digits = 0;
    int exponent = 0;
    bool fraction = false;
    for (; s.n; s = ff_skip_n(s, 1)) {
        if (*s.p == '.') {
            fraction = true;
        } else if (*s.p < '0' || *s.p > '9') {
            break;
        } else if (digits < UINT64_MAX / 10 - 9) {
            digits = digits * 10 + (uint64_t)(*s.p - '0');
            exponent -= fraction && exponent > -10000;
        } else {
            exponent += !fraction && exponent < 10000;
        }
    }
    int64_t written = 0;
    if (s.n && (*s.p == 'e' || *s.p == 'E')) {
        s = ff_skip_n(s, 1);
        (void)ff_take_char(&s, '+');
        if (!ff_take_int(&s, &written))
            written = 0;
        written = written > 10000 ? 10000 : written < -10000 ? -10000 : written;
    }
    double value = scale((double)digits, exponent + (int)written);
    return negative ? -value : value;
}

static uint32_t read_number(reader *r)
{
    const char *from = r->p, *p = from;
    bool negative = *p == '-', whole = true;
    if (*p == '-' || *p == '+')
        p++;
    uint64_t digits = 0;
    const char *first = p;
    while (p < r->end && *p >= '0' && *p <= '9')
        digits = digits * 10 + (uint64_t)(*p++ - '0');
    size_t n_digits = (size_t)(p - first);
    while (p < r->end && is_number_byte(*p)) {
        whole = false;
        p++;
    }
    ff_bytes text = { from, (size_t)(p - from) };
    r->p = p;
    ff_node_kind kind = whole && n_digits ? FF_NODE_INT : FF_NODE_FLOAT;
    if (kind == FF_NODE_INT && (n_digits > 19 || digits > (uint64_t)INT64_MAX + negative))
        kind = FF_NODE_TEXT; /* hashes and addresses beyond int64: no digit may be lost */
    uint32_t node = ff_tree_add(r->t, kind, place(r, from));
    if (node == FF_NONE)
        return node;
    ff_node *n = &r->t->nodes[node];
    if (kind == FF_NODE_INT)
        n->v.i = negative ? (int64_t)(0 - digits) : (int64_t)digits;
    else if (kind == FF_NODE_FLOAT)
        n->v.f = ff_json_float(text);
    else
        n->v.s = text;
    return node;
}

static bool take_word(reader *r, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(r->end - r->p) < n || memcmp(r->p, word, n) != 0)
        return false;
    const char *behind = r->p + n;
    if (behind < r->end && (hex_digit(*behind) < 16 || (*behind >= 'g' && *behind <= 'z')))
        return false;
    r->p = behind;
    return true;
}

/* true, false, null; Python's spelling of them; and the numbers that JSON has no word for. */
static uint32_t read_word(reader *r)
{
    static const struct {
        const char *word;
        ff_node_kind kind;
        int value; /* BOOL: 0 or 1; FLOAT: sign of infinity, 0 = not a number */
    } words[] = { { "true", FF_NODE_BOOL, 1 },      { "false", FF_NODE_BOOL, 0 },       { "null", FF_NODE_NULL, 0 },
                  { "NaN", FF_NODE_FLOAT, 0 },      { "nan", FF_NODE_FLOAT, 0 },        { "-nan", FF_NODE_FLOAT, 0 },
                  { "Infinity", FF_NODE_FLOAT, 1 }, { "-Infinity", FF_NODE_FLOAT, -1 }, { "inf", FF_NODE_FLOAT, 1 },
                  { "-inf", FF_NODE_FLOAT, -1 },    { "True", FF_NODE_BOOL, 1 },        { "False", FF_NODE_BOOL, 0 },
                  { "None", FF_NODE_NULL, 0 } };
    const char *from = r->p;
    for (size_t i = 0; i < FF_COUNT(words); i++) {
        if (!take_word(r, words[i].word))
            continue;
        uint32_t node = ff_tree_add(r->t, words[i].kind, place(r, from));
        if (node != FF_NONE && words[i].kind == FF_NODE_BOOL)
            r->t->nodes[node].v.i = words[i].value;
        else if (node != FF_NONE && words[i].kind == FF_NODE_FLOAT)
            r->t->nodes[node].v.f = words[i].value ? words[i].value * (double)INFINITY : (double)NAN;
        return node;
    }
    return FF_NONE;
}

/* ---- structure ---- */

static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/* Passes over one container that lies too deep, strings respected. */
static void pass_container(reader *r)
{
    size_t depth = 0;
    for (; r->p < r->end; r->p++) {
        char c = *r->p;
        if (c == '"') {
            for (r->p++; r->p < r->end && *r->p != '"'; r->p++)
                r->p += *r->p == '\\' && r->p + 1 < r->end;
            if (r->p == r->end)
                break;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            r->p++;
            return;
        }
    }
    r->p = r->end;
}

static void open_container(reader *r)
{
    if (r->depth == FF_CAP_NESTING) {
        ff_tree_break(r->t, "values nested deeper than the cap allows", place(r, r->p));
        push(r, ff_tree_add(r->t, FF_NODE_NULL, place(r, r->p)));
        pass_container(r);
        return;
    }
    bool map = *r->p == '{';
    uint32_t node = ff_tree_add(r->t, map ? FF_NODE_MAP : FF_NODE_LIST, place(r, r->p));
    push(r, node);
    if (node == FF_NONE)
        return;
    r->levels[r->depth++] = (level){ .node = node, .base = r->kids.n, .map = map };
    r->p++;
}

static void pass_garbage(reader *r)
{
    ff_tree_break(r->t, "text that is not JSON", place(r, r->p));
    do
        r->p++;
    while (r->p < r->end && !memchr(",]}{[\"\n", *r->p, 7));
}

static void read_value(reader *r)
{
    char c = *r->p;
    if (c == '{' || c == '[') {
        open_container(r);
        return;
    }
    if (c == '"') {
        push(r, read_string(r));
        return;
    }
    bool digit =
        (c >= '0' && c <= '9') || ((c == '-' || c == '.') && r->p + 1 < r->end && r->p[1] >= '0' && r->p[1] <= '9');
    if (digit) {
        push(r, read_number(r));
        return;
    }
    uint32_t before = r->t->n_nodes, node = read_word(r);
    if (node != FF_NONE)
        push(r, node);
    else if (before == FF_CAP_NODES)
        r->stop = true;
    else
        pass_garbage(r);
}

static void read_key(reader *r)
{
    if (*r->p != '"') {
        pass_garbage(r);
        return;
    }
    level *top = &r->levels[r->depth - 1];
    push(r, read_string(r));
    top->has_key = !r->stop;
    while (r->p < r->end && is_blank(*r->p))
        r->p++;
    if (r->p < r->end && *r->p == ':')
        r->p++;
}

/* One key, value or closing bracket inside the open container. Commas are passed over wherever they stand: some
 * writers forget one, some add one. Only "key": , says something: a value is missing. */
static void step(reader *r)
{
    level *top = &r->levels[r->depth - 1];
    char c = *r->p;
    if (is_blank(c)) {
        r->p++;
    } else if (c == ',') {
        if (top->has_key)
            push(r, ff_tree_add(r->t, FF_NODE_NULL, place(r, r->p)));
        r->p++;
    } else if (c == '}' || c == ']') {
        if (top->map != (c == '}'))
            ff_tree_break(r->t, "a bracket that closes nothing", place(r, r->p));
        r->p++;
        close_top(r);
    } else if (top->map && !top->has_key) {
        read_key(r);
    } else {
        read_value(r);
    }
}

ff_status ff_json_read(ff_tree *t, size_t *end)
{
    reader r = { .t = t, .begin = t->source.p, .p = t->source.p, .end = t->source.p };
    if (t->source.n)
        r.end += t->source.n;
    if (t->source.n >= 3 && memcmp(r.p, "\xef\xbb\xbf", 3) == 0)
        r.p += 3;
    while (r.p < r.end && is_blank(*r.p))
        r.p++;
    if (r.p < r.end && !memchr("]},:", *r.p, 4)) {
        const char *from = r.p;
        read_value(&r);
        if (!t->n_nodes)
            r.p = from;
    }
    while (r.depth && r.p < r.end && !r.stop)
        step(&r);
    if (r.depth)
        ff_tree_break(t, "the document ends before its last bracket", t->source.n);
    while (r.depth)
        close_top(&r);
    ff_free(r.kids.at);
    if (end)
        *end = place(&r, r.p);
    return t->n_nodes ? FF_OK : FF_BAD;
}
