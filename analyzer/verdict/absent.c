/* What the bundle does not hold: a source that is absent, cut, or silent about the moment; ranks and hosts of the job
 * whose files are missing beside those of others; and which platforms' sources it makes sense to ask for. */
#include "../../parsers/recorder.h"
#include "verdict_private.h"

#include <stdlib.h>

#define NAMED 4u         /* ranks or hosts told one by one */
#define GROUPS_ASKED 64u /* groups without members that are looked for in other dumps */

static ff_bytes text_of(const ff_case *c, ff_text *t)
{
    ff_bytes copy = ff_arena_copy(c->arena, ff_text_view(t));
    ff_text_done(t);
    return copy;
}

ff_bytes ff_missing_text(const ff_case *c, ff_bytes host, uint32_t stream, const ff_when *at)
{
    uint32_t member = FF_NONE;
    ff_cover cover = ff_coverage_ask(&c->coverage, c->evidence, host, stream, at, &member);
    if (cover == FF_COVER_YES)
        return (ff_bytes){ 0 };
    ff_text t;
    ff_text_init(&t, 1024);
    ff_text_adds(&t, ff_stream_title(stream));
    if (host.n && !(ff_is_job_stream(stream) && cover == FF_COVER_ABSENT)) {
        ff_text_adds(&t, " of ");
        ff_text_add(&t, host);
    }
    if (member != FF_NONE) {
        ff_text_adds(&t, cover == FF_COVER_CUT ? " (cut or unreadable: " : " (not shown to cover the moment: ");
        ff_text_add(&t, ff_member_span(c->evidence, member, c->arena));
        ff_text_addc(&t, ')');
    }
    return text_of(c, &t);
}

/* ---- platforms ---- */

/* A job runs under one scheduler. Where the bundle shows which, the other's log would say nothing. */
uint32_t ff_streams_worth_asking(const ff_case *c, uint32_t streams)
{
    bool kubernetes = false, slurm = false;
    for (uint32_t i = 0; i < c->evidence->n_members; i++) {
        const ff_member *m = &c->evidence->members[i];
        kubernetes = kubernetes || (m->streams & FF_STREAM_K8S) || m->who.pod.n || m->who.pod_uid.n;
        slurm = slurm || (m->streams & FF_STREAM_SLURM);
    }
    for (uint32_t i = 0; i < c->evidence->n_signals && !kubernetes; i++)
        kubernetes = c->evidence->signals[i].who.pod.n || c->evidence->signals[i].who.pod_uid.n;
    if (kubernetes && !slurm)
        streams &= ~(uint32_t)FF_STREAM_SLURM;
    if (slurm && !kubernetes)
        streams &= ~(uint32_t)FF_STREAM_K8S;
    return streams;
}

/* ---- ranks ---- */

/* Those below world are in it already. */
static void add_members(ff_number_set *all, const ff_fr_group *g, int64_t world, ff_arena *arena)
{
    bool there = !g->n_ranks || (g->ranks[g->n_ranks - 1] < world && world <= FF_CAP_NUMBERS);
    for (uint32_t k = 0; !there && k < g->n_ranks; k++)
        ff_number_set_add(all, g->ranks[k], arena);
}

/* Ranks of the job: all below the widest communicator's size and below the highest rank that has a member or a dump,
 * and those whose process is known. */
static ff_number_set ranks_of_job(const ff_case *c)
{
    ff_number_set all = { 0 };
    int64_t world = 0;
    for (uint32_t i = 0; i < c->evidence->n_signals; i++) {
        const ff_signal *s = &c->evidence->signals[i];
        int64_t n = ff_record_world(s);
        world = n != INT32_MAX && n > world ? n : world;
    }
    for (uint32_t i = 0; i < c->evidence->n_members; i++)
        world = c->evidence->members[i].who.rank >= world ? c->evidence->members[i].who.rank + 1 : world;
    for (uint32_t i = 0; i < c->evidence->n_signals; i++)
        if (c->evidence->signals[i].who.pid >= 0)
            ff_number_set_add(&all, c->evidence->signals[i].who.rank, c->arena);
    const ff_dump_table *dumps = c->evidence->dumps;
    for (uint32_t i = 0; dumps && i < dumps->n; i++)
        world = dumps->at[i]->rank >= world ? dumps->at[i]->rank + 1 : world;
    for (int64_t rank = 0; rank < world && rank < FF_CAP_NUMBERS; rank++)
        ff_number_set_add(&all, (int32_t)rank, c->arena);
    for (uint32_t i = 0; dumps && i < dumps->n; i++)
        for (uint32_t g = 0; g < dumps->at[i]->n_groups; g++)
            add_members(&all, &dumps->at[i]->groups[g], world, c->arena);
    return all;
}

