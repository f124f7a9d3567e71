/* Names of things and which of them mean the same: what join.c gives to identity.c. */
#ifndef FF_IDENTITY_PRIVATE_H
#define FF_IDENTITY_PRIVATE_H

#include "verdict_private.h"

typedef enum ff_name_kind {
    FF_NAME_NONE,
    FF_NAME_PID, /* of a host */
    FF_NAME_RANK,
    FF_NAME_LOCAL_RANK, /* of a host */
    FF_NAME_GPU,        /* PCI address, of a host */
    FF_NAME_UUID,
    FF_NAME_GPU_INDEX,  /* as nvidia-smi counts on a host */
    FF_NAME_CUDA_INDEX, /* as a process counts what it was given */
    FF_NAME_DEVICE,     /* the same, of one process: threads of one process may each be a rank */
    FF_NAME_CONTAINER,
    FF_NAME_POD,
    FF_NAME_POD_UID,
    FF_NAME_CGROUP,
    FF_NAME_HOST,
    FF_NAME_PROCESS,
    /* Shown, and not used to complete anything: */
    FF_NAME_NVML,    /* as NVML counts what a process's container may see */
    FF_NAME_ADDRESS, /* an IP address that NCCL says it uses */
    FF_NAME_ADAPTER, /* an RDMA device and port of a host */
    FF_NAME_JOB,     /* where the bundle holds several */
    FF_NAME_STEP,    /* of a Slurm job: "5001.0" */
    FF_NAME_BOOT,
    FF_NAME_GROUP,        /* of PyTorch: "0 (default_pg)" */
    FF_NAME_COMMUNICATOR, /* NCCL's commId */
    FF_NAME_SEAT,         /* a rank of one communicator */
    FF_NAME_KINDS
} ff_name_kind;

typedef struct ff_name {
    ff_name_kind kind;
    int32_t number;
    int32_t of;     /* pid, of a device; else 0 */
    ff_bytes scope; /* host, where the name means something only there */
    ff_bytes text;
} ff_name;

typedef struct ff_pair { /* two names that stand in one record */
    ff_name left, right;
    uint32_t signal; /* the earliest; FF_NONE: said by a member's name */
    uint32_t member;
    int64_t weight; /* ranks of the communicator that the rank counts in; INT32_MAX: of the job */
    ff_bytes communicator;
    int32_t device; /* of the thread that spoke; FF_NO_NUMBER */
    bool inferred;  /* not of one record: from what stands alone in its log */
    ff_bytes why;   /* what it rests on, before the place; empty: the usual words */
    bool disputed;  /* a surer record says otherwise: shown as a conflict with that, and not used */
    bool conflict, unused;
} ff_pair;

typedef struct ff_person { /* whose names are looked at */
    const ff_who *who;
    uint32_t stream;
    ff_bytes pid_scope;     /* where its pid counts: a host, a pod or a container */
    ff_bytes address, step; /* empty: not said */
    int32_t nvml;           /* FF_NO_NUMBER: not said */
} ff_person;
/* A name of that kind; kind NONE where it does not have one. */
ff_name ff_name_of(const ff_person *p, ff_name_kind kind);
int ff_name_compare(const ff_name *a, const ff_name *b);

typedef struct ff_half { /* one direction of a pair */
    const ff_name *from, *to;
    const ff_pair *pair;
} ff_half;

typedef struct ff_pairs {
    FF_VEC(ff_pair) all;
    FF_VEC(ff_pair) more; /* added since the look-up was built */
    uint32_t *slots;      /* hash table: number + 1 */
    uint32_t n_slots;
    ff_half *halves; /* sorted by from, kind of to, to */
    uint32_t n_halves;
    uint32_t *runs;  /* hash table: where the halves of one name and one kind begin, + 1 */
    uint32_t n_runs; /* a power of two */
} ff_pairs;

void ff_pairs_init(ff_pairs *p);
void ff_pairs_done(ff_pairs *p);
/* Adds every pair of names of one record. pod_is_here: its host is the one on which the pod runs. */
void ff_pairs_add(ff_pairs *p, const ff_person *who, bool pod_is_here, const ff_pair *proto);
/* Adds a pair as it is. */
void ff_pairs_add_one(ff_pairs *p, const ff_pair *pair);
/* Adds that the process of this person is that rank. */
void ff_pairs_add_rank(ff_pairs *p, const ff_person *who, int32_t rank, const ff_pair *proto);
/* Adds the devices and ports that NCCL lists: "[0]mlx5_0:1/IB [1]mlx5_1:1/IB". */
void ff_pairs_add_adapters(ff_pairs *p, const ff_person *who, ff_bytes list, const ff_pair *proto);
/* Adds that the node's process pid is the one that the space (a pod, a container) counts as inner. */
void ff_pairs_add_same(ff_pairs *p, ff_bytes host, int32_t pid, ff_bytes space, int32_t inner, const ff_pair *proto);
/* Marks what conflicts and builds the look-up, which stands until the next call: what is added then, is looked up by
 * that only. */
