/* What is ruled out and by what, what could overturn the verdict, what to ask for, whom to suspect. */
#include "unit_verdict.h"

static bench *open_job(void)
{
    bench *b = bench_open();
    ff_cause *c = add_cause(b, "host.limit", 20, FF_STREAM_KERNEL);
    leads(c, "app.killed", FF_SAME_HOST, 600, FF_ROLE_SYMPTOM);
    asks(c, FF_STREAM_KERNEL, "journalctl -k --since '{from}' --until '{to}' # on {host}");
    c->ruled_out = FF_LIT("no OOM report");
    c = add_cause(b, "gpu.lost", 10, FF_STREAM_KERNEL);
    leads(c, "app.killed", FF_SAME_HOST, 600, FF_ROLE_SYMPTOM);
    c->ruled_out = FF_LIT("no GPU lost");
    c = add_cause(b, "pcie.slow", 12, FF_STREAM_HOST);
    c->severity = FF_SEV_WARNING;
    add_cause(b, "gpu.reset", 15, FF_STREAM_GPU);
    add_cause(b, "comm.race", 60, 0);
    c = add_cause(b, "app.killed", 52, FF_STREAM_APP);
    asks(c, FF_STREAM_KERNEL, "journalctl -k --since '{from}' --until '{to}' # on {host}");
    asks(c, FF_STREAM_RECORDER, "collect the dumps of every rank");
    asks(c, FF_STREAM_APP, "collect the output of {pod}");
    add_special(b);
    return b;
}

static ff_signal *add_kill(bench *b)
{
    ff_member *n = add_member(b, "out.log", "a", FF_STREAM_APP, -600, 600);
    ff_signal *s = add_signal(b, n, 0);
    s->who.pod = FF_LIT("ml/t-0");
    add_finding(b, "app.killed", FF_LIKELY, s);
    return s;
}

TEST(kernel_log_over_the_moment_rules_out)
{
    bench *b = open_job();
    add_kill(b);
    add_member(b, "dmesg-T.txt", "a.cluster.local", FF_STREAM_KERNEL, -660, 660);
    ff_report r = conclude(b);
    const ff_incident *in = &r.incidents[0];
    const ff_ruling *out = ruling_on(&r, in->ruled_out, in->n_ruled_out, "host.limit");
    CHECK(out != NULL);
    CHECK(out == ruling_on(&r, in->ruled_out, in->n_ruled_out, "gpu.lost")); /* same sources, one ruling */
    if (out) {
        CHECK_INT(out->n_by, 1);
        CHECK_TEXT(out->by[0], "dmesg-T.txt 2026-03-11T06:30:32Z to 2026-03-11T06:52:32Z");
        CHECK_TEXT(out->text, "no GPU lost, no OOM report: dmesg-T.txt 2026-03-11T06:30:32Z to 2026-03-11T06:52:32Z");
    }
    CHECK(ruling_on(&r, in->not_ruled_out, in->n_not_ruled_out, "gpu.reset") == NULL);  /* it does not lead here */
    CHECK(ruling_on(&r, in->not_ruled_out, in->n_not_ruled_out, "app.killed") == NULL); /* it is the root */
    CHECK(ruling_on(&r, in->not_ruled_out, in->n_not_ruled_out, "pcie.slow") == NULL);  /* a warning */
    CHECK(ruling_on(&r, in->not_ruled_out, in->n_not_ruled_out, "comm.race") == NULL);  /* no source would show it */
    CHECK_INT(r.verdict.n_ceiling, 1); /* what the root itself asks for */
    CHECK(list_mentions(r.verdict.ceiling, r.verdict.n_ceiling, "Flight Recorder dumps"));
    bench_close(b);
}

static void expect_open(bench *b, const char *missing)
{
    ff_report r = conclude(b);
    const ff_incident *in = &r.incidents[0];
    const ff_ruling *open = ruling_on(&r, in->not_ruled_out, in->n_not_ruled_out, "host.limit");
    CHECK_TEXT(verdict_cause(&r), "app.killed");
    CHECK(ruling_on(&r, in->ruled_out, in->n_ruled_out, "host.limit") == NULL);
    CHECK(open && list_mentions(open->by, open->n_by, missing));
    CHECK(list_mentions(r.verdict.ceiling, r.verdict.n_ceiling, missing));
    CHECK(in->n_asks > 0 && ff_contains(in->asks[0].command, FF_LIT("journalctl -k")));
    bench_close(b);
}

