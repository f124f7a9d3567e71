/* Resolution: which clocks a bundle has, which boots they count from, and whose they are. */
#include "unit_clock_bundle.h"

static const uint32_t kernel = FF_STREAM_KERNEL, k8s = FF_STREAM_K8S, job = FF_STREAM_APP, host_log = FF_STREAM_HOST;

TEST(nothing_gives_no_clock)
{
    begin();
    ff_clocks c = resolve();
    CHECK_INT(c.n, 0);
    uint32_t m = add_member("pod.yaml", "", k8s);
    add_signal(m, 3, NO_STAMP, NO_STAMP);
    c = resolve();
    CHECK_INT(c.n, 0);
    CHECK_INT(signals[0].clock, FF_NONE);
    CHECK(!signals[0].has_utc);
    CHECK_INT(members[0].clock, FF_NONE);
}

TEST(utc_is_one_clock)
{
    begin();
    uint32_t a = add_member("a.log", "n1", k8s), b = add_member("b.log", "n2", k8s);
    add_signal(b, 1, at("2026-01-01T00:00:02.000001Z"), NO_STAMP);
    add_signal(a, 1, at("2026-01-01T00:00:01+00:00"), NO_STAMP);
    ff_clocks c = resolve();
    CHECK_INT(c.n, 1);
    CHECK_INT(c.at[0].kind, FF_STAMP_UTC);
    CHECK(c.at[0].anchored);
    CHECK_INT(c.at[0].offset_ns, 0);
    CHECK_INT(c.at[0].err_ns, 0);
    CHECK_INT(signals[0].at.member, a);
    CHECK_INT(signals[0].ref, 0);
    CHECK_INT(signals[1].ref, 1);
    CHECK_INT(signals[0].utc, utc("2026-01-01T00:00:01Z") + S / 2);
    CHECK_INT(signals[0].utc_err, S / 2);
    CHECK_INT(signals[0].frame, 1);
}

TEST(boot_time_with_utc_gives_offset)
{
    begin();
    uint32_t m = add_member("dmesg", "n1", kernel);
    add_sample(m, 1, at("[100.000000]"), at("2026-03-11T06:31:51.708Z"));
    add_sample(m, 2, at("[200.000000]"), at("2026-03-11T06:33:31.709Z"));
    add_sample(m, 3, at("[300.000000]"), at("2026-03-11T06:35:11.707Z"));
    add_signal(m, 9, at("[350.000000]"), NO_STAMP);
    ff_clocks c = resolve();
    CHECK_INT(c.n, 2);
    CHECK_INT(c.at[1].kind, FF_STAMP_SINCE_BOOT);
    CHECK(c.at[1].anchored);
    CHECK_INT(c.at[1].n_anchors, 3);
    CHECK_TEXT(c.at[1].why, "3 lines carry both times");
    CHECK_INT(c.at[1].offset_ns, utc("2026-03-11T06:30:11.708Z") + 500000 - 500);
    CHECK_INT(c.at[1].err_ns, 1000000);
    CHECK(signals[0].has_utc);
    CHECK_INT(signals[0].said.ns, 350 * S);
    CHECK_INT(signals[0].utc / 1000000, utc("2026-03-11T06:36:01.708Z") / 1000000);
    CHECK_INT(members[0].first_said.ns, 100 * S);
    CHECK_INT(members[0].last_said.ns, 350 * S);
    CHECK(members[0].has_utc);
    CHECK_INT(members[0].gap_ns, 100 * S);
}

/* One line that lags does not move the offset, and more of them make it vague. */
TEST(late_lines)
{
    begin();
    uint32_t m = add_member("kern.log", "n1", kernel);
    for (uint32_t i = 0; i < 20; i++) {
        ff_stamp said = { FF_STAMP_SINCE_BOOT, (1000 + i) * S, 1 };
        ff_stamp also = { FF_STAMP_UTC, (1767225600 + (int64_t)i + (i == 7 ? 30 : 0)) * S, 1 };
        add_sample(m, i + 1, said, also);
    }
    ff_clocks c = resolve();
    CHECK_INT(c.at[1].offset_ns, INT64_C(1767224600) * S);
    CHECK_INT(c.at[1].err_ns, 1);
    for (uint32_t i = 10; i < 14; i++)
        samples[i].also.ns += 5 * S;
    c = resolve();
    CHECK_INT(c.at[1].offset_ns, INT64_C(1767224600) * S);
    CHECK_INT(c.at[1].err_ns, 5 * S);
}

