/* The card at the top: what somebody reads who was woken up and has one minute. */
#include "html_private.h"

#include <inttypes.h>

#define BARE 32u /* bytes */

static void row(ff_html *h, const char *name) { ff_html_f(h, "<dt>%s</dt><dd>", name); }

static void row_end(ff_html *h) { ff_html_raw(h, "</dd>\n"); }

static void chips(ff_html *h, const char *what, const ff_bytes *items, uint32_t n)
{
    for (uint32_t i = 0; i < n && i < FF_HTML_GROUP; i++) {
        ff_html_f(h, "<li class=\"chip\">%s <code>", what);
        ff_html_cut(h, items[i], FF_HTML_CONTEXT);
        ff_html_raw(h, "</code></li>");
    }
    if (n > FF_HTML_GROUP)
        ff_html_f(h, "<li class=\"chip\">%" PRIu32 " more</li>", n - FF_HTML_GROUP);
}

static void suspects(ff_html *h, const ff_suspects *s)
{
    if (!(s->n_hosts || s->n_gpus || s->n_pods || s->n_processes || s->n_ranks))
        return;
    row(h, "Suspects");
    ff_html_raw(h, "<ul class=\"chips\">");
    chips(h, "host", s->hosts, s->n_hosts);
    if (s->n_ranks) {
        ff_html_raw(h, s->n_ranks == 1 ? "<li class=\"chip\">rank <code>" : "<li class=\"chip\">ranks <code>");
        ff_say_ranks(h->out, s->ranks, s->n_ranks);
        ff_html_raw(h, "</code></li>");
    }
    chips(h, "GPU", s->gpus, s->n_gpus);
    chips(h, "pod", s->pods, s->n_pods);
    chips(h, "process", s->processes, s->n_processes);
    ff_html_raw(h, "</ul>");
    row_end(h);
}

static void began_before(ff_html *h, const ff_incident *in)
{
    const ff_stamp said = ff_view_first_evidence(h->r)->said;
    ff_html_raw(h, "before ");
    ff_html_utc(h, true, in->began_utc);
    ff_html_raw(h, FF_HTML_Z "; <span class=\"dim\">");
    if (said.kind != FF_STAMP_NONE) {
        ff_html_raw(h, "its line says ");
        ff_say_stamp(h->out, said);
        ff_html_raw(h, ", on a clock that could not be tied to UTC</span>");
    } else {
        ff_html_raw(h, "then what it led to is seen; its own line carries no time</span>");
    }
}

static void began(ff_html *h, const ff_incident *in)
{
    row(h, "Began");
    if (ff_view_began_before(h->r, in)) {
        began_before(h, in);
    } else if (in->has_time) {
        ff_html_utc(h, true, in->began_utc);
        ff_html_raw(h, FF_HTML_Z " ");
        ff_html_raw(h, "<span class=\"dim\">\xC2\xB1 ");
        if (in->err_ns >= 1000000)
            ff_text_add_span(h->out, in->err_ns);
        else
            ff_html_raw(h, "under 1 ms");
        ff_html_raw(h, "</span>");
        if (in->ended_utc > in->began_utc) {
            ff_html_raw(h, ", over after ");
            ff_text_add_span(h->out, in->ended_utc - in->began_utc);
        }
    } else {
        const ff_signal *s = ff_view_first_sign(h->r);
        if (s && s->said.kind != FF_STAMP_NONE) {
            ff_html_raw(h, "at ");
            ff_say_stamp(h->out, s->said);
            ff_html_raw(h, "; <span class=\"dim\">this clock could not be tied to UTC</span>");
        } else {
            ff_html_raw(h, "<span class=\"dim\">not known: the evidence carries no usable time</span>");
        }
    }
    row_end(h);
}

static void ceiling(ff_html *h)
{
    const ff_verdict *v = &h->r->verdict;
    if (!v->n_ceiling)
        return;
    row(h, "Could overturn this");
    ff_html_list(h, "ul", v->ceiling, v->n_ceiling);
    row_end(h);
}

static bool named_before(const ff_html *h, const ff_incident *in, uint32_t i)
{
    const ff_finding *f = ff_view_finding(h->r, in->other_roots[i]);
    for (uint32_t k = 0; f && k < i; k++) {
        const ff_finding *other = ff_view_finding(h->r, in->other_roots[k]);
        if (other && other->cause == f->cause)
            return true;
    }
    return !f;
}

/* Each cause once, with all findings that say it. */
static void rivals_note(ff_html *h, const ff_incident *in)
{
    if (!in->n_other_roots)
        return;
    row(h, "Competing causes");
    for (uint32_t i = 0, n = 0; i < in->n_other_roots && i < FF_HTML_GROUP; i++) {
        if (named_before(h, in, i))
            continue;
        uint32_t cause = h->r->findings[in->other_roots[i]].cause;
        ff_html_raw(h, n++ ? "; " : "");
        ff_html_text(h, ff_view_cause_title(h->r, cause));
        ff_html_raw(h, " (");
        for (uint32_t k = i, m = 0; k < in->n_other_roots && k < FF_HTML_GROUP; k++) {
            const ff_finding *f = ff_view_finding(h->r, in->other_roots[k]);
            if (!f || f->cause != cause)
                continue;
            ff_html_raw(h, m++ ? ", " : "");
            ff_html_link(h, f->id);
        }
        ff_html_raw(h, ")");
    }
    row_end(h);
}

