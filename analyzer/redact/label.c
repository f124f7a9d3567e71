/* Things that only the word before them gives away. */
#include "redact_private.h"

#define MOST_GUID 20u /* "fe80:..." in four groups, or after 0x, and one byte that shows that it goes on */

typedef struct label {
    const char *text; /* lower case */
    ff_secret kind;
    bool needs_sign; /* '=' or ':' must follow; a blank is not enough */
} label;

static const label labels[] = {
    { "serial number", FF_SECRET_SERIAL, true },
    { "board serial number", FF_SECRET_SERIAL, true },
    { "chassis serial number", FF_SECRET_SERIAL, true },
    { "serial_number", FF_SECRET_SERIAL, true },
    { "serialnumber", FF_SECRET_SERIAL, true },
    { "board_serial", FF_SECRET_SERIAL, true },
    { "product_serial", FF_SECRET_SERIAL, true },
    { "serial_num", FF_SECRET_SERIAL, true },
    { "serial no.", FF_SECRET_SERIAL, false },
    { "serial", FF_SECRET_SERIAL, true },
    { "asset tag", FF_SECRET_SERIAL, true },
    { "hostname", FF_SECRET_HOST, true },
    { "static hostname", FF_SECRET_HOST, true },
    { "nodename", FF_SECRET_HOST, true },
    { "_hostname", FF_SECRET_HOST, true },
    { "username", FF_SECRET_USER, true },
    { "user_name", FF_SECRET_USER, true },
    { "user", FF_SECRET_USER, true },
    { "userid", FF_SECRET_USER, true },
    { "groupid", FF_SECRET_USER, true },
    { "logname", FF_SECRET_USER, true },
    { "sudo_user", FF_SECRET_USER, true },
    { "for user", FF_SECRET_USER, false },
    { "logged in as", FF_SECRET_USER, true },
    { "accepted publickey for", FF_SECRET_USER, false },
    { "accepted password for", FF_SECRET_USER, false },
    { "jobname", FF_SECRET_NAME, true },
    { "job_name", FF_SECRET_NAME, true },
    { "account", FF_SECRET_NAME, true },
    { "slurm_job_name", FF_SECRET_NAME, true },
    { "slurm_job_account", FF_SECRET_NAME, true },
    { "namespace", FF_SECRET_NAME, true },
    { "pod", FF_SECRET_NAME, true },
    { "podname", FF_SECRET_NAME, true },
    { "pod_name", FF_SECRET_NAME, true },
    { "claimname", FF_SECRET_NAME, true },
    { "serviceaccountname", FF_SECRET_NAME, true },
    { "guid", FF_SECRET_GUID, false }, /* also behind "node", "port", "switch" */
    { "sys_image_guid", FF_SECRET_GUID, true },
    { "sysimgguid", FF_SECRET_GUID, true },
    { "caguid", FF_SECRET_GUID, true },
    { "switchguid", FF_SECRET_GUID, true },
    { "portguid", FF_SECRET_GUID, true },
    { "vguid", FF_SECRET_GUID, true },
    { "ca\t:", FF_SECRET_GUID, false }, /* lists of ibhosts and ibswitches */
    { "ca :", FF_SECRET_GUID, false },
    { "switch", FF_SECRET_GUID, true },
    { "password", FF_SECRET_CREDENTIAL, true },
    { "passwd", FF_SECRET_CREDENTIAL, true },
    { "secret", FF_SECRET_CREDENTIAL, true },
    { "api_key", FF_SECRET_CREDENTIAL, true },
    { "apikey", FF_SECRET_CREDENTIAL, true },
    { "api-key", FF_SECRET_CREDENTIAL, true },
    { "access_key", FF_SECRET_CREDENTIAL, true },
    { "access_key_id", FF_SECRET_CREDENTIAL, true },
    { "secret_key", FF_SECRET_CREDENTIAL, true },
    { "secret_access_key", FF_SECRET_CREDENTIAL, true },
    { "storage_key", FF_SECRET_CREDENTIAL, true },
    { "account_key", FF_SECRET_CREDENTIAL, true },
    { "accountkey", FF_SECRET_CREDENTIAL, true },
    { "pgpassword", FF_SECRET_CREDENTIAL, true },
    { "sshpass -p", FF_SECRET_CREDENTIAL, false },
    { "curl -u", FF_SECRET_CREDENTIAL, false },
    { "x-amz-credential", FF_SECRET_CREDENTIAL, true },
    { "x-amz-signature", FF_SECRET_CREDENTIAL, true },
    { "x-amz-security-token", FF_SECRET_CREDENTIAL, true },
    { "x-goog-credential", FF_SECRET_CREDENTIAL, true },
    { "x-goog-signature", FF_SECRET_CREDENTIAL, true },
    { "private_key", FF_SECRET_CREDENTIAL, true },
    { "token", FF_SECRET_CREDENTIAL, true },
    { "authorization", FF_SECRET_CREDENTIAL, true },
    { "authorization: basic", FF_SECRET_CREDENTIAL, false },
    { "bearer", FF_SECRET_CREDENTIAL, false },
};

