/* What led to what, drawn as boxes and arrows: the root on top, below each box what it brought about. The boxes are
 * nested lists, so the picture is also the text for those who do not see it. Findings of one cause and role under the
 * same box are one box: 500 ranks that lost the same peer are one thing to know. */
#include "html_private.h"

#include <inttypes.h>
#include <stdlib.h>

#define RANKS 4096u
#define HOSTS 6u

typedef struct chain {
    ff_html *h;
    const ff_incident *in;
    uint32_t *box_of; /* by finding: number of its box, 0 not drawn yet */
    uint32_t n_boxes;
} chain;

static const char *mark_of(ff_role role)
{
    switch (role) {
    case FF_ROLE_ROOT:
        return "\xE2\x97\x86";
    case FF_ROLE_CONTRIBUTING:
        return "+";
    case FF_ROLE_SYMPTOM:
        return "\xE2\x97\x8F";
    case FF_ROLE_VICTIM:
        return "\xE2\x97\x8B";
    case FF_ROLE_TEARDOWN:
        break;
    }
    return "\xE2\x96\xAA";
}

/* Gives the anchor, the first time that any chain shows the finding. */
static void anchor(chain *c, uint32_t finding)
{
    ff_html *h = c->h;
    if (h->home[finding] == FF_HOME_NONE) {
        h->home[finding] = FF_HOME_CHAIN;
        h->owner[finding] = c->in->id;
    }
    if (h->home[finding] == FF_HOME_CHAIN && h->owner[finding] == c->in->id)
        ff_html_f(h, " id=\"f%" PRIu32 "\"", finding + 1);
}

static void meta(ff_html *h, const ff_finding *f)
{
    ff_html_raw(h, "<p class=\"meta\">");
    ff_html_permanent(h, f->id);
    ff_html_raw(h, " \xC2\xB7 ");
    const ff_signal *s = ff_view_first_of(h->r, f);
    if (s) {
        ff_html_when(h, s);
        ff_html_raw(h, " \xC2\xB7 ");
    }
    ff_html_f(h, "%s \xC2\xB7 %s", ff_severity_name(f->severity), ff_confidence_name(f->confidence));
    ff_text who;
    ff_text_init(&who, 1024);
    ff_say_who(&who, &f->who);
    if (who.n) {
        ff_html_raw(h, " \xC2\xB7 ");
        ff_html_text(h, ff_text_view(&who));
    }
    ff_text_done(&who);
    if (f->n_ranks > 1 || (f->n_ranks == 1 && f->who.rank == FF_NO_NUMBER)) {
        ff_html_raw(h, f->n_ranks > 1 ? " \xC2\xB7 ranks " : " \xC2\xB7 rank ");
        ff_say_ranks(h->out, f->ranks, f->n_ranks);
    }
    if (f->count > 1) {
        ff_html_raw(h, " \xC2\xB7 seen ");
        ff_say_count(h->out, f->count);
        ff_html_raw(h, " times");
    }
    ff_html_raw(h, "</p>\n");
}

static void name_line(ff_html *h, const ff_finding *f)
{
    const ff_cause *cause = ff_html_cause(h, f->cause);
    ff_html_raw(h, "<p class=\"name\">");
    ff_html_sentence(h, ff_view_cause_title(h->r, f->cause), FF_HTML_CONTEXT);
    ff_html_raw(h, " <code class=\"dim\">");
    ff_html_text(h, cause->id);
    ff_html_raw(h, "</code></p>\n");
}

static void summary_line(ff_html *h, const ff_finding *f)
{
    if (ff_is_empty(f->summary))
        return;
    ff_html_raw(h, "<p>");
    ff_html_sentence(h, f->summary, FF_CAP_EVIDENCE_TEXT);
    ff_html_raw(h, "</p>\n");
}

