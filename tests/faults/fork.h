/* Part of fail.c: every call of one kind fails in turn, each in a child of its own, so that nothing is done again for
 * each. Until the bundle is opened a child is made at the call itself, and there memory, once out, stays out: Lua
 * asks a second time. At the opening the process stops, and makes one child after the other whose first, second,
 * third ... call from there on fails. Needs --jobs 1 and --no-sandbox.
 *   FF_FORK=KIND       as in FF_FAIL
 *   FF_FORK_AT=TEXT    part of the path whose opening is meant
 *   FF_FORK_STEP=N     only each Nth call
 *   FF_FORK_LATE=1     only calls behind the opening
 *   FF_FORK_OUT=DIR    where outputs go; emptied after each child, but what no child before it left is moved to DIR.N
 *   FF_FORK_LOG=FILE   a line a child: early or late, number of the call, exit code or 128 + signal, files left,
 *                      whether it spoke */
#include <dirent.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { MOST_SEEN = 4096, SECONDS = 60 };
static int fork_kind = -1, fork_log = -1, fork_err = -1, fork_busy, fork_late;
static const char *fork_out, *fork_path;
static long fork_step = 1;
static int *fork_fired; /* shared with the children */
static uint64_t seen[MOST_SEEN];
static int n_seen;
static long n_early;

static uint64_t mix(uint64_t sum, const void *bytes, size_t n)
{
    for (const unsigned char *p = bytes; n--; p++)
        sum = (sum ^ *p) * 0x100000001b3u;
    return sum;
}

static uint64_t sum_of_file(const char *path, const char *name)
{
    char room[65536];
    uint64_t sum = mix(0xcbf29ce484222325u, name, strlen(name));
    int fd = NEXT(open)(path, O_RDONLY | O_CLOEXEC);
    for (ssize_t n; fd >= 0 && (n = NEXT(read)(fd, room, sizeof room)) > 0;)
        sum = mix(sum, room, (size_t)n);
    if (fd >= 0)
        NEXT(close)(fd);
    return sum;
}

/* Sums up, or removes, what lies in the folder. */
static int for_files(int removing, uint64_t *sum)
{
    DIR *d = opendir(fork_out);
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        char path[4096];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", fork_out, e->d_name);
        n++;
        if (removing)
            unlink(path);
        else
            *sum += sum_of_file(path, e->d_name);
    }
    if (d)
        closedir(d);
    return n;
}

static int empty_out(void)
{
    uint64_t sum = 0;
    int n = for_files(0, &sum), k = 0;
    while (k < n_seen && seen[k] != sum)
        k++;
    if (n && k == n_seen && n_seen < MOST_SEEN) {
        char kept[4096];
        snprintf(kept, sizeof kept, "%s.%d", fork_out, n_seen);
        seen[n_seen++] = sum;
        NEXT(rename)(fork_out, kept);
        mkdir(fork_out, 0700);
    }
    (void)for_files(1, NULL);
    return n;
}

static int has_spoken(void)
{
    char said[4096];
    ssize_t n = NEXT(pread)(fork_err, said, sizeof said - 1, 0);
    said[n > 0 ? n : 0] = 0;
    return strstr(said, "firstfault: ") != NULL;
}

/* In the child 1; in the parent 0, when the child has ended. */
static int make_child(const char *when, long number)
{
    int status = 0;
    if (ftruncate(fork_err, 0) != 0 || lseek(fork_err, 0, SEEK_SET) != 0)
        abort();
    pid_t child = fork();
    if (child == 0) {
        dup2(fork_err, STDERR_FILENO);
        alarm(SECONDS);
        return 1;
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        abort();
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    dprintf(fork_log, "%s %ld %d %d %d\n", when, number, code, empty_out(), has_spoken());
    return 0;
}

static void be_faulty(long number)
{
    chosen = fork_kind;
    first = number;
    fork_kind = -1;
    for (int i = 0; i < KINDS; i++)
        atomic_store(&calls[i], 0);
}

static int fork_at_call(void)
{
    if (fork_busy || fork_late)
        return 0;
    fork_busy = 1;
    if (n_early++ % fork_step == 0 && make_child("early", n_early)) {
        all_later = fork_kind == MEMORY;
        be_faulty(1);
        atomic_store(&calls[chosen], 1);
        errno = errors[chosen];
        return 1;
    }
    fork_busy = 0;
    return 0;
}

static void fork_at_open(const char *path)
{
    if (fork_kind < 0 || fork_busy || !strstr(path, fork_path))
        return;
    fork_busy = 1;
    long n = 1 - fork_step;
    do {
        *fork_fired = 0;
        if (make_child("late", n += fork_step)) {
            be_faulty(n);
            return;
        }
    } while (*fork_fired);
    _exit(0);
}

static void choose_fork(void)
{
    const char *kind = getenv("FF_FORK"), *log = getenv("FF_FORK_LOG");
    const char *step = getenv("FF_FORK_STEP");
    fork_step = step ? strtol(step, NULL, 10) : 1;
    fork_late = getenv("FF_FORK_LATE") != NULL;
    fork_path = getenv("FF_FORK_AT");
    fork_out = getenv("FF_FORK_OUT");
    if (!kind || !log || !fork_path || !fork_out)
        return;
    fork_log = NEXT(open)(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, 0600);
    fork_err = memfd_create("err", MFD_CLOEXEC);
    fork_fired = mmap(NULL, sizeof *fork_fired, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < KINDS && fork_log >= 0 && fork_err >= 0 && fork_fired != MAP_FAILED; i++)
        if (strcmp(kind, names[i]) == 0)
            fork_kind = i;
}
