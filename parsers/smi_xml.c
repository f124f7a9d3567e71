/* nvidia-smi -q -x. The elements say what the keys of -q say; each is translated into those words, so that one table
 * knows them all. A small reader suffices: no entities beyond the five, no namespaces, attributes only of <gpu
 * id="..">. */
#include "smi.h"

#include "../analyzer/clock/clock.h"

#define LEVELS 12u

static const struct {
    const char *element, *words;
} names[] = {
    { "product_name", "Product Name" },
    { "uuid", "GPU UUID" },
    { "serial", "Serial Number" },
    { "minor_number", "Minor Number" },
    { "gpu_recovery_action", "GPU Recovery Action" },
    { "performance_state", "Performance State" },
    { "compute_mode", "Compute Mode" },
    { "persistence_mode", "Persistence Mode" },
    { "mig_mode", "MIG Mode" },
    { "current_mig", "Current" },
    { "gpu_reset_status", "GPU Reset Status" },
    { "reset_required", "Reset Required" },
    { "drain_and_reset_recommended", "Drain and Reset Recommended" },
    { "pci", "PCI" },
    { "pci_bus_id", "Bus Id" },
    { "replay_counter", "Replays Since Reset" },
    { "pcie_gen", "PCIe Generation" },
    { "max_link_gen", "Max" },
    { "current_link_gen", "Current" },
    { "link_widths", "Link Width" },
    { "max_link_width", "Max" },
    { "current_link_width", "Current" },
    { "fb_memory_usage", "FB Memory Usage" },
    { "total", "Total" },
    { "used", "Used" },
    { "utilization", "Utilization" },
    { "gpu_util", "GPU" },
    { "memory_util", "Memory" },
    { "ecc_mode", "ECC Mode" },
    { "current_ecc", "Current" },
    { "ecc_errors", "ECC Errors" },
    { "volatile", "Volatile" },
    { "aggregate", "Aggregate" },
    { "sram_correctable", "SRAM Correctable" },
    { "sram_uncorrectable", "SRAM Uncorrectable" },
    { "sram_uncorrectable_parity", "SRAM Uncorrectable Parity" },
    { "sram_uncorrectable_secded", "SRAM Uncorrectable SEC-DED" },
    { "dram_correctable", "DRAM Correctable" },
    { "dram_uncorrectable", "DRAM Uncorrectable" },
    { "sram_threshold_exceeded", "SRAM Threshold Exceeded" },
    { "channel_repair_pending", "Channel Repair Pending" },
    { "unrepairable_memory", "Unrepairable Memory" },
    { "single_bit", "Single Bit" },
    { "double_bit", "Double Bit" },
    { "retired_pages", "Retired Pages" },
    { "pending_blacklist", "Pending Page Blacklist" },
    { "pending_retirement", "Pending" },
    { "remapped_rows", "Remapped Rows" },
    { "remapped_row_corr", "Correctable Error" },
    { "remapped_row_unc", "Uncorrectable Error" },
    { "remapped_row_pending", "Pending" },
    { "remapped_row_failure", "Remapping Failure Occurred" },
    { "temperature", "Temperature" },
    { "gpu_temp", "GPU Current Temp" },
    { "gpu_temp_tlimit", "GPU T.Limit Temp" },
    { "memory_temp", "Memory Current Temp" },
    { "gpu_power_readings", "GPU Power Readings" },
    { "power_readings", "Power Readings" },
    { "power_draw", "Power Draw" },
    { "average_power_draw", "Average Power Draw" },
    { "instant_power_draw", "Instantaneous Power Draw" },
    { "power_limit", "Power Limit" },
    { "current_power_limit", "Current Power Limit" },
    { "clocks", "Clocks" },
    { "max_clocks", "Max Clocks" },
    { "sm_clock", "SM" },
    { "fabric", "Fabric" },
    { "state", "State" },
    { "status", "Status" },
    { "summary", "Summary" },
    { "processes", "Processes" },
    { "pid", "Process ID" },
    { "type", "Type" },
    { "process_name", "Name" },
    { "used_memory", "Used GPU Memory" },
    { "clocks_event_reasons", "Clocks Event Reasons" },
    { "clocks_throttle_reasons", "Clocks Throttle Reasons" },
    { "gpu_idle", "Idle" },
    { "applications_clocks_setting", "Applications Clocks Setting" },
    { "sw_power_cap", "SW Power Cap" },
    { "hw_slowdown", "HW Slowdown" },
    { "hw_thermal_slowdown", "HW Thermal Slowdown" },
    { "hw_power_brake_slowdown", "HW Power Brake Slowdown" },
    { "sync_boost", "Sync Boost" },
    { "sw_thermal_slowdown", "SW Thermal Slowdown" },
    { "display_clocks_setting", "Display Clock Setting" },
};

