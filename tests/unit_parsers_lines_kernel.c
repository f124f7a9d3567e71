/* Lines of the kernel and of the journal in each of their shapes. */
#include "line_rows.h"

TEST(kernel_lines_in_every_shape_of_dmesg)
{
    static const expected rows[] = {
        { "kmsg", "[12345.678901] NVRM: loading", K, "NVRM: loading", BOOT_STAMP, NONE, NULL, 0, NOBODY },
        { "kmsg",
          "[    0.000000][    T1] Linux version 6.1",
          K,
          "Linux version 6.1",
          { BOOT, 0, US },
          NONE,
          NULL,
          0,
          NOBODY },
        { "kmsg", "[12345.678901] [   C12] text", K, "text", BOOT_STAMP, NONE, NULL, 0, NOBODY },
        { "kmsg", "[12345.678901] [  41234]  1000 41234 text", K, "[  41234]  1000 41234 text", BOOT_STAMP, NONE,
          NULL, 0, NOBODY },
        { "kmsg",
          "[Thu Jan  1 00:00:01 2026] text",
          K,
          "text",
          { LOCAL, AT(Y2026 + 1, 0), NS },
          NONE,
          NULL,
          0,
          NOBODY },
        { "kmsg",
          "2026-01-01T01:00:00,123456+01:00 a:b text",
          K,
          "a:b text",
          { UTC, AT(Y2026, 123456 * US), US },
          NONE,
          NULL,
          0,
          NOBODY },
        { "kmsg", "kern  :warn  : [12345.678901] text", K, "text", BOOT_STAMP, NONE, NULL, 0, NOBODY },
        { "kmsg",
          "daemon:info  : [Thu Jan  1 00:00:01 2026] text",
          K,
          "text",
          { LOCAL, AT(Y2026 + 1, 0), NS },
          NONE,
          NULL,
          0,
          NOBODY },
        { "kmsg",
          "kern  :err   : 2026-01-01T00:00:00,000001+00:00 text",
          K,
          "text",
          { UTC, AT(Y2026, US), US },
          NONE,
          NULL,
          0,
          NOBODY },
        { "kmsg", "<4>[12345.678901] text", K, "text", BOOT_STAMP, NONE, NULL, 0, NOBODY },
        { "kmsg", "[12345.678901 <    0.000012>] text", K, "text", BOOT_STAMP, NONE, NULL, 0, NOBODY },
        { "kmsg",
          "[Nov30 05:41] text",
          K,
          "text",
          { NO_YEAR, AT(NOV30 + 5 * 3600 + 41 * 60, 0), 60 * NS },
          NONE,
          NULL,
          0,
          NOBODY },
        { "kmsg", "[  +0.000123] text", K, "text", { NONE, 0, 0 }, NONE, NULL, 0, NOBODY },
        { "kmsg", "6,1234,12345678901,-;a\\x0ab", K, "a\nb", BOOT_STAMP, NONE, NULL, 0, NOBODY },
        { "kmsg", "6,1234,12345678901,c,caller=T1;text", K, "text", BOOT_STAMP, NONE, NULL, 0, NOBODY },
        { "kmsg",
          "kern:    info: [2026-01-01T00:00:00.000000001Z]: text",
          K,
          "text",
          { UTC, AT(Y2026, 1), 1 },
          NONE,
          NULL,
          0,
          NOBODY },
        { NULL, "[12345.678901] NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.", K,
          "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.", BOOT_STAMP, NONE, NULL, 0, NOBODY },
        { NULL,
          "NVRM: Xid (PCI:0000:3b:00): 79, GPU lost",
          K,
          "NVRM: Xid (PCI:0000:3b:00): 79, GPU lost",
          { NONE, 0, 0 },
          NONE,
          NULL,
          0,
          NOBODY },
        { NULL,
          "10.7.4.23: kern:     err: [2026-01-01T00:00:00.000000001Z]: text",
          K,
          "text",
          { UTC, AT(Y2026, 1), 1 },
          NONE,
          "10.7.4.23",
          0,
          NOBODY },
    };
    check_lines(rows, FF_COUNT(rows));
}

