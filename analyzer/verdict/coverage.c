#include "verdict_private.h"

#include "../base/sorted.h"

#include <stdlib.h>

/* A job's own output and its platform's logs are not tied to one machine: where their member has no host they may
 * speak of any. A kernel log without a host speaks of one machine, and nobody knows which. */
#define JOB_STREAMS                                                                                                  \
    ((uint32_t)(FF_STREAM_NCCL | FF_STREAM_APP | FF_STREAM_K8S | FF_STREAM_SLURM | FF_STREAM_RECORDER))

#define SILENT_AT_MOST FF_HOURS(1) /* of a job that hangs until somebody gives up on it */

bool ff_is_job_stream(uint32_t stream) { return (stream & JOB_STREAMS) != 0; }

const char *ff_stream_title(uint32_t stream)
{
    switch ((ff_stream)stream) {
    case FF_STREAM_KERNEL:
        return "kernel log";
    case FF_STREAM_NCCL:
        return "NCCL log";
    case FF_STREAM_APP:
        return "job output";
    case FF_STREAM_K8S:
        return "kubelet log or cluster objects";
    case FF_STREAM_RUNTIME:
        return "container runtime log";
    case FF_STREAM_SLURM:
        return "Slurm log";
    case FF_STREAM_GPU:
        return "GPU state (nvidia-smi, DCGM)";
    case FF_STREAM_NET:
        return "network state";
    case FF_STREAM_HOST:
        return "host state (memory, disks, limits, PCIe)";
    case FF_STREAM_RECORDER:
        return "Flight Recorder dumps";
    }
    return "source";
}

static bool is_readable(const ff_member *m) { return !m->unread && m->parser && m->bytes; }

static int by_host(const void *left, const void *right)
{
    return ff_compare(((const ff_source_host *)left)->host, ((const ff_source_host *)right)->host);
}

ff_sources ff_sources_index(const ff_evidence *e, ff_arena *arena)
{
    ff_sources s = { .at = FF_NEW_N(arena, ff_source_host, (size_t)e->n_members + 1) };
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->n_members; i++) {
        const ff_member *m = &e->members[i];
        ff_bytes host = ff_short_host(m->who.host);
        uint32_t streams = is_readable(m) ? m->streams : 0;
        s.all |= streams;
        s.loose |= host.n ? 0 : streams;
        if (host.n)
            s.at[n++] = (ff_source_host){ .host = host, .streams = streams };
    }
    qsort(s.at, n, sizeof *s.at, by_host);
    for (uint32_t i = 0; i < n; i++) {
        if (s.n && ff_equal(s.at[s.n - 1].host, s.at[i].host))
            s.at[s.n - 1].streams |= s.at[i].streams;
        else
            s.at[s.n++] = s.at[i];
    }
    return s;
}

bool ff_sources_present(const void *sources, ff_bytes host, uint32_t streams)
{
    const ff_sources *s = sources;
    ff_source_host want = { .host = ff_short_host(host) };
    if (!want.host.n)
        return (s->all & streams) != 0;
    const ff_source_host *own = s->n ? bsearch(&want, s->at, s->n, sizeof *s->at, by_host) : NULL;
    uint32_t loose = s->loose & streams;
    return (own && (own->streams & streams)) || ff_is_job_stream(loose) || (loose && s->n < 2);
}

/* ---- what covers a moment ---- */

/* A state is shown by the output of a command or by an object, not by a log in which a line about it came by. */
static bool speaks_for(const ff_member *m, uint32_t stream)
{
    const uint32_t states = FF_STREAM_GPU | FF_STREAM_NET | FF_STREAM_HOST;
    return (m->streams & stream) && (!(stream & states) || m->collected || m->document);
}

static int by_host_then_number(const void *left, const void *right)
{
    const ff_covered *a = left, *b = right;
    int order = ff_compare(a->host, b->host);
    return order ? order : (a->member > b->member) - (a->member < b->member);
}

