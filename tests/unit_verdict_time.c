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

static ff_signal *add_mark(bench *b, const ff_member *m, int64_t at_s, uint32_t signature)
{
    ff_signal *s = add_signal(b, m, at_s);
    s->kind = FF_KIND_OF_SIGNATURE(signature);
    return s;
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
    for (uint32_t i = 0; i < b->e.n_signals; i++)
        b->signals[i].clock = 0;
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
    RUN(lines_of_another_day_are_a_finding_of_their_own);
    RUN(a_late_report_began_no_later_than_its_effect);
    RUN(a_line_that_a_finding_knows_is_no_unexplained_failure);
    RUN(hosts_that_met_bound_each_others_clocks);
    RUN(clocks_that_may_agree_are_left_alone);
    RUN(a_time_service_says_whose_clock_is_wrong);
    return DONE();
}
