/* What the files of this stage share. The way of a byte:
 *   bundle.c  finds files, archive.c opens archives: both give members, and their bytes through a source
 *   pipe.c    carries members and bytes to a scan: at once, or to another thread
 *   scan.c    one member's bytes: text runs through (records.c, look.c, block.c), documents are held (document.c)
 *   keep.c    what was recognised becomes a result, context.c the lines around it; gather.c brings all into name
 * order. */
#ifndef FF_INTAKE_PRIVATE_H
#define FF_INTAKE_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "intake.h"
#include "../base/digest.h"
#include "../base/text.h"
#include "../../parsers/dress.h"
#include "../../parsers/recorder.h"

/* ---- window.c: buffers and sources ---- */
#define FF_WINDOW_HEAD ((size_t)FF_CAP_LINE) /* room in front, for the unfinished record of the buffer before */
#define FF_WINDOW_BODY ((size_t)256 * 1024)  /* half of a usual L2; 64 KiB to 1 MiB are alike */
#define FF_PROBE_BYTES ((size_t)64 * 1024)

typedef struct ff_buffer {
    char *bytes; /* FF_WINDOW_BODY bytes, page aligned, FF_WINDOW_HEAD more in front */
    size_t n;
    char *base;
    struct ff_buffer *next;
} ff_buffer;
ff_buffer *ff_buffer_open(void);
void ff_buffer_close(ff_buffer *b);

/* Where bytes come from: a file, memory, an entry of an archive, another source through a filter. */
typedef struct ff_source {
    int64_t (*read)(struct ff_source *s, char *to, size_t n); /* bytes; 0 = end; -1 = broken, problem says why */
    int64_t (*seek)(struct ff_source *s, int64_t offset, int whence); /* NULL = cannot; new position, -1 = failed */
    ff_bytes problem;                                                 /* lives as long as the source */
} ff_source;
/* Reads until to is full or the source ends. Fewer than n: it ended, or broke (problem is not empty). */
size_t ff_source_fill(ff_source *s, char *to, size_t n);

size_t ff_count_newlines(const char *p, size_t n); /* number of '\n' */
/* Offset behind the last '\n' in front of `at`; 0 when there is none. */
size_t ff_line_start(ff_bytes run, size_t at);

/* ---- what a run shares between its threads ---- */
#define FF_SHARES 15 /* 16,384 signals of one kind in one member, 8,192 ... 1 */

typedef struct ff_result { /* a member, and what was recognised in it */
    ff_member member;      /* name: as found, root and prefix not yet settled */
    ff_bytes hint;         /* the name that parsers see: without the archive's root folder */
    ff_bytes link;         /* hard link: the name whose bytes these are; else empty */
    uint32_t root;         /* bytes of the name that go if the root folder goes; 0 = none */
    ff_signal *signals;    /* these three are freed by gather.c */
    ff_sample *samples;
    ff_dump **dumps;
    uint32_t n_signals, n_samples, n_dumps;
    uint64_t over_share; /* signals that were not kept, for there are too many members with too many of them */
} ff_result;

typedef FF_VEC(ff_result *) ff_results;

typedef struct ff_remark { /* a limit or a note; names in it are settled when the root folder is known */
    const char *cap;       /* NULL: a note */
    uint32_t input;
    ff_bytes where; /* member; empty: the input itself */
    ff_bytes text;
    uint64_t count;
} ff_remark;
typedef FF_VEC(ff_remark) ff_remarks;

typedef struct ff_root { /* the one folder that holds everything in a top-level archive */
    ff_bytes name;       /* first folder seen; empty = none yet */
    bool broken;         /* something lies beside it, or an entry began with "./" */
} ff_root;

typedef struct ff_shared {
    const ff_intake_options *options;
    ff_matcher *matcher;
    const ff_signature *signatures;
    uint32_t n_signatures;
    unsigned jobs;
    ff_input *inputs;
    ff_root *roots; /* by input */
    bool *lone;     /* by input: a single file, no folder and no archive */
    uint32_t n_inputs;
    atomic_uint_fast64_t unpacked; /* bytes of the whole run */
    atomic_uint members;
    atomic_uint_fast64_t wanted[FF_SHARES]; /* signals of all members, if each could keep so many of a kind */
    atomic_uint share;                      /* index of the largest of these shares that may still do */
    pthread_mutex_t lock;                   /* for all that follows, and for progress */
    ff_arena *arena;
    ff_results results;
    ff_remarks remarks;
    atomic_bool failed;
    ff_error *error;
} ff_shared;

