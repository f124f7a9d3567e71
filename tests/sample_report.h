/* A finished report made by hand, for the tests of writers: a container at its memory limit starves pinning, so eight
 * ranks fail to initialise. Every kind of hostile text stands somewhere in it. */
#ifndef FF_SAMPLE_REPORT_H
#define FF_SAMPLE_REPORT_H

#include "../analyzer/report/report.h"

#define SAMPLE_T0 (INT64_C(1773211292) * 1000000000) /* 2026-03-11 06:41:32 UTC */
#define SAMPLE_S INT64_C(1000000000)
#define SAMPLE_RANKS 8u
#define SAMPLE_SCRIPT "<script>alert('x')</script>"
#define SAMPLE_FORMULA "=HYPERLINK(\"http://evil.example/\",\"click\")"
#define SAMPLE_ANSI "\x1b[31mred\x1b[0m"
#define SAMPLE_BIDI                                                                                                  \
    "user\xE2\x80\xAE"                                                                                               \
    "gpj.exe"
#define SAMPLE_BAD_UTF8 "caf\xC3(\xFF\xC0\xAF"

enum { CAUSE_MEMCG, CAUSE_PIN, CAUSE_INIT, CAUSE_RDMA, CAUSE_GPU, CAUSE_HEALTHY, SAMPLE_CAUSES };
enum {
    SIG_POD,
    SIG_PIN,
    SIG_USAGE,
    SIG_OOM,
    SIG_TASK,
    SIG_INIT = SIG_TASK + 9,
    SIG_RDMA = SIG_INIT + 8,
    SIG_HOSTILE,
    SAMPLE_SIGNALS
};
enum { FIND_MEMCG, FIND_PIN, FIND_INIT, FIND_RDMA = FIND_INIT + 8, FIND_HOSTILE, SAMPLE_FINDINGS };

typedef struct sample {
    ff_arena arena;
    ff_evidence evidence;
    ff_clocks clocks;
    ff_rulebook rules;
    ff_report report;
} sample;

static inline ff_bytes *sample_list(ff_arena *a, const char *const *texts, uint32_t n)
{
    ff_bytes *out = FF_NEW_N(a, ff_bytes, n);
    for (uint32_t i = 0; i < n; i++)
        out[i] = ff_arena_copy(a, ff_str(texts[i]));
    return out;
}
#define SAMPLE_LIST(arena, ...)                                                                                      \
    sample_list(arena, (const char *const[]){ __VA_ARGS__ },                                                         \
                (uint32_t)(sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *)))

static inline void sample_field(ff_arena *a, ff_signal *s, const char *name, ff_field_type type, int64_t i,
                                const char *text)
{
    ff_field *more = FF_NEW_N(a, ff_field, s->n_fields + 1);
    if (s->n_fields)
        memcpy(more, s->fields, s->n_fields * sizeof *more);
    more[s->n_fields++] = (ff_field){ .name = ff_str(name), .type = type, .i = i, .s = ff_str(text) };
    s->fields = more;
}

static inline void sample_causes(sample *x)
{
    ff_arena *a = &x->arena;
    ff_cause *c = FF_NEW_N(a, ff_cause, SAMPLE_CAUSES);
    c[CAUSE_MEMCG] = (ff_cause){ .id = FF_LIT("host.memcg_oom"),
                                 .fault_class = FF_LIT("lost"),
                                 .title = FF_LIT("Container memory limit reached"),
                                 .severity = FF_SEV_CRITICAL,
                                 .recovery = FF_LIT("process group") };
    c[CAUSE_MEMCG].act = SAMPLE_LIST(a, "Measure memory per rank: resident, anonymous, shared, pinned.",
                                     "Reduce caches, workers, prefetch depth and batch buffers.",
                                     "Set sizeLimit on memory-backed volumes.",
                                     "Only then raise the limit, with head room left on the node.");
    c[CAUSE_MEMCG].n_act = 4;
    c[CAUSE_MEMCG].verify = SAMPLE_LIST(a, "A minimal collective test finishes on all ranks.",
                                        "The original job passes the same step with the same data and ranks.");
    c[CAUSE_MEMCG].n_verify = 2;
    c[CAUSE_MEMCG].avoid = SAMPLE_LIST(a, "Raising the limit first: it can turn a container OOM into a node OOM.");
    c[CAUSE_MEMCG].n_avoid = 1;
    c[CAUSE_MEMCG].save = SAMPLE_LIST(a, "memory.events and memory.stat of the cgroup", "kernel log of the node");
    c[CAUSE_MEMCG].n_save = 2;
    c[CAUSE_PIN] = (ff_cause){ .id = FF_LIT("host.pin_failed"), .title = FF_LIT("Driver could not pin host memory") };
    c[CAUSE_INIT] = (ff_cause){ .id = FF_LIT("comm.init_failed"), .title = FF_LIT("Communicator setup failed") };
    c[CAUSE_RDMA] = (ff_cause){ .id = FF_LIT("net.rdma_absent"), .title = FF_LIT("RDMA expected, but no device") };
    c[CAUSE_GPU] = (ff_cause){ .id = FF_LIT("gpu.fell_off_bus"), .title = FF_LIT("GPU fell off the bus") };
    c[CAUSE_HEALTHY] = (ff_cause){ .id = FF_LIT("healthy"), .title = FF_LIT("Nothing wrong found") };
    ff_pack *p = FF_NEW(a, ff_pack);
    *p = (ff_pack){ .name = FF_LIT("builtin"), .version = FF_LIT("0.1.0"), .n_signatures = 310, .n_causes = 63 };
    x->rules = (ff_rulebook){ .causes = c, .n_causes = SAMPLE_CAUSES, .packs = p, .n_packs = 1 };
}

