/* Format: CPython Lib/pickletools.py, protocols 0 to 5. */
#include "pickle_op.h"

const ff_pickle_shape ff_pickle_shapes[256] = {
    ['('] = { FF_PICKLE_PLAIN, 0 },    [')'] = { FF_PICKLE_PLAIN, 0 },    ['.'] = { FF_PICKLE_PLAIN, 0 },
    ['0'] = { FF_PICKLE_PLAIN, 0 },    ['1'] = { FF_PICKLE_PLAIN, 0 },    ['2'] = { FF_PICKLE_PLAIN, 0 },
    ['N'] = { FF_PICKLE_PLAIN, 0 },    ['Q'] = { FF_PICKLE_PLAIN, 0 },    ['R'] = { FF_PICKLE_PLAIN, 0 },
    ['a'] = { FF_PICKLE_PLAIN, 0 },    ['b'] = { FF_PICKLE_PLAIN, 0 },    ['d'] = { FF_PICKLE_PLAIN, 0 },
    ['}'] = { FF_PICKLE_PLAIN, 0 },    ['e'] = { FF_PICKLE_PLAIN, 0 },    ['l'] = { FF_PICKLE_PLAIN, 0 },
    [']'] = { FF_PICKLE_PLAIN, 0 },    ['o'] = { FF_PICKLE_PLAIN, 0 },    ['s'] = { FF_PICKLE_PLAIN, 0 },
    ['t'] = { FF_PICKLE_PLAIN, 0 },    ['u'] = { FF_PICKLE_PLAIN, 0 },    [0x81] = { FF_PICKLE_PLAIN, 0 },
    [0x85] = { FF_PICKLE_PLAIN, 0 },   [0x86] = { FF_PICKLE_PLAIN, 0 },   [0x87] = { FF_PICKLE_PLAIN, 0 },
    [0x88] = { FF_PICKLE_PLAIN, 0 },   [0x89] = { FF_PICKLE_PLAIN, 0 },   [0x8f] = { FF_PICKLE_PLAIN, 0 },
    [0x90] = { FF_PICKLE_PLAIN, 0 },   [0x91] = { FF_PICKLE_PLAIN, 0 },   [0x92] = { FF_PICKLE_PLAIN, 0 },
    [0x93] = { FF_PICKLE_PLAIN, 0 },   [0x94] = { FF_PICKLE_PLAIN, 0 },   [0x97] = { FF_PICKLE_PLAIN, 0 },
    [0x98] = { FF_PICKLE_PLAIN, 0 },   ['K'] = { FF_PICKLE_PLAIN, 1 },    ['q'] = { FF_PICKLE_PLAIN, 1 },
    ['h'] = { FF_PICKLE_PLAIN, 1 },    [0x80] = { FF_PICKLE_PLAIN, 1 },   [0x82] = { FF_PICKLE_PLAIN, 1 },
    ['M'] = { FF_PICKLE_PLAIN, 2 },    [0x83] = { FF_PICKLE_PLAIN, 2 },   ['J'] = { FF_PICKLE_PLAIN, 4 },
    ['j'] = { FF_PICKLE_PLAIN, 4 },    ['r'] = { FF_PICKLE_PLAIN, 4 },    [0x84] = { FF_PICKLE_PLAIN, 4 },
    ['G'] = { FF_PICKLE_PLAIN, 8 },    [0x95] = { FF_PICKLE_PLAIN, 8 },   ['I'] = { FF_PICKLE_LINES, 1 },
    ['L'] = { FF_PICKLE_LINES, 1 },    ['F'] = { FF_PICKLE_LINES, 1 },    ['g'] = { FF_PICKLE_LINES, 1 },
    ['p'] = { FF_PICKLE_LINES, 1 },    ['P'] = { FF_PICKLE_LINES, 1 },    ['S'] = { FF_PICKLE_LINES, 1 },
    ['V'] = { FF_PICKLE_LINES, 1 },    ['c'] = { FF_PICKLE_LINES, 2 },    ['i'] = { FF_PICKLE_LINES, 2 },
    [0x8a] = { FF_PICKLE_COUNTED, 1 }, [0x8b] = { FF_PICKLE_COUNTED, 4 }, ['C'] = { FF_PICKLE_BYTES, 1 },
    ['B'] = { FF_PICKLE_BYTES, 4 },    [0x8e] = { FF_PICKLE_BYTES, 8 },   [0x96] = { FF_PICKLE_BYTES, 8 },
    ['U'] = { FF_PICKLE_TEXT, 1 },     [0x8c] = { FF_PICKLE_TEXT, 1 },    ['T'] = { FF_PICKLE_TEXT, 4 },
    ['X'] = { FF_PICKLE_TEXT, 4 },     [0x8d] = { FF_PICKLE_TEXT, 8 },
};

bool ff_pickle_measure_lines(ff_bytes rest, ff_pickle_span *out)
{
    ff_bytes after = ff_skip_n(rest, 1), line;
    for (unsigned n = ff_pickle_shapes[(uint8_t)rest.p[0]].n; n; n--)
        if (!ff_take_until(&after, '\n', &line))
            return false;
    out->head = rest.n - after.n;
    return true;
}