TEST(syslog_and_journal_headers)
{
    static const expected rows[] = {
        { "syslog", "Nov 30 00:00:00 gpu-a01 kernel: [12345.678901] text", K, "text", BOOT_STAMP, NO_YEAR, "gpu-a01",
          0, NOBODY },
        { "syslog",
          "Jan  1 00:00:01 gpu-a01 kernel: text",
          K,
          "text",
          { NO_YEAR, AT(1, 0), NS },
          NONE,
          "gpu-a01",
          0,
          NOBODY },
        { "syslog",
          "2026-01-01T00:00:00.123456+00:00 gpu-a01 kernel: memory: usage 1kB",
          K,
          "memory: usage 1kB",
          { UTC, AT(Y2026, 123456 * US), US },
          NONE,
          "gpu-a01",
          0,
          NOBODY },
        { "syslog",
          "<4>1 2026-01-01T00:00:00.123456Z gpu-a01 kernel - - - text",
          K,
          "text",
          { UTC, AT(Y2026, 123456 * US), US },
          NONE,
          "gpu-a01",
          0,
          NOBODY },
        { "syslog",
          "<30>1 2026-01-01T00:00:00Z gpu-a01 slurmd 812 - [x@1 a=\"]\"] \xef\xbb\xbftext",
          FF_STREAM_SLURM,
          "text",
          { UTC, AT(Y2026, 0), NS },
          NONE,
          "gpu-a01",
          812,
          NOBODY },
        { "syslog",
          "Jan  1 00:00:00 gpu-a01 containerd[77]: time=\"2026-01-01T00:00:00.5Z\" level=info msg=\"a \\\"b\\\"\"",
          FF_STREAM_RUNTIME,
          "a \"b\"",
          { NO_YEAR, 0, NS },
          UTC,
          "gpu-a01",
          77,
          NOBODY },
        { "syslog",
          "Jan  1 00:00:00 gpu-a01 kubelet[812]: I0101 00:00:00.123456     812 kubelet.go:2439] text",
          FF_STREAM_K8S,
          "text",
          { NO_YEAR, 123456 * US, US },
          NONE,
          "gpu-a01",
          812,
          NOBODY },
        { "syslog",
          "Jan  1 00:00:00 gpu-a01 trainer[9]: plain words",
          SYSLOG_MASK,
          "plain words",
          { NO_YEAR, 0, NS },
          NONE,
          "gpu-a01",
          9,
          NOBODY },
        { "syslog",
          "Jan  1 00:00:00 gpu-a01 kernel: a#012b#011c",
          K,
          "a\nb\tc",
          { NO_YEAR, 0, NS },
          NONE,
          "gpu-a01",
          0,
          NOBODY },
        { "syslog",
          "Jan  1 00:00:00 gpu-a01 last message repeated 5 times",
          SYSLOG_MASK | K,
          "last message repeated 5 times",
          { NO_YEAR, 0, NS },
          NONE,
          "gpu-a01",
          0,
          NOBODY },
        { "journal",
          "Thu 2026-01-01 00:00:00 UTC gpu-a01 systemd[1]: x.scope: text",
          FF_STREAM_HOST,
          "x.scope: text",
          { UTC, AT(Y2026, 0), NS },
          NONE,
          "gpu-a01",
          1,
          NOBODY },
        { "journal",
          "Thu 2026-01-01 00:00:00 CET gpu-a01 systemd[1]: text",
          FF_STREAM_HOST,
          "text",
          { LOCAL, AT(Y2026, 0), NS },
          NONE,
          "gpu-a01",
          1,
          NOBODY },
        { "journal",
          "2026-01-01T00:00:00+0000 gpu-a01 nv-fabricmanager[5]: text",
          FF_STREAM_GPU,
          "text",
          { UTC, AT(Y2026, 0), NS },
          NONE,
          "gpu-a01",
          5,
          NOBODY },
        { "journal",
          "2026-01-01T00:00:00.123456+0000 gpu-a01 kernel: text",
          K,
          "text",
          { UTC, AT(Y2026, 123456 * US), US },
          NONE,
          "gpu-a01",
          0,
          NOBODY },
        { "journal",
          "Jan 01 00:00:00.123456 gpu-a01 kernel: text",
          K,
          "text",
          { NO_YEAR, 123456 * US, US },
          NONE,
          "gpu-a01",
          0,
          NOBODY },
        { "journal",
          "1767225600.123456 gpu-a01 kernel: text",
          K,
          "text",
          { UTC, AT(Y2026, 123456 * US), US },
          NONE,
          "gpu-a01",
          0,
          NOBODY },
        { "journal",
          "[    4.999990] gpu-a01 kernel: text",
          K,
          "text",
          { BOOT, AT(4, 999990 * US), US },
          NONE,
          "gpu-a01",
          0,
          NOBODY },
        { "journal",
          "[ 3606.000000 <    1.000100 >] gpu-a01 kubelet[8]: text",
          FF_STREAM_K8S,
          "text",
          { BOOT, AT(3606, 0), US },
          NONE,
          "gpu-a01",
          8,
          NOBODY },
        { "journal",
          "-- Boot 0f1e2d3c4b5a69788796a5b4c3d2e1f0 --",
          FF_STREAM_HOST,
          "-- Boot 0f1e2d3c4b5a69788796a5b4c3d2e1f0 --",
          { NONE, 0, 0 },
          NONE,
          NULL,
          0,
          NOBODY },
        { NULL,
          "[    4.999990] gpu-a01 kernel: text",
          K,
          "text",
          { BOOT, AT(4, 999990 * US), US },
          NONE,
          "gpu-a01",
          0,
          NOBODY },
        { NULL,
          "2026-01-01T00:00:00Z metrics sidecar: Failed",
          FF_STREAM_ANY,
          "metrics sidecar: Failed",
          { UTC, AT(Y2026, 0), NS },
          NONE,
          NULL,
          0,
          NOBODY },
    };
    check_lines(rows, FF_COUNT(rows));
}

