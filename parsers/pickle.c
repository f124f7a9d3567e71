/* A walk over pickle opcodes that can only build numbers, texts, lists and dicts.
 *
 *     80 02 7d 28 58 07000000 "version" 71 00 58 04000000 "2.10" 71 01 ... 75 2e
 *
 * Format: CPython Lib/pickletools.py; the subset that PyTorch's C++ pickler writes for Flight Recorder dumps
 * (torch/csrc/jit/serialization/pickler.cpp), and what Python's own pickler adds when a tool rewrites such a dump.
 * Not understood: protocols 0 and 1 with their text opcodes, out-of-band buffers, and on purpose everything that
 * imports or calls.
 *
 * A list that contains itself would make the tree endless. A container may therefore only be filled before it becomes
 * part of another one: every edge then points to something that was finished earlier, and no circle can close. */
#include "pickle.h"

#include <string.h>

/* ff_node.v.i of a container while the pickle is read. */
#define SEALED INT64_C(1)  /* is part of something: takes no more children */
#define FILLED INT64_C(2)  /* has children in the tree already */
#define GROWING INT64_C(4) /* children wait in builders.at[id] */
#define DEPTH_SHIFT 8
#define BUILDER_SHIFT 24
#define CAP_BUILDERS                                                                                                 \
    65536u                  /* lists filled in several batches and still open; Python makes one for each 1000 items  \
                             */
#define CAP_MEMO_GAP 65536u /* memo numbers that may be left out */

typedef FF_VEC(uint32_t) numbers;

typedef struct reader {
    ff_tree *t;
    const uint8_t *p, *end;
    numbers stack, marks, memo;
    FF_VEC(numbers) builders;
    uint64_t kids; /* children handed out so far: shared nodes make more of them than there are nodes */
    bool stop;
} reader;

static size_t place(const reader *r, const uint8_t *p) { return (size_t)(p - (const uint8_t *)r->t->source.p); }

static void fail(reader *r, const char *why, const uint8_t *at)
{
    ff_tree_break(r->t, why, place(r, at));
    r->stop = true;
}

static ff_node *node_of(reader *r, uint32_t node) { return &r->t->nodes[node]; }

static bool is_container(const ff_node *n) { return n->kind == FF_NODE_LIST || n->kind == FF_NODE_MAP; }

static int64_t depth_of(const ff_node *n) { return is_container(n) ? (n->v.i >> DEPTH_SHIFT) & 0xffff : 0; }

static void push(reader *r, uint32_t node)
{
    if (node == FF_NONE || r->stack.n >= FF_CAP_NODES) {
        fail(r, "more values than the cap allows", r->p);
        return;
    }
    FF_PUSH(&r->stack, node);
}

/* ---- containers ---- */

static void flush_builder(reader *r, uint32_t node)
{
    ff_node *n = node_of(r, node);
    if (!(n->v.i & GROWING))
        return;
    numbers *b = &r->builders.at[n->v.i >> BUILDER_SHIFT];
    n->v.i &= ~GROWING;
    ff_tree_own(r->t, node, b->at, b->n);
    ff_free(b->at);
    *b = (numbers){ 0 };
}

static numbers *builder_of(reader *r, uint32_t node)
{
    ff_node *n = node_of(r, node);
    if (n->v.i & GROWING)
        return &r->builders.at[n->v.i >> BUILDER_SHIFT];
    if (r->builders.n == CAP_BUILDERS)
        return NULL;
    numbers fresh = { 0 };
    uint32_t had = n->kind == FF_NODE_MAP ? n->count * 2 : n->count;
    for (uint32_t i = 0; i < had; i++)
        FF_PUSH(&fresh, r->t->kids[n->first + i]);
    FF_PUSH(&r->builders, fresh);
    n->v.i |= GROWING | (int64_t)(r->builders.n - 1) << BUILDER_SHIFT;
    return &r->builders.at[r->builders.n - 1];
}

/* Each child is finished now. False: it is the container itself, or too deep. */
static bool seal(reader *r, uint32_t parent, const uint32_t *kids, uint32_t n)
{
    int64_t deepest = depth_of(node_of(r, parent));
    for (uint32_t i = 0; i < n; i++) {
        ff_node *kid = node_of(r, kids[i]);
        if (!is_container(kid))
            continue;
        if (kids[i] == parent)
            return false;
        flush_builder(r, kids[i]);
        kid->v.i |= SEALED;
        deepest = depth_of(kid) + 1 > deepest ? depth_of(kid) + 1 : deepest;
    }
    ff_node *p = node_of(r, parent);
    p->v.i = (p->v.i & ~(INT64_C(0xffff) << DEPTH_SHIFT)) | deepest << DEPTH_SHIFT;
    return deepest < FF_CAP_NESTING;
}