static ff_number_set ranks_dumped(const ff_case *c)
{
    ff_number_set heard = { 0 };
    const ff_dump_table *dumps = c->evidence->dumps;
    for (uint32_t i = 0; dumps && i < dumps->n; i++)
        if (!dumps->at[i]->from_log && !dumps->at[i]->truncated)
            ff_number_set_add(&heard, dumps->at[i]->rank, c->arena);
    return heard;
}

/* Is the rank of a line, or its process, whom it tells of, as a launcher does of those that it started, and not who
 * wrote it? */
static bool is_told_of(const ff_signal *s)
{
    bool named = false;
    for (uint32_t i = 0; i < s->n_fields; i++)
        named = named || s->fields[i].type == FF_FIELD_RANK || s->fields[i].type == FF_FIELD_PID;
    return named && !ff_record_own_rank(s) &&
           ff_record_world(s) == INT32_MAX; /* with the number of ranks: of itself */
}

/* Ranks that have a member of that stream of their own, or that speak in a member of several ranks. */
static ff_number_set ranks_heard(const ff_case *c, uint32_t stream, bool *files)
{
    ff_number_set heard = { 0 };
    for (uint32_t i = 0; i < c->evidence->n_members; i++) {
        const ff_member *m = &c->evidence->members[i];
        if ((m->streams & stream) && !m->unread && m->parser && !m->truncated)
            ff_number_set_add(&heard, m->who.rank, c->arena);
    }
    *files = heard.n != 0;
    for (uint32_t i = 0; i < c->evidence->n_signals; i++) {
        const ff_signal *s = &c->evidence->signals[i];
        if (!(s->stream & stream) || c->evidence->members[s->at.member].who.rank >= 0 || is_told_of(s))
            continue;
        ff_number_set_add(&heard, s->who.rank, c->arena);
        *files = *files || (stream == FF_STREAM_NCCL && ff_record_world(s) != INT32_MAX); /* each says so of itself */
    }
    return heard;
}

static void add_rank(ff_text *t, uint32_t nth, int32_t rank)
{
    if (nth < NAMED)
        ff_text_addf(t, "%s%d", nth ? ", " : "", (int)rank);
}

ff_bytes ff_ranks_missing(const ff_case *c, uint32_t stream)
{
    bool files = true, dumps = stream == FF_STREAM_RECORDER;
    ff_number_set heard = dumps ? ranks_dumped(c) : ranks_heard(c, stream, &files), all = { 0 };
    if (files && heard.n)
        all = ranks_of_job(c);
    uint32_t n = 0;
    ff_text t;
    ff_text_init(&t, 256);
    ff_text_addf(&t, "%s of rank ", ff_stream_title(stream));
    for (uint32_t i = 0; i < all.n; i++)
        if (!ff_number_set_has(&heard, all.at[i]))
            add_rank(&t, n++, all.at[i]);
    if (n > NAMED)
        ff_text_addf(&t, " and %u more", n - NAMED);
    ff_bytes text = text_of(c, &t);
    return n ? text : (ff_bytes){ 0 };
}

/* Does any dump say who is in that group? */
static bool is_described(const ff_dump_table *dumps, ff_bytes name)
{
    for (uint32_t i = 0; i < dumps->n; i++)
        for (uint32_t g = 0; g < dumps->at[i]->n_groups; g++)
            if (dumps->at[i]->groups[g].n_ranks && ff_equal(dumps->at[i]->groups[g].name, name))
                return true;
    return false;
}

/* Of a group whose members no dump names nobody knows who else would have had to agree. */
static bool has_strangers(const ff_case *c)
{
    const ff_dump_table *dumps = c->evidence->dumps;
    uint32_t asked = 0;
    for (uint32_t i = 0; dumps && i < dumps->n; i++)
        for (uint32_t g = 0; g < dumps->at[i]->n_groups && !dumps->at[i]->from_log; g++)
            if (!dumps->at[i]->groups[g].n_ranks &&
                (asked++ >= GROUPS_ASKED || !is_described(dumps, dumps->at[i]->groups[g].name)))
                return true;
    return false;
}

ff_bytes ff_dumps_missing(const ff_case *c)
{
    ff_bytes text = ff_ranks_missing(c, FF_STREAM_RECORDER);
    bool alone = !text.n && ranks_dumped(c).n == 1;
    if (!text.n && !alone && has_strangers(c))
        return FF_LIT("the members of all process groups");
    return alone ? FF_LIT("Flight Recorder dumps of the other ranks") : text;
}

/* ---- hosts ---- */

ff_set ff_hosts_of_job(const ff_case *c)
{
    ff_set hosts = { 0 };
    for (uint32_t i = 0; i < c->identity->n_joins; i++) {
        const ff_join *j = &c->identity->joins[i];
        if (ff_equal(j->left_kind, FF_LIT("rank")) && ff_equal(j->right_kind, FF_LIT("host")) && !j->conflict)
            ff_set_add(&hosts, ff_short_host(j->right), c->arena);
    }
    return hosts;
}
