/* Which host and rank a member belongs to: by content, by name, by what lies beside it. */
#include "unit_intake.h"
#include "../analyzer/intake/layout_private.h"

static ff_evidence read_and_assign(const char *folder, ff_arena *arena)
{
    ff_evidence e = read_one(folder, 2, arena);
    ff_layout_assign(&e, arena);
    return e;
}

static void check_host(const ff_evidence *e, const char *member, const char *host)
{
    const ff_member *m = member_named(e, member);
    if (!m)
        return;
    CHECK_TEXT(m->who.host, host);
    CHECK((m->who.host.n != 0) == (m->host_why.n != 0));
    if (!ff_equal(m->who.host, ff_str(host)))
        fprintf(stderr, "  member %s, why \"%.*s\"\n", member, (int)m->host_why.n,
                m->host_why.p ? m->host_why.p : "");
}

static void syslog_of(const char *path, const char *host)
{
    char text[1000];
    snprintf(text, sizeof text,
             "Jan  1 00:00:01 %s kernel: [   10.000000] one\nJan  1 00:00:02 %s systemd[1]: two\n"
             "Jan  1 00:00:03 %s kernel: [   12.000000] NVRM: Xid (PCI:0000:3b:00): 79, gone\n",
             host, host, host);
    write_text(path, text);
}

#define DMESG                                                                                                        \
    "[   10.000000] usb 1-1: one\n[   11.000000] NVRM: Xid (PCI:0000:3b:00): 79, gone\n[   12.000000] eth0: up\n"

TEST(ranks_stand_in_file_names)
{
    static const struct {
        const char *name;
        int32_t rank;
    } cases[] = {
        { "rank3.log", 3 },
        { "a/nccl_trace_rank_12", 12 },
        { "trainer-rank4.log", 4 },
        { "rank0_gx-a.log", 0 },
        { "fr_rank11.json", 11 },
        { "RANK_7.out", 7 },
        { "rank-5.log.gz", 5 },
        { "logs.tar!rank9", 9 },
        { "ranks8.log", FF_NO_NUMBER },
        { "frank3.log", FF_NO_NUMBER },
        { "rank3x.log", FF_NO_NUMBER },
        { "local_rank3.log", FF_NO_NUMBER },
        { "rank3/stdout", FF_NO_NUMBER },
        { "rank", FF_NO_NUMBER },
        { "rank99999999999999999999.log", FF_NO_NUMBER },
    };
    for (size_t i = 0; i < FF_COUNT(cases); i++)
        CHECK_INT(ff_name_rank(ff_str(cases[i].name)), cases[i].rank);
    CHECK_INT(ff_name_local_rank(FF_LIT("x/none_abc/attempt_0/3/stderr.log")), 3);
    CHECK_INT(ff_name_local_rank(FF_LIT("x/none_abc/other_0/3/stderr.log")), FF_NO_NUMBER);
}

TEST(kubelet_names_logs_for_pods)
{
    static const char *const id = "7c1ea9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9";
    static const struct {
        const char *name, *pod, *uid;
        bool container;
    } cases[] = {
        { "var/log/pods/ml_train-0_5b0e7c12-3d44-4a6f-9c11-0d8e2f7a6b90/trainer/0.log", "ml/train-0",
          "5b0e7c12-3d44-4a6f-9c11-0d8e2f7a6b90", false },
        { "x.tar!ml_train-0_5b0e7c12-3d44-4a6f-9c11-0d8e2f7a6b90/trainer/1.log", "ml/train-0",
          "5b0e7c12-3d44-4a6f-9c11-0d8e2f7a6b90", false },
        { "containers/train-0_ml_trainer-7c1ea9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9.log",
          "ml/train-0", "", true },
        { "containers/train-0_ml_trainer-7c1ea9.log", "", "", false },
        { "ml_train-0_5b0e7c12-3d44-4a6f-9c11/trainer/0.log", "", "", false },
        { "ml_train-0_5b0e7c12-3d44-4a6f-9c11-0d8e2f7a6b90", "", "", false },
        { "_train-0_5b0e7c12-3d44-4a6f-9c11-0d8e2f7a6b90/trainer/0.log", "", "", false },
        { "a_b_c.log", "", "", false },
        { "", "", "", false },
    };
    ff_arena arena;
    ff_arena_init(&arena);
    for (size_t i = 0; i < FF_COUNT(cases); i++) {
        ff_who who = FF_WHO_NOBODY;
        ff_name_pod(ff_str(cases[i].name), &who, &arena);
        CHECK_TEXT(who.pod, cases[i].pod);
        CHECK_TEXT(who.pod_uid, cases[i].uid);
        CHECK_TEXT(who.container, cases[i].container ? id : "");
    }
    ff_arena_done(&arena);
}

