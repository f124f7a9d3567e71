/* Resolution: which clocks a bundle has, how they are tied to UTC, and when they are not. */
#include "unit_clock_bundle.h"

static const uint32_t kernel = FF_STREAM_KERNEL, k8s = FF_STREAM_K8S, runtime = FF_STREAM_RUNTIME,
                      job = FF_STREAM_APP | FF_STREAM_NCCL, host_log = FF_STREAM_HOST;

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

TEST(local_without_zone_is_not_anchored_but_ordered)
{
    begin();
    uint32_t a = add_member("n1/a.log", "n1", host_log), b = add_member("n1/b.log", "n1", host_log),
             c = add_member("n2/a.log", "n2", host_log), d = add_member("d.log", "", host_log),
             e = add_member("e.log", "", host_log);
    add_signal(a, 1, at("2026-01-01 10:00:00.5"), NO_STAMP);
    add_signal(b, 1, at("2026-01-01 10:00:01.5"), NO_STAMP);
    add_signal(c, 1, at("2026-01-01 10:00:02.5"), NO_STAMP);
    add_signal(d, 1, at("2026-01-01 10:00:03.5"), NO_STAMP);
    add_signal(e, 1, at("2026-01-01 10:00:04.5"), NO_STAMP);
    ff_clocks clocks = resolve();
    CHECK_INT(clocks.n, 4);
    for (uint32_t i = 0; i < clocks.n; i++) {
        CHECK(!clocks.at[i].anchored);
        CHECK_TEXT(clocks.at[i].why, "no zone is named anywhere");
    }
    CHECK_INT(ff_signal_order(found(a, 1), found(b, 1)), FF_ORDER_BEFORE);
    CHECK_INT(ff_signal_order(found(a, 1), found(c, 1)), FF_ORDER_UNKNOWN);
    CHECK_INT(ff_signal_order(found(d, 1), found(e, 1)), FF_ORDER_UNKNOWN);
    CHECK(!members[a].has_utc);
    CHECK_INT(members[a].first_said.ns, at("2026-01-01 10:00:00.5").ns);
}

/* dmesg -T whose audit lines name the epoch: zone +08:00, and the drift of dmesg -T. */
TEST(local_with_utc_in_one_record)
{
    begin();
    uint32_t m = add_member("n1/dmesg-T", "n1", kernel), k = add_member("n1/kubelet.log", "n1", k8s);
    add_sample(m, 1, at("Wed Mar 11 14:31:51 2026"), at("2026-03-11T06:31:49.7Z"));
    add_sample(m, 2, at("Wed Mar 11 14:32:51 2026"), at("2026-03-11T06:32:49.3Z"));
    add_signal(m, 5, at("Wed Mar 11 14:41:31 2026"), NO_STAMP);
    add_signal(k, 1, at("0311 14:40:00.000000 1 x"), NO_STAMP);
    ff_clocks c = resolve();
    CHECK_INT(c.n, 3);
    CHECK(c.at[1].anchored && c.at[2].anchored);
    CHECK_INT(c.at[1].kind, FF_STAMP_LOCAL);
    CHECK(c.at[1].offset_ns < -8 * H && c.at[1].offset_ns > -8 * H - 4 * S);
    /* the kubelet takes the zone from dmesg, not its drift */
    CHECK_INT(found(k, 1)->utc, utc("2026-03-11T06:40:00Z") + 500);
    CHECK_INT(found(k, 1)->utc_err, 500);
    CHECK_TEXT(c.at[2].why,
               "the zone is known from another log of this host; the year is from other logs of this host");
    CHECK_INT(ff_signal_order(found(k, 1), found(m, 5)), FF_ORDER_BEFORE);
}

TEST(kernel_wall_time_drifts)
{
    begin();
    uint32_t m = add_member("n1/dmesg-T", "n1", kernel), k = add_member("n1/app.log", "n1", host_log);
    add_sample(k, 1, at("2026-03-11 06:30:00.000000"), at("2026-03-11T06:30:00.000000Z"));
    add_signal(k, 5, at("2026-03-11 06:41:30.500000"), NO_STAMP);
    add_signal(m, 1, at("Wed Mar 11 06:41:31 2026"), NO_STAMP);
    add_signal(m, 2, at("Wed Mar 11 06:41:34 2026"), NO_STAMP);
    (void)resolve();
    CHECK(found(m, 1)->has_utc);
    CHECK_INT(found(m, 1)->utc_err, 2 * S + S / 2);
    CHECK_INT(ff_signal_order(found(k, 5), found(m, 1)), FF_ORDER_UNKNOWN);
    CHECK_INT(ff_signal_order(found(k, 5), found(m, 2)), FF_ORDER_BEFORE);
}

