/* dcgmi diag -j: what NVIDIA's own test of the GPUs found.
 *     { "DCGM Diagnostic": { "metadata": { "version": "4.2.3", "Driver Version Detected": "580.65.06" },
 *         "test_categories": [ { "category": "Hardware", "tests": [ { "name": "memory", "results": [
 *             { "entity_group": "GPU", "entity_id": 3, "status": "Fail", "warnings": [
 *                 { "warning": "text", "error_id": 52, "error_category": 10, "error_severity": 2 } ] } ] } ] } ] } }
 * 3.x says gpu_id or gpu_ids ("0,1") and "warnings" as text, before 3.3 under "DCGM GPU Diagnostic". Format: DCGM's
 * documentation, which promises no schema. Text may stand around the JSON. */
#include "doc_private.h"

#include <string.h>

#define MOST_RESULTS 4096u

typedef struct diag {
    ff_tree tree;
    doc_lines lines;
    ff_sink *out;
    size_t base; /* of the JSON in the member */
    uint64_t n[4], results;
} diag;

enum { PASSED, FAILED, WARNED, SKIPPED };
static const char *const words[] = { "pass", "fail", "warn", "skip" };

static bool word_of(ff_bytes status, unsigned *word)
{
    for (*word = PASSED; *word <= SKIPPED; ++*word)
        if (ff_equal_nocase(status, ff_str(words[*word])))
            return true;
    return false;
}

static const char *kind_name(int64_t category)
{
    static const char *const kinds[] = { NULL,       "performance", "performance", "configuration", "library",
                                         "xid",      "cuda",        "eud",         "software",      "thermal",
                                         "memory",   "nvlink",      "nvswitch",    "pcie",          "power",
                                         "hardware", "internal" };
    return category > 0 && category < (int64_t)FF_COUNT(kinds) ? kinds[category] : NULL;
}

static const char *severity_name(int64_t severity)
{
    static const char *const severities[] = { NULL, "monitor", "isolate", "unknown", "triage", "config", "reset" };
    return severity > 0 && severity < (int64_t)FF_COUNT(severities) ? severities[severity] : NULL;
}

static void add_known(ff_fields *f, const char *name, const char *word)
{
    if (word)
        ff_fields_text(f, name, FF_FIELD_TEXT, ff_str(word));
}

/* 4.x: a list of objects; 3.x: a text, or a list of texts. The first one is told. */
static void add_warning(const diag *d, ff_fields *f, uint32_t result)
{
    uint32_t list = ff_node_get(&d->tree, result, "warnings");
    uint32_t first = ff_node_count(&d->tree, list) ? ff_node_item(&d->tree, list, 0) : list;
    ff_bytes text = ff_node_text(&d->tree, first);
    int64_t number = 0;
    if (!text.n)
        text = ff_node_text(&d->tree, ff_node_get(&d->tree, first, "warning"));
    ff_fields_text(f, "warning", FF_FIELD_TEXT, ff_first_n(text, 500));
    if (ff_node_int(&d->tree, ff_node_get(&d->tree, first, "error_id"), &number))
        ff_fields_int(f, "error_id", FF_FIELD_INT, number);
    if (ff_node_int(&d->tree, ff_node_get(&d->tree, first, "error_category"), &number))
        add_known(f, "kind", kind_name(number));
    if (ff_node_int(&d->tree, ff_node_get(&d->tree, first, "error_severity"), &number))
        add_known(f, "action", severity_name(number));
}

/* "3", 3, and of "0,1" nothing: the result is about more than one. */
static void add_gpu(const diag *d, ff_fields *f, uint32_t result)
{
    static const char *const keys[] = { "entity_id", "gpu_id", "gpu_ids" };
    ff_bytes group = ff_node_text(&d->tree, ff_node_get(&d->tree, result, "entity_group"));
    if (group.n && !ff_equal(group, FF_LIT("GPU")))
        return;
    for (size_t i = 0; i < FF_COUNT(keys); i++) {
        int64_t index = 0;
        if (ff_node_int(&d->tree, ff_node_get(&d->tree, result, keys[i]), &index) && index >= 0 && index < 1024) {
            ff_fields_int(f, "index", FF_FIELD_GPU, index);
            return;
        }
    }
}

