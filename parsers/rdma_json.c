/* rdma -j link (with -p on several lines): ports of RDMA devices, and the network interface of each.
 *     [{"ifindex":0,"ifname":"mlx5_0","port":1,"state":"ACTIVE","physical_state":"LINK_UP","netdev":"ens3f0np0"}]
 * InfiniBand ports have subnet_prefix, lid, sm_lid and lmc in place of netdev. Format: iproute2 rdma/link.c. States
 * are kept as the other tools print them, in lower case: "active", "linkup". */
#include "doc_private.h"
#include "tools.h"

#include <inttypes.h>
#include <stdio.h>

#define MOST_PORTS 1024u

static bool is_rdma(ff_bytes head)
{
    ff_bytes start = ff_trim(ff_first_n(head, 64));
    return ff_starts(start, FF_LIT("[")) && ff_contains(head, FF_LIT("\"ifname\"")) &&
           ff_contains(head, FF_LIT("\"physical_state\""));
}

static int rdma_probe(const ff_probe *in) { return is_rdma(ff_first_n(in->head, 1024)) ? 8 * 16 : 0; }

/* "LINK_UP" -> "linkup" */
static ff_bytes word_of(ff_bytes text, ff_arena *arena)
{
    char *out = FF_NEW_N(arena, char, text.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] != '_')
            out[n++] = text.p[i];
    return tool_lower((ff_bytes){ out, n }, arena);
}

static ff_bytes number_text(const ff_tree *t, uint32_t port, const char *key, ff_arena *arena)
{
    int64_t n = 0;
    char *out = FF_NEW_N(arena, char, 24);
    if (!ff_node_int(t, ff_node_get(t, port, key), &n))
        return (ff_bytes){ 0 };
    int length = snprintf(out, 24, "%" PRId64, n);
    return (ff_bytes){ out, length > 0 ? (size_t)length : 0 };
}

static void read_port(const ff_tree *t, uint32_t port, doc_lines *lines, ff_sink *out)
{
    ff_bytes device = ff_node_text(t, ff_node_get(t, port, "ifname")), number, netdev;
    uint32_t state = ff_node_get(t, port, "state");
    ff_fields f = { .n = 0 };
    if (!device.n || state == FF_NONE)
        return;
    number = number_text(t, port, "port", out->scratch);
    netdev = ff_node_text(t, ff_node_get(t, port, "netdev"));
    ff_fields_text(&f, "device", FF_FIELD_TEXT, device);
    ff_fields_text(&f, "port", FF_FIELD_TEXT, number);
    ff_fields_text(&f, "state", FF_FIELD_TEXT, word_of(ff_node_text(t, state), out->scratch));
    ff_fields_text(&f, "physical", FF_FIELD_TEXT,
                   word_of(ff_node_text(t, ff_node_get(t, port, "physical_state")), out->scratch));
    ff_fields_text(&f, "lid", FF_FIELD_TEXT, number_text(t, port, "lid", out->scratch));
    ff_fields_text(&f, "sm_lid", FF_FIELD_TEXT, number_text(t, port, "sm_lid", out->scratch));
    ff_fields_text(&f, "layer", FF_FIELD_TEXT,
                   ff_node_get(t, port, "lid") != FF_NONE ? FF_LIT("infiniband") : FF_LIT("ethernet"));
    ff_fact fact = { .id = FF_FACT_PORT, .who = FF_WHO_NOBODY };
    doc_fact(out, lines, ff_node_at(t, state)->at, &fact, &f);
    if (!netdev.n)
        return;
    f = (ff_fields){ .n = 0 };
    ff_fields_text(&f, "device", FF_FIELD_TEXT, device);
    int64_t n = 0;
    if (ff_node_int(t, ff_node_get(t, port, "port"), &n) && n >= 0)
        tool_add(&f, "port", (uint64_t)n);
    ff_fields_text(&f, "interface", FF_FIELD_TEXT, netdev);
    fact = (ff_fact){ .id = FF_FACT_NET_NETDEV, .who = FF_WHO_NOBODY };
    doc_fact(out, lines, ff_node_at(t, state)->at, &fact, &f);
}

static ff_status rdma_parse(const ff_doc *doc, ff_sink *out)
{
    ff_tree tree;
    doc_lines lines;
    doc_lines_init(&lines, doc->bytes);
    ff_tree_init(&tree, doc->bytes);
    ff_status status = ff_json_read(&tree, NULL);
    for (uint32_t i = 0; i < ff_node_count(&tree, 0) && i < MOST_PORTS; i++)
        read_port(&tree, ff_node_item(&tree, 0, i), &lines, out);
    if (tree.problem)
        out->skip(out->owner, 1, tree.problem);
    ff_tree_done(&tree);
    return status;
}

const ff_parser ff_parser_rdma_json = {
    .name = "rdma_json", .streams = FF_STREAM_NET, .collected = true, .probe = rdma_probe, .parse = rdma_parse
};
