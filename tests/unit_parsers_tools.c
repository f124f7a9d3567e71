/* Files that are known by their name only, lists of hosts, and torn outputs of tools. */
#include <string.h>

#include "../parsers/hostlist.h"
#include "check.h"
#include "line_feed.h"

static const char *joined(const char *text, ff_arena *arena)
{
    ff_hostlist list;
    if (!ff_hostlist_expand(ff_str(text), arena, &list))
        return "-";
    if (list.n > 8)
        return ff_arena_format(arena, "%u hosts", (unsigned)list.n).p;
    ff_bytes all = { 0 };
    for (uint32_t i = 0; i < list.n; i++)
        all = ff_arena_format(arena, "%.*s%s%.*s", (int)all.n, all.p ? all.p : "", i ? " " : "", (int)list.at[i].n,
                              list.at[i].p);
    return ff_arena_format(arena, "%.*s", (int)all.n, all.p).p;
}

TEST(hostlists)
{
    static const struct {
        const char *list, *hosts;
    } rows[] = { { "gpu-a01", "gpu-a01" },
                 { "gpu-a[01-03,07],login1", "gpu-a01 gpu-a02 gpu-a03 gpu-a07 login1" },
                 { "gpu[9-11]", "gpu9 gpu10 gpu11" },
                 { "r[0-1]n[08-09]-ib", "r0n08-ib r0n09-ib r1n08-ib r1n09-ib" },
                 { "[1-2]", "1 2" },
                 { "n[0-65535]", "65536 hosts" },
                 { "n[0-65536]", "-" },
                 { "a[0-9999]b[0-9999]", "-" },
                 { "n[3-1]", "-" },
                 { "n[1-", "-" },
                 { "n[]", "-" },
                 { "n[1-2-3]", "-" },
                 { "n[1,,2]", "-" },
                 { "a,,b", "-" },
                 { "(null)", "-" },
                 { "None assigned", "-" },
                 { "n[00000000000000000000001]", "-" },
                 { "n[99999999999999999999]", "-" },
                 { "a[1]b[1]c[1]d[1]e[1]", "-" },
                 { "", "-" } };
    for (size_t i = 0; i < FF_COUNT(rows); i++) {
        ff_arena arena;
        ff_arena_init(&arena);
        CHECK_TEXT(ff_str(joined(rows[i].list, &arena)), rows[i].hosts);
        ff_arena_done(&arena);
    }
}

typedef struct seen {
    char text[512];
    size_t n;
} seen;

static void keep(void *owner, const ff_fact *fact)
{
    seen *s = owner;
    for (uint32_t i = 0; i < fact->n_fields; i++)
        if (s->n < sizeof s->text)
            s->n += (size_t)snprintf(s->text + s->n, sizeof s->text - s->n, "%s%.*s=%.*s", s->n ? " " : "",
                                     (int)fact->fields[i].name.n, fact->fields[i].name.p, (int)fact->fields[i].s.n,
                                     fact->fields[i].s.p);
}

static void ignore_skip(void *owner, uint32_t line, const char *reason)
{
    (void)owner;
    (void)line;
    (void)reason;
}

