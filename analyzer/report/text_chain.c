/* The chain of an incident as steps of a story: what is alike is one step, and so is what one line tells twice. */
#include "text_private.h"

#include "../base/arena.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct steps {
    uint32_t *of;    /* by link: the step that tells it, from 1; 0 if none does */
    uint32_t *link;  /* by step - 1: the link that it is told by */
    uint32_t *alike; /* by step - 1: further links with its cause */
    uint32_t n;
} steps;

/* ---- parts of a step ---- */
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

/* ---- steps ---- */
static bool is_one_line(const ff_signal *a, const ff_signal *b)
{
    return a && b && a->at.member == b->at.member && a->at.offset == b->at.offset && a->at.line == b->at.line;
}

/* Adds link i to the step that tells it already: eight ranks that fail in the same way, or one line with two
 * readings, of which the deeper one is told. */
static bool joins_step(const ff_report *r, const ff_incident *in, steps *s, uint32_t i)
{
    const ff_finding *f = ff_view_finding(r, in->chain[i].finding);
    for (uint32_t k = 0; k < s->n; k++) {
        const ff_link *told = &in->chain[s->link[k]];
        const ff_finding *g = ff_view_finding(r, told->finding);
        bool alike = g->cause == f->cause;
        if (!alike && !is_one_line(ff_view_first_of(r, f), ff_view_first_of(r, g)))
            continue;
        s->of[i] = k + 1;
        s->alike[k] += alike;
        if (!alike && told->by == in->chain[i].finding)
            s->link[k] = i;
        return true;
    }
    return false;
}

static steps find_steps(const ff_summary *s, const ff_incident *in, ff_arena *arena)
{
    steps out = { .of = FF_NEW_N(arena, uint32_t, in->n_chain),
                  .link = FF_NEW_N(arena, uint32_t, in->n_chain),
                  .alike = FF_NEW_N(arena, uint32_t, in->n_chain) };
    for (uint32_t i = 0; i < in->n_chain; i++) {
        if (!ff_view_finding(s->r, in->chain[i].finding) || (!s->verbose && joins_step(s->r, in, &out, i)))
            continue;
        out.link[out.n] = i;
        out.of[i] = ++out.n;
    }
    return out;
}

static uint32_t link_of(const ff_incident *in, uint32_t finding)
{
    uint32_t i = 0;
    while (i < in->n_chain && in->chain[i].finding != finding)
        i++;
    return i;
}

/* The step that link i follows from. What is told in its own step is passed over, at most as often as there are
 * links. */
static uint32_t step_behind(const ff_incident *in, const steps *s, uint32_t i)
{
    uint32_t own = s->of[i], at = i;
    for (uint32_t turn = 0; turn < in->n_chain; turn++) {
        at = link_of(in, in->chain[at].by);
        if (at == in->n_chain)
            return 0;
        if (s->of[at] != own)
            return s->of[at];
    }
    return 0;
}

/* ---- telling ---- */
/* What it is to the others stands in front, for the end of a line may be cut. */
static void add_part(ff_text *t, const ff_report *r, const ff_link *link, uint32_t by)
{
    ff_text_addf(t, " (%s", ff_role_name(link->role));
    if (by)
        ff_text_addf(t, " of %" PRIu32, by);
    add_distance(t, ff_view_first_evidence(r), ff_view_first_of(r, ff_view_finding(r, link->finding)));
    ff_text_adds(t, link->proven ? ")" : ", order not proven)");
}

static void tell_step(ff_summary *s, const ff_incident *in, const steps *all, uint32_t k, uint32_t told)
{
    const ff_link *link = &in->chain[all->link[k]];
    const ff_finding *f = ff_view_finding(s->r, link->finding);
    ff_text *t = ff_summary_fresh(s);
    ff_text_add(t, ff_view_cause_id(s->r, f->cause));
    uint32_t by = step_behind(in, all, all->link[k]);
    if (link->role != FF_ROLE_ROOT)
        add_part(t, s->r, link, by <= told ? by : 0); /* a number that is not on the page says nothing */
    ff_text_adds(t, ": ");
    ff_text_add(t, ff_view_headline(s->r, f));
    if (link->role != FF_ROLE_ROOT)
        add_where(t, ff_view_finding(s->r, in->root), f);
    if (all->alike[k])
        ff_text_addf(t, ", and %" PRIu32 " more like it", all->alike[k]);
    char lead[32];
    (void)snprintf(lead, sizeof lead, "  %s%2" PRIu32 ". ", k ? "\xE2\x86\x92" : " ", k + 1);
    ff_summary_flow(s, k ? FF_INK_PLAIN : FF_INK_STRONG, lead, 7, s->room->link_lines);
    tell_quotes(s, f);
    if (s->verbose && link->because.n)
        ff_page_flow(&s->page, FF_INK_PLAIN, "       ", 7, link->because, 0);
}

void ff_summary_chain(ff_summary *s, const ff_incident *in)
{
    ff_arena arena;
    ff_arena_init(&arena);
    steps all = find_steps(s, in, &arena);
    uint32_t n = ff_summary_head(s, "What happened", all.n, s->room->chain);
    for (uint32_t k = 0; k < n; k++)
        tell_step(s, in, &all, k, n);
    ff_arena_done(&arena);
}
