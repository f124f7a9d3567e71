/* How full file systems are: rows of df, with or without its heading, of sizes or of inodes.
 *     Filesystem      Size  Used Avail Use% Mounted on        Filesystem      Inodes IUsed IFree IUse% Mounted on
 *     tmpfs            64M   64M     0 100% /dev/shm          /dev/nvme0n1p1    122M  122M    12  100% /scratch
 *     /dev/sda1  ext4  1.8T  1.2T  600G  67% /                (-T: with the type behind the device)
 * Format: coreutils df. Without a heading (df | grep) plain numbers are KiB. Loop devices are full by nature, they
 * are passed over. */
#include "tools.h"

#define MOST_ROWS 64u

typedef struct df_row {
    ff_bytes device, type, mount, cells[3]; /* size, used, free */
    uint64_t percent;
} df_row;

typedef struct df_shape {
    bool inodes;
    uint64_t unit; /* KiB of a plain number; 0: bytes */
} df_shape;

static bool is_head(ff_bytes text)
{
    return ff_starts(text, FF_LIT("Filesystem ")) && ff_contains(text, FF_LIT(" Mounted on"));
}

/* "1.8T", "64M", "0", "1921728000"; false: no number. */
static bool read_size(ff_bytes cell, uint64_t unit, uint64_t *kib)
{
    static const char suffixes[] = "KMGTPE";
    double value = 0;
    ff_bytes rest = cell;
    uint64_t n = 0;
    if (tool_number(cell, &n)) {
        *kib = unit == 0 ? n / 1024 : n <= UINT64_MAX / unit ? n * unit : UINT64_MAX;
        return true;
    }
    if (!tool_take_decimal(&rest, &value) || rest.n != 1)
        return false;
    for (size_t i = 0; suffixes[i]; i++, value *= 1024)
        if (rest.p[0] == suffixes[i] && value < 1e15) {
            *kib = (uint64_t)(value + 0.5);
            return true;
        }
    return false;
}

static bool read_row(ff_bytes text, df_row *row)
{
    ff_bytes rest = text, words[6], word;
    size_t n = 0;
    uint64_t kib = 0;
    *row = (df_row){ .percent = 0 };
    while (n < FF_COUNT(words) && ff_take_word(&rest, &word)) {
        words[n++] = word;
        (void)ff_take_spaces(&rest);
        if (n >= 5 && ff_ends(word, FF_LIT("%")))
            break;
    }
    if (n < 5 || !ff_starts(rest, FF_LIT("/")) || !ff_ends(words[n - 1], FF_LIT("%")) ||
        !tool_number(ff_first_n(words[n - 1], words[n - 1].n - 1), &row->percent) || row->percent > 100)
        return false;
    for (size_t i = 0; i < 3; i++) {
        row->cells[i] = words[n - 4 + i];
        if (!read_size(row->cells[i], 1, &kib))
            return false;
    }
    row->device = words[0];
    row->type = n == 6 ? words[1] : (ff_bytes){ 0 };
    row->mount = ff_trim(rest);
    return true;
}

static bool df_opens(const ff_event *ev)
{
    df_row row;
    return is_head(ev->text) || read_row(ev->text, &row);
}

static ff_block_say df_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    df_row row;
    (void)lines;
    (void)n;
    return read_row(next->text, &row) ? FF_BLOCK_MINE : FF_BLOCK_END;
}

static df_shape shape_of(ff_bytes head)
{
    df_shape s = { .inodes = ff_contains(head, FF_LIT(" IUse% ")), .unit = 1 };
    if (ff_contains(head, FF_LIT("1M-blocks")))
        s.unit = 1024;
    else if (ff_contains(head, FF_LIT("1G-blocks")))
        s.unit = 1048576;
    else if (ff_contains(head, FF_LIT("1B-blocks")) || ff_contains(head, FF_LIT(" Size ")))
        s.unit = 0; /* -h prints bytes where a number has no letter */
    return s;
}

static void read_fact(const ff_block_line *line, df_shape shape, ff_sink *out)
{
    static const char *const sizes[] = { "size_kib", "used_kib", "free_kib" };
    static const char *const counts[] = { "inodes", "inodes_used", "inodes_free" };
    df_row row;
    ff_fields f = { .n = 0 };
    if (!read_row(line->ev.text, &row) || ff_starts(row.device, FF_LIT("/dev/loop")))
        return;
    ff_fields_text(&f, "mount", FF_FIELD_TEXT, row.mount);
    ff_fields_text(&f, "device", FF_FIELD_TEXT, row.device);
    ff_fields_text(&f, "type", FF_FIELD_TEXT, row.type);
    tool_add(&f, shape.inodes ? "inodes_pct" : "used_pct", row.percent);
    for (size_t i = 0; i < 3; i++) {
        uint64_t n = 0;
        if (shape.inodes ? tool_number(row.cells[i], &n) : read_size(row.cells[i], shape.unit, &n))
            tool_add(&f, shape.inodes ? counts[i] : sizes[i], n);
    }
    tool_fact(out, line, FF_FACT_HOST_DISK, &f);
}

static void df_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    bool head = is_head(lines[0].ev.text);
    df_shape shape = head ? shape_of(lines[0].ev.text) : (df_shape){ .unit = 1 };
    (void)cut;
    for (uint32_t i = head; i < n && i < MOST_ROWS + head; i++)
        read_fact(&lines[i], shape, out);
}

static const char *const df_needles[] = { " Mounted on", "% /dev/shm", "100% /", " 99% /", NULL };

const ff_block ff_block_df = { .name = "df",
                               .streams = FF_STREAM_HOST,
                               .needles = df_needles,
                               .max_lines = 200,
                               .opens = df_opens,
                               .take = df_take,
                               .read = df_read };
