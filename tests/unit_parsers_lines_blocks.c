/* Reports that span many lines: which lines are theirs, and what is read from them. */
#include "check.h"
#include "line_feed.h"

#define MOST_FACTS 64

typedef struct kept {
    ff_fact facts[MOST_FACTS];
    unsigned n, skips;
    ff_arena arena;
} kept;

static void keep_fact(void *owner, const ff_fact *fact)
{
    kept *k = owner;
    if (k->n == MOST_FACTS)
        return;
    ff_fact *copy = &k->facts[k->n++];
    *copy = *fact;
    ff_field *fields = FF_NEW_N(&k->arena, ff_field, fact->n_fields + 1);
    for (uint32_t i = 0; i < fact->n_fields; i++) {
        fields[i] = fact->fields[i];
        fields[i].s = ff_arena_copy(&k->arena, fact->fields[i].s);
    }
    copy->fields = fields;
    copy->quote = ff_arena_copy(&k->arena, fact->quote);
    copy->who.pod_uid = ff_arena_copy(&k->arena, fact->who.pod_uid);
    copy->who.process = ff_arena_copy(&k->arena, fact->who.process);
}

static void keep_skip(void *owner, uint32_t line, const char *reason)
{
    (void)line;
    (void)reason;
    ((kept *)owner)->skips++;
}

static kept read_text(const char *text)
{
    kept k = { .n = 0 };
    ff_arena_init(&k.arena);
    const char *second = NULL;
    ff_probe probe = { .name = FF_LIT("a.log"), .head = ff_first_n(ff_str(text), 65536), .whole = true };
    ff_sink sink = { .owner = &k, .fact = keep_fact, .skip = keep_skip, .scratch = &k.arena };
    feed f = { .parser = ff_detect(&probe, &second), .arena = &k.arena, .sink = &sink };
    feed_all(&f, ff_str(text));
    sink.owner = NULL;
    return k;
}

static const ff_field *field(const ff_fact *fact, const char *name)
{
    static const ff_field none;
    for (uint32_t i = 0; i < fact->n_fields; i++)
        if (ff_equal(fact->fields[i].name, ff_str(name)))
            return &fact->fields[i];
    return &none;
}

#define NUMBER(fact, name) (field((fact), (name))->i)
#define TEXT(fact, name) (field((fact), (name))->s)
#define HAS(fact, key) (field((fact), (key))->name.n > 0)

static unsigned count(const kept *k, ff_fact_id id)
{
    unsigned n = 0;
    for (unsigned i = 0; i < k->n; i++)
        n += k->facts[i].id == id;
    return n;
}

static const ff_fact *nth(const kept *k, ff_fact_id id, unsigned n)
{
    static const ff_fact none;
    for (unsigned i = 0; i < k->n; i++)
        if (k->facts[i].id == id && n-- == 0)
            return &k->facts[i];
    return &none;
}

#define ID "5d1f0a7be2c94c0f8d6e3b7a1c2f4e5d6a7b8c9d0e1f2a3b4c5d6e7f8a9b0c1d"
#define POD                                                                                                          \
    "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0f3c7d1e_2b4a_4c55_9a77_6f2d1c9e8b10.slice"
#define SCOPE POD "/cri-containerd-" ID ".scope"
#define KILLED "Memory cgroup out of memory: Killed process "

