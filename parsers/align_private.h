/* Alignment of Flight Recorder dumps: the tables that align*.c share.
 *
 * A team is a process group as all its members see it. A seat is one rank's place in a team, read from that rank's
 * dump. A turn is one sequence number of a seat: one collective, or the operations of one coalesced group. */
#ifndef FF_ALIGN_PRIVATE_H
#define FF_ALIGN_PRIVATE_H

#include "recorder.h"

typedef struct turn {
    int32_t seq;
    uint32_t first;     /* entry of the dump */
    uint32_t span : 20; /* from there to the last one; between them entries of other groups may stand */
    uint32_t n : 11;    /* entries of this turn; no more than FF_TURN_MOST are counted */
    uint32_t done : 1;
} turn;
#define FF_TURN_MOST 2047u
#define FF_TURN_SPAN 0xfffffu /* more than the entries of a dump */
static inline uint32_t last_of_turn(const turn *t) { return t->first + t->span; }

typedef struct p2p_op { /* one send or recv, or one batch with its closing entry */
    uint32_t entry;     /* what to show: the operation itself */
    int32_t from, to;   /* group-local */
    int32_t order;      /* how many of the same pair and direction came before in this dump */
    bool done, batched;
} p2p_op;

typedef struct seat {
    const struct sheet *sheet;
    uint32_t group; /* in the dump; FF_NONE: the dump does not know the group, so nothing was issued there */
    turn *turns;    /* ascending seq; seats that have the same at one address did the same */
    uint32_t n_turns;
    p2p_op *p2p;
    uint32_t n_p2p;
    int64_t issued;    /* highest seq known to be issued; -1 none */
    bool issued_exact; /* false: more may have been issued than the dump shows */
    bool inside;       /* its newest operation was recorded but never counted as queued: the call has not returned */
} seat;

typedef struct sheet { /* a chosen dump */
    const ff_dump *dump;
    bool whole;        /* starts with the first entry ever recorded */
    bool filtered;     /* entries are left out in between */
    bool lost_open;    /* the oldest that it shows is open, so open ones before it may have been overwritten */
    int64_t newest_ns; /* latest time that stands in it */
    seat *seats;       /* one a group of the dump */
} sheet;

typedef struct team {
    ff_bytes name, desc;
    const int32_t *ranks; /* members, ascending; NULL: only those with a dump are known */
    uint32_t n_ranks;
    seat **seats; /* ascending rank */
    uint32_t n_seats;
    uint32_t *absent; /* members without any dump, ascending: indexes into ranks */
    uint32_t n_absent;
    bool own_numbers; /* its name is a number that each process counts for itself: no dump that has names knows it */
} team;

typedef struct teams {
    sheet *sheets; /* ascending rank, one a rank */
    uint32_t n_sheets;
    team *at;
    uint32_t n;
} teams;

/* Chooses one dump a rank, cuts it into turns, and joins the groups of all dumps. All in arena. */
teams ff_align_teams(const ff_dump_table *dumps, ff_arena *arena);
uint32_t ff_team_place(const team *t, int32_t rank); /* index into ranks; FF_NONE: no known member */
/* The newest dump of each rank, ascending rank; returns how many. (align_turns.c) */
uint32_t ff_align_choose(const ff_dump_table *dumps, ff_arena *arena, const ff_dump ***out);
/* One sheet a dump; those that ask for the same share their turns. */
void ff_align_cut(sheet *sheets, const ff_dump *const *dumps, uint32_t n, ff_arena *arena);
bool ff_dump_shows_all(const sheet *sh);              /* from the first entry to the last, none left out */
const turn *ff_seat_turn(const seat *s, int64_t seq); /* NULL: not in the dump */
static inline const ff_fr_entry *entry_of(const seat *s, uint32_t i) { return &s->sheet->dump->entries[i]; }
static inline const ff_fr_times *times_of(const seat *s, uint32_t i) { return &s->sheet->dump->times[i]; }
static inline int32_t rank_of(const seat *s) { return s->sheet->dump->rank; }

/* ---- a team in step, by sequence number (align_lanes.c) ---- */
typedef struct lanes {
    const team *t;
    uint32_t *of;    /* by seat: its lane */
    uint32_t *first; /* by lane: a seat that stands for all of it */
    uint32_t *at;    /* by lane: the turn it stands at */
    uint32_t n;
} lanes;
lanes ff_team_lanes(const team *t, ff_arena *arena);
bool ff_lanes_next(const lanes *l, int64_t *seq); /* least seq of all turns at hand; false: all came to the end */
void ff_lanes_pass(lanes *l, int64_t seq);        /* moves all behind seq */
static inline const turn *lane_turn(const lanes *l, uint32_t k, int64_t seq) /* NULL: not in the dump */
{
    const seat *s = l->t->seats[l->first[k]];
    return l->at[k] < s->n_turns && s->turns[l->at[k]].seq == seq ? &s->turns[l->at[k]] : NULL;
}
/* Of a seat. The turns of one lane stand at one address. */
static inline const turn *turn_at(const lanes *l, uint32_t i, int64_t seq) { return lane_turn(l, l->of[i], seq); }

