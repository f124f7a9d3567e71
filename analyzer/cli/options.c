#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct option {
    char letter;       /* names it in cli_command.options */
    bool is_short;     /* the letter is also typed: -o */
    const char *name;  /* without the dashes */
    const char *value; /* NULL: a switch */
    const char *about;
} option;

static const option options[] = {
    { 'o', true, "output", "DIR",
      "write report.json, report.html and report.xlsx into DIR (it is created); redact: the archive; test: CASE.json" },
    { 'j', false, "json", "FILE", "write the JSON report to FILE; - is standard output" },
    { 'H', false, "html", "FILE", "write the HTML report to FILE" },
    { 'x', false, "xlsx", "FILE", "write the workbook to FILE" },
    { 'm', false, "markdown", "FILE", "write the verdict as Markdown, for a ticket" },
    { 'u', false, "junit", "FILE", "write the verdict and causes as JUnit XML, for CI" },
    { 'S', false, "sarif", "FILE", "write the findings as SARIF 2.1.0" },
    { 'N', false, "ndjson", "FILE", "write the time line as one JSON object a line" },
    { 'V', false, "csv", "FILE", "write the findings as CSV" },
    { 'p', false, "perfetto", "FILE", "write the Flight Recorder dumps as a trace that Perfetto opens" },
    { 'r', false, "rules", "DIR", "load the rules below DIR too; may be given several times" },
    { 'J', false, "jobs", "N", "threads that read and scan; default: one for each core" },
    { 'b', false, "max-bytes", "N",
      "read no more than N bytes unpacked, with K, M, G or T behind: for a pipe without end" },
    { 'f', false, "fail-on", "SEVERITY", "exit 1 at a finding this grave: note, warning, error, critical" },
    { 'e', false, "expect", "CAUSE", "exit 1 unless this is the verdict; several: any of them" },
    { 'c', false, "color", "WHEN", "auto, always or never" },
    { 'q', true, "quiet", NULL, "no summary on the terminal" },
    { 'v', true, "verbose", NULL, "everything that the summary otherwise cuts" },
    { 'n', false, "no-prefilter", NULL, "try every signature on every line: slow, to test rules" },
    { 'C', false, "no-cache", NULL, "neither read nor write the cache of compiled rules" },
    { 'D', false, "redact", NULL,
      "report on the bundle with pseudonyms for hosts, users, addresses, names and keys" },
    { 'M', false, "map", "FILE", "write the pseudonyms and what they stand for to FILE: keep it to yourself" },
    { 'k', false, "check", NULL, "write nothing; list what looks private" },
    { 'X', false, "no-sandbox", NULL, "run unconfined, where a system cannot bear the sandbox" },
    { 'R', false, "report-only", NULL, "exit 0 even when a case fails" },
    { 'h', true, "help", NULL, "this text" },
};

static bool takes(const cli_command *command, const option *o)
{
    return o->letter == 'h' || strchr(command->options, o->letter) != NULL;
}

static void push(cli_list *list, const char *word) { FF_PUSH(list, word); }

static unsigned distance(const char *a, const char *b)
{
    enum { MOST = 32 };
    size_t n = strlen(b);
    if (n >= MOST || strlen(a) >= MOST)
        return MOST;
    unsigned row[MOST];
    for (size_t i = 0; i <= n; i++)
        row[i] = (unsigned)i;
    for (unsigned k = 1; *a; a++, k++) {
        unsigned corner = row[0];
        row[0] = k;
        for (size_t i = 1; i <= n; i++) {
            unsigned change = corner + (*a != b[i - 1]);
            corner = row[i];
            unsigned other = (row[i] < row[i - 1] ? row[i] : row[i - 1]) + 1;
            row[i] = change < other ? change : other;
        }
    }
    return row[n];
}

/* A slip of the finger, not another word: one change in a short word, one in three letters of a longer one. */
static unsigned most_changes(const char *word) { return strlen(word) < 6 ? 1 : (unsigned)strlen(word) / 3; }

const char *cli_nearest(const char *word, const char *const *candidates, size_t n)
{
    const char *best = NULL;
    unsigned least = (most_changes(word) < 3 ? most_changes(word) : 3) + 1;
    for (size_t i = 0; i < n; i++) {
        unsigned d = distance(word, candidates[i]);
        bool begins = strlen(word) >= 2 && strncmp(word, candidates[i], strlen(word)) == 0;
        if (begins && d > 1)
            d = 1;
        if (d < least && d < strlen(candidates[i])) {
            least = d;
            best = candidates[i];
        }
    }
    return best;
}

static cli_exit unknown_option(const cli_command *command, const char *word)
{
    const char *names[FF_COUNT(options)];
    size_t n = 0;
    for (size_t i = 0; i < FF_COUNT(options); i++)
        if (takes(command, &options[i]))
            names[n++] = options[i].name;
    char name[64] = "";
    while (*word == '-')
        word++;
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    const char *near = cli_nearest(name, names, n);
    if (near)
        cli_complain("%s has no option --%s; did you mean --%s?", command->name, name, near);
    else
        cli_complain("%s has no option %s%s; see firstfault %s --help", command->name, strlen(name) > 1 ? "--" : "-",
                     name, command->name);
    return CLI_USAGE;
}

static bool read_jobs(const char *value, unsigned *out)
{
    ff_bytes rest = ff_str(value);
    uint64_t n = 0;
    if (!ff_take_uint(&rest, &n) || rest.n || n < 1 || n > 1024)
        return false;
    *out = (unsigned)n;
    return true;
}

