/* A finished report made by hand: a container hit its 640 GiB limit, so pages could not be pinned, so NCCL failed.
 * Names and quotes hold what hostile logs hold: quotes, escapes, bidi marks, bytes that are no UTF-8. */
#ifndef FF_REPORT_FIXTURE_H
#define FF_REPORT_FIXTURE_H

#include "check.h"
#include "../analyzer/report/report.h"
#include "../parsers/recorder.h"

#define T0 INT64_C(1773211292000000000) /* 2026-03-11T06:41:32Z */
#define SECOND INT64_C(1000000000)
#define B(literal)                                                                                                   \
    {                                                                                                                \
        (literal), sizeof(literal) - 1                                                                               \
    }

static ff_bytes fixture_act[] = { B("Measure each rank's RSS before raising the limit.") };
static ff_bytes fixture_avoid[] = { B("Do not raise the limit first.") };
static ff_cause fixture_causes[] = {
    { .id = B("host.memcg_oom"),
      .fault_class = B("lost"),
      .title = B("container memory limit reached"),
      .severity = FF_SEV_CRITICAL,
      .settled_by = FF_STREAM_KERNEL,
      .act = fixture_act,
      .n_act = 1,
      .avoid = fixture_avoid,
      .n_avoid = 1,
      .recovery = B("process group") },
    { .id = B("host.pin_failed"),
      .fault_class = B("init"),
      .title = B("driver could not pin pages"),
      .severity = FF_SEV_ERROR },
    { .id = B("comm.init_failed"),
      .fault_class = B("init"),
      .title = B("communicator init failed"),
      .severity = FF_SEV_ERROR },
    { .id = B("net.ib_link_down"), .title = B("InfiniBand link down") },
    { .id = B("healthy"), .title = B("nothing wrong found") },
};
static ff_pack fixture_packs[] = { { .name = B("builtin"), .version = B("0.1.0"), .n_signatures = 3 } };
static ff_rule_problem fixture_problems[] = {
    { .file = B("/home/somebody/rules/x.lua"), .rule = B("x.y"), .text = B("unknown key"), .line = 7 }
};
static ff_rulebook fixture_rules = { .causes = fixture_causes,
                                     .n_causes = 5,
                                     .packs = fixture_packs,
                                     .n_packs = 1,
                                     .problems = fixture_problems,
                                     .n_problems = 1 };

static ff_bytes fixture_notes[] = { B("the archive ends early") };
static ff_input fixture_inputs[] = {
    { .name = B("bundle"), .bytes = 12345, .members = 3, .truncated = true, .notes = fixture_notes, .n_notes = 1 }
};
static ff_member fixture_members[] = {
    { .name = B("n07/dmesg"),
      .id = 0,
      .bytes = 9000,
      .lines = 100,
      .parser = "kmsg",
      .streams = FF_STREAM_KERNEL,
      .who = { .host = B("bw-a17"), .pid = -1, .rank = -1, .local_rank = -1, .gpu_index = -1 },
      .host_why = B("folder"),
      .skips = { { "no frame", 2, 5 } },
      .n_skips = 1,
      .events = 98,
      .signals = 3,
      .first_said = { FF_STAMP_SINCE_BOOT, 701635013000, 1000 },
      .has_utc = true,
      .first_utc = T0,
      .last_utc = T0 + 60 * SECOND,
      .utc_err = SECOND,
      .gap_ns = 40 * SECOND },
    { .name = B("n07/rank4 \"a\".log"),
      .id = 1,
      .bytes = 3000,
      .lines = 40,
      .parser = "plain",
      .streams = FF_STREAM_NCCL | FF_STREAM_APP,
      .truncated = true,
      .who = { .pid = -1, .rank = 4, .local_rank = -1, .gpu_index = -1 },
      .clock = FF_NONE },
    { .name = B("core.4121"),
      .id = 2,
      .bytes = 345,
      .unread = "binary",
      .clock = FF_NONE,
      .who = { .pid = -1, .rank = -1, .local_rank = -1, .gpu_index = -1 } },
};

static ff_field fixture_fields[] = {
    { .name = B("usage_kib"), .type = FF_FIELD_INT, .i = 671088640, .s = B("671088640") },
    { .name = B("limit_kib"), .type = FF_FIELD_INT, .i = INT64_C(9223372036854775807) },
    { .name = B("pages"), .type = FF_FIELD_HEX, .i = 0x100000, .s = B("100000") },
    { .name = B("rank"), .type = FF_FIELD_RANK, .i = 4, .s = B("4") },
    { .name = B("usage_kib"), .type = FF_FIELD_TEXT, .s = B("twice") },
};

#define WHO_HOST                                                                                                     \
    {                                                                                                                \
        .host = B("bw-a17"), .pid = 4121, .rank = 4, .local_rank = -1, .gpu_index = -1                               \
    }
static ff_field fixture_missing_rank[] = {
    { .name = B("group"), .type = FF_FIELD_TEXT, .s = B("0") },
    { .name = B("rank"), .type = FF_FIELD_RANK, .i = 5, .s = B("5") },
    { .name = B("head"), .type = FF_FIELD_INT, .i = 1, .s = B("1") },
};

