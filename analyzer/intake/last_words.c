/* The last lines of what a job printed. A failure in words that no signature knows still stands there, and a job that
 * ends so must not be called healthy; what the words mean is asked by a rule, once, for the few lines that come so
 * far. */
#include "intake_private.h"

#include <string.h>

#define TOLD 3u /* lines of one member */

/* One letter for a level: glog's "E0303 10:00:00", Ray's "[2026-03-03 10:00:00,118 C 149 149]". */
static bool has_bad_level(ff_bytes line)
{
    if (line.n > 1 && line.p[0] == '[')
        line = ff_skip_n(line, 1);
    if (line.n > 5 && (line.p[0] == 'E' || line.p[0] == 'F') && ff_is_digits(ff_first_n(ff_skip_n(line, 1), 4)))
        return true;
    for (size_t i = 0; i + 3 < line.n && i < 40; i++)
        if (line.p[i] == ' ' && (line.p[i + 1] == 'E' || line.p[i + 1] == 'C') && line.p[i + 2] == ' ' &&
            ff_is_digit(line.p[i + 3]))
            return true;
    return false;
}

/* Pieces of words, so that capitals at their beginning do not matter. */
static bool sounds_bad(ff_bytes line)
{
    static const char *const words[] = { "rror",      "ERROR",    "ailed",      "FAILED",    "ailure",   "FATAL",
                                         "atal",      "CRITICAL", "xception",   "annot ",    "nable to", "efused",
                                         "imed out",  "imeout",   "bort",       "ould not ", "ouldn't",  "illed",
                                         "erminated", "panic",    "nreachable", "enied",     "ot found" };
    for (size_t i = 0; i < FF_COUNT(words); i++)
        if (ff_contains(line, ff_str(words[i])))
            return true;
    return has_bad_level(line);
}

static void keep(ff_scan *s, const ff_place *at, uint32_t line)
{
    if (s->n_last == FF_LAST_LINES)
        memmove(&s->last[0], &s->last[1], --s->n_last * sizeof s->last[0]);
    ff_last_line *l = &s->last[s->n_last++];
    l->line = line;
    l->offset = at->offset;
    l->n = at->text.n < sizeof l->text ? at->text.n : sizeof l->text;
    memcpy(l->text, at->text.p, l->n);
}

void ff_last_words_of_run(ff_scan *s)
{
    if (s->parser->record)
        return;
    ff_place lines[FF_LAST_LINES];
    uint32_t numbers[FF_LAST_LINES];
    unsigned n = 0;
    for (size_t from = s->run.n; from > 0 && n < FF_LAST_LINES;) {
        lines[n] = ff_place_at(s, from - 1);
        numbers[n] = ff_line_of(s, lines[n].from);
        from = lines[n].from;
        n += !ff_is_empty(ff_trim(lines[n].text));
    }
    while (n-- > 0)
        keep(s, &lines[n], numbers[n]);
}

/* Of the job alone: system logs complain every day, and end nowhere; and of Slurm what a step says into the output.
 */
static bool is_output(const ff_scan *s)
{
    const uint32_t job = FF_STREAM_APP | FF_STREAM_NCCL | FF_STREAM_RECORDER, streams = s->result->member.streams;
    return (streams & (job | FF_STREAM_SLURM)) && !(streams & ~(job | FF_STREAM_SLURM)) &&
           (streams & job || s->mixed);
}

static bool is_of_job(const ff_scan *s, ff_bytes line)
{
    return s->result->member.streams != FF_STREAM_SLURM || ff_contains(line, FF_LIT("srun: ")) ||
           ff_contains(line, FF_LIT("slurmstepd: "));
}

static bool is_told(const ff_scan *s, const ff_last_line *l)
{
    ff_bytes text = { l->text, l->n };
    return sounds_bad(text) && is_of_job(s, text);
}

static void tell(ff_scan *s, const ff_last_line *l)
{
    ff_bytes text = { l->text, l->n };
    ff_event ev;
    (void)ff_look_frame(s, text, &ev);
    ff_fields fields;
    fields.n = 0;
    ff_fields_text(&fields, "text", FF_FIELD_TEXT, ev.text);
    ff_fields_text(&fields, "line", FF_FIELD_TEXT, text);
    ff_keep_fact(s, &(ff_fact){ .id = FF_FACT_OUTPUT_END,
                                .line = l->line,
                                .offset = l->offset,
                                .quote = text,
                                .said = ev.said,
                                .who = ev.who,
                                .fields = fields.at,
                                .n_fields = fields.n });
}

void ff_last_words_end(ff_scan *s)
{
    if (!is_output(s))
        return;
    unsigned from = s->n_last, told = 0;
    while (from > 0 && told < TOLD) {
        from--;
        told += is_told(s, &s->last[from]);
    }
    for (; from < s->n_last; from++)
        if (is_told(s, &s->last[from]))
            tell(s, &s->last[from]);
}