/* The shape of 6.18: one record for each statistic, rss split in the table. */
static const char newest[] =
    "[  701.635013] python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\n"
    "[  701.635028] CPU: 15 UID: 0 PID: 2675 Comm: python3 Tainted: G           O        6.18.44 #1 PREEMPT(none)\n"
    "[  701.635035] Call Trace:\n"
    "[  701.635038]  <TASK>\n"
    "[  701.635127]  os_lock_user_pages+0xb3/0x1b0 [nvidia]\n"
    "[  701.635200] audit: type=1325 audit(1.2:3): table=filter\n"
    "[  701.636688]  </TASK>\n"
    "[  701.636690] memory: usage 10485760kB, limit 10485760kB, failcnt 587\n"
    "[  701.636700] swap: usage 0kB, limit 9007199254740988kB, failcnt 0\n"
    "[  701.636702] Memory cgroup stats for " SCOPE ":\n"
    "[  701.636745] anon 1622441984\n"
    "[  701.636746] cni0: port 3(veth1) entered blocking state\n"
    "[  701.636747] file 9061396480\n"
    "[  701.636748] kernel 53227520\n"
    "[  701.636755] shmem 9061240832\n"
    "[  701.636808] Tasks state (memory values in pages):\n"
    "[  701.636809] [  pid  ]   uid  tgid total_vm      rss rss_anon rss_file rss_shmem pgtables_bytes swapents "
    "oom_score_adj name\n"
    "[  701.636811] [   2626]     0  2626     1872      548       77      471         0    57344        0            "
    " 0 bash\n"
    "[  701.636832] [   2674]     0  2674 83670589  1350881   160558    82291   1108032 11968512        0            "
    " 0 "
    "data loader\n"
    "[  701.636840] "
    "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=kubepods.slice,mems_allowed=0,oom_memcg=" POD
    ",task_memcg=" SCOPE ",task=data loader,pid=2674,uid=7\n"
    "[  701.636874] " KILLED "2674 (data loader) total-vm:334682356kB, anon-rss:642232kB, file-rss:329164kB, "
    "shmem-rss:4432128kB, UID:7 pgtables:11688kB oom_score_adj:0\n"
    "[  701.700000] oom_reaper: reaped process 2674 (data loader), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB\n"
    "[  705.674259] Cannot map memory with base addr 0x7ef7d4000000 and size of 0x400000 pages\n";

TEST(oom_report_of_newest_kernels)
{
    kept k = read_text(newest);
    CHECK_INT(count(&k, FF_FACT_OOM_REPORT), 1);
    const ff_fact *r = nth(&k, FF_FACT_OOM_REPORT, 0);
    CHECK_INT(r->line, 1);
    CHECK_INT(r->said.ns, INT64_C(701635013000));
    CHECK_INT(NUMBER(r, "usage_kib"), 10485760);
    CHECK_INT(NUMBER(r, "limit_kib"), 10485760);
    CHECK_INT(NUMBER(r, "failcnt"), 587);
    CHECK_INT(NUMBER(r, "anon_kib"), 1622441984 / 1024);
    CHECK_INT(NUMBER(r, "file_kib"), INT64_C(9061396480) / 1024);
    CHECK_INT(NUMBER(r, "shmem_kib"), INT64_C(9061240832) / 1024);
    CHECK_INT(NUMBER(r, "kernel_kib"), 53227520 / 1024);
    CHECK_TEXT(TEXT(r, "constraint"), "memcg");
    CHECK_TEXT(TEXT(r, "memcg"), POD);
    CHECK_TEXT(TEXT(r, "cgroup"), SCOPE);
    CHECK_TEXT(TEXT(r, "container"), ID);
    CHECK_TEXT(TEXT(r, "pod_uid"), "0f3c7d1e-2b4a-4c55-9a77-6f2d1c9e8b10");
    CHECK_INT(NUMBER(r, "pid"), 2674);
    CHECK_INT(NUMBER(r, "invoker_pid"), 2675);
    CHECK_TEXT(TEXT(r, "process"), "data loader");
    CHECK_TEXT(TEXT(r, "invoker"), "python3");
    CHECK_TEXT(TEXT(r, "gfp"), "0xcc0(GFP_KERNEL)");
    CHECK_INT(NUMBER(r, "victim_shmem_kib"), 4432128);
    CHECK_INT(NUMBER(r, "uid"), 7);
    CHECK_INT(NUMBER(r, "page_kib"), 4);
    CHECK_INT(NUMBER(r, "tasks"), 2);
    CHECK_INT(NUMBER(r, "task_rss_kib"), (548 + 1350881) * 4);
    CHECK_INT(NUMBER(r, "killed"), 1);
    CHECK_INT(NUMBER(r, "pinning"), 1);
    CHECK_INT(NUMBER(r, "oom_group"), 0);
    CHECK_INT(r->who.pid, 2674);
    CHECK_TEXT(r->who.pod_uid, "0f3c7d1e-2b4a-4c55-9a77-6f2d1c9e8b10");
    CHECK_INT(count(&k, FF_FACT_OOM_TASK), 2);
    const ff_fact *t = nth(&k, FF_FACT_OOM_TASK, 0);
    CHECK_INT(t->line, 19);
    CHECK_INT(NUMBER(t, "rss_kib"), 1350881 * 4);
    CHECK_INT(NUMBER(t, "shmem_kib"), 1108032 * 4);
    CHECK_INT(NUMBER(t, "killed"), 1);
    CHECK_INT(NUMBER(nth(&k, FF_FACT_OOM_TASK, 1), "killed"), 0);
    ff_arena_done(&k.arena);
}

