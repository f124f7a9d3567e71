/* What one record says of whom: its own names, names inside its names, and which of them belong together. */
#include "identity_private.h"

#include <string.h>

/* ---- what the path of a cgroup says by itself ---- */
static bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

/* 8-4-4-4-12 hex digits after "pod"; systemd writes "_" for "-". */
static ff_bytes pod_uid_in(ff_bytes path, ff_arena *arena)
{
    for (size_t at = 0; at + 39 <= path.n; at++) {
        const char *p = path.p + at + 3;
        bool fits = memcmp(path.p + at, "pod", 3) == 0;
        for (unsigned i = 0; i < 36 && fits; i++)
            fits = i == 8 || i == 13 || i == 18 || i == 23 ? p[i] == '_' || p[i] == '-' : is_hex(p[i]);
        if (!fits)
            continue;
        char uid[36];
        for (unsigned i = 0; i < 36; i++)
            uid[i] = p[i];
        uid[8] = uid[13] = uid[18] = uid[23] = '-';
        return ff_arena_copy(arena, (ff_bytes){ uid, sizeof uid });
    }
    return (ff_bytes){ 0 };
}

/* The last run of exactly 64 hex digits: containers in containers have one each. */
static ff_bytes container_in(ff_bytes path)
{
    ff_bytes found = { 0 };
    for (size_t at = 0; at < path.n;) {
        size_t end = at;
        while (end < path.n && is_hex(path.p[end]))
            end++;
        if (end - at == 64)
            found = (ff_bytes){ path.p + at, 64 };
        at = end + 1;
    }
    return found;
}

static void read_cgroup(ff_who *who, ff_arena *arena)
{
    if (!who->cgroup.n)
        return;
    if (!who->pod_uid.n)
        who->pod_uid = pod_uid_in(who->cgroup, arena);
    if (!who->container.n)
        who->container = container_in(who->cgroup);
}

/* ---- which names of a record belong together ---- */
static bool int_field(const ff_signal *s, const char *name, int64_t *out)
{
    for (uint32_t i = 0; i < s->n_fields; i++)
        if (ff_equal(s->fields[i].name, ff_str(name)) && s->fields[i].type == FF_FIELD_INT) {
            *out = s->fields[i].i;
            return true;
        }
    return false;
}

/* How many ranks the communicator of this line has; INT32_MAX where the rank is that of the job. */
int64_t ff_record_world(const ff_signal *s)
{
    int64_t n = 0;
    return int_field(s, "nranks", &n) && n > 0 && n < INT32_MAX ? n : INT32_MAX;
}

int64_t ff_record_widest(const ff_evidence *e)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < e->n_signals; i++) {
        int64_t world = e->signals[i].stream & FF_STREAM_NCCL ? ff_record_world(&e->signals[i]) : INT32_MAX;
        most = world != INT32_MAX && world > most ? world : most;
    }
    return most;
}

static bool captured(const ff_signal *s, ff_field_type type)
{
    for (uint32_t i = 0; i < s->n_fields; i++)
        if (s->fields[i].type == type)
            return true;
    return false;
}

/* A rank that is captured as `own` is the speaker's: "dist_rank: 3" in its own log. */
bool ff_record_own_rank(const ff_signal *s)
{
    for (uint32_t i = 0; i < s->n_fields; i++)
        if (s->fields[i].type == FF_FIELD_RANK)
            return ff_equal(s->fields[i].name, FF_LIT("own"));
    return false;
}

/* A line has a speaker (its frame) and maybe somebody it speaks about (its captures): "[rank0]: rank 5 did not join"
 * says nothing about the pid or host of rank 5. A line of NCCL that gives rank and number of ranks speaks of itself.
 */
ff_who ff_record_who(const ff_signal *s)
{
    ff_who who = s->who;
    if ((s->stream & FF_STREAM_NCCL) && ff_record_world(s) != INT32_MAX)
        return who;
    if (ff_record_own_rank(s))
        return who;
    bool rank = captured(s, FF_FIELD_RANK), pid = captured(s, FF_FIELD_PID), host = captured(s, FF_FIELD_HOST);
    bool gpu = captured(s, FF_FIELD_PCI) || captured(s, FF_FIELD_UUID) || captured(s, FF_FIELD_GPU);
    bool local = captured(s, FF_FIELD_LOCAL_RANK), placed = pid || host || gpu || local;
    if ((rank && !placed) || (!rank && (pid || host))) {
        who.rank = FF_NO_NUMBER;
        who.local_rank = local ? who.local_rank : FF_NO_NUMBER;
    }
    if ((rank || host) && !pid)
        who.pid = FF_NO_NUMBER;
    return who;
}

