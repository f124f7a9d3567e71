/* Which host and rank each member belongs to. In this order, and the first that says something wins:
 *   the hosts that stand in its own records; a known host in its folder or file name; the node of a pod in it; the
 * name of a support bundle; a uname or hostname output beside it; a folder whose siblings are hosts; a name that
 * splits into a host and a kind of output; the only host there is, unless its name speaks of another.
 */
#include "intake_private.h"
#include "layout_private.h"

#include <stdlib.h>
#include <string.h>

void ff_layout_set(ff_member *m, ff_bytes host, ff_bytes why)
{
    if (m->who.host.n || !host.n)
        return;
    m->who.host = host;
    m->host_why = why;
}

/* ---- rows of each member ---- */

static void index_rows(ff_layout *l)
{
    ff_evidence *e = l->evidence;
    l->first_sample = FF_NEW_N(l->arena, uint32_t, (size_t)e->n_members + 1);
    l->first_signal = FF_NEW_N(l->arena, uint32_t, (size_t)e->n_members + 1);
    for (uint32_t i = 0, a = 0, b = 0; i <= e->n_members; i++) {
        while (a < e->n_samples && e->samples[a].member < i)
            a++;
        while (b < e->n_signals && e->signals[b].at.member < i)
            b++;
        l->first_sample[i] = a;
        l->first_signal[i] = b;
    }
}

/* Does the signal only speak of that host? What a line captured is whom it is about, not where it was written. */
static bool host_is_captured(const ff_signal *s)
{
    for (uint32_t i = 0; i < s->n_fields; i++)
        if (s->fields[i].type == FF_FIELD_HOST && ff_equal(s->fields[i].s, s->who.host))
            return true;
    return false;
}

/* ---- known hosts ---- */

static void learn_hosts(ff_layout *l)
{
    ff_evidence *e = l->evidence;
    for (uint32_t i = 0; i < e->n_samples; i++)
        if (!l->of_container[e->samples[i].member])
            ff_hosts_add(&l->known, e->samples[i].host);
    for (uint32_t i = 0; i < e->n_signals; i++)
        if (!l->of_container[e->signals[i].at.member])
            ff_hosts_add(&l->known, e->signals[i].who.host);
    for (uint32_t i = 0; i < e->n_members; i++)
        if (!l->of_container[i])
            ff_hosts_add(&l->known, e->members[i].who.host);
    ff_hosts_sort(&l->known);
}

static void forget_if_pod(const ff_layout *l, uint32_t member, ff_bytes *host)
{
    if (l->of_container[member] && host->n && !ff_hosts_find(&l->known, *host).n)
        *host = (ff_bytes){ NULL, 0 };
}

/* What containers call their host is the name of their pod, unless others know it as a host. With no host known from
 * elsewhere, pods are all that there is to tell speakers apart. */
static void forget_pods(ff_layout *l)
{
    ff_evidence *e = l->evidence;
    if (l->known.at.n == 0)
        return;
    for (uint32_t i = 0; i < e->n_samples; i++)
        forget_if_pod(l, e->samples[i].member, &e->samples[i].host);
    for (uint32_t i = 0; i < e->n_signals; i++)
        forget_if_pod(l, e->signals[i].at.member, &e->signals[i].who.host);
    for (uint32_t i = 0; i < e->n_members; i++) {
        ff_member *m = &e->members[i];
        forget_if_pod(l, i, &m->who.host);
        m->host_why = m->who.host.n ? m->host_why : (ff_bytes){ NULL, 0 };
    }
}

/* The node of a pod's host name; the short name, where the bundle knows the host by that as well. */
static ff_bytes one_name(const ff_layout *l, ff_bytes host)
{
    const ff_pod_node *pod = ff_pod_nodes_find(&l->pods, host);
    host = pod ? pod->node : host;
    const char *dot = host.n ? memchr(host.p, '.', host.n) : NULL;
    if (!dot || (host.p[0] >= '0' && host.p[0] <= '9'))
        return host;
    ff_bytes label = { host.p, (size_t)(dot - host.p) };
    ff_bytes found = ff_hosts_find(&l->known, label);
    return ff_equal(found, label) ? found : host;
}

/* Who calls himself like a pod is in it: his numbers of processes are the pod's. */
static void note_pod(const ff_layout *l, ff_signal *s)
{
    bool speaks = (s->stream & FF_JOB_OUTPUT) && !s->who.pod.n && !host_is_captured(s);
    const ff_pod_node *pod = speaks ? ff_pod_nodes_find(&l->pods, s->who.host) : NULL;
    if (pod)
        s->who.pod = pod->full;
}

