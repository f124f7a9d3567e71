/* What an incident did to the job, what is only an echo, which rank is the suspect, and whose lines are whose. */
#include "unit_verdict.h"

static bench *open_job(void)
{
    bench *b = bench_open();
    ff_cause *c = add_cause(b, "pcie.slow", 10, FF_STREAM_HOST);
    c->fault_class = FF_LIT("slow");
    leads(c, "comm.stands", FF_SAME_JOB, 3600, FF_ROLE_SYMPTOM);
    c = add_cause(b, "shm.full", 20, FF_STREAM_APP);
    c->fault_class = FF_LIT("init");
    leads(c, "app.exception", FF_SAME_JOB, 3600, FF_ROLE_SYMPTOM);
    c = add_cause(b, "comm.stands", 70, FF_STREAM_APP);
    c->fault_class = FF_LIT("stall");
    c = add_cause(b, "comm.differs", 71, FF_STREAM_APP);
    c->compares = true;
    c = add_cause(b, "app.exception", 60, FF_STREAM_APP);
    leads(c, "comm.*", FF_SAME_JOB, 3600, FF_ROLE_VICTIM);
    add_special(b);
    b->rules.n_signatures = 8;
    b->signatures[1].marks = FF_MARK_PROGRESS;
    b->signatures[2].marks = FF_MARK_START;
    return b;
}

static ff_bytes class_after(const uint32_t *marks, uint32_t n)
{
    bench *b = open_job();
    ff_member *m = add_member(b, "a/out.log", "a", FF_STREAM_APP, -600, 600);
    for (uint32_t i = 0; i < n; i++)
        add_mark(b, m, (int64_t)i - 60, marks[i]);
    add_finding(b, "shm.full", FF_CERTAIN, add_signal(b, m, 0));
    ff_report r = conclude(b);
    ff_bytes found = r.verdict.fault_class;
    bench_close(b);
    return found;
}

TEST(set_up_fault_under_a_job_that_ran_is_a_loss)
{
    const uint32_t none[] = { 2 }, ran[] = { 2, 1 }, again[] = { 1, 2 };
    CHECK_TEXT(class_after(none, 1), "init");
    CHECK_TEXT(class_after(ran, 2), "lost");
    CHECK_TEXT(class_after(again, 2), "init"); /* it was started anew, and that start is what failed */
}

TEST(slow_path_on_which_the_job_stands_is_a_stall)
{
    bench *b = open_job();
    ff_member *h = add_member(b, "a/lspci", "a", FF_STREAM_HOST, -600, 600);
    ff_member *m = add_member(b, "a/out.log", "a", FF_STREAM_APP, -600, 600);
    add_finding(b, "pcie.slow", FF_CERTAIN, add_signal(b, h, 0));
    ff_report alone = conclude(b);
    CHECK_TEXT(alone.verdict.fault_class, "slow");
    add_finding(b, "comm.stands", FF_LIKELY, add_signal(b, m, 60));
    ff_report r = conclude(b);
    CHECK_TEXT(verdict_cause(&r), "pcie.slow");
    CHECK_TEXT(r.verdict.fault_class, "stall");
    bench_close(b);
}

TEST(a_rule_may_name_the_class)
{
    bench *b = open_job();
    ff_member *m = add_member(b, "a/out.log", "a", FF_STREAM_APP, -600, 600);
    add_finding(b, "shm.full", FF_CERTAIN, add_signal(b, m, 0))->fault_class = FF_LIT("lost");
    ff_report r = conclude(b);
    CHECK_TEXT(r.verdict.fault_class, "lost");
    CHECK_TEXT(r.incidents[0].fault_class, "lost");
    bench_close(b);
}

TEST(an_echo_follows_from_what_shares_its_line_and_explains_nothing)
{
    bench *b = open_job();
    ff_member *m = add_member(b, "a/out.log", "a", FF_STREAM_APP, -600, 600);
    ff_signal *line = add_signal(b, m, 0), *wait = add_signal(b, m, 30);
    add_finding(b, "app.exception", FF_CERTAIN, line)->echo = true;
    add_finding(b, "shm.full", FF_LIKELY, line);
    add_finding(b, "comm.stands", FF_LIKELY, wait);
    ff_report r = conclude(b);
    CHECK_TEXT(verdict_cause(&r), "shm.full");
    const ff_link *echo = link_of(&r, 0, "app.exception");
    CHECK(echo && echo->role == FF_ROLE_SYMPTOM);
    CHECK(link_of(&r, 0, "comm.stands") == NULL); /* only the exception could lead to it, and that is an echo */
    bench_close(b);
}

