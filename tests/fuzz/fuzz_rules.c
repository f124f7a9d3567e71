/* A rule file of a stranger: loaded into the sandbox, its samples tried. */
#include "fuzz.h"

#include "../../analyzer/base/embedded.h"
#include "../../analyzer/engine/engine.h"

#include <string.h>

static const ff_embedded *find_prelude(void)
{
    for (const ff_embedded *e = ff_embedded_rules; e->name; e++)
        if (strcmp(e->name, "rules/prelude.lua") == 0)
            return e;
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const ff_embedded *prelude = find_prelude();
    static const char causes[] =
        "cause { id = \"unknown\", title = \"t\" }\ncause { id = \"healthy\", title = \"t\" }\n"
        "cause { id = \"app.killed\", title = \"t\", class = \"lost\" }\n";
    ff_embedded files[] = { { .name = "rules/causes.lua", .bytes = causes, .n = sizeof causes - 1 },
                            { .name = "rules/fuzz.lua", .bytes = (const char *)data, .n = size },
                            *prelude,
                            { .name = NULL } };
    ff_rulebook *book = NULL;
    ff_error error = { 0 };
    if (ff_rulebook_load_from(files, NULL, 0, false, &book, &error) == FF_OK) {
        (void)ff_rulebook_check(book);
        ff_rulebook_free(book);
    }
    return 0;
}
