/* Which lines make up a Python traceback.
 *     [rank1]: Traceback (most recent call last):
 *     [rank1]:   File "/srv/train.py", line 147, in <module>
 *     [rank1]:     main()
 *     [rank1]: ValueError: cannot reshape batch
 *     Fatal Python error: Segmentation fault
 * Format: CPython traceback.c and faulthandler.c. Ranks write into one pipe, so lines of others may stand between; a
 * prefix that no coat knows ("3: ") is found on the first line and expected on all. */
#include "traceback.h"

#define MOST_PREFIX 64
#define MOST_MESSAGE_LINES 16 /* lines of one exception's text */

static const char header[] = "Traceback (most recent call last):";
static const char fatal[] = "Fatal Python error: ";

/* What stands in front of the header, when it looks like a label that all lines would have. */
static bool is_label(ff_bytes prefix)
{
    if (prefix.n == 0)
        return true;
    if (prefix.n > MOST_PREFIX)
        return false;
    char last = prefix.p[prefix.n - 1];
    char before = prefix.n > 1 ? prefix.p[prefix.n - 2] : 0;
    return last == ':' || last == ']' || last == '|' ||
           (last == ' ' && (before == ':' || before == ']' || before == '|' || before == ')'));
}

ff_bytes ff_traceback_prefix(ff_bytes text)
{
    size_t at = ff_find(text, ff_str(header));
    if (at > text.n)
        at = ff_find(text, ff_str(fatal));
    ff_bytes prefix = ff_first_n(text, at <= text.n ? at : 0);
    return is_label(prefix) ? prefix : (ff_bytes){ 0 };
}

bool ff_traceback_line(ff_bytes prefix, ff_bytes text, ff_bytes *out)
{
    if (ff_is_empty(ff_trim(text))) {
        *out = (ff_bytes){ 0 };
        return true;
    }
    if (!ff_take_lit(&text, prefix))
        return false;
    *out = text;
    return true;
}

static bool is_indented(ff_bytes text) { return text.n && (text.p[0] == ' ' || text.p[0] == '\t'); }
static bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static bool is_exception_name(ff_bytes name)
{
    static const char *const endings[] = { "Error",   "Exception", "Interrupt", "Exit",  "Warning",
                                           "Failure", "Iteration", "Timeout",   "Abort", "Group",
                                           "Empty",   "Full",      NULL };
    if (name.n == 0 || name.n > 200 || !is_alpha(name.p[0]) || ff_contains(name, FF_LIT("-")))
        return false;
    if (ff_contains(name, FF_LIT(".")) && name.p[name.n - 1] != '.')
        return true;
    for (const char *const *ending = endings; *ending; ending++)
        if (ff_ends(name, ff_str(*ending)))
            return true;
    return false;
}

bool ff_is_exception_line(ff_bytes text, ff_bytes *type, ff_bytes *message)
{
    ff_bytes rest = text, name;
    if (!ff_take_name(&rest, &name) || !is_exception_name(name))
        return false;
    if (rest.n && !ff_take_char(&rest, ':'))
        return false;
    *type = name;
    *message = ff_trim(rest);
    return true;
}

ff_trace_part ff_trace_part_of(ff_bytes text)
{
    ff_bytes type, message;
    if (ff_is_empty(text))
        return FF_TRACE_BLANK;
    if (ff_contains(text, ff_str(header)))
        return FF_TRACE_HEADER;
    if (ff_starts(text, ff_str(fatal)))
        return FF_TRACE_FATAL;
    if (ff_starts(text, FF_LIT("  File \"")) || ff_starts(text, FF_LIT("File \"")))
        return FF_TRACE_FRAME;
    if (ff_starts(text, FF_LIT("Current thread 0x")) || ff_starts(text, FF_LIT("Thread 0x")))
        return FF_TRACE_THREAD;
    if (ff_starts(text, FF_LIT("During handling of the above exception, another exception occurred:")) ||
        ff_starts(text, FF_LIT("The above exception was the direct cause of the following exception:")))
        return FF_TRACE_CHAIN;
    if (is_indented(text))
        return FF_TRACE_SOURCE;
    if (ff_is_exception_line(text, &type, &message))
        return FF_TRACE_EXCEPTION;
    return FF_TRACE_OTHER;
}

