/* Which job a line belongs to, where a bundle holds several. One job's exception does not explain another's hang.
 *   A job is named by Slurm (slurm-5001.out, SLURM_JOB_ID=5001, the cgroup job_5001, JobId=5001), by its pods
 * (train/ctr-big-worker-3 is of train/ctr-big), or, where two logs of two hosts each hold a rank 0 of their own, by
 * its log. Logs that share a communicator are one job's. What a machine says is of the job that ran there, by its
 * logs or by Slurm's lists of nodes. Names of different sorts are not held against each other. A bundle of one job,
 * as far as it shows, names none. */
#include "identity_private.h"

#include "../base/sorted.h"

#include <stdlib.h>

#define CLASHES_READ 64u  /* logs that are compared with each other */
#define COMMS_READ 20000u /* uses of communicators that are remembered */

typedef struct job_log { /* a member that a job wrote */
    ff_bytes name;       /* of its job; empty: not known */
    uint32_t zero;       /* first signal that rank 0 itself wrote into it; FF_NONE */
    bool wrote;
} job_log;

typedef struct comm_use {
    ff_bytes id;
    uint32_t member;
} comm_use;

typedef struct work {
    ff_evidence *e;
    ff_arena *arena;
    job_log *logs; /* by member */
    FF_VEC(comm_use) comms;
    ff_job_nodes nodes;
} work;

/* ---- names ---- */
static size_t digits_at(ff_bytes text, size_t at)
{
    size_t n = 0;
    while (at + n < text.n && ff_is_digit(text.p[at + n]))
        n++;
    return n;
}

/* Slurm's own name for output: slurm-5001.out, of an array's task slurm-5001_7.out, whose true id is another. */
static ff_bytes of_output_name(ff_bytes name, ff_arena *arena)
{
    const ff_bytes word = FF_LIT("slurm-");
    for (size_t at = name.n; at > 0; at--) {
        ff_bytes rest = ff_skip_n(name, at - 1);
        bool starts = at == 1 || name.p[at - 2] == '/' || name.p[at - 2] == '!';
        size_t n = starts && ff_starts(rest, word) ? digits_at(rest, word.n) : 0;
        if (n == 0)
            continue;
        size_t task = word.n + n < rest.n && rest.p[word.n + n] == '_' ? digits_at(rest, word.n + n + 1) : 0;
        if (task)
            return ff_arena_format(arena, "array %.*s", (int)(n + 1 + task), rest.p + word.n);
        return ff_arena_format(arena, "slurm %.*s", (int)n, rest.p + word.n);
    }
    return (ff_bytes){ 0 };
}

static ff_bytes of_cgroup(ff_bytes path, ff_arena *arena)
{
    const ff_bytes word = FF_LIT("/job_");
    for (size_t at = 0; at + word.n < path.n; at++) {
        ff_bytes rest = ff_skip_n(path, at);
        size_t n = ff_starts(rest, word) ? digits_at(rest, word.n) : 0;
        if (n)
            return ff_arena_format(arena, "slurm %.*s", (int)n, rest.p + word.n);
    }
    return (ff_bytes){ 0 };
}

/* A line of Slurm about a job. */
static ff_bytes of_slurm_line(const ff_signal *s, ff_arena *arena)
{
    for (uint32_t i = 0; s->stream == FF_STREAM_SLURM && i < s->n_fields; i++) {
        ff_bytes text = s->fields[i].s;
        if (ff_equal(s->fields[i].name, FF_LIT("job")) && ff_is_digits(text))
            return ff_arena_format(arena, "slurm %.*s", FF_SHOW(text));
    }
    return (ff_bytes){ 0 };
}

/* A job's own environment, printed into its output: SLURM_JOB_ID=88. */
static ff_bytes of_own_words(const ff_signal *s, ff_arena *arena)
{
    ff_bytes id = ff_signal_text(s, "own_job");
    return ff_is_digits(id) ? ff_arena_format(arena, "slurm %.*s", FF_SHOW(id)) : (ff_bytes){ 0 };
}