static void unify_names(ff_layout *l)
{
    ff_evidence *e = l->evidence;
    for (uint32_t i = 0; i < e->n_samples; i++)
        e->samples[i].host = one_name(l, e->samples[i].host);
    for (uint32_t i = 0; i < e->n_signals; i++) {
        note_pod(l, &e->signals[i]);
        e->signals[i].who.host = one_name(l, e->signals[i].who.host);
    }
    for (uint32_t i = 0; i < e->n_members; i++)
        e->members[i].who.host = one_name(l, e->members[i].who.host);
    for (uint32_t i = 0; i < l->known.at.n; i++)
        l->known.at.at[i] = one_name(l, l->known.at.at[i]);
    ff_hosts_sort(&l->known);
}

/* ---- its own records ---- */

static int by_bytes(const void *a, const void *b) { return ff_compare(*(const ff_bytes *)a, *(const ff_bytes *)b); }

/* The host of at least nine tenths of the records that name one: a driver's log names those of its workers, too. */
static ff_bytes most_named(ff_bytes *hosts, uint32_t n)
{
    ff_bytes best = { NULL, 0 };
    uint32_t best_n = 0;
    if (n)
        qsort(hosts, n, sizeof *hosts, by_bytes);
    for (uint32_t i = 0, run = 0; i < n; i++) {
        run = i > 0 && ff_equal(hosts[i], hosts[i - 1]) ? run + 1 : 1;
        if (run > best_n) {
            best = hosts[i];
            best_n = run;
        }
    }
    return best_n * 10 >= n * 9 ? best : (ff_bytes){ NULL, 0 };
}

static void host_of_records(ff_layout *l, uint32_t i)
{
    ff_evidence *e = l->evidence;
    uint32_t room = l->first_sample[i + 1] - l->first_sample[i] + l->first_signal[i + 1] - l->first_signal[i], n = 0;
    ff_bytes *hosts = ff_alloc(room * sizeof *hosts);
    for (uint32_t k = l->first_sample[i]; k < l->first_sample[i + 1]; k++)
        if (e->samples[k].host.n)
            hosts[n++] = e->samples[k].host;
    for (uint32_t k = l->first_signal[i]; k < l->first_signal[i + 1] && !e->members[i].document; k++)
        if (e->signals[k].who.host.n && !host_is_captured(&e->signals[k]))
            hosts[n++] = e->signals[k].who.host;
    ff_layout_set(&e->members[i], most_named(hosts, n), FF_LIT("its own records name it"));
    ff_free(hosts);
}

/* ---- names ---- */

static ff_bytes find_in_input(ff_layout *l, const ff_input *in)
{
    ff_bytes host = ff_hosts_find_in(&l->known, in->name);
    return host.n ? host : ff_hosts_find_in(&l->known, in->file);
}

static void host_of_pod(ff_layout *l, ff_member *m)
{
    static const char WHY[] = "its name holds a pod that ran on that node";
    if (m->document)
        return;
    if (!m->who.pod.n)
        ff_name_pod(m->name, &m->who, l->arena);
    const ff_pod_node *pod = m->who.pod.n ? ff_pod_nodes_find(&l->pods, ff_after_last(m->who.pod, '/')) : NULL;
    ff_layout_set(m, pod ? pod->node : ff_pod_nodes_find_in(&l->pods, m->name), FF_LIT(WHY));
}

static void host_of_name(ff_layout *l, uint32_t i)
{
    ff_member *m = &l->evidence->members[i];
    const ff_input *in = &l->evidence->inputs[m->input];
    ff_layout_set(m, ff_hosts_find_in(&l->known, m->name), FF_LIT("its name holds a host that the bundle knows"));
    host_of_pod(l, m);
    ff_layout_set(m, ff_name_support_host(m->name), FF_LIT("name of the support bundle"));
    ff_layout_set(m, find_in_input(l, in), FF_LIT("the input's name holds a host that the bundle knows"));
    ff_bytes support = ff_name_support_host(in->name);
    ff_layout_set(m, support.n ? support : ff_name_support_host(in->file), FF_LIT("name of the support bundle"));
}

/* ---- names that split into a host and a kind of output ---- */

typedef struct guess {
    ff_bytes folder, about, kind, host; /* host: what the records of that member say; may be empty */
    uint32_t member;
    bool of_host;
} guess;

static int by_about(const void *a, const void *b)
{
    const guess *x = a, *y = b;
    int order = ff_compare(x->folder, y->folder);
    if (order == 0)
        order = ff_compare(x->about, y->about);
    return order ? order : x->member < y->member ? -1 : x->member > y->member;
}

static bool has_digit(ff_bytes b)
{
    for (size_t i = 0; i < b.n; i++)
        if (b.p[i] >= '0' && b.p[i] <= '9')
            return true;
    return false;
}

