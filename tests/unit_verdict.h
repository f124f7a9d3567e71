/* Builds small evidence, findings and causes by hand for the tests of the verdict stage. All in one arena. */
#ifndef FF_UNIT_VERDICT_H
#define FF_UNIT_VERDICT_H

#include "../analyzer/verdict/verdict.h"
#include "check.h"

#define S INT64_C(1000000000)
#define T0 (INT64_C(1773211292) * S) /* 2026-03-11T06:41:32Z */

typedef struct bench {
    ff_arena arena;
    ff_evidence e;
    ff_rulebook rules;
    ff_signature signatures[8];
    ff_cause causes[40];
    ff_member members[32];
    ff_signal signals[128];
    ff_finding findings[64];
    uint32_t refs[512], n_refs;
    ff_judged judged;
    ff_clocks clocks;
} bench;

static inline bench *bench_open(void)
{
    bench *b = ff_alloc(sizeof *b);
    memset(b, 0, sizeof *b);
    ff_arena_init(&b->arena);
    b->e.members = b->members;
    b->e.signals = b->signals;
    b->rules.causes = b->causes;
    b->rules.signatures = b->signatures;
    b->judged.findings = b->findings;
    return b;
}

static inline void bench_close(bench *b)
{
    ff_arena_done(&b->arena);
    ff_free(b);
}

/* ---- causes ---- */
static inline ff_cause *add_cause(bench *b, const char *id, uint32_t rank, uint32_t settled_by)
{
    ff_cause *c = &b->causes[b->rules.n_causes++];
    *c = (ff_cause){ .id = ff_str(id),
                     .title = ff_str(id),
                     .severity = FF_SEV_ERROR,
                     .fault_class = FF_LIT("lost"),
                     .rank = rank,
                     .settled_by = settled_by,
                     .leads_to = FF_NEW_N(&b->arena, ff_leads_to, 12),
                     .requests = FF_NEW_N(&b->arena, ff_request, 4) };
    return c;
}

static inline void leads(ff_cause *c, const char *to, ff_same same, int64_t within_s, ff_role role)
{
    c->leads_to[c->n_leads_to++] =
        (ff_leads_to){ .cause = ff_str(to), .same = same, .within_ns = within_s * S, .role = role };
}

static inline void asks(ff_cause *c, uint32_t stream, const char *command)
{
    c->requests[c->n_requests++] =
        (ff_request){ .stream = stream, .command = ff_str(command), .why = FF_LIT("it decides") };
}

/* The special ones, last. */
static inline void add_special(bench *b)
{
    add_cause(b, "unknown", 99, 0)->fault_class = (ff_bytes){ 0 };
    ff_cause *c = add_cause(b, "healthy", 99, 0);
    c->severity = FF_SEV_NOTE;
    c->fault_class = (ff_bytes){ 0 };
}

static inline uint32_t cause_named(const bench *b, const char *id)
{
    for (uint32_t i = 0; i < b->rules.n_causes; i++)
        if (ff_equal(b->causes[i].id, ff_str(id)))
            return i;
    return FF_NONE;
}

/* ---- members and signals ---- */
/* from_s, to_s: seconds around T0. */
static inline ff_member *add_member(bench *b, const char *name, const char *host, uint32_t streams, int64_t from_s,
                                    int64_t to_s)
{
    ff_member *m = &b->members[b->e.n_members];
    *m = (ff_member){ .name = ff_str(name),
                      .id = b->e.n_members++,
                      .bytes = 1000,
                      .parser = "plain",
                      .streams = streams,
                      .who = FF_WHO_NOBODY,
                      .clock = 0,
                      .has_utc = true,
                      .first_utc = T0 + from_s * S,
                      .last_utc = T0 + to_s * S };
    m->who.host = ff_str(host);
    return m;
}

static inline void without_time(ff_member *m)
{
    m->has_utc = false;
    m->clock = FF_NONE;
}

/* A line of the member, at_s seconds after T0; signals must be added in time order. */
static inline ff_signal *add_signal(bench *b, const ff_member *m, int64_t at_s)
{
    uint32_t ref = b->e.n_signals++;
    ff_signal *s = &b->signals[ref];
    *s = (ff_signal){ .ref = ref,
                      .kind = FF_KIND_OF_SIGNATURE(7),
                      .stream = m->streams & (~m->streams + 1),
                      .at = { .member = m->id, .line = ref + 1, .length = 10 },
                      .quote = FF_LIT("a line"),
                      .said = { .kind = FF_STAMP_UTC, .ns = T0 + at_s * S, .grain_ns = 1 },
                      .who = m->who,
                      .count = 1,
                      .clock = m->id,
                      .has_utc = true,
                      .utc = T0 + at_s * S,
                      .last_utc = T0 + at_s * S };
    return s;
}

static inline ff_signal *add_mark(bench *b, const ff_member *m, int64_t at_s, uint32_t signature)
{
    ff_signal *s = add_signal(b, m, at_s);
    s->kind = FF_KIND_OF_SIGNATURE(signature);
    return s;
}

/* Without any anchor: ordered on the clock of its member only. */
static inline ff_signal *unanchored(ff_signal *s)
{
    s->has_utc = false;
    s->said.kind = FF_STAMP_SINCE_BOOT;
    return s;
}