static bool is_role(ff_bytes word)
{
    static const char *const roles[] = { "worker", "master", "launcher", "leader", "head",
                                         "chief",  "node",   "ps",       "rank",   "evaluator" };
    for (unsigned i = 0; i < FF_COUNT(roles); i++)
        if (ff_equal(word, ff_str(roles[i])))
            return true;
    return ff_is_digits(word);
}

static ff_bytes namespace_of(ff_bytes pod)
{
    ff_bytes space = { 0 };
    return ff_take_until(&pod, '/', &space) ? space : (ff_bytes){ 0 };
}

/* What serves all jobs is of none. */
static bool serves_all(ff_bytes pod)
{
    static const char *const names[] = { "kube-", "gpu-operator", "nvidia", "network-operator", "openshift" };
    for (unsigned i = 0; i < FF_COUNT(names); i++)
        if (ff_starts(pod, ff_str(names[i])))
            return true;
    return false;
}

/* "pods train/ctr-big" of train/ctr-big-worker-3: the name without what numbers a pod and says its part. Where a name
 * says no part it may end in a hash, and only the namespace is sure: "pod" and that. */
static ff_bytes of_pod(ff_bytes pod, ff_arena *arena)
{
    ff_bytes base = pod;
    if (!namespace_of(pod).n || serves_all(pod)) /* some sources leave the namespace out */
        return (ff_bytes){ 0 };
    for (;;) {
        size_t at = base.n;
        while (at > 0 && base.p[at - 1] != '-' && base.p[at - 1] != '/')
            at--;
        if (at == 0 || base.p[at - 1] == '/' || !is_role(ff_skip_n(base, at)))
            break;
        base = ff_first_n(base, at - 1);
    }
    if (base.n < pod.n)
        return ff_arena_format(arena, "pods %.*s", FF_SHOW(base));
    return ff_arena_format(arena, "pod %.*s/*", FF_SHOW(namespace_of(pod)));
}

static ff_bytes sort_of(ff_bytes job)
{
    size_t n = 0;
    while (n < job.n && job.p[n] != ' ')
        n++;
    return ff_first_n(job, n);
}

/* Pods of another namespace are another job's. Within one only names that say a part of a job can be compared. */
static bool pods_differ(ff_bytes a, ff_bytes b)
{
    const ff_bytes parts = FF_LIT("pods ");
    ff_bytes x = ff_skip_n(a, sort_of(a).n + 1), y = ff_skip_n(b, sort_of(b).n + 1);
    if (!ff_equal(namespace_of(x), namespace_of(y)))
        return true;
    return ff_starts(a, parts) && ff_starts(b, parts) && !ff_starts(x.n < y.n ? y : x, x.n < y.n ? x : y);
}

bool ff_jobs_differ(ff_bytes a, ff_bytes b)
{
    if (!a.n || !b.n || ff_equal(a, b))
        return false;
    if (ff_starts(a, FF_LIT("pod")) && ff_starts(b, FF_LIT("pod")))
        return pods_differ(a, b);
    return ff_equal(sort_of(a), sort_of(b));
}

/* ---- logs ---- */
static bool is_output(const ff_member *m) { return (m->streams & FF_JOB_OUTPUT) && !m->unread; }

static void name_logs(work *w)
{
    for (uint32_t i = 0; i < w->e->n_members; i++) {
        const ff_member *m = &w->e->members[i];
        job_log *l = &w->logs[i];
        *l = (job_log){ .zero = FF_NONE, .wrote = is_output(m) };
        if (!l->wrote)
            continue;
        l->name = of_output_name(m->name, w->arena);
        if (!l->name.n)
            l->name = of_pod(m->who.pod, w->arena);
    }
    for (uint32_t i = 0; i < w->e->n_signals; i++) {
        const ff_signal *s = &w->e->signals[i];
        job_log *l = &w->logs[s->at.member];
        if (!l->wrote)
            continue;
        ff_bytes comm = ff_record_communicator(s);
        if (comm.n && w->comms.n < COMMS_READ)
            FF_PUSH(&w->comms, ((comm_use){ .id = comm, .member = s->at.member }));
        if (l->zero == FF_NONE && ff_record_who(s).rank == 0 && ff_record_world(s) == INT32_MAX)
            l->zero = i;
        if (!l->name.n)
            l->name = of_own_words(s, w->arena);
        if (!l->name.n)
            l->name = of_pod(s->who.pod, w->arena);
    }
}

