/* The nouns. Plain data without methods; lists are arrays with a count, links between tables are indexes. */
#ifndef FF_MODEL_H
#define FF_MODEL_H

#include "base/bytes.h"

/* ---- what kind of thing a line belongs to; a mask, since a job's output may carry any of them ---- */
typedef enum ff_stream {
    FF_STREAM_KERNEL = 1 << 0,  /* kernel log, through whatever frame */
    FF_STREAM_NCCL = 1 << 1,    /* NCCL and RCCL log lines, RAS */
    FF_STREAM_APP = 1 << 2,     /* the job's own output: PyTorch, TensorFlow, launchers, tracebacks */
    FF_STREAM_K8S = 1 << 3,     /* kubelet, API objects, events, device plugins */
    FF_STREAM_RUNTIME = 1 << 4, /* containerd, CRI-O, docker */
    FF_STREAM_SLURM = 1 << 5,
    FF_STREAM_GPU = 1 << 6,     /* nvidia-smi, DCGM, fabric manager, IMEX */
    FF_STREAM_NET = 1 << 7,     /* ibstat, ip, ethtool, ss, rdma */
    FF_STREAM_HOST = 1 << 8,    /* df, free, meminfo, cgroup files, ulimit, lspci, systemd units */
    FF_STREAM_RECORDER = 1 << 9 /* Flight Recorder dumps */
} ff_stream;
#define FF_STREAMS 10
/* What the processes of a job write themselves: inside their containers, and each from its own rank's view. */
#define FF_JOB_OUTPUT ((uint32_t)(FF_STREAM_APP | FF_STREAM_NCCL | FF_STREAM_RECORDER))
#define FF_STREAM_ANY ((1u << FF_STREAMS) - 1)
/* "kernel", "nccl", "app", "k8s", "runtime", "slurm", "gpu", "net", "host", "recorder"; i: bit number. */
const char *ff_stream_name(unsigned i);
bool ff_stream_from_name(ff_bytes name, uint32_t *mask); /* also "any" */

/* ---- time as the text says it ---- */
typedef enum ff_stamp_kind {
    FF_STAMP_NONE = 0,
    FF_STAMP_UTC,        /* absolute: ns since 1970 */
    FF_STAMP_SINCE_BOOT, /* ns since boot of a host */
    FF_STAMP_LOCAL,      /* date and time, no zone: ns since 1970 as if it were UTC */
    FF_STAMP_NO_YEAR     /* date without year and zone: ns since 1972-01-01 as if UTC (a leap year) */
} ff_stamp_kind;

typedef struct ff_stamp {
    ff_stamp_kind kind;
    int64_t ns;       /* what the text says, nothing inferred */
    int64_t grain_ns; /* the true instant lies in [ns, ns + grain_ns) */
} ff_stamp;

/* ---- who said it, or whom it is about; empty or FF_NO_NUMBER where the evidence does not say ---- */
typedef struct ff_who {
    ff_bytes host, boot, unit; /* unit: service or program: kernel, kubelet, containerd */
    ff_bytes pod;              /* namespace/name */
    ff_bytes pod_uid;          /* with dashes */
    ff_bytes container;        /* 64 hex digits, no scheme */
    ff_bytes cgroup;           /* path as the kernel names it */
    ff_bytes gpu;              /* PCI address dddd:bb:dd, lower case, without function */
    ff_bytes gpu_uuid;
    ff_bytes process;          /* command name */
    ff_bytes job;              /* where the bundle holds several: "slurm 5001", "pods train/ctr-big" */
    int32_t pid, rank, local_rank, gpu_index;
    int32_t device;            /* of the speaking thread, as CUDA counts what its process may see */
} ff_who;
#define FF_WHO_NOBODY                                                                                                 \
    ((ff_who){ .pid = FF_NO_NUMBER, .rank = FF_NO_NUMBER, .local_rank = FF_NO_NUMBER, .gpu_index = FF_NO_NUMBER, .device = FF_NO_NUMBER })

/* ---- one file of the bundle ---- */
typedef struct ff_skip { /* what of a member could not be used, by reason */
    const char *reason; /* constant */
    uint32_t count, first_line;
} ff_skip;
#define FF_SKIP_KINDS 8

typedef struct ff_member {
    ff_bytes name;         /* "logs.tar.gz!n07/dmesg", as found; cleaned only when printed */
    uint32_t input;        /* index into evidence.inputs */
    uint32_t id;           /* index of this member, in name order once the bundle is read */
    int64_t mtime_s;       /* from the archive or the file system; 0 = not known */
    uint64_t bytes, lines; /* lines: 0 for documents that are not line based */
    uint64_t print_low, print_high; /* content print */
    const char *parser;    /* name of the parser that took it; NULL = not read */
    const char *unread;    /* NULL, or why it was not read (constant): "binary", "empty", "not a regular file" ... */
    uint32_t streams;      /* streams seen in it or that it stands for */
    bool document;         /* read whole */
    bool truncated;        /* the end is missing (cut archive, cap) */
    bool collected;        /* output of a command taken at collection time: its content has no time of its own */
    ff_who who;            /* what holds for the whole member: host of its folder, rank of its name */
    ff_bytes host_why;     /* on what who.host rests; empty when there is none */
    ff_skip skips[FF_SKIP_KINDS];
    uint32_t n_skips;
    uint32_t events, signals;
    /* time coverage, filled by clock: */
    ff_stamp first_said, last_said;
    uint32_t clock;        /* of said stamps; FF_NONE when there were none */
    bool has_utc;
    int64_t first_utc, last_utc, utc_err;
    int64_t gap_ns;        /* longest silence between two sampled stamps */
} ff_member;

