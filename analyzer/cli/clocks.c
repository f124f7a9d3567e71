/* Every clock of a bundle, and how its stamps become UTC, in the words in which people think of it: a zone, a year,
 * the moment of a boot. */
#include "cli.h"

#include <inttypes.h>

#include "../clock/clock.h"

#define SECOND INT64_C(1000000000)
#define HOUR (3600 * SECOND)
#define DAY (24 * HOUR)
#define QUARTER (HOUR / 4) /* all zones of the world are whole quarters of an hour */
#define ODD (120 * SECOND) /* a clock that is further off than that from any zone is not told by one */
#define EAST (14 * HOUR)
#define WEST (-12 * HOUR)

static const char *kind_name(ff_stamp_kind kind)
{
    static const char *const names[] = { "none", "UTC", "since boot", "local", "no year" };
    return (size_t)kind < FF_COUNT(names) ? names[kind] : "none";
}

/* How far the clock's time is ahead of UTC, as the nearest zone and what is left; false: no zone is near. */
static bool split_zone(int64_t ahead, int64_t *zone, int64_t *left)
{
    int64_t half = ahead < 0 ? -QUARTER / 2 : QUARTER / 2;
    *zone = (ahead + half) / QUARTER * QUARTER;
    *left = ahead - *zone;
    bool near = ahead - *zone < ODD && *zone - ahead < ODD;
    return near && *zone >= WEST && *zone <= EAST;
}

/* A year begins where its log's time of January 1 is in UTC, but for the zone, and but for the day by which the dates
 * of a year that is no leap year stand apart from those of a leap year behind February. */
static bool split_year(int64_t offset, int64_t *year, int64_t *zone, int64_t *left)
{
    unsigned month, day;
    ff_date_from_days((offset + 2 * DAY) / DAY, year, &month, &day);
    int64_t ahead = ff_days_from_date(*year, 1, 1) * DAY - offset;
    bool plain = split_zone(ahead, zone, left), behind = ahead > DAY + WEST && split_zone(ahead - DAY, zone, left);
    if (plain && behind) /* 12 to 14 hours east, or 10 to 12 west a day on: not told apart */
        return false;
    return plain ? split_zone(ahead, zone, left) : behind;
}

/* What is left of a zone is said where it is more than the clock's own error. */
static void add_zone(ff_text *cell, int64_t zone, int64_t left, int64_t err)
{
    int64_t off = left < 0 ? -left : left;
    int64_t minutes = (zone < 0 ? -zone : zone) / (60 * SECOND);
    ff_text_addf(cell, "zone %c%02" PRId64 ":%02" PRId64, zone < 0 ? '-' : '+', minutes / 60, minutes % 60);
    if (off > err && off > SECOND / 1000)
        ff_text_addf(cell, ", %.3f s %s", (double)off / 1e9, left < 0 ? "slow" : "fast");
}

static void add_way_to_utc(ff_text *cell, const ff_clock *c)
{
    int64_t year, zone, left;
    if (!c->anchored) {
        ff_text_adds(cell, "not known");
    } else if (c->kind == FF_STAMP_SINCE_BOOT) {
        ff_text_adds(cell, "booted ");
        ff_text_add_utc(cell, c->offset_ns);
        cell->n -= 7; /* of nine digits to the millisecond */
        ff_text_adds(cell, "Z");
    } else if (c->kind == FF_STAMP_NO_YEAR && split_year(c->offset_ns, &year, &zone, &left)) {
        ff_text_addf(cell, "year %" PRId64 ", ", year);
        add_zone(cell, zone, left, c->err_ns);
    } else if (c->kind == FF_STAMP_UTC && c->offset_ns == 0) {
        ff_text_adds(cell, "as it says");
    } else if (c->kind == FF_STAMP_UTC) {
        ff_text_add_span(cell, c->offset_ns < 0 ? -c->offset_ns : c->offset_ns);
        ff_text_adds(cell, c->offset_ns < 0 ? " fast" : " slow");
    } else if (c->kind != FF_STAMP_NO_YEAR && split_zone(-c->offset_ns, &zone, &left)) {
        add_zone(cell, zone, left, c->err_ns);
    } else {
        ff_text_addf(cell, "%+.3f s", (double)c->offset_ns / 1e9);
    }
}

