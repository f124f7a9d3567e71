/* Alignment of Flight Recorder dumps: the tables that align*.c share.
 *
 * A team is a process group as all its members see it. A seat is one rank's place in a team, read from that rank's
 * dump. A turn is one sequence number of a seat: one collective, or the operations of one coalesced group. */
#ifndef FF_ALIGN_PRIVATE_H
#define FF_ALIGN_PRIVATE_H

#include "recorder.h"

typedef struct turn {
    int64_t seq;
    uint32_t first, last; /* entries of the dump; between them entries of other groups may stand */
    uint32_t n;           /* entries of this turn */
    bool done;
} turn;

typedef struct p2p_op { /* one send or recv, or one batch with its closing entry */
    uint32_t entry;     /* what to show: the operation itself */
    int32_t from, to;   /* group-local */
    int64_t order;      /* how many of the same pair and direction came before in this dump */
    bool done, batched;
} p2p_op;

typedef struct seat {
    const struct sheet *sheet;
    uint32_t group; /* in the dump; FF_NONE: the dump does not know the group, so nothing was issued there */
    turn *turns;    /* ascending seq */
    uint32_t n_turns;
    p2p_op *p2p;
    uint32_t n_p2p;
    int64_t issued;    /* highest seq known to be issued; -1 none */
    bool issued_exact; /* false: more may have been issued than the dump shows */
} seat;

typedef struct sheet { /* a chosen dump */
    const ff_dump *dump;
    bool whole;        /* starts with the first entry ever recorded */
    bool filtered;     /* entries are left out in between */
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
} team;

typedef struct teams {
    sheet *sheets; /* ascending rank, one a rank */
    uint32_t n_sheets;
    team *at;
    uint32_t n;
} teams;

/* Chooses one dump a rank, cuts it into turns, and joins the groups of all dumps. All in arena. */
teams ff_align_teams(const ff_dump_table *dumps, ff_arena *arena);
/* The newest dump of each rank, ascending rank; returns how many. (align_turns.c) */
uint32_t ff_align_choose(const ff_dump_table *dumps, ff_arena *arena, const ff_dump ***out);
void ff_align_cut(sheet *sh, const ff_dump *d, ff_arena *arena);
const turn *ff_seat_turn(const seat *s, int64_t seq); /* NULL: not in the dump */
static inline const ff_fr_entry *entry_of(const seat *s, uint32_t i) { return &s->sheet->dump->entries[i]; }
static inline int32_t rank_of(const seat *s) { return s->sheet->dump->rank; }

/* ---- how two turns compare (align_rules.c) ---- */
typedef enum verdict { SAME, OTHER_OP, OTHER_SHAPE } verdict;
verdict ff_turns_compare(const seat *a, const turn *x, const seat *b, const turn *y);
/* Does the turn keep its own rule of sizes, as all_gather's output = input x members? 1 yes, 0 no, -1 no rule. */
int ff_turn_keeps_rule(const seat *s, const turn *t, uint32_t members);
ff_bytes ff_turn_op(const seat *s, const turn *t, ff_arena *arena);    /* "all_reduce", "all_reduce+all_gather" */
ff_bytes ff_turn_shape(const seat *s, const turn *t, ff_arena *arena); /* "[[4, 16]] Float" */

/* ---- judging a team (align_judge.c) ---- */
#define FF_FR_CLASSES 8u /* ways to do one turn that are told apart */

typedef struct split { /* the first turn at which ranks differ */
    verdict kind;      /* SAME: none */
    int64_t seq;
    uint32_t *class_of;                                     /* by seat; FF_NONE: the seat does not show this turn */
    uint32_t sizes[FF_FR_CLASSES], first[FF_FR_CLASSES], n; /* classes: members and first seat */
    uint32_t majority;                                      /* FF_NONE: none */
} split;

typedef struct finding {
    const team *t;
    split split;
    int64_t seq;                                       /* earliest turn that some rank waits in; -1: none waits */
    uint32_t *waiting, n_waiting, *missing, n_missing; /* seats */
    int64_t late_seq; /* turn that ranks joined after the others' timeout; -1: none */
    uint32_t *late, n_late;
    int64_t late_ns; /* of the latest one */
} finding;

void ff_align_judge(finding *f, const team *t, ff_arena *arena);

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

typedef struct chain { /* all findings, and for each sheet the first two in which its rank waits */
    const finding *all;
    uint32_t n;
    const sheet *sheets;
    uint32_t *first, *second;
} chain;

chain ff_align_link(const teams *t, const finding *all, ff_arena *arena);
void ff_align_tell(const chain *c, const finding *f, const teller *out);

/* Sends and receives of a team that wait for a peer (align_p2p.c). Returns true when something was told. */
bool ff_align_p2p(const team *t, const teller *out);

#endif