/* ---- how two turns compare (align_rules.c) ---- */
typedef enum verdict { SAME, OTHER_OP, OTHER_SHAPE } verdict;
/* Does the ring begin with it? Then its oldest operations may have been overwritten. */
bool ff_turn_may_be_cut(const seat *s, const turn *t);
verdict ff_turns_compare(const seat *a, const turn *x, const seat *b, const turn *y);
/* Does the turn keep its own rule of sizes, as all_gather's output = input x members? 1 yes, 0 no, -1 no rule. */
int ff_turn_keeps_rule(const seat *s, const turn *t, uint32_t members);
/* May members of such an operation disagree in a way that comparing two of them does not show? */
bool ff_turn_has_parts(const seat *s, const turn *t);
/* Does this rank of a gather or scatter hold what only the root holds? 1 yes, 0 no, -1 no such operation. */
int ff_turn_is_root(const seat *s, const turn *t, uint32_t members);
/* Elements that an all_to_all takes in and gives out. false: another operation, or not all of it is known. */
bool ff_turn_exchange(const seat *s, const turn *t, uint64_t *in, uint64_t *out);
/* The same for each member, where there is one tensor for each; both arrays have room for all members. */
bool ff_turn_parts(const seat *s, const turn *t, uint32_t members, uint64_t *sends, uint64_t *takes);
ff_bytes ff_turn_op(const seat *s, const turn *t, ff_arena *arena); /* "all_reduce", "all_reduce+all_gather" */
ff_bytes ff_call_shape(const ff_fr_call *c, ff_arena *arena);       /* "[[4, 16]] Float" */
/* Bytes that one such operation moves, as nccl-tests counts them, and what its bus bandwidth is their multiple of. 0:
 * the operation, a size or a type is not known. */
uint64_t ff_call_bytes(const ff_fr_call *c, uint32_t members, double *factor);

/* ---- judging a team (align_judge.c) ---- */
#define FF_FR_CLASSES 8u /* ways to do one turn that are told apart */

/* What besides comparing two by two shows it. */
typedef enum split_why { WHY_PLAIN, WHY_ROOTS, WHY_SUMS, WHY_PAIRS } split_why;

typedef struct split { /* the first turn at which ranks differ */
    verdict kind;      /* SAME: none */
    split_why why;
    int64_t seq;
    uint32_t *class_of;                                     /* by seat; FF_NONE: the seat does not show this turn */
    uint32_t sizes[FF_FR_CLASSES], first[FF_FR_CLASSES], n; /* classes: members and first seat */
    uint32_t majority;                                      /* FF_NONE: none */
} split;

typedef enum lag { LAG_NONE, LAG_ENQUEUED, LAG_STARTED, LAG_COMPLETED } lag;

typedef struct finding {
    const team *t;
    split split;
    int64_t seq; /* the turn that is judged: the earliest one that somebody waits in and others never came to, else
                    the earliest that somebody waits in; -1: nobody waits */
    uint32_t *waiting, n_waiting, *missing, n_missing; /* seats */
    uint32_t *unknown, n_unknown;                      /* seats whose dump does not say whether they came */
    lag lag;                    /* how those behind differ from those in front, when all came */
    uint32_t *behind, n_behind; /* seats that are behind in that way */
    int64_t late_seq;           /* turn that ranks joined after the others' timeout; -1: none */
    uint32_t *late, n_late;
    int64_t late_ns; /* of the latest one */
} finding;

void ff_align_judge(finding *f, const team *t, ff_arena *arena);
void ff_align_front(finding *f, ff_arena *arena); /* where it stands, and with whom (align_front.c) */

/* ---- facts (align_facts.c, align_tell.c) ---- */
typedef struct teller {
    ff_arena *arena;
    void (*fact)(void *owner, uint32_t member, const ff_fact *f);
    void *owner;
} teller;

/* Ranks as text, runs of three and more folded: "0-6,9". */
ff_bytes ff_ranks_text(ff_arena *arena, const int32_t *ranks, uint32_t n);
/* Emits at an entry of the seat; FF_NONE: at the dump as a whole. rank: FF_NO_NUMBER when the fact names none. */
void ff_tell(const teller *t, ff_fact_id id, const seat *where, uint32_t entry, int32_t rank,
             const ff_fields *fields);

/* ---- who waits for whom, over all groups (align_wait.c) ---- */
typedef struct hold { /* what holds a rank up: the oldest operation of its dump that did not end */
    uint32_t team;    /* FF_NONE: nothing is open, the rank waits for nobody */
    uint32_t entry;
    int64_t seq;
    int32_t peer; /* of a send or receive, global; FF_NO_NUMBER: a collective, or the peer is not known */
    bool p2p;
} hold;

