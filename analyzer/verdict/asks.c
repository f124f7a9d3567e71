/* Evidence that would settle what is open: the requests of the root's cause and of the causes that could overturn it,
 * as far as their source is really missing. */
#include "verdict_private.h"

#include <stdlib.h>
#include <string.h>

#define HOSTS_ASKED 4u
#define PEER_COMMAND                                                                                                 \
    "journalctl -k -o short-iso-precise --utc --since '{from}' --until '{to}'   # on {host}, "                       \
    "and with it what each rank there printed"
#define PEER_WHY "a survivor names it as the peer that it lost; why it went is only in its own files"
#define MARGIN FF_MINUTES(15) /* around the incident: causes lie before, exit codes after */

typedef struct wish {
    ff_ask ask;
    uint32_t weight; /* causes that the source could decide about */
    uint32_t turn;   /* order of coming up: root's own first */
} wish;
typedef FF_VEC(wish) wishes;

typedef struct asking {
    const ff_case *c;
    const ff_incident *in;
    bool local;                   /* no UTC, but the logs say local times */
    int64_t local_from, local_to; /* first and last of them, in nanoseconds */
    wishes all;
} asking;

static ff_field text_field(const char *name, ff_bytes value)
{
    return (ff_field){ .name = ff_str(name), .type = FF_FIELD_TEXT, .s = value };
}

static void add_local_times(asking *a, const ff_finding *f)
{
    for (uint32_t i = 0; i < f->n_evidence; i++) {
        ff_stamp said = a->c->evidence->signals[f->evidence[i]].said;
        if (said.kind != FF_STAMP_LOCAL)
            continue;
        a->local_from = a->local && a->local_from < said.ns ? a->local_from : said.ns;
        a->local_to = a->local && a->local_to > said.ns ? a->local_to : said.ns;
        a->local = true;
    }
}

static void find_local_times(asking *a)
{
    for (uint32_t i = 0; i < a->in->n_chain && !a->in->has_time; i++)
        add_local_times(a, &a->c->findings[a->in->chain[i].finding]);
}

static ff_bytes moment(const asking *a, bool first, const char *otherwise)
{
    if (!a->in->has_time && !a->local)
        return ff_str(otherwise);
    ff_text t;
    ff_text_init(&t, 64);
    int64_t from = a->in->has_time ? a->in->began_utc : a->local_from;
    int64_t to = a->in->has_time ? a->in->ended_utc : a->local_to;
    ff_add_utc_seconds(&t, first ? from - MARGIN : to + MARGIN, true);
    ff_bytes copy = ff_arena_copy(a->c->arena, ff_text_view(&t));
    if (!a->in->has_time)
        copy.n -= strlen(" UTC");
    ff_text_done(&t);
    return copy;
}

static ff_bytes with_caution(const asking *a, ff_bytes command)
{
    ff_text t;
    ff_text_init(&t, 1024);
    ff_text_add(&t, command);
    ff_text_adds(&t, "; times as the logs say them, their zone is not known");
    ff_bytes copy = ff_arena_copy(a->c->arena, ff_text_view(&t));
    ff_text_done(&t);
    return copy;
}

static bool is_filled(const ff_field *fields, uint32_t n, const char *name)
{
    for (uint32_t i = 0; i < n; i++)
        if (ff_equal(fields[i].name, ff_str(name)))
            return true;
    return false;
}

static ff_bytes fill(const asking *a, ff_bytes command, ff_bytes host)
{
    ff_field fields[32] = { text_field("host", host.n ? host : FF_LIT("<each node of the job>")),
                            text_field("from", moment(a, true, "<start of the job>")),
                            text_field("to", moment(a, false, "<end of the job>")) };
    uint32_t n = 3;
    for (const char *const *name = ff_request_names; *name && n < FF_COUNT(fields); name++)
        if (!is_filled(fields, n, *name) && ff_contains(command, ff_arena_format(a->c->arena, "{%s}", *name)))
            fields[n++] = text_field(*name, ff_ask_name(a->c, a->in, host, ff_str(*name)));
    ff_bytes filled = ff_fill_template(command, fields, n, a->c->arena);
    return a->local && ff_contains(command, FF_LIT("{from}")) ? with_caution(a, filled) : filled;
}

/* How many open causes, that could have brought about the root, the stream would decide about. */
static uint32_t weight_of(const asking *a, uint32_t stream)
{
    uint32_t weight = 0, root = a->c->findings[a->in->root].cause;
    for (uint32_t i = 0; i < a->in->n_not_ruled_out; i++)
        for (uint32_t k = 0; k < a->in->not_ruled_out[i].n_causes; k++) {
            uint32_t cause = a->in->not_ruled_out[i].causes[k], entry = 0;
            weight += (a->c->rules->causes[cause].settled_by & stream) && ff_case_leads(a->c, cause, root, &entry);
        }
    return weight;
}

