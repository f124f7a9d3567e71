/* Signal handlers that say when the signal came, in Unix seconds; the text stays whole.
 *     *** SIGSEGV received at time=1767225600 on cpu 19 ***
 *     *** Aborted at 1767225600 (unix time) try "date -d @1767225600" if you are using GNU date ***
 * Formats: absl debugging/failure_signal_handler.cc; glog signalhandler.cc. */
#include "lines.h"

static bool read_crash_time(ff_event *ev)
{
    ff_bytes rest = ev->text, name;
    ff_stamp stamp;
    if (!(ev->stream & FF_STREAM_APP) || !ff_take_lit(&rest, FF_LIT("*** ")))
        return false;
    if (!ff_take_lit(&rest, FF_LIT("Aborted at ")) && !(ff_starts_str(rest, "SIG") && ff_take_name(&rest, &name) &&
                                                        ff_take_lit(&rest, FF_LIT(" received at time="))))
        return false;
    if (!ff_take_epoch(&rest, &stamp) || !ff_starts_str(rest, " "))
        return false;
    ff_see_stream(ev, FF_STREAM_APP);
    ff_see_time(ev, stamp);
    return true;
}

const ff_reader ff_reader_crash_time = { .name = "crash_time", .read = read_crash_time };
