/* The command line: what main.c and the commands share. Only these files talk to the terminal. */
#ifndef FF_CLI_H
#define FF_CLI_H

#include "../base/text.h"
#include "../model.h"
#include "../run.h"

/* Exit codes, as docs/report.md promises them. */
typedef enum cli_exit {
    CLI_OK = 0,
    CLI_NO = 1, /* done, and --fail-on, --expect or a check says no */
    CLI_USAGE = 2,
    CLI_FAILED = 3 /* nothing could be read, an input could not be opened, or output could not be written */
} cli_exit;

typedef enum cli_colour { CLI_COLOUR_AUTO, CLI_COLOUR_ALWAYS, CLI_COLOUR_NEVER } cli_colour;

typedef struct cli_list {
    const char **at;
    uint32_t n, cap;
} cli_list;

typedef struct cli_settings {
    cli_list words; /* arguments that are no options */
    cli_list rules, expect;
    const char *finding; /* explain: the word that is no bundle, or NULL */
    const char *out_dir, *json, *html, *xlsx, *markdown, *junit, *sarif, *ndjson, *csv, *perfetto, *map;
    unsigned jobs;
    uint64_t most_bytes; /* 0: the cap of the intake */
    bool has_fail_on;
    ff_severity fail_on;
    cli_colour colour;
    bool quiet, verbose, help, prefilter_off, cache_off, sandbox_off, report_only, check, redact;
} cli_settings;

/* Every file that the settings name as an output; NULL: not wanted. */
enum { CLI_OUTPUTS = 10 };
#define CLI_OUTPUT_FILES(s)                                                                                          \
    {                                                                                                                \
        (s)->json, (s)->html, (s)->xlsx, (s)->markdown, (s)->junit, (s)->sarif, (s)->ndjson, (s)->csv,               \
            (s)->perfetto, (s)->map                                                                                  \
    }

typedef struct cli_command {
    const char *name;      /* one or two words */
    const char *arguments; /* "BUNDLE..." */
    const char *about;     /* one line */
    const char *details;   /* further help, may be NULL */
    const char *options;   /* the letters of cli_options that it takes */
    unsigned least, most;  /* words it wants */
    cli_exit (*run)(const cli_settings *settings);
} cli_command;

cli_exit cli_analyze(const cli_settings *s);
cli_exit cli_rules_list(const cli_settings *s);
cli_exit cli_rules_check(const cli_settings *s);
cli_exit cli_causes(const cli_settings *s);
cli_exit cli_test(const cli_settings *s);
cli_exit cli_explain(const cli_settings *s);
cli_exit cli_clocks(const cli_settings *s);
cli_exit cli_redact(const cli_settings *s);
cli_exit cli_version(const cli_settings *s);
cli_exit cli_collectives(const cli_settings *s);
cli_exit cli_env(const cli_settings *s);
cli_exit cli_comms(const cli_settings *s);

/* ---- collectives_trace.c ---- */
bool cli_write_trace(const char *path, const ff_evidence *e); /* Flight Recorder dumps as trace events */

/* ---- options.c ---- */
/* Reads the options of a command; says what is wrong and gives CLI_USAGE. CLI_OK: settings are filled. */
cli_exit cli_parse(const cli_command *command, int argc, char *const *argv, cli_settings *out);
void cli_settings_done(cli_settings *s);
void cli_add_help(ff_text *out, const cli_command *command);
/* The candidate nearest to a mistyped word, or NULL when none is near. */
const char *cli_nearest(const char *word, const char *const *candidates, size_t n);

/* ---- terminal.c ---- */
/* Once, first: makes 0, 1, 2 safe to write to, and a closed pipe or a limit an error. */
bool cli_terminal_ready(void);
bool cli_use_colour(cli_colour wish, int fd);
unsigned cli_width(int fd); /* columns, 60..140 */
/* Writes all of it. False: it could not be written; a message was given unless the reader just went away. */
bool cli_emit(int fd, ff_bytes text);
bool cli_say(const ff_text *out);                           /* to standard output */
void cli_complain(const char *format, ...) FF_PRINTF(1, 2); /* "firstfault: ..." to standard error, cleaned */

typedef struct cli_progress { /* one line on standard error, once the work takes longer than a second */
    int64_t began_ns, told_ns;
    uint64_t bytes;
    bool on, shown;
} cli_progress;
void cli_progress_open(cli_progress *p, bool wanted);
void cli_progress_tell(void *progress, uint64_t bytes, ff_bytes member); /* bytes since the last call */
void cli_progress_close(cli_progress *p);                                /* wipes the line */

/* ---- last.c: when the process ends before its time ---- */
bool cli_last_ready(void); /* once, first */
/* Gives it back; a process that ends by exit() without them ends with CLI_FAILED. */
int cli_last_words(int exit_code);
/* A file or an empty folder that then must not be left behind; copied. Returns its number for drop, once it is gone
 * or has its final name. Between making such a thing and adding it no end may come: it waits until it is let come. */
unsigned cli_will_add(const char *path);
void cli_will_drop(unsigned will);
void cli_ends_wait(void);
void cli_ends_come(void);

/* ---- output.c: a file appears whole or not at all ---- */
bool cli_make_folder(const char *path); /* with its parents; false: said why */
bool cli_write_file(const char *path, ff_bytes content);
/* The same, for a name that nobody chose: a pipe, a device or a link that lies there is replaced, not written to. */
bool cli_write_over(const char *path, ff_bytes content);
typedef ff_status (*cli_writer)(const void *what, const char *path, ff_error *error);
bool cli_write_by(const char *path, cli_writer writer, const void *what);
char *cli_join(const char *folder, const char *name); /* free with ff_free */

/* ---- redact.c ---- */
/* Writes the settings' bundle, redacted, to path, whose ending names the kind of archive. False: said why. */
bool cli_redact_to(const cli_settings *s, const ff_kit *kit, const char *path, bool quiet);

/* Where the redacted bundle of analyze --redact lies while it is read: the output folder, or TMPDIR. Borrowed. */
const char *cli_scratch_folder(const cli_settings *s);

/* ---- confine.c ---- */
/* Last call before the first byte of a bundle is read: gives up all but the paths that the settings name. For good.
 */
void cli_confine(const cli_settings *s);

/* ---- kit.c ---- */
/* Where compiled literals are kept between runs; free with ff_free. NULL: not wanted, or there is no home to write
 * to. */
char *cli_cache_folder(const cli_settings *s);
/* Opens rules and matcher as the settings want them. Not CLI_OK: said why, nothing to close. */
cli_exit cli_open_kit(const cli_settings *s, ff_kit *out);
bool cli_is_folder(const char *path);
/* Reads the bundle of the settings, judged with its report or not, and lets tell print something of it. */
cli_exit cli_tell_read(const cli_settings *s, cli_exit (*tell)(const cli_settings *s, const ff_run *run));
cli_exit cli_tell_judged(const cli_settings *s, cli_exit (*tell)(const cli_settings *s, const ff_run *run));
/* False: nothing could be read, or an input that was named could not be opened, which is said on standard error. What was
 * made of the others is told all the same. */
bool cli_was_read(const cli_settings *s, const ff_evidence *e);
void cli_tell_problems(const ff_rulebook *rules, bool verbose); /* refused rules, on standard error */

/* ---- columns for lists ---- */
void cli_add_cell(ff_text *out, ff_bytes text, size_t width); /* cleaned, filled with blanks, one blank behind */

#endif
