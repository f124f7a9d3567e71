/* Which finding can have brought about which: order, distance, place, circles. */
#include "unit_verdict.h"

#define MANY_LATE 20

/* Two lines within one second: only the order of the lines is known. */
static ff_signal *coarse(ff_signal *s)
{
    s->said.grain_ns = S;
    s->utc_err = S / 2;
    s->clock = 1;
    return s;
}

TEST(chain_from_limit_over_pinning_to_failed_init)
{
    bench *b = open_chain_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    ff_member *n = add_member(b, "b/nccl.log", "b", FF_STREAM_NCCL, -600, 600);
    ff_signal *pin = add_signal(b, k, -13), *usage = add_signal(b, k, 0), *init = add_signal(b, n, 20);
    add_finding(b, "host.pin", FF_LIKELY, pin);
    ff_finding *limit = add_finding(b, "host.limit", FF_CERTAIN, usage);
    limit->symptoms[limit->n_symptoms++] = pin->ref;
    add_finding(b, "comm.init", FF_LIKELY, init);
    ff_report r = conclude(b);
    CHECK_INT(r.n_incidents, 1);
    CHECK_TEXT(verdict_cause(&r), "host.limit");
    CHECK_INT(r.verdict.confidence, FF_CERTAIN);
    CHECK_TEXT(r.verdict.summary, "host.limit");
    CHECK_INT(r.incidents[0].n_chain, 3);
    CHECK_INT(r.incidents[0].began_signal, usage->ref);
    CHECK_INT(r.incidents[0].began_utc, T0 - 13 * S); /* a cause begins before the line that names it */
    CHECK_INT(r.incidents[0].ended_utc, T0 + 20 * S);
    const ff_link *l = link_of(&r, 0, "host.pin");
    CHECK(l && l->role == FF_ROLE_SYMPTOM && ff_contains(l->because, FF_LIT("a/dmesg:1")));
    l = link_of(&r, 0, "comm.init");
    CHECK(l && l->proven && l->role == FF_ROLE_SYMPTOM);
    if (l)
        CHECK_TEXT(cause_of(&r, l->by), "host.pin");
    CHECK_INT(r.incidents[0].chain[0].role, FF_ROLE_ROOT);
    CHECK_INT(r.incidents[0].chain[0].by, FF_NONE);
    CHECK(!refused_of(&r, "host.limit", "host.pin") && !refused_of(&r, "host.limit", "comm.init"));
    bench_close(b);
}

TEST(effect_before_its_cause_is_no_effect)
{
    bench *b = open_chain_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    ff_member *n = add_member(b, "a/nccl.log", "a", FF_STREAM_NCCL, -600, 600);
    ff_signal *init = add_signal(b, n, -100), *usage = add_signal(b, k, 0);
    add_finding(b, "comm.init", FF_LIKELY, init);
    add_finding(b, "host.limit", FF_LIKELY, usage);
    ff_report r = conclude(b);
    CHECK_INT(r.n_incidents, 2);
    CHECK(link_of(&r, 0, "comm.init") == NULL || link_of(&r, 0, "host.limit") == NULL);
    /* the job had failed before: what came clearly later is not its cause, however deep it lies */
    CHECK_TEXT(verdict_cause(&r), "comm.init");
    CHECK_INT(r.incidents[0].n_other_roots, 1);
    const ff_refused *no = refused_of(&r, "host.limit", "comm.init");
    CHECK(no && no->why == FF_REFUSED_ORDER && no->left == usage->ref && no->right == init->ref);
    CHECK(no && ff_contains(no->because, FF_LIT("a/nccl.log:1 is proven older than every sign of it")));
    bench_close(b);
}

TEST(line_order_within_one_stamp_does_not_acquit)
{
    bench *b = open_chain_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    ff_signal *pin = coarse(add_signal(b, k, 0)), *usage = coarse(add_signal(b, k, 0));
    add_finding(b, "host.pin", FF_LIKELY, pin);
    add_finding(b, "host.limit", FF_LIKELY, usage);
    ff_report r = conclude(b);
    CHECK_INT(r.n_incidents, 1);
    CHECK_TEXT(verdict_cause(&r), "host.limit");
    const ff_link *l = link_of(&r, 0, "host.pin");
    CHECK(l && !l->proven);
    bench_close(b);
}

