/* What the engine tests share: rule text in, rulebook out; signals made by hand. */
#ifndef FF_ENGINE_BENCH_H
#define FF_ENGINE_BENCH_H

#include <stdlib.h>

#include "../analyzer/base/embedded.h"
#include "../analyzer/engine/engine.h"
#include "check.h"

/* The real prelude with `rules` as the only file of the built-in pack. NULL: error is filled. */
static inline ff_rulebook *bench_load(const char *rules, ff_error *error)
{
    ff_embedded list[3] = { { 0 } };
    for (const ff_embedded *e = ff_embedded_rules; e->name; e++)
        if (strcmp(e->name, "rules/prelude.lua") == 0)
            list[0] = *e;
    list[1] = (ff_embedded){ .name = "rules/t.lua", .bytes = rules, .n = strlen(rules) };
    ff_rulebook *b = NULL;
    *error = (ff_error){ { 0 } };
    (void)ff_rulebook_load_from(list, NULL, 0, false, &b, error);
    return b;
}

/* The rules must be refused, with this text after the file name. */
static inline void bench_refused(const char *rules, const char *want, const char *file, int line)
{
    ff_error error;
    ff_rulebook *b = bench_load(rules, &error);
    const char *at = strstr(error.text, "rules/t.lua:");
    if (b == NULL && at && strncmp(at + 12, want, strlen(want)) == 0) {
        check_passed++;
    } else {
        check_failed++;
        fprintf(stderr, "%s:%d: wanted \"...%s\", got \"%s\"\n", file, line, want, b ? "(accepted)" : error.text);
    }
    ff_rulebook_free(b);
}
#define REFUSED(rules, want) bench_refused(rules, want, __FILE__, __LINE__)

static inline void bench_accepted(const char *rules, const char *file, int line)
{
    ff_error error;
    ff_rulebook *b = bench_load(rules, &error);
    if (b) {
        check_passed++;
    } else {
        check_failed++;
        fprintf(stderr, "%s:%d: refused: %s\n", file, line, error.text);
    }
    ff_rulebook_free(b);
}
#define ACCEPTED(rules) bench_accepted(rules, __FILE__, __LINE__)

#endif
