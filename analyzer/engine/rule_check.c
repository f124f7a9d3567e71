/* Patterns and samples of signatures: each `match` must be found the way a log line is, each `ignore` must not. */
#include "engine_private.h"

typedef struct check {
    ff_rulebook *book;
    ff_scanner *scanner;
    uint32_t sig;
    uint32_t found;
} check;

static void complain(check *c, const char *list, uint32_t i, const char *what, ff_bytes name)
{
    const ff_signature *s = &c->book->signatures[c->sig];
    ff_problem_add(c->book, s->file, s->id, s->line, "%s sample %u %s%.*s", list, (unsigned)i + 1, what, (int)name.n,
                   name.p ? name.p : "");
    c->found++;
}

static void check_match(check *c, uint32_t i)
{
    const ff_signature *s = &c->book->signatures[c->sig];
    ff_bytes none = { 0 }, unfit = { 0 };
    ff_field fields[FF_MATCH_FIELDS];
    uint32_t n = 0;
    bool limit = false;
    if (!ff_signature_has_needle(s, s->match[i]))
        complain(c, "match", i, "holds none of the needles", none);
    if (!ff_match_strict(c->scanner, c->sig, s->match[i], fields, &n, &limit, &unfit))
        complain(c, "match", i, limit ? "makes the pattern give up at its limit" : "does not match the pattern",
                 none);
    else if (unfit.n > 0)
        complain(c, "match", i, "does not fit the type of field ", unfit);
}

static void check_ignore(check *c, uint32_t i)
{
    const ff_signature *s = &c->book->signatures[c->sig];
    ff_field fields[FF_MATCH_FIELDS];
    uint32_t n = 0;
    bool limit = false;
    if (ff_match_one(c->scanner, c->sig, s->ignore[i], fields, &n, &limit))
        complain(c, "ignore", i, "matches the pattern", (ff_bytes){ 0 });
    else if (limit)
        complain(c, "ignore", i, "makes the pattern give up at its limit", (ff_bytes){ 0 });
}

uint32_t ff_rules_check_samples(ff_rulebook *b, uint32_t from)
{
    ff_match_options options = { .prefilter_off = true };
    ff_error error = { { 0 } };
    ff_matcher *m = ff_matcher_open(b->signatures, b->n_signatures, NULL, 0, &options, &error);
    check c = { .book = b, .scanner = m ? ff_scanner_open(m, &error) : NULL };
    if (!c.scanner) {
        ff_problem_add(b, (ff_bytes){ 0 }, (ff_bytes){ 0 }, 0, "%s", error.text);
        ff_matcher_close(m);
        return 1;
    }
    for (c.sig = from; c.sig < b->n_signatures; c.sig++) {
        const ff_signature *s = &b->signatures[c.sig];
        if (!ff_signature_compiles(s, &error)) {
            ff_problem_add(b, s->file, s->id, s->line, "%s", error.text);
            c.found++;
            continue;
        }
        for (uint32_t i = 0; i < s->n_match; i++)
            check_match(&c, i);
        for (uint32_t i = 0; i < s->n_ignore; i++)
            check_ignore(&c, i);
    }
    ff_scanner_close(c.scanner);
    ff_matcher_close(m);
    return c.found;
}

uint32_t ff_rulebook_check(ff_rulebook *b) { return ff_rules_check_samples(b, 0); }