TEST(small_files)
{
    static const struct {
        const char *name, *text, *fields; /* NULL: somebody else's */
    } rows[] = {
        { "n1/sys/fs/cgroup/a.slice/memory.max", "274877906944\n", "limit_kib=268435456 cgroup=/a.slice" },
        { "memory.max", "max\n", "unlimited=1" },
        { "sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n", "unlimited=1 cgroup=/a" },
        { "memory.peak", "10737442816\n", "peak_kib=10485784" },
        { "pids.current", "2048", "pids=2048" },
        { "mlx5_0/ports/1/counters/link_downed", "3\n", "device=mlx5_0 port=1 link_downs=3" },
        { "mlx5_0/ports/1/hw_counters/out_of_sequence", "0\n", "device=mlx5_0 port=1 out_of_sequence=0" },
        { "mlx5_0/ports/1/counters/port_rcv_data", "3\n", NULL },
        { "counters/link_downed", "3\n", NULL },
        { "memory.max", "max 12\n", NULL },
        { "memory.max", "-1\n", NULL },
        { "memory.max.log", "12\n", NULL },
        { "memory.max", "12\n13\n", NULL },
        { "memory.max", "99999999999999999999\n", NULL },
        { "memory.max", "\n", NULL },
        { "notes.txt", "12\n", NULL },
        { "n1/proc/sys/vm/panic_on_oom", "2\n", "setting=vm.panic_on_oom value=2 number=2" },
        { "proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n",
          "setting=net.ipv4.ip_local_port_range value=32768\t60999" },
        { "proc/sys/kernel/hostname", "gpu-a01\n", NULL },
        { "proc/sys/vm/swappiness", "60\n61\n", NULL },
        { "n1/sys/module/nvidia/parameters/NVreg_RegistryDwords", "(null)\n",
          "setting=nvidia.NVreg_RegistryDwords value=(null)" },
        { "sys/module/snd/parameters/index", "1\n", NULL },
        { "sys/module/nvidia/version", "550.54.15\n", NULL },
        { "n1/proc/pressure/memory", "some avg10=1.50 avg60=0.00 avg300=0.00 total=12\n",
          "resource=memory some_avg10=1.5 some_avg60=0 some_avg300=0 some_total_us=12" },
        { "sys/fs/cgroup/a.slice/io.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=12\n",
          "resource=io cgroup=/a.slice some_avg10=0 some_avg60=0 some_avg300=0 some_total_us=12" },
        { "proc/pressure/memory", "some avg10=1.50\n", NULL },
        { "n1/sys/bus/pci/devices/0000:3b:00.0/aer_dev_correctable", "RxErr 0\nBadTLP 812\nTOTAL_ERR_COR 812\n",
          "device=0000:3b:00.0 kind=correctable errors=812 most=BadTLP" },
        { "0000:3b:00.0/aer_dev_fatal", "TOTAL_ERR_FATAL 0\n", "device=0000:3b:00.0 kind=fatal errors=0" },
        { "0000:3b:00.0/aer_dev_fatal", "DLP 1\n", NULL },
        { "0000:3b:00.0/aer_dev_other", "TOTAL_ERR_FATAL 0\n", NULL },
        { "n1/sys/class/infiniband/mlx5_0/ports/1/pkeys/3", "0x8001\n",
          "device=mlx5_0 port=1 index=3 partition=1 full=1" },
        { "mlx5_0/ports/1/pkeys/3", "0x80011\n", NULL },
        { "mlx5_0/ports/1/pkeys/index", "0x8001\n", NULL },
    };
    for (size_t i = 0; i < FF_COUNT(rows); i++) {
        seen s = { .n = 0 };
        const char *second = NULL;
        ff_arena arena;
        ff_arena_init(&arena);
        ff_bytes text = ff_str(rows[i].text);
        ff_probe probe = { .name = ff_str(rows[i].name), .head = text, .whole = true };
        const ff_parser *parser = ff_detect(&probe, &second);
        bool mine = parser && (strcmp(parser->name, "small_file") == 0 || strcmp(parser->name, "aer_file") == 0 ||
                               strcmp(parser->name, "pkey_file") == 0);
        CHECK(mine == (rows[i].fields != NULL));
        if (mine && rows[i].fields) {
            ff_sink sink = { .owner = &s, .fact = keep, .skip = ignore_skip, .scratch = &arena };
            ff_doc doc = { .name = probe.name, .bytes = text };
            CHECK(parser->parse(&doc, &sink) == FF_OK);
            CHECK_TEXT(ff_str(s.text), rows[i].fields);
        }
        ff_arena_done(&arena);
    }
}

