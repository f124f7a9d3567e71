/* The summary for a terminal: what broke first, how we know, what to do. It fits one screen unless verbose is asked
 * for: lists are shortened, each saying by how much, until it does. */
#include "text_private.h"

#include "../base/sorted.h"

#include <inttypes.h>
#include <stdio.h>

#define SCREEN_LINES 40u
#define NAMES_SHOWN 6u  /* of one kind of suspect */
#define RANGES_SHOWN 8u /* of ranks */

/* From generous to terse; the first that fits the screen is taken. */
static const ff_room rooms[] = {
    { .chain = 6, .rulings = 3, .asks = 3, .acts = 4, .ceiling = 3, .link_lines = 2, .item_lines = 2 },
    { .chain = 5, .rulings = 2, .asks = 2, .acts = 3, .ceiling = 2, .link_lines = 2, .item_lines = 2 },
    { .chain = 4, .rulings = 2, .asks = 1, .acts = 2, .ceiling = 1, .link_lines = 2, .item_lines = 2 },
    { .chain = 4, .rulings = 1, .asks = 1, .acts = 2, .ceiling = 1, .link_lines = 1, .item_lines = 2 },
    { .chain = 3, .rulings = 1, .asks = 1, .acts = 2, .ceiling = 1, .link_lines = 1, .item_lines = 1 },
};
static const ff_room all_room = { 0 };

ff_text *ff_summary_fresh(ff_summary *s)
{
    s->words.n = 0;
    ff_text_adds(&s->words, "");
    return &s->words;
}

void ff_summary_flow(ff_summary *s, ff_ink ink, const char *lead, unsigned hang, unsigned max_lines)
{
    ff_page_flow(&s->page, ink, lead, hang, ff_text_view(&s->words), max_lines);
}

uint32_t ff_summary_head(ff_summary *s, const char *title, uint32_t n, uint32_t most)
{
    uint32_t told = most && most < n ? most : n;
    ff_text *t = ff_summary_fresh(s);
    ff_text_adds(t, title);
    if (told < n)
        ff_text_addf(t, " (%" PRIu32 " of %" PRIu32 ")", told, n);
    ff_page_blank(&s->page);
    ff_summary_flow(s, FF_INK_STRONG, "", 0, 1);
    return told;
}

void ff_summary_list(ff_summary *s, const char *title, const ff_bytes *at, uint32_t n, uint32_t most)
{
    if (!n)
        return;
    uint32_t told = ff_summary_head(s, title, n, most);
    for (uint32_t i = 0; i < told; i++)
        ff_page_flow(&s->page, FF_INK_PLAIN, "  - ", 4, at[i], s->room->item_lines);
}

void ff_summary_place(ff_text *out, const ff_report *r, const ff_signal *sign)
{
    ff_text_add(out, ff_view_member_name(r, sign->at.member));
    if (sign->at.line)
        ff_text_addf(out, ":%" PRIu32, sign->at.line);
}

int64_t ff_less(int64_t a, int64_t b)
{
    if (b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b)
        return b < 0 ? INT64_MAX : INT64_MIN;
    return a - b;
}

static unsigned lines_of(const ff_summary *s, unsigned n) { return s->verbose ? 0 : n; }

/* ---- verdict ---- */
static ff_ink verdict_ink(const ff_report *r)
{
    ff_bytes id = ff_view_cause_id(r, r->verdict.cause);
    if (ff_equal(id, FF_LIT("healthy")))
        return FF_INK_GOOD;
    return ff_equal(id, FF_LIT("unknown")) ? FF_INK_WARN : FF_INK_BAD;
}

static void tell_verdict(ff_summary *s)
{
    const ff_verdict *v = &s->r->verdict;
    ff_bytes id = ff_view_cause_id(s->r, v->cause), title = ff_view_verdict_title(s->r);
    ff_text *t = ff_summary_fresh(s);
    ff_text_add(t, id);
    if (!ff_equal(title, id)) {
        ff_text_adds(t, ": ");
        ff_text_add(t, title);
    }
    ff_summary_flow(s, verdict_ink(s->r), "", 2, lines_of(s, 2));
    if (v->summary.n)
        ff_page_flow(&s->page, FF_INK_PLAIN, "  ", 2, v->summary, lines_of(s, 3));
    t = ff_summary_fresh(s);
    ff_text_adds(t, ff_view_confidence_words(v->confidence));
    if (v->confidence_why.n) {
        ff_text_adds(t, ": ");
        ff_text_add(t, v->confidence_why);
    }
    ff_summary_flow(s, FF_INK_PLAIN, "  Sure?     ", 12, lines_of(s, 2));
    if (v->fault_class.n)
        ff_page_flow(&s->page, FF_INK_PLAIN, "  Class     ", 12, v->fault_class, 1);
}

static void tell_evidence(ff_summary *s)
{
    const ff_signal *first = ff_view_first_evidence(s->r);
    if (!first)
        return;
    ff_summary_place(ff_summary_fresh(s), s->r, first);
    ff_summary_flow(s, FF_INK_PLAIN, "  Evidence  ", 12, lines_of(s, 1));
}

