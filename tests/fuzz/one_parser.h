/* A target for one parser of documents, where the format is large enough to need all the time for itself. Define
 * PARSER (an ff_parser) and NAME (of the member) before. */
#include "fuzz.h"

#include "../../parsers/parser.h"
#include "../../parsers/recorder.h"

extern const ff_parser PARSER;

typedef struct kept {
    ff_arena arena;
    ff_dump_store *store;
    ff_dump *dumps[4];
    uint32_t n_dumps;
} kept;

static void open_kept(kept *k)
{
    k->n_dumps = 0;
    ff_arena_init(&k->arena);
    k->store = ff_dump_store_open(&k->arena);
}

static void close_kept(kept *k)
{
    ff_dump_store_close(k->store);
    ff_arena_done(&k->arena);
}

static void on_fact(void *owner, const ff_fact *fact)
{
    (void)owner;
    for (uint32_t i = 0; i < fact->n_fields; i++)
        if (fact->fields[i].s.n && !fact->fields[i].s.p)
            __builtin_trap();
}

static void on_event(void *owner, const ff_event *ev, uint32_t line, uint64_t offset, ff_bytes quote)
{
    ff_event inner = *ev;
    (void)owner, (void)line, (void)offset, (void)quote;
    (void)ff_undress(&inner);
}

static void on_skip(void *owner, uint32_t line, const char *reason) { (void)owner, (void)line, (void)reason; }
static void on_who(void *owner, const ff_who *who) { (void)owner, (void)who; }

static void on_dump(void *owner, ff_dump *dump)
{
    kept *k = owner;
    if (k->n_dumps < FF_COUNT(k->dumps))
        k->dumps[k->n_dumps++] = ff_dump_keep(k->store, dump);
}

static void on_aligned(void *owner, uint32_t member, const ff_fact *fact)
{
    (void)member;
    on_fact(owner, fact);
}

static void read_one(kept *k, ff_bytes bytes)
{
    ff_arena scratch;
    ff_arena_init(&scratch);
    ff_sink sink = { .owner = k,
                     .fact = on_fact,
                     .event = on_event,
                     .skip = on_skip,
                     .member_who = on_who,
                     .dump = on_dump,
                     .dumps = k->store,
                     .scratch = &scratch };
    ff_doc doc = { .name = FF_LIT(NAME), .bytes = bytes };
    ff_probe probe = { .name = FF_LIT(NAME), .head = ff_first_n(bytes, 65536), .whole = bytes.n <= 65536 };
    if (PARSER.probe(&probe) < 0)
        __builtin_trap();
    (void)PARSER.parse(&doc, &sink);
    ff_arena_done(&scratch);
}

/* Dumps are aligned with each other as those of ranks 0, 1, ... */
static void align_all(kept *k)
{
    ff_dump *list[FF_COUNT(k->dumps)];
    for (uint32_t i = 0; i < k->n_dumps; i++) {
        list[i] = k->dumps[i];
        list[i]->member = i;
        list[i]->rank = (int32_t)i;
    }
    ff_dump_table table = { list, k->n_dumps };
    if (k->n_dumps)
        ff_recorder_align(&table, &k->arena, on_aligned, k);
}
