/* The facts of Kubernetes objects, whatever text they came from. */
#include "k8s.h"

#include "../analyzer/base/text.h"
#include "../analyzer/clock/clock.h"

#define CAP_VALUE 1024u /* bytes of one value in a fact */

ff_who k8s_who(const k8s_pod *pod)
{
    ff_who who = FF_WHO_NOBODY;
    who.pod = pod->name;
    who.pod_uid = pod->uid;
    who.host = pod->node;
    return who;
}

void k8s_fact(k8s *k, ff_fact_id id, uint64_t offset, ff_stamp said, const ff_who *who, const ff_fields *f)
{
    ff_fact fact = { .id = id, .said = said, .who = *who };
    doc_fact(k->out, &k->lines, offset, &fact, f);
}

/* "Thu, 01 Jan 2026 00:00:00 +0000" */
static bool take_rfc1123(ff_bytes in, ff_stamp *out)
{
    ff_bytes weekday;
    int64_t day = 0, year = 0, ns = 0, grain = 0, zone = 0, midnight = 0;
    unsigned month = 0;
    if (!ff_take_until(&in, ',', &weekday) || weekday.n != 3 || !ff_take_spaces(&in) ||
        !ff_take_digits(&in, 2, &day) || !ff_take_char(&in, ' ') || !ff_take_month_name(&in, &month) ||
        !ff_take_char(&in, ' ') || !ff_take_digits(&in, 4, &year) || !ff_take_char(&in, ' ') ||
        !ff_take_clock_of_day(&in, &ns, &grain) || !ff_take_spaces(&in) || !ff_take_zone(&in, &zone) ||
        !ff_make_midnight(year, month, day, &midnight))
        return false;
    *out = (ff_stamp){ .kind = FF_STAMP_UTC, .ns = midnight + ns - zone, .grain_ns = INT64_C(1000000000) };
    return true;
}

ff_stamp k8s_time(ff_bytes text)
{
    ff_stamp stamp = { .kind = FF_STAMP_NONE };
    text = ff_trim(text);
    if (text.n >= 19 && !ff_take_rfc3339(&text, &stamp) && !take_rfc1123(text, &stamp))
        stamp.kind = FF_STAMP_NONE;
    return stamp;
}

bool k8s_is_gpu_resource(ff_bytes name)
{
    return ff_ends(name, FF_LIT("/gpu")) || ff_starts(name, FF_LIT("nvidia.com/mig-"));
}

static bool is_rdma(ff_bytes b)
{
    for (size_t i = 0; i + 4 <= b.n; i++)
        if (ff_equal_nocase(ff_first_n(ff_skip_n(b, i), 4), FF_LIT("rdma")))
            return true;
    return false;
}

void k8s_resource(k8s_container *c, bool limit, ff_bytes name, ff_bytes value)
{
    int64_t kib = 0;
    uint64_t n = 0;
    ff_bytes digits = ff_trim(value);
    if (ff_equal(name, FF_LIT("memory")) && doc_quantity_kib(value, &kib)) {
        c->memory_limit_kib = limit ? kib : c->memory_limit_kib;
        c->memory_request_kib = limit ? c->memory_request_kib : kib;
    }
    if (!limit || !ff_take_uint(&digits, &n) || n > 100000)
        return;
    if (k8s_is_gpu_resource(name))
        c->gpu_limit = (int64_t)n;
    else if (is_rdma(name) || ff_contains(name, FF_LIT("/efa")))
        c->rdma_limit = (int64_t)n;
}

static void add_text(ff_fields *f, const char *name, ff_bytes value)
{
    ff_fields_text(f, name, FF_FIELD_TEXT, ff_first_n(ff_trim(value), CAP_VALUE));
}

static void add_known(ff_fields *f, const char *name, int64_t value)
{
    if (value >= 0)
        ff_fields_int(f, name, FF_FIELD_INT, value);
}

static void add_pod(ff_fields *f, const k8s_pod *pod)
{
    ff_fields_text(f, "pod", FF_FIELD_POD, pod->name);
    ff_fields_text(f, "pod_uid", FF_FIELD_POD_UID, pod->uid);
    ff_fields_text(f, "node", FF_FIELD_HOST, pod->node);
}

