/* What may be said of two signals. Signals are made by hand, as other stages see them. */
#include "../analyzer/clock/clock.h"

#include "check.h"

#define S INT64_C(1000000000)

static ff_signal on_clock(uint32_t clock, ff_stamp_kind kind, int64_t ns, int64_t grain, uint32_t member,
                          uint32_t line)
{
    return (ff_signal){
        .clock = clock, .said = { kind, ns, grain }, .at = { .member = member, .line = line }, .who = FF_WHO_NOBODY
    };
}

static ff_signal with_utc(ff_signal s, int64_t utc, int64_t err)
{
    s.has_utc = true;
    s.utc = utc;
    s.utc_err = err;
    return s;
}

static ff_signal of_host(ff_signal s, const char *host)
{
    s.who.host = ff_str(host);
    return s;
}

static void check(ff_signal a, ff_signal b, ff_order want)
{
    static const ff_order turned[] = { FF_ORDER_UNKNOWN, FF_ORDER_AFTER, FF_ORDER_SAME, FF_ORDER_BEFORE };
    CHECK_INT(ff_signal_order(&a, &b), want);
    CHECK_INT(ff_signal_order(&b, &a), turned[want]);
}

static void check_gap(ff_signal a, ff_signal b, int64_t want)
{
    int64_t ns = -1, back = -1;
    CHECK(ff_signal_gap(&a, &b, &ns));
    CHECK(ff_signal_gap(&b, &a, &back));
    CHECK_INT(ns, want);
    CHECK_INT(back, want);
}

TEST(one_clock_is_exact)
{
    const ff_stamp_kind boot = FF_STAMP_SINCE_BOOT;
    check(on_clock(3, boot, 100, 1, 0, 9), on_clock(3, boot, 101, 1, 0, 1), FF_ORDER_BEFORE);
    check(on_clock(3, boot, 100, 1, 0, 9), on_clock(3, boot, 100, 1, 1, 1), FF_ORDER_SAME);
    check(on_clock(3, boot, 100, 1, 0, 9), on_clock(3, boot, 100, 1, 0, 10), FF_ORDER_SAME);
    check(on_clock(3, boot, 100, 1, 0, 9), on_clock(4, boot, 101, 1, 0, 1), FF_ORDER_UNKNOWN);
    check(on_clock(FF_NONE, boot, 100, 1, 0, 9), on_clock(FF_NONE, boot, 101, 1, 2, 1), FF_ORDER_UNKNOWN);
    check(on_clock(3, boot, 5000, 1000, 0, 9), on_clock(3, boot, 6000, 1000, 1, 1), FF_ORDER_BEFORE);
    check(on_clock(3, boot, 5000, 1000, 0, 9), on_clock(3, boot, 5999, 1000, 1, 1), FF_ORDER_UNKNOWN);
    check(on_clock(3, boot, 5000, 1000, 0, 9), on_clock(3, boot, 5999, 1000, 0, 1), FF_ORDER_AFTER);
}

TEST(coarse_stamps_of_one_member_go_by_line)
{
    const ff_stamp_kind wall = FF_STAMP_NO_YEAR;
    check(on_clock(1, wall, 5 * S, S, 0, 1), on_clock(1, wall, 5 * S, S, 0, 2), FF_ORDER_BEFORE);
    check(on_clock(1, wall, 5 * S, S, 0, 1), on_clock(1, wall, 5 * S, S, 1, 2), FF_ORDER_SAME);
    check(on_clock(1, wall, 5 * S, S, 0, 7), on_clock(1, wall, 5 * S + 1, 1000, 0, 2), FF_ORDER_AFTER);
    check(on_clock(1, wall, 5 * S, S, 0, 7), on_clock(1, wall, 5 * S + 1, 1000, 1, 2), FF_ORDER_UNKNOWN);
    check(on_clock(1, wall, 5 * S, S, 0, 7), on_clock(1, wall, 6 * S, S, 0, 2), FF_ORDER_BEFORE);
    ff_signal a = on_clock(1, wall, 5 * S, S, 0, 1), b = on_clock(1, wall, 5 * S, S, 0, 2);
    a.unordered = b.unordered = true;
    check(a, b, FF_ORDER_SAME);
}