/* boot -> date without year -> UTC: kern.log ties boot time to the syslog date, a klog line in the journal names
 * zone. */
TEST(chained_anchors)
{
    begin();
    uint32_t kern = add_member("n1/kern.log", "n1", kernel), journal = add_member("n1/kubelet", "n1", k8s),
             dmesg = add_member("n1/dmesg", "n1", kernel);
    add_sample(kern, 1, at("[100.000000]"), at("Mar 11 08:00:00 n1"));
    add_sample(kern, 2, at("[200.000000]"), at("Mar 11 08:01:40 n1"));
    add_sample(journal, 1, at("0311 08:00:30.250000 1 x"), at("2026-03-11T06:00:30.260000Z"));
    add_signal(dmesg, 1, at("[130.000000]"), NO_STAMP);
    ff_clocks c = resolve();
    const ff_signal *s = found(dmesg, 1);
    CHECK(s->has_utc);
    CHECK_INT(c.at[s->clock].kind, FF_STAMP_SINCE_BOOT);
    CHECK(ff_starts(c.at[s->clock].why,
                    FF_LIT("2 lines carry both boot time and local time; of that, 1 line carries")));
    CHECK(s->utc > utc("2026-03-11T06:00:29.5Z") && s->utc < utc("2026-03-11T06:00:31.5Z"));
    CHECK(s->utc_err >= S / 2 && s->utc_err < 2 * S);
    CHECK_INT(c.n, 3);
}

/* boot -> UTC by the journal, then boot -> date: zone and year of a syslog that names neither. */
TEST(boot_clock_dates_syslog)
{
    begin();
    uint32_t journal = add_member("n1/journal", "n1", kernel), kern = add_member("n1/kern.log", "n1", kernel);
    add_sample(journal, 1, at("[100.000000]"), at("2024-02-29T20:00:00.000000Z"));
    add_sample(kern, 1, at("[100.000000]"), at("Mar  1 01:30:00 n1"));
    add_signal(kern, 2, at("Mar  1 01:30:10 n1"), NO_STAMP);
    (void)resolve();
    CHECK(found(kern, 2)->has_utc);
    CHECK(found(kern, 2)->utc >= utc("2024-02-29T20:00:09.5Z") && found(kern, 2)->utc <= utc("2024-02-29T20:00:11Z"));
}

/* No zone anywhere: boot time and syslog date are still ordered, for each kern.log line ties them. */
TEST(linked_clocks_without_utc)
{
    begin();
    uint32_t kern = add_member("n1/kern.log", "n1", kernel), syslog = add_member("n1/syslog", "n1", k8s);
    add_signal(kern, 1, at("[100.000000]"), at("Mar 11 08:00:00 n1"));
    add_signal(kern, 2, at("[200.000000]"), at("Mar 11 08:01:40 n1"));
    add_signal(syslog, 1, at("Mar 11 08:00:50 n1"), NO_STAMP);
    (void)resolve();
    CHECK(!found(kern, 1)->has_utc);
    CHECK_INT(ff_signal_order(found(kern, 1), found(syslog, 1)), FF_ORDER_BEFORE);
    CHECK_INT(ff_signal_order(found(kern, 2), found(syslog, 1)), FF_ORDER_AFTER);
    CHECK_INT(found(kern, 1)->ref, 0);
    CHECK_INT(found(syslog, 1)->ref, 1);
    CHECK_INT(found(kern, 2)->ref, 2);
    int64_t gap = 0;
    CHECK(ff_signal_gap(found(kern, 1), found(syslog, 1), &gap));
    CHECK(gap > 47 * S && gap < 50 * S);
}

