/* Findings as a table for other programs: RFC 4180 with CRLF, one row a finding. Spreadsheets open such files and run
 * what begins like a formula, so those cells get an apostrophe in front. */
#include "html_private.h"

#include <inttypes.h>
#include <stdio.h>

static void cell(ff_text *out, ff_bytes text)
{
    ff_text clean;
    ff_text_init(&clean, 0);
    ff_text_add_clean(&clean, text);
    ff_bytes b = ff_text_view(&clean);
    ff_text_adds(out, out->n && out->p[out->n - 1] != '\n' ? ",\"" : "\"");
    /* Spreadsheets look past blanks and tabs in front. */
    size_t first = 0;
    while (first < b.n && (b.p[first] == ' ' || b.p[first] == '\t'))
        first++;
    if (first < b.n && (b.p[first] == '=' || b.p[first] == '+' || b.p[first] == '-' || b.p[first] == '@'))
        ff_text_addc(out, '\'');
    for (size_t i = 0; i < b.n; i++) {
        if (b.p[i] == '"')
            ff_text_addc(out, '"');
        ff_text_addc(out, b.p[i]);
    }
    ff_text_addc(out, '"');
    ff_text_done(&clean);
}

static void str(ff_text *out, const char *ours) { cell(out, ff_str(ours)); }

static void number(ff_text *out, bool known, int64_t n)
{
    ff_text_addc(out, ',');
    if (known)
        ff_text_addf(out, "%" PRId64, n);
}

static void utc(ff_text *out, bool known, int64_t ns)
{
    ff_text_addc(out, ',');
    if (known)
        ff_text_add_utc(out, ns);
}

static void said(ff_text *out, const ff_html *h, void (*say)(ff_text *, const ff_html *, const void *),
                 const void *of)
{
    ff_text t;
    ff_text_init(&t, 0);
    say(&t, h, of);
    cell(out, ff_text_view(&t));
    ff_text_done(&t);
}

static void say_ranks(ff_text *t, const ff_html *h, const void *of)
{
    const ff_finding *f = of;
    (void)h;
    if (f->n_ranks)
        ff_say_ranks(t, f->ranks, f->n_ranks);
    else if (f->who.rank != FF_NO_NUMBER)
        ff_text_addf(t, "%" PRId32, f->who.rank);
}

static void say_stamp(ff_text *t, const ff_html *h, const void *of)
{
    (void)h;
    if (((const ff_signal *)of)->said.kind != FF_STAMP_NONE)
        ff_say_stamp(t, ((const ff_signal *)of)->said);
}

static void row(ff_text *out, const ff_html *h, const ff_finding *f)
{
    static const ff_signal nothing = { .said = { .kind = FF_STAMP_NONE } };
    const ff_signal *s = ff_view_first_of(h->r, f);
    char id[16];
    (void)snprintf(id, sizeof id, "F%" PRIu32, f->id + 1);
    str(out, id);
    str(out, ff_severity_name(f->severity));
    str(out, ff_confidence_name(f->confidence));
    cell(out, ff_view_cause_id(h->r, f->cause));
    cell(out, ff_view_cause_title(h->r, f->cause));
    str(out, h->role[f->id] ? ff_role_name((ff_role)(h->role[f->id] - 1)) : "");
    cell(out, f->summary);
    utc(out, s && s->has_utc, s ? s->utc : 0);
    number(out, s && s->has_utc, s ? s->utc_err : 0);
    said(out, h, say_stamp, s ? s : &nothing);
    cell(out, f->who.host);
    said(out, h, say_ranks, f);
    cell(out, f->who.gpu);
    cell(out, f->who.pod);
    number(out, f->who.pid != FF_NO_NUMBER, f->who.pid);
    number(out, true, f->count);
    cell(out, f->rule);
    cell(out, s ? ff_view_no_path(ff_view_member_name(h->r, s->at.member)) : (ff_bytes){ 0 });
    number(out, s != NULL, s ? s->at.line : 0);
    number(out, s != NULL, s ? (int64_t)s->at.offset : 0);
    cell(out, s ? ff_first_n(s->quote, FF_CAP_EVIDENCE_TEXT) : (ff_bytes){ 0 });
    ff_text_adds(out, "\r\n");
}

void ff_write_csv(const ff_report *r, ff_text *out)
{
    ff_html h = { .r = r, .main = ff_view_incident(r) };
    ff_arena_init(&h.arena);
    ff_html_find_roles(&h);
    ff_text_adds(out, "finding,severity,confidence,cause,title,role,summary,first_utc,err_ns,said,host,ranks,gpu,pod,"
                      "pid,count,rule,member,line,offset,text\r\n");
    for (uint32_t i = 0; i < r->n_findings; i++)
        row(out, &h, &r->findings[i]);
    ff_arena_done(&h.arena);
}
