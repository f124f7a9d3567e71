/* What NCCL's RAS service answers as JSON, from 2.28.7 on.
 *     {"nccl_version": 22809, ..., "communicators": [{"hash": "0x2f6bb4d6772a7cf3", "size": 2, "ranks": [{"rank": 0,
 *      "host": "10.0.0.1", "pid": 71, "status": {"init_state": 0, "async_error": 0, "abort_flag": false},
 *      "collective_counts": {"AllReduce": 12}}], "missing_ranks": [{"rank": 1, "status": {"unresponsive": true}}]}]}
 * Format: src/ras/client_support.cc. JSON of 2.28.7 to 2.28.9 lacks a comma where a rank is missing; the JSON reader
 * bears that. A missing rank that answers has no such communicator: NOCOMM in the text. */
#include "lines.h"
#include "ras.h"

#include <string.h>

typedef struct json_status {
    ff_tree tree;
    ras_teller to;
    size_t from;         /* where the object begins in the member */
    int64_t world, size; /* ranks of the largest communicator, and of this one */
} json_status;

static uint64_t place_of(const json_status *j, uint32_t node)
{
    const ff_node *at = ff_node_at(&j->tree, node);
    return j->from + (at ? at->at : 0);
}

static void add_rank(const json_status *j, ff_fields *f, uint32_t node)
{
    const ff_tree *t = &j->tree;
    int64_t n = 0;
    if (ff_node_int(t, ff_node_get(t, node, "rank"), &n) && n >= 0 && n <= INT32_MAX)
        ras_add_rank(f, n, j->size, j->size >= j->world);
    if (ff_node_int(t, ff_node_get(t, node, "pid"), &n) && n > 0 && n <= INT32_MAX)
        ff_fields_int(f, "pid", FF_FIELD_PID, n);
    ff_fields_text(f, "node", FF_FIELD_TEXT, ff_node_text(t, ff_node_get(t, node, "host")));
}

/* As the text calls it. */
static const char *state_of(const ff_tree *t, uint32_t rank, bool missing)
{
    uint32_t status = ff_node_get(t, rank, "status");
    int64_t init = 0;
    if (missing)
        return "NOCOMM";
    if (ff_node_true(t, ff_node_get(t, status, "abort_flag")))
        return "ABORT";
    if (ff_node_true(t, ff_node_get(t, status, "finalize_called")) ||
        ff_node_true(t, ff_node_get(t, status, "destroy_flag")))
        return "FINALIZE";
    return ff_node_int(t, ff_node_get(t, status, "init_state"), &init) && init != 0 ? "INIT" : "RUNNING";
}

static void json_missing(json_status *j, uint32_t node)
{
    const ff_tree *t = &j->tree;
    uint32_t state = ff_node_get(t, node, "status");
    ff_fields f = { .n = 0 };
    add_rank(j, &f, node);
    ff_fields_int(&f, "unresponsive", FF_FIELD_INT, ff_node_true(t, ff_node_get(t, state, "unresponsive")));
    ff_fields_int(&f, "dead", FF_FIELD_INT, ff_node_true(t, ff_node_get(t, state, "considered_dead")));
    ras_put(&j->to, FF_FACT_RAS_MISSING, place_of(j, ff_node_get(t, node, "rank")), &f);
}

/* It answers RAS, and has no such communicator. */
static bool is_elsewhere(const ff_tree *t, uint32_t node)
{
    uint32_t state = ff_node_get(t, node, "status"), known = ff_node_get(t, state, "unresponsive");
    return known != FF_NONE && !ff_node_true(t, known) && !ff_node_true(t, ff_node_get(t, state, "considered_dead"));
}

static void json_error(json_status *j, uint32_t node)
{
    enum { IN_PROGRESS = 7 };
    const ff_tree *t = &j->tree;
    ff_fields f = { .n = 0 };
    int64_t error = 0;
    if (!ff_node_int(t, ff_node_get(t, ff_node_get(t, node, "status"), "async_error"), &error) || error == 0 ||
        error == IN_PROGRESS)
        return;
    add_rank(j, &f, node);
    ff_fields_int(&f, "result", FF_FIELD_INT, error);
    ras_put(&j->to, FF_FACT_RAS_DIFFERS, place_of(j, ff_node_get(t, node, "rank")), &f);
}

