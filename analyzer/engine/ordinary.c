/* What logs are full of while all is well. A needle that stands in such lines is found in each of them, and each of
 * them is then taken apart and tried: a rule that is right, and costs as much as all the others together. */
#include <string.h>

#include "engine_private.h"

#define BOTH (FF_STREAM_APP | FF_STREAM_NCCL)
static const struct ordinary {
    uint32_t streams;
    const char *frame, *text; /* a pattern sees only the text */
} ordinary[] = {
    { FF_STREAM_KERNEL, "Mar  3 10:00:00 node01 kernel: [  812.440101] ",
      "audit: type=1400 audit(1772532000.118:61): apparmor=\"STATUS\" operation=\"profile_load\" "
      "name=\"docker-default\" pid=914 comm=\"apparmor_parser\"" },
    { FF_STREAM_KERNEL, "[    2.104417] ",
      "pci 0000:3b:00.0: BAR 0: assigned [mem 0xd8000000-0xd8ffffff 64bit pref]" },
    { FF_STREAM_KERNEL, "[    9.871020] ", "nvidia 0000:3b:00.0: enabling device (0140 -> 0142)" },
    { FF_STREAM_KERNEL, "[    9.902331] ",
      "nvidia-nvlink: Nvlink Core is being initialized, major device number 236" },
    { FF_STREAM_KERNEL, "[    9.990114] ", "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.86.15" },
    { FF_STREAM_KERNEL, "[   11.520077] ", "mlx5_core 0000:5e:00.0: firmware version: 28.39.1002" },
    { FF_STREAM_KERNEL, "[   11.733310] ", "mlx5_core 0000:5e:00.0 ens1np0: Link up" },
    { FF_STREAM_KERNEL, "[   40.100233] ", "IPv6: ADDRCONF(NETDEV_CHANGE): veth8d1c2a: link becomes ready" },
    { FF_STREAM_KERNEL, "[   40.117820] ", "cni0: port 3(veth8d1c2a) entered blocking state" },
    { FF_STREAM_KERNEL, "[   41.002918] ",
      "EXT4-fs (nvme0n1p2): mounted filesystem with ordered data mode. Quota mode: none." },
    { FF_STREAM_NCCL, "node01:4120:4188 [3] ", "NCCL INFO Channel 00/0 : 3[3] -> 4[4] via P2P/CUMEM/read" },
    { FF_STREAM_NCCL, "node01:4120:4188 [3] ", "NCCL INFO Channel 01/0 : 7[7] -> 8[0] [send] via NET/IB/2/GDRDMA" },
    { FF_STREAM_NCCL, "node01:4120:4188 [3] ", "NCCL INFO Trees [0] 4/-1/-1->3->2 [1] 4/-1/-1->3->2" },
    { FF_STREAM_NCCL, "node01:4120:4188 [3] ",
      "NCCL INFO comm 0x55d0c8a0 rank 3 nranks 16 cudaDev 3 nvmlDev 3 busId 5d000 commId 0x2f6ad2 - Init COMPLETE" },
    { FF_STREAM_NCCL, "node01:4120:4188 [3] ",
      "NCCL INFO AllReduce: opCount 1a sendbuff 0x7f10 recvbuff 0x7f10 acc 0 count 4096 datatype 7 op 0 root 0 comm "
      "0x55d0c8a0 [nranks=16] stream 0x55d0" },
    { FF_STREAM_NCCL, "node01:4120:4188 [3] ", "NCCL INFO NCCL_DEBUG set by environment to INFO." },
    { BOTH, "[2026-03-03 10:00:00,118] [INFO] [logging.py:96:log_dist] [Rank 0] ",
      "step=120, skipped=0, lr=[0.0001], mom=[(0.9, 0.95)]" },
    { BOTH, "2026-03-03 10:00:00,118 - trainer - INFO - ",
      "epoch 3 step 120 loss 2.118 grad_norm 0.91 lr 1.0e-04 tokens/s 118230" },
    { BOTH, "I0303 10:00:00.118274 4120 ProcessGroupNCCL.cpp:934] [PG ID 0 PG GUID 0 Rank 3] ",
      "ProcessGroupNCCL initialization options: size: 16, global rank: 3, TIMEOUT(ms): 600000, "
      "USE_HIGH_PRIORITY_STREAM: 0" },
    { BOTH, "", "Epoch 3:  41%|####1     | 120/290 [10:02<14:11,  5.01s/it, loss=2.12, v_num=17]" },
    { BOTH, "", "Loading checkpoint shards: 100%|##########| 4/4 [00:09<00:00,  2.31s/it]" },
    { BOTH, "INFO 03-03 10:00:00 [metrics.py:455] ",
      "Avg prompt throughput: 812.2 tokens/s, Running: 12 reqs, GPU KV cache usage: 3.1%" },
    { BOTH, "", "INFO:     10.0.0.9:50122 - POST /v1/completions HTTP/1.1 200 OK" },
    { FF_STREAM_K8S, "I0303 10:00:00.118274    1201 kubelet.go:2408] ",
      "\"SyncLoop (PLEG): event for pod\" pod=\"ml/train-0\" "
      "event={\"ID\":\"4c1de0a2-8b57-4f39-9d0e-6a2f71c3b8e4\",\"Type\":\"ContainerStarted\",\"Data\":"
      "\"9b9706ba89a43cb58e7afeb928d7cce4e36d8ac3760d08d77f6355ad4618fdfa\"}" },
    { FF_STREAM_K8S, "I0303 10:00:00.118274    1201 reconciler_common.go:253] ",
      "\"operationExecutor.VerifyControllerAttachedVolume started for volume \\\"kube-api-access\\\" (UniqueName: "
      "\\\"kubernetes.io/projected/0b1e\\\") pod \\\"train-0\\\"\"" },
    { FF_STREAM_K8S, "", "  Normal  Scheduled  3m  default-scheduler  Successfully assigned ml/train-0 to node01" },
    { FF_STREAM_K8S, "", "  phase: Running" },
    { FF_STREAM_RUNTIME, "time=\"2026-03-03T10:00:00.118274Z\" level=info msg=\"",
      "StartContainer for \"9b9706ba89a43cb58e7afeb928d7cce4e36d8ac3760d08d77f6355ad4618fdfa\" returns "
      "successfully" },
    { FF_STREAM_RUNTIME, "time=\"2026-03-03T10:00:00.118274Z\" level=info msg=\"",
      "loading plugin \"io.containerd.ttrpc.v1.task\"..." },
    { FF_STREAM_SLURM, "[2026-03-03T10:00:00.118] ",
      "launch task StepId=7710.0 request from UID:1000 GID:1000 HOST:10.0.0.4 PORT:40112" },
    { FF_STREAM_SLURM, "[2026-03-03T10:00:00.118] [7710.0] ", "done with step" },
    { FF_STREAM_SLURM, "[2026-03-03T10:00:00.118] ",
      "sched: Allocate JobId=7710 NodeList=node[01-02] #CPUs=192 Partition=gpu" },
    { FF_STREAM_GPU, "[Mar 03 2026 10:00:00] [INFO] [tid 2210] ",
      "Received an inband message:  Message header details: magic Id:adbc" },
    { FF_STREAM_GPU, "", "    GPU Current Temp                  : 41 C" },
    { FF_STREAM_GPU, "", "        Volatile Uncorrectable ECC    : 0" },
    { FF_STREAM_HOST, "Mar 03 10:00:00 node01 systemd[1]: ", "Started Session 41 of user root." },
    { FF_STREAM_HOST, "Mar 03 10:00:00 node01 systemd[1]: ", "Starting Cleanup of Temporary Directories..." },
    { FF_STREAM_HOST, "Mar 03 10:00:00 node01 CRON[2231]: ",
      "(root) CMD (test -x /usr/sbin/anacron || run-parts --report /etc/cron.daily)" },
    { FF_STREAM_HOST, "Mar 03 10:00:00 node01 sshd[2240]: ",
      "Accepted publickey for admin from 10.0.0.9 port 50122 ssh2: ED25519 SHA256:q0" },
};

