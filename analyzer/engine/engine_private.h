/* What the files of this folder share: the Lua state with its limits, and the loader. Nobody else includes it. */
#ifndef FF_ENGINE_PRIVATE_H
#define FF_ENGINE_PRIVATE_H

#include <lauxlib.h>
#include <lua.h>

#include "../base/embedded.h"
#include "../clock/clock.h"
#include "engine.h"

/* ---- limits of rule code ---- */
#define FF_LUA_MEMORY (32u << 20)     /* bytes of the whole state: every rule, and one case at a time */
#define FF_LUA_STRING (64u << 10)     /* bytes of one string: comparing and joining cost their length */
#define FF_LUA_LOAD 50000000          /* instructions to run one rule file */
#define FF_LUA_JUDGE 20000000         /* instructions to judge one group */
#define FF_LUA_HOOK 1000              /* instructions between two looks at the budget */
#define FF_LUA_LIST 2000u             /* signals of one list of a case */
#define FF_LUA_CASE 12000u            /* signals of all lists of a case: about 12 MiB */
#define FF_LUA_FINDINGS 1000u         /* findings of one call */
#define FF_FINDINGS_MADE (8u * FF_CAP_FINDINGS) /* findings of all calls, before those are chosen that a report holds */
#define FF_RULE_FILE_BYTES (1u << 20) /* of one rule file */
#define FF_RULE_FILES 4096u           /* of one pack */
#define FF_RULE_DEPTH 16              /* folders in folders of a pack */
#define FF_RULE_LIST 512u             /* strings in one list of a rule */
#define FF_PROBLEMS 1000u

typedef FF_VEC(ff_rule_problem) ff_problem_list;

typedef struct ff_lua {
    lua_State *L;
    size_t used;         /* bytes */
    int64_t budget;      /* instructions left to the running call */
    bool guarded;        /* a protected call runs: refusing memory ends that call, and nothing else */
    const char *refusal; /* limit that was reached last */
    ff_bytes file;       /* of the running call */
    uint32_t line;       /* of its error */
    int words, env;      /* registry references: the real table of words, and what rule files see of it */
    ff_pattern_shelf *shelf;
    struct ff_loader *loader;   /* while rule files run */
    struct ff_session *session; /* while judges run */
    /* kept here rather than in the rulebook, as nobody else needs them: */
    ff_problem_list problems;
    uint32_t *by_id;    /* signatures in order of their ids */
    uint32_t *by_cause; /* causes in order of their ids */
    uint32_t n_builtin; /* signatures of the built-in pack come first */
    bool builtin_broken;
} ff_lua;

/* ---- lua_host.c ---- */
ff_lua *ff_lua_open(ff_error *error);
void ff_lua_close(ff_lua *h);
ff_lua *ff_lua_of(lua_State *L);
typedef struct ff_lua_limits {
    int64_t budget; /* instructions */
    ff_bytes file;  /* whose lines errors speak of */
} ff_lua_limits;
typedef struct ff_lua_fault {
    ff_bytes text; /* lives in the arena that was given */
    uint32_t line; /* in limits.file; 0: not known */
} ff_lua_fault;
/* Calls f(data) in protected mode. False: fault is set. */
bool ff_lua_protect(ff_lua *h, lua_CFunction f, void *data, const ff_lua_limits *limits, ff_arena *arena,
                    ff_lua_fault *fault);
/* Takes n instructions off the budget: for C functions whose cost grows with their arguments. Raises a Lua error. */
void ff_lua_charge(lua_State *L, size_t n);
/* Text chunk -> function on the stack, with env (registry reference) as its globals. Raises a Lua error. */
void ff_lua_load(lua_State *L, ff_bytes chunk, const char *name, int env);
/* The same from a chunk that the build compiled. False: this Lua cannot take it, and nothing is on the stack. */
bool ff_lua_load_chunk(lua_State *L, ff_bytes chunk, const char *name, int env);

