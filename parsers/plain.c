/* The last resort for text: every line is an event, and its coats are looked at line by line. So a file that mixes a
 * job's output with NCCL's lines and a pasted dmesg is read as what each line is. */
#include "lines.h"

/* NUL and other control bytes are not written by programs that mean to be read. */
static bool is_text(ff_bytes head)
{
    const uint32_t fine = 1u << '\n' | 1u << '\t' | 1u << '\r' | 1u << '\x1b' | 1u << '\f' | 1u << '\b';
    size_t control = 0;
    for (size_t i = 0; i < head.n; i++) {
        unsigned char c = (unsigned char)head.p[i];
        if (c < 0x20)
            control += !(fine >> c & 1);
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
