/* Paths first: the system calls that set them up are not on the list of what an analysis may call. */
#define _DEFAULT_SOURCE /* RLIMIT_DATA is POSIX, _SC_PHYS_PAGES is not */
#include "guard_private.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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

/* Never above what the process was given. */
static void limit(int what, rlim_t most, const char *lacking, ff_text *missing)
{
    struct rlimit now;
    if (getrlimit(what, &now) != 0) {
        ff_guard_miss(missing, lacking, errno);
        return;
    }
    struct rlimit wanted = { most < now.rlim_cur ? most : now.rlim_cur, now.rlim_max };
    if (wanted.rlim_cur != now.rlim_cur && setrlimit(what, &wanted) != 0)
        ff_guard_miss(missing, lacking, errno);
}

/* What a machine has; the rest would come from others' memory, or from its disk. The shadow that sanitizers keep of
 * all addresses counts as data, so under them nothing is left to be allocated. */
static rlim_t memory_of_machine(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return RLIM_INFINITY;
#else
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    rlim_t all = pages > 0 && size > 0 ? (rlim_t)pages * (rlim_t)size : 0;
    return all > FF_GUARD_LEAST_MEMORY ? all : FF_GUARD_LEAST_MEMORY;
#endif
}

void ff_guard(const ff_guard_plan *plan, ff_text *missing)
{
    forbid_core(missing);
    limit(RLIMIT_CPU, FF_GUARD_CPU_S, "CPU time is not limited", missing);
    limit(RLIMIT_DATA, memory_of_machine(), "memory is not limited", missing);
    ff_guard_paths(plan, missing);
    ff_guard_syscalls(missing);
}
