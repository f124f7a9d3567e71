/* kubectl describe pod and describe node.
 *
 *     Name:             train-0
 *     Node:             gpu-a01/10.0.0.1
 *     Containers:
 *       trainer:
 *         Last State:   Terminated
 *           Reason:     OOMKilled
 *           Exit Code:  137
 *     Events:
 *       Type     Reason   Age               From     Message
 *       Warning  BackOff  2m (x3 over 5m)   kubelet  Back-off restarting failed container
 *
 * Format: kubectl pkg/describe/describe.go. Meaning hangs on indentation: the words repeat ("Reason", "Started").
 * The facts of an object are given when it is over (k8s_describe_end.c). */
#include "k8s_describe.h"

#include "lines.h"

static ff_bytes above(const describe *d, unsigned i) { return i < d->depth ? d->levels[i].name : (ff_bytes){ 0 }; }

static bool is(ff_bytes b, const char *s) { return ff_equal(b, ff_str(s)); }

/* ---- lines ---- */

static k8s_container *container_of(const describe *d)
{
    return d->n_containers ? &d->containers[d->n_containers - 1] : NULL;
}

static void open_container(describe *d, ff_bytes name, uint64_t offset)
{
    if (d->n_containers == DESCRIBE_CONTAINERS)
        return;
    k8s_container *c = &d->containers[d->n_containers++];
    *c = K8S_CONTAINER;
    c->name = name;
    c->init = d->init;
    c->offset = offset;
}

static int64_t number_of(ff_bytes text)
{
    uint64_t n = 0;
    return ff_take_uint(&text, &n) && n < INT32_MAX ? (int64_t)n : -1;
}

static void read_state(k8s_container *c, bool last, ff_bytes key, ff_bytes value, uint64_t offset)
{
    if (is(key, "Reason")) {
        *(last ? &c->last_reason : &c->reason) = value;
        c->offset = offset;
    } else if (is(key, "Exit Code")) {
        *(last ? &c->last_exit_code : &c->exit_code) = number_of(value);
    } else if (is(key, "Signal")) {
        *(last ? &c->last_signal : &c->signal) = number_of(value);
    } else if (is(key, "Message")) {
        *(last ? &c->last_message : &c->message) = value;
    } else if (is(key, "Finished")) {
        *(last ? &c->last_finished : &c->finished) = value;
        c->said = k8s_time(value);
    } else if (is(key, "Started") && !last) {
        c->started = value;
        c->said = c->said.kind == FF_STAMP_NONE ? k8s_time(value) : c->said;
    }
}

static void read_container_line(describe *d, ff_bytes key, ff_bytes value, uint64_t offset)
{
    k8s_container *c = container_of(d);
    ff_bytes block = above(d, 1), path = key;
    if (d->depth == 0) {
        open_container(d, key, offset);
        return;
    }
    if (!c)
        return;
    if (is(block, "State") || is(block, "Last State"))
        read_state(c, is(block, "Last State"), key, value, offset);
    else if (is(block, "Limits") || is(block, "Requests"))
        k8s_resource(c, is(block, "Limits"), key, value);
    else if (is(block, "Environment"))
        k8s_emit_env(d->k, &d->pod, c->name, key, value, offset);
    else if (is(block, "Mounts") && d->n_mounts < DESCRIBE_CONTAINERS && ff_take_word(&path, &path))
        d->mounts[d->n_mounts++] = (describe_mount){ .container = c->name, .path = path, .volume = value };
    else if (is(key, "Container ID"))
        c->id = doc_container_id(value);
    else if (is(key, "Image"))
        c->image = value;
    else if (is(key, "State"))
        c->state = is(value, "Terminated") ? FF_LIT("terminated")
                   : is(value, "Running")  ? FF_LIT("running")
                   : is(value, "Waiting")  ? FF_LIT("waiting")
                                           : value;
    else if (is(key, "Restart Count"))
        c->restarts = number_of(value);
}

/* "/dev/shm from dshm (rw)": a mount has no colon. */
static void read_mount(describe *d, ff_bytes body)
{
    ff_bytes path, word, name;
    k8s_container *c = container_of(d);
    if (!c || d->n_mounts == DESCRIBE_CONTAINERS || !ff_take_word(&body, &path) || !ff_take_spaces(&body) ||
        !ff_take_word(&body, &word) || !is(word, "from") || !ff_take_spaces(&body) || !ff_take_word(&body, &name))
        return;
    d->mounts[d->n_mounts++] = (describe_mount){ .container = c->name, .path = path, .volume = name };
}