TEST(oom_report_with_statistics_in_one_record)
{
    kept k = read_text("[   10.000001] a b invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), nodemask=(null), order=0, "
                       "oom_score_adj=1\n"
                       "[   10.000002] memory: usage 100kB, limit 100kB, failcnt 4\n"
                       "[   10.000003] Memory cgroup stats for /docker/" ID ":\n"
                       "[   10.000004] anon 2048\n"
                       "               file 4096\n"
                       "               shmem 1024\n"
                       "[   10.000005] Tasks state (memory values in pages):\n"
                       "[   10.000006] " KILLED "7 (x) total-vm:1kB, anon-rss:2kB, file-rss:3kB, shmem-rss:4kB\n");
    const ff_fact *r = nth(&k, FF_FACT_OOM_REPORT, 0);
    CHECK_INT(NUMBER(r, "anon_kib"), 2);
    CHECK_INT(NUMBER(r, "file_kib"), 4);
    CHECK_INT(NUMBER(r, "shmem_kib"), 1);
    CHECK_TEXT(TEXT(r, "invoker"), "a b");
    CHECK_TEXT(TEXT(r, "container"), ID);
    CHECK(!HAS(r, "uid"));
    ff_arena_done(&k.arena);
    /* the same record as rsyslog writes it */
    k = read_text("Jan  1 00:00:00 gpu-a01 kernel: [   10.000002] memory: usage 100kB, limit 100kB, failcnt 4\n"
                  "Jan  1 00:00:00 gpu-a01 kernel: [   10.000003] Memory cgroup stats for /a:\n"
                  "Jan  1 00:00:00 gpu-a01 kernel: [   10.000004] anon 2048#012file 4096#012shmem 1024\n"
                  "Jan  1 00:00:00 gpu-a01 kernel: [   10.000006] " KILLED "7 (x) total-vm:1kB\n");
    r = nth(&k, FF_FACT_OOM_REPORT, 0);
    CHECK_INT(NUMBER(r, "anon_kib"), 2);
    CHECK_INT(NUMBER(r, "file_kib"), 4);
    CHECK_INT(NUMBER(r, "shmem_kib"), 1);
    CHECK_INT(NUMBER(r, "pid"), 7);
    ff_arena_done(&k.arena);
}

