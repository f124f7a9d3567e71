/* What the name of a member says by itself. A name is a hint: people rename files, so whatever the content says wins.
 */
#include "layout_private.h"

#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_break(char c) { return c == '-' || c == '_' || c == '.' || c == ' ' || c == '+'; }

static size_t last_part(ff_bytes name)
{
    size_t at = name.n;
    while (at > 0 && name.p[at - 1] != '/' && name.p[at - 1] != '!')
        at--;
    return at;
}

ff_bytes ff_name_file(ff_bytes name) { return ff_skip_n(name, last_part(name)); }

ff_bytes ff_name_folder(ff_bytes name)
{
    size_t at = last_part(name);
    return ff_first_n(name, at ? at - 1 : 0);
}

/* ---- ranks ---- */

static bool take_rank_word(ff_bytes *in)
{
    if (in->n < 4 || !ff_equal_nocase(ff_first_n(*in, 4), FF_LIT("rank")))
        return false;
    *in = ff_skip_n(*in, 4);
    return true;
}

/* "rank3.log", "nccl_trace_rank_3", "trainer-rank4.log", "rank0_gx-a.log"; not "local_rank3", "ranks8". */
int32_t ff_name_rank(ff_bytes name)
{
    ff_bytes file = ff_name_file(name);
    for (size_t i = 0; i < file.n; i++) {
        ff_bytes rest = ff_skip_n(file, i);
        uint64_t rank = 0;
        bool local = i >= 6 && ff_equal_nocase((ff_bytes){ file.p + i - 6, 5 }, FF_LIT("local"));
        if ((i > 0 && is_letter(file.p[i - 1])) || local || !take_rank_word(&rest))
            continue;
        if (rest.n && is_break(rest.p[0]))
            rest = ff_skip_n(rest, 1);
        if (ff_take_uint(&rest, &rank) && rank < 1000000 && (rest.n == 0 || !is_letter(rest.p[0])))
            return (int32_t)rank;
    }
    return FF_NO_NUMBER;
}

/* "LOG_DIR/RUN_ID/attempt_0/3/stderr.log" */
int32_t ff_name_local_rank(ff_bytes name)
{
    ff_bytes file = ff_name_file(name), folder = ff_name_folder(name);
    ff_bytes number = ff_name_file(folder), attempt = ff_name_file(ff_name_folder(folder));
    uint64_t rank = 0;
    if (!ff_starts(attempt, FF_LIT("attempt_")) || !ff_take_uint(&number, &rank) || number.n || rank > 4096)
        return FF_NO_NUMBER;
    if (!ff_starts(file, FF_LIT("stdout")) && !ff_starts(file, FF_LIT("stderr")) && !ff_starts(file, FF_LIT("error")))
        return FF_NO_NUMBER;
    return (int32_t)rank;
}

/* ---- support bundles ---- */

static bool date_follows(ff_bytes rest)
{
    int64_t year = 0, month = 0;
    ff_bytes b = rest;
    if (!ff_take_digits(&b, 4, &year) || year < 2000 || year > 2200)
        return false;
    (void)ff_take_char(&b, '-');
    return ff_take_digits(&b, 2, &month) && month >= 1 && month <= 12;
}

/* Up to the "-", "_" or "." in front of a date. */
static ff_bytes before_date(ff_bytes rest)
{
    for (size_t i = 1; i + 1 < rest.n; i++)
        if (is_break(rest.p[i]) && date_follows(ff_skip_n(rest, i + 1)))
            return ff_first_n(rest, i);
    return (ff_bytes){ NULL, 0 };
}

/* sosreport-HOST[-LABEL][-CASE]-DATE: a label cannot be told from the host, a case number can. */
static ff_bytes without_case(ff_bytes host)
{
    for (size_t i = host.n; i > 1; i--) {
        if (is_digit(host.p[i - 1]))
            continue;
        bool is_case = is_break(host.p[i - 1]) && host.n - i >= 5;
        return is_case ? ff_first_n(host, i - 1) : host;
    }
    return host;
}

static ff_bytes until_log(ff_bytes rest)
{
    size_t end = ff_find(rest, FF_LIT(".log"));
    return ff_first_n(rest, end <= rest.n ? end : 0);
}