TEST(across_clocks_bounds_decide)
{
    ff_signal a = on_clock(1, FF_STAMP_LOCAL, 0, 1, 0, 1), b = on_clock(2, FF_STAMP_SINCE_BOOT, 0, 1, 1, 1);
    check(with_utc(a, 100 * S, S), with_utc(b, 103 * S, S), FF_ORDER_BEFORE);
    check(with_utc(a, 100 * S, S), with_utc(b, 102 * S, S), FF_ORDER_UNKNOWN);
    check(with_utc(a, 100 * S, S), with_utc(b, 100 * S, 0), FF_ORDER_UNKNOWN);
    check(with_utc(a, 100 * S, S), b, FF_ORDER_UNKNOWN);
    check(with_utc(a, INT64_MAX, INT64_MAX), with_utc(b, 5, INT64_MAX), FF_ORDER_UNKNOWN);
    check(with_utc(a, INT64_MAX, 1), with_utc(b, INT64_MIN, 1), FF_ORDER_AFTER);
}

TEST(wall_clocks_of_two_hosts_are_not_exactly_one)
{
    ff_signal a = with_utc(on_clock(0, FF_STAMP_UTC, 100 * S, 1, 0, 1), 100 * S, 0);
    ff_signal b = with_utc(on_clock(0, FF_STAMP_UTC, 100 * S + 1000, 1, 1, 1), 100 * S + 1000, 0);
    ff_signal c = with_utc(on_clock(0, FF_STAMP_UTC, 101 * S, 1, 1, 1), 101 * S, 0);
    check(a, b, FF_ORDER_BEFORE);
    check(of_host(a, "n1"), of_host(b, "N1"), FF_ORDER_BEFORE);
    check(of_host(a, "n1"), of_host(b, "n2"), FF_ORDER_UNKNOWN);
    check(of_host(a, "n1"), of_host(a, "n2"), FF_ORDER_UNKNOWN);
    check(of_host(a, "n1"), of_host(c, "n2"), FF_ORDER_BEFORE);
    check_gap(of_host(a, "n1"), of_host(c, "n2"), S - FF_HOST_SKEW_NS);
    check_gap(of_host(a, "n1"), of_host(b, "n2"), 0);
}

TEST(without_time_by_line_of_one_member)
{
    ff_signal a = on_clock(FF_NONE, FF_STAMP_NONE, 0, 0, 4, 10), b = on_clock(FF_NONE, FF_STAMP_NONE, 0, 0, 4, 11);
    ff_signal timed = with_utc(on_clock(0, FF_STAMP_UTC, 100 * S, 1, 4, 12), 100 * S, 0);
    int64_t gap = 77;
    check(a, b, FF_ORDER_BEFORE);
    check(a, a, FF_ORDER_SAME);
    check(a, timed, FF_ORDER_BEFORE);
    CHECK(!ff_signal_gap(&a, &b, &gap));
    CHECK(!ff_signal_gap(&a, &timed, &gap));
    CHECK_INT(gap, 77);
    b.at.member = 5;
    check(a, b, FF_ORDER_UNKNOWN);
    b.at.member = 4;
    b.unordered = true; /* a document lists things, it does not tell them in time order */
    check(a, b, FF_ORDER_UNKNOWN);
}

/* Boots one after the other in a file: the sections may be prints of the same boot, so the line says nothing. */
TEST(stamps_that_do_not_compare_are_not_ordered_by_line)
{
    check(on_clock(1, FF_STAMP_SINCE_BOOT, 100, 1, 0, 1), on_clock(2, FF_STAMP_SINCE_BOOT, 50, 1, 0, 2),
          FF_ORDER_UNKNOWN);
}

TEST(linked_clocks_share_a_frame)
{
    ff_signal a = on_clock(1, FF_STAMP_SINCE_BOOT, 0, 1, 0, 1), b = on_clock(2, FF_STAMP_LOCAL, 0, 1, 1, 1);
    a.frame = b.frame = 2;
    a.at_ns = 10 * S;
    b.at_ns = 13 * S;
    a.at_err = b.at_err = S;
    check(a, b, FF_ORDER_BEFORE);
    check_gap(a, b, S);
    b.at_ns = 12 * S;
    check(a, b, FF_ORDER_UNKNOWN);
    check_gap(a, b, 0);
    b.frame = 3;
    check(a, b, FF_ORDER_UNKNOWN);
}