TEST(oom_report_of_cgroup_v1_before_5_0)
{
    kept k = read_text(
        "[   10.000001] java invoked oom-killer: gfp_mask=0x14000c0(GFP_KERNEL), nodemask=(null), order=0, "
        "oom_score_adj=0\n"
        "[   10.000002] CPU: 3 PID: 55 Comm: java Not tainted 4.15.0 #1\n"
        "[   10.000003] Call Trace:\n"
        "[   10.000004]  dump_stack+0x63/0x8b\n"
        "[   10.000005] Task in /slurm/uid_1000/job_123/step_0/task_0 killed as a result of limit of "
        "/slurm/uid_1000/job_123\n"
        "[   10.000006] memory: usage 2048kB, limit 2048kB, failcnt 99\n"
        "[   10.000007] memory+swap: usage 2048kB, limit 9007199254740988kB, failcnt 0\n"
        "[   10.000008] kmem: usage 12kB, limit 9007199254740988kB, failcnt 0\n"
        "[   10.000009] Memory cgroup stats for /slurm/uid_1000/job_123: cache:100KB rss:200KB rss_huge:0KB "
        "shmem:50KB mapped_file:0KB\n"
        "[   10.000010] Memory cgroup stats for /slurm/uid_1000/job_123/step_0: cache:1KB rss:2KB rss_huge:0KB "
        "shmem:3KB\n"
        "[   10.000011] [ pid ]   uid  tgid total_vm      rss nr_ptes nr_pmds swapents oom_score_adj name\n"
        "[   10.000012] [   55]  1000    55     4000      300      10       3        0             0 java\n"
        "[   10.000013] Memory cgroup out of memory: Kill process 55 (java) score 1995 or sacrifice child\n"
        "[   10.000014] Killed process 55 (java) total-vm:16000kB, anon-rss:1200kB, file-rss:0kB, shmem-rss:0kB\n");
    const ff_fact *r = nth(&k, FF_FACT_OOM_REPORT, 0);
    CHECK_INT(count(&k, FF_FACT_OOM_REPORT), 1);
    CHECK_INT(NUMBER(r, "anon_kib"), 202);
    CHECK_INT(NUMBER(r, "file_kib"), 101);
    CHECK_INT(NUMBER(r, "shmem_kib"), 53);
    CHECK_INT(NUMBER(r, "kernel_kib"), 12);
    CHECK_TEXT(TEXT(r, "memcg"), "/slurm/uid_1000/job_123");
    CHECK_TEXT(TEXT(r, "cgroup"), "/slurm/uid_1000/job_123/step_0/task_0");
    CHECK_TEXT(TEXT(r, "slurm_job"), "123");
    CHECK_TEXT(TEXT(r, "slurm_step"), "0");
    CHECK_TEXT(TEXT(r, "constraint"), "memcg");
    CHECK_INT(NUMBER(r, "tasks"), 1);
    CHECK_INT(NUMBER(r, "killed"), 1);
    CHECK_INT(NUMBER(nth(&k, FF_FACT_OOM_TASK, 0), "rss_kib"), 1200);
    ff_arena_done(&k.arena);
}

TEST(oom_of_the_whole_node)
{
    kept k = read_text(
        "[   10.000001] a invoked oom-killer: gfp_mask=0x1, order=0, oom_score_adj=0\n"
        "[   10.000002] Mem-Info:\n"
        "[   10.000003] Node 0 Normal: 1*64kB (U) = 64kB\n"
        "[   10.000004] [  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name\n"
        "[   10.000005] [      9]     0     9     9000     1000        0        0             0 a\n"
        "[   10.000006] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,"
        "task_memcg=/user.slice/user-1000.slice/session-12.scope,task=a,pid=9,uid=0\n"
        "[   10.000007] Out of memory: Killed process 9 (a) total-vm:576000kB, anon-rss:64000kB, file-rss:0kB, "
        "shmem-rss:0kB, UID:0 pgtables:0kB oom_score_adj:0\n");
    const ff_fact *r = nth(&k, FF_FACT_OOM_REPORT, 0);
    CHECK_TEXT(TEXT(r, "constraint"), "none");
    CHECK(!HAS(r, "memcg"));
    CHECK(!HAS(r, "limit_kib"));
    CHECK_INT(NUMBER(r, "page_kib"), 64);
    CHECK_INT(NUMBER(r, "task_rss_kib"), 64000);
    ff_arena_done(&k.arena);
}

