/* firstfault explain: what a verdict or a finding rests on, what else was considered, and why it was dropped. */
#include "cli.h"

#include <inttypes.h>

#define LINES_SHOWN 12u
#define JOINS_SHOWN 16u
#define TEXT_SHOWN 200u
#define REFUSED_SHOWN 6u /* each has three lines */

typedef struct page {
    ff_text *out;
    const ff_run *run;
    const ff_report *r;
    bool all; /* --verbose: nothing is cut */
} page;

/* ---- words ---- */
static ff_bytes cause_id(const page *p, uint32_t cause)
{
    return cause < p->r->rules->n_causes ? p->r->rules->causes[cause].id : FF_LIT("unknown");
}

static void add_title(const page *p, const char *title) { ff_text_addf(p->out, "\n%s\n", title); }

static void add_time(const page *p, const ff_signal *s)
{
    if (!s->has_utc) {
        ff_text_adds(p->out, s->clock == FF_NONE ? "  no time" : "  on its own clock");
        return;
    }
    ff_text_adds(p->out, "  ");
    ff_text_add_utc(p->out, s->utc);
    if (s->utc_err > 0) {
        ff_text_adds(p->out, " +- ");
        ff_text_add_span(p->out, s->utc_err);
    }
}

static void add_line(const page *p, const char *lead, uint32_t ref)
{
    const ff_signal *s = &p->r->evidence->signals[ref];
    ff_text_addf(p->out, "    %s ", lead);
    ff_text_add_clean(p->out, p->r->evidence->members[s->at.member].name);
    ff_text_addf(p->out, ":%" PRIu32, s->at.line);
    add_time(p, s);
    if (s->count > 1)
        ff_text_addf(p->out, ", %" PRIu32 " times", s->count);
    ff_text_adds(p->out, "\n        ");
    ff_text_add_clean(p->out, ff_first_n(ff_trim(s->quote), TEXT_SHOWN));
    ff_text_addc(p->out, '\n');
}

static void add_lines(const page *p, const char *lead, const uint32_t *refs, uint32_t n)
{
    for (uint32_t i = 0; i < n && (p->all || i < LINES_SHOWN); i++)
        add_line(p, lead, refs[i]);
    if (n > LINES_SHOWN && !p->all)
        ff_text_addf(p->out, "    and %" PRIu32 " more (--verbose)\n", n - LINES_SHOWN);
}

/* "F3 host.memcg_oom, critical, certain: summary" */
static void add_name(const page *p, const ff_finding *f)
{
    ff_text_addf(p->out, "F%" PRIu32 " ", f->id + 1);
    ff_text_add_clean(p->out, cause_id(p, f->cause));
    ff_text_addf(p->out, ", %s, %s: ", ff_severity_name(f->severity), ff_confidence_name(f->confidence));
    ff_text_add_clean(p->out, f->summary);
    ff_text_addc(p->out, '\n');
}

static void add_finding(const page *p, const ff_finding *f)
{
    add_name(p, f);
    ff_text_adds(p->out, "  Rule ");
    ff_text_add_clean(p->out, f->rule);
    ff_text_adds(p->out, ": ");
    ff_text_add_clean(p->out, f->confidence_why);
    ff_text_adds(p->out, f->echo ? ". It can only be an effect.\n" : ".\n");
    add_lines(p, "shown by", f->evidence, f->n_evidence);
    add_lines(p, "explains", f->symptoms, f->n_symptoms);
}

/* ---- joins and clocks that its lines use ---- */
typedef struct speaker { /* of whom a line is, and whether it was written in his container */
    const ff_who *who;
    bool inside;
} speaker;

static bool is_scope(ff_bytes scope, ff_bytes of)
{
    return ff_equal(of, scope) || (ff_starts(of, scope) && of.p[scope.n] == '.'); /* short and full name of a host */
}

/* "gpu-a01/41236", "ml/train-0/78": a number, and where it counts. */
static bool is_pid_of(const speaker *s, ff_bytes name, ff_arena *arena)
{
    ff_bytes number = ff_arena_format(arena, "/%" PRId32, s->who->pid);
    if (s->who->pid < 0 || !ff_ends(name, number))
        return false;
    ff_bytes scope = ff_first_n(name, name.n - number.n);
    if (s->inside)
        return is_scope(scope, s->who->pod) || is_scope(scope, s->who->container);
    return is_scope(scope, s->who->host) || !scope.n || ff_starts(scope, FF_LIT("a container of "));
}

