/* What all rows of one GPU in a CSV file come to: ranges, the longest idle run, and the course of utilisation and
 * power in a bounded number of steps. */
#include "smi.h"

#include <stdio.h>

#define STEP_TEXT 10u /* comma and digits of one step */

static int64_t seconds_between(ff_stamp a, ff_stamp b)
{
    return a.kind != FF_STAMP_NONE && a.kind == b.kind ? (b.ns - a.ns) / 1000000000 : 0;
}

/* ---- the course: means over steps of equal length, which double when there would be too many ---- */
static void merge_pairs(smi_course *c)
{
    for (uint32_t i = 0; i < SMI_STEPS; i++) {
        smi_step joint = { 0 };
        for (uint32_t k = 2 * i; k < 2 * i + 2 && k < SMI_STEPS; k++) {
            joint.utilization += c->at[k].utilization;
            joint.power += c->at[k].power;
            joint.n_utilization += c->at[k].n_utilization;
            joint.n_power += c->at[k].n_power;
        }
        c->at[i] = joint;
    }
    c->n = (c->n + 1) / 2;
    c->step_s *= 2;
}

/* Rows without a time, or before the first one, have no place in it. */
static void add_point(smi *s, smi_series *r)
{
    const smi_value *utilization = &s->gpu.at[SMI_UTILIZATION], *power = &s->gpu.at[SMI_POWER];
    ff_stamp from = r->rows ? r->from : s->said;
    if (s->said.kind == FF_STAMP_NONE || s->said.kind != from.kind || s->said.ns < from.ns ||
        (!utilization->is_number && !power->is_number))
        return;
    if (!r->course) {
        r->course = FF_NEW(s->out->scratch, smi_course);
        r->course->step_s = 1;
    }
    smi_course *c = r->course;
    int64_t second = (s->said.ns - from.ns) / 1000000000;
    while (second / c->step_s >= SMI_STEPS)
        merge_pairs(c);
    smi_step *at = &c->at[second / c->step_s];
    c->n = (uint32_t)(second / c->step_s) + 1 > c->n ? (uint32_t)(second / c->step_s) + 1 : c->n;
    if (utilization->is_number) {
        at->utilization += utilization->number;
        at->n_utilization++;
    }
    if (power->is_number) {
        at->power += power->number;
        at->n_power++;
    }
}

/* Samples that lie further apart than a step leave empty ones between: steps as long as the samples are apart do not.
 */
static void fit_steps(const smi_series *r)
{
    int64_t apart = r->rows > 1 ? seconds_between(r->from, r->to) / (r->rows - 1) : 0;
    while (2 * r->course->step_s < 3 * apart)
        merge_pairs(r->course);
}

static ff_bytes steps_text(smi *s, const smi_course *c, bool power)
{
    char *text = FF_NEW_N(s->out->scratch, char, SMI_STEPS *STEP_TEXT);
    size_t n = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        const smi_step *at = &c->at[i];
        uint32_t seen = power ? at->n_power : at->n_utilization;
        double mean = seen ? (power ? at->power : at->utilization) / seen : 0;
        if (i)
            text[n++] = ',';
        if (seen && mean >= 0 && mean < 1e6)
            n += (size_t)snprintf(text + n, STEP_TEXT, "%.0f", mean);
    }
    return (ff_bytes){ text, n };
}

static void add_course(smi *s, ff_fields *f, const smi_series *r)
{
    if (!r->course)
        return;
    fit_steps(r);
    if (r->course->n < 2)
        return;
    ff_fields_int(f, "step_s", FF_FIELD_INT, r->course->step_s);
    if (r->seen[SMI_UTILIZATION])
        ff_fields_text(f, "utilization_course", FF_FIELD_TEXT, steps_text(s, r->course, false));
    if (r->seen[SMI_POWER])
        ff_fields_text(f, "power_course", FF_FIELD_TEXT, steps_text(s, r->course, true));
}

/* Full utilisation without traffic to memory is what a kernel that waits looks like. */
static void see_spin(const smi *s, smi_series *r)
{
    const smi_value *busy = &s->gpu.at[SMI_UTILIZATION], *memory = &s->gpu.at[SMI_UTILIZATION_MEMORY];
    const smi_value *power = &s->gpu.at[SMI_POWER];
    bool spin = busy->is_number && busy->number >= 95 && memory->is_number && memory->number <= 2;
    r->spin_from = spin && !r->spin_run ? s->said : r->spin_from;
    r->spin_run = spin ? r->spin_run + 1 : 0;
    if (!spin || !power->is_number)
        return;
    r->spin_low = r->spin_run == 1 || power->number < r->spin_low ? power->number : r->spin_low;
    r->spin_high = r->spin_run == 1 || power->number > r->spin_high ? power->number : r->spin_high;
}

