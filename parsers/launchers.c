/* What launchers put in front of the lines of the ranks they started.
 *     [rank3]: text    [rank3]:[E1130 ...]      PyTorch
 *     [default3]:text                           torchrun --tee
 *     (Worker[rank=9] pid=4242, ip=10.0.0.1) text      (Worker_TP1 pid=123) text          Ray, vLLM
 *     (raylet, ip=10.0.0.1) text                                          Ray's own service on that node
 *     [1,3]<stderr>:text                        mpirun --tag-output
 *     [3]<stderr>:text                          horovodrun; with a C time glued in front where it was asked for
 *     3: text                                   srun --label
 *     gpu-a01: text                             pdsh, dsh, talosctl
 * Formats: torch c10/util/Logging.cpp and distributed_c10d.py; Ray's worker log monitor; Open MPI orte/iof; Horovod
 * runner/common/util/safe_shell_exec.py.
 * "3: " and "gpu-a01: " prove nothing by themselves; they are taken when what follows is known, or when the whole
 * member is labelled so. */
#include "lines.h"

#define MOST_RANKS 10000000

static bool take_number(ff_bytes *in, int32_t *out)
{
    uint64_t n = 0;
    if (!ff_take_digits_of(in, 7, &n) || n > MOST_RANKS)
        return false;
    *out = (int32_t)n;
    return true;
}

static bool take_rank_tag(ff_event *ev)
{
    ff_bytes rest = ev->text;
    int32_t rank = 0;
    if (!ff_take_lit(&rest, FF_LIT("[rank")) || !take_number(&rest, &rank) || !ff_take_char(&rest, ']'))
        return false;
    bool colon = ff_take_char(&rest, ':');
    if (!ff_take_char(&rest, ' ') && !colon && rest.n)
        return false;
    ev->who.rank = rank;
    ev->text = rest;
    return true;
}

static bool take_tee(ff_event *ev)
{
    static const char *const roles[] = { "default", "trainer", "worker", NULL };
    ff_bytes rest = ev->text;
    int32_t rank = 0;
    if (!ff_take_char(&rest, '['))
        return false;
    for (const char *const *role = roles; *role; role++) {
        ff_bytes after = rest;
        if (ff_starts_str(rest, *role) && ff_take_lit(&after, ff_str(*role)) && take_number(&after, &rank) &&
            ff_take_lit(&after, FF_LIT("]:"))) {
            ev->who.local_rank = rank;
            ev->text = after;
            return true;
        }
    }
    return false;
}

/* "rank=9" inside the name: "MegaWorker[rank=9]", "VllmWorker rank=1"; or vLLM's "Worker_TP11", which names the
 * pipeline and data parallel numbers too where there are any, so alone it is the rank. */
static void see_rank_in_name(ff_event *ev, ff_bytes name)
{
    ff_bytes digits = name, rest = name;
    int32_t rank = 0;
    if (ff_take_past(&digits, FF_LIT("rank=")) && take_number(&digits, &rank))
        ev->who.rank = rank;
    else if (ff_take_lit(&rest, FF_LIT("Worker_TP")) && take_number(&rest, &rank) && ff_is_empty(rest))
        ev->who.rank = rank;
}

static bool take_raylet(ff_event *ev, ff_bytes inside, ff_bytes rest)
{
    ff_bytes address;
    if (!ff_take_lit(&inside, FF_LIT("raylet, ip=")) || !ff_take_name(&inside, &address) || !ff_is_empty(inside) ||
        !ff_take_blank_or_end(&rest))
        return false;
    ff_see_host(ev, address);
    ev->text = rest;
    return true;
}

static bool take_actor(ff_event *ev)
{
    ff_bytes rest = ev->text, inside, address;
    uint64_t pid = 0;
    if (!ff_take_char(&rest, '(') || !ff_take_until(&rest, ')', &inside) || inside.n > 200)
        return false;
    size_t at = ff_find(inside, FF_LIT(" pid="));
    if (at > inside.n || at == 0)
        return take_raylet(ev, inside, rest);
    ff_bytes name = ff_first_n(inside, at), tail = ff_skip_n(inside, at + 5);
    if (!ff_take_uint(&tail, &pid))
        return false;
    bool placed = ff_take_lit(&tail, FF_LIT(", ip=")) && ff_take_name(&tail, &address);
    if (!ff_is_empty(tail) || !ff_take_blank_or_end(&rest))
        return false;
    see_rank_in_name(ev, name);
    ff_see_pid(ev, pid);
    if (placed)
        ff_see_host(ev, address);
    ev->text = rest;
    return true;
}

/* What stands before the first comma, if that is near. */
static bool take_job(ff_bytes *in, ff_bytes *job)
{
    ff_bytes near = ff_first_n(*in, 81);
    if (!ff_take_until(&near, ',', job))
        return false;
    *in = ff_skip_n(*in, job->n + 1);
    return true;
}

/* "[1,3]<std", or Horovod's "[3]<std". */
static bool take_tagged_rank(ff_bytes *in, int32_t *rank)
{
    ff_bytes rest = *in, job = { 0 };
    if (!ff_take_char(&rest, '['))
        return false;
    ff_bytes alone = rest;
    if (take_number(&alone, rank) && ff_take_lit(&alone, FF_LIT("]<std"))) {
        *in = alone;
        return true;
    }
    if (!take_job(&rest, &job) || !take_number(&rest, rank) || !ff_take_lit(&rest, FF_LIT("]<std")) ||
        ff_contains(job, FF_LIT("]")))
        return false;
    *in = rest;
    return true;
}

