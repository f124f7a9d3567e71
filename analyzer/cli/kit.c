#include "cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *cli_cache_folder(const cli_settings *s)
{
    if (s->cache_off)
        return NULL;
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *root = NULL;
    if (base && base[0] == '/')
        root = cli_join(base, "");
    else if (home && home[0] == '/')
        root = cli_join(home, ".cache");
    if (!root)
        return NULL;
    char *folder = cli_join(root, "firstfault");
    (void)mkdir(root, 0700);
    (void)mkdir(folder, 0700);
    ff_free(root);
    if (cli_is_folder(folder))
        return folder;
    ff_free(folder);
    return NULL;
}

/* What went wrong while judging has a rule, but no file. */
static void tell_problem(const ff_rule_problem *p)
{
    char line[16] = "";
    if (p->file.n)
        (void)snprintf(line, sizeof line, ":%" PRIu32 ": ", p->line);
    cli_complain("%.*s%s%.*s%s%.*s", (int)p->file.n, p->file.n ? p->file.p : "", line, (int)p->rule.n,
                 p->rule.n ? p->rule.p : "", p->rule.n ? ": " : "", (int)p->text.n, p->text.n ? p->text.p : "");
}

void cli_tell_problems(const ff_rulebook *rules, bool verbose)
{
    enum { MOST = 5 };
    for (uint32_t i = 0; i < rules->n_problems && (verbose || i < MOST); i++)
        tell_problem(&rules->problems[i]);
    if (!verbose && rules->n_problems > MOST)
        cli_complain("and %u more rule problems; --verbose shows them", rules->n_problems - MOST);
}

cli_exit cli_open_kit(const cli_settings *s, ff_kit *out)
{
    for (uint32_t i = 0; i < s->rules.n; i++) {
        if (cli_is_folder(s->rules.at[i]))
            continue;
        cli_complain("--rules %s: no such folder", s->rules.at[i]);
        return CLI_USAGE;
    }
    char *cache = cli_cache_folder(s);
    ff_kit_options options = { .rule_folders = s->rules.at,
                               .n_rule_folders = s->rules.n,
                               .prefilter_off = s->prefilter_off,
                               .cache_dir = cache };
    ff_error error = { 0 };
    ff_status status = ff_kit_open(&options, out, &error);
    ff_free(cache);
    if (status == FF_OK)
        return CLI_OK;
    cli_complain("%s", error.text);
    return CLI_FAILED;
}

static bool was_anything_read(const ff_evidence *e)
{
    for (uint32_t i = 0; i < e->n_members; i++)
        if (e->members[i].parser && !e->members[i].unread)
            return true;
    return false;
}

bool cli_was_read(const cli_settings *s, const ff_evidence *e)
{
    bool good = was_anything_read(e);
    if (!good)
        cli_complain("nothing in the bundle could be read");
    for (uint32_t i = 0; i < e->n_inputs && i < s->words.n; i++) {
        if (!e->inputs[i].unopened)
            continue;
        cli_complain("cannot open %s: %s", s->words.at[i], e->inputs[i].unopened);
        good = false;
    }
    return good;
}

typedef ff_status (*read_bundle)(const ff_kit *kit, const ff_run_options *options, ff_run *run, ff_error *error);

static cli_exit tell_run(const cli_settings *s, read_bundle read,
                         cli_exit (*tell)(const cli_settings *s, const ff_run *run))
{
    ff_kit kit;
    cli_exit exit_code = cli_open_kit(s, &kit);
    if (exit_code != CLI_OK)
        return exit_code;
    cli_confine(s);
    ff_run run;
    ff_error error = { 0 };
    ff_run_options options = {
        .inputs = s->words.at, .n_inputs = s->words.n, .jobs = s->jobs, .most_bytes = s->most_bytes
    };
    if (read(&kit, &options, &run, &error) == FF_OK) {
        cli_tell_problems(kit.rules, s->verbose);
        exit_code = tell(s, &run);
        if (!cli_was_read(s, &run.evidence))
            exit_code = CLI_FAILED;
    } else {
        cli_complain("%s", error.text);
        exit_code = CLI_FAILED;
    }
    ff_run_done(&run);
    ff_kit_close(&kit);
    return exit_code;
}

cli_exit cli_tell_read(const cli_settings *s, cli_exit (*tell)(const cli_settings *s, const ff_run *run))
{
    return tell_run(s, ff_run_read, tell);
}

cli_exit cli_tell_judged(const cli_settings *s, cli_exit (*tell)(const cli_settings *s, const ff_run *run))
{
    return tell_run(s, ff_run_bundle, tell);
}
