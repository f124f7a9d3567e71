/* Who is who: names that stand together in one record mean one thing, and complete each other elsewhere.
 *   NCCL's init line: host, pid, rank, PCI address. A launcher's table: local rank, pid, rank. Kubelet's PLEG: pod,
 * pod UID, container. An OOM report: pid, cgroup. A member's folder and name: host, rank. A pid means something on
 * its host only; inside a container the numbers are those of the container. */
#include "identity_private.h"

#include "../base/sorted.h"

#include <stdlib.h>

#define ROUNDS 3u /* cgroup -> container -> pod UID -> pod takes one round each when the chain is read backwards */

/* ---- pods that call themselves hosts ---- */
typedef struct alias { /* in a pod the host name is the pod's; it runs on a node */
    ff_bytes short_name, pod, node;
    bool unclear; /* two pods of that name, or on several nodes */
} alias;
typedef FF_VEC(alias) aliases;

static int by_short_name(const void *left, const void *right)
{
    const alias *a = left, *b = right;
    int order = ff_compare(a->short_name, b->short_name);
    order = order ? order : ff_compare(a->pod, b->pod);
    return order ? order : ff_compare(a->node, b->node);
}

static aliases find_aliases(const ff_evidence *e)
{
    aliases all = { 0 };
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const ff_who *who = &e->signals[i].who;
        ff_bytes name = ff_after_last(who->pod, '/'), node = ff_short_host(who->host);
        if (!name.n || !node.n || ff_equal(name, node) || !ff_record_shows_node(&e->signals[i]))
            continue;
        const alias *last = all.n ? &all.at[all.n - 1] : NULL;
        if (!last || !ff_equal(last->pod, who->pod) || !ff_equal(last->node, node))
            FF_PUSH(&all, ((alias){ .short_name = name, .pod = who->pod, .node = node }));
    }
    if (all.n)
        qsort(all.at, all.n, sizeof *all.at, by_short_name);
    uint32_t n = 0;
    for (uint32_t i = 0; i < all.n; i++) {
        alias *last = n ? &all.at[n - 1] : NULL;
        if (!last || !ff_equal(last->short_name, all.at[i].short_name))
            all.at[n++] = all.at[i];
        else if (!ff_equal(last->pod, all.at[i].pod) || !ff_equal(last->node, all.at[i].node))
            last->unclear = true;
    }
    all.n = n;
    return all;
}

static const alias *alias_of(const aliases *all, ff_bytes host)
{
    alias first = { .short_name = host };
    uint32_t i = ff_sorted_slot(&first, all->at, all->n, sizeof first, by_short_name);
    bool found = i < all->n && host.n && ff_equal(all->at[i].short_name, host) && !all->at[i].unclear;
    return found ? &all->at[i] : NULL;
}

/* The node of the pod that calls itself host; NULL where it is none, or where the node's name is a pod's as well. */
static const alias *node_behind(const aliases *all, ff_bytes host)
{
    const alias *a = alias_of(all, ff_short_host(host));
    return a && !alias_of(all, a->node) ? a : NULL;
}

/* ---- collecting ---- */
static ff_person person_of(const ff_who *who, uint32_t stream, ff_bytes pid_scope)
{
    return (ff_person){ .who = who, .stream = stream, .pid_scope = pid_scope, .nvml = FF_NO_NUMBER };
}

static void collect(ff_pairs *p, const ff_evidence *e, const ff_bytes *scopes, ff_arena *arena)
{
    for (uint32_t i = 0; i < e->n_members; i++) {
        const ff_member *m = &e->members[i];
        ff_pair proto = { .signal = FF_NONE, .member = i, .weight = INT32_MAX, .device = FF_NO_NUMBER };
        ff_person who = person_of(&m->who, m->streams, ff_short_host(m->who.host));
        proto.inferred = true;
        ff_pairs_add(p, &who, false, &proto);
    }
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const ff_signal *s = &e->signals[i];
        ff_who together = ff_record_who(s);
        ff_person who = ff_record_person(s, &together, scopes[i], arena);
        ff_pair proto = { .signal = i,
                          .member = s->at.member,
                          .weight = ff_record_world(s),
                          .device = together.device >= 0 ? together.device : together.gpu_index,
                          .communicator = ff_record_communicator(s) };
        ff_pairs_add(p, &who, ff_record_shows_node(s), &proto);
        ff_pairs_add_adapters(p, &who, ff_record_adapters(s), &proto);
    }
}

