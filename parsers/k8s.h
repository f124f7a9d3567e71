/* Kubernetes objects: what k8s_*.c share. Objects come as JSON, YAML, or the text of `kubectl describe`; all end in
 * the same facts. */
#ifndef FF_K8S_H
#define FF_K8S_H

#include "doc_private.h"

typedef struct k8s_pod {      /* who a fact is about, while a pod is read */
    ff_bytes name, uid, node; /* name: namespace/name */
} k8s_pod;

typedef struct k8s_container {
    ff_bytes name, id, image, state, reason, message, last_reason, last_message, last_id;
    ff_bytes started, finished, last_finished;                        /* as written */
    ff_stamp said;                                                    /* when it ended, else when it started */
    int64_t exit_code, signal, last_exit_code, last_signal, restarts; /* -1: not said */
    int64_t memory_limit_kib, memory_request_kib, gpu_limit, rdma_limit;
    bool init;
    uint64_t offset; /* the place to show */
} k8s_container;
#define K8S_CONTAINER                                                                                                \
    ((k8s_container){ .exit_code = -1,                                                                               \
                      .signal = -1,                                                                                  \
                      .last_exit_code = -1,                                                                          \
                      .last_signal = -1,                                                                             \
                      .restarts = -1,                                                                                \
                      .memory_limit_kib = -1,                                                                        \
                      .memory_request_kib = -1,                                                                      \
                      .gpu_limit = -1,                                                                               \
                      .rdma_limit = -1 })

typedef struct k8s_event {
    ff_bytes ns, kind, name, uid, container, reason, type, message, host, source;
    ff_stamp said;
    ff_bytes age;  /* "5m2s", relative to the moment of collection */
    int64_t count; /* -1: not said */
    uint64_t offset;
} k8s_event;

typedef struct k8s {
    const ff_sink *out;
    doc_lines lines; /* of the whole member */
} k8s;

/* One resource of a container's limits or requests. */
void k8s_resource(k8s_container *c, bool limit, ff_bytes name, ff_bytes value);
void k8s_emit_container(k8s *k, const k8s_pod *pod, const k8s_container *c);
void k8s_emit_volume(k8s *k, const k8s_pod *pod, ff_bytes volume, ff_bytes mount, ff_bytes container, ff_bytes limit,
                     uint64_t offset);
/* Only variables of the communication stack, launchers and GPUs: others may be secrets. */
void k8s_emit_env(k8s *k, const k8s_pod *pod, ff_bytes container, ff_bytes variable, ff_bytes value, uint64_t offset);
void k8s_emit_event(k8s *k, const k8s_event *e);
void k8s_emit_condition(k8s *k, ff_fact_id id, const ff_who *who, ff_bytes type, ff_bytes status, ff_bytes reason,
                        ff_bytes message, ff_bytes since, uint64_t offset);
/* A label or resource that speaks of RDMA or of GPUs; others are passed over. of: "node", "pod", "resource". */
void k8s_emit_label(k8s *k, const ff_who *who, const char *of, ff_bytes label, ff_bytes value, uint64_t offset);
/* Free text of an object, to be matched like log lines. */
void k8s_emit_text(k8s *k, const ff_who *who, ff_stamp said, ff_bytes text, uint64_t offset);
void k8s_fact(k8s *k, ff_fact_id id, uint64_t offset, ff_stamp said, const ff_who *who, const ff_fields *f);
ff_who k8s_who(const k8s_pod *pod);
ff_stamp k8s_time(ff_bytes text); /* RFC 3339 or RFC 1123Z ("Thu, 01 Jan 2026 00:00:00 +0000") */
bool k8s_is_gpu_resource(ff_bytes name);

/* One object of a tree; base: where the tree's source begins in the member. False: no object that is known. */
bool k8s_object(k8s *k, const ff_tree *t, uint32_t node, ff_bytes kind, uint64_t base);

#endif
