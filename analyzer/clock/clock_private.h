/* What the files of this stage share: every time of the bundle as a moment, moments of one speaker as a track, and
 * the clocks that tracks are put on. The order of work is ff_clocks_resolve, in clock.c. */
#ifndef FF_CLOCK_PRIVATE_H
#define FF_CLOCK_PRIVATE_H

#include "clock.h"

#define FF_SECOND INT64_C(1000000000)
#define FF_MINUTE (60 * FF_SECOND)
#define FF_DAY (86400 * FF_SECOND)

typedef enum ff_part { FF_PART_SAID, FF_PART_ALSO, FF_PART_LAST } ff_part; /* LAST: last_said of a folded signal */

typedef struct ff_moment { /* one time that one record says */
    ff_stamp_kind kind;
    ff_part part;
    int64_t ns, grain; /* as said, within sane bounds */
    ff_bytes host, boot;
    uint64_t offset;
    uint32_t member, line;
    uint32_t signal; /* FF_NONE: from a sample */
    uint32_t record; /* times of one record share it */
    uint32_t twin;   /* the other time of the same record, or FF_NONE */
    uint32_t track;
    bool collected;   /* when the machine was looked at, not when the lines beside it were written */
    uint32_t stretch; /* of its member, between two lines that say that another boot begins */
    int32_t wraps;    /* NO_YEAR: New Years since the first line of the track */
} ff_moment;

typedef enum ff_track_class {
    FF_TRACK_HOST,  /* written on the host, in the zone of the host */
    FF_TRACK_JOB,   /* written in a container, or by the job where there are containers: may live in another zone */
    FF_TRACK_KERNEL /* dmesg -T: local time reckoned from the boot, seconds off after days */
} ff_track_class;

typedef enum ff_tie {
    FF_TIE_NONE,
    FF_TIE_TWICE,
    FF_TIE_NEAR
} ff_tie; /* both times in a record; UTC lines beside it */

typedef struct ff_track { /* times of one kind, of one host and boot, in one member */
    ff_stamp_kind kind;
    ff_track_class class;
    ff_bytes host, boot;
    uint32_t member;
    uint32_t first, n; /* moments, in line order */
    bool last_boot;    /* SINCE_BOOT: no later boot follows in this member */
    bool leap_day;     /* NO_YEAR: holds a February 29 */
    int32_t year;      /* NO_YEAR: of the first line; 0 = not known */
    int32_t season;    /* NO_YEAR without a year: 1972, or 1973 where the track lies behind a New Year */
    const char *year_why;
    ff_tie tie; /* UTC = wall + to_utc, within err */
    int64_t to_utc, err;
    uint32_t n_anchors;
    uint32_t clock; /* index into clocks, FF_NONE until given */
} ff_track;

typedef struct ff_dial { /* a clock while it is being resolved; dial 0 is UTC */
    ff_clock is;
    ff_track_class class;
    bool dated;    /* not a NO_YEAR clock without a year */
    bool disputed; /* logs of its host name different zones */
    bool has_utc_link;
    int64_t base_year; /* NO_YEAR: year that said.ns of 0 stands for */
    const char *year_why;
    /* tying: */
    uint32_t frame;
    int64_t offset, err; /* instant in its frame = wall + offset, within err */
} ff_dial;

#define FF_DIAL_UTC 0u
#define FF_FRAME_UTC 1u
#define FF_KERNEL_DRIFT (2 * FF_SECOND) /* of dmesg -T against the wall clock, when nothing measures it */

typedef struct ff_link { /* instant on b = instant on a + delta, within err */
    uint32_t a, b, n;
    int64_t delta, err;
    ff_bytes why;
} ff_link;

typedef struct ff_times {
    ff_evidence *evidence;
    ff_arena *arena;  /* of the results */
    ff_arena scratch; /* of this stage */
    ff_moment *moments;
    uint32_t n_moments;
    FF_VEC(ff_track) tracks;
    FF_VEC(ff_dial) dials;
    FF_VEC(ff_link) links;
    uint32_t unused;                 /* 1: no record says UTC, so dial 0 does not become a clock */
    bool containers;                 /* the bundle knows containers */
    ff_bytes upper_host, lower_host; /* the last host name that was put into lower case */
} ff_times;