static bool is_name_of(const speaker *s, ff_bytes kind, ff_bytes name, ff_arena *arena)
{
    const ff_who *who = s->who;
    if (ff_equal(kind, FF_LIT("rank")))
        return who->rank >= 0 && ff_equal(name, ff_arena_format(arena, "%" PRId32, who->rank));
    if (ff_equal(kind, FF_LIT("pid")))
        return is_pid_of(s, name, arena);
    if (ff_equal(kind, FF_LIT("device")))
        return who->pid >= 0 && ff_ends(name, ff_arena_format(arena, "/%" PRId32 "/%" PRId32, who->pid, who->device));
    const ff_bytes *texts[] = { &who->container, &who->pod, &who->pod_uid, &who->cgroup, &who->gpu_uuid };
    for (size_t i = 0; i < FF_COUNT(texts); i++)
        if (texts[i]->n && ff_equal(*texts[i], name))
            return true;
    return who->gpu.n && ff_equal(kind, FF_LIT("gpu")) && ff_ends(name, who->gpu);
}

static speaker speaker_of(const ff_who *who, uint32_t stream)
{
    return (speaker){ .who = who, .inside = (stream & FF_JOB_OUTPUT) && (who->pod.n || who->container.n) };
}

static bool is_joined(const speaker *s, const ff_join *j, ff_arena *arena)
{
    return is_name_of(s, j->left_kind, j->left, arena) ||
           (ff_equal(j->right_kind, FF_LIT("pid")) && is_name_of(s, j->right_kind, j->right, arena));
}

static bool uses_join(const page *p, const ff_finding *f, const ff_join *j, ff_arena *arena)
{
    const ff_signal *signals = p->r->evidence->signals;
    speaker s = speaker_of(&f->who, f->n_evidence ? signals[f->evidence[0]].stream : 0);
    bool used = is_joined(&s, j, arena);
    for (uint32_t i = 0; i < f->n_evidence && i < LINES_SHOWN && !used; i++) {
        s = speaker_of(&signals[f->evidence[i]].who, signals[f->evidence[i]].stream);
        used = is_joined(&s, j, arena);
    }
    return used;
}

static void add_join(const page *p, const ff_join *j)
{
    ff_text_adds(p->out, "  ");
    ff_text_add_clean(p->out, j->left_kind);
    ff_text_addc(p->out, ' ');
    ff_text_add_clean(p->out, j->left);
    ff_text_adds(p->out, " is ");
    ff_text_add_clean(p->out, j->right_kind);
    ff_text_addc(p->out, ' ');
    ff_text_add_clean(p->out, j->right);
    ff_text_adds(p->out, ": ");
    ff_text_add_clean(p->out, j->rests_on);
    ff_text_adds(p->out, j->conflict                   ? "; contradicts another, not used\n"
                         : j->confidence == FF_CERTAIN ? "\n"
                                                       : " (likely)\n");
}

static void add_joins(const page *p, const ff_finding *f)
{
    uint32_t n = 0;
    ff_arena arena;
    ff_arena_init(&arena);
    add_title(p, "Joins (who is who)");
    for (uint32_t i = 0; i < p->r->identity.n_joins; i++) {
        const ff_join *j = &p->r->identity.joins[i];
        if (!uses_join(p, f, j, &arena))
            continue;
        if (p->all || n < JOINS_SHOWN)
            add_join(p, j);
        n++;
    }
    if (!n)
        ff_text_adds(p->out, "  none: its lines name nobody that another line knows\n");
    else if (n > JOINS_SHOWN && !p->all)
        ff_text_addf(p->out, "  and %" PRIu32 " more (--verbose)\n", n - JOINS_SHOWN);
    ff_arena_done(&arena);
}

static void add_clock(const page *p, const ff_clock *c)
{
    ff_text_adds(p->out, "  ");
    ff_text_add_clean(p->out, c->host.n ? c->host : FF_LIT("a host that is not known"));
    ff_text_adds(p->out, c->anchored ? ": to UTC within " : ": not tied to UTC: ");
    if (c->anchored) {
        ff_text_add_span(p->out, c->err_ns);
        ff_text_adds(p->out, ", ");
    }
    ff_text_add_clean(p->out, c->why);
    ff_text_addc(p->out, '\n');
}

static void add_clocks(const page *p, const ff_finding *f)
{
    bool *seen = ff_alloc((size_t)p->run->clocks.n + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->run->clocks.n; i++)
        seen[i] = false;
    add_title(p, "Clocks of its lines");
    for (uint32_t i = 0; i < f->n_evidence + f->n_symptoms; i++) {
        uint32_t ref = i < f->n_evidence ? f->evidence[i] : f->symptoms[i - f->n_evidence];
        uint32_t clock = p->r->evidence->signals[ref].clock;
        if (clock >= p->run->clocks.n || seen[clock])
            continue;
        seen[clock] = true;
        add_clock(p, &p->run->clocks.at[clock]);
        n++;
    }
    if (!n)
        ff_text_adds(p->out, "  none: its lines carry no time\n");
    ff_free(seen);
}

