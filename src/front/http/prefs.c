#include "front/http/prefs.h"

#include "resources/dialect/dialect.h"

enum { MAX_TEXT = 256 }; /* longest name or value; all known ones are shorter */

static bool take_read_only(struct mcti_str text, struct mcti_client_prefs *to)
{
    to->read_only = mcti_str_is(text, "1") || mcti_str_is(text, "true");
    return to->read_only || mcti_str_is(text, "0") || mcti_str_is(text, "false");
}

static bool http_prefs_take_mode(struct mcti_str text, struct mcti_client_prefs *to)
{
    return mcti_prefs_mode(text, &to->mode);
}

static bool http_prefs_take_schemas(struct mcti_str text, struct mcti_client_prefs *to)
{
    const struct mcti_word *found = mcti_word_find(mcti_schemas_words, text);
    if (found)
        to->schemas = (enum mcti_schemas)found->value;
    return found;
}

static bool take_dialects(struct mcti_str text, struct mcti_client_prefs *to)
{
    to->has_dialects = true;
    return mcti_dialects_read(text, &to->dialects, NULL) == 0;
}

static const struct {
    const char *name;
    bool (*take)(struct mcti_str text, struct mcti_client_prefs *to);
    const char *wanted;
} rows[] = {
    { "read_only", take_read_only, "1, true, 0 or false" },
    { "mode", http_prefs_take_mode, MCT_MODE_WORDS },
    { "schemas", http_prefs_take_schemas, MCT_SCHEMAS_WORDS },
    { "dialect", take_dialects, MCT_DIALECT_WORDS ", with commas between them" },
};

enum { N_ROWS = sizeof rows / sizeof *rows };

/* Decodes percent-encoding (RFC 3986 section 2.1). Returns false for a % without two hex digits, and for a text longer
 * than MAX_TEXT. */
static bool http_prefs_decode(struct mcti_str s, struct mcti_buf *to)
{
    mcti_buf_clear(to);
    for (size_t i = 0; i < s.len; i++) {
        int byte = mcti_str_percent(s, i);
        if (byte < 0 && s.p[i] == '%')
            return false;
        mcti_buf_addc(to, byte >= 0 ? (char)byte : s.p[i]);
        i += byte >= 0 ? 2 : 0;
    }
    return mcti_buf_ok(to);
}

static int http_prefs_take(struct mcti_str pair, struct mcti_buf *scratch, unsigned *seen,
                           struct mcti_client_prefs *query_prefs, struct mct_error *err)
{
    struct mcti_str name;
    unsigned i = 0;
    if (!mcti_str_split(&pair, '=', &name) || !http_prefs_decode(name, scratch))
        return 0;
    while (i < N_ROWS && !mcti_str_is(mcti_buf_str(scratch), rows[i].name))
        i++;
    if (i == N_ROWS)
        return 0;
    if (*seen & (1u << i))
        return mcti_fail(err, MCT_ERR_USAGE, "duplicate URL parameter %s", rows[i].name);
    *seen |= 1u << i;
    if (pair.p && http_prefs_decode(pair, scratch) && rows[i].take(mcti_buf_str(scratch), query_prefs))
        return 0;
    return mcti_fail(err, MCT_ERR_USAGE, "the URL parameter %s must be %s", rows[i].name, rows[i].wanted);
}

static void http_prefs_merge(const struct mcti_client_prefs *query_prefs, int64_t now_s,
                             struct mcti_client_prefs *prefs)
{
    if (query_prefs->read_only && !prefs->read_only) {
        prefs->read_only = prefs->read_only_by_client = true;
        prefs->since_s = now_s;
    }
    if (!prefs->mode)
        prefs->mode = query_prefs->mode;
    if (!prefs->schemas)
        prefs->schemas = query_prefs->schemas;
    if (query_prefs->has_dialects && !prefs->has_dialects) {
        prefs->has_dialects = true;
        prefs->dialects = query_prefs->dialects;
    }
}

int mcti_http_prefs_read(struct mcti_str query, int64_t now_s, struct mcti_client_prefs *prefs, struct mct_error *err)
{
    struct mcti_client_prefs query_prefs = { 0 };
    struct mcti_buf scratch;
    struct mcti_str pair;
    unsigned seen = 0;
    int r = 0;
    mcti_buf_init(&scratch, MAX_TEXT);
    while (r == 0 && mcti_str_split(&query, '&', &pair))
        r = http_prefs_take(pair, &scratch, &seen, &query_prefs, err);
    mcti_buf_done(&scratch);
    if (r == 0)
        http_prefs_merge(&query_prefs, now_s, prefs);
    return r;
}
