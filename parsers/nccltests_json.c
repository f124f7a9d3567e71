/* The JSON file of nccl-tests (-J, from 2.17.3). Booleans are strings, and "env" holds the whole environment of the
 * job, secrets too: it is never looked at. A run that was cut short leaves a file that ends in the middle.
 *     {"version": 3, "args": ["./build/all_reduce_perf", "-b", "8K"], "nccl_version": 22809,
 *      "config": {"devices": [{"rank": 0, "hostname": "gpu-a01", "device_info": "NVIDIA H200"}]},
 *      "results": [{"size": 8192, "count": 2048, "type": "float", "redop": "sum", "root": "    -1",
 *                   "out_of_place": {"time": 17.2, "alg_bw": 0.47, "bus_bw": 0.47, "nwrong": 0.0},
 *                   "in_place": null}]}
 * Format: nccl-tests src/util.cu. "devices" names one GPU of each process, so ranks are only known where each has one.
 */
#include "nccltests.h"

#include "doc_private.h"
#include "lines.h"

#define MOST_ROWS 256u

static bool number(const ff_tree *t, uint32_t node, double *out)
{
    const ff_node *n = ff_node_at(t, node);
    if (!n || (n->kind != FF_NODE_INT && n->kind != FF_NODE_FLOAT))
        return false;
    *out = n->kind == FF_NODE_INT ? (double)n->v.i : n->v.f;
    return true;
}

static void read_half(const ff_tree *t, uint32_t node, ff_test_half *h)
{
    h->wrong = -1;
    h->there = number(t, ff_node_get(t, node, "bus_bw"), &h->busbw);
    if (!number(t, ff_node_get(t, node, "time"), &h->time_us))
        (void)number(t, ff_node_get(t, node, "cpu_time"), &h->time_us);
    (void)number(t, ff_node_get(t, node, "alg_bw"), &h->algbw);
    (void)number(t, ff_node_get(t, node, "nwrong"), &h->wrong);
}

static bool read_row(const ff_tree *t, uint32_t node, ff_test_row *row)
{
    int64_t n = 0;
    *row = (ff_test_row){ .root = -1 };
    if (!ff_node_int(t, ff_node_get(t, node, "size"), &n) || n < 0)
        return false;
    row->size = (uint64_t)n;
    if (ff_node_int(t, ff_node_get(t, node, "count"), &n) && n >= 0)
        row->count = (uint64_t)n;
    row->type = ff_trim(ff_node_text(t, ff_node_get(t, node, "type")));
    row->redop = ff_trim(ff_node_text(t, ff_node_get(t, node, "redop")));
    ff_bytes root = ff_trim(ff_node_text(t, ff_node_get(t, node, "root")));
    if (!ff_take_int(&root, &row->root))
        row->root = -1;
    read_half(t, ff_node_get(t, node, "out_of_place"), &row->half[0]);
    read_half(t, ff_node_get(t, node, "in_place"), &row->half[1]);
    return row->half[0].there || row->half[1].there;
}

static void read_run(const ff_tree *t, ff_test_run *run)
{
    run->collective = ff_test_collective(ff_node_text(t, ff_node_path(t, 0, "args.0")));
    uint32_t devices = ff_node_path(t, 0, "config.devices");
    int64_t gpus = 0;
    ff_bytes last = { 0 };
    for (uint32_t i = 0; i < ff_node_count(t, devices); i++) {
        uint32_t d = ff_node_item(t, devices, i);
        ff_bytes host = ff_node_text(t, ff_node_get(t, d, "hostname"));
        run->hosts += !ff_equal(host, last);
        last = host;
        if (i == 0) {
            run->host = host;
            run->device = ff_node_text(t, ff_node_get(t, d, "device_info"));
        }
    }
    if (ff_node_int(t, ff_node_path(t, 0, "config.ngpus"), &gpus) && gpus > 0 && gpus <= 1024)
        run->ranks = gpus * (int64_t)ff_node_count(t, devices);
}

static int json_probe(const ff_probe *in)
{
    bool fits = ff_contains(in->head, FF_LIT("\"nccl_version\"")) &&
                ff_contains(in->head, FF_LIT("\"start_time\"")) && ff_contains(in->head, FF_LIT("\"args\"")) &&
                ff_contains(in->head, FF_LIT("_perf\""));
    return fits ? 8 * 45 : 0;
}

static ff_status json_parse(const ff_doc *doc, ff_sink *out)
{
    ff_tree tree;
    doc_lines lines;
    ff_test_run run = { .ranks = 0 };
    doc_lines_init(&lines, doc->bytes);
    ff_tree_init(&tree, doc->bytes);
    ff_status got = ff_json_read(&tree, NULL);
    if (got == FF_OK)
        read_run(&tree, &run);
    uint32_t results = ff_node_get(&tree, 0, "results"), given = 0;
    for (uint32_t i = 0; got == FF_OK && i < ff_node_count(&tree, results) && given < MOST_ROWS; i++) {
        uint32_t node = ff_node_item(&tree, results, i);
        const ff_node *at = ff_node_at(&tree, node);
        ff_test_row row;
        if (!read_row(&tree, node, &row))
            continue;
        ff_fields f = { .n = 0 };
        ff_test_fields(&run, &row, &f);
        ff_fact fact = { .id = FF_FACT_TEST_ROW, .who = FF_WHO_NOBODY };
        doc_fact(out, &lines, at ? at->at : 0, &fact, &f);
        given++;
    }
    ff_tree_done(&tree);
    return got;
}

const ff_parser ff_parser_nccltests_json = {
    .name = "nccltests_json", .streams = FF_STREAM_APP, .collected = true, .probe = json_probe, .parse = json_parse
};
