/* What the files of this stage share. Findings of one cause at one place and time form a group; edges join groups;
 * what nobody explains is a root, and each root with what hangs on it is an incident. */
#ifndef FF_VERDICT_PRIVATE_H
#define FF_VERDICT_PRIVATE_H

#include "../base/text.h"
#include "../clock/clock.h"
#include "verdict.h"

#define FF_SHOW(b) (int)(b).n, (b).p ? (b).p : "" /* for "%.*s" */
#define FF_SECONDS(n) ((int64_t)(n)*INT64_C(1000000000))
#define FF_MINUTES(n) FF_SECONDS((n)*60)
#define FF_HOURS(n) FF_MINUTES((n)*60)

#define FF_CAP_JOINS 20000u    /* joins in a report */
#define FF_CAP_GROUPS 1024u    /* groups that are linked: every pair of them is looked at */
#define FF_CAP_INCIDENTS 256u  /* incidents in a report; findings beyond stay findings */
#define FF_CAP_DETAILED 16u    /* incidents that get rulings and requests: the first ones are read */
#define FF_CAP_MOMENTS 5000u   /* points of the time line */
#define FF_CAP_SETTINGS 10000u /* versions, and variables */
#define FF_CAP_ASKS 8u
#define FF_CAP_REFUSED 16u   /* links of one incident that were considered and refused */
#define FF_CAP_SUSPECTS 64u  /* of one sort; more is no suspicion */
#define FF_CAP_NUMBERS 4096u /* ranks of one finding */

typedef FF_VEC(uint32_t) ff_numbers;
typedef FF_VEC(ff_bytes) ff_texts;

/* ---- small sets (set.c): sorted, each item once, capped; `more` says that something did not fit ---- */
typedef struct ff_set { /* of texts */
    ff_bytes *at;
    uint32_t n, cap;
    bool more;
} ff_set;
typedef struct ff_number_set { /* of ranks or process ids; never FF_NO_NUMBER */
    int32_t *at;
    uint32_t n, cap;
    bool more;
} ff_number_set;
void ff_set_add(ff_set *s, ff_bytes item, ff_arena *arena); /* an empty item is not added */
bool ff_set_has(const ff_set *s, ff_bytes item);
void ff_number_set_add(ff_number_set *s, int32_t number, ff_arena *arena);
bool ff_number_set_has(const ff_number_set *s, int32_t number);
/* Name without its domain, as NCCL and most logs cut it; an IP address stays whole. */
ff_bytes ff_short_host(ff_bytes host);

/* ---- where findings are (place.c) ---- */
typedef enum ff_answer { FF_NO, FF_MAYBE, FF_YES } ff_answer;

typedef struct ff_place {
    ff_set hosts; /* short names */
    ff_set gpus, uuids, containers, pod_uids, pods, cgroups, jobs;
    ff_number_set pids;       /* as the node counts them */
    ff_number_set inner_pids; /* out of the job's own output: maybe numbers of a container's name space */
    bool contained;           /* those are: they are out of a pod or container that is known */
    ff_number_set ranks;
} ff_place;
/* Where the finding is: what it says itself, else what its evidence says. */
void ff_place_add(ff_place *p, const ff_evidence *e, const ff_identity *identity, const ff_finding *f,
                  ff_arena *arena);
/* Hosts that rank is said to run on, in short names. */
void ff_hosts_of_rank(const ff_identity *identity, ff_bytes job, int32_t rank, ff_set *hosts, ff_arena *arena);
/* Are they two jobs, as far as their names can be compared (jobs.c)? */
bool ff_jobs_differ(ff_bytes a, ff_bytes b);
bool ff_places_of_two_jobs(const ff_place *a, const ff_place *b);
/* Is host named, and none of those of the place, as far as it names any? */
bool ff_is_off_hosts(const ff_place *p, ff_bytes host);
/* Do both agree on this, as far as they say it? MAYBE: one of them does not say. */
ff_answer ff_place_same(const ff_place *a, const ff_place *b, ff_same same);