static void json_state(json_status *j, uint32_t node, bool missing, const char *usual)
{
    ff_fields f = { .n = 0 };
    const char *state = state_of(&j->tree, node, missing);
    if (strcmp(state, usual) == 0)
        return;
    add_rank(j, &f, node);
    ff_fields_text(&f, "status", FF_FIELD_TEXT, ff_str(state));
    ff_fields_text(&f, "usual_status", FF_FIELD_TEXT, ff_str(usual));
    ras_put(&j->to, FF_FACT_RAS_DIFFERS, place_of(j, ff_node_get(&j->tree, node, "rank")), &f);
}

/* Ranks in another state than more than half of the communicator are in. */
static void json_states(json_status *j, uint32_t ranks, uint32_t missing)
{
    static const char *const states[] = { "RUNNING", "INIT", "FINALIZE", "ABORT" };
    const ff_tree *t = &j->tree;
    uint32_t n = ff_node_count(t, ranks);
    for (size_t k = 0; k < FF_COUNT(states); k++) {
        uint32_t agree = 0;
        for (uint32_t i = 0; i < n; i++)
            agree += strcmp(state_of(t, ff_node_item(t, ranks, i), false), states[k]) == 0;
        if (2 * (uint64_t)agree <= n)
            continue;
        for (uint32_t i = 0; i < n; i++)
            json_state(j, ff_node_item(t, ranks, i), false, states[k]);
        for (uint32_t i = 0; i < ff_node_count(t, missing); i++)
            if (is_elsewhere(t, ff_node_item(t, missing, i)))
                json_state(j, ff_node_item(t, missing, i), true, states[k]);
    }
}

/* How often a rank launched the function; *node: where that stands. */
static bool launches(const ff_tree *t, uint32_t rank, const char *function, uint32_t *node, int64_t *count)
{
    *node = ff_node_get(t, ff_node_get(t, rank, "collective_counts"), function);
    return ff_node_int(t, *node, count);
}

/* Launches of one function: the ranks that have another number than most, if they are few. */
static void json_counts(json_status *j, uint32_t ranks, const char *function)
{
    const ff_tree *t = &j->tree;
    uint32_t n = ff_node_count(t, ranks), n_usual = 0, n_known = 0, agree = 0, at_node = FF_NONE;
    int64_t usual = -1, count = 0;
    for (uint32_t i = 0; i < n; i++) { /* Boyer-Moore: whoever has more than half is left at the end */
        if (!launches(t, ff_node_item(t, ranks, i), function, &at_node, &count))
            continue;
        n_known++;
        if (n_usual == 0)
            usual = count;
        n_usual = count == usual ? n_usual + 1 : n_usual - 1;
    }
    for (uint32_t i = 0; i < n; i++)
        agree += launches(t, ff_node_item(t, ranks, i), function, &at_node, &count) && count == usual;
    if (agree == n_known || 2 * agree <= n_known)
        return;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t rank_node = ff_node_item(t, ranks, i);
        if (!launches(t, rank_node, function, &at_node, &count) || count == usual)
            continue;
        ff_fields f = { .n = 0 };
        add_rank(j, &f, rank_node);
        ff_fields_int(&f, "launched", FF_FIELD_INT, count);
        ff_fields_int(&f, "usual", FF_FIELD_INT, usual);
        ff_fields_text(&f, "function", FF_FIELD_TEXT, ff_str(function));
        ras_put(&j->to, FF_FACT_RAS_DIFFERS, place_of(j, at_node), &f);
    }
}

static int64_t json_size(const json_status *j, uint32_t comm)
{
    int64_t size = 0;
    ff_node_int(&j->tree, ff_node_get(&j->tree, comm, "size"), &size);
    return size;
}