/* The run cannot go on. The first error stays; inputs may be read side by side. */
void ff_give_up(ff_shared *sh, const ff_error *error);
void ff_note_limit(ff_shared *sh, const char *cap, uint32_t input, ff_bytes where, uint64_t count);
void ff_note_input(ff_shared *sh, uint32_t input, ff_bytes where, ff_bytes text);
void ff_note_damage(ff_shared *sh, uint32_t input, ff_bytes where, ff_bytes text); /* and the input is not whole */

/* ---- scan.c: one member after the other ---- */
typedef struct ff_scan ff_scan;
ff_scan *ff_scan_open(ff_shared *sh, ff_error *error); /* NULL: error is filled */
/* Hands its arena over to the run. */
void ff_scan_close(ff_scan *s);
void ff_scan_begin(ff_scan *s, ff_result *r);
void ff_scan_add(ff_scan *s, ff_buffer *b); /* b->bytes must be full but for the last buffer; head room is used */
void ff_scan_end(ff_scan *s, bool truncated);

/* ---- pipe.c: from the thread that reads to the ones that scan ---- */
typedef struct ff_pipe ff_pipe;
/* n_scans == 0: scans on the calling thread. NULL: error is filled. */
ff_pipe *ff_pipe_open(ff_shared *sh, unsigned n_scans, ff_error *error);
void ff_pipe_close(ff_pipe *p);        /* waits until everything is scanned */
ff_buffer *ff_pipe_buffer(ff_pipe *p); /* an empty one; waits for it */
void ff_pipe_begin(ff_pipe *p, ff_result *r);
void ff_pipe_push(ff_pipe *p, ff_buffer *b);
void ff_pipe_end(ff_pipe *p, bool truncated);
void ff_pipe_give_back(ff_pipe *p, ff_buffer *b); /* without pushing it */

/* ---- item.c: a stream of bytes that may be a member, something compressed, or an archive ---- */
typedef struct ff_walk { /* one reading thread */
    ff_shared *shared;
    ff_pipe *pipe;
    ff_arena arena; /* names and results; given to the run at the end */
    ff_results results;
    uint32_t input;
    unsigned unpackers; /* threads that may unpack one stream: scanning costs as much as xz, and files have readers */
    uint64_t packed; /* bytes read of the file at hand, and what came out of it */
    uint64_t unpacked;
    bool stop;     /* a cap was reached: leave the file at hand */
    uint64_t told; /* bytes since progress was called */
} ff_walk;

typedef struct ff_item {
    ff_bytes name; /* of the member it would be */
    int64_t mtime_s;
    unsigned depth;   /* archives around it */
    unsigned filters; /* compressions taken off since the last archive */
    bool top;         /* an input by itself: if it is an archive, its members have no "NAME!" in front */
    bool in_root;     /* entry of a top-level archive */
    bool plain;       /* whatever it looks like, it is a member */
} ff_item;

void ff_walk_init(ff_walk *w, ff_shared *sh, ff_pipe *pipe);
void ff_walk_done(ff_walk *w);
/* Counts bytes that came out of some unpacking against the caps. False: too many, the walk is stopped. */
bool ff_walk_spend(ff_walk *w, ff_bytes name, size_t n);
void ff_walk_item(ff_walk *w, ff_item item, ff_source *source);
void ff_walk_unread(ff_walk *w, ff_item item, const char *why); /* a member that is not read */
ff_result *ff_walk_result(ff_walk *w, ff_item item);            /* NULL: the member cap is reached */

/* ---- inflate.c: gzip, all its concatenated members; what comes before a damage is kept ---- */
typedef struct ff_gzip ff_gzip;
bool ff_is_gzip(ff_bytes head);
ff_source *ff_gzip_open(ff_source *below, ff_bytes head); /* head was already read from below; copied */
void ff_gzip_close(ff_source *s);

