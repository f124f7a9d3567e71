/* What nvidia-smi says instead of its output. */
#include "smi.h"

static const char *const failures[] = {
    "No devices were found",
    "NVIDIA-SMI has failed because",
    "Failed to initialize NVML",
    "Unable to determine the device handle for",
    "GPU access blocked by the operating system",
    "GPU is lost.  Reboot the system to recover this GPU",
    "GPU is lost. Reboot the system to recover this GPU",
    "WARNING: infoROM is corrupted at gpu",
};

/* "... device handle for GPU0000:02:00.0: Unknown Error", "... for GPU 0000:3B:00.0: ...", "... GPU0: 0000:3B:00.0:
 * ..." */
static ff_bytes find_pci(ff_bytes line, ff_arena *arena)
{
    for (size_t i = 0; i + 7 < line.n; i++) {
        bool begins = line.p[i] == 'U' || line.p[i] == ' ';
        ff_bytes found = begins ? doc_pci(ff_skip_n(line, i + 1), arena) : (ff_bytes){ 0 };
        ff_bytes rest = ff_skip_n(line, i + 1), part;
        if (found.n && ff_take_until(&rest, '.', &part) && part.n >= 7 && part.n <= 16)
            return found;
    }
    return (ff_bytes){ 0 };
}

void smi_failure_end(smi *s)
{
    if (!s->failure.n)
        return;
    ff_fields f = { .n = 0 };
    ff_who who = FF_WHO_NOBODY;
    if (s->out)
        who.gpu = find_pci(s->failure, s->out->scratch);
    ff_fields_text(&f, "gpu", FF_FIELD_PCI, who.gpu);
    ff_fields_text(&f, "failure", FF_FIELD_TEXT, ff_first_n(s->failure, 300));
    ff_fields_text(&f, "library", FF_FIELD_TEXT, s->library);
    smi_fact(s, FF_FACT_GPU_STATE, s->failure_offset, s->said, &f, &who);
    s->failure = s->library = (ff_bytes){ 0 };
}

static void pass_on(smi *s, ff_bytes line)
{
    /* The words are also what signatures look for, and in a log they would be a plain line. */
    ff_bytes whole;
    uint64_t begin = 0;
    ff_event ev = { .stream = FF_STREAM_GPU, .text = line, .who = FF_WHO_NOBODY };
    if (!s->out)
        return;
    ev.scratch = s->out->scratch;
    uint32_t number = doc_line_at(&s->lines, s->offset, &whole, &begin);
    s->out->event(s->out->owner, &ev, number, begin, whole);
}

bool smi_failure_line(smi *s, ff_bytes line)
{
    ff_bytes in = ff_trim(line);
    if (s->failure.n && ff_take_lit(&in, FF_LIT("NVML library version:"))) {
        s->library = ff_trim(in);
        smi_failure_end(s);
        return true;
    }
    if (s->failure.n && ff_contains(line, FF_LIT("that the latest NVIDIA driver is installed and running")))
        return true;
    smi_failure_end(s);
    for (size_t i = 0; i < FF_COUNT(failures); i++) {
        /* In the middle of a line it is a log that quotes it; that line has a time of its own. */
        if (!ff_starts(in, ff_str(failures[i])) || line.n > 400)
            continue;
        s->failure = in;
        s->failure_offset = s->offset;
        s->n_sure++;
        pass_on(s, line);
        return true;
    }
    return false;
}
