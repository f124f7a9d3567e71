/* What log portals export: one JSON object for each line of a log, with the line in one key and who wrote it in
 * others.
 *     {"timestamp":"2026-01-01T00:00:00Z","line":"text","labels":{"host":"gpu-a01"}}                  Loki, Grafana
 *     {"textPayload":"text","timestamp":"...","resource":{"labels":{"node_name":"gpu-a01"}}}            Cloud Logging
 *     {"_source":{"@timestamp":"...","message":"text","host":{"name":"gpu-a01"}}}                     Elastic
 *     {"result":{"_raw":"text","_time":"2026-01-01 00:00:00.000 UTC","host":"gpu-a01"}}               Splunk
 *     {"log":"text\n","date":1767225600.1,"kubernetes":{"pod_name":"train-0","host":"gpu-a01"}}       Fluent Bit
 *     {host="gpu-a01", job="kubelet"} text                                                            logcli
 * Also such objects over several lines, and arrays of them. The text may wear any frame itself. Formats: what these
 * programs print; names of keys are compared with the object that they stand in ("host": {"name": ...}, "host.name").
 * A service's own structured log ({"level":"info","logger":"x","message":"..."}) is not one of these: its keys belong
 * to the text, and a node that it names is one that it speaks of. Not understood: answers of Loki's HTTP interface,
 * whose lines are pairs in one array; exports as CSV. */
#include "lines.h"
#include "objects.h"

#define PORTAL_STREAMS (FF_STREAM_ANY & ~(uint32_t)FF_STREAM_RECORDER)
#define DEEPEST 4u
#define MOST_LINE 32768u /* of a probe: dumps are one line of megabytes */
#define MOST_PAIRS 200u
#define YEAR_1990 UINT64_C(631152000)
#define LAST_SECOND UINT64_C(9000000000)

typedef struct portal {
    ff_bytes message, time, node, host, pod, space, pod_uid, container, unit, ident, transport, boot;
    unsigned message_rank, time_rank; /* of the key it came from, 0 = none: the first of the list wins */
    unsigned pairs;
    bool exported; /* says who collected it, or from where */
    bool other;    /* an object of Kubernetes or a service's own log: these have times and messages too */
} portal;

/* The original text before what a collector made of it. */
static const char *const messages[] = { "log",     "line", "_raw", "textPayload", "MESSAGE",
                                        "message", "msg",  "body", NULL };
#define SURE_MESSAGES 5u /* of these, only exports have */
static const char *const marks[] = {
    "@timestamp", "host", "hostname", "host.name", "host.hostname", "_HOSTNAME", NULL
};
static const char *const others[] = { "apiVersion", "involvedObject", "logger", "caller", NULL };
static const char *const times[] = { "timestamp", "@timestamp", "time", "_time", "ts", "date", "Timestamp", NULL };

/* 1 for the first of the list; 0: not in it. */
static unsigned rank_of(ff_bytes key, const char *const *list)
{
    for (unsigned i = 0; list[i]; i++)
        if (ff_equal(key, ff_str(list[i])))
            return i + 1;
    return 0;
}

static void take_best(unsigned rank, unsigned *best, ff_bytes value, ff_bytes *to)
{
    if (rank && (*best == 0 || rank < *best) && value.n) {
        *best = rank;
        *to = value;
    }
}

static void set_first(ff_bytes *to, ff_bytes value)
{
    if (!to->n && value.n && value.n <= 253)
        *to = value;
}

