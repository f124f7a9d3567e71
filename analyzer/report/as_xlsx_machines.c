/* Sheets about machines: GPUs, network, memory, and the print of each host. Their rows are facts and signals as the
 * evidence gave them, each with its place. */
#include "as_xlsx_private.h"

#include "../base/node.h"
#include "../engine/engine.h"
#include "json_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The first that is there of names separated by '|': tools and logs name one thing differently. */
static const ff_field *field_of(const ff_signal *g, const char *names)
{
    ff_bytes rest = ff_str(names), name;
    while (rest.n) {
        if (!ff_take_until(&rest, '|', &name)) {
            name = rest;
            rest.n = 0;
        }
        (void)ff_take_char(&rest, '|');
        for (uint32_t i = 0; i < g->n_fields; i++)
            if (ff_equal(g->fields[i].name, name))
                return &g->fields[i];
    }
    return NULL;
}

/* A number stays a number. */
static void field_cell(ff_sheet *s, uint16_t column, const ff_signal *g, const char *name)
{
    const ff_field *f = field_of(g, name);
    if (!f)
        return;
    if (f->is_float || f->type == FF_FIELD_FLOAT)
        (void)worksheet_write_number(s->sheet, s->row, column, f->f, s->book->plain);
    else if (f->type == FF_FIELD_INT || f->type == FF_FIELD_GPU || f->type == FF_FIELD_PID ||
             f->type == FF_FIELD_RANK || f->type == FF_FIELD_LOCAL_RANK)
        (void)worksheet_write_number(s->sheet, s->row, column, (double)f->i, s->book->count);
    else
        ff_cell_text(s, column, f->s);
}

typedef struct fact_column {
    ff_column column;
    const char *field;
} fact_column;

/* Columns 0 to 2 are host, time, kind; the last two are place and text. */
static ff_sheet open_facts(ff_book *b, lxw_worksheet *sheet, const fact_column *fields, uint16_t n)
{
    ff_column all[40] = { { "Host", 18 }, { "Time (UTC)", 24 }, { "Kind", 18 } };
    for (uint16_t i = 0; i < n; i++)
        all[3 + i] = fields[i].column;
    all[3 + n] = (ff_column){ "Where", 40 };
    all[4 + n] = (ff_column){ "Text", 70 };
    return ff_sheet_open(b, sheet, all, (uint16_t)(n + 5));
}

static void fact_row(ff_sheet *s, const ff_signal *g, const fact_column *fields, uint16_t n)
{
    if (!ff_sheet_next(s))
        return;
    ff_cell_text(s, 0, g->who.host);
    ff_cell_when(s, 1, g->has_utc, g->utc, g->said);
    ff_cell_text(s, 2, ff_kind_name(s->book->h.r->rules, g->kind));
    for (uint16_t i = 0; i < n; i++)
        field_cell(s, (uint16_t)(3 + i), g, fields[i].field);
    ff_cell_place(s, (uint16_t)(3 + n), g->at);
    ff_cell_text(s, (uint16_t)(4 + n), ff_first_n(g->quote, FF_HTML_CONTEXT));
}

/* What operations take by themselves, a row for each process group and kind of operation. */
void ff_xlsx_operations(ff_book *b, lxw_worksheet *sheet)
{
    static const fact_column fields[] = {
        { { "Group", 12 }, "group" },         { { "Description", 20 }, "desc" },
        { { "Ranks", 20 }, "ranks" },         { { "Operation", 18 }, "op" },
        { { "Sizes", 28 }, "sizes" },         { { "Times", 8 }, "turns" },
        { { "Usual (ms)", 11 }, "usual_ms" }, { { "Worst (ms)", 11 }, "worst_ms" },
        { { "Bytes", 14 }, "bytes" },         { { "Bus bandwidth (GB/s)", 18 }, "busbw" },
        { { "Baseline", 9 }, "baseline" },
    };
    ff_sheet s = open_facts(b, sheet, fields, FF_COUNT(fields));
    const ff_evidence *e = b->h.r->evidence;
    for (uint32_t i = 0; i < e->n_signals; i++)
        if (e->signals[i].kind == FF_FACT_FR_PACE)
            fact_row(&s, &e->signals[i], fields, FF_COUNT(fields));
    ff_sheet_close(&s);
}

