/* What tools and people put in front of lines of a log that they show.
 *     17:[12345.678901] text       /var/log/messages:Jan  1 00:00:00 gpu-a01 kernel: text        (grep -n, grep -H)
 *     kern.log-17-[12345.678901] text      17    [12345.678901] text      (grep -H -n -C, cat -n)
 *     > [12345.678901] text               [12345.678901] text                         (a mail, a pasted block)
 * None of them proves anything: what stands behind must be something that is known. */
#include "lines.h"

#define MOST_PATH 512

static bool take_number(ff_bytes *in, char mark)
{
    ff_bytes rest = *in;
    uint64_t n = 0;
    if (!rest.n || rest.p[0] < '0' || rest.p[0] > '9' || !ff_take_digits_of(&rest, 9, &n) ||
        !ff_take_char(&rest, mark))
        return false;
    *in = rest;
    return true;
}

static bool take_line_number(ff_bytes *in)
{
    ff_bytes rest = *in;
    (void)ff_take_spaces(&rest);
    if (!take_number(&rest, ':') && !take_number(&rest, '-') && !take_number(&rest, '\t'))
        return false;
    *in = rest;
    return true;
}

static bool is_file(ff_bytes path)
{
    static const char *const names[] = { "messages", "syslog", "dmesg", "kern", "journal", NULL };
    static const char *const endings[] = { ".log", ".txt", ".out", ".err", ".0", ".1", ".2", ".3", NULL };
    for (const char *const *ending = endings; *ending; ending++)
        if (ff_ends(path, ff_str(*ending)))
            return true;
    return ff_contains(path, FF_LIT("/")) || ff_is_one_of(path, names);
}

/* "PATH:", "PATH:17:", "PATH-17-"; a host is no file, and NCCL's lines begin with one: what has no dot and no slash
 * must begin like one of the names. */
static bool take_path(ff_bytes *in)
{
    size_t n = 0;
    bool may = in->n && (in->p[0] == 'm' || in->p[0] == 's' || in->p[0] == 'd' || in->p[0] == 'k' || in->p[0] == 'j');
    while (n < in->n && n < MOST_PATH && in->p[n] > ' ' && in->p[n] != ':' && in->p[n] != '[') {
        char c = in->p[n];
        may = may || c == '.' || c == '/';
        if (may && c == '-') {
            ff_bytes number = ff_skip_n(*in, n + 1);
            if (take_number(&number, '-') && is_file(ff_first_n(*in, n)))
                break;
        }
        n++;
    }
    ff_bytes rest = ff_skip_n(*in, n);
    if (!may || n == 0 || (!ff_take_char(&rest, ':') && !ff_take_char(&rest, '-')) || !is_file(ff_first_n(*in, n)))
        return false;
    (void)take_line_number(&rest);
    *in = rest;
    return true;
}

static bool take_listed(ff_event *ev)
{
    ff_bytes rest = ev->text;
    if (ev->looking || rest.n < 8 || (!take_line_number(&rest) && !take_path(&rest)) || !rest.n || rest.p[0] == ' ' ||
        !ff_is_known_text(rest, ev->scratch))
        return false;
    ev->text = rest;
    return true;
}

/* Indentation is a traceback's and a table's own; only a frame with a time in it goes further to the left. */
static bool take_quote(ff_event *ev)
{
    ff_bytes rest = ev->text;
    if (!rest.n || (rest.p[0] != ' ' && rest.p[0] != '>' && rest.p[0] != '\t'))
        return false;
    while (rest.n && (rest.p[0] == ' ' || rest.p[0] == '>' || rest.p[0] == '\t'))
        rest = ff_skip_n(rest, 1);
    ff_event inner = *ev;
    inner.text = rest;
    if (!ff_take_syslog(&inner, true) && !ff_take_dmesg(&inner))
        return false;
    *ev = inner;
    return true;
}

const ff_coat ff_coat_listed = { .name = "listed",
                                 .begins = FF_FIRST_ANY & ~(unsigned)FF_FIRST_SQUARE,
                                 .take = take_listed };
const ff_coat ff_coat_quote = { .name = "quote", .begins = FF_FIRST_BLANK | FF_FIRST_OTHER, .take = take_quote };