/* ---- links ---- */
static void add_link(const page *p, const ff_link *l)
{
    ff_text_addf(p->out, "  %s (order %s): ", ff_role_name(l->role), l->proven ? "proven" : "possible");
    ff_text_add_clean(p->out, l->because);
    ff_text_adds(p->out, "\n    ");
    add_name(p, &p->r->findings[l->finding]);
}

static void add_refused(const page *p, const ff_refused *link)
{
    ff_text_addf(p->out, "  %s: ", ff_refusal_name(link->why));
    ff_text_add_clean(p->out, link->because);
    ff_text_addc(p->out, '\n');
    if (link->left < p->r->evidence->n_signals)
        add_line(p, "cause", link->left);
    if (link->right < p->r->evidence->n_signals)
        add_line(p, "effect", link->right);
}

static void add_all_refused(const page *p, const ff_incident *in)
{
    uint32_t shown = p->all || in->n_refused < REFUSED_SHOWN ? in->n_refused : REFUSED_SHOWN;
    if (shown)
        add_title(p, "Links considered and refused");
    for (uint32_t i = 0; i < shown; i++)
        add_refused(p, &in->refused[i]);
    if (in->n_refused_all > shown && shown)
        ff_text_addf(p->out, "  and %" PRIu32 " more%s\n", in->n_refused_all - shown,
                     shown < in->n_refused ? " (--verbose)" : "");
}

static void add_refused_of(const page *p, const ff_finding *f)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->r->n_incidents; i++)
        for (uint32_t k = 0; k < p->r->incidents[i].n_refused; k++) {
            const ff_refused *link = &p->r->incidents[i].refused[k];
            if (link->by != f->id && link->finding != f->id)
                continue;
            if (n++ == 0)
                add_title(p, "Links considered and refused");
            add_refused(p, link);
        }
}

static void add_rulings(const page *p, const char *title, const ff_ruling *at, uint32_t n)
{
    if (n)
        add_title(p, title);
    for (uint32_t i = 0; i < n; i++) {
        ff_text_adds(p->out, "  ");
        ff_text_add_clean(p->out, at[i].text);
        ff_text_addc(p->out, '\n');
    }
}

static void add_others(const page *p, const ff_incident *own)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->r->n_incidents; i++) {
        const ff_incident *in = &p->r->incidents[i];
        if (in == own || !in->behind)
            continue;
        if (n == 0)
            add_title(p, "Considered, and not the verdict");
        if (++n > LINES_SHOWN && !p->all)
            continue;
        ff_text_addf(p->out, "  I%" PRIu32 ": %s\n    ", in->id + 1, in->behind);
        add_name(p, &p->r->findings[in->root]);
    }
    if (n > LINES_SHOWN && !p->all)
        ff_text_addf(p->out, "  and %" PRIu32 " more (--verbose)\n", n - LINES_SHOWN);
}

static bool is_linked(const page *p, uint32_t finding)
{
    for (uint32_t i = 0; i < p->r->n_incidents; i++)
        for (uint32_t k = 0; k < p->r->incidents[i].n_chain; k++)
            if (p->r->incidents[i].chain[k].finding == finding)
                return true;
    return false;
}

/* Judged, and in no incident: another finding knows its lines, or there were more than are linked. */
static bool is_left_out(const page *p, uint32_t finding)
{
    const ff_finding *f = &p->r->findings[finding];
    return f->severity != FF_SEV_NOTE && !is_linked(p, finding) &&
           !ff_equal(cause_id(p, f->cause), FF_LIT("healthy"));
}

static void add_dropped(const page *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->r->n_findings; i++) {
        const ff_finding *f = &p->r->findings[i];
        if (f->severity != FF_SEV_NOTE && !is_left_out(p, i))
            continue;
        if (n == 0)
            add_title(p, "Seen, and part of no incident");
        if (++n > LINES_SHOWN && !p->all)
            continue;
        ff_text_adds(p->out, f->echo ? "  an echo that nothing here explains: "
                             : f->severity == FF_SEV_NOTE
                                 ? "  a note, which is never a root: "
                                 : "  its lines are known to another finding, or there are too many: ");
        add_name(p, f);
    }
    if (n > LINES_SHOWN && !p->all)
        ff_text_addf(p->out, "  and %" PRIu32 " more (--verbose)\n", n - LINES_SHOWN);
}