/* ---- logs of one process ---- */
typedef struct lone { /* the only rank and the only process that speak in a member */
    uint32_t rank_signal, pid_signal;
    bool many;
} lone;

/* What a line says of its speaker's rank in the job. */
static bool says_own_rank(const ff_signal *s, const ff_who *who)
{
    return who->rank >= 0 && (ff_record_world(s) == INT32_MAX ? ff_record_own_rank(s) : true);
}

static void note_lone(const ff_evidence *e, uint32_t i, lone *l)
{
    const ff_signal *s = &e->signals[i];
    ff_who who = ff_record_who(s);
    if (!(s->stream & (FF_STREAM_NCCL | FF_STREAM_APP)))
        return;
    if (who.pid >= 0 && l->pid_signal == FF_NONE)
        l->pid_signal = i;
    else if (who.pid >= 0)
        l->many = l->many || e->signals[l->pid_signal].who.pid != who.pid;
    if (who.rank < 0)
        return;
    if (l->rank_signal != FF_NONE)
        l->many = l->many || e->signals[l->rank_signal].who.rank != who.rank;
    else if (says_own_rank(s, &who))
        l->rank_signal = i;
}

/* A log in which one process speaks, and that names one rank: the process is that rank. */
static void join_lone(ff_pairs *p, const ff_evidence *e, const ff_bytes *scopes)
{
    lone *all = ff_alloc(((size_t)e->n_members + 1) * sizeof *all);
    for (uint32_t i = 0; i < e->n_members; i++)
        all[i] = (lone){ .rank_signal = FF_NONE, .pid_signal = FF_NONE, .many = e->members[i].document };
    for (uint32_t i = 0; i < e->n_signals; i++)
        note_lone(e, i, &all[e->signals[i].at.member]);
    for (uint32_t i = 0; i < e->n_members; i++) {
        if (all[i].many || all[i].rank_signal == FF_NONE || all[i].pid_signal == FF_NONE)
            continue;
        const ff_signal *s = &e->signals[all[i].pid_signal], *said = &e->signals[all[i].rank_signal];
        ff_person who = person_of(&s->who, s->stream, scopes[all[i].pid_signal]);
        ff_pair proto = { .signal = all[i].rank_signal,
                          .member = i,
                          .weight = ff_record_world(said),
                          .device = FF_NO_NUMBER,
                          .inferred = true };
        ff_pairs_add_rank(p, &who, said->who.rank, &proto);
    }
    ff_free(all);
}

/* ---- pids whose host is not said ---- */
typedef struct pid_use {
    int32_t pid;
    ff_bytes host;
} pid_use;
typedef struct pid_uses {
    pid_use *at;
    uint32_t n;
} pid_uses;

static int by_pid(const void *left, const void *right)
{
    const pid_use *a = left, *b = right;
    int order = (a->pid > b->pid) - (a->pid < b->pid);
    return order ? order : ff_compare(a->host, b->host);
}

static pid_uses find_pid_uses(const ff_evidence *e)
{
    pid_uses u = { .at = ff_alloc(((size_t)e->n_signals + 1) * sizeof(pid_use)) };
    for (uint32_t i = 0; i < e->n_signals; i++)
        if (e->signals[i].who.pid >= 0)
            u.at[u.n++] = (pid_use){ .pid = e->signals[i].who.pid, .host = ff_short_host(e->signals[i].who.host) };
    qsort(u.at, u.n, sizeof *u.at, by_pid);
    uint32_t n = 0; /* each once: a process writes many lines */
    for (uint32_t i = 0; i < u.n; i++)
        if (!n || by_pid(&u.at[n - 1], &u.at[i]) != 0)
            u.at[n++] = u.at[i];
    u.n = n;
    return u;
}