static bool holds(ff_bytes line, ff_bytes needle, bool nocase)
{
    if (!nocase)
        return ff_contains(line, needle);
    for (size_t i = 0; i + needle.n <= line.n; i++)
        if (ff_equal_nocase((ff_bytes){ line.p + i, needle.n }, needle))
            return true;
    return false;
}

/* The first such line that the signature does not even want. */
static ff_bytes ordinary_with(ff_scanner *scanner, const ff_rulebook *b, uint32_t sig, ff_bytes needle)
{
    const ff_signature *s = &b->signatures[sig];
    for (size_t i = 0; i < FF_COUNT(ordinary); i++) {
        ff_bytes frame = ff_str(ordinary[i].frame), text = ff_str(ordinary[i].text);
        ff_field fields[FF_MATCH_FIELDS];
        uint32_t n = 0;
        bool limit = false;
        if ((ordinary[i].streams & s->streams) &&
            (holds(text, needle, s->nocase) || holds(frame, needle, s->nocase)) &&
            !ff_match_one(scanner, sig, text, fields, &n, &limit))
            return text;
    }
    return (ff_bytes){ 0 };
}

void ff_rulebook_slow(const ff_rulebook *b, ff_slow_teller tell, void *owner)
{
    ff_match_options options = { .prefilter_off = true };
    ff_matcher *m = ff_matcher_open(b->signatures, b->n_signatures, NULL, 0, &options, NULL);
    ff_scanner *scanner = m ? ff_scanner_open(m, NULL) : NULL;
    for (uint32_t i = 0; scanner && i < b->n_signatures; i++) {
        const ff_signature *s = &b->signatures[i];
        if (!ff_signature_compiles(s, NULL))
            continue;
        for (uint32_t n = 0; n < s->n_needles; n++) {
            ff_bytes line = ordinary_with(scanner, b, i, s->needles[n]);
            if (line.n)
                tell(owner, s, s->needles[n], line);
        }
    }
    ff_scanner_close(scanner);
    ff_matcher_close(m);
}
