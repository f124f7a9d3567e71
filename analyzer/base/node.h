/* A document as a tree: JSON, YAML and XML all become this, so what reads a pod does not know which syntax carried it.
 * Read-only once built.
 * Nodes are numbers in one array: 0 is the root. A node knows where it stands in the source. */
#ifndef FF_NODE_H
#define FF_NODE_H

#include "arena.h"

typedef enum ff_node_kind {
    FF_NODE_NULL, FF_NODE_BOOL, FF_NODE_INT, FF_NODE_FLOAT, FF_NODE_TEXT, FF_NODE_LIST, FF_NODE_MAP
} ff_node_kind;

typedef struct ff_node {
    ff_node_kind kind;
    uint32_t first;  /* LIST, MAP: index into tree->kids of the first child */
    uint32_t count;  /* LIST: children; MAP: pairs (key node, value node), so 2 * count kids */
    uint32_t at;     /* byte offset in the source */
    union {
        int64_t i;    /* INT, BOOL */
        double f;     /* FLOAT */
        ff_bytes s;   /* TEXT: decoded, lives in the tree's arena or in the source */
    } v;
} ff_node;

typedef struct ff_tree {
    ff_node *nodes;
    uint32_t n_nodes, cap_nodes;
    uint32_t *kids;
    uint32_t n_kids, cap_kids;
    ff_bytes source;
    ff_arena text;      /* decoded strings */
    bool truncated;     /* the source ended or broke before the document did; what was readable is here */
    const char *problem; /* NULL, or why it is truncated: a constant */
    uint32_t problem_at;
} ff_tree;

void ff_tree_init(ff_tree *t, ff_bytes source);
void ff_tree_reset(ff_tree *t, ff_bytes source); /* keeps the memory */
void ff_tree_done(ff_tree *t);
/* Next node index; FF_NONE when FF_CAP_NODES is reached (problem is set). */
uint32_t ff_tree_add(ff_tree *t, ff_node_kind kind, size_t at);
/* Notes why and where the tree is not complete; the first note stays. problem: a constant. */
void ff_tree_break(ff_tree *t, const char *problem, size_t at);
/* Moves n child indexes to the kids array and makes node a container over them. */
void ff_tree_own(ff_tree *t, uint32_t node, const uint32_t *kids, uint32_t n_kids);

/* Access that never fails: a wrong index, kind or key gives FF_NONE, 0 or the empty view. */
const ff_node *ff_node_at(const ff_tree *t, uint32_t node);               /* NULL for FF_NONE */
uint32_t ff_node_get(const ff_tree *t, uint32_t map, const char *key);    /* value node of the first such key */
uint32_t ff_node_path(const ff_tree *t, uint32_t node, const char *dotted); /* "status.phase"; numbers index lists */
uint32_t ff_node_item(const ff_tree *t, uint32_t list, uint32_t i);       /* LIST item, or MAP value */
ff_bytes ff_node_key(const ff_tree *t, uint32_t map, uint32_t i);         /* MAP key text */
uint32_t ff_node_count(const ff_tree *t, uint32_t node);
ff_bytes ff_node_text(const ff_tree *t, uint32_t node);                   /* TEXT only */
bool ff_node_int(const ff_tree *t, uint32_t node, int64_t *out);          /* INT, BOOL, whole FLOAT, or TEXT of a decimal */
bool ff_node_true(const ff_tree *t, uint32_t node);
uint32_t ff_node_line(const ff_tree *t, uint32_t node);                   /* 1-based line of the node in the source */

/* Reads one JSON document from *source on; tolerant: a missing comma, NaN, trailing text and a cut end cost only that
 * piece. Invalid UTF-8 is kept as it is. Returns FF_BAD when not even one value could be read.
 * end: offset behind the document (for JSON objects back to back). */
ff_status ff_json_read(ff_tree *t, size_t *end);

double ff_json_float(ff_bytes text); /* of a number, as far as its text reads */

#endif
