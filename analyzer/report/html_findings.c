/* Lists of findings: the other incidents, side notes, contradictions, and the table of everything. */
#include "html_private.h"

#include <inttypes.h>

#define OTHERS 40u
#define OTHERS_BOXES 400u /* of all their chains */

static void other_incident(ff_html *h, const ff_incident *in)
{
    const ff_finding *root = ff_view_finding(h->r, in->root);
    ff_html_f(h, "<details><summary>I%" PRIu32 ": ", in->id + 1);
    if (root)
        ff_html_text(h, ff_view_cause_title(h->r, root->cause));
    if (in->suspects.n_hosts) {
        ff_html_raw(h, " on ");
        ff_html_cut(h, in->suspects.hosts[0], 80);
        ff_html_raw(h, in->suspects.n_hosts > 1 ? " and others" : "");
    }
    ff_html_f(h, ", %s", ff_confidence_name(in->confidence));
    if (in->has_time && h->has_t0) {
        ff_html_raw(h, ", ");
        ff_say_offset_ns(h->out, in->began_utc - h->t0_utc);
    }
    ff_html_raw(h, "</summary>\n");
    if (in->has_time) {
        ff_html_raw(h, "<p class=\"note\">Began ");
        ff_html_utc(h, true, in->began_utc);
        ff_html_raw(h, FF_HTML_Z "</p>\n");
    }
    if (in->behind)
        ff_html_f(h, "<p class=\"note\">Not the verdict: %s.</p>\n", in->behind);
    if (!ff_is_empty(in->confidence_why)) {
        ff_html_raw(h, "<p class=\"note\">");
        ff_html_cut(h, in->confidence_why, FF_CAP_EVIDENCE_TEXT);
        ff_html_raw(h, "</p>\n");
    }
    ff_html_chain(h, in);
    ff_html_rivals(h, in);
    ff_html_next_of(h, in);
    if (in->n_ruled_out || in->n_not_ruled_out)
        ff_html_rulings_of(h, in);
    ff_html_raw(h, "</details>\n");
}

void ff_html_others(ff_html *h)
{
    uint32_t others = h->r->n_incidents - (h->main ? 1 : 0), shown = 0, boxes = 0;
    if (!others)
        return;
    ff_html_open(h, "others", h->main ? "Other incidents in this bundle" : "Incidents in this bundle");
    for (uint32_t i = 0; i < h->r->n_incidents && shown < OTHERS && boxes < OTHERS_BOXES; i++) {
        const ff_incident *in = &h->r->incidents[i];
        if (in == h->main)
            continue;
        boxes += in->n_chain < FF_HTML_CHAIN ? in->n_chain : FF_HTML_CHAIN;
        other_incident(h, in);
        shown++;
    }
    ff_html_more(h, shown, others, "incidents");
    ff_html_close(h);
}

static bool is_note(const ff_finding *f) { return f->severity == FF_SEV_NOTE; }

static bool noted_before(const ff_html *h, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (is_note(&h->r->findings[k]) && h->r->findings[k].cause == h->r->findings[i].cause)
            return true;
    return false;
}

static void note_line(ff_html *h, const ff_finding *f)
{
    ff_html_link(h, f->id);
    ff_html_raw(h, " ");
    ff_html_cut(h, f->summary, FF_CAP_EVIDENCE_TEXT);
}

/* All notes of one cause: one is told, the others can be opened. */
static void notes_of(ff_html *h, uint32_t first)
{
    const ff_finding *f = &h->r->findings[first];
    uint32_t n = 0;
    for (uint32_t i = first; i < h->r->n_findings; i++)
        n += is_note(&h->r->findings[i]) && h->r->findings[i].cause == f->cause;
    ff_html_raw(h, "<li><b>");
    ff_html_sentence(h, ff_view_cause_title(h->r, f->cause), FF_HTML_CONTEXT);
    ff_html_raw(h, "</b>: ");
    note_line(h, f);
    if (n > 1) {
        ff_html_raw(h, "<details><summary>");
        ff_say_count(h->out, n - 1);
        ff_html_raw(h, " more</summary><ul>\n");
        for (uint32_t i = first + 1, shown = 0; i < h->r->n_findings && shown < FF_HTML_GROUP; i++) {
            if (!is_note(&h->r->findings[i]) || h->r->findings[i].cause != f->cause)
                continue;
            ff_html_raw(h, "<li>");
            note_line(h, &h->r->findings[i]);
            ff_html_raw(h, "</li>\n");
            shown++;
        }
        ff_html_raw(h, "</ul>\n");
        ff_html_more(h, FF_HTML_GROUP, n - 1, "such notes");
        ff_html_raw(h, "</details>\n");
    }
    ff_html_raw(h, "</li>\n");
}

