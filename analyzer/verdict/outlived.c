/* What the job that is asked about left behind. A fault after which the job ran, or came to a good end, is a story of
 * its own: it stays an incident, and is not what anybody asks about. */
#include "verdict_private.h"

#define MARKS_READ 4096u
#define CLEARLY_AFTER FF_MINUTES(1) /* lines of other ranks run on for a while behind a failure */
#define BEFORE_THE_RUN FF_MINUTES(10)
#define ANOTHER_STORY FF_HOURS(24)

/* Is the moment proven to come that long after the last sign of all of it? A line without a time of its own that a
 * silence of that length follows was written before the silence or in it: what comes behind is another run. */
static bool comes_after(const ff_case *c, const ff_tree_of *t, const ff_signal *moment, int64_t by_ns)
{
    bool after = t->onset.n_latest != 0 && !t->onset.more_evidence;
    for (uint32_t i = 0; i < t->onset.n_latest && after; i++) {
        ff_signal last = ff_signal_last(&c->evidence->signals[t->onset.latest[i]]);
        int64_t gap = 0;
        after = ff_signal_order(&last, moment) == FF_ORDER_BEFORE && ff_signal_gap(&last, moment, &gap) &&
                (gap > by_ns || last.said.grain_ns > by_ns);
    }
    return after;
}

/* The first line of a log, as a moment. */
static ff_signal start_of(const ff_member *m)
{
    ff_signal s = { .said = m->first_said, .clock = m->clock, .who = m->who, .at = { .member = m->id } };
    s.has_utc = m->has_utc;
    s.utc = m->first_utc;
    s.utc_err = m->utc_err;
    s.wall_ns = !m->has_utc && m->first_said.kind == FF_STAMP_LOCAL ? m->first_said.ns : 0;
    return s;
}

static bool starts_after(const ff_case *c, const ff_tree_of *t, const ff_member *m, int64_t by_ns)
{
    ff_signal start = start_of(m);
    return m->first_said.kind != FF_STAMP_NONE && comes_after(c, t, &start, by_ns);
}

static bool shows_in(const ff_case *c, const ff_group *g, uint32_t member)
{
    for (uint32_t i = 0; i < g->n_members; i++) {
        const ff_finding *f = &c->findings[g->members[i]];
        for (uint32_t k = 0; k < f->n_evidence; k++)
            if (c->evidence->signals[f->evidence[k]].at.member == member)
                return true;
    }
    return false;
}

/* Was every failure that the job shows of it written into that log? Another job's success proves nothing. */
static bool is_same_log(const ff_case *c, const ff_tree_of *t, uint32_t member)
{
    for (uint32_t i = 0; i < t->n_groups; i++) {
        const ff_group *g = &c->groups[t->groups[i]];
        if (g->visible && g->severity >= FF_SEV_ERROR && !shows_in(c, g, member))
            return false;
    }
    return true;
}

/* The names of the logs say that all of it was of an earlier run of the same worker. */
static bool is_of_earlier_run(const ff_case *c, const ff_tree_of *t, const ff_signal *end)
{
    bool earlier = c->has_runs && t->onset.n_latest != 0 && !t->onset.more_evidence;
    for (uint32_t i = 0; i < t->onset.n_latest && earlier; i++)
        earlier = ff_is_of_later_run(c, &c->evidence->signals[t->onset.latest[i]], end);
    return earlier;
}

/* A launcher started the ranks again behind all of it, and that attempt came to this good end. */
static bool was_made_good(const ff_case *c, const ff_tree_of *t, const ff_signal *end)
{
    if (is_of_earlier_run(c, t, end))
        return true;
    for (uint32_t i = 0; i < c->n_marks && i < MARKS_READ && c->has_starts; i++) {
        const ff_signal *start = &c->evidence->signals[c->marks[i]];
        if (ff_mark_of(c, i) == FF_MARK_START && start->at.member == end->at.member &&
            ff_signal_order(start, end) == FF_ORDER_BEFORE && comes_after(c, t, start, 0))
            return true;
    }
    return false;
}

static bool is_of_other_job(const ff_case *c, const ff_tree_of *t, const ff_signal *end)
{
    for (uint32_t i = 0; i < t->n_groups; i++)
        if (ff_is_of_other_job(&c->groups[t->groups[i]].place, end))
            return true;
    return false;
}

static bool outlives(const ff_case *c, const ff_tree_of *t, uint32_t i, bool shown, bool slow)
{
    ff_signal last = ff_signal_last(&c->evidence->signals[c->marks[i]]);
    const ff_member *m = &c->evidence->members[last.at.member];
    if (is_of_other_job(c, t, &last))
        return false;
    if (ff_mark_of(c, i) == FF_MARK_END && was_made_good(c, t, &last))
        return true;
    if (ff_mark_of(c, i) == FF_MARK_START || !comes_after(c, t, &last, CLEARLY_AFTER))
        return false;
    if (slow) /* that the job goes on does not end it */
        return starts_after(c, t, m, ANOTHER_STORY) && (!shown || is_same_log(c, t, m->id));
    if (comes_after(c, t, &last, ANOTHER_STORY))
        return !shown || is_same_log(c, t, last.at.member);
    if (shown || ff_is_off_hosts(&c->groups[t->roots[0]].place, last.who.host))
        return false;
    return ff_mark_of(c, i) == FF_MARK_END || starts_after(c, t, m, BEFORE_THE_RUN);
}

static bool is_job_output(const ff_member *m)
{
    return (m->streams & (FF_STREAM_APP | FF_STREAM_NCCL)) && !m->unread && !m->document && !m->collected;
}

ff_after ff_what_came_after(const ff_case *c, const ff_tree_of *t, ff_bytes fault_class)
{
    bool shown = ff_tree_shows_failure(c, t), slow = ff_equal(fault_class, FF_LIT("slow")), marks = false;
    for (uint32_t i = c->n_marks; i > 0 && c->n_marks - i < MARKS_READ; i--) {
        if (outlives(c, t, i - 1, shown, slow))
            return FF_AFTER_RAN;
        marks = marks || ff_mark_of(c, i - 1) != FF_MARK_START;
    }
    for (uint32_t i = 0; i < c->evidence->n_members && !shown && !marks; i++)
        if (is_job_output(&c->evidence->members[i]) && starts_after(c, t, &c->evidence->members[i], ANOTHER_STORY))
            return FF_AFTER_BEGAN;
    return FF_AFTER_NOTHING;
}
