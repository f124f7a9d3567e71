/* Runs of one container or worker, as the names of their logs tell them apart: what kubectl saves with --previous
 * ("decode-3_previous.log" beside "decode-3_current.log" or "decode-3.log"), the kubelet's own "app/0.log" and
 * "app/1.log", torchrun's "attempt_0/3/stderr.log". A log that was rotated goes on in the next one and is no other
 * run. */
#include "verdict_private.h"

#define PARTS_READ 64u

typedef struct word { /* a run of letters and digits in a name */
    ff_bytes text;
    size_t at;
} word;

static uint32_t words_of(ff_bytes name, word *out)
{
    uint32_t n = 0;
    for (size_t at = 0, end; at < name.n && n < PARTS_READ; at = end + 1) {
        end = at;
        while (end < name.n && ff_is_alnum(name.p[end]))
            end++;
        if (end > at)
            out[n++] = (word){ .text = { name.p + at, end - at }, .at = at };
    }
    return n;
}

static bool is_number(ff_bytes text, int32_t *number)
{
    uint64_t value = 0;
    bool is = ff_take_uint(&text, &value) && !text.n && value < INT32_MAX;
    *number = is ? (int32_t)value : 0;
    return is;
}

/* "/var/log/pods/train_big-0_<uid>/app/1.log": the folder of a container stands in that of its pod, which ends in a
 * UID of five parts. */
static bool is_kubelets(const word *w, uint32_t n, ff_bytes name, uint32_t i)
{
    bool file = i + 2 == n && ff_equal(w[n - 1].text, FF_LIT("log")) && i > 0 && name.p[w[i].at - 1] == '/';
    bool pods = false;
    for (uint32_t k = 0; k < i && file; k++)
        pods = pods || ff_equal(w[k].text, FF_LIT("pods"));
    return file && pods;
}

/* The number of the run that the words from i tell, and how many words that takes; 0: they tell none. */
static uint32_t run_at(const word *w, uint32_t n, ff_bytes name, uint32_t i, int32_t *run)
{
    if (ff_equal(w[i].text, FF_LIT("previous")) || ff_equal(w[i].text, FF_LIT("prev"))) {
        *run = -1;
        return 1;
    }
    *run = 0;
    if (ff_equal(w[i].text, FF_LIT("current")))
        return 1;
    bool counts = ff_equal(w[i].text, FF_LIT("attempt")) || ff_equal(w[i].text, FF_LIT("restart"));
    if (counts && i + 1 < n && is_number(w[i + 1].text, run))
        return 2;
    return is_kubelets(w, n, name, i) && is_number(w[i].text, run) ? 1 : 0;
}

/* torchrun keeps stdout.log, stderr.log and error.json of a worker in one folder: what any of them says is of its
 * run. */
static bool is_workers_file(const word *w, uint32_t n, uint32_t i)
{
    return i + 2 == n && (ff_equal(w[i].text, FF_LIT("stdout")) || ff_equal(w[i].text, FF_LIT("stderr")) ||
                          ff_equal(w[i].text, FF_LIT("error")));
}

/* The name without what tells the run: logs of one container or worker have one stem. */
static ff_run_of run_of(ff_bytes name, ff_arena *arena)
{
    word w[PARTS_READ];
    uint32_t n = words_of(name, w);
    ff_run_of r = { .number = 0 };
    bool told = false;
    ff_text t;
    ff_text_init(&t, 0);
    for (uint32_t i = 0; i < n;) {
        int32_t number = 0;
        uint32_t took = run_at(w, n, name, i, &number);
        if (told && is_workers_file(w, n, i))
            break;
        if (took && !told) {
            r.number = number;
            told = true;
            i += took;
            continue;
        }
        ff_text_addc(&t, '/');
        ff_text_add(&t, w[i++].text);
    }
    r.stem = ff_arena_copy(arena, ff_text_view(&t));
    ff_text_done(&t);
    return r;
}

void ff_case_find_runs(ff_case *c)
{
    const ff_evidence *e = c->evidence;
    c->runs = FF_NEW_N(c->arena, ff_run_of, (size_t)e->n_members + 1);
    for (uint32_t i = 0; i < e->n_members; i++) {
        c->runs[i] = run_of(e->members[i].name, c->arena);
        c->has_runs = c->has_runs || c->runs[i].number != 0;
    }
}

bool ff_is_of_later_run(const ff_case *c, const ff_signal *a, const ff_signal *b)
{
    const ff_run_of *x = &c->runs[a->at.member], *y = &c->runs[b->at.member];
    return x->number < y->number && ff_equal(x->stem, y->stem);
}
