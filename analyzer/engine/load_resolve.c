/* Once all packs are loaded: names become numbers. What names something that is not there is refused, in this order:
 * causes, signatures (which name causes), correlations (which name signatures). */
#include "engine_private.h"

#include <stdlib.h>
#include <string.h>

typedef struct named { /* for finding equal ids */
    ff_bytes id;
    uint32_t index;
} named;

static int compare_named(const void *a, const void *b)
{
    const named *x = a, *y = b;
    int by_id = ff_compare(x->id, y->id);
    return by_id != 0 ? by_id : (x->index > y->index) - (x->index < y->index);
}

/* The pack decides whether a problem is ours or the user's. */
static void refuse(ff_loader *l, uint32_t pack, ff_bytes file, ff_bytes rule, uint32_t line, const char *what,
                   ff_bytes name)
{
    l->pack = pack;
    ff_problem_add(l->book, file, rule, line, "%s \"%.*s\"", what, (int)name.n, name.p);
}

static named *sorted(named *list, uint32_t n)
{
    if (n > 0)
        qsort(list, n, sizeof *list, compare_named);
    return list;
}

static void refuse_same_causes(ff_loader *l)
{
    named *list = ff_alloc(sizeof *list * ((size_t)l->causes.n + 1));
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->causes.n; i++)
        if (!l->causes.at[i].refused)
            list[n++] = (named){ l->causes.at[i].cause.id, i };
    sorted(list, n);
    for (uint32_t i = 1; i < n; i++) {
        if (!ff_equal(list[i - 1].id, list[i].id))
            continue;
        ff_loaded_cause *c = &l->causes.at[list[i].index];
        c->refused = true;
        refuse(l, c->pack, c->file, c->cause.id, c->line, "a cause of this id exists already:", c->cause.id);
    }
    ff_free(list);
}

static void refuse_same_signatures(ff_loader *l)
{
    named *list = ff_alloc(sizeof *list * ((size_t)l->signatures.n + 1));
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->signatures.n; i++)
        if (!l->signatures.at[i].refused)
            list[n++] = (named){ l->signatures.at[i].sig.id, i };
    sorted(list, n);
    for (uint32_t i = 0; i < n; i++) {
        bool again = i > 0 && ff_equal(list[i - 1].id, list[i].id);
        bool is_fact = false;
        for (uint32_t k = 0; k < FF_FACTS; k++)
            is_fact = is_fact || ff_equal(list[i].id, ff_str(ff_fact_name(k)));
        if (!again && !is_fact)
            continue;
        ff_loaded_signature *s = &l->signatures.at[list[i].index];
        s->refused = true;
        refuse(l, s->pack, s->sig.file, s->sig.id, s->sig.line,
               is_fact ? "a fact has this name:" : "a signature of this id exists already:", s->sig.id);
    }
    ff_free(list);
}

static void refuse_same_correlations(ff_loader *l)
{
    named *list = ff_alloc(sizeof *list * ((size_t)l->correlations.n + 1));
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->correlations.n; i++)
        if (!l->correlations.at[i].refused)
            list[n++] = (named){ l->correlations.at[i].cor.id, i };
    sorted(list, n);
    for (uint32_t i = 1; i < n; i++) {
        if (!ff_equal(list[i - 1].id, list[i].id))
            continue;
        ff_loaded_correlation *c = &l->correlations.at[list[i].index];
        c->refused = true;
        refuse(l, c->pack, c->cor.file, c->cor.id, c->cor.line,
               "a correlation of this id exists already:", c->cor.id);
    }
    ff_free(list);
}

/* ---- lists in their final place, and their order by id ---- */

static void settle_causes(ff_loader *l)
{
    ff_rulebook *b = l->book;
    b->causes = FF_NEW_N(&b->arena, ff_cause, l->causes.n + 1);
    named *list = ff_alloc(sizeof *list * ((size_t)l->causes.n + 1));
    for (uint32_t i = 0; i < l->causes.n; i++) {
        if (l->causes.at[i].refused)
            continue;
        l->packs.at[l->causes.at[i].pack].n_causes++;
        list[b->n_causes] = (named){ l->causes.at[i].cause.id, b->n_causes };
        b->causes[b->n_causes++] = l->causes.at[i].cause;
    }
    sorted(list, b->n_causes);
    b->lua->by_cause = ff_alloc(sizeof(uint32_t) * ((size_t)b->n_causes + 1));
    for (uint32_t i = 0; i < b->n_causes; i++)
        b->lua->by_cause[i] = list[i].index;
    ff_free(list);
}