TEST(absent_kernel_log_is_the_ceiling)
{
    bench *b = open_job();
    add_kill(b);
    expect_open(b, "kernel log of a");
}

static ff_bytes command_with(const char *line, ff_bytes cgroup, const char *command)
{
    bench *b = open_job();
    ff_member *n = add_member(b, line, "a", FF_STREAM_APP, -600, 600);
    ff_signal *s = add_signal(b, n, 0);
    s->who.pid = 812;
    s->who.cgroup = cgroup;
    add_finding(b, "app.killed", FF_LIKELY, s);
    asks(&b->causes[cause_named(b, "app.killed")], FF_STREAM_NET, command);
    ff_report r = conclude(b);
    static char text[256];
    ff_bytes found = { text, 0 };
    for (uint32_t i = 0; i < r.incidents[0].n_asks; i++)
        if (ff_contains(r.incidents[0].asks[i].command, FF_LIT("of")))
            for (found.n = 0; found.n < r.incidents[0].asks[i].command.n && found.n < sizeof text; found.n++)
                text[found.n] = r.incidents[0].asks[i].command.p[found.n];
    bench_close(b);
    return found;
}

TEST(commands_name_what_the_bundle_knows)
{
    ff_bytes none = { 0 };
    CHECK_TEXT(command_with("out.log", none, "limits of {pid} in {cgroup}"), "limits of 812 in <cgroup>");
    CHECK_TEXT(command_with("out.log", FF_LIT("/a.slice"), "pids of {cgroup}"), "pids of /a.slice");
    CHECK_TEXT(command_with("x/slurm-51.out", none, "sacct -j {job} of {peer}"), "sacct -j 51 of <peer>");
}

TEST(commands_hold_nothing_that_a_shell_reads)
{
    CHECK_TEXT(command_with("out.log", FF_LIT("/a;reboot"), "pids of {cgroup}"), "pids of <cgroup>");
    CHECK_TEXT(command_with("out.log", FF_LIT("/$(reboot)"), "pids of {cgroup}"), "pids of <cgroup>");
}

TEST(kernel_log_of_another_host_rules_nothing_out)
{
    bench *b = open_job();
    add_kill(b);
    add_member(b, "b/dmesg", "b", FF_STREAM_KERNEL, -600, 600);
    expect_open(b, "kernel log of a");
}

TEST(kernel_log_that_ends_before_rules_nothing_out)
{
    bench *b = open_job();
    add_kill(b);
    add_member(b, "dmesg", "a", FF_STREAM_KERNEL, -600, -1);
    expect_open(b, "kernel log of a (not shown to cover the moment: dmesg 2026");
}

TEST(cut_or_empty_kernel_log_rules_nothing_out)
{
    bench *b = open_job();
    add_kill(b);
    add_member(b, "dmesg", "a", FF_STREAM_KERNEL, -600, 600)->truncated = true;
    expect_open(b, "cut or unreadable: dmesg");
    b = open_job();
    add_kill(b);
    add_member(b, "dmesg", "a", FF_STREAM_KERNEL, -600, 600)->bytes = 0;
    expect_open(b, "kernel log of a");
}

TEST(unanchored_kernel_log_rules_nothing_out_on_another_clock)
{
    bench *b = open_job();
    add_kill(b);
    ff_member *k = add_member(b, "dmesg", "a", FF_STREAM_KERNEL, 0, 0);
    k->has_utc = false;
    k->clock = 7;
    k->first_said = (ff_stamp){ .kind = FF_STAMP_SINCE_BOOT, .ns = 1 };
    k->last_said = (ff_stamp){ .kind = FF_STAMP_SINCE_BOOT, .ns = INT64_MAX };
    expect_open(b, "kernel log of a");
}

