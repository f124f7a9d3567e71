/* Runs a document parser and keeps what it gives, with texts copied. */
#ifndef FF_DOC_CATCH_H
#define FF_DOC_CATCH_H

#include <stdlib.h>

#include "check.h"
#include "../parsers/parser.h"
#include "../parsers/recorder.h"

typedef struct caught_fact {
    ff_fact fact;
    uint32_t member;
} caught_fact;

typedef struct caught {
    ff_arena arena;
    FF_VEC(caught_fact) facts;
    FF_VEC(ff_event) events;
    FF_VEC(ff_dump *) dumps;
    ff_dump_store *store;
    uint32_t skips;
    int32_t member_rank;
} caught;

static caught got;

static ff_bytes catch_copy(ff_bytes b) { return b.n ? ff_arena_copy(&got.arena, b) : (ff_bytes){ 0 }; }

static ff_who catch_who(ff_who who)
{
    ff_bytes *texts[] = { &who.host,      &who.boot,   &who.unit, &who.pod,      &who.pod_uid,
                          &who.container, &who.cgroup, &who.gpu,  &who.gpu_uuid, &who.process };
    for (size_t i = 0; i < FF_COUNT(texts); i++)
        *texts[i] = catch_copy(*texts[i]);
    return who;
}

static void catch_aligned(void *owner, uint32_t member, const ff_fact *fact)
{
    (void)owner;
    caught_fact c = { *fact, member };
    ff_field *fields = FF_NEW_N(&got.arena, ff_field, fact->n_fields ? fact->n_fields : 1);
    for (uint32_t i = 0; i < fact->n_fields; i++) {
        fields[i] = fact->fields[i];
        fields[i].name = catch_copy(fields[i].name);
        fields[i].s = catch_copy(fields[i].s);
    }
    c.fact.fields = fields;
    c.fact.quote = catch_copy(fact->quote);
    c.fact.who = catch_who(fact->who);
    FF_PUSH(&got.facts, c);
}

static void catch_fact(void *owner, const ff_fact *fact) { catch_aligned(owner, 0, fact); }

static void catch_event(void *owner, const ff_event *ev, uint32_t line, uint64_t offset, ff_bytes quote)
{
    (void)owner;
    (void)offset;
    ff_event copy = *ev;
    copy.text = catch_copy(ev->text);
    copy.ident = catch_copy(quote); /* the quote, for checks */
    copy.who = catch_who(ev->who);
    copy.who.pid = (int32_t)line;
    FF_PUSH(&got.events, copy);
}

static void catch_skip(void *owner, uint32_t line, const char *reason)
{
    (void)owner;
    (void)line;
    CHECK(reason != NULL);
    got.skips++;
}

static void catch_member(void *owner, const ff_who *who)
{
    (void)owner;
    got.member_rank = who->rank;
}

static void catch_dump(void *owner, ff_dump *dump)
{
    (void)owner;
    ff_dump *copy = ff_dump_keep(got.store, dump);
    copy->member = got.dumps.n;
    FF_PUSH(&got.dumps, copy);
}

static inline void catch_reset(void)
{
    ff_arena_done(&got.arena);
    ff_free(got.facts.at);
    ff_free(got.events.at);
    ff_free(got.dumps.at);
    ff_dump_store_close(got.store);
    got = (caught){ .member_rank = FF_NO_NUMBER };
}

/* The bytes are copied to a block of exactly their size, so that any read past the end is seen, and freed afterwards.
 */
static inline ff_status catch_parse(const ff_parser *parser, const char *name, ff_bytes bytes)
{
    char *copy = malloc(bytes.n ? bytes.n : 1);
    if (bytes.n)
        memcpy(copy, bytes.p, bytes.n);
    ff_arena scratch;
    ff_arena_init(&scratch);
    if (!got.store)
        got.store = ff_dump_store_open(&got.arena);
    ff_sink sink = { .fact = catch_fact,
                     .event = catch_event,
                     .skip = catch_skip,
                     .member_who = catch_member,
                     .dump = catch_dump,
                     .dumps = got.store,
                     .scratch = &scratch };
    ff_doc doc = { .name = ff_str(name), .bytes = { copy, bytes.n } };
    ff_status status = parser->parse(&doc, &sink);
    ff_arena_done(&scratch);
    free(copy);
    return status;
}

static inline void catch_align(void)
{
    ff_dump_table table = { got.dumps.at, got.dumps.n };
    ff_arena arena;
    ff_arena_init(&arena);
    ff_recorder_align(&table, &arena, catch_aligned, NULL);
    ff_arena_done(&arena);
}

static inline const char *catch_detect(const char *name, ff_bytes bytes)
{
    ff_probe probe = { ff_str(name), ff_first_n(bytes, 65536), bytes.n <= 65536 };
    const char *second = NULL;
    const ff_parser *best = ff_detect(&probe, &second);
    return best ? best->name : "";
}

static inline uint32_t count_facts(ff_fact_id id)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < got.facts.n; i++)
        n += got.facts.at[i].fact.id == id;
    return n;
}

/* The n-th fact of that id; a fact without fields when there is none. */
static inline const ff_fact *nth_fact(ff_fact_id id, uint32_t n)
{
    static const ff_fact none;
    for (uint32_t i = 0; i < got.facts.n; i++)
        if (got.facts.at[i].fact.id == id && n-- == 0)
            return &got.facts.at[i].fact;
    return &none;
}

static inline ff_bytes field_text(const ff_fact *f, const char *name)
{
    for (uint32_t i = 0; i < f->n_fields; i++)
        if (ff_equal(f->fields[i].name, ff_str(name)))
            return f->fields[i].s;
    return (ff_bytes){ 0 };
}

static inline int64_t field_int(const ff_fact *f, const char *name)
{
    for (uint32_t i = 0; i < f->n_fields; i++)
        if (ff_equal(f->fields[i].name, ff_str(name)))
            return f->fields[i].is_float ? (int64_t)f->fields[i].f : f->fields[i].i;
    return -999;
}

/* Every prefix of bytes, and every prefix with its last byte changed, must end cleanly. */
static inline void catch_every_cut(const ff_parser *parser, const char *name, ff_bytes bytes)
{
    char *text = malloc(bytes.n + 1);
    memcpy(text, bytes.p, bytes.n);
    for (size_t n = 0; n <= bytes.n; n++) {
        (void)catch_parse(parser, name, (ff_bytes){ text, n });
        catch_align();
        catch_reset();
        if (!n)
            continue;
        char kept = text[n - 1];
        text[n - 1] = (char)(kept ^ (n % 2 ? 0x80 : 0x15));
        (void)catch_parse(parser, name, bytes.n > 2048 ? (ff_bytes){ text, n } : (ff_bytes){ text, bytes.n });
        catch_reset();
        text[n - 1] = kept;
    }
    free(text);
    check_passed++;
}

#endif
