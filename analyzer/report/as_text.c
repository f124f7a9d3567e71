/* The summary for a terminal: what broke first, how we know, what to do. It fits one screen unless verbose is asked
 * for, and says how much more the other reports hold. */
#include "text_private.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct summary {
    const ff_report *r;
    ff_page page;
    ff_text words; /* scratch for one paragraph */
    bool verbose;
} summary;

static ff_text *fresh(summary *s)
{
    s->words.n = 0;
    ff_text_adds(&s->words, "");
    return &s->words;
}

static unsigned lines_of(const summary *s, unsigned n) { return s->verbose ? 0 : n; }
static uint32_t shown(const summary *s, uint32_t n, uint32_t most) { return s->verbose || n < most ? n : most; }

static void flow(summary *s, ff_ink ink, const char *lead, unsigned hang, unsigned max_lines)
{
    ff_page_flow(&s->page, ink, lead, hang, ff_text_view(&s->words), max_lines);
}

static void tell_more(summary *s, uint32_t total, uint32_t told, const char *what)
{
    if (total <= told)
        return;
    ff_text_addf(fresh(s), "and %" PRIu32 " more%s in the report", total - told, what);
    flow(s, FF_INK_FAINT, "  ", 2, 1);
}

/* ---- verdict ---- */
static ff_ink verdict_ink(const ff_report *r)
{
    ff_bytes id = ff_view_cause_id(r, r->verdict.cause);
    if (ff_equal(id, FF_LIT("healthy")))
        return FF_INK_GOOD;
    return ff_equal(id, FF_LIT("unknown")) ? FF_INK_WARN : FF_INK_BAD;
}

static void tell_verdict(summary *s)
{
    const ff_verdict *v = &s->r->verdict;
    ff_text *t = fresh(s);
    ff_text_add(t, ff_view_cause_id(s->r, v->cause));
    if (!ff_equal(ff_view_cause_title(s->r, v->cause), ff_view_cause_id(s->r, v->cause))) {
        ff_text_adds(t, ": ");
        ff_text_add(t, ff_view_cause_title(s->r, v->cause));
    }
    flow(s, verdict_ink(s->r), "", 2, lines_of(s, 2));
    if (v->summary.n)
        ff_page_flow(&s->page, FF_INK_PLAIN, "  ", 2, v->summary, lines_of(s, 3));
    t = fresh(s);
    ff_text_adds(t, ff_view_confidence_words(v->confidence));
    if (v->confidence_why.n) {
        ff_text_adds(t, ": ");
        ff_text_add(t, v->confidence_why);
    }
    flow(s, FF_INK_PLAIN, "  Sure?     ", 12, lines_of(s, 2));
    if (v->fault_class.n)
        ff_page_flow(&s->page, FF_INK_PLAIN, "  Class     ", 12, v->fault_class, 1);
}

/* ---- when and who ---- */
/* a - b; a text may claim any time, so the ends hold. */
static int64_t less(int64_t a, int64_t b)
{
    if (b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b)
        return b < 0 ? INT64_MAX : INT64_MIN;
    return a - b;
}

static void add_time_for_people(ff_text *t, int64_t utc, int64_t err)
{
    ff_text full;
    ff_text_init(&full, 0);
    ff_text_add_utc(&full, utc);
    ff_bytes text = ff_text_view(&full), date = { 0 };
    if (ff_take_until(&text, 'T', &date)) {
        /* A fraction that the error swallows would only look exact. */
        size_t digits = err >= 500000000 ? 8 : 12;
        ff_text_add(t, date);
        ff_text_addc(t, ' ');
        ff_text_add(t, ff_first_n(text, digits));
        ff_text_adds(t, " UTC");
    }
    ff_text_done(&full);
}

static void add_said_for_people(ff_text *t, ff_stamp said)
{
    ff_view_add_said(t, said);
    switch (said.kind) {
    case FF_STAMP_SINCE_BOOT:
        ff_text_adds(t, " s after boot (nothing ties this clock to the calendar)");
        break;
    case FF_STAMP_LOCAL:
        ff_text_adds(t, " local time (zone not known)");
        break;
    case FF_STAMP_NO_YEAR:
        ff_text_adds(t, " (year and zone not known)");
        break;
    case FF_STAMP_NONE:
        ff_text_adds(t, "not known: the line carries no time");
        break;
    case FF_STAMP_UTC:
        break;
    }
}

static void add_place(ff_text *t, const ff_report *r, const ff_signal *sign)
{
    ff_text_add(t, ff_view_member_name(r, sign->at.member));
    if (sign->at.line)
        ff_text_addf(t, ":%" PRIu32, sign->at.line);
}