TEST(support_bundles_name_their_host)
{
    static const struct {
        const char *name, *host;
    } cases[] = {
        { "sosreport-gpu-a01-2026-03-11-abcdefg/proc/meminfo", "gpu-a01" },
        { "all.tar!sosreport-gpu-a01-0123456-2026-03-11-abcdefg.tar.xz!sosreport-x/proc/meminfo", "gpu-a01" },
        { "sosreport-n7-20260311101010/date", "n7" },
        { "nvidia-bug-report_worker-3.log.gz", "worker-3" },
        { "scc_nodeb_260311_1010/messages.txt", "nodeb" },
        { "sysinfo-snapshot-v3.7.9-gpu-b2-20260311-1010/status-log-x", "gpu-b2" },
        { "slurmd.c014.log", "c014" },
        { "nvidia-bug-report.log.gz", "" },
        { "sosreport.txt", "" },
        { "dmesg.txt", "" },
    };
    for (size_t i = 0; i < FF_COUNT(cases); i++)
        CHECK_TEXT(ff_name_support_host(ff_str(cases[i].name)), cases[i].host);
}

TEST(file_names_split_into_host_and_kind)
{
    static const struct {
        const char *name, *about, *kind;
    } cases[] = {
        { "spark-c-dmesg.txt", "spark-c", "dmesg" },
        { "dmesg_cn-w34.txt", "cn-w34", "dmesg" },
        { "nvidia-smi_cn-w34.txt", "cn-w34", "nvidia-smi" },
        { "h100-n21-dmesg-T.txt", "h100-n21", "dmesg" },
        { "lmx-node02_vllm.log", "lmx-node02", "vllm" },
        { "node_x-11_stdout.log", "x-11", "stdout" },
        { "nccl.gpu-node-07.722.log", "gpu-node-07", "nccl" },
        { "spark-c-ethtool-m.txt", "spark-c", "ethtool" },
        { "rank0_node-a1.log", "node-a1", "" },
        { "dmesg.txt", "", "dmesg" },
        { "dmesg-T.txt", "", "dmesg" },
        { "nvidia-smi-q-i012.txt", "", "nvidia-smi" },
        { "lspci-vvv-idle.txt", "", "lspci" },
        { "slurm-640423.out", "", "" },
        { "rank12.log", "", "" },
        { "dmesg.1.gz", "", "dmesg" },
        { "dmesg-erst-7301582", "", "dmesg" },
        { "dmesg-efi-171234501001", "", "dmesg" },
        { "dmesg-efi_pstore-171234501001.enc.z", "", "dmesg" },
        { "dmesg-ramoops-0", "", "dmesg" },
        { "mydmesgs.txt", "", "" },
        { "nccl_trace_rank_1", "", "nccl" },
        { "fr_trace_rank-12.json", "", "" },
        { "rank_3.log", "", "" },
        { "nccl_gx-a1_rank_3.log", "gx-a1", "nccl" },
        { "dmesg_gpu-7.txt", "gpu-7", "dmesg" },
        { "nvidia-smi-topo-p2p-r.txt", "", "nvidia-smi" },
        { "nvidia-smi-topo-m.txt", "", "nvidia-smi" },
        { "topo-p2p.txt", "", "topo" },
        { "nvidia-smi-after2.txt", "", "nvidia-smi" },
        { "ethtool-eth0.txt", "", "ethtool" },
        { "ethtool-S-mlx5_0.txt", "", "ethtool" },
        { "ibstat_mlx5_0.txt", "", "ibstat" },
        { "ip-addr-enp65s0f0np0.txt", "", "ip-addr" },
        { "journalctl-u-kubelet-12h.txt", "", "journalctl" },
        { "gx-a1-ethtool-eth0.txt", "gx-a1", "ethtool" },
        { "ethtool-eth0-gx-a1.txt", "gx-a1", "ethtool" },
        { "gx-a1-kubelet-journal.txt", "gx-a1", "journal" },
    };
    for (size_t i = 0; i < FF_COUNT(cases); i++) {
        ff_name_guess g = ff_guess_name(ff_str(cases[i].name));
        CHECK_TEXT(g.about, cases[i].about);
        CHECK_TEXT(g.kind, cases[i].kind);
    }
}

TEST(machines_of_one_make_differ_in_numbers_only)
{
    static const struct {
        const char *a, *b;
        bool alike;
    } cases[] = {
        { "n9", "n10", true },         { "gpu-a01", "gpu-b07", true },
        { "gpu-a01", "gpu-07", true }, { "c2n14", "c1n3", true },
        { "n9", "mds1", false },       { "gpu-01", "gpu-01-ib", false },
        { "node-1", "node1", false },  { "login", "login", false },
        { "n9", "c9", false },         { "gpu-ab1", "gpu-cd1", false },
        { "", "n1", false },
    };
    for (size_t i = 0; i < FF_COUNT(cases); i++) {
        CHECK(ff_hosts_alike(ff_str(cases[i].a), ff_str(cases[i].b)) == cases[i].alike);
        CHECK(ff_hosts_alike(ff_str(cases[i].b), ff_str(cases[i].a)) == cases[i].alike);
    }
}

