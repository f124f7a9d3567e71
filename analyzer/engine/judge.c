/* Signals -> findings: what single lines say by themselves, and one call of judge for each group of each correlation.
 */
#include "engine_private.h"

#include <stdlib.h>
#include <string.h>

#define FAILURES 8 /* groups in which one rule may fail before it is not called any more */
#define NOT_JUDGED 10000u

typedef struct judging { /* arguments of ff_judge */
    ff_session s;
    bool (*present)(const void *ctx, ff_bytes host, uint32_t streams);
    const void *ctx;
    ff_bytes *hosts; /* known hosts that said anything, ascending */
    uint32_t n_hosts;
} judging;

/* ---- signals by kind ---- */

static void index_kinds(ff_session *s)
{
    const ff_evidence *e = s->evidence;
    uint32_t kinds = (uint32_t)FF_FACTS + s->book->n_signatures;
    s->first = FF_NEW_N(s->arena, uint32_t, (size_t)kinds + 2);
    s->refs = FF_NEW_N(s->arena, uint32_t, (size_t)e->n_signals + 1);
    for (uint32_t i = 0; i < e->n_signals; i++)
        if (e->signals[i].kind < kinds)
            s->first[e->signals[i].kind + 2]++;
    for (uint32_t k = 2; k < kinds + 2; k++)
        s->first[k] += s->first[k - 1];
    for (uint32_t i = 0; i < e->n_signals; i++)
        if (e->signals[i].kind < kinds)
            s->refs[s->first[e->signals[i].kind + 1]++] = i;
}

static int compare_bytes(const void *a, const void *b)
{
    return ff_compare(*(const ff_bytes *)a, *(const ff_bytes *)b);
}

static void list_hosts(judging *j)
{
    const ff_evidence *e = j->s.evidence;
    ff_bytes *hosts = FF_NEW_N(j->s.arena, ff_bytes, (size_t)e->n_signals + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->n_signals; i++)
        if (e->signals[i].who.host.n > 0 && (n == 0 || !ff_equal(hosts[n - 1], e->signals[i].who.host)))
            hosts[n++] = e->signals[i].who.host;
    qsort(hosts, n, sizeof *hosts, compare_bytes);
    for (uint32_t i = 0; i < n; i++)
        if (j->n_hosts == 0 || !ff_equal(hosts[j->n_hosts - 1], hosts[i]))
            hosts[j->n_hosts++] = hosts[i];
    j->hosts = hosts;
}

/* ---- what single lines say ---- */

static const char *why_of(ff_confidence c)
{
    switch (c) {
    case FF_CERTAIN:
        return "this line alone settles it";
    case FF_LIKELY:
        return "this line nearly always means it";
    case FF_POSSIBLE:
        return "this line can mean it, and other things too";
    }
    return "";
}

void ff_finding_add(ff_session *s, const ff_finding *f)
{
    if (s->findings.n < FF_FINDINGS_MADE)
        FF_PUSH(&s->findings, *f);
    else
        s->full = true;
}

static void say_group(ff_session *s, const ff_signature *sig, const ff_group *g)
{
    ff_finding f = { .rule = sig->id, .cause = sig->cause, .confidence = sig->confidence, .scope = sig->scope };
    const ff_signal *first = &s->evidence->signals[g->refs[0]];
    f.severity = sig->has_severity ? sig->severity : s->book->causes[sig->cause].severity;
    f.who = first->who;
    f.n_evidence = g->n;
    f.evidence = FF_NEW_N(s->arena, uint32_t, g->n);
    memcpy(f.evidence, g->refs, sizeof *f.evidence * g->n);
    uint64_t count = 0;
    for (uint32_t i = 0; i < g->n; i++)
        count += s->evidence->signals[g->refs[i]].count;
    f.count = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
    if (f.who.rank != FF_NO_NUMBER && f.scope != FF_SCOPE_JOB && f.scope != FF_SCOPE_HOST) {
        f.ranks = FF_NEW(s->arena, int32_t);
        f.ranks[f.n_ranks++] = f.who.rank;
    }
    f.confidence_why = ff_arena_format(s->arena, "%s (rule %.*s)", why_of(f.confidence), (int)f.rule.n, f.rule.p);
    ff_bytes summary = sig->summary.n > 0 ? sig->summary : s->book->causes[sig->cause].title;
    f.summary = ff_summary_fill(s, summary, first->ref, &f);
    ff_finding_add(s, &f);
}

static void say_all(ff_session *s)
{
    ff_group_list groups = { 0 };
    for (uint32_t i = 0; i < s->book->n_signatures; i++) {
        const ff_signature *sig = &s->book->signatures[i];
        uint32_t kind = FF_KIND_OF_SIGNATURE(i), from = s->first[kind];
        if (sig->cause == FF_NONE)
            continue;
        groups.n = 0;
        ff_groups_cut(s->evidence, s->refs + from, s->first[kind + 1] - from, sig->scope, s->arena, &groups);
        for (uint32_t k = 0; k < groups.n; k++)
            say_group(s, sig, &groups.at[k]);
    }
    ff_free(groups.at);
}

