/* Which findings are one incident, which of them is the root, and which incident is the verdict's. */
#include "unit_verdict.h"

TEST(last_weeks_error_is_its_own_incident_and_not_the_verdict)
{
    bench *b = open_chain_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -700000, 600);
    ff_member *n = add_member(b, "a/nccl.log", "a", FF_STREAM_NCCL, -600, 600);
    ff_signal *lost = add_signal(b, k, -7 * 86400), *init = add_signal(b, n, 0);
    add_finding(b, "gpu.lost", FF_CERTAIN, lost);
    add_finding(b, "comm.init", FF_POSSIBLE, init);
    ff_report r = conclude(b);
    CHECK_INT(r.n_incidents, 2);
    CHECK_TEXT(verdict_cause(&r), "comm.init");
    CHECK_INT(r.incidents[0].n_other_roots, 0);
    CHECK_TEXT(cause_of(&r, r.incidents[1].root), "gpu.lost");
    bench_close(b);
}

TEST(later_failure_of_another_day_is_the_one_asked_about)
{
    bench *b = open_chain_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -700000, 600);
    ff_member *n = add_member(b, "a/nccl.log", "a", FF_STREAM_NCCL, -700000, 600);
    ff_signal *init = add_signal(b, n, -7 * 86400), *lost = add_signal(b, k, 0);
    add_finding(b, "comm.init", FF_CERTAIN, init);
    add_finding(b, "gpu.lost", FF_LIKELY, lost);
    ff_report r = conclude(b);
    CHECK_INT(r.n_incidents, 2);
    CHECK_TEXT(verdict_cause(&r), "gpu.lost");
    bench_close(b);
}

TEST(rivals_are_named_with_what_would_decide)
{
    bench *b = open_chain_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    ff_signal *usage = add_signal(b, k, 0), *lost = add_signal(b, k, 30);
    add_finding(b, "host.limit", FF_CERTAIN, usage);
    add_finding(b, "gpu.lost", FF_LIKELY, lost);
    ff_report r = conclude(b);
    CHECK_INT(r.n_incidents, 2);
    CHECK_TEXT(verdict_cause(&r), "host.limit"); /* neither explains anything: the first fault, as the clock is one */
    CHECK_INT(r.incidents[0].n_other_roots, 1);
    CHECK_TEXT(cause_of(&r, r.incidents[0].other_roots[0]), "gpu.lost");
    CHECK(r.incidents[0].decide.n != 0);
    bench_close(b);
}

TEST(deeper_rival_wins_where_the_order_is_not_known)
{
    bench *b = open_chain_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    ff_member *o = add_member(b, "a/kern.log", "a", FF_STREAM_KERNEL, -600, 600);
    ff_signal *usage = unanchored(add_signal(b, k, 0)), *lost = unanchored(add_signal(b, o, 30));
    add_finding(b, "host.limit", FF_CERTAIN, usage);
    add_finding(b, "gpu.lost", FF_LIKELY, lost);
    ff_report r = conclude(b);
    CHECK_TEXT(verdict_cause(&r), "gpu.lost");
    CHECK(ff_contains(r.incidents[0].decide, FF_LIT("absolute times")));
    bench_close(b);
}

TEST(older_error_on_an_unanchored_clock_is_not_the_verdict)
{
    bench *b = open_chain_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    ff_signal *old = unanchored(add_signal(b, k, -4 * 86400)), *now = unanchored(add_signal(b, k, 0));
    add_finding(b, "gpu.lost", FF_CERTAIN, old);
    add_finding(b, "host.limit", FF_LIKELY, now);
    ff_report r = conclude(b);
    CHECK_INT(r.n_incidents, 2);
    CHECK_TEXT(verdict_cause(&r), "host.limit");
    CHECK_INT(r.incidents[0].n_other_roots, 0);
    bench_close(b);
}

TEST(text_that_nobody_knows_shows_neither_good_nor_bad)
{
    bench *b = open_chain_job();
    add_member(b, "a/notes.txt", "a", 0, 0, 0);
    ff_report r = conclude(b);
    CHECK_TEXT(verdict_cause(&r), "unknown");
    CHECK(!ff_contains(r.verdict.summary, FF_LIT("could be read")));
    CHECK(r.verdict.n_ceiling > 0);
    CHECK_INT(r.verdict.confidence, FF_POSSIBLE);
    bench_close(b);
}

