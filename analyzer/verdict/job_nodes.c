/* Which nodes Slurm gave to which job: sacct's and scontrol's NodeList, SLURM_JOB_NODELIST in the job's own output,
 * and what else of a job stands beside a node in Slurm's lines. A machine that no job of the bundle was given is none
 * of theirs, and what it suffers is another story. Said only of a machine that is called as the given ones are, but
 * for its number: a server of files or the controller has a name of another make, is on no list either, and may well
 * end a job. */
#include "identity_private.h"

#include "../../parsers/hostlist.h"
#include "../base/sorted.h"

#include <stdlib.h>

/* Beyond these nothing is said. */
#define MOST_GIVEN 200000u /* nodes of all jobs together */
#define MOST_MAKES 64u     /* kinds of names of nodes */

const ff_bytes ff_job_elsewhere = { "slurm none of these", sizeof "slurm none of these" - 1 };

static int by_host(const void *left, const void *right)
{
    const ff_given_node *a = left, *b = right;
    int order = ff_compare(a->host, b->host);
    return order ? order : ff_compare(a->job, b->job);
}

static void add(ff_job_nodes *n, ff_bytes host, ff_bytes job)
{
    if (n->given.n < MOST_GIVEN)
        FF_PUSH(&n->given, ((ff_given_node){ .host = ff_short_host(host), .job = job }));
    else
        n->more = true;
}

/* "88" of "88", and of the part "88+0" of a job that has several; a task of an array has an id that output does not
 * show: its nodes are given, and to whom is not said. */
static ff_bytes job_of_id(ff_bytes id, ff_arena *arena)
{
    ff_bytes number = ff_first_n(id, ff_find(id, FF_LIT("+")));
    return ff_is_digits(number) ? ff_arena_format(arena, "slurm %.*s", FF_SHOW(number)) : (ff_bytes){ 0 };
}

/* A list that is cut at its column tells less than it seems to. */
static bool expand(ff_bytes nodes, ff_arena *arena, ff_hostlist *list)
{
    return nodes.n && !ff_ends(nodes, FF_LIT("+")) && ff_hostlist_expand(nodes, arena, list);
}

void ff_job_nodes_list(ff_job_nodes *n, ff_bytes nodes, ff_bytes job, ff_arena *arena)
{
    ff_hostlist list;
    if (!expand(nodes, arena, &list)) {
        n->more = n->more || !ff_contains(nodes, FF_LIT(" ")); /* "None assigned" */
        return;
    }
    for (uint32_t i = 0; i < list.n; i++)
        add(n, list.at[i], job);
    if (job.n)
        ff_set_add(&n->listed, job, arena);
}

static void add_line(ff_job_nodes *n, const ff_signal *s, ff_arena *arena)
{
    ff_bytes id = ff_signal_text(s, "job"), nodes = ff_signal_text(s, "nodes"), node = ff_signal_text(s, "node");
    ff_hostlist list;
    if (!id.n)
        return;
    ff_bytes job = job_of_id(id, arena);
    if (node.n)
        add(n, node, job);
    if (nodes.n && !ff_signal_text(s, "step").n)
        ff_job_nodes_list(n, nodes, job, arena);
    else if (expand(nodes, arena, &list)) /* of a step, which need not have them all */
        for (uint32_t i = 0; i < list.n; i++)
            add(n, list.at[i], job);
    else
        n->more = n->more || (nodes.n && !ff_contains(nodes, FF_LIT(" ")));
}

void ff_job_nodes_read(ff_job_nodes *n, const ff_evidence *e, ff_arena *arena)
{
    for (uint32_t i = 0; i < e->n_signals; i++)
        if (e->signals[i].stream == FF_STREAM_SLURM)
            add_line(n, &e->signals[i], arena);
}

void ff_job_nodes_add(ff_job_nodes *n, ff_bytes host, ff_bytes job)
{
    if (host.n)
        add(n, host, job);
}

static bool is_of_a_make(const ff_job_nodes *n, ff_bytes host)
{
    for (uint32_t i = 0; i < n->makes.n; i++)
        if (ff_hosts_alike(host, n->makes.at[i]))
            return true;
    return false;
}

/* Asked for every record of a machine that no job was given: a cluster has few kinds of names, and many names. */
static void list_makes(ff_job_nodes *n)
{
    for (uint32_t i = 0; i < n->given.n && !n->more; i++) {
        if (is_of_a_make(n, n->given.at[i].host))
            continue;
        if (n->makes.n < MOST_MAKES)
            FF_PUSH(&n->makes, n->given.at[i].host);
        else
            n->more = true;
    }
}

void ff_job_nodes_settle(ff_job_nodes *n)
{
    uint32_t kept = 0;
    if (n->given.n)
        qsort(n->given.at, n->given.n, sizeof *n->given.at, by_host);
    for (uint32_t i = 0; i < n->given.n; i++)
        if (!kept || by_host(&n->given.at[kept - 1], &n->given.at[i]) != 0)
            n->given.at[kept++] = n->given.at[i];
    n->given.n = kept;
    list_makes(n);
}

ff_bytes ff_job_nodes_find(const ff_job_nodes *n, ff_bytes host)
{
    ff_given_node first = { .host = host };
    uint32_t i = ff_sorted_slot(&first, n->given.at, n->given.n, sizeof first, by_host);
    if (!host.n || n->more || !n->listed.n)
        return (ff_bytes){ 0 };
    if (i < n->given.n && ff_equal(n->given.at[i].host, host)) {
        bool several = i + 1 < n->given.n && ff_equal(n->given.at[i + 1].host, host);
        return several ? (ff_bytes){ 0 } : n->given.at[i].job;
    }
    return is_of_a_make(n, host) ? ff_job_elsewhere : (ff_bytes){ 0 };
}

/* Of a line of Slurm that names nodes and no job: "Nodes n9 not responding". */
ff_bytes ff_job_nodes_of_line(const ff_job_nodes *n, const ff_signal *s, ff_arena *arena)
{
    ff_hostlist list;
    ff_bytes nodes = s->stream == FF_STREAM_SLURM ? ff_signal_text(s, "nodes") : (ff_bytes){ 0 };
    if (!expand(nodes, arena, &list))
        return (ff_bytes){ 0 };
    ff_bytes job = ff_job_nodes_find(n, ff_short_host(list.at[0]));
    for (uint32_t i = 1; i < list.n; i++)
        if (!ff_equal(job, ff_job_nodes_find(n, ff_short_host(list.at[i]))))
            return (ff_bytes){ 0 };
    return job;
}

void ff_job_nodes_done(ff_job_nodes *n)
{
    ff_free(n->given.at);
    ff_free(n->makes.at);
}
