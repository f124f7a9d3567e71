/* nvidia-smi's shapes. All data invented. */
#include "doc_catch.h"

#include "../analyzer/base/text.h"

extern const ff_parser ff_parser_nvidia_smi, ff_parser_nvidia_smi_xml;
extern const ff_block ff_block_nvidia_smi;

static void smi(const char *name, const char *text)
{
    catch_reset();
    CHECK_TEXT(ff_str(catch_detect(name, ff_str(text))), "nvidia_smi");
    CHECK_INT(catch_parse(&ff_parser_nvidia_smi, name, ff_str(text)), FF_OK);
}

static const char list[] = "GPU 0: NVIDIA X100 80GB (UUID: GPU-11111111-2222-3333-4444-555555555555)\n"
                           "GPU 1: NVIDIA X100 80GB (UUID: GPU-11111111-2222-3333-4444-666666666666)\n";

TEST(list_names_every_gpu)
{
    smi("nvidia-smi-L.txt", list);
    CHECK_INT(count_facts(FF_FACT_GPU_LISTED), 2);
    const ff_fact *f = nth_fact(FF_FACT_GPU_LISTED, 1);
    CHECK_INT(f->who.gpu_index, 1);
    CHECK_TEXT(f->who.gpu_uuid, "GPU-11111111-2222-3333-4444-666666666666");
    CHECK_TEXT(field_text(f, "product"), "NVIDIA X100 80GB");
    CHECK_INT(f->line, 2);
    CHECK_INT(got.facts.n, 2);
}

static const char table[] =
    "Thu Jan  1 00:01:00 2026\n"
    "+-----------------------------------------------------------------------------------------+\n"
    "| NVIDIA-SMI 580.65.06              Driver Version: 580.65.06      CUDA Version: 13.0     |\n"
    "|-----------------------------------------+------------------------+----------------------+\n"
    "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n"
    "|=========================================+========================+======================|\n"
    "|   0  NVIDIA X100 80GB               On  |   00000000:3B:00.0 Off |                    2 |\n"
    "| N/A   36C    P0             79W /  700W |    1927MiB / 81559MiB  |     97%      Default |\n"
    "|                                         |                        |             Disabled |\n"
    "+-----------------------------------------+------------------------+----------------------+\n"
    "|   1  NVIDIA X100 80GB               On  |   00000000:5E:00.0 Off |                 ERR! |\n"
    "| N/A  ERR!   ERR!          ERR! / ERR!   |       GPU is lost      |    ERR!         ERR! |\n"
    "+-----------------------------------------+------------------------+----------------------+\n"
    "| Processes:                                                                              |\n"
    "|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |\n"
    "|=========================================================================================|\n"
    "|    0   N/A  N/A            4121      C   /opt/my env/bin/python                1918MiB |\n"
    "+-----------------------------------------------------------------------------------------+\n";

TEST(table_gives_state_and_processes)
{
    smi("nvidia-smi.txt", table);
    CHECK_INT(count_facts(FF_FACT_GPU_STATE), 2);
    const ff_fact *f = nth_fact(FF_FACT_GPU_STATE, 0);
    CHECK_TEXT(f->who.gpu, "0000:3b:00");
    CHECK_INT(f->who.gpu_index, 0);
    CHECK_INT(field_int(f, "memory_used_mib"), 1927);
    CHECK_INT(field_int(f, "memory_total_mib"), 81559);
    CHECK_INT(field_int(f, "utilization_pct"), 97);
    CHECK_INT(field_int(f, "temperature_c"), 36);
    CHECK_INT(field_int(f, "ecc_uncorrected"), 2);
    CHECK_TEXT(field_text(f, "driver"), "580.65.06");
    CHECK_TEXT(field_text(f, "pstate"), "P0");
    CHECK_INT(f->said.kind, FF_STAMP_LOCAL);
    CHECK_INT(f->line, 7);
    f = nth_fact(FF_FACT_GPU_STATE, 1);
    CHECK_TEXT(field_text(f, "failure"), "ERR!");
    CHECK_TEXT(f->who.gpu, "0000:5e:00");
    f = nth_fact(FF_FACT_GPU_PROCESS, 0);
    CHECK_INT(f->who.pid, 4121);
    CHECK_TEXT(field_text(f, "process"), "/opt/my env/bin/python");
    CHECK_INT(field_int(f, "memory_mib"), 1918);
    CHECK_INT(got.events.n, 0);
}

