/* firstfault env: versions and variables as ranks and hosts say them, what differs, and what the rules have to say of
 * them. */
#include "cli.h"

#include <inttypes.h>

enum { MOST_RANGES = 24 };

static void add_place(ff_text *out, const ff_report *r, uint32_t signal)
{
    const ff_record *at = &r->evidence->signals[signal].at;
    ff_text_add_clean(out, r->evidence->members[at->member].name);
    ff_text_addf(out, ":%" PRIu32, at->line);
}

/* ---- who says so ---- */

static bool is_alike(const ff_setting *a, const ff_setting *b)
{
    return ff_equal(a->name, b->name) && ff_equal(a->value, b->value);
}

/* Settings of one name stand together, by host, then rank: ranks of a host count up. */
static void add_who(ff_text *out, const ff_setting *at, uint32_t n, const ff_setting *like)
{
    ff_bytes host = { 0 };
    int32_t last = FF_NO_NUMBER, opened = FF_NO_NUMBER;
    uint32_t told = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!is_alike(&at[i], like))
            continue;
        bool same = told && ff_equal(at[i].host, host);
        bool next = same && at[i].rank >= 0 && at[i].rank == last + 1;
        if (!next && last != opened)
            ff_text_addf(out, "-%" PRId32, last);
        if (!next && told++ >= MOST_RANGES) {
            ff_text_adds(out, " ...");
            return;
        }
        if (!same) {
            ff_text_adds(out, told > 1 ? "; " : "");
            ff_text_add_clean(out, at[i].host.n ? at[i].host : FF_LIT("host not known"));
        }
        if (!next && at[i].rank >= 0)
            ff_text_addf(out, "%s%" PRId32, same && last >= 0 ? "," : " rank ", at[i].rank);
        opened = next ? opened : at[i].rank;
        last = at[i].rank;
        host = at[i].host;
    }
    if (last != opened)
        ff_text_addf(out, "-%" PRId32, last);
}

static bool said_before(const ff_setting *at, uint32_t i, const ff_setting *like)
{
    for (uint32_t k = 0; k < i; k++)
        if (is_alike(&at[k], like))
            return true;
    return false;
}

static void add_setting(ff_text *out, const ff_report *r, const ff_setting *at, uint32_t n, uint32_t i)
{
    ff_text_adds(out, at[i].differs ? "  ! " : "    ");
    cli_add_cell(out, at[i].name, 30);
    cli_add_cell(out, at[i].value.n ? at[i].value : FF_LIT("(empty)"), 24);
    add_who(out, at, n, &at[i]);
    ff_text_adds(out, "  ");
    add_place(out, r, at[i].signal);
    ff_text_addc(out, '\n');
}

/* One row for each value of each name; its place is that of the first who said it. */
static bool add_table(ff_text *out, const char *title, const ff_report *r, const ff_setting *at, uint32_t n)
{
    bool differs = false;
    ff_text_addf(out, "%s\n", title);
    if (!n)
        ff_text_adds(out, "    none is named in the bundle\n");
    for (uint32_t i = 0, end = 0; i < n; i = end) {
        while (end < n && ff_equal(at[end].name, at[i].name))
            end++;
        for (uint32_t k = i; k < end; k++) {
            if (said_before(at + i, k - i, &at[k]))
                continue;
            add_setting(out, r, at + i, end - i, k - i);
            differs = differs || at[k].differs;
        }
    }
    return differs;
}

/* ---- what the rules say ---- */

/* A finding that rests on settings alone is about settings, whatever rule it comes from. */
static bool is_about_settings(const ff_report *r, const ff_finding *f)
{
    for (uint32_t i = 0; i < f->n_evidence; i++) {
        const ff_signal *s = &r->evidence->signals[f->evidence[i]];
        bool variable = ff_signal_field(s, "variable") && ff_signal_field(s, "value");
        if (!variable && !ff_signal_field(s, "version") && s->kind != FF_FACT_POD_ENV)
            return false;
    }
    return f->n_evidence > 0;
}

/* What a setting is the value of; empty: a version of something that has no name. */
static ff_bytes name_of(const ff_signal *s)
{
    for (uint32_t i = 0; i < s->n_fields; i++) {
        ff_bytes field = s->fields[i].name;
        if (ff_equal(field, FF_LIT("variable")) || ff_equal(field, FF_LIT("component")) ||
            ff_equal(field, FF_LIT("name")))
            return s->fields[i].s;
    }
    return (ff_bytes){ 0 };
}