void ff_pairs_settle(ff_pairs *p);
/* The one thing of that kind that `from` is joined with; NULL when there is none, or more than one. */
const ff_name *ff_pairs_find(const ff_pairs *p, const ff_name *from, ff_name_kind kind);
/* For the report: sorted, capped. */
ff_identity ff_pairs_joins(const ff_pairs *p, const ff_evidence *e, ff_arena *arena);

/* ---- which nodes Slurm gave to which job (job_nodes.c) ---- */
typedef struct ff_given_node {
    ff_bytes host, job; /* short name; "slurm 88", empty: to which is not said */
} ff_given_node;
typedef struct ff_job_nodes {
    FF_VEC(ff_given_node) given;
    FF_VEC(ff_bytes) makes; /* one host of each kind of name among them, see ff_hosts_alike */
    ff_set listed;          /* jobs whose list of nodes is known */
    bool more;              /* a list was cut: who is on none may be on that */
} ff_job_nodes;
extern const ff_bytes ff_job_elsewhere; /* what a host is called that no job of the bundle was given */
void ff_job_nodes_read(ff_job_nodes *n, const ff_evidence *e, ff_arena *arena);
/* A whole list that was given to a job; job: "slurm 88", or empty where it is not said to which. */
void ff_job_nodes_list(ff_job_nodes *n, ff_bytes nodes, ff_bytes job, ff_arena *arena);
void ff_job_nodes_add(ff_job_nodes *n, ff_bytes host,
                      ff_bytes job);       /* the job's own output names it; job may be empty */
void ff_job_nodes_settle(ff_job_nodes *n); /* call before find */
/* The only job that was given the host, ff_job_elsewhere, or empty: several were, or it cannot be said. */
ff_bytes ff_job_nodes_find(const ff_job_nodes *n, ff_bytes host);
ff_bytes ff_job_nodes_of_line(const ff_job_nodes *n, const ff_signal *s, ff_arena *arena);
void ff_job_nodes_done(ff_job_nodes *n);

/* Fills who.job where the bundle holds several jobs, or machines that no job was given (jobs.c). */
void ff_jobs_find(ff_evidence *e, ff_arena *arena);

/* Names the hosts that are only called by an address which one host of the bundle has (addresses.c). */
void ff_addresses_move(ff_evidence *e, ff_arena *arena);

/* Takes the rank off the lines that name a task of Slurm, in jobs whose tasks are shown to be no ranks (tasks.c). */
void ff_tasks_check(ff_evidence *e);

/* ---- spaces of process numbers (spaces.c) ---- */
/* Where the pid of each signal counts, to be freed: in its pod or container for the job's own output out of one, else
 * on its host. Before anything is completed: only what a line itself says of its container counts. */
ff_bytes *ff_spaces_of_pids(const ff_evidence *e, ff_arena *arena);
/* Adds which number of a node is which number of a container. When hosts, pods and containers are completed. */
void ff_spaces_join(ff_pairs *p, const ff_evidence *e, const ff_bytes *scopes);
/* Adds which process that the kernel killed is which that a launcher or scheduler saw end (deaths.c). After it. */
void ff_deaths_join(ff_pairs *p, const ff_evidence *e, const ff_bytes *scopes, ff_arena *arena);

/* Adds which ranks torchrun's agents start on their nodes (agents.c). */
void ff_agents_join(ff_pairs *p, const ff_evidence *e);
/* Adds which GPU a rank, process or device of CUDA is by the lists that a job prints (devices.c). After completion.
 */
void ff_devices_join(ff_pairs *p, const ff_evidence *e, const ff_bytes *scopes, ff_arena *arena);

/* Adds who has which rank of which communicator, and which group of PyTorch that is (communicators.c). At the end. */
void ff_communicators_join(ff_pairs *p, const ff_evidence *e, const ff_bytes *scopes, ff_arena *arena);

/* ---- one record (record.c) ---- */
/* Fills names that others contain: container and pod UID of a cgroup's path, PCI address of NCCL's bus id. */
void ff_record_read(ff_signal *s, ff_arena *arena);
/* The names of the record that mean one thing, without those of somebody else that it speaks about. */
ff_who ff_record_who(const ff_signal *s);
bool ff_record_shows_node(const ff_signal *s); /* is its host the node on which its pod runs? */
/* The person of a record, whose names are who's: see ff_record_who. */
ff_person ff_record_person(const ff_signal *s, const ff_who *who, ff_bytes pid_scope, ff_arena *arena);
ff_bytes ff_record_own_address(const ff_signal *s); /* an IP address of its host; empty */
ff_bytes ff_record_adapters(const ff_signal *s); /* NCCL's own list; empty */
ff_bytes ff_record_communicator(const ff_signal *s);
int64_t ff_record_widest(const ff_evidence *e); /* ranks of the widest communicator of NCCL; 0: there is none */

#endif
