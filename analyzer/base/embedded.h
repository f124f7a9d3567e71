/* Files that were compiled in, in name order, ended by a NULL name. */
#ifndef FF_EMBEDDED_H
#define FF_EMBEDDED_H

#include <stddef.h>

typedef struct ff_embedded {
    const char *name;  /* path in the source tree: "rules/gpu/xid.lua" */
    const char *bytes; /* not terminated by contract, though a NUL follows */
    size_t n;
    const char *chunk; /* rules: the same, compiled by the Lua that the program was built with; else NULL */
    size_t chunk_n;
} ff_embedded;

extern const ff_embedded ff_embedded_rules[];
extern const unsigned char ff_embedded_rules_sha256[32]; /* of those rules, as a pack's digest is made */
extern const ff_embedded ff_embedded_page[];

#endif
