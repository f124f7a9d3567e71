/* The slots of one GPU, and which shape a line belongs to. */
#include "smi.h"

#include <string.h>

#include "../analyzer/clock/clock.h"

typedef struct slot_row {
    const char *name;
    ff_field_type type; /* TEXT slots that hold numbers are given as numbers */
} slot_row;

static const slot_row slots[SMI_SLOTS] = {
    [SMI_INDEX] = { "index", FF_FIELD_GPU },
    [SMI_PCI] = { "gpu", FF_FIELD_PCI },
    [SMI_UUID] = { "uuid", FF_FIELD_UUID },
    [SMI_FAILURE] = { "failure", FF_FIELD_TEXT },
    [SMI_PRODUCT] = { "product", FF_FIELD_TEXT },
    [SMI_DRIVER] = { "driver", FF_FIELD_TEXT },
    [SMI_CUDA] = { "cuda", FF_FIELD_TEXT },
    [SMI_RECOVERY] = { "recovery_action", FF_FIELD_TEXT },
    [SMI_RESET_REQUIRED] = { "reset_required", FF_FIELD_TEXT },
    [SMI_REMAP_FAILURE] = { "remap_failure", FF_FIELD_TEXT },
    [SMI_REMAP_PENDING] = { "remap_pending", FF_FIELD_TEXT },
    [SMI_ECC_UNC_VOLATILE] = { "ecc_uncorrected", FF_FIELD_INT },
    [SMI_ECC_UNC_AGGREGATE] = { "ecc_uncorrected_total", FF_FIELD_INT },
    [SMI_ECC_COR_VOLATILE] = { "ecc_corrected", FF_FIELD_INT },
    [SMI_ECC_COR_AGGREGATE] = { "ecc_corrected_total", FF_FIELD_INT },
    [SMI_THROTTLE] = { "throttle", FF_FIELD_TEXT },
    [SMI_FABRIC_STATE] = { "fabric_state", FF_FIELD_TEXT },
    [SMI_FABRIC_STATUS] = { "fabric_status", FF_FIELD_TEXT },
    [SMI_PSTATE] = { "pstate", FF_FIELD_TEXT },
    [SMI_LINK_GEN] = { "link_gen", FF_FIELD_INT },
    [SMI_LINK_GEN_MAX] = { "link_gen_max", FF_FIELD_INT },
    [SMI_LINK_WIDTH] = { "link_width", FF_FIELD_INT },
    [SMI_LINK_WIDTH_MAX] = { "link_width_max", FF_FIELD_INT },
    [SMI_TEMPERATURE] = { "temperature_c", FF_FIELD_INT },
    [SMI_UTILIZATION] = { "utilization_pct", FF_FIELD_INT },
    [SMI_MEMORY_USED] = { "memory_used_mib", FF_FIELD_INT },
    [SMI_MEMORY_TOTAL] = { "memory_total_mib", FF_FIELD_INT },
    [SMI_POWER] = { "power_w", FF_FIELD_FLOAT },
    [SMI_CLOCK_SM] = { "clock_sm_mhz", FF_FIELD_INT },
    [SMI_COMPUTE_MODE] = { "compute_mode", FF_FIELD_TEXT },
    [SMI_FABRIC_HEALTH] = { "fabric_health", FF_FIELD_TEXT },
    [SMI_REMAPPED_UNC] = { "remapped_uncorrectable", FF_FIELD_INT },
    [SMI_REMAPPED_COR] = { "remapped_correctable", FF_FIELD_INT },
    [SMI_RETIRED_PENDING] = { "retired_pending", FF_FIELD_TEXT },
    [SMI_REPLAYS] = { "replays", FF_FIELD_INT },
    [SMI_MIG] = { "mig", FF_FIELD_TEXT },
    [SMI_POWER_LIMIT] = { "power_limit_w", FF_FIELD_FLOAT },
    [SMI_CLOCK_SM_MAX] = { "clock_sm_max_mhz", FF_FIELD_INT },
    [SMI_DRAIN_RECOMMENDED] = { "drain_recommended", FF_FIELD_TEXT },
    [SMI_SRAM_THRESHOLD] = { "sram_threshold_exceeded", FF_FIELD_TEXT },
    [SMI_CHANNEL_REPAIR] = { "channel_repair_pending", FF_FIELD_TEXT },
    [SMI_UNREPAIRABLE] = { "unrepairable_memory", FF_FIELD_TEXT },
    [SMI_TEMPERATURE_MARGIN] = { "temperature_margin_c", FF_FIELD_INT },
    [SMI_MEMORY_TEMPERATURE] = { "memory_temperature_c", FF_FIELD_INT },
    [SMI_UTILIZATION_MEMORY] = { "utilization_memory_pct", FF_FIELD_INT },
    [SMI_ECC_MODE] = { "ecc_mode", FF_FIELD_TEXT },
    [SMI_PERSISTENCE] = { "persistence", FF_FIELD_TEXT },
    [SMI_SERIAL] = { "serial", FF_FIELD_TEXT },
    [SMI_MINOR] = { "minor", FF_FIELD_INT },
};

