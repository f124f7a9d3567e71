#include "verdict_private.h"

/* Signals that share a clock are ordered by their numbers; those without time are ordered within their member. */
static bool is_same_clock(const ff_signal *a, const ff_signal *b)
{
    if (a->clock != b->clock)
        return false;
    return a->clock != FF_NONE || a->at.member == b->at.member;
}

/* Keeps of each clock the earliest (or latest) signal. False: no slot is left for this clock. */
static bool keep(const ff_evidence *e, uint32_t *list, uint32_t *n, uint32_t ref, bool latest)
{
    for (uint32_t i = 0; i < *n; i++) {
        if (!is_same_clock(&e->signals[list[i]], &e->signals[ref]))
            continue;
        if (latest ? ref > list[i] : ref < list[i])
            list[i] = ref;
        return true;
    }
    if (*n == FF_ONSET_CLOCKS)
        return false;
    list[(*n)++] = ref;
    return true;
}

void ff_onset_add(ff_onset *o, const ff_evidence *e, const ff_finding *f)
{
    o->lag_ns = f->lag_ns > o->lag_ns ? f->lag_ns : o->lag_ns;
    o->lead_ns = f->lead_ns > o->lead_ns ? f->lead_ns : o->lead_ns;
    for (uint32_t i = 0; i < f->n_evidence; i++) {
        if (!keep(e, o->evidence, &o->n_evidence, f->evidence[i], false))
            o->more_evidence = true;
        if (!keep(e, o->signs, &o->n_signs, f->evidence[i], false))
            o->more_signs = true;
        (void)keep(e, o->latest, &o->n_latest, f->evidence[i], true);
    }
    for (uint32_t i = 0; i < f->n_symptoms; i++)
        if (!keep(e, o->signs, &o->n_signs, f->symptoms[i], false))
            o->more_signs = true;
}

void ff_onset_merge(ff_onset *into, const ff_evidence *e, const ff_onset *from)
{
    into->lag_ns = from->lag_ns > into->lag_ns ? from->lag_ns : into->lag_ns;
    into->lead_ns = from->lead_ns > into->lead_ns ? from->lead_ns : into->lead_ns;
    into->more_signs = into->more_signs || from->more_signs;
    into->more_evidence = into->more_evidence || from->more_evidence;
    for (uint32_t i = 0; i < from->n_signs; i++)
        if (!keep(e, into->signs, &into->n_signs, from->signs[i], false))
            into->more_signs = true;
    for (uint32_t i = 0; i < from->n_evidence; i++)
        if (!keep(e, into->evidence, &into->n_evidence, from->evidence[i], false))
            into->more_evidence = true;
    for (uint32_t i = 0; i < from->n_latest; i++)
        (void)keep(e, into->latest, &into->n_latest, from->latest[i], true);
}

static bool is_before(const ff_evidence *e, uint32_t a, uint32_t b)
{
    return ff_signal_order(&e->signals[a], &e->signals[b]) == FF_ORDER_BEFORE;
}

/* Lines within one stamp have an order, but what they tell of has none: a reporter of causes may be the slower one.
 */
static bool is_clearly_before(const ff_evidence *e, uint32_t a, uint32_t b)
{
    int64_t gap = 0;
    return is_before(e, a, b) && (!ff_signal_gap(&e->signals[a], &e->signals[b], &gap) || gap > 0);
}

/* Older by more than what b's report may come late. */
static bool is_before_by(const ff_evidence *e, uint32_t a, uint32_t b, int64_t lag_ns)
{
    int64_t gap = 0;
    return lag_ns == 0 || (ff_signal_gap(&e->signals[a], &e->signals[b], &gap) && gap > lag_ns);
}

/* One of a's that is proven older than all of b's; FF_NONE: none is. */
static uint32_t older_than_all(const ff_evidence *e, const uint32_t *a, uint32_t n_a, const uint32_t *b, uint32_t n_b,
                               int64_t lag_ns, bool (*before)(const ff_evidence *, uint32_t, uint32_t))
{
    for (uint32_t i = 0; i < n_a; i++) {
        uint32_t j = 0;
        while (j < n_b && before(e, a[i], b[j]) && is_before_by(e, a[i], b[j], lag_ns))
            j++;
        if (j == n_b)
            return n_b ? a[i] : FF_NONE;
    }
    return FF_NONE;
}

uint32_t ff_onset_alibi(const ff_evidence *e, const ff_onset *cause, const ff_onset *effect)
{
    int64_t late = cause->lag_ns > effect->lead_ns ? cause->lag_ns : effect->lead_ns;
    return cause->more_signs ? FF_NONE
                             : older_than_all(e, effect->evidence, effect->n_evidence, cause->signs, cause->n_signs,
                                              late, is_clearly_before);
}