static int by_number(const void *left, const void *right)
{
    const int32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static uint32_t add_ranks(int32_t *out, uint32_t n, uint32_t most, const ff_finding *f)
{
    if (!f->n_ranks && f->who.rank != FF_NO_NUMBER && n < most)
        out[n++] = f->who.rank;
    for (uint32_t i = 0; i < f->n_ranks && n < most; i++)
        out[n++] = f->ranks[i];
    return n;
}

/* Of all findings in a box: the first time, and which ranks and hosts. */
static void meta_of_box(ff_html *h, const uint32_t *findings, uint32_t n)
{
    int32_t *ranks = FF_NEW_N(&h->arena, int32_t, RANKS);
    uint32_t n_ranks = 0, unique = 0, n_hosts = 0;
    ff_bytes hosts[HOSTS];
    for (uint32_t i = 0; i < n; i++) {
        const ff_finding *f = &h->r->findings[findings[i]];
        n_ranks = add_ranks(ranks, n_ranks, RANKS, f);
        uint32_t k = 0;
        while (k < n_hosts && !ff_equal(hosts[k], f->who.host))
            k++;
        if (k == n_hosts && n_hosts < HOSTS && !ff_is_empty(f->who.host))
            hosts[n_hosts++] = f->who.host;
    }
    qsort(ranks, n_ranks, sizeof *ranks, by_number);
    for (uint32_t i = 0; i < n_ranks; i++)
        if (!unique || ranks[unique - 1] != ranks[i])
            ranks[unique++] = ranks[i];
    ff_html_raw(h, "<p class=\"meta\">first ");
    const ff_signal *s = ff_view_first_of(h->r, &h->r->findings[findings[0]]);
    if (s)
        ff_html_when(h, s);
    if (unique) {
        ff_html_raw(h, unique == 1 ? " \xC2\xB7 rank " : " \xC2\xB7 ranks ");
        ff_say_ranks(h->out, ranks, unique);
    }
    for (uint32_t i = 0; i < n_hosts; i++) {
        ff_html_raw(h, i ? ", " : " \xC2\xB7 on ");
        ff_html_text(h, ff_first_n(hosts[i], 80));
    }
    ff_html_raw(h, n_hosts == HOSTS ? " \xE2\x80\xA6</p>\n" : "</p>\n");
}

static void members_of_box(chain *c, const uint32_t *findings, uint32_t n)
{
    ff_html *h = c->h;
    ff_html_raw(h, "<details><summary>");
    ff_say_count(h->out, n);
    ff_html_raw(h, " findings with their evidence</summary>\n");
    for (uint32_t i = 0; i < n && i < FF_HTML_GROUP; i++) {
        const ff_finding *f = &h->r->findings[findings[i]];
        ff_html_raw(h, "<div");
        anchor(c, f->id);
        ff_html_raw(h, ">\n");
        meta(h, f);
        if (!ff_equal(f->summary, h->r->findings[findings[0]].summary))
            summary_line(h, f);
        ff_html_evidence(h, f);
        ff_html_raw(h, "</div>\n");
    }
    ff_html_more(h, FF_HTML_GROUP, n, "findings");
    ff_html_raw(h, "</details>\n");
}

static void draw_box(chain *c, ff_role role, const uint32_t *findings, uint32_t n)
{
    ff_html *h = c->h;
    const ff_finding *f = &h->r->findings[findings[0]];
    ff_html_f(h, "<div class=\"box role-%s\"", ff_role_name(role));
    if (n == 1)
        anchor(c, f->id);
    ff_html_f(h, ">\n<p class=\"tag\">%s %s", mark_of(role), ff_say_role(role));
    if (n > 1) {
        ff_html_raw(h, " \xC3\x97 ");
        ff_say_count(h->out, n);
    }
    ff_html_raw(h, "</p>\n");
    name_line(h, f);
    summary_line(h, f);
    if (n == 1) {
        meta(h, f);
        ff_html_evidence(h, f);
    } else {
        meta_of_box(h, findings, n);
        members_of_box(c, findings, n);
    }
    ff_html_raw(h, "</div>\n");
}

static void draw_edge(ff_html *h, const ff_link *link)
{
    ff_html_f(h, "<p class=\"edge\"><b>%s</b>", link->proven ? "then, in proven order" : "then, order not proven");
    if (!ff_is_empty(link->because)) {
        ff_html_raw(h, ": ");
        ff_html_cut(h, link->because, FF_HTML_CONTEXT);
    }
    ff_html_raw(h, "</p>\n");
}

static bool is_drawable(const chain *c, const ff_link *link)
{
    return link->finding < c->h->r->n_findings && c->box_of[link->finding] == 0;
}

static bool is_child(const chain *c, const ff_link *link, uint32_t parent)
{
    return is_drawable(c, link) && link->by < c->h->r->n_findings && c->box_of[link->by] == parent;
}

/* Link i and all further children of the same parent with its cause and role. Returns them in arena. */
static uint32_t *gather(chain *c, uint32_t i, bool (*fits)(const chain *, const ff_link *, uint32_t), uint32_t parent,
                        uint32_t *n)
{
    const ff_link *first = &c->in->chain[i];
    uint32_t cause = c->h->r->findings[first->finding].cause;
    uint32_t *all = FF_NEW_N(&c->h->arena, uint32_t, c->in->n_chain - i);
    uint32_t box = ++c->n_boxes;
    *n = 0;
    for (uint32_t k = i; k < c->in->n_chain; k++) {
        const ff_link *link = &c->in->chain[k];
        if (!fits(c, link, parent) || link->role != first->role || c->h->r->findings[link->finding].cause != cause)
            continue;
        all[(*n)++] = link->finding;
    }
    for (uint32_t k = 0; k < *n; k++)
        c->box_of[all[k]] = box;
    return all;
}

static uint32_t next_child(const chain *c, uint32_t from, bool (*fits)(const chain *, const ff_link *, uint32_t),
                           uint32_t parent)
{
    while (from < c->in->n_chain && !fits(c, &c->in->chain[from], parent))
        from++;
    return from;
}

static void draw_children(chain *c, uint32_t parent, bool (*fits)(const chain *, const ff_link *, uint32_t))
{
    ff_html *h = c->h;
    uint32_t i = next_child(c, 0, fits, parent);
    if (i == c->in->n_chain)
        return;
    ff_html_raw(h, "<ol>\n");
    for (; i < c->in->n_chain && c->n_boxes < FF_HTML_CHAIN; i = next_child(c, i + 1, fits, parent)) {
        const ff_link *link = &c->in->chain[i];
        uint32_t n = 0;
        uint32_t *findings = gather(c, i, fits, parent, &n);
        uint32_t box = c->n_boxes;
        ff_html_raw(h, link->proven ? "<li>" : "<li class=\"maybe\">");
        ff_html_raw(h, "<span class=\"rail\" aria-hidden=\"true\"></span>\n");
        draw_edge(h, link);
        draw_box(c, link->role, findings, n);
        draw_children(c, box, is_child);
        ff_html_raw(h, "</li>\n");
    }
    ff_html_raw(h, "</ol>\n");
}

/* What no drawn box explains, by a broken link: shown below the root rather than lost. */
static bool is_left(const chain *c, const ff_link *link, uint32_t parent)
{
    (void)parent;
    return is_drawable(c, link);
}

void ff_html_chain(ff_html *h, const ff_incident *in)
{
    if (in->root >= h->r->n_findings)
        return;
    chain c = { .h = h, .in = in, .box_of = FF_NEW_N(&h->arena, uint32_t, h->r->n_findings + 1), .n_boxes = 1 };
    c.box_of[in->root] = 1;
    ff_html_raw(h, "<ol class=\"chain\">\n<li>\n");
    draw_box(&c, FF_ROLE_ROOT, &in->root, 1);
    draw_children(&c, 1, is_child);
    draw_children(&c, 0, is_left);
    ff_html_raw(h, "</li>\n</ol>\n");
    uint32_t drawn = 0;
    for (uint32_t i = 0; i < in->n_chain; i++)
        drawn += in->chain[i].finding < h->r->n_findings && c.box_of[in->chain[i].finding] != 0;
    ff_html_more(h, drawn, in->n_chain, "steps");
}

void ff_html_rivals(ff_html *h, const ff_incident *in)
{
    if (!in->n_other_roots)
        return;
    ff_html_raw(h, "<div class=\"rivals\">\n<h3>Could also have started it</h3>\n");
    if (!ff_is_empty(in->decide)) {
        ff_html_raw(h, "<p><b>What would decide:</b> ");
        ff_html_cut(h, in->decide, FF_CAP_EVIDENCE_TEXT);
        ff_html_raw(h, "</p>\n");
    }
    for (uint32_t i = 0; i < in->n_other_roots && i < FF_HTML_GROUP; i++) {
        const ff_finding *f = ff_view_finding(h->r, in->other_roots[i]);
        if (!f)
            continue;
        name_line(h, f);
        summary_line(h, f);
        meta(h, f);
        ff_html_evidence(h, f);
    }
    ff_html_more(h, FF_HTML_GROUP, in->n_other_roots, "competing findings");
    ff_html_raw(h, "</div>\n");
}

void ff_html_incident(ff_html *h)
{
    if (!h->main)
        return;
    ff_html_raw(h, "<section id=\"chain\" aria-labelledby=\"chain-h\" data-openall>\n<h2 id=\"chain-h\">What led to "
                   "what</h2>\n");
    if (h->main->n_chain > 1)
        ff_html_raw(h, "<p class=\"note\">A solid arrow: the clocks prove the order. A dashed arrow: the order is "
                       "possible, but not proven.</p>\n");
    ff_html_chain(h, h->main);
    ff_html_rivals(h, h->main);
    ff_html_close(h);
}
