/* What the line formats share; only files of this folder include it.
 *
 * A frame is one function that serves as parser and as coat: it reads the front of ev->text, and on true ev->text is
 * what stood behind the frame. On false nothing changed. */
#ifndef FF_LINES_H
#define FF_LINES_H

#include "parser.h"
#include "../analyzer/clock/clock.h"

/* Notes a time that a frame says. The outermost frame gives ev->said, so that all lines of a member lie on one clock;
 * an inner time of the same clock with a finer grain replaces it, any other becomes ev->also (an anchor). */
void ff_see_time(ff_event *ev, ff_stamp stamp);
/* Time since boot of a kernel record: it orders, whatever the frame around it said becomes ev->also. */
void ff_see_boot_time(ff_event *ev, int64_t ns, int64_t grain_ns);

/* The time of day that the text of some kernel records names becomes ev->also (epochs.c). */
void ff_see_epoch(ff_event *ev);

/* The event is known to belong to one of these streams. */
void ff_see_stream(ff_event *ev, uint32_t streams);
/* A program name from a syslog or journal frame: ident, unit, and the stream where the name tells it. A program that
 * is not the kernel is never taken for it. */
void ff_see_program(ff_event *ev, ff_bytes ident);
void ff_see_pid(ff_event *ev, uint64_t pid);   /* ignored unless it fits a Linux pid */
void ff_see_host(ff_event *ev, ff_bytes host); /* the first one counts; not inside a container's log */

/* Is the front of text something that a coat or a reader knows? For labels that prove nothing by themselves. */
bool ff_is_known_text(ff_bytes text, ff_arena *scratch);
/* Counts the first 32 non-empty lines of head and those that fit. */
void ff_count_lines(ff_bytes head, bool (*fits)(ff_bytes line), unsigned *lines, unsigned *fitting);
/* A date without a year (counted from 1972, see ff_stamp_kind) and the time of that day. False: no such day. */
bool ff_make_no_year(int64_t month, int64_t day, int64_t ns_of_day, int64_t grain_ns, ff_stamp *out);
bool ff_take_blank_or_end(ff_bytes *in); /* one blank, or nothing is left */
/* The next word of a row, past the blanks in front of it. */
static inline bool ff_take_cell(ff_bytes *in, ff_bytes *cell)
{
    (void)ff_take_spaces(in);
    return ff_take_word(in, cell);
}
bool ff_take_level(ff_bytes *in, ff_bytes *out); /* INFO, WARNING, ... upper case */
static inline bool ff_starts_str(ff_bytes b, const char *prefix)
{
    return (!prefix[0] || (b.n && b.p[0] == prefix[0])) && ff_starts(b, ff_str(prefix));
}
bool ff_is_one_of(ff_bytes word, const char *const *list);       /* NULL-terminated */
bool ff_take_digits_of(ff_bytes *in, size_t max, uint64_t *out); /* 1 to max decimal digits, no more following */

/* ---- frames that several files use; each in the file of its format ---- */
bool ff_take_dmesg(ff_event *ev);             /* kmsg.c */
bool ff_take_mono_host(ff_event *ev);         /* syslog.c: journalctl -o short-monotonic */
bool ff_take_syslog(ff_event *ev, bool sure); /* syslog.c; sure: only what a single line proves */
/* "last message repeated 5 times", all of a text: the record in front of it came so often again. */
bool ff_is_repeat(ff_bytes text, uint64_t *times);
bool ff_take_logfmt(ff_event *ev); /* logfmt.c */

/* ---- one-line JSON objects (json_line.c) ---- */
/* Takes the next "key": value of a flat object and moves past it. in stands behind '{' or behind the value before.
 * value: raw text, strings with their quotes. False: the object ended or is broken. */
bool ff_take_json_pair(ff_bytes *in, ff_bytes *key, ff_bytes *value);
/* Text of a raw value: strings unescaped, arrays of numbers as bytes, of an array of strings the first, else as it
 * is. */
ff_bytes ff_json_plain(ff_arena *scratch, ff_bytes value);
bool ff_json_unescape(ff_arena *scratch, ff_bytes quoted, ff_bytes *out); /* "..." with \n \" \u00e9 \xNN */

#endif
