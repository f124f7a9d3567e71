/* The verdict as Markdown, to paste into a ticket. What a log said stands in code, where no mark-up, mention, issue
 * number or link has a meaning; our own sentences, which may hold captures, are escaped. */
#include "html_private.h"

#include <inttypes.h>

#define LINES 12u            /* evidence lines quoted */
#define STEPS 20u            /* steps of the chain */
#define BLANK "\xE2\x80\x8B" /* zero width: parts "@" and "#" from the word behind, so that nobody is called */

typedef struct ticket {
    ff_html h; /* roles and offsets, as on the page */
    ff_text *out;
    ff_text clean;
} ticket;

static void adds(ticket *t, const char *ours) { ff_text_adds(t->out, ours); }

static ff_bytes cleaned(ticket *t, ff_bytes text)
{
    t->clean.n = 0;
    ff_text_add_clean(&t->clean, text);
    for (size_t i = 0; i < t->clean.n; i++)
        if (t->clean.p[i] == '\t')
            t->clean.p[i] = ' ';
    return ff_text_view(&t->clean);
}

static bool is_mark(char c)
{
    for (const char *p = "\\`*_[]<>|~&#@!$"; *p; p++)
        if (*p == c)
            return true;
    return false;
}

/* The last letter of "www.", which some readers make a link. */
static bool ends_www(ff_bytes b, size_t i) { return i >= 2 && ff_starts(ff_skip_n(b, i - 2), FF_LIT("www.")); }

static void prose(ticket *t, ff_bytes text)
{
    ff_bytes b = cleaned(t, text);
    for (size_t i = 0; i < b.n; i++) {
        ff_bytes rest = ff_skip_n(b, i);
        if (b.p[i] == '<')
            adds(t, "&lt;");
        else if (b.p[i] == '&')
            adds(t, "&amp;");
        else {
            if (is_mark(b.p[i]))
                ff_text_addc(t->out, '\\');
            ff_text_addc(t->out, b.p[i]);
        }
        if (b.p[i] == '@' || b.p[i] == '#' || ff_starts(rest, FF_LIT("://")) || ends_www(b, i))
            adds(t, BLANK);
    }
}

