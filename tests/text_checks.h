/* What a written text is asked, whatever its format. */
#ifndef FF_TEST_TEXT_CHECKS_H
#define FF_TEST_TEXT_CHECKS_H

#include "../analyzer/base/text.h"

static inline bool has(const ff_text *t, const char *what) { return ff_contains(ff_text_view(t), ff_str(what)); }

static inline unsigned count_of(ff_bytes in, const char *what)
{
    unsigned n = 0;
    for (size_t at = ff_find(in, ff_str(what)); at <= in.n; at = ff_find(in, ff_str(what))) {
        n++;
        in = ff_skip_n(in, at + strlen(what));
    }
    return n;
}

/* Nothing that a terminal obeys or that reorders text; "\r" only where the format ends its lines with it. */
static inline bool is_clean(ff_bytes b)
{
    ff_text again;
    ff_text_init(&again, 0);
    bool good = true;
    for (ff_bytes line; good && ff_take_line(&b, &line);) {
        again.n = 0;
        ff_text_add_clean(&again, line);
        good = ff_equal(ff_text_view(&again), line);
    }
    ff_text_done(&again);
    return good;
}

#endif