static void read_volume_line(describe *d, ff_bytes key, ff_bytes value, uint64_t offset)
{
    if (d->depth == 0) {
        if (d->n_volumes < DESCRIBE_CONTAINERS)
            d->volumes[d->n_volumes++] = (describe_volume){ .name = key, .offset = offset };
        return;
    }
    describe_volume *v = d->n_volumes ? &d->volumes[d->n_volumes - 1] : NULL;
    if (v && is(key, "Medium") && is(value, "Memory")) {
        v->memory = true;
        v->offset = offset;
    } else if (v && is(key, "SizeLimit")) {
        v->limit = value;
    }
}

/* Cells of a row, at two or more blanks. */
static unsigned cut_cells(ff_bytes line, ff_bytes *cells, unsigned max)
{
    unsigned n = 0;
    line = ff_trim(line);
    while (line.n && n < max) {
        size_t end = ff_find(line, FF_LIT("  "));
        cells[n] = n + 1 == max ? line : ff_first_n(line, end);
        n++;
        line = ff_trim(ff_skip_n(line, end));
    }
    return n;
}

/* Type, status, two times with a single blank inside each, reason, message. */
static void read_condition_row(describe *d, ff_bytes body, uint64_t offset)
{
    ff_bytes cells[6];
    unsigned n = cut_cells(body, cells, 6);
    ff_who who = describe_who(d);
    if (n < 2 || ff_starts(cells[0], FF_LIT("----")) || is(cells[0], "Type"))
        return;
    bool times = n >= 5, short_row = n == 3;
    k8s_emit_condition(d->k, d->node ? FF_FACT_NODE_CONDITION : FF_FACT_POD_CONDITION, &who, cells[0], cells[1],
                       times       ? cells[4]
                       : short_row ? cells[2]
                                   : (ff_bytes){ 0 },
                       n > 5 ? cells[5] : (ff_bytes){ 0 }, times ? cells[3] : (ff_bytes){ 0 }, offset);
}

static void read_event_row(describe *d, ff_bytes body, uint64_t offset)
{
    ff_bytes cells[5];
    unsigned n = cut_cells(body, cells, 5);
    k8s_event e = { .count = -1, .offset = offset };
    if (n < 5 || is(cells[0], "Type") || ff_starts(cells[0], FF_LIT("----")))
        return;
    size_t many = ff_find(cells[2], FF_LIT("(x"));
    e.kind = d->node ? FF_LIT("Node") : FF_LIT("Pod");
    e.name = d->name;
    e.ns = d->node ? (ff_bytes){ 0 } : d->ns;
    e.uid = d->pod.uid;
    e.host = d->pod.node;
    e.type = cells[0];
    e.reason = cells[1];
    e.age = ff_trim(ff_first_n(cells[2], many));
    e.count = many < cells[2].n ? number_of(ff_skip_n(cells[2], many + 2)) : -1;
    e.source = cells[3];
    e.message = cells[4];
    k8s_emit_event(d->k, &e);
}

static void read_top(describe *d, ff_bytes key, ff_bytes value, uint64_t offset)
{
    ff_bytes node = value, host;
    if (is(key, "Namespace"))
        d->ns = value;
    else if (is(key, "UID"))
        d->pod.uid = value;
    else if (is(key, "Node"))
        d->pod.node = ff_take_until(&node, '/', &host) ? host : value;
    else if (is(key, "Status"))
        d->status = value;
    else if (is(key, "Reason"))
        d->reason = value, d->told = offset;
    else if (is(key, "Message"))
        d->message = value;
    else if (is(key, "QoS Class"))
        d->qos = value;
    else if (is(key, "Roles") || is(key, "Taints") || is(key, "Unschedulable") || is(key, "System Info") ||
             is(key, "Capacity"))
        d->node = true;
    if (is(d->pod.node, "<none>"))
        d->pod.node = (ff_bytes){ 0 };
    d->pod.name = d->ns.n ? ff_arena_format(d->k->out->scratch, "%.*s/%.*s", (int)ff_first_n(d->ns, 256).n, d->ns.p,
                                            (int)ff_first_n(d->name, 256).n, d->name.p)
                          : d->name;
}

