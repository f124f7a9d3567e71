/* The smallest set that explains an incident: what the root finding is about, not all whom it hit. */
#include "verdict_private.h"

#define EVIDENCE_READ 256u

typedef struct sets {
    ff_set hosts, gpus, pods, processes;
    ff_number_set ranks;
} sets;

static bool names_gpu(const ff_who *who) { return who->gpu.n || who->gpu_uuid.n || who->gpu_index >= 0; }

/* PCI address, for want of it the UUID, for want of that the index. */
static void add_gpu(const ff_case *c, sets *s, const ff_who *who)
{
    ff_bytes index = { 0 };
    if (!who->gpu.n && !who->gpu_uuid.n && who->gpu_index >= 0)
        index = ff_arena_format(c->arena, "index %d", (int)who->gpu_index);
    ff_set_add(&s->gpus, who->gpu.n ? who->gpu : who->gpu_uuid.n ? who->gpu_uuid : index, c->arena);
}

static void add_process(const ff_case *c, sets *s, const ff_who *who)
{
    if (who->process.n && who->pid >= 0)
        ff_set_add(&s->processes, ff_arena_format(c->arena, "%.*s[%d]", FF_SHOW(who->process), (int)who->pid),
                   c->arena);
}

/* Others complain in the evidence of a finding that names its ranks; where those ranks run, identity knows. */
static void add_named_ranks(const ff_case *c, sets *s, const ff_finding *f)
{
    for (uint32_t i = 0; i < f->n_ranks; i++) {
        ff_number_set_add(&s->ranks, f->ranks[i], c->arena);
        if (!f->who.host.n && i < FF_CAP_SUSPECTS)
            ff_hosts_of_rank(c->identity, f->who.job, f->ranks[i], &s->hosts, c->arena);
    }
}

static bool is_about(const ff_finding *f, const ff_signal *s)
{
    if (f->who.host.n && s->who.host.n && f->scope != FF_SCOPE_JOB &&
        !ff_equal(ff_short_host(f->who.host), ff_short_host(s->who.host)))
        return false;
    for (uint32_t i = 0; i < f->n_ranks; i++)
        if (f->ranks[i] == s->who.rank)
            return true;
    return !f->n_ranks;
}

/* A line of the kernel, a GPU tool or the platform that itself names a GPU accuses it. Elsewhere the GPU is only
 * where the rank or process runs. */
static bool accuses_gpu(const ff_finding *f, const ff_signal *s)
{
    bool named = false;
    for (uint32_t i = 0; i < s->n_fields; i++)
        named = named || s->fields[i].type == FF_FIELD_PCI || s->fields[i].type == FF_FIELD_UUID ||
                s->fields[i].type == FF_FIELD_GPU;
    return f->scope == FF_SCOPE_GPU || (named && (s->stream & (FF_STREAM_KERNEL | FF_STREAM_GPU | FF_STREAM_K8S)));
}

static void add_evidence(const ff_case *c, sets *s, const ff_finding *f)
{
    /* of a finding about the whole job, who says no more than where its first line stands */
    bool own_host = f->who.host.n != 0 && (f->scope != FF_SCOPE_JOB || f->n_ranks), own_gpu = names_gpu(&f->who),
         own_pod = f->who.pod.n != 0;
    bool own_process = f->who.process.n && f->who.pid >= 0;
    for (uint32_t i = 0; i < f->n_evidence && i < EVIDENCE_READ; i++) {
        const ff_signal *line = &c->evidence->signals[f->evidence[i]];
        if (!is_about(f, line))
            continue;
        if (!own_host)
            ff_set_add(&s->hosts, line->who.host, c->arena);
        if (!f->n_ranks && f->who.rank < 0 && !ff_finding_names_nobody(f))
            ff_number_set_add(&s->ranks, line->who.rank, c->arena);
        if (accuses_gpu(f, line))
            add_gpu(c, s, own_gpu ? &f->who : &line->who);
        if (!own_pod)
            ff_set_add(&s->pods, line->who.pod, c->arena);
        if (!own_process)
            add_process(c, s, &line->who);
    }
}

static void add_finding(const ff_case *c, sets *s, const ff_finding *f)
{
    ff_set_add(&s->hosts, f->who.host, c->arena);
    ff_set_add(&s->pods, f->who.pod, c->arena);
    if (f->scope == FF_SCOPE_GPU && names_gpu(&f->who))
        add_gpu(c, s, &f->who);
    add_process(c, s, &f->who);
    if (!f->n_ranks)
        ff_number_set_add(&s->ranks, f->who.rank, c->arena);
    add_named_ranks(c, s, f);
    add_evidence(c, s, f);
}

/* ---- ranks ---- */

