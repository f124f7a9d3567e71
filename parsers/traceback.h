/* A Python traceback: its lines (block_traceback.c) and what they say (traceback_read.c). */
#ifndef FF_TRACEBACK_H
#define FF_TRACEBACK_H

#include "lines.h"

typedef enum ff_trace_part {
    FF_TRACE_OTHER,
    FF_TRACE_HEADER,    /* Traceback (most recent call last): */
    FF_TRACE_FATAL,     /* Fatal Python error: Segmentation fault */
    FF_TRACE_FRAME,     /*   File "/srv/train.py", line 147, in <module> */
    FF_TRACE_SOURCE,    /* anything indented: the source line, ^^^^ */
    FF_TRACE_EXCEPTION, /* ValueError: text */
    FF_TRACE_CHAIN,     /* During handling of ..., The above exception was the direct cause of ... */
    FF_TRACE_THREAD,    /* Current thread 0x... (most recent call first): */
    FF_TRACE_BLANK
} ff_trace_part;

ff_trace_part ff_trace_part_of(ff_bytes text);
/* The label in front of the header; empty when there is none. */
ff_bytes ff_traceback_prefix(ff_bytes text);
/* The same, once the line behind the header is known: empty when that line does without it. */
ff_bytes ff_traceback_label(const ff_block_line *lines, uint32_t n);
/* text without the label; an empty line needs none. False: another's line. */
bool ff_traceback_line(ff_bytes prefix, ff_bytes text, ff_bytes *out);
bool ff_is_exception_line(ff_bytes text, ff_bytes *type, ff_bytes *message);
void ff_traceback_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out);

#endif
