/* The lines that journalctl puts between boots: "-- Boot 0f1e2d3c4b5a69788796a5b4c3d2e1f0 --", before systemd 250
 * just "-- Reboot --". What stands below is of that boot, up to the next such line, whatever the order of the log. */
#include "clock_private.h"

#include "../base/sorted.h"

#include <stdlib.h>

typedef struct boot_marker {
    uint32_t member, line;
    ff_bytes boot; /* empty: "-- Reboot --" */
} boot_marker;

typedef FF_VEC(boot_marker) boot_markers;

static int by_marker_line(const void *a, const void *b)
{
    const boot_marker *x = a, *y = b;
    if (x->member != y->member)
        return x->member < y->member ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static bool take_marker(ff_bytes line, ff_bytes *boot)
{
    *boot = (ff_bytes){ 0 };
    if (ff_starts(line, FF_LIT("-- Reboot --")))
        return true;
    return ff_take_lit(&line, FF_LIT("-- Boot ")) && ff_take_word(&line, boot) && boot->n == 32;
}

static boot_markers list_markers(const ff_times *t)
{
    boot_markers all = { 0 };
    const ff_evidence *e = t->evidence;
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const ff_signal *s = &e->signals[i];
        boot_marker m = { .member = s->at.member, .line = s->at.line };
        if (take_marker(s->quote, &m.boot))
            FF_PUSH(&all, m);
    }
    if (all.n > 1)
        qsort(all.at, all.n, sizeof *all.at, by_marker_line);
    return all;
}

void ff_markers_see(ff_times *t)
{
    boot_markers all = list_markers(t);
    for (uint32_t i = 0; i < t->n_moments && all.n; i++) {
        ff_moment *m = &t->moments[i];
        if (m->kind != FF_STAMP_SINCE_BOOT)
            continue;
        boot_marker here = { .member = m->member, .line = m->line };
        uint32_t above = ff_sorted_slot(&here, all.at, all.n, sizeof here, by_marker_line);
        if (above == 0 || all.at[above - 1].member != m->member)
            continue;
        m->stretch = above;
        m->boot = ff_is_empty(m->boot) ? all.at[above - 1].boot : m->boot;
    }
    ff_free(all.at);
}