/* moments.c: all moments, sorted by member, kind, host, boot and line, cut into tracks. */
void ff_moments_gather(ff_times *t);
/* markers.c: boot times below a line that names their boot get its id, and a stretch of their own. */
void ff_markers_see(ff_times *t);
/* Wall time of a moment: ns as if UTC, with the year of its track; for SINCE_BOOT and UTC just ns. */
int64_t ff_moment_wall(const ff_times *t, const ff_moment *m);
int64_t ff_moment_middle(const ff_times *t, const ff_moment *m); /* of its grain */
/* Lowest and highest wall time of a track. */
void ff_track_range(const ff_times *t, const ff_track *track, int64_t *low, int64_t *high);

/* boots.c: puts SINCE_BOOT tracks on dials, one a boot as far as the evidence shows; ties them to UTC where records
 * carry both. */
void ff_boots_join(ff_times *t);
/* years.c: fills year of NO_YEAR tracks. */
void ff_years_find(ff_times *t);
/* zones.c: what each LOCAL or NO_YEAR track says about its distance to UTC. */
void ff_zones_find(ff_times *t);
/* walls.c: puts LOCAL and NO_YEAR tracks on dials, those of a host together as long as their zones do not differ. */
void ff_walls_join(ff_times *t);
/* Dials of a host (or of one member) whose zone is known elsewhere get it; where no zone is known, they are tied to
 * each other. */
void ff_zones_share(ff_times *t);
/* readings.c: links the boot of a host to UTC by its uptime and its date. */
void ff_readings_link(ff_times *t);
/* same.c: links dials that are not tied to UTC to others that saw the same events. True: there is a new link. */
bool ff_same_events_link(ff_times *t);
typedef struct ff_twin { /* one event, or one record, on two dials */
    uint32_t a, b;
    int64_t delta, err; /* what the one shows when the other shows nothing, within err */
} ff_twin;
typedef FF_VEC(ff_twin) ff_twins;
/* ties.c: a link for each pair of dials, by the median of its twins; twins that agree less well than `widest` are
 * chance. Frees the list. */
void ff_twins_tie(ff_times *t, ff_twins *all, int64_t widest, ff_bytes (*why)(ff_times *t, uint32_t n));
/* ties.c: a link for each pair of a boot and a clock of that kind that have records in common. */
void ff_twins_link(ff_times *t, ff_stamp_kind kind);
/* Follows all links: gives every dial its frame, offset and error. May be called again when links were added. */
void ff_dials_tie(ff_times *t);
/* fill.c: writes clocks, signals and members, sorts the signals. */
ff_clocks ff_times_fill(ff_times *t);

/* Small things they share, in spread.c. */
typedef FF_VEC(int64_t) ff_numbers;
void ff_numbers_sort(int64_t *v, uint32_t n);
/* Median, and the distance from it that nine of ten keep. n > 0; sorts v. */
void ff_spread(int64_t *v, uint32_t n, int64_t *median, int64_t *spread);
int64_t ff_add_capped(int64_t a, int64_t b);
int64_t ff_distance(int64_t a, int64_t b); /* |a - b|, capped */
/* Zones are given as what is added to their wall time to get UTC. Nearest zone of the world, and how far it is; false
 * when that is more than 10 minutes. */
bool ff_zone_near(int64_t to_utc, int64_t *zone, int64_t *rest);
/* How many zones of the world lie within the bounds; zone: the one nearest to UTC. */
unsigned ff_zones_between(int64_t low, int64_t high, int64_t *zone);
/* crashes.c: boot clocks without any link, by the same process's end. */
void ff_crashes_link(ff_times *t);
uint32_t ff_dial_add(ff_times *t, ff_stamp_kind kind, ff_bytes host, ff_bytes boot, uint32_t member);
void ff_link_add(ff_times *t, uint32_t a, uint32_t b, int64_t delta, int64_t err, uint32_t n, ff_bytes why);

#endif