TEST(root_that_explains_more_wins)
{
    bench *b = open_chain_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    ff_signal *usage = add_signal(b, k, 0), *pin = add_signal(b, k, 5), *lost = add_signal(b, k, 30);
    add_finding(b, "host.limit", FF_LIKELY, usage);
    add_finding(b, "host.pin", FF_LIKELY, pin);
    add_finding(b, "gpu.lost", FF_CERTAIN, lost);
    ff_report r = conclude(b);
    CHECK_TEXT(verdict_cause(&r), "host.limit");
    bench_close(b);
}

TEST(same_cause_at_the_same_place_and_time_is_one_incident)
{
    bench *b = open_chain_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 9000);
    ff_signal *one = add_signal(b, k, 0), *two = add_signal(b, k, 300), *other = add_signal(b, k, 5000);
    add_finding(b, "gpu.lost", FF_LIKELY, one)->who.gpu = FF_LIT("0000:3b:00");
    add_finding(b, "gpu.lost", FF_CERTAIN, two)->who.gpu = FF_LIT("0000:5e:00");
    add_finding(b, "gpu.lost", FF_CERTAIN, other)->who.gpu = FF_LIT("0000:86:00");
    for (uint32_t i = 0; i < b->judged.n; i++)
        b->findings[i].scope = FF_SCOPE_GPU;
    ff_report r = conclude(b);
    CHECK_INT(r.n_incidents, 2);
    CHECK_INT(r.incidents[0].n_chain + r.incidents[1].n_chain, 3);
    const ff_incident *pair = r.incidents[0].n_chain == 2 ? &r.incidents[0] : &r.incidents[1];
    CHECK_INT(r.findings[pair->root].evidence[0], one->ref);
    CHECK_INT(pair->chain[1].role, FF_ROLE_CONTRIBUTING);
    CHECK_INT(pair->suspects.n_gpus, 2);
    bench_close(b);
}

TEST(surer_finding_about_the_same_lines_speaks_for_the_group)
{
    bench *b = open_chain_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    ff_signal *one = add_signal(b, k, 0), *two = add_signal(b, k, 1);
    add_finding(b, "host.limit", FF_POSSIBLE, one)->summary = FF_LIT("a line says so");
    ff_finding *f = add_finding(b, "host.limit", FF_CERTAIN, two);
    f->evidence[0] = one->ref;
    f->evidence[f->n_evidence++] = two->ref;
    f->summary = FF_LIT("640 GiB of 640 GiB");
    ff_report r = conclude(b);
    CHECK_INT(r.n_incidents, 1);
    CHECK_TEXT(r.verdict.summary, "640 GiB of 640 GiB");
    CHECK_INT(r.verdict.confidence, FF_CERTAIN);
    bench_close(b);
}

TEST(order_of_findings_given_does_not_matter)
{
    ff_bytes texts[2][4];
    for (unsigned turn = 0; turn < 2; turn++) {
        bench *b = open_chain_job();
        ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
        ff_signal *one = add_signal(b, k, 0), *two = add_signal(b, k, 0);
        const char *gpus[] = { "0000:3b:00", "0000:5e:00" };
        for (unsigned i = 0; i < 2; i++) {
            ff_finding *f = add_finding(b, "gpu.lost", FF_CERTAIN, one);
            f->who.gpu = ff_str(gpus[turn ? 1 - i : i]);
        }
        add_finding(b, turn ? "host.limit" : "host.pin", FF_LIKELY, two);
        add_finding(b, turn ? "host.pin" : "host.limit", FF_LIKELY, two);
        ff_report r = conclude(b);
        CHECK_INT(r.n_findings, 4);
        for (uint32_t i = 0; i < 4; i++) {
            CHECK_INT(r.findings[i].id, i);
            ff_bytes id = cause_of(&r, i);
            ff_bytes own = r.findings[i].who.gpu.n ? r.findings[i].who.gpu : id;
            if (turn)
                CHECK(ff_equal(own, texts[0][i]));
            else
                texts[0][i] = ff_str(ff_equal(own, FF_LIT("0000:3b:00"))   ? "0000:3b:00"
                                     : ff_equal(own, FF_LIT("0000:5e:00")) ? "0000:5e:00"
                                     : ff_equal(own, FF_LIT("host.pin"))   ? "host.pin"
                                                                           : "host.limit");
        }
        bench_close(b);
    }
}