static ff_bytes words_of(ff_bytes element)
{
    ff_bytes reason = element;
    if (!ff_take_lit(&reason, FF_LIT("clocks_event_reason_")))
        (void)ff_take_lit(&reason, FF_LIT("clocks_throttle_reason_"));
    for (size_t i = 0; i < FF_COUNT(names); i++)
        if (ff_equal(reason, ff_str(names[i].element)))
            return ff_str(names[i].words);
    return element;
}

typedef struct xml {
    smi *s;
    ff_bytes path[LEVELS];
    unsigned depth, gpu_depth; /* gpu_depth: level of the open <gpu>; 0: none */
    ff_bytes text;             /* since the last tag */
    uint64_t text_at;
} xml;

static void close_element(xml *x, ff_bytes name)
{
    ff_bytes value = ff_trim(x->text);
    smi *s = x->s;
    if (!x->depth)
        return;
    if (x->depth <= LEVELS && !ff_equal(x->path[x->depth - 1], name))
        return; /* closes something that was never opened */
    s->offset = x->text_at;
    if (ff_equal(name, FF_LIT("gpu"))) {
        smi_flush(s);
        x->gpu_depth = 0;
    } else if (ff_equal(name, FF_LIT("driver_version"))) {
        s->driver = value;
    } else if (ff_equal(name, FF_LIT("cuda_version"))) {
        s->cuda = value;
    } else if (ff_equal(name, FF_LIT("timestamp"))) {
        (void)ff_take_ctime(&value, &s->said);
    } else if (x->gpu_depth && value.n && x->depth <= LEVELS && x->depth > x->gpu_depth) {
        ff_bytes sections[LEVELS];
        unsigned n = 0;
        for (unsigned i = x->gpu_depth; i + 1 < x->depth; i++)
            sections[n++] = words_of(x->path[i]);
        smi_query_value(s, sections, n, words_of(name), value);
    }
    x->depth--;
}

static void open_element(xml *x, ff_bytes tag, uint64_t at)
{
    ff_bytes in = tag, name = { 0 }, id;
    (void)ff_take_word(&in, &name);
    if (x->depth < LEVELS)
        x->path[x->depth] = name;
    if (x->depth < 10000)
        x->depth++;
    if (!ff_equal(name, FF_LIT("gpu")) || x->gpu_depth)
        return;
    smi_flush(x->s);
    x->s->offset = at;
    x->gpu_depth = x->depth;
    smi_weigh(x->s, 0);
    if (ff_take_until(&in, '"', &id) && ff_take_until(&in, '"', &id))
        smi_set(x->s, SMI_PCI, id);
}

void smi_read_xml(smi *s, ff_bytes text)
{
    xml x = { .s = s };
    ff_bytes rest = text, before, tag;
    while (ff_take_until(&rest, '<', &before)) {
        x.text = before;
        x.text_at = (uint64_t)(before.p - text.p);
        if (!ff_take_until(&rest, '>', &tag))
            break;
        uint64_t at = (uint64_t)(tag.p - text.p);
        bool alone = ff_ends(tag, FF_LIT("/"));
        if (!tag.n || *tag.p == '?' || *tag.p == '!')
            continue;
        if (ff_take_char(&tag, '/')) {
            close_element(&x, ff_trim(tag));
        } else if (!alone) {
            open_element(&x, tag, at);
        }
    }
}