static void fill(reader *r, uint32_t parent, const uint32_t *kids, uint32_t n)
{
    ff_node *p = node_of(r, parent);
    n -= p->kind == FF_NODE_MAP ? n % 2 : 0;
    if (n == 0)
        return;
    r->kids += n;
    if (!is_container(p) || (p->v.i & SEALED) || !seal(r, parent, kids, n)) {
        fail(r, "a value that contains itself or lies too deep", r->p);
        return;
    }
    if (r->kids > FF_CAP_NODES) {
        fail(r, "more values than the cap allows", r->p);
        return;
    }
    if (!(p->v.i & FILLED)) {
        ff_tree_own(r->t, parent, kids, n);
        p->v.i |= FILLED;
        return;
    }
    numbers *b = builder_of(r, parent);
    if (!b) {
        fail(r, "more open lists than the cap allows", r->p);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        FF_PUSH(b, kids[i]);
}

static void collect(reader *r, ff_node_kind kind, uint32_t from, const uint8_t *at)
{
    uint32_t node = ff_tree_add(r->t, kind, place(r, at));
    if (node == FF_NONE) {
        r->stop = true;
        return;
    }
    fill(r, node, r->stack.at ? r->stack.at + from : NULL, r->stack.n - from);
    r->stack.n = from;
    push(r, node);
}

/* Pops the topmost mark; false, and the reading ends, when there is none. */
static bool pop_mark(reader *r, uint32_t *from)
{
    if (!r->marks.n) {
        fail(r, "a broken pickle: no mark", r->p);
        return false;
    }
    *from = r->marks.at[--r->marks.n];
    if (*from <= r->stack.n)
        return true;
    fail(r, "a broken pickle: a mark above the stack", r->p);
    return false;
}

/* The topmost n values go into the container below them. */
static void fill_top(reader *r, uint32_t n)
{
    if (r->stack.n < n + 1 || (r->marks.n && r->marks.at[r->marks.n - 1] > r->stack.n - n - 1)) {
        fail(r, "a broken pickle: too few values", r->p);
        return;
    }
    uint32_t *kids = r->stack.at + r->stack.n - n;
    fill(r, kids[-1], kids, n);
    r->stack.n -= n;
}

static void fill_from_mark(reader *r)
{
    uint32_t from = 0;
    if (pop_mark(r, &from))
        fill_top(r, r->stack.n - from);
}

static void collect_from_mark(reader *r, ff_node_kind kind, const uint8_t *at)
{
    uint32_t from = 0;
    if (pop_mark(r, &from))
        collect(r, kind, from, at);
}

static void collect_top(reader *r, uint32_t n, const uint8_t *at)
{
    if (r->stack.n < n)
        fail(r, "a broken pickle: too few values", at);
    else
        collect(r, FF_NODE_LIST, r->stack.n - n, at);
}

/* ---- scalars ---- */

static bool take_le(reader *r, unsigned n, uint64_t *out)
{
    if ((size_t)(r->end - r->p) < n) {
        fail(r, "the pickle ends inside a value", r->p);
        return false;
    }
    *out = 0;
    for (unsigned i = 0; i < n; i++)
        *out |= (uint64_t)r->p[i] << (8 * i);
    r->p += n;
    return true;
}

static void push_int(reader *r, int64_t value, const uint8_t *at)
{
    uint32_t node = ff_tree_add(r->t, FF_NODE_INT, place(r, at));
    if (node != FF_NONE)
        node_of(r, node)->v.i = value;
    push(r, node);
}

static void push_text(reader *r, ff_bytes text, const uint8_t *at)
{
    uint32_t node = ff_tree_add(r->t, FF_NODE_TEXT, place(r, at));
    if (node != FF_NONE)
        node_of(r, node)->v.s = text;
    push(r, node);
}

static void read_text(reader *r, unsigned width, const uint8_t *at)
{
    uint64_t n = 0;
    if (!take_le(r, width, &n))
        return;
    size_t left = (size_t)(r->end - r->p);
    ff_bytes text = { (const char *)r->p, n < left ? (size_t)n : left };
    if (n > left) {
        /* The last piece of a cut dump is still worth reading; its text is not whole, so nothing may follow it. */
        fail(r, "the pickle ends inside a text", at);
        return;
    }
    r->p += text.n;
    push_text(r, text, at);
}

/* Two's complement, least byte first. Wider than 64 bits becomes its hexadecimal text. */
static void read_long(reader *r, unsigned width, const uint8_t *at)
{
    uint64_t n = 0, value = 0;
    if (!take_le(r, width, &n))
        return;
    if (n > (size_t)(r->end - r->p)) {
        fail(r, "the pickle ends inside a value", at);
        return;
    }
    const uint8_t *digits = r->p;
    r->p += n;
    bool negative = n && (digits[n - 1] & 0x80);
    size_t bytes = (size_t)n;
    while (bytes > 8 && digits[bytes - 1] == (negative ? 0xff : 0) &&
           (digits[bytes - 2] & 0x80) == (negative ? 0x80 : 0))
        bytes--;
    if (bytes > 8) {
        size_t shown = bytes > 64 ? 64 : bytes;
        char *hex = ff_arena_take(&r->t->text, shown * 2 + 3), *out = hex;
        *out++ = '0';
        *out++ = 'x';
        for (size_t i = 0; i < shown; i++) {
            *out++ = "0123456789abcdef"[digits[bytes - 1 - i] >> 4];
            *out++ = "0123456789abcdef"[digits[bytes - 1 - i] & 15];
        }
        push_text(r, (ff_bytes){ hex, (size_t)(out - hex) }, at);
        return;
    }
    value = negative && bytes < 8 ? ~UINT64_C(0) << (8 * bytes) : 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)digits[i] << (8 * i);
    push_int(r, (int64_t)value, at);
}

