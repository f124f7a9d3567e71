/* What we print: cleaned log text, sizes, spans, dates. */
#include "../analyzer/base/text.h"

#include "check.h"

#define BAD "\xEF\xBF\xBD" /* U+FFFD */

typedef struct row {
    const char *in, *out;
} row;

TEST(buffer_grows)
{
    ff_text t;
    ff_text_init(&t, 0);
    CHECK_INT(ff_text_view(&t).n, 0);
    for (int i = 0; i < 1000; i++)
        ff_text_addf(&t, "%d,", i % 10);
    CHECK_INT(t.n, 2000);
    CHECK_INT(t.p[2000], 0);
    ff_text_addc(&t, 'x');
    ff_text_adds(&t, NULL);
    ff_text_add(&t, (ff_bytes){ 0 });
    CHECK_INT(t.n, 2001);
    ff_text_addf(&t, "%3000d", 5);
    CHECK_INT(t.n, 5001);
    CHECK(!t.cut);
    ff_text_done(&t);
    CHECK_INT(t.n, 0);
}

TEST(limit_cuts)
{
    ff_text t;
    ff_text_init(&t, 5);
    ff_text_adds(&t, "abc");
    CHECK(!t.cut);
    ff_text_adds(&t, "de");
    CHECK(!t.cut);
    ff_text_adds(&t, "f");
    CHECK(t.cut);
    CHECK_TEXT(ff_text_view(&t), "abcde");
    ff_text_addf(&t, "%d", 12345);
    CHECK_TEXT(ff_text_view(&t), "abcde");
    ff_text_done(&t);
}

static void check_clean(ff_bytes in, const char *out)
{
    ff_text t;
    ff_text_init(&t, 0);
    ff_text_add_clean(&t, in);
    CHECK_TEXT(ff_text_view(&t), out);
    CHECK(t.p && t.p[t.n] == 0);
    ff_text_done(&t);
}

TEST(log_text_is_cleaned)
{
    static const row rows[] = {
        { "", "" },
        { "plain text\twith tab", "plain text\twith tab" },
        { "d\xc3\xa9j\xc3\xa0 \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80",
          "d\xc3\xa9j\xc3\xa0 \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80" },
        { "\x1b[31mred", BAD "[31mred" },
        { "a\rb\nc\x7f", "a" BAD "b" BAD "c" BAD },
        { "\xc2\x85\xc2\x9b", BAD BAD }, /* C1 */
        { "\xff\xfe", BAD BAD },         /* never in UTF-8 */
        { "\xc0\xaf", BAD BAD },         /* overlong */
        { "\xe0\x80\xaf", BAD BAD BAD },
        { "\xed\xa0\x80", BAD BAD BAD },         /* surrogate */
        { "\xf4\x90\x80\x80", BAD BAD BAD BAD }, /* above U+10FFFF */
        { "\xe6\x97", BAD BAD },                 /* cut */
        { "\xe6\x97x", BAD BAD "x" },
        { "\x80", BAD },
        { "a\xe2\x80\xae"
          "b\xe2\x80\x8b"
          "c\xef\xbb\xbf",
          "a" BAD "b" BAD "c" BAD },                  /* RLO, ZWSP, BOM */
        { "\xe2\x81\xa6x\xe2\x81\xa9", BAD "x" BAD }, /* isolates */
        { "\xe2\x80\xa8", BAD },                      /* line separator */
        { BAD, BAD },
    };
    for (size_t i = 0; i < FF_COUNT(rows); i++)
        check_clean(ff_str(rows[i].in), rows[i].out);
    check_clean(FF_LIT("a\0b"), "a" BAD "b");
}

static void check_added(void (*add)(ff_text *, int64_t), int64_t value, const char *want)
{
    ff_text t;
    ff_text_init(&t, 0);
    add(&t, value);
    CHECK_TEXT(ff_text_view(&t), want);
    ff_text_done(&t);
}

static void add_kib(ff_text *t, int64_t kib) { ff_text_add_kib(t, (uint64_t)kib); }

