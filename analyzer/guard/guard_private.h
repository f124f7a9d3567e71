/* Shared by the files of analyzer/guard/ only. Each part adds to `missing` what it could not do. */
#ifndef FF_GUARD_PRIVATE_H
#define FF_GUARD_PRIVATE_H

#include "guard.h"

void ff_guard_paths(const ff_guard_plan *plan, ff_text *missing);
void ff_guard_syscalls(ff_text *missing);
void ff_guard_miss(ff_text *missing, const char *what, int why);

#endif