void k8s_emit_container(k8s *k, const k8s_pod *pod, const k8s_container *c)
{
    ff_fields f = { .n = 0 };
    ff_who who = k8s_who(pod);
    who.container = c->id;
    add_pod(&f, pod);
    add_text(&f, "name", c->name);
    ff_fields_text(&f, "container", FF_FIELD_CONTAINER, c->id);
    add_text(&f, "state", c->state);
    add_known(&f, "exit_code", c->exit_code);
    add_known(&f, "signal", c->signal);
    add_text(&f, "reason", c->reason);
    add_text(&f, "message", c->message);
    add_text(&f, "started", c->started);
    add_text(&f, "finished", c->finished);
    add_known(&f, "restart_count", c->restarts);
    add_known(&f, "memory_limit_kib", c->memory_limit_kib);
    add_known(&f, "memory_request_kib", c->memory_request_kib);
    add_known(&f, "gpu_limit", c->gpu_limit);
    add_known(&f, "rdma_limit", c->rdma_limit);
    add_text(&f, "last_state_reason", c->last_reason);
    add_known(&f, "last_exit_code", c->last_exit_code);
    add_known(&f, "last_signal", c->last_signal);
    add_text(&f, "last_finished", c->last_finished);
    ff_fields_text(&f, "last_container", FF_FIELD_TEXT, c->last_id);
    add_text(&f, "image", c->image);
    add_known(&f, "init", c->init ? 1 : -1);
    k8s_fact(k, FF_FACT_POD_CONTAINER, c->offset, c->said, &who, &f);
    k8s_emit_text(k, &who, c->said, c->message, c->offset);
    k8s_emit_text(k, &who, c->said, c->last_message, c->offset);
}

void k8s_emit_volume(k8s *k, const k8s_pod *pod, ff_bytes volume, ff_bytes mount, ff_bytes container, ff_bytes limit,
                     uint64_t offset)
{
    ff_fields f = { .n = 0 };
    ff_who who = k8s_who(pod);
    int64_t kib = 0;
    bool limited = doc_quantity_kib(limit, &kib) && kib > 0;
    add_pod(&f, pod);
    add_text(&f, "volume", volume);
    add_text(&f, "mount_path", mount);
    add_text(&f, "name", container);
    ff_fields_int(&f, "limited", FF_FIELD_INT, limited);
    if (limited)
        ff_fields_int(&f, "size_limit_kib", FF_FIELD_INT, kib);
    k8s_fact(k, FF_FACT_POD_VOLUME, offset, (ff_stamp){ 0 }, &who, &f);
}

void k8s_emit_env(k8s *k, const k8s_pod *pod, ff_bytes container, ff_bytes variable, ff_bytes value, uint64_t offset)
{
    static const char *const wanted[] = { "NCCL_",      "TORCH_",     "TORCHCOMM", "GLOO_",     "CUDA_",   "NVIDIA_",
                                          "UCX_",       "RCCL_",      "FI_",       "OMP_",      "OMPI_",   "PYTORCH_",
                                          "XLA_",       "JAX_",       "HSA_",      "ROCR_",     "MASTER_", "RANK",
                                          "WORLD_SIZE", "LOCAL_RANK", "NNODES",    "NODE_RANK", "NPROC",   "PET_",
                                          "TF_",        "SHARP_",     "MELLANOX_", "VLLM_",     "OFI_" };
    bool known = false;
    for (size_t i = 0; i < FF_COUNT(wanted) && !known; i++)
        known = ff_starts(variable, ff_str(wanted[i]));
    if (!known || ff_contains(variable, FF_LIT("TOKEN")) || ff_contains(variable, FF_LIT("KEY")) ||
        ff_contains(variable, FF_LIT("SECRET")) || ff_contains(variable, FF_LIT("PASSWORD")))
        return;
    ff_fields f = { .n = 0 };
    ff_who who = k8s_who(pod);
    add_pod(&f, pod);
    add_text(&f, "name", container);
    add_text(&f, "variable", variable);
    add_text(&f, "value", value);
    k8s_fact(k, FF_FACT_POD_ENV, offset, (ff_stamp){ 0 }, &who, &f);
}

