/* Reports of the kernel that something does not go on, with the stack that follows them.
 *     INFO: task python3:41234 blocked for more than 120 seconds.
 *     task:python3 state:D stack:0 pid:41234 ppid:1 flags:0x00004002
 *     Call Trace:
 *      nfs_wait_bit_killable+0x1a/0x90 [nfs]
 *     watchdog: BUG: soft lockup - CPU#12 stuck for 22s! [python3:41234]
 *     NMI watchdog: Watchdog detected hard LOCKUP on cpu 12
 *     rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:
 * Formats: kernel/hung_task.c, kernel/watchdog.c, kernel/rcu/tree_stall.h, from 4.4 on. The stack says what it waits
 * for: only names of functions and modules are kept. Records of other CPUs in the middle of a stack end it. */
#include "lines.h"

#include <string.h>

#define STACK_BYTES 1024u

static const char hung[] = "blocked for more than ";
static const char soft[] = "BUG: soft lockup - CPU#";
static const char hard[] = "detected hard LOCKUP on cpu";

static bool is_rcu(ff_bytes text)
{
    return ff_starts(text, FF_LIT("rcu: INFO: rcu")) ||
           (ff_starts(text, FF_LIT("INFO: rcu_")) && ff_contains(text, FF_LIT("stall")));
}

static bool stuck_opens(const ff_event *ev)
{
    return (ff_starts(ev->text, FF_LIT("INFO: task ")) && ff_contains(ev->text, ff_str(hung))) ||
           ff_contains(ev->text, ff_str(soft)) || ff_contains(ev->text, ff_str(hard)) || is_rcu(ev->text);
}

static bool is_frame(ff_bytes text) { return ff_contains(text, FF_LIT("+0x")) && ff_contains(text, FF_LIT("/0x")); }

/* What stands around the stack. Before 5.1 the state line has no "task:", but the letter of the state alone. */
static bool is_around(ff_bytes text)
{
    static const char *const heads[] = { "task:",         "Call Trace",   "RIP:",
                                         "CPU:",          "Tainted:",     "\"echo 0",
                                         "Workqueue:",    "<TASK>",       "</TASK>",
                                         "<IRQ>",         "</IRQ>",       "Hardware name:",
                                         "Code:",         "RSP:",         "Modules linked in:",
                                         "rcu:",          "(detected by", "Sending NMI",
                                         "NMI backtrace", "Not tainted",  "RAX:",
                                         "RDX:",          "RBP:",         "R10:",
                                         "R13:",          "FS:",          "CS:",
                                         "CR2:",          "DR0:",         "PKRU:",
                                         "EFLAGS:",       "(t=",          "Possible timer",
                                         "blocked by",    "<NMI>",        "</NMI>",
                                         "pc :",          "lr :",         "sp :",
                                         "pstate:",       "Call trace:",  NULL };
    ff_bytes in = ff_trim(text);
    for (const char *const *head = heads; *head; head++)
        if (ff_starts_str(in, *head))
            return true;
    return ff_contains(in, FF_LIT(" D ffff")) || ff_contains(in, FF_LIT(" D    "));
}

static ff_block_say stuck_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    if (stuck_opens(next) && !ff_starts(next->text, FF_LIT("rcu: \t")))
        return FF_BLOCK_END;
    if (is_frame(next->text) || is_around(next->text))
        return FF_BLOCK_MINE;
    return is_frame(lines[n - 1].ev.text) || n > 1 ? FF_BLOCK_END : FF_BLOCK_NOT_MINE;
}

/* ---- reading ---- */
typedef struct stuck {
    const char *kind;
    ff_bytes process;
    uint64_t pid, cpu, seconds;
    bool has_pid, has_cpu, has_seconds;
    char stack[STACK_BYTES];
    size_t n_stack;
} stuck;

/* "python3:41234" at the front or, with its bracket, at the end. The name may hold colons. */
static void read_task(stuck *s, ff_bytes task)
{
    size_t colon = task.n;
    while (colon && task.p[colon - 1] != ':')
        colon--;
    ff_bytes number = ff_skip_n(task, colon);
    if (!colon || !ff_take_uint(&number, &s->pid) || s->pid > INT32_MAX)
        return;
    s->process = ff_first_n(task, colon - 1);
    s->has_pid = s->pid > 0; /* 0 is the idle task of a CPU */
}