/* The fence is longer than any run of its kind inside. */
static size_t longest_run(ff_bytes b)
{
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < b.n; i++) {
        run = b.p[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void fence(ticket *t, size_t n)
{
    while (n--)
        ff_text_addc(t->out, '`');
}

static void code(ticket *t, ff_bytes text)
{
    ff_bytes b = cleaned(t, text);
    if (ff_is_empty(b))
        return;
    size_t n = longest_run(b) + 1;
    bool padded = b.p[0] == '`' || b.p[b.n - 1] == '`' || b.p[0] == ' ';
    fence(t, n);
    adds(t, padded ? " " : "");
    ff_text_add(t->out, b);
    adds(t, padded ? " " : "");
    fence(t, n);
}

static void block(ticket *t, ff_bytes text)
{
    ff_bytes b = cleaned(t, text);
    size_t n = longest_run(b) + 1;
    n = n < 3 ? 3 : n;
    fence(t, n);
    adds(t, "text\n");
    ff_text_add(t->out, b);
    adds(t, "\n");
    fence(t, n);
    adds(t, "\n\n");
}

static void list(ticket *t, const char *title, const ff_bytes *items, uint32_t n, bool numbered)
{
    if (!n)
        return;
    ff_text_addf(t->out, "%s\n\n", title);
    for (uint32_t i = 0; i < n; i++) {
        if (numbered)
            ff_text_addf(t->out, "%" PRIu32 ". ", i + 1);
        else
            adds(t, "- ");
        prose(t, items[i]);
        adds(t, "\n");
    }
    adds(t, "\n");
}

static void fact(ticket *t, const char *name) { ff_text_addf(t->out, "- **%s:** ", name); }

static void names(ticket *t, const char *what, const ff_bytes *items, uint32_t n, bool *any)
{
    for (uint32_t i = 0; i < n && i < FF_HTML_GROUP; i++) {
        ff_text_addf(t->out, "%s%s ", *any ? ", " : "", what);
        code(t, items[i]);
        *any = true;
    }
    if (n > FF_HTML_GROUP)
        ff_text_addf(t->out, " and %" PRIu32 " more", n - FF_HTML_GROUP);
}

static void suspects(ticket *t, const ff_suspects *s)
{
    bool any = false;
    if (!(s->n_hosts || s->n_gpus || s->n_pods || s->n_processes || s->n_ranks))
        return;
    fact(t, "Suspects");
    names(t, "host", s->hosts, s->n_hosts, &any);
    if (s->n_ranks) {
        adds(t, any ? ", rank " : "rank ");
        ff_say_ranks(t->out, s->ranks, s->n_ranks);
        any = true;
    }
    names(t, "GPU", s->gpus, s->n_gpus, &any);
    names(t, "pod", s->pods, s->n_pods, &any);
    names(t, "process", s->processes, s->n_processes, &any);
    adds(t, "\n");
}

static void facts(ticket *t)
{
    const ff_report *r = t->h.r;
    const ff_verdict *v = &r->verdict;
    fact(t, "Cause");
    code(t, ff_view_cause_id(r, v->cause));
    adds(t, ", ");
    prose(t, ff_view_verdict_title(r));
    adds(t, "\n");
    fact(t, "Confidence");
    adds(t, ff_view_confidence_words(v->confidence));
    if (!ff_is_empty(v->confidence_why)) {
        adds(t, ": ");
        prose(t, v->confidence_why);
    }
    adds(t, "\n");
    if (!ff_is_empty(v->fault_class)) {
        fact(t, "Kind of fault");
        prose(t, v->fault_class);
        adds(t, "\n");
    }
    const ff_incident *in = t->h.main;
    if (in) {
        suspects(t, &in->suspects);
        if (in->has_time) {
            fact(t, ff_view_began_before(t->h.r, in) ? "Began before" : "Began");
            ff_say_utc(t->out, in->began_utc);
            adds(t, " UTC, give or take ");
            if (in->err_ns >= 1000000)
                ff_text_add_span(t->out, in->err_ns);
            else
                adds(t, "under 1 ms");
            adds(t, "\n");
        }
    }
    for (uint32_t i = 0; i < v->n_ceiling; i++) {
        fact(t, "Could overturn this");
        prose(t, v->ceiling[i]);
        adds(t, "\n");
    }
    adds(t, "\n");
}

static void step(ticket *t, const ff_link *link)
{
    const ff_finding *f = ff_view_finding(t->h.r, link->finding);
    if (!f)
        return;
    const ff_signal *s = ff_view_first_of(t->h.r, f);
    ff_text_addf(t->out, "- **%s** ", ff_say_role(link->role));
    if (s && ff_say_offset(t->out, &t->h, s))
        adds(t, ": ");
    prose(t, ff_is_empty(f->summary) ? ff_view_cause_title(t->h.r, f->cause) : f->summary);
    adds(t, " (");
    code(t, ff_view_cause_id(t->h.r, f->cause));
    if (link->role != FF_ROLE_ROOT)
        adds(t, link->proven ? "; order proven" : "; order possible");
    adds(t, ")\n");
}

static void chain(ticket *t)
{
    const ff_incident *in = t->h.main;
    if (!in)
        return;
    adds(t, "## What led to what\n\n");
    for (uint32_t i = 0; i < in->n_chain && i < STEPS; i++)
        step(t, &in->chain[i]);
    if (in->n_chain > STEPS)
        ff_text_addf(t->out, "- and %" PRIu32 " more steps in report.json\n", in->n_chain - STEPS);
    adds(t, "\n");
}

static void quote(ticket *t, const ff_signal *s)
{
    ff_text place;
    ff_text_init(&place, 0);
    ff_say_place(&place, t->h.r, s->at);
    code(t, ff_text_view(&place));
    ff_text_done(&place);
    if (s->has_utc) {
        adds(t, ", ");
        ff_say_utc(t->out, s->utc);
        adds(t, " UTC");
    }
    adds(t, "\n\n");
    block(t, ff_first_n(s->quote, FF_CAP_EVIDENCE_TEXT));
}

static void evidence(ticket *t)
{
    const ff_finding *root = t->h.main ? ff_view_finding(t->h.r, t->h.main->root) : NULL;
    if (!root || !root->n_evidence)
        return;
    adds(t, "## Evidence\n\n");
    for (uint32_t i = 0; i < root->n_evidence && i < LINES; i++) {
        const ff_signal *s = ff_view_signal(t->h.r, root->evidence[i]);
        if (s)
            quote(t, s);
    }
    if (root->n_evidence > LINES)
        ff_text_addf(t->out, "And %" PRIu32 " more lines in report.json.\n\n", root->n_evidence - LINES);
}

static void requests(ticket *t)
{
    const ff_incident *in = t->h.main;
    if (!in || !in->n_asks)
        return;
    adds(t, "## Evidence that would settle it\n\n");
    for (uint32_t i = 0; i < in->n_asks; i++) {
        if (!ff_is_empty(in->asks[i].host)) {
            adds(t, "On ");
            code(t, in->asks[i].host);
            adds(t, ": ");
        }
        prose(t, in->asks[i].why);
        adds(t, "\n\n");
        block(t, ff_first_n(in->asks[i].command, FF_CAP_PATH));
    }
}

static void rulings(ticket *t, const char *title, const ff_ruling *all, uint32_t n)
{
    if (!n)
        return;
    ff_text_addf(t->out, "### %s\n\n", title);
    for (uint32_t i = 0; i < n; i++) {
        adds(t, "- ");
        prose(t, all[i].text);
        adds(t, "\n");
    }
    adds(t, "\n");
}

static void origin(ticket *t)
{
    const ff_report *r = t->h.r;
    adds(t, "---\nfirstfault " FF_VERSION);
    for (uint32_t i = 0; i < r->rules->n_packs; i++) {
        adds(t, ", rules ");
        prose(t, ff_view_no_path(r->rules->packs[i].name));
        adds(t, " ");
        prose(t, r->rules->packs[i].version);
    }
    for (uint32_t i = 0; i < r->evidence->n_inputs && i < FF_HTML_GROUP; i++) {
        adds(t, "; ");
        code(t, ff_view_no_path(r->evidence->inputs[i].name));
    }
    adds(t, "\n");
}

void ff_write_markdown(const ff_report *r, ff_text *out)
{
    ticket t = { .h = { .r = r, .main = ff_view_incident(r) }, .out = out };
    ff_arena_init(&t.h.arena);
    ff_text_init(&t.clean, 0);
    ff_html_find_starts(&t.h);
    ff_html_find_roles(&t.h);
    const ff_cause *c = ff_html_cause(&t.h, r->verdict.cause);
    adds(&t, "# ");
    prose(&t, ff_is_empty(r->verdict.summary) ? c->title : r->verdict.summary);
    adds(&t, "\n\n");
    facts(&t);
    chain(&t);
    evidence(&t);
    list(&t, "## What to do now", c->act, c->n_act, true);
    list(&t, "Proof that it is repaired:", c->verify, c->n_verify, false);
    list(&t, "Do not:", c->avoid, c->n_avoid, false);
    requests(&t);
    if (t.h.main && (t.h.main->n_ruled_out || t.h.main->n_not_ruled_out)) {
        adds(&t, "## What else it could be\n\n");
        rulings(&t, "Ruled out", t.h.main->ruled_out, t.h.main->n_ruled_out);
        rulings(&t, "Not ruled out", t.h.main->not_ruled_out, t.h.main->n_not_ruled_out);
    }
    origin(&t);
    ff_text_done(&t.clean);
    ff_arena_done(&t.h.arena);
}
