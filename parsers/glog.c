/* Lines with glog's header: klog of Kubernetes, absl and glog of C++ programs, torch's Python logger.
 *     I0101 00:00:44.123456    4321 kubelet.go:2439] "SyncLoop (PLEG): event for pod" pod="ml/train-0"
 *     E0129 03:04:05.160012     395 rendezvous.cc:108] text          E20260129 03:04:05.160012 395 socket.cpp:860]
 * text W1130 12:00:05.158000 1107 torch/distributed/elastic/multiprocessing/api.py:1012] [3/8] text E0000
 * 00:00:1769655845.160012     395 file.cc:10] text         (absl before it is initialised: Unix seconds) I
 * reader/pipeline.cc:88] text                                  (TensorFlow, behind its own time) Formats: klog.go
 * formatHeader; glog logging.cc; absl log_format.cc; torch/_logging/_internal.py; tsl logging.cc. A message may go on
 * over several lines, which have no header. */
#include "lines.h"

typedef struct header {
    ff_stamp stamp;
    uint64_t pid;
    ff_bytes file; /* as printed, without the line number */
    ff_bytes text;
} header;

static bool take_letter(ff_bytes *in)
{
    static const char letters[] = "IWEFVD";
    for (size_t i = 0; letters[i]; i++)
        if (ff_take_char(in, letters[i]))
            return true;
    return false;
}

/* "kubelet.go:2439] ". */
static bool take_place(ff_bytes *in, ff_bytes *file)
{
    ff_bytes rest = *in, place;
    uint64_t line = 0;
    if (!ff_take_until(&rest, ']', &place) || place.n > 512 || !ff_take_blank_or_end(&rest))
        return false;
    size_t colon = place.n;
    while (colon && place.p[colon - 1] != ':')
        colon--;
    ff_bytes number = ff_skip_n(place, colon);
    if (colon < 2 || !ff_take_uint(&number, &line) || !ff_is_empty(number))
        return false;
    *file = ff_first_n(place, colon - 1);
    for (size_t i = 0; i < file->n; i++)
        if (file->p[i] == ' ' || file->p[i] == '"')
            return false;
    *in = rest;
    return true;
}

static bool take_absl_early(ff_bytes *in, ff_stamp *stamp)
{
    ff_bytes rest = *in;
    if (!ff_take_lit(&rest, FF_LIT("0000 00:00:")) || !ff_take_epoch(&rest, stamp))
        return false;
    *in = rest;
    return true;
}

/* Caffe and other old programs leave out the fraction. */
static bool take_whole_second(ff_bytes *in, ff_stamp *stamp)
{
    ff_bytes rest = *in;
    int64_t month = 0, day = 0, ns = 0, grain = 0;
    if (!ff_take_digits(&rest, 2, &month) || !ff_take_digits(&rest, 2, &day) || !ff_take_char(&rest, ' ') ||
        !ff_take_clock_of_day(&rest, &ns, &grain) || !ff_make_no_year(month, day, ns, grain, stamp))
        return false;
    *in = rest;
    return true;
}

static bool take_header(ff_bytes line, header *h)
{
    ff_bytes rest = line;
    *h = (header){ .pid = 0 };
    if (!take_letter(&rest))
        return false;
    if (!take_absl_early(&rest, &h->stamp) && !ff_take_klog_time(&rest, &h->stamp) &&
        !take_whole_second(&rest, &h->stamp))
        return false;
    if (!ff_take_char(&rest, ' ') || !ff_take_spaces(&rest))
        return false;
    ff_bytes number = rest;
    if (ff_take_uint(&number, &h->pid) && ff_take_char(&number, ' '))
        rest = number;
    if (!take_place(&rest, &h->file))
        return false;
    h->text = rest;
    return true;
}

