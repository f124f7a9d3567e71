/* What kubectl describe has said of an object so far; only k8s_describe*.c include it. */
#ifndef FF_K8S_DESCRIBE_H
#define FF_K8S_DESCRIBE_H

#include "k8s.h"

#define DESCRIBE_LEVELS 8u
#define DESCRIBE_CONTAINERS 64u

typedef enum describe_section {
    TOP,
    IN_CONTAINERS,
    IN_VOLUMES,
    IN_CONDITIONS,
    IN_EVENTS,
    IN_LABELS,
    IN_CAPACITY,
    IN_ALLOCATABLE,
    IN_SYSTEM
} describe_section;

typedef struct describe_mount {
    ff_bytes volume, path, container;
} describe_mount;

typedef struct describe_volume {
    ff_bytes name, limit;
    bool memory;
    uint64_t offset;
} describe_volume;

typedef struct describe {
    k8s *k;
    ff_bytes name, ns, status, reason, message, qos, boot, kernel, kubelet, memory, memory_usable;
    k8s_pod pod;
    bool node, open;
    int64_t gpus, usable;
    uint64_t offset, told; /* of the name; of the reason, where there is one */
    describe_section at;
    bool init;
    struct {
        size_t indent;
        ff_bytes name;
    } levels[DESCRIBE_LEVELS];
    unsigned depth;
    k8s_container *containers;
    uint32_t n_containers;
    describe_mount mounts[DESCRIBE_CONTAINERS];
    uint32_t n_mounts;
    describe_volume volumes[DESCRIBE_CONTAINERS];
    uint32_t n_volumes;
} describe;

ff_who describe_who(const describe *d); /* the object that is open */
/* Gives the facts of the open object, if one is, and forgets it. */
void describe_end(describe *d);

#endif
