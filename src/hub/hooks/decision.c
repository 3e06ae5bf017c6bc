/* What a handler says: one format for C, plugins and programs (docs/HOOKS.md). */
#include "hub/hooks/hooks_impl.h"

#include "base/limits.h"
#include "base/log/utf8.h"

/* A member of a decision, or of its requireApproval: what it must be. null is as if it were not there. */
struct member {
    const char *key;
    char type;     /* of mct_json_type(); 't': a boolean */
    unsigned kinds; /* bits 1 << kind: of which hooks it means something */
    size_t offset;  /* of its span in struct hook_decision */
};

enum { BEFORE = 1u << MCT_HOOK_BEFORE, PERSIST = 1u << MCT_HOOK_PERSIST };

#define AT(field) offsetof(struct hook_decision, field)

static const struct member members[] = {
    { "params", '{', BEFORE, AT(params) },
    { "block", 't', BEFORE, AT(block) },
    { "blockReason", '"', BEFORE, AT(reason) },
    { "requireApproval", '{', BEFORE, AT(approval) },
    { "result", '{', PERSIST, AT(result) },
};

static const struct member approval_members[] = {
    { "id", '"', 0, 0 }, { "pluginId", '"', 0, 0 }, { "title", '"', 0, 0 }, { "description", '"', 0, 0 }, { "severity", '"', 0, 0 },
    { "timeoutMs", '0', 0, 0 }, { "allowedDecisions", '[', 0, 0 },
};

/* Of mct_json_type(). */
static const struct {
    char type;
    const char *word;
} types[] = { { '{', "an object" }, { '[', "a list" }, { '"', "a string" }, { '0', "a number" }, { 't', "true or false" } };

enum { SHOWN_BYTES = 40 };

static int refuse(struct mct_error *err, const char *in, const struct member *row, struct mct_str value)
{
    size_t i = 0, n;
    struct mct_str head = mct_utf8_head(value, SHOWN_BYTES, &n);
    while (types[i].type != row->type)
        i++;
    return mct_fail(err, MCT_ERR_PROTOCOL, "\"%s%s\" must be %s, not %.*s%s", in, row->key, types[i].word, MCT_STR_ARG(head),
                    head.len < value.len ? "…" : "");
}

static void note_unknown(struct hook_decision *ret, const char *in, struct mct_str key)
{
    if (ret->unknown.p)
        return;
    ret->unknown = key;
    ret->unknown_in = in;
}

static bool is(struct mct_str value, char type)
{
    char has = mct_json_type(value);
    return has == type || (type == 't' && has == 'f');
}

static const struct member *find(const struct member *table, size_t n, struct mct_str key)
{
    for (size_t i = 0; i < n; i++)
        if (mct_json_key_is(key, table[i].key))
            return &table[i];
    return NULL;
}

static int check_approval(struct hook_decision *d, struct mct_error *err)
{
    struct mct_json_member m;
    for (struct mct_json_iter it = mct_json_open(d->approval); mct_json_next_member(&it, &m);) {
        const struct member *row = find(approval_members, sizeof approval_members / sizeof *approval_members, m.key);
        if (!row)
            note_unknown(d, "requireApproval.", m.key);
        else if (mct_json_type(m.value) != 'n' && !is(m.value, row->type))
            return refuse(err, "requireApproval.", row, m.value);
    }
    return 0;
}

/* 1: it means something. */
static int read_member(enum mct_hook_kind kind, const struct mct_json_member *m, struct hook_decision *ret,
                       struct mct_error *err)
{
    const struct member *row = find(members, sizeof members / sizeof *members, m->key);
    if (!row || !(row->kinds & 1u << kind)) {
        note_unknown(ret, "", m->key);
        return 0;
    }
    if (mct_json_type(m->value) == 'n')
        return 1;
    if (!is(m->value, row->type))
        return refuse(err, "", row, m->value);
    *(struct mct_str *)(void *)((char *)ret + row->offset) = m->value;
    return 1;
}

/* -1 with *err; else whether a member means something. */
static int read_members(enum mct_hook_kind kind, struct mct_str object, struct hook_decision *ret, struct mct_error *err)
{
    struct mct_json_member m;
    int any = 0;
    for (struct mct_json_iter it = mct_json_open(object); mct_json_next_member(&it, &m);) {
        int r = read_member(kind, &m, ret, err);
        if (r < 0)
            return -1;
        any |= r;
    }
    return any;
}

int hook_decision_read(enum mct_hook_kind kind, struct mct_str text, struct hook_decision *ret, struct mct_error *err)
{
    struct mct_json_fault fault;
    struct mct_json_top top;
    *ret = (struct hook_decision){ 0 };
    if (!text.p)
        return 0;
    if (text.len > MCT_LIMIT_DECISION_BYTES)
        return mct_fail(err, MCT_ERR_LIMIT, "the decision has more than %u bytes", MCT_LIMIT_DECISION_BYTES);
    if (!mct_json_valid(text, MCT_LIMIT_JSON_DEPTH, &top, &fault))
        return mct_fail(err, MCT_ERR_PROTOCOL, "the decision is not valid JSON at byte %zu: %s", fault.offset, fault.why);
    if (mct_json_type(top.value) != '{')
        return mct_fail(err, MCT_ERR_PROTOCOL, "the decision is no JSON object");
    int r = read_members(kind, top.value, ret, err);
    if (r < 0)
        return -1;
    if (r == 0 && kind == MCT_HOOK_BEFORE && ret->unknown.p) /* it was to be something: a slip must not let the call pass */
        return mct_fail(err, MCT_ERR_PROTOCOL, "the decision says nothing that is known: \"%.*s\" means nothing",
                        ret->unknown.len < 100 ? (int)ret->unknown.len : 100, ret->unknown.p);
    if (ret->result.p && mct_json_type(mct_json_get(ret->result, "content")) != '[')
        return mct_fail(err, MCT_ERR_PROTOCOL, "\"result\" is no CallToolResult: an object with a list \"content\"");
    return check_approval(ret, err);
}
