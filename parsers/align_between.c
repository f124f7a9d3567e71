/* Of long logs only the first and the last operations are kept. What lies between left digests behind: where two
 * ranks' digests of one prefix differ, they asked for different things before it, and after the last prefix that
 * agrees. */
#include "align_private.h"

static const ff_fr_group *group_of(const seat *s)
{
    return s->group == FF_NONE ? NULL : &s->sheet->dump->groups[s->group];
}

/* NULL: that rank left none there. */
static const ff_fr_mark *mark_at(const seat *s, int64_t seq)
{
    const ff_fr_group *g = group_of(s);
    for (uint32_t i = 0; g && i < g->n_marks; i++)
        if (g->marks[i].seq == seq)
            return &g->marks[i];
    return NULL;
}

/* How many ranks left the digest of `as` there. */
static uint32_t count_like(const team *t, int64_t seq, uint64_t as)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n_seats; i++) {
        const ff_fr_mark *m = mark_at(t->seats[i], seq);
        n += m && m->digest == as;
    }
    return n;
}

/* The first rank that left another one there; NULL: none did. */
static const seat *first_odd(const team *t, int64_t seq, uint64_t as)
{
    for (uint32_t i = 0; i < t->n_seats; i++) {
        const ff_fr_mark *m = mark_at(t->seats[i], seq);
        if (m && m->digest != as)
            return t->seats[i];
    }
    return NULL;
}

static void tell(const team *t, int64_t from, int64_t until, uint64_t as, const seat *one, const teller *out)
{
    uint32_t n = 0, n_odd = 0;
    int32_t *rest = FF_NEW_N(out->arena, int32_t, t->n_seats), *odd = FF_NEW_N(out->arena, int32_t, t->n_seats);
    for (uint32_t i = 0; i < t->n_seats; i++) {
        const ff_fr_mark *m = mark_at(t->seats[i], until);
        if (m && m->digest == as)
            rest[n++] = rank_of(t->seats[i]);
        else if (m)
            odd[n_odd++] = rank_of(t->seats[i]);
    }
    bool sure = n > n_odd && !t->n_absent;
    /* the last operation before it that is kept with its line */
    const turn *near = one->n_turns ? &one->turns[0] : NULL;
    for (uint32_t i = 0; i < one->n_turns && one->turns[i].seq < until; i++)
        near = &one->turns[i];
    ff_fields f = { .n = 0 };
    ff_add_group(&f, t, from);
    ff_fields_int(&f, "until", FF_FIELD_INT, until);
    ff_fields_text(&f, "kind", FF_FIELD_TEXT, FF_LIT("between"));
    ff_fields_text(&f, "odd_ranks", FF_FIELD_TEXT, ff_ranks_text(out->arena, odd, n_odd));
    ff_fields_text(&f, "majority_ranks", FF_FIELD_TEXT, ff_ranks_text(out->arena, rest, n));
    ff_fields_int(&f, "n_odd", FF_FIELD_INT, n_odd);
    ff_fields_int(&f, "n_majority", FF_FIELD_INT, n);
    ff_fields_int(&f, "majority", FF_FIELD_INT, sure);
    ff_tell(out, FF_FACT_FR_OP_MISMATCH, one, near ? near->first : FF_NONE,
            sure && n_odd == 1 ? odd[0] : FF_NO_NUMBER, &f);
}

enum { CANDIDATES = 64 }; /* where even so many ranks disagree there is no usual digest */

/* The usual digest at seq: that of most ranks, of equally many the lower rank's. */
static uint64_t usual_at(const team *t, int64_t seq)
{
    uint64_t best = 0;
    uint32_t most = 0;
    for (uint32_t i = 0; i < t->n_seats && i < CANDIDATES; i++) {
        const ff_fr_mark *m = mark_at(t->seats[i], seq);
        uint32_t n = m ? count_like(t, seq, m->digest) : 0;
        if (n > most) {
            most = n;
            best = m->digest;
        }
        if (m && n > t->n_seats / 2)
            break;
    }
    return best;
}

bool ff_align_between(const team *t, int64_t seen_at, const teller *out)
{
    const ff_fr_group *g = t->n_seats > 1 ? group_of(t->seats[0]) : NULL;
    int64_t agreed = 0;
    for (uint32_t i = 0; g && i < g->n_marks; i++) {
        int64_t seq = g->marks[i].seq;
        if (seen_at >= 0 && seen_at < seq)
            return false; /* it is seen itself */
        uint64_t as = usual_at(t, seq);
        const seat *one = first_odd(t, seq, as);
        if (one) {
            tell(t, agreed, seq, as, one, out);
            return true;
        }
        agreed = seq;
    }
    return false;
}