static describe_section section_of(ff_bytes key)
{
    static const struct {
        const char *key;
        describe_section at;
    } rows[] = { { "Containers", IN_CONTAINERS },   { "Init Containers", IN_CONTAINERS },
                 { "Volumes", IN_VOLUMES },         { "Conditions", IN_CONDITIONS },
                 { "Events", IN_EVENTS },           { "Labels", IN_LABELS },
                 { "Annotations", IN_LABELS },      { "Capacity", IN_CAPACITY },
                 { "Allocatable", IN_ALLOCATABLE }, { "System Info", IN_SYSTEM } };
    for (size_t i = 0; i < FF_COUNT(rows); i++)
        if (is(key, rows[i].key))
            return rows[i].at;
    return TOP;
}

static void read_label(describe *d, ff_bytes body, uint64_t offset)
{
    ff_bytes label, rest = body;
    ff_who who = describe_who(d);
    char split = ff_contains(body, FF_LIT("=")) ? '=' : ':';
    if (ff_take_until(&rest, split, &label))
        k8s_emit_label(d->k, &who, d->node ? "node" : "pod", ff_trim(label), ff_trim(rest), offset);
}

static void read_resource(describe *d, ff_bytes key, ff_bytes value, uint64_t offset)
{
    bool usable = d->at == IN_ALLOCATABLE;
    ff_who who = describe_who(d);
    if (is(key, "memory"))
        *(usable ? &d->memory_usable : &d->memory) = value;
    else if (k8s_is_gpu_resource(key)) {
        *(usable ? &d->usable : &d->gpus) = number_of(value);
        if (usable && d->usable < d->gpus) /* the line that a reader wants to see */
            d->offset = offset;
    } else if (usable)
        k8s_emit_label(d->k, &who, "resource", key, value, offset);
}

static void read_system(describe *d, ff_bytes key, ff_bytes value)
{
    if (is(key, "Boot ID"))
        d->boot = value;
    else if (is(key, "Kernel Version"))
        d->kernel = value;
    else if (is(key, "Kubelet Version"))
        d->kubelet = value;
}

static void read_inner(describe *d, ff_bytes line, ff_bytes body, uint64_t offset)
{
    size_t indent = (size_t)(body.p - line.p);
    ff_bytes key, value = body;
    while (d->depth && d->levels[d->depth - 1].indent >= indent)
        d->depth--;
    if (d->at == IN_EVENTS) {
        read_event_row(d, body, offset);
        return;
    }
    if (d->at == IN_CONDITIONS) {
        read_condition_row(d, body, offset);
        return;
    }
    if (d->at == IN_LABELS) {
        read_label(d, body, offset);
        return;
    }
    if (d->at == IN_CONTAINERS && is(above(d, 1), "Mounts")) {
        read_mount(d, body);
        return;
    }
    if (!ff_take_until(&value, ':', &key))
        return;
    value = ff_trim(value);
    if (d->at == IN_CONTAINERS)
        read_container_line(d, key, value, offset);
    else if (d->at == IN_VOLUMES)
        read_volume_line(d, key, value, offset);
    else if (d->at == IN_CAPACITY || d->at == IN_ALLOCATABLE)
        read_resource(d, key, value, offset);
    else if (d->at == IN_SYSTEM)
        read_system(d, key, value);
    if (d->depth < DESCRIBE_LEVELS) {
        d->levels[d->depth].indent = indent;
        d->levels[d->depth++].name = key;
    }
}

/* Flat forms that people make: "Container ID: ..." and "Limits: ..." without the indentation above them. */
static void read_flat(describe *d, ff_bytes key, ff_bytes value, uint64_t offset)
{
    if (!is(key, "Container ID") && !is(key, "Limits") && !is(key, "Exit Code") && !is(key, "Restart Count"))
        return;
    if (!d->n_containers)
        open_container(d, (ff_bytes){ 0 }, offset);
    k8s_container *c = container_of(d);
    ff_bytes name;
    if (is(key, "Container ID"))
        c->id = doc_container_id(value);
    else if (is(key, "Exit Code"))
        c->exit_code = number_of(value);
    else if (is(key, "Restart Count"))
        c->restarts = number_of(value);
    else if (ff_take_until(&value, ':', &name))
        k8s_resource(c, true, ff_trim(name), ff_trim(value));
}

