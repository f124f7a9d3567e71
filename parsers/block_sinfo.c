/* Nodes that sinfo shows as not in service, with the reason where it prints one.
 *     REASON               USER      TIMESTAMP           NODELIST               sinfo -R
 *     Not responding       slurm     2026-01-01T00:00:00 gpu-a[02-03]
 *     NODELIST   NODES PARTITION       STATE CPUS    S:C:T MEMORY ... REASON    sinfo -N -l
 *     gpu-a02        1      gpu*    drained* 128    2:32:2 2063000 ... Kill task failed
 *     PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST                         sinfo
 * Format: Slurm src/sinfo. Times are local to the machine that asked. A reason is cut at 20 bytes unless a width was
 * asked for; it may hold blanks, so that what stands before it is counted from the left and the rest from the right.
 */
#include "hostlist.h"
#include "tools.h"

#define COLUMNS 24u
#define NODES_EACH 64u /* of one row */

typedef struct table {
    ff_bytes heads[COLUMNS];
    unsigned n, reason; /* reason: its column; n where there is none */
} table;

static bool take_heads(ff_bytes text, table *t)
{
    bool nodes = false, other = false;
    ff_bytes word;
    *t = (table){ .n = 0 };
    while (t->n < COLUMNS && ff_take_cell(&text, &word))
        t->heads[t->n++] = word;
    t->reason = t->n;
    for (unsigned i = 0; i < t->n; i++) {
        for (size_t k = 0; k < t->heads[i].n; k++)
            if (t->heads[i].p[k] >= 'a' && t->heads[i].p[k] <= 'z')
                return false;
        nodes = nodes || ff_equal(t->heads[i], FF_LIT("NODELIST"));
        other = other || ff_equal(t->heads[i], FF_LIT("STATE")) || ff_equal(t->heads[i], FF_LIT("TIMESTAMP"));
        t->reason = ff_equal(t->heads[i], FF_LIT("REASON")) ? i : t->reason;
    }
    return nodes && other && t->n > 2;
}

/* The last word, and what stands before it. */
static bool take_last(ff_bytes *in, ff_bytes *word)
{
    ff_bytes text = ff_trim(*in);
    *word = ff_after_last(text, ' ');
    *in = ff_first_n(text, text.n - word->n);
    return word->n > 0;
}

static bool cut_row(const table *t, ff_bytes row, ff_bytes *cells)
{
    ff_bytes rest = row;
    for (unsigned i = 0; i < t->reason; i++)
        if (!ff_take_cell(&rest, &cells[i]))
            return false;
    for (unsigned i = t->n; i > t->reason + 1; i--)
        if (!take_last(&rest, &cells[i - 1]))
            return false;
    if (t->reason < t->n)
        cells[t->reason] = ff_trim(rest);
    return t->reason < t->n || !ff_trim(rest).n;
}

static ff_bytes cell_of(const table *t, const ff_bytes *cells, const char *head)
{
    for (unsigned i = 0; i < t->n; i++)
        if (ff_equal(t->heads[i], ff_str(head)))
            return cells[i];
    return (ff_bytes){ 0 };
}

/* sinfo's words, long and short, as scontrol says them. "*": the node does not answer. Empty: nothing is wrong. */
static ff_bytes state_of(ff_bytes word)
{
    static const struct {
        const char *printed, *state, *silent;
    } states[] = {
        { "down", "DOWN", "DOWN+NOT_RESPONDING" },          { "drain", "DRAIN", "DRAIN+NOT_RESPONDING" },
        { "drained", "DRAINED", "DRAINED+NOT_RESPONDING" }, { "draining", "DRAINING", "DRAINING+NOT_RESPONDING" },
        { "drng", "DRAINING", "DRAINING+NOT_RESPONDING" },  { "fail", "FAIL", "FAIL+NOT_RESPONDING" },
        { "failing", "FAILING", "FAILING+NOT_RESPONDING" }, { "failg", "FAILING", "FAILING+NOT_RESPONDING" },
        { "inval", "INVAL", "INVAL+NOT_RESPONDING" }
    };
    bool silent = ff_ends(word, FF_LIT("*"));
    while (word.n && !(word.p[word.n - 1] >= 'a' && word.p[word.n - 1] <= 'z'))
        word.n--; /* "down*", "drain$", "idle~": flags */
    for (size_t i = 0; i < FF_COUNT(states); i++)
        if (ff_equal(word, ff_str(states[i].printed)))
            return ff_str(silent ? states[i].silent : states[i].state);
    return (ff_bytes){ 0 };
}

static ff_bytes unless_none(ff_bytes text)
{
    bool none = ff_equal_nocase(text, FF_LIT("none")) || ff_equal_nocase(text, FF_LIT("n/a")) ||
                ff_equal_nocase(text, FF_LIT("unknown"));
    return none ? (ff_bytes){ 0 } : text;
}

static void give_row(const table *t, const ff_block_line *line, ff_sink *out)
{
    ff_bytes cells[COLUMNS] = { { 0 } };
    ff_hostlist nodes;
    if (!cut_row(t, line->ev.text, cells))
        return;
    ff_bytes state = state_of(cell_of(t, cells, "STATE")), reason = unless_none(cell_of(t, cells, "REASON"));
    ff_bytes when = cell_of(t, cells, "TIMESTAMP");
    if ((!state.n && !(when.n && reason.n)) ||
        !ff_hostlist_expand(cell_of(t, cells, "NODELIST"), out->scratch, &nodes))
        return;
    ff_block_line at = *line;
    ff_stamp said;
    if (ff_take_rfc3339(&when, &said))
        at.ev.said = said;
    for (uint32_t i = 0; i < nodes.n && i < NODES_EACH; i++) {
        ff_fields f = { .n = 0 };
        ff_fields_text(&f, "node", FF_FIELD_HOST, nodes.at[i]);
        /* -R lists only nodes that are down, drained, or failing, and does not say which */
        ff_fields_text(&f, "state", FF_FIELD_TEXT, state.n ? state : FF_LIT("OUT_OF_SERVICE"));
        ff_fields_text(&f, "reason", FF_FIELD_TEXT, reason);
        ff_fields_text(&f, "by", FF_FIELD_TEXT, cell_of(t, cells, "USER"));
        tool_fact(out, &at, FF_FACT_SLURM_NODE, &f);
    }
}

static bool sinfo_opens(const ff_event *ev)
{
    table t;
    return take_heads(ev->text, &t);
}

static ff_block_say sinfo_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    table t;
    ff_bytes cells[COLUMNS];
    (void)n;
    return take_heads(lines[0].ev.text, &t) && cut_row(&t, next->text, cells) ? FF_BLOCK_MINE : FF_BLOCK_END;
}

static void sinfo_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    table t;
    (void)cut;
    if (take_heads(lines[0].ev.text, &t))
        for (uint32_t i = 1; i < n; i++)
            give_row(&t, &lines[i], out);
}

static const char *const sinfo_needles[] = { "NODELIST", NULL };

const ff_block ff_block_sinfo = { .name = "sinfo",
                                  .streams = FF_STREAM_SLURM,
                                  .needles = sinfo_needles,
                                  .max_lines = FF_CAP_BLOCK_LINES,
                                  .opens = sinfo_opens,
                                  .take = sinfo_take,
                                  .read = sinfo_read };
