/* nvidia-smi -q.
 *
 *     GPU 00000000:3B:00.0
 *         GPU Recovery Action                   : Reset
 *         Clocks Event Reasons
 *             HW Slowdown                       : Active
 *
 * Format: captured outputs of drivers 470 to 580. The keys repeat in different sections ("Current", "Pending", and
 * "HW Thermal Slowdown" as a state and as a counter), so a key counts only below its section. */
#include "smi.h"

#include "../analyzer/clock/clock.h"

typedef enum how { SET, ADD, THROTTLE } how;

typedef struct query_row {
    const char *section; /* one of the sections above the key; NULL: directly below the GPU */
    const char *key;
    smi_slot slot;
    how how;
    const char *reason;
} query_row;

static const query_row rows[] = {
    { NULL, "Product Name", SMI_PRODUCT, SET, NULL },
    { NULL, "GPU UUID", SMI_UUID, SET, NULL },
    { NULL, "Serial Number", SMI_SERIAL, SET, NULL },
    { NULL, "Minor Number", SMI_MINOR, SET, NULL },
    { NULL, "GPU Recovery Action", SMI_RECOVERY, SET, NULL },
    { NULL, "Performance State", SMI_PSTATE, SET, NULL },
    { NULL, "Compute Mode", SMI_COMPUTE_MODE, SET, NULL },
    { NULL, "Persistence Mode", SMI_PERSISTENCE, SET, NULL },
    { "MIG Mode", "Current", SMI_MIG, SET, NULL },
    { "GPU Reset Status", "Reset Required", SMI_RESET_REQUIRED, SET, NULL },
    { "GPU Reset Status", "Drain and Reset Recommended", SMI_DRAIN_RECOMMENDED, SET, NULL },
    { "PCI", "Bus Id", SMI_PCI, SET, NULL },
    { "PCI", "Replays Since Reset", SMI_REPLAYS, SET, NULL },
    { "PCIe Generation", "Max", SMI_LINK_GEN_MAX, SET, NULL },
    { "PCIe Generation", "Current", SMI_LINK_GEN, SET, NULL },
    { "Link Width", "Max", SMI_LINK_WIDTH_MAX, SET, NULL },
    { "Link Width", "Current", SMI_LINK_WIDTH, SET, NULL },
    { "FB Memory Usage", "Total", SMI_MEMORY_TOTAL, SET, NULL },
    { "FB Memory Usage", "Used", SMI_MEMORY_USED, SET, NULL },
    { "Utilization", "GPU", SMI_UTILIZATION, SET, NULL },
    { "Utilization", "Gpu", SMI_UTILIZATION, SET, NULL },
    { "Utilization", "Memory", SMI_UTILIZATION_MEMORY, SET, NULL },
    { "ECC Mode", "Current", SMI_ECC_MODE, SET, NULL },
    { "Ecc Mode", "Current", SMI_ECC_MODE, SET, NULL },
    { "Volatile", "SRAM Uncorrectable", SMI_ECC_UNC_VOLATILE, ADD, NULL },
    { "Volatile", "SRAM Uncorrectable Parity", SMI_ECC_UNC_VOLATILE, ADD, NULL },
    { "Volatile", "SRAM Uncorrectable SEC-DED", SMI_ECC_UNC_VOLATILE, ADD, NULL },
    { "Volatile", "DRAM Uncorrectable", SMI_ECC_UNC_VOLATILE, ADD, NULL },
    { "Volatile", "SRAM Correctable", SMI_ECC_COR_VOLATILE, ADD, NULL },
    { "Volatile", "DRAM Correctable", SMI_ECC_COR_VOLATILE, ADD, NULL },
    { "Aggregate", "SRAM Uncorrectable", SMI_ECC_UNC_AGGREGATE, ADD, NULL },
    { "Aggregate", "SRAM Uncorrectable Parity", SMI_ECC_UNC_AGGREGATE, ADD, NULL },
    { "Aggregate", "SRAM Uncorrectable SEC-DED", SMI_ECC_UNC_AGGREGATE, ADD, NULL },
    { "Aggregate", "DRAM Uncorrectable", SMI_ECC_UNC_AGGREGATE, ADD, NULL },
    { "Aggregate", "SRAM Correctable", SMI_ECC_COR_AGGREGATE, ADD, NULL },
    { "Aggregate", "DRAM Correctable", SMI_ECC_COR_AGGREGATE, ADD, NULL },
    { "Aggregate", "SRAM Threshold Exceeded", SMI_SRAM_THRESHOLD, SET, NULL },
    { "ECC Errors", "Channel Repair Pending", SMI_CHANNEL_REPAIR, SET, NULL },
    { "ECC Errors", "Unrepairable Memory", SMI_UNREPAIRABLE, SET, NULL },
    { "Retired Pages", "Pending Page Blacklist", SMI_RETIRED_PENDING, SET, NULL },
    { "Retired Pages", "Pending", SMI_RETIRED_PENDING, SET, NULL },
    { "Remapped Rows", "Correctable Error", SMI_REMAPPED_COR, SET, NULL },
    { "Remapped Rows", "Uncorrectable Error", SMI_REMAPPED_UNC, SET, NULL },
    { "Remapped Rows", "Pending", SMI_REMAP_PENDING, SET, NULL },
    { "Remapped Rows", "Remapping Failure Occurred", SMI_REMAP_FAILURE, SET, NULL },
    { "Temperature", "GPU Current Temp", SMI_TEMPERATURE, SET, NULL },
    { "Temperature", "GPU T.Limit Temp", SMI_TEMPERATURE_MARGIN, SET, NULL },
    { "Temperature", "Memory Current Temp", SMI_MEMORY_TEMPERATURE, SET, NULL },
    { "Power Readings", "Power Draw", SMI_POWER, SET, NULL },
    { "Power Readings", "Power Limit", SMI_POWER_LIMIT, SET, NULL },
    { "GPU Power Readings", "Power Draw", SMI_POWER, SET, NULL },
    { "GPU Power Readings", "Average Power Draw", SMI_POWER, SET, NULL },
    { "GPU Power Readings", "Instantaneous Power Draw", SMI_POWER, SET, NULL },
    { "GPU Power Readings", "Current Power Limit", SMI_POWER_LIMIT, SET, NULL },
    { "Clocks", "SM", SMI_CLOCK_SM, SET, NULL },
    { "Max Clocks", "SM", SMI_CLOCK_SM_MAX, SET, NULL },
    { "Fabric", "State", SMI_FABRIC_STATE, SET, NULL },
    { "Fabric", "Status", SMI_FABRIC_STATUS, SET, NULL },
    { "Fabric", "Summary", SMI_FABRIC_HEALTH, SET, NULL },
#define REASONS(section)                                                                                             \
    { section, "Idle", SMI_THROTTLE, THROTTLE, "idle" },                                                             \
        { section, "Applications Clocks Setting", SMI_THROTTLE, THROTTLE, "applications_clocks" },                   \
        { section, "SW Power Cap", SMI_THROTTLE, THROTTLE, "sw_power_cap" },                                         \
        { section, "HW Slowdown", SMI_THROTTLE, THROTTLE, "hw_slowdown" },                                           \
        { section, "HW Thermal Slowdown", SMI_THROTTLE, THROTTLE, "hw_thermal_slowdown" },                           \
        { section, "HW Power Brake Slowdown", SMI_THROTTLE, THROTTLE, "hw_power_brake" },                            \
        { section, "Sync Boost", SMI_THROTTLE, THROTTLE, "sync_boost" },                                             \
        { section, "SW Thermal Slowdown", SMI_THROTTLE, THROTTLE, "sw_thermal_slowdown" },                           \
    {                                                                                                                \
        section, "Display Clock Setting", SMI_THROTTLE, THROTTLE, "display_clock"                                    \
    }
    REASONS("Clocks Event Reasons"),
    REASONS("Clocks Throttle Reasons"),
#undef REASONS
};