/* Is there a file of the same kind about something else? "n1_vllm.log" and "n2_vllm.log" are about two hosts. */
static bool has_sibling(const guess *all, uint32_t n, const guess *g)
{
    for (uint32_t i = 0; i < n; i++)
        if (ff_equal(all[i].folder, g->folder) && g->kind.n && ff_equal(all[i].kind, g->kind) &&
            !ff_equal(all[i].about, g->about) && has_digit(all[i].about))
            return true;
    return false;
}

/* "node3" beside a known node1. Files whose name says nothing may still be of the only host that speaks. */
static const ff_bytes like_known = { "its file name, which is like a known host's",
                                     sizeof "its file name, which is like a known host's" - 1 };
static bool is_like_known(const ff_hosts *known, ff_bytes about)
{
    uint32_t i = 0;
    while (i < known->at.n && !ff_hosts_alike(known->at.at[i], about))
        i++;
    return i < known->at.n;
}

/* g[0..n): members of one folder that are about the same thing. */
static ff_bytes host_of_group(const ff_hosts *known, const guess *all, uint32_t n_all, const guess *g, uint32_t n,
                              ff_bytes *why)
{
    ff_bytes host = { NULL, 0 };
    bool of_host = false, two_kinds = false, sibling = false;
    for (uint32_t i = 0; i < n; i++) {
        if (g[i].host.n && host.n && !ff_equal(host, g[i].host))
            return (ff_bytes){ NULL, 0 };
        host = g[i].host.n ? g[i].host : host;
        of_host = of_host || g[i].of_host;
        two_kinds = two_kinds || (g[i].kind.n && !ff_equal(g[i].kind, g[0].kind));
        sibling = sibling || has_sibling(all, n_all, &g[i]);
    }
    if (host.n)
        return host;
    bool sure = of_host ? two_kinds || has_digit(g->about) : sibling && has_digit(g->about);
    *why = sure ? *why : like_known;
    return sure || (g->kind.n && is_like_known(known, g->about)) ? g->about : (ff_bytes){ NULL, 0 };
}

#define MOST_GUESSES 4096u /* comparing each with each: larger bundles are not flat folders named by hand */

static void hosts_of_guesses(ff_layout *l)
{
    ff_evidence *e = l->evidence;
    FF_VEC(guess) all = { 0 };
    for (uint32_t i = 0; i < e->n_members && all.n < MOST_GUESSES; i++) {
        ff_name_guess g = ff_guess_name(e->members[i].name);
        if (g.about.n)
            FF_PUSH(&all, ((guess){ ff_name_folder(e->members[i].name), g.about, g.kind, e->members[i].who.host, i,
                                    g.of_host }));
    }
    if (all.n && all.n < MOST_GUESSES)
        qsort(all.at, all.n, sizeof *all.at, by_about);
    for (uint32_t i = 0, end; i < all.n && all.n < MOST_GUESSES; i = end) {
        for (end = i + 1; end < all.n && ff_equal(all.at[end].about, all.at[i].about) &&
                          ff_equal(all.at[end].folder, all.at[i].folder);
             end++)
            ;
        ff_bytes why = FF_LIT("its file name"),
                 host = host_of_group(&l->known, all.at, all.n, &all.at[i], end - i, &why);
        for (uint32_t k = i; k < end; k++)
            ff_layout_set(&e->members[all.at[k].member], host, why);
    }
    ff_free(all.at);
}

/* ---- the only host ---- */

/* A log of the whole cluster speaks of hosts that the rest need not come from, and its own host runs no job. */
static bool is_vouched(const ff_layout *l, ff_bytes host)
{
    const ff_evidence *e = l->evidence;
    bool *cluster = FF_NEW_N(l->arena, bool, (size_t)e->n_members + 1);
    for (uint32_t i = 0; i < e->n_members; i++) {
        cluster[i] = ff_name_is_of_cluster(e->members[i].name);
        if (!cluster[i] && ff_equal(e->members[i].who.host, host))
            return true;
    }
    for (uint32_t i = 0; i < e->n_samples; i++)
        if (!cluster[e->samples[i].member] && ff_equal(e->samples[i].host, host))
            return true;
    for (uint32_t i = 0; i < e->n_signals; i++)
        if (!cluster[e->signals[i].at.member] && ff_equal(e->signals[i].who.host, host))
            return true;
    return false;
}

/* The part of a name behind `from`, if it is a folder. */
static bool take_folder(ff_bytes name, size_t from, ff_bytes *part)
{
    size_t end = from;
    while (end < name.n && name.p[end] != '/' && name.p[end] != '!')
        end++;
    *part = (ff_bytes){ name.p + from, end - from };
    return end < name.n;
}

#define MOST_PARENTS 16u