static inline void sample_members(sample *x)
{
    ff_arena *a = &x->arena;
    ff_member *m = FF_NEW_N(a, ff_member, 6);
    static const char *const names[] = { "bw-a17/dmesg.txt", "bw-a17/kubelet.log",
                                         "bw-a17/rank4.log", "pod.yaml",
                                         "core.4121",        "odd " SAMPLE_SCRIPT " " SAMPLE_FORMULA };
    static const char *const parsers[] = { "kmsg", "klog", "plain", "k8s_yaml", NULL, "plain" };
    static const uint32_t streams[] = {
        FF_STREAM_KERNEL, FF_STREAM_K8S, FF_STREAM_APP | FF_STREAM_NCCL, FF_STREAM_K8S, 0, FF_STREAM_APP
    };
    for (uint32_t i = 0; i < 6; i++) {
        m[i] = (ff_member){ .name = ff_str(names[i]),
                            .id = i,
                            .bytes = 1234567u * (i + 1),
                            .lines = 9000u * i,
                            .parser = parsers[i],
                            .streams = streams[i],
                            .who = FF_WHO_NOBODY,
                            .signals = i,
                            .clock = FF_NONE };
        if (i < 3) {
            m[i].who.host = FF_LIT("bw-a17");
            m[i].has_utc = true;
            m[i].first_utc = SAMPLE_T0 - 600 * SAMPLE_S;
            m[i].last_utc = SAMPLE_T0 + 400 * SAMPLE_S;
            m[i].gap_ns = 95 * SAMPLE_S;
        }
    }
    m[4].unread = "binary";
    m[2].truncated = true;
    m[2].skips[0] = (ff_skip){ .reason = "line is longer than the cap", .count = 2, .first_line = 71 };
    m[2].n_skips = 1;
    ff_input *in = FF_NEW(a, ff_input);
    *in = (ff_input){ .name = FF_LIT("job-8841"),
                      .bytes = 25925907,
                      .members = 6,
                      .notes = SAMPLE_LIST(a, "one archive inside is cut"),
                      .n_notes = 1 };
    ff_limit *limit = FF_NEW(a, ff_limit);
    *limit = (ff_limit){ "line length", FF_LIT("bw-a17/rank4.log"), 2 };
    x->evidence.members = m;
    x->evidence.n_members = 6;
    x->evidence.inputs = in;
    x->evidence.n_inputs = 1;
    x->evidence.limits = limit;
    x->evidence.n_limits = 1;
}

static inline ff_signal *sample_signal(sample *x, uint32_t ref, uint32_t member, uint32_t stream, int64_t ms,
                                       const char *quote)
{
    ff_signal *s = &x->evidence.signals[ref];
    *s = (ff_signal){ .ref = ref,
                      .kind = FF_FACTS,
                      .stream = stream,
                      .at = { member, 70 + ref, 40, 4096u + ref * 80 },
                      .quote = ff_str(quote),
                      .who = FF_WHO_NOBODY,
                      .count = 1,
                      .has_utc = true,
                      .utc = SAMPLE_T0 + ms * 1000000,
                      .utc_err = member == 0 ? SAMPLE_S / 2 : 1000000 };
    s->said = (ff_stamp){ FF_STAMP_UTC, s->utc, 1000 };
    s->clock = member == 0 ? 0 : 1;
    s->who.host = FF_LIT("bw-a17");
    return s;
}