/* TensorFlow prints "I reader/pipeline.cc:88] " behind its own time, with the thread when asked. */
static bool take_tensorflow(ff_bytes line, header *h)
{
    ff_bytes rest = line;
    *h = (header){ .pid = 0 };
    if (!take_letter(&rest) || !ff_take_char(&rest, ' ') || !ff_take_spaces(&rest))
        return false;
    ff_bytes number = rest;
    uint64_t thread = 0;
    if (ff_take_uint(&number, &thread) && ff_take_char(&number, ' '))
        rest = number;
    if (!take_place(&rest, &h->file) || !(ff_ends(h->file, FF_LIT(".cc")) || ff_ends(h->file, FF_LIT(".h"))))
        return false;
    h->text = rest;
    return true;
}

/* Files of kubelet that a rule may meet; klog does not print the program, and device plugins use klog too. */
static bool is_kubelet_file(ff_bytes file)
{
    static const char *const starts[] = { "kubelet",
                                          "kuberuntime_",
                                          "eviction_",
                                          "pod_workers",
                                          "prober",
                                          "pod_container_",
                                          "status_manager",
                                          "reconciler_common",
                                          "nodeshutdown_",
                                          "remote_runtime",
                                          "remote_image",
                                          "cadvisor_",
                                          "pod_startup_latency",
                                          "desired_state_of",
                                          "container_manager_",
                                          "image_gc_",
                                          "generic.go",
                                          "operation_generator",
                                          "nestedpendingoperations",
                                          "setters.go",
                                          "oom_watcher",
                                          "volume_manager",
                                          NULL };
    for (const char *const *start = starts; *start; start++)
        if (ff_starts_str(file, *start))
            return true;
    return false;
}

/* "[3/8] " is a trace id, "[__recompiles] " the artifact that torch logs for. */
static ff_bytes without_trace_id(ff_bytes text)
{
    ff_bytes rest = text, inside;
    uint64_t n = 0;
    while (ff_take_char(&rest, '[') && ff_take_until(&rest, ']', &inside) && inside.n < 40 &&
           ff_take_char(&rest, ' ')) {
        ff_bytes id = inside;
        if (!ff_starts(inside, FF_LIT("__")) && !(ff_take_uint(&id, &n) && ff_take_char(&id, '/')))
            break;
        text = rest;
    }
    return text;
}

static void see_go(ff_event *ev, ff_bytes file)
{
    ff_see_stream(ev, FF_STREAM_K8S);
    if (!ff_is_empty(ev->who.unit))
        return;
    ev->who.unit = is_kubelet_file(file) ? FF_LIT("kubelet") : (ff_bytes){ 0 };
}

static bool read_glog(ff_event *ev)
{
    header h;
    bool tensorflow = false;
    if (!take_header(ev->text, &h)) {
        tensorflow = take_tensorflow(ev->text, &h);
        if (!tensorflow)
            return false;
    }
    ff_bytes file = ff_after_last(h.file, '/');
    bool python = ff_ends(file, FF_LIT(".py"));
    ff_see_time(ev, h.stamp);
    ev->text = python ? without_trace_id(h.text) : h.text;
    if (ff_ends(file, FF_LIT(".go"))) {
        see_go(ev, file);
        return true; /* klog's number is the thread, or 1 in containers */
    }
    ff_see_stream(ev, FF_STREAM_APP);
    ev->ident = h.file;
    if (python)
        ff_see_pid(ev, h.pid);
    return true;
}

const ff_reader ff_reader_glog = { .name = "glog", .read = read_glog };

static bool is_klog(ff_bytes line)
{
    header h;
    return take_header(line, &h) && ff_ends(h.file, FF_LIT(".go"));
}

static int klog_probe(const ff_probe *in) { return ff_bid_lines(in->head, is_klog); }

static bool klog_frame(ff_bytes record, ff_event *ev)
{
    ev->text = record;
    return read_glog(ev);
}

const ff_parser ff_parser_klog = {
    .name = "klog", .streams = FF_STREAM_K8S | FF_STREAM_GPU, .probe = klog_probe, .frame = klog_frame
};
