/* The strings of a pickle, by its opcodes: next to each other, the bytes of opcodes look like letters of the string
 * before them. Nothing is built and nothing is run. */
#include "redact_private.h"

typedef enum shape {
    UNKNOWN,
    PLAIN,   /* n bytes follow */
    LINES,   /* n lines follow */
    COUNTED, /* a count of n bytes, then that many */
    STRING   /* the same, and it is text */
} shape;

typedef struct opcode {
    const char *codes;
    shape shape;
    unsigned char n;
} opcode;

static const opcode opcodes[] = {
    { "().012NQRabd}el]ostu\x81\x85\x86\x87\x88\x89\x8f\x90\x91\x92\x93\x94\x97\x98", PLAIN, 0 },
    { "Kqh\x80\x82", PLAIN, 1 },
    { "M\x83", PLAIN, 2 },
    { "Jjr\x84", PLAIN, 4 },
    { "G\x95", PLAIN, 8 },
    { "ILFgpPSV", LINES, 1 },
    { "ci", LINES, 2 },
    { "C\x8a", COUNTED, 1 },
    { "B\x8b", COUNTED, 4 },
    { "\x8e\x96", COUNTED, 8 },
    { "U\x8c", STRING, 1 },
    { "TX", STRING, 4 },
    { "\x8d", STRING, 8 },
};

static const opcode *opcode_of(char code)
{
    for (size_t i = 0; i < FF_COUNT(opcodes); i++)
        if (code && strchr(opcodes[i].codes, code))
            return &opcodes[i];
    return NULL;
}

static bool skip_lines(ff_bytes *rest, unsigned n)
{
    ff_bytes line;
    while (n--)
        if (!ff_take_until(rest, '\n', &line))
            return false;
    return true;
}

static bool take_count(ff_bytes *rest, unsigned n, uint64_t *count)
{
    if (rest->n < n)
        return false;
    *count = 0;
    for (unsigned i = 0; i < n; i++)
        *count |= (uint64_t)(unsigned char)rest->p[i] << 8 * i;
    *rest = ff_skip_n(*rest, n);
    return true;
}

/* A string that was cut with the file is a string all the same. */
bool ff_pickle_next(ff_bytes *rest, ff_bytes *string)
{
    while (rest->n) {
        const opcode *op = opcode_of(rest->p[0]);
        uint64_t count = 0;
        if (!op)
            return false;
        *rest = ff_skip_n(*rest, 1);
        if (op->shape == LINES && !skip_lines(rest, op->n))
            return false;
        if (op->shape == PLAIN)
            *rest = ff_skip_n(*rest, op->n);
        if (op->shape != COUNTED && op->shape != STRING)
            continue;
        if (!take_count(rest, op->n, &count))
            return false;
        size_t n = count < rest->n ? (size_t)count : rest->n;
        *string = ff_first_n(*rest, n);
        *rest = ff_skip_n(*rest, n);
        if (op->shape == STRING)
            return true;
    }
    return false;
}