TEST(why_a_boot_clock_is_not_tied)
{
    begin();
    uint32_t kern = add_member("n1/kern.log", "n1", kernel);
    add_signal(kern, 1, at("[100.000000]"), at("Mar 11 08:00:00 n1"));
    ff_clocks c = resolve();
    CHECK_TEXT(c.at[0].why, "lines also carry local time, but for that no line names the year");
    CHECK_TEXT(c.at[1].why, "no line names the year");
}

/* Nobody knows whose log it is, but it is one file. */
TEST(two_ways_of_writing_local_time_in_one_file)
{
    begin();
    uint32_t m = add_member("train.log", "", job);
    add_signal(m, 1, at("2026-03-11 08:00:00.000"), NO_STAMP);
    add_signal(m, 9, at("0311 08:00:07.000000 1 x"), NO_STAMP);
    add_signal(m, 5, at("2026-03-11 08:00:09.000"), NO_STAMP);
    (void)resolve();
    CHECK(!found(m, 1)->has_utc);
    CHECK_INT(ff_signal_order(found(m, 1), found(m, 9)), FF_ORDER_BEFORE);
    CHECK_INT(ff_signal_order(found(m, 5), found(m, 9)), FF_ORDER_AFTER);
    signals[0].also = at("2026-03-11T00:00:00.000Z");
    ff_clocks c = resolve();
    CHECK(found(m, 9)->has_utc);
    CHECK_TEXT(c.at[found(m, 9)->clock].why,
               "the zone is known from other lines of the file; the year is from other lines of the file");
}

TEST(neighbours_name_zone_and_year)
{
    begin();
    uint32_t m = add_member("stdout.log", "n1", job), nccl = add_member("nccl.log", "n1", job);
    add_sample(m, 1, at("2026-11-30T07:02:44+00:00"), NO_STAMP);
    add_signal(m, 6, at("1130 07:02:54.271552404 x"), NO_STAMP);
    add_signal(m, 8, at("1130 07:02:57.795000 x"), NO_STAMP);
    add_signal(nccl, 1, at("2026-11-30 07:02:54]"), NO_STAMP);
    ff_clocks c = resolve();
    CHECK(found(m, 8)->has_utc);
    CHECK_INT(found(m, 8)->utc, utc("2026-11-30T07:02:57.795Z") + 500);
    CHECK(found(nccl, 1)->has_utc);
    CHECK_INT(found(nccl, 1)->utc, utc("2026-11-30T07:02:54Z") + S / 2);
    CHECK_INT(c.n, 3);
    CHECK(ff_contains(c.at[2].why, FF_LIT("next to one with UTC")));
    CHECK(ff_contains(c.at[2].why, FF_LIT("other lines of the file")));
}

TEST(neighbours_on_both_sides_name_any_zone)
{
    begin();
    uint32_t m = add_member("run.log", "n1", job);
    add_sample(m, 1, at("2026-06-01T00:00:00Z"), NO_STAMP);
    add_signal(m, 40, at("2026-06-01 05:30:20.000"), NO_STAMP);
    add_signal(m, 50, at("2026-06-01 08:30:20.000"), NO_STAMP);
    add_sample(m, 90, at("2026-06-01T03:00:40Z"), NO_STAMP);
    (void)resolve();
    CHECK(found(m, 40)->has_utc);
    CHECK_INT(found(m, 40)->utc / 1000000, utc("2026-06-01T00:00:20Z") / 1000000);
}

/* Two hours of silence look like a zone of two hours. */
TEST(pause_is_no_zone)
{
    begin();
    uint32_t m = add_member("run.log", "n1", job);
    add_sample(m, 1, at("2026-06-01T00:00:00Z"), NO_STAMP);
    add_signal(m, 400, at("2026-06-01 02:01:00.000"), NO_STAMP);
    (void)resolve();
    CHECK(!found(m, 400)->has_utc);
    begin();
    m = add_member("run.log", "n1", job);
    add_sample(m, 1, at("2026-06-01T00:00:00Z"), NO_STAMP);
    add_signal(m, 2, at("2026-06-01 02:25:00.000"), NO_STAMP);
    (void)resolve();
    CHECK(!found(m, 2)->has_utc);
}

