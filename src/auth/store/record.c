/* The JSON document of a server's logins: {"version":1,"server":…,"principal":…,"current":N,"logins":[{…}]}. */
#include "auth/store/record.h"

#include "json/write.h"

#include <stdlib.h>

enum { VERSION = 1, DEPTH = 8 };

static const struct mcti_word record_client_kinds[] = {
    { "none", MCT_CLIENT_NONE },
    { "configured", MCT_CLIENT_CONFIGURED },
    { "document", MCT_CLIENT_DOCUMENT },
    { "registered", MCT_CLIENT_REGISTERED },
    { 0 },
};

/* ---- the members of a login ---- */

struct record_member {
    const char *key;
    size_t offset; /* of a char * or int64_t */
};

#define MEMBER(name)                                                                                                   \
    {                                                                                                                  \
#name, offsetof(struct mcti_auth_record, name)                                                                 \
    }

static const struct record_member record_texts[] = {
    MEMBER(issuer),
    MEMBER(resource),
    MEMBER(grant),
    MEMBER(client_id),
    MEMBER(client_secret),
    MEMBER(auth_method),
    MEMBER(redirect_uri),
    MEMBER(registration_token),
    MEMBER(registration_uri),
    MEMBER(token_endpoint),
    MEMBER(revocation_endpoint),
    MEMBER(auth_methods),
    MEMBER(auth_algs),
    MEMBER(access_token),
    MEMBER(token_type),
    MEMBER(refresh_token),
    MEMBER(scope),
    MEMBER(asked),
    MEMBER(dpop_key),
};
static const struct record_member record_times[] = {
    MEMBER(secret_expires_at),
    MEMBER(obtained_at),
    MEMBER(expires_at),
};

enum { N_TEXTS = sizeof record_texts / sizeof *record_texts, N_TIMES = sizeof record_times / sizeof *record_times };

static char **record_text_at(const struct mcti_auth_record *r, size_t i)
{
    return (char **)((char *)r + record_texts[i].offset);
}

static int64_t *record_time_at(const struct mcti_auth_record *r, size_t i)
{
    return (int64_t *)((char *)r + record_times[i].offset);
}

void mcti_auth_record_clear(struct mcti_auth_record *r)
{
    for (size_t i = 0; i < N_TEXTS; i++)
        mcti_secret_free(*record_text_at(r, i));
    *r = (struct mcti_auth_record){ 0 };
}

int mcti_auth_record_copy(struct mcti_auth_record *to, const struct mcti_auth_record *from)
{
    *to = *from;
    for (size_t i = 0; i < N_TEXTS; i++)
        *record_text_at(to, i) = NULL;
    for (size_t i = 0; i < N_TEXTS; i++) {
        const char *text = *record_text_at(from, i);
        if (text && !(*record_text_at(to, i) = strdup(text))) {
            mcti_auth_record_clear(to);
            return -1;
        }
    }
    return 0;
}

/* ---- writing ---- */

static void record_put(struct mcti_buf *to, const struct mcti_auth_record *r)
{
    mcti_buf_addz(to, to->len && mcti_buf_last(to) == '}' ? ",{" : "{");
    for (size_t i = 0; i < N_TEXTS; i++)
        if (*record_text_at(r, i))
            mcti_json_put_member(to, record_texts[i].key, mcti_str_of(*record_text_at(r, i)));
    mcti_json_put_member(to, "client_kind", mcti_str_of(mcti_word_of(record_client_kinds, r->client_kind)));
    for (size_t i = 0; i < N_TIMES; i++) {
        mcti_json_put_key(to, record_times[i].key);
        mcti_buf_printf(to, "%lld", (long long)*record_time_at(r, i));
    }
    mcti_buf_addc(to, '}');
}

void mcti_auth_records_put(struct mcti_buf *to, const struct mcti_auth_records *r)
{
    mcti_buf_printf(to, "{\"version\":%d", VERSION);
    mcti_json_put_member(to, "server", mcti_str_of(r->server));
    mcti_json_put_member(to, "principal", mcti_str_of(r->principal));
    mcti_json_put_key(to, "current");
    mcti_buf_addu(to, r->current);
    mcti_json_put_key(to, "logins");
    mcti_buf_addc(to, '[');
    for (size_t i = 0; i < r->n; i++)
        record_put(to, &r->v[i]);
    mcti_buf_addz(to, "]}");
}

