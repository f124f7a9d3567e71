/* Kubernetes objects, container inspections, dmesg --json, YAML. All data invented. */
#include "doc_catch.h"
#include "../parsers/doc_private.h"
#include "../parsers/yaml.h"

extern const ff_parser ff_parser_k8s_json, ff_parser_k8s_yaml, ff_parser_kubectl_table, ff_parser_kubectl_describe,
    ff_parser_container_inspect, ff_parser_dmesg_json;

static void parse(const ff_parser *parser, const char *text)
{
    catch_reset();
    CHECK_TEXT(ff_str(catch_detect("x", ff_str(text))), parser->name);
    CHECK_INT(catch_parse(parser, "x", ff_str(text)), FF_OK);
}

static void check_pod(void)
{
    const ff_fact *f = nth_fact(FF_FACT_POD, 0);
    CHECK_TEXT(f->who.pod, "ml/train-0");
    CHECK_TEXT(f->who.pod_uid, "4c1de0a2-0000-4f39-9d0e-6a2f71c3b8e4");
    CHECK_TEXT(f->who.host, "gpu-a01");
    CHECK_TEXT(field_text(f, "phase"), "Failed");
    CHECK_INT(count_facts(FF_FACT_POD_CONTAINER), 2);
    f = nth_fact(FF_FACT_POD_CONTAINER, 0);
    CHECK_TEXT(field_text(f, "name"), "trainer");
    CHECK_TEXT(f->who.container, "9b9706ba");
    CHECK_INT(field_int(f, "exit_code"), 137);
    CHECK_TEXT(field_text(f, "reason"), "OOMKilled");
    CHECK_INT(field_int(f, "memory_limit_kib"), INT64_C(640) * 1024 * 1024);
    CHECK_INT(field_int(f, "memory_request_kib"), 585937);
    CHECK_INT(field_int(f, "gpu_limit"), 8);
    CHECK_INT(field_int(f, "restart_count"), 2);
    CHECK_INT(f->said.kind, FF_STAMP_UTC);
    CHECK_INT(f->said.ns, INT64_C(1767225632000000000));
    CHECK_TEXT(field_text(f, "last_state_reason"), "Error");
    CHECK_INT(field_int(f, "last_exit_code"), 1);
    CHECK_INT(field_int(nth_fact(FF_FACT_POD_CONTAINER, 1), "exit_code"), -999);
    f = nth_fact(FF_FACT_POD_VOLUME, 0);
    CHECK_INT(count_facts(FF_FACT_POD_VOLUME), 2);
    CHECK_TEXT(field_text(f, "mount_path"), "/dev/shm");
    CHECK_INT(field_int(f, "limited"), 0);
    CHECK_INT(field_int(f, "size_limit_kib"), -999);
    CHECK_INT(field_int(nth_fact(FF_FACT_POD_VOLUME, 1), "size_limit_kib"), 1048576);
    CHECK_INT(count_facts(FF_FACT_POD_ENV), 1);
    f = nth_fact(FF_FACT_POD_ENV, 0);
    CHECK_TEXT(field_text(f, "variable"), "NCCL_DEBUG");
    CHECK_TEXT(field_text(f, "value"), "INFO");
}