TEST(group_kill_is_one_report_and_the_next_invocation_another)
{
    kept k = read_text("[   10.000001] a invoked oom-killer: gfp_mask=0x1, order=0, oom_score_adj=0\n"
                       "[   10.000002] memory: usage 1kB, limit 1kB, failcnt 1\n"
                       "[   10.000003] " KILLED "1 (a) total-vm:1kB\n"
                       "[   10.000004] Tasks in /a are going to be killed due to memory.oom.group set\n"
                       "[   10.000005] " KILLED "2 (b) total-vm:1kB\n"
                       "[   10.000006] device veth1 left promiscuous mode\n"
                       "[   10.000007] " KILLED "3 (c) total-vm:1kB\n"
                       "[   11.000001] a invoked oom-killer: gfp_mask=0x1, order=0, oom_score_adj=0\n"
                       "[   11.000002] memory: usage 2kB, limit 2kB, failcnt 1\n"
                       "[   11.000003] " KILLED "4 (a) total-vm:1kB\n"
                       "[   90.000003] " KILLED "5 (a) total-vm:1kB\n");
    CHECK_INT(count(&k, FF_FACT_OOM_REPORT), 3);
    CHECK_TEXT(TEXT(nth(&k, FF_FACT_OOM_REPORT, 0), "killed_pids"), "1,2,3");
    CHECK_INT(NUMBER(nth(&k, FF_FACT_OOM_REPORT, 0), "oom_group"), 1);
    CHECK_TEXT(TEXT(nth(&k, FF_FACT_OOM_REPORT, 1), "killed_pids"), "4");
    CHECK_INT(NUMBER(nth(&k, FF_FACT_OOM_REPORT, 1), "usage_kib"), 2);
    CHECK_INT(nth(&k, FF_FACT_OOM_REPORT, 2)->line, 11);
    CHECK_TEXT(TEXT(nth(&k, FF_FACT_OOM_REPORT, 2), "constraint"), "memcg");
    ff_arena_done(&k.arena);
}

TEST(torn_table_costs_its_row_only)
{
    kept k = read_text("[   10.000001] a invoked oom-killer: gfp_mask=0x1, order=0, oom_score_adj=0\n"
                       "[   10.000005] [      9]     0     9     9000     1000        0        0             0 a\n"
                       "[   10.000006] [     10]     0    10     9000     10\n"
                       "[   10.000007] [     11]     0    11     9000     20        0        0          -998 b c\n");
    CHECK_INT(count(&k, FF_FACT_OOM_REPORT), 1);
    CHECK_INT(NUMBER(nth(&k, FF_FACT_OOM_REPORT, 0), "tasks"), 2);
    CHECK_INT(NUMBER(nth(&k, FF_FACT_OOM_REPORT, 0), "killed"), 0);
    CHECK_INT(NUMBER(nth(&k, FF_FACT_OOM_TASK, 1), "adj"), -998);
    CHECK_TEXT(TEXT(nth(&k, FF_FACT_OOM_TASK, 1), "process"), "b c");
    ff_arena_done(&k.arena);
}

TEST(reports_of_two_hosts_in_one_file_stay_apart)
{
    kept k = read_text("Jan  1 00:00:00 n1 kernel: a invoked oom-killer: gfp_mask=0x1, order=0, oom_score_adj=0\n"
                       "Jan  1 00:00:00 n2 kernel: b invoked oom-killer: gfp_mask=0x1, order=0, oom_score_adj=0\n"
                       "Jan  1 00:00:00 n1 kernel: memory: usage 1kB, limit 1kB, failcnt 1\n"
                       "Jan  1 00:00:00 n2 kernel: memory: usage 2kB, limit 2kB, failcnt 1\n"
                       "Jan  1 00:00:00 n2 kernel: " KILLED "2 (b) total-vm:1kB\n"
                       "Jan  1 00:00:00 n1 kernel: " KILLED "1 (a) total-vm:1kB\n");
    CHECK_INT(count(&k, FF_FACT_OOM_REPORT), 2);
    for (unsigned i = 0; i < 2; i++) {
        const ff_fact *r = nth(&k, FF_FACT_OOM_REPORT, i);
        bool first = ff_equal(TEXT(r, "invoker"), FF_LIT("a"));
        CHECK_INT(NUMBER(r, "usage_kib"), first ? 1 : 2);
        CHECK_INT(NUMBER(r, "pid"), first ? 1 : 2);
    }
    ff_arena_done(&k.arena);
}

