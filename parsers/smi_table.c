/* The default table.
 *
 *     | NVIDIA-SMI 580.65.06             Driver Version: 580.65.06     CUDA Version: 13.0     |
 *     |   0  NVIDIA H100 80GB HBM3          On  |   00000000:18:00.0 Off |                    0 |
 *     | N/A   29C    P0             70W / 700W |       4MiB / 81559MiB |      0%      Default |
 *
 * Column widths changed with 530, cell order never did: only the bars are trusted. */
#include "smi.h"

#include <string.h>

static unsigned cut_cells(ff_bytes line, ff_bytes *cells, unsigned max)
{
    unsigned n = 0;
    ff_bytes cell;
    if (!ff_take_char(&line, '|'))
        return 0;
    while (n < max && ff_take_until(&line, '|', &cell))
        cells[n++] = cell;
    return n;
}

static ff_bytes after(ff_bytes line, const char *label)
{
    ff_bytes word = { 0 };
    if (ff_take_past(&line, ff_str(label)) && ff_take_spaces(&line))
        (void)ff_take_word(&line, &word);
    return word;
}

static bool take_head(smi *s, ff_bytes line)
{
    if (!ff_starts(line, FF_LIT("| NVIDIA-SMI ")))
        return false;
    smi_flush(s);
    s->driver = after(line, "Driver Version:");
    s->cuda = after(line, "CUDA Version:");
    if (smi_is_nothing(s->cuda) || ff_equal(s->cuda, FF_LIT("ERR!")))
        s->cuda = (ff_bytes){ 0 };
    s->mode = SMI_TABLE;
    s->n_sure++;
    return true;
}

/* "|   0  NVIDIA H200   On  |   00000000:00:06.0 Off |   0 |" */
static bool take_first(smi *s, const ff_bytes *cells)
{
    uint64_t index = 0;
    ff_bytes in = ff_trim(cells[0]), bus = ff_trim(cells[1]), address, digits;
    if (!ff_take_uint(&in, &index) || index > 4095 || !in.n || in.p[0] != ' ' || !ff_take_word(&bus, &address))
        return false;
    digits = (ff_bytes){ ff_trim(cells[0]).p, (size_t)(in.p - ff_trim(cells[0]).p) };
    if (!ff_contains(address, FF_LIT(":")) && !ff_equal(address, FF_LIT("ERR!")))
        return false;
    smi_flush(s);
    ff_bytes name = ff_trim(in);
    static const char *const modes[] = { "On", "Off", "N/A", "ERR!" };
    for (size_t i = 0; i < FF_COUNT(modes); i++) {
        ff_bytes mode = ff_str(modes[i]);
        if (ff_ends(name, mode) && name.n > mode.n && name.p[name.n - mode.n - 1] == ' ') {
            smi_set(s, SMI_PERSISTENCE, mode);
            name = ff_trim(ff_first_n(name, name.n - mode.n));
            break;
        }
    }
    smi_weigh(s, 0);
    smi_set(s, SMI_INDEX, digits);
    smi_set(s, SMI_PCI, address);
    smi_set(s, SMI_PRODUCT, name);
    smi_set(s, SMI_ECC_UNC_VOLATILE, cells[2]);
    s->n_sure++;
    s->mode = SMI_TABLE;
    return true;
}

static void read_pair(smi *s, ff_bytes cell, smi_slot used, smi_slot total)
{
    ff_bytes left;
    if (ff_take_until(&cell, '/', &left)) {
        smi_set(s, used, left);
        smi_set(s, total, cell);
    }
}