const char *smi_slot_name(smi_slot slot) { return slots[slot].name; }

bool smi_is_numeric(smi_slot slot)
{
    ff_field_type type = slots[slot].type;
    return type == FF_FIELD_INT || type == FF_FIELD_FLOAT || type == FF_FIELD_GPU;
}

bool smi_is_nothing(ff_bytes value)
{
    static const char *const nothing[] = { "N/A",
                                           "[N/A]",
                                           "[Not Supported]",
                                           "Not Supported",
                                           "[Not Found]",
                                           "-",
                                           "Unknown",
                                           "[Insufficient Permissions]",
                                           "Requested functionality has been deprecated",
                                           "[Requested functionality has been deprecated]" };
    if (!value.n)
        return true;
    if (ff_is_digit(value.p[0]))
        return false;
    for (size_t i = 0; i < FF_COUNT(nothing); i++)
        if (ff_equal(value, ff_str(nothing[i])))
            return true;
    return false;
}

/* Each of the failures has a capital G or E in it; numbers with their units mostly have neither. */
static bool has_failure_letter(ff_bytes value)
{
    for (size_t i = 0; i < value.n; i++)
        if (value.p[i] == 'G' || value.p[i] == 'E')
            return true;
    return false;
}

static bool is_failure(ff_bytes value)
{
    static const char *const failures[] = { "GPU is lost", "Unknown Error", "GPU requires reset", "ERR!",
                                            "GPU Lost" };
    if (value.n < 4 || !has_failure_letter(value))
        return false;
    for (size_t i = 0; i < FF_COUNT(failures); i++)
        if (ff_contains(value, ff_str(failures[i])))
            return true;
    return false;
}

static bool is_unit(ff_bytes text)
{
    static const char *const units[] = { "MiB", "MHz", "bank(s)", "us", "KB/s", "GB/s" };
    if (text.n < 2)
        return text.n == 0 || text.p[0] == 'W' || text.p[0] == '%' || text.p[0] == 'C' || text.p[0] == 'x';
    for (size_t i = 0; i < FF_COUNT(units); i++)
        if (units[i][0] == text.p[0] && units[i][1] == text.p[1] && ff_equal(text, ff_str(units[i])))
            return true;
    return false;
}

/* "97 %", "617.18 W": digits, a point, few digits, one blank and the unit's letter. False: not so plain. */
static bool read_plain_number(ff_bytes text, double *out)
{
    static const int64_t weights[] = { 1000000000, 100000000, 10000000, 1000000 };
    size_t i = 0, point = 0;
    int64_t whole = 0, part = 0;
    unsigned d;
    if (text.n > 12)
        return false;
    for (; i < text.n && (d = (unsigned)(unsigned char)text.p[i] - '0') <= 9; i++)
        whole = whole * 10 + d;
    if (i == 0)
        return false;
    if (i < text.n && text.p[i] == '.') {
        point = ++i;
        for (; i < text.n && (d = (unsigned)(unsigned char)text.p[i] - '0') <= 9; i++)
            part = part * 10 + d;
        if (i == point || i - point >= FF_COUNT(weights))
            return false;
        part *= weights[i - point];
    }
    if (i < text.n && !(i + 2 == text.n && text.p[i] == ' ' && (text.p[i + 1] == '%' || text.p[i + 1] == 'W')) &&
        !(i + 4 == text.n && text.p[i] == ' ' && text.p[i + 1] == 'M' &&
          (memcmp(text.p + i + 2, "iB", 2) == 0 || memcmp(text.p + i + 2, "Hz", 2) == 0)))
        return false;
    *out = (double)whole + (part ? (double)part / 1e9 : 0);
    return true;
}

bool smi_number(ff_bytes text, double *out)
{
    if (read_plain_number(text, out))
        return true;
    bool negative = ff_take_char(&text, '-');
    uint64_t whole = 0;
    int64_t part = 0, grain = 0;
    if (!ff_take_uint(&text, &whole))
        return false;
    ff_take_fraction(&text, &part, &grain);
    (void)ff_take_spaces(&text);
    if (!is_unit(text))
        return false;
    *out = ((double)whole + (part ? (double)part / 1e9 : 0)) * (negative ? -1 : 1);
    return true;
}