static const char query[] = "\n==============NVSMI LOG==============\n\n"
                            "Timestamp                                 : Thu Jan  1 00:01:00 2026\n"
                            "Driver Version                            : 570.10.01\n"
                            "Attached GPUs                             : 2\n"
                            "GPU 00000000:3B:00.0\n"
                            "    Product Name                          : NVIDIA X100\n"
                            "    GPU UUID                              : GPU-a\n"
                            "    GPU Recovery Action                   : Reset\n"
                            "    PCI\n"
                            "        Bus Id                            : 00000000:3B:00.0\n"
                            "        GPU Link Info\n"
                            "            PCIe Generation\n"
                            "                Max                       : 5\n"
                            "                Current                   : 1\n"
                            "            Link Width\n"
                            "                Max                       : 16x\n"
                            "                Current                   : 8x\n"
                            "    Clocks Event Reasons\n"
                            "        Idle                              : Not Active\n"
                            "        HW Slowdown                       : Active\n"
                            "            HW Thermal Slowdown           : Active\n"
                            "            HW Power Brake Slowdown       : Not Active\n"
                            "    Clocks Event Reasons Counters\n"
                            "        SW Thermal Slowdown               : 9 us\n"
                            "    ECC Errors\n"
                            "        Volatile\n"
                            "            SRAM Uncorrectable Parity     : 1\n"
                            "            DRAM Uncorrectable            : 3\n"
                            "            DRAM Correctable              : 7\n"
                            "        Aggregate\n"
                            "            DRAM Uncorrectable            : 10\n"
                            "    Remapped Rows\n"
                            "        Correctable Error                 : 0\n"
                            "        Pending                           : Yes\n"
                            "        Remapping Failure Occurred        : No\n"
                            "    Fabric\n"
                            "        State                             : In Progress\n"
                            "        Status                            : N/A\n"
                            "GPU 00000000:5E:00.0\n"
                            "    Product Name                          : NVIDIA X100\n"
                            "    Remapped Rows                         : N/A\n"
                            "    Temperature\n"
                            "        GPU Current Temp                  : 41 C\n";

TEST(query_is_read_by_its_indentation)
{
    smi("q.txt", query);
    CHECK_INT(count_facts(FF_FACT_GPU_STATE), 2);
    const ff_fact *f = nth_fact(FF_FACT_GPU_STATE, 0);
    CHECK_TEXT(f->who.gpu, "0000:3b:00");
    CHECK_TEXT(field_text(f, "recovery_action"), "Reset");
    CHECK_TEXT(f->quote, "        Pending                           : Yes");
    CHECK_INT(field_int(f, "link_gen"), 1);
    CHECK_INT(field_int(f, "link_gen_max"), 5);
    CHECK_INT(field_int(f, "link_width"), 8);
    CHECK_INT(field_int(f, "link_width_max"), 16);
    CHECK_TEXT(field_text(f, "throttle"), "hw_slowdown,hw_thermal_slowdown");
    CHECK_INT(field_int(f, "ecc_uncorrected"), 4);
    CHECK_INT(field_int(f, "ecc_uncorrected_total"), 10);
    CHECK_INT(field_int(f, "ecc_corrected"), 7);
    CHECK_TEXT(field_text(f, "remap_pending"), "Yes");
    CHECK_TEXT(field_text(f, "remap_failure"), "No");
    CHECK_TEXT(field_text(f, "fabric_state"), "In Progress");
    CHECK_INT(field_text(f, "fabric_status").n, 0);
    CHECK_TEXT(field_text(f, "driver"), "570.10.01");
    f = nth_fact(FF_FACT_GPU_STATE, 1);
    CHECK_INT(field_int(f, "temperature_c"), 41);
    CHECK_INT(field_text(f, "throttle").n, 0);
    CHECK_INT(f->line, 41);
}