/* Several places that speak of one and the same setting. */
static bool is_disagreement(const ff_report *r, const ff_finding *f)
{
    const ff_signal *all = r->evidence->signals;
    for (uint32_t i = 1; i < f->n_evidence; i++)
        if (!ff_equal(name_of(&all[f->evidence[0]]), name_of(&all[f->evidence[i]])))
            return false;
    return f->n_evidence > 1;
}

static void add_finding(ff_text *out, const ff_report *r, const ff_finding *f)
{
    ff_text_addf(out, "    %s (%s): ", ff_severity_name(f->severity), ff_confidence_name(f->confidence));
    ff_text_add_clean(out, f->summary);
    ff_text_addc(out, '\n');
    for (uint32_t i = 0; i < f->n_evidence && i < MOST_RANGES; i++) {
        ff_text_adds(out, "        ");
        add_place(out, r, f->evidence[i]);
        ff_text_adds(out, "  ");
        ff_text_add_clean(out, ff_first_n(ff_trim(r->evidence->signals[f->evidence[i]].quote), 160));
        ff_text_addc(out, '\n');
    }
}

static void add_findings(ff_text *out, const char *title, const ff_report *r, bool disagreement)
{
    uint32_t n = 0;
    ff_text_addf(out, "%s\n", title);
    for (uint32_t i = 0; i < r->n_findings; i++) {
        const ff_finding *f = &r->findings[i];
        if (!is_about_settings(r, f) || is_disagreement(r, f) != disagreement)
            continue;
        add_finding(out, r, f);
        n++;
    }
    if (!n)
        ff_text_adds(out, "    nothing found\n");
}

/* ---- of whom nothing is known ---- */

static int64_t world_size(const ff_report *r)
{
    uint32_t kind = ff_kind_find(r->rules, FF_LIT("nccl.init_start"));
    int64_t most = 0;
    for (uint32_t i = 0; i < r->evidence->n_signals; i++) {
        const ff_signal *s = &r->evidence->signals[i];
        for (uint32_t k = 0; s->kind == kind && k < s->n_fields; k++)
            if (ff_equal(s->fields[k].name, FF_LIT("nranks")) && s->fields[k].i > most)
                most = s->fields[k].i;
    }
    return most;
}

static void mark(bool *heard, int64_t n, const ff_setting *at, uint32_t n_settings)
{
    for (uint32_t i = 0; i < n_settings; i++)
        if (at[i].rank >= 0 && at[i].rank < n)
            heard[at[i].rank] = true;
}

static void add_silent(ff_text *out, const ff_report *r)
{
    enum { MOST_WORLD = 1 << 16 };
    int64_t n = world_size(r);
    n = n < MOST_WORLD ? n : MOST_WORLD;
    bool *heard = ff_alloc((size_t)n + 1);
    memset(heard, 0, (size_t)n + 1);
    mark(heard, n, r->versions, r->n_versions);
    mark(heard, n, r->variables, r->n_variables);
    int64_t n_silent = 0;
    for (int64_t i = 0; i < n; i++)
        n_silent += !heard[i];
    unsigned told = 0;
    for (int64_t i = 0, end = 0; i < n; i = end + 1) {
        for (end = i; end < n && !heard[end];)
            end++;
        if (end == i || told++ >= MOST_RANGES)
            continue;
        if (told == 1)
            ff_text_addf(out, "No setting is known of %s ", n_silent == 1 ? "rank" : "ranks");
        ff_text_addf(out, "%s%" PRId64, told > 1 ? "," : "", i);
        if (end - i > 1)
            ff_text_addf(out, "-%" PRId64, end - 1);
    }
    if (told)
        ff_text_addf(out, "%s: %s\n", told > MOST_RANGES ? ",..." : "",
                     n_silent == 1 ? "its log is missing, or does not say" : "their logs are missing, or do not say");
    ff_free(heard);
}

static cli_exit tell(const cli_settings *s, const ff_run *run)
{
    const ff_report *r = &run->report;
    (void)s;
    if (!r->n_versions && !r->n_variables) {
        cli_complain("the bundle names no version and no variable");
        return CLI_NO;
    }
    ff_text out;
    ff_text_init(&out, 0);
    bool differs = add_table(&out, "Versions", r, r->versions, r->n_versions);
    differs = add_table(&out, "Variables", r, r->variables, r->n_variables) || differs;
    if (differs)
        ff_text_adds(&out, "  ! another rank or host has another value; not every setting has to agree\n");
    add_silent(&out, r);
    add_findings(&out, "Must agree, and does not", r, true);
    add_findings(&out, "Settings worth a look", r, false);
    bool good = cli_say(&out);
    ff_text_done(&out);
    return good ? CLI_OK : CLI_FAILED;
}

cli_exit cli_env(const cli_settings *s) { return cli_tell_judged(s, tell); }
