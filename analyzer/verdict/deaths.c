/* Who was killed, by two who saw it: the kernel names its number of the process, a launcher inside the container or a
 * scheduler names another, or only the rank. Where the kernel killed one process of a container (of a Slurm step on a
 * host), and soon after just one of those is seen to have ended by signal 9, it is that one. Two of either, and
 * nobody knows which is which. */
#include "identity_private.h"

#define SEEN_WITHIN FF_MINUTES(10)
#define CAP_DEATHS 4096u
#define SIGKILL_NUMBER 9

typedef struct death {
    ff_bytes space, host; /* space: pod, else container, of a kill; where the pid counts, of an end that was seen */
    ff_bytes container;
    uint32_t signal;
    int32_t pid, rank;
    int64_t from, to; /* it was then */
} death;

typedef FF_VEC(death) deaths;
typedef struct seen {
    deaths kills, ends;
} seen;

/* ---- reading ---- */
static bool is_kill_of_one(const ff_signal *s)
{
    return s->kind == FF_FACT_OOM_REPORT && s->who.pid >= 0 && s->who.host.n && s->has_utc &&
           ff_signal_int(s, "killed", 1) == 1 && ff_signal_int(s, "oom_group", 0) == 0;
}

static bool says_killed(const ff_signal *s)
{
    int64_t code = ff_signal_int(s, "exitcode", ff_signal_int(s, "code", 0));
    ff_bytes how = ff_signal_text(s, "how");
    return code == -SIGKILL_NUMBER || code == 128 + SIGKILL_NUMBER || ff_equal(how, FF_LIT("Out Of Memory")) ||
           ff_equal(how, FF_LIT("Killed"));
}

static void add_death(deaths *all, const ff_signal *s, ff_bytes space)
{
    if (all->n < CAP_DEATHS)
        FF_PUSH(all, ((death){ .space = space,
                               .host = ff_short_host(s->who.host),
                               .container = s->who.container,
                               .signal = s->ref,
                               .pid = s->who.pid,
                               .rank = s->who.rank,
                               .from = s->utc - s->utc_err,
                               .to = s->last_utc + s->utc_err }));
}

static seen read_deaths(const ff_evidence *e, const ff_bytes *scopes)
{
    seen all = { 0 };
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const ff_signal *s = &e->signals[i];
        if (s->kind == FF_FACT_OOM_REPORT) {
            if (is_kill_of_one(s))
                add_death(&all.kills, s, s->who.pod.n ? s->who.pod : s->who.container);
        } else if ((s->stream & (FF_JOB_OUTPUT | FF_STREAM_SLURM)) && s->n_fields && s->who.host.n &&
                   (s->who.pid >= 0 || s->who.rank >= 0) && s->has_utc && says_killed(s)) {
            add_death(&all.ends, s, s->who.pid >= 0 ? scopes[i] : (ff_bytes){ 0 });
        }
    }
    return all;
}

/* ---- which is which ---- */
static bool may_be_one(const death *kill, const death *end)
{
    bool soon = end->to >= kill->from && end->from - kill->to <= SEEN_WITHIN;
    if (!soon || !ff_equal(kill->host, end->host))
        return false;
    return end->pid >= 0 ? kill->space.n && ff_equal(kill->space, end->space) : !kill->space.n;
}

static bool are_same(const death *a, const death *b) { return a->pid >= 0 ? a->pid == b->pid : a->rank == b->rank; }

/* The only one of them that may be the other; NULL: none, or several. */
static const death *only_one(const deaths *all, const death *of, bool of_kill)
{
    const death *found = NULL;
    for (uint32_t i = 0; i < all->n; i++) {
        const death *one = &all->at[i];
        if (!(of_kill ? may_be_one(of, one) : may_be_one(one, of)) || (found && are_same(found, one)))
            continue;
        if (found)
            return NULL;
        found = one;
    }
    return found;
}

/* A pod of several containers has as many spaces: only where the container is known, or is the only one. */
static bool is_of_container(const ff_pairs *p, const death *kill, const death *end)
{
    ff_name pod = { .kind = FF_NAME_POD, .text = kill->space };
    if (end->container.n || ff_equal(kill->space, kill->container))
        return !end->container.n || ff_equal(end->container, kill->container);
    const ff_name *only = ff_pairs_find(p, &pod, FF_NAME_CONTAINER);
    return only && ff_equal(only->text, kill->container);
}

static bool knows_ranks_of(const ff_pairs *p, ff_bytes host)
{
    for (uint32_t i = 0; i < p->all.n; i++)
        if (p->all.at[i].left.kind == FF_NAME_PID && p->all.at[i].right.kind == FF_NAME_RANK &&
            ff_equal(p->all.at[i].left.scope, host))
            return true;
    return false;
}

static bool runs_elsewhere(const ff_pairs *p, const ff_who *who, ff_bytes host)
{
    ff_name rank = { .kind = FF_NAME_RANK, .scope = who->job, .number = who->rank };
    const ff_name *known = ff_pairs_find(p, &rank, FF_NAME_HOST);
    return known && !ff_equal(known->text, host);
}

static void join_two(ff_pairs *p, const ff_evidence *e, const death *kill, const death *end, ff_arena *arena)
{
    const ff_signal *report = &e->signals[kill->signal], *said = &e->signals[end->signal];
    ff_pair proto = { .signal = end->signal, .member = said->at.member, .weight = INT32_MAX, .inferred = true };
    proto.device = FF_NO_NUMBER;
    proto.why = ff_arena_format(
        arena, "the only one that the kernel killed there (%.*s:%u) is the only one that ended by SIGKILL in",
        FF_SHOW(e->members[report->at.member].name), report->at.line);
    if (end->pid >= 0 && is_of_container(p, kill, end)) {
        ff_pairs_add_same(p, kill->host, kill->pid, end->space, end->pid, &proto);
    } else if (end->pid < 0 && !knows_ranks_of(p, kill->host) && !runs_elsewhere(p, &said->who, kill->host)) {
        ff_who who = report->who;
        who.job = said->who.job;
        ff_person person = { .who = &who, .stream = report->stream, .pid_scope = kill->host };
        ff_pairs_add_rank(p, &person, end->rank, &proto);
    }
}

void ff_deaths_join(ff_pairs *p, const ff_evidence *e, const ff_bytes *scopes, ff_arena *arena)
{
    seen all = read_deaths(e, scopes);
    for (uint32_t i = 0; i < all.kills.n; i++) {
        const death *end = only_one(&all.ends, &all.kills.at[i], true);
        if (end && only_one(&all.kills, end, false))
            join_two(p, e, &all.kills.at[i], end, arena);
    }
    ff_free(all.kills.at);
    ff_free(all.ends.at);
}
