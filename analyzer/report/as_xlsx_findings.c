/* Sheets about what was found: incidents, findings, their evidence, the time line. */
#include "as_xlsx_private.h"

#include <inttypes.h>
#include <stdio.h>

static void finding_name(uint32_t id, char out[16]) { (void)snprintf(out, 16, "F%" PRIu32, id + 1); }

/* A finding stands in the row after its number, as the head is row 1; beyond the sheet there is no row. */
static uint32_t finding_row(const ff_book *b, uint32_t id) { return id + 2 < b->rows ? id + 2 : 0; }

static void finding_link(ff_sheet *s, uint16_t column, uint32_t id)
{
    char name[16];
    if (id >= s->book->h.r->n_findings)
        return;
    finding_name(id, name);
    ff_cell_link(s, column, "Findings", finding_row(s->book, id), name);
}

static void rulings(ff_sheet *s, uint16_t column, const ff_ruling *list, uint32_t n)
{
    ff_text *t = &s->book->text;
    t->n = 0;
    for (uint32_t i = 0; i < n; i++) {
        ff_text_adds(t, i ? "; " : "");
        for (uint32_t k = 0; k < list[i].n_causes; k++) {
            ff_text_adds(t, k ? ", " : "");
            ff_text_add(t, ff_view_cause_id(s->book->h.r, list[i].causes[k]));
        }
        ff_text_adds(t, ": ");
        ff_text_add(t, list[i].text);
    }
    if (n)
        ff_cell_text(s, column, ff_text_view(t));
}

static void incident_row(ff_sheet *s, const ff_incident *in)
{
    const ff_report *r = s->book->h.r;
    const ff_finding *root = ff_view_finding(r, in->root);
    const ff_cause *c = ff_html_cause(&s->book->h, root ? root->cause : FF_NONE);
    char id[16];
    (void)snprintf(id, sizeof id, "I%" PRIu32, in->id + 1);
    ff_cell_str(s, 0, id);
    ff_cell_text(s, 1, c->id);
    ff_cell_text(s, 2, c->title);
    ff_cell_text(s, 3, c->fault_class);
    ff_cell_str(s, 4, ff_confidence_name(in->confidence));
    ff_cell_text(s, 5, in->confidence_why);
    ff_cell_when(s, 6, in->has_time, in->began_utc, (ff_stamp){ 0 });
    if (in->has_time) {
        ff_cell_seconds(s, 7, in->err_ns);
        ff_cell_when(s, 8, true, in->ended_utc, (ff_stamp){ 0 });
    }
    finding_link(s, 9, in->root);
    ff_cell_count(s, 10, in->n_chain);
    ff_cell_list(s, 11, in->suspects.hosts, in->suspects.n_hosts);
    ff_cell_ranks(s, 12, in->suspects.ranks, in->suspects.n_ranks);
    ff_cell_list(s, 13, in->suspects.gpus, in->suspects.n_gpus);
    ff_cell_list(s, 14, in->suspects.pods, in->suspects.n_pods);
    ff_cell_list(s, 15, in->suspects.processes, in->suspects.n_processes);
    rulings(s, 16, in->ruled_out, in->n_ruled_out);
    rulings(s, 17, in->not_ruled_out, in->n_not_ruled_out);
    ff_cell_list(s, 18, c->act, c->n_act);
}

void ff_xlsx_incidents(ff_book *b, lxw_worksheet *sheet)
{
    static const ff_column columns[] = {
        { "Incident", 9 },     { "Cause", 22 },         { "Title", 32 },        { "Fault class", 11 },
        { "Confidence", 11 },  { "Why", 40 },           { "Began (UTC)", 24 },  { "+- s", 8 },
        { "Ended (UTC)", 24 }, { "Root", 8 },           { "Steps", 7 },         { "Hosts", 20 },
        { "Ranks", 12 },       { "GPUs", 18 },          { "Pods", 24 },         { "Processes", 20 },
        { "Ruled out", 50 },   { "Not ruled out", 50 }, { "Repair order", 60 },
    };
    ff_sheet s = ff_sheet_open(b, sheet, columns, FF_COUNT(columns));
    for (uint32_t i = 0; i < b->h.r->n_incidents; i++)
        if (ff_sheet_next(&s))
            incident_row(&s, &b->h.r->incidents[i]);
    ff_sheet_close(&s);
}