/* ---- unxz.c: xz, all its streams; the blocks of one by several threads; what comes before a damage is kept ---- */
typedef struct ff_xz ff_xz;
bool ff_is_xz(ff_bytes head);
ff_source *ff_xz_open(ff_source *below, ff_bytes head, unsigned threads); /* head was already read; copied */
void ff_xz_close(ff_source *s);

/* ---- utf16.c: text in UTF-16 with a byte order mark, as UTF-8 ---- */
typedef struct ff_utf16 ff_utf16;
bool ff_is_utf16(ff_bytes head);
ff_source *ff_utf16_open(ff_source *below, ff_bytes head); /* head was already read from below; copied */
void ff_utf16_close(ff_source *s);

/* ---- journal.c: binary files of the systemd journal ---- */
typedef struct ff_journal ff_journal;
bool ff_is_journal(ff_bytes head);
ff_source *ff_journal_open(ff_source *below, ff_bytes head); /* head was already read from below; copied */
void ff_journal_close(ff_source *s);

/* ---- sniff.c ---- */
bool ff_is_archive(ff_bytes head); /* an archive, or packed */
bool ff_is_packed(ff_bytes head);  /* compressed in a way that archive.c takes off */
bool ff_is_zip(ff_bytes head);
bool ff_is_seven_zip(ff_bytes head);
bool ff_is_office(ff_bytes head);     /* a workbook or another document of an office program */
bool ff_is_own_report(ff_bytes head); /* what firstfault wrote: its quotes are no evidence */

/* ---- archive.c ---- */
/* head: what was already read; goes back to the pipe before anything is unpacked. */
void ff_unpack(ff_walk *w, ff_item item, ff_source *source, ff_buffer *head);

/* ---- folder.c ---- */
/* All members below a folder, by `jobs` threads. False: it could not be opened, *why says so. */
bool ff_walk_folder(ff_shared *sh, uint32_t input, const char *path, const char **why);
extern const char ff_hard_link[];
const char *ff_why_unread(int error_number); /* constant text */
typedef struct ff_file_source ff_file_source;
ff_source *ff_file_source_open(ff_walk *w, int fd, bool can_seek);
void ff_file_source_close(ff_source *s); /* leaves fd open */

/* ---- names.c ---- */
ff_bytes ff_input_name(const char *path, bool folder, ff_arena *arena);
ff_bytes ff_entry_name(ff_bytes raw, bool *dot_slash); /* without leading "./", as often as it stands there */
void ff_root_add(ff_root *root, ff_bytes entry, bool folder, bool dot_slash);
ff_bytes ff_without_root(const ff_root *root, ff_bytes entry, uint32_t *cut);

/* ---- share.c: how many signals of one kind a member may keep, so that a run keeps no more than it should ---- */
uint32_t ff_share_now(const ff_shared *sh); /* falls while members are read, never below what it ends at */
void ff_share_count(ff_scan *s);            /* the member at hand is read: numbers its signals by kind */
/* Cuts a member to the share at which the run ended; how many signals went or were never kept. by_kind: room for a
 * number of each kind of signal. */
uint64_t ff_share_cut(const ff_shared *sh, ff_result *r, uint32_t *by_kind);

/* ---- gather.c ---- */
void ff_gather(ff_shared *sh, ff_evidence *out);

/* ---- head_host.c ---- */
extern const ff_bytes ff_why_head;
ff_bytes ff_host_of_head(ff_bytes name, ff_bytes head, bool whole); /* empty: the first bytes name none, or several */

/* ---- inside a scan ---- */
#define FF_OPEN_BLOCKS 8
#define FF_MOST_BLOCKS 64 /* kinds of them */
#define FF_FOLD_KEYS 4096u
#define FF_FOLD_SLOTS 8192u
#define FF_FACTS_EACH 16384u   /* facts of one kind kept of one member */
#define FF_SAMPLE_BYTES 65536u /* one record is framed for its time about every so many bytes */
#define FF_SAMPLES_MEMBER 4096u
#define FF_LOOK_BACK 64 /* lines walked back for the frame that a further line belongs to */

typedef struct ff_frame { /* the last record with a frame of its own */
    bool has;
    ff_stamp said, also;
    ff_who who; /* in frame_arena */
    uint32_t line;
    uint64_t offset;
    uint64_t known_to; /* no framed record begins in (offset, known_to) */
} ff_frame;

