/* torchrun's table of failed workers, printed once a node.
 *     ============================================================
 *     train.py FAILED
 *     ------------------------------------------------------------
 *     Failures:
 *     [1]:
 *       time      : 2026-01-29_03:15:07
 *       host      : gpu-a01
 *       rank      : 9 (local_rank: 1)
 *       exitcode  : -9 (pid: 30989)
 *       error_file: <N/A>
 *       traceback : Signal 9 (SIGKILL) received by PID 30989
 *     ------------------------------------------------------------
 *     Root Cause (first observed failure):
 *     [0]:
 *       ...
 *     ============================================================
 * Format: torch/distributed/elastic/multiprocessing/errors/__init__.py. Which row is called the root cause depends on
 * when the agent polled, so all rows are given. Lines of a traceback in a row are indented by two. */
#include "lines.h"

#define MOST_TRACEBACK 500

typedef struct row {
    const ff_block_line *at;
    ff_bytes host, error_file, traceback;
    ff_stamp time;
    int64_t rank, local_rank, exitcode, pid;
    bool has_rank, has_local, has_exitcode, has_pid, root;
} row;

static bool is_border(ff_bytes text, char c)
{
    text = ff_trim(text);
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] != c)
            return false;
    return text.n >= 40;
}

static bool is_index(ff_bytes text)
{
    uint64_t n = 0;
    text = ff_trim(text);
    return ff_take_char(&text, '[') && ff_take_uint(&text, &n) && ff_equal(text, FF_LIT("]:"));
}

/* "  exitcode  : -9 (pid: 30989)". */
static bool take_pair(ff_bytes text, ff_bytes *key, ff_bytes *value)
{
    if (!ff_starts(text, FF_LIT("  ")))
        return false;
    ff_take_spaces(&text);
    if (!ff_take_name(&text, key) || !ff_take_spaces(&text) || !ff_take_char(&text, ':'))
        return false;
    *value = ff_trim(text);
    return true;
}

static bool torchrun_opens(const ff_event *ev)
{
    return ff_starts(ev->text, FF_LIT("Failures:")) ||
           ff_starts(ev->text, FF_LIT("Root Cause (first observed failure):"));
}

static bool is_part(ff_bytes text)
{
    ff_bytes trimmed = ff_trim(text);
    return ff_is_empty(trimmed) || is_index(text) || ff_starts(text, FF_LIT("  ")) || is_border(text, '-') ||
           ff_starts(trimmed, FF_LIT("Failures:")) || ff_starts(trimmed, FF_LIT("Root Cause (first")) ||
           ff_starts(trimmed, FF_LIT("<NO_OTHER_FAILURES>"));
}

static ff_block_say torchrun_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    (void)n;
    if (next->who.rank != lines[0].ev.who.rank || !ff_equal(next->who.host, lines[0].ev.who.host) ||
        (next->stream && !(next->stream & FF_STREAM_APP)))
        return FF_BLOCK_NOT_MINE;
    if (is_border(next->text, '='))
        return FF_BLOCK_LAST;
    return is_part(next->text) ? FF_BLOCK_MINE : FF_BLOCK_NOT_MINE;
}

/* Where the agent of the row ran: what the log itself says of its line, else what the table says, unless that is the
 * name which every machine gives itself. */
static ff_bytes host_of(const row *r)
{
    bool own = ff_starts_str(r->host, "localhost") || ff_starts_str(r->host, "127.");
    return r->at->ev.who.host.n || own ? r->at->ev.who.host : r->host;
}

