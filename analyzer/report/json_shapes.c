#include "json_private.h"

#include <inttypes.h>

void ff_json_number_id(ff_json *j, const char *key, char letter, uint32_t index)
{
    if (index == FF_NONE) {
        ff_json_null(j, key);
        return;
    }
    ff_text id;
    ff_text_init(&id, 0);
    ff_text_addf(&id, "%c%" PRIu64, letter, (uint64_t)index + 1);
    ff_json_bytes(j, key, ff_text_view(&id));
    ff_text_done(&id);
}

void ff_json_known(ff_json *j, const char *key, ff_bytes value)
{
    if (value.n)
        ff_json_bytes(j, key, value);
    else
        ff_json_null(j, key);
}

void ff_json_number(ff_json *j, const char *key, int32_t value)
{
    if (value == FF_NO_NUMBER)
        ff_json_null(j, key);
    else
        ff_json_int(j, key, value);
}

void ff_json_sequence(ff_json *j, const char *key, int64_t value)
{
    if (value < 0)
        ff_json_null(j, key);
    else
        ff_json_big(j, key, value);
}

void ff_json_said(ff_json *j, const char *key, ff_stamp said)
{
    if (said.kind == FF_STAMP_NONE) {
        ff_json_null(j, key);
        return;
    }
    ff_text text;
    ff_text_init(&text, 0);
    ff_view_add_said(&text, said);
    ff_json_open(j, key, '{');
    ff_json_str(j, "kind", ff_view_stamp_kind(said.kind));
    ff_json_bytes(j, "text", ff_text_view(&text));
    ff_json_close(j, '}');
    ff_text_done(&text);
}

void ff_json_time(ff_json *j, const char *key, const ff_signal *s)
{
    bool known = s && s->has_utc;
    ff_json_open(j, key, '{');
    ff_json_utc(j, "utc", known, known ? s->utc : 0);
    if (known)
        ff_json_big(j, "err_ns", s->utc_err);
    else
        ff_json_null(j, "err_ns");
    ff_json_said(j, "said", s ? s->said : (ff_stamp){ 0 });
    ff_json_close(j, '}');
}

void ff_json_who(ff_json *j, const char *key, const ff_who *who)
{
    ff_json_open(j, key, '{');
    ff_json_known(j, "host", who->host);
    ff_json_known(j, "boot", who->boot);
    ff_json_number(j, "pid", who->pid);
    ff_json_number(j, "rank", who->rank);
    ff_json_number(j, "local_rank", who->local_rank);
    ff_json_known(j, "gpu", who->gpu);
    ff_json_number(j, "gpu_index", who->gpu_index);
    ff_json_known(j, "gpu_uuid", who->gpu_uuid);
    ff_json_known(j, "pod", who->pod);
    ff_json_known(j, "pod_uid", who->pod_uid);
    ff_json_known(j, "container", who->container);
    ff_json_known(j, "cgroup", who->cgroup);
    ff_json_known(j, "unit", who->unit);
    ff_json_known(j, "process", who->process);
    ff_json_close(j, '}');
}

void ff_json_place(ff_json *j, const ff_report *r, const char *key, const ff_signal *s)
{
    ff_json_open(j, key, '{');
    ff_json_bytes(j, "member", ff_view_member_name(r, s->at.member));
    ff_json_int(j, "line", s->at.line);
    ff_json_int(j, "offset", (int64_t)s->at.offset);
    ff_json_int(j, "length", s->at.length);
    ff_json_bytes(j, "text", s->quote);
    ff_json_time(j, "time", s);
    ff_json_int(j, "count", s->count);
    ff_json_close(j, '}');
}

static bool came_before(const ff_field *fields, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (ff_equal(fields[k].name, fields[i].name))
            return true;
    return false;
}

void ff_json_field(ff_json *j, const ff_field *fields, uint32_t i)
{
    const ff_field *f = &fields[i];
    if (came_before(fields, i))
        return;
    ff_json_key(j, f->name);
    switch (f->type) {
    case FF_FIELD_PID:
    case FF_FIELD_RANK:
    case FF_FIELD_LOCAL_RANK:
    case FF_FIELD_GPU:
        ff_json_int(j, NULL, f->i);
        return;
    default:
        break;
    }
    ff_text value;
    ff_text_init(&value, 0);
    ff_view_add_value(&value, f);
    ff_json_bytes(j, NULL, ff_text_view(&value));
    ff_text_done(&value);
}
