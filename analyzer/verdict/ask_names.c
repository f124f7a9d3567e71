/* Names that the command of a request needs and that the bundle knows: the pid of the suspect, its port, its
 * interface. What stays unknown is left to the reader as "<pid>". */
#include "verdict_private.h"

typedef struct looking {
    const ff_case *c;
    const ff_incident *in;
    ff_bytes host; /* short name; empty: any */
} looking;

/* Logs are hostile, and the command will be pasted into a shell: nothing that a shell reads as more than a word. */
static bool is_plain_word(ff_bytes text)
{
    static const char marks[] = "_-./:@%+,=[]";
    for (size_t i = 0; i < text.n; i++) {
        char at = text.p[i];
        bool plain = (at >= 'a' && at <= 'z') || (at >= 'A' && at <= 'Z') || (at >= '0' && at <= '9');
        for (size_t k = 0; k + 1 < sizeof marks && !plain; k++)
            plain = at == marks[k];
        if (!plain)
            return false;
    }
    return text.n > 0 && text.p[0] != '-';
}

static bool is_there(const looking *l, ff_bytes host)
{
    return !l->host.n || !host.n || ff_equal(ff_short_host(host), l->host);
}

static ff_bytes number_text(const looking *l, int32_t number)
{
    return number < 0 ? (ff_bytes){ 0 } : ff_arena_format(l->c->arena, "%d", (int)number);
}

static ff_bytes of_who(const looking *l, ff_bytes name, const ff_who *who)
{
    if (!is_there(l, who->host))
        return (ff_bytes){ 0 };
    if (ff_equal(name, FF_LIT("pid")))
        return number_text(l, who->pid);
    if (ff_equal(name, FF_LIT("pod")))
        return who->pod;
    if (ff_equal(name, FF_LIT("container")))
        return who->container;
    if (ff_equal(name, FF_LIT("cgroup")))
        return who->cgroup;
    return ff_equal(name, FF_LIT("pci")) ? who->gpu : (ff_bytes){ 0 };
}

static ff_bytes of_fields(ff_bytes name, const ff_field *fields, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (ff_equal(fields[i].name, name) || (fields[i].type == FF_FIELD_PCI && ff_equal(name, FF_LIT("pci"))))
            return fields[i].s;
    return (ff_bytes){ 0 };
}

/* The finding itself, then the lines that show it. */
static ff_bytes of_finding(const looking *l, ff_bytes name, const ff_finding *f)
{
    ff_bytes found = of_who(l, name, &f->who);
    if (!found.n && is_there(l, f->who.host))
        found = of_fields(name, f->facts, f->n_facts);
    for (uint32_t i = 0; i < f->n_evidence && !found.n; i++) {
        const ff_signal *s = &l->c->evidence->signals[f->evidence[i]];
        found = of_who(l, name, &s->who);
        if (!found.n && is_there(l, s->who.host))
            found = of_fields(name, s->fields, s->n_fields);
    }
    return found;
}

/* The process that a suspected rank is joined with. */
static ff_bytes pid_of_suspects(const looking *l)
{
    const ff_identity *id = l->c->identity;
    for (uint32_t r = 0; r < l->in->suspects.n_ranks; r++) {
        ff_bytes rank = number_text(l, l->in->suspects.ranks[r]);
        for (uint32_t i = 0; i < id->n_joins; i++) {
            const ff_join *j = &id->joins[i];
            ff_bytes pid = ff_after_last(j->left, '/'), scope = ff_first_n(j->left, j->left.n - pid.n);
            bool here = !l->host.n || (scope.n == l->host.n + 1 && ff_starts(scope, l->host));
            if (here && !j->conflict && ff_equal(j->left_kind, FF_LIT("pid")) &&
                ff_equal(j->right_kind, FF_LIT("rank")) && ff_equal(j->right, rank))
                return pid;
        }
    }
    return (ff_bytes){ 0 };
}

/* The interface that the job uses on this host, or (peer) the address that it uses on another. */
static ff_bytes of_network(const looking *l, ff_bytes name)
{
    bool peer = ff_equal(name, FF_LIT("peer"));
    for (uint32_t i = 0; i < l->c->evidence->n_signals && l->host.n; i++) {
        const ff_signal *s = &l->c->evidence->signals[i];
        ff_bytes interface = of_fields(FF_LIT("interface"), s->fields, s->n_fields);
        if (!interface.n || !s->who.host.n || !(s->stream & (FF_STREAM_NCCL | FF_STREAM_APP)) ||
            is_there(l, s->who.host) == peer)
            continue;
        return peer ? of_fields(FF_LIT("address"), s->fields, s->n_fields) : interface;
    }
    return (ff_bytes){ 0 };
}

ff_bytes ff_ask_name(const ff_case *c, const ff_incident *in, ff_bytes host, ff_bytes name)
{
    looking l = { .c = c, .in = in, .host = ff_short_host(host) };
    ff_bytes found = of_finding(&l, name, &c->findings[in->root]);
    if (!found.n && ff_equal(name, FF_LIT("pid")))
        found = pid_of_suspects(&l);
    if (!found.n && (ff_equal(name, FF_LIT("interface")) || ff_equal(name, FF_LIT("peer"))))
        found = of_network(&l, name);
    if (!found.n && ff_equal(name, FF_LIT("job")))
        found = ff_slurm_job(c->evidence, c->findings[in->root].who.job, c->arena);
    return is_plain_word(found) ? found : ff_arena_format(c->arena, "<%.*s>", FF_SHOW(name));
}