static ff_bytes support_host_of(ff_bytes part)
{
    ff_bytes rest = part, version;
    if (ff_take_lit(&rest, FF_LIT("sosreport-")))
        return without_case(before_date(rest));
    if (ff_take_lit(&rest, FF_LIT("nvidia-bug-report_")) || ff_take_lit(&rest, FF_LIT("gpu_device_usage_")))
        return until_log(rest);
    if (ff_take_lit(&rest, FF_LIT("scc_")) || ff_take_lit(&rest, FF_LIT("nts_"))) {
        size_t end = ff_find(rest, FF_LIT("_"));
        return ff_first_n(rest, end <= rest.n ? end : 0);
    }
    if (ff_take_lit(&rest, FF_LIT("sysinfo-snapshot-v")) && ff_take_until(&rest, '-', &version))
        return before_date(rest);
    if (ff_take_lit(&rest, FF_LIT("nvsysinfo-")) || ff_take_lit(&rest, FF_LIT("nvsm-")))
        return before_date(rest);
    if (ff_take_lit(&rest, FF_LIT("slurmd.")) && ff_ends(rest, FF_LIT(".log")))
        return until_log(rest);
    return (ff_bytes){ NULL, 0 };
}

ff_bytes ff_name_support_host(ff_bytes name)
{
    for (ff_bytes at = name;;) {
        ff_bytes host = support_host_of(ff_name_file(at));
        if (host.n || last_part(at) == 0)
            return host;
        at = ff_name_folder(at);
    }
}

/* Where the tools that collect from clusters put the output of containers. */
bool ff_name_is_of_container(ff_bytes name)
{
    static const char *const ways[] = { "var/log/pods/", "var/log/containers/", "cluster-resources/pods/logs/",
                                        "gpu_operand_pod_" };
    for (size_t i = 0; i < FF_COUNT(ways); i++)
        if (ff_contains(name, ff_str(ways[i])))
            return true;
    size_t at = ff_find(name, FF_LIT("namespaces/")), pods = ff_find(name, FF_LIT("/pods/"));
    if (at < pods && pods < name.n && ff_contains(ff_skip_n(name, pods), FF_LIT("/logs/")))
        return true;
    return ff_contains(name, FF_LIT("operator/components/")) && pods < name.n && ff_ends(name, FF_LIT(".log"));
}

/* ---- kind words ---- */

static const struct {
    const char *word;
    bool of_host;
} kinds[] = {
    /* longer ones first, where one begins with another */
    { "nvidia-bug-report", true },
    { "nvidia-smi", true },
    { "nvidia_smi", true },
    { "nvsmi", true },
    { "dmesg", true },
    { "journalctl", true },
    { "journal", true },
    { "kern", true },
    { "kmsg", true },
    { "messages", true },
    { "syslog", true },
    { "uname", true },
    { "lspci", true },
    { "ethtool", true },
    { "ibstat", true },
    { "ibv_devinfo", true },
    { "ibdev2netdev", true },
    { "ip_addr", true },
    { "ip-addr", true },
    { "ifconfig", true },
    { "meminfo", true },
    { "kubelet", true },
    { "containerd", true },
    { "dcgmi", true },
    { "fabricmanager", true },
    { "slurmd", true },
    { "hostname", true },
    { "lscpu", true },
    { "ipmi", true },
    { "stdout", false },
    { "stderr", false },
    { "vllm", false },
    { "engine", false },
    { "train", false },
    { "trainer", false },
    { "server", false },
    { "nccl", false },
    { "output", false },
    { "console", false },
    { "sglang", false },
    { "launcher", false },
    { "run", false },
    { "dmon", true },
    { "topo", true },
};

static bool is_one_of(ff_bytes word, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ff_equal(word, ff_str(list[i])))
            return true;
    return false;
}

/* Words that say how the output was taken, when, or of which part: never a host. */
static bool is_filler(ff_bytes word)
{
    static const char *const fillers[] = {
        "log",    "txt",   "out",  "err",    "json",  "csv",    "old",  "prev",  "previous", "current",
        "kernel", "idle",  "load", "before", "after", "during", "hang", "ctime", "iso",      "nvrm",
        "fm",     "all",   "day",  "nvlink", "link",  "full",   "tail", "head",  "master",   "worker",
        "leader", "slurm", "job",  "vvv",    "vv",    "trace",  "dump", "fr",
    };
    return is_one_of(word, fillers, FF_COUNT(fillers));
}