TEST(unknown_alone_is_an_incident)
{
    bench *b = open_chain_job();
    ff_member *n = add_member(b, "a/out.log", "a", FF_STREAM_APP, -600, 600);
    ff_signal *s = add_signal(b, n, 0);
    add_finding(b, "unknown", FF_POSSIBLE, s);
    ff_report r = conclude(b);
    CHECK_TEXT(verdict_cause(&r), "unknown");
    CHECK_INT(r.verdict.incident, 0);
    CHECK_INT(r.verdict.fault_class.n, 0);
    bench_close(b);
}

TEST(unknown_stands_behind_any_named_cause)
{
    bench *b = open_chain_job();
    ff_member *n = add_member(b, "a/out.log", "a", FF_STREAM_APP, -600, 600);
    ff_signal *odd = add_signal(b, n, 0), *killed = add_signal(b, n, 10);
    add_finding(b, "unknown", FF_CERTAIN, odd);
    add_finding(b, "app.killed", FF_POSSIBLE, killed);
    ff_report r = conclude(b);
    CHECK_TEXT(verdict_cause(&r), "app.killed");
    bench_close(b);
}

/* Output that shows work, and says with `mark` what kind. */
static bench *open_quiet_job(ff_mark mark)
{
    bench *b = open_chain_job();
    b->rules.n_signatures = 8;
    b->signatures[1].marks = mark;
    ff_member *m = add_member(b, "a/out.log", "a", FF_STREAM_APP, -600, 600);
    add_mark(b, m, -60, 1);
    return b;
}

TEST(nothing_found_is_healthy_as_far_as_could_be_seen)
{
    bench *b = open_quiet_job(FF_MARK_END);
    ff_report r = conclude(b);
    CHECK_TEXT(verdict_cause(&r), "healthy");
    CHECK_INT(r.verdict.confidence, FF_LIKELY);
    CHECK_INT(r.verdict.incident, FF_NONE);
    CHECK(list_mentions(r.verdict.ceiling, r.verdict.n_ceiling, "kernel log"));
    CHECK(!list_mentions(r.verdict.ceiling, r.verdict.n_ceiling, "job output"));
    CHECK(r.verdict.confidence_why.n != 0);
    bench_close(b);
}

TEST(healthy_is_only_possible_where_the_output_just_stops)
{
    bench *b = open_quiet_job(FF_MARK_START);
    ff_report r = conclude(b);
    CHECK_TEXT(verdict_cause(&r), "healthy");
    CHECK_INT(r.verdict.confidence, FF_POSSIBLE);
    bench_close(b);
}

TEST(healthy_is_only_possible_where_the_output_runs_on_or_stops)
{
    bench *b = open_quiet_job(FF_MARK_PROGRESS);
    ff_report r = conclude(b);
    CHECK_TEXT(verdict_cause(&r), "healthy");
    CHECK_INT(r.verdict.confidence, FF_POSSIBLE);
    bench_close(b);
}

TEST(healthy_without_the_jobs_output_is_only_possible)
{
    bench *b = open_chain_job();
    add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    ff_report r = conclude(b);
    CHECK_TEXT(verdict_cause(&r), "healthy");
    CHECK_INT(r.verdict.confidence, FF_POSSIBLE);
    bench_close(b);
}

TEST(nothing_read_is_unknown)
{
    bench *b = open_chain_job();
    add_member(b, "a/out.log", "a", FF_STREAM_APP, -600, 600)->unread = "binary";
    add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600)->bytes = 0;
    ff_report r = conclude(b);
    CHECK_TEXT(verdict_cause(&r), "unknown");
    CHECK_INT(r.verdict.incident, FF_NONE);
    bench_close(b);
}