/* ---- lua_words.c, lua_string.c, lua_list.c: the allow-list ---- */
void ff_lua_build_words(lua_State *L); /* fills h->words and h->env */
extern const luaL_Reg ff_string_words[], ff_list_words[];
int ff_word_pairs(lua_State *L);
void ff_lua_push_plain(lua_State *L, int index); /* like tostring, without addresses */

/* ---- rule_files.c ---- */
typedef struct ff_rule_file {
    ff_bytes name; /* "rules/gpu/xid.lua", or "PACK/net/ib.lua" */
    ff_bytes bytes;
    ff_bytes chunk; /* compiled with the program; empty: from the text */
    bool first; /* causes.lua of the pack: before all others */
} ff_rule_file;
typedef FF_VEC(ff_rule_file) ff_rule_file_list;
/* All *.lua below folder, causes.lua first, then in name order. FF_FATAL: it cannot be read. */
ff_status ff_rule_files_read(const char *folder, ff_arena *arena, ff_rule_file_list *out, ff_bytes *base_name,
                             ff_error *error);
void ff_rule_files_sort(ff_rule_file_list *list);
void ff_rule_files_digest(const ff_rule_file_list *list, uint8_t out[32]); /* in any order */

/* ---- loading ---- */
typedef struct ff_loaded_signature {
    ff_signature sig;
    ff_bytes cause; /* id; empty: says nothing */
    uint32_t pack;
    bool refused;
} ff_loaded_signature;

typedef struct ff_loaded_correlation {
    ff_correlation cor;
    ff_bytes *uses, *reach;
    uint32_t n_uses, n_reach;
    uint32_t pack;
    bool refused;
} ff_loaded_correlation;

typedef struct ff_loaded_cause {
    ff_cause cause;
    ff_bytes file;
    uint32_t pack, line;
    bool refused;
} ff_loaded_cause;

typedef struct ff_loader {
    ff_rulebook *book;
    ff_bytes file;
    uint32_t pack;
    bool named;    /* pack{} was seen in this pack */
    bool compiled; /* file came with the program, in compiled form */
    FF_VEC(ff_loaded_signature) signatures;
    FF_VEC(ff_loaded_correlation) correlations;
    FF_VEC(ff_loaded_cause) causes;
    FF_VEC(ff_pack) packs;
} ff_loader;

void ff_problem_add(ff_rulebook *b, ff_bytes file, ff_bytes rule, uint32_t line, const char *format, ...)
    FF_PRINTF(5, 6);

/* Tries the patterns and samples of the signatures from `from` on; how many problems were found. */
uint32_t ff_rules_check_samples(ff_rulebook *b, uint32_t from);

int ff_word_signature(lua_State *L);  /* load_signature.c */
int ff_word_cause(lua_State *L);      /* load_cause.c */
int ff_word_correlate(lua_State *L);  /* load_correlation.c */
int ff_word_pack(lua_State *L);       /* load_correlation.c */
void ff_loader_resolve(ff_loader *l); /* load_resolve.c: names -> numbers; what does not resolve is refused */

/* ---- form.c: a rule's table, read strictly. What does not fit becomes a problem and sets bad; reading goes on, so
 * the writer sees all of them at once. Texts are copied. ---- */
typedef struct ff_form {
    lua_State *L;
    int table; /* absolute stack index */
    ff_rulebook *book;
    ff_arena *arena; /* where texts go */
    ff_bytes file, rule;
    uint32_t line;
    const char *path; /* in front of key names in problems: "says." */
    bool bad;
} ff_form;

ff_form ff_form_open(lua_State *L, const char *word); /* argument 1 of word{...}; raises when it is no table */
void ff_form_refuse(ff_form *f, const char *format, ...) FF_PRINTF(2, 3);
void ff_form_keys(ff_form *f,
                  const char *const *allowed); /* NULL-terminated; whatever else stands there is refused */
bool ff_form_has(ff_form *f, const char *key);
void ff_form_id(ff_form *f, bool dotted, ff_bytes *out); /* key "id"; also names the form */
void ff_form_text(ff_form *f, const char *key, bool required, ff_bytes *out);
void ff_form_texts(ff_form *f, const char *key, bool required, ff_bytes **out,
                   uint32_t *n); /* a list, or one string */
