/* Drives the stage: findings in one order, groups, edges, incidents, and the verdict. */
#include "verdict_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- one order of findings, whatever order the rules gave them in ---- */
typedef struct sortable {
    const ff_finding *f;
    uint32_t first, rank;
} sortable;

static int compare_numbers(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int compare_refs(const uint32_t *a, uint32_t n_a, const uint32_t *b, uint32_t n_b)
{
    for (uint32_t i = 0; i < n_a && i < n_b; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return compare_numbers(n_a, n_b);
}

static int compare_who(const ff_who *a, const ff_who *b)
{
    int order = ff_compare(a->host, b->host);
    order = order ? order : ff_compare(a->gpu, b->gpu);
    order = order ? order : ff_compare(a->pod, b->pod);
    order = order ? order : ff_compare(a->container, b->container);
    order = order ? order : compare_numbers(a->rank, b->rank);
    order = order ? order : compare_numbers(a->pid, b->pid);
    return order ? order : compare_numbers(a->gpu_index, b->gpu_index);
}

static int in_time_order(const void *left, const void *right)
{
    const sortable *x = left, *y = right;
    const ff_finding *a = x->f, *b = y->f;
    int order = compare_numbers(x->first, y->first);
    order = order ? order : compare_numbers(x->rank, y->rank);
    order = order ? order : compare_numbers(a->cause, b->cause);
    order = order ? order : compare_numbers(b->severity, a->severity);
    order = order ? order : compare_numbers(b->confidence, a->confidence);
    order = order ? order : ff_compare(a->rule, b->rule);
    order = order ? order : compare_numbers(a->scope, b->scope);
    order = order ? order : compare_who(&a->who, &b->who);
    order = order ? order : compare_refs(a->evidence, a->n_evidence, b->evidence, b->n_evidence);
    order = order ? order : compare_refs(a->symptoms, a->n_symptoms, b->symptoms, b->n_symptoms);
    order = order ? order : ff_compare(a->summary, b->summary);
    return order ? order : compare_numbers(a->count, b->count);
}

static ff_finding *sort_findings(const ff_rulebook *rules, ff_judged judged, uint32_t *n, ff_arena *arena)
{
    sortable *all = ff_alloc(((size_t)judged.n + 1) * sizeof *all);
    *n = 0;
    for (uint32_t i = 0; i < judged.n; i++) {
        const ff_finding *f = &judged.findings[i];
        if (f->cause < rules->n_causes)
            all[(*n)++] = (sortable){ .f = f,
                                      .first = f->n_evidence ? f->evidence[0] : FF_NONE,
                                      .rank = rules->causes[f->cause].rank };
    }
    qsort(all, *n, sizeof *all, in_time_order);
    ff_finding *findings = FF_NEW_N(arena, ff_finding, (size_t)*n + 1);
    for (uint32_t i = 0; i < *n; i++) {
        findings[i] = *all[i].f;
        findings[i].id = i;
    }
    ff_free(all);
    return findings;
}

void ff_case_find_marks(ff_case *c)
{
    FF_VEC(uint32_t) all = { 0 };
    for (uint32_t i = 0; i < c->evidence->n_signals; i++) {
        const ff_signature *s = ff_kind_signature(c->rules, c->evidence->signals[i].kind);
        if (s && s->marks != FF_MARK_NONE)
            FF_PUSH(&all, i);
        c->has_starts = c->has_starts || (s && s->marks == FF_MARK_START);
    }
    c->marks = FF_NEW_N(c->arena, uint32_t, (size_t)all.n + 1);
    for (uint32_t i = 0; i < all.n; i++)
        c->marks[i] = all.at[i];
    c->n_marks = all.n;
    ff_free(all.at);
}

/* ---- verdict ---- */
static void set_cause(const ff_case *c, ff_verdict *v, uint32_t cause)
{
    const ff_cause *k = ff_case_cause(c, cause);
    v->cause = cause;
    v->fault_class = k ? k->fault_class : (ff_bytes){ 0 };
}

static void conclude_incident(const ff_case *c, const ff_report *r, ff_verdict *v)
{
    const ff_incident *in = &r->incidents[0];
    const ff_finding *root = &c->findings[in->root];
    set_cause(c, v, root->cause);
    v->fault_class = in->fault_class;
    v->incident = 0;
    v->confidence = in->confidence;
    v->confidence_why = in->confidence_why;
    v->summary = root->summary.n ? root->summary : ff_case_title(c, root->cause);
    ff_ceiling_find(c, in, v);
}

static bool is_present(const ff_case *c, uint32_t streams)
{
    ff_sources all = ff_sources_index(c->evidence, c->arena);
    return ff_sources_present(&all, (ff_bytes){ 0 }, streams);
}

enum { DEAF_HOSTS = 4 }; /* told one by one */

/* Streams that would show a failure, and that the bundle does not hold. */
static void add_absent_streams(const ff_case *c, ff_verdict *v)
{
    uint32_t wanted = 0;
    for (uint32_t k = 0; k < c->rules->n_causes; k++) {
        wanted |= c->rules->causes[k].settled_by;
        for (uint32_t i = 0; i < c->rules->causes[k].n_requests; i++)
            wanted |= c->rules->causes[k].requests[i].stream;
    }
    wanted &= c->asked;
    v->ceiling = FF_NEW_N(c->arena, ff_bytes, FF_STREAMS + DEAF_HOSTS + FF_PEERS_NAMED);
    for (unsigned bit = 0; bit < FF_STREAMS; bit++) {
        ff_bytes text = { 0 };
        if (wanted & (UINT32_C(1) << bit))
            text = ff_missing_text(c, (ff_bytes){ 0 }, UINT32_C(1) << bit, NULL);
        if (!text.n && ff_is_job_stream(UINT32_C(1) << bit))
            text = ff_ranks_missing(c, UINT32_C(1) << bit);
        if (text.n)
            v->ceiling[v->n_ceiling++] = text;
    }
}

/* Machines that the bundle knows and whose kernel log it lacks, while it holds those of others. */
static void add_deaf_hosts(const ff_case *c, const ff_report *r, ff_verdict *v)
{
    ff_set told = { 0 };
    if (v->cause != c->healthy || !is_present(c, FF_STREAM_KERNEL))
        return;
    for (uint32_t i = 0; i < r->n_not_judged && told.n < DEAF_HOSTS; i++) {
        ff_bytes host = r->not_judged[i].group;
        if (!(r->not_judged[i].missing & FF_STREAM_KERNEL) || !host.n || ff_set_has(&told, host))
            continue;
        ff_set_add(&told, host, c->arena);
        ff_bytes text = ff_missing_text(c, host, FF_STREAM_KERNEL, NULL);
        if (text.n)
            v->ceiling[v->n_ceiling++] = text;
    }
}

/* A rule may say itself that the job came to a good end. */
static const ff_finding *good_end(const ff_case *c)
{
    const ff_finding *best = NULL;
    for (uint32_t i = 0; i < c->n_findings; i++)
        if (c->findings[i].cause == c->healthy && (!best || c->findings[i].confidence > best->confidence))
            best = &c->findings[i];
    return best;
}

/* When all that was found was over the job ran: nobody asks about it. It stays beside the verdict. */
static ff_after what_came_after_all(const ff_report *r)
{
    ff_after least = FF_AFTER_RAN;
    for (uint32_t i = 0; i < r->n_incidents; i++)
        least = r->incidents[i].after < least ? r->incidents[i].after : least;
    return r->n_incidents ? least : FF_AFTER_NOTHING;
}

static void conclude_outlived(const ff_case *c, ff_report *r, ff_after after)
{
    ff_verdict *v = &r->verdict;
    set_cause(c, v, after == FF_AFTER_RAN ? c->healthy : c->unknown);
    add_absent_streams(c, v);
    v->confidence = after == FF_AFTER_RAN ? FF_LIKELY : FF_POSSIBLE;
    v->confidence_why = after == FF_AFTER_RAN
                            ? FF_LIT("the job is shown to have run when all of it was over")
                            : FF_LIT("all of it was over a day and more before the job's own output begins");
    v->summary = after == FF_AFTER_RAN
                     ? FF_LIT("The job ran well after all that was found in what could be read.")
                     : FF_LIT("The job's own output shows no failure, and what else was found is of another time.");
    for (uint32_t i = 0; i < r->n_incidents; i++)
        r->incidents[i].behind = r->incidents[i].after == FF_AFTER_RAN
                                     ? "the job ran well when all of it was over"
                                     : "it is of another time than the job's output";
}

static bool shows(const ff_case *c, ff_mark mark)
{
    for (uint32_t i = 0; i < c->n_marks; i++)
        if (ff_mark_of(c, i) == mark)
            return true;
    return false;
}

#define SILENCE (20 * INT64_C(60000000000)) /* longer than a save or an evaluation of most jobs */

/* The last sign of progress, where no end is told and what others wrote goes on for long behind it. NULL: not so. */
static const ff_signal *stops_before_others(const ff_case *c, int64_t *silence)
{
    const ff_signal *last = NULL;
    int64_t when = INT64_MIN, end = INT64_MIN;
    for (uint32_t i = 0; i < c->n_marks; i++) {
        const ff_signal *s = &c->evidence->signals[c->marks[i]];
        if (ff_mark_of(c, i) == FF_MARK_END || !s->has_utc)
            return NULL;
        if (ff_mark_of(c, i) == FF_MARK_PROGRESS && s->last_utc > when) {
            last = s;
            when = s->last_utc;
        }
    }
    for (uint32_t i = 0; i < c->evidence->n_members; i++) {
        const ff_member *m = &c->evidence->members[i];
        if (m->has_utc && m->last_utc > end)
            end = m->last_utc;
    }
    *silence = last ? end - when : 0;
    return last && *silence > SILENCE ? last : NULL;
}

static void conclude_healthy(const ff_case *c, ff_verdict *v)
{
    const uint32_t output = FF_STREAM_APP | FF_STREAM_NCCL | FF_STREAM_SLURM;
    const ff_finding *good = good_end(c);
    set_cause(c, v, c->healthy);
    add_absent_streams(c, v);
    v->summary = good && good->summary.n ? good->summary : FF_LIT("Nothing wrong was found in what could be read.");
    if (good) {
        v->confidence = good->confidence;
        v->confidence_why = good->confidence_why.n ? good->confidence_why
                                                   : FF_LIT("the evidence shows that the job came to a good end");
    } else if (is_present(c, output) && shows(c, FF_MARK_END)) {
        v->confidence = FF_LIKELY;
        v->confidence_why = FF_LIT("the job's own output was read, comes to an end, and shows no failure");
    } else if (is_present(c, output) && shows(c, FF_MARK_PROGRESS)) {
        v->confidence = FF_POSSIBLE;
        v->confidence_why = FF_LIT(
            "the job's own output shows progress and no failure, but no end: it may run on, or only have stopped");
    } else if (is_present(c, output)) {
        v->confidence = FF_POSSIBLE;
        v->confidence_why = FF_LIT(
            "the job's own output shows no failure, but neither progress nor an end: it may only have stopped");
    } else {
        v->confidence = FF_POSSIBLE;
        v->confidence_why = FF_LIT("the job's own output is not in the bundle, so a failure could go unseen");
    }
}

static void conclude_stopped(const ff_case *c, const ff_signal *last, int64_t silence, ff_verdict *v)
{
    ff_bytes where = c->evidence->members[last->last_at.member].name;
    set_cause(c, v, c->unknown);
    add_absent_streams(c, v);
    v->confidence = FF_POSSIBLE;
    v->confidence_why = FF_LIT("the output ends with a sign of progress and no end, long before the other logs do");
    ff_text t;
    ff_text_init(&t, 0);
    ff_text_adds(&t, "The job's output shows no progress behind ");
    ff_text_add_clean(&t, where);
    ff_text_addf(&t, ":%" PRIu32 ", and other logs go on for ", last->last_at.line);
    ff_text_add_span(&t, silence);
    ff_text_adds(&t, ": it may hang, may have been killed, or may have ended without a word.");
    v->summary = ff_arena_copy(c->arena, ff_text_view(&t));
    ff_text_done(&t);
}

static bool goes_on_behind(const ff_case *c, const ff_finding *f)
{
    const ff_signal *last = &c->evidence->signals[f->evidence[f->n_evidence - 1]];
    for (uint32_t i = 0; i < c->n_marks; i++) {
        ff_signal mark = ff_signal_last(&c->evidence->signals[c->marks[i]]);
        bool below = mark.at.member == last->at.member && mark.at.line > last->at.line;
        if (ff_mark_of(c, i) != FF_MARK_START && (below || ff_signal_order(last, &mark) == FF_ORDER_BEFORE))
            return true;
    }
    return false;
}

/* A failure that can only be an effect, and nothing that it could follow from: it is no root, yet nothing is well. */
static const ff_finding *unexplained_echo(const ff_case *c)
{
    for (uint32_t i = 0; i < c->n_findings; i++) {
        const ff_finding *f = &c->findings[i];
        if (f->echo && f->severity >= FF_SEV_ERROR && f->n_evidence && !goes_on_behind(c, f))
            return f;
    }
    return NULL;
}

/* Before all other sources: what the survivor could not know stands there. */
static void put_lost_peers_first(const ff_case *c, ff_verdict *v)
{
    ff_lost_peer lost[FF_PEERS_NAMED];
    uint32_t n = ff_peers_lost(c, NULL, lost);
    memmove(v->ceiling + n, v->ceiling, v->n_ceiling * sizeof *v->ceiling);
    for (uint32_t i = 0; i < n; i++)
        v->ceiling[i] = ff_lost_peer_text(c, &lost[i]);
    v->n_ceiling += n;
}

static void conclude_unexplained(const ff_case *c, const ff_finding *echo, ff_verdict *v)
{
    set_cause(c, v, c->unknown);
    add_absent_streams(c, v);
    put_lost_peers_first(c, v);
    v->confidence = FF_POSSIBLE;
    v->confidence_why =
        echo->cause == c->unknown
            ? echo->confidence_why
            : FF_LIT("what failed is only the effect of something else, and nothing of what was read is its cause");
    v->shown_by = (uint32_t)(echo - c->findings);
    v->summary = echo->summary.n ? echo->summary : ff_case_title(c, echo->cause);
}

static bool is_cut_document(const ff_member *m) { return m->document && m->truncated; }

/* Dumps show one moment, text that no parser or signature knows shows nothing, and of an answer that was cut nobody
 * knows what it would have said: none of them could show a failure. */
static bool would_show_failure(const ff_case *c)
{
    const uint32_t telling = FF_STREAM_ANY & ~(uint32_t)FF_STREAM_RECORDER;
    for (uint32_t i = 0; i < c->evidence->n_signals; i++) {
        const ff_signal *s = &c->evidence->signals[i];
        if ((s->stream & telling) && !is_cut_document(&c->evidence->members[s->at.member]))
            return true;
    }
    for (uint32_t i = 0; i < c->evidence->n_members; i++) {
        const ff_member *m = &c->evidence->members[i];
        if ((m->streams & telling) && !m->unread && m->parser && m->bytes && !is_cut_document(m))
            return true;
    }
    return false;
}

static void conclude_unseen(const ff_case *c, ff_verdict *v)
{
    bool dumps = is_present(c, FF_STREAM_RECORDER), cut = false;
    for (uint32_t i = 0; i < c->evidence->n_members; i++)
        cut = cut || is_cut_document(&c->evidence->members[i]);
    set_cause(c, v, c->unknown);
    add_absent_streams(c, v);
    v->confidence = FF_POSSIBLE;
    v->confidence_why = FF_LIT("no source that would show a failure is in the bundle");
    v->summary = dumps ? FF_LIT("The dumps show no fault, and how the job ended is not in the bundle.")
                 : cut ? FF_LIT("What could be read ends before it says whether anything is wrong.")
                       : FF_LIT("Nothing of what was read is known to any rule, so nothing can be said.");
}

static void conclude_unread(const ff_case *c, ff_verdict *v)
{
    set_cause(c, v, c->unknown);
    add_absent_streams(c, v);
    v->confidence = FF_POSSIBLE;
    v->confidence_why = FF_LIT("nothing in the bundle could be read");
    v->summary = FF_LIT("Nothing in the bundle could be read, so nothing can be said.");
}

/* The two causes that are no causes: the only ids that this stage knows. */
static uint32_t find_special(const ff_rulebook *rules, ff_bytes id)
{
    for (uint32_t i = 0; i < rules->n_causes; i++)
        if (ff_equal(rules->causes[i].id, id))
            return i;
    return FF_NONE;
}

ff_report ff_conclude(const ff_evidence *evidence, const ff_clocks *clocks, const ff_rulebook *rules,
                      ff_judged judged, ff_identity identity, ff_arena *arena)
{
    ff_report r = { .evidence = evidence,
                    .clocks = clocks,
                    .rules = rules,
                    .identity = identity,
                    .not_judged = judged.not_judged,
                    .n_not_judged = judged.n_not_judged,
                    .verdict = { .cause = FF_NONE, .incident = FF_NONE, .shown_by = FF_NONE } };
    uint32_t unknown = find_special(rules, FF_LIT("unknown")), healthy = find_special(rules, FF_LIT("healthy"));
    ff_drop_last_words(evidence, unknown, healthy, &judged);
    judged = ff_findings_split(evidence, rules, judged, arena);
    r.findings = sort_findings(rules, judged, &r.n_findings, arena);
    ff_case c = { .evidence = evidence,
                  .clocks = clocks,
                  .rules = rules,
                  .identity = &r.identity,
                  .arena = arena,
                  .findings = r.findings,
                  .n_findings = r.n_findings,
                  .unknown = unknown,
                  .healthy = healthy,
                  .coverage = ff_coverage_build(evidence, arena) };
    c.asked = ff_streams_worth_asking(&c, FF_STREAM_ANY);
    ff_case_compile(&c);
    ff_case_find_marks(&c);
    ff_case_find_runs(&c);
    ff_case_find_peers(&c);
    ff_group_findings(&c);
    ff_link_groups(&c);
    ff_cut_circles(&c);
    ff_incidents_build(&c, &r);
    ff_timeline_build(&c, &r);
    ff_environment_build(&c, &r);
    ff_contradictions_build(&c, &r);
    ff_after after = what_came_after_all(&r);
    const ff_finding *echo = good_end(&c) ? NULL : unexplained_echo(&c);
    int64_t silence = 0;
    const ff_signal *stopped = good_end(&c) ? NULL : stops_before_others(&c, &silence);
    if (after != FF_AFTER_NOTHING)
        conclude_outlived(&c, &r, after);
    else if (r.n_incidents)
        conclude_incident(&c, &r, &r.verdict);
    else if (ff_was_anything_read(evidence) && !would_show_failure(&c))
        conclude_unseen(&c, &r.verdict);
    else if (echo)
        conclude_unexplained(&c, echo, &r.verdict);
    else if (ff_was_anything_read(evidence) && stopped)
        conclude_stopped(&c, stopped, silence, &r.verdict);
    else if (ff_was_anything_read(evidence))
        conclude_healthy(&c, &r.verdict);
    else
        conclude_unread(&c, &r.verdict);
    add_deaf_hosts(&c, &r, &r.verdict);
    return r;
}
