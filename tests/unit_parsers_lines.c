/* One line in, one event out: what each frame, coat and reader makes of its shapes. */
#include "check.h"
#include "../parsers/parser.h"

#define NS INT64_C(1000000000)
#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define Y2026 INT64_C(1767225600)    /* 2026-01-01T00:00:00Z */
#define NOV30 (INT64_C(334) * 86400) /* of a leap year, from January 1 */
#define AT(seconds, rest) ((seconds)*NS + (rest))
#define NOBODY (-1)

typedef struct expected {
    const char *parser; /* NULL: a line of a mixed file */
    const char *line;
    uint32_t stream;
    const char *text;
    ff_stamp said;
    ff_stamp_kind also;
    const char *host; /* NULL: none */
    int pid, rank;    /* 0 stands for none in pid, NOBODY in rank */
} expected;

#define K FF_STREAM_KERNEL
#define UTC FF_STAMP_UTC
#define BOOT FF_STAMP_SINCE_BOOT
#define LOCAL FF_STAMP_LOCAL
#define NO_YEAR FF_STAMP_NO_YEAR
#define NONE FF_STAMP_NONE

static const char *failing;

#define CHECK_ROW(condition)                                                                                         \
    do {                                                                                                             \
        if (condition) {                                                                                             \
            check_passed++;                                                                                          \
        } else {                                                                                                     \
            check_failed++;                                                                                          \
            fprintf(stderr, "%s:%d: not true: %s\n  in: %s\n", __FILE__, __LINE__, #condition, failing);             \
        }                                                                                                            \
    } while (0)

static const ff_parser *parser_named(const char *name)
{
    for (unsigned i = 0; i < ff_n_parsers; i++)
        if (strcmp(ff_parsers[i]->name, name) == 0)
            return ff_parsers[i];
    return NULL;
}

static void check_stamp(ff_stamp got, ff_stamp want)
{
    CHECK_ROW(got.kind == want.kind);
    CHECK_ROW(got.kind == NONE || got.ns == want.ns);
    CHECK_ROW(got.kind == NONE || got.grain_ns == want.grain_ns);
}

/* A coat must say all that it can begin with, or it would never be asked. */
static void check_begins(const char *line, ff_arena *arena)
{
    ff_event ev = { .stream = FF_STREAM_ANY, .text = ff_str(line), .who = FF_WHO_NOBODY, .scratch = arena };
    bool taken = true;
    for (unsigned depth = 0; depth < 6 && taken; depth++) {
        ff_event outer = ev;
        taken = false;
        for (unsigned i = 0; i < ff_n_coats; i++) {
            ff_event inner = outer;
            if (!ff_coats[i]->take(&inner))
                continue;
            CHECK_ROW(ff_coats[i]->begins & ff_first_of(outer.text));
            ev = taken ? ev : inner;
            taken = true;
        }
    }
}

static void check_line(const expected *want)
{
    ff_arena arena;
    ff_arena_init(&arena);
    failing = want->line;
    check_begins(want->line, &arena);
    const ff_parser *parser = parser_named(want->parser ? want->parser : "plain");
    ff_event ev = { .stream = parser->streams, .who = FF_WHO_NOBODY, .scratch = &arena };
    bool framed = parser->frame(ff_str(want->line), &ev);
    CHECK_ROW(framed);
    ff_undress(&ev);
    CHECK_ROW(ev.stream == want->stream);
    CHECK_TEXT(ev.text, want->text);
    check_stamp(ev.said, want->said);
    CHECK_ROW(ev.also.kind == want->also);
    CHECK_TEXT(ev.who.host, want->host ? want->host : "");
    CHECK_ROW(ev.who.pid == (want->pid ? want->pid : FF_NO_NUMBER));
    CHECK_ROW(ev.who.rank == want->rank);
    ff_arena_done(&arena);
}

static void check_lines(const expected *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        check_line(&rows[i]);
}

#define BOOT_STAMP                                                                                                   \
    {                                                                                                                \
        BOOT, AT(12345, 678901 * US), US                                                                             \
    }

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

#define SYSLOG_MASK                                                                                                  \
    (FF_STREAM_NCCL | FF_STREAM_APP | FF_STREAM_K8S | FF_STREAM_RUNTIME | FF_STREAM_SLURM | FF_STREAM_GPU |          \
     FF_STREAM_NET | FF_STREAM_HOST)

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

#define CONTAINER_MASK SYSLOG_MASK

TEST(container_frames_and_what_they_hold)
{
    static const expected rows[] = {
        { "cri",
          "2026-01-01T00:00:00.123456789Z stdout F text",
          CONTAINER_MASK,
          "text",
          { UTC, AT(Y2026, 123456789), 1 },
          NONE,
          NULL,
          0,
          NOBODY },
        { "cri",
          "2026-01-01T00:00:00.123456789Z stderr F [rank3]:[E1130 12:00:05.123456789 ProcessGroupNCCL.cpp:616] text",
          FF_STREAM_APP,
          "text",
          { UTC, AT(Y2026, 123456789), 1 },
          NO_YEAR,
          NULL,
          0,
          3 },
        { "cri",
          "2026-01-01T00:00:00.1Z stderr P:x train-0:71:93 [0] NCCL INFO text",
          FF_STREAM_NCCL,
          "NCCL INFO text",
          { UTC, AT(Y2026, 100 * MS), 100 * MS },
          NONE,
          NULL,
          71,
          NOBODY },
        { "docker_json",
          "{\"log\":\"a \\\"b\\\"\\n\",\"stream\":\"stderr\",\"time\":\"2026-01-01T00:00:00.5Z\"}",
          CONTAINER_MASK,
          "a \"b\"",
          { UTC, AT(Y2026, 500 * MS), 100 * MS },
          NONE,
          NULL,
          0,
          NOBODY },
        { "kubectl",
          "2026-01-01T00:00:00.123456789Z hello",
          CONTAINER_MASK,
          "hello",
          { UTC, AT(Y2026, 123456789), 1 },
          NONE,
          NULL,
          0,
          NOBODY },
        { "kubectl",
          "[pod/train-0/trainer] 2026-01-01T00:00:00.123456789Z hello",
          CONTAINER_MASK,
          "hello",
          { UTC, AT(Y2026, 123456789), 1 },
          NONE,
          NULL,
          0,
          NOBODY },
        { "containerd",
          "time=\"2026-01-01T00:00:00.5Z\" level=info msg=\"TaskOOM event container_id:\\\"0f\\\"\" ns=k8s.io",
          FF_STREAM_RUNTIME,
          "TaskOOM event container_id:\"0f\" ns=k8s.io",
          { UTC, AT(Y2026, 500 * MS), 100 * MS },
          NONE,
          NULL,
          0,
          NOBODY },
        { "containerd",
          "time=\"2026-01-01 00:00:00.5Z\" level=warning msg=word id=1",
          FF_STREAM_RUNTIME | FF_STREAM_K8S | FF_STREAM_GPU,
          "word id=1",
          { UTC, AT(Y2026, 500 * MS), 100 * MS },
          NONE,
          NULL,
          0,
          NOBODY },
        { "klog",
          "I0101 00:00:44.123456    4321 kubelet.go:2439] \"SyncLoop (PLEG)\" pod=\"ml/train-0\"",
          FF_STREAM_K8S,
          "\"SyncLoop (PLEG)\" pod=\"ml/train-0\"",
          { NO_YEAR, AT(44, 123456 * US), US },
          NONE,
          NULL,
          0,
          NOBODY },
        { "klog_json",
          "{\"ts\":1767225600000.123,\"caller\":\"kubelet/kubelet.go:2439\",\"msg\":\"a \\\"b\\\"\",\"v\":2,"
          "\"pod\":{\"name\":\"train-0\",\"namespace\":\"ml\"},\"event\":{\"Type\":\"x\"},\"err\":\"e\"}",
          FF_STREAM_K8S,
          "\"a \\\"b\\\"\" pod=\"ml/train-0\" event={\"Type\":\"x\"} err=\"e\"",
          { UTC, AT(Y2026, 123 * US), US },
          NONE,
          NULL,
          0,
          NOBODY },
        { NULL,
          "{\"ts\":1767225600.5,\"caller\":\"x.go:1\",\"msg\":\"m\"}",
          FF_STREAM_K8S,
          "\"m\"",
          { UTC, AT(Y2026, 500 * MS), 100 * MS },
          NONE,
          NULL,
          0,
          NOBODY },
        { "slurm",
          "[2026-01-01T00:00:00.123] error: Nodes gpu-a02 not responding",
          FF_STREAM_SLURM,
          "error: Nodes gpu-a02 not responding",
          { LOCAL, AT(Y2026, 123 * MS), MS },
          NONE,
          NULL,
          0,
          NOBODY },
        { "slurm",
          "[2026-01-01T00:00:00.123+00:00] [123.batch] error: x",
          FF_STREAM_SLURM,
          "[123.batch] error: x",
          { UTC, AT(Y2026, 123 * MS), MS },
          NONE,
          NULL,
          0,
          NOBODY },
        { "fabricmanager",
          "[Jan 01 2026 00:00:00] [ERROR] [tid 1234] text",
          FF_STREAM_GPU,
          "text",
          { LOCAL, AT(Y2026, 0), NS },
          NONE,
          NULL,
          0,
          NOBODY },
    };
    check_lines(rows, FF_COUNT(rows));
}

#define A FF_STREAM_APP
#define N FF_STREAM_NCCL
#define NO_TIME                                                                                                      \
    {                                                                                                                \
        NONE, 0, 0                                                                                                   \
    }
#define NOV30_NOON                                                                                                   \
    {                                                                                                                \
        NO_YEAR, AT(NOV30 + 12 * 3600 + 5, 0), NS                                                                    \
    }

TEST(output_of_ranks_in_its_coats)
{
    static const expected rows[] = {
        { NULL, "[rank3]:   File \"run.py\", line 1", FF_STREAM_ANY, "  File \"run.py\", line 1", NO_TIME, NONE, NULL,
          0, 3 },
        { NULL, "[default3]:[rank7]: text", FF_STREAM_ANY, "text", NO_TIME, NONE, NULL, 0, 7 },
        { NULL,
          "(Worker[rank=9] pid=4242, ip=10.9.8.7) [rank9]:[E129 03:04:05.714860440 ProcessGroupNCCL.cpp:730] Stack",
          A,
          "Stack",
          { NO_YEAR, AT(28 * 86400 + 3 * 3600 + 4 * 60 + 5, 0), NS },
          NONE,
          "10.9.8.7",
          4242,
          9 },
        { NULL, "(Worker_TP1 pid=123) INFO 11-30 12:00:05 [core.py:61] text", A, "text", NOV30_NOON, NONE, NULL, 123,
          1 },
        { NULL, "(Worker_PP1_TP1 pid=123) text", FF_STREAM_ANY, "text", NO_TIME, NONE, NULL, 123, NOBODY },
        { NULL, "(VllmWorker rank=1 pid=123) text", FF_STREAM_ANY, "text", NO_TIME, NONE, NULL, 123, 1 },
        { NULL, "[1,3]<stderr>:gpu-a01:71:93 [3] NCCL INFO text", N, "NCCL INFO text", NO_TIME, NONE, "gpu-a01", 71,
          3 },
        { NULL, "[3]<stderr>:Killed", FF_STREAM_ANY, "Killed", NO_TIME, NONE, NULL, 0, 3 },
        { NULL,
          "Thu Jan  1 00:00:00 2026[3]<stdout>:text",
          FF_STREAM_ANY,
          "text",
          { LOCAL, AT(Y2026, 0), NS },
          NONE,
          NULL,
          0,
          3 },
        { NULL, "[3]<stdin>:text", FF_STREAM_ANY, "[3]<stdin>:text", NO_TIME, NONE, NULL, 0, NOBODY },
        { NULL, "10: gpu-a01:71:93 [3] NCCL INFO text", N, "NCCL INFO text", NO_TIME, NONE, "gpu-a01", 71, 10 },
        { NULL, "10: something else", FF_STREAM_ANY, "10: something else", NO_TIME, NONE, NULL, 0, NOBODY },
        { NULL, "gpu-a01: [12345.678901] text", K, "text", BOOT_STAMP, NONE, "gpu-a01", 0, NOBODY },
        { NULL, "gpu-a01: something else", FF_STREAM_ANY, "gpu-a01: something else", NO_TIME, NONE, NULL, 0, NOBODY },
        { NULL, "\x1b[36m(train pid=9)\x1b[0m [rank1]: text", FF_STREAM_ANY, "text", NO_TIME, NONE, NULL, 9, 1 },
        { NULL,
          "2026-01-01 00:00:00,123 - app.worker - ERROR - text",
          A,
          "text",
          { LOCAL, AT(Y2026, 123 * MS), MS },
          NONE,
          NULL,
          0,
          NOBODY },
        { NULL,
          " [2026-01-01 00:00:00.123456] iteration 120",
          FF_STREAM_ANY,
          "iteration 120",
          { LOCAL, AT(Y2026, 123456 * US), US },
          NONE,
          NULL,
          0,
          NOBODY },
        { NULL,
          "[2026-01-01 00:00:00 DP0 TP3] Decode batch",
          FF_STREAM_ANY,
          "Decode batch",
          { LOCAL, AT(Y2026, 0), NS },
          NONE,
          NULL,
          0,
          3 },
        { NULL,
          "2026/01/01 00:00:00 Warning: no devices",
          FF_STREAM_ANY,
          "Warning: no devices",
          { LOCAL, AT(Y2026, 0), NS },
          NONE,
          NULL,
          0,
          NOBODY },
        { NULL,
          "[2026-01-01T00:00:00.123] error: Nodes gpu-a02 not responding",
          FF_STREAM_SLURM,
          "error: Nodes gpu-a02 not responding",
          { LOCAL, AT(Y2026, 123 * MS), MS },
          NONE,
          NULL,
          0,
          NOBODY },
        { NULL, "slurmstepd: error: Detected 1 oom_kill event in StepId=123.0.", FF_STREAM_SLURM,
          "slurmstepd: error: Detected 1 oom_kill event in StepId=123.0.", NO_TIME, NONE, NULL, 0, NOBODY },
        { NULL, "04:05:14 [rank1] NCCL WARN text", FF_STREAM_NCCL, "NCCL WARN text", NO_TIME, NONE, NULL, 0, 1 },
        { NULL, "[16:21:33] step 911 loss 0.2", FF_STREAM_ANY, "step 911 loss 0.2", NO_TIME, NONE, NULL, 0, NOBODY },
    };
    check_lines(rows, FF_COUNT(rows));
}

TEST(headers_of_torch_and_its_loggers)
{
    static const expected rows[] = {
        { NULL, "[E ProcessGroupNCCL.cpp:828] text", A, "text", NO_TIME, NONE, NULL, 0, NOBODY },
        { NULL, "[E ProcessGroupNCCL.cpp:828] [Rank 5] text", A, "[Rank 5] text", NO_TIME, NONE, NULL, 0, 5 },
        { NULL, "[E1130 12:00:05.123456789 ProcessGroupNCCL.cpp:828] [Rank 5] text", A, "[Rank 5] text", NOV30_NOON,
          NONE, NULL, 0, NOBODY },
        { NULL, "[rank3]:[E ProcessGroupNCCL.cpp:1316] text", A, "text", NO_TIME, NONE, NULL, 0, 3 },
        { NULL, "[W1130 12:00:05.123456789 Utils.hpp:137] text", A, "text", NOV30_NOON, NONE, NULL, 0, NOBODY },
        { NULL, "[rank3]:[E1130 12:00:05.123456 ProcessGroupNCCL.cpp:632] text", A, "text", NOV30_NOON, NONE, NULL, 0,
          3 },
        { NULL, "    ^^^^[rank1]:[E1130 12:00:05.000000001 ProcessGroupNCCL.cpp:1] text", A, "text", NOV30_NOON, NONE,
          NULL, 0, 1 },
        { NULL,
          "E1130 12:00:05.123456  9191 ProcessGroupNCCL.cpp:1405] text",
          A,
          "text",
          { NO_YEAR, AT(NOV30 + 12 * 3600 + 5, 123456 * US), US },
          NONE,
          NULL,
          0,
          NOBODY },
        { NULL,
          "E20260101 00:00:05.123456 25409 socket.cpp:860] [c10d] text",
          A,
          "[c10d] text",
          { LOCAL, AT(Y2026 + 5, 123456 * US), US },
          NONE,
          NULL,
          0,
          NOBODY },
        { NULL, "WARNING:torch.distributed.run:text", A, "text", NO_TIME, NONE, NULL, 0, NOBODY },
        { NULL,
          "[2026-01-01 00:00:05,123] torch.distributed.run: [WARNING] text",
          A,
          "text",
          { LOCAL, AT(Y2026 + 5, 123 * MS), MS },
          NONE,
          NULL,
          0,
          NOBODY },
        { NULL,
          "[rank5]:W1130 12:00:05.158000 4242 torch/_dynamo/convert_frame.py:1339] [3/8] text",
          A,
          "text",
          { NO_YEAR, AT(NOV30 + 12 * 3600 + 5, 158000 * US), US },
          NONE,
          NULL,
          4242,
          5 },
        { NULL,
          "2026-01-01 00:00:05.123456: E tensorflow/core/x.cc:45] text",
          A,
          "text",
          { LOCAL, AT(Y2026 + 5, 123456 * US), US },
          NONE,
          NULL,
          0,
          NOBODY },
        { NULL,
          "E1130 12:00:05.160012     395 rendezvous.cc:108] text",
          A,
          "text",
          { NO_YEAR, AT(NOV30 + 12 * 3600 + 5, 160012 * US), US },
          NONE,
          NULL,
          0,
          NOBODY },
        { NULL,
          "E0000 00:00:1767225600.160012     395 file.cc:10] text",
          A,
          "text",
          { UTC, AT(Y2026, 160012 * US), US },
          NONE,
          NULL,
          0,
          NOBODY },
        { NULL,
          "WARNING:2026-01-01 00:00:05,280:jax._src.xla_bridge:590: text",
          A,
          "text",
          { LOCAL, AT(Y2026 + 5, 280 * MS), MS },
          NONE,
          NULL,
          0,
          NOBODY },
        { NULL,
          "[2026-01-01 00:00:05,123] [INFO] [launch.py:335:sigkill_handler] Killing subprocess 7",
          A,
          "Killing subprocess 7",
          { LOCAL, AT(Y2026 + 5, 123 * MS), MS },
          NONE,
          NULL,
          0,
          NOBODY },
        { NULL, "INFO 11-30 12:00:05 core.py:61] text", A, "text", NOV30_NOON, NONE, NULL, 0, NOBODY },
        { NULL, "ERROR 11-30 12:00:05 [multiproc_executor.py:898]   File \"x\"", A, "  File \"x\"", NOV30_NOON, NONE,
          NULL, 0, NOBODY },
    };
    check_lines(rows, FF_COUNT(rows));
}

TEST(nccl_prefixes)
{
    static const expected rows[] = {
        { "nccl", "gpu-a01:71:93 [0] NCCL INFO Channel 00/0", N, "NCCL INFO Channel 00/0", NO_TIME, NONE, "gpu-a01",
          71, NOBODY },
        { NULL, "gpu-a01:71:93 [-1] misc/socket.cc:64 NCCL WARN text", N, "NCCL WARN text", NO_TIME, NONE, "gpu-a01",
          71, NOBODY },
        { NULL,
          "[2026-01-01 00:00:00] gpu-a01:71:93 [0] misc/socket.cc:64 (ncclSocketConnect) NCCL WARN text",
          N,
          "NCCL WARN text",
          { LOCAL, AT(Y2026, 0), NS },
          NONE,
          "gpu-a01",
          71,
          NOBODY },
        { NULL, "gpu-a01:71:93 [0] int create(struct x*, a::b&):123 NCCL WARN NET/OFI text", N,
          "NCCL WARN NET/OFI text", NO_TIME, NONE, "gpu-a01", 71, NOBODY },
        { NULL, "gpu-a01:71:93 NCCL CALL ncclAllReduce()", N, "NCCL CALL ncclAllReduce()", NO_TIME, NONE, "gpu-a01",
          71, NOBODY },
        { NULL, "gpu-a01:71:93 [0] NCCL INFO Changpu-b02:8:9 [1] NCCL INFO whole", N, "NCCL INFO whole", NO_TIME,
          NONE, "Changpu-b02", 8, NOBODY },
        { NULL, "gpu-a01:71:93 [0] NCCL INFO Chan gpu-b02:8:9 [1] x.cc:1 NCCL WARN whole", N, "NCCL WARN whole",
          NO_TIME, NONE, "gpu-b02", 8, NOBODY },
        { NULL, "NCCL version 2.18.5+cuda12.2", N, "NCCL version 2.18.5+cuda12.2", NO_TIME, NONE, NULL, 0, NOBODY },
        { NULL, "gpu-a01:71:93 [0] [FATAL ERROR]: text", N, "[FATAL ERROR]: text", NO_TIME, NONE, "gpu-a01", 71,
          NOBODY },
        { NULL, "set NCCL_DEBUG=INFO for more", FF_STREAM_ANY, "set NCCL_DEBUG=INFO for more", NO_TIME, NONE, NULL, 0,
          NOBODY },
    };
    check_lines(rows, FF_COUNT(rows));
}

TEST(frames_refuse_what_only_resembles_them)
{
    static const struct {
        const char *parser, *line;
    } rows[] = {
        { "kmsg", "[123.0] done with step" },
        { "kmsg", "[2626]" },
        { "kmsg", "" },
        { "kmsg", " SUBSYSTEM=pci" },
        { "kmsg", "1,2,3" },
        { "syslog", "Jan  1 00:00:00" },
        { "syslog", "2026-01-01T00:00:00" },
        { "slurm", "[2026-01-01 00:00:00] text" },
        { "cri", "2026-01-01T00:00:00Z stdout" },
        { "docker_json", "{\"log\":\"x" },
        { "journal_json", "{\"MESSAGE\":\"x\"" },
        { "klog", "I0101 00:00:44.123456 text" },
        { "containerd", "time=x level=info msg=y" },
        { "fabricmanager", "[Jan 01 2026] [ERROR] x" },
    };
    for (size_t i = 0; i < FF_COUNT(rows); i++) {
        ff_event ev = { .stream = FF_STREAM_ANY, .who = FF_WHO_NOBODY };
        failing = rows[i].line;
        CHECK_ROW(!parser_named(rows[i].parser)->frame(ff_str(rows[i].line), &ev));
    }
}

static const char *detected(const char *name, const char *bytes)
{
    const char *second = NULL;
    ff_probe probe = { .name = ff_str(name), .head = ff_str(bytes), .whole = true };
    const ff_parser *p = ff_detect(&probe, &second);
    return p ? p->name : "";
}

TEST(members_are_told_by_their_lines)
{
    CHECK_TEXT(ff_str(detected("a", "[    1.000000] a\n[    1.000001] b\n")), "kmsg");
    CHECK_TEXT(ff_str(detected("a", "[    1.000000] gpu-a01 kernel: a\n[    1.000001] gpu-a01 systemd[1]: b\n")),
               "journal");
    CHECK_TEXT(ff_str(detected("a", "Jan  1 00:00:00 gpu-a01 kernel: a\nJan  1 00:00:01 gpu-a01 cron[1]: b\n")),
               "syslog");
    CHECK_TEXT(ff_str(detected("a", "-- Logs begin at Thu 2026-01-01 --\nJan 01 00:00:01 gpu-a01 cron[1]: b\n")),
               "journal");
    CHECK_TEXT(ff_str(detected("a", "0: gpu-a01:1:2 [0] NCCL INFO x\n1: hello\n0: bye\n")), "srun");
    CHECK_TEXT(ff_str(detected("a", "1: lo: <LOOPBACK,UP>\n2: eth0: <UP>\n")), "plain");
    CHECK_TEXT(ff_str(detected("a", "gpu-a01:1:2 [0] NCCL INFO x\n\ngpu-a01:1:2 [0] a.cc:1 NCCL WARN y\n")), "nccl");
    CHECK_TEXT(ff_str(detected("a", "gpu-a01:1:2 [0] NCCL INFO x\nstep 1\nstep 2\n")), "plain");
    CHECK_TEXT(
        ff_str(detected("a", "2026-01-01T00:00:00Z metrics sidecar: x\n2026-01-01T00:00:01Z metrics sidecar: y\n")),
        "plain");
    CHECK_TEXT(ff_str(detected("a", "just words\nand more\n")), "plain");
    CHECK_TEXT(ff_str(detected("a", "\x01\x02\x03\x04")), "");
}

TEST(lines_of_a_container_are_not_the_kernel_log)
{
    ff_event ev = { .stream = FF_STREAM_ANY,
                    .text = FF_LIT("2026-01-01T00:00:00.1Z stdout F NVRM: Xid text"),
                    .who = FF_WHO_NOBODY };
    CHECK(ff_undress(&ev));
    CHECK(!(ev.stream & FF_STREAM_KERNEL));
}

TEST(pods_are_named_by_kubectl)
{
    ff_event ev = { .stream = FF_STREAM_ANY, .text = FF_LIT("[pod/train-0/trainer] words"), .who = FF_WHO_NOBODY };
    CHECK(ff_undress(&ev));
    CHECK_TEXT(ev.who.pod, "train-0");
    CHECK_TEXT(ev.who.unit, "trainer");
}

int main(void)
{
    RUN(kernel_lines_in_every_shape_of_dmesg);
    RUN(syslog_and_journal_headers);
    RUN(journal_entries_carry_both_clocks);
    RUN(kernel_entry_of_a_journal_is_an_exact_anchor);
    RUN(export_records_are_cut_at_empty_lines_outside_of_binary_fields);
    RUN(container_frames_and_what_they_hold);
    RUN(output_of_ranks_in_its_coats);
    RUN(headers_of_torch_and_its_loggers);
    RUN(nccl_prefixes);
    RUN(frames_refuse_what_only_resembles_them);
    RUN(members_are_told_by_their_lines);
    RUN(lines_of_a_container_are_not_the_kernel_log);
    RUN(pods_are_named_by_kubectl);
    return DONE();
}
