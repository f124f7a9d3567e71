/* Peers that survivors name, whose host that is, and which of its files are here: read once, for there may be as many
 * such lines as there are pairs of ranks. */
#include "../../parsers/distinct.h"
#include "verdict_private.h"

static bool is_loopback(ff_bytes name)
{
    return ff_starts(name, FF_LIT("127.")) || ff_equal(name, FF_LIT("::1")) || ff_equal(name, FF_LIT("localhost"));
}

typedef struct names { /* and what each of them is called otherwise */
    ff_distinct of;
    FF_VEC(ff_bytes) as;
} names;

static names names_open(ff_arena *arena)
{
    names n = { .as = { 0 } };
    ff_distinct_init(&n.of, arena);
    return n;
}

static void names_done(names *n)
{
    ff_distinct_done(&n->of);
    ff_free(n->as.at);
}

/* The first that says it counts. Returns what the name is called. */
static ff_bytes names_add(names *n, ff_bytes name, ff_bytes as)
{
    uint32_t number = ff_distinct_add(&n->of, name);
    if (number > n->as.n)
        FF_PUSH(&n->as, as);
    return number ? n->as.at[number - 1] : as;
}

static void read_addresses(const ff_case *c, names *hosts)
{
    for (uint32_t i = 0; i < c->identity->n_joins; i++) {
        const ff_join *j = &c->identity->joins[i];
        if (j->conflict)
            continue;
        if (ff_equal(j->left_kind, FF_LIT("address")) && ff_equal(j->right_kind, FF_LIT("host")))
            (void)names_add(hosts, j->left, ff_short_host(j->right));
        else if (ff_equal(j->right_kind, FF_LIT("address")) && ff_equal(j->left_kind, FF_LIT("host")))
            (void)names_add(hosts, j->right, ff_short_host(j->left));
    }
}

/* In a cluster the name is that of a pod, in its job's own zone: "llm-3.llm.train.svc". */
static void read_pods(const ff_case *c, names *nodes)
{
    for (uint32_t i = 0; i < c->evidence->n_signals; i++) {
        const ff_who *w = &c->evidence->signals[i].who;
        size_t at = ff_find(w->pod, FF_LIT("/"));
        if (w->host.n && at < w->pod.n)
            (void)names_add(nodes, ff_skip_n(w->pod, at + 1), ff_short_host(w->host));
    }
}

/* Hosts that have a file of the stream; or one that holds what all ranks printed, and in which anything of them
 * stands. Each is called "here". */
static void read_files(const ff_case *c, uint32_t stream, names *hosts)
{
    for (uint32_t i = 0; i < c->evidence->n_members; i++) {
        const ff_member *m = &c->evidence->members[i];
        if ((m->streams & stream) && !m->unread)
            (void)names_add(hosts, ff_short_host(m->who.host), FF_LIT("here"));
    }
    for (uint32_t i = 0; i < c->evidence->n_signals && stream == FF_STREAMS_PRINTED; i++) {
        const ff_signal *s = &c->evidence->signals[i];
        if (c->evidence->members[s->at.member].streams & stream)
            (void)names_add(hosts, ff_short_host(s->who.host), FF_LIT("here"));
    }
}

static uint32_t name_peers(ff_case *c, ff_distinct *all)
{
    FF_VEC(ff_peer_named) named = { 0 };
    for (uint32_t i = 0; i < c->evidence->n_signals; i++) {
        const ff_signal *s = &c->evidence->signals[i];
        ff_bytes peer = (s->stream & FF_STREAMS_PRINTED) ? ff_signal_text(s, "lost_peer") : (ff_bytes){ 0 };
        if (peer.n && !is_loopback(peer))
            FF_PUSH(&named, ((ff_peer_named){ .signal = i, .peer = ff_distinct_add(all, peer) - 1 }));
    }
    c->peers_named = FF_NEW_N(c->arena, ff_peer_named, (size_t)named.n + 1);
    for (uint32_t i = 0; i < named.n; i++)
        c->peers_named[i] = named.at[i];
    c->n_peers_named = named.n;
    ff_free(named.at);
    return all->all.n;
}

void ff_case_find_peers(ff_case *c)
{
    ff_distinct all;
    ff_distinct_init(&all, c->arena);
    uint32_t n = name_peers(c, &all);
    names hosts = names_open(c->arena), nodes = names_open(c->arena);
    names output = names_open(c->arena), kernel = names_open(c->arena);
    c->peers = FF_NEW_N(c->arena, ff_peer_seen, (size_t)n + 1);
    if (n) {
        read_addresses(c, &hosts);
        read_pods(c, &nodes);
        read_files(c, FF_STREAMS_PRINTED, &output);
        read_files(c, FF_STREAM_KERNEL, &kernel);
    }
    for (uint32_t i = 0; i < n; i++) {
        ff_peer_seen *p = &c->peers[i];
        p->name = all.all.at[i];
        p->host = names_add(&hosts, p->name, (ff_bytes){ 0 });
        p->host = p->host.n ? p->host : names_add(&nodes, ff_short_host(p->name), ff_short_host(p->name));
        p->output = names_add(&output, p->host, (ff_bytes){ 0 }).n != 0;
        p->kernel = names_add(&kernel, p->host, (ff_bytes){ 0 }).n != 0;
    }
    names_done(&hosts);
    names_done(&nodes);
    names_done(&output);
    names_done(&kernel);
    ff_distinct_done(&all);
}