static void first_step(ff_html *h, const ff_cause *c)
{
    if (!c->n_act)
        return;
    row(h, "Do first");
    ff_html_cut(h, c->act[0], FF_CAP_EVIDENCE_TEXT);
    ff_html_raw(h, " <a href=\"#next\">All steps</a>");
    row_end(h);
}

static void looked_at(ff_html *h)
{
    const ff_evidence *e = h->r->evidence;
    uint32_t read = 0, streams = 0;
    for (uint32_t i = 0; i < e->n_members; i++) {
        if (e->members[i].unread || !e->members[i].parser)
            continue;
        read++;
        streams |= e->members[i].streams;
    }
    row(h, "Looked at");
    ff_say_count(h->out, read);
    ff_html_raw(h, " of ");
    ff_say_count(h->out, e->n_members);
    ff_html_raw(h, " files; <span class=\"dim\">kinds of evidence: ");
    ff_view_add_streams(h->out, streams);
    ff_html_raw(h, streams ? "</span>; " : "none</span>; ");
    ff_html_raw(h, "<a href=\"#coverage\">what was and was not read</a>");
    row_end(h);
}

static void first_evidence(ff_html *h)
{
    const ff_signal *s = ff_view_first_evidence(h->r);
    if (!s)
        return;
    ff_html_raw(h, "<div class=\"first\">\n<h2>The line that says it</h2>\n");
    ff_html_quote(h, s->ref, false);
    /* A quote of a document may be a bare word: then what was read there says more. */
    if (s->quote.n < BARE && s->n_fields > 1)
        ff_html_fields(h, s);
    ff_html_raw(h, "</div>\n");
}

static void cause_line(ff_html *h, const ff_cause *c, bool named)
{
    ff_html_raw(h, "<p class=\"causename\">");
    if (named) {
        ff_html_sentence(h, ff_is_empty(c->title) ? c->id : c->title, FF_HTML_CONTEXT);
        ff_html_raw(h, " ");
    }
    ff_html_raw(h, "<code>");
    ff_html_text(h, c->id);
    ff_html_raw(h, "</code></p>\n");
}

static void confidence(ff_html *h)
{
    const ff_verdict *v = &h->r->verdict;
    row(h, "Confidence");
    ff_html_f(h, "<b>%s</b>", ff_say_confidence(v->confidence));
    if (!ff_is_empty(v->confidence_why)) {
        ff_html_raw(h, ": ");
        ff_html_cut(h, v->confidence_why, FF_CAP_EVIDENCE_TEXT);
    }
    row_end(h);
    if (ff_is_empty(v->fault_class))
        return;
    row(h, "Kind of fault");
    ff_html_raw(h, "<b>");
    ff_html_text(h, v->fault_class);
    ff_html_raw(h, "</b>");
    const char *words = ff_say_fault_class(v->fault_class);
    ff_html_f(h, "%s%s", *words ? ": " : "", words);
    row_end(h);
}

void ff_html_verdict(ff_html *h)
{
    const ff_cause *c = ff_html_cause(h, h->r->verdict.cause);
    bool healthy = ff_equal(c->id, FF_LIT("healthy")), unknown = ff_equal(c->id, FF_LIT("unknown"));
    ff_html_f(h,
              "<section id=\"verdict\" aria-label=\"Verdict\">\n<div class=\"card%s\">\n<p class=\"kicker\">%s</p>\n",
              healthy   ? " ok"
              : unknown ? " open"
                        : "",
              healthy                                  ? "Nothing wrong found"
              : unknown && ff_view_shows_failure(h->r) ? "A failure that nothing here explains"
              : unknown                                ? "Nothing can be said"
                                                       : "What happened");
    ff_html_raw(h, "<h1>");
    ff_bytes summary = h->r->verdict.summary;
    ff_html_sentence(h, ff_is_empty(summary) ? c->title : summary, FF_CAP_EVIDENCE_TEXT);
    ff_html_raw(h, "</h1>\n");
    cause_line(h, c, !healthy && !unknown);
    ff_html_raw(h, "<dl class=\"facts\">\n");
    confidence(h);
    if (h->main) {
        suspects(h, &h->main->suspects);
        began(h, h->main);
        rivals_note(h, h->main);
    }
    ceiling(h);
    first_step(h, c);
    looked_at(h);
    ff_html_raw(h, "</dl>\n");
    first_evidence(h);
    ff_html_raw(h, "</div>\n</section>\n");
}