static inline void sample_context(sample *x, ff_signal *s, const char *before, const char *after)
{
    s->context = FF_NEW(&x->arena, ff_context);
    s->context->before[0] = ff_str(before);
    s->context->n_before = 1;
    s->context->after[0] = ff_str(after);
    s->context->n_after = 1;
}

static inline void sample_signals(sample *x)
{
    ff_arena *a = &x->arena;
    x->evidence.signals = FF_NEW_N(a, ff_signal, SAMPLE_SIGNALS);
    x->evidence.n_signals = SAMPLE_SIGNALS;
    (void)sample_signal(x, SIG_POD, 1, FF_STREAM_K8S, 0,
                        "I0311 06:41:32.000 kubelet: SyncLoop ADD pod=\"train/trainer-0\"");
    ff_signal *s =
        sample_signal(x, SIG_PIN, 0, FF_STREAM_KERNEL, 9300,
                      "[  701.635] Cannot map memory with base addr 0x7f21c0000000 and size of 0x100000 pages");
    sample_field(a, s, "pages", FF_FIELD_HEX, 0x100000, "0x100000");
    sample_context(x, s, "[  701.634] NVRM: nvidia_open: <ok> & \"fine\"",
                   "[  701.636]  os_lock_user_pages+0xb5/0x170 [nvidia]");
    s = sample_signal(x, SIG_USAGE, 0, FF_STREAM_KERNEL, 19800,
                      "[  712.113] memory: usage 671088640kB, limit 671088640kB, failcnt 91827");
    sample_field(a, s, "usage_kib", FF_FIELD_INT, 671088640, "671088640");
    sample_field(a, s, "limit_kib", FF_FIELD_INT, 671088640, "671088640");
    sample_context(x, s, "[  712.112] oom_kill_process+0x10e/0x1c0",
                   "[  712.114] swap: usage 0kB, limit 0kB, failcnt 0");
    s = sample_signal(
        x, SIG_OOM, 0, FF_STREAM_KERNEL, 19810,
        "[  712.120] python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=-997");
    s->kind = FF_FACT_OOM_REPORT;
    s->who.cgroup = FF_LIT("/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod7d3b0c52.slice");
    sample_field(a, s, "usage_kib", FF_FIELD_INT, 671088640, "671088640");
    sample_field(a, s, "limit_kib", FF_FIELD_INT, 671088640, "671088640");
    sample_field(a, s, "anon_kib", FF_FIELD_INT, 400556032, "400556032");
    sample_field(a, s, "file_kib", FF_FIELD_INT, 250000000, "250000000");
    sample_field(a, s, "shmem_kib", FF_FIELD_INT, 241172480, "241172480");
    for (uint32_t i = 0; i < 9; i++) {
        s = sample_signal(x, SIG_TASK + i, 0, FF_STREAM_KERNEL, 19820,
                          "[  712.130] [  41230]  1000 41230 25559040  12582912 python3");
        s->kind = FF_FACT_OOM_TASK;
        s->who.pid = 41230 + (int32_t)i;
        s->who.rank = i < 8 ? (int32_t)i : FF_NO_NUMBER;
        s->who.process = i < 8 ? FF_LIT("python3") : FF_LIT("dcgm-exporter");
        sample_field(a, s, "rss_kib", FF_FIELD_INT, i < 8 ? 50000000 + (int64_t)i * 7000 : 20480, "");
        sample_field(a, s, "anon_kib", FF_FIELD_INT, i < 8 ? 49000000 : 20000, "");
    }
    for (uint32_t i = 0; i < SAMPLE_RANKS; i++) {
        s = sample_signal(x, SIG_INIT + i, 2, FF_STREAM_NCCL, 41000 + i * 120,
                          "bw-a17:41234:41234 [4] NCCL WARN Cuda failure 2 'out of memory' in ncclCommInitRank");
        s->who.rank = (int32_t)i;
        s->who.pid = 41230 + (int32_t)i;
    }
    s = sample_signal(x, SIG_RDMA, 2, FF_STREAM_NCCL, 1500,
                      "bw-a17:41230:41230 [0] NCCL INFO NET/IB : No device found.");
    s->has_utc = false;
    s->clock = 2;
    s->said = (ff_stamp){ FF_STAMP_NO_YEAR, 6000 * SAMPLE_S, SAMPLE_S };
    char *large = ff_arena_take(a, 1u << 20);
    memset(large, 'A', 1u << 20);
    memcpy(large, SAMPLE_SCRIPT, sizeof SAMPLE_SCRIPT - 1);
    s = sample_signal(x, SIG_HOSTILE, 5, FF_STREAM_APP, 42000, "");
    s->quote = (ff_bytes){ large, 1u << 20 };
    s->who.host = FF_LIT("\"><img src=x onerror=alert(1)>");
    s->who.pod = FF_LIT(SAMPLE_BIDI);
    s->who.process = FF_LIT(SAMPLE_FORMULA);
    sample_field(a, s, "bad\"name", FF_FIELD_TEXT, 0, SAMPLE_SCRIPT);
    sample_field(a, s, "ansi", FF_FIELD_TEXT, 0, SAMPLE_ANSI);
    sample_context(x, s, SAMPLE_BAD_UTF8, SAMPLE_FORMULA);
    s->context->after[1] = (ff_bytes){ "nul\0inside", 10 };
    s->context->n_after = 2;
}

