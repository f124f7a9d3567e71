/* kubectl get events, get pods and get nodes: tables for people.
 *
 *     LAST SEEN   TYPE      REASON      OBJECT             MESSAGE
 *     7m          Warning   BackOff     pod/train-0        Back-off restarting failed container trainer
 *     5m (x3 over 9m)  Normal  Killing  pod/train-0        Stopping container trainer
 *
 * Columns are as wide as their widest cell, but a pasted table is often cut or overflows: cells are cut at two or
 * more blanks, or at the beginning of the next heading, whichever fits. Ages are relative to the moment of
 * collection, which the table does not say: they are kept as text. */
#include "k8s.h"

#include <string.h>

#include "lines.h"

#define COLUMNS 20u

typedef struct table {
    ff_bytes heads[COLUMNS];
    size_t begins[COLUMNS];
    unsigned n;
} table;

static bool is_head_byte(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '(' || c == ')' ||
           c == '%' || c == '/' || c == '.' || (c >= 'a' && c <= 'z');
}

/* A heading is a line of words in capitals; single blanks stand inside one heading ("LAST SEEN"). Label columns
 * ("nvidia.com/gpu.count") keep their case, so only the first must be in capitals. */
static bool take_head(ff_bytes line, table *t)
{
    t->n = 0;
    for (size_t i = 0; i < line.n && t->n < COLUMNS;) {
        while (i < line.n && line.p[i] == ' ')
            i++;
        size_t from = i;
        while (i < line.n &&
               (is_head_byte(line.p[i]) || (line.p[i] == ' ' && i + 1 < line.n && line.p[i + 1] != ' ')))
            i++;
        if (i == from)
            return false;
        t->begins[t->n] = from;
        t->heads[t->n++] = (ff_bytes){ line.p + from, i - from };
    }
    for (size_t k = 0; t->n && k < t->heads[0].n; k++)
        if (t->heads[0].p[k] >= 'a' && t->heads[0].p[k] <= 'z')
            return false;
    return t->n >= 3;
}

static int column(const table *t, const char *head)
{
    for (unsigned i = 0; i < t->n; i++)
        if (ff_equal(t->heads[i], ff_str(head)))
            return (int)i;
    return -1;
}

/* Cells at two or more blanks; a cell that overflowed its column is followed by one blank only, then the heading's
 * place tells. The last column takes the rest. */
static unsigned cut_row(const table *t, ff_bytes line, ff_bytes *cells)
{
    unsigned n = 0;
    size_t i = 0;
    while (n < t->n && i < line.n) {
        while (i < line.n && line.p[i] == ' ')
            i++;
        size_t from = i;
        if (n + 1 == t->n) {
            cells[n++] = ff_trim(ff_skip_n(line, from));
            break;
        }
        while (i < line.n) {
            bool gap = line.p[i] == ' ' && (i + 1 == line.n || line.p[i + 1] == ' ');
            bool edge = line.p[i] == ' ' && i + 1 < line.n && i + 1 >= t->begins[n + 1] && i > from &&
                        line.p[i + 1] != '(' &&
                        !(from < i && memchr(line.p + from, '(', i - from) && !memchr(line.p + from, ')', i - from));
            if (gap || edge)
                break;
            i++;
        }
        cells[n++] = (ff_bytes){ line.p + from, i - from };
    }
    for (unsigned k = n; k < t->n; k++)
        cells[k] = (ff_bytes){ 0 };
    return n;
}

/* A table of one namespace does not name it, and no table names the node; the scheduler's event names both. */
#define PLACED 256u
typedef struct placed {
    struct {
        ff_bytes ns, pod, node;
    } at[PLACED];
    unsigned n;
} placed;

static void read_placed(ff_bytes text, placed *p)
{
    ff_bytes line, rest;
    while (p->n < PLACED && ff_take_line(&text, &line)) {
        ff_bytes ns, pod, to, node;
        rest = line;
        if (!ff_take_past(&rest, FF_LIT("Successfully assigned ")) || !ff_take_until(&rest, '/', &ns) ||
            !ff_take_word(&rest, &pod) || !ff_take_spaces(&rest) || !ff_take_word(&rest, &to) ||
            !ff_take_spaces(&rest) || !ff_take_word(&rest, &node) || !ff_equal(to, FF_LIT("to")))
            continue;
        p->at[p->n].ns = ns;
        p->at[p->n].pod = pod;
        p->at[p->n++].node = node;
    }
}

