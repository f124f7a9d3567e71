/* Flight Recorder dumps as pickles: up to four of them, each begun by its protocol opcode, are read and aligned. */
#define PARSER ff_parser_fr_pickle
#define NAME "dir/nccl_trace_rank_0"
#include "one_parser.h"

/* Where the next dump begins: at "\x80" and a protocol behind the end opcode of the one before. */
static size_t length_of(ff_bytes rest)
{
    for (size_t i = 1; i + 1 < rest.n; i++)
        if (rest.p[i - 1] == '.' && (unsigned char)rest.p[i] == 0x80 && (unsigned char)rest.p[i + 1] <= 5)
            return i;
    return rest.n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ff_bytes rest = { (const char *)data, size };
    kept k;
    open_kept(&k);
    for (unsigned i = 0; i < 4 && rest.n; i++) {
        size_t n = length_of(rest);
        read_one(&k, ff_first_n(rest, n));
        rest = ff_skip_n(rest, n);
    }
    align_all(&k);
    close_kept(&k);
    return 0;
}
