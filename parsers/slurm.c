/* Logs of slurmctld and slurmd, and the lines that srun and slurmstepd write into a job's output.
 *     [2026-01-01T00:00:00.123] error: Nodes gpu-a02 not responding      [2026-01-01T00:00:00.123+00:00] text
 *     slurmstepd: error: *** STEP 123.0 ON gpu-a01 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***
 * Format: slurm src/common/log.c, LogTimeFormat iso8601 and rfc5424 with and without milliseconds.
 * Not understood: LogTimeFormat clock and short. The prefixes of srun and slurmstepd stay in the text. */
#include "lines.h"

static bool take_slurm(ff_event *ev)
{
    ff_bytes rest = ev->text;
    ff_stamp stamp;
    if (!ff_take_char(&rest, '[') || rest.n < 20 || rest.p[10] != 'T' || !ff_take_rfc3339(&rest, &stamp) ||
        !ff_take_char(&rest, ']') || !ff_take_blank_or_end(&rest))
        return false;
    ff_see_time(ev, stamp);
    ff_see_stream(ev, FF_STREAM_SLURM);
    ev->text = rest;
    return true;
}

static bool is_slurm(ff_bytes line)
{
    ff_event ev = { .text = line, .who = FF_WHO_NOBODY };
    ff_bytes level;
    return take_slurm(&ev) && !(ff_take_char(&ev.text, '[') && ff_take_level(&ev.text, &level));
}

/* Many programs write such a time. A word of Slurm's, in the name or in the text, makes it Slurm's log. */
static bool says_slurm(const ff_probe *in)
{
    static const char *const words[] = { "JobId=",  "StepId=",    "slurmctld", "slurmd",
                                         "sched: ", "backfill: ", "_rpc_",     NULL };
    for (const char *const *word = words; *word; word++)
        if (ff_contains(in->head, ff_str(*word)))
            return true;
    return ff_contains(in->name, FF_LIT("slurm"));
}

/* The lines first: to look for words that are not there costs the whole head. */
static int slurm_probe(const ff_probe *in)
{
    int bid = ff_bid_lines(in->head, is_slurm);
    return bid && says_slurm(in) ? bid : 0;
}

static bool slurm_frame(ff_bytes record, ff_event *ev)
{
    ev->text = record;
    return take_slurm(ev);
}

const ff_parser ff_parser_slurm = {
    .name = "slurm", .streams = FF_STREAM_SLURM, .probe = slurm_probe, .frame = slurm_frame
};

/* The only time on most lines that slurmstepd writes into a job's output. */
static void see_time_of_end(ff_event *ev)
{
    ff_bytes rest = ev->text;
    ff_stamp stamp;
    if (ff_take_past(&rest, FF_LIT(" CANCELLED AT ")) && ff_take_rfc3339(&rest, &stamp) &&
        ff_take_blank_or_end(&rest))
        ff_see_time(ev, stamp);
}

static bool read_slurm(ff_event *ev)
{
    static const char *const programs[] = { "slurmstepd: ", "srun: ", "slurmd: ", "slurmctld: ", "sbatch: ", NULL };
    if (ev->stream == FF_STREAM_SLURM)
        return true;
    if (!(ev->stream & FF_STREAM_SLURM))
        return false;
    for (const char *const *program = programs; *program; program++) {
        if (!ff_starts_str(ev->text, *program))
            continue;
        ff_bytes name = ff_str(*program);
        ff_see_stream(ev, FF_STREAM_SLURM);
        ev->ident = ev->who.unit = ff_first_n(ev->text, name.n - 2);
        see_time_of_end(ev);
        return true;
    }
    return false;
}

const ff_reader ff_reader_slurm = { .name = "slurm", .read = read_slurm };
