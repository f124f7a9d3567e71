/* Coats that any program may wear: colours, and a date and time in front of the text.
 *     2026-01-01T00:00:00.123Z text      2026-01-01 00:00:00,123 text      2026/01/01 00:00:00 text
 *     [2026-01-01 00:00:00] text         [2026-01-01 00:00:00 TP3] text    2026-01-01 00:00:00.123456: I file.cc:1]
 * text A time of day without a date is left where it is: there is no stamp for it. */
#include "lines.h"

#define MOST_TAGS 48 /* bytes behind the time inside the bracket: " DP0 TP3 EP0 PP0", " E 4242 4250" */

/* ESC [ ... letter, and the rest of the escape family in its two-byte form. */
static bool take_colours(ff_event *ev)
{
    if (!ev->scratch || ev->text.n == 0 || !memchr(ev->text.p, '\x1b', ev->text.n))
        return false;
    char *out = FF_NEW_N(ev->scratch, char, ev->text.n);
    size_t n = 0;
    for (size_t i = 0; i < ev->text.n; i++) {
        if (ev->text.p[i] != '\x1b') {
            out[n++] = ev->text.p[i];
            continue;
        }
        if (i + 1 < ev->text.n && ev->text.p[i + 1] == '[') {
            i += 2;
            while (i < ev->text.n && (unsigned char)ev->text.p[i] < 0x40)
                i++;
        }
    }
    ev->text = (ff_bytes){ out, n };
    return true;
}

static bool is_tag_text(ff_bytes tags)
{
    for (size_t i = 0; i < tags.n; i++) {
        char c = tags.p[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ' || c == '_'))
            return false;
    }
    return tags.n <= MOST_TAGS && (tags.n == 0 || tags.p[0] == ' ');
}

/* "[2026-01-01T00:00:00.123] text": no zone, a T and milliseconds are what Slurm's daemons write. */
static bool is_slurm_time(ff_bytes inside, ff_stamp stamp, ff_bytes rest)
{
    ff_bytes level;
    bool levelled = ff_take_char(&rest, '[') && ff_take_level(&rest, &level);
    return inside.n == 23 && inside.p[10] == 'T' && stamp.kind == FF_STAMP_LOCAL && stamp.grain_ns == 1000000 &&
           !levelled;
}

/* SGLang's " TP3" is the rank unless there is a pipeline (" PP0") as well. */
static void see_sglang_rank(ff_event *ev, ff_bytes tags)
{
    ff_bytes digits = tags;
    uint64_t rank = 0;
    if (ff_take_past(&digits, FF_LIT(" TP")) && !ff_contains(tags, FF_LIT(" PP")) &&
        ff_take_digits_of(&digits, 6, &rank) && (digits.n == 0 || digits.p[0] == ' '))
        ev->who.rank = (int32_t)rank;
}

static bool take_bracketed(ff_event *ev)
{
    ff_bytes rest = ev->text, inside, tags;
    ff_stamp stamp;
    ff_take_char(&rest, ' '); /* Megatron */
    if (!ff_take_char(&rest, '[') || !ff_take_until(&rest, ']', &inside) || inside.n > 100)
        return false;
    tags = inside;
    if (!ff_take_rfc3339(&tags, &stamp) || !is_tag_text(tags) || !ff_take_blank_or_end(&rest))
        return false;
    ff_see_time(ev, stamp);
    see_sglang_rank(ev, tags);
    if ((ev->stream & FF_STREAM_SLURM) && is_slurm_time(inside, stamp, rest))
        ff_see_stream(ev, FF_STREAM_SLURM);
    ev->text = rest;
    return true;
}

static bool take_stamp(ff_event *ev)
{
    ff_bytes rest = ev->text;
    ff_stamp stamp;
    if (take_bracketed(ev))
        return true;
    if (!ff_take_rfc3339(&rest, &stamp))
        return false;
    ff_take_char(&rest, ':');
    if (!ff_take_blank_or_end(&rest))
        return false;
    ff_see_time(ev, stamp);
    ev->text = rest;
    return true;
}

static bool take_time_of_day(ff_event *ev)
{
    ff_bytes rest = ev->text;
    int64_t ns = 0, grain = 0;
    bool bracket = ff_take_char(&rest, '[');
    if (!ff_take_clock_of_day(&rest, &ns, &grain) || (bracket && !ff_take_char(&rest, ']')) ||
        !ff_take_blank_or_end(&rest))
        return false;
    ev->text = rest;
    return true;
}

const ff_coat ff_coat_time_of_day = { .name = "time_of_day",
                                      .begins = FF_FIRST_SQUARE | FF_FIRST_DIGIT,
                                      .take = take_time_of_day };
const ff_coat ff_coat_colours = { .name = "colours", .begins = FF_FIRST_ESCAPED, .take = take_colours };
const ff_coat ff_coat_stamp = { .name = "stamp",
                                .begins = FF_FIRST_SQUARE | FF_FIRST_DIGIT | FF_FIRST_BLANK,
                                .take = take_stamp };