ff_order ff_onset_order(const ff_evidence *e, const ff_onset *cause, const ff_onset *effect)
{
    if (ff_onset_alibi(e, cause, effect) != FF_NONE)
        return FF_ORDER_AFTER;
    if (!effect->more_evidence && older_than_all(e, cause->signs, cause->n_signs, effect->evidence,
                                                 effect->n_evidence, effect->lag_ns, is_before) != FF_NONE)
        return FF_ORDER_BEFORE;
    return FF_ORDER_UNKNOWN;
}

static void take_least(const ff_evidence *e, uint32_t a, uint32_t b, ff_nearest *least)
{
    int64_t ns = 0;
    if (ff_signal_gap(&e->signals[a], &e->signals[b], &ns) && (!least->known || ns < least->ns))
        *least = (ff_nearest){ .known = true, .ns = ns, .cause = a, .effect = b };
}

/* A cause that goes on (a flapping port) has its effects at any moment between its first and its last sign. */
static bool lasts_over(const ff_evidence *e, const ff_onset *cause, uint32_t at)
{
    bool after = false, before = false;
    for (uint32_t i = 0; i < cause->n_signs; i++)
        after = after || is_before(e, cause->signs[i], at);
    for (uint32_t i = 0; i < cause->n_latest; i++)
        before = before || is_before(e, at, cause->latest[i]);
    return after && before;
}

ff_nearest ff_onset_nearest(const ff_evidence *e, const ff_onset *cause, const ff_onset *effect)
{
    ff_nearest least = { .cause = FF_NONE, .effect = FF_NONE };
    for (uint32_t j = 0; j < effect->n_evidence && !(least.known && least.ns == 0); j++) {
        uint32_t at = effect->evidence[j];
        for (uint32_t i = 0; i < cause->n_signs; i++)
            take_least(e, cause->signs[i], at, &least);
        for (uint32_t i = 0; i < cause->n_latest; i++)
            take_least(e, cause->latest[i], at, &least);
        if (least.known && least.ns && lasts_over(e, cause, at))
            least.ns = 0;
    }
    return least;
}

bool ff_onset_gap(const ff_evidence *e, const ff_onset *cause, const ff_onset *effect, int64_t *ns)
{
    ff_nearest least = ff_onset_nearest(e, cause, effect);
    if (least.known)
        *ns = least.ns;
    return least.known;
}

bool ff_onset_apart(const ff_evidence *e, const ff_onset *a, const ff_onset *b, int64_t *ns)
{
    int64_t there = 0, back = 0;
    bool know_there = ff_onset_gap(e, a, b, &there), know_back = ff_onset_gap(e, b, a, &back);
    if (know_there && (!know_back || there <= back))
        *ns = there;
    else if (know_back)
        *ns = back;
    return know_there || know_back;
}

/* Something with a time is preferred to start with: where a line without any stands among the others is not known. */
static bool has_time(const ff_signal *s) { return s->clock != FF_NONE && s->said.kind != FF_STAMP_NONE; }

static bool is_better_start(const ff_evidence *e, uint32_t a, uint32_t b)
{
    bool a_timed = has_time(&e->signals[a]), b_timed = has_time(&e->signals[b]);
    return a_timed != b_timed ? a_timed : a < b;
}

/* Moves on to what is proven earlier, until nothing is; clocks that contradict each other end, too. */
static uint32_t move_back(const ff_evidence *e, uint32_t first, const uint32_t *list, uint32_t n)
{
    bool moved = first != FF_NONE;
    for (unsigned turn = 0; moved && turn < FF_ONSET_CLOCKS; turn++) {
        moved = false;
        for (uint32_t i = 0; i < n; i++)
            if (is_before(e, list[i], first)) {
                first = list[i];
                moved = true;
            }
    }
    return first;
}

uint32_t ff_onset_first_evidence(const ff_evidence *e, const ff_onset *o)
{
    uint32_t first = FF_NONE;
    for (uint32_t i = 0; i < o->n_evidence; i++)
        if (first == FF_NONE || is_better_start(e, o->evidence[i], first))
            first = o->evidence[i];
    return move_back(e, first, o->evidence, o->n_evidence);
}

uint32_t ff_onset_first(const ff_evidence *e, const ff_onset *o)
{
    return move_back(e, ff_onset_first_evidence(e, o), o->signs, o->n_signs);
}
