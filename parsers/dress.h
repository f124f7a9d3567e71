/* Lines of NCCL that begin like one before them: a log has hundreds of thousands, of few threads each, and what
 * stands in front of the text says the same in all of them but for the time. */
#ifndef FF_DRESS_H
#define FF_DRESS_H

#include "parser.h"

typedef struct ff_dress { /* what the last line of NCCL wore */
    ff_event ev;          /* as ff_undress left it; its texts lie in arena */
    ff_bytes front;       /* all of the line in front of "NCCL INFO "; empty: nothing is known */
    bool dated;           /* it begins with "[2026-01-01 00:00:00] ", and that is the time */
    char minute[17];      /* "2026-01-01 00:00:" of the last one that was read, and its first second */
    ff_stamp since;       /* of no kind: none was read */
    ff_arena arena;
} ff_dress;

/* ev: what the parser's frame and ff_undress made of that line. Any other line than one of NCCL's is passed over. */
void ff_dress_keep(ff_dress *d, ff_bytes line, const ff_event *ev);
/* True: the line begins like the kept one, and ev is what ff_undress would make of it. Else ev is left alone. */
bool ff_dress_fits(ff_dress *d, ff_bytes line, ff_event *ev);
void ff_dress_forget(ff_dress *d);

#endif