/* ---- when findings are (onset.c): of each clock the first and the last signal ---- */
#define FF_ONSET_CLOCKS 16
typedef struct ff_onset {
    uint32_t signs[FF_ONSET_CLOCKS];    /* earliest of evidence and symptoms, one a clock */
    uint32_t evidence[FF_ONSET_CLOCKS]; /* earliest of evidence */
    uint32_t latest[FF_ONSET_CLOCKS];   /* latest of evidence */
    uint32_t n_signs, n_evidence, n_latest;
    bool more_signs, more_evidence; /* on further clocks: nothing is proven about all of them */
    int64_t lag_ns;                 /* the longest that the report of any of its findings may come late */
    int64_t lead_ns; /* the longest that the evidence of any of its findings may stand before what it tells */
} ff_onset;
void ff_onset_add(ff_onset *o, const ff_evidence *e, const ff_finding *f);
/* Can what began with `effect` be brought about by `cause`? BEFORE: the cause came first, proven. AFTER: some
 * evidence of the effect is proven older than every sign of the cause. Otherwise UNKNOWN. */
ff_order ff_onset_order(const ff_evidence *e, const ff_onset *cause, const ff_onset *effect);
/* The effect's evidence that is proven older than every sign of the cause; FF_NONE: none is. */
uint32_t ff_onset_alibi(const ff_evidence *e, const ff_onset *cause, const ff_onset *effect);
typedef struct ff_nearest { /* where two onsets come nearest to each other */
    bool known;
    int64_t ns;
    uint32_t cause, effect; /* signals; FF_NONE when not known */
} ff_nearest;
ff_nearest ff_onset_nearest(const ff_evidence *e, const ff_onset *cause, const ff_onset *effect);
/* Least distance from any sign of the cause to the effect's first evidence; false: cannot be measured. */
bool ff_onset_gap(const ff_evidence *e, const ff_onset *cause, const ff_onset *effect, int64_t *ns);
/* Least distance between any two of their signals. */
bool ff_onset_apart(const ff_evidence *e, const ff_onset *a, const ff_onset *b, int64_t *ns);
/* The signal to call first: the lowest ref with a time, moved to others only where the clocks prove them earlier. */
uint32_t ff_onset_first(const ff_evidence *e, const ff_onset *o);
uint32_t ff_onset_first_evidence(const ff_evidence *e, const ff_onset *o);

/* ---- coverage (coverage.c) ---- */
typedef struct ff_covered { /* a member that could tell something */
    ff_bytes host;          /* short name */
    uint32_t member;
} ff_covered;
typedef struct ff_coverage {
    ff_covered *at; /* by host, then member */
    uint32_t n;
    bool many_hosts;
    ff_bytes only_host; /* the only host that anything names; empty when there are several, or none */
} ff_coverage;
typedef struct ff_when {     /* a moment: that of a signal, or of an incident whose first line carries no time */
    const ff_signal *signal; /* may be NULL */
    const bool *holds;       /* by member: it tells of the incident; may be NULL */
    bool has_utc;
    int64_t utc, err_ns;
} ff_when;
typedef enum ff_cover { FF_COVER_ABSENT, FF_COVER_CUT, FF_COVER_ELSEWHEN, FF_COVER_YES } ff_cover;
bool ff_was_anything_read(const ff_evidence *e);
ff_coverage ff_coverage_build(const ff_evidence *e, ff_arena *arena);
/* Does the bundle show this stream (one bit) of this host (empty: of any) at that moment (NULL: at any)? member: who
 * does, or who does not quite; FF_NONE for ABSENT. */
ff_cover ff_coverage_ask(const ff_coverage *c, const ff_evidence *e, ff_bytes host, uint32_t stream,
                         const ff_when *at, uint32_t *member);
