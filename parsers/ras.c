/* What NCCL's RAS service answers to STATUS, as text. Its JSON: ras_json.c.
 *     Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
 *         0         1         1         1         2         1   RUNNING  INCOMPLETE
 *     #0-0 (2f6bb4d6772a7cf3) INCOMPLETE
 *       Missing communicator data from 1 rank
 *       Rank 1 -- GPU 1 managed by process 965 on node 192.0.2.2
 *     #1-0 (00ff00ff00ff00ff) MISMATCH
 *       Communicator ranks have different AllReduce operation counts
 *       6 ranks have launched up to operation 120
 *       2 ranks have launched up to operation 118
 *       Rank 3 -- GPU 3 managed by process 990 on node 10.0.0.1
 *       Rank 5 -- GPU 5 managed by process 992 on node 10.0.0.1
 * Format: src/ras/client_support.cc of NCCL. Answers of netcat ("OK") stand in front. Kinds stand most frequent
 * first, so that the first is the usual one; which ranks are of another is told where they are few ("verbose status":
 * fewer than half). A count is a launch on the host: a few more or less is normal while a job runs. The rank is the
 * communicator's: of one that is smaller than the job it is no rank of the job. Of the tables of jobs with unequal
 * nodes only the nodes that stand out are told; the pids beside them are those of another node, by a fault of NCCL's.
 * "Communicators..." is sent before RAS begins to gather, so an answer may end there; sections behind the table
 * always come. What its client says where it gets no answer is read too: src/ras/client.cc. */
#include "ras.h"
#include "lines.h"

#define MOST_GROUPS 256
#define FIRST_LINES 4 /* of a client that complains: what it tried stands in front */

typedef struct kind { /* what ranks of one kind have in common */
    int64_t ranks;    /* how many; 0: no such line yet */
    int64_t launched; /* -1: not about launches */
    ff_bytes state;   /* "RUNNING" */
    ff_bytes error;   /* "Unhandled CUDA error" */
} kind;

typedef struct status { /* where the reader stands in the text */
    ras_teller to;
    ff_bytes group;             /* "0-0" */
    ff_bytes function;          /* "AllReduce": counts differ */
    kind usual, last;           /* of most ranks; of those that the next lines name */
    int64_t sizes[MOST_GROUPS]; /* ranks of a communicator, by the number of its group */
    int64_t world;              /* GPUs of the job; 0 unknown */
    bool totals;                /* the next row is the job's sum */
    bool whole;                 /* the last section was seen */
} status;

static void forget_kinds(status *s)
{
    s->function = (ff_bytes){ 0 };
    s->usual = s->last = (kind){ .launched = -1 };
}

/* Its ranks are the job's: it is as large as the job, or the largest of all. */
static bool is_of_all(const status *s, int64_t size)
{
    int64_t largest = s->world;
    for (size_t i = 0; i < MOST_GROUPS && s->world == 0; i++)
        largest = s->sizes[i] > largest ? s->sizes[i] : largest;
    return size == 0 || size >= largest;
}

/* "1-0": the size of group 1's communicators; 0 unknown. */
static int64_t size_of(const status *s)
{
    ff_bytes rest = s->group;
    int64_t number = 0;
    return ff_take_int(&rest, &number) && number >= 0 && number < MOST_GROUPS ? s->sizes[number] : 0;
}

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
        s->group = group, s->to.comm = comm, s->to.trouble = ff_trim(rest);
        forget_kinds(s);
        return true;
    }
    rest = line;
    static const char *const words[] = { "DEAD", "INCOMPLETE", "TIMEOUT", "ERROR", "MISMATCH", NULL };
    if (!ff_take_name(&rest, &trouble) || !ff_is_one_of(trouble, words) || !ff_is_empty(ff_trim(rest)))
        return false;
    s->group = s->to.comm = (ff_bytes){ 0 };
    s->to.trouble = trouble;
    forget_kinds(s);
    return true;
}