/* "| N/A   36C    P0    79W /  700W |       0MiB / 143771MiB |      0%      Default |" */
static bool take_second(smi *s, const ff_bytes *cells)
{
    ff_bytes in = ff_trim(cells[0]), fan = { 0 }, temperature = { 0 }, pstate = { 0 }, use = ff_trim(cells[2]),
             percent = { 0 };
    bool memory = ff_contains(cells[1], FF_LIT("MiB /")) || ff_contains(cells[1], FF_LIT("MiB/")) ||
                  ff_contains(cells[1], FF_LIT("ERR!")) || ff_contains(cells[1], FF_LIT("N/A"));
    if (!s->gpu.open || !memory || !ff_take_word(&in, &fan))
        return false;
    (void)ff_take_spaces(&in);
    (void)ff_take_word(&in, &temperature);
    (void)ff_take_spaces(&in);
    (void)ff_take_word(&in, &pstate);
    if (ff_equal(fan, FF_LIT("ERR!")))
        smi_set(s, SMI_FAILURE, fan);
    smi_set(s, SMI_TEMPERATURE, temperature);
    smi_set(s, SMI_PSTATE, pstate);
    read_pair(s, in, SMI_POWER, SMI_POWER_LIMIT);
    read_pair(s, cells[1], SMI_MEMORY_USED, SMI_MEMORY_TOTAL);
    if (ff_take_word(&use, &percent))
        smi_set(s, SMI_UTILIZATION, percent);
    smi_set(s, SMI_COMPUTE_MODE, use);
    if (ff_contains(cells[1], FF_LIT("ERR!")))
        smi_set(s, SMI_FAILURE, FF_LIT("ERR!"));
    return true;
}

/* C computes, G draws, M serves other processes (MPS). */
static bool is_type(ff_bytes word)
{
    for (size_t i = 0; i < word.n; i++)
        if (!memchr("CGM+", word.p[i], 4))
            return false;
    return word.n > 0;
}

/* The process id is the word in front of the type: the two columns before it hold the MIG instance, or N/A, and are
 * not there before 450. */
static bool take_pid(ff_bytes *in, ff_bytes *pid, ff_bytes *type)
{
    ff_bytes word = { 0 };
    for (int i = 0; i < 4; i++) {
        (void)ff_take_spaces(in);
        if (!ff_take_word(in, &word))
            return false;
        if (i > 0 && is_type(word)) {
            *type = word;
            return ff_is_digits(*pid);
        }
        *pid = word;
    }
    return false;
}

/* "|    0   N/A  N/A             722      C   /opt/python3           1918MiB |" */
static bool take_process(smi *s, ff_bytes cell)
{
    uint64_t gpu = 0;
    ff_bytes in = ff_trim(cell), pid = { 0 }, type = { 0 };
    if (!ff_take_uint(&in, &gpu) || gpu > 4095 || !take_pid(&in, &pid, &type))
        return false;
    ff_bytes name = ff_trim(in);
    size_t end = name.n;
    while (end && name.p[end - 1] != ' ')
        end--;
    ff_who who = FF_WHO_NOBODY;
    who.gpu_index = (int32_t)gpu;
    smi_give_process(s,
                     &(smi_process){ .pid = pid,
                                     .name = ff_trim(ff_first_n(name, end)),
                                     .type = type,
                                     .memory = ff_skip_n(name, end),
                                     .offset = s->offset },
                     &who);
    return true;
}

static bool is_rule(ff_bytes line)
{
    for (size_t i = 0; i < line.n; i++)
        if (line.p[i] != '+' && line.p[i] != '-' && line.p[i] != '=' && line.p[i] != '|' && line.p[i] != ' ')
            return false;
    return line.n > 8 && (line.p[0] == '+' || line.p[0] == '|');
}

bool smi_table_line(smi *s, ff_bytes line)
{
    ff_bytes cells[6];
    line = ff_trim(line);
    if (take_head(s, line) || (s->mode != SMI_IDLE && is_rule(line)))
        return true;
    unsigned n = cut_cells(line, cells, 6);
    if (n == 3 && (take_first(s, cells) || take_second(s, cells)))
        return true;
    if (n == 1 && s->mode == SMI_TABLE && ff_starts(ff_trim(cells[0]), FF_LIT("Processes:"))) {
        smi_flush(s);
        s->mode = SMI_PROCESSES;
        return true;
    }
    if (n == 1 && s->mode == SMI_PROCESSES && take_process(s, cells[0]))
        return true;
    bool heading =
        n == 3 && (ff_contains(cells[0], FF_LIT("GPU  Name")) || ff_contains(cells[0], FF_LIT("Fan  Temp")));
    return heading || (n > 0 && (s->mode == SMI_TABLE || s->mode == SMI_PROCESSES)) || is_rule(line);
}
