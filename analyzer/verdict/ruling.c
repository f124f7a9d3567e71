/* What is ruled out, what is not, and what could overturn the verdict. A cause is ruled out by sources that would
 * have shown it at that moment at that place, never by mere silence. */
#include "verdict_private.h"

#define HOSTS_ASKED 4u   /* suspect hosts whose sources are looked at */
#define TITLES_SHOWN 8u  /* causes named in the text of one ruling; all of them stand in its list */
#define SHORT_CEILING 3u /* lines for a verdict that is certain */

/* ---- one cause ---- */
typedef struct grounds {
    ff_set by, missing; /* what covers, and what does not */
} grounds;

static void ask_stream(const ff_case *c, const ff_incident *in, ff_bytes host, uint32_t stream, grounds *g)
{
    uint32_t member = FF_NONE;
    ff_when at = ff_incident_when(c, in);
    ff_cover cover = ff_coverage_ask(&c->coverage, c->evidence, host, stream, &at, &member);
    if (cover == FF_COVER_YES)
        ff_set_add(&g->by, ff_member_span(c->evidence, member, c->arena), c->arena);
    else
        ff_set_add(&g->missing, ff_missing_text(c, host, stream, &at), c->arena);
}

static grounds grounds_of(const ff_case *c, const ff_incident *in, uint32_t streams)
{
    grounds g = { 0 };
    for (unsigned bit = 0; bit < FF_STREAMS; bit++) {
        uint32_t stream = UINT32_C(1) << bit;
        if (!(streams & c->asked & stream))
            continue;
        if (!in->suspects.n_hosts)
            ask_stream(c, in, (ff_bytes){ 0 }, stream, &g);
        for (uint32_t h = 0; h < in->suspects.n_hosts && h < HOSTS_ASKED; h++)
            ask_stream(c, in, in->suspects.hosts[h], stream, &g);
        /* what dumps rule out they rule out by agreeing, and an absent one agrees with nobody */
        if (stream == FF_STREAM_RECORDER)
            ff_set_add(&g.missing, ff_dumps_missing(c), c->arena);
    }
    return g;
}

/* Is b what a brings about, rather than the other way round? */
static bool is_effect(const ff_case *c, uint32_t a, uint32_t b)
{
    uint32_t entry = 0;
    return c->rules->causes[b].rank > c->rules->causes[a].rank && ff_case_leads(c, a, b, &entry);
}

/* Causes that a finding speaks of are in the report; what those bring about is no rival, and may stand in the same
 * lines under the better name. Neither is ruled out, nor open. */
static bool *found_causes(const ff_case *c)
{
    uint32_t n = c->rules->n_causes;
    bool *found = FF_NEW_N(c->arena, bool, (size_t)n + 1);
    for (uint32_t i = 0; i < c->n_findings; i++)
        found[c->findings[i].cause] = true;
    for (uint32_t g = 0; g < c->n_groups; g++)
        for (uint32_t k = 0; k < n; k++)
            found[k] = found[k] || is_effect(c, c->groups[g].cause, k);
    return found;
}

static bool can_be_ruled(const ff_case *c, const bool *found, uint32_t cause)
{
    const ff_cause *k = &c->rules->causes[cause];
    return !found[cause] && k->settled_by && k->severity >= FF_SEV_ERROR;
}

/* ---- causes that the same streams settle share a ruling ---- */
static ff_bytes text_of(const ff_case *c, const ff_ruling *r, bool out)
{
    ff_text t;
    ff_text_init(&t, 4096);
    for (uint32_t i = 0; i < r->n_causes && i < TITLES_SHOWN; i++) {
        const ff_cause *k = &c->rules->causes[r->causes[i]];
        ff_text_adds(&t, i ? ", " : "");
        ff_text_add(&t, out && k->ruled_out.n ? k->ruled_out : ff_case_title(c, r->causes[i]));
    }
    if (r->n_causes > TITLES_SHOWN)
        ff_text_addf(&t, " and %u more", r->n_causes - TITLES_SHOWN);
    ff_text_adds(&t, out ? ": " : ": cannot be ruled out without ");
    for (uint32_t i = 0; i < r->n_by; i++) {
        ff_text_adds(&t, i ? ", " : "");
        ff_text_add(&t, r->by[i]);
    }
    ff_bytes copy = ff_arena_copy(c->arena, ff_text_view(&t));
    ff_text_done(&t);
    return copy;
}

/* What lies deep in the stack is what people want to see ruled out first. */
static void put_deepest_first(const ff_case *c, ff_ruling *r)
{
    for (uint32_t i = 1; i < r->n_causes; i++)
        for (uint32_t k = i; k > 0 && c->rules->causes[r->causes[k]].rank < c->rules->causes[r->causes[k - 1]].rank;
             k--) {
            uint32_t deeper = r->causes[k];
            r->causes[k] = r->causes[k - 1];
            r->causes[k - 1] = deeper;
        }
}