void smi_weigh(smi *s, unsigned weight)
{
    if (s->gpu.open && weight <= s->gpu.weight)
        return;
    s->gpu.open = true;
    s->gpu.weight = weight;
    s->gpu.offset = s->offset;
}

static bool is_word(ff_bytes b, const char *word) { return ff_equal_nocase(b, ff_str(word)); }

/* How much a reader wants to see this line rather than the GPU's heading. */
static unsigned weight_of(smi_slot slot, const smi_value *v)
{
    switch (slot) {
    case SMI_FAILURE:
        return 90;
    case SMI_RECOVERY:
        return is_word(v->text, "None") ? 0 : 80;
    case SMI_RESET_REQUIRED:
        return is_word(v->text, "Yes") ? 70 : 0;
    case SMI_REMAP_FAILURE: /* memory that waits for a repair is why the GPU asks for a reset */
        return is_word(v->text, "Yes") ? 88 : 0;
    case SMI_REMAP_PENDING:
    case SMI_RETIRED_PENDING:
    case SMI_CHANNEL_REPAIR:
    case SMI_UNREPAIRABLE:
    case SMI_SRAM_THRESHOLD:
        return is_word(v->text, "Yes") ? 85 : 0;
    case SMI_ECC_UNC_VOLATILE:
        return v->number > 0 ? 50 : 0;
    case SMI_FABRIC_STATE:
        return is_word(v->text, "Completed") ? 0 : 45;
    case SMI_FABRIC_STATUS:
        return is_word(v->text, "Success") ? 0 : 45;
    case SMI_ECC_UNC_AGGREGATE:
        return v->number > 0 ? 40 : 0;
    case SMI_THROTTLE:
        return ff_contains(v->text, FF_LIT("hw_")) ? 35 : 0;
    default:
        return 0;
    }
}

static void keep(smi *s, smi_slot slot, smi_value value)
{
    s->gpu.at[slot] = value;
    smi_weigh(s, weight_of(slot, &value));
}

void smi_set(smi *s, smi_slot slot, ff_bytes value)
{
    value = ff_trim(value);
    if (smi_is_nothing(value))
        return;
    smi_value v = { .text = value, .set = true };
    if (slot != SMI_FAILURE && is_failure(value)) {
        /* of several fields the one that says what is wrong */
        bool vague = ff_contains(s->gpu.at[SMI_FAILURE].text, FF_LIT("Unknown Error"));
        if (!s->gpu.at[SMI_FAILURE].set || (vague && !ff_contains(value, FF_LIT("Unknown Error"))))
            keep(s, SMI_FAILURE, v);
        return;
    }
    bool numeric = smi_is_numeric(slot);
    v.is_number = numeric && smi_number(value, &v.number);
    if (numeric && !v.is_number)
        return;
    if (slot == SMI_PCI && s->out)
        v.text = doc_pci(value, s->out->scratch);
    if (!ff_is_empty(v.text))
        keep(s, slot, v);
}

void smi_add(smi *s, smi_slot slot, ff_bytes value)
{
    double number = 0;
    if (is_failure(value)) {
        smi_set(s, slot, value);
        return;
    }
    if (!smi_number(ff_trim(value), &number))
        return;
    smi_value sum = { .text = value, .number = number + s->gpu.at[slot].number, .set = true, .is_number = true };
    keep(s, slot, sum);
}

void smi_throttle(smi *s, const char *reason)
{
    smi_value v = s->gpu.at[SMI_THROTTLE];
    if (!s->out)
        return;
    v.text = v.set ? ff_arena_format(s->out->scratch, "%.*s,%s", (int)v.text.n, v.text.p, reason) : ff_str(reason);
    v.set = true;
    bool hardware = ff_starts(ff_str(reason), FF_LIT("hw_"));
    s->gpu.at[SMI_THROTTLE] = v;
    smi_weigh(s, hardware ? 35 : 0);
}

void smi_fact(smi *s, ff_fact_id id, uint64_t offset, ff_stamp said, ff_fields *f, const ff_who *who)
{
    ff_fact fact = { .id = id, .said = said, .who = who ? *who : FF_WHO_NOBODY };
    if (s->out)
        doc_fact(s->out, &s->lines, offset, &fact, f);
}

