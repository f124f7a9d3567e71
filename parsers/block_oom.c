/* Which lines make up an out-of-memory report.
 *     python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=998
 *     memory: usage 8388608kB, limit 8388608kB, failcnt 4711
 *     ... call trace, statistics, task table ...
 *     oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),...
 *     Memory cgroup out of memory: Killed process 41234 (python3) total-vm:49382712kB, anon-rss:8000000kB, ...
 * Format: kernel mm/oom_kill.c and mm/memcontrol.c, 3.10 to 6.18. The kernel limits the rate of the long part, so a
 * report may be its "Killed process" line alone; the ring buffer may have lost its beginning. A log may have its
 * newest line first (journalctl -r, portals): then the kill comes before the summary that names the same pid. */
#include "oom.h"

#define SECOND INT64_C(1000000000)
#define LONGEST (30 * SECOND)   /* a report on a slow serial console */
#define AFTER_KILL (2 * SECOND) /* group kills and the reaper follow within a moment; then it is another report */

static bool is_one_word(ff_bytes text, ff_bytes *rest)
{
    ff_bytes word;
    *rest = text;
    return ff_take_word(rest, &word) && word.n <= 64 && ff_take_char(rest, ' ');
}

/* "anon 8543211520": a key of memory.stat and a number. */
static bool is_stat(ff_bytes text)
{
    ff_bytes rest;
    uint64_t n = 0;
    text = ff_trim(text);
    if (text.n == 0 || text.p[0] < 'a' || text.p[0] > 'z' || !is_one_word(text, &rest))
        return false;
    return ff_take_uint(&rest, &n) && ff_is_empty(rest);
}

static bool is_task(ff_bytes text)
{
    uint64_t n = 0;
    if (!ff_take_char(&text, '[') || !ff_take_spaces(&text) || !ff_take_uint(&text, &n) ||
        !ff_take_char(&text, ']') || !ff_take_spaces(&text))
        return false;
    for (int i = 0; i < 4; i++)
        if (!ff_take_uint(&text, &n) || !ff_take_spaces(&text))
            return false;
    return true;
}

static bool is_task_head(ff_bytes text)
{
    return ff_take_char(&text, '[') && ff_take_spaces(&text) && ff_take_lit(&text, FF_LIT("pid")) &&
           ff_take_spaces(&text) && ff_take_char(&text, ']') && ff_contains(text, FF_LIT("total_vm"));
}

/* " ? mem_cgroup_iter+0x137/0x220", "dump_stack_lvl+0x5c/0x90 [nvidia]". */
static bool is_frame(ff_bytes text)
{
    ff_bytes name, rest = ff_trim(text);
    ff_take_lit(&rest, FF_LIT("? "));
    if (ff_take_lit(&rest, FF_LIT("[<"))) /* before 4.9: the address first */
        return true;
    return ff_take_name(&rest, &name) && ff_starts(rest, FF_LIT("+0x"));
}

static bool is_trace(ff_bytes text)
{
    static const char *const starts[] = {
        "CPU: ", "Tainted: ", "Hardware name: ", "Call Trace:", "<TASK>", "</TASK>", "RIP: ",  "RSP: ",
        "RAX: ", "RBX: ",     "RDX: ",           "RBP: ",       "R10: ",  "R13: ",   "Code: ", "FS: ",
        "CS: ",  "CR2: ",     "Call trace:",     "pc : ",       "lr : ",  "sp : ",   NULL
    };
    text = ff_trim(text);
    for (const char *const *start = starts; *start; start++)
        if (ff_starts_str(text, *start))
            return true;
    return is_frame(text);
}

static bool is_meminfo(ff_bytes text)
{
    static const char *const starts[] = {
        "Mem-Info:",  "active_anon:", " inactive_anon:",         "Node ", "lowmem_reserve",
        "Free swap ", "Total swap ",  "Unreclaimable slab info", NULL
    };
    for (const char *const *start = starts; *start; start++)
        if (ff_starts_str(text, *start))
            return true;
    return ff_ends(text, FF_LIT(" total pagecache pages")) || ff_ends(text, FF_LIT(" pages RAM")) ||
           ff_ends(text, FF_LIT(" pages reserved")) || ff_ends(text, FF_LIT(" pages hwpoisoned")) ||
           ff_ends(text, FF_LIT(" pages in swap cache")) || ff_ends(text, FF_LIT(" pages HighMem/MovableOnly"));
}

static bool is_killed(ff_bytes text) { return ff_contains(text, FF_LIT("Killed process ")); }

ff_oom_part ff_oom_part_of(ff_bytes record)
{
    static const struct {
        const char *start;
        ff_oom_part part;
    } starts[] = { { "memory: usage ", FF_OOM_USAGE },
                   { "swap: usage ", FF_OOM_USAGE },
                   { "memory+swap: usage ", FF_OOM_USAGE },
                   { "kmem: usage ", FF_OOM_USAGE },
                   { "Memory cgroup stats for ", FF_OOM_STATS },
                   { "Tasks state ", FF_OOM_TASKS },
                   { "oom-kill:", FF_OOM_SUMMARY },
                   { "Task in ", FF_OOM_SUMMARY },
                   { "Tasks in ", FF_OOM_GROUP },
                   { "oom_reaper: ", FF_OOM_REAPED } };
    ff_bytes text = { 0 };
    ff_take_line(&record, &text);
    if (ff_contains(text, FF_LIT(" invoked oom-killer: ")))
        return FF_OOM_INVOKED;
    for (size_t i = 0; i < FF_COUNT(starts); i++)
        if (ff_starts_str(text, starts[i].start))
            return starts[i].part;
    if (is_killed(text))
        return FF_OOM_KILLED;
    if (is_task_head(text))
        return FF_OOM_TASKS;
    if (is_task(text))
        return FF_OOM_TASK;
    if (ff_contains(text, FF_LIT("Kill process ")) && ff_contains(text, FF_LIT("or sacrifice child")))
        return FF_OOM_CHOSEN;
    if (is_meminfo(text))
        return FF_OOM_MEMINFO;
    if (is_trace(text))
        return FF_OOM_TRACE;
    return is_stat(text) ? FF_OOM_STAT : FF_OOM_OTHER;
}

