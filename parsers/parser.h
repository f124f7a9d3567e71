/* The contract of everything that reads a format.
 *
 * Four tables, each in list.h:
 *   parser   takes a member: text is framed line by line as it streams by, a document is read whole.
 *   coat     takes one frame off a line (syslog, CRI, "[rank3]:"); coats can lie over each other.
 *   reader   looks at the text under all coats and says which stream it is, who speaks, and a better time if it has one.
 *   block    collects the lines of a report that spans many (OOM report, traceback, failure table) and gives facts.
 * Rules ask for a stream and a signal, and never learn which file or frame carried it. */
#ifndef FF_PARSER_H
#define FF_PARSER_H

#include "../analyzer/base/arena.h"
#include "../analyzer/base/node.h"
#include "../analyzer/model.h"

/* One line (or record) while it is being looked at. All views live only until the next one. */
typedef struct ff_event {
    uint32_t stream;     /* bit, or mask when only the member's kind is known */
    ff_stamp said;       /* the time to order by */
    ff_stamp also;       /* a second time in the same record */
    ff_bytes text;       /* payload without its frames */
    ff_who who;
    ff_bytes ident;      /* program name out of a syslog or journal frame */
    bool continued;      /* had no frame of its own: a further line of the record before */
    bool since_before;   /* its frame says only how long after the record before it came: it has that one's time */
    bool goes_on;        /* the frame says that the text goes on in the next line with the same `part` */
    uint32_t times;      /* the record says that it stands for so many equal ones; 0 = not said: one */
    uint8_t part;        /* which of the streams of a container: 1 stdout, 2 stderr; 0 = not said */
    bool in_container;   /* a container's log frame was taken off: names of hosts inside are pod names, not nodes */
    bool looking;        /* only a test whether anybody knows the text: labels that prove nothing are not tried */
    ff_arena *scratch;   /* for decoded text; forgotten after this event */
} ff_event;

typedef struct ff_probe {
    ff_bytes name;  /* member name: a hint, never a proof */
    ff_bytes head;  /* first bytes, at most 64 KiB */
    bool whole;     /* head is all there is */
} ff_probe;

/* ---- facts: what documents and blocks give; a fact becomes a signal without any pattern ---- */
typedef enum ff_fact_id {
#define FF_FACT(symbol, name, stream) FF_FACT_##symbol,
#include "facts.h"
#undef FF_FACT
    FF_FACTS
} ff_fact_id;
const char *ff_fact_name(uint32_t id);   /* "oom.report" */
uint32_t ff_fact_stream(uint32_t id);

typedef struct ff_fact {
    ff_fact_id id;
    uint32_t line;       /* from 1 */
    uint64_t offset;
    ff_bytes quote;      /* the line as it stands */
    ff_stamp said;
    ff_who who;
    const ff_field *fields;
    uint32_t n_fields;
} ff_fact;

/* Small builder for the fields of a fact, on the caller's stack. */
typedef struct ff_fields {
    ff_field at[48];
    char digits[48][24]; /* text of numbers: do not copy the struct */
    uint32_t n;
} ff_fields;
void ff_fields_text(ff_fields *f, const char *name, ff_field_type type, ff_bytes value); /* empty values are left out */
void ff_fields_int(ff_fields *f, const char *name, ff_field_type type, int64_t value);
void ff_fields_float(ff_fields *f, const char *name, double value);

struct ff_dump; /* recorder.h */

typedef struct ff_sink {
    void *owner;
    void (*fact)(void *owner, const ff_fact *fact);    /* copied; views may die afterwards */
    /* A line that a document holds (dmesg --json, a pod's message), to be matched like a log line. */
    void (*event)(void *owner, const ff_event *ev, uint32_t line, uint64_t offset, ff_bytes quote);
    void (*skip)(void *owner, uint32_t line, const char *reason); /* reason: constant */
    void (*member_who)(void *owner, const ff_who *who); /* holds for the whole member */
    void (*dump)(void *owner, struct ff_dump *dump);     /* a Flight Recorder dump; see recorder.h */
    struct ff_dump_store *dumps; /* where dumps are kept, or NULL: reading the next goes faster with it */
    ff_arena *scratch; /* lives until the member ends */
} ff_sink;

typedef struct ff_doc {
    ff_bytes name, bytes;
    bool truncated;
} ff_doc;

