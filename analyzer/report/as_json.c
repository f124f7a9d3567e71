/* The reference report. docs/report.md describes every member, docs/report.schema.json checks it: change all three
 * together. Keys that others rely on never change; new ones may stand beside them. */
#include "json_private.h"

static void add_names(ff_json *j, const char *key, const ff_bytes *names, uint32_t n)
{
    ff_json_open(j, key, '[');
    for (uint32_t i = 0; i < n; i++)
        ff_json_bytes(j, NULL, names[i]);
    ff_json_close(j, ']');
}

static void add_numbers(ff_json *j, const char *key, const int32_t *numbers, uint32_t n)
{
    ff_json_open(j, key, '[');
    for (uint32_t i = 0; i < n; i++)
        ff_json_int(j, NULL, numbers[i]);
    ff_json_close(j, ']');
}

static void add_hash(ff_json *j, const char *key, const uint8_t sha256[32])
{
    char hex[65];
    ff_hex(sha256, 32, hex);
    ff_json_str(j, key, hex);
}

static void add_tool(ff_json *j, const ff_report *r)
{
    ff_json_open(j, "tool", '{');
    ff_json_str(j, "name", "firstfault");
    ff_json_str(j, "version", FF_VERSION);
    ff_json_open(j, "rules", '[');
    for (uint32_t i = 0; r->rules && i < r->rules->n_packs; i++) {
        const ff_pack *p = &r->rules->packs[i];
        ff_json_open(j, NULL, '{');
        ff_json_bytes(j, "name", ff_view_no_path(p->name));
        ff_json_bytes(j, "version", p->version);
        add_hash(j, "sha256", p->sha256);
        ff_json_int(j, "signatures", p->n_signatures);
        ff_json_int(j, "correlations", p->n_correlations);
        ff_json_int(j, "causes", p->n_causes);
        ff_json_close(j, '}');
    }
    ff_json_close(j, ']');
    ff_json_open(j, "problems", '[');
    for (uint32_t i = 0; r->rules && i < r->rules->n_problems; i++) {
        const ff_rule_problem *p = &r->rules->problems[i];
        ff_json_open(j, NULL, '{');
        ff_json_bytes(j, "file", ff_view_no_path(p->file));
        ff_json_int(j, "line", p->line);
        ff_json_bytes(j, "rule", p->rule);
        ff_json_bytes(j, "text", p->text);
        ff_json_close(j, '}');
    }
    ff_json_close(j, ']');
    ff_json_close(j, '}');
}

static void add_inputs(ff_json *j, const ff_evidence *e)
{
    ff_json_open(j, "inputs", '[');
    for (uint32_t i = 0; i < e->n_inputs; i++) {
        const ff_input *in = &e->inputs[i];
        ff_json_open(j, NULL, '{');
        ff_json_bytes(j, "name", ff_view_no_path(in->name));
        add_hash(j, "sha256", in->sha256);
        ff_json_int(j, "bytes", (int64_t)in->bytes);
        ff_json_int(j, "members", in->members);
        ff_json_bool(j, "truncated", in->truncated);
        add_names(j, "notes", in->notes, in->n_notes);
        ff_json_close(j, '}');
    }
    ff_json_close(j, ']');
}

static void add_suspects(ff_json *j, const ff_suspects *s)
{
    ff_json_open(j, "suspects", '{');
    add_names(j, "hosts", s->hosts, s->n_hosts);
    add_numbers(j, "ranks", s->ranks, s->n_ranks);
    add_names(j, "gpus", s->gpus, s->n_gpus);
    add_names(j, "pods", s->pods, s->n_pods);
    add_names(j, "processes", s->processes, s->n_processes);
    ff_json_close(j, '}');
}

static void add_fault_class(ff_json *j, ff_bytes fault_class)
{
    if (fault_class.n)
        ff_json_bytes(j, "fault_class", fault_class);
    else
        ff_json_null(j, "fault_class");
}

