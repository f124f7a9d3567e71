/* SIGXFSZ is no part of plain POSIX. */
#define _DEFAULT_SOURCE

#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* A closed 1 or 2 would be given to the next file we open, and a message would land in a report. Opened for reading
 * only, a write to them still fails, as it should. */
bool cli_terminal_ready(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd)
            return false;
    struct sigaction ignore = { .sa_handler = SIG_IGN };
    return sigaction(SIGPIPE, &ignore, NULL) == 0 && sigaction(SIGXFSZ, &ignore, NULL) == 0;
}

bool cli_use_colour(cli_colour wish, int fd)
{
    if (wish != CLI_COLOUR_AUTO)
        return wish == CLI_COLOUR_ALWAYS;
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(fd) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

unsigned cli_width(int fd)
{
    unsigned columns = 0;
#ifdef TIOCGWINSZ
    struct winsize size = { 0 };
    if (ioctl(fd, TIOCGWINSZ, &size) == 0)
        columns = size.ws_col;
#endif
    uint64_t told = 0;
    ff_bytes wish = ff_str(getenv("COLUMNS"));
    if (columns == 0 && ff_take_uint(&wish, &told) && told < 10000)
        columns = (unsigned)told;
    if (columns == 0)
        columns = 100;
    return columns < 60 ? 60 : columns > 140 ? 140 : columns;
}

static bool write_all(int fd, ff_bytes text)
{
    while (text.n) {
        ssize_t n = write(fd, text.p, text.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        text = ff_skip_n(text, (size_t)n);
    }
    return true;
}

bool cli_emit(int fd, ff_bytes text)
{
    if (write_all(fd, text))
        return true;
    int why = errno;
    if (why != EPIPE && fd != STDERR_FILENO)
        cli_complain("standard output could not be written: %s", strerror(why));
    return false;
}

bool cli_say(const ff_text *out) { return cli_emit(STDOUT_FILENO, ff_text_view(out)); }

void cli_complain(const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ff_text line;
    ff_text_init(&line, 0);
    ff_text_adds(&line, "firstfault: ");
    ff_text_add_clean(&line, ff_str(text));
    ff_text_addc(&line, '\n');
    (void)cli_emit(STDERR_FILENO, ff_text_view(&line));
    ff_text_done(&line);
}

/* ---- progress: the only clock that is read; nothing of it reaches a report ---- */
static int64_t now_ns(void)
{
    struct timespec t = { 0 };
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void cli_progress_open(cli_progress *p, bool wanted)
{
    *p = (cli_progress){ .on = wanted && isatty(STDERR_FILENO) };
    if (p->on)
        p->began_ns = p->told_ns = now_ns();
}

void cli_progress_tell(void *progress, uint64_t bytes, ff_bytes member)
{
    cli_progress *p = progress;
    p->bytes += bytes;
    if (!p->on)
        return;
    int64_t now = now_ns();
    if (now - p->began_ns < 1000000000 || now - p->told_ns < 200000000)
        return;
    p->told_ns = now;
    p->shown = true;
    ff_text line;
    ff_text_init(&line, 0);
    ff_text_adds(&line, "\r\033[K");
    ff_text_add_kib(&line, p->bytes / 1024);
    ff_text_adds(&line, " read  ");
    /* The end of a name tells most; it must not wrap, or the line could not be wiped. */
    size_t room = cli_width(STDERR_FILENO) - 24;
    ff_text_add_clean(&line, member.n > room ? ff_skip_n(member, member.n - room) : member);
    (void)cli_emit(STDERR_FILENO, ff_text_view(&line));
    ff_text_done(&line);
}

void cli_progress_close(cli_progress *p)
{
    if (p->shown)
        (void)cli_emit(STDERR_FILENO, FF_LIT("\r\033[K"));
    p->shown = false;
}

void cli_add_cell(ff_text *out, ff_bytes text, size_t width)
{
    size_t from = out->n, columns = 0;
    ff_text_add_clean(out, text);
    for (size_t i = from; i < out->n; i++)
        columns += ((unsigned char)out->p[i] & 0xC0) != 0x80;
    for (; columns < width; columns++)
        ff_text_addc(out, ' ');
    ff_text_addc(out, ' ');
}
