/* The workbook: the report as sheets that can be filtered and sorted. Rows go out as they are written, so memory does
 * not grow with the report. The library's temporary files go where the workbook goes: there is room for it there. */
#include "as_xlsx_private.h"

#include "../base/digest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NO_DATE                                                                                                      \
    315532800 /* 1980-01-01: the file must not tell when it was written, so it says the earliest zip date */

static void line(ff_sheet *s, const char *name, ff_bytes value)
{
    if (ff_is_empty(value) || !ff_sheet_next(s))
        return;
    (void)worksheet_write_string(s->sheet, s->row, 0, name, s->book->head);
    ff_cell_text(s, 1, value);
}

static void lines(ff_sheet *s, const char *name, const ff_bytes *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        line(s, name, values[i]);
}

static void time_line(ff_sheet *s, const char *name, int64_t ns)
{
    if (!ff_sheet_next(s))
        return;
    (void)worksheet_write_string(s->sheet, s->row, 0, name, s->book->head);
    ff_cell_when(s, 1, true, ns, (ff_stamp){ 0 });
}

static void incident_lines(ff_sheet *s, const ff_incident *in)
{
    ff_text *t = &s->book->text;
    if (in->has_time) {
        time_line(s, "Began (UTC)", in->began_utc);
        t->n = 0;
        ff_text_add_span(t, in->err_ns);
        line(s, "Began, give or take", ff_text_view(t));
        time_line(s, "Ended (UTC)", in->ended_utc);
    }
    lines(s, "Suspect host", in->suspects.hosts, in->suspects.n_hosts);
    if (in->suspects.n_ranks) {
        t->n = 0;
        ff_say_ranks(t, in->suspects.ranks, in->suspects.n_ranks);
        line(s, "Suspect ranks", ff_text_view(t));
    }
    lines(s, "Suspect GPU", in->suspects.gpus, in->suspects.n_gpus);
    lines(s, "Suspect pod", in->suspects.pods, in->suspects.n_pods);
    lines(s, "Suspect process", in->suspects.processes, in->suspects.n_processes);
}

static void first_evidence(ff_sheet *s)
{
    const ff_signal *g = ff_view_first_evidence(s->book->h.r);
    ff_text *t = &s->book->text;
    if (!g)
        return;
    t->n = 0;
    ff_say_place(t, s->book->h.r, g->at);
    line(s, "First evidence", ff_text_view(t));
    line(s, "It says", ff_first_n(g->quote, FF_CAP_EVIDENCE_TEXT));
}

static void next_steps(ff_sheet *s, const ff_cause *c)
{
    lines(s, "Repair, in this order", c->act, c->n_act);
    lines(s, "Proof that it is repaired", c->verify, c->n_verify);
    lines(s, "Do not", c->avoid, c->n_avoid);
    lines(s, "Save", c->save, c->n_save);
    line(s, "Restart at least", c->recovery);
}

static void origin(ff_sheet *s)
{
    const ff_report *r = s->book->h.r;
    ff_text *t = &s->book->text;
    char hex[65];
    for (uint32_t i = 0; i < r->evidence->n_inputs; i++) {
        t->n = 0;
        ff_hex(r->evidence->inputs[i].sha256, 32, hex);
        ff_text_add(t, ff_view_no_path(r->evidence->inputs[i].name));
        ff_text_addf(t, ", %" PRIu32 " files, sha256 %s", r->evidence->inputs[i].members, hex);
        line(s, "Input", ff_text_view(t));
        lines(s, "Note on the input", r->evidence->inputs[i].notes, r->evidence->inputs[i].n_notes);
    }
    for (uint32_t i = 0; i < r->evidence->n_limits; i++) {
        const ff_limit *l = &r->evidence->limits[i];
        t->n = 0;
        ff_text_addf(t, "%s, %" PRIu64 " times ", l->cap, l->count);
        ff_text_add(t, ff_view_no_path(l->where));
        line(s, "Limit reached", ff_text_view(t));
    }
    for (uint32_t i = 0; i < r->rules->n_packs; i++) {
        t->n = 0;
        ff_text_add(t, ff_view_no_path(r->rules->packs[i].name));
        ff_text_addc(t, ' ');
        ff_text_add(t, r->rules->packs[i].version);
        line(s, "Rules", ff_text_view(t));
    }
    line(s, "Made by", FF_LIT("firstfault " FF_VERSION));
}

