#include "auth/wire/members.h"

#include "auth/wire/challenge.h"
#include "auth/wire/text.h"
#include "base/limits.h"
#include "base/strings.h"
#include "json/scan.h"

#include <stdlib.h>

static int member_fail(const struct mcti_member_row *row, const char *why, struct mct_error *err)
{
    return mcti_fail(err, MCT_ERR_PROTOCOL, "member \"%s\" %s", row->name, why);
}

/* ---- values ---- */

/* Appends the text of a string value to `to`. Returns why it cannot be used; NULL: it can. */
static const char *member_text(const struct mcti_member_row *row, struct mcti_str value, struct mcti_buf *to)
{
    mcti_buf_init_secret(to, value.len + 1);
    if (mcti_json_type(value) != '"')
        return "is not a text";
    if (value.len > MCT_LIMIT_AUTH_TEXT_BYTES)
        return "is too long";
    if (mcti_json_unescape(value, to) < 0)
        return "has an invalid character";
    struct mcti_str text = mcti_buf_str(to);
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.p[i] < ' ' || text.p[i] == 0x7f)
            return "has a control character";
    return text.len && row->is_valid && !row->is_valid(text) ? "has an unusable value" : NULL;
}

static int member_read_text(void *to, const struct mcti_member_row *row, struct mcti_str value, struct mct_error *err)
{
    struct mcti_buf text;
    char **slot = to;
    const char *why = member_text(row, value, &text);
    if (!mcti_buf_ok(&text)) {
        mcti_buf_done(&text);
        return mcti_no_memory(err);
    }
    if (!why && text.len && !(*slot = mcti_buf_take(&text)))
        return mcti_no_memory(err);
    mcti_buf_done(&text);
    return why ? member_fail(row, why, err) : 0;
}

static int member_read_strings(void *to, const struct mcti_member_row *row, struct mcti_str value,
                               struct mct_error *err)
{
    struct mcti_strings *list = to;
    struct mcti_str item;
    if (mcti_json_type(value) != '[')
        return member_fail(row, "is not a list", err);
    for (struct mcti_json_iter it = mcti_json_open(value); mcti_json_next_item(&it, &item);) {
        char *text = NULL;
        if (list->n == MCT_LIMIT_AUTH_ITEMS)
            return member_fail(row, "has too many items", err);
        if (member_read_text(&text, row, item, err) < 0)
            return -1;
        bool keep = text && (row->type != MCT_MEMBER_SCOPES || mcti_text_is_visible(mcti_str_of(text), "\"\\"));
        int ok = keep ? mcti_strings_add(list, mcti_str_of(text)) : 0;
        free(text);
        if (ok < 0)
            return mcti_no_memory(err);
    }
    return 0;
}

static int member_read_bool(void *to, const struct mcti_member_row *row, struct mcti_str value, struct mct_error *err)
{
    bool *flag = to;
    *flag = mcti_json_true(value);
    return strchr("tf", mcti_json_type(value)) ? 0 : member_fail(row, "is not true or false", err);
}

/* Numbers may have fractions and exponents; large ones are cut to a time that never comes. */
static int member_read_seconds(void *to, const struct mcti_member_row *row, struct mcti_str value,
                               struct mct_error *err)
{
    enum { DIGITS = 20 };
    const double most = (double)((int64_t)1 << 40);
    char digits[DIGITS + 1] = "";
    int64_t *slot = to;
    struct mcti_str text = value;
    bool quoted = mcti_json_plain(value, &text) && text.len && text.len <= DIGITS;
    if (quoted)
        memcpy(digits, text.p, text.len);
    if (quoted ? strspn(digits, "0123456789") != text.len : mcti_json_type(value) != '0')
        return member_fail(row, "is not a number", err);
    double n = mcti_json_double(text);
    if (n > 0)
        *slot = (int64_t)(n < most ? n : most);
    return 0;
}

/* ---- objects ---- */

static int (*const member_readers[])(void *to, const struct mcti_member_row *row, struct mcti_str value,
                                     struct mct_error *err) = {
    [MCT_MEMBER_TEXT] = member_read_text,       [MCT_MEMBER_SECRET] = member_read_text,
    [MCT_MEMBER_STRINGS] = member_read_strings, [MCT_MEMBER_SCOPES] = member_read_strings,
    [MCT_MEMBER_BOOL] = member_read_bool,       [MCT_MEMBER_SECONDS] = member_read_seconds,
};