static inline void sample_finding(sample *x, uint32_t id, uint32_t cause, ff_severity severity,
                                  ff_confidence confidence, uint32_t signal, const char *summary)
{
    ff_finding *f = &x->report.findings[id];
    *f = (ff_finding){ .id = id,
                       .rule = x->rules.causes[cause].id,
                       .cause = cause,
                       .severity = severity,
                       .confidence = confidence,
                       .confidence_why = FF_LIT("both lines stand within 60 s of each other"),
                       .scope = FF_SCOPE_HOST,
                       .who = x->evidence.signals[signal].who,
                       .summary = ff_str(summary),
                       .count = 1,
                       .n_evidence = 1 };
    f->evidence = FF_NEW(&x->arena, uint32_t);
    f->evidence[0] = signal;
}

static inline void sample_findings(sample *x)
{
    x->report.findings = FF_NEW_N(&x->arena, ff_finding, SAMPLE_FINDINGS);
    x->report.n_findings = SAMPLE_FINDINGS;
    sample_finding(x, FIND_MEMCG, CAUSE_MEMCG, FF_SEV_CRITICAL, FF_CERTAIN, SIG_USAGE,
                   "The pod's memory cgroup used 640 GiB of its limit of 640 GiB, and the kernel killed in it.");
    ff_finding *root = &x->report.findings[FIND_MEMCG];
    root->n_evidence = 2;
    root->evidence = FF_NEW_N(&x->arena, uint32_t, 2);
    root->evidence[0] = SIG_USAGE;
    root->evidence[1] = SIG_OOM;
    sample_finding(x, FIND_PIN, CAUSE_PIN, FF_SEV_ERROR, FF_LIKELY, SIG_PIN,
                   "The driver could not map 4 GiB (0x100000 pages).");
    for (uint32_t i = 0; i < SAMPLE_RANKS; i++)
        sample_finding(x, FIND_INIT + i, CAUSE_INIT, FF_SEV_ERROR, FF_LIKELY, SIG_INIT + i,
                       "ncclCommInitRank failed: out of memory.");
    sample_finding(x, FIND_RDMA, CAUSE_RDMA, FF_SEV_NOTE, FF_POSSIBLE, SIG_RDMA,
                   "The node is labelled for RDMA, but NCCL found no device and used sockets.");
    sample_finding(x, FIND_HOSTILE, CAUSE_GPU, FF_SEV_WARNING, FF_POSSIBLE, SIG_HOSTILE,
                   SAMPLE_SCRIPT " " SAMPLE_FORMULA " " SAMPLE_ANSI " " SAMPLE_BIDI " " SAMPLE_BAD_UTF8);
}

