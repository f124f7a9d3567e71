/* Names that stand in one record mean one thing; the others are completed from them. */
#include "unit_verdict.h"

static const ff_join *join_of(const ff_identity *id, const char *left, const char *right_kind)
{
    for (uint32_t i = 0; i < id->n_joins; i++)
        if (ff_equal(id->joins[i].left, ff_str(left)) && ff_equal(id->joins[i].right_kind, ff_str(right_kind)))
            return &id->joins[i];
    return NULL;
}

/* As rules/comm/init.lua captures it. */
static ff_signal *add_init_line(bench *b, const ff_member *m, int32_t pid, int32_t rank, int64_t nranks,
                                const char *comm, const char *bus)
{
    ff_signal *s = add_signal(b, m, (int64_t)b->e.n_signals);
    s->who.pid = pid;
    s->who.rank = rank;
    add_field(b, s, "rank", FF_FIELD_RANK, "", rank);
    add_field(b, s, "nranks", FF_FIELD_INT, "", nranks);
    add_field(b, s, "commid", FF_FIELD_TEXT, comm, 0);
    add_field(b, s, "bus", FF_FIELD_TEXT, bus, 0);
    return s;
}

TEST(pid_of_a_kernel_line_gets_rank_and_gpu_of_the_nccl_line)
{
    bench *b = bench_open();
    ff_member *n = add_member(b, "a/nccl.log", "a", FF_STREAM_NCCL, 0, 9);
    ff_member *k = add_member(b, "a/dmesg", "a.site.net", FF_STREAM_KERNEL, 0, 9);
    ff_member *o = add_member(b, "b/dmesg", "b", FF_STREAM_KERNEL, 0, 9);
    add_init_line(b, n, 41234, 4, 8, "0x91f0c11d", "a1000");
    ff_signal *here = add_signal(b, k, 5), *there = add_signal(b, o, 6);
    here->who.pid = there->who.pid = 41234;
    ff_identity id = ff_identify(&b->e, &b->arena);
    CHECK_INT(here->who.rank, 4);
    CHECK_TEXT(here->who.gpu, "0000:a1:00");
    CHECK_INT(there->who.rank, FF_NO_NUMBER); /* the same number on another host is another process */
    const ff_join *j = join_of(&id, "a/41234", "rank");
    CHECK(j && !j->conflict && j->signal == 0);
    if (j) {
        CHECK_TEXT(j->right, "4");
        CHECK_TEXT(j->rests_on, "both stand in a/nccl.log:1");
        CHECK_INT(j->confidence, FF_CERTAIN);
    }
    for (uint32_t i = 1; i < id.n_joins; i++)
        CHECK(ff_compare(id.joins[i - 1].left_kind, id.joins[i].left_kind) <= 0);
    bench_close(b);
}

TEST(pid_with_two_ranks_of_one_communicator_is_a_conflict_and_not_used)
{
    bench *b = bench_open();
    ff_member *n = add_member(b, "a/nccl.log", "a", FF_STREAM_NCCL, 0, 9);
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, 0, 9);
    add_init_line(b, n, 100, 4, 8, "0x1", "1000");
    add_init_line(b, n, 100, 5, 8, "0x1", "1000");
    ff_signal *s = add_signal(b, k, 5);
    s->who.pid = 100;
    ff_signal *back = add_signal(b, n, 6);
    back->who.rank = 4;
    add_cause(b, "x.y", 1, 0);
    add_special(b);
    ff_identity id = ff_identify(&b->e, &b->arena);
    CHECK_INT(s->who.rank, FF_NO_NUMBER);
    CHECK_INT(back->who.pid, FF_NO_NUMBER);
    const ff_join *j = join_of(&id, "a/100", "rank");
    CHECK(j && j->conflict);
    ff_report r = ff_conclude(&b->e, &b->clocks, &b->rules, b->judged, id, &b->arena);
    CHECK_INT(r.n_contradictions, 1);
    if (r.n_contradictions) {
        CHECK_TEXT(r.contradictions[0].text, "pid a/100 is said to be rank 4 and rank 5");
        CHECK_INT(r.contradictions[0].left, 0);
        CHECK_INT(r.contradictions[0].right, 1);
    }
    bench_close(b);
}