TEST(unanchored_kernel_log_rules_out_on_the_same_clock)
{
    bench *b = open_job();
    ff_signal *s = unanchored(add_kill(b));
    ff_member *k = add_member(b, "dmesg", "a", FF_STREAM_KERNEL, 0, 0);
    k->has_utc = false;
    k->clock = s->clock;
    k->first_said = (ff_stamp){ .kind = FF_STAMP_SINCE_BOOT, .ns = s->said.ns - S };
    k->last_said = (ff_stamp){ .kind = FF_STAMP_SINCE_BOOT, .ns = s->said.ns + S };
    ff_report r = conclude(b);
    CHECK(ruling_on(&r, r.incidents[0].ruled_out, r.incidents[0].n_ruled_out, "host.limit") != NULL);
    bench_close(b);
}

TEST(command_output_rules_out_what_it_shows)
{
    bench *b = open_job();
    add_kill(b);
    ff_member *g = add_member(b, "nvidia-smi-q.txt", "a", FF_STREAM_GPU, 0, 0);
    without_time(g);
    g->collected = true;
    ff_report r = conclude(b);
    const ff_ruling *out = ruling_on(&r, r.incidents[0].ruled_out, r.incidents[0].n_ruled_out, "gpu.reset");
    CHECK(out != NULL);
    if (out)
        CHECK_TEXT(out->by[0], "nvidia-smi-q.txt as collected");
    bench_close(b);
}

TEST(line_about_a_gpu_in_a_log_is_no_state_of_the_gpus)
{
    bench *b = open_job();
    add_kill(b);
    add_member(b, "containerd.log", "a", FF_STREAM_RUNTIME | FF_STREAM_GPU, -600, 600);
    ff_report r = conclude(b);
    CHECK(ruling_on(&r, r.incidents[0].ruled_out, r.incidents[0].n_ruled_out, "gpu.reset") == NULL);
    bench_close(b);
}

TEST(log_without_times_rules_nothing_out)
{
    bench *b = open_job();
    add_kill(b);
    without_time(add_member(b, "dmesg", "a", FF_STREAM_KERNEL, 0, 0));
    expect_open(b, "kernel log of a");
}

TEST(cause_with_a_finding_is_neither_ruled_out_nor_open)
{
    bench *b = open_job();
    ff_signal *s = add_kill(b);
    add_finding(b, "gpu.lost", FF_POSSIBLE, s)->severity = FF_SEV_NOTE;
    add_member(b, "dmesg", "a", FF_STREAM_KERNEL, -660, 660);
    ff_report r = conclude(b);
    CHECK(ruling_on(&r, r.incidents[0].ruled_out, r.incidents[0].n_ruled_out, "gpu.lost") == NULL);
    CHECK(ruling_on(&r, r.incidents[0].not_ruled_out, r.incidents[0].n_not_ruled_out, "gpu.lost") == NULL);
    bench_close(b);
}

TEST(effect_of_what_was_found_is_no_rival)
{
    bench *b = open_job();
    ff_member *k = add_member(b, "dmesg", "a", FF_STREAM_KERNEL, -660, 660);
    add_member(b, "out.log", "a", FF_STREAM_APP, -660, 660);
    add_finding(b, "host.limit", FF_CERTAIN, add_signal(b, k, 0));
    ff_report r = conclude(b);
    CHECK(ruling_on(&r, r.incidents[0].ruled_out, r.incidents[0].n_ruled_out, "app.killed") == NULL);
    CHECK(ruling_on(&r, r.incidents[0].ruled_out, r.incidents[0].n_ruled_out, "gpu.lost") != NULL);
    bench_close(b);
}

