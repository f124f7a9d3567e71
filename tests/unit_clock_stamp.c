/* Every shape of a time, whole, broken and torn: table in, stamp out. */
#include "../analyzer/clock/clock.h"

#include "check.h"

#define S INT64_C(1000000000)
#define DAY_S INT64_C(86400)

typedef bool (*take)(ff_bytes *in, ff_stamp *out);

typedef struct row {
    const char *text;
    ff_stamp_kind kind; /* NONE: must not be taken */
    int64_t s, ns;      /* ns: besides the whole seconds */
    int64_t grain;
    const char *rest;
} row;

static void check_rows(take function, const row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ff_bytes in = ff_str(rows[i].text), whole = in;
        ff_stamp out = { .kind = FF_STAMP_NONE, .ns = -77, .grain_ns = -77 };
        bool taken = function(&in, &out);
        int before = check_failed;
        CHECK_INT(taken, rows[i].kind != FF_STAMP_NONE);
        if (taken) {
            CHECK_INT(out.kind, rows[i].kind);
            CHECK_INT(out.ns, rows[i].s * S + rows[i].ns);
            CHECK_INT(out.grain_ns, rows[i].grain);
            CHECK_TEXT(in, rows[i].rest);
        } else {
            CHECK_INT(out.ns, -77);
            CHECK(in.p == whole.p && in.n == whole.n);
        }
        if (check_failed != before)
            fprintf(stderr, "  in row %zu: \"%s\"\n", i, rows[i].text);
    }
}

#define ROWS(function, rows) check_rows(function, rows, FF_COUNT(rows))
#define BROKEN(text)                                                                                                 \
    {                                                                                                                \
        text, FF_STAMP_NONE, 0, 0, 0, NULL                                                                           \
    }

TEST(rfc3339)
{
    static const row rows[] = {
        { "2026-01-01T00:00:00Z text", FF_STAMP_UTC, 1767225600, 0, S, " text" },
        { "2026-01-01T00:00:00.5Z", FF_STAMP_UTC, 1767225600, 500000000, S / 10, "" },
        { "2026-01-01T00:00:00,123456+00:00 x", FF_STAMP_UTC, 1767225600, 123456000, 1000, " x" },
        { "2026-01-01T08:00:00+0800]", FF_STAMP_UTC, 1767225600, 0, S, "]" },
        { "2025-12-31T19:00:00-05 x", FF_STAMP_UTC, 1767225600, 0, S, " x" },
        { "2026-01-01T05:45:00.000000001+05:45", FF_STAMP_UTC, 1767225600, 1, 1, "" },
        { "2026-01-01 00:00:00 UTC host", FF_STAMP_UTC, 1767225600, 0, S, " host" },
        { "2026-01-01 00:00:00 +0000 UTC", FF_STAMP_UTC, 1767225600, 0, S, " UTC" },
        { "2026-01-01 00:00:00] node:1:1", FF_STAMP_LOCAL, 1767225600, 0, S, "] node:1:1" },
        { "2026/01/01 00:00:00 main.go:1", FF_STAMP_LOCAL, 1767225600, 0, S, " main.go:1" },
        { "2026-01-01_00:00:00.123+0000: [E]", FF_STAMP_UTC, 1767225600, 123000000, 1000000, ": [E]" },
        { "2026-01-01 00:00:00,123 - INFO", FF_STAMP_LOCAL, 1767225600, 123000000, 1000000, " - INFO" },
        { "2026-01-01 00:00:00 -05 dB", FF_STAMP_LOCAL, 1767225600, 0, S, " -05 dB" },
        { "2026-01-01 00:00:00 Zebra", FF_STAMP_LOCAL, 1767225600, 0, S, " Zebra" },
        { "2026-01-01T00:00:00.", FF_STAMP_LOCAL, 1767225600, 0, S, "." },
        { "2026-01-01T00:00:00.1234567891Z", FF_STAMP_UTC, 1767225600, 123456789, 1, "" },
        { "2024-02-29T12:00:00Z", FF_STAMP_UTC, 1709208000, 0, S, "" },
        { "2000-02-29T00:00:00Z", FF_STAMP_UTC, 951782400, 0, S, "" },
        { "2016-12-31T23:59:60Z", FF_STAMP_UTC, 1483228800, 0, S, "" },
        { "1970-01-01T00:00:00Z", FF_STAMP_UTC, 0, 0, S, "" },
        { "1970-01-01T00:00:00+01:00", FF_STAMP_UTC, -3600, 0, S, "" },
        { "2261-12-31T23:59:59Z", FF_STAMP_UTC, INT64_C(9214646399), 0, S, "" },
        BROKEN("2262-01-01T00:00:00Z"),
        BROKEN("9999-12-31T23:59:59Z"),
        BROKEN("1969-12-31T23:59:59Z"),
        BROKEN("0000-00-00T00:00:00Z"),
        BROKEN("2026-01-32T00:00:00Z"),
        BROKEN("2026-02-29T00:00:00Z"),
        BROKEN("2100-02-29T00:00:00Z"),
        BROKEN("2026-04-31T00:00:00Z"),
        BROKEN("2026-13-01T00:00:00Z"),
        BROKEN("2026-00-01T00:00:00Z"),
        BROKEN("2026-01-00T00:00:00Z"),
        BROKEN("2026-01-01T24:00:00Z"),
        BROKEN("2026-01-01T23:60:00Z"),
        BROKEN("2026-01-01T23:59:61Z"),
        BROKEN("2026-01-01T00:00:001Z"),
        BROKEN("2026-01-01T00:00:0"),
        BROKEN("2026-01-01T00:00"),
        BROKEN("2026-01-01"),
        BROKEN("2026-01/01T00:00:00Z"),
        BROKEN("26-01-01T00:00:00Z"),
        BROKEN("x2026-01-01T00:00:00Z"),
        BROKEN(""),
    };
    ROWS(ff_take_rfc3339, rows);
}

