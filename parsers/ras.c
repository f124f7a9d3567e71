/* What NCCL's RAS service answers: STATUS as text, and as JSON from 2.28.7 on.
 *     Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
 *         0         1         1         1         2         1   RUNNING  INCOMPLETE
 *     #0-0 (2f6bb4d6772a7cf3) INCOMPLETE
 *       Missing communicator data from 1 rank
 *       Rank 1 -- GPU 1 managed by process 965 on node 192.0.2.2
 *     #1-0 (00ff00ff00ff00ff) MISMATCH
 *       Communicator ranks have different AllReduce operation counts
 *       7 ranks have launched up to operation 120
 *       Rank 3 has launched up to operation 118 -- GPU 3 managed by process 990 on node 10.0.0.1
 * Format: src/ras/client_support.cc of NCCL. Answers of netcat ("OK") stand in front. JSON of 2.28.7 to 2.28.9 lacks
 * a comma where a rank is missing; the JSON reader bears that. A count is a launch on the host: a few more or less is
 * normal while a job runs. Not understood: the tables of jobs with unequal nodes (their rows give no fact). */
#include "doc_private.h"
#include "lines.h"

typedef struct status { /* where the reader stands in the text */
    doc_lines lines;
    const ff_sink *out;
    ff_bytes group, comm, trouble; /* "0-0", "2f6bb4d6772a7cf3", "INCOMPLETE" */
    ff_bytes function;             /* "AllReduce": counts differ */
    int64_t usual;                 /* launches of most ranks; -1 unknown */
} status;

static bool is_hash(ff_bytes text)
{
    uint64_t value = 0;
    ff_bytes rest = text;
    return text.n >= 8 && text.n <= 18 && ff_take_hex(&rest, &value) && ff_is_empty(rest);
}

/* "#0-0 (2f6bb4d6772a7cf3) INCOMPLETE", "DEAD", "INCOMPLETE", "TIMEOUT". */
static bool see_heading(status *s, ff_bytes line)
{
    ff_bytes rest = line, group, comm, trouble;
    if (ff_take_char(&rest, '#') && ff_take_word(&rest, &group) && ff_take_lit(&rest, FF_LIT(" (")) &&
        ff_take_until(&rest, ')', &comm) && is_hash(comm)) {
        ff_take_spaces(&rest);
        s->group = group, s->comm = comm, s->trouble = ff_trim(rest);
        s->function = (ff_bytes){ 0 }, s->usual = -1;
        return true;
    }
    rest = line;
    static const char *const words[] = { "DEAD", "INCOMPLETE", "TIMEOUT", "ERROR", "MISMATCH", NULL };
    if (!ff_take_name(&rest, &trouble) || !ff_is_one_of(trouble, words) || !ff_is_empty(ff_trim(rest)))
        return false;
    s->group = s->comm = s->function = (ff_bytes){ 0 };
    s->trouble = trouble, s->usual = -1;
    return true;
}

static void put(status *s, ff_fact_id id, uint64_t at, ff_fields *f)
{
    ff_fact fact = { .id = id, .who = FF_WHO_NOBODY };
    ff_fields_text(f, "comm", FF_FIELD_TEXT, s->comm);
    ff_fields_text(f, "trouble", FF_FIELD_TEXT, s->trouble);
    doc_fact(s->out, &s->lines, at, &fact, f);
}

static bool take_after(ff_bytes text, const char *key, ff_bytes *rest)
{
    ff_bytes word = ff_str(key);
    size_t at = ff_find(text, word);
    *rest = ff_skip_n(text, at <= text.n ? at + word.n : text.n);
    return at <= text.n;
}

static void add_process(ff_fields *f, ff_bytes line)
{
    ff_bytes rest, node;
    int64_t pid = 0;
    if ((take_after(line, "managed by process ", &rest) || take_after(line, "Process ", &rest)) &&
        ff_take_int(&rest, &pid))
        ff_fields_int(f, "pid", FF_FIELD_PID, pid);
    if (take_after(line, " on node ", &rest) && ff_take_word(&rest, &node))
        ff_fields_text(f, "node", FF_FIELD_TEXT, node);
}

/* "Rank 1 -- GPU 1 managed by process 965 on node 192.0.2.2", with or without what it launched or which status it
 * has. */
