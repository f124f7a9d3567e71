/* Pods, nodes and events as trees.
 *
 *     {"kind": "Pod", "metadata": {"name": "train-0", "namespace": "ml", "uid": "..."}, "spec": {"nodeName":
 * "gpu-a01"}, "status": {"containerStatuses": [{"name": "trainer", "state": {"terminated": {"exitCode": 137,
 * ...}}}]}}
 *
 * Format: the Kubernetes API, core/v1 and events.k8s.io/v1. An object without kind is known by what it holds, since
 * people cut pieces out. */
#include "k8s.h"

#define CAP_ITEMS 100000u /* objects of one list */

typedef struct object {
    k8s *k;
    const ff_tree *t;
    uint64_t base;
    k8s_pod pod;
} object;

static uint64_t place(const object *o, uint32_t node)
{
    const ff_node *n = ff_node_at(o->t, node);
    return n ? o->base + n->at : o->base;
}

static uint32_t get(const object *o, uint32_t node, const char *dotted) { return ff_node_path(o->t, node, dotted); }

/* Text of a scalar; numbers as their digits. */
static ff_bytes scalar(const object *o, uint32_t node)
{
    const ff_node *n = ff_node_at(o->t, node);
    if (!n)
        return (ff_bytes){ 0 };
    if (n->kind == FF_NODE_INT)
        return ff_arena_format(o->k->out->scratch, "%lld", (long long)n->v.i);
    if (n->kind == FF_NODE_BOOL)
        return n->v.i ? FF_LIT("true") : FF_LIT("false");
    if (n->kind == FF_NODE_FLOAT)
        return ff_arena_format(o->k->out->scratch, "%.17g", n->v.f);
    return ff_node_text(o->t, node);
}

static ff_bytes text_at(const object *o, uint32_t node, const char *dotted)
{
    return scalar(o, get(o, node, dotted));
}

static int64_t int_at(const object *o, uint32_t node, const char *dotted)
{
    int64_t value = -1;
    (void)ff_node_int(o->t, get(o, node, dotted), &value);
    return value;
}

static uint32_t count_of(const object *o, uint32_t node)
{
    uint32_t n = ff_node_count(o->t, node);
    return n > CAP_ITEMS ? CAP_ITEMS : n;
}

/* ---- containers ---- */

static void read_resources(const object *o, uint32_t resources, k8s_container *c)
{
    for (int i = 0; i < 2; i++) {
        uint32_t map = get(o, resources, i ? "limits" : "requests");
        for (uint32_t k = 0; k < count_of(o, map) && k < 64; k++)
            k8s_resource(c, i == 1, ff_node_key(o->t, map, k), scalar(o, ff_node_item(o->t, map, k)));
    }
}

static uint32_t find_named(const object *o, uint32_t list, ff_bytes name)
{
    for (uint32_t i = 0; i < count_of(o, list) && i < 1000; i++)
        if (ff_equal(text_at(o, ff_node_item(o->t, list, i), "name"), name))
            return ff_node_item(o->t, list, i);
    return FF_NONE;
}

static void read_state(const object *o, uint32_t status, k8s_container *c)
{
    uint32_t dead = get(o, status, "state.terminated"), waiting = get(o, status, "state.waiting");
    uint32_t running = get(o, status, "state.running"), last = get(o, status, "lastState.terminated");
    uint32_t now = dead != FF_NONE ? dead : waiting != FF_NONE ? waiting : running;
    c->state = dead != FF_NONE ? FF_LIT("terminated") : waiting != FF_NONE ? FF_LIT("waiting") : FF_LIT("running");
    c->exit_code = int_at(o, dead, "exitCode");
    c->signal = int_at(o, dead, "signal");
    c->reason = text_at(o, now, "reason");
    c->message = text_at(o, now, "message");
    c->started = text_at(o, now, "startedAt");
    c->finished = text_at(o, dead, "finishedAt");
    c->last_reason = text_at(o, last, "reason");
    c->last_message = text_at(o, last, "message");
    c->last_exit_code = int_at(o, last, "exitCode");
    c->last_signal = int_at(o, last, "signal");
    c->last_finished = text_at(o, last, "finishedAt");
    c->last_id = doc_container_id(text_at(o, last, "containerID"));
    c->said = k8s_time(c->finished);
    if (c->said.kind == FF_STAMP_NONE)
        c->said = k8s_time(c->last_finished);
    if (c->said.kind == FF_STAMP_NONE)
        c->said = k8s_time(c->started);
    uint32_t show = dead != FF_NONE   ? get(o, dead, "reason")
                    : last != FF_NONE ? get(o, last, "reason")
                                      : get(o, waiting, "reason");
    if (show == FF_NONE)
        show = get(o, dead != FF_NONE ? dead : last, "exitCode");
    if (show != FF_NONE)
        c->offset = place(o, show);
}

