/* The only file that knows libyaml. Its events are turned into a tree without recursion. */
#include "yaml.h"

#include <string.h>
#include <yaml.h>

#define CAP_ANCHORS 1024u

typedef struct level {
    uint32_t node, base; /* base: where its children begin in reader.kids */
    uint32_t anchor;     /* to be published once the node is complete; FF_NONE: none */
} level;

typedef struct reader {
    ff_tree *t;
    char *clean;         /* the source without bytes that libyaml refuses, same length */
    size_t chars, bytes; /* libyaml counts characters: how far both were counted */
    level levels[FF_CAP_NESTING];
    unsigned depth;
    FF_VEC(uint32_t) kids;
    struct {
        ff_bytes name;
        uint32_t node;
    } anchors[CAP_ANCHORS];
    uint32_t n_anchors;
    bool root, stop;
} reader;

/* ---- bytes ---- */

static size_t utf8_length(const char *text, size_t left)
{
    const uint8_t *p = (const uint8_t *)text;
    size_t n = p[0] < 0x80                   ? 1
               : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
               : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
               : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
                                             : 0;
    if (!n || n > left)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    bool odd = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
               (p[0] == 0xf4 && p[1] > 0x8f);
    return odd ? 0 : n;
}

/* libyaml gives up at the first control byte or broken character; logs in a status message hold both. */
static char *clean_copy(ff_tree *t)
{
    ff_bytes copy = ff_arena_copy(&t->text, t->source);
    char *out = ff_arena_take(&t->text, copy.n + 1);
    for (size_t i = 0; i < copy.n;) {
        size_t n = utf8_length(copy.p + i, copy.n - i);
        uint8_t c = (uint8_t)copy.p[i];
        bool control = n == 1 && ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f);
        bool special = n == 2 && c == 0xc2 && (uint8_t)copy.p[i + 1] < 0xa0;
        special = special || (n == 3 && memcmp(copy.p + i, "\xef\xbf", 2) == 0 && (uint8_t)copy.p[i + 2] >= 0xbe);
        if (n && !control && !special) {
            memcpy(out + i, copy.p + i, n);
            i += n;
        } else {
            size_t bad = n ? n : 1;
            memset(out + i, '?', bad);
            i += bad;
        }
    }
    return out;
}

/* Marks come in the order of the text, so characters are counted once. */
static size_t byte_of(reader *r, const yaml_mark_t *mark)
{
    size_t n = r->t->source.n;
    if (mark->index < r->chars)
        return r->bytes;
    while (r->chars < mark->index && r->bytes < n) {
        r->bytes++;
        while (r->bytes < n && ((uint8_t)r->clean[r->bytes] & 0xc0) == 0x80)
            r->bytes++;
        r->chars++;
    }
    return r->bytes;
}

/* ---- nodes ---- */

static void push(reader *r, uint32_t node)
{
    if (node == FF_NONE)
        r->stop = true;
    else if (r->depth)
        FF_PUSH(&r->kids, node);
    else
        r->root = true;
}

static uint32_t name_anchor(reader *r, const yaml_char_t *anchor)
{
    if (!anchor || r->n_anchors == CAP_ANCHORS)
        return FF_NONE;
    r->anchors[r->n_anchors].name = ff_arena_copy(&r->t->text, ff_str((const char *)anchor));
    r->anchors[r->n_anchors].node = FF_NONE;
    return r->n_anchors++;
}

static void publish(reader *r, uint32_t anchor, uint32_t node)
{
    if (anchor != FF_NONE)
        r->anchors[anchor].node = node;
}

static void add_alias(reader *r, const yaml_event_t *e)
{
    ff_bytes name = ff_str((const char *)e->data.alias.anchor);
    for (uint32_t i = r->n_anchors; i-- > 0;) {
        if (r->anchors[i].node != FF_NONE && ff_equal(r->anchors[i].name, name)) {
            push(r, r->anchors[i].node);
            return;
        }
    }
    push(r, ff_tree_add(r->t, FF_NODE_NULL, byte_of(r, &e->start_mark)));
}

static bool is_word(ff_bytes s, const char *a, const char *b, const char *c)
{
    return ff_equal(s, ff_str(a)) || ff_equal(s, ff_str(b)) || ff_equal(s, ff_str(c));
}

