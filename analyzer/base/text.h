/* One growing, capped buffer for everything we print. */
#ifndef FF_TEXT_H
#define FF_TEXT_H

#include "arena.h"

typedef struct ff_text {
    char *p; /* owned, NUL terminated once something was added */
    size_t n, cap;
    size_t limit;   /* bytes; what would pass it is dropped and `cut` is set. 0 = no limit */
    bool cut;
} ff_text;

void ff_text_init(ff_text *t, size_t limit);
void ff_text_done(ff_text *t);
void ff_text_add(ff_text *t, ff_bytes b);
void ff_text_adds(ff_text *t, const char *s);
void ff_text_addc(ff_text *t, char c);
void ff_text_fill(ff_text *t, char c, size_t n); /* n times c */
void ff_text_add_int(ff_text *t, int64_t value);
void ff_text_addf(ff_text *t, const char *format, ...) FF_PRINTF(2, 3);
ff_bytes ff_text_view(const ff_text *t); /* lives until the next add */

/* Adds b as valid UTF-8 without control bytes: invalid bytes and C0/C1/DEL become U+FFFD, and so do the bidi and
 * zero-width marks that could make a line read as another. Tab is kept. For every writer that shows log text. */
void ff_text_add_clean(ff_text *t, ff_bytes b);
/* 6144 MiB style sizes: "640 GiB", "1.5 GiB", "64 MiB", "12 KiB"; at most two decimals, trailing zeros dropped. */
void ff_text_add_kib(ff_text *t, uint64_t kib);
/* RFC 3339 UTC with nine digits: 2026-03-11T06:41:32.000000000Z. ns since the epoch. */
void ff_text_add_utc(ff_text *t, int64_t ns);
/* "1.2 s", "3 min 20 s", "2 h 5 min": for people. */
void ff_text_add_span(ff_text *t, int64_t ns);

/* Days since 1970-01-01 of a proleptic Gregorian date, and back. month 1..12, day 1..31. */
int64_t ff_days_from_date(int64_t year, unsigned month, unsigned day);
void ff_date_from_days(int64_t days, int64_t *year, unsigned *month, unsigned *day);

#endif
