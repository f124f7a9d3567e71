/* Slurm's bracketed lists of hosts: "gpu-a[01-03,07],login1" is gpu-a01 gpu-a02 gpu-a03 gpu-a07 login1. */
#ifndef FF_HOSTLIST_H
#define FF_HOSTLIST_H

#include "../analyzer/base/arena.h"

#define FF_CAP_HOSTLIST 65536u /* hosts of one list; Slurm's own cap is 64k */

typedef struct ff_hostlist {
    ff_bytes *at; /* in the order of the list, in arena */
    uint32_t n;
} ff_hostlist;

/* False: no list, or longer than the cap; out is empty then. "(null)" and "" are no hosts. */
bool ff_hostlist_expand(ff_bytes text, ff_arena *arena, ff_hostlist *out);

#endif