static bool is_below(const ff_bytes *sections, unsigned n, const char *name)
{
    if (!name)
        return n == 0;
    for (unsigned i = 0; i < n; i++)
        if (ff_equal(sections[i], ff_str(name)))
            return true;
    return false;
}

/* Up to Volta: Volatile > Double Bit > Total. */
static void take_old_ecc(smi *s, const ff_bytes *sections, unsigned n, ff_bytes key, ff_bytes value)
{
    bool unc = is_below(sections, n, "Double Bit"), cor = is_below(sections, n, "Single Bit");
    if (!ff_equal(key, FF_LIT("Total")) || (!unc && !cor))
        return;
    if (is_below(sections, n, "Volatile"))
        smi_add(s, unc ? SMI_ECC_UNC_VOLATILE : SMI_ECC_COR_VOLATILE, value);
    else if (is_below(sections, n, "Aggregate"))
        smi_add(s, unc ? SMI_ECC_UNC_AGGREGATE : SMI_ECC_COR_AGGREGATE, value);
}

void smi_query_value(smi *s, const ff_bytes *sections, unsigned n, ff_bytes key, ff_bytes value)
{
    if (is_below(sections, n, "Processes")) {
        smi_process_value(s, key, value);
        return;
    }
    take_old_ecc(s, sections, n, key, value);
    for (size_t i = 0; i < FF_COUNT(rows); i++) {
        const query_row *r = &rows[i];
        if (!ff_equal(key, ff_str(r->key)) || !is_below(sections, n, r->section))
            continue;
        if (r->how == SET)
            smi_set(s, r->slot, value);
        else if (r->how == ADD)
            smi_add(s, r->slot, value);
        else if (ff_equal(value, FF_LIT("Active")))
            smi_throttle(s, r->reason);
        return;
    }
}

