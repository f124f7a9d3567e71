/* What to do, what would settle the matter, and what the evidence excludes or leaves open. */
#include "html_private.h"

#include <inttypes.h>

static void pane(ff_html *h, const char *title, const char *note, const char *tag, const ff_bytes *items, uint32_t n)
{
    if (!n)
        return;
    ff_html_f(h, "<div class=\"pane\">\n<h3>%s</h3>\n", title);
    if (note)
        ff_html_f(h, "<p class=\"note\">%s</p>\n", note);
    ff_html_list(h, tag, items, n);
    ff_html_raw(h, "</div>\n");
}

static void command(ff_html *h, const ff_ask *a)
{
    ff_html_raw(h, "<div class=\"ask\">\n<p>");
    if (!ff_is_empty(a->host)) {
        ff_html_raw(h, "On <code>");
        ff_html_cut(h, a->host, FF_HTML_CONTEXT);
        ff_html_raw(h, "</code>: ");
    }
    ff_html_or_dash(h, a->why);
    if (a->has_span) {
        ff_html_raw(h, " <span class=\"dim\">From ");
        ff_html_utc(h, true, a->from_utc);
        ff_html_raw(h, " to ");
        ff_html_utc(h, true, a->to_utc);
        ff_html_raw(h, FF_HTML_Z ".</span>");
    }
    ff_html_raw(h, "</p>\n<div class=\"cmd\"><pre><code>");
    ff_html_text(h, ff_first_n(a->command, FF_CAP_PATH));
    ff_html_raw(h, "</code></pre></div>\n</div>\n");
}

void ff_html_next_of(ff_html *h, const ff_incident *in)
{
    const ff_finding *root = ff_view_finding(h->r, in->root);
    const ff_cause *c = ff_html_cause(h, root ? root->cause : FF_NONE);
    ff_html_raw(h, "<div class=\"two\">\n");
    pane(h, "Repair, in this order", NULL, "ol", c->act, c->n_act);
    pane(h, "Proof that it is repaired", NULL, "ol", c->verify, c->n_verify);
    pane(h, "Do not", NULL, "ul", c->avoid, c->n_avoid);
    pane(h, "Save before it is gone", NULL, "ul", c->save, c->n_save);
    ff_html_raw(h, "</div>\n");
    if (!ff_is_empty(c->recovery)) {
        ff_html_raw(h, "<p>What has to be restarted at least: <b>");
        ff_html_text(h, c->recovery);
        ff_html_raw(h, "</b></p>\n");
    }
    if (!in->n_asks)
        return;
    ff_html_raw(h, "<h3>Evidence that would settle it</h3>\n");
    for (uint32_t i = 0; i < in->n_asks && i < FF_HTML_GROUP; i++)
        command(h, &in->asks[i]);
    ff_html_more(h, FF_HTML_GROUP, in->n_asks, "requests");
}

static bool has_next(ff_html *h, const ff_incident *in)
{
    const ff_finding *root = ff_view_finding(h->r, in->root);
    const ff_cause *c = ff_html_cause(h, root ? root->cause : FF_NONE);
    return c->n_act || c->n_verify || c->n_avoid || c->n_save || !ff_is_empty(c->recovery) || in->n_asks;
}

void ff_html_next(ff_html *h)
{
    if (!h->main || !has_next(h, h->main))
        return;
    ff_html_open(h, "next", "What to do now");
    ff_html_next_of(h, h->main);
    ff_html_close(h);
}

static void titles_of(ff_html *h, const ff_ruling *r)
{
    for (uint32_t i = 0; i < r->n_causes && i < FF_HTML_GROUP; i++) {
        ff_html_raw(h, i ? ", " : "");
        ff_html_text(h, ff_view_cause_title(h->r, r->causes[i]));
    }
}

static void ids_of(ff_html *h, const ff_ruling *r)
{
    for (uint32_t i = 0; i < r->n_causes && i < FF_HTML_GROUP; i++) {
        ff_html_raw(h, i ? " <code>" : "<br><code>");
        ff_html_text(h, ff_view_cause_id(h->r, r->causes[i]));
        ff_html_raw(h, "</code>");
    }
    if (r->n_causes > FF_HTML_GROUP)
        ff_html_f(h, " and %" PRIu32 " more", r->n_causes - FF_HTML_GROUP);
}

/* The sentence often names its sources already; those are not said twice. */
static void sources_of(ff_html *h, const ff_ruling *r, const char *by)
{
    bool any = false;
    for (uint32_t i = 0; i < r->n_by && i < FF_HTML_GROUP; i++) {
        if (ff_contains(r->text, r->by[i]))
            continue;
        if (any)
            ff_html_raw(h, "; ");
        else
            ff_html_f(h, "<br>%s: ", by);
        ff_html_cut(h, r->by[i], FF_HTML_CONTEXT);
        any = true;
    }
}

static void rulings(ff_html *h, const ff_ruling *list, uint32_t n, const char *by)
{
    ff_html_raw(h, "<ul>\n");
    for (uint32_t i = 0; i < n && i < FF_HTML_ROWS; i++) {
        ff_html_raw(h, "<li>");
        if (ff_is_empty(list[i].text))
            titles_of(h, &list[i]);
        else
            ff_html_sentence(h, list[i].text, FF_CAP_EVIDENCE_TEXT);
        ff_html_raw(h, "<span class=\"dim\">");
        sources_of(h, &list[i], by);
        ids_of(h, &list[i]);
        ff_html_raw(h, "</span></li>\n");
    }
    ff_html_raw(h, "</ul>\n");
    ff_html_more(h, FF_HTML_ROWS, n, "causes");
}

/* What could not have brought this about may be unjudged all the same, and the pane reads as a verdict. */
static void none_left_open(ff_html *h)
{
    ff_html_raw(h, "<p>Nothing that could have brought this about.");
    if (h->r->n_not_judged) {
        ff_html_raw(h, " Without ");
        ff_view_add_streams(h->out, ff_view_missing_streams(h->r));
        ff_html_raw(h, " evidence of every machine, <a href=\"#coverage\">");
        ff_say_count(h->out, h->r->n_not_judged);
        ff_html_raw(h, h->r->n_not_judged == 1 ? " rule was</a>" : " rules were</a>");
        ff_html_raw(h, " not judged everywhere.");
    }
    ff_html_raw(h, "</p>\n");
}

void ff_html_rulings_of(ff_html *h, const ff_incident *in)
{
    ff_html_raw(
        h, "<div class=\"two\">\n<div class=\"pane out\">\n<h3>Ruled out</h3>\n<p class=\"note\">The source that "
           "would have shown it was read for the time that counts.</p>\n");
    if (in->n_ruled_out)
        rulings(h, in->ruled_out, in->n_ruled_out, "by");
    else
        ff_html_raw(h, "<p>Nothing could be ruled out.</p>\n");
    ff_html_raw(
        h, "</div>\n<div class=\"pane in\">\n<h3>Not ruled out</h3>\n<p class=\"note\">Still possible, since the "
           "evidence for or against it is missing.</p>\n");
    if (in->n_not_ruled_out)
        rulings(h, in->not_ruled_out, in->n_not_ruled_out, "missing");
    else
        none_left_open(h);
    ff_html_raw(h, "</div>\n</div>\n");
}

void ff_html_rulings(ff_html *h)
{
    if (!h->main || !(h->main->n_ruled_out || h->main->n_not_ruled_out))
        return;
    ff_html_open(h, "rulings", "What else it could be");
    ff_html_rulings_of(h, h->main);
    ff_html_close(h);
}
