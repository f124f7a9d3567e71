/* nvidia-smi topo -m and topo -p2p.
 *
 *     <ESC>[4mGPU0   GPU1   NIC0   CPU Affinity   NUMA Affinity   GPU NUMA ID<ESC>[0m
 *     GPU0    X     NV18   PIX    0-55,112-167   0               N/A
 *
 * Cells are parted by tabs, in pasted text by blanks or by nothing at all ("NODENODE"): they are cut by the codes
 * that exist. The underline is there even when the output goes to a file. -p2p does not say which capability was
 * asked for: that comes from the command line above it or from the member's name. */
#include "smi.h"

static const char *const codes[] = { "N/A", "NODE", "SYS", "PHB", "PXB", "PIX", "C2C", "SOC", "CNS",
                                     "GNS", "TNS",  "NS",  "OK",  "DR",  "NV",  "X",   "U" };

static ff_bytes plain(ff_bytes line, char *buffer, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < line.n && n < size; i++) {
        if (line.p[i] == 0x1b) {
            while (i < line.n && line.p[i] != 'm')
                i++;
            continue;
        }
        buffer[n++] = line.p[i] == '\t' ? ' ' : line.p[i];
    }
    return (ff_bytes){ buffer, n };
}

static bool is_device(ff_bytes word)
{
    static const char *const names[] = { "GPU", "NIC", "mlx5_", "mlx4_", "bnxt_re", "irdma", "rocep", "rdmap" };
    for (size_t i = 0; i < FF_COUNT(names); i++) {
        ff_bytes in = word;
        if (ff_take_lit(&in, ff_str(names[i])) && in.n && ((in.p[0] >= '0' && in.p[0] <= '9') || in.p[0] == '_'))
            return true;
    }
    return false;
}

static bool is_gpu(ff_bytes name) { return ff_starts(name, FF_LIT("GPU")); }

static bool take_code(ff_bytes *in, ff_bytes *code)
{
    (void)ff_take_spaces(in);
    for (size_t i = 0; i < FF_COUNT(codes); i++) {
        ff_bytes rest = *in;
        uint64_t links = 0;
        if (!ff_take_lit(&rest, ff_str(codes[i])))
            continue;
        if (ff_equal(ff_str(codes[i]), FF_LIT("NV")) && !ff_take_uint(&rest, &links))
            continue;
        *code = (ff_bytes){ in->p, (size_t)(rest.p - in->p) };
        *in = rest;
        return true;
    }
    return false;
}

static bool take_head(smi *s, ff_bytes line, ff_bytes text)
{
    ff_bytes in = text, word;
    unsigned n = 0, gpus = 0;
    /* In the member itself, not in the buffer, so that names live as long as the document. */
    ff_bytes names[SMI_DEVICES];
    while (ff_take_spaces(&in) && ff_take_word(&in, &word) && is_device(word) && n < SMI_DEVICES) {
        size_t at = ff_find(line, word);
        names[n++] = ff_first_n(ff_skip_n(line, at), word.n);
        gpus += is_gpu(word);
    }
    if (n < 2 || gpus < 1 || !ff_equal(ff_first_n(names[0], 3), FF_LIT("GPU")))
        return false;
    smi_topo_end(s);
    s->mode = SMI_TOPO;
    s->n_sure += 2;
    s->n_devices = n;
    s->p2p = !ff_contains(text, FF_LIT("Affinity"));
    s->topo_offset = s->offset;
    for (unsigned i = 0; i < n; i++)
        s->devices[i] = names[i];
    return true;
}

static unsigned find_device(const smi *s, ff_bytes name)
{
    for (unsigned i = 0; i < s->n_devices; i++)
        if (ff_equal(s->devices[i], name))
            return i;
    return SMI_DEVICES;
}

static bool take_row(smi *s, ff_bytes line, ff_bytes text)
{
    ff_bytes in = text, name, code;
    (void)ff_take_spaces(&in);
    if (!ff_take_word(&in, &name))
        return false;
    unsigned row = find_device(s, name);
    if (row == SMI_DEVICES)
        return false;
    s->n_rows++;
    if (!s->out)
        return true;
    if (!s->cells)
        s->cells = FF_NEW_N(s->out->scratch, smi_cell, SMI_DEVICES * SMI_DEVICES);
    for (unsigned i = 0; i < s->n_devices && s->n_cells < SMI_DEVICES * SMI_DEVICES && take_code(&in, &code); i++) {
        size_t at = ff_find(line, code);
        s->cells[s->n_cells++] = (smi_cell){
            .a = (uint16_t)row, .b = (uint16_t)i, .offset = s->offset, .code = ff_first_n(ff_skip_n(line, at), code.n)
        };
    }
    return true;
}