static bool take_head(smi *s, ff_bytes line)
{
    ff_bytes key, value = line, address = line;
    if (ff_contains(line, FF_LIT("=NVSMI LOG="))) {
        smi_flush(s);
        s->mode = SMI_QUERY;
        s->n_sure += 4;
        return true;
    }
    if (ff_take_lit(&address, FF_LIT("GPU ")) && address.n >= 12 && address.n <= 20 &&
        ff_contains(address, FF_LIT(":")) && ff_contains(address, FF_LIT("."))) {
        smi_flush(s);
        s->mode = SMI_QUERY;
        s->depth = 0;
        smi_weigh(s, 0);
        smi_set(s, SMI_PCI, address);
        return true;
    }
    if (s->mode != SMI_QUERY || line.p[0] == ' ' || !ff_take_until(&value, ':', &key))
        return false;
    key = ff_trim(key);
    value = ff_trim(value);
    if (ff_equal(key, FF_LIT("Driver Version")))
        s->driver = value;
    else if (ff_equal(key, FF_LIT("CUDA Version")))
        s->cuda = value;
    else if (ff_equal(key, FF_LIT("Timestamp")))
        (void)ff_take_ctime(&value, &s->said);
    return true;
}

bool smi_query_line(smi *s, ff_bytes line)
{
    if (take_head(s, line))
        return true;
    if (s->mode != SMI_QUERY || !s->gpu.open || line.p[0] != ' ')
        return false;
    ff_bytes body = ff_trim(line), key = { 0 }, value = body, sections[SMI_LEVELS];
    size_t indent = (size_t)(body.p - line.p);
    while (s->depth && s->levels[s->depth - 1].indent >= indent)
        s->depth--;
    size_t colon = ff_find(body, FF_LIT(" : "));
    bool pair = colon < body.n || ff_ends(body, FF_LIT(" :"));
    if (pair && ff_take_until(&value, ':', &key)) {
        if (colon < body.n) {
            key = ff_first_n(body, colon);
            value = ff_skip_n(body, colon + 3);
        }
        for (unsigned i = 0; i < s->depth; i++)
            sections[i] = s->levels[i].name;
        smi_query_value(s, sections, s->depth, ff_trim(key), ff_trim(value));
    }
    /* "HW Slowdown : Active" is a key and the section of the two lines below it. */
    if (s->depth < SMI_LEVELS) {
        s->levels[s->depth].indent = indent;
        s->levels[s->depth++].name = pair ? ff_trim(key) : body;
    }
    return true;
}
