/* The texts of a pickle, by its opcodes: next to each other, the bytes of opcodes look like letters of the text
 * before them. Nothing is built and nothing is run. */
#include "redact_private.h"

#include "../../parsers/pickle_op.h"

/* A text that was cut with the file is a text all the same. */
bool ff_redact_next_text(ff_bytes *rest, ff_bytes *text)
{
    ff_pickle_span span;
    while (rest->n && ff_pickle_measure(*rest, &span)) {
        ff_bytes body = ff_skip_n(*rest, span.head);
        body = span.body < body.n ? ff_first_n(body, (size_t)span.body) : body;
        *rest = ff_skip_n(*rest, span.head + body.n);
        *text = body;
        if (span.kind == FF_PICKLE_TEXT)
            return true;
    }
    return false;
}
