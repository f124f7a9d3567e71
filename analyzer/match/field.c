/* Captured text -> typed value. The same thing is spelled differently by each program that names it (a PCI address
 * with eight, four or no domain digits; a pod UID with underscores in a cgroup path), so names that identity compares
 * are brought to one spelling here, once. */
#include "match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static uint32_t hex_value(char c) { return ff_is_digit(c) ? (uint32_t)(c - '0') : (uint32_t)(lower(c) - 'a' + 10); }

static bool starts_nocase(ff_bytes b, ff_bytes prefix)
{
    return b.n >= prefix.n && ff_equal_nocase(ff_first_n(b, prefix.n), prefix);
}

/* Names end where white space or a control byte stands; a capture that holds one took too much. */
static bool is_name(ff_bytes b)
{
    if (b.n == 0 || b.n > FF_CAP_PATH)
        return false;
    for (size_t i = 0; i < b.n; i++)
        if ((unsigned char)b.p[i] <= ' ' || b.p[i] == 0x7f)
            return false;
    return true;
}

static ff_bytes lowered(ff_bytes b, ff_arena *arena)
{
    char *p = ff_arena_take(arena, b.n + 1);
    for (size_t i = 0; i < b.n; i++)
        p[i] = lower(b.p[i]);
    return (ff_bytes){ p, b.n };
}

static bool read_int(ff_bytes text, int64_t *out)
{
    ff_bytes rest = text;
    if (ff_take_char(&rest, '+') && (rest.n == 0 || !ff_is_digit(rest.p[0])))
        return false;
    return ff_take_int(&rest, out) && rest.n == 0;
}

static bool read_hex(ff_bytes text, int64_t *out)
{
    uint64_t value = 0;
    ff_bytes rest = text;
    if (!ff_take_hex(&rest, &value) || rest.n != 0 || value > (uint64_t)INT64_MAX)
        return false;
    *out = (int64_t)value;
    return true;
}

static size_t digits_at(ff_bytes b, size_t i)
{
    size_t from = i;
    while (i < b.n && ff_is_digit(b.p[i]))
        i++;
    return i - from;
}

/* strtod would also take "inf", "nan" and hexadecimal floats, so the shape is checked first. */
static bool is_decimal(ff_bytes b)
{
    size_t i = b.n > 0 && (b.p[0] == '-' || b.p[0] == '+') ? 1 : 0;
    size_t whole = digits_at(b, i);
    i += whole;
    size_t part = 0;
    if (i < b.n && b.p[i] == '.') {
        part = digits_at(b, i + 1);
        i += 1 + part;
    }
    if (whole + part == 0)
        return false;
    if (i < b.n && lower(b.p[i]) == 'e') {
        i++;
        if (i < b.n && (b.p[i] == '-' || b.p[i] == '+'))
            i++;
        size_t power = digits_at(b, i);
        if (power == 0)
            return false;
        i += power;
    }
    return i == b.n;
}

static bool read_float(ff_bytes text, double *out)
{
    char copy[64];
    if (text.n >= sizeof copy || !is_decimal(text))
        return false;
    memcpy(copy, text.p, text.n);
    copy[text.n] = 0;
    double value = strtod(copy, NULL);
    if (!isfinite(value))
        return false;
    *out = value;
    return true;
}

static bool take_hex_digits(ff_bytes *in, size_t least, size_t most, uint32_t *out)
{
    size_t n = 0;
    uint32_t value = 0;
    while (n < in->n && n < most && ff_is_hex(in->p[n]))
        value = value << 4 | hex_value(in->p[n++]);
    if (n < least)
        return false;
    *in = ff_skip_n(*in, n);
    *out = value;
    return true;
}

/* [domain:]bus:device[.function]; the domain has up to eight digits, bus and device two, the function one. */
static bool read_pci(ff_bytes text, ff_arena *arena, ff_bytes *out)
{
    if (starts_nocase(text, FF_LIT("PCI:")))
        text = ff_skip_n(text, 4);
    size_t colons = 0;
    for (size_t i = 0; i < text.n; i++)
        colons += text.p[i] == ':';
    uint32_t domain = 0, bus = 0, device = 0, function = 0;
    ff_bytes rest = text;
    if (colons == 2 && !(take_hex_digits(&rest, 1, 8, &domain) && ff_take_char(&rest, ':')))
        return false;
    if (!take_hex_digits(&rest, 2, 2, &bus) || !ff_take_char(&rest, ':') || !take_hex_digits(&rest, 2, 2, &device) ||
        device > 0x1f)
        return false;
    if (ff_take_char(&rest, '.') && (!take_hex_digits(&rest, 1, 1, &function) || function > 7))
        return false;
    if (rest.n != 0)
        return false;
    *out = ff_arena_format(arena, "%04x:%02x:%02x", (unsigned)domain, (unsigned)bus, (unsigned)device);
    return true;
}

