/* Headers of PyTorch's C++ messages and of the Python loggers around them.
 *     [rank3]:[E1130 12:00:05.123456789 ProcessGroupNCCL.cpp:616] text        [E ProcessGroupNCCL.cpp:828] text
 *     WARNING:torch.distributed.run:text        WARNING:2026-01-29 03:04:05,280:jax._src.xla_bridge:590: text
 *     [2024-01-30 12:00:05,123] torch.distributed.run: [WARNING] text
 *     [2026-01-29 03:04:05,123] [INFO] [launch.py:335:sigkill_handler] text                    (DeepSpeed)
 *     INFO 01-29 03:04:05 [core.py:61] text     INFO 01-29 03:04:05 core.py:61] text           (vLLM)
 * Formats: c10/util/Logging.cpp, torch/_logging, logging.basicConfig, deepspeed/utils/logging.py, vllm/logger.py.
 * The event's text is what stands behind the header; ident is the source file or the logger. */
#include "lines.h"

#define SECOND INT64_C(1000000000)

/* The digits behind the second are another clock's: builds that print three or six of them are no better. */
static bool take_time(ff_bytes *in, ff_stamp *stamp)
{
    ff_bytes rest = *in;
    int64_t monthday = 0, ns = 0, grain = 0;
    if (ff_take_torch_time(in, stamp))
        return true;
    if ((!ff_take_digits(&rest, 4, &monthday) && !ff_take_digits(&rest, 3, &monthday)) || !ff_take_char(&rest, ' ') ||
        !ff_take_clock_of_day(&rest, &ns, &grain) ||
        !ff_make_no_year(monthday / 100, monthday % 100, ns / SECOND * SECOND, SECOND, stamp))
        return false;
    *in = rest;
    return true;
}

static bool is_cpp_file(ff_bytes file)
{
    static const char *const endings[] = { ".cpp", ".hpp", ".cc", ".h", ".cu", NULL };
    for (const char *const *ending = endings; *ending; ending++)
        if (ff_ends(file, ff_str(*ending)))
            return true;
    return false;
}

/* "[E1130 12:00:05.123456789 ProcessGroupNCCL.cpp:616] ". */
static bool take_cpp_header(ff_bytes *in, ff_stamp *stamp, ff_bytes *file)
{
    static const char letters[] = "EWIFVD";
    ff_bytes rest = *in, place;
    uint64_t line = 0;
    bool lettered = false;
    *stamp = (ff_stamp){ 0 };
    if (!ff_take_char(&rest, '['))
        return false;
    for (size_t i = 0; letters[i] && !lettered; i++)
        lettered = ff_take_char(&rest, letters[i]);
    if (!lettered)
        return false;
    take_time(&rest, stamp);
    if (!ff_take_char(&rest, ' ') || !ff_take_until(&rest, ':', file) || file->n > 200 || !is_cpp_file(*file) ||
        ff_contains(*file, FF_LIT(" ")) || !ff_take_until(&rest, ']', &place) || !ff_take_uint(&place, &line) ||
        !ff_is_empty(place) || !ff_take_blank_or_end(&rest))
        return false;
    *in = rest;
    return true;
}

/* Ranks write into one pipe: "^^^^^[rank1]:[E1003 ..." begins a message in the middle of another's line. */
static bool find_tagged_header(ff_bytes text, int32_t *rank, ff_stamp *stamp, ff_bytes *file, ff_bytes *out)
{
    bool found = false;
    for (ff_bytes rest = text; rest.n;) {
        size_t at = ff_find(rest, FF_LIT("[rank"));
        if (at > rest.n)
            break;
        rest = ff_skip_n(rest, at + 5);
        ff_bytes after = rest, f;
        ff_stamp s;
        uint64_t n = 0;
        if (ff_take_digits_of(&after, 7, &n) && ff_take_lit(&after, FF_LIT("]:")) &&
            take_cpp_header(&after, &s, &f)) {
            *rank = (int32_t)n;
            *stamp = s;
            *file = f;
            *out = after;
            found = true;
        }
    }
    return found;
}

/* Before 2.2 nothing but the watchdog's own "[Rank 3] " names a rank: that of the first group, which is the world. */
static void see_old_rank(ff_event *ev)
{
    ff_bytes rest = ev->text;
    uint64_t rank = 0;
    if (ev->who.rank == FF_NO_NUMBER && ff_take_lit(&rest, FF_LIT("[Rank ")) && ff_take_digits_of(&rest, 7, &rank) &&
        ff_take_lit(&rest, FF_LIT("] ")))
        ev->who.rank = (int32_t)rank;
}

static bool read_torch(ff_event *ev)
{
    ff_bytes rest = ev->text, file;
    ff_stamp stamp;
    int32_t rank = ev->who.rank;
    if (!take_cpp_header(&rest, &stamp, &file) && !find_tagged_header(ev->text, &rank, &stamp, &file, &rest))
        return false;
    ff_see_stream(ev, FF_STREAM_APP);
    ff_see_time(ev, stamp);
    ev->who.rank = rank;
    ev->ident = file;
    ev->text = rest;
    if (stamp.kind == FF_STAMP_NONE)
        see_old_rank(ev);
    return true;
}