bool ff_was_anything_read(const ff_evidence *e)
{
    for (uint32_t i = 0; i < e->n_members; i++)
        if (is_readable(&e->members[i]))
            return true;
    return false;
}

ff_coverage ff_coverage_build(const ff_evidence *e, ff_arena *arena)
{
    ff_coverage c = { .at = FF_NEW_N(arena, ff_covered, (size_t)e->n_members + 1) };
    ff_bytes only = { 0 };
    for (uint32_t i = 0; i < e->n_members; i++) {
        const ff_member *m = &e->members[i];
        ff_bytes host = ff_short_host(m->who.host);
        c.many_hosts = c.many_hosts || (only.n && host.n && !ff_equal(only, host));
        if (host.n)
            only = host;
        if (m->streams && (is_readable(m) || m->truncated))
            c.at[c.n++] = (ff_covered){ .host = host, .member = i };
    }
    qsort(c.at, c.n, sizeof *c.at, by_host_then_number);
    bool other = c.many_hosts;
    for (uint32_t i = 0; i < e->n_signals && !other; i++) {
        ff_bytes host = ff_short_host(e->signals[i].who.host);
        other = only.n && host.n && !ff_equal(only, host);
        only = host.n ? host : only;
    }
    c.only_host = other ? (ff_bytes){ 0 } : only;
    return c;
}

/* First entry of that host. */
static uint32_t start_of(const ff_coverage *c, ff_bytes host)
{
    ff_covered first = { .host = host };
    return ff_sorted_slot(&first, c->at, c->n, sizeof first, by_host_then_number);
}

ff_when ff_when_of(const ff_signal *s)
{
    return (ff_when){ .signal = s, .has_utc = s->has_utc, .utc = s->utc, .err_ns = s->utc_err };
}

/* Members in which something of the incident stands. */
static const bool *members_of(const ff_case *c, const ff_incident *in)
{
    bool *holds = FF_NEW_N(c->arena, bool, (size_t)c->evidence->n_members + 1);
    for (uint32_t i = 0; i < in->n_chain; i++) {
        const ff_finding *f = &c->findings[in->chain[i].finding];
        for (uint32_t k = 0; k < f->n_evidence; k++)
            holds[c->evidence->signals[f->evidence[k]].at.member] = true;
    }
    return holds;
}

ff_when ff_incident_when(const ff_case *c, const ff_incident *in)
{
    const ff_evidence *e = c->evidence;
    ff_when w = { .has_utc = in->has_time, .utc = in->began_utc, .err_ns = in->err_ns };
    if (in->began_signal < e->n_signals) {
        const ff_signal *s = &e->signals[in->began_signal];
        if (s->has_utc)
            w = ff_when_of(s);
        w.signal = s;
    }
    w.holds = members_of(c, in);
    return w;
}

/* What a job prints of itself ends when the job ends, and is silent while it hangs: such a log covers a moment that
 * comes after its last line, if not long after. */
static bool is_of_job(const ff_member *m, uint32_t stream, const ff_when *w)
{
    const uint32_t own_words = FF_STREAM_NCCL | FF_STREAM_APP;
    if (w->holds && w->holds[m->id] && (stream & (own_words | FF_STREAM_RECORDER)))
        return true;
    return (stream & own_words) && m->has_utc && w->has_utc && m->first_utc - m->utc_err <= w->utc + w->err_ns &&
           w->utc - w->err_ns <= m->last_utc + m->utc_err + SILENT_AT_MOST;
}

/* Does the member show that moment? Silence counts only between two lines that it did write. */
static bool shows(const ff_member *m, uint32_t stream, const ff_when *w)
{
    const ff_signal *s = w->signal;
    if ((s && s->at.member == m->id && (s->stream & stream)) || is_of_job(m, stream, w))
        return true;
    if (m->clock == FF_NONE && !m->has_utc)
        return m->collected;
    if (s && m->clock == s->clock && s->clock != FF_NONE && m->first_said.kind == s->said.kind)
        return m->first_said.ns <= s->said.ns && s->said.ns <= m->last_said.ns;
    return m->has_utc && w->has_utc && m->first_utc + m->utc_err <= w->utc - w->err_ns &&
           w->utc + w->err_ns <= m->last_utc - m->utc_err;
}

