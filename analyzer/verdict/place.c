#include "verdict_private.h"

#include <string.h>

#define EVIDENCE_READ 256u /* signals of one finding that say where it is */

static void add_who(ff_place *p, const ff_who *who, uint32_t stream, ff_arena *arena)
{
    ff_set_add(&p->gpus, who->gpu, arena);
    ff_set_add(&p->uuids, who->gpu_uuid, arena);
    ff_set_add(&p->containers, who->container, arena);
    ff_set_add(&p->pod_uids, who->pod_uid, arena);
    ff_set_add(&p->pods, who->pod, arena);
    ff_set_add(&p->cgroups, who->cgroup, arena);
    ff_number_set_add(stream & FF_JOB_OUTPUT ? &p->inner_pids : &p->pids, who->pid, arena);
    if (stream & FF_JOB_OUTPUT && who->pid >= 0)
        p->contained = p->contained || who->pod.n || who->container.n;
}

void ff_hosts_of_rank(const ff_identity *identity, ff_bytes job, int32_t rank, ff_set *hosts, ff_arena *arena)
{
    ff_bytes text = ff_arena_format(arena, job.n ? "%.*s/%d" : "%.*s%d", FF_SHOW(job), (int)rank);
    ff_bytes kind = FF_LIT("rank"), right = FF_LIT("host");
    uint32_t low = 0, high = identity->n_joins;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const ff_join *j = &identity->joins[middle];
        int order = ff_compare(j->left_kind, kind);
        order = order ? order : ff_compare(j->left, text);
        order = order ? order : ff_compare(j->right_kind, right);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < identity->n_joins; low++) {
        const ff_join *j = &identity->joins[low];
        if (!ff_equal(j->left_kind, kind) || !ff_equal(j->left, text) || !ff_equal(j->right_kind, right))
            return;
        ff_set_add(hosts, ff_short_host(j->right), arena);
    }
}

/* A finding that names its ranks is about those. Its evidence may be the complaint of others, so neither their hosts
 * nor their ranks are its place. */
static void add_named_ranks(ff_place *p, const ff_identity *identity, const ff_finding *f, ff_arena *arena)
{
    for (uint32_t i = 0; i < f->n_ranks; i++) {
        ff_number_set_add(&p->ranks, f->ranks[i], arena);
        if (!f->who.host.n && i < FF_CAP_SUSPECTS)
            ff_hosts_of_rank(identity, f->who.job, f->ranks[i], &p->hosts, arena);
    }
}

void ff_place_add(ff_place *p, const ff_evidence *e, const ff_identity *identity, const ff_finding *f,
                  ff_arena *arena)
{
    uint32_t own = f->n_evidence ? e->signals[f->evidence[0]].stream : 0;
    ff_bytes host = ff_short_host(f->who.host);
    ff_set_add(&p->hosts, host, arena);
    ff_number_set_add(&p->ranks, f->who.rank, arena);
    add_who(p, &f->who, own, arena);
    ff_set_add(&p->jobs, f->who.job, arena);
    for (uint32_t i = 0; i < f->n_evidence && i < EVIDENCE_READ; i++)
        ff_set_add(&p->jobs, e->signals[f->evidence[i]].who.job, arena);
    if (f->n_ranks) {
        add_named_ranks(p, identity, f, arena);
        return;
    }
    bool one_host = host.n && f->scope != FF_SCOPE_JOB;
    for (uint32_t i = 0; i < f->n_evidence && i < EVIDENCE_READ; i++) {
        const ff_signal *s = &e->signals[f->evidence[i]];
        ff_bytes there = ff_short_host(s->who.host);
        if (one_host && there.n && !ff_equal(there, host))
            continue;
        ff_set_add(&p->hosts, there, arena);
        add_who(p, &s->who, s->stream, arena);
        if (f->who.rank < 0)
            ff_number_set_add(&p->ranks, s->who.rank, arena);
    }
}

/* ---- what two places have in common ---- */
static ff_answer texts_same(const ff_set *a, const ff_set *b)
{
    if (!a->n || !b->n)
        return FF_MAYBE;
    for (uint32_t i = 0, j = 0; i < a->n && j < b->n;) {
        int order = ff_compare(a->at[i], b->at[j]);
        if (order == 0)
            return FF_YES;
        if (order < 0)
            i++;
        else
            j++;
    }
    return a->more || b->more ? FF_MAYBE : FF_NO;
}

static ff_answer numbers_same(const ff_number_set *a, const ff_number_set *b)
{
    if (!a->n || !b->n)
        return FF_MAYBE;
    for (uint32_t i = 0; i < a->n; i++)
        if (ff_number_set_has(b, a->at[i]))
            return FF_YES;
    return a->more || b->more ? FF_MAYBE : FF_NO;
}

/* One path is the other, or lies below it. */
static ff_answer cgroups_same(const ff_set *a, const ff_set *b)
{
    if (!a->n || !b->n)
        return FF_MAYBE;
    for (uint32_t i = 0; i < a->n; i++)
        for (uint32_t j = 0; j < b->n; j++) {
            ff_bytes up = a->at[i], down = b->at[j];
            if (up.n > down.n) {
                up = b->at[j];
                down = a->at[i];
            }
            if (ff_starts(down, up) && (down.n == up.n || down.p[up.n] == '/'))
                return FF_YES;
        }
    return a->more || b->more ? FF_MAYBE : FF_NO;
}

