/* Small files that say how a machine's clocks stand to each other. Each gives records with two times, for the clock
 * stage.
 *     cpu  1 2 3 ...        btime 1767224600          /proc/stat: when the boot clock was 0
 *     1600.25 12345.67                                /proc/uptime
 *     2025-12-31 23:43:20                             uptime -s
 *              system boot  2025-12-31 23:43          who -b
 *     Thu Jan  1 01:10:00 CET 2026                    date
 *     2026-01-01 01:10:00.123456+01:00                hwclock
 *                    Local time: Thu 2026-01-01 01:10:00 CET        timedatectl
 *                Universal time: Thu 2026-01-01 00:10:00 UTC
 *                     Time zone: Europe/Berlin (CET, +0100)
 * Formats: kernel fs/proc/stat.c, procps uptime, coreutils date and who, systemd timedatectl. /proc/uptime says only
 * one time; where the bundle has the date of the same machine, the clock stage pairs them. */
#include "clock_date.h"
#include "doc_private.h"

#define SECOND_NS INT64_C(1000000000)
#define MINUTE_NS (60 * SECOND_NS)
#define BOOT_GRAIN (4 * SECOND_NS) /* the time of boot is reckoned back from now, and the clock of printk drifts */
#define MOST_BYTES 200             /* of all but /proc/stat */

typedef struct reading {
    ff_stamp said, also;
} reading;

static const ff_stamp at_boot = { .kind = FF_STAMP_SINCE_BOOT, .ns = 0, .grain_ns = BOOT_GRAIN };

static bool read_stat(ff_bytes text, reading *r)
{
    ff_bytes rest = text;
    uint64_t seconds = 0;
    if (!ff_starts(text, FF_LIT("cpu  ")) || !ff_take_past(&rest, FF_LIT("\nbtime ")) ||
        !ff_take_digits_of(&rest, 10, &seconds))
        return false;
    *r = (reading){ at_boot, { FF_STAMP_UTC, (int64_t)seconds * SECOND_NS, BOOT_GRAIN } };
    return true;
}

static bool read_uptime(ff_bytes text, reading *r)
{
    ff_bytes rest = text;
    int64_t up = 0, idle = 0;
    if (!ff_take_seconds(&rest, &up) || !ff_take_char(&rest, ' ') || !ff_take_seconds(&rest, &idle) ||
        ff_trim(rest).n || !ff_contains(text, FF_LIT(".")))
        return false;
    *r = (reading){ { FF_STAMP_SINCE_BOOT, up, SECOND_NS / 100 }, { 0 } };
    return true;
}

static bool read_boot(ff_bytes text, reading *r)
{
    ff_bytes rest = text;
    ff_stamp stamp;
    int64_t grain = BOOT_GRAIN;
    if (ff_take_lit(&rest, FF_LIT("system boot ")) && ff_take_spaces(&rest)) {
        grain = MINUTE_NS;
        if (rest.n != 16) /* no seconds */
            return false;
        char full[19];
        for (size_t i = 0; i < sizeof full; i++)
            full[i] = i < 16 ? rest.p[i] : i == 16 ? ':' : '0';
        ff_bytes filled = { full, sizeof full };
        if (!ff_take_rfc3339(&filled, &stamp) || filled.n)
            return false;
    } else if (rest.n != 19 || !ff_take_rfc3339(&rest, &stamp) || rest.n) {
        return false;
    }
    stamp.grain_ns = grain;
    *r = (reading){ at_boot, stamp };
    return stamp.kind == FF_STAMP_LOCAL;
}

static bool stamp_behind(ff_bytes text, ff_bytes key, ff_stamp *out)
{
    ff_bytes weekday;
    return ff_take_past(&text, key) && ff_take_spaces(&text) && ff_take_word(&text, &weekday) &&
           ff_take_char(&text, ' ') && text.n > 19 && ff_take_rfc3339(&text, out);
}

/* "Europe/Berlin (CET, +0100)" */
static bool zone_behind(ff_bytes text, ff_bytes key, int64_t *offset)
{
    ff_bytes name;
    return ff_take_past(&text, key) && ff_take_until(&text, ',', &name) && name.n < 80 && ff_take_char(&text, ' ') &&
           ff_take_zone(&text, offset) && ff_take_char(&text, ')');
}

static bool read_timedatectl(ff_bytes text, reading *r)
{
    ff_stamp local, utc;
    int64_t offset = 0;
    if (!stamp_behind(text, FF_LIT("Local time:"), &local))
        return false;
    if (!stamp_behind(text, FF_LIT("Universal time:"), &utc)) {
        if (!zone_behind(text, FF_LIT("Time zone:"), &offset))
            return false;
        utc = local;
        utc.ns -= local.kind == FF_STAMP_LOCAL ? offset : 0;
        local.ns += local.kind == FF_STAMP_UTC ? offset : 0;
    }
    local.kind = FF_STAMP_LOCAL;
    utc.kind = FF_STAMP_UTC;
    *r = (reading){ local, utc };
    return true;
}

/* The first word of the file's name says which command it was, where the content alone could be anything. */
static bool is_named(ff_bytes name, const char *word)
{
    size_t at = name.n;
    while (at && name.p[at - 1] != '/' && name.p[at - 1] != '!')
        at--;
    ff_bytes file = ff_skip_n(name, at), rest = file;
    return ff_take_lit(&rest, ff_str(word)) && !ff_contains(rest, FF_LIT("utc")) &&
           (!rest.n || rest.p[0] == '.' || rest.p[0] == '_');
}

static bool read_any(ff_bytes name, ff_bytes whole, reading *r)
{
    ff_bytes text = ff_trim(whole);
    if (ff_starts_str(text, "cpu  "))
        return read_stat(text, r);
    if (ff_contains(ff_first_n(text, 400), FF_LIT("Local time:")))
        return read_timedatectl(text, r);
    if (text.n > MOST_BYTES)
        return false;
    if (is_named(name, "uptime"))
        return read_uptime(text, r) || read_boot(text, r);
    if (is_named(name, "date") || is_named(name, "hwclock"))
        return ff_read_date(text, &r->said, &r->also);
    return is_named(name, "who") && read_boot(text, r);
}

static int clock_probe(const ff_probe *in)
{
    reading r;
    return in->whole && read_any(in->name, in->head, &r) ? 64 : 0;
}

static ff_status clock_parse(const ff_doc *doc, ff_sink *out)
{
    reading r;
    doc_lines lines;
    ff_bytes whole;
    uint64_t begin = 0;
    if (!read_any(doc->name, doc->bytes, &r))
        return FF_BAD;
    size_t at = ff_find(doc->bytes, FF_LIT("btime "));
    at = at < doc->bytes.n ? at : ff_find(doc->bytes, FF_LIT("Local time:"));
    doc_lines_init(&lines, doc->bytes);
    uint32_t line = doc_line_at(&lines, at < doc->bytes.n ? at : 0, &whole, &begin);
    ff_event ev = { .stream = FF_STREAM_HOST, .said = r.said, .also = r.also, .text = whole, .who = FF_WHO_NOBODY };
    ev.ident = FF_LIT("clock");
    out->event(out->owner, &ev, line, begin, whole);
    return FF_OK;
}

const ff_parser ff_parser_clock_file = {
    .name = "clock_file", .streams = FF_STREAM_HOST, .collected = true, .probe = clock_probe, .parse = clock_parse
};
