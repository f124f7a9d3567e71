/* Syslog files and the short family of journalctl: a time, a host, a program, a text.
 *     Jan  1 00:00:00 gpu-a01 kernel: [12345.678901] text          2026-01-01T00:00:00.123456+00:00 gpu-a01
 * kubelet[812]: text <4>1 2026-01-01T00:00:00.123456Z gpu-a01 kernel - - - text   Thu 2026-01-01 00:00:00 UTC gpu-a01
 * kernel: text 1767225600.123456 gpu-a01 kernel: text                       [    4.999990] gpu-a01 kernel: text
 *     -- Boot 0f1e2d3c4b5a69788796a5b4c3d2e1f0 --
 *     Jan  1 00:00:00 gpu-a01 kernel: message repeated 5 times: [ [12345.678901] text]
 * Formats: RFC 3164, RFC 5424, rsyslog's templates, systemd logs-show.c.
 * Not understood: -o verbose, cat (no frame at all), programs whose name holds a blank. */
#include "lines.h"

typedef enum shape { SHAPE_SYSLOG, SHAPE_JOURNAL } shape; /* who prints such a time */

typedef struct header {
    shape shape;
    ff_stamp stamp;
    ff_bytes host, ident;
    uint64_t pid; /* 0: none given */
    ff_bytes text;
    bool sure; /* kernel or a program with its pid: no other kind of line looks so */
} header;

bool ff_is_repeat(ff_bytes text, uint64_t *times)
{
    ff_bytes rest = text;
    return ff_take_lit(&rest, FF_LIT("last message repeated ")) && ff_take_digits_of(&rest, 9, times) && *times &&
           (ff_equal(rest, FF_LIT(" times")) || ff_equal(rest, FF_LIT(" time")));
}

#define SYSLOG_STREAMS                                                                                               \
    (FF_STREAM_KERNEL | FF_STREAM_NCCL | FF_STREAM_APP | FF_STREAM_K8S | FF_STREAM_RUNTIME | FF_STREAM_SLURM |       \
     FF_STREAM_GPU | FF_STREAM_NET | FF_STREAM_HOST)

static bool take_iso(ff_bytes *in, header *h)
{
    ff_bytes rest = *in;
    if (rest.n < 20 || rest.p[10] != 'T' || rest.p[19] == ',' || !ff_take_rfc3339(&rest, &h->stamp))
        return false; /* the comma is dmesg's */
    ff_bytes taken = ff_first_n(*in, in->n - rest.n);
    char sign = taken.n > 5 ? taken.p[taken.n - 5] : 0; /* journalctl prints +0000, rsyslog +00:00 */
    h->shape = sign == '+' || sign == '-' ? SHAPE_JOURNAL : SHAPE_SYSLOG;
    *in = rest;
    return true;
}

/* "Thu 2026-01-01 00:00:00 UTC"; a zone other than UTC is a local name that only the clock stage may resolve. */
static bool take_full(ff_bytes *in, header *h)
{
    ff_bytes rest = *in, weekday, zone;
    if (rest.n < 24 || rest.p[3] != ' ' || !ff_take_word(&rest, &weekday) || weekday.n != 3 ||
        !ff_take_char(&rest, ' ') || rest.n < 20 || rest.p[10] != ' ' || !ff_take_rfc3339(&rest, &h->stamp))
        return false;
    if (h->stamp.kind == FF_STAMP_LOCAL) {
        ff_bytes named = rest;
        size_t upper = 0;
        if (!ff_take_char(&named, ' ') || !ff_take_word(&named, &zone))
            return false;
        while (upper < zone.n && zone.p[upper] >= 'A' && zone.p[upper] <= 'Z')
            upper++;
        if (upper != zone.n || zone.n > 5)
            return false;
        rest = named;
    }
    h->shape = SHAPE_JOURNAL;
    *in = rest;
    return true;
}