/* ---- not judged ---- */

static void note_not_judged(judging *j, ff_bytes rule, ff_bytes group, uint32_t missing)
{
    struct ff_not_judged *last = j->s.not_judged.n > 0 ? &j->s.not_judged.at[j->s.not_judged.n - 1] : NULL;
    if (last && ff_equal(last->rule, rule) && ff_equal(last->group, group)) {
        last->missing |= missing;
        return;
    }
    if (j->s.not_judged.n >= NOT_JUDGED)
        return;
    struct ff_not_judged entry = { .rule = rule, .group = group, .missing = missing };
    FF_PUSH(&j->s.not_judged, entry);
}

static uint32_t missing_for(const judging *j, ff_bytes host, uint32_t needs)
{
    uint32_t missing = 0;
    for (unsigned i = 0; i < FF_STREAMS; i++)
        if ((needs & 1u << i) && !j->present(j->ctx, host, 1u << i))
            missing |= 1u << i;
    return missing;
}

static bool is_of_host(ff_scope group) { return group != FF_SCOPE_JOB && group != FF_SCOPE_RANK; }

/* Which of j->hosts the rule has a signal of: there its source is at hand, whatever else of it was not collected. */
static bool *hosts_with_signals(const judging *j, const uint32_t *refs, uint32_t n)
{
    bool *has = FF_NEW_N(j->s.arena, bool, (size_t)j->n_hosts + 1);
    for (uint32_t i = 0; i < n; i++) {
        const ff_bytes *host = &j->s.evidence->signals[refs[i]].who.host;
        const ff_bytes *at = j->n_hosts ? bsearch(host, j->hosts, j->n_hosts, sizeof *host, compare_bytes) : NULL;
        if (at)
            has[at - j->hosts] = true;
    }
    return has;
}

/* Says where a rule could find nothing because its source is not in the bundle. */
static void note_needs(judging *j, const ff_correlation *c, const uint32_t *refs, uint32_t n)
{
    uint32_t missing = missing_for(j, (ff_bytes){ 0 }, c->needs);
    if (missing && n == 0) {
        note_not_judged(j, c->id, (ff_bytes){ 0 }, missing);
        return;
    }
    if (!c->needs || !is_of_host(c->group))
        return;
    const bool *has = hosts_with_signals(j, refs, n);
    for (uint32_t i = 0; i < j->n_hosts; i++) {
        missing = missing_for(j, j->hosts[i], c->needs);
        if (missing && !has[i])
            note_not_judged(j, c->id, j->hosts[i], missing);
    }
}

/* ---- correlations ---- */

static int call_judge(lua_State *L)
{
    ff_case *c = lua_touserdata(L, 1);
    if (c->reach == LUA_NOREF && c->cor->n_reach > 0) {
        lua_newtable(L);
        c->reach = luaL_ref(L, LUA_REGISTRYINDEX);
    }
    (void)lua_rawgeti(L, LUA_REGISTRYINDEX, c->cor->judge);
    ff_case_push(L, c);
    lua_call(L, 1, 1);
    ff_finding_read(L, c);
    return 0;
}

static bool judge_group(judging *j, ff_case *c, bool first_failure)
{
    ff_session *s = &j->s;
    uint32_t before = s->findings.n;
    ff_lua_limits limits = { .budget = FF_LUA_JUDGE, .file = c->cor->file };
    ff_lua_fault fault = { 0 };
    s->call++;
    s->at_hand = c;
    bool good = ff_lua_protect(s->book->lua, call_judge, c, &limits, s->arena, &fault);
    s->at_hand = NULL;
    if (good)
        return true;
    s->findings.n = before; /* half of a result is none */
    if (first_failure)
        ff_problem_add(s->book, c->cor->file, c->cor->id, fault.line ? fault.line : c->cor->line,
                       "judging %s \"%.*s\": %.*s", ff_scope_name(c->cor->group), (int)c->label.n,
                       c->label.n ? c->label.p : "", (int)fault.text.n, fault.text.p);
    return false;
}

static void judge_groups(judging *j, const ff_correlation *cor, const ff_group_list *groups)
{
    ff_session *s = &j->s;
    ff_case c = { .session = s, .cor = cor, .reach = LUA_NOREF };
    uint32_t failed = 0, tried = 0;
    for (uint32_t i = 0; i < groups->n && failed < FAILURES; i++) {
        c.group = &groups->at[i];
        c.label = ff_group_label(c.group, cor->group, s->arena);
        tried++;
        failed += !judge_group(j, &c, failed == 0);
    }
    if (failed > 1)
        ff_problem_add(s->book, cor->file, cor->id, cor->line, "failed in %u of %u groups%s", (unsigned)failed,
                       (unsigned)tried, failed == FAILURES ? ", and was not tried any more" : "");
    if (c.cut)
        ff_problem_add(s->book, cor->file, cor->id, cor->line,
                       "more than %u signals in a list, or %u in all: the later ones were not judged", FF_LUA_LIST,
                       FF_LUA_CASE);
    luaL_unref(s->book->lua->L, LUA_REGISTRYINDEX, c.reach);
}