void ras_put(ras_teller *t, ff_fact_id id, uint64_t at, ff_fields *f)
{
    ff_fact fact = { .id = id, .said = t->said, .who = FF_WHO_NOBODY };
    ff_fields_text(f, "comm", FF_FIELD_TEXT, t->comm);
    ff_fields_text(f, "trouble", FF_FIELD_TEXT, t->trouble);
    doc_fact(t->out, &t->lines, at, &fact, f);
}

void ras_add_rank(ff_fields *f, int64_t rank, int64_t size, bool of_all)
{
    ff_fields_int(f, of_all ? "rank" : "member_rank", of_all ? FF_FIELD_RANK : FF_FIELD_INT, rank);
    if (!of_all)
        ff_fields_int(f, "size", FF_FIELD_INT, size);
}

static void add_process(ff_fields *f, ff_bytes line)
{
    ff_bytes rest = line, node;
    int64_t pid = 0;
    if ((ff_take_past(&rest, FF_LIT("managed by process ")) || ff_take_past(&rest, FF_LIT("Process "))) &&
        ff_take_int(&rest, &pid))
        ff_fields_int(f, "pid", FF_FIELD_PID, pid);
    rest = line;
    if (ff_take_past(&rest, FF_LIT(" on node ")) && ff_take_word(&rest, &node))
        ff_fields_text(f, "node", FF_FIELD_TEXT, node);
}

static void add_rank(const status *s, ff_fields *f, int64_t rank)
{
    int64_t size = size_of(s);
    ras_add_rank(f, rank, size, is_of_all(s, size));
}

static void add_kind(ff_fields *f, const status *s, const kind *k)
{
    if (k->launched >= 0)
        ff_fields_int(f, "launched", FF_FIELD_INT, k->launched);
    ff_fields_text(f, "status", FF_FIELD_TEXT, k->state);
    ff_fields_text(f, "error", FF_FIELD_TEXT, k->error);
    if (s->usual.launched >= 0)
        ff_fields_int(f, "usual", FF_FIELD_INT, s->usual.launched);
    ff_fields_text(f, "usual_status", FF_FIELD_TEXT, s->usual.state);
    ff_fields_text(f, "function", FF_FIELD_TEXT, s->function);
}

/* "launched up to operation 118", "not launched any operations", "status INIT", "reported System error -- GPU ...".
 */
static bool read_kind(ff_bytes text, kind *k)
{
    ff_bytes rest = text;
    *k = (kind){ .ranks = 1, .launched = -1 };
    if (ff_take_past(&rest, FF_LIT(" launched up to operation ")))
        return ff_take_int(&rest, &k->launched) && k->launched >= 0;
    if (ff_contains(text, FF_LIT(" not launched any operations")))
        return k->launched = 0, true;
    if (ff_take_past(&rest, FF_LIT(" status ")))
        return ff_take_word(&rest, &k->state);
    if (ff_take_past(&rest, FF_LIT(" reported ")))
        return k->error = ff_first_n(rest, ff_find(rest, FF_LIT(" -- "))), k->error.n > 0;
    return false;
}

/* "6 ranks have launched up to operation 120". Of two kinds as frequent neither is the usual one. */
static bool see_kind(status *s, ff_bytes line)
{
    ff_bytes rest = line;
    int64_t ranks = 0;
    kind k;
    if (!ff_take_int(&rest, &ranks) || !ff_starts(rest, FF_LIT(" ranks ")) || !read_kind(rest, &k))
        return false;
    k.ranks = ranks;
    if (s->usual.ranks == 0 && k.error.n == 0)
        s->usual = k;
    else if (ranks >= s->usual.ranks && k.error.n == 0)
        s->usual = (kind){ .ranks = s->usual.ranks, .launched = -1 };
    s->last = k;
    return true;
}

/* "Rank 1 -- GPU 1 managed by process 965 on node 192.0.2.2", with or without what it launched or which status it
 * has. */