/* Moments by seconds since T+0 and by lane; the Timeline sheet says which lane is which host and source. */
static void time_chart(ff_book *b, lxw_worksheet *sheet)
{
    lxw_row_t last = b->moments < 30000 ? b->moments : 30000;
    lxw_chart *chart = b->moments ? workbook_add_chart(b->workbook, LXW_CHART_SCATTER) : NULL;
    if (!chart)
        return;
    lxw_chart_series *series = chart_add_series(chart, NULL, NULL);
    chart_series_set_categories(series, "Timeline", 1, 1, last, 1);
    chart_series_set_values(series, "Timeline", 1, 12, last, 12);
    chart_series_set_name(series, "moments");
    chart_title_set_name(chart, "Time line: seconds since T+0, by lane");
    chart_axis_set_name(chart->x_axis, "T+ s");
    chart_axis_set_name(chart->y_axis, "Lane (see Timeline)");
    chart_legend_set_position(chart, LXW_CHART_LEGEND_NONE);
    lxw_chart_options place = { .x_scale = 1.6, .y_scale = 1.2 };
    (void)worksheet_insert_chart_opt(sheet, 1, 3, chart, &place);
}

void ff_xlsx_summary(ff_book *b, lxw_worksheet *sheet)
{
    static const ff_column columns[] = { { "What", 26 }, { "Report", 100 } };
    const ff_verdict *v = &b->h.r->verdict;
    const ff_cause *c = ff_html_cause(&b->h, v->cause);
    ff_sheet s = ff_sheet_open(b, sheet, columns, FF_COUNT(columns));
    line(&s, "Verdict", ff_is_empty(v->summary) ? c->title : v->summary);
    line(&s, "Cause", c->id);
    line(&s, "Cause in words", c->title);
    line(&s, "Confidence", ff_str(ff_confidence_name(v->confidence)));
    line(&s, "Why this confidence", v->confidence_why);
    line(&s, "Fault class", v->fault_class);
    if (b->h.main)
        incident_lines(&s, b->h.main);
    first_evidence(&s);
    lines(&s, "Could overturn this", v->ceiling, v->n_ceiling);
    next_steps(&s, c);
    origin(&s);
    time_chart(b, sheet);
    if (b->cut)
        line(&s, "Note",
             FF_LIT("Some cells or sheets are cut, as the format holds no more; report.json has everything."));
}

static lxw_format *format(ff_book *b, bool bold, const char *number)
{
    lxw_format *f = workbook_add_format(b->workbook);
    format_set_align(f, LXW_ALIGN_VERTICAL_TOP);
    if (bold)
        format_set_bold(f);
    if (number)
        format_set_num_format(f, number);
    return f;
}

static lxw_format *colour(ff_book *b, lxw_color_t ink, lxw_color_t paper)
{
    lxw_format *f = workbook_add_format(b->workbook);
    format_set_font_color(f, ink);
    format_set_bg_color(f, paper);
    return f;
}

static void add_formats(ff_book *b)
{
    b->head = format(b, true, NULL);
    b->plain = format(b, false, NULL);
    b->wrap = format(b, false, NULL);
    format_set_text_wrap(b->wrap);
    b->when = format(b, false, "yyyy-mm-dd hh:mm:ss.000");
    format_set_align(b->when, LXW_ALIGN_LEFT);
    b->link = format(b, false, NULL);
    format_set_font_color(b->link, 0x00528A);
    format_set_underline(b->link, LXW_UNDERLINE_SINGLE);
    b->count = format(b, false, "#,##0");
    b->seconds = format(b, false, "0.000");
    b->note = format(b, true, NULL);
    b->gib = format(b, false, "#,##0.00");
    b->worst = colour(b, 0xFFFFFF, 0xB04400);
    b->bad = colour(b, 0x7A2F00, 0xFFE3CF);
    b->warn = colour(b, 0x5C4300, 0xFDF0C4);
    b->quiet = colour(b, 0x4F5864, 0xECEFF2);
}