TEST(rank_of_a_smaller_communicator_is_not_the_jobs)
{
    bench *b = bench_open();
    ff_member *n = add_member(b, "a/nccl.log", "a", FF_STREAM_NCCL, 0, 9);
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, 0, 9);
    ff_signal *part = add_init_line(b, n, 100, 1, 4, "0x2", "1000");
    add_init_line(b, n, 100, 13, 16, "0x1", "1000");
    ff_signal *s = add_signal(b, k, 5);
    s->who.pid = 100;
    ff_identity id = ff_identify(&b->e, &b->arena);
    CHECK_INT(s->who.rank, 13);
    CHECK_INT(part->who.rank, 13);
    const ff_join *j = join_of(&id, "a/100", "rank");
    CHECK(j && !j->conflict);
    bench_close(b);
}

TEST(ranks_of_two_communicators_of_one_size_say_nothing)
{
    bench *b = bench_open();
    ff_member *n = add_member(b, "a/nccl.log", "a", FF_STREAM_NCCL, 0, 9);
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, 0, 9);
    add_init_line(b, n, 100, 1, 4, "0x2", "1000");
    add_init_line(b, n, 100, 3, 4, "0x3", "1000");
    ff_signal *s = add_signal(b, k, 5);
    s->who.pid = 100;
    ff_identity id = ff_identify(&b->e, &b->arena);
    CHECK_INT(s->who.rank, FF_NO_NUMBER);
    CHECK(join_of(&id, "a/100", "rank") == NULL);
    bench_close(b);
}

TEST(whom_a_line_speaks_about_is_not_who_speaks)
{
    bench *b = bench_open();
    ff_member *n = add_member(b, "a/out.log", "a", FF_STREAM_APP, 0, 9);
    ff_signal *s = add_signal(b, n, 0);
    s->who.pid = 100; /* the speaker */
    s->who.rank = 5;  /* the one that is missing */
    add_field(b, s, "missing", FF_FIELD_RANK, "", 5);
    ff_identity id = ff_identify(&b->e, &b->arena);
    CHECK(join_of(&id, "a/100", "rank") == NULL);
    CHECK(join_of(&id, "5", "host") == NULL);
    bench_close(b);
}

TEST(launchers_table_joins_pid_and_rank)
{
    bench *b = bench_open();
    ff_member *n = add_member(b, "job.log", "", FF_STREAM_APP, 0, 9);
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, 0, 9);
    ff_signal *t = add_signal(b, n, 0);
    t->who.pid = 777;
    t->who.rank = 3;
    t->who.local_rank = 3;
    add_field(b, t, "rank", FF_FIELD_RANK, "", 3);
    add_field(b, t, "local_rank", FF_FIELD_LOCAL_RANK, "", 3);
    add_field(b, t, "pid", FF_FIELD_PID, "", 777);
    ff_signal *s = add_signal(b, k, 5);
    s->who.pid = 777;
    ff_identify(&b->e, &b->arena);
    CHECK_INT(s->who.rank, 3); /* only one host uses that pid */
    bench_close(b);
}

TEST(table_without_a_host_is_not_used_when_two_hosts_have_the_pid)
{
    bench *b = bench_open();
    ff_member *n = add_member(b, "job.log", "", FF_STREAM_APP, 0, 9);
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, 0, 9);
    ff_member *o = add_member(b, "b/dmesg", "b", FF_STREAM_KERNEL, 0, 9);
    ff_signal *t = add_signal(b, n, 0);
    t->who.pid = 777;
    t->who.rank = 3;
    add_field(b, t, "rank", FF_FIELD_RANK, "", 3);
    add_field(b, t, "pid", FF_FIELD_PID, "", 777);
    ff_signal *s = add_signal(b, k, 5), *u = add_signal(b, o, 6);
    s->who.pid = u->who.pid = 777;
    ff_identify(&b->e, &b->arena);
    CHECK_INT(s->who.rank, FF_NO_NUMBER);
    CHECK_INT(u->who.rank, FF_NO_NUMBER);
    bench_close(b);
}