static void see_rank(status *s, ff_bytes line, uint64_t at)
{
    ff_bytes rest = ff_skip_n(line, sizeof "Rank " - 1);
    ff_fields f = { .n = 0 };
    int64_t rank = 0;
    kind own;
    if (!ff_take_int(&rest, &rank) || rank < 0 || rank > INT32_MAX)
        return;
    bool told = read_kind(rest, &own);
    bool absent = ff_equal(s->to.trouble, FF_LIT("INCOMPLETE")) || ff_equal(s->to.trouble, FF_LIT("DEAD"));
    add_rank(s, &f, rank);
    add_process(&f, line);
    add_kind(&f, s, told ? &own : &s->last);
    ras_put(&s->to, absent ? FF_FACT_RAS_MISSING : FF_FACT_RAS_DIFFERS, at, &f);
}

/* "The missing rank: 2", "The missing ranks: 1,2", of 2.24 and 2.25. */
static void see_missing_list(status *s, ff_bytes list, uint64_t at)
{
    int64_t rank = 0;
    do {
        ff_fields f = { .n = 0 };
        ff_take_spaces(&list);
        if (!ff_take_int(&list, &rank) || rank < 0 || rank > INT32_MAX)
            return;
        add_rank(s, &f, rank);
        ras_put(&s->to, FF_FACT_RAS_MISSING, at, &f);
    } while (ff_take_char(&list, ','));
}

/* "Node 10.0.0.4 running processes 71,72", below "The outlier node:". */
static void see_node(status *s, ff_bytes line, uint64_t at)
{
    ff_bytes rest = ff_skip_n(line, sizeof "Node " - 1), node, word;
    ff_fields f = { .n = 0 };
    int64_t processes = 1;
    if (!ff_take_word(&rest, &node) || !ff_take_lit(&rest, FF_LIT(" running process")))
        return;
    ff_take_lit(&rest, FF_LIT("es"));
    while (ff_take_until(&rest, ',', &word))
        processes++;
    ff_fields_text(&f, "node", FF_FIELD_TEXT, node);
    ff_fields_int(&f, "processes", FF_FIELD_INT, processes);
    ras_put(&s->to, FF_FACT_RAS_NODE, at, &f);
}

/* "Encountered 2 communication timeouts while gathering communicator data": what is not told may be of those. */
static void see_timeouts(status *s, ff_bytes rest, uint64_t at)
{
    ff_fields f = { .n = 0 };
    int64_t n = 0;
    if (!ff_take_int(&rest, &n) || !ff_starts(rest, FF_LIT(" communication timeout")))
        return;
    ff_fields_int(&f, "timeouts", FF_FIELD_INT, n);
    ras_put(&s->to, FF_FACT_RAS_TIMEOUTS, at, &f);
}

/* The job's sums: five numbers, or three below a heading of their own. */
static bool see_totals(status *s, ff_bytes line)
{
    int64_t n[5] = { 0 };
    size_t have = 0;
    ff_bytes rest = line;
    while (have < 5 && ff_take_spaces(&rest) && ff_take_int(&rest, &n[have]))
        have++;
    if (!ff_is_empty(ff_trim(rest)) || !(have == 5 || (have == 3 && s->totals)))
        return false;
    s->world = n[have - 1] > 0 ? n[have - 1] : 0;
    s->totals = false;
    return true;
}

static void see_process(status *s, ff_bytes line, uint64_t at)
{
    ff_fields f = { .n = 0 };
    add_process(&f, line);
    ff_fields_int(&f, "dead", FF_FIELD_INT, ff_equal(s->to.trouble, FF_LIT("DEAD")));
    ras_put(&s->to, FF_FACT_RAS_PROCESS, at, &f);
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
    if (n[0] >= 0 && n[0] < MOST_GROUPS)
        s->sizes[n[0]] = size;
    ff_fields f = { .n = 0 };
    ff_fields_int(&f, "communicators", FF_FIELD_INT, n[1]);
    ff_fields_int(&f, "size", FF_FIELD_INT, size);
    ff_fields_int(&f, "ranks", FF_FIELD_INT, ranks);
    ff_fields_text(&f, "status", FF_FIELD_TEXT, word);
    ff_fields_text(&f, "errors", FF_FIELD_TEXT, errors);
    ras_put(&s->to, FF_FACT_RAS_COMM, at, &f);
    return true;
}

