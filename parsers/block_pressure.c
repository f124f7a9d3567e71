/* How long processes stood still for want of memory, disk or CPU (PSI).
 *     memory.pressure                                            /proc/pressure/memory:some avg10=0.00 avg60=...
 *     some avg10=12.55 avg60=9.87 avg300=4.31 total=81234567     (grep . FILES; cat; head; the values alone)
 *     full avg10=11.02 avg60=8.90 avg300=4.02 total=79123456
 * Format: kernel Documentation/accounting/psi.rst. Shares in percent; total in microseconds since boot. */
#include "tools.h"

static const char *const resources[] = { "memory", "io", "cpu", NULL };

/* "...memory.pressure", "/proc/pressure/io", "==> io.pressure <==" */
ff_bytes tool_pressure_of(ff_bytes path)
{
    for (size_t i = 0; resources[i]; i++) {
        ff_bytes word = ff_str(resources[i]), rest = path;
        size_t at = ff_find(rest, word);
        while (at < rest.n) {
            ff_bytes behind = ff_skip_n(rest, at + word.n), before = ff_first_n(rest, at);
            if (ff_starts(behind, FF_LIT(".pressure")) || ff_ends(before, FF_LIT("pressure/")))
                return word;
            rest = behind;
            at = ff_find(rest, word);
        }
    }
    return (ff_bytes){ 0 };
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=0", with or without a name in front. */
static bool read_row(ff_bytes text, bool *full, double avg[3], uint64_t *total, ff_bytes *name)
{
    static const char *const keys[] = { "avg10=", " avg60=", " avg300=" };
    size_t at = ff_find(text, FF_LIT(" avg10="));
    if (at >= text.n || at < 4 || at > 300)
        return false;
    ff_bytes word = ff_skip_n(ff_first_n(text, at), at - 4), rest = ff_skip_n(text, at + 1);
    *full = ff_equal(word, FF_LIT("full"));
    if (!*full && !ff_equal(word, FF_LIT("some")))
        return false;
    for (size_t i = 0; i < 3; i++)
        if (!ff_take_lit(&rest, ff_str(keys[i])) || !tool_take_decimal(&rest, &avg[i]))
            return false;
    *name = ff_first_n(text, at - 4);
    return ff_take_lit(&rest, FF_LIT(" total=")) && ff_take_uint(&rest, total) && !ff_trim(rest).n;
}

bool tool_pressure_row(ff_fields *f, ff_bytes text)
{
    static const char *const names[2][4] = { { "some_avg10", "some_avg60", "some_avg300", "some_total_us" },
                                             { "full_avg10", "full_avg60", "full_avg300", "full_total_us" } };
    bool full = false;
    double avg[3];
    uint64_t total = 0;
    ff_bytes name;
    if (!read_row(text, &full, avg, &total, &name))
        return false;
    for (size_t i = 0; i < 3; i++)
        ff_fields_float(f, names[full][i], avg[i]);
    tool_add(f, names[full][3], total);
    return true;
}

static bool is_row(ff_bytes text, bool *full)
{
    double avg[3];
    uint64_t total;
    ff_bytes name;
    return read_row(text, full, avg, &total, &name);
}

static bool pressure_opens(const ff_event *ev)
{
    bool full;
    return (ev->text.n < 200 && tool_pressure_of(ev->text).n) || is_row(ev->text, &full);
}

/* A name, "some", "full". */
static ff_block_say pressure_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    bool full = false, before = false;
    if (!is_row(next->text, &full))
        return FF_BLOCK_END;
    if (is_row(lines[n - 1].ev.text, &before))
        return full && !before ? FF_BLOCK_LAST : FF_BLOCK_END;
    return FF_BLOCK_MINE;
}

static void pressure_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    ff_fields f = { .n = 0 };
    const ff_block_line *at = NULL;
    (void)cut;
    ff_fields_text(&f, "resource", FF_FIELD_TEXT, tool_pressure_of(ff_first_n(lines[0].ev.text, 300)));
    for (uint32_t i = 0; i < n; i++)
        if (tool_pressure_row(&f, lines[i].ev.text) && !at)
            at = &lines[i];
    if (at)
        tool_fact(out, at, FF_FACT_HOST_PRESSURE, &f);
}

static const char *const pressure_needles[] = { "some avg10=", ".pressure",    "pressure/memory",
                                                "pressure/io", "pressure/cpu", NULL };

const ff_block ff_block_pressure = { .name = "pressure",
                                     .streams = FF_STREAM_HOST,
                                     .needles = pressure_needles,
                                     .max_lines = 3,
                                     .opens = pressure_opens,
                                     .take = pressure_take,
                                     .read = pressure_read };