#define CONTAINER "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

TEST(cgroup_leads_to_container_pod_uid_and_pod)
{
    bench *b = bench_open();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, 0, 9);
    ff_member *l = add_member(b, "a/kubelet.log", "a", FF_STREAM_K8S, 0, 9);
    ff_signal *oom = add_signal(b, k, 0), *pleg = add_signal(b, l, 1);
    oom->who.cgroup = FF_LIT("/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod7d3b0c52_61f4_4f0e_9a7d_"
                             "2e40f6b9d0c1.slice/cri-containerd-" CONTAINER ".scope");
    pleg->who.pod = FF_LIT("ml/t-0");
    pleg->who.pod_uid = FF_LIT("7d3b0c52-61f4-4f0e-9a7d-2e40f6b9d0c1");
    ff_identity id = ff_identify(&b->e, &b->arena);
    CHECK_TEXT(oom->who.container, CONTAINER);
    CHECK_TEXT(oom->who.pod_uid, "7d3b0c52-61f4-4f0e-9a7d-2e40f6b9d0c1");
    CHECK_TEXT(oom->who.pod, "ml/t-0");
    CHECK(join_of(&id, "7d3b0c52-61f4-4f0e-9a7d-2e40f6b9d0c1", "pod") != NULL);
    bench_close(b);
}

TEST(host_that_is_a_pod_becomes_its_node)
{
    bench *b = bench_open();
    ff_member *l = add_member(b, "kubelet.log", "bw-a17", FF_STREAM_K8S, 0, 9);
    ff_member *n = add_member(b, "t-0/nccl.log", "t-0", FF_STREAM_NCCL, 0, 9);
    ff_signal *pleg = add_signal(b, l, 0), *init = add_init_line(b, n, 41, 0, 8, "0x1", "1000");
    pleg->who.pod = FF_LIT("ml/t-0");
    pleg->who.unit = FF_LIT("kubelet");
    ff_signal *later = add_signal(b, n, 5);
    later->who.pid = 41;
    ff_member *k = add_member(b, "dmesg", "bw-a17", FF_STREAM_KERNEL, 0, 9);
    ff_signal *xid = add_signal(b, k, 6), *other = add_signal(b, k, 7);
    xid->who.gpu = FF_LIT("0000:01:00");
    other->who.pid = 41; /* the node's process 41 is not the pod's */
    ff_identity id = ff_identify(&b->e, &b->arena);
    CHECK_TEXT(init->who.host, "bw-a17");
    CHECK_TEXT(init->who.pod, "ml/t-0");
    CHECK_TEXT(n->who.host, "bw-a17");
    CHECK_INT(later->who.rank, 0);
    CHECK_INT(xid->who.rank, 0);
    CHECK_INT(other->who.rank, FF_NO_NUMBER);
    CHECK(join_of(&id, "ml/t-0/41", "rank") != NULL);
    CHECK(join_of(&id, "ml/t-0", "host") != NULL);
    bench_close(b);
}

TEST(pod_seen_on_two_nodes_has_none)
{
    bench *b = bench_open();
    ff_member *l = add_member(b, "a/kubelet.log", "a", FF_STREAM_K8S, 0, 9);
    ff_member *o = add_member(b, "b/kubelet.log", "b", FF_STREAM_K8S, 0, 9);
    ff_member *n = add_member(b, "t-0/nccl.log", "t-0", FF_STREAM_NCCL, 0, 9);
    ff_signal *one = add_signal(b, l, 0), *two = add_signal(b, o, 1), *line = add_signal(b, n, 2);
    one->who.pod = two->who.pod = FF_LIT("ml/t-0");
    one->who.unit = two->who.unit = FF_LIT("kubelet");
    ff_identify(&b->e, &b->arena);
    CHECK_TEXT(line->who.host, "t-0");
    bench_close(b);
}