static void read_container(const object *o, uint32_t spec, uint32_t status, bool init)
{
    k8s_container c = K8S_CONTAINER;
    c.init = init;
    c.name = text_at(o, spec, "name");
    if (!c.name.n)
        c.name = text_at(o, status, "name");
    c.image = text_at(o, spec, "image");
    c.offset = place(o, get(o, status != FF_NONE ? status : spec, "name"));
    read_resources(o, get(o, spec, "resources"), &c);
    if (status != FF_NONE) {
        c.id = doc_container_id(text_at(o, status, "containerID"));
        if (!c.id.n)
            c.id = doc_container_id(text_at(o, status, "state.terminated.containerID"));
        c.restarts = int_at(o, status, "restartCount");
        read_state(o, status, &c);
    }
    k8s_emit_container(o->k, &o->pod, &c);
}

static void read_env(const object *o, uint32_t spec)
{
    uint32_t env = get(o, spec, "env");
    ff_bytes name = text_at(o, spec, "name");
    for (uint32_t i = 0; i < count_of(o, env) && i < 1000; i++) {
        uint32_t row = ff_node_item(o->t, env, i);
        k8s_emit_env(o->k, &o->pod, name, text_at(o, row, "name"), text_at(o, row, "value"),
                     place(o, get(o, row, "name")));
    }
}

static void read_containers(const object *o, uint32_t root, const char *specs, const char *statuses, bool init)
{
    uint32_t spec_list = get(o, root, specs), status_list = get(o, root, statuses);
    for (uint32_t i = 0; i < count_of(o, spec_list) && i < 1000; i++) {
        uint32_t spec = ff_node_item(o->t, spec_list, i);
        read_container(o, spec, find_named(o, status_list, text_at(o, spec, "name")), init);
        read_env(o, spec);
    }
    for (uint32_t i = 0; i < count_of(o, status_list) && i < 1000; i++) {
        uint32_t status = ff_node_item(o->t, status_list, i);
        if (find_named(o, spec_list, text_at(o, status, "name")) == FF_NONE)
            read_container(o, FF_NONE, status, init);
    }
}

static void read_volumes(const object *o, uint32_t root)
{
    uint32_t volumes = get(o, root, "spec.volumes"), containers = get(o, root, "spec.containers");
    for (uint32_t i = 0; i < count_of(o, volumes) && i < 1000; i++) {
        uint32_t volume = ff_node_item(o->t, volumes, i), mount = FF_NONE, holder = FF_NONE;
        ff_bytes name = text_at(o, volume, "name");
        if (!ff_equal(text_at(o, volume, "emptyDir.medium"), FF_LIT("Memory")))
            continue;
        for (uint32_t k = 0; k < count_of(o, containers) && k < 100 && mount == FF_NONE; k++) {
            holder = ff_node_item(o->t, containers, k);
            mount = find_named(o, get(o, holder, "volumeMounts"), name);
        }
        k8s_emit_volume(o->k, &o->pod, name, text_at(o, mount, "mountPath"),
                        mount != FF_NONE ? text_at(o, holder, "name") : (ff_bytes){ 0 },
                        text_at(o, volume, "emptyDir.sizeLimit"), place(o, get(o, volume, "emptyDir")));
    }
}