TEST(line_order_within_one_stamp_decides_between_two_ways)
{
    bench *b = open_chain_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    ff_signal *lost = coarse(add_signal(b, k, 0)), *aer = coarse(add_signal(b, k, 0));
    add_finding(b, "gpu.lost", FF_LIKELY, lost);
    add_finding(b, "pcie.error", FF_LIKELY, aer);
    ff_report r = conclude(b);
    CHECK_INT(r.n_incidents, 1);
    CHECK_TEXT(verdict_cause(&r), "gpu.lost");
    bench_close(b);
}

TEST(report_that_comes_late_is_no_alibi)
{
    for (int64_t lag_s = 60; lag_s <= 120; lag_s += 60) {
        bench *b = open_chain_job();
        ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
        ff_member *n = add_member(b, "a/nccl.log", "a", FF_STREAM_NCCL, -600, 600);
        ff_signal *init = add_signal(b, n, -100), *usage = add_signal(b, k, 0);
        add_finding(b, "comm.init", FF_LIKELY, init);
        add_finding(b, "host.limit", FF_LIKELY, usage)->lag_ns = lag_s * S;
        ff_report r = conclude(b);
        CHECK_INT(r.n_incidents, lag_s < 100 ? 2 : 1);
        bench_close(b);
    }
}

TEST(root_that_hits_the_failing_process_is_nearer)
{
    bench *b = open_chain_job();
    leads(&b->causes[cause_named(b, "host.pin")], "app.killed", FF_SAME_RANK, 600, FF_ROLE_SYMPTOM);
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    ff_member *n = add_member(b, "a/out.log", "a", FF_STREAM_APP, -600, 600);
    ff_signal *lost = add_signal(b, k, 0), *pin = add_signal(b, k, 5), *killed = add_signal(b, n, 10);
    add_finding(b, "gpu.lost", FF_CERTAIN,
                lost); /* deeper, earlier, surer, but only the job is known to be the same */
    leads(&b->causes[cause_named(b, "gpu.lost")], "app.killed", FF_SAME_JOB, 600, FF_ROLE_VICTIM);
    pin->who.rank = killed->who.rank = 4;
    add_finding(b, "host.pin", FF_LIKELY, pin);
    add_finding(b, "app.killed", FF_LIKELY, killed);
    ff_report r = conclude(b);
    CHECK_TEXT(verdict_cause(&r), "host.pin");
    bench_close(b);
}

TEST(effect_too_late_is_no_effect)
{
    bench *b = open_chain_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 9000);
    ff_signal *usage = add_signal(b, k, 0), *pin = add_signal(b, k, 100);
    add_finding(b, "host.limit", FF_LIKELY, usage);
    add_finding(b, "host.pin", FF_LIKELY, pin);
    ff_report r = conclude(b);
    CHECK_INT(r.n_incidents, 2);
    const ff_refused *no = refused_of(&r, "host.limit", "host.pin");
    CHECK(no && no->why == FF_REFUSED_DELAY && no->left == usage->ref && no->right == pin->ref);
    CHECK(no && ff_contains(no->because, FF_LIT("within 1 min")) &&
          ff_contains(no->because, FF_LIT("1 min 40 s apart")));
    bench_close(b);
}

TEST(other_host_is_no_effect_where_the_host_must_agree)
{
    bench *b = open_chain_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    ff_member *o = add_member(b, "b/dmesg", "b", FF_STREAM_KERNEL, -600, 600);
    ff_signal *usage = add_signal(b, k, 0), *pin = add_signal(b, o, 10);
    add_finding(b, "host.limit", FF_LIKELY, usage);
    add_finding(b, "host.pin", FF_LIKELY, pin);
    ff_report r = conclude(b);
    CHECK_INT(r.n_incidents, 2);
    const ff_refused *no = refused_of(&r, "host.limit", "host.pin");
    CHECK(no && no->why == FF_REFUSED_PLACE &&
          ff_contains(no->because, FF_LIT("only on the same host: a against b")));
    bench_close(b);
}

