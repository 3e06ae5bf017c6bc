#include "auth/wire/challenge.h"

#include "auth/wire/text.h"
#include "base/limits.h"

#include <stdlib.h>

/* A header value that is being read; `c` is NULL in the challenge of an unknown scheme. */
struct challenge_reader {
    const char *p, *end;
    struct mcti_challenge *all, *c;
    bool no_memory;
};

/* ---- the parameters that count ---- */

/* Keeps a text for people. */
static char *challenge_dup_shown(struct mcti_str value)
{
    char text[MCT_LIMIT_AUTH_SHOWN_BYTES];
    mcti_text_show(text, sizeof text, value);
    return mcti_str_dup(mcti_str_of(text));
}

static bool challenge_is_word(struct mcti_str value)
{
    return value.len && mcti_text_is_visible(value, "\"\\");
}

static bool challenge_is_text(struct mcti_str value)
{
    return value.len > 0;
}

static bool challenge_is_scope(struct mcti_str value)
{
    return value.len && mcti_scope_is_valid(value);
}

static const struct challenge_row {
    const char *name;
    size_t offset;
    bool (*is_valid)(struct mcti_str value); /* other values are ignored */
    char *(*dup)(struct mcti_str value);
} challenge_rows[] = {
    { "resource_metadata", offsetof(struct mcti_challenge, resource_metadata), challenge_is_word, mcti_str_dup },
    { "scope", offsetof(struct mcti_challenge, scope), challenge_is_scope, mcti_str_dup },
    { "error", offsetof(struct mcti_challenge, error), challenge_is_word, mcti_str_dup },
    { "error_description", offsetof(struct mcti_challenge, error_description), challenge_is_text, challenge_dup_shown },
    { "algs", offsetof(struct mcti_challenge, algs), challenge_is_scope, mcti_str_dup },
};

enum { CHALLENGE_ROWS = sizeof challenge_rows / sizeof *challenge_rows };

static char **challenge_slot(struct mcti_challenge *c, const struct challenge_row *row)
{
    return (char **)(void *)((char *)c + row->offset);
}

static void challenge_set(struct challenge_reader *r, struct mcti_str name, struct mcti_str value)
{
    for (const struct challenge_row *row = challenge_rows; r->c && row < challenge_rows + CHALLENGE_ROWS; row++) {
        char **slot = challenge_slot(r->c, row);
        if (!mcti_str_eq_nocase(name, mcti_str_of(row->name)) || *slot || !row->is_valid(value))
            continue;
        *slot = row->dup(value);
        r->no_memory |= !*slot;
    }
}

static void challenge_set_scheme(struct challenge_reader *r, struct mcti_str scheme)
{
    bool bearer = mcti_str_eq_nocase(scheme, MCT_STR("Bearer")), dpop = mcti_str_eq_nocase(scheme, MCT_STR("DPoP"));
    r->all->bearer |= bearer;
    r->all->dpop |= dpop;
    r->c = bearer || dpop ? r->all : NULL;
}

/* ---- the grammar ---- */

static void challenge_skip(struct challenge_reader *r, const char *set)
{
    while (r->p < r->end && *r->p && strchr(set, *r->p))
        r->p++;
}

static bool challenge_at(const struct challenge_reader *r, char c)
{
    return r->p < r->end && *r->p == c;
}

/* Takes visible characters without those in `without`; empty: there are none. */
static struct mcti_str challenge_take_word(struct challenge_reader *r, const char *without)
{
    const char *from = r->p;
    while (r->p < r->end && mcti_text_is_visible((struct mcti_str){ r->p, 1 }, without))
        r->p++;
    return mcti_str_range(from, r->p);
}

static struct mcti_str challenge_take_token(struct challenge_reader *r)
{
    return challenge_take_word(r, "\"(),/:;<=>?@[\\]{}");
}

/* Takes a token68 that stands alone, as in "Negotiate YWJj==". Parameters cannot follow. */
static bool challenge_take_token68(struct challenge_reader *r)
{
    const char *from = r->p;
    struct mcti_str text = challenge_take_word(r, "\"=,\\");
    while (challenge_at(r, '='))
        r->p++;
    challenge_skip(r, " \t");
    bool alone = text.len && (r->p == r->end || *r->p == ',');
    if (alone)
        r->c = NULL;
    else
        r->p = from;
    return alone;
}