static void read_labels(const object *o, uint32_t map, const ff_who *who, const char *of)
{
    const ff_node *m = ff_node_at(o->t, map);
    for (uint32_t i = 0; m && m->kind == FF_NODE_MAP && i < count_of(o, map) && i < 2000; i++)
        k8s_emit_label(o->k, who, of, ff_node_key(o->t, map, i), scalar(o, ff_node_item(o->t, map, i)),
                       o->base + ff_node_at(o->t, o->t->kids[(size_t)m->first + (size_t)2 * i])->at);
}

static void read_conditions(const object *o, uint32_t list, ff_fact_id id, const ff_who *who)
{
    for (uint32_t i = 0; i < count_of(o, list) && i < 200; i++) {
        uint32_t c = ff_node_item(o->t, list, i);
        uint32_t show = get(o, c, "reason") != FF_NONE ? get(o, c, "reason") : get(o, c, "type");
        k8s_emit_condition(o->k, id, who, text_at(o, c, "type"), text_at(o, c, "status"), text_at(o, c, "reason"),
                           text_at(o, c, "message"), text_at(o, c, "lastTransitionTime"), place(o, show));
    }
}

/* ---- pod ---- */

static void read_pod(object *o, uint32_t root)
{
    ff_fields f = { .n = 0 };
    ff_bytes ns = text_at(o, root, "metadata.namespace"), name = text_at(o, root, "metadata.name");
    o->pod.name = ns.n ? ff_arena_format(o->k->out->scratch, "%.*s/%.*s", (int)ff_first_n(ns, 256).n, ns.p,
                                         (int)ff_first_n(name, 256).n, name.p)
                       : name;
    o->pod.uid = text_at(o, root, "metadata.uid");
    o->pod.node = text_at(o, root, "spec.nodeName");
    ff_who who = k8s_who(&o->pod);
    ff_fields_text(&f, "pod", FF_FIELD_POD, o->pod.name);
    ff_fields_text(&f, "pod_uid", FF_FIELD_POD_UID, o->pod.uid);
    ff_fields_text(&f, "node", FF_FIELD_HOST, o->pod.node);
    static const struct {
        const char *path, *field;
    } rows[] = { { "status.phase", "phase" },
                 { "status.reason", "reason" },
                 { "status.message", "message" },
                 { "status.qosClass", "qos" },
                 { "status.startTime", "started" },
                 { "spec.priorityClassName", "priority_class" },
                 { "spec.hostNetwork", "host_network" },
                 { "spec.hostPID", "host_pid" },
                 { "metadata.deletionTimestamp", "deleted" },
                 { "status.hostIP", "host_ip" },
                 { "status.podIP", "pod_ip" },
                 { "spec.restartPolicy", "restart_policy" } };
    for (size_t i = 0; i < FF_COUNT(rows); i++)
        ff_fields_text(&f, rows[i].field, FF_FIELD_TEXT, ff_first_n(text_at(o, root, rows[i].path), 1024));
    uint32_t show =
        get(o, root, "status.reason") != FF_NONE ? get(o, root, "status.reason") : get(o, root, "metadata.name");
    k8s_fact(o->k, FF_FACT_POD, place(o, show), (ff_stamp){ 0 }, &who, &f);
    k8s_emit_text(o->k, &who, (ff_stamp){ 0 }, text_at(o, root, "status.message"),
                  place(o, get(o, root, "status.message")));
    read_labels(o, get(o, root, "metadata.labels"), &who, "pod");
    read_labels(o, get(o, root, "metadata.annotations"), &who, "pod");
    read_labels(o, get(o, root, "spec.nodeSelector"), &who, "pod");
    read_conditions(o, get(o, root, "status.conditions"), FF_FACT_POD_CONDITION, &who);
    read_containers(o, root, "spec.initContainers", "status.initContainerStatuses", true);
    read_containers(o, root, "spec.containers", "status.containerStatuses", false);
    read_volumes(o, root);
}

/* ---- node ---- */

static int64_t find_gpus(const object *o, uint32_t map)
{
    int64_t sum = -1, value = 0;
    for (uint32_t i = 0; i < count_of(o, map) && i < 200; i++)
        if (k8s_is_gpu_resource(ff_node_key(o->t, map, i)) && ff_node_int(o->t, ff_node_item(o->t, map, i), &value))
            sum = (sum < 0 ? 0 : sum) + value;
    return sum;
}

