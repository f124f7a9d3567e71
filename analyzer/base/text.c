#include "text.h"

#include <stdio.h>
#include <string.h>

void ff_text_init(ff_text *t, size_t limit) { *t = (ff_text){ .limit = limit }; }

void ff_text_done(ff_text *t)
{
    ff_free(t->p);
    *t = (ff_text){ 0 };
}

/* Room for n more bytes and the NUL. Returns how many of them may be added. */
static size_t reserve(ff_text *t, size_t n)
{
    if (!t->limit && n < t->cap - t->n) /* mostly there is */
        return n;
    if (t->limit && n > t->limit - t->n) {
        t->cut = true;
        n = t->limit - t->n;
    }
    if (t->n + n + 1 > t->cap) {
        size_t cap = t->cap ? t->cap : 256;
        while (cap < t->n + n + 1)
            cap *= 2;
        t->p = ff_realloc(t->p, cap);
        t->cap = cap;
    }
    return n;
}

void ff_text_add(ff_text *t, ff_bytes b)
{
    size_t n = reserve(t, b.n);
    if (n)
        memcpy(t->p + t->n, b.p, n);
    t->n += n;
    t->p[t->n] = 0;
}

void ff_text_adds(ff_text *t, const char *s) { ff_text_add(t, ff_str(s)); }
void ff_text_addc(ff_text *t, char c)
{
    if (reserve(t, 1))
        t->p[t->n++] = c;
    t->p[t->n] = 0;
}

void ff_text_fill(ff_text *t, char c, size_t n)
{
    n = reserve(t, n);
    memset(t->p + t->n, c, n);
    t->n += n;
    t->p[t->n] = 0;
}

void ff_text_add_int(ff_text *t, int64_t value)
{
    char digits[24];
    size_t at = sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do
        digits[--at] = (char)('0' + rest % 10);
    while ((rest /= 10) != 0);
    if (value < 0)
        digits[--at] = '-';
    ff_text_add(t, (ff_bytes){ digits + at, sizeof digits - at });
}

void ff_text_addf(ff_text *t, const char *format, ...)
{
    char small[256];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (n > 0 && (size_t)n < sizeof small) {
        ff_text_add(t, (ff_bytes){ small, (size_t)n });
    } else if (n > 0) {
        char *large = ff_alloc((size_t)n + 1);
        (void)vsnprintf(large, (size_t)n + 1, format, again);
        ff_text_add(t, (ff_bytes){ large, (size_t)n });
        ff_free(large);
    }
    va_end(again);
}

ff_bytes ff_text_view(const ff_text *t) { return (ff_bytes){ t->p, t->n }; }