static void number_evidence(ff_book *b)
{
    const ff_report *r = b->h.r;
    uint32_t row = 2;
    b->evidence_row = FF_NEW_N(&b->h.arena, uint32_t, r->n_findings + 1);
    for (uint32_t i = 0; i < r->n_findings; i++) {
        uint32_t n = 0;
        for (uint32_t k = 0; k < r->findings[i].n_evidence; k++)
            n += ff_view_signal(r, r->findings[i].evidence[k]) != NULL;
        b->evidence_row[i] = n && row < b->rows ? row : 0;
        row += n;
    }
}

/* The summary says whether anything was cut, so it is the last to be written, though the first to be seen. */
static bool write_sheets(ff_book *b)
{
    static const struct {
        const char *name;
        void (*write)(ff_book *, lxw_worksheet *);
    } all[] = { { "Summary", ff_xlsx_summary },
                { "Incidents", ff_xlsx_incidents },
                { "Findings", ff_xlsx_findings },
                { "Timeline", ff_xlsx_timeline },
                { "Ranks", ff_xlsx_ranks },
                { "Collectives", ff_xlsx_collectives },
                { "Operations", ff_xlsx_operations },
                { "GPUs", ff_xlsx_gpus },
                { "Memory", ff_xlsx_memory },
                { "Hosts", ff_xlsx_hosts },
                { "Network", ff_xlsx_network },
                { "Bandwidth", ff_xlsx_bandwidth },
                { "Environment", ff_xlsx_environment },
                { "Fingerprint", ff_xlsx_fingerprint },
                { "Coverage", ff_xlsx_coverage },
                { "Evidence", ff_xlsx_evidence } };
    lxw_worksheet *sheets[FF_COUNT(all)];
    for (size_t i = 0; i < FF_COUNT(all); i++) {
        sheets[i] = workbook_add_worksheet(b->workbook, all[i].name);
        if (!sheets[i])
            return false;
    }
    for (size_t i = FF_COUNT(all); i > 0; i--)
        all[i - 1].write(b, sheets[i - 1]);
    return true;
}

static ff_status write_book(ff_book *b, const char *path, ff_error *error)
{
    lxw_doc_properties properties = { .title = ff_arena_str(&b->h.arena, FF_LIT("firstfault incident report")),
                                      .created = NO_DATE };
    add_formats(b);
    number_evidence(b);
    (void)workbook_set_properties(b->workbook, &properties);
    if (!write_sheets(b)) {
        lxw_workbook_free(b->workbook);
        return ff_fail(error, "cannot write the workbook %s: no temporary file beside it", path);
    }
    lxw_error code = workbook_close(b->workbook);
    if (code != LXW_NO_ERROR)
        return ff_fail(error, "cannot write the workbook %s: %s", path, lxw_strerror(code));
    return FF_OK;
}

/* The library complains on the terminal when it cannot open the file, so that is found out before. */
static ff_status try_path(const char *path, ff_error *error)
{
    FILE *f = fopen(path, "ab");
    if (!f)
        return ff_fail(error, "cannot write the workbook %s: %s", path, strerror(errno));
    (void)fclose(f);
    return FF_OK;
}

static char *folder_of(const char *path, ff_arena *arena)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return ff_arena_str(arena, FF_LIT("."));
    return ff_arena_str(arena, (ff_bytes){ path, slash == path ? 1 : (size_t)(slash - path) });
}

ff_status ff_write_xlsx_rows(const ff_report *r, const char *path, uint32_t rows, ff_error *error)
{
    if (try_path(path, error) != FF_OK)
        return FF_FATAL;
    ff_book b = { .h = { .r = r, .main = ff_view_incident(r) }, .rows = rows };
    ff_arena_init(&b.h.arena);
    ff_html_find_starts(&b.h);
    ff_html_find_roles(&b.h);
    lxw_workbook_options options = { .constant_memory = LXW_TRUE,
                                     .tmpdir = folder_of(path, &b.h.arena),
                                     .use_zip64 = LXW_TRUE };
    b.workbook = workbook_new_opt(path, &options);
    ff_status status = b.workbook ? write_book(&b, path, error) : ff_fail(error, "cannot make the workbook %s", path);
    ff_text_done(&b.text);
    ff_text_done(&b.clean);
    ff_text_done(&b.cell);
    ff_arena_done(&b.h.arena);
    return status;
}

ff_status ff_write_xlsx(const ff_report *r, const char *path, ff_error *error)
{
    return ff_write_xlsx_rows(r, path, FF_XLSX_ROWS, error);
}