void ff_xlsx_gpus(ff_book *b, lxw_worksheet *sheet)
{
    static const fact_column fields[] = {
        { { "Index", 7 }, "index" },
        { { "PCI address", 15 }, "gpu" },
        { { "UUID", 24 }, "uuid" },
        { { "Product", 24 }, "product" },
        { { "Driver", 14 }, "driver" },
        { { "Failure", 20 }, "failure" },
        { { "Recovery action", 16 }, "recovery_action" },
        { { "Reset required", 14 }, "reset_required" },
        { { "ECC uncorrected", 15 }, "ecc_uncorrected" },
        { { "ECC corrected", 13 }, "ecc_corrected" },
        { { "Remap failure", 13 }, "remap_failure" },
        { { "Throttle", 24 }, "throttle" },
        { { "Fabric state", 14 }, "fabric_state" },
        { { "PCIe generation", 15 }, "link_gen" },
        { { "PCIe lanes", 11 }, "link_width" },
        { { "Temperature (\xC2\xB0"
            "C)",
            15 },
          "temperature_c" },
        { { "Power (W)", 10 }, "power_w" },
        { { "Utilisation (%)", 14 }, "utilization_pct" },
        { { "Memory used (MiB)", 17 }, "memory_used_mib" },
        { { "Memory total (MiB)", 17 }, "memory_total_mib" },
        { { "NVLinks active", 14 }, "active" },
        { { "NVLinks inactive", 15 }, "inactive" },
        { { "Utilisation mean (%)", 18 }, "utilization_mean" },
        { { "Longest idle (s)", 15 }, "idle_longest_s" },
    };
    ff_sheet s = open_facts(b, sheet, fields, FF_COUNT(fields));
    const ff_evidence *e = b->h.r->evidence;
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const ff_signal *g = &e->signals[i];
        if (g->kind == FF_FACT_GPU_STATE || g->kind == FF_FACT_GPU_LISTED || g->kind == FF_FACT_GPU_NVLINK ||
            g->kind == FF_FACT_GPU_SAMPLES)
            fact_row(&s, g, fields, FF_COUNT(fields));
    }
    ff_sheet_mark(&s, 8, "ERR", b->bad);
    ff_sheet_mark(&s, 10, "Yes", b->bad);
    ff_sheet_close(&s);
}

static void fields_cell(ff_sheet *s, uint16_t column, const ff_signal *g)
{
    ff_text *t = &s->book->text;
    t->n = 0;
    for (uint32_t i = 0; i < g->n_fields && t->n <= FF_XLSX_CELL; i++) {
        ff_text_adds(t, i ? ", " : "");
        ff_text_add(t, g->fields[i].name);
        ff_text_addc(t, '=');
        ff_view_add_value(t, &g->fields[i]);
    }
    if (g->n_fields)
        ff_cell_text(s, column, ff_text_view(t));
}

/* What network tools, kernels and NCCL's transport said of ports, adapters and interfaces. */
static bool is_network(const ff_book *b, const ff_signal *g)
{
    return g->stream == FF_STREAM_NET || ff_starts(ff_kind_name(b->h.r->rules, g->kind), FF_LIT("net."));
}

void ff_xlsx_network(ff_book *b, lxw_worksheet *sheet)
{
    static const fact_column fields[] = {
        { { "Device", 16 }, "device" },
        { { "Port", 7 }, "port" },
        { { "Interface", 14 }, "interface" },
        { { "State", 14 }, "state" },
        { { "Physical state", 14 }, "physical" },
        { { "Rate", 10 }, "rate" },
        { { "Layer", 12 }, "layer|kind" },
        { { "Address", 18 }, "address|local" },
        { { "Peer", 18 }, "peer" },
        { { "Link downs", 11 }, "link_downs" },
        { { "Symbol errors", 13 }, "symbol_errors|pcs_symbol_errors" },
        { { "Receive errors", 14 }, "receive_errors" },
        { { "Transmit discards", 16 }, "transmit_discards|transmit_dropped" },
        { { "Out of buffer", 13 }, "out_of_buffer" },
        { { "Ack timeouts", 12 }, "ack_timeouts" },
        { { "Read from it", 60 }, "" },
    };
    ff_sheet s = open_facts(b, sheet, fields, FF_COUNT(fields));
    const ff_evidence *e = b->h.r->evidence;
    for (uint32_t i = 0; i < e->n_signals; i++) {
        if (!is_network(b, &e->signals[i]))
            continue;
        uint32_t before = s.row;
        fact_row(&s, &e->signals[i], fields, FF_COUNT(fields));
        if (s.row != before)
            fields_cell(&s, 3 + FF_COUNT(fields) - 1, &e->signals[i]);
    }
    ff_sheet_close(&s);
}

/* ---- bandwidth of tests ---- */
#define CHART_RUNS 8u