static void tell_began(summary *s, const ff_incident *in)
{
    const ff_signal *first = ff_view_first_evidence(s->r);
    ff_text *t = fresh(s);
    if (in->has_time) {
        add_time_for_people(t, in->began_utc, in->err_ns);
        if (in->err_ns >= 1000000) {
            ff_text_adds(t, " \xC2\xB1 ");
            ff_text_add_span(t, in->err_ns);
        }
        if (in->ended_utc > in->began_utc) {
            ff_text_adds(t, ", over after ");
            ff_text_add_span(t, less(in->ended_utc, in->began_utc));
        }
    } else if (first) {
        add_said_for_people(t, first->said);
    } else {
        ff_text_adds(t, "not known");
    }
    flow(s, FF_INK_PLAIN, "  Began     ", 12, lines_of(s, 1));
    if (!first)
        return;
    t = fresh(s);
    add_place(t, s->r, first);
    flow(s, FF_INK_PLAIN, "  First at  ", 12, lines_of(s, 1));
}

static void add_names(ff_text *t, const char *what, const char *many, const ff_bytes *names, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i == 6) {
            ff_text_addf(t, " and %" PRIu32 " more", n - i);
            break;
        }
        if (i == 0)
            ff_text_addf(t, "%s%s ", t->n ? "; " : "", n == 1 ? what : many);
        else
            ff_text_adds(t, ", ");
        ff_text_add(t, names[i]);
    }
}

/* Ranks as ranges, for "0-63" says more than 64 numbers. */
static void add_ranks(ff_text *t, const int32_t *ranks, uint32_t n)
{
    if (n)
        ff_text_addf(t, "%s%s ", t->n ? "; " : "", n == 1 ? "rank" : "ranks");
    for (uint32_t i = 0, told = 0; i < n; told++) {
        uint32_t end = i;
        while (end + 1 < n && ranks[end + 1] - 1 == ranks[end])
            end++;
        if (told == 8) {
            ff_text_addf(t, " and %" PRIu32 " more", n - i);
            return;
        }
        ff_text_addf(t, "%s%" PRId32, told ? "," : "", ranks[i]);
        if (end > i)
            ff_text_addf(t, "-%" PRId32, ranks[end]);
        i = end + 1;
    }
}

static void tell_suspects(summary *s, const ff_suspects *who)
{
    ff_text *t = fresh(s);
    add_names(t, "host", "hosts", who->hosts, who->n_hosts);
    add_ranks(t, who->ranks, who->n_ranks);
    add_names(t, "GPU", "GPUs", who->gpus, who->n_gpus);
    add_names(t, "pod", "pods", who->pods, who->n_pods);
    add_names(t, "process", "processes", who->processes, who->n_processes);
    if (t->n)
        flow(s, FF_INK_STRONG, "  Suspects  ", 12, lines_of(s, 2));
}

/* ---- chain ---- */
static void add_distance(ff_text *t, const ff_signal *root, const ff_signal *sign)
{
    int64_t distance = 0;
    if (!root || !sign || root == sign)
        return;
    if (root->clock != FF_NONE && root->clock == sign->clock)
        distance = less(sign->said.ns, root->said.ns);
    else if (root->has_utc && sign->has_utc)
        distance = less(sign->utc, root->utc);
    else
        return;
    ff_text_adds(t, distance < 0 ? ", " : ", +");
    ff_text_add_span(t, distance);
}

static void tell_quote(summary *s, const ff_signal *sign)
{
    ff_text *t = fresh(s);
    add_place(t, s->r, sign);
    ff_text_adds(t, "  ");
    ff_text_add(t, ff_trim(sign->quote));
    if (sign->count > 1)
        ff_text_addf(t, "  (%" PRIu32 " times)", sign->count);
    flow(s, FF_INK_FAINT, "       ", 7, lines_of(s, 1));
}

static uint32_t place_in_chain(const ff_incident *in, uint32_t finding)
{
    for (uint32_t i = 0; i < in->n_chain; i++)
        if (in->chain[i].finding == finding)
            return i + 1;
    return 0;
}

