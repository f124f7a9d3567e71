/* Runs every case below some folders and prints how far each report is what was expected. */
#include "cases.h"
#include "../report/report.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASE_DEPTH 8              /* folders below the one given */
#define EXPECTED_BYTES (1u << 20) /* of one expected.json */

typedef struct paths {
    char **at;
    uint32_t n, cap;
} paths;

typedef struct tally {
    uint32_t asked[CASE_CHECKS], good[CASE_CHECKS];
    uint32_t cases, passed;
} tally;

typedef struct table {
    const cli_settings *settings;
    const ff_kit *kit;
    tally tally;
    bool failed; /* something could not be read */
    bool printed;
    size_t name_width;
} table;

/* ---- finding cases ---- */
static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static bool is_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    (void)fclose(f);
    return !cli_is_folder(path);
}

static bool is_case(const char *folder)
{
    char *expected = cli_join(folder, "expected.json");
    bool yes = is_file(expected);
    ff_free(expected);
    return yes;
}

static void free_paths(paths *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        ff_free(p->at[i]);
    ff_free(p->at);
}

static void find_cases(const char *folder, unsigned depth, paths *out)
{
    if (is_case(folder)) {
        FF_PUSH(out, cli_join(folder, ""));
        return;
    }
    DIR *d = depth ? opendir(folder) : NULL;
    if (!d)
        return;
    paths names = { 0 };
    for (const struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.')
            FF_PUSH(&names, cli_join(folder, e->d_name));
    (void)closedir(d);
    if (names.n)
        qsort(names.at, names.n, sizeof *names.at, by_name);
    for (uint32_t i = 0; i < names.n; i++)
        if (cli_is_folder(names.at[i]))
            find_cases(names.at[i], depth - 1, out);
    free_paths(&names);
}

static ff_bytes read_file(const char *path, char *buffer, size_t room)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return (ff_bytes){ 0 };
    size_t n = fread(buffer, 1, room, f);
    (void)fclose(f);
    return (ff_bytes){ buffer, n };
}

/* ---- the table ---- */
static const char *const check_titles[CASE_CHECKS] = { "root", "spared", "class", "ranks", "first", "sympt" };

static void add_head(ff_text *out, const table *t)
{
    cli_add_cell(out, FF_LIT("CASE"), t->name_width);
    for (size_t i = 0; i < CASE_CHECKS; i++)
        cli_add_cell(out, ff_str(check_titles[i]), 6);
    ff_text_adds(out, "VERDICT\n");
}

static void add_case(ff_text *out, const table *t, ff_bytes name, const case_score *score, const ff_report *r)
{
    static const char *const marks[] = { "-", "yes", "NO" };
    cli_add_cell(out, name, t->name_width);
    for (size_t i = 0; i < CASE_CHECKS; i++)
        cli_add_cell(out, ff_str(marks[score->mark[i]]), 6);
    ff_bytes got = r->verdict.cause < r->rules->n_causes ? r->rules->causes[r->verdict.cause].id : FF_LIT("unknown");
    ff_text_add_clean(out, got);
    if (score->mark[CASE_ROOT] == CASE_NO) {
        ff_text_adds(out, ", not ");
        ff_text_add_clean(out, score->wanted);
    }
    if (t->settings->verbose && r->verdict.incident < r->n_incidents) {
        const ff_incident *in = &r->incidents[r->verdict.incident];
        const ff_evidence *e = r->evidence;
        if (in->began_signal < e->n_signals && e->signals[in->began_signal].at.member < e->n_members) {
            const ff_record *at = &e->signals[in->began_signal].at;
            ff_text_adds(out, "  ");
            ff_text_add_clean(out, e->members[at->member].name);
            ff_text_addf(out, ":%" PRIu32, at->line);
        }
        for (uint32_t i = 0; i < in->suspects.n_ranks && i < 16; i++)
            ff_text_addf(out, "%s%" PRId32, i ? "," : "  ranks ", in->suspects.ranks[i]);
    }
    ff_text_addc(out, '\n');
}

static void add_totals(ff_text *out, const table *t)
{
    char cell[32];
    (void)snprintf(cell, sizeof cell, "%" PRIu32 " of %" PRIu32 " passed", t->tally.passed, t->tally.cases);
    cli_add_cell(out, ff_str(cell), t->name_width);
    for (size_t i = 0; i < CASE_CHECKS; i++) {
        (void)snprintf(cell, sizeof cell, "%" PRIu32 "/%" PRIu32, t->tally.good[i], t->tally.asked[i]);
        cli_add_cell(out, ff_str(cell), 6);
    }
    ff_text_addc(out, '\n');
}

static void count(tally *t, const case_score *score)
{
    t->cases++;
    t->passed += case_passed(score);
    for (size_t i = 0; i < CASE_CHECKS; i++) {
        t->asked[i] += score->mark[i] != CASE_NOT_ASKED;
        t->good[i] += score->mark[i] == CASE_YES;
    }
}

/* ---- one case ---- */
/* bundle/, or a single archive: bundle.tar.gz and the like. */
static char *find_bundle(const char *folder)
{
    static const char *const names[] = { "bundle",        "bundle.tar.gz", "bundle.tar.zst",
                                         "bundle.tar.xz", "bundle.tar",    "bundle.zip" };
    for (size_t i = 0; i < FF_COUNT(names); i++) {
        char *path = cli_join(folder, names[i]);
        if (cli_is_folder(path) || is_file(path))
            return path;
        ff_free(path);
    }
    return NULL;
}