static inline void sample_incident(sample *x)
{
    ff_arena *a = &x->arena;
    ff_incident *in = FF_NEW(a, ff_incident);
    ff_link *chain = FF_NEW_N(a, ff_link, 2 + SAMPLE_RANKS);
    chain[0] = (ff_link){ .finding = FIND_MEMCG, .role = FF_ROLE_ROOT, .proven = true, .by = FF_NONE };
    chain[1] = (ff_link){ .finding = FIND_PIN,
                          .role = FF_ROLE_SYMPTOM,
                          .by = FIND_MEMCG,
                          .because = FF_LIT("a cgroup near its limit cannot lock further pages") };
    for (uint32_t i = 0; i < SAMPLE_RANKS; i++)
        chain[2 + i] = (ff_link){ .finding = FIND_INIT + i,
                                  .role = FF_ROLE_VICTIM,
                                  .by = FIND_PIN,
                                  .proven = true,
                                  .because = FF_LIT("without pinned buffers the communicator cannot start") };
    *in = (ff_incident){ .root = FIND_MEMCG,
                         .chain = chain,
                         .n_chain = 2 + SAMPLE_RANKS,
                         .confidence = FF_CERTAIN,
                         .confidence_why = FF_LIT("usage equals the limit, and the kernel named this cgroup"),
                         .has_time = true,
                         .began_utc = SAMPLE_T0 + 9300000000,
                         .ended_utc = SAMPLE_T0 + 42 * SAMPLE_S,
                         .err_ns = SAMPLE_S / 2,
                         .began_signal = SIG_PIN };
    in->other_roots = FF_NEW(a, uint32_t);
    in->other_roots[0] = FIND_HOSTILE;
    in->n_other_roots = 1;
    in->decide = FF_LIT("the kernel log of bw-a18 between 06:41 and 06:42");
    in->suspects.hosts = SAMPLE_LIST(a, "bw-a17");
    in->suspects.n_hosts = 1;
    in->suspects.pods = SAMPLE_LIST(a, "train/trainer-0");
    in->suspects.n_pods = 1;
    in->suspects.ranks = FF_NEW_N(a, int32_t, SAMPLE_RANKS);
    for (uint32_t i = 0; i < SAMPLE_RANKS; i++)
        in->suspects.ranks[i] = (int32_t)i;
    in->suspects.n_ranks = SAMPLE_RANKS;
    in->ruled_out = FF_NEW(a, ff_ruling);
    in->ruled_out->causes = FF_NEW(a, uint32_t);
    in->ruled_out->causes[0] = CAUSE_GPU;
    in->ruled_out->n_causes = 1;
    in->ruled_out->by = SAMPLE_LIST(a, "kernel log of bw-a17, 06:31:32 to 06:48:12");
    in->ruled_out->n_by = 1;
    in->ruled_out->text = FF_LIT("no Xid, no lost GPU");
    in->n_ruled_out = 1;
    in->not_ruled_out = FF_NEW(a, ff_ruling);
    in->not_ruled_out->causes = FF_NEW(a, uint32_t);
    in->not_ruled_out->causes[0] = CAUSE_RDMA;
    in->not_ruled_out->n_causes = 1;
    in->not_ruled_out->by = SAMPLE_LIST(a, "output of ibstat", "kernel log of bw-a18");
    in->not_ruled_out->n_by = 2;
    in->not_ruled_out->text = FF_LIT("no network evidence in the bundle");
    in->n_not_ruled_out = 1;
    in->asks = FF_NEW(a, ff_ask);
    in->asks[0] = (ff_ask){
        .host = FF_LIT("bw-a18"),
        .has_span = true,
        .from_utc = SAMPLE_T0,
        .to_utc = SAMPLE_T0 + 60 * SAMPLE_S,
        .command = FF_LIT("journalctl -k -o short-iso-precise --since '2026-03-11 06:41' --until '2026-03-11 06:43'"),
        .why = FF_LIT("the kernel log of the other node is missing")
    };
    in->n_asks = 1;
    x->report.incidents = in;
    x->report.n_incidents = 1;
}