TEST(sizes)
{
    static const struct {
        int64_t kib;
        const char *text;
    } rows[] = {
        { 0, "0 KiB" },
        { 12, "12 KiB" },
        { 1023, "1023 KiB" },
        { 1024, "1 MiB" },
        { 65536, "64 MiB" },
        { 1536 * 1024, "1.5 GiB" },
        { 6144 * 1024, "6 GiB" },
        { 671088640, "640 GiB" },
        { INT64_C(1024) * 1024 * 1024, "1 TiB" },
        { 1024 + 10, "1.01 MiB" },
        { 100 * 1024, "100 MiB" },
        { -1, "16777216 PiB" },
    };
    for (size_t i = 0; i < FF_COUNT(rows); i++)
        check_added(add_kib, rows[i].kib, rows[i].text);
}

TEST(utc)
{
    check_added(ff_text_add_utc, INT64_C(1773211292000000000), "2026-03-11T06:41:32.000000000Z");
    check_added(ff_text_add_utc, 0, "1970-01-01T00:00:00.000000000Z");
    check_added(ff_text_add_utc, -1, "1969-12-31T23:59:59.999999999Z");
    check_added(ff_text_add_utc, INT64_C(951827696123456789), "2000-02-29T12:34:56.123456789Z");
    check_added(ff_text_add_utc, INT64_MAX, "2262-04-11T23:47:16.854775807Z");
    check_added(ff_text_add_utc, INT64_MIN, "1677-09-21T00:12:43.145224192Z");
}

TEST(spans)
{
    const int64_t s = 1000000000;
    check_added(ff_text_add_span, 1200 * (s / 1000), "1.2 s");
    check_added(ff_text_add_span, 200 * s, "3 min 20 s");
    check_added(ff_text_add_span, 7500 * s, "2 h 5 min");
    check_added(ff_text_add_span, 250 * (s / 1000), "250 ms");
    check_added(ff_text_add_span, 0, "0 ms");
    check_added(ff_text_add_span, -2 * s, "-2.0 s");
    check_added(ff_text_add_span, 49 * 3600 * s, "2 d 1 h");
    check_added(ff_text_add_span, INT64_MIN, "-106751 d 23 h");
}

TEST(days_and_dates)
{
    static const struct {
        int64_t days, year;
        unsigned month, day;
    } rows[] = {
        { 0, 1970, 1, 1 },      { -1, 1969, 12, 31 },    { 730, 1972, 1, 1 },   { 789, 1972, 2, 29 },
        { 11016, 2000, 2, 29 }, { 20454, 2026, 1, 1 },   { 20513, 2026, 3, 1 }, { 47540, 2100, 2, 28 },
        { 47541, 2100, 3, 1 },  { -719468, 0, 3, 1 },    { -719469, 0, 2, 29 }, { 2932896, 9999, 12, 31 },
        { -719528, 0, 1, 1 },   { -719529, -1, 12, 31 },
    };
    for (size_t i = 0; i < FF_COUNT(rows); i++) {
        int64_t year = 0;
        unsigned month = 0, day = 0;
        CHECK_INT(ff_days_from_date(rows[i].year, rows[i].month, rows[i].day), rows[i].days);
        ff_date_from_days(rows[i].days, &year, &month, &day);
        CHECK_INT(year, rows[i].year);
        CHECK_INT(month, rows[i].month);
        CHECK_INT(day, rows[i].day);
    }
}

TEST(every_day_comes_back)
{
    int64_t year = 0, wrong = 0;
    unsigned month = 0, day = 0, last = 31;
    for (int64_t days = -200000; days < 200000; days++) {
        ff_date_from_days(days, &year, &month, &day);
        wrong += ff_days_from_date(year, month, day) != days;
        wrong += day != 1 && day != last + 1;
        last = day;
    }
    CHECK(wrong <= 1); /* the first day has none before it */
}

int main(void)
{
    RUN(buffer_grows);
    RUN(limit_cuts);
    RUN(log_text_is_cleaned);
    RUN(sizes);
    RUN(utc);
    RUN(spans);
    RUN(days_and_dates);
    RUN(every_day_comes_back);
    return DONE();
}
