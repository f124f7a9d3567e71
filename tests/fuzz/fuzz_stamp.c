/* Every shape of time; a taker that says no must not have moved. */
#include "fuzz.h"

#include "../../analyzer/clock/clock.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool (*const takers[])(ff_bytes *, ff_stamp *) = { ff_take_rfc3339,     ff_take_ctime,
                                                              ff_take_syslog_time, ff_take_klog_time,
                                                              ff_take_torch_time,  ff_take_epoch };
    for (size_t i = 0; i < FF_COUNT(takers); i++) {
        ff_bytes in = { (const char *)data, size }, was = in;
        ff_stamp out = { 0 };
        if (!takers[i](&in, &out) && (in.p != was.p || in.n != was.n))
            __builtin_trap();
    }
    return 0;
}
