/* All stamps of a bundle -> UTC with an error bound, in the order in which one thing needs another: boots, then years
 * (a boot that is tied to UTC dates the lines that also carry boot time), then zones, then everything that is linked.
 */
#include "clock_private.h"

static void put_utc(ff_times *t)
{
    uint32_t utc = ff_dial_add(t, FF_STAMP_UTC, (ff_bytes){ 0 }, (ff_bytes){ 0 }, FF_NONE);
    for (uint32_t i = 0; i < t->tracks.n; i++)
        if (t->tracks.at[i].kind == FF_STAMP_UTC)
            t->tracks.at[i].clock = utc;
}

ff_clocks ff_clocks_resolve(ff_evidence *evidence, ff_arena *arena)
{
    ff_times t = { .evidence = evidence, .arena = arena };
    ff_arena_init(&t.scratch);
    ff_moments_gather(&t);
    put_utc(&t);
    ff_boots_join(&t);
    ff_years_find(&t);
    ff_zones_find(&t);
    ff_walls_join(&t);
    ff_twins_link(&t, FF_STAMP_LOCAL);
    ff_twins_link(&t, FF_STAMP_NO_YEAR);
    ff_readings_link(&t);
    ff_zones_share(&t);
    ff_dials_tie(&t);
    if (ff_same_events_link(&t)) {
        ff_zones_share(&t);
        ff_dials_tie(&t);
    }
    ff_clocks clocks = ff_times_fill(&t);
    ff_free(t.tracks.at);
    ff_free(t.dials.at);
    ff_free(t.links.at);
    ff_arena_done(&t.scratch);
    return clocks;
}