TEST(requests_are_filled_in_and_the_most_decisive_stands_first)
{
    bench *b = open_job();
    add_kill(b);
    ff_report r = conclude(b);
    const ff_incident *in = &r.incidents[0];
    CHECK_INT(in->n_asks, 2); /* the kernel log once though two causes ask for it; the job's output is here */
    CHECK_TEXT(in->asks[0].command,
               "journalctl -k --since '2026-03-11 06:26:32 UTC' --until '2026-03-11 06:56:32 UTC' # on a");
    CHECK_TEXT(in->asks[0].host, "a");
    CHECK(in->asks[0].has_span);
    CHECK_INT(in->asks[0].from_utc, T0 - 900 * S);
    CHECK_INT(in->asks[0].to_utc, T0 + 900 * S);
    CHECK_TEXT(in->asks[1].command, "collect the dumps of every rank");
    CHECK_INT(in->asks[1].host.n, 0); /* not bound to a host */
    bench_close(b);
}

TEST(requests_name_local_times_where_utc_is_not_known)
{
    bench *b = open_job();
    ff_signal *s = add_kill(b);
    s->said.kind = FF_STAMP_LOCAL;
    s->frame = 100;
    s->has_utc = false;
    ff_report r = conclude(b);
    const ff_incident *in = &r.incidents[0];
    CHECK(!in->has_time && !in->asks[0].has_span);
    CHECK_TEXT(in->asks[0].command,
               "journalctl -k --since '2026-03-11 06:26:32' --until '2026-03-11 06:56:32' # on a; times as the logs "
               "say them, their zone is not known");
    bench_close(b);
}

TEST(a_jobs_own_output_covers_what_comes_after_its_last_line)
{
    bench *b = open_job();
    ff_cause *c = add_cause(b, "gpu.oom", 45, FF_STREAM_NCCL);
    leads(c, "app.killed", FF_SAME_HOST, 600, FF_ROLE_SYMPTOM);
    add_kill(b);
    add_member(b, "nccl.log", "a", FF_STREAM_NCCL, -600, -120); /* it hung for two minutes, then it was killed */
    ff_report r = conclude(b);
    const ff_incident *in = &r.incidents[0];
    CHECK(ruling_on(&r, in->ruled_out, in->n_ruled_out, "gpu.oom") != NULL);
    bench_close(b);
}

TEST(output_of_long_before_does_not_cover)
{
    bench *b = open_job();
    ff_cause *c = add_cause(b, "gpu.oom", 45, FF_STREAM_NCCL);
    leads(c, "app.killed", FF_SAME_HOST, 600, FF_ROLE_SYMPTOM);
    add_kill(b);
    add_member(b, "nccl.log", "a", FF_STREAM_NCCL, -9000, -4000);
    ff_report r = conclude(b);
    const ff_incident *in = &r.incidents[0];
    CHECK(ruling_on(&r, in->not_ruled_out, in->n_not_ruled_out, "gpu.oom") != NULL);
    bench_close(b);
}

TEST(a_pods_job_is_not_asked_for_slurms_log)
{
    bench *b = open_job();
    ff_cause *c = add_cause(b, "slurm.limit", 40, FF_STREAM_SLURM);
    leads(c, "app.killed", FF_SAME_HOST, 600, FF_ROLE_SYMPTOM);
    add_kill(b); /* names a pod */
    ff_report r = conclude(b);
    const ff_incident *in = &r.incidents[0];
    CHECK(ruling_on(&r, in->not_ruled_out, in->n_not_ruled_out, "slurm.limit") == NULL);
    CHECK(!list_mentions(r.verdict.ceiling, r.verdict.n_ceiling, "Slurm"));
    bench_close(b);
}

TEST(rank_without_a_file_beside_those_of_others_is_the_ceiling)
{
    bench *b = open_job();
    add_kill(b);
    for (int32_t rank = 0; rank < 4; rank++)
        if (rank != 2)
            add_member(b, "rank.log", "a", FF_STREAM_APP, -600, 600)->who.rank = rank;
    ff_report r = conclude(b);
    CHECK(list_mentions(r.verdict.ceiling, r.verdict.n_ceiling, "job output of rank 2"));
    CHECK(!list_mentions(r.verdict.ceiling, r.verdict.n_ceiling, "rank 1"));
    bench_close(b);
}

