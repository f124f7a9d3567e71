/* Kubernetes objects as YAML: tags, anchors and nesting of a stranger, through libyaml into our tree. */
#define PARSER ff_parser_k8s_yaml
#define NAME "pod.yaml"
#include "one_parser.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kept k;
    open_kept(&k);
    read_one(&k, (ff_bytes){ (const char *)data, size });
    align_all(&k);
    close_kept(&k);
    return 0;
}