/* Where a reader looks: at the GPUs that are withheld, else at the name. */
static uint32_t find_told(const object *o, uint32_t root, int64_t gpus, int64_t usable)
{
    uint32_t map = get(o, root, "status.allocatable");
    for (uint32_t i = 0; usable >= 0 && usable < gpus && i < count_of(o, map) && i < 200; i++)
        if (k8s_is_gpu_resource(ff_node_key(o->t, map, i)))
            return ff_node_item(o->t, map, i);
    return get(o, root, "metadata.name");
}

static void add_kib(ff_fields *f, const char *name, ff_bytes quantity)
{
    int64_t kib = 0;
    if (doc_quantity_kib(quantity, &kib))
        ff_fields_int(f, name, FF_FIELD_INT, kib);
}

static ff_bytes without_dashes(ff_bytes id, ff_arena *arena)
{
    char *out = ff_arena_take(arena, id.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < id.n; i++)
        if (id.p[i] != '-')
            out[n++] = id.p[i];
    return (ff_bytes){ out, n };
}

static ff_bytes taints_of(const object *o, uint32_t list)
{
    ff_bytes all = { 0 };
    for (uint32_t i = 0; i < count_of(o, list) && i < 32; i++) {
        uint32_t taint = ff_node_item(o->t, list, i);
        ff_bytes key = ff_first_n(text_at(o, taint, "key"), 128),
                 effect = ff_first_n(text_at(o, taint, "effect"), 64);
        all = ff_arena_format(o->k->out->scratch, "%.*s%s%.*s:%.*s", (int)all.n, all.p ? all.p : "", all.n ? "," : "",
                              (int)key.n, key.p ? key.p : "", (int)effect.n, effect.p ? effect.p : "");
    }
    return all;
}

/* By which other logs may call it. */
static ff_bytes internal_address(const object *o, uint32_t list)
{
    for (uint32_t i = 0; i < count_of(o, list) && i < 32; i++) {
        uint32_t row = ff_node_item(o->t, list, i);
        if (ff_equal(text_at(o, row, "type"), FF_LIT("InternalIP")))
            return ff_first_n(text_at(o, row, "address"), 64);
    }
    return (ff_bytes){ 0 };
}

static void read_node(object *o, uint32_t root)
{
    ff_fields f = { .n = 0 };
    ff_who who = FF_WHO_NOBODY;
    uint32_t capacity = get(o, root, "status.capacity"), allocatable = get(o, root, "status.allocatable");
    int64_t gpus = find_gpus(o, capacity), usable = find_gpus(o, allocatable);
    ff_bytes boot = text_at(o, root, "status.nodeInfo.bootID");
    who.host = text_at(o, root, "metadata.name");
    who.boot = without_dashes(boot, o->k->out->scratch);
    ff_fields_text(&f, "node", FF_FIELD_HOST, who.host);
    ff_fields_text(&f, "boot_id", FF_FIELD_TEXT, boot);
    static const struct {
        const char *path, *field;
    } rows[] = { { "status.nodeInfo.kernelVersion", "kernel" },
                 { "status.nodeInfo.kubeletVersion", "kubelet" },
                 { "status.nodeInfo.containerRuntimeVersion", "runtime" },
                 { "status.nodeInfo.osImage", "os" },
                 { "spec.unschedulable", "unschedulable" } };
    for (size_t i = 0; i < FF_COUNT(rows); i++)
        ff_fields_text(&f, rows[i].field, FF_FIELD_TEXT, ff_first_n(text_at(o, root, rows[i].path), 256));
    ff_fields_text(&f, "address", FF_FIELD_TEXT, internal_address(o, get(o, root, "status.addresses")));
    ff_fields_text(&f, "taints", FF_FIELD_TEXT, taints_of(o, get(o, root, "spec.taints")));
    if (gpus >= 0)
        ff_fields_int(&f, "gpus", FF_FIELD_INT, gpus);
    if (usable >= 0)
        ff_fields_int(&f, "gpus_allocatable", FF_FIELD_INT, usable);
    add_kib(&f, "memory_kib", text_at(o, capacity, "memory"));
    add_kib(&f, "memory_allocatable_kib", text_at(o, allocatable, "memory"));
    k8s_fact(o->k, FF_FACT_NODE, place(o, find_told(o, root, gpus, usable)), (ff_stamp){ 0 }, &who, &f);
    read_conditions(o, get(o, root, "status.conditions"), FF_FACT_NODE_CONDITION, &who);
    read_labels(o, get(o, root, "metadata.labels"), &who, "node");
    read_labels(o, allocatable, &who, "resource");
}

