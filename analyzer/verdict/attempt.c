/* Attempts of a restarted job, and what came back. A launcher that starts the
 * ranks again says so, and what a program did before that cannot bring about
 * what it does after; what is wrong with a machine can. */
#include "verdict_private.h"

#define STARTS_READ 1024u
/* Other ranks' progress runs on for a while behind a failure. */
#define SURVIVED FF_MINUTES(1)
#define AT_ONCE FF_MINUTES(1)
#define HOSTS_AT_ONCE 64u
#define SHARED_BY 3u /* hosts: two may be chance, or one and its peer */

ff_mark ff_mark_of(const ff_case *c, uint32_t i)
{
    return ff_kind_signature(c->rules, c->evidence->signals[c->marks[i]].kind)->marks;
}

static bool is_before(const ff_signal *a, const ff_signal *b) { return ff_signal_order(a, b) == FF_ORDER_BEFORE; }

bool ff_is_of_other_job(const ff_place *p, const ff_signal *s)
{
    uint32_t i = 0;
    while (i < p->jobs.n && ff_jobs_differ(p->jobs.at[i], s->who.job))
        i++;
    return i > 0 && i == p->jobs.n;
}

/* Was the job started anew between the two, as far as the clocks or the names of its logs prove it? */
static bool starts_between(const ff_case *c, const ff_signal *a, const ff_signal *b)
{
    if (ff_is_of_later_run(c, a, b))
        return true;
    for (uint32_t i = 0; i < c->n_marks && i < STARTS_READ; i++) {
        const ff_signal *start = &c->evidence->signals[c->marks[i]];
        if (ff_mark_of(c, i) == FF_MARK_START && !ff_jobs_differ(a->who.job, start->who.job) && is_before(a, start) &&
            is_before(start, b))
            return true;
    }
    return false;
}

/* Was all of `a` seen in an attempt before the one in which `b` began? */
bool ff_attempt_ends_between(const ff_case *c, const ff_onset *a, const ff_onset *b)
{
    const ff_evidence *e = c->evidence;
    bool between = (c->has_starts || c->has_runs) && a->n_latest && b->n_evidence;
    for (uint32_t i = 0; i < a->n_latest && between; i++)
        for (uint32_t k = 0; k < b->n_evidence && between; k++)
            between = starts_between(c, &e->signals[a->latest[i]], &e->signals[b->evidence[k]]);
    return between;
}

bool ff_attempts_differ(const ff_case *c, const ff_onset *a, const ff_onset *b)
{
    return ff_attempt_ends_between(c, a, b) || ff_attempt_ends_between(c, b, a);
}

/* What binds cause and effect only within one life of the processes, and so within one job. */
bool ff_dies_with_attempt(ff_same same)
{
    return same == FF_SAME_JOB || same == FF_SAME_PROCESS || same == FF_SAME_RANK || same == FF_SAME_OTHER_RANK;
}

static bool is_elsewhere(const ff_group *g, const ff_signal *progress)
{
    return ff_is_of_other_job(&g->place, progress) || ff_is_off_hosts(&g->place, progress->who.host);
}

static bool is_said_by_job(const ff_case *c, const ff_finding *f)
{
    const uint32_t own = FF_STREAM_APP | FF_STREAM_NCCL;
    uint32_t k = 0;
    while (k < f->n_evidence && c->evidence->signals[f->evidence[k]].stream & own)
        k++;
    return f->n_evidence && k == f->n_evidence;
}

static bool is_group_said_by_job(const ff_case *c, const ff_group *g)
{
    for (uint32_t i = 0; i < g->n_members; i++)
        if (!is_said_by_job(c, &c->findings[g->members[i]]))
            return false;
    return g->n_members != 0;
}

/* Did the job go on when the last sign of this was a while ago? Ranks move in lockstep, so progress of any of them on
 * that host is the job's. A later attempt counts only for what the job itself said: a machine's fault stays. */
bool ff_was_survived(const ff_case *c, const ff_group *g)
{
    const ff_evidence *e = c->evidence;
    bool own = is_group_said_by_job(c, g);
    for (uint32_t i = c->n_marks; i > 0 && c->n_marks - i < STARTS_READ; i--) {
        const ff_signal *mark = &e->signals[c->marks[i - 1]];
        bool after = ff_mark_of(c, i - 1) != FF_MARK_START && !is_elsewhere(g, mark) && g->onset.n_latest != 0;
        for (uint32_t k = 0; k < g->onset.n_latest && after; k++) {
            const ff_signal *last = &e->signals[g->onset.latest[k]];
            int64_t gap = 0;
            ff_signal at = ff_signal_last(mark); /* folded lines: the last of them */
            after = is_before(last, &at) && ff_signal_gap(last, &at, &gap) && gap > SURVIVED &&
                    (own || !starts_between(c, last, &at));
        }
        if (after)
            return true;
    }
    return false;
}

/* ---- what came back ---- */
static bool shares(const ff_bytes *a, uint32_t n_a, const ff_bytes *b, uint32_t n_b)
{
    for (uint32_t i = 0; i < n_a; i++)
        for (uint32_t k = 0; k < n_b; k++)
            if (ff_equal(a[i], b[k]))
                return true;
    return false;
}