/* The only host that uses this pid, or the empty name when no host is known for it. False: several do. */
static bool only_host_of(const pid_uses *u, int32_t pid, ff_bytes *host)
{
    pid_use first = { .pid = pid };
    *host = (ff_bytes){ 0 };
    for (uint32_t i = ff_sorted_slot(&first, u->at, u->n, sizeof first, by_pid); i < u->n && u->at[i].pid == pid;
         i++) {
        if (host->n && u->at[i].host.n && !ff_equal(*host, u->at[i].host))
            return false;
        if (u->at[i].host.n)
            *host = u->at[i].host;
    }
    return true;
}

/* ---- completing ---- */
typedef struct book {
    ff_pairs pairs;
    pid_uses pids;
} book;

/* "rank 0 on cuda:0" without a pid speaks of the only process of the host that uses this device. */
static const ff_name *of_only_process(const book *b, const ff_person *p, ff_name device, ff_name_kind to)
{
    ff_name cuda = { .kind = FF_NAME_CUDA_INDEX, .number = device.number, .scope = ff_short_host(p->who->host) };
    if (!ff_pairs_find(&b->pairs, &cuda, FF_NAME_PID))
        return NULL;
    device.of = FF_NO_NUMBER;
    device.scope = cuda.scope;
    return ff_pairs_find(&b->pairs, &device, to);
}

static const ff_name *look_up(const book *b, const ff_person *p, ff_name_kind from, ff_name_kind to)
{
    ff_name name = ff_name_of(p, from);
    if (from == FF_NAME_CUDA_INDEX && p->who->gpu_index < 0)
        return NULL; /* only what the text itself calls a device: a thread may not have chosen one yet */
    const ff_name *found = name.kind == FF_NAME_NONE ? NULL : ff_pairs_find(&b->pairs, &name, to);
    if (!found && name.kind == FF_NAME_DEVICE && name.of >= 0)
        return of_only_process(b, p, name, to);
    if (found || name.kind != FF_NAME_PID)
        return found;
    const ff_name *same = to == FF_NAME_PID ? NULL : ff_pairs_find(&b->pairs, &name, FF_NAME_PID);
    found = same ? ff_pairs_find(&b->pairs, same, to) : NULL; /* the same process, by its number elsewhere */
    if (found)
        return found;
    ff_bytes host = { 0 }; /* a line without a host, or a table without one, speaks of the only host with this pid */
    if (!only_host_of(&b->pids, p->who->pid, &host))
        return NULL;
    name.scope = p->pid_scope.n ? (ff_bytes){ 0 } : host;
    return ff_pairs_find(&b->pairs, &name, to);
}

/* What is found must not belong to another host than the one that is known. */
static const ff_name *find(const book *b, const ff_person *p, ff_name_kind from, ff_name_kind to)
{
    const ff_name *found = look_up(b, p, from, to);
    bool fits = found && (!found->scope.n || found->kind == FF_NAME_RANK || !p->who->host.n ||
                          ff_equal(found->scope, ff_short_host(p->who->host)));
    return fits ? found : NULL;
}

static bool fill_text(const book *b, const ff_person *p, ff_bytes *field, ff_name_kind kind, const ff_name_kind *from,
                      unsigned n)
{
    for (unsigned i = 0; i < n && !field->n; i++) {
        const ff_name *found = find(b, p, from[i], kind);
        if (found)
            *field = found->text;
        if (found)
            return true;
    }
    return false;
}

static bool fill_number(const book *b, const ff_person *p, int32_t *field, ff_name_kind kind,
                        const ff_name_kind *from, unsigned n)
{
    for (unsigned i = 0; i < n && *field < 0; i++) {
        const ff_name *found = find(b, p, from[i], kind);
        if (found)
            *field = found->number;
        if (found)
            return true;
    }
    return false;
}

/* A line that names a process of its own is of the GPU's rank only if that may be this process: neighbours use GPUs,
 * too. */