TEST(zones_that_conflict_keep_clocks_apart)
{
    begin();
    uint32_t a = add_member("n1/a.log", "n1", host_log), b = add_member("n1/b.log", "n1", host_log),
             c = add_member("n1/c.log", "n1", host_log);
    add_signal(a, 1, at("2026-01-01 10:00:00.000"), at("2026-01-01T10:00:00.000Z"));
    add_signal(b, 1, at("2026-01-01 18:00:00.500"), at("2026-01-01T10:00:00.500Z"));
    add_signal(c, 1, at("2026-01-01 12:00:00.000"), NO_STAMP);
    ff_clocks clocks = resolve();
    CHECK_INT(clocks.n, 4);
    CHECK(found(a, 1)->clock != found(b, 1)->clock);
    CHECK_INT(ff_signal_order(found(a, 1), found(b, 1)), FF_ORDER_BEFORE);
    CHECK(!found(c, 1)->has_utc);
    CHECK_TEXT(clocks.at[found(c, 1)->clock].why, "its records, or the logs of its host, name different zones");
    CHECK_INT(ff_signal_order(found(a, 1), found(c, 1)), FF_ORDER_UNKNOWN);
}

/* One log of the host says UTC, another says +08:00: nobody knows what a third one means. */
TEST(zones_that_conflict_are_lent_to_nobody)
{
    begin();
    uint32_t a = add_member("n1/a.log", "n1", host_log), b = add_member("n1/syslog", "n1", host_log),
             c = add_member("n1/dmesg-T", "n1", kernel);
    add_signal(a, 1, at("2026-01-01 10:00:00.000"), at("2026-01-01T10:00:00.000Z"));
    add_signal(b, 1, at("Jan  1 18:00:00.500 n1"), at("2026-01-01T10:00:00.500Z"));
    add_signal(c, 1, at("Thu Jan  1 12:00:00 2026"), NO_STAMP);
    ff_clocks clocks = resolve();
    CHECK(found(a, 1)->has_utc && found(b, 1)->has_utc);
    CHECK(!found(c, 1)->has_utc);
    CHECK_TEXT(clocks.at[found(c, 1)->clock].why, "its records, or the logs of its host, name different zones");
}

/* dmesg -T that is five minutes off (the host was suspended) has its own offset, but it names no zone. */
TEST(drift_is_no_zone)
{
    begin();
    uint32_t a = add_member("n1/a.log", "n1", host_log), d = add_member("n1/dmesg-T", "n1", kernel);
    add_signal(d, 1, at("Thu Jan  1 10:05:00 2026"), at("2026-01-01T10:00:00.000Z"));
    add_signal(a, 1, at("2026-01-01 10:05:00.000"), NO_STAMP);
    (void)resolve();
    CHECK(found(d, 1)->has_utc);
    CHECK(!found(a, 1)->has_utc);
}

TEST(documents_have_no_line_order)
{
    begin();
    uint32_t log = add_member("rank0.log", "n1", job), pod = add_member("pod.yaml", "n1", k8s),
             out = add_member("nvidia-smi.txt", "n1", FF_STREAM_GPU);
    members[pod].document = true;
    members[out].collected = true;
    for (uint32_t line = 1; line <= 2; line++)
        for (uint32_t m = 0; m < 3; m++)
            add_signal(m, line, NO_STAMP, NO_STAMP);
    (void)resolve();
    CHECK_INT(ff_signal_order(found(log, 1), found(log, 2)), FF_ORDER_BEFORE);
    CHECK_INT(ff_signal_order(found(pod, 1), found(pod, 2)), FF_ORDER_UNKNOWN);
    CHECK_INT(ff_signal_order(found(out, 1), found(out, 2)), FF_ORDER_UNKNOWN);
}

/* Writers of two zones in one file: no offset holds, but a record that names UTC itself has its time. */
TEST(two_zones_in_one_file)
{
    begin();
    uint32_t m = add_member("n1/journal", "n1", k8s);
    add_signal(m, 1, at("0101 10:00:00.000000 1 x"), at("2026-01-01T10:00:00.000Z"));
    add_signal(m, 2, at("0101 18:00:01.000000 1 x"), at("2026-01-01T10:00:01.000Z"));
    add_signal(m, 3, at("0101 10:00:02.000000 1 x"), NO_STAMP);
    (void)resolve();
    CHECK(found(m, 1)->has_utc);
    CHECK(found(m, 2)->has_utc);
    CHECK_INT(found(m, 2)->utc / 1000000, utc("2026-01-01T10:00:01Z") / 1000000);
    CHECK(!found(m, 3)->has_utc);
}

