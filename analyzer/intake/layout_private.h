/* What the files of layout share: what a name alone says, and the hosts that a bundle knows. */
#ifndef FF_LAYOUT_PRIVATE_H
#define FF_LAYOUT_PRIVATE_H

#include "../base/arena.h"
#include "../model.h"

/* ---- name_words.c: pure functions of a name ---- */
/* The name in front of the last '/' or '!', and behind it. */
ff_bytes ff_name_folder(ff_bytes name);
ff_bytes ff_name_file(ff_bytes name);
int32_t ff_name_rank(ff_bytes name);       /* FF_NO_NUMBER: the file name says none */
int32_t ff_name_local_rank(ff_bytes name); /* of torchrun's folders */
/* Host in the name of a support bundle (sosreport, nvidia-bug-report, ...), in any part of the name; empty: none. */
ff_bytes ff_name_support_host(ff_bytes name);

/* What one place says of a whole cluster (the controller's log, lists of the API): written on none of the hosts it
 * names. */
bool ff_name_is_of_cluster(ff_bytes name);

/* Output of a container: host names in it are those of pods. */
bool ff_name_is_of_container(ff_bytes name);

/* name_pod.c: pod, and its UID or container, of a container's log; left as they are where the name tells none. */
void ff_name_pod(ff_bytes name, ff_who *who, ff_arena *arena);

/* name_guess.c */
typedef struct ff_name_guess { /* file name = what it is about + what kind of output it is: "cn-w34" + "dmesg" */
    ff_bytes about;            /* empty: nothing is left, or it cannot be a host */
    ff_bytes kind;             /* the kind word; empty: none known */
    bool of_host;              /* that kind of output is always taken on a host */
} ff_name_guess;
ff_name_guess ff_guess_name(ff_bytes name);
bool ff_name_may_be_host(ff_bytes part); /* a folder called like that can be a host's */
/* Does a folder or the file's name tell of a machine called as host is but for its number, or of a numbered node? */
bool ff_name_is_of_other_host(ff_bytes name, ff_bytes host);

/* The folder that a member which names its host speaks for: for "x/etc/hostname" it is "x"; empty: the bundle's top.
 */
ff_bytes ff_name_speaks_for(ff_bytes name);

/* ---- hosts.c: a sorted set of host names ---- */
typedef struct ff_hosts {
    FF_VEC(ff_bytes) at;
} ff_hosts;
void ff_hosts_add(ff_hosts *h, ff_bytes host);               /* placeholders such as localhost are no hosts */
void ff_hosts_sort(ff_hosts *h);                             /* call before find */
ff_bytes ff_hosts_find(const ff_hosts *h, ff_bytes name);    /* empty: not in it; also by its first label */
ff_bytes ff_hosts_find_in(const ff_hosts *h, ff_bytes path); /* longest host that a part of the path names */
void ff_hosts_done(ff_hosts *h);

/* ---- pods.c: on which node a pod ran ---- */
typedef struct ff_pod_node {
    ff_bytes pod, node; /* pod: without its name space */
    ff_bytes full;      /* with it, where it was said */
} ff_pod_node;
typedef struct ff_pod_nodes {
    FF_VEC(ff_pod_node) at;
} ff_pod_nodes;
void ff_pod_nodes_learn(ff_pod_nodes *p, const ff_evidence *e);
/* NULL where it is no pod, or in doubt: two pods or nodes. */
const ff_pod_node *ff_pod_nodes_find(const ff_pod_nodes *p, ff_bytes host);
ff_bytes ff_pod_nodes_find_in(const ff_pod_nodes *p, ff_bytes path); /* node of the pod that a path names; empty */
void ff_pod_nodes_done(ff_pod_nodes *p);

/* ---- layout.c ---- */
typedef struct ff_layout {
    ff_evidence *evidence;
    ff_arena *arena;
    ff_hosts known;
    ff_pod_nodes pods;
    uint32_t *first_sample, *first_signal; /* by member; one more at the end */
    bool *of_container;                    /* by member */
} ff_layout;
/* The first that says something wins. */
void ff_layout_set(ff_member *m, ff_bytes host, ff_bytes why);
/* layout_folders.c */
void ff_layout_speakers(ff_layout *l); /* host name outputs speak for their folder */
void ff_layout_folders(ff_layout *l);  /* a folder for each host */

#endif