static void add_verdict(ff_json *j, const ff_report *r)
{
    const ff_verdict *v = &r->verdict;
    const ff_incident *incident = ff_view_incident(r);
    ff_json_open(j, "verdict", '{');
    ff_json_bytes(j, "cause", ff_view_cause_id(r, v->cause));
    ff_json_bytes(j, "title", ff_view_verdict_title(r));
    add_fault_class(j, v->fault_class);
    ff_json_str(j, "confidence", ff_confidence_name(v->confidence));
    ff_json_bytes(j, "confidence_why", v->confidence_why);
    ff_json_bytes(j, "summary", v->summary);
    if (incident)
        ff_json_number_id(j, "incident", 'I', incident->id);
    else
        ff_json_null(j, "incident");
    add_suspects(j, incident ? &incident->suspects : &(ff_suspects){ 0 });
    const ff_signal *first = ff_view_first_evidence(r);
    if (first)
        ff_json_place(j, r, "first_evidence", first);
    else
        ff_json_null(j, "first_evidence");
    add_names(j, "ceiling", v->ceiling, v->n_ceiling);
    ff_json_close(j, '}');
}

static void add_chain(ff_json *j, const ff_report *r, const ff_incident *in)
{
    ff_json_open(j, "chain", '[');
    for (uint32_t i = 0; i < in->n_chain; i++) {
        const ff_link *link = &in->chain[i];
        ff_json_open(j, NULL, '{');
        ff_json_number_id(j, "finding", 'F', link->finding);
        const ff_finding *f = ff_view_finding(r, link->finding);
        ff_json_bytes(j, "cause", ff_view_cause_id(r, f ? f->cause : FF_NONE));
        ff_json_str(j, "role", ff_role_name(link->role));
        ff_json_bytes(j, "because", link->because);
        ff_json_str(j, "order", link->proven ? "proven" : "possible");
        ff_json_number_id(j, "by", 'F', link->by);
        ff_json_close(j, '}');
    }
    ff_json_close(j, ']');
}

static void add_refused(ff_json *j, const ff_report *r, const ff_incident *in)
{
    ff_json_open(j, "refused", '[');
    for (uint32_t i = 0; i < in->n_refused; i++) {
        const ff_refused *link = &in->refused[i];
        const uint32_t shown[] = { link->left, link->right };
        ff_json_open(j, NULL, '{');
        ff_json_number_id(j, "by", 'F', link->by);
        ff_json_number_id(j, "finding", 'F', link->finding);
        ff_json_str(j, "reason", ff_refusal_name(link->why));
        ff_json_bytes(j, "because", link->because);
        ff_json_open(j, "evidence", '[');
        for (size_t k = 0; k < FF_COUNT(shown); k++)
            if (shown[k] < r->evidence->n_signals)
                ff_json_place(j, r, NULL, &r->evidence->signals[shown[k]]);
        ff_json_close(j, ']');
        ff_json_close(j, '}');
    }
    ff_json_close(j, ']');
    ff_json_int(j, "refused_total", in->n_refused_all);
}

static void add_rulings(ff_json *j, const ff_report *r, const char *key, const char *by, const ff_ruling *at,
                        uint32_t n)
{
    ff_json_open(j, key, '[');
    for (uint32_t i = 0; i < n; i++) {
        ff_json_open(j, NULL, '{');
        ff_json_open(j, "causes", '[');
        for (uint32_t c = 0; c < at[i].n_causes; c++)
            ff_json_bytes(j, NULL, ff_view_cause_id(r, at[i].causes[c]));
        ff_json_close(j, ']');
        add_names(j, by, at[i].by, at[i].n_by);
        ff_json_bytes(j, "text", at[i].text);
        ff_json_close(j, '}');
    }
    ff_json_close(j, ']');
}

static void add_requests(ff_json *j, const ff_incident *in)
{
    ff_json_open(j, "requests", '[');
    for (uint32_t i = 0; i < in->n_asks; i++) {
        const ff_ask *ask = &in->asks[i];
        ff_json_open(j, NULL, '{');
        ff_json_known(j, "host", ask->host);
        ff_json_bytes(j, "command", ask->command);
        ff_json_utc(j, "from", ask->has_span, ask->from_utc);
        ff_json_utc(j, "to", ask->has_span, ask->to_utc);
        ff_json_bytes(j, "why", ask->why);
        ff_json_close(j, '}');
    }
    ff_json_close(j, ']');
}

