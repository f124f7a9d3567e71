/* Jobs and nodes as Slurm's tools print them with --json: sacct, scontrol show job|node, squeue.
 *     { "jobs": [ { "job_id": 123, "state": { "current": [ "NODE_FAIL" ], "reason": "None" },
 *         "exit_code": { "return_code": { "set": true, "number": 1 }, "signal": { "id": { "number": 9 } } },
 *         "nodes": "gpu-a[01-02]", "failed_node": "gpu-a02", "time": { "end": 1767225620 }, "steps": [ ... ] } ] }
 *     { "nodes": [ { "name": "gpu-a02", "state": [ "DOWN", "DRAIN" ], "reason": "text", "boot_time": 1767200000 } ] }
 * Format: Slurm src/plugins/data_parser (0.0.40 on) and openapi (0.0.35 on). From version to version a word becomes a
 * list of words, a number an object with "set" and "number"; both are read. Times are seconds since 1970.
 * Not understood: sinfo --json, and YAML. */
#include "doc_private.h"

#define CAP_TEXT 512u    /* bytes of one value */
#define MOST_STEPS 1000u /* of one job */

typedef struct slurm_doc {
    ff_tree tree;
    doc_lines lines;
    ff_sink *out;
    size_t base; /* of the JSON in the member */
} slurm_doc;

/* 5, or { "set": true, "infinite": false, "number": 5 } */
static bool number_of(const ff_tree *t, uint32_t node, int64_t *out)
{
    uint32_t set = ff_node_get(t, node, "set"), inner = ff_node_get(t, node, "number");
    if (inner == FF_NONE)
        return ff_node_int(t, node, out);
    return (set == FF_NONE || ff_node_true(t, set)) && ff_node_int(t, inner, out);
}

static ff_bytes text_of(const ff_tree *t, uint32_t node, const char *path)
{
    return ff_first_n(ff_trim(ff_node_text(t, ff_node_path(t, node, path))), CAP_TEXT);
}

static bool is_said(ff_bytes text)
{
    return text.n && !ff_equal_nocase(text, FF_LIT("none")) && !ff_equal(text, FF_LIT("None assigned")) &&
           !ff_equal(text, FF_LIT("(null)"));
}

static void add_said(ff_fields *f, const char *name, ff_bytes text)
{
    if (is_said(text))
        ff_fields_text(f, name, FF_FIELD_TEXT, text);
}

static ff_bytes upper(ff_bytes word, ff_arena *arena)
{
    char *out = ff_arena_take(arena, word.n + 1);
    for (size_t i = 0; i < word.n; i++)
        out[i] = (char)(word.p[i] >= 'a' && word.p[i] <= 'z' ? word.p[i] - 'a' + 'A' : word.p[i]);
    return (ff_bytes){ out, word.n };
}

static ff_bytes word_at(const ff_tree *t, uint32_t node, uint32_t i)
{
    ff_bytes word = ff_node_text(t, node);
    return word.n ? (i ? (ff_bytes){ 0 } : word) : ff_node_text(t, ff_node_item(t, node, i));
}

/* Words of a list, or the one word, with + between them: DOWN+DRAIN. */
static ff_bytes words_of(const ff_tree *t, uint32_t node, ff_bytes before, ff_arena *arena)
{
    ff_bytes all = before, word;
    for (uint32_t i = 0; i < 16 && (word = word_at(t, node, i)).n; i++) {
        word = upper(ff_first_n(word, 40), arena);
        all = all.n ? ff_arena_format(arena, "%.*s+%.*s", (int)all.n, all.p, (int)word.n, word.p) : word;
    }
    return all;
}

static ff_stamp time_at(const ff_tree *t, uint32_t node)
{
    int64_t s = 0;
    if (!number_of(t, node, &s) || s <= 0 || s > INT64_C(9000000000))
        return (ff_stamp){ 0 };
    return (ff_stamp){ .kind = FF_STAMP_UTC, .ns = s * INT64_C(1000000000), .grain_ns = INT64_C(1000000000) };
}

/* The oldest print what wait() gave. */
static void add_exit(ff_fields *f, const ff_tree *t, uint32_t exit)
{
    int64_t code = 0, signal = 0;
    uint32_t of_signal = ff_node_get(t, exit, "signal");
    if (ff_node_at(t, exit) && ff_node_at(t, exit)->kind == FF_NODE_INT && ff_node_int(t, exit, &code)) {
        signal = code & 0x7f;
        code = (code >> 8) & 0xff;
    } else if (exit == FF_NONE ||
               (!number_of(t, ff_node_get(t, exit, "return_code"), &code) && of_signal == FF_NONE)) {
        return;
    } else if (!number_of(t, ff_node_get(t, of_signal, "id"), &signal)) {
        (void)number_of(t, ff_node_get(t, of_signal, "signal_id"), &signal);
    }
    if (code < 0 || code > 65535 || signal < 0 || signal > 255)
        return;
    ff_fields_int(f, "code", FF_FIELD_INT, code);
    ff_fields_int(f, "signal", FF_FIELD_INT, signal);
}