static void finding_cells(ff_sheet *s, const ff_finding *f)
{
    ff_book *b = s->book;
    char name[16], lines[32];
    finding_name(f->id, name);
    ff_cell_str(s, 0, name);
    ff_cell_str(s, 1, ff_severity_name(f->severity));
    ff_cell_str(s, 2, ff_confidence_name(f->confidence));
    ff_cell_text(s, 3, ff_view_cause_id(b->h.r, f->cause));
    ff_cell_text(s, 4, f->summary);
    ff_cell_str(s, 5, b->h.role[f->id] ? ff_role_name((ff_role)(b->h.role[f->id] - 1)) : NULL);
    const ff_signal *first = ff_view_first_of(b->h.r, f);
    if (first) {
        ff_cell_when(s, 6, first->has_utc, first->utc, first->said);
        ff_cell_offset(s, 7, first);
        if (first->has_utc)
            ff_cell_seconds(s, 8, first->utc_err);
    }
    ff_cell_text(s, 9, f->who.host);
    if (f->n_ranks)
        ff_cell_ranks(s, 10, f->ranks, f->n_ranks);
    else
        ff_cell_number(s, 10, f->who.rank);
    ff_cell_text(s, 11, f->who.gpu);
    ff_cell_text(s, 12, f->who.pod);
    ff_cell_number(s, 13, f->who.pid);
    ff_cell_count(s, 14, f->count);
    (void)snprintf(lines, sizeof lines, "%" PRIu32 "%s", f->n_evidence, f->n_evidence == 1 ? " line" : " lines");
    ff_cell_link(s, 15, "Evidence", b->evidence_row[f->id], lines);
    ff_cell_text(s, 16, f->rule);
    ff_cell_text(s, 17, f->confidence_why);
}

void ff_xlsx_findings(ff_book *b, lxw_worksheet *sheet)
{
    static const ff_column columns[] = {
        { "Finding", 9 },      { "Severity", 10 }, { "Confidence", 11 },
        { "Cause", 24 },       { "Summary", 70 },  { "Role", 12 },
        { "First (UTC)", 24 }, { "T+ s", 11 },     { "+- s", 8 },
        { "Host", 16 },        { "Ranks", 10 },    { "GPU", 14 },
        { "Pod", 24 },         { "PID", 9 },       { "Seen", 7 },
        { "Evidence", 11 },    { "Rule", 30 },     { "Why this confidence", 50 },
    };
    ff_sheet s = ff_sheet_open(b, sheet, columns, FF_COUNT(columns));
    for (uint32_t i = 0; i < b->h.r->n_findings; i++)
        if (ff_sheet_next(&s))
            finding_cells(&s, &b->h.r->findings[i]);
    ff_sheet_colour(&s, 1);
    ff_sheet_close(&s);
}

static void signal_cells(ff_sheet *s, const ff_signal *g)
{
    ff_cell_when(s, 1, g->has_utc, g->utc, g->said);
    ff_cell_offset(s, 2, g);
    ff_cell_text(s, 3, ff_view_no_path(ff_view_member_name(s->book->h.r, g->at.member)));
    ff_cell_count(s, 4, g->at.line);
    ff_cell_count(s, 5, g->at.offset);
    ff_cell_said(s, 6, ff_say_who, &g->who);
    ff_cell_text(s, 7, ff_first_n(g->quote, FF_CAP_EVIDENCE_TEXT));
    ff_text *t = &s->book->text;
    t->n = 0;
    for (uint32_t i = 0; i < g->n_fields && t->n <= FF_XLSX_CELL; i++) {
        ff_text_adds(t, i ? ", " : "");
        ff_text_add(t, g->fields[i].name);
        ff_text_addc(t, '=');
        ff_view_add_value(t, &g->fields[i]);
    }
    if (g->n_fields)
        ff_cell_text(s, 8, ff_text_view(t));
    ff_cell_count(s, 9, g->count);
}

