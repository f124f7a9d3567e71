/* A row of nccl-tests as fields; see nccltests.h. */
#include "nccltests.h"

#include "lines.h"

ff_bytes ff_test_collective(ff_bytes text)
{
    size_t end = ff_find(text, FF_LIT("_perf"));
    if (end >= text.n)
        return (ff_bytes){ 0 };
    size_t begin = end;
    while (begin > 0 && ((text.p[begin - 1] >= 'a' && text.p[begin - 1] <= 'z') || text.p[begin - 1] == '_'))
        begin--;
    return ff_first_n(ff_skip_n(text, begin), end - begin);
}

bool ff_test_number(ff_bytes *in, double *out)
{
    ff_bytes rest = *in;
    int64_t ns = 0, power = 0;
    if (!ff_take_seconds(&rest, &ns))
        return false;
    double value = (double)ns / 1e9;
    ff_bytes tail = rest;
    if (ff_take_char(&tail, 'e') || ff_take_char(&tail, 'E')) {
        (void)ff_take_char(&tail, '+');
        if (!ff_take_int(&tail, &power) || power < -30 || power > 30)
            return false;
        rest = tail;
    }
    for (; power > 0; power--)
        value *= 10;
    for (; power < 0; power++)
        value /= 10;
    *in = rest;
    *out = value;
    return true;
}

static void add_half(ff_fields *f, const ff_test_half *h)
{
    ff_fields_float(f, "time_us", h->time_us);
    ff_fields_float(f, "algbw", h->algbw);
    ff_fields_float(f, "busbw", h->busbw);
    if (h->iter_max_us > 0) {
        ff_fields_float(f, "iter_min_us", h->iter_min_us);
        ff_fields_float(f, "iter_max_us", h->iter_max_us);
        ff_fields_float(f, "iter_p99_us", h->iter_p99_us);
        ff_fields_float(f, "iter_cv_pct", h->iter_cv_pct);
    }
}

void ff_test_fields(const ff_test_run *run, const ff_test_row *row, ff_fields *f)
{
    const ff_test_half *out = &row->half[0], *in = &row->half[1];
    ff_fields_text(f, "collective", FF_FIELD_TEXT, run->collective);
    if (run->ranks > 0)
        ff_fields_int(f, "ranks", FF_FIELD_INT, run->ranks);
    if (run->hosts > 0)
        ff_fields_int(f, "hosts", FF_FIELD_INT, run->hosts);
    ff_fields_text(f, "test_host", FF_FIELD_TEXT, run->host);
    ff_fields_text(f, "device", FF_FIELD_TEXT, run->device);
    ff_fields_int(f, "size", FF_FIELD_INT, (int64_t)row->size);
    ff_fields_int(f, "count", FF_FIELD_INT, (int64_t)row->count);
    ff_fields_text(f, "type", FF_FIELD_TEXT, row->type);
    ff_fields_text(f, "redop", FF_FIELD_TEXT, row->redop);
    if (row->root >= 0)
        ff_fields_int(f, "root", FF_FIELD_INT, row->root);
    add_half(f, out->there ? out : in);
    if (out->there && in->there)
        ff_fields_float(f, "busbw_in_place", in->busbw);
    double wrong = (out->there && out->wrong > 0 ? out->wrong : 0) + (in->there && in->wrong > 0 ? in->wrong : 0);
    if ((out->there && out->wrong >= 0) || (in->there && in->wrong >= 0))
        ff_fields_float(f, "wrong", wrong);
}
