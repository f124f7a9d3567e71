/* A cause as rules/causes.lua declares it: what it is called, what it can bring about, what would show it, what to
 * do. */
#ifndef FF_CAUSE_H
#define FF_CAUSE_H

#include "model.h"

/* Which pairs of findings an edge may join: both must agree on this, where both say it. */
typedef enum ff_same {
    FF_SAME_JOB,
    FF_SAME_HOST,
    FF_SAME_CGROUP,
    FF_SAME_PROCESS,
    FF_SAME_RANK,
    FF_SAME_GPU,
    FF_SAME_OTHER_RANK
} ff_same;

typedef struct ff_leads_to {
    ff_bytes cause; /* id, or a class with a star: "comm.*" */
    ff_same same;
    int64_t within_ns; /* the effect begins at most this long after the cause */
    ff_role role;      /* SYMPTOM, VICTIM or TEARDOWN: what the effect is in the chain */
} ff_leads_to;

extern const char *const ff_request_names[]; /* ends with NULL */

typedef struct ff_request {
    uint32_t stream;  /* the source that is missing */
    ff_bytes command; /* {name} is filled in for each of ff_request_names */
    ff_bytes why;
} ff_request;

typedef struct ff_cause {
    ff_bytes id;
    ff_bytes fault_class; /* init, desync, stall, slow, lost; empty = n/a */
    ff_bytes title;       /* for people: "container memory limit reached" */
    bool compares; /* found by comparing ranks: all that it names are odd. Else the first to fail is the suspect */
    bool varied;   /* a name for many things: two attempts have the same only if they say the same */
    ff_severity severity; /* what a finding of it has unless the rule says otherwise */
    uint32_t rank;        /* how deep in the stack it lies: lower explains higher when nothing else decides. 0..99 */
    ff_leads_to *leads_to;
    uint32_t n_leads_to;
    uint32_t settled_by; /* streams that would show it: without them it is never ruled out. 0 = cannot be ruled out */
    uint32_t presumes;   /* streams that must be there and say nothing deeper: without them it is only possible */
    ff_bytes ruled_out;  /* sentence for the ruled-out list: "no Xid, no lost GPU" ; empty = title is used */
    ff_request *requests;
    uint32_t n_requests;
    ff_bytes *act, *verify, *avoid, *save;
    uint32_t n_act, n_verify, n_avoid, n_save;
    ff_bytes recovery; /* request, instance, process group, node, cluster */
} ff_cause;

#endif