static bool take_behind(ff_bytes text, const char *words, uint64_t *number)
{
    size_t at = ff_find(text, ff_str(words));
    ff_bytes rest = ff_skip_n(text, at + strlen(words));
    return at < text.n && ff_take_spaces(&rest) && ff_take_uint(&rest, number);
}

static void read_first(stuck *s, ff_bytes text)
{
    ff_bytes rest = text, task = { 0 };
    if (ff_contains(text, ff_str(soft))) {
        s->kind = "soft_lockup";
        s->has_cpu = take_behind(text, soft, &s->cpu);
        s->has_seconds = take_behind(text, "stuck for ", &s->seconds);
        if (ff_take_until(&rest, '[', &task) && ff_take_until(&rest, ']', &task))
            read_task(s, task);
    } else if (ff_contains(text, ff_str(hard))) {
        s->kind = "hard_lockup";
        s->has_cpu = take_behind(text, hard, &s->cpu);
    } else if (is_rcu(text)) {
        s->kind = "rcu_stall";
    } else {
        s->kind = "hung_task";
        s->has_seconds = take_behind(text, hung, &s->seconds);
        (void)ff_take_lit(&rest, FF_LIT("INFO: task "));
        size_t end = ff_find(rest, FF_LIT(" blocked for"));
        read_task(s, ff_first_n(rest, end));
    }
}

static void add_word(stuck *s, ff_bytes word)
{
    if (!word.n || s->n_stack + word.n + 1 > sizeof s->stack)
        return;
    if (s->n_stack)
        s->stack[s->n_stack++] = ' ';
    memcpy(s->stack + s->n_stack, word.p, word.n);
    s->n_stack += word.n;
}

/* " [<ffffffff8183ecb5>] schedule+0x35/0x80" or "RIP: 0010:poll+0x1a2/0x4a0 [mlx5_core]": the name, and the module.
 */
static void read_frame(stuck *s, ff_bytes text)
{
    size_t plus = ff_find(text, FF_LIT("+0x")), from = plus < text.n ? plus : 0;
    while (from && text.p[from - 1] != ' ' && text.p[from - 1] != ':' && text.p[from - 1] != '\t')
        from--;
    ff_bytes rest = ff_skip_n(text, plus), module;
    add_word(s, (ff_bytes){ text.p + from, plus - from });
    if (ff_take_until(&rest, '[', &module) && ff_take_until(&rest, ']', &module) && module.n < 40)
        add_word(s, (ff_bytes){ module.p - 1, module.n + 2 });
}

static void stuck_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    stuck s = { .kind = "" };
    (void)cut;
    read_first(&s, lines[0].ev.text);
    for (uint32_t i = 1; i < n; i++)
        if (is_frame(lines[i].ev.text))
            read_frame(&s, lines[i].ev.text);
    ff_fields f = { .n = 0 };
    ff_fields_text(&f, "kind", FF_FIELD_TEXT, ff_str(s.kind));
    ff_fields_text(&f, "process", FF_FIELD_PROCESS, s.process);
    if (s.has_pid)
        ff_fields_int(&f, "pid", FF_FIELD_PID, (int64_t)s.pid);
    if (s.has_cpu)
        ff_fields_int(&f, "cpu", FF_FIELD_INT, (int64_t)s.cpu);
    if (s.has_seconds)
        ff_fields_int(&f, "seconds", FF_FIELD_INT, (int64_t)s.seconds);
    ff_fields_text(&f, "stack", FF_FIELD_TEXT, (ff_bytes){ s.stack, s.n_stack });
    ff_fact fact = { .id = FF_FACT_STUCK,
                     .line = lines[0].line,
                     .offset = lines[0].offset,
                     .quote = lines[0].quote,
                     .said = lines[0].ev.said,
                     .who = lines[0].ev.who,
                     .fields = f.at,
                     .n_fields = f.n };
    out->fact(out->owner, &fact);
}

static const char *const stuck_needles[] = { hung, soft, hard, "rcu: INFO: rcu", "INFO: rcu_", NULL };

const ff_block ff_block_stuck = { .name = "stuck",
                                  .streams = FF_STREAM_KERNEL,
                                  .needles = stuck_needles,
                                  .max_lines = 80,
                                  .opens = stuck_opens,
                                  .take = stuck_take,
                                  .read = stuck_read };