static void read_int(reader *r, unsigned width, const uint8_t *at)
{
    uint64_t value = 0;
    if (take_le(r, width, &value))
        push_int(r, width == 4 ? (int64_t)(int32_t)(uint32_t)value : (int64_t)value, at);
}

static void read_double(reader *r, const uint8_t *at)
{
    uint64_t little = 0, big = 0;
    double value = 0;
    if (!take_le(r, 8, &little))
        return;
    for (int i = 0; i < 8; i++)
        big = big << 8 | ((little >> (8 * i)) & 0xff);
    memcpy(&value, &big, sizeof value);
    uint32_t node = ff_tree_add(r->t, FF_NODE_FLOAT, place(r, at));
    if (node != FF_NONE)
        node_of(r, node)->v.f = value;
    push(r, node);
}

static void push_plain(reader *r, ff_node_kind kind, int value, const uint8_t *at)
{
    uint32_t node = ff_tree_add(r->t, kind, place(r, at));
    if (node != FF_NONE)
        node_of(r, node)->v.i = value;
    push(r, node);
}

/* ---- memo ---- */

static void memo_put(reader *r, uint64_t index)
{
    if (!r->stack.n || index > (uint64_t)r->memo.n + CAP_MEMO_GAP || index >= FF_CAP_NODES) {
        fail(r, "a broken pickle: memo number", r->p);
        return;
    }
    while (r->memo.n <= index)
        FF_PUSH(&r->memo, FF_NONE);
    r->memo.at[index] = r->stack.at[r->stack.n - 1];
}

static void memo_get(reader *r, uint64_t index)
{
    if (index < r->memo.n && r->memo.at[index] != FF_NONE)
        push(r, r->memo.at[index]);
    else
        fail(r, "a broken pickle: memo number", r->p);
}

static void read_memo(reader *r, unsigned width, void (*use)(reader *r, uint64_t index))
{
    uint64_t index = 0;
    if (take_le(r, width, &index))
        use(r, index);
}

static void pop(reader *r)
{
    if (r->marks.n && r->marks.at[r->marks.n - 1] == r->stack.n)
        r->marks.n--;
    else if (r->stack.n)
        r->stack.n--;
    else
        fail(r, "a broken pickle: too few values", r->p);
}

static void push_mark(reader *r)
{
    if (r->marks.n == FF_CAP_NESTING)
        fail(r, "a value that contains itself or lies too deep", r->p);
    else
        FF_PUSH(&r->marks, r->stack.n);
}

/* ---- the walk ---- */

static void refuse(reader *r, uint8_t op, const uint8_t *at)
{
    static const uint8_t running[] = { 'c', 'R', 'i', 'o', 'b', 'P', 'Q', 0x81, 0x82, 0x83, 0x84, 0x92, 0x93 };
    bool runs = memchr(running, op, sizeof running) != NULL;
    fail(r, runs ? "an opcode that would run code" : "an opcode that is not known", at);
}