TEST(xml_says_the_same)
{
    static const char text[] =
        "<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n<driver_version>570.10.01</driver_version>\n"
        "<gpu id=\"00000000:3B:00.0\">\n <product_name>NVIDIA X100</product_name>\n"
        " <clocks_event_reasons><clocks_event_reason_hw_slowdown>Active</clocks_event_reason_hw_slowdown>"
        "</clocks_event_reasons>\n"
        " <ecc_errors><volatile><dram_uncorrectable>3</dram_uncorrectable></volatile></ecc_errors>\n"
        " <remapped_rows><remapped_row_pending>No</remapped_row_pending>\n"
        "  <remapped_row_failure>Yes</remapped_row_failure></remapped_rows>\n</gpu>\n</nvidia_smi_log>\n";
    catch_reset();
    CHECK_TEXT(ff_str(catch_detect("x", FF_LIT(text))), "nvidia_smi_xml");
    CHECK_INT(catch_parse(&ff_parser_nvidia_smi_xml, "x", FF_LIT(text)), FF_OK);
    CHECK_INT(count_facts(FF_FACT_GPU_STATE), 1);
    const ff_fact *f = nth_fact(FF_FACT_GPU_STATE, 0);
    CHECK_TEXT(f->who.gpu, "0000:3b:00");
    CHECK_TEXT(field_text(f, "throttle"), "hw_slowdown");
    CHECK_INT(field_int(f, "ecc_uncorrected"), 3);
    CHECK_TEXT(field_text(f, "remap_failure"), "Yes");
    CHECK_INT(f->line, 9);
    catch_every_cut(&ff_parser_nvidia_smi_xml, "x", FF_LIT(text));
}

TEST(csv_of_any_columns)
{
    smi("a.csv", "timestamp, index, pci.bus_id, pcie.link.gen.current, utilization.gpu [%], power.draw [W], "
                 "clocks_event_reasons.active, gpu_recovery_action\n"
                 "2026/01/01 12:00:00.500, 0, 00000000:3B:00.0, 5, 97 %, 552.39 W, 0x0000000000000044, None\n"
                 "2026/01/01 12:00:01.500, 1, 00000000:5E:00.0, [GPU is lost], [N/A], [N/A], [N/A], Reset\n");
    CHECK_INT(count_facts(FF_FACT_GPU_STATE), 2);
    const ff_fact *f = nth_fact(FF_FACT_GPU_STATE, 0);
    CHECK_INT(field_int(f, "link_gen"), 5);
    CHECK_INT(field_int(f, "utilization_pct"), 97);
    CHECK_INT(field_int(f, "power_w"), 552);
    CHECK_TEXT(field_text(f, "throttle"), "sw_power_cap,hw_thermal_slowdown");
    CHECK_INT(f->said.kind, FF_STAMP_LOCAL);
    CHECK_INT(f->said.ns % 1000000000, 500000000);
    f = nth_fact(FF_FACT_GPU_STATE, 1);
    CHECK_TEXT(field_text(f, "failure"), "[GPU is lost]");
    CHECK_TEXT(field_text(f, "recovery_action"), "Reset");
    CHECK_INT(field_int(f, "link_gen"), -999);
}

TEST(csv_without_header_is_known_by_its_cells)
{
    smi("b.csv", "0, NVIDIA X100, GPU-0a, 00000000:3B:00.0, 580.10.01, P0, 36, 0 MiB, 81559 MiB, Default\n");
    const ff_fact *f = nth_fact(FF_FACT_GPU_STATE, 0);
    CHECK_TEXT(field_text(f, "driver"), "580.10.01");
    CHECK_INT(field_int(f, "memory_total_mib"), 81559);
    CHECK_INT(f->who.gpu_index, 0);
}

TEST(many_rows_are_summed_up)
{
    static char text[40000];
    size_t n =
        (size_t)snprintf(text, sizeof text, "timestamp, index, utilization.gpu [%%], clocks.sm [MHz], pstate\n");
    for (int i = 0; i < 300; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "2026/01/01 12:%02d:%02d.000, 0, %d %%, %d MHz, P%d\n",
                              i / 60, i % 60, i < 100 ? 99 : 0, i < 200 ? 1980 : 900, i < 250 ? 0 : 2);
    smi("c.csv", text);
    CHECK(count_facts(FF_FACT_GPU_STATE) < 200);
    const ff_fact *f = nth_fact(FF_FACT_GPU_SAMPLES, 0);
    CHECK_INT(field_int(f, "rows"), 300);
    CHECK_INT(field_int(f, "seconds"), 299);
    CHECK_INT(field_int(f, "idle_rows"), 200);
    CHECK_INT(field_int(f, "idle_longest_rows"), 200);
    CHECK_INT(field_int(f, "idle_longest_s"), 199);
    CHECK_INT(field_int(f, "clock_sm_min"), 900);
    CHECK_INT(field_int(f, "utilization_max"), 99);
    bool changed = false;
    for (uint32_t i = 0; i < count_facts(FF_FACT_GPU_STATE); i++)
        changed = changed || nth_fact(FF_FACT_GPU_STATE, i)->line == 252;
    CHECK(changed);
}