static void json_comm(json_status *j, uint32_t comm)
{
    static const char *const functions[] = { "Broadcast", "Reduce", "AllGather", "ReduceScatter", "AllReduce" };
    const ff_tree *t = &j->tree;
    ff_fields f = { .n = 0 };
    int64_t n = 0;
    ff_bytes hash = ff_node_text(t, ff_node_get(t, comm, "hash"));
    ff_take_lit(&hash, FF_LIT("0x"));
    j->to.comm = hash, j->size = json_size(j, comm);
    uint32_t ranks = ff_node_get(t, comm, "ranks"), missing = ff_node_get(t, comm, "missing_ranks");
    j->to.trouble = ff_node_count(t, missing) ? FF_LIT("INCOMPLETE") : (ff_bytes){ 0 };
    ff_fields_int(&f, "communicators", FF_FIELD_INT, 1);
    if (j->size > 0)
        ff_fields_int(&f, "size", FF_FIELD_INT, j->size);
    if (ff_node_int(t, ff_node_get(t, comm, "ranks_count"), &n))
        ff_fields_int(&f, "ranks", FF_FIELD_INT, n);
    ras_put(&j->to, FF_FACT_RAS_COMM, place_of(j, ff_node_get(t, comm, "hash")), &f);
    for (uint32_t i = 0; i < ff_node_count(t, ranks); i++)
        json_error(j, ff_node_item(t, ranks, i));
    for (uint32_t i = 0; i < ff_node_count(t, missing); i++)
        if (!is_elsewhere(t, ff_node_item(t, missing, i)))
            json_missing(j, ff_node_item(t, missing, i));
    json_states(j, ranks, missing);
    for (size_t i = 0; i < FF_COUNT(functions); i++)
        json_counts(j, ranks, functions[i]);
}

/* "ras":{"collection_time_sec":5.012,"timeouts_count":1} */
static void json_timeouts(json_status *j)
{
    uint32_t node = ff_node_get(&j->tree, ff_node_get(&j->tree, 0, "ras"), "timeouts_count");
    ff_fields f = { .n = 0 };
    int64_t n = 0;
    if (!ff_node_int(&j->tree, node, &n) || n <= 0)
        return;
    j->to.comm = j->to.trouble = (ff_bytes){ 0 };
    ff_fields_int(&f, "timeouts", FF_FIELD_INT, n);
    ras_put(&j->to, FF_FACT_RAS_TIMEOUTS, place_of(j, node), &f);
}

static int json_probe(const ff_probe *in)
{
    bool fits = ff_contains(in->head, FF_LIT("\"communicators_count\"")) &&
                ff_contains(in->head, FF_LIT("\"nccl_version\"")) &&
                ff_contains(in->head, FF_LIT("\"missing_ranks_count\""));
    return fits ? 8 * 55 : 0;
}

static ff_status json_parse(const ff_doc *doc, ff_sink *out)
{
    json_status j = { .to = { .out = out } };
    j.from = ff_find(doc->bytes, FF_LIT("{"));
    if (j.from >= doc->bytes.n)
        return FF_BAD;
    doc_lines_init(&j.to.lines, doc->bytes);
    ff_tree_init(&j.tree, ff_skip_n(doc->bytes, j.from));
    ff_status got = ff_json_read(&j.tree, NULL);
    ff_bytes when = got == FF_OK ? ff_node_text(&j.tree, ff_node_get(&j.tree, 0, "timestamp")) : (ff_bytes){ 0 };
    ff_take_rfc3339(&when, &j.to.said);
    uint32_t comms = ff_node_get(&j.tree, 0, "communicators");
    for (uint32_t i = 0; got == FF_OK && i < ff_node_count(&j.tree, comms); i++) {
        int64_t size = json_size(&j, ff_node_item(&j.tree, comms, i));
        j.world = size > j.world ? size : j.world;
    }
    for (uint32_t i = 0; got == FF_OK && i < ff_node_count(&j.tree, comms); i++)
        json_comm(&j, ff_node_item(&j.tree, comms, i));
    bool whole = got == FF_OK && ff_node_get(&j.tree, 0, "ras") != FF_NONE; /* the last thing that is written */
    if (whole)
        json_timeouts(&j);
    else if (got == FF_OK)
        ras_tell_cut(&j.to, j.from);
    ff_tree_done(&j.tree);
    return whole ? FF_OK : FF_BAD;
}

const ff_parser ff_parser_ras_json = {
    .name = "ras_json", .streams = FF_STREAM_NCCL, .collected = true, .probe = json_probe, .parse = json_parse
};
