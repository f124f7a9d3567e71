/* Journal entries with all their fields: journalctl -o export and -o json.
 *     __REALTIME_TIMESTAMP=1767225600123456      {"__REALTIME_TIMESTAMP":"1767225600123456","_HOSTNAME":"gpu-a01",
 *     _HOSTNAME=gpu-a01                           "SYSLOG_IDENTIFIER":"kernel","MESSAGE":"text"}
 *     MESSAGE                                     MESSAGE may be an array of byte values
 *     <8 bytes length><bytes>
 *     <empty line>
 * Format: systemd docs/JOURNAL_EXPORT_FORMATS.md. Field order is free, unknown fields are passed over.
 * Not understood: field values of 4 KiB and more that journalctl replaced by null. */
#include "journal.h"

#define MICROSECOND 1000
#define MOST_TIME UINT64_C(9000000000000000) /* in nanoseconds it still is a number; the year 2255 */
#define MOST_BINARY (1u << 24)               /* longer is a torn file, whose text was read as a length */

static void take_number(ff_bytes value, uint64_t *out)
{
    ff_bytes rest = value;
    uint64_t n = 0;
    if (ff_take_digits_of(&rest, 16, &n) && ff_is_empty(rest) && n < MOST_TIME)
        *out = n;
}

void journal_set(journal_entry *e, ff_bytes key, ff_bytes value)
{
    const struct {
        ff_bytes key;
        ff_bytes *text;
        uint64_t *number;
    } wanted[] = {
        { FF_LIT("MESSAGE"), &e->message, NULL },
        { FF_LIT("_BOOT_ID"), &e->boot, NULL },
        { FF_LIT("_HOSTNAME"), &e->host, NULL },
        { FF_LIT("SYSLOG_IDENTIFIER"), &e->ident, NULL },
        { FF_LIT("_COMM"), &e->comm, NULL },
        { FF_LIT("_TRANSPORT"), &e->transport, NULL },
        { FF_LIT("CONTAINER_ID_FULL"), &e->container, NULL },
        { FF_LIT("CONTAINER_PARTIAL_MESSAGE"), &e->partial, NULL },
        { FF_LIT("_PID"), NULL, &e->pid },
        { FF_LIT("__REALTIME_TIMESTAMP"), NULL, &e->realtime_us },
        { FF_LIT("_SOURCE_REALTIME_TIMESTAMP"), NULL, &e->source_realtime_us },
        { FF_LIT("__MONOTONIC_TIMESTAMP"), NULL, &e->monotonic_us },
        { FF_LIT("_SOURCE_MONOTONIC_TIMESTAMP"), NULL, &e->source_monotonic_us },
    };
    for (size_t i = 0; i < FF_COUNT(wanted); i++) {
        if (!ff_equal(key, wanted[i].key))
            continue;
        if (wanted[i].text)
            *wanted[i].text = value;
        else
            take_number(value, wanted[i].number);
    }
}

static ff_stamp stamp_of(ff_stamp_kind kind, uint64_t us)
{
    return us && us < MOST_TIME ? (ff_stamp){ .kind = kind, .ns = (int64_t)us * MICROSECOND, .grain_ns = MICROSECOND }
                                : (ff_stamp){ 0 };
}

/* b moved back by as much as later lies behind earlier; 0 when that cannot be said. */
static uint64_t moved_back(uint64_t b, uint64_t later, uint64_t earlier)
{
    return later >= earlier && b > later - earlier ? b - (later - earlier) : 0;
}

/* The kernel stamped its records itself, before journald read them. An anchor needs two times of one moment:
 * journald's own pair gives the distance of the clocks, so the missing half is moved back to the source's moment. */
static void see_times(ff_event *ev, const journal_entry *e, bool kernel)
{
    uint64_t boot = e->monotonic_us, wall = e->realtime_us;
    if (e->source_monotonic_us) {
        wall = e->monotonic_us ? moved_back(wall, e->monotonic_us, e->source_monotonic_us) : wall;
        boot = e->source_monotonic_us;
    } else if (e->source_realtime_us) {
        boot = e->realtime_us ? moved_back(boot, e->realtime_us, e->source_realtime_us) : boot;
        wall = e->source_realtime_us;
    }
    ff_stamp since_boot = stamp_of(FF_STAMP_SINCE_BOOT, boot), utc = stamp_of(FF_STAMP_UTC, wall);
    bool by_boot = since_boot.kind != FF_STAMP_NONE && (kernel || utc.kind == FF_STAMP_NONE);
    ev->said = by_boot ? since_boot : utc;
    ev->also = by_boot ? utc : since_boot;
}

bool journal_see(ff_event *ev, const journal_entry *e)
{
    if (!e->realtime_us && !e->source_realtime_us && !e->monotonic_us && !e->source_monotonic_us)
        return false;
    bool kernel = ff_equal(e->transport, FF_LIT("kernel")) || ff_equal(e->ident, FF_LIT("kernel"));
    if (e->container.n == 64) {
        ev->who.container = e->container;
        ev->who.host = e->host; /* journald's own field, not the container's */
        ev->in_container = true;
        ev->part = 1;
        ev->goes_on = ff_equal(e->partial, FF_LIT("true"));
    }
    ff_see_host(ev, e->host);
    ev->who.boot = e->boot;
    ff_see_pid(ev, e->pid);
    ff_see_program(ev, kernel ? FF_LIT("kernel") : ff_is_empty(e->ident) ? e->comm : e->ident);
    see_times(ev, e, kernel);
    ev->text = e->message;
    return true;
}

