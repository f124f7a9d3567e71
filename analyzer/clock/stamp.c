/* Text -> stamp. Each function takes one shape off the front and leaves everything alone when it does not fit;
 * nothing is inferred here, so a date without a zone stays LOCAL and a date without a year stays NO_YEAR. */
#include "clock.h"

#include "../base/text.h"

#define SECOND INT64_C(1000000000)
#define DAY (86400 * SECOND)
#define FIRST_YEAR 1970
#define LAST_YEAR 2261 /* int64 nanoseconds end in April 2262 */

static bool starts_with_digit(ff_bytes b) { return b.n && b.p[0] >= '0' && b.p[0] <= '9'; }

static bool starts_with_letter(ff_bytes b)
{
    return b.n && ((b.p[0] >= 'a' && b.p[0] <= 'z') || (b.p[0] >= 'A' && b.p[0] <= 'Z'));
}

static unsigned days_in_month(int64_t year, unsigned month)
{
    static const unsigned char days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : days[month - 1];
}

bool ff_make_midnight(int64_t year, int64_t month, int64_t day, int64_t *ns)
{
    if (year < FIRST_YEAR || year > LAST_YEAR || month < 1 || month > 12 || day < 1)
        return false;
    if (day > (int64_t)days_in_month(year, (unsigned)month))
        return false;
    *ns = ff_days_from_date(year, (unsigned)month, (unsigned)day) * DAY;
    return true;
}

/* A date without a year counts from 1972, a leap year, so that February 29 has a place. */
static bool midnight_no_year(int64_t month, int64_t day, int64_t *ns)
{
    int64_t at = 0, start = 0;
    if (!ff_make_midnight(1972, month, day, &at) || !ff_make_midnight(1972, 1, 1, &start))
        return false;
    *ns = at - start;
    return true;
}

bool ff_take_month_name(ff_bytes *in, unsigned *month)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    if (in->n < 3 || in->p[0] < 'A' || in->p[0] > 'S')
        return false;
    for (unsigned i = 0; i < 12; i++) {
        if (ff_take_lit(in, (ff_bytes){ names + 3 * i, 3 })) {
            *month = i + 1;
            return true;
        }
    }
    return false;
}

bool ff_take_clock_of_day(ff_bytes *in, int64_t *ns, int64_t *grain_ns)
{
    ff_bytes rest = *in;
    int64_t h = 0, m = 0, s = 0, fraction = 0, grain = SECOND;
    if (!ff_take_digits(&rest, 2, &h) || !ff_take_char(&rest, ':') || !ff_take_digits(&rest, 2, &m) ||
        !ff_take_char(&rest, ':') || !ff_take_digits(&rest, 2, &s))
        return false;
    if (h > 23 || m > 59 || s > 60) /* 60 is a leap second: it reads as the first second of the next minute */
        return false;
    ff_take_fraction(&rest, &fraction, &grain);
    if (starts_with_digit(rest))
        return false;
    *ns = (h * 3600 + m * 60 + s) * SECOND + fraction;
    *grain_ns = grain;
    *in = rest;
    return true;
}

static bool take_zone_name(ff_bytes *in)
{
    ff_bytes rest = *in;
    if (!ff_take_lit(&rest, FF_LIT("UTC")) && !ff_take_lit(&rest, FF_LIT("GMT")) && !ff_take_char(&rest, 'Z') &&
        !ff_take_char(&rest, 'z'))
        return false;
    if (starts_with_letter(rest) || starts_with_digit(rest))
        return false;
    *in = rest;
    return true;
}

bool ff_take_zone(ff_bytes *in, int64_t *offset_ns)
{
    ff_bytes rest = *in;
    if (take_zone_name(&rest)) {
        *offset_ns = 0;
        *in = rest;
        return true;
    }
    bool minus = rest.n && rest.p[0] == '-';
    int64_t h = 0, m = 0;
    if (!ff_take_char(&rest, minus ? '-' : '+') || !ff_take_digits(&rest, 2, &h))
        return false;
    ff_bytes after = rest;
    if ((ff_take_char(&after, ':') || true) && ff_take_digits(&after, 2, &m))
        rest = after;
    else
        m = 0;
    if (h > 14 || m > 59 || starts_with_digit(rest)) /* +14:00 is the farthest zone there is */
        return false;
    *offset_ns = (minus ? -1 : 1) * (h * 3600 + m * 60) * SECOND;
    *in = rest;
    return true;
}

