/* nvidia-smi --query-gpu=... --format=csv[,noheader][,nounits], once or every few seconds.
 *
 *     timestamp, index, pci.bus_id, pcie.link.gen.current, utilization.gpu [%], clocks_event_reasons.active
 *     2026/01/01 12:00:00.123, 0, 00000000:3B:00.0, 5, 97 %, 0x0000000000000004
 *
 * Every row is a fact until there are many; then only rows in which a state changed, and a summary of each GPU.
 * Without a header the columns are known by what stands in them. */
#include "smi.h"

#include "../analyzer/clock/clock.h"

#define COL_NONE (-1)
#define COL_TIME (-2)
#define COL_MASK (-3)
#define COL_REASON (-10) /* and below: one reason each */
#define COL_ADD 1000     /* and above: a part of a sum */
#define ROWS_TOLD 96u    /* rows given one by one */
#define ROWS_MOST 160u   /* with those in which something changed */

static const struct {
    const char *name;
    int column;
} columns[] = {
    { "timestamp", COL_TIME },
    { "index", SMI_INDEX },
    { "name", SMI_PRODUCT },
    { "gpu_name", SMI_PRODUCT },
    { "uuid", SMI_UUID },
    { "gpu_uuid", SMI_UUID },
    { "serial", SMI_SERIAL },
    { "pci.bus_id", SMI_PCI },
    { "gpu_bus_id", SMI_PCI },
    { "driver_version", SMI_DRIVER },
    { "pstate", SMI_PSTATE },
    { "temperature.gpu", SMI_TEMPERATURE },
    { "temperature.memory", SMI_MEMORY_TEMPERATURE },
    { "temperature.gpu.tlimit", SMI_TEMPERATURE_MARGIN },
    { "utilization.gpu", SMI_UTILIZATION },
    { "utilization.memory", SMI_UTILIZATION_MEMORY },
    { "memory.used", SMI_MEMORY_USED },
    { "memory.total", SMI_MEMORY_TOTAL },
    { "power.draw", SMI_POWER },
    { "power.draw.average", SMI_POWER },
    { "power.draw.instant", SMI_POWER },
    { "power.limit", SMI_POWER_LIMIT },
    { "enforced.power.limit", SMI_POWER_LIMIT },
    { "compute_mode", SMI_COMPUTE_MODE },
    { "persistence_mode", SMI_PERSISTENCE },
    { "mig.mode.current", SMI_MIG },
    { "pcie.link.gen.current", SMI_LINK_GEN },
    { "pcie.link.gen.gpucurrent", SMI_LINK_GEN },
    { "pcie.link.gen.max", SMI_LINK_GEN_MAX },
    { "pcie.link.width.current", SMI_LINK_WIDTH },
    { "pcie.link.width.max", SMI_LINK_WIDTH_MAX },
    { "clocks.sm", SMI_CLOCK_SM },
    { "clocks.current.sm", SMI_CLOCK_SM },
    { "clocks.gr", SMI_CLOCK_SM },
    { "clocks.current.graphics", SMI_CLOCK_SM },
    { "clocks.max.sm", SMI_CLOCK_SM_MAX },
    { "gpu_recovery_action", SMI_RECOVERY },
    { "reset_status.reset_required", SMI_RESET_REQUIRED },
    { "reset_status.drain_and_reset_recommended", SMI_DRAIN_RECOMMENDED },
    { "ecc.mode.current", SMI_ECC_MODE },
    { "ecc.errors.uncorrected.volatile.total", SMI_ECC_UNC_VOLATILE },
    { "ecc.errors.uncorrected.volatile.dram", COL_ADD + SMI_ECC_UNC_VOLATILE },
    { "ecc.errors.uncorrected.volatile.sram", COL_ADD + SMI_ECC_UNC_VOLATILE },
    { "ecc.errors.uncorrected.aggregate.total", SMI_ECC_UNC_AGGREGATE },
    { "ecc.errors.uncorrected.aggregate.dram", COL_ADD + SMI_ECC_UNC_AGGREGATE },
    { "ecc.errors.uncorrected.aggregate.sram", COL_ADD + SMI_ECC_UNC_AGGREGATE },
    { "ecc.errors.corrected.volatile.total", SMI_ECC_COR_VOLATILE },
    { "ecc.errors.corrected.volatile.dram", COL_ADD + SMI_ECC_COR_VOLATILE },
    { "ecc.errors.corrected.volatile.sram", COL_ADD + SMI_ECC_COR_VOLATILE },
    { "ecc.errors.corrected.aggregate.total", SMI_ECC_COR_AGGREGATE },
    { "ecc.errors.corrected.aggregate.dram", COL_ADD + SMI_ECC_COR_AGGREGATE },
    { "ecc.errors.corrected.aggregate.sram", COL_ADD + SMI_ECC_COR_AGGREGATE },
    { "remapped_rows.correctable", SMI_REMAPPED_COR },
    { "remapped_rows.uncorrectable", SMI_REMAPPED_UNC },
    { "remapped_rows.pending", SMI_REMAP_PENDING },
    { "remapped_rows.failure", SMI_REMAP_FAILURE },
    { "retired_pages.pending", SMI_RETIRED_PENDING },
    { "fabric.state", SMI_FABRIC_STATE },
    { "fabric.status", SMI_FABRIC_STATUS },
    { "clocks_event_reasons.active", COL_MASK },
    { "clocks_throttle_reasons.active", COL_MASK },
};

