/* One process, two numbers. What a container counts as pid 77 is another number on its node, and the node's pid 77 is
 * somebody else. Equal numbers of two spaces say nothing; these do:
 *   a line of the node that gives both numbers (NSpid of /proc/PID/status), if its container is known, or if only one
 *   container of that node speaks with the inner number;
 *   a container without a space of its own (hostPID, docker's --pid=host): there both numbers are the same.
 * Not understood: spaces within spaces, of which the outermost and the innermost number are used. */
#include "identity_private.h"

#include "../base/sorted.h"

#include <stdlib.h>

#define CAP_SPACES 65536u /* lines that say both numbers; containers that share their node's */

/* ---- what nodes say ---- */
typedef struct number_pair { /* one process of a node */
    ff_bytes host, scope;    /* scope: the pod or container in which it is inner; empty: not said */
    ff_bytes text;           /* pid, as it stands there */
    int32_t pid, inner;
    uint32_t signal;
} number_pair;

typedef struct shared { /* a pod or container that counts as its node does */
    ff_bytes scope;
    uint32_t signal;
} shared;

typedef struct spoken { /* a container that speaks with a number */
    ff_bytes host, scope;
    int32_t pid;
} spoken;

typedef FF_VEC(spoken) voices;
typedef struct facts {
    FF_VEC(number_pair) pairs;
    FF_VEC(shared) shares; /* by scope once all are read */
    voices speakers;       /* by host and number */
    voices outer, inner;   /* numbers of the pairs, by host and number */
} facts;

static ff_bytes space_of(const ff_who *who) { return who->pod.n ? who->pod : who->container; }

static bool says_inner(const ff_signal *s, int32_t *inner)
{
    int64_t n = ff_signal_int(s, "inner_pid", -1);
    *inner = n >= 0 && n < INT32_MAX ? (int32_t)n : FF_NO_NUMBER;
    return *inner >= 0 && s->who.pid >= 0 && s->who.host.n;
}

static bool says_shared(const ff_signal *s)
{
    return ff_equal(ff_signal_text(s, "host_pid"), FF_LIT("true")) ||
           ff_equal(ff_signal_text(s, "pid_mode"), FF_LIT("host"));
}

/* Most signals are passed over without a look at their fields. */
static bool may_say(const ff_signal *s)
{
    return s->kind == FF_FACT_POD || s->kind == FF_FACT_CONTAINER_INSPECT ||
           (s->who.pid >= 0 && (s->stream & FF_STREAM_HOST));
}

/* ---- tables ---- */
static int by_speaker(const void *left, const void *right)
{
    const spoken *a = left, *b = right;
    int order = ff_compare(a->host, b->host);
    order = order ? order : (a->pid > b->pid) - (a->pid < b->pid);
    return order ? order : ff_compare(a->scope, b->scope);
}

static int by_scope(const void *left, const void *right)
{
    const shared *a = left, *b = right;
    int order = ff_compare(a->scope, b->scope);
    return order ? order : (a->signal > b->signal) - (a->signal < b->signal);
}

static void sort_voices(voices *v)
{
    uint32_t n = 0;
    if (v->n)
        qsort(v->at, v->n, sizeof *v->at, by_speaker);
    for (uint32_t i = 0; i < v->n; i++)
        if (!n || by_speaker(&v->at[n - 1], &v->at[i]) != 0)
            v->at[n++] = v->at[i];
    v->n = n;
}

/* How many different ones of that host have this number, and the first of them. */
static uint32_t count_voices(const voices *v, ff_bytes host, int32_t pid, const spoken **first)
{
    spoken key = { .host = host, .pid = pid };
    uint32_t from = ff_sorted_slot(&key, v->at, v->n, sizeof key, by_speaker), n = 0;
    *first = from < v->n ? &v->at[from] : NULL;
    while (from + n < v->n && v->at[from + n].pid == pid && ff_equal(v->at[from + n].host, host))
        n++;
    return n;
}

static facts read_facts(const ff_evidence *e)
{
    facts f = { 0 };
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const ff_signal *s = &e->signals[i];
        int32_t inner = 0;
        if (!may_say(s))
            continue;
        if (says_inner(s, &inner) && f.pairs.n < CAP_SPACES)
            FF_PUSH(&f.pairs, ((number_pair){ .host = ff_short_host(s->who.host),
                                              .scope = space_of(&s->who),
                                              .pid = s->who.pid,
                                              .text = ff_signal_text(s, "pid"),
                                              .inner = inner,
                                              .signal = i }));
        else if (says_shared(s) && space_of(&s->who).n && f.shares.n < CAP_SPACES)
            FF_PUSH(&f.shares, ((shared){ .scope = space_of(&s->who), .signal = i }));
    }
    for (uint32_t i = 0; i < f.pairs.n; i++) {
        const number_pair *p = &f.pairs.at[i];
        FF_PUSH(&f.outer, ((spoken){ .host = p->host, .pid = p->pid }));
        FF_PUSH(&f.inner, ((spoken){ .host = p->host, .pid = p->inner, .scope = p->text }));
    }
    sort_voices(&f.outer);
    sort_voices(&f.inner);
    if (f.shares.n)
        qsort(f.shares.at, f.shares.n, sizeof *f.shares.at, by_scope);
    return f;
}