/* ---- reading ---- */

static int record_damaged(struct mct_error *err, struct mcti_str where, const char *why)
{
    return mcti_fail(err, MCT_ERR_CONFIG, "the stored login is damaged: \"%.*s\" %s; log in again",
                     where.len > 64 ? 64 : (int)where.len, where.p, why);
}

/* Reads a string. A second one of the same name is damage, too. */
static int record_read_text(char **to, struct mcti_json_member m, struct mct_error *err)
{
    struct mcti_buf text;
    mcti_buf_init_secret(&text, m.value.len + 1);
    int r = *to ? record_damaged(err, m.key, "is a duplicate") : 0;
    if (r == 0 && mcti_json_unescape(m.value, &text) < 0)
        r = record_damaged(err, m.key, "is not a text");
    if (r == 0 && text.len && memchr(text.p, '\0', text.len))
        r = record_damaged(err, m.key, "has a NUL");
    if (r == 0 && !(*to = mcti_buf_take(&text)))
        r = mcti_no_memory(err);
    mcti_buf_done(&text);
    return r;
}

static int record_read_time(int64_t *to, struct mcti_json_member m, struct mct_error *err)
{
    return mcti_json_int(m.value, to) && *to >= 0 ? 0 : record_damaged(err, m.key, "is not a time");
}

static int record_read_kind(struct mcti_auth_record *to, struct mcti_json_member m, struct mct_error *err)
{
    struct mcti_str word;
    const struct mcti_word *kind = mcti_json_plain(m.value, &word) ? mcti_word_find(record_client_kinds, word) : NULL;
    if (!kind)
        return record_damaged(err, m.key, "is unknown");
    to->client_kind = kind->value;
    return 0;
}

/* Reads a member of a login; a later version's members are skipped. */
static int record_read_member(struct mcti_auth_record *to, struct mcti_json_member m, struct mct_error *err)
{
    for (size_t i = 0; i < N_TEXTS; i++)
        if (mcti_json_key_is(m.key, record_texts[i].key))
            return record_read_text(record_text_at(to, i), m, err);
    for (size_t i = 0; i < N_TIMES; i++)
        if (mcti_json_key_is(m.key, record_times[i].key))
            return record_read_time(record_time_at(to, i), m, err);
    return mcti_json_key_is(m.key, "client_kind") ? record_read_kind(to, m, err) : 0;
}

static int record_read(struct mcti_auth_record *to, struct mcti_str object, struct mct_error *err)
{
    struct mcti_json_member m;
    int r = mcti_json_type(object) == '{' ? 0 : record_damaged(err, MCT_STR("logins"), "has an item that is no object");
    for (struct mcti_json_iter it = mcti_json_open(object); r == 0 && mcti_json_next_member(&it, &m);)
        r = record_read_member(to, m, err);
    if (r == 0 && !(to->issuer && *to->issuer))
        r = record_damaged(err, MCT_STR("issuer"), "is missing");
    return r;
}

static int records_read_logins(struct mcti_auth_records *to, struct mcti_json_member m, struct mct_error *err)
{
    struct mcti_str item;
    int r = mcti_json_type(m.value) == '[' && !to->n ? 0 : record_damaged(err, m.key, "is not one list");
    for (struct mcti_json_iter it = mcti_json_open(m.value); r == 0 && mcti_json_next_item(&it, &item);) {
        struct mcti_auth_record login = { 0 };
        r = to->n < MCT_LIMIT_LOGINS ? record_read(&login, item, err) : record_damaged(err, m.key, "is too long");
        if (r == 0 && mcti_auth_records_find(to, login.issuer))
            r = record_damaged(err, m.key, "has an issuer twice");
        if (r == 0 && mcti_auth_records_set(to, &login) < 0)
            r = mcti_no_memory(err);
        mcti_auth_record_clear(&login);
    }
    return r;
}

/* What the document says about itself. */
struct record_head {
    uint64_t version, current;
};

static int records_read_member(struct mcti_auth_records *to, struct record_head *head, struct mcti_json_member m,
                               struct mct_error *err)
{
    uint64_t *number = mcti_json_key_is(m.key, "version")   ? &head->version
                       : mcti_json_key_is(m.key, "current") ? &head->current
                                                            : NULL;
    if (number)
        return mcti_json_uint(m.value, number) ? 0 : record_damaged(err, m.key, "is not a number");
    if (mcti_json_key_is(m.key, "server"))
        return record_read_text(&to->server, m, err);
    if (mcti_json_key_is(m.key, "principal"))
        return record_read_text(&to->principal, m, err);
    return mcti_json_key_is(m.key, "logins") ? records_read_logins(to, m, err) : 0;
}

