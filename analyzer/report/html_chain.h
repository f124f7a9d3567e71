/* The boxes of a chain: findings of one cause and role under the same box are one. */
#ifndef FF_HTML_CHAIN_H
#define FF_HTML_CHAIN_H

#include "html_private.h"

typedef struct ff_chain_box {
    uint32_t *findings;
    uint32_t n;
    uint32_t parent; /* index of a box; of the root FF_NONE */
    uint32_t depth;
    ff_role role;
    const ff_link *link; /* how it hangs on its parent; of the root NULL */
} ff_chain_box;

/* A parent stands before its children, the root first; in h's arena. No boxes: the incident has no root. */
ff_chain_box *ff_chain_boxes(ff_html *h, const ff_incident *in, uint32_t *n);
const char *ff_chain_mark(ff_role role); /* the shape of a role as a character */
/* Ascending ranks of all findings in a box, without twins; in h's arena. */
int32_t *ff_chain_ranks(ff_html *h, const ff_chain_box *box, uint32_t *n);

#endif
