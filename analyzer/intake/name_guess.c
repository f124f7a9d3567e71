/* "cn-w34_dmesg.txt": a host and a kind of output, as people name files by hand. Only ever a guess; layout.c wants it
 * confirmed by a second file or by the kind. */
#include "layout_private.h"

#include <string.h>

static bool is_break(char c) { return c == '-' || c == '_' || c == '.' || c == ' ' || c == '+'; }

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
    { "munged", true },
    { "mmdiag", true },
    { "mmfs", true },
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

/* Words that say how the output was taken, when, of which part, or what kept it over a crash: never a host. */
static bool is_filler(ff_bytes word)
{
    static const char *const fillers[] = {
        "log",  "txt",    "out",    "err",   "json",   "csv",  "old",    "prev",    "previous", "current", "kernel",
        "idle", "load",   "before", "after", "during", "hang", "ctime",  "iso",     "nvrm",     "fm",      "all",
        "day",  "nvlink", "link",   "full",  "tail",   "head", "master", "worker",  "leader",   "slurm",   "job",
        "vvv",  "vv",     "trace",  "dump",  "fr",     "erst", "efi",    "ramoops", "vmcore",   "pstore",  "enc",
    };
    return is_one_of(word, fillers, FF_COUNT(fillers));
}

/* Letters of command line options, right behind the command: "nvidia-smi-q", "dmesg-T". */
static bool is_option(ff_bytes word)
{
    static const char *const options[] = { "v", "q", "T", "t", "e", "L", "x", "m", "k", "b",
                                           "S", "s", "a", "u", "r", "w", "f", "i", "d", "p2p" };
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
        if (ff_take_lit(&rest, ff_str(prefixes[i])) && rest.n && ff_is_digit(rest.p[0]))
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
    while (letters < word.n && ff_is_letter(word.p[letters]))
        letters++;
    ff_bytes name = ff_first_n(word, letters);
    return ff_is_digits(ff_skip_n(word, letters)) &&
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
    return apart && (ff_is_digits(first) || ff_equal(first, FF_LIT("node")) || ff_equal(first, FF_LIT("host")));
}

/* "gpu-node-07.722": the pid stands behind a dot. */
static bool is_tail_number(ff_bytes b, ff_bytes last)
{
    return last.n < b.n && ff_is_digits(last) && b.p[b.n - last.n - 1] == '.';
}

/* With a break between them, hosts are called like that as well: "gpu-7". */
static bool is_part_apart(ff_bytes word) { return is_part(word) && !ff_equal(word, FF_LIT("gpu")); }

/* "trace_rank_3": the number that stands behind a word of ours. Its length with the word, or 0. */
static size_t numbered_tail(ff_bytes b)
{
    ff_bytes number = last_word(b);
    if (!ff_is_digits(number) || number.n == b.n)
        return 0;
    ff_bytes word = last_word(ff_first_n(b, b.n - number.n - 1));
    return is_part_apart(word) ? word.n + 1 + number.n : 0;
}

static size_t numbered_head(ff_bytes b)
{
    ff_bytes word = first_word(b);
    if (!is_part_apart(word) || word.n == b.n)
        return 0;
    ff_bytes number = first_word(ff_skip_n(b, word.n + 1));
    return ff_is_digits(number) ? word.n + 1 + number.n : 0;
}

/* "nvidia-smi_-q_-i_2": which device the command was asked about. */
static bool is_device_number(ff_bytes b)
{
    ff_bytes word = first_word(b);
    return ff_equal(word, FF_LIT("i")) && word.n < b.n && ff_is_digits(ff_skip_n(b, word.n + 1));
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
        else if (b.n && behind_command && is_device_number(b))
            b = (ff_bytes){ NULL, 0 };
        else if (b.n && behind_command &&
                 (is_option(first) || is_kind_of_host(first) || is_device(first) || is_span(first) ||
                  ff_is_digits(b)))
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

/* A letter, and a digit or a dash; underline: such names may have one. */
static bool is_like_host(ff_bytes b, bool underline)
{
    bool letter = false, mark = false;
    for (size_t i = 0; i < b.n; i++) {
        char c = b.p[i];
        if (!ff_is_alnum(c) && c != '-' && c != '.' && !(underline && c == '_'))
            return false;
        letter = letter || ff_is_letter(c);
        mark = mark || ff_is_digit(c) || c == '-';
    }
    return letter && mark;
}

static bool can_be_host(ff_bytes about)
{
    return is_like_host(about, true) && about.n >= 3 && about.n <= 63 && !is_numbered_part(about);
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

static bool is_host_word(ff_bytes part)
{
    static const char *const heads[] = { "node", "host", "server", "machine" };
    for (size_t i = 0; i < FF_COUNT(heads); i++)
        if (ff_starts(part, ff_str(heads[i])))
            return true;
    return false;
}

bool ff_name_may_be_host(ff_bytes part)
{
    if (part.n < 2 || part.n > 63 || !ff_equal(strip_ends(part, false), part) || is_numbered_part(part))
        return false;
    return is_host_word(part) || is_like_host(part, false);
}

/* "node3", and not the bare word. */
static bool is_numbered_host(ff_bytes part)
{
    return ff_name_may_be_host(part) && is_host_word(part) && ff_is_digit(part.p[part.n - 1]);
}

static bool is_other_host(ff_bytes part, ff_bytes host)
{
    return part.n && !ff_equal(part, host) && (ff_hosts_alike(part, host) || is_numbered_host(part));
}

bool ff_name_is_of_other_host(ff_bytes name, ff_bytes host)
{
    ff_bytes label = ff_first_n(host, ff_find(host, FF_LIT("."))), folder = ff_name_folder(name);
    for (size_t at = 0; at < folder.n;) {
        size_t end = at;
        while (end < folder.n && folder.p[end] != '/' && folder.p[end] != '!')
            end++;
        ff_bytes part = { folder.p + at, end - at };
        if (ff_name_may_be_host(part) && is_other_host(part, label))
            return true;
        at = end + 1;
    }
    return is_other_host(ff_guess_name(name).about, label);
}
