/* One fact for each exception of a traceback, in the order they were raised: the first is the interesting one. */
#include "traceback.h"

#include <string.h>

#define MOST_MESSAGE 500

typedef struct frame {
    ff_bytes file, function;
    int64_t line;
} frame;

typedef struct trace {
    const ff_block_line *at; /* line to quote: the exception's own, or the header while there is none */
    ff_bytes type, message;
    frame last, user; /* user: last frame outside of installed packages */
} trace;

/* "  File "/srv/train.py", line 147, in <module>"; faulthandler writes it without the comma behind the number. */
static bool read_frame(ff_bytes text, frame *f)
{
    ff_bytes rest = text;
    uint64_t line = 0;
    ff_take_spaces(&rest);
    if (!ff_take_lit(&rest, FF_LIT("File \"")) || !ff_take_until(&rest, '"', &f->file) ||
        !ff_take_lit(&rest, FF_LIT(", line ")) || !ff_take_digits_of(&rest, 9, &line))
        return false;
    f->line = (int64_t)line;
    ff_take_char(&rest, ',');
    f->function = ff_take_lit(&rest, FF_LIT(" in ")) ? ff_trim(rest) : (ff_bytes){ 0 };
    return true;
}

static bool is_user_file(ff_bytes file)
{
    static const char *const parts[] = { "site-packages/",     "dist-packages/", "/lib/python", "/lib64/python",
                                         "torch/distributed/", "<frozen ",       "<string>",    NULL };
    for (const char *const *part = parts; *part; part++)
        if (ff_contains(file, ff_str(*part)))
            return false;
    return true;
}

static void see_frame(trace *t, ff_bytes text, bool innermost_first)
{
    frame f = { .line = 0 };
    if (!read_frame(text, &f))
        return;
    if (!innermost_first || ff_is_empty(t->last.file))
        t->last = f;
    if (is_user_file(f.file) && (!innermost_first || ff_is_empty(t->user.file)))
        t->user = f;
}

/* Lines of one message are joined with blanks, cut at a bound. */
static void see_message(trace *t, ff_bytes text, ff_arena *arena)
{
    text = ff_trim(text);
    if (ff_is_empty(text) || t->message.n >= MOST_MESSAGE)
        return;
    t->message = ff_is_empty(t->message)
                     ? text
                     : ff_arena_format(arena, "%.*s %.*s", (int)t->message.n, t->message.p, (int)text.n, text.p);
    t->message = ff_first_n(t->message, MOST_MESSAGE);
}

/* What stands bare behind a logger's line is said by whom that line names, at its time. */
static void emit(const trace *t, const ff_event *head, int64_t chained, ff_sink *out)
{
    const ff_event *own = &t->at->ev;
    bool silent =
        own->who.rank == FF_NO_NUMBER && own->who.local_rank == FF_NO_NUMBER && own->who.pid == FF_NO_NUMBER;
    ff_fields f = { .n = 0 };
    ff_fields_text(&f, "type", FF_FIELD_TEXT, t->type);
    ff_fields_text(&f, "message", FF_FIELD_TEXT, t->message);
    ff_fields_int(&f, "chained", FF_FIELD_INT, chained);
    ff_fields_text(&f, "file", FF_FIELD_TEXT, t->last.file);
    if (!ff_is_empty(t->last.file))
        ff_fields_int(&f, "line", FF_FIELD_INT, t->last.line);
    ff_fields_text(&f, "function", FF_FIELD_TEXT, t->last.function);
    ff_fields_text(&f, "user_file", FF_FIELD_TEXT, t->user.file);
    if (!ff_is_empty(t->user.file))
        ff_fields_int(&f, "user_line", FF_FIELD_INT, t->user.line);
    ff_fact fact = { .id = FF_FACT_TRACEBACK,
                     .line = t->at->line,
                     .offset = t->at->offset,
                     .quote = t->at->quote,
                     .said = own->said.kind == FF_STAMP_NONE ? head->said : own->said,
                     .who = silent ? head->who : own->who,
                     .fields = f.at,
                     .n_fields = f.n };
    out->fact(out->owner, &fact);
}

static void read_chain(const ff_block_line *lines, uint32_t n, ff_bytes prefix, ff_sink *out)
{
    trace t = { .at = &lines[0] };
    int64_t chained = 1;
    for (uint32_t i = 0; i < n; i++) {
        ff_bytes text, type, message;
        if (!ff_traceback_line(prefix, lines[i].ev.text, &text))
            continue;
        switch (ff_trace_part_of(text)) {
        case FF_TRACE_HEADER:
            if (i > 0) {
                emit(&t, &lines[0].ev, chained++, out);
                t = (trace){ .at = &lines[i] };
            }
            break;
        case FF_TRACE_FRAME:
            if (ff_is_empty(t.type))
                see_frame(&t, text, false);
            break;
        case FF_TRACE_EXCEPTION:
            if (ff_is_empty(t.type) && ff_is_exception_line(text, &type, &message)) {
                t.type = type;
                t.at = &lines[i];
                text = message;
            }
            see_message(&t, text, out->scratch);
            break;
        case FF_TRACE_SOURCE:
        case FF_TRACE_OTHER:
            if (!ff_is_empty(t.type))
                see_message(&t, text, out->scratch);
            break;
        default:
            break;
        }
    }
    emit(&t, &lines[0].ev, chained, out);
}

/* The thread that failed is the one called current; the innermost frame comes first. */
static void read_fatal(const ff_block_line *lines, uint32_t n, ff_bytes prefix, ff_sink *out)
{
    static const char fatal[] = "Fatal Python error: ";
    trace t = { .at = &lines[0], .type = FF_LIT("Fatal Python error") };
    bool current = false;
    for (uint32_t i = 0; i < n; i++) {
        ff_bytes text;
        if (!ff_traceback_line(prefix, lines[i].ev.text, &text))
            continue;
        ff_trace_part part = ff_trace_part_of(text);
        if (part == FF_TRACE_FATAL)
            see_message(&t, ff_skip_n(text, sizeof fatal - 1), out->scratch);
        else if (part == FF_TRACE_THREAD)
            current = ff_starts(text, FF_LIT("Current thread"));
        else if (part == FF_TRACE_FRAME && current)
            see_frame(&t, text, true);
    }
    emit(&t, &lines[0].ev, 1, out);
}

void ff_traceback_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    ff_bytes prefix = ff_traceback_label(lines, n), text = lines[0].ev.text;
    ff_traceback_line(prefix, lines[0].ev.text, &text);
    if (ff_trace_part_of(text) == FF_TRACE_FATAL)
        read_fatal(lines, n, prefix, out);
    else
        read_chain(lines, n, prefix, out);
    if (cut)
        out->skip(out->owner, lines[n - 1].line, "traceback is longer than the cap");
}
