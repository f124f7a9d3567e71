/* Claims of the evidence that cannot both be true: notes of rules that carry the fact `contradicts`, and joins of
 * identity that contradict each other. */
#include "verdict_private.h"

#define CAP_CONTRADICTIONS 1000u
#define CAP_OF_A_KIND 8u /* conflicting joins of one kind that are told one by one: in bulk they are one fact */

typedef FF_VEC(ff_contradiction) contradictions;

static void add(contradictions *all, ff_bytes text, uint32_t left, uint32_t right)
{
    if (all->n < CAP_CONTRADICTIONS)
        FF_PUSH(all, ((ff_contradiction){ .text = text, .left = left, .right = right }));
}

static void add_note(contradictions *all, const ff_finding *f)
{
    for (uint32_t i = 0; i < f->n_facts; i++) {
        if (!ff_equal(f->facts[i].name, FF_LIT("contradicts")) || !f->facts[i].s.n || !f->n_evidence)
            continue;
        add(all, f->facts[i].s, f->evidence[0], f->n_evidence > 1 ? f->evidence[1] : FF_NONE);
        return;
    }
}

static bool is_same_claim(const ff_join *a, const ff_join *b)
{
    return (a->conflict || b->conflict) && ff_equal(a->left_kind, b->left_kind) && ff_equal(a->left, b->left) &&
           ff_equal(a->right_kind, b->right_kind);
}

static void add_claim(const ff_case *c, contradictions *all, const ff_join *a, const ff_join *b)
{
    add(all,
        ff_arena_format(c->arena, "%.*s %.*s is said to be %.*s %.*s and %.*s %.*s", FF_SHOW(a->left_kind),
                        FF_SHOW(a->left), FF_SHOW(a->right_kind), FF_SHOW(a->right), FF_SHOW(b->right_kind),
                        FF_SHOW(b->right)),
        a->signal, b->signal);
}

static bool is_same_kind(const ff_join *a, const ff_join *b)
{
    return ff_equal(a->left_kind, b->left_kind) && ff_equal(a->right_kind, b->right_kind);
}

/* Conflicts of one kind of names: the first ones, and how many more there are. */
static void add_kind(const ff_case *c, contradictions *all, const ff_join *kind)
{
    uint32_t n = 0;
    const ff_join *last = NULL, *next = NULL;
    for (uint32_t i = 1; i < c->identity->n_joins; i++) {
        const ff_join *a = &c->identity->joins[i - 1], *b = &c->identity->joins[i];
        if (!is_same_kind(a, kind) || !is_same_claim(a, b))
            continue;
        if (++n <= CAP_OF_A_KIND)
            add_claim(c, all, a, b);
        last = a;
        next = b;
    }
    if (n > CAP_OF_A_KIND)
        add(all,
            ff_arena_format(c->arena, "%u more claims of a %.*s about its %.*s contradict each other",
                            n - CAP_OF_A_KIND, FF_SHOW(kind->left_kind), FF_SHOW(kind->right_kind)),
            last->signal, next->signal);
}

static bool is_first_of_kind(const ff_case *c, uint32_t join)
{
    for (uint32_t i = 0; i < join; i++)
        if (c->identity->joins[i].conflict && is_same_kind(&c->identity->joins[i], &c->identity->joins[join]))
            return false;
    return c->identity->joins[join].conflict;
}

void ff_contradictions_build(const ff_case *c, ff_report *r)
{
    contradictions all = { 0 };
    for (uint32_t i = 0; i < c->n_findings; i++)
        if (c->findings[i].severity == FF_SEV_NOTE)
            add_note(&all, &c->findings[i]);
    for (uint32_t i = 0; i < c->identity->n_joins; i++)
        if (c->identity->joins[i].conflict && is_first_of_kind(c, i))
            add_kind(c, &all, &c->identity->joins[i]);
    r->contradictions = FF_NEW_N(c->arena, ff_contradiction, (size_t)all.n + 1);
    for (uint32_t i = 0; i < all.n; i++)
        r->contradictions[i] = all.at[i];
    r->n_contradictions = all.n;
    ff_free(all.at);
}