typedef struct ff_record { /* where something stands; line from 1, offset and length in bytes of the member */
    uint32_t member, line, length;
    uint64_t offset;
} ff_record;

/* ---- typed captures ---- */
typedef enum ff_field_type {
    FF_FIELD_TEXT, FF_FIELD_INT, FF_FIELD_HEX, FF_FIELD_FLOAT,
    /* these also fill the signal's who, and two of them in one signal are a join for identity: */
    FF_FIELD_PCI, FF_FIELD_PID, FF_FIELD_RANK, FF_FIELD_LOCAL_RANK, FF_FIELD_GPU, FF_FIELD_UUID, FF_FIELD_HOST,
    FF_FIELD_POD, FF_FIELD_POD_UID, FF_FIELD_CONTAINER, FF_FIELD_CGROUP, FF_FIELD_PROCESS
} ff_field_type;
#define FF_FIELD_TYPES 16
const char *ff_field_type_name(ff_field_type t); /* "text", "int", "hex", "float", "pci", "pid", ... */

typedef struct ff_field {
    ff_bytes name;
    ff_field_type type;
    bool is_float; /* value is f */
    int64_t i;     /* INT, HEX, PID, RANK, LOCAL_RANK, GPU */
    double f;      /* FLOAT */
    ff_bytes s;    /* every type: the text; PCI normalised to dddd:bb:dd, HEX as written */
} ff_field;

/* ---- one thing that one source said, recognised ---- */
typedef struct ff_context { /* quoted neighbours, oldest first */
    ff_bytes before[FF_CONTEXT_LINES], after[FF_CONTEXT_LINES];
    uint8_t n_before, n_after;
} ff_context;

typedef struct ff_signal {
    uint32_t ref;        /* own index, in time order once clocks are resolved */
    uint32_t kind;       /* index into rulebook kinds: a fact of a parser, or a signature */
    uint32_t stream;     /* one bit, or a mask where the frame could not tell */
    ff_record at;
    ff_bytes quote;      /* the line as it stands in the member, cut at FF_CAP_EVIDENCE_TEXT */
    ff_stamp said, also; /* also: a second time in the same record, an anchor */
    ff_who who;
    ff_field *fields;
    uint32_t n_fields;
    uint32_t count;      /* 1, or how many equal ones this stands for */
    ff_record last_at;   /* of those */
    ff_stamp last_said;
    ff_context *context; /* may be NULL */
    /* filled by clock: */
    uint32_t clock;      /* FF_NONE: no time at all */
    bool has_utc;
    int64_t utc, utc_err; /* instant in [utc - utc_err, utc + utc_err] */
    int64_t last_utc;
    uint32_t frame;       /* clocks that anchors tie together share a frame: 1 = UTC, 2 and up = not tied to UTC, 0 = none */
    int64_t at_ns, at_err; /* instant on that frame's scale, with its bound; in frame 1 the same as utc and utc_err */
    int64_t wall_ns;       /* date and time on a wall of unknown zone, as if UTC; 0 = has none, or has UTC */
    bool unordered;       /* line order in its member is no time order: a document, or command output */
} ff_signal;

/* A field by name: NULL, the empty view, or the value given, where the signal has none of that name. */
const ff_field *ff_signal_field(const ff_signal *s, const char *name);
ff_bytes ff_signal_text(const ff_signal *s, const char *name);
int64_t ff_signal_int(const ff_signal *s, const char *name, int64_t otherwise);
double ff_signal_number(const ff_signal *s, const char *name, double otherwise); /* whatever its type */

typedef struct ff_sample { /* a stamp that was read for clocks and coverage, no signal */
    uint32_t member, line;
    ff_stamp said, also;
    ff_bytes host, boot;
    bool collected;      /* when its machine was looked at, which dates nothing else in the member */
} ff_sample;

typedef struct ff_input {
    ff_bytes name;   /* base name without archive suffixes, or the one folder that holds everything in it */
    ff_bytes file;   /* base name as given: a hint, never printed */
    uint8_t sha256[32]; /* of the manifest: every member's name, size and content print, in name order */
    uint64_t bytes;  /* unpacked */
    uint32_t members;
    bool truncated;
    const char *unopened; /* why it could not be opened, beside others that could; else NULL */
    ff_bytes *notes;
    uint32_t n_notes;
} ff_input;

