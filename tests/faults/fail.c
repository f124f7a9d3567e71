/* Preloaded: makes the Nth call of one kind fail, as a full disk, a bad sector or a machine without memory would.
 *   FF_FAIL=read:3     the third read fails with EIO (all later ones too with "read:3+")
 *   FF_FAIL_COUNT=FILE how many calls of each kind there were is added to FILE when the program ends
 *   FF_FORK=read       every read fails in turn, each in a child of its own (fork.h) */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum kind { MEMORY, OPEN, READ, WRITE, CLOSE, FSYNC, RENAME, KINDS };
static const char *const names[KINDS] = { "memory", "open", "read", "write", "close", "fsync", "rename" };
static const int errors[KINDS] = { ENOMEM, EMFILE, EIO, ENOSPC, EIO, EIO, ENOSPC };

static atomic_long calls[KINDS];
static int chosen = -1;
static long first;
static int all_later;
static int count_fd = -1;
static void choose_fork(void);

/* Before main, so that what the loader does is not counted. */
__attribute__((constructor)) static void choose(void)
{
    const char *wish = getenv("FF_FAIL"), *file = getenv("FF_FAIL_COUNT");
    for (int i = 0; wish && i < KINDS; i++) {
        size_t n = strlen(names[i]);
        if (strncmp(wish, names[i], n) == 0 && wish[n] == ':') {
            char *end = NULL;
            first = strtol(wish + n + 1, &end, 10);
            all_later = *end == '+';
            chosen = i;
        }
    }
    if (file)
        count_fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    for (int i = 0; i < KINDS; i++)
        atomic_store(&calls[i], 0);
    choose_fork();
}

__attribute__((destructor)) static void tell(void)
{
    for (int i = 0; count_fd >= 0 && i < KINDS; i++)
        dprintf(count_fd, "%s %ld\n", names[i], atomic_load(&calls[i]));
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#include "fork.h"

static int fails(enum kind kind)
{
    if ((int)kind == fork_kind)
        return fork_at_call();
    long n = atomic_fetch_add(&calls[kind], 1) + 1;
    if ((int)kind != chosen || (all_later ? n < first : n != first))
        return 0;
    if (fork_fired)
        *fork_fired = 1;
    errno = errors[kind];
    return 1;
}

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t each);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t align, size_t n);

/* For libseccomp memory is reserved before it is asked: there it cannot run out. */
static int is_reserved(const void *caller)
{
    Dl_info who;
    return chosen == MEMORY && dladdr(caller, &who) && who.dli_fname && strstr(who.dli_fname, "libseccomp");
}
#define NO_MEMORY() (!is_reserved(__builtin_return_address(0)) && fails(MEMORY))

void *malloc(size_t n) { return NO_MEMORY() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t each) { return NO_MEMORY() ? NULL : __libc_calloc(n, each); }
void *realloc(void *p, size_t n) { return NO_MEMORY() ? NULL : __libc_realloc(p, n); }
void *aligned_alloc(size_t align, size_t n) { return fails(MEMORY) ? NULL : __libc_memalign(align, n); }
int posix_memalign(void **out, size_t align, size_t n)
{
    void *p = fails(MEMORY) ? NULL : __libc_memalign(align, n);
    if (!p)
        return ENOMEM;
    *out = p;
    return 0;
}

ssize_t read(int fd, void *to, size_t n) { return fails(READ) ? -1 : NEXT(read)(fd, to, n); }
ssize_t __read_chk(int fd, void *to, size_t n, size_t room)
{
    (void)room;
    return read(fd, to, n);
}
ssize_t pread(int fd, void *to, size_t n, off_t at) { return fails(READ) ? -1 : NEXT(pread)(fd, to, n, at); }
/* Standard error stays: what is said of the fault is what the test reads. */
ssize_t write(int fd, const void *from, size_t n)
{
    return fd != STDERR_FILENO && fails(WRITE) ? -1 : NEXT(write)(fd, from, n);
}
size_t fwrite(const void *from, size_t each, size_t n, FILE *f)
{
    return f != stderr && fails(WRITE) ? 0 : NEXT(fwrite)(from, each, n, f);
}
int close(int fd) { return NEXT(close)(fd) != 0 || fails(CLOSE) ? -1 : 0; }
int fclose(FILE *f) { return NEXT(fclose)(f) != 0 || fails(CLOSE) ? EOF : 0; }
int fsync(int fd) { return fails(FSYNC) ? -1 : NEXT(fsync)(fd); }
int rename(const char *from, const char *to) { return fails(RENAME) ? -1 : NEXT(rename)(from, to); }

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    fork_at_open(path);
    return fails(OPEN) ? -1 : NEXT(open)(path, flags, mode);
}
int openat(int at, const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    fork_at_open(path);
    return fails(OPEN) ? -1 : NEXT(openat)(at, path, flags, mode);
}
FILE *fopen(const char *path, const char *mode) { return fails(OPEN) ? NULL : NEXT(fopen)(path, mode); }
int mkstemp(char *template) { return fails(OPEN) ? -1 : NEXT(mkstemp)(template); }