static void place_event(const placed *p, k8s_event *e)
{
    for (unsigned i = p->n; i-- > 0 && ff_equal(e->kind, FF_LIT("pod"));) {
        if (!ff_equal(p->at[i].pod, e->name) || (e->ns.n && !ff_equal(p->at[i].ns, e->ns)))
            continue;
        e->ns = p->at[i].ns;
        e->host = p->at[i].node;
        return;
    }
}

static ff_bytes cell(const ff_bytes *cells, int i) { return i < 0 ? (ff_bytes){ 0 } : ff_trim(cells[i]); }

typedef enum what { NOTHING, EVENTS, PODS, NODES } what;

static bool mentions_gpu(ff_bytes head, bool allocatable)
{
    bool gpu = ff_contains(head, FF_LIT("GPU")) || ff_contains(head, FF_LIT("nvidia.com/gpu"));
    bool usable = ff_contains(head, FF_LIT("ALLOC")) || ff_contains(head, FF_LIT("alloc"));
    return gpu && usable == allocatable && !ff_contains(head, FF_LIT("product")) &&
           !ff_contains(head, FF_LIT("PRODUCT")) && !ff_contains(head, FF_LIT("memory"));
}

static what kind_of(const table *t)
{
    if (column(t, "REASON") >= 0 && column(t, "OBJECT") >= 0 && column(t, "MESSAGE") >= 0)
        return EVENTS;
    if (column(t, "NAME") < 0)
        return NOTHING;
    if (column(t, "READY") >= 0 && column(t, "RESTARTS") >= 0)
        return PODS;
    if (column(t, "STATUS") >= 0 && column(t, "VERSION") >= 0)
        return NODES;
    for (unsigned i = 1; i < t->n; i++)
        if (mentions_gpu(t->heads[i], true) || mentions_gpu(t->heads[i], false))
            return NODES;
    return NOTHING;
}

static int64_t number_of(ff_bytes text)
{
    uint64_t value = 0;
    ff_bytes in = ff_trim(text);
    return ff_take_uint(&in, &value) && value < 1000000000 ? (int64_t)value : -1;
}

/* "3m (x5 over 9m)" */
static void read_age(ff_bytes text, k8s_event *e)
{
    size_t at = ff_find(text, FF_LIT("(x"));
    e->age = ff_trim(ff_first_n(text, at));
    if (at < text.n)
        e->count = number_of(ff_skip_n(text, at + 2));
}

static void read_event_row(k8s *k, const table *t, const placed *p, const ff_bytes *cells, uint64_t offset)
{
    k8s_event e = { .count = -1, .offset = offset };
    ff_bytes object = cell(cells, column(t, "OBJECT")), kind;
    e.ns = cell(cells, column(t, "NAMESPACE"));
    e.name = object;
    if (ff_take_until(&object, '/', &kind)) {
        e.kind = kind;
        e.name = object;
    }
    e.type = cell(cells, column(t, "TYPE"));
    e.reason = cell(cells, column(t, "REASON"));
    e.message = cell(cells, column(t, "MESSAGE"));
    read_age(cell(cells, column(t, "LAST SEEN")), &e);
    int64_t count = number_of(cell(cells, column(t, "COUNT")));
    e.count = count >= 0 ? count : e.count;
    place_event(p, &e);
    k8s_emit_event(k, &e);
}

static void read_pod_row(k8s *k, const table *t, const ff_bytes *cells, uint64_t offset)
{
    ff_fields f = { .n = 0 };
    ff_who who = FF_WHO_NOBODY;
    ff_bytes ns = cell(cells, column(t, "NAMESPACE")), name = cell(cells, column(t, "NAME")),
             node = cell(cells, column(t, "NODE"));
    who.host = ff_equal(node, FF_LIT("<none>")) ? (ff_bytes){ 0 } : node;
    who.pod = ns.n ? ff_arena_format(k->out->scratch, "%.*s/%.*s", (int)ff_first_n(ns, 256).n, ns.p,
                                     (int)ff_first_n(name, 256).n, name.p)
                   : name;
    ff_fields_text(&f, "pod", FF_FIELD_POD, who.pod);
    ff_fields_text(&f, "node", FF_FIELD_HOST, who.host);
    ff_fields_text(&f, "phase", FF_FIELD_TEXT, cell(cells, column(t, "STATUS")));
    int64_t restarts = number_of(cell(cells, column(t, "RESTARTS")));
    if (restarts >= 0)
        ff_fields_int(&f, "restart_count", FF_FIELD_INT, restarts);
    k8s_fact(k, FF_FACT_POD, offset, (ff_stamp){ 0 }, &who, &f);
}

