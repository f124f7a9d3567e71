#include "cases.h"

static ff_bytes cause_id(const ff_report *r, uint32_t cause)
{
    return cause < r->rules->n_causes ? r->rules->causes[cause].id : FF_LIT("unknown");
}

static ff_bytes text_of(const ff_tree *t, uint32_t map, const char *key)
{
    return ff_node_text(t, ff_node_get(t, map, key));
}

static bool holds(const ff_tree *t, uint32_t list, ff_bytes text)
{
    for (uint32_t i = 0; i < ff_node_count(t, list); i++)
        if (ff_equal(ff_node_text(t, ff_node_item(t, list, i)), text))
            return true;
    return false;
}

static case_mark mark(bool good) { return good ? CASE_YES : CASE_NO; }

static bool is_root(const ff_report *r, ff_bytes cause)
{
    if (ff_equal(cause_id(r, r->verdict.cause), cause))
        return true;
    for (uint32_t i = 0; i < r->n_incidents; i++) {
        uint32_t root = r->incidents[i].root;
        if (r->incidents[i].after != FF_AFTER_NOTHING)
            continue; /* the job is shown to have outlived it: nobody is blamed for how it ended */
        if (root < r->n_findings && ff_equal(cause_id(r, r->findings[root].cause), cause))
            return true;
    }
    return false;
}

static bool is_found(const ff_report *r, ff_bytes cause)
{
    for (uint32_t i = 0; i < r->n_findings; i++)
        if (ff_equal(cause_id(r, r->findings[i].cause), cause))
            return true;
    return false;
}

static case_mark compare_root(const ff_tree *t, const ff_report *r)
{
    ff_bytes got = cause_id(r, r->verdict.cause);
    return mark(ff_equal(got, text_of(t, 0, "root_cause")) || holds(t, ff_node_get(t, 0, "also_acceptable"), got));
}

static case_mark compare_blame(const ff_tree *t, const ff_report *r)
{
    uint32_t list = ff_node_get(t, 0, "must_not_blame");
    for (uint32_t i = 0; i < ff_node_count(t, list); i++)
        if (is_root(r, ff_node_text(t, ff_node_item(t, list, i))))
            return CASE_NO;
    return ff_node_count(t, list) ? CASE_YES : CASE_NOT_ASKED;
}

static case_mark compare_class(const ff_tree *t, const ff_report *r)
{
    ff_bytes wanted = text_of(t, 0, "fault_class");
    if (!wanted.n)
        return CASE_NOT_ASKED;
    return mark(ff_equal(wanted, r->verdict.fault_class.n ? r->verdict.fault_class : FF_LIT("n/a")));
}

static const ff_incident *incident_of(const ff_report *r)
{
    return r->verdict.incident < r->n_incidents ? &r->incidents[r->verdict.incident] : NULL;
}

static bool is_suspect(const ff_suspects *s, int64_t rank)
{
    for (uint32_t i = 0; s && i < s->n_ranks; i++)
        if (s->ranks[i] == rank)
            return true;
    return false;
}

/* "rank" is a number or a list: exactly these ranks. null asks for nothing. */
static case_mark compare_ranks(const ff_tree *t, const ff_report *r)
{
    uint32_t node = ff_node_get(t, 0, "rank");
    const ff_node *n = ff_node_at(t, node);
    const ff_incident *in = incident_of(r);
    int64_t rank = 0;
    if (!n || n->kind == FF_NODE_NULL)
        return CASE_NOT_ASKED;
    if (n->kind != FF_NODE_LIST)
        return mark(ff_node_int(t, node, &rank) && in && in->suspects.n_ranks == 1 &&
                    is_suspect(&in->suspects, rank));
    for (uint32_t i = 0; i < n->count; i++)
        if (!ff_node_int(t, ff_node_item(t, node, i), &rank) || !in || !is_suspect(&in->suspects, rank))
            return CASE_NO;
    return mark(n->count == (in ? in->suspects.n_ranks : 0));
}

static bool is_member(ff_bytes name, ff_bytes file)
{
    if (!ff_ends(name, file))
        return false;
    if (name.n == file.n)
        return true;
    char before = name.p[name.n - file.n - 1];
    return before == '/' || before == '!';
}

/* Of an unexplained effect it is the line that shows it. */
static uint32_t first_signal(const ff_report *r)
{
    const ff_incident *in = incident_of(r);
    if (in)
        return in->began_signal;
    return r->verdict.shown_by < r->n_findings ? r->findings[r->verdict.shown_by].evidence[0] : FF_NONE;
}

static case_mark compare_first(const ff_tree *t, const ff_report *r)
{
    uint32_t node = ff_node_get(t, 0, "first_evidence");
    ff_bytes file = text_of(t, node, "file");
    int64_t line = 0;
    if (!file.n || !ff_node_int(t, ff_node_get(t, node, "line"), &line))
        return CASE_NOT_ASKED;
    uint32_t first = first_signal(r);
    if (first >= r->evidence->n_signals)
        return CASE_NO;
    const ff_record *at = &r->evidence->signals[first].at;
    int64_t off = (int64_t)at->line - line;
    return mark(at->member < r->evidence->n_members && is_member(r->evidence->members[at->member].name, file) &&
                off >= -1 && off <= 1);
}

static case_mark compare_symptoms(const ff_tree *t, const ff_report *r)
{
    uint32_t list = ff_node_get(t, 0, "symptoms");
    for (uint32_t i = 0; i < ff_node_count(t, list); i++) {
        ff_bytes cause = ff_node_text(t, ff_node_item(t, list, i));
        if (is_root(r, cause) || !is_found(r, cause))
            return CASE_NO;
    }
    return ff_node_count(t, list) ? CASE_YES : CASE_NOT_ASKED;
}

case_score case_compare(const ff_tree *expected, const ff_report *r)
{
    case_score score = { .wanted = text_of(expected, 0, "root_cause") };
    score.mark[CASE_ROOT] = compare_root(expected, r);
    score.mark[CASE_BLAME] = compare_blame(expected, r);
    score.mark[CASE_CLASS] = compare_class(expected, r);
    score.mark[CASE_RANKS] = compare_ranks(expected, r);
    score.mark[CASE_FIRST] = compare_first(expected, r);
    score.mark[CASE_SYMPTOMS] = compare_symptoms(expected, r);
    return score;
}

bool case_passed(const case_score *score)
{
    for (size_t i = 0; i < CASE_CHECKS; i++)
        if (score->mark[i] == CASE_NO)
            return false;
    return true;
}