/* Rows are given out before the Findings sheet links to them; both walk the findings in the same way. */
void ff_xlsx_evidence(ff_book *b, lxw_worksheet *sheet)
{
    static const ff_column columns[] = {
        { "Finding", 9 }, { "Time (UTC)", 24 }, { "T+ s", 11 },  { "File", 40 },         { "Line", 9 },
        { "Offset", 12 }, { "Who", 40 },        { "Text", 100 }, { "Read from it", 50 }, { "Lines", 7 },
    };
    ff_sheet s = ff_sheet_open(b, sheet, columns, FF_COUNT(columns));
    for (uint32_t i = 0; i < b->h.r->n_findings; i++) {
        const ff_finding *f = &b->h.r->findings[i];
        for (uint32_t k = 0; k < f->n_evidence; k++) {
            const ff_signal *g = ff_view_signal(b->h.r, f->evidence[k]);
            if (!g || !ff_sheet_next(&s))
                continue;
            finding_link(&s, 0, i);
            signal_cells(&s, g);
        }
    }
    ff_sheet_close(&s);
}

/* A number for each host and source, for the chart: a scatter chart has no names on its axis. */
#define LANES 64u
typedef struct lane_list {
    ff_bytes host[LANES];
    uint32_t stream[LANES], n;
} lane_list;

static uint32_t lane_of(lane_list *l, const ff_signal *g)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (l->stream[i] == g->stream && ff_equal(l->host[i], g->who.host))
            return i + 1;
    if (l->n == LANES)
        return LANES + 1;
    l->host[l->n] = g->who.host;
    l->stream[l->n] = g->stream;
    return ++l->n;
}

void ff_xlsx_timeline(ff_book *b, lxw_worksheet *sheet)
{
    static const ff_column columns[] = {
        { "No.", 6 },     { "T+ s", 11 }, { "+- s", 8 },    { "Time (UTC)", 24 }, { "Host", 16 },
        { "Source", 12 }, { "What", 70 }, { "Finding", 9 }, { "Role", 12 },       { "Lines", 7 },
        { "Where", 40 },  { "Text", 90 }, { "Lane", 6 },
    };
    const ff_report *r = b->h.r;
    ff_sheet s = ff_sheet_open(b, sheet, columns, FF_COUNT(columns));
    lane_list lanes = { .n = 0 };
    for (uint32_t i = 0; i < r->n_timeline; i++) {
        const ff_moment *m = &r->timeline[i];
        const ff_signal *g = ff_view_signal(r, m->signal);
        if (!g || !ff_sheet_next(&s))
            continue;
        ff_cell_count(&s, 0, i + 1);
        ff_cell_offset(&s, 1, g);
        if (g->has_utc)
            ff_cell_seconds(&s, 2, g->utc_err);
        ff_cell_when(&s, 3, g->has_utc, g->utc, g->said);
        ff_cell_text(&s, 4, g->who.host);
        b->text.n = 0;
        ff_view_add_streams(&b->text, g->stream);
        ff_cell_text(&s, 5, ff_text_view(&b->text));
        ff_cell_text(&s, 6, m->text);
        finding_link(&s, 7, m->finding);
        if (m->finding < r->n_findings && b->h.role[m->finding])
            ff_cell_str(&s, 8, ff_role_name((ff_role)(b->h.role[m->finding] - 1)));
        ff_cell_count(&s, 9, g->count);
        ff_cell_place(&s, 10, g->at);
        ff_cell_text(&s, 11, ff_first_n(g->quote, FF_CAP_EVIDENCE_TEXT));
        ff_cell_count(&s, 12, lane_of(&lanes, g));
    }
    b->moments = s.row;
    ff_sheet_close(&s);
}
