/* The facts of an object that kubectl describe told, once it is over: the node and the UID may stand below what they
 * are needed for. */
#include "k8s_describe.h"

ff_who describe_who(const describe *d)
{
    ff_who who = k8s_who(&d->pod);
    if (d->node) {
        who = FF_WHO_NOBODY;
        who.host = d->name;
    }
    return who;
}

static void end_volumes(describe *d)
{
    for (uint32_t i = 0; i < d->n_volumes; i++) {
        const describe_mount *m = NULL;
        for (uint32_t k = 0; k < d->n_mounts && !m; k++)
            m = ff_equal(d->mounts[k].volume, d->volumes[i].name) ? &d->mounts[k] : NULL;
        if (d->volumes[i].memory)
            k8s_emit_volume(d->k, &d->pod, d->volumes[i].name, m ? m->path : (ff_bytes){ 0 },
                            m ? m->container : (ff_bytes){ 0 }, d->volumes[i].limit, d->volumes[i].offset);
    }
}

static void end_pod(describe *d)
{
    ff_fields f = { .n = 0 };
    ff_who who = describe_who(d);
    ff_fields_text(&f, "pod", FF_FIELD_POD, d->pod.name);
    ff_fields_text(&f, "pod_uid", FF_FIELD_POD_UID, d->pod.uid);
    ff_fields_text(&f, "node", FF_FIELD_HOST, d->pod.node);
    ff_fields_text(&f, "phase", FF_FIELD_TEXT, d->status);
    ff_fields_text(&f, "reason", FF_FIELD_TEXT, d->reason);
    ff_fields_text(&f, "message", FF_FIELD_TEXT, ff_first_n(d->message, 1024));
    ff_fields_text(&f, "qos", FF_FIELD_TEXT, d->qos);
    uint64_t at = d->reason.n ? d->told : d->offset;
    k8s_fact(d->k, FF_FACT_POD, at, (ff_stamp){ 0 }, &who, &f);
    k8s_emit_text(d->k, &who, (ff_stamp){ 0 }, d->message, at);
    for (uint32_t i = 0; i < d->n_containers; i++)
        k8s_emit_container(d->k, &d->pod, &d->containers[i]);
    end_volumes(d);
}

static void end_node(describe *d)
{
    ff_fields f = { .n = 0 };
    ff_who who = describe_who(d);
    int64_t kib = 0;
    ff_fields_text(&f, "node", FF_FIELD_HOST, d->name);
    ff_fields_text(&f, "boot_id", FF_FIELD_TEXT, d->boot);
    ff_fields_text(&f, "kernel", FF_FIELD_TEXT, d->kernel);
    ff_fields_text(&f, "kubelet", FF_FIELD_TEXT, d->kubelet);
    if (d->gpus >= 0)
        ff_fields_int(&f, "gpus", FF_FIELD_INT, d->gpus);
    if (d->usable >= 0)
        ff_fields_int(&f, "gpus_allocatable", FF_FIELD_INT, d->usable);
    if (doc_quantity_kib(d->memory, &kib))
        ff_fields_int(&f, "memory_kib", FF_FIELD_INT, kib);
    if (doc_quantity_kib(d->memory_usable, &kib))
        ff_fields_int(&f, "memory_allocatable_kib", FF_FIELD_INT, kib);
    k8s_fact(d->k, FF_FACT_NODE, d->offset, (ff_stamp){ 0 }, &who, &f);
}

void describe_end(describe *d)
{
    if (d->open && d->node)
        end_node(d);
    else if (d->open)
        end_pod(d);
    k8s *k = d->k;
    *d = (describe){ .k = k, .gpus = -1, .usable = -1, .containers = d->containers };
}