/* What to do about it: data of the cause, the same for each incident of that cause. */
static void add_advice(ff_json *j, const ff_cause *c)
{
    static const ff_cause none = { 0 };
    if (!c)
        c = &none;
    add_names(j, "actions", c->act, c->n_act);
    add_names(j, "verify", c->verify, c->n_verify);
    add_names(j, "avoid", c->avoid, c->n_avoid);
    add_names(j, "save", c->save, c->n_save);
    ff_json_known(j, "recovery", c->recovery);
}

static void add_incident(ff_json *j, const ff_report *r, const ff_incident *in)
{
    const ff_finding *root = ff_view_finding(r, in->root);
    const ff_cause *cause = root ? ff_view_cause(r, root->cause) : NULL;
    ff_json_open(j, NULL, '{');
    ff_json_number_id(j, "id", 'I', in->id);
    ff_json_bytes(j, "cause", ff_view_cause_id(r, root ? root->cause : FF_NONE));
    add_fault_class(j, in->fault_class);
    ff_json_str(j, "confidence", ff_confidence_name(in->confidence));
    ff_json_bytes(j, "confidence_why", in->confidence_why);
    ff_json_known(j, "set_aside", in->behind ? ff_str(in->behind) : (ff_bytes){ 0 });
    ff_json_utc(j, "began", in->has_time, in->began_utc);
    ff_json_utc(j, "ended", in->has_time, in->ended_utc);
    if (in->has_time)
        ff_json_big(j, "err_ns", in->err_ns);
    else
        ff_json_null(j, "err_ns");
    add_suspects(j, &in->suspects);
    ff_json_number_id(j, "root", 'F', in->root);
    ff_json_open(j, "other_roots", '[');
    for (uint32_t i = 0; i < in->n_other_roots; i++)
        ff_json_number_id(j, NULL, 'F', in->other_roots[i]);
    ff_json_close(j, ']');
    ff_json_known(j, "decide", in->decide);
    add_chain(j, r, in);
    add_refused(j, r, in);
    add_rulings(j, r, "ruled_out", "by", in->ruled_out, in->n_ruled_out);
    add_rulings(j, r, "not_ruled_out", "missing", in->not_ruled_out, in->n_not_ruled_out);
    add_advice(j, cause);
    add_requests(j, in);
    ff_json_close(j, '}');
}

static void add_signal_refs(ff_json *j, const ff_report *r, const char *key, const uint32_t *refs, uint32_t n)
{
    ff_json_open(j, key, '[');
    for (uint32_t i = 0, most = ff_view_evidence(r); i < n && i < most; i++) {
        const ff_signal *s = ff_view_signal(r, refs[i]);
        if (s)
            ff_json_place(j, r, NULL, s);
    }
    ff_json_close(j, ']');
}

static void add_facts(ff_json *j, const ff_finding *f)
{
    ff_json_open(j, "facts", '{');
    for (uint32_t i = 0; i < f->n_facts; i++)
        ff_json_field(j, f->facts, i);
    ff_json_close(j, '}');
}

static void add_finding(ff_json *j, const ff_report *r, const ff_finding *f)
{
    const ff_signal *first = ff_view_first_of(r, f), *last = ff_view_last_of(r, f);
    ff_json_open(j, NULL, '{');
    ff_json_number_id(j, "id", 'F', f->id);
    ff_json_bytes(j, "rule", f->rule);
    ff_json_bytes(j, "cause", ff_view_cause_id(r, f->cause));
    ff_json_str(j, "severity", ff_severity_name(f->severity));
    ff_json_str(j, "confidence", ff_confidence_name(f->confidence));
    ff_json_bytes(j, "confidence_why", f->confidence_why);
    ff_json_str(j, "scope", ff_scope_name(f->scope));
    ff_json_bytes(j, "summary", f->summary);
    ff_json_who(j, "who", &f->who);
    add_numbers(j, "ranks", f->ranks, f->n_ranks);
    ff_json_time(j, "time", first);
    add_facts(j, f);
    add_signal_refs(j, r, "evidence", f->evidence, f->n_evidence);
    ff_json_int(j, "evidence_total", f->n_evidence);
    add_signal_refs(j, r, "explains", f->symptoms, f->n_symptoms);
    ff_json_int(j, "explains_total", f->n_symptoms);
    ff_json_int(j, "count", f->count);
    ff_json_utc(j, "first", first && first->has_utc, first ? first->utc : 0);
    ff_json_utc(j, "last", last && last->has_utc, last ? (last->count > 1 ? last->last_utc : last->utc) : 0);
    ff_json_said(j, "last_said", last ? (last->count > 1 ? last->last_said : last->said) : (ff_stamp){ 0 });
    ff_json_close(j, '}');
}