ff_when ff_when_of(const ff_signal *s);
bool ff_is_job_stream(uint32_t stream);       /* not bound to a host: any member without a host may carry it */
const char *ff_stream_title(uint32_t stream); /* one bit: "kernel log" */
/* "dmesg-T.txt 2026-03-11T06:30:29Z to 2026-03-11T06:52:40Z" */
ff_bytes ff_member_span(const ff_evidence *e, uint32_t member, ff_arena *arena);
void ff_add_utc_seconds(ff_text *t, int64_t utc, bool for_command); /* RFC 3339, or "2026-03-11 06:30:29 UTC" */

/* ---- findings that tell of several times become several (split.c) ---- */
/* Takes out, in place, the finding of how the output ends where it is not needed. unknown, healthy: causes. */
void ff_drop_last_words(const ff_evidence *e, uint32_t unknown, uint32_t healthy, ff_judged *judged);
ff_judged ff_findings_split(const ff_evidence *e, const ff_rulebook *rules, ff_judged judged, ff_arena *arena);

/* ---- groups and edges (group.c, incident.c) ---- */
typedef struct ff_group { /* findings of one cause at one place and time */
    uint32_t cause;
    uint32_t *members; /* findings, earliest first */
    uint32_t n_members;
    ff_severity severity; /* the highest */
    ff_confidence confidence;
    bool echo;    /* its findings can only be effects */
    bool visible; /* seen in the job's own output or by its platform */
    ff_place place;
    ff_onset onset;
    uint32_t first;          /* signal that is called first */
    uint32_t first_evidence; /* the same among its evidence only */
} ff_group;

typedef struct ff_edge {
    uint32_t from, to; /* groups */
    ff_role role;
    ff_same same;
    bool proven, named; /* named: the rule itself lists the effect's signal as symptom */
    bool sure;          /* both sides say the scope, and it is the same */
    bool cut;           /* part of a circle, or contradicted by a stronger edge */
    bool has_gap;
    int64_t gap_ns;
    uint32_t signal; /* named: that signal */
} ff_edge;

typedef struct ff_case { /* what every file of the stage needs to know */
    const ff_evidence *evidence;
    const ff_clocks *clocks;
    const ff_rulebook *rules;
    const ff_identity *identity;
    ff_arena *arena;
    ff_finding *findings;
    uint32_t n_findings;
    uint32_t unknown, healthy; /* causes; FF_NONE when the rules have none */
    ff_coverage coverage;
    uint32_t asked;      /* streams that this job could have: see ff_streams_worth_asking */
    uint8_t *leads;      /* see ff_case_leads */
    uint32_t *lead_rows; /* of each cause */
    ff_group *groups;
    uint32_t n_groups;
    uint32_t *group_of; /* of each finding; FF_NONE for notes */
    ff_edge *edges;
    uint32_t n_edges;
    uint32_t *marks; /* signals about the course of the job, in order */
    uint32_t n_marks;
    bool has_starts;        /* some of them say that the job was started */
    struct ff_run_of *runs; /* by member: which run of its container or worker wrote it */
    bool has_runs;          /* some names tell another than 0 */
    struct ff_peer_seen *peers;
    struct ff_peer_named *peers_named; /* in the order of signals */
    uint32_t n_peers_named;
} ff_case;

const ff_cause *ff_case_cause(const ff_case *c, uint32_t cause);
const ff_signal *ff_case_signal(const ff_case *c, uint32_t ref);
ff_bytes ff_case_title(const ff_case *c, uint32_t cause);
/* Compiles leads_to into numbers. */
void ff_case_compile(ff_case *c);
void ff_case_find_marks(ff_case *c); /* conclude.c */
/* Can cause a bring about cause b? entry: index into leads_to to start at, moved to the entry found. */
bool ff_case_leads(const ff_case *c, uint32_t a, uint32_t b, uint32_t *entry);
void ff_group_findings(ff_case *c); /* group.c */
void ff_link_groups(ff_case *c);    /* link.c */
void ff_cut_circles(ff_case *c);    /* circle.c */
/* Does what the causes declare hold between these groups? e: the edge, as far as it was judged. PLACE also where
 * nothing is declared (link.c). */
ff_refusal ff_link_judge(const ff_case *c, uint32_t from, uint32_t to, ff_edge *e);

