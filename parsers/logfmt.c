/* logfmt of containerd, CRI-O, docker and other Go programs (logrus, slog).
 *     time="2026-01-01T00:00:00.123456789Z" level=info msg="TaskOOM event container_id:\"0f1e\"" namespace=k8s.io
 *     time=2026-01-01T00:00:00Z level=INFO msg="starting check" name=operator-health
 * Formats: logrus text_formatter.go; Go log/slog TextHandler.
 * The event's text is the message without its quotes and escapes, then the other pairs as they stand. */
#include "lines.h"

static bool take_value(ff_bytes *in, ff_bytes *value)
{
    if (in->n == 0)
        return false;
    if (in->p[0] != '"')
        return ff_take_word(in, value);
    for (size_t i = 1; i < in->n; i++) {
        if (in->p[i] == '\\') {
            i++;
        } else if (in->p[i] == '"') {
            *value = ff_first_n(*in, i + 1);
            *in = ff_skip_n(*in, i + 1);
            return true;
        }
    }
    *value = *in; /* the line was cut inside the quotes */
    *in = ff_skip_n(*in, in->n);
    return true;
}

static ff_bytes unquote(ff_arena *scratch, ff_bytes value)
{
    ff_bytes out = value;
    if (value.n == 0 || value.p[0] != '"' || ff_json_unescape(scratch, value, &out))
        return out;
    out = ff_skip_n(value, 1);
    if (!scratch || !ff_contains(out, FF_LIT("\\")))
        return out;
    /* torn: close it for the decoder */
    while (out.n && out.p[out.n - 1] == '\\')
        out.n--;
    char *closed = FF_NEW_N(scratch, char, out.n + 2);
    closed[0] = '"';
    for (size_t i = 0; i < out.n; i++)
        closed[i + 1] = out.p[i];
    closed[out.n + 1] = '"';
    ff_json_unescape(scratch, (ff_bytes){ closed, out.n + 2 }, &out);
    return out;
}

static ff_bytes joined(ff_arena *scratch, ff_bytes message, ff_bytes rest)
{
    ff_take_spaces(&rest);
    if (!scratch || ff_is_empty(rest))
        return message;
    return ff_arena_format(scratch, "%.*s %.*s", (int)message.n, message.n ? message.p : "", (int)rest.n, rest.p);
}

bool ff_take_logfmt(ff_event *ev)
{
    ff_bytes rest = ev->text, time, level, message;
    ff_stamp stamp;
    bool logrus = ff_starts(rest, FF_LIT("time=\""));
    if (!ff_take_lit(&rest, FF_LIT("time=")) || !take_value(&rest, &time) || !ff_take_lit(&rest, FF_LIT(" level=")) ||
        !take_value(&rest, &level) || !ff_take_char(&rest, ' '))
        return false;
    if (ff_starts(rest, FF_LIT("source="))) { /* slog with AddSource */
        if (!take_value(&rest, &message) || !ff_take_char(&rest, ' '))
            return false;
    }
    if (!ff_take_lit(&rest, FF_LIT("msg=")) || !take_value(&rest, &message))
        return false;
    time = unquote(NULL, time);
    if (!ff_take_rfc3339(&time, &stamp))
        return false;
    ff_see_time(ev, stamp);
    ev->text = joined(ev->scratch, unquote(ev->scratch, message), rest);
    if (logrus && ff_is_empty(ev->ident))
        ff_see_stream(ev, FF_STREAM_RUNTIME | FF_STREAM_K8S | FF_STREAM_GPU);
    return true;
}

static bool is_logfmt(ff_bytes line)
{
    ff_event ev = { .text = line, .who = FF_WHO_NOBODY };
    return ff_take_logfmt(&ev);
}

static int containerd_probe(const ff_probe *in) { return ff_bid_lines(in->head, is_logfmt); }

static bool containerd_frame(ff_bytes record, ff_event *ev)
{
    ev->text = record;
    return ff_take_logfmt(ev);
}

const ff_parser ff_parser_containerd = { .name = "containerd",
                                         .streams = FF_STREAM_RUNTIME | FF_STREAM_K8S | FF_STREAM_GPU,
                                         .probe = containerd_probe,
                                         .frame = containerd_frame };
const ff_coat ff_coat_logfmt = { .name = "logfmt", .begins = FF_FIRST_LOWER, .take = ff_take_logfmt };

/* Lines that the runtime is known to write; its streams are then not a mask any more. */
static bool read_runtime(ff_event *ev)
{
    static const char *const starts[] = { "TaskOOM event ",
                                          "TaskExit event ",
                                          "received exit event ",
                                          "received container exit event ",
                                          "shim disconnected",
                                          "cleaning up dead shim",
                                          "RunPodSandbox for ",
                                          "CreateContainer within sandbox ",
                                          "StartContainer for ",
                                          "StopContainer for ",
                                          "RemoveContainer for ",
                                          "StopPodSandbox for ",
                                          "Kill container ",
                                          "Stop container ",
                                          NULL };
    if (!(ev->stream & FF_STREAM_RUNTIME) || (ev->stream & FF_STREAM_KERNEL))
        return false;
    for (const char *const *start = starts; *start; start++)
        if (ff_starts_str(ev->text, *start)) {
            ff_see_stream(ev, FF_STREAM_RUNTIME);
            if (ff_is_empty(ev->who.unit))
                ev->who.unit = FF_LIT("containerd");
            return true;
        }
    return ev->stream == FF_STREAM_RUNTIME;
}

const ff_reader ff_reader_runtime = { .name = "runtime", .read = read_runtime };