TEST(ctime_of_dmesg)
{
    static const row rows[] = {
        { "Thu Jan  1 00:00:00 2026] x", FF_STAMP_LOCAL, 1767225600, 0, S, "] x" },
        { "Wed Mar 11 06:30:29 2026]", FF_STAMP_LOCAL, 1773210629, 0, S, "]" },
        { "Thu Apr 12 16:09:12 UTC 2018", FF_STAMP_UTC, 1523549352, 0, S, "" },
        { "\xe6\x9c\x88  1\xe6\x9c\x88 26 01:49:41 2026]", FF_STAMP_LOCAL, 1769392181, 0, S, "]" },
        BROKEN("Thu Apr 12 16:09:12 CEST 2018"),
        BROKEN("Jan  1 00:00:00 2026"),
        BROKEN("Foo Jan  1 00:00:00 2026"),
        BROKEN("Thu Jan 32 00:00:00 2026"),
        BROKEN("Thu Feb 29 00:00:00 2026"),
        BROKEN("Thu Jan  1 24:00:00 2026"),
        BROKEN("Thu Jan  1 00:00:00 20261"),
        BROKEN("Thu Jan  1 00:00:00 9999"),
        BROKEN("Thu Jan  1 00:00:00 202"),
        BROKEN("Thu 13\xe6\x9c\x88  1 00:00:00 2026"),
        BROKEN("Thu Jan  1 00:00:00"),
    };
    ROWS(ff_take_ctime, rows);
}

TEST(syslog_has_no_year)
{
    static const row rows[] = {
        { "Jan  1 00:00:00 host kernel:", FF_STAMP_NO_YEAR, 0, 0, S, " host kernel:" },
        { "Jan 01 00:00:00.123456 host", FF_STAMP_NO_YEAR, 0, 123456000, 1000, " host" },
        { "Feb 29 12:00:00 host", FF_STAMP_NO_YEAR, 59 * DAY_S + 43200, 0, S, " host" },
        { "Mar  1 00:00:00 h", FF_STAMP_NO_YEAR, 60 * DAY_S, 0, S, " h" },
        { "Dec 31 23:59:59 h", FF_STAMP_NO_YEAR, 366 * DAY_S - 1, 0, S, " h" },
        { "Dec 31 23:59:60 h", FF_STAMP_NO_YEAR, 366 * DAY_S, 0, S, " h" },
        BROKEN("Feb 30 12:00:00 host"),
        BROKEN("Jan 32 00:00:00 host"),
        BROKEN("Jan  0 00:00:00 host"),
        BROKEN("jan  1 00:00:00 host"),
        BROKEN("Jan 1 24:00:00 host"),
        BROKEN("Jan 123 00:00:00"),
        BROKEN("January 1 00:00:00"),
        BROKEN("Jan"),
    };
    ROWS(ff_take_syslog_time, rows);
}

