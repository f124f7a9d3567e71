/* What a guarded process may still do, tried in a child of its own, since a guard cannot be taken off. */
#define _GNU_SOURCE
#include "check.h"

#include "../analyzer/guard/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ALL_HOLDS = 77 }; /* told apart from a crash, and from an exit code of exec's */

typedef struct place {
    char root[64], in[80], out[80], secret[80];
} place;

static void make_file(const char *path)
{
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    CHECK(fd >= 0 && write(fd, "x", 1) == 1 && close(fd) == 0);
}

static place make_place(void)
{
    place p = { .root = "/tmp/firstfault-guard-XXXXXX" };
    CHECK(mkdtemp(p.root) != NULL);
    (void)snprintf(p.in, sizeof p.in, "%s/in", p.root);
    (void)snprintf(p.out, sizeof p.out, "%s/out", p.root);
    (void)snprintf(p.secret, sizeof p.secret, "%s/secret", p.root);
    CHECK(mkdir(p.in, 0700) == 0 && mkdir(p.out, 0700) == 0);
    char inside[96];
    (void)snprintf(inside, sizeof inside, "%s/dmesg", p.in);
    make_file(inside);
    make_file(p.secret);
    return p;
}

static void remove_place(const place *p)
{
    char path[96];
    (void)snprintf(path, sizeof path, "%s/dmesg", p->in);
    (void)unlink(path);
    (void)snprintf(path, sizeof path, "%s/report", p->out);
    (void)unlink(path);
    (void)unlink(p->secret);
    (void)rmdir(p->in);
    (void)rmdir(p->out);
    (void)rmdir(p->root);
}

/* 0: it could be opened; else errno. */
static int why_not_open(const char *folder, const char *name, int flags)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, flags, 0600);
    if (fd < 0)
        return errno;
    (void)close(fd);
    return 0;
}

static void *touch(void *seen)
{
    *(int *)seen = 1;
    return NULL;
}

static bool may_start_threads(void)
{
    pthread_t thread;
    int seen = 0;
    return pthread_create(&thread, NULL, touch, &seen) == 0 && pthread_join(thread, NULL) == 0 && seen == 1;
}

/* Runs `tries` in a guarded child. The number of failed tries comes back. */
static int in_child(const place *p, int (*tries)(const place *p, const char *missing))
{
    pid_t child = fork();
    if (child == 0) {
        const char *reads[] = { p->in, "/nonexistent" }, *writes[] = { p->out };
        ff_text missing;
        ff_text_init(&missing, 0);
        ff_guard(&(ff_guard_plan){ reads, 2, writes, 1 }, &missing);
        ff_text_addc(&missing, 0);
        int wrong = tries(p, ff_text_view(&missing).p);
        _exit(wrong ? wrong : ALL_HOLDS);
    }
    int status = 0;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int count_wrong(const bool *good, int n)
{
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        if (!good[i])
            fprintf(stderr, "try %d does not hold\n", i);
        wrong += !good[i];
    }
    return wrong;
}

static int try_paths(const place *p, const char *missing)
{
    if (strstr(missing, "file access")) {
        fprintf(stderr, "not tried, this kernel says: %s\n", missing);
        return 0;
    }
    const bool good[] = {
        why_not_open(p->in, "dmesg", O_RDONLY) == 0,
        why_not_open(p->in, "dmesg", O_WRONLY) == EACCES,
        why_not_open(p->in, "new", O_CREAT | O_WRONLY) == EACCES,
        why_not_open(p->root, "secret", O_RDONLY) == EACCES,
        why_not_open("/etc", "passwd", O_RDONLY) == EACCES,
        why_not_open(p->out, "report", O_CREAT | O_RDWR) == 0,
        why_not_open(p->out, "report", O_RDWR | O_TRUNC) == 0,
        why_not_open(p->root, "elsewhere", O_CREAT | O_WRONLY) == EACCES,
        why_not_open(p->in, "../secret", O_RDONLY) == EACCES,
    };
    return count_wrong(good, (int)FF_COUNT(good));
}

static int try_calls(const place *p, const char *missing)
{
    (void)p;
    if (strstr(missing, "system calls")) {
        fprintf(stderr, "not tried, this kernel says: %s\n", missing);
        return 0;
    }
    char *const no_arguments[] = { NULL };
    const bool good[] = {
        socket(AF_INET, SOCK_STREAM, 0) < 0 && errno == EPERM,
        socket(AF_UNIX, SOCK_STREAM, 0) < 0 && errno == EPERM,
        execve("/bin/true", no_arguments, no_arguments) < 0 && (errno == EPERM || errno == EACCES),
        fork() < 0,
        ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0 && errno == EPERM,
        kill(getppid(), 0) < 0 && errno == EPERM,
        symlink("a", "b") < 0 && errno == EPERM,
        chmod("/tmp", 0) < 0 && errno == EPERM,
        may_start_threads(),
    };
    return count_wrong(good, (int)FF_COUNT(good));
}

TEST(only_named_paths_can_be_opened)
{
    place p = make_place();
    CHECK_INT(in_child(&p, try_paths), ALL_HOLDS);
    remove_place(&p);
}

TEST(network_and_other_programs_are_out_of_reach_and_threads_are_not)
{
    place p = make_place();
    CHECK_INT(in_child(&p, try_calls), ALL_HOLDS);
    remove_place(&p);
}

int main(void)
{
    RUN(only_named_paths_can_be_opened);
    RUN(network_and_other_programs_are_out_of_reach_and_threads_are_not);
    return DONE();
}
