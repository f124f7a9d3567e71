/* Attempts, what the job outlived, what came back, and clocks of hosts that met. */
#include "unit_verdict.h"

static bench *open_job(void)
{
    bench *b = bench_open();
    ff_cause *c = add_cause(b, "gpu.lost", 10, FF_STREAM_KERNEL);
    c->recovery = FF_LIT("node");
    leads(c, "app.exception", FF_SAME_JOB, 3600, FF_ROLE_SYMPTOM);
    c = add_cause(b, "app.bug", 40, FF_STREAM_APP);
    leads(c, "app.exception", FF_SAME_JOB, 3600, FF_ROLE_SYMPTOM);
    add_cause(b, "app.exception", 60, FF_STREAM_APP);
    add_special(b);
    b->rules.n_signatures = 8;
    b->signatures[1].marks = FF_MARK_PROGRESS;
    b->signatures[2].marks = FF_MARK_START;
    b->signatures[3].meets = FF_MEET_COMES;
    b->signatures[4].meets = FF_MEET_LEAVES;
    b->signatures[5].meets = FF_MEET_AHEAD;
    return b;
}

TEST(what_a_program_did_before_a_restart_explains_nothing_after)
{
    bench *b = open_job();
    ff_member *m = add_member(b, "a/out.log", "a", FF_STREAM_APP, -600, 600);
    add_finding(b, "app.bug", FF_CERTAIN, add_signal(b, m, 0));
    add_mark(b, m, 10, 2);
    add_finding(b, "app.exception", FF_CERTAIN, add_signal(b, m, 60));
    ff_report r = conclude(b);
    CHECK_TEXT(verdict_cause(&r), "app.exception");
    CHECK_INT(r.n_incidents, 2);
    bench_close(b);
}

TEST(a_machine_stays_as_it_is_when_the_job_is_started_again)
{
    bench *b = open_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    ff_member *m = add_member(b, "a/out.log", "a", FF_STREAM_APP, -600, 600);
    add_finding(b, "gpu.lost", FF_CERTAIN, add_signal(b, k, 0));
    add_mark(b, m, 10, 2);
    add_finding(b, "app.exception", FF_CERTAIN, add_signal(b, m, 60));
    ff_report r = conclude(b);
    CHECK_TEXT(verdict_cause(&r), "gpu.lost");
    CHECK_INT(r.n_incidents, 1);
    bench_close(b);
}

TEST(what_the_job_outlived_stands_behind_its_failure)
{
    bench *b = open_job();
    b->causes[0].n_leads_to = 0;
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    ff_member *m = add_member(b, "a/out.log", "a", FF_STREAM_APP, -600, 600);
    add_finding(b, "gpu.lost", FF_CERTAIN, add_signal(b, k, 0));
    add_mark(b, m, 200, 1);
    add_finding(b, "app.exception", FF_CERTAIN, add_signal(b, m, 300));
    ff_report r = conclude(b);
    CHECK_TEXT(verdict_cause(&r), "app.exception");
    CHECK_TEXT(ff_str(r.incidents[1].behind), "the job went on after it");
    bench_close(b);
}

/* A fault at T0, and marks of the job after it; kernel: only the machine's log tells of the fault. */
static ff_report after_fault(bench *b, bool kernel, int64_t log_from_s, const int64_t (*marks)[2], uint32_t n)
{
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 90000);
    ff_member *m = add_member(b, "a/out.log", "a", FF_STREAM_APP, log_from_s, 90000);
    m->first_said = (ff_stamp){ FF_STAMP_UTC, m->first_utc, 1 };
    b->signatures[6].marks = FF_MARK_END;
    add_finding(b, kernel ? "gpu.lost" : "app.exception", FF_CERTAIN, add_signal(b, kernel ? k : m, 0));
    for (uint32_t i = 0; i < n; i++)
        add_mark(b, m, marks[i][0], (uint32_t)marks[i][1]);
    return conclude(b);
}

