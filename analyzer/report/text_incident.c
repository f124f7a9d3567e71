/* The chain of an incident, what else it could be, and what to do about it. */
#include "text_private.h"

#include <inttypes.h>
#include <string.h>
#include <stdio.h>

#define NAMES_SHOWN 4u /* of several that compete or are broken too */

/* ---- chain ---- */
static int64_t size_of(int64_t ns) { return ns < 0 ? ff_less(0, ns) : ns; }

/* On one clock its own error is common to both; what one has beyond that is that its line carries no time itself. */
static void add_distance(ff_text *t, const ff_signal *root, const ff_signal *sign)
{
    int64_t distance = 0, err = 0;
    if (!root || !sign || root == sign)
        return;
    if (root->clock != FF_NONE && root->clock == sign->clock) {
        distance = ff_less(sign->said.ns, root->said.ns);
        err = size_of(ff_less(sign->at_err, root->at_err));
    } else if (root->has_utc && sign->has_utc) {
        distance = ff_less(sign->utc, root->utc);
        err = ff_less(root->utc_err, -sign->utc_err);
    }
    /* A distance within its error would name an order that nobody knows. */
    if (size_of(distance) <= err)
        return;
    ff_text_adds(t, distance < 0 ? ", " : ", +");
    ff_text_add_span(t, distance);
}

static bool is_stamp_part(ff_bytes word)
{
    bool any = false;
    for (size_t i = 0; i < word.n; i++) {
        if (!memchr("0123456789:.-+TZ/,[]", word.p[i], 20))
            return false;
        any = true;
    }
    return any;
}

/* A line is cut at its end, where it says most: so its time and host, which are told elsewhere, go first. */
static ff_bytes without_stamp(const ff_signal *sign)
{
    ff_bytes quote = ff_trim(sign->quote), rest = quote, word;
    if (sign->said.kind == FF_STAMP_NONE)
        return quote;
    for (int i = 0; i < 3; i++) {
        ff_bytes next = rest;
        if (!ff_take_until(&next, ' ', &word) || !is_stamp_part(word))
            break;
        rest = ff_trim(next);
    }
    ff_bytes next = rest;
    if (rest.n < quote.n && ff_take_until(&next, ' ', &word) && word.n && ff_equal(word, sign->who.host))
        rest = ff_trim(next);
    return rest.n ? rest : quote;
}

static void tell_quote(ff_summary *s, const ff_signal *sign)
{
    ff_text *t = ff_summary_fresh(s);
    ff_summary_place(t, s->r, sign);
    ff_text_adds(t, "  ");
    ff_text_add(t, s->verbose ? ff_trim(sign->quote) : without_stamp(sign));
    if (sign->count > 1)
        ff_text_addf(t, "  (%" PRIu32 " times)", sign->count);
    ff_summary_flow(s, FF_INK_FAINT, "       ", 7, s->verbose ? 0 : 1);
}

static uint32_t place_in_chain(const ff_incident *in, uint32_t finding)
{
    for (uint32_t i = 0; i < in->n_chain; i++)
        if (in->chain[i].finding == finding)
            return i + 1;
    return 0;
}

/* Where it was seen, if that is not where the root was. */
static void add_where(ff_text *t, const ff_finding *root, const ff_finding *f)
{
    if (f->who.host.n && !(root && ff_equal(root->who.host, f->who.host))) {
        ff_text_adds(t, " on ");
        ff_text_add(t, f->who.host);
    }
    if (f->who.rank != FF_NO_NUMBER && !(root && root->who.rank == f->who.rank))
        ff_text_addf(t, ", rank %" PRId32, f->who.rank);
}

static void tell_quotes(ff_summary *s, const ff_finding *f)
{
    uint32_t n = s->verbose ? FF_VIEW_EVIDENCE : 1;
    for (uint32_t e = 0; e < f->n_evidence && e < n; e++)
        if (ff_view_signal(s->r, f->evidence[e]))
            tell_quote(s, ff_view_signal(s->r, f->evidence[e]));
    if (s->verbose && f->n_evidence > n) {
        ff_text_addf(ff_summary_fresh(s), "and %" PRIu32 " more lines", f->n_evidence - n);
        ff_summary_flow(s, FF_INK_FAINT, "       ", 7, 1);
    }
}

/* What it is to the others stands in front, for the end of a line may be cut. */
static void add_part(ff_text *t, const ff_report *r, const ff_incident *in, const ff_link *link)
{
    uint32_t by = place_in_chain(in, link->by);
    ff_text_addf(t, " (%s", ff_role_name(link->role));
    if (by)
        ff_text_addf(t, " of %" PRIu32, by);
    add_distance(t, ff_view_first_evidence(r), ff_view_first_of(r, ff_view_finding(r, link->finding)));
    ff_text_adds(t, link->proven ? ")" : ", order not proven)");
}

static void tell_link(ff_summary *s, const ff_incident *in, uint32_t i, uint32_t alike)
{
    const ff_link *link = &in->chain[i];
    const ff_finding *f = ff_view_finding(s->r, link->finding);
    ff_text *t = ff_summary_fresh(s);
    ff_text_add(t, ff_view_cause_id(s->r, f->cause));
    if (link->role != FF_ROLE_ROOT)
        add_part(t, s->r, in, link);
    ff_text_adds(t, ": ");
    ff_text_add(t, ff_view_headline(s->r, f));
    if (link->role != FF_ROLE_ROOT)
        add_where(t, ff_view_finding(s->r, in->root), f);
    if (alike)
        ff_text_addf(t, ", and %" PRIu32 " more like it", alike);
    char lead[32];
    (void)snprintf(lead, sizeof lead, "  %s%2" PRIu32 ". ", i ? "\xE2\x86\x92" : " ", i + 1);
    ff_summary_flow(s, i ? FF_INK_PLAIN : FF_INK_STRONG, lead, 7, s->room->link_lines);
    tell_quotes(s, f);
    if (s->verbose && link->because.n)
        ff_page_flow(&s->page, FF_INK_PLAIN, "       ", 7, link->because, 0);
}

