/* What is done when the process ends before its time: a signal, no memory, a crash in a library. A handler reaches
 * nothing but globals, so here, and nowhere else, is state of that kind: the paths that must not be left behind. */
/* sigaltstack is no part of plain POSIX. */
#define _DEFAULT_SOURCE

#include "cli.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define WILLS 4u
#define LONGEST 4096u
#define STACK 65536u

static char wills[WILLS][LONGEST];
static volatile sig_atomic_t taken[WILLS];

/* Last one first: what lies in a folder goes before the folder. */
static void remove_left(void)
{
    for (unsigned i = WILLS; i-- > 0;)
        if (taken[i] && unlink(wills[i]) != 0)
            (void)rmdir(wills[i]);
}

unsigned cli_will_add(const char *path)
{
    size_t n = strlen(path) + 1;
    for (unsigned i = 0; i < WILLS && n <= LONGEST; i++)
        if (!taken[i]) {
            memcpy(wills[i], path, n);
            taken[i] = 1;
            return i;
        }
    return WILLS;
}

void cli_will_drop(unsigned will)
{
    if (will < WILLS)
        taken[will] = 0;
}

static void hold_ends(int how)
{
    static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGXCPU };
    sigset_t set;
    (void)sigemptyset(&set);
    for (size_t i = 0; i < FF_COUNT(ends); i++)
        (void)sigaddset(&set, ends[i]);
    (void)pthread_sigmask(how, &set, NULL);
}

void cli_ends_wait(void) { hold_ends(SIG_BLOCK); }

void cli_ends_come(void) { hold_ends(SIG_UNBLOCK); }

/* As if there were no handler, once everything is gone: who waits for us sees the signal. */
static void on_end(int signal_number)
{
    struct sigaction usual = { .sa_handler = SIG_DFL };
    remove_left();
    (void)sigaction(signal_number, &usual, NULL);
    (void)raise(signal_number);
}

static _Noreturn void give_up(const char *text)
{
    remove_left();
    ssize_t told = write(STDERR_FILENO, text, strlen(text));
    (void)told; /* nobody is left to hear of it */
    _exit(CLI_FAILED);
}

static void on_spent(int signal_number)
{
    (void)signal_number;
    give_up("firstfault: the limit of CPU time is reached; what is not written yet is lost\n");
}

#if FF_GUARD /* a build with sanitizers has better handlers of its own */
static void on_crash(int signal_number)
{
    (void)signal_number;
    give_up("firstfault: crashed, or out of memory inside a library; what is not written yet is lost\n");
}

/* On a stack of its own, as an endless recursion leaves none. */
static bool catch_crashes(void)
{
    static const int crashes[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGSYS };
    static char room[STACK];
    stack_t stack = { .ss_sp = room, .ss_size = sizeof room };
    bool good = sigaltstack(&stack, NULL) == 0;
    struct sigaction act = { .sa_handler = on_crash, .sa_flags = SA_ONSTACK };
    for (size_t i = 0; i < FF_COUNT(crashes); i++)
        good = sigaction(crashes[i], &act, NULL) == 0 && good;
    return good;
}
#else
static bool catch_crashes(void) { return true; }
#endif

/* A library that gives up by exit(1) must not choose our exit code. */
static volatile sig_atomic_t over;
static void on_exit_elsewhere(void)
{
    if (!over)
        give_up("firstfault: a library gave up; what is not written yet is lost\n");
}

int cli_last_words(int exit_code)
{
    over = 1;
    return exit_code;
}

bool cli_last_ready(void)
{
    static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
    bool good = catch_crashes() && atexit(on_exit_elsewhere) == 0;
    for (size_t i = 0; i < FF_COUNT(ends); i++) {
        struct sigaction act = { .sa_handler = on_end }, before;
        good = sigaction(ends[i], NULL, &before) == 0 && good;
        if (before.sa_handler != SIG_IGN) /* nohup means it */
            good = sigaction(ends[i], &act, NULL) == 0 && good;
    }
    struct sigaction spent = { .sa_handler = on_spent };
    good = sigaction(SIGXCPU, &spent, NULL) == 0 && good;
    ff_last_of_memory(remove_left);
    return good;
}