static bool is_of_another(const book *b, const ff_person *p)
{
    const ff_name *rank = p->who->pid >= 0 && p->who->rank < 0 ? find(b, p, FF_NAME_GPU, FF_NAME_RANK) : NULL;
    const ff_name *pid = rank ? ff_pairs_find(&b->pairs, rank, FF_NAME_PID) : NULL;
    return pid && pid->number != p->who->pid && p->pid_scope.n && ff_equal(pid->scope, p->pid_scope);
}

#define FROM(...)                                                                                                    \
    (const ff_name_kind[]){ __VA_ARGS__ },                                                                           \
        (unsigned)(sizeof((const ff_name_kind[]){ __VA_ARGS__ }) / sizeof(ff_name_kind))

/* One round; false: nothing new. The surest source of a name stands first. */
static bool complete(const book *b, const ff_person *p, ff_who *w)
{
    bool more = false;
    more |= fill_text(b, p, &w->container, FF_NAME_CONTAINER, FROM(FF_NAME_CGROUP, FF_NAME_PID, FF_NAME_RANK));
    more |= fill_text(b, p, &w->pod_uid, FF_NAME_POD_UID, FROM(FF_NAME_CONTAINER, FF_NAME_CGROUP));
    more |=
        fill_text(b, p, &w->pod, FF_NAME_POD, FROM(FF_NAME_POD_UID, FF_NAME_CONTAINER, FF_NAME_PID, FF_NAME_RANK));
    more |= fill_text(b, p, &w->host, FF_NAME_HOST, FROM(FF_NAME_POD, FF_NAME_RANK));
    more |= fill_text(
        b, p, &w->gpu, FF_NAME_GPU,
        FROM(FF_NAME_UUID, FF_NAME_GPU_INDEX, FF_NAME_DEVICE, FF_NAME_PID, FF_NAME_RANK, FF_NAME_CUDA_INDEX));
    more |= fill_text(b, p, &w->gpu_uuid, FF_NAME_UUID, FROM(FF_NAME_GPU, FF_NAME_GPU_INDEX));
    more |= fill_text(b, p, &w->process, FF_NAME_PROCESS, FROM(FF_NAME_PID));
    more |= fill_number(b, p, &w->rank, FF_NAME_RANK, FROM(FF_NAME_DEVICE, FF_NAME_PID));
    if (w->rank < 0 && !is_of_another(b, p))
        more |= fill_number(b, p, &w->rank, FF_NAME_RANK, FROM(FF_NAME_GPU, FF_NAME_LOCAL_RANK));
    more |= fill_number(b, p, &w->local_rank, FF_NAME_LOCAL_RANK, FROM(FF_NAME_PID, FF_NAME_RANK));
    more |= fill_number(b, p, &w->pid, FF_NAME_PID, FROM(FF_NAME_RANK));
    if (p->stream & (FF_STREAM_KERNEL | FF_STREAM_GPU))
        more |= fill_number(b, p, &w->gpu_index, FF_NAME_GPU_INDEX, FROM(FF_NAME_GPU, FF_NAME_UUID));
    return more;
}

/* In a line of a smaller communicator the rank is a number within that; the pid knows the job's. */
static void use_job_rank(const book *b, const ff_person *p, ff_signal *s)
{
    if (ff_record_world(s) == INT32_MAX || s->who.rank < 0)
        return;
    const ff_name *rank = find(b, p, FF_NAME_PID, FF_NAME_RANK);
    if (rank)
        s->who.rank = rank->number;
}

static void complete_all(const book *b, ff_evidence *e, const ff_bytes *scopes)
{
    for (uint32_t i = 0; i < e->n_signals; i++) {
        ff_signal *s = &e->signals[i];
        ff_person p = person_of(&s->who, s->stream, scopes[i]);
        use_job_rank(b, &p, s);
        for (unsigned round = 0; round < ROUNDS && complete(b, &p, &s->who); round++)
            ;
    }
}

/* ---- members whose host only their lines tell ---- */
typedef struct of_member {
    ff_bytes host;
    uint32_t signal;
    bool several;
} of_member;

