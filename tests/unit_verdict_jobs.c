/* Which job a line belongs to, where a bundle holds several. */
#include "unit_verdict.h"

/* Of each log its name, host and pod; what cgroup a kernel line of host a names; and the jobs that come out of it. */
typedef struct row {
    const char *name, *host, *pod, *comm;
    bool zero; /* rank 0 wrote the line */
    const char *job;
} row;

static bench *identify(const row *rows, uint32_t n, const char *cgroup, ff_signal **kernel)
{
    bench *b = bench_open();
    for (uint32_t i = 0; i < n; i++) {
        ff_member *m = add_member(b, rows[i].name, rows[i].host, FF_STREAM_APP, 0, 600);
        m->who.pod = ff_str(rows[i].pod);
        ff_signal *s = add_signal(b, m, (int64_t)i);
        s->quote = ff_str(rows[i].name);
        s->who.rank = rows[i].zero ? 0 : FF_NO_NUMBER;
        if (rows[i].comm[0])
            add_field(b, s, "commid", FF_FIELD_TEXT, rows[i].comm, 0);
    }
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, 0, 600);
    *kernel = add_signal(b, k, 50);
    (*kernel)->who.cgroup = ff_str(cgroup);
    (void)ff_identify(&b->e, &b->arena);
    return b;
}

static void check(const row *rows, uint32_t n, const char *cgroup, const char *kernel_job)
{
    ff_signal *kernel = NULL;
    bench *b = identify(rows, n, cgroup, &kernel);
    for (uint32_t i = 0; i < n; i++)
        CHECK_TEXT(b->signals[i].who.job, rows[i].job);
    CHECK_TEXT(kernel->who.job, kernel_job);
    bench_close(b);
}

TEST(outputs_of_slurm_name_their_job)
{
    const row two[] = { { "x/slurm-5001.out", "a", "", "", false, "slurm 5001" },
                        { "y/slurm-5002.out", "c", "", "", false, "slurm 5002" } };
    check(two, 2, "", "slurm 5001"); /* the only job of its host */
    check(two, 2, "/slurm/uid_1/job_811/step_0", "slurm 811");
    const row same[] = { { "x/slurm-5001.out", "a", "", "", false, "" },
                         { "y/slurm-5001.out", "c", "", "", false, "" } };
    check(same, 2, "/slurm/uid_1/job_5001/step_0", ""); /* one job: nobody needs its name */
    const row other[] = { { "x/slurm-5001.out", "a", "", "", false, "slurm 5001" },
                          { "x/train.log", "a", "", "", false, "slurm 5001" } };
    check(other, 2, "/slurm/uid_1/job_811/step_0", "slurm 811");
    const row array[] = { { "x/slurm-5001_7.out", "a", "", "", false, "" },
                          { "x/my-slurm-9.out", "a", "", "", false, "" } };
    check(array, 2, "/slurm/uid_1/job_5009/step_0", ""); /* a task's true number is another */
}

TEST(pods_that_say_a_part_of_a_job_name_it)
{
    const row two[] = { { "x.log", "a", "train/ctr-a-worker-3", "", false, "pods train/ctr-a" },
                        { "y.log", "c", "train/ctr-b-master-0", "", false, "pods train/ctr-b" } };
    check(two, 2, "", "pods train/ctr-a");
    const row one[] = { { "x.log", "a", "train/ctr-a-worker-3", "", false, "" },
                        { "y.log", "c", "train/ctr-a-master-0", "", false, "" } };
    check(one, 2, "", "");
    const row bare[] = { { "x.log", "a", "train/ctr-a-worker-3", "", false, "" },
                         { "y.log", "c", "ctr-b-master-0", "", false, "" } };
    check(bare, 2, "", ""); /* its namespace is not known */
    const row hash[] = { { "x.log", "a", "demo/chat-6d9f5c7b9-4vkq2", "", false, "" },
                         { "y.log", "c", "demo/chat-worker-1", "", false, "" } };
    check(hash, 2, "", ""); /* may be of one job */
}

TEST(logs_that_share_a_communicator_are_of_one_job)
{
    const row one[] = { { "x/slurm-5001.out", "a", "", "0xabc", false, "" },
                        { "y/slurm-5002.out", "c", "", "0xabc", false, "" } };
    check(one, 2, "", "");
}

TEST(two_ranks_0_on_two_hosts_are_two_jobs)
{
    const row two[] = { { "x/train.log", "a", "", "", true, "log a" },
                        { "y/train.log", "c", "", "", true, "log c" } };
    check(two, 2, "", "log a");
    const row shared[] = { { "x/train.log", "a", "", "0x1", true, "" }, { "y/train.log", "c", "", "0x1", true, "" } };
    check(shared, 2, "", "");
    const row one[] = { { "x/train.log", "a", "", "", true, "" }, { "y/train.log", "c", "", "", false, "" } };
    check(one, 2, "", "");
    const row copies[] = { { "x/train.log", "a", "", "", true, "" }, { "x/train.log", "c", "", "", true, "" } };
    check(copies, 2, "", ""); /* the same words: a copy */
}

TEST(failures_of_two_jobs_are_two_incidents)
{
    bench *b = bench_open();
    leads(add_cause(b, "app.exception", 60, FF_STREAM_APP), "comm.*", FF_SAME_JOB, 3600, FF_ROLE_VICTIM);
    add_cause(b, "comm.timeout", 70, FF_STREAM_APP);
    add_special(b);
    b->rules.n_signatures = 8;
    ff_member *x = add_member(b, "x.out", "a", FF_STREAM_APP, 0, 600),
              *y = add_member(b, "y.out", "c", FF_STREAM_APP, 0, 600);
    ff_signal *one = add_signal(b, x, 0), *two = add_signal(b, y, 60);
    add_finding(b, "app.exception", FF_CERTAIN, one);
    add_finding(b, "comm.timeout", FF_CERTAIN, two);
    ff_report together = conclude(b);
    CHECK_INT(together.n_incidents, 1);
    CHECK_TEXT(verdict_cause(&together), "app.exception");
    one->who.job = FF_LIT("slurm 1");
    two->who.job = FF_LIT("slurm 2");
    ff_report apart = conclude(b);
    CHECK_INT(apart.n_incidents, 2);
    CHECK_TEXT(verdict_cause(&apart), "comm.timeout");
    CHECK_TEXT(ff_str(apart.incidents[1].behind), "it is another job's than the failure that is asked about");
    bench_close(b);
}

int main(void)
{
    RUN(outputs_of_slurm_name_their_job);
    RUN(pods_that_say_a_part_of_a_job_name_it);
    RUN(logs_that_share_a_communicator_are_of_one_job);
    RUN(two_ranks_0_on_two_hosts_are_two_jobs);
    RUN(failures_of_two_jobs_are_two_incidents);
    return DONE();
}