/* Adds the decoded name of a member to the list. */
static int member_add_name(struct mcti_strings *names, struct mcti_str name, struct mct_error *err)
{
    char shown[64];
    if (name.len && memchr(name.p, '\0', name.len))
        return mcti_fail(err, MCT_ERR_PROTOCOL, "the name of a member has an invalid character");
    if (names->n == MCT_LIMIT_AUTH_MEMBERS)
        return mcti_fail(err, MCT_ERR_PROTOCOL, "more than %d members", MCT_LIMIT_AUTH_MEMBERS);
    if (!mcti_strings_has(names, name))
        return mcti_strings_add(names, name) < 0 ? mcti_no_memory(err) : 0;
    mcti_text_show(shown, sizeof shown, name);
    return mcti_fail(err, MCT_ERR_PROTOCOL, "duplicate member \"%s\"", shown);
}

/* Decodes the names of all members. Returns -1 if one occurs twice: which of the values counts differs between
 * programs. */
static int member_read_names(struct mcti_strings *ret, struct mcti_str object, struct mct_error *err)
{
    struct mcti_json_member m;
    int ok = 0;
    for (struct mcti_json_iter it = mcti_json_open(object); !ok && mcti_json_next_member(&it, &m);) {
        struct mcti_buf name;
        mcti_buf_init(&name, m.key.len + 1);
        if (mcti_json_unescape(mcti_json_key_value(m.key), &name) == 0)
            ok = member_add_name(ret, mcti_buf_str(&name), err);
        else if (mcti_buf_ok(&name))
            ok = mcti_fail(err, MCT_ERR_PROTOCOL, "the name of a member has an invalid character");
        else
            ok = mcti_no_memory(err);
        mcti_buf_done(&name);
    }
    return ok;
}

/* Returns the value of a member; absent if there is none, or null. */
static struct mcti_str member_find(const struct mcti_strings *names, struct mcti_str object, const char *name)
{
    struct mcti_json_iter it = mcti_json_open(object);
    struct mcti_json_member m;
    for (size_t i = 0; mcti_json_next_member(&it, &m); i++)
        if (strcmp(names->v[i], name) == 0)
            return mcti_json_type(m.value) == 'n' ? MCT_STR_NONE : m.value;
    return MCT_STR_NONE;
}

static bool member_is_there(void *at, const struct mcti_member_row *row)
{
    switch (row->type) {
    case MCT_MEMBER_TEXT:
    case MCT_MEMBER_SECRET:
        return *(char **)at;
    case MCT_MEMBER_STRINGS:
    case MCT_MEMBER_SCOPES:
        return ((struct mcti_strings *)at)->n > 0;
    default:
        return true;
    }
}

static int member_read(void *to, const struct mcti_member_row *row, struct mcti_str value, struct mct_error *err)
{
    void *at = (char *)to + row->offset;
    if (value.p && member_readers[row->type](at, row, value, err) < 0)
        return -1;
    if (value.p && row->flag)
        *(bool *)(void *)((char *)to + row->flag) = true;
    return row->needed && !member_is_there(at, row) ? member_fail(row, "is missing", err) : 0;
}

int mcti_members_read(void *to, const struct mcti_member_row *rows, size_t n_rows, struct mcti_str json,
                      struct mct_error *err)
{
    struct mcti_json_top top;
    struct mcti_strings names = { 0 };
    if (!mcti_json_valid(json, MCT_LIMIT_JSON_DEPTH, &top, NULL) || mcti_json_type(top.value) != '{')
        return mcti_fail(err, MCT_ERR_PROTOCOL, "not a JSON object");
    int ok = member_read_names(&names, top.value, err);
    for (const struct mcti_member_row *row = rows; !ok && row < rows + n_rows; row++)
        ok = member_read(to, row, member_find(&names, top.value, row->name), err);
    mcti_strings_clear(&names);
    return ok;
}

void mcti_members_clear(void *to, const struct mcti_member_row *rows, size_t n_rows)
{
    for (const struct mcti_member_row *row = rows; row < rows + n_rows; row++) {
        void *at = (char *)to + row->offset;
        if (row->type == MCT_MEMBER_SECRET)
            mcti_secret_free(*(char **)at);
        else if (row->type == MCT_MEMBER_TEXT)
            free(*(char **)at);
        else if (row->type == MCT_MEMBER_STRINGS || row->type == MCT_MEMBER_SCOPES)
            mcti_strings_clear(at);
    }
}