TEST(boot_time_alone_is_not_anchored)
{
    begin();
    uint32_t m = add_member("dmesg.txt", "n1", kernel);
    add_signal(m, 1, at("[20.000000]"), NO_STAMP);
    add_signal(m, 2, at("[10.000000]"), NO_STAMP);
    ff_clocks c = resolve();
    CHECK_INT(c.n, 1);
    CHECK(!c.at[0].anchored);
    CHECK_TEXT(c.at[0].why, "no line carries a second time");
    CHECK(!signals[0].has_utc);
    CHECK_INT(ff_signal_order(found(m, 1), found(m, 2)), FF_ORDER_AFTER);
}

TEST(concatenated_boots_are_two_clocks)
{
    begin();
    uint32_t m = add_member("kern.txt", "n1", kernel);
    add_signal(m, 1, at("[5000.000000]"), NO_STAMP);
    add_signal(m, 2, at("[12.000000]"), NO_STAMP);
    add_signal(m, 3, at("[6000.000000]"), NO_STAMP);
    ff_clocks c = resolve();
    CHECK_INT(c.n, 2);
    CHECK(found(m, 1)->clock != found(m, 2)->clock);
    CHECK_INT(found(m, 2)->clock, found(m, 3)->clock);
    CHECK_INT(ff_signal_order(found(m, 1), found(m, 2)), FF_ORDER_UNKNOWN);
    CHECK_INT(ff_signal_order(found(m, 1), found(m, 3)), FF_ORDER_UNKNOWN);
    CHECK_INT(ff_signal_order(found(m, 2), found(m, 3)), FF_ORDER_BEFORE);
}

TEST(small_fall_is_no_boot)
{
    begin();
    uint32_t m = add_member("kern.txt", "n1", kernel);
    add_signal(m, 1, at("[5000.000300]"), NO_STAMP);
    add_signal(m, 2, at("[5000.000100]"), NO_STAMP);
    CHECK_INT(resolve().n, 1);
    CHECK_INT(ff_signal_order(found(m, 1), found(m, 2)), FF_ORDER_AFTER);
}

TEST(linux_version_line_is_a_boot)
{
    begin();
    uint32_t m = add_member("kern.txt", "n1", kernel);
    add_signal(m, 1, at("[0.900000]"), NO_STAMP);
    add_signal(m, 2, at("[0.000000]"), NO_STAMP)->quote = FF_LIT("[    0.000000] Linux version 6.1.0");
    CHECK_INT(resolve().n, 2);
}

TEST(boot_ids_keep_boots_apart)
{
    begin();
    uint32_t m = add_member("journal.json", "n1", kernel);
    add_signal(m, 1, at("[50.000000]"), NO_STAMP)->who.boot = FF_LIT("aa");
    add_signal(m, 2, at("[60.000000]"), NO_STAMP)->who.boot = FF_LIT("bb");
    add_signal(m, 3, at("[55.000000]"), NO_STAMP)->who.boot = FF_LIT("bb");
    ff_clocks c = resolve();
    CHECK_INT(c.n, 2);
    CHECK_TEXT(c.at[0].boot, "aa");
    CHECK_TEXT(c.at[1].boot, "bb");
}

/* journalctl says where a boot begins: no fall of the times is needed. */
TEST(lines_between_boots_part_their_clocks)
{
    static const struct {
        const char *marker, *boot;
    } rows[] = { { "-- Reboot --", "" },
                 { "-- Boot 0f1e2d3c4b5a69788796a5b4c3d2e1f0 --", "0f1e2d3c4b5a69788796a5b4c3d2e1f0" },
                 { "-- Boot time was set --", NULL } };
    for (size_t i = 0; i < FF_COUNT(rows); i++) {
        begin();
        uint32_t m = add_member("journal", "n1", host_log);
        add_signal(m, 1, at("[100.000000]"), NO_STAMP);
        add_signal(m, 2, NO_STAMP, NO_STAMP)->quote = ff_str(rows[i].marker);
        add_signal(m, 3, at("[105.000000]"), NO_STAMP);
        add_signal(m, 4, at("[106.000000]"), NO_STAMP);
        ff_clocks c = resolve();
        CHECK_INT(c.n, rows[i].boot ? 2 : 1);
        CHECK(ff_signal_order(found(m, 3), found(m, 4)) == FF_ORDER_BEFORE);
        CHECK(ff_signal_order(found(m, 1), found(m, 3)) == (rows[i].boot ? FF_ORDER_UNKNOWN : FF_ORDER_BEFORE));
        if (rows[i].boot)
            CHECK_TEXT(c.at[found(m, 3)->clock].boot, rows[i].boot);
    }
}