static void add_clock(ff_text *out, const ff_run *run, const ff_clock *c)
{
    ff_text cell;
    ff_text_init(&cell, 0);
    cli_add_cell(out, c->host.n ? c->host : FF_LIT("-"), 20);
    cli_add_cell(out, ff_first_n(c->boot.n ? c->boot : FF_LIT("-"), 8), 8);
    cli_add_cell(out, ff_str(kind_name(c->kind)), 10);
    add_way_to_utc(&cell, c);
    cli_add_cell(out, ff_text_view(&cell), 31);
    cell.n = 0;
    ff_text_adds(&cell, c->anchored ? "" : "-");
    if (c->anchored)
        ff_text_add_span(&cell, c->err_ns);
    cli_add_cell(out, ff_text_view(&cell), 12);
    ff_text_done(&cell);
    ff_text_add_clean(out, c->why);
    if (c->member < run->evidence.n_members) {
        ff_text_adds(out, " (only ");
        ff_text_add_clean(out, run->evidence.members[c->member].name);
        ff_text_addc(out, ')');
    }
    ff_text_addc(out, '\n');
}

static void add_seconds(ff_text *cell, int64_t ns) { ff_text_addf(cell, "%+.3f s", (double)ns / 1e9); }

/* What hosts that met say of each other's clocks, also of those that agree. */
static void add_pair(ff_text *out, const ff_run *run, const ff_clock_pair *p)
{
    const ff_record *at[] = { &p->left, &p->right };
    ff_text cell;
    cli_add_cell(out, p->b, 20);
    cli_add_cell(out, p->a.n ? p->a : FF_LIT("true time"), 20);
    ff_text_init(&cell, 0);
    add_seconds(&cell, p->low_ns);
    cli_add_cell(out, ff_text_view(&cell), 16);
    cell.n = 0;
    add_seconds(&cell, p->high_ns);
    cli_add_cell(out, ff_text_view(&cell), 16);
    ff_text_done(&cell);
    ff_text_addf(out, "%5" PRIu32 " ", p->n);
    for (size_t i = p->a.n ? 0 : 1; i < FF_COUNT(at); i++) {
        ff_text_addc(out, ' ');
        ff_text_add_clean(out, run->evidence.members[at[i]->member].name);
        ff_text_addf(out, ":%" PRIu32, at[i]->line);
    }
    ff_text_addc(out, '\n');
}

static void add_pairs(ff_text *out, const ff_run *run)
{
    static const struct {
        const char *title;
        size_t width;
    } columns[] = { { "CLOCK OF", 20 }, { "AGAINST", 20 }, { "AT LEAST", 16 }, { "AT MOST", 16 } };
    if (!run->clocks.n_pairs)
        return;
    ff_text_addc(out, '\n');
    for (size_t i = 0; i < FF_COUNT(columns); i++)
        cli_add_cell(out, ff_str(columns[i].title), columns[i].width);
    ff_text_adds(out, "  MET  LINES\n");
    for (uint32_t i = 0; i < run->clocks.n_pairs; i++)
        add_pair(out, run, &run->clocks.pairs[i]);
}

static cli_exit tell_clocks(const cli_settings *s, const ff_run *run)
{
    static const struct {
        const char *title;
        size_t width;
    } columns[] = { { "HOST", 20 }, { "BOOT", 8 }, { "SAYS", 10 }, { "TO UTC", 31 }, { "ERROR", 12 } };
    ff_text out;
    (void)s;
    ff_text_init(&out, 0);
    for (size_t i = 0; i < FF_COUNT(columns); i++)
        cli_add_cell(&out, ff_str(columns[i].title), columns[i].width);
    ff_text_adds(&out, "WHY\n");
    for (uint32_t i = 0; i < run->clocks.n; i++)
        add_clock(&out, run, &run->clocks.at[i]);
    if (!run->clocks.n)
        ff_text_adds(&out, "no time stamps were found\n");
    add_pairs(&out, run);
    bool good = cli_say(&out);
    ff_text_done(&out);
    return good ? CLI_OK : CLI_FAILED;
}

cli_exit cli_clocks(const cli_settings *s) { return cli_tell_read(s, tell_clocks); }