static ff_signal fixture_signals[] = {
    { .ref = 0,
      .kind = FF_FACTS,
      .stream = FF_STREAM_KERNEL,
      .at = { 0, 76, 64, 5000 },
      .quote = B("memory: usage 671088640kB, limit 671088640kB, failcnt 91827"),
      .said = { FF_STAMP_SINCE_BOOT, 701635013000, 1000 },
      .who = WHO_HOST,
      .count = 1,
      .clock = 0,
      .has_utc = true,
      .utc = T0,
      .utc_err = SECOND },
    { .ref = 1,
      .kind = FF_FACTS,
      .stream = FF_STREAM_KERNEL,
      .at = { 0, 90, 80, 6000 },
      .quote = B("Cannot map \x1b[31mmemory\xff with \xe2\x80\xae base"),
      .said = { FF_STAMP_SINCE_BOOT, 704835013000, 1000 },
      .who = WHO_HOST,
      .count = 12,
      .clock = 0,
      .has_utc = true,
      .utc = T0 + 3200000000,
      .utc_err = SECOND,
      .last_utc = T0 + 9 * SECOND },
    { .ref = 2,
      .kind = FF_FACTS,
      .stream = FF_STREAM_NCCL,
      .at = { 1, 12, 40, 700 },
      .quote = B("init.cc:1420 NCCL WARN \"commInit\" failed"),
      .said = { FF_STAMP_LOCAL, T0, SECOND },
      .who = WHO_HOST,
      .count = 1,
      .clock = FF_NONE },
    { .ref = 3,
      .kind = FF_FACT_FR_MISSING,
      .stream = FF_STREAM_RECORDER,
      .at = { 1, 1, 0, 0 },
      .quote = B("fr"),
      .who = WHO_HOST,
      .count = 1,
      .clock = FF_NONE,
      .fields = fixture_missing_rank,
      .n_fields = 3 },
};

static int32_t fixture_ranks[] = { 0, 1, 2, 3, 8 };
static ff_fr_group fixture_group4 = { .name = B("0"),
                                      .desc = B("default_pg"),
                                      .ranks = fixture_ranks,
                                      .n_ranks = 5,
                                      .last_enqueued = 12,
                                      .last_started = 12,
                                      .last_completed = 11 };
static ff_fr_group fixture_group5 = {
    .name = B("0"), .desc = B("default_pg"), .last_enqueued = 11, .last_started = -1, .last_completed = 11
};
static ff_dump fixture_dump4 = { .member = 1, .rank = 4, .groups = &fixture_group4, .n_groups = 1 };
static ff_dump fixture_dump5 = { .member = 2, .rank = 5, .groups = &fixture_group5, .n_groups = 1 };
static ff_dump *fixture_dump_list[] = { &fixture_dump5, &fixture_dump4 };
static ff_dump_table fixture_dumps = { .at = fixture_dump_list, .n = 2 };

static ff_limit fixture_limits[] = { { .cap = "line length", .where = B("n07/dmesg"), .count = 3 } };
static ff_evidence fixture_evidence = { .inputs = fixture_inputs,
                                        .n_inputs = 1,
                                        .members = fixture_members,
                                        .n_members = 3,
                                        .signals = fixture_signals,
                                        .n_signals = 4,
                                        .limits = fixture_limits,
                                        .n_limits = 1,
                                        .dumps = &fixture_dumps };
static ff_clock fixture_clock_list[] = {
    { .kind = FF_STAMP_SINCE_BOOT,
      .host = B("bw-a17"),
      .member = FF_NONE,
      .anchored = true,
      .offset_ns = T0,
      .err_ns = SECOND,
      .n_anchors = 312,
      .why = B("312 lines carry both times") },
    { .kind = FF_STAMP_LOCAL, .member = 1, .why = B("no zone named") },
};
static ff_clocks fixture_clocks = { .at = fixture_clock_list, .n = 2 };

