/* Puts the links of an incident into boxes: 500 ranks that lost the same peer are one thing to know. */
#include "html_chain.h"

#include <stdlib.h>

#define RANKS 4096u

typedef struct chain {
    ff_html *h;
    const ff_incident *in;
    uint32_t *box_of; /* by finding: number of its box from 1, 0 not in one yet */
    ff_chain_box *boxes;
    uint32_t n;
} chain;

typedef bool (*fit)(const chain *c, const ff_link *link, uint32_t parent);

static bool is_free(const chain *c, const ff_link *link)
{
    return link->finding < c->h->r->n_findings && c->box_of[link->finding] == 0;
}

static bool is_child(const chain *c, const ff_link *link, uint32_t parent)
{
    return is_free(c, link) && link->by < c->h->r->n_findings && c->box_of[link->by] == parent + 1;
}

/* What no box explains, by a broken link: shown below the root rather than lost. */
static bool is_left(const chain *c, const ff_link *link, uint32_t parent)
{
    (void)parent;
    return is_free(c, link);
}

/* Link i and all further children of the same parent with its cause and role. */
static uint32_t gather(chain *c, uint32_t i, fit fits, uint32_t parent)
{
    const ff_link *first = &c->in->chain[i];
    uint32_t cause = c->h->r->findings[first->finding].cause, own = c->n++;
    ff_chain_box *box = &c->boxes[own];
    *box = (ff_chain_box){ .findings = FF_NEW_N(&c->h->arena, uint32_t, c->in->n_chain - i),
                           .parent = parent,
                           .depth = c->boxes[parent].depth + 1,
                           .role = first->role,
                           .link = first };
    for (uint32_t k = i; k < c->in->n_chain; k++) {
        const ff_link *link = &c->in->chain[k];
        if (fits(c, link, parent) && link->role == first->role && c->h->r->findings[link->finding].cause == cause)
            box->findings[box->n++] = link->finding;
    }
    for (uint32_t k = 0; k < box->n; k++)
        c->box_of[box->findings[k]] = own + 1;
    return own;
}

static void add_children(chain *c, uint32_t parent, fit fits)
{
    for (uint32_t i = 0; i < c->in->n_chain && c->n < FF_HTML_CHAIN; i++) {
        if (!fits(c, &c->in->chain[i], parent))
            continue;
        uint32_t own = gather(c, i, fits, parent);
        add_children(c, own, is_child);
    }
}

ff_chain_box *ff_chain_boxes(ff_html *h, const ff_incident *in, uint32_t *n)
{
    chain c = { .h = h, .in = in };
    *n = 0;
    if (in->root >= h->r->n_findings)
        return NULL;
    c.box_of = FF_NEW_N(&h->arena, uint32_t, h->r->n_findings + 1);
    c.boxes = FF_NEW_N(&h->arena, ff_chain_box, FF_HTML_CHAIN + 1);
    uint32_t *root = FF_NEW(&h->arena, uint32_t);
    *root = in->root;
    c.boxes[c.n++] = (ff_chain_box){ .findings = root, .n = 1, .parent = FF_NONE, .role = FF_ROLE_ROOT };
    c.box_of[in->root] = 1;
    add_children(&c, 0, is_child);
    add_children(&c, 0, is_left);
    *n = c.n;
    return c.boxes;
}

const char *ff_chain_mark(ff_role role)
{
    switch (role) {
    case FF_ROLE_ROOT:
        return "\xE2\x97\x86";
    case FF_ROLE_CONTRIBUTING:
        return "+";
    case FF_ROLE_SYMPTOM:
        return "\xE2\x97\x8F";
    case FF_ROLE_VICTIM:
        return "\xE2\x97\x8B";
    case FF_ROLE_TEARDOWN:
        break;
    }
    return "\xE2\x96\xAA";
}

static uint32_t add_ranks(int32_t *out, uint32_t n, const ff_finding *f)
{
    if (!f->n_ranks && f->who.rank != FF_NO_NUMBER && n < RANKS)
        out[n++] = f->who.rank;
    for (uint32_t i = 0; i < f->n_ranks && n < RANKS; i++)
        out[n++] = f->ranks[i];
    return n;
}

int32_t *ff_chain_ranks(ff_html *h, const ff_chain_box *box, uint32_t *n)
{
    int32_t *ranks = FF_NEW_N(&h->arena, int32_t, RANKS);
    uint32_t all = 0;
    for (uint32_t i = 0; i < box->n; i++)
        all = add_ranks(ranks, all, &h->r->findings[box->findings[i]]);
    qsort(ranks, all, sizeof *ranks, ff_compare_i32);
    *n = 0;
    for (uint32_t i = 0; i < all; i++)
        if (!*n || ranks[*n - 1] != ranks[i])
            ranks[(*n)++] = ranks[i];
    return ranks;
}
