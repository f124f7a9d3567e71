/* Tables of nccl-tests, of any collective and release, with or without per-iteration columns.
 *     # Collective test starting: all_reduce_perf
 *     # nThread 1 nGpus 1 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 5 iters: 20 ...
 *     #  Rank  0 Group  0 Pid   1406 on gpu-a01 device  0 [0000:1b:00] NVIDIA H100 80GB HBM3
 *     #       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw ...
 *         1048576        262144     float     sum      -1    45.21   23.19   40.59       0    44.90   23.35 ...
 *     # Avg bus bandwidth    : 40.73
 * Format: nccl-tests 2.0 to 2.19, src/common.cu. The columns are those of the heading: releases before 2.6 have no
 * redop or root for some tests, and -I 1 adds four behind each half. "error" (to 2.11) is a rounding error, no count.
 * Only rank 0 prints, but NCCL's own lines of all ranks stand between. Not understood: several processes that print a
 * table each into one log at once (their rows cannot be told apart, and are taken for one table). */
#include "nccltests.h"

#include "tools.h"

#define MOST_ROWS 64u
#define MOST_COLUMNS 24u

typedef enum column {
    COL_SIZE,
    COL_COUNT,
    COL_TYPE,
    COL_REDOP,
    COL_ROOT,
    COL_TIME,
    COL_ALGBW,
    COL_BUSBW,
    COL_WRONG,
    COL_ITER_MIN,
    COL_ITER_MAX,
    COL_ITER_P99,
    COL_ITER_CV,
    COL_OTHER
} column;

static bool is_heading(ff_bytes text)
{
    return ff_starts(text, FF_LIT("#")) && ff_contains(text, FF_LIT(" algbw")) && ff_contains(text, FF_LIT(" busbw"));
}

static bool is_begin(ff_bytes text)
{
    return ff_starts(text, FF_LIT("# Collective test starting:")) || ff_starts(text, FF_LIT("# nThread ")) ||
           ff_starts(text, FF_LIT("nThread "));
}

static bool is_row(ff_bytes text)
{
    uint64_t size = 0, count = 0;
    ff_bytes rest = text, word;
    ff_take_spaces(&rest);
    if (!ff_take_uint(&rest, &size) || !ff_take_spaces(&rest) || !ff_take_uint(&rest, &count))
        return false;
    unsigned words = 0;
    for (ff_take_spaces(&rest); ff_take_word(&rest, &word); ff_take_spaces(&rest))
        words++;
    return words >= 4 && words <= MOST_COLUMNS;
}

static bool nccltests_opens(const ff_event *ev) { return is_begin(ev->text) || is_heading(ev->text); }

static ff_block_say nccltests_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    bool headed = is_heading(lines[0].ev.text), rows = false;
    for (uint32_t i = n; i-- > 0 && n - i <= 4;)
        rows = rows || is_row(lines[i].ev.text);
    if (is_row(next->text))
        return FF_BLOCK_MINE;
    if (ff_starts(next->text, FF_LIT("# Avg bus bandwidth")))
        return FF_BLOCK_LAST;
    /* the next run, or its next cycle: another table begins */
    if ((rows || headed) && (is_begin(next->text) || is_heading(next->text)))
        return FF_BLOCK_END;
    return ff_starts(next->text, FF_LIT("#")) ? FF_BLOCK_MINE : FF_BLOCK_NOT_MINE;
}

static column column_of(ff_bytes name)
{
    static const struct {
        const char *name;
        column col;
    } names[] = { { "size", COL_SIZE },      { "count", COL_COUNT },    { "type", COL_TYPE },
                  { "redop", COL_REDOP },    { "root", COL_ROOT },      { "time", COL_TIME },
                  { "cputime", COL_TIME },   { "algbw", COL_ALGBW },    { "busbw", COL_BUSBW },
                  { "#wrong", COL_WRONG },   { "i_min", COL_ITER_MIN }, { "i_max", COL_ITER_MAX },
                  { "i_p99", COL_ITER_P99 }, { "i_cv%", COL_ITER_CV } };
    for (size_t i = 0; i < FF_COUNT(names); i++)
        if (ff_equal(name, ff_str(names[i].name)))
            return names[i].col;
    return COL_OTHER;
}

static unsigned read_heading(ff_bytes text, column *columns)
{
    ff_bytes rest = ff_skip_n(text, 1), word;
    unsigned n = 0;
    for (ff_take_spaces(&rest); n < MOST_COLUMNS && ff_take_word(&rest, &word); ff_take_spaces(&rest))
        columns[n++] = column_of(word);
    return n;
}

