/* Lines of NCCL, RCCL and their plugins.
 *     gpu-a01:71:93 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM
 *     [2026-01-01 00:00:00] gpu-a01:71:93 [0] misc/socket.cc:64 (ncclSocketConnect) NCCL WARN text
 *     gpu-a01:71:93 [0] int nccl_net_ofi_create(struct x*):123 NCCL WARN NET/OFI text
 * Format: src/debug.cc of NCCL, versions 2.3 to 2.30.
 * Buffered writers interleave inside a line, so the record that counts begins at the last place that looks like one.
 * The event's text begins at the level: "NCCL WARN text", "NCCL INFO text"; host, pid and source place are taken off.
 * Not understood: lines of a custom NCCL_DEBUG_TIMESTAMP_FORMAT keep host and pid, but not that time. */
#include "lines.h"

typedef struct place {
    size_t from, level; /* offsets of HOST:PID:TID and of "NCCL WARN" or "[FATAL ERROR]" */
    ff_bytes host;
    uint64_t pid;
    int32_t device; /* "[0]" behind it; FF_NO_NUMBER */
} place;

static int32_t device_in(ff_bytes rest)
{
    uint64_t device = 0;
    bool said = ff_take_char(&rest, '[') && ff_take_uint(&rest, &device) && ff_take_char(&rest, ']') && device < 1024;
    return said ? (int32_t)device : FF_NO_NUMBER;
}

static bool is_host_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '_';
}

/* The "HOST:PID:TID " around a colon at `colon`: the host left of it, two numbers right of it. */
static bool is_speaker(ff_bytes text, size_t colon, place *out)
{
    ff_bytes rest = ff_skip_n(text, colon + 1);
    uint64_t pid = 0, thread = 0;
    size_t from = colon;
    if (!ff_take_uint(&rest, &pid) || !ff_take_char(&rest, ':') || !ff_take_uint(&rest, &thread) ||
        !ff_take_char(&rest, ' '))
        return false;
    while (from > 0 && is_host_byte(text.p[from - 1]) && colon - from < 255)
        from--;
    if (from == colon)
        return false;
    out->from = from;
    out->host = (ff_bytes){ text.p + from, colon - from };
    out->pid = pid;
    out->device = device_in(rest);
    return true;
}

/* The last HOST:PID:TID in front of `end`, and not in front of `start`. */
static bool find_speaker(ff_bytes text, size_t start, size_t end, place *out)
{
    for (size_t i = end; i > start; i--)
        if (text.p[i - 1] == ':' && is_speaker(ff_first_n(text, end), i - 1, out) && out->from >= start)
            return true;
    return false;
}

static bool is_level_at(ff_bytes text)
{
    static const char *const levels[] = { "INFO ", "WARN ", "CALL ", "TRACE ", NULL };
    if (!ff_take_lit(&text, FF_LIT("NCCL ")))
        return false;
    for (const char *const *level = levels; *level; level++)
        if (ff_starts_str(text, *level))
            return true;
    return false;
}

/* Offset of the next level word from `from` on, or text.n. */
static size_t next_level(ff_bytes text, size_t from)
{
    while (from < text.n) {
        size_t at = ff_find(ff_skip_n(text, from), FF_LIT("NCCL "));
        if (from + at >= text.n)
            break;
        from += at;
        if (is_level_at(ff_skip_n(text, from)))
            return from;
        from += 5;
    }
    return text.n;
}

static bool find_record(ff_bytes text, place *out)
{
    bool found = false;
    size_t behind = 0;
    for (size_t at = next_level(text, 0); at < text.n; at = next_level(text, at + 5)) {
        place p = { .level = at };
        if (find_speaker(text, behind, at, &p)) {
            *out = p;
            found = true;
        }
        behind = at;
    }
    return found;
}

/* Newer RCCL: "HOST:PID:TID [0] [FATAL ERROR]: text", without the word NCCL. */
static bool find_rccl_fatal(ff_bytes text, place *out)
{
    size_t at = ff_find(text, FF_LIT("[FATAL ERROR]: "));
    if (at >= text.n || !find_speaker(text, 0, at, out))
        return false;
    out->level = at;
    return true;
}

static bool is_bare(ff_bytes text)
{
    return is_level_at(text) || ff_starts(text, FF_LIT("NCCL version ")) || ff_starts(text, FF_LIT("RCCL version "));
}

static bool read_nccl(ff_event *ev)
{
    place p;
    if (!(ev->stream & (FF_STREAM_NCCL | FF_STREAM_APP)))
        return false;
    if (is_bare(ev->text)) {
        ff_see_stream(ev, FF_STREAM_NCCL);
        return true;
    }
    if (!find_record(ev->text, &p) && !find_rccl_fatal(ev->text, &p))
        return false;
    ff_see_stream(ev, FF_STREAM_NCCL);
    ff_see_host(ev, p.host);
    ff_see_pid(ev, p.pid);
    ev->who.device = p.device;
    ev->text = ff_skip_n(ev->text, p.level);
    return true;
}

const ff_reader ff_reader_nccl = { .name = "nccl", .read = read_nccl };

static bool is_nccl(ff_bytes line)
{
    place p;
    return is_bare(line) || find_record(line, &p) || find_rccl_fatal(line, &p);
}

static bool is_named_nccl(ff_bytes name)
{
    size_t slash = name.n;
    while (slash && name.p[slash - 1] != '/' && name.p[slash - 1] != '!')
        slash--;
    name = ff_skip_n(name, slash);
    return ff_contains(name, FF_LIT("nccl")) && !ff_contains(name, FF_LIT("test")) &&
           !ff_contains(name, FF_LIT("perf"));
}

/* A file of NCCL_DEBUG_FILE holds nothing else. A job's output may begin with any number of NCCL's lines and then go
 * on with its own, so the head alone proves nothing: that one is for `plain`. */
static int nccl_probe(const ff_probe *in)
{
    ff_bytes rest = in->head, line;
    unsigned fitting = 0, strange = 0;
    if (!in->whole && !is_named_nccl(in->name))
        return 0;
    while (ff_take_line(&rest, &line)) {
        bool cut = ff_is_empty(rest) && !in->whole;
        if (cut || ff_is_empty(ff_trim(line)))
            continue;
        bool fits = is_nccl(line);
        fitting += fits;
        strange += !fits;
        /* a text of several lines has its prefix on the first only */
        if (strange > 2 && strange * 20 > fitting)
            return 0;
    }
    return strange * 20 > fitting ? 0 : 8 * (int)(fitting < 32 ? fitting : 32);
}

/* Every line is an event, as the application may go on in the same file; ff_undress takes the prefix off. */
static bool nccl_frame(ff_bytes record, ff_event *ev)
{
    ev->text = record;
    return true;
}

const ff_parser ff_parser_nccl = {
    .name = "nccl", .streams = FF_STREAM_NCCL | FF_STREAM_APP, .probe = nccl_probe, .frame = nccl_frame
};