static bool read_gpu_uuid(ff_bytes text, ff_arena *arena, ff_bytes *out)
{
    if (!is_name(text))
        return false;
    if (ff_starts(text, FF_LIT("GPU-")) || ff_starts(text, FF_LIT("MIG-"))) {
        *out = text;
        return true;
    }
    if (text.n != 36 || text.p[8] != '-') /* some tools leave the prefix out */
        return false;
    ff_bytes low = lowered(text, arena);
    *out = ff_arena_format(arena, "GPU-%.36s", low.p);
    return true;
}

static bool read_pod_uid(ff_bytes text, ff_arena *arena, ff_bytes *out)
{
    if (ff_ends(text, FF_LIT(".slice")))
        text = ff_first_n(text, text.n - 6);
    if (ff_starts(text, FF_LIT("pod")) && (text.n == 39 || text.n == 35)) /* 36 or, for a static pod, 32 digits */
        text = ff_skip_n(text, 3);
    if (!is_name(text))
        return false;
    char *p = ff_arena_take(arena, text.n + 1);
    for (size_t i = 0; i < text.n; i++)
        p[i] = text.p[i] == '_' ? '-' : lower(text.p[i]);
    *out = (ff_bytes){ p, text.n };
    return true;
}

static bool read_container(ff_bytes text, ff_bytes *out)
{
    static const char *const fronts[] = { "containerd://",   "docker://", "cri-o://", "podman://",
                                          "cri-containerd-", "crio-",     "docker-",  "libpod-" };
    for (size_t i = 0; i < FF_COUNT(fronts); i++) {
        if (ff_starts(text, ff_str(fronts[i]))) {
            text = ff_skip_n(text, strlen(fronts[i]));
            break;
        }
    }
    if (ff_ends(text, FF_LIT(".scope")))
        text = ff_first_n(text, text.n - 6);
    if (!is_name(text) || ff_contains(text, FF_LIT("/")))
        return false;
    *out = text;
    return true;
}

static bool read_small(ff_bytes text, int64_t *out)
{
    int64_t value = 0;
    if (!read_int(text, &value) || value < 0 || value > INT32_MAX)
        return false;
    *out = value;
    return true;
}

static bool read_by_type(ff_bytes text, ff_arena *arena, ff_field *f)
{
    switch (f->type) {
    case FF_FIELD_TEXT:
        return true;
    case FF_FIELD_INT:
        return read_int(text, &f->i);
    case FF_FIELD_HEX:
        return read_hex(text, &f->i);
    case FF_FIELD_FLOAT:
        f->is_float = true;
        return read_float(text, &f->f);
    case FF_FIELD_PCI:
        return read_pci(text, arena, &f->s);
    case FF_FIELD_PID:
    case FF_FIELD_RANK:
    case FF_FIELD_LOCAL_RANK:
    case FF_FIELD_GPU:
        return read_small(text, &f->i);
    case FF_FIELD_UUID:
        return read_gpu_uuid(text, arena, &f->s);
    case FF_FIELD_POD_UID:
        return read_pod_uid(text, arena, &f->s);
    case FF_FIELD_CONTAINER:
        return read_container(text, &f->s);
    case FF_FIELD_HOST:
    case FF_FIELD_POD:
        return is_name(text);
    case FF_FIELD_CGROUP:
    case FF_FIELD_PROCESS:
        return text.n > 0;
    }
    return false;
}

bool ff_field_read(ff_field_type type, ff_bytes text, ff_arena *arena, ff_field *out)
{
    /* Blanks around a number or a name belong to the layout of the line; those of a free text are its own. */
    ff_bytes inner = type == FF_FIELD_TEXT ? text : ff_trim(text);
    ff_field f = { .name = out->name, .type = type, .s = inner };
    if (!read_by_type(inner, arena, &f))
        return false;
    *out = f;
    return true;
}

void ff_field_into_who(const ff_field *f, ff_who *who)
{
    switch (f->type) {
    case FF_FIELD_PCI:
        who->gpu = f->s;
        break;
    case FF_FIELD_PID:
        who->pid = (int32_t)f->i;
        break;
    case FF_FIELD_RANK:
        who->rank = (int32_t)f->i;
        break;
    case FF_FIELD_LOCAL_RANK:
        who->local_rank = (int32_t)f->i;
        break;
    case FF_FIELD_GPU:
        who->gpu_index = (int32_t)f->i;
        break;
    case FF_FIELD_UUID:
        who->gpu_uuid = f->s;
        break;
    case FF_FIELD_HOST:
        who->host = f->s;
        break;
    case FF_FIELD_POD:
        who->pod = f->s;
        break;
    case FF_FIELD_POD_UID:
        who->pod_uid = f->s;
        break;
    case FF_FIELD_CONTAINER:
        who->container = f->s;
        break;
    case FF_FIELD_CGROUP:
        who->cgroup = f->s;
        break;
    case FF_FIELD_PROCESS:
        who->process = f->s;
        break;
    case FF_FIELD_TEXT:
    case FF_FIELD_INT:
    case FF_FIELD_HEX:
    case FF_FIELD_FLOAT:
        break;
    }
}