static void tell_link(summary *s, const ff_incident *in, uint32_t i)
{
    const ff_link *link = &in->chain[i];
    const ff_finding *f = ff_view_finding(s->r, link->finding);
    if (!f)
        return;
    const ff_signal *first = ff_view_first_of(s->r, f);
    ff_text *t = fresh(s);
    ff_text_add(t, ff_view_cause_title(s->r, f->cause));
    ff_text_adds(t, " (");
    ff_text_add(t, ff_view_cause_id(s->r, f->cause));
    ff_text_adds(t, ")");
    if (link->role != FF_ROLE_ROOT) {
        uint32_t by = place_in_chain(in, link->by);
        ff_text_addf(t, ", %s", ff_role_name(link->role));
        if (by)
            ff_text_addf(t, " of %" PRIu32, by);
        add_distance(t, ff_view_first_evidence(s->r), first);
        ff_text_adds(t, link->proven ? "" : ", order not proven");
    }
    char lead[32];
    (void)snprintf(lead, sizeof lead, "  %s%2" PRIu32 ". ", i ? "\xE2\x86\x92" : " ", i + 1);
    flow(s, i ? FF_INK_PLAIN : FF_INK_STRONG, lead, 7, lines_of(s, 2));
    uint32_t quotes = shown(s, f->n_evidence, 1);
    for (uint32_t e = 0; e < quotes && e < FF_VIEW_EVIDENCE; e++)
        if (ff_view_signal(s->r, f->evidence[e]))
            tell_quote(s, ff_view_signal(s->r, f->evidence[e]));
    if (s->verbose && link->because.n)
        ff_page_flow(&s->page, FF_INK_PLAIN, "       ", 7, link->because, 0);
}

static void tell_chain(summary *s, const ff_incident *in)
{
    ff_page_head(&s->page, "What happened");
    uint32_t n = shown(s, in->n_chain, 5);
    for (uint32_t i = 0; i < n; i++)
        tell_link(s, in, i);
    tell_more(s, in->n_chain, n, " followers");
}

static void tell_rivals(summary *s, const ff_incident *in)
{
    if (!in->n_other_roots)
        return;
    ff_text *t = fresh(s);
    for (uint32_t i = 0; i < in->n_other_roots && i < 4; i++) {
        const ff_finding *f = ff_view_finding(s->r, in->other_roots[i]);
        if (!f)
            continue;
        ff_text_adds(t, t->n ? ", " : "");
        ff_text_add(t, ff_view_cause_id(s->r, f->cause));
    }
    if (in->decide.n) {
        ff_text_adds(t, ". To decide: ");
        ff_text_add(t, in->decide);
    }
    flow(s, FF_INK_WARN, "  Or        ", 12, lines_of(s, 2));
}

/* ---- what else it could be, and what to do ---- */
static void tell_rulings(summary *s, const char *title, const ff_ruling *at, uint32_t n, uint32_t most)
{
    if (!n)
        return;
    ff_page_head(&s->page, title);
    uint32_t told = shown(s, n, most);
    for (uint32_t i = 0; i < told; i++) {
        ff_text *t = fresh(s);
        ff_text_add(t, at[i].text);
        for (uint32_t c = 0; !at[i].text.n && c < at[i].n_causes; c++) {
            ff_text_adds(t, c ? ", " : "");
            ff_text_add(t, ff_view_cause_id(s->r, at[i].causes[c]));
        }
        for (uint32_t b = 0; b < at[i].n_by && b < 3; b++) {
            ff_text_adds(t, b ? ", " : " \xE2\x80\x94 ");
            ff_text_add(t, at[i].by[b]);
        }
        flow(s, FF_INK_PLAIN, "  - ", 4, lines_of(s, 1));
    }
    tell_more(s, n, told, "");
}

static void tell_list(summary *s, const char *title, const ff_bytes *at, uint32_t n, uint32_t most)
{
    if (!n)
        return;
    ff_page_head(&s->page, title);
    uint32_t told = shown(s, n, most);
    for (uint32_t i = 0; i < told; i++)
        ff_page_flow(&s->page, FF_INK_PLAIN, "  - ", 4, at[i], lines_of(s, 2));
    tell_more(s, n, told, "");
}

static void tell_asks(summary *s, const ff_incident *in)
{
    if (!in->n_asks)
        return;
    ff_page_head(&s->page, "What would settle it");
    uint32_t told = shown(s, in->n_asks, 2);
    for (uint32_t i = 0; i < told; i++) {
        const ff_ask *ask = &in->asks[i];
        ff_text *t = fresh(s);
        if (ask->host.n) {
            ff_text_add(t, ask->host);
            ff_text_adds(t, " ");
        }
        ff_text_adds(t, "$ ");
        ff_text_add(t, ask->command);
        /* A command must be whole to be copied. */
        flow(s, FF_INK_STRONG, "  ", 4, 0);
        if (ask->why.n)
            ff_page_flow(&s->page, FF_INK_FAINT, "      ", 6, ask->why, lines_of(s, 1));
    }
    tell_more(s, in->n_asks, told, "");
}

