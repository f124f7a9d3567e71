/* Settings of the kernel and its modules that change how a job fails, wherever they are printed:
 *     vm.panic_on_oom = 0                                        sysctl -a
 *     proc/sys/kernel/numa_balancing                             a file of that name, holding 1
 *     sys/module/nvidia/parameters/NVreg_EnableStreamMemOPs      the same
 *     /sys/module/nvidia_uvm/parameters/uvm_disable_hmm:N        grep . of them
 * Names are those of sysctl; a parameter is MODULE.NAME. Files of /etc are wishes and look alike: rules see the
 * member. */
#include "tools.h"

static const char *const watched[] = { "vm.panic_on_oom",
                                       "vm.overcommit_memory",
                                       "vm.overcommit_ratio",
                                       "vm.swappiness",
                                       "vm.zone_reclaim_mode",
                                       "vm.min_free_kbytes",
                                       "vm.max_map_count",
                                       "vm.oom_kill_allocating_task",
                                       "vm.nr_hugepages",
                                       "kernel.panic",
                                       "kernel.panic_on_oops",
                                       "kernel.numa_balancing",
                                       "kernel.pid_max",
                                       "kernel.threads-max",
                                       "kernel.hung_task_panic",
                                       "kernel.softlockup_panic",
                                       "kernel.hung_task_timeout_secs",
                                       "kernel.shmmax",
                                       "kernel.shmall",
                                       "fs.file-max",
                                       "fs.nr_open",
                                       "net.core.rmem_max",
                                       "net.core.wmem_max",
                                       "net.core.somaxconn",
                                       "net.ipv4.ip_local_port_range",
                                       "net.ipv4.tcp_retries2",
                                       NULL };

static const char *const modules[] = { "nvidia",  "nvidia_uvm", "nvidia_peermem", "mlx5_core",
                                       "ib_core", "gdrdrv",     "nvme_core",      NULL };

bool tool_is_setting(ff_bytes name)
{
    ff_bytes rest = name, module;
    if (ff_is_one_of(name, watched))
        return true;
    return ff_take_until(&rest, '.', &module) && ff_is_one_of(module, modules) && rest.n > 0 && rest.n <= 64;
}

/* ".../proc/sys/vm/panic_on_oom" -> vm.panic_on_oom; ".../sys/module/nvidia/parameters/X" -> nvidia.X */
ff_bytes tool_setting_of_path(ff_bytes path, char room[TOOL_SETTING_ROOM])
{
    static const char PARAMETERS[] = "/parameters/";
    size_t at = ff_find(path, FF_LIT("proc/sys/")), n = 0;
    ff_bytes rest = ff_skip_n(path, at + 9);
    if (at >= path.n) {
        at = ff_find(path, FF_LIT("sys/module/"));
        rest = ff_skip_n(path, at + 11);
        if (at >= path.n || !ff_contains(rest, ff_str(PARAMETERS)))
            return (ff_bytes){ 0 };
    }
    while (rest.n && n < TOOL_SETTING_ROOM) {
        if (ff_starts(rest, ff_str(PARAMETERS)))
            rest = ff_skip_n(rest, sizeof PARAMETERS - 2);
        room[n++] = rest.p[0] == '/' ? '.' : rest.p[0];
        rest = ff_skip_n(rest, 1);
    }
    return rest.n ? (ff_bytes){ 0 } : (ff_bytes){ room, n };
}

void tool_add_setting(ff_fields *f, ff_bytes name, ff_bytes value)
{
    uint64_t n = 0;
    ff_fields_text(f, "setting", FF_FIELD_TEXT, name);
    ff_fields_text(f, "value", FF_FIELD_TEXT, ff_first_n(value, 200));
    if (tool_number(value, &n))
        tool_add(f, "number", n);
}

/* ---- lines ---- */
static bool read_line(ff_bytes text, char room[TOOL_SETTING_ROOM], ff_bytes *name, ff_bytes *value)
{
    ff_bytes rest = text, path;
    if (ff_take_word(&rest, name) && ff_take_lit(&rest, FF_LIT(" = "))) {
        *value = ff_trim(rest);
        return value->n && tool_is_setting(*name);
    }
    rest = text;
    if (text.n > 300 || !ff_starts(text, FF_LIT("/")) || !ff_take_until(&rest, ':', &path))
        return false;
    *name = tool_setting_of_path(path, room);
    *value = ff_trim(rest);
    return value->n && tool_is_setting(*name);
}

static bool settings_opens(const ff_event *ev)
{
    char room[TOOL_SETTING_ROOM];
    ff_bytes name, value;
    return read_line(ev->text, room, &name, &value);
}

static ff_block_say settings_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    (void)lines;
    (void)n;
    return settings_opens(next) ? FF_BLOCK_MINE : FF_BLOCK_END;
}

static void settings_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    (void)cut;
    for (uint32_t i = 0; i < n; i++) {
        ff_fields f = { .n = 0 };
        char room[TOOL_SETTING_ROOM];
        ff_bytes name, value;
        if (!read_line(lines[i].ev.text, room, &name, &value))
            continue;
        tool_add_setting(&f, name, value);
        tool_fact(out, &lines[i], FF_FACT_HOST_SETTING, &f);
    }
}

static const char *const settings_needles[] = { "vm.panic_on_oom",
                                                "vm.overcommit_",
                                                "vm.swappiness",
                                                "vm.zone_reclaim_mode",
                                                "vm.min_free_kbytes",
                                                "vm.max_map_count",
                                                "vm.oom_kill_allocating",
                                                "vm.nr_hugepages =",
                                                "kernel.panic",
                                                "kernel.numa_balancing",
                                                "kernel.pid_max",
                                                "kernel.threads-max",
                                                "kernel.hung_task_",
                                                "kernel.softlockup_panic",
                                                "kernel.shm",
                                                "fs.file-max",
                                                "fs.nr_open",
                                                "net.core.rmem_max",
                                                "net.core.wmem_max",
                                                "net.core.somaxconn",
                                                "ip_local_port_range",
                                                "net.ipv4.tcp_retries2",
                                                "/parameters/",
                                                "/proc/sys/vm/",
                                                "/proc/sys/kernel/",
                                                NULL };

const ff_block ff_block_settings = { .name = "settings",
                                     .streams = FF_STREAM_HOST,
                                     .needles = settings_needles,
                                     .max_lines = 1000,
                                     .opens = settings_opens,
                                     .take = settings_take,
                                     .read = settings_read };
