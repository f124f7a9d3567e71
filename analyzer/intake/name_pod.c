/* The pod that a member's name tells, as the kubelet names the files of containers:
 *     [var/log/pods/]ml_train-0_5b0e7c12-3d44-4a6f-9c11-0d8e2f7a6b90/trainer/0.log
 *     [var/log/containers/]train-0_ml_trainer-7c1e...(64 hex digits).log
 * Source: kubernetes pkg/kubelet/kuberuntime, helpers.go, BuildPodLogsDirectory and legacy.go, logSymlink. */
#include "layout_private.h"

#define UID_LENGTH 36u
#define ID_LENGTH 64u

static bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

static bool is_uid(ff_bytes text)
{
    for (size_t i = 0; i < text.n; i++)
        if (i == 8 || i == 13 || i == 18 || i == 23 ? text.p[i] != '-' : !is_hex(text.p[i]))
            return false;
    return text.n == UID_LENGTH;
}

static bool is_id(ff_bytes text)
{
    for (size_t i = 0; i < text.n; i++)
        if (!is_hex(text.p[i]))
            return false;
    return text.n == ID_LENGTH;
}

/* A name of Kubernetes holds no '_'. */
static bool take_label(ff_bytes *in, ff_bytes *label)
{
    ff_bytes rest = *in;
    if (!ff_take_until(&rest, '_', label) || !label->n)
        return false;
    *in = rest;
    return true;
}

/* NAMESPACE_POD_UID */
static bool read_folder(ff_bytes part, ff_bytes *space, ff_bytes *pod, ff_bytes *uid)
{
    if (!take_label(&part, space) || !take_label(&part, pod) || !is_uid(part))
        return false;
    *uid = part;
    return true;
}

/* POD_NAMESPACE_CONTAINER-ID.log */
static bool read_file(ff_bytes part, ff_bytes *space, ff_bytes *pod, ff_bytes *id)
{
    if (!take_label(&part, pod) || !take_label(&part, space) || !ff_ends(part, FF_LIT(".log")))
        return false;
    part = ff_first_n(part, part.n - 4);
    if (part.n < ID_LENGTH + 2 || part.p[part.n - ID_LENGTH - 1] != '-')
        return false;
    *id = ff_skip_n(part, part.n - ID_LENGTH);
    return is_id(*id);
}

void ff_name_pod(ff_bytes name, ff_who *who, ff_arena *arena)
{
    ff_bytes space, pod, uid = { 0 }, id = { 0 };
    bool found = false;
    while (name.n && !found) {
        size_t cut = 0;
        while (cut < name.n && name.p[cut] != '/' && name.p[cut] != '!')
            cut++;
        ff_bytes part = ff_first_n(name, cut);
        found = cut == name.n ? read_file(part, &space, &pod, &id) : read_folder(part, &space, &pod, &uid);
        name = ff_skip_n(name, cut == name.n ? cut : cut + 1);
    }
    if (!found)
        return;
    who->pod = ff_arena_format(arena, "%.*s/%.*s", (int)space.n, space.p, (int)pod.n, pod.p);
    who->pod_uid = uid;
    who->container = id;
}