static void see_rank(status *s, ff_bytes line, uint64_t at)
{
    ff_bytes rest = ff_skip_n(line, sizeof "Rank " - 1), word;
    ff_fields f = { .n = 0 };
    int64_t rank = 0, count = 0;
    if (!ff_take_int(&rest, &rank) || rank < 0 || rank > INT32_MAX)
        return;
    ff_fields_int(&f, "rank", FF_FIELD_RANK, rank);
    add_process(&f, line);
    if (take_after(line, "has launched up to operation ", &rest) && ff_take_int(&rest, &count))
        ff_fields_int(&f, "launched", FF_FIELD_INT, count);
    else if (ff_contains(line, FF_LIT("has not launched any operations")))
        ff_fields_int(&f, "launched", FF_FIELD_INT, 0);
    else if (take_after(line, " has status ", &rest) && ff_take_word(&rest, &word))
        ff_fields_text(&f, "status", FF_FIELD_TEXT, word);
    else if (take_after(line, " reported ", &rest))
        ff_fields_text(&f, "error", FF_FIELD_TEXT, ff_first_n(rest, ff_find(rest, FF_LIT(" -- "))));
    if (s->usual >= 0)
        ff_fields_int(&f, "usual", FF_FIELD_INT, s->usual);
    ff_fields_text(&f, "function", FF_FIELD_TEXT, s->function);
    bool absent = ff_equal(s->trouble, FF_LIT("INCOMPLETE")) || ff_equal(s->trouble, FF_LIT("DEAD"));
    put(s, absent ? FF_FACT_RAS_MISSING : FF_FACT_RAS_DIFFERS, at, &f);
}

static void see_process(status *s, ff_bytes line, uint64_t at)
{
    ff_fields f = { .n = 0 };
    add_process(&f, line);
    ff_fields_int(&f, "dead", FF_FIELD_INT, ff_equal(s->trouble, FF_LIT("DEAD")));
    put(s, FF_FACT_RAS_PROCESS, at, &f);
}

/* "    0         1         1         1         2         1   RUNNING  INCOMPLETE". */
static bool see_row(status *s, ff_bytes line, uint64_t at)
{
    static const char *const states[] = { "NOCOMM", "UNKNOWN", "INIT", "RUNNING", "FINALIZE", "ABORT", NULL };
    int64_t n[3] = { 0 };
    ff_bytes rest = line, per_node, word, errors;
    for (size_t i = 0; i < 3; i++)
        if (!ff_take_spaces(&rest) || !ff_take_int(&rest, &n[i]))
            return false;
    int64_t size = 0, ranks = 0;
    ff_take_spaces(&rest);
    if (!ff_take_word(&rest, &per_node) || !ff_take_spaces(&rest) || !ff_take_int(&rest, &size) ||
        !ff_take_spaces(&rest) || !ff_take_int(&rest, &ranks) || !ff_take_spaces(&rest) ||
        !ff_take_word(&rest, &word) || !ff_is_one_of(word, states) || !ff_take_spaces(&rest) ||
        !ff_take_word(&rest, &errors))
        return false;
    ff_fields f = { .n = 0 };
    ff_fields_int(&f, "communicators", FF_FIELD_INT, n[1]);
    ff_fields_int(&f, "size", FF_FIELD_INT, size);
    ff_fields_int(&f, "ranks", FF_FIELD_INT, ranks);
    ff_fields_text(&f, "status", FF_FIELD_TEXT, word);
    ff_fields_text(&f, "errors", FF_FIELD_TEXT, errors);
    put(s, FF_FACT_RAS_COMM, at, &f);
    return true;
}

static void see_line(status *s, ff_bytes line, uint64_t at)
{
    ff_bytes text = ff_trim(line), rest;
    if (see_heading(s, text) || see_row(s, line, at))
        return;
    if (ff_starts(text, FF_LIT("Rank ")))
        see_rank(s, text, at);
    else if (ff_starts(text, FF_LIT("Process ")) && ff_contains(text, FF_LIT(" on node ")))
        see_process(s, text, at);
    else if (take_after(text, "Communicator ranks have different ", &rest))
        s->usual = -1, s->function = ff_first_n(rest, ff_find(rest, FF_LIT(" operation counts")));
    else if (take_after(text, "have launched up to operation ", &rest))
        (void)ff_take_int(&rest, &s->usual);
}

static int text_probe(const ff_probe *in)
{
    if (!ff_contains(in->head, FF_LIT("Job summary\n===========")) ||
        !ff_contains(in->head, FF_LIT("Communicators...")))
        return 0;
    return 8 * 40;
}

static ff_status text_parse(const ff_doc *doc, ff_sink *out)
{
    status s = { .out = out, .usual = -1 };
    doc_lines_init(&s.lines, doc->bytes);
    ff_bytes rest = doc->bytes, line;
    while (ff_take_line(&rest, &line))
        see_line(&s, line, (uint64_t)(line.p - doc->bytes.p));
    if (!ff_contains(doc->bytes, FF_LIT("\nErrors\n")))
        out->skip(out->owner, 1, "RAS gave no communicator data: the collection did not end");
    return FF_OK;
}

/* ---- JSON ---- */

typedef struct json_status {
    ff_tree tree;
    status s;
    size_t from; /* where the object begins in the member */
} json_status;

