/* Things that show by their form alone. The caller stands at the start of a word. None looks further ahead than such
 * a thing can be long: a line of a megabyte may begin a word at every second byte. */
#include "redact_private.h"

static bool ends_word(ff_bytes rest, size_t n) { return n >= rest.n || !ff_is_alnum(rest.p[n]); }

static size_t run_of(ff_bytes rest, size_t from, bool (*is)(char c))
{
    size_t n = from;
    while (n < rest.n && is(rest.p[n]))
        n++;
    return n - from;
}

static size_t octet(ff_bytes rest, size_t at)
{
    size_t n = run_of(rest, at, ff_is_digit);
    unsigned v = 0;
    for (size_t i = 0; i < n && n <= 3; i++)
        v = v * 10 + (unsigned)(rest.p[at + i] - '0');
    return n && n <= 3 && v <= 255 ? n : 0;
}

/* Four numbers, not a piece of five (a version) or of a longer word. */
size_t ff_shape_ipv4(ff_bytes rest)
{
    size_t n = 0;
    for (int i = 0; i < 4; i++) {
        if (i && (n >= rest.n || rest.p[n++] != '.'))
            return 0;
        size_t digits = octet(rest, n);
        if (!digits)
            return 0;
        n += digits;
    }
    bool goes_on = n + 1 < rest.n && rest.p[n] == '.' && ff_is_digit(rest.p[n + 1]);
    return ends_word(rest, n) && !goes_on ? n : 0;
}

/* Eight groups, or "::" among at least three: "c10::Error" and 12:34:56 are none. */
size_t ff_shape_ipv6(ff_bytes rest)
{
    size_t n = 0, groups = 0, doubles = 0;
    for (;;) {
        size_t digits = run_of(rest, n, ff_is_hex);
        if (digits > 4)
            return 0;
        groups += digits > 0;
        if (groups > 8 || doubles > 1)
            return 0;
        n += digits;
        if (n + 1 < rest.n && rest.p[n] == ':' && rest.p[n + 1] == ':') {
            doubles++;
            n += 2;
        } else if (n + 1 < rest.n && digits && rest.p[n] == ':' && ff_is_hex(rest.p[n + 1])) {
            n++;
        } else {
            break;
        }
    }
    bool whole = doubles == 0 ? groups == 8 : doubles == 1 && groups >= 3 && groups <= 7;
    return whole && ends_word(rest, n) ? n : 0;
}

/* Groups of hex digits of given lengths between equal separators. */
static size_t groups_of(ff_bytes rest, const unsigned *lengths, unsigned count, const char *separators)
{
    size_t n = 0;
    char separator = 0;
    for (unsigned i = 0; i < count; i++) {
        if (i) {
            if (n >= rest.n || !strchr(separators, rest.p[n]) || (separator && rest.p[n] != separator))
                return 0;
            separator = rest.p[n++];
        }
        if (run_of(rest, n, ff_is_hex) != lengths[i])
            return 0;
        n += lengths[i];
    }
    return ends_word(rest, n) ? n : 0;
}

size_t ff_shape_mac(ff_bytes rest)
{
    static const unsigned lengths[] = { 2, 2, 2, 2, 2, 2 };
    size_t n = groups_of(rest, lengths, 6, ":-");
    bool longer = n && n + 1 < rest.n && rest.p[n] == rest.p[2] && ff_is_hex(rest.p[n + 1]);
    return longer ? 0 : n;
}

size_t ff_shape_uuid(ff_bytes rest)
{
    static const unsigned lengths[] = { 8, 4, 4, 4, 12 };
    size_t n = groups_of(rest, lengths, 5, "-_");
    if (n)
        return n;
    return run_of(rest, 0, ff_is_hex) == 32 && ends_word(rest, 32) ? 32 : 0;
}

size_t ff_shape_guid(ff_bytes rest)
{
    static const unsigned groups[] = { 4, 4, 4, 4 };
    if (ff_starts(rest, FF_LIT("0x")))
        return run_of(rest, 2, ff_is_hex) == 16 && ends_word(rest, 18) ? 18 : 0;
    size_t n = groups_of(rest, groups, 4, ":");
    return n ? n : run_of(rest, 0, ff_is_hex) == 16 && ends_word(rest, 16) ? 16 : 0;
}

static bool is_local(char c) { return ff_is_alnum(c) || c == '.' || c == '_' || c == '+' || c == '-'; }
static bool is_label(char c) { return ff_is_alnum(c) || c == '-'; }
/* base64 and what stands for it in a URL, and the parts of an ARN */
static bool is_blob(char c) { return ff_is_alnum(c) || (c && strchr("_-.+/=%:*", c)); }
static bool is_token(char c) { return ff_is_alnum(c) || c == '_' || c == '-' || c == '.'; }

size_t ff_shape_email(ff_bytes rest)
{
    enum { MOST_LOCAL = 64, MOST_DOMAIN = 255 };
    rest = ff_first_n(rest, MOST_LOCAL + MOST_DOMAIN);
    size_t n = run_of(ff_first_n(rest, MOST_LOCAL + 1), 0, is_local);
    if (!n || n > MOST_LOCAL || n >= rest.n || rest.p[n] != '@')
        return 0;
    size_t end = ++n, last = 0;
    unsigned labels = 0;
    for (;;) {
        last = run_of(rest, end, is_label);
        if (!last)
            break;
        labels++;
        end += last;
        if (end + 1 >= rest.n || rest.p[end] != '.' || !is_label(rest.p[end + 1]))
            break;
        end++;
    }
    return labels >= 2 && last >= 2 && ff_is_letter(rest.p[end - 1]) ? end : 0;
}

