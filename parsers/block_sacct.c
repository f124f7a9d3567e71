/* Rows of sacct: what became of jobs and their steps. With -P (and -p), and in columns of fixed width.
 *     JobID|State|ExitCode|NodeList|Start|End|Elapsed|Timelimit
 *     123|NODE_FAIL|1:0|gpu-a02|2026-01-01T00:00:00|2026-01-01T03:12:08|03:12:08|7-00:00:00
 *     JobID           JobName      State ExitCode
 *     ------------ ---------- ---------- --------
 *     123            train.sh OUT_OF_ME+    0:125
 * Format: Slurm src/sacct/print.c. Times are local to the machine that asked. What does not fit into its column is
 * cut and ends in "+"; of states the rest is known. */
#include "lines.h"

#define COLUMNS 40u

static bool is_fixed_head(ff_bytes text)
{
    ff_bytes rest = text, word;
    (void)ff_take_spaces(&rest);
    return ff_take_word(&rest, &word) && (ff_equal(word, FF_LIT("JobID")) || ff_equal(word, FF_LIT("JobIDRaw"))) &&
           ff_contains(rest, FF_LIT(" State"));
}

static bool is_head(ff_bytes text)
{
    return ff_starts(text, FF_LIT("JobID|")) || ff_starts(text, FF_LIT("JobIDRaw|")) ||
           ff_contains(text, FF_LIT("|JobID|"));
}

static bool sacct_opens(const ff_event *ev)
{
    return is_fixed_head(ev->text) || (is_head(ev->text) && ff_contains(ev->text, FF_LIT("State")));
}

static bool is_rule(ff_bytes text)
{
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] != '-' && text.p[i] != ' ')
            return false;
    return text.n > 0 && text.p[0] == '-';
}

static ff_block_say sacct_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    ff_bytes row = next->text;
    if (!is_fixed_head(lines[0].ev.text))
        return ff_contains(row, FF_LIT("|")) && !is_head(row) ? FF_BLOCK_MINE : FF_BLOCK_END;
    (void)ff_take_spaces(&row);
    bool mine = n == 1 ? is_rule(next->text) : row.n && row.p[0] >= '0' && row.p[0] <= '9';
    return mine ? FF_BLOCK_MINE : FF_BLOCK_END;
}

typedef struct table {
    ff_bytes heads[COLUMNS];
    unsigned n;
    ff_bytes rule; /* "---- ----": where the columns of fixed width are; empty: cells are between bars */
} table;

static unsigned cut_at_bars(ff_bytes line, ff_bytes *cells)
{
    unsigned n = 0;
    ff_bytes cell;
    while (n + 1 < COLUMNS && ff_take_until(&line, '|', &cell))
        cells[n++] = ff_trim(cell);
    cells[n++] = ff_trim(line);
    return n;
}

static unsigned cut_at_rule(ff_bytes rule, ff_bytes line, ff_bytes *cells)
{
    unsigned n = 0;
    for (size_t from = 0, to = 0; from < rule.n && n < COLUMNS; from = to + 1) {
        for (to = from; to < rule.n && rule.p[to] == '-';)
            to++;
        if (to > from)
            cells[n++] = ff_trim(ff_first_n(ff_skip_n(line, from), to - from));
    }
    return n;
}

static unsigned cut_row(const table *t, ff_bytes line, ff_bytes *cells)
{
    return t->rule.n ? cut_at_rule(t->rule, line, cells) : cut_at_bars(line, cells);
}

/* "OUT_OF_ME+" is a state cut at its column; the first that begins so. */
static ff_bytes whole_state(ff_bytes word)
{
    static const char *const states[] = { "OUT_OF_MEMORY", "CANCELLED", "COMPLETED", "NODE_FAIL", "PREEMPTED",
                                          "BOOT_FAIL",     "DEADLINE",  "TIMEOUT",   "FAILED",    "RUNNING",
                                          "PENDING",       "SUSPENDED", NULL };
    if (!ff_ends(word, FF_LIT("+")))
        return word;
    ff_bytes begin = ff_first_n(word, word.n - 1);
    for (const char *const *state = states; *state && begin.n > 1; state++)
        if (ff_starts(ff_str(*state), begin))
            return ff_str(*state);
    return begin;
}

static ff_bytes cell_of(const ff_bytes *heads, unsigned n_heads, const ff_bytes *cells, unsigned n, const char *name)
{
    for (unsigned i = 0; i < n_heads && i < n; i++)
        if (ff_equal_nocase(heads[i], ff_str(name)))
            return cells[i];
    return (ff_bytes){ 0 };
}