static void free_facts(facts *f)
{
    ff_free(f->outer.at);
    ff_free(f->inner.at);
    ff_free(f->pairs.at);
    ff_free(f->shares.at);
    ff_free(f->speakers.at);
}

/* ---- where a job's own output counts its processes ---- */
/* A line that a process wrote of itself; what a look at the node says of its processes is not. */
static bool is_voice(const ff_signal *s)
{
    int32_t inner;
    return s->who.pid >= 0 && (s->stream & FF_JOB_OUTPUT) && !s->who.cgroup.n && !says_inner(s, &inner);
}

/* A log of a node, of no pod or container that it names, may have been written in one: NSpid shows that its number is
 * an inner one, and no process of the node has it. */
static bool is_inner_number(const facts *f, ff_bytes host, int32_t pid)
{
    const spoken *first;
    return count_voices(&f->inner, host, pid, &first) && !count_voices(&f->outer, host, pid, &first);
}

ff_bytes *ff_spaces_of_pids(const ff_evidence *e, ff_arena *arena)
{
    facts f = read_facts(e);
    ff_bytes *scopes = ff_alloc(((size_t)e->n_signals + 1) * sizeof *scopes);
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const ff_signal *s = &e->signals[i];
        ff_bytes host = ff_short_host(s->who.host), space = space_of(&s->who);
        scopes[i] = host;
        if (s->who.pid < 0 || !is_voice(s))
            continue;
        if (space.n)
            scopes[i] = space;
        else if (f.inner.n && is_inner_number(&f, host, s->who.pid))
            scopes[i] = ff_arena_format(arena, "a container of %.*s", FF_SHOW(host));
    }
    free_facts(&f);
    return scopes;
}

/* ---- joining ---- */
static void find_speakers(facts *f, const ff_evidence *e, const ff_bytes *scopes)
{
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const ff_signal *s = &e->signals[i];
        ff_bytes host = ff_short_host(s->who.host);
        if (is_voice(s) && host.n && scopes[i].n && !ff_equal(scopes[i], host))
            FF_PUSH(&f->speakers, ((spoken){ .host = host, .scope = scopes[i], .pid = s->who.pid }));
    }
    sort_voices(&f->speakers);
}

/* The only container of the node that speaks with the inner number; empty: none, several, or several such processes.
 */
static ff_bytes only_speaker(const facts *f, const number_pair *said)
{
    const spoken *first;
    if (count_voices(&f->inner, said->host, said->inner, &first) != 1 ||
        count_voices(&f->speakers, said->host, said->inner, &first) != 1)
        return (ff_bytes){ 0 };
    return first->scope;
}

static void join_numbers(ff_pairs *p, const ff_evidence *e, const facts *f)
{
    for (uint32_t i = 0; i < f->pairs.n; i++) {
        const number_pair *said = &f->pairs.at[i];
        ff_bytes scope = said->scope.n ? said->scope : only_speaker(f, said);
        ff_pair proto = { .signal = said->signal,
                          .member = e->signals[said->signal].at.member,
                          .weight = INT32_MAX,
                          .device = FF_NO_NUMBER,
                          .inferred = !said->scope.n,
                          .why = said->scope.n ? FF_LIT("both numbers stand in")
                                               : FF_LIT("only this container speaks with the inner number of") };
        if (scope.n)
            ff_pairs_add_same(p, said->host, said->pid, scope, said->inner, &proto);
    }
}

static void join_shared(ff_pairs *p, const ff_evidence *e, const facts *f)
{
    for (uint32_t i = 0; i < f->speakers.n && f->shares.n; i++) {
        const spoken *s = &f->speakers.at[i];
        shared key = { .scope = s->scope };
        uint32_t at = ff_sorted_slot(&key, f->shares.at, f->shares.n, sizeof key, by_scope);
        if (at == f->shares.n || !ff_equal(f->shares.at[at].scope, s->scope))
            continue;
        uint32_t signal = f->shares.at[at].signal;
        ff_pair proto = { .signal = signal,
                          .member = e->signals[signal].at.member,
                          .weight = INT32_MAX,
                          .device = FF_NO_NUMBER,
                          .why = FF_LIT("it counts as its node does, by") };
        ff_pairs_add_same(p, s->host, s->pid, s->scope, s->pid, &proto);
    }
}

void ff_spaces_join(ff_pairs *p, const ff_evidence *e, const ff_bytes *scopes)
{
    facts f = read_facts(e);
    if (f.pairs.n + f.shares.n) {
        find_speakers(&f, e, scopes);
        join_numbers(p, e, &f);
        join_shared(p, e, &f);
    }
    free_facts(&f);
}