static void read_result(diag *d, ff_bytes category, ff_bytes test, uint32_t result)
{
    uint32_t status = ff_node_get(&d->tree, result, "status");
    unsigned word = PASSED;
    if (!word_of(ff_node_text(&d->tree, status), &word) || ++d->results > MOST_RESULTS)
        return;
    d->n[word]++;
    if (word == PASSED || word == SKIPPED)
        return;
    ff_fields f = { .n = 0 };
    ff_fields_text(&f, "category", FF_FIELD_TEXT, category);
    ff_fields_text(&f, "test", FF_FIELD_TEXT, test);
    ff_fields_text(&f, "status", FF_FIELD_TEXT, ff_str(words[word]));
    add_gpu(d, &f, result);
    add_warning(d, &f, result);
    ff_fact fact = { .id = FF_FACT_GPU_DIAG, .who = FF_WHO_NOBODY };
    doc_fact(d->out, &d->lines, d->base + ff_node_at(&d->tree, status)->at, &fact, &f);
}

static void read_tests(diag *d, uint32_t category)
{
    ff_bytes name = ff_node_text(&d->tree, ff_node_get(&d->tree, category, "category"));
    uint32_t tests = ff_node_get(&d->tree, category, "tests");
    for (uint32_t i = 0; i < ff_node_count(&d->tree, tests); i++) {
        uint32_t test = ff_node_item(&d->tree, tests, i), results = ff_node_get(&d->tree, test, "results");
        for (uint32_t k = 0; k < ff_node_count(&d->tree, results); k++)
            read_result(d, name, ff_node_text(&d->tree, ff_node_get(&d->tree, test, "name")),
                        ff_node_item(&d->tree, results, k));
    }
}

static ff_bytes error_of(const diag *d, uint32_t root)
{
    static const char *const keys[] = { "runtime_error", "Error", "error" };
    for (size_t i = 0; i < FF_COUNT(keys); i++) {
        ff_bytes text = ff_node_text(&d->tree, ff_node_get(&d->tree, root, keys[i]));
        if (text.n)
            return text;
    }
    return (ff_bytes){ 0 };
}

static void read_run(diag *d, uint32_t root)
{
    static const char *const counts[] = { "passed", "failed", "warned", "skipped" };
    ff_fields f = { .n = 0 };
    ff_bytes error = error_of(d, root);
    uint32_t metadata = ff_node_get(&d->tree, root, "metadata");
    for (unsigned i = PASSED; i <= SKIPPED; i++)
        ff_fields_int(&f, counts[i], FF_FIELD_INT, (int64_t)d->n[i]);
    ff_fields_text(&f, "version", FF_FIELD_TEXT, ff_node_text(&d->tree, ff_node_get(&d->tree, metadata, "version")));
    ff_fields_text(&f, "driver", FF_FIELD_TEXT,
                   ff_node_text(&d->tree, ff_node_get(&d->tree, metadata, "Driver Version Detected")));
    ff_fields_text(&f, "error", FF_FIELD_TEXT, ff_first_n(error.n ? error : error_of(d, 0), 500));
    ff_fact fact = { .id = FF_FACT_GPU_DIAG_RUN, .who = FF_WHO_NOBODY };
    doc_lines_init(&d->lines, d->lines.text);
    doc_fact(d->out, &d->lines, d->base + ff_node_at(&d->tree, root)->at, &fact, &f);
}

static size_t find_head(ff_bytes text)
{
    ff_bytes head = ff_first_n(text, 4096);
    size_t at = ff_find(head, FF_LIT("\"DCGM Diagnostic\"")), old = ff_find(head, FF_LIT("\"DCGM GPU Diagnostic\""));
    return at < head.n ? at : old < head.n ? old : SIZE_MAX;
}

static int diag_probe(const ff_probe *in) { return find_head(in->head) != SIZE_MAX ? 8 * 17 : 0; }

static ff_status diag_parse(const ff_doc *doc, ff_sink *out)
{
    diag d = { .out = out, .base = ff_find(doc->bytes, FF_LIT("{")) };
    if (d.base >= doc->bytes.n)
        return FF_BAD;
    doc_lines_init(&d.lines, doc->bytes);
    ff_tree_init(&d.tree, ff_skip_n(doc->bytes, d.base));
    ff_status status = ff_json_read(&d.tree, NULL);
    uint32_t root = ff_node_get(&d.tree, 0, "DCGM Diagnostic");
    if (root == FF_NONE)
        root = ff_node_get(&d.tree, 0, "DCGM GPU Diagnostic");
    uint32_t categories = ff_node_get(&d.tree, root, "test_categories");
    for (uint32_t i = 0; i < ff_node_count(&d.tree, categories); i++)
        read_tests(&d, ff_node_item(&d.tree, categories, i));
    if (root != FF_NONE)
        read_run(&d, root);
    if (d.tree.problem)
        out->skip(out->owner, 1, d.tree.problem);
    ff_tree_done(&d.tree);
    return root == FF_NONE ? FF_BAD : status;
}

const ff_parser ff_parser_dcgm_diag = {
    .name = "dcgm_diag", .streams = FF_STREAM_GPU, .collected = true, .probe = diag_probe, .parse = diag_parse
};