static void add_findings(ff_json *j, const ff_report *r)
{
    ff_json_open(j, "incidents", '[');
    for (uint32_t i = 0; i < r->n_incidents; i++)
        add_incident(j, r, &r->incidents[i]);
    ff_json_close(j, ']');
    ff_json_open(j, "findings", '[');
    for (uint32_t i = 0; i < r->n_findings; i++)
        add_finding(j, r, &r->findings[i]);
    ff_json_close(j, ']');
    /* Odd things that nothing came of: their numbers only, since each stands in findings. */
    ff_json_open(j, "notes", '[');
    for (uint32_t i = 0; i < r->n_findings; i++)
        if (r->findings[i].severity == FF_SEV_NOTE)
            ff_json_number_id(j, NULL, 'F', r->findings[i].id);
    ff_json_close(j, ']');
}

static void add_contradictions(ff_json *j, const ff_report *r)
{
    ff_json_open(j, "contradictions", '[');
    for (uint32_t i = 0; i < r->n_contradictions; i++) {
        const ff_contradiction *c = &r->contradictions[i];
        ff_json_open(j, NULL, '{');
        ff_json_bytes(j, "text", c->text);
        add_signal_refs(j, r, "evidence", (const uint32_t[]){ c->left, c->right }, 2);
        ff_json_close(j, '}');
    }
    ff_json_close(j, ']');
}

static void add_name_of_kind(ff_json *j, const char *key, ff_bytes kind, ff_bytes name)
{
    ff_json_open(j, key, '{');
    ff_json_bytes(j, "kind", kind);
    ff_json_bytes(j, "name", name);
    ff_json_close(j, '}');
}

static void add_identity(ff_json *j, const ff_report *r)
{
    ff_json_open(j, "identity", '[');
    for (uint32_t i = 0; i < r->identity.n_joins; i++) {
        const ff_join *join = &r->identity.joins[i];
        const ff_signal *s = ff_view_signal(r, join->signal);
        ff_json_open(j, NULL, '{');
        add_name_of_kind(j, "left", join->left_kind, join->left);
        add_name_of_kind(j, "right", join->right_kind, join->right);
        ff_json_bytes(j, "rests_on", join->rests_on);
        ff_json_str(j, "confidence", ff_confidence_name(join->confidence));
        ff_json_bool(j, "conflict", join->conflict);
        if (s)
            ff_json_place(j, r, "evidence", s);
        else
            ff_json_null(j, "evidence");
        ff_json_close(j, '}');
    }
    ff_json_close(j, ']');
}

static void add_timeline(ff_json *j, const ff_report *r)
{
    ff_json_open(j, "timeline", '[');
    for (uint32_t i = 0; i < r->n_timeline; i++) {
        const ff_moment *m = &r->timeline[i];
        const ff_signal *s = ff_view_signal(r, m->signal);
        if (!s)
            continue;
        ff_json_open(j, NULL, '{');
        ff_json_time(j, "time", s);
        ff_json_known(j, "host", s->who.host);
        ff_json_number(j, "rank", s->who.rank);
        ff_json_bytes(j, "text", m->text);
        ff_json_bytes(j, "member", ff_view_member_name(r, s->at.member));
        ff_json_int(j, "line", s->at.line);
        ff_json_number_id(j, "finding", 'F', m->finding);
        ff_json_close(j, '}');
    }
    ff_json_close(j, ']');
}

void ff_write_json(const ff_report *r, ff_text *out)
{
    ff_json json, *j = &json;
    ff_json_init(j, out);
    ff_json_open(j, NULL, '{');
    ff_json_str(j, "schema", "firstfault.report/1");
    add_tool(j, r);
    add_inputs(j, r->evidence);
    add_verdict(j, r);
    add_findings(j, r);
    add_contradictions(j, r);
    add_identity(j, r);
    ff_json_clocks(j, r);
    add_timeline(j, r);
    ff_json_collectives(j, r);
    ff_json_environment(j, r);
    ff_json_fingerprint(j, r);
    ff_json_coverage(j, r);
    ff_json_close(j, '}');
    ff_text_addc(out, '\n');
}