/* ---- the four tables ---- */
typedef struct ff_parser {
    const char *name;    /* stable: fixtures and reports use it */
    uint32_t streams;    /* what its members can carry; chooses the literal database */
    bool collected;      /* command output: no time of its own */
    bool binary;         /* what it bids for is no text, so nobody else is asked */
    int (*probe)(const ff_probe *in);  /* bid in bits verified: 0 not mine, 1 last resort, 8 a byte; keeps nothing */
    /* text: takes the frame off one record; false = not framed (a further line, or broken). Exactly one of frame and
     * parse is set. */
    bool (*frame)(ff_bytes record, ff_event *ev);
    /* text whose records span lines (journal export): length of the longest prefix of run made of whole records (0 = none
     * yet), and the record around an offset. NULL = a record is a line. */
    size_t (*whole)(ff_bytes run);
    ff_bytes (*record)(ff_bytes run, size_t at);
    /* text whose lines may go on in a later record (ff_event.goes_on) though no literal says so: a place in the next such
     * record at or behind from; run.n: none. NULL = a literal of block_joined.c says it. */
    size_t (*piece)(ff_bytes run, size_t from);
    ff_status (*parse)(const ff_doc *doc, ff_sink *out); /* document */
} ff_parser;

/* What a text begins with: most coats can be told from it to be another's. */
typedef enum ff_first {
    FF_FIRST_DIGIT = 1u << 0,
    FF_FIRST_UPPER = 1u << 1, /* ASCII letters */
    FF_FIRST_LOWER = 1u << 2,
    FF_FIRST_SQUARE = 1u << 3, /* [ */
    FF_FIRST_ROUND = 1u << 4,  /* ( */
    FF_FIRST_ANGLE = 1u << 5,  /* < */
    FF_FIRST_BRACE = 1u << 6,  /* { */
    FF_FIRST_BLANK = 1u << 7,  /* blank or tab */
    FF_FIRST_OTHER = 1u << 8,  /* also the first byte of a letter outside ASCII */
    FF_FIRST_ANY = 0x1ff,
    FF_FIRST_ESCAPED = 1u << 9 /* besides: an escape character stands somewhere in it */
} ff_first;
unsigned ff_first_of(ff_bytes text); /* one bit */

typedef struct ff_coat {
    const char *name;
    unsigned begins;            /* ff_first, all that it can begin with: take is called for no other text */
    bool (*take)(ff_event *ev); /* true: ev->text is shorter now, and ev knows more */
} ff_coat;

typedef struct ff_reader {
    const char *name;
    bool (*read)(ff_event *ev); /* true: my kind of text; stream and who filled, own prefix taken off ev->text */
} ff_reader;

typedef struct ff_block_line {
    ff_event ev;         /* views live as long as the block */
    ff_bytes quote;
    uint32_t line;
    uint64_t offset;
} ff_block_line;

typedef enum ff_block_say { FF_BLOCK_MINE, FF_BLOCK_NOT_MINE, FF_BLOCK_LAST, FF_BLOCK_END } ff_block_say;

typedef struct ff_block {
    const char *name;
    uint32_t streams;
    bool joins; /* gives events instead of facts: text that the lines held in pieces or in numbers, to be matched in
                 * place of its lines */
    const char *const *needles;  /* NULL-terminated: a line with one of them may open the block */
    uint32_t max_lines;          /* at most FF_CAP_BLOCK_LINES */
    bool (*opens)(const ff_event *ev);
    /* The next line: mine; not mine but the block goes on (another CPU's or rank's line between); the last one; or not
     * mine and the block is over. NULL: the line that opens it is all of it. */
    ff_block_say (*take)(const ff_block_line *lines, uint32_t n, const ff_event *next);
    void (*read)(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out);
    /* Instead of take and read, for lists without an end: no line is held. keep sees every line, the one that opens first,
     * and says whether it is its own; of those it keeps in *state what does not grow with their number; NULL at first, to
     * be made in arena, whose own address may change between two calls. give gives the facts when the block is over. */
    bool (*keep)(void **state, const ff_block_line *line, ff_arena *arena);
    void (*give)(void *state, bool cut, ff_sink *out);
} ff_block;

extern const ff_block ff_block_parts; /* joins the lines that ff_event.goes_on speaks of */
extern const ff_parser *const ff_parsers[];
extern const unsigned ff_n_parsers;
extern const ff_coat *const ff_coats[];
extern const unsigned ff_n_coats;
extern const ff_reader *const ff_readers[];
extern const unsigned ff_n_readers;
extern const ff_block *const ff_blocks[];
extern const unsigned ff_n_blocks;

/* 8 for each of the first 32 non-empty lines that fit, less 8 for each that does not; below 1 becomes 0. */
int ff_bid_lines(ff_bytes head, bool (*fits)(ff_bytes line));

/* Takes coats off until none fits, then lets the first fitting reader have it. Used after a parser's frame, and as the
 * whole frame of a member whose lines are mixed. ev->text, ev->who, ev->said as far as known; true if anything fitted. */
bool ff_undress(ff_event *ev);

/* Chooses the parser: best bid, then list order. second: name of a parser with an equal bid, or NULL. */
const ff_parser *ff_detect(const ff_probe *in, const char **second);

#endif
