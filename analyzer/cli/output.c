/* Files that appear whole or not at all: written beside their final name, flushed to disk, then renamed. Two runs
 * that write into one folder use different temporary names, so the last one wins and neither is torn. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* "DIR/.name.XXXXXX", made and open. Its name is short, so that a long final name still fits. */
static int open_beside(const char *path, char **temporary)
{
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0, n = folder + sizeof ".firstfault.XXXXXX";
    *temporary = ff_alloc(n);
    (void)snprintf(*temporary, n, "%.*s.firstfault.XXXXXX", (int)folder, path);
    return mkstemp(*temporary);
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

/* Ctrl-C waits until the file stands or is gone; writing takes moments. */
static void hold_signals(bool hold, sigset_t *before)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGHUP);
    (void)sigprocmask(hold ? SIG_BLOCK : SIG_SETMASK, hold ? &set : before, hold ? before : NULL);
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

bool cli_write_by(const char *path, cli_writer writer, const void *what)
{
    char *temporary = NULL;
    sigset_t before;
    if (is_special(path)) {
        cli_complain("cannot write %s: not a regular file", path);
        return false;
    }
    hold_signals(true, &before);
    int fd = open_beside(path, &temporary);
    bool good = fd >= 0;
    if (!good)
        (void)report(path, errno);
    if (good) {
        ff_error error = { 0 };
        (void)close(fd);
        good = writer(what, temporary, &error) == FF_OK;
        if (!good)
            cli_complain("cannot write %s: %s", path, error.text);
        good = good && settle(temporary, path);
        if (!good)
            (void)unlink(temporary);
    }
    ff_free(temporary);
    hold_signals(false, &before);
    return good;
}

bool cli_write_file(const char *path, ff_bytes content)
{
    if (strcmp(path, "-") == 0)
        return cli_emit(STDOUT_FILENO, content);
    if (is_special(path))
        return write_special(path, content);
    return cli_write_by(path, write_buffer, &(buffer_writer){ content });
}
