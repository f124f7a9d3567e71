/* Sheets about what was looked at: hosts, coverage, environment. */
#include "as_xlsx_private.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct host_row {
    ff_bytes name;
    uint32_t files, unread, findings;
    uint64_t bytes, signals;
    uint32_t streams;
    int worst; /* severity, -1 none */
    bool root, has_utc;
    int64_t from, to;
} host_row;

typedef struct host_table {
    host_row *at;
    uint32_t n;
} host_table;

static int by_name(const void *left, const void *right)
{
    const host_row *a = left, *b = right;
    return ff_compare(a->name, b->name);
}

static host_row *find_host(const host_table *t, ff_bytes name)
{
    host_row key = { .name = name };
    return t->n ? bsearch(&key, t->at, t->n, sizeof key, by_name) : NULL;
}

static host_table list_hosts(ff_book *b)
{
    const ff_report *r = b->h.r;
    uint32_t all = r->evidence->n_members + r->n_findings;
    host_table t = { FF_NEW_N(&b->h.arena, host_row, all + 1), 0 };
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->evidence->n_members; i++)
        if (!ff_is_empty(r->evidence->members[i].who.host))
            t.at[n++] = (host_row){ .name = r->evidence->members[i].who.host, .worst = -1 };
    for (uint32_t i = 0; i < r->n_findings; i++)
        if (!ff_is_empty(r->findings[i].who.host))
            t.at[n++] = (host_row){ .name = r->findings[i].who.host, .worst = -1 };
    qsort(t.at, n, sizeof *t.at, by_name);
    for (uint32_t i = 0; i < n; i++)
        if (!t.n || !ff_equal(t.at[t.n - 1].name, t.at[i].name))
            t.at[t.n++] = t.at[i];
    return t;
}

static void add_member(host_row *row, const ff_member *m)
{
    if (m->unread || !m->parser) {
        row->unread++;
        return;
    }
    row->files++;
    row->bytes += m->bytes;
    row->signals += m->signals;
    if (m->streams != FF_STREAM_ANY)
        row->streams |= m->streams;
    if (!m->has_utc)
        return;
    row->from = row->has_utc && row->from < m->first_utc ? row->from : m->first_utc;
    row->to = row->has_utc && row->to > m->last_utc ? row->to : m->last_utc;
    row->has_utc = true;
}

static void count_hosts(ff_book *b, host_table *t)
{
    const ff_report *r = b->h.r;
    for (uint32_t i = 0; i < r->evidence->n_members; i++) {
        host_row *row = find_host(t, r->evidence->members[i].who.host);
        if (row)
            add_member(row, &r->evidence->members[i]);
    }
    for (uint32_t i = 0; i < r->n_findings; i++) {
        host_row *row = find_host(t, r->findings[i].who.host);
        if (!row)
            continue;
        row->findings++;
        row->root = row->root || b->h.role[i] == FF_ROLE_ROOT + 1;
        if ((int)r->findings[i].severity > row->worst)
            row->worst = (int)r->findings[i].severity;
    }
}

static void streams_cell(ff_sheet *s, uint16_t column, uint32_t mask)
{
    s->book->text.n = 0;
    ff_view_add_streams(&s->book->text, mask);
    if (mask)
        ff_cell_text(s, column, ff_text_view(&s->book->text));
}

void ff_xlsx_hosts(ff_book *b, lxw_worksheet *sheet)
{
    static const ff_column columns[] = {
        { "Host", 20 },        { "Worst finding", 13 },  { "Findings", 9 },          { "Holds the root", 13 },
        { "Files read", 10 },  { "Files not read", 13 }, { "Bytes read", 14 },       { "Signals", 9 },
        { "First (UTC)", 24 }, { "Last (UTC)", 24 },     { "Evidence of kind", 40 }, { "No evidence of kind", 40 },
    };
    ff_sheet s = ff_sheet_open(b, sheet, columns, FF_COUNT(columns));
    host_table t = list_hosts(b);
    count_hosts(b, &t);
    for (uint32_t i = 0; i < t.n; i++) {
        const host_row *row = &t.at[i];
        if (!ff_sheet_next(&s))
            continue;
        ff_cell_text(&s, 0, row->name);
        if (row->worst >= 0)
            ff_cell_str(&s, 1, ff_severity_name((ff_severity)row->worst));
        ff_cell_count(&s, 2, row->findings);
        ff_cell_str(&s, 3, row->root ? "yes" : NULL);
        ff_cell_count(&s, 4, row->files);
        ff_cell_count(&s, 5, row->unread);
        ff_cell_count(&s, 6, row->bytes);
        ff_cell_count(&s, 7, row->signals);
        ff_cell_when(&s, 8, row->has_utc, row->from, (ff_stamp){ 0 });
        ff_cell_when(&s, 9, row->has_utc, row->to, (ff_stamp){ 0 });
        streams_cell(&s, 10, row->streams);
        streams_cell(&s, 11, FF_STREAM_ANY & ~row->streams);
    }
    ff_sheet_colour(&s, 1);
    ff_sheet_close(&s);
}