TEST(topology_is_cut_by_its_codes)
{
    smi("topo-m.txt", "\t\x1b[4mGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\x1b[0m\n"
                      "GPU0\t X \tNV18\tPIX\t0-55\t0\n"
                      "GPU1\tNV18\t X \tNODE\t0-55\t0\n"
                      "NIC0\tPIX\tNODE\t X \t\t\n\nLegend:\n\n  X    = Self\n");
    const ff_fact *f = nth_fact(FF_FACT_GPU_TOPOLOGY, 0);
    CHECK_INT(field_int(f, "gpus"), 2);
    CHECK_INT(field_int(f, "nics"), 1);
    CHECK_INT(field_int(f, "nvlink"), 1);
    f = nth_fact(FF_FACT_GPU_LINK, 0);
    CHECK_TEXT(field_text(f, "a"), "GPU0");
    CHECK_TEXT(field_text(f, "b"), "GPU1");
    CHECK_INT(field_int(f, "nvlinks"), 18);
    smi("pasted.txt",
        "        GPU0  GPU1  GPU2  CPU Affinity\nGPU0     X  NODENODE  0-31\nGPU1  NODE  X  SYS\nGPU2  NODESYS X\n");
    CHECK_INT(count_facts(FF_FACT_GPU_LINK), 3);
    CHECK_TEXT(field_text(nth_fact(FF_FACT_GPU_LINK, 1), "link"), "NODE");
    CHECK_TEXT(field_text(nth_fact(FF_FACT_GPU_TOPOLOGY, 0), "links"), "NODE,SYS");
}

TEST(p2p_matrix_counts_pairs)
{
    smi("host/topo-p2p-r.txt", " \t\x1b[4mGPU0\tGPU1\tGPU2\t\x1b[0m\n GPU0\tX\tOK\tCNS\t\n GPU1\tOK\tX\tOK\t\n "
                               "GPU2\tCNS\tOK\tX\t\n\nLegend:\n");
    const ff_fact *f = nth_fact(FF_FACT_GPU_P2P, 0);
    CHECK_INT(field_int(f, "pairs"), 3);
    CHECK_INT(field_int(f, "ok"), 2);
    CHECK_TEXT(field_text(f, "kind"), "read");
    f = nth_fact(FF_FACT_GPU_P2P_BAD, 0);
    CHECK_TEXT(field_text(f, "a"), "GPU0");
    CHECK_TEXT(field_text(f, "b"), "GPU2");
    CHECK_TEXT(field_text(f, "status"), "CNS");
    CHECK_INT(count_facts(FF_FACT_GPU_P2P_BAD), 1);
}

TEST(failures_are_states)
{
    smi("n.txt", "Unable to determine the device handle for GPU0000:02:00.0: Unknown Error\n");
    CHECK_TEXT(nth_fact(FF_FACT_GPU_STATE, 0)->who.gpu, "0000:02:00");
    CHECK_INT(got.events.n, 1);
    smi("n.txt",
        "$ nvidia-smi\nFailed to initialize NVML: Driver/library version mismatch\nNVML library version: 580.65\n");
    CHECK_TEXT(field_text(nth_fact(FF_FACT_GPU_STATE, 0), "failure"),
               "Failed to initialize NVML: Driver/library version mismatch");
    CHECK_TEXT(field_text(nth_fact(FF_FACT_GPU_STATE, 0), "library"), "580.65");
    smi("n.txt", "No devices were found\n");
    CHECK_TEXT(field_text(nth_fact(FF_FACT_GPU_STATE, 0), "failure"), "No devices were found");
}

