/* What fields of memory reports are called. Parsers name a size in KiB `NAME_kib`. */
#ifndef FF_HTML_MEMORY_H
#define FF_HTML_MEMORY_H

#include "html_private.h"

extern const char *const ff_memory_usage[],
    *const ff_memory_limit[], *const ff_memory_anon[], *const ff_memory_shmem[], *const ff_memory_file[],
                                                                                     *const ff_memory_kernel[],
                                                                                         *const ff_memory_rss[];
/* First of the NULL-terminated names that the signal has, in KiB; false: none. */
bool ff_memory_kib(const ff_signal *s, const char *const *names, int64_t *out);
/* Bars of what each program used, against the limit of the report. */
void ff_svg_programs(ff_html *h, const ff_signal *report, const ff_signal *const *tasks, uint32_t n);

#endif