/* A kernel log is of one machine: where its pids, containers or pods run, all of it was said. */
static void name_kernel_logs(ff_evidence *e, ff_arena *arena)
{
    of_member *all = ff_alloc(((size_t)e->n_members + 1) * sizeof *all);
    for (uint32_t i = 0; i < e->n_members; i++)
        all[i] = (of_member){ .several = e->members[i].who.host.n != 0 };
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const ff_signal *s = &e->signals[i];
        of_member *m = &all[s->at.member];
        if (s->stream != FF_STREAM_KERNEL || !s->who.host.n)
            continue;
        m->several = m->several || (m->host.n && !ff_equal(ff_short_host(m->host), ff_short_host(s->who.host)));
        if (!m->host.n)
            *m = (of_member){ .host = s->who.host, .signal = i, .several = m->several };
    }
    for (uint32_t i = 0; i < e->n_members; i++) {
        if (all[i].several || !all[i].host.n)
            continue;
        e->members[i].who.host = all[i].host;
        e->members[i].host_why =
            ff_arena_format(arena, "what line %u names runs there", e->signals[all[i].signal].at.line);
    }
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const of_member *m = &all[e->signals[i].at.member];
        if (!m->several && m->host.n && !e->signals[i].who.host.n)
            e->signals[i].who.host = m->host;
    }
    ff_free(all);
}

/* What a pod says that calls itself a host was said on its node. */
static void move_to_nodes(const aliases *all, ff_evidence *e, ff_arena *arena)
{
    for (uint32_t i = 0; i < e->n_signals; i++) {
        ff_who *who = &e->signals[i].who;
        const alias *a = alias_of(all, ff_short_host(who->host));
        if (a && !who->pod.n)
            who->pod = a->pod;
        a = node_behind(all, who->host);
        who->host = a ? a->node : who->host;
    }
    for (uint32_t i = 0; i < e->n_members; i++) {
        ff_member *m = &e->members[i];
        const alias *a = node_behind(all, m->who.host);
        if (!a)
            continue;
        m->host_why = ff_arena_format(arena, "%.*s%spod %.*s runs on that node", FF_SHOW(m->host_why),
                                      m->host_why.n ? "; " : "", FF_SHOW(a->pod));
        m->who.host = a->node;
        m->who.pod = m->who.pod.n ? m->who.pod : a->pod;
    }
}

ff_identity ff_identify(ff_evidence *evidence, ff_arena *arena)
{
    ff_addresses_move(evidence, arena);
    aliases pods = find_aliases(evidence);
    move_to_nodes(&pods, evidence, arena);
    ff_free(pods.at);
    for (uint32_t i = 0; i < evidence->n_signals; i++)
        ff_record_read(&evidence->signals[i], arena);
    ff_jobs_find(evidence, arena);
    ff_tasks_check(evidence);
    book b = { .pids = find_pid_uses(evidence) };
    ff_pairs_init(&b.pairs);
    ff_bytes *scopes = ff_spaces_of_pids(evidence, arena);
    collect(&b.pairs, evidence, scopes, arena);
    join_lone(&b.pairs, evidence, scopes);
    ff_agents_join(&b.pairs, evidence);
    ff_pairs_settle(&b.pairs);
    complete_all(&b, evidence, scopes);
    /* whose number is whose is known once it is known where everybody runs */
    ff_spaces_join(&b.pairs, evidence, scopes);
    ff_deaths_join(&b.pairs, evidence, scopes, arena);
    ff_devices_join(&b.pairs, evidence, scopes, arena);
    ff_communicators_join(&b.pairs, evidence, scopes, arena);
    if (b.pairs.more.n) {
        ff_pairs_settle(&b.pairs);
        complete_all(&b, evidence, scopes);
    }
    ff_identity id = ff_pairs_joins(&b.pairs, evidence, arena);
    name_kernel_logs(evidence, arena);
    ff_pairs_done(&b.pairs);
    ff_free(b.pids.at);
    ff_free(scopes);
    return id;
}
