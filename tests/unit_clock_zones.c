/* How a wall clock is tied to UTC: records with two times, neighbours, events that two logs saw. */
#include "unit_clock_bundle.h"

static const uint32_t kernel = FF_STREAM_KERNEL, k8s = FF_STREAM_K8S, runtime = FF_STREAM_RUNTIME,
                      job = FF_STREAM_APP, host_log = FF_STREAM_HOST;

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

int main(void)
{
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
    ff_arena_done(&arena);
    return DONE();
}
