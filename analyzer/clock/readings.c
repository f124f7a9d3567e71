/* /proc/uptime and date of one machine, which a collector asked one after the other: together they say when the boot
 * clock was 0. */
#include "clock_private.h"

#define APART (5 * FF_MINUTE) /* between two commands of one collection, whichever came first */
#define MOST_READINGS 4096u

typedef struct reading {
    uint32_t moment;
    ff_bytes host;
} reading;

typedef FF_VEC(reading) readings;

static ff_bytes host_of(const ff_times *t, const ff_moment *m)
{
    return ff_is_empty(m->host) ? t->evidence->members[m->member].who.host : m->host;
}

/* Documents that a command printed, with one time only, or with the local time and UTC. */
static void list_readings(const ff_times *t, readings *up, readings *dates)
{
    for (uint32_t i = 0; i < t->n_moments; i++) {
        const ff_moment *m = &t->moments[i];
        const ff_member *member = &t->evidence->members[m->member];
        bool collected = m->collected || (member->collected && member->document);
        if (m->signal != FF_NONE || !collected || ff_is_empty(member->who.host))
            continue;
        if (m->kind == FF_STAMP_SINCE_BOOT && m->twin == FF_NONE && up->n < MOST_READINGS)
            FF_PUSH(up, ((reading){ i, host_of(t, m) }));
        bool date = m->kind == FF_STAMP_UTC && m->twin != FF_NONE && t->moments[m->twin].kind == FF_STAMP_LOCAL;
        if (date && dates->n < MOST_READINGS)
            FF_PUSH(dates, ((reading){ i, member->who.host }));
    }
}

/* The one date of the host; FF_NONE where there is none, or two that are hours apart. */
static uint32_t date_of(const ff_times *t, const readings *dates, ff_bytes host)
{
    uint32_t found = FF_NONE;
    for (uint32_t i = 0; i < dates->n; i++) {
        if (!ff_equal(dates->at[i].host, host))
            continue;
        if (found != FF_NONE && ff_distance(t->moments[found].ns, t->moments[dates->at[i].moment].ns) > APART)
            return FF_NONE;
        found = found == FF_NONE ? dates->at[i].moment : found;
    }
    return found;
}

void ff_readings_link(ff_times *t)
{
    readings up = { 0 }, dates = { 0 };
    list_readings(t, &up, &dates);
    for (uint32_t i = 0; i < up.n; i++) {
        uint32_t date = date_of(t, &dates, t->evidence->members[t->moments[up.at[i].moment].member].who.host);
        if (date == FF_NONE)
            continue;
        const ff_moment *m = &t->moments[up.at[i].moment], *d = &t->moments[date];
        ff_link_add(t, t->tracks.at[m->track].clock, FF_DIAL_UTC,
                    ff_add_capped(ff_moment_middle(t, d), -ff_moment_middle(t, m)), APART, 1,
                    FF_LIT("uptime and date were asked within minutes of each other"));
    }
    ff_free(up.at);
    ff_free(dates.at);
}
