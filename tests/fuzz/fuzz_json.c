/* The JSON reader, and every access to what it built. */
#include "fuzz.h"

#include "../../analyzer/base/node.h"

static void walk(const ff_tree *t, uint32_t node, unsigned depth)
{
    (void)ff_node_line(t, node);
    (void)ff_node_text(t, node);
    int64_t number;
    (void)ff_node_int(t, node, &number);
    for (uint32_t i = 0; i < ff_node_count(t, node) && depth < 220; i++) {
        (void)ff_node_key(t, node, i);
        walk(t, ff_node_item(t, node, i), depth + 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ff_tree t;
    ff_tree_init(&t, (ff_bytes){ (const char *)data, size });
    size_t end = 0;
    if (ff_json_read(&t, &end) == FF_OK) {
        walk(&t, 0, 0);
        if (end > size)
            __builtin_trap();
    }
    ff_tree_done(&t);
    return 0;
}