static int by_id(const void *left, const void *right)
{
    const comm_use *a = left, *b = right;
    int order = ff_compare(a->id, b->id);
    return order ? order : (a->member > b->member) - (a->member < b->member);
}

/* Gives all logs of one name another. */
static void rename_job(work *w, ff_bytes from, ff_bytes to)
{
    for (uint32_t i = 0; i < w->e->n_members; i++)
        if (ff_equal(w->logs[i].name, from))
            w->logs[i].name = to;
}

/* Logs that share a communicator are of one job, and have one name: the first of theirs. */
static void join_by_communicator(work *w)
{
    if (w->comms.n)
        qsort(w->comms.at, w->comms.n, sizeof *w->comms.at, by_id);
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->comms.n; i++)
        if (n == 0 || by_id(&w->comms.at[n - 1], &w->comms.at[i]) != 0)
            w->comms.at[n++] = w->comms.at[i];
    w->comms.n = n;
    for (unsigned turn = 0; turn < 2; turn++) /* the second time brings names to logs that stood before them */
        for (uint32_t i = 1; i < w->comms.n; i++) {
            job_log *a = &w->logs[w->comms.at[i - 1].member], *b = &w->logs[w->comms.at[i].member];
            if (!ff_equal(w->comms.at[i - 1].id, w->comms.at[i].id) || ff_equal(a->name, b->name))
                continue;
            ff_bytes name = !a->name.n || (b->name.n && ff_compare(b->name, a->name) < 0) ? b->name : a->name;
            if (a->name.n && b->name.n)
                rename_job(w, ff_equal(name, a->name) ? b->name : a->name, name);
            a->name = b->name = name;
        }
}

static bool shares_communicator(const work *w, uint32_t a, uint32_t b)
{
    bool of_a = false, of_b = false;
    for (uint32_t i = 0; i < w->comms.n && !(of_a && of_b); i++) {
        if (i > 0 && !ff_equal(w->comms.at[i - 1].id, w->comms.at[i].id))
            of_a = of_b = false;
        of_a = of_a || w->comms.at[i].member == a;
        of_b = of_b || w->comms.at[i].member == b;
    }
    return of_a && of_b;
}

static bool overlap(const ff_member *a, const ff_member *b)
{
    if (a->has_utc && b->has_utc)
        return a->first_utc <= b->last_utc && b->first_utc <= a->last_utc;
    bool comparable = a->first_said.kind == b->first_said.kind && a->first_said.kind == FF_STAMP_LOCAL;
    return comparable && a->first_said.ns <= b->last_said.ns && b->first_said.ns <= a->last_said.ns;
}

/* Two hosts, each with a rank 0 that writes at the same time, and not the same lines: a job has one rank 0. */
static bool are_two_jobs(const work *w, uint32_t a, uint32_t b)
{
    const ff_member *x = &w->e->members[a], *y = &w->e->members[b];
    ff_bytes p = ff_short_host(x->who.host), q = ff_short_host(y->who.host);
    if (w->logs[a].zero == FF_NONE || w->logs[b].zero == FF_NONE || !p.n || !q.n || ff_equal(p, q))
        return false;
    const ff_signal *s = &w->e->signals[w->logs[a].zero], *t = &w->e->signals[w->logs[b].zero];
    return !ff_equal(s->quote, t->quote) && overlap(x, y) && !shares_communicator(w, a, b);
}

/* Logs without a name, of which two hold a rank 0 of their own: each is of a job of its host. */
static void name_by_clash(work *w)
{
    uint32_t at[CLASHES_READ], n = 0;
    for (uint32_t i = 0; i < w->e->n_members && n < CLASHES_READ; i++)
        if (w->logs[i].wrote && !w->logs[i].name.n && w->logs[i].zero != FF_NONE)
            at[n++] = i;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++)
            if (k != i && !w->logs[at[i]].name.n && are_two_jobs(w, at[i], at[k]))
                w->logs[at[i]].name =
                    ff_arena_format(w->arena, "log %.*s", FF_SHOW(ff_short_host(w->e->members[at[i]].who.host)));
}

