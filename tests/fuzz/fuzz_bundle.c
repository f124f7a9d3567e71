/* Whole analysis of one input, whatever its bytes are: archive walk, decompression, detection, scanning, clocks,
 * rules, verdict and all writers that go to memory. */
#include "fuzz.h"

#include "../../analyzer/report/report.h"
#include "../../analyzer/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static ff_kit kit;

static bool open_kit(void)
{
    ff_error error = { 0 };
    return kit.rules || ff_kit_open(&(ff_kit_options){ 0 }, &kit, &error) == FF_OK;
}

static void write_all(const ff_report *r)
{
    ff_text out;
    ff_text_init(&out, 0);
    ff_write_json(r, &out);
    ff_write_html(r, &out);
    ff_write_text(r, &(ff_text_style){ .width = 80 }, &out);
    ff_text_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/firstfault-fuzz-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0 || !open_kit())
        abort();
    FILE *f = fdopen(fd, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        abort();
    const char *inputs[] = { path };
    ff_run run = { 0 };
    ff_error error = { 0 };
    if (ff_run_bundle(&kit, &(ff_run_options){ .inputs = inputs, .n_inputs = 1, .jobs = 1 }, &run, &error) == FF_OK)
        write_all(&run.report);
    ff_run_done(&run);
    (void)unlink(path);
    return 0;
}