/* Could the cause have brought about the root? Of a failure that nothing explains, any could. */
static bool overturns(const ff_case *c, const ff_incident *in, uint32_t cause)
{
    uint32_t root = c->findings[in->root].cause, entry = 0;
    return root == c->unknown || ff_case_leads(c, cause, root, &entry);
}

typedef FF_VEC(ff_ruling) rulings;

static bool is_same_list(const ff_ruling *a, const ff_bytes *by, uint32_t n)
{
    bool same = a->n_by == n;
    for (uint32_t i = 0; i < n && same; i++)
        same = ff_equal(a->by[i], by[i]);
    return same;
}

/* The ruling that rests on these sources, or lacks them. */
static ff_ruling *ruling_by(const ff_case *c, rulings *all, const ff_set *by)
{
    for (uint32_t i = 0; i < all->n; i++)
        if (is_same_list(&all->at[i], by->at, by->n))
            return &all->at[i];
    ff_ruling r = { .causes = FF_NEW_N(c->arena, uint32_t, (size_t)c->rules->n_causes), .by = by->at, .n_by = by->n };
    FF_PUSH(all, r);
    return &all->at[all->n - 1];
}

/* Open is what could change the verdict; for others a missing source matters nothing. */
static void rule_on(const ff_case *c, const ff_incident *in, const bool *found, uint32_t streams, rulings *out,
                    rulings *open)
{
    grounds g = grounds_of(c, in, streams);
    bool is_out = g.missing.n == 0;
    if (!g.missing.n && !g.by.n)
        return; /* nothing that this job could have */
    for (uint32_t k = 0; k < c->rules->n_causes; k++) {
        if (c->rules->causes[k].settled_by != streams || !can_be_ruled(c, found, k))
            continue;
        if (!is_out && !overturns(c, in, k))
            continue;
        ff_ruling *r = ruling_by(c, is_out ? out : open, is_out ? &g.by : &g.missing);
        r->causes[r->n_causes++] = k;
    }
}

static bool is_first_of_streams(const ff_case *c, const bool *found, uint32_t cause)
{
    for (uint32_t k = 0; k < cause; k++)
        if (c->rules->causes[k].settled_by == c->rules->causes[cause].settled_by && can_be_ruled(c, found, k))
            return false;
    return can_be_ruled(c, found, cause);
}

static bool is_deeper(const ff_case *c, const ff_ruling *a, const ff_ruling *b)
{
    return c->rules->causes[a->causes[0]].rank < c->rules->causes[b->causes[0]].rank;
}

/* The deepest first, among rulings and in each. */
static ff_ruling *kept(const ff_case *c, rulings *all, bool out)
{
    ff_ruling *at = FF_NEW_N(c->arena, ff_ruling, (size_t)all->n + 1);
    for (uint32_t i = 0; i < all->n; i++) {
        ff_ruling r = all->at[i];
        uint32_t k = i;
        put_deepest_first(c, &r);
        r.text = text_of(c, &r, out);
        for (; k > 0 && is_deeper(c, &r, &at[k - 1]); k--)
            at[k] = at[k - 1];
        at[k] = r;
    }
    ff_free(all->at);
    return at;
}

void ff_rulings_find(const ff_case *c, ff_incident *in)
{
    const bool *found = found_causes(c);
    rulings out = { 0 }, open = { 0 };
    for (uint32_t k = 0; k < c->rules->n_causes; k++)
        if (is_first_of_streams(c, found, k))
            rule_on(c, in, found, c->rules->causes[k].settled_by, &out, &open);
    in->n_ruled_out = out.n;
    in->ruled_out = kept(c, &out, true);
    in->n_not_ruled_out = open.n;
    in->not_ruled_out = kept(c, &open, false);
}

/* ---- ceiling ---- */
static void add_ceiling(ff_verdict *v, ff_bytes text, uint32_t most)
{
    for (uint32_t i = 0; i < v->n_ceiling; i++)
        if (ff_equal(v->ceiling[i], text))
            return;
    if (text.n && v->n_ceiling < most)
        v->ceiling[v->n_ceiling++] = text;
}

static uint32_t requested(const ff_cause *cause)
{
    uint32_t streams = 0;
    for (uint32_t i = 0; i < cause->n_requests; i++)
        streams |= cause->requests[i].stream;
    return streams;
}

/* Hosts of the job, and others of which the bundle holds anything: machines of one fabric need no rank to matter. */
static ff_set hosts_that_matter(const ff_case *c)
{
    ff_set hosts = ff_hosts_of_job(c);
    for (uint32_t i = 0; i < c->evidence->n_members; i++)
        ff_set_add(&hosts, ff_short_host(c->evidence->members[i].who.host), c->arena);
    return hosts;
}