static const struct {
    unsigned bit;
    const char *column, *reason; /* column: behind "clocks_event_reasons." */
} reasons[] = {
    { 0x1, "gpu_idle", "idle" },
    { 0x2, "applications_clocks_setting", "applications_clocks" },
    { 0x4, "sw_power_cap", "sw_power_cap" },
    { 0x8, "hw_slowdown", "hw_slowdown" },
    { 0x10, "sync_boost", "sync_boost" },
    { 0x20, "sw_thermal_slowdown", "sw_thermal_slowdown" },
    { 0x40, "hw_thermal_slowdown", "hw_thermal_slowdown" },
    { 0x80, "hw_power_brake_slowdown", "hw_power_brake" },
    { 0x100, "display_clock_setting", "display_clock" },
};

static int column_of(ff_bytes name)
{
    size_t unit = ff_find(name, FF_LIT(" ["));
    name = ff_trim(ff_first_n(name, unit));
    for (size_t i = 0; i < FF_COUNT(columns); i++)
        if (ff_equal(name, ff_str(columns[i].name)))
            return columns[i].column;
    ff_bytes reason = name;
    if (ff_take_lit(&reason, FF_LIT("clocks_event_reasons.")) ||
        ff_take_lit(&reason, FF_LIT("clocks_throttle_reasons.")))
        for (size_t i = 0; i < FF_COUNT(reasons); i++)
            if (ff_equal(reason, ff_str(reasons[i].column)))
                return COL_REASON - (int)i;
    return COL_NONE;
}

static ff_bytes trimmed(ff_bytes cell)
{
    if (cell.n && cell.p[0] == ' ')
        cell = ff_skip_n(cell, 1);
    bool tight = cell.n && cell.p[0] > ' ' && cell.p[cell.n - 1] > ' ';
    return tight ? cell : ff_trim(cell);
}

static unsigned cut_row(ff_bytes line, ff_bytes *cells)
{
    unsigned n = 0;
    size_t from = 0;
    for (size_t i = 0; i < line.n && n < SMI_COLUMNS; i++)
        if (line.p[i] == ',') {
            cells[n++] = trimmed((ff_bytes){ line.p + from, i - from });
            from = i + 1;
        }
    if (n < SMI_COLUMNS)
        cells[n++] = trimmed(ff_skip_n(line, from));
    return n;
}

/* Rows are many and columns have long names: a cell that cannot be one is not looked up. */
static bool may_be_column(ff_bytes cell) { return cell.n > 3 && cell.p[0] >= 'a' && cell.p[0] <= 'z'; }

/* The column by which a later row can be added to its GPU without reading all of it; COL_NONE where two columns fill
 * one slot, or the name has to be rewritten first. */
static int key_column(const int *column, unsigned n)
{
    int key = COL_NONE;
    bool seen[SMI_SLOTS] = { false };
    for (unsigned i = 0; i < n; i++) {
        if (column[i] >= COL_ADD || (column[i] >= 0 && seen[column[i]]))
            return COL_NONE;
        if (column[i] >= 0)
            seen[column[i]] = true;
        if (column[i] == SMI_UUID || (column[i] == SMI_INDEX && key == COL_NONE))
            key = (int)i;
    }
    return seen[SMI_PCI] ? COL_NONE : key;
}

static void set_columns(smi *s, unsigned n)
{
    s->n_columns = n;
    s->mode = SMI_CSV;
    s->key_column = key_column(s->columns, n);
}

static bool take_header(smi *s, const ff_bytes *cells, unsigned n)
{
    unsigned known = 0;
    for (unsigned i = 0; i < n; i++)
        known += may_be_column(cells[i]) && column_of(cells[i]) != COL_NONE;
    if (known < 2 || known * 2 < n)
        return false;
    for (unsigned i = 0; i < n; i++)
        s->columns[i] = column_of(cells[i]);
    set_columns(s, n);
    s->n_sure += known;
    return true;
}

static bool is_pci(ff_bytes b)
{
    return b.n >= 12 && b.n <= 16 && b.p[b.n - 2] == '.' && ff_contains(b, FF_LIT(":"));
}