void ff_form_flag(ff_form *f, const char *key, bool *out);
bool ff_form_int(ff_form *f, const char *key, bool required, int64_t low, int64_t high, int64_t *out);
void ff_form_streams(ff_form *f, const char *key, bool required, uint32_t *out);
/* One of a closed list, by a ..._from_name function; the text is kept in value for the message. */
bool ff_class_from_name(ff_bytes name, ff_bytes *out); /* load_cause.c */
#define FF_FORM_WORD(f, key, required, from_name, out)                                                               \
    do {                                                                                                             \
        ff_bytes form_word = { 0 };                                                                                  \
        ff_form_text((f), (key), (required), &form_word);                                                            \
        if (form_word.n > 0 && !from_name(form_word, (out)))                                                         \
            ff_form_refuse((f), "%s%s: unknown word \"%.*s\"", (f)->path, (key), (int)form_word.n, form_word.p);     \
    } while (0)
/* A table below this one, pushed on the stack; false: absent, or refused. Pop it when done. */
bool ff_form_open_part(ff_form *f, const char *key, const char *path, ff_form *part);
void ff_form_close_part(ff_form *f, const ff_form *part);

/* ---- template.c ---- */
/* First {name} in text that is none of names: for the loader. False: all are known and closed. */
bool ff_template_unknown(ff_bytes text, const ff_bytes *names, uint32_t n, ff_bytes *unknown);
extern const char
    *const ff_who_names[]; /* names that stand in summaries besides fields: host, rank, ...; NULL at the end */

/* ---- judging ---- */
typedef struct ff_session { /* one ff_judge */
    ff_rulebook *book;
    const ff_evidence *evidence;
    ff_arena *arena;
    uint32_t *first; /* kind -> first index into refs; kinds + 1 entries */
    uint32_t *refs;  /* signal refs by kind, ascending */
    uint32_t *given; /* ref -> number of the call that handed it out */
    uint32_t call;
    struct ff_case *at_hand; /* what the running call judges */
    FF_VEC(ff_finding) findings;
    FF_VEC(struct ff_not_judged) not_judged;
    bool full; /* FF_FINDINGS_MADE was reached */
} ff_session;

typedef struct ff_group { /* the signals of one host, rank, ... */
    ff_bytes host, text;  /* what the key is made of */
    int64_t number;
    const uint32_t *refs; /* ascending */
    uint32_t n;
} ff_group;
typedef FF_VEC(ff_group) ff_group_list;

/* group.c: cuts refs (ascending) by scope; groups in key order, their refs in arena. */
void ff_groups_cut(const ff_evidence *evidence, const uint32_t *refs, uint32_t n, ff_scope scope, ff_arena *arena,
                   ff_group_list *out);
ff_bytes ff_group_label(const ff_group *g, ff_scope scope, ff_arena *arena);

/* case_table.c */
typedef struct ff_case {
    ff_session *session;
    const ff_correlation *cor;
    const ff_group *group;
    ff_bytes label;
    int reach; /* registry reference: ref -> signal table, shared by all groups of the correlation; LUA_NOREF */
    bool cut;  /* a list was longer than the limits */
    uint32_t room; /* signals that the call may still be given */
} ff_case;
void ff_case_push(lua_State *L, ff_case *c);
int ff_word_order(lua_State *L);
int ff_word_gap(lua_State *L);

void ff_finding_add(ff_session *s, const ff_finding *f); /* judge.c */
/* fewer.c: those of findings[0..n) that a report holds, put in front; how many. What goes is told as a problem. */
uint32_t ff_findings_fewer(ff_session *s, ff_finding *findings, uint32_t n);

/* read_finding.c: the table on top of the stack -> findings of the session; what is wrong becomes a problem. */
void ff_finding_read(lua_State *L, const ff_case *c);
/* Summary with the fields and names of signal ref, and facts. */
ff_bytes ff_summary_fill(const ff_session *s, ff_bytes text, uint32_t ref, const ff_finding *f);

#endif