TEST(cause_that_presumes_a_silent_source_is_only_possible_without_it)
{
    bench *b = open_job();
    b->causes[cause_named(b, "app.killed")].presumes = FF_STREAM_KERNEL;
    add_kill(b);
    ff_report r = conclude(b);
    CHECK_INT(r.verdict.confidence, FF_POSSIBLE);
    CHECK(ff_contains(r.verdict.confidence_why, FF_LIT("kernel log of a, which is missing")));
    add_member(b, "dmesg-T.txt", "a", FF_STREAM_KERNEL, -660, 660);
    r = conclude(b);
    CHECK_INT(r.verdict.confidence, FF_LIKELY);
    bench_close(b);
}

TEST(suspects_are_those_that_the_root_is_about)
{
    bench *b = open_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    ff_member *n = add_member(b, "b/out.log", "b", FF_STREAM_APP, -600, 600);
    ff_signal *oom = add_signal(b, k, 0), *killed = add_signal(b, n, 20);
    oom->who.pid = 41234;
    oom->who.process = FF_LIT("python3");
    oom->who.rank = 4;
    oom->who.pod = FF_LIT("ml/t-4");
    killed->who.rank = 9;
    add_finding(b, "host.limit", FF_CERTAIN, oom);
    add_finding(b, "app.killed", FF_CERTAIN, killed);
    ff_report r = conclude(b);
    uint32_t own = 0; /* of two that do not explain each other, the one on a */
    while (own + 1 < r.n_incidents && r.incidents[own].began_signal != oom->ref)
        own++;
    const ff_suspects *s = &r.incidents[own].suspects;
    CHECK_INT(s->n_hosts, 1);
    CHECK_TEXT(s->hosts[0], "a");
    CHECK_INT(s->n_ranks, 1);
    CHECK_INT(s->ranks[0], 4);
    CHECK_TEXT(s->processes[0], "python3[41234]");
    CHECK_TEXT(s->pods[0], "ml/t-4");
    CHECK_INT(s->n_gpus, 0);
    bench_close(b);
}

TEST(complaining_ranks_are_no_suspects)
{
    bench *b = open_job();
    ff_member *n = add_member(b, "b/out.log", "b", FF_STREAM_APP, -600, 600);
    ff_signal *wait = add_signal(b, n, 0);
    wait->who.rank = 1;
    ff_finding *f = add_finding(b, "comm.race", FF_LIKELY, wait);
    f->who.host = (ff_bytes){ 0 };
    f->scope = FF_SCOPE_JOB;
    f->ranks = FF_NEW_N(&b->arena, int32_t, 1);
    f->ranks[f->n_ranks++] = 5;
    ff_join joins[] = {
        { .left_kind = FF_LIT("rank"), .left = FF_LIT("1"), .right_kind = FF_LIT("host"), .right = FF_LIT("b") },
        { .left_kind = FF_LIT("rank"), .left = FF_LIT("5"), .right_kind = FF_LIT("host"), .right = FF_LIT("c") }
    };
    ff_report r = ff_conclude(&b->e, &b->clocks, &b->rules, b->judged, (ff_identity){ joins, 2 }, &b->arena);
    const ff_suspects *s = &r.incidents[0].suspects;
    CHECK_INT(s->n_ranks, 1);
    CHECK_INT(s->ranks[0], 5);
    CHECK_INT(s->n_hosts, 1);
    if (s->n_hosts)
        CHECK_TEXT(s->hosts[0], "c");
    bench_close(b);
}

TEST(pci_address_on_a_kernel_line_accuses_the_gpu)
{
    bench *b = open_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    ff_signal *xid = add_signal(b, k, 0);
    xid->who.gpu = FF_LIT("0000:3b:00");
    add_field(b, xid, "bdf", FF_FIELD_PCI, "0000:3b:00", 0);
    add_finding(b, "gpu.lost", FF_CERTAIN, xid);
    ff_report r = conclude(b);
    CHECK_INT(r.incidents[0].suspects.n_gpus, 1);
    if (r.incidents[0].suspects.n_gpus)
        CHECK_TEXT(r.incidents[0].suspects.gpus[0], "0000:3b:00");
    bench_close(b);
}

