/* Arguments in, exit code out. */
#include "base/arena.h"
#include "cli/cli.h"

#include <limits.h>
#include <string.h>

static const char analyze_details[] = "A BUNDLE is a folder, a file, an archive (also inside archives), or - for "
                                      "standard input. Several are one incident.\n"
                                      "Without -o nothing is written but the summary. Exit: 0 analysed, 1 --fail-on "
                                      "or --expect says no, 2 wrong usage,\n"
                                      "3 nothing could be read or output could not be written.";

static const char test_details[] =
    "A case is a folder with bundle/ and expected.json. Columns: root cause right, nothing blamed that must not be,\n"
    "fault class, ranks, first evidence within a line, symptoms found and not taken for the root. \"-\": not asked "
    "for.\n"
    "Exit 1 when a case fails, unless --report-only. -o keeps the JSON report of each case as CASE.json.";

static const char explain_details[] = "FINDING is an id of the report: F12, or I2 for an incident. Without one it is "
                                      "the verdict that is explained.\n"
                                      "Exit: 0 explained, 2 there is no such finding, 3 nothing could be read.";

static const char redact_details[] =
    "Hosts, users, addresses, MACs, GUIDs, UUIDs, serial numbers, pod and job names, paths, e-mail and keys, in "
    "names\n"
    "and content. The same thing has the same pseudonym everywhere. Binaries that cannot be judged are left out.\n"
    "Exit: 0 written, 1 --check found something, 2 wrong usage, 3 nothing could be read or written.";

static const cli_command commands[] = {
    { "analyze", "BUNDLE...", "Says what broke first in a bundle of logs, what followed, and how it knows.",
      analyze_details, "ojHxmuSNVprJbfecqvnCXDM", 1, UINT_MAX, cli_analyze },
    { "rules list", "", "Lists every rule: its id, the streams it reads, what it says, and where it stands.", NULL,
      "r", 0, 0, cli_rules_list },
    { "rules check", "[DIR...]", "Tries the samples of every rule, the built-in ones and those below DIR.", NULL, "",
      0, UINT_MAX, cli_rules_check },
    { "causes", "[ID]", "Lists the causes that a verdict can name, or tells all about one.", NULL, "r", 0, 1,
      cli_causes },
    { "test", "DIR...", "Analyses every case below DIR and compares with what is expected.", test_details,
      "orJnCRvcX", 1, UINT_MAX, cli_test },
    { "explain", "BUNDLE... [FINDING]",
      "Says why: joins, clocks and links behind the verdict or a finding, and what was considered and dropped.",
      explain_details, "rJbvnCX", 1, UINT_MAX, cli_explain },
    { "clocks", "BUNDLE...", "Shows every clock of a bundle, its distance to UTC, and what that rests on.", NULL,
      "rJbCX", 1, UINT_MAX, cli_clocks },
    { "collectives", "BUNDLE...",
      "Shows where each rank of each process group stands, what differs, and who waits for whom.", NULL, "prJbqvnCX",
      1, UINT_MAX, cli_collectives },
    { "comms", "BUNDLE...",
      "Shows the communicators of NCCL: their ranks, how far each came, rings, trees and transports.", NULL,
      "rJbvnCX", 1, UINT_MAX, cli_comms },
    { "env", "BUNDLE...",
      "Shows versions and variables of ranks and hosts, where they differ, and settings worth a look.", NULL,
      "rJbvnCX", 1, UINT_MAX, cli_env },
    { "redact", "BUNDLE...", "Writes the bundle anew, with pseudonyms for all that is private; the verdict stays.",
      redact_details, "oMkrJbqvCX", 1, UINT_MAX, cli_redact },
    { "version", "", "Prints the version, also of the libraries that decide what matches.", NULL, "", 0, 0,
      cli_version },
};

static void add_overview(ff_text *out)
{
    ff_text_adds(out,
                 "Usage: firstfault COMMAND [OPTION]... [ARGUMENT]...\n\n"
                 "Reads the logs of a failed GPU job and says what broke first, what followed from it, and how it "
                 "knows.\n\nCommands:\n");
    for (size_t i = 0; i < FF_COUNT(commands); i++) {
        cli_add_cell(out, FF_LIT(" "), 1);
        cli_add_cell(out, ff_str(commands[i].name), 12);
        ff_text_addf(out, "%s\n", commands[i].about);
    }
    ff_text_adds(out, "  help         This text; help COMMAND tells about one.\n\n"
                      "Try: firstfault analyze ./bundle -o out\n");
}

static cli_exit say(ff_text *out)
{
    bool good = cli_say(out);
    ff_text_done(out);
    return good ? CLI_OK : CLI_FAILED;
}

static cli_exit help(const cli_command *command)
{
    ff_text out;
    ff_text_init(&out, 0);
    if (command)
        cli_add_help(&out, command);
    else
        add_overview(&out);
    return say(&out);
}

/* The command that argv begins with, and how many words its name has. */
static const cli_command *find_command(int argc, char *const *argv, int *words)
{
    for (size_t i = 0; argc > 0 && i < FF_COUNT(commands); i++) {
        ff_bytes name = ff_str(commands[i].name), first = { 0 };
        *words = ff_take_until(&name, ' ', &first) ? 2 : 1;
        if (*words == 1 && ff_equal(name, ff_str(argv[0])))
            return &commands[i];
        if (*words == 2 && argc > 1 && ff_equal(first, ff_str(argv[0])) && ff_equal(name, ff_str(argv[1])))
            return &commands[i];
    }
    return NULL;
}

static cli_exit no_command(const char *word)
{
    const char *names[FF_COUNT(commands)];
    for (size_t i = 0; i < FF_COUNT(commands); i++)
        names[i] = commands[i].name;
    const char *near = cli_nearest(word, names, FF_COUNT(names));
    if (near)
        cli_complain("there is no command %s; did you mean %s?", word, near);
    else
        cli_complain("there is no command %s; see firstfault help", word);
    return CLI_USAGE;
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

static cli_exit run_command(int argc, char *const *argv)
{
    int words = 0;
    const cli_command *command = find_command(argc, argv, &words);
    if (!command)
        return no_command(argv[0]);
    cli_settings settings = { 0 };
    cli_exit exit_code = cli_parse(command, argc - words, argv + words, &settings);
    if (exit_code == CLI_OK)
        exit_code = settings.help ? help(command) : command->run(&settings);
    cli_settings_done(&settings);
    return exit_code;
}

static cli_exit run(int argc, char **argv)
{
    int words = 0;
    if (!cli_terminal_ready() || !cli_last_ready())
        return CLI_FAILED;
    if (argc < 2) {
        cli_complain("what to do? See firstfault help");
        return CLI_USAGE;
    }
    if (is_one_of(argv[1], "--version", "-V", "version") && argc == 2)
        return cli_version(NULL);
    if (!is_one_of(argv[1], "help", "--help", "-h"))
        return run_command(argc - 1, argv + 1);
    const cli_command *command = find_command(argc - 2, argv + 2, &words);
    return argc > 2 && !command ? no_command(argv[2]) : help(command);
}

int main(int argc, char **argv)
{
    ff_memory_stays();
    return cli_last_words((int)run(argc, argv));
}
