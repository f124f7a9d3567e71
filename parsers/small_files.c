/* Files of the kernel that hold one number and are known by their name only: limits of a cgroup, counters of a port.
 *     sys/fs/cgroup/kubepods.slice/memory.max                       274877906944
 *     sys/class/infiniband/mlx5_0/ports/1/counters/link_downed      3
 * The name alone proves nothing: the file must hold just that. */
#include "doc_private.h"
#include "tools.h"

#include <string.h>

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

static int small_probe(const ff_probe *in)
{
    ff_bytes value = ff_trim(in->head), folder;
    ff_fields f = { .n = 0 };
    tool_cgroup g = { .known = 0 };
    if (!in->whole || value.n > 20 || !value.n)
        return 0;
    ff_bytes file = last_part(in->name, &folder);
    return tool_cgroup_value(&g, file, value) || read_counter(in->name, value, &f) ? 16 : 0;
}

static ff_status small_parse(const ff_doc *doc, ff_sink *out)
{
    ff_bytes value = ff_trim(doc->bytes), folder;
    ff_fields f = { .n = 0 };
    tool_cgroup g = { .known = 0 };
    doc_lines lines;
    doc_lines_init(&lines, doc->bytes);
    ff_bytes file = last_part(doc->name, &folder);
    ff_fact fact = { .id = FF_FACT_HOST_CGROUP, .who = FF_WHO_NOBODY };
    if (tool_cgroup_value(&g, file, value)) {
        ff_fields_text(&g.fields, "cgroup", FF_FIELD_TEXT, cgroup_of(folder));
        if (g.fields.n)
            doc_fact(out, &lines, 0, &fact, &g.fields);
    } else if (read_counter(doc->name, value, &f)) {
        fact.id = FF_FACT_NET_COUNTERS;
        doc_fact(out, &lines, 0, &fact, &f);
    }
    return FF_OK;
}

const ff_parser ff_parser_small_file = { .name = "small_file",
                                         .streams = FF_STREAM_HOST | FF_STREAM_NET,
                                         .collected = true,
                                         .probe = small_probe,
                                         .parse = small_parse };