static void put(ff_test_half *h, column col, double value)
{
    double *to[] = {
        [COL_TIME] = &h->time_us,         [COL_ALGBW] = &h->algbw,          [COL_BUSBW] = &h->busbw,
        [COL_WRONG] = &h->wrong,          [COL_ITER_MIN] = &h->iter_min_us, [COL_ITER_MAX] = &h->iter_max_us,
        [COL_ITER_P99] = &h->iter_p99_us, [COL_ITER_CV] = &h->iter_cv_pct
    };
    if (col < FF_COUNT(to) && to[col])
        *to[col] = value;
    if (col == COL_BUSBW)
        h->there = true;
}

static bool read_row(ff_bytes text, const column *columns, unsigned n, ff_test_row *row)
{
    ff_bytes rest = text, word;
    unsigned halves = 0;
    *row = (ff_test_row){ .root = -1, .half = { { .wrong = -1 }, { .wrong = -1 } } };
    for (unsigned i = 0; i < n; i++) {
        ff_take_spaces(&rest);
        if (!ff_take_word(&rest, &word))
            break;
        ff_bytes number = word;
        double value = 0;
        if (columns[i] == COL_TIME)
            halves++;
        if (columns[i] == COL_SIZE)
            (void)ff_take_uint(&number, &row->size);
        else if (columns[i] == COL_COUNT)
            (void)ff_take_uint(&number, &row->count);
        else if (columns[i] == COL_TYPE)
            row->type = word;
        else if (columns[i] == COL_REDOP)
            row->redop = word;
        else if (columns[i] == COL_ROOT)
            (void)ff_take_int(&number, &row->root);
        else if (columns[i] != COL_OTHER && halves > 0 && halves <= 2 && ff_test_number(&number, &value))
            put(&row->half[halves - 1], columns[i], value);
    }
    return row->half[0].there || row->half[1].there;
}

/* "#  Rank  0 Group  0 Pid   1406 on gpu-a01 device  0 [0000:1b:00] NVIDIA H200". Hosts stand in blocks. */
static void see_device(ff_test_run *run, ff_bytes text, ff_bytes *last_host)
{
    ff_bytes rest = ff_skip_n(text, 1), host;
    ff_take_spaces(&rest);
    size_t at = ff_find(text, FF_LIT(" on "));
    if (!ff_starts(rest, FF_LIT("Rank ")) || at >= text.n)
        return;
    rest = ff_skip_n(text, at + 4);
    ff_take_spaces(&rest);
    if (!ff_take_word(&rest, &host))
        return;
    run->ranks++;
    if (!ff_equal(host, *last_host))
        run->hosts++;
    *last_host = host;
    if (run->ranks > 1)
        return;
    run->host = host;
    ff_bytes name;
    if (ff_take_until(&rest, ']', &name))
        run->device = ff_trim(rest);
}

static void nccltests_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    ff_test_run run = { .ranks = 0 };
    column columns[MOST_COLUMNS];
    unsigned n_columns = 0, given = 0;
    ff_bytes last_host = { 0 };
    for (uint32_t i = 0; i < n; i++) {
        ff_bytes text = lines[i].ev.text;
        ff_test_row row;
        if (ff_starts(text, FF_LIT("# Collective test starting:"))) {
            run.collective = ff_test_collective(text);
        } else if (is_heading(text)) {
            n_columns = read_heading(text, columns);
        } else if (ff_starts(text, FF_LIT("#"))) {
            see_device(&run, text, &last_host);
        } else if (n_columns && is_row(text) && given < MOST_ROWS && read_row(text, columns, n_columns, &row)) {
            ff_fields f = { .n = 0 };
            ff_test_fields(&run, &row, &f);
            tool_fact(out, &lines[i], FF_FACT_TEST_ROW, &f);
            given++;
        }
    }
    if (cut)
        out->skip(out->owner, lines[n - 1].line, "table of nccl-tests is longer than the cap");
}

static const char *const nccltests_needles[] = { "# Collective test starting:", "nThread ", " algbw ", NULL };

const ff_block ff_block_nccltests = { .name = "nccltests",
                                      .streams = FF_STREAM_APP | FF_STREAM_NCCL,
                                      .needles = nccltests_needles,
                                      .max_lines = 512,
                                      .opens = nccltests_opens,
                                      .take = nccltests_take,
                                      .read = nccltests_read };