static bool take_mpirun(ff_event *ev)
{
    ff_bytes rest = ev->text;
    ff_stamp stamp = { 0 };
    int32_t rank = 0;
    if (rest.n && rest.p[0] != '[' && !ff_take_ctime(&rest, &stamp))
        return false;
    if (!take_tagged_rank(&rest, &rank))
        return false;
    if (!ff_take_lit(&rest, FF_LIT("out>:")) && !ff_take_lit(&rest, FF_LIT("err>:")) &&
        !ff_take_lit(&rest, FF_LIT("diag>:")))
        return false;
    /* Open MPI 5 adds a blank; two and more are the indentation of the text */
    if (rest.n > 1 && rest.p[0] == ' ' && rest.p[1] != ' ')
        rest = ff_skip_n(rest, 1);
    if (stamp.kind != FF_STAMP_NONE)
        ff_see_time(ev, stamp);
    ev->who.rank = rank;
    ev->text = rest;
    return true;
}

static bool take_label(ff_bytes *in, int32_t *rank)
{
    ff_bytes rest = *in;
    ff_take_spaces(&rest);
    if (!take_number(&rest, rank) || !ff_take_char(&rest, ':') || !ff_take_blank_or_end(&rest))
        return false;
    *in = rest;
    return true;
}

static bool take_srun(ff_event *ev)
{
    ff_bytes rest = ev->text;
    int32_t rank = 0;
    if (ev->looking || !take_label(&rest, &rank) || !ff_is_known_text(rest, ev->scratch))
        return false;
    ev->who.rank = rank;
    ev->text = rest;
    return true;
}

/* A program, a file or the type of an exception in front of a colon is no host: libraries of DMLC begin their
 * messages with a time. */
static bool is_host_name(ff_bytes word)
{
    static const char *const others[] = { "kernel", "dmesg",   "kubelet", "containerd", "systemd",
                                          "python", "python3", "srun",    "slurmstepd", "slurmd",
                                          "time",   "stderr",  "stdout",  "mpirun",     NULL };
    static const char *const endings[] = { ".log",  ".txt",      ".out",    ".err", ".py",
                                           "Error", "Exception", "Warning", NULL };
    ff_bytes level, as_level = word;
    if (word.n < 2 || word.n > 255 || ff_is_one_of(word, others) || ff_take_level(&as_level, &level))
        return false;
    for (const char *const *ending = endings; *ending; ending++)
        if (ff_ends(word, ff_str(*ending)))
            return false;
    return (word.p[0] >= 'a' && word.p[0] <= 'z') || (word.p[0] >= 'A' && word.p[0] <= 'Z') ||
           (word.p[0] >= '0' && word.p[0] <= '9' && ff_contains(word, FF_LIT(".")));
}

static bool take_pdsh(ff_event *ev)
{
    ff_bytes rest = ev->text, host;
    if (ev->looking || !ff_take_name(&rest, &host) || !ff_take_lit(&rest, FF_LIT(": ")) || !is_host_name(host) ||
        !ff_is_known_text(rest, ev->scratch))
        return false;
    ff_see_host(ev, host);
    ev->text = rest;
    return true;
}

const ff_coat ff_coat_rank_tag = { .name = "rank_tag", .begins = FF_FIRST_SQUARE, .take = take_rank_tag };
const ff_coat ff_coat_tee = { .name = "tee", .begins = FF_FIRST_SQUARE, .take = take_tee };
const ff_coat ff_coat_actor = { .name = "actor", .begins = FF_FIRST_ROUND, .take = take_actor };
const ff_coat ff_coat_mpirun = { .name = "mpirun", .begins = FF_FIRST_SQUARE | FF_FIRST_UPPER, .take = take_mpirun };
const ff_coat ff_coat_srun = { .name = "srun", .begins = FF_FIRST_DIGIT | FF_FIRST_BLANK, .take = take_srun };
const ff_coat ff_coat_pdsh = { .name = "pdsh",
                               .begins = FF_FIRST_LOWER | FF_FIRST_UPPER | FF_FIRST_DIGIT,
                               .take = take_pdsh };

/* ---- a member whose every line has srun's label ---- */
/* srun and slurmstepd write in between without a label. */
static bool is_labelled(ff_bytes line)
{
    int32_t rank = 0;
    return take_label(&line, &rank) || ff_starts(line, FF_LIT("srun: ")) || ff_starts(line, FF_LIT("slurmstepd: "));
}

static bool is_labelled_and_known(ff_bytes line)
{
    int32_t rank = 0;
    return take_label(&line, &rank) && ff_is_known_text(line, NULL);
}

static int srun_probe(const ff_probe *in)
{
    unsigned lines, labelled, known;
    ff_count_lines(in->head, is_labelled, &lines, &labelled);
    if (lines != labelled)
        return 0;
    ff_count_lines(in->head, is_labelled_and_known, &lines, &known);
    return known ? ff_bid_lines(in->head, is_labelled) : 0;
}

static bool srun_frame(ff_bytes record, ff_event *ev)
{
    int32_t rank = 0;
    ev->text = record;
    if (take_label(&ev->text, &rank))
        ev->who.rank = rank;
    return true; /* an unlabelled line is srun's own */
}

const ff_parser ff_parser_srun = {
    .name = "srun", .streams = FF_STREAM_ANY, .probe = srun_probe, .frame = srun_frame
};
