/* A pattern of a stranger's rule, compiled and tried on a text: first line the pattern, then the text. Whatever it
 * is, it is refused, gives up at its limit, or gives captures that lie in the text. Field types read the same text.
 */
#include "fuzz.h"

#include "../../analyzer/match/match.h"

static void try_fields(ff_bytes text)
{
    ff_arena arena;
    ff_arena_init(&arena);
    for (unsigned type = 0; type < FF_FIELD_TYPES; type++) {
        ff_field field = { .name = FF_LIT("x") };
        ff_who who = FF_WHO_NOBODY;
        if (ff_field_read((ff_field_type)type, text, &arena, &field))
            ff_field_into_who(&field, &who);
    }
    ff_arena_done(&arena);
}

static void try_signature(ff_bytes pattern, ff_bytes text)
{
    ff_bytes needle = ff_first_n(text, 6);
    ff_field_decl field = { FF_LIT("n"), FF_FIELD_TEXT };
    ff_signature s = { .id = FF_LIT("fuzz"),
                       .streams = FF_STREAM_ANY,
                       .needles = &needle,
                       .n_needles = 1,
                       .pattern = pattern,
                       .fields = &field,
                       .n_fields = 1,
                       .file = FF_LIT("fuzz") };
    ff_error error = { 0 };
    (void)ff_signature_compiles(&s, &error);
    s.n_fields = 0;
    (void)ff_signature_compiles(&s, &error);
    (void)ff_signature_has_needle(&s, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ff_bytes text = { (const char *)data, size }, pattern;
    ff_error error = { 0 };
    if (!ff_take_until(&text, '\n', &pattern))
        pattern = (ff_bytes){ NULL, 0 };
    try_signature(pattern, text);
    try_fields(text);
    ff_pattern_shelf *shelf = ff_pattern_shelf_open();
    ff_capture captures[8] = { { 0 } };
    uint32_t n = 0;
    for (unsigned again = 0; again < 2; again++) { /* the second time it comes from the shelf */
        if (ff_pattern_try(shelf, pattern, text, captures, FF_COUNT(captures), &n, &error) != FF_OK)
            continue;
        for (uint32_t i = 0; i < n; i++)
            if (captures[i].set && (captures[i].from > text.n || captures[i].to > text.n))
                __builtin_trap();
    }
    ff_pattern_shelf_close(shelf);
    return 0;
}