static bool is_legend(smi *s, ff_bytes text)
{
    static const char *const legend[] = { "Legend:", "X    =", "SYS  =", "NODE =",      "PHB  =", "PXB  =",
                                          "PIX  =",  "NV#  =", "OK   =", "CNS  =",      "GNS  =", "TNS  =",
                                          "NS   =",  "U    =", "DR   =", "NIC Legend:", "NIC" };
    ff_bytes in = ff_trim(text);
    for (size_t i = 0; i < FF_COUNT(legend); i++)
        if (s->mode == SMI_TOPO && ff_starts(in, ff_str(legend[i])))
            return true;
    return false;
}

/* -p2p r w n a p, in the command above or as the last part of the member's name: "topo-p2p-r.txt". */
static ff_bytes p2p_kind(const smi *s)
{
    static const struct {
        char letter;
        const char *kind;
    } kinds[] = { { 'r', "read" }, { 'w', "write" }, { 'n', "nvlink" }, { 'a', "atomics" }, { 'p', "prop" } };
    ff_bytes from[2] = { s->command, s->name };
    for (int i = 0; i < 2; i++) {
        size_t at = ff_find(from[i], FF_LIT("p2p"));
        ff_bytes rest = at < from[i].n ? ff_skip_n(from[i], at + 3) : (ff_bytes){ 0 };
        while (rest.n && (*rest.p == ' ' || *rest.p == '-' || *rest.p == '_' || *rest.p == '.'))
            rest = ff_skip_n(rest, 1);
        for (size_t k = 0; k < FF_COUNT(kinds); k++)
            if (rest.n && *rest.p == kinds[k].letter && (rest.n == 1 || rest.p[1] < 'a' || rest.p[1] > 'z'))
                return ff_str(kinds[k].kind);
    }
    return (ff_bytes){ 0 };
}

static void emit_pair(smi *s, const smi_cell *c, ff_bytes kind)
{
    ff_fields f = { .n = 0 };
    uint64_t links = 0;
    ff_bytes rest = c->code;
    ff_fields_text(&f, "a", FF_FIELD_TEXT, s->devices[c->a]);
    ff_fields_text(&f, "b", FF_FIELD_TEXT, s->devices[c->b]);
    if (s->p2p) {
        ff_fields_text(&f, "status", FF_FIELD_TEXT, c->code);
        ff_fields_text(&f, "kind", FF_FIELD_TEXT, kind);
        smi_fact(s, FF_FACT_GPU_P2P_BAD, c->offset, s->said, &f, NULL);
        return;
    }
    ff_fields_text(&f, "link", FF_FIELD_TEXT, c->code);
    if (ff_take_lit(&rest, FF_LIT("NV")) && ff_take_uint(&rest, &links))
        ff_fields_int(&f, "nvlinks", FF_FIELD_INT, (int64_t)links);
    smi_fact(s, FF_FACT_GPU_LINK, c->offset, s->said, &f, NULL);
}

static void emit_summary(smi *s, unsigned gpus, unsigned pairs, unsigned good, ff_bytes kinds, ff_bytes kind)
{
    ff_fields f = { .n = 0 };
    ff_fields_int(&f, "gpus", FF_FIELD_INT, gpus);
    ff_fields_int(&f, "pairs", FF_FIELD_INT, pairs);
    if (s->p2p) {
        ff_fields_int(&f, "ok", FF_FIELD_INT, good);
        ff_fields_int(&f, "bad", FF_FIELD_INT, (int64_t)pairs - good);
        ff_fields_text(&f, "kind", FF_FIELD_TEXT, kind);
        smi_fact(s, FF_FACT_GPU_P2P, s->topo_offset, s->said, &f, NULL);
        return;
    }
    ff_fields_int(&f, "nics", FF_FIELD_INT, (int64_t)s->n_devices - gpus);
    ff_fields_int(&f, "nvlink", FF_FIELD_INT, good > 0);
    ff_fields_int(&f, "nvlink_pairs", FF_FIELD_INT, good);
    ff_fields_text(&f, "links", FF_FIELD_TEXT, kinds);
    smi_fact(s, FF_FACT_GPU_TOPOLOGY, s->topo_offset, s->said, &f, NULL);
}

