/* What made this page: inputs, rules, version. */
#include "html_private.h"

#include "../base/digest.h"
#include "../match/match.h"

#include <inttypes.h>

static void hash(ff_html *h, const uint8_t sha256[32])
{
    char hex[65];
    ff_hex(sha256, 32, hex);
    ff_html_f(h, "<code>%s</code>", hex);
}

static void inputs(ff_html *h)
{
    static const char *const heads[] = { "Input", "#Files", "#Size", "SHA-256 of its contents", "Notes" };
    const ff_evidence *e = h->r->evidence;
    ff_html_table(h, "inputs", "What was analysed", heads, FF_COUNT(heads));
    for (uint32_t i = 0; i < e->n_inputs && i < FF_HTML_ROWS; i++) {
        const ff_input *in = &e->inputs[i];
        ff_html_raw(h, "<tr><th scope=\"row\">");
        ff_html_cut(h, ff_view_no_path(in->name), FF_HTML_CONTEXT);
        ff_html_raw(h, "</th><td class=\"num\">");
        ff_say_count(h->out, in->members);
        ff_html_raw(h, "</td><td class=\"num\">");
        ff_say_bytes(h->out, in->bytes);
        ff_html_raw(h, "</td><td>");
        hash(h, in->sha256);
        ff_html_raw(h, "</td><td>");
        ff_html_raw(h, in->truncated ? "<span class=\"bad\">the end is missing</span>" : "");
        ff_html_list(h, "ul", in->notes, in->n_notes);
        ff_html_raw(h, "</td></tr>\n");
    }
    ff_html_table_end(h);
    ff_html_more(h, FF_HTML_ROWS, e->n_inputs, "inputs");
}

static void packs(ff_html *h)
{
    static const char *const heads[] = { "Rules", "Version", "#Signatures", "#Correlations", "#Causes", "SHA-256" };
    const ff_rulebook *b = h->r->rules;
    ff_html_table(h, "packs", "Rules that judged it", heads, FF_COUNT(heads));
    for (uint32_t i = 0; i < b->n_packs && i < FF_HTML_ROWS; i++) {
        const ff_pack *p = &b->packs[i];
        ff_html_raw(h, "<tr><th scope=\"row\">");
        ff_html_text(h, ff_view_no_path(p->name));
        ff_html_raw(h, "</th><td>");
        ff_html_or_dash(h, p->version);
        ff_html_f(h,
                  "</td><td class=\"num\">%" PRIu32 "</td><td class=\"num\">%" PRIu32
                  "</td><td class=\"num\">%" PRIu32 "</td><td>",
                  p->n_signatures, p->n_correlations, p->n_causes);
        hash(h, p->sha256);
        ff_html_raw(h, "</td></tr>\n");
    }
    ff_html_table_end(h);
}

static void problems(ff_html *h)
{
    const ff_rulebook *b = h->r->rules;
    if (!b->n_problems)
        return;
    ff_html_raw(h, "<h3>Rules that were refused or failed</h3>\n<ul>\n");
    for (uint32_t i = 0; i < b->n_problems && i < FF_HTML_ROWS; i++) {
        ff_html_raw(h, "<li>");
        if (b->problems[i].file.n) { /* what went wrong while judging has a rule, but no file */
            ff_html_raw(h, "<code>");
            ff_html_text(h, ff_view_no_path(b->problems[i].file));
            ff_html_f(h, ":%" PRIu32 "</code> ", b->problems[i].line);
        }
        ff_html_text(h, b->problems[i].rule);
        ff_html_raw(h, ": ");
        ff_html_cut(h, b->problems[i].text, FF_CAP_EVIDENCE_TEXT);
        ff_html_raw(h, "</li>\n");
    }
    ff_html_raw(h, "</ul>\n");
    ff_html_more(h, FF_HTML_ROWS, b->n_problems, "problems");
}

void ff_html_about(ff_html *h)
{
    ff_html_open(h, "about", "About this report");
    ff_html_raw(h, "<p>firstfault " FF_VERSION
                   ". The same bundle and rules give the same report, byte for byte. This page "
                   "is one file: it loads nothing and sends nothing.</p>\n");
    inputs(h);
    packs(h);
    problems(h);
    ff_html_close(h);
}
