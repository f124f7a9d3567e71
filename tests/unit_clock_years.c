/* Years that a stamp does not say. */
#include "unit_clock_bundle.h"

static const uint32_t host_log = FF_STREAM_HOST;

TEST(year_from_other_logs_of_host)
{
    begin();
    uint32_t a = add_member("n1/app.log", "n1", host_log), b = add_member("n1/syslog", "n1", host_log);
    add_sample(a, 1, at("2025-12-30 00:00:00.000"), at("2025-12-30T00:00:00.000Z"));
    add_sample(a, 2, at("2026-01-02 00:00:00.000"), at("2026-01-02T00:00:00.000Z"));
    add_signal(b, 1, at("Dec 31 23:59:59 n1"), NO_STAMP);
    add_signal(b, 2, at("Jan  1 00:00:01 n1"), NO_STAMP);
    ff_clocks c = resolve();
    CHECK_INT(found(b, 1)->utc, utc("2025-12-31T23:59:59.5Z"));
    CHECK_INT(found(b, 2)->utc, utc("2026-01-01T00:00:01.5Z"));
    CHECK_INT(found(b, 1)->ref, 0);
    CHECK_INT(ff_signal_order(found(b, 1), found(b, 2)), FF_ORDER_BEFORE);
    CHECK(found(b, 2)->said.ns > found(b, 1)->said.ns);
    CHECK_INT(c.at[found(b, 1)->clock].offset_ns + found(b, 1)->said.ns, utc("2025-12-31T23:59:59Z"));
}

TEST(year_from_file_date)
{
    begin();
    uint32_t m = add_member("n1/syslog", "n1", host_log);
    members[m].mtime_s = utc("2024-03-01T06:00:00Z") / S;
    add_signal(m, 1, at("Feb 29 12:00:00 n1"), NO_STAMP);
    add_signal(m, 2, at("Mar  1 05:00:00 n1"), NO_STAMP);
    ff_clocks c = resolve();
    CHECK(!c.at[0].anchored);
    CHECK_TEXT(c.at[0].why, "no zone is named anywhere");
    int64_t gap = 0;
    CHECK(ff_signal_gap(found(m, 1), found(m, 2), &gap));
    CHECK(gap <= 17 * H);
    members[m].mtime_s = utc("2024-03-09T06:00:00Z") / S; /* far behind the last line */
    c = resolve();
    CHECK_TEXT(c.at[0].why, "no line names the year");
}

TEST(two_years_that_fit_are_no_year)
{
    begin();
    uint32_t a = add_member("n1/app.log", "n1", host_log), b = add_member("n1/syslog", "n1", host_log);
    add_sample(a, 1, at("2024-05-01 00:00:00.000"), at("2024-05-01T00:00:00.000Z"));
    add_sample(a, 2, at("2026-05-02 00:00:00.000"), at("2026-05-02T00:00:00.000Z"));
    add_signal(b, 1, at("May  1 12:00:00 n1"), NO_STAMP);
    ff_clocks c = resolve();
    CHECK(!found(b, 1)->has_utc);
    CHECK_TEXT(c.at[found(b, 1)->clock].why, "no line names the year");
}

TEST(roll_over_without_a_year)
{
    begin();
    uint32_t m = add_member("n1/syslog", "n1", host_log), older = add_member("n1/syslog.1", "n1", host_log);
    add_signal(m, 1, at("Dec 31 23:59:58 n1"), NO_STAMP);
    add_signal(m, 2, at("Jan  1 00:00:00 n1"), NO_STAMP);
    add_signal(m, 3, at("Dec 31 23:59:59 n1"), NO_STAMP); /* late */
    add_signal(m, 4, at("Mar  1 00:00:00 n1"), NO_STAMP);
    add_signal(older, 1, at("Dec 30 00:00:00 n1"), NO_STAMP);
    CHECK_INT(resolve().n, 1);
    CHECK_INT(found(older, 1)->ref, 0);
    CHECK_INT(found(m, 1)->ref, 1);
    CHECK_INT(found(m, 3)->ref, 2);
    CHECK_INT(found(m, 2)->ref, 3);
    CHECK_INT(found(m, 2)->said.ns, 366 * 24 * H);
    CHECK_INT(ff_signal_order(found(older, 1), found(m, 2)), FF_ORDER_BEFORE);
    CHECK_INT(ff_signal_order(found(m, 2), found(m, 4)), FF_ORDER_BEFORE);
}

TEST(logs_around_new_year_without_a_year)
{
    begin();
    uint32_t a = add_member("n1/kern.log", "n1", host_log), b = add_member("n1/syslog", "n1", host_log);
    add_signal(a, 1, at("Jan  2 00:00:00 n1"), NO_STAMP);
    add_signal(b, 1, at("Dec 30 00:00:00 n1"), NO_STAMP);
    CHECK_INT(resolve().n, 1);
    CHECK_INT(ff_signal_order(found(b, 1), found(a, 1)), FF_ORDER_BEFORE);
    begin();
    a = add_member("n1/kern.log", "n1", host_log);
    b = add_member("n1/syslog", "n1", host_log);
    add_signal(a, 1, at("Jan  2 00:00:00 n1"), NO_STAMP);
    add_signal(b, 1, at("Sep 15 00:00:00 n1"), NO_STAMP);
    add_signal(add_member("n1/messages", "n1", host_log), 1, at("May  1 00:00:00 n1"), NO_STAMP);
    CHECK_INT(resolve().n, 3);
    CHECK_INT(ff_signal_order(found(b, 1), found(a, 1)), FF_ORDER_UNKNOWN);
}

TEST(leap_days_are_minded)
{
    begin();
    uint32_t m = add_member("n1/syslog", "n1", host_log);
    add_sample(m, 1, at("Feb 28 10:00:00 n1"), at("2026-02-28T10:00:00Z"));
    add_signal(m, 2, at("Feb 28 23:00:00 n1"), NO_STAMP);
    add_signal(m, 3, at("Mar  1 01:00:00 n1"), NO_STAMP);
    (void)resolve();
    int64_t gap = 0;
    CHECK_INT(found(m, 3)->utc, utc("2026-03-01T01:00:00.5Z"));
    CHECK(ff_signal_gap(found(m, 2), found(m, 3), &gap));
    CHECK(gap <= 2 * H && gap > 2 * H - 2 * S);
}

int main(void)
{
    RUN(year_from_other_logs_of_host);
    RUN(year_from_file_date);
    RUN(two_years_that_fit_are_no_year);
    RUN(roll_over_without_a_year);
    RUN(logs_around_new_year_without_a_year);
    RUN(leap_days_are_minded);
    ff_arena_done(&arena);
    return DONE();
}
