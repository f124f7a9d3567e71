/* The work that all line formats share: bids, undressing, detection. */
#include "lines.h"
#include "../analyzer/base/text.h"

#include <string.h>

#define PROBE_LINES 32
#define MOST_COATS                                                                                                   \
    12 /* collector, pod, Ray, srun, tee and rank make six; more is a loop that hostile text set up                  \
        */
#define SAME_CLOCK_NS INT64_C(2000000000) /* two stamps of one line that are this close come from one zone */
#define DAY_NS INT64_C(86400000000000)
#define MOST_PID 4194304 /* PID_MAX_LIMIT of 64-bit Linux */

bool ff_is_one_of(ff_bytes word, const char *const *list)
{
    for (; *list; list++)
        if ((*list)[0] == (word.n ? word.p[0] : '\0') && ff_equal(word, ff_str(*list)))
            return true;
    return false;
}

bool ff_take_blank_or_end(ff_bytes *in) { return in->n == 0 || ff_take_char(in, ' '); }

bool ff_make_no_year(int64_t month, int64_t day, int64_t ns_of_day, int64_t grain_ns, ff_stamp *out)
{
    static const unsigned char days[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    if (month < 1 || month > 12 || day < 1 || day > days[month - 1])
        return false;
    int64_t since = ff_days_from_date(1972, (unsigned)month, (unsigned)day) - ff_days_from_date(1972, 1, 1);
    *out = (ff_stamp){ .kind = FF_STAMP_NO_YEAR, .ns = since * DAY_NS + ns_of_day, .grain_ns = grain_ns };
    return true;
}

bool ff_take_level(ff_bytes *in, ff_bytes *out)
{
    static const char *const levels[] = { "DEBUG", "INFO",     "WARN",  "WARNING", "ERROR",
                                          "FATAL", "CRITICAL", "TRACE", "NOTICE",  NULL };
    size_t n = 0;
    while (n < in->n && in->p[n] >= 'A' && in->p[n] <= 'Z')
        n++;
    if (!ff_is_one_of(ff_first_n(*in, n), levels))
        return false;
    *out = ff_first_n(*in, n);
    *in = ff_skip_n(*in, n);
    return true;
}

bool ff_take_digits_of(ff_bytes *in, size_t max, uint64_t *out)
{
    ff_bytes rest = *in;
    uint64_t value = 0;
    if (!ff_take_uint(&rest, &value) || in->n - rest.n > max)
        return false;
    *out = value;
    *in = rest;
    return true;
}

static bool is_near(int64_t a, int64_t b, int64_t reach)
{
    uint64_t distance = a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
    return distance <= (uint64_t)reach;
}

void ff_see_time(ff_event *ev, ff_stamp stamp)
{
    if (stamp.kind == FF_STAMP_NONE)
        return;
    if (ev->said.kind == FF_STAMP_NONE) {
        ev->said = stamp;
        return;
    }
    if (stamp.kind == ev->said.kind) {
        if (stamp.grain_ns < ev->said.grain_ns && is_near(stamp.ns, ev->said.ns, SAME_CLOCK_NS))
            ev->said = stamp;
        return;
    }
    if (ev->also.kind == FF_STAMP_NONE)
        ev->also = stamp;
}

void ff_see_boot_time(ff_event *ev, int64_t ns, int64_t grain_ns)
{
    if (ev->said.kind == FF_STAMP_SINCE_BOOT)
        return;
    if (ev->said.kind != FF_STAMP_NONE)
        ev->also = ev->said;
    ev->said = (ff_stamp){ .kind = FF_STAMP_SINCE_BOOT, .ns = ns, .grain_ns = grain_ns };
}

void ff_see_stream(ff_event *ev, uint32_t streams)
{
    ev->stream = ev->stream & streams ? ev->stream & streams : streams;
}

static const struct {
    const char *prefix;
    uint32_t stream;
} programs[] = {
    { "kernel", FF_STREAM_KERNEL },
    { "kubelet", FF_STREAM_K8S },
    { "kube-", FF_STREAM_K8S },
    { "k3s", FF_STREAM_K8S },
    { "rke2", FF_STREAM_K8S },
    { "hyperkube", FF_STREAM_K8S },
    { "microk8s", FF_STREAM_K8S },
    { "microshift", FF_STREAM_K8S },
    { "containerd", FF_STREAM_RUNTIME },
    { "dockerd", FF_STREAM_RUNTIME },
    { "docker", FF_STREAM_RUNTIME },
    { "crio", FF_STREAM_RUNTIME },
    { "conmon", FF_STREAM_RUNTIME },
    { "podman", FF_STREAM_RUNTIME },
    { "slurm", FF_STREAM_SLURM },
    { "srun", FF_STREAM_SLURM },
    { "nv-fabricmanager", FF_STREAM_GPU },
    { "nvidia", FF_STREAM_GPU },
    { "nv-hostengine", FF_STREAM_GPU },
    { "dcgm", FF_STREAM_GPU },
    { "systemd", FF_STREAM_HOST },
    { "(systemd", FF_STREAM_HOST },
    { "chronyd", FF_STREAM_HOST },
    { "ntpd", FF_STREAM_HOST },
    { "earlyoom", FF_STREAM_HOST },
    { "CRON", FF_STREAM_HOST },
    { "sshd", FF_STREAM_HOST },
    { "rsyslogd", FF_STREAM_HOST },
    { "NetworkManager", FF_STREAM_NET },
    { "opensm", FF_STREAM_NET },
    { "OpenSM", FF_STREAM_NET },
    { "ibacm", FF_STREAM_NET },
};

void ff_see_program(ff_event *ev, ff_bytes ident)
{
    if (ff_is_empty(ident))
        return;
    ev->ident = ident;
    ev->who.unit = ident;
    for (size_t i = 0; i < FF_COUNT(programs); i++) {
        if (programs[i].prefix[0] != ident.p[0])
            continue;
        bool exact = programs[i].stream == FF_STREAM_KERNEL;
        ff_bytes name = ff_str(programs[i].prefix);
        if (exact ? ff_equal(ident, name) : ff_starts(ident, name)) {
            /* systemd and its helpers speak for the host, whatever else the member carries */
            ff_see_stream(ev, programs[i].stream);
            return;
        }
    }
    if (ev->stream & ~(uint32_t)FF_STREAM_KERNEL)
        ev->stream &= ~(uint32_t)FF_STREAM_KERNEL;
}

void ff_see_pid(ff_event *ev, uint64_t pid)
{
    if (pid > 0 && pid <= MOST_PID)
        ev->who.pid = (int32_t)pid;
}

void ff_see_host(ff_event *ev, ff_bytes host)
{
    if (!ev->in_container && ff_is_empty(ev->who.host))
        ev->who.host = host;
}

void ff_count_lines(ff_bytes head, bool (*fits)(ff_bytes line), unsigned *lines, unsigned *fitting)
{
    ff_bytes line;
    *lines = *fitting = 0;
    while (*lines < PROBE_LINES && ff_take_line(&head, &line)) {
        if (ff_is_empty(ff_trim(line)))
            continue;
        *lines += 1;
        *fitting += fits(line);
    }
}

int ff_bid_lines(ff_bytes head, bool (*fits)(ff_bytes line))
{
    unsigned lines, fitting;
    ff_count_lines(head, fits, &lines, &fitting);
    int bid = 8 * (int)fitting - 8 * (int)(lines - fitting);
    return bid > 0 ? bid : 0;
}

unsigned ff_first_of(ff_bytes text)
{
    char c = text.n ? text.p[0] : '\0';
    if (c >= 'a' && c <= 'z')
        return FF_FIRST_LOWER;
    if (c >= '0' && c <= '9')
        return FF_FIRST_DIGIT;
    if (c >= 'A' && c <= 'Z')
        return FF_FIRST_UPPER;
    switch (c) {
    case '[':
        return FF_FIRST_SQUARE;
    case '(':
        return FF_FIRST_ROUND;
    case '<':
        return FF_FIRST_ANGLE;
    case '{':
        return FF_FIRST_BRACE;
    case ' ':
    case '\t':
        return FF_FIRST_BLANK;
    default:
        return FF_FIRST_OTHER;
    }
}

/* Most coats leave the rest of the text where it is: what was looked through once is not looked through again.
 * plain: the last text without an escape character. */
static bool holds_escape(ff_bytes text, ff_bytes *plain)
{
    uintptr_t from = (uintptr_t)text.p, known = (uintptr_t)plain->p;
    if (!text.n || (plain->n && from >= known && from + text.n <= known + plain->n))
        return false;
    if (memchr(text.p, '\x1b', text.n))
        return true;
    *plain = text;
    return false;
}

static bool take_a_coat(ff_event *ev, ff_bytes *plain)
{
    unsigned first = ff_first_of(ev->text) | (holds_escape(ev->text, plain) ? (unsigned)FF_FIRST_ESCAPED : 0);
    for (unsigned i = 0; i < ff_n_coats; i++)
        if ((ff_coats[i]->begins & first) && ff_coats[i]->take(ev))
            return true;
    return false;
}

bool ff_undress(ff_event *ev)
{
    bool any = false;
    ff_bytes plain = { NULL, 0 };
    /* Kernel text is the innermost payload: what looks like a frame in it is the kernel's own brackets. */
    for (unsigned n = 0; n < MOST_COATS && ev->stream != FF_STREAM_KERNEL && take_a_coat(ev, &plain); n++)
        any = true;
    for (unsigned i = 0; i < ff_n_readers; i++)
        if (ff_readers[i]->read(ev))
            return true;
    return any;
}

bool ff_is_known_text(ff_bytes text, ff_arena *scratch)
{
    ff_event ev = {
        .stream = FF_STREAM_ANY, .text = text, .who = FF_WHO_NOBODY, .scratch = scratch, .looking = true
    };
    return ff_undress(&ev);
}

extern const ff_parser ff_parser_plain; /* plain.c */

static const ff_parser *detect_binary(const ff_probe *in)
{
    for (unsigned i = 0; i < ff_n_parsers; i++)
        if (ff_parsers[i]->binary && ff_parsers[i]->probe(in) > 0)
            return ff_parsers[i];
    return NULL;
}

const ff_parser *ff_detect(const ff_probe *in, const char **second)
{
    const ff_parser *best = detect_binary(in);
    int best_bid = 0;
    *second = NULL;
    if (best)
        return best;
    for (unsigned i = 0; i < ff_n_parsers; i++) {
        /* the last resort cannot win against any other, and looks at every byte */
        if (ff_parsers[i] == &ff_parser_plain && best_bid > 1)
            continue;
        int bid = ff_parsers[i]->probe(in);
        if (bid > best_bid) {
            best = ff_parsers[i];
            best_bid = bid;
            *second = NULL;
        } else if (best && bid == best_bid && !*second) {
            *second = ff_parsers[i]->name;
        }
    }
    return best;
}
