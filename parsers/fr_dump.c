/* The two files a Flight Recorder dump may be: pickle as the watchdog writes it, JSON as the control plane or a tool
 * does. Both become the same rows; see recorder.c for the format. */
#include "recorder_private.h"

/* Keys that no other document has together; each counts for its length when it is found. */
static const char *const marks[] = { "profiling_name",   "collective_seq_id", "pg_config", "pg_status",
                                     "comm_lib_version", "nccl_version",      "record_id", "entries",
                                     "version",          "p2p_seq_id",        "seq_id",    "input_sizes",
                                     "process_group" };

static int count_marks(ff_bytes head)
{
    int bits = 0, found = 0;
    for (size_t i = 0; i < FF_COUNT(marks); i++) {
        if (!ff_contains(head, ff_str(marks[i])))
            continue;
        bits += 8 * (int)ff_str(marks[i]).n;
        found++;
    }
    return found >= 2 ? bits : 0;
}

static bool names_dump(ff_bytes head)
{
    return ff_contains(head, FF_LIT("pg_config")) || ff_contains(head, FF_LIT("profiling_name")) ||
           (ff_contains(head, FF_LIT("entries")) && ff_contains(head, FF_LIT("version")));
}

static int pickle_probe(const ff_probe *in)
{
    if (in->head.n < 3 || (uint8_t)in->head.p[0] != 0x80 || in->head.p[1] < 2 || in->head.p[1] > 5)
        return 0;
    ff_bytes head = ff_first_n(in->head, 8192);
    return names_dump(head) ? 16 + count_marks(head) : 0;
}

static bool is_json_dump(ff_bytes head)
{
    return ff_contains(head, FF_LIT("\"pg_config\"")) || ff_contains(head, FF_LIT("\"profiling_name\"")) ||
           ff_contains(head, FF_LIT("\"pg_status\""));
}

static int json_probe(const ff_probe *in)
{
    ff_bytes head = ff_trim(ff_first_n(in->head, 8192));
    if (!head.n || (*head.p != '{' && *head.p != '[') || !is_json_dump(head))
        return 0;
    /* A line of a log may hold such an object too; then more than one object begins a line. */
    return 8 + count_marks(head);
}

static const ff_fr_group *main_group(const ff_dump *d)
{
    const ff_fr_group *best = d->n_groups ? &d->groups[0] : NULL;
    for (uint32_t i = 1; i < d->n_groups; i++)
        if (d->groups[i].n_ranks > best->n_ranks)
            best = &d->groups[i];
    return best;
}

static void emit_dump(const ff_dump *d, ff_bytes source, ff_sink *out)
{
    ff_fields f = { .n = 0 };
    const ff_fr_group *g = main_group(d);
    if (d->rank >= 0)
        ff_fields_int(&f, "rank", FF_FIELD_RANK, d->rank);
    ff_fields_text(&f, "version", FF_FIELD_TEXT, d->version);
    ff_fields_text(&f, "backend", FF_FIELD_TEXT, d->backend);
    ff_fields_text(&f, "comm_lib", FF_FIELD_TEXT, d->comm_lib);
    ff_fields_int(&f, "entries", FF_FIELD_INT, d->n_entries);
    ff_fields_int(&f, "groups", FF_FIELD_INT, d->n_groups);
    if (g) {
        ff_fields_int(&f, "world", FF_FIELD_INT, g->n_ranks);
        ff_fields_int(&f, "last_enqueued", FF_FIELD_INT, g->last_enqueued);
        ff_fields_int(&f, "last_completed", FF_FIELD_INT, g->last_completed);
    }
    ff_fields_int(&f, "timing", FF_FIELD_INT, d->timing);
    ff_fields_int(&f, "truncated", FF_FIELD_INT, d->truncated);
    ff_fact fact = {
        .id = FF_FACT_FR_DUMP, .line = 1, .quote = d->quote, .who = FF_WHO_NOBODY, .fields = f.at, .n_fields = f.n
    };
    size_t at = ff_find(source, d->quote);
    fact.offset = at < source.n ? at : 0;
    fact.who.rank = d->rank;
    if (d->newest_ns > 0)
        fact.said = (ff_stamp){ .kind = FF_STAMP_UTC, .ns = d->newest_ns, .grain_ns = 1 };
    out->fact(out->owner, &fact);
}

ff_status ff_recorder_give(ff_rows *rows, const char *problem, const ff_doc *doc, ff_sink *out)
{
    if (!problem && doc->truncated)
        problem = "the member is cut";
    ff_dump *d = ff_rows_end(rows, doc->name, problem != NULL);
    if (problem)
        out->skip(out->owner, 1, problem);
    if (!d) {
        out->skip(out->owner, 1, "not a Flight Recorder dump");
        return FF_BAD;
    }
    if (d->rank >= 0) {
        ff_who who = FF_WHO_NOBODY;
        who.rank = d->rank;
        out->member_who(out->owner, &who);
    }
    emit_dump(d, doc->bytes, out);
    out->dump(out->owner, d);
    return FF_OK;
}

const ff_parser ff_parser_fr_pickle = { .name = "fr_pickle",
                                        .streams = FF_STREAM_RECORDER,
                                        .binary = true,
                                        .probe = pickle_probe,
                                        .parse = ff_recorder_pickle };
const ff_parser ff_parser_fr_json = {
    .name = "fr_json", .streams = FF_STREAM_RECORDER, .probe = json_probe, .parse = ff_recorder_json
};