void ff_html_notes(ff_html *h)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < h->r->n_findings && n < FF_HTML_GROUP; i++) {
        if (!is_note(&h->r->findings[i]) || noted_before(h, i))
            continue;
        if (n++ == 0) {
            ff_html_open(h, "notes", "Side notes");
            ff_html_raw(h, "<p class=\"note\">Odd, worth knowing, and not what broke this job.</p>\n<ul>\n");
        }
        notes_of(h, i);
    }
    if (!n)
        return;
    ff_html_raw(h, "</ul>\n");
    ff_html_close(h);
}

void ff_html_contradictions(ff_html *h)
{
    const ff_report *r = h->r;
    if (!r->n_contradictions)
        return;
    ff_html_open(h, "contradictions", "Contradictions in the evidence");
    ff_html_raw(h, "<p class=\"note\">Two claims that cannot both be true. Neither was dropped.</p>\n");
    for (uint32_t i = 0; i < r->n_contradictions && i < OTHERS; i++) {
        ff_html_raw(h, "<details><summary>");
        ff_html_cut(h, r->contradictions[i].text, FF_CAP_EVIDENCE_TEXT);
        ff_html_raw(h, "</summary>\n");
        ff_html_quote(h, r->contradictions[i].left, true);
        ff_html_quote(h, r->contradictions[i].right, true);
        ff_html_raw(h, "</details>\n");
    }
    ff_html_more(h, OTHERS, r->n_contradictions, "contradictions");
    ff_html_close(h);
}

static void facets(ff_html *h, const ff_finding *f)
{
    ff_html_raw(h, "<tr");
    if (h->home[f->id] == FF_HOME_TABLE)
        ff_html_f(h, " id=\"f%" PRIu32 "\"", f->id + 1);
    if (h->role[f->id])
        ff_html_raw(h, " data-role");
    ff_html_f(h, " data-severity=\"%s\" data-host=\"", ff_severity_name(f->severity));
    ff_html_text(h, ff_first_n(f->who.host, 80));
    ff_html_raw(h, "\" data-cause=\"");
    ff_html_text(h, ff_view_cause_id(h->r, f->cause));
    ff_html_raw(h, "\">");
}

static void finding_row(ff_html *h, const ff_finding *f, uint32_t quotes)
{
    facets(h, f);
    ff_html_raw(h, "<th scope=\"row\">");
    if (h->home[f->id] == FF_HOME_TABLE)
        ff_html_permanent(h, f->id);
    else
        ff_html_link(h, f->id);
    if (h->role[f->id])
        ff_html_f(h, "<br><span class=\"dim\">%s</span>", ff_role_name((ff_role)(h->role[f->id] - 1)));
    ff_html_raw(h, "</th><td>");
    ff_html_severity(h, f->severity);
    ff_html_f(h, "<br><span class=\"dim\">%s</span></td><td class=\"when\">", ff_confidence_name(f->confidence));
    const ff_signal *s = ff_view_first_of(h->r, f);
    if (s)
        ff_html_when(h, s);
    ff_html_raw(h, "</td><td>");
    ff_html_who(h, &f->who);
    if (f->n_ranks > 1) {
        ff_html_raw(h, "<br>ranks ");
        ff_say_ranks(h->out, f->ranks, f->n_ranks);
    }
    ff_html_raw(h, "</td><td class=\"text\"><b>");
    ff_html_sentence(h, ff_view_headline(h->r, f), FF_HTML_CONTEXT);
    ff_html_raw(h, "</b> <code class=\"dim\">");
    ff_html_text(h, ff_view_cause_id(h->r, f->cause));
    ff_html_raw(h, "</code><br>");
    if (!ff_equal(f->summary, ff_view_headline(h->r, f)))
        ff_html_sentence(h, f->summary, FF_HTML_CONTEXT);
    if (h->home[f->id] == FF_HOME_TABLE)
        ff_html_evidence(h, f, quotes);
    ff_html_raw(h, "</td><td class=\"num\">");
    ff_say_count(h->out, f->count);
    ff_html_raw(h, "</td></tr>\n");
}

