#include "node.h"

#include <string.h>

void ff_tree_init(ff_tree *t, ff_bytes source)
{
    *t = (ff_tree){ .source = source };
    ff_arena_init(&t->text);
}

void ff_tree_reset(ff_tree *t, ff_bytes source)
{
    ff_arena_reset(&t->text);
    t->n_nodes = 0;
    t->n_kids = 0;
    t->source = source;
    t->truncated = false;
    t->problem = NULL;
    t->problem_at = 0;
}

void ff_tree_done(ff_tree *t)
{
    ff_free(t->nodes);
    ff_free(t->kids);
    ff_arena_done(&t->text);
    *t = (ff_tree){ 0 };
}

void ff_tree_break(ff_tree *t, const char *problem, size_t at)
{
    t->truncated = true;
    if (t->problem)
        return;
    t->problem = problem;
    t->problem_at = at > UINT32_MAX ? UINT32_MAX : (uint32_t)at;
}

uint32_t ff_tree_add(ff_tree *t, ff_node_kind kind, size_t at)
{
    if (t->n_nodes == FF_CAP_NODES) {
        ff_tree_break(t, "more values than the cap allows", at);
        return FF_NONE;
    }
    if (t->n_nodes == t->cap_nodes) {
        t->cap_nodes = t->cap_nodes ? t->cap_nodes * 2 : 256;
        t->nodes = ff_realloc(t->nodes, (size_t)t->cap_nodes * sizeof *t->nodes);
    }
    t->nodes[t->n_nodes] = (ff_node){ .kind = kind, .at = at > UINT32_MAX ? UINT32_MAX : (uint32_t)at };
    return t->n_nodes++;
}

void ff_tree_own(ff_tree *t, uint32_t node, const uint32_t *kids, uint32_t n_kids)
{
    if (node >= t->n_nodes)
        return;
    ff_node *n = &t->nodes[node];
    if (n->kind == FF_NODE_MAP)
        n_kids -= n_kids % 2;
    if (n_kids > UINT32_MAX / 2 - t->n_kids) {
        ff_tree_break(t, "more values than the cap allows", n->at);
        return;
    }
    if (t->cap_kids - t->n_kids < n_kids) {
        uint32_t cap = t->cap_kids ? t->cap_kids : 256;
        while (cap - t->n_kids < n_kids)
            cap = cap > UINT32_MAX / 2 ? UINT32_MAX : cap * 2;
        t->cap_kids = cap;
        t->kids = ff_realloc(t->kids, (size_t)cap * sizeof *t->kids);
    }
    if (n_kids)
        memcpy(t->kids + t->n_kids, kids, (size_t)n_kids * sizeof *kids);
    n->first = t->n_kids;
    n->count = n->kind == FF_NODE_MAP ? n_kids / 2 : n_kids;
    t->n_kids += n_kids;
}

const ff_node *ff_node_at(const ff_tree *t, uint32_t node) { return node < t->n_nodes ? &t->nodes[node] : NULL; }

static const ff_node *node_of(const ff_tree *t, uint32_t node, ff_node_kind kind)
{
    const ff_node *n = ff_node_at(t, node);
    return n && n->kind == kind ? n : NULL;
}

static uint32_t find_key(const ff_tree *t, uint32_t map, ff_bytes key)
{
    const ff_node *n = node_of(t, map, FF_NODE_MAP);
    if (!n || !n->count)
        return FF_NONE;
    for (uint32_t i = 0; i < n->count; i++) {
        const uint32_t *pair = &t->kids[n->first + (size_t)2 * i];
        const ff_node *k = &t->nodes[pair[0]];
        if (k->kind == FF_NODE_TEXT && k->v.s.n == key.n && ff_equal(k->v.s, key))
            return pair[1];
    }
    return FF_NONE;
}

uint32_t ff_node_get(const ff_tree *t, uint32_t map, const char *key) { return find_key(t, map, ff_str(key)); }

uint32_t ff_node_path(const ff_tree *t, uint32_t node, const char *dotted)
{
    ff_bytes rest = ff_str(dotted);
    while (rest.n && node != FF_NONE) {
        ff_bytes step = rest;
        if (!ff_take_until(&rest, '.', &step))
            rest.n = 0;
        uint64_t index = 0;
        ff_bytes digits = step;
        if (node_of(t, node, FF_NODE_LIST) && ff_take_uint(&digits, &index) && !digits.n)
            node = index < UINT32_MAX ? ff_node_item(t, node, (uint32_t)index) : FF_NONE;
        else
            node = find_key(t, node, step);
    }
    return node;
}

uint32_t ff_node_item(const ff_tree *t, uint32_t list, uint32_t i)
{
    const ff_node *n = ff_node_at(t, list);
    if (!n || i >= n->count)
        return FF_NONE;
    if (n->kind == FF_NODE_LIST)
        return t->kids[n->first + i];
    return n->kind == FF_NODE_MAP ? t->kids[(size_t)n->first + (size_t)2 * i + 1] : FF_NONE;
}

ff_bytes ff_node_key(const ff_tree *t, uint32_t map, uint32_t i)
{
    const ff_node *n = node_of(t, map, FF_NODE_MAP);
    return n && i < n->count ? ff_node_text(t, t->kids[(size_t)n->first + (size_t)2 * i]) : (ff_bytes){ 0 };
}

uint32_t ff_node_count(const ff_tree *t, uint32_t node)
{
    const ff_node *n = ff_node_at(t, node);
    return n && (n->kind == FF_NODE_LIST || n->kind == FF_NODE_MAP) ? n->count : 0;
}

ff_bytes ff_node_text(const ff_tree *t, uint32_t node)
{
    const ff_node *n = node_of(t, node, FF_NODE_TEXT);
    return n ? n->v.s : (ff_bytes){ 0 };
}

bool ff_node_int(const ff_tree *t, uint32_t node, int64_t *out)
{
    const ff_node *n = ff_node_at(t, node);
    if (!n)
        return false;
    if (n->kind == FF_NODE_INT || n->kind == FF_NODE_BOOL) {
        *out = n->v.i;
        return true;
    }
    if (n->kind == FF_NODE_FLOAT) {
        /* 2^63 itself does not fit, so the upper bound is exclusive; a NaN fails both comparisons. */
        if (!(n->v.f >= -9223372036854775808.0 && n->v.f < 9223372036854775808.0) ||
            (double)(int64_t)n->v.f != n->v.f)
            return false;
        *out = (int64_t)n->v.f;
        return true;
    }
    ff_bytes s = n->kind == FF_NODE_TEXT ? n->v.s : (ff_bytes){ 0 };
    int64_t value = 0;
    if (!ff_take_int(&s, &value) || s.n)
        return false;
    *out = value;
    return true;
}

bool ff_node_true(const ff_tree *t, uint32_t node)
{
    const ff_node *n = ff_node_at(t, node);
    return n && (n->kind == FF_NODE_BOOL || n->kind == FF_NODE_INT) && n->v.i != 0;
}

uint32_t ff_node_line(const ff_tree *t, uint32_t node)
{
    const ff_node *n = ff_node_at(t, node);
    if (!n)
        return 1;
    size_t end = n->at < t->source.n ? n->at : t->source.n;
    const char *p = t->source.p, *stop = p + end;
    uint32_t line = 1;
    while (p < stop && (p = memchr(p, '\n', (size_t)(stop - p)))) {
        line++;
        p++;
    }
    return line;
}