TEST(present_boot_is_shared_by_logs_of_a_host)
{
    begin();
    uint32_t a = add_member("n1/dmesg", "n1", kernel), b = add_member("n1/kern.log", "n1", kernel),
             old = add_member("n1/dmesg.1", "n1", kernel), other = add_member("n2/dmesg", "n2", kernel),
             lost = add_member("x/dmesg", "", kernel);
    add_signal(a, 1, at("[100.000000]"), NO_STAMP);
    add_signal(b, 1, at("[100.500000]"), NO_STAMP);
    add_signal(old, 1, at("[101.000000]"), NO_STAMP);
    add_signal(other, 1, at("[102.000000]"), NO_STAMP);
    add_signal(lost, 1, at("[103.000000]"), NO_STAMP);
    CHECK_INT(resolve().n, 4);
    CHECK_INT(ff_signal_order(found(a, 1), found(b, 1)), FF_ORDER_BEFORE);
    CHECK_INT(ff_signal_order(found(a, 1), found(old, 1)), FF_ORDER_UNKNOWN);
    CHECK_INT(ff_signal_order(found(a, 1), found(other, 1)), FF_ORDER_UNKNOWN);
    CHECK_INT(ff_signal_order(found(a, 1), found(lost, 1)), FF_ORDER_UNKNOWN);
}

/* The new boot's dmesg must not be read on the old boot's clock, only because that one has a name. */
TEST(boot_without_id_joins_named_one_only_by_evidence)
{
    begin();
    uint32_t a = add_member("n1/dmesg", "n1", kernel), b = add_member("n1/journal", "n1", kernel);
    add_signal(a, 1, at("[100.000123]"), NO_STAMP);
    add_signal(b, 1, at("[100.500000]"), NO_STAMP)->who.boot = FF_LIT("aa");
    CHECK_INT(resolve().n, 2);
    add_signal(b, 2, at("[100.000123]"), NO_STAMP)->who.boot = FF_LIT("aa");
    CHECK_INT(resolve().n, 1);
}

TEST(offsets_that_contradict_keep_boots_apart)
{
    begin();
    uint32_t a = add_member("n1/dmesg", "n1", kernel), b = add_member("n1/kern.log", "n1", kernel);
    add_signal(a, 1, at("[100.000000]"), at("2026-01-01T10:00:00.000Z"));
    add_signal(b, 1, at("[100.000000]"), at("2026-01-01T12:00:00.000Z"));
    ff_clocks c = resolve();
    CHECK_INT(c.n, 3);
    CHECK_INT(ff_signal_order(found(a, 1), found(b, 1)), FF_ORDER_BEFORE);
    signals[0].also = signals[1].also = at("2026-01-01T10:00:00.000Z");
    CHECK_INT(resolve().n, 2);
}

/* A line of a controller about a node is stamped by the controller. */
TEST(host_a_line_is_about_is_not_its_clock)
{
    begin();
    uint32_t m = add_member("slurmctld.log", "ctl", FF_STREAM_SLURM), n = add_member("c14/app.log", "c14", host_log);
    add_sample(n, 1, at("2026-01-01 18:00:00.000"), at("2026-01-01T10:00:00.000Z"));
    add_signal(m, 1, at("2026-01-01 10:00:00.000"), NO_STAMP)->who.host = FF_LIT("c14");
    (void)resolve();
    CHECK(!found(m, 1)->has_utc);
}

TEST(central_log_has_a_clock_for_each_host)
{
    begin();
    uint32_t m = add_member("messages", "", host_log);
    add_sample(m, 1, at("[100.000000]"), at("2026-01-01T10:00:00Z"))->host = FF_LIT("N1.example.com");
    add_sample(m, 2, at("[900.000000]"), at("2026-01-01T10:00:01Z"))->host = FF_LIT("n2");
    add_signal(m, 3, at("[101.000000]"), NO_STAMP)->who.host = FF_LIT("n1");
    ff_clocks c = resolve();
    CHECK_INT(c.n, 3);
    CHECK_TEXT(c.at[found(m, 3)->clock].host, "n1");
    CHECK(found(m, 3)->utc > utc("2026-01-01T10:00:00.4Z"));
    CHECK(found(m, 3)->utc < utc("2026-01-01T10:00:02Z"));
}