/* at: a word, or a list of words, of which the first is shown. */
static void give(slurm_doc *d, ff_fact_id id, uint32_t at, ff_stamp said, const ff_fields *f)
{
    at = ff_node_count(&d->tree, at) ? ff_node_item(&d->tree, at, 0) : at;
    ff_fact fact = { .id = id, .said = said, .who = FF_WHO_NOBODY };
    doc_fact(d->out, &d->lines, d->base + ff_node_at(&d->tree, at)->at, &fact, f);
}

static bool is_one_node(ff_bytes nodes)
{
    return is_said(nodes) && !ff_contains(nodes, FF_LIT("[")) && !ff_contains(nodes, FF_LIT(",")) &&
           !ff_contains(nodes, FF_LIT(" "));
}

/* Which of its nodes failed, else the only one there is. */
static void add_nodes(ff_fields *f, ff_bytes nodes, ff_bytes failed)
{
    add_said(f, "nodes", nodes);
    if (is_one_node(failed) || is_one_node(nodes))
        ff_fields_text(f, "node", FF_FIELD_HOST, is_one_node(failed) ? failed : nodes);
}

/* "123", "123_4" of an array. */
static ff_bytes id_of(const slurm_doc *d, uint32_t job)
{
    const ff_tree *t = &d->tree;
    ff_arena *arena = d->out->scratch;
    int64_t id = 0, array = 0, task = 0;
    uint32_t of_task = ff_node_path(t, job, "array.task_id");
    if (of_task == FF_NONE)
        of_task = ff_node_get(t, job, "array_task_id");
    if (!ff_node_int(t, ff_node_get(t, job, "job_id"), &id) || id <= 0)
        return (ff_bytes){ 0 };
    if ((number_of(t, ff_node_path(t, job, "array.job_id"), &array) ||
         number_of(t, ff_node_get(t, job, "array_job_id"), &array)) &&
        array > 0 && number_of(t, of_task, &task) && task >= 0)
        return ff_arena_format(arena, "%lld_%lld", (long long)array, (long long)task);
    return ff_arena_format(arena, "%lld", (long long)id);
}

static void read_step(slurm_doc *d, ff_bytes job, uint32_t step)
{
    const ff_tree *t = &d->tree;
    uint32_t state = ff_node_get(t, step, "state");
    ff_bytes id = text_of(t, step, "step.id"), word = word_at(t, state, 0);
    if (!id.n)
        id = text_of(t, step, "step.step_id");
    if (!id.n || !word.n)
        return;
    ff_fields f = { .n = 0 };
    size_t dot = ff_find(id, FF_LIT("."));
    ff_fields_text(&f, "job", FF_FIELD_TEXT, job);
    ff_fields_text(&f, "step", FF_FIELD_TEXT, dot < id.n ? ff_skip_n(id, dot + 1) : id);
    ff_fields_text(&f, "state", FF_FIELD_TEXT, upper(word, d->out->scratch));
    add_exit(&f, t, ff_node_get(t, step, "exit_code"));
    add_nodes(&f, text_of(t, step, "nodes.range"), (ff_bytes){ 0 });
    give(d, FF_FACT_SLURM_JOB, state, time_at(t, ff_node_path(t, step, "time.end")), &f);
}

static void read_steps(slurm_doc *d, ff_bytes job, uint32_t steps)
{
    for (uint32_t i = 0; i < ff_node_count(&d->tree, steps) && i < MOST_STEPS; i++)
        read_step(d, job, ff_node_item(&d->tree, steps, i));
}

static void read_state(slurm_doc *d, ff_bytes id, uint32_t job, uint32_t state)
{
    const ff_tree *t = &d->tree;
    ff_bytes word = word_at(t, state, 0), reason = text_of(t, job, "state.reason");
    ff_fields f = { .n = 0 };
    uint32_t end = ff_node_path(t, job, "time.end");
    word = upper(word, d->out->scratch);
    bool goes_on = ff_equal(word, FF_LIT("RUNNING")) || ff_equal(word, FF_LIT("PENDING"));
    ff_fields_text(&f, "job", FF_FIELD_TEXT, id);
    ff_fields_text(&f, "state", FF_FIELD_TEXT, word);
    if (!goes_on)
        add_exit(&f, t, ff_node_get(t, job, "exit_code"));
    if (ff_equal(word, FF_LIT("CANCELLED")))
        add_said(&f, "by", text_of(t, job, "kill_request_user"));
    add_nodes(&f, text_of(t, job, "nodes"), text_of(t, job, "failed_node"));
    add_said(&f, "reason", reason.n ? reason : text_of(t, job, "state_reason"));
    if (end == FF_NONE)
        end = ff_node_get(t, job, "end_time");
    give(d, FF_FACT_SLURM_JOB, state, goes_on ? (ff_stamp){ 0 } : time_at(t, end), &f);
}