/* The zone behind a date and time: glued on, or after one blank where it cannot be anything else. */
static bool take_zone_behind(ff_bytes *in, int64_t *offset_ns)
{
    if (ff_take_zone(in, offset_ns))
        return true;
    ff_bytes rest = *in;
    if (!ff_take_char(&rest, ' '))
        return false;
    size_t before = rest.n;
    int64_t offset = 0;
    if (!ff_take_zone(&rest, &offset))
        return false;
    size_t width = before - rest.n;
    if (width != 5 && width != 6 && !(width == 3 && starts_with_letter((ff_bytes){ rest.p - width, width })))
        return false; /* " -05" or " Z" may be the message */
    if (rest.n && rest.p[0] != ' ' && rest.p[0] != ']' && rest.p[0] != ')' && rest.p[0] != ',' && rest.p[0] != '\t' &&
        rest.p[0] != '"')
        return false;
    *offset_ns = offset;
    *in = rest;
    return true;
}

static bool take_date(ff_bytes *in, int64_t *ns)
{
    ff_bytes rest = *in;
    int64_t year = 0, month = 0, day = 0;
    if (!ff_take_digits(&rest, 4, &year) || !rest.n || (rest.p[0] != '-' && rest.p[0] != '/'))
        return false;
    char dash = rest.p[0];
    if (!ff_take_char(&rest, dash) || !ff_take_digits(&rest, 2, &month) || !ff_take_char(&rest, dash) ||
        !ff_take_digits(&rest, 2, &day) || !ff_make_midnight(year, month, day, ns))
        return false;
    *in = rest;
    return true;
}

bool ff_take_rfc3339(ff_bytes *in, ff_stamp *out)
{
    ff_bytes rest = *in;
    int64_t date = 0, time = 0, grain = 0, zone = 0;
    if (!take_date(&rest, &date))
        return false;
    if (!ff_take_char(&rest, 'T') && !ff_take_char(&rest, ' ') && !ff_take_char(&rest, '_') &&
        !ff_take_char(&rest, 't'))
        return false;
    if (!ff_take_clock_of_day(&rest, &time, &grain))
        return false;
    bool zoned = take_zone_behind(&rest, &zone);
    *out = (ff_stamp){ .kind = zoned ? FF_STAMP_UTC : FF_STAMP_LOCAL, .ns = date + time - zone, .grain_ns = grain };
    *in = rest;
    return true;
}

/* A day of one or two digits, padded with a blank: "Jan  1", "Jan 31", "Jan 1". */
static bool take_padded_day(ff_bytes *in, int64_t *day)
{
    ff_bytes rest = *in;
    if (!ff_take_char(&rest, ' '))
        return false;
    (void)ff_take_char(&rest, ' ');
    if (!ff_take_digits(&rest, 2, day) && !ff_take_digits(&rest, 1, day))
        return false;
    if (!ff_take_char(&rest, ' '))
        return false;
    *in = rest;
    return true;
}

/* "Jan", or the number with a sign behind it that Japanese and Chinese locales print: " 1月". */
static bool take_any_month(ff_bytes *in, unsigned *month)
{
    if (ff_take_month_name(in, month))
        return true;
    ff_bytes rest = *in;
    int64_t n = 0;
    (void)ff_take_char(&rest, ' ');
    if ((!ff_take_digits(&rest, 2, &n) && !ff_take_digits(&rest, 1, &n)) ||
        !ff_take_lit(&rest, FF_LIT("\xe6\x9c\x88")))
        return false;
    *month = (unsigned)n;
    *in = rest;
    return true;
}

static bool is_weekday(ff_bytes word)
{
    static const char names[] = "MonTueWedThuFriSatSun";
    if (word.n != 3)
        return false;
    for (size_t i = 0; i < 7; i++)
        if (names[3 * i] == word.p[0] && ff_equal(word, (ff_bytes){ names + 3 * i, 3 }))
            return true;
    return ((unsigned char)word.p[0] & 0xf0u) == 0xe0u; /* one character of a CJK locale */
}