/* "[    4.999990]", and "[ 3606.000000 <    1.000100 >]" of short-delta. */
static bool take_mono(ff_bytes *in, header *h)
{
    ff_bytes rest = *in, delta;
    int64_t ns = 0;
    if (!ff_take_char(&rest, '[') || !ff_take_spaces(&rest) || !ff_take_seconds(&rest, &ns))
        return false;
    if (ff_take_lit(&rest, FF_LIT(" <")) && (!ff_take_until(&rest, '>', &delta) || delta.n > 24))
        return false;
    if (!ff_take_char(&rest, ']'))
        return false;
    h->stamp = (ff_stamp){ .kind = FF_STAMP_SINCE_BOOT, .ns = ns, .grain_ns = 1000 };
    h->shape = SHAPE_JOURNAL;
    *in = rest;
    return true;
}

static bool take_epoch(ff_bytes *in, header *h)
{
    ff_bytes rest = *in;
    if (!ff_take_epoch(&rest, &h->stamp) || h->stamp.grain_ns != 1000)
        return false;
    h->shape = SHAPE_JOURNAL;
    *in = rest;
    return true;
}

static bool take_time(ff_bytes *in, header *h)
{
    ff_bytes rest = *in;
    uint64_t priority = 0;
    if (ff_take_char(&rest, '<') && ff_take_digits_of(&rest, 3, &priority) && ff_take_char(&rest, '>'))
        *in = rest;
    if (ff_take_syslog_time(in, &h->stamp)) {
        h->shape = SHAPE_SYSLOG;
        return true;
    }
    return take_iso(in, h) || take_full(in, h) || take_mono(in, h) || take_epoch(in, h);
}

static bool is_host_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '_' || c == ':';
}

static bool take_host(ff_bytes *in, ff_bytes *host)
{
    ff_bytes rest = *in, word, level, as_level;
    if (!ff_take_word(&rest, &word) || word.n > 255 || word.p[word.n - 1] == ':')
        return false;
    for (size_t i = 0; i < word.n; i++)
        if (!is_host_byte(word.p[i]))
            return false;
    as_level = word;
    if (ff_take_level(&as_level, &level) && ff_is_empty(as_level))
        return false;
    *host = word;
    *in = rest;
    return true;
}

/* "kubelet[812]: ", "kernel: ". */
static bool take_ident(ff_bytes *in, ff_bytes *ident, uint64_t *pid)
{
    ff_bytes rest = *in;
    size_t n = 0;
    while (n < rest.n && n < 128 && rest.p[n] != ' ' && rest.p[n] != '\t' && rest.p[n] != ':' && rest.p[n] != '[')
        n++;
    if (n == 0)
        return false;
    ff_bytes name = ff_first_n(rest, n);
    uint64_t number = 0;
    rest = ff_skip_n(rest, n);
    if (ff_take_char(&rest, '[') && (!ff_take_uint(&rest, &number) || !ff_take_char(&rest, ']')))
        return false;
    if (!ff_take_char(&rest, ':') || !ff_take_blank_or_end(&rest))
        return false;
    *ident = name;
    *pid = number;
    *in = rest;
    return true;
}

/* All of the times above begin with a month, a digit, a bracket, a priority or a weekday. */
static bool may_begin(ff_bytes line)
{
    char c = line.n ? line.p[0] : '\0';
    return (c >= 'A' && c <= 'S') || ff_is_digit(c) || c == '[' || c == '<' || (line.n > 3 && line.p[3] == ' ');
}

static bool take_header(ff_bytes line, header *h)
{
    ff_bytes rest = line;
    if (!may_begin(line))
        return false;
    *h = (header){ .pid = 0 };
    if (!take_time(&rest, h) || !ff_take_char(&rest, ' ') || !take_host(&rest, &h->host) ||
        !ff_take_blank_or_end(&rest))
        return false;
    if (take_ident(&rest, &h->ident, &h->pid))
        h->sure = h->pid != 0 || ff_equal(h->ident, FF_LIT("kernel"));
    h->text = rest;
    return true;
}

/* "[id k=\"v\"][...]" or "-". */
static bool take_structured_data(ff_bytes *in)
{
    ff_bytes rest = *in;
    if (ff_take_char(&rest, '-')) {
        *in = rest;
        return true;
    }
    bool any = false;
    while (ff_take_char(&rest, '[')) {
        bool quoted = false;
        size_t i = 0;
        for (; i < rest.n && (quoted || rest.p[i] != ']'); i++) {
            if (rest.p[i] == '\\')
                i++;
            else if (rest.p[i] == '"')
                quoted = !quoted;
        }
        if (i >= rest.n)
            return false;
        rest = ff_skip_n(rest, i + 1);
        any = true;
    }
    *in = rest;
    return any;
}

