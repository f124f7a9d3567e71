/* Files of the kernel that hold next to nothing and are known by their name only: limits and pressure of a cgroup,
 * counters of a port, settings.
 *     sys/fs/cgroup/kubepods.slice/memory.max                       274877906944
 *     sys/class/infiniband/mlx5_0/ports/1/counters/link_downed      3
 *     proc/sys/vm/panic_on_oom                                      0
 *     sys/module/nvidia/parameters/NVreg_RegistryDwords             (a word)
 *     proc/pressure/memory                                          some avg10=0.00 ... (two lines)
 * The name alone proves nothing: the file must hold just that. */
#include "doc_private.h"
#include "tools.h"

#include <string.h>

#define MOST_BYTES 400u /* two rows of pressure */

static ff_bytes last_part(ff_bytes name, ff_bytes *before)
{
    size_t at = name.n;
    while (at && name.p[at - 1] != '/')
        at--;
    *before = ff_first_n(name, at ? at - 1 : 0);
    return ff_skip_n(name, at);
}

/* DEVICE/ports/N/{counters,hw_counters} */
static bool is_port(ff_bytes folder, ff_bytes *device, ff_bytes *port)
{
    ff_bytes kind = last_part(folder, &folder);
    *port = last_part(folder, &folder);
    ff_bytes ports = last_part(folder, &folder);
    *device = last_part(folder, &folder);
    return (ff_equal(kind, FF_LIT("counters")) || ff_equal(kind, FF_LIT("hw_counters"))) &&
           ff_equal(ports, FF_LIT("ports")) && device->n && port->n;
}

static bool read_counter(ff_bytes name, ff_bytes value, ff_fields *f)
{
    tool_counters c = { .n = 0 };
    ff_bytes folder, device, port;
    uint64_t n = 0;
    ff_bytes file = last_part(name, &folder);
    if (!tool_number(value, &n) || !is_port(folder, &device, &port) || !tool_count(&c, file, n))
        return false;
    ff_fields_text(f, "device", FF_FIELD_TEXT, device);
    ff_fields_text(f, "port", FF_FIELD_TEXT, port);
    tool_add_counters(f, &c);
    return true;
}

/* "x/sys/fs/cgroup/memory/a/b" -> "/a/b"; elsewhere nothing is known of the cgroup's name */
static ff_bytes cgroup_of(ff_bytes folder)
{
    size_t at = ff_find(folder, FF_LIT("sys/fs/cgroup/"));
    if (at >= folder.n)
        return (ff_bytes){ 0 };
    ff_bytes path = ff_skip_n(folder, at + strlen("sys/fs/cgroup"));
    if (ff_starts(path, FF_LIT("/memory/")))
        return ff_skip_n(path, strlen("/memory"));
    return ff_starts(path, FF_LIT("/pids/")) ? ff_skip_n(path, strlen("/pids")) : path;
}

typedef struct small {
    ff_fact_id id;
    tool_cgroup cgroup; /* its fields, whatever the file is */
    char room[TOOL_SETTING_ROOM];
} small;

/* A setting, with whatever stands in its file: one line. */
static bool read_setting(ff_bytes name, ff_bytes value, small *s)
{
    ff_bytes setting = tool_setting_of_path(name, s->room);
    if (value.n > 200 || ff_contains(value, FF_LIT("\n")) || !tool_is_setting(setting))
        return false;
    tool_add_setting(&s->cgroup.fields, setting, value);
    return true;
}

static bool read_pressure(ff_bytes name, ff_bytes text, small *s)
{
    ff_bytes folder, line, resource = tool_pressure_of(name);
    (void)last_part(name, &folder);
    if (!resource.n || !ff_starts(text, FF_LIT("some ")))
        return false;
    ff_fields_text(&s->cgroup.fields, "resource", FF_FIELD_TEXT, resource);
    ff_fields_text(&s->cgroup.fields, "cgroup", FF_FIELD_TEXT, cgroup_of(folder));
    while (ff_take_line(&text, &line))
        if (!tool_pressure_row(&s->cgroup.fields, line))
            return false;
    return true;
}

static bool read_small(ff_bytes name, ff_bytes value, small *s)
{
    ff_bytes folder, file = last_part(name, &folder);
    ff_fields *f = &s->cgroup.fields;
    *s = (small){ .id = FF_FACT_HOST_CGROUP };
    if (value.n <= 20 && tool_cgroup_value(&s->cgroup, file, value)) {
        if (f->n)
            ff_fields_text(f, "cgroup", FF_FIELD_TEXT, cgroup_of(folder));
        return true;
    }
    s->id = FF_FACT_NET_COUNTERS;
    if (value.n <= 20 && read_counter(name, value, f))
        return true;
    s->id = FF_FACT_HOST_PRESSURE;
    if (read_pressure(name, value, s))
        return true;
    s->id = FF_FACT_HOST_SETTING;
    return read_setting(name, value, s);
}

/* Most members are larger, and of the others most are not named like these. */
static bool may_be_small(ff_bytes name, ff_bytes value)
{
    return value.n > 0 && (value.n <= 20 || (value.n <= MOST_BYTES && (ff_contains(name, FF_LIT("pressure")) ||
                                                                       ff_contains(name, FF_LIT("proc/sys/")) ||
                                                                       ff_contains(name, FF_LIT("/parameters/")))));
}

static int small_probe(const ff_probe *in)
{
    small s;
    if (!in->whole || in->head.n > MOST_BYTES + 20)
        return 0;
    ff_bytes value = ff_trim(in->head);
    return may_be_small(in->name, value) && read_small(in->name, value, &s) ? 16 : 0;
}

static ff_status small_parse(const ff_doc *doc, ff_sink *out)
{
    ff_bytes value = ff_trim(doc->bytes);
    small *s = FF_NEW(out->scratch, small);
    doc_lines lines;
    doc_lines_init(&lines, doc->bytes);
    if (may_be_small(doc->name, value) && read_small(doc->name, value, s) && s->cgroup.fields.n) {
        ff_fact fact = { .id = s->id, .who = FF_WHO_NOBODY };
        doc_fact(out, &lines, 0, &fact, &s->cgroup.fields);
    }
    return FF_OK;
}

const ff_parser ff_parser_small_file = { .name = "small_file",
                                         .streams = FF_STREAM_HOST | FF_STREAM_NET,
                                         .collected = true,
                                         .probe = small_probe,
                                         .parse = small_parse };