/* A log whose pod says no part of a job may be of any job of its namespace: then its logs are not told apart. */
static void join_by_namespace(work *w)
{
    for (uint32_t i = 0; i < w->e->n_members; i++) {
        ff_bytes any = w->logs[i].name;
        for (uint32_t k = 0; k < w->e->n_members && ff_starts(any, FF_LIT("pod ")); k++)
            if (ff_starts(w->logs[k].name, FF_LIT("pods ")) &&
                ff_equal(namespace_of(ff_skip_n(any, 4)), namespace_of(ff_skip_n(w->logs[k].name, 5))))
                w->logs[k].name = any;
    }
}

/* ---- hosts ---- */
typedef struct host_job {
    ff_bytes host, job; /* job: empty when it has several */
} host_job;
typedef FF_VEC(host_job) host_jobs;

static int by_host(const void *left, const void *right)
{
    const host_job *a = left, *b = right;
    int order = ff_compare(a->host, b->host);
    return order ? order : ff_compare(a->job, b->job);
}

/* Hosts on which the bundle shows one job only. */
static host_jobs find_hosts(const work *w)
{
    host_jobs all = { 0 };
    for (uint32_t i = 0; i < w->e->n_members; i++) {
        ff_bytes host = ff_short_host(w->e->members[i].who.host);
        if (w->logs[i].wrote && host.n)
            FF_PUSH(&all, ((host_job){ .host = host, .job = w->logs[i].name }));
    }
    if (all.n)
        qsort(all.at, all.n, sizeof *all.at, by_host);
    uint32_t n = 0;
    for (uint32_t i = 0; i < all.n; i++) {
        if (!n || !ff_equal(all.at[n - 1].host, all.at[i].host))
            all.at[n++] = all.at[i];
        else if (!ff_equal(all.at[n - 1].job, all.at[i].job))
            all.at[n - 1].job = (ff_bytes){ 0 };
    }
    all.n = n;
    return all;
}

static ff_bytes job_of_host(const host_jobs *all, ff_bytes host)
{
    host_job first = { .host = host };
    uint32_t i = ff_sorted_slot(&first, all->at, all->n, sizeof first, by_host);
    return i < all->n && ff_equal(all->at[i].host, host) ? all->at[i].job : (ff_bytes){ 0 };
}

static bool is_listed(const work *w, ff_bytes job) { return ff_set_has(&w->nodes.listed, job); }

/* Can hosts be held against Slurm's lists? Only if the nodes of every job that wrote are listed. */
static bool are_all_listed(const work *w)
{
    bool any = false;
    for (uint32_t i = 0; i < w->e->n_members; i++) {
        if (w->logs[i].wrote && !is_listed(w, w->logs[i].name))
            return false;
        any = any || w->logs[i].wrote;
    }
    return any;
}

/* Hosts that the job's own output names were its, too: what is listed may be its last run only. */
static void find_nodes(work *w)
{
    ff_job_nodes_read(&w->nodes, w->e, w->arena);
    for (uint32_t i = 0; i < w->e->n_signals; i++) {
        const job_log *l = &w->logs[w->e->signals[i].at.member];
        ff_bytes nodes = ff_signal_text(&w->e->signals[i], "own_nodes");
        if (l->wrote && nodes.n && ff_starts(l->name, FF_LIT("slurm ")))
            ff_job_nodes_list(&w->nodes, nodes, l->name, w->arena);
    }
    for (uint32_t i = 0; i < w->e->n_members && w->nodes.listed.n == 1; i++)
        if (w->logs[i].wrote &&
            !w->logs[i].name.n) /* the only job that Slurm tells of wrote what is without a name */
            w->logs[i].name = w->nodes.listed.at[0];
    if (!are_all_listed(w))
        w->nodes.more = true;
    for (uint32_t i = 0; i < w->e->n_signals; i++) {
        const ff_signal *s = &w->e->signals[i];
        if (w->logs[s->at.member].wrote)
            ff_job_nodes_add(&w->nodes, s->who.host, w->logs[s->at.member].name);
    }
    for (uint32_t i = 0; i < w->e->n_members; i++)
        if (w->logs[i].wrote)
            ff_job_nodes_add(&w->nodes, w->e->members[i].who.host, w->logs[i].name);
    ff_job_nodes_settle(&w->nodes);
}