typedef struct ff_limit { /* a cap that was reached */
    const char *cap;  /* "line length", "members", ... */
    ff_bytes where;   /* member name or input, may be empty */
    uint64_t count;
} ff_limit;

/* Everything that was read: what intake gives to the rest. */
typedef struct ff_evidence {
    ff_input *inputs;
    ff_member *members;
    ff_signal *signals;
    ff_sample *samples;
    ff_limit *limits;
    uint32_t n_inputs, n_members, n_signals, n_samples, n_limits;
    struct ff_dump_table *dumps; /* Flight Recorder dumps by rank, parsers/recorder.h; may be NULL */
} ff_evidence;

/* ---- clocks ---- */
typedef struct ff_clock {
    ff_stamp_kind kind;
    ff_bytes host, boot;
    uint32_t member;      /* FF_NONE: shared by several members */
    bool anchored;
    int64_t offset_ns;    /* UTC = said.ns + offset_ns */
    int64_t err_ns;       /* besides the stamp's own grain */
    uint32_t n_anchors;
    ff_bytes why;         /* "312 lines carry both times", "file date names the year", or why it is not anchored */
} ff_clock;

typedef struct ff_clock_pair { /* what two hosts both saw: clock of b - clock of a lies between low and high */
    ff_bytes a, b;        /* short names; a empty: true time, as b's time service says */
    int64_t low_ns, high_ns;
    uint32_t n;           /* how often they met */
    ff_record left, right;
} ff_clock_pair;

typedef struct ff_clocks {
    ff_clock *at;
    uint32_t n;
    ff_clock_pair *pairs;
    uint32_t n_pairs;
} ff_clocks;

/* How two signals stand in time. Unknown where the bounds do not allow more. */
typedef enum ff_order { FF_ORDER_UNKNOWN = 0, FF_ORDER_BEFORE, FF_ORDER_SAME, FF_ORDER_AFTER } ff_order;

/* ---- judgement ---- */
typedef enum ff_confidence { FF_POSSIBLE = 1, FF_LIKELY, FF_CERTAIN } ff_confidence;
typedef enum ff_severity { FF_SEV_NOTE = 0, FF_SEV_WARNING, FF_SEV_ERROR, FF_SEV_CRITICAL } ff_severity;
typedef enum ff_scope {
    FF_SCOPE_GPU, FF_SCOPE_RANK, FF_SCOPE_PROCESS, FF_SCOPE_CONTAINER, FF_SCOPE_HOST, FF_SCOPE_JOB
} ff_scope;
const char *ff_confidence_name(ff_confidence c);
const char *ff_severity_name(ff_severity s);
const char *ff_scope_name(ff_scope s);
bool ff_confidence_from_name(ff_bytes name, ff_confidence *out);
bool ff_severity_from_name(ff_bytes name, ff_severity *out);
bool ff_scope_from_name(ff_bytes name, ff_scope *out);

typedef struct ff_finding {
    uint32_t id;            /* own index; printed as F1, F2, ... (id + 1) */
    ff_bytes rule;          /* correlation or signature id */
    uint32_t cause;         /* index into rulebook causes */
    ff_severity severity;   /* NOTE never becomes a root */
    ff_confidence confidence;
    ff_bytes confidence_why;
    ff_scope scope;
    ff_who who;
    int32_t *ranks;         /* ranks it is about, ascending; NULL: not said */
    uint32_t n_ranks;
    ff_bytes *hosts;        /* hosts that it accuses, instead of those of its lines; none: of n_hosts 0; NULL: not said */
    uint32_t n_hosts;
    uint32_t *evidence;     /* signal refs, time order */
    uint32_t n_evidence;
    uint32_t *symptoms;     /* signal refs that this explains */
    uint32_t n_symptoms;
    ff_bytes summary;       /* one sentence with the numbers that matter */
    ff_field *facts;        /* named values for the report */
    uint32_t n_facts;
    uint32_t count;         /* occurrences that it stands for */
    bool echo;              /* can only be an effect: it explains nothing, and is never a root */
    ff_bytes fault_class;   /* what this case of the cause is, where the rule knows better than the cause; may be empty */
    int64_t lag_ns;         /* its evidence may come this long after it began: a watchdog, a step's end, a status */
    int64_t lead_ns;        /* its evidence may stand this long before it began: the last sign of who is missing */
} ff_finding;

/* It says that no rank can be accused: nor is it who speaks in its evidence. */
static inline bool ff_finding_names_nobody(const ff_finding *f)
{
    return f->ranks && !f->n_ranks && f->scope == FF_SCOPE_JOB;
}

typedef enum ff_role { FF_ROLE_ROOT, FF_ROLE_CONTRIBUTING, FF_ROLE_SYMPTOM, FF_ROLE_VICTIM, FF_ROLE_TEARDOWN } ff_role;
const char *ff_role_name(ff_role r);

/* Are both called alike, but for numbers, as machines of one make are in a cluster ("gpu-a01" and "gpu-b07")? */
bool ff_hosts_alike(ff_bytes a, ff_bytes b);

#endif
