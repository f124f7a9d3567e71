/* The reader of binary systemd journals: whatever the objects, sizes and offsets of the file, it gives text of its
 * export format and an end, never more bytes than its entries can name. */
#include "fuzz.h"

#include "../../analyzer/intake/intake_private.h"

typedef struct memory_source {
    ff_source source;
    ff_bytes rest;
} memory_source;

static int64_t read_memory(ff_source *s, char *to, size_t n)
{
    memory_source *m = (memory_source *)s;
    n = n < m->rest.n ? n : m->rest.n;
    if (n)
        memcpy(to, m->rest.p, n);
    m->rest = ff_skip_n(m->rest, n);
    return (int64_t)n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ff_bytes all = { (const char *)data, size };
    ff_bytes head = ff_first_n(all, size < FF_WINDOW_BODY ? size : FF_WINDOW_BODY);
    if (!ff_is_journal(head))
        return 0;
    memory_source below = { { .read = read_memory }, ff_skip_n(all, head.n) };
    ff_source *journal = ff_journal_open(&below.source, head);
    char piece[4096];
    int64_t n;
    while ((n = journal->read(journal, piece, sizeof piece)) > 0)
        if ((size_t)n > sizeof piece)
            __builtin_trap();
    ff_journal_close(journal);
    return 0;
}
