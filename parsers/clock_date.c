/* What `date` prints, in any of its orders, as local time and as UTC.
 *     Thu Jan  1 01:10:00 CET 2026             Thu 01 Jan 2026 01:10:00 AM CET      (glibc's C and en_US)
 *     Thu, 01 Jan 2026 01:10:00 +0100          2026-01-01T01:10:00+01:00            (date -R, date -Is)
 *     2026-01-01 01:10:00.123456+01:00                                              (hwclock)
 * Formats: coreutils date, glibc localedata date_fmt, util-linux hwclock. A zone's name counts where the tz database
 * of 2024 gives it to one offset only: CST, IST, PST and other names of several zones say nothing. */
#include "clock_date.h"

#define MINUTE_NS INT64_C(60000000000)

typedef struct zone_name {
    const char *name;
    int minutes; /* east of UTC */
} zone_name;

static const zone_name zones[] = {
    { "UTC", 0 },    { "GMT", 0 },    { "WET", 0 },     { "WEST", 60 },   { "CET", 60 },   { "CEST", 120 },
    { "EET", 120 },  { "EEST", 180 }, { "MSK", 180 },   { "BST", 60 },    { "EDT", -240 }, { "EST", -300 },
    { "MDT", -360 }, { "MST", -420 }, { "AKDT", -480 }, { "AKST", -540 }, { "HST", -600 }, { "ADT", -180 },
    { "AST", -240 }, { "NDT", -150 }, { "NST", -210 },  { "JST", 540 },   { "KST", 540 },  { "HKT", 480 },
    { "WIB", 420 },  { "WITA", 480 }, { "WIT", 540 },   { "PKT", 300 },   { "EAT", 180 },  { "CAT", 120 },
    { "SAST", 120 }, { "WAT", 60 },   { "IDT", 180 },   { "AWST", 480 },  { "ACST", 570 }, { "ACDT", 630 },
    { "AEST", 600 }, { "AEDT", 660 }, { "NZST", 720 },  { "NZDT", 780 }
};

static bool zone_offset(ff_bytes word, int64_t *ns)
{
    ff_bytes rest = word;
    for (size_t i = 0; i < FF_COUNT(zones); i++)
        if (ff_equal(word, ff_str(zones[i].name))) {
            *ns = zones[i].minutes * MINUTE_NS;
            return true;
        }
    /* names of two digits are what zones without a name of their own have: +08 */
    return word.n >= 3 && (word.p[0] == '+' || word.p[0] == '-') && ff_take_zone(&rest, ns) && !rest.n;
}

typedef struct words { /* what stands in the line, each once */
    unsigned month;
    uint64_t day, year;
    int64_t time, grain, zone;
    bool has_time, has_zone, morning, evening;
} words;

static bool take_known(words *w, ff_bytes word)
{
    static const char *const weekdays[] = { "Mon",  "Tue",  "Wed",  "Thu",  "Fri",  "Sat",  "Sun", "Mon,",
                                            "Tue,", "Wed,", "Thu,", "Fri,", "Sat,", "Sun,", NULL };
    ff_bytes rest = word;
    uint64_t number = 0;
    if (ff_is_one_of(word, weekdays))
        return true;
    if (!w->month && ff_take_month_name(&rest, &w->month))
        return !rest.n;
    if (!w->has_time && ff_take_clock_of_day(&rest, &w->time, &w->grain) && !rest.n) {
        w->has_time = true;
        return true;
    }
    rest = word;
    if (ff_take_digits_of(&rest, 4, &number) && !rest.n && (word.n == 4 ? !w->year : word.n <= 2 && !w->day)) {
        *(word.n == 4 ? &w->year : &w->day) = number;
        return true;
    }
    if (ff_equal(word, FF_LIT("AM")) || ff_equal(word, FF_LIT("PM"))) {
        *(word.p[0] == 'A' ? &w->morning : &w->evening) = true;
        return !(w->morning && w->evening);
    }
    if (w->has_zone || !zone_offset(word, &w->zone))
        return false;
    w->has_zone = true;
    return true;
}

static bool twelve_hours(words *w)
{
    const int64_t hour = 60 * MINUTE_NS;
    if (!w->morning && !w->evening)
        return true;
    if (w->time < hour || w->time >= 13 * hour)
        return false;
    w->time = (w->time >= 12 * hour ? w->time - 12 * hour : w->time) + (w->evening ? 12 * hour : 0);
    return true;
}

static bool take_words(ff_bytes text, ff_stamp *local, int64_t *zone)
{
    words w = { 0 };
    ff_bytes word;
    int64_t date = 0;
    while (ff_take_cell(&text, &word))
        if (!take_known(&w, word))
            return false;
    if (!w.has_time || !w.has_zone || !twelve_hours(&w) ||
        !ff_make_midnight((int64_t)w.year, w.month, (int64_t)w.day, &date))
        return false;
    *local = (ff_stamp){ .kind = FF_STAMP_LOCAL, .ns = date + w.time, .grain_ns = w.grain };
    *zone = w.zone;
    return true;
}

/* The local time is what stands in front of the zone. */
static bool take_iso(ff_bytes text, ff_stamp *local, int64_t *zone)
{
    ff_bytes rest = text, front;
    size_t sign = text.n;
    if (text.n < 20 || text.n > 40)
        return false;
    while (sign > 19 && text.p[sign - 1] != '+' && text.p[sign - 1] != '-' && text.p[sign - 1] != 'Z')
        sign--;
    if (sign <= 19)
        return false;
    rest = ff_skip_n(text, sign - 1);
    front = ff_trim(ff_first_n(text, sign - 1));
    return ff_take_zone(&rest, zone) && !rest.n && ff_take_rfc3339(&front, local) && !front.n &&
           local->kind == FF_STAMP_LOCAL;
}

bool ff_read_date(ff_bytes text, ff_stamp *local, ff_stamp *utc)
{
    ff_stamp wall;
    int64_t zone = 0;
    if (!take_iso(text, &wall, &zone) && !take_words(text, &wall, &zone))
        return false;
    *local = *utc = wall;
    utc->kind = FF_STAMP_UTC;
    utc->ns -= zone;
    return true;
}

/* "Date: Thu Jan  1 01:10:00 CET 2026" in the first lines of a report that says what it is. */
bool ff_date_of_report(ff_bytes head, uint32_t *line, ff_stamp *local, ff_stamp *utc)
{
    static const char BEGINS[] = "Start of NVIDIA bug report log file";
    ff_bytes text = ff_first_n(head, 4096);
    if (!ff_contains(text, ff_str(BEGINS)))
        return false;
    ff_bytes row;
    for (*line = 1; ff_take_line(&text, &row); (*line)++)
        if (ff_take_lit(&row, FF_LIT("Date:")))
            return ff_read_date(ff_trim(row), local, utc);
    return false;
}
