/* What scontrol show job and scontrol show node print, with or without -o.
 *     JobId=123 JobName=train                            NodeName=gpu-a02 CoresPerSocket=32
 *        JobState=FAILED Reason=NonZeroExitCode             State=DOWN+DRAIN ThreadsPerCore=2 ...
 *        NodeList=gpu-a[01-04]                              Reason=Not responding [slurm@2026-01-01T00:00:00]
 * Format: Slurm src/api/job_info.c, node_info.c. Times are local to the machine that asked. Values with blanks end at
 * the line's end. */
#include "hostlist.h"
#include "tools.h"

#include <string.h>

static bool is_job(ff_bytes text)
{
    return ff_starts(text, FF_LIT("JobId=")) && ff_contains(text, FF_LIT(" JobName="));
}

static bool is_node(ff_bytes text) { return ff_starts(text, FF_LIT("NodeName=")); }

static bool scontrol_opens(const ff_event *ev) { return is_job(ev->text) || is_node(ev->text); }

static ff_block_say scontrol_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    (void)lines;
    (void)n;
    return ff_starts(next->text, FF_LIT("   ")) ? FF_BLOCK_MINE : FF_BLOCK_END;
}

/* Value of key in any of the lines; *where: its line. Key= stands at a line's beginning or behind a blank. */
static ff_bytes find_rest(const ff_block_line *lines, uint32_t n, const char *key, const ff_block_line **where)
{
    for (uint32_t i = 0; i < n; i++) {
        ff_bytes rest = lines[i].ev.text, name = ff_str(key);
        for (size_t at; (at = ff_find(rest, name)) < rest.n; rest = ff_skip_n(rest, at + 1)) {
            const char *p = rest.p + at;
            if (p > lines[i].ev.text.p && p[-1] != ' ')
                continue;
            *where = &lines[i];
            return ff_skip_n(rest, at + name.n);
        }
    }
    return (ff_bytes){ 0 };
}

static ff_bytes find_word(const ff_block_line *lines, uint32_t n, const char *key, const ff_block_line **where)
{
    ff_bytes rest = find_rest(lines, n, key, where), word = { 0 };
    bool none = !ff_take_word(&rest, &word) || ff_equal(word, FF_LIT("(null)")) || ff_equal(word, FF_LIT("None")) ||
                ff_equal(word, FF_LIT("Unknown")) || ff_equal(word, FF_LIT("N/A"));
    return none ? (ff_bytes){ 0 } : word;
}

static void add_word(ff_fields *f, const char *name, const ff_block_line *lines, uint32_t n, const char *key)
{
    const ff_block_line *where = NULL;
    ff_fields_text(f, name, FF_FIELD_TEXT, find_word(lines, n, key, &where));
}

/* "0:9" -> code 0, signal 9 */
static void add_exit(ff_fields *f, ff_bytes text)
{
    uint64_t code = 0, signal = 0;
    if (!ff_take_uint(&text, &code) || !ff_take_char(&text, ':') || !ff_take_uint(&text, &signal) || code > 65535 ||
        signal > 255)
        return;
    tool_add(f, "code", code);
    tool_add(f, "signal", signal);
}

static void add_nodes(ff_fields *f, ff_bytes nodes, ff_arena *arena)
{
    ff_hostlist list;
    ff_fields_text(f, "nodes", FF_FIELD_TEXT, nodes);
    if (!ff_hostlist_expand(nodes, arena, &list))
        return;
    tool_add(f, "n_nodes", list.n);
    if (list.n == 1)
        ff_fields_text(f, "node", FF_FIELD_HOST, list.at[0]);
}

static void give(const ff_block_line *line, ff_fact_id id, ff_bytes time, const ff_fields *f, ff_sink *out)
{
    ff_block_line at = *line;
    ff_stamp said;
    if (ff_take_rfc3339(&time, &said))
        at.ev.said = said;
    tool_fact(out, &at, id, f);
}

static void read_job(const ff_block_line *lines, uint32_t n, ff_sink *out)
{
    const ff_block_line *at = NULL, *other = NULL;
    ff_fields f = { .n = 0 };
    ff_bytes state = find_word(lines, n, "JobState=", &at);
    if (!state.n || !at)
        return;
    bool goes_on = ff_equal(state, FF_LIT("RUNNING")) || ff_equal(state, FF_LIT("PENDING"));
    add_word(&f, "job", lines, 1, "JobId=");
    ff_fields_text(&f, "state", FF_FIELD_TEXT, state);
    if (!goes_on)
        add_exit(&f, find_word(lines, n, "ExitCode=", &other));
    add_nodes(&f, find_word(lines, n, "NodeList=", &other), out->scratch);
    add_word(&f, "reason", lines, n, "Reason=");
    add_word(&f, "elapsed", lines, n, "RunTime=");
    add_word(&f, "time_limit", lines, n, "TimeLimit=");
    give(at, FF_FACT_SLURM_JOB, goes_on ? (ff_bytes){ 0 } : find_word(lines, n, "EndTime=", &other), &f, out);
}

/* "Not responding [slurm@2026-01-01T00:00:00]" */
static ff_bytes cut_reason(ff_bytes text, ff_bytes *by, ff_bytes *when)
{
    size_t open = ff_find(text, FF_LIT(" ["));
    ff_bytes rest = ff_skip_n(text, open + 2);
    *by = *when = (ff_bytes){ 0 };
    if (open < text.n && ff_take_until(&rest, '@', by))
        (void)ff_take_until(&rest, ']', when);
    return ff_trim(ff_first_n(text, open));
}

static void read_node(const ff_block_line *lines, uint32_t n, ff_sink *out)
{
    const ff_block_line *at = NULL, *why = NULL, *other = NULL;
    ff_fields f = { .n = 0 };
    ff_bytes by, when, state = find_word(lines, n, " State=", &at);
    if (!state.n)
        state = find_word(lines, n, "State=", &at);
    /* a line of slurm.conf begins alike and has no such counts */
    if (!state.n || !at || !find_word(lines, n, "CPUAlloc=", &other).n)
        return;
    ff_bytes reason = cut_reason(find_rest(lines, n, "Reason=", &why), &by, &when);
    ff_fields_text(&f, "node", FF_FIELD_HOST, find_word(lines, 1, "NodeName=", &other));
    ff_fields_text(&f, "state", FF_FIELD_TEXT, state);
    ff_fields_text(&f, "reason", FF_FIELD_TEXT, reason);
    ff_fields_text(&f, "by", FF_FIELD_TEXT, by);
    add_word(&f, "booted", lines, n, "BootTime=");
    add_word(&f, "started", lines, n, "SlurmdStartTime=");
    add_word(&f, "gres", lines, n, "Gres=");
    add_word(&f, "version", lines, n, "Version=");
    give(why ? why : at, FF_FACT_SLURM_NODE, when, &f, out);
}

static void scontrol_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    (void)cut;
    if (is_job(lines[0].ev.text))
        read_job(lines, n, out);
    else
        read_node(lines, n, out);
}

static const char *const scontrol_needles[] = { " JobName=", "NodeName=", NULL };

const ff_block ff_block_scontrol = { .name = "scontrol",
                                     .streams = FF_STREAM_SLURM,
                                     .needles = scontrol_needles,
                                     .max_lines = 100,
                                     .opens = scontrol_opens,
                                     .take = scontrol_take,
                                     .read = scontrol_read };