/* Takes a quoted string behind its first quote, without the escapes. */
static bool challenge_take_quoted(struct challenge_reader *r, struct mcti_buf *to)
{
    for (; r->p < r->end && *r->p != '"'; r->p++) {
        if (*r->p == '\\' && ++r->p == r->end)
            return false;
        if ((unsigned char)*r->p < ' ' ? *r->p != '\t' : *r->p == 0x7f)
            return false;
        mcti_buf_addc(to, *r->p);
    }
    return r->p < r->end && *r->p++ == '"';
}

/* A value without quotes may have any visible character, for servers that send a bare URL. */
static bool challenge_take_value(struct challenge_reader *r, struct mcti_buf *to)
{
    if (challenge_at(r, '"')) {
        r->p++;
        return challenge_take_quoted(r, to);
    }
    struct mcti_str word = challenge_take_word(r, "\",\\");
    mcti_buf_add(to, word);
    return word.len > 0;
}

/* Takes "name=value". Returns 0 if there is none, and -1 if it is malformed. */
static int challenge_take_param(struct challenge_reader *r)
{
    const char *from = r->p;
    struct mcti_buf value;
    struct mcti_str name = challenge_take_token(r);
    challenge_skip(r, " \t");
    if (!name.len || !challenge_at(r, '=')) {
        r->p = from;
        return 0;
    }
    r->p++;
    challenge_skip(r, " \t");
    mcti_buf_init(&value, MCT_LIMIT_HTTP_HEADER_BYTES);
    bool ok = challenge_take_value(r, &value);
    if (ok && mcti_buf_ok(&value))
        challenge_set(r, name, mcti_buf_str(&value));
    r->no_memory |= !mcti_buf_ok(&value);
    mcti_buf_done(&value);
    return ok ? 1 : -1;
}

/* Takes a scheme and what may follow it directly. Returns -1 if it is malformed. */
static int challenge_take_scheme(struct challenge_reader *r)
{
    struct mcti_str scheme = challenge_take_token(r);
    bool apart = challenge_at(r, ' ') || challenge_at(r, '\t');
    if (!scheme.len || (r->p < r->end && !apart && *r->p != ','))
        return -1;
    challenge_set_scheme(r, scheme);
    challenge_skip(r, " \t");
    if (r->p == r->end || *r->p == ',' || challenge_take_token68(r))
        return 0;
    return challenge_take_param(r) > 0 ? 0 : -1;
}

int mcti_challenge_read(struct mcti_challenge *c, struct mcti_str header_value)
{
    struct challenge_reader r = { .all = c };
    if (!header_value.len)
        return 0;
    r.p = header_value.p;
    r.end = r.p + header_value.len;
    for (bool first = true;; first = false) {
        challenge_skip(&r, " \t");
        if (!first && r.p < r.end && *r.p != ',')
            break;
        challenge_skip(&r, " \t,");
        if (r.p == r.end)
            break;
        int param = first ? 0 : challenge_take_param(&r);
        if (param < 0 || (!param && challenge_take_scheme(&r) < 0))
            break;
    }
    return r.no_memory ? -1 : 0;
}

int mcti_challenge_take(struct mcti_challenge *ret, const struct mcti_fetch *fetch)
{
    struct mcti_str value;
    int ok = 0;
    *ret = (struct mcti_challenge){ 0 };
    for (size_t i = 0; i < MCT_LIMIT_AUTH_CHALLENGES; i++) {
        value = mcti_fetch_header_nth(fetch, "www-authenticate", i);
        if (!value.p)
            break;
        ok |= mcti_challenge_read(ret, value);
    }
    return ok;
}

void mcti_challenge_clear(struct mcti_challenge *c)
{
    for (size_t i = 0; i < CHALLENGE_ROWS; i++)
        free(*challenge_slot(c, &challenge_rows[i]));
    *c = (struct mcti_challenge){ 0 };
}