/* YES of any wins, then NO of any. */
static ff_answer any_of(const ff_answer *answers, unsigned n)
{
    ff_answer result = FF_MAYBE;
    for (unsigned i = 0; i < n; i++) {
        if (answers[i] == FF_YES)
            return FF_YES;
        if (answers[i] == FF_NO)
            result = FF_NO;
    }
    return result;
}

/* What is in a pod is in a cgroup of pods, whatever drives them: what is in others only is in none. */
static bool is_of_no_pod(const ff_place *p)
{
    for (uint32_t i = 0; i < p->cgroups.n; i++)
        if (ff_contains(p->cgroups.at[i], FF_LIT("kubepods")))
            return false;
    return p->cgroups.n && !p->cgroups.more && !p->pods.n && !p->pod_uids.n;
}

/* A container that no pod owns, and a pod: nothing of the one is a part of the other's job. */
static bool are_apart(const ff_place *a, const ff_place *b)
{
    return (a->pods.n && b->containers.n && is_of_no_pod(b)) || (b->pods.n && a->containers.n && is_of_no_pod(a));
}

static ff_answer containers_same(const ff_place *a, const ff_place *b)
{
    if ((a->pods.n && is_of_no_pod(b)) || (b->pods.n && is_of_no_pod(a)))
        return FF_NO;
    ff_answer answers[] = { texts_same(&a->containers, &b->containers), texts_same(&a->pod_uids, &b->pod_uids),
                            texts_same(&a->pods, &b->pods), cgroups_same(&a->cgroups, &b->cgroups) };
    ff_answer result = any_of(answers, FF_COUNT(answers));
    return result == FF_MAYBE && texts_same(&a->hosts, &b->hosts) == FF_NO ? FF_NO : result;
}

/* Numbers of a container and numbers of the node cannot be compared: identity joins those that are one process, which
 * then has the same rank. Where no container is known, equal ones are one process. */
static ff_answer pids_same(const ff_place *a, const ff_place *b)
{
    ff_answer straight[] = { numbers_same(&a->pids, &b->pids), numbers_same(&a->inner_pids, &b->inner_pids) };
    ff_answer result = any_of(straight, FF_COUNT(straight));
    if (result == FF_MAYBE && !a->contained && !b->contained &&
        (numbers_same(&a->pids, &b->inner_pids) == FF_YES || numbers_same(&a->inner_pids, &b->pids) == FF_YES))
        result = FF_YES;
    return result;
}

static ff_answer processes_same(const ff_place *a, const ff_place *b)
{
    ff_answer hosts = texts_same(&a->hosts, &b->hosts), ranks = numbers_same(&a->ranks, &b->ranks);
    if (hosts == FF_NO || ranks != FF_MAYBE)
        return hosts == FF_NO ? FF_NO : ranks;
    if (containers_same(a, b) == FF_NO)
        return FF_NO;
    ff_answer pids = pids_same(a, b);
    return pids == FF_YES && hosts != FF_YES ? FF_MAYBE : pids;
}

static ff_answer gpus_same(const ff_place *a, const ff_place *b)
{
    ff_answer uuids = texts_same(&a->uuids, &b->uuids), hosts = texts_same(&a->hosts, &b->hosts);
    if (uuids != FF_MAYBE || hosts == FF_NO)
        return uuids == FF_YES ? FF_YES : FF_NO;
    ff_answer gpus = texts_same(&a->gpus, &b->gpus);
    return gpus == FF_YES ? hosts : gpus; /* every machine has a 0000:3b:00 */
}

static ff_answer ranks_same(const ff_place *a, const ff_place *b)
{
    ff_answer ranks = numbers_same(&a->ranks, &b->ranks);
    return ranks == FF_MAYBE && texts_same(&a->hosts, &b->hosts) == FF_NO ? FF_NO : ranks;
}

static ff_answer has_other_rank(const ff_place *a, const ff_place *b)
{
    if (!a->ranks.n || !b->ranks.n)
        return processes_same(a, b) == FF_YES ? FF_NO : FF_MAYBE;
    for (uint32_t i = 0; i < b->ranks.n; i++)
        if (!ff_number_set_has(&a->ranks, b->ranks.at[i]))
            return FF_YES;
    return FF_NO;
}

bool ff_is_off_hosts(const ff_place *p, ff_bytes host)
{
    ff_bytes name = ff_short_host(host);
    return name.n && p->hosts.n && !ff_set_has(&p->hosts, name);
}

/* Every job of the one is another than every job of the other. */
bool ff_places_of_two_jobs(const ff_place *a, const ff_place *b)
{
    for (uint32_t i = 0; i < a->jobs.n; i++)
        for (uint32_t k = 0; k < b->jobs.n; k++)
            if (!ff_jobs_differ(a->jobs.at[i], b->jobs.at[k]))
                return false;
    return a->jobs.n && b->jobs.n && !a->jobs.more && !b->jobs.more;
}

ff_answer ff_place_same(const ff_place *a, const ff_place *b, ff_same same)
{
    if (ff_dies_with_attempt(same) && ff_places_of_two_jobs(a, b))
        return FF_NO;
    switch (same) {
    case FF_SAME_JOB:
        return are_apart(a, b) ? FF_NO : FF_YES;
    case FF_SAME_HOST:
        return texts_same(&a->hosts, &b->hosts);
    case FF_SAME_CGROUP:
        return containers_same(a, b);
    case FF_SAME_PROCESS:
        return processes_same(a, b);
    case FF_SAME_RANK:
        return ranks_same(a, b);
    case FF_SAME_GPU:
        return gpus_same(a, b);
    case FF_SAME_OTHER_RANK:
        return has_other_rank(a, b);
    }
    return FF_NO;
}