static bool traceback_opens(const ff_event *ev)
{
    ff_bytes text;
    /* klog prints a value of several lines with one tab in front of each: what a probe printed is not the job's */
    if (ff_starts(ev->text, FF_LIT("\t")) || ff_contains(ev->text, FF_LIT("+ Exception Group ")) ||
        ff_contains(ev->text, FF_LIT("most recent call first")))
        return false;
    if (!ff_traceback_line(ff_traceback_prefix(ev->text), ev->text, &text))
        return false;
    return ff_contains(text, ff_str(header)) || ff_starts(text, ff_str(fatal));
}

static bool is_same_speaker(const ff_event *a, const ff_event *b)
{
    return a->who.rank == b->who.rank && a->who.local_rank == b->who.local_rank && a->who.pid == b->who.pid &&
           ff_equal(a->who.host, b->who.host);
}

static bool is_nobody(const ff_event *ev)
{
    return ev->who.rank == FF_NO_NUMBER && ev->who.local_rank == FF_NO_NUMBER && ev->who.pid == FF_NO_NUMBER;
}

/* A logger puts time, rank and words before the header ("[2026-01-30 18:11:31 TP8] Scheduler hit an exception:
 * Traceback
 * ...") and nothing before the lines that follow: what stands bare behind such a header is its traceback. */
static bool is_bare(const ff_event *first, const ff_event *next)
{
    return ff_trace_part_of(next->text) == FF_TRACE_FRAME &&
           !ff_starts(next->text, ff_traceback_prefix(first->text)) && is_nobody(next);
}

static bool goes_on_bare(const ff_block_line *lines, uint32_t n)
{
    return n > 1 && !ff_is_empty(ff_traceback_prefix(lines[0].ev.text)) && is_bare(&lines[0].ev, &lines[1].ev);
}

ff_bytes ff_traceback_label(const ff_block_line *lines, uint32_t n)
{
    return goes_on_bare(lines, n) ? (ff_bytes){ 0 } : ff_traceback_prefix(lines[0].ev.text);
}

/* NCCL and the kernel have no part in a traceback: their lines were only written between. */
static bool is_other_stream(const ff_event *ev) { return ev->stream && !(ev->stream & FF_STREAM_APP); }

/* Lines behind an exception that still are its text: a rank's tag proves it; untagged, only what NCCL errors bring.
 */
static bool is_more_message(const ff_event *first, ff_bytes prefix, ff_bytes text)
{
    if (first->who.rank != FF_NO_NUMBER || !ff_is_empty(prefix))
        return true;
    return ff_starts(text, FF_LIT("nccl")) || ff_starts(text, FF_LIT("Last error:")) ||
           ff_starts(text, FF_LIT("CUDA kernel errors ")) || ff_starts(text, FF_LIT("For debugging consider ")) ||
           ff_starts(text, FF_LIT("Compile with `TORCH_USE_CUDA_DSA`"));
}

static ff_bytes text_of(ff_bytes prefix, const ff_block_line *line)
{
    ff_bytes text = line->ev.text;
    return ff_traceback_line(prefix, line->ev.text, &text) ? text : line->ev.text;
}

/* The exception's own line, if one of the last few is it. 0: none, or too long ago. */
static uint32_t lines_since_exception(ff_bytes prefix, const ff_block_line *lines, uint32_t n)
{
    for (uint32_t back = 1; back <= n && back <= MOST_MESSAGE_LINES; back++) {
        ff_trace_part part = ff_trace_part_of(text_of(prefix, &lines[n - back]));
        if (part == FF_TRACE_EXCEPTION)
            return back;
        if (part == FF_TRACE_HEADER || part == FF_TRACE_FRAME || part == FF_TRACE_CHAIN || part == FF_TRACE_FATAL)
            return 0;
    }
    return 0;
}

