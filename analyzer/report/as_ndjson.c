/* The time line as newline-delimited JSON: one moment a line, for log search and scripts. Names and shapes are those
 * of the JSON report. */
#include "html_private.h"
#include "json_private.h"

static void streams(ff_json *j, uint32_t mask)
{
    ff_json_open(j, "streams", '[');
    for (unsigned i = 0; i < FF_STREAMS; i++)
        if (mask >> i & 1u)
            ff_json_str(j, NULL, ff_stream_name(i));
    ff_json_close(j, ']');
}

static void moment(ff_json *j, const ff_html *h, uint32_t i)
{
    const ff_moment *m = &h->r->timeline[i];
    const ff_signal *s = ff_view_signal(h->r, m->signal);
    const ff_finding *f = ff_view_finding(h->r, m->finding);
    ff_json_open(j, NULL, '{');
    ff_json_int(j, "n", (int64_t)i + 1);
    ff_json_time(j, "time", s);
    ff_json_bytes(j, "text", m->text);
    ff_json_number_id(j, "finding", 'F', f ? f->id : FF_NONE);
    ff_json_known(j, "cause", f ? ff_view_cause_id(h->r, f->cause) : (ff_bytes){ 0 });
    ff_json_str(j, "severity", f ? ff_severity_name(f->severity) : NULL);
    ff_json_str(j, "role", f && h->role[f->id] ? ff_role_name((ff_role)(h->role[f->id] - 1)) : NULL);
    if (s) {
        streams(j, s->stream);
        ff_json_who(j, "who", &s->who);
        ff_json_place(j, h->r, "evidence", s);
    }
    ff_json_close(j, '}');
}

void ff_write_ndjson(const ff_report *r, ff_text *out)
{
    ff_html h = { .r = r, .main = ff_view_incident(r) };
    ff_arena_init(&h.arena);
    ff_html_find_roles(&h);
    for (uint32_t i = 0; i < r->n_timeline; i++) {
        ff_json j;
        ff_json_init(&j, out);
        j.compact = true;
        moment(&j, &h, i);
        if (out->n && out->p[out->n - 1] != '\n')
            ff_text_addc(out, '\n');
    }
    ff_arena_done(&h.arena);
}