/* ---- incidents and what hangs on them ---- */
typedef struct ff_tree_of { /* a root with all that it explains, before anybody else lays claim to parts of it */
    uint32_t *roots;        /* groups: the root, then those of the same cause at the same time elsewhere */
    uint32_t n_roots;
    uint32_t *groups; /* with the roots, ascending */
    uint32_t n_groups;
    ff_onset onset;     /* of all groups */
    uint32_t failures;  /* groups that are failures */
    bool same_time;     /* as the visible failure; set by ff_trees_rank, as are the next */
    bool other_job;     /* of another job than the visible failure */
    bool other_attempt; /* not of its attempt */
    bool survived;      /* the job showed progress after its root's last sign */
    bool late;          /* began after the visible failure, and is not visible itself */
    uint32_t reach;     /* how narrowly and soon its roots reach a visible failure; lower is nearer */
    const char *behind; /* why it is not the verdict's; NULL: it is */
    bool preceded;      /* a rival at the same place that explains as much is proven earlier */
} ff_tree_of;
void ff_onset_merge(ff_onset *into, const ff_evidence *e, const ff_onset *from); /* onset.c */
void ff_trees_rank(const ff_case *c, ff_tree_of *trees, uint32_t n);             /* rank.c: the verdict's first */
bool ff_tree_shows_failure(const ff_case *c, const ff_tree_of *t); /* in the job's output, or by its platform */
void ff_incidents_build(ff_case *c, ff_report *r);                 /* incident.c */
ff_bytes ff_role_because(const ff_case *c, const ff_edge *e);      /* role.c */
const char *ff_same_name(ff_same same);                            /* role.c: "same host" */
/* owner: of each group, the tree that has it. */
void ff_refused_find(const ff_case *c, const ff_tree_of *t, const uint32_t *owner, uint32_t own,
                     ff_incident *in);             /* refused.c */
ff_role ff_role_below(ff_role above, ff_role own); /* role.c */
/* Another finding of the root's own cause: CONTRIBUTING, or what the cause says that it brings about of its kind. */
ff_role ff_role_again(const ff_case *c, uint32_t root, uint32_t other); /* role.c; findings */
/* ---- attempts of a restarted job (attempt.c, runs.c) ---- */
typedef struct ff_run_of {
    ff_bytes stem;  /* logs of one container or worker have the same */
    int32_t number; /* 0 where the name tells none */
} ff_run_of;
void ff_case_find_runs(ff_case *c);
/* Was b written by a later run of the container or worker that wrote a? */
bool ff_is_of_later_run(const ff_case *c, const ff_signal *a, const ff_signal *b);
/* Is every job of the place another than the one that wrote this? */
bool ff_is_of_other_job(const ff_place *p, const ff_signal *s);
bool ff_attempt_ends_between(const ff_case *c, const ff_onset *a, const ff_onset *b);
bool ff_attempts_differ(const ff_case *c, const ff_onset *a, const ff_onset *b); /* whichever was first */
bool ff_dies_with_attempt(ff_same same);
ff_mark ff_mark_of(const ff_case *c, uint32_t i); /* of c->marks[i] */
bool ff_was_survived(const ff_case *c, const ff_group *g);
/* What the job did when all of this tree was over; fault_class: of its incident (outlived.c). */
ff_after ff_what_came_after(const ff_case *c, const ff_tree_of *t, ff_bytes fault_class);
void ff_tell_recurrence(const ff_case *c, ff_incident *all, uint32_t n, uint32_t own);
void ff_rivals_find(const ff_case *c, ff_incident *in, const ff_tree_of *trees, uint32_t n,
                    uint32_t own);                                            /* rivals.c */
