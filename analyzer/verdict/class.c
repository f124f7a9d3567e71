/* The fault class of an incident. A cause has a usual one; what the job shows beside it decides: a slow path on which
 * it stopped is a stall, a set-up fault under a job that already ran has taken it down. A rule that knows says so
 * itself. */
#include "verdict_private.h"

#define MARKS_READ 4096u /* lines about the job's course that are compared */

static bool is_class(ff_bytes fault_class, const char *name) { return ff_equal(fault_class, ff_str(name)); }

static ff_bytes usual_class(const ff_case *c, uint32_t finding)
{
    const ff_finding *f = &c->findings[finding];
    return f->fault_class.n ? f->fault_class : ff_case_cause(c, f->cause)->fault_class;
}

static bool is_same_speaker(const ff_signal *a, const ff_signal *b)
{
    return a->at.member == b->at.member || (a->who.rank >= 0 && a->who.rank == b->who.rank);
}

/* a stands before b; within one text member the lines have an order even where the clocks have none. */
static bool stands_before(const ff_signal *a, const ff_signal *b)
{
    if (a->at.member == b->at.member && !a->unordered)
        return a->at.line < b->at.line;
    return ff_signal_order(a, b) == FF_ORDER_BEFORE;
}

/* Did whoever speaks in the line show work before it, since it was last started? */
static bool ran_before(const ff_case *c, const ff_signal *line)
{
    bool ran = false;
    const ff_signal *moved = NULL;
    for (uint32_t i = 0; i < c->n_marks && i < MARKS_READ; i++) {
        const ff_signal *s = &c->evidence->signals[c->marks[i]];
        if (ff_mark_of(c, i) == FF_MARK_END || !is_same_speaker(s, line) || !stands_before(s, line))
            continue;
        bool progress = ff_mark_of(c, i) == FF_MARK_PROGRESS;
        if (progress && (!moved || stands_before(moved, s)))
            moved = s;
        ran = progress || (ran && stands_before(s, moved));
    }
    return ran;
}

static bool was_running(const ff_case *c, uint32_t finding)
{
    const ff_finding *f = &c->findings[finding];
    for (uint32_t i = 0; i < f->n_evidence; i++)
        if (ran_before(c, &c->evidence->signals[f->evidence[i]]))
            return true;
    return false;
}

/* Does the job show an effect of the root, other than cleaning up, that belongs to this class? Of those who ran
 * before, nothing belongs to the set-up: a listener that a teardown closes says the same. */
static bool has_effect(const ff_case *c, const ff_incident *in, const char *name)
{
    for (uint32_t i = 0; i < in->n_chain; i++) {
        const ff_link *l = &in->chain[i];
        if ((l->role == FF_ROLE_SYMPTOM || l->role == FF_ROLE_VICTIM) && c->group_of[l->finding] != FF_NONE &&
            c->groups[c->group_of[l->finding]].visible && is_class(usual_class(c, l->finding), name) &&
            !(is_class(ff_str(name), "init") && was_running(c, l->finding)))
            return true;
    }
    return false;
}

/* Is work that went on part of the root itself? Then it was slow, whatever gave up on it. */
static bool rests_on_progress(const ff_case *c, const ff_incident *in)
{
    const ff_finding *root = &c->findings[in->root];
    for (uint32_t i = 0; i < root->n_evidence; i++) {
        const ff_signature *s = ff_kind_signature(c->rules, c->evidence->signals[root->evidence[i]].kind);
        if (s && s->marks == FF_MARK_PROGRESS)
            return true;
    }
    return false;
}

ff_bytes ff_class_find(const ff_case *c, const ff_incident *in)
{
    ff_bytes usual = usual_class(c, in->root);
    if (c->findings[in->root].fault_class.n)
        return usual;
    if (!usual.n) /* a cause with many outcomes: the one that the job shows */
        return has_effect(c, in, "init") && !was_running(c, in->root) ? FF_LIT("init") : usual;
    if (is_class(usual, "slow") && has_effect(c, in, "stall") && !rests_on_progress(c, in))
        return FF_LIT("stall");
    if (is_class(usual, "init"))
        return was_running(c, in->root) ? FF_LIT("lost") : usual;
    bool held = is_class(usual, "stall") || is_class(usual, "slow");
    return held && has_effect(c, in, "init") && !was_running(c, in->root) ? FF_LIT("init") : usual;
}
