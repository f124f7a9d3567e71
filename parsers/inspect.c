/* What docker, podman and crictl say of one container.
 *     [{"Id": "ab12...", "State": {"OOMKilled": true, "ExitCode": 137, "Pid": 0}, "HostConfig": {"Memory":
 * 4294967296}}]
 *     {"status": {"id": "ab12...", "metadata": {"name": "trainer"}, "labels": {"io.kubernetes.pod.name": "train-0"}},
 *      "info": {"pid": 41100, "runtimeSpec": {"linux": {"namespaces": [{"type": "pid"}]}}}}
 * Formats: docker's API, ContainerInspect; cri-tools cmd/crictl, with the info of containerd and CRI-O, which holds
 * the OCI runtime specification. Times of crictl that are 0 or not of RFC 3339 are left out. */
#include "k8s.h"

static const char *const docker_words[] = { "\"HostConfig\"", "\"OOMKilled\"", "\"PidsLimit\"", "\"ShmSize\"", NULL };
static const char *const crictl_words[] = { "\"io.kubernetes.container.name\"", "\"io.kubernetes.pod.uid\"", NULL };

static int inspect_probe(const ff_probe *in)
{
    ff_bytes head = in->head;
    if (!doc_begins_json(head))
        return 0;
    if (ff_contains(head, FF_LIT("\"Id\"")) || ff_contains(head, FF_LIT("\"ID\"")))
        return doc_count_found(head, docker_words);
    bool crictl = ff_contains(head, FF_LIT("\"status\"")) && ff_contains(head, FF_LIT("\"labels\"")) &&
                  !ff_contains(head, FF_LIT("\"apiVersion\""));
    return crictl ? doc_count_found(head, crictl_words) : 0;
}

static void add_int(ff_fields *f, const ff_tree *t, uint32_t root, const char *path, const char *name)
{
    int64_t value = 0;
    if (ff_node_int(t, ff_node_path(t, root, path), &value))
        ff_fields_int(f, name, FF_FIELD_INT, value);
}

static void add_kib(ff_fields *f, const ff_tree *t, uint32_t root, const char *path, const char *name)
{
    int64_t value = 0;
    if (ff_node_int(t, ff_node_path(t, root, path), &value) && value > 0)
        ff_fields_int(f, name, FF_FIELD_INT, value / 1024);
}

static void add_text(ff_fields *f, const ff_tree *t, uint32_t root, const char *path, const char *name)
{
    ff_fields_text(f, name, FF_FIELD_TEXT, ff_first_n(ff_node_text(t, ff_node_path(t, root, path)), 512));
}

/* docker's --pid=host, or --pid=container:ID: it counts as somebody else does. */
static bool shares_space(const ff_tree *t, uint32_t root)
{
    ff_bytes mode = ff_node_text(t, ff_node_path(t, root, "HostConfig.PidMode"));
    return mode.n && !ff_equal(mode, FF_LIT("private"));
}

/* The node's number of the container's first process, which is 1 inside, if the container counts for itself. */
static void add_process(ff_fields *f, ff_who *who, const ff_tree *t, uint32_t at, bool own_space)
{
    int64_t pid = 0;
    if (!ff_node_int(t, at, &pid) || pid <= 0 || pid >= INT32_MAX)
        return;
    who->pid = (int32_t)pid;
    ff_fields_int(f, "pid", FF_FIELD_PID, pid);
    if (own_space)
        ff_fields_int(f, "inner_pid", FF_FIELD_INT, 1);
}

static void read_docker(k8s *k, const ff_tree *t, uint32_t root)
{
    ff_fields f = { .n = 0 };
    ff_who who = FF_WHO_NOBODY;
    who.container = ff_node_text(t, ff_node_get(t, root, "Id"));
    if (!who.container.n)
        who.container = ff_node_text(t, ff_node_get(t, root, "ID"));
    ff_bytes name = ff_node_text(t, ff_node_get(t, root, "Name"));
    (void)ff_take_char(&name, '/');
    ff_fields_text(&f, "container", FF_FIELD_CONTAINER, who.container);
    ff_fields_text(&f, "name", FF_FIELD_TEXT, name);
    add_process(&f, &who, t, ff_node_path(t, root, "State.Pid"), !shares_space(t, root));
    add_text(&f, t, root, "HostConfig.PidMode", "pid_mode");
    add_text(&f, t, root, "State.Status", "status");
    add_int(&f, t, root, "State.OOMKilled", "oom_killed");
    add_int(&f, t, root, "State.ExitCode", "exit_code");
    add_text(&f, t, root, "State.Error", "error");
    add_text(&f, t, root, "State.StartedAt", "started");
    add_text(&f, t, root, "State.FinishedAt", "finished");
    add_int(&f, t, root, "RestartCount", "restart_count");
    add_kib(&f, t, root, "HostConfig.Memory", "memory_limit_kib");
    add_kib(&f, t, root, "HostConfig.MemorySwap", "memory_swap_kib");
    add_kib(&f, t, root, "HostConfig.ShmSize", "shm_size_kib");
    add_int(&f, t, root, "HostConfig.PidsLimit", "pids_limit");
    add_text(&f, t, root, "HostConfig.IpcMode", "ipc_mode");
    add_text(&f, t, root, "HostConfig.NetworkMode", "network_mode");
    add_text(&f, t, root, "HostConfig.Runtime", "runtime");
    add_text(&f, t, root, "HostConfig.CgroupParent", "cgroup_parent");
    add_text(&f, t, root, "Config.Image", "image");
    int64_t killed = 0;
    bool oom = ff_node_int(t, ff_node_path(t, root, "State.OOMKilled"), &killed) && killed;
    const ff_node *show = ff_node_at(t, ff_node_path(t, root, oom ? "State.OOMKilled" : "HostConfig.Memory"));
    const ff_node *self = ff_node_at(t, root);
    k8s_fact(k, FF_FACT_CONTAINER_INSPECT, show ? show->at : self->at,
             k8s_time(ff_node_text(t, ff_node_path(t, root, "State.FinishedAt"))), &who, &f);
}