TEST(unknown_order_gives_possible)
{
    bench *b = open_chain_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    ff_member *n = add_member(b, "b/nccl.log", "b", FF_STREAM_NCCL, -600, 600);
    ff_signal *init = unanchored(add_signal(b, n, 5)), *usage = unanchored(add_signal(b, k, 9000));
    add_finding(b, "comm.init", FF_LIKELY, init);
    add_finding(b, "host.limit", FF_LIKELY, usage);
    ff_report r = conclude(b);
    CHECK_INT(r.n_incidents, 1);
    CHECK_TEXT(verdict_cause(&r), "host.limit");
    const ff_link *l = link_of(&r, 0, "comm.init");
    CHECK(l && !l->proven && l->role == FF_ROLE_VICTIM);
    CHECK(!r.incidents[0].has_time);
    bench_close(b);
}

TEST(unknown_place_gives_possible)
{
    bench *b = open_chain_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    ff_member *n = add_member(b, "job.log", "", FF_STREAM_APP, -600, 600);
    ff_signal *usage = add_signal(b, k, 0), *killed = add_signal(b, n, 5);
    add_finding(b, "host.limit", FF_LIKELY, usage);
    add_finding(b, "app.killed", FF_LIKELY, killed);
    ff_report r = conclude(b);
    const ff_link *l = link_of(&r, 0, "app.killed");
    CHECK(l && !l->proven);
    bench_close(b);
}

TEST(circle_is_cut_at_its_earliest)
{
    bench *b = open_chain_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    ff_signal *lost = add_signal(b, k, 0), *aer = add_signal(b, k, 1);
    add_finding(b, "gpu.lost", FF_CERTAIN, lost);
    add_finding(b, "pcie.error", FF_LIKELY, aer);
    ff_report r = conclude(b);
    CHECK_INT(r.n_incidents, 1);
    CHECK_TEXT(verdict_cause(&r), "gpu.lost");
    const ff_refused *no = refused_of(&r, "pcie.error", "gpu.lost");
    CHECK(no && no->why == FF_REFUSED_ORDER);
    CHECK(!refused_of(&r, "gpu.lost", "pcie.error"));
    bench_close(b);
}

TEST(circle_without_known_order_is_cut_at_the_deeper_cause)
{
    bench *b = open_chain_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    ff_member *o = add_member(b, "a/kern.log", "a", FF_STREAM_KERNEL, -600, 600);
    ff_signal *lost = unanchored(add_signal(b, k, 0)), *aer = unanchored(add_signal(b, o, 1));
    add_finding(b, "gpu.lost", FF_CERTAIN, lost);
    add_finding(b, "pcie.error", FF_LIKELY, aer);
    ff_report r = conclude(b);
    CHECK_INT(r.n_incidents, 1);
    CHECK_TEXT(verdict_cause(&r), "pcie.error");
    const ff_refused *no = refused_of(&r, "gpu.lost", "pcie.error");
    CHECK(no && no->why == FF_REFUSED_CIRCLE);
    bench_close(b);
}

TEST(note_is_never_root_nor_linked)
{
    bench *b = open_chain_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    ff_member *n = add_member(b, "a/nccl.log", "a", FF_STREAM_NCCL, -600, 600);
    ff_signal *aer = add_signal(b, k, -5), *init = add_signal(b, n, 0);
    add_finding(b, "gpu.lost", FF_CERTAIN, aer)->severity = FF_SEV_NOTE;
    add_finding(b, "comm.init", FF_LIKELY, init);
    ff_report r = conclude(b);
    CHECK_INT(r.n_incidents, 1);
    CHECK_TEXT(verdict_cause(&r), "comm.init");
    CHECK(link_of(&r, 0, "gpu.lost") == NULL);
    CHECK_INT(r.n_findings, 2);
    bench_close(b);
}

TEST(teardown_is_not_undone_further_down)
{
    bench *b = open_chain_job();
    leads(&b->causes[cause_named(b, "app.killed")], "gpu.lost", FF_SAME_HOST, 60, FF_ROLE_SYMPTOM);
    ff_member *n = add_member(b, "a/nccl.log", "a", FF_STREAM_NCCL, -600, 600);
    ff_signal *init = add_signal(b, n, 0), *killed = add_signal(b, n, 5), *lost = add_signal(b, n, 6);
    add_finding(b, "comm.init", FF_LIKELY, init);
    add_finding(b, "app.killed", FF_LIKELY, killed);
    add_finding(b, "gpu.lost", FF_LIKELY, lost);
    ff_report r = conclude(b);
    const ff_link *l = link_of(&r, 0, "gpu.lost");
    CHECK(l && l->role == FF_ROLE_TEARDOWN);
    bench_close(b);
}