TEST(klog)
{
    static const row rows[] = {
        { "0101 00:00:44.123456    4321 kubelet.go:2439]", FF_STAMP_NO_YEAR, 44, 123456000, 1000,
          "    4321 kubelet.go:2439]" },
        { "0229 00:00:00.000000 1 a.go:1]", FF_STAMP_NO_YEAR, 59 * DAY_S, 0, 1000, " 1 a.go:1]" },
        { "1130 07:02:57.795000 2634 torch", FF_STAMP_NO_YEAR, 334 * DAY_S + 25377, 795000000, 1000, " 2634 torch" },
        { "20261130 12:00:05.123456 25409 socket.cpp:860]", FF_STAMP_LOCAL, 1796040005, 123456000, 1000,
          " 25409 socket.cpp:860]" },
        BROKEN("0230 00:00:00.000000 1"),
        BROKEN("1301 00:00:00.000000 1"),
        BROKEN("0100 00:00:00.000000 1"),
        BROKEN("0101 24:00:00.000000 1"),
        BROKEN("0101 00:00:00 1"),
        BROKEN("101 00:00:00.000000 1"),
        BROKEN("00101 00:00:00.000000 1"),
        BROKEN("99991130 12:00:05.123456 1"),
    };
    ROWS(ff_take_klog_time, rows);
}

TEST(torch_seconds_only)
{
    static const row rows[] = {
        { "129 03:04:05.714849575 ProcessGroupNCCL.cpp:689]", FF_STAMP_NO_YEAR, 28 * DAY_S + 11045, 0, S,
          " ProcessGroupNCCL.cpp:689]" },
        { "1130 06:52:11.850345264 x", FF_STAMP_NO_YEAR, 334 * DAY_S + 24731, 0, S, " x" },
        { "229 00:00:00.000000000 x", FF_STAMP_NO_YEAR, 59 * DAY_S, 0, S, " x" },
        BROKEN("132 03:04:05.714849575 x"),
        BROKEN("100 03:04:05.714849575 x"),
        BROKEN("1301 03:04:05.714849575 x"),
        BROKEN("12 03:04:05.714849575 x"),
        BROKEN("12345 03:04:05.714849575 x"),
        BROKEN("129 24:04:05.714849575 x"),
        BROKEN("129 03:04:05.714849 x"),
        BROKEN("129 03:04:05 x"),
    };
    ROWS(ff_take_torch_time, rows);
}

TEST(epoch)
{
    static const row rows[] = {
        { "1767225600.123456 gpu-a01", FF_STAMP_UTC, 1767225600, 123456000, 1000, " gpu-a01" },
        { "1767225600", FF_STAMP_UTC, 1767225600, 0, S, "" },
        { "1773210711.708:189858)", FF_STAMP_UTC, 1773210711, 708000000, 1000000, ":189858)" },
        { "9223372035", FF_STAMP_UTC, INT64_C(9223372035), 0, S, "" },
        BROKEN("9223372036"),
        BROKEN("9999999999"),
        BROKEN("17672256001"),
        BROKEN("176722560"),
        BROKEN("0000000001"),
        BROKEN("-1767225600"),
    };
    ROWS(ff_take_epoch, rows);
}

