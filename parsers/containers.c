/* Frames that a container runtime puts around what a container writes, and the prefixes of kubectl.
 *     2026-01-01T00:00:00.123456789Z stderr F text                            (CRI, /var/log/pods)
 *     {"log":"text\n","stream":"stderr","time":"2026-01-01T00:00:00.1Z"}      (docker json-file)
 *     [pod/train-0/trainer] text                                              (kubectl logs --prefix)
 *     2026-01-01T00:00:00.123456789Z text                                     (kubectl logs --timestamps)
 * Formats: Kubernetes CRI logging design, docker's jsonfilelog, kubectl logs.
 * Parts of a line are put together by block_joined.c: those with the tag P, and docker's, which have no newline at
 * the end of their text (it cuts at 16 KiB). */
#include "lines.h"

/* The kernel's too: some containers print the node's log. */
#define CONTAINER_STREAMS                                                                                            \
    (FF_STREAM_KERNEL | FF_STREAM_NCCL | FF_STREAM_APP | FF_STREAM_K8S | FF_STREAM_RUNTIME | FF_STREAM_SLURM |       \
     FF_STREAM_GPU | FF_STREAM_NET | FF_STREAM_HOST)

static void see_container(ff_event *ev)
{
    ev->in_container = true;
    /* what a container prints is not the node's kernel log, unless a frame inside says so */
    if (ev->stream & ~(uint32_t)FF_STREAM_KERNEL)
        ev->stream &= ~(uint32_t)FF_STREAM_KERNEL;
}

static bool take_cri(ff_event *ev)
{
    ff_bytes rest = ev->text, tag;
    ff_stamp stamp;
    if (rest.n < 20 || rest.p[10] != 'T' || !ff_take_rfc3339(&rest, &stamp) || stamp.kind != FF_STAMP_UTC)
        return false;
    bool out = ff_take_lit(&rest, FF_LIT(" stdout "));
    if ((!out && !ff_take_lit(&rest, FF_LIT(" stderr "))) || !ff_take_word(&rest, &tag) ||
        (tag.p[0] != 'F' && tag.p[0] != 'P') || (tag.n > 1 && tag.p[1] != ':') || !ff_take_blank_or_end(&rest))
        return false;
    ff_see_time(ev, stamp);
    see_container(ev);
    ev->part = out ? 1 : 2;
    ev->goes_on = tag.p[0] == 'P';
    ev->text = rest;
    return true;
}

static bool take_docker_json(ff_event *ev)
{
    ff_bytes rest = ev->text, key, value, log = { 0 }, time = { 0 };
    uint8_t part = 0;
    ff_stamp stamp;
    bool has_log = false;
    if (!ff_take_char(&rest, '{') || !ff_starts(rest, FF_LIT("\"")) || !ff_contains(rest, FF_LIT("\"log\"")))
        return false;
    while (ff_take_json_pair(&rest, &key, &value)) {
        if (ff_equal(key, FF_LIT("log")))
            has_log = ff_json_unescape(ev->scratch, value, &log);
        else if (ff_equal(key, FF_LIT("time")))
            ff_json_unescape(ev->scratch, value, &time);
        else if (ff_equal(key, FF_LIT("stream")))
            part = ff_equal(value, FF_LIT("\"stderr\"")) ? 2 : 1;
        else if (ff_equal(key, FF_LIT("kubernetes")))
            return false; /* a collector's, which says more */
    }
    if (!has_log || !ff_take_rfc3339(&time, &stamp))
        return false;
    /* other writers of such lines name no stream, and need not keep the newline */
    ev->goes_on = part && log.n && log.p[log.n - 1] != '\n';
    ev->part = part;
    while (log.n && (log.p[log.n - 1] == '\n' || log.p[log.n - 1] == '\r'))
        log.n--;
    ff_see_time(ev, stamp);
    see_container(ev);
    ev->text = log;
    return true;
}

/* Most lines end in \n","stream":"...: the next one that does not, which no literal tells from them. Where no line
 * ends so, some collector took all newlines off. */
static size_t docker_piece(ff_bytes run, size_t from)
{
    static const char END[] = "\",\"stream\":\"";
    if (from == 0 && !ff_contains(run, FF_LIT("\\n\",\"stream\":\"")))
        return run.n;
    while (from < run.n) {
        size_t at = from + ff_find(ff_skip_n(run, from), ff_str(END)), slashes = 0;
        if (at >= run.n)
            break;
        bool newline = at > 1 && run.p[at - 1] == 'n';
        while (newline && at > slashes + 1 && run.p[at - 2 - slashes] == '\\')
            slashes++;
        if (slashes % 2 == 0)
            return at;
        from = at + sizeof END - 1;
    }
    return run.n;
}