static void judge_correlation(judging *j, const ff_correlation *c)
{
    ff_session *s = &j->s;
    FF_VEC(uint32_t) refs = { 0 };
    for (uint32_t i = 0; i < c->n_uses; i++)
        for (uint32_t k = s->first[c->uses[i]]; k < s->first[c->uses[i] + 1]; k++)
            FF_PUSH(&refs, s->refs[k]);
    if (refs.n > 0)
        qsort(refs.at, refs.n, sizeof *refs.at, ff_compare_u32);
    note_needs(j, c, refs.at, refs.n);
    ff_group_list groups = { 0 };
    ff_groups_cut(s->evidence, refs.at, refs.n, c->group, s->arena, &groups);
    judge_groups(j, c, &groups);
    ff_free(refs.at);
    ff_free(groups.at);
}

/* ---- results in their final order ---- */

static int compare_finding(const void *a, const void *b)
{
    const ff_finding *x = a, *y = b;
    if (x->evidence[0] != y->evidence[0])
        return x->evidence[0] < y->evidence[0] ? -1 : 1;
    int by_rule = ff_compare(x->rule, y->rule);
    return by_rule != 0 ? by_rule : (x->id > y->id) - (x->id < y->id);
}

static int compare_not_judged(const void *a, const void *b)
{
    const struct ff_not_judged *x = a, *y = b;
    int by_rule = ff_compare(x->rule, y->rule);
    return by_rule != 0 ? by_rule : ff_compare(x->group, y->group);
}

/* What no job wrote is judged with each of several jobs, and says the same each time. */
static bool says_the_same(const ff_finding *a, const ff_finding *b)
{
    return a->cause == b->cause && a->severity == b->severity && a->n_evidence == b->n_evidence &&
           a->n_symptoms == b->n_symptoms && a->n_ranks == b->n_ranks && ff_equal(a->rule, b->rule) &&
           ff_equal(a->summary, b->summary) && ff_equal(a->who.host, b->who.host) && a->who.rank == b->who.rank &&
           memcmp(a->evidence, b->evidence, sizeof *a->evidence * a->n_evidence) == 0 &&
           (!a->n_symptoms || memcmp(a->symptoms, b->symptoms, sizeof *a->symptoms * a->n_symptoms) == 0);
}

/* Of findings in their final order; how many stay. */
static uint32_t without_repeats(const ff_evidence *e, ff_finding *findings, uint32_t n)
{
    bool jobs = false;
    for (uint32_t i = 0; i < e->n_members && !jobs; i++)
        jobs = e->members[i].who.job.n != 0;
    if (!jobs)
        return n;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (kept == 0 || !says_the_same(&findings[kept - 1], &findings[i]))
            findings[kept++] = findings[i];
    return kept;
}

static ff_judged finish(ff_session *s)
{
    for (uint32_t i = 0; i < s->findings.n; i++)
        s->findings.at[i].id = i; /* order in which they were made, for ties */
    ff_judged out = { .n = ff_findings_fewer(s, s->findings.at, s->findings.n), .n_not_judged = s->not_judged.n };
    out.findings = FF_NEW_N(s->arena, ff_finding, (size_t)out.n + 1);
    for (uint32_t i = 0; i < out.n; i++)
        out.findings[i] = s->findings.at[i];
    qsort(out.findings, out.n, sizeof *out.findings, compare_finding);
    out.n = without_repeats(s->evidence, out.findings, out.n);
    for (uint32_t i = 0; i < out.n; i++)
        out.findings[i].id = i;
    out.not_judged = FF_NEW_N(s->arena, struct ff_not_judged, (size_t)out.n_not_judged + 1);
    for (uint32_t i = 0; i < out.n_not_judged; i++)
        out.not_judged[i] = s->not_judged.at[i];
    qsort(out.not_judged, out.n_not_judged, sizeof *out.not_judged, compare_not_judged);
    return out;
}

ff_judged ff_judge(ff_rulebook *b, const ff_evidence *evidence, const ff_clocks *clocks,
                   bool (*present)(const void *ctx, ff_bytes host, uint32_t streams), const void *ctx,
                   ff_arena *arena)
{
    (void)clocks; /* signals carry what was resolved */
    judging j = { .s = { .book = b, .evidence = evidence, .arena = arena }, .present = present, .ctx = ctx };
    j.s.given = FF_NEW_N(arena, uint32_t, (size_t)evidence->n_signals + 1);
    index_kinds(&j.s);
    list_hosts(&j);
    b->lua->session = &j.s;
    say_all(&j.s);
    for (uint32_t i = 0; i < b->n_correlations; i++)
        judge_correlation(&j, &b->correlations[i]);
    b->lua->session = NULL;
    if (j.s.full)
        ff_problem_add(b, (ff_bytes){ 0 }, (ff_bytes){ 0 }, 0, "more than %u findings: the rest was dropped",
                       FF_FINDINGS_MADE);
    ff_judged out = finish(&j.s);
    ff_free(j.s.findings.at);
    ff_free(j.s.not_judged.at);
    return out;
}
