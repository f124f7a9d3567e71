/* nvidia-smi dmon: one row for each GPU and period, the heading again and again.
 *     # gpu    pwr  gtemp  mtemp     sm    mem    enc    dec   mclk   pclk
 *     # Idx      W      C      C      %      %      %      %    MHz    MHz
 *         0     93     41     44    100      0      0      0   2619   1980
 *     #Date       Time        gpu    pwr  gtemp ...          with -o DT
 *     20261130   12:01:02      0     93     41 ...
 * Format: NVIDIA's manual page of nvidia-smi, dmon. What is not available is "-". Gives the same fact as a series of
 * nvidia-smi's CSV. Not understood: --format csv, pmon. */
#include "tools.h"

#define MOST_COLUMNS 40u
#define MOST_GPUS 32u

typedef enum column { COL_OTHER, COL_GPU, COL_POWER, COL_TEMPERATURE, COL_SM, COL_MEMORY, COL_CLOCK } column;

typedef struct range {
    double low, high, sum;
    uint32_t n;
} range;

typedef struct series {
    int64_t gpu;
    uint32_t rows, idle, idle_run, longest_idle, spin_run;
    range sm, memory, power, temperature, clock, spin_power;
    const ff_block_line *first;
} series;

static bool is_heading(ff_bytes text)
{
    ff_bytes rest = text;
    return ff_take_char(&rest, '#') && ff_contains(rest, FF_LIT("gpu")) && ff_contains(rest, FF_LIT(" sm ")) &&
           ff_contains(rest, FF_LIT(" mem "));
}

static bool is_row(ff_bytes text)
{
    ff_bytes rest = text, word;
    unsigned words = 0;
    for (ff_take_spaces(&rest); ff_take_word(&rest, &word); ff_take_spaces(&rest), words++)
        for (size_t i = 0; i < word.n; i++)
            if (!(word.p[i] >= '0' && word.p[i] <= '9') && word.p[i] != '-' && word.p[i] != ':' && word.p[i] != '.')
                return false;
    return words >= 3 && words <= MOST_COLUMNS;
}

static bool dmon_opens(const ff_event *ev) { return is_heading(ev->text); }

static ff_block_say dmon_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    (void)lines, (void)n;
    if (is_row(next->text) || ff_starts(next->text, FF_LIT("#")))
        return FF_BLOCK_MINE;
    return ff_is_empty(ff_trim(next->text)) ? FF_BLOCK_NOT_MINE : FF_BLOCK_END;
}