TEST(traceback_of_a_rank_between_lines_of_others)
{
    kept k = read_text("[rank1]: Traceback (most recent call last):\n"
                       "[rank0]: Traceback (most recent call last):\n"
                       "[rank1]:   File \"/srv/run.py\", line 147, in <module>\n"
                       "gpu-a01:71:93 [0] NCCL INFO comm 0x1 - Abort COMPLETE\n"
                       "[rank1]:     main()\n"
                       "[rank0]:   File \"/srv/other.py\", line 3, in step\n"
                       "[rank1]:   File \"/opt/lib/python3.12/site-packages/torch/x.py\", line 78, in wrapper\n"
                       "[rank1]:     raise\n"
                       "[rank1]:     ^^^^^\n"
                       "[rank1]: torch.distributed.DistBackendError: NCCL error in: x.cpp:93, NCCL version 2.28.9\n"
                       "[rank1]: ncclInternalError: Internal check failed.\n"
                       "[rank0]: KeyError: 'a'\n"
                       "[rank1]: Last error:\n"
                       "[rank1]: text of NCCL\n"
                       "[rank1]:[E1130 12:00:05.123456789 ProcessGroupNCCL.cpp:616] watchdog\n");
    CHECK_INT(count(&k, FF_FACT_TRACEBACK), 2);
    const ff_fact *one = nth(&k, FF_FACT_TRACEBACK, 0), *zero = nth(&k, FF_FACT_TRACEBACK, 1);
    CHECK_INT(one->who.rank, 1);
    CHECK_INT(one->line, 10);
    CHECK_TEXT(TEXT(one, "type"), "torch.distributed.DistBackendError");
    CHECK_TEXT(TEXT(one, "message"),
               "NCCL error in: x.cpp:93, NCCL version 2.28.9 ncclInternalError: Internal check failed. "
               "Last error: text of NCCL");
    CHECK_TEXT(TEXT(one, "function"), "wrapper");
    CHECK_INT(NUMBER(one, "line"), 78);
    CHECK_TEXT(TEXT(one, "user_file"), "/srv/run.py");
    CHECK_INT(NUMBER(one, "user_line"), 147);
    CHECK_INT(NUMBER(one, "chained"), 1);
    CHECK_INT(zero->who.rank, 0);
    CHECK_TEXT(TEXT(zero, "type"), "KeyError");
    CHECK_TEXT(TEXT(zero, "message"), "'a'");
    ff_arena_done(&k.arena);
}

TEST(chained_exceptions_are_given_in_order)
{
    kept k = read_text("Traceback (most recent call last):\n"
                       "  File \"/srv/a.py\", line 1, in f\n"
                       "    g()\n"
                       "OSError: [Errno 28] No space left on device\n"
                       "\n"
                       "During handling of the above exception, another exception occurred:\n"
                       "\n"
                       "Traceback (most recent call last):\n"
                       "  File \"/srv/a.py\", line 2, in h\n"
                       "RuntimeError: unexpected pos\n"
                       "step 12 loss 3\n"
                       "Traceback (most recent call last):\n"
                       "  File \"/srv/b.py\", line 9, in z\n"
                       "KeyboardInterrupt\n");
    CHECK_INT(count(&k, FF_FACT_TRACEBACK), 3);
    CHECK_TEXT(TEXT(nth(&k, FF_FACT_TRACEBACK, 0), "type"), "OSError");
    CHECK_INT(NUMBER(nth(&k, FF_FACT_TRACEBACK, 0), "chained"), 1);
    CHECK_TEXT(TEXT(nth(&k, FF_FACT_TRACEBACK, 1), "type"), "RuntimeError");
    CHECK_INT(NUMBER(nth(&k, FF_FACT_TRACEBACK, 1), "chained"), 2);
    CHECK_TEXT(TEXT(nth(&k, FF_FACT_TRACEBACK, 1), "message"), "unexpected pos");
    CHECK_TEXT(TEXT(nth(&k, FF_FACT_TRACEBACK, 2), "type"), "KeyboardInterrupt");
    CHECK_INT(NUMBER(nth(&k, FF_FACT_TRACEBACK, 2), "chained"), 1);
    ff_arena_done(&k.arena);
}