static int records_check(struct mcti_auth_records *to, const struct record_head *head, struct mct_error *err)
{
    if (head->version > VERSION)
        return mcti_fail(err, MCT_ERR_CONFIG,
                         "the stored login was written by a later version of mcptools; use that version, or log in "
                         "again");
    if (!to->server || !to->principal || !head->version)
        return record_damaged(err, MCT_STR("server"), "or another member is missing");
    if (head->current >= to->n && to->n)
        return record_damaged(err, MCT_STR("current"), "is too large");
    to->current = head->current;
    return 0;
}

int mcti_auth_records_read(struct mcti_auth_records *ret, struct mcti_str text, struct mct_error *err)
{
    struct mcti_json_top top;
    struct mcti_json_member m;
    struct record_head head = { 0 };
    int r = 0;
    *ret = (struct mcti_auth_records){ 0 };
    if (!text.len)
        return 0;
    if (!mcti_json_valid(text, DEPTH, &top, NULL) || mcti_json_type(top.value) != '{')
        return mcti_fail(err, MCT_ERR_CONFIG, "the stored login is damaged: it is not a JSON object; log in again");
    for (struct mcti_json_iter it = mcti_json_open(top.value); r == 0 && mcti_json_next_member(&it, &m);)
        r = records_read_member(ret, &head, m, err);
    r = r == 0 ? records_check(ret, &head, err) : r;
    if (r < 0)
        mcti_auth_records_clear(ret);
    return r;
}

/* ---- the list ---- */

void mcti_auth_records_clear(struct mcti_auth_records *r)
{
    for (size_t i = 0; i < r->n; i++)
        mcti_auth_record_clear(&r->v[i]);
    free(r->v);
    free(r->server);
    free(r->principal);
    *r = (struct mcti_auth_records){ 0 };
}

struct mcti_auth_record *mcti_auth_records_find(struct mcti_auth_records *r, const char *issuer)
{
    for (size_t i = 0; i < r->n; i++)
        if (!strcmp(r->v[i].issuer, issuer))
            return &r->v[i];
    return NULL;
}

struct mcti_auth_record *mcti_auth_records_current(struct mcti_auth_records *r)
{
    return r->n ? &r->v[r->current] : NULL;
}

/* Returns the place for a new login. A full list gives up its oldest one. */
static struct mcti_auth_record *records_place(struct mcti_auth_records *r)
{
    struct mcti_auth_record *oldest = r->v;
    for (size_t i = 1; i < r->n; i++)
        oldest = r->v[i].obtained_at < oldest->obtained_at ? &r->v[i] : oldest;
    if (r->n == MCT_LIMIT_LOGINS)
        return oldest;
    struct mcti_auth_record *v = realloc(r->v, (r->n + 1) * sizeof *v);
    if (!v)
        return NULL;
    r->v = v;
    v[r->n] = (struct mcti_auth_record){ 0 };
    return &v[r->n++];
}

int mcti_auth_records_set(struct mcti_auth_records *r, struct mcti_auth_record *take_r)
{
    struct mcti_auth_record *at = mcti_auth_records_find(r, take_r->issuer);
    at = at ? at : records_place(r);
    if (!at)
        return -1;
    mcti_auth_record_clear(at);
    *at = *take_r;
    *take_r = (struct mcti_auth_record){ 0 };
    r->current = (size_t)(at - r->v);
    return 0;
}

/* Returns the newest login, which becomes the current one after the current one was removed. */
static size_t records_newest(const struct mcti_auth_records *r)
{
    size_t newest = 0;
    for (size_t i = 1; i < r->n; i++)
        newest = r->v[i].obtained_at > r->v[newest].obtained_at ? i : newest;
    return newest;
}

void mcti_auth_records_remove(struct mcti_auth_records *r, struct mcti_auth_record *which)
{
    size_t at = (size_t)(which - r->v);
    mcti_auth_record_clear(which);
    memmove(which, which + 1, (--r->n - at) * sizeof *which);
    if (at == r->current)
        r->current = records_newest(r);
    else
        r->current -= at < r->current;
}
