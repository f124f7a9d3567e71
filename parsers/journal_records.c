/* Journal entries that take several lines each: journalctl -o verbose, json-pretty and json-sse, and arrays of
 * entries.
 *
 *     Thu 2026-01-01 00:00:00.000000 UTC [s=0a1b;i=1;b=<boot>;m=4c4b40;t=6474846204000;x=5e]
 *         MESSAGE=text
 *         _HOSTNAME=gpu-a01
 *
 *     {
 *             "__REALTIME_TIMESTAMP" : "1767225600000000",
 *             "MESSAGE" : "text"
 *     }
 *
 * Formats: systemd logs-show.c. m and t are hexadecimal microseconds. Further lines of a value are indented to where
 * it began. */
#include "journal.h"
#include "objects.h"

#define FIELD_INDENT 4
#define HEX_DIGITS_MOST 15
#define MOST_ZONE 16 /* " UTC [s=", " +0530 [s=" */
#define MOST_CURSOR 400

/* ---- verbose ---- */
static bool take_hex(ff_bytes *in, uint64_t *out)
{
    uint64_t value = 0;
    size_t n = 0;
    for (; n < in->n && n < HEX_DIGITS_MOST; n++) {
        char c = in->p[n];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
            break;
        value = value << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    *out = value;
    *in = ff_skip_n(*in, n);
    return n > 0;
}

/* What stands behind ";KEY=" of the cursor. */
static bool find_in_cursor(ff_bytes cursor, const char *key, ff_bytes *out)
{
    size_t at = ff_find(cursor, ff_str(key));
    if (at >= cursor.n)
        return false;
    *out = ff_skip_n(cursor, at + ff_str(key).n);
    return true;
}

/* The zone's name is passed over: the cursor has the time in UTC. */
static bool take_verbose_head(ff_bytes line, journal_entry *e)
{
    ff_bytes rest = line, weekday, cursor, part;
    ff_stamp stamp;
    if (rest.n < 4 || rest.p[3] != ' ' || !ff_take_word(&rest, &weekday) || weekday.n != 3 ||
        !ff_take_char(&rest, ' ') || !ff_take_rfc3339(&rest, &stamp))
        return false;
    size_t at = ff_find(ff_first_n(rest, MOST_ZONE), FF_LIT(" [s="));
    if (at >= ff_first_n(rest, MOST_ZONE).n)
        return false;
    cursor = ff_first_n(ff_skip_n(rest, at + 1), MOST_CURSOR);
    if (!find_in_cursor(cursor, ";t=", &part) || !take_hex(&part, &e->realtime_us))
        return false;
    if (find_in_cursor(cursor, ";m=", &part))
        (void)take_hex(&part, &e->monotonic_us);
    if (find_in_cursor(cursor, ";b=", &part))
        (void)ff_take_until(&part, ';', &e->boot);
    return true;
}

static bool is_verbose_head(ff_bytes line)
{
    journal_entry e = { .pid = 0 };
    return take_verbose_head(line, &e);
}

static size_t blanks_of(ff_bytes line)
{
    size_t n = 0;
    while (n < line.n && line.p[n] == ' ')
        n++;
    return n;
}

/* A value with the further lines that are indented to its column; they become one text with newlines. */
static ff_bytes whole_value(ff_arena *scratch, ff_bytes value, size_t column, ff_bytes *rest)
{
    ff_bytes after = *rest, line;
    size_t size = value.n;
    while (ff_take_line(&after, &line) && blanks_of(line) >= column)
        size += 1 + line.n - column;
    if (size == value.n || !scratch)
        return value;
    char *out = FF_NEW_N(scratch, char, size);
    size_t n = 0;
    for (size_t i = 0; i < value.n; i++)
        out[n++] = value.p[i];
    while (n < size && ff_take_line(rest, &line)) {
        out[n++] = '\n';
        for (size_t i = column; i < line.n; i++)
            out[n++] = line.p[i];
    }
    return (ff_bytes){ out, n };
}

static bool verbose_frame(ff_bytes record, ff_event *ev)
{
    journal_entry e = { .pid = 0 };
    ff_bytes rest = record, line, key;
    ev->text = record;
    if (!ff_take_line(&rest, &line) || !take_verbose_head(line, &e))
        return false;
    while (ff_take_line(&rest, &line)) {
        ff_bytes value = ff_skip_n(line, FIELD_INDENT);
        if (blanks_of(line) != FIELD_INDENT || !ff_take_until(&value, '=', &key))
            continue;
        journal_set(&e, key, whole_value(ev->scratch, value, FIELD_INDENT + key.n + 1, &rest));
    }
    return journal_see(ev, &e);
}

/* Length of the first entry: up to the next head. SIZE_MAX: no other begins in what is there. */
static size_t verbose_length(ff_bytes run)
{
    ff_bytes rest = run, line;
    while (ff_take_line(&rest, &line))
        if (rest.n && rest.p[0] != ' ' && is_verbose_head(rest))
            return run.n - rest.n;
    return SIZE_MAX;
}

static size_t verbose_whole(ff_bytes run) { return records_whole(run, verbose_length); }
static ff_bytes verbose_record(ff_bytes run, size_t at) { return records_at(run, at, verbose_length); }

static bool is_verbose_line(ff_bytes line)
{
    return is_verbose_head(line) || ff_starts(line, FF_LIT("-- ")) || ff_starts(line, FF_LIT("    "));
}

static int verbose_probe(const ff_probe *in)
{
    unsigned lines, heads;
    ff_count_lines(in->head, is_verbose_head, &lines, &heads);
    return heads ? ff_bid_lines(in->head, is_verbose_line) : 0;
}

const ff_parser ff_parser_journal_verbose = { .name = "journal_verbose",
                                              .streams = JOURNAL_STREAMS,
                                              .probe = verbose_probe,
                                              .frame = verbose_frame,
                                              .whole = verbose_whole,
                                              .record = verbose_record };

/* ---- objects over several lines ---- */
static bool objects_frame(ff_bytes record, ff_event *ev)
{
    size_t at = ff_find(record, FF_LIT("{"));
    bool framed = at < record.n && journal_json_frame(ff_skip_n(record, at), ev);
    if (!framed)
        ev->text = record;
    return framed;
}

/* The first object must be an entry, and not end where its line does: then it is journal_json's. */
static int objects_probe(const ff_probe *in)
{
    ff_bytes first;
    bool entry = ff_contains(in->head, FF_LIT("\"__REALTIME_TIMESTAMP\"")) && object_first(in->head, &first) &&
                 ff_contains(first, FF_LIT("\"MESSAGE\"")) && ff_contains(first, FF_LIT("\"__REALTIME_TIMESTAMP\""));
    return entry ? 256 : 0;
}

const ff_parser ff_parser_journal_objects = { .name = "journal_objects",
                                              .streams = JOURNAL_STREAMS,
                                              .probe = objects_probe,
                                              .frame = objects_frame,
                                              .whole = objects_whole,
                                              .record = objects_record };
