/* Cgroup paths -> who they belong to.
 *     /kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0f1e..._10.slice/cri-containerd-<64 hex>.scope
 *     /kubepods/burstable/pod0f1e2d3c-.../<64 hex>      /docker/<64 hex>      /system.slice/docker-<64 hex>.scope
 *     /slurm/uid_1000/job_123/step_0/task_0             /system.slice/slurmstepd.scope/job_123/step_batch/user/task_0
 * Sources: kubelet cgroup_manager, containerd and CRI-O drivers, Slurm cgroup plugins. */
#include "oom.h"

static bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

static bool is_hex_run(ff_bytes b, size_t n)
{
    if (b.n < n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!is_hex(b.p[i]))
            return false;
    return b.n == n || !is_hex(b.p[n]);
}

/* 0f1e2d3c_2b4a_4c55_9a77_6f2d1c9e8b10 with _ or -; static pods have 32 digits without any (a hash). */
static bool take_uid(ff_bytes text, char out[37])
{
    static const size_t groups[] = { 8, 4, 4, 4, 12 };
    size_t at = 0, n = 0;
    if (is_hex_run(text, 32)) {
        for (; n < 32; n++)
            out[n] = text.p[n];
        out[n] = 0;
        return true;
    }
    for (size_t g = 0; g < FF_COUNT(groups); g++) {
        if (g > 0) {
            if (at >= text.n || (text.p[at] != '_' && text.p[at] != '-'))
                return false;
            at++;
            out[n++] = '-';
        }
        if (!is_hex_run(ff_skip_n(text, at), groups[g]))
            return false;
        for (size_t i = 0; i < groups[g]; i++)
            out[n++] = text.p[at++];
    }
    out[n] = 0;
    return true;
}

static void read_pod(ff_bytes part, ff_cgroup_owner *out)
{
    char uid[37];
    size_t at = ff_find(part, FF_LIT("pod"));
    while (at <= part.n) {
        ff_bytes rest = ff_skip_n(part, at + 3);
        if (take_uid(rest, uid)) {
            for (size_t i = 0; i < sizeof uid; i++)
                out->pod_uid[i] = uid[i];
            return;
        }
        size_t next = ff_find(rest, FF_LIT("pod")); /* "kubepods-burstable-pod..." */
        at = next <= rest.n ? at + 3 + next : part.n + 1;
    }
}

/* The id stands alone, or between a driver's prefix and ".scope": cri-containerd-, crio-, docker-, libpod-. */
static void read_container(ff_bytes part, ff_cgroup_owner *out)
{
    ff_bytes rest = part;
    if (is_hex_run(rest, 64)) {
        out->container = ff_first_n(rest, 64);
        return;
    }
    if (!ff_ends(part, FF_LIT(".scope")) || part.n < 64 + 6 + 1 || ff_contains(part, FF_LIT("conmon")))
        return;
    rest = ff_skip_n(part, part.n - 6 - 64);
    if (is_hex_run(rest, 64) && part.p[part.n - 6 - 64 - 1] == '-')
        out->container = ff_first_n(rest, 64);
}

void ff_cgroup_read(ff_bytes path, ff_cgroup_owner *out)
{
    *out = (ff_cgroup_owner){ .pod_uid = "" };
    ff_bytes rest = path;
    while (rest.n) {
        ff_bytes part = rest;
        if (ff_take_until(&rest, '/', &part) == false)
            rest = (ff_bytes){ 0 };
        ff_bytes value = part;
        if (ff_take_lit(&value, FF_LIT("job_")))
            out->slurm_job = value;
        else if (ff_take_lit(&value, FF_LIT("step_")))
            out->slurm_step = value;
        else
            read_container(part, out);
        /* in a path of nested containers the innermost pod and container are the ones that were meant */
        read_pod(part, out);
    }
}
