/* The tables of list.h and facts.h. */
#include "parser.h"

#define FF_PARSER(name) extern const ff_parser ff_parser_##name;
#define FF_COAT(name) extern const ff_coat ff_coat_##name;
#define FF_READER(name) extern const ff_reader ff_reader_##name;
#define FF_BLOCK(name) extern const ff_block ff_block_##name;
#include "list.h"

#define FF_PARSER(name) &ff_parser_##name,
const ff_parser *const ff_parsers[] = {
#include "list.h"
};
#define FF_COAT(name) &ff_coat_##name,
const ff_coat *const ff_coats[] = {
#include "list.h"
};
#define FF_READER(name) &ff_reader_##name,
const ff_reader *const ff_readers[] = {
#include "list.h"
};
#define FF_BLOCK(name) &ff_block_##name,
const ff_block *const ff_blocks[] = {
#include "list.h"
};
const unsigned ff_n_parsers = FF_COUNT(ff_parsers);
const unsigned ff_n_coats = FF_COUNT(ff_coats);
const unsigned ff_n_readers = FF_COUNT(ff_readers);
const unsigned ff_n_blocks = FF_COUNT(ff_blocks);

static const struct {
    const char *name;
    uint32_t stream;
} facts[] = {
#define FF_FACT(symbol, text, mask) { text, mask },
#include "facts.h"
#undef FF_FACT
};

const char *ff_fact_name(uint32_t id) { return id < FF_COUNT(facts) ? facts[id].name : NULL; }
uint32_t ff_fact_stream(uint32_t id) { return id < FF_COUNT(facts) ? facts[id].stream : 0; }