typedef struct chain {
    const teams *t;
    const finding *all; /* one a team */
    hold *holds;        /* one a sheet */
    bool *grounded;     /* by sheet: its waits lead to somebody who waits for nobody, or to where nothing is known */
    bool *team_grounded;
    bool *team_ends; /* the same if members without a dump were out of it: false: there may be a circle */
    bool is_locked;  /* there is one among those with a dump */
} chain;

chain ff_align_link(const teams *t, const finding *all, ff_arena *arena);
static inline const hold *hold_of(const chain *c, const seat *s) { return &c->holds[s->sheet - c->t->sheets]; }
/* Do ranks wait for each other whatever those without a dump did? (align_locked.c) */
bool ff_chain_is_locked(const chain *c, ff_arena *arena);
/* Groups whose missing ranks wait for each other in a circle, f being the first of it: writes the groups in the order
 * of waiting, gives how many; 0: f begins no circle. p2p: sends or receives are part of it. */
uint32_t ff_chain_circle(const chain *c, const finding *f, uint32_t *circle, uint32_t most, bool *p2p);

typedef struct sides { /* ranks, ascending */
    int32_t *one, *two;
    uint32_t n_one, n_two;
} sides;
/* Members of both groups: those that entered f's turn before g's, and those that did it the other way round. */
void ff_chain_orders(const finding *f, const finding *g, ff_arena *arena, sides *out);
/* The entry that a rank was held up in before it came late to turn t; FF_NONE: it was in none that the dump shows. */
uint32_t ff_late_held(const chain *c, const seat *s, const turn *t, int64_t late_ns);

void ff_align_tell(const chain *c, const finding *f, const teller *out);
void ff_align_tell_split(const finding *f, const teller *out);                  /* align_split.c */
void ff_align_tell_silent(const chain *c, const finding *f, const teller *out); /* align_silent.c */
void ff_align_tell_circle(const chain *c, const finding *f, const uint32_t *circle, uint32_t n, bool p2p,
                          const teller *out); /* align_circle.c */
/* Members of one group whose dumps do not agree on who they are (align_members.c). */
void ff_align_members(const chain *c, const teller *out);

/* ---- fields that several facts have ---- */
ff_bytes ff_seat_ranks(const finding *f, const uint32_t *seats, uint32_t n, ff_arena *arena);
void ff_add_group(ff_fields *f, const team *t, int64_t seq);
void ff_add_waiting(ff_fields *f, const finding *of, ff_arena *arena);
/* Members of whom nobody can say whether they came: without a dump, or with one that does not show it; ascending. */
uint32_t ff_list_unknown(const finding *f, ff_arena *arena, int32_t **out);
/* All ranks of the job of which no dump, or none that is whole, was found: what those wait in stands in no dump, and
 * it may be another one of them that they wait for. */
void ff_add_without(ff_fields *f, const chain *c, ff_arena *arena);
/* Ranks whose dump is the only whole one of a group in which they are not held up: another member may wait for them
 * there, and that would stand in no dump. */
void ff_add_alone(ff_fields *f, const chain *c, ff_arena *arena);
void ff_add_wait(ff_fields *f, const finding *of, int64_t seq);
/* Ranks that did two things in the order of the few, and those that did them in the other. (align_circle.c) */
void ff_add_orders(ff_fields *f, ff_bytes odd, ff_bytes usual, bool sure, ff_arena *arena);
void ff_add_side(ff_fields *f, const seat *s, const turn *t, bool majority, bool shape, ff_arena *arena);

/* Where the digests of logs differ before the first turn that is seen to differ (seen_at; -1: none): tells it, true.
 * (align_between.c) */
bool ff_align_between(const team *t, int64_t seen_at, const teller *out);
void ff_align_pairs(const team *t, const teller *out); /* sends and receives of logs (align_pairs.c) */
/* Logs that end with the same two operations in opposite order (align_last.c). */
void ff_align_last(const teams *t, const teller *out);
/* Slow, not stuck (align_pace.c). baseline: these are the dumps of a run to compare with, so only what its operations
 * took is told. */
void ff_align_pace(const chain *c, bool baseline, const teller *out);
/* What the operations of a team take by themselves, kind by kind; pure: by turn of seat 0, ns, -1 not known. At most
 * room facts; returns how many. (align_kinds.c) */
uint32_t ff_align_kinds(const team *t, const int64_t *pure, bool baseline, uint32_t room, const teller *out);

/* Sends and receives of a team that wait for a peer (align_p2p.c). Returns true when something was told. */
bool ff_align_p2p(const chain *c, const team *t, const teller *out);
int32_t ff_p2p_peer(const team *t, const seat *s, const p2p_op *op); /* global; FF_NO_NUMBER: not known */
const seat *ff_team_seat(const team *t, int32_t rank);               /* NULL: no dump */
/* The operation that a rank's sends and receives stand at; NULL: all are done. */
const p2p_op *ff_p2p_open(const seat *s);
/* The earliest turn of a seat that did not end; NULL: all did. */
const turn *ff_turn_open(const seat *s);

#endif
