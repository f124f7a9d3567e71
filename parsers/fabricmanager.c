/* fabricmanager.log and nvidia-imex.log.
 *     [Jan 01 2026 00:00:00] [ERROR] [tid 1234] text
 * Local time without a zone; messages go on over lines without a header. Format: as the files of driver 535 to 580.
 */
#include "lines.h"
#include "../analyzer/clock/clock.h"

static bool take_time(ff_bytes *in, ff_stamp *stamp)
{
    ff_bytes rest = *in;
    unsigned month = 0;
    uint64_t day = 0;
    int64_t year = 0, ns = 0, grain = 0, midnight = 0;
    if (!ff_take_char(&rest, '[') || !ff_take_month_name(&rest, &month) || !ff_take_spaces(&rest) ||
        !ff_take_digits_of(&rest, 2, &day) || !ff_take_char(&rest, ' ') || !ff_take_digits(&rest, 4, &year) ||
        !ff_make_midnight(year, month, (int64_t)day, &midnight) || !ff_take_char(&rest, ' ') ||
        !ff_take_clock_of_day(&rest, &ns, &grain) || !ff_take_lit(&rest, FF_LIT("] ")))
        return false;
    *stamp = (ff_stamp){ .kind = FF_STAMP_LOCAL, .ns = midnight + ns, .grain_ns = grain };
    *in = rest;
    return true;
}

static bool take_fabricmanager(ff_event *ev)
{
    ff_bytes rest = ev->text, level;
    ff_stamp stamp;
    uint64_t thread = 0;
    if (!take_time(&rest, &stamp) || !ff_take_char(&rest, '[') || !ff_take_level(&rest, &level) ||
        !ff_take_lit(&rest, FF_LIT("] [tid ")) || !ff_take_uint(&rest, &thread) || !ff_take_char(&rest, ']') ||
        !ff_take_blank_or_end(&rest))
        return false;
    ff_see_time(ev, stamp);
    ff_see_stream(ev, FF_STREAM_GPU);
    ev->text = rest;
    return true;
}

static bool is_fabricmanager(ff_bytes line)
{
    ff_event ev = { .text = line, .who = FF_WHO_NOBODY };
    return take_fabricmanager(&ev);
}

static int fabricmanager_probe(const ff_probe *in) { return ff_bid_lines(in->head, is_fabricmanager); }

static bool fabricmanager_frame(ff_bytes record, ff_event *ev)
{
    ev->text = record;
    return take_fabricmanager(ev);
}

const ff_parser ff_parser_fabricmanager = {
    .name = "fabricmanager", .streams = FF_STREAM_GPU, .probe = fabricmanager_probe, .frame = fabricmanager_frame
};
const ff_coat ff_coat_fabricmanager = { .name = "fabricmanager",
                                        .begins = FF_FIRST_SQUARE,
                                        .take = take_fabricmanager };