TEST(folded_signals_keep_their_last_time)
{
    begin();
    uint32_t m = add_member("a.log", "n1", job);
    ff_signal *s = add_signal(m, 1, at("2026-01-01T10:00:00.000Z"), NO_STAMP);
    s->count = 9;
    s->last_at.line = 50;
    s->last_said = at("2026-01-01T10:05:00.000Z");
    (void)resolve();
    CHECK_INT(signals[0].last_utc - signals[0].utc, 300 * S);
    CHECK_INT(members[0].last_utc - members[0].first_utc, 300 * S);
}

TEST(insane_stamps_are_no_time)
{
    begin();
    uint32_t m = add_member("a.log", "n1", job);
    add_signal(m, 1, (ff_stamp){ FF_STAMP_SINCE_BOOT, INT64_MAX, 1 }, (ff_stamp){ FF_STAMP_UTC, INT64_MIN, 1 });
    add_signal(m, 2, (ff_stamp){ FF_STAMP_UTC, INT64_MAX, INT64_MAX }, NO_STAMP);
    add_signal(m, 3, (ff_stamp){ FF_STAMP_NO_YEAR, -1, 1 }, NO_STAMP);
    add_signal(m, 4, (ff_stamp){ FF_STAMP_SINCE_BOOT, 5, INT64_MIN }, (ff_stamp){ FF_STAMP_UTC, 7, 0 });
    ff_clocks c = resolve();
    CHECK_INT(c.n, 2);
    CHECK_INT(found(m, 1)->clock, FF_NONE);
    CHECK_INT(found(m, 2)->clock, FF_NONE);
    CHECK_INT(found(m, 3)->clock, FF_NONE);
    CHECK_INT(found(m, 4)->utc, 7);
}

/* The same evidence in another order gives the same clocks and the same order of signals. */
TEST(order_in_memory_does_not_matter)
{
    int64_t first[MOST];
    uint32_t places[MOST], n = 0;
    for (unsigned turn = 0; turn < 2; turn++) {
        begin();
        uint32_t a = add_member("n1/kern.log", "n1", kernel), b = add_member("n1/kubelet.log", "n1", k8s),
                 c = add_member("rank0.log", "n1", job);
        for (unsigned i = 0; i < 12; i++) {
            unsigned k = turn ? 11 - i : i;
            ff_stamp boot = { FF_STAMP_SINCE_BOOT, (k * 37 % 12 + 100) * S, 1000 };
            ff_stamp wall = { FF_STAMP_NO_YEAR, boot.ns + 4000 * S, S };
            add_sample(a, 2 * k + 1, boot, wall);
            add_signal(a, 2 * k + 2, boot, NO_STAMP);
            add_signal(b, k + 1, (ff_stamp){ FF_STAMP_NO_YEAR, (4100 + k) * S, 1000 },
                       k % 3 ? NO_STAMP : (ff_stamp){ FF_STAMP_UTC, (4100 + k) * S, 1000 });
            add_signal(c, k + 1, NO_STAMP, NO_STAMP);
        }
        (void)resolve();
        for (uint32_t i = 0; i < bundle.n_signals; i++) {
            if (turn) {
                CHECK_INT(signals[i].utc, first[i]);
                CHECK_INT(signals[i].at.member * 1000 + signals[i].at.line, places[i]);
            }
            first[i] = signals[i].utc;
            places[i] = signals[i].at.member * 1000 + signals[i].at.line;
        }
        n = bundle.n_signals;
    }
    CHECK_INT(n, 36);
}

static uint32_t add_reading(const char *name, const char *host, ff_stamp said, ff_stamp also)
{
    uint32_t m = add_member(name, host, host_log);
    members[m].collected = members[m].document = true;
    add_sample(m, 1, said, also);
    return m;
}

TEST(uptime_and_date_of_a_host_anchor_its_boot)
{
    begin();
    add_reading("n1/proc/uptime", "n1", at("[1600.25]"), NO_STAMP);
    add_reading("n1/date", "n1", at("2026-01-01T00:10:00"), at("2026-01-01T00:10:00Z"));
    uint32_t log = add_member("n1/dmesg", "n1", kernel);
    add_sample(log, 1, at("[10.000000]"), NO_STAMP);
    add_signal(log, 2, at("[1100.000000]"), NO_STAMP);
    ff_clocks c = resolve();
    CHECK(signals[0].has_utc);
    CHECK_INT(signals[0].utc / S, utc("2026-01-01T00:01:40Z") / S);
    CHECK(signals[0].utc_err >= 5 * 60 * S && signals[0].utc_err < 6 * 60 * S);
    CHECK_INT(c.at[signals[0].clock].kind, FF_STAMP_SINCE_BOOT);
    CHECK_TEXT(c.at[signals[0].clock].why, "uptime and date were asked within minutes of each other");
}