void smi_series_add(smi *s, smi_series *r)
{
    for (unsigned i = 0; i < SMI_SLOTS; i++) {
        const smi_value *v = &s->gpu.at[i];
        if (!v->is_number)
            continue;
        r->low[i] = !r->seen[i] || v->number < r->low[i] ? v->number : r->low[i];
        r->high[i] = !r->seen[i] || v->number > r->high[i] ? v->number : r->high[i];
        r->sum[i] += v->number;
        r->seen[i]++;
    }
    add_point(s, r);
    bool idle = s->gpu.at[SMI_UTILIZATION].is_number && s->gpu.at[SMI_UTILIZATION].number < 1;
    r->idle += idle;
    r->idle_from = idle && !r->idle_run ? s->said : r->idle_from;
    r->idle_run = idle ? r->idle_run + 1 : 0;
    if (r->idle_run > r->longest_idle) {
        r->longest_idle = r->idle_run;
        r->longest_from = r->idle_from;
        r->longest_to = s->said;
    }
    see_spin(s, r);
    if (!r->rows++) {
        r->from = s->said;
        r->first = s->gpu;
        r->offset = s->offset;
    }
    r->to = s->said;
}

static void add_range(ff_fields *f, const smi_series *r, smi_slot slot, const char *low, const char *high,
                      const char *mean)
{
    if (!r->seen[slot])
        return;
    ff_fields_float(f, low, r->low[slot]);
    ff_fields_float(f, high, r->high[slot]);
    if (mean)
        ff_fields_float(f, mean, r->sum[slot] / r->seen[slot]);
}

static void add_growth(ff_fields *f, const smi_series *r, smi_slot slot, const char *name)
{
    if (r->seen[slot] > 1 && r->first.at[slot].is_number)
        ff_fields_float(f, name, r->high[slot] - r->first.at[slot].number);
}

void smi_series_emit(smi *s, const smi_series *r)
{
    ff_fields f = { .n = 0 };
    ff_who who = FF_WHO_NOBODY;
    who.gpu = r->first.at[SMI_PCI].text;
    who.gpu_uuid = r->first.at[SMI_UUID].text;
    if (r->first.at[SMI_INDEX].is_number) {
        who.gpu_index = (int32_t)r->first.at[SMI_INDEX].number;
        ff_fields_int(&f, "index", FF_FIELD_GPU, who.gpu_index);
    }
    ff_fields_text(&f, "gpu", FF_FIELD_PCI, who.gpu);
    ff_fields_text(&f, "uuid", FF_FIELD_UUID, who.gpu_uuid);
    ff_fields_int(&f, "rows", FF_FIELD_INT, r->rows);
    ff_fields_int(&f, "seconds", FF_FIELD_INT, seconds_between(r->from, r->to));
    add_range(&f, r, SMI_UTILIZATION, "utilization_min", "utilization_max", "utilization_mean");
    ff_fields_int(&f, "idle_rows", FF_FIELD_INT, r->idle);
    ff_fields_int(&f, "idle_longest_rows", FF_FIELD_INT, r->longest_idle);
    ff_fields_int(&f, "idle_tail_rows", FF_FIELD_INT, r->idle_run);
    ff_fields_int(&f, "spin_tail_rows", FF_FIELD_INT, r->spin_run);
    if (r->idle_run || r->spin_run)
        ff_fields_int(&f, "still_s", FF_FIELD_INT, seconds_between(r->idle_run ? r->idle_from : r->spin_from, r->to));
    if (r->spin_run && r->spin_high > 0) {
        ff_fields_float(&f, "spin_power_min", r->spin_low);
        ff_fields_float(&f, "spin_power_max", r->spin_high);
    }
    add_range(&f, r, SMI_UTILIZATION_MEMORY, "utilization_memory_min", "utilization_memory_max", NULL);
    if (r->seen[SMI_POWER_LIMIT])
        ff_fields_float(&f, "power_limit_w", r->high[SMI_POWER_LIMIT]);
    ff_fields_int(&f, "idle_longest_s", FF_FIELD_INT, seconds_between(r->longest_from, r->longest_to));
    add_range(&f, r, SMI_TEMPERATURE, "temperature_min", "temperature_max", NULL);
    add_range(&f, r, SMI_CLOCK_SM, "clock_sm_min", "clock_sm_max", NULL);
    add_range(&f, r, SMI_POWER, "power_min", "power_max", "power_mean");
    add_range(&f, r, SMI_LINK_GEN, "link_gen_min", "link_gen_max", NULL);
    add_range(&f, r, SMI_LINK_WIDTH, "link_width_min", "link_width_max", NULL);
    add_growth(&f, r, SMI_ECC_COR_VOLATILE, "ecc_corrected_growth");
    add_growth(&f, r, SMI_ECC_UNC_VOLATILE, "ecc_uncorrected_growth");
    add_course(s, &f, r);
    smi_fact(s, FF_FACT_GPU_SAMPLES, r->offset, r->from, &f, &who);
}
