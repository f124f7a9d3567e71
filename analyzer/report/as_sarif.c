/* SARIF 2.1.0 (OASIS), which code hosts and editors show beside the files: causes are the rules, findings the
 * results, each at the line of its first evidence. */
#include "html_private.h"
#include "json_private.h"

#include "../base/digest.h"

#include <inttypes.h>

#define RELATED 16u

static const char *level(ff_severity s)
{
    return s >= FF_SEV_ERROR ? "error" : s == FF_SEV_WARNING ? "warning" : "note";
}

/* A relative URI: what is no unreserved character goes out as %XX, so no name can be an address or leave the folder.
 */
static void uri(ff_json *j, const char *key, ff_bytes name)
{
    static const char hex[] = "0123456789ABCDEF";
    ff_text t, clean;
    ff_text_init(&t, 0);
    ff_text_init(&clean, 0);
    ff_text_add_clean(&clean, ff_view_no_path(name));
    ff_bytes b = ff_text_view(&clean);
    for (size_t i = 0; i < b.n; i++) {
        unsigned char c = (unsigned char)b.p[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                     c == '_' || c == '~' || c == '/' || (c == '.' && !(i + 1 < b.n && b.p[i + 1] == '.'));
        if (plain && !(c == '/' && i == 0)) {
            ff_text_addc(&t, (char)c);
            continue;
        }
        ff_text_addc(&t, '%');
        ff_text_addc(&t, hex[c >> 4]);
        ff_text_addc(&t, hex[c & 15]);
    }
    ff_json_bytes(j, key, ff_text_view(&t));
    ff_text_done(&clean);
    ff_text_done(&t);
}

static void message(ff_json *j, const char *key, ff_bytes text)
{
    ff_json_open(j, key, '{');
    ff_json_bytes(j, "text", ff_is_empty(text) ? FF_LIT("(no text)") : text);
    ff_json_close(j, '}');
}

static void location(ff_json *j, const ff_report *r, const ff_signal *s)
{
    ff_json_open(j, NULL, '{');
    ff_json_open(j, "physicalLocation", '{');
    ff_json_open(j, "artifactLocation", '{');
    uri(j, "uri", ff_view_member_name(r, s->at.member));
    ff_json_str(j, "uriBaseId", "BUNDLE");
    ff_json_close(j, '}');
    if (s->at.line) {
        ff_json_open(j, "region", '{');
        ff_json_int(j, "startLine", s->at.line);
        message(j, "snippet", ff_first_n(s->quote, FF_CAP_EVIDENCE_TEXT));
        ff_json_close(j, '}');
    }
    ff_json_close(j, '}');
    ff_json_close(j, '}');
}

static void locations(ff_json *j, const ff_report *r, const ff_finding *f)
{
    ff_json_open(j, "locations", '[');
    const ff_signal *s = ff_view_first_of(r, f);
    if (s)
        location(j, r, s);
    ff_json_close(j, ']');
    if (f->n_evidence < 2)
        return;
    ff_json_open(j, "relatedLocations", '[');
    for (uint32_t i = 1; i < f->n_evidence && i <= RELATED; i++)
        if (ff_view_signal(r, f->evidence[i]))
            location(j, r, ff_view_signal(r, f->evidence[i]));
    ff_json_close(j, ']');
}

/* The same failure of another run has the same print: no times, no numbers of findings. */
static void fingerprint(ff_json *j, const ff_report *r, const ff_finding *f)
{
    ff_text t;
    uint8_t sum[32];
    char hex[65];
    ff_text_init(&t, 0);
    ff_text_add(&t, ff_view_cause_id(r, f->cause));
    ff_text_addc(&t, '\n');
    ff_text_add(&t, f->rule);
    ff_text_addc(&t, '\n');
    ff_say_who(&t, &(ff_who){ .host = f->who.host,
                              .gpu = f->who.gpu,
                              .pid = FF_NO_NUMBER,
                              .rank = f->who.rank,
                              .local_rank = FF_NO_NUMBER,
                              .gpu_index = FF_NO_NUMBER });
    ff_sha256(ff_text_view(&t), sum);
    ff_hex(sum, 32, hex);
    ff_json_open(j, "partialFingerprints", '{');
    ff_json_bytes(j, "causeAndPlace/v1", ff_str(hex));
    ff_json_close(j, '}');
    ff_text_done(&t);
}

static void result(ff_json *j, const ff_html *h, const ff_finding *f, int64_t rule)
{
    ff_json_open(j, NULL, '{');
    ff_json_bytes(j, "ruleId", ff_view_cause_id(h->r, f->cause));
    if (rule >= 0)
        ff_json_int(j, "ruleIndex", rule);
    bool healthy = ff_equal(ff_view_cause_id(h->r, f->cause), FF_LIT("healthy"));
    ff_json_str(j, "kind", healthy ? "pass" : "fail");
    ff_json_str(j, "level", healthy ? "none" : level(f->severity));
    message(j, "message", ff_is_empty(f->summary) ? ff_view_cause_title(h->r, f->cause) : f->summary);
    locations(j, h->r, f);
    fingerprint(j, h->r, f);
    ff_json_open(j, "properties", '{');
    ff_json_number_id(j, "finding", 'F', f->id);
    ff_json_str(j, "severity", ff_severity_name(f->severity));
    ff_json_str(j, "confidence", ff_confidence_name(f->confidence));
    ff_json_str(j, "role", h->role[f->id] ? ff_role_name((ff_role)(h->role[f->id] - 1)) : NULL);
    ff_json_bytes(j, "rule", f->rule);
    ff_json_who(j, "who", &f->who);
    ff_json_close(j, '}');
    ff_json_close(j, '}');
}

/* index of each used cause in driver.rules, -1 for the others */
static int64_t *list_rules(ff_json *j, ff_html *h)
{
    const ff_report *r = h->r;
    int64_t *index = FF_NEW_N(&h->arena, int64_t, r->rules->n_causes + 1), n = 0;
    bool *used = FF_NEW_N(&h->arena, bool, r->rules->n_causes + 1);
    for (uint32_t i = 0; i < r->n_findings; i++)
        if (r->findings[i].cause < r->rules->n_causes)
            used[r->findings[i].cause] = true;
    ff_json_open(j, "rules", '[');
    for (uint32_t c = 0; c < r->rules->n_causes; c++) {
        index[c] = -1;
        if (!used[c])
            continue;
        index[c] = n++;
        ff_json_open(j, NULL, '{');
        ff_json_bytes(j, "id", r->rules->causes[c].id);
        message(j, "shortDescription", ff_view_cause_title(r, c));
        ff_json_close(j, '}');
    }
    ff_json_close(j, ']');
    return index;
}

void ff_write_sarif(const ff_report *r, ff_text *out)
{
    ff_html h = { .r = r, .main = ff_view_incident(r) };
    ff_json j;
    ff_arena_init(&h.arena);
    ff_html_find_roles(&h);
    ff_json_init(&j, out);
    ff_json_open(&j, NULL, '{');
    ff_json_str(&j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    ff_json_str(&j, "version", "2.1.0");
    ff_json_open(&j, "runs", '[');
    ff_json_open(&j, NULL, '{');
    ff_json_open(&j, "tool", '{');
    ff_json_open(&j, "driver", '{');
    ff_json_str(&j, "name", "firstfault");
    ff_json_str(&j, "semanticVersion", FF_VERSION);
    int64_t *index = list_rules(&j, &h);
    ff_json_close(&j, '}');
    ff_json_close(&j, '}');
    ff_json_open(&j, "results", '[');
    for (uint32_t i = 0; i < r->n_findings; i++)
        result(&j, &h, &r->findings[i], r->findings[i].cause < r->rules->n_causes ? index[r->findings[i].cause] : -1);
    ff_json_close(&j, ']');
    ff_json_open(&j, "properties", '{');
    ff_json_bytes(&j, "verdict", ff_view_cause_id(r, r->verdict.cause));
    ff_json_str(&j, "confidence", ff_confidence_name(r->verdict.confidence));
    ff_json_bytes(&j, "summary", r->verdict.summary);
    ff_json_close(&j, '}');
    ff_json_close(&j, '}');
    ff_json_close(&j, ']');
    ff_json_close(&j, '}');
    if (out->n && out->p[out->n - 1] != '\n')
        ff_text_addc(out, '\n');
    ff_arena_done(&h.arena);
}
