/* What was read, by which clock, and what was not. */
#include "json_private.h"

static void add_clock(ff_json *j, const ff_report *r, const ff_clock *c)
{
    ff_json_open(j, NULL, '{');
    ff_json_known(j, "host", c->host);
    ff_json_known(j, "boot", c->boot);
    ff_json_str(j, "kind", ff_view_stamp_kind(c->kind));
    ff_json_known(j, "member", c->member == FF_NONE ? (ff_bytes){ 0 } : ff_view_member_name(r, c->member));
    ff_json_bool(j, "anchored", c->anchored);
    if (c->anchored) {
        ff_json_big(j, "offset_ns", c->offset_ns);
        ff_json_big(j, "err_ns", c->err_ns);
    } else {
        ff_json_null(j, "offset_ns");
        ff_json_null(j, "err_ns");
    }
    ff_json_int(j, "anchors", c->n_anchors);
    ff_json_bytes(j, "why", c->why);
    ff_json_close(j, '}');
}

void ff_json_clocks(ff_json *j, const ff_report *r)
{
    ff_json_open(j, "clocks", '[');
    for (uint32_t i = 0; r->clocks && i < r->clocks->n; i++)
        add_clock(j, r, &r->clocks->at[i]);
    ff_json_close(j, ']');
}

static void add_streams(ff_json *j, const char *key, uint32_t mask)
{
    ff_json_open(j, key, '[');
    for (unsigned i = 0; i < FF_STREAMS; i++)
        if (mask >> i & 1u)
            ff_json_str(j, NULL, ff_stream_name(i));
    ff_json_close(j, ']');
}

static void add_skips(ff_json *j, const ff_member *m)
{
    ff_json_open(j, "skipped", '[');
    for (uint32_t i = 0; i < m->n_skips && i < FF_SKIP_KINDS; i++) {
        ff_json_open(j, NULL, '{');
        ff_json_str(j, "reason", m->skips[i].reason);
        ff_json_int(j, "count", m->skips[i].count);
        ff_json_int(j, "first_line", m->skips[i].first_line);
        ff_json_close(j, '}');
    }
    ff_json_close(j, ']');
}

static void add_span(ff_json *j, const ff_member *m)
{
    ff_json_utc(j, "first", m->has_utc, m->first_utc);
    ff_json_utc(j, "last", m->has_utc, m->last_utc);
    if (m->has_utc)
        ff_json_big(j, "err_ns", m->utc_err);
    else
        ff_json_null(j, "err_ns");
    ff_json_said(j, "first_said", m->first_said);
    ff_json_said(j, "last_said", m->last_said);
    ff_json_open(j, "gaps", '{');
    if (m->gap_ns > 0)
        ff_json_big(j, "longest_ns", m->gap_ns);
    else
        ff_json_null(j, "longest_ns");
    ff_json_close(j, '}');
}

static void add_member(ff_json *j, const ff_report *r, const ff_member *m)
{
    ff_json_open(j, NULL, '{');
    ff_json_bytes(j, "member", m->name);
    ff_json_known(j, "input",
                  m->input < r->evidence->n_inputs ? ff_view_no_path(r->evidence->inputs[m->input].name)
                                                   : (ff_bytes){ 0 });
    ff_json_known(j, "host", m->who.host);
    ff_json_known(j, "host_why", m->host_why);
    ff_json_number(j, "rank", m->who.rank);
    ff_json_str(j, "parser", m->parser);
    ff_json_str(j, "unread", m->unread);
    add_streams(j, "streams", m->streams);
    ff_json_int(j, "bytes", (int64_t)m->bytes);
    ff_json_int(j, "lines", (int64_t)m->lines);
    ff_json_int(j, "events", m->events);
    ff_json_int(j, "signals", m->signals);
    add_span(j, m);
    ff_json_bool(j, "truncated", m->truncated);
    add_skips(j, m);
    ff_json_close(j, '}');
}

static void add_limit(ff_json *j, ff_bytes cap, ff_bytes where, uint64_t count)
{
    ff_json_open(j, NULL, '{');
    ff_json_bytes(j, "cap", cap);
    ff_json_known(j, "where", where);
    ff_json_int(j, "count", (int64_t)count);
    ff_json_close(j, '}');
}

static void add_limits(ff_json *j, const ff_report *r)
{
    const ff_evidence *e = r->evidence;
    ff_json_open(j, "limits", '[');
    for (uint32_t i = 0; i < e->n_limits; i++)
        add_limit(j, ff_str(e->limits[i].cap), e->limits[i].where, e->limits[i].count);
    ff_text where;
    ff_text_init(&where, 0);
    uint32_t most = ff_view_evidence(r);
    if (most < FF_VIEW_EVIDENCE)
        add_limit(j, FF_LIT("evidence lines shown of each finding"), (ff_bytes){ NULL, 0 }, most);
    for (uint32_t i = 0; i < r->n_findings; i++) {
        if (r->findings[i].n_evidence <= FF_VIEW_EVIDENCE)
            continue;
        where.n = 0;
        ff_text_addf(&where, "F%u", r->findings[i].id + 1);
        add_limit(j, FF_LIT("evidence lines shown of a finding"), ff_text_view(&where), r->findings[i].n_evidence);
    }
    ff_text_done(&where);
    ff_json_close(j, ']');
}

void ff_json_coverage(ff_json *j, const ff_report *r)
{
    ff_json_open(j, "coverage", '[');
    for (uint32_t i = 0; i < r->evidence->n_members; i++)
        add_member(j, r, &r->evidence->members[i]);
    ff_json_close(j, ']');
    ff_json_open(j, "not_judged", '[');
    for (uint32_t i = 0; i < r->n_not_judged; i++) {
        ff_json_open(j, NULL, '{');
        ff_json_bytes(j, "rule", r->not_judged[i].rule);
        ff_json_bytes(j, "group", r->not_judged[i].group);
        add_streams(j, "missing", r->not_judged[i].missing);
        ff_json_close(j, '}');
    }
    ff_json_close(j, ']');
    add_limits(j, r);
}
