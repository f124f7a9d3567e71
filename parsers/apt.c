/* The history of apt: a record of several lines, between the times of its start and its end.
 *     Start-Date: 2026-01-01  00:00:00
 *     Commandline: /usr/bin/unattended-upgrade
 *     Upgrade: libnvidia-compute-580:amd64 (580.65.06-0ubuntu1, 580.82.07-0ubuntu1)
 *     End-Date: 2026-01-01  00:00:05
 * Format: /var/log/apt/history.log; two blanks between date and time, in the zone of the host. The text stays whole.
 */
#include "lines.h"

#include <string.h>

enum { DATE = 10, TIME = 8 };

static bool read_apt(ff_event *ev)
{
    ff_bytes rest = ev->text;
    char joined[DATE + 1 + TIME];
    ff_stamp stamp;
    if (!(ev->stream & FF_STREAM_HOST) ||
        (!ff_take_lit(&rest, FF_LIT("Start-Date: ")) && !ff_take_lit(&rest, FF_LIT("End-Date: "))) ||
        rest.n != DATE + 2 + TIME || rest.p[DATE] != ' ' || rest.p[DATE + 1] != ' ')
        return false;
    memcpy(joined, rest.p, DATE + 1);
    memcpy(joined + DATE + 1, rest.p + DATE + 2, TIME);
    ff_bytes text = { joined, sizeof joined };
    if (!ff_take_rfc3339(&text, &stamp) || text.n)
        return false;
    ff_see_stream(ev, FF_STREAM_HOST);
    ff_see_time(ev, stamp);
    return true;
}

const ff_reader ff_reader_apt = { .name = "apt", .read = read_apt };