typedef struct ff_ahead { /* in records from `from` to before `to`, nothing says a time but the last one */
    uint64_t from, to;
    ff_stamp said;
} ff_ahead;

typedef struct ff_dated { /* the last time that a record before known_to says; none: there is none, or unknown */
    ff_stamp said;
    uint64_t known_to;
} ff_dated;

typedef struct ff_place {  /* a record in the run at hand */
    size_t from, to, next; /* to: without the line end */
    uint64_t offset;
    uint32_t line; /* filled by who needs it: counting lines backwards costs */
    ff_bytes text; /* cut at FF_CAP_LINE */
} ff_place;

typedef struct ff_fold_key {
    uint64_t hash;
    uint32_t signature, signal;
    ff_bytes key;
} ff_fold_key;

typedef struct ff_open_block {
    const ff_block *kind;
    ff_arena arena;
    FF_VEC(ff_block_line) lines;
    void *state;   /* of a block that keeps for itself */
    uint32_t idle; /* records since the last one that was its own */
    bool over;
} ff_open_block;

typedef struct ff_kept_line {
    uint64_t offset;
    ff_bytes text;
} ff_kept_line;

#define FF_LAST_LINES 12u
typedef struct ff_last_line {
    uint32_t line;
    uint64_t offset;
    size_t n;
    char text[600];
} ff_last_line;

struct ff_scan {
    ff_shared *shared;
    ff_scanner *scanner;
    ff_arena arena;          /* results */
    ff_arena scratch;        /* one event */
    ff_arena member_scratch; /* one member */
    ff_printer *printer;

    ff_result *result;
    const ff_parser *parser;
    enum { FF_SCAN_HEAD, FF_SCAN_TEXT, FF_SCAN_DOCUMENT, FF_SCAN_PASS } mode;
    bool mixed; /* lines of all kinds: their coats are all the frame they have */
    bool loose; /* lines of several kinds: one without the parser's frame may still wear a coat */
    bool first_run;
    bool pieces;   /* records of this run go on in others, which no literal says */
    uint32_t seen; /* streams */

    /* text */
    char *carry; /* unfinished record, FF_WINDOW_HEAD bytes */
    size_t carry_n;
    bool passing; /* over the rest of a line that was too long */
    ff_bytes run;
    uint64_t run_offset;
    FF_VEC(uint32_t) marks; /* where records of several lines are known to begin, ascending */
    size_t counted;         /* `line` is the number of the line that begins or goes on here */
    uint64_t line;
    ff_frame frame;
    ff_ahead ahead;
    ff_dated dated;
    ff_arena frame_arena;
    ff_dress dress;
    uint64_t next_sample, sample_step, next_note;
    ff_kept_line before[FF_CONTEXT_LINES]; /* last lines of what came before the run, oldest first */
    char *before_room[FF_CONTEXT_LINES];
    unsigned n_before;
    ff_last_line last[FF_LAST_LINES]; /* that are not empty, oldest first */
    unsigned n_last;
    FF_VEC(ff_hit) hits;

    /* document */
    char *doc;
    size_t doc_n, doc_cap;
    bool doc_cut;

    /* what is kept of the member */
    FF_VEC(ff_signal) signals;
    FF_VEC(ff_sample) samples;
    ff_sample last_sample; /* of a document, when it was not among those kept */
    uint64_t n_inner;      /* events out of a document */
    FF_VEC(ff_dump *) dumps;
    ff_dump_store *kept_dumps;    /* of all members so far */
    FF_VEC(uint32_t) waiting;     /* signals whose context still wants lines */
    uint32_t *n_seen, *last_kept; /* by signature, then by fact */
    uint64_t *seen_at;            /* by owner: number of the last event it was tried on */
    uint64_t event_no;
    FF_VEC(uint32_t) touched;
    ff_fold_key *fold_keys;
    uint16_t *fold_slots;
    uint32_t n_fold_keys;
    uint64_t over_each, over_folds, over_share;
    ff_bytes interned[64];
    ff_kept_line line_cache[8];
    ff_open_block block_rooms[FF_OPEN_BLOCKS];
    ff_open_block *blocks[FF_OPEN_BLOCKS]; /* the open ones, oldest first; spare ones; at the end those being read */
    unsigned n_blocks, n_reading;          /* open; giving their facts, while others may open */
    const ff_block_line *joining; /* lines of the block that is giving its joined text; else NULL */
    ff_sink sink;
};

