/* Processes as ps and top list them: who is busy, who is blocked, who is stopped.
 *     USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
 *     root        4101  101  2.1 9912344 88120 ?       Rl   12:01  44:01 python3 train.py
 *     PID STAT %CPU WCHAN  CMD
 *     PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
 * Formats: procps ps(1) and top(1) in batch mode. The columns are those of the heading; the command is the last. Kept
 * are processes that are busy (half a CPU and more), blocked (D), stopped (T, t) or dead (Z), the first 64 of a list;
 * a thread that only sleeps says nothing. Not understood: ps -L with several rows of one pid (each row is a process).
 */
#include "tools.h"

#define MOST_COLUMNS 24u
#define MOST_FACTS 64u

typedef enum column { COL_OTHER, COL_PID, COL_STATE, COL_CPU, COL_WCHAN, COL_COMMAND } column;

static column column_of(ff_bytes name)
{
    static const struct {
        const char *name;
        column col;
    } names[] = { { "PID", COL_PID }, { "STAT", COL_STATE },  { "S", COL_STATE },         { "%CPU", COL_CPU },
                  { "C", COL_CPU },   { "WCHAN", COL_WCHAN }, { "COMMAND", COL_COMMAND }, { "CMD", COL_COMMAND } };
    for (size_t i = 0; i < FF_COUNT(names); i++)
        if (ff_equal(name, ff_str(names[i].name)))
            return names[i].col;
    return COL_OTHER;
}

static unsigned read_heading(ff_bytes text, column *columns)
{
    ff_bytes rest = text, word;
    unsigned n = 0;
    bool has[COL_COMMAND + 1] = { false };
    while (n < MOST_COLUMNS && ff_take_cell(&rest, &word)) {
        columns[n] = column_of(word);
        has[columns[n++]] = true;
    }
    return has[COL_PID] && has[COL_STATE] && n && columns[n - 1] == COL_COMMAND ? n : 0;
}

static bool ps_opens(const ff_event *ev)
{
    column columns[MOST_COLUMNS];
    return read_heading(ev->text, columns) > 0;
}

typedef struct process {
    uint64_t pid;
    ff_bytes state, wchan, command;
    double cpu;
    bool has_cpu;
} process;

static bool read_row(ff_bytes text, const column *columns, unsigned n, process *p)
{
    ff_bytes rest = text, word;
    bool has_pid = false;
    *p = (process){ .pid = 0 };
    for (unsigned i = 0; i < n; i++) {
        ff_bytes whole = rest;
        if (!ff_take_cell(&rest, &word))
            return false;
        if (columns[i] == COL_PID)
            has_pid = tool_number(word, &p->pid) && p->pid > 0 && p->pid <= INT32_MAX;
        else if (columns[i] == COL_STATE)
            p->state = word;
        else if (columns[i] == COL_CPU)
            p->has_cpu = tool_take_decimal(&word, &p->cpu) && !word.n;
        else if (columns[i] == COL_WCHAN)
            p->wchan = word;
        else if (columns[i] == COL_COMMAND)
            p->command = ff_trim(whole);
    }
    return has_pid && p->state.n > 0 && p->state.n <= 8;
}

static ff_block_say ps_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    column columns[MOST_COLUMNS];
    process p;
    (void)n;
    unsigned n_columns = read_heading(lines[0].ev.text, columns);
    return read_row(next->text, columns, n_columns, &p) ? FF_BLOCK_MINE : FF_BLOCK_END;
}

/* The program, without its folder, its arguments and what an interpreter is given. */
static ff_bytes program_of(ff_bytes command)
{
    ff_bytes word = { 0 };
    if (!ff_take_word(&command, &word) || word.p[0] == '[') /* a thread of the kernel */
        return word;
    return ff_after_last(word, '/');
}

static bool is_telling(const process *p)
{
    char state = p->state.p[0];
    return (p->has_cpu && p->cpu >= 50) || state == 'D' || state == 'T' || state == 't' || state == 'Z';
}

static void ps_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    column columns[MOST_COLUMNS];
    unsigned n_columns = read_heading(lines[0].ev.text, columns), given = 0;
    for (uint32_t i = 1; i < n && given < MOST_FACTS; i++) {
        process p;
        if (!read_row(lines[i].ev.text, columns, n_columns, &p) || !is_telling(&p))
            continue;
        ff_fields f = { .n = 0 };
        ff_fields_int(&f, "pid", FF_FIELD_PID, (int64_t)p.pid);
        ff_fields_text(&f, "process", FF_FIELD_PROCESS, program_of(p.command));
        ff_fields_text(&f, "state", FF_FIELD_TEXT, ff_first_n(p.state, 1));
        if (p.has_cpu)
            ff_fields_float(&f, "cpu_pct", p.cpu);
        if (!ff_equal(p.wchan, FF_LIT("-")))
            ff_fields_text(&f, "wchan", FF_FIELD_TEXT, p.wchan);
        ff_fields_text(&f, "command", FF_FIELD_TEXT, ff_first_n(p.command, 200));
        tool_fact(out, &lines[i], FF_FACT_HOST_PROCESS, &f);
        given++;
    }
    if (cut)
        out->skip(out->owner, lines[n - 1].line, "list of processes is longer than the cap");
}

static const char *const ps_needles[] = { "COMMAND", " CMD", NULL };

const ff_block ff_block_ps = { .name = "ps",
                               .streams = FF_STREAM_HOST | FF_STREAM_APP,
                               .needles = ps_needles,
                               .max_lines = 4096,
                               .opens = ps_opens,
                               .take = ps_take,
                               .read = ps_read };