/* ---- export ---- */
static bool take_length(ff_bytes *in, uint64_t *n)
{
    uint64_t value = 0;
    if (in->n < 8)
        return false;
    for (unsigned i = 0; i < 8; i++)
        value |= (uint64_t)(unsigned char)in->p[i] << (8 * i);
    *n = value;
    *in = ff_skip_n(*in, 8);
    return true;
}

static bool is_field_name(ff_bytes name)
{
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        if (!((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'))
            return false;
    }
    return name.n > 0 && name.n <= 64;
}

typedef enum taken { TAKEN_FIELD, TAKEN_END, TAKEN_NOTHING } taken;

/* The next field, or the empty line that ends the entry. NOTHING: what is left is not whole. A line that is no field
 * (torn, or a length that cannot be) counts as a field without a name, so that the walk always gets on. */
static taken take_field(ff_bytes *in, ff_bytes *key, ff_bytes *value)
{
    ff_bytes rest = *in, line;
    uint64_t n = 0;
    if (!ff_take_until(&rest, '\n', &line))
        return TAKEN_NOTHING;
    if (ff_is_empty(line) || ff_equal(line, FF_LIT("\r"))) {
        *in = rest;
        return TAKEN_END;
    }
    *key = *value = (ff_bytes){ 0 };
    ff_bytes after = line, binary = rest;
    if (ff_take_until(&after, '=', key)) {
        *value = after;
    } else if (is_field_name(line)) {
        /* without "=" a binary value follows: its length, its bytes, a newline */
        if (!take_length(&binary, &n))
            return TAKEN_NOTHING;
        if (n <= MOST_BINARY) {
            if (n >= binary.n)
                return TAKEN_NOTHING;
            *key = line;
            *value = ff_first_n(binary, (size_t)n);
            rest = ff_skip_n(binary, (size_t)n + 1);
        }
    }
    *in = rest;
    return TAKEN_FIELD;
}

/* Moves past one entry and its empty lines. False: it does not end in what is there. */
static bool take_entry(ff_bytes *in)
{
    ff_bytes rest = *in, key, value;
    taken what;
    bool any = false;
    while ((what = take_field(&rest, &key, &value)) != TAKEN_NOTHING) {
        if (what == TAKEN_FIELD) {
            any = true;
            continue;
        }
        if (any) {
            *in = rest;
            return true;
        }
    }
    return false;
}

static size_t export_whole(ff_bytes run)
{
    ff_bytes rest = run;
    while (take_entry(&rest))
        ;
    return run.n - rest.n;
}

static ff_bytes export_record(ff_bytes run, size_t at)
{
    ff_bytes rest = run;
    for (;;) {
        ff_bytes start = rest;
        bool whole = take_entry(&rest);
        if (!whole || at < run.n - rest.n)
            return whole ? ff_first_n(start, start.n - rest.n) : start;
    }
}

static bool export_frame(ff_bytes record, ff_event *ev)
{
    journal_entry e = { .pid = 0 };
    ff_bytes rest = record, key, value;
    taken what;
    ev->text = record;
    while ((what = take_field(&rest, &key, &value)) != TAKEN_NOTHING)
        if (what == TAKEN_FIELD && !ff_is_empty(key))
            journal_set(&e, key, value);
    /* the last field of a file that was cut */
    ff_bytes line;
    if (ff_take_line(&rest, &line) && ff_take_until(&line, '=', &key) && is_field_name(key))
        journal_set(&e, key, line);
    return journal_see(ev, &e);
}

static bool is_export_line(ff_bytes line)
{
    ff_bytes name;
    return ff_take_until(&line, '=', &name) && is_field_name(name);
}

static int export_probe(const ff_probe *in)
{
    ff_bytes head = ff_first_n(in->head, 4096);
    if (!ff_contains(head, FF_LIT("__REALTIME_TIMESTAMP=")) || !ff_contains(head, FF_LIT("__MONOTONIC_TIMESTAMP=")))
        return 0;
    return ff_bid_lines(in->head, is_export_line);
}

const ff_parser ff_parser_journal_export = { .name = "journal_export",
                                             .streams = JOURNAL_STREAMS,
                                             .probe = export_probe,
                                             .frame = export_frame,
                                             .whole = export_whole,
                                             .record = export_record };

/* ---- json ---- */
bool journal_json_frame(ff_bytes record, ff_event *ev)
{
    journal_entry e = { .pid = 0 };
    ff_bytes rest = record, key, value;
    ev->text = record;
    ff_take_char(&rest, '\x1e'); /* json-seq */
    if (!ff_take_char(&rest, '{'))
        return false;
    while (ff_take_json_pair(&rest, &key, &value))
        journal_set(&e, key, ff_json_plain(ev->scratch, value));
    return journal_see(ev, &e);
}

static bool is_json_entry(ff_bytes line)
{
    ff_take_char(&line, '\x1e');
    return ff_starts(line, FF_LIT("{")) && ff_contains(line, FF_LIT("\"MESSAGE\"")) &&
           (ff_contains(line, FF_LIT("\"__REALTIME_TIMESTAMP\"")) ||
            ff_contains(line, FF_LIT("\"_SOURCE_REALTIME_TIMESTAMP\"")));
}

static int json_probe(const ff_probe *in) { return ff_bid_lines(in->head, is_json_entry); }

const ff_parser ff_parser_journal_json = {
    .name = "journal_json", .streams = JOURNAL_STREAMS, .probe = json_probe, .frame = journal_json_frame
};