static const struct credential {
    const char *prefix;
    size_t least; /* bytes behind it */
} tokens[] = { { "AKIA", 16 },  { "ASIA", 16 },  { "ghp_", 20 }, { "gho_", 20 },        { "ghs_", 20 },
               { "ghu_", 20 },  { "hf_", 20 },   { "sk-", 20 },  { "glpat-", 16 },      { "nvapi-", 20 },
               { "xoxb-", 16 }, { "xoxp-", 16 }, { "AIza", 30 }, { "github_pat_", 20 }, { "eyJ", 40 } },
  /* signed URLs of Azure, fingerprints of keys, accounts of AWS */
    blobs[] = { { "sig=", 20 }, { "SHA256:", 43 }, { "arn:aws", 12 } };

static void mark(uint16_t heads[FF_HEADS], const struct credential *c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        heads[ff_head_of(ff_str(c[i].prefix))] |= FF_HEAD_CREDENTIAL;
}

void ff_shape_credential_heads(uint16_t heads[FF_HEADS])
{
    mark(heads, tokens, FF_COUNT(tokens));
    mark(heads, blobs, FF_COUNT(blobs));
}

static size_t one_of(ff_bytes rest, const struct credential *c, size_t count, bool (*is)(char c))
{
    for (size_t i = 0; i < count; i++) {
        ff_bytes prefix = ff_str(c[i].prefix);
        size_t n = ff_starts(rest, prefix) ? run_of(rest, prefix.n, is) : 0;
        if (n >= c[i].least)
            return prefix.n + n;
    }
    return 0;
}

size_t ff_shape_credential(ff_bytes rest)
{
    size_t n = one_of(rest, tokens, FF_COUNT(tokens), is_token);
    return n ? n : one_of(rest, blobs, FF_COUNT(blobs), is_blob);
}

/* "ip-10-61-7-33": what clouds call a machine that has this address. */
size_t ff_shape_address_name(ff_bytes rest)
{
    size_t n = 2;
    if (!ff_starts(rest, FF_LIT("ip-")))
        return 0;
    for (int i = 0; i < 4; i++) {
        size_t digits = n < rest.n && rest.p[n] == '-' ? octet(rest, n + 1) : 0;
        if (!digits)
            return 0;
        n += 1 + digits;
    }
    return ends_word(rest, n) ? n : 0;
}

/* "i-0a1b2c3d4e5f67890": a machine of EC2. */
size_t ff_shape_instance(ff_bytes rest)
{
    enum { HEX = 17 };
    bool is = ff_starts(rest, FF_LIT("i-")) && run_of(rest, 2, ff_is_hex) == HEX && ends_word(rest, 2 + HEX);
    return is ? 2 + HEX : 0;
}

/* Top-level domains and the private ones of sites. A Python module ("torch.distributed.run") ends in none of them. */
static bool is_top(ff_bytes label)
{
    static const char *const tops[] = { "com",  "org", "net",   "edu",   "gov",      "mil", "int",  "io",
                                        "ai",   "dev", "cloud", "local", "internal", "lan", "corp", "intra",
                                        "site", "de",  "fr",    "uk",    "nl",       "ch",  "at",   "it",
                                        "es",   "se",  "no",    "fi",    "dk",       "pl",  "cz",   "eu",
                                        "us",   "ca",  "jp",    "kr",    "cn",       "tw",  "in",   "sg",
                                        "au",   "nz",  "br",    "il",    "ru",       "hpc" };
    for (size_t i = 0; i < FF_COUNT(tops); i++)
        if (ff_equal_nocase(label, ff_str(tops[i])))
            return true;
    return false;
}

/* Domains of vendors and projects: label keys, images, links. They name no site. */
static bool is_public_domain(ff_bytes domain)
{
    static const char *const known[] = { "kubernetes.io",     "k8s.io",     "nvidia.com",   "mellanox.com",
                                         "docker.io",         "nvcr.io",    "gcr.io",       "quay.io",
                                         "pytorch.org",       "github.com", "openshift.io", "kernel.org",
                                         "projectcalico.org", "cilium.io",  "debian.org",   "ubuntu.com",
                                         "redhat.com",        "python.org", "volcano.sh",   "ray.io",
                                         "googleapis.com",    "pypi.org",   "wandb.ai",     "huggingface.co" };
    for (size_t i = 0; i < FF_COUNT(known); i++)
        if (ff_ends(domain, ff_str(known[i])))
            return true;
    return false;
}

size_t ff_shape_domain(ff_bytes rest)
{
    rest = ff_first_n(rest, FF_NORMAL_MOST + 1);
    size_t n = 0, from = 0;
    unsigned labels = 0;
    for (;;) {
        size_t run = run_of(rest, n, is_label);
        if (!run)
            return 0;
        labels++;
        from = n;
        n += run;
        if (n + 1 >= rest.n || rest.p[n] != '.' || !ff_is_alnum(rest.p[n + 1]))
            break;
        n++;
    }
    bool called = n < rest.n && (rest.p[n] == '(' || rest.p[n] == '_');
    bool site = labels >= 3 && n <= FF_NORMAL_MOST && !called && is_top((ff_bytes){ rest.p + from, n - from });
    return site && !is_public_domain(ff_first_n(rest, n)) ? n : 0;
}