typedef enum crictl_space { SPACE_OF_NODE, SPACE_SHARED, SPACE_OWN } crictl_space;

/* The OCI specification lists a pid name space where the container has one; its path, where it is another's. */
static crictl_space space_in(const ff_tree *t, uint32_t root)
{
    uint32_t list = ff_node_path(t, root, "info.runtimeSpec.linux.namespaces");
    if (list == FF_NONE)
        return SPACE_SHARED; /* not said */
    for (uint32_t i = 0; i < ff_node_count(t, list) && i < 64; i++) {
        uint32_t one = ff_node_item(t, list, i);
        if (ff_equal(ff_node_text(t, ff_node_get(t, one, "type")), FF_LIT("pid")))
            return ff_node_get(t, one, "path") == FF_NONE ? SPACE_OWN : SPACE_SHARED;
    }
    return SPACE_OF_NODE;
}

static ff_bytes label_of(const ff_tree *t, uint32_t root, const char *name)
{
    return ff_node_text(t, ff_node_get(t, ff_node_path(t, root, "status.labels"), name));
}

static void read_crictl(k8s *k, const ff_tree *t, uint32_t root)
{
    ff_fields f = { .n = 0 };
    ff_bytes pod = label_of(t, root, "io.kubernetes.pod.name"), ns = label_of(t, root, "io.kubernetes.pod.namespace");
    k8s_pod of = { .name = pod, .uid = label_of(t, root, "io.kubernetes.pod.uid") };
    if (pod.n && ns.n)
        of.name = ff_arena_format(k->out->scratch, "%.*s/%.*s", (int)ff_first_n(ns, 256).n, ns.p,
                                  (int)ff_first_n(pod, 256).n, pod.p);
    ff_who who = k8s_who(&of);
    crictl_space space = space_in(t, root);
    who.container = ff_node_text(t, ff_node_path(t, root, "status.id"));
    ff_fields_text(&f, "container", FF_FIELD_CONTAINER, who.container);
    ff_fields_text(&f, "pod", FF_FIELD_POD, of.name);
    ff_fields_text(&f, "pod_uid", FF_FIELD_POD_UID, of.uid);
    add_text(&f, t, root, "status.metadata.name", "name");
    add_text(&f, t, root, "status.state", "status");
    add_int(&f, t, root, "status.exitCode", "exit_code");
    if (ff_equal(ff_node_text(t, ff_node_path(t, root, "status.reason")), FF_LIT("OOMKilled")))
        ff_fields_int(&f, "oom_killed", FF_FIELD_INT, 1);
    add_text(&f, t, root, "status.message", "error");
    add_text(&f, t, root, "status.startedAt", "started");
    add_text(&f, t, root, "status.finishedAt", "finished");
    add_kib(&f, t, root, "info.runtimeSpec.linux.resources.memory.limit", "memory_limit_kib");
    add_text(&f, t, root, "info.runtimeSpec.linux.cgroupsPath", "cgroup_parent");
    add_process(&f, &who, t, ff_node_path(t, root, "info.pid"), space == SPACE_OWN);
    if (space == SPACE_OF_NODE)
        ff_fields_text(&f, "pid_mode", FF_FIELD_TEXT, FF_LIT("host"));
    const ff_node *show = ff_node_at(t, ff_node_path(t, root, "info.pid"));
    const ff_node *self = ff_node_at(t, root);
    k8s_fact(k, FF_FACT_CONTAINER_INSPECT, show ? show->at : self->at,
             k8s_time(ff_node_text(t, ff_node_path(t, root, "status.finishedAt"))), &who, &f);
}

static void read_any(k8s *k, const ff_tree *t, uint32_t root)
{
    if (ff_node_path(t, root, "status.metadata.name") != FF_NONE)
        read_crictl(k, t, root);
    else
        read_docker(k, t, root);
}

static ff_status inspect_parse(const ff_doc *doc, ff_sink *out)
{
    k8s k = { .out = out };
    ff_tree t;
    doc_lines_init(&k.lines, doc->bytes);
    ff_tree_init(&t, doc->bytes);
    ff_status status = ff_json_read(&t, NULL);
    if (status == FF_OK && ff_node_at(&t, 0)->kind == FF_NODE_LIST) {
        for (uint32_t i = 0; i < ff_node_count(&t, 0) && i < 10000; i++)
            read_any(&k, &t, ff_node_item(&t, 0, i));
    } else if (status == FF_OK) {
        read_any(&k, &t, 0);
    }
    if (t.problem)
        out->skip(out->owner, doc_line_at(&k.lines, t.problem_at, &(ff_bytes){ 0 }, &(uint64_t){ 0 }), t.problem);
    ff_tree_done(&t);
    return status;
}

const ff_parser ff_parser_container_inspect = { .name = "container_inspect",
                                                .streams = FF_STREAM_RUNTIME,
                                                .collected = true,
                                                .probe = inspect_probe,
                                                .parse = inspect_parse };