/* From near to far, as the legend has it. */
static unsigned distance_of(ff_bytes code)
{
    static const char *const ways[] = { "PIX", "PXB", "C2C", "PHB", "NODE", "SYS" };
    for (unsigned i = 0; i < FF_COUNT(ways); i++)
        if (ff_equal(code, ff_str(ways[i])))
            return i + 1;
    return 0;
}

/* Which adapters are nearest to a GPU. */
static void emit_nearest(smi *s, unsigned gpu)
{
    const smi_cell *best = NULL;
    ff_bytes nics = { 0 };
    for (unsigned i = 0; i < s->n_cells; i++) {
        const smi_cell *c = &s->cells[i];
        unsigned way = distance_of(c->code);
        if (c->a != gpu || is_gpu(s->devices[c->b]) || !way || (best && way > distance_of(best->code)))
            continue;
        bool nearer = !best || way < distance_of(best->code);
        best = nearer ? c : best;
        ff_bytes name = s->devices[c->b];
        nics = nearer ? name
               : nics.n < 200
                   ? ff_arena_format(s->out->scratch, "%.*s,%.*s", (int)nics.n, nics.p, (int)name.n, name.p)
                   : nics;
    }
    if (!best)
        return;
    ff_fields f = { .n = 0 };
    ff_fields_text(&f, "a", FF_FIELD_TEXT, s->devices[gpu]);
    ff_fields_text(&f, "nics", FF_FIELD_TEXT, nics);
    ff_fields_text(&f, "link", FF_FIELD_TEXT, best->code);
    smi_fact(s, FF_FACT_GPU_NIC_LINK, best->offset, s->said, &f, NULL);
}

static void judge_matrix(smi *s)
{
    unsigned gpus = 0, pairs = 0, good = 0;
    ff_bytes kinds = { 0 }, kind = p2p_kind(s);
    for (unsigned i = 0; i < s->n_devices; i++)
        gpus += is_gpu(s->devices[i]);
    for (unsigned i = 0; i < s->n_cells; i++) {
        const smi_cell *c = &s->cells[i];
        if (c->b <= c->a || !is_gpu(s->devices[c->a]) || !is_gpu(s->devices[c->b]))
            continue;
        bool fine = s->p2p ? ff_equal(c->code, FF_LIT("OK")) : ff_starts(c->code, FF_LIT("NV"));
        pairs++;
        good += fine;
        if (!ff_contains(kinds, c->code) && kinds.n < 100)
            kinds = kinds.n ? ff_arena_format(s->out->scratch, "%.*s,%.*s", (int)kinds.n, kinds.p, (int)c->code.n,
                                              c->code.p)
                            : c->code;
    }
    emit_summary(s, gpus, pairs, good, kinds, kind);
    for (unsigned i = 0; !s->p2p && i < s->n_devices; i++)
        if (is_gpu(s->devices[i]))
            emit_nearest(s, i);
    for (unsigned i = 0, told = 0; i < s->n_cells && told < 240; i++) {
        const smi_cell *c = &s->cells[i];
        if (c->b <= c->a || !is_gpu(s->devices[c->a]) || !is_gpu(s->devices[c->b]) ||
            (s->p2p && ff_equal(c->code, FF_LIT("OK"))))
            continue;
        emit_pair(s, c, kind);
        told++;
    }
}

void smi_topo_end(smi *s)
{
    if (s->n_cells && s->out)
        judge_matrix(s);
    s->n_cells = s->n_devices = s->n_rows = 0;
}

bool smi_topo_line(smi *s, ff_bytes line)
{
    char buffer[4096];
    if (s->mode != SMI_TOPO && !ff_contains(line, FF_LIT("GPU0")))
        return false;
    ff_bytes text = plain(line, buffer, sizeof buffer);
    return take_head(s, line, text) || (s->mode == SMI_TOPO && take_row(s, line, text)) || is_legend(s, text);
}
