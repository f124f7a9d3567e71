/* Compiled databases on disk. Compiling takes up to seconds, loading a few milliseconds; but a cache is only ever a
 * help: a folder that is missing, full, foreign or damaged means that we compile. What is loaded here is later walked
 * by the scanner without bounds checks, so a file that somebody else could have written is not taken. */
#include "match_private.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/digest.h"

#define MAGIC "ffcache2"
#define HEAD (8 + PRINT) /* magic, print of the rest: against damage, for nobody else can write here */
#define PRINT sizeof(ff_print128)
#define CAP_BLOB (INT64_C(1) << 28) /* 5,000 signatures need 1.1 MiB */

static bool is_trusted(const struct stat *st)
{
    return S_ISREG(st->st_mode) && st->st_uid == geteuid() && (st->st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
           st->st_size > (off_t)HEAD && st->st_size < CAP_BLOB;
}

static bool read_whole(int fd, char *p, size_t n)
{
    while (n > 0) {
        ssize_t got = read(fd, p, n);
        if (got <= 0)
            return false;
        p += got;
        n -= (size_t)got;
    }
    return true;
}

static bool write_whole(int fd, const char *p, size_t n)
{
    while (n > 0) {
        ssize_t put = write(fd, p, n);
        if (put <= 0)
            return false;
        p += put;
        n -= (size_t)put;
    }
    return true;
}

static ff_print128 print_of(ff_bytes blob)
{
    ff_printer *printer = ff_printer_open();
    ff_printer_add(printer, blob);
    ff_print128 print = ff_printer_value(printer);
    ff_printer_close(printer);
    return print;
}

static bool is_intact(const char *file, size_t n)
{
    ff_print128 print = print_of((ff_bytes){ file + HEAD, n - HEAD });
    return memcmp(file, MAGIC, 8) == 0 && memcmp(file + 8, &print, PRINT) == 0;
}

bool ff_cache_read(const char *dir, const char *key, char **out, size_t *n)
{
    char path[FF_CAP_PATH];
    int length = snprintf(path, sizeof path, "%s/%s", dir, key);
    if (length < 0 || (size_t)length >= sizeof path)
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    char *file = NULL;
    bool good = false;
    struct stat st;
    if (fstat(fd, &st) != 0 || !is_trusted(&st))
        goto out;
    size_t size = (size_t)st.st_size;
    file = ff_alloc(size);
    if (!read_whole(fd, file, size) || !is_intact(file, size))
        goto out;
    memmove(file, file + HEAD, size - HEAD);
    *out = file;
    *n = size - HEAD;
    good = true;
out:
    if (!good)
        ff_free(file);
    close(fd);
    return good;
}

void ff_cache_write(const char *dir, const char *key, ff_bytes blob)
{
    char path[FF_CAP_PATH], temporary[FF_CAP_PATH];
    int a = snprintf(path, sizeof path, "%s/%s", dir, key);
    int b = snprintf(temporary, sizeof temporary, "%s/.%s.XXXXXX", dir, key);
    if (a < 0 || b < 0 || (size_t)a >= sizeof path || (size_t)b >= sizeof temporary)
        return;
    (void)mkdir(dir, 0700); /* there already, or the next call fails */
    int fd = mkstemp(temporary);
    if (fd < 0)
        return;
    ff_print128 print = print_of(blob);
    bool good =
        write_whole(fd, MAGIC, 8) && write_whole(fd, (const char *)&print, PRINT) && write_whole(fd, blob.p, blob.n);
    good = close(fd) == 0 && good;
    if (!good || rename(temporary, path) != 0)
        (void)unlink(temporary);
}