TEST(warning_is_no_answer_to_a_failure_beside_it)
{
    bench *b = open_chain_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    ff_signal *aer = add_signal(b, k, 0), *pin = add_signal(b, k, 60);
    add_finding(b, "pcie.error", FF_CERTAIN, aer)->severity = FF_SEV_WARNING;
    add_finding(b, "host.pin", FF_POSSIBLE, pin);
    ff_report r = conclude(b);
    CHECK_TEXT(verdict_cause(&r), "host.pin");
    bench_close(b);
}

TEST(deep_error_elsewhere_after_the_failure_is_not_its_cause)
{
    bench *b = open_chain_job();
    ff_member *n = add_member(b, "a/nccl.log", "a", FF_STREAM_NCCL, -600, 600);
    ff_member *k = add_member(b, "b/dmesg", "b", FF_STREAM_KERNEL, -600, 600);
    ff_signal *init = add_signal(b, n, 0), *lost = add_signal(b, k, 300);
    add_finding(b, "comm.init", FF_POSSIBLE, init);
    add_finding(b, "gpu.lost", FF_CERTAIN, lost);
    ff_report r = conclude(b);
    CHECK_TEXT(verdict_cause(&r), "comm.init");
    CHECK_INT(r.incidents[0].n_other_roots, 0); /* another host */
    bench_close(b);
}

TEST(machine_logs_alone_are_looked_at_over_a_day)
{
    bench *b = open_chain_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -60000, 600);
    ff_signal *usage = add_signal(b, k, -10000), *pin = add_signal(b, k, -9990), *lost = add_signal(b, k, 0);
    add_finding(b, "host.limit", FF_LIKELY, usage);
    add_finding(b, "host.pin", FF_LIKELY, pin);
    add_finding(b, "gpu.lost", FF_CERTAIN, lost);
    ff_report r = conclude(b);
    CHECK_TEXT(verdict_cause(&r), "host.limit");
    bench_close(b);
}

TEST(unknown_that_explains_more_still_stands_behind)
{
    bench *b = open_chain_job();
    leads(&b->causes[cause_named(b, "unknown")], "comm.*", FF_SAME_HOST, 600, FF_ROLE_VICTIM);
    ff_member *n = add_member(b, "a/out.log", "a", FF_STREAM_APP, -600, 600);
    ff_member *o = add_member(b, "b/out.log", "b", FF_STREAM_APP, -600, 600);
    ff_signal *odd = add_signal(b, n, 0), *init = add_signal(b, n, 5), *pin = add_signal(b, o, 6);
    add_finding(b, "unknown", FF_CERTAIN, odd);
    add_finding(b, "comm.init", FF_CERTAIN, init);
    add_finding(b, "host.pin", FF_POSSIBLE, pin);
    ff_report r = conclude(b);
    CHECK_TEXT(verdict_cause(&r), "host.pin");
    bench_close(b);
}

int main(void)
{
    RUN(last_weeks_error_is_its_own_incident_and_not_the_verdict);
    RUN(later_failure_of_another_day_is_the_one_asked_about);
    RUN(rivals_are_named_with_what_would_decide);
    RUN(deeper_rival_wins_where_the_order_is_not_known);
    RUN(older_error_on_an_unanchored_clock_is_not_the_verdict);
    RUN(text_that_nobody_knows_shows_neither_good_nor_bad);
    RUN(root_that_explains_more_wins);
    RUN(same_cause_at_the_same_place_and_time_is_one_incident);
    RUN(surer_finding_about_the_same_lines_speaks_for_the_group);
    RUN(order_of_findings_given_does_not_matter);
    RUN(unknown_alone_is_an_incident);
    RUN(unknown_stands_behind_any_named_cause);
    RUN(nothing_found_is_healthy_as_far_as_could_be_seen);
    RUN(healthy_is_only_possible_where_the_output_just_stops);
    RUN(healthy_is_only_possible_where_the_output_runs_on_or_stops);
    RUN(healthy_without_the_jobs_output_is_only_possible);
    RUN(nothing_read_is_unknown);
    RUN(warning_is_no_answer_to_a_failure_beside_it);
    RUN(deep_error_elsewhere_after_the_failure_is_not_its_cause);
    RUN(machine_logs_alone_are_looked_at_over_a_day);
    RUN(unknown_that_explains_more_still_stands_behind);
    return DONE();
}