/* Folders that hold one called like the host: "" of "n1/dmesg", with the separator behind it. */
static uint32_t parents_of(const ff_evidence *e, ff_bytes host, ff_bytes parents[MOST_PARENTS])
{
    uint32_t n = 0;
    ff_bytes part;
    for (uint32_t i = 0; i < e->n_members && n < MOST_PARENTS; i++)
        for (size_t at = 0; n < MOST_PARENTS && take_folder(e->members[i].name, at, &part); at += part.n + 1) {
            ff_bytes parent = ff_first_n(e->members[i].name, at);
            if (ff_equal(part, host) && (n == 0 || !ff_equal(parents[n - 1], parent)))
                parents[n++] = parent;
        }
    return n;
}

/* "n2/train.log", where "oss1/messages" is of oss1: of another machine, if n2 is one. */
static bool stands_beside(const ff_bytes *parents, uint32_t n, ff_bytes name, ff_bytes host)
{
    ff_bytes part;
    for (uint32_t i = 0; i < n; i++)
        if (ff_starts(name, parents[i]) && take_folder(name, parents[i].n, &part) && !ff_equal(part, host) &&
            has_digit(part) && ff_name_may_be_host(part))
            return true;
    return false;
}

static void host_of_bundle(ff_layout *l)
{
    ff_evidence *e = l->evidence;
    for (uint32_t i = 0; i < e->n_members; i++)
        if (!ff_equal(e->members[i].host_why, like_known))
            ff_hosts_add(&l->known, e->members[i].who.host);
    ff_hosts_sort(&l->known);
    if (l->known.at.n != 1 || !is_vouched(l, l->known.at.at[0]))
        return;
    ff_bytes only = l->known.at.at[0], parents[MOST_PARENTS];
    uint32_t n_parents = parents_of(e, ff_first_n(only, ff_find(only, FF_LIT("."))), parents);
    for (uint32_t i = 0; i < e->n_members; i++)
        if (!ff_name_is_of_cluster(e->members[i].name) && !ff_name_is_of_other_host(e->members[i].name, only) &&
            !stands_beside(parents, n_parents, e->members[i].name, only))
            ff_layout_set(&e->members[i], only, FF_LIT("the only host in the bundle"));
}

/* ---- from members to what stands in them ---- */

static void set_ranks(ff_member *m)
{
    if (m->who.rank == FF_NO_NUMBER)
        m->who.rank = ff_name_rank(m->name);
    if (m->who.local_rank == FF_NO_NUMBER)
        m->who.local_rank = ff_name_local_rank(m->name);
}

/* What a container prints is its pod's. */
static void fill_pod(ff_signal *s, const ff_who *of)
{
    if (!of->pod.n || !(s->stream & FF_JOB_OUTPUT) || s->who.pod.n || s->who.pod_uid.n || s->who.container.n)
        return;
    s->who.pod = of->pod;
    s->who.pod_uid = of->pod_uid;
    s->who.container = of->container;
}

static void fill_rows(ff_layout *l)
{
    ff_evidence *e = l->evidence;
    for (uint32_t i = 0; i < e->n_signals; i++) {
        ff_who *who = &e->signals[i].who;
        const ff_who *of = &e->members[e->signals[i].at.member].who;
        who->host = who->host.n ? who->host : of->host;
        fill_pod(&e->signals[i], of);
        who->rank = who->rank != FF_NO_NUMBER ? who->rank : of->rank;
        who->local_rank = who->local_rank != FF_NO_NUMBER ? who->local_rank : of->local_rank;
    }
    for (uint32_t i = 0; i < e->n_samples; i++)
        if (!e->samples[i].host.n)
            e->samples[i].host = e->members[e->samples[i].member].who.host;
    for (uint32_t i = 0; e->dumps && i < e->dumps->n; i++)
        if (e->dumps->at[i]->rank == FF_NO_NUMBER)
            e->dumps->at[i]->rank = e->members[e->dumps->at[i]->member].who.rank;
}

void ff_layout_assign(ff_evidence *evidence, ff_arena *arena)
{
    ff_layout l = { .evidence = evidence, .arena = arena };
    index_rows(&l);
    ff_pod_nodes_learn(&l.pods, evidence);
    l.of_container = FF_NEW_N(arena, bool, (size_t)evidence->n_members + 1);
    for (uint32_t i = 0; i < evidence->n_members; i++)
        l.of_container[i] = ff_name_is_of_container(evidence->members[i].name);
    learn_hosts(&l);
    unify_names(&l);
    forget_pods(&l);
    for (uint32_t i = 0; i < evidence->n_members; i++)
        host_of_records(&l, i);
    for (uint32_t i = 0; i < evidence->n_members; i++)
        host_of_name(&l, i);
    ff_layout_speakers(&l);
    ff_layout_folders(&l);
    hosts_of_guesses(&l);
    host_of_bundle(&l);
    for (uint32_t i = 0; i < evidence->n_members; i++)
        set_ranks(&evidence->members[i]);
    fill_rows(&l);
    ff_hosts_done(&l.known);
    ff_pod_nodes_done(&l.pods);
}