/* Letters of command line options, right behind the command: "nvidia-smi-q", "dmesg-T". */
static bool is_option(ff_bytes word)
{
    static const char *const options[] = { "v", "q", "T", "t", "e", "L", "x", "m", "k",
                                           "b", "S", "s", "a", "u", "r", "w", "f", "p2p" };
    return is_one_of(word, options, FF_COUNT(options));
}

/* "nvidia-smi-topo", "journalctl-u-kubelet": a second word for what is taken on hosts. */
static bool is_kind_of_host(ff_bytes word)
{
    for (size_t i = 0; i < FF_COUNT(kinds); i++)
        if (kinds[i].of_host && ff_equal(word, ff_str(kinds[i].word)))
            return true;
    return false;
}

/* "eth0", "enp65s0f0np0", "mlx5" of "mlx5_0": what the command was asked about. */
static bool is_device(ff_bytes word)
{
    static const char *const prefixes[] = { "eth",     "ens",  "eno",  "enp", "ib",   "ibp",    "hsn",  "bond", "mlx",
                                            "bnxt_re", "roce", "rdma", "br",  "veth", "docker", "nvme", "irdma" };
    for (size_t i = 0; i < FF_COUNT(prefixes); i++) {
        ff_bytes rest = word;
        if (ff_take_lit(&rest, ff_str(prefixes[i])) && rest.n && is_digit(rest.p[0]))
            return true;
    }
    return false;
}

/* "12h": the span that was asked for. */
static bool is_span(ff_bytes word)
{
    uint64_t n = 0;
    return ff_take_uint(&word, &n) && word.n == 1 && memchr("smhd", word.p[0], 4);
}

static bool is_number(ff_bytes word)
{
    for (size_t i = 0; i < word.n; i++)
        if (!is_digit(word.p[i]))
            return false;
    return word.n > 0;
}

/* Words of ours in front of a number: "rank0", "gpu3", "boot1". */
static bool is_part(ff_bytes word)
{
    static const char *const words[] = { "rank", "gpu",  "pid",  "boot",   "xid",   "attempt", "task", "job",
                                         "step", "part", "idle", "before", "after", "during",  "hang", "load" };
    return is_one_of(word, words, FF_COUNT(words));
}

/* "rank0", "i012": one letter or a word of ours, then digits. */
static bool is_numbered_part(ff_bytes word)
{
    size_t letters = 0;
    while (letters < word.n && is_letter(word.p[letters]))
        letters++;
    ff_bytes name = ff_first_n(word, letters);
    return is_number(ff_skip_n(word, letters)) &&
           (is_part(name) || ff_equal(name, FF_LIT("i")) || ff_equal(name, FF_LIT("v")));
}

static ff_bytes first_word(ff_bytes b)
{
    size_t n = 0;
    while (n < b.n && !is_break(b.p[n]))
        n++;
    return ff_first_n(b, n);
}

static ff_bytes last_word(ff_bytes b)
{
    size_t at = b.n;
    while (at > 0 && !is_break(b.p[at - 1]))
        at--;
    return ff_skip_n(b, at);
}

static ff_bytes trim_breaks(ff_bytes b)
{
    while (b.n && is_break(b.p[0]))
        b = ff_skip_n(b, 1);
    while (b.n && is_break(b.p[b.n - 1]))
        b.n--;
    return b;
}

/* "node_gx-a", "20260311.gx-a": a label in front of the host; "node-a" is the host. */
static bool is_label(ff_bytes b, ff_bytes first)
{
    bool apart = first.n < b.n && (b.p[first.n] == '_' || b.p[first.n] == '.');
    return apart && (is_number(first) || ff_equal(first, FF_LIT("node")) || ff_equal(first, FF_LIT("host")));
}

/* "gpu-node-07.722": the pid stands behind a dot. */
static bool is_tail_number(ff_bytes b, ff_bytes last)
{
    return last.n < b.n && is_number(last) && b.p[b.n - last.n - 1] == '.';
}

/* "trace_rank_3": the number that stands behind a word of ours. Its length with the word, or 0. */
static size_t numbered_tail(ff_bytes b)
{
    ff_bytes number = last_word(b);
    if (!is_number(number) || number.n == b.n)
        return 0;
    ff_bytes word = last_word(ff_first_n(b, b.n - number.n - 1));
    return is_part(word) ? word.n + 1 + number.n : 0;
}