TEST(gap_is_the_least_the_clocks_allow)
{
    check_gap(on_clock(3, FF_STAMP_SINCE_BOOT, 100 * S, 1, 0, 1), on_clock(3, FF_STAMP_SINCE_BOOT, 160 * S, 1, 1, 1),
              60 * S);
    check_gap(on_clock(3, FF_STAMP_LOCAL, 100 * S, S, 0, 1), on_clock(3, FF_STAMP_LOCAL, 101 * S, S, 1, 1), 1);
    check_gap(on_clock(3, FF_STAMP_LOCAL, 100 * S, S, 0, 1), on_clock(3, FF_STAMP_LOCAL, 100 * S, S, 1, 1), 0);
    ff_signal a = with_utc(on_clock(1, FF_STAMP_LOCAL, 0, 1, 0, 1), 100 * S, 2 * S);
    ff_signal b = with_utc(on_clock(2, FF_STAMP_UTC, 0, 1, 1, 1), 110 * S, 3 * S);
    check_gap(a, b, 5 * S);
    check_gap(a, with_utc(b, 101 * S, 3 * S), 0);
}

TEST(february_may_end_a_day_earlier)
{
    int64_t day = 86400 * S;
    ff_signal a = on_clock(3, FF_STAMP_NO_YEAR, 58 * day, 1, 0, 1),
              b = on_clock(3, FF_STAMP_NO_YEAR, 60 * day, 1, 0, 2);
    check_gap(a, b, day);
    check(a, b, FF_ORDER_BEFORE);
    check_gap(with_utc(a, 1000 * day, 0), with_utc(b, 1001 * day, 0), day);
}

/* All zones lie from 12 hours west to 14 hours east, so days apart is apart, whatever the zone. */
TEST(dates_without_a_zone_are_bounded_by_the_zones_of_the_world)
{
    int64_t hour = 3600 * S, day = 24 * hour;
    ff_signal local = on_clock(1, FF_STAMP_LOCAL, 0, S, 0, 1), other = on_clock(2, FF_STAMP_LOCAL, 0, S, 1, 1);
    ff_signal utc = with_utc(on_clock(0, FF_STAMP_UTC, 0, 1, 2, 1), 100 * day, 0);
    local.wall_ns = 100 * day + 14 * hour + 1;
    check(utc, local, FF_ORDER_BEFORE);
    check_gap(utc, local, 1);
    local.wall_ns = 100 * day + 14 * hour;
    check(utc, local, FF_ORDER_UNKNOWN);
    local.wall_ns = 100 * day - 12 * hour - S;
    check(local, utc, FF_ORDER_BEFORE);
    local.wall_ns = 100 * day - 12 * hour;
    check(local, utc, FF_ORDER_UNKNOWN);
    other.wall_ns = 102 * day;
    check(local, other, FF_ORDER_BEFORE);
    other.wall_ns = local.wall_ns + 26 * hour;
    check(local, other, FF_ORDER_UNKNOWN);
    other.wall_ns = 0; /* no year, say */
    check(local, other, FF_ORDER_UNKNOWN);
}

TEST(the_last_of_folded_lines_has_its_own_time)
{
    ff_signal s = on_clock(1, FF_STAMP_LOCAL, 100 * S, S, 0, 1);
    s.count = 3;
    s.at_ns = 1100 * S;
    s.wall_ns = 100 * S;
    s.last_said = (ff_stamp){ FF_STAMP_LOCAL, 160 * S, S };
    s.last_at = (ff_record){ .member = 0, .line = 9 };
    ff_signal last = ff_signal_last(&s);
    CHECK_INT(last.said.ns, 160 * S);
    CHECK_INT(last.at_ns, 1160 * S);
    CHECK_INT(last.wall_ns, 160 * S);
    CHECK_INT(last.at.line, 9);
    s.last_said.kind = FF_STAMP_NONE;
    CHECK_INT(ff_signal_last(&s).said.ns, 100 * S);
}

int main(void)
{
    RUN(one_clock_is_exact);
    RUN(coarse_stamps_of_one_member_go_by_line);
    RUN(across_clocks_bounds_decide);
    RUN(wall_clocks_of_two_hosts_are_not_exactly_one);
    RUN(without_time_by_line_of_one_member);
    RUN(stamps_that_do_not_compare_are_not_ordered_by_line);
    RUN(linked_clocks_share_a_frame);
    RUN(gap_is_the_least_the_clocks_allow);
    RUN(february_may_end_a_day_earlier);
    RUN(dates_without_a_zone_are_bounded_by_the_zones_of_the_world);
    RUN(the_last_of_folded_lines_has_its_own_time);
    return DONE();
}
