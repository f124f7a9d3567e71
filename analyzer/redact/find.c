/* What is private in a line, from left to right. What shows by its form goes first, then what a label says, then the
 * names that are known; a path is taken apart. */
#include "redact_private.h"

static size_t token_of(ff_bytes rest)
{
    rest = ff_first_n(rest, FF_NORMAL_MOST + 1);
    size_t n = 0;
    while (n < rest.n && (ff_is_alnum(rest.p[n]) || rest.p[n] == '-'))
        n++;
    while (n && rest.p[n - 1] == '-')
        n--;
    return n;
}

/* "gpu-c-015" -> "gpu-c-###". Empty: no digit, no letter, or nothing that would tell a host from an everyday word. */
static ff_bytes skeleton(ff_bytes token, char *scratch)
{
    unsigned digits = 0, letters = 0;
    if (token.n < 4 || token.n > FF_NORMAL_MOST)
        return (ff_bytes){ scratch, 0 };
    for (size_t i = 0; i < token.n; i++) {
        char c = token.p[i];
        digits += ff_is_digit(c);
        letters += ff_is_alnum(c) && !ff_is_digit(c);
        scratch[i] = (char)(ff_is_digit(c) ? '#' : c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
    /* rank0, gpu0, node1, eth0, mlx5 are everywhere */
    bool plain = memchr(token.p, '-', token.n) == NULL && digits < 2;
    return (ff_bytes){ scratch, digits && letters >= 2 && !plain ? token.n : 0 };
}

void ff_add_family(ff_redactor *r, ff_bytes host)
{
    char scratch[FF_NORMAL_MOST];
    ff_bytes family = skeleton(ff_first_n(host, token_of(host)), scratch);
    if (family.n)
        ff_store_add_family(r, family);
}

/* A token of the line: is it a host that nobody named, beside others of its kind? */
static bool is_of_family(const ff_redactor *r, ff_bytes token)
{
    char scratch[FF_NORMAL_MOST];
    ff_bytes family = r->families.n ? skeleton(token, scratch) : (ff_bytes){ NULL, 0 };
    return family.n && ff_store_has_family(r, family);
}

/* Past "[01-03,07]", whose first number is added to first. False: it is none. */
static bool take_numbers(ff_bytes rest, size_t *n, char *first, size_t *length)
{
    bool begun = false, over = false;
    for (++*n; *n < rest.n; ++*n) {
        char c = rest.p[*n];
        if (c == ']')
            return ++*n, begun;
        if (!ff_is_digit(c) && c != ',' && c != '-')
            return false;
        over |= !ff_is_digit(c);
        begun |= ff_is_digit(c);
        if (!over && *length == FF_NORMAL_MOST)
            return false;
        if (!over)
            first[(*length)++] = c;
    }
    return false;
}

/* "gpu-a[01-03,07]" or "r[0-1]-n[00-17]", if its first host is of a family that is known: its length; else 0. */
static size_t host_list(const ff_redactor *r, ff_bytes rest)
{
    enum { MOST = 65536 };
    char first[FF_NORMAL_MOST];
    size_t n = 0, length = 0;
    bool listed = false;
    rest = ff_first_n(rest, MOST);
    while (n < rest.n && length < 64) {
        if (rest.p[n] == '[' && n) {
            if (!take_numbers(rest, &n, first, &length))
                return 0;
            listed = true;
        } else if (ff_is_alnum(rest.p[n]) || rest.p[n] == '-') {
            first[length++] = rest.p[n++];
        } else {
            break;
        }
    }
    return listed && is_of_family(r, (ff_bytes){ first, length }) ? n : 0;
}

/* What the fabric calls a machine, "gpu-a07 mlx5_0" or "gpu-a07 HCA-1" in quotes, and a switch, "MF0;leaf-3:MQM8700".
 */
static bool described_at(ff_bytes line, size_t i, ff_spot *out)
{
    ff_bytes before = ff_first_n(line, i), rest = ff_skip_n(line, i);
    size_t n = 0;
    if (!i || !strchr("\"';", before.p[i - 1]) || !before.p[i - 1])
        return false;
    while (n < rest.n && n < 64 &&
           (ff_is_alnum(rest.p[n]) || rest.p[n] == '-' || rest.p[n] == '_' || rest.p[n] == '.'))
        n++;
    ff_bytes behind = ff_skip_n(rest, n);
    *out = (ff_spot){ 0, n, FF_SECRET_HOST };
    if (before.p[i - 1] == ';')
        return n >= 2 && ff_ends(before, FF_LIT("MF0;")) && ff_starts(behind, FF_LIT(":"));
    return n >= 2 && (ff_starts(behind, FF_LIT(" mlx5_")) || ff_starts(behind, FF_LIT(" HCA-")));
}

/* "GPU-1a1b1c1d": CUDA takes the beginning of a UUID for the whole. Only once all UUIDs are known. */
static bool beginning_at(const ff_redactor *r, ff_bytes line, size_t i, ff_spot *out)
{
    enum { LEAST = 4, WHOLE = 36 };
    ff_bytes before = ff_first_n(line, i), rest = ff_skip_n(line, i);
    size_t n = 0;
    if (!r->settled || !(ff_ends(before, FF_LIT("GPU-")) || ff_ends(before, FF_LIT("MIG-"))))
        return false;
    while (n < rest.n && n < WHOLE && (ff_is_hex(rest.p[n]) || rest.p[n] == '-'))
        n++;
    bool ends = n >= rest.n || !ff_is_alnum(rest.p[n]);
    *out = (ff_spot){ 0, n, FF_SECRET_UUID };
    return ends && n >= LEAST && n < WHOLE && ff_store_beginning(r, ff_first_n(rest, n)) != NULL;
}

/* Addresses that say nothing of a site: any, loopback, masks, multicast, link-local, and docker's own bridge, which
 * has the same ones everywhere and is known by them. */
static bool is_common_ipv4(ff_bytes text)
{
    static const char *const heads[] = { "0.", "127.", "255.", "169.254.", "172.17." };
    for (size_t i = 0; i < FF_COUNT(heads); i++)
        if (ff_starts(text, ff_str(heads[i])))
            return true;
    uint64_t first = 0;
    return ff_take_uint(&text, &first) && first >= 224 && first <= 239;
}

static bool is_common_ipv6(ff_bytes text)
{
    char scratch[FF_NORMAL_MOST];
    ff_bytes hex = ff_normal(FF_SECRET_IPV6, text, scratch);
    size_t zeros = 0;
    while (zeros < hex.n && hex.p[zeros] == '0')
        zeros++;
    return zeros >= 31 || ff_starts(hex, FF_LIT("ff"));
}

static bool is_common_mac(ff_bytes text)
{
    char scratch[FF_NORMAL_MOST];
    ff_bytes hex = ff_normal(FF_SECRET_MAC, text, scratch);
    return ff_equal(hex, FF_LIT("000000000000")) || ff_equal(hex, FF_LIT("ffffffffffff"));
}

static bool is_joint(char c) { return c == '.' || c == '-' || c == ':' || c == '_' || c == '@' || c == '+'; }

/* What shows by its form and is no single word of letters and digits goes on behind its first one with one of these.
 * Most words of a log do not, and this is asked of every word. */
static bool may_have_shape(const ff_redactor *r, ff_bytes rest)
{
    enum { UUID = 32 };
    size_t n = 0;
    while (n < rest.n && n <= FF_NORMAL_MOST && ff_is_alnum(rest.p[n]))
        n++;
    bool goes_on = n < rest.n && is_joint(rest.p[n]);
    return goes_on || n == UUID || r->heads[ff_head_of(rest)] & FF_HEAD_CREDENTIAL;
}

static bool shape_at(const ff_redactor *r, ff_bytes rest, ff_spot *out)
{
    static const struct {
        size_t (*length)(ff_bytes rest);
        bool (*common)(ff_bytes text);
        ff_secret kind;
    } shapes[] = {
        { ff_shape_email, NULL, FF_SECRET_EMAIL },         { ff_shape_credential, NULL, FF_SECRET_CREDENTIAL },
        { ff_shape_uuid, NULL, FF_SECRET_UUID },           { ff_shape_mac, is_common_mac, FF_SECRET_MAC },
        { ff_shape_ipv6, is_common_ipv6, FF_SECRET_IPV6 }, { ff_shape_ipv4, is_common_ipv4, FF_SECRET_IPV4 },
        { ff_shape_domain, NULL, FF_SECRET_HOST },         { ff_shape_address_name, NULL, FF_SECRET_HOST },
        { ff_shape_instance, NULL, FF_SECRET_SERIAL },
    };
    if (!may_have_shape(r, rest))
        return false;
    for (size_t i = 0; i < FF_COUNT(shapes); i++) {
        size_t n = shapes[i].length(rest);
        if (!n)
            continue;
        *out = (ff_spot){ 0, n, shapes[i].kind };
        /* something that is common stays, and is passed over whole */
        if (shapes[i].common && shapes[i].common(ff_first_n(rest, n)))
            out->kind = FF_SECRETS;
        return true;
    }
    return false;
}

/* "://name:word@" */
static bool url_login_at(ff_bytes rest, ff_spot *out)
{
    if (!ff_starts(rest, FF_LIT("://")))
        return false;
    size_t n = 3;
    bool colon = false;
    while (n < rest.n && rest.p[n] > ' ' && !strchr("/?#\"'<>@", rest.p[n]))
        colon |= rest.p[n++] == ':';
    *out = (ff_spot){ 3, n - 3, FF_SECRET_CREDENTIAL };
    return colon && n < rest.n && rest.p[n] == '@';
}

static bool word_at(const ff_redactor *r, ff_bytes rest, ff_spot *out)
{
    size_t n = 0;
    const ff_thing *t = ff_store_word(r, rest, &n);
    if (t) {
        *out = (ff_spot){ 0, n, t->kind };
        return true;
    }
    n = token_of(rest);
    *out = (ff_spot){ 0, n, FF_SECRET_HOST };
    if (n && is_of_family(r, ff_first_n(rest, n)))
        return true;
    out->n = host_list(r, rest);
    return out->n > 0;
}

static bool known_at(const ff_redactor *r, ff_bytes rest, ff_spot *out)
{
    if (shape_at(r, rest, out))
        return true;
    ff_spot value, inner;
    if (r->heads[ff_head_of(rest)] & FF_HEAD_LABEL && ff_label_at(rest, &value)) {
        if (value.kind != FF_SECRET_CREDENTIAL && shape_at(r, ff_skip_n(rest, value.at), &inner)) {
            inner.at += value.at;
            value = inner;
        }
        *out = value;
        return true;
    }
    return word_at(r, rest, out);
}

/* A word begins behind anything that is no letter or digit; also behind an escape whose last byte is one: "\\n" in
 * JSON, "#012" of rsyslog, a colour. */
static bool word_begins(ff_bytes line, size_t i)
{
    if (i == 0 || !ff_is_alnum(line.p[i - 1]))
        return true;
    if (i >= 2 && line.p[i - 2] == '\\' && strchr("ntrbf", line.p[i - 1]))
        return true;
    if (i >= 3 && line.p[i - 1] == 'd' && memcmp(line.p + i - 3, "pod", 3) == 0) /* a UID in a cgroup's name */
        return word_begins(line, i - 3) && ff_shape_uuid(ff_skip_n(line, i)) > 0;
    if (i >= 4 && line.p[i - 4] == '#' && line.p[i - 3] == '0')
        return true;
    if (i >= 4 && memcmp(line.p + i - 4, "Gids", 4) == 0) /* NCCL leaves no blank behind "remoteGids" */
        return ff_shape_ipv6(ff_skip_n(line, i)) > 0;
    if (line.p[i - 1] != 'm')
        return false;
    size_t k = i - 1;
    while (k && (ff_is_digit(line.p[k - 1]) || line.p[k - 1] == ';'))
        k--;
    return k >= 2 && line.p[k - 1] == '[' && line.p[k - 2] == 0x1b;
}

/* Letters that word_begins looks behind. */
static bool ends_escape(char c)
{
    return c == 'n' || c == 't' || c == 'r' || c == 'b' || c == 'f' || c == 'd' || c == 'm';
}

/* Told of every byte: nothing begins at a blank, nor inside most words. */
static bool may_begin(ff_bytes line, size_t i)
{
    char c = line.p[i];
    if (!ff_is_alnum(c))
        return c == ':' || c == '_' || c == '/';
    char before = i ? line.p[i - 1] : ' ';
    return !ff_is_alnum(before) || ff_is_digit(before) || ends_escape(before) ||
           (before == 's' && i >= 2 && line.p[i - 2] == 'd');
}

static void walk(ff_redactor *r, ff_bytes line, size_t from, size_t to, bool in_path);

/* A path's private parts, and what is known in the rest of it; all its parts are looked at here, so none begins
 * another path. The first part is private in a store, else it is the folder that makes the others so. */
static void walk_path(ff_redactor *r, ff_bytes line, size_t from, size_t n, bool in_store)
{
    ff_bytes path = { line.p + from, n };
    size_t next = 0, done = from + 1;
    ff_spot part;
    if (in_store) {
        ff_bytes first = ff_skip_n(path, 1);
        first = ff_first_n(first, ff_find(first, FF_LIT("/")));
        part = (ff_spot){ from + 1, first.n, FF_SECRET_PATH };
        FF_PUSH(&r->finds, part);
        done += part.n;
    }
    while (ff_path_next(path, &next, &part)) {
        part.at += from;
        walk(r, line, done, part.at, true);
        FF_PUSH(&r->finds, part);
        done = part.at + part.n;
    }
    walk(r, line, done, from + n, true);
}

static void walk(ff_redactor *r, ff_bytes line, size_t from, size_t to, bool in_path)
{
    ff_bytes all = ff_first_n(line, to);
    for (size_t i = from; i < to;) {
        if (!may_begin(line, i)) {
            i++;
            continue;
        }
        ff_bytes rest = ff_skip_n(all, i);
        ff_spot f;
        bool slash = !in_path && rest.p[0] == '/';
        size_t stored = slash && i ? ff_path_in_store(all, i) : 0;
        size_t path = stored ? stored : slash && word_begins(line, i) ? ff_path_at(rest) : 0;
        if (path) {
            walk_path(r, all, i, path, stored > 0);
            i += path;
        } else if (url_login_at(rest, &f) || described_at(all, i, &f) || beginning_at(r, all, i, &f) ||
                   ((ff_is_alnum(rest.p[0]) || rest.p[0] == ':' || rest.p[0] == '_') && word_begins(line, i) &&
                    known_at(r, rest, &f))) {
            f.at += i;
            if (f.kind < FF_SECRETS)
                FF_PUSH(&r->finds, f);
            i = f.at + f.n;
        } else {
            i++;
        }
    }
}

void ff_find_all(ff_redactor *r, ff_bytes line)
{
    r->finds.n = 0;
    walk(r, line, 0, line.n, false);
}