/* ---- lines ---- */
static ff_bytes job_of(const work *w, const host_jobs *hosts, const ff_signal *s)
{
    const job_log *l = &w->logs[s->at.member];
    if (l->wrote && l->name.n)
        return l->name;
    ff_bytes own = of_cgroup(s->who.cgroup, w->arena);
    own = own.n ? own : of_slurm_line(s, w->arena);
    own = own.n ? own : of_pod(s->who.pod, w->arena);
    if (own.n || l->wrote)
        return own;
    own = job_of_host(hosts, ff_short_host(s->who.host));
    own = own.n ? own : ff_job_nodes_of_line(&w->nodes, s, w->arena);
    return own.n ? own : ff_job_nodes_find(&w->nodes, ff_short_host(s->who.host));
}

/* A log of a job, and one of a machine that no job was given, which no rule may judge together with the jobs'. */
static ff_bytes job_of_log(const work *w, uint32_t member)
{
    ff_bytes host = ff_short_host(w->e->members[member].who.host);
    bool elsewhere = !w->logs[member].wrote && ff_equal(ff_job_nodes_find(&w->nodes, host), ff_job_elsewhere);
    return elsewhere ? ff_job_elsewhere : w->logs[member].name;
}

/* The only job that wrote anything wrote the logs without a name, too. */
static void name_the_rest(work *w)
{
    ff_bytes only = { 0 };
    for (uint32_t i = 0; i < w->e->n_members; i++) {
        ff_bytes name = w->logs[i].name;
        if (name.n && only.n && !ff_equal(name, only))
            return;
        only = name.n ? name : only;
    }
    for (uint32_t i = 0; i < w->e->n_members; i++)
        if (w->logs[i].wrote)
            w->logs[i].name = only;
}

static bool are_several(const ff_evidence *e)
{
    ff_bytes before = { 0 };
    for (uint32_t i = 0; i < e->n_signals; i++) {
        ff_bytes job = e->signals[i].who.job;
        if (ff_jobs_differ(before, job))
            return true;
        before = job.n ? job : before;
    }
    return false;
}

ff_bytes ff_slurm_job(const ff_evidence *e, ff_bytes job, ff_arena *arena)
{
    const ff_bytes word = FF_LIT("slurm ");
    ff_bytes only = ff_starts(job, word) ? job : (ff_bytes){ 0 };
    for (uint32_t i = 0; i < e->n_signals + e->n_members && !job.n; i++) {
        bool member = i >= e->n_signals;
        ff_bytes name = member ? of_output_name(e->members[i - e->n_signals].name, arena)
                               : of_cgroup(e->signals[i].who.cgroup, arena);
        name = name.n || member ? name : of_slurm_line(&e->signals[i], arena);
        if (only.n && ff_starts(name, word) && !ff_equal(name, only))
            return (ff_bytes){ 0 };
        only = ff_starts(name, word) ? name : only;
    }
    return ff_skip_n(only, word.n);
}

void ff_jobs_find(ff_evidence *e, ff_arena *arena)
{
    work w = { .e = e, .arena = arena, .logs = ff_alloc(((size_t)e->n_members + 1) * sizeof(job_log)) };
    name_logs(&w);
    join_by_namespace(&w);
    join_by_communicator(&w);
    name_by_clash(&w);
    name_the_rest(&w);
    find_nodes(&w);
    host_jobs hosts = find_hosts(&w);
    for (uint32_t i = 0; i < e->n_signals; i++)
        e->signals[i].who.job = job_of(&w, &hosts, &e->signals[i]);
    bool several = are_several(e);
    for (uint32_t i = 0; i < e->n_signals && !several; i++)
        e->signals[i].who.job = (ff_bytes){ 0 };
    for (uint32_t i = 0; i < e->n_members && several; i++)
        e->members[i].who.job = job_of_log(&w, i);
    ff_job_nodes_done(&w.nodes);
    ff_free(hosts.at);
    ff_free(w.comms.at);
    ff_free(w.logs);
}