/* A series for each file and collective whose rows stand together. */
static void bandwidth_chart(const ff_sheet *s, const lxw_row_t *from, const lxw_row_t *to, uint32_t n)
{
    lxw_chart *chart = n ? workbook_add_chart(s->book->workbook, LXW_CHART_SCATTER_STRAIGHT_WITH_MARKERS) : NULL;
    if (!chart)
        return;
    for (uint32_t i = 0; i < n; i++) {
        char name[24];
        lxw_chart_series *series = chart_add_series(chart, NULL, NULL);
        chart_series_set_categories(series, "Bandwidth", from[i], 5, to[i], 5);
        chart_series_set_values(series, "Bandwidth", from[i], 7, to[i], 7);
        (void)snprintf(name, sizeof name, "rows %" PRIu32 " to %" PRIu32, from[i] + 1, to[i] + 1);
        chart_series_set_name(series, name);
    }
    chart_title_set_name(chart, "Bus bandwidth (GB/s) over size (bytes)");
    chart_axis_set_log_base(chart->x_axis, 2);
    chart_axis_set_name(chart->x_axis, "bytes");
    chart_axis_set_name(chart->y_axis, "GB/s");
    (void)worksheet_insert_chart(s->sheet, s->row + 3, 0, chart);
}

void ff_xlsx_bandwidth(ff_book *b, lxw_worksheet *sheet)
{
    static const fact_column fields[] = {
        { { "Collective", 16 }, "collective" },
        { { "Ranks", 7 }, "ranks" },
        { { "Size (bytes)", 16 }, "size" },
        { { "Time (\xC2\xB5s)", 12 }, "time_us" },
        { { "Bus bandwidth (GB/s)", 18 }, "busbw" },
        { { "Bandwidth (GB/s)", 16 }, "algbw" },
        { { "Wrong", 8 }, "wrong" },
        { { "Type", 10 }, "type" },
    };
    ff_sheet s = open_facts(b, sheet, fields, FF_COUNT(fields));
    const ff_evidence *e = b->h.r->evidence;
    const ff_signal *last = NULL;
    lxw_row_t from[CHART_RUNS], to[CHART_RUNS];
    uint32_t runs = 0;
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const ff_signal *g = &e->signals[i];
        if (g->kind != FF_FACT_TEST_ROW || s.row + 2 >= b->rows)
            continue;
        fact_row(&s, g, fields, FF_COUNT(fields));
        bool goes_on = last && last->at.member == g->at.member &&
                       ff_signal_number(last, "size", 0) < ff_signal_number(g, "size", 0);
        if (!goes_on && runs < CHART_RUNS)
            from[runs++] = s.row;
        if (runs)
            to[runs - 1] = s.row;
        last = g;
    }
    bandwidth_chart(&s, from, to, runs);
    ff_sheet_close(&s);
}

/* ---- memory ---- */
static void gib_cell(ff_sheet *s, uint16_t column, const ff_signal *g, const char *name)
{
    const ff_field *f = ff_signal_field(g, name);
    if (f && f->type == FF_FIELD_INT && f->i >= 0)
        (void)worksheet_write_number(s->sheet, s->row, column, (double)f->i / 1048576.0, s->book->gib);
}

static void memory_chart(const ff_sheet *s)
{
    static const struct {
        uint16_t column;
        const char *name;
        lxw_color_t colour;
    } parts[] = { { 5, "anonymous", 0xB04400 },
                  { 6, "shared memory", 0x0072B2 },
                  { 7, "files, with shared", 0x009E73 },
                  { 8, "kernel", 0xA3578A } };
    lxw_row_t last = s->row < 24 ? s->row : 24;
    lxw_chart *chart = workbook_add_chart(s->book->workbook, LXW_CHART_BAR_STACKED);
    if (!s->row || !chart)
        return;
    for (size_t i = 0; i < FF_COUNT(parts); i++) {
        lxw_chart_series *series = chart_add_series(chart, NULL, NULL);
        lxw_chart_fill fill = { .color = parts[i].colour };
        chart_series_set_categories(series, "Memory", 1, 0, last, 0);
        chart_series_set_values(series, "Memory", 1, parts[i].column, last, parts[i].column);
        chart_series_set_name(series, parts[i].name);
        chart_series_set_fill(series, &fill);
    }
    chart_title_set_name(chart, "Memory at each OOM report (GiB)");
    chart_axis_set_reverse(chart->y_axis);
    (void)worksheet_insert_chart(s->sheet, s->row + 3, 0, chart);
}

