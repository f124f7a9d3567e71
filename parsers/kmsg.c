/* Kernel log as dmesg and its relatives print it.
 *     [12345.678901] NVRM: loading           [  123.456789][   C12] text       kern  :warn  : [12345.678901] text
 *     [Thu Jan  1 00:00:00 2026] text        2026-01-01T00:00:00,123456+00:00 text        <4>[12345.678901] text
 *     6,1234,5678901,-;text                  [12345.678901 <    0.000012>] text           [Nov30 05:41] text
 *     [Thu Jan  1 00:00:00 2026 <    0.000012>] text            <4>text                      (dmesg -T -d, dmesg -r
 * -t) kern:    info: [2026-01-01T00:00:00.881355039Z]: text                                       (talosctl dmesg)
 * Formats: util-linux dmesg.c; kernel printk.c (print_prefix, msg_print_ext_header).
 * Not understood: dmesg in locales with other month names, --json (a document). Lines without a prefix of their own
 * continue the record before. */
#include "lines.h"

#define MICROSECOND 1000
#define MINUTE_NS INT64_C(60000000000)
#define LONGEST_UPTIME                                                                                               \
    UINT64_C(1000000000) /* 31 years: more is a count since 1970, and no kernel's (UCX writes it so) */

static const char *const facilities[] = { "kern",   "user",   "mail",   "daemon",   "auth",   "syslog", "lpr",
                                          "news",   "uucp",   "cron",   "authpriv", "ftp",    "local0", "local1",
                                          "local2", "local3", "local4", "local5",   "local6", "local7", NULL };
static const char *const levels[] = { "emerg",   "alert",  "crit", "err",   "warn",
                                      "warning", "notice", "info", "debug", NULL };

static bool take_lower_name(ff_bytes *in, ff_bytes *out)
{
    size_t n = 0;
    while (n < in->n && ((in->p[n] >= 'a' && in->p[n] <= 'z') || (in->p[n] >= '0' && in->p[n] <= '9')))
        n++;
    if (n == 0)
        return false;
    *out = ff_first_n(*in, n);
    *in = ff_skip_n(*in, n);
    return true;
}

/* "kern  :warn  : " of dmesg -x, "kern:    info: " of Talos. */
static bool take_facility(ff_bytes *in)
{
    ff_bytes rest = *in, facility, level;
    if (!take_lower_name(&rest, &facility) || !ff_take_spaces(&rest) || !ff_take_char(&rest, ':') ||
        !ff_is_one_of(facility, facilities) || !ff_take_spaces(&rest) || !take_lower_name(&rest, &level) ||
        !ff_is_one_of(level, levels) || !ff_take_spaces(&rest) || !ff_take_char(&rest, ':') ||
        !ff_take_blank_or_end(&rest))
        return false;
    *in = rest;
    return true;
}

static bool take_priority(ff_bytes *in)
{
    ff_bytes rest = *in;
    uint64_t n = 0;
    if (!ff_take_char(&rest, '<') || !ff_take_digits_of(&rest, 4, &n) || !ff_take_char(&rest, '>'))
        return false;
    *in = rest;
    return true;
}

/* "[   T1]" or "[  C12]", glued on by PRINTK_CALLER, with a blank in front when dmesg prints it. */
static void skip_caller(ff_bytes *in)
{
    ff_bytes rest = *in;
    uint64_t id = 0;
    ff_take_char(&rest, ' ');
    if (ff_take_char(&rest, '[') && ff_take_spaces(&rest) && (ff_take_char(&rest, 'T') || ff_take_char(&rest, 'C')) &&
        ff_take_uint(&rest, &id) && ff_take_char(&rest, ']') && (rest.n == 0 || rest.p[0] == ' '))
        *in = rest;
}

static bool take_micros(ff_bytes *in, int64_t *ns)
{
    ff_bytes rest = *in;
    uint64_t seconds = 0;
    int64_t micros = 0;
    if (!ff_take_digits_of(&rest, 10, &seconds) || !ff_take_char(&rest, '.') || !ff_take_digits(&rest, 6, &micros) ||
        seconds >= LONGEST_UPTIME)
        return false;
    *ns = (int64_t)seconds * INT64_C(1000000000) + micros * MICROSECOND;
    *in = rest;
    return true;
}

/* " <    0.000012>" of dmesg -d, between the time and the bracket. */
static void skip_delta(ff_bytes *in)
{
    ff_bytes rest = *in;
    int64_t ns = 0;
    if (ff_take_spaces(&rest) && ff_take_char(&rest, '<') && ff_take_spaces(&rest) && ff_take_seconds(&rest, &ns) &&
        ff_take_char(&rest, '>'))
        *in = rest;
}

static bool take_boot_time(ff_bytes *in, int64_t *ns)
{
    ff_bytes rest = *in;
    if (!ff_take_char(&rest, '[') || !ff_take_spaces(&rest) || !take_micros(&rest, ns))
        return false;
    skip_delta(&rest);
    if (!ff_take_char(&rest, ']'))
        return false;
    skip_caller(&rest);
    if (!ff_take_blank_or_end(&rest))
        return false;
    *in = rest;
    return true;
}

