/* Shared by the files of analyzer/redact/ only. */
#ifndef FF_REDACT_PRIVATE_H
#define FF_REDACT_PRIVATE_H

#include "redact.h"

enum {
    FF_SECRET_CAP = 1000000, /* distinct things of one bundle: 4,096 nodes with all their ports have 200,000 */
    FF_LISTED_CAP = 1 << 24, /* hosts in all lists: 4,096 nodes in 4,096 lines */
    FF_NORMAL_MOST = 512     /* bytes of a value; what is longer is no name */
};

typedef struct ff_thing {
    ff_bytes value;     /* normalised: lower case, hex things without separators */
    ff_bytes pseudonym; /* in the normalised form; set by settle */
    uint32_t number;    /* of its kind, from 1, in the order of values */
    ff_secret kind;
    bool everywhere; /* replaced wherever it stands as a word, not only where its shape or label shows it */
} ff_thing;
typedef FF_VEC(ff_thing *) ff_things;

typedef struct ff_spot { /* in a line */
    size_t at, n;
    ff_secret kind;
} ff_spot;
typedef FF_VEC(ff_spot) ff_spots;

typedef struct ff_table { /* things by the hash of what they are found by, open addressing */
    ff_thing **slots;
    uint64_t *hashes;
    uint32_t n, n_slots; /* n_slots: a power of two */
} ff_table;

/* Of the first three bytes of a word, five bits each: they are the same for both cases of a letter. In the table: the
 * length of the longest thing that begins so, and whether labels and credentials do. */
enum { FF_HEADS = 1 << 15, FF_HEAD_LENGTH = 0x3ff, FF_HEAD_LABEL = 0x400, FF_HEAD_CREDENTIAL = 0x800 };
static inline unsigned ff_head_of(ff_bytes rest)
{
    unsigned head = 0;
    for (size_t i = 0; i < 3; i++)
        head = head << 5 | (i < rest.n ? (unsigned char)rest.p[i] & 31u : 0u);
    return head;
}

struct ff_redactor {
    ff_arena arena;
    ff_things things;                 /* as learned; by kind and value once settled */
    ff_table by_value;                /* all of them */
    ff_table families;                /* hosts' names with every digit as '#' */
    ff_table words;                   /* what is replaced everywhere: one thing a value */
    bool lengths[FF_NORMAL_MOST + 1]; /* of those */
    uint16_t heads[FF_HEADS];         /* what may begin with these three bytes; most words fall here */
    bool full, settled;
    uint32_t counts[FF_SECRETS]; /* of credentials: how often they stood there */
    uint64_t listed;             /* hosts in lists, since learning or replacing began */
    ff_spots finds;              /* scratch of the line at hand */
};

/* ---- shape.c: what shows by its form. Each looks at the start of rest, and gives its length; 0: it is none. ---- */
size_t ff_shape_ipv4(ff_bytes rest);
size_t ff_shape_ipv6(ff_bytes rest);
size_t ff_shape_mac(ff_bytes rest);
size_t ff_shape_uuid(ff_bytes rest); /* with dashes, with underscores as in a cgroup, or 32 hex digits */
size_t ff_shape_guid(
    ff_bytes rest); /* 16 hex digits: after 0x, in four groups, or bare; only where a label says so */
size_t ff_shape_email(ff_bytes rest);
size_t ff_shape_credential(ff_bytes rest);                /* known prefixes of keys and tokens */
void ff_shape_credential_heads(uint16_t heads[FF_HEADS]); /* marks what those begin with */
size_t ff_shape_domain(ff_bytes rest);                    /* host.site.tld */
size_t ff_shape_address_name(ff_bytes rest);
size_t ff_shape_instance(ff_bytes rest);

/* ---- label.c: what shows by the word before it ---- */
/* rest begins with a label ("user=alice", "Serial Number : 165..."): where its value lies. False: no label. */
bool ff_label_at(ff_bytes rest, ff_spot *value);
void ff_label_heads(uint16_t heads[FF_HEADS]); /* marks what labels begin with */
bool ff_is_nothing(ff_bytes value); /* "N/A", "none", "root", "0": what stands where there is nothing to hide */

/* ---- path.c ---- */
/* Does line[at], a slash, follow the name of a store of objects ("s3:/", "wandb.ai")? What follows is private from
 * its first part on. Length of the path; 0: none. */
size_t ff_path_in_store(ff_bytes line, size_t at);
size_t ff_path_at(ff_bytes rest); /* rest begins with "/": length of a path below a private folder; 0: none */
/* Next part of a path that is private, from *from on (0: from its start); moves *from. */
bool ff_path_next(ff_bytes path, size_t *from, ff_spot *out);

/* ---- pickle.c ---- */
/* Moves past the next text. False: there is none, or what follows is no pickle (rest is not empty then). */
bool ff_redact_next_text(ff_bytes *rest, ff_bytes *text);

/* ---- store.c: things by value ---- */
ff_thing *ff_store_find(const ff_redactor *r, ff_secret kind, ff_bytes normal);
const ff_thing *ff_store_beginning(const ff_redactor *r, ff_bytes text); /* the UUID that begins so; once settled */
ff_thing *ff_store_add(ff_redactor *r, ff_secret kind, ff_bytes normal); /* NULL: the cap, which is remembered */
void ff_store_widen(ff_redactor *r, ff_thing *t);                        /* from now on it is replaced everywhere */
/* The longest thing that is replaced everywhere and that rest begins with, as a word of its own; its length in *n. */
const ff_thing *ff_store_word(const ff_redactor *r, ff_bytes rest, size_t *n);
bool ff_store_has_family(const ff_redactor *r, ff_bytes family);
void ff_store_add_family(ff_redactor *r, ff_bytes family);
void ff_store_done(ff_redactor *r);
/* value in the form that the store knows; in scratch, FF_NORMAL_MOST bytes. Empty: too long. */
ff_bytes ff_normal(ff_secret kind, ff_bytes value, char *scratch);

/* ---- false_name.c ---- */
void ff_false_names(ff_redactor *r); /* number and pseudonym of every thing; things are sorted */
/* Adds the pseudonym of what stands as `original`, with its separators, or in its length. */
void ff_false_name_add(const ff_thing *t, ff_bytes original, bool in_place, ff_text *out);
bool ff_is_false_name(ff_secret kind, ff_bytes normal);
bool ff_is_open_part(ff_bytes part); /* part of a name that stays: digits, "worker", "nvidia" */
/* Calls take for each part of a name between '-', '.', '_' and '/', and for each run of those. */
void ff_each_part(ff_bytes name, void (*take)(void *owner, ff_bytes part, bool separator), void *owner);

/* ---- find.c ---- */
/* All private things of a line, in order, none over another, in r->finds. */
void ff_find_all(ff_redactor *r, ff_bytes line);
void ff_add_family(ff_redactor *r, ff_bytes host);

#endif
