/* The files of a pack, in an order that does not depend on the file system. Only regular files are read (a symbolic
 * link to one is followed, as mounted config maps consist of them), names that begin with a dot are left alone, and
 * folders are not followed through links, so there is no circle. */
#include "engine_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/digest.h"

typedef struct walk {
    ff_arena *arena;
    ff_rule_file_list *out;
    ff_bytes base; /* name of the top folder */
    ff_error *error;
} walk;

static ff_status read_file(walk *w, int dir, const char *entry, ff_bytes name)
{
    int fd = openat(dir, entry, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        int why = errno;
        if (fd >= 0)
            close(fd);
        return ff_fail(w->error, "reading rule file %.*s: %s", (int)name.n, name.p, strerror(why));
    }
    ff_status status = FF_OK;
    if (!S_ISREG(st.st_mode))
        goto out;
    if (st.st_size > (off_t)FF_RULE_FILE_BYTES || w->out->n >= FF_RULE_FILES) {
        status = ff_fail(w->error, "reading rule file %.*s: %s", (int)name.n, name.p,
                         w->out->n >= FF_RULE_FILES ? "more than 4096 files" : "longer than 1 MiB");
        goto out;
    }
    char *bytes = ff_arena_take(w->arena, (size_t)st.st_size + 1);
    size_t n = 0;
    ssize_t got = 0;
    while (n < (size_t)st.st_size && (got = read(fd, bytes + n, (size_t)st.st_size - n)) > 0)
        n += (size_t)got;
    if (got < 0) {
        status = ff_fail(w->error, "reading rule file %.*s: %s", (int)name.n, name.p, strerror(errno));
        goto out;
    }
    ff_rule_file file = { .name = name, .bytes = { bytes, n } };
    FF_PUSH(w->out, file);
out:
    close(fd);
    return status;
}

static ff_status walk_folder(walk *w, int fd, ff_bytes prefix, int depth);

static ff_status walk_entry(walk *w, int dir, const char *entry, ff_bytes prefix, int depth)
{
    ff_bytes name = ff_arena_format(w->arena, "%.*s/%s", (int)prefix.n, prefix.p, entry);
    struct stat st;
    if (fstatat(dir, entry, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return FF_OK; /* gone since */
    if (S_ISDIR(st.st_mode)) {
        if (depth >= FF_RULE_DEPTH)
            return ff_fail(w->error, "reading rules: folder %.*s is too deep", (int)name.n, name.p);
        int fd = openat(dir, entry, O_RDONLY | O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW);
        return fd < 0 ? ff_fail(w->error, "reading rules in %.*s: %s", (int)name.n, name.p, strerror(errno))
                      : walk_folder(w, fd, name, depth + 1);
    }
    if (!ff_ends(ff_str(entry), FF_LIT(".lua")))
        return FF_OK;
    return read_file(w, dir, entry, name);
}

/* Takes fd over. */
static ff_status walk_folder(walk *w, int fd, ff_bytes prefix, int depth)
{
    DIR *d = fdopendir(fd);
    if (!d) {
        close(fd);
        return ff_fail(w->error, "reading rules in %.*s: %s", (int)prefix.n, prefix.p, strerror(errno));
    }
    ff_status status = FF_OK;
    const struct dirent *e;
    while (status == FF_OK && (e = readdir(d)) != NULL)
        if (e->d_name[0] != '.')
            status = walk_entry(w, dirfd(d), e->d_name, prefix, depth);
    closedir(d);
    return status;
}

static ff_bytes last_part(ff_bytes path)
{
    ff_bytes name = ff_base_name(path);
    bool nameless = name.n == 0 || ff_equal(name, FF_LIT(".")) || ff_equal(name, FF_LIT(".."));
    return nameless ? FF_LIT("rules") : name;
}

static int compare_files(const void *a, const void *b)
{
    const ff_rule_file *x = a, *y = b;
    if (x->first != y->first)
        return x->first ? -1 : 1;
    return ff_compare(x->name, y->name);
}

void ff_rule_files_sort(ff_rule_file_list *list)
{
    for (uint32_t i = 0; i < list->n; i++) {
        ff_bytes rest = list->at[i].name, top = { 0 };
        list->at[i].first = ff_take_until(&rest, '/', &top) && ff_equal(rest, FF_LIT("causes.lua"));
    }
    if (list->n > 0)
        qsort(list->at, list->n, sizeof *list->at, compare_files);
}

ff_status ff_rule_files_read(const char *folder, ff_arena *arena, ff_rule_file_list *out, ff_bytes *base_name,
                             ff_error *error)
{
    int fd = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    if (fd < 0)
        return ff_fail(error, "reading rules in %s: %s", folder, strerror(errno));
    walk w = { .arena = arena, .out = out, .base = last_part(ff_str(folder)), .error = error };
    w.base = ff_arena_copy(arena, w.base);
    ff_status status = walk_folder(&w, fd, w.base, 0);
    if (status != FF_OK)
        return status;
    ff_rule_files_sort(out);
    *base_name = w.base;
    return FF_OK;
}

static int compare_names(const void *a, const void *b)
{
    const ff_rule_file *const *x = a, *const *y = b;
    return ff_compare((*x)->name, (*y)->name);
}

/* Names count without the top folder, which is only where the user happens to keep the pack. */
void ff_rule_files_digest(const ff_rule_file_list *list, uint8_t out[32])
{
    ff_arena arena;
    ff_arena_init(&arena);
    const ff_rule_file **order = FF_NEW_N(&arena, const ff_rule_file *, (size_t)list->n + 1);
    for (uint32_t i = 0; i < list->n; i++)
        order[i] = &list->at[i];
    qsort(order, list->n, sizeof *order, compare_names);
    ff_bytes *parts = FF_NEW_N(&arena, ff_bytes, 3 * (size_t)list->n + 1);
    size_t n = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        ff_bytes name = order[i]->name, top = { 0 };
        (void)ff_take_until(&name, '/', &top);
        parts[n++] = ff_arena_format(&arena, "%zu %zu ", name.n, order[i]->bytes.n);
        parts[n++] = name;
        parts[n++] = order[i]->bytes;
    }
    ff_sha256_of(parts, n, out);
    ff_arena_done(&arena);
}