static bool take_ctime(ff_bytes *in, ff_stamp *stamp)
{
    ff_bytes rest = *in;
    if (!ff_take_char(&rest, '[') || !ff_take_ctime(&rest, stamp))
        return false;
    skip_delta(&rest);
    if (!ff_take_char(&rest, ']'))
        return false;
    skip_caller(&rest);
    if (!ff_take_blank_or_end(&rest))
        return false;
    *in = rest;
    return true;
}

/* The comma before the fraction tells dmesg's ISO format from everybody else's. */
static bool take_iso(ff_bytes *in, ff_stamp *stamp)
{
    ff_bytes rest = *in;
    if (rest.n < 27 || rest.p[10] != 'T' || rest.p[19] != ',' || !ff_take_rfc3339(&rest, stamp) ||
        stamp->kind != FF_STAMP_UTC)
        return false;
    skip_caller(&rest);
    if (!ff_take_blank_or_end(&rest))
        return false;
    *in = rest;
    return true;
}

static bool take_talos(ff_bytes *in, ff_stamp *stamp)
{
    ff_bytes rest = *in;
    if (!ff_take_char(&rest, '[') || rest.n < 20 || rest.p[10] != 'T' || !ff_take_rfc3339(&rest, stamp) ||
        stamp->kind != FF_STAMP_UTC || !ff_take_lit(&rest, FF_LIT("]:")) || !ff_take_blank_or_end(&rest))
        return false;
    *in = rest;
    return true;
}

/* dmesg -e: "[Nov30 05:41] " on a new minute, else "[  +0.000123] "; -d: "[<    0.000123>] " everywhere. */
static bool take_reltime(ff_bytes *in, ff_stamp *stamp)
{
    ff_bytes rest = *in;
    unsigned month = 0;
    uint64_t day = 0;
    int64_t hour = 0, minute = 0, ns = 0;
    *stamp = (ff_stamp){ 0 };
    if (!ff_take_char(&rest, '['))
        return false;
    if (ff_take_month_name(&rest, &month)) {
        if (!ff_take_spaces(&rest) || !ff_take_digits_of(&rest, 2, &day) || !ff_take_char(&rest, ' ') ||
            !ff_take_digits(&rest, 2, &hour) || !ff_take_char(&rest, ':') || !ff_take_digits(&rest, 2, &minute))
            return false;
        if (!ff_make_no_year(month, (int64_t)day, (hour * 60 + minute) * MINUTE_NS, MINUTE_NS, stamp))
            return false;
    } else if (ff_take_char(&rest, '<')) {
        if (!ff_take_spaces(&rest) || !ff_take_seconds(&rest, &ns) || !ff_take_char(&rest, '>'))
            return false;
    } else if (!ff_take_spaces(&rest) || !ff_take_char(&rest, '+') || !ff_take_seconds(&rest, &ns)) {
        return false;
    }
    if (!ff_take_lit(&rest, FF_LIT("] ")))
        return false;
    *in = rest;
    return true;
}

/* /dev/kmsg: priority, sequence number, microseconds since boot, flags and more fields, ";". */
static bool take_dev_kmsg(ff_bytes *in, int64_t *ns)
{
    ff_bytes rest = *in, flags;
    uint64_t priority = 0, seq = 0, micros = 0;
    if (!ff_take_digits_of(&rest, 4, &priority) || !ff_take_char(&rest, ',') || !ff_take_uint(&rest, &seq) ||
        !ff_take_char(&rest, ',') || !ff_take_digits_of(&rest, 15, &micros) || !ff_take_char(&rest, ',') ||
        !ff_take_until(&rest, ';', &flags) || flags.n > 64 || flags.n == 0)
        return false;
    *ns = (int64_t)micros * MICROSECOND;
    *in = rest;
    return true;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* dmesg and /dev/kmsg print bytes outside ASCII, and newlines of a record, as \xNN. */
static ff_bytes unescape(ff_arena *scratch, ff_bytes text)
{
    if (!scratch || !ff_contains(text, FF_LIT("\\x")))
        return text;
    char *out = FF_NEW_N(scratch, char, text.n);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        int high = text.n - i > 3 && text.p[i] == '\\' && text.p[i + 1] == 'x' ? hex_value(text.p[i + 2]) : -1;
        int low = high >= 0 ? hex_value(text.p[i + 3]) : -1;
        if (low >= 0) {
            out[n++] = (char)(high * 16 + low);
            i += 3;
        } else {
            out[n++] = text.p[i];
        }
    }
    return (ff_bytes){ out, n };
}

static void see_kernel(ff_event *ev, ff_bytes text)
{
    ev->text = unescape(ev->scratch, text);
    ff_see_program(ev, FF_LIT("kernel"));
}

