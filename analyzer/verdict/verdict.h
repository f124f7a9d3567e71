/* Findings -> incidents, coverage, identity. Compares no cause names: what leads to what is data in the causes. */
#ifndef FF_VERDICT_H
#define FF_VERDICT_H

#include "../engine/engine.h"

typedef struct ff_join {                         /* two names of one thing, and the signal that says so */
    ff_bytes left_kind, left, right_kind, right; /* "rank" "4" = "pid" "gpu-a01/41234" */
    uint32_t signal;                             /* ref; FF_NONE when inferred */
    ff_bytes rests_on;                           /* for people */
    ff_confidence confidence; /* certain: one record says both; likely: inferred; possible: another contradicts it */
    bool conflict;            /* contradicts another join */
} ff_join;

typedef struct ff_identity {
    ff_join *joins;
    uint32_t n_joins;
} ff_identity;

typedef struct ff_link {
    uint32_t finding;
    ff_role role;
    ff_bytes because;
    bool proven; /* the clocks prove the order; otherwise it is only possible */
    uint32_t by; /* finding that explains it; FF_NONE for the root */
} ff_link;

/* Why a link that a cause declares does not hold. NOT: it holds. */
typedef enum ff_refusal {
    FF_REFUSED_NOT,
    FF_REFUSED_PLACE,    /* not at the place that they must share */
    FF_REFUSED_JOB,      /* of two jobs, and it ends with the job */
    FF_REFUSED_ORDER,    /* the effect is proven older than every sign of the cause */
    FF_REFUSED_DELAY,    /* further apart than the cause takes */
    FF_REFUSED_ATTEMPT,  /* the job was started anew between them */
    FF_REFUSED_RUN,      /* an earlier run wrote of the effect */
    FF_REFUSED_OPPOSITE, /* the other way round is named by a rule, or proven */
    FF_REFUSED_CIRCLE    /* part of a circle, which is cut at its earliest */
} ff_refusal;
const char *ff_refusal_name(
    ff_refusal r); /* "place", "job", "order", "delay", "attempt", "run", "opposite", "circle" */

typedef struct ff_refused { /* a link that was considered and does not hold */
    uint32_t by, finding;   /* the cause that it would have had, and the effect */
    ff_refusal why;
    ff_bytes because;
    uint32_t left, right; /* signals that show it, of the cause and of the effect; FF_NONE where there is none */
} ff_refused;

typedef struct ff_ruling { /* ruled out, or not */
    uint32_t *causes;
    uint32_t n_causes;
    ff_bytes *by; /* sources with their time span, or what is missing */
    uint32_t n_by;
    ff_bytes text;
} ff_ruling;

typedef struct ff_ask {
    ff_bytes host, command, why;
    bool has_span;
    int64_t from_utc, to_utc;
} ff_ask;

typedef struct ff_suspects {
    ff_bytes *hosts, *gpus, *pods, *processes;
    int32_t *ranks;
    uint32_t n_hosts, n_gpus, n_pods, n_processes, n_ranks;
} ff_suspects;

/* What the job is shown to have done when all of an incident was over. BEGAN: the only output of a job that there is
 * begins more than a day later, and shows no failure. RAN: it ran, or came to a good end. */
typedef enum ff_after { FF_AFTER_NOTHING, FF_AFTER_BEGAN, FF_AFTER_RAN } ff_after;

typedef struct ff_incident {
    uint32_t id;    /* printed as I1, I2, ... */
    uint32_t root;  /* finding */
    ff_link *chain; /* root first, then in time order */
    uint32_t n_chain;
    ff_refused *refused; /* to the root and from it: what it was not told by, and what it does not explain */
    uint32_t n_refused, n_refused_all; /* kept, and counted */
    ff_confidence confidence;
    ff_bytes confidence_why;
    bool has_time;
    int64_t began_utc, ended_utc, err_ns;
    uint32_t began_signal; /* earliest evidence of the root */
    uint32_t first_sign;   /* the same, or a symptom of the root that is proven older */
    uint32_t *other_roots; /* findings that compete with the root */
    uint32_t n_other_roots;
    ff_bytes fault_class; /* what it did to the job; empty: n/a */
    const char *behind;   /* why it is not the verdict's; NULL: it is */
    ff_after after;       /* what the job did when all of it was over */
    ff_bytes decide;      /* what would decide between them; may be empty */
    ff_suspects suspects;
    ff_ruling *ruled_out, *not_ruled_out;
    uint32_t n_ruled_out, n_not_ruled_out;
    ff_ask *asks;
    uint32_t n_asks;
} ff_incident;

typedef struct ff_contradiction {
    ff_bytes text;
    uint32_t left, right; /* signal refs */
} ff_contradiction;

typedef struct ff_moment { /* a point of the time line */
    uint32_t signal;       /* ref */
    uint32_t finding;      /* or FF_NONE */
    ff_bytes text;
} ff_moment;

typedef struct ff_setting { /* a version or a variable, as one place said it */
    ff_bytes name, value, host;
    int32_t rank;
    uint32_t signal;
    bool differs; /* another rank or host has another value */
} ff_setting;

typedef struct ff_verdict {
    uint32_t cause; /* index into causes */
    ff_confidence confidence;
    ff_bytes confidence_why, summary, fault_class;
    uint32_t incident; /* FF_NONE for healthy and unknown without one */
    uint32_t shown_by; /* without an incident: the finding, an effect, that shows the failure; else FF_NONE */
    ff_bytes *ceiling;
    uint32_t n_ceiling;
} ff_verdict;

typedef struct ff_report { /* the finished report: writers decide nothing */
    const ff_evidence *evidence;
    const ff_clocks *clocks;
    const ff_rulebook *rules;
    ff_finding *findings;
    uint32_t n_findings;
    ff_incident *incidents;
    uint32_t n_incidents;
    ff_identity identity;
    ff_contradiction *contradictions;
    uint32_t n_contradictions;
    ff_moment *timeline;
    uint32_t n_timeline;
    ff_setting *versions;
    uint32_t n_versions;
    ff_setting *variables;
    uint32_t n_variables;
    const struct ff_not_judged *not_judged;
    uint32_t n_not_judged;
    ff_verdict verdict;
} ff_report;

/* Moves the times of hosts whose clock others show to be wrong, and says so in the clocks. Before anything that keeps
 * numbers of signals: they change. */
void ff_skew_correct(ff_evidence *evidence, ff_clocks *clocks, const ff_rulebook *rules, ff_arena *arena);
/* Completes who of every signal from the others: pid -> rank, container -> pod, PCI address -> GPU ... */
ff_identity ff_identify(ff_evidence *evidence, ff_arena *arena);
/* Hosts with the streams of their members, made once when identity has named the members' hosts. */
typedef struct ff_source_host {
    ff_bytes host; /* short name */
    uint32_t streams;
} ff_source_host;
typedef struct ff_sources {
    ff_source_host *at;     /* by name */
    uint32_t n, all, loose; /* streams of all members, and of those without a host */
} ff_sources;
ff_sources ff_sources_index(const ff_evidence *e, ff_arena *arena);
/* Does the bundle hold a readable source of any of these streams for this host (empty: any host)? */
bool ff_sources_present(const void *sources, ff_bytes host, uint32_t streams);
/* Everything from findings to the finished report. */
ff_report ff_conclude(const ff_evidence *evidence, const ff_clocks *clocks, const ff_rulebook *rules,
                      ff_judged judged, ff_identity identity, ff_arena *arena);

#endif
