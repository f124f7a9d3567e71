/* Variables of the communication stack where one line holds several: a command line, a container's list, PyTorch's
 * own.
 *     + mpirun -np 16 -x NCCL_DEBUG=INFO -x NCCL_IB_GID_INDEX=3 ./build/all_reduce_perf -b 8
 *     NCCL_SOCKET_IFNAME=eth0 NCCL_IB_DISABLE=1 torchrun train.py
 *     "Env": ["PATH=/usr/bin", "NCCL_DEBUG=WARN", "NCCL_IB_HCA=mlx5_0"]
 *     [rank0]: ProcessGroupNCCL environments: NCCL version: 2.21.5, TORCH_NCCL_ASYNC_ERROR_HANDLING: 3, TORCH_...: 0
 * A line of its own for each is the signature env.dump. Other variables are not kept: they may be secrets. */
#include "tools.h"

#define MOST_FACTS 64u

static bool is_name_char(char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

static bool is_wanted(ff_bytes name)
{
    static const char *const prefixes[] = { "NCCL_",
                                            "TORCH_NCCL_",
                                            "TORCH_FR_",
                                            "TORCH_XCCL_",
                                            "UCX_",
                                            "TORCH_DISTRIBUTED_DEBUG",
                                            "GLOO_SOCKET_IFNAME",
                                            "TP_SOCKET_IFNAME",
                                            "OFI_NCCL_",
                                            "RCCL_",
                                            "CUDA_LAUNCH_BLOCKING",
                                            "CUDA_VISIBLE_DEVICES",
                                            "CUDA_DEVICE_ORDER",
                                            "FI_PROVIDER",
                                            "FI_EFA_" };
    for (size_t i = 0; i < FF_COUNT(prefixes); i++)
        if (ff_starts(name, ff_str(prefixes[i])))
            return true;
    return false;
}

/* The next NAME=value, or NAME: value, and past it. Values end at a blank, a quote or a comma that ends an item. */
static bool take_pair(ff_bytes *in, ff_bytes *name, ff_bytes *value, bool *listed)
{
    ff_bytes rest = *in;
    while (rest.n) {
        size_t n = 0;
        while (n < rest.n && is_name_char(rest.p[n]))
            n++;
        ff_bytes word = ff_first_n(rest, n), behind = ff_skip_n(rest, n);
        bool equals = n > 0 && ff_take_char(&behind, '=');
        bool colon = n > 0 && !equals && ff_take_lit(&behind, FF_LIT(": "));
        if ((equals || colon) && is_wanted(word)) {
            char quote = behind.n && (behind.p[0] == '"' || behind.p[0] == '\'') ? behind.p[0] : 0;
            behind = ff_skip_n(behind, quote ? 1 : 0);
            size_t end = 0;
            while (end < behind.n && behind.p[end] != '"' && behind.p[end] != '\'' &&
                   (quote || (behind.p[end] != ' ' && behind.p[end] != '\t' && behind.p[end] != ')')) &&
                   !(colon && behind.p[end] == ','))
                end++;
            *listed = colon;
            *name = word;
            *value = ff_first_n(behind, end);
            *in = ff_skip_n(behind, end);
            return true;
        }
        rest = ff_skip_n(rest, n ? n : 1);
    }
    return false;
}

static bool env_opens(const ff_event *ev)
{
    ff_bytes rest = ev->text, name, value, whole = ff_trim(ev->text);
    bool listed;
    if (ff_starts(ev->text, FF_LIT("NCCL ")) || !take_pair(&rest, &name, &value, &listed))
        return false;
    /* "export NAME=value" and "NAME=value" alone are lines of a dump */
    bool alone = whole.p == name.p || ff_starts(whole, FF_LIT("export ")) || ff_starts(whole, FF_LIT("declare "));
    return !alone || take_pair(&rest, &name, &value, &listed) || !ff_is_empty(ff_trim(rest));
}

static void env_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    ff_bytes rest = lines[0].ev.text, name, value;
    unsigned given = 0;
    bool listed;
    (void)n, (void)cut;
    while (given < MOST_FACTS && take_pair(&rest, &name, &value, &listed)) {
        ff_fields f = { .n = 0 };
        ff_fields_text(&f, "variable", FF_FIELD_TEXT, name);
        ff_fields_text(&f, "value", FF_FIELD_TEXT, ff_first_n(value, 200));
        if (listed)
            ff_fields_int(&f, "listed", FF_FIELD_INT, 1);
        tool_fact(out, &lines[0], FF_FACT_ENV_SET, &f);
        given++;
    }
}

static const char *const env_needles[] = { "-x NCCL_",
                                           "-e NCCL_",
                                           "--env NCCL_",
                                           "--env=NCCL_",
                                           "\"NCCL_",
                                           "-x TORCH_NCCL",
                                           "-x FI_",
                                           "-e FI_",
                                           "FI_PROVIDER=",
                                           "TORCH_DISTRIBUTED_DEBUG=",
                                           "ProcessGroupNCCL environments:",
                                           "NCCL_DEBUG=",
                                           "NCCL_IB_DISABLE=",
                                           "NCCL_SOCKET_IFNAME=",
                                           "NCCL_P2P_DISABLE=",
                                           "CUDA_VISIBLE_DEVICES=",
                                           NULL };

const ff_block ff_block_env = { .name = "env",
                                .streams = FF_STREAM_APP | FF_STREAM_HOST | FF_STREAM_SLURM | FF_STREAM_RUNTIME,
                                .needles = env_needles,
                                .opens = env_opens,
                                .read = env_read };