TEST(gpu_on_which_a_killed_process_ran_is_no_suspect)
{
    bench *b = open_job();
    ff_member *k = add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    ff_signal *oom = add_signal(b, k, 0);
    oom->who.gpu = FF_LIT("0000:3b:00"); /* known by its pid */
    add_finding(b, "host.limit", FF_CERTAIN, oom)->who.gpu = FF_LIT("0000:3b:00");
    ff_report r = conclude(b);
    CHECK_INT(r.incidents[0].suspects.n_gpus, 0);
    bench_close(b);
}

TEST(only_host_of_the_bundle_is_suspected_where_the_root_names_none)
{
    bench *b = open_job();
    add_member(b, "a/dmesg", "a", FF_STREAM_KERNEL, -600, 600);
    add_finding(b, "app.killed", FF_LIKELY, add_signal(b, add_member(b, "out", "", FF_STREAM_APP, -9, 9), 0));
    ff_report r = conclude(b);
    CHECK_INT(r.incidents[0].suspects.n_hosts, 1);
    add_member(b, "b/dmesg", "b", FF_STREAM_KERNEL, -600, 600);
    r = conclude(b);
    CHECK_INT(r.incidents[0].suspects.n_hosts, 0);
    bench_close(b);
}

TEST(root_line_without_time_is_covered_by_the_time_of_its_followers)
{
    bench *b = open_job();
    leads(&b->causes[cause_named(b, "app.killed")], "comm.race", FF_SAME_JOB, 60, FF_ROLE_VICTIM);
    ff_signal *s = add_kill(b), *after = add_signal(b, add_member(b, "b/nccl", "b", FF_STREAM_NCCL, -600, 600), 9);
    s->has_utc = false;
    s->clock = FF_NONE;
    s->said.kind = FF_STAMP_NONE;
    without_time(&b->members[0]);
    add_finding(b, "comm.race", FF_LIKELY, after);
    add_member(b, "dmesg", "a", FF_STREAM_KERNEL, -660, 660);
    ff_report r = conclude(b);
    CHECK_TEXT(verdict_cause(&r), "app.killed");
    CHECK(ruling_on(&r, r.incidents[0].ruled_out, r.incidents[0].n_ruled_out, "host.limit") != NULL);
    bench_close(b);
}

int main(void)
{
    RUN(kernel_log_over_the_moment_rules_out);
    RUN(absent_kernel_log_is_the_ceiling);
    RUN(kernel_log_of_another_host_rules_nothing_out);
    RUN(kernel_log_that_ends_before_rules_nothing_out);
    RUN(cut_or_empty_kernel_log_rules_nothing_out);
    RUN(unanchored_kernel_log_rules_nothing_out_on_another_clock);
    RUN(unanchored_kernel_log_rules_out_on_the_same_clock);
    RUN(command_output_rules_out_what_it_shows);
    RUN(line_about_a_gpu_in_a_log_is_no_state_of_the_gpus);
    RUN(log_without_times_rules_nothing_out);
    RUN(cause_with_a_finding_is_neither_ruled_out_nor_open);
    RUN(effect_of_what_was_found_is_no_rival);
    RUN(requests_are_filled_in_and_the_most_decisive_stands_first);
    RUN(commands_name_what_the_bundle_knows);
    RUN(commands_hold_nothing_that_a_shell_reads);
    RUN(requests_name_local_times_where_utc_is_not_known);
    RUN(a_jobs_own_output_covers_what_comes_after_its_last_line);
    RUN(output_of_long_before_does_not_cover);
    RUN(a_pods_job_is_not_asked_for_slurms_log);
    RUN(rank_without_a_file_beside_those_of_others_is_the_ceiling);
    RUN(cause_that_presumes_a_silent_source_is_only_possible_without_it);
    RUN(suspects_are_those_that_the_root_is_about);
    RUN(complaining_ranks_are_no_suspects);
    RUN(pci_address_on_a_kernel_line_accuses_the_gpu);
    RUN(gpu_on_which_a_killed_process_ran_is_no_suspect);
    RUN(only_host_of_the_bundle_is_suspected_where_the_root_names_none);
    RUN(root_line_without_time_is_covered_by_the_time_of_its_followers);
    return DONE();
}