static void read_job(slurm_doc *d, uint32_t job)
{
    const ff_tree *t = &d->tree;
    uint32_t state = ff_node_path(t, job, "state.current"), steps = ff_node_get(t, job, "steps");
    ff_bytes id = id_of(d, job);
    if (state == FF_NONE)
        state = ff_node_get(t, job, "job_state");
    if (!id.n || !word_at(t, state, 0).n)
        return;
    /* facts come in the order of the text */
    bool steps_first = ff_node_at(t, steps) && ff_node_at(t, steps)->at < ff_node_at(t, state)->at;
    if (steps_first)
        read_steps(d, id, steps);
    read_state(d, id, job, state);
    if (!steps_first)
        read_steps(d, id, steps);
}

static ff_bytes spell_time(ff_stamp said, ff_arena *arena)
{
    return said.kind == FF_STAMP_UTC ? ff_arena_format(arena, "%lld", (long long)(said.ns / INT64_C(1000000000)))
                                     : (ff_bytes){ 0 };
}

static void read_node(slurm_doc *d, uint32_t node)
{
    const ff_tree *t = &d->tree;
    ff_arena *arena = d->out->scratch;
    uint32_t state = ff_node_get(t, node, "state"), why = ff_node_get(t, node, "reason");
    ff_bytes name = text_of(t, node, "name"), reason = text_of(t, node, "reason");
    ff_bytes words = words_of(t, state, (ff_bytes){ 0 }, arena);
    ff_fields f = { .n = 0 };
    if (!name.n || !words.n)
        return;
    ff_fields_text(&f, "node", FF_FIELD_HOST, name);
    ff_fields_text(&f, "state", FF_FIELD_TEXT, words_of(t, ff_node_get(t, node, "state_flags"), words, arena));
    add_said(&f, "reason", reason);
    if (is_said(reason))
        add_said(&f, "by", text_of(t, node, "reason_set_by_user"));
    add_said(&f, "booted", spell_time(time_at(t, ff_node_get(t, node, "boot_time")), arena));
    add_said(&f, "started", spell_time(time_at(t, ff_node_get(t, node, "slurmd_start_time")), arena));
    add_said(&f, "gres", text_of(t, node, "gres"));
    add_said(&f, "version", text_of(t, node, "version"));
    ff_stamp when = is_said(reason) ? time_at(t, ff_node_get(t, node, "reason_changed_at")) : (ff_stamp){ 0 };
    give(d, FF_FACT_SLURM_NODE, is_said(reason) ? why : state, when, &f);
}

/* ---- the member ---- */

static size_t find_head(ff_bytes text) { return ff_find(ff_first_n(text, 4096), FF_LIT("{")); }

static int slurm_probe(const ff_probe *in)
{
    ff_bytes head = in->head;
    bool jobs = ff_contains(head, FF_LIT("\"jobs\"")) && ff_contains(head, FF_LIT("\"job_id\"")) &&
                (ff_contains(head, FF_LIT("\"job_state\"")) || ff_contains(head, FF_LIT("\"exit_code\"")));
    bool nodes = ff_contains(head, FF_LIT("\"nodes\"")) && ff_contains(head, FF_LIT("\"state\"")) &&
                 (ff_contains(head, FF_LIT("\"slurmd_start_time\"")) || ff_contains(head, FF_LIT("\"boot_time\"")));
    return find_head(head) < head.n && (jobs || nodes) ? 8 * 20 : 0;
}

static ff_status slurm_parse(const ff_doc *doc, ff_sink *out)
{
    slurm_doc d = { .out = out, .base = find_head(doc->bytes) };
    if (d.base >= doc->bytes.n)
        return FF_BAD;
    doc_lines_init(&d.lines, doc->bytes);
    ff_tree_init(&d.tree, ff_skip_n(doc->bytes, d.base));
    ff_status status = ff_json_read(&d.tree, NULL);
    uint32_t jobs = ff_node_get(&d.tree, 0, "jobs"), nodes = ff_node_get(&d.tree, 0, "nodes");
    for (uint32_t i = 0; i < ff_node_count(&d.tree, jobs); i++)
        read_job(&d, ff_node_item(&d.tree, jobs, i));
    for (uint32_t i = 0; i < ff_node_count(&d.tree, nodes) && jobs == FF_NONE; i++)
        read_node(&d, ff_node_item(&d.tree, nodes, i));
    if (d.tree.problem)
        out->skip(out->owner, 1, d.tree.problem);
    ff_tree_done(&d.tree);
    return jobs == FF_NONE && nodes == FF_NONE ? FF_BAD : status;
}

const ff_parser ff_parser_slurm_json = {
    .name = "slurm_json", .streams = FF_STREAM_SLURM, .collected = true, .probe = slurm_probe, .parse = slurm_parse
};