TEST(clock_of_day)
{
    static const struct {
        const char *text;
        bool ok;
        int64_t ns, grain;
    } rows[] = {
        { "00:00:00", true, 0, S },         { "23:59:59.999", true, 86399 * S + 999000000, 1000000 },
        { "23:59:60", true, 86400 * S, S }, { "24:00:00", false, 0, 0 },
        { "00:60:00", false, 0, 0 },        { "00:00:61", false, 0, 0 },
        { "0:00:00", false, 0, 0 },         { "00:00:000", false, 0, 0 },
        { "00:00", false, 0, 0 },
    };
    for (size_t i = 0; i < FF_COUNT(rows); i++) {
        ff_bytes in = ff_str(rows[i].text);
        int64_t ns = 0, grain = 0;
        CHECK_INT(ff_take_clock_of_day(&in, &ns, &grain), rows[i].ok);
        CHECK_INT(ns, rows[i].ns);
        CHECK_INT(grain, rows[i].grain);
        CHECK_INT(in.n, rows[i].ok ? 0 : strlen(rows[i].text));
    }
}

TEST(zone)
{
    static const struct {
        const char *text;
        bool ok;
        int64_t minutes;
        const char *rest;
    } rows[] = {
        { "Z", true, 0, "" },
        { "UTC x", true, 0, " x" },
        { "GMT", true, 0, "" },
        { "+00:00", true, 0, "" },
        { "-0500 x", true, -300, " x" },
        { "+05:45", true, 345, "" },
        { "-05 x", true, -300, " x" },
        { "+14:00", true, 840, "" },
        { "+15:00", false, 0, "+15:00" },
        { "+05:60", false, 0, "+05:60" },
        { "+5", false, 0, "+5" },
        { "+05000", false, 0, "+05000" },
        { "Zulu", false, 0, "Zulu" },
        { "UTC2", false, 0, "UTC2" },
        { "CET", false, 0, "CET" },
        { "", false, 0, "" },
    };
    for (size_t i = 0; i < FF_COUNT(rows); i++) {
        ff_bytes in = ff_str(rows[i].text);
        int64_t offset = 0;
        CHECK_INT(ff_take_zone(&in, &offset), rows[i].ok);
        CHECK_INT(offset, rows[i].minutes * 60 * S);
        CHECK_TEXT(in, rows[i].rest);
    }
}

TEST(month_names)
{
    static const char *const names[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
    for (unsigned i = 0; i < 12; i++) {
        ff_bytes in = ff_str(names[i]);
        unsigned month = 0;
        CHECK(ff_take_month_name(&in, &month));
        CHECK_INT(month, i + 1);
        CHECK_INT(in.n, 0);
    }
    ff_bytes in = FF_LIT("Mai");
    unsigned month = 99;
    CHECK(!ff_take_month_name(&in, &month));
    CHECK_INT(month, 99);
}

/* A line may be cut anywhere: no prefix of a good stamp reads past its end or moves the cursor on failure. */
TEST(cut_lines)
{
    static const struct {
        take function;
        const char *text;
    } rows[] = {
        { ff_take_rfc3339, "2026-01-01T00:00:00.123456+00:00" }, { ff_take_ctime, "Thu Jan  1 00:00:00 UTC 2026" },
        { ff_take_syslog_time, "Jan  1 00:00:00.123456" },       { ff_take_klog_time, "20260101 00:00:00.123456" },
        { ff_take_torch_time, "1231 00:00:00.123456789" },       { ff_take_epoch, "1767225600.123456" },
    };
    for (size_t i = 0; i < FF_COUNT(rows); i++) {
        for (size_t n = 0; n <= strlen(rows[i].text); n++) {
            char exact[64];
            memset(exact, '#', sizeof exact);
            memcpy(exact, rows[i].text, n);
            ff_bytes in = { exact, n };
            ff_stamp out = { 0 };
            if (!rows[i].function(&in, &out))
                CHECK(in.p == exact && in.n == n);
            else
                CHECK(in.n <= n && out.kind != FF_STAMP_NONE && out.grain_ns >= 1);
        }
    }
}

int main(void)
{
    RUN(rfc3339);
    RUN(ctime_of_dmesg);
    RUN(syslog_has_no_year);
    RUN(klog);
    RUN(torch_seconds_only);
    RUN(epoch);
    RUN(clock_of_day);
    RUN(zone);
    RUN(month_names);
    RUN(cut_lines);
    return DONE();
}
