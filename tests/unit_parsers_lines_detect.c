/* Which parser a member is given, and what frames refuse. */
#include "line_rows.h"

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

/* One that does not say is never asked. */
TEST(every_coat_says_what_it_begins_with)
{
    for (unsigned i = 0; i < ff_n_coats; i++) {
        failing = ff_coats[i]->name;
        CHECK_ROW(ff_coats[i]->begins != 0);
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

int main(void)
{
    RUN(frames_refuse_what_only_resembles_them);
    RUN(every_coat_says_what_it_begins_with);
    RUN(members_are_told_by_their_lines);
    RUN(lines_of_a_container_are_not_the_kernel_log);
    return DONE();
}