static uint32_t fixture_evidence0[] = { 0 }, fixture_evidence1[] = { 1 }, fixture_evidence2[] = { 2 };
static uint32_t fixture_symptoms0[] = { 1, 2 };
static ff_finding fixture_findings[] = {
    { .id = 0,
      .rule = B("host.memcg_oom.starves_pinning"),
      .cause = 0,
      .severity = FF_SEV_CRITICAL,
      .confidence = FF_LIKELY,
      .confidence_why = B("usage equals limit"),
      .scope = FF_SCOPE_HOST,
      .who = WHO_HOST,
      .ranks = fixture_ranks,
      .n_ranks = 1,
      .evidence = fixture_evidence0,
      .n_evidence = 1,
      .symptoms = fixture_symptoms0,
      .n_symptoms = 2,
      .summary = B("640 GiB of 640 GiB"),
      .facts = fixture_fields,
      .n_facts = 5,
      .count = 1 },
    { .id = 1,
      .rule = B("kernel.pin_failed"),
      .cause = 1,
      .severity = FF_SEV_ERROR,
      .confidence = FF_LIKELY,
      .scope = FF_SCOPE_HOST,
      .who = WHO_HOST,
      .evidence = fixture_evidence1,
      .n_evidence = 1,
      .count = 12 },
    { .id = 2,
      .rule = B("nccl.init_failed"),
      .cause = 2,
      .severity = FF_SEV_NOTE,
      .confidence = FF_POSSIBLE,
      .scope = FF_SCOPE_RANK,
      .who = WHO_HOST,
      .evidence = fixture_evidence2,
      .n_evidence = 1,
      .count = 1 },
};
static ff_link fixture_chain[] = {
    { .finding = 0, .role = FF_ROLE_ROOT, .because = B("nobody explains it"), .proven = true, .by = FF_NONE },
    { .finding = 1, .role = FF_ROLE_SYMPTOM, .because = B("same host, 3.2 s later"), .proven = true, .by = 0 },
    { .finding = 2, .role = FF_ROLE_VICTIM, .because = B("same job"), .proven = false, .by = 1 },
};
static ff_bytes fixture_hosts[] = { B("bw-a17") }, fixture_pods[] = { B("ml/trainer-0") };
static ff_bytes fixture_by[] = { B("n07/dmesg 06:41..06:42") }, fixture_missing[] = { B("ibstat") };
static uint32_t fixture_net[] = { 3 };
static ff_ruling fixture_ruled[] = {
    { .causes = fixture_net, .n_causes = 1, .by = fixture_by, .n_by = 1, .text = B("no link event") }
};
static ff_ruling fixture_open[] = {
    { .causes = fixture_net, .n_causes = 1, .by = fixture_missing, .n_by = 1, .text = B("the fabric was not seen") }
};
static ff_ask fixture_asks[] = { { .host = B("bw-a17"),
                                   .command = B("cat /sys/fs/cgroup/memory.events"),
                                   .why = B("counts the kills"),
                                   .has_span = true,
                                   .from_utc = T0,
                                   .to_utc = T0 + 60 * SECOND } };
static ff_incident fixture_incidents[] = {
    { .id = 0,
      .root = 0,
      .chain = fixture_chain,
      .n_chain = 3,
      .confidence = FF_LIKELY,
      .confidence_why = B("one rule"),
      .has_time = true,
      .began_utc = T0,
      .ended_utc = T0 + 200 * SECOND,
      .err_ns = SECOND,
      .began_signal = 0,
      .suspects = { .hosts = fixture_hosts,
                    .n_hosts = 1,
                    .ranks = fixture_ranks,
                    .n_ranks = 5,
                    .pods = fixture_pods,
                    .n_pods = 1 },
      .ruled_out = fixture_ruled,
      .n_ruled_out = 1,
      .not_ruled_out = fixture_open,
      .n_not_ruled_out = 1,
      .asks = fixture_asks,
      .n_asks = 1 },
};
static ff_join fixture_joins[] = { { .left_kind = B("rank"),
                                     .left = B("4"),
                                     .right_kind = B("pid"),
                                     .right = B("bw-a17/4121"),
                                     .signal = 2,
                                     .rests_on = B("NCCL log"),
                                     .confidence = FF_CERTAIN } };
static ff_contradiction fixture_contradictions[] = { { .text = B("two ends"), .left = 0, .right = 2 } };
static ff_moment fixture_moments[] = { { .signal = 0, .finding = 0, .text = B("limit reached") },
                                       { .signal = 2, .finding = FF_NONE, .text = B("init failed") } };
static ff_setting fixture_versions[] = {
    { .name = B("nccl"), .value = B("2.28.9"), .host = B("bw-a17"), .rank = 4, .signal = 2, .differs = true }
};
static ff_setting fixture_variables[] = {
    { .name = B("NCCL_DEBUG"), .value = B("INFO"), .rank = -1, .signal = FF_NONE }
};
static struct ff_not_judged fixture_not_judged[] = {
    { .rule = B("net.ib"), .group = B("bw-a17"), .missing = FF_STREAM_NET }
};
static ff_bytes fixture_ceiling[] = { B("no ibstat of any host") };

static ff_report fixture_report(void)
{
    return (ff_report){ .evidence = &fixture_evidence,
                        .clocks = &fixture_clocks,
                        .rules = &fixture_rules,
                        .findings = fixture_findings,
                        .n_findings = 3,
                        .incidents = fixture_incidents,
                        .n_incidents = 1,
                        .identity = { fixture_joins, 1 },
                        .contradictions = fixture_contradictions,
                        .n_contradictions = 1,
                        .timeline = fixture_moments,
                        .n_timeline = 2,
                        .versions = fixture_versions,
                        .n_versions = 1,
                        .variables = fixture_variables,
                        .n_variables = 1,
                        .not_judged = fixture_not_judged,
                        .n_not_judged = 1,
                        .verdict = { .cause = 0,
                                     .confidence = FF_LIKELY,
                                     .confidence_why = B("usage equals limit"),
                                     .summary = B("The container used 640 GiB of its 640 GiB."),
                                     .fault_class = B("lost"),
                                     .incident = 0,
                                     .ceiling = fixture_ceiling,
                                     .n_ceiling = 1 } };
}

#endif