TEST(traceback_with_a_label_that_no_coat_takes)
{
    kept k = read_text("trainer-1  | Traceback (most recent call last):\n"
                       "trainer-2  | hello\n"
                       "trainer-1  |   File \"/srv/a.py\", line 1, in f\n"
                       "trainer-1  | ValueError: x\n");
    CHECK_INT(count(&k, FF_FACT_TRACEBACK), 1);
    CHECK_TEXT(TEXT(nth(&k, FF_FACT_TRACEBACK, 0), "type"), "ValueError");
    CHECK_TEXT(TEXT(nth(&k, FF_FACT_TRACEBACK, 0), "user_file"), "/srv/a.py");
    ff_arena_done(&k.arena);
}

TEST(faulthandler_names_the_current_thread)
{
    kept k = read_text("Fatal Python error: Segmentation fault\n"
                       "\n"
                       "Thread 0x00007f0000000001 (most recent call first):\n"
                       "  File \"/usr/lib/python3.12/threading.py\", line 355 in wait\n"
                       "\n"
                       "Current thread 0x00007f0000000002 (most recent call first):\n"
                       "  File \"/opt/site-packages/torch/cuda.py\", line 7 in launch\n"
                       "  File \"/srv/train.py\", line 42 in step\n"
                       "\n"
                       "Extension modules: numpy, torch._C (total: 2)\n");
    const ff_fact *t = nth(&k, FF_FACT_TRACEBACK, 0);
    CHECK_INT(count(&k, FF_FACT_TRACEBACK), 1);
    CHECK_TEXT(TEXT(t, "type"), "Fatal Python error");
    CHECK_TEXT(TEXT(t, "message"), "Segmentation fault");
    CHECK_TEXT(TEXT(t, "function"), "launch");
    CHECK_INT(NUMBER(t, "user_line"), 42);
    ff_arena_done(&k.arena);
}

TEST(failure_table_gives_every_row)
{
    kept k = read_text("============================================================\n"
                       "train.py FAILED\n"
                       "------------------------------------------------------------\n"
                       "Failures:\n"
                       "[1]:\n"
                       "  time      : 2026-01-29_03:15:07\n"
                       "  host      : localhost\n"
                       "  rank      : 9 (local_rank: 1)\n"
                       "  exitcode  : -15 (pid: 30989)\n"
                       "  error_file: <N/A>\n"
                       "  traceback : Signal 15 (SIGTERM) received by PID 30989\n"
                       "------------------------------------------------------------\n"
                       "Root Cause (first observed failure):\n"
                       "[0]:\n"
                       "  time      : 2026-01-29_03:15:06\n"
                       "  host      : gpu-a01\n"
                       "  rank      : 8 (local_rank: 0)\n"
                       "  exitcode  : 1 (pid: 30988)\n"
                       "  error_file: /tmp/e/error.json\n"
                       "  traceback : Traceback (most recent call last):\n"
                       "    File \"/srv/t.py\", line 3, in main\n"
                       "      x()\n"
                       "  ValueError: bad\n"
                       "============================================================\n");
    CHECK_INT(count(&k, FF_FACT_WORKER_FAILED), 2);
    const ff_fact *a = nth(&k, FF_FACT_WORKER_FAILED, 0), *b = nth(&k, FF_FACT_WORKER_FAILED, 1);
    CHECK_INT(NUMBER(a, "rank"), 9);
    CHECK_INT(NUMBER(a, "local_rank"), 1);
    CHECK_INT(NUMBER(a, "exitcode"), -15);
    CHECK_INT(NUMBER(a, "pid"), 30989);
    CHECK_INT(NUMBER(a, "root"), 0);
    CHECK(!HAS(a, "error_file"));
    CHECK_INT(a->said.kind, FF_STAMP_LOCAL);
    CHECK_INT(a->said.ns, INT64_C(1769656507000000000));
    CHECK_INT(NUMBER(b, "root"), 1);
    CHECK_INT(b->who.rank, 8);
    CHECK_TEXT(TEXT(b, "table_host"), "gpu-a01");
    CHECK_TEXT(b->who.host, "gpu-a01");
    CHECK_INT(a->who.host.n, 0); /* localhost is anybody */
    CHECK_TEXT(TEXT(b, "error_file"), "/tmp/e/error.json");
    CHECK_TEXT(TEXT(b, "traceback"), "ValueError: bad");
    CHECK_INT(b->line, 18);
    ff_arena_done(&k.arena);
}

