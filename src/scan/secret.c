/* Secrets in texts: keys with the form that their issuer gives them, and blocks of private keys. */
#include "scan/impl.h"

enum { KEY, BLOCK, URL };

static const struct mcti_scan_rule rules[] = {
    [KEY] = { "secret.key", MCT_SCAN_HARD, "MCP01", "contains a secret key", "forms of known issuers, not placeholders",
              "Revoke the key, and do not use the item." },
    [BLOCK] = { "secret.private-key", MCT_SCAN_HARD, "MCP01", "contains a private key", "-----BEGIN … PRIVATE KEY-----",
                "Revoke the key, and do not use the item." },
    [URL] = { "secret.url", MCT_SCAN_SOFT, "MCP01", "contains a URL with a password", "SCHEME://USER:PASSWORD@HOST",
              "Look whether the password is a real one." },
};

/* `chars`: 'h' hexadecimal, 'u' capitals and digits, 'a' letters and digits, 'b' also '-' and '_'. */
static const struct secret_form {
    const char *prefix;
    size_t min, max; /* characters behind the prefix */
    char chars;
} forms[] = {
    { "AKIA", 16, 16, 'u' },         { "ASIA", 16, 16, 'u' },      { "ghp_", 36, 40, 'a' },
    { "gho_", 36, 40, 'a' },         { "ghs_", 36, 40, 'a' },      { "ghu_", 36, 40, 'a' },
    { "github_pat_", 40, 100, 'b' }, { "glpat-", 20, 40, 'b' },    { "sk-ant-", 40, 140, 'b' },
    { "sk-proj-", 40, 200, 'b' },    { "sk-", 40, 64, 'a' },       { "xoxb-", 30, 80, 'b' },
    { "xoxp-", 30, 90, 'b' },        { "xapp-", 30, 120, 'b' },    { "AIza", 35, 35, 'b' },
    { "npm_", 36, 36, 'a' },         { "hf_", 30, 40, 'a' },       { "SG.", 22, 70, 'b' },
    { "sk_live_", 24, 100, 'a' },    { "rk_live_", 24, 100, 'a' }, { "dop_v1_", 64, 64, 'h' },
    { "ya29.", 40, 300, 'b' },       { "pypi-", 60, 220, 'b' },    { "shpat_", 32, 32, 'h' },
    { "lin_api_", 40, 40, 'a' },     { "PMAK-", 50, 64, 'b' },     { "gsk_", 40, 60, 'a' },
    { "xai-", 60, 90, 'a' },
};

static bool secret_char(char c, char chars)
{
    bool digit = c >= '0' && c <= '9', upper = c >= 'A' && c <= 'Z', lower = c >= 'a' && c <= 'z';
    switch (chars) {
    case 'h':
        return digit || (c >= 'a' && c <= 'f');
    case 'u':
        return digit || upper;
    case 'b':
        return digit || upper || lower || c == '-' || c == '_';
    default:
        return digit || upper || lower;
    }
}

static bool has_nocase(struct mcti_str text, struct mcti_str part)
{
    for (size_t i = 0; i + part.len <= text.len; i++)
        if (mcti_str_eq_nocase((struct mcti_str){ text.p + i, part.len }, part))
            return true;
    return false;
}

/* Returns true for a text that looks random: many different characters, few repeated ones, no words of examples. */
static bool looks_random(struct mcti_str text)
{
    static const struct mcti_str words[] = { MCT_STR("example"), MCT_STR("xxxx"),   MCT_STR("your"),
                                             MCT_STR("1234567"), MCT_STR("abcdef"), MCT_STR("token"),
                                             MCT_STR("secret"),  MCT_STR("dummy"),  MCT_STR("placeholder") };
    bool seen[256] = { false };
    size_t n_different = 0, n_same = 0;
    for (size_t i = 0; i < text.len; i++) {
        n_different += !seen[(unsigned char)text.p[i]];
        seen[(unsigned char)text.p[i]] = true;
        n_same += i && text.p[i] == text.p[i - 1];
    }
    for (size_t i = 0; i < SCAN_COUNT(words); i++)
        if (has_nocase(text, words[i]))
            return false;
    return n_different >= 10 && n_same * 4 < text.len;
}

static void secret_key(struct mcti_scan_run *run, struct mcti_str raw, const char *p)
{
    const char *end = raw.p + raw.len;
    for (size_t i = 0; i < SCAN_COUNT(forms); i++) {
        struct mcti_str prefix = mcti_str_of(forms[i].prefix);
        size_t n = 0;
        if (*p != *prefix.p || !mcti_str_starts(mcti_str_range(p, end), prefix))
            continue;
        const char *body = p + prefix.len;
        while (body + n < end && n <= forms[i].max && secret_char(body[n], forms[i].chars))
            n++;
        if (n >= forms[i].min && n <= forms[i].max && looks_random((struct mcti_str){ body, n })) {
            mcti_scan_found(run, &rules[KEY], raw, mcti_str_range(p, body + n));
            return;
        }
    }
}

/* A block counts if letters of base64 follow its first line. */
static void secret_block(struct mcti_scan_run *run, struct mcti_str raw, const char *p)
{
    const char *end = raw.p + raw.len;
    struct mcti_str head = { p, end - p < 64 ? (size_t)(end - p) : 64 };
    const char *key = memmem(head.p, head.len, "PRIVATE KEY-----", 16);
    size_t n = 0;
    if (!key || !mcti_str_starts(head, MCT_STR("-----BEGIN ")))
        return;
    for (const char *q = key + 16; q < end && n < 40 && (secret_char(*q, 'a') || strchr("+/=\r\n \\", *q)); q++)
        n += secret_char(*q, 'a');
    if (n >= 40)
        mcti_scan_found(run, &rules[BLOCK], raw, mcti_str_range(p, key + 16));
}

/* "://USER:PASSWORD@" with a password that looks random. */
static void secret_url(struct mcti_scan_run *run, struct mcti_str raw, const char *p)
{
    const char *end = raw.p + raw.len, *colon = NULL, *q = p + 3;
    for (; q < end && q < p + 200 && (unsigned char)*q > ' ' && *q != '/' && *q != '@'; q++)
        colon = *q == ':' && !colon ? q : colon;
    if (q < end && *q == '@' && colon && q - colon > 12 && looks_random(mcti_str_range(colon + 1, q)))
        mcti_scan_found(run, &rules[URL], raw, mcti_str_range(p, q));
}

static void secret_raw(struct mcti_scan_run *run, struct mcti_str raw)
{
    const char *end = raw.p + raw.len;
    for (const char *p = raw.p; p < end; p++) {
        bool begins = p == raw.p || !secret_char(p[-1], 'b');
        if (begins && *p && strchr("AgsxnhSrdypPl", *p))
            secret_key(run, raw, p);
        if (*p == '-' && begins)
            secret_block(run, raw, p);
        if (*p == ':' && end - p > 3 && p[1] == '/' && p[2] == '/')
            secret_url(run, raw, p);
    }
}

const struct mcti_scan_family mcti_scan_secret = { rules, SCAN_COUNT(rules), secret_raw, NULL };