TEST(several_outputs_in_one_file)
{
    static char text[8192];
    snprintf(
        text, sizeof text,
        "$ nvidia-smi -L\n%s$ nvidia-smi\n%s$ nvidia-smi nvlink -s\n%s\t Link 0: 26.562 GB/s\n\t Link 1: <inactive>\n"
        "$ nvidia-smi topo -p2p w\n  GPU0 GPU1\n GPU0 X NS\n GPU1 NS X\nsome other line\n",
        list, table, "GPU 0: NVIDIA X100 (UUID: GPU-7)\n");
    smi("gpu.txt", text);
    CHECK_INT(count_facts(FF_FACT_GPU_LISTED), 3);
    CHECK_INT(count_facts(FF_FACT_GPU_STATE), 2);
    CHECK_INT(count_facts(FF_FACT_GPU_NVLINK), 1);
    CHECK_INT(field_int(nth_fact(FF_FACT_GPU_NVLINK, 0), "inactive"), 1);
    CHECK_INT(field_int(nth_fact(FF_FACT_GPU_NVLINK, 0), "active"), 1);
    CHECK_TEXT(field_text(nth_fact(FF_FACT_GPU_P2P, 0), "kind"), "write");
    CHECK_INT(got.events.n, 1);
    CHECK_TEXT(got.events.at[0].text, "some other line");
}

TEST(nvlink_errors_are_counted)
{
    smi("nvlink-e.txt", "GPU 0: NVIDIA X100 (UUID: GPU-7)\n\t Link 0: Replay Errors: 0\n\t Link 0: Recovery Errors: "
                        "2\n\t Link 0: CRC Errors: 5\n"
                        "\t Link 1: Replay Errors: 1\n\t Link 1: FEC Errors - 0: 99\nGPU 1: NVIDIA X100 (UUID: "
                        "GPU-8)\n\t Links 0-5: No errors\n");
    CHECK_INT(count_facts(FF_FACT_GPU_NVLINK), 1);
    const ff_fact *f = nth_fact(FF_FACT_GPU_NVLINK, 0);
    CHECK_INT(field_int(f, "replays"), 1);
    CHECK_INT(field_int(f, "recoveries"), 2);
    CHECK_INT(field_int(f, "crc_errors"), 5);
    CHECK_INT(field_int(f, "other_errors"), 0);
    CHECK_INT(f->line, 3);
}

TEST(logs_are_left_to_others)
{
    CHECK(strcmp(catch_detect("train.log", FF_LIT("step 1, loss 2.0, GPU0 busy\nstep 2, loss 1.9, 3, 4\n")),
                 "nvidia_smi") != 0);
    static char text[9000];
    size_t n = (size_t)snprintf(text, sizeof text, "%s", table);
    for (int i = 0; i < 100; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "[rank%d] step %d of the training, all is well\n", i % 8, i);
    CHECK(strcmp(catch_detect("train.log", (ff_bytes){ text, n }), "nvidia_smi") != 0);
}

TEST(block_finds_the_table_in_a_log)
{
    static ff_block_line lines[64];
    ff_bytes rest = FF_LIT(table), line;
    uint32_t n = 0;
    catch_reset();
    while (ff_take_line(&rest, &line)) {
        ff_event ev = { .text = line, .who = FF_WHO_NOBODY };
        if (n ? ff_block_nvidia_smi.take(lines, n, &ev) == FF_BLOCK_MINE : ff_block_nvidia_smi.opens(&ev))
            lines[n++] = (ff_block_line){ .ev = ev, .quote = line, .line = 1000 + n, .offset = 5000 };
    }
    ff_event other = { .text = FF_LIT("step 1"), .who = FF_WHO_NOBODY };
    CHECK_INT(ff_block_nvidia_smi.take(lines, n, &other), FF_BLOCK_END);
    CHECK(n > 10);
    ff_arena scratch;
    ff_arena_init(&scratch);
    ff_sink sink = { .fact = catch_fact, .event = catch_event, .skip = catch_skip, .scratch = &scratch };
    ff_block_nvidia_smi.read(lines, n, false, &sink);
    ff_arena_done(&scratch);
    CHECK_INT(count_facts(FF_FACT_GPU_STATE), 2);
    CHECK(nth_fact(FF_FACT_GPU_STATE, 0)->line > 1000);
    CHECK_INT(nth_fact(FF_FACT_GPU_STATE, 0)->offset, 5000);
}