/* "[pod/train-0/trainer] ": the namespace is not in it, so the pod is known by its name only. */
static bool take_kubectl_prefix(ff_event *ev)
{
    ff_bytes rest = ev->text, pod, container;
    if (!ff_take_lit(&rest, FF_LIT("[pod/")) || !ff_take_until(&rest, '/', &pod) ||
        !ff_take_until(&rest, ']', &container) || pod.n > 253 || container.n > 63 || ff_is_empty(pod) ||
        !ff_take_blank_or_end(&rest))
        return false;
    if (ff_is_empty(ev->who.pod))
        ev->who.pod = pod;
    ev->who.unit = container;
    see_container(ev);
    ev->text = rest;
    return true;
}

static bool is_cri(ff_bytes line)
{
    ff_event ev = { .text = line, .who = FF_WHO_NOBODY };
    return take_cri(&ev);
}

static bool is_docker_json(ff_bytes line)
{
    ff_event ev = { .text = line, .who = FF_WHO_NOBODY };
    return take_docker_json(&ev);
}

static int cri_probe(const ff_probe *in) { return ff_bid_lines(in->head, is_cri); }
static int docker_json_probe(const ff_probe *in) { return ff_bid_lines(in->head, is_docker_json); }

static bool cri_frame(ff_bytes record, ff_event *ev)
{
    ev->text = record;
    return take_cri(ev);
}

static bool docker_json_frame(ff_bytes record, ff_event *ev)
{
    ev->text = record;
    return take_docker_json(ev);
}

/* kubectl --timestamps: nine digits and Z in front of every line; what stands behind is anything. */
static bool is_kubectl_stamp(ff_bytes line)
{
    ff_stamp stamp;
    ff_bytes rest = line;
    return rest.n >= 30 && rest.p[10] == 'T' && ff_take_rfc3339(&rest, &stamp) && stamp.grain_ns == 1 &&
           stamp.kind == FF_STAMP_UTC && ff_take_blank_or_end(&rest) && !is_cri(line);
}

static bool is_kubectl_line(ff_bytes line)
{
    ff_event ev = { .text = line, .who = FF_WHO_NOBODY };
    return is_kubectl_stamp(line) ||
           (take_kubectl_prefix(&ev) && (ff_is_empty(ev.text) || is_kubectl_stamp(ev.text)));
}

static int kubectl_probe(const ff_probe *in)
{
    unsigned lines, fitting;
    ff_count_lines(in->head, is_kubectl_line, &lines, &fitting);
    return lines == fitting ? 8 * (int)fitting : 0;
}

static bool kubectl_frame(ff_bytes record, ff_event *ev)
{
    ff_stamp stamp;
    ev->text = record;
    bool labelled = take_kubectl_prefix(ev);
    ff_bytes rest = ev->text;
    if (!is_kubectl_stamp(rest) || !ff_take_rfc3339(&rest, &stamp) || !ff_take_blank_or_end(&rest))
        return labelled;
    ff_see_time(ev, stamp);
    see_container(ev);
    ev->text = rest;
    return true;
}

const ff_parser ff_parser_cri = {
    .name = "cri", .streams = CONTAINER_STREAMS, .probe = cri_probe, .frame = cri_frame
};
const ff_parser ff_parser_docker_json = { .name = "docker_json",
                                          .streams = CONTAINER_STREAMS,
                                          .probe = docker_json_probe,
                                          .frame = docker_json_frame,
                                          .piece = docker_piece };
const ff_parser ff_parser_kubectl = {
    .name = "kubectl", .streams = CONTAINER_STREAMS, .probe = kubectl_probe, .frame = kubectl_frame
};
const ff_coat ff_coat_cri = { .name = "cri", .begins = FF_FIRST_DIGIT, .take = take_cri };
const ff_coat ff_coat_docker_json = { .name = "docker_json", .begins = FF_FIRST_BRACE, .take = take_docker_json };
const ff_coat ff_coat_kubectl = { .name = "kubectl", .begins = FF_FIRST_SQUARE, .take = take_kubectl_prefix };
