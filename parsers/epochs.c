/* Kernel records that name the time of day in their text, so that they carry two times.
 *     audit: type=1701 audit(1767225600.123:456): auid=1000 uid=1000 ... sig=11 res=1
 *     mce: [Hardware Error]: PROCESSOR 0:806f8 TIME 1767225600 SOCKET 0 APIC 0 microcode 2b000603
 * Formats: kernel kernel/audit.c, arch/x86/kernel/cpu/mce/core.c. What is said in the first minute of a boot is left
 * out: until then the wall clock is that of the mainboard. */
#include "lines.h"

#define SETTLED (INT64_C(60) * 1000000000)
#define FIRST_EPOCH 1000000000 /* 2001: a smaller number is no date */
#define LAST_EPOCH INT64_C(4102444800)

static bool take_epoch(ff_bytes in, ff_stamp *out)
{
    uint64_t seconds = 0;
    int64_t part = 0, grain = 1000000000;
    if (!ff_take_uint(&in, &seconds) || seconds < FIRST_EPOCH || seconds > (uint64_t)LAST_EPOCH)
        return false;
    ff_take_fraction(&in, &part, &grain);
    *out = (ff_stamp){ .kind = FF_STAMP_UTC, .ns = (int64_t)seconds * 1000000000 + part, .grain_ns = grain };
    return true;
}

static bool epoch_behind(ff_bytes text, ff_bytes mark, ff_stamp *out)
{
    return ff_take_past(&text, mark) && take_epoch(text, out);
}

void ff_see_epoch(ff_event *ev)
{
    ff_stamp stamp;
    if (ev->said.kind != FF_STAMP_SINCE_BOOT || ev->also.kind != FF_STAMP_NONE || ev->said.ns < SETTLED)
        return;
    if (ff_starts_str(ev->text, "audit: type=") ? epoch_behind(ev->text, FF_LIT(" audit("), &stamp)
                                                : ff_starts_str(ev->text, "mce: [Hardware Error]: PROCESSOR") &&
                                                      epoch_behind(ev->text, FF_LIT(" TIME "), &stamp))
        ev->also = stamp;
}

/* Never opens: its needles have such records looked at wherever they stand, and a few are kept for the clocks. What
 * comes in floods (AppArmor, type 1400) is left to the samples. */
static bool epochs_opens(const ff_event *ev)
{
    (void)ev;
    return false;
}

static void epochs_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    (void)lines, (void)n, (void)cut, (void)out;
}

static const char *const epochs_needles[] = { "audit: type=1701 ", "audit: type=1326 ", "[Hardware Error]: PROCESSOR",
                                              NULL };

const ff_block ff_block_epochs = { .name = "epochs",
                                   .streams = FF_STREAM_KERNEL,
                                   .needles = epochs_needles,
                                   .opens = epochs_opens,
                                   .read = epochs_read };