static void skips_cell(ff_sheet *s, uint16_t column, const ff_member *m)
{
    ff_text *t = &s->book->text;
    t->n = 0;
    for (uint32_t i = 0; i < m->n_skips && i < FF_SKIP_KINDS; i++)
        ff_text_addf(t, "%s%" PRIu32 " %s (from line %" PRIu32 ")", i ? "; " : "", m->skips[i].count,
                     m->skips[i].reason, m->skips[i].first_line);
    if (m->n_skips)
        ff_cell_text(s, column, ff_text_view(t));
}

void ff_xlsx_coverage(ff_book *b, lxw_worksheet *sheet)
{
    static const ff_column columns[] = {
        { "File", 50 },
        { "Host", 16 },
        { "Read as", 14 },
        { "Not read because", 24 },
        { "Bytes", 14 },
        { "Lines", 12 },
        { "Events", 10 },
        { "Signals", 9 },
        { "First (UTC)", 24 },
        { "Last (UTC)", 24 },
        { "Longest silence s", 16 },
        { "End is missing", 13 },
        { "Skipped", 50 },
        { "Evidence of kind", 30 },
    };
    const ff_evidence *e = b->h.r->evidence;
    ff_sheet s = ff_sheet_open(b, sheet, columns, FF_COUNT(columns));
    for (uint32_t i = 0; i < e->n_members; i++) {
        const ff_member *m = &e->members[i];
        if (!ff_sheet_next(&s))
            continue;
        ff_cell_text(&s, 0, ff_view_no_path(m->name));
        ff_cell_text(&s, 1, m->who.host);
        ff_cell_str(&s, 2, m->parser);
        ff_cell_str(&s, 3, m->unread);
        ff_cell_count(&s, 4, m->bytes);
        ff_cell_count(&s, 5, m->lines);
        ff_cell_count(&s, 6, m->events);
        ff_cell_count(&s, 7, m->signals);
        ff_cell_when(&s, 8, m->has_utc, m->first_utc, m->first_said);
        ff_cell_when(&s, 9, m->has_utc, m->last_utc, m->last_said);
        if (m->gap_ns > 0)
            ff_cell_seconds(&s, 10, m->gap_ns);
        ff_cell_str(&s, 11, m->truncated ? "yes" : NULL);
        skips_cell(&s, 12, m);
        streams_cell(&s, 13, m->streams);
    }
    ff_sheet_close(&s);
}

static void settings(ff_sheet *s, const char *kind, const ff_setting *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!ff_sheet_next(s))
            continue;
        ff_cell_str(s, 0, kind);
        ff_cell_text(s, 1, list[i].name);
        ff_cell_text(s, 2, list[i].value);
        ff_cell_text(s, 3, list[i].host);
        ff_cell_number(s, 4, list[i].rank);
        ff_cell_str(s, 5, list[i].differs ? "differs" : NULL);
        const ff_signal *g = ff_view_signal(s->book->h.r, list[i].signal);
        if (g)
            ff_cell_place(s, 6, g->at);
    }
}

void ff_xlsx_environment(ff_book *b, lxw_worksheet *sheet)
{
    static const ff_column columns[] = {
        { "Kind", 10 },
        { "Name", 34 },
        { "Value", 50 },
        { "Host", 16 },
        { "Rank", 7 },
        { "Differs", 10 },
        { "Where it says so", 50 },
    };
    ff_sheet s = ff_sheet_open(b, sheet, columns, FF_COUNT(columns));
    settings(&s, "version", b->h.r->versions, b->h.r->n_versions);
    settings(&s, "variable", b->h.r->variables, b->h.r->n_variables);
    ff_sheet_close(&s);
}