static ff_block_say in_frames(ff_trace_part part, const ff_event *next)
{
    switch (part) {
    case FF_TRACE_FRAME:
    case FF_TRACE_SOURCE:
    case FF_TRACE_EXCEPTION:
        return FF_BLOCK_MINE;
    case FF_TRACE_HEADER:
    case FF_TRACE_FATAL:
    case FF_TRACE_CHAIN:
        return FF_BLOCK_END; /* torn: another one begins */
    case FF_TRACE_BLANK:
        return FF_BLOCK_NOT_MINE;
    default:
        return next->stream == FF_STREAM_APP ? FF_BLOCK_NOT_MINE : FF_BLOCK_END;
    }
}

static ff_block_say after_exception(const ff_event *first, ff_bytes prefix, ff_trace_part last, ff_trace_part part,
                                    ff_bytes text, const ff_event *next)
{
    if (part == FF_TRACE_CHAIN)
        return FF_BLOCK_MINE;
    if (part == FF_TRACE_BLANK)
        return last == FF_TRACE_BLANK ? FF_BLOCK_END : FF_BLOCK_MINE;
    if (last == FF_TRACE_BLANK && first->who.rank == FF_NO_NUMBER && ff_is_empty(prefix))
        return FF_BLOCK_END;
    if (part == FF_TRACE_HEADER || part == FF_TRACE_FATAL)
        return FF_BLOCK_END;
    /* a line that a reader knows is a message of its own, though of the same rank */
    if (!ff_is_empty(next->ident) && !ff_equal(next->ident, first->ident))
        return FF_BLOCK_END;
    return is_more_message(first, prefix, text) ? FF_BLOCK_MINE : FF_BLOCK_END;
}

static ff_block_say in_fatal(ff_trace_part part, ff_bytes text)
{
    if (part == FF_TRACE_FRAME || part == FF_TRACE_THREAD || part == FF_TRACE_BLANK || part == FF_TRACE_SOURCE)
        return FF_BLOCK_MINE;
    if (ff_starts(text, FF_LIT("Extension modules: ")))
        return FF_BLOCK_LAST;
    return ff_starts(text, FF_LIT("Python runtime state: ")) ? FF_BLOCK_MINE : FF_BLOCK_END;
}

static ff_block_say traceback_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    const ff_event *first = &lines[0].ev;
    ff_bytes prefix = ff_traceback_label(lines, n), text;
    bool blank = ff_is_empty(ff_trim(next->text));
    bool bare = goes_on_bare(lines, n) || (n == 1 && !ff_is_empty(prefix) && is_bare(first, next));
    if (is_other_stream(next) || (!blank && !(bare ? is_nobody(next) : is_same_speaker(first, next))))
        return FF_BLOCK_NOT_MINE;
    if (bare)
        prefix = (ff_bytes){ 0 };
    if (!ff_traceback_line(prefix, next->text, &text))
        return FF_BLOCK_NOT_MINE;
    ff_trace_part part = ff_trace_part_of(text);
    ff_trace_part last = ff_trace_part_of(text_of(prefix, &lines[n - 1]));
    if (ff_trace_part_of(text_of(prefix, &lines[0])) == FF_TRACE_FATAL)
        return in_fatal(part, text);
    /* between the sentence that chains and the next header stands an empty line */
    if (last == FF_TRACE_CHAIN)
        return part == FF_TRACE_HEADER ? FF_BLOCK_MINE : blank ? FF_BLOCK_NOT_MINE : FF_BLOCK_END;
    if (lines_since_exception(prefix, lines, n))
        return after_exception(bare ? next : first, prefix, last, part, text, next);
    if (last == FF_TRACE_BLANK || last == FF_TRACE_OTHER)
        return part == FF_TRACE_CHAIN ? FF_BLOCK_MINE : FF_BLOCK_END;
    return in_frames(part, next);
}

static const char *const traceback_needles[] = { header, fatal, NULL };

const ff_block ff_block_traceback = { .name = "traceback",
                                      .streams = FF_STREAM_APP,
                                      .needles = traceback_needles,
                                      .max_lines = 1024,
                                      .opens = traceback_opens,
                                      .take = traceback_take,
                                      .read = ff_traceback_read };
