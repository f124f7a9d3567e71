/* Gives up, for good, what reading a stranger's bundle does not need: the network, other programs, and every path
 * that was not named. Whatever a hostile file may do to a parser, it does it in this process. */
#ifndef FF_GUARD_H
#define FF_GUARD_H

#include "../base/text.h"

#define FF_GUARD_CPU_S (24 * 3600) /* a run of 16 TiB; then SIGXCPU comes */
/* Written memory ends where the machine's does, but not below this: one header of an archive may reserve 4 GiB. */
#define FF_GUARD_LEAST_MEMORY ((unsigned long)8 << 30)

typedef struct ff_guard_plan {
    const char *const *reads; /* files and folders, with all below them */
    uint32_t n_reads;
    const char *const
        *writes; /* folders: files in them may be made, read, replaced and removed; or one special file */
    uint32_t n_writes;
} ff_guard_plan;

/* Confines this process and all threads it starts later; call it before the first of them. Files already open stay
 * usable. Paths that do not exist are passed over. What the kernel cannot enforce is said in `missing`, one phrase
 * each ("file access is not confined: ..."), and the rest is enforced all the same. Empty: everything holds. */
void ff_guard(const ff_guard_plan *plan, ff_text *missing);

#endif
