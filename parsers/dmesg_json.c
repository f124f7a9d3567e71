/* dmesg --json.
 *
 *     {"dmesg": [{"pri": 6, "time": 12.345678, "msg": "nvidia: loading out-of-tree module taints kernel."}, ...]}
 *
 * Format: util-linux sys-utils/dmesg.c, print_record. The time is seconds since boot; the brackets of the plain
 * format are gone, so each message is given as a line of the kernel's stream. */
#include "doc_private.h"

static int dmesg_probe(const ff_probe *in)
{
    ff_bytes head = ff_first_n(in->head, 512);
    ff_bytes start = ff_trim(head);
    if (!start.n || *start.p != '{' || !ff_contains(head, FF_LIT("\"dmesg\"")))
        return 0;
    return 8 * 7 + (ff_contains(head, FF_LIT("\"pri\"")) ? 8 * 5 : 0) +
           (ff_contains(head, FF_LIT("\"msg\"")) ? 8 * 5 : 0);
}

/* The digits as written say how fine the time is; a float would round them. */
static bool read_time(const ff_tree *t, uint32_t node, ff_stamp *out)
{
    const ff_node *n = ff_node_at(t, node);
    ff_bytes digits = n ? ff_first_n(ff_skip_n(t->source, n->at), 40) : (ff_bytes){ 0 };
    uint64_t seconds = 0;
    int64_t part = 0, grain = 0;
    if (!ff_take_uint(&digits, &seconds) || seconds > INT64_MAX / 1000000000 - 1)
        return false;
    ff_take_fraction(&digits, &part, &grain);
    *out = (ff_stamp){ .kind = FF_STAMP_SINCE_BOOT, .ns = (int64_t)seconds * 1000000000 + part, .grain_ns = grain };
    return true;
}

static void read_message(const ff_tree *t, uint32_t row, doc_lines *lines, ff_sink *out)
{
    uint32_t message = ff_node_get(t, row, "msg");
    ff_bytes text = ff_node_text(t, message), whole, line;
    uint64_t begin = 0;
    ff_stamp said = { 0 };
    if (message == FF_NONE)
        return;
    uint32_t number = doc_line_at(lines, ff_node_at(t, message)->at, &whole, &begin);
    if (!read_time(t, ff_node_get(t, row, "time"), &said))
        out->skip(out->owner, number, "a kernel message without time");
    while (ff_take_line(&text, &line)) {
        ff_event ev = {
            .stream = FF_STREAM_KERNEL, .said = said, .text = line, .who = FF_WHO_NOBODY, .scratch = out->scratch
        };
        ev.ident = FF_LIT("kernel");
        ev.who.unit = FF_LIT("kernel");
        out->event(out->owner, &ev, number, begin, whole);
    }
}

static ff_status dmesg_parse(const ff_doc *doc, ff_sink *out)
{
    ff_tree t;
    doc_lines lines;
    doc_lines_init(&lines, doc->bytes);
    ff_tree_init(&t, doc->bytes);
    ff_status status = ff_json_read(&t, NULL);
    uint32_t list = ff_node_get(&t, 0, "dmesg");
    for (uint32_t i = 0; status == FF_OK && i < ff_node_count(&t, list); i++)
        read_message(&t, ff_node_item(&t, list, i), &lines, out);
    if (t.problem)
        out->skip(out->owner, doc_line_at(&lines, t.problem_at, &(ff_bytes){ 0 }, &(uint64_t){ 0 }), t.problem);
    ff_tree_done(&t);
    return status;
}

const ff_parser ff_parser_dmesg_json = {
    .name = "dmesg_json", .streams = FF_STREAM_KERNEL, .probe = dmesg_probe, .parse = dmesg_parse
};