static void emit(const row *r, ff_sink *out)
{
    ff_fields f = { .n = 0 };
    ff_who who = FF_WHO_NOBODY;
    if (!r->at || (!r->has_rank && !r->has_exitcode))
        return;
    who.host = host_of(r);
    if (r->has_rank && r->rank >= 0 && r->rank <= INT32_MAX) {
        ff_fields_int(&f, "rank", FF_FIELD_RANK, r->rank);
        who.rank = (int32_t)r->rank;
    }
    if (r->has_local && r->local_rank >= 0 && r->local_rank <= INT32_MAX) {
        ff_fields_int(&f, "local_rank", FF_FIELD_LOCAL_RANK, r->local_rank);
        who.local_rank = (int32_t)r->local_rank;
    }
    if (r->has_exitcode)
        ff_fields_int(&f, "exitcode", FF_FIELD_INT, r->exitcode);
    if (r->has_pid && r->pid > 0 && r->pid <= INT32_MAX) {
        ff_fields_int(&f, "pid", FF_FIELD_PID, r->pid);
        who.pid = (int32_t)r->pid;
    }
    ff_fields_text(&f, "table_host", FF_FIELD_TEXT, r->host);
    if (!ff_equal(r->error_file, FF_LIT("<N/A>")))
        ff_fields_text(&f, "error_file", FF_FIELD_TEXT, r->error_file);
    ff_fields_text(&f, "traceback", FF_FIELD_TEXT, ff_first_n(r->traceback, MOST_TRACEBACK));
    ff_fields_int(&f, "root", FF_FIELD_INT, r->root);
    ff_fact fact = { .id = FF_FACT_WORKER_FAILED,
                     .line = r->at->line,
                     .offset = r->at->offset,
                     .quote = r->at->quote,
                     .said = r->time.kind ? r->time : r->at->ev.said,
                     .who = who,
                     .fields = f.at,
                     .n_fields = f.n };
    out->fact(out->owner, &fact);
}

static bool take_int_behind(ff_bytes text, ff_bytes key, int64_t *out)
{
    return ff_take_past(&text, key) && ff_take_int(&text, out);
}

static void see_pair(row *r, const ff_block_line *line, ff_bytes key, ff_bytes value)
{
    ff_bytes rest = value;
    if (ff_equal(key, FF_LIT("time"))) {
        ff_take_rfc3339(&rest, &r->time);
    } else if (ff_equal(key, FF_LIT("host"))) {
        r->host = value;
    } else if (ff_equal(key, FF_LIT("rank"))) {
        r->has_rank = ff_take_int(&rest, &r->rank);
        r->has_local = take_int_behind(rest, FF_LIT("local_rank: "), &r->local_rank);
    } else if (ff_equal(key, FF_LIT("exitcode"))) {
        r->has_exitcode = ff_take_int(&rest, &r->exitcode);
        r->has_pid = take_int_behind(rest, FF_LIT("pid: "), &r->pid);
        r->at = line; /* the line that says how it ended */
    } else if (ff_equal(key, FF_LIT("error_file"))) {
        r->error_file = value;
    } else if (ff_equal(key, FF_LIT("traceback"))) {
        r->traceback = value;
    }
}

static void torchrun_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    row r = { .at = NULL };
    bool root = false;
    for (uint32_t i = 0; i < n; i++) {
        ff_bytes text = lines[i].ev.text, key, value;
        if (ff_starts(text, FF_LIT("Root Cause (first")))
            root = true;
        if (is_index(text)) {
            emit(&r, out);
            r = (row){ .at = &lines[i], .root = root };
        } else if (r.at && take_pair(text, &key, &value) && ff_is_empty(r.traceback)) {
            see_pair(&r, &lines[i], key, value);
        } else if (r.at && !ff_is_empty(r.traceback) && ff_starts(text, FF_LIT("  "))) {
            /* the last line of a row's traceback names the exception */
            ff_bytes trimmed = ff_trim(text);
            if (!ff_is_empty(trimmed) && !ff_starts(text, FF_LIT("    ")) && !ff_starts(trimmed, FF_LIT("File \"")))
                r.traceback = trimmed;
        }
    }
    emit(&r, out);
    if (cut)
        out->skip(out->owner, lines[n - 1].line, "failure table is longer than the cap");
}

static const char *const torchrun_needles[] = { "Failures:", "Root Cause (first observed failure):", NULL };

const ff_block ff_block_torchrun = { .name = "torchrun",
                                     .streams = FF_STREAM_APP,
                                     .needles = torchrun_needles,
                                     .max_lines = FF_CAP_BLOCK_LINES,
                                     .opens = torchrun_opens,
                                     .take = torchrun_take,
                                     .read = torchrun_read };
