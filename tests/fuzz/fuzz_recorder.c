/* Flight Recorder dumps as JSON: up to four of them, one a line, are read and aligned. */
#define PARSER ff_parser_fr_json
#define NAME "dir/nccl_trace_rank_0.json"
#include "one_parser.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ff_bytes rest = { (const char *)data, size }, line;
    kept k;
    open_kept(&k);
    for (unsigned i = 0; i < 4 && ff_take_line(&rest, &line); i++)
        read_one(&k, i < 3 ? line : (ff_bytes){ line.p, line.n + rest.n });
    align_all(&k);
    close_kept(&k);
    return 0;
}