static void read_node_row(k8s *k, const table *t, const ff_bytes *cells, uint64_t offset)
{
    ff_fields f = { .n = 0 };
    ff_who who = FF_WHO_NOBODY;
    who.host = cell(cells, column(t, "NAME"));
    ff_fields_text(&f, "node", FF_FIELD_HOST, who.host);
    ff_fields_text(&f, "status", FF_FIELD_TEXT, cell(cells, column(t, "STATUS")));
    ff_fields_text(&f, "kubelet", FF_FIELD_TEXT, cell(cells, column(t, "VERSION")));
    ff_fields_text(&f, "kernel", FF_FIELD_TEXT, cell(cells, column(t, "KERNEL-VERSION")));
    for (int usable = 0; usable < 2; usable++) {
        for (unsigned i = 1; i < t->n; i++) {
            int64_t n = number_of(cells[i]);
            if (!mentions_gpu(t->heads[i], usable) || n < 0)
                continue;
            ff_fields_int(&f, usable ? "gpus_allocatable" : "gpus", FF_FIELD_INT, n);
            break;
        }
    }
    k8s_fact(k, FF_FACT_NODE, offset, (ff_stamp){ 0 }, &who, &f);
    for (unsigned i = 1; i < t->n; i++)
        if (ff_contains(t->heads[i], FF_LIT("/")) && !ff_equal(ff_trim(cells[i]), FF_LIT("<none>")))
            k8s_emit_label(k, &who, "node", t->heads[i], ff_trim(cells[i]), offset);
}

static bool first_head(ff_bytes text, table *t, unsigned lines)
{
    ff_bytes line;
    for (unsigned i = 0; i < lines && ff_take_line(&text, &line);)
        if (ff_trim(line).n && ++i && take_head(line, t) && kind_of(t) != NOTHING)
            return true;
    return false;
}

static int table_probe(const ff_probe *in)
{
    table t;
    return first_head(in->head, &t, 2) ? 8 * 24 : 0;
}

static ff_status table_parse(const ff_doc *doc, ff_sink *out)
{
    k8s k = { .out = out };
    table t = { .n = 0 }, next;
    ff_bytes rest = doc->bytes, line, cells[COLUMNS], whole;
    uint64_t begin = 0;
    doc_lines_init(&k.lines, doc->bytes);
    placed *p = FF_NEW(out->scratch, placed);
    read_placed(doc->bytes, p);
    what kind = NOTHING;
    while (ff_take_line(&rest, &line)) {
        uint64_t offset = (uint64_t)(line.p - doc->bytes.p);
        line = ff_first_n(line, FF_CAP_LINE);
        if (take_head(line, &next) && kind_of(&next) != NOTHING) {
            t = next;
            kind = kind_of(&t);
            continue;
        }
        if (!ff_trim(line).n)
            continue;
        bool row = kind != NOTHING && cut_row(&t, line, cells) >= 3;
        if (row && kind == EVENTS)
            read_event_row(&k, &t, p, cells, offset);
        else if (row && kind == PODS)
            read_pod_row(&k, &t, cells, offset);
        else if (row)
            read_node_row(&k, &t, cells, offset);
        if (row)
            continue;
        ff_event ev = { .stream = FF_STREAM_K8S, .text = line, .who = FF_WHO_NOBODY, .scratch = out->scratch };
        (void)ff_undress(&ev);
        uint32_t number = doc_line_at(&k.lines, offset, &whole, &begin);
        out->event(out->owner, &ev, number, begin, whole);
    }
    return FF_OK;
}

const ff_parser ff_parser_kubectl_table = {
    .name = "kubectl_table", .streams = FF_STREAM_K8S, .collected = true, .probe = table_probe, .parse = table_parse
};