static inline void sample_rest(sample *x)
{
    ff_arena *a = &x->arena;
    ff_report *r = &x->report;
    static const struct {
        uint32_t signal, finding;
        const char *text;
    } moments[] = {
        { SIG_POD, FF_NONE, "sandbox of train/trainer-0 created" },
        { SIG_RDMA, FIND_RDMA, "NCCL found no RDMA device" },
        { SIG_PIN, FIND_PIN, "driver cannot map 0x100000 pages (4 GiB)" },
        { SIG_USAGE, FIND_MEMCG, "memory cgroup: 640 GiB of 640 GiB" },
        { SIG_OOM, FIND_MEMCG, "python3 invoked the OOM killer" },
        { SIG_INIT, FIND_INIT, "rank 0: communicator setup failed" },
        { SIG_INIT + 4, FIND_INIT + 4, "rank 4: communicator setup failed " SAMPLE_BIDI },
        { SIG_HOSTILE, FIND_HOSTILE, SAMPLE_SCRIPT },
    };
    r->n_timeline = FF_COUNT(moments);
    r->timeline = FF_NEW_N(a, ff_moment, r->n_timeline);
    for (uint32_t i = 0; i < r->n_timeline; i++)
        r->timeline[i] = (ff_moment){ moments[i].signal, moments[i].finding, ff_str(moments[i].text) };
    r->identity.joins = FF_NEW_N(a, ff_join, 2);
    r->identity.joins[0] = (ff_join){ .left_kind = FF_LIT("rank"),
                                      .left = FF_LIT("4"),
                                      .right_kind = FF_LIT("pid"),
                                      .right = FF_LIT("bw-a17/41234"),
                                      .signal = SIG_INIT + 4,
                                      .rests_on = FF_LIT("NCCL line of that process"),
                                      .confidence = FF_CERTAIN };
    r->identity.joins[1] = (ff_join){ .left_kind = FF_LIT("container"),
                                      .left = FF_LIT(SAMPLE_FORMULA),
                                      .right_kind = FF_LIT("pod"),
                                      .right = FF_LIT("train/trainer-0"),
                                      .signal = FF_NONE,
                                      .rests_on = FF_LIT("inferred"),
                                      .confidence = FF_POSSIBLE,
                                      .conflict = true };
    r->identity.n_joins = 2;
    r->contradictions = FF_NEW(a, ff_contradiction);
    r->contradictions[0] =
        (ff_contradiction){ FF_LIT("the node is labelled for RDMA, NCCL found no device"), SIG_RDMA, SIG_POD };
    r->n_contradictions = 1;
    r->versions = FF_NEW_N(a, ff_setting, 2);
    r->versions[0] = (ff_setting){ FF_LIT("NCCL"), FF_LIT("2.27.3"), FF_LIT("bw-a17"), 0, SIG_INIT, false };
    r->versions[1] =
        (ff_setting){ FF_LIT("driver"), FF_LIT("570.124.06"), FF_LIT("bw-a17"), FF_NO_NUMBER, SIG_PIN, false };
    r->n_versions = 2;
    r->variables = FF_NEW(a, ff_setting);
    r->variables[0] =
        (ff_setting){ FF_LIT("NCCL_SOCKET_IFNAME"), FF_LIT(SAMPLE_FORMULA), FF_LIT("bw-a17"), 4, SIG_INIT + 4, true };
    r->n_variables = 1;
    ff_clock *c = FF_NEW_N(a, ff_clock, 3);
    c[0] = (ff_clock){ FF_STAMP_SINCE_BOOT,
                       FF_LIT("bw-a17"),
                       FF_LIT("b1"),
                       FF_NONE,
                       true,
                       SAMPLE_T0 - 700 * SAMPLE_S,
                       SAMPLE_S / 2,
                       312,
                       FF_LIT("312 lines carry both times") };
    c[1] = (ff_clock){
        FF_STAMP_UTC, FF_LIT("bw-a17"), { NULL, 0 }, FF_NONE, true, 0, 1000000, 0, FF_LIT("written as UTC")
    };
    c[2] = (ff_clock){
        FF_STAMP_NO_YEAR, { NULL, 0 }, { NULL, 0 }, 2, false, 0, 0, 0, FF_LIT("no zone and no year anywhere")
    };
    x->clocks = (ff_clocks){ .at = c, .n = 3 };
    struct ff_not_judged *n = FF_NEW(a, struct ff_not_judged);
    *n = (struct ff_not_judged){ FF_LIT("host.memcg_oom.starves_pinning"), FF_LIT("bw-a18"), FF_STREAM_KERNEL };
    r->not_judged = n;
    r->n_not_judged = 1;
    r->verdict =
        (ff_verdict){ .cause = CAUSE_MEMCG,
                      .confidence = FF_CERTAIN,
                      .confidence_why = r->incidents[0].confidence_why,
                      .summary = FF_LIT("Pod train/trainer-0 on bw-a17 used 640 GiB of its 640 GiB memory limit, so "
                                        "the driver could not pin memory and all 8 ranks failed to start NCCL."),
                      .fault_class = FF_LIT("lost"),
                      .incident = 0,
                      .ceiling = SAMPLE_LIST(a, "kernel log of bw-a18 is absent"),
                      .n_ceiling = 1 };
}

static inline void sample_init(sample *x)
{
    *x = (sample){ .report = { .evidence = &x->evidence, .clocks = &x->clocks, .rules = &x->rules } };
    ff_arena_init(&x->arena);
    sample_causes(x);
    sample_members(x);
    sample_signals(x);
    sample_findings(x);
    sample_incident(x);
    sample_rest(x);
}

static inline void sample_done(sample *x) { ff_arena_done(&x->arena); }

#endif
