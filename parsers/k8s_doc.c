/* Files of Kubernetes objects: kubectl get -o json or -o yaml, one object, a list, or several one after the other;
 * and what docker, podman and crictl say of one container.
 *
 *     apiVersion: v1                      [{"Id": "ab12...", "HostConfig": {"Memory": 4294967296},
 *     kind: Pod                             "State": {"OOMKilled": true, "ExitCode": 137}}]
 *
 * YAML is only tried on what looks like an object: any text is YAML. */
#include "k8s.h"
#include "yaml.h"

#define CAP_DOCUMENTS 100000u

static int count_found(ff_bytes head, const char *const *words)
{
    int bits = 0;
    for (; *words; words++)
        bits += ff_contains(head, ff_str(*words)) ? 8 * (int)ff_str(*words).n : 0;
    return bits;
}

static bool begins_json(ff_bytes head)
{
    head = ff_trim(head);
    return head.n && (*head.p == '{' || *head.p == '[');
}

/* ---- containers ---- */

static const char *const inspect_words[] = { "\"HostConfig\"", "\"OOMKilled\"", "\"PidsLimit\"", "\"ShmSize\"",
                                             NULL };

static int inspect_probe(const ff_probe *in)
{
    ff_bytes head = in->head;
    if (!begins_json(head) || !(ff_contains(head, FF_LIT("\"Id\"")) || ff_contains(head, FF_LIT("\"ID\""))))
        return 0;
    return count_found(head, inspect_words);
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

static void read_inspect(k8s *k, const ff_tree *t, uint32_t root, uint64_t base)
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
    k8s_fact(k, FF_FACT_CONTAINER_INSPECT, base + (show ? show->at : self->at),
             k8s_time(ff_node_text(t, ff_node_path(t, root, "State.FinishedAt"))), &who, &f);
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
            read_inspect(&k, &t, ff_node_item(&t, 0, i), 0);
    } else if (status == FF_OK) {
        read_inspect(&k, &t, 0, 0);
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

/* ---- objects ---- */

static const char *const json_words[] = {
    "\"apiVersion\"",     "\"kind\"",     "\"metadata\"",  "\"containerStatuses\"",
    "\"involvedObject\"", "\"nodeInfo\"", "\"items\"",     "\"resourceVersion\"",
    "\"nodeName\"",       "\"phase\"",    "\"regarding\"", NULL
};
static const char *const json_proof[] = { "\"apiVersion\"",
                                          "\"containerStatuses\"",
                                          "\"involvedObject\"",
                                          "\"nodeInfo\"",
                                          "\"nodeName\"",
                                          "\"regarding\"",
                                          NULL };

static int json_probe(const ff_probe *in)
{
    ff_bytes head = ff_first_n(in->head, 16384);
    if (!begins_json(head) || !count_found(head, json_proof) || !ff_contains(head, FF_LIT("\"metadata\"")))
        return 0;
    return count_found(head, json_words);
}

static bool line_starts(ff_bytes head, const char *prefix)
{
    ff_bytes line;
    for (unsigned i = 0; i < 200 && ff_take_line(&head, &line); i++)
        if (ff_starts(line, ff_str(prefix)))
            return true;
    return false;
}

static int yaml_probe(const ff_probe *in)
{
    ff_bytes head = ff_first_n(in->head, 16384);
    bool named = line_starts(head, "kind:") && line_starts(head, "apiVersion:");
    bool bare = line_starts(head, "metadata:") && (line_starts(head, "spec:") || line_starts(head, "status:"));
    bool list = line_starts(head, "items:") && ff_contains(head, FF_LIT("kind:"));
    if (begins_json(head) || !(named || bare || list))
        return 0;
    return (named ? 8 * 16 : 0) + (bare ? 8 * 14 : 0) + (list ? 8 * 6 : 0);
}

typedef ff_status (*read_tree)(ff_tree *t, size_t *end);

/* Documents one after the other; what lies between two of them, as "---" or text of a terminal, is passed over. */
static ff_status parse_all(const ff_doc *doc, ff_sink *out, read_tree read, const char *first)
{
    k8s k = { .out = out };
    ff_tree t;
    size_t at = 0;
    bool any = false;
    doc_lines_init(&k.lines, doc->bytes);
    ff_tree_init(&t, doc->bytes);
    for (unsigned i = 0; i < CAP_DOCUMENTS && at < doc->bytes.n; i++) {
        size_t end = 0;
        while (at < doc->bytes.n && first && doc->bytes.p[at] != first[0] && doc->bytes.p[at] != first[1])
            at++;
        ff_tree_reset(&t, ff_skip_n(doc->bytes, at));
        if (read(&t, &end) == FF_OK)
            any = k8s_object(&k, &t, 0, (ff_bytes){ 0 }, at) || any;
        if (t.problem)
            out->skip(out->owner, doc_line_at(&k.lines, at + t.problem_at, &(ff_bytes){ 0 }, &(uint64_t){ 0 }),
                      t.problem);
        at += end ? end : 1;
    }
    ff_tree_done(&t);
    return any ? FF_OK : FF_BAD;
}

static ff_status json_parse(const ff_doc *doc, ff_sink *out) { return parse_all(doc, out, ff_json_read, "{["); }

static ff_status yaml_parse(const ff_doc *doc, ff_sink *out) { return parse_all(doc, out, ff_yaml_read, NULL); }

const ff_parser ff_parser_k8s_json = {
    .name = "k8s_json", .streams = FF_STREAM_K8S, .probe = json_probe, .parse = json_parse
};
const ff_parser ff_parser_k8s_yaml = {
    .name = "k8s_yaml", .streams = FF_STREAM_K8S, .probe = yaml_probe, .parse = yaml_parse
};