/* The kernel or the platform names whom it hit; only a line out of the job's own output is the word of its rank. */
static int32_t speaker(const ff_signal *s) { return s->stream & FF_JOB_OUTPUT ? s->who.rank : FF_NO_NUMBER; }

/* Ranks that each report a failure of their own fail one after the other, and where it began is the suspect. Ranks
 * that a comparison found are all odd. */
static int32_t first_speaker(const ff_case *c, const ff_finding *f)
{
    for (uint32_t i = 0; i < f->n_evidence; i++) {
        int32_t rank = speaker(&c->evidence->signals[f->evidence[i]]);
        for (uint32_t k = 0; k < f->n_ranks && rank >= 0; k++)
            if (f->ranks[k] == rank)
                return rank;
    }
    return FF_NO_NUMBER;
}

static bool speaks_all(const ff_case *c, const ff_finding *f)
{
    ff_number_set speakers = { 0 };
    for (uint32_t i = 0; i < f->n_evidence; i++)
        ff_number_set_add(&speakers, speaker(&c->evidence->signals[f->evidence[i]]), c->arena);
    for (uint32_t k = 0; k < f->n_ranks; k++)
        if (!ff_number_set_has(&speakers, f->ranks[k]))
            return false;
    return true;
}

static ff_number_set ranks_of(const ff_case *c, const ff_finding *f)
{
    sets s = { 0 };
    add_finding(c, &s, f);
    if (ff_case_cause(c, f->cause)->compares || s.ranks.n < 2 || (f->n_ranks && !speaks_all(c, f)))
        return s.ranks;
    ff_number_set one = { 0 };
    ff_number_set_add(&one,
                      f->n_ranks         ? first_speaker(c, f)
                      : f->who.rank >= 0 ? f->who.rank
                                         : FF_NO_NUMBER,
                      c->arena);
    for (uint32_t i = 0; i < f->n_evidence && !one.n && !ff_finding_names_nobody(f); i++)
        ff_number_set_add(&one, c->evidence->signals[f->evidence[i]].who.rank, c->arena);
    return one;
}

/* Of the findings that make up the root, the first one that knows ranks; all of them where they were compared. */
static void find_ranks(const ff_case *c, const ff_incident *in, sets *s)
{
    const ff_finding *root = &c->findings[in->root];
    s->ranks = (ff_number_set){ 0 };
    if (root->hosts && ff_finding_names_nobody(root))
        return;
    bool all = ff_case_cause(c, root->cause)->compares;
    for (uint32_t i = 0; i < in->n_chain && (all || !s->ranks.n); i++) {
        if (in->chain[i].role != FF_ROLE_ROOT && in->chain[i].role != FF_ROLE_CONTRIBUTING)
            continue;
        ff_number_set ranks = ranks_of(c, &c->findings[in->chain[i].finding]);
        for (uint32_t k = 0; k < ranks.n; k++)
            ff_number_set_add(&s->ranks, ranks.at[k], c->arena);
    }
}

/* A finding that says which hosts it accuses weighed what those who complain said: they are no suspects beside it. */
static void find_hosts(const ff_case *c, const ff_incident *in, sets *s)
{
    const ff_finding *root = &c->findings[in->root];
    if (root->hosts) {
        s->hosts = (ff_set){ 0 };
        for (uint32_t i = 0; i < root->n_hosts; i++)
            ff_set_add(&s->hosts, root->hosts[i], c->arena);
        return;
    }
    bool nowhere = !s->hosts.n;
    for (uint32_t i = 0; i < s->ranks.n && i < FF_CAP_SUSPECTS && nowhere; i++)
        ff_hosts_of_rank(c->identity, root->who.job, s->ranks.at[i], &s->hosts, c->arena);
    if (!s->hosts.n)
        ff_set_add(&s->hosts, c->coverage.only_host, c->arena);
}

ff_suspects ff_suspects_find(const ff_case *c, const ff_incident *in)
{
    sets s = { 0 };
    for (uint32_t i = 0; i < in->n_chain; i++)
        if (in->chain[i].role == FF_ROLE_ROOT || in->chain[i].role == FF_ROLE_CONTRIBUTING)
            add_finding(c, &s, &c->findings[in->chain[i].finding]);
    find_ranks(c, in, &s);
    find_hosts(c, in, &s);
    return (ff_suspects){ .hosts = s.hosts.at,
                          .n_hosts = s.hosts.n,
                          .gpus = s.gpus.at,
                          .n_gpus = s.gpus.n,
                          .pods = s.pods.at,
                          .n_pods = s.pods.n,
                          .processes = s.processes.at,
                          .n_processes = s.processes.n,
                          .ranks = s.ranks.at,
                          .n_ranks = s.ranks.n };
}