/* "host.name", or "name" in an object "host": what it is called depends on what it is of. */
static void see_name(portal *p, ff_bytes of, ff_bytes key, ff_bytes value)
{
    bool name = ff_equal(key, FF_LIT("name")) || ff_equal(key, FF_LIT("hostname"));
    if (ff_equal(of, FF_LIT("node")) && name)
        set_first(&p->node, value);
    else if (ff_equal(of, FF_LIT("host")) && name)
        set_first(&p->host, value);
    else if (ff_equal(of, FF_LIT("pod")) && name)
        set_first(&p->pod, value);
    else if (ff_equal(of, FF_LIT("pod")) && (ff_equal(key, FF_LIT("uid")) || ff_equal(key, FF_LIT("id"))))
        set_first(&p->pod_uid, value);
    else if (ff_equal(of, FF_LIT("namespace")) && name)
        set_first(&p->space, value);
    else if (ff_equal(of, FF_LIT("container")) && name)
        set_first(&p->unit, value);
    else if (ff_equal(of, FF_LIT("container")) && ff_equal(key, FF_LIT("id")))
        set_first(&p->container, value);
    else if (ff_equal(of, FF_LIT("process")) && name)
        set_first(&p->ident, value);
    else if ((ff_equal(of, FF_LIT("kubernetes")) && ff_equal(key, FF_LIT("host"))) ||
             ((ff_equal(of, FF_LIT("labels")) || ff_equal(of, FF_LIT("stream"))) && ff_equal(key, FF_LIT("node"))))
        set_first(&p->node, value);
}

static void see_key(portal *p, ff_bytes key, ff_bytes value)
{
    static const struct {
        const char *key;
        size_t at;
    } keys[] = { { "node_name", offsetof(portal, node) },
                 { "nodename", offsetof(portal, node) },
                 { "host", offsetof(portal, host) },
                 { "hostname", offsetof(portal, host) },
                 { "_HOSTNAME", offsetof(portal, host) },
                 { "pod", offsetof(portal, pod) },
                 { "pod_name", offsetof(portal, pod) },
                 { "namespace", offsetof(portal, space) },
                 { "namespace_name", offsetof(portal, space) },
                 { "pod_id", offsetof(portal, pod_uid) },
                 { "pod_uid", offsetof(portal, pod_uid) },
                 { "docker_id", offsetof(portal, container) },
                 { "container_id", offsetof(portal, container) },
                 { "container_name", offsetof(portal, unit) },
                 { "SYSLOG_IDENTIFIER", offsetof(portal, ident) },
                 { "syslog_identifier", offsetof(portal, ident) },
                 { "appname", offsetof(portal, ident) },
                 { "program", offsetof(portal, ident) },
                 { "_TRANSPORT", offsetof(portal, transport) },
                 { "transport", offsetof(portal, transport) },
                 { "_BOOT_ID", offsetof(portal, boot) },
                 { "boot_id", offsetof(portal, boot) } };
    for (size_t i = 0; i < FF_COUNT(keys); i++)
        if (ff_equal(key, ff_str(keys[i].key)))
            set_first((ff_bytes *)((char *)p + keys[i].at), value);
}

/* The part behind the last dot, and the word in front of it. */
static ff_bytes cut_key(ff_bytes key, ff_bytes *of)
{
    size_t dot = key.n, begin;
    while (dot && key.p[dot - 1] != '.')
        dot--;
    if (dot < 2)
        return key;
    for (begin = dot - 1; begin && key.p[begin - 1] != '.'; begin--)
        ;
    *of = ff_first_n(ff_skip_n(key, begin), dot - 1 - begin);
    return ff_skip_n(key, dot);
}

static void see_pair(portal *p, ff_bytes in, ff_bytes key, ff_bytes value, ff_arena *scratch)
{
    ff_bytes of = in, leaf = cut_key(key, &of), plain = { 0 };
    unsigned message = rank_of(key, messages), time = rank_of(key, times);
    /* a message's escapes are undone when it is the one */
    if (message && value.n && (value.p[0] == '"' || value.p[0] == '['))
        take_best(message, &p->message_rank, value, &p->message);
    if (time || (!message && value.n && value.n <= 300)) {
        plain = ff_json_plain(scratch, value);
        take_best(time, &p->time_rank, plain, &p->time);
        see_name(p, of, leaf, plain);
        see_key(p, key, plain);
    }
    p->exported = p->exported || in.n || ff_is_one_of(key, marks);
    p->other = p->other || (!in.n && ff_is_one_of(key, others));
}