static const char pod_json[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\n\"metadata\":{\"name\":\"train-0\",\"namespace\":\"ml\","
    "\"uid\":\"4c1de0a2-0000-4f39-9d0e-6a2f71c3b8e4\"},\n\"spec\":{\"nodeName\":\"gpu-a01\",\"containers\":[{"
    "\"name\":\"trainer\","
    "\"resources\":{\"limits\":{\"memory\":\"640Gi\",\"nvidia.com/gpu\":\"8\"},\"requests\":{\"memory\":\"600M\"}},"
    "\"env\":[{\"name\":\"NCCL_DEBUG\",\"value\":\"INFO\"},{\"name\":\"API_TOKEN\",\"value\":\"s3cret\"},{\"name\":"
    "\"NCCL_KEY\",\"value\":\"x\"}],"
    "\"volumeMounts\":[{\"name\":\"dshm\",\"mountPath\":\"/dev/shm\"}]},{\"name\":\"sidecar\"}],"
    "\"volumes\":[{\"name\":\"dshm\",\"emptyDir\":{\"medium\":\"Memory\"}},{\"name\":\"tmp\",\"emptyDir\":{"
    "\"medium\":\"Memory\",\"sizeLimit\":\"1Gi\"}},"
    "{\"name\":\"disk\",\"emptyDir\":{}}]},\n\"status\":{\"phase\":\"Failed\",\"containerStatuses\":[{\"name\":"
    "\"trainer\","
    "\"containerID\":\"containerd://"
    "9b9706ba\",\"restartCount\":2,\n\"state\":{\"terminated\":{\"exitCode\":137,\"reason\":\"OOMKilled\","
    "\"startedAt\":\"2026-01-01T00:00:00Z\",\"finishedAt\":\"2026-01-01T00:00:32Z\"}},"
    "\"lastState\":{\"terminated\":{\"exitCode\":1,\"reason\":\"Error\"}}}]}}\n";

TEST(pod_as_json)
{
    parse(&ff_parser_k8s_json, pod_json);
    check_pod();
    CHECK_INT(nth_fact(FF_FACT_POD_CONTAINER, 0)->line, 5);
    CHECK(ff_contains(nth_fact(FF_FACT_POD_CONTAINER, 0)->quote, FF_LIT("OOMKilled")));
}

static const char pod_yaml[] =
    "apiVersion: v1\nkind: Pod\nmetadata:\n  name: train-0\n  namespace: ml\n"
    "  uid: 4c1de0a2-0000-4f39-9d0e-6a2f71c3b8e4\n  labels: {net/rdma: \"true\", app: x}\nspec:\n  nodeName: "
    "gpu-a01\n"
    "  containers:\n  - name: trainer\n    resources:\n      limits: {memory: 640Gi, nvidia.com/gpu: 8}\n"
    "      requests: {memory: 600M}\n    env:\n    - {name: NCCL_DEBUG, value: INFO}\n    - {name: PASSWORD, value: "
    "x}\n"
    "    volumeMounts: [{name: dshm, mountPath: /dev/shm}]\n  - name: sidecar\n  volumes:\n"
    "  - {name: dshm, emptyDir: {medium: Memory}}\n  - name: tmp\n    emptyDir: {medium: Memory, sizeLimit: 1Gi}\n"
    "status:\n  phase: Failed\n  containerStatuses:\n  - name: trainer\n    containerID: containerd://9b9706ba\n"
    "    restartCount: 2\n    state:\n      terminated:\n        exitCode: 137\n        reason: OOMKilled\n"
    "        finishedAt: \"2026-01-01T00:00:32Z\"\n    lastState: {terminated: {exitCode: 1, reason: Error}}\n";

TEST(pod_as_yaml)
{
    parse(&ff_parser_k8s_yaml, pod_yaml);
    check_pod();
    CHECK_INT(nth_fact(FF_FACT_POD_CONTAINER, 0)->line, 33);
    CHECK_TEXT(nth_fact(FF_FACT_POD_CONTAINER, 0)->quote, "        reason: OOMKilled");
    const ff_fact *f = nth_fact(FF_FACT_NODE_LABEL, 0);
    CHECK_TEXT(field_text(f, "label"), "net/rdma");
    CHECK_INT(field_int(f, "rdma"), 1);
    CHECK_INT(count_facts(FF_FACT_NODE_LABEL), 1);
}

TEST(nodes_in_a_list)
{
    parse(
        &ff_parser_k8s_json,
        "{\"apiVersion\":\"v1\",\"kind\":\"NodeList\",\"metadata\":{},\"items\":[{\"metadata\":{\"name\":\"gpu-a01\","
        "\"labels\":{\"nvidia.com/gpu.count\":\"8\",\"feature.node.kubernetes.io/"
        "rdma.capable\":\"true\",\"os\":\"linux\"}},"
        "\"spec\":{\"unschedulable\":true,\"taints\":[{\"key\":\"gpu\",\"effect\":\"NoSchedule\"}]},"
        "\"status\":{\"capacity\":{\"memory\":\"1056Ki\",\"nvidia.com/gpu\":\"8\"},\"allocatable\":{\"nvidia.com/"
        "gpu\":\"7\","
        "\"rdma/hca\":\"63\"},\"nodeInfo\":{\"bootID\":\"aa11-22\",\"kernelVersion\":\"6.8.0\"},"
        "\"conditions\":[{\"type\":\"Ready\",\"status\":\"Unknown\",\"reason\":\"NodeStatusUnknown\",\"message\":"
        "\"Kubelet stopped posting\","
        "\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}]}}]}");
    const ff_fact *f = nth_fact(FF_FACT_NODE, 0);
    CHECK_TEXT(f->who.host, "gpu-a01");
    CHECK_TEXT(f->who.boot, "aa1122");
    CHECK_INT(field_int(f, "gpus"), 8);
    CHECK_INT(field_int(f, "gpus_allocatable"), 7);
    CHECK_TEXT(field_text(f, "taints"), "gpu:NoSchedule");
    CHECK_INT(field_int(f, "memory_kib"), 1056);
    f = nth_fact(FF_FACT_NODE_CONDITION, 0);
    CHECK_TEXT(field_text(f, "status"), "Unknown");
    CHECK_INT(f->said.ns, INT64_C(1767225600000000000));
    CHECK_INT(count_facts(FF_FACT_NODE_LABEL), 3);
    CHECK_INT(field_int(nth_fact(FF_FACT_NODE_LABEL, 0), "rdma"), 0);
    CHECK_INT(field_int(nth_fact(FF_FACT_NODE_LABEL, 1), "rdma"), 1);
    CHECK_TEXT(field_text(nth_fact(FF_FACT_NODE_LABEL, 2), "of"), "resource");
}

TEST(events_of_both_apis)
{
    parse(&ff_parser_k8s_json,
          "{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"metadata\":{},\"involvedObject\":{\"kind\":\"Pod\","
          "\"namespace\":\"ml\",\"name\":\"train-0\","
          "\"uid\":\"u-1\",\"fieldPath\":\"spec.containers{trainer}\"},\"reason\":\"Killing\",\"type\":\"Normal\","
          "\"message\":\"Stopping container\","
          "\"count\":3,\"lastTimestamp\":\"2026-01-01T00:00:05Z\",\"source\":{\"component\":\"kubelet\",\"host\":"
          "\"gpu-a01\"}}\n"
          "{\"apiVersion\":\"events.k8s.io/"
          "v1\",\"kind\":\"Event\",\"metadata\":{},\"regarding\":{\"kind\":\"Node\",\"name\":\"gpu-a02\"},\"reason\":"
          "\"Rebooted\","
          "\"note\":\"Node gpu-a02 has been rebooted\",\"eventTime\":\"2026-01-01T00:00:06.250000Z\"}\n");
    CHECK_INT(count_facts(FF_FACT_EVENT), 2);
    const ff_fact *f = nth_fact(FF_FACT_EVENT, 0);
    CHECK_TEXT(f->who.pod, "ml/train-0");
    CHECK_TEXT(f->who.host, "gpu-a01");
    CHECK_TEXT(field_text(f, "name"), "trainer");
    CHECK_INT(field_int(f, "count"), 3);
    f = nth_fact(FF_FACT_EVENT, 1);
    CHECK_TEXT(f->who.host, "gpu-a02");
    CHECK_INT(f->said.ns, INT64_C(1767225606250000000));
    CHECK_INT(f->line, 2);
    CHECK_INT(got.events.n, 2);
    CHECK_TEXT(got.events.at[1].text, "Node gpu-a02 has been rebooted");
}

TEST(several_yaml_documents)
{
    static char text[8192];
    snprintf(text, sizeof text, "---\n%s---\n%s", pod_yaml, pod_yaml);
    parse(&ff_parser_k8s_yaml, text);
    CHECK_INT(count_facts(FF_FACT_POD), 2);
    CHECK_INT(nth_fact(FF_FACT_POD, 0)->line, 5);
    CHECK_INT(nth_fact(FF_FACT_POD, 1)->line, 41);
}

TEST(yaml_aliases_do_not_explode)
{
    static const char bomb[] = "a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c "
                               "[*b, *b, *b, *b, *b, *b]\n"
                               "d: &d [*c, *c, *c, *c, *c]\ne: [*d, *d, *d, *e]\nf: &f [*f]\n";
    ff_tree t;
    ff_tree_init(&t, FF_LIT(bomb));
    CHECK_INT(ff_yaml_read(&t, NULL), FF_OK);
    CHECK(t.n_nodes < 40);
    CHECK_TEXT(ff_node_text(&t, ff_node_path(&t, 0, "e.0.0.0.0.0")), "x");
    CHECK_INT(ff_node_at(&t, ff_node_path(&t, 0, "f.0"))->kind, FF_NODE_NULL);
    ff_tree_done(&t);
}

TEST(yaml_keeps_what_libyaml_refuses)
{
    ff_tree t;
    ff_tree_init(&t, FF_LIT("msg: \"a\x01\xff z\"\nn: 007\nv: 1.10\ni: -5\nq: \"5\"\nt: true\nz: ~\n"));
    CHECK_INT(ff_yaml_read(&t, NULL), FF_OK);
    CHECK_TEXT(ff_node_text(&t, ff_node_get(&t, 0, "msg")), "a?? z");
    CHECK_TEXT(ff_node_text(&t, ff_node_get(&t, 0, "n")), "007");
    CHECK_TEXT(ff_node_text(&t, ff_node_get(&t, 0, "v")), "1.10");
    CHECK_INT(ff_node_at(&t, ff_node_get(&t, 0, "i"))->kind, FF_NODE_INT);
    CHECK_INT(ff_node_at(&t, ff_node_get(&t, 0, "q"))->kind, FF_NODE_TEXT);
    CHECK_INT(ff_node_at(&t, ff_node_get(&t, 0, "z"))->kind, FF_NODE_NULL);
    CHECK_INT(ff_node_line(&t, ff_node_get(&t, 0, "i")), 4);
    ff_tree_done(&t);
    ff_tree_init(&t, FF_LIT("a: \xc3\xa9\xc3\xa9\nb: [1, {\nc: 2"));
    CHECK_INT(ff_yaml_read(&t, NULL), FF_OK);
    CHECK(t.truncated);
    CHECK_TEXT(ff_node_text(&t, ff_node_get(&t, 0, "a")), "\xc3\xa9\xc3\xa9");
    CHECK_INT(ff_node_at(&t, ff_node_get(&t, 0, "b"))->at, 11);
    ff_tree_done(&t);
}

TEST(tables_of_kubectl)
{
    parse(&ff_parser_kubectl_table,
          "LAST SEEN   TYPE      REASON      OBJECT        MESSAGE\n"
          "7m          Warning   BackOff     pod/train-0   Back-off restarting failed container\n"
          "5m (x3 over 9m)   Normal   Scheduled   pod/train-0   Successfully assigned ml/train-0 to gpu-a01\n"
          "4m          Normal    VeryLongReasonHere pod/train-0-with-a-long-name It overflowed\n");
    CHECK_INT(count_facts(FF_FACT_EVENT), 3);
    const ff_fact *f = nth_fact(FF_FACT_EVENT, 0);
    CHECK_TEXT(f->who.pod, "ml/train-0");
    CHECK_TEXT(f->who.host, "gpu-a01");
    CHECK_TEXT(field_text(f, "reason"), "BackOff");
    CHECK_TEXT(field_text(f, "age"), "7m");
    f = nth_fact(FF_FACT_EVENT, 1);
    CHECK_INT(field_int(f, "count"), 3);
    CHECK_TEXT(field_text(f, "age"), "5m");
    f = nth_fact(FF_FACT_EVENT, 2);
    CHECK_TEXT(field_text(f, "reason"), "VeryLongReasonHere");
    CHECK_TEXT(field_text(f, "object"), "train-0-with-a-long-name");
    CHECK_TEXT(field_text(f, "message"), "It overflowed");
    parse(&ff_parser_kubectl_table, "NAME      STATUS   ROLES    AGE   VERSION   GPU-CAPACITY   GPU-ALLOCATABLE\n"
                                    "gpu-a01   Ready    <none>   51m   v1.33.2   8              7\n"
                                    "sys-0     Ready    <none>   63m   v1.33.2   <none>         <none>\n");
    CHECK_INT(field_int(nth_fact(FF_FACT_NODE, 0), "gpus"), 8);
    CHECK_INT(field_int(nth_fact(FF_FACT_NODE, 0), "gpus_allocatable"), 7);
    CHECK_INT(field_int(nth_fact(FF_FACT_NODE, 1), "gpus"), -999);
    parse(&ff_parser_kubectl_table,
          "NAMESPACE   NAME      READY   STATUS      RESTARTS      AGE   IP           NODE\n"
          "ml          train-0   0/1     OOMKilled   3 (2m ago)    9m    10.0.0.1     gpu-a01\n");
    f = nth_fact(FF_FACT_POD, 0);
    CHECK_TEXT(f->who.pod, "ml/train-0");
    CHECK_TEXT(field_text(f, "phase"), "OOMKilled");
    CHECK_INT(field_int(f, "restart_count"), 3);
    CHECK_TEXT(f->who.host, "gpu-a01");
}

static const char described[] =
    "Name:             train-0\nNamespace:        ml\nNode:             gpu-a01/10.0.0.1\nLabels:           app=x\n"
    "                  example.com/rdma=yes\nStatus:           Running\nContainers:\n  trainer:\n"
    "    Container ID:   containerd://9b9706ba\n    State:          Running\n      Started:      Thu, 01 Jan 2026 "
    "00:01:00 +0000\n"
    "    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n"
    "      Finished:     Thu, 01 Jan 2026 00:00:32 +0000\n    Restart Count:  4\n    Limits:\n      memory:          "
    "64Gi\n"
    "      nvidia.com/gpu:  8\n    Requests:\n      memory:  32Gi\n    Environment:\n      NCCL_DEBUG:  INFO\n    "
    "Mounts:\n"
    "      /dev/shm from dshm (rw)\nConditions:\n  Type    Status\n  Ready   False\nVolumes:\n  dshm:\n"
    "    Type:       EmptyDir (a temporary directory that shares a pod's lifetime)\n    Medium:     Memory\n    "
    "SizeLimit:  <unset>\n"
    "QoS Class:        Burstable\nEvents:\n  Type     Reason   Age               From     Message\n"
    "  ----     ------   ----              ----     -------\n  Warning  BackOff  2m (x3 over 5m)   kubelet  Back-off "
    "restarting\n";

TEST(description_of_a_pod)
{
    parse(&ff_parser_kubectl_describe, described);
    const ff_fact *f = nth_fact(FF_FACT_POD, 0);
    CHECK_TEXT(f->who.pod, "ml/train-0");
    CHECK_TEXT(f->who.host, "gpu-a01");
    CHECK_TEXT(field_text(f, "qos"), "Burstable");
    f = nth_fact(FF_FACT_POD_CONTAINER, 0);
    CHECK_TEXT(field_text(f, "name"), "trainer");
    CHECK_TEXT(f->who.container, "9b9706ba");
    CHECK_TEXT(field_text(f, "state"), "running");
    CHECK_TEXT(field_text(f, "last_state_reason"), "OOMKilled");
    CHECK_INT(field_int(f, "last_exit_code"), 137);
    CHECK_INT(field_int(f, "restart_count"), 4);
    CHECK_INT(field_int(f, "memory_limit_kib"), 67108864);
    CHECK_INT(field_int(f, "memory_request_kib"), 33554432);
    CHECK_INT(field_int(f, "gpu_limit"), 8);
    CHECK_INT(f->said.ns, INT64_C(1767225632000000000));
    CHECK_INT(f->line, 13);
    f = nth_fact(FF_FACT_POD_VOLUME, 0);
    CHECK_TEXT(field_text(f, "mount_path"), "/dev/shm");
    CHECK_INT(field_int(f, "limited"), 0);
    CHECK_INT(count_facts(FF_FACT_POD_ENV), 1);
    CHECK_INT(field_int(nth_fact(FF_FACT_NODE_LABEL, 0), "rdma"), 1);
    f = nth_fact(FF_FACT_EVENT, 0);
    CHECK_INT(field_int(f, "count"), 3);
    CHECK_TEXT(field_text(f, "source"), "kubelet");
    CHECK_TEXT(field_text(f, "message"), "Back-off restarting");
    CHECK_TEXT(field_text(nth_fact(FF_FACT_POD_CONDITION, 0), "status"), "False");
}

TEST(description_of_a_node)
{
    parse(&ff_parser_kubectl_describe,
          "Name:               gpu-a01\nRoles:              <none>\nLabels:             "
          "nvidia.com/gpu.count=8\nTaints:             <none>\n"
          "Conditions:\n  Type             Status  LastHeartbeatTime                 LastTransitionTime              "
          "  Reason              Message\n"
          "  ----             ------  -----------------                 ------------------                ------     "
          "         -------\n"
          "  MemoryPressure   True    Thu, 01 Jan 2026 00:02:00 +0000   Thu, 01 Jan 2026 00:00:00 +0000   "
          "KubeletHasNoMemory  kubelet has little memory\n"
          "Capacity:\n  memory:          2048Ki\n  nvidia.com/gpu:  8\nAllocatable:\n  memory:          1024Ki\n  "
          "nvidia.com/gpu:  7\n"
          "System Info:\n  Boot ID:                    aa-11\n  Kernel Version:             6.8.0\n");
    const ff_fact *f = nth_fact(FF_FACT_NODE, 0);
    CHECK_TEXT(f->who.host, "gpu-a01");
    CHECK_INT(field_int(f, "gpus"), 8);
    CHECK_INT(field_int(f, "gpus_allocatable"), 7);
    CHECK_TEXT(field_text(f, "boot_id"), "aa-11");
    CHECK_INT(field_int(f, "memory_allocatable_kib"), 1024);
    f = nth_fact(FF_FACT_NODE_CONDITION, 0);
    CHECK_TEXT(field_text(f, "type"), "MemoryPressure");
    CHECK_TEXT(field_text(f, "reason"), "KubeletHasNoMemory");
    CHECK_TEXT(field_text(f, "message"), "kubelet has little memory");
    CHECK_INT(f->said.ns, INT64_C(1767225600000000000));
    CHECK_INT(count_facts(FF_FACT_POD), 0);
}

TEST(inspected_container)
{
    parse(&ff_parser_container_inspect, "[{\"Id\": \"ab12\", \"Name\": \"/job\", \"HostConfig\": {\"Memory\": "
                                        "4294967296, \"ShmSize\": 67108864, \"PidsLimit\": 2048},\n"
                                        "\"State\": {\"Status\": \"exited\", \"OOMKilled\": true, \"ExitCode\": 137, "
                                        "\"FinishedAt\": \"2026-01-01T00:00:32.5Z\"}}]");
    const ff_fact *f = nth_fact(FF_FACT_CONTAINER_INSPECT, 0);
    CHECK_TEXT(f->who.container, "ab12");
    CHECK_INT(field_int(f, "memory_limit_kib"), 4194304);
    CHECK_INT(field_int(f, "shm_size_kib"), 65536);
    CHECK_INT(field_int(f, "pids_limit"), 2048);
    CHECK_INT(field_int(f, "oom_killed"), 1);
    CHECK_INT(f->said.ns, INT64_C(1767225632500000000));
    CHECK_INT(f->line, 2);
}

TEST(kernel_messages_as_json)
{
    parse(&ff_parser_dmesg_json, "{\n   \"dmesg\": [\n      {\n         \"pri\": 6,\n         \"time\":    "
                                 "12.345678,\n         \"msg\": \"NVRM: \\\"x\\\"\"\n"
                                 "      },{\n         \"pri\": 4,\n         \"time\": 9007199.254741,\n         "
                                 "\"msg\": \"second\"\n      }\n   ]\n}\n");
    CHECK_INT(got.events.n, 2);
    CHECK_TEXT(got.events.at[0].text, "NVRM: \"x\"");
    CHECK_INT(got.events.at[0].stream, FF_STREAM_KERNEL);
    CHECK_INT(got.events.at[0].said.kind, FF_STAMP_SINCE_BOOT);
    CHECK_INT(got.events.at[0].said.ns, INT64_C(12345678000));
    CHECK_INT(got.events.at[0].said.grain_ns, 1000);
    CHECK_INT(got.events.at[0].who.pid, 6); /* line */
    CHECK_INT(got.events.at[1].said.ns, INT64_C(9007199254741000));
}

TEST(notations)
{
    static const struct {
        const char *text;
        int64_t kib;
    } rows[] = { { "640Gi", 671088640 },
                 { "600M", 585937 },
                 { "88", 0 },
                 { "4096", 4 },
                 { "1.5Gi", 1572864 },
                 { "1e9", 976562 },
                 { "2Ti", INT64_C(2147483648) } };
    int64_t kib = 0;
    for (size_t i = 0; i < FF_COUNT(rows); i++) {
        CHECK(doc_quantity_kib(ff_str(rows[i].text), &kib));
        CHECK_INT(kib, rows[i].kib);
    }
    CHECK(!doc_quantity_kib(FF_LIT("lots"), &kib));
    CHECK(!doc_quantity_kib(FF_LIT("5 apples"), &kib));
    ff_arena a;
    ff_arena_init(&a);
    CHECK_TEXT(doc_pci(FF_LIT("00000000:3B:00.0"), &a), "0000:3b:00");
    CHECK_TEXT(doc_pci(FF_LIT("3b:1f.0"), &a), "0000:3b:1f");
    CHECK_INT(doc_pci(FF_LIT("hello"), &a).n, 0);
    ff_arena_done(&a);
    CHECK_TEXT(doc_container_id(FF_LIT("cri-o://ab")), "ab");
}

TEST(hostile_objects_end_cleanly)
{
    catch_every_cut(&ff_parser_k8s_json, "x", FF_LIT(pod_json));
    catch_every_cut(&ff_parser_k8s_yaml, "x", FF_LIT(pod_yaml));
    catch_every_cut(&ff_parser_kubectl_describe, "x", FF_LIT(described));
    catch_every_cut(&ff_parser_kubectl_table, "x",
                    FF_LIT("LAST SEEN   TYPE   REASON   OBJECT   MESSAGE\n5m (x3 over 9m)   Normal   A   pod/b   "
                           "Successfully assigned a/b to c\n(((  (\n"));
    catch_every_cut(&ff_parser_dmesg_json, "x",
                    FF_LIT("{\"dmesg\": [{\"pri\": 6, \"time\": 12.3, \"msg\": \"a\\nb\"}, {\"time\": \"x\"}, 5]}"));
    catch_every_cut(&ff_parser_container_inspect, "x",
                    FF_LIT("[{\"Id\": \"a\", \"State\": {\"OOMKilled\": 1}, \"HostConfig\": []}, 4]"));
}

int main(void)
{
    RUN(pod_as_json);
    RUN(pod_as_yaml);
    RUN(nodes_in_a_list);
    RUN(events_of_both_apis);
    RUN(several_yaml_documents);
    RUN(yaml_aliases_do_not_explode);
    RUN(yaml_keeps_what_libyaml_refuses);
    RUN(tables_of_kubectl);
    RUN(description_of_a_pod);
    RUN(description_of_a_node);
    RUN(inspected_container);
    RUN(kernel_messages_as_json);
    RUN(notations);
    RUN(hostile_objects_end_cleanly);
    catch_reset();
    return DONE();
}
