#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../intake/pack.h"
#include "../report/report.h"

/* ---- asked before the work begins, so that a typing error costs nothing ---- */
static cli_exit check_expected(const cli_settings *s, const ff_rulebook *rules)
{
    for (uint32_t i = 0; i < s->expect.n; i++) {
        if (ff_cause_find(rules, ff_str(s->expect.at[i])) != FF_NONE)
            continue;
        const char **ids = ff_alloc(rules->n_causes * sizeof *ids);
        ff_arena arena;
        ff_arena_init(&arena);
        for (uint32_t c = 0; c < rules->n_causes; c++)
            ids[c] = ff_arena_str(&arena, rules->causes[c].id);
        const char *near = cli_nearest(s->expect.at[i], ids, rules->n_causes);
        if (near)
            cli_complain("--expect %s: no such cause; did you mean %s?", s->expect.at[i], near);
        else
            cli_complain("--expect %s: no such cause; see firstfault causes", s->expect.at[i]);
        ff_arena_done(&arena);
        ff_free(ids);
        return CLI_USAGE;
    }
    return CLI_OK;
}

typedef void (*text_writer)(const ff_report *r, ff_text *out);

typedef struct text_output {
    const char *option, *file; /* file: NULL where it is not wanted */
    text_writer write;
    const char *name; /* in the output folder; NULL: not there */
} text_output;
enum { TEXT_OUTPUTS = 7 };

static void list_outputs(const cli_settings *s, text_output *out)
{
    out[0] = (text_output){ "html", s->html, ff_write_html, "report.html" };
    out[1] = (text_output){ "json", s->json, ff_write_json, "report.json" };
    out[2] = (text_output){ "markdown", s->markdown, ff_write_markdown, NULL };
    out[3] = (text_output){ "junit", s->junit, ff_write_junit, NULL };
    out[4] = (text_output){ "sarif", s->sarif, ff_write_sarif, NULL };
    out[5] = (text_output){ "ndjson", s->ndjson, ff_write_ndjson, NULL };
    out[6] = (text_output){ "csv", s->csv, ff_write_csv, NULL };
}

static bool is_stdout(const char *path) { return path && strcmp(path, "-") == 0; }

static cli_exit check_outputs(const cli_settings *s)
{
    const char *first = NULL;
    text_output all[TEXT_OUTPUTS];
    list_outputs(s, all);
    for (size_t i = 0; i < TEXT_OUTPUTS; i++) {
        if (!is_stdout(all[i].file))
            continue;
        if (first) {
            cli_complain("--%s - and --%s - cannot both go to standard output", first, all[i].option);
            return CLI_USAGE;
        }
        first = all[i].option;
    }
    return !s->out_dir || cli_make_folder(s->out_dir) ? CLI_OK : CLI_FAILED;
}

/* ---- outputs ---- */
/* The workbook's library does not ask whether each write reached the disk; its sums tell. */
static ff_status write_workbook(const void *what, const char *path, ff_error *error)
{
    ff_status status = ff_write_xlsx(what, path, error);
    return status == FF_OK ? ff_pack_verify(path, error) : status;
}

/* What was written, for the summary. */
typedef struct written {
    ff_text in_folder, files;
} written;

static void add_name(ff_text *list, const char *name)
{
    ff_text_adds(list, list->n ? ", " : "");
    ff_text_add_clean(list, ff_str(name));
}

static bool note_file(written *w, const char *path, bool good)
{
    if (good && !is_stdout(path))
        add_name(&w->files, path);
    return good;
}

static bool note_in_folder(written *w, const char *name, bool good)
{
    if (good)
        add_name(&w->in_folder, name);
    return good;
}

/* One rendering, written to a file of its own and into the output folder. */
static bool write_text_report(const cli_settings *s, const ff_report *r, const text_output *o, written *w)
{
    bool in_folder = s->out_dir && o->name;
    if (!o->file && !in_folder)
        return true;
    ff_text out;
    ff_text_init(&out, 0);
    o->write(r, &out);
    bool good = !o->file || note_file(w, o->file, cli_write_file(o->file, ff_text_view(&out)));
    if (in_folder) {
        char *path = cli_join(s->out_dir, o->name);
        good = note_in_folder(w, o->name, cli_write_over(path, ff_text_view(&out))) && good;
        ff_free(path);
    }
    ff_text_done(&out);
    return good;
}

static bool write_text_reports(const cli_settings *s, const ff_report *r, written *w)
{
    text_output all[TEXT_OUTPUTS];
    bool good = true;
    list_outputs(s, all);
    for (size_t i = 0; i < TEXT_OUTPUTS; i++)
        good = write_text_report(s, r, &all[i], w) && good;
    return good;
}

static bool uses_stdout(const cli_settings *s)
{
    text_output all[TEXT_OUTPUTS];
    list_outputs(s, all);
    for (size_t i = 0; i < TEXT_OUTPUTS; i++)
        if (is_stdout(all[i].file))
            return true;
    return false;
}

static bool write_workbooks(const cli_settings *s, const ff_report *r, written *w)
{
    bool good = !s->xlsx || note_file(w, s->xlsx, cli_write_by(s->xlsx, write_workbook, r));
    if (s->out_dir) {
        char *path = cli_join(s->out_dir, "report.xlsx");
        good = note_in_folder(w, "report.xlsx", cli_write_by(path, write_workbook, r)) && good;
        ff_free(path);
    }
    return good;
}

