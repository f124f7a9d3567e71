/* Files of Kubernetes objects: kubectl get -o json or -o yaml, one object, a list, or several one after the other.
 *
 *     apiVersion: v1
 *     kind: Pod
 *
 * YAML is only tried on what looks like an object: any text is YAML. */
#include "k8s.h"
#include "yaml.h"

#define CAP_DOCUMENTS 100000u

/* ---- objects ---- */

static const char *const json_words[] = {
    "\"apiVersion\"",     "\"kind\"",     "\"metadata\"",  "\"containerStatuses\"",
    "\"involvedObject\"", "\"nodeInfo\"", "\"items\"",     "\"resourceVersion\"",
    "\"nodeName\"",       "\"phase\"",    "\"regarding\"", NULL
};
static const char *const json_proof[] = { "\"apiVersion\"",
                                          "\"containerStatuses\"",
                                          "\"involvedObject\"",
                                          "\"nodeInfo\"",
                                          "\"nodeName\"",
                                          "\"regarding\"",
                                          NULL };

static int json_probe(const ff_probe *in)
{
    ff_bytes head = ff_first_n(in->head, 16384);
    if (!doc_begins_json(head) || !doc_count_found(head, json_proof) || !ff_contains(head, FF_LIT("\"metadata\"")))
        return 0;
    return doc_count_found(head, json_words);
}

static bool line_starts(ff_bytes head, const char *prefix)
{
    ff_bytes line;
    for (unsigned i = 0; i < 200 && ff_take_line(&head, &line); i++)
        if (ff_starts(line, ff_str(prefix)))
            return true;
    return false;
}

static int yaml_probe(const ff_probe *in)
{
    ff_bytes head = ff_first_n(in->head, 16384);
    bool named = line_starts(head, "kind:") && line_starts(head, "apiVersion:");
    bool bare = line_starts(head, "metadata:") && (line_starts(head, "spec:") || line_starts(head, "status:"));
    bool list = line_starts(head, "items:") && ff_contains(head, FF_LIT("kind:"));
    if (doc_begins_json(head) || !(named || bare || list))
        return 0;
    return (named ? 8 * 16 : 0) + (bare ? 8 * 14 : 0) + (list ? 8 * 6 : 0);
}

typedef ff_status (*read_tree)(ff_tree *t, size_t *end);

/* Documents one after the other; what lies between two of them, as "---" or text of a terminal, is passed over. */
static ff_status parse_all(const ff_doc *doc, ff_sink *out, read_tree read, const char *first)
{
    k8s k = { .out = out };
    ff_tree t;
    size_t at = 0;
    bool any = false;
    doc_lines_init(&k.lines, doc->bytes);
    ff_tree_init(&t, doc->bytes);
    for (unsigned i = 0; i < CAP_DOCUMENTS && at < doc->bytes.n; i++) {
        size_t end = 0;
        while (at < doc->bytes.n && first && doc->bytes.p[at] != first[0] && doc->bytes.p[at] != first[1])
            at++;
        ff_tree_reset(&t, ff_skip_n(doc->bytes, at));
        if (read(&t, &end) == FF_OK)
            any = k8s_object(&k, &t, 0, (ff_bytes){ 0 }, at) || any;
        if (t.problem)
            out->skip(out->owner, doc_line_at(&k.lines, at + t.problem_at, &(ff_bytes){ 0 }, &(uint64_t){ 0 }),
                      t.problem);
        at += end ? end : 1;
    }
    ff_tree_done(&t);
    return any ? FF_OK : FF_BAD;
}

static ff_status json_parse(const ff_doc *doc, ff_sink *out) { return parse_all(doc, out, ff_json_read, "{["); }

static ff_status yaml_parse(const ff_doc *doc, ff_sink *out) { return parse_all(doc, out, ff_yaml_read, NULL); }

const ff_parser ff_parser_k8s_json = {
    .name = "k8s_json", .streams = FF_STREAM_K8S, .probe = json_probe, .parse = json_parse
};
const ff_parser ff_parser_k8s_yaml = {
    .name = "k8s_yaml", .streams = FF_STREAM_K8S, .probe = yaml_probe, .parse = yaml_parse
};
