/* Signals -> the groups that a correlation or a signature speaks about. A signal whose host (rank, GPU ...) nobody
 * knows is in the group of the unknown, so it is judged with its likes and never mixed with a known one. */
#include "engine_private.h"

#include <stdlib.h>
#include <string.h>

typedef struct member { /* a signal with the key of its group */
    ff_bytes host, text;
    int64_t number;
    uint32_t ref;
} member;

/* job: of the log in which it stands, where several jobs wrote logs. */
static member member_of(const ff_signal *s, ff_bytes job, ff_scope scope)
{
    member m = { .ref = s->ref, .number = FF_NO_NUMBER };
    switch (scope) {
    case FF_SCOPE_JOB:
        m.text = job;
        break;
    case FF_SCOPE_RANK:
        m.text = job;
        m.number = s->who.rank;
        break; /* ranks are numbered over the whole job */
    case FF_SCOPE_HOST:
        m.host = s->who.host;
        break;
    case FF_SCOPE_GPU:
        m.host = s->who.host;
        m.text = s->who.gpu;
        break;
    case FF_SCOPE_PROCESS:
        m.host = s->who.host;
        m.number = s->who.pid;
        break;
    case FF_SCOPE_CONTAINER:
        m.text = s->who.container.n > 0 ? s->who.container : s->who.pod_uid;
        if (m.text.n == 0)
            m.host = s->who.host;
        break;
    }
    return m;
}

static int compare_key(const member *x, const member *y)
{
    int by_host = ff_compare(x->host, y->host);
    if (by_host != 0)
        return by_host;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return ff_compare(x->text, y->text);
}

static int compare_member(const void *a, const void *b)
{
    const member *x = a, *y = b;
    int by_key = compare_key(x, y);
    return by_key != 0 ? by_key : (x->ref > y->ref) - (x->ref < y->ref);
}

/* What no job wrote, machines' logs and states, may concern every job: each is judged with it. */
static void share_with_all(ff_group_list *groups, ff_arena *arena)
{
    if (groups->n < 2 || groups->at[0].text.n)
        return;
    const ff_group all = groups->at[0];
    for (uint32_t i = 1; i < groups->n; i++) {
        ff_group *g = &groups->at[i];
        uint32_t *refs = FF_NEW_N(arena, uint32_t, (size_t)all.n + g->n);
        memcpy(refs, all.refs, sizeof *refs * all.n);
        memcpy(refs + all.n, g->refs, sizeof *refs * g->n);
        qsort(refs, (size_t)all.n + g->n, sizeof *refs, ff_compare_u32);
        g->refs = refs;
        g->n += all.n;
        groups->at[i - 1] = *g;
    }
    groups->n--;
}

void ff_groups_cut(const ff_evidence *evidence, const uint32_t *refs, uint32_t n, ff_scope scope, ff_arena *arena,
                   ff_group_list *out)
{
    if (n == 0)
        return;
    member *members = ff_alloc(sizeof *members * n);
    for (uint32_t i = 0; i < n; i++) {
        const ff_signal *s = &evidence->signals[refs[i]];
        members[i] = member_of(s, evidence->members[s->at.member].who.job, scope);
    }
    qsort(members, n, sizeof *members, compare_member);
    uint32_t *sorted = FF_NEW_N(arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        sorted[i] = members[i].ref;
        if (i == 0 || compare_key(&members[i - 1], &members[i]) != 0) {
            ff_group g = {
                .host = members[i].host, .text = members[i].text, .number = members[i].number, .refs = sorted + i
            };
            FF_PUSH(out, g);
        }
        out->at[out->n - 1].n++;
    }
    ff_free(members);
    if (scope == FF_SCOPE_JOB)
        share_with_all(out, arena);
}

ff_bytes ff_group_label(const ff_group *g, ff_scope scope, ff_arena *arena)
{
    switch (scope) {
    case FF_SCOPE_JOB:
        return (ff_bytes){ 0 };
    case FF_SCOPE_HOST:
        return g->host;
    case FF_SCOPE_CONTAINER:
        return g->text;
    case FF_SCOPE_RANK:
        return g->number == FF_NO_NUMBER ? (ff_bytes){ 0 } : ff_arena_format(arena, "%lld", (long long)g->number);
    case FF_SCOPE_GPU:
        return g->text.n == 0 ? g->host
                              : ff_arena_format(arena, "%.*s/%.*s", (int)g->host.n, g->host.n ? g->host.p : "",
                                                (int)g->text.n, g->text.p);
    case FF_SCOPE_PROCESS:
        return g->number == FF_NO_NUMBER ? g->host
                                         : ff_arena_format(arena, "%.*s/%lld", (int)g->host.n,
                                                           g->host.n ? g->host.p : "", (long long)g->number);
    }
    return (ff_bytes){ 0 };
}
