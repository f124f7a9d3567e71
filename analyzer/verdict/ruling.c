/* What is ruled out, what is not, and what could overturn the verdict. A cause is ruled out by sources that would
 * have shown it at that moment at that place, never by mere silence. */
#include "verdict_private.h"

#define HOSTS_ASKED 4u   /* suspect hosts whose sources are looked at */
#define TITLES_SHOWN 8u  /* causes named in the text of one ruling; all of them stand in its list */
#define SHORT_CEILING 3u /* lines for a verdict that is certain */

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
    ff_bytes copy = ff_arena_copy(c->arena, ff_text_view(&t));
    ff_text_done(&t);
    return copy;
}

/* ---- one cause ---- */
typedef struct grounds {
    ff_set by, missing; /* what covers, and what does not */
} grounds;

static void ask_stream(const ff_case *c, const ff_incident *in, ff_bytes host, uint32_t stream, grounds *g)
{
    uint32_t member = FF_NONE;
    ff_when at = ff_incident_when(c->evidence, in);
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
        if (!(streams & stream))
            continue;
        if (!in->suspects.n_hosts)
            ask_stream(c, in, (ff_bytes){ 0 }, stream, &g);
        for (uint32_t h = 0; h < in->suspects.n_hosts && h < HOSTS_ASKED; h++)
            ask_stream(c, in, in->suspects.hosts[h], stream, &g);
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

typedef FF_VEC(ff_ruling) rulings;

static void rule_on(const ff_case *c, const ff_incident *in, const bool *found, uint32_t streams, rulings *out,
                    rulings *open)
{
    ff_ruling r = { .causes = FF_NEW_N(c->arena, uint32_t, (size_t)c->rules->n_causes) };
    for (uint32_t k = 0; k < c->rules->n_causes; k++)
        if (c->rules->causes[k].settled_by == streams && can_be_ruled(c, found, k))
            r.causes[r.n_causes++] = k;
    put_deepest_first(c, &r);
    grounds g = grounds_of(c, in, streams);
    bool is_out = g.missing.n == 0 && g.by.n != 0;
    r.by = is_out ? g.by.at : g.missing.at;
    r.n_by = is_out ? g.by.n : g.missing.n;
    r.text = text_of(c, &r, is_out);
    if (is_out)
        FF_PUSH(out, r);
    else
        FF_PUSH(open, r);
}

static bool is_first_of_streams(const ff_case *c, const bool *found, uint32_t cause)
{
    for (uint32_t k = 0; k < cause; k++)
        if (c->rules->causes[k].settled_by == c->rules->causes[cause].settled_by && can_be_ruled(c, found, k))
            return false;
    return can_be_ruled(c, found, cause);
}

static ff_ruling *kept(const ff_case *c, rulings *all)
{
    ff_ruling *at = FF_NEW_N(c->arena, ff_ruling, (size_t)all->n + 1);
    for (uint32_t i = 0; i < all->n; i++)
        at[i] = all->at[i];
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
    in->ruled_out = kept(c, &out);
    in->n_not_ruled_out = open.n;
    in->not_ruled_out = kept(c, &open);
}

/* ---- ceiling ---- */
static void add_ceiling(ff_verdict *v, ff_bytes text, uint32_t most)
{
    for (uint32_t i = 0; i < v->n_ceiling; i++)
        if (ff_equal(v->ceiling[i], text))
            return;
    if (v->n_ceiling < most)
        v->ceiling[v->n_ceiling++] = text;
}

/* An open cause can overturn the verdict if it could have brought about the root; its missing sources are the
 * ceiling. The root's own sources come first. */
void ff_ceiling_find(const ff_case *c, const ff_incident *in, ff_verdict *v)
{
    const ff_finding *root = &c->findings[in->root];
    grounds own = grounds_of(c, in, c->rules->causes[root->cause].settled_by);
    bool is_settled = in->confidence == FF_CERTAIN && own.missing.n == 0;
    uint32_t most = is_settled ? SHORT_CEILING : FF_CAP_SUSPECTS;
    v->ceiling = FF_NEW_N(c->arena, ff_bytes, FF_CAP_SUSPECTS);
    for (uint32_t i = 0; i < own.missing.n && root->confidence < FF_CERTAIN; i++)
        add_ceiling(v, own.missing.at[i], most);
    for (uint32_t i = 0; i < in->n_not_ruled_out; i++) {
        const ff_ruling *r = &in->not_ruled_out[i];
        bool overturns = false;
        for (uint32_t k = 0; k < r->n_causes && !overturns; k++) {
            uint32_t entry = 0;
            overturns = root->cause == c->unknown || ff_case_leads(c, r->causes[k], root->cause, &entry);
        }
        for (uint32_t k = 0; k < r->n_by && overturns; k++)
            add_ceiling(v, r->by[k], most);
    }
}