/* Central logs speak of pods anywhere; a node's own logs, and the pod's own object, say where it runs. */
bool ff_record_shows_node(const ff_signal *s)
{
    return (s->stream & (FF_STREAM_KERNEL | FF_STREAM_RUNTIME)) || ff_equal(s->who.unit, FF_LIT("kubelet")) ||
           s->kind == FF_FACT_POD || s->kind == FF_FACT_POD_CONTAINER;
}

/* NCCL writes the bus id as one hex number: domain, 2 digits bus, 2 digits device, 1 digit function. */
static void read_bus_id(ff_signal *s, ff_arena *arena)
{
    if (!(s->stream & FF_STREAM_NCCL) || s->who.gpu.n)
        return;
    for (uint32_t i = 0; i < s->n_fields; i++) {
        uint64_t id = 0;
        ff_bytes text = s->fields[i].s;
        if (!ff_equal(s->fields[i].name, FF_LIT("bus")) || !ff_take_hex(&text, &id) || text.n || id >> 36)
            continue;
        s->who.gpu = ff_arena_format(arena, "%04x:%02x:%02x", (unsigned)(id >> 20), (unsigned)(id >> 12 & 0xff),
                                     (unsigned)(id >> 4 & 0xff));
    }
}

ff_bytes ff_record_communicator(const ff_signal *s) { return ff_signal_text(s, "commid"); }

ff_bytes ff_record_adapters(const ff_signal *s)
{
    ff_bytes list = s->stream == FF_STREAM_NCCL ? ff_signal_text(s, "list") : (ff_bytes){ 0 };
    return ff_starts(list, FF_LIT("[0]")) ? list : (ff_bytes){ 0 };
}

static ff_bytes number_after(ff_bytes path, const char *word)
{
    size_t at = ff_find(path, ff_str(word)), n = 0;
    ff_bytes rest = at < path.n ? ff_skip_n(path, at + ff_str(word).n) : (ff_bytes){ 0 };
    while (n < rest.n && ff_is_digit(rest.p[n]))
        n++;
    return ff_first_n(rest, n);
}

/* "/slurm/uid_1000/job_5001/step_0/task_3" */
static ff_bytes step_of(ff_bytes cgroup, ff_arena *arena)
{
    ff_bytes job = number_after(cgroup, "/job_"), step = number_after(cgroup, "/step_");
    if (!job.n || !step.n)
        return (ff_bytes){ 0 };
    return ff_arena_format(arena, "%.*s.%.*s", FF_SHOW(job), FF_SHOW(step));
}

bool ff_is_address(ff_bytes host)
{
    bool dotted = host.n != 0;
    for (size_t i = 0; i < host.n; i++) {
        if (host.p[i] == ':')
            return true;
        dotted = dotted && (host.p[i] == '.' || ff_is_digit(host.p[i]));
    }
    return dotted && ff_contains(host, FF_LIT("."));
}

/* Without the length of its network, and not one that every host has. */
ff_bytes ff_record_own_address(const ff_signal *s)
{
    bool own = s->kind == FF_FACT_NET_INTERFACE || s->kind == FF_FACT_NODE ||
               (ff_signal_text(s, "interface").n && s->stream & (FF_STREAM_NCCL | FF_STREAM_APP));
    ff_bytes text = own ? ff_signal_text(s, "address") : (ff_bytes){ 0 }, address = { 0 };
    address = ff_take_until(&text, '/', &address) ? address : text;
    bool everywhere = ff_starts(address, FF_LIT("127.")) || ff_starts(address, FF_LIT("::1")) ||
                      ff_starts(address, FF_LIT("fe80:"));
    return everywhere ? (ff_bytes){ 0 } : address;
}

ff_person ff_record_person(const ff_signal *s, const ff_who *who, ff_bytes pid_scope, ff_arena *arena)
{
    int64_t nvml = 0;
    ff_person p = { .who = who, .stream = s->stream, .pid_scope = pid_scope, .step = step_of(who->cgroup, arena) };
    p.nvml = int_field(s, "nvml", &nvml) && nvml >= 0 && nvml < INT32_MAX ? (int32_t)nvml : FF_NO_NUMBER;
    p.address = ff_record_own_address(s);
    return p;
}

void ff_record_read(ff_signal *s, ff_arena *arena)
{
    read_cgroup(&s->who, arena);
    read_bus_id(s, arena);
}
