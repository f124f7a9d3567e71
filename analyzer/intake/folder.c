/* Folders on disk. Nothing is followed: every part of a path is opened by itself and must be a real folder, and only
 * regular files are read. The list is made first, in name order; then threads take one file after the other. */
#include "intake_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_THREADS 16u
#define BLOCK_BYTES 512 /* unit of st_blocks */

/* ---- a file as a source ---- */

struct ff_file_source {
    ff_source source;
    ff_walk *walk;
    int fd;
    uint64_t on_disk, read; /* holes of a sparse file do not count as bytes that were there */
};

const char *ff_why_unread(int error_number)
{
    switch (error_number) {
    case EACCES:
    case EPERM:
        return "permission denied";
    case ENOENT:
        return "no such file";
    case ELOOP:
    case ENXIO:
        return "not a regular file";
    case EMFILE:
    case ENFILE:
        return "too many open files";
    case ENOTDIR:
        return "not a folder";
    case EIO:
        return "input/output error";
    default:
        return "could not be read";
    }
}

static int64_t file_read(ff_source *s, char *to, size_t n)
{
    ff_file_source *f = (ff_file_source *)s;
    ssize_t got;
    do {
        got = read(f->fd, to, n);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        s->problem = ff_str(ff_why_unread(errno));
        return -1;
    }
    uint64_t before = f->read < f->on_disk ? f->read : f->on_disk;
    f->read += (uint64_t)got;
    f->walk->packed += (f->read < f->on_disk ? f->read : f->on_disk) - before;
    return got;
}

static int64_t file_seek(ff_source *s, int64_t offset, int whence)
{
    return (int64_t)lseek(((ff_file_source *)s)->fd, (off_t)offset, whence);
}

ff_source *ff_file_source_open(ff_walk *w, int fd, bool can_seek)
{
    struct stat st;
    bool known = can_seek && fstat(fd, &st) == 0;
    ff_file_source *f = ff_alloc(sizeof *f);
    *f = (ff_file_source){ .source = { .read = file_read, .seek = can_seek ? file_seek : NULL },
                           .walk = w,
                           .fd = fd,
                           .on_disk = known ? (uint64_t)st.st_blocks * BLOCK_BYTES : UINT64_MAX };
    w->packed = w->unpacked = 0;
    w->stop = false;
    return &f->source;
}

void ff_file_source_close(ff_source *s) { ff_free(s); }

/* ---- the list ---- */

typedef struct file {
    ff_bytes path;      /* below the folder */
    const char *unread; /* NULL, or why it is not even opened */
    int64_t mtime_s;
    bool linked; /* has further names */
    dev_t device;
    ino_t inode;
} file;

typedef FF_VEC(file) file_list;
typedef FF_VEC(ff_bytes) path_list;

typedef struct crowd {
    ff_shared *shared;
    uint32_t input;
    int top;
    file_list files;
    atomic_uint next;
} crowd;

/* An open file or folder `path` below the folder `top`, without following anything on the way; -1: errno says why. */
static int open_below(int top, const char *path, int flags)
{
    int at = top;
    char part[256];
    for (;;) {
        const char *slash = strchr(path, '/');
        size_t n = slash ? (size_t)(slash - path) : strlen(path);
        if (n >= sizeof part) {
            errno = ENAMETOOLONG;
            break;
        }
        memcpy(part, path, n);
        part[n] = '\0';
        int way = slash ? O_RDONLY | O_DIRECTORY : flags;
        int next = openat(at, n ? part : ".", way | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY);
        int why = errno;
        if (at != top)
            close(at);
        if (!slash || next < 0) {
            errno = why;
            return next;
        }
        at = next;
        path = slash + 1;
    }
    if (at != top)
        close(at);
    return -1;
}

static int by_path(const void *a, const void *b)
{
    return ff_compare(((const file *)a)->path, ((const file *)b)->path);
}

static ff_bytes path_below(ff_arena *arena, ff_bytes folder, const char *name)
{
    return folder.n ? ff_arena_format(arena, "%.*s/%s", (int)folder.n, folder.p, name)
                    : ff_arena_copy(arena, ff_str(name));
}

static void list_entry(int folder_fd, const char *name, ff_bytes path, file_list *files, path_list *folders)
{
    struct stat st;
    if (fstatat(folder_fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        FF_PUSH(files, ((file){ .path = path, .unread = ff_why_unread(errno) }));
    else if (S_ISDIR(st.st_mode))
        FF_PUSH(folders, path);
    else
        FF_PUSH(files, ((file){ .path = path,
                                .unread = S_ISREG(st.st_mode) ? NULL : "not a regular file",
                                .mtime_s = (int64_t)st.st_mtim.tv_sec,
                                .linked = S_ISREG(st.st_mode) && st.st_nlink > 1,
                                .device = st.st_dev,
                                .inode = st.st_ino }));
}

static void list_folder(crowd *c, ff_bytes folder, ff_arena *arena, path_list *folders)
{
    file_list *files = &c->files;
    int fd = open_below(c->top, folder.n ? folder.p : ".", O_RDONLY | O_DIRECTORY);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d) {
        FF_PUSH(files, ((file){ .path = folder.n ? folder : FF_LIT("."), .unread = ff_why_unread(errno) }));
        if (fd >= 0)
            close(fd);
        return;
    }
    struct dirent *e;
    while ((e = readdir(d)) != NULL && files->n < FF_CAP_MEMBERS) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (folder.n + strlen(e->d_name) > FF_CAP_PATH)
            ff_note_limit(c->shared, "path length", c->input, ff_first_n(folder, 256), folder.n + strlen(e->d_name));
        else
            list_entry(fd, e->d_name, path_below(arena, folder, e->d_name), files, folders);
    }
    closedir(d);
}