/* ---- event ---- */

static ff_bytes first_text(const object *o, uint32_t root, const char *const *paths)
{
    ff_bytes found = { 0 };
    for (; *paths && !found.n; paths++)
        found = text_at(o, root, *paths);
    return found;
}

static void read_event(object *o, uint32_t root)
{
    static const char *const times[] = {
        "lastTimestamp",  "series.lastObservedTime",  "deprecatedLastTimestamp",    "eventTime",
        "firstTimestamp", "deprecatedFirstTimestamp", "metadata.creationTimestamp", NULL
    };
    static const char *const hosts[] = { "source.host", "deprecatedSource.host", NULL };
    static const char *const sources[] = { "source.component", "reportingComponent", "reportingController", NULL };
    uint32_t about = get(o, root, "involvedObject"), message = get(o, root, "message");
    if (about == FF_NONE)
        about = get(o, root, "regarding");
    if (message == FF_NONE)
        message = get(o, root, "note");
    ff_bytes field = text_at(o, about, "fieldPath"), container = { 0 };
    if (ff_take_until(&field, '{', &container) && ff_take_until(&field, '}', &container))
        field = container;
    k8s_event e = { .ns = text_at(o, about, "namespace"),
                    .kind = text_at(o, about, "kind"),
                    .name = text_at(o, about, "name"),
                    .uid = text_at(o, about, "uid"),
                    .container = container,
                    .reason = text_at(o, root, "reason"),
                    .type = text_at(o, root, "type"),
                    .message = scalar(o, message),
                    .host = first_text(o, root, hosts),
                    .source = first_text(o, root, sources),
                    .count = int_at(o, root, "count") };
    if (e.count < 0)
        e.count = int_at(o, root, "series.count");
    for (const char *const *path = times; *path && e.said.kind == FF_STAMP_NONE; path++)
        e.said = k8s_time(text_at(o, root, *path));
    e.offset = place(o, message != FF_NONE ? message : get(o, root, "reason"));
    k8s_emit_event(o->k, &e);
}

/* ---- workload ---- */

/* What a controller of pods says of the whole: Job, the training operators' jobs, a queue's Workload. */
static bool is_workload(ff_bytes kind)
{
    static const char *const kinds[] = { "Job",      "PyTorchJob", "MPIJob", "TFJob",    "JAXJob",
                                         "TrainJob", "JobSet",     "RayJob", "Workload", NULL };
    for (const char *const *known = kinds; *known; known++)
        if (ff_equal(kind, ff_str(*known)))
            return true;
    return false;
}

static void add_count(ff_fields *f, const object *o, uint32_t root, const char *path, const char *name)
{
    int64_t n = int_at(o, root, path);
    if (n >= 0)
        ff_fields_int(f, name, FF_FIELD_INT, n);
}