static void add_incident(const page *p, const ff_incident *in)
{
    const ff_finding *root = &p->r->findings[in->root];
    ff_text_addf(p->out, "I%" PRIu32 "%s: ", in->id + 1, in->behind ? "" : ", the verdict");
    ff_text_add_clean(p->out, cause_id(p, root->cause));
    ff_text_addf(p->out, ", %s: ", ff_confidence_name(in->confidence));
    ff_text_add_clean(p->out, in->confidence_why);
    ff_text_addc(p->out, '\n');
    if (in->behind)
        ff_text_addf(p->out, "Not the verdict: %s.\n", in->behind);
    add_title(p, "Root");
    add_finding(p, root);
    add_joins(p, root);
    add_clocks(p, root);
    if (in->n_chain > 1)
        add_title(p, "Links");
    for (uint32_t i = 1; i < in->n_chain && (p->all || i <= LINES_SHOWN); i++)
        add_link(p, &in->chain[i]);
    if (in->n_chain > LINES_SHOWN + 1 && !p->all)
        ff_text_addf(p->out, "  and %" PRIu32 " more (--verbose)\n", in->n_chain - 1 - LINES_SHOWN);
    add_all_refused(p, in);
    add_others(p, in);
    add_rulings(p, "Ruled out", in->ruled_out, in->n_ruled_out);
    add_rulings(p, "Not ruled out", in->not_ruled_out, in->n_not_ruled_out);
    add_dropped(p);
}

static void add_one(const page *p, const ff_finding *f)
{
    add_finding(p, f);
    add_joins(p, f);
    add_clocks(p, f);
    add_title(p, "Place in the report");
    for (uint32_t i = 0; i < p->r->n_incidents; i++)
        for (uint32_t k = 0; k < p->r->incidents[i].n_chain; k++) {
            const ff_link *l = &p->r->incidents[i].chain[k];
            if (l->finding != f->id)
                continue;
            ff_text_addf(p->out, "  I%" PRIu32 ": %s (order %s): ", p->r->incidents[i].id + 1, ff_role_name(l->role),
                         l->proven ? "proven" : "possible");
            ff_text_add_clean(p->out, l->because);
            ff_text_addc(p->out, '\n');
        }
    if (!is_linked(p, f->id))
        ff_text_adds(p->out, f->severity == FF_SEV_NOTE ? "  a note: it was true and cost the job nothing\n"
                             : f->echo
                                 ? "  an echo: it says that something else failed, which the bundle does not hold\n"
                                 : "  none\n");
    add_refused_of(p, f);
}

/* ---- the command ---- */
/* "F12" or "I2"; anything else is a bundle. */
static bool is_id(const char *word, char *kind, uint64_t *number)
{
    ff_bytes rest = ff_str(word);
    *kind = rest.n ? rest.p[0] : '\0';
    if (*kind != 'F' && *kind != 'I')
        return false;
    rest = ff_skip_n(rest, 1);
    return ff_take_uint(&rest, number) && !rest.n && *number > 0;
}

static cli_exit explain(const page *p, char kind, uint64_t number)
{
    const ff_report *r = p->r;
    uint64_t most = kind == 'F' ? r->n_findings : r->n_incidents;
    if (kind && number > most) {
        cli_complain("there is no %c%" PRIu64 "; the last one is %c%" PRIu64, kind, number, kind, most);
        return CLI_USAGE;
    }
    if (kind == 'F') {
        add_one(p, &r->findings[number - 1]);
    } else if (kind == 'I' || r->verdict.incident < r->n_incidents) {
        add_incident(p, &r->incidents[kind == 'I' ? number - 1 : r->verdict.incident]);
    } else {
        ff_text_add_clean(p->out, cause_id(p, r->verdict.cause));
        ff_text_addf(p->out, ", %s: ", ff_confidence_name(r->verdict.confidence));
        ff_text_add_clean(p->out, r->verdict.confidence_why);
        ff_text_addc(p->out, '\n');
        add_others(p, NULL);
        add_dropped(p);
    }
    return CLI_OK;
}

static cli_exit tell(const cli_settings *s, const ff_run *run)
{
    char kind = '\0';
    uint64_t number = 0;
    if (s->finding)
        (void)is_id(s->finding, &kind, &number);
    ff_text out;
    ff_text_init(&out, 0);
    page p = { .out = &out, .run = run, .r = &run->report, .all = s->verbose };
    cli_exit exit_code = explain(&p, kind, number);
    if (exit_code == CLI_OK && !cli_say(&out))
        exit_code = CLI_FAILED;
    ff_text_done(&out);
    return exit_code;
}

cli_exit cli_explain(const cli_settings *s)
{
    cli_settings asked = *s;
    char kind;
    uint64_t number;
    uint32_t n = s->words.n;
    if (n > 1 && is_id(s->words.at[n - 1], &kind, &number)) {
        asked.words.n = n - 1;
        asked.finding = s->words.at[n - 1];
    }
    return cli_tell_judged(&asked, tell);
}