static int by_inode(const void *a, const void *b)
{
    const file *x = *(file *const *)a, *y = *(file *const *)b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->inode != y->inode)
        return x->inode < y->inode ? -1 : 1;
    return ff_compare(x->path, y->path);
}

/* Of several names of one file the first is read, as it is out of an archive. */
static void settle_links(file_list *files)
{
    FF_VEC(file *) linked = { 0 };
    for (uint32_t i = 0; i < files->n; i++)
        if (files->at[i].linked)
            FF_PUSH(&linked, &files->at[i]);
    if (linked.n)
        qsort(linked.at, linked.n, sizeof *linked.at, by_inode);
    for (uint32_t i = 1; i < linked.n; i++)
        if (linked.at[i]->device == linked.at[i - 1]->device && linked.at[i]->inode == linked.at[i - 1]->inode)
            linked.at[i]->unread = ff_hard_link;
    ff_free(linked.at);
}

static void list_all(crowd *c, ff_arena *arena)
{
    file_list *files = &c->files;
    path_list folders = { 0 };
    FF_PUSH(&folders, ((ff_bytes){ "", 0 }));
    while (folders.n) {
        ff_bytes folder = folders.at[--folders.n];
        list_folder(c, folder, arena, &folders);
    }
    ff_free(folders.at);
    if (files->n)
        qsort(files->at, files->n, sizeof *files->at, by_path);
    settle_links(files);
    if (files->n >= FF_CAP_MEMBERS)
        ff_note_limit(c->shared, "members", c->input, (ff_bytes){ NULL, 0 }, files->n);
}

/* ---- reading it ---- */

typedef struct reader {
    crowd *crowd;
    ff_pipe *pipe;
    ff_walk walk;
} reader;

static void read_file(reader *r, const file *f)
{
    ff_item item = { .name = f->path, .mtime_s = f->mtime_s };
    if (f->unread) {
        ff_walk_unread(&r->walk, item, f->unread);
        return;
    }
    int fd = open_below(r->crowd->top, f->path.p, O_RDONLY | O_NONBLOCK);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        ff_walk_unread(&r->walk, item, fd < 0 ? ff_why_unread(errno) : "not a regular file");
    } else {
        item.mtime_s = (int64_t)st.st_mtim.tv_sec;
        ff_source *source = ff_file_source_open(&r->walk, fd, true);
        ff_walk_item(&r->walk, item, source);
        ff_file_source_close(source);
    }
    if (fd >= 0)
        close(fd);
}

static void *read_files(void *argument)
{
    reader *r = argument;
    unsigned i;
    while ((i = atomic_fetch_add(&r->crowd->next, 1)) < r->crowd->files.n)
        read_file(r, &r->crowd->files.at[i]);
    return NULL;
}

static bool open_reader(reader *r, crowd *c, ff_error *error)
{
    r->crowd = c;
    r->pipe = ff_pipe_open(c->shared, 0, error);
    if (!r->pipe)
        return false;
    ff_walk_init(&r->walk, c->shared, r->pipe);
    r->walk.input = c->input;
    return true;
}

static void close_reader(reader *r)
{
    ff_pipe_close(r->pipe);
    ff_walk_done(&r->walk);
}

static void read_all(crowd *c)
{
    reader readers[MOST_THREADS];
    pthread_t threads[MOST_THREADS];
    unsigned want = c->shared->jobs < MOST_THREADS ? c->shared->jobs : MOST_THREADS;
    want = want > c->files.n ? c->files.n : want;
    unsigned n = 0;
    ff_error error = { { 0 } };
    if (!open_reader(&readers[0], c, &error)) {
        ff_give_up(c->shared, &error);
        return;
    }
    /* The first one is this thread. Fewer of them than wanted are slower, not wrong. */
    for (n = 1; n < want && open_reader(&readers[n], c, NULL); n++)
        if (pthread_create(&threads[n], NULL, read_files, &readers[n]) != 0) {
            close_reader(&readers[n]);
            break;
        }
    read_files(&readers[0]);
    for (unsigned i = 0; i < n; i++) {
        if (i > 0)
            pthread_join(threads[i], NULL);
        close_reader(&readers[i]);
    }
}

bool ff_walk_folder(ff_shared *sh, uint32_t input, const char *path, const char **why)
{
    int top = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (top < 0) {
        *why = ff_why_unread(errno);
        return false;
    }
    crowd c = { .shared = sh, .input = input, .top = top };
    ff_arena names;
    ff_arena_init(&names);
    list_all(&c, &names);
    if (c.files.n)
        read_all(&c);
    ff_arena_done(&names);
    ff_free(c.files.at);
    close(top);
    return true;
}