TEST(an_echo_alone_is_no_incident)
{
    bench *b = open_job();
    ff_member *m = add_member(b, "a/out.log", "a", FF_STREAM_APP, -600, 600);
    add_finding(b, "app.exception", FF_CERTAIN, add_signal(b, m, 0))->echo = true;
    ff_report r = conclude(b);
    CHECK_INT(r.n_findings, 1);
    CHECK_INT(r.n_incidents, 0);
    bench_close(b);
}

TEST(an_echo_does_not_speak_for_a_true_exception)
{
    bench *b = open_job();
    ff_member *m = add_member(b, "a/out.log", "a", FF_STREAM_APP, -600, 600);
    ff_signal *true_one = add_signal(b, m, 0), *repeated = add_signal(b, m, 5), *wait = add_signal(b, m, 30);
    add_finding(b, "app.exception", FF_CERTAIN, true_one);
    add_finding(b, "app.exception", FF_CERTAIN, repeated)->echo = true;
    add_finding(b, "comm.stands", FF_LIKELY, wait);
    ff_report r = conclude(b);
    CHECK_TEXT(verdict_cause(&r), "app.exception");
    CHECK(link_of(&r, 0, "comm.stands") != NULL);
    bench_close(b);
}

static void name_ranks(bench *b, ff_finding *f, const int32_t *ranks, uint32_t n)
{
    f->ranks = FF_NEW_N(&b->arena, int32_t, n);
    for (uint32_t i = 0; i < n; i++)
        f->ranks[f->n_ranks++] = ranks[i];
}

static ff_suspects suspects_of(bench *b, const char *cause)
{
    const int32_t ranks[] = { 9, 11 };
    ff_member *m = add_member(b, "a/out.log", "a", FF_STREAM_APP, -600, 600);
    ff_signal *one = add_signal(b, m, 0), *two = add_signal(b, m, 1);
    one->who.rank = 11;
    two->who.rank = 9;
    ff_finding *f = add_finding(b, cause, FF_CERTAIN, one);
    f->evidence[f->n_evidence++] = two->ref;
    name_ranks(b, f, ranks, 2);
    return conclude(b).incidents[0].suspects;
}

TEST(of_ranks_that_each_report_a_failure_the_first_is_the_suspect)
{
    bench *b = open_job();
    ff_suspects s = suspects_of(b, "shm.full");
    CHECK_INT(s.n_ranks, 1);
    CHECK_INT(s.ranks[0], 11);
    bench_close(b);
}

TEST(of_ranks_that_were_compared_all_are_suspects)
{
    bench *b = open_job();
    ff_suspects s = suspects_of(b, "comm.differs");
    CHECK_INT(s.n_ranks, 2);
    bench_close(b);
}

TEST(another_incident_says_why_it_is_not_the_verdicts)
{
    bench *b = open_job();
    ff_member *m = add_member(b, "a/out.log", "a", FF_STREAM_APP, -600, 600);
    ff_member *h = add_member(b, "b/lspci", "b", FF_STREAM_HOST, -600, 600);
    add_finding(b, "shm.full", FF_CERTAIN, add_signal(b, m, 0));
    add_finding(b, "pcie.slow", FF_CERTAIN, add_signal(b, h, 300))->severity = FF_SEV_WARNING;
    ff_report r = conclude(b);
    CHECK_INT(r.n_incidents, 2);
    CHECK(r.incidents[0].behind == NULL);
    CHECK(r.incidents[1].behind != NULL);
    bench_close(b);
}

/* ---- who is who ---- */
static ff_signal *add_nccl(bench *b, const ff_member *m, int32_t pid, int32_t device, int32_t rank)
{
    ff_signal *s = add_signal(b, m, (int64_t)b->e.n_signals);
    s->who.pid = pid;
    s->who.device = device;
    if (rank < 0)
        return s;
    s->who.rank = rank;
    add_field(b, s, "rank", FF_FIELD_RANK, "", rank);
    add_field(b, s, "nranks", FF_FIELD_INT, "", 4);
    return s;
}

TEST(threads_of_one_process_are_ranks_by_their_device)
{
    bench *b = bench_open();
    ff_member *n = add_member(b, "a/nccl.log", "a", FF_STREAM_NCCL, 0, 99);
    add_nccl(b, n, 100, 0, 4);
    add_nccl(b, n, 100, 1, 5);
    ff_signal *own = add_nccl(b, n, 100, 1, -1), *other = add_nccl(b, n, 200, 1, -1);
    ff_identity id = ff_identify(&b->e, &b->arena);
    CHECK_INT(own->who.rank, 5);
    CHECK_INT(other->who.rank, FF_NO_NUMBER); /* device 1 of another process is nobody's yet */
    for (uint32_t i = 0; i < id.n_joins; i++)
        CHECK(!id.joins[i].conflict);
    bench_close(b);
}