bool ff_is_nothing(ff_bytes value)
{
    static const char *const nothing[] = { "",     "-",         "n/a",     "na",   "none",   "null",      "nil",
                                           "root", "nobody",    "unknown", "true", "false",  "localhost", "default",
                                           "user", "unset",     "slurm",   "nvml", "system", "admin",     "redacted",
                                           "host", "unlimited", "bearer",  "basic" };
    bool digits = true;
    for (size_t i = 0; i < value.n; i++)
        digits = digits && value.p[i] == '0';
    for (size_t i = 0; i < FF_COUNT(nothing); i++)
        if (ff_equal_nocase(value, ff_str(nothing[i])))
            return true;
    return digits;
}

static bool is_value(char c, ff_secret kind)
{
    if (ff_is_alnum(c) || c == '_' || c == '-' || c == '.')
        return true;
    if (kind == FF_SECRET_CREDENTIAL)
        return c > ' ' && c < 127 && !strchr("\"'`,;)}]<>&", c);
    if (kind == FF_SECRET_NAME && c == '/') /* of a namespace */
        return true;
    return kind == FF_SECRET_GUID && c == ':';
}

/* Past quotes, blanks and one sign. False: there is no sign where one is needed. */
static bool take_sign(ff_bytes *rest, bool needed)
{
    bool sign = false;
    while (rest->n) {
        char c = rest->p[0];
        if (!sign && (c == '=' || c == ':'))
            sign = true;
        else if (c != ' ' && c != '\t' && c != '"' && c != '\'')
            break;
        *rest = ff_skip_n(*rest, 1);
    }
    return sign || !needed;
}

static bool fits(ff_bytes value, ff_secret kind)
{
    if (ff_is_nothing(value))
        return false;
    if (kind == FF_SECRET_GUID)
        return ff_shape_guid(value) == value.n;
    /* "token: 17" counts words of a text, "password: no" answers a question. */
    bool digits = ff_is_digits(value);
    if (kind == FF_SECRET_CREDENTIAL)
        return value.n >= 6 && !digits;
    return value.n >= 2 && (kind == FF_SECRET_SERIAL || !digits);
}

void ff_label_heads(uint16_t heads[FF_HEADS])
{
    for (size_t i = 0; i < FF_COUNT(labels); i++)
        heads[ff_head_of(ff_str(labels[i].text))] |= FF_HEAD_LABEL;
}

bool ff_label_at(ff_bytes rest, ff_spot *value)
{
    char first = (char)(rest.n && ff_is_alnum(rest.p[0]) ? rest.p[0] | 0x20 : rest.n ? rest.p[0] : 0);
    for (size_t i = 0; i < FF_COUNT(labels); i++) {
        if (labels[i].text[0] != first)
            continue;
        ff_bytes text = ff_str(labels[i].text);
        if (rest.n <= text.n || !ff_equal_nocase(ff_first_n(rest, text.n), text) || ff_is_alnum(rest.p[text.n]))
            continue;
        ff_bytes after = ff_skip_n(rest, text.n);
        if (!take_sign(&after, labels[i].needs_sign) || after.p == rest.p + text.n)
            continue;
        size_t n = 0, most = labels[i].kind == FF_SECRET_GUID ? MOST_GUID : after.n;
        while (n < after.n && n < most && is_value(after.p[n], labels[i].kind))
            n++;
        while (n && strchr(".:/", after.p[n - 1]))
            n--;
        if (!fits(ff_first_n(after, n), labels[i].kind))
            continue;
        *value = (ff_spot){ (size_t)(after.p - rest.p), n, labels[i].kind };
        return true;
    }
    return false;
}