static void tell_incident(summary *s, const ff_incident *in)
{
    const ff_finding *root = ff_view_finding(s->r, in->root);
    const ff_cause *cause = root ? ff_view_cause(s->r, root->cause) : NULL;
    tell_began(s, in);
    tell_suspects(s, &in->suspects);
    tell_rivals(s, in);
    tell_chain(s, in);
    tell_rulings(s, "Ruled out", in->ruled_out, in->n_ruled_out, 3);
    tell_rulings(s, "Not ruled out", in->not_ruled_out, in->n_not_ruled_out, 3);
    tell_asks(s, in);
    if (!cause)
        return;
    tell_list(s, "Do now", cause->act, cause->n_act, 3);
    if (s->verbose) {
        tell_list(s, "Then check", cause->verify, cause->n_verify, 0);
        tell_list(s, "Do not", cause->avoid, cause->n_avoid, 0);
        tell_list(s, "Save first", cause->save, cause->n_save, 0);
    }
}

/* ---- the rest of the report in a few lines ---- */
static void tell_other_incidents(summary *s)
{
    ff_text *t = fresh(s);
    for (uint32_t i = 0, told = 0; i < s->r->n_incidents; i++) {
        const ff_finding *root = ff_view_finding(s->r, s->r->incidents[i].root);
        if (i == s->r->verdict.incident || !root)
            continue;
        if (!s->verbose && ++told > 4) {
            ff_text_adds(t, " ...");
            break;
        }
        ff_text_adds(t, t->n ? ", " : "");
        ff_text_add(t, ff_view_cause_id(s->r, root->cause));
        if (root->who.host.n) {
            ff_text_adds(t, " on ");
            ff_text_add(t, root->who.host);
        }
    }
    if (t->n)
        flow(s, FF_INK_WARN, "Also broken: ", 2, lines_of(s, 2));
}

static void tell_notes(summary *s)
{
    ff_text *t = fresh(s);
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->r->n_findings; i++) {
        const ff_finding *f = &s->r->findings[i];
        if (f->severity != FF_SEV_NOTE)
            continue;
        if (n++ >= (s->verbose ? 40u : 4u))
            continue;
        ff_text_adds(t, t->n ? ", " : "");
        ff_text_add(t, ff_view_cause_id(s->r, f->cause));
    }
    if (!n)
        return;
    char lead[64];
    (void)snprintf(lead, sizeof lead, "Odd but harmless here (%" PRIu32 "): ", n);
    flow(s, FF_INK_FAINT, lead, 2, lines_of(s, 1));
}

static void add_count(ff_text *t, uint32_t n, const char *one, const char *many)
{
    if (n)
        ff_text_addf(t, "; %" PRIu32 " %s", n, n == 1 ? one : many);
}

static void tell_coverage(summary *s)
{
    const ff_evidence *e = s->r->evidence;
    uint32_t read = 0, cut = 0;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < e->n_members; i++) {
        read += !e->members[i].unread;
        cut += e->members[i].truncated;
        bytes += e->members[i].unread ? 0 : e->members[i].bytes;
    }
    ff_text *t = fresh(s);
    ff_text_addf(t, "%" PRIu32 " of %" PRIu32 " members, ", read, e->n_members);
    ff_text_add_kib(t, (bytes + 1023) / 1024);
    add_count(t, cut, "member cut short", "members cut short");
    add_count(t, s->r->n_contradictions, "contradiction", "contradictions");
    add_count(t, e->n_limits, "limit reached", "limits reached");
    add_count(t, s->r->n_not_judged, "rule not judged everywhere", "rules not judged everywhere");
    flow(s, FF_INK_FAINT, "Read: ", 2, lines_of(s, 2));
}

void ff_write_text(const ff_report *r, const ff_text_style *style, ff_text *out)
{
    unsigned width = style->width < 60 ? 60 : style->width > 140 ? 140 : style->width;
    summary s = { .r = r,
                  .page = { .out = out, .width = width, .colour = style->colour },
                  .verbose = style->verbose };
    ff_text_init(&s.words, 0);
    const ff_incident *in = ff_view_incident(r);
    tell_verdict(&s);
    if (in)
        tell_incident(&s, in);
    tell_list(&s, "Could overturn this", r->verdict.ceiling, r->verdict.n_ceiling, in ? 2 : 6);
    ff_page_blank(&s.page);
    tell_other_incidents(&s);
    tell_notes(&s);
    tell_coverage(&s);
    ff_text_done(&s.words);
}