/* A message of several lines goes on at the left edge, where keys stand: those begin with a capital and are words. */
static bool is_key(ff_bytes key)
{
    if (!key.n || key.p[0] < 'A' || key.p[0] > 'Z')
        return false;
    for (size_t i = 0; i < key.n; i++)
        if (!(key.p[i] >= 'a' && key.p[i] <= 'z') && !(key.p[i] >= 'A' && key.p[i] <= 'Z') && key.p[i] != ' ' &&
            key.p[i] != '-')
            return false;
    return true;
}

static bool read_line(describe *d, ff_bytes line, uint64_t offset)
{
    ff_bytes body = ff_trim(line), key, value = line;
    if (!body.n)
        return true;
    if (line.p[0] == ' ' || line.p[0] == '\t') {
        if (d->open)
            read_inner(d, line, body, offset);
        return d->open;
    }
    if (!ff_take_until(&value, ':', &key) || key.n > 64 || !is_key(key))
        return false;
    value = ff_trim(value);
    if (is(key, "Name")) {
        describe_end(d);
        d->open = true;
        d->name = value;
        d->offset = offset;
    }
    if (!d->open)
        return false;
    d->at = section_of(key);
    d->init = is(key, "Init Containers");
    d->depth = 0;
    read_top(d, key, value, offset);
    if (d->at == IN_LABELS && value.n && !is(value, "<none>"))
        read_label(d, value, offset);
    read_flat(d, key, value, offset);
    return true;
}

static int describe_probe(const ff_probe *in)
{
    static const char *const words[] = {
        "Namespace:",  "Node:", "Containers:", "Events:",   "Conditions:",  "Status:",      "Labels:", "Annotations:",
        "Start Time:", "UID:",  "Volumes:",    "Capacity:", "Allocatable:", "System Info:", "Roles:",  "Container ID:"
    };
    ff_bytes rest = in->head, line;
    unsigned lines = 0;
    int bits = 0, found = 0;
    bool named = false;
    while (lines < 400 && ff_take_line(&rest, &line)) {
        if (!ff_trim(line).n)
            continue;
        named = named || (lines < 3 && ff_starts(line, FF_LIT("Name:")));
        if (lines++ > 2 && !named)
            return 0;
        for (size_t i = 0; i < FF_COUNT(words); i++) {
            if (!ff_starts(line, ff_str(words[i])))
                continue;
            bits += 8 * (int)ff_str(words[i]).n;
            found++;
        }
    }
    return named && found >= 2 ? bits : 0;
}

static ff_status describe_parse(const ff_doc *doc, ff_sink *out)
{
    k8s k = { .out = out };
    ff_bytes rest = doc->bytes, line, whole;
    uint64_t begin = 0;
    describe *d = FF_NEW(out->scratch, describe);
    *d = (describe){ .k = &k, .gpus = -1, .usable = -1 };
    d->containers = FF_NEW_N(out->scratch, k8s_container, DESCRIBE_CONTAINERS);
    doc_lines_init(&k.lines, doc->bytes);
    while (ff_take_line(&rest, &line)) {
        uint64_t offset = (uint64_t)(line.p - doc->bytes.p);
        line = ff_first_n(line, FF_CAP_LINE);
        if (read_line(d, line, offset))
            continue;
        ff_event ev = { .stream = FF_STREAM_K8S, .text = line, .who = FF_WHO_NOBODY, .scratch = out->scratch };
        if (d->open)
            ev.who = describe_who(d);
        (void)ff_undress(&ev);
        uint32_t number = doc_line_at(&k.lines, offset, &whole, &begin);
        out->event(out->owner, &ev, number, begin, whole);
    }
    describe_end(d);
    return FF_OK;
}

const ff_parser ff_parser_kubectl_describe = { .name = "kubectl_describe",
                                               .streams = FF_STREAM_K8S,
                                               .collected = true,
                                               .probe = describe_probe,
                                               .parse = describe_parse };