bool ff_take_ctime(ff_bytes *in, ff_stamp *out)
{
    ff_bytes rest = *in, weekday = { 0 };
    unsigned month = 0;
    int64_t day = 0, year = 0, date = 0, time = 0, grain = 0;
    if (rest.n < 4 || rest.p[3] != ' ' || !ff_take_word(&rest, &weekday) || !is_weekday(weekday) ||
        !ff_take_char(&rest, ' ') || !take_any_month(&rest, &month) || !take_padded_day(&rest, &day) ||
        !ff_take_clock_of_day(&rest, &time, &grain) || !ff_take_char(&rest, ' '))
        return false;
    ff_bytes named = rest; /* `date` prints the zone in front of the year */
    bool zoned = take_zone_name(&named) && ff_take_char(&named, ' ');
    if (zoned)
        rest = named;
    if (!ff_take_digits(&rest, 4, &year) || starts_with_digit(rest) || !ff_make_midnight(year, month, day, &date))
        return false;
    *out = (ff_stamp){ .kind = zoned ? FF_STAMP_UTC : FF_STAMP_LOCAL, .ns = date + time, .grain_ns = grain };
    *in = rest;
    return true;
}

bool ff_take_syslog_time(ff_bytes *in, ff_stamp *out)
{
    ff_bytes rest = *in;
    unsigned month = 0;
    int64_t day = 0, date = 0, time = 0, grain = 0;
    if (!ff_take_month_name(&rest, &month) || !take_padded_day(&rest, &day) ||
        !ff_take_clock_of_day(&rest, &time, &grain) || !midnight_no_year(month, day, &date))
        return false;
    *out = (ff_stamp){ .kind = FF_STAMP_NO_YEAR, .ns = date + time, .grain_ns = grain };
    *in = rest;
    return true;
}

/* glog 0.6 and later puts the year in front: 20260101 00:00:00.123456. */
static bool take_klog_date(ff_bytes *in, ff_stamp_kind *kind, int64_t *date)
{
    ff_bytes rest = *in;
    int64_t year = 0, month = 0, day = 0;
    if (ff_take_digits(&rest, 4, &year) && ff_take_digits(&rest, 2, &month) && ff_take_digits(&rest, 2, &day) &&
        ff_take_char(&rest, ' ') && ff_make_midnight(year, month, day, date)) {
        *kind = FF_STAMP_LOCAL;
        *in = rest;
        return true;
    }
    rest = *in;
    if (!ff_take_digits(&rest, 2, &month) || !ff_take_digits(&rest, 2, &day) || !ff_take_char(&rest, ' ') ||
        !midnight_no_year(month, day, date))
        return false;
    *kind = FF_STAMP_NO_YEAR;
    *in = rest;
    return true;
}

bool ff_take_klog_time(ff_bytes *in, ff_stamp *out)
{
    ff_bytes rest = *in;
    ff_stamp_kind kind = FF_STAMP_NONE;
    int64_t date = 0, time = 0, grain = 0;
    if (!take_klog_date(&rest, &kind, &date) || !ff_take_clock_of_day(&rest, &time, &grain) || grain == SECOND)
        return false;
    *out = (ff_stamp){ .kind = kind, .ns = date + time, .grain_ns = grain };
    *in = rest;
    return true;
}

/* The nine digits behind the second come from CLOCK_MONOTONIC, the second from the wall clock: they do not belong
 * together, so only the second is kept. */
bool ff_take_torch_time(ff_bytes *in, ff_stamp *out)
{
    ff_bytes rest = *in;
    int64_t monthday = 0, date = 0, time = 0, grain = 0;
    if (!(ff_take_digits(&rest, 4, &monthday) || ff_take_digits(&rest, 3, &monthday)) || !ff_take_char(&rest, ' ') ||
        !ff_take_clock_of_day(&rest, &time, &grain) || grain != 1 ||
        !midnight_no_year(monthday / 100, monthday % 100, &date))
        return false;
    *out = (ff_stamp){ .kind = FF_STAMP_NO_YEAR, .ns = date + time / SECOND * SECOND, .grain_ns = SECOND };
    *in = rest;
    return true;
}

bool ff_take_epoch(ff_bytes *in, ff_stamp *out)
{
    ff_bytes rest = *in;
    int64_t s = 0, fraction = 0, grain = SECOND;
    if (!ff_take_digits(&rest, 10, &s) || s < 1000000000 || s >= INT64_MAX / SECOND || starts_with_digit(rest))
        return false;
    ff_take_fraction(&rest, &fraction, &grain);
    *out = (ff_stamp){ .kind = FF_STAMP_UTC, .ns = s * SECOND + fraction, .grain_ns = grain };
    *in = rest;
    return true;
}
