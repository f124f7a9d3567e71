/* Every parser, coat, reader and block, one line each; the order breaks ties. This file is included several times, so
 * there is no other place to forget. Parsers: documents first, then exact line formats, then the catch-alls. */
#ifndef FF_PARSER
#define FF_PARSER(name)
#endif
#ifndef FF_COAT
#define FF_COAT(name)
#endif
#ifndef FF_READER
#define FF_READER(name)
#endif
#ifndef FF_BLOCK
#define FF_BLOCK(name)
#endif

/* documents */
FF_PARSER(fr_pickle)
FF_PARSER(fr_json)
FF_PARSER(ras_text)
FF_PARSER(ras_json)
FF_PARSER(nccltests_json)
FF_PARSER(nvidia_smi_xml)
FF_PARSER(nvidia_smi)
FF_PARSER(k8s_json)
FF_PARSER(k8s_yaml)
FF_PARSER(kubectl_describe)
FF_PARSER(kubectl_table)
FF_PARSER(container_inspect)
FF_PARSER(dmesg_json)
FF_PARSER(dcgm_diag)
FF_PARSER(ethtool)
FF_PARSER(small_file)
FF_PARSER(clock_file)
/* lines with an exact frame */
FF_PARSER(journal_json)
FF_PARSER(journal_objects)
FF_PARSER(journal_verbose)
FF_PARSER(docker_json)
FF_PARSER(journal_export)
FF_PARSER(journal)
FF_PARSER(syslog)
FF_PARSER(kmsg)
FF_PARSER(klog)
FF_PARSER(klog_json)
FF_PARSER(containerd)
FF_PARSER(cri)
FF_PARSER(kubectl)
FF_PARSER(slurm)
FF_PARSER(fabricmanager)
FF_PARSER(nccl)
FF_PARSER(srun)
FF_PARSER(plain)

/* outermost first where two could read one line */
FF_COAT(colours)
FF_COAT(cri)
FF_COAT(docker_json)
FF_COAT(kubectl)
FF_COAT(syslog)
FF_COAT(dmesg)
FF_COAT(logfmt)
FF_COAT(klog_json)
FF_COAT(fabricmanager)
FF_COAT(mpirun)
FF_COAT(actor)
FF_COAT(tee)
FF_COAT(rank_tag)
FF_COAT(stamp)
FF_COAT(date_line)
FF_COAT(time_of_day)
FF_COAT(listed)
FF_COAT(quote)
FF_COAT(srun)
FF_COAT(pdsh)

FF_READER(kernel)
FF_READER(nccl)
FF_READER(torch)
FF_READER(glog)
FF_READER(slurm)
FF_READER(runtime)
FF_READER(python)

FF_BLOCK(parts)
FF_BLOCK(numbers)
FF_BLOCK(epochs)
FF_BLOCK(oom)
FF_BLOCK(traceback)
FF_BLOCK(torchrun)
FF_BLOCK(desync)
FF_BLOCK(coll)
FF_BLOCK(nccltests)
FF_BLOCK(env)
FF_BLOCK(ps)
FF_BLOCK(nvidia_smi)
FF_BLOCK(stuck)
FF_BLOCK(ports)
FF_BLOCK(pci)
FF_BLOCK(sacct)
FF_BLOCK(scontrol)
FF_BLOCK(cgroup)
FF_BLOCK(memory)
FF_BLOCK(limits)
FF_BLOCK(links)
FF_BLOCK(sockets)
FF_BLOCK(counters)

#undef FF_PARSER
#undef FF_COAT
#undef FF_READER
#undef FF_BLOCK
