/* What uname -a prints names the host it was run on; the text stays whole.
 *     Linux gpu-a01 6.8.0-60-generic #63-Ubuntu SMP PREEMPT_DYNAMIC Tue Apr 15 19:04:15 UTC 2026 x86_64 ... GNU/Linux
 * Format: coreutils src/uname.c. A container prints its own name there, as in all that is collected inside of it. */
#include "lines.h"

static bool is_release(ff_bytes word)
{
    int64_t major = 0, minor = 0;
    return ff_take_int(&word, &major) && ff_take_char(&word, '.') && ff_take_int(&word, &minor) &&
           (ff_starts_str(word, ".") || ff_starts_str(word, "-")) && major > 0 && major < 100;
}

static bool read_uname(ff_event *ev)
{
    ff_bytes rest = ev->text, host, release;
    if (!(ev->stream & FF_STREAM_HOST) || !ff_take_lit(&rest, FF_LIT("Linux ")) ||
        !ff_take_until(&rest, ' ', &host) || !ff_take_until(&rest, ' ', &release) || !is_release(release) ||
        !ff_starts_str(rest, "#") || !ff_contains(rest, FF_LIT("GNU/Linux")))
        return false;
    ff_see_stream(ev, FF_STREAM_HOST);
    ff_see_host(ev, host);
    return true;
}

const ff_reader ff_reader_uname = { .name = "uname", .read = read_uname };
