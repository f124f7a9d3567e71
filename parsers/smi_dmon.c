/* nvidia-smi dmon and pmon: a row a GPU, or a process, every second.
 *
 *     # gpu    pwr  gtemp  mtemp     sm    mem   mclk   pclk        # gpu         pid   type     sm    mem    command
 *     # Idx      W      C      C      %      %    MHz    MHz        # Idx           #    C/G      %      %    name
 *         0     79     36     40     97     12   2619   1980            0      41234     C     97     12    python3
 *
 * The two lines of heads come again every screenful; "-o DT" puts "20260101   00:00:00" in front, local time. */
#include "lines.h"
#include "smi.h"

enum { COL_NOTHING = -1, COL_DATE = -2, COL_CLOCK = -3, COL_PID = -4, COL_TYPE = -5, COL_COMMAND = -6 };

static const struct {
    const char *name;
    int column;
} names[] = { { "gpu", SMI_INDEX },
              { "pwr", SMI_POWER },
              { "gtemp", SMI_TEMPERATURE },
              { "temp", SMI_TEMPERATURE },
              { "mtemp", SMI_MEMORY_TEMPERATURE },
              { "sm", SMI_UTILIZATION },
              { "mem", SMI_UTILIZATION_MEMORY },
              { "pclk", SMI_CLOCK_SM },
              { "fb", SMI_MEMORY_USED },
              { "Date", COL_DATE },
              { "Time", COL_CLOCK },
              { "pid", COL_PID },
              { "type", COL_TYPE },
              { "command", COL_COMMAND } };

static int column_of(ff_bytes head)
{
    for (size_t i = 0; i < FF_COUNT(names); i++)
        if (ff_equal(head, ff_str(names[i].name)))
            return names[i].column;
    return COL_NOTHING;
}

/* A line of heads has a GPU in it, and something that is measured or runs there. */
static bool take_heads(smi *s, ff_bytes line)
{
    int columns[SMI_COLUMNS];
    unsigned n = 0, known = 0;
    bool gpu = false;
    ff_bytes head;
    while (n < SMI_COLUMNS && ff_take_cell(&line, &head)) {
        columns[n] = column_of(head);
        known += columns[n] != COL_NOTHING;
        gpu = gpu || columns[n] == SMI_INDEX;
        n++;
    }
    if (!gpu || known < 3)
        return false;
    for (unsigned i = 0; i < n; i++)
        s->columns[i] = columns[i];
    s->n_columns = n;
    s->mode = SMI_DMON;
    s->n_sure += 2;
    return true;
}

/* "20260101" and "00:00:00" */
static void take_time(smi *s, ff_bytes date, ff_bytes clock)
{
    char text[20];
    if (date.n != 8 || clock.n != 8)
        return;
    for (unsigned i = 0, k = 0; i < 8; i++) {
        if (i == 4 || i == 6)
            text[k++] = '-';
        text[k++] = date.p[i];
    }
    text[10] = 'T';
    for (unsigned i = 0; i < 8; i++)
        text[11 + i] = clock.p[i];
    ff_bytes in = { text, 19 };
    (void)ff_take_rfc3339(&in, &s->said);
}

static void give_process(smi *s, ff_bytes pid, ff_bytes type, ff_bytes command)
{
    ff_who who = FF_WHO_NOBODY;
    if (!s->out || !s->gpu.at[SMI_INDEX].is_number)
        return;
    who.gpu_index = (int32_t)s->gpu.at[SMI_INDEX].number;
    smi_give_process(s, &(smi_process){ .pid = pid, .name = command, .type = type, .offset = s->offset }, &who);
}

static bool read_row(smi *s, ff_bytes line)
{
    ff_bytes cell, date = { 0 }, clock = { 0 }, pid = { 0 }, type = { 0 }, command = { 0 };
    unsigned n = 0;
    for (; n < s->n_columns && ff_take_cell(&line, &cell); n++) {
        int column = s->columns[n];
        ff_bytes *kept = column == COL_DATE      ? &date
                         : column == COL_CLOCK   ? &clock
                         : column == COL_PID     ? &pid
                         : column == COL_TYPE    ? &type
                         : column == COL_COMMAND ? &command
                                                 : NULL;
        if (kept)
            *kept = cell;
        else if (column >= 0 && !ff_equal(cell, FF_LIT("-")))
            smi_set(s, (smi_slot)column, cell);
    }
    take_time(s, date, clock);
    bool whole = n == s->n_columns && s->gpu.at[SMI_INDEX].is_number;
    if (pid.n && whole)
        give_process(s, pid, type, command);
    if (!pid.n && whole)
        smi_row_end(s);
    s->gpu = (smi_gpu){ 0 };
    return whole;
}

bool smi_dmon_line(smi *s, ff_bytes line)
{
    if (ff_take_char(&line, '#'))
        return take_heads(s, line) || s->mode == SMI_DMON;
    return s->mode == SMI_DMON && read_row(s, line);
}