/* "Communicator ranks have different AllReduce operation counts"; empty where it is the status, or all functions. */
static ff_bytes function_of(ff_bytes text)
{
    ff_bytes rest = ff_skip_n(text, sizeof "Communicator ranks have different " - 1);
    size_t at = ff_find(rest, FF_LIT(" operation counts"));
    return at < rest.n ? ff_first_n(rest, at) : (ff_bytes){ 0 };
}

static void see_line(status *s, ff_bytes line, uint64_t at)
{
    ff_bytes text = ff_trim(line), rest = text;
    if (see_heading(s, text) || see_totals(s, line) || see_row(s, line, at) || see_kind(s, text))
        return;
    if (ff_starts(text, FF_LIT("Rank ")))
        see_rank(s, text, at);
    else if (ff_starts(text, FF_LIT("Process ")) && ff_contains(text, FF_LIT(" on node ")))
        see_process(s, text, at);
    else if (ff_starts(text, FF_LIT("Node ")))
        see_node(s, text, at);
    else if (ff_take_past(&rest, FF_LIT("The missing rank: ")) || ff_take_past(&rest, FF_LIT("The missing ranks: ")))
        see_missing_list(s, rest, at);
    else if (ff_take_past(&rest, FF_LIT("Encountered ")))
        see_timeouts(s, rest, at);
    else if (ff_starts(text, FF_LIT("Communicator ranks have different ")))
        forget_kinds(s), s->function = function_of(text);
    else if (ff_starts(text, FF_LIT("(total)    (total)      (total)")))
        s->totals = true;
    else if (ff_equal(text, FF_LIT("Warnings")))
        s->whole = true;
}

/* Where the answer ends, or who never answered. */
static void tell_torn(ras_teller *t, uint64_t at, const char *why)
{
    ff_fields f = { .n = 0 };
    t->comm = t->trouble = (ff_bytes){ 0 };
    ff_fields_text(&f, "why", FF_FIELD_TEXT, ff_str(why));
    ras_put(t, FF_FACT_RAS_TORN, at, &f);
}

void ras_tell_cut(ras_teller *t, uint64_t at) { tell_torn(t, at, "ends before all of its data"); }

/* The client's own words, where its output begins with them. */
static bool is_unanswered(ff_bytes head)
{
    static const char *const words[] = { "Failed to connect to the NCCL RAS service!",
                                         "NCCL unexpectedly closed the connection",
                                         "NCCL RAS protocol version mismatch (",
                                         "Unexpected response from NCCL: ", NULL };
    ff_bytes line;
    for (size_t n = 0; n < FIRST_LINES && ff_take_line(&head, &line); n++)
        for (size_t i = 0; words[i]; i++)
            if (ff_starts(line, ff_str(words[i])))
                return true;
    return false;
}

static int text_probe(const ff_probe *in)
{
    if (is_unanswered(in->head))
        return 8 * 22;
    if (!ff_contains(in->head, FF_LIT("Job summary\n===========")) ||
        !ff_contains(in->head, FF_LIT("Communicators...")))
        return 0;
    return 8 * 40;
}

/* Offset of the last line that says anything. */
static uint64_t last_line_of(ff_bytes text)
{
    ff_bytes rest = text, line;
    uint64_t at = 0;
    while (ff_take_line(&rest, &line))
        at = ff_is_empty(ff_trim(line)) ? at : (uint64_t)(line.p - text.p);
    return at;
}

static ff_status text_parse(const ff_doc *doc, ff_sink *out)
{
    status s = { .to = { .out = out } };
    forget_kinds(&s);
    doc_lines_init(&s.to.lines, doc->bytes);
    ff_bytes rest = doc->bytes, line;
    while (ff_take_line(&rest, &line))
        see_line(&s, line, (uint64_t)(line.p - doc->bytes.p));
    if (s.whole)
        return FF_OK;
    if (ff_contains(doc->bytes, FF_LIT("Job summary\n")))
        ras_tell_cut(&s.to, last_line_of(doc->bytes));
    else
        tell_torn(&s.to, 0, "never came");
    return FF_BAD;
}

const ff_parser ff_parser_ras_text = {
    .name = "ras_text", .streams = FF_STREAM_NCCL, .collected = true, .probe = text_probe, .parse = text_parse
};