/* ---- when and who ---- */
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

static void add_began_before(ff_text *t, const ff_incident *in, ff_stamp said)
{
    ff_text_adds(t, "before ");
    add_time_for_people(t, in->began_utc, in->err_ns);
    ff_text_adds(t, said.kind == FF_STAMP_NONE ? ", when what it led to is seen" : "; its line says ");
    if (said.kind != FF_STAMP_NONE)
        add_said_for_people(t, said);
}

static void tell_began(ff_summary *s, const ff_incident *in)
{
    const ff_signal *first = ff_view_first_evidence(s->r);
    ff_text *t = ff_summary_fresh(s);
    if (ff_view_began_before(s->r, in)) {
        add_began_before(t, in, first->said);
    } else if (in->has_time) {
        add_time_for_people(t, in->began_utc, in->err_ns);
        if (in->err_ns >= 1000000) {
            ff_text_adds(t, " \xC2\xB1 ");
            ff_text_add_span(t, in->err_ns);
        }
        if (in->ended_utc > in->began_utc) {
            ff_text_adds(t, ", over after ");
            ff_text_add_span(t, ff_less(in->ended_utc, in->began_utc));
        }
    } else if (first) {
        add_said_for_people(t, ff_view_first_sign(s->r)->said);
    } else {
        ff_text_adds(t, "not known");
    }
    ff_summary_flow(s, FF_INK_PLAIN, "  Began     ", 12, lines_of(s, 2));
}

static void add_names(ff_text *t, const char *what, const char *many, const ff_bytes *names, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i == NAMES_SHOWN) {
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
        uint32_t end = i + ff_sorted_run(ranks + i, n - i) - 1;
        if (told == RANGES_SHOWN) {
            ff_text_addf(t, " and %" PRIu32 " more", n - i);
            return;
        }
        ff_text_addf(t, "%s%" PRId32, told ? "," : "", ranks[i]);
        if (end > i)
            ff_text_addf(t, "-%" PRId32, ranks[end]);
        i = end + 1;
    }
}

static void tell_suspects(ff_summary *s, const ff_suspects *who)
{
    ff_text *t = ff_summary_fresh(s);
    add_names(t, "host", "hosts", who->hosts, who->n_hosts);
    add_ranks(t, who->ranks, who->n_ranks);
    add_names(t, "GPU", "GPUs", who->gpus, who->n_gpus);
    add_names(t, "pod", "pods", who->pods, who->n_pods);
    add_names(t, "process", "processes", who->processes, who->n_processes);
    if (t->n)
        ff_summary_flow(s, FF_INK_STRONG, "  Suspects  ", 12, lines_of(s, 2));
}

/* ---- the rest of the report in a few lines ---- */
static const ff_finding *root_of(const ff_report *r, uint32_t incident)
{
    return ff_view_finding(r, r->incidents[incident].root);
}

static bool is_told(const ff_report *r, uint32_t incident, const ff_finding *root)
{
    for (uint32_t i = 0; i < incident; i++) {
        const ff_finding *f = root_of(r, i);
        if (i != r->verdict.incident && f && f->cause == root->cause && ff_equal(f->who.host, root->who.host))
            return true;
    }
    return false;
}

/* "host.memcg_oom on gx-b07, 2026-04-02 12:10:21 UTC (it is of another time than the failure that is asked about)" */
static void add_other_incident(ff_text *t, const ff_report *r, const ff_incident *in, const ff_finding *root)
{
    ff_text_add(t, ff_view_cause_id(r, root->cause));
    ff_text_adds(t, root->who.host.n ? " on " : "");
    ff_text_add(t, root->who.host);
    if (in->has_time) {
        ff_text_adds(t, ", ");
        add_time_for_people(t, in->began_utc, in->err_ns);
    }
    if (in->behind) {
        ff_text_adds(t, " (");
        ff_text_adds(t, in->behind);
        ff_text_addc(t, ')');
    }
}

static void tell_other_incidents(ff_summary *s)
{
    ff_text *t = ff_summary_fresh(s);
    uint32_t told = 0;
    for (uint32_t i = 0; i < s->r->n_incidents; i++) {
        const ff_finding *root = root_of(s->r, i);
        if (i == s->r->verdict.incident || !root || is_told(s->r, i, root))
            continue;
        if (!s->verbose && told == NAMES_SHOWN) {
            ff_text_adds(t, " ...");
            break;
        }
        ff_text_adds(t, told++ ? "; " : "");
        add_other_incident(t, s->r, &s->r->incidents[i], root);
    }
    bool over =
        s->r->n_incidents && s->r->incidents[0].after != FF_AFTER_NOTHING && s->r->verdict.incident == FF_NONE;
    if (told)
        ff_summary_flow(s, FF_INK_WARN, over ? "Earlier, and over: " : "Also broken: ", 2, lines_of(s, 4));
}

