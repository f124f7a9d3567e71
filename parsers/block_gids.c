/* Addresses of RDMA ports, and which network interface each is: a row each.
 *     mlx5_0	1	3	0000:0000:0000:0000:0000:ffff:0a00:0001	10.0.0.1  	v2	ens3f0np0 show_gids
 *     mlx5_0 port 1 ==> ens3f0np0 (Up)                                                   ibdev2netdev
 *     0000:5e:00.0 mlx5_0 (MT4129 - X) NDR fw 28.39.1002 port 1 (ACTIVE) ==> ens3f0np0 (Up)    ibdev2netdev -v
 * Formats: the scripts of NVIDIA's OFED. (rdma link is a signature.) */
#include "tools.h"

typedef struct gid_row {
    ff_bytes device, gid, ipv4, version, interface;
    uint64_t port, index;
} gid_row;

static bool is_gid(ff_bytes word)
{
    if (word.n != 39)
        return false;
    for (size_t i = 0; i < word.n; i++)
        if (i % 5 == 4 ? word.p[i] != ':' : !ff_is_hex(word.p[i]))
            return false;
    return true;
}

static bool read_gid(ff_bytes text, gid_row *row)
{
    ff_bytes rest = text, port, index;
    *row = (gid_row){ .port = 0 };
    if (!ff_take_name(&rest, &row->device) || !ff_take_cell(&rest, &port) || !ff_take_cell(&rest, &index) ||
        !ff_take_cell(&rest, &row->gid) || !tool_number(port, &row->port) || !tool_number(index, &row->index) ||
        !is_gid(row->gid) || !ff_take_cell(&rest, &row->version))
        return false;
    if (ff_contains(row->version, FF_LIT("."))) {
        row->ipv4 = row->version;
        if (!ff_take_cell(&rest, &row->version))
            return false;
    }
    (void)ff_take_cell(&rest, &row->interface);
    return row->version.n == 2 && row->version.p[0] == 'v';
}

typedef struct netdev_row {
    ff_bytes device, interface, state;
    uint64_t port;
} netdev_row;

static bool read_netdev(ff_bytes text, netdev_row *row)
{
    size_t arrow = ff_find(text, FF_LIT(" ==> "));
    ff_bytes left = ff_first_n(text, arrow), rest = ff_skip_n(text, arrow + 5), word, port;
    size_t at = ff_find(left, FF_LIT(" port "));
    if (arrow >= text.n || at >= left.n)
        return false;
    port = ff_skip_n(left, at + 6);
    if (!ff_take_uint(&port, &row->port) || !ff_take_word(&left, &word))
        return false;
    /* -v: the PCI address first */
    if (ff_contains(word, FF_LIT(":")) && !ff_take_cell(&left, &word))
        return false;
    row->device = word;
    return ff_take_word(&rest, &row->interface) && ff_take_lit(&rest, FF_LIT(" (")) &&
           ff_take_until(&rest, ')', &row->state) && !ff_trim(rest).n;
}

static bool gids_opens(const ff_event *ev)
{
    gid_row gid;
    netdev_row netdev;
    return read_gid(ev->text, &gid) || read_netdev(ev->text, &netdev);
}

static void give_gid(const gid_row *row, const ff_block_line *line, ff_sink *out)
{
    ff_fields f = { .n = 0 };
    ff_fields_text(&f, "device", FF_FIELD_TEXT, row->device);
    tool_add(&f, "port", row->port);
    tool_add(&f, "index", row->index);
    ff_fields_text(&f, "gid", FF_FIELD_TEXT, row->gid);
    ff_fields_text(&f, "ipv4", FF_FIELD_TEXT, row->ipv4);
    ff_fields_text(&f, "version", FF_FIELD_TEXT, row->version);
    ff_fields_text(&f, "interface", FF_FIELD_TEXT, row->interface);
    tool_fact(out, line, FF_FACT_NET_GID, &f);
}

static void gids_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    gid_row gid;
    netdev_row netdev;
    ff_fields f = { .n = 0 };
    (void)n;
    (void)cut;
    if (read_gid(lines[0].ev.text, &gid)) {
        give_gid(&gid, &lines[0], out);
    } else if (read_netdev(lines[0].ev.text, &netdev)) {
        ff_fields_text(&f, "device", FF_FIELD_TEXT, netdev.device);
        tool_add(&f, "port", netdev.port);
        ff_fields_text(&f, "interface", FF_FIELD_TEXT, netdev.interface);
        ff_fields_text(&f, "state", FF_FIELD_TEXT, tool_lower(netdev.state, out->scratch));
        tool_fact(out, &lines[0], FF_FACT_NET_NETDEV, &f);
    }
}

static const char *const gids_needles[] = { "0000:0000:0000:0000:0000:ffff:", "fe80:0000:0000:0000:", " ==> ", NULL };

const ff_block ff_block_gids = {
    .name = "gids", .streams = FF_STREAM_NET, .needles = gids_needles, .opens = gids_opens, .read = gids_read
};