TEST(names_of_other_hosts_are_told)
{
    static const struct {
        const char *name, *host;
        bool other;
    } cases[] = {
        { "node3_sglang.log", "node1", true },    { "x/node3/train.log", "node1", true },
        { "node1_sglang.log", "node1", false },   { "node1_sglang.log", "node1.example.org", false },
        { "node3_sglang.log", "gx01", true },     { "sglang_v2.log", "node1", false },
        { "llama70b_train.log", "node1", false }, { "rank3.log", "node1", false },
        { "logs/train.log", "node1", false },     { "gx02_vllm.log", "gx01", true },
    };
    for (size_t i = 0; i < FF_COUNT(cases); i++)
        CHECK(ff_name_is_of_other_host(ff_str(cases[i].name), ff_str(cases[i].host)) == cases[i].other);
}

TEST(hosts_are_found_in_paths_as_whole_words)
{
    ff_hosts h = { 0 };
    const char *names[] = { "gpu-a1", "gpu-a10", "n7", "deep.example.com", "localhost", "a.b.c", "a.x.y" };
    for (size_t i = 0; i < FF_COUNT(names); i++)
        ff_hosts_add(&h, ff_str(names[i]));
    ff_hosts_sort(&h);
    static const struct {
        const char *path, *host;
    } cases[] = {
        { "gpu-a10/dmesg", "gpu-a10" },
        { "logs/gpu-a1_dmesg.txt", "gpu-a1" },
        { "x/xgpu-a1.txt", "" },
        { "n7/gpu-a1.log", "gpu-a1" },
        { "n7/dmesg", "n7" },
        { "logs.tar!n7!x", "n7" },
        { "n77/dmesg", "" },
        { "deep/dmesg", "deep.example.com" },
        { "deep.example.com.log", "deep.example.com" },
        { "localhost/x", "" },
        { "a/dmesg", "" },
    };
    for (size_t i = 0; i < FF_COUNT(cases); i++)
        CHECK_TEXT(ff_hosts_find_in(&h, ff_str(cases[i].path)), cases[i].host);
    ff_hosts_done(&h);
}

TEST(the_only_host_is_that_of_all)
{
    shell("rm -rf a && mkdir a");
    syslog_of("a/messages", "gpu-a01");
    write_text("a/dmesg.txt", DMESG);
    write_text("a/rank3.log", "BOOM 1\n");
    ff_arena arena;
    ff_evidence e = read_and_assign("a", &arena);
    check_host(&e, "messages", "gpu-a01");
    check_host(&e, "dmesg.txt", "gpu-a01");
    CHECK_TEXT(member_named(&e, "dmesg.txt")->host_why, "the only host in the bundle");
    const ff_signal *boom = signal_of_kind(&e, KIND(BOOM), 0);
    CHECK(boom && boom->who.rank == 3);
    CHECK_TEXT(boom->who.host, "gpu-a01");
    ff_arena_done(&arena);
}

TEST(with_several_hosts_nothing_is_assumed)
{
    shell("rm -rf a && mkdir -p a/gpu-a02");
    syslog_of("a/messages.1", "gpu-a01");
    syslog_of("a/messages.2", "gpu-a02");
    write_text("a/dmesg.txt", DMESG);
    write_text("a/gpu-a02/dmesg", DMESG);
    write_text("a/gpu-a01-dmesg-T.txt", DMESG);
    ff_arena arena;
    ff_evidence e = read_and_assign("a", &arena);
    check_host(&e, "messages.1", "gpu-a01");
    check_host(&e, "messages.2", "gpu-a02");
    check_host(&e, "dmesg.txt", "");
    check_host(&e, "gpu-a02/dmesg", "gpu-a02");
    check_host(&e, "gpu-a01-dmesg-T.txt", "gpu-a01");
    ff_arena_done(&arena);
}

TEST(a_log_of_many_hosts_belongs_to_none)
{
    shell("rm -rf a && mkdir a");
    char text[8192];
    size_t n = 0;
    for (unsigned i = 0; i < 60; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "Jan  1 00:00:%02u gpu-a%02u kernel: [   10.000000] line\n",
                              i, 1 + i % 3);
    write_text("a/cluster.log", text);
    ff_arena arena;
    ff_evidence e = read_and_assign("a", &arena);
    check_host(&e, "cluster.log", "");
    ff_arena_done(&arena);
}