TEST(log_of_one_process_that_names_its_rank)
{
    bench *b = bench_open();
    ff_member *one = add_member(b, "a.log", "a", FF_STREAM_APP | FF_STREAM_NCCL, 0, 99);
    ff_member *two = add_member(b, "b.log", "b", FF_STREAM_APP | FF_STREAM_NCCL, 0, 99);
    for (uint32_t i = 0; i < 2; i++) {
        ff_signal *said = add_signal(b, i ? two : one, i);
        said->stream = FF_STREAM_APP;
        said->who.rank = 3;
        add_field(b, said, "own", FF_FIELD_RANK, "", 3);
    }
    ff_signal *fails = add_nccl(b, one, 100, FF_NO_NUMBER, -1);
    ff_signal *first = add_nccl(b, two, 100, FF_NO_NUMBER, -1), *second = add_nccl(b, two, 101, FF_NO_NUMBER, -1);
    fails->stream = first->stream = second->stream = FF_STREAM_NCCL;
    ff_identify(&b->e, &b->arena);
    CHECK_INT(fails->who.rank, 3);
    CHECK_INT(first->who.rank, FF_NO_NUMBER); /* two processes speak there: which of them is rank 3? */
    CHECK_INT(second->who.rank, FF_NO_NUMBER);
    bench_close(b);
}

TEST(kernel_log_is_of_the_machine_where_its_containers_run)
{
    bench *b = bench_open();
    ff_member *k = add_member(b, "dmesg.txt", "", FF_STREAM_KERNEL, 0, 99);
    ff_member *t = add_member(b, "n7/containerd.log", "n7", FF_STREAM_RUNTIME, 0, 99);
    ff_signal *runs = add_signal(b, t, 0), *oom = add_signal(b, k, 5), *pin = add_signal(b, k, 6);
    runs->who.pod = FF_LIT("ml/t-0");
    runs->who.pod_uid = oom->who.pod_uid = FF_LIT("7d3b0c52-61f4-4f0e-9a7d-2e40f6b9d0c1");
    ff_identify(&b->e, &b->arena);
    CHECK_TEXT(oom->who.host, "n7");
    CHECK_TEXT(pin->who.host, "n7"); /* it names nobody, and stands in the same log */
    CHECK_TEXT(b->members[0].who.host, "n7");
    bench_close(b);
}

TEST(sources_are_found_by_host)
{
    bench *b = bench_open();
    add_member(b, "a/dmesg", "a.site.net", FF_STREAM_KERNEL, 0, 9);
    add_member(b, "job.out", "", FF_STREAM_APP | FF_STREAM_GPU, 0, 9);
    ff_sources one = ff_sources_index(&b->e, &b->arena);
    CHECK(ff_sources_present(&one, FF_LIT("a"), FF_STREAM_KERNEL));
    CHECK(ff_sources_present(&one, FF_LIT("a.site.net"), FF_STREAM_KERNEL | FF_STREAM_NET));
    CHECK(!ff_sources_present(&one, FF_LIT("c"), FF_STREAM_KERNEL));
    CHECK(!ff_sources_present(&one, (ff_bytes){ 0 }, FF_STREAM_NET));
    CHECK(ff_sources_present(&one, FF_LIT("a"), FF_STREAM_GPU));
    add_member(b, "b/dmesg", "b", FF_STREAM_KERNEL, 0, 9);
    ff_sources two = ff_sources_index(&b->e, &b->arena);
    CHECK(!ff_sources_present(&two, FF_LIT("a"), FF_STREAM_GPU)); /* whose state is it? */
    CHECK(ff_sources_present(&two, FF_LIT("a"), FF_STREAM_APP));
    CHECK(ff_sources_present(&two, (ff_bytes){ 0 }, FF_STREAM_GPU));
    bench_close(b);
}

int main(void)
{
    RUN(set_up_fault_under_a_job_that_ran_is_a_loss);
    RUN(slow_path_on_which_the_job_stands_is_a_stall);
    RUN(a_rule_may_name_the_class);
    RUN(an_echo_follows_from_what_shares_its_line_and_explains_nothing);
    RUN(an_echo_alone_is_no_incident);
    RUN(an_echo_does_not_speak_for_a_true_exception);
    RUN(of_ranks_that_each_report_a_failure_the_first_is_the_suspect);
    RUN(of_ranks_that_were_compared_all_are_suspects);
    RUN(another_incident_says_why_it_is_not_the_verdicts);
    RUN(threads_of_one_process_are_ranks_by_their_device);
    RUN(log_of_one_process_that_names_its_rank);
    RUN(kernel_log_is_of_the_machine_where_its_containers_run);
    RUN(sources_are_found_by_host);
    return DONE();
}