/* Only what nobody could mean as text becomes something else: versions and ids keep their digits. */
static uint32_t add_plain(reader *r, ff_bytes s, size_t at)
{
    int64_t number = 0;
    ff_bytes rest = s;
    if (!s.n || is_word(s, "~", "null", "Null"))
        return ff_tree_add(r->t, FF_NODE_NULL, at);
    bool yes = is_word(s, "true", "True", "TRUE"), no = is_word(s, "false", "False", "FALSE");
    bool octal = s.n > 1 && (s.p[0] == '0' || (s.p[0] == '-' && s.p[1] == '0'));
    bool whole = !octal && ff_take_int(&rest, &number) && !rest.n;
    uint32_t node = ff_tree_add(r->t, yes || no ? FF_NODE_BOOL : whole ? FF_NODE_INT : FF_NODE_TEXT, at);
    if (node == FF_NONE)
        return node;
    if (yes || no)
        r->t->nodes[node].v.i = yes;
    else if (whole)
        r->t->nodes[node].v.i = number;
    else
        r->t->nodes[node].v.s = ff_arena_copy(&r->t->text, s);
    return node;
}

static void add_scalar(reader *r, const yaml_event_t *e)
{
    ff_bytes s = { (const char *)e->data.scalar.value, e->data.scalar.length };
    size_t at = byte_of(r, &e->start_mark);
    uint32_t node;
    if (e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && e->data.scalar.plain_implicit) {
        node = add_plain(r, s, at);
    } else {
        node = ff_tree_add(r->t, FF_NODE_TEXT, at);
        if (node != FF_NONE)
            r->t->nodes[node].v.s = ff_arena_copy(&r->t->text, s);
    }
    uint32_t anchor = name_anchor(r, e->data.scalar.anchor);
    push(r, node);
    publish(r, anchor, node);
}

static void open_level(reader *r, ff_node_kind kind, const yaml_event_t *e, const yaml_char_t *anchor)
{
    uint32_t node = ff_tree_add(r->t, kind, byte_of(r, &e->start_mark));
    push(r, node);
    if (r->stop)
        return;
    if (r->depth == FF_CAP_NESTING) {
        ff_tree_break(r->t, "values nested deeper than the cap allows", r->bytes);
        r->stop = true;
        return;
    }
    r->levels[r->depth++] = (level){ .node = node, .base = r->kids.n, .anchor = name_anchor(r, anchor) };
}

static void close_level(reader *r)
{
    if (!r->depth)
        return;
    level *top = &r->levels[--r->depth];
    ff_tree_own(r->t, top->node, r->kids.at ? r->kids.at + top->base : NULL, r->kids.n - top->base);
    r->kids.n = top->base;
    publish(r, top->anchor, top->node);
}

/* False: the document is over. */
static bool take(reader *r, const yaml_event_t *e)
{
    switch (e->type) {
    case YAML_SCALAR_EVENT:
        add_scalar(r, e);
        break;
    case YAML_ALIAS_EVENT:
        add_alias(r, e);
        break;
    case YAML_MAPPING_START_EVENT:
        open_level(r, FF_NODE_MAP, e, e->data.mapping_start.anchor);
        break;
    case YAML_SEQUENCE_START_EVENT:
        open_level(r, FF_NODE_LIST, e, e->data.sequence_start.anchor);
        break;
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        close_level(r);
        break;
    case YAML_DOCUMENT_END_EVENT:
    case YAML_STREAM_END_EVENT:
        return false;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_DOCUMENT_START_EVENT:
        break;
    }
    return !r->stop;
}

static size_t parse(reader *r)
{
    yaml_parser_t parser;
    yaml_event_t e;
    bool more = true;
    size_t end = r->t->source.n;
    if (!yaml_parser_initialize(&parser))
        return end;
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)r->clean, r->t->source.n);
    while (more) {
        if (!yaml_parser_parse(&parser, &e)) {
            ff_tree_break(r->t, "text that is not YAML", byte_of(r, &parser.problem_mark));
            break;
        }
        more = take(r, &e);
        if (!more && e.type == YAML_DOCUMENT_END_EVENT)
            end = byte_of(r, &e.end_mark);
        yaml_event_delete(&e);
    }
    yaml_parser_delete(&parser);
    return end;
}

ff_status ff_yaml_read(ff_tree *t, size_t *end)
{
    reader *r = ff_alloc(sizeof *r);
    *r = (reader){ .t = t, .clean = clean_copy(t) };
    size_t stop = parse(r);
    while (r->depth)
        close_level(r);
    bool any = r->root && t->n_nodes;
    ff_free(r->kids.at);
    ff_free(r);
    if (end)
        *end = stop;
    return any ? FF_OK : FF_BAD;
}
