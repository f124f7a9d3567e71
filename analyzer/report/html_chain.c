/* What led to what, drawn as boxes and arrows: the root on top, below each box what it brought about. The boxes are
 * nested lists, so the picture is also the text for those who do not see it. */
#include "html_chain.h"

#include <inttypes.h>

#define HOSTS 6u

/* Gives the anchor, the first time that any chain shows the finding. */
static void anchor(ff_html *h, const ff_incident *in, uint32_t finding)
{
    if (h->home[finding] == FF_HOME_NONE) {
        h->home[finding] = FF_HOME_CHAIN;
        h->owner[finding] = in->id;
    }
    if (h->home[finding] == FF_HOME_CHAIN && h->owner[finding] == in->id)
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
    ff_html_sentence(h, ff_view_headline(h->r, f), FF_HTML_CONTEXT);
    ff_html_raw(h, " <code class=\"dim\">");
    ff_html_text(h, cause->id);
    ff_html_raw(h, "</code></p>\n");
}

static void summary_line(ff_html *h, const ff_finding *f)
{
    if (ff_is_empty(f->summary) || ff_equal(f->summary, ff_view_headline(h->r, f)))
        return;
    ff_html_raw(h, "<p>");
    ff_html_sentence(h, f->summary, FF_CAP_EVIDENCE_TEXT);
    ff_html_raw(h, "</p>\n");
}

/* Of all findings in a box: the first time, and which ranks and hosts. */
static void meta_of_box(ff_html *h, const ff_chain_box *box)
{
    uint32_t n_ranks = 0, n_hosts = 0;
    ff_bytes hosts[HOSTS];
    for (uint32_t i = 0; i < box->n; i++) {
        ff_bytes host = h->r->findings[box->findings[i]].who.host;
        uint32_t k = 0;
        while (k < n_hosts && !ff_equal(hosts[k], host))
            k++;
        if (k == n_hosts && n_hosts < HOSTS && !ff_is_empty(host))
            hosts[n_hosts++] = host;
    }
    const int32_t *ranks = ff_chain_ranks(h, box, &n_ranks);
    ff_html_raw(h, "<p class=\"meta\">first ");
    const ff_signal *s = ff_view_first_of(h->r, &h->r->findings[box->findings[0]]);
    if (s)
        ff_html_when(h, s);
    if (n_ranks) {
        ff_html_raw(h, n_ranks == 1 ? " \xC2\xB7 rank " : " \xC2\xB7 ranks ");
        ff_say_ranks(h->out, ranks, n_ranks);
    }
    for (uint32_t i = 0; i < n_hosts; i++) {
        ff_html_raw(h, i ? ", " : " \xC2\xB7 on ");
        ff_html_text(h, ff_first_n(hosts[i], 80));
    }
    ff_html_raw(h, n_hosts == HOSTS ? " \xE2\x80\xA6</p>\n" : "</p>\n");
}

static void members_of_box(ff_html *h, const ff_incident *in, const ff_chain_box *box)
{
    ff_html_raw(h, "<details><summary>");
    ff_say_count(h->out, box->n);
    ff_html_raw(h, " findings with their evidence</summary>\n");
    for (uint32_t i = 0; i < box->n && i < FF_HTML_GROUP; i++) {
        const ff_finding *f = &h->r->findings[box->findings[i]];
        ff_html_raw(h, "<div");
        anchor(h, in, f->id);
        ff_html_raw(h, ">\n");
        meta(h, f);
        if (!ff_equal(f->summary, h->r->findings[box->findings[0]].summary))
            summary_line(h, f);
        ff_html_evidence(h, f, FF_HTML_QUOTES);
        ff_html_raw(h, "</div>\n");
    }
    ff_html_more(h, FF_HTML_GROUP, box->n, "findings");
    ff_html_raw(h, "</details>\n");
}

static void draw_box(ff_html *h, const ff_incident *in, const ff_chain_box *box)
{
    const ff_finding *f = &h->r->findings[box->findings[0]];
    ff_html_f(h, "<div class=\"box role-%s\"", ff_role_name(box->role));
    if (box->n == 1)
        anchor(h, in, f->id);
    ff_html_f(h, ">\n<p class=\"tag\">%s %s", ff_chain_mark(box->role), ff_say_role(box->role));
    if (box->n > 1) {
        ff_html_raw(h, " \xC3\x97 ");
        ff_say_count(h->out, box->n);
    }
    ff_html_raw(h, "</p>\n");
    name_line(h, f);
    summary_line(h, f);
    if (box->n == 1) {
        meta(h, f);
        ff_html_evidence(h, f, FF_HTML_QUOTES);
    } else {
        meta_of_box(h, box);
        members_of_box(h, in, box);
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

static void draw_children(ff_html *h, const ff_incident *in, const ff_chain_box *boxes, uint32_t n, uint32_t parent)
{
    bool any = false;
    for (uint32_t i = parent + 1; i < n; i++) {
        if (boxes[i].parent != parent)
            continue;
        ff_html_raw(h, any ? "" : "<ol>\n");
        any = true;
        ff_html_raw(h, boxes[i].link->proven ? "<li>" : "<li class=\"maybe\">");
        ff_html_raw(h, "<span class=\"rail\" aria-hidden=\"true\"></span>\n");
        draw_edge(h, boxes[i].link);
        draw_box(h, in, &boxes[i]);
        draw_children(h, in, boxes, n, i);
        ff_html_raw(h, "</li>\n");
    }
    ff_html_raw(h, any ? "</ol>\n" : "");
}

void ff_html_chain(ff_html *h, const ff_incident *in)
{
    uint32_t n = 0, drawn = 0;
    const ff_chain_box *boxes = ff_chain_boxes(h, in, &n);
    if (!n)
        return;
    ff_html_raw(h, "<ol class=\"chain\">\n<li>\n");
    draw_box(h, in, &boxes[0]);
    draw_children(h, in, boxes, n, 0);
    ff_html_raw(h, "</li>\n</ol>\n");
    for (uint32_t i = 0; i < n; i++)
        drawn += boxes[i].n;
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
        ff_html_evidence(h, f, FF_HTML_QUOTES);
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
    ff_svg_chain(h, h->main);
    ff_html_chain(h, h->main);
    ff_html_rivals(h, h->main);
    ff_html_close(h);
}
