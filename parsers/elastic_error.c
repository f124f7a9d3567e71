/* The error file of a worker that torch.distributed.elastic started (TORCHELASTIC_ERROR_FILE,
 * "attempt_0/3/error.json"):
 *     {"message": {"message": "ValueError: no rows", "extraInfo": {"py_callstack": "Traceback (most recent call
 * last):\n
 *      ...", "timestamp": "1767225600"}}}
 * The worker's own last words, where its output is lost: the traceback is read as in a log. An older form has the
 * traceback alone as "message"; that one is left to whoever reads JSON lines.
 * Format: torch/distributed/elastic/multiprocessing/errors/error_handler.py, record_exception. */
#include "doc_private.h"
#include "traceback.h"

#define MOST_LINES 2000u
#define SECOND 1000000000
#define MOST_SECONDS 9000000000u /* what int64_t nanoseconds hold, nearly */

static int elastic_probe(const ff_probe *in)
{
    static const char *const words[] = { "\"message\"", "\"extraInfo\"", "\"py_callstack\"", "\"timestamp\"", NULL };
    return doc_begins_json(in->head) && ff_contains(in->head, FF_LIT("\"py_callstack\"")) &&
                   ff_contains(in->head, FF_LIT("\"extraInfo\""))
               ? doc_count_found(in->head, words)
               : 0;
}

static ff_stamp time_of(ff_bytes seconds)
{
    uint64_t s = 0;
    if (!ff_take_uint(&seconds, &s) || seconds.n || s > MOST_SECONDS)
        return (ff_stamp){ .kind = FF_STAMP_NONE };
    return (ff_stamp){ .kind = FF_STAMP_UTC, .ns = (int64_t)s * SECOND, .grain_ns = SECOND };
}

/* All lines of the text stand in one line of the file. */
static void read_stack(ff_bytes stack, uint64_t offset, ff_stamp said, doc_lines *at, ff_sink *out)
{
    ff_block_line *lines = FF_NEW_N(out->scratch, ff_block_line, MOST_LINES);
    ff_bytes text, whole = { 0 };
    uint64_t begin = 0;
    uint32_t n = 0, number = doc_line_at(at, offset, &whole, &begin);
    while (n < MOST_LINES && ff_take_line(&stack, &text)) {
        lines[n].ev = (ff_event){ .stream = FF_STREAM_APP, .said = said, .text = text, .who = FF_WHO_NOBODY };
        lines[n].quote = whole;
        lines[n].line = number;
        lines[n].offset = begin;
        n++;
    }
    if (n && ff_trace_part_of(lines[0].ev.text) == FF_TRACE_HEADER)
        ff_traceback_read(lines, n, false, out);
}

static ff_status elastic_parse(const ff_doc *doc, ff_sink *out)
{
    ff_tree tree;
    doc_lines lines;
    doc_lines_init(&lines, doc->bytes);
    ff_tree_init(&tree, doc->bytes);
    ff_status status = ff_json_read(&tree, NULL);
    uint32_t message = ff_node_get(&tree, 0, "message");
    uint32_t more = message != FF_NONE ? ff_node_get(&tree, message, "extraInfo") : FF_NONE;
    uint32_t stack = more != FF_NONE ? ff_node_get(&tree, more, "py_callstack") : FF_NONE;
    if (stack != FF_NONE)
        read_stack(ff_node_text(&tree, stack), ff_node_at(&tree, stack)->at,
                   time_of(ff_node_text(&tree, ff_node_get(&tree, more, "timestamp"))), &lines, out);
    if (tree.problem)
        out->skip(out->owner, 1, tree.problem);
    ff_tree_done(&tree);
    return status;
}

const ff_parser ff_parser_elastic_error = {
    .name = "elastic_error", .streams = FF_STREAM_APP, .probe = elastic_probe, .parse = elastic_parse
};
