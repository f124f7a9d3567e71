/* Text -> stamp (stamp.c), and all stamps of a bundle -> UTC with an error bound (clock.c). */
#ifndef FF_CLOCK_H
#define FF_CLOCK_H

#include "../base/arena.h"
#include "../model.h"

/* Each takes one shape off the front of a line; false: unmoved. */
bool ff_take_rfc3339(
    ff_bytes *in,
    ff_stamp *out); /* 2026-01-01T00:00:00[.,f][Z|+00:00|+0000]; blank for T; / for -; no zone = LOCAL */
bool ff_take_ctime(ff_bytes *in, ff_stamp *out); /* Thu Jan  1 00:00:00 [UTC ]2026; other zone names do not fit */
bool ff_take_syslog_time(ff_bytes *in, ff_stamp *out); /* Jan  1 00:00:00[.f] */
bool ff_take_klog_time(ff_bytes *in, ff_stamp *out);   /* 0101 or 20260101, 00:00:00.123456; after the level letter */
bool ff_take_torch_time(ff_bytes *in, ff_stamp *out);  /* 129 03:04:05.714849575: month*100+day, grain 1 s */
bool ff_take_epoch(ff_bytes *in, ff_stamp *out);       /* 1767225600[.123456] */
bool ff_take_clock_of_day(ff_bytes *in, int64_t *ns, int64_t *grain_ns); /* 00:00:00[.f] */
bool ff_take_zone(ff_bytes *in, int64_t *offset_ns); /* Z, UTC, GMT, +00:00, +0000, -05; UTC = local - offset */
bool ff_take_month_name(ff_bytes *in, unsigned *month);
/* Midnight as if UTC. False: no such day, or outside of what int64 can hold. */
bool ff_make_midnight(int64_t year, int64_t month, int64_t day, int64_t *ns);

/* Wall clocks of two hosts are taken to agree this well, and no better: "before" across hosts needs more than this.
 */
#define FF_HOST_SKEW_NS INT64_C(50000000)

/* Resolves every clock of the evidence: groups stamps by host, boot and kind (or by member where the host is
 * unknown), finds anchors, fills clock, utc and utc_err of signals and members, then sorts signals into time order
 * and sets ref. Time order: those with UTC by UTC, then the others by frame and instant, then those without any time
 * by place. said.ns of NO_YEAR stamps is moved by whole years where the log runs over New Year, so that one clock
 * never falls. Member hosts must be assigned before. All in arena. */
ff_clocks ff_clocks_resolve(ff_evidence *evidence, ff_arena *arena);

/* Sorts the signals into time order again, and numbers them, after somebody has moved some. */
void ff_signals_sort(ff_evidence *evidence);

/* How a stands to b: exact on one clock, by error bounds across clocks, by line within one unstamped member. */
ff_order ff_signal_order(const ff_signal *a, const ff_signal *b);
/* The last of the lines that a folded signal stands for, as a signal of its own. */
ff_signal ff_signal_last(const ff_signal *s);
/* Least distance that the clocks allow, in ns; false: nothing can be said. */
bool ff_signal_gap(const ff_signal *a, const ff_signal *b, int64_t *ns);

#endif