static uint32_t attempts_of(const ff_case *c, const ff_finding *f)
{
    uint32_t n = f->n_evidence != 0;
    for (uint32_t k = 1; k < f->n_evidence; k++)
        n += starts_between(c, &c->evidence->signals[f->evidence[k - 1]], &c->evidence->signals[f->evidence[k]]);
    return n;
}

static uint32_t attempts(const ff_case *c, const ff_incident *in)
{
    uint32_t most = 0, lives = 0;
    const ff_finding *last = NULL;
    for (uint32_t i = 0; i < in->n_chain; i++) {
        const ff_finding *f = &c->findings[in->chain[i].finding];
        if (in->chain[i].role > FF_ROLE_CONTRIBUTING || !f->n_evidence)
            continue;
        uint32_t own = attempts_of(c, f);
        most = own > most ? own : most;
        const ff_signal *here = &c->evidence->signals[f->evidence[0]];
        lives += !last || starts_between(c, &c->evidence->signals[last->evidence[last->n_evidence - 1]], here);
        last = f;
    }
    return lives > most ? lives : most;
}

typedef struct first_on { /* a host, and the first line there */
    ff_bytes host;
    const ff_signal *signal;
} first_on;

static uint32_t note_host(first_on *hosts, uint32_t n, const ff_signal *s)
{
    ff_bytes host = ff_short_host(s->who.host);
    for (uint32_t i = 0; i < n; i++)
        if (ff_equal(hosts[i].host, host))
            return n;
    if (host.n && n < HOSTS_AT_ONCE)
        hosts[n++] = (first_on){ .host = host, .signal = s };
    return n;
}

static bool is_suspected(const ff_suspects *s, ff_bytes host)
{
    for (uint32_t i = 0; i < s->n_hosts; i++)
        if (ff_equal(ff_short_host(s->hosts[i]), ff_short_host(host)))
            return true;
    return false;
}

/* How many of the suspected hosts show the root's cause, each within a minute of the first, as far as the clocks
 * tell; 0: some host had it at another time. A host that only complains of another is no suspect, and a wait that all
 * see together (a timeout) is of the whole job. */
static uint32_t hosts_at_once(const ff_case *c, const ff_incident *in)
{
    first_on hosts[HOSTS_AT_ONCE];
    uint32_t n = 0;
    const ff_finding *root = &c->findings[in->root];
    for (uint32_t i = 0; i < in->n_chain; i++) {
        const ff_finding *f = &c->findings[in->chain[i].finding];
        bool own = in->chain[i].role <= FF_ROLE_CONTRIBUTING && f->cause == root->cause && f->scope != FF_SCOPE_JOB;
        for (uint32_t k = 0; k < f->n_evidence && own; k++) {
            const ff_signal *s = &c->evidence->signals[f->evidence[k]];
            n = is_suspected(&in->suspects, s->who.host) ? note_host(hosts, n, s) : n;
        }
    }
    for (uint32_t i = 1; i < n; i++) {
        int64_t gap = 0;
        if (!ff_signal_gap(hosts[0].signal, hosts[i].signal, &gap) || gap > AT_ONCE)
            return 0;
    }
    return n;
}

/* The same on one GPU again and again is that GPU; the same in every attempt is
 * nothing that a restart mends; the same on several hosts at once is what they
 * share. Added to the reason of the verdict's confidence. */
void ff_tell_recurrence(const ff_case *c, ff_incident *all, uint32_t n, uint32_t own)
{
    ff_incident *in = &all[own];
    const ff_suspects *s = &in->suspects;
    uint32_t gpus = 0, hosts = 0, lives = attempts(c, in), cause = c->findings[in->root].cause;
    for (uint32_t i = 0; i < n; i++) {
        if (i == own || c->findings[all[i].root].cause != cause)
            continue;
        bool gpu = shares(s->gpus, s->n_gpus, all[i].suspects.gpus, all[i].suspects.n_gpus);
        bool host = shares(s->hosts, s->n_hosts, all[i].suspects.hosts, all[i].suspects.n_hosts);
        gpus += gpu && (host || !s->n_hosts);
        hosts += host && !gpu;
    }
    ff_text t;
    ff_text_init(&t, 512);
    ff_text_add(&t, in->confidence_why);
    bool hardware = ff_equal(c->rules->causes[cause].recovery, FF_LIT("node"));
    if (gpus)
        ff_text_addf(&t, "; the same GPU had it %u time%s before or after%s", gpus, gpus == 1 ? "" : "s",
                     hardware ? ": the hardware, not the program" : "");
    else if (hosts)
        ff_text_addf(&t, "; the same host had it %u time%s before or after", hosts, hosts == 1 ? "" : "s");
    uint32_t together = hosts_at_once(c, in);
    if (together >= SHARED_BY)
        ff_text_addf(&t, "; %u hosts%s had it within a minute: %s, before any of them", together,
                     together == HOSTS_AT_ONCE ? " or more" : "",
                     hardware ? "look for what they share (power, cooling, fabric, driver)"
                              : "look at what they share (the program, its input, a service)");
    if (lives > 1)
        ff_text_addf(&t, "; it came back in %u attempts: a restart does not mend it", lives);
    in->confidence_why = ff_arena_copy(c->arena, ff_text_view(&t));
    ff_text_done(&t);
}
