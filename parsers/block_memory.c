/* Memory of a machine: /proc/meminfo and free.
 *     MemTotal:       263998500 kB            total        used        free      shared  buff/cache   available
 *     MemAvailable:   263394172 kB      Mem:  122542      116022        2210         310        4308        3921
 * Formats: kernel Documentation/filesystems/proc.rst, procps free. free does not say its unit unless -h: then only
 * shares of the whole are given. */
#include "doc_private.h"
#include "tools.h"

static bool meminfo_row(ff_bytes text, ff_bytes *key, uint64_t *value)
{
    ff_bytes rest = text, word;
    if (!ff_take_until(&rest, ':', key) || !key->n || key->n > 40 || ff_contains(*key, FF_LIT(" ")))
        return false;
    rest = ff_trim(rest);
    return ff_take_word(&rest, &word) && tool_number(word, value) &&
           (!rest.n || ff_equal(ff_trim(rest), FF_LIT("kB")));
}

static bool is_free_head(ff_bytes text)
{
    ff_bytes rest = ff_trim(text), word;
    return ff_take_word(&rest, &word) && ff_equal(word, FF_LIT("total")) &&
           ff_contains(rest, FF_LIT("used        free"));
}

static bool memory_opens(const ff_event *ev)
{
    ff_bytes key;
    uint64_t value;
    return (ff_starts(ev->text, FF_LIT("MemTotal:")) && meminfo_row(ev->text, &key, &value)) ||
           is_free_head(ev->text);
}

static ff_block_say memory_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    ff_bytes key;
    uint64_t value;
    if (is_free_head(lines[0].ev.text)) {
        bool row = ff_starts(next->text, FF_LIT("Mem:")) || ff_starts(next->text, FF_LIT("Swap:")) ||
                   ff_starts(next->text, FF_LIT("-/+"));
        return row && n < 4 ? FF_BLOCK_MINE : FF_BLOCK_END;
    }
    return meminfo_row(next->text, &key, &value) && !ff_equal(key, FF_LIT("MemTotal")) ? FF_BLOCK_MINE : FF_BLOCK_END;
}

static void read_meminfo(const ff_block_line *lines, uint32_t n, ff_sink *out)
{
    static const tool_name names[] = { { "MemTotal", "total_kib" },
                                       { "MemFree", "free_kib" },
                                       { "MemAvailable", "available_kib" },
                                       { "Shmem", "shmem_kib" },
                                       { "Mlocked", "mlocked_kib" },
                                       { "Unevictable", "unevictable_kib" },
                                       { "SUnreclaim", "slab_kib" },
                                       { "Committed_AS", "committed_kib" },
                                       { "CommitLimit", "commit_limit_kib" },
                                       { "SwapTotal", "swap_total_kib" },
                                       { "SwapFree", "swap_free_kib" },
                                       { "AnonPages", "anon_kib" },
                                       { "HugePages_Total", "huge_pages" },
                                       { "Hugetlb", "huge_kib" },
                                       { "HugePages_Free", "huge_pages_free" } };
    ff_fields f = { .n = 0 };
    uint64_t total = 0, available = 0;
    bool has_available = false;
    for (uint32_t i = 0; i < n; i++) {
        ff_bytes key;
        uint64_t value = 0;
        if (!meminfo_row(lines[i].ev.text, &key, &value))
            continue;
        const char *field = tool_field_of(names, FF_COUNT(names), key);
        if (field)
            tool_add(&f, field, value);
        if (ff_equal(key, FF_LIT("MemTotal")))
            total = value;
        if (ff_equal(key, FF_LIT("MemAvailable"))) {
            available = value;
            has_available = true;
        }
    }
    if (has_available && total)
        ff_fields_float(&f, "available_pct", 100.0 * (double)available / (double)total);
    tool_fact(out, &lines[0], FF_FACT_HOST_MEMORY, &f);
}

static double plain_number(ff_bytes word)
{
    uint64_t n = 0;
    return tool_number(word, &n) ? (double)n : -1;
}

/* A cell of free: with a unit (-h) it becomes KiB; ratio is taken in whatever unit there is. */
static double free_cell(ff_fields *f, const char *name, ff_bytes word)
{
    int64_t kib = 0;
    double value = plain_number(word);
    if (value >= 0 || !ff_ends(word, FF_LIT("i")) || !doc_quantity_kib(word, &kib))
        return value;
    ff_fields_int(f, name, FF_FIELD_INT, kib);
    return (double)kib;
}

typedef struct free_row {
    double total, available; /* in whatever unit it is; -1: not there */
} free_row;

static free_row read_free_row(ff_fields *f, ff_bytes heads, ff_bytes cells, const tool_name *names, size_t n_names)
{
    free_row row = { -1, -1 };
    ff_bytes head, cell;
    for (;;) {
        if (!ff_take_cell(&heads, &head) || !ff_take_cell(&cells, &cell))
            return row;
        const char *field = tool_field_of(names, n_names, head);
        double value = field ? free_cell(f, field, cell) : -1;
        if (ff_equal(head, FF_LIT("total")))
            row.total = value;
        if (ff_equal(head, FF_LIT("available")))
            row.available = value;
    }
}

static void read_free(const ff_block_line *lines, uint32_t n, ff_sink *out)
{
    static const tool_name names[] = { { "total", "total_kib" },
                                       { "used", "used_kib" },
                                       { "free", "free_kib" },
                                       { "shared", "shmem_kib" },
                                       { "available", "available_kib" } };
    static const tool_name swap_names[] = { { "total", "swap_total_kib" }, { "free", "swap_free_kib" } };
    ff_fields f = { .n = 0 };
    const ff_block_line *at = NULL;
    for (uint32_t i = 1; i < n; i++) {
        ff_bytes heads = ff_trim(lines[0].ev.text), cells = lines[i].ev.text;
        if (ff_take_lit(&cells, FF_LIT("Mem:")) && !at) {
            free_row row = read_free_row(&f, heads, cells, names, FF_COUNT(names));
            if (row.total > 0 && row.available >= 0)
                ff_fields_float(&f, "available_pct", 100.0 * row.available / row.total);
            at = &lines[i];
        } else if (ff_take_lit(&cells, FF_LIT("Swap:"))) {
            (void)read_free_row(&f, heads, cells, swap_names, FF_COUNT(swap_names));
        }
    }
    if (at && f.n)
        tool_fact(out, at, FF_FACT_HOST_MEMORY, &f);
}

static void memory_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    (void)cut;
    if (is_free_head(lines[0].ev.text))
        read_free(lines, n, out);
    else
        read_meminfo(lines, n, out);
}

static const char *const memory_needles[] = { "MemTotal:", "used        free", NULL };

const ff_block ff_block_memory = { .name = "memory",
                                   .streams = FF_STREAM_HOST,
                                   .needles = memory_needles,
                                   .max_lines = 200,
                                   .opens = memory_opens,
                                   .take = memory_take,
                                   .read = memory_read };
