/* Files that appear whole or not at all: written beside their final name, flushed to disk, then renamed. Two runs
 * that write into one folder use different temporary names, so the last one wins and neither is torn. What a killed
 * run left is removed by the next one. */
/* flock is no part of POSIX. */
#define _DEFAULT_SOURCE

#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

char *cli_join(const char *folder, const char *name)
{
    size_t n = strlen(folder) + strlen(name) + 2;
    char *path = ff_alloc(n);
    (void)snprintf(path, n, "%s%s%s", folder, *folder && folder[strlen(folder) - 1] == '/' ? "" : "/", name);
    return path;
}

bool cli_is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool cli_make_folder(const char *path)
{
    char *part = cli_join(path, "");
    bool made = true;
    for (char *slash = part + 1; made && (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        made = mkdir(part, 0777) == 0 || errno == EEXIST || cli_is_folder(part);
        *slash = '/';
    }
    if (!made || !cli_is_folder(path)) {
        cli_complain("cannot make the folder %s: %s", path, strerror(made ? ENOTDIR : errno));
        made = false;
    }
    ff_free(part);
    return made;
}

/* A device, a pipe or a terminal is written to, not replaced. */
static bool is_special(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static mode_t usual_mode(void)
{
    mode_t mask = umask(0);
    (void)umask(mask);
    return 0666 & ~mask;
}

#define BESIDE ".firstfault." /* six more characters make the name of a file that is being written */

/* Whoever writes a file holds a lock on it; one that nobody holds was left by a run that was killed. The lock is kept
 * while it is removed, so that who has just made it sees that it is gone, and makes another. Where a file system
 * knows no locks, nothing is removed. */
static void sweep(int folder, const char *name)
{
    if (strlen(name) != sizeof BESIDE + 5 || strncmp(name, BESIDE, sizeof BESIDE - 1) != 0)
        return;
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat st;
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0)
        (void)unlinkat(folder, name, 0);
    (void)close(fd);
}

static void sweep_folder(const char *path)
{
    DIR *d = opendir(path);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
        sweep(dirfd(d), e->d_name);
    if (d)
        (void)closedir(d);
}

/* "DIR/.firstfault.XXXXXX", made, open and locked. Its name is short, so that a long final name still fits. */
static int open_beside(const char *path, char **temporary)
{
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0, n = folder + sizeof BESIDE "XXXXXX";
    struct stat st;
    *temporary = ff_alloc(n);
    (void)snprintf(*temporary, n, "%.*s", (int)folder, path);
    sweep_folder(folder ? *temporary : ".");
    for (;;) {
        (void)snprintf(*temporary, n, "%.*s" BESIDE "XXXXXX", (int)folder, path);
        int fd = mkstemp(*temporary);
        if (fd < 0 || flock(fd, LOCK_EX) != 0 || fstat(fd, &st) != 0 || st.st_nlink > 0)
            return fd;
        (void)close(fd); /* another run swept it away before it had its lock */
    }
}

static bool fill(int fd, ff_bytes content)
{
    while (content.n) {
        ssize_t n = write(fd, content.p, content.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        content = ff_skip_n(content, (size_t)n);
    }
    return true;
}

/* fsync says EINVAL where there is nothing to flush. */
static bool flush(int fd) { return fsync(fd) == 0 || errno == EINVAL || errno == EROFS; }

static bool report(const char *path, int why)
{
    cli_complain("cannot write %s: %s", path, strerror(why));
    return false;
}

static bool write_special(const char *path, ff_bytes content)
{
    int fd = open(path, O_WRONLY);
    if (fd < 0)
        return report(path, errno);
    bool good = fill(fd, content);
    int why = errno;
    if (close(fd) != 0 && good) {
        good = false;
        why = errno;
    }
    return good || report(path, why);
}

typedef struct buffer_writer {
    ff_bytes content;
} buffer_writer;

static ff_status write_buffer(const void *what, const char *path, ff_error *error)
{
    const buffer_writer *w = what;
    int fd = open(path, O_WRONLY | O_TRUNC);
    if (fd < 0)
        return ff_fail(error, "%s", strerror(errno));
    bool good = fill(fd, w->content);
    int why = errno;
    if (close(fd) != 0 && good) {
        good = false;
        why = errno;
    }
    return good ? FF_OK : ff_fail(error, "%s", strerror(why));
}

static bool settle(const char *temporary, const char *path)
{
    int fd = open(temporary, O_RDONLY);
    if (fd < 0)
        return report(path, errno);
    bool good = fchmod(fd, usual_mode()) == 0 && flush(fd);
    int why = errno;
    if (close(fd) != 0 && good) {
        good = false;
        why = errno;
    }
    if (good && rename(temporary, path) != 0) {
        good = false;
        why = errno;
    }
    return good || report(path, why);
}

static bool write_beside(const char *path, cli_writer writer, const void *what)
{
    char *temporary = NULL;
    cli_ends_wait();
    int fd = open_beside(path, &temporary), why = errno;
    unsigned will = fd >= 0 ? cli_will_add(temporary) : 0;
    cli_ends_come();
    bool good = fd >= 0;
    if (!good)
        (void)report(path, why);
    if (good) {
        ff_error error = { 0 };
        good = writer(what, temporary, &error) == FF_OK;
        if (!good)
            cli_complain("cannot write %s: %s", path, error.text);
        good = good && settle(temporary, path);
        if (!good)
            (void)unlink(temporary);
        cli_will_drop(will);
        (void)close(fd); /* and with it the lock */
    }
    ff_free(temporary);
    return good;
}

bool cli_write_by(const char *path, cli_writer writer, const void *what)
{
    if (!is_special(path))
        return write_beside(path, writer, what);
    cli_complain("cannot write %s: not a regular file", path);
    return false;
}

bool cli_write_over(const char *path, ff_bytes content)
{
    return write_beside(path, write_buffer, &(buffer_writer){ content });
}

bool cli_write_file(const char *path, ff_bytes content)
{
    if (strcmp(path, "-") == 0)
        return cli_emit(STDOUT_FILENO, content);
    if (is_special(path))
        return write_special(path, content);
    return cli_write_by(path, write_buffer, &(buffer_writer){ content });
}