TEST(nobody_asks_about_what_the_job_ran_well_after)
{
    static const struct {
        bool kernel;
        int64_t log_from_s, marks[2][2];
        uint32_t n;
        const char *want;
    } table[] = {
        { true, -600, { { 300, 6 } }, 1, "healthy" },        /* a good end */
        { true, -600, { { 30, 6 } }, 1, "gpu.lost" },        /* too soon to mean anything */
        { true, -600, { { 300, 1 } }, 1, "gpu.lost" },       /* it went on, and how it ended nobody says */
        { true, 900, { { 1000, 1 } }, 1, "healthy" },        /* that run began when it was over */
        { true, 900, { { 0, 0 } }, 0, "gpu.lost" },          /* began, and shows nothing */
        { true, 88000, { { 0, 0 } }, 0, "unknown" },         /* began a day later */
        { true, -600, { { 88000, 1 } }, 1, "healthy" },      /* another day */
        { true, -600, { { 88000, 2 } }, 1, "gpu.lost" },     /* started anew: that alone shows nothing */
        { false, -600, { { 300, 6 } }, 1, "app.exception" }, /* the next attempt: the failure is asked about */
        { false, -600, { { 88000, 1 }, { 88100, 6 } }, 2, "healthy" }, /* another day, in the same log */
    };
    for (unsigned i = 0; i < FF_COUNT(table); i++) {
        bench *b = open_job();
        ff_report r = after_fault(b, table[i].kernel, table[i].log_from_s, table[i].marks, table[i].n);
        CHECK_TEXT(verdict_cause(&r), table[i].want);
        CHECK_INT(r.n_incidents, 1);
        CHECK_INT(r.incidents[0].behind == NULL, ff_equal(cause_of(&r, 0), ff_str(table[i].want)));
        bench_close(b);
    }
}

TEST(another_jobs_success_says_nothing_of_a_failure)
{
    bench *b = open_job();
    ff_member *m = add_member(b, "a/out.log", "a", FF_STREAM_APP, -600, 100);
    ff_member *n = add_member(b, "a/new.log", "a", FF_STREAM_APP, 80000, 90000);
    add_finding(b, "app.exception", FF_CERTAIN, add_signal(b, m, 0));
    add_mark(b, n, 88000, 1);
    ff_report r = conclude(b);
    CHECK_TEXT(verdict_cause(&r), "app.exception");
    bench_close(b);
}

TEST(lines_of_another_day_are_a_finding_of_their_own)
{
    bench *b = open_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -9 * 86400, 600);
    ff_signal *old = add_signal(b, k, -7 * 86400), *now = add_signal(b, k, 0);
    ff_finding *f = add_finding(b, "gpu.lost", FF_CERTAIN, old);
    old->who.gpu = now->who.gpu = f->who.gpu = FF_LIT("0000:3b:00");
    f->scope = FF_SCOPE_GPU;
    f->evidence[f->n_evidence++] = now->ref;
    ff_report r = conclude(b);
    CHECK_INT(r.n_incidents, 2);
    CHECK(r.incidents[0].has_time && r.incidents[0].began_utc == T0);
    CHECK(ff_contains(r.verdict.confidence_why, FF_LIT("the same GPU had it 1 time before or after: the hardware")));
    bench_close(b);
}

TEST(a_late_report_began_no_later_than_its_effect)
{
    bench *b = open_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    ff_member *m = add_member(b, "a/out.log", "a", FF_STREAM_APP, -600, 600);
    ff_signal *effect = add_signal(b, m, -120), *told = add_signal(b, k, 0);
    add_finding(b, "gpu.lost", FF_CERTAIN, told)->lag_ns = 300 * S;
    add_finding(b, "app.exception", FF_CERTAIN, effect);
    ff_report r = conclude(b);
    CHECK_TEXT(verdict_cause(&r), "gpu.lost");
    CHECK(r.incidents[0].began_utc == T0 - 120 * S);
    bench_close(b);
}

TEST(a_line_that_a_finding_knows_is_no_unexplained_failure)
{
    bench *b = open_job();
    ff_member *m = add_member(b, "a/out.log", "a", FF_STREAM_APP, -600, 600);
    ff_signal *line = add_signal(b, m, 0);
    add_finding(b, "unknown", FF_CERTAIN, line);
    add_finding(b, "app.exception", FF_CERTAIN, line);
    ff_report r = conclude(b);
    CHECK_INT(r.n_incidents, 1);
    CHECK_INT(r.incidents[0].n_chain, 1);
    bench_close(b);
}