void ff_xlsx_memory(ff_book *b, lxw_worksheet *sheet)
{
    static const ff_column columns[] = {
        { "Report", 22 },       { "Time (UTC)", 24 },
        { "Host", 18 },         { "Usage (GiB)", 12 },
        { "Limit (GiB)", 12 },  { "Anonymous (GiB)", 15 },
        { "Shared (GiB)", 12 }, { "Files with shared (GiB)", 20 },
        { "Kernel (GiB)", 12 }, { "Tasks", 7 },
        { "Killed", 7 },        { "Cgroup", 60 },
        { "Where", 40 },
    };
    ff_sheet s = ff_sheet_open(b, sheet, columns, FF_COUNT(columns));
    const ff_evidence *e = b->h.r->evidence;
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const ff_signal *g = &e->signals[i];
        if (g->kind != FF_FACT_OOM_REPORT || !ff_sheet_next(&s))
            continue;
        ff_cell_place(&s, 0, g->at);
        ff_cell_when(&s, 1, g->has_utc, g->utc, g->said);
        ff_cell_text(&s, 2, g->who.host);
        gib_cell(&s, 3, g, "usage_kib");
        gib_cell(&s, 4, g, "limit_kib");
        gib_cell(&s, 5, g, "anon_kib");
        gib_cell(&s, 6, g, "shmem_kib");
        gib_cell(&s, 7, g, "file_kib");
        gib_cell(&s, 8, g, "kernel_kib");
        field_cell(&s, 9, g, "tasks");
        field_cell(&s, 10, g, "killed");
        field_cell(&s, 11, g, "cgroup");
        ff_cell_place(&s, 12, g->at);
    }
    memory_chart(&s);
    ff_sheet_close(&s);
}

/* ---- the print of each host, as the JSON report has it ---- */
static void property(ff_sheet *s, ff_bytes host, ff_bytes name, ff_bytes value)
{
    if (ff_is_empty(value) || !ff_sheet_next(s))
        return;
    ff_cell_text(s, 0, host);
    ff_cell_text(s, 1, name);
    ff_cell_text(s, 2, value);
}

/* A list is one row an item; a GPU is its members joined. */
static void property_item(ff_sheet *s, const ff_tree *t, ff_bytes host, ff_bytes name, uint32_t item)
{
    const ff_node *n = ff_node_at(t, item);
    ff_text text;
    ff_text_init(&text, FF_XLSX_CELL);
    for (uint32_t i = 0; n && n->kind == FF_NODE_MAP && i < n->count; i++) {
        const ff_node *v = ff_node_at(t, ff_node_item(t, item, i));
        if (!v || v->kind == FF_NODE_NULL)
            continue;
        ff_text_adds(&text, text.n ? ", " : "");
        ff_text_add(&text, ff_node_key(t, item, i));
        ff_text_addc(&text, ' ');
        if (v->kind == FF_NODE_INT)
            ff_text_addf(&text, "%" PRId64, v->v.i);
        else
            ff_text_add(&text, ff_node_text(t, ff_node_item(t, item, i)));
    }
    property(s, host, name, text.n ? ff_text_view(&text) : ff_node_text(t, item));
    ff_text_done(&text);
}

static void host_print(ff_sheet *s, const ff_tree *t, uint32_t host)
{
    ff_bytes name = ff_node_text(t, ff_node_get(t, host, "host"));
    for (uint32_t i = 0; i < ff_node_count(t, host); i++) {
        ff_bytes key = ff_node_key(t, host, i);
        uint32_t value = ff_node_item(t, host, i);
        const ff_node *n = ff_node_at(t, value);
        if (!n || ff_equal(key, FF_LIT("host")))
            continue;
        if (n->kind != FF_NODE_LIST)
            property_item(s, t, name, key, value);
        for (uint32_t k = 0; n->kind == FF_NODE_LIST && k < n->count; k++)
            property_item(s, t, name, key, ff_node_item(t, value, k));
    }
}

void ff_xlsx_fingerprint(ff_book *b, lxw_worksheet *sheet)
{
    static const ff_column columns[] = { { "Host", 20 }, { "Property", 16 }, { "Value", 100 } };
    ff_sheet s = ff_sheet_open(b, sheet, columns, FF_COUNT(columns));
    ff_text json;
    ff_json j;
    ff_tree tree;
    size_t end = 0;
    ff_text_init(&json, 0);
    ff_json_init(&j, &json);
    ff_json_open(&j, NULL, '{');
    ff_json_fingerprint(&j, b->h.r);
    ff_json_close(&j, '}');
    ff_tree_init(&tree, ff_text_view(&json));
    if (ff_json_read(&tree, &end) == FF_OK) {
        uint32_t hosts = ff_node_get(&tree, 0, "fingerprint");
        for (uint32_t i = 0; i < ff_node_count(&tree, hosts); i++)
            host_print(&s, &tree, ff_node_item(&tree, hosts, i));
    }
    ff_tree_done(&tree);
    ff_text_done(&json);
    ff_sheet_close(&s);
}