void k8s_emit_event(k8s *k, const k8s_event *e)
{
    ff_fields f = { .n = 0 };
    ff_who who = FF_WHO_NOBODY;
    ff_arena *scratch = k->out->scratch;
    bool pod = ff_equal_nocase(e->kind, FF_LIT("pod")), node = ff_equal_nocase(e->kind, FF_LIT("node"));
    who.host = node ? e->name : e->host;
    if (pod)
        who.pod = e->ns.n ? ff_arena_format(scratch, "%.*s/%.*s", (int)ff_first_n(e->ns, 256).n, e->ns.p,
                                            (int)ff_first_n(e->name, 256).n, e->name.p)
                          : e->name;
    who.pod_uid = pod ? e->uid : (ff_bytes){ 0 };
    add_text(&f, "reason", e->reason);
    add_text(&f, "type", e->type);
    add_text(&f, "message", e->message);
    add_text(&f, "kind", e->kind);
    add_text(&f, "object", e->name);
    add_text(&f, "namespace", e->ns);
    ff_fields_text(&f, "pod", FF_FIELD_POD, who.pod);
    ff_fields_text(&f, "pod_uid", FF_FIELD_POD_UID, who.pod_uid);
    ff_fields_text(&f, "node", FF_FIELD_HOST, who.host);
    add_text(&f, "name", e->container);
    add_text(&f, "source", e->source);
    add_text(&f, "age", e->age);
    add_known(&f, "count", e->count);
    k8s_fact(k, FF_FACT_EVENT, e->offset, e->said, &who, &f);
    k8s_emit_text(k, &who, e->said, e->message, e->offset);
}

void k8s_emit_condition(k8s *k, ff_fact_id id, const ff_who *who, ff_bytes type, ff_bytes status, ff_bytes reason,
                        ff_bytes message, ff_bytes since, uint64_t offset)
{
    ff_fields f = { .n = 0 };
    ff_fields_text(&f, "pod", FF_FIELD_POD, who->pod);
    ff_fields_text(&f, "pod_uid", FF_FIELD_POD_UID, who->pod_uid);
    ff_fields_text(&f, "node", FF_FIELD_HOST, who->host);
    add_text(&f, "type", type);
    add_text(&f, "status", status);
    add_text(&f, "reason", reason);
    add_text(&f, "message", message);
    add_text(&f, "since", since);
    k8s_fact(k, id, offset, k8s_time(since), who, &f);
}

void k8s_emit_label(k8s *k, const ff_who *who, const char *of, ff_bytes label, ff_bytes value, uint64_t offset)
{
    bool rdma = is_rdma(label) || is_rdma(value) || ff_contains(label, FF_LIT("infiniband")) ||
                ff_contains(label, FF_LIT("pci-15b3"));
    bool wanted = rdma || ff_contains(label, FF_LIT("nvidia.com/")) || ff_contains(label, FF_LIT("mofed")) ||
                  ff_contains(label, FF_LIT("sriov")) || ff_contains(label, FF_LIT("amazonaws.com/efa")) ||
                  ff_contains(label, FF_LIT("topology.kubernetes.io/")) ||
                  ff_contains(label, FF_LIT("instance-type"));
    if (!wanted || k8s_is_gpu_resource(label))
        return;
    ff_fields f = { .n = 0 };
    ff_fields_text(&f, "pod", FF_FIELD_POD, who->pod);
    ff_fields_text(&f, "node", FF_FIELD_HOST, who->host);
    add_text(&f, "label", label);
    add_text(&f, "value", value);
    add_text(&f, "of", ff_str(of));
    ff_fields_int(&f, "rdma", FF_FIELD_INT, rdma);
    k8s_fact(k, FF_FACT_NODE_LABEL, offset, (ff_stamp){ 0 }, who, &f);
}

void k8s_emit_text(k8s *k, const ff_who *who, ff_stamp said, ff_bytes text, uint64_t offset)
{
    ff_bytes line, whole;
    uint64_t begin = 0;
    for (unsigned i = 0; i < 64 && ff_take_line(&text, &line); i++) {
        if (!ff_trim(line).n)
            continue;
        ff_event ev = { .stream = FF_STREAM_K8S,
                        .said = said,
                        .text = ff_first_n(line, FF_CAP_LINE),
                        .who = *who,
                        .scratch = k->out->scratch };
        uint32_t number = doc_line_at(&k->lines, offset, &whole, &begin);
        k->out->event(k->out->owner, &ev, number, begin, whole);
    }
}