TEST(proven_explanation_is_shown_before_a_possible_one)
{
    bench *b = open_chain_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    ff_member *o = add_member(b, "a/driver", "a", FF_STREAM_KERNEL, -600, 600);
    ff_member *n = add_member(b, "b/nccl.log", "b", FF_STREAM_NCCL, -600, 600);
    ff_signal *usage = add_signal(b, k, 0), *init = add_signal(b, n, 20), *pin = unanchored(add_signal(b, o, 1));
    add_finding(b, "host.limit", FF_CERTAIN, usage);
    add_finding(b, "comm.init", FF_LIKELY, init);
    add_finding(b, "host.pin", FF_LIKELY, pin);
    ff_report r = conclude(b);
    const ff_link *l = link_of(&r, 0, "comm.init");
    CHECK(l && l->proven);
    if (l)
        CHECK_TEXT(cause_of(&r, l->by), "host.limit");
    bench_close(b);
}

/* Of many links that do not hold the first are told, and all are counted. */
TEST(refused_links_are_bounded)
{
    bench *b = open_chain_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 90000);
    ff_signal *usage = add_signal(b, k, 0), *pins[MANY_LATE];
    for (int64_t i = 0; i < MANY_LATE; i++)
        pins[i] = add_signal(b, k, 700 * (i + 1));
    add_finding(b, "host.limit", FF_LIKELY, usage);
    for (int64_t i = 0; i < MANY_LATE; i++)
        add_finding(b, "host.pin", FF_LIKELY, pins[i]);
    ff_report r = conclude(b);
    const ff_incident *in = NULL;
    for (uint32_t i = 0; i < r.n_incidents; i++)
        if (ff_equal(cause_of(&r, r.incidents[i].root), FF_LIT("host.limit")))
            in = &r.incidents[i];
    CHECK(in && in->n_refused < MANY_LATE);
    CHECK_INT(in ? in->n_refused_all : 0, MANY_LATE);
    CHECK(in && in->n_refused && in->refused[0].right == pins[0]->ref);
    bench_close(b);
}

TEST(many_findings_end)
{
    bench *b = open_chain_job();
    leads(&b->causes[cause_named(b, "gpu.lost")], "*", FF_SAME_JOB, 3600, FF_ROLE_SYMPTOM);
    leads(&b->causes[cause_named(b, "comm.init")], "*", FF_SAME_JOB, 3600, FF_ROLE_SYMPTOM);
    const char *causes[] = { "gpu.lost", "comm.init", "app.killed", "host.limit" };
    const char *hosts[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
    ff_signal *s = NULL;
    for (unsigned i = 0; i < 32; i++) {
        ff_member *m = add_member(b, hosts[i / 4], hosts[i / 4], FF_STREAM_APP, -600, 600);
        s = unanchored(add_signal(b, m, 0));
        add_finding(b, causes[i % 4], FF_LIKELY, s);
    }
    ff_report r = conclude(b);
    CHECK_INT(r.n_incidents, 1);
    CHECK_INT(r.incidents[0].n_chain, 32);
    CHECK_TEXT(verdict_cause(&r), "gpu.lost");
    bench_close(b);
}

int main(void)
{
    RUN(chain_from_limit_over_pinning_to_failed_init);
    RUN(effect_before_its_cause_is_no_effect);
    RUN(line_order_within_one_stamp_does_not_acquit);
    RUN(line_order_within_one_stamp_decides_between_two_ways);
    RUN(report_that_comes_late_is_no_alibi);
    RUN(root_that_hits_the_failing_process_is_nearer);
    RUN(effect_too_late_is_no_effect);
    RUN(other_host_is_no_effect_where_the_host_must_agree);
    RUN(unknown_order_gives_possible);
    RUN(unknown_place_gives_possible);
    RUN(circle_is_cut_at_its_earliest);
    RUN(circle_without_known_order_is_cut_at_the_deeper_cause);
    RUN(note_is_never_root_nor_linked);
    RUN(teardown_is_not_undone_further_down);
    RUN(proven_explanation_is_shown_before_a_possible_one);
    RUN(refused_links_are_bounded);
    RUN(many_findings_end);
    return DONE();
}
