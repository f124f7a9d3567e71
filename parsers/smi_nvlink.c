/* nvidia-smi nvlink -s and -e.
 *
 *     GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-...)
 *             Link 0: 26.562 GB/s
 *             Link 5: <inactive>
 *             Link 0: Replay Errors: 0
 *             Links 0-5: No errors
 *     GPU 00000009:07:00.0
 *             Link 0: Link recovery failed events: 0
 *
 * The line of the GPU is the one that -L prints too, or the heading of -q. NVLink 5's bit error rates and FEC bins
 * are not read. */
#include "smi.h"

void smi_nvlink_end(smi *s)
{
    if (s->mode != SMI_NVLINK)
        return;
    double any = s->errors + s->replays + s->recoveries + s->crcs;
    if (s->links || any > 0) {
        ff_fields f = { .n = 0 };
        ff_who who = FF_WHO_NOBODY;
        who.gpu_index = (int32_t)s->gpu.at[SMI_INDEX].number;
        who.gpu_uuid = s->gpu.at[SMI_UUID].text;
        who.gpu = s->gpu.at[SMI_PCI].text;
        if (!s->gpu.at[SMI_INDEX].set)
            who.gpu_index = FF_NO_NUMBER;
        else
            ff_fields_int(&f, "index", FF_FIELD_GPU, who.gpu_index);
        ff_fields_text(&f, "gpu", FF_FIELD_PCI, who.gpu);
        ff_fields_text(&f, "uuid", FF_FIELD_UUID, who.gpu_uuid);
        if (s->active || s->links) {
            ff_fields_int(&f, "links", FF_FIELD_INT, s->links);
            ff_fields_int(&f, "active", FF_FIELD_INT, s->active);
            ff_fields_int(&f, "inactive", FF_FIELD_INT, s->links - s->active);
        }
        ff_fields_int(&f, "replays", FF_FIELD_INT, (int64_t)s->replays);
        ff_fields_int(&f, "recoveries", FF_FIELD_INT, (int64_t)s->recoveries);
        ff_fields_int(&f, "crc_errors", FF_FIELD_INT, (int64_t)s->crcs);
        ff_fields_int(&f, "other_errors", FF_FIELD_INT, (int64_t)s->errors);
        smi_fact(s, FF_FACT_GPU_NVLINK, s->gpu.offset, s->said, &f, &who);
    }
    s->gpu = (smi_gpu){ 0 };
    s->links = s->active = 0;
    s->errors = s->replays = s->recoveries = s->crcs = 0;
    s->mode = SMI_IDLE;
}

static void count_errors(smi *s, ff_bytes name, double number)
{
    if (ff_contains(name, FF_LIT("Replay")))
        s->replays += number;
    else if (ff_contains(name, FF_LIT("Recovery")) || ff_contains(name, FF_LIT("recovery")))
        s->recoveries += number;
    else if (ff_contains(name, FF_LIT("CRC")))
        s->crcs += number;
    else if (ff_contains(name, FF_LIT("rror")) && !ff_contains(name, FF_LIT("FEC")) &&
             !ff_contains(name, FF_LIT("BER")) && !ff_contains(name, FF_LIT("Symbol")) &&
             !ff_contains(name, FF_LIT("Effective")))
        s->errors += number;
}

/* A heading ends the GPU before it. "Link 0: Symbol Errors: 5" below the heading that -q has too: a GPU of which
 * nothing else is told. */
void smi_nvlink_begin(smi *s, ff_bytes line)
{
    ff_bytes in = ff_trim(line), name;
    uint64_t link = 0;
    if (ff_starts(in, FF_LIT("GPU ")))
        smi_nvlink_end(s);
    if (s->mode != SMI_QUERY || !ff_take_lit(&in, FF_LIT("Link ")) || !ff_take_uint(&in, &link) ||
        !ff_take_lit(&in, FF_LIT(": ")) || !ff_take_until(&in, ':', &name))
        return;
    smi_gpu gpu = { .offset = s->gpu.offset };
    gpu.at[SMI_PCI] = s->gpu.at[SMI_PCI];
    s->gpu = gpu;
    s->mode = SMI_NVLINK;
    s->n_sure++;
}

bool smi_nvlink_line(smi *s, ff_bytes line)
{
    ff_bytes in = ff_trim(line), name, value;
    uint64_t link = 0;
    double number = 0;
    if (s->mode != SMI_NVLINK || !(ff_take_lit(&in, FF_LIT("Link ")) || ff_take_lit(&in, FF_LIT("Links "))))
        return false;
    if (!ff_take_uint(&in, &link) || !ff_take_until(&in, ':', &value))
        return (bool)ff_contains(in, FF_LIT("P2P is supported"));
    value = ff_trim(in);
    bool inactive = ff_contains(value, FF_LIT("inactive"));
    if (inactive || ff_ends(value, FF_LIT("GB/s"))) {
        s->links++;
        s->active += !inactive;
        if (inactive && s->gpu.weight < 10) {
            s->gpu.weight = 10;
            s->gpu.offset = s->offset;
        }
        return true;
    }
    if (ff_take_until(&value, ':', &name) && smi_number(ff_trim(value), &number) && number > 0) {
        count_errors(s, name, number);
        if (s->gpu.weight < 10 && (s->replays + s->recoveries + s->crcs + s->errors) > 0) {
            s->gpu.weight = 10;
            s->gpu.offset = s->offset;
        }
    }
    return true;
}
