/* The hosts that a bundle knows. A host may be called by its short and by its full name; where both occur and there
 * is no doubt, they are one, called by the short name. */
#include "layout_private.h"

#include <stdlib.h>

#define MOST_WORDS 12u /* of a part of a path that one host name may take */

static bool is_placeholder(ff_bytes host)
{
    static const char *const none[] = { "localhost",  "localhost.localdomain",
                                        "(none)",     "-",
                                        "localhost6", "unknown",
                                        "host",       "kernel",
                                        "127.0.0.1",  "0.0.0.0",
                                        "::1" };
    for (size_t i = 0; i < FF_COUNT(none); i++)
        if (ff_equal(host, ff_str(none[i])))
            return true;
    return host.n == 0;
}

void ff_hosts_add(ff_hosts *h, ff_bytes host)
{
    bool again = h->at.n && ff_equal(h->at.at[h->at.n - 1], host);
    if (!again && !is_placeholder(host))
        FF_PUSH(&h->at, host);
}

static int by_bytes(const void *a, const void *b) { return ff_compare(*(const ff_bytes *)a, *(const ff_bytes *)b); }

void ff_hosts_sort(ff_hosts *h)
{
    uint32_t n = 0;
    if (h->at.n)
        qsort(h->at.at, h->at.n, sizeof *h->at.at, by_bytes);
    for (uint32_t i = 0; i < h->at.n; i++)
        if (n == 0 || !ff_equal(h->at.at[i], h->at.at[n - 1]))
            h->at.at[n++] = h->at.at[i];
    h->at.n = n;
}

/* First host that does not sort before name. */
static uint32_t lower_bound(const ff_hosts *h, ff_bytes name)
{
    uint32_t low = 0, high = h->at.n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (ff_compare(h->at.at[mid], name) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static bool has_label(ff_bytes host, ff_bytes label)
{
    return host.n > label.n && ff_starts(host, label) && host.p[label.n] == '.';
}

ff_bytes ff_hosts_find(const ff_hosts *h, ff_bytes name)
{
    ff_bytes none = { NULL, 0 };
    uint32_t i = lower_bound(h, name);
    if (i < h->at.n && ff_equal(h->at.at[i], name))
        return h->at.at[i];
    /* By the first label, if only one host has it. Names between "a" and "a." begin with "a" and a lower byte: "a-b".
     */
    ff_bytes found = none;
    for (; i < h->at.n && ff_starts(h->at.at[i], name) && name.n; i++) {
        if (!has_label(h->at.at[i], name))
            continue;
        if (found.n)
            return none;
        found = h->at.at[i];
    }
    return found;
}

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static size_t word_end(ff_bytes b, size_t at)
{
    while (at < b.n && is_word_byte(b.p[at]))
        at++;
    return at;
}

static size_t next_word(ff_bytes b, size_t at)
{
    while (at < b.n && !is_word_byte(b.p[at]))
        at++;
    return at;
}

/* Every stretch of whole words is looked up; a host name is made of words itself. */
static ff_bytes longest_from(const ff_hosts *h, ff_bytes part, size_t from)
{
    ff_bytes best = { NULL, 0 };
    size_t to = from;
    for (unsigned words = 0; words < MOST_WORDS && to < part.n; words++) {
        to = word_end(part, next_word(part, to));
        ff_bytes found = ff_hosts_find(h, (ff_bytes){ part.p + from, to - from });
        best = found.n ? found : best;
    }
    return best;
}

ff_bytes ff_hosts_find_in(const ff_hosts *h, ff_bytes path)
{
    ff_bytes best = { NULL, 0 };
    for (size_t at = 0; at < path.n;) {
        size_t end = at;
        while (end < path.n && path.p[end] != '/' && path.p[end] != '!')
            end++;
        ff_bytes part = { path.p + at, end - at }, here = { NULL, 0 };
        for (size_t w = next_word(part, 0); w < part.n; w = next_word(part, word_end(part, w))) {
            ff_bytes found = longest_from(h, part, w);
            here = found.n > here.n ? found : here;
        }
        best = here.n ? here : best; /* the innermost part that names one */
        at = end + 1;
    }
    return best;
}

void ff_hosts_done(ff_hosts *h) { ff_free(h->at.at); }