TEST(container_keeps_its_own_zone)
{
    begin();
    uint32_t rank = add_member("rank0.log", "n1", job), node = add_member("n1/kubelet.log", "n1", k8s);
    add_signal(rank, 1, at("2026-01-01 10:00:00.000"), NO_STAMP);
    add_signal(node, 1, at("0101 18:00:00.000000 1 x"), at("2026-01-01T10:00:00.000Z"));
    (void)resolve();
    CHECK(found(node, 1)->has_utc);
    CHECK(!found(rank, 1)->has_utc);
    signals[0].said = signals[0].also = NO_STAMP;
    begin();
    rank = add_member("rank0.log", "n1", job);
    node = add_member("n1/kubelet.log", "n1", k8s);
    add_signal(rank, 1, at("2026-01-01 10:00:00.000"), NO_STAMP);
    add_signal(node, 1, at("0101 10:00:00.000000 1 x"), at("2026-01-01T10:00:00.000Z"));
    (void)resolve();
    CHECK(found(rank, 1)->has_utc);
}

TEST(same_events_name_the_zone)
{
    begin();
    uint32_t d = add_member("containerd.log", "", runtime), k = add_member("dmesg-T.txt", "", kernel);
    ff_bytes id = FF_LIT("9b9706ba89a43cb58e7afeb928d7cce4e36d8ac3760d08d77f6355ad4618fdfa");
    add_signal(d, 1, at("2026-03-11T06:41:32.941836Z"), NO_STAMP)->who.container = id;
    add_signal(d, 2, at("2026-03-11T06:43:42.042344Z"), NO_STAMP)->who.container = id;
    add_signal(k, 1, at("Wed Mar 11 14:41:32 2026"), NO_STAMP)->who.container = id;
    ff_clocks c = resolve();
    CHECK(!found(k, 1)->has_utc); /* one pair is no proof of +08:00 */
    add_signal(k, 2, at("Wed Mar 11 14:43:41 2026"), NO_STAMP)->who.container = id;
    c = resolve();
    CHECK(found(k, 1)->has_utc);
    CHECK_INT(found(k, 1)->utc, utc("2026-03-11T06:41:32.5Z"));
    CHECK_TEXT(c.at[found(k, 1)->clock].why, "same event seen by dmesg-T.txt and containerd.log");
}

TEST(one_same_event_is_enough_for_utc)
{
    begin();
    uint32_t d = add_member("containerd.log", "", runtime), k = add_member("trainer.log", "", job);
    add_signal(d, 1, at("2026-03-11T06:41:32.941836Z"), NO_STAMP)->who.pod_uid = FF_LIT("7d3b0c52");
    add_signal(k, 1, at("2026-03-11 06:41:35.000"), NO_STAMP)->who.pod_uid = FF_LIT("7d3b0c52");
    (void)resolve();
    CHECK(found(k, 1)->has_utc);
}

/* What is logged all the time meets something in every zone. */
TEST(steady_lines_name_no_zone)
{
    begin();
    uint32_t d = add_member("containerd.log", "", runtime), k = add_member("kubelet.log", "", job);
    for (uint32_t i = 0; i < 25; i++) {
        ff_stamp u = { FF_STAMP_UTC, (INT64_C(1767225600) + i * 600) * S, 1 }, w = u;
        w.kind = FF_STAMP_LOCAL;
        add_signal(d, i + 1, u, NO_STAMP)->who.container = FF_LIT("aa");
        add_signal(k, i + 1, w, NO_STAMP)->who.container = FF_LIT("aa");
    }
    (void)resolve();
    CHECK(!found(k, 1)->has_utc);
}