TEST(full_and_short_names_are_one_host)
{
    shell("rm -rf a && mkdir a");
    syslog_of("a/m1", "gpu-a01");
    syslog_of("a/m2", "gpu-a01.cluster.example");
    write_text("a/dmesg.txt", DMESG);
    ff_arena arena;
    ff_evidence e = read_and_assign("a", &arena);
    check_host(&e, "m1", "gpu-a01");
    check_host(&e, "m2", "gpu-a01");
    check_host(&e, "dmesg.txt", "gpu-a01");
    ff_arena_done(&arena);
}

TEST(uname_speaks_for_its_folder)
{
    shell("rm -rf a && mkdir -p a/x/sub a/y/etc");
    write_text("a/x/uname.txt",
               "Linux gpu-x 5.15.0-91-generic #101-Ubuntu SMP Tue Nov 14 13:30:08 UTC 2023 x86_64 GNU/Linux\n");
    write_text("a/x/dmesg", DMESG);
    write_text("a/x/sub/dmesg", DMESG);
    write_text("a/y/etc/hostname", "gpu-y\n");
    write_text("a/y/dmesg", DMESG);
    write_text("a/loose", DMESG);
    ff_arena arena;
    ff_evidence e = read_and_assign("a", &arena);
    check_host(&e, "x/uname.txt", "gpu-x");
    check_host(&e, "x/dmesg", "gpu-x");
    check_host(&e, "x/sub/dmesg", "gpu-x");
    check_host(&e, "y/dmesg", "gpu-y");
    check_host(&e, "loose", "");
    ff_arena_done(&arena);
}

TEST(names_alone_tell_hosts_when_they_agree)
{
    shell("rm -rf a && mkdir a");
    write_text("a/spark-c-dmesg.txt", DMESG);
    write_text("a/spark-c-ethtool-m.txt", "Settings for eth0:\n");
    write_text("a/dmesg_cn-w34.txt", DMESG);
    write_text("a/lm-node01_vllm.log", "hello\n");
    write_text("a/lm-node02_vllm.log", "hello\n");
    write_text("a/train.log", "hello\n");
    ff_arena arena;
    ff_evidence e = read_and_assign("a", &arena);
    check_host(&e, "spark-c-dmesg.txt", "spark-c");
    check_host(&e, "spark-c-ethtool-m.txt", "spark-c");
    check_host(&e, "dmesg_cn-w34.txt", "cn-w34");
    check_host(&e, "lm-node01_vllm.log", "lm-node01");
    check_host(&e, "lm-node02_vllm.log", "lm-node02");
    check_host(&e, "train.log", "");
    ff_arena_done(&arena);
}

TEST(a_container_does_not_know_its_host)
{
    shell("rm -rf a && mkdir -p a/namespaces/ml/pods/worker-0/t/t/logs");
    const char *log = "a/namespaces/ml/pods/worker-0/t/t/logs/current.log";
    write_text(
        log,
        "worker-0:41:41 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>\nworker-0:41:41 [0] NCCL WARN BOOM 1\n");
    ff_arena arena;
    ff_evidence e = read_and_assign("a", &arena);
    check_host(&e, log + 2, "worker-0"); /* nothing else to tell speakers apart */
    ff_arena_done(&arena);
    syslog_of("a/messages", "gpu-a01");
    syslog_of("a/messages2", "gpu-a02");
    e = read_and_assign("a", &arena);
    check_host(&e, log + 2, "");
    CHECK_TEXT(signal_of_kind(&e, KIND(BOOM), 0)->who.host, "");
    ff_arena_done(&arena);
}

TEST(an_archive_may_carry_the_host_in_its_name)
{
    shell("rm -rf a && mkdir -p a/logs && rm -f *.tar.gz");
    write_text("a/logs/dmesg", DMESG);
    shell("tar czf sosreport-gpu-z-2026-03-11-abcdefg.tar.gz -C a logs");
    ff_arena arena;
    ff_evidence e = read_and_assign("sosreport-gpu-z-2026-03-11-abcdefg.tar.gz", &arena);
    check_host(&e, "dmesg", "gpu-z");
    ff_arena_done(&arena);
}

int main(void)
{
    bench_open();
    RUN(ranks_stand_in_file_names);
    RUN(kubelet_names_logs_for_pods);
    RUN(support_bundles_name_their_host);
    RUN(file_names_split_into_host_and_kind);
    RUN(machines_of_one_make_differ_in_numbers_only);
    RUN(names_of_other_hosts_are_told);
    RUN(hosts_are_found_in_paths_as_whole_words);
    RUN(the_only_host_is_that_of_all);
    RUN(with_several_hosts_nothing_is_assumed);
    RUN(a_log_of_many_hosts_belongs_to_none);
    RUN(full_and_short_names_are_one_host);
    RUN(uname_speaks_for_its_folder);
    RUN(names_alone_tell_hosts_when_they_agree);
    RUN(a_container_does_not_know_its_host);
    RUN(an_archive_may_carry_the_host_in_its_name);
    return bench_close();
}
