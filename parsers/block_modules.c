/* Modules of the kernel: lsmod, /proc/modules.
 *     Module                  Size  Used by
 *     nvidia_uvm           4935680  4
 *     nvidia 56807424 430 nvidia_uvm,nvidia_modeset, Live 0xffffffffc0a00000 (POE)
 * Formats: kmod lsmod, kernel kernel/module/procfs.c. One fact for the whole list, in which the modules that a GPU
 * job may need are named with 1 or 0; a list that was filtered has no heading and tells nothing of what is absent. */
#include "tools.h"

static const char *const watched[] = { "nvidia",   "nvidia_uvm", "nvidia_peermem", "nv_peer_mem", "nvidia_fs",
                                       "gdrdrv",   "nouveau",    "ib_core",        "ib_uverbs",   "mlx5_core",
                                       "mlx5_ib",  "efa",        "irdma",          "lustre",      "amdgpu",
                                       "ib_ipoib", NULL };

static bool is_head(ff_bytes text)
{
    return ff_starts(text, FF_LIT("Module ")) && ff_contains(text, FF_LIT("Size  Used by"));
}

static bool is_live(ff_bytes text)
{
    return ff_contains(text, FF_LIT(" Live 0x")) || ff_contains(text, FF_LIT(" Loading 0x")) ||
           ff_contains(text, FF_LIT(" Unloading 0x"));
}

/* "NAME SIZE USES ..." */
static bool read_row(ff_bytes text, ff_bytes *name)
{
    ff_bytes rest = text;
    uint64_t size = 0;
    int64_t uses = 0;
    return ff_take_name(&rest, name) && ff_take_char(&rest, ' ') && ff_take_spaces(&rest) &&
           ff_take_uint(&rest, &size) && ff_take_char(&rest, ' ') && ff_take_spaces(&rest) &&
           ff_take_int(&rest, &uses);
}

static bool modules_opens(const ff_event *ev)
{
    ff_bytes name;
    return is_head(ev->text) || (is_live(ev->text) && read_row(ev->text, &name));
}

static ff_block_say modules_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    ff_bytes name;
    (void)n;
    bool proc = !is_head(lines[0].ev.text);
    return read_row(next->text, &name) && (!proc || is_live(next->text)) ? FF_BLOCK_MINE : FF_BLOCK_END;
}

static void modules_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    bool loaded[FF_COUNT(watched)] = { false };
    uint64_t rows = 0;
    ff_fields f = { .n = 0 };
    if (cut || n < 2)
        return;
    for (uint32_t i = 0; i < n; i++) {
        ff_bytes name;
        if (!read_row(lines[i].ev.text, &name))
            continue;
        rows++;
        for (size_t k = 0; watched[k]; k++)
            loaded[k] = loaded[k] || ff_equal(name, ff_str(watched[k]));
    }
    tool_add(&f, "modules", rows);
    for (size_t k = 0; watched[k]; k++)
        tool_add(&f, watched[k], loaded[k]);
    tool_fact(out, &lines[0], FF_FACT_HOST_MODULES, &f);
}

static const char *const modules_needles[] = { "Size  Used by", " Live 0x", NULL };

const ff_block ff_block_modules = { .name = "modules",
                                    .streams = FF_STREAM_HOST,
                                    .needles = modules_needles,
                                    .max_lines = FF_CAP_BLOCK_LINES,
                                    .opens = modules_opens,
                                    .take = modules_take,
                                    .read = modules_read };
