/* What the name of a member says by itself. A name is a hint: people rename files, so whatever the content says wins.
 */
#include "layout_private.h"

#include <string.h>

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
        if ((i > 0 && ff_is_letter(file.p[i - 1])) || local || !take_rank_word(&rest))
            continue;
        if (rest.n && is_break(rest.p[0]))
            rest = ff_skip_n(rest, 1);
        if (ff_take_uint(&rest, &rank) && rank < 1000000 && (rest.n == 0 || !ff_is_letter(rest.p[0])))
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
        if (ff_is_digit(host.p[i - 1]))
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

bool ff_name_is_of_cluster(ff_bytes name)
{
    static const char *const words[] = { "slurmctld", "slurmdbd",  "sacct",
                                         "squeue",    "sinfo",     "scontrol",
                                         "karpenter", "scheduler", "controller-manager",
                                         "apiserver", "autoscaler" };
    ff_bytes file = ff_name_file(name);
    for (size_t i = 0; i < FF_COUNT(words); i++)
        if (ff_contains(file, ff_str(words[i])))
            return true;
    return false;
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
