/* seccomp: what an analysis calls is a short list; all else fails with EPERM. There is no socket, no exec, no fork,
 * no ptrace, no mount on it. Failing is kinder than killing: a C library that tries a newer call falls back. */
#include "guard_private.h"

#include <errno.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>

static const char *const allowed[] = {
    /* files that are open, or that Landlock lets be opened */
    "read",
    "pread64",
    "readv",
    "preadv",
    "write",
    "pwrite64",
    "writev",
    "pwritev",
    "open",
    "openat",
    "openat2",
    "close",
    "lseek",
    "_llseek",
    "fstat",
    "fstat64",
    "stat",
    "stat64",
    "lstat",
    "lstat64",
    "newfstatat",
    "fstatat64",
    "statx",
    "fstatfs",
    "fstatfs64",
    "statfs",
    "statfs64",
    "access",
    "faccessat",
    "faccessat2",
    "readlink",
    "readlinkat",
    "getdents",
    "getdents64",
    "fcntl",
    "fcntl64",
    "dup",
    "dup2",
    "dup3",
    "fadvise64",
    "posix_fadvise",
    "flock",
    "fsync",
    "fdatasync",
    "ftruncate",
    "ftruncate64",
    "fallocate",
    "fchmod",
    "umask",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "rmdir",
    "getcwd",
    "memfd_create",
    "copy_file_range",
    "sendfile",
    "pipe",
    "pipe2",
    "poll",
    "ppoll",
    "ppoll_time64",
    "select",
    "pselect6",
    /* memory */
    "mmap",
    "mmap2",
    "munmap",
    "mprotect",
    "mremap",
    "madvise",
    "brk",
    "membarrier",
    /* threads and signals of its own */
    "futex",
    "futex_time64",
    "set_robust_list",
    "get_robust_list",
    "rseq",
    "set_tid_address",
    "sched_yield",
    "sched_getaffinity",
    "sched_setaffinity",
    "rt_sigaction",
    "rt_sigprocmask",
    "rt_sigreturn",
    "rt_sigpending",
    "rt_sigtimedwait",
    "sigaltstack",
    "sigreturn",
    "tgkill",
    "restart_syscall",
    "exit",
    "exit_group",
    /* what it may know of itself */
    "getpid",
    "gettid",
    "getppid",
    "getuid",
    "geteuid",
    "getgid",
    "getegid",
    "getrandom",
    "clock_gettime",
    "clock_gettime64",
    "clock_getres",
    "clock_nanosleep",
    "clock_nanosleep_time64",
    "nanosleep",
    "gettimeofday",
    "time",
    "getrusage",
    "getrlimit",
    "ugetrlimit",
    "sysinfo",
    "uname",
    "times",
    "getcpu",
};

static bool allow(scmp_filter_ctx filter, const char *name)
{
    int number = seccomp_syscall_resolve_name(name);
    /* A name that this machine's kernel interface never had is no gap. */
    return number == __NR_SCMP_ERROR || seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0) == 0 || number < 0;
}

/* Threads, not processes: clone must share memory. The flags of clone3 lie in memory, where a filter cannot look;
 * told that it does not exist, the C library takes clone. */
static bool allow_threads(scmp_filter_ctx filter)
{
    const uint64_t shared = CLONE_VM | CLONE_THREAD;
    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                            SCMP_A0(SCMP_CMP_MASKED_EQ, shared, shared)) == 0 &&
           seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0;
}

/* Of ioctl only what a terminal is asked: whether it is one, and how wide. TIOCSTI, among the others, types. */
static bool allow_terminal(scmp_filter_ctx filter)
{
    static const unsigned long questions[] = { TCGETS, TIOCGWINSZ };
    for (size_t i = 0; i < FF_COUNT(questions); i++)
        if (seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1,
                             SCMP_A1(SCMP_CMP_EQ, (scmp_datum_t)questions[i])) != 0)
            return false;
    return true;
}

/* Reading a limit, never setting one: the new one, argument 3, must be NULL. */
static bool allow_limits(scmp_filter_ctx filter)
{
    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1, SCMP_A2(SCMP_CMP_EQ, 0)) == 0;
}

/* The library does not bear it when memory runs out while it makes the filter: it loads a wrong one, or spoils the
 * heap. So what it needs is there before: these blocks are free again afterwards, and the last one keeps the heap
 * from giving them back. */
#define RESERVE_BLOCKS 32u
#define RESERVE_BYTES ((size_t)64 * 1024)
static void *reserve_memory(void)
{
    void *blocks[RESERVE_BLOCKS];
    for (size_t i = 0; i < RESERVE_BLOCKS; i++)
        blocks[i] = ff_alloc(RESERVE_BYTES);
    void *last = ff_alloc(1);
    for (size_t i = 0; i < RESERVE_BLOCKS; i++)
        ff_free(blocks[i]);
    return last;
}

void ff_guard_syscalls(ff_text *missing)
{
    void *last = reserve_memory();
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    bool good = filter != NULL;
    for (size_t i = 0; good && i < FF_COUNT(allowed); i++)
        good = allow(filter, allowed[i]);
    good = good && allow_threads(filter) && allow_terminal(filter) && allow_limits(filter);
    int why = good ? seccomp_load(filter) : -ENOMEM;
    if (why != 0)
        ff_guard_miss(missing, "system calls are not confined", -why);
    if (filter)
        seccomp_release(filter);
    ff_free(last);
}