static ff_cover cover_of(const ff_member *m, uint32_t stream, const ff_when *at)
{
    if (m->truncated || !is_readable(m))
        return FF_COVER_CUT;
    return !at || shows(m, stream, at) ? FF_COVER_YES : FF_COVER_ELSEWHEN;
}

/* Looks at the members of one host; keeps the best answer, and the first member that gave it. */
static void look(const ff_coverage *c, const ff_evidence *e, ff_bytes host, uint32_t stream, const ff_when *at,
                 ff_cover *best, uint32_t *member)
{
    for (uint32_t i = start_of(c, host); i < c->n && ff_equal(c->at[i].host, host); i++) {
        const ff_member *m = &e->members[c->at[i].member];
        if (!speaks_for(m, stream))
            continue;
        ff_cover cover = cover_of(m, stream, at);
        if (cover <= *best)
            continue;
        *best = cover;
        *member = c->at[i].member;
    }
}

ff_cover ff_coverage_ask(const ff_coverage *c, const ff_evidence *e, ff_bytes host, uint32_t stream,
                         const ff_when *at, uint32_t *member)
{
    ff_cover best = FF_COVER_ABSENT;
    *member = FF_NONE;
    if (host.n) {
        look(c, e, ff_short_host(host), stream, at, &best, member);
        if (ff_is_job_stream(stream) || !c->many_hosts)
            look(c, e, (ff_bytes){ 0 }, stream, at, &best, member);
        return best;
    }
    for (uint32_t i = 0; i < c->n; i++) /* any host will do */
        if (i == 0 || !ff_equal(c->at[i].host, c->at[i - 1].host))
            look(c, e, c->at[i].host, stream, at, &best, member);
    return best;
}

void ff_add_utc_seconds(ff_text *t, int64_t utc, bool for_command)
{
    int64_t second = utc / FF_SECONDS(1) - (utc % FF_SECONDS(1) < 0), day = second / 86400 - (second % 86400 < 0);
    int64_t year = 0, rest = second - day * 86400;
    unsigned month = 0, date = 0;
    ff_date_from_days(day, &year, &month, &date);
    ff_text_addf(t, "%04d-%02u-%02u%c%02d:%02d:%02d%s", (int)year, month, date, for_command ? ' ' : 'T',
                 (int)(rest / 3600), (int)(rest / 60 % 60), (int)(rest % 60), for_command ? " UTC" : "Z");
}

ff_bytes ff_member_span(const ff_evidence *e, uint32_t member, ff_arena *arena)
{
    const ff_member *m = &e->members[member];
    ff_text t;
    ff_text_init(&t, 0);
    ff_text_add(&t, m->name);
    if (m->has_utc) {
        ff_text_addc(&t, ' ');
        ff_add_utc_seconds(&t, m->first_utc, false);
        ff_text_adds(&t, " to ");
        ff_add_utc_seconds(&t, m->last_utc, false);
    } else if (m->clock != FF_NONE && m->first_said.kind == FF_STAMP_SINCE_BOOT) {
        ff_text_addf(&t, " %lld s to %lld s after boot", (long long)(m->first_said.ns / FF_SECONDS(1)),
                     (long long)(m->last_said.ns / FF_SECONDS(1)));
    } else if (m->clock != FF_NONE) {
        ff_text_adds(&t, " on its own clock");
    } else {
        ff_text_adds(&t, m->collected ? " as collected" : " from first to last line");
    }
    ff_bytes span = ff_arena_copy(arena, ff_text_view(&t));
    ff_text_done(&t);
    return span;
}