TEST(package_runs_say_when_they_began_and_ended)
{
    static const expected rows[] = {
        { NULL,
          "Start-Date: 2026-01-01  00:00:00",
          FF_STREAM_HOST,
          "Start-Date: 2026-01-01  00:00:00",
          { LOCAL, AT(Y2026, 0), NS },
          NONE,
          NULL,
          0,
          NOBODY },
        { NULL,
          "End-Date: 2026-01-01  00:00:05",
          FF_STREAM_HOST,
          "End-Date: 2026-01-01  00:00:05",
          { LOCAL, AT(Y2026 + 5, 0), NS },
          NONE,
          NULL,
          0,
          NOBODY },
        { NULL, "Start-Date: 2026-13-01  00:00:00", FF_STREAM_ANY, "Start-Date: 2026-13-01  00:00:00", NO_TIME, NONE,
          NULL, 0, NOBODY },
        { NULL, "Start-Date: 2026-01-01  00:00:00 UTC", FF_STREAM_ANY, "Start-Date: 2026-01-01  00:00:00 UTC",
          NO_TIME, NONE, NULL, 0, NOBODY },
    };
    check_lines(rows, FF_COUNT(rows));
}

TEST(uname_names_its_host)
{
    static const expected rows[] = {
        { NULL, "Linux gpu-a01 6.8.0-60-generic #63-Ubuntu SMP x86_64 x86_64 x86_64 GNU/Linux", FF_STREAM_HOST,
          "Linux gpu-a01 6.8.0-60-generic #63-Ubuntu SMP x86_64 x86_64 x86_64 GNU/Linux", NO_TIME, NONE, "gpu-a01", 0,
          NOBODY },
        { NULL, "Linux version 6.8.0-60-generic (builder@host) #63-Ubuntu SMP GNU/Linux", FF_STREAM_ANY,
          "Linux version 6.8.0-60-generic (builder@host) #63-Ubuntu SMP GNU/Linux", NO_TIME, NONE, NULL, 0, NOBODY },
        { NULL, "Linux nodes 2.5 times faster", FF_STREAM_ANY, "Linux nodes 2.5 times faster", NO_TIME, NONE, NULL, 0,
          NOBODY },
    };
    check_lines(rows, FF_COUNT(rows));
}