static bool oom_opens(const ff_event *ev)
{
    ff_oom_part part = ff_oom_part_of(ev->text);
    return part == FF_OOM_INVOKED || part == FF_OOM_USAGE || part == FF_OOM_SUMMARY || part == FF_OOM_CHOSEN ||
           part == FF_OOM_KILLED;
}

/* Nanoseconds from a line to the next event, on their common clock; -1: they do not share one. */
static int64_t since(const ff_block_line *line, const ff_event *next)
{
    if (line->ev.said.kind == FF_STAMP_NONE || line->ev.said.kind != next->said.kind)
        return -1;
    return next->said.ns > line->ev.said.ns ? next->said.ns - line->ev.said.ns : 0;
}

static bool is_other_host(const ff_event *a, const ff_event *b)
{
    return a->who.host.n && b->who.host.n && !ff_equal(a->who.host, b->who.host);
}

static bool is_end(ff_oom_part part)
{
    return part == FF_OOM_KILLED || part == FF_OOM_REAPED || part == FF_OOM_GROUP;
}

static bool number_behind(ff_bytes text, ff_bytes key, uint64_t *out)
{
    return ff_take_past(&text, key) && ff_take_uint(&text, out);
}

/* A summary of one of the kills that stand in front of it. */
static bool is_summary_of(const ff_block_line *lines, uint32_t n, ff_bytes summary)
{
    uint64_t pid = 0, killed = 0;
    if (!number_behind(summary, FF_LIT(",pid="), &pid))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (number_behind(lines[i].ev.text, FF_LIT("Killed process "), &killed) && killed == pid)
            return true;
    return false;
}

/* The kill ends the long part; what may follow belongs to it only for a moment. */
static ff_block_say after_kill(const ff_block_line *lines, uint32_t n, const ff_event *next, ff_oom_part part)
{
    int64_t gap = since(&lines[n - 1], next);
    if (gap > AFTER_KILL)
        return FF_BLOCK_END;
    switch (part) {
    case FF_OOM_KILLED:
    case FF_OOM_REAPED:
    case FF_OOM_GROUP:
        return FF_BLOCK_MINE;
    case FF_OOM_SUMMARY:
        return is_end(ff_oom_part_of(lines[0].ev.text)) && is_summary_of(lines, n, next->text) ? FF_BLOCK_MINE
                                                                                               : FF_BLOCK_END;
    case FF_OOM_INVOKED:
    case FF_OOM_USAGE:
        return FF_BLOCK_END;
    default:
        /* without times nothing bounds the wait */
        return gap < 0 && !next->continued ? FF_BLOCK_END : FF_BLOCK_NOT_MINE;
    }
}

static ff_block_say before_kill(const ff_block_line *lines, uint32_t n, const ff_event *next, ff_oom_part part)
{
    const ff_block_line *last = &lines[n - 1];
    if (since(&lines[0], next) > LONGEST)
        return FF_BLOCK_END;
    bool reversed = is_end(ff_oom_part_of(lines[0].ev.text));
    if (part == FF_OOM_INVOKED)
        return reversed ? FF_BLOCK_LAST : FF_BLOCK_END;
    if (reversed && is_end(part))
        return FF_BLOCK_END;
    if (part == FF_OOM_STAT) {
        ff_oom_part before = ff_oom_part_of(last->ev.text);
        return before == FF_OOM_STATS || before == FF_OOM_STAT || (reversed && before == FF_OOM_TASKS)
                   ? FF_BLOCK_MINE
                   : FF_BLOCK_NOT_MINE;
    }
    return part == FF_OOM_OTHER ? FF_BLOCK_NOT_MINE : FF_BLOCK_MINE;
}

static ff_block_say oom_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    if (is_other_host(&lines[0].ev, next))
        return FF_BLOCK_NOT_MINE;
    if (!(next->stream & FF_STREAM_KERNEL) && !next->continued)
        return FF_BLOCK_NOT_MINE; /* userspace between, in a journal */
    ff_oom_part part = ff_oom_part_of(next->text);
    ff_oom_part last = ff_oom_part_of(lines[n - 1].ev.text);
    return is_end(last) ? after_kill(lines, n, next, part) : before_kill(lines, n, next, part);
}

/* As the kernel printed them. */
static void oom_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    ff_block_line *forward = NULL;
    if (n > 1 && is_end(ff_oom_part_of(lines[0].ev.text)) && !is_end(ff_oom_part_of(lines[n - 1].ev.text))) {
        forward = FF_NEW_N(out->scratch, ff_block_line, n);
        for (uint32_t i = 0; i < n; i++)
            forward[i] = lines[n - 1 - i];
    }
    ff_oom_read(forward ? forward : lines, n, cut, out);
}

static const char *const oom_needles[] = { "invoked oom-killer: ", "memory: usage ",  "oom-kill:constraint=",
                                           "or sacrifice child",   "Killed process ", NULL };

const ff_block ff_block_oom = { .name = "oom",
                                .streams = FF_STREAM_KERNEL,
                                .needles = oom_needles,
                                .max_lines = FF_CAP_BLOCK_LINES,
                                .opens = oom_opens,
                                .take = oom_take,
                                .read = oom_read };