static column column_of(ff_bytes name)
{
    static const struct {
        const char *name;
        column col;
    } names[] = { { "gpu", COL_GPU },          { "pwr", COL_POWER }, { "gtemp", COL_TEMPERATURE },
                  { "temp", COL_TEMPERATURE }, { "sm", COL_SM },     { "mem", COL_MEMORY },
                  { "pclk", COL_CLOCK } };
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

static void see(range *r, int64_t value)
{
    double v = (double)value;
    r->low = !r->n || v < r->low ? v : r->low;
    r->high = !r->n || v > r->high ? v : r->high;
    r->sum += v;
    r->n++;
}

static series *series_of(series *all, uint32_t *n, int64_t gpu)
{
    for (uint32_t i = 0; i < *n; i++)
        if (all[i].gpu == gpu)
            return &all[i];
    if (*n == MOST_GPUS)
        return NULL;
    all[*n] = (series){ .gpu = gpu };
    return &all[(*n)++];
}

/* A row that cannot be read is passed over: dmon prints what the driver says. */
static void see_row(series *all, uint32_t *n, const ff_block_line *line, const column *columns, unsigned n_columns)
{
    int64_t value[COL_CLOCK + 1] = { 0 };
    bool known[COL_CLOCK + 1] = { false };
    ff_bytes rest = line->ev.text, word;
    for (unsigned i = 0; i < n_columns; i++) {
        ff_take_spaces(&rest);
        if (!ff_take_word(&rest, &word))
            return;
        known[columns[i]] = ff_take_int(&word, &value[columns[i]]);
    }
    series *s = known[COL_GPU] && known[COL_SM] ? series_of(all, n, value[COL_GPU]) : NULL;
    if (!s)
        return;
    range *to[] = { [COL_POWER] = &s->power,
                    [COL_TEMPERATURE] = &s->temperature,
                    [COL_SM] = &s->sm,
                    [COL_MEMORY] = &s->memory,
                    [COL_CLOCK] = &s->clock };
    for (unsigned c = COL_POWER; c <= COL_CLOCK; c++)
        if (known[c])
            see(to[c], value[c]);
    s->first = s->rows++ ? s->first : line;
    bool idle = value[COL_SM] < 1, spin = value[COL_SM] >= 95 && known[COL_MEMORY] && value[COL_MEMORY] <= 2;
    s->idle += idle;
    s->idle_run = idle ? s->idle_run + 1 : 0;
    s->longest_idle = s->idle_run > s->longest_idle ? s->idle_run : s->longest_idle;
    if (!spin || !s->spin_run)
        s->spin_power = (range){ 0 };
    s->spin_run = spin ? s->spin_run + 1 : 0;
    if (spin && known[COL_POWER])
        see(&s->spin_power, value[COL_POWER]);
}

static void add_range(ff_fields *f, const range *r, const char *low, const char *high, const char *mean)
{
    if (!r->n)
        return;
    ff_fields_float(f, low, r->low);
    ff_fields_float(f, high, r->high);
    if (mean)
        ff_fields_float(f, mean, r->sum / r->n);
}

static void give(const series *s, ff_sink *out)
{
    ff_fields f = { .n = 0 };
    ff_fields_int(&f, "index", FF_FIELD_GPU, s->gpu);
    ff_fields_int(&f, "rows", FF_FIELD_INT, s->rows);
    add_range(&f, &s->sm, "utilization_min", "utilization_max", "utilization_mean");
    add_range(&f, &s->memory, "utilization_memory_min", "utilization_memory_max", NULL);
    ff_fields_int(&f, "idle_rows", FF_FIELD_INT, s->idle);
    ff_fields_int(&f, "idle_longest_rows", FF_FIELD_INT, s->longest_idle);
    ff_fields_int(&f, "idle_tail_rows", FF_FIELD_INT, s->idle_run);
    ff_fields_int(&f, "spin_tail_rows", FF_FIELD_INT, s->spin_run);
    add_range(&f, &s->spin_power, "spin_power_min", "spin_power_max", NULL);
    add_range(&f, &s->temperature, "temperature_min", "temperature_max", NULL);
    add_range(&f, &s->clock, "clock_sm_min", "clock_sm_max", NULL);
    add_range(&f, &s->power, "power_min", "power_max", "power_mean");
    tool_fact(out, s->first, FF_FACT_GPU_SAMPLES, &f);
}

static void dmon_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    series *all = FF_NEW_N(out->scratch, series, MOST_GPUS);
    column columns[MOST_COLUMNS];
    uint32_t n_series = 0;
    unsigned n_columns = 0;
    (void)cut; /* what follows opens a block of its own at its next heading */
    for (uint32_t i = 0; i < n; i++) {
        if (is_heading(lines[i].ev.text))
            n_columns = read_heading(lines[i].ev.text, columns);
        else if (n_columns && is_row(lines[i].ev.text))
            see_row(all, &n_series, &lines[i], columns, n_columns);
    }
    for (uint32_t i = 0; i < n_series; i++)
        if (all[i].rows > 2)
            give(&all[i], out);
}

static const char *const dmon_needles[] = { "# gpu", "# Idx", "Time        gpu", NULL };

const ff_block ff_block_dmon = { .name = "dmon",
                                 .streams = FF_STREAM_GPU | FF_STREAM_APP | FF_STREAM_HOST,
                                 .needles = dmon_needles,
                                 .max_lines = 4096,
                                 .opens = dmon_opens,
                                 .take = dmon_take,
                                 .read = dmon_read };
