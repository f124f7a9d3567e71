/* Flight Recorder dumps as JSON: up to four of them, one a line, are read and aligned. */
#define PARSER ff_parser_fr_json
#define NAME "dir/nccl_trace_rank_0.json"
#include "one_parser.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ff_bytes rest = { (const char *)data, size }, line;
    kept k = { .n_dumps = 0 };
    ff_arena_init(&k.arena);
    for (unsigned i = 0; i < 4 && ff_take_line(&rest, &line); i++)
        read_one(&k, i < 3 ? line : (ff_bytes){ line.p, line.n + rest.n });
    align_all(&k);
    ff_arena_done(&k.arena);
    return 0;
}
