/* A pod's host name is the pod's name. NCCL and others print it as their host, though the machine is the node that
 * the pod runs on; where the bundle says which node that is, the two are one. */
#include "layout_private.h"

#include <stdlib.h>
#include <string.h>

static ff_bytes bare_name(ff_bytes pod)
{
    const char *slash = pod.n ? memchr(pod.p, '/', pod.n) : NULL;
    return slash ? ff_skip_n(pod, (size_t)(slash - pod.p) + 1) : pod;
}

static int by_name(const void *a, const void *b)
{
    const ff_pod_node *x = a, *y = b;
    int c = ff_compare(x->pod, y->pod);
    c = c ? c : ff_compare(x->node, y->node);
    return c ? c : ff_compare(y->full, x->full); /* the name with its space first */
}

void ff_pod_nodes_learn(ff_pod_nodes *p, const ff_evidence *e)
{
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const ff_signal *s = &e->signals[i];
        ff_bytes name = bare_name(s->who.pod);
        bool platform = (s->stream & (FF_STREAM_K8S | FF_STREAM_RUNTIME)) != 0;
        if (!platform || !name.n || !s->who.host.n || ff_equal(name, s->who.host))
            continue;
        ff_pod_node row = { name, s->who.host, s->who.pod };
        bool again = p->at.n && by_name(&p->at.at[p->at.n - 1], &row) == 0;
        if (!again)
            FF_PUSH(&p->at, row);
    }
    if (p->at.n)
        qsort(p->at.at, p->at.n, sizeof *p->at.at, by_name);
}

const ff_pod_node *ff_pod_nodes_find(const ff_pod_nodes *p, ff_bytes host)
{
    uint32_t low = 0, high = p->at.n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (ff_compare(p->at.at[mid].pod, host) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    const ff_pod_node *found = NULL;
    for (; low < p->at.n && ff_equal(p->at.at[low].pod, host); low++) {
        if (found && !ff_equal(found->node, p->at.at[low].node))
            return NULL; /* the name was on two nodes: a restart, or two name spaces */
        found = found ? found : &p->at.at[low];
    }
    return found;
}

/* "logs/ml/train-0/main.log", "pods/train-0-main.log": a folder or the beginning of a file name is a pod's. */
ff_bytes ff_pod_nodes_find_in(const ff_pod_nodes *p, ff_bytes path)
{
    for (size_t end = path.n; end > 0 && p->at.n;) {
        size_t begin = end;
        while (begin > 0 && path.p[begin - 1] != '/' && path.p[begin - 1] != '!')
            begin--;
        bool is_file = end == path.n;
        for (size_t stop = end; stop > begin; stop--) {
            char next = stop < end ? path.p[stop] : '/';
            ff_bytes part = { path.p + begin, stop - begin };
            bool whole = next == '/' || (is_file && (next == '-' || next == '.' || next == '_'));
            const ff_pod_node *found = whole ? ff_pod_nodes_find(p, part) : NULL;
            if (found)
                return found->node;
        }
        end = begin ? begin - 1 : 0;
    }
    return (ff_bytes){ NULL, 0 };
}

void ff_pod_nodes_done(ff_pod_nodes *p) { ff_free(p->at.at); }