TEST(gpu_names_complete_each_other_on_their_host)
{
    bench *b = bench_open();
    ff_member *g = add_member(b, "a/smi.txt", "a", FF_STREAM_GPU, 0, 9);
    ff_member *k = add_member(b, "a/plugin.log", "a", FF_STREAM_K8S, 0, 9);
    ff_member *o = add_member(b, "b/smi.txt", "b", FF_STREAM_GPU, 0, 9);
    ff_signal *listed = add_signal(b, g, 0), *unhealthy = add_signal(b, k, 1), *other = add_signal(b, o, 2);
    listed->who.gpu = FF_LIT("0000:3b:00");
    listed->who.gpu_uuid = FF_LIT("GPU-5ed17c9d");
    listed->who.gpu_index = 1;
    unhealthy->who.gpu_uuid = FF_LIT("GPU-5ed17c9d");
    other->who.gpu_index = 1;
    ff_identify(&b->e, &b->arena);
    CHECK_TEXT(unhealthy->who.gpu, "0000:3b:00");
    CHECK_INT(other->who.gpu.n, 0);
    bench_close(b);
}

TEST(member_name_joins_rank_and_host)
{
    bench *b = bench_open();
    ff_member *m = add_member(b, "a/rank4.log", "a", FF_STREAM_APP, 0, 9);
    m->who.rank = 4;
    ff_member *n = add_member(b, "dump_4", "", FF_STREAM_RECORDER, 0, 9);
    ff_signal *s = add_signal(b, n, 0);
    s->who.rank = 4;
    ff_identity id = ff_identify(&b->e, &b->arena);
    const ff_join *j = join_of(&id, "4", "host");
    CHECK(j && j->signal == FF_NONE);
    if (j) {
        CHECK_TEXT(j->rests_on, "holds for all of a/rank4.log");
        CHECK_INT(j->confidence, FF_LIKELY);
    }
    CHECK_TEXT(s->who.host, "a");
    bench_close(b);
}

TEST(torn_cgroup_paths_give_nothing)
{
    static const char *const paths[] = { "/",
                                         "pod",
                                         "/kubepods/pod7d3b0c52",
                                         "/kubepods/pod7d3b0c52-61f4-4f0e-9a7d-2e40f6b9d0c",
                                         "/x/cri-containerd-0123456789abcdef.scope",
                                         "/docker/" CONTAINER "0" };
    bench *b = bench_open();
    ff_member *k = add_member(b, "dmesg", "a", FF_STREAM_KERNEL, 0, 9);
    for (unsigned i = 0; i < FF_COUNT(paths); i++)
        add_signal(b, k, (int64_t)i)->who.cgroup = ff_str(paths[i]);
    ff_identify(&b->e, &b->arena);
    for (unsigned i = 0; i < FF_COUNT(paths); i++) {
        CHECK_INT(b->signals[i].who.container.n, 0);
        CHECK_INT(b->signals[i].who.pod_uid.n, 0);
    }
    bench_close(b);
}

int main(void)
{
    RUN(pid_of_a_kernel_line_gets_rank_and_gpu_of_the_nccl_line);
    RUN(pid_with_two_ranks_of_one_communicator_is_a_conflict_and_not_used);
    RUN(rank_of_a_smaller_communicator_is_not_the_jobs);
    RUN(ranks_of_two_communicators_of_one_size_say_nothing);
    RUN(whom_a_line_speaks_about_is_not_who_speaks);
    RUN(launchers_table_joins_pid_and_rank);
    RUN(table_without_a_host_is_not_used_when_two_hosts_have_the_pid);
    RUN(cgroup_leads_to_container_pod_uid_and_pod);
    RUN(host_that_is_a_pod_becomes_its_node);
    RUN(pod_seen_on_two_nodes_has_none);
    RUN(gpu_names_complete_each_other_on_their_host);
    RUN(member_name_joins_rank_and_host);
    RUN(torn_cgroup_paths_give_nothing);
    return DONE();
}