static bool take_rfc5424(ff_bytes line, header *h)
{
    ff_bytes rest = line, process, message_id;
    uint64_t priority = 0;
    if (!line.n || line.p[0] != '<')
        return false;
    *h = (header){ .shape = SHAPE_SYSLOG, .sure = true };
    if (!ff_take_char(&rest, '<') || !ff_take_digits_of(&rest, 3, &priority) || !ff_take_lit(&rest, FF_LIT(">1 ")))
        return false;
    if (!ff_take_rfc3339(&rest, &h->stamp) && !ff_take_char(&rest, '-'))
        return false;
    if (!ff_take_char(&rest, ' ') || !ff_take_word(&rest, &h->host) || !ff_take_char(&rest, ' ') ||
        !ff_take_word(&rest, &h->ident) || !ff_take_char(&rest, ' ') || !ff_take_word(&rest, &process) ||
        !ff_take_char(&rest, ' ') || !ff_take_word(&rest, &message_id) || !ff_take_char(&rest, ' ') ||
        !take_structured_data(&rest) || !ff_take_blank_or_end(&rest))
        return false;
    ff_take_lit(&rest, FF_LIT("\xef\xbb\xbf"));
    if (ff_equal(h->host, FF_LIT("-")))
        h->host = (ff_bytes){ 0 };
    ff_take_uint(&process, &h->pid);
    h->text = rest;
    return true;
}

/* rsyslog writes control bytes as #ooo: the newlines and tabs of multi-line kernel records. */
static ff_bytes unescape(ff_arena *scratch, ff_bytes text)
{
    if (!scratch || !ff_contains(text, FF_LIT("#01")))
        return text;
    char *out = FF_NEW_N(scratch, char, text.n);
    size_t n = 0;
    for (ff_bytes rest = text; rest.n;) {
        if (ff_take_lit(&rest, FF_LIT("#012"))) {
            out[n++] = '\n';
        } else if (ff_take_lit(&rest, FF_LIT("#011"))) {
            out[n++] = '\t';
        } else {
            out[n++] = rest.p[0];
            rest = ff_skip_n(rest, 1);
        }
    }
    return (ff_bytes){ out, n };
}

/* "message repeated 5 times: [ text]": rsyslog's for equal messages in a row. The text is the message's own.
 * "last message repeated 5 times": of older ones; whoever has the line in front of it knows the text. */
static void take_repeats(ff_event *ev)
{
    ff_bytes rest = ev->text;
    uint64_t times = 0;
    if (ff_is_repeat(ev->text, &times)) {
        ev->times = (uint32_t)times;
        return;
    }
    if (!ff_take_lit(&rest, FF_LIT("message repeated ")) || !ff_take_digits_of(&rest, 9, &times) || !times ||
        !ff_take_lit(&rest, FF_LIT(" times: [")) || !rest.n || rest.p[rest.n - 1] != ']')
        return;
    (void)ff_take_char(&rest, ' ');
    ev->text = ff_first_n(rest, rest.n - 1);
    ev->times = (uint32_t)times;
}

static void see_header(ff_event *ev, const header *h)
{
    if (h->stamp.kind == FF_STAMP_SINCE_BOOT)
        ff_see_boot_time(ev, h->stamp.ns, h->stamp.grain_ns);
    else
        ff_see_time(ev, h->stamp);
    ff_see_host(ev, h->host);
    ff_see_pid(ev, h->pid);
    ff_see_program(ev, h->ident);
    ev->text = unescape(ev->scratch, h->text);
    take_repeats(ev);
    /* imklog keeps the printk time: such a line carries both clocks */
    if (ff_equal(h->ident, FF_LIT("kernel")) && ff_starts(ev->text, FF_LIT("[")))
        ff_take_dmesg(ev);
}