TEST(journal_entries_carry_both_clocks)
{
    static const expected rows[] = {
        { "journal_json",
          "{\"__REALTIME_TIMESTAMP\":\"1767225600000500\",\"__MONOTONIC_TIMESTAMP\":\"12345679401\",\"_HOSTNAME\":"
          "\"gpu-a01\",\"_TRANSPORT\":\"kernel\",\"_SOURCE_MONOTONIC_TIMESTAMP\":\"12345678901\","
          "\"SYSLOG_IDENTIFIER\":\"kernel\",\"MESSAGE\":\"NVRM: \\u00e9\\n2\"}",
          K, "NVRM: \xc3\xa9\n2", BOOT_STAMP, UTC, "gpu-a01", 0, NOBODY },
        { "journal_json",
          "{\"MESSAGE\":[104,105,27],\"__REALTIME_TIMESTAMP\":\"1767225600000001\",\"_PID\":\"812\","
          "\"SYSLOG_IDENTIFIER\":\"kubelet\",\"__MONOTONIC_TIMESTAMP\":\"5\"}",
          FF_STREAM_K8S,
          "hi",
          { UTC, AT(Y2026, US), US },
          BOOT,
          NULL,
          812,
          NOBODY },
        { "journal_export",
          "__REALTIME_TIMESTAMP=1767225600000001\n__MONOTONIC_TIMESTAMP=7\n_BOOT_ID=0f1e\n_HOSTNAME=gpu-a01\n"
          "SYSLOG_IDENTIFIER=systemd\n_PID=1\nMESSAGE=unit: a=b\n\n",
          FF_STREAM_HOST,
          "unit: a=b",
          { UTC, AT(Y2026, US), US },
          BOOT,
          "gpu-a01",
          1,
          NOBODY },
    };
    check_lines(rows, FF_COUNT(rows));
}

TEST(kernel_entry_of_a_journal_is_an_exact_anchor)
{
    ff_arena arena;
    ff_arena_init(&arena);
    ff_event ev = { .stream = K, .who = FF_WHO_NOBODY, .scratch = &arena };
    CHECK(parser_named("journal_json")
              ->frame(
                  FF_LIT("{\"__REALTIME_TIMESTAMP\":\"1767225600000500\",\"__MONOTONIC_TIMESTAMP\":\"1000500\","
                         "\"_SOURCE_MONOTONIC_TIMESTAMP\":\"1000000\",\"_TRANSPORT\":\"kernel\",\"MESSAGE\":\"x\"}"),
                  &ev));
    CHECK_INT(ev.said.ns, NS);
    CHECK_INT(ev.also.ns, Y2026 * NS);
    ff_arena_done(&arena);
}

static ff_bytes export_run(void)
{
    static const char run[] = "__REALTIME_TIMESTAMP=1767225600000001\n__MONOTONIC_TIMESTAMP=1\nMESSAGE\n"
                              "\x07\0\0\0\0\0\0\0a\n\nb=c\n\n_PID=1\n\n"
                              "__REALTIME_TIMESTAMP=1767225600000002\nMESSAGE=two\n\n__REALTIME_TIMES";
    return FF_LIT(run);
}

TEST(export_records_are_cut_at_empty_lines_outside_of_binary_fields)
{
    const ff_parser *p = parser_named("journal_export");
    ff_arena arena;
    ff_arena_init(&arena);
    ff_bytes run = export_run();
    size_t whole = p->whole(run);
    CHECK_TEXT(ff_skip_n(run, whole), "__REALTIME_TIMES");
    ff_event ev = { .stream = FF_STREAM_ANY, .who = FF_WHO_NOBODY, .scratch = &arena };
    ff_bytes first = p->record(run, 60);
    CHECK(first.p == run.p);
    CHECK(p->frame(first, &ev));
    CHECK_TEXT(ev.text, "a\n\nb=c\n");
    CHECK_INT(ev.who.pid, 1);
    ff_bytes second = p->record(run, first.n + 3);
    ff_event two = { .stream = FF_STREAM_ANY, .who = FF_WHO_NOBODY, .scratch = &arena };
    CHECK(p->frame(second, &two));
    CHECK_TEXT(two.text, "two");
    ff_arena_done(&arena);
}

int main(void)
{
    RUN(kernel_lines_in_every_shape_of_dmesg);
    RUN(syslog_and_journal_headers);
    RUN(package_runs_say_when_they_began_and_ended);
    RUN(uname_names_its_host);
    RUN(journal_entries_carry_both_clocks);
    RUN(kernel_entry_of_a_journal_is_an_exact_anchor);
    RUN(export_records_are_cut_at_empty_lines_outside_of_binary_fields);
    return DONE();
}