static void settle_signatures(ff_loader *l)
{
    ff_rulebook *b = l->book;
    b->signatures = FF_NEW_N(&b->arena, ff_signature, l->signatures.n + 1);
    named *list = ff_alloc(sizeof *list * ((size_t)l->signatures.n + 1));
    for (uint32_t i = 0; i < l->signatures.n; i++) {
        if (l->signatures.at[i].refused)
            continue;
        l->packs.at[l->signatures.at[i].pack].n_signatures++;
        list[b->n_signatures] = (named){ l->signatures.at[i].sig.id, b->n_signatures };
        b->signatures[b->n_signatures++] = l->signatures.at[i].sig;
    }
    sorted(list, b->n_signatures);
    b->lua->by_id = ff_alloc(sizeof(uint32_t) * ((size_t)b->n_signatures + 1));
    for (uint32_t i = 0; i < b->n_signatures; i++)
        b->lua->by_id[i] = list[i].index;
    b->lua->n_builtin = l->packs.at[0].n_signatures;
    ff_free(list);
}

static void resolve_says(ff_loader *l)
{
    for (uint32_t i = 0; i < l->signatures.n; i++) {
        ff_loaded_signature *s = &l->signatures.at[i];
        if (s->refused || s->cause.n == 0)
            continue;
        s->sig.cause = ff_cause_find(l->book, s->cause);
        if (s->sig.cause != FF_NONE)
            continue;
        s->refused = true;
        refuse(l, s->pack, s->sig.file, s->sig.id, s->sig.line, "says.cause: unknown cause", s->cause);
    }
}

static bool class_exists(const ff_rulebook *b, ff_bytes star)
{
    ff_bytes front = ff_first_n(star, star.n - 1); /* with its dot */
    for (uint32_t i = 0; i < b->n_causes; i++)
        if (ff_starts(b->causes[i].id, front))
            return true;
    return false;
}

/* A link into nowhere is dropped, and the cause stays. */
static void resolve_links(ff_loader *l, const ff_loaded_cause *from)
{
    ff_rulebook *b = l->book;
    ff_cause *c = &b->causes[ff_cause_find(b, from->cause.id)];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->n_leads_to; i++) {
        ff_bytes to = c->leads_to[i].cause;
        bool known = ff_ends(to, FF_LIT(".*")) ? class_exists(b, to) : ff_cause_find(b, to) != FF_NONE;
        if (known)
            c->leads_to[kept++] = c->leads_to[i];
        else
            refuse(l, from->pack, from->file, c->id, from->line, "leads_to: unknown cause", to);
    }
    c->n_leads_to = kept;
}

static bool resolve_kinds(ff_loader *l, const ff_loaded_correlation *c, const ff_bytes *names, uint32_t n,
                          uint32_t **out)
{
    uint32_t *kinds = FF_NEW_N(&l->book->arena, uint32_t, n + 1);
    bool good = true;
    for (uint32_t i = 0; i < n; i++) {
        kinds[i] = ff_kind_find(l->book, names[i]);
        if (kinds[i] != FF_NONE)
            continue;
        good = false;
        refuse(l, c->pack, c->cor.file, c->cor.id, c->cor.line, "unknown signature or fact", names[i]);
    }
    *out = kinds;
    return good;
}

static void settle_correlations(ff_loader *l)
{
    ff_rulebook *b = l->book;
    b->correlations = FF_NEW_N(&b->arena, ff_correlation, l->correlations.n + 1);
    for (uint32_t i = 0; i < l->correlations.n; i++) {
        ff_loaded_correlation *c = &l->correlations.at[i];
        if (c->refused)
            continue;
        bool uses = resolve_kinds(l, c, c->uses, c->n_uses, &c->cor.uses);
        bool reach = resolve_kinds(l, c, c->reach, c->n_reach, &c->cor.reach);
        if (!uses || !reach)
            continue;
        c->cor.n_uses = c->n_uses;
        c->cor.n_reach = c->n_reach;
        l->packs.at[c->pack].n_correlations++;
        b->correlations[b->n_correlations++] = c->cor;
    }
}

void ff_loader_resolve(ff_loader *l)
{
    refuse_same_causes(l);
    settle_causes(l);
    for (uint32_t i = 0; i < l->causes.n; i++)
        if (!l->causes.at[i].refused)
            resolve_links(l, &l->causes.at[i]);
    refuse_same_signatures(l);
    resolve_says(l);
    settle_signatures(l);
    refuse_same_correlations(l);
    settle_correlations(l);
}
