/* How the GPUs of a host reach each other, as `nvidia-smi topo` says it: a square for each pair, and those that
 * differ from the rest or do not work are marked. */
#include "html_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define GPUS 32u

typedef struct square {
    ff_html *h;
    uint32_t member, kind, from_line, end_line; /* one file may hold several matrices */
    ff_bytes names[GPUS];
    uint32_t n;
    const ff_signal *at[GPUS][GPUS];
    ff_bytes usual; /* link of most pairs */
} square;

/* "GPU2" before "GPU10": shorter first. */
static int compare_names(ff_bytes a, ff_bytes b) { return a.n != b.n ? (a.n > b.n) - (a.n < b.n) : ff_compare(a, b); }

static void add_name(square *q, ff_bytes name)
{
    uint32_t at = 0;
    while (at < q->n && compare_names(q->names[at], name) < 0)
        at++;
    if ((at < q->n && ff_equal(q->names[at], name)) || q->n == GPUS || ff_is_empty(name))
        return;
    for (uint32_t i = q->n++; i > at; i--)
        q->names[i] = q->names[i - 1];
    q->names[at] = name;
}

static uint32_t index_of(const square *q, ff_bytes name)
{
    uint32_t i = 0;
    while (i < q->n && !ff_equal(q->names[i], name))
        i++;
    return i;
}

static bool is_of(const square *q, const ff_signal *s)
{
    return s->kind == q->kind && s->at.member == q->member && s->at.line >= q->from_line && s->at.line < q->end_line;
}

static uint32_t next_matrix(const ff_evidence *e, const ff_signal *of)
{
    uint32_t end = UINT32_MAX;
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const ff_signal *s = &e->signals[i];
        if ((s->kind == FF_FACT_GPU_TOPOLOGY || s->kind == FF_FACT_GPU_P2P) && s->at.member == of->at.member &&
            s->at.line > of->at.line && s->at.line < end)
            end = s->at.line;
    }
    return end;
}

static void collect(square *q)
{
    const ff_evidence *e = q->h->r->evidence;
    for (uint32_t i = 0; i < e->n_signals; i++) {
        if (!is_of(q, &e->signals[i]))
            continue;
        add_name(q, ff_signal_text(&e->signals[i], "a"));
        add_name(q, ff_signal_text(&e->signals[i], "b"));
    }
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const ff_signal *s = &e->signals[i];
        if (!is_of(q, s))
            continue;
        uint32_t a = index_of(q, ff_signal_text(s, "a")), b = index_of(q, ff_signal_text(s, "b"));
        if (a < q->n && b < q->n && !q->at[a][b])
            q->at[a][b] = s;
    }
}

static const ff_signal *pair(const square *q, uint32_t a, uint32_t b)
{
    return q->at[a][b] ? q->at[a][b] : q->at[b][a];
}

static ff_bytes link_of(const square *q, const ff_signal *s)
{
    return s ? ff_signal_text(s, q->kind == FF_FACT_GPU_LINK ? "link" : "status") : (ff_bytes){ 0 };
}

static void find_usual(square *q)
{
    uint32_t most = 0;
    for (uint32_t a = 0; a < q->n; a++) {
        for (uint32_t b = a + 1; b < q->n; b++) {
            uint32_t n = 0;
            ff_bytes link = link_of(q, pair(q, a, b));
            for (uint32_t c = 0; c < q->n; c++)
                for (uint32_t d = c + 1; d < q->n; d++)
                    n += link.n && ff_equal(link_of(q, pair(q, c, d)), link);
            if (n > most || (n == most && n && ff_compare(link, q->usual) < 0)) {
                most = n;
                q->usual = link;
            }
        }
    }
}

static bool is_nvlink(ff_bytes link) { return ff_starts(link, FF_LIT("NV")); }

/* Where some pairs have NVLink, a pair with fewer links or none is off; of plain PCIe any distance is normal. */
static bool is_off(const square *q, ff_bytes link)
{
    if (q->kind != FF_FACT_GPU_LINK)
        return link.n && !ff_equal(link, FF_LIT("OK"));
    return link.n && is_nvlink(q->usual) && !ff_equal(link, q->usual);
}

static void cell(const square *q, uint32_t a, uint32_t b)
{
    ff_html *h = q->h;
    ff_bytes link = link_of(q, pair(q, a, b));
    if (a == b)
        ff_html_raw(h, "<td class=\"self\">\xC2\xB7</td>");
    else if (!link.n)
        ff_html_raw(h, q->kind == FF_FACT_GPU_LINK ? "<td class=\"hasnot\">\xE2\x80\x93</td>"
                                                   : "<td class=\"has\">OK</td>");
    else {
        bool off = is_off(q, link);
        bool good = q->kind != FF_FACT_GPU_LINK || is_nvlink(link);
        ff_html_raw(h, off ? "<td class=\"off\"><b>" : good ? "<td class=\"has\">" : "<td>");
        ff_html_cut(h, link, 16);
        ff_html_raw(h, off ? "</b></td>" : "</td>");
    }
}

static uint32_t count_off(const square *q)
{
    uint32_t n = 0;
    for (uint32_t a = 0; a < q->n; a++)
        for (uint32_t b = a + 1; b < q->n; b++)
            n += is_off(q, link_of(q, pair(q, a, b)));
    return n;
}