/* ---- findings beyond the table ---- */
static void say_text(ff_text *t, ff_bytes text, size_t most)
{
    ff_text_add(t, ff_first_n(text, most));
    if (text.n > most)
        ff_text_adds(t, "\xE2\x80\xA6");
}

static void data_row(ff_html_data *d, const ff_finding *f)
{
    const ff_report *r = d->h->r;
    const ff_signal *s = ff_view_first_of(r, f);
    ff_text *t = &d->cell;
    ff_text_addf(t, "F%" PRIu32, f->id + 1);
    ff_html_data_cell(d);
    ff_text_addf(t, "%s, %s", ff_severity_name(f->severity), ff_confidence_name(f->confidence));
    ff_html_data_cell(d);
    if (s && !ff_say_offset(t, d->h, s))
        ff_text_adds(t, "no time");
    ff_html_data_cell(d);
    ff_say_who(t, &f->who);
    ff_html_data_cell(d);
    say_text(t, f->summary, 160);
    if (s) {
        ff_text_adds(t, " (");
        ff_say_place(t, r, s->at);
        ff_text_addc(t, ')');
    }
    ff_html_data_cell(d);
    ff_say_count(t, f->count);
    ff_html_data_cell(d);
    ff_json_str(&d->j, NULL, ff_severity_name(f->severity));
    ff_json_bytes(&d->j, NULL, ff_first_n(f->who.host, 80));
    ff_json_bytes(&d->j, NULL, ff_view_cause_id(r, f->cause));
    ff_html_data_row_end(d);
}

static void data_rows(ff_html_data *d)
{
    const ff_report *r = d->h->r;
    uint32_t skip = d->h->n_rows;
    for (int severity = FF_SEV_CRITICAL; severity >= FF_SEV_NOTE; severity--) {
        for (uint32_t i = 0; i < r->n_findings; i++) {
            if ((int)r->findings[i].severity != severity)
                continue;
            if (skip) {
                skip--;
                continue;
            }
            if (!ff_html_data_row(d))
                return;
            data_row(d, &r->findings[i]);
        }
    }
}

static void further(ff_html *h)
{
    static const char *const facets[] = { "severity", "host", "cause" };
    if (h->n_rows >= h->r->n_findings)
        return;
    size_t used = h->written + h->out->n, room = used < FF_HTML_PAGE ? FF_HTML_PAGE - used : 0;
    ff_html_data d;
    ff_html_data_open(&d, h, room < FF_HTML_DATA_BYTES ? room : FF_HTML_DATA_BYTES, facets, FF_COUNT(facets));
    data_rows(&d);
    ff_html_more(h, h->n_rows + d.n, h->r->n_findings, "findings");
    ff_html_data_close(&d, "findings-table", "findings");
}

void ff_html_findings(ff_html *h)
{
    static const char *const heads[] = { "No.", "Severity", "When", "Who", "What", "#Seen" };
    if (!h->r->n_findings)
        return;
    ff_html_open(h, "findings", "All findings");
    ff_html_filter(h, "findings-table", "severity host cause", "host, rank, word");
    if (h->n_rows > 40)
        ff_html_raw(h, "<p class=\"note paper\">On paper: the findings of this incident and the 40 worst.</p>\n");
    ff_html_table(h, "findings-table", "Findings, worst first", heads, FF_COUNT(heads));
    for (uint32_t i = 0; i < h->n_rows; i++)
        finding_row(h, &h->r->findings[h->rows[i]], i < FF_HTML_ROWS_WHOLE ? FF_HTML_QUOTES : 1);
    ff_html_table_end(h);
    further(h);
    ff_html_close(h);
}
