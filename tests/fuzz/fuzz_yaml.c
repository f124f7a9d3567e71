/* Kubernetes objects as YAML: tags, anchors and nesting of a stranger, through libyaml into our tree. */
#define PARSER ff_parser_k8s_yaml
#define NAME "pod.yaml"
#include "one_parser.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kept k = { .n_dumps = 0 };
    ff_arena_init(&k.arena);
    read_one(&k, (ff_bytes){ (const char *)data, size });
    align_all(&k);
    ff_arena_done(&k.arena);
    return 0;
}
