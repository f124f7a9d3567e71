/* Paths first: the system calls that set them up are not on the list of what an analysis may call. */
#include "guard_private.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

void ff_guard_miss(ff_text *missing, const char *what, int why)
{
    if (ff_text_view(missing).n)
        ff_text_adds(missing, "; ");
    ff_text_adds(missing, what);
    ff_text_adds(missing, ": ");
    ff_text_adds(missing, strerror(why));
}

/* A core file would carry the bundle's private text to a place nobody asked for. */
static void forbid_core(ff_text *missing)
{
    if (setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 }) != 0)
        ff_guard_miss(missing, "core files are not forbidden", errno);
}

void ff_guard(const ff_guard_plan *plan, ff_text *missing)
{
    forbid_core(missing);
    ff_guard_paths(plan, missing);
    ff_guard_syscalls(missing);
}