TEST(desync_report_says_who_lags)
{
    kept k = read_text("[rank0]:[E1130 06:52:07.027664249 ProcessGroupNCCL.cpp:2495] Rank 0\n"
                       "\t - [0] Timeout at collective: ALLREDUCE, #12\n"
                       "\t - To our best knowledge, the lagging/dead/mismatched ranks that caused the desync are:\n"
                       "\t   - [2] joined but didn't finish collective #12 (count from 1)\n"
                       "\t     [1, 5] finished collective #11, but didn't join collective #12 (count from 1)\n"
                       "\t - Snapshot of ranks' latest states:\n"
                       "\t   #11 finished ranks:\n"
                       "\t     [1, 5] finished ALLREDUCE\n"
                       "step 12\n"
                       "\t - [3] Timeout at collective: BROADCAST, #13\n"
                       "\t - To our best knowledge, ranks [4] are the lagging ranks that caused this timeout. They "
                       "never joined any collectives\n");
    CHECK_INT(count(&k, FF_FACT_DESYNC_REPORT), 2);
    const ff_fact *a = nth(&k, FF_FACT_DESYNC_REPORT, 0), *b = nth(&k, FF_FACT_DESYNC_REPORT, 1);
    CHECK_INT(a->line, 2);
    CHECK_TEXT(TEXT(a, "op"), "ALLREDUCE");
    CHECK_INT(NUMBER(a, "seq"), 12);
    CHECK_INT(NUMBER(a, "finished_seq"), 11);
    CHECK_TEXT(TEXT(a, "lagging"), "1,5");
    CHECK_TEXT(TEXT(a, "reporter"), "0");
    CHECK_INT(NUMBER(a, "never_joined"), 0);
    CHECK_TEXT(TEXT(b, "lagging"), "4");
    CHECK_INT(NUMBER(b, "never_joined"), 1);
    CHECK(!HAS(b, "finished_seq"));
    ff_arena_done(&k.arena);
}

int main(void)
{
    RUN(oom_report_of_newest_kernels);
    RUN(oom_report_with_statistics_in_one_record);
    RUN(oom_report_of_cgroup_v1_before_5_0);
    RUN(oom_of_the_whole_node);
    RUN(group_kill_is_one_report_and_the_next_invocation_another);
    RUN(torn_table_costs_its_row_only);
    RUN(reports_of_two_hosts_in_one_file_stay_apart);
    RUN(traceback_of_a_rank_between_lines_of_others);
    RUN(chained_exceptions_are_given_in_order);
    RUN(traceback_with_a_label_that_no_coat_takes);
    RUN(faulthandler_names_the_current_thread);
    RUN(failure_table_gives_every_row);
    RUN(desync_report_says_who_lags);
    return DONE();
}
