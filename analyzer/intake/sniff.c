/* Does a stream begin like an archive, or like something compressed that archive.c takes off? Strict, since a log
 * that is taken for an archive costs a detour. */
#include "intake_private.h"

#include <string.h>

static bool has(ff_bytes head, size_t at, const char *magic, size_t n)
{
    return head.n >= at + n && memcmp(head.p + at, magic, n) == 0;
}

static bool octal_field(ff_bytes head, size_t at, size_t n, uint64_t *value)
{
    bool any = false;
    *value = 0;
    for (size_t i = at; i < at + n; i++) {
        char c = head.p[i];
        if (c >= '0' && c <= '7') {
            *value = *value * 8 + (uint64_t)(c - '0');
            any = true;
        } else if (any || c != ' ') {
            break;
        }
    }
    return any;
}

/* Old archives have no magic, but every header has the sum of its bytes. */
static bool is_tar(ff_bytes head)
{
    uint64_t want = 0, sum = 0;
    if (head.n < 512 || head.p[0] == '\0' || !octal_field(head, 148, 8, &want))
        return false;
    for (size_t i = 0; i < 512; i++)
        sum += i >= 148 && i < 156 ? ' ' : (unsigned char)head.p[i];
    return sum == want;
}

/* Two bytes of magic are little: the name must also end where its length says. */
static bool is_binary_cpio(ff_bytes head)
{
    enum { HEADER = 26, NAME_SIZE = 20 };
    if (head.n < HEADER)
        return false;
    const unsigned char *p = (const unsigned char *)head.p;
    bool little = has(head, 0, "\xc7\x71", 2);
    size_t n = little ? p[NAME_SIZE] + 256u * p[NAME_SIZE + 1] : p[NAME_SIZE + 1] + 256u * p[NAME_SIZE];
    if (!little && !has(head, 0, "\x71\xc7", 2))
        return false;
    return n >= 2 && n <= FF_CAP_PATH && head.n >= HEADER + n && head.p[HEADER + n - 1] == '\0';
}

static bool is_cpio(ff_bytes head)
{
    if (is_binary_cpio(head))
        return true;
    bool old = has(head, 0, "070707", 6);
    if (!old && !has(head, 0, "070701", 6) && !has(head, 0, "070702", 6))
        return false;
    size_t n = old ? 76 : 110;
    for (size_t i = 6; i < n; i++)
        if (head.n <= n || !strchr("0123456789abcdefABCDEF", head.p[i]) || head.p[i] == '\0')
            return false;
    return true;
}

static bool is_bzip2(ff_bytes head)
{
    return has(head, 0, "BZh", 3) && head.n >= 10 && head.p[3] >= '1' && head.p[3] <= '9' &&
           (has(head, 4, "\x31\x41\x59\x26\x53\x59", 6) || has(head, 4, "\x17\x72\x45\x38\x50\x90", 6));
}

bool ff_is_seven_zip(ff_bytes head) { return has(head, 0, "7z\xbc\xaf\x27\x1c", 6); }

bool ff_is_zip(ff_bytes head) { return has(head, 0, "PK\x03\x04", 4) || has(head, 0, "PK\x05\x06", 4); }

bool ff_is_own_report(ff_bytes head)
{
    ff_bytes top = ff_first_n(head, 2048);
    if (ff_starts(top, FF_LIT("<!doctype html>")))
        return ff_contains(top, FF_LIT("<title>firstfault: "));
    return ff_starts(top, FF_LIT("{")) && ff_contains(ff_first_n(top, 40), FF_LIT("\"schema\": \"firstfault."));
}

/* A workbook is a zip of XML: a table of words, without the lines that they stood in. */
bool ff_is_office(ff_bytes head) { return has(head, 0, "PK\x03\x04", 4) && has(head, 30, "[Content_Types].xml", 19); }

static bool is_skippable_zstd(ff_bytes head)
{
    return has(head, 1, "\x2a\x4d\x18", 3) && ((unsigned char)head.p[0] & 0xf0) == 0x50;
}

bool ff_is_packed(ff_bytes head)
{
    return is_bzip2(head) || has(head, 0, "\x28\xb5\x2f\xfd", 4) || has(head, 0, "\x04\x22\x4d\x18", 4) ||
           is_skippable_zstd(head);
}

bool ff_is_archive(ff_bytes head)
{
    return is_tar(head) || is_cpio(head) || ff_is_zip(head) || ff_is_seven_zip(head) || ff_is_packed(head);
}