static int guess(ff_bytes cell, unsigned column, bool used_seen)
{
    double number = 0;
    ff_bytes in = cell;
    uint64_t part = 0;
    if (ff_starts(cell, FF_LIT("GPU-")))
        return SMI_UUID;
    if (is_pci(cell))
        return SMI_PCI;
    if (ff_starts(cell, FF_LIT("NVIDIA ")) || ff_starts(cell, FF_LIT("Tesla ")))
        return SMI_PRODUCT;
    if (cell.n >= 2 && cell.n <= 3 && cell.p[0] == 'P' && cell.p[1] >= '0' && cell.p[1] <= '9')
        return SMI_PSTATE;
    if (ff_equal(cell, FF_LIT("Default")) || ff_equal(cell, FF_LIT("Exclusive_Process")) ||
        ff_equal(cell, FF_LIT("Prohibited")))
        return SMI_COMPUTE_MODE;
    if (ff_ends(cell, FF_LIT(" MiB")))
        return used_seen ? SMI_MEMORY_TOTAL : SMI_MEMORY_USED;
    if (ff_ends(cell, FF_LIT(" %")))
        return SMI_UTILIZATION;
    if (ff_ends(cell, FF_LIT(" W")))
        return SMI_POWER;
    if (ff_take_uint(&in, &part) && part > 300 && ff_take_char(&in, '.') && ff_take_uint(&in, &part))
        return SMI_DRIVER;
    return column == 0 && smi_number(cell, &number) && number < 64 ? SMI_INDEX : COL_NONE;
}

static bool take_guess(smi *s, const ff_bytes *cells, unsigned n)
{
    unsigned known = 0;
    bool used = false, names_gpu = false;
    int found[SMI_COLUMNS];
    for (unsigned i = 0; i < n; i++) {
        found[i] = guess(cells[i], i, used);
        used = used || found[i] == SMI_MEMORY_USED;
        names_gpu = names_gpu || found[i] == SMI_UUID || found[i] == SMI_PCI || found[i] == SMI_PRODUCT;
        known += found[i] != COL_NONE;
    }
    if (known < 3 || !names_gpu || s->mode == SMI_CSV)
        return false;
    for (unsigned i = 0; i < n; i++)
        s->columns[i] = found[i];
    set_columns(s, n);
    s->n_sure += 2;
    return true;
}

/* "2026/01/01 12:00:00.123" */
static bool take_time(ff_bytes cell, ff_stamp *out)
{
    return cell.n < 40 && cell.n >= 19 && cell.p[4] == '/' && ff_take_rfc3339(&cell, out);
}

static void take_mask(smi *s, ff_bytes cell)
{
    uint64_t mask = 0;
    if (!ff_take_hex(&cell, &mask)) {
        smi_set(s, SMI_THROTTLE, cell);
        return;
    }
    for (size_t i = 0; i < FF_COUNT(reasons); i++)
        if (mask & reasons[i].bit)
            smi_throttle(s, reasons[i].reason);
}

static void read_cell(smi *s, int column, ff_bytes cell)
{
    if (column == COL_TIME)
        (void)take_time(cell, &s->said);
    else if (column == COL_MASK)
        take_mask(s, cell);
    else if (column <= COL_REASON && ff_equal(cell, FF_LIT("Active")))
        smi_throttle(s, reasons[COL_REASON - column].reason);
    else if (column >= COL_ADD)
        smi_add(s, (smi_slot)(column - COL_ADD), cell);
    else if (column >= 0)
        smi_set(s, (smi_slot)column, cell);
}

static smi_series *find_series(smi *s, ff_bytes key)
{
    for (uint32_t i = 0; i < s->n_series; i++)
        if (ff_equal(s->series[i].key, key))
            return &s->series[i];
    return NULL;
}

static smi_series *series_of(smi *s)
{
    static const smi_slot keys[] = { SMI_UUID, SMI_PCI, SMI_INDEX };
    ff_bytes key = FF_LIT("?");
    for (size_t i = FF_COUNT(keys); i-- > 0;)
        if (s->gpu.at[keys[i]].set)
            key = s->gpu.at[keys[i]].text;
    if (!s->series)
        s->series = FF_NEW_N(s->out->scratch, smi_series, SMI_SERIES);
    smi_series *known = find_series(s, key);
    if (known || s->n_series == SMI_SERIES)
        return known;
    s->series[s->n_series].key = key;
    return &s->series[s->n_series++];
}

static const smi_slot states[] = {
    SMI_FAILURE,  SMI_RECOVERY,        SMI_RESET_REQUIRED,   SMI_REMAP_FAILURE, SMI_REMAP_PENDING,
    SMI_THROTTLE, SMI_LINK_GEN,        SMI_LINK_WIDTH,       SMI_FABRIC_STATE,  SMI_FABRIC_STATUS,
    SMI_PSTATE,   SMI_RETIRED_PENDING, SMI_ECC_UNC_VOLATILE, SMI_REMAPPED_UNC,
};