static void step(reader *r)
{
    const uint8_t *at = r->p++;
    uint64_t unused = 0;
    uint32_t from = 0;
    switch (*at) {
    case '(':
        push_mark(r);
        return;
    case '}':
        push_plain(r, FF_NODE_MAP, 0, at);
        return;
    case ']':
    case ')':
    case 0x8f:
        push_plain(r, FF_NODE_LIST, 0, at);
        return;
    case 'u':
    case 'e':
    case 0x90:
        fill_from_mark(r);
        return;
    case 's':
        fill_top(r, 2);
        return;
    case 'a':
        fill_top(r, 1);
        return;
    case 't':
    case 'l':
    case 0x91:
        collect_from_mark(r, FF_NODE_LIST, at);
        return;
    case 'd':
        collect_from_mark(r, FF_NODE_MAP, at);
        return;
    case 0x85:
        collect_top(r, 1, at);
        return;
    case 0x86:
        collect_top(r, 2, at);
        return;
    case 0x87:
        collect_top(r, 3, at);
        return;
    case 'X':
    case 'T':
    case 'B':
        read_text(r, 4, at);
        return;
    case 0x8c:
    case 'U':
    case 'C':
        read_text(r, 1, at);
        return;
    case 0x8d:
    case 0x8e:
    case 0x96:
        read_text(r, 8, at);
        return;
    case 'q':
        read_memo(r, 1, memo_put);
        return;
    case 'r':
        read_memo(r, 4, memo_put);
        return;
    case 'h':
        read_memo(r, 1, memo_get);
        return;
    case 'j':
        read_memo(r, 4, memo_get);
        return;
    case 0x94:
        memo_put(r, r->memo.n);
        return;
    case 'K':
        read_int(r, 1, at);
        return;
    case 'M':
        read_int(r, 2, at);
        return;
    case 'J':
        read_int(r, 4, at);
        return;
    case 0x8a:
        read_long(r, 1, at);
        return;
    case 0x8b:
        read_long(r, 4, at);
        return;
    case 'G':
        read_double(r, at);
        return;
    case 'N':
        push_plain(r, FF_NODE_NULL, 0, at);
        return;
    case 0x88:
        push_plain(r, FF_NODE_BOOL, 1, at);
        return;
    case 0x89:
        push_plain(r, FF_NODE_BOOL, 0, at);
        return;
    case '0':
        pop(r);
        return;
    case '1':
        if (pop_mark(r, &from))
            r->stack.n = from;
        return;
    case '2':
        if (r->stack.n)
            push(r, r->stack.at[r->stack.n - 1]);
        return;
    case 0x80:
        (void)take_le(r, 1, &unused);
        return;
    case 0x95:
        (void)take_le(r, 8, &unused);
        return;
    case '.':
        r->stop = true;
        return;
    default:
        refuse(r, *at, at);
    }
}

/* A broken end leaves containers open: each takes what stands above it, from the top down. */
static void close_open(reader *r)
{
    while (r->marks.n) {
        uint32_t from = r->marks.at[--r->marks.n];
        if (from > r->stack.n)
            continue;
        uint32_t n = r->stack.n - from;
        if (from && is_container(node_of(r, r->stack.at[from - 1])) &&
            !(node_of(r, r->stack.at[from - 1])->v.i & SEALED)) {
            fill(r, r->stack.at[from - 1], r->stack.at + from, n);
            r->stack.n = from;
        } else {
            collect(r, FF_NODE_LIST, from, r->p);
        }
    }
    while (r->stack.n > 1) {
        uint32_t *top = r->stack.at + r->stack.n - 1;
        if (r->stack.n > 2 && node_of(r, top[-2])->kind == FF_NODE_MAP && node_of(r, top[-1])->kind == FF_NODE_TEXT) {
            fill(r, top[-2], top - 1, 2);
            r->stack.n--;
        } else if (node_of(r, top[-1])->kind == FF_NODE_LIST) {
            fill(r, top[-1], top, 1);
        }
        r->stack.n--;
    }
}

/* The tree's contract wants the root at 0; a tuple's node comes after those of its items. */
static void move_root(ff_tree *t, uint32_t root)
{
    if (root == 0)
        return;
    ff_node first = t->nodes[0];
    t->nodes[0] = t->nodes[root];
    t->nodes[root] = first;
    for (uint32_t i = 0; i < t->n_kids; i++)
        t->kids[i] = t->kids[i] == 0 ? root : t->kids[i] == root ? 0 : t->kids[i];
}

ff_status ff_pickle_read(ff_tree *t)
{
    reader r = { .t = t };
    if (!t->source.n)
        return FF_BAD;
    r.p = (const uint8_t *)t->source.p;
    r.end = r.p + t->source.n;
    while (!r.stop && r.p < r.end)
        step(&r);
    if (!r.stop)
        ff_tree_break(t, "the pickle ends before its last opcode", t->source.n);
    close_open(&r);
    uint32_t root = r.stack.n ? r.stack.at[0] : FF_NONE;
    for (uint32_t i = 0; i < t->n_nodes && r.builders.n; i++)
        if (is_container(&t->nodes[i]))
            flush_builder(&r, i);
    for (uint32_t i = 0; i < r.builders.n; i++)
        ff_free(r.builders.at[i].at);
    ff_free(r.builders.at);
    ff_free(r.stack.at);
    ff_free(r.marks.at);
    ff_free(r.memo.at);
    if (root == FF_NONE)
        return FF_BAD;
    move_root(t, root);
    return FF_OK;
}
