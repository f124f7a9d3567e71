/* A text member as runs of whole records. What a buffer ends with in the middle of a record is put in front of the
 * next one; a line longer than FF_CAP_LINE counts with its first FF_CAP_LINE bytes, wherever the buffers happen to
 * end. */
#include "intake_private.h"

#include <string.h>

void ff_records_begin(ff_scan *s)
{
    s->first_run = true;
    s->carry_n = 0;
    s->passing = false;
    s->run = (ff_bytes){ NULL, 0 };
    s->run_offset = 0;
    s->counted = 0;
    s->line = 1;
    s->frame = (ff_frame){ 0 };
    ff_dress_forget(&s->dress);
    s->ahead = (ff_ahead){ 0 };
    s->dated = (ff_dated){ 0 };
    s->next_sample = 0;
    s->next_note = 0;
    s->sample_step = FF_SAMPLE_BYTES;
    s->n_before = 0;
    s->n_last = 0;
    s->result->member.lines = 0;
}

uint32_t ff_line_of(ff_scan *s, size_t at)
{
    uint64_t line;
    if (at >= s->counted) {
        s->line += ff_count_newlines(s->run.p + s->counted, at - s->counted);
        s->counted = at;
        line = s->line;
    } else {
        line = s->line - ff_count_newlines(s->run.p + at, s->counted - at);
    }
    return line < UINT32_MAX ? (uint32_t)line : UINT32_MAX;
}

void ff_line_passed(ff_scan *s, const ff_place *at)
{
    if (s->counted != at->from || s->parser->record || at->next <= at->from)
        return;
    s->line += s->run.p[at->next - 1] == '\n';
    s->counted = at->next;
}

static ff_bytes line_around(ff_bytes run, size_t at)
{
    size_t from = ff_line_start(run, at);
    const char *end = memchr(run.p + at, '\n', run.n - at);
    size_t to = end ? (size_t)(end - run.p) : run.n;
    return (ff_bytes){ run.p + from, to - from };
}

static ff_place place_of(ff_scan *s, ff_bytes record)
{
    ff_place at = { .from = (size_t)(record.p - s->run.p) };
    at.to = at.next = at.from + record.n;
    if (at.next < s->run.n && s->run.p[at.next] == '\n')
        at.next++;
    if (!s->parser->record && at.to > at.from && s->run.p[at.to - 1] == '\r')
        at.to--;
    at.offset = s->run_offset + at.from;
    at.text = ff_first_n((ff_bytes){ record.p, at.to - at.from }, FF_CAP_LINE);
    return at;
}

/* The last known beginning of a record that is not behind `at`. */
static size_t mark_before(const ff_scan *s, size_t at)
{
    uint32_t low = 0, high = s->marks.n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (s->marks.at[mid] <= at)
            low = mid + 1;
        else
            high = mid;
    }
    return low ? s->marks.at[low - 1] : 0;
}

/* Records can only be told apart from a known beginning on. All that were found are kept, so each byte of the run is
 * looked at once, in whatever order they are asked for. */
static ff_bytes record_around(ff_scan *s, size_t at)
{
    for (size_t from = mark_before(s, at);;) {
        ff_bytes rest = ff_skip_n(s->run, from), record = s->parser->record(rest, 0);
        /* A record that does not begin here, or is empty, would send us in circles. */
        if (record.p != rest.p || record.n == 0 || record.n > rest.n)
            return line_around(s->run, at);
        from += record.n;
        if (from > at)
            return record;
        if (!s->marks.n || s->marks.at[s->marks.n - 1] < from)
            FF_PUSH(&s->marks, (uint32_t)from);
    }
}

ff_place ff_place_at(ff_scan *s, size_t at)
{
    return place_of(s, s->parser->record ? record_around(s, at) : line_around(s->run, at));
}

/* ---- long lines ---- */

/* Every line longer than the cap crosses one of the marks that lie half a cap apart. */
static void count_long_lines(ff_scan *s)
{
    if (s->parser->record)
        return;
    size_t last_from = SIZE_MAX;
    for (size_t mark = FF_CAP_LINE / 2; mark < s->run.n; mark += FF_CAP_LINE / 2) {
        ff_bytes line = line_around(s->run, mark);
        size_t from = (size_t)(line.p - s->run.p);
        if (line.n > FF_CAP_LINE && from != last_from)
            ff_keep_skip(s, ff_line_of(s, from), "line too long");
        last_from = from;
    }
}

/* ---- context across runs ---- */

static void remember_lines(ff_scan *s)
{
    if (s->parser->record)
        return;
    ff_place lines[FF_CONTEXT_LINES];
    unsigned n = 0;
    for (size_t from = s->run.n; from > 0 && n < FF_CONTEXT_LINES; n++) {
        lines[n] = ff_place_at(s, from - 1);
        from = lines[n].from;
    }
    while (n-- > 0)
        ff_keep_before(s, lines[n].text, lines[n].offset);
}

static void give_run(ff_scan *s, const char *p, size_t n)
{
    if (n == 0)
        return;
    s->run = (ff_bytes){ p, n };
    s->counted = 0;
    s->marks.n = 0;
    count_long_lines(s);
    ff_look_run(s);
    (void)ff_line_of(s, n);
    remember_lines(s);
    ff_last_words_of_run(s);
    s->run_offset += n;
    s->run = (ff_bytes){ NULL, 0 };
    s->counted = 0;
    s->first_run = false;
}

/* ---- buffers to runs ---- */

static uint32_t line_now(const ff_scan *s) { return s->line < UINT32_MAX ? (uint32_t)s->line : UINT32_MAX; }

/* Bytes of the rest of a long line at the front of p; they are passed over. */
static size_t pass_over(ff_scan *s, const char *p, size_t n)
{
    const char *end = memchr(p, '\n', n);
    size_t passed = end ? (size_t)(end - p) + 1 : n;
    s->passing = end == NULL;
    s->line += end != NULL;
    s->run_offset += passed;
    return passed;
}

static size_t whole_part(ff_scan *s, ff_bytes bytes)
{
    if (!s->parser->whole)
        return ff_line_start(bytes, bytes.n);
    size_t n = s->parser->whole(bytes);
    return n <= bytes.n ? n : bytes.n;
}

void ff_records_add(ff_scan *s, char *bytes, size_t n)
{
    if (s->passing) {
        size_t passed = pass_over(s, bytes, n);
        bytes += passed;
        n -= passed;
    }
    if (n == 0)
        return;
    char *from = bytes - s->carry_n;
    memcpy(from, s->carry, s->carry_n);
    ff_bytes all = { from, n + s->carry_n };
    size_t whole = whole_part(s, all);
    size_t rest = all.n - whole;
    s->carry_n = 0;
    if (rest > FF_CAP_LINE) {
        /* Lines: the cap's worth is the record. Longer records: all of it, and the next run begins inside of it. */
        size_t cut = s->parser->whole ? rest : FF_CAP_LINE;
        if (s->parser->whole)
            ff_keep_skip(s, line_now(s), "record too long");
        give_run(s, all.p, whole + cut);
        if (!s->parser->whole) {
            ff_keep_skip(s, line_now(s), "line too long");
            s->passing = true;
            s->run_offset += rest - cut;
        }
        return;
    }
    give_run(s, all.p, whole);
    memcpy(s->carry, all.p + whole, rest);
    s->carry_n = rest;
}

void ff_records_end(ff_scan *s)
{
    bool open_line = s->carry_n > 0 || s->passing;
    give_run(s, s->carry, s->carry_n);
    s->carry_n = 0;
    s->result->member.lines = s->line - 1 + open_line;
    ff_look_done(s);
}
