/* The host that the output of a command names: "Linux gpu-a01 5.15.0-91-generic #101-Ubuntu SMP ... x86_64
 * GNU/Linux", the one word of hostname, "Static hostname: gpu-a01". Looked for in the first bytes of every text. */
#include "intake_private.h"
#include "layout_private.h"

const ff_bytes ff_why_head = { "host name in its text", sizeof "host name in its text" - 1 };

static bool is_host_name(ff_bytes b)
{
    ff_bytes rest = b, name;
    return b.n > 0 && b.n <= 255 && ff_take_name(&rest, &name) && rest.n == 0 && name.p[0] != '.' && name.p[0] != '-';
}

/* "uname:" stands in front of it in bug reports. */
static bool take_uname(ff_bytes line, ff_bytes *host)
{
    ff_bytes release;
    (void)ff_take_lit(&line, FF_LIT("uname:"));
    (void)ff_take_spaces(&line);
    return ff_take_lit(&line, FF_LIT("Linux ")) && ff_take_word(&line, host) && is_host_name(*host) &&
           ff_take_char(&line, ' ') && ff_take_word(&line, &release) && release.p[0] >= '0' && release.p[0] <= '9' &&
           ff_contains(release, FF_LIT(".")) && ff_take_lit(&line, FF_LIT(" #"));
}

static bool take_static_name(ff_bytes line, ff_bytes *host)
{
    (void)ff_take_spaces(&line);
    if (!ff_take_lit(&line, FF_LIT("Static hostname:")))
        return false;
    *host = ff_trim(line);
    return is_host_name(*host);
}

/* Several hosts in one text: it is about all of them, and none of them wrote it. */
static ff_bytes host_in_lines(ff_bytes head)
{
    ff_bytes found = { NULL, 0 }, line, host;
    while (ff_take_line(&head, &line)) {
        if (!take_uname(line, &host) && !take_static_name(line, &host))
            continue;
        if (found.n && !ff_equal(found, host))
            return (ff_bytes){ NULL, 0 };
        found = host;
    }
    return found;
}

ff_bytes ff_host_of_head(ff_bytes name, ff_bytes head, bool whole)
{
    ff_bytes file = ff_name_file(name), word = ff_trim(head);
    bool one_word = ff_starts(file, FF_LIT("hostname")) || ff_ends(file, FF_LIT("_hostname")) ||
                    ff_ends(file, FF_LIT("_hostname.txt"));
    if (one_word && whole && is_host_name(word))
        return word;
    if (!ff_contains(head, FF_LIT("Linux ")) && !ff_contains(head, FF_LIT("Static hostname:")))
        return (ff_bytes){ NULL, 0 };
    return host_in_lines(head);
}