ff_bytes ff_class_find(const ff_case *c, const ff_incident *in);              /* class.c */
ff_suspects ff_suspects_find(const ff_case *c, const ff_incident *in);        /* suspects.c */
void ff_rulings_find(const ff_case *c, ff_incident *in);                      /* ruling.c */
void ff_asks_find(const ff_case *c, ff_incident *in);                         /* asks.c */
ff_when ff_incident_when(const ff_case *c, const ff_incident *in);            /* coverage.c */
void ff_weaken(const ff_case *c, ff_incident *in);                            /* ruling.c: see presumes */
void ff_ceiling_find(const ff_case *c, const ff_incident *in, ff_verdict *v); /* ruling.c */
void ff_timeline_build(const ff_case *c, ff_report *r);                       /* timeline.c */
void ff_environment_build(const ff_case *c, ff_report *r);                    /* environment.c */
void ff_contradictions_build(const ff_case *c, ff_report *r);                 /* contradiction.c */

/* What the bundle knows of this name (one of ff_request_names) about the incident, on this host; "<pid>" where it is
 * not known, or nothing that should be pasted into a shell (ask_names.c). */
ff_bytes ff_ask_name(const ff_case *c, const ff_incident *in, ff_bytes host, ff_bytes name);
/* Number of the Slurm job of that name ("slurm 5001"; empty: of the only one that the bundle tells of); may be empty
 * (jobs.c). */
ff_bytes ff_slurm_job(const ff_evidence *e, ff_bytes job, ff_arena *arena);

/* ---- what the bundle does not hold (absent.c) ---- */
/* "kernel log of n07 (cut or unreadable: ...)"; empty: it is there. */
ff_bytes ff_missing_text(const ff_case *c, ff_bytes host, uint32_t stream, const ff_when *at);
/* Without the streams of a scheduler that the job does not run under. */
uint32_t ff_streams_worth_asking(const ff_case *c, uint32_t streams);
/* "NCCL log of rank 1, 3": where ranks have files of their own, those that have none. Empty: all have. */
ff_bytes ff_ranks_missing(const ff_case *c, uint32_t stream);
/* Dumps without which nothing is settled by comparing dumps. Empty: all are there, or there is none. */
ff_bytes ff_dumps_missing(const ff_case *c);
ff_set ff_hosts_of_job(const ff_case *c); /* on which ranks are said to run */

#define FF_STREAMS_PRINTED ((uint32_t)(FF_STREAM_APP | FF_STREAM_NCCL)) /* by a process; a dump tells of one moment  \
                                                                         */
typedef struct ff_peer_seen {                                           /* a name that survivors give */
    ff_bytes name, host; /* the host of an address or of a pod, where the bundle tells it; else the name */
    bool output, kernel; /* are these files of it here? */
} ff_peer_seen;
typedef struct ff_peer_named { /* a line that names one */
    uint32_t signal, peer;
} ff_peer_named;
void ff_case_find_peers(ff_case *c); /* peer_files.c */

/* A peer that a survivor's message names (a signal's field lost_peer) and of which the bundle lacks a file. */
typedef struct ff_lost_peer {
    ff_bytes name, host; /* as the message says; the host, where it is known and another word */
    ff_bytes files;      /* "job output and kernel log": which are missing */
    uint32_t signal;     /* where it is named first */
    bool decides;        /* the verdict is no more than what the survivor could see */
    bool may_be_here;    /* an address that nobody tells the host of, and others speak */
} ff_lost_peer;
#define FF_PEERS_NAMED 4u
/* found: room for FF_PEERS_NAMED; returns how many there are. root: NULL for a failure that nothing explains. Where
 * the root is certain, and is not itself the survivor's complaint, nobody need be asked. */
uint32_t ff_peers_lost(const ff_case *c, const ff_incident *in, ff_lost_peer *found);
/* "job output and kernel log of the peer 10.0.0.2 (host node-b), whom rank 0 lost" */
ff_bytes ff_lost_peer_text(const ff_case *c, const ff_lost_peer *p);
/* How many ranks the communicator has in which the record's rank counts; INT32_MAX: the rank is that of the job
 * (record.c). */
int64_t ff_record_world(const ff_signal *s);
/* Is it called by an address: digits and dots, or something with a colon? (record.c) */
bool ff_is_address(ff_bytes host);
bool ff_record_own_rank(const ff_signal *s); /* does it capture the rank of its own speaker? */

#endif
