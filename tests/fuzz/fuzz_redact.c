/* Redaction of any bytes, as text and as a pickle. Promises: as many lines as before, nothing depends on how the text
 * came in pieces, and a pickle stays the same pickle: each opcode where it was, only texts have other letters. */
#include "fuzz.h"

#include "../../analyzer/redact/redact.h"
#include "../../parsers/pickle_op.h"

#include <stdlib.h>

static void apply_whole(ff_redactor *r, ff_bytes text, ff_text *out)
{
    bool in_key = false;
    ff_redactor_apply(r, text, &in_key, out);
}

static void apply_lines(ff_redactor *r, ff_bytes text, ff_text *out)
{
    bool in_key = false;
    while (text.n) {
        size_t n = ff_find(text, FF_LIT("\n")) + 1;
        n = n < text.n ? n : text.n;
        ff_redactor_apply(r, ff_first_n(text, n), &in_key, out);
        text = ff_skip_n(text, n);
    }
}

static size_t lines_of(ff_bytes text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++)
        n += text.p[i] == '\n';
    return n;
}

static void try_text(ff_bytes text)
{
    ff_redactor *r = ff_redactor_open();
    ff_error error = { 0 };
    ff_text one, two;
    ff_text_init(&one, 0);
    ff_text_init(&two, 0);
    ff_redactor_name(r, FF_SECRET_HOST, ff_first_n(text, 12));
    ff_redactor_name(r, FF_SECRET_NAME, FF_LIT("team/trainer-7f-worker-0"));
    ff_redactor_learn(r, text);
    if (ff_redactor_settle(r, &error) != FF_OK)
        abort();
    apply_whole(r, text, &one);
    apply_lines(r, text, &two);
    if (!ff_equal(ff_text_view(&one), ff_text_view(&two)) || lines_of(text) != lines_of(ff_text_view(&one)))
        __builtin_trap();
    ff_redactor_add_map(r, &two);
    for (unsigned kind = 0; kind < FF_SECRETS; kind++)
        (void)ff_redactor_add_residue(r, (ff_secret)kind, 10, &two);
    ff_text_done(&one);
    ff_text_done(&two);
    ff_redactor_close(r);
}

/* Opcode by opcode: the same ones, in the same lengths. */
static void expect_same_shape(ff_bytes before, ff_bytes after)
{
    ff_pickle_span a, b;
    while (before.n && ff_pickle_measure(before, &a)) {
        if (!after.n || !ff_pickle_measure(after, &b) || a.kind != b.kind || a.head != b.head || a.body != b.body ||
            memcmp(before.p, after.p, a.head) != 0)
            __builtin_trap();
        size_t n = a.body < before.n - a.head ? a.head + (size_t)a.body : before.n;
        before = ff_skip_n(before, n);
        after = ff_skip_n(after, n);
    }
    if (after.n)
        __builtin_trap();
}

static void try_pickle(ff_bytes pickle)
{
    ff_redactor *r = ff_redactor_open();
    ff_error error = { 0 };
    ff_text out;
    ff_text_init(&out, 0);
    ff_redactor_learn_pickle(r, pickle);
    if (ff_redactor_settle(r, &error) != FF_OK)
        abort();
    ff_redactor_apply_pickle(r, pickle, &out);
    expect_same_shape(pickle, ff_text_view(&out));
    ff_text_done(&out);
    ff_redactor_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ff_bytes all = { (const char *)data, size };
    if (size && data[0] == 0x80)
        try_pickle(all);
    else
        try_text(all);
    return 0;
}
