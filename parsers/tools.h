/* What the readers of command outputs and of the kernel's small files share; only files of this folder include it. */
#ifndef FF_TOOLS_H
#define FF_TOOLS_H

#include "lines.h"

/* A fact at a line of a block. */
void tool_fact(ff_sink *out, const ff_block_line *line, ff_fact_id id, const ff_fields *fields);
bool tool_number(ff_bytes word, uint64_t *out);    /* decimal digits and nothing else, at most INT64_MAX */
bool tool_take_decimal(ff_bytes *in, double *out); /* "12.5", "12" */
ff_bytes tool_lower(ff_bytes in, ff_arena *arena);
bool tool_has_item(ff_bytes list, const char *item);           /* of a list with commas: "rw,relatime,hard" */
void tool_add(ff_fields *f, const char *name, uint64_t value); /* a number; too large ones are left out */

/* Names as a tool prints them and the field that each becomes. */
typedef struct tool_name {
    const char *printed, *field;
} tool_name;
const char *tool_field_of(const tool_name *names, size_t n, ff_bytes printed); /* NULL: not wanted */

/* Counters of a port, summed where two names mean one thing (counters.c). */
#define TOOL_COUNTERS 32u
typedef struct tool_counters {
    const char *name[TOOL_COUNTERS];
    uint64_t value[TOOL_COUNTERS];
    unsigned n;
} tool_counters;
bool tool_count(tool_counters *c, ff_bytes printed, uint64_t value); /* false: nobody watches this one */
void tool_add_counters(ff_fields *f, const tool_counters *c);

/* Files of a cgroup (block_cgroup.c). A value of "max" is no limit. */
typedef struct tool_cgroup {
    ff_bytes path;
    ff_fields fields;
    uint32_t known; /* values that were read */
} tool_cgroup;
bool tool_cgroup_is_file(ff_bytes name);
bool tool_cgroup_value(tool_cgroup *g, ff_bytes file, ff_bytes value);              /* memory.max, 1234 */
bool tool_cgroup_pair(tool_cgroup *g, ff_bytes file, ff_bytes key, ff_bytes value); /* memory.events, oom, 3 */

/* Settings of the kernel and its modules that somebody watches (settings.c), named vm.panic_on_oom or
 * MODULE.PARAMETER. */
bool tool_is_setting(ff_bytes name);
#define TOOL_SETTING_ROOM 128u
/* Of a path in /proc/sys or /sys/module, spelt into room; empty: neither. */
ff_bytes tool_setting_of_path(ff_bytes path, char room[TOOL_SETTING_ROOM]);
void tool_add_setting(ff_fields *f, ff_bytes name, ff_bytes value);

/* PSI (block_pressure.c): memory, io or cpu of a file's name, and one row of such a file. */
ff_bytes tool_pressure_of(ff_bytes path); /* empty: not said */
bool tool_pressure_row(ff_fields *f, ff_bytes text);

#endif
