/* Limits of a process: ulimit -a of bash, /proc/PID/limits.
 *     max locked memory           (kbytes, -l) 64        Limit            Soft Limit  Hard Limit  Units
 *     open files                          (-n) 1024      Max locked memory     65536       65536       bytes
 * Formats: bash builtins/ulimit.def, kernel fs/proc/base.c. A limit that is absent in the fact is none. */
#include "tools.h"

#include <string.h>

static bool ulimit_row(ff_bytes text, char *letter, ff_bytes *value)
{
    size_t at = ff_find(text, FF_LIT("-")), close = ff_find(text, FF_LIT(") "));
    if (close >= text.n)
        return false;
    while (at < close && (close - at != 2 || (text.p[at - (at > 0)] != '(' && text.p[at - (at > 0)] != ' ')))
        at += 1 + ff_find(ff_skip_n(text, at + 1), FF_LIT("-"));
    if (at >= close)
        return false;
    ff_bytes rest = ff_trim(ff_skip_n(text, close + 2));
    uint64_t n = 0;
    *letter = text.p[at + 1];
    return ff_take_word(&rest, value) && !rest.n &&
           (tool_number(*value, &n) || ff_equal(*value, FF_LIT("unlimited")));
}

static bool is_proc(ff_bytes text) { return ff_starts(text, FF_LIT("Max ")); }

static bool limits_opens(const ff_event *ev)
{
    char letter = 0;
    ff_bytes value;
    if (ff_starts(ev->text, FF_LIT("Max cpu time  ")))
        return true;
    return ulimit_row(ev->text, &letter, &value) && letter == 'l';
}

static ff_block_say limits_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    char letter = 0;
    ff_bytes value;
    (void)n;
    if (is_proc(lines[0].ev.text))
        return is_proc(next->text) && !ff_starts(next->text, FF_LIT("Max cpu time")) ? FF_BLOCK_MINE : FF_BLOCK_END;
    return ulimit_row(next->text, &letter, &value) && letter != 'l' ? FF_BLOCK_MINE : FF_BLOCK_END;
}

static void add_limit(ff_fields *f, const char *name, ff_bytes word, uint64_t unit)
{
    uint64_t n = 0;
    if (tool_number(word, &n))
        tool_add(f, name, n / unit);
}

static void read_ulimit(const ff_block_line *line, ff_fields *f)
{
    char letter = 0;
    ff_bytes value;
    if (!ulimit_row(line->ev.text, &letter, &value))
        return;
    if (letter == 'l')
        add_limit(f, "memlock_kib", value, 1);
    else if (letter == 'n')
        add_limit(f, "open_files", value, 1);
    else if (letter == 'u')
        add_limit(f, "processes", value, 1);
    else if (letter == 's')
        add_limit(f, "stack_kib", value, 1);
}

static void read_proc(const ff_block_line *line, ff_fields *f)
{
    static const struct {
        const char *head, *soft, *hard;
        uint64_t unit;
    } rows[] = { { "Max locked memory", "memlock_kib", "hard_memlock_kib", 1024 },
                 { "Max open files", "open_files", "hard_open_files", 1 },
                 { "Max processes", "processes", "hard_processes", 1 },
                 { "Max stack size", "stack_kib", "hard_stack_kib", 1024 } };
    for (size_t i = 0; i < FF_COUNT(rows); i++) {
        ff_bytes rest = line->ev.text, word;
        if (!ff_take_lit(&rest, ff_str(rows[i].head)) || !ff_take_spaces(&rest) || !ff_take_word(&rest, &word))
            continue;
        add_limit(f, rows[i].soft, word, rows[i].unit);
        if (ff_take_spaces(&rest) && ff_take_word(&rest, &word))
            add_limit(f, rows[i].hard, word, rows[i].unit);
    }
}

static void limits_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    ff_fields f = { .n = 0 };
    bool proc = is_proc(lines[0].ev.text), whole = !proc;
    (void)cut;
    for (uint32_t i = 0; i < n; i++) {
        if (proc)
            read_proc(&lines[i], &f);
        else
            read_ulimit(&lines[i], &f);
        whole |= ff_starts(lines[i].ev.text, FF_LIT("Max locked memory"));
    }
    /* what a torn file does not show is not "no limit" */
    if (whole)
        tool_fact(out, &lines[0], FF_FACT_HOST_LIMITS, &f);
}

static const char *const limits_needles[] = { "Max cpu time", ", -l) ", NULL };

const ff_block ff_block_limits = { .name = "limits",
                                   .streams = FF_STREAM_HOST,
                                   .needles = limits_needles,
                                   .max_lines = 40,
                                   .opens = limits_opens,
                                   .take = limits_take,
                                   .read = limits_read };