bool ff_take_syslog(ff_event *ev, bool sure)
{
    header h;
    if (take_rfc5424(ev->text, &h)) {
        see_header(ev, &h);
        return true;
    }
    if (!take_header(ev->text, &h))
        return false;
    /* nobody but syslog prints "Jan  1 00:00:00 host program: "; an ISO time may stand in front of anything */
    bool classic = h.stamp.kind == FF_STAMP_NO_YEAR && !ff_is_empty(h.ident);
    if (sure && !h.sure && !classic)
        return false;
    /* dmesg text may begin with two words as well: without a program it is no short-monotonic line */
    if (h.stamp.kind == FF_STAMP_SINCE_BOOT && !h.sure)
        return false;
    see_header(ev, &h);
    return true;
}

bool ff_take_mono_host(ff_event *ev)
{
    header h;
    if (!take_header(ev->text, &h) || h.stamp.kind != FF_STAMP_SINCE_BOOT || !h.sure)
        return false;
    see_header(ev, &h);
    return true;
}

static bool is_sure(ff_bytes line)
{
    header h;
    return take_rfc5424(line, &h) || (take_header(line, &h) && h.sure);
}

static bool is_syslog(ff_bytes line)
{
    header h;
    return take_rfc5424(line, &h) || (take_header(line, &h) && h.shape == SHAPE_SYSLOG);
}

static int syslog_probe(const ff_probe *in)
{
    unsigned lines, fitting;
    ff_count_lines(in->head, is_sure, &lines, &fitting);
    return fitting ? ff_bid_lines(in->head, is_syslog) : 0;
}

static bool syslog_frame(ff_bytes record, ff_event *ev)
{
    ev->text = record;
    return ff_take_syslog(ev, false);
}

const ff_parser ff_parser_syslog = {
    .name = "syslog", .streams = SYSLOG_STREAMS, .probe = syslog_probe, .frame = syslog_frame
};

/* ---- journalctl ---- */
static bool is_marker(ff_bytes line)
{
    return ff_starts(line, FF_LIT("-- Boot ")) || ff_starts(line, FF_LIT("-- Reboot --")) ||
           ff_starts(line, FF_LIT("-- Logs begin at ")) || ff_starts(line, FF_LIT("-- Journal begins at ")) ||
           ff_starts(line, FF_LIT("-- No entries --"));
}

static bool is_only_journal(ff_bytes line)
{
    header h;
    if (is_marker(line))
        return true;
    return take_header(line, &h) && h.shape == SHAPE_JOURNAL && h.sure;
}

static bool is_journal(ff_bytes line)
{
    header h;
    if (is_marker(line) || ff_starts(line, FF_LIT("Hint: You are currently not seeing messages")))
        return true;
    return take_header(line, &h) && (h.stamp.kind != FF_STAMP_SINCE_BOOT || h.sure);
}

static int journal_probe(const ff_probe *in)
{
    unsigned lines, fitting;
    ff_count_lines(in->head, is_only_journal, &lines, &fitting);
    return fitting ? ff_bid_lines(in->head, is_journal) : 0;
}

static bool take_marker(ff_event *ev)
{
    if (!is_marker(ev->text))
        return false;
    ff_bytes rest = ev->text, boot;
    if (ff_take_lit(&rest, FF_LIT("-- Boot ")) && ff_take_word(&rest, &boot) && boot.n == 32)
        ev->who.boot = boot;
    ff_see_stream(ev, FF_STREAM_HOST);
    return true;
}

static bool journal_frame(ff_bytes record, ff_event *ev)
{
    ev->text = record;
    return take_marker(ev) || ff_take_syslog(ev, false);
}

const ff_parser ff_parser_journal = {
    .name = "journal", .streams = SYSLOG_STREAMS, .probe = journal_probe, .frame = journal_frame
};

static bool syslog_coat(ff_event *ev) { return ff_take_syslog(ev, true); }
const ff_coat ff_coat_syslog = { .name = "syslog",
                                 .begins = FF_FIRST_LOWER | FF_FIRST_UPPER | FF_FIRST_DIGIT | FF_FIRST_SQUARE |
                                           FF_FIRST_ANGLE | FF_FIRST_OTHER,
                                 .take = syslog_coat };