void smi_emit(smi *s, const smi_gpu *g, ff_stamp said)
{
    ff_fields f = { .n = 0 };
    ff_who who = FF_WHO_NOBODY;
    for (unsigned i = 0; i < SMI_SLOTS; i++) {
        const smi_value *v = &g->at[i];
        if (!v->set)
            continue;
        bool small = v->number > -1e15 && v->number < 1e15; /* else it may be no int64 */
        bool whole = small && v->number == (double)(int64_t)v->number;
        if (v->is_number && whole)
            ff_fields_int(&f, slots[i].name, slots[i].type == FF_FIELD_GPU ? FF_FIELD_GPU : FF_FIELD_INT,
                          (int64_t)v->number);
        else if (v->is_number)
            ff_fields_float(&f, slots[i].name, v->number);
        else
            ff_fields_text(&f, slots[i].name, slots[i].type, v->text);
    }
    who.gpu = g->at[SMI_PCI].text;
    who.gpu_uuid = g->at[SMI_UUID].text;
    if (g->at[SMI_INDEX].is_number && g->at[SMI_INDEX].number < 4096)
        who.gpu_index = (int32_t)g->at[SMI_INDEX].number;
    smi_fact(s, FF_FACT_GPU_STATE, g->offset, said, &f, &who);
}

void smi_give_process(smi *s, const smi_process *p, const ff_who *gpu)
{
    uint64_t pid = 0;
    ff_bytes digits = p->pid;
    double mib = 0;
    if (!ff_take_uint(&digits, &pid) || digits.n || pid == 0 || pid > INT32_MAX)
        return;
    ff_fields f = { .n = 0 };
    ff_who who = *gpu;
    who.pid = (int32_t)pid;
    if (who.gpu_index != FF_NO_NUMBER)
        ff_fields_int(&f, "index", FF_FIELD_GPU, who.gpu_index);
    ff_fields_text(&f, "gpu", FF_FIELD_PCI, who.gpu);
    ff_fields_text(&f, "uuid", FF_FIELD_UUID, who.gpu_uuid);
    ff_fields_int(&f, "pid", FF_FIELD_PID, (int64_t)pid);
    ff_fields_text(&f, "process", FF_FIELD_PROCESS, p->name);
    ff_fields_text(&f, "type", FF_FIELD_TEXT, p->type);
    if (smi_number(p->memory, &mib))
        ff_fields_int(&f, "memory_mib", FF_FIELD_INT, (int64_t)mib);
    smi_fact(s, FF_FACT_GPU_PROCESS, p->offset, s->said, &f, &who);
}

/* The one of -q and -x that is being read. */
static void end_process(smi *s)
{
    ff_who who = FF_WHO_NOBODY;
    who.gpu = s->gpu.at[SMI_PCI].text;
    who.gpu_uuid = s->gpu.at[SMI_UUID].text;
    if (!ff_is_empty(s->process.pid))
        smi_give_process(s, &s->process, &who);
    s->process = (smi_process){ 0 };
}

void smi_process_value(smi *s, ff_bytes key, ff_bytes value)
{
    if (ff_equal(key, FF_LIT("Process ID"))) {
        end_process(s);
        s->process.pid = value;
        s->process.offset = s->offset;
    } else if (ff_equal(key, FF_LIT("Type"))) {
        s->process.type = value;
    } else if (ff_equal(key, FF_LIT("Name"))) {
        s->process.name = value;
    } else if (ff_equal(key, FF_LIT("Used GPU Memory"))) {
        s->process.memory = value;
    }
}

void smi_flush(smi *s)
{
    if (!s->gpu.open)
        return;
    end_process(s);
    if (!ff_is_empty(s->driver))
        s->gpu.at[SMI_DRIVER] = (smi_value){ .text = s->driver, .set = true };
    if (!ff_is_empty(s->cuda))
        s->gpu.at[SMI_CUDA] = (smi_value){ .text = s->cuda, .set = true };
    smi_emit(s, &s->gpu, s->said);
    s->gpu = (smi_gpu){ 0 };
}