/* The report of a case, named by the case, into the output folder: what one wants to see of a case that fails. */
static bool keep_report(const table *t, ff_bytes name, const ff_report *r)
{
    if (!t->settings->out_dir)
        return true;
    ff_text out, file;
    ff_text_init(&out, 0);
    ff_text_init(&file, 0);
    ff_text_addf(&file, "%.*s.json", (int)name.n, name.p);
    ff_write_json(r, &out);
    char *path = cli_join(t->settings->out_dir, file.p);
    bool good = cli_write_over(path, ff_text_view(&out));
    ff_free(path);
    ff_text_done(&file);
    ff_text_done(&out);
    return good;
}

static bool run_case(table *t, const char *folder, const ff_tree *expected)
{
    char *bundle = find_bundle(folder);
    if (!bundle) {
        cli_complain("%s: no bundle in it", folder);
        return false;
    }
    const char *const inputs[] = { bundle };
    ff_run_options options = { .inputs = inputs, .n_inputs = 1, .jobs = t->settings->jobs };
    ff_run run;
    ff_error error = { 0 };
    bool good = ff_run_bundle(t->kit, &options, &run, &error) == FF_OK;
    if (good) {
        ff_text out;
        ff_text_init(&out, 0);
        case_score score = case_compare(expected, &run.report);
        count(&t->tally, &score);
        add_case(&out, t, ff_base_name(ff_str(folder)), &score, &run.report);
        t->printed = cli_say(&out) && t->printed;
        ff_text_done(&out);
        good = keep_report(t, ff_base_name(ff_str(folder)), &run.report);
    } else {
        cli_complain("%s: %s", folder, error.text);
    }
    ff_run_done(&run);
    ff_free(bundle);
    return good;
}

static bool try_case(table *t, const char *folder)
{
    char *path = cli_join(folder, "expected.json"), *buffer = ff_alloc(EXPECTED_BYTES);
    ff_tree tree;
    size_t end = 0;
    ff_tree_init(&tree, read_file(path, buffer, EXPECTED_BYTES));
    bool good = ff_json_read(&tree, &end) == FF_OK && !tree.truncated &&
                ff_node_text(&tree, ff_node_get(&tree, 0, "root_cause")).n;
    if (!good)
        cli_complain("%s: cannot be read, or has no root_cause", path);
    good = good && run_case(t, folder, &tree);
    ff_tree_done(&tree);
    ff_free(buffer);
    ff_free(path);
    return good;
}

static cli_exit run_all(table *t, const paths *cases)
{
    ff_text out;
    ff_text_init(&out, 0);
    add_head(&out, t);
    t->printed = cli_say(&out);
    for (uint32_t i = 0; i < cases->n && t->printed; i++)
        t->failed = !try_case(t, cases->at[i]) || t->failed;
    out.n = 0;
    add_totals(&out, t);
    t->printed = t->printed && cli_say(&out);
    ff_text_done(&out);
    if (t->failed || !t->printed)
        return CLI_FAILED;
    return t->tally.passed == t->tally.cases || t->settings->report_only ? CLI_OK : CLI_NO;
}

/* Reports are named by their cases: two of one name would leave one report. */
static cli_exit prepare_output(const cli_settings *s, const paths *cases)
{
    if (!s->out_dir)
        return CLI_OK;
    const char **names = ff_alloc((cases->n + 1) * sizeof *names);
    ff_arena arena;
    ff_arena_init(&arena);
    for (uint32_t i = 0; i < cases->n; i++)
        names[i] = ff_arena_str(&arena, ff_base_name(ff_str(cases->at[i])));
    qsort(names, cases->n, sizeof *names, by_name);
    uint32_t twice = 1;
    while (twice < cases->n && strcmp(names[twice], names[twice - 1]) != 0)
        twice++;
    bool distinct = twice >= cases->n;
    if (!distinct)
        cli_complain("two cases are named %s: their reports cannot lie in one folder", names[twice]);
    ff_arena_done(&arena);
    ff_free(names);
    return !distinct ? CLI_USAGE : cli_make_folder(s->out_dir) ? CLI_OK : CLI_FAILED;
}

cli_exit cli_test(const cli_settings *s)
{
    paths cases = { 0 };
    table t = { .settings = s, .name_width = 20 };
    for (uint32_t i = 0; i < s->words.n; i++)
        find_cases(s->words.at[i], CASE_DEPTH, &cases);
    for (uint32_t i = 0; i < cases.n; i++)
        if (ff_base_name(ff_str(cases.at[i])).n > t.name_width)
            t.name_width = ff_base_name(ff_str(cases.at[i])).n;
    cli_exit exit_code = CLI_FAILED;
    ff_kit kit;
    if (!cases.n)
        cli_complain("no case (a folder with expected.json) was found");
    else
        exit_code = prepare_output(s, &cases);
    if (cases.n && exit_code == CLI_OK)
        exit_code = cli_open_kit(s, &kit);
    if (cases.n && exit_code == CLI_OK) {
        cli_confine(s);
        t.kit = &kit;
        exit_code = run_all(&t, &cases);
        ff_kit_close(&kit);
    }
    free_paths(&cases);
    return exit_code;
}