static bool is_note_told(const ff_report *r, uint32_t finding)
{
    for (uint32_t i = 0; i < finding; i++)
        if (r->findings[i].severity == FF_SEV_NOTE && r->findings[i].cause == r->findings[finding].cause)
            return true;
    return false;
}

static void tell_notes(ff_summary *s)
{
    ff_text *t = ff_summary_fresh(s);
    uint32_t n = 0, told = 0;
    for (uint32_t i = 0; i < s->r->n_findings; i++) {
        const ff_finding *f = &s->r->findings[i];
        if (f->severity != FF_SEV_NOTE)
            continue;
        n++;
        if (told >= NAMES_SHOWN || is_note_told(s->r, i))
            continue;
        ff_text_adds(t, told++ ? ", " : "");
        ff_text_add(t, ff_view_cause_id(s->r, f->cause));
    }
    if (!n)
        return;
    char lead[64];
    const char *what = s->r->verdict.shown_by == FF_NONE ? "Odd but harmless here" : "Noted besides";
    (void)snprintf(lead, sizeof lead, "%s (%" PRIu32 "): ", what, n);
    ff_summary_flow(s, FF_INK_FAINT, lead, 2, lines_of(s, 1));
}

static void add_count(ff_text *t, uint32_t n, const char *one, const char *many)
{
    if (n)
        ff_text_addf(t, "; %" PRIu32 " %s", n, n == 1 ? one : many);
}

static void tell_coverage(ff_summary *s)
{
    const ff_evidence *e = s->r->evidence;
    uint32_t read = 0, cut = 0;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < e->n_members; i++) {
        read += !e->members[i].unread;
        cut += e->members[i].truncated;
        bytes += e->members[i].unread ? 0 : e->members[i].bytes;
    }
    ff_text *t = ff_summary_fresh(s);
    ff_text_addf(t, "%" PRIu32 " of %" PRIu32 " members, ", read, e->n_members);
    ff_text_add_kib(t, (bytes + 1023) / 1024);
    add_count(t, cut, "member cut short", "members cut short");
    add_count(t, s->r->n_contradictions, "contradiction", "contradictions");
    add_count(t, e->n_limits, "limit reached", "limits reached");
    add_count(t, s->r->n_not_judged, "rule not judged everywhere", "rules not judged everywhere");
    if (s->r->n_not_judged) {
        ff_text_adds(t, " for want of ");
        ff_view_add_streams(t, ff_view_missing_streams(s->r));
        ff_text_adds(t, " evidence");
    }
    ff_summary_flow(s, FF_INK_FAINT, "Read: ", 2, lines_of(s, 2));
}

static void tell_unread(ff_summary *s)
{
    for (uint32_t i = 0; i < s->r->evidence->n_members; i++) {
        const ff_member *m = &s->r->evidence->members[i];
        if (!m->unread)
            continue;
        ff_text *t = ff_summary_fresh(s);
        ff_text_add(t, m->name);
        ff_text_addf(t, ": %s", m->unread);
        ff_summary_flow(s, FF_INK_FAINT, "  not read: ", 12, 0);
    }
}

static void tell_all(ff_summary *s)
{
    const ff_incident *in = ff_view_incident(s->r);
    tell_verdict(s);
    if (in)
        tell_began(s, in);
    tell_evidence(s);
    if (in) {
        tell_suspects(s, &in->suspects);
        ff_summary_rivals(s, in);
        ff_summary_chain(s, in);
        ff_summary_rulings(s, in);
        ff_summary_next(s, in);
    }
    ff_summary_list(s, "Could overturn this", s->r->verdict.ceiling, s->r->verdict.n_ceiling, s->room->ceiling);
    ff_page_blank(&s->page);
    tell_other_incidents(s);
    tell_notes(s);
    tell_coverage(s);
    if (s->verbose)
        tell_unread(s);
}

static bool is_on_a_screen(ff_bytes text)
{
    ff_bytes line;
    unsigned n = 0;
    while (ff_take_line(&text, &line))
        n++;
    return n < SCREEN_LINES; /* one is left for where the reports are */
}

void ff_write_text(const ff_report *r, const ff_text_style *style, ff_text *out)
{
    unsigned width = style->width < 60 ? 60 : style->width > 140 ? 140 : style->width;
    ff_text attempt;
    ff_text_init(&attempt, 0);
    ff_summary s = { .r = r,
                     .page = { .out = &attempt, .width = width, .colour = style->colour },
                     .room = &all_room,
                     .verbose = style->verbose };
    ff_text_init(&s.words, 0);
    if (style->verbose)
        tell_all(&s);
    for (size_t i = 0; !style->verbose && i < FF_COUNT(rooms); i++) {
        attempt.n = 0;
        s.room = &rooms[i];
        tell_all(&s);
        if (is_on_a_screen(ff_text_view(&attempt)))
            break;
    }
    ff_text_add(out, ff_text_view(&attempt));
    ff_text_done(&attempt);
    ff_text_done(&s.words);
}