static bool take_dmesg_time(ff_event *ev, ff_bytes *rest)
{
    ff_stamp stamp = { 0 };
    int64_t ns = 0;
    if (!rest->n || (rest->p[0] != '[' && rest->p[0] != '2'))
        return false; /* all of them begin with a bracket but the ISO date */
    if (take_boot_time(rest, &ns)) {
        ff_see_boot_time(ev, ns, MICROSECOND);
        return true;
    }
    if (take_ctime(rest, &stamp) || take_iso(rest, &stamp) || take_talos(rest, &stamp) ||
        take_reltime(rest, &stamp)) {
        ff_see_time(ev, stamp);
        ev->since_before = stamp.kind == FF_STAMP_NONE;
        return true;
    }
    return false;
}

bool ff_take_dmesg(ff_event *ev)
{
    ff_bytes rest = ev->text;
    int64_t ns = 0;
    char c = rest.n ? rest.p[0] : '\0';
    bool lower = c >= 'a' && c <= 'z', digit = ff_is_digit(c);
    if (c != '[' && c != '<' && !digit && !lower)
        return false;
    if (digit && take_dev_kmsg(&rest, &ns)) {
        ff_see_boot_time(ev, ns, MICROSECOND);
        see_kernel(ev, rest);
        return true;
    }
    bool facility = lower && take_facility(&rest);
    if (c == '<')
        take_priority(&rest);
    if (!take_dmesg_time(ev, &rest) && !facility)
        return false;
    see_kernel(ev, rest);
    return true;
}

/* journalctl -o short-monotonic looks like dmesg but for the host; it has its own parser. */
static bool is_kmsg(ff_bytes line)
{
    ff_event ev = { .text = line, .who = FF_WHO_NOBODY };
    ff_event other = ev;
    return ff_take_dmesg(&ev) && !ff_take_mono_host(&other);
}

static bool is_pstore_head(ff_bytes line)
{
    return ff_starts(line, FF_LIT("Panic#")) || ff_starts(line, FF_LIT("Oops#"));
}
static bool is_kmsg_file_line(ff_bytes line)
{
    /* a record's second line is indented; /dev/kmsg gives the device of a record in lines that begin with one blank
     */
    return is_kmsg(line) || is_pstore_head(line) || ff_starts(line, FF_LIT(" SUBSYSTEM=")) ||
           ff_starts(line, FF_LIT(" DEVICE="));
}

/* dmesg -r -t: a priority is all the frame there is, and many programs print one. Only a file in which every line has
 * it is the kernel's, and any other format goes before. */
static bool is_only_priority(ff_bytes line) { return take_priority(&line) && line.n && line.p[0] != '<'; }
static bool is_priority_file_line(ff_bytes line) { return is_only_priority(line) || ff_starts(line, FF_LIT("   ")); }

static int kmsg_probe(const ff_probe *in)
{
    unsigned lines, fitting;
    ff_count_lines(in->head, is_priority_file_line, &lines, &fitting);
    int bid = ff_bid_lines(in->head, is_kmsg_file_line);
    return bid || lines != fitting || lines < 2 || !is_only_priority(in->head) ? bid : 8;
}

static bool kmsg_frame(ff_bytes record, ff_event *ev)
{
    ev->text = record;
    if (ff_take_dmesg(ev))
        return true;
    ff_bytes rest = record;
    if (!is_only_priority(rest) || !take_priority(&rest))
        return false;
    see_kernel(ev, rest);
    return true;
}

const ff_parser ff_parser_kmsg = {
    .name = "kmsg", .streams = FF_STREAM_KERNEL, .probe = kmsg_probe, .frame = kmsg_frame
};
const ff_coat ff_coat_dmesg = { .name = "dmesg",
                                .begins = FF_FIRST_SQUARE | FF_FIRST_LOWER | FF_FIRST_DIGIT | FF_FIRST_ANGLE,
                                .take = ff_take_dmesg };

/* How kernel text begins that is quoted without any frame (dmesg -t, a ticket's text). */
static const char *const kernel_starts[] = { "NVRM: ",
                                             "nvidia-nvswitch",
                                             "nvidia 0000:",
                                             "mlx5_core 0000:",
                                             "pcieport 0000:",
                                             "oom-kill:constraint=",
                                             "Memory cgroup out of memory: ",
                                             "Memory cgroup stats for /",
                                             "memory: usage ",
                                             "Out of memory: Killed process ",
                                             "Cannot map memory with base addr ",
                                             "oom_reaper: reaped process ",
                                             NULL };

static bool read_kernel(ff_event *ev)
{
    if (ev->stream == FF_STREAM_KERNEL) {
        ff_see_epoch(ev);
        return true;
    }
    if (!(ev->stream & FF_STREAM_KERNEL) || !ff_is_empty(ev->ident))
        return false;
    for (const char *const *start = kernel_starts; *start; start++)
        if (ff_starts_str(ev->text, *start)) {
            ff_see_program(ev, FF_LIT("kernel"));
            return true;
        }
    return false;
}

const ff_reader ff_reader_kernel = { .name = "kernel", .read = read_kernel };
