/* Peers that survivors name and of which the bundle holds no file. A process that is told that its peer closed the
 * connection knows whom it lost, by name or address, and nothing of why: that is in the peer's own output, and in the
 * kernel log of its machine. */
#include "verdict_private.h"

#define OUTPUT ((uint32_t)(FF_STREAM_APP | FF_STREAM_NCCL)) /* what a process printed; a dump tells of one moment */

static bool is_loopback(ff_bytes name)
{
    return ff_starts(name, FF_LIT("127.")) || ff_equal(name, FF_LIT("::1")) || ff_equal(name, FF_LIT("localhost"));
}

static bool is_address(ff_bytes name)
{
    for (size_t i = 0; i < name.n; i++)
        if (!ff_is_digit(name.p[i]) && name.p[i] != '.' && !ff_contains(name, FF_LIT(":")))
            return false;
    return name.n > 0;
}

/* In a cluster the name is that of a pod, in its job's own zone: "llm-3.llm.train.svc". */
static bool is_pod_called(ff_bytes pod, ff_bytes name)
{
    size_t at = ff_find(pod, FF_LIT("/"));
    return at < pod.n && ff_equal(ff_skip_n(pod, at + 1), name);
}

static ff_bytes node_of_pod(const ff_case *c, ff_bytes name)
{
    for (uint32_t i = 0; i < c->evidence->n_signals; i++) {
        const ff_who *w = &c->evidence->signals[i].who;
        if (w->pod.n && w->host.n && is_pod_called(w->pod, name))
            return ff_short_host(w->host);
    }
    return name;
}

/* The host of an address, where the bundle says whose it is, or the node of a pod; else the name itself. */
static ff_bytes host_of(const ff_case *c, ff_bytes peer)
{
    for (uint32_t i = 0; i < c->identity->n_joins; i++) {
        const ff_join *j = &c->identity->joins[i];
        if (j->conflict)
            continue;
        if (ff_equal(j->left_kind, FF_LIT("address")) && ff_equal(j->right_kind, FF_LIT("host")) &&
            ff_equal(j->left, peer))
            return ff_short_host(j->right);
        if (ff_equal(j->right_kind, FF_LIT("address")) && ff_equal(j->left_kind, FF_LIT("host")) &&
            ff_equal(j->right, peer))
            return ff_short_host(j->left);
    }
    return node_of_pod(c, ff_short_host(peer));
}

/* A file of the host itself; or one that holds what all ranks printed, and in which anything of that host stands. */
static bool has_file(const ff_case *c, ff_bytes host, uint32_t stream)
{
    for (uint32_t i = 0; i < c->evidence->n_members; i++) {
        const ff_member *m = &c->evidence->members[i];
        if ((m->streams & stream) && !m->unread && ff_equal(ff_short_host(m->who.host), host))
            return true;
    }
    for (uint32_t i = 0; i < c->evidence->n_signals && stream == OUTPUT; i++) {
        const ff_signal *s = &c->evidence->signals[i];
        if ((c->evidence->members[s->at.member].streams & stream) && ff_equal(ff_short_host(s->who.host), host))
            return true;
    }
    return false;
}

/* The kernel log alone is named where nothing better is known: what the peer printed may say why it went. */
static ff_bytes files_missing(const ff_case *c, ff_bytes host, bool unsure)
{
    bool output = has_file(c, host, OUTPUT), kernel = has_file(c, host, FF_STREAM_KERNEL);
    if (output)
        return kernel || !unsure ? (ff_bytes){ 0 } : FF_LIT("kernel log");
    return kernel ? FF_LIT("job output") : FF_LIT("job output and kernel log");
}

static bool is_known(const ff_lost_peer *found, uint32_t n, ff_bytes name)
{
    for (uint32_t i = 0; i < n; i++)
        if (ff_equal(found[i].name, name))
            return true;
    return false;
}

/* Does anybody else speak, who may be the one behind an address whose host nobody tells? */
static bool others_speak(const ff_case *c, const ff_signal *survivor)
{
    for (uint32_t i = 0; i < c->evidence->n_signals; i++) {
        const ff_signal *s = &c->evidence->signals[i];
        if ((s->stream & OUTPUT) && (s->at.member != survivor->at.member || s->who.rank != survivor->who.rank))
            return true;
    }
    return false;
}

static bool is_evidence_of(const ff_case *c, const ff_finding *f, const ff_signal *s)
{
    for (uint32_t i = 0; i < f->n_evidence; i++) {
        const ff_record at = c->evidence->signals[f->evidence[i]].at;
        if (at.member == s->at.member && at.line == s->at.line)
            return true;
    }
    return false;
}

/* The root is what the survivor says, or says the same of another. */
static bool is_complaint_of(const ff_case *c, const ff_finding *root, const ff_signal *s)
{
    for (uint32_t i = 0; i < c->n_findings; i++)
        if (c->findings[i].cause == root->cause && is_evidence_of(c, &c->findings[i], s))
            return true;
    return false;
}

uint32_t ff_peers_lost(const ff_case *c, const ff_incident *in, ff_lost_peer *found)
{
    uint32_t n = 0;
    bool unsure = !in || in->confidence == FF_POSSIBLE;
    for (uint32_t i = 0; i < c->evidence->n_signals && n < FF_PEERS_NAMED; i++) {
        const ff_signal *s = &c->evidence->signals[i];
        ff_bytes peer = (s->stream & OUTPUT) ? ff_signal_text(s, "lost_peer") : (ff_bytes){ 0 };
        if (!peer.n || is_loopback(peer))
            continue;
        bool decides = unsure || is_complaint_of(c, &c->findings[in->root], s);
        if (!decides && in->confidence == FF_CERTAIN)
            continue;
        ff_bytes host = host_of(c, peer), files = files_missing(c, host, unsure);
        if (!files.n || ff_equal(host, ff_short_host(s->who.host)) || is_known(found, n, peer))
            continue;
        found[n++] = (ff_lost_peer){
            .name = peer,
            .host = ff_equal(host, peer) ? (ff_bytes){ 0 } : host,
            .files = files,
            .signal = i,
            .decides = decides,
            .may_be_here = is_address(host) && others_speak(c, s),
        };
    }
    return n;
}

ff_bytes ff_lost_peer_text(const ff_case *c, const ff_lost_peer *p)
{
    const ff_signal *s = &c->evidence->signals[p->signal];
    ff_text t;
    ff_text_init(&t, 512);
    ff_text_addf(&t, "%.*s of the peer %.*s", FF_SHOW(p->files), FF_SHOW(p->name));
    if (p->host.n)
        ff_text_addf(&t, " (host %.*s)", FF_SHOW(p->host));
    if (s->who.rank >= 0)
        ff_text_addf(&t, ", whom rank %d lost", (int)s->who.rank);
    else if (s->who.host.n)
        ff_text_addf(&t, ", whom %.*s lost", FF_SHOW(ff_short_host(s->who.host)));
    if (p->may_be_here)
        ff_text_addf(&t, " (nothing says whose address that is: its output may be among what is here)");
    ff_bytes copy = ff_arena_copy(c->arena, ff_text_view(&t));
    ff_text_done(&t);
    return copy;
}