static bool is_state(smi_slot slot)
{
    for (size_t i = 0; i < FF_COUNT(states); i++)
        if (states[i] == slot)
            return true;
    return false;
}

static bool has_changed(const smi_gpu *a, const smi_gpu *b)
{
    for (size_t i = 0; i < FF_COUNT(states); i++)
        if (a->at[states[i]].set != b->at[states[i]].set || !ff_equal(a->at[states[i]].text, b->at[states[i]].text))
            return true;
    return false;
}

void smi_row_end(smi *s)
{
    smi_weigh(s, 0);
    if (!s->out) {
        s->gpu = (smi_gpu){ 0 };
        return;
    }
    if (!ff_is_empty(s->driver) && !s->gpu.at[SMI_DRIVER].set)
        s->gpu.at[SMI_DRIVER] = (smi_value){ .text = s->driver, .set = true };
    s->gpu.offset = s->offset;
    smi_series *r = series_of(s);
    if (r) {
        bool news = r->rows == 0 || (s->told < ROWS_MOST && has_changed(&r->last, &s->gpu));
        smi_series_add(s, r);
        if (news || s->told < ROWS_TOLD) {
            smi_emit(s, &s->gpu, s->said);
            s->told++;
            r->last = s->gpu;
        }
    }
    s->gpu = (smi_gpu){ 0 };
}

static void read_row(smi *s, const ff_bytes *cells, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        read_cell(s, s->columns[i], cells[i]);
    smi_row_end(s);
}

/* The cell says what the last row of this GPU that was told said. */
static bool is_as_told(const smi_series *r, int slot, ff_bytes cell)
{
    return r->last.at[slot].set && ff_equal(r->last.at[slot].text, cell);
}

/* The numbers of a row that says nothing new but numbers, by column. False: it has to be read as a row of its own. */
static bool is_only_numbers(const smi *s, const smi_series *r, const ff_bytes *cells, unsigned n, double *numbers)
{
    bool news = s->told < ROWS_MOST; /* a change would be told */
    for (unsigned i = 0; i < n; i++) {
        int slot = s->columns[i];
        if (news && (slot == COL_MASK || slot <= COL_REASON))
            return false;
        if (slot < 0)
            continue;
        bool numeric = smi_is_numeric((smi_slot)slot);
        if (numeric && !smi_number(cells[i], &numbers[i]))
            return false;
        if (news && (!numeric || is_state((smi_slot)slot)) && !is_as_told(r, slot, cells[i]))
            return false;
    }
    return true;
}

/* Most rows of a long file add to the summary of their GPU and to nothing else. */
static bool sum_up(smi *s, const ff_bytes *cells, unsigned n)
{
    double numbers[SMI_COLUMNS];
    smi_series *r =
        s->out && s->told >= ROWS_TOLD && s->key_column >= 0 ? find_series(s, cells[s->key_column]) : NULL;
    if (!r || !is_only_numbers(s, r, cells, n, numbers))
        return false;
    for (unsigned i = 0; i < n; i++) {
        int slot = s->columns[i];
        if (slot == COL_TIME)
            (void)take_time(cells[i], &s->said);
        else if (slot >= 0 && smi_is_numeric((smi_slot)slot))
            s->gpu.at[slot] = (smi_value){ .number = numbers[i], .is_number = true };
    }
    smi_series_add(s, r);
    for (unsigned i = 0; i < n; i++)
        if (s->columns[i] >= 0)
            s->gpu.at[s->columns[i]] = (smi_value){ 0 };
    return true;
}

bool smi_csv_line(smi *s, ff_bytes line)
{
    ff_bytes cells[SMI_COLUMNS];
    if (!ff_contains(line, FF_LIT(",")) || s->mode == SMI_QUERY)
        return false;
    unsigned n = cut_row(line, cells);
    if (take_header(s, cells, n))
        return true;
    if (n < 2 || (s->mode == SMI_CSV && n != s->n_columns) || (s->mode != SMI_CSV && !take_guess(s, cells, n)))
        return false;
    read_row(s, cells, n);
    return true;
}

bool smi_csv_row(smi *s, ff_bytes line)
{
    ff_bytes cells[SMI_COLUMNS];
    bool may = s->mode == SMI_CSV && !s->failure.n && line.n && line.p[0] >= '0' && line.p[0] <= '9';
    unsigned n = may ? cut_row(line, cells) : 0;
    if (n < 2 || n != s->n_columns)
        return false;
    if (!sum_up(s, cells, n))
        read_row(s, cells, n);
    return true;
}

void smi_csv_end(smi *s)
{
    for (uint32_t i = 0; i < s->n_series; i++)
        if (s->series[i].rows > 2)
            smi_series_emit(s, &s->series[i]);
    s->n_series = 0;
}