static void add_where(ff_text *out, const cli_settings *s, const written *w)
{
    if (!w->in_folder.n && !w->files.n)
        return;
    ff_text_adds(out, "Report: ");
    if (w->in_folder.n) {
        ff_text_add_clean(out, ff_str(s->out_dir));
        ff_text_adds(out, s->out_dir[strlen(s->out_dir) - 1] == '/' ? "" : "/");
        ff_text_add(out, ff_text_view(&w->in_folder));
    }
    ff_text_adds(out, w->in_folder.n && w->files.n ? ", " : "");
    ff_text_add(out, ff_text_view(&w->files));
    ff_text_addc(out, '\n');
}

/* Standard output may carry a report; then the summary goes where a person still sees it. */
static bool tell_summary(const cli_settings *s, const ff_report *r, const written *w)
{
    if (s->quiet)
        return true;
    int fd = uses_stdout(s) ? STDERR_FILENO : STDOUT_FILENO;
    ff_text_style style = { .colour = cli_use_colour(s->colour, fd), .width = cli_width(fd), .verbose = s->verbose };
    ff_text out;
    ff_text_init(&out, 0);
    ff_write_text(r, &style, &out);
    add_where(&out, s, w);
    bool good = cli_emit(fd, ff_text_view(&out)) || fd == STDERR_FILENO;
    ff_text_done(&out);
    return good;
}

/* ---- what the exit code says ---- */
static bool is_expected(const cli_settings *s, ff_bytes cause)
{
    for (uint32_t i = 0; i < s->expect.n; i++)
        if (ff_equal(cause, ff_str(s->expect.at[i])))
            return true;
    return s->expect.n == 0;
}

static ff_bytes verdict_cause(const ff_report *r)
{
    return r->verdict.cause < r->rules->n_causes ? r->rules->causes[r->verdict.cause].id : FF_LIT("unknown");
}

/* A failure that no rule explains counts as an error: it must not pass for want of a name. */
static bool is_too_grave(const cli_settings *s, const ff_report *r)
{
    if (!s->has_fail_on)
        return false;
    if (ff_equal(verdict_cause(r), FF_LIT("unknown")) && s->fail_on <= FF_SEV_ERROR)
        return true;
    for (uint32_t i = 0; i < r->n_findings; i++)
        if (r->findings[i].severity >= s->fail_on)
            return true;
    return false;
}

static cli_exit judge_exit(const cli_settings *s, const ff_report *r)
{
    if (!cli_was_read(s, r->evidence))
        return CLI_FAILED;
    if (!is_expected(s, verdict_cause(r))) {
        ff_bytes cause = verdict_cause(r);
        cli_complain("the verdict is %.*s, not what --expect wants", (int)cause.n, cause.p);
        return CLI_NO;
    }
    return is_too_grave(s, r) ? CLI_NO : CLI_OK;
}

static cli_exit analyze_with(const cli_settings *s, const ff_kit *kit)
{
    cli_progress progress;
    ff_run run;
    ff_error error = { 0 };
    cli_progress_open(&progress, !s->quiet);
    ff_run_options options = { .inputs = s->words.at,
                               .n_inputs = s->words.n,
                               .jobs = s->jobs,
                               .most_bytes = s->most_bytes,
                               .progress = cli_progress_tell,
                               .progress_owner = &progress };
    ff_status status = ff_run_bundle(kit, &options, &run, &error);
    cli_progress_close(&progress);
    cli_exit exit_code = CLI_FAILED;
    if (status != FF_OK) {
        cli_complain("%s", error.text);
    } else {
        const ff_report *r = &run.report;
        cli_tell_problems(kit->rules, s->verbose);
        written w;
        ff_text_init(&w.in_folder, 0);
        ff_text_init(&w.files, 0);
        bool good = write_text_reports(s, r, &w);
        good = write_workbooks(s, r, &w) && good;
        good = (!s->perfetto || note_file(&w, s->perfetto, cli_write_trace(s->perfetto, r->evidence))) && good;
        good = tell_summary(s, r, &w) && good;
        ff_text_done(&w.in_folder);
        ff_text_done(&w.files);
        exit_code = good ? judge_exit(s, r) : CLI_FAILED;
    }
    ff_run_done(&run);
    return exit_code;
}

/* The report is made of a redacted bundle, which exists just as long: nothing private is there to be forgotten. */
static cli_exit analyze_redacted(const cli_settings *s, const ff_kit *kit)
{
    char *folder = cli_join(cli_scratch_folder(s), ".firstfault.XXXXXX");
    cli_exit exit_code = CLI_FAILED;
    cli_ends_wait();
    bool made = mkdtemp(folder) != NULL;
    int why = errno;
    unsigned will = made ? cli_will_add(folder) : 0;
    cli_ends_come();
    if (!made) {
        cli_complain("cannot make a folder in %s: %s", cli_scratch_folder(s), strerror(why));
    } else {
        char *path = cli_join(folder, "bundle.tar");
        unsigned inner = cli_will_add(path);
        cli_settings redacted = *s;
        const char *words[] = { path };
        redacted.words = (cli_list){ words, 1, 1 };
        if (cli_redact_to(s, kit, path, true))
            exit_code = analyze_with(&redacted, kit);
        (void)unlink(path);
        (void)rmdir(folder);
        cli_will_drop(inner);
        cli_will_drop(will);
        ff_free(path);
    }
    ff_free(folder);
    return exit_code;
}

cli_exit cli_analyze(const cli_settings *s)
{
    ff_kit kit;
    cli_exit exit_code = cli_open_kit(s, &kit);
    if (exit_code != CLI_OK)
        return exit_code;
    exit_code = check_expected(s, kit.rules);
    if (exit_code == CLI_OK)
        exit_code = check_outputs(s);
    if (exit_code == CLI_OK) {
        cli_confine(s);
        exit_code = s->redact ? analyze_redacted(s, &kit) : analyze_with(s, &kit);
    }
    ff_kit_close(&kit);
    return exit_code;
}
