/* nvidia-smi -q -x: our own reader of XML, with the facts made of it. */
#define PARSER ff_parser_nvidia_smi_xml
#define NAME "gpu-a01/nvidia-smi.xml"
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