static void json_rank(json_status *j, uint32_t node, bool missing)
{
    const ff_tree *t = &j->tree;
    ff_fields f = { .n = 0 };
    int64_t n = 0;
    if (ff_node_int(t, ff_node_get(t, node, "rank"), &n) && n >= 0 && n <= INT32_MAX)
        ff_fields_int(&f, "rank", FF_FIELD_RANK, n);
    if (ff_node_int(t, ff_node_get(t, node, "pid"), &n) && n > 0 && n <= INT32_MAX)
        ff_fields_int(&f, "pid", FF_FIELD_PID, n);
    ff_fields_text(&f, "node", FF_FIELD_TEXT, ff_node_text(t, ff_node_get(t, node, "host")));
    uint32_t state = ff_node_get(t, node, "status");
    int64_t error = 0;
    if (missing) {
        ff_fields_int(&f, "unresponsive", FF_FIELD_INT, ff_node_true(t, ff_node_get(t, state, "unresponsive")));
        ff_fields_int(&f, "dead", FF_FIELD_INT, ff_node_true(t, ff_node_get(t, state, "considered_dead")));
    } else if (ff_node_int(t, ff_node_get(t, state, "async_error"), &error) && error != 0 && error != 7) {
        ff_fields_int(&f, "result", FF_FIELD_INT, error);
    } else {
        return;
    }
    const ff_node *at = ff_node_at(t, ff_node_get(t, node, "rank"));
    put(&j->s, missing ? FF_FACT_RAS_MISSING : FF_FACT_RAS_DIFFERS, j->from + (at ? at->at : 0), &f);
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
        int64_t rank = 0;
        if (!launches(t, rank_node, function, &at_node, &count) || count == usual)
            continue;
        ff_fields f = { .n = 0 };
        if (ff_node_int(t, ff_node_get(t, rank_node, "rank"), &rank) && rank >= 0 && rank <= INT32_MAX)
            ff_fields_int(&f, "rank", FF_FIELD_RANK, rank);
        ff_fields_text(&f, "node", FF_FIELD_TEXT, ff_node_text(t, ff_node_get(t, rank_node, "host")));
        ff_fields_int(&f, "launched", FF_FIELD_INT, count);
        ff_fields_int(&f, "usual", FF_FIELD_INT, usual);
        ff_fields_text(&f, "function", FF_FIELD_TEXT, ff_str(function));
        const ff_node *at = ff_node_at(t, at_node);
        put(&j->s, FF_FACT_RAS_DIFFERS, j->from + (at ? at->at : 0), &f);
    }
}

static void json_comm(json_status *j, uint32_t comm)
{
    const ff_tree *t = &j->tree;
    ff_fields f = { .n = 0 };
    int64_t n = 0;
    ff_bytes hash = ff_node_text(t, ff_node_get(t, comm, "hash"));
    ff_take_lit(&hash, FF_LIT("0x"));
    j->s.comm = hash;
    uint32_t ranks = ff_node_get(t, comm, "ranks"), missing = ff_node_get(t, comm, "missing_ranks");
    j->s.trouble = ff_node_count(t, missing) ? FF_LIT("INCOMPLETE") : (ff_bytes){ 0 };
    ff_fields_int(&f, "communicators", FF_FIELD_INT, 1);
    if (ff_node_int(t, ff_node_get(t, comm, "size"), &n))
        ff_fields_int(&f, "size", FF_FIELD_INT, n);
    if (ff_node_int(t, ff_node_get(t, comm, "ranks_count"), &n))
        ff_fields_int(&f, "ranks", FF_FIELD_INT, n);
    const ff_node *at = ff_node_at(t, ff_node_get(t, comm, "hash"));
    put(&j->s, FF_FACT_RAS_COMM, j->from + (at ? at->at : 0), &f);
    for (uint32_t i = 0; i < ff_node_count(t, ranks); i++)
        json_rank(j, ff_node_item(t, ranks, i), false);
    for (uint32_t i = 0; i < ff_node_count(t, missing); i++)
        json_rank(j, ff_node_item(t, missing, i), true);
    static const char *const functions[] = { "Broadcast", "Reduce", "AllGather", "ReduceScatter", "AllReduce" };
    for (size_t i = 0; i < FF_COUNT(functions); i++)
        json_counts(j, ranks, functions[i]);
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
    json_status j = { .s = { .out = out, .usual = -1 } };
    j.from = ff_find(doc->bytes, FF_LIT("{"));
    if (j.from >= doc->bytes.n)
        return FF_BAD;
    doc_lines_init(&j.s.lines, doc->bytes);
    ff_tree_init(&j.tree, ff_skip_n(doc->bytes, j.from));
    ff_status got = ff_json_read(&j.tree, NULL);
    uint32_t comms = ff_node_get(&j.tree, 0, "communicators");
    for (uint32_t i = 0; got == FF_OK && i < ff_node_count(&j.tree, comms); i++)
        json_comm(&j, ff_node_item(&j.tree, comms, i));
    ff_tree_done(&j.tree);
    return got;
}

const ff_parser ff_parser_ras_text = {
    .name = "ras_text", .streams = FF_STREAM_NCCL, .collected = true, .probe = text_probe, .parse = text_parse
};
const ff_parser ff_parser_ras_json = {
    .name = "ras_json", .streams = FF_STREAM_NCCL, .collected = true, .probe = json_probe, .parse = json_parse
};