/* Length of the valid UTF-8 sequence at p, its code point in *cp; 0 when it is none (overlong, surrogate, cut). */
static size_t utf8_length(const unsigned char *p, size_t n, uint32_t *cp)
{
    if (p[0] < 0x80) {
        *cp = p[0];
        return 1;
    }
    size_t len = p[0] >= 0xF0 && p[0] < 0xF5   ? 4
                 : p[0] >= 0xE0 && p[0] < 0xF0 ? 3
                 : p[0] >= 0xC2 && p[0] < 0xE0 ? 2
                                               : 0;
    if (len == 0 || len > n)
        return 0;
    uint32_t value = p[0] & (0xFFu >> (len + 1));
    for (size_t i = 1; i < len; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (p[i] & 0x3Fu);
    }
    static const uint32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
    if (value < least[len] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
        return 0;
    *cp = value;
    return len;
}

/* Control codes, and marks that make text read in another order or vanish. */
static bool is_deceiving(uint32_t cp)
{
    return (cp < 0x20 && cp != '\t') || (cp >= 0x7F && cp < 0xA0) || cp == 0xAD || cp == 0x61C || cp == 0x180E ||
           (cp >= 0x200B && cp <= 0x200F) || (cp >= 0x2028 && cp <= 0x202E) || (cp >= 0x2060 && cp <= 0x206F) ||
           cp == 0xFEFF || (cp >= 0xFFF9 && cp <= 0xFFFB) || (cp & 0xFFFE) == 0xFFFE ||
           (cp >= 0xE0000 && cp <= 0xE007F);
}

void ff_text_add_clean(ff_text *t, ff_bytes b)
{
    const unsigned char *p = (const unsigned char *)b.p;
    size_t from = 0;
    for (size_t i = 0; i < b.n;) {
        if (p[i] >= 0x20 && p[i] < 0x7F) {
            i++;
            continue;
        }
        uint32_t cp = 0;
        size_t len = utf8_length(p + i, b.n - i, &cp);
        if (len && !is_deceiving(cp)) {
            i += len;
            continue;
        }
        ff_text_add(t, (ff_bytes){ b.p + from, i - from });
        ff_text_adds(t, "\xEF\xBF\xBD");
        i += len ? len : 1;
        from = i;
    }
    ff_text_add(t, (ff_bytes){ b.p ? b.p + from : NULL, b.n - from });
    if (!t->p)
        ff_text_adds(t, "");
}

void ff_text_add_kib(ff_text *t, uint64_t kib)
{
    static const char *const unit[] = { "KiB", "MiB", "GiB", "TiB", "PiB" };
    unsigned u = 0;
    double value = (double)kib;
    while (value >= 1024 && u < 4) {
        value /= 1024;
        u++;
    }
    char text[64];
    int n = snprintf(text, sizeof text, "%.2f", value);
    while (n > 0 && text[n - 1] == '0')
        n--;
    if (n > 0 && text[n - 1] == '.')
        n--;
    ff_text_addf(t, "%.*s %s", n, text, unit[u]);
}

int64_t ff_days_from_date(int64_t year, unsigned month, unsigned day)
{
    /* Years begin in March, so that the leap day is the last day of a year. */
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t of_era = year - era * 400;
    int64_t of_year = (153 * (int64_t)(month > 2 ? month - 3 : month + 9) + 2) / 5 + (int64_t)day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

void ff_date_from_days(int64_t days, int64_t *year, unsigned *month, unsigned *day)
{
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t of_era = days - era * 146097;
    int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * y + y / 4 - y / 100);
    int64_t m = (5 * of_year + 2) / 153;
    *day = (unsigned)(of_year - (153 * m + 2) / 5 + 1);
    *month = (unsigned)(m < 10 ? m + 3 : m - 9);
    *year = y + era * 400 + (*month <= 2);
}

static void put_digits(char *to, unsigned n, uint64_t value)
{
    for (; n; n--, value /= 10)
        to[n - 1] = (char)('0' + value % 10);
}

void ff_text_add_utc(ff_text *t, int64_t ns)
{
    int64_t seconds = ns / 1000000000, fraction = ns % 1000000000;
    if (fraction < 0) {
        fraction += 1000000000;
        seconds--;
    }
    int64_t days = seconds / 86400, rest = seconds % 86400;
    if (rest < 0) {
        rest += 86400;
        days--;
    }
    int64_t year;
    unsigned month, day;
    ff_date_from_days(days, &year, &month, &day);
    char out[] = "0000-00-00T00:00:00.000000000Z";
    if (year < 0 || year > 9999) {
        ff_text_addf(t, "%04lld", (long long)year);
    } else {
        put_digits(out, 4, (uint64_t)year);
        ff_text_add(t, (ff_bytes){ out, 4 });
    }
    put_digits(out + 5, 2, month);
    put_digits(out + 8, 2, day);
    put_digits(out + 11, 2, (uint64_t)(rest / 3600));
    put_digits(out + 14, 2, (uint64_t)(rest / 60 % 60));
    put_digits(out + 17, 2, (uint64_t)(rest % 60));
    put_digits(out + 20, 9, (uint64_t)fraction);
    ff_text_add(t, (ff_bytes){ out + 4, sizeof out - 1 - 4 });
}

void ff_text_add_span(ff_text *t, int64_t ns)
{
    if (ns < 0) {
        ff_text_addc(t, '-');
        ns = ns == INT64_MIN ? INT64_MAX : -ns;
    }
    int64_t ms = ns / 1000000, s = ms / 1000;
    if (ns < 1000000)
        ff_text_addf(t, "%.3g ms", (double)ns / 1e6);
    else if (s < 1)
        ff_text_addf(t, "%d ms", (int)ms);
    else if (s < 60)
        ff_text_addf(t, "%d.%d s", (int)s, (int)(ms % 1000 / 100));
    else if (s < 3600)
        ff_text_addf(t, "%d min %d s", (int)(s / 60), (int)(s % 60));
    else if (s < 48 * 3600)
        ff_text_addf(t, "%d h %d min", (int)(s / 3600), (int)(s / 60 % 60));
    else
        ff_text_addf(t, "%lld d %d h", (long long)(s / 86400), (int)(s / 3600 % 24));
}
