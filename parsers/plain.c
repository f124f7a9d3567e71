/* The last resort for text: every line is an event, and its coats are looked at line by line. So a file that mixes a
 * job's output with NCCL's lines and a pasted dmesg is read as what each line is. */
#include "lines.h"

/* NUL and other control bytes are not written by programs that mean to be read. */
static bool is_text(ff_bytes head)
{
    enum { PIECE = 128 }; /* fits into a byte's count: a shape that compilers turn into vector code */
    size_t control = 0;
    for (size_t from = 0; from < head.n; from += PIECE) {
        size_t n = head.n - from < PIECE ? head.n - from : PIECE;
        uint8_t few = 0;
        for (size_t i = 0; i < n; i++) {
            uint8_t c = (uint8_t)head.p[from + i];
            bool fine = (c >= '\b' && c <= '\r' && c != '\v') || c == '\x1b';
            few = (uint8_t)(few + ((c < 0x20) & !fine));
        }
        control += few;
    }
    return head.n && control * 200 <= head.n;
}

static int plain_probe(const ff_probe *in) { return is_text(in->head) ? 1 : 0; }

static bool plain_frame(ff_bytes record, ff_event *ev)
{
    ev->text = record;
    return true;
}

const ff_parser ff_parser_plain = {
    .name = "plain", .streams = FF_STREAM_ANY, .probe = plain_probe, .frame = plain_frame
};