static void name(const square *q, const ff_signal *from)
{
    ff_html *h = q->h;
    bool links = q->kind == FF_FACT_GPU_LINK;
    ff_html_raw(h, links ? "Links between GPUs" : "Peer-to-peer");
    if (!links && !ff_is_empty(ff_signal_text(from, "kind"))) {
        ff_html_raw(h, ", ");
        ff_html_cut(h, ff_signal_text(from, "kind"), 40);
    }
    if (!ff_is_empty(from->who.host)) {
        ff_html_raw(h, " <span class=\"dim\">");
        ff_html_cut(h, from->who.host, FF_HTML_CONTEXT);
        ff_html_raw(h, "</span>");
    }
}

/* A matrix with nothing to see is closed: its heading says so. */
static void open_square(const square *q, const ff_signal *from, uint32_t off)
{
    uint32_t pairs = q->n * (q->n - 1) / 2;
    ff_html_raw(q->h, off ? "<div>\n<h3>" : "<details><summary>");
    name(q, from);
    if (off)
        ff_html_f(q->h, ": <span class=\"bad\">%" PRIu32 " of %" PRIu32 " pairs off</span></h3>\n", off, pairs);
    else
        ff_html_f(q->h, ": nothing off in %" PRIu32 " pairs</summary>\n", pairs);
}

static void draw(square *q, uint32_t number, const ff_signal *from)
{
    ff_html *h = q->h;
    bool links = q->kind == FF_FACT_GPU_LINK;
    uint32_t off = count_off(q);
    char id[48];
    (void)snprintf(id, sizeof id, "topology-%" PRIu32, number);
    open_square(q, from, off);
    ff_html_f(h,
              "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-labelledby=\"%s-c\">\n<table id=\"%s\" "
              "class=\"square\">\n"
              "<caption id=\"%s-c\">",
              id, id, id);
    ff_html_raw(h, links ? "Link of each pair; marked where it is not the usual one, "
                         : "What each pair can do; marked where it is not OK, ");
    ff_text place;
    ff_text_init(&place, FF_CAP_PATH);
    ff_say_place(&place, h->r, from->at);
    ff_html_text(h, ff_text_view(&place));
    ff_text_done(&place);
    ff_html_raw(h, "</caption>\n<thead><tr><th scope=\"col\">GPU</th>");
    for (uint32_t i = 0; i < q->n; i++) {
        ff_html_raw(h, "<th scope=\"col\">");
        ff_html_cut(h, q->names[i], 16);
        ff_html_raw(h, "</th>");
    }
    ff_html_raw(h, "</tr></thead>\n<tbody>\n");
    for (uint32_t a = 0; a < q->n; a++) {
        ff_html_raw(h, "<tr><th scope=\"row\">");
        ff_html_cut(h, q->names[a], 16);
        ff_html_raw(h, "</th>");
        for (uint32_t b = 0; b < q->n; b++)
            cell(q, a, b);
        ff_html_raw(h, "</tr>\n");
    }
    ff_html_table_end(h);
    ff_html_raw(h, off ? "</div>\n" : "</details>\n");
}

/* A matrix of P2P holds facts of its bad pairs only; the others come from the number of GPUs. */
static void name_all(square *q, const ff_signal *whole)
{
    static const char *const names[GPUS] = { "GPU0",  "GPU1",  "GPU2",  "GPU3",  "GPU4",  "GPU5",  "GPU6",  "GPU7",
                                             "GPU8",  "GPU9",  "GPU10", "GPU11", "GPU12", "GPU13", "GPU14", "GPU15",
                                             "GPU16", "GPU17", "GPU18", "GPU19", "GPU20", "GPU21", "GPU22", "GPU23",
                                             "GPU24", "GPU25", "GPU26", "GPU27", "GPU28", "GPU29", "GPU30", "GPU31" };
    int64_t n = ff_signal_int(whole, "gpus", -1);
    for (int64_t i = 0; i < n && i < (int64_t)GPUS; i++)
        add_name(q, ff_str(names[i]));
}

void ff_html_topology(ff_html *h)
{
    const ff_evidence *e = h->r->evidence;
    uint32_t n = 0, all = 0;
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const ff_signal *s = &e->signals[i];
        if (s->kind != FF_FACT_GPU_TOPOLOGY && s->kind != FF_FACT_GPU_P2P)
            continue;
        if (all++ >= FF_HTML_GROUP)
            continue;
        square *q = FF_NEW(&h->arena, square);
        q->h = h;
        q->member = s->at.member;
        q->from_line = s->at.line;
        q->end_line = next_matrix(e, s);
        q->kind = s->kind == FF_FACT_GPU_TOPOLOGY ? FF_FACT_GPU_LINK : FF_FACT_GPU_P2P_BAD;
        name_all(q, s);
        collect(q);
        if (q->n < 2)
            continue;
        find_usual(q);
        if (!n)
            ff_html_raw(
                h, "<section id=\"topology\" aria-labelledby=\"topology-h\">\n<h2 id=\"topology-h\">How GPUs reach "
                   "each other</h2>\n<div class=\"squares\">\n");
        draw(q, ++n, s);
    }
    if (!n)
        return;
    ff_html_raw(h, "</div>\n");
    ff_html_more(h, FF_HTML_GROUP, all, "matrices");
    ff_html_close(h);
}