TEST(uptime_and_date_of_two_hosts_or_two_dates_say_nothing)
{
    const char *dates[] = { "n2", "n1" };
    for (unsigned i = 0; i < 2; i++) {
        begin();
        add_reading("n1/proc/uptime", "n1", at("[1600.25]"), NO_STAMP);
        add_reading("x/date", dates[i], at("2026-01-01T00:10:00"), at("2026-01-01T00:10:00Z"));
        if (i)
            add_reading("y/date", dates[i], at("2026-01-01T03:10:00"), at("2026-01-01T03:10:00Z"));
        uint32_t log = add_member("n1/dmesg", "n1", kernel);
        add_signal(log, 2, at("[1100.000000]"), NO_STAMP);
        resolve();
        CHECK(!signals[0].has_utc);
    }
}

TEST(a_log_with_its_newest_line_first_is_one_boot)
{
    begin();
    uint32_t log = add_member("n1/dmesg", "n1", kernel), text = add_member("n1/messages", "n1", host_log);
    for (uint32_t i = 0; i < 6; i++) {
        char boot[32], date[32];
        snprintf(boot, sizeof boot, "[%u.000000]", 6000 - 1000 * i);
        snprintf(date, sizeof date, i < 3 ? "Jan %2u 00:00:00" : "Dec %2u 00:00:00", i < 3 ? 3 - i : 31 - i);
        add_signal(log, i + 1, at(boot), NO_STAMP);
        add_signal(text, i + 1, at(date), NO_STAMP);
    }
    add_signal(text, 9, at("Dec 20 00:00:00"), at("2025-12-20T00:00:00Z"));
    ff_clocks c = resolve();
    uint32_t boots = 0;
    for (uint32_t i = 0; i < c.n; i++)
        boots += c.at[i].kind == FF_STAMP_SINCE_BOOT;
    CHECK_INT(boots, 1);
    CHECK_INT(ff_signal_order(found(log, 6), found(log, 1)), FF_ORDER_BEFORE);
    CHECK_INT(found(text, 1)->utc / S, utc("2026-01-03T00:00:00Z") / S);
    CHECK_INT(found(text, 4)->utc / S, utc("2025-12-28T00:00:00Z") / S);
}

TEST(boots_one_after_the_other_are_not_taken_for_a_reversed_log)
{
    begin();
    uint32_t log = add_member("n1/dmesg", "n1", kernel);
    const char *stamps[] = { "[900.0]", "[10.0]",  "[800.0]", "[9.0]",   "[700.0]",
                             "[8.0]",   "[600.0]", "[7.0]",   "[500.0]", "[6.0]" };
    for (uint32_t i = 0; i < 10; i++)
        add_signal(log, i + 1, at(stamps[i]), NO_STAMP);
    ff_clocks c = resolve();
    CHECK_INT(c.n, 6);
}

int main(void)
{
    RUN(nothing_gives_no_clock);
    RUN(utc_is_one_clock);
    RUN(boot_time_with_utc_gives_offset);
    RUN(late_lines);
    RUN(boot_time_alone_is_not_anchored);
    RUN(concatenated_boots_are_two_clocks);
    RUN(small_fall_is_no_boot);
    RUN(linux_version_line_is_a_boot);
    RUN(boot_ids_keep_boots_apart);
    RUN(lines_between_boots_part_their_clocks);
    RUN(present_boot_is_shared_by_logs_of_a_host);
    RUN(boot_without_id_joins_named_one_only_by_evidence);
    RUN(offsets_that_contradict_keep_boots_apart);
    RUN(host_a_line_is_about_is_not_its_clock);
    RUN(central_log_has_a_clock_for_each_host);
    RUN(folded_signals_keep_their_last_time);
    RUN(insane_stamps_are_no_time);
    RUN(order_in_memory_does_not_matter);
    RUN(uptime_and_date_of_a_host_anchor_its_boot);
    RUN(uptime_and_date_of_two_hosts_or_two_dates_say_nothing);
    RUN(a_log_with_its_newest_line_first_is_one_boot);
    RUN(boots_one_after_the_other_are_not_taken_for_a_reversed_log);
    ff_arena_done(&arena);
    return DONE();
}