TEST(same_kernel_line_in_two_prints)
{
    begin();
    uint32_t b = add_member("n1/dmesg", "n1", kernel), w = add_member("n1/dmesg-iso", "n1", kernel);
    add_signal(b, 1, at("[500.250000]"), NO_STAMP)->quote = FF_LIT("[  500.250000] NVRM: Xid (PCI:0000:3b:00): 79");
    add_signal(w, 1, at("2026-01-01T10:00:00,750000+00:00"), NO_STAMP)->quote =
        FF_LIT("2026-01-01T10:00:00,750000+00:00 NVRM: Xid (PCI:0000:3b:00): 79");
    ff_clocks c = resolve();
    CHECK(found(b, 1)->has_utc);
    CHECK_INT(found(b, 1)->utc, utc("2026-01-01T10:00:00.75Z") + 500);
    CHECK(ff_contains(c.at[found(b, 1)->clock].why, FF_LIT("1 line stands in a log with boot time")));
    signals[0].quote = signals[1].quote = FF_LIT("[1] short");
    (void)resolve();
    CHECK(!found(b, 1)->has_utc);
}

/* The kernel saw the crash and the launcher the exit of one pid: the last resort, with the error of a core dump. */
TEST(the_end_of_a_process_ties_its_boot)
{
    static const struct {
        const char *host;
        int32_t pid;
        bool tied;
    } rows[] = { { "n1", 4711, true }, { "n2", 4711, false }, { "n1", 4712, false } };
    for (size_t i = 0; i < FF_COUNT(rows); i++) {
        begin();
        uint32_t b = add_member("n1/dmesg", "n1", kernel), w = add_member("job.out", rows[i].host, job);
        ff_signal *crash = add_signal(b, 1, at("[500.250000]"), NO_STAMP);
        crash->quote = FF_LIT("[  500.250000] python3[4711]: segfault at 0 ip 1 sp 2 error 4 in libc.so.6");
        crash->who.pid = 4711;
        ff_signal *end = add_signal(w, 1, at("2026-01-01T10:00:10Z"), NO_STAMP);
        end->quote = FF_LIT("exitcode  : -11 (pid: 4711)");
        end->who.pid = rows[i].pid;
        (void)resolve();
        CHECK(found(b, 1)->has_utc == rows[i].tied);
        if (rows[i].tied) {
            CHECK(found(b, 1)->utc < utc("2026-01-01T10:00:10Z"));
            CHECK(found(b, 1)->utc_err >= 30 * S);
            CHECK(found(b, 1)->utc + found(b, 1)->utc_err >= utc("2026-01-01T10:00:10Z"));
        }
    }
}

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
    RUN(a_log_with_its_newest_line_first_is_one_boot);
    RUN(boots_one_after_the_other_are_not_taken_for_a_reversed_log);
    RUN(uptime_and_date_of_a_host_anchor_its_boot);
    RUN(uptime_and_date_of_two_hosts_or_two_dates_say_nothing);
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
    RUN(local_without_zone_is_not_anchored_but_ordered);
    RUN(local_with_utc_in_one_record);
    RUN(kernel_wall_time_drifts);
    RUN(chained_anchors);
    RUN(boot_clock_dates_syslog);
    RUN(linked_clocks_without_utc);
    RUN(why_a_boot_clock_is_not_tied);
    RUN(two_ways_of_writing_local_time_in_one_file);
    RUN(neighbours_name_zone_and_year);
    RUN(neighbours_on_both_sides_name_any_zone);
    RUN(pause_is_no_zone);
    RUN(zones_that_conflict_keep_clocks_apart);
    RUN(zones_that_conflict_are_lent_to_nobody);
    RUN(drift_is_no_zone);
    RUN(documents_have_no_line_order);
    RUN(two_zones_in_one_file);
    RUN(container_keeps_its_own_zone);
    RUN(same_events_name_the_zone);
    RUN(one_same_event_is_enough_for_utc);
    RUN(steady_lines_name_no_zone);
    RUN(same_kernel_line_in_two_prints);
    RUN(the_end_of_a_process_ties_its_boot);
    RUN(year_from_other_logs_of_host);
    RUN(year_from_file_date);
    RUN(two_years_that_fit_are_no_year);
    RUN(roll_over_without_a_year);
    RUN(logs_around_new_year_without_a_year);
    RUN(leap_days_are_minded);
    RUN(host_a_line_is_about_is_not_its_clock);
    RUN(central_log_has_a_clock_for_each_host);
    RUN(folded_signals_keep_their_last_time);
    RUN(insane_stamps_are_no_time);
    RUN(order_in_memory_does_not_matter);
    ff_arena_done(&arena);
    return DONE();
}