static uint32_t cause_of(const ff_report *r, const ff_incident *in, uint32_t i)
{
    const ff_finding *f = ff_view_finding(r, in->chain[i].finding);
    return f ? f->cause : FF_NONE;
}

static uint32_t count_like(const ff_report *r, const ff_incident *in, uint32_t i, uint32_t from, uint32_t to)
{
    uint32_t n = 0;
    for (uint32_t k = from; k < to; k++)
        n += cause_of(r, in, k) == cause_of(r, in, i);
    return n;
}

/* Eight ranks that fail in the same way are one step of the story; verbose tells each. */
void ff_summary_chain(ff_summary *s, const ff_incident *in)
{
    uint32_t steps = 0, told = 0;
    for (uint32_t i = 0; i < in->n_chain; i++)
        steps += s->verbose || !count_like(s->r, in, i, 0, i);
    uint32_t n = ff_summary_head(s, "What happened", steps, s->room->chain);
    for (uint32_t i = 0; i < in->n_chain && told < n; i++) {
        if (!ff_view_finding(s->r, in->chain[i].finding) || (!s->verbose && count_like(s->r, in, i, 0, i)))
            continue;
        tell_link(s, in, i, s->verbose ? 0 : count_like(s->r, in, i, i + 1, in->n_chain));
        told++;
    }
}

void ff_summary_rivals(ff_summary *s, const ff_incident *in)
{
    ff_text *t = ff_summary_fresh(s);
    uint32_t told = 0;
    for (uint32_t i = 0; i < in->n_other_roots && told < NAMES_SHOWN; i++) {
        const ff_finding *f = ff_view_finding(s->r, in->other_roots[i]);
        bool again = !f;
        for (uint32_t k = 0; k < i && !again; k++) {
            const ff_finding *g = ff_view_finding(s->r, in->other_roots[k]);
            again = g && g->cause == f->cause;
        }
        if (again)
            continue;
        ff_text_adds(t, told++ ? ", " : "");
        ff_text_add(t, ff_view_cause_id(s->r, f->cause));
    }
    if (!told)
        return;
    if (in->decide.n) {
        ff_text_adds(t, ". To decide: ");
        ff_text_add(t, in->decide);
    }
    ff_summary_flow(s, FF_INK_WARN, "  Or        ", 12, s->verbose ? 0 : 2);
}

/* ---- what else it could be ---- */
static void tell_rulings(ff_summary *s, const char *title, const ff_ruling *at, uint32_t n)
{
    uint32_t told = ff_summary_head(s, title, n, s->room->rulings);
    for (uint32_t i = 0; i < told; i++) {
        ff_text *t = ff_summary_fresh(s);
        ff_text_add(t, at[i].text);
        for (uint32_t c = 0; !at[i].text.n && c < at[i].n_causes; c++) {
            ff_text_adds(t, c ? ", " : "");
            ff_text_add(t, ff_view_cause_id(s->r, at[i].causes[c]));
        }
        ff_summary_flow(s, FF_INK_PLAIN, "  - ", 4, s->room->item_lines);
        if (!s->verbose || !at[i].n_by)
            continue;
        t = ff_summary_fresh(s);
        for (uint32_t b = 0; b < at[i].n_by; b++) {
            ff_text_adds(t, b ? ", " : "");
            ff_text_add(t, at[i].by[b]);
        }
        ff_summary_flow(s, FF_INK_FAINT, "    ", 4, 0);
    }
}

void ff_summary_rulings(ff_summary *s, const ff_incident *in)
{
    if (in->n_ruled_out)
        tell_rulings(s, "Ruled out", in->ruled_out, in->n_ruled_out);
    if (in->n_not_ruled_out)
        tell_rulings(s, "Not ruled out", in->not_ruled_out, in->n_not_ruled_out);
}

/* ---- what to do ---- */
static void tell_asks(ff_summary *s, const ff_incident *in)
{
    if (!in->n_asks)
        return;
    uint32_t told = ff_summary_head(s, "What would settle it", in->n_asks, s->room->asks);
    for (uint32_t i = 0; i < told; i++) {
        const ff_ask *ask = &in->asks[i];
        ff_text *t = ff_summary_fresh(s);
        ff_text_add(t, ask->host);
        ff_text_adds(t, ask->host.n ? " $ " : "$ ");
        ff_text_add(t, ask->command);
        /* A command must be whole to be copied. */
        ff_summary_flow(s, FF_INK_STRONG, "  ", 4, 0);
        if (ask->why.n)
            ff_page_flow(&s->page, FF_INK_FAINT, "      ", 6, ask->why, s->room->item_lines);
    }
}

void ff_summary_next(ff_summary *s, const ff_incident *in)
{
    const ff_finding *root = ff_view_finding(s->r, in->root);
    const ff_cause *cause = root ? ff_view_cause(s->r, root->cause) : NULL;
    tell_asks(s, in);
    if (!cause)
        return;
    ff_summary_list(s, "Do now", cause->act, cause->n_act, s->room->acts);
    if (!s->verbose)
        return;
    ff_summary_list(s, "Then check", cause->verify, cause->n_verify, 0);
    ff_summary_list(s, "Do not", cause->avoid, cause->n_avoid, 0);
    ff_summary_list(s, "Save first", cause->save, cause->n_save, 0);
}