/* Those that have no such log, beside the suspects, which were asked before. */
static void add_other_hosts(const ff_case *c, const ff_incident *in, uint32_t streams, ff_verdict *v, uint32_t most)
{
    ff_set hosts = hosts_that_matter(c);
    ff_when at = ff_incident_when(c, in);
    for (unsigned bit = 0; bit < FF_STREAMS; bit++) {
        uint32_t stream = UINT32_C(1) << bit, told = 0;
        if (!(streams & stream) || ff_is_job_stream(stream))
            continue;
        for (uint32_t h = 0; h < hosts.n && told < HOSTS_ASKED; h++) {
            ff_bytes text = ff_missing_text(c, hosts.at[h], stream, &at);
            told += text.n != 0;
            add_ceiling(v, text, most);
        }
    }
}

/* A fault of a machine, or an end that its platform gave the job: what the job itself says could tell another story.
 */
static bool is_told_by_job(const ff_case *c, const ff_incident *in)
{
    for (uint32_t i = 0; i < in->n_chain; i++) {
        const ff_finding *f = &c->findings[in->chain[i].finding];
        for (uint32_t k = 0; k < f->n_evidence; k++)
            if (c->evidence->signals[f->evidence[k]].stream & FF_JOB_OUTPUT)
                return true;
    }
    return false;
}

/* What a survivor could not know stands in the files of whom it lost. */
static void add_lost_peers(const ff_case *c, const ff_incident *in, bool decides, ff_verdict *v, uint32_t most)
{
    ff_lost_peer lost[FF_PEERS_NAMED];
    uint32_t n = ff_peers_lost(c, in, lost);
    for (uint32_t i = 0; i < n; i++)
        if (lost[i].decides == decides)
            add_ceiling(v, ff_lost_peer_text(c, &lost[i]), most);
}

/* What could overturn the verdict: the sources that would show its own cause better, ranks and hosts whose files are
 * missing beside those of others, and the missing sources of open causes that could have brought about the root. */
void ff_ceiling_find(const ff_case *c, const ff_incident *in, ff_verdict *v)
{
    const ff_cause *cause = &c->rules->causes[c->findings[in->root].cause];
    bool certain = in->confidence == FF_CERTAIN && in->n_not_ruled_out == 0;
    uint32_t own = (cause->settled_by | (certain ? 0 : requested(cause))) & c->asked;
    uint32_t most = certain ? SHORT_CEILING : FF_CAP_SUSPECTS;
    grounds missing = grounds_of(c, in, own);
    v->ceiling = FF_NEW_N(c->arena, ff_bytes, FF_CAP_SUSPECTS);
    add_lost_peers(c, in, true, v, most);
    for (uint32_t i = 0; i < missing.missing.n; i++)
        add_ceiling(v, missing.missing.at[i], most);
    for (unsigned bit = 0; bit < FF_STREAMS; bit++)
        if (ff_is_job_stream(own & (UINT32_C(1) << bit)))
            add_ceiling(v, ff_ranks_missing(c, UINT32_C(1) << bit), most);
    if (in->confidence < FF_CERTAIN)
        add_other_hosts(c, in, cause->settled_by & c->asked, v, most);
    for (uint32_t i = 0; i < in->n_not_ruled_out; i++)
        for (uint32_t k = 0; k < in->not_ruled_out[i].n_by; k++)
            add_ceiling(v, in->not_ruled_out[i].by[k], most);
    if (in->confidence < FF_CERTAIN && (c->asked & FF_STREAM_APP))
        add_ceiling(v, ff_ranks_missing(c, FF_STREAM_APP), most);
    add_lost_peers(c, in, false, v, most);
    if (!is_told_by_job(c, in) && (c->asked & FF_STREAM_APP))
        add_ceiling(v, ff_missing_text(c, (ff_bytes){ 0 }, FF_STREAM_APP, NULL), FF_CAP_SUSPECTS);
}

/* ---- what the root presumes ---- */
static void presume(const ff_case *c, ff_bytes host, uint32_t streams, ff_set *missing)
{
    for (unsigned bit = 0; bit < FF_STREAMS; bit++) {
        uint32_t member = FF_NONE, stream = UINT32_C(1) << bit;
        if ((streams & stream) &&
            ff_coverage_ask(&c->coverage, c->evidence, host, stream, NULL, &member) != FF_COVER_YES)
            ff_set_add(missing, ff_missing_text(c, host, stream, NULL), c->arena);
    }
}

/* A cause that presumes the silence of a source is no more than possible where that is not there. */
void ff_weaken(const ff_case *c, ff_incident *in)
{
    uint32_t streams = c->rules->causes[c->findings[in->root].cause].presumes & c->asked;
    ff_set missing = { 0 };
    if (!in->suspects.n_hosts)
        presume(c, (ff_bytes){ 0 }, streams, &missing);
    for (uint32_t h = 0; h < in->suspects.n_hosts && h < HOSTS_ASKED; h++)
        presume(c, in->suspects.hosts[h], streams, &missing);
    if (!missing.n || in->confidence == FF_POSSIBLE)
        return;
    in->confidence = FF_POSSIBLE;
    in->confidence_why =
        ff_arena_format(c->arena, "%.*s; what lies beneath it would stand in the %.*s, which is missing",
                        FF_SHOW(in->confidence_why), FF_SHOW(missing.at[0]));
}