bool smi_list_line(smi *s, ff_bytes line)
{
    uint64_t index = 0;
    ff_bytes in = line, name, uuid;
    size_t at = ff_find(line, FF_LIT(" (UUID: GPU-"));
    if (at >= line.n || !ff_take_lit(&in, FF_LIT("GPU ")) || !ff_take_uint(&in, &index) ||
        !ff_take_lit(&in, FF_LIT(": ")) || index > 4095 || in.p > line.p + at)
        return false;
    name = (ff_bytes){ in.p, (size_t)(line.p + at - in.p) };
    ff_bytes rest = ff_skip_n(line, at + 8);
    if (!ff_take_until(&rest, ')', &uuid))
        return false;
    ff_fields f = { .n = 0 };
    ff_who who = FF_WHO_NOBODY;
    who.gpu_index = (int32_t)index;
    who.gpu_uuid = uuid;
    ff_fields_int(&f, "index", FF_FIELD_GPU, (int64_t)index);
    ff_fields_text(&f, "uuid", FF_FIELD_UUID, uuid);
    ff_fields_text(&f, "product", FF_FIELD_TEXT, name);
    smi_fact(s, FF_FACT_GPU_LISTED, s->offset, s->said, &f, &who);
    /* nvlink -s puts the links of the GPU below such a line. */
    smi_nvlink_end(s);
    s->gpu = (smi_gpu){ .offset = s->offset };
    s->gpu.at[SMI_INDEX] = (smi_value){ .number = (double)index, .is_number = true, .set = true };
    s->gpu.at[SMI_UUID] = (smi_value){ .text = uuid, .set = true };
    s->mode = SMI_NVLINK;
    s->n_sure++;
    return true;
}

/* "  MIG 3g.20gb     Device  0: (UUID: MIG-c7384736-...)" below the line of its GPU. */
static bool smi_mig_line(smi *s, ff_bytes line)
{
    ff_bytes in = ff_trim(line), profile, uuid, parent = s->gpu.at[SMI_UUID].text;
    size_t at = ff_find(line, FF_LIT(" (UUID: MIG-"));
    ff_bytes rest = at < line.n ? ff_skip_n(line, at + 8) : (ff_bytes){ 0 };
    if (s->mode != SMI_NVLINK || !parent.n || !ff_take_lit(&in, FF_LIT("MIG ")) ||
        !ff_take_until(&in, ' ', &profile) || !ff_take_until(&rest, ')', &uuid))
        return false;
    ff_fields f = { .n = 0 };
    ff_who who = FF_WHO_NOBODY;
    who.gpu_index = (int32_t)s->gpu.at[SMI_INDEX].number;
    who.gpu_uuid = parent;
    ff_fields_text(&f, "mig_uuid", FF_FIELD_TEXT, uuid);
    ff_fields_text(&f, "profile", FF_FIELD_TEXT, profile);
    smi_fact(s, FF_FACT_GPU_MIG, s->offset, s->said, &f, &who);
    return true;
}

static void leave(smi *s)
{
    smi_nvlink_end(s);
    smi_flush(s);
    smi_topo_end(s);
    s->mode = SMI_IDLE;
}

/* "Mon Nov 30 06:43:41 2026" above the table. */
static bool take_date(smi *s, ff_bytes line)
{
    ff_stamp stamp;
    if (!ff_take_ctime(&line, &stamp) || ff_trim(line).n)
        return false;
    leave(s);
    s->said = stamp;
    return true;
}

static bool is_prompt(ff_bytes line)
{
    size_t at = ff_find(line, FF_LIT("$ "));
    return (at < 48 && at < line.n) || ff_starts(line, FF_LIT("# ")) || ff_starts(line, FF_LIT("+ ")) ||
           ff_starts(line, FF_LIT("/usr/bin/nvidia-smi"));
}

static bool take_prompt(smi *s, ff_bytes line)
{
    if (!is_prompt(line) || !ff_contains(line, FF_LIT("nvidia-smi")))
        return false;
    leave(s);
    s->command = line;
    return true;
}

void smi_init(smi *s, const ff_sink *out, ff_bytes name, ff_bytes text)
{
    *s = (smi){ .out = out, .name = name };
    doc_lines_init(&s->lines, text);
}

bool smi_line(smi *s, ff_bytes line, uint64_t offset)
{
    s->offset = offset;
    if (!ff_trim(line).n)
        return true;
    s->n_lines++;
    smi_nvlink_begin(s, line);
    bool mine = smi_csv_row(s, line) || smi_dmon_line(s, line) || take_date(s, line) || take_prompt(s, line) ||
                smi_failure_line(s, line) || smi_list_line(s, line) || smi_mig_line(s, line) ||
                smi_topo_line(s, line) || smi_table_line(s, line) || smi_query_line(s, line) ||
                smi_nvlink_line(s, line) || smi_csv_line(s, line);
    s->n_mine += mine;
    if (!mine && s->mode != SMI_IDLE)
        leave(s);
    return mine;
}

void smi_end(smi *s)
{
    leave(s);
    smi_csv_end(s);
    smi_failure_end(s);
}
