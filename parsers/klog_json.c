/* Kubernetes components with --logging-format=json, rendered as klog would print them, so that rules know one form.
 *     {"ts":1767225600000.123,"caller":"kubelet/kubelet.go:2439","msg":"SyncLoop (PLEG): event for pod","v":2,
 *      "pod":{"name":"train-0","namespace":"ml"},"event":{"Type":"ContainerDied"}}
 * becomes the text: "SyncLoop (PLEG): event for pod" pod="ml/train-0" event={"Type":"ContainerDied"}
 * Format: k8s.io/component-base/logs/json. ts: milliseconds since 1970, older versions seconds. */
#include "lines.h"

#define MILLISECOND INT64_C(1000000)
#define FIRST_MILLISECONDS UINT64_C(100000000000) /* 1973 in milliseconds, year 5138 in seconds */
#define LAST UINT64_C(9000000000)                 /* seconds that fit in int64 nanoseconds */

/* A number of milliseconds, or of seconds, with a fraction. */
static bool take_ts(ff_bytes value, ff_stamp *stamp)
{
    int64_t fraction = 0, grain = 0;
    uint64_t whole = 0;
    if (!ff_take_digits_of(&value, 13, &whole))
        return false;
    ff_take_fraction(&value, &fraction, &grain);
    if (!ff_is_empty(value))
        return false;
    bool milliseconds = whole >= FIRST_MILLISECONDS;
    int64_t unit = milliseconds ? MILLISECOND : INT64_C(1000000000);
    int64_t scale = INT64_C(1000000000) / unit; /* of the fraction */
    if (whole > (milliseconds ? LAST * 1000 : LAST))
        return false;
    *stamp = (ff_stamp){ .kind = FF_STAMP_UTC,
                         .ns = (int64_t)whole * unit + fraction / scale,
                         .grain_ns = grain / scale > 0 ? grain / scale : 1 };
    return true;
}

/* {"name":"train-0","namespace":"ml"} is what klog prints as "ml/train-0". */
static bool take_object_name(ff_bytes value, ff_bytes *name, ff_bytes *space)
{
    ff_bytes key, item;
    *name = *space = (ff_bytes){ 0 };
    if (!ff_take_char(&value, '{'))
        return false;
    while (ff_take_json_pair(&value, &key, &item)) {
        ff_bytes *to = ff_equal(key, FF_LIT("name")) ? name : ff_equal(key, FF_LIT("namespace")) ? space : NULL;
        if (!to || !ff_json_unescape(NULL, item, to))
            return false;
    }
    return name->n > 0;
}

static ff_bytes with_pair(ff_arena *scratch, ff_bytes text, ff_bytes key, ff_bytes value)
{
    ff_bytes name, space;
    if (!take_object_name(value, &name, &space))
        return ff_arena_format(scratch, "%.*s %.*s=%.*s", (int)text.n, text.p, (int)key.n, key.p, (int)value.n,
                               value.p);
    return ff_arena_format(scratch, "%.*s %.*s=\"%.*s%s%.*s\"", (int)text.n, text.p, (int)key.n, key.p, (int)space.n,
                           space.n ? space.p : "", space.n ? "/" : "", (int)name.n, name.p);
}

static bool is_header_key(ff_bytes key)
{
    static const char *const keys[] = { "ts", "caller", "msg", "v", "logger", NULL };
    return ff_is_one_of(key, keys);
}

static ff_bytes rendered(ff_arena *scratch, ff_bytes object, ff_bytes message)
{
    ff_bytes key, value, text = message;
    for (unsigned n = 0; scratch && n < 32 && ff_take_json_pair(&object, &key, &value); n++)
        if (!is_header_key(key) && text.n < FF_CAP_LINE)
            text = with_pair(scratch, text, key, value);
    return text;
}

static bool take_klog_json(ff_event *ev)
{
    ff_bytes rest = ev->text, key, value, message = { 0 }, caller = { 0 };
    ff_stamp stamp = { 0 };
    if (!ff_take_lit(&rest, FF_LIT("{\"ts\":")))
        return false;
    rest = ff_skip_n(ev->text, 1);
    while (ff_take_json_pair(&rest, &key, &value)) {
        if (ff_equal(key, FF_LIT("ts")) && !take_ts(value, &stamp))
            return false;
        if (ff_equal(key, FF_LIT("msg")))
            message = value;
        else if (ff_equal(key, FF_LIT("caller")))
            caller = value;
    }
    if (!ff_contains(caller, FF_LIT(".go:")) || ff_is_empty(message) || stamp.kind == FF_STAMP_NONE)
        return false;
    ff_see_time(ev, stamp);
    ff_see_stream(ev, FF_STREAM_K8S);
    if (ff_is_empty(ev->who.unit) && ff_starts(caller, FF_LIT("\"kubelet/")))
        ev->who.unit = FF_LIT("kubelet");
    ev->text = rendered(ev->scratch, ff_skip_n(ev->text, 1), message);
    return true;
}

const ff_coat ff_coat_klog_json = { .name = "klog_json", .begins = FF_FIRST_BRACE, .take = take_klog_json };

static bool is_klog_json(ff_bytes line)
{
    ff_event ev = { .text = line, .who = FF_WHO_NOBODY };
    return take_klog_json(&ev);
}

static int klog_json_probe(const ff_probe *in) { return ff_bid_lines(in->head, is_klog_json); }

static bool klog_json_frame(ff_bytes record, ff_event *ev)
{
    ev->text = record;
    return take_klog_json(ev);
}

const ff_parser ff_parser_klog_json = {
    .name = "klog_json", .streams = FF_STREAM_K8S | FF_STREAM_GPU, .probe = klog_json_probe, .frame = klog_json_frame
};