static bool read_size(const char *value, uint64_t *out)
{
    static const char units[] = "KMGT";
    ff_bytes rest = ff_str(value);
    uint64_t n = 0;
    if (!ff_take_uint(&rest, &n) || rest.n > 1 || n == 0)
        return false;
    const char *unit = rest.n ? strchr(units, rest.p[0]) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if ((rest.n && !unit) || n > UINT64_MAX >> 1 >> shift)
        return false;
    *out = n << shift;
    return true;
}

static bool read_colour(const char *value, cli_colour *out)
{
    static const char *const names[] = { "auto", "always", "never" };
    for (size_t i = 0; i < FF_COUNT(names); i++) {
        if (strcmp(value, names[i]) != 0)
            continue;
        *out = (cli_colour)i;
        return true;
    }
    return false;
}

/* False: the value does not fit. */
static bool apply(char letter, const char *value, cli_settings *s)
{
    switch (letter) {
    case 'o':
        s->out_dir = value;
        return *value;
    case 'j':
        s->json = value;
        return *value;
    case 'H':
        s->html = value;
        return *value;
    case 'x':
        s->xlsx = value;
        return *value && strcmp(value, "-") != 0;
    case 'm':
        s->markdown = value;
        return *value;
    case 'u':
        s->junit = value;
        return *value;
    case 'S':
        s->sarif = value;
        return *value;
    case 'N':
        s->ndjson = value;
        return *value;
    case 'V':
        s->csv = value;
        return *value;
    case 'p':
        s->perfetto = value;
        return *value;
    case 'r':
        push(&s->rules, value);
        return *value;
    case 'J':
        return read_jobs(value, &s->jobs);
    case 'b':
        return read_size(value, &s->most_bytes);
    case 'f':
        s->has_fail_on = true;
        return ff_severity_from_name(ff_str(value), &s->fail_on);
    case 'e':
        push(&s->expect, value);
        return *value;
    case 'c':
        return read_colour(value, &s->colour);
    case 'q':
        s->quiet = true;
        return true;
    case 'v':
        s->verbose = true;
        return true;
    case 'n':
        s->prefilter_off = true;
        return true;
    case 'C':
        s->cache_off = true;
        return true;
    case 'D':
        s->redact = true;
        return true;
    case 'M':
        s->map = value;
        return *value;
    case 'k':
        s->check = true;
        return true;
    case 'X':
        s->sandbox_off = true;
        return true;
    case 'R':
        s->report_only = true;
        return true;
    default:
        s->help = true;
        return true;
    }
}

static const option *find_option(const cli_command *command, const char *word, const char **value)
{
    bool is_long = word[1] == '-';
    *value = NULL;
    for (size_t i = 0; i < FF_COUNT(options); i++) {
        const option *o = &options[i];
        if (!takes(command, o))
            continue;
        if (!is_long && o->is_short && word[1] == o->letter && (o->value || !word[2])) {
            *value = word[2] ? word + 2 : NULL;
            return o;
        }
        size_t n = strlen(o->name);
        if (is_long && strncmp(word + 2, o->name, n) == 0 && (!word[2 + n] || word[2 + n] == '=')) {
            *value = word[2 + n] ? word + 3 + n : NULL;
            return o;
        }
    }
    return NULL;
}

static cli_exit check_words(const cli_command *command, const cli_settings *s)
{
    if (s->help)
        return CLI_OK;
    if (s->words.n < command->least) {
        cli_complain("%s needs %s; see firstfault %s --help", command->name, command->arguments, command->name);
        return CLI_USAGE;
    }
    if (s->words.n > command->most) {
        cli_complain("%s: \"%s\" is one argument too many; see firstfault %s --help", command->name,
                     s->words.at[command->most], command->name);
        return CLI_USAGE;
    }
    return CLI_OK;
}

cli_exit cli_parse(const cli_command *command, int argc, char *const *argv, cli_settings *out)
{
    bool only_words = false;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i], *value = NULL;
        if (only_words || word[0] != '-' || !word[1]) {
            push(&out->words, word);
            continue;
        }
        if (strcmp(word, "--") == 0) {
            only_words = true;
            continue;
        }
        const option *o = find_option(command, word, &value);
        if (!o)
            return unknown_option(command, word);
        if (!o->value && value) {
            cli_complain("--%s takes no value", o->name);
            return CLI_USAGE;
        }
        if (o->value && !value) {
            if (i + 1 >= argc) {
                cli_complain("--%s needs %s; see firstfault %s --help", o->name, o->value, command->name);
                return CLI_USAGE;
            }
            value = argv[++i];
        }
        if (!apply(o->letter, value, out)) {
            cli_complain("--%s cannot be \"%s\": %s", o->name, value, o->about);
            return CLI_USAGE;
        }
    }
    return check_words(command, out);
}

void cli_settings_done(cli_settings *s)
{
    ff_free(s->words.at);
    ff_free(s->rules.at);
    ff_free(s->expect.at);
}

void cli_add_help(ff_text *out, const cli_command *command)
{
    ff_text_addf(out, "Usage: firstfault %s%s%s%s\n\n%s\n", command->name, *command->options ? " [OPTION]..." : "",
                 *command->arguments ? " " : "", command->arguments, command->about);
    if (command->details)
        ff_text_addf(out, "\n%s\n", command->details);
    ff_text_adds(out, "\nOptions:\n");
    for (size_t i = 0; i < FF_COUNT(options); i++) {
        const option *o = &options[i];
        if (!takes(command, o))
            continue;
        char left[64];
        (void)snprintf(left, sizeof left, "%c%c%s --%s%s%s", o->is_short ? '-' : ' ', o->is_short ? o->letter : ' ',
                       o->is_short ? "," : " ", o->name, o->value ? " " : "", o->value ? o->value : "");
        ff_text_addf(out, "  %-26s %s\n", left, o->about);
    }
}
