#include "model.h"

static const char *const streams[FF_STREAMS] = { "kernel", "nccl", "app", "k8s",  "runtime",
                                                 "slurm",  "gpu",  "net", "host", "recorder" };
static const char *const field_types[FF_FIELD_TYPES] = { "text",    "int",        "hex",    "float",  "pci",  "pid",
                                                         "rank",    "local_rank", "gpu",    "uuid",   "host", "pod",
                                                         "pod_uid", "container",  "cgroup", "process" };
static const char *const confidences[] = { NULL, "possible", "likely", "certain" };
static const char *const severities[] = { "note", "warning", "error", "critical" };
static const char *const scopes[] = { "gpu", "rank", "process", "container", "host", "job" };
static const char *const roles[] = { "root", "contributing", "symptom", "victim", "teardown" };

/* Index of name in names, or n. NULL entries are passed over. */
static unsigned find(const char *const *names, unsigned n, ff_bytes name)
{
    for (unsigned i = 0; i < n; i++)
        if (names[i] && ff_equal(ff_str(names[i]), name))
            return i;
    return n;
}

const char *ff_stream_name(unsigned i) { return i < FF_STREAMS ? streams[i] : "?"; }

bool ff_stream_from_name(ff_bytes name, uint32_t *mask)
{
    if (ff_equal(name, FF_LIT("any"))) {
        *mask = FF_STREAM_ANY;
        return true;
    }
    unsigned i = find(streams, FF_STREAMS, name);
    if (i == FF_STREAMS)
        return false;
    *mask = UINT32_C(1) << i;
    return true;
}

const char *ff_field_type_name(ff_field_type t) { return (unsigned)t < FF_FIELD_TYPES ? field_types[t] : "?"; }
const char *ff_confidence_name(ff_confidence c)
{
    return c >= FF_POSSIBLE && c <= FF_CERTAIN ? confidences[c] : "possible";
}
const char *ff_severity_name(ff_severity s) { return (unsigned)s < FF_COUNT(severities) ? severities[s] : "note"; }
const char *ff_scope_name(ff_scope s) { return (unsigned)s < FF_COUNT(scopes) ? scopes[s] : "job"; }
const char *ff_role_name(ff_role r) { return (unsigned)r < FF_COUNT(roles) ? roles[r] : "symptom"; }

bool ff_confidence_from_name(ff_bytes name, ff_confidence *out)
{
    unsigned i = find(confidences, FF_COUNT(confidences), name);
    if (i == FF_COUNT(confidences))
        return false;
    *out = (ff_confidence)i;
    return true;
}

bool ff_severity_from_name(ff_bytes name, ff_severity *out)
{
    unsigned i = find(severities, FF_COUNT(severities), name);
    if (i == FF_COUNT(severities))
        return false;
    *out = (ff_severity)i;
    return true;
}

bool ff_scope_from_name(ff_bytes name, ff_scope *out)
{
    unsigned i = find(scopes, FF_COUNT(scopes), name);
    if (i == FF_COUNT(scopes))
        return false;
    *out = (ff_scope)i;
    return true;
}

/* Skips the number at *at, with a letter that stands alone in front of it: racks are lettered ("gpu-b07", "c2n14").
 */
static void skip_number(ff_bytes b, size_t *at)
{
    bool alone = *at > 0 && !ff_is_letter(b.p[*at - 1]) && *at + 1 < b.n && ff_is_digit(b.p[*at + 1]);
    if (alone && ff_is_letter(b.p[*at]))
        ++*at;
    while (*at < b.n && ff_is_digit(b.p[*at]))
        ++*at;
}

bool ff_hosts_alike(ff_bytes a, ff_bytes b)
{
    size_t i = 0, k = 0;
    bool number = false;
    for (;;) {
        size_t from = i;
        skip_number(a, &i);
        skip_number(b, &k);
        number = number || i > from;
        if (i == a.n || k == b.n)
            return i == a.n && k == b.n && number;
        if (a.p[i] != b.p[k])
            return false;
        i++;
        k++;
    }
}

const ff_field *ff_signal_field(const ff_signal *s, const char *name)
{
    for (uint32_t i = 0; i < s->n_fields; i++)
        if (ff_equal(s->fields[i].name, ff_str(name)))
            return &s->fields[i];
    return NULL;
}

ff_bytes ff_signal_text(const ff_signal *s, const char *name)
{
    const ff_field *f = ff_signal_field(s, name);
    return f ? f->s : (ff_bytes){ 0 };
}

int64_t ff_signal_int(const ff_signal *s, const char *name, int64_t otherwise)
{
    const ff_field *f = ff_signal_field(s, name);
    return f && !f->is_float && f->type != FF_FIELD_TEXT ? f->i : otherwise;
}

double ff_signal_number(const ff_signal *s, const char *name, double otherwise)
{
    const ff_field *f = ff_signal_field(s, name);
    if (!f || f->type == FF_FIELD_TEXT)
        return otherwise;
    return f->is_float || f->type == FF_FIELD_FLOAT ? f->f : (double)f->i;
}