/* ---- clocks ---- */
static void meet(bench *b, const ff_member *m, int64_t comes_s, int64_t leaves_s)
{
    add_field(b, add_mark(b, m, comes_s, 3), "commid", FF_FIELD_TEXT, "0x77", 0);
    add_field(b, add_mark(b, m, leaves_s, 4), "commid", FF_FIELD_TEXT, "0x77", 0);
}

static ff_clocks *one_clock(bench *b)
{
    b->clocks = (ff_clocks){ .at = FF_NEW_N(&b->arena, ff_clock, 1), .n = 1 };
    b->clocks.at[0] = (ff_clock){ .kind = FF_STAMP_UTC, .member = FF_NONE, .anchored = true };
    for (uint32_t i = 0; i < b->e.n_signals; i++) {
        ff_signal *s = &b->signals[i];
        s->clock = 0;
        s->frame = 1; /* as the clock stage fills it */
        s->at_ns = s->utc;
        s->at_err = s->utc_err;
    }
    return &b->clocks;
}

TEST(hosts_that_met_bound_each_others_clocks)
{
    bench *b = open_job();
    ff_member *a = add_member(b, "a/out.log", "a", FF_STREAM_APP, 0, 9000);
    ff_member *c = add_member(b, "c/out.log", "c", FF_STREAM_APP, 0, 9000);
    meet(b, a, 0, 4);
    meet(b, c, 7200, 7203);
    ff_skew_correct(&b->e, one_clock(b), &b->rules, &b->arena);
    CHECK_INT(b->clocks.n, 2);
    CHECK(b->e.members[1].first_utc < T0 && b->e.members[1].first_utc > T0 - 7205 * S);
    for (uint32_t i = 0; i < b->e.n_signals; i++) {
        const ff_signal *s = &b->signals[i];
        CHECK_INT(s->ref, i);
        CHECK(s->utc - T0 > -8 * S && s->utc - T0 < 12 * S);
        CHECK(s->at.member == a->id ? s->utc_err == 0 : s->utc_err > 3 * S && s->utc_err < 5 * S);
    }
    CHECK(ff_contains(b->clocks.at[1].why, FF_LIT("ahead of a")));
    bench_close(b);
}

TEST(clocks_that_may_agree_are_left_alone)
{
    bench *b = open_job();
    ff_member *a = add_member(b, "a/out.log", "a", FF_STREAM_APP, 0, 90),
              *c = add_member(b, "c/out.log", "c", FF_STREAM_APP, 0, 90);
    meet(b, a, 0, 4);
    meet(b, c, 3, 6);
    ff_skew_correct(&b->e, one_clock(b), &b->rules, &b->arena);
    CHECK_INT(b->clocks.n, 1);
    CHECK_INT(b->signals[2].utc_err, 0);
    bench_close(b);
}

TEST(a_time_service_says_whose_clock_is_wrong)
{
    bench *b = open_job();
    ff_member *a = add_member(b, "a/out.log", "a", FF_STREAM_APP, 0, 9000),
              *c = add_member(b, "c/out.log", "c", FF_STREAM_APP, 0, 9000);
    meet(b, a, 0, 4);
    meet(b, c, 7200, 7203);
    ff_field *f = add_field(b, add_mark(b, c, 7300, 5), "seconds", FF_FIELD_FLOAT, "7200.0", 0);
    f->is_float = true;
    f->f = 7200.0;
    ff_skew_correct(&b->e, one_clock(b), &b->rules, &b->arena);
    CHECK(ff_contains(b->clocks.at[b->clocks.n - 1].why, FF_LIT("true time")));
    bench_close(b);
}

int main(void)
{
    RUN(what_a_program_did_before_a_restart_explains_nothing_after);
    RUN(a_machine_stays_as_it_is_when_the_job_is_started_again);
    RUN(what_the_job_outlived_stands_behind_its_failure);
    RUN(nobody_asks_about_what_the_job_ran_well_after);
    RUN(another_jobs_success_says_nothing_of_a_failure);
    RUN(lines_of_another_day_are_a_finding_of_their_own);
    RUN(a_late_report_began_no_later_than_its_effect);
    RUN(a_line_that_a_finding_knows_is_no_unexplained_failure);
    RUN(hosts_that_met_bound_each_others_clocks);
    RUN(clocks_that_may_agree_are_left_alone);
    RUN(a_time_service_says_whose_clock_is_wrong);
    return DONE();
}