/* last_words.c: how a job's output ends. Of each run its last lines are kept; at the member's end, once its streams are
 * known, those that sound bad become facts. */
void ff_last_words_of_run(ff_scan *s);
void ff_last_words_end(ff_scan *s);

/* records.c: the text of a member as runs of whole records */
void ff_records_begin(ff_scan *s);
void ff_records_add(ff_scan *s, char *bytes, size_t n); /* FF_WINDOW_HEAD bytes in front of bytes may be written */
void ff_records_end(ff_scan *s);
ff_place ff_place_at(ff_scan *s, size_t at); /* the record that holds this byte of the run */
uint32_t ff_line_of(ff_scan *s, size_t at);  /* number of the line that holds this byte of the run */
/* The record at hand is done with: where records are lines, the number of the next one is known without counting. */
void ff_line_passed(ff_scan *s, const ff_place *at);

/* look.c: a run: hits, events, samples */
void ff_look_run(ff_scan *s);
/* The record's own time, stream, speaker and text. True: it has a frame of its own. The scratch space is used. */
bool ff_look_frame(ff_scan *s, ff_bytes text, ff_event *ev);
void ff_look_done(ff_scan *s); /* the member is over */
/* Everybody who wants this event gets it. hits: all of one record. */
void ff_look_event(ff_scan *s, const ff_event *ev, const ff_place *at, const ff_hit *hits, uint32_t n);
/* Text that lines of the run held in pieces: matched as one record, in the place of its first line. */
void ff_look_joined(ff_scan *s, const ff_event *ev, uint32_t line, uint64_t offset, ff_bytes quote);
/* An event out of a document. */
void ff_look_inner(ff_scan *s, const ff_event *ev, uint32_t line, uint64_t offset, ff_bytes quote);

/* block.c */
/* claimed: by block number. True: the line is a piece of a text that is matched when it is whole. */
uint32_t ff_block_number(const ff_block *kind); /* its place in ff_blocks */
bool ff_blocks_feed(ff_scan *s, const ff_event *ev, const ff_place *at, bool *claimed);
void ff_blocks_try(ff_scan *s, uint32_t block, const ff_event *ev, const ff_place *at);
void ff_blocks_join(ff_scan *s);
void ff_blocks_end(ff_scan *s, bool cut);

/* document.c */
void ff_document_add(ff_scan *s, ff_bytes b);
bool ff_document_end(ff_scan *s, bool truncated); /* false: its parser could make nothing of it */
void ff_document_forget(ff_scan *s);
void ff_sink_init(ff_scan *s);

/* keep.c */
void ff_keep_begin(ff_scan *s);
void ff_keep_end(ff_scan *s);
void ff_keep_match(ff_scan *s, uint32_t signature, const ff_event *ev, const ff_place *at, const ff_field *fields,
                   uint32_t n);
void ff_keep_fact(ff_scan *s, const ff_fact *f);
bool ff_tells_time_or_host(const ff_event *ev);
void ff_keep_sample(ff_scan *s, const ff_event *ev, uint32_t line);
void ff_keep_skip(ff_scan *s, uint32_t line, const char *reason);
ff_bytes ff_keep_bytes(ff_scan *s, ff_bytes b); /* a copy that lives; equal short ones are one */
ff_who ff_keep_who(ff_scan *s, const ff_who *who);
void ff_who_fill(ff_who *who, const ff_who *from); /* what who does not say yet */
/* A signal of a fact; fields and texts are copied to arena. */
ff_signal ff_signal_of_fact(const ff_fact *f, ff_arena *arena);
ff_bytes ff_cut_quote(ff_bytes line);
ff_who ff_who_copy(const ff_who *who, ff_arena *arena);

/* context.c */
void ff_keep_context(ff_scan *s, uint32_t signal, const ff_place *at);
void ff_keep_before(ff_scan *s, ff_bytes line, uint64_t offset); /* the newest line that comes before what follows */
void ff_keep_after(ff_scan *s, ff_bytes line, uint64_t offset);  /* a line has passed: to those who wait for it */

#endif