/* Objects in objects; false: nothing more is read. */
static void walk(portal *p, ff_bytes of, ff_bytes object, unsigned deep, ff_arena *scratch)
{
    ff_bytes key, value;
    if (!ff_take_char(&object, '{'))
        return;
    while (p->pairs++ < MOST_PAIRS && ff_take_json_pair(&object, &key, &value)) {
        if (ff_starts(value, FF_LIT("{")) && deep < DEEPEST)
            walk(p, key, value, deep + 1, scratch);
        else
            see_pair(p, of, key, value, scratch);
    }
}

/* Seconds, milli-, micro- or nanoseconds since 1970, by their size. */
static bool take_epoch_of_any_unit(ff_bytes text, ff_stamp *out)
{
    ff_bytes rest = text;
    uint64_t n = 0, unit = UINT64_C(1000000000);
    if (!ff_take_uint(&rest, &n) || n < YEAR_1990)
        return false;
    while (unit > 1 && n / (UINT64_C(1000000000) / unit) > LAST_SECOND)
        unit /= 1000;
    if (unit == UINT64_C(1000000000)) {
        rest = text;
        return ff_take_epoch(&rest, out) && !rest.n;
    }
    if (rest.n && rest.p[0] != '.')
        return false;
    *out = (ff_stamp){ .kind = FF_STAMP_UTC, .ns = (int64_t)(n * unit), .grain_ns = (int64_t)unit };
    return n <= (uint64_t)INT64_MAX / unit;
}

static bool read_time(ff_bytes text, ff_stamp *out)
{
    ff_bytes rest = text;
    int64_t zone = 0;
    if (!ff_take_rfc3339(&rest, out))
        return take_epoch_of_any_unit(text, out);
    /* Splunk: "2026-01-01 00:00:00.000 UTC" */
    if (out->kind == FF_STAMP_LOCAL && ff_take_char(&rest, ' ') && ff_take_zone(&rest, &zone)) {
        out->kind = FF_STAMP_UTC;
        out->ns -= zone;
    }
    return true;
}

/* Of an object with a text and a time; keys in any order. */
static bool read_portal(ff_bytes object, portal *p, ff_stamp *stamp, ff_arena *scratch)
{
    *p = (portal){ .pairs = 0 };
    walk(p, (ff_bytes){ 0 }, object, 0, scratch);
    bool exported = p->exported || p->message_rank <= SURE_MESSAGES;
    return !p->other && exported && p->message.n && p->time.n && read_time(p->time, stamp);
}

static bool is_container_id(ff_bytes id)
{
    if (id.n != 64)
        return false;
    for (size_t i = 0; i < id.n; i++)
        if (!ff_is_hex(id.p[i]))
            return false;
    return true;
}

static void see_who(ff_event *ev, const portal *p)
{
    bool in_pod = p->pod.n > 0 || is_container_id(p->container);
    /* a collector in a pod may call its own pod the host; what the platform calls the node is the node */
    ff_see_host(ev, p->node.n ? p->node : in_pod ? (ff_bytes){ 0 } : p->host);
    if (p->boot.n == 32)
        ev->who.boot = p->boot;
    if (in_pod) {
        bool named = p->space.n && ev->scratch;
        ev->who.pod =
            named ? ff_arena_format(ev->scratch, "%.*s/%.*s", (int)p->space.n, p->space.p, (int)p->pod.n, p->pod.p)
                  : p->pod;
        ev->who.pod_uid = p->pod_uid.n == 36 ? p->pod_uid : ev->who.pod_uid;
        ev->who.container = is_container_id(p->container) ? p->container : ev->who.container;
        ev->who.unit = p->unit;
        ev->in_container = true;
        if (ev->stream & ~(uint32_t)FF_STREAM_KERNEL)
            ev->stream &= ~(uint32_t)FF_STREAM_KERNEL;
    } else if (ff_equal(p->transport, FF_LIT("kernel"))) {
        ff_see_program(ev, FF_LIT("kernel"));
    } else if (p->ident.n) {
        ff_see_program(ev, p->ident);
    }
}