/* Every prefix of every output, and every output with a byte broken, is read without harm. */
TEST(torn_outputs)
{
    static const char *const outputs[] = {
        "==> /sys/fs/cgroup/memory/a/memory.max <==\nmax\nmemory.events low 0 high 0 max 1 oom 2\nlow 0\nmax 1\noom "
        "2\n",
        "Filesystem Size Used Avail Use% Mounted on\ntmpfs 64M 64M 0 100% /dev/shm\nx 1 1 0 99% /a\n",
        "a on /b type nfs (rw,soft)\ntmpfs /dev/shm tmpfs rw,size=64k 0 0\n|-/c d ext4 ro\n",
        "Module                  Size  Used by\nnvidia 1 2 a,b\nnvidia 1 2 a, Live 0x12\n",
        "vm.panic_on_oom = 2\n/sys/module/nvidia/parameters/a:1\n/proc/sys/vm/swappiness:3\n",
        "/proc/pressure/io:some avg10=1.0 avg60=2.0 avg300=3.0 total=4\nfull avg10=1 avg60=2 avg300=3 total=4\n",
        "mlx5_0 1 3 0000:0000:0000:0000:0000:ffff:0a00:0001 10.0.0.1 v2 eth0\nmlx5_0 port 1 ==> eth0 (Up)\n",
        "MemTotal: 12 kB\nMemAvailable: 3 kB\n   total        used        free  available\nMem:   1 2 3 4\n",
        "max locked memory (kbytes, -l) 64\nopen files (-n) 12\nMax cpu time  1 2 s\nMax locked memory  65536  1 "
        "bytes\n",
        "2: e@if1: <UP,LOWER_UP> mtu 1500 state UP\n    RX: errors dropped\n        1 2\n    inet 1.2.3.4/8\n",
        "State Recv-Q Send-Q Local Address:Port\nESTAB 0 1 a:1 b:2 users:((\"x\",pid=4,fd=1))\nSYN-SENT 0 1 a:1 "
        "b:2\n",
        "NIC statistics:\n  rx_crc_errors_phy: 3\n# Port counters: Lid 1 port "
        "1\nPortRcvErrors:...4\nCounterSelect:....0x0\n",
        "REASON USER TIMESTAMP STATE NODELIST\nwhy not root 2026-01-01T00:00:00 drain* a[1-2]\n",
        "lo UNKNOWN        127.0.0.1/8 ::1/128\ne@if2 UP             1:2 <UP,LOWER_UP>\n",
        "Settings for e1:\n\tSpeed: 4Mb/s\n\tLink detected: no\n",
        "/s/0000:3b:00.0/aer_dev_fatal:DLP 1\n/s/0000:3b:00.0/aer_dev_fatal:TOTAL_ERR_FATAL 2\n",
        "JobId=1 JobName=x\n   JobState=FAILED ExitCode=0:9\n   NodeList=a[1-2] EndTime=2026-01-01T00:00:00\n",
        "NodeName=a CPUAlloc=0 State=DOWN\n   Reason=why [root@2026-01-01T00:00:00]\n",
    };
    static const char broken[] = { '\0', '[', ':', ' ', '9', '\t', '\xff', '\n' };
    for (size_t i = 0; i < FF_COUNT(outputs); i++) {
        size_t n = strlen(outputs[i]);
        for (size_t cut = 0; cut < 2 * n; cut++) {
            seen s = { .n = 0 };
            ff_arena arena;
            ff_arena_init(&arena);
            size_t length = cut < n ? cut : n;
            char *text = ff_arena_take(&arena, length + 1);
            memcpy(text, outputs[i], length);
            if (cut >= n)
                text[cut - n] = broken[cut % sizeof broken];
            ff_sink sink = { .owner = &s, .fact = keep, .skip = ignore_skip, .scratch = &arena };
            const ff_parser *plain = NULL;
            for (unsigned k = 0; k < ff_n_parsers; k++)
                if (strcmp(ff_parsers[k]->name, "plain") == 0)
                    plain = ff_parsers[k];
            feed f = { .parser = plain, .arena = &arena, .sink = &sink };
            feed_all(&f, (ff_bytes){ text, length });
            ff_arena_done(&arena);
        }
    }
    CHECK(true);
}

int main(void)
{
    RUN(hostlists);
    RUN(small_files);
    RUN(torn_outputs);
    return DONE();
}