/* One fact for each condition that holds. */
static void read_workload(const object *o, uint32_t root, ff_bytes kind)
{
    uint32_t list = get(o, root, "status.conditions");
    for (uint32_t i = 0; i < count_of(o, list) && i < 64; i++) {
        uint32_t one = ff_node_item(o->t, list, i), type = get(o, one, "type");
        ff_fields f = { .n = 0 };
        if (ff_equal_nocase(text_at(o, one, "status"), FF_LIT("False")) || type == FF_NONE)
            continue;
        ff_fields_text(&f, "kind", FF_FIELD_TEXT, kind);
        ff_fields_text(&f, "name", FF_FIELD_TEXT, ff_first_n(text_at(o, root, "metadata.name"), 256));
        ff_fields_text(&f, "namespace", FF_FIELD_TEXT, ff_first_n(text_at(o, root, "metadata.namespace"), 256));
        ff_fields_text(&f, "type", FF_FIELD_TEXT, ff_first_n(scalar(o, type), 128));
        ff_fields_text(&f, "reason", FF_FIELD_TEXT, ff_first_n(text_at(o, one, "reason"), 128));
        ff_fields_text(&f, "message", FF_FIELD_TEXT, ff_first_n(text_at(o, one, "message"), 512));
        add_count(&f, o, root, "status.failed", "failed");
        add_count(&f, o, root, "spec.backoffLimit", "backoff_limit");
        add_count(&f, o, root, "spec.activeDeadlineSeconds", "deadline_s");
        ff_who who = FF_WHO_NOBODY;
        k8s_fact(o->k, FF_FACT_WORKLOAD, place(o, type), k8s_time(text_at(o, one, "lastTransitionTime")), &who, &f);
    }
}

/* ---- which ---- */

static ff_bytes guess_kind(const object *o, uint32_t root)
{
    if (get(o, root, "involvedObject") != FF_NONE || get(o, root, "regarding") != FF_NONE)
        return FF_LIT("Event");
    if (get(o, root, "status.nodeInfo") != FF_NONE || get(o, root, "status.allocatable") != FF_NONE)
        return FF_LIT("Node");
    bool pod = get(o, root, "status.containerStatuses") != FF_NONE || get(o, root, "spec.nodeName") != FF_NONE ||
               get(o, root, "spec.containers") != FF_NONE || get(o, root, "status.qosClass") != FF_NONE;
    return pod ? FF_LIT("Pod") : (ff_bytes){ 0 };
}

/* ---- config map ---- */

/* Settings that pods take from here; whether any does is in the pod. "name" is the map's. */
static void read_config_map(const object *o, uint32_t root)
{
    const k8s_pod nobody = { .name = { 0 } };
    uint32_t map = get(o, root, "data");
    const ff_node *m = ff_node_at(o->t, map);
    for (uint32_t i = 0; m && m->kind == FF_NODE_MAP && i < count_of(o, map) && i < 2000; i++)
        k8s_emit_env(o->k, &nobody, text_at(o, root, "metadata.name"), ff_node_key(o->t, map, i),
                     scalar(o, ff_node_item(o->t, map, i)),
                     o->base + ff_node_at(o->t, o->t->kids[(size_t)m->first + (size_t)2 * i])->at);
}

static bool read_one(object *o, uint32_t root, ff_bytes kind)
{
    ff_bytes own = text_at(o, root, "kind");
    kind = own.n ? own : kind.n ? kind : guess_kind(o, root);
    if (ff_equal(kind, FF_LIT("Pod")))
        read_pod(o, root);
    else if (ff_equal(kind, FF_LIT("Node")))
        read_node(o, root);
    else if (ff_equal(kind, FF_LIT("Event")))
        read_event(o, root);
    else if (ff_equal(kind, FF_LIT("ConfigMap")))
        read_config_map(o, root);
    else if (is_workload(kind))
        read_workload(o, root, kind);
    else
        return false;
    return true;
}

bool k8s_object(k8s *k, const ff_tree *t, uint32_t node, ff_bytes kind, uint64_t base)
{
    object o = { .k = k, .t = t, .base = base };
    uint32_t items = ff_node_get(t, node, "items");
    const ff_node *root = ff_node_at(t, node);
    bool list = root && root->kind == FF_NODE_LIST;
    if (!list && items == FF_NONE)
        return read_one(&o, node, kind);
    /* A server's "PodList" leaves the kind out of its items. */
    ff_bytes of = text_at(&o, node, "kind"), item_kind = kind;
    if (of.n > 4 && ff_ends(of, FF_LIT("List")))
        item_kind = ff_first_n(of, of.n - 4);
    items = list ? node : items;
    bool any = false;
    for (uint32_t i = 0; i < count_of(&o, items); i++) {
        object one = { .k = k, .t = t, .base = base };
        any = read_one(&one, ff_node_item(t, items, i), item_kind) || any;
    }
    return any;
}