/* "0:9" -> code 0, signal 9 */
static void add_exit(ff_fields *f, ff_bytes exit)
{
    uint64_t code = 0, signal = 0;
    if (!ff_take_uint(&exit, &code) || !ff_take_char(&exit, ':') || !ff_take_uint(&exit, &signal) || code > 65535 ||
        signal > 255)
        return;
    ff_fields_int(f, "code", FF_FIELD_INT, (int64_t)code);
    ff_fields_int(f, "signal", FF_FIELD_INT, (int64_t)signal);
}

/* "CANCELLED by 1000": the user who asked for the end, as uid; a column that is too narrow cuts it off. */
static void add_by(ff_fields *f, ff_bytes behind_state)
{
    if (ff_take_lit(&behind_state, FF_LIT(" by ")))
        ff_fields_text(f, "by", FF_FIELD_TEXT, ff_trim(behind_state));
}

static bool is_one_node(ff_bytes nodes)
{
    return nodes.n && !ff_contains(nodes, FF_LIT("[")) && !ff_contains(nodes, FF_LIT(",")) &&
           !ff_contains(nodes, FF_LIT(" ")) && !ff_equal(nodes, FF_LIT("Unknown"));
}

static void give_row(const ff_block_line *line, const table *t, ff_sink *out)
{
    ff_bytes cells[COLUMNS];
    const ff_bytes *heads = t->heads;
    unsigned n_heads = t->n, n = cut_row(t, line->ev.text, cells);
    ff_bytes id = cell_of(heads, n_heads, cells, n, "JobID"), state = cell_of(heads, n_heads, cells, n, "State");
    ff_bytes job = id, step = { 0 }, word = { 0 }, rest = state;
    if (!id.n)
        id = job = cell_of(heads, n_heads, cells, n, "JobIDRaw");
    if (!id.n || !ff_take_word(&rest, &word))
        return;
    size_t dot = ff_find(id, FF_LIT("."));
    if (dot < id.n) {
        job = ff_first_n(id, dot);
        step = ff_skip_n(id, dot + 1);
    }
    ff_fields f = { .n = 0 };
    ff_bytes nodes = cell_of(heads, n_heads, cells, n, "NodeList");
    ff_bytes end = cell_of(heads, n_heads, cells, n, "End");
    ff_stamp said = { 0 };
    ff_fields_text(&f, "job", FF_FIELD_TEXT, job);
    ff_fields_text(&f, "step", FF_FIELD_TEXT, step);
    ff_fields_text(&f, "state", FF_FIELD_TEXT, whole_state(word));
    add_by(&f, rest);
    add_exit(&f, cell_of(heads, n_heads, cells, n, "ExitCode"));
    ff_fields_text(&f, "nodes", FF_FIELD_TEXT, nodes);
    ff_fields_text(&f, "reason", FF_FIELD_TEXT, cell_of(heads, n_heads, cells, n, "Reason"));
    ff_fields_text(&f, "elapsed", FF_FIELD_TEXT, cell_of(heads, n_heads, cells, n, "Elapsed"));
    ff_fields_text(&f, "time_limit", FF_FIELD_TEXT, cell_of(heads, n_heads, cells, n, "Timelimit"));
    ff_fields_text(&f, "max_rss", FF_FIELD_TEXT, cell_of(heads, n_heads, cells, n, "MaxRSS"));
    if (!ff_take_rfc3339(&end, &said))
        said = (ff_stamp){ 0 };
    ff_who who = line->ev.who;
    ff_bytes failed = cell_of(heads, n_heads, cells, n, "FailedNode");
    if (is_one_node(failed) || is_one_node(nodes))
        ff_fields_text(&f, "node", FF_FIELD_HOST, is_one_node(failed) ? failed : nodes);
    ff_fact fact = { .id = FF_FACT_SLURM_JOB,
                     .line = line->line,
                     .offset = line->offset,
                     .quote = line->quote,
                     .said = said,
                     .who = who,
                     .fields = f.at,
                     .n_fields = f.n };
    out->fact(out->owner, &fact);
}

static void sacct_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    bool fixed = is_fixed_head(lines[0].ev.text);
    table t = { .n = 0 };
    if (fixed && n > 1)
        t.rule = lines[1].ev.text;
    t.n = cut_row(&t, lines[0].ev.text, t.heads);
    for (uint32_t i = fixed ? 2 : 1; i < n; i++)
        give_row(&lines[i], &t, out);
    if (cut)
        out->skip(out->owner, lines[n - 1].line, "table is longer than the cap");
}

static const char *const sacct_needles[] = { "JobID|", "JobIDRaw|", "JobID   ", "JobIDRaw   ", NULL };

const ff_block ff_block_sacct = { .name = "sacct",
                                  .streams = FF_STREAM_SLURM,
                                  .needles = sacct_needles,
                                  .max_lines = FF_CAP_BLOCK_LINES,
                                  .opens = sacct_opens,
                                  .take = sacct_take,
                                  .read = sacct_read };