static void wish_for(asking *a, const ff_request *r, ff_bytes host)
{
    uint32_t member = FF_NONE;
    if (!(r->stream & a->c->asked))
        return;
    ff_when at = ff_incident_when(a->c, a->in);
    if (ff_coverage_ask(&a->c->coverage, a->c->evidence, host, r->stream, &at, &member) == FF_COVER_YES)
        return;
    bool for_host = ff_contains(r->command, FF_LIT("{host}"));
    wish w = { .weight = weight_of(a, r->stream), .turn = a->all.n };
    w.ask.host = for_host ? host : (ff_bytes){ 0 };
    w.ask.command = fill(a, r->command, host);
    w.ask.why = r->why;
    w.ask.has_span = a->in->has_time;
    if (w.ask.has_span) {
        w.ask.from_utc = a->in->began_utc - MARGIN;
        w.ask.to_utc = a->in->ended_utc + MARGIN;
    }
    for (uint32_t i = 0; i < a->all.n; i++)
        if (ff_equal(a->all.at[i].ask.command, w.ask.command) && ff_equal(a->all.at[i].ask.host, w.ask.host))
            return;
    FF_PUSH(&a->all, w);
}

static void wish_all(asking *a, uint32_t cause)
{
    const ff_cause *k = &a->c->rules->causes[cause];
    for (uint32_t i = 0; i < k->n_requests; i++) {
        if (!a->in->suspects.n_hosts)
            wish_for(a, &k->requests[i], (ff_bytes){ 0 });
        for (uint32_t h = 0; h < a->in->suspects.n_hosts && h < HOSTS_ASKED; h++)
            wish_for(a, &k->requests[i], a->in->suspects.hosts[h]);
    }
}

static void wish_for_open_causes(asking *a)
{
    uint32_t root = a->c->findings[a->in->root].cause;
    for (uint32_t i = 0; i < a->in->n_not_ruled_out; i++)
        for (uint32_t k = 0; k < a->in->not_ruled_out[i].n_causes; k++) {
            uint32_t entry = 0, cause = a->in->not_ruled_out[i].causes[k];
            if (ff_case_leads(a->c, cause, root, &entry))
                wish_all(a, cause);
        }
}

static int most_decisive_first(const void *left, const void *right)
{
    const wish *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return (a->turn > b->turn) - (a->turn < b->turn);
}

/* The files of a peer that a survivor lost. Where it is all that is known, most is decided there. */
static void wish_for_lost_peers(asking *a)
{
    ff_lost_peer lost[FF_PEERS_NAMED];
    uint32_t n = ff_peers_lost(a->c, a->in, lost);
    for (uint32_t i = 0; i < n; i++) {
        ff_bytes host = lost[i].host.n ? lost[i].host : lost[i].name;
        wish w = { .turn = a->all.n };
        w.weight = lost[i].decides ? UINT32_MAX : 0;
        w.ask.host = host;
        w.ask.command = fill(a, FF_LIT(PEER_COMMAND), host);
        w.ask.why = FF_LIT(PEER_WHY);
        w.ask.has_span = a->in->has_time;
        w.ask.from_utc = a->in->has_time ? a->in->began_utc - MARGIN : 0;
        w.ask.to_utc = a->in->has_time ? a->in->ended_utc + MARGIN : 0;
        FF_PUSH(&a->all, w);
    }
}

void ff_asks_find(const ff_case *c, ff_incident *in)
{
    asking a = { .c = c, .in = in };
    find_local_times(&a);
    wish_all(&a, c->findings[in->root].cause);
    wish_for_lost_peers(&a);
    for (uint32_t i = 0; i < in->n_other_roots; i++)
        wish_all(&a, c->findings[in->other_roots[i]].cause);
    if (in->confidence < FF_CERTAIN)
        wish_for_open_causes(&a);
    if (a.all.n)
        qsort(a.all.at, a.all.n, sizeof *a.all.at, most_decisive_first);
    in->n_asks = a.all.n < FF_CAP_ASKS ? a.all.n : FF_CAP_ASKS;
    in->asks = FF_NEW_N(c->arena, ff_ask, FF_CAP_ASKS);
    for (uint32_t i = 0; i < in->n_asks; i++)
        in->asks[i] = a.all.at[i].ask;
    ff_free(a.all.at);
}