static inline ff_field *add_field(bench *b, ff_signal *s, const char *name, ff_field_type type, const char *text,
                                  int64_t i)
{
    if (!s->fields)
        s->fields = FF_NEW_N(&b->arena, ff_field, 8);
    s->fields[s->n_fields] = (ff_field){ .name = ff_str(name), .type = type, .s = ff_str(text), .i = i };
    return &s->fields[s->n_fields++];
}

/* ---- findings ---- */
static inline ff_finding *add_finding(bench *b, const char *cause, ff_confidence confidence,
                                      const ff_signal *evidence)
{
    ff_finding *f = &b->findings[b->judged.n];
    uint32_t k = cause_named(b, cause);
    *f = (ff_finding){ .id = b->judged.n++,
                       .rule = ff_str(cause),
                       .cause = k,
                       .severity = b->causes[k].severity,
                       .confidence = confidence,
                       .scope = FF_SCOPE_HOST,
                       .who = FF_WHO_NOBODY,
                       .evidence = FF_NEW_N(&b->arena, uint32_t, 8),
                       .symptoms = FF_NEW_N(&b->arena, uint32_t, 8),
                       .summary = ff_str(cause),
                       .count = 1 };
    f->who.host = evidence->who.host;
    f->evidence[f->n_evidence++] = evidence->ref;
    return f;
}

static inline ff_report conclude(bench *b)
{
    return ff_conclude(&b->e, &b->clocks, &b->rules, b->judged, (ff_identity){ 0 }, &b->arena);
}

/* ---- a job that several tests share ---- */
/* limit -> pin -> init, and a kill; the deeper, the lower the rank. */
static inline bench *open_chain_job(void)
{
    bench *b = bench_open();
    ff_cause *c = add_cause(b, "host.limit", 20, FF_STREAM_KERNEL);
    leads(c, "host.pin", FF_SAME_HOST, 60, FF_ROLE_SYMPTOM);
    leads(c, "app.killed", FF_SAME_HOST, 600, FF_ROLE_SYMPTOM);
    leads(c, "comm.*", FF_SAME_JOB, 3600, FF_ROLE_VICTIM);
    c = add_cause(b, "host.pin", 24, FF_STREAM_KERNEL);
    leads(c, "comm.init", FF_SAME_JOB, 3600, FF_ROLE_SYMPTOM);
    c = add_cause(b, "app.killed", 52, FF_STREAM_APP);
    leads(c, "comm.*", FF_SAME_JOB, 3600, FF_ROLE_VICTIM);
    c = add_cause(b, "comm.init", 74, FF_STREAM_NCCL);
    leads(c, "app.killed", FF_SAME_JOB, 3600, FF_ROLE_TEARDOWN);
    c = add_cause(b, "gpu.lost", 10, FF_STREAM_KERNEL);
    leads(c, "comm.*", FF_SAME_JOB, 3600, FF_ROLE_VICTIM);
    leads(c, "pcie.error", FF_SAME_HOST, 600, FF_ROLE_SYMPTOM);
    c = add_cause(b, "pcie.error", 7, FF_STREAM_KERNEL);
    leads(c, "gpu.lost", FF_SAME_HOST, 600, FF_ROLE_SYMPTOM);
    add_special(b);
    return b;
}

/* ---- reading the report ---- */
static inline ff_bytes cause_of(const ff_report *r, uint32_t finding)
{
    return finding < r->n_findings ? r->rules->causes[r->findings[finding].cause].id : (ff_bytes){ 0 };
}

static inline ff_bytes verdict_cause(const ff_report *r)
{
    return r->verdict.cause < r->rules->n_causes ? r->rules->causes[r->verdict.cause].id : (ff_bytes){ 0 };
}

static inline const ff_link *link_of(const ff_report *r, uint32_t incident, const char *cause)
{
    if (incident >= r->n_incidents)
        return NULL;
    const ff_incident *in = &r->incidents[incident];
    for (uint32_t i = 0; i < in->n_chain; i++)
        if (ff_equal(cause_of(r, in->chain[i].finding), ff_str(cause)))
            return &in->chain[i];
    return NULL;
}

/* A link of that cause to that effect that some incident tells to be refused. */
static inline const ff_refused *refused_of(const ff_report *r, const char *by, const char *effect)
{
    for (uint32_t i = 0; i < r->n_incidents; i++)
        for (uint32_t k = 0; k < r->incidents[i].n_refused; k++) {
            const ff_refused *link = &r->incidents[i].refused[k];
            if (ff_equal(cause_of(r, link->by), ff_str(by)) && ff_equal(cause_of(r, link->finding), ff_str(effect)))
                return link;
        }
    return NULL;
}

static inline bool list_mentions(const ff_bytes *list, uint32_t n, const char *part)
{
    for (uint32_t i = 0; i < n; i++)
        if (ff_contains(list[i], ff_str(part)))
            return true;
    return false;
}

static inline const ff_ruling *ruling_on(const ff_report *r, const ff_ruling *list, uint32_t n, const char *cause)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < list[i].n_causes; k++)
            if (ff_equal(r->rules->causes[list[i].causes[k]].id, ff_str(cause)))
                return &list[i];
    return NULL;
}

#endif