static size_t numbered_head(ff_bytes b)
{
    ff_bytes word = first_word(b);
    if (!is_part(word) || word.n == b.n)
        return 0;
    ff_bytes number = first_word(ff_skip_n(b, word.n + 1));
    return is_number(number) ? word.n + 1 + number.n : 0;
}

/* Takes what cannot be a host off both ends. */
static ff_bytes strip_ends(ff_bytes b, bool behind_command)
{
    for (;;) {
        b = trim_breaks(b);
        ff_bytes first = first_word(b), last = last_word(b);
        if (numbered_head(b))
            b = ff_skip_n(b, numbered_head(b));
        else if (numbered_tail(b))
            b.n -= numbered_tail(b);
        else if (b.n && (is_filler(first) || is_numbered_part(first) || is_label(b, first)))
            b = ff_skip_n(b, first.n);
        else if (b.n && behind_command &&
                 (is_option(first) || is_kind_of_host(first) || is_device(first) || is_span(first) || is_number(b)))
            b = ff_skip_n(b, first.n);
        else if (last.n < b.n && (is_filler(last) || is_tail_number(b, last) || is_kind_of_host(last)))
            b.n -= last.n;
        else
            return b;
    }
}

/* Digits at the end of a name are part of a host ("cn-w34", "node-1"); behind a log's own suffix they are a rotation.
 */
static ff_bytes without_extension(ff_bytes file)
{
    static const char *const ends[] = { ".gz",  ".xz",  ".zst",  ".bz2", ".txt",    ".log",
                                        ".out", ".err", ".json", ".csv", ".journal" };
    for (size_t i = 0; i < FF_COUNT(ends);) {
        if (file.n > strlen(ends[i]) && ff_ends(file, ff_str(ends[i]))) {
            file.n -= strlen(ends[i]);
            i = 0;
        } else {
            i++;
        }
    }
    return file;
}

static bool is_whole(ff_bytes b, size_t from, size_t to)
{
    return (from == 0 || is_break(b.p[from - 1])) && (to == b.n || is_break(b.p[to]));
}

static bool can_be_host(ff_bytes about)
{
    bool letter = false, mark = false;
    for (size_t i = 0; i < about.n; i++) {
        char c = about.p[i];
        if (!is_letter(c) && !is_digit(c) && c != '-' && c != '.' && c != '_')
            return false;
        letter = letter || is_letter(c);
        mark = mark || is_digit(c) || c == '-';
    }
    return letter && mark && about.n >= 3 && about.n <= 63 && !is_numbered_part(about);
}

ff_name_guess ff_guess_name(ff_bytes name)
{
    ff_name_guess out = { 0 };
    ff_bytes file = without_extension(ff_name_file(name));
    for (size_t i = 0; i < FF_COUNT(kinds) && !out.kind.n; i++) {
        ff_bytes word = ff_str(kinds[i].word);
        size_t at = ff_find(file, word);
        if (at > file.n || !is_whole(file, at, at + word.n))
            continue;
        out.kind = word;
        out.of_host = kinds[i].of_host;
        ff_bytes front = strip_ends(ff_first_n(file, at), false),
                 back = strip_ends(ff_skip_n(file, at + word.n), true);
        out.about = front.n ? front : back;
        /* Something on both sides: neither is sure to be the host. */
        if ((front.n && back.n && !ff_equal(front, back)) || !can_be_host(out.about))
            out.about = (ff_bytes){ NULL, 0 };
    }
    if (!out.kind.n) {
        ff_bytes rest = strip_ends(file, false);
        out.about = can_be_host(rest) ? rest : (ff_bytes){ NULL, 0 };
    }
    return out;
}

ff_bytes ff_name_speaks_for(ff_bytes name)
{
    static const char *const ends[] = { "etc/hostname",
                                        "sos_commands/host/hostname",
                                        "sos_commands/host/hostname_-f",
                                        "sos_commands/host/hostnamectl_status",
                                        "sos_commands/kernel/uname_-a",
                                        "proc/sys/kernel/hostname" };
    for (size_t i = 0; i < FF_COUNT(ends); i++) {
        ff_bytes end = ff_str(ends[i]);
        if (name.n > end.n && ff_ends(name, end) && name.p[name.n - end.n - 1] == '/')
            return ff_first_n(name, name.n - end.n - 1);
        if (ff_equal(name, end))
            return (ff_bytes){ NULL, 0 };
    }
    return ff_name_folder(name);
}