static bool take_json_log(ff_event *ev)
{
    portal p;
    ff_stamp stamp = { 0 };
    ff_bytes rest = ev->text;
    if (!ff_take_char(&rest, '{') || ff_first_of(rest) == FF_FIRST_LOWER ||
        !read_portal(ev->text, &p, &stamp, ev->scratch))
        return false;
    ff_bytes text = ff_json_plain(ev->scratch, p.message);
    while (text.n && (text.p[text.n - 1] == '\n' || text.p[text.n - 1] == '\r'))
        text.n--;
    ff_see_time(ev, stamp);
    see_who(ev, &p);
    ev->text = text;
    return true;
}

/* logcli: {host="gpu-a01", pod="train-0"} text; the time stands in front. */
static bool take_labels(ff_event *ev)
{
    ff_bytes rest = ev->text, key, value;
    portal p = { .pairs = 0 };
    if (!ff_take_char(&rest, '{'))
        return false;
    do {
        (void)ff_take_spaces(&rest);
        if (!ff_take_name(&rest, &key) || !ff_take_lit(&rest, FF_LIT("=\"")) || !ff_take_until(&rest, '"', &value))
            return false;
        see_name(&p, FF_LIT("labels"), key, value);
        see_key(&p, key, value);
    } while (ff_take_char(&rest, ',') && p.pairs++ < MOST_PAIRS);
    if (!ff_take_char(&rest, '}') || !ff_take_blank_or_end(&rest))
        return false;
    see_who(ev, &p);
    ev->text = rest;
    return true;
}

static bool is_json_log(ff_bytes line)
{
    portal p;
    ff_stamp stamp;
    return line.n > 1 && line.n <= MOST_LINE && line.p[0] == '{' && read_portal(line, &p, &stamp, NULL);
}

/* One less than whoever knows exactly what such an object is. */
static int json_log_probe(const ff_probe *in)
{
    ff_bytes head = in->head, line = { 0 };
    if (!ff_starts(head, FF_LIT("{\"")) && !ff_starts(head, FF_LIT("{ \"")))
        return 0;
    (void)ff_take_line(&head, &line);
    bool docker = ff_starts(line, FF_LIT("{\"log\":")) && !ff_contains(line, FF_LIT("\"kubernetes\""));
    if (docker || line.n > MOST_LINE || ff_contains(line, FF_LIT("\"__REALTIME_TIMESTAMP\"")))
        return 0;
    int bid = ff_bid_lines(in->head, is_json_log);
    return bid ? bid - 1 : 0;
}

/* An object without text or time, or a torn one, is still no further line of the one before. */
static bool json_log_frame(ff_bytes record, ff_event *ev)
{
    ev->text = record;
    return take_json_log(ev) || ff_starts(record, FF_LIT("{"));
}

const ff_parser ff_parser_json_log = {
    .name = "json_log", .streams = PORTAL_STREAMS, .probe = json_log_probe, .frame = json_log_frame
};
const ff_coat ff_coat_json_log = { .name = "json_log", .begins = FF_FIRST_BRACE, .take = take_json_log };
const ff_coat ff_coat_labels = { .name = "labels", .begins = FF_FIRST_BRACE, .take = take_labels };

/* ---- objects over several lines, and arrays ---- */
static bool objects_frame(ff_bytes record, ff_event *ev)
{
    size_t at = ff_find(record, FF_LIT("{"));
    ev->text = ff_skip_n(record, at);
    if (at < record.n && take_json_log(ev))
        return true;
    ev->text = record;
    return at < record.n;
}

static int objects_probe(const ff_probe *in)
{
    ff_bytes first;
    if (!ff_starts(in->head, FF_LIT("[")) && !ff_starts(in->head, FF_LIT("{")))
        return 0;
    return object_first(in->head, &first) && is_json_log(first) ? 63 : 0;
}

const ff_parser ff_parser_json_log_objects = { .name = "json_log_objects",
                                               .streams = PORTAL_STREAMS,
                                               .probe = objects_probe,
                                               .frame = objects_frame,
                                               .whole = objects_whole,
                                               .record = objects_record };