TEST(hostile_outputs_end_cleanly)
{
    catch_every_cut(&ff_parser_nvidia_smi, "a", FF_LIT(table));
    catch_every_cut(&ff_parser_nvidia_smi, "a", FF_LIT(query));
    catch_every_cut(
        &ff_parser_nvidia_smi, "a",
        FF_LIT(
            "timestamp, index, name, pci.bus_id, pstate\n2026/01/01 00:00:00, 0, X, 00000000:3B:00.0, P0\n,,,,\n"));
    catch_every_cut(
        &ff_parser_nvidia_smi, "topo-p2p-r",
        FF_LIT("\t\x1b[4mGPU0\tGPU1\tNIC0\x1b[0m\nGPU0\t X \tNV18\tPIX\nGPU1\tNV\t X \tNODE\nGPU0\tGPU0\n\x1b["));
}

/* 600 rows a second apart, a minute of silence between, then idle. */
TEST(course_of_a_csv_is_bounded_and_keeps_its_gaps)
{
    ff_text csv;
    ff_text_init(&csv, 0);
    ff_text_adds(&csv, "timestamp, index, uuid, utilization.gpu [%], power.draw [W]\n");
    for (unsigned i = 0; i < 600; i++) {
        unsigned at = i < 300 ? i : i + 60;
        ff_text_addf(&csv,
                     "2026/01/01 00:%02u:%02u.000, 0, GPU-11111111-2222-3333-4444-555555555555, %u %%, %u.40 W\n",
                     at / 60, at % 60, i < 300 ? 100 : 0, i < 300 ? 690 : 120);
    }
    catch_reset();
    CHECK_INT(catch_parse(&ff_parser_nvidia_smi, "gpu.csv", ff_text_view(&csv)), FF_OK);
    const ff_fact *f = nth_fact(FF_FACT_GPU_SAMPLES, 0);
    CHECK_TEXT(field_text(f, "step_s"), "8");
    ff_bytes course = field_text(f, "utilization_course"), power = field_text(f, "power_course");
    CHECK(ff_starts(course, FF_LIT("100,100,")));
    CHECK(ff_ends(course, FF_LIT(",0,0")));
    CHECK(ff_contains(course, FF_LIT("100,,,,,,,,0,")));
    CHECK(ff_starts(power, FF_LIT("690,")));
    CHECK(course.n < 500);
    ff_text_done(&csv);
}

TEST(course_of_rows_that_lie_years_apart_or_have_no_time_ends)
{
    catch_reset();
    CHECK_INT(catch_parse(&ff_parser_nvidia_smi, "gpu.csv",
                          FF_LIT("timestamp, index, uuid, utilization.gpu [%]\n"
                                 "1970/01/01 00:00:00.000, 0, GPU-1, 1 %\n2260/01/01 00:00:00.000, 0, GPU-1, 2 %\n"
                                 "1970/01/01 00:00:00.000, 0, GPU-1, 3 %\nnever, 0, GPU-1, 4 %\n")),
              FF_OK);
    const ff_fact *f = nth_fact(FF_FACT_GPU_SAMPLES, 0);
    CHECK(f != NULL);
}

int main(void)
{
    RUN(list_names_every_gpu);
    RUN(table_gives_state_and_processes);
    RUN(query_is_read_by_its_indentation);
    RUN(xml_says_the_same);
    RUN(csv_of_any_columns);
    RUN(csv_without_header_is_known_by_its_cells);
    RUN(many_rows_are_summed_up);
    RUN(topology_is_cut_by_its_codes);
    RUN(p2p_matrix_counts_pairs);
    RUN(failures_are_states);
    RUN(several_outputs_in_one_file);
    RUN(nvlink_errors_are_counted);
    RUN(logs_are_left_to_others);
    RUN(block_finds_the_table_in_a_log);
    RUN(hostile_outputs_end_cleanly);
    catch_reset();
    RUN(course_of_a_csv_is_bounded_and_keeps_its_gaps);
    RUN(course_of_rows_that_lie_years_apart_or_have_no_time_ends);
    return DONE();
}