const ff_reader ff_reader_torch = { .name = "torch", .read = read_torch };

/* ---- Python loggers ---- */
static bool take_logger(ff_bytes *in, ff_bytes *name) { return ff_take_name(in, name) && name->n <= 128; }

/* "WARNING:torch.distributed.run:text", with JAX's time and line in between. */
static bool take_basic_config(ff_bytes *in, ff_stamp *stamp, ff_bytes *name)
{
    ff_bytes rest = *in, level;
    uint64_t line = 0;
    if (!ff_take_level(&rest, &level) || !ff_take_char(&rest, ':'))
        return false;
    if (ff_take_rfc3339(&rest, stamp) && !ff_take_char(&rest, ':'))
        return false;
    if (!take_logger(&rest, name) || !ff_take_char(&rest, ':'))
        return false;
    ff_bytes numbered = rest;
    if (ff_take_uint(&numbered, &line) && ff_take_char(&numbered, ':'))
        rest = numbered;
    if (stamp->kind != FF_STAMP_NONE)
        ff_take_char(&rest, ' ');
    *in = rest;
    return true;
}

/* "torch.distributed.run: [WARNING] text", behind its time. */
static bool take_torch_logger(ff_bytes *in, ff_bytes *name)
{
    ff_bytes rest = *in, level;
    if (!take_logger(&rest, name) || !ff_take_lit(&rest, FF_LIT(": [")) || !ff_take_level(&rest, &level) ||
        !ff_take_char(&rest, ']') || !ff_take_blank_or_end(&rest))
        return false;
    *in = rest;
    return true;
}

/* "[INFO] [launch.py:335:sigkill_handler] text", behind its time. */
static bool take_deepspeed(ff_bytes *in, ff_bytes *name)
{
    ff_bytes rest = *in, level, place;
    if (!ff_take_char(&rest, '[') || !ff_take_level(&rest, &level) || !ff_take_lit(&rest, FF_LIT("] [")) ||
        !ff_take_until(&rest, ']', &place) || !ff_take_until(&place, ':', name) || name->n > 128 ||
        !ff_take_blank_or_end(&rest))
        return false;
    *in = rest;
    return true;
}

/* "- gpustack.worker - INFO - text", behind its time: "%(asctime)s - %(name)s - %(levelname)s - %(message)s". */
static bool take_dashed(ff_bytes *in, ff_bytes *name)
{
    ff_bytes rest = *in, level;
    if (!ff_take_lit(&rest, FF_LIT("- ")) || !take_logger(&rest, name) || !ff_take_lit(&rest, FF_LIT(" - ")) ||
        !ff_take_level(&rest, &level) || !ff_take_lit(&rest, FF_LIT(" - ")))
        return false;
    *in = rest;
    return true;
}

static bool take_month_day_time(ff_bytes *in, ff_stamp *stamp)
{
    ff_bytes rest = *in;
    int64_t month = 0, day = 0, ns = 0, grain = 0;
    if (!ff_take_digits(&rest, 2, &month) || !ff_take_char(&rest, '-') || !ff_take_digits(&rest, 2, &day) ||
        !ff_take_char(&rest, ' ') || !ff_take_clock_of_day(&rest, &ns, &grain) ||
        !ff_make_no_year(month, day, ns, grain, stamp))
        return false;
    *in = rest;
    return true;
}

/* "INFO 01-29 03:04:05 [core.py:61] text", older without the first bracket, older still without the place. */
static bool take_vllm(ff_bytes *in, ff_stamp *stamp, ff_bytes *name)
{
    ff_bytes rest = *in, level, place;
    if (!ff_take_level(&rest, &level) || !ff_take_char(&rest, ' ') || !take_month_day_time(&rest, stamp) ||
        !ff_take_blank_or_end(&rest))
        return false;
    ff_bytes placed = rest, line;
    ff_take_char(&placed, '[');
    if (ff_take_until(&placed, ']', &place) && ff_take_until(&place, ':', name) && ff_ends(*name, FF_LIT(".py")) &&
        !ff_contains(*name, FF_LIT(" ")) && ff_take_name(&place, &line) && ff_take_blank_or_end(&placed))
        rest = placed;
    else
        *name = (ff_bytes){ 0 };
    *in = rest;
    return true;
}

static bool read_python(ff_event *ev)
{
    ff_bytes rest = ev->text, name = { 0 };
    ff_stamp stamp = { 0 };
    if (!(ev->stream & FF_STREAM_APP))
        return false;
    if (!take_vllm(&rest, &stamp, &name) && !take_basic_config(&rest, &stamp, &name) &&
        !take_torch_logger(&rest, &name) && !take_deepspeed(&rest, &name) && !take_dashed(&rest, &name))
        return false;
    ff_see_stream(ev, FF_STREAM_APP);
    ff_see_time(ev, stamp);
    ev->ident = name;
    ev->text = rest;
    return true;
}

const ff_reader ff_reader_python = { .name = "python", .read = read_python };
